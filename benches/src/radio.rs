//! 802.11 of W5: ns-2's rules, 54 and 6 Mbps without RTS, slots of 9 us, segments of 512 bytes, windows of 32.

use net::{Counting, DirectionSpec, LinkSpec, MediumSpec, Network, QueueLimit, QueueSpec, StationSpec};
use units::Span;
use wlan::{Layout, Params};

use crate::cases::{rules, transfer};

const SEGMENT: u32 = 512;
const WINDOW: u32 = 32;
const QUEUE: u32 = 50;

/// Who is on air.
#[derive(Clone, Debug)]
pub enum Radio {
    /// So many nodes, 200 m apart; a transfer from the first to the last.
    Chain(usize),
    /// So many stations on a circle of 20 m round an access point, each with a transfer to it.
    Cell(usize),
}

impl Radio {
    /// The network.
    pub fn network(&self, algorithm: &cc::Config) -> Network {
        let (count, layout) = match self {
            Radio::Chain(nodes) => (*nodes, Layout::line(*nodes, 200.0)),
            Radio::Cell(stations) => (stations + 1, Layout::circle(*stations, 20.0)),
        };
        let mut network = Network { nodes: (0..count).map(|i| format!("n{i}")).collect(), ..Network::default() };
        for i in 1..count {
            let near = if matches!(self, Radio::Chain(_)) { i - 1 } else { 0 };
            network.links.push(hop(format!("hop/{i}"), i, near));
        }
        let channel = wlan::MediumSpec::new("air", params(), layout);
        let queue = queue();
        let station = |node| StationSpec { node, queue, per_receiver: false, routing_bytes: 0 };
        let stations = (0..count).map(station).collect();
        network.media.push(MediumSpec { channel, stations, link_layer: Span(25_000), arp: false });
        let rules = rules(algorithm, SEGMENT, WINDOW);
        network.flows = match self {
            Radio::Chain(nodes) => vec![transfer("f".into(), 0, nodes - 1, 1.0, *algorithm, rules)],
            Radio::Cell(stations) => {
                (1..=*stations).map(|i| transfer(format!("f/{i}"), i, 0, 1.0, *algorithm, rules)).collect()
            }
        };
        network
    }
}

fn params() -> Params {
    let set = Params::named("ns2-g54").expect("there is such a set");
    let (sifs, difs) = (Span(16_000), Span(34_000));
    Params { sifs, difs, rts_threshold: u32::MAX, ..set }
}

fn queue() -> QueueSpec {
    QueueSpec::drop_tail(QueueLimit::Packets(QUEUE), Counting::Ns2)
}

fn hop(name: String, a: usize, b: usize) -> LinkSpec {
    let direction = DirectionSpec::plain(54_000_000, Span::ZERO, queue());
    LinkSpec { name, a, b, forward: direction.clone(), reverse: direction, medium: Some(0) }
}
