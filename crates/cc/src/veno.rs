//! TCP Veno: Reno that grows at half speed, and cuts by half instead of a fifth, only while a queue shows.
//! Source: Fu and Liew, IEEE JSAC 21(2), 2003, restated in specs/papers/veno.md.
use units::{Bytes, Span};

use crate::round_rtt::{RoundRtt, backlog_segments};
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    the backlog takes the mean RTT of the last complete round (`veno_rtt`) and today's window; fewer than three \
    samples in that round leave it unknown, which means Reno; a loss forgets the base RTT and the round \
    (`veno_base_reset`); a mark halves.";

/// Samples that a round needs to tell anything.
pub(crate) const MIN_SAMPLES: u64 = 3;

/// State of Veno.
#[derive(Clone, Debug, PartialEq)]
pub struct Veno {
    cwnd: Bytes,
    ssthresh: Bytes,
    beta: f64, // backlog from which the path counts as congested, segments
    keep: f64, // share kept after a random loss
    which: Which,
    same_on_rto: bool,
    reset_base: bool,
    base: Option<Span>, // least RTT since the last reset
    round: RoundRtt,
    rtt: Option<Span>, // of the last round
    pace: HalfPace,
}

/// The RTT that tells the backlog.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Which {
    /// Mean of the last round.
    Mean,
    /// Least of the last round.
    Least,
    /// The newest (Linux takes the least since its last decision, which every ACK makes).
    Newest,
}

/// Lets every second ACK through.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct HalfPace {
    skipped: bool,
}

impl HalfPace {
    /// Whether this ACK is one of those let through.
    #[inline]
    pub(crate) fn passes(&mut self) -> bool {
        let passes = self.skipped;
        self.skipped = !passes;
        passes
    }
}

impl Veno {
    /// Parameters `veno_beta`, `veno_keep`, `veno_rtt`, `veno_rto`, `veno_base_reset`.
    pub fn new(config: &Config) -> Veno {
        Veno {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            beta: config.number("veno_beta"),
            keep: config.number("veno_keep"),
            which: match config.choice("veno_rtt") {
                "min_round" => Which::Least,
                "newest" => Which::Newest,
                _ => Which::Mean,
            },
            same_on_rto: config.choice("veno_rto") == "same",
            reset_base: config.choice("veno_base_reset") == "loss",
            base: None,
            round: RoundRtt::default(),
            rtt: None,
            pace: HalfPace::default(),
        }
    }

    fn sample(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        }
        self.round.add(ack.rtt);
        if self.which == Which::Newest {
            self.rtt = ack.rtt.filter(|_| self.round.count() >= MIN_SAMPLES).or(self.rtt);
        } else if ack.round.is_some() {
            let ended = self.round.take();
            let rtt = if self.which == Which::Least { ended.least() } else { ended.mean() };
            self.rtt = rtt.filter(|_| ended.count() >= MIN_SAMPLES);
        }
    }

    /// `N`, if the last round told it.
    fn backlog(&self, path: &Path) -> Option<f64> {
        //= specs/papers/veno.md#backlog
        //# N = cwnd * (1 - baseRTT / RTT)
        Some(backlog_segments(self.cwnd, path.mss, self.base?, self.rtt?))
    }

    /// The last round showed no queue to speak of, so that a loss is not for congestion.
    fn random(&self, path: &Path) -> bool {
        self.backlog(path).is_some_and(|n| n < self.beta)
    }

    fn forget(&mut self) {
        self.base = None;
        self.rtt = None;
        self.round = RoundRtt::default();
    }
}

impl CongestionControl for Veno {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.sample(ack);
        if !ack.grows {
            return;
        }
        //= specs/papers/veno.md#growth
        //# In congestion avoidance with N >= beta the window grows on every second ACK only.
        let congested = self.cwnd >= self.ssthresh && self.backlog(path).is_some_and(|n| n >= self.beta);
        if !congested || self.pace.passes() {
            self.cwnd += reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let random = match event.cause {
            Cause::DupAcks => self.random(path),
            Cause::Rto => self.same_on_rto && self.random(path),
            Cause::EcnMark => false,
        };
        //= specs/papers/veno.md#window-after-a-loss
        //# ssthresh = 4/5 * cwnd if N < beta, else 1/2 * cwnd
        let kept = if random { self.keep } else { 0.5 };
        self.set_windows(reno::cut(event, path, kept, self.ssthresh));
        if self.reset_base && event.cause != Cause::EcnMark {
            self.forget();
        }
        if random { Response::ReducedAsRandom } else { Response::Reduced }
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("base_rtt_s", self.base.unwrap_or_default().secs());
        out("round_rtt_s", self.rtt.unwrap_or_default().secs());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, last_of_round, rto};

