//! One direction of a wired link: a DropTail queue, a transmitter of fixed rate, a wire.
//!
//! At a fixed rate and first in, first out, a packet's departure is known when it arrives, so the queue needs no event:
//! its occupancy is found from the departure times of those before.

use sim::{Chance, Stream};
use tcp::Flags;
use units::{Time, num};

use crate::packet::Packet;
use crate::pool::Fifo;
use crate::ring::Ring;
use crate::spec::{Counting, DirectionSpec, LossAt, QueueLimit};

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// The queue was full.
    Queue,
    /// Random loss on the channel.
    Random,
    /// On a drop list.
    List,
}

/// Losses by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossCounts {
    /// The queue was full.
    pub queue: u64,
    /// Random loss on the channel.
    pub random: u64,
    /// On a drop list.
    pub list: u64,
}

impl LossCounts {
    /// Count one loss.
    #[inline]
    pub fn add(&mut self, cause: LossCause) {
        match cause {
            LossCause::Queue => self.queue += 1,
            LossCause::Random => self.random += 1,
            LossCause::List => self.list += 1,
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.queue + self.random + self.list
    }
}

/// Counters of one direction of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkStats {
    /// Packets that arrived at the queue or were lost before it.
    pub offered_packets: u64,
    /// Bytes of them.
    pub offered_bytes: u64,
    /// Packets whose transmission ended.
    pub transmitted_packets: u64,
    /// Bytes of them.
    pub transmitted_bytes: u64,
    /// Packets that reached the far end.
    pub delivered_packets: u64,
    /// Bytes of them.
    pub delivered_bytes: u64,
    /// Packets lost, by cause.
    pub losses: LossCounts,
    /// Packets marked with a congestion warning.
    pub marked_packets: u64,
    /// Integral over time of the number of waiting packets, packet-seconds.
    pub queue_integral: f64,
    /// Most packets that ever waited.
    pub queue_max: u32,
    /// Time that the finished transmissions took, seconds.
    pub busy_s: f64,
}

/// What becomes of a packet that enters a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It reaches the far end then.
    Arrives(Time),
    /// It is lost then.
    Lost(Time, LossCause),
    /// It will be lost on the wire, but not before the run ends.
    LostAfterEnd,
}

/// Service start and size of a packet that waits.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    start: Time,
    size: u32,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    Packets(u32),
    Bytes(u64),
}

#[derive(Debug)]
pub(crate) struct Link {
    /// When the transmitter has sent everything accepted so far.
    free_at: Time,
    delay: units::Span,
    /// Transmission time of the packet size seen last.
    memo: (u32, u64),
    waiting: Ring<Waiting>,
    /// Packets on their way, to be taken up by an event.
    pub(crate) wire: Fifo,
    limit: Limit,
    loss_at: LossAt,
    chance: Chance,
    /// Loss, drop list, marking or tracing is on.
    special: bool,
    /// Its only feeder is another link, so packets can be passed on before their time.
    pub(crate) eager: bool,
    rate_bps: u64,
    waiting_bytes: u64,
    extras: Option<Box<Extras>>,
    pub(crate) stats: LinkStats,
}

/// What few links have.
#[derive(Debug)]
struct Extras {
    stream: Stream,
    drops: Vec<u64>,
    next_drop: usize,
    warning: Option<Warning>,
    trace: Option<Vec<(Time, i32)>>,
}

/// The averaged queue behind a congestion warning.
#[derive(Debug)]
struct Warning {
    threshold: f64,
    weight: f64,
    average: f64,
    /// Packets of 500 bytes per second: the unit in which idle time ages the average.
    aging_pps: f64,
}

const AGING_PACKET_BITS: f64 = 500.0 * 8.0;

