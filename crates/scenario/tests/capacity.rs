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

/// The rows of a run with seed 1: from when on, bits per second that are carried, and the round trip, ms.
fn course(sets: &[(&str, &str)], bin_s: f64) -> Vec<(f64, f64, f64)> {
    let sets: Vec<_> = sets.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let scenario = Scenario::from_toml(THREE, "three.toml", &sets).unwrap();
    let rows: Json = serde_json::from_str(&scenario.points()[0].course(&[], 1, bin_s).unwrap()).unwrap();
    let number = |row: &Json, key: &str| row[key].as_f64().unwrap();
    rows.as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (number(row, "from_s"), number(row, "carried_bps"), (1e6 * number(row, "round_trip_s")).round() / 1e3)
        })
        .collect()
}

/// Least and greatest round trip, rate of the narrowest link and rate of the bottleneck.
fn range(sets: &[(&str, &str)]) -> (Json, Json, Json) {
    let sets: Vec<_> = sets.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let scenario = Scenario::from_toml(THREE, "three.toml", &sets).unwrap();
    let found: Json = serde_json::from_str(&scenario.points()[0].range(&[], 1.0).unwrap()).unwrap();
    (found["round_trip_s"].clone(), found["narrowest_bps"].clone(), found["rates_bps"][1][0].clone())
}

#[test]
fn a_path_that_does_not_change_has_one_row_and_no_range() {
    assert_eq!(course(&[], 1.0), [(0.0, 8e6, 140.0)]);
    assert_eq!(range(&[]), (json!([0.14, 0.14]), json!([8e6, 8e6]), json!([8e6, 8e6])));
}

#[test]
fn rates_and_delays_are_followed_step_by_step() {
    let steps = [(
        "topology.bottleneck.changes",
        r#"[{ at = "100 s", rate = "4 Mbps" }, { at = "120 s", delay = "70 ms" }, { at = "500 s", rate = "1 Mbps" }]"#,
    )];
    // the way back has its own delay, and a change of the link is one of both
    assert_eq!(course(&steps, 1.0), [(0.0, 8e6, 140.0), (100.0, 4e6, 140.0), (120.0, 4e6, 180.0)]);
    assert_eq!(range(&steps), (json!([0.14, 0.18]), json!([4e6, 8e6]), json!([4e6, 8e6])));
}

#[test]
fn nothing_is_carried_in_an_outage_and_the_rate_stays() {
    let outage = [("topology.bottleneck.outages", r#"[{ at = "50 s", for = "2 s" }]"#)];
    assert_eq!(course(&outage, 1.0), [(0.0, 8e6, 140.0), (50.0, 0.0, 140.0), (52.0, 8e6, 140.0)]);
    assert_eq!(range(&outage).1, json!([8e6, 8e6]));
    // of very many outages the mean is told
    let often = [("topology.bottleneck.outages", r#"[{ at = "100 ms", for = "10 ms", every = "100 ms" }]"#)];
    let rows = course(&often, 1.0);
    assert_eq!(rows.len(), 1);
    assert!((rows[0].1 / 7.2e6 - 1.0).abs() < 1e-3, "{rows:?}");
}

#[test]
fn what_handovers_draw_is_that_of_the_seed_and_its_range_that_of_the_rule() {
    let rule = r#"[{ at = "10 s", every = "60 s", gap = "1 s", rate_factor = "uniform(0.5, 2)", delay = "uniform(20 ms, 80 ms)" }]"#;
    let sets = [("topology.bottleneck.handovers", rule), ("topology.access.rate", "100 Mbps")];
    let rows = course(&sets, 1.0);
    let starts: Vec<f64> = rows.iter().map(|row| row.0).collect();
    assert_eq!(starts, [0.0, 10.0, 11.0, 70.0, 71.0, 130.0, 131.0, 190.0, 191.0]);
    for row in rows.iter().skip(2).step_by(2) {
        assert!((4e6..16e6).contains(&row.1) && (80.0..200.0).contains(&row.2), "{row:?}");
    }
    let (round_trip, narrowest, bottleneck) = range(&sets);
    assert_eq!((round_trip, narrowest, bottleneck), (json!([0.08, 0.2]), json!([4e6, 16e6]), json!([4e6, 16e6])));
}
