//! YeAH as Linux computes it: in whole segments, with queues and windows in whole numbers.
//! Source: Linux 6.1, restated in specs/papers/linux.md; Baiocchi, Castellani and Vacirca 2007 has the ideas.
use core::mem::replace;

use units::{Bytes, Span};

use crate::linux::{self, Count};
use crate::round_rtt::RoundRtt;
use crate::{Ack, Congestion, CongestionControl, Path, Response};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    a round that a recovery cuts short decides nothing; a cut starts from the window whatever the profile halves.";

const MIN_SAMPLES: u64 = 3;
const QUEUE_MAX: u32 = 80;
const PHI: u64 = 8;
const RHO: u32 = 16;
const ZETA: u32 = 50;
const SCALABLE: u32 = 100;
/// The window of a rival that is not heard of.
const NO_RIVAL: u32 = 2;

/// State of Linux's YeAH.
#[derive(Clone, Debug, PartialEq)]
pub struct YeahLinux {
    cwnd: Bytes,
    ssthresh: Bytes,
    count: Count,
    round: RoundRtt,
    base: Option<Span>,
    /// A whole round has begun since the last recovery.
    begun: bool,
    queue: u32,
    slow_rounds: u32,
    fast_rounds: u32,
    /// What a Reno flow would have, at least.
    rival: u32,
}

impl Default for YeahLinux {
    fn default() -> YeahLinux {
        YeahLinux {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            count: Count::default(),
            round: RoundRtt::default(),
            base: None,
            begun: true,
            queue: 0,
            slow_rounds: 0,
            fast_rounds: 0,
            rival: NO_RIVAL,
        }
    }
}

impl YeahLinux {
    /// A round is over: the window after it, and whether that is a preventive cut.
    fn end_round(&mut self, cwnd: u32) -> (u32, bool) {
        let ended = self.round.take();
        let (Some(rtt), Some(base), true) = (ended.least(), self.base, ended.count() >= MIN_SAMPLES) else {
            return (cwnd, false);
        };
        let late = rtt - base;
        //= specs/papers/linux.md#yeah
        //# Q = cwnd * (RTT - base) / RTT, rounded down
        self.queue = (u64::from(cwnd) * late.0 / rtt.0.max(1)) as u32;
        if self.queue <= QUEUE_MAX && late.0 <= base.0 / PHI {
            self.slow_rounds = 0;
            self.fast_rounds += 1;
            //= specs/papers/linux.md#yeah
            //# more than 50 fast rounds since the last loss, in a row or not, forget the rival
            if self.fast_rounds > ZETA {
                (self.rival, self.fast_rounds) = (NO_RIVAL, 0);
            }
            return (cwnd, false);
        }
        let cuts = self.queue > QUEUE_MAX && cwnd > self.rival;
        //= specs/papers/linux.md#yeah
        //# cwnd = max(cwnd - min(Q, cwnd / 2), rival)
        let left = if cuts { (cwnd - self.queue.min(cwnd / 2)).max(self.rival) } else { cwnd };
        //= specs/papers/linux.md#yeah
        //# the rival is half of what is left where none was known, and else grows by one
        self.rival = if self.rival <= NO_RIVAL { (left / 2).max(NO_RIVAL) } else { self.rival + 1 };
        self.slow_rounds += 1;
        (left, cuts)
    }
}

impl CongestionControl for YeahLinux {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.round.add(ack.rtt);
        if let Some(rtt) = ack.rtt {
            self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        }
        let (mut cwnd, ssthresh) = (linux::segments(self.cwnd, path.mss), linux::segments(self.ssthresh, path.mss));
        if ack.grows {
            let acked = linux::acked(ack, cwnd < ssthresh, path.mss);
            let rest;
            (cwnd, rest) = linux::slow_start(cwnd, ssthresh, acked);
            //= specs/papers/linux.md#yeah
            //# per is min(cwnd, 100), and cwnd after a slow round
            let per = if self.slow_rounds == 0 { cwnd.min(SCALABLE) } else { cwnd };
            if rest > 0 {
                cwnd = self.count.grow(cwnd, per, rest);
            }
            self.cwnd = f64::from(cwnd) * path.mss;
        }
        if ack.round.is_none() {
            return;
        }
        if !ack.in_recovery && replace(&mut self.begun, true) {
            let (left, cuts) = self.end_round(cwnd);
            if cuts {
                self.cwnd = f64::from(left) * path.mss;
                self.ssthresh = self.cwnd;
            }
        } else {
            self.round = RoundRtt::default();
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let cwnd = linux::segments(self.cwnd, path.mss);
        let half = (cwnd / 2).max(2);
        //= specs/papers/linux.md#yeah
        //# a loss takes max(min(Q, max(cwnd / 2, 2)), cwnd / 8), or max(cwnd / 2, 2) after 16 slow rounds
        let taken = if self.slow_rounds < RHO { self.queue.min(half).max(cwnd / 8) } else { half };
        (self.fast_rounds, self.rival) = (0, (self.rival / 2).max(NO_RIVAL));
        (self.count, self.begun) = (Count::default(), false);
        self.set_windows(linux::cut(event, cwnd.saturating_sub(taken), self.windows(), path.mss));
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("queue_segments", f64::from(self.queue));
        out("reno_window_segments", f64::from(self.rival));
        out("slow_rounds_count", f64::from(self.slow_rounds));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, last_of_round};

