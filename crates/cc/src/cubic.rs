//! CUBIC: after a cut the window follows a cubic function of time around the window of the last loss.
//! Source: RFC 9438, restated in specs/papers/cubic.md.
use units::{Bytes, Span, Time, num};

use crate::hystart::HyStart;
use crate::reno;
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    one step towards the curve for each segment that counts, as in the Reno-friendly estimate; time in which the \
    window is not in use does not count; slow start is Reno's, with one of two HyStarts on request (`hystart`); a cut keeps a \
    share of the profile's halving base (flight size).";

/// State of CUBIC. Its windows are segments, as in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Cubic {
    cwnd: Bytes,
    ssthresh: Bytes,
    c: f64,    // seg/s^3
    beta: f64, // share kept at a cut
    fast_convergence: bool,
    w_max: Option<f64>,
    prior: f64, // window before the last cut
    epoch: Epoch,
    curve: Curve,
    w_est: f64, // what Reno would have reached
    hystart: HyStart,
    /// Share that a mark leaves in congestion avoidance, if it is another than that of a loss.
    abe: Option<f64>,
}

/// Time since congestion avoidance began, as far as the window was in use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Epoch {
    start: Option<Time>,
    last: Option<Time>, // newest ACK
}

impl Epoch {
    /// Every ACK: what passed before one that finds the window not in use is not counted.
    pub(crate) fn on_ack(&mut self, ack: &Ack) {
        let unused = !ack.grows && !ack.in_recovery && ack.newly_acked > 0.0;
        if let (true, Some(start), Some(last)) = (unused, self.start, self.last) {
            self.start = Some(start + ack.now.since(last));
        }
        self.last = Some(ack.now);
    }

    /// Whether none is under way; if so, one begins now.
    pub(crate) fn begins(&mut self, now: Time) -> bool {
        let begins = self.start.is_none();
        self.start.get_or_insert(now);
        begins
    }

    pub(crate) fn end(&mut self) {
        self.start = None;
    }

    pub(crate) fn elapsed(&self, now: Time) -> Span {
        self.start.map_or(Span::ZERO, |start| now.since(start))
    }
}

/// `Wc(t) = C (t - K)^3 + Wmax`, in segments and seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Curve {
    pub(crate) c: f64,
    pub(crate) k: f64,
    pub(crate) w_max: f64,
}

impl Curve {
    pub(crate) fn at(&self, secs: f64) -> f64 {
        let t = secs - self.k;
        //= specs/papers/cubic.md#window-function
        //# Wc(t) = C * (t - K)^3 + Wmax
        self.c * t * t * t + self.w_max
    }
}

impl Cubic {
    /// Parameters `cubic_c`, `cubic_beta`, `cubic_fast_convergence`, `hystart`, `abe`, `abe_beta`.
    pub fn new(config: &Config) -> Cubic {
        Cubic {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            c: config.number("cubic_c"),
            beta: config.number("cubic_beta"),
            fast_convergence: config.flag("cubic_fast_convergence"),
            w_max: None,
            prior: 0.0,
            epoch: Epoch::default(),
            curve: Curve::default(),
            w_est: 0.0,
            hystart: HyStart::new(config.choice("hystart")),
            abe: config.flag("abe").then(|| config.number("abe_beta")),
        }
    }

    /// Congestion avoidance begins at window `w`.
    fn begin(&mut self, w: f64) {
        let w_max = self.w_max.filter(|&w_max| w < w_max).unwrap_or(w);
        self.w_max = Some(w_max);
        //= specs/papers/cubic.md#window-function
        //# K = cbrt((Wmax - cwnd_epoch) / C)
        self.curve = Curve { c: self.c, k: num::cbrt((w_max - w) / self.c), w_max };
        self.w_est = w;
    }

    fn slow_start(&mut self, ack: &Ack) {
        if ack.grows {
            self.cwnd += self.hystart.growth() * ack.slow_start;
        }
        if self.hystart.ends_after(ack) {
            //= specs/papers/hystart.md#conservative-slow-start
            //# `ssthresh = cwnd` and congestion avoidance begins.
            self.ssthresh = self.cwnd;
        }
    }

