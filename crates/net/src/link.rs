//! One direction of a wired link: a DropTail queue, a transmitter of fixed rate, a wire.
//!
//! At a fixed rate and first in, first out, a packet's departure is known when it arrives, so the queue needs no event:
//! its occupancy is found from the departure times of those before. Where that does not hold, a link is [`served`].

mod served;

use tcp::Flags;
use units::{Span, Time, num};

use crate::changing::Course;
use crate::loss::{Channel, LossAt};
use crate::packet::Packet;
use crate::pool::{Fifo, Pool};
use crate::queue::{Arrival, Line, OnArrival, Policer, Verdict};
use crate::ring::Ring;
use crate::spec::{Counting, DirectionSpec, Discipline, QueueLimit};

pub(crate) use served::{Backlog, Dropped};

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// The queue was full.
    Queue,
    /// Random loss on the channel.
    Random,
    /// On a drop list.
    List,
    /// The queue's discipline dropped it before the queue was full.
    Early,
    /// Above the rate and burst of a policer.
    Policer,
}

impl LossCause {
    /// The network had too much to carry, as a sender's congestion control ought to believe. A drop list stands for the
    /// channel.
    pub fn is_congestion(self) -> bool {
        match self {
            LossCause::Queue | LossCause::Early | LossCause::Policer => true,
            LossCause::Random | LossCause::List => false,
        }
    }
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
    /// The queue's discipline dropped it before the queue was full.
    pub early: u64,
    /// Above the rate and burst of a policer.
    pub policer: u64,
}

impl LossCounts {
    /// Count one loss.
    #[inline]
    pub fn add(&mut self, cause: LossCause) {
        match cause {
            LossCause::Queue => self.queue += 1,
            LossCause::Random => self.random += 1,
            LossCause::List => self.list += 1,
            LossCause::Early => self.early += 1,
            LossCause::Policer => self.policer += 1,
        }
    }

    /// With those of another place.
    #[must_use]
    pub fn plus(&self, other: &LossCounts) -> LossCounts {
        LossCounts {
            queue: self.queue + other.queue,
            random: self.random + other.random,
            list: self.list + other.list,
            early: self.early + other.early,
            policer: self.policer + other.policer,
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.queue + self.random + self.list + self.early + self.policer
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
    /// Packets in the queue, in transmission or on the wire at the end.
    pub in_flight_packets: u64,
    /// Packets marked by the queue's discipline or with a congestion warning.
    pub marked_packets: u64,
    /// Integral over time of the number of waiting packets, packet-seconds.
    pub queue_integral: f64,
    /// Most packets that ever waited.
    pub queue_max: u32,
    /// Time that the finished transmissions took, seconds; on a link that changes, the same share of the run as they are
    /// of what it could carry.
    pub busy_s: f64,
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
    lane: Lane,
    /// ns-2's counting with a limit of one packet takes nothing at all, not even into an idle link.
    takes_nothing: bool,
}

/// The way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lane {
    /// Nothing but the queue and the transmitter.
    Plain,
    /// Random loss as well.
    Lossy,
    /// A drop list, policer, warning, discipline, trace or course is on, or the link is served.
    Special,
}

#[derive(Debug)]
struct Cold {
    waiting: Ring<Waiting>,
    waiting_bytes: u64,
    queue_integral: f64,
    queue_max: u32,
    limit: Limit,
    rate_bps: u64,
    losses: LossCounts,
    lost_bytes: u64,
    /// Lost before the queue or at it: never transmitted.
    refused: LossCounts,
    refused_bytes: u64,
    extras: Option<Box<Extras>>,
    /// The discipline marks packets that can be marked.
    ecn: bool,
    marked_packets: u64,
    served: Option<Box<served::Served>>,
    course: Option<Box<Course>>,
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
        let channel = Channel::new(&spec.loss, seed, name);
        let on_arrival = OnArrival::new(spec, seed, name);
        let special = !spec.drops.is_empty()
            || spec.warning.is_some()
            || spec.policer.is_some()
            || on_arrival.is_some()
            || spec.trace_queue
            || spec.changing.is_some();
        let lane = match (special, channel.is_never()) {
            (true, _) => Lane::Special,
            (false, false) => Lane::Lossy,
            (false, true) => Lane::Plain,
        };
        let mut drops = spec.drops.clone();
        drops.sort_unstable();
        let extras = (lane != Lane::Plain).then(|| {
            Box::new(Extras {
                channel,
                drops,
                next_drop: 0,
                looks: spec.policer.is_some() || spec.warning.is_some() || on_arrival.is_some(),
                policer: spec.policer.as_ref().map(Policer::new),
                on_arrival,
                warning: spec.warning.map(|w| Warning {
                    threshold: w.threshold_packets,
                    weight: w.weight,
                    average: 0.0,
                    aging_pps: spec.rate_bps as f64 / AGING_PACKET_BITS,
                }),
                trace: spec.trace_queue.then(Vec::new),
            })
        });
        // ns-2's RED lets as many wait as its limit says
        let plain = matches!(spec.queue.discipline, Discipline::DropTail | Discipline::Threshold(_));
        let ns2 = plain && spec.queue.counting == Counting::Ns2;
        let mut link = Link {
            hot: Hot {
                free_at: Time::ZERO,
                delay: spec.delay,
                memo_size: 0,
                memo_tx: 0,
                wire: Fifo::EMPTY,
                offered_packets: 0,
                offered_bytes: 0,
                delivered_packets: 0,
                eager: false,
                lane,
                takes_nothing: ns2 && spec.queue.limit == QueueLimit::Packets(1),
            },
            cold: Cold {
                waiting: Ring::new(),
                waiting_bytes: 0,
                queue_integral: 0.0,
                queue_max: 0,
                // ns-2 drops an arrival that would make the queue as long as the limit
                limit: match spec.queue.limit {
                    QueueLimit::Packets(q) => Limit::Packets(if ns2 { q - 1 } else { q }),
                    QueueLimit::Bytes(q) => Limit::Bytes(if ns2 { q - 1 } else { q }),
                },
                rate_bps: spec.rate_bps,
                losses: LossCounts::default(),
                lost_bytes: 0,
                refused: LossCounts::default(),
                refused_bytes: 0,
                extras,
                ecn: spec.queue.ecn,
                marked_packets: 0,
                served: None,
                course: spec
                    .changing
                    .as_ref()
                    .map(|changing| Box::new(Course::new(changing, spec.rate_bps, spec.delay, seed, name))),
            },
        };
        if matches!(spec.queue.discipline, Discipline::Codel(_) | Discipline::FqCodel(_)) {
            link.serve(Line::new(spec, seed, name));
        }
        link
    }

