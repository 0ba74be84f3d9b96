//! One flow over one bottleneck with a list of lost segments, in numbers that can be followed by hand: each algorithm
//! on its own recovery core, without timestamps.
//!
//! A segment is 1000 bytes on the wire and the bottleneck sends one in a millisecond. The flow opens with its whole
//! window of W segments, and ssthresh is W as well, so it starts in congestion avoidance. The receiver's window is W,
//! too, unless a test lets it be larger: then the flight size is always W, and cwnd settles at W + 1.
//!
//! With a base RTT of b ms, the first window of W leaves at once and its k-th segment waits k - 1 ms behind the others:
//! RTTs from b to b + W - 1. From then on segments leave as ACKs return: if W > b, W - b of them always wait and every
//! RTT is W ms; else none waits and every RTT is b.

use ::tcp::{Config, InitialWindow, Why, WindowEvent};
use net::*;
use units::Span;

use crate::common::{direction, flow, link, options, run, tcp};

/// What is lost and on which path.
pub struct OneFlow {
    /// Base RTT, milliseconds.
    pub base_ms: f64,
    /// W.
    pub window: u32,
    /// Receiver's window, if it is not W.
    pub receiver_window: Option<u32>,
    /// Data segments lost before the queue, by number of transmission from 0: the segment's number, and one more for
    /// each retransmission before it.
    pub lost: Vec<u64>,
    /// Every packet is marked that finds this many in the queue.
    pub marks_from: Option<f64>,
    pub seconds: f64,
}

/// A base RTT of 101 ms and a window of 20: no queue but behind the first burst.
pub fn empty_queue(lost: &[u64]) -> OneFlow {
    OneFlow { base_ms: 101.0, window: 20, receiver_window: None, lost: lost.to_vec(), marks_from: None, seconds: 5.0 }
}

/// A base RTT of 21 ms and a window of 60: 39 segments always wait.
pub fn full_queue(lost: &[u64]) -> OneFlow {
    OneFlow { base_ms: 21.0, window: 60, ..empty_queue(lost) }
}

/// The flow's window changes and its counters.
pub struct Outcome {
    pub events: Vec<WindowEvent>,
    pub flow: FlowResult,
}

/// Transmission at the bottleneck, and the headers' and the access link's share of the RTT: an ACK of 40 bytes takes 40
/// us, two the links of 10 Gbit/s take 0.8 and 0.032 us.
const OUTSIDE_DELAY_NS: f64 = 1_000_000.0 + 40_000.0 + 832.0;

impl OneFlow {
    /// Run an algorithm of the registry.
    pub fn run(&self, name: &str) -> Outcome {
        self.run_with(name, |_| {})
    }

    /// Run it with other parameters.
    pub fn run_with(&self, name: &str, change: impl Fn(&mut cc::Config)) -> Outcome {
        let mut core = direction(8_000_000, 0, 1000);
        core.delay = Span(((self.base_ms * 1e6 - OUTSIDE_DELAY_NS) / 2.0) as u64);
        let reverse = core.clone();
        core.drops = self.lost.iter().map(|segment| segment + FIRST_DATA).collect();
        core.queue.warning = self.marks_from.map(|threshold_packets| WarningSpec { threshold_packets, weight: 1.0 });
        let mut flow = flow("f", 0, 2, name, Config::classic());
        let spec = tcp(&mut flow);
        spec.rules.mss = 960;
        spec.rules.delayed_ack = 1;
        spec.rules.limited_transmit = 0;
        spec.rules.window = self.receiver_window.unwrap_or(self.window);
        spec.rules.initial_window = InitialWindow::Segments(self.window);
        spec.rules.initial_ssthresh = Some(self.window);
        change(&mut spec.algorithm);
        let mut bottleneck = link("bottleneck", 1, 2, core);
        bottleneck.reverse = reverse;
        let network = Network {
            nodes: ["s", "g", "r"].map(String::from).to_vec(),
            links: vec![link("access", 0, 1, direction(10_000_000_000, 0, 1000)), bottleneck],
            flows: vec![flow],
            ..Network::default()
        };
        let results = run(&network, 1, &RunOptions { events: true, ..options(self.seconds) });
        let events = results.events.iter().map(|e| e.event).collect();
        Outcome { events, flow: results.flows[0].clone() }
    }
}

/// The SYN arrives first.
const FIRST_DATA: u64 = 1;

impl Outcome {
    /// When the first recovery ended.
    pub fn exit(&self) -> &WindowEvent {
        self.events.iter().find(|e| e.why == Why::RecoveryExit).expect("a recovery ended")
    }

    /// The n-th change of the window that was not the end of a recovery.
    pub fn change(&self, n: usize) -> &WindowEvent {
        let mut changes = self.events.iter().filter(|e| e.why != Why::RecoveryExit);
        changes.nth(n).unwrap_or_else(|| panic!("no change {n}: {:#?}", self.events))
    }
}

/// A whole window of W, the first segment of which is `first`: no ACK comes back, so the timer must expire.
pub fn whole_window(first: u64, window: u32) -> Vec<u64> {
    (first..first + u64::from(window)).collect()
}

/// Within one percent.
#[track_caller]
pub fn assert_near(value: f64, expected: f64) {
    assert!((value / expected - 1.0).abs() < 0.01, "{value}, not {expected}");
}
