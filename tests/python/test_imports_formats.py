"""`windlass import` of what tools print: ping, iperf3, Flent, ss, CSV. The samples are made here, in their formats."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

import windlass
from windlass.errors import InputError
from windlass.imports import KINDS, import_path


def put(name: str, text: str | bytes) -> Path:
    file = Path(name)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


# ---- ping


def ping(*, count: int = 400, dated: bool = False, lost: float = 0.05, seed: int = 1, summary: bool = True) -> str:
    """A log of iputils: 30 ms and exponential jitter of 2 ms, independent losses, ten packets a second."""
    draw = random.Random(seed)
    lines = ["PING gateway (192.0.2.1) 56(84) bytes of data."]
    received = 0
    for number in range(1, count + 1):
        rtt = 30.0 + draw.expovariate(1 / 2.0)
        if draw.random() < lost:
            continue
        received += 1
        date = f"[{1_700_000_000 + 0.1 * number + rtt / 1e3:.6f}] " if dated else ""
        lines.append(f"{date}64 bytes from 192.0.2.1: icmp_seq={number % 65536} ttl=64 time={rtt:.3g} ms")
    share = f"{100.0 * (count - received) / count:.6g}"
    lines += [
        "",
        "--- gateway ping statistics ---",
        f"{count} packets transmitted, {received} received, {share}% packet loss, time {100 * (count - 1)}ms",
        "rtt min/avg/max/mdev = 30.012/32.011/41.800/2.010 ms",
    ]
    return "\n".join(lines[:-4] if not summary else lines) + "\n"


@pytest.mark.parametrize("dated", [False, True])
def test_a_ping_gives_delay_jitter_and_loss(dated: bool) -> None:
    path = import_path(put("a.ping", ping(dated=dated)))
    assert path.format == "ping"
    assert path.base_rtt is not None and path.base_rtt.interval.contains(0.030)
    assert path.jitter is not None and path.jitter.model == "exponential"
    assert path.jitter.size.interval.contains(0.002)
    assert path.loss is not None and path.loss.model == "independent"
    assert path.loss.packets == 400
    assert path.loss.rate.interval.contains(0.05)
    assert (path.rate, path.queue) == (None, None)
    assert ("have no times" in " ".join(path.notes)) is not dated
    assert "guess" in path.toml()  # of the rate


def test_a_ping_in_bursts_is_seen_in_time() -> None:
    """An outage of 2 s every 20 s on average, ten pings a second."""
    draw = random.Random(4)
    lines, until, bad = ["PING a (192.0.2.1) 56(84) bytes of data."], 0.0, True
    for number in range(1, 6001):
        at = 0.1 * number
        while until <= at:
            bad, until = not bad, until + draw.expovariate(1 / (18.0 if bad else 2.0))
        if not bad:
            lines.append(
                f"[{1_700_000_000 + at + 0.03:.6f}] 64 bytes from 192.0.2.1: icmp_seq={number} ttl=64 time=30.0 ms"
            )
    path = import_path(put("bursts.ping", "\n".join(lines)))
    assert path.loss is not None and path.loss.burst is not None
    assert path.loss.model == "gilbert per time"
    assert path.loss.burst.interval.contains(2.0)
    assert path.loss.rate.interval.contains(0.1)
    assert path.loss.p_value is not None and path.loss.p_value < 1e-6


def test_what_ping_says_beside_answers() -> None:
    log = """PING6 a(2001:db8::1) 56 data bytes
