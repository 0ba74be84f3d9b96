//! Worked by hand.

use super::*;
use crate::{Class, Width};

fn us(span: Span) -> f64 {
    span.0 as f64 / 1000.0
}

fn named(name: &str) -> Params {
    Params::named(name).unwrap()
}

fn at(mut params: Params, rate: Rate) -> Params {
    params.rate = rate;
    params
}

#[test]
fn airtimes_are_those_worked_by_hand() {
    let b = Params::dot11b();
    // 192 + ceil(8 x 1536 / 11 = 1117.09) = 1310; 192 + ceil(12288 / 5.5 = 2234.2) = 2427
    assert_eq!(us(b.airtime(Rate::dsss(11_000), 1536)), 1310.0);
    assert_eq!(us(b.airtime(Rate::dsss(5500), 1536)), 2427.0);
    // short preamble: 96 + 2235 = 2331; 1 Mbps always has the long one: 192 + 112
    assert_eq!(us(named("dot11b-short").airtime(Rate::dsss(5500), 1536)), 2331.0);
    assert_eq!(us(named("dot11b-short").airtime(Rate::dsss(1000), 14)), 304.0);
    let a = Params::dot11a();
    // (16 + 12288 + 6) / 216 = 56.99: 57 symbols, 20 + 228
    assert_eq!(us(a.airtime(Rate::ofdm(54_000), 1536)), 248.0);
    // (16 + 112 + 6) / 96 = 1.4: 2 symbols; (16 + 160 + 6) / 24 = 7.6: 8 symbols
    assert_eq!(us(a.airtime(Rate::ofdm(24_000), 14)), 28.0);
    assert_eq!(us(a.airtime(Rate::ofdm(6000), 20)), 52.0);
    assert_eq!(us(Params::dot11g().airtime(Rate::ofdm(54_000), 1536)), 254.0);
    // 20 + 8 x 1534 / 54 = 247.259259...
    assert_eq!(named("ns2-g54").airtime(Rate::plain(54_000), 1534), Span(247_259));
}

#[test]
fn control_frames_have_the_highest_basic_rate_not_above() {
    let answer = |params: &Params, rate| params.control_rate(rate).kbps;
    let b = Params::dot11b();
    assert_eq!([1000, 2000, 5500, 11_000].map(|r| answer(&b, Rate::dsss(r))), [1000, 2000, 2000, 2000]);
    let a = Params::dot11a();
    let rates = [6000, 9000, 12_000, 18_000, 24_000, 36_000, 48_000, 54_000];
    assert_eq!(rates.map(|r| answer(&a, Rate::ofdm(r))), [6000, 6000, 12_000, 12_000, 24_000, 24_000, 24_000, 24_000]);
    // a station at 1 Mbps among those whose basic rate is 2
    assert_eq!(answer(&named("ns2-dalal"), Rate::plain(1000)), 2000);
    assert_eq!(a.broadcast_rate(Phy::Ofdm), Rate::ofdm(6000));
    let mixed = Params::dot11g_protected();
    assert_eq!(answer(&mixed, Rate::dsss(11_000)), 2000);
    assert_eq!(answer(&mixed, Rate::ofdm(54_000)), 24_000);
}

#[test]
fn eifs_and_timeouts_are_those_worked_by_hand() {
    // 10 + 304 + 50; 16 + 44 + 34; 10 + 50 + 28; 10 + 50 + 8 (24 + 14) / 1; 10 + 28 + 8 (15 + 14) / 6 = 76.67
    for (name, eifs) in [
        ("dot11b", 364.0),
        ("dot11b-short", 364.0),
        ("dot11a", 94.0),
        ("dot11g", 88.0),
        ("ns2-default", 364.0),
        ("ns2-b11", 364.0),
        ("ns2-g54", 77.0),
        ("ns2-dalal", 77.0),
    ] {
        assert_eq!(us(named(name).eifs()), eifs, "{name}");
    }
    // 10 + 20 + 192; 16 + 9 + 20; 10 + 9 + 20
    for (name, timeout) in [("dot11b", 222.0), ("dot11a", 45.0), ("dot11g", 39.0)] {
        let params = Params { rts_threshold: 0, ..named(name) };
        let exchange = Exchange::new(&params, params.rate, 1500, false);
        assert_eq!((us(exchange.cts_timeout), us(exchange.ack_timeout)), (timeout, timeout), "{name}");
    }
    // from the start of the frame: RTS 352 + 10 + CTS 304 + 4; data 12464 + 10 + ACK 304 + 4
    let ns2 = Exchange::new(&Params::ns2_default(), Rate::plain(1000), 1500, false);
    assert_eq!(us(ns2.rts + ns2.cts_timeout), 670.0);
    assert_eq!(us(ns2.data + ns2.ack_timeout), 12_782.0);
}

