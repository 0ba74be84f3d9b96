"""The page of `windlass serve` as its server gives it: who is answered, what is refused, what its files say."""

from __future__ import annotations

import io
import json
import re
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL_TOML, Command

import windlass
from windlass import _core, palette
from windlass.cli import main
from windlass.errors import InputError
from windlass.names import loss_causes, window_events
from windlass.serve import page, runs, topology, turns
from windlass.serve.app import HEADERS, MOST_BODY, SLOWER, STATIC, App
from windlass.serve.asked import MOST_SENDERS, asked_of, moved_words, toml_of
from windlass.serve.base import Base, base_of
from windlass.serve.controls import Choice, Knob
from windlass.serve.runs import plan_of
from windlass.serve.words import sentences

PORT = 8642
QUICK = {"scenario.duration": 3.0}


@pytest.fixture(scope="module")
def app() -> App:
    return App(None, port=PORT)


@pytest.fixture(scope="module")
def base() -> Base:
    return base_of(None)


def call(
    app: App, way: str = "/", method: str = "GET", body: bytes = b"", **environ: Any
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of a request of the page's own, unless the environment says otherwise."""
    given = {
        "REQUEST_METHOD": method,
        "PATH_INFO": way,
        "HTTP_HOST": f"127.0.0.1:{PORT}",
        "CONTENT_LENGTH": str(len(body)),
        "CONTENT_TYPE": "application/json",
        "wsgi.input": io.BytesIO(body),
    } | environ
    found: list[Any] = []
    answer = app(given, lambda status, headers: found.extend((status, headers)))
    text = b"".join(answer)
    return int(found[0].split()[0]), dict(found[1]), text


def ask(app: App, way: str = "/run", **wanted: Any) -> list[dict[str, Any]]:
    """Messages of a run."""
    status, _, text = call(app, way, "POST", json.dumps(wanted).encode())
    assert status == 200, text
    return [json.loads(line) for line in text.splitlines()]


# ---- who is answered


@pytest.mark.parametrize("host", [f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"LOCALHOST:{PORT}"])
def test_its_own_names_are_answered(app: App, host: str) -> None:
    assert call(app, HTTP_HOST=host)[0] == 200


@pytest.mark.parametrize(
    "host", ["", "127.0.0.1", f"evil.example:{PORT}", "127.0.0.1:80", f"127.0.0.1.evil.example:{PORT}", f"[::1]:{PORT}"]
)
@pytest.mark.parametrize("way", ["/", "/static/page.js", "/run"])
def test_other_hosts_are_refused(app: App, host: str, way: str) -> None:
    method = "POST" if way == "/run" else "GET"
    status, headers, text = call(app, way, method, b"{}", HTTP_HOST=host)
    assert status == 403
    assert b"is not this one" in text
    assert set(HEADERS) <= set(headers.items())


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:80", f"http://[::1]:{PORT}"],
)
@pytest.mark.parametrize("way", ["/run", "/keep", "/"])
def test_other_origins_are_refused(app: App, origin: str, way: str) -> None:
    method = "GET" if way == "/" else "POST"
    assert call(app, way, method, b"{}", HTTP_ORIGIN=origin)[0] == 403


def test_its_own_origin_is_answered(app: App) -> None:
    body = json.dumps({"moved": QUICK, "senders": ["cerl"]}).encode()
    own = {"HTTP_ORIGIN": f"http://localhost:{PORT}", "HTTP_SEC_FETCH_SITE": "same-origin"}
    assert call(app, "/run", "POST", body, **own)[0] == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_may_not_ask_for_runs(app: App, site: str) -> None:
    assert call(app, "/run", "POST", b"{}", HTTP_SEC_FETCH_SITE=site)[0] == 403


def test_what_a_browser_is_told(app: App) -> None:
    _, headers, _ = call(app)
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"


# ---- what there is


@pytest.mark.parametrize("name", STATIC)
def test_files_of_the_page(app: App, name: str) -> None:
    status, headers, text = call(app, f"/static/{name}")
    assert (status, headers["Content-Type"]) == (200, STATIC[name])
    assert text == (Path(runs.__file__).parent / "static" / name).read_bytes()


