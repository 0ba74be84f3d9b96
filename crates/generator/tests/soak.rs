//! Drawn scenarios: what the engine promises holds of each. `make soak MINUTES=60` goes on for as long.

use std::time::{Duration, Instant};

use generator::checks;

/// Scenarios of an ordinary run of the tests.
const USUAL: u64 = 40;

/// The number in an environment variable.
fn asked(name: &str) -> Option<f64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, must be a number")))
}

/// From `SOAK_FIRST` on, for `SOAK_MINUTES`.
#[test]
fn everything_holds_of_drawn_scenarios() {
    let first = asked("SOAK_FIRST").unwrap_or(0.0) as u64;
    let minutes = asked("SOAK_MINUTES");
    let (begun, mut failed, mut said) = (Instant::now(), Vec::new(), 0);
    for seed in first.. {
        let over = match minutes {
            Some(minutes) => begun.elapsed() >= Duration::from_secs_f64(60.0 * minutes),
            None => seed >= first + asked("SOAK_COUNT").map_or(USUAL, |count| count as u64),
        };
        if over {
            println!(
                "{} scenarios from {first} on, {} wrong; the next one is SOAK_FIRST={seed}",
                seed - first,
                failed.len()
            );
            break;
        }
        if let Err(what) = checks::seed(seed, checks::thorough) {
            println!("{what}");
            failed.push(seed);
        }
        if begun.elapsed().as_secs() / 60 > said {
            said = begun.elapsed().as_secs() / 60;
            println!("{} scenarios after {said} min", seed + 1 - first);
        }
    }
    assert!(failed.is_empty(), "wrong: {failed:?}");
}
