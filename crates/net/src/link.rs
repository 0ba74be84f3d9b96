//! One direction of a wired link: a DropTail queue, a transmitter of fixed rate, a wire.
//!
//! At a fixed rate and first in, first out, a packet's departure is known when it arrives, so the queue needs no event:
//! its occupancy is found from the departure times of those before. Where that does not hold, a link is [`served`].

mod arrivals;
mod build;
mod counts;
mod results;
mod send_jitter;
mod served;
#[cfg(test)]
mod tests;

use units::{Span, Time};

use crate::cause::{LossCause, LossCounts};
use crate::changing::{Sent, Variation, work};
use crate::loss::{Channel, LossAt};
use crate::packet::Packet;
use crate::pool::Fifo;
use crate::queue::{OnArrival, Policer};
use crate::ring::Ring;
use arrivals::Warning;
use counts::Warmup;

pub use counts::{LinkStats, MeasuredLink};
pub(crate) use served::{Backlog, Dropped};

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
    /// The link is served by events and keeps it: [`Link::take`].
    Held,
}

/// Service start and size of a packet that waits.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    start: Time,
    size: u32,
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
    /// ns-2's counting with a limit of one packet takes nothing at all, not even into an idle link.
    takes_nothing: bool,
}

/// What happens to a packet on its way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// Nothing but the queue and the transmitter.
    Plain,
    /// Random loss or send jitter as well.
    Random,
    /// A drop list, policer, warning, discipline, trace or variation is on, the link is served, or it warms up.
    Special,
}

/// What packets that wait need comes first: another cache line.
#[derive(Debug)]
#[repr(C)]
struct Cold {
    waiting: Ring<Waiting>,
    waiting_bytes: u64,
    /// The times of waiting of all packets, added up.
    queue_time: Span,
    limit: Limit,
    queue_max: u32,
    /// The discipline marks packets that can be marked.
    ecn: bool,
    rate_bps: u64,
    extras: Option<Box<Extras>>,
    losses: LossCounts,
    lost_bytes: u64,
    /// Lost before the queue or at it: never transmitted.
    refused: LossCounts,
    refused_bytes: u64,
    marked_packets: u64,
    served: Option<Box<served::Served>>,
    variation: Option<Box<Variation>>,
    warmup: Option<Box<Warming>>,
    send_jitter: Option<Box<send_jitter::SendJitter>>,
    late: Late,
}

/// Packets that were accepted, but are not transmitted before the run ends; counted as they come, where their arrivals do not
/// tell.
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

#[derive(Clone, Copy, Debug)]
enum Limit {
    Packets(u32),
    Bytes(u64),
}

impl Limit {
    /// Whether a packet of this size finds no place.
    #[inline]
    fn is_full(self, backlog: Backlog, size: u32) -> bool {
        match self {
            Limit::Packets(most) => backlog.packets >= most,
            Limit::Bytes(most) => backlog.bytes + u64::from(size) > most,
        }
    }

    /// Whether more waits than may.
    fn is_exceeded(self, backlog: Backlog) -> bool {
        match self {
            Limit::Packets(most) => backlog.packets > most,
            Limit::Bytes(most) => backlog.bytes > most,
        }
    }
}

/// What few links have.
#[derive(Debug)]
struct Extras {
    channel: Channel,
    drops: Vec<u64>,
    next_drop: usize,
    /// A policer, a warning or a discipline looks at every arrival.
    looks: bool,
    policer: Option<Policer>,
    on_arrival: Option<OnArrival>,
    warning: Option<Warning>,
    trace: Option<Vec<(Time, i32)>>,
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

    /// A packet enters at `now`; `end` is when the run ends. Arrivals come in order of time.
    #[inline(always)]
    pub(crate) fn enter(&mut self, now: Time, packet: &mut Packet, end: Time) -> Fate {
        let arrival = self.hot.offered_packets;
        let size = u32::from(packet.size);
        self.hot.offered_packets += 1;
        self.hot.offered_bytes += u64::from(size);
        match self.hot.entry {
            Entry::Plain => self.enter_plain(now, size, end),
            Entry::Random => self.enter_random(now, size, end),
            Entry::Special => self.enter_special(now, packet, arrival, end),
        }
    }

    #[inline(always)]
    fn enter_plain(&mut self, now: Time, size: u32, end: Time) -> Fate {
        let Some(start) = self.place(now, size, end) else { return self.refuse(now, size, LossCause::Queue) };
        let departs = Time(start.0 + self.transmission(size));
        self.hot.free_at = departs;
        Fate::Arrives(departs + self.hot.delay)
    }