def test_every_file_of_the_page_is_listed() -> None:
    assert {file.name for file in (Path(runs.__file__).parent / "static").iterdir()} == set(STATIC)


@pytest.mark.parametrize(
    "way",
    ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/static/", "/etc/passwd",
     "/static/page.js/..", "//evil.example/", "/static/..\\app.py", "/\0"],
)  # fmt: skip
def test_no_way_leads_out(app: App, way: str) -> None:
    status, _, text = call(app, way)
    assert status == 404
    assert text == b"there is no such page\n"


@pytest.mark.parametrize(("way", "method"), [("/run", "GET"), ("/keep", "PUT"), ("/", "POST"), ("/", "DELETE")])
def test_other_methods_are_refused(app: App, way: str, method: str) -> None:
    assert call(app, way, method)[0] == 405


def test_a_head_has_no_body(app: App) -> None:
    assert call(app, method="HEAD")[::2] == (200, b"")


# ---- what is asked for


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 5000, b'{"senders": [NaN'])
def test_what_is_no_json_is_refused(app: App, body: bytes) -> None:
    status, _, text = call(app, "/run", "POST", body)
    assert status == 400
    assert text == b"this is no JSON\n"


def test_a_form_is_refused(app: App) -> None:
    assert call(app, "/run", "POST", b"{}", CONTENT_TYPE="application/x-www-form-urlencoded")[0] == 415


@pytest.mark.parametrize("size", [str(MOST_BODY + 1), "-1", "x", "99999999999999999999"])
def test_a_large_body_is_not_read(app: App, size: str) -> None:
    assert call(app, "/run", "POST", b"{}", CONTENT_LENGTH=size)[0] == 413


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"senders": ["westwod"]}, "no algorithm `westwod`\nhint: did you mean `westwood`?"),
        ({"senders": []}, "0 senders are ticked"),
        ({"senders": ["reno", "newreno", "sack", "cubic", "bic", "veno", "vegas", "cerl", "bbr"]}, "9 senders are ticked"),
        ({"senders": ["\ud800"]}, "no algorithm `\\ud800`"),
        ({"senders": "cerl"}, "`senders` is no list"),
        ({"senders": [["cerl"]]}, "`senders` is no list"),
        ({"moved": {"topology.bottleneck.rate": -1}}, "Rate: -1 is not between 0.05 and 1000 Mbps"),
        ({"moved": {"topology.bottleneck.rate": "1 Mbps"}}, "'1 Mbps' is not between"),
        ({"moved": {"topology.bottleneck.rate": True}}, "True is not between"),
        ({"moved": {"topology.bottleneck.trace": "/etc/passwd"}}, "no slider `topology.bottleneck.trace`"),
        ({"moved": {"scenario.profile": 0}}, "no slider `scenario.profile`"),
        ({"moved": []}, "`moved` is no table"),
        ({"seed": -1}, "a seed of -1"),
        ({"seed": 1.5}, "a seed of 1.5"),
        ({"seed": 2**53}, "a seed of 9007199254740992"),
        ({"together": 1}, "`together` is 1"),
        ({"group": "other"}, "no group of flows 'other'"),
        ({"file": "/etc/passwd"}, "unknown key `file`"),
        ({"base": "of-yesterday"}, "has changed since the page was opened\nhint: reload it"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_told(app: App, wanted: dict[str, Any], says: str) -> None:
    (message,) = ask(app, **wanted)
    assert message["kind"] == "error"
    assert message["text"].startswith("error[serve.request]: ")
    assert says in message["text"]


@pytest.mark.parametrize("body", [b"null", b"[]", b'"text"', b"3"])
def test_json_that_is_no_table_is_told(app: App, body: bytes) -> None:
    _, _, text = call(app, "/run", "POST", body)
    assert "no table" in json.loads(text)["text"]


def test_infinity_is_out_of_range(app: App) -> None:
    _, _, text = call(app, "/run", "POST", b'{"moved": {"topology.bottleneck.delay": Infinity}}')
    assert "inf is not between" in json.loads(text)["text"]


# ---- limits


def test_options_and_guide_have_the_limits() -> None:
    options = {option.name: option.default for option in main.commands["serve"].params}
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "playing.md").read_text(encoding="utf-8")
    for limit in (f"{runs.MAX_TIME_S:g} s", runs.MOST_FLOWS, MOST_SENDERS):
        assert f" | {limit} |" in guide
    help_text = next(option.help for option in main.commands["serve"].params if option.name == "max_time")
    assert f"by default {runs.MAX_TIME_S:g} s " in help_text
    assert (SLOWER, "ten times that" in guide) == (10.0, True)
    assert f"{PORT}, 0 one" in guide
    assert options["port"] == PORT
    assert turns.MOST_AT_ONCE == 2
    assert "two in all" in guide


