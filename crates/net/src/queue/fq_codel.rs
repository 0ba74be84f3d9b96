//! FQ-CoDel: flows in lanes of their own, served in turns of a quantum, each lane watched by CoDel.
//!
//! Source: Hoeiland-Joergensen, McKenney, Taht, Gettys and Dumazet, RFC 8290, restated in specs/papers/fq-codel.md.
//! Choices: a flow is one direction of a connection, hashed by the number of its sending endpoint and a number drawn
//! for each run and queue. CoDel looks at the bytes of its own lane.

use sim::Stream;
use units::Time;

use super::codel::Codel;
use super::fattest::Fattest;
use super::fifo::CountedFifo;
use super::{Backlog, Dropped};
use crate::cause::LossCause;
use crate::packet::Packet;
use crate::pool::Pool;
use crate::spec::FqCodelSpec;

const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct FqCodel {
    lanes: Vec<FlowLane>,
    /// Lanes that were empty until lately, and the others, in the order of their turns.
    new: Turns,
    old: Turns,
    backlog: Backlog,
    fattest: Fattest,
    /// Lanes before this one are empty.
    first: u32,
    quantum: i64,
    drop_batch: u32,
    salt: u64,
}

/// Memory of a lane.
pub(crate) const fn lane_bytes() -> usize {
    size_of::<FlowLane>() + 3 * size_of::<u32>()
}

#[derive(Debug)]
struct FlowLane {
    lane: CountedFifo,
    codel: Codel,
    /// Bytes that it may send in this turn.
    credit: i64,
    /// The lane whose turn is after this one's.
    next: u32,
    /// It has a turn.
    active: bool,
}

/// Lanes in order, linked by [`FlowLane::next`].
#[derive(Clone, Copy, Debug)]
struct Turns {
    head: u32,
    tail: u32,
}

impl Turns {
    const EMPTY: Turns = Turns { head: NONE, tail: NONE };

    fn push(&mut self, lane: u32, lanes: &mut [FlowLane]) {
        lanes[lane as usize].next = NONE;
        if self.head == NONE {
            self.head = lane;
        } else {
            lanes[self.tail as usize].next = lane;
        }
        self.tail = lane;
    }

    fn pop(&mut self, lanes: &[FlowLane]) {
        self.head = lanes[self.head as usize].next;
    }
}

impl FqCodel {
    pub(super) fn new(spec: &FqCodelSpec, stream: &mut Stream) -> FqCodel {
        let lane = || FlowLane {
            lane: CountedFifo::new(),
            codel: Codel::new(&spec.codel),
            credit: 0,
            next: NONE,
            active: false,
        };
        FqCodel {
            lanes: std::iter::repeat_with(lane).take(spec.flows as usize).collect(),
            new: Turns::EMPTY,
            old: Turns::EMPTY,
            backlog: Backlog::default(),
            fattest: Fattest::new(spec.flows),
            first: 0,
            quantum: i64::from(spec.quantum),
            drop_batch: spec.drop_batch,
            salt: (stream.uniform() * (1u64 << 53) as f64) as u64,
        }
    }

    pub(super) fn backlog(&self) -> Backlog {
        self.backlog
    }

    pub(super) fn lanes(&self) -> impl Iterator<Item = &CountedFifo> {
        self.lanes.iter().map(|flow| &flow.lane)
    }

