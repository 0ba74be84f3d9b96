//! Westwood and Vegas on a path of 8 Mbps and 104 ms, which holds 70 segments of 1500 bytes without a queue; YeAH on a
//! larger one.

use net::*;
use tcp::{Profile, Why};
use units::Time;

use crate::common::*;

/// A flow with an ACK per segment and this buffer; its cwnd is traced.
fn flow(algorithm: &str, queue: u32, seconds: f64) -> Results {
    let core = direction(8_000_000, 50, queue);
    let mut network = dumbbell(1, core, &direction(1_000_000_000, 1, 1000), algorithm, Profile::Rfc);
    tcp(&mut network.flows[0]).rules.delayed_ack = 1;
    let traces = Traces { cwnd: true, ..Traces::default() };
    run(&network, 1, &RunOptions { traces, events: true, ..options(seconds) })
}

/// Least and largest window after this time.
fn range(results: &Results, after: f64) -> (f64, f64) {
    let late = |p: &&TracePoint| p.variable == Variable::Cwnd && p.at >= Time::from_secs(after);
    results.traces.iter().filter(late).fold((f64::MAX, 0.0), |(low, high), p| (low.min(p.value), high.max(p.value)))
}

/// Windows before and after each cut found by SACK or duplicate ACKs, but for those of the first slow start.
fn cuts(results: &Results) -> Vec<(f64, f64)> {
    let cut = |e: &&FlowEvent| e.event.why == Why::DupAcks && e.event.at > Time::from_secs(20.0);
    results.events.iter().filter(cut).map(|e| (e.event.cwnd_before, e.event.cwnd_after)).collect()
}

#[test]
fn westwood_plus_cuts_to_the_pipe() {
    // a buffer of half the pipe overflows at about 106 segments: BWE x RTTmin is the pipe, 70, where NewReno would have
    // 53
    let cuts_of = |algorithm| cuts(&flow(algorithm, 35, 200.0));
    for algorithm in ["westwood-plus", "westwood"] {
        let cuts = cuts_of(algorithm);
        assert!(cuts.len() >= 3, "{algorithm}: {cuts:?}");
        for (before, after) in cuts {
            assert!(
                (103.0..109.0).contains(&before) && (66.0..73.0).contains(&after),
                "{algorithm}: {before} to {after}"
            );
        }
    }
    assert!(cuts_of("newreno").iter().all(|&(_, after)| after < 55.0));
}

#[test]
fn vegas_keeps_one_to_three_segments_queued() {
    // 71 to 73 segments of which one may be on its way out; NewReno swings between 70 and 140 with a buffer of the
    // pipe's size
    let (low, high) = range(&flow("vegas", 70, 120.0), 60.0);
    assert!(low >= 69.0 && high <= 75.0, "{low} to {high}");
    let (_, high) = range(&flow("newreno", 70, 120.0), 60.0);
    assert!(high > 130.0, "{high}");
}

#[test]
fn yeah_drains_the_queue_before_it_overflows() {
    // Ten times the rate and buffer: a pipe of 867 segments. In fast mode 10 segments are gained per round, and 80
    // queued, which is less than an eighth of the pipe, are given back: between 867 and 867 + 80 and two rounds of
    // growth. Nothing is lost. NewReno goes on by a segment per round, up to 1267.
    let windows = |algorithm| {
        let core = direction(100_000_000, 50, 400);
        let mut network = dumbbell(1, core, &direction(1_000_000_000, 1, 1000), algorithm, Profile::Rfc);
        let rules = &mut tcp(&mut network.flows[0]).rules;
        (rules.delayed_ack, rules.window) = (1, 10_000);
        let traces = Traces { cwnd: true, ..Traces::default() };
        let results = run(&network, 1, &RunOptions { traces, events: true, ..options(110.0) });
        (range(&results, 50.0), cuts(&results).len())
    };
    let ((low, high), losses) = windows("yeah");
    assert!(low >= 855.0 && high <= 980.0 && losses == 0, "{low} to {high}, {losses} losses");
    let ((_, high), _) = windows("newreno");
    assert!(high > 1000.0, "{high}");
}
