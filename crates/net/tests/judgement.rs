//! The counts of judged losses, and the queueing delays of a flow.

mod common;

use common::{Rules, direction, dumbbell, options, run};
use net::*;
use tcp::{Config, Profile, Why};
use units::Span;

/// One flow over a bottleneck of 4 Mbit/s whose queue overflows, with one packet in 2000 lost on the wire.
fn lossy(algorithm: &str, rules: impl Rules) -> Results {
    let mut bottleneck = direction(4_000_000, 30, 20);
    bottleneck.loss = LossSpec::uniform(0.0005, LossAt::Wire);
    let network = dumbbell(1, bottleneck, &direction(100_000_000, 1, 1000), algorithm, rules);
    run(&network, 11, &RunOptions { events: true, ..options(300.0) })
}

#[test]
fn the_counts_are_those_of_the_log() {
    for algorithm in ["newreno", "cerl", "cerl-plus"] {
        let results = lossy(algorithm, Profile::Rfc);
        let judged = |why: &dyn Fn(Why) -> bool, congestion: bool| {
            let alike = results
                .events
                .iter()
                .filter(|e| why(e.event.why) && e.true_cause.is_some_and(|c| c.is_congestion() == congestion));
            alike.count() as u64
        };
        let counts = results.flows[0].judgements;
        let random = |why| why == Why::JudgedRandom;
        assert_eq!(counts.congestion_as_random, judged(&random, true), "{algorithm}");
        assert_eq!(counts.random_as_random, judged(&random, false), "{algorithm}");
        // the log has every timeout, the counts only the first one of a segment
        let cut = |why| why == Why::DupAcks;
        assert!(counts.congestion_as_congestion >= judged(&cut, true), "{algorithm}");
        assert!(counts.random_as_congestion >= judged(&cut, false), "{algorithm}");
    }
}

#[test]
fn newreno_takes_every_loss_for_congestion_and_cerl_plus_as_printed_none() {
    let newreno = lossy("newreno", Profile::Rfc).flows[0].judgements;
    assert_eq!((newreno.congestion_as_random, newreno.random_as_random), (0, 0));
    assert!(newreno.random_as_congestion > 20 && newreno.congestion_as_congestion > 5, "{newreno:?}");
    // (on its own core: with RACK its window is never cut, each recovery begins with a loss in the queue)
    let printed = lossy("cerl-plus", Config::classic()).flows[0].judgements;
    assert!(printed.congestion_as_random > 20 && printed.random_as_random > 20, "{printed:?}");
}

#[test]
fn queueing_delay_is_what_the_buffer_holds() {
    // 12 Mbit/s take a wire packet of 1500 bytes in 1 ms, and 50 of them wait at most: 50 ms behind one in
    // transmission. NewReno's sawtooth fills that queue, but never more.
    let mut network =
        dumbbell(1, direction(12_000_000, 20, 50), &direction(1_000_000_000, 1, 1000), "newreno", Profile::Rfc);
    let results = run(&network, 1, &RunOptions { delays: true, ..options(60.0) });
    let delays = results.flows[0].delays.as_ref().expect("they are recorded");
    let most = delays.quantile(1.0).unwrap();
    assert!(most > Span::from_millis(45) && most <= Span::from_millis(52), "{most:?}");
    assert!(delays.quantile(0.5).unwrap() < most);
    // a window of 20 segments fits the path: nothing ever waits longer than behind its own burst
    common::tcp(&mut network.flows[0]).rules.window = 20;
    let results = run(&network, 1, &RunOptions { delays: true, ..options(60.0) });
    let delays = results.flows[0].delays.as_ref().unwrap();
    assert!(delays.quantile(0.95).unwrap() < Span::from_millis(10), "{:?}", delays.quantile(0.95));
    assert!(run(&network, 1, &options(1.0)).flows[0].delays.is_none());
}