    fn config() -> Config {
        Config::named("veno").unwrap()
    }

    /// In congestion avoidance at `cwnd` segments, after a round with these RTTs.
    fn after_round(config: &Config, cwnd: f64, rtts_ms: &[u64]) -> Veno {
        let mut veno = Veno::new(config);
        veno.on_init(Bytes(cwnd * 1000.0), Bytes(2000.0), &test_path());
        for (k, &ms) in rtts_ms.iter().enumerate() {
            let rtt = Some(Span::from_millis(ms));
            let ack = if k + 1 < rtts_ms.len() { ack(1000.0) } else { last_of_round(1000.0) };
            veno.on_ack(&Ack { rtt, grows: false, ..ack }, &test_path());
        }
        veno
    }

    #[test]
    fn a_short_queue_keeps_four_fifths() {
        // RTTs 100, 110, 120: mean 110, N = 20 * (1 - 100/110) = 1.8 < 3; 4/5 of the flight of 10 is 8
        let mut veno = after_round(&config(), 20.0, &[100, 110, 120]);
        assert_eq!(veno.on_congestion(&dup_acks(), &test_path()), Response::ReducedAsRandom);
        assert_eq!((veno.cwnd(), veno.ssthresh()), (Bytes(8000.0), Bytes(8000.0)));
    }

    #[test]
    fn a_long_queue_halves() {
        // RTTs 100, 130, 130: mean 120, N = 20 * (1 - 100/120) = 3.333 >= 3
        let mut veno = after_round(&config(), 20.0, &[100, 130, 130]);
        assert!((veno.backlog(&test_path()).unwrap() - 3.333).abs() < 1e-3);
        assert_eq!(veno.on_congestion(&dup_acks(), &test_path()), Response::Reduced);
        assert_eq!((veno.cwnd(), veno.ssthresh()), (Bytes(5000.0), Bytes(5000.0)));
    }

    #[test]
    fn the_least_rtt_of_the_round_shows_a_shorter_queue() {
        // one sample of 100 ms in the round makes N = 0 by the minimum: 4/5, where the mean halves
        let mut config = config();
        config.set_choice("veno_rtt", "min_round").unwrap();
        let mut veno = after_round(&config, 20.0, &[100, 130, 130]);
        veno.on_congestion(&dup_acks(), &test_path());
        assert_eq!(veno.cwnd(), 8000.0);
    }

    #[test]
    fn the_newest_rtt_shows_todays_queue() {
        let mut config = config();
        config.set_choice("veno_rtt", "newest").unwrap();
        // 130 ms is the newest: N = 20 * (1 - 100/130) = 4.6, where the mean of 110 ms gives 1.8
        let mut veno = after_round(&config, 20.0, &[100, 100, 130]);
        veno.on_congestion(&dup_acks(), &test_path());
        assert_eq!(veno.cwnd, Bytes(5000.0));
        // two samples of the connection are too few; three are enough, whatever the round
        for (rtts, kept) in [(&[100, 101][..], 5000.0), (&[130, 100, 101][..], 8000.0)] {
            let mut veno = after_round(&config, 20.0, rtts);
            veno.on_congestion(&dup_acks(), &test_path());
            assert_eq!(veno.ssthresh(), kept, "{rtts:?}");
        }
    }

    #[test]
    fn a_long_queue_halves_the_growth() {
        // N = 3.333: of two ACKs one adds 1/20 of a segment
        let mut veno = after_round(&config(), 20.0, &[100, 130, 130]);
        veno.on_ack(&ack(1000.0), &test_path());
        assert_eq!(veno.cwnd(), 20_000.0);
        veno.on_ack(&ack(1000.0), &test_path());
        assert_eq!(veno.cwnd(), 20_050.0);
        // N = 1.8: every ACK does
        let mut veno = after_round(&config(), 20.0, &[100, 110, 120]);
        veno.on_ack(&ack(1000.0), &test_path());
        assert_eq!(veno.cwnd(), 20_050.0);
    }

    #[test]
    fn slow_start_is_renos_whatever_the_queue() {
        let mut veno = after_round(&config(), 20.0, &[100, 130, 130]);
        veno.ssthresh = Bytes(64_000.0);
        veno.on_ack(&ack(1000.0), &test_path());
        assert_eq!(veno.cwnd(), 21_000.0);
    }

    #[test]
    fn fewer_than_three_samples_mean_reno() {
        let mut veno = after_round(&config(), 20.0, &[100, 101]);
        assert_eq!(veno.backlog(&test_path()), None);
        veno.on_congestion(&dup_acks(), &test_path());
        assert_eq!(veno.cwnd(), 5000.0);
    }

