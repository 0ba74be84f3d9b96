//! TCP Hybla: a flow with a long round trip grows as fast, in time, as one with a short one.
//! Source: Caini and Firrincieli, Int. J. Satellite Communications and Networking 22, 2004, restated in
//! specs/papers/hybla.md.
use units::{Bytes, Span, num};

use crate::{Ack, Config, Congestion, CongestionControl, Path, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    rho from the least RTT (`hybla_rtt`); slow start stops at ssthresh exactly, because one step can be many windows \
    long, and its rho is bounded (`hybla_slow_start_rho`); the initial window is the profile's, not rho times as \
    large; no pacing; a mark is treated as a loss.";

/// State of Hybla.
#[derive(Clone, Debug, PartialEq)]
pub struct Hybla {
    cwnd: Bytes,
    ssthresh: Bytes,
    rtt0: Span,
    smoothed: bool,
    rho_limit: f64,
    rtt: Span,       // from which the rest was made
    slow_start: f64, // segments per ACK
    squared: f64,    // rho^2
}

impl Hybla {
    /// Parameters `hybla_rtt0`, `hybla_rtt`, `hybla_slow_start_rho`.
    pub fn new(config: &Config) -> Hybla {
        Hybla {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            rtt0: Span::from_secs(config.number("hybla_rtt0")),
            smoothed: config.choice("hybla_rtt") == "srtt",
            rho_limit: config.number("hybla_slow_start_rho"),
            rtt: Span::ZERO,
            slow_start: 1.0,
            squared: 1.0,
        }
    }

    fn learn(&mut self, rtt: Span) {
        self.rtt = rtt;
        //= specs/papers/hybla.md#normalised-round-trip-time
        //# rho = max(RTT / RTT0, 1)
        let rho = (rtt.secs() / self.rtt0.secs()).max(1.0);
        //= specs/papers/hybla.md#increase
        //# 2^rho - 1
        self.slow_start = num::pow(2.0, rho.min(self.rho_limit)) - 1.0;
        self.squared = rho * rho;
    }
}

impl CongestionControl for Hybla {
    window_methods!();

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        // the smoothed RTT changes with every ACK: once per round is enough
        let rtt = if !self.smoothed {
            path.rtt_min
        } else if ack.round.is_some() || self.rtt == Span::ZERO {
            path.srtt
        } else {
            self.rtt
        };
        if rtt != self.rtt {
            self.learn(rtt);
        }
        if !ack.grows {
            return;
        }
        if self.cwnd < self.ssthresh {
            self.cwnd = (self.cwnd + self.slow_start * ack.slow_start).min(self.ssthresh);
        } else {
            //= specs/papers/hybla.md#increase
            //# rho^2 / cwnd
            self.cwnd += self.squared * reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        self.set_windows(reno::cut(event, path, 0.5, self.ssthresh));
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("rho_ratio", num::sqrt(self.squared));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, full, rto};

    fn new() -> Hybla {
        Hybla::new(&Config::named("hybla").unwrap())
    }

    /// A path with this least RTT.
    fn long(rtt_ms: u64) -> Path {
        let rtt = Span::from_millis(rtt_ms);
        Path { rtt_min: rtt, rtt, srtt: rtt * 2, ..test_path() }
    }

    #[test]
    fn at_the_reference_round_trip_and_below_it_is_reno() {
        for rtt_ms in [25, 5] {
            let mut hybla = new();
            hybla.on_init(Bytes(2000.0), Bytes(3000.0), &test_path());
            hybla.on_ack(&ack(1000.0), &long(rtt_ms));
            assert_eq!(hybla.cwnd(), 3000.0);
            hybla.on_ack(&ack(1000.0), &long(rtt_ms));
            assert!((hybla.cwnd().0 - 3333.333).abs() < 0.001);
        }
    }

    #[test]
    fn four_times_the_round_trip() {
        let mut hybla = new();
        hybla.on_init(Bytes(2000.0), Bytes(50_000.0), &test_path());
        // 100 ms: rho = 4, 2^4 - 1 = 15 per ACK
        hybla.on_ack(&ack(1000.0), &long(100));
        assert_eq!(hybla.cwnd(), 17_000.0);
        hybla.on_ack(&ack(1000.0), &long(100));
        hybla.on_ack(&ack(1000.0), &long(100));
        // 32, then 47; the next step stops at ssthresh
        hybla.on_ack(&ack(1000.0), &long(100));
        assert_eq!(hybla.cwnd(), 50_000.0);
        // rho^2 / cwnd = 16/50
        hybla.on_ack(&ack(1000.0), &long(100));
        assert_eq!(hybla.cwnd(), 50_320.0);
    }

    #[test]
    fn a_satellite_is_bounded_in_slow_start_only() {
        let mut hybla = new();
        hybla.on_init(Bytes(2000.0), Bytes(1e9), &test_path());
        // 600 ms: rho = 24, in slow start 16: 2^16 - 1 segments
        hybla.on_ack(&ack(1000.0), &long(600));
        assert_eq!(hybla.cwnd(), 65_537_000.0);
        let (mut hybla, path) = full(hybla, 100.0);
        hybla.on_ack(&ack(1000.0), &Path { rtt_min: Span::from_millis(600), ..path });
        assert_eq!(hybla.cwnd(), 105_760.0); // 24^2 / 100 = 5.76
    }

    #[test]
    fn rho_may_follow_the_smoothed_rtt_once_per_round() {
        let mut config = Config::named("hybla").unwrap();
        config.set_choice("hybla_rtt", "srtt").unwrap();
        let (mut hybla, _) = full(Hybla::new(&config), 100.0);
        // SRTT 200 ms: rho = 8
        hybla.on_ack(&ack(1000.0), &long(100));
        assert_eq!(hybla.squared, 64.0);
        hybla.on_ack(&ack(1000.0), &long(50));
        assert_eq!(hybla.squared, 64.0);
        hybla.on_ack(&crate::testing::last_of_round(1000.0), &long(50));
        assert_eq!(hybla.squared, 16.0);
    }

    #[test]
    fn losses_halve() {
        let (mut hybla, path) = full(new(), 100.0);
        hybla.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!((hybla.cwnd(), hybla.ssthresh()), (Bytes(50_000.0), Bytes(50_000.0)));
        hybla.on_congestion(&rto(1).of_flight(&path), &path);
        assert_eq!(hybla.cwnd(), 1000.0);
    }
}
