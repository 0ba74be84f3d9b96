//! TCP-Illinois: losses decide when the window is cut, queueing delay how fast it grows and by how much it is cut.
//! Source: Liu, Basar and Srikant, VALUETOOLS 2006, restated in specs/papers/illinois.md.
use units::{Bytes, Span};

use crate::round_rtt::RoundRtt;
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    the largest RTT is that of a single sample; no decisions during a recovery; alpha starts at its largest; a \
    timeout sets ssthresh by the beta in force and forgets that the delay had been high; a cut keeps a share of the \
    profile's halving base (flight size); a mark is treated as a loss.";

/// State of Illinois.
#[derive(Clone, Debug, PartialEq)]
pub struct Illinois {
    cwnd: Bytes,
    ssthresh: Bytes,
    limits: Limits,
    round: RoundRtt,
    rtt_max: Span,
    alpha: f64,
    beta: f64,
    was_high: bool,  // the delay has been above d1 since alpha was at its largest
    low_rounds: f64, // rounds in a row below it
}

#[derive(Clone, Debug, PartialEq)]
struct Limits {
    alpha_min: f64,
    alpha_max: f64,
    beta_min: f64,
    beta_max: f64,
    win_thresh: f64,
    theta: f64,
    eta: [f64; 3], // d1, d2 and d3 as shares of dm
}

impl Illinois {
    /// Parameters `illinois_alpha_min`, `illinois_alpha_max`, `illinois_beta_min`, `illinois_beta_max`,
    /// `illinois_win_thresh`, `illinois_theta`, `illinois_eta1`, `illinois_eta2`, `illinois_eta3`.
    pub fn new(config: &Config) -> Illinois {
        Illinois {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            limits: Limits {
                alpha_min: config.number("illinois_alpha_min"),
                alpha_max: config.number("illinois_alpha_max"),
                beta_min: config.number("illinois_beta_min"),
                beta_max: config.number("illinois_beta_max"),
                win_thresh: config.number("illinois_win_thresh"),
                theta: config.number("illinois_theta"),
                eta: ["illinois_eta1", "illinois_eta2", "illinois_eta3"].map(|name| config.number(name)),
            },
            round: RoundRtt::default(),
            rtt_max: Span::ZERO,
            alpha: config.number("illinois_alpha_max"),
            beta: 0.5,
            was_high: false,
            low_rounds: 0.0,
        }
    }

    fn end_round(&mut self, path: &Path) {
        let Some(mean) = self.round.take().mean() else { return };
        let da = (mean - path.rtt_min).secs();
        let dm = (self.rtt_max - path.rtt_min).secs();
        if self.cwnd < self.limits.win_thresh * path.mss {
            //= specs/papers/illinois.md#small-windows
            //# Below `win_thresh` = 15 segments alpha = 1 and beta = 1/2.
            (self.alpha, self.beta) = (1.0, 0.5);
        } else {
            self.alpha = self.increase(da, dm);
            self.beta = self.decrease(da, dm);
        }
    }

    fn increase(&mut self, da: f64, dm: f64) -> f64 {
        let Limits { alpha_min, alpha_max, theta, eta, .. } = self.limits;
        let d1 = eta[0] * dm;
        if da > d1 {
            (self.was_high, self.low_rounds) = (true, 0.0);
            //= specs/papers/illinois.md#increase
            //# alpha = alpha_max / (1 + (alpha_max / alpha_min - 1) * (da - d1) / (dm - d1))
            return alpha_max / (1.0 + (alpha_max / alpha_min - 1.0) * (da - d1) / (dm - d1));
        }
        if self.was_high {
            self.low_rounds += 1.0;
            //= specs/papers/illinois.md#increase
            //# alpha goes back to its largest value only after `theta` = 5 rounds in a row with da <= d1
            if self.low_rounds < theta {
                return self.alpha;
            }
            (self.was_high, self.low_rounds) = (false, 0.0);
        }
        alpha_max
    }

    fn decrease(&self, da: f64, dm: f64) -> f64 {
        let Limits { beta_min, beta_max, eta, .. } = self.limits;
        let (d2, d3) = (eta[1] * dm, eta[2] * dm);
        if da <= d2 {
            beta_min
        } else if da >= d3 {
            beta_max
        } else {
            //= specs/papers/illinois.md#decrease
            //# beta = beta_min + (beta_max - beta_min) * (da - d2) / (d3 - d2)
            beta_min + (beta_max - beta_min) * (da - d2) / (d3 - d2)
        }
    }
}

