//! What the algorithms of Linux have in common: windows of whole segments, and a count of acknowledged segments that
//! adds to the window one segment at a time. What its modules do, in our own words: specs/papers/linux.md.
use units::{Bytes, num};

use crate::{Ack, Cause, Congestion, Windows};

/// Segments acknowledged in congestion avoidance that have not added to the window yet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Count(u32);

impl Count {
    /// The window after `acked` segments more, where each `per` of them add one.
    pub(crate) fn grow(&mut self, cwnd: u32, per: u32, acked: u32) -> u32 {
        //= specs/papers/linux.md#growth
        //# A count that a smaller `per` finds full already adds one segment, and begins anew.
        let full = u32::from(self.0 >= per);
        let counted = if full > 0 { acked } else { self.0 + acked };
        //= specs/papers/linux.md#growth
        //# each `per` acknowledged segments add one to the window, and the rest is kept
        self.0 = counted % per;
        cwnd + full + counted / per
    }

    /// Whether the count was at `per` already, and begins anew without the `acked` segments; else they are added.
    pub(crate) fn fills(&mut self, per: u32, acked: u32) -> bool {
        let full = self.0 >= per;
        self.0 = if full { 0 } else { self.0 + acked };
        full
    }
}

/// Where a connection stands after an ACK. What an ACK tells of is judged by where it stood before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum State {
    #[default]
    Open,
    /// A segment is missing, and is not taken for lost yet.
    Disorder,
    Recovery,
}

impl State {
    pub(crate) fn after(ack: &Ack) -> State {
        if ack.in_recovery {
            State::Recovery
        } else if ack.gap {
            State::Disorder
        } else {
            State::Open
        }
    }
}

/// Whole segments.
pub(crate) fn count(bytes: Bytes, mss: Bytes) -> u32 {
    num::floor(bytes.over(mss) + 1e-9) as u32
}

/// Whole segments, at least one.
pub(crate) fn segments(bytes: Bytes, mss: Bytes) -> u32 {
    count(bytes, mss).max(1)
}

/// The window after slow start has taken what it may of `acked` segments, and how many are left.
pub(crate) fn slow_start(cwnd: u32, ssthresh: u32, acked: u32) -> (u32, u32) {
    //= specs/papers/linux.md#growth
    //# slow start takes the window up to `ssthresh`; what an ACK counts for beyond that counts in congestion avoidance
    let taken = acked.min(ssthresh.saturating_sub(cwnd));
    (cwnd + taken, acked - taken)
}

/// Reno's growth of a window by `acked` segments, with a count of those that have not added to it yet.
pub(crate) fn reno(cwnd: u32, ssthresh: u32, count: u32, acked: u32) -> (u32, u32) {
    let (cwnd, rest) = slow_start(cwnd, ssthresh, acked);
    let mut count = Count(count);
    if rest == 0 { (cwnd, count.0) } else { (count.grow(cwnd, cwnd, rest), count.0) }
}

/// What an ACK counts for, in segments.
pub(crate) fn acked(ack: &Ack, slow_start: bool, mss: Bytes) -> u32 {
    let counts = if slow_start { ack.slow_start } else { ack.avoidance };
    count(counts, mss)
}

/// Segments that it newly acknowledges.
pub(crate) fn newly(ack: &Ack, mss: Bytes) -> u32 {
    count(ack.newly_acked, mss)
}

/// The windows of a cut to `kept` segments: a timeout leaves one segment, and `ssthresh` where the engine says so.
pub(crate) fn cut(event: &Congestion, kept: u32, windows: Windows, mss: Bytes) -> Windows {
    let kept = f64::from(kept.max(2)) * mss;
    Windows {
        cwnd: if event.cause == Cause::Rto { mss } else { kept },
        ssthresh: if event.hold_ssthresh { windows.ssthresh } else { kept },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_count_adds_a_segment() {
        let mut count = Count::default();
        // 10 segments per one: 9 are too few, and 12 more make two with one left
        assert_eq!(count.grow(10, 10, 9), 10);
        assert_eq!(count.grow(10, 10, 12), 12);
        assert_eq!(count, Count(1));
        // 8 counted, and now 5 are enough: one for what was counted, whatever it was, then 11 are two more
        let mut count = Count(8);
        assert_eq!(count.grow(10, 5, 11), 13);
        assert_eq!(count, Count(1));
    }

    #[test]
    fn slow_start_leaves_what_it_cannot_take() {
        assert_eq!(slow_start(10, 100, 3), (13, 0));
        assert_eq!(slow_start(10, 12, 3), (12, 1));
        assert_eq!(slow_start(12, 12, 3), (12, 3));
    }

    #[test]
    fn segments_are_whole_and_never_none() {
        let mss = Bytes(1000.0);
        for (bytes, whole) in [(0.0, 1), (1999.0, 1), (2000.0, 2), (f64::INFINITY, u32::MAX)] {
            assert_eq!(segments(Bytes(bytes), mss), whole);
        }
        // a third of 3000 bytes, three times
        assert_eq!(segments(Bytes(1000.0 / 3.0 * 3.0 * 2.0), mss), 2);
    }
}
