"""Scripts of packetdrill: how they are read, what is set by their commands, and what playing them finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from windlass.cli import main
from windlass.errors import InputError
from windlass.validation.chapters import chapter_of, replace_chapter
from windlass.validation.linux import scenarios
from windlass.validation.packetdrill import Outcome, find, pages, play_file, shell
from windlass.validation.packetdrill.assertions import Failed, Names, check
from windlass.validation.packetdrill.language import Call, Code, Packet, Unreadable, Unsupported, When
from windlass.validation.packetdrill.reading import read
from windlass.validation.packetdrill.setup import setup

SCRIPTS = Path(__file__).resolve().parents[1] / "packetdrill"

OPENING = """\
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,wscale 4>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 4000
+0 accept(3, ..., ...) = 4
"""
LINES = OPENING.count("\n")


def play(folder: Path, text: str) -> Outcome:
    file = folder / "script.pkt"
    file.write_text(text, encoding="utf-8")
    return play_file(file)


@pytest.mark.parametrize("name", sorted(file.name for file in SCRIPTS.glob("*.pkt")))
def test_our_own_scripts_pass(name: str) -> None:
    outcome = play_file(SCRIPTS / name)
    assert outcome.verdict == "passed", f"{outcome.place}: {outcome.reason}"


def test_packets_are_read() -> None:
    text = "+.25 < [noecn] E. 1:1(0) ack 1001 win 20 <nop,nop,TS val 7 ecr 9,nop,nop,sack 2001:3001 5001:6001>"
    (event,) = read(text).events
    assert event.when == When(250_000, 250_000, relative=True)
    packet = event.action
    assert isinstance(packet, Packet)
    assert (packet.inbound, packet.flags, packet.ecn, packet.ack, packet.window) == (True, "E.", "noecn", 1001, 20)
    assert (packet.sack, packet.stamps) == (((2001, 3001), (5001, 6001)), (7, 9))
    (event,) = read("0.5~0.6 > P. 1:11(10) ack 1 <...>").events
    assert isinstance(event.action, Packet)
    assert (event.when, event.action.options, event.action.length) == (When(500_000, 600_000), None, 10)


def test_times_are_read() -> None:
    text = "* > . 1:1(0) ack 1\n+.3~+.310 > . 1:1(0) ack 1\n+.002 ... 0.004 connect(4, ..., ...) = 0\n2 close(4) = 0"
    whens = [event.when for event in read(text).events]
    assert whens[0].any
    assert whens[1] == When(300_000, 310_000, relative=True)
    assert whens[2] == When(2000, 2000, relative=True)
    assert whens[3] == When(2_000_000, 2_000_000)


def test_calls_options_comments_and_code_are_read() -> None:
    text = """--tolerance_usecs=7000
// a comment
/* two
   lines */
