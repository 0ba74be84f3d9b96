//! A station's queue, or its queues: one for each receiver, served in turn.

use units::{Span, Time};
use wlan::{StationId, StationStats};

use super::hops::AirHop;
use super::{StationResult, StationSpec};
use crate::cause::LossCounts;
use crate::packet::Packet;
use crate::pool::Pool;
use crate::queue::{Dropped, Queue, Server};

/// What waits in front of a station's MAC.
#[derive(Debug)]
pub(crate) struct Port {
    lanes: Vec<Lane>,
    /// The lane that is served next.
    turn: usize,
    /// Since when the MAC has nothing to do, if it has nothing.
    pub(crate) idle_since: Time,
    offered: u64,
    /// Sum over packets that arrived of the time from the queue to the next station.
    pub(crate) sojourn: Span,
    /// How many these are.
    pub(crate) delivered: u64,
    /// Counters of the MAC when the warm-up ended.
    pub(crate) before: StationStats,
    /// For a queue to each receiver.
    spec: Option<Box<Template>>,
}

/// How a queue to a receiver is made.
#[derive(Debug)]
struct Template {
    spec: StationSpec,
    rate_bps: u64,
    seed: u64,
    name: String,
}

#[derive(Debug)]
struct Lane {
    /// Whom it is for; with one queue for all it does not matter.
    to: StationId,
    queue: Queue,
}

/// The MAC as a queue sees it.
struct MacServer {
    idle: bool,
    idle_since: Time,
}

impl Server for MacServer {
    fn is_idle(&self, _now: Time) -> bool {
        self.idle
    }

    fn idle_for(&mut self, now: Time) -> Span {
        if self.idle { now.since(self.idle_since) } else { Span::ZERO }
    }

    fn changing_rate(&self, _at: Time) -> Option<f64> {
        None
    }
}

impl Port {
    pub(crate) fn new(spec: &StationSpec, channel: &wlan::MediumSpec, seed: u64, name: &str) -> Port {
        let rate_bps = u64::from(channel.params.rate.kbps) * 1000;
        let template = Template { spec: spec.clone(), rate_bps, seed, name: name.to_owned() };
        let mut port = Port {
            lanes: Vec::new(),
            turn: 0,
            idle_since: Time::ZERO,
            offered: 0,
            sojourn: Span::ZERO,
            delivered: 0,
            before: StationStats::default(),
            spec: None,
        };
        if spec.per_receiver {
            port.spec = Some(Box::new(template));
        } else {
            port.lanes.push(template.lane(0, ""));
        }
        port
    }

    /// There are packets for this receiver: it needs a lane. Before the first packet.
    pub(crate) fn serve(&mut self, to: StationId) {
        if let Some(template) = &self.spec
            && !self.lanes.iter().any(|lane| lane.to == to)
        {
            self.lanes.push(template.lane(to, &format!("/{to}")));
            self.lanes.sort_by_key(|lane| lane.to);
        }
    }

    /// A packet comes; `idle`: the MAC has nothing to do.
    pub(crate) fn offer(
        &mut self,
        now: Time,
        hop: &AirHop,
        packet: Packet,
        idle: bool,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) {
        self.offered += 1;
        let mut server = MacServer { idle, idle_since: self.idle_since };
        let place = match self.spec {
            Some(_) => self.lanes.binary_search_by_key(&hop.to, |lane| lane.to).expect("every receiver has a lane"),
            None => 0,
        };
        self.lanes[place].queue.offer(now, packet, hop.source, &mut server, pool, dropped);
    }

    /// The next packet for the MAC, which has nothing to do.
    pub(crate) fn next(&mut self, now: Time, pool: &mut Pool, dropped: &mut Vec<Dropped>) -> Option<Packet> {
        let server = MacServer { idle: true, idle_since: self.idle_since };
        for _ in 0..self.lanes.len() {
            let turn = self.turn;
            self.turn = if turn + 1 == self.lanes.len() { 0 } else { turn + 1 };
            if let Some(packet) = self.lanes[turn].queue.next(now, &server, pool, dropped) {
                return Some(packet);
            }
        }
        None
    }

    pub(crate) fn held<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        self.lanes.iter().flat_map(|lane| lane.queue.held(pool))
    }

    /// The length of its queue at every change up to `end`, in packets, if it was traced.
    pub(crate) fn take_trace(&mut self, end: Time) -> Vec<(Time, u32)> {
        match &mut self.lanes[..] {
            [only] => only.queue.take_trace(end),
            _ => Vec::new(),
        }
    }

    /// The run is over; `in_mac`: packets that the MAC has.
    pub(crate) fn result(
        &mut self,
        medium: usize,
        station: usize,
        mac: StationStats,
        in_mac: u64,
        pool: &Pool,
        end: Time,
    ) -> StationResult {
        self.lanes.iter_mut().for_each(|lane| lane.queue.finish(pool, end));
        let queues = || self.lanes.iter().map(|lane| &lane.queue);
        StationResult {
            medium,
            station,
            mac,
            mac_before: self.before,
            offered_packets: self.offered,
            queue_drops: queues().fold(LossCounts::default(), |sum, queue| sum.plus(queue.drops())),
            queue_integral: queues().map(|queue| queue.time().secs()).sum(),
            queue_max: queues().map(Queue::longest).max().unwrap_or(0),
            marked_packets: queues().map(Queue::marked).sum(),
            in_flight_packets: self.held(pool).count() as u64 + in_mac,
            sojourn: self.sojourn,
            delivered_packets: self.delivered,
        }
    }
}

impl Template {
    fn lane(&self, to: StationId, suffix: &str) -> Lane {
        let mut queue =
            Queue::new(&self.spec.queue, self.rate_bps, Span::ZERO, self.seed, &format!("{}{suffix}", self.name));
        if !queue.holds() {
            queue.hold();
        }
        Lane { to, queue }
    }
}
