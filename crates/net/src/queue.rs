//! A queue: a limit, a policer, a discipline, and what waits. A link owns one; so can whatever else takes packets one
//! after the other, such as a station with a MAC.
//!
//! Its owner is the [`Server`] of what waits. There are two kinds of queue, with the same results where both will do:
//!
//! - Service is known on arrival: first in, first out, and the server can say at once when it will come to a packet.
//!   The queue remembers only when each will leave ([`Departures`]), and needs no event. Calls: [`Queue::admit`], then
//!   [`Queue::wait`] unless the server is idle.
//! - Packets are held, in the order of their service ([`ServiceOrder`]): for disciplines that decide at departure, and
//!   for servers that cannot know. Calls: [`Queue::offer`], and [`Queue::next`] or [`Queue::next_place`] whenever the
//!   server is free for the next one.
//!
//! DropTail, marking at a threshold, RED and PIE decide when a packet arrives ([`admission`]) and go with both kinds.
//! CoDel, FQ-CoDel and DualPI2 decide when a packet is about to be served.

mod admission;
mod codel;
mod departures;
mod dual_pi2;
mod fattest;
mod fifo;
mod fq_codel;
mod pie;
mod policer;
mod red;
mod service_order;
#[cfg(test)]
mod tests;
mod trace;

use sim::Stream;
use tcp::Flags;
use units::{Span, Time};

use crate::cause::{LossCause, LossCounts};
use crate::packet::Packet;
use crate::pool::Pool;
use crate::spec::{QueueLimit, QueueSpec};
use admission::Admission;
use departures::Departures;
use fifo::CountedFifo;
use service_order::ServiceOrder;

pub use dual_pi2::LaneStats;
pub(crate) use fq_codel::lane_bytes;
pub(crate) use trace::Lengths;
use trace::QueueTrace;

/// What waits, without the packet in service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Backlog {
    pub(crate) packets: u32,
    pub(crate) bytes: u64,
}

/// A packet that a queue dropped.
pub(crate) type Dropped = (Packet, LossCause);

/// Who takes packets from a queue, one after the other: what the queue asks about it.
pub(crate) trait Server {
    /// It has nothing to do: what comes is served at once, without a place in the queue.
    fn is_idle(&self, now: Time) -> bool;
    /// How long it has been so; where its rate changes, as long as its first rate would take to serve what could have
    /// been served meanwhile.
    fn idle_for(&mut self, now: Time) -> Span;
    /// Bits per second at `at`, if that changes.
    fn changing_rate(&self, at: Time) -> Option<f64>;
}

/// A queue. What packets that wait need comes first: one cache line.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Queue {
    waiting: Waiting,
    /// What may wait.
    limit: QueueLimit,
    /// The times of waiting of all packets, added up.
    time: Span,
    /// Most packets that ever waited.
    longest: u32,
    /// The discipline marks packets that can be marked.
    ecn: bool,
    takes_nothing: bool,
    /// What asks about a packet before there is a place for it, if anything does.
    admission: Option<Box<Admission>>,
    trace: Option<Box<QueueTrace>>,
    drops: LossCounts,
    dropped_bytes: u64,
    marked: u64,
}

#[derive(Debug)]
enum Waiting {
    Known(Departures),
    Held(Box<ServiceOrder>),
}

impl Queue {
    /// The queue of a server that begins with this rate and has this delay behind it, for disciplines that set
    /// themselves; `name` is the server's, for random streams.
    pub(crate) fn new(spec: &QueueSpec, rate_bps: u64, delay: Span, seed: u64, name: &str) -> Queue {
        let stream = || Stream::new(seed, &format!("{name}/queue"));
        let waiting = match ServiceOrder::new(&spec.discipline, stream) {
            Some(order) => Waiting::Held(Box::new(order)),
            None => Waiting::Known(Departures::new()),
        };
        Queue {
            waiting,
            limit: spec.places(),
            time: Span::ZERO,
            longest: 0,
            ecn: spec.ecn,
            takes_nothing: spec.takes_nothing(),
            admission: Admission::new(spec, rate_bps, delay, stream).map(Box::new),
            trace: spec.trace.map(|tracing| Box::new(QueueTrace::new(tracing))),
            drops: LossCounts::default(),
            dropped_bytes: 0,
            marked: 0,
        }
    }

    /// Hold packets from now on, in the order of their arrival. Only before the first packet.
    pub(crate) fn hold(&mut self) {
        self.waiting = Waiting::Held(Box::new(ServiceOrder::fifo()));
    }

    /// It holds packets.
    pub(crate) fn holds(&self) -> bool {
        matches!(self.waiting, Waiting::Held(_))
    }

