//! Veno as Linux has it: in whole segments, judged by the newest RTT on each ACK outside recovery.
//! Source: Linux 6.1, restated in specs/papers/linux.md; Fu and Liew, IEEE JSAC 21(2), 2003, has the ideas.
use core::mem::replace;

use units::{Bytes, Span};

use crate::linux::{self, Count, State};
use crate::{Ack, Cause, Congestion, CongestionControl, Path, Response};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    a duplicate ACK tells of a gap; what is forgotten when a segment leaves while nothing is in flight is forgotten \
    at a timeout only; a cut starts from the window whatever the profile halves.";

/// Queue from which the path counts as congested, in half segments.
const BETA: u64 = 6;
/// Samples that are needed to tell anything.
const MIN_SAMPLES: u32 = 3;

/// State of Linux's Veno.
#[derive(Clone, Debug, PartialEq)]
pub struct VenoLinux {
    cwnd: Bytes,
    ssthresh: Bytes,
    count: Count,
    /// The next full count adds to the window even where the path is congested.
    adds: bool,
    state: State,
    base: Option<Span>,
    /// Least since the last ACK that was judged.
    newest: Option<Span>,
    samples: u32,
    /// In half segments, as it was judged last.
    queue: u64,
}

impl Default for VenoLinux {
    fn default() -> VenoLinux {
        VenoLinux {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            count: Count::default(),
            adds: true,
            state: State::Open,
            base: None,
            newest: None,
            samples: 0,
            queue: 0,
        }
    }
}

impl VenoLinux {
    fn learn(&mut self, sample: Option<Span>) {
        let Some(rtt) = sample else { return };
        self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        self.newest = Some(self.newest.map_or(rtt, |newest| newest.min(rtt)));
        self.samples += 1;
    }

    //= specs/papers/linux.md#veno
    //# 2 N = 2 cwnd - 2 cwnd * base / RTT, rounded up
    fn queue(&self, cwnd: u32) -> u64 {
        let twice = 2 * u64::from(cwnd);
        match (self.base, self.newest) {
            (None, None) => 0,
            //= specs/papers/linux.md#veno
            //# without a sample since the last ACK that was judged, the whole window counts as queued
            (_, None) => twice,
            (base, Some(rtt)) => {
                let us = |span: Span| span.0 / 1000 + 1;
                twice - twice * us(base.unwrap_or(rtt)) / us(rtt)
            }
        }
    }

    fn grow(&mut self, mut cwnd: u32, ssthresh: u32, ack: &Ack, path: &Path) -> u32 {
        let mut rest = linux::acked(ack, cwnd < ssthresh, path.mss);
        if cwnd < ssthresh {
            (cwnd, rest) = linux::slow_start(cwnd, ssthresh, rest);
            if rest == 0 {
                return cwnd;
            }
        }
        if self.queue < BETA {
            return self.count.grow(cwnd, cwnd, rest);
        }
        //= specs/papers/linux.md#veno
        //# from N = 3 on only every second full count adds a segment, and what an ACK that finds it full counts for is
        //# lost
        if self.count.fills(cwnd, rest) {
            cwnd += u32::from(self.adds);
            self.adds = !self.adds;
        }
        cwnd
    }
}

impl CongestionControl for VenoLinux {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.learn(ack.rtt);
        let before = replace(&mut self.state, State::after(ack));
        let opens = self.state == State::Open;
        if opens && before != State::Open {
            //= specs/papers/linux.md#veno
            //# the ACK that ends a recovery, or fills a gap before one, has no sample
            self.newest = None;
        }
        if !ack.grows {
            return;
        }
        let (cwnd, ssthresh) = (linux::segments(self.cwnd, path.mss), linux::segments(self.ssthresh, path.mss));
        if opens && self.samples >= MIN_SAMPLES {
            self.queue = self.queue(cwnd);
            self.cwnd = f64::from(self.grow(cwnd, ssthresh, ack, path)) * path.mss;
        } else {
            let (cwnd, rest) = linux::slow_start(cwnd, ssthresh, linux::acked(ack, cwnd < ssthresh, path.mss));
            self.cwnd = f64::from(self.count.grow(cwnd, cwnd, rest)) * path.mss;
        }
        self.newest = None;
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let cwnd = linux::segments(self.cwnd, path.mss);
        //= specs/papers/linux.md#veno
        //# A cut keeps 4/5 of the window where N < 3, else half, rounded down, whatever its cause
        let random = self.queue < BETA;
        let kept = if random { cwnd * 4 / 5 } else { cwnd / 2 };
        self.count = Count::default();
        self.set_windows(linux::cut(event, kept, self.windows(), path.mss));
        if event.cause == Cause::Rto {
            (self.base, self.newest, self.adds) = (None, None, true);
        }
        if random { Response::ReducedAsRandom } else { Response::Reduced }
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("base_rtt_s", self.base.unwrap_or_default().secs());
        out("queue_segments", self.queue as f64 / 2.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};
    use std::vec::Vec;

