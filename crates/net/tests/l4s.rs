//! L4S: Prague and classic senders on one DualPI2 queue.

mod common;

use common::*;
use net::*;
use proptest::prelude::*;
use tcp::{EcnEcho, Profile};
use units::{Span, Time};

/// What was measured of two flows on a link with DualPI2.
#[derive(Debug)]
struct Shared {
    /// Goodput of a Prague flow and of a classic one, bit/s.
    rates: [f64; 2],
    /// Of all flows, as a share of what the link carries.
    goodput: f64,
    /// Mean wait in L and in C, milliseconds.
    waits: [f64; 2],
    /// Share of marks or drops in L and in C.
    signals: [f64; 2],
}

/// `prague` flows and classic flows of `algorithm` over a link of so many Mbit/s with a base RTT in milliseconds.
fn shared(mbps: u64, rtt_ms: u64, prague: usize, classic: usize, algorithm: &str, ecn: bool, seconds: f64) -> Shared {
    let mut core = direction(mbps * 1_000_000, 0, 10_000);
    core.queue.discipline = Discipline::DualPi2(DualPi2Spec::default());
    core.queue.ecn = true;
    core.delay = Span(rtt_ms * 500_000 - 200_000);
    let mut access = direction(10_000_000_000, 0, 100_000);
    access.delay = Span(100_000);
    let mut network = dumbbell(prague + classic, core, &access, "prague", Profile::Rfc);
    for flow in &mut network.flows[prague..] {
        let spec = tcp(flow);
        spec.algorithm = cc::Config::named(algorithm).unwrap();
        spec.rules = tcp::Config::profile(Profile::Rfc);
        spec.rules.recovery = Some(cc::registry::Recovery::Sack);
        spec.rules.ecn = ecn;
    }
    for flow in &mut network.flows {
        tcp(flow).rules.window = 100_000;
    }
    let warmup = seconds / 3.0;
    let results = run(&network, 1, &RunOptions { warmup: Span::from_secs(warmup), ..options(seconds) });
    let rate = |flows: &[FlowResult]| {
        flows.iter().map(|f| f.measured_bytes as f64).sum::<f64>() * 8.0 / (seconds - warmup) / flows.len() as f64
    };
    let stats = results.links[0].stats;
    let lanes = stats.lanes.unwrap();
    Shared {
        rates: [rate(&results.flows[..prague]), rate(&results.flows[prague..])],
        waits: lanes.map(|lane| 1e3 * lane.waited.secs() / lane.packets as f64),
        signals: lanes.map(|lane| (lane.marked + lane.dropped) as f64 / (lane.packets + lane.dropped) as f64),
        goodput: (rate(&results.flows) * results.flows.len() as f64) / (mbps as f64 * 1e6 * 1448.0 / 1500.0),
    }
}

impl Shared {
    fn ratio(&self) -> f64 {
        self.rates[0] / self.rates[1]
    }
}

/// RFC 9332 section 2.1: with k = 2 a flow gets much the same rate in either queue. In a fluid, W = 2 / p_L for Prague
/// and sqrt(3 / 2) / sqrt(p_C) for Reno, with p_L = 2 p' and p_C = p'^2: W = 1 / p' and 1.22 / p'. So rates are as
/// R_C / (1.22 R_L), where R_C has the wait in C, and R_L is at least 25 ms. A real sawtooth swings around that: what
/// cuts by a half at a p' that comes and goes loses more than what follows it.
#[test]
fn ten_flows_share_the_link_as_the_coupling_says() {
    for (mbps, rtt) in [(10, 40), (40, 10), (40, 20), (100, 20)] {
        let n = if mbps == 10 { 3 } else { 5 };
        let s = shared(mbps, rtt, n, n, "sack", true, 90.0);
        let (base, wait) = (rtt as f64, s.waits[1]);
        let fluid = (base + wait) / base.max(25.0) / 1.22;
        assert!((0.75..1.35).contains(&(s.ratio() / fluid)), "{mbps} Mbit/s, {rtt} ms: {fluid} {s:?}");
        // the link is full, C waits for the target, and L for less than the ramp's end
        assert!(s.goodput > 0.99, "{mbps} Mbit/s, {rtt} ms: {s:?}");
        assert!((14.0..17.0).contains(&wait) && s.waits[0] < 1.2, "{mbps} Mbit/s, {rtt} ms: {s:?}");
    }
}

/// What is lost or marked in C is the square of half of what is marked in L: RFC 9332 section 2.1, equation (1). L's
/// own ramp adds marks, and p'^2 has a greater mean than the square of the mean of p'; with ten flows both are small.
#[test]
fn the_classic_probability_is_the_square_of_the_coupled_one() {
    for (mbps, ecn) in [(20, false), (40, false), (40, true)] {
        let s = shared(mbps, 20, 5, 5, "sack", ecn, 90.0);
        let [l, c] = s.signals;
        let ratio = c / ((l / 2.0) * (l / 2.0));
        assert!((0.85..1.15).contains(&ratio), "{mbps} Mbit/s: {ratio} {s:?}");
    }
}

