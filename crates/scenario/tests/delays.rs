//! No sender measures a delay that its path cannot have: neither the wait for a repair nor that for a second segment is
//! one.

use scenario::{Column, RunOptions, Scenario, Table};

/// Four flows on a lossy link of 10 Mbit/s; `@` is replaced.
const PATH: &str = r#"
[scenario]
duration = "30 s"
profile = "@profile"

[topology]
kind = "dumbbell"
pairs = 4
access = { rate = "10 Gbps", delay = "5 ms" }
bottleneck = { rate = "10 Mbps", delay = "20 ms", queue = "60 packets", loss = "@loss %" }

[[flows]]
from = "left/*"
to = "right/*"
algorithm = "@algorithm"
start = "uniform(0 s, 2 s)"

[tcp]
delayed_ack = 2
"#;

/// Propagation there and back; 60 packets of at most 1500 bytes that wait before one in transmission and one's own, 1.2
/// ms each; and what else is sent on the way: bursts at 10 Gbit/s, and ACKs behind ACKs.
const LONGEST_RTT_S: f64 = 0.060 + 62.0 * 0.0012 + 0.001;

fn numbers<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    match table.column(name) {
        Some(Column::F64(values)) => values,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn delays_are_those_of_the_path() {
    for profile in ["rfc", "ns2"] {
        for row in cc::registry::ALGORITHMS {
            // ns-2's Vegas does sample what was sent behind a hole: the comparison with ns-2 needs it
            if profile == "ns2" && row.name == "vegas" {
                continue;
            }
            for loss in ["1", "5"] {
                let text = PATH.replace("@profile", profile).replace("@loss", loss).replace("@algorithm", row.name);
                let scenario = Scenario::from_toml(&text, "delays.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
                let result = scenario.points()[0].run(1, &RunOptions::default()).unwrap();
                let longest = numbers(&result.flows, "rtt_max_s").iter().fold(0.0, |most: f64, &s| most.max(s));
                assert!(longest < LONGEST_RTT_S, "{} ({profile}) at {loss} %: {longest} s", row.name);
            }
        }
    }
}