def test_a_run_that_is_too_long_is_refused_with_the_number(app: App) -> None:
    (message,) = ask(
        app, moved={"topology.bottleneck.rate": 1000.0, "topology.access.rate": 1000.0, "scenario.duration": 300.0}
    )
    assert message["text"].startswith("error[serve.limit]")
    seconds = float(re.search(r"this would take up to ([\d.]+) s, and 2 s is allowed", message["text"])[1])
    # 1 Gbit/s for 300 s in packets of 1500 B is 25 million, and as many ACKs, over three links of 40 ns and more each;
    # for two senders
    assert seconds > 2 * 2 * 25e6 * 3 * 40e-9


def test_the_limit_is_that_of_the_estimate() -> None:
    """What `windlass explain` says of both runs decides, to the last digit, and so does the option."""
    app = App(None, port=PORT)
    asked = asked_of(app.base, {})
    _, points = plan_of(app.base, asked)
    both_s = sum(point.estimate()["seconds"] for point in points)
    with windlass.limits(max_time=both_s):
        assert ask(App(None, port=PORT))[-1]["kind"] == "end"
    with windlass.limits(max_time=0.999 * both_s):
        assert ask(App(None, port=PORT))[0]["text"].startswith("error[serve.limit]: this would take up to ")
    most = max(point.estimate()["memory_bytes"] for point in points)
    with windlass.limits(max_memory=most):
        (message,) = ask(App(None, port=PORT))
    assert message["text"].startswith("error[serve.limit]: this needs up to ")
    assert "`--max-memory` sets the limit" in message["text"]


def test_a_run_that_has_too_many_flows_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "many.toml"
    file.write_text(SMALL_TOML.replace("pairs = 2", "pairs = 150"), encoding="utf-8")
    assert "pairs = 150" in file.read_text(encoding="utf-8")
    (message,) = ask(App(str(file), port=PORT), senders=["newreno", "cerl", "veno"])
    assert "these are 450 flows in all, and the page runs 400 at most" in message["text"]


@pytest.fixture
def an_hour() -> Iterator[None]:
    """Runs may take long by estimate."""
    with windlass.limits(max_time="1h"):
        yield


@pytest.mark.usefixtures("an_hour")
def test_a_run_that_takes_too_long_is_stopped() -> None:
    slow = App(None, port=PORT, longest_s=0.2)
    found = ask(slow, moved={"topology.bottleneck.rate": 1000.0, "scenario.duration": 300.0}, senders=["bbr"])
    assert [one["kind"] for one in found] == ["plan", "stopped"]
    assert found[1]["why"] == "late"
    assert "longer than 0.2 s" in found[1]["text"]


