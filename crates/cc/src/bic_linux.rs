//! BIC as Linux computes it: in whole segments, with the growth as so many acknowledged segments per segment of window,
//! divided by what an ACK usually covers.
//! Source: Linux 6.1, restated in specs/papers/linux.md; Xu, Harfoush and Rhee, INFOCOM 2004, has the ideas.
use core::mem::replace;

use units::{Bytes, Time};

use crate::linux::{self, Count, State};
use crate::{Ack, Cause, Congestion, CongestionControl, Path, Response};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    a clock of 1 ms; a duplicate ACK begins disorder, the next ACK that advances ends it; a cut starts from the window \
    whatever the profile halves.";

const LOW_WINDOW: u32 = 14;
const MOST: u32 = 16; // segments per round trip
const B: u32 = 4;
const SMOOTH: u32 = 20;
const KEEP: u32 = 819; // 1/1024
const FIRST_PER: u32 = 20;
const UNCHANGED_MS: u64 = 31;

/// State of Linux's BIC.
#[derive(Clone, Debug, PartialEq)]
pub struct BicLinux {
    cwnd: Bytes,
    ssthresh: Bytes,
    /// Window at the last loss, perhaps lowered; zero if there was none.
    w_max: u32,
    /// Segments that an ACK acknowledges, 1/16.
    covered: u32,
    per: u32,
    /// For which window `per` was computed, and when, ms.
    computed: Option<(u32, u64)>,
    count: Count,
    state: State,
}

impl Default for BicLinux {
    fn default() -> BicLinux {
        BicLinux {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            w_max: 0,
            covered: 2 * 16,
            per: 0,
            computed: None,
            count: Count::default(),
            state: State::Open,
        }
    }
}

impl BicLinux {
    /// Acknowledged segments per segment of a window of `cwnd`, by the search alone.
    fn search(&self, cwnd: u32) -> u32 {
        if cwnd <= LOW_WINDOW {
            return cwnd;
        }
        let slowest = cwnd * SMOOTH / B;
        //= specs/papers/linux.md#bic
        //# below Wmax, with d = (Wmax - cwnd) / 4: cwnd / 16 if d > 16, cwnd / d if d > 1, else 5 cwnd
        if let Some(below @ 1..) = self.w_max.checked_sub(cwnd) {
            return match below / B {
                0 | 1 => slowest,
                d => cwnd / d.min(MOST),
            };
        }
        //= specs/papers/linux.md#bic
        //# from Wmax on, with e = cwnd - Wmax: 5 cwnd if e < 4, 3 cwnd / e if e < 48, else cwnd / 16
        let per = match cwnd - self.w_max {
            0..B => slowest,
            above if above < MOST * (B - 1) => cwnd * (B - 1) / above,
            _ => cwnd / MOST,
        };
        //= specs/papers/linux.md#bic
        //# at most 20 while there is no Wmax
        if self.w_max == 0 { per.min(FIRST_PER) } else { per }
    }

    fn per(&mut self, now: Time, cwnd: u32) -> u32 {
        let ms = now.0 / 1_000_000;
        //= specs/papers/linux.md#bic
        //# While the window is the same it is computed every 32nd of a second.
        if self.computed.is_none_or(|(window, at)| window != cwnd || ms > at + UNCHANGED_MS) {
            self.computed = Some((cwnd, ms));
            //= specs/papers/linux.md#bic
            //# divided by what an ACK acknowledges, the mean of 16
            let low = cwnd <= LOW_WINDOW;
            self.per = if low { cwnd } else { (self.search(cwnd) * 16 / self.covered.max(1)).max(1) };
        }
        self.per
    }
}