/// One flow of each. CUBIC's sawtooth is alone in C, so the queue runs empty at times.
#[test]
fn one_prague_and_one_cubic_are_within_a_factor_of_two() {
    for (mbps, rtt) in [(4, 20), (10, 10), (10, 40), (40, 10), (40, 50), (100, 20)] {
        for ecn in [false, true] {
            let s = shared(mbps, rtt, 1, 1, "cubic", ecn, 60.0);
            assert!((0.5..2.0).contains(&s.ratio()), "{mbps} Mbit/s, {rtt} ms: {s:?}");
            assert!(s.goodput > 0.95, "{mbps} Mbit/s, {rtt} ms: {s:?}");
        }
    }
}

/// Alone, Prague waits where the ramp is, and the link is full but for a few per cent where the ramp is shorter than a
/// packet.
#[test]
fn prague_alone_keeps_the_wait_at_the_ramp() {
    for (mbps, rtt) in [(10, 20), (40, 20), (100, 50)] {
        let s = shared(mbps, rtt, 2, 0, "cubic", false, 60.0);
        assert!(s.goodput > 0.95 && (0.2..1.5).contains(&s.waits[0]), "{mbps} Mbit/s, {rtt} ms: {s:?}");
    }
}

/// A dumbbell of L4S and classic senders, all with accurate ECN; what is lost is lost before the queue that marks, or
/// on the way back. Everything is over before the run is.
fn counted(rules: &[(usize, u32, bool)], mbps: u64, loss: f64, acks_lost: f64, seed: u64) -> Results {
    let mut core = direction(mbps * 1_000_000, 10, 10_000);
    core.queue.discipline = Discipline::DualPi2(DualPi2Spec::default());
    core.queue.ecn = true;
    let access = direction(100_000_000, 2, 1000);
    let mut network = dumbbell(rules.len(), core, &access, "prague", Profile::Rfc);
    network.links[0].reverse.loss = LossSpec::uniform(acks_lost, LossAt::Wire);
    for (i, (flow, &(algorithm, delayed_ack, option))) in network.flows.iter_mut().zip(rules).enumerate() {
        flow.start = Time(i as u64 * 37_000_003);
        let spec = tcp(flow);
        let name = ["prague", "cubic", "newreno", "dctcp", "bbr3"][algorithm];
        spec.algorithm = cc::Config::named(name).unwrap();
        spec.rules.recovery = Some(cc::registry::Recovery::RackTlp);
        (spec.rules.ecn, spec.rules.ecn_echo, spec.rules.ect1) = (true, EcnEcho::Accurate, algorithm == 0);
        (spec.rules.delayed_ack, spec.rules.accecn_option) = (delayed_ack, option);
        spec.size = Some(1_000_000);
        network.links[1 + 2 * i].forward.loss = LossSpec::uniform(loss, LossAt::Wire);
    }
    run(&network, seed, &options(300.0))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every mark that a queue made arrives at a receiver, and every one that arrives is told, once.
    #[test]
    fn senders_count_the_marks_that_queues_made(
        rules in proptest::collection::vec((0usize..5, 1u32..17, any::<bool>()), 1..5),
        mbps in 2u64..20,
        (loss, acks_lost) in prop_oneof![Just((0.0, 0.0)), (0.0..0.02, 0.0..0.2)],
        seed in 0u64..1000,
    ) {
        let results = counted(&rules, mbps, loss, acks_lost, seed);
        let made: u64 = results.links.iter().map(|link| link.stats.marked_packets).sum();
        let lanes = results.links[0].stats.lanes.unwrap();
        prop_assert_eq!(lanes[0].marked + lanes[1].marked, made);
        let arrived: u64 = results.flows.iter().map(|flow| flow.receiver.marked_segments).sum();
        prop_assert_eq!(arrived, made);
        for (flow, &(_, delayed_ack, option)) in results.flows.iter().zip(&rules) {
            prop_assert!(flow.completed.is_some());
            let (told, arrived) = (flow.sender.marks, flow.receiver.marked_segments);
            // without the option an ACK of eight segments and more is taken for the worst that it can mean
            if option || (acks_lost == 0.0 && delayed_ack < 8) {
                // a copy that comes after the last ACK of news is told by none
                let again = flow.receiver.duplicate_segments;
                prop_assert!(told <= arrived && arrived - told <= again, "{told} of {arrived}");
            }
        }
    }
}