    /// Nothing but its limit decides, and nobody watches it.
    pub(crate) fn is_plain(&self) -> bool {
        !self.holds() && self.admission.is_none() && self.trace.is_none()
    }

    /// Not even an idle server gets a packet: ns-2's counting with a limit of one packet.
    pub(crate) fn takes_nothing(&self) -> bool {
        self.takes_nothing
    }

    /// What waits now. Calls come in order of time.
    fn backlog(&mut self, now: Time) -> Backlog {
        match &mut self.waiting {
            Waiting::Known(departures) => departures.backlog(now),
            Waiting::Held(order) => order.backlog(),
        }
    }

    /// Find a place to wait from `now` until service begins at `start`; false if there is none, and the packet is
    /// dropped. Only where service is known on arrival. `end` is when the run ends.
    #[inline(always)]
    pub(crate) fn wait(&mut self, now: Time, start: Time, size: u32, end: Time) -> bool {
        let Waiting::Known(departures) = &mut self.waiting else { unreachable!("packets are held") };
        if self.limit.is_full(departures.backlog(now), size) {
            return self.turn_away(size);
        }
        departures.push(start, size);
        self.longest = self.longest.max(departures.packets());
        self.time += start.min(end).since(now);
        true
    }

    /// Record the waiting of a packet for which [`Queue::wait`] found a place, if that is wanted.
    pub(crate) fn trace_wait(&mut self, now: Time, start: Time) {
        self.trace_change(now, 1);
        self.trace_change(start, -1);
    }

    /// A packet comes to a queue that holds packets; is it taken? It is at this place of the pool, on no list; `source`
    /// is a hash of its flow and direction. Packets that are dropped, be it this one or others that make room, are
    /// added to `dropped`.
    #[inline]
    pub(crate) fn offer(
        &mut self,
        now: Time,
        place: u32,
        source: u32,
        server: &mut impl Server,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) -> bool {
        if let Some(cause) = self.admit(now, pool.get_mut(place), server) {
            dropped.push((pool.remove(place), cause));
            return false;
        }
        let idle = server.is_idle(now);
        let Waiting::Held(order) = &mut self.waiting else { unreachable!("service is known on arrival") };
        let packet = pool.get_mut(place);
        let size = u32::from(packet.size);
        let makes_room = order.makes_room();
        let full = match idle {
            true => self.takes_nothing,
            false => !makes_room && self.limit.is_full(order.backlog(), size),
        };
        if full {
            self.turn_away(size);
            dropped.push((pool.remove(place), LossCause::Queue));
            return false;
        }
        packet.at = now;
        order.push(place, source, pool);
        if !idle {
            self.trace_change(now, 1);
            if makes_room {
                self.make_room(now, pool, dropped);
            }
            self.longest = self.longest.max(self.held_packets());
        }
        true
    }

    /// Drop what is over the limit, in a queue that chooses what to drop.
    fn make_room(&mut self, now: Time, pool: &mut Pool, dropped: &mut Vec<Dropped>) {
        let before = dropped.len();
        if let Waiting::Held(order) = &mut self.waiting {
            while self.limit.is_exceeded(order.backlog()) {
                order.make_room(pool, dropped);
            }
        }
        for (packet, cause) in &dropped[before..] {
            self.leave(now, packet);
            self.drop(u32::from(packet.size), *cause);
        }
    }

    /// The packet to be served now, of those that are held. Those that the discipline drops before it are added to
    /// `dropped`.
    #[inline]
    pub(crate) fn next(
        &mut self,
        now: Time,
        server: &impl Server,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) -> Option<Packet> {
        if let Some(fifo) = self.in_order() {
            let packet = fifo.pop(pool)?;
            self.served(now, &packet);
            return Some(packet);
        }
        self.next_of_discipline(now, server, pool, dropped)
    }

    /// The same; the packet is at this place of the pool, on no list.
    #[inline(always)]
    pub(crate) fn next_place(
        &mut self,
        now: Time,
        server: &impl Server,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) -> Option<u32> {
        if let Some(fifo) = self.in_order() {
            let place = fifo.take(pool)?;
            self.served(now, pool.get(place));
            return Some(place);
        }
        self.next_of_discipline(now, server, pool, dropped).map(|packet| pool.keep(packet))
    }

    /// What is held, if it is served in the order of arrival, and nobody asks about it.
    #[inline]
    fn in_order(&mut self) -> Option<&mut CountedFifo> {
        match &mut self.waiting {
            Waiting::Held(order) if self.admission.is_none() => match &mut **order {
                ServiceOrder::Fifo(fifo) => Some(fifo),
                _ => None,
            },
            _ => None,
        }
    }

