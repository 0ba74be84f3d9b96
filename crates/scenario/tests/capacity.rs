//! What the links of a point carry, as the engine tells whoever asks.

use scenario::Scenario;
use serde_json::{Value as Json, json};

/// Three pairs across 8 Mbps and 50 ms, each host on 5 Mbps and 10 ms.
const THREE: &str = r#"
[scenario]
duration = "200 s"
profile = "ns2"
[topology]
kind = "dumbbell"
pairs = 3
access = { rate = "5 Mbps", delay = "10 ms" }
bottleneck = { rate = "8 Mbps", delay = "50 ms" }
[[flows]]
name = "flow"
from = "left/*"
to = "right/*"
algorithm = "newreno"
segment = "1460 B"
start = "uniform(0 s, 10 s)"
"#;

fn capacity(sets: &[(&str, &str)], groups: &[&str]) -> Json {
    let sets: Vec<_> = sets.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let scenario = Scenario::from_toml(THREE, "three.toml", &sets).unwrap();
    let groups: Vec<_> = groups.iter().map(|group| group.to_string()).collect();
    serde_json::from_str(&scenario.points()[0].capacity(&groups).unwrap()).unwrap()
}

/// Of each cut: how many links, bits per second of all of them, and whether flows share one.
fn cuts(found: &Json) -> Vec<(usize, f64, bool)> {
    let rates =
        |cut: &Json| cut["links"].as_array().unwrap().iter().map(|link| link["rate_bps"].as_f64().unwrap()).collect();
    found["cuts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cut| {
            let rates: Vec<f64> = rates(cut);
            (rates.len(), rates.iter().sum(), cut["shared"].as_bool().unwrap())
        })
        .collect()
}

#[test]
fn a_row_is_cut_at_the_senders_the_bottleneck_and_the_receivers() {
    let found = capacity(&[], &[]);
    assert_eq!(cuts(&found), [(3, 15e6, false), (1, 8e6, true), (3, 15e6, false)]);
    assert_eq!(found["cuts"][1]["links"][0]["link"], "bottleneck");
    assert_eq!((&found["flows"], &found["payload"], &found["packet"]), (&json!(3), &json!(1460), &json!(1500)));
    assert_eq!((&found["duration_s"], &found["active_s"]), (&json!(200.0), &json!(190.0)));
    assert_eq!(found["round_trip_s"], json!(0.14));
    // 8 Mbps x 140 ms / 8 / 1500 B = 93.3
    assert!((found["bdp_packets"].as_f64().unwrap() - 93.333).abs() < 0.001, "{found}");
}

#[test]
fn data_both_ways_have_both_directions_of_each_link() {
    let found = capacity(&[("flows.direction", "both")], &[]);
    assert_eq!(found["flows"], json!(6));
    assert_eq!(cuts(&found), [(6, 30e6, false), (2, 16e6, true), (6, 30e6, false)]);
    // and so have flows that run the other way
    let back = r#"[{ name = "a", from = "left/*", to = "right/*", algorithm = "reno" }, { name = "b", from = "right/*", to = "left/*", algorithm = "reno" }]"#;
    let found = capacity(&[("flows", back)], &[]);
    assert_eq!(cuts(&found), [(6, 30e6, false), (2, 16e6, true), (6, 30e6, false)]);
    assert_eq!(cuts(&capacity(&[("flows", back)], &["b"])), [(3, 15e6, false), (1, 8e6, true), (3, 15e6, false)]);
    assert_eq!(capacity(&[("flows", back)], &["c"]), Json::Null);
}

#[test]
fn one_flow_shares_nothing() {
    let found = capacity(&[("topology.pairs", "1")], &[]);
    assert_eq!(cuts(&found), [(1, 5e6, false), (1, 8e6, false), (1, 5e6, false)]);
}

#[test]
fn a_rate_that_changes_counts_by_its_mean() {
    let steps = r#"[{ at = "100 s", rate = "4 Mbps" }]"#;
    let found = capacity(&[("topology.bottleneck.changes", steps)], &[]);
    assert_eq!(cuts(&found)[1].1, 6e6);
}

#[test]
fn a_flow_that_ends_has_no_least_time() {
    assert_eq!(capacity(&[("flows.size", "1 MB")], &[])["active_s"], Json::Null);
    assert_eq!(capacity(&[("flows.start", "exponential(5 s)")], &[])["active_s"], Json::Null);
    assert_eq!(capacity(&[("flows.start", "every(3 s)")], &[])["active_s"], json!(194.0));
}
