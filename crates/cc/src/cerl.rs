//! TCP CERL: keep the window when a loss looks random, judged by the queue that the newest RTT sample shows.
//! Source: El-Ocla, Wireless Networks 16, 2010, restated in specs/papers/cerl.md.
use units::{Bytes, Span};

use crate::cerl_plus::Factor;
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, RecoveryExit, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    the queue is kept in seconds; a loss is congestive at the threshold, not only above it (`cerl_cmp`); the longest \
    queue stands when the least RTT falls (`cerl_lmax`); no RTT sample yet means congestion; a mark halves.";

/// State of CERL and of the CERL+ family, which differs in the threshold's factor.
#[derive(Clone, Debug, PartialEq)]
pub struct Cerl {
    cwnd: Bytes,
    ssthresh: Bytes,
    factor: Factor,        // A, the threshold's share of the longest queue
    above: bool,           // congestive only above the threshold
    rebase: bool,          // measure the longest queue against today's least RTT
    once_per_window: bool, // one cut per window of data
    queue: Option<Span>,   // l, of the newest RTT sample
    queue_max: Span,       // lmax
    rtt_max: Span,
    kept: Option<Bytes>, // window to return to after a recovery without a cut
}

impl Cerl {
    /// CERL with a constant factor. Parameters `cerl_A`, `cerl_cmp`, `cerl_lmax`.
    pub fn new(config: &Config) -> Cerl {
        Cerl::with(config, Factor::Constant(config.number("cerl_A")), true)
    }

    pub(crate) fn with(config: &Config, factor: Factor, once_per_window: bool) -> Cerl {
        Cerl {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            factor,
            above: config.choice("cerl_cmp") == "gt",
            rebase: config.choice("cerl_lmax") == "rebase",
            once_per_window,
            queue: None,
            queue_max: Span::ZERO,
            rtt_max: Span::ZERO,
            kept: None,
        }
    }

    fn on_sample(&mut self, rtt: Span, path: &Path) {
        //= specs/papers/cerl.md#queue
        //# l = RTT - T
        let queue = rtt - path.rtt_min;
        self.queue = Some(queue);
        self.rtt_max = self.rtt_max.max(rtt);
        self.queue_max = if self.rebase { self.rtt_max - path.rtt_min } else { self.queue_max.max(queue) };
        self.factor.on_sample(rtt, path);
    }

    /// `N`: the queue, in seconds, that separates random losses from congestion.
    fn threshold_secs(&self, path: &Path) -> f64 {
        //= specs/papers/cerl.md#threshold
        //# N = A * lmax
        self.factor.value(path.rtt_min) * self.queue_max.secs()
    }

    fn congestive(&self, path: &Path) -> bool {
        let Some(queue) = self.queue else { return true };
        let threshold_secs = self.threshold_secs(path);
        if self.above { queue.secs() > threshold_secs } else { queue.secs() >= threshold_secs }
    }
}

impl CongestionControl for Cerl {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        if let Some(rtt) = ack.rtt {
            self.on_sample(rtt, path);
        }
        if ack.grows {
            self.cwnd += reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        if event.cause == Cause::DupAcks {
            //= specs/papers/cerl.md#three-duplicate-acks
            //# The window is halved if the loss is congestive and was sent after the last reduction.
            let congestive = self.congestive(path);
            if !congestive || (self.once_per_window && event.cut_already) {
                self.kept = Some(self.cwnd);
                return if congestive { Response::SameWindow } else { Response::Random };
            }
        }
        self.kept = None;
        let half = if event.cause == Cause::DupAcks {
            //= specs/papers/cerl.md#three-duplicate-acks
            //# The halving starts from min(cwnd, rwnd).
            path.halving(self.cwnd.min(path.rwnd)).keep(0.5)
        } else {
            event.keep(0.5)
        };
        if !event.hold_ssthresh {
            self.ssthresh = half.ssthresh;
        }
        self.cwnd = if event.cause == Cause::Rto { path.mss } else { half.cwnd };
        Response::Reduced
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit, _path: &Path) {
        //= specs/papers/cerl.md#end-of-recovery
        //# cwnd = old_cwnd if the window was kept
        self.cwnd = self.kept.take().unwrap_or(exit.window);
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("queue_s", self.queue.unwrap_or_default().secs());
        out("queue_max_s", self.queue_max.secs());
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};

