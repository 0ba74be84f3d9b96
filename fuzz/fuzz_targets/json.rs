//! JSON: reading it never panics, and what is accepted reads back to the same. Lines after the first blank one are
//! overrides, `key=value`, as `--set` gives them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scenario::Scenario;

fuzz_target!(|text: &str| {
    let (text, sets) = text.split_once("\n\n").unwrap_or((text, ""));
    let pair = |line: &str| line.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    let sets: Vec<(String, String)> = sets.lines().filter_map(pair).take(8).collect();
    windlass_fuzz::check(Scenario::from_json(text, "fuzz.json", &sets));
});
