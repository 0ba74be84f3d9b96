//! Writes the dictionary `fuzz/scenario.dict`: every key, word and unit that a scenario may have, from the engine's
//! tables.

use std::collections::BTreeSet;

use serde_json::Value;

/// Keys of the sections without a table of meanings, values, units, and pieces of syntax.
const OTHERS: &str = "scenario topology flows tcp output sweep links name duration warmup profile seeds first_seed rfc ns2 \
    kind pairs access left right bottleneck first second from to count algorithm segment start stop size direction both \
    forward reverse reverse_start uniform( traces trace_step events cwnd ssthresh flight srtt queue model rate at wire \
    loss drops warning threshold weight true false null on off \
    bps kbps Mbps Gbps Tbps ns us ms s min h B kB MB GB TB KiB MiB GiB packets segments % \
    left/* right/* left/0 right/0 g1 g2 g3 [scenario] [topology] [[flows]] [tcp] [output] [sweep] [[topology.links]] \
    1e308 1e-320 -0 nan inf 9223372036854775807 18446744073709551615 4294967295 0x10 1979-05-27";

fn words(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match (key.as_str(), value) {
                    ("name" | "kind" | "recovery" | "rfc" | "ns2" | "default", Value::String(word)) => {
                        found.insert(word.clone());
                    }
                    ("aliases" | "choices", Value::Array(list)) => {
                        found.extend(list.iter().filter_map(|word| word.as_str()).map(str::to_owned));
                    }
                    (_, Value::Array(_) | Value::Object(_)) => words(value, found),
                    _ => {}
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| words(value, found)),
        _ => {}
    }
}

fn main() {
    let mut found: BTreeSet<String> = OTHERS.split_whitespace().map(str::to_owned).collect();
    for table in [scenario::algorithms(), scenario::topologies(), scenario::rules()] {
        words(&serde_json::from_str(&table).expect("the tables are JSON"), &mut found);
    }
    for word in found {
        println!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""));
    }
}
