//! TCP New Jersey: the window follows the rate at which data reach the receiver, and is cut only when routers warn.
//! Source: Xu, Tian and Ansari, Computer Networks 47, 2005, restated in specs/papers/new-jersey.md.
use crate::jersey::Core;
use crate::tsw::Tsw;
use crate::{Ack, Config, Congestion, CongestionControl, Path, RecoveryExit, Response};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "those of the shared core (jersey.rs); an ACK without a receiver's time gives no sample.";

/// State of New Jersey.
#[derive(Clone, Debug, PartialEq)]
pub struct NewJersey {
    core: Core,
    receiver: Tsw, // by the receiver's clock
}

impl NewJersey {
    /// Parameters `jersey_k`, `jersey_rtt`, `cw_scope`, `nj_rto_mix`, `nj_prev`.
    pub fn new(config: &Config) -> NewJersey {
        NewJersey { core: Core::new(config), receiver: Tsw::default() }
    }
}

impl CongestionControl for NewJersey {
    window_methods!(core.);

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        let arrival = self.core.arrival(ack, path);
        if let (Some((amount, window)), Some(time)) = (arrival, ack.receiver_time) {
            self.receiver.on_arrival(time, amount, window);
        }
        self.core.on_ack(ack, self.receiver.rate(), path);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        //= specs/papers/new-jersey.md#three-duplicate-acks
        //# Without a warning cwnd and ssthresh stay as they are.
        self.core.on_congestion(event, path, |_| {})
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit, _path: &Path) {
        self.core.on_recovery_exit(exit);
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        self.core.observe(out);
        out("rate_bytes_per_s", self.receiver.rate().bytes_per_sec());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};
    use crate::{Cause, Congestion};
    use units::{Bytes, Time};

    fn config() -> Config {
        Config::named("newjersey").unwrap()
    }

    /// Window 4 segments, threshold `ssthresh`; then two ACKs whose segments reached the receiver 10 ms apart.
    /// R = 1000 / (0.01 + 0.1) = 9090.9 B/s would make ownd 0.9 segments, so the segments are 5 at once:
    /// R = 5000 / 0.11 = 45454.5 B/s, ownd = 4.545 segments with the RTT of 100 ms. Returns the time of the newest ACK.
    fn fed(config: &Config, ssthresh: f64) -> NewJersey {
        let mut nj = NewJersey::new(config);
        nj.on_init(Bytes(4000.0), Bytes(ssthresh), &test_path());
        // 40 s ahead of the sender's clock, and bunched on the way back: only the receiver's differences count
        nj.on_ack(&arrival(1000.0, 40_000), &test_path());
        nj.on_ack(&arrival(5000.0, 40_010), &test_path());
        nj
    }

    fn arrival(newly_acked: f64, receiver_ms: u64) -> Ack {
        Ack { receiver_time: Some(Time(receiver_ms * 1_000_000)), grows: false, ..ack(newly_acked) }
    }

    fn near(bytes: Bytes, expected: f64) -> bool {
        (bytes.0 - expected).abs() < 0.1
    }

    #[test]
    fn the_rate_is_measured_by_the_receivers_clock() {
        let nj = fed(&config(), 64_000.0);
        assert!((nj.receiver.rate().0 - 45_454.5).abs() < 0.1);
        assert!(near(nj.core.ownd.unwrap(), 4545.5));
    }

    #[test]
    fn a_loss_without_a_warning_cuts_nothing() {
        let mut nj = fed(&config(), 64_000.0);
        assert_eq!(nj.on_congestion(&dup_acks(), &test_path()), Response::Random);
        assert_eq!((nj.cwnd(), nj.ssthresh()), (Bytes(4000.0), Bytes(64_000.0)));
        nj.set_cwnd(Bytes(3000.0));
        nj.on_recovery_exit(
            &RecoveryExit { now: dup_acks().now, window: Bytes(2000.0), inflated: false },
            &test_path(),
        );
        assert_eq!(nj.cwnd(), 4000.0);
    }

    #[test]
    fn a_warned_loss_sizes_the_window_to_the_rate() {
        let mut nj = fed(&config(), 3000.0);
        nj.on_ack(&Ack { marked: true, ..arrival(0.0, 40_010) }, &test_path());
        assert_eq!(nj.on_congestion(&dup_acks(), &test_path()), Response::Reduced);
        assert!(near(nj.cwnd(), 4545.5) && near(nj.ssthresh(), 4545.5));
        nj.on_recovery_exit(
            &RecoveryExit { now: dup_acks().now, window: Bytes(4200.0), inflated: false },
            &test_path(),
        );
        assert_eq!(nj.cwnd(), 4200.0);
    }

    #[test]
    fn a_mark_controls_the_rate_once_per_rtt() {
        // congestion avoidance: up to ownd at once; slow start: never up
        let mut ca = fed(&config(), 3000.0);
        ca.on_ack(&Ack { marked: true, ..arrival(0.0, 40_010) }, &test_path());
        assert!(near(ca.cwnd(), 4545.5) && near(ca.ssthresh(), 4545.5));
        let mut ss = fed(&config(), 64_000.0);
        ss.on_ack(&Ack { marked: true, ..arrival(0.0, 40_010) }, &test_path());
        assert!(near(ss.cwnd(), 4000.0) && near(ss.ssthresh(), 4545.5));
        // the second mark within the RTT changes nothing
        ca.set_cwnd(Bytes(9000.0));
        ca.on_ack(&Ack { marked: true, ..arrival(0.0, 40_010) }, &test_path());
        assert_eq!(ca.cwnd(), 9000.0);
        // the engine's own announcement of the same mark: the cut was made on this very ACK, not an RTT ago
        let mark = Congestion { cause: Cause::EcnMark, ..dup_acks() };
        assert_eq!(ca.on_congestion(&mark, &test_path()), Response::Reduced);
        assert_eq!(ca.cwnd(), 9000.0);
        let later = Congestion { now: Time::from_secs(1.05), ..mark };
        assert_eq!(ca.on_congestion(&later, &test_path()), Response::SameWindow);
    }

    #[test]
    fn a_warning_lasts_one_rtt_or_one_ack() {
        let mut scope_ack = config();
        scope_ack.set_choice("cw_scope", "ack").unwrap();
        // a mark at 1 s, the duplicate that matters at 1.1 s (within the RTT) or 1.101 s (after it)
        for (config, newest_s, expected) in [
            (config(), 1.1, Response::Reduced),
            (config(), 1.101, Response::Random),
            (scope_ack, 1.001, Response::Random),
            // at the same instant, but not on the same ACK
            (scope_ack, 1.0, Response::Random),
        ] {
            let mut nj = fed(&config, 64_000.0);
            nj.on_ack(&Ack { marked: true, ..arrival(1000.0, 40_020) }, &test_path());
            let now = Time::from_secs(newest_s);
            nj.on_ack(&Ack { now, ..arrival(0.0, 40_020) }, &test_path());
            assert_eq!(nj.on_congestion(&Congestion { now, ..dup_acks() }, &test_path()), expected);
        }
        let mut nj = fed(&scope_ack, 64_000.0);
        nj.on_ack(&Ack { marked: true, ..arrival(0.0, 40_020) }, &test_path());
        assert_eq!(nj.on_congestion(&dup_acks(), &test_path()), Response::Reduced);
    }

    #[test]
    fn a_timeout_without_a_warning_goes_on_at_the_rate() {
        let mut nj = fed(&config(), 64_000.0);
        // another ACK of 1 segment 10 ms later: R = (45454.5 * 0.1 + 1000) / 0.11 = 50413.2, ownd 5.0413; the one
        // before 4.5455
        nj.on_ack(&arrival(1000.0, 40_020), &test_path());
        assert_eq!(nj.on_congestion(&rto(1), &test_path()), Response::Random);
        // (5041.3 + 4545.5) / 2
        assert!(near(nj.cwnd(), 4793.4) && near(nj.ssthresh(), 5041.3), "{:?}", nj.core);
        // again for the same segment: one segment
        assert_eq!(nj.on_congestion(&rto(2), &test_path()), Response::Reduced);
        assert_eq!(nj.cwnd(), 1000.0);
    }

    #[test]
    fn the_mix_may_take_the_window_and_the_ownd_of_the_round() {
        let mut mix = config();
        mix.set_choice("nj_rto_mix", "cwnd").unwrap();
        let mut nj = fed(&mix, 64_000.0);
        nj.on_congestion(&rto(1), &test_path());
        // (4545.5 + 4000) / 2
        assert!(near(nj.cwnd(), 4272.7));
        let mut round = config();
        round.set_choice("nj_prev", "round").unwrap();
        let mut nj = fed(&round, 64_000.0);
        nj.on_ack(&Ack { round: crate::testing::last_of_round(0.0).round, ..arrival(1000.0, 40_020) }, &test_path());
        nj.on_ack(&arrival(1000.0, 40_030), &test_path());
        nj.on_congestion(&rto(1), &test_path());
        // (5041.3 * 0.1 s + 1000) / 0.11: R = 54921.1, ownd 5492.1; at the end of the round 4545.5: mean 5018.8
        assert!(near(nj.cwnd(), 5018.8), "{:?}", nj.core);
    }

    #[test]
    fn a_timeout_to_a_smaller_window_is_a_cut_to_a_larger_or_the_same_none() {
        for (cwnd, expected) in [(9000.0, Response::ReducedAsRandom), (4000.0, Response::Random)] {
            let mut nj = fed(&config(), 64_000.0);
            nj.set_cwnd(Bytes(cwnd));
            assert_eq!(nj.on_congestion(&rto(1), &test_path()), expected);
        }
        let mut nj = fed(&config(), 64_000.0);
        let ownd = nj.core.ownd.unwrap();
        nj.set_cwnd(ownd); // one estimate only: the mean of ownd and itself
        assert_eq!(nj.on_congestion(&rto(1), &test_path()), Response::Random);
        assert_eq!(nj.cwnd(), ownd);
    }

    #[test]
    fn a_warned_timeout_starts_over() {
        let mut nj = fed(&config(), 3000.0);
        nj.on_ack(&Ack { marked: true, ..arrival(1000.0, 40_010) }, &test_path());
        // seconds later: the warning still belongs to the newest ACK
        assert_eq!(nj.on_congestion(&rto(1), &test_path()), Response::Reduced);
        assert_eq!(nj.cwnd(), 1000.0);
    }

    #[test]
    fn the_least_rtt_makes_a_smaller_window() {
        let mut least = config();
        least.set_choice("jersey_rtt", "min").unwrap();
        let mut nj = fed(&least, 3000.0);
        let path = Path { rtt_min: units::Span::from_millis(50), ..test_path() };
        // R = (4545.45 + 1000) / 0.11 = 50413.2; times 50 ms = 2520.7
        nj.on_ack(&arrival(1000.0, 40_020), &path);
        assert!(near(nj.core.ownd.unwrap(), 2520.7));
    }

    #[test]
    fn before_any_estimate_a_warned_loss_halves() {
        let mut nj = NewJersey::new(&config());
        nj.on_init(Bytes(10_000.0), Bytes(64_000.0), &test_path());
        nj.on_ack(&Ack { marked: true, ..arrival(0.0, 40_000) }, &test_path());
        assert_eq!((nj.cwnd(), nj.ssthresh()), (Bytes(10_000.0), Bytes(64_000.0)));
        nj.on_congestion(&dup_acks(), &test_path());
        assert_eq!((nj.cwnd(), nj.ssthresh()), (Bytes(5000.0), Bytes(5000.0)));
    }
}
