//! Small networks for tests.
#![allow(dead_code)]

use std::sync::Arc;

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
    LinkSpec { name: name.into(), a, b, forward: both.clone(), reverse: both, medium: None }
}

/// What the rules of a sender are given by.
pub trait Rules {
    fn config(self) -> Config;
}

impl Rules for Profile {
    fn config(self) -> Config {
        Config::profile(self)
    }
}

impl Rules for Config {
    fn config(self) -> Config {
        self
    }
}

pub fn flow(name: &str, from: usize, to: usize, algorithm: &str, rules: impl Rules) -> FlowSpec {
    let algorithm = cc::Config::named(algorithm).expect("in the registry");
    let mut tcp = rules.config().with_marks_for(algorithm.row());
    tcp.window = 1000;
    FlowSpec {
        name: name.into(),
        from,
        to,
        start: Time::ZERO,
        route: None,
        stop: None,
        class: wlan::Class::BestEffort,
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
    let class = wlan::Class::BestEffort;
    FlowSpec { name: name.into(), from, to, route: None, start, stop, transport: Transport::Udp(config), class }
}

/// `pairs` senders and receivers on both sides of one link. Nodes: g1, g2, then left and right by turns.
pub fn dumbbell(
    pairs: usize,
    bottleneck: DirectionSpec,
    access: &DirectionSpec,
    algorithm: &str,
    rules: impl Rules,
) -> Network {
    let rules = rules.config();
    let mut network = Network { nodes: vec!["g1".into(), "g2".into()], ..Network::default() };
    network.links.push(link("bottleneck", 0, 1, bottleneck));
    for i in 0..pairs {
        let (left, right) = (network.nodes.len(), network.nodes.len() + 1);
        network.nodes.extend([format!("left/{i}"), format!("right/{i}")]);
        network.links.push(link(&format!("left/{i}"), left, 0, access.clone()));
        network.links.push(link(&format!("right/{i}"), 1, right, access.clone()));
        network.flows.push(flow(&format!("f/{i}"), left, right, algorithm, rules));
    }
    network
}

pub fn options(seconds: f64) -> RunOptions {
    RunOptions::new(Span::from_secs(seconds))
}

/// Run, with everything recorded. Debug builds assert conservation at the end of every run.
pub fn run(network: &Network, seed: u64, options: &RunOptions) -> Results {
    World::new(network, seed, options).expect("the network is sound").run(None).expect("nobody cancels")
}

/// What the bottleneck of [`mixed_path`] carries.
pub const MIXED_BPS: u64 = 8_000_000;

/// A path with every kind of loss, and marks. Base RTT 100 ms. A link of 100 Mbit/s marks packets that find more than
/// thirty waiting, which happens at 15 s, when it carries 4 Mbit/s for 200 ms. Behind it 8 Mbit/s with 40 packets of
/// queue, which overflows at first: losses in the queue. There the 2500th, 4000th, 4001st and 4600th arrivals are lost,
/// whatever the queue: listed losses, for chance. And from 20 s to 20.4 s all that it sends is lost, so that the timer
/// expires.
pub fn mixed_path(row: &cc::registry::Row) -> Network {
    let mut marking = direction(100_000_000, 9, 1000);
    marking.queue.discipline = Discipline::Threshold(QueueLimit::Packets(30));
    marking.queue.ecn = true;
    let step = |ms: u64, mbps: u64| Step { at: Time(ms * 1_000_000), rate_bps: Some(mbps * 1_000_000), delay: None };
    marking.changing =
        Some(Arc::new(Changing { steps: vec![step(15_000, 4), step(15_200, 100)], ..Changing::default() }));
    let mut core = direction(MIXED_BPS, 40, 40);
    core.drops = vec![2500, 4000, 4001, 4600];
    let at = Time(20_000_000_000);
    let outage = Outage { at, length: Span::from_millis(400), every: None, lost: true, handover: false };
    core.changing = Some(Arc::new(Changing { outages: vec![outage], ..Changing::default() }));
    let (mut first, mut second) = (
        link("marking", 0, 1, direction(100_000_000, 9, 1000)),
        link("bottleneck", 1, 2, direction(100_000_000, 40, 1000)),
    );
    (first.forward, second.forward) = (marking, core);
    let config = cc::Config::named(row.name).expect("in the registry");
    let mut only = flow("f", 0, 2, if config.rate().is_some() { "newreno" } else { row.name }, Profile::Rfc);
    if let Some(rules) = config.rate() {
        only.transport = Transport::Tfrc(datagram::TfrcConfig { rules, payload: 1460, header: 40 });
    } else {
        tcp(&mut only).rules.ecn = true;
    }
    let nodes = ["s", "g", "r"].map(String::from).to_vec();
    Network { nodes, links: vec![first, second], flows: vec![only], ..Network::default() }
}
