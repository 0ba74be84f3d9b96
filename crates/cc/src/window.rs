//! The two windows of a sender, and what a share of them is.

use units::{Bytes, num};

use crate::Path;

/// Congestion window and slow start threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Windows {
    /// Congestion window.
    pub cwnd: Bytes,
    /// Slow start threshold.
    pub ssthresh: Bytes,
}

/// What a halving starts from, and how it rounds. True at one moment only, so it comes with the event that needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Halving {
    base: Bytes,
    /// What is kept is no more than this.
    most: Bytes,
    mss: Bytes,
    whole_ssthresh: bool,
}

impl Path {
    /// A halving that starts from `base`, by the rules of this connection.
    #[inline]
    pub fn halving(&self, base: Bytes) -> Halving {
        Halving { base, most: Bytes(f64::INFINITY), mss: self.mss, whole_ssthresh: self.whole_ssthresh }
    }
}

impl Halving {
    /// The same, where whatever share is kept is no more than the window was.
    pub fn to_at_most(self, cwnd: Bytes) -> Halving {
        Halving { most: cwnd, ..self }
    }

    /// What it starts from: by the profile the flight size (RFC 5681), or min(cwnd, rwnd) (ns-2).
    pub fn base(&self) -> Bytes {
        self.base
    }

    /// The windows that keep `share` of the base: one to recover with, and a threshold of at least two segments. By
    /// ns-2's rules the threshold is whole segments, and the window may go down to one.
    #[inline]
    pub fn keep(&self, share: f64) -> Windows {
        let kept = (self.base * share).min(self.most);
        let floor = 2.0 * self.mss;
        if self.whole_ssthresh {
            let whole = num::floor(kept.over(self.mss)) * self.mss;
            Windows { cwnd: kept.max(self.mss), ssthresh: whole.max(floor) }
        } else {
            let kept = kept.max(floor);
            Windows { cwnd: kept, ssthresh: kept }
        }
    }
}

/// Writes `windows` and `set_windows` for the fields `cwnd` and `ssthresh` of `self`, or of the field named (`core.`).
macro_rules! window_methods {
    ($($part:ident .)*) => {
        #[inline]
        fn windows(&self) -> crate::Windows {
            crate::Windows { cwnd: self.$($part.)*cwnd, ssthresh: self.$($part.)*ssthresh }
        }

        #[inline]
        fn set_windows(&mut self, windows: crate::Windows) {
            self.$($part.)*cwnd = windows.cwnd;
            self.$($part.)*ssthresh = windows.ssthresh;
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;

    #[test]
    fn half_of_seven_segments() {
        let mut path = test_path();
        // RFC 5681: 3.5 segments for both
        let both = Bytes(3500.0);
        assert_eq!(path.halving(Bytes(7000.0)).keep(0.5), Windows { cwnd: both, ssthresh: both });
        // ns-2: the threshold counts whole segments
        path.whole_ssthresh = true;
        assert_eq!(path.halving(Bytes(7000.0)).keep(0.5), Windows { cwnd: both, ssthresh: Bytes(3000.0) });
    }

    #[test]
    fn half_of_three_segments_is_clamped() {
        let mut path = test_path();
        let least = Bytes(2000.0);
        assert_eq!(path.halving(Bytes(3000.0)).keep(0.5), Windows { cwnd: least, ssthresh: least });
        path.whole_ssthresh = true;
        assert_eq!(path.halving(Bytes(3000.0)).keep(0.5), Windows { cwnd: Bytes(1500.0), ssthresh: least });
    }
}