    /// The window after one ACK that counts for `n` segments in congestion avoidance.
    fn avoid(&mut self, now: Time, w: f64, n: f64, rtt: Span) -> f64 {
        if self.epoch.begins(now) {
            self.begin(w);
        }
        let t = self.epoch.elapsed(now).secs();
        //= specs/papers/cubic.md#reno-friendly-region
        //# alpha = 3 * (1 - beta) / (1 + beta), and 1 once West >= cwnd_prior
        let alpha = if self.w_est >= self.prior { 1.0 } else { 3.0 * (1.0 - self.beta) / (1.0 + self.beta) };
        //= specs/papers/cubic.md#reno-friendly-region
        //# West = West + alpha * n / cwnd
        self.w_est += alpha * n / w;
        if self.curve.at(t) < self.w_est {
            return self.w_est;
        }
        //= specs/papers/cubic.md#growth
        //# target = Wc(t + RTT), at least cwnd and at most 1.5 * cwnd
        let target = self.curve.at(t + rtt.secs()).max(w).min(1.5 * w);
        w + n * (target - w) / w
    }
}

impl CongestionControl for Cubic {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.epoch.on_ack(ack);
        if self.cwnd < self.ssthresh && self.hystart.ends_before(ack, self.cwnd, path.rtt_min, path) {
            self.ssthresh = self.cwnd;
        }
        if self.cwnd < self.ssthresh {
            self.slow_start(ack);
        } else if ack.grows {
            let n = ack.avoidance.over(path.mss);
            self.cwnd = self.avoid(ack.now, self.cwnd.over(path.mss), n, path.srtt) * path.mss;
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let w = self.cwnd.over(path.mss);
        let share = reno::abe_share(self.abe, event, self.windows()).unwrap_or(self.beta);
        let kept = event.keep(share);
        //= specs/papers/cubic.md#cut
        //# Wmax = cwnd * (1 + beta) / 2 if cwnd < Wmax (fast convergence), else cwnd
        self.w_max = match self.w_max {
            _ if event.cause == Cause::Rto => None,
            Some(w_max) if self.fast_convergence && w < w_max => Some(w * (1.0 + self.beta) / 2.0),
            _ => Some(w),
        };
        if event.timeouts <= 1 {
            self.prior = w;
        }
        self.epoch.end();
        self.hystart.on_congestion(event.cause);
        if !event.hold_ssthresh {
            self.ssthresh = kept.ssthresh;
        }
        self.cwnd = match event.cause {
            Cause::Rto => path.mss,
            Cause::DupAcks => kept.cwnd,
            Cause::EcnMark => (event.halving.base() * share).max(path.mss),
        };
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("w_max_segments", self.w_max.unwrap_or(0.0));
        out("k_s", self.curve.k);
        out("w_est_segments", self.w_est);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};

    fn config() -> Config {
        Config::named("cubic").unwrap()
    }

    /// A window of `segments`, all in flight.
    fn full(segments: f64) -> (Cubic, Path) {
        let bytes = Bytes(segments * 1000.0);
        let mut cubic = Cubic::new(&config());
        let path = Path { flight_size: bytes, ..test_path() };
        cubic.on_init(bytes, bytes, &path);
        (cubic, path)
    }

    fn after_cut() -> (Cubic, Path) {
        let (mut cubic, path) = full(100.0);
        cubic.on_congestion(&dup_acks().of_flight(&path), &path);
        (cubic, path)
    }

    fn at(secs: f64) -> Ack {
        Ack { now: Time::from_secs(secs), ..ack(1000.0) }
    }

    #[test]
    fn a_cut_keeps_seven_tenths() {
        let (cubic, _) = after_cut();
        assert!((cubic.cwnd().0 - 70_000.0).abs() < 1e-6);
        assert_eq!(cubic.ssthresh(), cubic.cwnd());
        assert_eq!((cubic.w_max, cubic.prior), (Some(100.0), 100.0));
    }

    #[test]
    fn the_curve_starts_at_the_cut_and_is_flat_at_the_old_window() {
        let (mut cubic, path) = after_cut();
        cubic.on_ack(&at(10.0), &path);
        // K = cbrt(30 / 0.4) = cbrt(75)
        assert!((cubic.curve.k - 4.2172).abs() < 1e-4);
        assert!((cubic.curve.at(0.0) - 70.0).abs() < 1e-9);
        // 0.4 * (2 - 4.2172)^3 + 100 = 100 - 4.360
        assert!((cubic.curve.at(2.0) - 95.640).abs() < 1e-3);
        // 0.4 * 2^3 + 100
        assert!((cubic.curve.at(cubic.curve.k + 2.0) - 103.2).abs() < 1e-9);
    }