impl Link {
    pub(crate) fn new(spec: &DirectionSpec, seed: u64, name: &str) -> Link {
        let chance = Chance::new(spec.loss.probability);
        let special = !chance.is_never() || !spec.drops.is_empty() || spec.warning.is_some() || spec.trace_queue;
        let mut drops = spec.drops.clone();
        drops.sort_unstable();
        let extras = special.then(|| {
            Box::new(Extras {
                stream: Stream::new(seed, &format!("{name}/loss")),
                drops,
                next_drop: 0,
                warning: spec.warning.map(|w| Warning {
                    threshold: w.threshold_packets,
                    weight: w.weight,
                    average: 0.0,
                    aging_pps: spec.rate_bps as f64 / AGING_PACKET_BITS,
                }),
                trace: spec.trace_queue.then(Vec::new),
            })
        });
        let ns2 = spec.queue.counting == Counting::Ns2;
        Link {
            free_at: Time::ZERO,
            delay: spec.delay,
            memo: (0, 0),
            waiting: Ring::new(),
            wire: Fifo::EMPTY,
            // ns-2 drops an arrival that would make the queue as long as the limit
            limit: match spec.queue.limit {
                QueueLimit::Packets(q) => Limit::Packets(if ns2 { q - 1 } else { q }),
                QueueLimit::Bytes(q) => Limit::Bytes(if ns2 { q - 1 } else { q }),
            },
            loss_at: spec.loss.at,
            chance,
            special,
            eager: false,
            rate_bps: spec.rate_bps,
            waiting_bytes: 0,
            extras,
            stats: LinkStats::default(),
        }
    }

    /// A packet enters at `now`; `end` is when the run ends. Arrivals come in order of time.
    #[inline]
    pub(crate) fn enter(&mut self, now: Time, packet: &mut Packet, end: Time) -> Fate {
        let arrival = self.stats.offered_packets;
        self.stats.offered_packets += 1;
        self.stats.offered_bytes += u64::from(packet.size);
        if self.special
            && let Some(fate) = self.before_queue(now, packet, arrival)
        {
            return fate;
        }
        self.retire(now);
        let full = match self.limit {
            Limit::Packets(most) => self.waiting.len() as u32 >= most,
            Limit::Bytes(most) => self.waiting_bytes + u64::from(packet.size) > most,
        };
        if full {
            return self.lose(now, LossCause::Queue);
        }
        let tx = self.transmission(packet.size);
        let start = self.free_at.max(now);
        if start > now {
            self.waiting.push(Waiting { start, size: packet.size });
            self.waiting_bytes += u64::from(packet.size);
            self.stats.queue_max = self.stats.queue_max.max(self.waiting.len() as u32);
            self.stats.queue_integral += start.min(end).since(now).secs();
            if self.special {
                self.trace_wait(now, start);
            }
        }
        let departs = Time(start.0 + tx);
        self.free_at = departs;
        let in_time = departs <= end;
        if in_time {
            self.stats.transmitted_packets += 1;
            self.stats.transmitted_bytes += u64::from(packet.size);
        }
        if self.special && self.loss_at == LossAt::Wire && self.channel_loses() {
            return if in_time { self.lose(departs, LossCause::Random) } else { Fate::LostAfterEnd };
        }
        Fate::Arrives(departs + self.delay)
    }

    /// Count a packet that reached the far end.
    #[inline]
    pub(crate) fn deliver(&mut self, size: u32) {
        self.stats.delivered_packets += 1;
        self.stats.delivered_bytes += u64::from(size);
    }

    #[inline]
    fn lose(&mut self, at: Time, cause: LossCause) -> Fate {
        self.stats.losses.add(cause);
        Fate::Lost(at, cause)
    }

    /// Forget those whose transmission has begun.
    #[inline]
    fn retire(&mut self, now: Time) {
        while let Some(first) = self.waiting.front() {
            if first.start > now {
                break;
            }
            self.waiting_bytes -= u64::from(first.size);
            self.waiting.pop();
        }
    }

    /// Nanoseconds to transmit so many bytes, rounded up: a link never carries more than its rate.
    #[inline]
    fn transmission(&mut self, size: u32) -> u64 {
        if self.memo.0 != size {
            self.memo = (size, (u64::from(size) * 8 * 1_000_000_000).div_ceil(self.rate_bps));
        }
        self.memo.1
    }

