//! TCP Vegas: hold between alpha and beta segments in the queue.
//! Source: Brakmo and Peterson, IEEE JSAC 13(8), 1995, restated in specs/papers/vegas.md.
//! Choices: the window's side only, its fine-grained timeouts are the recovery core's; slow start grows in every second round
//! (`vegas_ss`); windows are summed in segments, as in ns-2: whether the steps of a round reach the next whole segment, or miss it
//! by a rounding error, decides when it leaves; what a decision adds per ACK goes on after a cut or timeout until the next one,
//! as in ns-2, but a step of slow start does not outlive it; a mark halves. `vegas_impl = linux` decides by the least RTT of
//! the round, doubles in every round and halves at a loss; it is meant for the SACK or NewReno core.
use units::{Bytes, Span, Time, num};

use crate::round_rtt::{RoundRtt, backlog_segments};
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, RecoveryExit, Response, Round};

/// Samples that a round needs to tell anything, for Linux.
const LINUX_MIN_SAMPLES: u64 = 3;
/// What an ACK adds in a round of slow start that grows, segments.
const SLOW_START_STEP: f64 = 1.0;

/// State of Vegas.
#[derive(Clone, Debug, PartialEq)]
pub struct Vegas {
    mss: Bytes,
    cwnd: f64, // segments, as everything below but times
    ssthresh: f64,
    alpha: f64,
    beta: f64,
    gamma: f64,
    linux: bool,
    over_base: bool, // later Linux: the backlog is measured against the base RTT
    every_second_ack: bool,
    base: Option<Span>, // baseRTT
    round: RoundRtt,
    grow: bool, // slow start: the round, or the ACK, is one that grows
    step: f64,  // added per ACK until the next decision
    cut_at: Option<Time>,
    after: Option<f64>, // W of the last cut, to go on with after a recovery
}

/// What ns-2's agent counts as outstanding: one segment more than the flight size that the ACK leaves, which is what was
/// outstanding before it where each segment is acknowledged.
fn outstanding(path: &Path) -> f64 {
    path.flight_size.over(path.mss) + 1.0
}

impl Vegas {
    /// Parameters `vegas_alpha`, `vegas_beta`, `vegas_gamma`, `vegas_impl`, `vegas_ss`, `vegas_diff`.
    pub fn new(config: &Config) -> Vegas {
        Vegas {
            mss: Bytes::ZERO,
            cwnd: 0.0,
            ssthresh: 0.0,
            alpha: config.number("vegas_alpha"),
            beta: config.number("vegas_beta"),
            gamma: config.number("vegas_gamma"),
            linux: config.choice("vegas_impl") == "linux",
            over_base: config.choice("vegas_diff") == "over_base",
            every_second_ack: config.choice("vegas_ss") == "alt_ack",
            base: None,
            round: RoundRtt::default(),
            grow: false,
            step: 0.0,
            cut_at: None,
            after: None,
        }
    }

    /// A delay sample: it counts for the round that goes on, and perhaps for the base.
    fn learn(&mut self, sample: Option<Span>) {
        self.round.add(sample);
        if let Some(rtt) = sample {
            self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        }
    }

    fn slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// One segment per round in congestion avoidance, from today's window.
    fn reno_step(&self) -> f64 {
        1.0 / self.cwnd
    }

    /// The difference of expected and actual rate, in segments queued, for a round that ended.
    fn difference(&mut self, ended: &RoundRtt, round: &Round, path: &Path) -> f64 {
        let rtt = ended.mean().unwrap_or(round.length);
        if round.sent <= path.mss || self.base.is_none() {
            self.base = Some(rtt);
        }
        let base_s = self.base.unwrap_or(rtt).secs();
        if base_s == 0.0 || rtt == Span::ZERO {
            return 0.0;
        }
        //= specs/papers/vegas.md#difference
        //# diff = (W / baseRTT - S / RTT) * baseRTT, rounded to the nearest integer
        // so that half a segment comes out as a half, which ns-2's noise in base_s, a minimum, makes a little more
        num::round(outstanding(path) - round.sent.over(path.mss) * (base_s / rtt.secs()))
    }

