//! FAST holds alpha segments in the queue.

use net::*;
use tcp::Profile;
use units::{Span, Time};

use crate::common::*;

/// The windows, in segments, of a flow over 10 Mbps and 44 ms with a buffer that is never full, after 20 s.
fn windows(algorithm: &str) -> Vec<f64> {
    let core = direction(10_000_000, 20, 1000);
    let mut network = dumbbell(1, core, &direction(1_000_000_000, 1, 1000), algorithm, Profile::Rfc);
    let flow = tcp(&mut network.flows[0]);
    flow.rules.delayed_ack = 1;
    if algorithm == "fast" {
        flow.algorithm.set_number("fast_alpha", 8.0).unwrap();
        flow.algorithm.set_number("fast_beta", 8.0).unwrap();
    }
    let traces = Traces { cwnd: true, ..Traces::default() };
    let results = run(&network, 1, &RunOptions { traces, ..options(60.0) });
    assert_eq!(results.flows[0].sender.retransmitted_segments, 0);
    let late = |p: &&TracePoint| p.variable == Variable::Cwnd && p.at > Time::from_secs(20.0);
    results.traces.iter().filter(late).map(|p| p.value).collect()
}

#[test]
fn eight_segments_queue_beyond_the_pipe() {
    // 1500 bytes at 10 Mbps take 1.2 ms; the least RTT is 44 ms and two transmissions of a packet and an ACK, 45.3 ms:
    // a pipe of 37.7 segments. With alpha 8 the window rests at 45.7, within half a segment for the whole ones that are
    // sent. NewReno grows by a segment per RTT until the buffer of 1000 is full.
    let fast = windows("fast");
    assert!(fast.len() > 1000);
    let (low, high) = fast.iter().fold((f64::MAX, 0.0f64), |(low, high), &w| (low.min(w), high.max(w)));
    assert!(low > 45.0 && high < 47.0, "{low} to {high}");
    let newreno = windows("newreno");
    assert!(newreno.iter().all(|&w| w > 200.0), "{:?}", newreno.first());
}

#[test]
fn a_loss_is_made_up_for_within_a_few_round_trips() {
    // one lost packet halves the window to 23; the queue is then empty, growth exponential, and the old window is back
    // within a second, 22 round trips. NewReno takes as many round trips as segments, a second at least for the same
    // 23.
    let core = DirectionSpec { drops: vec![20_000], ..direction(10_000_000, 20, 1000) };
    let mut network = dumbbell(1, core, &direction(1_000_000_000, 1, 1000), "fast", Profile::Rfc);
    tcp(&mut network.flows[0]).rules.delayed_ack = 1;
    tcp(&mut network.flows[0]).algorithm.set_number("fast_alpha", 8.0).unwrap();
    tcp(&mut network.flows[0]).algorithm.set_number("fast_beta", 8.0).unwrap();
    let traces = Traces { cwnd: true, ..Traces::default() };
    let results = run(&network, 1, &RunOptions { traces, events: true, ..options(60.0) });
    let cuts: Vec<_> = results.events.iter().filter(|e| e.event.why == tcp::Why::DupAcks).collect();
    assert_eq!(cuts.len(), 1);
    assert!((cuts[0].event.cwnd_after / cuts[0].event.cwnd_before - 0.5).abs() < 0.03);
    let at = cuts[0].event.at;
    let back = results.traces.iter().find(|p| p.variable == Variable::Cwnd && p.at > at && p.value > 45.0);
    let took = back.expect("it comes back").at.since(at);
    assert!(took < Span::from_millis(500), "{took}");
}
