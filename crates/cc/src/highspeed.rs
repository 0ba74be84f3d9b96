//! HighSpeed TCP: Reno whose increase and decrease depend on the window, so that very large windows need few losses.
//! Source: RFC 3649, restated in specs/papers/highspeed.md.
use units::{Bytes, num};

use crate::{Ack, Config, Congestion, CongestionControl, Path, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    the increase is that of the window's whole segments; the response function is the line through its two ends, of \
    which the RFC prints a rounded form (1 % less); ACKs are counted, as Reno's; a timeout sets ssthresh by the same \
    decrease; a cut keeps a share of the profile's halving base (flight size); a mark is treated as a loss; slow \
    start is Reno's, not limited (RFC 3742).";

/// State of HighSpeed. The line is kept in natural logarithms.
#[derive(Clone, Debug, PartialEq)]
pub struct HighSpeed {
    cwnd: Bytes,
    ssthresh: Bytes,
    low_window: f64, // segments
    low_p: f64,
    high_decrease: f64,
    width: f64,    // ln(Wh / Wl)
    exponent: f64, // of the loss rate as a power of the window
    whole: f64,    // segments for which `increase` holds
    increase: f64, // segments per RTT
}

impl HighSpeed {
    /// Parameters `hs_low_window`, `hs_low_p`, `hs_high_window`, `hs_high_p`, `hs_high_decrease`.
    pub fn new(config: &Config) -> HighSpeed {
        let (low_window, low_p) = (config.number("hs_low_window"), config.number("hs_low_p"));
        let width = num::ln(config.number("hs_high_window") / low_window);
        HighSpeed {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            low_window,
            low_p,
            high_decrease: config.number("hs_high_decrease"),
            width,
            exponent: num::ln(config.number("hs_high_p") / low_p) / width,
            whole: 0.0,
            increase: 1.0,
        }
    }

    /// Share of a window of `w` segments that is given up.
    fn decrease(&self, w: f64) -> f64 {
        if w <= self.low_window {
            return 0.5;
        }
        //= specs/papers/highspeed.md#decrease
        //# b(w) = 0.5 + (Bh - 0.5) * ln(w / Wl) / ln(Wh / Wl)
        let b = 0.5 + (self.high_decrease - 0.5) * num::ln(w / self.low_window) / self.width;
        b.max(self.high_decrease)
    }

    /// Segments per RTT at a window of `w` segments.
    fn increase(&self, w: f64) -> f64 {
        if w <= self.low_window {
            return 1.0;
        }
        //= specs/papers/highspeed.md#response-function
        //# p(w) = Pl * (w / Wl)^(ln(Ph / Pl) / ln(Wh / Wl))
        let p = self.low_p * num::pow(w / self.low_window, self.exponent);
        let b = self.decrease(w);
        //= specs/papers/highspeed.md#increase
        //# a(w) = w^2 * p(w) * 2 * b(w) / (2 - b(w)), at least 1
        (w * w * p * 2.0 * b / (2.0 - b)).max(1.0)
    }
}

impl CongestionControl for HighSpeed {
    window_methods!();

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        if !ack.grows {
            return;
        }
        let step = reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
        if self.cwnd < self.ssthresh {
            self.cwnd += step;
            return;
        }
        let whole = num::floor(self.cwnd.over(path.mss));
        if whole != self.whole {
            (self.whole, self.increase) = (whole, self.increase(whole));
        }
        self.cwnd += self.increase * step;
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let kept = 1.0 - self.decrease(self.cwnd.over(path.mss));
        self.set_windows(reno::cut(event, path, kept, self.ssthresh));
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("increase_segments_per_rtt", self.increase);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, full, rto};

    fn new() -> HighSpeed {
        HighSpeed::new(&Config::named("highspeed").unwrap())
    }

    #[test]
    fn the_rfcs_table() {
        let hs = new();
        // RFC 3649, appendix B: the first window at which a(w) reaches a whole number. The table is of the rounded
        // form, 0.078 / w^1.2; the line gives up to 2 % more
        for (w, a, b) in [(118.0, 2.0, 0.44), (221.0, 3.0, 0.41), (347.0, 4.0, 0.38), (1058.0, 8.0, 0.33)] {
            assert!((hs.increase(w) / a - 1.0).abs() < 0.02, "a({w}) = {}", hs.increase(w));
            assert!((hs.decrease(w) - b).abs() < 0.005, "b({w}) = {}", hs.decrease(w));
        }
    }

    #[test]
    fn up_to_38_segments_it_is_reno() {
        let hs = new();
        assert_eq!((hs.increase(38.0), hs.decrease(38.0)), (1.0, 0.5));
        // just above: 39^2 * 0.001 * (39/38)^-1.19785 * 2 * 0.49865 / 1.50135 = 1.521 * 0.96936 * 0.66427 = 0.979, so 1
        assert_eq!(hs.increase(39.0), 1.0);
        let (mut hs, path) = full(hs, 10.0);
        hs.on_ack(&ack(1000.0), &path);
        assert_eq!(hs.cwnd(), 10_100.0);
        hs.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!((hs.cwnd(), hs.ssthresh()), (Bytes(5000.0), Bytes(5000.0)));
    }

    #[test]
    fn above_it_grows_by_the_increase_of_its_whole_segments() {
        let (mut hs, path) = full(new(), 118.0);
        hs.set_cwnd(Bytes(118_500.0));
        hs.on_ack(&ack(1000.0), &path);
        // p = 0.001 * (118/38)^-1.19785 = 2.5736e-4; b = 0.44105; a = 13924 * 2.5736e-4 * 0.8821 / 1.55895 = 2.0276;
        // 118.5 + 2.0276 / 118.5 = 118.51711
        assert!((hs.cwnd().0 - 118_517.11).abs() < 0.01, "{:?}", hs.cwnd());
    }

    #[test]
    fn slow_start_is_renos_at_any_window_and_over_at_ssthresh() {
        // below ssthresh a segment per ACK; at it a(118) = 2.0276: 118 + 2.0276 / 118 = 118.01718
        for (ssthresh, expected) in [(200_000.0, 119_000.0), (118_000.0, 118_017.18)] {
            let (mut hs, path) = full(new(), 118.0);
            hs.on_init(Bytes(118_000.0), Bytes(ssthresh), &path);
            hs.on_ack(&ack(1000.0), &path);
            assert!((hs.cwnd().0 - expected).abs() < 0.01, "{:?}", hs.cwnd());
        }
    }

    #[test]
    fn a_cut_keeps_more_of_a_large_window() {
        let (mut hs, path) = full(new(), 1000.0);
        hs.on_congestion(&dup_acks().of_flight(&path), &path);
        // ln(1000/38) = 3.27017, ln(83000/38) = 7.68902: b = 0.5 - 0.4 * 0.42530 = 0.32988
        assert!((hs.cwnd().0 - 670_120.0).abs() < 10.0, "{:?}", hs.cwnd());
        assert_eq!(hs.cwnd(), hs.ssthresh());
        // beyond the high window no less than a tenth
        let (mut hs, path) = full(new(), 200_000.0);
        hs.on_congestion(&dup_acks().of_flight(&path), &path);
        assert!((hs.cwnd().0 - 180e6).abs() < 1.0);
    }

    #[test]
    fn a_timeout_starts_over_towards_the_same_threshold() {
        let (mut hs, path) = full(new(), 1000.0);
        hs.on_congestion(&rto(1).of_flight(&path), &path);
        assert_eq!(hs.cwnd(), 1000.0);
        assert!((hs.ssthresh().0 - 670_120.0).abs() < 10.0);
        hs.on_ack(&ack(1000.0), &path);
        assert_eq!(hs.cwnd(), 2000.0);
        let held = hs.ssthresh();
        hs.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }.of_flight(&test_path()), &test_path());
        assert_eq!(hs.ssthresh(), held);
    }
}
