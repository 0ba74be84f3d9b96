//! What a changing direction can carry, and when a transmission ends.
//!
//! In whole numbers throughout: a rate times nanoseconds is exact, ends are rounded up, so no more is ever carried than
//! the rate allows.

use std::sync::Arc;

use units::{Span, Time};

use crate::cellular::{Frames, Granted};

use super::{Changing, OPPORTUNITY, Outage};

const MILLISECOND: u64 = 1_000_000;
/// Bits times nanoseconds per second: the unit in which a rate times nanoseconds is exact.
const BIT: u64 = 1_000_000_000;

/// So many bytes in bits times nanoseconds per second.
pub(crate) fn work(bytes: u64) -> u128 {
    u128::from(bytes) * 8 * u128::from(BIT)
}

/// The other way round.
fn bytes(work: u128) -> f64 {
    work as f64 / (8.0 * BIT as f64)
}
/// The rate of a trace is a mean over this time, and over so many opportunities at least: 2^14 bytes, as many as RFC
/// 8033 measures a rate by.
const LATELY: Span = Span::from_millis(100);
const FEW: u64 = 11;

/// The end of a transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    /// Some of it fell into an outage that loses packets.
    pub(crate) in_outage: bool,
    /// What of it was left to be transmitted when the run ended, in bits times nanoseconds per second.
    pub(crate) left: u64,
}

/// What can be carried when.
#[derive(Clone, Debug)]
pub(super) enum Capacity {
    Rates(Rates),
    Trace(Trace),
    Frames(Frames),
}

impl Capacity {
    pub(super) fn new(spec: &Changing, rate_bps: u64) -> Capacity {
        let outages = Outages::new(spec);
        if let Some(frames) = &spec.frames {
            return Capacity::Frames(frames.clone());
        }
        match &spec.trace {
            Some(ms) => {
                Capacity::Trace(Trace { ms: Arc::clone(ms), next: 0, left: 0, lossy: false, outages, end: Time::NEVER })
            }
            None => {
                let later = spec.steps.iter().filter_map(|s| s.rate_bps.map(|rate| (s.at, rate)));
                let steps: Vec<_> = std::iter::once((Time::ZERO, rate_bps)).chain(later).collect();
                let mut rates = Rates { steps, step: 0, outages, now: State::default(), end: Time::NEVER };
                rates.seek(Time::ZERO);
                Capacity::Rates(rates)
            }
        }
    }

    /// The same from the beginning.
    pub(super) fn renewed(&self) -> Capacity {
        let mut fresh = self.clone();
        match &mut fresh {
            Capacity::Rates(rates) => {
                rates.step = 0;
                rates.outages.restart();
                rates.seek(Time::ZERO);
            }
            Capacity::Trace(trace) => {
                (trace.next, trace.left) = (0, 0);
                trace.outages.restart();
            }
            Capacity::Frames(_) => {}
        }
        fresh
    }

    /// The run ends then: what comes later need not be known.
    pub(super) fn set_end(&mut self, end: Time) {
        match self {
            Capacity::Rates(rates) => rates.end = end,
            Capacity::Trace(trace) => trace.end = end,
            Capacity::Frames(_) => {}
        }
    }

    /// One that lasts beyond `broken` may be said to end anywhere beyond it.
    pub(super) fn transmit(&mut self, start: Time, waited: bool, size: u32, broken: Time) -> Sent {
        match self {
            Capacity::Rates(rates) => rates.transmit(start, size, broken),
            Capacity::Trace(trace) => trace.transmit(start, waited, size, broken),
            Capacity::Frames(_) => unreachable!("frames are granted, not transmitted one packet at a time"),
        }
    }

    /// What can be carried after `from` and until `to`, in bits times nanoseconds per second. `from` is not before the
    /// last time that was asked for.
    pub(super) fn carry(&mut self, from: Time, to: Time) -> u128 {
        match self {
            Capacity::Rates(rates) => rates.carry(from, to),
            Capacity::Trace(trace) => work(trace.carry(from, to) * u64::from(OPPORTUNITY)),
            Capacity::Frames(frames) => work(frames.carry(from, to)),
        }
    }

    /// What an opportunity left for the packet that waits behind, in bits times nanoseconds per second.
    pub(super) fn left_over(&self) -> u128 {
        match self {
            Capacity::Trace(trace) => work(trace.left.into()),
            Capacity::Rates(_) | Capacity::Frames(_) => 0,
        }
    }

    /// Bytes from now on until `end`.
    pub(super) fn total_bytes(mut self, end: Time) -> f64 {
        bytes(self.carry(Time::ZERO, end))
    }

    /// The rate at `at`, without outages.
    pub(super) fn rate_bps(&self, at: Time) -> f64 {
        match self {
            Capacity::Rates(rates) => rates.steps[rates.steps.partition_point(|step| step.0 <= at) - 1].1 as f64,
            Capacity::Trace(trace) => trace.rate_bps(at),
            Capacity::Frames(frames) => frames.rate_bps(at),
        }
    }

