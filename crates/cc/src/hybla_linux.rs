//! Hybla as Linux computes it: an ACK counts once, however much it acknowledges; rho is rounded down; the first window
//! is rho. Source: Linux 6.1, restated in specs/papers/linux.md; Caini and Firrincieli 2004 has the ideas.
use units::{Bytes, Span, num};

use crate::{Ack, Cause, Congestion, CongestionControl, Path, Response, linux};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    a round trip of 25 ms is matched; rho from the least smoothed RTT; a cut starts from the window whatever the \
    profile halves.";

const RTT0: Span = Span::from_millis(25);
const MOST_RHO: u32 = 16;
/// A segment, in the parts in which growth is counted.
const WHOLE: u32 = 128;
/// What an ACK adds at most after slow start: no more than in it. Reached with round trips of minutes.
const MOST_PARTS: u64 = (WHOLE as u64) << MOST_RHO;

/// State of Linux's Hybla.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HyblaLinux {
    cwnd: Bytes,
    ssthresh: Bytes,
    /// Least smoothed RTT, from which the rest was made.
    least: Span,
    /// rho, 1/8.
    eighths: u32,
    /// 1/128 segments that have not added to the window yet.
    parts: u32,
    /// ACKs since the window grew, that add less than a segment.
    idle: u32,
    /// Segments acknowledged since the connection opened, and how many must be for a timeout to be repaired.
    total: u64,
    repaired: u64,
}

impl HyblaLinux {
    fn learn(&mut self, srtt: Span) {
        if srtt == Span::ZERO || (self.least != Span::ZERO && srtt >= self.least) {
            return;
        }
        self.least = srtt;
        //= specs/papers/linux.md#hybla
        //# rho = max(srtt / 25 ms, 1) in eighths, rounded down
        self.eighths = ((8 * srtt.0 / RTT0.0) as u32).max(8);
    }

    /// What an ACK adds in slow start, 1/128 segments.
    fn slow_start(&self) -> u32 {
        //= specs/papers/linux.md#hybla
        //# 2^rho - 1 of which the whole part of rho counts up to 16
        let fraction = num::pow(2.0, f64::from(self.eighths % 8) / 8.0);
        let fraction = num::floor(f64::from(WHOLE) * fraction) as u32;
        (fraction << (self.eighths / 8).min(MOST_RHO)) - WHOLE
    }

    /// The same after it, with a window of `cwnd`.
    fn avoidance(&self, cwnd: u32) -> u32 {
        //= specs/papers/linux.md#hybla
        //# rho^2 / cwnd in 1/128, rounded down
        let parts = 2 * u64::from(self.eighths).pow(2) / u64::from(cwnd);
        parts.min(MOST_PARTS) as u32
    }
}

impl CongestionControl for HyblaLinux {
    window_methods!();

