//! DualPI2: a queue for L4S and one for the rest, coupled so that a flow gets much the same rate in either.
//!
//! Source: De Schepper, Briscoe and White, RFC 9332 appendix A, restated in specs/papers/dualpi2.md.
//! Choices: delays are those of the packets themselves, which are known here; with the packet at hand L must hold more
//! than `min_packets` for the ramp to mark.

use sim::Stream;
use tcp::Flags;
use units::{Span, Time};

use super::fifo::CountedFifo;
use super::{Backlog, Dropped};
use crate::cause::LossCause;
use crate::packet::Packet;
use crate::pool::Pool;
use crate::spec::{DualPi2Spec, DualScheduler};

/// What one of the two queues counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LaneStats {
    /// Packets that were served.
    pub packets: u64,
    /// Of these, those that it marked.
    pub marked: u64,
    /// Packets dropped early.
    pub dropped: u64,
    /// Sum of the waiting times of those served, and the longest.
    pub waited: Span,
    /// The longest of them.
    pub longest: Span,
}

#[derive(Debug)]
struct Lane {
    fifo: CountedFifo,
    /// Sums of probabilities, for evenly spaced choices: of those marked, of those dropped.
    to_mark: f64,
    to_drop: f64,
    stats: LaneStats,
}

#[derive(Debug)]
pub(crate) struct DualPi2 {
    spec: DualPi2Spec,
    l: Lane,
    c: Lane,
    /// p'.
    base: f64,
    /// Delay at the last update, seconds.
    delay: f64,
    next_update: Time,
    /// What round robin owes to C, bytes: its share of what L got, less the rest of what it got itself.
    owed: f64,
    stream: Stream,
}

/// What is done with a packet whose turn it is.
enum Verdict {
    Pass,
    Mark,
    Drop,
}

impl DualPi2 {
    pub(super) fn new(spec: &DualPi2Spec, stream: Stream) -> DualPi2 {
        let lane = || Lane { fifo: CountedFifo::new(), to_mark: 0.0, to_drop: 0.0, stats: LaneStats::default() };
        DualPi2 {
            spec: *spec,
            l: lane(),
            c: lane(),
            base: 0.0,
            delay: 0.0,
            next_update: Time::ZERO + spec.update,
            owed: 0.0,
            stream,
        }
    }

    pub(super) fn backlog(&self) -> Backlog {
        let (l, c) = (self.l.fifo.backlog, self.c.fifo.backlog);
        Backlog { packets: l.packets + c.packets, bytes: l.bytes + c.bytes }
    }

    pub(super) fn lanes(&self) -> [&CountedFifo; 2] {
        [&self.l.fifo, &self.c.fifo]
    }

    /// What L and C have counted.
    pub(super) fn stats(&self) -> [LaneStats; 2] {
        [self.l.stats, self.c.stats]
    }

    pub(super) fn push(&mut self, place: u32, pool: &mut Pool) {
        let packet = pool.get(place);
        let flags = packet.flags;
        self.update(packet.at, pool);
        //= specs/papers/dualpi2.md#classifier
        //# ECT(1) or CE goes to L, Not-ECT or ECT(0) to C
        let lane = if flags.has(Flags::ECT1) || flags.has(Flags::CE) { &mut self.l } else { &mut self.c };
        lane.fifo.push(place, pool);
    }

    /// The packet to be served now, and whether it is to be marked.
    pub(super) fn pop(&mut self, now: Time, pool: &mut Pool, dropped: &mut Vec<Dropped>) -> Option<(Packet, bool)> {
        self.update(now, pool);
        loop {
            let (many, of_l) = (self.l.fifo.backlog.packets, self.serves_l(now, pool)?);
            let lane = if of_l { &mut self.l } else { &mut self.c };
            let packet = lane.fifo.pop(pool)?;
            let waited = now.since(packet.at);
            let verdict = if of_l { self.judge_l(waited, many) } else { self.judge_c(&packet) };
            let stats = if of_l { &mut self.l.stats } else { &mut self.c.stats };
            if let Verdict::Drop = verdict {
                stats.dropped += 1;
                dropped.push((packet, LossCause::Early));
                continue;
            }
            let mark = matches!(verdict, Verdict::Mark);
            stats.packets += 1;
            stats.marked += u64::from(mark && !packet.flags.has(Flags::CE));
            stats.waited += waited;
            stats.longest = stats.longest.max(waited);
            self.charge(of_l, u32::from(packet.size));
            return Some((packet, mark));
        }
    }

    /// Take out a packet that is to be dropped, whichever.
    pub(super) fn drop_one(&mut self, pool: &mut Pool) -> Option<Packet> {
        self.l.fifo.pop(pool).or_else(|| self.c.fifo.pop(pool))
    }