    fn at(segments: f64) -> YeahLinux {
        let mut yeah = YeahLinux::default();
        yeah.on_init(Bytes(segments * 1000.0), Bytes(2000.0), &test_path());
        yeah.base = Some(Span::from_millis(100));
        yeah
    }

    /// A round of three samples in which the window does not grow by itself.
    fn round(yeah: &mut YeahLinux, ms: u64) {
        let sample = Ack { rtt: Some(Span::from_millis(ms)), grows: false, ..ack(1000.0) };
        yeah.on_ack(&sample, &test_path());
        yeah.on_ack(&sample, &test_path());
        yeah.on_ack(&Ack { round: last_of_round(1000.0).round, ..sample }, &test_path());
    }

    #[test]
    fn a_long_queue_is_drained_down_to_a_rival() {
        // 400 * 30 / 130 = 92.3: 92 go, and the rival has half of 308
        let mut yeah = at(400.0);
        round(&mut yeah, 130);
        assert_eq!((yeah.cwnd(), yeah.ssthresh(), yeah.rival), (Bytes(308_000.0), Bytes(308_000.0), 154));
        // 308 * 100 / 200 = 154: half, which is the rival's; it has one more then
        round(&mut yeah, 200);
        assert_eq!((yeah.cwnd(), yeah.rival, yeah.slow_rounds), (Bytes(154_000.0), 155, 2));
        // no less than the rival has: nothing goes
        yeah.set_cwnd(Bytes(155_000.0));
        round(&mut yeah, 300);
        assert_eq!((yeah.cwnd(), yeah.rival), (Bytes(155_000.0), 156));
    }

    #[test]
    fn growth_is_scalable_or_that_of_reno() {
        let mut yeah = at(200.0);
        yeah.on_ack(&ack(99_000.0), &test_path());
        assert_eq!(yeah.cwnd(), 200_000.0);
        yeah.on_ack(&ack(1000.0), &test_path());
        assert_eq!(yeah.cwnd(), 201_000.0);
        // 13 ms are more than an eighth of 100, 201 * 13 / 113 = 23 are no long queue
        yeah.round = RoundRtt::default();
        round(&mut yeah, 113);
        yeah.on_ack(&ack(200_000.0), &test_path());
        assert_eq!((yeah.cwnd(), yeah.slow_rounds), (Bytes(201_000.0), 1));
        yeah.on_ack(&ack(1000.0), &test_path());
        assert_eq!(yeah.cwnd(), 202_000.0);
        yeah.round = RoundRtt::default();
        round(&mut yeah, 112);
        assert_eq!((yeah.slow_rounds, yeah.fast_rounds), (0, 1));
    }

    #[test]
    fn a_loss_takes_the_queue() {
        for (queue, slow, left) in [(30, 0, 170_000.0), (10, 0, 175_000.0), (150, 0, 100_000.0), (30, 16, 100_000.0)] {
            let mut yeah = YeahLinux { queue, slow_rounds: slow, rival: 100, ..at(200.0) };
            yeah.on_congestion(&dup_acks(), &test_path());
            assert_eq!((yeah.cwnd(), yeah.rival), (Bytes(left), 50), "{queue} {slow}");
        }
    }

    #[test]
    fn rounds_that_tell_too_little_decide_nothing() {
        let mut yeah = at(400.0);
        let last = Ack { rtt: Some(Span::from_millis(200)), grows: false, ..last_of_round(1000.0) };
        yeah.on_ack(&last, &test_path());
        assert_eq!((yeah.cwnd(), yeah.slow_rounds), (Bytes(400_000.0), 0));
        // nor does the first one after a loss
        yeah.on_congestion(&dup_acks(), &test_path());
        let left = yeah.cwnd();
        round(&mut yeah, 200);
        assert_eq!((yeah.cwnd(), yeah.slow_rounds), (left, 0));
        round(&mut yeah, 200);
        assert_eq!(yeah.slow_rounds, 1);
    }
}
