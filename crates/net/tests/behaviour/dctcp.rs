//! DCTCP keeps the queue at the routers' threshold and the link busy.

use net::*;
use tcp::Profile;
use units::Span;

use crate::common::*;

/// A flow over 1 Gbps and 0.8 ms whose router marks while 20 packets or more are queued: its share of the link and its
/// counters.
fn marked(algorithm: &str) -> (f64, FlowResult) {
    let mut core = direction(1_000_000_000, 0, 1000);
    core.delay = Span(300_000);
    core.queue.warning = Some(WarningSpec { threshold_packets: 20.0, weight: 1.0 });
    let mut access = direction(10_000_000_000, 0, 10_000);
    access.delay = Span(50_000);
    let mut network = dumbbell(1, core, &access, algorithm, Profile::Rfc);
    let flow = tcp(&mut network.flows[0]);
    flow.rules.ecn = true;
    flow.rules.delayed_ack = 1;
    let mut results = run(&network, 1, &RunOptions { warmup: Span::from_secs(1.0), ..options(5.0) });
    let flow = results.flows.remove(0);
    (flow.measured_bytes as f64 * 8.0 / 4.0 / (1e9 * 1460.0 / 1500.0), flow)
}

#[test]
fn small_cuts_keep_the_link_busy_with_a_short_queue() {
    // the pipe is 0.8 ms / 12 us = 67 packets, the threshold 20 more. NewReno halves 87 to 43 and leaves the link idle
    // until it has 67 again; DCTCP's alpha is about sqrt(2/87) = 0.15, which takes 7 segments: 80, and the queue never
    // runs dry.
    let (newreno, _) = marked("newreno");
    let (dctcp, flow) = marked("dctcp");
    assert!(newreno < 0.96, "{newreno}");
    assert!(dctcp > 0.985, "{dctcp}");
    assert_eq!(flow.sender.retransmitted_segments, 0);
    // RTTs in the long run: 0.8 ms and a queue of 13 to 21 packets, 0.16 to 0.25 ms
    let rtt = flow.sender.rtt_sum / flow.sender.rtt_samples as f64;
    assert!((0.000_90..0.001_06).contains(&rtt), "{rtt}");
}
