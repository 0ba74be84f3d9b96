"""Stored figures of 802.11, and what is known beforehand of cells and chains."""

from __future__ import annotations

import pytest

from windlass.stats import Interval, mean_interval
from windlass.validation import StoredOutcome, compare, page
from windlass.validation.families import scenario_of
from windlass.validation.figures import RADIO_FAMILIES, Status, stored_points
from windlass.validation.radio_checks import SECTIONS, CheckOutcome, RadioCheck, checks, run_check
from windlass.validation.radio_families import document
from windlass.validation.radio_formulas import SETS, bianchi, heusse, hidden
from windlass.validation.radio_pages import EXPLAINED_CHECKS
from windlass.validation.rule import Comparison

POINTS = {point.key: point for point in stored_points(families=tuple(RADIO_FAMILIES))}
FER = "FER sweep, MAC-level two-state Markov, mean burst 10 frames"


@pytest.mark.parametrize(
    ("family", "judged", "reported"),
    [
        ("cell_udp", 35, 0),
        ("cell_hidden", 12, 0),
        ("cell_rates", 12, 0),
        ("cell_tcp", 54, 0),
        ("cell_chain", 16, 0),
        ("cell_loss", 6, 0),
        ("janevski_chain_1mbps", 256, 0),
        ("janevski_frozen_1mbps", 64, 0),
        ("dalal_wlan", 25, 25),
        ("radio_settings", 213, 0),
    ],
)
def test_families_are_read(family: str, judged: int, reported: int) -> None:
    statuses = [point.status for point in POINTS.values() if point.family == family]
    assert [statuses.count(status) for status in Status] == [judged, reported, 0]


def test_every_point_is_a_scenario() -> None:
    for point in POINTS.values():
        assert len(scenario_of(point).points()) == 1


def test_a_saturated_cell() -> None:
    point = POINTS["cell_udp", "udp", "saturated cell b11 RTS on", "5"]
    assert (point.mean_mbps, point.half_width_mbps, point.seeds) == (3.6982, 0.0033, 5)
    # topo cell phy b11 rts 0 traffic udp payload 1000 nup 5 dist 20 offered 3.00Mb warm 5 T 60
    text = document(point)
    assert (text["scenario"]["duration"], text["scenario"]["warmup"]) == ("65 s", "5 s")
    assert text["topology"]["stations"] == 5
    assert text["topology"]["placing"] == {"kind": "circle", "radius": "20 m"}
    radio = text["topology"]["radio"]
    assert (radio["set"], radio["rts_threshold"]) == ("ns2-b11", "always")
    assert [(flow["from"], flow["to"]) for flow in text["flows"]] == [(f"station/{i}", "ap/0") for i in range(5)]
    assert text["flows"][0]["traffic"]["rate"] == "3.00 Mbps"


def test_uploads_and_downloads_have_stations_of_their_own() -> None:
    text = document(POINTS["cell_tcp", "sack", "access point b11 n uploads and n downloads", "2"])
    ends = [(flow["from"], flow["to"]) for flow in text["flows"]]
    assert ends == [
        ("station/0", "wired/0"),
        ("station/1", "wired/0"),
        ("wired/0", "station/2"),
        ("wired/0", "station/3"),
    ]
    assert text["topology"]["backbone"]["delay"] == "5 ms"


def test_figures_of_vegas_count_the_header_that_the_script_made_payload() -> None:
    # 4.2475 Mbps of 1460 of 1500 bytes
    point = POINTS["cell_tcp", "vegas", "access point b11 n uploads", "1"]
    assert point.mean_mbps == pytest.approx(4.2475 * 1500 / 1460)
    assert document(point)["flows"][0]["segment"] == "1500 B"
    # Janevski's script counted segments, and made nothing longer
    point = POINTS["janevski_chain_1mbps", "vegas", "2 nodes phy=def loss=0% delack=1 ifq=50", "3"]
    assert document(point)["flows"][0]["segment"] == "512 B"


def test_chains_of_janevski() -> None:
    clean, lossy = (
        document(POINTS["janevski_chain_1mbps", "newreno", f"9 nodes phy=def loss={share}% delack=2 ifq=5", "3"])
        for share in (0, 20)
    )
    assert clean["topology"]["radio"] == {"set": "ns2-default", "queue": "5 packets", "arp": True}
    assert lossy["topology"]["radio"] == clean["topology"]["radio"] | {
        "loss": {"rate": "20 %"},
        "routing_bytes": "20 B",
    }
    tcp = clean["flows"][0]["tcp"]
    assert (tcp["window"], tcp["delayed_ack"], tcp["dup_threshold"]) == ("20 segments", 2, 3)


