//! The served half of a link: its queue holds packets, and it has an event at every end of transmission.
//!
//! Needed where a packet's departure cannot be known when it arrives: a discipline that decides at departure, or a link
//! that [breaks](crate::Break). The call
//! order is [`Link::enter`], which answers [`Fate::Held`], then [`Link::take`]; whenever one of `take` and
//! [`Link::on_service`] names a time, the world calls `on_service` then. A link has at most one such event pending.
//!
//! Ties: service ends before packets arrive, on every link, so an arrival in the instant of a departure finds its room
//! free, as it does on a link without events. What is decided about a packet when it departs is decided at the end of
//! its transmission, in the order of departures.

use units::Time;

use super::{Entry, Fate, Link};
use crate::cause::LossCause;
use crate::packet::Packet;
use crate::pool::Pool;
use crate::queue::{Dropped, Server};

/// The transmission under way. [`Packet::at`] of packets in the queue is the time at which each came.
#[derive(Debug, Default)]
pub(super) struct Served {
    pub(super) sending: Option<Packet>,
    /// An outage takes it.
    in_outage: bool,
    /// What is left of it when the run ends, in bits times nanoseconds per second; only on a link that changes.
    pub(super) left: u64,
    /// A break cuts it off.
    cut: Option<LossCause>,
    /// After a break: when what waited through it is sent at the earliest.
    pub(super) ready: Time,
    /// It shares the frames of this cell: [`super::framed`].
    pub(super) cell: Option<u32>,
    /// Bytes of the packet under way that are still to be sent in frames.
    pub(super) rest: u32,
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
    pub(crate) fn serve(&mut self) {
        debug_assert_eq!(self.hot.offered_packets, 0);
        if !self.cold.queue.holds() {
            self.cold.queue.hold();
        }
        self.hot.entry = Entry::Special;
        if let Some(warming) = &mut self.cold.warmup {
            warming.entry = Entry::Special;
        }
        self.hot.eager = false;
        self.cold.served = Some(Box::default());
    }

    pub(crate) fn is_served(&self) -> bool {
        self.cold.served.is_some()
    }

    /// A packet that [`Link::enter`] let pass comes to the queue. If the transmitter was idle its transmission begins,
    /// and the answer is when it ends. `source` is a hash of the flow and direction that it is of. Packets that are
    /// lost are added to `dropped`.
    pub(crate) fn take(
        &mut self,
        now: Time,
        packet: Packet,
        source: u32,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) -> Option<Time> {
        let before = dropped.len();
        let (queue, mut transmitter) = self.parts();
        let idle = transmitter.is_idle(now);
        let taken = queue.offer(now, pool.keep(packet), source, &mut transmitter, pool, dropped);
        self.note_dropped(now, &dropped[before..]);
        if idle && taken { self.begin(now, false, pool, dropped) } else { None }
    }

    /// The transmission under way has ended.
    pub(crate) fn on_service(&mut self, now: Time, pool: &mut Pool, dropped: &mut Vec<Dropped>) -> Service {
        let served = self.cold.served.as_mut().expect("only served links have services");
        let packet = served.sending.take().expect("a service that ends has a packet");
        let (size, in_outage, cut) = (u32::from(packet.size), served.in_outage, served.cut);
        self.break_off(now, pool, dropped);
        let next = self.begin(now, true, pool, dropped);
        if let Some(cause) = cut {
            return Service { sent: (packet, self.refuse(now, size, cause)), next };
        }
        let fate = match self.dispatch(now, in_outage, size) {
            Fate::Lost(at, cause) => self.lose(at, size, cause),
            fate => fate,
        };
        Service { sent: (packet, fate), next }
    }

    /// If a break begins now, what waits is lost, or sent some time after the end of it. If nothing was being
    /// transmitted until now, nothing waits.
    pub(super) fn break_off(&mut self, now: Time, pool: &mut Pool, dropped: &mut Vec<Dropped>) {
        let Some(broken) = self.cold.variation.as_ref().and_then(|variation| variation.break_at(now)).copied() else {
            return;
        };
        match (broken.kept, &mut self.cold.served) {
            (Some(extra), Some(served)) if self.cold.queue.held_bytes() > 0 => served.ready = broken.end() + extra,
            (Some(_), _) => {}
            (None, _) => {
                let before = dropped.len();
                self.cold.queue.empty(now, broken.cause, pool, dropped);
                self.note_dropped(now, &dropped[before..]);
            }
        }
    }

    /// Begin to transmit the next packet, if there is one, which `waited` for the transmitter. When will it have been
    /// sent?
    fn begin(&mut self, now: Time, waited: bool, pool: &mut Pool, dropped: &mut Vec<Dropped>) -> Option<Time> {
        debug_assert!(self.cold.served.as_ref().is_some_and(|served| served.sending.is_none()));
        let before = dropped.len();
        let (queue, transmitter) = self.parts();
        let next = queue.next(now, &transmitter, pool, dropped);
        self.note_dropped(now, &dropped[before..]);
        let packet = next?;
        let ready = self.cold.served.as_ref().map_or(now, |served| served.ready);
        let start = now.max(ready);
        let sent = self.departure(start, waited && start == now, u32::from(packet.size));
        let broken = self.cold.variation.as_ref().and_then(|variation| variation.break_after(now));
        let cut = broken.filter(|broken| broken.at < sent.at).map(|broken| (broken.at, broken.cause));
        let ends = cut.map_or(sent.at, |(at, _)| at);
        self.hot.free_at = ends;
        if let Some(served) = &mut self.cold.served {
            let cut = cut.map(|(_, cause)| cause);
            let (in_outage, left) = (sent.in_outage, sent.left);
            **served = Served { sending: Some(packet), in_outage, left, cut, ready, ..Served::default() };
        }
        Some(ends)
    }

    /// The queue dropped packets.
    pub(super) fn note_dropped(&mut self, now: Time, dropped: &[Dropped]) {
        for (packet, cause) in dropped {
            self.turned_away(now, u32::from(packet.size), *cause);
        }
    }

    /// Every packet that the link holds, those that wait first.
    pub(crate) fn held<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        let sending = self.cold.served.as_ref().and_then(|served| served.sending.as_ref());
        self.cold.queue.held(pool).chain(sending)
    }

    /// The run is over.
    pub(crate) fn finish(&mut self, pool: &Pool, end: Time) {
        self.cold.queue.finish(pool, end);
    }
}