    fn on_init(&mut self, cwnd: Bytes, ssthresh: Bytes, path: &Path) {
        (self.cwnd, self.ssthresh) = (cwnd, ssthresh);
        self.learn(path.srtt);
        if self.eighths > 0 {
            //= specs/papers/linux.md#hybla
            //# The first window is the whole part of rho.
            self.cwnd = f64::from(self.eighths / 8) * path.mss;
        }
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        let newly = linux::newly(ack, path.mss);
        self.total += u64::from(newly);
        if ack.in_recovery || newly == 0 {
            return;
        }
        //= specs/papers/linux.md#hybla
        //# The smoothed RTT is looked at outside recovery only
        self.learn(path.srtt);
        if !ack.grows || self.eighths == 0 {
            return;
        }
        let (mut cwnd, ssthresh) = (linux::segments(self.cwnd, path.mss), linux::segments(self.ssthresh, path.mss));
        let slow = cwnd < ssthresh;
        if ack.gap || self.total < self.repaired {
            //= specs/papers/linux.md#hybla
            //# while a gap is open, or a timeout is repaired, the window grows as Reno's
            let rest = linux::acked(ack, slow, path.mss);
            (cwnd, self.idle) = linux::reno(cwnd, ssthresh, self.idle, rest);
            self.cwnd = f64::from(cwnd) * path.mss;
            return;
        }
        let add = if slow { self.slow_start() } else { self.avoidance(cwnd) };
        self.idle += u32::from(!slow && add < WHOLE);
        self.parts += add % WHOLE;
        cwnd += add / WHOLE;
        if self.parts >= WHOLE {
            self.parts -= WHOLE;
            cwnd += 1;
            self.idle = 0;
        }
        //= specs/papers/linux.md#hybla
        //# where that is nothing, one segment per window of ACKs
        if add == 0 && self.idle >= cwnd {
            cwnd += 1;
            self.idle = 0;
        }
        self.cwnd = f64::from(if slow { cwnd.min(ssthresh) } else { cwnd }) * path.mss;
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let half = linux::segments(self.cwnd, path.mss) / 2;
        self.idle = 0;
        if event.cause == Cause::Rto {
            self.repaired = self.total + u64::from(linux::count(path.flight_size, path.mss));
        }
        self.set_windows(linux::cut(event, half, self.windows(), path.mss));
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("rho_ratio", f64::from(self.eighths) / 8.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};

    /// With a smoothed RTT of so many milliseconds.
    fn at(segments: f64, ssthresh: f64, rtt_ms: u64) -> (HyblaLinux, Path) {
        let path = Path { srtt: Span::from_millis(rtt_ms), ..test_path() };
        let mut hybla = HyblaLinux::default();
        hybla.on_init(Bytes(10_000.0), Bytes(ssthresh * 1000.0), &path);
        hybla.set_cwnd(Bytes(segments * 1000.0));
        (hybla, path)
    }

    #[test]
    fn the_first_window_is_rho() {
        // 110 / 25 = 4.4: 35 eighths
        let path = Path { srtt: Span::from_millis(110), ..test_path() };
        let mut hybla = HyblaLinux::default();
        hybla.on_init(Bytes(10_000.0), Bytes(1e9), &path);
        assert_eq!((hybla.cwnd(), hybla.eighths), (Bytes(4000.0), 35));
        // a lower smoothed RTT counts, a higher one does not
        hybla.learn(Span::from_millis(120));
        hybla.learn(Span::from_millis(100));
        assert_eq!(hybla.eighths, 32);
    }

    #[test]
    fn slow_start_adds_for_each_ack() {
        // rho 4: 15 segments, whatever the ACK acknowledges, and no further than ssthresh
        let (mut hybla, path) = at(10.0, 30.0, 100);
        hybla.on_ack(&ack(2000.0), &path);
        assert_eq!(hybla.cwnd(), 25_000.0);
        hybla.on_ack(&ack(2000.0), &path);
        assert_eq!(hybla.cwnd(), 30_000.0);
        // rho 4.375: 165 * 16 - 128 = 2512 parts, 19 segments and 80
        let (hybla, _) = at(10.0, 30.0, 110);
        assert_eq!(hybla.slow_start(), 2512);
    }

    #[test]
    fn afterwards_rho_squared_over_the_window() {
        // 2 * 32 * 32 / 30 = 68 parts: a segment with the second ACK
        let (mut hybla, path) = at(30.0, 2.0, 100);
        hybla.on_ack(&ack(2000.0), &path);
        assert_eq!(hybla.cwnd(), 30_000.0);
        hybla.on_ack(&ack(2000.0), &path);
        assert_eq!((hybla.cwnd(), hybla.parts), (Bytes(31_000.0), 8));
        // rho 1: 128 / 129 is nothing, so one for 129 ACKs
        let (mut hybla, path) = at(129.0, 2.0, 10);
        (0..128).for_each(|_| hybla.on_ack(&ack(2000.0), &path));
        assert_eq!(hybla.cwnd(), 129_000.0);
        hybla.on_ack(&ack(2000.0), &path);
        assert_eq!(hybla.cwnd(), 130_000.0);
    }

    #[test]
    fn round_trips_of_hours_add_what_slow_start_would() {
        let (mut hybla, path) = at(2.0, 2.0, 7_200_000);
        hybla.on_ack(&ack(2000.0), &path);
        assert_eq!(hybla.cwnd(), 1000.0 * (2.0 + 65_536.0));
    }

    #[test]
    fn cuts_are_those_of_reno() {
        let (mut hybla, path) = at(15.0, 2.0, 100);
        hybla.on_congestion(&dup_acks(), &path);
        assert_eq!((hybla.cwnd(), hybla.ssthresh()), (Bytes(7000.0), Bytes(7000.0)));
        hybla.on_congestion(&rto(1), &path);
        assert_eq!((hybla.cwnd(), hybla.ssthresh()), (Bytes(1000.0), Bytes(3000.0)));
    }
}
