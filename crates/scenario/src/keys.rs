//! Every key that a description can have, with its words where it has some: what somebody asks who wants to know
//! whether a key exists without writing a whole description.

use serde_json::{Value as Json, json};

use tcp::rules::{PROFILES, RULES};

use crate::decode::flows::ALL_KEYS;
use crate::decode::general::GENERAL;
use crate::decode::{changing, graph, link, loss, output, queue, radio, topology, traffic};
use crate::names;

/// Every key with its `words` (empty: any value of its kind), as JSON. Keys of a link are those below `link`, wherever
/// links stand in a topology, those of a radio those below `radio`, engine rules those below `tcp`. Algorithms have a
/// list of their own.
pub fn keys() -> String {
    let mut rows: Vec<(String, Vec<&str>)> = Vec::new();
    let mut add = |path: &str, key: &str, words: Vec<&'static str>| {
        let key = format!("{path}.{key}");
        if rows.iter().all(|(known, _)| *known != key) {
            rows.push((key, words));
        }
    };
    for key in GENERAL {
        add("scenario", key, if *key == "profile" { words(&PROFILES) } else { vec![] });
    }
    add("topology", "kind", topology::READY.iter().map(|ready| ready.name).collect());
    for (key, _) in topology::READY.iter().flat_map(topology::Ready::keys) {
        add("topology", key, vec![]);
    }
    for key in link::KEYS {
        add("link", key, if *key == "delay" { vec!["uniform"] } else { vec![] });
    }
    for (key, _) in radio::table::meanings() {
        add("radio", key, if key == "set" { wlan::Params::NAMES.to_vec() } else { vec![] });
    }
    for (key, _) in radio::errors::MEANINGS {
        add("radio.loss", key, vec![]);
    }
    for (key, _) in graph::MEDIUM_KEYS {
        add("media", key, vec![]);
    }
    add("link.loss", "model", loss::READY.iter().map(|ready| ready.name).collect());
    for (key, _) in loss::READY.iter().flat_map(|ready| ready.keys) {
        add("link.loss", key, vec![]);
    }
    add("link.loss", "at", words(loss::PLACES));
    add("link.loss", "direction", words(link::DIRECTIONS));
    add("link.queue", "discipline", queue::READY.iter().map(|ready| ready.name).collect());
    for parameter in queue::READY.iter().flat_map(|ready| ready.parameters()) {
        add("link.queue", parameter.key, vec![]);
    }
    add("link.jitter", "model", changing::JITTERS.iter().map(|ready| ready.name).collect());
    for key in ALL_KEYS.concat() {
        add("flows", key, if key == "transport" { vec![names::TCP, names::UDP, names::TFRC] } else { vec![] });
    }
    add("flows.traffic", "kind", traffic::READY.iter().map(|ready| ready.name).collect());
    for rule in RULES {
        add("tcp", rule.key, rule.words.to_vec());
    }
    add("output", "traces", output::SERIES.iter().map(|series| series.key).collect());
    rows.into_iter().map(|(key, words)| json!({ "key": key, "words": words })).collect::<Json>().to_string()
}

fn words<T>(words: &[(&'static str, T)]) -> Vec<&'static str> {
    words.iter().map(|(word, _)| *word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_their_words() {
        let rows: Json = serde_json::from_str(&keys()).unwrap();
        let words = |key: &str| {
            let row = rows.as_array().unwrap().iter().find(|row| row["key"] == key).unwrap_or_else(|| panic!("{key}"));
            row["words"].as_array().unwrap().iter().filter_map(Json::as_str).collect::<Vec<_>>()
        };
        assert_eq!(words("topology.kind"), ["dumbbell", "three-routers", "graph", "wlan", "chain", "cellular"]);
        assert!(words("radio.set").contains(&"dot11g") && words("radio.cw_min").is_empty());
        assert_eq!(words("link.loss.at"), ["wire", "queue"]);
        assert!(words("link.queue.discipline").contains(&"red"));
        assert!(words("tcp.recovery").contains(&"sack"));
        assert!(words("link.rate").is_empty());
        assert_eq!(words("link.delay"), ["uniform"]);
    }

    #[test]
    fn every_key_stands_once() {
        let rows: Json = serde_json::from_str(&keys()).unwrap();
        let mut keys: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap()).collect();
        let all = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), all);
    }
}
