//! Saturated cells against Bianchi's formula, Heusse's, and ns-2's figures.

mod common;

use common::{Run, saturated, senders_to_0};
use units::Time;
use wlan::{Exchange, Layout, MediumSpec, Params, Rate};

const N: [usize; 5] = [1, 2, 5, 10, 20];

fn named(name: &str, rts: bool) -> Params {
    Params { rts_threshold: if rts { 0 } else { u32::MAX }, ..Params::named(name).unwrap() }
}

fn assert_near(what: &str, found: f64, expected: f64, percent: f64) {
    let off = 100.0 * (found / expected - 1.0);
    assert!(off.abs() < percent, "{what}: {found:.4}, not {expected:.4}: {off:+.2} %");
}

/// G. Bianchi, JSAC 18(3), 2000: throughput in Mbps of `n` saturated stations. A collision costs bystanders EIFS.
fn bianchi(params: &Params, n: usize, bytes: u32) -> f64 {
    let window = f64::from(params.cw_min + 1);
    let stages = (f64::from(params.cw_max + 1) / window).log2();
    let tau = |p: f64| {
        let doubled = (2.0 * p).powf(stages);
        2.0 * (1.0 - 2.0 * p) / ((1.0 - 2.0 * p) * (window + 1.0) + p * window * (1.0 - doubled))
    };
    let others = |tau: f64| 1.0 - (1.0 - tau).powi(n as i32 - 1);
    // p - others(tau(p)) grows with p
    let (mut low, mut high) = (0.0, 0.999_9);
    for _ in 0..100 {
        let p = (low + high) / 2.0;
        if p < others(tau(p)) { low = p } else { high = p }
    }
    let tau = tau(low);
    let busy = 1.0 - (1.0 - tau).powi(n as i32);
    let success = n as f64 * tau * (1.0 - tau).powi(n as i32 - 1) / busy;
    let exchange = Exchange::new(params, params.rate, bytes, false);
    let us = |span: units::Span| span.0 as f64 / 1e3;
    let first = if exchange.rts_first { exchange.rts } else { exchange.data };
    let good = us(exchange.airtime(params.sifs) + params.difs);
    let collision = us(first + params.eifs());
    let mean = (1.0 - busy) * us(params.slot) + busy * (success * good + (1.0 - success) * collision);
    busy * success * 8.0 * f64::from(bytes) / mean
}

#[test]
fn the_formula_is_bianchis() {
    // n = 10: W 32, M 5 gives tau 0.03731, p 0.28977; with collisions of frame + EIFS 0.7801 at 1 Mbps
    let b1 = Params { rate: Rate::dsss(1000), ..named("dot11b", false) };
    assert_near("1 Mbps", bianchi(&b1, 10, 1500), 0.7801, 0.02);
    assert_near("11 Mbps, RTS", bianchi(&named("dot11b", true), 10, 1500), 5.1441, 0.01);
    assert_near("54 Mbps", bianchi(&named("dot11g", false), 20, 1500), 24.9513, 0.01);
}

#[test]
fn saturated_cells_are_as_bianchi_says() {
    for (name, rate, seconds) in [
        ("dot11b", Rate::dsss(1000), 400.0),
        ("dot11b", Rate::dsss(11_000), 60.0),
        ("dot11a", Rate::ofdm(24_000), 30.0),
        ("dot11g", Rate::ofdm(54_000), 30.0),
    ] {
        for rts in [false, true] {
            let params = Params { rate, ..named(name, rts) };
            for n in N {
                let found = saturated(&params, &Layout::Everyone { stations: n + 1 }, n, 1500, seconds, 3);
                let what = format!("{name} {rate}, RTS {rts}, {n} stations");
                assert_near(&what, found, bianchi(&params, n, 1500), 3.0);
            }
        }
    }
}

/// Saturated UDP stations on a circle of 5 m round the receiver, 1500-byte packets, measured with ns-2 2.35: 100, 40,
/// 15 s for 1, 11, 54 Mbps, mean of 2 seeds.
const NS2_CELLS: [(&str, bool, f64, [f64; 5]); 6] = [
    ("ns2-default", false, 800.0, [0.914, 0.894, 0.837, 0.781, 0.715]),
    ("ns2-default", true, 300.0, [0.869, 0.876, 0.877, 0.874, 0.868]),
    ("ns2-b11", false, 60.0, [6.087, 6.315, 6.133, 5.776, 5.386]),
    ("ns2-b11", true, 60.0, [4.534, 4.798, 4.805, 4.719, 4.601]),
    ("ns2-g54", false, 20.0, [31.006, 33.590, 30.548, 28.252, 26.034]),
    ("ns2-g54", true, 20.0, [24.368, 25.942, 25.335, 24.724, 23.915]),
];

