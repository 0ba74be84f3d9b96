//! The engine's view of the path, which algorithms read and never write.

use units::{Bytes, Span, num};

/// What the engine knows about the connection. The default knows nothing, not even the segment size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Path {
    /// Sender's maximum segment size, payload bytes (SMSS).
    pub mss: Bytes,
    /// Smoothed RTT (RFC 6298); zero before the first sample. Clock ticks apply if the profile has them.
    pub srtt: Span,
    /// Newest delay sample, by the rule of [`crate::Ack::rtt`]; zero before the first.
    pub rtt: Span,
    /// Least delay of the connection, exact; zero before the first. ACKs that the receiver held back count here, too.
    pub rtt_min: Span,
    /// Sent and not cumulatively acknowledged (RFC 5681 FlightSize).
    pub flight_size: Bytes,
    /// Receiver's window.
    pub rwnd: Bytes,
    /// What a halving starts from, brought up to date for [`crate::CongestionControl::on_congestion`] only: the flight size (RFC 5681) or min(cwnd, rwnd) (ns-2), by profile.
    pub half_base: Bytes,
    /// Retransmission timeout without back-off, brought up to date for `on_congestion` and at handovers only.
    pub rto: Span,
    /// ssthresh counts whole segments (ns-2).
    pub whole_ssthresh: bool,
    /// Duplicate-ACK threshold, segments.
    pub dup_threshold: u32,
    /// Number that belongs to this sender of this run, for algorithms that choose at random: equal runs, equal numbers.
    pub seed: u64,
}

/// The windows after a halving.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Halved {
    /// Window to recover with.
    pub cwnd: Bytes,
    /// Threshold, at least two segments.
    pub ssthresh: Bytes,
}

impl Path {
    /// The windows after keeping `share` of the halving base; `0.5` is Reno's halving. ssthresh is at least two
    /// segments. Under ns-2's rules ssthresh is whole segments and the window may go down to one.
    #[inline]
    pub fn keep(&self, share: f64) -> Halved {
        let kept = self.half_base * share;
        let floor = 2.0 * self.mss;
        if self.whole_ssthresh {
            let whole = num::floor(kept.over(self.mss)) * self.mss;
            Halved { cwnd: kept.max(self.mss), ssthresh: whole.max(floor) }
        } else {
            let kept = kept.max(floor);
            Halved { cwnd: kept, ssthresh: kept }
        }
    }

    /// Bandwidth-delay product of an estimate, at least two segments: the `max(2, BWE RTTmin / MSS)` of the Westwood
    /// and Jersey families.
    #[inline]
    pub fn pipe(&self, bwe: units::Rate, rtt: Span) -> Bytes {
        (bwe * rtt).max(2.0 * self.mss)
    }
}

#[cfg(test)]
pub(crate) fn test_path() -> Path {
    Path {
        mss: Bytes(1000.0),
        srtt: Span::from_millis(100),
        rtt: Span::from_millis(100),
        rtt_min: Span::from_millis(100),
        flight_size: Bytes(10_000.0),
        rwnd: Bytes(1e9),
        half_base: Bytes(10_000.0),
        rto: Span::from_millis(300),
        whole_ssthresh: false,
        dup_threshold: 3,
        seed: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_seven_segments() {
        let mut path = test_path();
        path.half_base = Bytes(7000.0);
        // RFC 5681: 3.5 segments for both
        assert_eq!(path.keep(0.5), Halved { cwnd: Bytes(3500.0), ssthresh: Bytes(3500.0) });
        // ns-2: the threshold counts whole segments
        path.whole_ssthresh = true;
        assert_eq!(path.keep(0.5), Halved { cwnd: Bytes(3500.0), ssthresh: Bytes(3000.0) });
    }

    #[test]
    fn half_of_three_segments_is_clamped() {
        let mut path = test_path();
        path.half_base = Bytes(3000.0);
        assert_eq!(path.keep(0.5), Halved { cwnd: Bytes(2000.0), ssthresh: Bytes(2000.0) });
        path.whole_ssthresh = true;
        assert_eq!(path.keep(0.5), Halved { cwnd: Bytes(1500.0), ssthresh: Bytes(2000.0) });
    }
}
