//! CoDel: drop from the head when every packet of an interval has waited longer than the target.
//!
//! Source: Nichols, Jacobson, McGregor and Iyengar, RFC 8289, restated in specs/papers/codel.md.
//! Choices: the packet size below which a queue is never bad is the largest seen. A mark takes the place of a drop, and
//! the marked packet is transmitted, so one packet answers for one step of the control law at most.

use tcp::Flags;
use units::{Span, Time, num};

use super::Dropped;
use super::fifo::CountedFifo;
use crate::cause::LossCause;
use crate::packet::Packet;
use crate::pool::Pool;
use crate::spec::CodelSpec;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Codel {
    target: Span,
    interval: Span,
    /// When packets will have waited too long for a whole interval; none: the last one had not.
    first_above: Option<Time>,
    drop_next: Time,
    /// Drops in this dropping state, and when it began.
    count: u32,
    last_count: u32,
    dropping: bool,
    largest: u32,
}

impl Codel {
    pub(super) fn new(spec: &CodelSpec) -> Codel {
        Codel {
            target: spec.target,
            interval: spec.interval,
            first_above: None,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
            largest: 0,
        }
    }

    /// The next packet of the lane and whether to mark it.
    pub(super) fn pop(
        &mut self,
        now: Time,
        lane: &mut CountedFifo,
        ecn: bool,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) -> Option<(Packet, bool)> {
        let (mut packet, mut bad) = self.look(now, lane, pool);
        if self.dropping {
            self.dropping = bad;
            //= https://www.rfc-editor.org/rfc/rfc8289#section-5.5
            //# the controller checks if it is time to leave drop state or schedules the next drop(s)
            while self.dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                let marked = signal(&mut packet, ecn, dropped);
                if !marked {
                    (packet, bad) = self.look(now, lane, pool);
                    self.dropping = bad;
                }
                if self.dropping {
                    self.drop_next = self.control(self.drop_next);
                }
                if marked {
                    return packet.map(|packet| (packet, true));
                }
            }
        } else if bad {
            //= https://www.rfc-editor.org/rfc/rfc8289#section-5.5
            //# if the controller is not in drop state, it determines if it should enter drop state and do the initial
            //# drop.
            let marked = signal(&mut packet, ecn, dropped);
            if !marked {
                (packet, _) = self.look(now, lane, pool);
            }
            self.dropping = true;
            //= specs/papers/codel.md#start
            //# count = count - last_count if that is above 1 and now - drop_next < 16 * interval, else 1
            let earlier = self.count - self.last_count;
            let recent = now.since(self.drop_next) < Span(16 * self.interval.0);
            self.count = if earlier > 1 && recent { earlier } else { 1 };
            self.last_count = self.count;
            self.drop_next = self.control(now);
            return packet.map(|packet| (packet, marked));
        }
        packet.map(|packet| (packet, false))
    }

    /// Take a packet from the lane. Has the queue been bad for an interval?
    fn look(&mut self, now: Time, lane: &mut CountedFifo, pool: &mut Pool) -> (Option<Packet>, bool) {
        let Some(packet) = lane.pop(pool) else {
            self.first_above = None;
            return (None, false);
        };
        self.largest = self.largest.max(u32::from(packet.size));
        //= specs/papers/codel.md#state-of-the-queue
        //# good if the packet waited less than the target, or if no more than one largest packet is left
        if now.since(packet.at) < self.target || lane.backlog.bytes <= u64::from(self.largest) {
            self.first_above = None;
            return (Some(packet), false);
        }
        let bad = match self.first_above {
            Some(since) => now >= since,
            None => {
                self.first_above = Some(now + self.interval);
                false
            }
        };
        (Some(packet), bad)
    }

    /// When to drop next.
    fn control(&self, from: Time) -> Time {
        //= specs/papers/codel.md#control-law
        //# drop_next = t + interval / sqrt(count)
        from + Span((self.interval.0 as f64 / num::sqrt(f64::from(self.count))) as u64)
    }
}

