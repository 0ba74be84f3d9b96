//! What one ACK says about the rate at which the path delivers.

use units::{Bytes, Rate, Span};

/// A delivery rate sample, after draft-cheng-iccrg-delivery-rate-estimation-00. Amounts are payload. "The segment" is the
/// one sent last among those that this ACK reports for the first time, cumulatively or by SACK.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeliverySample {
    /// Delivered from when the segment was sent until now.
    pub delivered: Bytes,
    /// How long that took: the longer of sending and acknowledging it. Zero: no reliable sample.
    pub interval: Span,
    /// Delay of the segment, if it was sent once.
    pub rtt: Option<Span>,
    /// The application, or the algorithm itself, kept the rate below what the path could do.
    pub app_limited: bool,
    /// Reported by this ACK for the first time, cumulatively or by SACK.
    pub newly_delivered: Bytes,
    /// Delivered since the connection opened.
    pub total: Bytes,
    /// The same count when the segment was sent: a round trip is over when it reaches the total at the round's start.
    pub total_at_send: Bytes,
    /// In the network before this ACK.
    pub in_flight_before: Bytes,
    /// In the network after this ACK.
    pub in_flight: Bytes,
    /// Found lost by this ACK.
    pub lost: Bytes,
    /// Something sent before the last loss or timeout was found is still missing.
    pub repairing: bool,
}

impl DeliverySample {
    /// The delivery rate; `None`: the sample is not reliable.
    pub fn rate(&self) -> Option<Rate> {
        (self.interval > Span::ZERO).then(|| self.delivered.per(self.interval))
    }
}