    /// Window of 10 segments, threshold 5, after samples of these many milliseconds.
    pub(crate) fn sampled(config: &Config, rtts_ms: &[u64]) -> (crate::Algorithm, Path) {
        let mut path = test_path();
        path.rtt_min = Span::ZERO;
        let mut cerl = config.build();
        cerl.on_init(Bytes(10_000.0), Bytes(5000.0), &path);
        for &ms in rtts_ms {
            path.rtt = Span::from_millis(ms);
            path.rtt_min = if path.rtt_min == Span::ZERO { path.rtt } else { path.rtt_min.min(path.rtt) };
            cerl.on_ack(&Ack { rtt: Some(path.rtt), grows: false, ..ack(1000.0) }, &path);
        }
        (cerl, path)
    }

    fn config() -> Config {
        Config::named("cerl").unwrap()
    }

    fn exit(window: f64) -> RecoveryExit {
        RecoveryExit { now: dup_acks().now, window: Bytes(window), inflated: false }
    }

    #[test]
    fn a_long_queue_means_congestion() {
        // T 100, lmax 60, l 40; N = 0.55 * 60 = 33 ms: 40 >= 33
        let (mut cerl, path) = sampled(&config(), &[100, 160, 140]);
        assert_eq!(cerl.on_congestion(&dup_acks(), &path), Response::Reduced);
        assert_eq!((cerl.cwnd(), cerl.ssthresh()), (Bytes(5000.0), Bytes(5000.0)));
        cerl.on_recovery_exit(&exit(4500.0), &path);
        assert_eq!(cerl.cwnd(), 4500.0);
    }

    #[test]
    fn a_short_queue_means_a_random_loss() {
        // l = 30 ms < 33 ms: NewReno would halve
        let (mut cerl, path) = sampled(&config(), &[100, 160, 130]);
        assert_eq!(cerl.on_congestion(&dup_acks(), &path), Response::Random);
        assert_eq!((cerl.cwnd(), cerl.ssthresh()), (Bytes(10_000.0), Bytes(5000.0)));
        // a core that deflated or proposes ssthresh does not matter: the kept window comes back, once
        cerl.set_cwnd(Bytes(7000.0));
        cerl.on_recovery_exit(&exit(5000.0), &path);
        assert_eq!(cerl.cwnd(), 10_000.0);
        cerl.on_recovery_exit(&exit(5000.0), &path);
        assert_eq!(cerl.cwnd(), 5000.0);
    }

    #[test]
    fn a_cut_halves_the_window_whatever_is_in_flight() {
        // a second recovery right after the first: 80 segments in flight, window 10
        let (mut cerl, path) = sampled(&config(), &[100, 160, 140]);
        cerl.on_congestion(&dup_acks().of(80_000.0), &path);
        assert_eq!((cerl.cwnd(), cerl.ssthresh()), (Bytes(5000.0), Bytes(5000.0)));
        // the receiver's window is the smaller one
        let (mut cerl, path) = sampled(&config(), &[100, 160, 140]);
        cerl.on_congestion(&dup_acks(), &Path { rwnd: Bytes(6000.0), ..path });
        assert_eq!(cerl.cwnd(), 3000.0);
        // a timeout is Reno's
        let (mut cerl, path) = sampled(&config(), &[100, 160, 140]);
        cerl.on_congestion(&rto(1).of(80_000.0), &path);
        assert_eq!(cerl.ssthresh(), 40_000.0);
    }

    #[test]
    fn a_second_loss_of_the_same_window_is_not_paid_twice() {
        let (mut cerl, path) = sampled(&config(), &[100, 160, 140]);
        let again = Congestion { cut_already: true, ..dup_acks() };
        assert_eq!(cerl.on_congestion(&again, &path), Response::SameWindow);
        assert_eq!(cerl.cwnd(), 10_000.0);
    }

    #[test]
    fn at_the_threshold_the_comparison_decides() {
        // T 100, lmax 50, A = 0.5: N = 25 ms = l
        let mut config = config();
        config.set_number("cerl_A", 0.5).unwrap();
        let (mut cerl, path) = sampled(&config, &[100, 150, 125]);
        assert_eq!(cerl.on_congestion(&dup_acks(), &path), Response::Reduced);
        config.set_choice("cerl_cmp", "gt").unwrap();
        // at 25 ms and below it is random, above it congestion
        for (ms, response) in [(124, Response::Random), (125, Response::Random), (126, Response::Reduced)] {
            let (mut cerl, path) = sampled(&config, &[100, 150, ms]);
            assert_eq!(cerl.on_congestion(&dup_acks(), &path), response, "{ms} ms");
        }
    }

