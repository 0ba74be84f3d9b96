//! YeAH: Scalable TCP's growth while the queue is short, Reno's otherwise, and a preventive cut when it is long.
//! Source: Baiocchi, Castellani and Vacirca, PFLDnet 2007, restated in specs/papers/yeah.md.
use units::Bytes;

use crate::round_rtt::{RoundRtt, backlog_segments};
use crate::{Ack, Config, Congestion, CongestionControl, Path, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    the preventive cut leaves ssthresh at the new window (`yeah_ssthresh`); no decisions during a recovery; of what \
    a halving starts from a loss keeps the share (cwnd - red)/cwnd; a mark is treated as a loss.";

/// Samples that a round needs to tell anything.
const MIN_SAMPLES: u64 = 3;

/// State of YeAH. Its windows are segments, as in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Yeah {
    cwnd: Bytes,
    ssthresh: Bytes,
    limits: Limits,
    round: RoundRtt,
    last_queue: f64, // Q of the last round that told it, segments
    rival: Rival,
    slow_rounds: f64, // rounds with a long queue, in a row
}

/// The Reno flow that may be on the same path: the window that it would have by now, at least (`reno_cnt`).
#[derive(Clone, Debug, PartialEq)]
struct Rival {
    window: f64,
    fast_rounds: f64, // rounds with a short queue since it was last heard of, in a row or not
}

impl Rival {
    /// There is none, as far as is known.
    const NONE: Rival = Rival { window: 2.0, fast_rounds: 0.0 };

    /// A round with a long queue, which leaves a window of `w`.
    fn on_slow_round(&mut self, w: f64) {
        //= specs/papers/yeah.md#preventive-cut
        //# reno_cnt = max(cwnd / 2, 2) if reno_cnt <= 2, else reno_cnt + 1
        let known = self.window > Rival::NONE.window;
        self.window = if known { self.window + 1.0 } else { Rival::NONE.window.max(w / 2.0) };
    }

    /// A round with a short queue: after `zeta` of them it is forgotten.
    fn on_fast_round(&mut self, zeta: f64) {
        self.fast_rounds += 1.0;
        if self.fast_rounds > zeta {
            *self = Rival::NONE;
        }
    }

