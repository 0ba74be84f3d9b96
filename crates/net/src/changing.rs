//! Links that change while a run goes on: steps of rate and delay, outages, breaks, delivery traces, jitter.
//!
//! All of it but jitter is known beforehand, so a first-in-first-out link still knows a packet's departure on arrival.
//! Choices: a packet has the delay of the instant at which its transmission ends; a packet on the wire is not touched
//! by what happens later; unless jitter or [`Reordering`] says otherwise, packets stay in order.

mod capacity;
mod frames;
mod reordering;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use sim::Stream;
use units::{Span, Time, num};

use crate::cause::LossCause;
use crate::cellular::{Frames, Granted};
use crate::link::transmission;
use crate::packet::Packet;
use crate::settle::Handover;
use capacity::Capacity;
pub(crate) use capacity::{Sent, work};
use reordering::Chooser;
pub use reordering::{Chosen, Reordering, Shift, Which};

/// How one direction of a link changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changing {
    /// New rates and delays, in order of time.
    pub steps: Vec<Step>,
    /// Times at which nothing gets through. All periodic ones together leave some time free.
    pub outages: Vec<Outage>,
    /// Delivery opportunities in place of a rate: times in milliseconds in rising order, the last one above 0, after
    /// which they begin again. Each carries up to [`OPPORTUNITY`] bytes of what waits before it; what it does not use
    /// is lost.
    pub trace: Option<Arc<[u32]>>,
    /// Handovers and gaps in coverage, in order of time and apart from each other.
    pub breaks: Vec<Break>,
    /// Handovers of the link, both its directions, to be worked out before the run: on the forward direction, in order
    /// of time and apart from each other. Their steps come after all others.
    pub handovers: Vec<Handover>,
    /// Its capacity is granted in frames, in place of a rate.
    pub frames: Option<Frames>,
    /// Random part of the delay.
    pub jitter: Option<Jitter>,
    /// Which packets may pass those before them.
    pub reordering: Reordering,
}

/// Bytes that a delivery opportunity carries, as in mahimahi.
pub const OPPORTUNITY: u32 = 1504;

/// From a time on, another rate or delay or both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// When.
    pub at: Time,
    /// Bits per second, positive. Of no effect beside a trace.
    pub rate_bps: Option<u64>,
    /// Propagation delay.
    pub delay: Option<Span>,
}

/// A time at which nothing gets through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outage {
    /// When it begins.
    pub at: Time,
    /// How long it lasts, positive.
    pub length: Span,
    /// It comes again at this distance, more than its length.
    pub every: Option<Span>,
    /// The transmitter goes on and what it sends is lost; otherwise it stands still and packets wait.
    pub lost: bool,
    /// A handover: the connections across the link are told.
    pub handover: bool,
}

/// A time in which nothing passes. What is on the air when it begins is lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Break {
    /// When it begins.
    pub at: Time,
    /// How long it lasts, positive.
    pub length: Span,
    /// When the link layer knows of it, at the latest as it begins: a receiver of Freeze-TCP cannot be warned before.
    pub known: Time,
    /// Why packets are lost in it.
    pub cause: LossCause,
    /// What waits when it begins is sent before all that comes later, so long after the end; `None`: it is lost.
    pub kept: Option<Span>,
}

impl Break {
    /// When it ends.
    pub fn end(&self) -> Time {
        self.at + self.length
    }
}

/// Random part of the delay, drawn for each packet by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// How it is distributed.
    pub model: JitterModel,
    /// Packets may pass each other; otherwise one that would overtake arrives together with the one before it.
    pub reorder: bool,
}

/// Distribution of a random delay that is added. The sum is never below zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JitterModel {
    /// Evenly between less and more by this much.
    Uniform {
        /// Most deviation.
        spread: Span,
    },
    /// Normal with mean zero.
    Normal {
        /// Standard deviation.
        deviation: Span,
    },
    /// Exponential, never below zero.
    Exponential {
        /// Mean.
        mean: Span,
    },
    /// Pareto of the second kind (Lomax): begins at zero and has a heavy tail.
    Pareto {
        /// Mean.
        mean: Span,
        /// Exponent of the tail, above 1.
        shape: f64,
    },
}

/// Longest random delay: an hour.
const LONGEST: f64 = 3600.0;

