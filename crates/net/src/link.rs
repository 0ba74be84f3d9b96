//! One direction of a wired link: a queue, a transmitter, a wire.
//!
//! What waits, and what is dropped or marked for it, is the [`Queue`]'s. The link transmits one packet after the other
//! at its rate, delays it by the propagation of its wire, and loses some at random, on the wire or before the queue.
//!
//! At a fixed rate and first in, first out, a packet's departure is known when it arrives, so the queue needs no event.
//! Where that does not hold, a link is [`served`].

mod air;
mod build;
mod counts;
mod framed;
mod results;
mod send_jitter;
mod served;
mod tap;
#[cfg(test)]
mod tests;
mod transmitter;

use units::{Span, Time};

use crate::cause::{LossCause, LossCounts};
use crate::changing::Variation;
use crate::loss::{Channel, LossAt};
use crate::packet::Packet;
use crate::pool::Fifo;
use crate::queue::Queue;
use counts::Warmup;
use served::Served;

pub use counts::{LinkStats, MeasuredLink};
pub(crate) use framed::Grant;

/// Nanoseconds to transmit so many bytes at a rate, rounded up.
pub(crate) fn transmission(size: u32, rate_bps: u64) -> u64 {
    (u64::from(size) * 8 * 1_000_000_000).div_ceil(rate_bps)
}

/// What becomes of a packet that enters a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It reaches the far end then.
    Arrives(Time),
    /// It reaches the far end then, and others may arrive before it; [`Time::NEVER`]: it is lost after the run.
    Passes(Time),
    /// It is lost then.
    Lost(Time, LossCause),
    /// It will be lost on the wire, but not before the run ends.
    LostAfterEnd,
    /// The link is served by events and keeps it: [`Link::take`]. Or it is a hop through the air, or has a [`tap`].
    Held,
}

/// What every packet touches stands in [`Hot`], one cache line; the rest is needed only when packets wait, or on links
/// with something special.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) hot: Hot,
    cold: Cold,
}

#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Hot {
    /// When the transmitter has sent everything accepted so far.
    free_at: Time,
    delay: Span,
    /// Nanoseconds to transmit a byte, if that is a whole number; else zero.
    byte_tx: u32,
    /// The packet size seen last, and its transmission time in nanoseconds.
    memo_size: u32,
    memo_tx: u32,
    /// Packets on their way, to be taken up by an event.
    pub(crate) wire: Fifo,
    offered_packets: u64,
    offered_bytes: u64,
    delivered_packets: u64,
    /// Its only feeder is another link, so packets can be passed on before their time.
    pub(crate) eager: bool,
    entry: Entry,
    /// Its queue takes nothing, not even while the transmitter is idle.
    takes_nothing: bool,
}

/// What happens to a packet on its way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// Nothing but the queue and the transmitter.
    Plain,
    /// Random loss or send jitter as well.
    Random,
    /// Its queue is more than a limit, it has a drop list, it varies, it is served, it warms up, or it has a tap.
    Special,
}

/// What packets that wait need comes first, their queue: another cache line.
#[derive(Debug)]
#[repr(C)]
struct Cold {
    queue: Queue,
    rate_bps: u64,
    extras: Option<Box<Extras>>,
    /// Lost on the wire.
    losses: LossCounts,
    lost_bytes: u64,
    /// Lost before the queue: never transmitted.
    refused: LossCounts,
    refused_bytes: u64,
    served: Option<Box<Served>>,
    variation: Option<Box<Variation>>,
    warmup: Option<Box<Warming>>,
    send_jitter: Option<Box<send_jitter::SendJitter>>,
    late: Late,
    /// Its packets are looked at before they enter: [`tap`].
    tapped: bool,
    /// It is a hop through the air.
    air: bool,
    /// Packets of such a hop that are under way when the run ends, and their bytes.
    held_for_air: (u64, u64),
}

/// Packets that were accepted, but are not transmitted before the run ends; counted as they come, where their arrivals
/// do not tell.
#[derive(Clone, Copy, Debug, Default)]
struct Late {
    packets: u64,
    bytes: u64,
    /// What is left of their transmissions when the run ends, in bits times nanoseconds per second.
    work: u128,
}

