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

/// The path of `red.tcl`.
fn measured(flows: usize, limit: u32, red: RedSpec, ecn: bool, seed: u64) -> Row {
    let queue = |limit| QueueSpec::drop_tail(QueueLimit::Packets(limit), Counting::Ns2);
    let mut core = direction(10_000_000, 20, 1000);
    core.queue = queue(1000);
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
    [goodput, link.queue_integral / SECONDS, (link.losses.early + link.losses.queue) as f64]
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

/// What the README's table shows, rounded up: goodput and drops agree within the seeds' spread or nearly so, the queue is up to
/// 0.2 packets longer here.
const WITHIN: [(&str, f64); 3] = [("goodput", 0.005), ("queue", 0.04), ("drops", 0.06)];

#[test]
fn goodput_queue_and_drops_are_those_of_ns2() {
    for (name, flows, limit, red, ecn) in cases() {
        let ours: Vec<Row> = (1..=SEEDS).map(|seed| measured(flows, limit, red, ecn, seed)).collect();
        let theirs = recorded(name);
        assert_eq!(theirs.len(), 10, "{name}");
        for (i, (quantity, within)) in WITHIN.into_iter().enumerate() {
            let (a, b) = (mean(&ours, i), mean(&theirs, i));
            assert!((a / b - 1.0).abs() < within, "{name}: {quantity} {a:.2}, ns-2 {b:.2}");
        }
    }
}
