//! Reno as Linux has it: the window counts whole segments, and a cut halves the window, not the flight.
//! Source: Linux 6.1, restated in specs/papers/linux.md.
use units::Bytes;

use crate::linux::{self, Count};
use crate::{Ack, Congestion, CongestionControl, Path, Response};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    whether the window is in use, and when a cut is due, is the engine's rule; a cut starts from the window whatever \
    the profile halves.";

/// State of Linux's Reno.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RenoLinux {
    cwnd: Bytes,
    ssthresh: Bytes,
    count: Count,
}

impl CongestionControl for RenoLinux {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        if ack.grows {
            let (cwnd, ssthresh) = (linux::segments(self.cwnd, path.mss), linux::segments(self.ssthresh, path.mss));
            let acked = linux::acked(ack, cwnd < ssthresh, path.mss);
            let (cwnd, rest) = linux::slow_start(cwnd, ssthresh, acked);
            self.cwnd = f64::from(self.count.grow(cwnd, cwnd, rest)) * path.mss;
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        self.count = Count::default();
        //= specs/papers/linux.md#cuts
        //# Reno keeps half of the window, rounded down
        let half = linux::segments(self.cwnd, path.mss) / 2;
        self.set_windows(linux::cut(event, half, self.windows(), path.mss));
        Response::Reduced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};

    fn at(cwnd: f64, ssthresh: f64) -> RenoLinux {
        let mut reno = RenoLinux::default();
        reno.on_init(Bytes(cwnd), Bytes(ssthresh), &test_path());
        reno
    }

    #[test]
    fn ten_acknowledged_segments_add_one_to_ten() {
        let mut reno = at(10_000.0, 2000.0);
        for n in 1..=21 {
            reno.on_ack(&ack(1000.0), &test_path());
            // one after 10, the next after 11 more
            assert_eq!(reno.cwnd(), 10_000.0 + 1000.0 * f64::from(n / 10).min(1.0) + f64::from(n / 21) * 1000.0, "{n}");
        }
        reno.on_ack(&Ack { grows: false, ..ack(9000.0) }, &test_path());
        assert_eq!((reno.cwnd(), reno.count), (Bytes(12_000.0), Count::default()));
    }

    #[test]
    fn slow_start_stops_at_ssthresh() {
        let mut reno = at(9000.0, 10_000.0);
        // of three segments one goes to slow start, two are counted
        reno.on_ack(&ack(3000.0), &test_path());
        assert_eq!(reno.cwnd(), 10_000.0);
        reno.on_ack(&ack(8000.0), &test_path());
        assert_eq!(reno.cwnd(), 11_000.0);
    }

    #[test]
    fn a_cut_halves_the_window_and_forgets_the_count() {
        let mut reno = at(15_000.0, 2000.0);
        reno.on_ack(&ack(14_000.0), &test_path());
        // 15 / 2, rounded down; the flight of 10 does not matter
        reno.on_congestion(&dup_acks(), &test_path());
        assert_eq!((reno.cwnd(), reno.ssthresh()), (Bytes(7000.0), Bytes(7000.0)));
        reno.on_ack(&ack(6000.0), &test_path());
        assert_eq!(reno.cwnd(), 7000.0);
        reno.on_congestion(&rto(1), &test_path());
        assert_eq!((reno.cwnd(), reno.ssthresh()), (Bytes(1000.0), Bytes(3000.0)));
        reno.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }, &test_path());
        assert_eq!(reno.ssthresh(), 3000.0);
    }
}