+0 setsockopt(4, SOL_SOCKET, SO_SNDBUF, [200000], 4) = 0
+0 write(4, ..., 1000) = -1 EAGAIN (Resource temporarily unavailable)
+0 %{
assert tcpi_snd_cwnd == 10
}%
"""
    script = read(text)
    assert script.options == {"tolerance_usecs": "7000"}
    assert [event.line for event in script.events] == [5, 6, 7]
    option, write, code = (event.action for event in script.events)
    assert option == Call("setsockopt", ("4", "SOL_SOCKET", "SO_SNDBUF", "[200000]", "4"), "0")
    assert isinstance(write, Call)
    assert write.result.startswith("-1 EAGAIN")
    assert isinstance(code, Code)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("0 socket(..., 1) = 3\nnonsense", 2, "begins with its time"),
        ("+0 > . 1:1001(999) ack 1", 1, "are 1000 bytes, not 999"),
        ("+0 > . 1-1 ack 1", 1, "no packet"),
        ("+0 write(4, ..., 10)", 1, "has no result"),
        ("+0 write(4, ..., 10", 1, "`)` is missing"),
        ("+0 %{ assert 1", 1, "`}%` is missing"),
        ("\n`sysctl -q", 2, "` is missing"),
        ("+0 < . 1:1(0) ack 1 win 1 <sack 10-20>", 1, "no SACK block"),
        ("+0 < . 1:1(0) ack 1 win 1 <TS val x>", 1, "no timestamps"),
        ("+1~2 > . 1:1(0) ack 1", 1, "one end"),
        ("", 1, "no event"),
        ("// nothing", 1, "no event"),
    ],
)
def test_what_is_not_of_the_language_is_an_error_with_its_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    with pytest.raises(Unreadable, match=said.replace("(", r"\(").replace(")", r"\)")) as told:
        read(text)
    assert told.value.line == line
    outcome = play(tmp_path, text)
    assert (outcome.verdict, outcome.line) == ("unreadable", line)


def test_code_that_is_no_python_is_unreadable(tmp_path: Path) -> None:
    outcome = play(tmp_path, OPENING + "+0 %{\nassert tcpi_snd_cwnd ==\n}%\n")
    assert outcome.verdict == "unreadable"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("+0 sendfile(4, 5, [0], 10) = 10", "the socket call `sendfile`"),
        ("+0 setsockopt(4, SOL_TCP, TCP_MD5SIG, [1], 4) = 0", "the socket option `TCP_MD5SIG`"),
        ("+0 write(4, ..., 10) = -1 EAGAIN (Resource)", "a write of 10 bytes"),
        ("+0 < icmp unreachable frag_needed [1:1(0)]", "a packet of icmp"),
        ("+0 < R. 1:1(0) ack 1 win 0", "a packet with `R.`"),
        ("+0 %{ assert tcpi_pmtu == 1500 }%", "`tcpi_pmtu`"),
        ("+0 %{ import os }%", "the statement `import os`"),
        ("+0 %{ assert open('/etc/passwd') }%", "the expression"),
        ("+0 `iptables -A INPUT -j DROP`", "the command `iptables"),
        ("+0 close(4) = 0", "there is no FIN"),
        ("+0 < U. 1:101(100) ack 1 win 257 urg 100", "urgent data"),
        ("+0 < S 0:1000(1000) win 32792 <mss 1460>", "Fast Open"),
        ("+0 > S 0:0(0) <mss 1460,FO,nop,nop>", "Fast Open"),
        ("+0 sendto(4, ..., 1000, MSG_FASTOPEN, ..., ...) = -1 EINPROGRESS (in progress)", "Fast Open"),
        ("+0 write(4, ..., 10) = 10\n+0 write(4, ..., 10) = 10", "does not end at a whole segment"),
        ("+0 < . 1:501(500) ack 1 win 9\n+0 < . 501:701(200) ack 1 win 9", "no whole segments"),
    ],
)
def test_what_an_endpoint_does_not_have_is_skipped_with_its_reason(tmp_path: Path, text: str, said: str) -> None:
    outcome = play(tmp_path, OPENING + text)
    assert outcome.verdict == "skipped", outcome
    assert said in outcome.reason
    assert outcome.line is not None
    assert outcome.line > LINES


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("+0 > . 1:9001(9000) ack 1", "nothing was sent"),
        ("+0 write(4, ..., 2000) = 2000\n+0 > . 1:3001(3000) ack 1", "expected `> . 2001:3001(1000) ack 1`"),
        ("+0 write(4, ..., 2000) = 2000\n+0 > . 1:2001(2000) ack 2", "got `> . 1:1001(1000) ack 1`"),
        ("+0 write(4, ..., 2000) = 2000\n+0 > . 1:1501(1500) ack 1", "got `> . 1001:2001(1000) ack 1`"),
        ("+0 write(4, ..., 1000) = 1000\n+0 > [ect0] . 1:1001(1000) ack 1", "got `> . 1:1001(1000) ack 1`"),
        ("+0 write(4, ..., 1000) = 1000\n+0 > W. 1:1001(1000) ack 1", "got `> . 1:1001(1000) ack 1`"),
        ("+0 write(4, ..., 1000) = 1000\n+.1 > . 1:1001(1000) ack 1", "at 0.200000 s"),
        ("+0 write(4, ..., 1000) = 1000\n+.1~+.2 > . 1:1001(1000) ack 1", "at 0.200000 to 0.300000 s"),
        ("+0 < . 2001:3001(1000) ack 1 win 9\n+0 > . 1:1(0) ack 1 <sack 1001:2001>", "<sack 2001:3001>"),
        ("+0 %{ assert tcpi_snd_cwnd == 11 }%", "tcpi_snd_cwnd is 10"),
    ],
)
def test_what_does_not_hold_fails_at_its_line(tmp_path: Path, text: str, said: str) -> None:
    outcome = play(tmp_path, OPENING + text)
    assert outcome.verdict == "failed", outcome
    assert said in outcome.reason
    assert outcome.line == LINES + text.count("\n") + 1


def test_the_tolerance_is_four_milliseconds_or_an_eighth(tmp_path: Path) -> None:
    sent = "+0 write(4, ..., 1000) = 1000\n"
    assert play(tmp_path, OPENING + sent + "+.0039 > . 1:1001(1000) ack 1").verdict == "passed"
    assert play(tmp_path, OPENING + sent + "+.0041 > . 1:1001(1000) ack 1").verdict == "failed"
    wider = "--tolerance_usecs=20000\n" + OPENING + sent
    assert play(tmp_path, wider + "+.019 > . 1:1001(1000) ack 1").verdict == "passed"


def test_a_segment_may_be_shown_as_one_and_sent_as_several(tmp_path: Path) -> None:
    start = OPENING + "+0 write(4, ..., 4500) = 4500\n"
    for shown in (["1:4501(4500)"], ["1:2001(2000)", "2001:4501(2500)"], ["1:4001(4000)", "4001:4501(500)"]):
        text = start + "\n".join(f"+0 > P. {one} ack 1" for one in shown)
        assert play(tmp_path, text).verdict == "passed", shown


def test_an_ack_of_what_was_never_sent_is_dropped(tmp_path: Path) -> None:
    text = "+0 write(4, ..., 1000) = 1000\n+0 > . 1:1001(1000) ack 1\n+0 < . 1:1(0) ack 9001 win 4000\n"
    assert play(tmp_path, OPENING + text + "+0 %{ assert tcpi_unacked == 1 }%").verdict == "passed"


def test_a_close_ends_what_is_played_but_is_not_looked_at(tmp_path: Path) -> None:
    text = (
        OPENING
        + "+0 write(4, ..., 1000) = 1000\n+0 > . 1:1001(1000) ack 1\n+.1 < . 1:1(0) ack 1001 win 9\n+0 close(4) = 0\n"
    )
    assert play(tmp_path, text + "+0 > F. 1001:1001(0) ack 1\n+0 < F. 1:1(0) ack 1002 win 9").verdict == "passed"
    assert play(tmp_path, text + "+0 > R. 1001:1001(0) ack 1").verdict == "skipped"
    assert play(tmp_path, text + "+0 > F. 1001:1001(0) ack 1 <nop,nop,TS val 1 ecr 2>").verdict == "skipped"


def test_commands_set_what_the_endpoint_follows(tmp_path: Path) -> None:
    (tmp_path / "defaults.sh").write_text("sysctl -q net.ipv4.tcp_sack=1\n# sysctl -q net.ipv4.tcp_wrong=1\n", "utf-8")
    settings = shell.Settings()
    text = "./defaults.sh\nsysctl -q net.ipv4.tcp_congestion_control=vegas net.ipv4.tcp_reordering=5\n"
    text += "set_sysctls.py /proc/sys/net/ipv4/tcp_slow_start_after_idle=0 \\\n  /proc/sys/net/ipv4/tcp_timestamps=0\n"
    text += "tc qdisc replace dev tun0 root fq; ip tcp_metrics flush all > /dev/null 2>&1"
    shell.apply(settings, text, 1, tmp_path)
    about = setup(read(OPENING), settings)
    options = about.options
    assert (options["cc"], options["dup_threshold"]) == (scenarios.algorithm("vegas"), "5")
    assert options["slow_start_restart"] == "off"
    assert (options["mss"], options["timestamps"], options["pacing"]) == ("1000", "off", "off")
    assert (about.active, about.scale, about.stamps) == (False, 4, False)


def test_a_queue_that_spaces_packets_paces_in_pairs(tmp_path: Path) -> None:
    # ten at once; then a window of 14 segments twice per RTT, 2000 bytes each 7.14 ms, and half of that after a pause
    fair = "--tolerance_usecs=500\n`tc qdisc replace dev tun0 root fq`\n" + OPENING
    fair += "+0 write(4, ..., 20000) = 20000\n+0 > . 1:10001(10000) ack 1\n+.1 < . 1:1(0) ack 4001 win 4000\n"
    fair += "+0 > . 10001:12001(2000) ack 1\n"
    assert (
        play(tmp_path, fair + "+.0036 > . 12001:14001(2000) ack 1\n+.0071 > . 14001:16001(2000) ack 1").verdict
        == "passed"
    )
    assert play(tmp_path, fair + "+0 > . 12001:14001(2000) ack 1").verdict == "failed"
    # where no script shows what leaves, a packet in that queue has been sent
    waits = "`tc qdisc replace dev tun0 root fq`\n" + OPENING + "+0 write(4, ..., 20000) = 20000\n"
    assert play(tmp_path, waits + "+0 %{ assert tcpi_unacked == 10 }%").verdict == "passed"


def test_a_device_that_takes_nothing_sends_nothing(tmp_path: Path) -> None:
    full = OPENING + "+0 `tc qdisc replace dev tun0 root pfifo limit 0`\n+0 write(4, ..., 1000) = 1000\n"
    assert play(tmp_path, full + "+.1 %{ assert tcpi_unacked == 0 }%").verdict == "passed"
    assert "nothing was sent" in play(tmp_path, full + "+0 > . 1:1001(1000) ack 1").reason


def test_the_algorithm_of_the_socket_goes_before_that_of_the_kernel() -> None:
    text = OPENING + '+0 setsockopt(4, SOL_TCP, TCP_CONGESTION, "vegas", 5) = 0'
    assert setup(read(text), shell.Settings()).options["cc"] == scenarios.algorithm("vegas")
    with pytest.raises(Unsupported, match="`nv`"):
        setup(read(text.replace("vegas", "nv")), shell.Settings())


def test_without_sack_there_is_none(tmp_path: Path) -> None:
    about = setup(read(OPENING.replace("sackOK", "nop")), shell.Settings())
    assert about.options["recovery"] == "newreno"
    stamped = OPENING.replace("sackOK", "sackOK,TS val 1 ecr 0").replace("<...>", "<mss 1460,TS val 1 ecr 1>")
    assert setup(read(stamped), shell.Settings()).options["mss"] == "988"


@pytest.mark.parametrize(
    "command",
    ["sysctl -q net.ipv4.tcp_child_ehash_entries=1", "./missing/defaults.sh", "tc qdisc add dev tun0 root tbf"],
)
def test_settings_that_are_not_known_skip_a_script(tmp_path: Path, command: str) -> None:
    assert play(tmp_path, f"`{command}`\n{OPENING}").verdict == "skipped"


def test_assertions_are_a_small_part_of_python() -> None:
    info = {"snd_cwnd": 10.0, "ca_state": 3.0}
    names = Names(1, {}, info)
    check("cwnd = 9\ncwnd += 1\nassert tcpi_snd_cwnd == cwnd and 1 < cwnd <= 10, 'cwnd=%d' % cwnd", names)
    check("assert tcpi_ca_state == TCP_CA_Recovery; print(tcpi_ca_state)", names)
    check("assert not (tcpi_snd_cwnd // 3 != 3 or abs(-1) == 2)", names)
    with pytest.raises(Failed, match="tcpi_snd_cwnd is 10, cwnd is 10"):
        check("assert tcpi_snd_cwnd > cwnd", names)
    for code in ("assert (lambda: 1)()", "x = [1]", "for i in y: pass", "assert 2 ** 99", "assert __import__('os')"):
        with pytest.raises(Unsupported):
            check(code, names)


def invoke(*words: str) -> Any:
    return CliRunner().invoke(main, ["validate", "packetdrill", *words])


def test_the_command_says_what_came_of_each(tmp_path: Path) -> None:
    (tmp_path / "good.pkt").write_text(OPENING, encoding="utf-8")
    (tmp_path / "skip.pkt").write_text(OPENING + "+0 splice(4) = 0", encoding="utf-8")
    told = invoke(str(tmp_path))
    assert told.exit_code == 0, told.output
    assert "1 passed, 1 skipped" in told.stdout
    assert f"skip.pkt:{LINES + 1}" in told.stdout
    (tmp_path / "wrong.pkt").write_text(OPENING + "+0 > . 1:1(0) ack 1", encoding="utf-8")
    told = invoke(str(tmp_path), "--json")
    data = json.loads(told.stdout)
    assert told.exit_code == 1
    assert (data["passed"], data["failed"], data["skipped"], data["unreadable"]) == (1, 1, 1, 0)
    assert [one["verdict"] for one in data["scripts"]] == ["passed", "skipped", "failed"]


def test_paths_without_scripts_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no `.pkt` file"):
        find([tmp_path])
    told = invoke(str(tmp_path / "nowhere"))
    assert told.exit_code == 2
    assert "validate.script" in told.stderr


def test_a_chapter_takes_the_place_of_the_old_one_wherever_it_stands() -> None:
    page = "# Page\n\n## One\n\nold\n\n## Two\n\nkept\n"
    assert chapter_of(page, "## One") == "## One\n\nold\n\n"
    assert chapter_of(page, "## Three") == ""
    assert replace_chapter(page, "## One", ["## One", "", "new"]) == "# Page\n\n## One\n\nnew\n\n## Two\n\nkept\n"
    assert replace_chapter(page, "## Two", ["## Two", "", "new"]) == "# Page\n\n## One\n\nold\n\n## Two\n\nnew\n"
    assert replace_chapter(page, "## Three", ["## Three"]) == page + "\n## Three\n"
    assert replace_chapter("", "## Three", ["## Three"]) == "## Three\n"


def test_the_chapter_has_a_row_for_each_script(tmp_path: Path) -> None:
    (tmp_path / "sack").mkdir()
    outcomes = [Outcome(tmp_path / "sack/a.pkt", "passed"), Outcome(tmp_path / "b.pkt", "failed", 3, "a | b")]
    lines = pages.chapter(outcomes, tmp_path)
    assert {"| sack/a.pkt | passed |  |  |", r"| b.pkt | failed | 3 | a \| b |"} < set(lines)
    assert lines[-1] == "- b.pkt: not explained yet"
    assert any("2 scripts: 1 passed, 1 failed." in line for line in lines)