def test_routes_that_stand_still_make_packets_longer() -> None:
    changing, still = (
        document(POINTS[f"janevski_{family}_1mbps", "newreno", "9 nodes phy=def loss=0% delack=1 ifq=15", "3"])
        for family in ("chain", "frozen")
    )
    assert "routing_bytes" not in changing["topology"]["radio"]
    assert still["topology"]["radio"] == changing["topology"]["radio"] | {"routing_bytes": "20 B"}
    assert still["flows"] == changing["flows"]


def test_errors_of_dalal() -> None:
    def parts(scenario: str, value: str) -> tuple[object, object, str]:
        topology = document(POINTS["dalal_wlan", "newreno", scenario, value])["topology"]
        return topology["radio"].get("loss"), topology["backbone"].get("loss"), topology["backbone"]["delay"]

    assert parts(FER, "0") == (None, None, "15 ms")
    two_states = {"model": "ns2-two-state", "rate": "10 %", "burst": "10 frames"}
    assert parts(FER, "10") == (two_states, None, "15 ms")
    assert parts("burst sweep, MAC-level two-state Markov, FER 10%", "5")[0] == two_states | {"burst": "5 frames"}
    assert parts("D sweep, MAC-level Markov burst 10, FER 10%", "45") == (two_states, None, "45 ms")
    assert parts("FER sweep, MAC-level independent", "10")[0] == {"rate": "10 %"}
    above = {"rate": "0.5 %", "at": "queue", "direction": "both"}
    assert parts("FER sweep, loss above the MAC, independent", "0.5") == (None, above, "15 ms")


@pytest.mark.parametrize(
    ("name", "rate", "plain", "rts"),
    [
        # 50 + 15.5 * 20 + 192 + ceil(8 * 1536 / 11) + 10 + 248 = 1928 us; RTS and CTS 272 + 10 + 248 + 10 more
        ("dot11b", 11.0, 12000 / 1928, 12000 / 2468),
        # 34 + 7.5 * 9 + 20 + 4 * 57 + 16 + 28 = 393.5 us; 28 + 16 + 28 + 16 more
        ("dot11a", 54.0, 12000 / 393.5, 12000 / 481.5),
        ("dot11g", 54.0, 12000 / 393.5, 12000 / 481.5),
        # 43 + 67.5 + 36 + 4 * 48 + 16 + 28 = 382.5 us; 28 + 16 + 28 + 16 more
        ("dot11n", 65.0, 12000 / 382.5, 12000 / 470.5),
        # 50 + 15 * 20 + 192 + 8 * 1534 + 10 + 304 = 13128 us; 352 + 10 + 304 + 10 more
        ("ns2-default", 1.0, 12000 / 13128, 12000 / 13804),
    ],
)
def test_one_station_by_hand(name: str, rate: float, plain: float, rts: float) -> None:
    assert SETS[name].alone(1500, rate, rts=False) == pytest.approx(plain)
    assert SETS[name].alone(1500, rate, rts=True) == pytest.approx(rts)


def test_formulas() -> None:
    # n = 10: W 32, M 5 gives tau 0.03731, p 0.28977; collisions of frame + EIFS
    assert bianchi(SETS["dot11b"], 10, 1500, 1, rts=False) == pytest.approx(0.7801, abs=5e-5)
    assert bianchi(SETS["dot11b"], 10, 1500, 11, rts=True) == pytest.approx(5.1441, abs=5e-5)
    # Pc 0.0323, contention 80.0, fast 1751.6, slow 12908.0, cycle 15492 us
    assert heusse(SETS["ns2-b11"], 2, 1500, 11, 1) == pytest.approx(12000 / 15492, rel=1e-4)
    # 12000 bits, 5 a second, exp(-2 * 5 * 0.012464)
    assert hidden(SETS["ns2-default"], 1500, 1, 5) == pytest.approx(0.06 * 0.88281, rel=1e-4)


def test_checks_have_names_of_their_own() -> None:
    known = list(checks())
    assert len({check.key for check in known}) == len(known)
    assert {check.section for check in known} == set(SECTIONS)


def test_a_check_allows_what_it_says() -> None:
    check = RadioCheck("bianchi", "x", 5.0, 0.03, {})
    assert CheckOutcome(check, Interval(5.14, 5.1, 5.2, 3)).agrees
    assert not CheckOutcome(check, Interval(4.84, 4.8, 4.9, 3)).agrees
    assert set(EXPLAINED_CHECKS) <= {check.key for check in checks()}