    /// What a frame that begins at `t` holds.
    pub(super) fn granted(&self, t: Time) -> Granted {
        match self {
            Capacity::Frames(frames) => frames.granted(t),
            Capacity::Rates(_) | Capacity::Trace(_) => Granted { since: t, bytes: 0, station: 0 },
        }
    }

    /// Bytes that can be transmitted from `from` until `to`. Nothing was being transmitted at `from`, and nothing
    /// begins before `to`.
    pub(super) fn idle_bytes(&mut self, from: Time, to: Time) -> f64 {
        bytes(self.carry(from, to))
    }

    pub(super) fn opportunities(mut self, end: Time) -> Vec<u32> {
        let mut found = Vec::new();
        self.set_end(end);
        match &mut self {
            Capacity::Trace(trace) => {
                while let Some((at, held)) = trace.take_next(end) {
                    if !held {
                        found.push((at.0 / MILLISECOND) as u32);
                    }
                }
            }
            Capacity::Frames(frames) => {
                // whole packets of each frame, in the millisecond in which it ends
                let (length, mut frame, mut bytes) = (frames.spec.length, Time::ZERO, 0);
                while frame + length <= end {
                    bytes += frames.granted(frame).bytes;
                    frame += length;
                    let ms = (frame.0.div_ceil(MILLISECOND)) as u32;
                    found.extend(std::iter::repeat_n(ms, (bytes / OPPORTUNITY) as usize));
                    bytes %= OPPORTUNITY;
                }
            }
            Capacity::Rates(rates) => {
                let mut t = Time::ZERO;
                loop {
                    t = rates.transmit(t, OPPORTUNITY, Time::NEVER).at;
                    let ms = t.0.div_ceil(MILLISECOND);
                    if ms * MILLISECOND > end.0 {
                        break;
                    }
                    found.push(ms as u32);
                }
            }
        }
        found
    }
}

/// A piecewise constant rate.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    /// Rates and since when, the first from the start.
    steps: Vec<(Time, u64)>,
    step: usize,
    outages: Outages,
    now: State,
    /// A transmission that lasts beyond this may be said to end anywhere beyond it.
    end: Time,
}

/// What holds for a while.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    rate: u64,
    held: bool,
    lossy: bool,
    until: Time,
}

impl Rates {
    /// Go to the state at `t`, not before the last one.
    fn seek(&mut self, t: Time) {
        while self.steps.get(self.step + 1).is_some_and(|next| next.0 <= t) {
            self.step += 1;
        }
        let next_step = self.steps.get(self.step + 1).map_or(Time::NEVER, |next| next.0);
        let outage = self.outages.at(t);
        self.now = State {
            rate: self.steps[self.step].1,
            held: outage.held,
            lossy: outage.lossy,
            until: outage.until.min(next_step),
        };
    }

    /// What can be carried from `from`, not before the last state, until `to`.
    fn carry(&mut self, from: Time, to: Time) -> u128 {
        let (mut work, mut t) = (0, from);
        while t < to {
            if t >= self.now.until {
                self.seek(t);
            }
            let until = self.now.until.min(to);
            if !self.now.held {
                work += u128::from(self.now.rate) * u128::from(until.since(t).0);
            }
            t = until;
        }
        work
    }

    fn transmit(&mut self, start: Time, size: u32, broken: Time) -> Sent {
        let enough = self.end.min(broken);
        let mut t = start;
        let mut work = u64::from(size) * 8 * BIT;
        let mut in_outage = false;
        loop {
            if t >= self.now.until {
                self.seek(t);
            }
            // less than `work` while it lasts beyond the end, so it fits
            let by_end = |rate: u64| rate * self.end.since(t).0;
            let mut left = work;
            if !self.now.held {
                in_outage |= self.now.lossy;
                let needed = work.div_ceil(self.now.rate);
                let there_is = self.now.until.0 - t.0;
                if needed <= there_is {
                    let at = Time(t.0 + needed);
                    return Sent { at, in_outage, left: if at > self.end { work - by_end(self.now.rate) } else { 0 } };
                }
                // so does this
                if self.now.until > self.end {
                    left -= by_end(self.now.rate);
                }
                work -= self.now.rate * there_is;
            }
            t = self.now.until;
            if t > enough {
                return Sent { at: t, in_outage, left };
            }
        }
    }
}

/// Delivery opportunities at given times, again and again.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    ms: Arc<[u32]>,
    /// Number of the next opportunity, counted through all rounds.
    next: u64,
    /// Bytes left of the one before it, and whether it loses what it carries.
    left: u32,
    lossy: bool,
    outages: Outages,
    end: Time,
}

impl Trace {
    fn period_ms(&self) -> u64 {
        u64::from(*self.ms.last().expect("a trace is not empty"))
    }

    fn time(&self, number: u64) -> Time {
        let all = self.ms.len() as u64;
        Time((number / all * self.period_ms() + u64::from(self.ms[(number % all) as usize])) * MILLISECOND)
    }