    fn on_loss(&mut self) {
        *self = Rival { window: Rival::NONE.window.max(self.window / 2.0), fast_rounds: 0.0 };
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Limits {
    queue_max: f64,
    phi: f64,
    gamma: f64,
    epsilon: f64,
    delta: f64,
    rho: f64,
    zeta: f64,
    scalable: f64,
    half_ssthresh: bool,
}

impl Yeah {
    /// Parameters `yeah_qmax`, `yeah_phi`, `yeah_gamma`, `yeah_epsilon`, `yeah_delta`, `yeah_rho`, `yeah_zeta`,
    /// `yeah_scalable`, `yeah_ssthresh`.
    pub fn new(config: &Config) -> Yeah {
        Yeah {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            limits: Limits {
                queue_max: config.number("yeah_qmax"),
                phi: config.number("yeah_phi"),
                gamma: config.number("yeah_gamma"),
                epsilon: config.number("yeah_epsilon"),
                delta: config.number("yeah_delta"),
                rho: config.number("yeah_rho"),
                zeta: config.number("yeah_zeta"),
                scalable: config.number("yeah_scalable"),
                half_ssthresh: config.choice("yeah_ssthresh") == "half",
            },
            round: RoundRtt::default(),
            last_queue: 0.0,
            rival: Rival::NONE,
            slow_rounds: 0.0,
        }
    }

    fn end_round(&mut self, path: &Path) {
        let ended = self.round.take();
        let (Some(rtt), true) = (ended.least(), ended.count() >= MIN_SAMPLES) else { return };
        let limits = &self.limits;
        let queueing_s = (rtt - path.rtt_min).secs();
        //= specs/papers/yeah.md#queue
        //# Q = (RTTm - baseRTT) * cwnd / RTTm
        let queue = backlog_segments(self.cwnd, path.mss, path.rtt_min, rtt);
        self.last_queue = queue;
        let long = queue > limits.queue_max;
        //= specs/papers/yeah.md#mode
        //# A round is slow if Q > Qmax or (RTTm - baseRTT) / baseRTT > 1 / phi.
        if !long && queueing_s * limits.phi <= path.rtt_min.secs() {
            self.slow_rounds = 0.0;
            self.rival.on_fast_round(limits.zeta);
            return;
        }
        self.slow_rounds += 1.0;
        if long {
            self.drain(path.mss);
        }
        self.rival.on_slow_round(self.cwnd.over(path.mss));
    }

    /// The preventive cut, which leaves a rival at least as much as it has.
    fn drain(&mut self, mss: Bytes) {
        let limits = &self.limits;
        let w = self.cwnd.over(mss);
        if w <= self.rival.window {
            return;
        }
        //= specs/papers/yeah.md#preventive-cut
        //# cwnd = max(cwnd - min(Q / gamma, epsilon * cwnd), reno_cnt)
        let left = self.rival.window.max(w - (limits.epsilon * w).min(self.last_queue / limits.gamma));
        self.cwnd = left * mss;
        self.ssthresh = if limits.half_ssthresh { (left / 2.0).max(2.0) * mss } else { self.cwnd };
    }

    /// Segments to give up at a loss, from a window of `w`.
    fn reduction(&self, w: f64) -> f64 {
        let half = (w / 2.0).max(2.0);
        if self.slow_rounds < self.limits.rho {
            //= specs/papers/yeah.md#loss
            //# red = max(min(Q, max(cwnd / 2, 2)), delta * cwnd) if slow_rounds < rho, else max(cwnd / 2, 2)
            self.last_queue.min(half).max(self.limits.delta * w)
        } else {
            half
        }
    }
}

impl CongestionControl for Yeah {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.round.add(ack.rtt);
        if ack.grows {
            self.cwnd += if self.cwnd < self.ssthresh || self.slow_rounds > 0.0 {
                reno::increase(self.cwnd, self.ssthresh, ack, path.mss)
            } else {
                //= specs/papers/yeah.md#mode
                //# In fast mode the window grows by one segment per min(cwnd, 100) segments acknowledged.
                ack.avoidance / self.cwnd.over(path.mss).min(self.limits.scalable)
            };
        }
        if ack.in_recovery {
            self.round = RoundRtt::default();
        } else if ack.round.is_some() {
            self.end_round(path);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let w = self.cwnd.over(path.mss);
        let kept = (w - self.reduction(w)).max(0.0) / w;
        self.rival.on_loss();
        self.set_windows(reno::cut(event, path, kept, self.ssthresh));
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("queue_segments", self.last_queue);
        out("reno_window_segments", self.rival.window);
        out("slow_rounds_count", self.slow_rounds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, last_of_round, rto};
    use units::Span;

    /// In congestion avoidance at a full window of `segments`; least RTT 100 ms.
    fn full(segments: f64, config: &Config) -> (Yeah, Path) {
        let bytes = Bytes(segments * 1000.0);
        let mut yeah = Yeah::new(config);
        let path = Path { flight_size: bytes, ..test_path() };
        yeah.on_init(bytes, Bytes(2000.0), &path);
        (yeah, path)
    }

    fn config() -> Config {
        Config::named("yeah").unwrap()
    }

    /// One round of three ACKs with this RTT that do not grow the window.
    fn round(yeah: &mut Yeah, path: &Path, rtt_ms: u64) {
        for ack in [ack(1000.0), ack(1000.0), last_of_round(1000.0)] {
            yeah.on_ack(&Ack { rtt: Some(Span::from_millis(rtt_ms)), grows: false, ..ack }, path);
        }
    }

    #[test]
    fn fast_mode_adds_one_per_hundred_segments() {
        let (mut yeah, path) = full(200.0, &config());
        yeah.on_ack(&ack(2000.0), &path);
        // 2 / min(200, 100) = 0.02; Reno would add 1/200
        assert!((yeah.cwnd().0 - 200_020.0).abs() < 1e-6);
    }

    #[test]
    fn a_long_queueing_delay_makes_it_reno() {
        let (mut yeah, path) = full(200.0, &config());
        // L = 13/100 > 1/8; Q = 13 * 200 / 113 = 23.0 is not above 80: no preventive cut
        round(&mut yeah, &path, 113);
        assert_eq!((yeah.cwnd(), yeah.slow_rounds), (Bytes(200_000.0), 1.0));
        yeah.on_ack(&ack(1000.0), &path);
        assert_eq!(yeah.cwnd(), 200_005.0); // 1/200
        // L = 12/100 < 1/8: fast again
        round(&mut yeah, &path, 112);
        assert_eq!(yeah.slow_rounds, 0.0);
    }

    #[test]
    fn a_long_queue_is_drained_at_once() {
        let (mut yeah, path) = full(600.0, &config());
        // Q = 25 * 600 / 125 = 120 > 80: 600 - min(120, 300) = 480; then reno_cnt = 240
        round(&mut yeah, &path, 125);
        assert_eq!((yeah.cwnd(), yeah.ssthresh()), (Bytes(480_000.0), Bytes(480_000.0)));
        assert_eq!(yeah.rival.window, 240.0);
        // next round Q = 25 * 480 / 125 = 96: 384; reno_cnt 241
        round(&mut yeah, &path, 125);
        assert_eq!((yeah.cwnd(), yeah.rival.window), (Bytes(384_000.0), 241.0));
        // at the Reno window the cut stops: RTT 400: Q = 300 * 384 / 400 = 288, half is 192, but not below 241
        round(&mut yeah, &path, 400);
        assert_eq!(yeah.cwnd(), 241_000.0);
    }

    #[test]
    fn the_preventive_cut_may_halve_ssthresh() {
        let mut half = config();
        half.set_choice("yeah_ssthresh", "half").unwrap();
        let (mut yeah, path) = full(600.0, &half);
        round(&mut yeah, &path, 125);
        assert_eq!((yeah.cwnd(), yeah.ssthresh()), (Bytes(480_000.0), Bytes(240_000.0)));
    }

    #[test]
    fn a_loss_gives_up_the_queue() {
        let (mut yeah, path) = full(200.0, &config());
        // Q = 30 * 200 / 130 = 46.15 in 1 slow round; between 25 (an eighth) and 100 (half)
        round(&mut yeah, &path, 130);
        yeah.on_congestion(&dup_acks().of_flight(&path), &path);
        assert!((yeah.cwnd().0 - 153_846.0).abs() < 1.0);
        assert_eq!(yeah.ssthresh(), yeah.cwnd());
    }

    #[test]
    fn a_loss_without_a_queue_gives_up_an_eighth() {
        let (mut yeah, path) = full(200.0, &config());
        round(&mut yeah, &path, 100);
        yeah.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(yeah.cwnd(), 175_000.0);
    }

    #[test]
    fn against_greedy_flows_a_loss_halves() {
        let (mut yeah, path) = full(200.0, &config());
        // RTTs of 113 ms: Q = 23 would give 25; after 16 slow rounds half it is
        for _ in 0..16 {
            round(&mut yeah, &path, 113);
        }
        assert_eq!(yeah.rival.window, 115.0); // 100, then + 1 in 15 rounds
        yeah.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!((yeah.cwnd(), yeah.rival.window), (Bytes(100_000.0), 57.5));
    }

    #[test]
    fn after_zeta_fast_rounds_reno_is_forgotten() {
        let (mut yeah, path) = full(200.0, &config());
        round(&mut yeah, &path, 113);
        for _ in 0..50 {
            round(&mut yeah, &path, 100);
        }
        assert_eq!((yeah.rival.window, yeah.rival.fast_rounds), (100.0, 50.0));
        round(&mut yeah, &path, 100);
        assert_eq!((yeah.rival.window, yeah.rival.fast_rounds), (2.0, 0.0));
    }

    fn with(name: &str, value: f64) -> Config {
        let mut config = config();
        config.set_number(name, value).unwrap();
        config
    }

    #[test]
    fn the_limits_of_the_queue_are_parameters() {
        // Q = 25 * 600 / 125 = 120, exactly Qmax: slow, L = 1/4, but no cut
        let (mut yeah, path) = full(600.0, &with("yeah_qmax", 120.0));
        round(&mut yeah, &path, 125);
        assert_eq!((yeah.cwnd(), yeah.slow_rounds), (Bytes(600_000.0), 1.0));
        // L = 1/4, exactly 1/phi: fast, with Q = 25 * 200 / 125 = 40
        let (mut yeah, path) = full(200.0, &with("yeah_phi", 4.0));
        round(&mut yeah, &path, 125);
        assert_eq!(yeah.slow_rounds, 0.0);
        // a long queue in a short time: Q = 10 * 1000 / 110 = 90.9 > 80, L = 1/10
        let (mut yeah, path) = full(1000.0, &config());
        round(&mut yeah, &path, 110);
        assert!(yeah.slow_rounds == 1.0 && (yeah.cwnd().0 - 909_090.9).abs() < 0.1);
    }

    #[test]
    fn the_preventive_cut_is_a_share_of_the_queue_and_of_the_window() {
        // Q = 120: 600 - 120/2 = 540; 600 - min(120, 0.1 * 600) = 540
        for (name, value) in [("yeah_gamma", 2.0), ("yeah_epsilon", 0.1)] {
            let (mut yeah, path) = full(600.0, &with(name, value));
            round(&mut yeah, &path, 125);
            assert!((yeah.cwnd().0 - 540_000.0).abs() < 1e-6, "{name}");
        }
        // with a Reno window of 600 there is nothing to cut, with 599 there is
        for (reno, left) in [(600.0, 600_000.0), (599.0, 599_000.0)] {
            let (mut yeah, path) = full(600.0, &config());
            yeah.rival.window = reno;
            round(&mut yeah, &path, 125);
            assert_eq!((yeah.cwnd(), yeah.rival.window), (Bytes(left), reno + 1.0));
        }
    }

    #[test]
    fn what_a_loss_costs_is_a_parameter() {
        // no queue: a quarter of 200
        let (mut yeah, path) = full(200.0, &with("yeah_delta", 0.25));
        round(&mut yeah, &path, 100);
        yeah.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(yeah.cwnd(), 150_000.0);
        // Q = 13 * 200 / 113 = 23; after one slow round of one half it is, after none of one an eighth
        let (mut yeah, path) = full(200.0, &with("yeah_rho", 1.0));
        round(&mut yeah, &path, 113);
        yeah.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(yeah.cwnd(), 100_000.0);
        let (mut yeah, path) = full(200.0, &with("yeah_rho", 1.0));
        yeah.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(yeah.cwnd(), 175_000.0);
        // 3 segments give up two at least, which leaves two at least
        let (mut yeah, path) = full(3.0, &with("yeah_rho", 0.0));
        yeah.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!((yeah.cwnd(), yeah.ssthresh(), yeah.rival.window), (Bytes(2000.0), Bytes(2000.0), 2.0));
    }

    #[test]
    fn patience_and_growth_are_parameters() {
        let (mut yeah, path) = full(200.0, &with("yeah_zeta", 1.0));
        round(&mut yeah, &path, 113);
        round(&mut yeah, &path, 100);
        assert_eq!((yeah.rival.window, yeah.rival.fast_rounds), (100.0, 1.0));
        round(&mut yeah, &path, 100);
        assert_eq!((yeah.rival.window, yeah.rival.fast_rounds), (2.0, 0.0));
        // one per 50; and per window where that is smaller: 1/40
        let (mut yeah, path) = full(200.0, &with("yeah_scalable", 50.0));
        yeah.on_ack(&ack(1000.0), &path);
        assert_eq!(yeah.cwnd(), 200_020.0);
        let (mut yeah, path) = full(40.0, &config());
        yeah.on_ack(&ack(1000.0), &path);
        assert_eq!(yeah.cwnd(), 40_025.0);
    }

    #[test]
    fn slow_start_is_renos_up_to_the_threshold() {
        let (mut yeah, path) = full(200.0, &config());
        yeah.ssthresh = Bytes(201_000.0);
        yeah.on_ack(&ack(1000.0), &path);
        assert_eq!(yeah.cwnd(), 201_000.0);
        yeah.on_ack(&ack(1000.0), &path);
        assert_eq!(yeah.cwnd(), 201_010.0); // fast mode: 1/100
    }

    #[test]
    fn a_recovery_decides_nothing_and_its_samples_are_forgotten() {
        let (mut yeah, path) = full(600.0, &config());
        let sample = Ack { rtt: Some(Span::from_millis(125)), grows: false, ..ack(1000.0) };
        yeah.on_ack(&sample, &path);
        yeah.on_ack(&sample, &path);
        let end = Ack { rtt: sample.rtt, grows: false, in_recovery: true, ..last_of_round(1000.0) };
        yeah.on_ack(&end, &path);
        assert_eq!((yeah.cwnd(), yeah.slow_rounds), (Bytes(600_000.0), 0.0));
        // two more samples are two, not five
        yeah.on_ack(&sample, &path);
        yeah.on_ack(&Ack { in_recovery: false, ..end }, &path);
        assert_eq!(yeah.slow_rounds, 0.0);
    }

    #[test]
    fn a_loss_starts_the_count_of_fast_rounds_anew_and_may_leave_the_threshold() {
        let (mut yeah, path) = full(200.0, &config());
        round(&mut yeah, &path, 100);
        assert_eq!(yeah.rival.fast_rounds, 1.0);
        yeah.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }.of_flight(&path), &path);
        assert_eq!((yeah.cwnd(), yeah.ssthresh(), yeah.rival.fast_rounds), (Bytes(1000.0), Bytes(2000.0), 0.0));
    }

    #[test]
    fn a_timeout_keeps_yeahs_ssthresh() {
        let (mut yeah, path) = full(200.0, &config());
        yeah.on_congestion(&rto(1).of_flight(&path), &path);
        assert_eq!((yeah.cwnd(), yeah.ssthresh()), (Bytes(1000.0), Bytes(175_000.0)));
    }

    #[test]
    fn two_samples_decide_nothing() {
        let (mut yeah, path) = full(200.0, &config());
        for ack in [ack(1000.0), last_of_round(1000.0)] {
            yeah.on_ack(&Ack { rtt: Some(Span::from_millis(400)), grows: false, ..ack }, &path);
        }
        assert_eq!((yeah.cwnd(), yeah.slow_rounds), (Bytes(200_000.0), 0.0));
    }
}
