//! Faults that drawn scenarios have shown, each as small as it gets.

use scenario::{Column, RunOptions, RunResult, Scenario};
use serde_json::{Value, json};

fn run(description: &Value) -> RunResult {
    let scenario =
        Scenario::from_json(&description.to_string(), "found", &[]).unwrap_or_else(|error| panic!("{error}"));
    scenario.points()[0].run(1, &RunOptions::default()).expect("it is legal")
}

/// The values of a column by flow, in the order of their names.
fn by_flow(result: &RunResult, key: &str) -> Vec<(String, String)> {
    let Some(Column::Str(flows)) = result.flows.column("flow") else { panic!("flows have names") };
    let values: Vec<String> = match result.flows.column(key) {
        Some(Column::F64(values)) => values.iter().map(f64::to_string).collect(),
        Some(Column::I64(values)) => values.iter().map(i64::to_string).collect(),
        other => panic!("{other:?}"),
    };
    let mut all: Vec<(String, String)> = flows.iter().map(|name| name.to_string()).zip(values).collect();
    all.sort();
    all
}

fn chain(radio: &Value, flows: &Value) -> Value {
    let topology = json!({ "kind": "chain", "nodes": 2, "spacing": "10 m", "radio": radio });
    json!({ "scenario": { "duration": "500 ms" }, "topology": topology, "flows": flows })
}

/// UDP and TFRC counted the bytes of routing as payload: more arrived than had been sent.
#[test]
fn bytes_of_routing_are_no_payload() {
    let call = json!({ "kind": "cbr", "rate": "80 kbps", "packet": "100 B" });
    let flows = json!([
        { "name": "call", "from": "n0", "to": "n1", "transport": "udp", "traffic": call },
        { "name": "video", "from": "n0", "to": "n1", "algorithm": "tfrc", "segment": "700 B" },
    ]);
    let result = run(&chain(&json!({ "routing_bytes": "20 B" }), &flows));
    for ((flow, bytes), each) in by_flow(&result, "delivered_bytes").iter().zip([100, 700]) {
        let bytes: u64 = bytes.parse().expect("a whole number");
        assert!(bytes > 10 * each && bytes.is_multiple_of(each), "{flow}: {bytes}");
    }
}

/// Requests for addresses had the class of the flow between the two that was declared first.
#[test]
fn requests_for_addresses_have_no_class_of_a_flow() {
    let packets = json!({ "kind": "cbr", "rate": "20 Mbps", "packet": "1000 B" });
    let mut voice = json!({ "name": "a", "from": "n0", "to": "n1", "start": "1.3 ms", "class": "voice" });
    let mut background = json!({ "name": "b", "from": "n1", "to": "n0", "start": "1 ms", "class": "background" });
    for flow in [&mut voice, &mut background] {
        (flow["transport"], flow["traffic"]) = (json!("udp"), packets.clone());
    }
    let radio = json!({ "edca": true, "arp": true });
    let delays = |flows: Value| by_flow(&run(&chain(&radio, &flows)), "owd_mean_s");
    assert_eq!(delays(json!([voice, background])), delays(json!([background, voice])));
}

/// What the queue of an access point dropped while a medium went on by itself was taken for a drop of the next wired
/// link with a queue discipline, and counted on neither.
#[test]
fn drops_of_an_access_point_are_counted_beside_wired_queues() {
    let flow = |to| {
        let traffic = json!({ "kind": "poisson", "rate": "20 Mbps", "packet": "1000 B" });
        json!({ "from": "wired/0", "to": to, "transport": "udp", "traffic": traffic })
    };
    let radio = json!({ "set": "dot11n", "rate": "MCS 4", "ap_queue": { "discipline": "codel" } });
    let backbone = json!({ "rate": "600 Mbps", "delay": "2 ms", "queue": { "discipline": "fq-codel" } });
    let result = run(&json!({
        "scenario": { "duration": "1 s" },
        "topology": { "kind": "wlan", "stations": 2, "radio": radio, "backbone": backbone },
        "flows": [flow("station/0"), flow("station/1")],
    }));
    let sum = |key: &str| match result.links.column(key) {
        Some(Column::I64(values)) => values.iter().sum::<i64>(),
        other => panic!("{other:?}"),
    };
    let (offered, delivered, in_flight) = (sum("offered_packets"), sum("delivered_packets"), sum("in_flight_packets"));
    assert!(sum("loss_early") > 10);
    assert_eq!(offered, delivered + in_flight + sum("loss_early") + sum("loss_queue") + sum("loss_mac_retry"));
}

/// A packet that lay in two frames counted as measured with all its bytes if the warm-up ended in the second, but
/// only that frame counted as room for it.
#[test]
fn a_packet_may_lie_in_frames_before_and_after_the_end_of_the_warm_up() {
    // 1.4 MHz at 2 bit/s per hertz carry 350 B in a millisecond: each packet of 700 B takes two frames
    let traffic = json!({ "kind": "cbr", "rate": "30 Mbps", "packet": "672 B" });
    for (warmup, duration) in [("24.5 ms", "99 ms"), ("24.5 ms", "100 ms"), ("25.5 ms", "99 ms"), ("25.5 ms", "100 ms")]
    {
        let result = run(&json!({
            "scenario": { "duration": duration, "warmup": warmup },
            "topology": {
                "kind": "cellular", "preset": "lte-like", "stations": ["0 m"], "bandwidth": "1.4 MHz",
                "mobile": { "from": "10 m", "to": "20 m", "speed": "1 m/s" },
                "backbone": { "rate": "100 Mbps", "delay": "1 ms" },
            },
            "flows": [{ "from": "mobile/0", "to": "server", "transport": "udp", "traffic": traffic }],
        }));
        // the bounds are asserted at the end of the run
        let bytes: u64 = by_flow(&result, "delivered_bytes")[0].1.parse().expect("a whole number");
        assert!(bytes > 10_000, "{bytes}");
    }
}

/// A packet whose requests to send all failed counted as transmitted: a hop carried five times what its rate allows.
#[test]
fn what_was_never_on_air_was_not_transmitted() {
    let traffic = json!({ "kind": "cbr", "rate": "90 Mbps", "packet": "1500 B" });
    let loss = json!({ "rate": "90 %", "at": "mac" });
    let description = chain(
        &json!({ "rts_threshold": "0 B", "short_retry_limit": 1, "loss": loss }),
        &json!([{ "from": "n0", "to": "n1", "transport": "udp", "traffic": traffic }]),
    );
    let result = run(&description);
    let Some(Column::F64(shares)) = result.links.column("utilisation") else { panic!("links have a utilisation") };
    assert!(shares.iter().any(|share| *share > 0.01), "{shares:?}");
    assert!(shares.iter().all(|share| *share <= 1.0), "{shares:?}");
}
