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

/// The row of the bottleneck in the direction of the data.
fn bottleneck(links: &Table) -> usize {
    let Some(Column::Str(names)) = links.column("link") else { panic!("{links:?}") };
    names.iter().position(|name| name == "bottleneck").unwrap()
}

/// Utilisation of the bottleneck in a run of 6 s in which one packet of 1500 bytes comes to it at about 3 s.
fn of_one_packet(link: &str) -> f64 {
    let flow =
        "transport = \"udp\"\nstart = \"3 s\"\ntraffic = { kind = \"cbr\", rate = \"1 kbps\", packet = \"1500 B\" }";
    let text = dumbbell("duration = \"6 s\"", &format!("delay = \"1 ms\", {link}"), flow);
    let links = run(&text.replace("100 Mbps", "1 Tbps").replace("5 ms", "0 s"), 1).links;
    assert_eq!(number(&links, "transmitted_packets", bottleneck(&links)), 0.0);
    number(&links, "utilisation", bottleneck(&links))
}

#[test]
fn a_transmission_that_outlasts_the_run_uses_the_link_as_long_as_it_does() {
    // 12 000 bits at 1 kbps take 12 s, of which 3 s are in the run
    for (link, share) in [
        ("rate = \"1 kbps\"", 0.5),
        ("rate = \"1 kbps\", queue = { discipline = \"codel\", limit = \"10 packets\" }", 0.5),
        // 3000 bits of 5000: 2 s at 500 bps, 4 s at 1 kbps
        ("rate = \"500 bps\", changes = [{ at = \"2 s\", rate = \"1 kbps\" }]", 0.6),
        // 2000 bits of 4000: nothing can be sent for a second of each half
        ("rate = \"1 kbps\", outages = [{ at = \"0 s\", for = \"1 s\" }, { at = \"4 s\", for = \"1 s\" }]", 0.5),
        // the same, waiting for an event
        (
            "rate = \"1 kbps\", outages = [{ at = \"0 s\", for = \"1 s\" }, { at = \"4 s\", for = \"1 s\" }], \
             queue = { discipline = \"codel\", limit = \"10 packets\" }",
            0.5,
        ),
    ] {
        let found = of_one_packet(link);
        assert!((found - share).abs() < 1e-6, "{link}: {found}");
    }
    // opportunities at 2.999 and 7 s: one is too early, the other too late, and a packet leaves with a single one
    assert_eq!(of_one_packet("trace = [2999, 7000]"), 0.0);
}

#[test]
fn a_busy_link_is_used_in_full_whenever_the_run_ends() {
    // 5 ms of silence, then 1500 bytes each 6 ms without a gap
    for (milliseconds, share) in [(905, 900.0 / 905.0), (908, 903.0 / 908.0), (910, 905.0 / 910.0)] {
        let text = dumbbell(
            &format!("duration = \"{milliseconds} ms\""),
            "rate = \"2 Mbps\", delay = \"20 ms\"",
            "transport = \"udp\"\ntraffic = { kind = \"cbr\", rate = \"8 Mbps\", packet = \"1500 B\" }",
        );
        let links = run(&text.replace("100 Mbps", "1 Tbps"), 1).links;
        let found = number(&links, "utilisation", bottleneck(&links));
        assert!((found - share).abs() < 1e-6, "{milliseconds} ms: {found}, not {share}");
    }
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
