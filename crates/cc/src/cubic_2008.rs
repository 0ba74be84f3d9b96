//! CUBIC as published in 2008: beta is the share given up, and Reno's window is a formula of time.
//! Source: Ha, Rhee and Xu, ACM SIGOPS OSR 42(5), 2008, restated in specs/papers/cubic-2008.md.
use units::{Bytes, Time, num};

use crate::cubic::{Curve, Epoch};
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    `K` by the published formula also after fast convergence; before any loss, and after a timeout, the curve starts \
    flat; the target looks one least RTT ahead; Reno's window advances by the smoothed RTT; unused time does not \
    count; a cut keeps a share of the profile's halving base (flight size); a mark is treated as a loss.";

/// State of CUBIC of 2008. Its windows are segments, as in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Cubic2008 {
    cwnd: Bytes,
    ssthresh: Bytes,
    c: f64,    // seg/s^3
    beta: f64, // share given up at a cut
    fast_convergence: bool,
    w_max: Option<f64>,
    epoch: Epoch,
    curve: Curve,
}

impl Cubic2008 {
    /// Parameters `cubic_c`, `cubic2008_beta`, `cubic_fast_convergence`.
    pub fn new(config: &Config) -> Cubic2008 {
        Cubic2008 {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            c: config.number("cubic_c"),
            beta: config.number("cubic2008_beta"),
            fast_convergence: config.flag("cubic_fast_convergence"),
            w_max: None,
            epoch: Epoch::default(),
            curve: Curve::default(),
        }
    }

    /// Congestion avoidance begins at window `w`.
    fn begin(&mut self, w: f64) {
        self.curve = match self.w_max {
            Some(w_max) if w < w_max => {
                //= specs/papers/cubic-2008.md#window-function
                //# K = cbrt(Wmax * beta / C)
                Curve { c: self.c, k: num::cbrt(w_max * self.beta / self.c), w_max }
            }
            _ => Curve { c: self.c, k: 0.0, w_max: w },
        };
        self.w_max = Some(self.curve.w_max);
    }

    /// What each segment that an ACK at `now` counts for adds to a window of `w` segments in congestion avoidance.
    fn step(&mut self, now: Time, w: f64, path: &Path) -> f64 {
        if self.epoch.begins(now) {
            self.begin(w);
        }
        let t = self.epoch.elapsed(now).secs();
        let rounds = if path.srtt.secs() > 0.0 { t / path.srtt.secs() } else { 0.0 };
        //= specs/papers/cubic-2008.md#growth
        //# (target - cwnd) / cwnd if target > cwnd, else 1 / (100 * cwnd)
        let target = self.curve.at(t + path.rtt_min.secs());
        let step = if target > w { (target - w) / w } else { 0.01 / w };
        //= specs/papers/cubic-2008.md#reno-friendly-region
        //# Wtcp(t) = Wmax * (1 - beta) + 3 * beta / (2 - beta) * t / RTT
        let w_tcp = self.curve.w_max * (1.0 - self.beta) + 3.0 * self.beta / (2.0 - self.beta) * rounds;
        if w_tcp > w { step.max((w_tcp - w) / w) } else { step }
    }
}

