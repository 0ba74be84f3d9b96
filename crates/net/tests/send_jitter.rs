//! What a random send delay of the hosts does: it ends the lock-out of flows at drop-tail queues, and no more.

mod common;

use common::*;
use net::*;
use sim::Stream;
use tcp::Profile;
use units::{Span, Time};

/// Ten flows whose access links are an eighth of the bottleneck, so that eight of them fill it in step with it.
fn in_step(algorithm: &str, profile: Profile, send_jitter: SendJitter) -> Network {
    let mut network = dumbbell(10, direction(8_000_000, 50, 50), &direction(1_000_000, 10, 50), algorithm, profile);
    for (i, flow) in network.flows.iter_mut().enumerate() {
        flow.start = Time(i as u64 * 937_000_003);
    }
    network.send_jitter = send_jitter;
    network
}

/// The least share of a flow in what a flow has on average, in the worst of some runs.
fn least_share(algorithm: &str, profile: Profile, send_jitter: SendJitter) -> f64 {
    let share = |seed| {
        let mut network = in_step(algorithm, profile, send_jitter);
        for flow in &mut network.flows {
            flow.start = Time::from_secs(10.0 * Stream::new(seed, &flow.name).uniform());
        }
        let results = run(&network, seed, &options(200.0));
        let bytes: Vec<f64> = results.flows.iter().map(|f| f.delivered_bytes as f64).collect();
        let mean = bytes.iter().sum::<f64>() / bytes.len() as f64;
        bytes.into_iter().fold(f64::INFINITY, f64::min) / mean
    };
    (1..=5).map(share).fold(f64::INFINITY, f64::min)
}

#[test]
fn lock_out_ends_with_it() {
    // Floyd and Jacobson (1992): flows in step with a drop-tail queue find it full again and again. BIC and CUBIC
    // hold it full best.
    for (algorithm, profile) in [("cubic", Profile::Ns2), ("bic", Profile::Ns2)] {
        let share = least_share(algorithm, profile, SendJitter::Off);
        assert!(share < 0.1, "{algorithm}: nobody is locked out, the least has {share} of the mean");
    }
    for algorithm in ["newreno", "sack", "cubic", "bic"] {
        for profile in [Profile::Ns2, Profile::Rfc] {
            let share = least_share(algorithm, profile, SendJitter::Auto);
            assert!(share > 0.5, "{algorithm}, {profile:?}: the least has {share} of the mean");
        }
    }
}

#[test]
fn a_flow_that_shares_no_link_has_none() {
    let alone = |send_jitter| {
        let mut network = in_step("newreno", Profile::Rfc, send_jitter);
        network.flows.truncate(1);
        format!("{:?}", run(&network, 1, &options(20.0)))
    };
    assert_eq!(alone(SendJitter::Auto), alone(SendJitter::Off));
    assert_ne!(alone(SendJitter::UpTo(Span::from_millis(1))), alone(SendJitter::Off));
}

#[test]
fn its_size_is_the_time_of_a_packet_on_the_narrowest_shared_link() {
    // of data 1500 bytes at 8 Mbps, 1.5 ms; of ACKs 40 bytes, 40 us. The access links are narrower, but nobody's but
    // the flow's own. The least RTT is of a packet that was hardly held; the longest delay shows in a path without
    // queues.
    let mut network = in_step("newreno", Profile::Rfc, SendJitter::Auto);
    for flow in &mut network.flows {
        tcp(flow).rules.window = 1;
        tcp(flow).rules.delayed_ack = 1;
    }
    // nobody meets anybody: there is nothing but transmission, propagation and jitter
    for (i, flow) in network.flows.iter_mut().enumerate() {
        flow.start = Time(i as u64 * 11_000_000);
    }
    let rtt = |network: &Network| {
        let results = run(network, 1, &options(100.0));
        let f = &results.flows[0];
        (f.rtt_min, f.sender.rtt_max, f.sender.rtt_sum / f.sender.rtt_samples as f64)
    };
    let (least, _, mean) = rtt(&network);
    network.send_jitter = SendJitter::Off;
    let (plain, _, _) = rtt(&network);
    assert!(least >= plain && least < plain + Span(100_000), "{least:?} after {plain:?}");
    // half of 1.54 ms on average, and at times a wait behind another flow's packet
    let more = mean - plain.secs();
    assert!(more > 0.75e-3 && more < 1.0e-3, "{more}");
}

#[test]
fn it_draws_for_each_host_by_itself() {
    // what one host does changes no draw of another: flows 0 and 1 over the same bottleneck as before, a third beside
    // it
    let mut network = in_step("newreno", Profile::Rfc, SendJitter::UpTo(Span::from_millis(1)));
    network.flows.truncate(2);
    for flow in &mut network.flows {
        tcp(flow).rules.window = 1;
    }
    let first = |network: &Network| run(network, 1, &options(10.0)).flows[0].sender.rtt_sum;
    let two = first(&network);
    network.flows.truncate(1);
    assert_eq!(first(&network), two);
}

#[test]
fn equal_runs_are_equal() {
    let text = |seed| format!("{:?}", run(&in_step("cubic", Profile::Rfc, SendJitter::Auto), seed, &options(20.0)));
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}
