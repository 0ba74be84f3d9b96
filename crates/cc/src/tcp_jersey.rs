//! TCP-Jersey: the window follows the rate at which ACKs return, and is cut only when routers warn.
//! Source: Xu, Tian and Ansari, IEEE JSAC 22(4), 2004, restated in specs/papers/jersey.md.
use crate::jersey::Core;
use crate::tsw::Tsw;
use crate::{Ack, Config, Congestion, CongestionControl, Path, RecoveryExit, Response};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    those of the shared core (jersey.rs); the RTT of the filter is the smoothed one; every timeout starts over with \
    one segment, warned or not.";

/// State of Jersey.
#[derive(Clone, Debug, PartialEq)]
pub struct Jersey {
    core: Core,
    sender: Tsw, // arrivals of ACKs, by the sender's clock
}

impl Jersey {
    /// Parameters `jersey_k`, `jersey_rtt`, `cw_scope`.
    pub fn new(config: &Config) -> Jersey {
        Jersey { core: Core::jersey(config), sender: Tsw::default() }
    }
}

impl CongestionControl for Jersey {
    window_methods!(core.);

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        if let Some((amount, window)) = self.core.arrival(ack, path) {
            self.sender.on_arrival(ack.now, amount, window);
        }
        self.core.on_ack(ack, self.sender.rate(), path);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        //= specs/papers/jersey.md#three-duplicate-acks
        //# Without a warning cwnd and ssthresh stay as they are.
        self.core.on_congestion(event, path, |_| {})
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit, _path: &Path) {
        self.core.on_recovery_exit(exit);
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        self.core.observe(out);
        out("rate_bytes_per_s", self.sender.rate().bytes_per_sec());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};
    use crate::{Cause, Congestion};
    use units::{Bytes, Span, Time};

    fn config() -> Config {
        Config::named("jersey").unwrap()
    }

    fn at_ms(ms: u64, newly_acked: f64) -> Ack {
        Ack { now: Time(ms * 1_000_000), grows: false, ..ack(newly_acked) }
    }

    /// Window 4 segments; two ACKs of five segments 10 ms apart at the sender, one instant at the receiver:
    /// R = 5000 / (0.01 + 0.1) = 45454.5 B/s, ownd = 4.545 segments with the RTT of 100 ms.
    fn fed(config: &Config, ssthresh: f64) -> Jersey {
        let mut jersey = Jersey::new(config);
        jersey.on_init(Bytes(4000.0), Bytes(ssthresh), &test_path());
        for ms in [0, 10] {
            jersey.on_ack(&Ack { receiver_time: Some(Time(1)), ..at_ms(ms, 5000.0) }, &test_path());
        }
        jersey
    }

    fn near(bytes: Bytes, expected: f64) -> bool {
        (bytes.0 - expected).abs() < 0.1
    }

    #[test]
    fn the_rate_is_measured_by_the_senders_clock() {
        let jersey = fed(&config(), 64_000.0);
        assert!((jersey.sender.rate().0 - 45_454.5).abs() < 0.1);
        assert!(near(jersey.core.ownd.unwrap(), 4545.5));
    }

    #[test]
    fn the_memory_is_k_rtts() {
        let mut two = config();
        two.set_number("jersey_k", 2.0).unwrap();
        // R = 5000 / (0.01 + 2 * 0.1) = 23809.5
        assert!((fed(&two, 64_000.0).sender.rate().0 - 23_809.5).abs() < 0.1);
    }

    #[test]
    fn before_the_first_rtt_nothing_is_estimated() {
        let path = Path { srtt: Span::ZERO, ..test_path() };
        let mut jersey = Jersey::new(&config());
        jersey.on_init(Bytes(4000.0), Bytes(64_000.0), &path);
        jersey.on_ack(&at_ms(0, 5000.0), &path);
        jersey.on_ack(&at_ms(10, 5000.0), &path);
        assert_eq!((jersey.sender.rate().0, jersey.core.ownd), (0.0, None));
    }

    #[test]
    fn a_loss_without_a_warning_cuts_nothing() {
        let mut jersey = fed(&config(), 64_000.0);
        assert_eq!(jersey.on_congestion(&dup_acks(), &test_path()), Response::Random);
        assert_eq!((jersey.cwnd(), jersey.ssthresh()), (Bytes(4000.0), Bytes(64_000.0)));
        jersey.on_recovery_exit(
            &RecoveryExit { now: dup_acks().now, window: Bytes(2000.0), inflated: false },
            &test_path(),
        );
        assert_eq!(jersey.cwnd(), 4000.0);
    }

    #[test]
    fn a_warned_loss_sizes_the_window_to_the_rate() {
        let mut jersey = fed(&config(), 64_000.0);
        jersey.on_ack(&Ack { marked: true, ..at_ms(10, 0.0) }, &test_path());
        assert_eq!(jersey.on_congestion(&dup_acks(), &test_path()), Response::Reduced);
        assert!(near(jersey.cwnd(), 4545.5) && near(jersey.ssthresh(), 4545.5));
        jersey.on_recovery_exit(
            &RecoveryExit { now: dup_acks().now, window: Bytes(4200.0), inflated: false },
            &test_path(),
        );
        assert_eq!(jersey.cwnd(), 4200.0);
    }

    #[test]
    fn the_warning_may_have_to_be_on_the_newest_ack() {
        let mut scope_ack = config();
        scope_ack.set_choice("cw_scope", "ack").unwrap();
        // a mark at 10 ms, the newest ACK 1 ms later
        for (config, expected) in [(config(), Response::Reduced), (scope_ack, Response::Random)] {
            let mut jersey = fed(&config, 64_000.0);
            jersey.on_ack(&Ack { marked: true, ..at_ms(10, 0.0) }, &test_path());
            jersey.on_ack(&at_ms(11, 0.0), &test_path());
            assert_eq!(jersey.on_congestion(&dup_acks(), &test_path()), expected);
        }
    }

    #[test]
    fn a_mark_controls_the_rate_even_without_a_loss() {
        // congestion avoidance: to ownd, also upwards; slow start: never up
        for (ssthresh, cwnd) in [(3000.0, 4545.5), (64_000.0, 4000.0)] {
            let mut jersey = fed(&config(), ssthresh);
            jersey.on_ack(&Ack { marked: true, ..at_ms(10, 0.0) }, &test_path());
            assert!(near(jersey.cwnd(), cwnd) && near(jersey.ssthresh(), 4545.5));
        }
    }

    #[test]
    fn the_least_rtt_makes_the_smaller_window() {
        let mut least = config();
        least.set_choice("jersey_rtt", "min").unwrap();
        // R = 45454.5 with the SRTT of 100 ms; the least RTT is 60 ms: 2.727 segments
        let path = Path { rtt_min: Span::from_millis(60), ..test_path() };
        let mut jersey = Jersey::new(&least);
        jersey.on_init(Bytes(4000.0), Bytes(64_000.0), &path);
        jersey.on_ack(&at_ms(0, 5000.0), &path);
        jersey.on_ack(&at_ms(10, 5000.0), &path);
        assert!(near(jersey.core.ownd.unwrap(), 2727.3));
        // duplicates of the first window tell a rate, but no delay
        let path = Path { rtt_min: Span::ZERO, ..test_path() };
        let mut jersey = Jersey::new(&least);
        jersey.on_init(Bytes(4000.0), Bytes(64_000.0), &path);
        jersey.on_ack(&at_ms(0, 0.0), &path);
        jersey.on_ack(&at_ms(10, 0.0), &path);
        assert!(jersey.sender.rate() > 0.0 && jersey.core.ownd.is_none());
    }

    #[test]
    fn growth_is_renos_and_comes_after_the_control() {
        let mut jersey = fed(&config(), 64_000.0);
        jersey.on_ack(&Ack { grows: true, ..at_ms(20, 1000.0) }, &test_path());
        assert_eq!(jersey.cwnd(), 5000.0);
        // in congestion avoidance at 10 segments: R = (45454.5 * 0.1 + 1000) / 0.11 = 50413.2, ownd 5.0413;
        // then + 1/5.0413
        let mut jersey = fed(&config(), 3000.0);
        jersey.on_ack(&Ack { grows: true, marked: true, ..at_ms(20, 1000.0) }, &test_path());
        assert!(near(jersey.cwnd(), 5041.3 + 198.4) && near(jersey.ssthresh(), 5041.3));
    }

    #[test]
    fn control_comes_again_after_a_smoothed_rtt() {
        // marks at 20 ms, 119 and 120 ms: the last is an RTT of 100 ms after the first
        let mut jersey = fed(&config(), 3000.0);
        for (ms, controlled) in [(20, true), (119, false), (120, true)] {
            jersey.set_cwnd(Bytes(50_000.0));
            jersey.on_ack(&Ack { marked: true, ..at_ms(ms, 0.0) }, &test_path());
            assert_eq!(jersey.cwnd() < 50_000.0, controlled, "{ms}");
        }
        // a window equal to its threshold is in congestion avoidance, and goes up
        let mut jersey = fed(&config(), 4000.0);
        jersey.on_ack(&Ack { marked: true, ..at_ms(10, 0.0) }, &test_path());
        assert!(near(jersey.cwnd(), 4545.5));
    }

    #[test]
    fn a_timeout_starts_over_warned_or_not() {
        let mut jersey = fed(&config(), 64_000.0);
        assert_eq!(jersey.on_congestion(&rto(1), &test_path()), Response::Reduced);
        assert!(jersey.cwnd() == 1000.0 && near(jersey.ssthresh(), 4545.5));
        // held by the profile
        jersey.ssthresh_is(9000.0);
        jersey.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }, &test_path());
        assert_eq!(jersey.ssthresh(), 9000.0);
    }

    #[test]
    fn before_any_estimate_the_window_is_halved_at_a_timeout() {
        let mut jersey = Jersey::new(&config());
        jersey.on_init(Bytes(10_000.0), Bytes(64_000.0), &test_path());
        // a mark alone changes nothing yet
        let mark = Congestion { cause: Cause::EcnMark, ..dup_acks() };
        assert_eq!(jersey.on_congestion(&mark, &test_path()), Response::SameWindow);
        jersey.on_congestion(&rto(1), &test_path());
        assert_eq!((jersey.cwnd(), jersey.ssthresh()), (Bytes(1000.0), Bytes(5000.0)));
    }

    impl Jersey {
        fn ssthresh_is(&mut self, bytes: f64) {
            self.core.ssthresh = Bytes(bytes);
        }
    }
}
