//! Delays of links that are drawn: for each link, for each run.

mod common;

use common::{effective_bottleneck, part, refused_text, with_bottleneck};
use net::Network;
use scenario::Scenario;
use units::Span;

/// Three pairs whose hosts are between 1 and 15 ms away.
const THREE: &str = r#"
[scenario]
duration = "20 s"
[topology]
kind = "dumbbell"
pairs = 3
access = { rate = "5 Mbps", delay = "uniform(1 ms, 15 ms)" }
bottleneck = { rate = "8 Mbps", delay = "50 ms" }
[[flows]]
from = "left/*"
to = "right/*"
algorithm = "newreno"
"#;

fn scenario(sets: &[(&str, &str)]) -> Scenario {
    let sets: Vec<_> = sets.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Scenario::from_toml(THREE, "three.toml", &sets).unwrap_or_else(|error| panic!("{error}"))
}

fn network(seed: u64, sets: &[(&str, &str)]) -> Network {
    scenario(sets).points()[0].network(seed).unwrap()
}

fn delays(network: &Network) -> Vec<(Span, Span)> {
    network.links.iter().map(|link| (link.forward.delay, link.reverse.delay)).collect()
}

#[test]
fn each_link_has_its_own_for_each_seed_and_the_same_there_and_back() {
    let found = delays(&network(1, &[]));
    assert!(found.iter().all(|(there, back)| there == back));
    // three hosts on the left, the bottleneck, three hosts on the right
    assert_eq!((found.len(), found[3].0), (7, Span::from_millis(50)));
    let mut hosts: Vec<Span> = [&found[..3], &found[4..]].concat().into_iter().map(|(there, _)| there).collect();
    assert!(hosts.iter().all(|delay| (Span::from_millis(1)..=Span::from_millis(15)).contains(delay)), "{hosts:?}");
    hosts.sort_unstable();
    hosts.dedup();
    assert_eq!(hosts.len(), 6);
    assert_eq!(delays(&network(1, &[])), found);
    assert_ne!(delays(&network(2, &[]))[0], found[0]);
}

#[test]
fn the_draws_fill_the_range() {
    // 2000 draws of uniform(1 ms, 15 ms): mean 8 ms, standard error 14 / sqrt(12) / sqrt(2000) = 0.09 ms
    let all: Vec<f64> = (0..2000).map(|seed| network(seed, &[]).links[0].forward.delay.secs() * 1e3).collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    assert!((mean - 8.0).abs() < 0.4, "{mean}");
    assert!(all.iter().any(|ms| *ms < 1.1) && all.iter().any(|ms| *ms > 14.9));
}

#[test]
fn a_reverse_direction_with_a_delay_of_its_own_is_drawn_by_itself() {
    let own = network(1, &[("topology.access.reverse.delay", "uniform(20 ms, 30 ms)")]);
    let (there, back) = delays(&own)[0];
    assert_eq!(there, delays(&network(1, &[]))[0].0);
    assert!((Span::from_millis(20)..=Span::from_millis(30)).contains(&back), "{back:?}");
    let fixed = network(1, &[("topology.access.reverse.delay", "3 ms")]);
    assert_eq!(delays(&fixed)[0], (there, Span::from_millis(3)));
}

#[test]
fn other_draws_stay_and_a_range_of_nothing_is_a_number() {
    let start = [("flows.start", "uniform(0 s, 10 s)")];
    let fixed = [start[0], ("topology.access.delay", "5 ms")];
    let starts = |network: &Network| network.flows.iter().map(|flow| flow.start).collect::<Vec<_>>();
    assert_eq!(starts(&network(1, &start)), starts(&network(1, &fixed)));
    let text = |sets: &[(&str, &str)]| scenario(sets).points()[0].effective().unwrap();
    assert_eq!(text(&[("topology.access.delay", "uniform(5 ms, 5 ms)")]), text(&[fixed[1]]));
    let bottleneck = with_bottleneck("rate = \"8 Mbps\", delay = \"uniform(1 ms, 15 ms)\"");
    let found = effective_bottleneck(Scenario::from_toml(&bottleneck, "fig.toml", &[]));
    assert_eq!(part(&found, "delay"), "uniform(1 ms, 15 ms)");
    assert_eq!(part(&found, "reverse.delay"), "uniform(1 ms, 15 ms)");
}

#[test]
fn what_is_no_run_has_the_mean() {
    let found = scenario(&[]).points()[0].capacity(&[]).unwrap();
    // 2 x (8 + 50 + 8) ms
    let round_trip = serde_json::from_str::<serde_json::Value>(&found).unwrap()["round_trip_s"].as_f64().unwrap();
    assert!((round_trip - 0.132).abs() < 1e-9, "{round_trip}");
}

#[test]
fn what_is_no_range_is_refused() {
    let with = |delay: &str| with_bottleneck(&format!("rate = \"8 Mbps\", delay = \"{delay}\""));
    refused_text(&with("exponential(5 ms)"), "out-of-range", "must have a greatest value");
    refused_text(&with("uniform(15 ms, 1 ms)"), "out-of-range", "the smaller comes first");
    refused_text(&with("uniform(1 ms)"), "out-of-range", "takes 2 in parentheses");
    refused_text(&with("uniform(1 s, 2 h)"), "out-of-range", "an hour at most");
    refused_text(&with("unifrom(1 ms, 15 ms)"), "unknown-word", "uniform");
    refused_text(&with("2 h"), "out-of-range", "3600 s at most");
}