impl JitterModel {
    /// The least that a delay can become.
    fn least(self, delay: Span) -> Span {
        match self {
            JitterModel::Uniform { spread } => delay - spread,
            JitterModel::Normal { .. } => Span::ZERO,
            JitterModel::Exponential { .. } | JitterModel::Pareto { .. } => delay,
        }
    }

    /// One draw, seconds.
    fn draw(self, stream: &mut Stream) -> f64 {
        match self {
            JitterModel::Uniform { spread } => (2.0 * stream.uniform() - 1.0) * spread.secs(),
            JitterModel::Normal { deviation } => normal(stream) * deviation.secs(),
            JitterModel::Exponential { mean } => -num::ln(1.0 - stream.uniform()) * mean.secs(),
            JitterModel::Pareto { mean, shape } => {
                // P(X > x) = (1 + x/s)^-shape with s = mean (shape - 1)
                let tail = num::pow(1.0 - stream.uniform(), -1.0 / shape) - 1.0;
                tail * mean.secs() * (shape - 1.0)
            }
        }
        .min(LONGEST)
    }
}

/// Standard normal, by the polar method (Marsaglia and Bray 1964).
fn normal(stream: &mut Stream) -> f64 {
    loop {
        let (u, v) = (2.0 * stream.uniform() - 1.0, 2.0 * stream.uniform() - 1.0);
        let s = u * u + v * v;
        if s > 0.0 && s < 1.0 {
            return u * num::sqrt(-2.0 * num::ln(s) / s);
        }
    }
}

impl Changing {
    /// Least time that a packet of `size` bytes needs on a direction that begins with this rate and delay, jitter
    /// aside.
    pub(crate) fn least_delay(&self, rate_bps: u64, delay: Span, size: u32) -> Span {
        self.least_transmission(rate_bps, size) + self.least_propagation(delay)
    }

    /// The same with the luck of jitter, and of being ahead of others.
    pub(crate) fn least_delay_with_jitter(&self, rate_bps: u64, delay: Span, size: u32) -> Span {
        let delay = self.least_propagation(delay);
        let least = self.jitter.map_or(delay, |jitter| jitter.model.least(delay)) - self.reordering.most_ahead();
        self.least_transmission(rate_bps, size) + least
    }

    fn least_propagation(&self, delay: Span) -> Span {
        self.steps.iter().filter_map(|s| s.delay).fold(delay, Span::min)
    }

    fn least_transmission(&self, rate_bps: u64, size: u32) -> Span {
        if self.trace.is_some() {
            return Span::ZERO; // at best an opportunity comes at once
        }
        if let Some(frames) = &self.frames {
            return frames.least(); // at best a frame begins at once
        }
        let rate = self.steps.iter().filter_map(|s| s.rate_bps).fold(rate_bps, u64::max);
        Span(transmission(size, rate))
    }

    /// Bytes that a direction that begins with this rate can carry until `end`.
    pub fn capacity_bytes(&self, rate_bps: u64, end: Time) -> f64 {
        Capacity::new(self, rate_bps).total_bytes(end)
    }

    /// What a direction that begins with this rate can carry after `from` and until `to`, in bits times nanoseconds per
    /// second.
    pub(crate) fn capacity(&self, rate_bps: u64, from: Time, to: Time) -> u128 {
        Capacity::new(self, rate_bps).carry(from, to)
    }

    /// What a direction that begins with this rate carries, asked for in order of time.
    pub(crate) fn carrier(&self, rate_bps: u64) -> Carrier {
        Carrier { capacity: Capacity::new(self, rate_bps), last: None }
    }

    /// It carries at times, as a trace or frames give them, in place of a rate.
    pub(crate) fn comes_in_pieces(&self) -> bool {
        self.trace.is_some() || self.frames.is_some()
    }

    /// When nothing is sent until `end`: outages that hold packets back, and breaks. None if there are more than
    /// `most`.
    pub(crate) fn halts(&self, end: Time, most: usize) -> Vec<(Time, Time)> {
        let mut found: Vec<_> = self.breaks.iter().map(|one| (one.at, one.end())).collect();
        for outage in self.outages.iter().filter(|outage| !outage.lost) {
            let mut at = outage.at;
            while at < end && found.len() <= most {
                found.push((at, at + outage.length));
                at = outage.every.map_or(Time::NEVER, |every| at + every);
            }
        }
        if found.len() > most { Vec::new() } else { found }
    }

