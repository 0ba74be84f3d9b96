//! No rate, share or time in the tables exceeds what the links carry over the time that it is said of.

use scenario::{Column, RunOptions, RunResult, Scenario, Table};

fn run(text: &str, seed: u64) -> RunResult {
    let scenario = Scenario::from_toml(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    scenario.points()[0].run(seed, &RunOptions::default()).unwrap()
}

fn number(table: &Table, name: &str, row: usize) -> f64 {
    match table.column(name) {
        Some(Column::F64(values)) => values[row],
        Some(Column::I64(values)) => values[row] as f64,
        other => panic!("{name}: {other:?}"),
    }
}

/// One or more flows, each written by `flow`, over a dumbbell with this bottleneck.
fn dumbbell(general: &str, bottleneck: &str, flow: &str) -> String {
    format!(
        "[scenario]\nprofile = \"rfc\"\n{general}\n[topology]\nkind = \"dumbbell\"\npairs = 1\n\
         access = {{ rate = \"100 Mbps\", delay = \"5 ms\", queue = \"1000 packets\" }}\n\
         bottleneck = {{ {bottleneck} }}\n[[flows]]\nfrom = \"left/0\"\nto = \"right/0\"\n{flow}\n"
    )
}

#[test]
fn a_transfer_back_takes_time_and_one_that_is_cut_short_does_not_complete() {
    let both = "algorithm = \"newreno\"\nsize = \"50 kB\"\ndirection = \"both\"\nreverse_start = \"2 s\"";
    let flows = run(&dumbbell("duration = \"10 s\"", "rate = \"2 Mbps\", delay = \"20 ms\"", both), 1).flows;
    assert_eq!(number(&flows, "delivered_bytes", 1), 50_000.0);
    // 50 kB at 2 Mbps take 200 ms, the way there and back 60 ms
    let took = number(&flows, "completion_s", 1);
    assert!((0.260..1.0).contains(&took), "{took} s");
    // the connection opens with the first data: nothing flows back before
    let late = both.replace("algorithm", "start = \"3 s\"\nalgorithm");
    let flows = run(&dumbbell("duration = \"10 s\"", "rate = \"2 Mbps\", delay = \"20 ms\"", &late), 1).flows;
    assert_eq!([number(&flows, "start_s", 1), number(&flows, "active_s", 1)], [3.0, 7.0]);

    let cut = "algorithm = \"newreno\"\nsize = \"500 kB\"\nstop = \"1 s\"";
    let flows = run(&dumbbell("duration = \"10 s\"", "rate = \"2 Mbps\", delay = \"20 ms\"", cut), 1).flows;
    assert!(number(&flows, "delivered_bytes", 0) < 500_000.0 && number(&flows, "completion_s", 0).is_nan());
    // one that has sent everything by then does
    let done = cut.replace("500 kB", "50 kB");
    let flows = run(&dumbbell("duration = \"10 s\"", "rate = \"2 Mbps\", delay = \"20 ms\"", &done), 1).flows;
    assert!(number(&flows, "completion_s", 0) < 1.0);
    // data back that would begin after that are not sent
    let never = both.replace("2 s", "2 s\"\nstop = \"1 s");
    let flows = run(&dumbbell("duration = \"10 s\"", "rate = \"2 Mbps\", delay = \"20 ms\"", &never), 1).flows;
    assert_eq!(number(&flows, "sent_segments", 1), 0.0);
    assert!(number(&flows, "completion_s", 1).is_nan());
}
