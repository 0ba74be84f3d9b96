//! TCP Westwood+: after congestion, size the window to the measured pipe instead of halving it.
//! Source: Grieco and Mascolo, ACM CCR 34(2), 2004, restated in specs/papers/westwood-plus.md.
//! Choices: a sample closes on the first ACK at least one RTT after the last one closed; the first sample is taken as it
//! is; before any sample the window is halved; growth as Reno; a timeout sets ssthresh by the same estimate.
use units::{Bytes, Rate, Ratio, Span, Time};

use crate::credit::Credit;
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response, reno};

/// State of Westwood+.
#[derive(Clone, Debug, PartialEq)]
pub struct WestwoodPlus {
    cwnd: Bytes,
    ssthresh: Bytes,
    bwe: Option<Rate>, // filtered bandwidth estimate
    gain: Ratio,       // weight of the old estimate
    min_interval: Span,
    raise: bool,
    acked: Bytes,         // credited since the current sample opened
    opened: Option<Time>, // when it opened
    credit: Credit,
}

impl WestwoodPlus {
    /// Parameters `wp_gain`, `wp_min_interval`, `wp_raise`.
    pub fn new(config: &Config) -> WestwoodPlus {
        WestwoodPlus {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            bwe: None,
            gain: Ratio(config.number("wp_gain")),
            min_interval: Span::from_secs(config.number("wp_min_interval")),
            raise: config.flag("wp_raise"),
            acked: Bytes::ZERO,
            opened: None,
            credit: Credit::default(),
        }
    }

    fn sample(&mut self, ack: &Ack, path: &Path) {
        self.acked += self.credit.on_ack(ack.newly_acked, path.mss);
        let opened = *self.opened.get_or_insert(ack.now);
        let elapsed = ack.now.since(opened);
        if elapsed < path.rtt.max(self.min_interval) || elapsed == Span::ZERO {
            return;
        }
        let sample = self.acked.per(elapsed);
        //= specs/papers/westwood-plus.md#bandwidth-estimate
        //# B[k] = g * B[k-1] + (1 - g) * D[k] / T[k]
        self.bwe = Some(self.bwe.map_or(sample, |old| self.gain.blend(old, sample)));
        self.acked = Bytes::ZERO;
        self.opened = Some(ack.now);
    }
}

impl CongestionControl for WestwoodPlus {
    fn on_init(&mut self, window: Bytes, ssthresh: Bytes, _path: &Path) {
        self.cwnd = window;
        self.ssthresh = ssthresh;
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.sample(ack, path);
        if ack.grows {
            self.cwnd += reno::increase(self.cwnd, self.ssthresh, path.mss);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        //= specs/papers/westwood-plus.md#window-after-congestion
        //# ssthresh = max(2 * MSS, B[k] * RTTmin)
        self.ssthresh = match self.bwe {
            Some(bwe) => path.pipe(bwe, path.rtt_min),
            None => path.keep(0.5).ssthresh,
        };
        self.cwnd = match event.cause {
            Cause::Rto => path.mss,
            Cause::DupAcks | Cause::EcnMark if self.raise => self.ssthresh,
            Cause::DupAcks | Cause::EcnMark => self.cwnd.min(self.ssthresh),
        };
        Response::Reduced
    }

    fn set_cwnd(&mut self, cwnd: Bytes) {
        self.cwnd = cwnd;
    }

    fn cwnd(&self) -> Bytes {
        self.cwnd
    }

    fn ssthresh(&self) -> Bytes {
        self.ssthresh
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("bwe_bytes_per_s", self.bwe.map_or(0.0, Rate::bytes_per_sec));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};

    fn fed() -> WestwoodPlus {
        let mut w = WestwoodPlus::new(&Config::named("westwood-plus").unwrap());
        w.on_init(Bytes(4000.0), Bytes(64_000.0), &test_path());
        // ACKs of one segment every 20 ms; the sample opens at the first and closes 100 ms later, at the sixth
        for k in 0..6u64 {
            w.on_ack(&Ack { now: Time(k * 20_000_000), grows: false, ..ack(1000.0) }, &test_path());
        }
        w
    }

    #[test]
    fn the_first_sample_is_taken_as_it_is() {
        // 6 segments credited over 100 ms: 60 kB/s
        assert_eq!(fed().bwe, Some(Rate(60_000.0)));
    }

    #[test]
    fn later_samples_are_filtered() {
        let mut w = fed();
        for k in 6..11u64 {
            w.on_ack(&Ack { now: Time(k * 20_000_000), grows: false, ..ack(1000.0) }, &test_path());
        }
        // 5 segments over 100 ms: 50 kB/s; 0.9 * 60 + 0.1 * 50 = 59 kB/s
        assert!((w.bwe.unwrap().0 - 59_000.0).abs() < 1e-6);
    }

    #[test]
    fn congestion_sizes_the_window_to_the_pipe() {
        let mut w = fed();
        w.on_congestion(&dup_acks(), &test_path());
        // 60 kB/s * 100 ms = 6 segments; the literal formula raises the window from 4
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(6000.0), Bytes(6000.0)));
        w.on_congestion(&rto(1), &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(1000.0), Bytes(6000.0)));
    }

    #[test]
    fn without_raise_the_window_never_grows_on_a_loss() {
        let mut config = Config::named("westwood-plus").unwrap();
        config.set_flag("wp_raise", false).unwrap();
        let mut w = WestwoodPlus { raise: false, ..fed() };
        assert!(!WestwoodPlus::new(&config).raise);
        w.on_congestion(&dup_acks(), &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(4000.0), Bytes(6000.0)));
    }

    #[test]
    fn before_any_sample_the_window_is_halved() {
        let mut w = WestwoodPlus::new(&Config::named("westwood-plus").unwrap());
        w.on_init(Bytes(10_000.0), Bytes(64_000.0), &test_path());
        w.on_congestion(&dup_acks(), &test_path());
        assert_eq!(w.cwnd(), 5000.0);
    }
}