    /// The delivery opportunities of a direction that begins with this rate, until `end`, in milliseconds: those of its
    /// trace, or one whenever it could have carried [`OPPORTUNITY`] bytes more, in the first millisecond not before
    /// that.
    pub fn opportunities(&self, rate_bps: u64, end: Time) -> Vec<u32> {
        Capacity::new(self, rate_bps).opportunities(end)
    }
}

/// What a direction carries, bits per second.
#[derive(Debug)]
pub(crate) struct Carrier {
    capacity: Capacity,
    /// The piece that was asked for last, and its rate.
    last: Option<(Time, f64)>,
}

impl Carrier {
    /// The mean between two times, not before the last ones.
    pub(crate) fn carried_bps(&mut self, from: Time, to: Time) -> f64 {
        self.capacity.carry(from, to) as f64 / to.since(from).0 as f64
    }

    /// The same of what comes in pieces, which may be asked for again.
    pub(crate) fn piece_bps(&mut self, from: Time, to: Time) -> f64 {
        if let Some((at, rate)) = self.last
            && at == from
        {
            return rate;
        }
        let rate = match &self.capacity {
            Capacity::Frames(frames) => frames.mean_bps(from, to),
            Capacity::Rates(_) | Capacity::Trace(_) => self.carried_bps(from, to),
        };
        self.last = Some((from, rate));
        rate
    }

    /// The rate at a time, outages aside.
    pub(crate) fn rate_bps(&self, at: Time) -> f64 {
        self.capacity.rate_bps(at)
    }
}

/// How a direction varies: its state while the run goes on.
#[derive(Debug)]
pub(crate) struct Variation {
    capacity: Capacity,
    breaks: Vec<Break>,
    end: Time,
    delays: Vec<(Time, Span)>,
    next_delay: usize,
    delay: Span,
    jitter: Option<(Jitter, Stream)>,
    /// All packets may pass each other.
    reorder: bool,
    chooser: Option<Box<Chooser>>,
    repeats: Option<(f64, Span, Stream)>,
    last_arrival: Time,
    /// What an idle transmitter could have sent until then, bytes.
    idle: (Time, f64),
    /// Packets on the wire of a direction that reorders, the first to arrive on top.
    passing: BinaryHeap<Reverse<Passing>>,
    passed: u64,
}

/// A packet that others may overtake.
#[derive(Debug)]
struct Passing {
    packet: Packet,
    serial: u64,
}

impl Passing {
    fn key(&self) -> (Time, u64) {
        (self.packet.at, self.serial)
    }
}