    fn decide(&mut self, diff: f64) {
        if self.slow_start() {
            if !self.every_second_ack {
                self.grow = !self.grow;
            }
            if diff > self.gamma && (self.grow || self.every_second_ack) {
                //= specs/papers/vegas.md#slow-start
                //# If diff > gamma then cwnd = max(cwnd - cwnd / 8, 2) and ssthresh = 2.
                self.cwnd = (self.cwnd * 0.875).max(2.0);
                self.ssthresh = 2.0;
                self.step = 0.0;
            } else {
                //= specs/papers/vegas.md#slow-start
                //# The window grows by one segment per ACK in every second round.
                self.step = if self.grow { SLOW_START_STEP } else { 0.0 };
            }
        } else {
            self.avoid(diff);
        }
    }

    fn avoid(&mut self, diff: f64) {
        self.step = 0.0;
        //= specs/papers/vegas.md#congestion-avoidance
        //# If diff < alpha then inc = 1 / cwnd; if diff > beta then cwnd = max(cwnd - 1, 2).
        if diff < self.alpha {
            self.step = self.reno_step();
        } else if diff > self.beta {
            self.cwnd = (self.cwnd - 1.0).max(2.0);
        }
    }

    fn decide_linux(&mut self, ended: &RoundRtt) {
        let (Some(rtt), Some(base), true) = (ended.least(), self.base, ended.count() >= LINUX_MIN_SAMPLES) else {
            self.step = self.reno_step();
            return;
        };
        //= specs/papers/vegas.md#linux
        //# diff = cwnd * (RTT - baseRTT) / RTT, or cwnd * (RTT - baseRTT) / baseRTT in later versions
        let queued = backlog_segments(self.cwnd(), self.mss, base, rtt);
        let diff = if self.over_base { queued * rtt.secs() / base.secs() } else { queued };
        if !self.slow_start() {
            self.avoid(diff);
        } else if diff > self.gamma {
            //= specs/papers/vegas.md#linux
            //# In slow start with diff > gamma, cwnd = min(cwnd, cwnd * baseRTT / RTT + 1) and ssthresh = min(ssthresh, cwnd).
            self.cwnd = self.cwnd.min(self.cwnd - queued + 1.0).max(2.0);
            self.ssthresh = self.ssthresh.min(self.cwnd);
            self.step = 0.0;
        }
    }

    /// What an ACK that may grow the window adds.
    fn growth(&mut self, path: &Path) -> f64 {
        if self.linux {
            return if self.slow_start() { 1.0 } else { self.step };
        }
        //= specs/papers/vegas.md#growth
        //# An ACK adds inc only if cwnd - flight <= 2.
        if self.cwnd - outstanding(path) > 2.0 {
            return 0.0;
        }
        if self.slow_start() && self.every_second_ack {
            self.grow = !self.grow;
            return if self.grow { 1.0 } else { 0.0 };
        }
        if self.step == SLOW_START_STEP && !self.slow_start() {
            return 0.0;
        }
        self.step
    }

    /// The window after a cut, counted in whole segments.
    fn cut(&self, retransmitted: bool, path: &Path) -> f64 {
        let win = num::floor(self.cwnd.min(path.rwnd.over(path.mss)));
        //= specs/papers/vegas.md#cut
        //# W = 2 if win <= 3; win / 2 if the segment was sent more than once; else win - win / 4
        if win <= 3.0 {
            2.0
        } else if retransmitted {
            num::floor(win / 2.0)
        } else {
            win - num::floor(win / 4.0)
        }
    }

    fn halve(&mut self, event: &Congestion, path: &Path) -> Response {
        let half = path.keep(0.5);
        if !event.hold_ssthresh {
            self.ssthresh = half.ssthresh.over(path.mss);
        }
        self.cwnd = half.cwnd.over(path.mss);
        Response::Reduced
    }

    fn on_dup_acks(&mut self, event: &Congestion, path: &Path) -> Response {
        //= specs/papers/vegas.md#cut
        //# The window is cut only if the segment was sent after the last cut.
        let paid = match (event.sent_at, self.cut_at) {
            (Some(sent_at), Some(cut_at)) => sent_at <= cut_at,
            (None, Some(_)) => event.cut_already,
            (_, None) => false,
        };
        if paid {
            return Response::SameWindow;
        }
        self.cwnd = self.cut(event.retransmitted, path);
        self.after = Some(self.cwnd);
        self.cut_at = Some(event.now);
        Response::Reduced
    }