#[test]
fn saturated_cells_are_as_in_ns2() {
    for (name, rts, seconds, figures) in NS2_CELLS {
        for (n, figure) in N.into_iter().zip(figures) {
            let found = saturated(&named(name, rts), &Layout::circle(n, 5.0), n, 1500, seconds, 1);
            assert_near(&format!("{name}, RTS {rts}, {n} stations"), found, figure, 2.0);
        }
    }
    // one station, no RTS
    let found = saturated(&named("ns2-dalal", false), &Layout::circle(1, 20.0), 1, 1500, 20.0, 1);
    assert_near("ns2-dalal", found, 9.143, 0.5);
}

/// 480 m apart round a receiver, carrier sense of 550 m: no hidden pair.
#[test]
fn two_senders_in_range_of_one_receiver_sense_each_other_in_ns2() {
    let found = saturated(&named("ns2-default", false), &Layout::circle(2, 240.0), 2, 1500, 1000.0, 1);
    assert_near("480 m apart", found, 0.923, 1.0);
}

/// Throughput in Mbps of each of `n` stations of which the first is slow.
fn with_a_slow_one(params: &Params, layout: Layout, n: usize, slow: Rate, seconds: f64) -> Vec<f64> {
    let mut spec = MediumSpec::new("cell", params.clone(), layout);
    spec.rates = vec![None, Some(slow)];
    let mut run = Run::new(&spec, &senders_to_0(n, 1500), 1).unwrap();
    run.until(Time::from_secs(seconds));
    run.delivered[1..].iter().map(|packets| *packets as f64 * 12e-3 / seconds).collect()
}

/// M. Heusse et al., INFOCOM 2003, with `window` = CWmin: what each station gets, in Mbps.
fn heusse(params: &Params, n: usize, slow: Rate) -> f64 {
    let (n, window) = (n as f64, f64::from(params.cw_min));
    let us = |span: units::Span| span.0 as f64 / 1e3;
    let collides = 1.0 - (1.0 - 1.0 / window).powf(n - 1.0);
    let contention = us(params.slot) * (1.0 + collides) / (2.0 * n) * window / 2.0;
    let exchange = |rate| us(Exchange::new(params, rate, 1500, false).airtime(params.sifs) + params.difs) + contention;
    let (fast, slow) = (exchange(params.rate), exchange(slow));
    let jam = 2.0 / n * slow + (1.0 - 2.0 / n) * fast;
    12_000.0 / ((n - 1.0) * fast + slow + collides * jam * n)
}

#[test]
fn all_get_what_the_slow_station_gets() {
    let ns2 = named("ns2-b11", false);
    // N = 2: Pc 0.0323, contention 80.0; 1751.6 + 12908.0 + 0.0323 x 12908 x 2 = 15492: 0.7746
    assert_near("the formula", heusse(&ns2, 2, Rate::plain(1000)), 0.7746, 0.02);
    // measured with ns-2 2.35: 0.769 and 0.767; a slow one of five 0.523, all five 0.508
    for (n, measured) in [(2, 0.768), (5, 0.508)] {
        let found = with_a_slow_one(&ns2, Layout::circle(n, 5.0), n, Rate::plain(1000), 2000.0);
        let mean = found.iter().sum::<f64>() / n as f64;
        assert_near(&format!("{n} stations, ns-2"), mean, measured, 2.0);
        assert_near(&format!("{n} stations, formula"), mean, heusse(&ns2, n, Rate::plain(1000)), 5.0);
        for each in found {
            assert_near(&format!("one of {n}"), each, mean, 5.0);
        }
    }
    let b = named("dot11b", false);
    for (n, formula, percent) in [
        (2, heusse(&b, 2, Rate::dsss(1000)), 5.0),
        (5, heusse(&b, 5, Rate::dsss(1000)), 5.0),
        // Heusse's formula lets no window grow: 0.2555 collisions per packet of ten stations, and 0.3198 Mbps. With
        // Bianchi's tau 0.03731 it is (1 - Ps) / Ps = 0.193, one in 4.8 with the slow station. Ten packets take 10 x
        // 1993 us at 11 Mbps alone, and longer by 11226 us for the slow one, and by 11170 us for 1.93 x 0.21
        // collisions: 0.3363
        (10, 0.3363, 2.0),
    ] {
        let found = with_a_slow_one(&b, Layout::Everyone { stations: n + 1 }, n, Rate::dsss(1000), 2000.0);
        let mean = found.iter().sum::<f64>() / n as f64;
        assert_near(&format!("dot11b, {n} stations"), mean, formula, percent);
        for each in found {
            assert_near(&format!("one of {n}"), each, mean, 5.0);
        }
    }
}

#[test]
fn a_protected_cell_has_the_cycle_worked_out_by_hand() {
    let params = Params { rts_threshold: u32::MAX, ..Params::dot11g_protected() };
    // 756 us for 12000 bits
    let found = saturated(&params, &Layout::Everyone { stations: 2 }, 1, 1500, 60.0, 1);
    assert_near("alone", found, 12_000.0 / 756.0, 0.5);
}