impl CongestionControl for Illinois {
    window_methods!();

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.round.add(ack.rtt);
        self.rtt_max = self.rtt_max.max(ack.rtt.unwrap_or_default());
        if ack.grows {
            let step = reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
            self.cwnd += if self.cwnd < self.ssthresh { step } else { self.alpha * step };
        }
        if ack.in_recovery {
            self.round = RoundRtt::default();
        } else if ack.round.is_some() {
            self.end_round(path);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let small = self.cwnd < self.limits.win_thresh * path.mss;
        let kept = if small { 0.5 } else { 1.0 - self.beta };
        self.set_windows(reno::cut(event, path, kept, self.ssthresh));
        if event.cause == Cause::Rto {
            (self.alpha, self.beta) = (1.0, 0.5);
            (self.was_high, self.low_rounds) = (false, 0.0);
            self.round = RoundRtt::default();
        }
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("alpha_segments_per_rtt", self.alpha);
        out("beta_ratio", self.beta);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, dup_acks, full, last_of_round, rto};

    /// In congestion avoidance; RTTs from 100 to 200 ms have been seen, so dm = 100 ms.
    fn at(segments: f64) -> (Illinois, Path) {
        let (mut illinois, path) = full(Illinois::new(&Config::named("illinois").unwrap()), segments);
        let slowest = Ack { rtt: Some(Span::from_millis(200)), grows: false, in_recovery: true, ..ack(1000.0) };
        illinois.on_ack(&slowest, &path);
        (illinois, path)
    }

    /// A round with this mean RTT in which the window does not grow.
    fn round(illinois: &mut Illinois, path: &Path, rtt_us: u64) {
        let rtt = Some(Span(rtt_us * 1000));
        illinois.on_ack(&Ack { rtt, grows: false, ..last_of_round(1000.0) }, path);
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-4
    }

    #[test]
    fn alpha_and_beta_by_delay() {
        // d1 = 1 ms, d2 = 10 ms, d3 = 80 ms. At da 50 ms: 10 / (1 + 32.3333 * 49/99) = 10 / 17.00337 = 0.58812 and
        // 0.125 + 0.375 * 40/70 = 0.33929; at 100 ms: 10 / 33.3333 = 0.3; at 2 ms: 10 / (1 + 32.3333/99) = 7.53807
        for (da_ms, alpha, beta) in
            [(1, 10.0, 0.125), (2, 7.53807, 0.125), (50, 0.58812, 0.33929), (80, 0.37312, 0.5), (100, 0.3, 0.5)]
        {
            let (mut illinois, path) = at(100.0);
            round(&mut illinois, &path, 100_000 + da_ms * 1000);
            assert!(near(illinois.alpha, alpha), "alpha at {da_ms} ms: {}", illinois.alpha);
            assert!(near(illinois.beta, beta), "beta at {da_ms} ms: {}", illinois.beta);
        }
    }

    #[test]
    fn growth_and_cut_follow_them() {
        let (mut illinois, path) = at(100.0);
        round(&mut illinois, &path, 100_000);
        illinois.on_ack(&ack(1000.0), &path);
        assert!(near(illinois.cwnd().0, 100_100.0)); // 10/100 of a segment
        illinois.on_congestion(&dup_acks().of_flight(&path), &path);
        assert!(near(illinois.cwnd().0, 87_500.0));
        assert_eq!(illinois.cwnd(), illinois.ssthresh());
    }

    #[test]
    fn at_15_segments_the_delay_rules() {
        let (mut illinois, path) = at(15.0);
        round(&mut illinois, &path, 100_000);
        assert_eq!((illinois.alpha, illinois.beta), (10.0, 0.125));
        illinois.on_congestion(&dup_acks().of_flight(&path), &path);
        assert!(near(illinois.cwnd().0, 13_125.0)); // 7/8
    }

    #[test]
    fn slow_start_is_renos_and_over_at_ssthresh() {
        // alpha 10: 10/100 of a segment at ssthresh, a segment below it
        for (ssthresh, expected) in [(200_000.0, 101_000.0), (100_000.0, 100_100.0)] {
            let (mut illinois, path) = at(100.0);
            illinois.on_init(Bytes(100_000.0), Bytes(ssthresh), &path);
            round(&mut illinois, &path, 100_000);
            illinois.on_ack(&ack(1000.0), &path);
            assert!(near(illinois.cwnd().0, expected), "{:?}", illinois.cwnd());
        }
    }

    #[test]
    fn a_small_window_halves_whatever_the_last_round_told() {
        let (mut illinois, path) = at(100.0);
        round(&mut illinois, &path, 100_000); // beta 1/8
        illinois.set_cwnd(Bytes(14_000.0));
        illinois.on_congestion(
            &dup_acks().of_flight(&Path { flight_size: Bytes(14_000.0), ..path }),
            &Path { flight_size: Bytes(14_000.0), ..path },
        );
        assert_eq!(illinois.cwnd(), 7000.0);
    }

