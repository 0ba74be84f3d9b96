//! Scalable TCP: a fixed share of the window is gained per round trip and lost per congestion, whatever the window.
//! Source: Kelly, ACM CCR 33(2), 2003, restated in specs/papers/scalable.md.
use units::Bytes;

use crate::{Ack, Config, Congestion, CongestionControl, Path, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    a segment that an ACK counts for (`ca_count`) is what the paper calls an ACK; the window at a loss decides \
    whether the loss halves; a timeout sets ssthresh by the same share; a cut keeps a share of the profile's halving \
    base (flight size); a mark is treated as a loss.";

/// State of Scalable TCP.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalable {
    cwnd: Bytes,
    ssthresh: Bytes,
    a: f64,   // segments gained for each acknowledged
    b: f64,   // share given up
    low: f64, // segments up to which the window is Reno's
}

impl Scalable {
    /// Parameters `scalable_a`, `scalable_b`, `scalable_low_window`.
    pub fn new(config: &Config) -> Scalable {
        Scalable {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            a: config.number("scalable_a"),
            b: config.number("scalable_b"),
            low: config.number("scalable_low_window"),
        }
    }
}

impl CongestionControl for Scalable {
    window_methods!();

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        if ack.grows {
            self.cwnd += if self.cwnd < self.ssthresh || self.cwnd <= self.low * path.mss {
                reno::increase(self.cwnd, self.ssthresh, ack, path.mss)
            } else {
                //= specs/papers/scalable.md#window
                //# cwnd = cwnd + a
                self.a * ack.avoidance
            };
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        //= specs/papers/scalable.md#window
        //# cwnd = cwnd - b * cwnd
        let kept = if self.cwnd <= self.low * path.mss { 0.5 } else { 1.0 - self.b };
        self.set_windows(reno::cut(event, path, kept, self.ssthresh));
        Response::Reduced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, dup_acks, full, rto};

    fn at(segments: f64) -> (Scalable, Path) {
        full(Scalable::new(&Config::named("scalable").unwrap()), segments)
    }

    #[test]
    fn up_to_16_segments_it_is_reno() {
        let (mut scalable, path) = at(16.0);
        scalable.on_ack(&ack(1000.0), &path);
        assert_eq!(scalable.cwnd(), 16_062.5); // 1/16
        let (mut scalable, path) = at(16.0);
        scalable.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(scalable.cwnd(), 8000.0);
    }

    #[test]
    fn above_it_each_ack_adds_a_hundredth_and_a_loss_takes_an_eighth() {
        let (mut scalable, path) = at(400.0);
        scalable.on_ack(&ack(1000.0), &path);
        assert_eq!(scalable.cwnd(), 400_010.0); // Reno would add 2.5 bytes
        scalable.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!((scalable.cwnd(), scalable.ssthresh()), (Bytes(350_000.0), Bytes(350_000.0)));
    }

    #[test]
    fn at_ssthresh_slow_start_is_over() {
        let (mut scalable, path) = at(400.0);
        scalable.on_init(Bytes(400_000.0), Bytes(400_000.0), &path);
        scalable.on_ack(&ack(1000.0), &path);
        assert_eq!(scalable.cwnd(), 400_010.0);
    }

    #[test]
    fn slow_start_is_renos_at_any_window() {
        let (mut scalable, path) = at(400.0);
        scalable.on_congestion(&rto(1).of_flight(&path), &path);
        assert_eq!((scalable.cwnd(), scalable.ssthresh()), (Bytes(1000.0), Bytes(350_000.0)));
        scalable.set_cwnd(Bytes(100_000.0));
        scalable.on_ack(&ack(1000.0), &path);
        assert_eq!(scalable.cwnd(), 101_000.0);
    }
}
