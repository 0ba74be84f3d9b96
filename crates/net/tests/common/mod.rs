//! Small networks for tests.
#![allow(dead_code)]

use datagram::Traffic;
use net::*;
use tcp::{Config, Profile};
use units::{Span, Time};

pub fn direction(rate_bps: u64, delay_ms: u64, queue: u32) -> DirectionSpec {
    DirectionSpec::plain(
        rate_bps,
        Span::from_millis(delay_ms),
        QueueSpec::drop_tail(QueueLimit::Packets(queue), Counting::Waiting),
    )
}

pub fn link(name: &str, a: usize, b: usize, both: DirectionSpec) -> LinkSpec {
    LinkSpec { name: name.into(), a, b, forward: both.clone(), reverse: both }
}

pub fn flow(name: &str, from: usize, to: usize, algorithm: &str, profile: Profile) -> FlowSpec {
    let algorithm = cc::Config::named(algorithm).expect("in the registry");
    let mut tcp = Config::profile(profile);
    tcp.window = 1000;
    if algorithm.row().uses_marks {
        (tcp.ecn, tcp.ecn_per_packet) = (true, true);
    }
    FlowSpec {
        name: name.into(),
        from,
        to,
        start: Time::ZERO,
        route: None,
        stop: None,
        transport: Transport::Tcp(TcpSpec {
            algorithm,
            rules: tcp,
            size: None,
            two_way: false,
            reverse_start: Time::ZERO,
            handovers: vec![],
        }),
    }
}

/// The connection of a TCP flow.
pub fn tcp(flow: &mut FlowSpec) -> &mut TcpSpec {
    match &mut flow.transport {
        Transport::Tcp(spec) => spec,
        _ => panic!("`{}` is no TCP flow", flow.name),
    }
}

/// A rate-controlled flow of packets of 1000 bytes.
pub fn tfrc(name: &str, from: usize, to: usize) -> FlowSpec {
    let rules = cc::Config::named("tfrc").and_then(|config| config.rate()).expect("in the registry");
    let transport = Transport::Tfrc(datagram::TfrcConfig { rules, payload: 1000, header: 40 });
    FlowSpec { transport, ..flow(name, from, to, "newreno", Profile::Rfc) }
}

/// Datagrams of 1000 bytes, as many as `rate_bps` says.
pub fn udp(name: &str, from: usize, to: usize, traffic: Traffic, rate_bps: u64) -> FlowSpec {
    let config = datagram::Config { traffic, rate_bps, payload: 1000, header: 0 };
    let (start, stop) = (Time::ZERO, None);
    FlowSpec { name: name.into(), from, to, route: None, start, stop, transport: Transport::Udp(config) }
}

/// `pairs` senders and receivers on both sides of one link. Nodes: g1, g2, then left and right by turns.
pub fn dumbbell(
    pairs: usize,
    bottleneck: DirectionSpec,
    access: &DirectionSpec,
    algorithm: &str,
    p: Profile,
) -> Network {
    let mut network = Network { nodes: vec!["g1".into(), "g2".into()], ..Network::default() };
    network.links.push(link("bottleneck", 0, 1, bottleneck));
    for i in 0..pairs {
        let (left, right) = (network.nodes.len(), network.nodes.len() + 1);
        network.nodes.extend([format!("left/{i}"), format!("right/{i}")]);
        network.links.push(link(&format!("left/{i}"), left, 0, access.clone()));
        network.links.push(link(&format!("right/{i}"), 1, right, access.clone()));
        network.flows.push(flow(&format!("f/{i}"), left, right, algorithm, p));
    }
    network
}

pub fn options(seconds: f64) -> RunOptions {
    RunOptions {
        duration: Span::from_secs(seconds),
        warmup: Span::ZERO,
        traces: Traces::default(),
        events: false,
        delays: false,
    }
}

/// Run, with everything recorded. Debug builds assert conservation at the end of every run.
pub fn run(network: &Network, seed: u64, options: &RunOptions) -> Results {
    World::new(network, seed, options).expect("the network is sound").run(None).expect("nobody cancels")
}
