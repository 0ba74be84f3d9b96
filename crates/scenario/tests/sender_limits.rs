//! What keeps senders from sending more: the columns `cwnd_limited_s` and its three companions.

use scenario::{Column, RunOptions, Scenario, Table};

const NAMES: [&str; 4] = ["cwnd_limited_s", "rwnd_limited_s", "application_limited_s", "pacing_limited_s"];

/// The flows of a run of `flows` over 10 Mbps and 44 ms, a pipe of some 37 segments with a queue of 100.
fn flows(flows: &str) -> Table {
    let text = format!(
        r#"
scenario = {{ duration = "20 s", profile = "rfc" }}
topology = {{ kind = "dumbbell", access = {{ rate = "1 Gbps", delay = "1 ms" }}, bottleneck = {{ rate = "10 Mbps", delay = "20 ms", queue = "100 packets" }} }}
flows = [{flows}]
"#
    );
    let scenario = Scenario::from_toml(&text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    scenario.points()[0].run(1, &RunOptions::default()).unwrap().flows
}

fn number(table: &Table, name: &str) -> f64 {
    match table.column(name) {
        Some(Column::F64(values)) => values[0],
        other => panic!("{name}: {other:?}"),
    }
}

/// The four times, and the time from the opening to `end`, of which they are the parts.
fn limits(table: &Table, end: f64) -> [f64; 4] {
    let times = NAMES.map(|name| number(table, name));
    let open = end - number(table, "opened_s");
    assert!((times.iter().sum::<f64>() - open).abs() < 1e-6, "{times:?} of {open}");
    times
}

fn one(more: &str) -> String {
    format!(r#"{{ from = "left/0", to = "right/0", {more} }}"#)
}

#[test]
fn a_sender_without_end_waits_for_its_window() {
    let [cwnd, rwnd, application, pacing] = limits(&flows(&one(r#"algorithm = "newreno""#)), 20.0);
    assert!(cwnd > 19.9, "{cwnd}");
    // the default window of the receiver is far above what fits the path
    assert_eq!([rwnd, application, pacing], [0.0; 3]);
}

#[test]
fn a_small_window_of_the_receiver_limits_once_cwnd_has_outgrown_it() {
    let [cwnd, rwnd, application, pacing] =
        limits(&flows(&one(r#"algorithm = "newreno", tcp = { window = "20 segments" }"#)), 20.0);
    // ten segments in the first round trip of 44 ms, twenty and more in the second
    assert!((0.04..0.2).contains(&cwnd), "{cwnd}");
    assert!(rwnd > 19.5, "{rwnd}");
    assert_eq!([application, pacing], [0.0; 2]);
}

#[test]
fn in_a_recovery_with_sack_the_receivers_window_limits_where_cwnd_has_room() {
    let lossy = r#"algorithm = "newreno", tcp = { window = "20 segments", recovery = "rack-tlp" }"#;
    let [cwnd, rwnd, ..] = limits(&flows(&one(lossy)), 20.0);
    assert!(rwnd > 19.5 && cwnd < 0.2, "{cwnd} {rwnd}");
}

#[test]
fn bbr_waits_for_its_pace_and_newreno_for_its_window_though_it_is_paced() {
    let [cwnd, _, _, pacing] = limits(&flows(&one(r#"algorithm = "bbr""#)), 20.0);
    // its window is twice the pipe, but for a fiftieth of the time, in which it probes the RTT
    assert!(pacing > 18.0 && cwnd < 2.0, "{cwnd} {pacing}");
    let paced = r#"algorithm = "newreno", tcp = { pacing = "window", delayed_ack = 1 }"#;
    let [cwnd, _, _, pacing] = limits(&flows(&one(paced)), 20.0);
    // each ACK frees one segment, and the gap of pacing is over before the next ACK comes: it is a sixth shorter
    assert!(cwnd > 18.0 && pacing < 2.0, "{cwnd} {pacing}");
}

#[test]
fn a_transfer_waits_for_its_application_until_the_last_ack() {
    let table = flows(&one(r#"algorithm = "newreno", size = "14.48 kB""#));
    let ended = number(&table, "start_s") + number(&table, "completion_acked_s");
    let [cwnd, rwnd, application, pacing] = limits(&table, ended);
    // ten segments are the initial window: all leave at once, and a round trip later they are acknowledged
    assert!((application - 0.044).abs() < 0.02, "{application}");
    assert_eq!([cwnd, rwnd, pacing], [0.0; 3]);
}

#[test]
fn a_source_that_stops_waits_for_nothing_after_it() {
    let table = flows(&one(r#"algorithm = "newreno", stop = "5 s""#));
    let times = NAMES.map(|name| number(&table, name));
    assert!((4.8..5.2).contains(&times.iter().sum::<f64>()), "{times:?}");
}

#[test]
fn whether_the_first_slow_start_ever_ended() {
    let never = |more: &str| number(&flows(&one(more)), "never_left_slow_start");
    // the queue of 100 packets overflows after a second
    assert_eq!(never(r#"algorithm = "newreno""#), 0.0);
    // four round trips: 10, 20, 40 and 80 segments, and pipe and queue hold 137
    assert_eq!(never(r#"algorithm = "newreno", start = "19.8 s""#), 1.0);
    // without a loss, for its delay grows
    assert_eq!(never(r#"algorithm = "vegas""#), 0.0);
    assert_eq!(never(r#"algorithm = "bbr""#), 0.0);
}

#[test]
fn what_has_no_window_has_no_limits() {
    let udp = flows(&one(r#"transport = "udp", traffic = { kind = "cbr", rate = "1 Mbps", packet = "1000 B" }"#));
    let closed = flows(&one(r#"algorithm = "newreno", start = "19.99 s""#));
    for table in [udp, closed] {
        assert!(NAMES.iter().all(|name| number(&table, name).is_nan()));
    }
}