    #[test]
    fn an_ack_takes_one_step_towards_the_curve_one_rtt_ahead() {
        let (mut cubic, path) = after_cut();
        cubic.on_ack(&at(10.0), &path);
        cubic.set_cwnd(Bytes(80_000.0));
        cubic.on_ack(&at(11.9), &path);
        // t = 1.9 s, RTT 0.1 s: target Wc(2.0) = 95.640; 80 + (95.640 - 80) / 80 = 80.1955
        assert!((cubic.cwnd().0 - 80_195.5).abs() < 0.1, "{:?}", cubic.cwnd());
    }

    #[test]
    fn the_target_is_at_most_half_as_much_again() {
        let (mut cubic, path) = after_cut();
        cubic.on_ack(&at(10.0), &path);
        cubic.set_cwnd(Bytes(75_000.0));
        cubic.on_ack(&at(19.9), &path);
        // Wc(10) = 177 is cut to 1.5 * 75 = 112.5: 75 + 37.5/75
        assert!((cubic.cwnd().0 - 75_500.0).abs() < 1e-6);
    }

    #[test]
    fn steepness_and_share_are_parameters() {
        let mut config = config();
        config.set_number("cubic_c", 3.2).unwrap();
        config.set_number("cubic_beta", 0.5).unwrap();
        let (_, path) = full(100.0);
        let mut cubic = Cubic::new(&config);
        cubic.on_init(Bytes(100_000.0), Bytes(100_000.0), &path);
        cubic.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!((cubic.cwnd(), cubic.ssthresh()), (Bytes(50_000.0), Bytes(50_000.0)));
        // K = cbrt(50 / 3.2) = 2.5; alpha = 3 * 0.5 / 1.5 = 1: West = 50 + 1/50
        cubic.on_ack(&at(10.0), &path);
        assert!((cubic.curve.k - 2.5).abs() < 1e-12);
        assert!((cubic.cwnd().0 - 50_020.0).abs() < 1e-6);
        // 70 < 100: 70 * 1.5 / 2
        cubic.set_cwnd(Bytes(70_000.0));
        cubic.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(cubic.w_max, Some(52.5));
    }

    #[test]
    fn slow_start_is_over_at_ssthresh() {
        // 20 segments, no loss yet: a segment below ssthresh; at it alpha is 1 and West = 20 + 1/20 is above Wc(0) = 20
        for (ssthresh, expected) in [(30_000.0, 21_000.0), (20_000.0, 20_050.0)] {
            let (mut cubic, path) = full(20.0);
            cubic.on_init(Bytes(20_000.0), Bytes(ssthresh), &path);
            cubic.on_ack(&at(10.0), &path);
            assert!((cubic.cwnd().0 - expected).abs() < 1e-6, "{:?}", cubic.cwnd());
        }
    }

    #[test]
    fn the_estimate_takes_what_the_ack_counts_for() {
        let (mut cubic, path) = after_cut();
        // two segments: West = 70 + 0.5294 * 2 / 70 = 70.015126
        cubic.on_ack(&Ack { avoidance: Bytes(2000.0), ..at(10.0) }, &path);
        assert!((cubic.cwnd().0 - 70_015.126).abs() < 0.001, "{:?}", cubic.cwnd());
        // a window that is not in use does not grow
        cubic.on_ack(&Ack { grows: false, ..at(10.0) }, &path);
        assert!((cubic.cwnd().0 - 70_015.126).abs() < 0.001);
    }

    #[test]
    fn beyond_the_old_window_the_curve_starts_anew_from_there() {
        // the window did not come down below that of the last loss: K = 0
        let (mut cubic, path) = after_cut();
        cubic.set_cwnd(Bytes(100_000.0));
        cubic.on_ack(&at(10.0), &path);
        assert_eq!((cubic.curve.k, cubic.curve.w_max), (0.0, 100.0));
        // at that window a loss is no reason to give way
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
        // 200 to 140: K = cbrt(60 / 0.4) = 5.3133 s, from the first ACK after the cut on
        cubic.on_ack(&at(20.0), &path);
        assert!((cubic.curve.k - 5.3133).abs() < 1e-4);
        assert_eq!(cubic.epoch.elapsed(Time::from_secs(21.0)), Span::from_millis(1000));
    }

