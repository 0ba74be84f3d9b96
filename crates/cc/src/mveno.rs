//! mVeno: Veno coupled over the subflows of a multipath connection; with one path, Veno that decides once per round.
//! Source: Dong, Wang, Huang, Wang and Min, IEEE Trans. Commun. 64(8), 2016, restated in specs/papers/mveno.md.
use units::{Bytes, Span};

use crate::round_rtt::{RoundRtt, backlog_segments};
use crate::veno::{HalfPace, MIN_SAMPLES};
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response, Signal, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    the coupling weight is reconstructed, computed at the end of each round of a subflow from the newest rounds of \
    all; it is 1 before, and for a connection with one path; fewer than three samples in a round mean Reno; losses \
    and marks as Veno, with the backlog of the last round; the base RTT is never reset.";

/// State of one subflow of mVeno.
#[derive(Clone, Debug, PartialEq)]
pub struct MVeno {
    cwnd: Bytes,
    ssthresh: Bytes,
    beta: f64, // backlog from which the path counts as congested, segments
    keep: f64, // share kept after a random loss
    base_of_round: bool,
    delta: f64,             // coupling weight of this subflow
    window_max: Bytes,      // largest window of this round
    ended: Option<Subflow>, // a round that the other subflows have not heard of
    round: RoundRtt,
    backlog: Option<f64>, // N of the last round, segments
    pace: HalfPace,
}

impl MVeno {
    /// Parameters `mveno_beta`, `mveno_keep`, `mveno_base`.
    pub fn new(config: &Config) -> MVeno {
        MVeno {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            beta: config.number("mveno_beta"),
            keep: config.number("mveno_keep"),
            base_of_round: config.choice("mveno_base") == "round",
            delta: 1.0,
            window_max: Bytes::ZERO,
            ended: None,
            round: RoundRtt::default(),
            backlog: None,
            pace: HalfPace::default(),
        }
    }

    fn decide(&mut self, path: &Path) {
        let ended = self.round.take();
        let base = if self.base_of_round { ended.least() } else { Some(path.rtt_min) };
        //= specs/papers/mveno.md#backlog
        //# N = w * (T - Bmin) / T
        self.backlog = match (ended.mean(), base) {
            (Some(mean), Some(base)) if ended.count() >= MIN_SAMPLES => {
                Some(backlog_segments(self.cwnd, path.mss, base, mean))
            }
            _ => None,
        };
        self.ended = ended.mean().map(|rtt_mean| Subflow {
            window_segments: self.cwnd.over(path.mss),
            window_max_segments: self.window_max.max(self.cwnd).over(path.mss),
            rtt_mean,
            samples: ended.count(),
            rtt_min: base.unwrap_or(rtt_mean),
        });
        self.window_max = self.cwnd;
    }
}

impl CongestionControl for MVeno {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.round.add(ack.rtt);
        self.window_max = self.window_max.max(self.cwnd);
        if ack.round.is_some() {
            self.decide(path);
        }
        if !ack.grows {
            return;
        }
        let step = reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
        //= specs/papers/mveno.md#growth
        //# In congestion avoidance w grows by delta / w per ACK, or per second ACK if N >= beta, for each segment that
        //# the ACK counts for.
        if self.cwnd < self.ssthresh {
            self.cwnd += step;
        } else if self.backlog.is_none_or(|n| n < self.beta) || self.pace.passes() {
            self.cwnd += step * self.delta;
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let random = event.cause == Cause::DupAcks && self.backlog.is_some_and(|n| n < self.beta);
        let kept = if random { self.keep } else { 0.5 };
        self.set_windows(reno::cut(event, path, kept, self.ssthresh));
        if random { Response::ReducedAsRandom } else { Response::Reduced }
    }

    fn take_round(&mut self) -> Option<Subflow> {
        self.ended.take()
    }

    fn on_signal(&mut self, signal: &Signal, _path: &Path) {
        if let Signal::Subflows { rounds, which } = *signal {
            self.delta = delta(rounds, which, self.beta);
        }
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("backlog_segments", self.backlog.unwrap_or(0.0));
        out("delta_ratio", self.delta);
    }
}

