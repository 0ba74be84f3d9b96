//! Cells measured with ns-2 2.35, 5 seeds each: goodput, and the share of exchanges whose first frame was not answered.

mod common;

use common::{Run, senders_to_0};
use units::Time;
use wlan::params::Plcp;
use wlan::{Layout, MediumSpec, Params, Rate};

const BYTES: u32 = 1000;

fn named(name: &str, rts: bool) -> Params {
    let mut params = Params::named(if name == "ns2-g54a" { "ns2-g54" } else { name }).unwrap();
    if name == "ns2-g54a" {
        // a preamble of 20.333 us makes the ACK 39 us long: stations agree on the slots
        params.plcp = Plcp { bits: 120, bps: 5.901_646e6 };
    }
    params.rts_threshold = if rts { 0 } else { 3000 };
    params
}

/// Goodput in Mbps, share of failed attempts, share of packets given up.
fn measure(spec: &MediumSpec, senders: usize, seconds: f64) -> [f64; 3] {
    let mut run = Run::new(spec, &senders_to_0(senders, BYTES), 1).unwrap();
    run.until(Time::from_secs(seconds));
    let sum = |count: fn(&wlan::StationStats) -> u64| {
        (1..=senders as u32).map(|station| count(&run.stats(station))).sum::<u64>() as f64
    };
    let goodput = run.delivered.iter().sum::<u64>() as f64 * 8.0 * f64::from(BYTES) / seconds / 1e6;
    let done = sum(|stats| stats.dropped + stats.acked);
    [goodput, sum(|stats| stats.failures) / sum(|stats| stats.attempts), sum(|stats| stats.dropped) / done]
}

fn check(what: &str, found: [f64; 3], goodput: f64, percent: f64, failed: f64, dropped: f64) {
    let off = 100.0 * (found[0] / goodput - 1.0);
    assert!(off.abs() < percent, "{what}: {:.4} Mbps, not {goodput}: {off:+.2} %", found[0]);
    assert!((found[1] - failed).abs() < 0.015, "{what}: {:.4} of attempts fail, not {failed}", found[1]);
    assert!((found[2] - dropped).abs() < 0.012 + 0.05 * dropped, "{what}: {:.4} given up, not {dropped}", found[2]);
}

/// Goodput, failed attempts and drops of one number of stations.
type Row = [f64; 3];

/// `n` = 1, 2, 5, 10, 20 stations on a circle of 20 m.
const CELLS: [(&str, bool, f64, [Row; 5]); 7] = [
    (
        "ns2-b11",
        false,
        60.0,
        [
            [4.9744, 0.0, 0.0],
            [5.2525, 0.06075, 0.0],
            [5.1656, 0.18054, 0.00003],
            [4.8702, 0.28990, 0.00019],
            [4.5033, 0.39611, 0.00196],
        ],
    ),
    (
        "ns2-b11",
        true,
        60.0,
        [
            [3.5033, 0.0, 0.0],
            [3.6688, 0.06124, 0.0],
            [3.6982, 0.18283, 0.0],
            [3.6317, 0.28749, 0.00018],
            [3.5269, 0.38844, 0.00147],
        ],
    ),
    (
        "ns2-g54",
        false,
        25.0,
        [
            [25.5614, 0.0, 0.0],
            [28.2550, 0.0, 0.0],
            [25.8315, 0.20426, 0.00007],
            [23.9545, 0.32243, 0.00119],
            [22.0697, 0.42530, 0.00556],
        ],
    ),
    (
        "ns2-g54",
        true,
        25.0,
        [
            [19.1189, 0.0, 0.0],
            [20.5828, 0.0, 0.0],
            [20.0337, 0.20330, 0.00009],
            [19.4314, 0.32305, 0.00117],
            [18.6954, 0.42954, 0.00566],
        ],
    ),
    (
        "ns2-g54a",
        false,
        25.0,
        [
            [25.4996, 0.0, 0.0],
            [25.7950, 0.11538, 0.0],
            [24.2908, 0.27141, 0.00016],
            [22.6922, 0.37398, 0.00168],
            [20.9519, 0.46797, 0.00669],
        ],
    ),
    (
        "ns2-default",
        false,
        800.0,
        [
            [0.8764, 0.0, 0.0],
            [0.8611, 0.06163, 0.0],
            [0.8096, 0.18134, 0.0],
            [0.7553, 0.28680, 0.00017],
            [0.6908, 0.39761, 0.00174],
        ],
    ),
    (
        "ns2-default",
        true,
        500.0,
        [
            [0.8159, 0.0, 0.0],
            [0.8249, 0.05869, 0.0],
            [0.8261, 0.18359, 0.0],
            [0.8227, 0.28873, 0.00022],
            [0.8173, 0.38856, 0.00159],
        ],
    ),
];

#[test]
fn saturated_cells() {
    for (name, rts, seconds, rows) in CELLS {
        for (n, [goodput, failed, dropped]) in [1, 2, 5, 10, 20].into_iter().zip(rows) {
            let spec = MediumSpec::new("cell", named(name, rts), Layout::circle(n, 20.0));
            let found = measure(&spec, n, seconds);
            check(&format!("{name}, RTS {rts}, {n} stations"), found, goodput, 2.0, failed, dropped);
        }
    }
}

/// A and C, 400 m apart, send to B between them; carrier sense reaches 250 m. The share of failed attempts of the rows
/// with RTS counts RTS alone.
#[test]
fn hidden_stations() {
    for (name, rts, seconds, goodput, failed, dropped) in [
        ("ns2-b11", false, 120.0, 3.5107, 0.38080, 0.04677),
        ("ns2-b11", true, 120.0, 3.2004, 0.25202, 0.01810),
        ("ns2-g54", false, 60.0, 20.3046, 0.27345, 0.02900),
        ("ns2-g54", true, 60.0, 17.8394, 0.19896, 0.00772),
        ("ns2-default", false, 3000.0, 0.0834, 0.93399, 0.61942),
        ("ns2-default", true, 1000.0, 0.7982, 0.25375, 0.01794),
    ] {
        let mut params = named(name, rts);
        params.radio.cs_threshold = 3.652e-10;
        let spec = MediumSpec::new("hidden", params, Layout::circle(2, 200.0));
        let found = measure(&spec, 2, seconds);
        check(&format!("{name}, RTS {rts}"), found, goodput, 2.0, failed, dropped);
    }
}

/// Two stations, each with its own rate.
#[test]
fn stations_of_two_rates() {
    for (rts, rates, goodput, failed) in [
        (false, [11_000, 1000], 1.4386, 0.06065),
        (false, [11_000, 11_000], 5.2506, 0.06111),
        (false, [1000, 1000], 0.8601, 0.06353),
        (true, [11_000, 1000], 1.3437, 0.05910),
        (true, [11_000, 11_000], 3.6686, 0.06150),
        (true, [1000, 1000], 0.8249, 0.05875),
    ] {
        let mut spec = MediumSpec::new("cell", named("ns2-b11", rts), Layout::circle(2, 20.0));
        spec.rates = vec![None, Some(Rate::plain(rates[0])), Some(Rate::plain(rates[1]))];
        let found = measure(&spec, 2, 600.0);
        check(&format!("RTS {rts}, {rates:?} kbps"), found, goodput, 2.0, failed, 0.0);
    }
}