impl PartialEq for Passing {
    fn eq(&self, other: &Passing) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Passing {}

impl PartialOrd for Passing {
    fn partial_cmp(&self, other: &Passing) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Passing {
    fn cmp(&self, other: &Passing) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Variation {
    /// The direction `name` in the run with this seed, which begins with this rate and delay.
    pub(crate) fn new(spec: &Changing, rate_bps: u64, delay: Span, seed: u64, name: &str) -> Variation {
        Variation {
            capacity: Capacity::new(spec, rate_bps),
            breaks: spec.breaks.clone(),
            end: Time::NEVER,
            delays: spec.steps.iter().filter_map(|s| s.delay.map(|delay| (s.at, delay))).collect(),
            next_delay: 0,
            delay,
            jitter: spec.jitter.map(|jitter| (jitter, Stream::new(seed, &format!("{name}/jitter")))),
            reorder: spec.reordering == Reordering::Shorter || spec.jitter.is_some_and(|jitter| jitter.reorder),
            chooser: match &spec.reordering {
                Reordering::Chosen(chosen) => {
                    Some(Box::new(Chooser::new(chosen, Stream::new(seed, &format!("{name}/reorder")))))
                }
                _ => None,
            },
            repeats: spec
                .frames
                .as_ref()
                .and_then(|frames| frames.spec.repeats)
                .map(|(share, late)| (share, late, Stream::new(seed, &format!("{name}/repeats")))),
            last_arrival: Time::ZERO,
            idle: (Time::ZERO, 0.0),
            passing: BinaryHeap::new(),
            passed: 0,
        }
    }

    /// The run ends then.
    pub(crate) fn set_end(&mut self, end: Time) {
        self.end = end;
        self.capacity.set_end(end);
    }

    /// The first break that begins after `t`.
    pub(crate) fn break_after(&self, t: Time) -> Option<&Break> {
        self.breaks.get(self.breaks.partition_point(|one| one.at <= t))
    }

    /// When the first break begins.
    pub(crate) fn break_from_start(&self) -> Option<Time> {
        self.breaks.first().map(|one| one.at)
    }

    /// What a frame that begins at `t` holds.
    pub(crate) fn granted(&self, t: Time) -> Granted {
        self.capacity.granted(t)
    }

    /// The break that begins at `t`.
    pub(crate) fn break_at(&self, t: Time) -> Option<&Break> {
        self.breaks.get(self.breaks.partition_point(|one| one.at < t)).filter(|one| one.at == t)
    }

    /// The break, if it begins within the run, that finds a packet on the air which was sent at `departs` and would
    /// arrive at `at`.
    pub(crate) fn break_before(&self, departs: Time, at: Time) -> Option<&Break> {
        self.breaks.get(self.breaks.partition_point(|one| one.at < departs)).filter(|one| one.at < at.min(self.end))
    }

    /// Transmit a packet from `start` on, which `waited` behind another until then. Starts come in order of time, and
    /// none before the end of the transmission before it. One that lasts into a break is said to end somewhere after
    /// the beginning of that.
    pub(crate) fn transmit(&mut self, start: Time, waited: bool, size: u32) -> Sent {
        let broken = self.break_after(start).map_or(Time::NEVER, |next| next.at);
        self.capacity.transmit(start, waited, size, broken)
    }

    /// Whether it serves a mobile in frames of a cell.
    pub(crate) fn is_in_frames(&self) -> bool {
        matches!(self.capacity, Capacity::Frames(_))
    }

    /// What the last opportunity of a trace left for the packet that waits behind, in bits times nanoseconds per
    /// second.
    pub(crate) fn left_over(&self) -> u128 {
        self.capacity.left_over()
    }

    /// The rate at `at`, as a queue knows it: outages do not show in it, and that of a trace is the mean of the last
    /// tenth of a second or, if that is longer, of the last 11 opportunities.
    pub(crate) fn rate_bps(&self, at: Time) -> f64 {
        self.capacity.rate_bps(at)
    }

    /// Bytes that could have been transmitted from `from`, when the last transmission ended, until now.
    pub(crate) fn idle_bytes(&mut self, from: Time, now: Time) -> f64 {
        if self.idle.0 < now {
            self.idle = (now, self.capacity.idle_bytes(from, now));
        }
        self.idle.1
    }

    /// When a packet whose transmission ends at `departs` reaches the far end. Calls come in order of time.
    pub(crate) fn arrival(&mut self, departs: Time) -> Time {
        while let Some(&(at, delay)) = self.delays.get(self.next_delay)
            && at <= departs
        {
            self.delay = delay;
            self.next_delay += 1;
        }
        let mut at = departs + self.delay;
        if let Some((jitter, stream)) = &mut self.jitter {
            at = departs + Span::from_secs((self.delay.secs() + jitter.model.draw(stream)).max(0.0));
        }
        if let Some((share, late, stream)) = &mut self.repeats
            && stream.uniform() < *share
        {
            at += *late;
        }
        if let Some(at) = self.chooser.as_mut().and_then(|chooser| chooser.arrival(departs, at)) {
            return at;
        }
        if !self.reorder {
            at = at.max(self.last_arrival);
            self.last_arrival = at;
        }
        at
    }

    /// A part of its delay is random.
    pub(crate) fn has_jitter(&self) -> bool {
        self.jitter.is_some()
    }

    /// Packets may pass each other.
    pub(crate) fn reorders(&self) -> bool {
        self.reorder || self.chooser.is_some()
    }

    /// A packet goes on the wire of a direction that reorders, until [`Packet::at`].
    pub(crate) fn put(&mut self, packet: Packet) {
        self.passing.push(Reverse(Passing { packet, serial: self.passed }));
        self.passed += 1;
    }

    /// The packet that arrives first.
    pub(crate) fn next_arrival(&mut self) -> Option<Packet> {
        self.passing.pop().map(|first| first.0.packet)
    }

    /// Packets on the wire of a direction that reorders.
    pub(crate) fn on_wire(&self) -> impl Iterator<Item = &Packet> {
        self.passing.iter().map(|one| &one.0.packet)
    }

    /// What could be carried after `from` and until `to`, in bits times nanoseconds per second.
    pub(crate) fn capacity(&self, from: Time, to: Time) -> u128 {
        self.capacity.renewed().carry(from, to)
    }
}

#[cfg(test)]
mod tests;
