//! Whatever the bytes are, what is drawn from them is a scenario; and everything that the engine has is drawn at times.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use generator::{bytes, checks, describe, toml};
use serde_json::Value;

/// Descriptions that are looked at.
const CASES: u64 = 3000;

/// Keys of all tables, and all texts.
fn collect(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            found.insert(text.clone());
        }
        Value::Array(list) => list.iter().for_each(|value| collect(value, found)),
        Value::Object(table) => {
            found.extend(table.keys().cloned());
            table.values().for_each(|value| collect(value, found));
        }
        _ => {}
    }
}

/// Write a description as a seed of each target of the fuzzer.
fn keep(folder: &Path, seed: u64, description: &Value) {
    let toml = toml(description).into_bytes();
    let json = description.to_string().into_bytes();
    for (target, text) in [("toml", &toml), ("run", &toml), ("json", &json), ("generated", &bytes(seed))] {
        let folder = folder.join(target);
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        std::fs::write(folder.join(format!("drawn-{seed}")), text).expect("the seed can be written");
    }
}

/// With `WINDLASS_SEEDS` a folder, the descriptions are kept there as seeds.
#[test]
fn every_description_is_legal_and_every_key_and_word_is_drawn() {
    let seeds = std::env::var_os("WINDLASS_SEEDS").map(PathBuf::from);
    let mut found = BTreeSet::new();
    for seed in 0..CASES {
        let description = describe(&bytes(seed));
        let read = checks::read(&description);
        read.unwrap_or_else(|what| panic!("{seed}: {what}\n{}", toml(&description)));
        if let Some(folder) = &seeds {
            keep(folder, seed, &description);
        }
        collect(&description, &mut found);
    }
    let keys: Vec<Value> = serde_json::from_str(&scenario::keys()).expect("it is JSON");
    let text = |value: &Value| value.as_str().expect("it is a text").to_owned();
    let mut wanted: BTreeSet<String> = cc::registry::ALGORITHMS.iter().map(|row| row.name.to_owned()).collect();
    for row in &keys {
        // `uniform` stands before its arguments
        let words = row["words"].as_array().expect("a list").iter().map(text).filter(|word| word != "uniform");
        wanted.extend(words);
        wanted.extend(text(&row["key"]).rsplit('.').next().map(str::to_owned));
    }
    let missing: Vec<&String> = wanted.iter().filter(|word| !found.contains(*word)).collect();
    assert!(missing.is_empty(), "of {} never drawn: {missing:?}", wanted.len());
}

#[test]
fn any_bytes_will_do() {
    let half = &bytes(1)[..37];
    for few in [&[][..], &[0; 9], &[255; 900], half] {
        checks::quick(few).unwrap_or_else(|what| panic!("{what}"));
    }
}
