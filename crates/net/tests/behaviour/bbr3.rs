//! BBR version 3 in a network: it finds the rate, keeps the queue short, is not led astray by random loss, looks at the
//! empty path with half of its flight, and leaves others more than version 1 does.

use net::*;
use tcp::Profile;
use units::Time;

use crate::bbr::{mean, share, traced};
use crate::common::*;

/// One path of 10 Mbps and 44 ms, 37.7 segments of 1460 bytes, with a buffer of so many packets.
fn path(pairs: usize, algorithm: &str, buffer: u32) -> Network {
    let mut core = direction(10_000_000, 20, buffer);
    core.queue.trace = Some(net::QueueTracing::ALL);
    dumbbell(pairs, core, &direction(1_000_000_000, 1, 1000), algorithm, Profile::Rfc)
}

#[test]
fn it_finds_the_rate_and_leaves_the_queue_almost_empty() {
    let results = run(&path(1, "bbr3", 75), 1, &traced(65.0));
    // 1 % slower than the path, and ProbeRTT with half of the flight for 0.2 s of 5.2: 2 %
    let found = share(&results, 0, 60.0);
    assert!((0.95..=1.0).contains(&found), "{found} of the rate");
    assert_eq!(results.flows[0].sender.retransmitted_segments, 0);
    // a probe of a few rounds adds a quarter of the 37.7 segments that the path holds
    let queue = mean(&results, Variable::Queue, 5.0, 65.0);
    assert!(queue < 5.0, "{queue} packets wait on average");
}

#[test]
fn every_five_seconds_half_of_the_path_is_in_flight() {
    let results = run(&path(1, "bbr3", 75), 1, &traced(65.0));
    let cwnd = results.traces.iter().filter(|p| p.variable == Variable::Cwnd && p.subject == 0);
    let points: Vec<(f64, f64)> = cwnd.map(|p| (p.at.secs(), p.value)).collect();
    // half of 37.7, with the least RTT of 10 s
    let is_half = |value: f64| (17.0..=20.0).contains(&value);
    let begins = points.windows(2).filter(|w| w[0].0 > 5.0 && !is_half(w[0].1) && w[0].1 > 30.0 && is_half(w[1].1));
    let begins: Vec<f64> = begins.map(|w| w[1].0).collect();
    assert!((9..=12).contains(&begins.len()), "{begins:?}");
    for pair in begins.windows(2) {
        // five seconds after the end of the last one, which took 0.2 s and a round or two
        assert!((5.0..6.5).contains(&(pair[1] - pair[0])), "{begins:?}");
    }
}

#[test]
fn two_flows_share_within_a_factor_of_one_and_a_half() {
    for buffer in [10, 75] {
        let mut network = path(2, "bbr3", buffer);
        network.flows[1].start = Time::from_secs(2.0);
        let results = run(&network, 1, &traced(65.0));
        let (a, b) = (share(&results, 0, 60.0), share(&results, 1, 60.0));
        assert!(a.max(b) / a.min(b) < 1.5 && a + b > 0.94, "{a} and {b}, buffer of {buffer}");
    }
}

#[test]
fn in_a_shallow_buffer_it_leaves_cubic_what_version_1_takes() {
    // a buffer of a quarter of the path
    let beside_cubic = |algorithm| {
        let mut network = path(2, algorithm, 10);
        tcp(&mut network.flows[1]).algorithm = cc::Config::named("cubic").unwrap();
        let results = run(&network, 1, &traced(65.0));
        (share(&results, 1, 60.0), results.flows[0].sender.retransmitted_segments)
    };
    let (old, new) = (beside_cubic("bbr"), beside_cubic("bbr3"));
    assert!(old.0 < 0.05, "{} for CUBIC beside version 1", old.0);
    assert!(new.0 > 0.2, "{} for CUBIC beside version 3", new.0);
    // it is losses that it learns from
    assert!(new.1 * 3 < old.1, "{} and {} segments sent again", new.1, old.1);
}

#[test]
fn random_loss_below_its_threshold_costs_little() {
    for (loss, least) in [(0.001, 0.93), (0.01, 0.7)] {
        let lossy = |algorithm| {
            let mut network = path(1, algorithm, 75);
            network.links[0].forward.loss = LossSpec::uniform(loss, LossAt::Wire);
            share(&run(&network, 1, &traced(65.0)), 0, 60.0)
        };
        let new = lossy("bbr3");
        assert!(new >= least, "{new} of the rate at {loss}");
        // Mathis: 1.22 / sqrt(0.01) = 12 segments of the 37 that the path holds, a few more with CUBIC
        if loss == 0.01 {
            let cubic = lossy("cubic");
            assert!(cubic < 0.45, "{cubic} of the rate with CUBIC");
        }
    }
}
