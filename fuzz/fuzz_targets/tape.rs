//! Tapes: whatever stands on one, a replay gives answers or an error, and twice the same.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let replay = || scenario::replay(text, "fuzz.tape", None);
    match replay() {
        Err(error) => windlass_fuzz::refused(&error),
        Ok(found) => assert_eq!(replay().expect("it was read"), found, "two replays differ"),
    }
});