    #[test]
    fn the_constants_are_parameters() {
        let mut config = Config::named("illinois").unwrap();
        for (name, value) in [
            ("illinois_alpha_min", 0.5),
            ("illinois_alpha_max", 5.0),
            ("illinois_beta_min", 0.25),
            ("illinois_beta_max", 0.75),
            ("illinois_win_thresh", 30.0),
            ("illinois_theta", 2.0),
            ("illinois_eta1", 0.1),
            ("illinois_eta2", 0.2),
            ("illinois_eta3", 0.6),
        ] {
            config.set_number(name, value).unwrap();
        }
        let (mut illinois, path) = full(Illinois::new(&config), 100.0);
        round(&mut illinois, &path, 200_000);
        // dm = 100 ms; d1 = 10, d2 = 20, d3 = 60 ms. At 40 ms: 5 / (1 + 9 * 30/90) = 1.25 and 0.25 + 0.5 * 20/40 = 0.5
        for (da_ms, alpha, beta) in [(40, 1.25, 0.5), (100, 0.5, 0.75), (60, 0.83333, 0.75), (11, 4.54545, 0.25)] {
            round(&mut illinois, &path, 100_000 + da_ms * 1000);
            assert!(near(illinois.alpha, alpha), "alpha at {da_ms} ms: {}", illinois.alpha);
            assert!(near(illinois.beta, beta), "beta at {da_ms} ms: {}", illinois.beta);
        }
        // the second low round brings fast growth back
        for alpha in [4.54545, 5.0] {
            round(&mut illinois, &path, 110_000);
            assert!(near(illinois.alpha, alpha), "{}", illinois.alpha);
        }
        illinois.set_cwnd(Bytes(29_000.0));
        round(&mut illinois, &path, 110_000);
        assert_eq!((illinois.alpha, illinois.beta), (1.0, 0.5));
    }

    #[test]
    fn below_15_segments_it_is_reno() {
        let (mut illinois, path) = at(14.0);
        round(&mut illinois, &path, 100_000);
        illinois.on_ack(&ack(1000.0), &path);
        assert!(near(illinois.cwnd().0, 14_000.0 + 1000.0 / 14.0));
        illinois.set_cwnd(Bytes(14_000.0));
        illinois.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(illinois.cwnd(), 7000.0);
    }

    #[test]
    fn the_fifth_low_round_brings_fast_growth_back() {
        let (mut illinois, path) = at(100.0);
        round(&mut illinois, &path, 200_000);
        for n in 1..5 {
            round(&mut illinois, &path, 100_500);
            assert!(near(illinois.alpha, 0.3), "after {n} low rounds");
        }
        // a high one in between starts the count anew
        round(&mut illinois, &path, 200_000);
        for _ in 0..4 {
            round(&mut illinois, &path, 100_500);
        }
        assert!(near(illinois.alpha, 0.3));
        round(&mut illinois, &path, 100_500);
        assert_eq!(illinois.alpha, 10.0);
        // and now a low round keeps it
        round(&mut illinois, &path, 100_500);
        assert_eq!(illinois.alpha, 10.0);
    }

    #[test]
    fn a_timeout_forgets() {
        let (mut illinois, path) = at(100.0);
        round(&mut illinois, &path, 200_000);
        illinois.on_congestion(&rto(1).of_flight(&path), &path);
        assert_eq!((illinois.cwnd(), illinois.ssthresh()), (Bytes(1000.0), Bytes(50_000.0)));
        assert_eq!((illinois.alpha, illinois.beta), (1.0, 0.5));
        illinois.on_ack(&ack(1000.0), &path);
        assert_eq!(illinois.cwnd(), 2000.0); // slow start
        illinois.set_cwnd(Bytes(60_000.0));
        round(&mut illinois, &path, 100_000);
        assert_eq!(illinois.alpha, 10.0);
    }

    #[test]
    fn the_first_round_grows_fast() {
        // nothing has told a delay yet: 100 + 10/100
        let (mut illinois, path) = full(Illinois::new(&Config::named("illinois").unwrap()), 100.0);
        illinois.on_ack(&ack(1000.0), &path);
        assert!(near(illinois.cwnd().0, 100_100.0));
    }

    #[test]
    fn a_path_without_any_queue_grows_fast() {
        let (mut illinois, path) = full(Illinois::new(&Config::named("illinois").unwrap()), 100.0);
        round(&mut illinois, &path, 100_000);
        assert_eq!((illinois.alpha, illinois.beta), (10.0, 0.125)); // dm = 0
    }
}