    #[test]
    fn a_loss_forgets_the_base_rtt() {
        let mut veno = after_round(&config(), 20.0, &[100, 110, 120]);
        veno.on_congestion(&dup_acks(), &test_path());
        veno.on_congestion(&dup_acks(), &test_path());
        // nothing is known for the second loss: half of 10
        assert_eq!(veno.cwnd(), 5000.0);
        let mut never = config();
        never.set_choice("veno_base_reset", "never").unwrap();
        let mut veno = after_round(&never, 20.0, &[100, 110, 120]);
        veno.on_congestion(&dup_acks(), &test_path());
        veno.on_congestion(&dup_acks(), &test_path());
        assert_eq!(veno.cwnd(), 8000.0);
    }

    #[test]
    fn a_timeout_forgets_the_base_rtt_and_a_mark_does_not() {
        let mut veno = after_round(&config(), 20.0, &[100, 110, 120]);
        veno.on_congestion(&rto(1), &test_path());
        assert_eq!((veno.base, veno.rtt, veno.round), (None, None, RoundRtt::default()));
        let mut veno = after_round(&config(), 20.0, &[100, 110, 120]);
        veno.on_congestion(&Congestion { cause: Cause::EcnMark, ..dup_acks() }, &test_path());
        assert_eq!(veno.base, Some(Span::from_millis(100)));
    }

    #[test]
    fn the_base_rtt_learned_after_a_loss_is_the_least_since() {
        // 120, 150 and 180 ms after it: mean 150, N = 10 * (1 - 120/150) = 2 with the window of 10 then; with the old
        // base of 100 it would be 3.3
        let mut veno = after_round(&config(), 20.0, &[100, 130, 130]);
        veno.on_congestion(&dup_acks(), &test_path());
        for (ms, last) in [(120, false), (150, false), (180, true)] {
            let ack = if last { last_of_round(1000.0) } else { ack(1000.0) };
            veno.on_ack(&Ack { rtt: Some(Span::from_millis(ms)), grows: false, ..ack }, &test_path());
        }
        veno.set_cwnd(Bytes(10_000.0));
        assert!((veno.backlog(&test_path()).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(veno.on_congestion(&dup_acks(), &test_path()), Response::ReducedAsRandom);
    }

    #[test]
    fn beta_and_the_share_kept_are_parameters() {
        // N = 20 * (1 - 100/125) = 4, exactly beta: congestion, at half speed
        let mut four = config();
        four.set_number("veno_beta", 4.0).unwrap();
        let mut veno = after_round(&four, 20.0, &[100, 125, 150]);
        veno.on_ack(&ack(1000.0), &test_path());
        assert_eq!(veno.cwnd(), 20_000.0);
        assert_eq!(veno.on_congestion(&dup_acks(), &test_path()), Response::Reduced);
        // N = 4 < 5: 9/10 of 10
        let mut five = config();
        five.set_number("veno_beta", 5.0).unwrap();
        five.set_number("veno_keep", 0.9).unwrap();
        let mut veno = after_round(&five, 20.0, &[100, 125, 150]);
        assert_eq!(veno.on_congestion(&dup_acks(), &test_path()), Response::ReducedAsRandom);
        assert_eq!(veno.cwnd(), 9000.0);
    }

    #[test]
    fn a_window_at_its_threshold_is_in_congestion_avoidance() {
        let mut veno = after_round(&config(), 20.0, &[100, 130, 130]);
        veno.ssthresh = Bytes(20_000.0);
        veno.on_ack(&ack(1000.0), &test_path());
        assert_eq!(veno.cwnd(), 20_000.0); // every second ACK
    }

    #[test]
    fn a_timeout_is_renos_unless_told_otherwise() {
        let mut veno = after_round(&config(), 20.0, &[100, 110, 120]);
        assert_eq!(veno.on_congestion(&rto(1), &test_path()), Response::Reduced);
        assert_eq!((veno.cwnd(), veno.ssthresh()), (Bytes(1000.0), Bytes(5000.0)));
        let mut same = config();
        same.set_choice("veno_rto", "same").unwrap();
        let mut veno = after_round(&same, 20.0, &[100, 110, 120]);
        assert_eq!(veno.on_congestion(&rto(1), &test_path()), Response::ReducedAsRandom);
        assert_eq!((veno.cwnd(), veno.ssthresh()), (Bytes(1000.0), Bytes(8000.0)));
        veno.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }, &test_path());
        assert_eq!(veno.ssthresh(), 8000.0);
    }

    #[test]
    fn a_mark_halves_whatever_the_queue() {
        let mut veno = after_round(&config(), 20.0, &[100, 110, 120]);
        veno.on_congestion(&Congestion { cause: Cause::EcnMark, ..dup_acks() }, &test_path());
        assert_eq!(veno.cwnd(), 5000.0);
    }
}
