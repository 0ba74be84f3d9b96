//! A station's queues: one, or one for each class of traffic, or for each receiver as well, served in turn.

use units::{Span, Time};
use wlan::{Class, StationId, StationStats};

use super::hops::AirHop;
use super::{StationResult, StationSpec};
use crate::cause::LossCounts;
use crate::packet::Packet;
use crate::pool::Pool;
use crate::queue::{Dropped, Lengths, Queue, Server};

/// What waits in front of a station's MAC.
#[derive(Debug)]
pub(crate) struct Port {
    /// One for each class that the MAC tells apart, best chances first.
    groups: Vec<Group>,
    offered: u64,
    /// Sum over packets that arrived of the time from the queue to the next station.
    pub(crate) sojourn: Span,
    /// How many these are.
    pub(crate) delivered: u64,
    /// Airtime when it was traced last.
    pub(crate) airtime: Span,
    /// Counters of the MAC when the warm-up ended.
    pub(crate) before: StationStats,
    template: Template,
}

/// How a queue is made.
#[derive(Debug)]
struct Template {
    spec: StationSpec,
    rate_bps: u64,
    seed: u64,
    name: String,
}

/// The queues of a class.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) class: Class,
    lanes: Vec<Lane>,
    /// The lane that is served next.
    turn: usize,
    /// Place of a packet taken off its queue for a joint transmission that it did not fit into: the next to go.
    kept: Option<u32>,
    /// Since when the MAC has nothing to do for this class, if it has nothing.
    pub(crate) idle_since: Time,
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
            groups: Vec::new(),
            offered: 0,
            sojourn: Span::ZERO,
            delivered: 0,
            airtime: Span::ZERO,
            before: StationStats::default(),
            template,
        };
        let classes = if channel.params.edca { &Class::ALL[..] } else { &[Class::BestEffort] };
        for &class in classes {
            let lanes = if spec.per_receiver { Vec::new() } else { vec![port.template.lane(class, None)] };
            port.groups.push(Group { class, lanes, turn: 0, kept: None, idle_since: Time::ZERO });
        }
        port
    }

    /// There are packets of this class for this receiver: they need a queue. Before the first packet.
    pub(crate) fn serve(&mut self, class: Class, to: StationId) {
        if !self.template.spec.per_receiver {
            return;
        }
        let group = self.group(class);
        if let Err(at) = group.lanes.binary_search_by_key(&to, |lane| lane.to) {
            let class = group.class;
            let lane = self.template.lane(class, Some(to));
            self.group(class).lanes.insert(at, lane);
        }
    }

    /// Its queues for packets of a class.
    #[inline]
    pub(crate) fn group(&mut self, class: Class) -> &mut Group {
        match &mut self.groups[..] {
            [only] => only,
            groups => &mut groups[class as usize],
        }
    }

    /// The packet at this place of the pool comes; `idle`: the MAC has nothing to do for its class.
    #[inline]
    pub(crate) fn offer(
        &mut self,
        now: Time,
        hop: &AirHop,
        place: u32,
        idle: bool,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) {
        self.offered += 1;
        let group = self.group(hop.class);
        let mut server = MacServer { idle, idle_since: group.idle_since };
        let lane = match &mut group.lanes[..] {
            [only] => only,
            lanes => {
                let at = lanes.binary_search_by_key(&hop.to, |lane| lane.to).expect("every receiver has a queue");
                &mut lanes[at]
            }
        };
        lane.queue.offer(now, place, hop.source, &mut server, pool, dropped);
    }

    pub(crate) fn held<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        let queued = self.groups.iter().flat_map(|group| &group.lanes).flat_map(|lane| lane.queue.held(pool));
        queued.chain(self.groups.iter().filter_map(|group| group.kept).map(|place| pool.get(place)))
    }

    /// The length of its queue up to `end`, if it was traced and there is only one.
    pub(crate) fn take_trace(&mut self, end: Time) -> Lengths {
        let mut queues = self.groups.iter_mut().flat_map(|group| &mut group.lanes).map(|lane| &mut lane.queue);
        match (queues.next(), queues.next()) {
            (Some(only), None) => only.take_trace(end),
            _ => Lengths::default(),
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
        let mut lanes = self.groups.iter_mut().flat_map(|group| &mut group.lanes);
        lanes.by_ref().for_each(|lane| lane.queue.finish(pool, end));
        let queues = || self.groups.iter().flat_map(|group| &group.lanes).map(|lane| &lane.queue);
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

impl Group {
    /// Place of the next packet for the MAC, which has nothing to do for this class.
    #[inline]
    pub(crate) fn next(&mut self, now: Time, pool: &mut Pool, dropped: &mut Vec<Dropped>) -> Option<u32> {
        let kept = self.kept.take();
        if kept.is_some() {
            return kept;
        }
        if self.lanes.len() == 1 {
            return self.take(now, 0, pool, dropped);
        }
        for _ in 0..self.lanes.len() {
            let turn = self.turn;
            self.turn = if turn + 1 == self.lanes.len() { 0 } else { turn + 1 };
            let next = self.take(now, turn, pool, dropped);
            if next.is_some() {
                return next;
            }
        }
        None
    }

    /// Place of the next packet for a receiver, to go together with one that the MAC has, if it `fits`. One that does
    /// not is the next to go.
    pub(crate) fn next_for(
        &mut self,
        now: Time,
        to: StationId,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
        fits: impl FnOnce(&Packet) -> bool,
    ) -> Option<u32> {
        if self.kept.is_some() {
            return None;
        }
        let lane = if self.lanes.len() == 1 { 0 } else { self.lanes.binary_search_by_key(&to, |lane| lane.to).ok()? };
        let place = self.take(now, lane, pool, dropped)?;
        if fits(pool.get(place)) {
            return Some(place);
        }
        self.kept = Some(place);
        None
    }

    #[inline]
    fn take(&mut self, now: Time, lane: usize, pool: &mut Pool, dropped: &mut Vec<Dropped>) -> Option<u32> {
        let server = MacServer { idle: true, idle_since: self.idle_since };
        self.lanes[lane].queue.next_place(now, &server, pool, dropped)
    }
}

impl Template {
    fn lane(&self, class: Class, to: Option<StationId>) -> Lane {
        let class = match class {
            Class::BestEffort => String::new(),
            class => format!("/{class:?}"),
        };
        let receiver = to.map_or(String::new(), |to| format!("/to {to}"));
        let name = format!("{}{class}{receiver}", self.name);
        let mut queue = Queue::new(&self.spec.queue, self.rate_bps, Span::ZERO, self.seed, &name);
        if !queue.holds() {
            queue.hold();
        }
        Lane { to: to.unwrap_or(0), queue }
    }
}