    #[inline(never)]
    fn next_of_discipline(
        &mut self,
        now: Time,
        server: &impl Server,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) -> Option<Packet> {
        // a discipline that looks at the queue in this very instant sees it as it is afterwards
        self.watch(Time(now.0.saturating_sub(1)), server);
        let before = dropped.len();
        let Waiting::Held(order) = &mut self.waiting else { unreachable!("service is known on arrival") };
        let next = order.pop(now, self.ecn, pool, dropped);
        for (packet, cause) in &dropped[before..] {
            self.served(now, packet);
            self.drop(u32::from(packet.size), *cause);
        }
        let (mut packet, marked) = next?;
        self.served(now, &packet);
        if marked {
            self.mark(&mut packet);
        }
        Some(packet)
    }

    /// Drop all that is held.
    pub(crate) fn empty(&mut self, now: Time, cause: LossCause, pool: &mut Pool, dropped: &mut Vec<Dropped>) {
        let Waiting::Held(order) = &mut self.waiting else { unreachable!("service is known on arrival") };
        let before = dropped.len();
        while let Some(packet) = order.drop_one(pool) {
            dropped.push((packet, cause));
        }
        for (packet, cause) in &dropped[before..] {
            self.served(now, packet);
            self.drop(u32::from(packet.size), *cause);
        }
    }

    /// A packet's turn has come. If it found the server idle, it never waited.
    fn served(&mut self, now: Time, packet: &Packet) {
        if now > packet.at {
            self.leave(now, packet);
        }
    }

    /// Account for the time that a packet waited until now.
    fn leave(&mut self, now: Time, packet: &Packet) {
        self.time += now.since(packet.at);
        self.trace_change(now, -1);
    }

    fn mark(&mut self, packet: &mut Packet) {
        self.marked += u64::from(!packet.flags.has(Flags::CE));
        packet.flags.set(Flags::CE);
    }

    fn drop(&mut self, size: u32, cause: LossCause) {
        self.drops.add(cause);
        self.dropped_bytes += u64::from(size);
    }

    /// Drop a packet for which there is no place. Not taken: false.
    #[cold]
    pub(crate) fn turn_away(&mut self, size: u32) -> bool {
        self.drop(size, LossCause::Queue);
        false
    }

    #[cold]
    fn trace_change(&mut self, at: Time, change: i32) {
        if let Some(trace) = &mut self.trace {
            trace.note(at, change);
        }
    }
}

/// What it has counted.
impl Queue {
    /// Packets dropped, by cause.
    pub(crate) fn drops(&self) -> &LossCounts {
        &self.drops
    }

    pub(crate) fn dropped_bytes(&self) -> u64 {
        self.dropped_bytes
    }

    /// Packets marked.
    pub(crate) fn marked(&self) -> u64 {
        self.marked
    }

    /// What each of two coupled queues has counted: that for L4S, and that for the rest.
    pub(crate) fn lanes(&self) -> Option<[LaneStats; 2]> {
        match &self.waiting {
            Waiting::Known(_) => None,
            Waiting::Held(order) => order.lanes(),
        }
    }

    /// The times of waiting of all packets, added up: the integral of the queue's length.
    pub(crate) fn time(&self) -> Span {
        self.time
    }

    /// Most packets that ever waited.
    pub(crate) fn longest(&self) -> u32 {
        self.longest
    }

    /// Packets held.
    pub(crate) fn held<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        let order = match &self.waiting {
            Waiting::Known(_) => None,
            Waiting::Held(order) => Some(order),
        };
        order.into_iter().flat_map(|order| order.iter(pool))
    }

    /// Bytes of packets held.
    pub(crate) fn held_bytes(&self) -> u64 {
        match &self.waiting {
            Waiting::Known(_) => 0,
            Waiting::Held(order) => order.backlog().bytes,
        }
    }

    /// Packets held.
    pub(crate) fn held_packets(&self) -> u32 {
        match &self.waiting {
            Waiting::Known(_) => 0,
            Waiting::Held(order) => order.backlog().packets,
        }
    }

    /// The run is over: account for the time that those who are held have waited.
    pub(crate) fn finish(&mut self, pool: &Pool, end: Time) {
        let waited = self.held(pool).fold(Span::ZERO, |sum, packet| sum + end.since(packet.at));
        self.time += waited;
    }

    /// Its length up to `end`, if it was traced.
    pub(crate) fn take_trace(&mut self, end: Time) -> Lengths {
        self.trace.take().map_or_else(Lengths::default, |trace| trace.lengths(end))
    }
}
