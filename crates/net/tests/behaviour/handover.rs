//! A break of 2 s on a path of 8 Mbps and about 100 ms, with 50 segments in flight all the time (the receiver's
//! window), so that 50 segments arrive each RTT. The link loses everything from 10 s to 12 s; what counts is what
//! arrives from 10 s to 13 s.

use std::sync::Arc;

use net::*;
use tcp::Config;
use units::{Span, Time};

use crate::common::*;

const BREAK: (f64, f64) = (10.0, 12.0);

fn path(algorithm: &str) -> Network {
    let outage = Outage {
        at: Time::from_secs(BREAK.0),
        length: Span::from_secs(BREAK.1 - BREAK.0),
        every: None,
        lost: true,
        handover: true,
    };
    let mut core = direction(8_000_000, 49, 100);
    core.changing = Some(Arc::new(Changing { outages: vec![outage], ..Changing::default() }));
    let mut network = dumbbell(1, core, &direction(1_000_000_000, 0, 1000), algorithm, Config::classic());
    let spec = tcp(&mut network.flows[0]);
    spec.rules.window = 50;
    spec.rules.delayed_ack = 1;
    network
}

/// Segments that arrived in order from 10 s to 13 s, the run, and the least window after the break.
fn across(network: &Network) -> (f64, FlowResult, f64) {
    let traces = Traces { cwnd: true, ..Traces::default() };
    let options = RunOptions { warmup: Span::from_secs(10.0), traces, ..options(13.0) };
    let results = run(network, 1, &options);
    let least = results.traces.iter().filter(|p| p.at > Time::from_secs(BREAK.0)).map(|p| p.value);
    let least = least.fold(f64::INFINITY, f64::min);
    (results.flows[0].measured_bytes as f64 / 1460.0, results.flows[0].clone(), least)
}

#[test]
fn plain_westwood_plus_waits_for_its_timer_and_starts_over() {
    let (segments, flow, least) = across(&path("westwood-plus"));
    // timeouts at about 11 s, in the break, and 2 s later, when the run is over; what was past the link at 10 s arrives
    assert_eq!(flow.sender.timeouts, 1);
    assert_eq!(least, 1.0);
    assert!(segments < 50.0, "{segments}");
}

#[test]
fn the_aware_one_goes_on_with_the_frozen_window_at_once() {
    let (segments, flow, least) = across(&path("westwood-plus-ho"));
    // one timeout in the break, nothing backed off. From 12 s on 50 segments leave each RTT: they arrive for 0.95 s,
    // less at most a window that had arrived before
    assert_eq!(flow.sender.timeouts, 1);
    assert!(least >= 50.0, "{least}");
    assert!((400.0..500.0).contains(&segments), "{segments}");
}

#[test]
fn freeze_goes_on_with_the_frozen_window_and_loses_nothing() {
    for algorithm in ["westwood-plus", "newreno", "cubic"] {
        let mut network = path(algorithm);
        tcp(&mut network.flows[0]).rules.freeze = true;
        let (segments, flow, least) = across(&network);
        // warned an RTT before, the sender stops 50 ms before the break and probes in it once. From 12.05 s on it
        // sends, from 12.1 s on 50 segments arrive each RTT
        assert_eq!((flow.sender.timeouts, flow.lost.total()), (0, 0), "{algorithm}");
        assert_eq!(flow.sender.window_probes, 1);
        assert!(least >= 50.0, "{least} {algorithm}");
        assert!((400.0..=460.0).contains(&segments), "{segments} {algorithm}");
    }
}

#[test]
fn a_warning_that_comes_too_early_is_idle_time() {
    // the receiver closes its window at 8 s: the sender stops at 8.05 s, two seconds before it must, and probes 1 and 3
    // s later. It goes on as with a warning in time
    let mut network = path("newreno");
    let rules = &mut tcp(&mut network.flows[0]).rules;
    (rules.freeze, rules.freeze_lead) = (true, Some(Span::from_secs(2.0)));
    let (segments, flow, least) = across(&network);
    assert_eq!((flow.sender.timeouts, flow.lost.total(), flow.sender.window_probes), (0, 0, 2));
    assert!(least >= 50.0, "{least}");
    assert!((400.0..=460.0).contains(&segments), "{segments}");
}

#[test]
fn a_warning_that_comes_too_late_is_an_ordinary_loss() {
    let mut network = path("newreno");
    let rules = &mut tcp(&mut network.flows[0]).rules;
    (rules.freeze, rules.freeze_lead) = (true, Some(Span::ZERO));
    let (segments, flow, least) = across(&network);
    // the ACK that closes the window leaves as the break begins, and is lost with everything else. One timeout in the
    // break; the ACKs at its end acknowledge what had arrived, and wake the sender at 12.05 s: slow start from two
    // segments to ssthresh 25, then one more each RTT: 2 + 4 + 8 + 16 + 25 + 26 + 27 + 28 + 29 = 165 until 13 s, and 25
    // that were past the link at 10 s
    assert_eq!((flow.sender.timeouts, flow.sender.window_probes), (1, 0));
    assert_eq!(least, 1.0);
    assert!((150.0..250.0).contains(&segments), "{segments}");
}