/// A link during the warm-up, and what it counted in it. It takes the special way in, so that links without a warm-up,
/// and all after it, count nothing.
#[derive(Debug)]
struct Warming {
    /// The way in afterwards.
    entry: Entry,
    counts: Warmup,
}

/// Losses that few links have.
#[derive(Debug)]
struct Extras {
    channel: Channel,
    /// Numbers of the arrivals that are lost before the queue, in order, and how far they have come.
    drops: Vec<u64>,
    next_drop: usize,
    /// Packets with data that have come, if only these are counted.
    data_arrivals: Option<u64>,
}

impl Extras {
    /// Whether this packet, the arrival with this number, is on the drop list.
    fn lists(&mut self, arrival: u64, packet: &Packet) -> bool {
        let number = match &mut self.data_arrivals {
            None => arrival,
            Some(_) if !packet.is_data() => return false,
            Some(before) => std::mem::replace(before, *before + 1),
        };
        let before = self.next_drop;
        while self.drops.get(self.next_drop) == Some(&number) {
            self.next_drop += 1;
        }
        self.next_drop > before
    }
}

impl Link {
    /// The run ends then.
    pub(crate) fn set_end(&mut self, end: Time) {
        if let Some(variation) = &mut self.cold.variation {
            variation.set_end(end);
        }
        if let Some(extras) = &mut self.cold.extras {
            extras.channel.set_end(end);
        }
    }

    /// The run is measured from then on. Only before the first packet.
    pub(crate) fn warm_up(&mut self, until: Time) {
        let counts = Warmup { until, ..Warmup::default() };
        self.cold.warmup = Some(Box::new(Warming { entry: self.hot.entry, counts }));
        self.hot.entry = Entry::Special;
    }

    /// What is counted of the warm-up, if `at` is part of it.
    #[inline]
    fn warming(&mut self, at: Time) -> Option<&mut Warmup> {
        self.cold.warmup.as_mut().map(|warming| &mut warming.counts).filter(|counts| at <= counts.until)
    }

    /// A packet enters at `now`; `end` is when the run ends. Arrivals come in order of time. When it reaches the far
    /// end, or what else becomes of it.
    #[inline(always)]
    pub(crate) fn enter(&mut self, now: Time, packet: &mut Packet, end: Time) -> Result<Time, Fate> {
        let arrival = self.hot.offered_packets;
        let size = u32::from(packet.size);
        self.hot.offered_packets += 1;
        self.hot.offered_bytes += u64::from(size);
        let fate = match self.hot.entry {
            Entry::Plain => return self.enter_plain(now, size, end),
            Entry::Random => self.enter_random(now, size, end),
            Entry::Special => self.enter_special(now, packet, arrival, end),
        };
        if let Fate::Arrives(at) = fate { Ok(at) } else { Err(fate) }
    }

    #[inline(always)]
    fn enter_plain(&mut self, now: Time, size: u32, end: Time) -> Result<Time, Fate> {
        let Some(start) = self.place(now, size, end) else {
            return Err(self.turned_away(now, size, LossCause::Queue));
        };
        let departs = Time(start.0 + self.transmission(size));
        self.hot.free_at = departs;
        Ok(departs + self.hot.delay)
    }

    #[inline(never)]
    fn enter_random(&mut self, now: Time, size: u32, end: Time) -> Fate {
        if self.channel_loses(LossAt::Queue, now, size) {
            return self.refuse(now, size, LossCause::Random);
        }
        let at = match self.enter_plain(now, size, end) {
            Ok(at) => at,
            Err(fate) => return fate,
        };
        let departs = self.hot.free_at;
        if departs > end && !self.tells_late() {
            let start = Time(departs.0 - self.transmission(size));
            self.note_late(size, self.left_from(start, size, end));
        }
        match self.channel_loses(LossAt::Wire, departs, size) {
            false => self.arrives(at),
            true if departs <= end => self.lose(departs, size, LossCause::Random),
            true => Fate::LostAfterEnd,
        }
    }