impl CongestionControl for BicLinux {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        if replace(&mut self.state, State::after(ack)) == State::Open {
            //= specs/papers/linux.md#bic
            //# Of these, the ACK that ends a recovery does not count, and the first duplicate counts as nothing.
            self.covered = self.covered + linux::newly(ack, path.mss) - self.covered / 16;
        }
        if !ack.grows {
            return;
        }
        let (cwnd, ssthresh) = (linux::segments(self.cwnd, path.mss), linux::segments(self.ssthresh, path.mss));
        let acked = linux::acked(ack, cwnd < ssthresh, path.mss);
        let (mut cwnd, rest) = linux::slow_start(cwnd, ssthresh, acked);
        if rest > 0 {
            let per = self.per(ack.now, cwnd);
            cwnd = self.count.grow(cwnd, per, rest);
        }
        self.cwnd = f64::from(cwnd) * path.mss;
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let cwnd = linux::segments(self.cwnd, path.mss);
        //= specs/papers/linux.md#bic
        //# Wmax = cwnd * (1024 + 819) / 2048 if the window is below Wmax, else cwnd; none after a timeout
        self.w_max = match event.cause {
            Cause::Rto => 0,
            _ if cwnd < self.w_max => cwnd * (1024 + KEEP) / 2048,
            _ => cwnd,
        };
        (self.computed, self.count) = (None, Count::default());
        if event.cause == Cause::Rto {
            self.covered = 2 * 16;
        }
        //= specs/papers/linux.md#bic
        //# A cut keeps 819/1024, and half of a window of at most 14.
        let kept = if cwnd <= LOW_WINDOW { cwnd / 2 } else { cwnd * KEEP / 1024 };
        self.set_windows(linux::cut(event, kept, self.windows(), path.mss));
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("w_max_segments", f64::from(self.w_max));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};

    fn at(segments: f64) -> BicLinux {
        let mut bic = BicLinux::default();
        bic.on_init(Bytes(segments * 1000.0), Bytes(2000.0), &test_path());
        bic
    }

    #[test]
    fn the_search_below_the_old_window_and_the_probe_beyond_it() {
        let bic = BicLinux { w_max: 200, ..at(160.0) };
        // (200 - 160) / 4 = 10: 160 / 10; (200 - 180) / 4 = 5: 36; 3 / 4 = 0: 5 * 197
        assert_eq!([160, 180, 197].map(|w| bic.search(w)), [16, 36, 985]);
        // 3 beyond: 5 * 203; 12 beyond: 3 * 212 / 12; 48 beyond: 248 / 16
        assert_eq!([203, 212, 248].map(|w| bic.search(w)), [1015, 53, 15]);
        // (1000 - 160) / 4 is more than 16
        assert_eq!(BicLinux { w_max: 1000, ..bic }.search(160), 10);
        // without an old window 100 / 16 = 6, and 17: 3 * 17 / 17
        assert_eq!([100, 17].map(|w| at(20.0).search(w)), [6, 3]);
    }

    #[test]
    fn what_an_ack_covers_divides_the_count() {
        // two per ACK at first, now seven: 32 + 7 - 2 = 37, 160 / 10 * 16 / 37 = 6, and seven are one segment
        let mut bic = BicLinux { w_max: 200, ..at(160.0) };
        bic.on_ack(&ack(7000.0), &test_path());
        assert_eq!((bic.cwnd(), bic.covered), (Bytes(161_000.0), 37));
        let mut bic = BicLinux { w_max: 200, covered: 40, ..at(160.0) };
        assert_eq!(bic.per(Time::from_secs(1.0), 160), 6);
        // an ACK per segment: 16
        bic.covered = 16;
        assert_eq!(bic.per(Time::from_secs(1.031), 160), 6);
        assert_eq!(bic.per(Time::from_secs(1.032), 160), 16);
        // not that of a small window
        assert_eq!(bic.per(Time::from_secs(2.0), 14), 14);
        (0..200).for_each(|_| bic.on_ack(&ack(1000.0), &test_path()));
        assert_eq!(bic.covered, 16);
    }

    #[test]
    fn cuts() {
        let mut bic = at(200.0);
        bic.on_congestion(&dup_acks(), &test_path());
        // 200 * 819 / 1024 = 159.96
        assert_eq!((bic.cwnd(), bic.w_max), (Bytes(159_000.0), 200));
        bic.on_congestion(&dup_acks(), &test_path());
        // 159 * 1843 / 2048 = 143.08
        assert_eq!((bic.cwnd(), bic.w_max), (Bytes(127_000.0), 143));
        bic.on_congestion(&rto(1), &test_path());
        assert_eq!((bic.cwnd(), bic.w_max), (Bytes(1000.0), 0));
        let mut small = at(14.0);
        small.on_congestion(&dup_acks(), &test_path());
        assert_eq!(small.cwnd(), 7000.0);
    }
}