    /// Whether L is next; none if nothing waits.
    fn serves_l(&self, now: Time, pool: &Pool) -> Option<bool> {
        let head = |lane: &Lane| lane.fifo.iter(pool).next().map(|packet| (packet.at, f64::from(packet.size)));
        Some(match (head(&self.l), head(&self.c)) {
            (None, None) => return None,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some((l_at, _)), Some((c_at, c_size))) => match self.spec.scheduler {
                DualScheduler::RoundRobin => self.owed < c_size * (1.0 - self.spec.classic_share),
                //= specs/papers/dualpi2.md#scheduler
                //# first in, first out, but packets of L count as if they had come `time_shift` earlier.
                DualScheduler::TimeShifted => now.since(l_at) + self.spec.time_shift >= now.since(c_at),
            },
        })
    }

    /// A packet of so many bytes was taken.
    fn charge(&mut self, of_l: bool, size: u32) {
        //= specs/papers/dualpi2.md#scheduler
        //# weighted round robin by bytes: while both wait, C gets its share.
        if self.c.fifo.backlog.packets == 0 {
            self.owed = 0.0;
        } else if of_l {
            self.owed += f64::from(size) * self.spec.classic_share;
        } else {
            self.owed = (self.owed - f64::from(size) * (1.0 - self.spec.classic_share)).max(0.0);
        }
    }

    fn judge_l(&mut self, waited: Span, many: u32) -> Verdict {
        //= specs/papers/dualpi2.md#probabilities
        //# in C: p_C = p'^2; from p' to L: p_CL = k * p'
        let coupled = self.spec.coupling * self.base;
        if coupled < 1.0 {
            //= specs/papers/dualpi2.md#probabilities
            //# a packet of L is marked with the greater of p_CL and the ramp's probability
            let p = coupled.max(self.ramp(waited, many));
            return if self.chosen_of_l(p) { Verdict::Mark } else { Verdict::Pass };
        }
        //= specs/papers/dualpi2.md#overload
        //# L: drop with p_C, mark the rest; C: drop ECT(0) packets, too
        let drop = recurs(&mut self.l.to_drop, self.base * self.base, self.spec.random.then_some(&mut self.stream));
        if drop { Verdict::Drop } else { Verdict::Mark }
    }

    fn chosen_of_l(&mut self, p: f64) -> bool {
        recurs(&mut self.l.to_mark, p, self.spec.random.then_some(&mut self.stream))
    }

    fn judge_c(&mut self, packet: &Packet) -> Verdict {
        let chosen = recurs(&mut self.c.to_drop, self.base * self.base, self.spec.random.then_some(&mut self.stream));
        let markable = packet.flags.has(Flags::ECT) && self.spec.coupling * self.base < 1.0;
        //= specs/papers/dualpi2.md#probabilities
        //# a packet of C is dropped, or marked if it is ECT(0), with p_C
        match chosen {
            false => Verdict::Pass,
            true if markable => Verdict::Mark,
            true => Verdict::Drop,
        }
    }

    /// L's own probability for a packet that has waited so long, with so many in L.
    fn ramp(&self, waited: Span, many: u32) -> f64 {
        let Span(over) = Span(waited.0.saturating_sub(self.spec.ramp_from.0));
        //= specs/papers/dualpi2.md#ramp
        //# none while L holds one packet
        if waited < self.spec.ramp_from || many <= self.spec.min_packets {
            return 0.0;
        }
        //= specs/papers/dualpi2.md#ramp
        //# 0 up to 800 us, 1 from 1200 us on, (w - 800 us) / 400 us in between
        if over >= self.spec.ramp_range.0 { 1.0 } else { over as f64 / self.spec.ramp_range.0 as f64 }
    }

    /// All updates that are due by `now`. Nothing has come or gone since the last call.
    fn update(&mut self, now: Time, pool: &Pool) {
        while self.next_update <= now {
            let at = self.next_update;
            let oldest =
                self.lanes().into_iter().filter_map(|fifo| fifo.iter(pool).next()).map(|packet| packet.at).min();
            let delay = oldest.map_or(0.0, |since| at.since(since).secs());
            //= specs/papers/dualpi2.md#base-probability
            //# p' = p' + alpha * (q - target) + beta * (q - old)
            let step = self.spec.alpha * (delay - self.spec.target.secs()) + self.spec.beta * (delay - self.delay);
            self.base = (self.base + step).clamp(0.0, 1.0);
            self.delay = delay;
            self.next_update += self.spec.update;
            if oldest.is_none() && self.base == 0.0 && self.next_update <= now {
                let skipped = now.since(self.next_update).0 / self.spec.update.0;
                self.next_update += Span(skipped * self.spec.update.0);
            }
        }
    }
}

/// Whether a packet is chosen that is so likely to be.
fn recurs(sum: &mut f64, p: f64, stream: Option<&mut Stream>) -> bool {
    if let Some(stream) = stream {
        return stream.uniform() < p;
    }
    //= specs/papers/dualpi2.md#choice-of-packets
    //# add the probability up over the packets of a queue; when the sum passes 1, choose the packet and take 1 away
    *sum += p;
    let chosen = *sum > 1.0;
    if chosen {
        *sum -= 1.0;
    }
    chosen
}

#[cfg(test)]
mod tests;
