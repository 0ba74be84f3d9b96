//! LEDBAT holds its target of queueing delay, and leaves the path to others.

use net::*;
use tcp::Profile;
use units::Span;

use crate::common::*;

/// Flows with these algorithms over 10 Mbps and 44 ms; goodput after 100 s as a share of the link, and the smoothed RTT
/// of the first flow at the end, in seconds.
fn shares(algorithms: &[&str], queue: u32) -> (Vec<f64>, f64) {
    let core = direction(10_000_000, 20, queue);
    let mut network = dumbbell(algorithms.len(), core, &direction(1_000_000_000, 1, 1000), "newreno", Profile::Rfc);
    for (flow, name) in network.flows.iter_mut().zip(algorithms) {
        let flow = tcp(flow);
        flow.algorithm = cc::Config::named(name).unwrap();
        flow.rules.delayed_ack = 1;
    }
    let traces = Traces { srtt: true, ..Traces::default() };
    let results = run(&network, 1, &RunOptions { traces, warmup: Span::from_secs(100.0), ..options(200.0) });
    let share = |f: &FlowResult| f.measured_bytes as f64 * 8.0 / 100.0 / (10e6 * 1460.0 / 1500.0);
    let srtt = results.traces.iter().rev().find(|p| p.subject == 0 && p.variable == Variable::Srtt);
    (results.flows.iter().map(share).collect(), srtt.expect("there are samples").value)
}

#[test]
fn alone_it_fills_the_path_and_queues_for_a_tenth_of_a_second() {
    // the least RTT is 45.3 ms: 145 ms with the target. NewReno fills the buffer of 500 packets, 600 ms, and
    // swings between that and 300.
    let (share, srtt) = shares(&["ledbat"], 500);
    assert!(share[0] > 0.99, "{share:?}");
    assert!((srtt - 0.1453).abs() < 0.003, "{srtt}");
    let (_, newreno) = shares(&["newreno"], 500);
    assert!(newreno > 0.28, "{newreno}");
}

#[test]
fn beside_newreno_it_takes_little() {
    // a buffer of 300 packets is 360 ms, and NewReno's sawtooth swings between 360 and about 160 ms: always above the
    // target of 100 ms, so LEDBAT shrinks to its two segments. Two NewReno flows share the link evenly.
    let (share, _) = shares(&["ledbat", "newreno"], 300);
    assert!(share[0] < 0.03 && share[1] > 0.95, "{share:?}");
    let (share, _) = shares(&["newreno", "newreno"], 300);
    assert!(share[0] > 0.3 && share[1] > 0.3, "{share:?}");
}

#[test]
fn a_queue_of_acks_is_none_of_its_concern() {
    // NewReno the other way fills a buffer of 300 packets, through which LEDBAT's ACKs come 200 to 360 ms later. By
    // round trips the target would be passed and two segments left, less than 1 % of the link. The way forth is free: a
    // segment more per round trip of 0.25 to 0.4 s, in 100 s at least 250; that is 250/0.4 s of the 833 packets per
    // second.
    let core = direction(10_000_000, 20, 300);
    let mut network = dumbbell(2, core, &direction(1_000_000_000, 1, 1000), "newreno", Profile::Rfc);
    tcp(&mut network.flows[0]).algorithm = cc::Config::named("ledbat").unwrap();
    network.flows.iter_mut().for_each(|flow| tcp(flow).rules.delayed_ack = 1);
    let back = &mut network.flows[1];
    (back.from, back.to) = (back.to, back.from);
    let results = run(&network, 1, &RunOptions { warmup: Span::from_secs(100.0), ..options(200.0) });
    let share = results.flows[0].measured_bytes as f64 * 8.0 / 100.0 / (10e6 * 1460.0 / 1500.0);
    assert!(share > 0.5, "{share}");
    let rtt = results.flows[0].sender.rtt_sum / results.flows[0].sender.rtt_samples as f64;
    assert!(rtt > 0.2, "{rtt}");
}