/// What the coupling needs to know of one subflow's last round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subflow {
    /// Window, segments.
    pub window_segments: f64,
    /// Largest window of the round, segments.
    pub window_max_segments: f64,
    /// Mean RTT of the round.
    pub rtt_mean: Span,
    /// RTT samples in the round.
    pub samples: u64,
    /// Least RTT.
    pub rtt_min: Span,
}

/// Share of time without congestion, and the mean factors of decrease and increase that follow from it.
fn factors(beta: f64, rtt_mean_s: f64, rtt_min_s: f64, window_max_segments: f64) -> (f64, f64) {
    let queueing = rtt_mean_s - rtt_min_s;
    //= specs/papers/mveno.md#coupling
    //# q = min(1, beta * T / ((T - Bmin) * Wmax)), and 1 if T = Bmin
    let q = if queueing <= 0.0 { 1.0 } else { (beta * rtt_mean_s / (queueing * window_max_segments)).min(1.0) };
    //= specs/papers/mveno.md#coupling
    //# E = 1/2 - (1/2 - 1/5) * q
    let decrease = 0.5 - (0.5 - 0.2) * q;
    //= specs/papers/mveno.md#coupling
    //# F = 1/2 + 1/2 * q
    let increase = 0.5 + 0.5 * q;
    (decrease, increase)
}

