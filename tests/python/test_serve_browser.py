"""The page of `windlass serve` in a real browser: it draws, answers to the keyboard, has a name for every control."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, program

import windlass

READY = (
    "document.querySelector('#numbers tbody tr') !== null"
    " && !document.querySelector('#words').textContent.includes('Running')"
)


class Server:
    """`windlass serve` in a process of its own."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "windlass", "serve", "--no-browser", "--port", "0", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().split()[0]
        self.port = int(self.address.rsplit(":", 1)[1].strip("/"))

    def stop(self) -> tuple[int, str, str]:
        """Press Ctrl-C; exit code and what was printed."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err

    def ask(self, body: bytes, **headers: str) -> tuple[int, bytes]:
        """Post a request for a run."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        line.request("POST", "/run", body, {"Content-Type": "application/json", **headers})
        reply = line.getresponse()
        return reply.status, reply.read()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    own = Server("--set", "scenario.duration=10 s")
    yield own
    if own.process.poll() is None:
        own.stop()


@pytest.fixture(scope="module")
def opened(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if program() is None:
        pytest.skip("no Chromium is installed")
    with Browser(tmp_path_factory.mktemp("profile")) as own:
        own.media(prefers_reduced_motion="reduce")
        own.size(1280, 900)
        own.open(server.address)
        own.wait(READY)
        yield own


# ---- the process


def test_ctrl_c_ends_it(server: Server) -> None:
    own = Server()
    code, out, err = own.stop()
    assert (code, out, err) == (0, "", "ended\n")
    with socket.socket() as place:
        place.bind(("127.0.0.1", own.port))


def test_ctrl_c_does_not_wait_for_a_run() -> None:
    own = Server("--max-time", "1h", "--set", "topology.bottleneck.rate=1 Gbps")
    line = http.client.HTTPConnection("127.0.0.1", own.port, timeout=20)
    body = b'{"senders": ["bbr"], "moved": {"scenario.duration": 300.0, "topology.access.rate": 1000.0}}'
    line.request("POST", "/run", body, {"Content-Type": "application/json"})
    reply = line.getresponse()
    assert json.loads(reply.readline())["kind"] == "plan"
    assert own.stop() == (0, "", "ended\n")
    assert json.loads(reply.readline()) == {"kind": "stopped", "why": "end", "text": "stopped"}


def test_it_listens_on_the_loopback_alone(server: Server) -> None:
    found = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()
    mine = [line.split()[1] for line in found if line.split()[1].endswith(f":{server.port:04X}")]
    assert mine
    assert set(mine) == {f"0100007F:{server.port:04X}"}


def test_runs_come_line_by_line(server: Server) -> None:
    status, text = server.ask(b'{"senders": ["cerl"]}')
    assert status == 200
    assert [json.loads(line)["kind"] for line in text.splitlines()] == ["plan", "sender", "end"]


def test_the_process_refuses_what_the_application_refuses(server: Server) -> None:
    assert server.ask(b"{}", Host="evil.example")[0] == 403
    assert server.ask(b"{}", Origin="http://evil.example")[0] == 403
    assert server.ask(b" " * 100_000)[0] == 413


def test_half_a_request_holds_up_nobody(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.sendall(b"POST /run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
        assert server.ask(b'{"senders": ["cerl"]}')[0] == 200


# ---- in the browser


def test_the_page_draws_what_ran(opened: Browser) -> None:
    words = opened.eval("document.querySelector('#words').textContent")
    assert re.match(r"CERL delivered [\d.]+ Mbit/s, NewReno [\d.]+\.", words)
    rows = opened.eval("[...document.querySelectorAll('#numbers tbody th')].map(one => one.textContent)")
    assert rows == ["NewReno", "CERL"]
    assert opened.eval("document.querySelectorAll('#topology svg line').length") == 3
    for chart in ("window", "rate", "queue"):
        drawn = f"(() => {{ const c = document.querySelector('#{chart} canvas'); const d = c.getContext('2d')"
        drawn += ".getImageData(0, 0, c.width, c.height).data; let n = 0;"
        drawn += "for (let i = 3; i < d.length; i += 4) if (d[i]) n += 1; return n; })()"
        assert opened.eval(drawn) > 500, chart
    assert opened.eval("document.querySelectorAll('#marks li').length") >= 3
    assert opened.complaints() == []


def test_it_asks_nobody_else(opened: Browser, server: Server) -> None:
    assert {one.split("/")[2] for one in opened.requests()} == {f"127.0.0.1:{server.port}"}


def test_a_move_of_a_slider_runs_again(opened: Browser) -> None:
    before = opened.eval("document.querySelector('#toml').textContent")
    assert tomllib.loads(before)["topology"]["bottleneck"]["rate"] == "10 Mbps"
    opened.eval("document.querySelector('#knob-0').focus()")
    opened.key("ArrowRight")
    opened.wait("document.querySelector('#toml').textContent.includes('\"12 Mbps\"')")
    opened.wait("document.querySelector('#words').textContent && !document.querySelector('.stale')")
    assert opened.eval("document.querySelector('#knob-0').getAttribute('aria-valuetext')") == "12 Mbps"
    assert opened.eval("document.querySelector('#knob-0-box').value") == "12"
    opened.key("ArrowLeft")
    opened.wait("document.querySelector('#toml').textContent.includes('\"10 Mbps\"')")


def test_a_sender_can_be_ticked_by_keyboard(opened: Browser) -> None:
    opened.eval("document.querySelector('#sender-veno').focus()")
    opened.key(" ")
    opened.wait(
        "[...document.querySelectorAll('#legend b')].map(one => one.textContent).join() === 'NewReno,CERL,Veno'"
    )
    opened.key(" ")
    opened.wait("document.querySelectorAll('#legend b').length === 2")


def test_a_number_out_of_range_is_told_and_the_rest_fades(opened: Browser) -> None:
    change = "(() => { const box = document.querySelector('#knob-0-box'); box.value = '%s';"
    change += " box.dispatchEvent(new Event('input', { bubbles: true })); })()"
    opened.eval(change % "5000")
    text = opened.wait("!document.querySelector('#error').hidden && document.querySelector('#error').textContent")
    assert text.startswith("error[serve.request]: bottleneck, Rate: 5000 is not between 0.05 and 1000 Mbps\nhint: ")
    opened.eval(change % "10")
    opened.wait("document.querySelector('#error').hidden")


def test_a_run_plays_pauses_and_ends(opened: Browser) -> None:
    clock = "parseFloat(document.querySelector('#clock').textContent)"
    assert opened.eval(clock) == 10.0  # who wants no motion sees the whole run at first
    opened.eval("document.querySelector('#speed').value = '1'; document.querySelector('#play').focus()")
    opened.key("Enter")
    assert opened.eval("document.querySelector('#play').textContent") == "Pause"
    opened.wait(f"{clock} > 0 && {clock} < 9")
    opened.key("Enter")
    held = opened.eval(clock)
    time.sleep(0.2)
    assert opened.eval(clock) == held
    assert opened.eval("document.querySelector('#play').textContent") == "Play"
    opened.eval("document.querySelector('#speed').value = '100'")
    opened.key("Enter")
    opened.wait(f"{clock} === 10")
    assert opened.eval("document.querySelector('#play').textContent") == "Play"


NAMELESS = """
[...document.querySelectorAll('input, select, button, textarea, [role=img], [role=region], canvas, table')].filter((one) => {
  const labels = one.labels ? [...one.labels].map((label) => label.textContent).join('') : '';
  const by = (one.getAttribute('aria-labelledby') || '').split(' ').map((id) => document.getElementById(id)?.textContent).join('');
  const name = one.getAttribute('aria-label') || by || labels || (one.tagName === 'BUTTON' ? one.textContent : '');
  const held = one.closest('[role=img], [role=region]');
  return !name.trim() && !(held && held !== one && held.getAttribute('aria-label'));
}).map((one) => one.outerHTML.slice(0, 120))
"""


def test_everything_has_a_name(opened: Browser) -> None:
    assert opened.eval(NAMELESS) == []
    assert opened.eval("document.documentElement.lang") == "en"
    assert (
        opened.eval(
            "[...document.querySelectorAll('[id]')].map(one => one.id).filter((id, i, all) => all.indexOf(id) !== i)"
        )
        == []
    )
    assert opened.eval("document.querySelector('#words').getAttribute('aria-live')") == "polite"
    assert opened.eval("[...document.querySelectorAll('h1, h2')].map(one => one.tagName).join('')").startswith("H1H2")


def test_the_keyboard_reaches_every_control(opened: Browser) -> None:
    opened.eval("for (const one of document.querySelectorAll('details')) one.open = true")
    wanted = opened.eval(
        "[...document.querySelectorAll('input, select, button, summary')]"
        ".filter(one => one.getClientRects().length && !one.disabled && (one.type !== 'radio' || one.checked))"
        ".map((one, i) => { one.dataset.tab = i; return i; })"
    )
    opened.eval("document.activeElement.blur(); getSelection().removeAllRanges(); document.body.focus()")
    reached = []
    for _ in range(len(wanted) + 12):
        opened.key("Tab")
        number = opened.eval("document.activeElement?.dataset?.tab ?? null")
        if number is not None and int(number) not in reached:
            reached.append(int(number))
    assert sorted(reached) == wanted
    start = reached.index(0)
    assert reached[start:] + reached[:start] == wanted  # in the order of the page
    opened.eval("for (const one of document.querySelectorAll('details')) one.open = one.id === 'settings'")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_both_schemes(opened: Browser, scheme: str) -> None:
    opened.media(prefers_reduced_motion="reduce", prefers_color_scheme=scheme)
    colours = opened.eval(
        "['--text', '--soft', '--accent', '--bad', '--ground', '--panel', '--badground']"
        ".map(name => getComputedStyle(document.documentElement).getPropertyValue(name).trim())"
    )
    text, soft, accent, bad, ground, panel, badground = (luminance(one) for one in colours)
    assert (ground < 0.1) == (scheme == "dark")
    for ink, paper in [(text, ground), (text, panel), (soft, ground), (soft, panel), (accent, panel), (bad, badground)]:
        assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) >= 4.5
    opened.media(prefers_reduced_motion="reduce")


def luminance(colour: str) -> float:
    """Relative luminance of a colour, by WCAG 2.2."""
    digits = colour.lstrip("#")
    digits = "".join(2 * one for one in digits) if len(digits) == 3 else digits
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_a_narrow_window_does_not_scroll_sideways(opened: Browser) -> None:
    opened.size(360, 740)
    opened.wait("document.querySelector('#window canvas').clientWidth < 360")
    assert opened.eval("document.documentElement.scrollWidth") == 360
    opened.size(1280, 900)


def test_a_phone_shows_all_of_the_network_and_of_the_numbers(opened: Browser) -> None:
    """Nothing of them lies beyond the edge, and the numbers have their heads beside them."""
    opened.size(390, 844)
    upright = "document.querySelector('#topology svg').getBoundingClientRect()"
    opened.wait(f"{upright}.height > {upright}.width")
    for part in ("topology", "numbers"):
        inside = f"[...document.querySelectorAll('#{part} *')].every(one => one.getBoundingClientRect().right <= 390)"
        assert opened.eval(inside), part
    assert opened.eval("document.querySelector('#topology').scrollWidth") <= 390
    head = "getComputedStyle(document.querySelector('#numbers td'), '::before').content"
    assert opened.eval(head) == '"delivered, Mbit/s"'
    overlap = """(() => {
      const boxes = [...document.querySelectorAll('#topology tspan, #topology text.name')].map(one =>
        one.getBoundingClientRect());
      return boxes.some((a, i) => boxes.slice(i + 1).some(b => a.left < b.right - 1 && b.left < a.right - 1
        && a.top < b.bottom - 5 && b.top < a.bottom - 5));
    })()"""
    assert opened.eval(overlap) is False
    opened.size(1280, 900)
    opened.wait(f"{upright}.height < {upright}.width")


def test_heads_of_the_numbers_do_not_overlap(opened: Browser) -> None:
    """Each word of a head is inside its cell, also where many causes make many columns."""
    opened.eval("shown.senders[0].numbers.causes = Object.fromEntries(Object.keys(config.causes).map(one => [one, 1]))")
    opened.eval("drawTable()")
    inside = "[...document.querySelectorAll('#numbers thead th')].every(one => one.scrollWidth <= one.clientWidth)"
    assert opened.eval("document.querySelectorAll('#numbers thead th').length") > 10
    assert opened.eval(inside)


def test_the_introduction_does_not_outlive_a_move(opened: Browser, server: Server) -> None:
    """The server's file has another length from the command line, and a slider is moved after that."""
    opened.open(server.address)
    opened.wait(READY)
    assert opened.eval("document.querySelector('#about').textContent") == (
        "Not as in the file: scenario.duration = 10 s."
    )
    box = "[...document.querySelectorAll('input[type=number]')].find(one => one.ariaLabel?.includes('Random loss'))"
    opened.eval(f"(() => {{ const b = {box}; b.value = 2; b.dispatchEvent(new Event('input')); }})()")
    opened.wait("document.querySelector('#about').textContent.includes('bottleneck: Random loss 2 %, was 0.3 %')")
    opened.eval("document.querySelector('#reset').click()")
    opened.wait("!document.querySelector('#about').textContent.includes('Random loss')")


def test_backticks_are_shown_as_code(opened: Browser) -> None:
    opened.eval("take({ kind: 'end', words: ['x'], cautions: ['see `flows.tcp` and `a`'] })")
    text = "document.querySelector('#cautions li').textContent"
    assert opened.eval(text) == "Caution: see flows.tcp and a"
    assert opened.eval("document.querySelectorAll('#cautions code').length") == 2
    assert opened.eval("[...document.querySelectorAll('[title]')].some(one => one.title.includes('`'))") is False


def test_lines_can_be_hidden_and_small_windows_seen(opened: Browser, server: Server) -> None:
    opened.open(server.address)
    opened.wait(READY)
    opened.eval("stop(Infinity); drawAt()")
    lines = "charts[0].lines()"
    assert opened.eval(lines) == 2
    assert opened.eval("document.querySelector('#log').checked") is False
    opened.eval("document.querySelector('#legend button').click()")
    assert opened.eval(lines) == 1
    assert opened.eval("document.querySelector('#legend button').getAttribute('aria-pressed')") == "false"
    assert opened.eval("document.querySelectorAll('#numbers tbody tr').length") == 2
    opened.eval("document.querySelector('#legend button').click()")
    assert opened.eval(lines) == 2
    # one window fifty times the other: the axis becomes logarithmic, and the small one leaves the ground
    lift = "charts[0].height(shown.senders[0].window.reduce((best, one) => Math.max(best, one ?? 0), 0))"
    opened.eval("shown.senders[1].window = shown.senders[1].window.map(one => one && 5000)")
    opened.eval("drawCharts()")
    assert opened.eval("document.querySelector('#log').checked") is True
    assert opened.eval(lift) > 0.3
    opened.eval("(() => { const one = document.querySelector('#log'); one.click(); })()")
    assert opened.eval(lift) < 0.1


def test_a_phone_shows_results_before_the_settings_are_opened(opened: Browser, server: Server) -> None:
    opened.size(390, 844)
    opened.open(server.address)
    opened.wait(READY)
    below = "document.querySelector('#words').getBoundingClientRect().top"
    assert opened.eval(below) < 844  # on the first screen
    assert opened.eval("document.querySelector('#window').getBoundingClientRect().top") < 2 * 844
    assert opened.eval("document.querySelector('#seed').checkVisibility()") is False
    opened.eval("document.querySelector('#settings > summary').focus()")
    opened.key("Enter")
    assert opened.eval("document.querySelector('#seed').checkVisibility()") is True
    # the way back stays in sight
    opened.eval("document.querySelector('#seed').scrollIntoView()")
    assert opened.eval("document.querySelector('#settings > summary').getBoundingClientRect().top") >= 0
    opened.key("Enter")
    opened.size(1280, 900)
    opened.wait("document.querySelector('#seed').checkVisibility()")


def test_the_file_of_the_page_loads(opened: Browser, tmp_path: Path) -> None:
    opened.wait("document.querySelector('#toml').textContent")
    text = opened.eval("document.querySelector('#toml').textContent")
    file = tmp_path / "page.toml"
    file.write_text(text, encoding="utf-8")
    assert len(windlass.load(file).points()) == 2


def test_a_kept_page_works_without_a_server(opened: Browser, tmp_path: Path) -> None:
    text = opened.eval(
        "fetch('/keep', { method: 'POST', headers: { 'Content-Type': 'application/json' },"
        " body: JSON.stringify(wanted()) }).then(reply => reply.text())"
    )
    words = opened.eval("document.querySelector('#words').textContent")
    file = tmp_path / "kept.html"
    file.write_text(text, encoding="utf-8")
    seen = len(opened.requests())
    opened.open(file.as_uri())
    opened.wait(f"document.querySelector('#words')?.textContent === {json.dumps(words)}")
    assert opened.eval("document.querySelectorAll('form, #keep').length") == 0
    assert opened.eval("document.querySelectorAll('.chart canvas').length") == 3
    assert opened.requests()[seen:] == [file.as_uri()]
    assert opened.eval(NAMELESS) == []
    assert opened.complaints() == []
