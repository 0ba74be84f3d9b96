//! Events for the tests of algorithms: legal defaults, to be changed field by field.

use units::{Bytes, Span, Time};

use crate::{Ack, Cause, Congestion};

/// An ACK of `newly_acked` bytes at t = 1 s that may grow the window, with an RTT of 100 ms.
pub(crate) fn ack(newly_acked: f64) -> Ack {
    Ack {
        now: Time::from_secs(1.0),
        newly_acked: Bytes(newly_acked),
        grows: newly_acked > 0.0,
        in_recovery: false,
        rtt: Some(Span::from_millis(100)),
        receiver_time: None,
        marked: false,
        round: None,
    }
}

/// The threshold of duplicate ACKs, reached at t = 1 s.
pub(crate) fn dup_acks() -> Congestion {
    Congestion {
        now: Time::from_secs(1.0),
        cause: Cause::DupAcks,
        cut_already: false,
        timeouts: 0,
        retransmitted: false,
        sent_at: Some(Time::from_secs(0.9)),
        hold_ssthresh: false,
    }
}

/// The `timeouts`-th expiry in a row, at t = 2 s.
pub(crate) fn rto(timeouts: u32) -> Congestion {
    Congestion { now: Time::from_secs(2.0), cause: Cause::Rto, timeouts, ..dup_acks() }
}
