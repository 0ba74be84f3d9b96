//! Stations on a shared radio channel: queues in front of a medium (crate `wlan`).

mod arp;
mod channel;
mod hops;
mod layers;
mod port;

use units::Span;

use crate::cause::LossCounts;
use crate::spec::{Network, NodeId, QueueSpec};
pub(crate) use arp::{Unknown, is_arp};
pub(crate) use channel::Channel;
pub(crate) use hops::AirHop;
pub(crate) use layers::Layer;

/// A radio channel and the stations on it.
#[derive(Clone, Debug)]
pub struct MediumSpec {
    /// The medium: its name, numbers and rules, who hears whom, rates, errors.
    pub channel: wlan::MediumSpec,
    /// The stations, in the order in which the channel numbers them.
    pub stations: Vec<StationSpec>,
    /// How long a packet takes from IP to the queue, and from the MAC to IP: ns-2's link layer has 25 us each way.
    pub link_layer: Span,
    /// ns-2's address resolution: the first packets to a neighbour wait for an exchange of requests and replies.
    pub arp: bool,
}

/// A station: a node with a queue in front of its MAC.
#[derive(Clone, Debug)]
pub struct StationSpec {
    /// The node. One node may have stations on several media.
    pub node: NodeId,
    /// Its queue; a queue for each receiver, if there is [one each](StationSpec::per_receiver).
    pub queue: QueueSpec,
    /// Each receiver has a queue of its own, served in turn.
    pub per_receiver: bool,
    /// Bytes that routing adds to packets of flows that begin here.
    pub routing_bytes: u32,
}

impl MediumSpec {
    /// Number of the station of this node.
    pub(crate) fn station(&self, node: NodeId) -> Option<wlan::StationId> {
        let place = self.stations.iter().position(|station| station.node == node)?;
        Some(place as wlan::StationId)
    }

    /// Least time from the link layer above a packet's queue to the one above the next station, for a packet of `size`
    /// bytes: no waiting, no backoff, the highest rate.
    pub(crate) fn least_delay(&self, size: u32) -> Span {
        let params = &self.channel.params;
        let rates = self.channel.rates.iter().flatten().copied().chain([params.rate]);
        let all = rates.chain(params.rates.iter().copied());
        let before_the_answer = |rate| {
            let exchange = wlan::Exchange::new(params, rate, size, false);
            Span(exchange.airtime(params.sifs).0 - params.sifs.0 - exchange.ack.0)
        };
        let least = all.map(before_the_answer).min().unwrap_or_default();
        least + self.link_layer + self.link_layer
    }
}

impl Network {
    /// Least time over a directed link, if it is a hop through the air.
    pub(crate) fn least_delay_on_air(&self, link: u32, size: u32) -> Option<Span> {
        let medium = self.links[link as usize / 2].medium?;
        Some(self.media[medium].least_delay(size))
    }
}

/// What a station has done in a run.
#[derive(Clone, Debug, Default)]
pub struct StationResult {
    /// Number of the medium in the network.
    pub medium: usize,
    /// Number of the station on the medium.
    pub station: usize,
    /// Counters of its MAC.
    pub mac: wlan::StationStats,
    /// The same when the warm-up ended.
    pub mac_before: wlan::StationStats,
    /// Packets that came to its queue.
    pub offered_packets: u64,
    /// Packets that its queue dropped, by cause.
    pub queue_drops: LossCounts,
    /// Integral over time of the number of waiting packets, packet-seconds.
    pub queue_integral: f64,
    /// Most packets that ever waited.
    pub queue_max: u32,
    /// Packets in the queue and the MAC at the end.
    pub in_flight_packets: u64,
    /// Sum over packets that reached the next station of the time from their arrival at the queue until then.
    pub sojourn: Span,
    /// Packets in `sojourn`.
    pub delivered_packets: u64,
    /// Packets that its queue marked.
    pub marked_packets: u64,
}
