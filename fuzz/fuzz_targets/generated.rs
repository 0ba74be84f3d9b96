//! Bytes as choices: a legal scenario of any kind, which is accepted, reads back to itself and runs twice alike.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| generator::checks::quick(bytes).unwrap_or_else(|what| panic!("{what}")));