    #[inline]
    fn channel_loses(&mut self) -> bool {
        if self.chance.is_never() {
            return false;
        }
        let chance = self.chance;
        self.extras.as_mut().is_some_and(|e| e.stream.happens(chance))
    }

    /// Drop list, loss before the queue, congestion warning.
    fn before_queue(&mut self, now: Time, packet: &mut Packet, arrival: u64) -> Option<Fate> {
        let extras = self.extras.as_mut()?;
        if extras.drops.get(extras.next_drop) == Some(&arrival) {
            while extras.drops.get(extras.next_drop) == Some(&arrival) {
                extras.next_drop += 1;
            }
            return Some(self.lose(now, LossCause::List));
        }
        if self.loss_at == LossAt::Queue && self.channel_loses() {
            return Some(self.lose(now, LossCause::Random));
        }
        self.warn(now, packet);
        None
    }

    /// Average the queue as RED does and mark every ECN-capable packet while it is at or over the threshold.
    fn warn(&mut self, now: Time, packet: &mut Packet) {
        self.retire(now);
        let (queue, idle) = (self.waiting.len() as f64, now.since(self.free_at).secs());
        let Some(w) = self.extras.as_mut().and_then(|e| e.warning.as_mut()) else { return };
        if idle > 0.0 {
            w.average *= num::pow(1.0 - w.weight, num::floor(idle * w.aging_pps));
        }
        w.average = (1.0 - w.weight) * w.average + w.weight * queue;
        if w.average >= w.threshold && packet.flags.has(Flags::ECT) {
            packet.flags.set(Flags::CE);
            self.stats.marked_packets += 1;
        }
    }

    #[cold]
    fn trace_wait(&mut self, from: Time, to: Time) {
        if let Some(trace) = self.extras.as_mut().and_then(|e| e.trace.as_mut()) {
            trace.push((from, 1));
            trace.push((to, -1));
        }
    }

    /// The queue's length at every change up to `end`, in packets, if it was traced.
    pub(crate) fn queue_trace(&mut self, end: Time) -> Vec<(Time, u32)> {
        let Some(mut changes) = self.extras.as_mut().and_then(|e| e.trace.take()) else { return Vec::new() };
        changes.sort_by_key(|c| c.0);
        let mut length = 0i32;
        let mut trace: Vec<(Time, u32)> = Vec::new();
        for (at, change) in changes.into_iter().filter(|c| c.0 <= end) {
            length += change;
            match trace.last_mut() {
                Some(last) if last.0 == at => last.1 = length as u32,
                _ => trace.push((at, length as u32)),
            }
        }
        trace
    }

