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

/// Payload bytes that arrived in row `row`, each once.
fn distinct(flows: &Table, row: usize, segment: f64) -> f64 {
    (number(flows, "received_segments", row) - number(flows, "duplicate_segments", row)) * segment
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
fn goodput_after_a_warm_up_is_no_more_than_the_bottleneck_carries() {
    let text = dumbbell(
        "duration = \"30 s\"\nwarmup = \"5 s\"",
        "rate = \"2 Mbps\", delay = \"20 ms\", queue = \"60 packets\", loss = \"0.1 %\"",
        "algorithm = \"cubic\"",
    );
    // 1448 of 1500 bytes of 25 s at 2 Mbps; and one packet that was in transmission when the warm-up ended
    let most = 2e6 * 1448.0 / 1500.0 + 1448.0 * 8.0 / 25.0;
    for seed in 1..=10 {
        let flows = run(&text, seed).flows;
        for rate in ["goodput_bps", "goodput_run_bps"] {
            let found = number(&flows, rate, 0);
            assert!(found <= most && found > 0.8 * most, "seed {seed}: {rate} {found}");
        }
    }
}

#[test]
fn a_hole_across_the_end_of_the_warm_up_hides_nothing_and_shows_nothing_twice() {
    // 20 segments each RTT of 122 ms, the 200th packet is lost, and the hole is open for an RTT
    let text = |general: &str| {
        let bottleneck = "rate = \"10 Mbps\", delay = \"50 ms\", drops = { forward = [200] }";
        dumbbell(general, bottleneck, "algorithm = \"newreno\"\ntcp = { window = \"20 segments\" }")
    };
    let mut holes = 0;
    for ms in (1000..2000).step_by(40) {
        let long = run(&text(&format!("duration = \"5 s\"\nwarmup = \"{ms} ms\"")), 1).flows;
        let short = run(&text(&format!("duration = \"{ms} ms\"")), 1).flows;
        let early = distinct(&short, 0, 1448.0);
        holes += usize::from(number(&short, "delivered_bytes", 0) < early);
        let measured = number(&long, "goodput_run_bps", 0) * (5.0 - ms as f64 / 1000.0) / 8.0;
        // what had arrived before, in order or not, and what arrived later
        let delivered = number(&long, "delivered_bytes", 0);
        assert!((delivered - early - measured).abs() < 1e-3, "{ms} ms: {delivered}, {early}, {measured}");
        // nothing came twice, so what arrived is what was delivered
        assert_eq!(number(&long, "throughput_bps", 0), number(&long, "goodput_bps", 0));
    }
    assert!(holes >= 2, "{holes} holes");
}

#[test]
fn so_it_is_with_the_stream_of_a_connection_over_several_paths() {
    // on two paths of unlike delay something waits out of order at all times
    let text = r#"
        scenario = { profile = "rfc", duration = "20 s", warmup = "2 s" }
        [topology]
        kind = "graph"
        links = [
            { name = "near", from = "a", to = "b", rate = "2 Mbps", delay = "5 ms", queue = "1000 packets" },
            { name = "far", from = "a", to = "b", rate = "2 Mbps", delay = "80 ms", queue = "1000 packets" },
        ]
        [[flows]]
        from = "a"
        to = "b"
        algorithm = "newreno"
        multipath = { paths = 2, buffer = "60 segments" }
        tcp = { window = "30 segments" }
    "#;
    let (long, short) = (run(text, 1), run(&text.replace("20 s\", warmup = \"2 s", "2 s"), 1));
    let early = distinct(&short.flows, 0, 1448.0);
    assert!(number(&short.flows, "delivered_bytes", 0) + 5.0 * 1448.0 < early, "nothing waits at 2 s");
    let measured = number(&long.flows, "goodput_bps", 0) * 18.0 / 8.0;
    assert!((number(&long.flows, "delivered_bytes", 0) - early - measured).abs() < 1e-3, "{early} {measured}");
    // each link carries its 2 Mbps, and no more
    assert!(measured * 8.0 / 18.0 <= 2.0 * 2e6 * 1448.0 / 1500.0 + 2.0 * 1448.0 * 8.0 / 18.0);
}

#[test]
fn throughput_is_what_arrived_not_what_was_sent_into_a_full_queue() {
    let text = dumbbell(
        "duration = \"10 s\"\nwarmup = \"2 s\"",
        "rate = \"2 Mbps\", delay = \"20 ms\"",
        "transport = \"udp\"\ntraffic = { kind = \"cbr\", rate = \"8 Mbps\", packet = \"1000 B\" }",
    );
    let result = run(&text, 1);
    let (throughput, goodput) = (number(&result.flows, "throughput_bps", 0), number(&result.flows, "goodput_bps", 0));
    assert_eq!(throughput, goodput);
    // 1000 of 1028 bytes, and a packet that was in transmission when the warm-up ended
    assert!(throughput <= 2e6 / 1.028 + 1000.0 * 8.0 / 8.0 && throughput > 1.94e6, "{throughput}");
    assert!(number(&result.flows, "sent_bytes", 0) > 9e6); // the source sent its 8 Mbps
    // copies count: FullTcp or not, a spurious timeout sends again what has arrived
    let text = dumbbell(
        "duration = \"10 s\"",
        "rate = \"2 Mbps\", delay = \"20 ms\", drops = { reverse = [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30] }",
        "algorithm = \"newreno\"\ntcp = { window = \"10 segments\" }",
    );
    let flows = run(&text, 1).flows;
    let copies = number(&flows, "duplicate_segments", 0);
    let more = (number(&flows, "throughput_bps", 0) - number(&flows, "goodput_bps", 0)) * 10.0 / 8.0;
    assert!(copies > 0.0 && (more - copies * 1448.0).abs() < 1e-3, "{copies} copies, {more} bytes");
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
    // 50 kB at 2 Mbps take 200 ms, and the way 20 ms; the ACK comes back as long after that
    let [took, known] = ["completion_s", "completion_acked_s"].map(|column| number(&flows, column, 1));
    assert!((0.220..1.0).contains(&took) && known > took + 0.020, "{took} s, {known} s");
    // the connection opens with the first data: nothing flows back before
    let late = both.replace("algorithm", "start = \"3 s\"\nalgorithm");
    let flows = run(&dumbbell("duration = \"10 s\"", "rate = \"2 Mbps\", delay = \"20 ms\"", &late), 1).flows;
    assert_eq!(number(&flows, "start_s", 1), 3.0);
    assert_eq!(number(&flows, "active_s", 1), number(&flows, "completion_s", 1));
    // nor is the time before it part of the rate of one without end
    let endless = late.replace("size = \"50 kB\"\n", "");
    let flows = run(&dumbbell("duration = \"10 s\"", "rate = \"2 Mbps\", delay = \"20 ms\"", &endless), 1).flows;
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

#[test]
fn what_waited_behind_the_narrow_link_counts_when_it_arrives() {
    // UDP fills the first link, 2 Mbps. The second, 20 Mbps, is out for two seconds before the warm-up ends, so 4 Mbit
    // wait there, which arrive after it: more than the first link carries in the measured 10 s, no more than the second
    let text = r#"
        scenario = { profile = "rfc", duration = "20 s", warmup = "10 s" }
        [topology]
        kind = "graph"
        [[topology.links]]
        name = "narrow"
        from = "a"
        to = "b"
        rate = "2 Mbps"
        delay = "5 ms"
        [[topology.links]]
        name = "wide"
        from = "b"
        to = "c"
        rate = "20 Mbps"
        delay = "5 ms"
        queue = "1000 packets"
        outages = [{ at = "8 s", for = "2 s" }]
        [[flows]]
        from = "a"
        to = "c"
        transport = "udp"
        traffic = { kind = "cbr", rate = "4 Mbps", packet = "1000 B" }
    "#;
    let flows = run(text, 1).flows;
    let bits = number(&flows, "goodput_bps", 0) * 10.0;
    assert!((bits - 24e6 / 1.028).abs() < 10.0 * 8000.0, "{bits}"); // 1000 of 1028 bytes
    // over the whole run the narrow link bounds it
    assert!(number(&flows, "delivered_bytes", 0) * 8.0 <= 40e6 / 1.028);
}

#[test]
fn an_ack_may_ride_on_data_without_a_header() {
    // ns-2's Vegas core: segments of a byte, smaller than the pure ACK of 40 bytes; the run itself checks the bounds
    let both = "algorithm = \"newreno\"\nsegment = \"1 B\"\ndirection = \"both\"\ntcp = { recovery = \"vegas\" }";
    let text = dumbbell("duration = \"2 s\"", "rate = \"64 kbps\", delay = \"1 ms\"", both);
    let flows = run(&text.replace("profile = \"rfc\"", "profile = \"ns2\""), 1).flows;
    // 11 ms each way, and a byte at 64 kbit/s in both directions
    assert!(number(&flows, "rtt_min_s", 0) > 0.02225);
}
