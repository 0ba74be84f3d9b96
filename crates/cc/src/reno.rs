//! TCP Reno's window: slow start, congestion avoidance, halving. Tahoe, Reno, NewReno and SACK share it; they differ
//! only in the recovery core that the registry names for them.
//! Source: RFC 5681; Jacobson 1988.
use units::Bytes;

use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response, Windows};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    what an ACK counts for is the engine's rule (`ss_count`, `ca_count`), and the same for every algorithm; the \
    window grows at each ACK by that share of a segment, not by a whole one once per window; overshoot of ssthresh \
    allowed, `cwnd == ssthresh` is congestion avoidance; with `abe` a mark counts less than a loss, but not in slow start.";

/// State of Reno and its siblings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reno {
    cwnd: Bytes,
    ssthresh: Bytes,
    /// Tahoe: start over with one segment after duplicate ACKs, too.
    tahoe: bool,
    /// Share that a mark leaves in congestion avoidance, if it is another than that of a loss.
    abe: Option<f64>,
}

/// Reno's increase for one ACK that may grow the window.
#[inline]
pub fn increase(cwnd: Bytes, ssthresh: Bytes, ack: &Ack, mss: Bytes) -> Bytes {
    if cwnd < ssthresh {
        //= https://www.rfc-editor.org/rfc/rfc3465#section-2.2
        //# a TCP sender SHOULD increase cwnd by the number of previously unacknowledged bytes ACKed by each incoming
        //# acknowledgment, provided the increase is not more than L bytes.
        ack.slow_start
    } else {
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
        //# The RECOMMENDED way to increase cwnd during congestion avoidance is to count the number of bytes that have
        //# been acknowledged by ACKs for new data.
        mss * ack.avoidance.over(cwnd)
    }
}

/// The windows after a sign of congestion that keeps `share` of the halving base; a timeout leaves one segment, and
/// `ssthresh` as it is where the engine says so.
#[inline]
pub fn cut(event: &Congestion, path: &Path, share: f64, ssthresh: Bytes) -> Windows {
    let kept = event.keep(share);
    Windows {
        cwnd: if event.cause == Cause::Rto { path.mss } else { kept.cwnd },
        ssthresh: if event.hold_ssthresh { ssthresh } else { kept.ssthresh },
    }
}

/// The share that a mark leaves by ABE; `None`: that of a loss.
pub(crate) fn abe_share(abe: Option<f64>, event: &Congestion, windows: Windows) -> Option<f64> {
    //= specs/papers/abe.md#marks
    //# A mark in congestion avoidance leaves beta_ecn of the window instead of beta; in slow start it is as a loss.
    abe.filter(|_| event.cause == Cause::EcnMark && windows.cwnd >= windows.ssthresh)
}

impl Reno {
    /// Reno, NewReno or SACK.
    pub fn new() -> Reno {
        Reno::default()
    }

    /// The same with the parameters `abe` and `abe_beta`.
    pub fn with(config: &Config) -> Reno {
        Reno { abe: config.flag("abe").then(|| config.number("abe_beta")), ..Reno::default() }
    }

    /// Tahoe: no fast recovery.
    pub fn tahoe() -> Reno {
        Reno { tahoe: true, ..Reno::default() }
    }
}

impl CongestionControl for Reno {
    window_methods!();

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        if ack.grows {
            self.cwnd += increase(self.cwnd, self.ssthresh, ack, path.mss);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let half = event.keep(abe_share(self.abe, event, self.windows()).unwrap_or(0.5));
        if !event.hold_ssthresh {
            self.ssthresh = half.ssthresh;
        }
        self.cwnd = match event.cause {
            Cause::Rto => path.mss, // loss window, RFC 5681 section 3.1
            Cause::DupAcks if self.tahoe => path.mss,
            Cause::DupAcks | Cause::EcnMark => half.cwnd,
        };
        Response::Reduced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};

    fn at(cwnd: f64, ssthresh: f64) -> Reno {
        let mut reno = Reno::new();
        reno.on_init(Bytes(cwnd), Bytes(ssthresh), &test_path());
        reno
    }

    #[test]
    fn slow_start_adds_a_segment_per_ack() {
        let mut reno = at(2000.0, 8000.0);
        reno.on_ack(&ack(1000.0), &test_path());
        assert_eq!(reno.cwnd(), 3000.0);
    }

    #[test]
    fn congestion_avoidance_adds_one_over_cwnd() {
        // 10 segments, equality with ssthresh is congestion avoidance: 10 + 1/10
        let mut reno = at(10_000.0, 10_000.0);
        reno.on_ack(&ack(1000.0), &test_path());
        assert_eq!(reno.cwnd(), 10_100.0);
    }

    #[test]
    fn an_ack_that_may_not_grow_changes_nothing() {
        let mut reno = at(4000.0, 8000.0);
        reno.on_ack(&Ack { grows: false, ..ack(1000.0) }, &test_path());
        assert_eq!(reno.cwnd(), 4000.0);
    }

    #[test]
    fn duplicate_acks_halve_the_flight() {
        let mut reno = at(12_000.0, 64_000.0);
        // flight 10 segments: both become 5
        assert_eq!(reno.on_congestion(&dup_acks(), &test_path()), Response::Reduced);
        assert_eq!((reno.cwnd(), reno.ssthresh()), (Bytes(5000.0), Bytes(5000.0)));
    }

    #[test]
    fn timeout_starts_over_with_one_segment() {
        let mut reno = at(12_000.0, 64_000.0);
        reno.on_congestion(&rto(1), &test_path());
        assert_eq!((reno.cwnd(), reno.ssthresh()), (Bytes(1000.0), Bytes(5000.0)));
        // again for the same segment: RFC 5681 holds ssthresh
        reno.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }, &test_path());
        assert_eq!(reno.ssthresh(), 5000.0);
    }

    #[test]
    fn with_abe_a_mark_in_congestion_avoidance_leaves_four_fifths() {
        let mut config = Config::named("newreno").unwrap();
        config.set_flag("abe", true).unwrap();
        let mark = Congestion { cause: Cause::EcnMark, ..dup_acks() };
        // of a flight of 10; in slow start, and for a loss, half; without ABE half, too
        for (ssthresh, event, left) in
            [(2000.0, mark, 8000.0), (64_000.0, mark, 5000.0), (2000.0, dup_acks(), 5000.0), (2000.0, rto(1), 1000.0)]
        {
            let mut reno = Reno::with(&config);
            reno.on_init(Bytes(12_000.0), Bytes(ssthresh), &test_path());
            reno.on_congestion(&event, &test_path());
            assert_eq!(reno.cwnd(), left, "{ssthresh} {:?}", event.cause);
        }
        config.set_number("abe_beta", 0.85).unwrap();
        let mut reno = Reno { cwnd: Bytes(12_000.0), ..Reno::with(&config) };
        reno.on_congestion(&mark, &test_path());
        assert_eq!((reno.cwnd(), reno.ssthresh()), (Bytes(8500.0), Bytes(8500.0)));
    }

    #[test]
    fn tahoe_starts_over_after_duplicate_acks_too() {
        let mut tahoe = Reno::tahoe();
        tahoe.on_init(Bytes(12_000.0), Bytes(64_000.0), &test_path());
        tahoe.on_congestion(&dup_acks(), &test_path());
        assert_eq!((tahoe.cwnd(), tahoe.ssthresh()), (Bytes(1000.0), Bytes(5000.0)));
    }
}
