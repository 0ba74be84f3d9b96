//! TCP New Jersey+: New Jersey that takes the larger of the rates seen by the receiver and by the sender.
//! Source: Kim, Koo and Choo, LNCS 4479, 2007; Lee et al., KSII TIIS 2(6), 2008; restated in
//! specs/papers/new-jersey-plus.md.
use crate::jersey::Core;
use crate::tsw::Tsw;
use crate::{Ack, Config, Congestion, CongestionControl, Path, RecoveryExit, Response};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str =
    "those of the shared core (jersey.rs); the segment added at an unwarned loss stays after recovery.";

/// State of New Jersey+.
#[derive(Clone, Debug, PartialEq)]
pub struct NewJerseyPlus {
    core: Core,
    receiver: Tsw, // arrivals of data, by the receiver's clock
    sender: Tsw,   // arrivals of ACKs, by the sender's clock
}

impl NewJerseyPlus {
    /// Parameters `jersey_k`, `jersey_rtt`, `cw_scope`, `nj_rto_mix`, `nj_prev`.
    pub fn new(config: &Config) -> NewJerseyPlus {
        NewJerseyPlus { core: Core::new(config), receiver: Tsw::default(), sender: Tsw::default() }
    }
}

impl CongestionControl for NewJerseyPlus {
    window_methods!(core.);

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        if let Some((amount, window)) = self.core.arrival(ack, path) {
            self.sender.on_arrival(ack.now, amount, window);
            if let Some(time) = ack.receiver_time {
                self.receiver.on_arrival(time, amount, window);
            }
        }
        //= specs/papers/new-jersey-plus.md#rate
        //# R = max(Rs, Rr)
        self.core.on_ack(ack, self.sender.rate().max(self.receiver.rate()), path);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        self.core.on_congestion(event, path, |core| {
            //= specs/papers/new-jersey-plus.md#three-duplicate-acks
            //# Without a warning ssthresh = ownd and cwnd = cwnd + 1.
            core.ssthresh = core.target(event);
            core.cwnd += path.mss;
        })
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit, _path: &Path) {
        self.core.on_recovery_exit(exit);
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        self.core.observe(out);
        out("sender_rate_bytes_per_s", self.sender.rate().bytes_per_sec());
        out("receiver_rate_bytes_per_s", self.receiver.rate().bytes_per_sec());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};
    use units::{Bytes, Time};

    /// Two ACKs of 5 segments: `sender_ms` apart at the sender, `receiver_ms` at the receiver. Window 4 segments.
    fn fed(sender_ms: u64, receiver_ms: u64) -> NewJerseyPlus {
        let mut nj = NewJerseyPlus::new(&Config::named("newjersey-plus").unwrap());
        nj.on_init(Bytes(4000.0), Bytes(64_000.0), &test_path());
        for k in 0..2 {
            let at = |ms: u64| Time(k * ms * 1_000_000);
            let receiver_time = Some(at(receiver_ms));
            nj.on_ack(&Ack { now: at(sender_ms), receiver_time, grows: false, ..ack(5000.0) }, &test_path());
        }
        nj
    }

    fn near(bytes: Bytes, expected: f64) -> bool {
        (bytes.0 - expected).abs() < 0.1
    }

    #[test]
    fn the_larger_of_both_rates_counts() {
        // 10 ms apart: R = 5000 / 0.11 = 45454.5; 150 ms apart: 5000 / 0.25 = 20000
        for (sender_ms, receiver_ms) in [(10, 150), (150, 10)] {
            let mut nj = fed(sender_ms, receiver_ms);
            nj.on_congestion(&dup_acks(), &test_path());
            assert!(near(nj.ssthresh(), 4545.5));
        }
    }

    #[test]
    fn a_loss_without_a_warning_adds_a_segment() {
        let mut nj = fed(10, 10);
        assert_eq!(nj.on_congestion(&dup_acks(), &test_path()), Response::Random);
        assert_eq!(nj.cwnd(), 5000.0);
        assert!(near(nj.ssthresh(), 4545.5));
        nj.on_recovery_exit(
            &RecoveryExit { now: dup_acks().now, window: Bytes(2000.0), inflated: false },
            &test_path(),
        );
        assert_eq!(nj.cwnd(), 5000.0);
    }

    #[test]
    fn a_warned_loss_and_timeouts_are_new_jerseys() {
        let mut nj = fed(10, 10);
        nj.on_ack(&Ack { marked: true, grows: false, now: Time(10_000_000), ..ack(0.0) }, &test_path());
        assert_eq!(nj.on_congestion(&dup_acks(), &test_path()), Response::Reduced);
        assert!(near(nj.cwnd(), 4545.5) && near(nj.ssthresh(), 4545.5));
        nj.on_recovery_exit(
            &RecoveryExit { now: dup_acks().now, window: Bytes(4200.0), inflated: false },
            &test_path(),
        );
        assert_eq!(nj.cwnd(), 4200.0);
        assert_eq!(nj.on_congestion(&rto(1), &test_path()), Response::Reduced);
        assert_eq!(nj.cwnd(), 1000.0);
        let mut nj = fed(10, 10);
        assert_eq!(nj.on_congestion(&rto(1), &test_path()), Response::Random);
        // one estimate only, so the one before stands for itself: ownd
        assert!(near(nj.cwnd(), 4545.5));
    }
}