@pytest.mark.usefixtures("an_hour")
def test_a_newer_move_of_a_page_stops_the_one_before() -> None:
    app = App(None, port=PORT)
    long = {"moved": {"topology.bottleneck.rate": 1000.0, "scenario.duration": 300.0}, "senders": ["bbr"]}
    found: list[list[dict[str, Any]]] = []
    begun = threading.Event()

    def first() -> None:
        body = json.dumps({**long, "client": "a"}).encode()
        given = {"REQUEST_METHOD": "POST", "PATH_INFO": "/run", "HTTP_HOST": f"127.0.0.1:{PORT}",
                 "CONTENT_LENGTH": str(len(body)), "CONTENT_TYPE": "application/json", "wsgi.input": io.BytesIO(body)}  # fmt: skip
        lines = []
        for line in app(given, lambda status, headers: None):
            lines.append(json.loads(line))
            begun.set()
        found.append(lines)

    thread = threading.Thread(target=first)
    thread.start()
    assert begun.wait(20)
    second = ask(app, client="a", moved=QUICK, senders=["cerl"])
    thread.join(20)
    assert [one["kind"] for one in found[0]] == ["plan", "stopped"]
    assert found[0][1]["why"] == "newer"
    assert second[-1]["kind"] == "end"


def test_a_page_that_has_gone_is_not_run_for() -> None:
    place = turns.Turns(60.0)
    with place.take("a", lambda: True) as turn:
        for _ in range(100):
            if turn.cancel.is_set():
                break
            threading.Event().wait(0.05)
    assert turn.why == "gone"


def test_more_pages_than_there_is_room_for_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE_S", 0.1)
    place = turns.Turns(60.0)
    with (
        place.take("a", lambda: False),
        place.take("b", lambda: False),
        pytest.raises(InputError, match=r"serve\.busy.*2 other pages"),
        place.take("c", lambda: False),
    ):
        raise AssertionError
    with place.take("c", lambda: False) as turn:
        assert turn.why is None


def test_the_end_of_the_server_stops_runs() -> None:
    place = turns.Turns(60.0)
    with place.take("a", lambda: False) as turn:
        place.stop_all()
        assert turn.cancel.is_set()
    assert turn.why == "end"


# ---- what is shown


def shown_of(name: str | None, **wanted: Any) -> list[dict[str, Any]]:
    base = base_of(name)
    return list(runs.answer(base, asked_of(base, wanted)))


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("name", [None, *windlass.ready_scenarios()])
def test_every_ready_scenario_has_a_page(name: str | None, together: bool, tmp_path: Path) -> None:
    app = App(name, port=PORT, given={"together": together})
    status, _, text = call(app)
    assert status == 200
    config = json.loads(re.search(r'id="config">(.*?)</script>', text.decode())[1])
    keys = [control["key"] for control in config["controls"]]
    assert len(set(keys)) == len(keys) >= 3
    begin = config["begin"]
    short = {**begin, "senders": begin["senders"][:2], "moved": begin["moved"]}
    asked = asked_of(app.base, short)
    plan, points = runs.plan_of(app.base, asked)
    assert plan["drawing"].startswith("<svg")
    senders = max(1, len(asked.senders))
    assert len(points) == (1 if together else senders)
    again = windlass.Scenario.from_toml(plan["toml"], folder=tmp_path)  # wherever it is saved
    assert [one.key(1) for one in again.points()] == [one.key(1) for one in points]


