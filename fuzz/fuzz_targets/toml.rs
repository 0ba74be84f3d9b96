//! TOML: reading it never panics, and what is accepted reads back to the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scenario::Scenario;

fuzz_target!(|text: &str| windlass_fuzz::check(Scenario::from_toml(text, "fuzz.toml", &[])));