/// Coupling weight of subflow `which` among `subflows`, with `beta` the backlog that means congestion, in segments.
/// 1 for a single path. Panics if `which` is not one of them.
pub fn delta(subflows: &[Subflow], which: usize, beta: f64) -> f64 {
    let rate = |s: &Subflow| s.window_segments / s.rtt_mean.secs();
    let (mut total, mut best, mut rtt_sum_s, mut samples) = (0.0, 0.0f64, 0.0, 0);
    let (mut rtt_min_s, mut window_max) = (f64::INFINITY, 0.0f64);
    for s in subflows {
        total += rate(s);
        best = best.max(rate(s));
        rtt_sum_s += s.rtt_mean.secs() * s.samples as f64;
        samples += s.samples;
        rtt_min_s = rtt_min_s.min(s.rtt_min.secs());
        window_max = window_max.max(s.window_max_segments);
    }
    let rtt_s = rtt_sum_s / samples as f64;
    let this = &subflows[which];
    let (e_r, f_r) = factors(beta, this.rtt_mean.secs(), this.rtt_min.secs(), this.window_max_segments);
    let (e_s, f_s) = factors(beta, rtt_s, rtt_min_s, window_max);
    let w = this.window_segments;
    //= specs/papers/mveno.md#coupling
    //# delta = min(1, max(x^2) / y^2, E * Fs * w^2 / (Es * F * Ts^2 * y^2))
    let no_more_than_best = best * best / (total * total);
    let no_more_than_veno = e_r * f_s * w * w / (e_s * f_r * rtt_s * rtt_s * total * total);
    no_more_than_best.min(no_more_than_veno).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, last_of_round, rto};

    fn subflow(window_segments: f64, rtt_ms: u64) -> Subflow {
        Subflow {
            window_segments,
            window_max_segments: window_segments,
            rtt_mean: Span::from_millis(rtt_ms),
            samples: window_segments as u64,
            rtt_min: Span::from_millis(100),
        }
    }

    #[test]
    fn one_path_has_weight_one() {
        for rtt_ms in [100, 120, 400] {
            assert!((delta(&[subflow(20.0, rtt_ms)], 0, 3.0) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn two_equal_paths_take_one_venos_share() {
        let paths = [subflow(20.0, 120), subflow(20.0, 120)];
        // x = w/T each, y = 2x: x^2 / y^2 = 1/4
        assert!((delta(&paths, 0, 3.0) - 0.25).abs() < 1e-12);
        assert!((delta(&paths, 1, 3.0) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn unequal_paths_are_weighted_by_their_windows() {
        // no queue, T = 100 ms, windows 30 and 10: y = 400 seg/s, best 300: (300/400)^2 = 0.5625;
        // third term w^2 / (T^2 y^2): (30/40)^2 = 0.5625 and (10/40)^2 = 0.0625
        let paths = [subflow(30.0, 100), subflow(10.0, 100)];
        assert!((delta(&paths, 0, 3.0) - 0.5625).abs() < 1e-12);
        assert!((delta(&paths, 1, 3.0) - 0.0625).abs() < 1e-12);
    }

    #[test]
    fn a_queueing_path_is_weighted_by_its_cuts_and_growth() {
        // A: 12 segments, 200 ms: q 0.5, E 0.35, F 0.75. B: 10 segments, 100 ms: no queue. Ten samples each: Ts = 150
        // ms, qs = 3 * 150 / (50 * 12) = 0.75, Es 0.275, Fs 0.875; y = 60 + 100 = 160 seg/s.
        // A: 0.35 * 0.875 * 12^2 / (0.275 * 0.75 * 0.15^2 * 160^2) = 44.1 / 118.8, less than (100/160)^2
        let paths = [Subflow { samples: 10, ..subflow(12.0, 200) }, Subflow { samples: 10, ..subflow(10.0, 100) }];
        assert!((delta(&paths, 0, 3.0) - 0.371_212).abs() < 1e-6);
    }

    #[test]
    fn a_queue_weighs_a_subflows_cut_against_its_growth() {
        // q = min(1, 3 * 200 / (100 * 12)) = 0.5: E = 0.5 - 0.3 * 0.5 = 0.35, F = 0.5 + 0.25 = 0.75
        let (e, f) = factors(3.0, 0.2, 0.1, 12.0);
        assert!((e - 0.35).abs() < 1e-12 && (f - 0.75).abs() < 1e-12);
        assert_eq!(factors(3.0, 0.1, 0.1, 12.0), (0.2, 1.0));
    }

    /// At 20 segments in congestion avoidance, after a round with these RTTs; least RTT 100 ms.
    fn after_round(config: &Config, rtts_ms: &[u64]) -> MVeno {
        let mut m = MVeno::new(config);
        m.on_init(Bytes(20_000.0), Bytes(2000.0), &test_path());
        for (k, &ms) in rtts_ms.iter().enumerate() {
            let rtt = Some(Span::from_millis(ms));
            let ack = if k + 1 < rtts_ms.len() { ack(1000.0) } else { last_of_round(1000.0) };
            m.on_ack(&Ack { rtt, grows: false, ..ack }, &test_path());
        }
        m
    }

    fn config() -> Config {
        Config::named("mveno").unwrap()
    }

    #[test]
    fn the_backlog_of_the_round_decides_about_a_loss() {
        // mean 120: N = 20 * 20/120 = 3.333 >= 3: half of the flight of 10
        let mut m = after_round(&config(), &[120, 120, 120]);
        assert_eq!(m.on_congestion(&dup_acks(), &test_path()), Response::Reduced);
        assert_eq!((m.cwnd(), m.ssthresh()), (Bytes(5000.0), Bytes(5000.0)));
        // mean 110: N = 1.8: 4/5, and again for the next loss, since the base RTT is not reset
        let mut m = after_round(&config(), &[110, 110, 110]);
        assert_eq!(m.on_congestion(&dup_acks(), &test_path()), Response::ReducedAsRandom);
        assert_eq!(m.on_congestion(&dup_acks(), &test_path()), Response::ReducedAsRandom);
        assert_eq!((m.cwnd(), m.ssthresh()), (Bytes(8000.0), Bytes(8000.0)));
    }

    #[test]
    fn the_base_may_be_the_rounds_own() {
        let mut config = config();
        config.set_choice("mveno_base", "round").unwrap();
        // least of the round 120: N = 0
        let mut m = after_round(&config, &[120, 120, 120]);
        m.on_congestion(&dup_acks(), &test_path());
        assert_eq!(m.cwnd(), 8000.0);
    }

    #[test]
    fn a_queue_halves_the_growth() {
        let mut m = after_round(&config(), &[120, 120, 120]);
        m.on_ack(&ack(1000.0), &test_path());
        assert_eq!(m.cwnd(), 20_000.0);
        m.on_ack(&ack(1000.0), &test_path());
        assert_eq!(m.cwnd(), 20_050.0); // 1/20
        m.delta = 0.25;
        m.backlog = Some(0.0);
        m.cwnd = Bytes(20_000.0);
        m.on_ack(&ack(1000.0), &test_path());
        assert_eq!(m.cwnd(), 20_012.5); // 0.25/20
    }

    #[test]
    fn beta_and_the_share_kept_are_parameters() {
        // N = 20 * 25/125 = 4, exactly beta: congestion, at half speed
        let mut four = config();
        four.set_number("mveno_beta", 4.0).unwrap();
        let mut m = after_round(&four, &[125, 125, 125]);
        m.on_ack(&ack(1000.0), &test_path());
        assert_eq!(m.cwnd(), 20_000.0);
        assert_eq!(m.on_congestion(&dup_acks(), &test_path()), Response::Reduced);
        // N = 4 < 5: 9/10 of 10
        let mut five = config();
        five.set_number("mveno_beta", 5.0).unwrap();
        five.set_number("mveno_keep", 0.9).unwrap();
        let mut m = after_round(&five, &[125, 125, 125]);
        assert_eq!(m.on_congestion(&dup_acks(), &test_path()), Response::ReducedAsRandom);
        assert_eq!(m.cwnd(), 9000.0);
    }

    #[test]
    fn slow_start_is_renos_and_a_mark_halves() {
        let mut m = after_round(&config(), &[120, 120, 120]);
        m.ssthresh = Bytes(64_000.0);
        m.delta = 0.25;
        m.on_ack(&ack(1000.0), &test_path());
        assert_eq!(m.cwnd(), 21_000.0);
        m.ssthresh = Bytes(21_000.0); // at the threshold: every second ACK
        m.on_ack(&ack(1000.0), &test_path());
        assert_eq!(m.cwnd(), 21_000.0);
        let mut m = after_round(&config(), &[110, 110, 110]);
        let mark = Congestion { cause: Cause::EcnMark, ..dup_acks() };
        assert_eq!(m.on_congestion(&mark, &test_path()), Response::Reduced);
        assert_eq!(m.cwnd(), 5000.0);
    }

    #[test]
    fn a_round_is_told_to_the_other_subflows_once() {
        let mut m = after_round(&config(), &[110, 120, 130]);
        let told = Subflow {
            window_segments: 20.0,
            window_max_segments: 20.0,
            rtt_mean: Span::from_millis(120),
            samples: 3,
            rtt_min: Span::from_millis(100),
        };
        assert_eq!((m.take_round(), m.take_round()), (Some(told), None));
        // the largest window counts, even if it shrank before the end
        m.set_cwnd(Bytes(30_000.0));
        m.on_ack(&Ack { grows: false, ..ack(1000.0) }, &test_path());
        m.set_cwnd(Bytes(12_000.0));
        m.on_ack(&Ack { grows: false, ..last_of_round(1000.0) }, &test_path());
        let told = m.take_round().unwrap();
        assert_eq!((told.window_segments, told.window_max_segments), (12.0, 30.0));
        // and with it the next round begins
        m.on_ack(&Ack { grows: false, ..last_of_round(1000.0) }, &test_path());
        assert_eq!(m.take_round().unwrap().window_max_segments, 12.0);
        // the weight of two equal paths, taken over
        let other = Subflow { window_segments: 12.0, window_max_segments: 12.0, ..told };
        m.on_signal(&Signal::Subflows { rounds: &[other, other], which: 0 }, &test_path());
        assert!((m.delta - 0.25).abs() < 1e-12);
    }

    #[test]
    fn a_held_threshold_stays() {
        let mut m = after_round(&config(), &[100, 100, 100]);
        m.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }, &test_path());
        assert_eq!((m.cwnd(), m.ssthresh()), (Bytes(1000.0), Bytes(2000.0)));
    }

    #[test]
    fn a_short_round_and_a_timeout_are_renos() {
        let mut m = after_round(&config(), &[100, 100]);
        m.on_congestion(&dup_acks(), &test_path());
        assert_eq!(m.cwnd(), 5000.0);
        let mut m = after_round(&config(), &[100, 100, 100]);
        m.on_congestion(&rto(1), &test_path());
        assert_eq!((m.cwnd(), m.ssthresh()), (Bytes(1000.0), Bytes(5000.0)));
    }
}
