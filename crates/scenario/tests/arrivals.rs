//! What is recorded of packets that arrive: their payload, each byte once, and their delays.

use scenario::{Column, RunOptions, RunResult, Scenario, Table, Word};

/// Connections and datagrams that lose packets on a link of 8 Mbit/s.
const LOSSY: &str = r#"
[scenario]
duration = "20 s"
profile = "ns2"

[topology]
kind = "dumbbell"
pairs = 2
access = { rate = "100 Mbps", delay = "1 ms" }
bottleneck = { rate = "8 Mbps", delay = "20 ms", queue = "20 packets", loss = "1 %" }

[[flows]]
name = "bulk"
from = "left/*"
to = "right/*"
algorithm = "sack"

[[flows]]
name = "short"
from = "right/0"
to = "left/0"
algorithm = "newreno"
size = "100300 B"

[[flows]]
name = "stream"
from = "left/0"
to = "right/0"
transport = "udp"
traffic = { kind = "cbr", rate = "1 Mbps", packet = "500 B" }

[output]
@
"#;

fn run(output: &str) -> RunResult {
    let scenario = Scenario::from_toml(&LOSSY.replace('@', output), "arrivals.toml", &[]);
    scenario.unwrap_or_else(|error| panic!("{error}")).points()[0].run(1, &RunOptions::default()).unwrap()
}

fn numbers<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    match table.column(name) {
        Some(Column::F64(values)) => values,
        other => panic!("{name}: {other:?}"),
    }
}

fn count(table: &Table, name: &str, row: usize) -> i64 {
    match table.column(name) {
        Some(Column::I64(values)) => values[row],
        other => panic!("{name}: {other:?}"),
    }
}

fn words<'a>(table: &'a Table, name: &str) -> &'a [Word] {
    match table.column(name) {
        Some(Column::Str(values)) => values,
        other => panic!("{name}: {other:?}"),
    }
}

/// Times and values of a series.
fn series(result: &RunResult, subject: &str, variable: &str) -> Vec<(f64, f64)> {
    let traces = &result.traces;
    let (subjects, variables) = (words(traces, "subject"), words(traces, "variable"));
    let (times, values) = (numbers(traces, "time_s"), numbers(traces, "value"));
    (0..traces.rows())
        .filter(|&at| subjects[at] == subject && variables[at] == variable)
        .map(|at| (times[at], values[at]))
        .collect()
}

#[test]
fn each_byte_counts_once_when_it_arrives() {
    let result = run("traces = [\"delivered\"]");
    for (row, flow) in words(&result.flows, "flow").iter().enumerate() {
        let arrived = series(&result, flow, "delivered_bytes");
        let (_, last) = arrived[arrived.len() - 1];
        assert!(arrived.is_sorted_by(|a, b| a.0 <= b.0 && a.1 < b.1), "{flow}: more and more");
        let of = |name| count(&result.flows, name, row);
        let new = of("received_segments") - of("duplicate_segments");
        assert_eq!(arrived.len() as i64, new, "{flow}: a value for each packet that brings something");
        // what waits behind a hole has arrived, too
        assert!(last >= of("delivered_bytes") as f64, "{flow}");
        let expected = if flow == "short" { 100_300.0 } else { new as f64 * arrived[0].1 };
        assert_eq!(last, expected, "{flow}: all of a transfer, whole segments of others");
    }
    // 8 Mbit/s carry a packet of 1500 bytes in 1.5 ms: no second has more than one more than fit
    let mut every: Vec<f64> = series(&result, "bulk/0", "delivered_bytes").iter().map(|&(at, _)| at).collect();
    every.extend(series(&result, "bulk/1", "delivered_bytes").iter().map(|&(at, _)| at));
    for second in 0..20 {
        let within = every.iter().filter(|&&at| at >= f64::from(second) && at < f64::from(second + 1)).count();
        assert!(within <= 668, "{within} packets in second {second}");
    }
}

#[test]
fn a_delay_stands_for_each_packet_that_arrives() {
    let result = run("traces = [\"delay\"]\ntrace_step = \"5 s\"");
    let mut checked = 0;
    for (row, flow) in words(&result.flows, "flow").iter().enumerate() {
        let delays = series(&result, flow, "delay_s");
        assert_eq!(delays.len() as i64, count(&result.flows, "received_segments", row), "{flow}: whatever the step");
        if count(&result.flows, "duplicate_segments", row) > 0 {
            continue; // the mean of the table is of what came for the first time
        }
        checked += 1;
        let mean = delays.iter().map(|(_, delay)| delay).sum::<f64>() / delays.len() as f64;
        assert!((mean / numbers(&result.flows, "owd_mean_s")[row] - 1.0).abs() < 1e-6, "{flow}: {mean}");
        // 22 ms of propagation; 20 packets of 1500 bytes at 8 Mbit/s wait 30 ms at most
        assert!(delays.iter().all(|(_, delay)| (0.022..0.058).contains(delay)), "{flow}");
    }
    assert!(checked > 0);
}

#[test]
fn what_is_recorded_changes_nothing() {
    let plain = format!("{:?}", run("").flows);
    assert_eq!(format!("{:?}", run("traces = [\"delivered\", \"delay\"]\ntrace_step = \"1 s\"").flows), plain);
    let grid = series(&run("traces = [\"delivered\"]\ntrace_step = \"1 s\""), "bulk/0", "delivered_bytes");
    assert!(grid.len() <= 21 && grid.iter().all(|(at, _)| at.fract() == 0.0));
}