def test_the_file_of_the_page_gives_the_same_bytes(base: Base, tmp_path: Path, command: Command) -> None:
    wanted = {"moved": {**QUICK, "topology.bottleneck.loss.rate": 2.0}, "senders": ["cerl"], "seed": 7}
    asked = asked_of(base, wanted)
    _, (point,) = runs.plan_of(base, asked)
    own = point.run(7)
    file = tmp_path / "page.toml"
    file.write_text(toml_of(base, asked), encoding="utf-8")
    done = command("run", file, "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["key"] == own.key
    assert told["seed"] == 7
    for name in ("flows", "links", "traces", "events", "losses"):
        assert json.dumps(told[name]) == json.dumps(own.tables[name].to_pylist()), name


def test_the_line_at_the_head_of_the_file_runs_one_of_several(base: Base, tmp_path: Path, command: Command) -> None:
    asked = asked_of(base, {"moved": QUICK, "senders": ["veno", "cerl"]})
    text = toml_of(base, asked)
    line = re.search(r"one: (windlass run .*)", text)[1].split()
    file = tmp_path / line[2]
    file.write_text(text, encoding="utf-8")
    done = command("run", file, *line[3:], "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["key"] == runs.plan_of(base, asked)[1][0].key(1)


def test_side_by_side_is_one_run_with_a_group_for_each(base: Base) -> None:
    plan, veno, cerl, end = shown_of(None, together=True, senders=["veno", "cerl"], moved=QUICK)
    flows = tomllib.loads(plan["toml"])["flows"]
    assert [(flow["name"], flow["algorithm"]) for flow in flows] == [("veno", "veno"), ("cerl", "cerl")]
    assert (veno["sender"], veno["drawn"], cerl["drawn"]) == ("veno", "veno", "cerl")
    assert veno["queue"]["place"] == "bottleneck"
    assert cerl["queue"] is None
    assert end["words"][0].startswith("Side by side, ")


def test_numbers_are_those_of_the_run(base: Base) -> None:
    asked = asked_of(base, {"senders": ["newreno"], "moved": {"scenario.duration": 10.0}})
    _, (point,) = runs.plan_of(base, asked)
    result = point.run(1)
    plan, one, end = runs.answer(base, asked)
    row = result.flows.to_pylist()[0]
    assert one["numbers"]["goodput_bps"] == row["goodput_run_bps"]
    assert one["numbers"]["cuts"] == row["window_cuts"]
    assert sum(one["numbers"]["causes"].values()) == one["numbers"]["cuts"]
    # the steps of the rate hold all that arrived
    length = plan["bins"][1] - plan["bins"][0]
    delivered = [value["value"] for value in result.traces.to_pylist() if value["variable"] == "delivered_bytes"]
    assert sum(one["rate"][:-1]) * 1e6 / 8 * length == pytest.approx(delivered[-1], rel=2e-3)
    assert max(one["rate"]) <= plan["capacity_mbps"][0][1]
    assert len(one["window"]) == len(plan["times"]) == 601
    # 10 Mbit/s over twice 5 + 30 + 5 ms, in packets of 1500 B
    assert plan["bdp"] == [(0.0, pytest.approx(10e6 * 0.080 / 8 / 1500))]
    assert shown_of(None, together=True, moved=QUICK)[0]["bdp"] is None
    assert end["words"][0] == f"NewReno delivered {row['goodput_run_bps'] * 1e-6:.3g} Mbit/s."


def test_the_page_begins_with_what_the_file_sweeps() -> None:
    assert base_of("lossy-dumbbell").ticked == ["newreno", "westwood-plus", "cerl", "cerl-plus"]
    assert base_of("single-flow-cwnd").ticked == ["newreno", "cerl"]
    assert base_of(None).ticked == ["newreno", "cerl"]
    assert base_of("slow-station").ticked == []
    assert base_of("wifi-and-cellular").ticked == ["mveno"]


def test_groups_with_one_sender_change_together_and_others_alone() -> None:
    assert base_of("cafe").group == ""
    l4s = base_of("l4s")
    assert (l4s.group, l4s.groups) == ("prague", ["prague", "cubic"])
    text = toml_of(l4s, asked_of(l4s, {"senders": ["prague", "reno"], "group": "cubic"}))
    assert tomllib.loads(text)["sweep"] == {"flows.cubic.algorithm": ["prague", "reno"]}


def test_sliders_stand_where_the_file_has_them(base: Base) -> None:
    rate = base.controls["topology.bottleneck.rate"]
    assert isinstance(rate, Knob)
    assert (rate.value, rate.unit, rate.written(0.05)) == (10.0, "Mbps", "0.05 Mbps")
    queue = base.controls["topology.bottleneck.queue"]
    assert isinstance(queue, Knob)
    assert queue.written(12.4) == "12 packets"
    for name in windlass.ready_scenarios():
        own = base_of(name)
        first = own.points[0]
        for control in own.controls.values():
            if isinstance(control, Knob):
                moved = first.with_({control.key: control.written(control.value)})
                assert moved.effective_json() == first.effective_json(), (name, control.key)
            else:
                assert control.value in control.values


def test_what_else_a_file_sweeps_is_a_choice() -> None:
    base = base_of("three-routers")
    choice = base.controls["tcp.recovery"]
    assert isinstance(choice, Choice)
    asked = asked_of(base, {"senders": ["newreno"], "moved": {"tcp.recovery": 2}})
    assert tomllib.loads(toml_of(base, asked))["tcp"] == {"recovery": "sack"}
    with pytest.raises(InputError, match="no value number 4"):
        asked_of(base, {"moved": {"tcp.recovery": 4}})


def test_a_long_run_begins_shorter_and_says_so() -> None:
    with windlass.limits(max_time="0.5 s"):
        _, _, text = call(App("leo", port=PORT))
    assert "The file&#39;s run of 120 s is too long for a page." in text.decode()


def test_an_algorithm_with_parameters_is_a_sender_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "tuned.toml"
    text = SMALL_TOML.replace('algorithm = "newreno"', 'algorithm = { name = "cerl", cerl_cmp = "gt" }')
    assert text != SMALL_TOML
    file.write_text(text, encoding="utf-8")
    base = base_of(str(file))
    assert base.ticked == ["cerl:cerl_cmp=gt", "newreno", "cerl"]
    text = toml_of(base, asked_of(base, {"senders": ["cerl:cerl_cmp=gt"]}))
    assert tomllib.loads(text)["flows"][0]["algorithm"] == {"name": "cerl", "cerl_cmp": "gt"}


def test_every_algorithm_runs_on_the_page(base: Base) -> None:
    names = [name for name in base.senders if name in palette.LOOKS]
    assert len(names) > 40
    for at in range(0, len(names), 8):
        some = names[at : at + 8]
        *_, end = parts = shown_of(None, senders=some, moved={"scenario.duration": 2.0})
        assert [part["sender"] for part in parts[1:-1]] == some
        assert end["kind"] == "end"


def test_every_kind_of_topology_is_drawn() -> None:
    assert sorted(topology.OF_KIND) == sorted(row["name"] for row in json.loads(_core.topologies()))


def test_an_upright_drawing_is_narrow_and_its_words_stand_aside() -> None:
    """Of a chain a column, of a fork two: words of the left link to its left, of the right one to its right."""
    for name, nodes in (("single-flow-cwnd", 4), ("rtt-unfairness", 4)):
        full = windlass.load(name).points()[0].effective()
        wide, upright = (topology.drawing(full, one) for one in (False, True))
        (width, height), (narrow, tall) = (
            map(float, re.search(r'width="([\d.]+)" height="([\d.]+)"', text).groups()) for text in (wide, upright)
        )
        assert width > height and narrow < 450 and tall > 300
        assert len(re.findall(r'<text class="name"', upright)) == nodes
        assert re.findall(r'<text class="link" text-anchor="(\w+)"', upright) == (
            ["start"] * 3 if name == "single-flow-cwnd" else ["start", "end", "start"]
        )


@pytest.mark.parametrize("name", ["train", "cafe", "leo", "radio-chain", "lossy-dumbbell"])
def test_what_was_moved_is_said_of_every_control(name: str) -> None:
    base = base_of(name, [("scenario.seeds", "2")])
    whole = [0 if isinstance(control, Choice) else control.low for control in base.controls.values()]
    moved = dict(zip(base.controls, whole, strict=True))
    said = moved_words(base, asked_of(base, {"moved": moved}))
    assert said[0] == "scenario.seeds = 2"
    assert len(said) > 2 and all(", was " in one for one in said[1:])
    still = {key: control.plain()["value"] for key, control in base.controls.items()}
    assert moved_words(base, asked_of(base, {"moved": still})) == said[:1]


def test_every_sender_cause_and_change_has_a_look_and_words(app: App) -> None:
    text = call(app)[2].decode()
    config = json.loads(re.search(r'id="config">(.*?)</script>', text)[1])
    shapes = re.findall(
        r"^    \"?([^\s\"]+?)\"?: \"M", (Path(runs.__file__).parent / "static" / "charts.js").read_text(), re.MULTILINE
    )
    assert {cause.name for cause in loss_causes()} < config["causes"].keys()
    assert {event.name for event in window_events() if event.label} == config["events"].keys()
    used = {one["marker"] for one in (*config["senders"], *config["events"].values())}
    # senders beyond those that have shapes of their own have numbers
    assert {marker for marker in used if not re.fullmatch(r"\$\d+\$", marker)} <= set(shapes)
    assert {one.marker for one in (palette.look(f"own-{at}") for at in range(200))} <= set(shapes)
    assert set(runs.CUTS) <= config["events"].keys()
    looks = [(one["marker"], json.dumps(one["dash"])) for one in config["senders"]]
    assert len(set(looks)) == len(looks)


def test_an_algorithm_of_ones_own_is_on_the_page(tmp_path: Path) -> None:
    class Servile(windlass.CongestionControl):
        pass

    windlass.register(Servile)
    base = base_of(None)
    asked = asked_of(base, {"senders": ["servile"], "moved": {"scenario.duration": 2.0}})
    assert toml_of(base, asked).startswith("# windlass run lossy-path.toml --python FILE\n")
    assert [one["kind"] for one in runs.answer(base, asked)] == ["plan", "sender", "end"]


# ---- words


def told(title: str, goodput: float, flows: int = 1, drawn: str | None = "flow", **numbers: Any) -> dict[str, Any]:
    zero = {"cuts": 0, "causes": {}, "judged_random": 0, "judged_wrongly": 0}
    own = {"goodput_bps": goodput, **zero, **numbers}
    return {"title": title, "flows": flows, "drawn": drawn, "numbers": own}


def test_what_runs_gave_in_words() -> None:
    newreno = told("NewReno", 2.1e6, cuts=33, causes={"random": 30, "queue": 2, "none": 1})
    cerl = told("CERL", 5.34e6, cuts=4, causes={"queue": 4}, judged_random=28, judged_wrongly=3)
    assert sentences([newreno, cerl], together=False) == [
        "CERL delivered 5.34 Mbit/s, NewReno 2.1.",
        "CERL made 4 cuts, all for congestion.",
        "CERL judged a loss random 28 times, wrongly 3 times.",
        "Of the 33 cuts of NewReno, 31 were not for congestion (lost at random: 30; nothing was lost: 1).",
    ]


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (told("A", 1e6), "A never cut its window."),
        (told("A", 1e6, cuts=1, causes={"early": 1}), "A made one cut for congestion."),
        (told("A", 1e6, cuts=1, causes={"radio": 1}), "A cut its window once, and not for congestion (lost above the MAC: 1)."),
        (told("A", 1e6, cuts=2, causes={"random": 2}), "None of the 2 cuts of A was for congestion (lost at random: 2)."),
        (told("A", 1e6, cuts=2, causes={"random": 1, "": 1}),
         "Of the 2 cuts of A, 1 was not for congestion (lost at random: 1)."),
    ],
)  # fmt: skip
def test_cuts_in_words(one: dict[str, Any], words: str) -> None:
    assert sentences([one], together=True)[1:] == [words]