    #[inline(never)]
    fn enter_special(&mut self, now: Time, packet: &mut Packet, arrival: u64, end: Time) -> Fate {
        if self.cold.tapped { Fate::Held } else { self.enter_behind_tap(now, packet, arrival, end) }
    }

    #[inline(always)]
    fn enter_behind_tap(&mut self, now: Time, packet: &mut Packet, arrival: u64, end: Time) -> Fate {
        let size = u32::from(packet.size);
        if let Some(warming) = &mut self.cold.warmup {
            if now <= warming.counts.until {
                warming.counts.offered_bytes += u64::from(size);
            } else {
                self.hot.entry = warming.entry;
            }
        }
        if self.cold.extras.as_mut().is_some_and(|extras| extras.lists(arrival, packet)) {
            return self.refuse(now, size, LossCause::List);
        }
        if self.channel_loses(LossAt::Queue, now, size) {
            return self.refuse(now, size, LossCause::Random);
        }
        if self.is_served() || self.cold.air {
            return Fate::Held;
        }
        let (queue, mut transmitter) = self.parts();
        if let Some(cause) = queue.admit(now, packet, &mut transmitter) {
            return self.turned_away(now, size, cause);
        }
        let Some(start) = self.place(now, size, end) else { return self.turned_away(now, size, LossCause::Queue) };
        let waits = start > now;
        if waits {
            self.cold.queue.trace_wait(now, start);
        }
        self.transmit(start, waits, size, end)
    }

    /// When the transmission of a packet that comes now begins; `None`: it finds no place to wait.
    #[inline(always)]
    fn place(&mut self, now: Time, size: u32, end: Time) -> Option<Time> {
        // an idle transmitter has nobody waiting: nothing but the hot line is looked at
        let start = self.hot.free_at.max(now);
        let fits = if start > now {
            self.cold.queue.wait(now, start, size, end)
        } else {
            !self.hot.takes_nothing || self.cold.queue.turn_away(size)
        };
        fits.then_some(start)
    }

    /// It has more than a queue, a transmitter and random loss. Asked before a warm-up begins.
    pub(crate) fn is_special(&self) -> bool {
        self.hot.entry == Entry::Special
    }

    /// Packets may pass each other on its wire.
    pub(crate) fn reorders(&self) -> bool {
        self.cold.variation.as_ref().is_some_and(|variation| variation.reorders())
    }

    /// What changes on a link that does.
    pub(crate) fn variation(&mut self) -> &mut Variation {
        self.cold.variation.as_mut().expect("asked only of links that change")
    }

    /// Count a packet that reached the far end.
    #[inline]
    pub(crate) fn deliver(&mut self) {
        self.hot.delivered_packets += 1;
    }

    /// Lose a packet that was transmitted.
    #[cold]
    fn lose(&mut self, at: Time, size: u32, cause: LossCause) -> Fate {
        self.cold.losses.add(cause);
        self.cold.lost_bytes += u64::from(size);
        if let Some(counts) = self.warming(at) {
            counts.lost_bytes += u64::from(size);
        }
        Fate::Lost(at, cause)
    }

    /// Lose a packet before the queue.
    #[cold]
    fn refuse(&mut self, at: Time, size: u32, cause: LossCause) -> Fate {
        self.cold.refused.add(cause);
        self.cold.refused_bytes += u64::from(size);
        self.turned_away(at, size, cause)
    }

    /// A packet was lost before it was transmitted, and is counted elsewhere: by the queue, if that dropped it.
    #[cold]
    fn turned_away(&mut self, at: Time, size: u32, cause: LossCause) -> Fate {
        if let Some(counts) = self.warming(at) {
            counts.refused_bytes += u64::from(size);
        }
        Fate::Lost(at, cause)
    }

    #[inline(always)]
    fn channel_loses(&mut self, at: LossAt, now: Time, size: u32) -> bool {
        self.cold.extras.as_mut().is_some_and(|e| e.channel.loses(at, now, size))
    }
}
