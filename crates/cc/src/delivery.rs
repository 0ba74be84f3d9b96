//! What one ACK says about the rate at which the path delivers.

use units::{Bytes, Rate, Span};

/// A delivery rate sample, after draft-cheng-iccrg-delivery-rate-estimation-00. Amounts are segments of one MSS. "The
/// segment" is the one sent last among those that this ACK reports for the first time, cumulatively or by SACK.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeliverySample {
    /// Delivered from when the segment was sent until now.
    pub delivered: u32,
    /// How long that took: the longer of sending and acknowledging it. Zero: no reliable sample.
    pub interval: Span,
    /// Delay of the segment, if it was sent once and nothing that was sent again is acknowledged with it.
    pub rtt: Option<Span>,
    /// The application, or the algorithm itself, kept the rate below what the path could do.
    pub app_limited: bool,
    /// Reported by this ACK for the first time, cumulatively or by SACK.
    pub newly_delivered: u32,
    /// Delivered since the connection opened.
    pub total: u32,
    /// The same count when the segment was sent: a round trip is over when it reaches the total at the round's start.
    pub total_at_send: u32,
    /// In the network before this ACK.
    pub in_flight_before: u32,
    /// In the network after this ACK.
    pub in_flight: u32,
    /// Found lost by this ACK.
    pub lost: u32,
    /// Something sent before the last loss or timeout was found is still missing.
    pub repairing: bool,
}

impl DeliverySample {
    /// The delivery rate; `None`: the sample is not reliable.
    pub fn rate(&self, mss: Bytes) -> Option<Rate> {
        (self.interval > Span::ZERO).then(|| (f64::from(self.delivered) * mss).per(self.interval))
    }

    /// The rate is greater than that of `delivered` segments in `interval`, which is no division.
    #[inline]
    pub(crate) fn is_above(&self, delivered: u32, interval: Span) -> bool {
        u128::from(self.delivered) * u128::from(interval.0) > u128::from(delivered) * u128::from(self.interval.0)
    }
}
