//! Legal scenarios at the ends of what is allowed run without panic and keep account of every packet; everything
//! shipped runs.

use proptest::prelude::*;
use proptest::sample::select;
use scenario::{RunOptions, Scenario};

fn run(text: &str) -> Result<(), TestCaseError> {
    let read = Scenario::from_toml(text, "extreme.toml", &[]);
    let scenario = read.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
    for point in scenario.points() {
        // Conservation of packets is asserted inside.
        point.run(1, &RunOptions::default()).map_err(|error| TestCaseError::fail(format!("{error:?}\n{text}")))?;
    }
    Ok(())
}

fn names() -> Vec<&'static str> {
    cc::registry::windowed().map(|row| row.name).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn extreme_scenarios_run(
        (algorithm, profile, duration) in (select(names()), select(vec!["rfc", "ns2"]), select(vec!["1 ns", "30 ms", "1 s", "5 s"])),
        (rate, back) in (select(vec!["1 bps", "56 kbps", "999999 bps", "20 Mbps"]), select(vec!["1 bps", "64 kbps", "20 Mbps"])),
        delay in select(vec!["0 s", "1 ns", "33 ms", "1 h"]),
        queue in select(vec!["1 packet", "2 packets", "1 B", "3 kB", "1000000000 packets", "1000 TB"]),
        counting in select(vec!["waiting", "ns2"]),
        (loss, at, direction) in (
            select(vec!["0 %", "1e-300 %", "3 %", "60 %", "100 %"]),
            select(vec!["wire", "queue"]),
            select(vec!["forward", "reverse", "both"]),
        ),
        (segment, header) in (select(vec!["1 B", "536 B", "1460 B", "64000 B"]), select(vec!["1 B", "40 B", "1000 B"])),
        window in select(vec!["1 segment", "2 segments", "64 segments", "16777216 segments"]),
        initial in select(vec!["\"1 segment\"", "\"rfc5681\"", "\"100000 segments\""]),
        dup_threshold in 1..=10_u32,
        (count_of_acks, most) in (select(vec!["acks", "bytes"]), select(vec!["off", "1 segment", "2 segments"])),
        (limited, burst) in (select(vec!["off", "2 segments", "all"]), select(vec!["off", "1 segment"])),
        recovery in select(vec!["tahoe", "reno", "newreno", "sack", "vegas"]),
        (rto_init, rto_min, rto_max, tick) in (
            select(vec!["1 ms", "1 s"]), select(vec!["1 ns", "1 s"]), select(vec!["1 s", "1 h"]), select(vec!["0 s", "1 ns", "500 ms", "1 h"]),
        ),
        (delayed, timer, mode) in (1..=16_u32, select(vec!["1 ms", "1 h"]), select(vec!["per-segment", "heartbeat"])),
        flags in proptest::collection::vec(any::<bool>(), 9),
        size in select(vec!["", "size = \"1 B\"", "size = \"100 kB\"", "size = \"1461 B\""]),
        data in select(vec!["forward", "both"]),
        count in 1..=3_u32,
    ) {
        let text = format!(r#"
            [scenario]
            duration = "{duration}"
            profile = "{profile}"
            [topology]
            kind = "three-routers"
            access = {{ rate = "100 Mbps", delay = "1 ms" }}
            first = {{ rate = "{rate}", delay = "{delay}", queue = "{queue}", queue_counting = "{counting}", loss = {{ rate = "{loss}", at = "{at}", direction = "{direction}" }}, drops = {{ forward = [0, 3, 4], reverse = [1] }}, warning = {{ threshold = "{count} packets" }}, reverse = {{ rate = "{back}" }} }}
            second = {{ rate = "20 Mbps", delay = "1 ms" }}
            [[flows]]
            from = "left/0"
            to = "right/0"
            count = {count}
            algorithm = "{algorithm}"
            segment = "{segment}"
            direction = "{data}"
            {size}
            [flows.tcp]
            header = "{header}"
            window = "{window}"
            initial_window = {initial}
            dup_threshold = {dup_threshold}
            ss_count = "{count_of_acks}"
            ca_count = "{count_of_acks}"
            ss_limit = "{most}"
            ss_limit_rto = "{most}"
            limited_transmit = "{limited}"
            max_burst = "{burst}"
            recovery = "{recovery}"
            rto_init = "{rto_init}"
            rto_min = "{rto_min}"
            rto_max = "{rto_max}"
            rtt_tick = "{tick}"
            delayed_ack = {delayed}
            delayed_ack_timer = "{timer}"
            delayed_ack_mode = "{mode}"
            timestamps = {}
            ns2_recovery = {}
            whole_ssthresh = {}
            rto_ssthresh_hold = {}
            cwnd_limited = {}
            slow_start_restart = {}
            dupack_from_data = {}
            ecn = {}
            [output]
            traces = ["cwnd", "ssthresh", "flight", "srtt", "queue"]
            events = {}
            "#,
            flags[0], flags[1], flags[2], flags[3], flags[4], flags[5], flags[6], flags[7], flags[8],
        );
        run(&text)?;
    }
}

/// The ready scenarios, each of their points, for two simulated seconds.
#[test]
fn everything_shipped_runs() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    assert!(!files.is_empty());
    for path in files {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        let whole = Scenario::from_toml(&text, &name, &[]).unwrap_or_else(|error| panic!("{error}"));
        let sets = [("duration", 12.0), ("warmup", 1.0)]
            .map(|(key, most): (_, f64)| (format!("scenario.{key}"), format!("{} s", most.min(whole.duration_s()))));
        let short = Scenario::from_toml(&text, &name, &sets).unwrap_or_else(|error| panic!("{error}"));
        for point in short.points() {
            let result = point.run(1, &RunOptions::default()).unwrap();
            assert!(result.flows.rows() > 0, "{name}");
        }
    }
}