    fn at(segments: f64) -> VenoLinux {
        let mut veno = VenoLinux::default();
        veno.on_init(Bytes(segments * 1000.0), Bytes(2000.0), &test_path());
        (veno.base, veno.samples) = (Some(Span::from_millis(100)), MIN_SAMPLES);
        veno
    }

    /// An ACK of a segment, with a sample of so many ms if any.
    fn sample(ms: u64) -> Ack {
        Ack { rtt: (ms > 0).then(|| Span::from_millis(ms)), ..ack(1000.0) }
    }

    #[test]
    fn the_newest_rtt_judges() {
        // 2 N = 40 - 40 * 100/130 = 9.2, rounded up to 10: congested, though the least of the round would be 100
        let mut veno = at(20.0);
        veno.on_ack(&sample(100), &test_path());
        assert_eq!(veno.queue, 0);
        veno.on_ack(&sample(130), &test_path());
        assert_eq!(veno.queue, 10);
        assert_eq!(veno.on_congestion(&dup_acks(), &test_path()), Response::Reduced);
        assert_eq!((veno.cwnd(), veno.ssthresh()), (Bytes(10_000.0), Bytes(10_000.0)));
    }

    #[test]
    fn a_short_queue_keeps_four_fifths_of_the_window() {
        for (event, cwnd) in [(dup_acks(), 16_000.0), (rto(1), 1000.0)] {
            // 2 N = 40 - 40 * 100/115 = 5.2, 6 of which are needed: rounded up it is 6
            let mut veno = at(20.0);
            veno.on_ack(&sample(115), &test_path());
            assert_eq!(veno.queue, BETA);
            // 40 - 40 * 100/114 = 4.9
            veno.on_ack(&sample(114), &test_path());
            assert_eq!(veno.queue, 5);
            assert_eq!(veno.on_congestion(&event, &test_path()), Response::ReducedAsRandom);
            assert_eq!((veno.cwnd(), veno.ssthresh()), (Bytes(cwnd), Bytes(16_000.0)));
        }
        // 4/5 of 9 is 7.2
        let mut veno = at(9.0);
        veno.on_congestion(&dup_acks(), &test_path());
        assert_eq!(veno.cwnd(), 7000.0);
    }

    #[test]
    fn a_long_queue_halves_the_growth() {
        // full at 20: the 21st ACK finds it, adds one and counts for nothing; at 42 nothing is added, at 64 one is
        let mut veno = at(20.0);
        let mut grew = Vec::new();
        for n in 1..=70 {
            let before = veno.cwnd();
            veno.on_ack(&sample(200), &test_path());
            if veno.cwnd() > before {
                grew.push(n);
            }
        }
        assert_eq!(grew, [21, 65]);
    }

    #[test]
    fn an_ack_without_a_sample_counts_the_window_as_queued() {
        let mut veno = at(20.0);
        veno.on_ack(&sample(0), &test_path());
        assert_eq!(veno.queue, 40);
        // likewise at the end of a recovery, and after a gap that was filled before one began, whatever was sampled
        for apart in [Ack { in_recovery: true, grows: false, ..sample(100) }, Ack { grows: false, ..ack(0.0) }] {
            let mut veno = at(20.0);
            veno.on_ack(&apart, &test_path());
            veno.on_ack(&sample(100), &test_path());
            assert_eq!(veno.queue, 40);
            veno.on_ack(&sample(100), &test_path());
            assert_eq!(veno.queue, 0);
        }
    }

    #[test]
    fn a_timeout_forgets_the_least_rtt() {
        let mut veno = at(20.0);
        veno.on_congestion(&rto(1), &test_path());
        assert_eq!((veno.base, veno.queue(20)), (None, 0));
        veno.on_ack(&sample(130), &test_path());
        assert_eq!(veno.base, Some(Span::from_millis(130)));
    }

    #[test]
    fn two_samples_are_too_few() {
        let mut veno = at(20.0);
        veno.samples = 0;
        veno.on_ack(&sample(100), &test_path());
        veno.on_ack(&sample(130), &test_path());
        assert_eq!(veno.queue, 0);
        veno.on_ack(&sample(130), &test_path());
        assert_eq!(veno.queue, 10);
    }
}
