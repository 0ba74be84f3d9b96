//! Flows through radio media: cells with an access point, chains, and what must hold on all of them.

mod common;

use common::*;
use net::{
    Counting, DirectionSpec, LinkSpec, MediumSpec, Network, QueueLimit, QueueSpec, Results, RunOptions, ShortCut,
    StationSpec, World,
};
use proptest::prelude::*;
use tcp::Profile;
use units::{Span, Time};
use wlan::{Layout, Loss, LossAt, LossFrames, LossModel, Params};

fn station(node: usize, ifq: u32, counting: Counting) -> StationSpec {
    let queue = QueueSpec::drop_tail(QueueLimit::Packets(ifq), counting);
    StationSpec { node, queue, per_receiver: false, routing_bytes: 0 }
}

/// A hop between two stations of medium 0.
fn air(name: &str, a: usize, b: usize, params: &Params, ifq: u32) -> LinkSpec {
    let queue = QueueSpec::drop_tail(QueueLimit::Packets(ifq), Counting::Waiting);
    let spec = DirectionSpec::plain(u64::from(params.rate.kbps) * 1000, Span::ZERO, queue);
    LinkSpec { medium: Some(0), ..link(name, a, b, spec) }
}

/// An access point with stations round it, and a server behind a wire of 100 Mbps and 5 ms. Nodes: server, access
/// point, stations.
fn cell(stations: usize, params: Params) -> Network {
    let mut network = Network { nodes: vec!["server".into(), "ap".into()], ..Network::default() };
    network.links.push(link("backbone", 0, 1, direction(100_000_000, 5, 1000)));
    for i in 0..stations {
        network.nodes.push(format!("station/{i}"));
        network.links.push(air(&format!("air/{i}"), 2 + i, 1, &params, 50));
    }
    let channel = wlan::MediumSpec::new("cell", params, Layout::Everyone { stations: stations + 1 });
    let stations = (0..=stations).map(|i| station(1 + i, 50, Counting::Waiting)).collect();
    network.media.push(MediumSpec { channel, stations, link_layer: Span::ZERO, arp: false });
    network
}

/// Nodes 200 m apart by ns-2's rules, with its queues and its link layer.
fn chain(nodes: usize, params: Params, ifq: u32) -> Network {
    let mut network = Network { nodes: (0..nodes).map(|i| format!("n{i}")).collect(), ..Network::default() };
    for i in 1..nodes {
        network.links.push(air(&format!("hop/{i}"), i - 1, i, &params, ifq));
    }
    let channel = wlan::MediumSpec::new("chain", params, Layout::line(nodes, 200.0));
    let stations = (0..nodes).map(|i| station(i, ifq, Counting::Ns2)).collect();
    network.media.push(MediumSpec { channel, stations, link_layer: Span(25_000), arp: false });
    network
}

/// Delivered payload of all flows, Mbps.
fn goodput(results: &Results, seconds: f64) -> f64 {
    results.flows.iter().map(|flow| flow.delivered_bytes as f64 * 8e-6 / seconds).sum()
}

#[test]
fn a_download_and_an_upload_share_a_cell() {
    let mut network = cell(2, Params::dot11g());
    network.flows.push(flow("down", 0, 2, "newreno", Profile::Rfc));
    network.flows.push(flow("up", 3, 0, "newreno", Profile::Rfc));
    let results = run(&network, 1, &options(10.0));
    // a segment takes DIFS, 254 + 10 + 34 us, and half as long as an ACK's DIFS, 38 + 10 + 34 us: 381 us without any
    // backoff, 482 us if none were shared and none collided
    let mbps = goodput(&results, 10.0);
    let segment = |us: f64| 1460.0 * 8.0 / us;
    assert!((segment(482.0) * 0.9..segment(381.0)).contains(&mbps), "{mbps}");
    assert!(results.flows.iter().all(|flow| flow.delivered_bytes > 1_000_000));
    let stations: u64 = results.stations.iter().map(|s| s.mac.acked).sum();
    let air: u64 = results.links.iter().filter(|l| l.link > 0).map(|l| l.stats.delivered_packets).sum();
    assert!(air.abs_diff(stations) <= 3, "{air} {stations}");
    let airtime: Span = results.stations.iter().fold(Span::ZERO, |sum, s| sum + s.mac.airtime.total());
    assert!(airtime < Span::from_secs(10.0));
}