64 bytes from 2001:db8::1: icmp_seq=65534 ttl=57 time=10.1 ms
64 bytes from 2001:db8::1: icmp_seq=65534 ttl=57 time=10.2 ms (DUP!)
no answer yet for icmp_seq=65535
64 bytes from 2001:db8::1: icmp_seq=0 ttl=57 time=10.3 ms
From 2001:db8::9 icmp_seq=1 Destination unreachable: No route
64 bytes from 2001:db8::1: icmp_seq=2 ttl=57 time=10.2 ms
"""
    path = import_path(put("six.log", log))
    assert path.loss is not None
    assert (path.loss.lost, path.loss.packets) == (2, 5)
    text = " ".join(path.notes)
    assert "1 packets were answered twice" in text
    assert "1 errors of routers" in text
    mac = "PING a (192.0.2.1): 56 data bytes\n64 bytes from 192.0.2.1: icmp_seq=0 ttl=57 time=12.31 ms\n"
    mac += "Request timeout for icmp_seq 1\n64 bytes from 192.0.2.1: icmp_seq=2 ttl=57 time=12.4 ms\n"
    loss = import_path(put("mac.log", mac)).loss
    assert loss is not None and (loss.lost, loss.packets) == (1, 3)


def answers(form: str, *, count: int = 40, missing: tuple[int, ...] = (7, 20), first: int = 1) -> str:
    """Lines of answers, 20.1 ms and a little more, but for some."""
    return "".join(
        form.format(seq=number, rtt=f"{20.1 + number % 7 / 10:.3f}", at=f"12:00:{number:02d}") + "\n"
        for number in range(first, first + count)
        if number not in missing
    )


FORMS: list[tuple[str, str]] = [
    ("PING a (192.0.2.1): 56 data bytes\n", "64 bytes from 192.0.2.1: seq={seq} ttl=57 time={rtt} ms"),
    ("PING a (192.0.2.1) 56(84) bytes of data.\n", "64 bytes from a (192.0.2.1): icmp_req={seq} ttl=57 time={rtt} ms"),
    (
        "Wed Jan 01 12:00:00 UTC 2025: PING a (192.0.2.1): 56 data bytes\n",
        "Wed Jan 01 {at} UTC 2025: 64 bytes from 192.0.2.1: icmp_seq={seq} ttl=57 time={rtt} ms",
    ),
    ("", "2025-01-01 {at}.000 64 bytes from 192.0.2.1: icmp_seq={seq} ttl=57 time={rtt} ms"),
    (
        "PING6(56=40+8+8 bytes) 2001:db8::2 --> 2001:db8::1\n",
        "16 bytes from 2001:db8::1, icmp_seq={seq} hlim=57 time={rtt} ms",
    ),
]


@pytest.mark.parametrize(("head", "form"), FORMS)
def test_pings_of_other_programs(head: str, form: str) -> None:
    path = import_path(put("a.log", head + answers(form)))
    assert path.format == "ping"
    assert path.base_rtt is not None and path.base_rtt.interval.contains(0.0201)
    assert path.loss is not None and (path.loss.lost, path.loss.packets) == (2, 40)
    assert ("have no times" in " ".join(path.notes)) is ("{at}" not in form)


def test_a_ping_of_windows() -> None:
    lines = ["", "Pinging a.example [192.0.2.1] with 32 bytes of data:"]
    lines += ["Reply from 192.0.2.1: bytes=32 time=13ms TTL=57", "Request timed out."] * 10
    lines += ["Reply from 192.0.2.9: Destination host unreachable.", "Reply from 192.0.2.1: bytes=32 time=12ms TTL=57"]
    lines += ["", "Ping statistics for 192.0.2.1:", "    Packets: Sent = 22, Received = 12, Lost = 10 (45% loss),"]
    path = import_path(put("w.log", "\r\n".join(lines)))
    assert path.loss is not None and (path.loss.lost, path.loss.packets) == (11, 22)
    assert path.base_rtt is not None and path.base_rtt.interval.contains(0.0125)
    quick = "\n".join(lines).replace("time=12ms", "time<1ms")
    base = import_path(put("w.log", quick)).base_rtt
    assert base is not None and base.kind == "at most"


def test_pings_to_several_hosts_are_several_paths() -> None:
    near, far = (
        f"PING {name} ({at}) 56(84) bytes of data.\n"
        + answers(f"64 bytes from {at}: icmp_seq={{seq}} ttl=57 time={{rtt}} ms")
        for name, at in (("near", "192.0.2.1"), ("far", "198.51.100.1"))
    )
    far = far.replace("time=2", "time=12")
    mixed = "\n".join(line for pair in zip(near.splitlines(), far.splitlines(), strict=True) for line in pair)
    for text in (near + far, mixed):
        file = put("hosts.log", text)
        with pytest.raises(InputError, match="pings to 2 hosts") as caught:
            import_path(file)
        assert (caught.value.code, caught.value.hint) == (
            "import.flow",
            "choose one with --flow: 1: 192.0.2.1; 2: 198.51.100.1",
        )
        for flow, base in (("1", 0.0201), ("198.51", 0.1201)):
            path = import_path(file, flow=flow)
            assert path.base_rtt is not None and path.base_rtt.interval.contains(base)
            assert path.loss is not None and (path.loss.lost, path.loss.packets) == (2, 40)
            assert "Not used: pings to" in " ".join(path.notes)


def test_jumps_of_numbers_are_losses_only_if_something_tells_that_packets_were_sent() -> None:
    form = "64 bytes from 192.0.2.1: icmp_seq={seq} ttl=57 time={rtt} ms"
    head = "PING a (192.0.2.1) 56(84) bytes of data.\n"
    parts = answers(form) + answers(form, first=30_000) + answers(form, first=60_000)
    odd = parts + form.format(seq=10**20, rtt="20.1", at="") + "\n" + form.format(seq=9, rtt="1e9", at="") + "\n"
    path = import_path(put("a.log", head + odd))
    assert path.loss is not None and (path.loss.lost, path.loss.packets) == (2, 120)
    notes = " ".join(path.notes)
    assert "The numbers jump over 59919 packets" in notes and "1 line with a number" in notes
    told = parts + "\n--- a ping statistics ---\n60039 packets transmitted, 118 received, 99% packet loss\n"
    path = import_path(put("a.log", head + told))
    assert path.loss is not None and (path.loss.lost, path.loss.packets) == (60039 - 118, 60039)
    tail = import_path(put("a.log", head + answers(form, first=30_000))).loss  # the first part was cut off
    assert tail is not None and (tail.lost, tail.packets) == (0, 40)
    again = import_path(put("a.log", answers(form) + answers(form)))
    assert again.loss is not None and (again.loss.lost, again.loss.packets) == (4, 80)


# ---- iperf3


def iperf(protocol: str = "TCP", seconds: int = 10, **more: Any) -> dict[str, Any]:
    """A document of iperf3 3.16: 20 Mbit/s and a round trip of 25 ms or more."""
    draw = random.Random(2)
    intervals = []
    for second in range(seconds):
        rate = 20e6 * draw.uniform(0.97, 1.03)
        common: dict[str, Any] = {"start": float(second), "end": second + 1.0, "seconds": 1.0, "bytes": int(rate / 8)}
        common |= {"bits_per_second": rate, "omitted": second == 0}
        if protocol == "TCP":
            own: dict[str, Any] = {
                "retransmits": draw.randrange(4),
                "snd_cwnd": 90000,
                "rtt": draw.randrange(26000, 40000),
            }
            own |= {"rttvar": 900, "pmtu": 1500}
        else:
            own = {"jitter_ms": 0.4, "lost_packets": draw.randrange(15, 25), "packets": 1700, "lost_percent": 1.1}
        stream = {"socket": 5, **common, **own, "sender": True}
        total = {
            key: value for key, value in stream.items() if key not in ("socket", "snd_cwnd", "rtt", "rttvar", "pmtu")
        }
        intervals.append({"streams": [stream], "sum": total})
    sender = {
        "socket": 5,
        "start": 0,
        "end": seconds,
        "max_rtt": 41000,
        "min_rtt": 25000,
        "mean_rtt": 32000,
        "sender": True,
    }
    end: dict[str, Any] = {"streams": [{"sender": sender, "receiver": {"socket": 5}}]}
    if protocol == "UDP":
        end = {"streams": [{"udp": {}}], "sum": {"jitter_ms": 0.41, "lost_packets": 200, "packets": 17000}}
    start = {
        "version": "iperf 3.16",
        "test_start": {"protocol": protocol, "num_streams": 1, "reverse": 0, "duration": seconds},
    }
    return {"start": start, "intervals": intervals, "end": end, **more}


def test_iperf3_of_tcp_gives_rate_and_delay_and_no_loss() -> None:
    path = import_path(put("t.json", json.dumps(iperf())))
    assert path.format == "iperf3"
    assert path.rate is not None and path.rate.interval.contains(20e6)
    assert path.rate.interval.n == 9  # the first second is omitted
    assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(0.025)
    assert path.loss is None
    assert "they are not losses" in " ".join(path.notes)
    assert 'loss = "' not in path.toml()


def streamed(document: dict[str, Any]) -> list[str]:
    """The lines of `--json-stream`."""
    events = [("start", document["start"])]
    events += [("interval", one) for one in document["intervals"]]
    events += [("end", document["end"])]
    return [json.dumps({"event": kind, "data": data}, separators=(",", ":")) for kind, data in events]


@pytest.mark.parametrize("protocol", ["TCP", "UDP"])
def test_iperf3_line_by_line_is_the_same(protocol: str) -> None:
    document = iperf(protocol)
    whole = import_path(put("a.json", json.dumps(document)))
    stream = import_path(put("a.json", "\n".join(streamed(document)) + "\n"))
    assert (stream.format, stream.to_dict()) == ("iperf3", whole.to_dict())


def test_iperf3_line_by_line_that_was_stopped() -> None:
    lines = streamed(iperf(seconds=10))
    path = import_path(put("a.json", "\n".join(lines[:8]) + "\n" + lines[8][:40]))
    assert "6 intervals" in " ".join(path.facts)  # and one that is omitted
    assert path.rate is not None and path.rate.value == pytest.approx(20e6, rel=0.1)
    with pytest.raises(InputError, match="not JSON") as caught:
        import_path(put("a.json", "\n".join([*lines[:3], lines[3][:40], *lines[4:]])))
    assert (caught.value.code, caught.value.line) == ("import.broken", 4)
    with pytest.raises(InputError, match="iperf3 failed: unable to connect"):
        import_path(put("a.json", lines[0] + '\n{"event":"error","data":"unable to connect"}\n'))


def test_iperf3_of_udp_counts_losses() -> None:
    path = import_path(put("u.json", json.dumps(iperf("UDP"))))
    assert path.loss is not None and path.loss.rate.interval.contains(200 / 17000)
    assert path.base_rtt is None
    assert "differ as independent ones do" in " ".join(path.notes)


def test_iperf3_whose_losses_come_in_some_intervals_only() -> None:
    document = iperf("UDP")
    for number, one in enumerate(document["intervals"]):
        one["sum"]["lost_packets"] = 180 if number == 4 else 0
    assert "they come in bursts" in " ".join(import_path(put("u.json", json.dumps(document))).notes)


def tcp_of(sent: float, received: float | None, seconds: int = 5, **more: Any) -> dict[str, Any]:
    """A TCP test of a client: what its sender counted, and the receiver, in Mbit/s."""
    document = iperf(seconds=seconds)
    for one in document["intervals"]:
        for part in (one["sum"], one["streams"][0]):
            part |= {"bits_per_second": 1e6 * sent, "bytes": 125_000 * sent, "omitted": False, "sender": True}
    if received is not None:
        document["end"]["sum_received"] = {"bits_per_second": 1e6 * received, "seconds": seconds + 0.05}
    return document | more


def udp_of(sent: float, received: float, *, server: bool = False, seconds: int = 10) -> dict[str, Any]:
    """A UDP test, in Mbit/s: seen by its sender, or by the server that received it, over a link that passes the same
    number of packets each second."""
    per_s, passed = round(125_000 * sent / 1448), round(125_000 * received / 1448)
    intervals = []
    for second in range(seconds):
        own: dict[str, Any] = {
            "start": float(second),
            "end": second + 1.0,
            "omitted": False,
            "sender": not server,
            "packets": per_s,
        }
        own |= {"bits_per_second": 1e6 * (received if server else sent)}
        own |= {"lost_packets": per_s - passed + second % 2, "jitter_ms": 0.4} if server else {}
        intervals.append({"streams": [own], "sum": own})
    total = {"packets": per_s * seconds, "lost_packets": (per_s - passed) * seconds, "jitter_ms": 0.4}
    end = {"sum": total | {"bits_per_second": 1e6 * sent}}
    if not server:
        end["sum_received"] = total | {"bits_per_second": 1e6 * received}
    start: dict[str, Any] = {"test_start": {"protocol": "UDP", "num_streams": 1, "reverse": 0}}
    return {"start": start | ({"accepted_connection": {}} if server else {}), "intervals": intervals, "end": end}


def iperf_path(*documents: dict[str, Any], before: str = "", after: str = "", **more: Any) -> windlass.ImportedPath:
    text = before + "\n".join(json.dumps(one, indent=1) for one in documents) + "\n" + after
    return import_path(put("a.json", text), **more)


def test_iperf3_takes_the_receivers_count_where_it_is_there() -> None:
    path = iperf_path(tcp_of(12.2, 9.5))
    assert path.rate is not None and path.rate.value == pytest.approx(9.5e6)
    assert path.rate.interval.contains(10e6)
    assert "The sender counted 12.2 Mbps" in " ".join(path.notes)
    traced = iperf_path(tcp_of(12.2, 9.5), rate="trace")
    assert traced.trace is not None and len(traced.trace) == int(5 * 9.5e6 / 8 / 1504)
    alone = iperf_path(tcp_of(12.2, None))
    assert alone.rate is not None and alone.rate.interval.lo < 12.2e6  # buffers held some of it
    assert "Only the sender's count is there" in " ".join(alone.notes)


@pytest.mark.parametrize("server", [False, True])
@pytest.mark.parametrize("sent", [10.3, 12.0, 50.0])
def test_iperf3_of_udp_faster_than_the_link(sent: float, server: bool) -> None:
    """Where only totals are known (the client), losses of some per cent may be of either kind: an upper bound."""
    path = iperf_path(udp_of(sent, 10.0, server=server))
    assert path.rate is not None and path.rate.value == pytest.approx(10e6, rel=0.01)
    assert path.rate.interval.contains(10.2e6)
    most = path.loss_most if path.loss is None else path.loss.rate
    assert most is not None and most.kind == "at most" and most.interval.contains(0.0)
    if server or sent > 11.0:
        assert path.loss is None
        assert 'loss = "' not in path.toml()
        assert "to a full queue" in " ".join(path.notes)


def test_iperf3_both_ways_takes_the_one_that_carried_more_and_says_both() -> None:
    document = tcp_of(8.0, 7.9)
    for one in document["intervals"]:
        one["sum_bidir_reverse"] = one["sum"] | {"bits_per_second": 90e6, "sender": False}
    document["end"]["sum_received_bidir_reverse"] = {"bits_per_second": 90e6}
    path = iperf_path(document)
    assert rate_of(path) == pytest.approx(90e6)
    assert "from the server" in path.facts[0]
    assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(0.025)
    assert "to the server it counted 8 Mbps" in " ".join(path.notes)
    assert rate_of(iperf_path(document, flow="to the server")) == pytest.approx(7.9e6)


@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("server", [False, True])
def test_iperf3_knows_the_direction_at_both_ends(reverse: int, server: bool) -> None:
    document = iperf()
    document["start"]["test_start"]["reverse"] = reverse
    document["start"] |= {"accepted_connection": {}} if server else {}
    for one in document["intervals"]:
        one["sum"]["sender"] = bool(reverse) is server
    assert ("from the server" if reverse else "to the server") in iperf_path(document).facts[0]
    for one in document["intervals"]:  # older versions do not say it
        del one["sum"]["sender"]
    assert ("from the server" if reverse else "to the server") in iperf_path(document).facts[0]


def test_iperf3_with_lines_around_it_and_several_tests() -> None:
    alone = iperf_path(tcp_of(12.2, 9.5))
    for around in ({"before": "Warning: x\n-----\nServer listening on 5201\n"}, {"after": "iperf3: error - broken\n"}):
        path = iperf_path(tcp_of(12.2, 9.5), **around)
        assert path.rate == alone.rate
        assert "Not used: lines around the JSON: `" in " ".join(path.notes)
    stream = "\n".join(["warning: x", *streamed(tcp_of(12.2, 9.5)), "iperf3: interrupt"])
    assert import_path(put("a.json", stream)).rate == alone.rate
    failed = {"start": {}, "intervals": [], "error": "busy"}
    several = (tcp_of(5.0, 5.0), failed, tcp_of(12.2, 9.5), tcp_of(7.0, 7.0, seconds=2))
    path = iperf_path(*several, before="Server listening on 5201\n", after='{\n "start": {\n')
    assert path.rate == alone.rate
    notes = " ".join(path.notes)
    assert "The file has 4 tests" in notes and "1 have no interval that counts" in notes and "is not whole" in notes
    assert rate_of(iperf_path(*several, flow="3")) == pytest.approx(7e6)
    with pytest.raises(InputError, match="3 tests or directions match `line`"):
        iperf_path(*several, flow="line")


def test_iperf3_that_stopped_is_read_as_far_as_it_goes() -> None:
    document = tcp_of(20.0, None, seconds=60, end={}, error="error - control socket has closed unexpectedly")
    path = iperf_path(document)
    assert rate_of(path) == pytest.approx(20e6)
    assert "60 intervals" in path.facts[0]
    assert "ended with an error (error - control socket has closed" in " ".join(path.notes)


# ---- Flent


def flent(loaded: bool = True) -> dict[str, Any]:
    """A document of Flent, version 4: pings of 20 ms, 35 under load, beside a download of 40 Mbit/s."""
    draw = random.Random(3)
    x = [0.2 * step for step in range(200)]
    pings = [20.1 + draw.random() + (15.0 if loaded and 5.0 < at < 35.0 else 0.0) for at in x]
    rates: list[float | None] = [40.0 * draw.uniform(0.98, 1.02) if 5.0 < at < 35.0 else None for at in x]
    results: dict[str, Any] = {"Ping (ms) ICMP": pings}
    if loaded:
        results |= {"TCP download BE": rates, "TCP download sum": rates, "TCP download BE::tcp_cwnd": rates}
    raw = [
        {"seq": number + 1, "t": 1.7e9 + at, "val": value}
        for number, (at, value) in enumerate(zip(x, pings, strict=True))
    ]
    units = {"Ping (ms) ICMP": {"UNITS": "ms"}, "TCP download BE": {"UNITS": "Mbits/s"}}
    return {
        "version": 4,
        "metadata": {"NAME": "tcp_download", "TITLE": "attic", "SERIES_META": units},
        "x_values": x,
        "results": results,
        "raw_values": {"Ping (ms) ICMP": [one for one in raw if one["seq"] % 50]},
    }


def test_flent_packed_or_not() -> None:
    text = json.dumps(flent()).encode()
    for file in (put("a.flent", text), put("a.flent.gz", gzip.compress(text))):
        path = import_path(file)
        assert (path.format, path.name) == ("flent", "a")
        assert path.rate is not None and path.rate.interval.contains(40e6)
        assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(0.0201, abs=0.0003)
        assert path.loss is not None and (path.loss.lost, path.loss.packets) == (3, 199)  # of 199: 50, 100, 150
        assert "the queue holds" in " ".join(path.notes)


def test_flent_of_pings_alone() -> None:
    path = import_path(put("idle.flent", json.dumps(flent(loaded=False))))
    assert path.rate is None
    assert path.jitter is not None


def flows_of(
    flows: dict[str, float],
    pings: dict[str, float],
    *,
    dur: float = 0.2,
    rows: bool = True,
    hosts: tuple[str, ...] = (),
) -> dict[str, Any]:
    """A document of Flent: flows (Mbit/s) from 5 s to 25 s of 30, pings (base RTT in ms) that wait 60 ms meanwhile.

    Flows report every `dur` seconds, each at its own times.
    """
    draw, steps = random.Random(5), 150
    x = [round(0.2 * step, 3) for step in range(steps)]
    results: dict[str, list[float | None]] = {}
    raw: dict[str, list[dict[str, Any]]] = {}
    for name, base in pings.items():
        values = [round(base + (60.0 if 5.0 <= at < 25.0 else 0.0) + draw.random(), 2) for at in x]
        results[name] = list(values)
        raw[name] = [
            {"seq": step, "t": 1.7e9 + at, "val": value} for step, (at, value) in enumerate(zip(x, values, strict=True))
        ]
    every = round(dur / 0.2)
    for place, (name, rate) in enumerate(flows.items()):
        ends = range(25 + every + place % every, 126, every)
        results[name] = [rate if step in ends else None for step in range(steps)]
        raw[name] = [{"dur": dur, "t": 1.7e9 + x[step], "val": rate} for step in ends]
    meta: dict[str, Any] = {name: {"UNITS": "ms"} for name in pings} | {name: {"UNITS": "Mbits/s"} for name in flows}
    return {
        "version": 4,
        "metadata": {"NAME": "rrul", "SERIES_META": meta, "HOSTS": list(hosts)},
        "x_values": x,
        "results": results,
        "raw_values": raw if rows else {},
    }


def flent_path(document: dict[str, Any], **more: Any) -> windlass.ImportedPath:
    return import_path(put("a.flent", json.dumps(document)), **more)


def rate_of(path: windlass.ImportedPath) -> float:
    assert path.rate is not None
    return path.rate.value


def test_flent_with_many_flows_of_one_name() -> None:
    document = flows_of({f"TCP upload::{number}": 5.2 for number in range(1, 13)}, {"Ping (ms) ICMP": 20.0})
    for name in ("TCP upload sum", "TCP upload::1::tcp_cwnd", "TCP upload::tcp_rtt"):
        document["results"][name] = document["results"]["TCP upload::1"]
    path = flent_path(document)
    assert path.rate is not None and path.rate.value == pytest.approx(12 * 5.2e6, rel=0.001)
    assert path.rate.interval.contains(12 * 5.2e6 * 1500 / 1448)
    assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(0.020, abs=0.0005)
    assert path.jitter is None  # what pings waited is the load's queue
    notes = " ".join(path.notes)
    assert "the queue holds" in notes and "Not used: `TCP upload sum`, `TCP upload::1::tcp_cwnd`" in notes


def test_flent_takes_the_direction_that_got_more_with_names_of_any_kind() -> None:
    flows = {f"TCP download BE::{number}": 26.0 for number in range(1, 5)} | {"TCP upload BE": 6.0}
    path = flent_path(flows_of(flows, {"Ping (ms) ICMP": 20.0}))
    assert rate_of(path) == pytest.approx(104e6, rel=0.001)
    assert "upload 6.00 Mbps" in " ".join(path.notes)


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize("dur", [0.4, 1.0, 2.0])
def test_flent_flows_that_report_seldom_are_not_idle_meanwhile(rows: bool, dur: float) -> None:
    names = ("TCP upload BE", "TCP upload BE2", "TCP upload BE3", "TCP upload BE4")
    path = flent_path(flows_of(dict.fromkeys(names, 0.25), {"Ping (ms) ICMP": 20.0}, dur=dur, rows=rows))
    assert rate_of(path) == pytest.approx(1e6, rel=0.02)


def test_flent_flows_that_start_one_after_the_other_are_counted_while_most_run() -> None:
    document = flows_of({f"TCP upload::{number}": 2.0 for number in range(1, 11)}, {"Ping (ms) ICMP": 20.0})
    for number in range(1, 11):
        rows = document["raw_values"][f"TCP upload::{number}"]
        del rows[: 8 * number]
    assert rate_of(flent_path(document)) >= 15e6  # 20 Mbit/s while all run, 11 or more while half of them do


def test_flent_rows_that_say_lost_were_not_answered() -> None:
    document = flows_of({"TCP upload": 9.4}, {"Ping (ms) UDP BE": 20.0})
    rows = document["raw_values"]["Ping (ms) UDP BE"]
    for place in range(30, 130, 10):
        rows[place] = {"seq": place, "t": rows[place]["t"], "val": 99.0, "lost": True, "lost_dir": "up"}
    path = flent_path(document)
    assert path.loss is not None and (path.loss.lost, path.loss.packets) == (10, 150)
    assert "10 were lost on the way up and 0 on the way down" in " ".join(path.notes)
    for row in rows:
        row["lost"] = True
    path = flent_path(document)
    assert (path.base_rtt, path.loss) == (None, None)
    assert "No ping of `Ping (ms) UDP BE` was answered" in " ".join(path.notes)


def test_flent_of_several_hosts_is_of_one_of_them() -> None:
    hosts = {"near.example": (30.0, 10.0), "mid.example": (20.0, 50.0), "far.example": (9.0, 200.0)}
    flows = {f"TCP upload BE{place} {host}": rate for place, (host, (rate, _)) in enumerate(hosts.items())}
    pings = {f"Ping (ms) ICMP{place} {host}": base for place, (host, (_, base)) in enumerate(hosts.items())}
    document = flows_of(flows, pings, hosts=tuple(hosts))
    for flow, (rate, base) in (
        (None, hosts["near.example"]),
        ("3", hosts["far.example"]),
        ("mid", hosts["mid.example"]),
    ):
        path = flent_path(document, flow=flow)
        assert rate_of(path) == pytest.approx(1e6 * rate, rel=0.001)
        assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(base / 1e3, abs=0.0005)
        assert "several hosts, and so several paths" in " ".join(path.notes)
    with pytest.raises(InputError, match="no hosts match `nowhere`"):
        flent_path(document, flow="nowhere")


def test_flent_hosts_are_known_from_commands_and_names_as_well() -> None:
    flows = {"TCP upload::1": 30.0, "TCP upload::2": 9.0, "TCP upload 192.0.2.7": 1.0}
    document = flows_of(flows, {"Ping (ms) ICMP": 10.0, "Ping (ms) ICMP2": 200.0})
    hosts = {"TCP upload::1": "near", "TCP upload::2": "far", "Ping (ms) ICMP": "near", "Ping (ms) ICMP2": "far"}
    for name, host in hosts.items():
        command = f"/usr/bin/fping -D {host}" if "Ping" in name else f"netperf -H {host} -t TCP_STREAM -- -H {host}"
        document["metadata"]["SERIES_META"][name]["COMMAND"] = command
    for flow, rate, base in ((None, 30.0, 0.010), ("far", 9.0, 0.200)):
        path = flent_path(document, flow=flow)
        assert rate_of(path) == pytest.approx(1e6 * rate, rel=0.001)
        assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(base, abs=0.0005)
    assert flent_path(document, flow="192.0").base_rtt is None


def test_flent_pings_of_netperf_are_requests_per_second_in_their_rows() -> None:
    document = flows_of({"TCP upload": 9.4}, {"Ping (ms) UDP BE": 20.0})
    for row in document["raw_values"]["Ping (ms) UDP BE"]:
        row |= {"dur": 0.2, "val": 1e3 / row["val"]}
        del row["seq"]
    path = flent_path(document)
    assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(0.020, abs=0.0005)
    assert path.loss is None


def test_flent_rows_without_a_time_are_not_used() -> None:
    document = flows_of({"TCP upload": 9.4}, {"Ping (ms) ICMP": 20.0})
    for rows in document["raw_values"].values():
        for row in rows:
            row["t"] = None
    path = flent_path(document)
    assert rate_of(path) == pytest.approx(9.4e6)
    assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(0.020, abs=0.0005)
    assert path.loss is None


def test_flent_says_what_it_cannot_know_of_a_load_or_a_delay() -> None:
    sent = flows_of({"UDP upload": 50.0}, {"Ping (ms) ICMP": 20.0})  # what was sent, not what arrived
    path = flent_path(sent)
    assert (path.rate, path.jitter) == (None, None)
    assert path.base_rtt is not None and path.base_rtt.kind == "at most"
    loaded = flows_of({"TCP upload": 9.4}, {"Ping (ms) ICMP": 20.0})
    loaded["raw_values"]["Ping (ms) ICMP"] = loaded["raw_values"]["Ping (ms) ICMP"][30:120]
    path = flent_path(loaded)
    assert path.base_rtt is not None and path.base_rtt.kind == "at most" and path.base_rtt.interval.contains(0.020)
    assert "under load only" in " ".join(path.notes)


# ---- ss


def ss(samples: int = 20, dated: bool = True) -> str:
    """A log of `ss -tin`: 16 Mbit/s, least RTT 18.3 ms, a retransmission in two hundred packets."""
    out = []
    for number in range(samples):
        acked, sent = 2_000_000 * number + 1, 1400 * number + 10
        out += [f"{1_700_000_000 + number}.{'123456789'}"] if dated else []
        out += [
            "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process",
            "ESTAB 0      289600       [2001:db8::2]:40000 [2001:db8::1]:5201",
            (
                f"\t cubic wscale:7,7 rto:240 rtt:{25 + number % 5}.5/1.2 ato:40 mss:1428 pmtu:1500 rcvmss:536"
                f" advmss:1428 cwnd:60 ssthresh:50 bytes_sent:{acked + 99} bytes_retrans:{7 * number * 1428}"
                f" bytes_acked:{acked} segs_out:{sent} segs_in:700 data_segs_out:{sent} send 27Mbps lastrcv:9"
                f" pacing_rate 32Mbps delivery_rate 15.9Mbps delivered:{sent}"
                f" busy:100ms unacked:60 retrans:0/{7 * number} dsack_dups:{number // 10} rcv_space:14280 minrtt:18.3"
            ),
        ]
    return "\n".join(out) + "\n"


@pytest.mark.parametrize("dated", [True, False])
def test_ss_with_and_without_times(dated: bool) -> None:
    path = import_path(put("ss.log", ss(dated=dated)))
    assert path.format == "ss"
    assert path.rate is not None and path.rate.value == pytest.approx(16e6 if dated else 15.9e6)
    assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(0.0183)
    assert path.loss is not None and (path.loss.lost, path.loss.packets) == (7 * 19 - 1, 1400 * 19)
    assert ("have no times" in " ".join(path.notes)) is not dated


def test_ss_whose_clock_was_set_back() -> None:
    """Samples of 2 MB a second; the last one says the time of the first."""
    text = ss()
    path = import_path(put("ss.log", text.replace("1700000019.", "1700000000.")))
    assert rate_of(path) == pytest.approx(16e6)


def test_ss_of_several_connections() -> None:
    other = ss(3).replace("40000", "40001")  # sent less, and a longer log of a connection that sent nothing
    idle = ss(40).replace("40000", "40002").replace("bytes_acked:", "bytes_unacked:")
    file = put("ss.log", idle + ss() + other)
    assert "40000" in import_path(file).facts[0]
    assert "40001" in import_path(file, flow="40001").facts[0]
    assert "40001" in import_path(file, flow="2").facts[0]
    with pytest.raises(InputError, match="no connections match `9`"):
        import_path(file, flow="9")


@pytest.mark.parametrize("date", ["1700000000", "1700000000123", "1700000000123456789", "2025-01-01 12:00:00 CET"])
def test_ss_with_other_dates_and_without_states(date: str) -> None:
    """`ss state established` leaves the first column out."""
    text = ss(dated=False).replace("State Recv-Q", "Recv-Q").replace("ESTAB 0", "0")
    blocks = text.split("Recv-Q")[1:]
    stamps = [date[:8] + f"{number:02d}" + date[10:] for number in range(20)]
    if ":" in date:
        stamps = [date.replace(":00 ", f":{number:02d} ") for number in range(20)]
    path = import_path(put("ss.log", "".join(f"{at}\nRecv-Q{one}" for at, one in zip(stamps, blocks, strict=True))))
    assert path.rate is not None and path.rate.value == pytest.approx(16e6)
    assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(0.0183)


# ---- CSV


def test_a_table_of_rates_becomes_a_trace() -> None:
    file = put("cell.csv", "time_s,rate_mbps,rtt_ms\n0,12,40\n1,6,41\n2,0,45\n3,12,40.5\n")
    path = import_path(file)
    assert path.rate is not None and path.rate.value == pytest.approx(7.5e6)
    assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(0.04)
    assert path.trace is not None
    # 12 Mbit/s is 997 packets of 1504 B in a second
    assert sum(at <= 1000 for at in path.trace) == 997
    assert len([at for at in path.trace if 2000 < at <= 3000]) <= 1
    assert len(path.trace) == int(30e6 / 8 / 1504)
    toml, mahi = path.write("cell.toml")
    assert (toml.name, mahi.name) == ("cell.toml", "cell.mahi")
    scenario = windlass.load("cell.toml")
    assert scenario.points()[0].opportunities("bottleneck")[:900] == path.trace[:900]
    assert (
        path.scenario().points()[0].with_({"scenario.duration": "6 s"}).run(1).flows["delivered_bytes"][0].as_py() > 1e6
    )
    assert import_path(file, rate="constant").trace is None


def test_a_table_in_other_words() -> None:
    text = "# measured\nTimestamp;Throughput (kbit/s)\n2026-01-01 10:00:00;1000\n2026-01-01 10:00:02;1010\n"
    path = import_path(put("a.csv", text))
    assert path.rate is not None and path.rate.value == pytest.approx(1005e3)
    assert path.trace is None  # a change of less than 5 %
    assert import_path(put("b.csv", "time_ms\tbps\n0\t1e6\n500\t2e6\n")).rate is not None


UNITS: list[tuple[str, float]] = [
    ("throughput_MBps", 8e6), ("MB/s", 8e6), ("kBps", 8e3), ("Bps", 8.0), ("bytes_per_second", 8.0),
    ("MiB/s", 8.0 * 2**20), ("Mbytes/s", 8e6), ("bits_per_second", 1.0), ("rate_mbps", 1e6), ("Mb/s", 1e6),
    ("Mbits/sec", 1e6), ("megabits per second", 1e6), ("rx_bytes,bps", 1.0), ("Throughput [kbit/s]", 1e3),
]  # fmt: skip


@pytest.mark.parametrize(("name", "size"), UNITS)
def test_units_of_rates(name: str, size: float) -> None:
    more = ",7" * name.count(",")
    path = import_path(put("a.csv", f"time_s,{name}\n" + "".join(f"{at}{more},40\n" for at in range(9))))
    assert path.rate is not None and path.rate.value == pytest.approx(40 * size)


@pytest.mark.parametrize("name", ["THROUGHPUT_MBPS", "KBPS", "throughput", "DL_bitrate", "kbits"])
def test_a_rate_without_a_clear_unit_is_asked_for(name: str) -> None:
    with pytest.raises(InputError, match="may be bits or bytes|has no unit|no column says") as caught:
        import_path(put("a.csv", f"time_s,{name}\n0,1\n1,2\n"))
    assert (caught.value.code, caught.value.line) == ("import.broken", 1)


@pytest.mark.parametrize(
    ("name", "value"), [("rtt_ms", 40), ("avg_rtt_s", 0.04), ("latency (us)", 40000), ("rttMs", 40)]
)
def test_round_trips_of_a_table_have_a_unit(name: str, value: float) -> None:
    path = import_path(put("a.csv", f"time_s,rate_mbps,{name},site\n0,20,{value},a\n1,20,{value * 2},a\n"))
    assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(0.04)
    assert path.base_rtt.kind == "at most"  # the queue of what was sent is in it
    assert "Not used: the columns `site`" in " ".join(path.notes)


@pytest.mark.parametrize("name", ["rtt", "RTT", "ping", "avg_latency"])
def test_round_trips_without_a_unit_are_asked_for(name: str) -> None:
    with pytest.raises(InputError, match=f"`{name}` has no unit"):
        import_path(put("a.csv", f"time_s,rate_mbps,{name}\n0,20,40\n1,20,41\n"))
    path = import_path(put("a.csv", f"time_s,rate_mbps,{name}_count\n0,20,40\n1,20,41\n"))
    assert path.base_rtt is None and f"`{name}_count`" in " ".join(path.notes)


DATES = [
    "2025-01-01 12:00:{:02d} CET",
    "2025-01-01T12:00:{:02d}.5+01:00",
    "01/16/2021, 4:04:{:02d} PM",
    "16.01.2021 16:04:{:02d}",
    "2019.11.25_15.34.{:02d}",
    "Wed Jan 01 12:00:{:02d} UTC 2025",
    "12:00:{:02d}",
    "17356896{:02d}000",
    "17356896{:02d}",
]


@pytest.mark.parametrize("form", DATES)
def test_dates_of_tables(form: str) -> None:
    rows = "".join(f"{form.format(at)};20;\n" for at in range(0, 40, 2))
    path = import_path(put("a.csv", "timestamp;rate_mbps\n" + rows))
    assert path.facts[0].endswith("over 40 s")
    assert ("one zone (CET)" in " ".join(path.notes)) is ("CET" in form)


@pytest.mark.parametrize(
    ("names", "form"),
    [
        ("seconds,start,end,bits_per_second", "1.0,{at},{next},20e6"),
        ("date,time,rate_mbps", "2025-01-01,12:00:{at:02d},20"),
        ("interval,elapsed_ms,rate_mbps", "1,{at}000,20"),
    ],
)
def test_the_column_of_time_is_one_that_goes_on(names: str, form: str) -> None:
    rows = "".join(form.format(at=at, next=at + 1) + "\n" for at in range(10))
    path = import_path(put("a.csv", f"{names}\n{rows}"))
    assert path.facts[0].endswith("over 10 s")
    assert rate_of(path) == pytest.approx(20e6)


def test_dates_that_can_be_read_in_two_ways_are_asked_for() -> None:
    def table(*dates: str) -> Path:
        return put("a.csv", "date;rate_mbps\n" + "".join(f"{one};20\n" for one in dates))

    days_first = import_path(table("03/01/2021 23:00", "04/01/2021 01:00", "13/01/2021 01:00"))
    assert days_first.facts[0].endswith("over 1.5624e+06 s")
    assert import_path(table("03/04/2021 10:00", "03/04/2021 10:30")).facts[0].endswith("over 3600 s")
    with pytest.raises(InputError, match="with the month or the day first"):
        import_path(table("01/02/2021 10:00", "05/04/2021 10:00"))
    with pytest.raises(InputError, match="the zone changes"):
        import_path(table("2021-03-04 10:00 CET", "2021-03-04 10:30 CEST"))
    with pytest.raises(InputError, match="`soon` is no date"):
        import_path(table("2021-03-04 10:00", "soon"))


def test_a_mahimahi_trace_is_taken_as_it_is() -> None:
    text = "".join(f"{at}\n{at}\n" for at in range(1, 4001, 3))
    file = put("link.down", text)
    path = import_path(file)
    assert (path.format, path.trace) == ("mahimahi", [int(line) for line in text.split()])
    assert path.rate is not None and path.rate.value == pytest.approx(2668 * 1504 * 8 / 4.0, rel=0.001)
    assert 'trace = "FILE"' in " ".join(path.notes)
    written = path.write("link.toml")
    assert [one.name for one in written] == ["link.toml", "link.mahi"]
    assert written[1].read_text() == text
    assert import_path(file, rate="constant").trace is None


# ---- what cannot be


BROKEN: list[tuple[str, bytes | str, str]] = [
    ("empty", b"", "import.nothing"),
    ("spaces", b" \n\n", "import.nothing"),
    ("words", b"hello there\nthis is a letter\n", "import.unknown"),
    ("binary", bytes(range(256)), "import.unknown"),
    ("packed", b"\x28\xb5\x2f\xfd" + bytes(10), "import.unknown"),
    ("gzip", b"\x1f\x8b" + bytes(10), "import.broken"),
    ("half a gzip", gzip.compress(b"{" + b" " * 9000)[:-9], "import.broken"),
    ("json", "{", "import.broken"),
    ("deep", "[" * 100_000, "import.broken"),
    ("other json", '{"a": 1}', "import.unknown"),
    ("a list", "[1, 2]", "import.unknown"),
    ("iperf3 failed", '{"start": {}, "intervals": [], "error": "unable to connect"}', "import.nothing"),
    ("iperf3 without intervals", '{"start": {}, "intervals": []}', "import.nothing"),
    ("iperf3 of another shape", '{"start": {}, "intervals": [3]}', "import.broken"),
    ("iperf3 without sums", '{"start": {}, "intervals": [{}]}', "import.broken"),
    ("iperf3 with words", '{"start": [], "intervals": []}', "import.broken"),
    ("iperf3 with NaN", json.dumps(iperf()).replace('"rttvar": 900', '"rtt": NaN'), "import.broken"),
    ("iperf3 with infinity", json.dumps(iperf()).replace('"bytes": ', '"bytes": 1e999, "b": '), "import.broken"),
    ("flent of words", '{"x_values": ["a"], "results": {}}', "import.broken"),
    ("flent of nothing", '{"x_values": [], "results": {}}', "import.nothing"),
    ("flent of other lengths", '{"x_values": [1], "results": {"TCP download": [1, 2]}}', "import.broken"),
    ("flent with NaN", '{"x_values": [1], "results": {"TCP download": [NaN]}}', "import.broken"),
    ("flent with too large a number", '{"x_values": [1], "results": {"TCP download": [1e308]}}', "import.broken"),
    ("flent without a value", '{"x_values": [1], "results": {"TCP download": [null]}}', "import.nothing"),
    ("flent that goes back", '{"x_values": [2, 1], "results": {"TCP download": [1, 1]}}', "import.broken"),
    ("ping unanswered", "PING a (192.0.2.1) 56(84) bytes of data.\n\n--- a ping statistics ---\n", "import.nothing"),
    ("ping of the wrong numbers", "64 bytes from a: icmp_seq=-1 ttl=9 time=1.0 ms\n", "import.nothing"),
    ("mahimahi that goes back", "1\n" * 300 + "2\n1\n", "import.broken"),
    ("mahimahi of no time", "0\n0\n", "import.trace"),
    ("csv without units", "time,rate\n0,1\n1,2\n", "import.broken"),
    ("csv without time", "rate_mbps,b\n0,1\n1,2\n", "import.broken"),
    ("csv with words", "time,rate_mbps\n0,1\n1,two\n", "import.broken"),
    ("csv that goes back", "time,rate_mbps\n1,1\n0,2\n", "import.broken"),
    ("csv of one row", "time,rate_mbps\n0,1\n", "import.nothing"),
    ("csv with infinity", "time,rate_mbps\n0,inf\n1,2\n", "import.broken"),
]


@pytest.mark.parametrize(("name", "content", "code"), BROKEN, ids=[one[0] for one in BROKEN])
def test_what_is_no_measurement_is_refused(command: Command, name: str, content: bytes | str, code: str) -> None:
    result = command("import", put("file", content))
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith(f"error[{code}]: file"), result.stderr
    assert result.stderr.count("\n") == 2
    assert "\nhint: " in result.stderr


def test_a_place_in_a_table_is_named(command: Command) -> None:
    result = command("import", put("a.csv", "time,rate_mbps\n0,1\n1,two\n"))
    assert "a.csv, line 3: `two` is not a number" in result.stderr


def test_options_that_cannot_be(command: Command) -> None:
    file = put("a.ping", ping())
    assert "did you mean `ping`" in command("import", file, "--format", "pin").stderr
    assert "error[import.flow]" in command("import", file, "--flow", "nowhere").stderr
    table = put("a.csv", "time_s,mbps\n0,1\n1,2\n")
    assert "error[import.flow]" in command("import", table, "--flow", "1").stderr
    assert "error[import.trace]" in command("import", file, "--rate", "trace").stderr
    assert command("import", file, "--format", "capture").exit_code == 2
    assert command("import", "nowhere.pcap").exit_code == 2
    with pytest.raises(InputError):
        import_path(file, rate="fast")


def test_a_gzip_that_unpacks_to_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    from windlass.imports import kinds

    monkeypatch.setattr(kinds, "MOST_BYTES", 1000)
    with pytest.raises(InputError, match="unpacks to more") as caught:
        import_path(put("bomb.gz", gzip.compress(bytes(100_000))[:900]))
    assert caught.value.code == "file.too-large"


@pytest.mark.parametrize("kind", [one for one in KINDS if one != "capture"])
def test_a_forced_format_is_read_or_refused(command: Command, kind: str) -> None:
    for text in (ping(count=30), json.dumps(iperf()), "time_s,mbps\n0,1\n1,2\n", ss()):
        result = command("import", put("file", text), "--format", kind)
        assert result.exit_code in (0, 2), result.output
        assert "Traceback" not in result.output


# ---- the command


def test_the_guide_has_every_kind() -> None:
    page = (Path(__file__).parents[2] / "docs" / "guide" / "importing.md").read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f"\n| `{kind}` |" not in page] == []


def test_the_command_prints_writes_and_compares(command: Command) -> None:
    file = put("home.csv", "time_s,rate_mbps,rtt_ms\n" + "".join(f"{at},2,20\n" for at in range(10)))
    shown = command("import", file)
    assert shown.exit_code == 0, shown.output
    assert "2 Mbps" in shown.stdout
    assert "next: windlass import home.csv -o home.toml --compare" in shown.stdout
    written = command("import", file, "-o", "home.toml")
    assert "written: home.toml" in written.stdout
    assert "next: windlass compare cubic newreno bbr --path home.toml" in written.stdout
    assert command("run", "home.toml", "--set", "scenario.duration=3 s", "--set", "scenario.warmup=1 s").exit_code == 0
    compared = command("import", file, "--compare")
    assert compared.exit_code == 0, compared.output
    assert "home, flows `" in compared.stdout
    assert "compare" in json.loads(command("import", file, "--compare", "--json").stdout)
    data = json.loads(command("import", file, "--json").stdout)
    assert data["rate"]["value"] == pytest.approx(2e6)
    assert set(data["rate"]) == {"value", "lo", "hi", "n", "unit", "how", "kind"}
    assert "written" in data


def test_a_name_is_made_of_what_the_file_is_called() -> None:
    path = import_path(put('odd "name" [1].csv', "time_s,rate_mbps\n0,1\n1,2\n"))
    assert path.name == "odd-name-1"
    assert path.scenario().name == "odd-name-1"
    assert repr(path).startswith("<ImportedPath odd-name-1 (csv): rate 1.5 Mbps")
