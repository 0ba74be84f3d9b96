//! Scenarios with radio, and what becomes of them.
#![allow(dead_code)]

use net::Network;
use scenario::Scenario;
use serde_json::Value as Json;

pub const CELL: &str = r#"[scenario]
duration = "2 s"
[topology]
kind = "wlan"
stations = 4
placing = { kind = "circle", radius = "5 m" }
backbone = { rate = "100 Mbps", delay = "10 ms" }
radio = { rate = "54 Mbps" }
[[flows]]
from = "station/0"
to = "wired/0"
algorithm = "cubic"
"#;

pub const CHAIN: &str = r#"[scenario]
duration = "2 s"
profile = "ns2"
[topology]
kind = "chain"
nodes = 5
spacing = "200 m"
[[flows]]
from = "n0"
to = "n4"
algorithm = "newreno"
"#;

pub const GRAPH: &str = r#"[scenario]
duration = "2 s"
[topology]
kind = "graph"
[[topology.links]]
from = "ap"
to = "server"
rate = "100 Mbps"
delay = "10 ms"
[[topology.media]]
name = "wifi"
stations = ["phone", "tablet", "ap"]
access_points = ["ap"]
positions = [["3 m", "0 m"], ["0 m", "4 m"], ["0 m", "0 m"]]
set = "dot11b"
[[flows]]
from = "phone"
to = "server"
algorithm = "cubic"
"#;

pub fn read(text: &str, sets: &[(&str, &str)]) -> Result<Scenario, scenario::Error> {
    let sets: Vec<_> = sets.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Scenario::from_toml(text, "fig.toml", &sets)
}

#[track_caller]
pub fn network(text: &str, sets: &[(&str, &str)]) -> Network {
    read(text, sets).unwrap_or_else(|error| panic!("{error}")).points()[0].network(1).unwrap()
}

/// The complete description, which reads back to itself and to the same network.
#[track_caller]
pub fn effective(text: &str, sets: &[(&str, &str)]) -> Json {
    let point = &read(text, sets).unwrap_or_else(|error| panic!("{error}")).points()[0];
    let whole = point.effective().unwrap();
    let again = Scenario::from_json(&whole, "effective", &[]).unwrap_or_else(|error| panic!("{error}\n{whole}"));
    assert_eq!(again.points()[0].effective().unwrap(), whole);
    let (one, other) = (point.network(1).unwrap(), again.points()[0].network(1).unwrap());
    assert_eq!(format!("{:?}", one.media), format!("{:?}", other.media));
    assert_eq!(format!("{:?}", one.links), format!("{:?}", other.links));
    serde_json::from_str(&whole).unwrap()
}

/// Names of the links with those of their ends.
pub fn links(network: &Network) -> Vec<(&str, &str, &str)> {
    let name = |node: usize| network.nodes[node].as_str();
    network.links.iter().map(|link| (link.name.as_str(), name(link.a), name(link.b))).collect()
}

#[track_caller]
pub fn refused(text: &str, old: &str, new: &str, code: &str, words: &[&str]) {
    assert!(text.contains(old), "`{old}` is not in the scenario");
    let text = text.replacen(old, new, 1);
    let error = read(&text, &[]).expect_err("the scenario is wrong");
    let shown = error.to_string();
    assert_eq!(error.code, format!("scenario.{code}"), "{shown}");
    assert!(error.line.is_some() && shown.lines().count() <= 2, "{shown}");
    assert!(words.iter().all(|words| shown.contains(words)), "{shown}\nwanted: {words:?}");
}

/// A column of numbers.
pub fn numbers(table: &scenario::Table, name: &str) -> Vec<f64> {
    match &table.0.iter().find(|(column, _)| *column == name).unwrap_or_else(|| panic!("{name}")).1 {
        scenario::Column::F64(numbers) => numbers.clone(),
        scenario::Column::I64(numbers) => numbers.iter().map(|number| *number as f64).collect(),
        _ => panic!("{name}"),
    }
}

/// A run with seed 1.
pub fn result(text: &str, sets: &[(&str, &str)]) -> scenario::RunResult {
    read(text, sets).unwrap().points()[0].run(1, &scenario::RunOptions::default()).unwrap()
}