    #[test]
    fn without_a_queue_a_loss_is_random_if_it_must_pass_the_threshold() {
        // l = N = 0 is not more; without a sample it is congestion even so
        let mut config = config();
        config.set_choice("cerl_cmp", "gt").unwrap();
        for (rtts, response) in [(&[100, 100][..], Response::Random), (&[][..], Response::Reduced)] {
            let (mut cerl, path) = sampled(&config, rtts);
            assert_eq!(cerl.on_congestion(&dup_acks(), &path), response);
        }
    }

    #[test]
    fn the_window_grows_as_renos() {
        let (mut cerl, path) = sampled(&config(), &[100]);
        cerl.on_ack(&ack(1000.0), &path);
        assert_eq!(cerl.cwnd(), 10_100.0); // 1/10
        cerl.set_cwnd(Bytes(4000.0));
        cerl.on_ack(&ack(1000.0), &path);
        assert_eq!(cerl.cwnd(), 5000.0);
    }

    #[test]
    fn a_mark_halves_behind_any_queue() {
        // l = 30 ms < 33 ms would be random for a loss; the flight is 10 segments
        let (mut cerl, path) = sampled(&config(), &[100, 160, 130]);
        let mark = Congestion { cause: Cause::EcnMark, cut_already: true, ..dup_acks() };
        assert_eq!(cerl.on_congestion(&mark, &path), Response::Reduced);
        assert_eq!((cerl.cwnd(), cerl.ssthresh()), (Bytes(5000.0), Bytes(5000.0)));
    }

    #[test]
    fn queues_are_drawn_in_seconds() {
        // T 100: l 40, lmax 60 ms
        let (cerl, _) = sampled(&config(), &[100, 160, 140]);
        let mut drawn = std::vec::Vec::new();
        cerl.observe(&mut |name, value| drawn.push((name, value)));
        assert_eq!(drawn, [("queue_s", 0.040), ("queue_max_s", 0.060)]);
    }

    #[test]
    fn without_a_queue_or_a_sample_a_loss_is_congestive() {
        for rtts in [&[][..], &[100, 100, 100][..]] {
            let (mut cerl, path) = sampled(&config(), rtts);
            assert_eq!(cerl.on_congestion(&dup_acks(), &path), Response::Reduced);
        }
    }

    #[test]
    fn a_falling_least_rtt_rebases_the_longest_queue_only_on_request() {
        // 160, 200, 100, 150 ms. Queues as measured: 0, 40, 0, 50: lmax 50, N = 27.5 ms: l = 50 is congestion.
        // Rebased: lmax = 200 - 100 = 100, N = 55 ms: l = 50 is random.
        let (mut cerl, path) = sampled(&config(), &[160, 200, 100, 150]);
        assert_eq!(cerl.on_congestion(&dup_acks(), &path), Response::Reduced);
        let mut rebase = config();
        rebase.set_choice("cerl_lmax", "rebase").unwrap();
        let (mut cerl, path) = sampled(&rebase, &[160, 200, 100, 150]);
        assert_eq!(cerl.on_congestion(&dup_acks(), &path), Response::Random);
        // l = 56 is more than the threshold of 55
        let (mut cerl, path) = sampled(&rebase, &[160, 200, 100, 156]);
        assert_eq!(cerl.on_congestion(&dup_acks(), &path), Response::Reduced);
    }

    #[test]
    fn a_timeout_forgets_the_kept_window() {
        let (mut cerl, path) = sampled(&config(), &[100, 160, 130]);
        cerl.on_congestion(&dup_acks(), &path);
        cerl.on_congestion(&rto(1), &path);
        assert_eq!((cerl.cwnd(), cerl.ssthresh()), (Bytes(1000.0), Bytes(5000.0)));
        cerl.on_recovery_exit(&exit(2000.0), &path);
        assert_eq!(cerl.cwnd(), 2000.0);
    }

    #[test]
    fn a_repeated_timeout_holds_ssthresh() {
        let (mut cerl, path) = sampled(&config(), &[100]);
        cerl.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }.of(4000.0), &path);
        assert_eq!((cerl.cwnd(), cerl.ssthresh()), (Bytes(1000.0), Bytes(5000.0)));
    }
}