def test_judgements_and_flows_in_words() -> None:
    once = told("A", 1e6, flows=3, drawn=None, judged_random=1, judged_wrongly=1)
    assert sentences([once], together=False) == [
        "A delivered 1 Mbit/s (3 flows each).",
        "A judged a loss random once, wrongly.",
    ]
    assert sentences([], together=False) == []


# ---- errors, and the page as a file


def test_what_is_wrong_with_the_file_stands_on_the_page_as_the_command_shows_it(
    tmp_path: Path, command: Command
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(SMALL_TOML, encoding="utf-8")
    app = App(str(file), port=PORT)
    assert call(app)[0] == 200
    file.write_text(SMALL_TOML.replace("newreno", "newrno<b>"), encoding="utf-8")
    _, _, page = call(app)
    shown = re.search(r'role="alert">(.*?)</pre>', page.decode(), re.DOTALL)[1]
    import html

    assert html.unescape(shown) == command("run", file).stderr.strip()
    assert "<b>" not in shown
    file.write_text(SMALL_TOML, encoding="utf-8")
    assert b'role="alert" hidden' in call(app)[2]


def test_a_page_of_an_older_file_is_told_to_reload(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(SMALL_TOML, encoding="utf-8")
    app = App(str(file), port=PORT)
    before = app.base.version
    file.write_text(SMALL_TOML.replace("newreno", "cubic"), encoding="utf-8")
    call(app)
    (message,) = ask(app, base=before)
    assert "reload it" in message["text"]


def test_names_of_a_file_cannot_add_to_the_page(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    head = "# </script><script>alert(1)</script>\n\n"
    file.write_text(head + SMALL_TOML, encoding="utf-8")
    text = call(App(str(file), port=PORT))[2].decode()
    assert "&lt;script&gt;alert(1)" in text
    assert "<script>alert" not in text
    data = page.data({"x": "</script><!--\u2028"})
    assert "<" not in data
    assert json.loads(data) == {"x": "</script><!--\u2028"}


def test_a_name_with_spaces_and_slashes_is_a_name_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(SMALL_TOML.replace('name = "small"', 'name = "a b/../c"'), encoding="utf-8")
    base = base_of(str(file))
    plan, _ = runs.plan_of(base, asked_of(base, {"senders": ["cerl"]}))
    assert plan["name"] == "a-b-..-c.toml"
    assert plan["toml"].startswith("# windlass run a-b-..-c.toml\n")


def test_export_writes_one_file_that_needs_nothing(tmp_path: Path, command: Command) -> None:
    place = tmp_path / "page.html"
    done = command("serve", "--set", "scenario.duration=3 s", "--sender", "veno", "--export", place)
    assert done.exit_code == 0, done.stderr
    text = place.read_text(encoding="utf-8")
    assert not re.search(r'(?:src|href)="(?!data:|#)', text)
    assert "connect-src" not in text
    assert "default-src 'none'" in text
    assert "Copyright (c) 2022 Leon Sorokin" in text
    config = json.loads(re.search(r'id="config">(.*?)</script>', text)[1])
    assert [one["kind"] for one in config["parts"]] == ["plan", "sender", "end"]
    assert config["parts"][1]["sender"] == "veno"
    assert {file.name for file in tmp_path.iterdir()} <= {"page.html", "work"}


def test_keep_gives_what_the_page_shows(app: App) -> None:
    status, headers, text = call(app, "/keep", "POST", json.dumps({"moved": QUICK, "senders": ["cerl"]}).encode())
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    config = json.loads(re.search(r'id="config">(.*?)</script>', text.decode())[1])
    assert config["parts"] == ask(app, moved=QUICK, senders=["cerl"])
    assert call(app, "/keep", "POST", b'{"senders": ["x"]}')[0] == 409


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["no-such-file"], "file.missing"),
        (["--sender", "westwod"], "serve.request"),
        (["--port", "70000"], "cli.usage"),
        (["--set", "flows.colour=1", "--export", "x.html"], "scenario.unknown-key"),
        (["--export", "no/such/folder/x.html"], "cli.output"),
        (["--max-time", "1ms", "--export", "x.html"], "run.limit"),
        (["--max-time", "0.001s", "--export", "x.html"], "serve.limit"),
    ],
)
def test_wrong_arguments(arguments: list[str], code: str, command: Command) -> None:
    done = command("serve", *arguments, "--no-browser") if "--export" not in arguments else command("serve", *arguments)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error[{code}]")
    assert "hint: " in done.stderr


@pytest.fixture
def taken() -> Iterator[int]:
    import socket

    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        place.listen()
        yield place.getsockname()[1]


def test_a_port_that_is_taken(taken: int, command: Command) -> None:
    done = command("serve", "--no-browser", "--port", str(taken))
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error[serve.port]: port {taken} is taken by another program\nhint: `--port 0`")


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "waitress", None)
    done = command("serve", "--no-browser", "--port", "0")
    assert done.exit_code == 2
    assert "error[serve.no-server]" in done.stderr
    assert "-m pip install 'waitress>=3'` installs it" in done.stderr
