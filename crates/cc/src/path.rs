//! The engine's view of the path, which algorithms read and never write.

use units::{Bytes, Rate, Span};

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
    /// ssthresh counts whole segments (ns-2).
    pub whole_ssthresh: bool,
    /// Segments leave spaced in time.
    pub paced: bool,
    /// Duplicate-ACK threshold, segments.
    pub dup_threshold: u32,
    /// Number that belongs to this sender of this run, for algorithms that choose at random: equal runs, equal numbers.
    pub seed: u64,
}

impl Path {
    /// Bandwidth-delay product of an estimate, at least two segments: the `max(2, BWE RTTmin / MSS)` of the Westwood
    /// and Jersey families.
    #[inline]
    pub fn pipe(&self, bwe: Rate, rtt: Span) -> Bytes {
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
        whole_ssthresh: false,
        paced: false,
        dup_threshold: 3,
        seed: 1,
    }
}