    #[inline(never)]
    fn enter_random(&mut self, now: Time, size: u32, end: Time) -> Fate {
        if self.channel_loses(LossAt::Queue, now, size) {
            return self.refuse(now, size, LossCause::Random);
        }
        let at = match self.enter_plain(now, size, end) {
            Fate::Arrives(at) => at,
            fate => return fate,
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
        let size = u32::from(packet.size);
        if let Some(warming) = &mut self.cold.warmup {
            if now <= warming.counts.until {
                warming.counts.offered_bytes += u64::from(size);
            } else {
                self.hot.entry = warming.entry;
            }
        }
        if let Some(fate) = self.before_queue(now, packet, arrival) {
            return fate;
        }
        match self.place(now, size, end) {
            Some(start) => self.transmit(start, start > now, size, end),
            None => self.refuse(now, size, LossCause::Queue),
        }
    }

    /// When the transmission of a packet that comes now begins; `None`: it finds no place to wait.
    #[inline(always)]
    fn place(&mut self, now: Time, size: u32, end: Time) -> Option<Time> {
        // an idle transmitter has nobody waiting: nothing but the hot line is looked at
        let start = self.hot.free_at.max(now);
        let fits = if start > now { self.queue(now, start, size, end) } else { !self.hot.takes_nothing };
        fits.then_some(start)
    }

    /// Transmit from `start` on, on a link with something special.
    fn transmit(&mut self, start: Time, waited: bool, size: u32, end: Time) -> Fate {
        let sent = self.departure(start, waited, size);
        let departs = sent.at;
        self.hot.free_at = departs;
        if departs > end && !self.tells_late() {
            let left = if self.cold.variation.is_some() { sent.left.into() } else { self.left_from(start, size, end) };
            self.note_late(size, left);
        }
        match self.dispatch(departs, sent.in_outage, size) {
            Fate::Lost(at, cause) if departs <= end => self.lose(at, size, cause),
            Fate::Lost(..) if self.reorders() => Fate::Passes(Time::NEVER),
            Fate::Lost(..) => Fate::LostAfterEnd,
            fate => fate,
        }
    }

    /// Count a packet that is not transmitted before the run ends.
    #[cold]
    fn note_late(&mut self, size: u32, left: u128) {
        let late = &mut self.cold.late;
        *late = Late { packets: late.packets + 1, bytes: late.bytes + u64::from(size), work: late.work + left };
    }

    /// Whether the arrival of a packet tells when it was transmitted: its delay is always the same.
    fn tells_late(&self) -> bool {
        self.cold.variation.is_none() && self.cold.send_jitter.is_none()
    }

    /// What is left at the end of the run of a transmission that begins at `start`, in bits times nanoseconds per second.
    fn left_from(&self, start: Time, size: u32, end: Time) -> u128 {
        work(size.into()) - u128::from(self.cold.rate_bps) * u128::from(end.0.saturating_sub(start.0))
    }

    /// When a transmission from `start` on ends, and whether an outage takes the packet. What is left of it at the end
    /// of the run is said of links that change only.
    fn departure(&mut self, start: Time, waited: bool, size: u32) -> Sent {
        let sent = match &mut self.cold.variation {
            Some(variation) => variation.transmit(start, waited, size),
            None => Sent { at: Time(start.0 + self.transmission(size)), in_outage: false, left: 0 },
        };
        if let Some(counts) = self.warming(start).filter(|counts| sent.at > counts.until) {
            counts.under_way_bytes = size.into();
        }
        sent
    }

    /// What becomes of a packet whose transmission ends; a loss is yet to be counted. Calls come in order of time.
    fn dispatch(&mut self, departs: Time, in_outage: bool, size: u32) -> Fate {
        let fate = self.fate(departs, in_outage, size);
        if let Some(counts) = self.warming(departs) {
            counts.transmitted_bytes += u64::from(size);
            if let Fate::Arrives(at) | Fate::Passes(at) = fate
                && at <= counts.until
            {
                counts.delivered_bytes += u64::from(size);
            }
        }
        fate
    }

    fn fate(&mut self, departs: Time, in_outage: bool, size: u32) -> Fate {
        // asked in any case: a channel with a memory counts every packet
        if self.channel_loses(LossAt::Wire, departs, size) || in_outage {
            return Fate::Lost(departs, LossCause::Random);
        }
        match &mut self.cold.variation {
            None => self.arrives(departs + self.hot.delay),
            Some(variation) if variation.reorders() => Fate::Passes(variation.arrival(departs)),
            Some(variation) => {
                let at = variation.arrival(departs);
                self.arrives(at)
            }
        }
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

    /// Find a place to wait from `now` until `start`. False if there is none.
    #[inline(always)]
    fn queue(&mut self, now: Time, start: Time, size: u32, end: Time) -> bool {
        self.retire(now);
        let c = &mut self.cold;
        let backlog = Backlog { packets: c.waiting.len() as u32, bytes: c.waiting_bytes };
        if c.limit.is_full(backlog, size) {
            return false;
        }
        c.waiting.push(Waiting { start, size });
        c.waiting_bytes += u64::from(size);
        c.queue_max = c.queue_max.max(c.waiting.len() as u32);
        c.queue_time += start.min(end).since(now);
        if self.hot.entry == Entry::Special {
            self.trace_change(now, 1);
            self.trace_change(start, -1);
        }
        true
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

    /// Lose a packet before it is transmitted.
    #[cold]
    fn refuse(&mut self, at: Time, size: u32, cause: LossCause) -> Fate {
        self.cold.refused.add(cause);
        self.cold.refused_bytes += u64::from(size);
        if let Some(counts) = self.warming(at) {
            counts.refused_bytes += u64::from(size);
        }
        Fate::Lost(at, cause)
    }

    /// Forget those whose transmission has begun.
    #[inline]
    fn retire(&mut self, now: Time) {
        let c = &mut self.cold;
        while let Some(first) = c.waiting.front() {
            if first.start > now {
                break;
            }
            c.waiting_bytes -= u64::from(first.size);
            c.waiting.pop();
        }
    }

    /// Nanoseconds to transmit so many bytes, rounded up: a link never carries more than its rate.
    #[inline]
    fn transmission(&mut self, size: u32) -> u64 {
        if self.hot.byte_tx != 0 {
            return u64::from(size) * u64::from(self.hot.byte_tx);
        }
        if self.hot.memo_size == size {
            return u64::from(self.hot.memo_tx);
        }
        let tx = transmission(size, self.cold.rate_bps);
        if let Ok(short) = u32::try_from(tx) {
            (self.hot.memo_size, self.hot.memo_tx) = (size, short);
        }
        tx
    }

    #[inline(always)]
    fn channel_loses(&mut self, at: LossAt, now: Time, size: u32) -> bool {
        self.cold.extras.as_mut().is_some_and(|e| e.channel.loses(at, now, size))
    }
}