#[test]
fn two_nodes_of_ns2_give_what_ns2_gives() {
    // 512-byte segments, window 20, IFQ 50, one flow of 150 s from 1 s on: 0.502 Mbps measured with ns-2 2.35
    let mut network = chain(2, Params::named("ns2-default").unwrap(), 50);
    let mut only = flow("f", 0, 1, "newreno", Profile::Ns2);
    tcp(&mut only).rules.mss = 512;
    tcp(&mut only).rules.window = 20;
    only.start = Time::from_secs(1.0);
    network.flows.push(only);
    let results = run(&network, 1, &options(150.0));
    let mbps = goodput(&results, 150.0);
    println!("{mbps}");
    assert!((mbps / 0.5023 - 1.0).abs() < 0.02, "{mbps}");
}

/// A medium that chance has drawn, with flows over it.
#[derive(Clone, Debug)]
struct Drawn {
    set: usize,
    nodes: usize,
    in_a_row: bool,
    rts: bool,
    loss: u8,
    ifq: u32,
    per_receiver: bool,
    arp: bool,
    algorithms: Vec<usize>,
    back: bool,
}

const ALGORITHMS: [&str; 4] = ["newreno", "cubic", "vegas", "westwood-plus"];

fn drawn() -> impl Strategy<Value = Drawn> {
    let what = (0..Params::NAMES.len(), 2..6usize, any::<bool>(), any::<bool>());
    let how = (0..4u8, 2..20u32, any::<bool>(), any::<bool>());
    let flows = (proptest::collection::vec(0..ALGORITHMS.len(), 1..4), any::<bool>());
    (what, how, flows).prop_map(|((set, nodes, in_a_row, rts), (loss, ifq, per_receiver, arp), (algorithms, back))| {
        Drawn { set, nodes, in_a_row, rts, loss, ifq, per_receiver, arp, algorithms, back }
    })
}

impl Drawn {
    fn network(&self) -> Network {
        let mut params = Params::named(Params::NAMES[self.set]).unwrap();
        params.rts_threshold = if self.rts { 300 } else { u32::MAX };
        let far = if params.radio.rx_threshold < 1e-9 { 40.0 } else { 200.0 };
        let mut network = if self.in_a_row {
            let mut network = chain(self.nodes, params, self.ifq);
            network.media[0].channel.layout = Layout::line(self.nodes, far);
            network
        } else {
            cell(self.nodes, params)
        };
        let medium = &mut network.media[0];
        medium.arp = self.arp;
        for station in &mut medium.stations {
            station.per_receiver = self.per_receiver;
            station.queue.limit = QueueLimit::Packets(self.ifq);
            station.routing_bytes = u32::from(self.loss) * 10;
        }
        let model = match self.loss {
            0 => None,
            1 => Some(LossModel::Independent { rate: 0.05 }),
            2 => Some(LossModel::Gilbert { rate: 0.1, burst: 5.0 }),
            _ => Some(LossModel::Independent { rate: 0.3 }),
        };
        let at = if self.loss == 2 { LossAt::Above } else { LossAt::Mac };
        medium.channel.loss = model.map(|model| Loss { model, frames: LossFrames::All, at });
        for (number, algorithm) in self.algorithms.iter().enumerate() {
            let far = if self.in_a_row { self.nodes - 1 } else { 2 + number % self.nodes };
            let (from, to) = if self.back && number % 2 == 0 { (far, 0) } else { (0, far) };
            network.flows.push(flow(&format!("f/{number}"), from, to, ALGORITHMS[*algorithm], Profile::Rfc));
        }
        network
    }
}

/// Each case runs a network for three simulated seconds. `PROPTEST_CASES` asks for more of them.
fn cases() -> ProptestConfig {
    let usual = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    ProptestConfig { cases: if asked { usual.cases } else { 60 }, ..usual }
}

