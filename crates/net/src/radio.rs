//! Stations on a shared radio channel: queues in front of a medium (crate `wlan`).

use units::Span;

use crate::cause::LossCounts;
use crate::spec::{NodeId, QueueSpec};

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
    /// Sum over the station's data frames, repeated ones included, of their rates, bits per second.
    pub rate_sum_bps: f64,
}
