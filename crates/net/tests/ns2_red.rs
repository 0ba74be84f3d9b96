//! RED against ns-2's, in several of its modes: the mean over seeds of goodput, queue and drops.
//! Data: `tests/differential/ns2-red`, recorded with ns-2.35; its README says how.

mod common;

use common::*;
use net::*;
use tcp::Profile;
use units::{Span, Time};

const RECORDED: &str = include_str!("../../../tests/differential/ns2-red/red.csv");
const SEEDS: u64 = 4;
const SECONDS: f64 = 220.0;
const WARMUP: f64 = 20.0;

/// Goodput in segments per second of all flows, mean queue in packets, drops.
type Row = [f64; 3];

fn recorded(case: &str) -> Vec<Row> {
    let rows = RECORDED.lines().map(|line| line.split(',').collect::<Vec<_>>()).filter(|f| f[0] == case);
    rows.map(|f| [2, 3, 4].map(|i| f[i].parse().unwrap())).collect()
}

/// A bottleneck between the access links of `red.tcl`.
#[derive(Clone, Copy)]
struct Core {
    rate_bps: u64,
    delay: Span,
}

/// That of `red.tcl`. On it ns-2 rounds times so that a packet which comes in the instant of a departure comes first.
const USUAL: Core = Core { rate_bps: 10_000_000, delay: Span::from_millis(20) };
/// On this one ns-2 rounds so that the departure comes first, as it does here always.
const OTHER: Core = Core { rate_bps: 7_300_000, delay: Span(17_300_000) };

fn measured(core: Core, flows: usize, limit: u32, red: RedSpec, ecn: bool, seed: u64) -> Row {
    let Core { rate_bps, delay } = core;
    let queue = |limit| QueueSpec::drop_tail(QueueLimit::Packets(limit), Counting::Ns2);
    let core = DirectionSpec { delay, queue: queue(1000), ..direction(rate_bps, 0, 1000) };
    let mut access = direction(100_000_000, 1, 1000);
    access.queue = queue(1000);
    let mut network = dumbbell(flows, core, &access, "newreno", Profile::Ns2);
    network.links[0].forward.queue = QueueSpec { discipline: Discipline::Red(red), ecn, ..queue(limit) };
    let mut starts = sim::Stream::new(seed, "starts");
    for flow in &mut network.flows {
        flow.start = Time::from_secs(starts.uniform());
        let rules = &mut tcp(flow).rules;
        (rules.mss, rules.ecn) = (960, ecn);
    }
    let results = run(&network, seed, &RunOptions { warmup: Span::from_secs(WARMUP), ..options(SECONDS) });
    let link = &results.links[0].stats;
    let segments: u64 = results.flows.iter().map(|f| f.measured_bytes / 960).sum();
    let goodput = segments as f64 / (SECONDS - WARMUP);
    [goodput, link.queue_integral / SECONDS, (link.losses[LossCause::Early] + link.losses[LossCause::Queue]) as f64]
}

fn mean(rows: &[Row], i: usize) -> f64 {
    rows.iter().map(|row| row[i]).sum::<f64>() / rows.len() as f64
}

fn cases() -> Vec<(&'static str, usize, u32, RedSpec, bool)> {
    let red = RedSpec { wait: true, mean_packet: 1000, ..RedSpec::default() };
    vec![
        ("plain", 4, 100, red, false),
        ("two", 2, 100, red, false),
        ("ten", 10, 100, red, false),
        ("steep", 4, 100, RedSpec { gentle: false, ..red }, false),
        ("even", 4, 100, RedSpec { wait: false, ..red }, false),
        ("bytes", 4, 100, RedSpec { byte_mode: true, in_bytes: true, ..red }, false),
        ("adaptive", 10, 100, RedSpec { adaptive: true, ..red }, false),
        ("automatic", 4, 100, RedSpec { min: None, max: None, weight: None, mean_packet: 500, ..red }, false),
        ("marks", 4, 100, red, true),
        ("small-buffer", 10, 12, red, false),
    ]
}

/// So well must means over four seeds here and ten there agree: by a share, and drops by some packets more, which is
/// the seeds' spread where they are few.
type Within = [(&'static str, f64, f64); 3];

fn compare(core: Core, suffix: &str, within: Within) {
    for (name, flows, limit, red, ecn) in cases() {
        let ours: Vec<Row> = (1..=SEEDS).map(|seed| measured(core, flows, limit, red, ecn, seed)).collect();
        let theirs = recorded(&format!("{name}{suffix}"));
        assert_eq!(theirs.len(), 10, "{name}");
        for (i, (quantity, share, packets)) in within.into_iter().enumerate() {
            let (a, b) = (mean(&ours, i), mean(&theirs, i));
            assert!((a - b).abs() < share * b + packets, "{name}: {quantity} {a:.2}, ns-2 {b:.2}");
        }
    }
}

/// What the README's tables show, rounded up.
#[test]
fn goodput_queue_and_drops_are_those_of_ns2() {
    compare(OTHER, "-7.3", [("goodput", 0.003, 0.0), ("queue", 0.01, 0.0), ("drops", 0.02, 20.0)]);
}

/// The queue is up to 0.2 packets longer here: arrivals that tie with a departure see one packet less.
#[test]
fn where_ns2_rounds_the_other_way_they_are_nearly_so() {
    compare(USUAL, "", [("goodput", 0.005, 0.0), ("queue", 0.04, 0.0), ("drops", 0.03, 20.0)]);
}