    #[test]
    fn a_repeated_timeout_holds_ssthresh() {
        let (mut cubic, path) = full(100.0);
        cubic.on_congestion(&rto(1).of_flight(&path), &path);
        let small = Path { flight_size: Bytes(1000.0), ..path };
        cubic.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }.of_flight(&small), &small);
        assert!((cubic.ssthresh().0 - 70_000.0).abs() < 1e-6);
        // where the profile does not hold it: two segments
        cubic.on_congestion(&rto(3).of_flight(&small), &small);
        assert_eq!((cubic.ssthresh(), cubic.prior), (Bytes(2000.0), 100.0));
    }

    #[test]
    fn where_reno_would_be_faster_the_window_is_renos() {
        let (mut cubic, path) = after_cut();
        // the first ACK: Wc(0) = 70 < West = 70 + 0.5294 / 70 = 70.00756
        cubic.on_ack(&at(10.0), &path);
        assert!((cubic.cwnd().0 - 70_007.56).abs() < 0.01);
        // past the window before the cut alpha is 1: 100 + 1/70.00756
        cubic.w_est = 100.0;
        cubic.on_ack(&at(10.0), &path);
        assert!((cubic.cwnd().0 - 100_014.28).abs() < 0.01);
    }

    #[test]
    fn fast_convergence_gives_way() {
        let (mut cubic, path) = after_cut();
        cubic.set_cwnd(Bytes(80_000.0));
        cubic.on_congestion(&dup_acks().of_flight(&path), &path);
        // 80 < 100: Wmax = 80 * 1.7 / 2
        assert_eq!((cubic.w_max, cubic.prior), (Some(68.0), 80.0));
        let mut config = config();
        config.set_flag("cubic_fast_convergence", false).unwrap();
        let mut cubic = Cubic { w_max: Some(100.0), cwnd: Bytes(80_000.0), ..Cubic::new(&config) };
        cubic.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(cubic.w_max, Some(80.0));
    }

    #[test]
    fn after_a_timeout_the_curve_starts_flat() {
        let (mut cubic, path) = full(100.0);
        cubic.on_congestion(&rto(1).of_flight(&path), &path);
        assert_eq!((cubic.cwnd(), cubic.w_max), (Bytes(1000.0), None));
        assert!((cubic.ssthresh().0 - 70_000.0).abs() < 1e-6);
        cubic.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }.of_flight(&path), &path);
        assert_eq!(cubic.prior, 100.0);
        cubic.on_ack(&at(5.0), &path);
        assert_eq!(cubic.cwnd(), 2000.0); // slow start
        cubic.set_cwnd(Bytes(70_000.0));
        cubic.on_ack(&at(10.0), &path);
        assert_eq!((cubic.curve.k, cubic.curve.w_max), (0.0, 70.0));
    }

    /// A slow start from 20 segments: a round at 100 ms, then so many at 120 ms, which is more than an eighth longer.
    fn slow_start(config: &Config, slow_rounds: u32) -> (Cubic, Path) {
        let mut cubic = Cubic::new(config);
        let path = test_path();
        cubic.on_init(Bytes(20_000.0), Bytes(1e9), &path);
        cubic.on_ack(&crate::testing::last_of_round(1000.0), &path);
        for _ in 0..slow_rounds {
            let rtt = Some(Span::from_millis(120));
            (0..9).for_each(|_| cubic.on_ack(&Ack { rtt, ..ack(1000.0) }, &path));
            cubic.on_ack(&Ack { rtt, ..crate::testing::last_of_round(1000.0) }, &path);
        }
        (cubic, path)
    }

    #[test]
    fn hystart_leaves_slow_start_without_a_loss() {
        let mut config = config();
        config.set_choice("hystart", "rfc9406").unwrap();
        // 21; the eighth ACK at 120 ms is the last to add a segment, the other two of that round a quarter: 29.5
        let (cubic, _) = slow_start(&config, 1);
        assert_eq!((cubic.cwnd(), cubic.ssthresh()), (Bytes(29_500.0), Bytes(1e9)));
        // four rounds more, 40 quarters
        let (mut cubic, path) = slow_start(&config, 5);
        assert_eq!((cubic.cwnd(), cubic.ssthresh()), (Bytes(39_500.0), Bytes(39_500.0)));
        // the curve starts flat
        cubic.on_ack(&at(10.0), &path);
        assert_eq!((cubic.curve.k, cubic.curve.w_max), (0.0, 39.5));
        // without it slow start goes on: 21 + 50
        let (cubic, _) = slow_start(&self::config(), 5);
        assert_eq!((cubic.cwnd(), cubic.ssthresh()), (Bytes(71_000.0), Bytes(1e9)));
    }

    #[test]
    fn hystart_is_for_the_first_slow_start() {
        let mut config = config();
        config.set_choice("hystart", "rfc9406").unwrap();
        let (mut cubic, path) = slow_start(&config, 1);
        cubic.on_congestion(&rto(1).of_flight(&path), &path);
        cubic.on_ack(&ack(1000.0), &path);
        assert_eq!(cubic.cwnd(), 2000.0);
        // a window that is not in use does not grow
        cubic.on_ack(&Ack { grows: false, ..ack(1000.0) }, &path);
        assert_eq!(cubic.cwnd(), 2000.0);
    }

    #[test]
    fn by_linux_hystart_ends_slow_start_at_the_window_that_it_finds() {
        let mut config = config();
        config.set_choice("hystart", "linux").unwrap();
        let mut cubic = Cubic::new(&config);
        // the round is longer than the train
        let path = Path { flight_size: Bytes(100_000.0), ..test_path() };
        cubic.on_init(Bytes(20_000.0), Bytes(1e9), &path);
        let ms = |ms: u64| Time(ms * 1_000_000);
        cubic.on_ack(&Ack { now: ms(1000), ..crate::testing::last_of_round(1000.0) }, &path);
        // an ACK per millisecond, the least RTT: the 51st is the first above (100 + 1) / 2, the window before it is 71
        (1..51).for_each(|n| cubic.on_ack(&Ack { now: ms(1000 + n), ..ack(1000.0) }, &path));
        assert_eq!((cubic.cwnd(), cubic.ssthresh()), (Bytes(71_000.0), Bytes(1e9)));
        cubic.on_ack(&Ack { now: ms(1051), ..ack(1000.0) }, &path);
        // congestion avoidance begins with this very ACK: West = 71 + 1/71
        assert_eq!(cubic.ssthresh(), 71_000.0);
        assert!((cubic.cwnd().0 - 71_014.08).abs() < 0.01, "{:?}", cubic.cwnd());
    }

    #[test]
    fn unused_time_does_not_count() {
        let (mut cubic, path) = after_cut();
        cubic.on_ack(&at(10.0), &path);
        cubic.on_ack(&Ack { grows: false, ..at(13.0) }, &path);
        assert_eq!(cubic.epoch.elapsed(Time::from_secs(13.5)), Span::from_millis(500));
        // a recovery or a duplicate is not idleness
        cubic.on_ack(&Ack { grows: false, in_recovery: true, ..at(13.5) }, &path);
        cubic.on_ack(&Ack { grows: false, newly_acked: Bytes::ZERO, ..at(14.0) }, &path);
        assert_eq!(cubic.epoch.elapsed(Time::from_secs(14.0)), Span::from_millis(1000));
    }

    #[test]
    fn with_abe_a_mark_leaves_more_than_a_loss() {
        let mut config = config();
        config.set_flag("abe", true).unwrap();
        let (_, path) = full(100.0);
        for (cause, left) in [(Cause::EcnMark, 85_000.0), (Cause::DupAcks, 70_000.0)] {
            let mut cubic = Cubic::new(&config);
            cubic.on_init(Bytes(100_000.0), Bytes(100_000.0), &path);
            cubic.on_congestion(&Congestion { cause, ..dup_acks() }.of_flight(&path), &path);
            assert!((cubic.cwnd().0 - left).abs() < 1e-6, "{:?}", cubic.cwnd());
            assert_eq!((cubic.ssthresh(), cubic.w_max), (cubic.cwnd(), Some(100.0)));
        }
    }

    #[test]
    fn a_mark_may_leave_less_than_two_segments() {
        let (mut cubic, path) = full(2.0);
        cubic.on_congestion(&Congestion { cause: Cause::EcnMark, ..dup_acks() }.of_flight(&path), &path);
        assert_eq!((cubic.cwnd(), cubic.ssthresh()), (Bytes(1400.0), Bytes(2000.0)));
    }
}
