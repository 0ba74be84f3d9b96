//! A short run of a small scenario: no panic, packets conserved (asserted at the end of a run with debug assertions),
//! and the same tables a second time.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use scenario::{RunOptions, Scenario};

/// What is run: cut down to a fraction of a second, so that a case takes milliseconds.
const SHORT: [(&str, &str); 4] =
    [("scenario.duration", "300 ms"), ("scenario.warmup", "0 s"), ("scenario.seeds", "1"), ("output.trace_step", "1 ms")];

/// Largest sum of the links' rates, bit/s: some thousand packets in a run.
const RATES: u64 = 100_000_000;

fuzz_target!(|text: &str| -> Corpus {
    let sets: Vec<(String, String)> = SHORT.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    let Ok(scenario) = Scenario::from_toml(text, "fuzz.toml", &sets) else { return Corpus::Reject };
    let Some(point) = scenario.points().into_iter().next() else { return Corpus::Reject };
    let Ok(network) = point.network(1) else { return Corpus::Reject };
    let rates = network.links.iter().map(|link| link.forward.rate_bps.saturating_add(link.reverse.rate_bps));
    if network.flows.len() > 20 || network.links.len() > 40 || rates.fold(0, u64::saturating_add) > RATES {
        return Corpus::Reject;
    }
    // as text, in which not-a-number equals itself
    let run = || format!("{:?}", point.run(1, &RunOptions::default()).expect("the network was built"));
    assert_eq!(run(), run(), "two runs differ");
    Corpus::Keep
});