proptest! {
    #![proptest_config(cases())]

    /// Conservation and bounds are checked at the end of every run of a debug build.
    #[test]
    fn no_packet_is_lost_from_sight_and_nobody_is_on_air_all_the_time(drawn in drawn(), seed in 0..1000u64) {
        let network = drawn.network();
        let all = RunOptions { warmup: Span::from_millis(700), events: true, ..options(3.0) };
        let results = run(&network, seed, &all);
        for station in &results.stations {
            let on_air = station.mac.airtime.total();
            prop_assert!(on_air <= station.mac.busy);
            prop_assert!(station.mac.busy <= Span::from_secs(3.0));
            prop_assert!(station.mac_before.attempts <= station.mac.attempts);
            prop_assert!(station.delivered_packets + station.queue_drops.total() <= station.offered_packets);
        }
        let mut slow = World::new(&network, seed, &all).unwrap();
        slow.without(ShortCut::Departures);
        let slow = slow.run(None).unwrap();
        prop_assert_eq!(format!("{:?}", results.flows), format!("{:?}", slow.flows));
        prop_assert_eq!(format!("{:?}", results.stations), format!("{:?}", slow.stations));
    }
}

#[test]
fn all_stations_of_a_cell_get_their_share() {
    let mut network = cell(5, Params::dot11g());
    for i in 0..5 {
        network.flows.push(udp(&format!("u/{i}"), 2 + i, 0, datagram::Traffic::Cbr { jittered: true }, 10_000_000));
    }
    let results = run(&network, 1, &options(60.0));
    let shares: Vec<f64> = results.flows.iter().map(|flow| flow.delivered_bytes as f64).collect();
    let mean = shares.iter().sum::<f64>() / 5.0;
    assert!(shares.iter().all(|share| (share / mean - 1.0).abs() < 0.03), "{shares:?}");
}

#[test]
fn bytes_of_routing_stay_on_a_packet_that_began_at_a_station() {
    let sent = |routing_bytes: u32, from: usize, to: usize| {
        let mut network = cell(1, Params::dot11g());
        network.media[0].stations[1].routing_bytes = routing_bytes;
        network.flows.push(flow("f", from, to, "newreno", Profile::Rfc));
        let results = run(&network, 1, &options(5.0));
        let data = results.links.iter().filter(|link| link.link == 0).max_by_key(|link| link.stats.delivered_bytes);
        let data = &data.unwrap().stats;
        data.delivered_bytes as f64 / data.delivered_packets as f64
    };
    // 1460 bytes and 40, and what routing adds stays on the wire; the SYN is shorter
    assert!((1519.0..=1520.0).contains(&sent(20, 2, 0)), "{}", sent(20, 2, 0));
    assert!((1499.0..=1500.0).contains(&sent(20, 0, 2)));
    assert!((1499.0..=1500.0).contains(&sent(0, 2, 0)));

    // a relay of a chain passes them on: data of 552 bytes and 20 on each of three hops
    let mut network = chain(4, Params::named("ns2-default").unwrap(), 50);
    network.media[0].stations[0].routing_bytes = 20;
    network.flows.push(flow("f", 0, 3, "newreno", Profile::Ns2));
    tcp(&mut network.flows[0]).rules.mss = 512;
    let results = run(&network, 1, &options(20.0));
    let airtime =
        |station: usize| results.stations[station].mac.airtime.data.0 / results.stations[station].mac.data_sent;
    // 192 us and 8 (572 + 34) bits at 1 Mbps; the first node sends nothing else
    assert!(airtime(0).abs_diff(192_000 + 8_000 * 606) < 50_000, "{}", airtime(0));
    let wire = |link: usize| {
        let data = results.links.iter().filter(|one| one.link == link).max_by_key(|one| one.stats.delivered_bytes);
        let stats = &data.unwrap().stats;
        stats.delivered_bytes as f64 / stats.delivered_packets as f64
    };
    assert!((571.0..=572.0).contains(&wire(1)) && (571.0..=572.0).contains(&wire(2)), "{} {}", wire(1), wire(2));
}