    /// The lane of a flow: its hash and the salt through the finalizer of SplitMix64.
    fn lane_of(&self, source: u32) -> u32 {
        let mut x = self.salt ^ (u64::from(source) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^= x >> 31;
        (x % self.lanes.len() as u64) as u32
    }

    pub(super) fn push(&mut self, place: u32, source: u32, pool: &mut Pool) {
        let number = self.lane_of(source);
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(pool.get(place).size);
        let flow = &mut self.lanes[number as usize];
        flow.lane.push(place, pool);
        self.fattest.note(number);
        self.first = self.first.min(number);
        if !flow.active {
            //= specs/papers/fq-codel.md#arrival
            //# a lane that has no turn goes to the end of the new lanes with one quantum of credit
            flow.active = true;
            flow.credit = self.quantum;
            self.new.push(number, &mut self.lanes);
        }
    }

    /// Over the limit: drop from the head of the lane with most bytes.
    pub(super) fn make_room(&mut self, pool: &mut Pool, dropped: &mut Vec<Dropped>) {
        //= https://www.rfc-editor.org/rfc/rfc8290#section-4.1
        //# the queue with the largest current byte count is selected and half the number of packets from this queue (up
        //# to a maximum of 64 packets) are dropped from the head of that queue.
        let number = self.fattest.find(|lane| self.lanes[lane as usize].lane.backlog.bytes);
        self.fattest.note(number);
        let flow = &mut self.lanes[number as usize];
        //= specs/papers/fq-codel.md#overload
        //# half of its packets, at least one, at most 64
        let many = (flow.lane.backlog.packets / 2).clamp(1, self.drop_batch);
        for _ in 0..many {
            let Some(packet) = flow.lane.pop(pool) else { break };
            self.backlog.packets -= 1;
            self.backlog.bytes -= u64::from(packet.size);
            dropped.push((packet, LossCause::Queue));
        }
    }

    /// Take out the first packet of the first lane that has one.
    pub(super) fn drop_one(&mut self, pool: &mut Pool) -> Option<Packet> {
        let packet = loop {
            let flow = self.lanes.get_mut(self.first as usize)?;
            match flow.lane.pop(pool) {
                Some(packet) => break packet,
                None => self.first += 1,
            }
        };
        self.fattest.note(self.first);
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(packet.size);
        Some(packet)
    }

    pub(super) fn pop(
        &mut self,
        now: Time,
        ecn: bool,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) -> Option<(Packet, bool)> {
        loop {
            let fresh = self.new.head != NONE;
            let turns = if fresh { &mut self.new } else { &mut self.old };
            let number = turns.head;
            let flow = self.lanes.get_mut(number as usize)?;
            if flow.credit <= 0 {
                //= specs/papers/fq-codel.md#service
                //# a lane without credit is given a quantum and goes to the end of the old lanes
                flow.credit += self.quantum;
                turns.pop(&self.lanes);
                self.old.push(number, &mut self.lanes);
                continue;
            }
            let before = flow.lane.backlog;
            let packet = flow.codel.pop(now, &mut flow.lane, ecn, pool, dropped);
            self.backlog.packets -= before.packets - flow.lane.backlog.packets;
            self.backlog.bytes -= before.bytes - flow.lane.backlog.bytes;
            self.fattest.note(number);
            if let Some((packet, marked)) = packet {
                flow.credit -= i64::from(packet.size);
                return Some((packet, marked));
            }
            //= https://www.rfc-editor.org/rfc/rfc8290#section-4.2
            //# The step that moves an empty queue from the list of new queues to the end of the list of old queues
            //# before it is removed is crucial to prevent starvation.
            turns.pop(&self.lanes);
            if fresh {
                //= specs/papers/fq-codel.md#service
                //# an empty new lane goes to the end of the old lanes, an empty old lane loses its turn
                self.old.push(number, &mut self.lanes);
            } else {
                self.lanes[number as usize].active = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Span;

    fn fq(change: impl Fn(&mut FqCodelSpec)) -> FqCodel {
        let mut spec = FqCodelSpec::default();
        change(&mut spec);
        FqCodel::new(&spec, &mut Stream::new(1, "l/queue"))
    }

    fn packet(source: u32, size: u16) -> Packet {
        Packet { seq: source, size, ..Packet::default() }
    }

    fn push(fq: &mut FqCodel, packet: Packet, source: u32, pool: &mut Pool) {
        let place = pool.keep(packet);
        fq.push(place, source, pool);
    }

    /// Sources of the packets in the order of their service.
    fn order(fq: &mut FqCodel, pool: &mut Pool, many: usize) -> Vec<u32> {
        let mut dropped = vec![];
        (0..many).map(|_| fq.pop(Time::ZERO, true, pool, &mut dropped).unwrap().0.seq).collect()
    }

    #[test]
    fn lanes_take_turns_of_a_quantum() {
        let (mut fq, mut pool) = (fq(|_| {}), Pool::new());
        for source in [1, 2] {
            (0..4).for_each(|_| push(&mut fq, packet(source, 1500), source, &mut pool));
        }
        // 1514 bytes of credit: 1500 leave 14, so a second packet goes in the first turn; then 1514 - 1486 = 28 and one
        // a turn
        assert_eq!(order(&mut fq, &mut pool, 8), [1, 1, 2, 2, 1, 2, 1, 2]);
    }

    #[test]
    fn turns_are_of_bytes_not_packets() {
        let (mut fq, mut pool) = (fq(|f| f.quantum = 1500), Pool::new());
        (0..4).for_each(|_| push(&mut fq, packet(1, 1500), 1, &mut pool));
        (0..12).for_each(|_| push(&mut fq, packet(2, 500), 2, &mut pool));
        assert_eq!(order(&mut fq, &mut pool, 12), [1, 2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2]);
    }

    #[test]
    fn a_lane_that_was_empty_comes_first() {
        let (mut fq, mut pool) = (fq(|f| f.quantum = 3000), Pool::new());
        (0..6).for_each(|_| push(&mut fq, packet(1, 1500), 1, &mut pool));
        assert_eq!(order(&mut fq, &mut pool, 3), [1, 1, 1]);
        push(&mut fq, packet(3, 100), 3, &mut pool);
        assert_eq!(order(&mut fq, &mut pool, 2), [3, 1]);
        // the empty lane kept an old turn, so it is not new again at once
        push(&mut fq, packet(3, 100), 3, &mut pool);
        assert!(fq.new.head == NONE);
    }

    #[test]
    fn overload_drops_from_the_head_of_the_fattest() {
        let (mut fq, mut pool, mut dropped) = (fq(|_| {}), Pool::new(), vec![]);
        (0..10).for_each(|n| push(&mut fq, Packet { ack: n, ..packet(1, 1000) }, 1, &mut pool));
        (0..30).for_each(|_| push(&mut fq, packet(2, 100), 2, &mut pool));
        fq.make_room(&mut pool, &mut dropped);
        let gone: Vec<_> = dropped.iter().map(|(p, cause)| (p.seq, p.ack, *cause)).collect();
        assert_eq!(gone, [0, 1, 2, 3, 4].map(|n| (1, n, LossCause::Queue)));
        assert_eq!(fq.backlog(), Backlog { packets: 35, bytes: 8000 });
        (0..400).for_each(|_| push(&mut fq, packet(2, 100), 2, &mut pool));
        dropped.clear();
        fq.make_room(&mut pool, &mut dropped);
        assert_eq!(dropped.len(), 64);
    }

    #[test]
    fn each_lane_has_its_own_codel() {
        let (mut fq, mut pool, mut dropped) = (fq(|_| {}), Pool::new(), vec![]);
        (0..2000).for_each(|_| push(&mut fq, packet(1, 1500), 1, &mut pool));
        let mut thin_lost = 0;
        for ms in 0..400u64 {
            let now = Time::ZERO + Span::from_millis(ms);
            push(&mut fq, Packet { at: now, ..packet(2, 100) }, 2, &mut pool);
            fq.pop(now, true, &mut pool, &mut dropped);
            fq.pop(now, true, &mut pool, &mut dropped);
            thin_lost += dropped.iter().filter(|(p, _)| p.seq == 2).count();
        }
        // at 105, 205, 276, 334 and 384 ms
        assert_eq!((dropped.len(), thin_lost), (5, 0));
        let left: u64 = fq.lanes().map(|lane| lane.iter(&pool).map(|p| u64::from(p.size)).sum::<u64>()).sum();
        assert_eq!(left, fq.backlog().bytes);
    }

    #[test]
    fn lanes_are_emptied_in_their_order_whatever_came_between() {
        let (mut fq, mut pool) = (fq(|f| f.flows = 4), Pool::new());
        let in_order = |fq: &FqCodel, pool: &Pool| -> Vec<u32> {
            fq.lanes().flat_map(|lane| lane.iter(pool).map(|p| p.seq).collect::<Vec<_>>()).collect()
        };
        for source in 0..40 {
            push(&mut fq, packet(source, 100), source, &mut pool);
            if source % 3 == 2 {
                let first = in_order(&fq, &pool)[0];
                assert_eq!(fq.drop_one(&mut pool).map(|p| p.seq), Some(first));
            }
        }
        let rest = in_order(&fq, &pool);
        let emptied: Vec<u32> = std::iter::from_fn(|| fq.drop_one(&mut pool)).map(|p| p.seq).collect();
        assert_eq!((emptied, fq.backlog()), (rest, Backlog::default()));
    }

    #[test]
    fn the_hash_spreads_flows() {
        let fq = fq(|_| {});
        let mut lanes: Vec<u32> = (0..512).map(|source| fq.lane_of(source)).collect();
        lanes.sort_unstable();
        lanes.dedup();
        // 512 balls into 1024 urns meet 1024 (1 - (1 - 1/1024)^512) = 403 of them, give or take 8
        assert!((370..436).contains(&lanes.len()), "{}", lanes.len());
    }
}