/// Airtimes, exchange and cycle of a 1500-byte packet, in microseconds.
struct Row(&'static str, Rate, [f64; 4], [f64; 2], [f64; 2], [f64; 2]);

/// Data, RTS, CTS, ACK; exchange without and with RTS; cycle; throughput in Mbps. The first is worked out in full:
/// dot11b at 11 Mbps has data 192 + 1118, ACK at 2 Mbps 192 + 56, exchange 1310 + 10 + 248; with RTS 192 + 80, + 10 +
/// 248
/// + 10 more; cycle 50 + 31 / 2 x 20 + 1568; 12000 / 1928 = 6.2241. Cycles of ns-2 have (CWmin - 1) / 2 slots.
const TABLE: [Row; 14] = [
    Row(
        "dot11b",
        Rate::dsss(1000),
        [12_480.0, 352.0, 304.0, 304.0],
        [12_794.0, 13_470.0],
        [13_154.0, 13_830.0],
        [0.9123, 0.8677],
    ),
    Row(
        "dot11b",
        Rate::dsss(2000),
        [6336.0, 272.0, 248.0, 248.0],
        [6594.0, 7134.0],
        [6954.0, 7494.0],
        [1.7256, 1.6013],
    ),
    Row(
        "dot11b",
        Rate::dsss(5500),
        [2427.0, 272.0, 248.0, 248.0],
        [2685.0, 3225.0],
        [3045.0, 3585.0],
        [3.9409, 3.3473],
    ),
    Row(
        "dot11b",
        Rate::dsss(11_000),
        [1310.0, 272.0, 248.0, 248.0],
        [1568.0, 2108.0],
        [1928.0, 2468.0],
        [6.2241, 4.8622],
    ),
    Row(
        "dot11b-short",
        Rate::dsss(11_000),
        [1214.0, 176.0, 152.0, 152.0],
        [1376.0, 1724.0],
        [1736.0, 2084.0],
        [6.9124, 5.7582],
    ),
    Row("dot11a", Rate::ofdm(6000), [2072.0, 52.0, 44.0, 44.0], [2132.0, 2260.0], [2233.5, 2361.5], [5.3727, 5.0815]),
    Row("dot11a", Rate::ofdm(24_000), [536.0, 28.0, 28.0, 28.0], [580.0, 668.0], [681.5, 769.5], [17.608, 15.594]),
    Row("dot11a", Rate::ofdm(54_000), [248.0, 28.0, 28.0, 28.0], [292.0, 380.0], [393.5, 481.5], [30.496, 24.922]),
    Row("dot11g", Rate::ofdm(6000), [2078.0, 58.0, 50.0, 50.0], [2138.0, 2266.0], [2233.5, 2361.5], [5.3727, 5.0815]),
    Row("dot11g", Rate::ofdm(54_000), [254.0, 34.0, 34.0, 34.0], [298.0, 386.0], [393.5, 481.5], [30.496, 24.922]),
    Row(
        "ns2-default",
        Rate::plain(1000),
        [12_464.0, 352.0, 304.0, 304.0],
        [12_778.0, 13_454.0],
        [13_128.0, 13_804.0],
        [0.9141, 0.8693],
    ),
    Row(
        "ns2-b11",
        Rate::plain(11_000),
        [1307.636, 352.0, 304.0, 304.0],
        [1621.636, 2297.636],
        [1971.636, 2647.636],
        [6.0863, 4.5323],
    ),
    Row(
        "ns2-g54",
        Rate::plain(54_000),
        [247.259, 46.667, 38.667, 38.667],
        [295.926, 401.260],
        [386.926, 492.260],
        [31.014, 24.377],
    ),
    Row(
        "ns2-dalal",
        Rate::plain(11_000),
        [1135.636, 100.0, 76.0, 76.0],
        [1221.636, 1417.636],
        [1312.636, 1508.636],
        [9.1419, 7.9542],
    ),
];

/// From one packet of 1500 bytes to the next, best effort.
fn alone(params: &Params, rate: Rate) -> Span {
    params.cycle(&params.terms(rate, Class::BestEffort, false), rate, 1500).span
}

#[test]
fn an_exchange_of_each_set_is_that_worked_by_hand() {
    let near = |found: Span, expected: f64| (us(found) - expected).abs() < 0.0011;
    for Row(name, rate, [data, rts, cts, ack], exchanges, cycles, throughputs) in TABLE {
        for (with_rts, threshold) in [u32::MAX, 0].into_iter().enumerate() {
            let params = Params { rts_threshold: threshold, ..at(named(name), rate) };
            let exchange = Exchange::new(&params, rate, 1500, false);
            assert!(near(exchange.data, data) && near(exchange.ack, ack), "{name} {rate}: {exchange:?}");
            assert_eq!(exchange.rts_first, with_rts == 1);
            if with_rts == 1 {
                assert!(near(exchange.rts, rts) && near(exchange.cts, cts), "{name} {rate}: {exchange:?}");
            }
            assert!(near(exchange.airtime(params.sifs), exchanges[with_rts]), "{name} {rate}: {exchange:?}");
            let cycle = alone(&params, rate);
            assert!(near(cycle, cycles[with_rts]), "{name} {rate}: {cycle}");
            let throughput = 12_000.0 / us(cycle);
            assert!((throughput / throughputs[with_rts] - 1.0).abs() < 1e-4, "{name} {rate}: {throughput}");
        }
    }
}

#[test]
fn a_protected_frame_is_preceded_by_a_cts_to_oneself() {
    let params = Params::dot11g_protected();
    let exchange = Exchange::new(&params, params.rate, 1500, false);
    // 192 + 56, 10, 254, 10, 34 = 556; cycle 50 + 7.5 x 20 + 556; its Duration covers the rest: 10 + 254 + 10 + 34
    assert_eq!(us(exchange.cts), 248.0);
    assert_eq!(us(exchange.airtime(params.sifs)), 556.0);
    assert_eq!(us(exchange.cts_nav), 308.0);
    assert_eq!(us(alone(&params, params.rate)), 756.0);
    // an old station of the same cell needs no protection
    assert!(!Exchange::new(&params, Rate::dsss(11_000), 1500, false).protected);
    let rts = Params { protection: Protection::RtsCts(Rate::dsss(2000)), ..Params::dot11g_protected() };
    let exchange = Exchange::new(&rts, rts.rate, 1500, false);
    assert_eq!((us(exchange.rts), us(exchange.cts)), (272.0, 248.0));
}

#[test]
fn duration_fields_are_whole_microseconds() {
    let ns2 = |name: &str| {
        let params = named(name);
        Exchange::new(&params, params.rate, 1500, false)
    };
    // 10 + 304 + 10 + 12464 + 10 + 304; the CTS says what is left after SIFS and itself
    assert_eq!(us(ns2("ns2-default").rts_nav), 13_102.0);
    assert_eq!(us(ns2("ns2-default").cts_nav), 12_788.0);
    // 10 + 304 + 10 + 1307.636 + 10 + 304 = 1945.636, to the nearest
    assert_eq!(us(ns2("ns2-b11").rts_nav), 1946.0);
    // 10 + 38.667 = 48.667; 30 + 2 x 38.667 + 247.259 = 354.593
    assert_eq!(us(ns2("ns2-g54").data_nav), 49.0);
    assert_eq!(us(ns2("ns2-g54").rts_nav), 355.0);
    assert_eq!(us(whole_us(Span(48_400), NavRound::Nearest)), 48.0);
    assert_eq!(us(whole_us(Span(48_001), NavRound::Up)), 49.0);
}

#[test]
fn the_threshold_counts_the_frame_and_in_ns2_its_preamble() {
    let rts_from = |name: &str, threshold: u32, bytes: u32| {
        let params = Params { rts_threshold: threshold, ..named(name) };
        Exchange::new(&params, params.rate, bytes, false).rts_first
    };
    // 464 + 36 = 500; ns-2: 442 + 34 + 192 / 8 = 500
    assert!(rts_from("dot11b", 500, 464) && !rts_from("dot11b", 500, 463));
    assert!(rts_from("ns2-b11", 500, 442) && !rts_from("ns2-b11", 500, 441));
    let params = Params { rts_threshold: 0, ..Params::dot11b() };
    let broadcast = Exchange::new(&params, params.rate, 1500, true);
    // at 1 Mbps: 192 + 12288
    assert!(!broadcast.rts_first);
    assert_eq!((us(broadcast.data), broadcast.data_nav), (12_480.0, Span::ZERO));
}

fn ht(index: u8, width: Width, guard: Guard) -> Rate {
    Rate::ht(index, width, guard).unwrap()
}

#[test]
fn airtimes_of_ht_are_those_worked_by_hand() {
    let five = Params::dot11n();
    // (16 + 12304 + 6) / 260 = 47.4: 48 symbols; 36 + 192. Short: 48 x 3.6 = 172.8, 44 units of 4 us; 36 + 176.
    // 40 MHz: 23 symbols, 82.8 us, 21 units. MCS 15: 12 symbols, 43.2 us, 11 units, behind 40. MCS 0: 475 symbols
    for (index, width, guard, expected) in [
        (7, Width::Mhz20, Guard::Long, 228.0),
        (7, Width::Mhz20, Guard::Short, 212.0),
        (7, Width::Mhz40, Guard::Short, 120.0),
        (15, Width::Mhz40, Guard::Short, 84.0),
        (0, Width::Mhz20, Guard::Long, 1936.0),
        (8, Width::Mhz20, Guard::Long, 992.0),
    ] {
        let rate = ht(index, width, guard);
        assert_eq!(us(five.airtime(rate, 1538)), expected, "{rate}");
        assert_eq!(us(Params::dot11n_2_4().airtime(rate, 1538)), expected + 6.0, "{rate}");
    }
}

#[test]
fn answers_to_ht_have_the_rate_of_its_modulation_in_ofdm() {
    let params = Params::dot11n();
    for width in [Width::Mhz20, Width::Mhz40] {
        for (index, mbps) in [6, 12, 12, 24, 24, 24, 24, 24].into_iter().enumerate() {
            for index in [index as u8, index as u8 + 8] {
                let rate = params.control_rate(ht(index, width, Guard::Short));
                assert_eq!(rate, Rate::ofdm(mbps * 1000), "MCS {index}");
            }
        }
    }
    assert_eq!(params.broadcast_rate(params.rate.phy), Rate::ofdm(6000));
    let broadcast = Exchange::new(&params, params.rate, 1500, true);
    assert_eq!(broadcast.rate, Rate::ofdm(6000));
}

#[test]
fn a_plain_frame_of_ht_and_its_ack() {
    // AIFS 43 + backoff 67.5 + data + SIFS 16 + ACK 28; 2.4 GHz has 6 us more per frame and 6 less per space
    for (index, width, guard, cycle, mbps) in [
        (7, Width::Mhz20, Guard::Long, 382.5, 31.37),
        (7, Width::Mhz20, Guard::Short, 366.5, 32.74),
        (7, Width::Mhz40, Guard::Short, 274.5, 43.72),
        (15, Width::Mhz40, Guard::Short, 238.5, 50.31),
        // ACK at 6 Mbps: 44
        (0, Width::Mhz20, Guard::Long, 2106.5, 5.697),
    ] {
        let rate = ht(index, width, guard);
        for params in [Params::dot11n(), Params::dot11n_2_4()] {
            let found = alone(&params, rate);
            assert_eq!(us(found), cycle, "{rate}");
            assert!((12_000.0 / us(found) - mbps).abs() < 0.005, "{rate}");
        }
    }
    // EIFS: 16 + 44 + 43; 10 + 50 + 37. Timeout: 16 + 9 + 20
    assert_eq!((us(Params::dot11n().eifs()), us(Params::dot11n_2_4().eifs())), (103.0, 97.0));
    let exchange = Exchange::new(&Params::dot11n(), ht(7, Width::Mhz20, Guard::Long), 1500, false);
    assert_eq!((exchange.mpdu, us(exchange.ack_timeout), us(exchange.data_nav)), (1538, 45.0, 44.0));
}