    /// A packet enters at `now`; `end` is when the run ends. Arrivals come in order of time.
    #[inline]
    pub(crate) fn enter(&mut self, now: Time, packet: &mut Packet, end: Time) -> Fate {
        let arrival = self.hot.offered_packets;
        let size = u32::from(packet.size);
        self.hot.offered_packets += 1;
        self.hot.offered_bytes += u64::from(size);
        match self.hot.lane {
            Lane::Plain => self.enter_plain(now, size, end),
            Lane::Lossy => self.enter_lossy(now, size, end),
            Lane::Special => self.enter_special(now, packet, arrival, end),
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
    fn enter_lossy(&mut self, now: Time, size: u32, end: Time) -> Fate {
        if self.channel_loses(LossAt::Queue, now, size) {
            return self.refuse(now, size, LossCause::Random);
        }
        let fate = self.enter_plain(now, size, end);
        let departs = self.hot.free_at;
        match fate {
            Fate::Arrives(_) if self.channel_loses(LossAt::Wire, departs, size) => {
                if departs <= end {
                    self.lose(departs, size, LossCause::Random)
                } else {
                    Fate::LostAfterEnd
                }
            }
            fate => fate,
        }
    }

    #[inline(never)]
    fn enter_special(&mut self, now: Time, packet: &mut Packet, arrival: u64, end: Time) -> Fate {
        if let Some(fate) = self.before_queue(now, packet, arrival) {
            return fate;
        }
        let size = u32::from(packet.size);
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
        let (departs, in_outage) = self.departure(start, waited, size);
        self.hot.free_at = departs;
        if departs > end
            && let Some(course) = &mut self.cold.course
        {
            course.late_packets += 1;
            course.late_bytes += u64::from(size);
        }
        match self.dispatch(departs, in_outage, size) {
            Fate::Lost(at, cause) if departs <= end => self.lose(at, size, cause),
            Fate::Lost(..) if self.reorders() => Fate::Passes(Time::NEVER),
            Fate::Lost(..) => Fate::LostAfterEnd,
            fate => fate,
        }
    }

    /// When a transmission from `start` on ends, and whether an outage takes the packet.
    fn departure(&mut self, start: Time, waited: bool, size: u32) -> (Time, bool) {
        match &mut self.cold.course {
            Some(course) => {
                let sent = course.transmit(start, waited, size);
                (sent.at, sent.in_outage)
            }
            None => (Time(start.0 + self.transmission(size)), false),
        }
    }

    /// What becomes of a packet whose transmission ends; a loss is yet to be counted. Calls come in order of time.
    fn dispatch(&mut self, departs: Time, in_outage: bool, size: u32) -> Fate {
        // asked in any case: a channel with a memory counts every packet
        if self.channel_loses(LossAt::Wire, departs, size) || in_outage {
            return Fate::Lost(departs, LossCause::Random);
        }
        match &mut self.cold.course {
            None => Fate::Arrives(departs + self.hot.delay),
            Some(course) if course.reorders() => Fate::Passes(course.arrival(departs)),
            Some(course) => Fate::Arrives(course.arrival(departs)),
        }
    }

    /// Packets may pass each other on its wire.
    pub(crate) fn reorders(&self) -> bool {
        self.cold.course.as_ref().is_some_and(|course| course.reorders())
    }

    /// What changes on a link that does.
    pub(crate) fn course(&mut self) -> &mut Course {
        self.cold.course.as_mut().expect("asked only of links that change")
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
        c.queue_integral += start.min(end).since(now).secs();
        if self.hot.lane == Lane::Special {
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
        Fate::Lost(at, cause)
    }

    /// Lose a packet before it is transmitted.
    #[cold]
    fn refuse(&mut self, at: Time, size: u32, cause: LossCause) -> Fate {
        self.cold.refused.add(cause);
        self.cold.refused_bytes += u64::from(size);
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
        if self.hot.memo_size == size {
            return u64::from(self.hot.memo_tx);
        }
        let tx = (u64::from(size) * 8 * 1_000_000_000).div_ceil(self.cold.rate_bps);
        if let Ok(short) = u32::try_from(tx) {
            (self.hot.memo_size, self.hot.memo_tx) = (size, short);
        }
        tx
    }

    #[inline(always)]
    fn channel_loses(&mut self, at: LossAt, now: Time, size: u32) -> bool {
        self.cold.extras.as_mut().is_some_and(|e| e.channel.loses(at, now, size))
    }

    /// Drop list, loss before the queue, policer, congestion warning, discipline; and the way to a served link's queue.
    fn before_queue(&mut self, now: Time, packet: &mut Packet, arrival: u64) -> Option<Fate> {
        let size = u32::from(packet.size);
        if let Some(extras) = self.cold.extras.as_mut() {
            if extras.drops.get(extras.next_drop) == Some(&arrival) {
                while extras.drops.get(extras.next_drop) == Some(&arrival) {
                    extras.next_drop += 1;
                }
                return Some(self.refuse(now, size, LossCause::List));
            }
            if self.channel_loses(LossAt::Queue, now, size) {
                return Some(self.refuse(now, size, LossCause::Random));
            }
            if self.cold.extras.as_ref().is_some_and(|e| e.looks)
                && let Some(cause) = self.look_at(now, packet)
            {
                return Some(self.refuse(now, size, cause));
            }
        }
        self.cold.served.is_some().then_some(Fate::Held)
    }

    /// Policer, congestion warning, discipline: why is a packet dropped, if it is?
    fn look_at(&mut self, now: Time, packet: &mut Packet) -> Option<LossCause> {
        if self.polices(now, u32::from(packet.size)) {
            return Some(LossCause::Policer);
        }
        self.watch(now);
        self.warn(now, packet);
        self.judge(now, packet)
    }

    /// What waits now.
    fn backlog(&mut self, now: Time) -> Backlog {
        if let Some(served) = &self.cold.served {
            return served.backlog();
        }
        self.retire(now);
        Backlog { packets: self.cold.waiting.len() as u32, bytes: self.cold.waiting_bytes }
    }

    /// How long the transmitter has been idle, see [`Arrival::idle`].
    fn idle(&mut self, now: Time) -> Span {
        let idle = now.since(self.hot.free_at);
        match &mut self.cold.course {
            Some(course) if idle > Span::ZERO => {
                let bytes = course.idle_bytes(self.hot.free_at, now);
                Span::from_secs(bytes * 8.0 / self.cold.rate_bps as f64)
            }
            _ => idle,
        }
    }

    fn polices(&mut self, now: Time, size: u32) -> bool {
        let policer = self.cold.extras.as_mut().and_then(|e| e.policer.as_mut());
        policer.is_some_and(|policer| !policer.passes(now, size))
    }

    /// Ask the queue's discipline about a packet; is it dropped?
    fn judge(&mut self, now: Time, packet: &mut Packet) -> Option<LossCause> {
        self.cold.extras.as_ref()?.on_arrival.as_ref()?;
        let size = u32::from(packet.size);
        let backlog = self.backlog(now);
        let fits = self.hot.free_at <= now || !self.cold.limit.is_full(backlog, size);
        let arrival = Arrival {
            now,
            size,
            markable: self.cold.ecn && packet.flags.has(Flags::ECT),
            backlog,
            idle: self.idle(now),
            fits,
        };
        let extras = self.cold.extras.as_mut()?;
        match extras.on_arrival.as_mut()?.judge(&arrival) {
            Verdict::Pass => {}
            Verdict::Mark if fits => {
                self.cold.marked_packets += u64::from(!packet.flags.has(Flags::CE));
                packet.flags.set(Flags::CE);
            }
            Verdict::Mark => {} // it is about to be lost
            Verdict::Drop => return Some(LossCause::Early),
        }
        None
    }

    /// Show the queue to a discipline that looks at it at times of its own, up to `until`. Nothing has come since.
    fn watch(&mut self, until: Time) {
        loop {
            let looks = self.cold.extras.as_ref().and_then(|e| e.on_arrival.as_ref());
            let at = looks.map_or(Time::NEVER, OnArrival::next_look);
            if at > until {
                return;
            }
            let backlog = self.backlog(at);
            let rate_bps = self.cold.course.as_ref().map(|course| course.rate_bps(at));
            let steady = backlog.packets == 0 || (self.is_served() && rate_bps.is_none());
            if let Some(looks) = self.cold.extras.as_mut().and_then(|e| e.on_arrival.as_mut()) {
                looks.look(backlog, rate_bps, if steady { until } else { at });
            }
        }
    }

    /// Average the queue as RED does and mark every ECN-capable packet while it is at or over the threshold.
    fn warn(&mut self, now: Time, packet: &mut Packet) {
        if self.cold.extras.as_ref().is_none_or(|e| e.warning.is_none()) {
            return;
        }
        let (queue, idle) = (f64::from(self.backlog(now).packets), self.idle(now).secs());
        let Some(extras) = self.cold.extras.as_mut() else { return };
        let Some(w) = extras.warning.as_mut() else { return };
        if idle > 0.0 {
            w.average *= num::pow(1.0 - w.weight, num::floor(idle * w.aging_pps));
        }
        w.average = (1.0 - w.weight) * w.average + w.weight * queue;
        if w.average >= w.threshold && packet.flags.has(Flags::ECT) {
            packet.flags.set(Flags::CE);
            self.cold.marked_packets += 1;
        }
    }

    /// So many packets more wait from then on.
    #[cold]
    fn trace_change(&mut self, at: Time, change: i32) {
        if let Some(trace) = self.cold.extras.as_mut().and_then(|e| e.trace.as_mut()) {
            trace.push((at, change));
        }
    }

    /// The queue's length at every change up to `end`, in packets, if it was traced.
    pub(crate) fn queue_trace(&mut self, end: Time) -> Vec<(Time, u32)> {
        let Some(mut changes) = self.cold.extras.as_mut().and_then(|e| e.trace.take()) else { return Vec::new() };
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

    /// Packets on the wire.
    pub(crate) fn on_wire<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        pool.iter(&self.hot.wire).chain(self.cold.course.iter().flat_map(|course| course.on_wire()))
    }

    /// The counters at the end of the run. A transmission that was under way counts for nothing.
    pub(crate) fn stats(&self, pool: &Pool, end: Time) -> LinkStats {
        let (h, c) = (&self.hot, &self.cold);
        let (mut in_flight, mut in_flight_bytes, mut untransmitted, mut untransmitted_bytes) = (0, 0, 0, 0);
        // where the delay is not always the same, packets that come too late were counted as they came
        let steady = !self.is_served() && c.course.is_none();
        let on_wire = self.on_wire(pool).map(|p| (p, steady && p.at.0.saturating_sub(h.delay.0) > end.0));
        for (packet, waits) in on_wire.chain(self.held(pool).map(|p| (p, true))) {
            let size = u64::from(packet.size);
            in_flight += 1;
            in_flight_bytes += size;
            if waits {
                untransmitted += 1;
                untransmitted_bytes += size;
            }
        }
        if let Some(course) = &c.course {
            untransmitted += course.late_packets;
            untransmitted_bytes += course.late_bytes;
        }
        let accepted_bytes = h.offered_bytes - c.refused_bytes;
        let transmitted_bytes = accepted_bytes - untransmitted_bytes;
        LinkStats {
            offered_packets: h.offered_packets,
            offered_bytes: h.offered_bytes,
            transmitted_packets: h.offered_packets - c.refused.total() - untransmitted,
            transmitted_bytes,
            delivered_packets: h.delivered_packets,
            delivered_bytes: accepted_bytes - c.lost_bytes - in_flight_bytes,
            losses: c.losses.plus(&c.refused),
            in_flight_packets: in_flight,
            marked_packets: c.marked_packets,
            queue_integral: c.queue_integral,
            queue_max: c.queue_max,
            busy_s: match &c.course {
                None => transmitted_bytes as f64 * 8.0 / c.rate_bps as f64,
                Some(_) if transmitted_bytes == 0 => 0.0,
                Some(course) => transmitted_bytes as f64 / course.capacity_bytes(end) * end.secs(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::LossSpec;
    use crate::spec::QueueSpec;

    const END: Time = Time(1_000_000_000_000);

    fn spec(limit: QueueLimit, counting: Counting) -> DirectionSpec {
        // a byte takes a microsecond
        DirectionSpec::plain(8_000_000, Span::from_millis(10), QueueSpec::drop_tail(limit, counting))
    }

    fn enter(link: &mut Link, at_us: u64, size: u32) -> Fate {
        let mut packet = Packet { size: size as u16, ..Packet::default() };
        link.enter(Time(at_us * 1000), &mut packet, END)
    }

    fn arrives(us: u64) -> Fate {
        Fate::Arrives(Time(us * 1000))
    }

    #[test]
    fn what_every_packet_touches_is_one_cache_line() {
        assert_eq!(size_of::<Hot>(), 64);
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
            s.loss = LossSpec::uniform(1.0, at);
            let mut link = Link::new(&s, 1, "l");
            enter(&mut link, 0, 1000);
            let stats = link.stats(&Pool::new(), END);
            (stats.transmitted_packets, stats.losses.random)
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
        let stats = link.stats(&Pool::new(), END);
        assert!((stats.queue_integral - 0.003).abs() < 1e-12);
        assert_eq!(stats.queue_max, 2);
    }

    #[test]
    fn idle_time_counts_what_could_have_been_sent() {
        use crate::changing::{Changing, Outage, Step};
        let ms = |n: u64| Time(n * 1_000_000);
        let idle = |changing: Changing, at: u64| {
            let mut s = spec(QueueLimit::Packets(10), Counting::Waiting);
            s.changing = Some(changing.into());
            let mut link = Link::new(&s, 1, "l");
            enter(&mut link, 0, 1000);
            (link.idle(ms(at)), link.idle(ms(at))) // a warning and a discipline may both ask
        };
        let both = |millis: u64| (Span::from_millis(millis), Span::from_millis(millis));
        let step = |at, rate_bps| Step { at: ms(at), rate_bps: Some(rate_bps), delay: None };
        // 1000 bytes at 8 Mbps: idle from 1 ms on. A quarter of the rate from 5 ms on: 4 + 8 / 4 ms
        let steps = vec![step(5, 2_000_000)];
        assert_eq!(idle(Changing { steps: steps.clone(), ..Changing::default() }, 13), both(6));
        // nothing can be sent from 3 to 4 ms
        let outage = |lost| Outage { at: ms(3), length: Span::from_millis(1), every: None, lost, handover: false };
        assert_eq!(idle(Changing { steps, outages: vec![outage(false)], ..Changing::default() }, 13), both(5));
        assert_eq!(idle(Changing { outages: vec![outage(true)], ..Changing::default() }, 13), both(12));
        // sent at 2 ms; the opportunities at 4, 6 and 8 ms could have carried 1504 bytes each: 4.512 ms
        let trace = Changing { trace: Some([2].into()), ..Changing::default() };
        assert_eq!(idle(trace.clone(), 9).0, Span(4_512_000));
        // but that at 4 ms falls into an outage
        let outage = Outage { at: ms(4), ..outage(false) };
        assert_eq!(idle(Changing { outages: vec![outage], ..trace }, 9).0, Span(3_008_000));
    }

    #[test]
    fn idle_periods_of_a_changing_link_are_counted_one_by_one() {
        use crate::changing::{Changing, Step};
        let mut s = spec(QueueLimit::Packets(10), Counting::Waiting);
        let step = Step { at: Time(1), rate_bps: Some(4_000_000), delay: None };
        s.changing = Some(Changing { steps: vec![step], ..Changing::default() }.into());
        s.queue.discipline = Discipline::Red(crate::spec::RedSpec::default());
        let mut link = Link::new(&s, 1, "l");
        for n in 0..5 {
            // 1000 bytes take 2 ms, then 8 ms are half as long at the first rate
            let at = 10_000 * n;
            assert!(n < 2 || link.idle(Time(at * 1000)) == Span::from_millis(4));
            enter(&mut link, at, 1000);
        }
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