impl CongestionControl for Cubic2008 {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.epoch.on_ack(ack);
        if !ack.grows {
            return;
        }
        let step = if self.cwnd < self.ssthresh {
            ack.slow_start
        } else {
            self.step(ack.now, self.cwnd.over(path.mss), path) * ack.avoidance
        };
        self.cwnd += step;
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let w = self.cwnd.over(path.mss);
        //= specs/papers/cubic-2008.md#cut
        //# Wmax = cwnd * (2 - beta) / 2 if cwnd < Wmax (fast convergence), else cwnd
        self.w_max = match self.w_max {
            _ if event.cause == Cause::Rto => None,
            Some(w_max) if self.fast_convergence && w < w_max => Some(w * (2.0 - self.beta) / 2.0),
            _ => Some(w),
        };
        self.epoch.end();
        self.set_windows(reno::cut(event, path, 1.0 - self.beta, self.ssthresh));
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("w_max_segments", self.w_max.unwrap_or(0.0));
        out("k_s", self.curve.k);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};

    fn after_cut() -> (Cubic2008, Path) {
        let bytes = Bytes(100_000.0);
        let mut cubic = Cubic2008::new(&Config::named("cubic-2008").unwrap());
        let path = Path { flight_size: bytes, ..test_path() };
        cubic.on_init(bytes, bytes, &path);
        cubic.on_congestion(&dup_acks().of_flight(&path), &path);
        (cubic, path)
    }

    fn at(secs: f64) -> Ack {
        Ack { now: Time::from_secs(secs), ..ack(1000.0) }
    }

    #[test]
    fn a_cut_gives_up_a_fifth() {
        let (cubic, _) = after_cut();
        assert_eq!((cubic.cwnd(), cubic.ssthresh()), (Bytes(80_000.0), Bytes(80_000.0)));
    }

    #[test]
    fn the_curve_starts_at_the_window_after_the_cut() {
        let (mut cubic, path) = after_cut();
        cubic.on_ack(&at(10.0), &path);
        // K = cbrt(100 * 0.2 / 0.4) = cbrt(50); 0.4 * (-K)^3 + 100 = 80
        assert!((cubic.curve.k - 3.6840).abs() < 1e-4);
        assert!((cubic.curve.at(0.0) - 80.0).abs() < 1e-9);
    }

    #[test]
    fn an_ack_steps_towards_the_target_or_creeps() {
        let (mut cubic, path) = after_cut();
        cubic.on_ack(&at(10.0), &path);
        cubic.set_cwnd(Bytes(90_000.0));
        cubic.on_ack(&at(11.9), &path);
        // Wc(2.0) = 0.4 * (2 - 3.6840)^3 + 100 = 98.0897; 90 + 8.0897/90 = 90.0899
        assert!((cubic.cwnd().0 - 90_089.9).abs() < 0.1);
        cubic.set_cwnd(Bytes(100_000.0));
        cubic.on_ack(&at(11.9), &path);
        // above the target: 1 / (100 * 100) of a segment
        assert!((cubic.cwnd().0 - 100_000.1).abs() < 1e-6);
    }

    #[test]
    fn where_reno_would_be_faster_the_step_is_renos() {
        let (mut cubic, mut path) = after_cut();
        path.srtt = units::Span::from_millis(1);
        path.rtt_min = path.srtt;
        cubic.on_ack(&at(10.0), &path);
        cubic.set_cwnd(Bytes(90_000.0));
        cubic.on_ack(&at(10.1), &path);
        // 80 + 0.6 / 1.8 * 100 = 113.33; (113.33 - 90) / 90 = 0.2593
        assert!((cubic.cwnd().0 - 90_259.3).abs() < 0.1);
    }

    #[test]
    fn steepness_share_and_convergence_are_parameters() {
        let mut config = Config::named("cubic-2008").unwrap();
        config.set_number("cubic_c", 3.2).unwrap();
        config.set_number("cubic2008_beta", 0.5).unwrap();
        let path = Path { flight_size: Bytes(100_000.0), ..test_path() };
        for (fast, w_max) in [(true, 52.5), (false, 70.0)] {
            config.set_flag("cubic_fast_convergence", fast).unwrap();
            let mut cubic = Cubic2008::new(&config);
            cubic.on_init(Bytes(100_000.0), Bytes(100_000.0), &path);
            cubic.on_congestion(&dup_acks().of_flight(&path), &path);
            assert_eq!(cubic.cwnd(), 50_000.0);
            // K = cbrt(100 * 0.5 / 3.2) = 2.5
            cubic.on_ack(&at(10.0), &path);
            assert!((cubic.curve.k - 2.5).abs() < 1e-12);
            // Wtcp = 50 + 1.5 / 1.5 * t / RTT: 60 after ten RTTs of 100 ms, and Wc(1.1) = 100 - 3.2 * 1.4^3 = 91.2192:
            // from 70 that is 21.2192 / 70 of a segment
            cubic.set_cwnd(Bytes(70_000.0));
            cubic.on_ack(&at(11.0), &path);
            assert!((cubic.cwnd().0 - 70_303.131).abs() < 0.001, "{:?}", cubic.cwnd());
            // 70 < 100: 70 * 1.5 / 2
            cubic.set_cwnd(Bytes(70_000.0));
            cubic.on_congestion(&dup_acks().of_flight(&path), &path);
            assert_eq!(cubic.w_max, Some(w_max));
        }
    }

    #[test]
    fn without_a_loss_and_after_a_timeout_the_curve_starts_flat() {
        let (mut cubic, path) = after_cut();
        cubic.on_congestion(&rto(1).of_flight(&path), &path);
        cubic.on_ack(&at(9.0), &path);
        assert_eq!(cubic.cwnd(), 2000.0); // slow start
        cubic.set_cwnd(Bytes(80_000.0));
        // at ssthresh: Wc(0.1) = 80 + 0.4 * 0.001 = 80.0004: 0.0004 / 80 of a segment; Wtcp = 80 * 0.8 is less
        cubic.on_ack(&at(10.0), &path);
        assert_eq!((cubic.curve.k, cubic.curve.w_max), (0.0, 80.0));
        assert!((cubic.cwnd().0 - 80_000.005).abs() < 1e-6, "{:?}", cubic.cwnd());
        // unused time does not count, and an ACK that may not grow adds nothing
        cubic.on_ack(&Ack { grows: false, ..at(30.0) }, &path);
        assert!((cubic.cwnd().0 - 80_000.005).abs() < 1e-6);
        assert_eq!(cubic.epoch.elapsed(Time::from_secs(31.0)), units::Span::from_millis(1000));
    }

    #[test]
    fn at_the_old_window_it_neither_searches_nor_gives_way() {
        let (mut cubic, path) = after_cut();
        cubic.set_cwnd(Bytes(100_000.0));
        cubic.on_ack(&at(10.0), &path);
        assert_eq!((cubic.curve.k, cubic.curve.w_max), (0.0, 100.0));
        cubic.set_cwnd(Bytes(100_000.0));
        cubic.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(cubic.w_max, Some(100.0));
    }

    #[test]
    fn every_cut_begins_an_epoch() {
        let (mut cubic, path) = after_cut();
        cubic.on_ack(&at(10.0), &path);
        cubic.set_cwnd(Bytes(200_000.0));
        cubic.on_congestion(
            &dup_acks().of_flight(&Path { flight_size: Bytes(200_000.0), ..path }),
            &Path { flight_size: Bytes(200_000.0), ..path },
        );
        // 200 to 160: K = cbrt(200 * 0.2 / 0.4) = 4.6416 s
        cubic.on_ack(&at(20.0), &path);
        assert!((cubic.curve.k - 4.6416).abs() < 1e-4);
        assert_eq!(cubic.epoch.elapsed(Time::from_secs(21.0)), units::Span::from_millis(1000));
    }

    #[test]
    fn a_repeated_timeout_holds_ssthresh() {
        let (mut cubic, path) = after_cut();
        cubic.on_congestion(&rto(1).of_flight(&path), &path);
        let small = Path { flight_size: Bytes(1000.0), ..path };
        cubic.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }.of_flight(&small), &small);
        assert_eq!(cubic.ssthresh(), 80_000.0);
    }

    #[test]
    fn before_an_rtt_is_known_reno_has_not_advanced() {
        let (mut cubic, path) = after_cut();
        let blind = Path { srtt: units::Span::ZERO, rtt_min: units::Span::ZERO, ..path };
        cubic.on_ack(&at(10.0), &blind);
        cubic.set_cwnd(Bytes(99_000.0));
        // t = 1: Wc = 100 - 0.4 * 2.684^3 = 92.27 is less than 99: 1 / (100 * 99)
        cubic.on_ack(&at(11.0), &blind);
        assert!((cubic.cwnd().0 - 99_000.101).abs() < 0.001, "{:?}", cubic.cwnd());
    }

    #[test]
    fn fast_convergence_and_timeout() {
        let (mut cubic, path) = after_cut();
        cubic.set_cwnd(Bytes(90_000.0));
        cubic.on_congestion(&dup_acks().of_flight(&path), &path);
        // 90 < 100: 90 * 1.8 / 2 = 81
        assert_eq!(cubic.w_max, Some(81.0));
        cubic.on_congestion(&rto(1).of_flight(&path), &path);
        assert_eq!((cubic.w_max, cubic.cwnd(), cubic.ssthresh()), (None, Bytes(1000.0), Bytes(80_000.0)));
    }
}