@pytest.mark.parametrize(
    ("family", "variant", "scenario", "value"),
    [
        ("cell_udp", "udp", "saturated cell def RTS on", "10"),
        ("cell_hidden", "udp", "A-B-C hidden b11 RTS off", "1000"),
        ("cell_hidden", "newreno", "A-B-C hidden def RTS off", "1000"),
        ("cell_rates", "udp", "two stations b11 RTS on", "11+1"),
        ("cell_tcp", "sack", "access point b11 n uploads and n downloads", "2"),
        ("cell_tcp", "vegas", "access point b11 n downloads", "1"),
        ("cell_chain", "newreno", "chain b11 RTS on window 32", "7"),
        ("cell_loss", "newreno", "frame loss b11 independent, retry limit 7", "20"),
        ("janevski_chain_1mbps", "newreno", "2 nodes phy=def loss=0% delack=2 ifq=5", "3"),
        ("janevski_chain_1mbps", "tahoe", "9 nodes phy=def loss=0% delack=1 ifq=2", "3"),
        ("janevski_chain_1mbps", "sack", "2 nodes phy=def loss=20% delack=1 ifq=15", "3"),
        ("dalal_wlan", "newreno", FER, "10"),
        ("dalal_wlan", "newreno", "datarate 5Mbps, MAC-level Markov burst 10", "0"),
    ],
)
def test_goodput_is_inside(family: str, variant: str, scenario: str, value: str) -> None:
    goodput = compare(POINTS[family, variant, scenario, value], seeds=3, store=False).goodput
    assert goodput.agrees, f"{100 * goodput.difference:+.1f} %, allowed {100 * goodput.allowed:.1f} %"


def test_first_slow_start_ends_early_where_ns2_does_not_reset_agents() -> None:
    # Mean of five runs of ns-2: 18.0 retransmissions, none of them by timeout, 4.7056 Mbps with no spread. An upload
    # whose slow start went on to its window would repeat some 250 segments.
    point = POINTS["dalal_wlan", "newreno", "datarate 5Mbps, MAC-level Markov burst 10", "0"]
    (row,) = scenario_of(point).run(1).flows.to_pylist()
    assert row["retransmitted_segments"] < 30
    assert row["timeouts"] == 0
    assert row["goodput_run_bps"] == pytest.approx(4.7056e6, rel=0.002)


@pytest.mark.parametrize(
    ("section", "what"),
    [
        ("exchange", "dot11b, 11 Mbps"),
        ("exchange", "dot11n, 65 Mbps, RTS"),
        ("exchange", "ns2-dalal, 11 Mbps"),
        ("bianchi", "dot11b, 11 Mbps, RTS, 5 stations"),
        ("bianchi", "dot11g, 54 Mbps, 10 stations"),
        ("ns2-cells", "ns2-g54, 2 stations"),
        ("heusse", "dot11b, 11 Mbps, one station at 1 Mbps, 2 stations"),
        ("hidden", "10 packets/s from each"),
        ("ns2-chains", "ns2-default, RTS, 5 nodes"),
    ],
)
def test_what_is_known_beforehand(section: str, what: str) -> None:
    check = next(check for check in checks() if check.key == (section, what))
    outcome = run_check(check, seeds=2, store=False)
    assert outcome.agrees, f"{100 * outcome.difference:+.2f} %"


def test_the_page_names_what_is_outside() -> None:
    point = POINTS["janevski_chain_1mbps", "tahoe", "9 nodes phy=def loss=0% delack=1 ifq=50", "3"]
    other = POINTS["cell_udp", "udp", "saturated cell def RTS on", "10"]
    far = mean_interval([9.0, 9.0])
    outcomes = [
        StoredOutcome(one, Comparison(Interval(one.mean_mbps, one.mean_mbps, one.mean_mbps, 5), far, one.slack))
        for one in (other, point)
    ]
    check = CheckOutcome(RadioCheck("bianchi", "five stations", 5.0, 0.03, {}), far)
    text = page(outcomes, known=[check])
    assert "0 of 2 points inside." in text
    assert "1 point: not explained yet" in text
    assert "1 point: ns-2 had AODV here" in text
    assert "Janevski, chains at 1 Mbps: tahoe, 9 nodes phy=def loss=0% delack=1 ifq=50, dupack 3 (+" in text
    assert "| five stations | 5 | 9 ± 0 | +80.00 % | 3 % | **outside** |" in text
    assert "- Saturated cells: Bianchi's throughput: five stations (+80.0 %): not explained yet" in text
