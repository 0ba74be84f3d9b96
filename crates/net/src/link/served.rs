//! The served half of a link: it holds its packets itself and has an event at every end of transmission.
//!
//! Needed where a packet's departure cannot be known when it arrives: a discipline that decides at departure, a rate that
//! changes. The call order is [`Link::enter`], which answers [`Fate::Held`], then [`Link::take`]; whenever one of `take`
//! and [`Link::on_service`] names a time, the world calls `on_service` then. A link has at most one such event pending.
//!
//! Ties: service ends before packets arrive, on every link, so an arrival in the instant of a departure finds its room
//! free, as it does on a link without events. What is decided about a packet when it departs is decided at the end of
//! its transmission, in the order of departures.

use tcp::Flags;
use units::Time;

use super::{Entry, Fate, Link};
use crate::cause::LossCause;
use crate::packet::Packet;
use crate::pool::Pool;
use crate::queue::Line;

/// What waits, without the packet in transmission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Backlog {
    pub(crate) packets: u32,
    pub(crate) bytes: u64,
}

/// A packet that a link lost of its own accord.
pub(crate) type Dropped = (Packet, LossCause);

/// Packets held by a link. [`Packet::at`] is the time at which each came.
#[derive(Debug)]
pub(crate) struct Served {
    waiting: Line,
    /// In transmission.
    pub(super) sending: Option<Packet>,
    /// An outage takes it.
    in_outage: bool,
    /// What is left of it when the run ends, in bits times nanoseconds per second; only on a link that changes.
    pub(super) left: u64,
}

impl Served {
    /// What waits.
    pub(super) fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }
}

/// The end of a transmission.
#[derive(Debug)]
pub(crate) struct Service {
    /// The packet and what becomes of it: [`Fate::Arrives`], [`Fate::Passes`] or [`Fate::Lost`].
    pub(crate) sent: (Packet, Fate),
    /// When the next transmission ends, if one began.
    pub(crate) next: Option<Time>,
}

impl Link {
    /// Have packets held and served by events from now on. Only before the first packet.
    pub(crate) fn serve(&mut self, line: Line) {
        debug_assert_eq!(self.hot.offered_packets, 0);
        self.hot.entry = Entry::Special;
        if let Some(warming) = &mut self.cold.warmup {
            warming.entry = Entry::Special;
        }
        self.hot.eager = false;
        self.cold.served = Some(Box::new(Served { waiting: line, sending: None, in_outage: false, left: 0 }));
    }

    /// Served, with packets in the order of their arrival.
    pub(crate) fn serve_plainly(&mut self) {
        self.serve(Line::plain());
    }

    pub(crate) fn is_served(&self) -> bool {
        self.cold.served.is_some()
    }

    /// A packet that [`Link::enter`] let pass comes into the queue. If the transmitter was idle its transmission begins,
    /// and the answer is when it ends. `source` is a hash of the flow and direction that it is of. Packets that are lost are added to `dropped`.
    pub(crate) fn take(
        &mut self,
        now: Time,
        mut packet: Packet,
        source: u32,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) -> Option<Time> {
        let size = u32::from(packet.size);
        let served = self.cold.served.as_mut().expect("only served links take packets");
        let idle = served.sending.is_none();
        let full = if idle {
            self.hot.takes_nothing
        } else {
            !served.waiting.makes_room() && self.cold.limit.is_full(served.backlog(), size)
        };
        if full {
            self.refuse(now, size, LossCause::Queue);
            dropped.push((packet, LossCause::Queue));
            return None;
        }
        packet.at = now;
        served.waiting.push(packet, source, pool);
        if idle {
            return self.begin(now, false, pool, dropped);
        }
        self.trace_change(now, 1);
        self.make_room(now, pool, dropped);
        let length = self.cold.served.as_ref().map_or(0, |served| served.backlog().packets);
        self.cold.queue_max = self.cold.queue_max.max(length);
        None
    }

    /// Drop what is over the limit, in a queue that chooses what to drop.
    fn make_room(&mut self, now: Time, pool: &mut Pool, dropped: &mut Vec<Dropped>) {
        let Some(served) = self.cold.served.as_mut() else { return };
        let before = dropped.len();
        while self.cold.limit.is_exceeded(served.backlog()) {
            served.waiting.make_room(pool, dropped);
        }
        for (packet, cause) in &dropped[before..] {
            self.leave(now, packet);
            self.refuse(now, u32::from(packet.size), *cause);
        }
    }

    /// The transmission under way has ended.
    pub(crate) fn on_service(&mut self, now: Time, pool: &mut Pool, dropped: &mut Vec<Dropped>) -> Service {
        // a discipline that looks at the queue in this very instant sees it as it is afterwards
        self.watch(Time(now.0.saturating_sub(1)));
        let served = self.cold.served.as_mut().expect("only served links have services");
        let packet = served.sending.take().expect("a service that ends has a packet");
        let (size, in_outage) = (u32::from(packet.size), served.in_outage);
        let next = self.begin(now, true, pool, dropped);
        let fate = match self.dispatch(now, in_outage, size) {
            Fate::Lost(at, cause) => self.lose(at, size, cause),
            fate => fate,
        };
        Service { sent: (packet, fate), next }
    }

    /// Begin to transmit the next packet, if there is one, which `waited` for the transmitter. When will it have been
    /// sent?
    fn begin(&mut self, now: Time, waited: bool, pool: &mut Pool, dropped: &mut Vec<Dropped>) -> Option<Time> {
        let served = self.cold.served.as_mut()?;
        let before = dropped.len();
        let next = served.waiting.pop(now, self.cold.ecn, pool, dropped);
        for (packet, cause) in &dropped[before..] {
            self.waited(now, packet);
            self.refuse(now, u32::from(packet.size), *cause);
        }
        let (mut packet, mark) = next?;
        self.waited(now, &packet);
        if mark {
            self.cold.marked_packets += u64::from(!packet.flags.has(Flags::CE));
            packet.flags.set(Flags::CE);
        }
        let sent = self.departure(now, waited, u32::from(packet.size));
        self.hot.free_at = sent.at;
        if let Some(served) = &mut self.cold.served {
            served.sending = Some(packet);
            (served.in_outage, served.left) = (sent.in_outage, sent.left);
        }
        Some(sent.at)
    }

    /// A packet leaves the queue. If it found the transmitter idle, it never waited.
    fn waited(&mut self, now: Time, packet: &Packet) {
        if now > packet.at {
            self.leave(now, packet);
        }
    }

    /// Account for the time that a packet waited until now.
    fn leave(&mut self, now: Time, packet: &Packet) {
        self.cold.queue_time += now.since(packet.at);
        self.trace_change(now, -1);
    }

    /// Every packet that the link holds, those that wait first.
    pub(crate) fn held<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        let served = self.cold.served.as_deref();
        let waiting = served.map(|s| s.waiting.iter(pool)).into_iter().flatten();
        waiting.chain(served.and_then(|s| s.sending.as_ref()))
    }

    /// The run is over: account for the time that those who still wait have waited.
    pub(crate) fn finish(&mut self, pool: &Pool, end: Time) {
        if let Some(served) = &self.cold.served {
            for packet in served.waiting.iter(pool) {
                self.cold.queue_time += end.since(packet.at);
            }
        }
    }
}