/// Signal congestion by the packet. True: it is to be marked; false: it is dropped, and gone.
fn signal(packet: &mut Option<Packet>, ecn: bool, dropped: &mut Vec<Dropped>) -> bool {
    if ecn && packet.as_ref().is_some_and(|p| p.flags.has(Flags::ECT)) {
        return true;
    }
    dropped.extend(packet.take().map(|p| (p, LossCause::Early)));
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue of packets that all came at time zero, served at the times given.
    struct Queue {
        codel: Codel,
        lane: CountedFifo,
        pool: Pool,
        dropped: Vec<Dropped>,
        ecn: bool,
    }

    fn queue(packets: u32, flags: Flags) -> Queue {
        let (mut lane, mut pool) = (CountedFifo::new(), Pool::new());
        for seq in 0..packets {
            let place = pool.keep(Packet { seq, size: 1000, flags, ..Packet::default() });
            lane.push(place, &mut pool);
        }
        Queue { codel: Codel::new(&CodelSpec::default()), lane, pool, dropped: vec![], ecn: true }
    }

    impl Queue {
        /// The packet served at that time and whether it is marked.
        fn pop(&mut self, ms: f64) -> Option<(u32, bool)> {
            let now = Time((ms * 1e6) as u64);
            let found = self.codel.pop(now, &mut self.lane, self.ecn, &mut self.pool, &mut self.dropped);
            found.map(|(packet, marked)| (packet.seq, marked))
        }

        fn dropped(&self) -> Vec<u32> {
            self.dropped.iter().map(|(packet, _)| packet.seq).collect()
        }
    }

    #[test]
    fn drops_follow_the_control_law() {
        let mut q = queue(1000, Flags::default());
        let mut served = vec![];
        for ms in 4..420 {
            served.push(q.pop(f64::from(ms)).unwrap().0);
        }
        // Above the target from 5 ms on, bad from 105 ms on. Then 105 + 100 / sqrt(1) = 205, + 100 / sqrt(2) = 275.7, +
        // 57.7 = 333.4, + 50 = 383.4, + 44.7 = 428.2. The packet served at t ms is number t - 4 plus the drops before
        // it, so dropped are 101 at 105 ms, 202 at 205, 274 at 276, 333 at 334 and 384 at 384.
        assert_eq!(q.dropped(), [101, 202, 274, 333, 384]);
        assert_eq!(served.len() + q.dropped().len(), 416 + 5);
        assert_eq!(served[101], 102); // the next takes its place
    }

    #[test]
    fn a_short_queue_or_a_short_wait_is_good() {
        let mut q = queue(2, Flags::default());
        q.pop(5.0); // leaves one packet of 1000 bytes
        assert_eq!(q.codel.first_above, None);
        let mut q = queue(100, Flags::default());
        q.pop(4.999);
        assert_eq!(q.codel.first_above, None);
        q.pop(5.0);
        assert_eq!(q.codel.first_above, Some(Time(105_000_000)));
    }

    #[test]
    fn the_state_ends_with_the_first_good_packet_and_resumes_near_its_rate() {
        let mut q = queue(2000, Flags::default());
        for ms in 5..=600 {
            q.pop(f64::from(ms));
        }
        // drops at 105, 205, 275.7, 333.4, 383.4, 428.2, 469.0, 506.8, 542.1, 575.5: count 10, the next is due at 607.1
        assert_eq!((q.codel.count, q.dropped.len()), (10, 10));
        assert!((q.codel.drop_next.secs() - 0.6071).abs() < 1e-4);
        // a fresh packet ends it
        q.lane = CountedFifo::new();
        for seq in 0..500 {
            let place = q.pool.keep(Packet { seq, size: 1000, at: Time(605_000_000), ..Packet::default() });
            q.lane.push(place, &mut q.pool);
        }
        q.pop(606.0);
        assert!(!q.codel.dropping);
        // bad again from 610 + 100: 10 - 1 = 9 is above 1 and 710 - 607 below 1600 ms, so it begins with 9: 100 / 3 ms
        // apart
        for ms in 610..=710 {
            q.pop(f64::from(ms));
        }
        assert_eq!(q.dropped.len(), 11);
        assert_eq!((q.codel.count, q.codel.last_count), (9, 9));
        assert!((q.codel.drop_next.secs() - 0.743_333).abs() < 1e-6);
    }

    #[test]
    fn marks_take_the_place_of_drops() {
        let mut q = queue(1000, Flags::ECT);
        let marked: Vec<u32> =
            (4..420).filter_map(|ms| q.pop(f64::from(ms))).filter(|(_, marked)| *marked).map(|(seq, _)| seq).collect();
        // at the same times as drops; the packet served at t ms is number t - 4
        assert_eq!(marked, [101, 201, 272, 330, 380]);
        assert_eq!(q.dropped(), []);
        let mut q = queue(1000, Flags::ECT);
        q.ecn = false;
        (4..420).for_each(|ms| assert!(!q.pop(f64::from(ms)).unwrap().1));
        assert_eq!(q.dropped().len(), 5);
    }

    #[test]
    fn several_drops_that_are_due_happen_at_once() {
        let mut q = queue(1000, Flags::default());
        q.pop(5.0);
        q.pop(105.0);
        // due by 290: 205 and 275.7
        q.pop(290.0);
        assert_eq!(q.dropped().len(), 3);
        let mut q = queue(3, Flags::default());
        q.pop(5.0);
        assert_eq!(q.pop(200.0), Some((1, false))); // one packet is left: good
        assert_eq!(q.pop(300.0), Some((2, false)));
        assert_eq!(q.pop(400.0), None);
    }
}