    fn on_timeout(&mut self, event: &Congestion, path: &Path) -> Response {
        self.halve(event, path);
        //= specs/papers/vegas.md#timeout
        //# ssthresh = W / 2, cwnd = 2
        self.cwnd = if self.linux { 1.0 } else { 2.0 };
        self.cut_at = Some(event.now);
        self.after = None;
        if self.linux {
            self.grow = false;
            self.step = 0.0;
        }
        Response::Reduced
    }
}

impl CongestionControl for Vegas {
    fn on_init(&mut self, window: Bytes, ssthresh: Bytes, path: &Path) {
        self.mss = path.mss;
        self.cwnd = window.over(path.mss);
        self.ssthresh = ssthresh.over(path.mss);
    }

    fn set_cwnd(&mut self, cwnd: Bytes) {
        self.cwnd = cwnd.over(self.mss);
    }

    #[inline]
    fn cwnd(&self) -> Bytes {
        self.cwnd * self.mss
    }

    #[inline]
    fn ssthresh(&self) -> Bytes {
        self.ssthresh * self.mss
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        if self.linux {
            self.learn(ack.rtt);
        }
        if let Some(round) = &ack.round {
            let ended = self.round.take();
            if self.linux && !ack.in_recovery {
                self.decide_linux(&ended);
            } else if !self.linux {
                let diff = self.difference(&ended, round, path);
                if !ack.in_recovery {
                    self.decide(diff);
                }
            }
        }
        if !self.linux {
            self.learn(ack.rtt); // ns-2 counts the sample of the ACK that ends a round for the next one
        }
        if ack.grows {
            let growth = self.growth(path);
            self.cwnd += growth;
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        match event.cause {
            Cause::Rto => self.on_timeout(event, path),
            Cause::DupAcks if !self.linux => self.on_dup_acks(event, path),
            Cause::DupAcks | Cause::EcnMark => self.halve(event, path),
        }
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit, path: &Path) {
        let left = exit.window.over(path.mss);
        if exit.inflated {
            self.cwnd = left;
        } else if left == 0.0 {
            (self.cwnd, self.ssthresh) = (0.0, 2.0); // ns-2 after a timeout: the next one opens it again
        } else if let Some(window) = self.after {
            //= specs/papers/vegas.md#cut
            //# Recovery ends with cwnd = W and ssthresh = 2.
            (self.cwnd, self.ssthresh) = (window, 2.0);
        } else {
            self.cwnd = left;
        }
        if self.linux {
            self.round = RoundRtt::default();
        }
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("base_rtt_s", self.base.unwrap_or_default().secs());
        out("step_bytes", self.step * self.mss.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};

    fn config() -> Config {
        Config::named("vegas").unwrap()
    }

    fn with(choices: &[(&str, &str)]) -> Config {
        let mut config = config();
        for (name, word) in choices {
            config.set_choice(name, word).unwrap();
        }
        config
    }

    /// `cwnd` segments, all in flight before each ACK of one of them; threshold in segments.
    fn at(config: &Config, cwnd: f64, ssthresh: f64) -> (Vegas, Path) {
        let mut vegas = Vegas::new(config);
        let path = Path { flight_size: Bytes((cwnd - 1.0) * 1000.0), half_base: Bytes(cwnd * 1000.0), ..test_path() };
        vegas.on_init(Bytes(cwnd * 1000.0), Bytes(ssthresh * 1000.0), &path);
        vegas.base = Some(Span::from_millis(100));
        (vegas, path)
    }

    /// The ACK that ends a round in which `sent` segments went out; two more samples came before it.
    fn end_round(vegas: &mut Vegas, path: &Path, rtt_ms: u64, sent: f64) {
        let rtt = Some(Span::from_millis(rtt_ms));
        let plain = Ack { rtt, grows: false, ..ack(1000.0) };
        vegas.on_ack(&plain, path);
        vegas.on_ack(&plain, path);
        let round = Some(Round { length: Span::from_millis(rtt_ms), sent: Bytes(sent * 1000.0) });
        vegas.on_ack(&Ack { round, ..plain }, path);
    }

    #[test]
    fn a_queue_between_alpha_and_beta_holds_the_window() {
        // W = S = 20, base 100, RTT 120: 20 - 20 * 100/120 = 3.333, rounded 3: neither below 1 nor above 3
        let (mut vegas, path) = at(&config(), 20.0, 2.0);
        end_round(&mut vegas, &path, 120, 20.0);
        vegas.on_ack(&ack(1000.0), &path);
        assert_eq!(vegas.cwnd(), 20_000.0);
    }

    #[test]
    fn the_difference_is_rounded_to_the_nearest() {
        // RTT 121.3: 20 - 16.488 = 3.512, rounded 4: above beta, one segment less
        let (mut vegas, path) = at(&config(), 20.0, 2.0);
        let ended = RoundRtt::default();
        let round = Round { length: Span(121_300_000), sent: Bytes(20_000.0) };
        assert_eq!(vegas.difference(&ended, &round, &path), 4.0);
        vegas.decide(4.0);
        assert_eq!(vegas.cwnd(), 19_000.0);
    }

    #[test]
    fn an_empty_queue_adds_a_segment_in_the_next_round() {
        // RTT 102: 20 - 19.6 = 0.39, rounded 0 < alpha: 1/20 per ACK, fixed for the round
        let (mut vegas, path) = at(&config(), 20.0, 2.0);
        end_round(&mut vegas, &path, 102, 20.0);
        vegas.on_ack(&ack(1000.0), &path);
        vegas.on_ack(&ack(1000.0), &path);
        assert_eq!(vegas.cwnd(), 20_100.0);
        // a window that is not used does not grow: 20.1 - (17 + 1) segments; two are not too many
        let unused = Path { flight_size: Bytes(17_000.0), ..path };
        vegas.on_ack(&ack(1000.0), &unused);
        assert_eq!(vegas.cwnd(), 20_100.0);
        vegas.set_cwnd(Bytes(20_000.0));
        vegas.on_ack(&ack(1000.0), &unused);
        assert_eq!(vegas.cwnd(), 20_050.0);
    }

    #[test]
    fn alpha_beta_and_gamma_are_parameters() {
        // RTT 120: 3.333, rounded 3
        for (name, value, expected) in [
            ("vegas_alpha", 3.0, 20_000.0), // not below it
            ("vegas_alpha", 4.0, 20_050.0),
            ("vegas_beta", 2.0, 19_000.0),
        ] {
            let mut config = config();
            config.set_number(name, value).unwrap();
            let (mut vegas, path) = at(&config, 20.0, 2.0);
            end_round(&mut vegas, &path, 120, 20.0);
            vegas.on_ack(&ack(1000.0), &path);
            assert_eq!(vegas.cwnd(), expected, "{name} {value}");
        }
        // slow start goes on with as many as gamma
        let mut three = config();
        three.set_number("vegas_gamma", 3.0).unwrap();
        let (mut vegas, path) = at(&three, 20.0, 64.0);
        end_round(&mut vegas, &path, 120, 20.0);
        vegas.on_ack(&ack(1000.0), &path);
        assert_eq!(vegas.cwnd(), 21_000.0);
    }

    #[test]
    fn the_queue_of_a_later_linux_is_four_where_it_was_three_and_a_third() {
        // cwnd 20, base 100, RTT 120: 20 * 20/100 = 4 exactly, not above beta; above it is with 3.999
        for (beta, expected) in [(4.0, 20_000.0), (3.999, 19_000.0)] {
            let mut config = with(&[("vegas_impl", "linux"), ("vegas_diff", "over_base")]);
            config.set_number("vegas_beta", beta).unwrap();
            let (mut vegas, path) = at(&config, 20.0, 2.0);
            end_round(&mut vegas, &path, 120, 20.0);
            assert_eq!(vegas.cwnd(), expected);
        }
    }

    #[test]
    fn linux_stays_in_slow_start_with_as_many_as_gamma() {
        // 4 queue: with gamma 4 it goes on, with 3.999 the window becomes 20 - 3.333 + 1
        for (gamma, expected) in [(4.0, 20_000.0), (3.999, 17_666.7)] {
            let mut config = with(&[("vegas_impl", "linux"), ("vegas_diff", "over_base")]);
            config.set_number("vegas_gamma", gamma).unwrap();
            let (mut vegas, path) = at(&config, 20.0, 64.0);
            end_round(&mut vegas, &path, 120, 20.0);
            assert!((vegas.cwnd().0 - expected).abs() < 0.1);
        }
    }

    #[test]
    fn linux_decides_nothing_in_a_recovery_and_begins_anew_after_it() {
        let (mut vegas, path) = at(&with(&[("vegas_impl", "linux")]), 20.0, 2.0);
        let sample = Ack { rtt: Some(Span::from_millis(200)), grows: false, ..ack(1000.0) };
        vegas.on_ack(&sample, &path);
        vegas.on_ack(&sample, &path);
        let round = Some(Round { length: Span::from_millis(200), sent: Bytes(20_000.0) });
        vegas.on_ack(&Ack { round, in_recovery: true, ..sample }, &path);
        assert_eq!(vegas.cwnd(), 20_000.0); // 10 queue
        vegas.on_ack(&sample, &path);
        vegas.on_ack(&sample, &path);
        let exit = RecoveryExit { now: Time::from_secs(1.1), window: Bytes(20_000.0), inflated: false };
        vegas.on_recovery_exit(&exit, &path);
        // one sample since: too few
        vegas.on_ack(&Ack { round, ..sample }, &path);
        assert_eq!((vegas.cwnd(), vegas.step), (Bytes(20_000.0), 0.05));
    }

    #[test]
    fn what_was_sent_counts_against_what_is_outstanding() {
        // W = 20, S = 10, RTT = base: (20 - 10) segments: far above beta
        let (mut vegas, path) = at(&config(), 20.0, 2.0);
        end_round(&mut vegas, &path, 100, 10.0);
        assert_eq!(vegas.cwnd(), 19_000.0);
    }

    #[test]
    fn a_round_of_one_segment_sets_the_base() {
        let (mut vegas, path) = at(&config(), 2.0, 2.0);
        end_round(&mut vegas, &path, 150, 1.0);
        assert_eq!(vegas.base, Some(Span::from_millis(150)));
    }

    #[test]
    fn slow_start_grows_in_every_second_round() {
        let (mut vegas, path) = at(&config(), 4.0, 64.0);
        for expected in [1000.0, 0.0, 1000.0, 0.0] {
            end_round(&mut vegas, &path, 100, 4.0);
            let before = vegas.cwnd();
            vegas.on_ack(&ack(1000.0), &path);
            assert_eq!((vegas.cwnd() - before).0, expected);
            vegas.set_cwnd(before);
        }
    }

    #[test]
    fn slow_start_may_grow_at_every_second_ack() {
        let (mut vegas, path) = at(&with(&[("vegas_ss", "alt_ack")]), 4.0, 64.0);
        for expected in [5000.0, 5000.0, 6000.0, 6000.0] {
            vegas.on_ack(&ack(1000.0), &path);
            assert_eq!(vegas.cwnd(), expected);
        }
    }

    #[test]
    fn a_queue_ends_slow_start() {
        // W = S = 16, RTT 115: 16 - 13.91 = 2.09, rounded 2 > gamma: 16 - 2 = 14, in the round that may grow
        let (mut vegas, path) = at(&config(), 16.0, 64.0);
        end_round(&mut vegas, &path, 115, 16.0);
        assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(14_000.0), Bytes(2000.0)));
        let (mut vegas, path) = at(&config(), 16.0, 64.0);
        vegas.grow = true; // the next round may not: no decision
        end_round(&mut vegas, &path, 115, 16.0);
        assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(16_000.0), Bytes(64_000.0)));
    }

    #[test]
    fn steps_that_miss_a_whole_segment_by_a_rounding_error_do_not_reach_it() {
        // 9 + 9 * (1/9) is 9.999999999999996 in doubles, 12 + 12 * (1/12) 13.000000000000005: ns-2 sends its tenth segment one
        // ACK later, its thirteenth at once
        for (cwnd, whole) in [(9.0, 9.0), (12.0, 13.0)] {
            let (mut vegas, path) = at(&config(), cwnd, 2.0);
            end_round(&mut vegas, &path, 100, cwnd);
            for _ in 0..cwnd as u32 {
                vegas.on_ack(&ack(1000.0), &path);
            }
            assert_eq!(vegas.cwnd().over(path.mss).floor(), whole);
        }
    }

    #[test]
    fn a_step_of_slow_start_does_not_outlive_it() {
        let (mut vegas, path) = at(&config(), 4.0, 5.0);
        end_round(&mut vegas, &path, 100, 4.0);
        for _ in 0..3 {
            vegas.on_ack(&ack(1000.0), &path);
        }
        assert_eq!(vegas.cwnd(), 5000.0);
    }

    #[test]
    fn the_sample_of_the_ack_that_ends_a_round_comes_after_its_decision() {
        // base 240 and RTT 240 from the round itself: 20 - 20 = 0 < alpha; with the last sample, 200, it would be 3.3
        let (mut vegas, path) = at(&config(), 20.0, 2.0);
        vegas.base = None;
        let sample = |ms| Ack { rtt: Some(Span::from_millis(ms)), grows: false, ..ack(1000.0) };
        vegas.on_ack(&sample(240), &path);
        let round = Some(Round { length: Span::from_millis(240), sent: Bytes(20_000.0) });
        vegas.on_ack(&Ack { round, ..sample(200) }, &path);
        assert_eq!(vegas.base, Some(Span::from_millis(200)));
        vegas.on_ack(&ack(1000.0), &path);
        assert_eq!(vegas.cwnd(), 20_050.0);
    }

    #[test]
    fn half_a_segment_of_difference_counts_as_one() {
        // W = 4, S = 7, RTT twice the base: 4 - 3.5 = 0.5, rounded up to 1: not below alpha
        let (mut vegas, _) = at(&config(), 4.0, 2.0);
        vegas.base = Some(Span(213_440_000));
        let path = Path { flight_size: Bytes(3000.0), ..test_path() };
        let round = Round { length: Span(426_880_000), sent: Bytes(7000.0) };
        assert_eq!(vegas.difference(&RoundRtt::default(), &round, &path), 1.0);
    }

    #[test]
    fn an_exit_without_a_window_leaves_none() {
        let (mut vegas, path) = at(&config(), 5.0, 11.0);
        vegas
            .on_recovery_exit(&RecoveryExit { now: Time::from_secs(3.0), window: Bytes::ZERO, inflated: false }, &path);
        assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes::ZERO, Bytes(2000.0)));
    }

    #[test]
    fn duplicate_acks_keep_three_quarters_or_a_half() {
        // whole segments: 10.9 -> 10 - 2 = 8; sent twice: 10 / 2 = 5; 3.9 -> 2
        for (cwnd, retransmitted, expected) in [
            (10.9, false, 8000.0),
            (10.9, true, 5000.0),
            (3.9, false, 2000.0),
            (4.0, false, 3000.0),
            (5.0, true, 2000.0),
        ] {
            let (mut vegas, path) = at(&config(), cwnd, 64.0);
            let event = Congestion { retransmitted, ..dup_acks() };
            assert_eq!(vegas.on_congestion(&event, &path), Response::Reduced);
            assert_eq!(vegas.cwnd(), expected);
            for later in [expected + 1000.0, expected - 1000.0] {
                vegas.set_cwnd(Bytes(later)); // a later recovery of the same cut goes back to W, too
                vegas.on_recovery_exit(&RecoveryExit { now: event.now, window: vegas.cwnd(), inflated: false }, &path);
                assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(expected), Bytes(2000.0)));
            }
        }
    }

    #[test]
    fn a_window_that_the_core_leaves_inflated_stays() {
        let (mut vegas, path) = at(&config(), 3.0, 64.0);
        vegas.on_congestion(&dup_acks(), &path); // 2 segments
        vegas.on_recovery_exit(
            &RecoveryExit { now: Time::from_secs(1.1), window: Bytes(4000.0), inflated: true },
            &path,
        );
        assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(4000.0), Bytes(64_000.0)));
    }

    #[test]
    fn a_segment_sent_before_the_last_cut_costs_nothing() {
        let (mut vegas, path) = at(&config(), 16.0, 64.0);
        vegas.on_congestion(&dup_acks(), &path); // at 1 s
        assert_eq!(vegas.cwnd(), 12_000.0);
        for (sent_s, expected, cwnd) in [
            (0.95, Response::SameWindow, 12_000.0),
            (1.0, Response::SameWindow, 12_000.0),
            (1.01, Response::Reduced, 9000.0),
        ] {
            let event = Congestion { sent_at: Some(Time::from_secs(sent_s)), now: Time::from_secs(1.1), ..dup_acks() };
            assert_eq!(vegas.on_congestion(&event, &path), expected);
            assert_eq!(vegas.cwnd(), cwnd);
        }
    }

    #[test]
    fn a_recovery_without_a_cut_leaves_the_threshold() {
        let (mut vegas, path) = at(&config(), 10.0, 64.0);
        vegas.on_congestion(&rto(1), &path); // at 2 s: window 2, threshold 5 segments
        assert_eq!(vegas.on_congestion(&dup_acks(), &path), Response::SameWindow);
        vegas.on_recovery_exit(
            &RecoveryExit { now: Time::from_secs(3.0), window: Bytes(2000.0), inflated: false },
            &path,
        );
        assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(2000.0), Bytes(5000.0)));
    }

    #[test]
    fn the_receivers_window_bounds_what_is_cut() {
        let (mut vegas, path) = at(&config(), 30.0, 64.0);
        vegas.on_congestion(&dup_acks(), &Path { rwnd: Bytes(20_000.0), ..path });
        assert_eq!(vegas.cwnd(), 15_000.0);
    }

    #[test]
    fn a_timeout_leaves_two_segments() {
        let (mut vegas, path) = at(&config(), 10.0, 64.0);
        vegas.on_congestion(&rto(1), &path);
        assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(2000.0), Bytes(5000.0)));
        // sent before the timeout at 2 s: no second cut
        assert_eq!(vegas.on_congestion(&dup_acks(), &path), Response::SameWindow);
    }

    #[test]
    fn linux_halves_at_a_loss_and_doubles_every_round() {
        let (mut vegas, path) = at(&with(&[("vegas_impl", "linux")]), 10.0, 64.0);
        vegas.on_ack(&ack(1000.0), &path);
        vegas.on_ack(&ack(1000.0), &path);
        assert_eq!(vegas.cwnd(), 12_000.0);
        vegas.on_congestion(&dup_acks(), &path);
        assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(5000.0), Bytes(5000.0)));
        vegas.on_recovery_exit(
            &RecoveryExit { now: Time::from_secs(1.1), window: Bytes(5000.0), inflated: false },
            &path,
        );
        assert_eq!(vegas.cwnd(), 5000.0);
        vegas.on_congestion(&rto(1), &path);
        assert_eq!(vegas.cwnd(), 1000.0);
    }

    #[test]
    fn linux_decides_by_the_least_rtt_and_does_not_round() {
        // cwnd 20, base 100, RTT 120: 3.333 > 3; ns-2 rounds to 3 and holds
        let (mut vegas, path) = at(&with(&[("vegas_impl", "linux")]), 20.0, 2.0);
        end_round(&mut vegas, &path, 120, 20.0);
        assert_eq!(vegas.cwnd(), 19_000.0);
    }

    #[test]
    fn later_linux_measures_against_the_base() {
        // 20 * 20/120 = 3.333 or 20 * 20/100 = 4: with beta 3.5 only the second is too much
        for (diff, expected) in [("over_rtt", 20_000.0), ("over_base", 19_000.0)] {
            let mut config = with(&[("vegas_impl", "linux"), ("vegas_diff", diff)]);
            config.set_number("vegas_beta", 3.5).unwrap();
            let (mut vegas, path) = at(&config, 20.0, 2.0);
            end_round(&mut vegas, &path, 120, 20.0);
            assert_eq!(vegas.cwnd(), expected);
        }
    }

    #[test]
    fn linux_leaves_slow_start_at_the_target() {
        // 20 * 100/120 + 1 = 17.667
        let (mut vegas, path) = at(&with(&[("vegas_impl", "linux")]), 20.0, 64.0);
        end_round(&mut vegas, &path, 120, 20.0);
        assert!((vegas.cwnd().0 - 17_666.7).abs() < 0.1);
        assert_eq!(vegas.ssthresh(), vegas.cwnd());
    }

    #[test]
    fn linux_is_reno_after_a_round_of_two_samples() {
        let (mut vegas, path) = at(&with(&[("vegas_impl", "linux")]), 20.0, 2.0);
        let round = Some(Round { length: Span::from_millis(200), sent: Bytes(20_000.0) });
        vegas.on_ack(&Ack { rtt: Some(Span::from_millis(200)), round, grows: false, ..ack(1000.0) }, &path);
        vegas.on_ack(&ack(1000.0), &path);
        assert_eq!(vegas.cwnd(), 20_050.0);
    }

    #[test]
    fn a_mark_halves() {
        let (mut vegas, path) = at(&config(), 20.0, 64.0);
        vegas.on_congestion(&Congestion { cause: Cause::EcnMark, ..dup_acks() }, &path);
        assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(10_000.0), Bytes(10_000.0)));
    }
}