    /// Close the books at the end of the run; a transmission that was under way counts for nothing.
    pub(crate) fn finish(&mut self) {
        self.stats.busy_s = self.stats.transmitted_bytes as f64 * 8.0 / self.rate_bps as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{LossSpec, QueueSpec};
    use units::Span;

    const END: Time = Time(1_000_000_000_000);

    fn spec(limit: QueueLimit, counting: Counting) -> DirectionSpec {
        DirectionSpec {
            rate_bps: 8_000_000, // a byte takes a microsecond
            delay: Span::from_millis(10),
            queue: QueueSpec { limit, counting },
            loss: LossSpec { probability: 0.0, at: LossAt::Wire },
            drops: vec![],
            warning: None,
            trace_queue: false,
        }
    }

    fn enter(link: &mut Link, at_us: u64, size: u32) -> Fate {
        let mut packet = Packet { size, ..Packet::default() };
        link.enter(Time(at_us * 1000), &mut packet, END)
    }

    fn arrives(us: u64) -> Fate {
        Fate::Arrives(Time(us * 1000))
    }

    #[test]
    fn packets_leave_one_after_the_other() {
        let mut link = Link::new(&spec(QueueLimit::Packets(10), Counting::Waiting), 1, "l");
        // 1000 bytes take 1 ms, then 10 ms on the wire
        assert_eq!(enter(&mut link, 0, 1000), arrives(11_000));
        assert_eq!(enter(&mut link, 0, 1000), arrives(12_000));
        assert_eq!(enter(&mut link, 5000, 1000), arrives(16_000));
    }

    #[test]
    fn the_two_ways_to_count_a_limit() {
        let accepted = |counting| {
            let mut link = Link::new(&spec(QueueLimit::Packets(5), counting), 1, "l");
            (0..20).filter(|_| matches!(enter(&mut link, 0, 1000), Fate::Arrives(_))).count()
        };
        assert_eq!(accepted(Counting::Waiting), 6); // five wait, one is in transmission
        assert_eq!(accepted(Counting::Ns2), 5); // four wait
    }

    #[test]
    fn a_limit_in_bytes() {
        let mut link = Link::new(&spec(QueueLimit::Bytes(1500), Counting::Waiting), 1, "l");
        let fates: Vec<_> = [1000, 1000, 1000, 500, 1].iter().map(|&s| enter(&mut link, 0, s)).collect();
        let lost = Fate::Lost(Time::ZERO, LossCause::Queue);
        // the first is in transmission; 1000 + 500 bytes wait
        assert_eq!(fates, [arrives(11_000), arrives(12_000), lost, arrives(12_500), lost]);
    }

    #[test]
    fn room_returns_when_a_transmission_begins() {
        let mut link = Link::new(&spec(QueueLimit::Packets(1), Counting::Waiting), 1, "l");
        enter(&mut link, 0, 1000);
        enter(&mut link, 0, 1000);
        assert_eq!(enter(&mut link, 999, 1000), Fate::Lost(Time(999_000), LossCause::Queue));
        assert_eq!(enter(&mut link, 1000, 1000), arrives(13_000));
    }

    #[test]
    fn listed_packets_are_lost_before_the_queue() {
        let mut s = spec(QueueLimit::Packets(10), Counting::Waiting);
        s.drops = vec![1];
        let mut link = Link::new(&s, 1, "l");
        assert_eq!(enter(&mut link, 0, 1000), arrives(11_000));
        assert_eq!(enter(&mut link, 0, 1000), Fate::Lost(Time::ZERO, LossCause::List));
        assert_eq!(enter(&mut link, 0, 1000), arrives(12_000));
    }

    #[test]
    fn loss_on_the_wire_has_used_the_link_and_loss_before_it_has_not() {
        let at = |at| {
            let mut s = spec(QueueLimit::Packets(10), Counting::Waiting);
            s.loss = LossSpec { probability: 1.0, at };
            let mut link = Link::new(&s, 1, "l");
            enter(&mut link, 0, 1000);
            (link.stats.transmitted_packets, link.stats.losses.random)
        };
        assert_eq!(at(LossAt::Wire), (1, 1));
        assert_eq!(at(LossAt::Queue), (0, 1));
    }

    #[test]
    fn the_queue_trace_shows_every_change() {
        let mut s = spec(QueueLimit::Packets(10), Counting::Waiting);
        s.trace_queue = true;
        let mut link = Link::new(&s, 1, "l");
        for _ in 0..3 {
            enter(&mut link, 0, 1000);
        }
        let ms = |n: u64| Time(n * 1_000_000);
        assert_eq!(link.queue_trace(END), [(ms(0), 2), (ms(1), 1), (ms(2), 0)]);
        // two packets wait 1 and 2 ms
        assert!((link.stats.queue_integral - 0.003).abs() < 1e-12);
        assert_eq!(link.stats.queue_max, 2);
    }

    #[test]
    fn the_warning_marks_while_the_average_is_over_the_threshold() {
        let mut s = spec(QueueLimit::Packets(100), Counting::Waiting);
        s.warning = Some(crate::WarningSpec { threshold_packets: 0.5, weight: 0.5 });
        let mut link = Link::new(&s, 1, "l");
        let mut marked = vec![];
        for _ in 0..4 {
            let mut packet = Packet { size: 1000, flags: Flags::ECT, ..Packet::default() };
            link.enter(Time::ZERO, &mut packet, END);
            marked.push(packet.flags.has(Flags::CE));
        }
        // waiting 0, 0, 1, 2 on arrival: averages 0, 0, 0.5, 1.25
        assert_eq!(marked, [false, false, true, true]);
    }
}