    /// The next opportunity, if it comes until `end`: when, and whether an outage holds it back. One at time zero is
    /// left out: nothing can wait for it.
    fn take_next(&mut self, end: Time) -> Option<(Time, bool)> {
        self.pass(Time::ZERO);
        let at = self.time(self.next);
        if at > end {
            return None;
        }
        self.next += 1;
        Some((at, self.outages.at(at).held))
    }

    /// Opportunities up to `t`.
    fn count(&self, t: Time) -> u64 {
        let ms = t.0 / MILLISECOND;
        let round = ms / self.period_ms();
        let into = (ms % self.period_ms()) as u32;
        let place = self.ms.partition_point(|&at| at <= into) as u64;
        round * self.ms.len() as u64 + place
    }

    /// Pass over the opportunities up to `t`.
    fn pass(&mut self, t: Time) {
        if self.time(self.next) <= t {
            self.next = self.next.max(self.count(t));
        }
    }

    /// Opportunities after `from` and until `to` that no outage holds back; passes over them.
    fn carry(&mut self, from: Time, to: Time) -> u64 {
        self.pass(from);
        if self.outages.spec.iter().all(|outage| outage.lost) {
            let first = self.next;
            self.pass(to);
            return self.next - first;
        }
        std::iter::from_fn(|| self.take_next(to)).filter(|(_, held)| !held).count() as u64
    }

    /// Bits per second that came lately, see [`super::Variation::rate_bps`]; at the very beginning the mean of the
    /// trace.
    fn rate_bps(&self, at: Time) -> f64 {
        let bits = |opportunities: u64| (opportunities * u64::from(OPPORTUNITY) * 8) as f64;
        let count = self.count(at);
        let since = Time(at.0.saturating_sub(LATELY.0));
        let lately = count - self.count(since);
        if at.0 >= LATELY.0 && lately >= FEW {
            bits(lately) / LATELY.secs()
        } else if count > FEW {
            bits(FEW) / at.since(self.time(count - 1 - FEW)).secs()
        } else {
            bits(self.ms.len() as u64) / (self.period_ms() as f64 / 1e3)
        }
    }

    fn transmit(&mut self, start: Time, waited: bool, size: u32, broken: Time) -> Sent {
        // who comes in the instant of an opportunity, or finds nobody before it, waits for the next one
        if !waited {
            self.left = 0;
            self.pass(start);
        }
        let (mut t, mut rest, mut left, mut in_outage) = (start, size, 0, false);
        loop {
            if t > self.end {
                left = rest; // what comes now comes too late
            }
            let taken = rest.min(self.left);
            if taken > 0 {
                self.left -= taken;
                rest -= taken;
                in_outage |= self.lossy;
            }
            if rest == 0 || t > self.end {
                return Sent { at: t, in_outage, left: u64::from(left) * 8 * BIT };
            }
            t = self.time(self.next);
            if t > broken {
                (self.left, left) = (0, rest);
                return Sent { at: t, in_outage, left: u64::from(left) * 8 * BIT };
            }
            self.next += 1;
            let outage = self.outages.at(t);
            (self.left, self.lossy) = (if outage.held { 0 } else { OPPORTUNITY }, outage.lossy);
        }
    }
}

/// All outages of a direction, each with its present or next time.
#[derive(Clone, Debug)]
struct Outages {
    spec: Vec<Outage>,
    now: Vec<(Time, Time)>,
}

/// What outages say of an instant.
struct Out {
    held: bool,
    lossy: bool,
    /// Nothing changes before that.
    until: Time,
}

impl Outages {
    /// Those of a direction, and its breaks, in which nothing is sent either.
    fn new(changing: &Changing) -> Outages {
        let breaks = changing.breaks.iter();
        let held = breaks.map(|b| Outage { at: b.at, length: b.length, every: None, lost: false, handover: false });
        let mut outages = Outages { spec: changing.outages.iter().copied().chain(held).collect(), now: Vec::new() };
        outages.restart();
        outages
    }

    fn restart(&mut self) {
        self.now = self.spec.iter().map(|o| (o.at, o.at + o.length)).collect();
    }

    /// The state at `t`, not before the last one asked for.
    fn at(&mut self, t: Time) -> Out {
        let mut out = Out { held: false, lossy: false, until: Time::NEVER };
        for (spec, (begin, end)) in self.spec.iter().zip(&mut self.now) {
            if *end <= t {
                (*begin, *end) = match spec.every {
                    Some(every) => {
                        let rounds = t.since(*end).0 / every.0 + 1;
                        let ahead = Span(rounds * every.0);
                        (*begin + ahead, *end + ahead)
                    }
                    None => (Time::NEVER, Time::NEVER),
                };
            }
            if *begin <= t {
                *(if spec.lost { &mut out.lossy } else { &mut out.held }) = true;
                out.until = out.until.min(*end);
            } else {
                out.until = out.until.min(*begin);
            }
        }
        out
    }
}
