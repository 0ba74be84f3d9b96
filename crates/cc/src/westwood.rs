//! TCP Westwood: after congestion, size the window to a bandwidth estimate that every ACK updates.
//! Source: Mascolo, Casetti, Gerla, Sanadidi and Wang, MobiCom 2001, restated in specs/papers/westwood.md.
use units::{Bytes, Rate, Ratio, Span, Time, num};

use crate::credit::Credit;
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    the first ACK only starts the clock; ACKs at the same instant are merged; the first sample is taken as it is \
    (`ww_first`); before any sample, of bandwidth or RTT, the window is halved; the window never rises at a loss.";

/// State of Westwood.
#[derive(Clone, Debug, PartialEq)]
pub struct Westwood {
    cwnd: Bytes,
    ssthresh: Bytes,
    filter: Filter,
    credit: Credit,
    divisor: Option<f64>, // a, if the early version is wanted
}

/// The low-pass filter over bandwidth samples at uneven times.
#[derive(Clone, Debug, PartialEq)]
struct Filter {
    tau: Span,
    idle: Span, // without an ACK for this long, a sample of zero
    bwe: Option<Rate>,
    sample: Rate, // the newest
    last: Option<Time>,
    merged: Bytes,
}

/// Weights of the old estimate and of each of the two newest samples, for samples `dt` apart.
fn weights(tau: Span, dt: Span) -> (Ratio, Ratio) {
    let k = 2.0 * tau.secs() / dt.secs();
    //= specs/papers/westwood.md#filter
    //# BWE = ((k - 1) * BWE + b + b_prev) / (k + 1), k = 2 * tau / dt
    (Ratio((k - 1.0) / (k + 1.0)), Ratio(1.0 / (k + 1.0)))
}

impl Filter {
    fn feed(&mut self, sample: Rate, dt: Span) {
        let (old, new) = weights(self.tau, dt);
        self.bwe = Some(match self.bwe {
            Some(bwe) => old.0 * bwe + new.0 * (sample + self.sample),
            None => sample,
        });
        self.sample = sample;
    }

    /// Feed what silence until `now` means: one sample of zero for each whole idle time, the last instant left out.
    fn pass(&mut self, now: Time) {
        let Some(last) = self.last else { return };
        let silence = now.since(last).0;
        let zeros = silence.saturating_sub(1) / self.idle.0;
        if zeros == 0 || self.bwe.is_none() {
            return;
        }
        //= specs/papers/westwood.md#virtual-samples
        //# Without an ACK for tau / m, a sample of zero is fed.
        self.feed(Rate(0.0), self.idle);
        let (old, _) = weights(self.tau, self.idle);
        self.bwe = self.bwe.map(|bwe| bwe * num::pow(old.0, (zeros - 1) as f64));
        self.last = Some(last + self.idle * zeros);
    }

    fn on_ack(&mut self, now: Time, credit: Bytes) {
        if self.last.is_none() {
            self.last = Some(now);
            return;
        }
        self.pass(now);
        self.merged += credit;
        let dt = now.since(self.last.unwrap_or(now));
        if dt > Span::ZERO {
            self.feed(self.merged.per(dt), dt);
            self.merged = Bytes::ZERO;
            self.last = Some(now);
        }
    }
}

impl Westwood {
    /// Parameters `ww_tau`, `ww_m`, `ww_first`, `ww_credit_cap`, `ww_a`.
    pub fn new(config: &Config) -> Westwood {
        let tau = config.number("ww_tau");
        Westwood {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            filter: Filter {
                tau: Span::from_secs(tau),
                idle: Span::from_secs(tau / config.number("ww_m")),
                bwe: (config.choice("ww_first") == "zero").then_some(Rate(0.0)),
                sample: Rate(0.0),
                last: None,
                merged: Bytes::ZERO,
            },
            credit: Credit::new(config),
            divisor: config.flag("ww_a").then_some(1.0),
        }
    }

    /// The early version's divisor: larger for each loss in slow start, 1 in congestion avoidance.
    fn divide(&mut self, cause: Cause) -> f64 {
        let slow_start = self.cwnd < self.ssthresh;
        let Some(a) = &mut self.divisor else { return 1.0 };
        //= specs/papers/westwood.md#reduction-factor
        //# In slow start a grows by 1/4 at duplicate ACKs and by 1 at a timeout, up to 4; otherwise a = 1.
        *a = match cause {
            _ if !slow_start => 1.0,
            Cause::Rto => (*a + 1.0).min(4.0),
            Cause::DupAcks | Cause::EcnMark => (*a + 0.25).min(4.0),
        };
        *a
    }
}

impl CongestionControl for Westwood {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        let credit = self.credit.on_ack(ack.newly_acked, path.mss);
        self.filter.on_ack(ack.now, credit);
        if ack.grows {
            self.cwnd += reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        self.filter.pass(event.now);
        let divisor = self.divide(event.cause);
        if !event.hold_ssthresh {
            //= specs/papers/westwood.md#window-after-congestion
            //# ssthresh = max(BWE * RTTmin / MSS, 2)
            self.ssthresh = match self.filter.bwe {
                Some(bwe) if path.rtt_min > Span::ZERO => path.pipe(bwe / divisor, path.rtt_min),
                _ => event.keep(0.5).ssthresh,
            };
        }
        self.cwnd = if event.cause == Cause::Rto { path.mss } else { self.cwnd.min(self.ssthresh) };
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("bwe_bytes_per_s", self.filter.bwe.map_or(0.0, Rate::bytes_per_sec));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};

    fn config() -> Config {
        Config::named("westwood").unwrap()
    }

    fn at_ms(ms: u64) -> Ack {
        Ack { now: Time(ms * 1_000_000), grows: false, ..ack(1000.0) }
    }

    /// Window 10 segments in congestion avoidance, after ACKs of one segment at these milliseconds.
    fn fed(config: &Config, ms: &[u64]) -> Westwood {
        let mut w = Westwood::new(config);
        w.on_init(Bytes(10_000.0), Bytes(4000.0), &test_path());
        for &ms in ms {
            w.on_ack(&at_ms(ms), &test_path());
        }
        w
    }

    fn bwe(w: &Westwood) -> f64 {
        w.filter.bwe.unwrap().0
    }

    #[test]
    fn weights_depend_on_the_spacing() {
        let tau = Span::from_millis(500);
        for (dt_ms, old, new) in [
            (50, 19.0 / 21.0, 1.0 / 21.0),
            (100, 9.0 / 11.0, 1.0 / 11.0),
            (1000, 0.0, 0.5),
            (2000, -1.0 / 3.0, 2.0 / 3.0),
        ] {
            let (o, n) = weights(tau, Span::from_millis(dt_ms));
            assert!((o.0 - old).abs() < 1e-12 && (n.0 - new).abs() < 1e-12, "dt {dt_ms} ms");
        }
    }

    #[test]
    fn every_ack_feeds_the_filter() {
        // 1000 B after 50 ms: 20 kB/s, taken as it is
        let mut w = fed(&config(), &[0, 50]);
        assert_eq!(bwe(&w), 20_000.0);
        // 1000 B after 100 ms: 10 kB/s; 9/11 * 20 + (10 + 20)/11 = 19.0909 kB/s
        w.on_ack(&at_ms(150), &test_path());
        assert!((bwe(&w) - 19_090.9).abs() < 0.1);
    }

    #[test]
    fn the_filter_may_start_from_zero() {
        let mut zero = config();
        zero.set_choice("ww_first", "zero").unwrap();
        // 19/21 * 0 + (20 + 0)/21 kB/s
        assert!((bwe(&fed(&zero, &[0, 50])) - 952.38).abs() < 0.01);
    }

    #[test]
    fn acks_at_the_same_instant_are_one_sample() {
        let merged = fed(&config(), &[0, 0, 50]);
        // the first starts the clock, the next two make 2000 B in 50 ms
        assert_eq!(bwe(&merged), 40_000.0);
    }

    #[test]
    fn silence_feeds_zeros() {
        // tau/m = 250 ms; after 600 ms of silence two zeros have been fed, k = 4:
        // 3/5 * 20 + 1/5 * (0 + 20) = 16, then 3/5 * 16 = 9.6 kB/s
        let mut w = fed(&config(), &[0, 50]);
        w.filter.pass(Time(650_000_000));
        assert!((bwe(&w) - 9600.0).abs() < 1e-6);
        // and the ACK that ends it counts from the second: 1000 B in 100 ms, 9/11 * 9.6 + 1/11 * (10 + 0) = 8.7636
        w.on_ack(&at_ms(650), &test_path());
        assert!((bwe(&w) - 8763.6).abs() < 0.1);
        // an ACK exactly tau/m later is in time
        let mut w = fed(&config(), &[0, 50]);
        w.filter.pass(Time(300_000_000));
        assert_eq!(bwe(&w), 20_000.0);
    }

    #[test]
    fn growth_is_renos() {
        // in congestion avoidance 10 + 1/10, and a segment more below the threshold
        let mut w = fed(&config(), &[0]);
        w.on_ack(&Ack { grows: true, ..at_ms(50) }, &test_path());
        assert_eq!(w.cwnd(), 10_100.0);
        w.ssthresh = Bytes(64_000.0);
        w.on_ack(&Ack { grows: true, ..at_ms(60) }, &test_path());
        assert_eq!(w.cwnd(), 11_100.0);
    }

    #[test]
    fn a_repeated_timeout_holds_the_threshold() {
        let mut w = fed(&config(), &[0, 50]);
        w.on_congestion(&Congestion { now: Time(60_000_000), hold_ssthresh: true, ..rto(2) }, &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(1000.0), Bytes(4000.0)));
    }

    #[test]
    fn the_reduction_factor_is_four_at_most() {
        let mut early = config();
        early.set_flag("ww_a", true).unwrap();
        let mut w = fed(&early, &[0]);
        w.filter.bwe = Some(Rate(60_000.0));
        // 1 + 1 + 1 + 1, no further, 6000 / 4 would be less than two segments: a least RTT of 200 ms makes it 3000
        let path = Path { rtt_min: Span::from_millis(200), ..test_path() };
        for (cause, a) in [(Cause::Rto, 2.0), (Cause::Rto, 3.0), (Cause::DupAcks, 3.25), (Cause::Rto, 4.0)] {
            w.ssthresh = Bytes(64_000.0);
            w.set_cwnd(Bytes(10_000.0));
            w.on_congestion(&Congestion { now: Time(0), cause, ..dup_acks() }, &path);
            assert!((w.ssthresh().0 - 12_000.0 / a).abs() < 1e-6, "{a}");
        }
        for cause in [Cause::Rto, Cause::DupAcks, Cause::EcnMark] {
            w.ssthresh = Bytes(64_000.0);
            w.on_congestion(&Congestion { now: Time(0), cause, ..dup_acks() }, &path);
            assert_eq!(w.ssthresh(), 3000.0);
        }
        // at the threshold it is congestion avoidance
        w.set_cwnd(Bytes(10_000.0));
        w.ssthresh = Bytes(10_000.0);
        w.on_congestion(&Congestion { now: Time(0), ..dup_acks() }, &path);
        assert_eq!(w.ssthresh(), 12_000.0);
    }

    #[test]
    fn a_loss_sizes_the_window_but_never_raises_it() {
        // 60 segments/s * 100 ms = 6 segments
        let mut w = fed(&config(), &[0]);
        w.filter.bwe = Some(Rate(60_000.0));
        w.on_congestion(&Congestion { now: Time(0), ..dup_acks() }, &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(6000.0), Bytes(6000.0)));
        w.set_cwnd(Bytes(4000.0));
        w.on_congestion(&Congestion { now: Time(0), ..dup_acks() }, &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(4000.0), Bytes(6000.0)));
    }

    #[test]
    fn a_timeout_finds_the_estimate_decayed() {
        let mut w = fed(&config(), &[0]);
        w.filter.bwe = Some(Rate(60_000.0));
        // no ACK for 2 s: 7 zeros (the eighth is due just now): 60 * (3/5)^7 = 1.68 kB/s: 0.17 segments, so two
        w.on_congestion(&rto(1), &test_path());
        assert!((bwe(&w) - 1679.6).abs() < 0.1);
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(1000.0), Bytes(2000.0)));
    }

    #[test]
    fn before_any_sample_the_window_is_halved() {
        let mut w = fed(&config(), &[0]);
        w.on_congestion(&dup_acks(), &test_path());
        assert_eq!(w.cwnd(), 5000.0);
    }

    #[test]
    fn without_an_rtt_the_window_is_halved() {
        // duplicates of the first window measure a bandwidth, but no delay
        let path = Path { rtt: Span::ZERO, rtt_min: Span::ZERO, ..test_path() };
        let mut w = fed(&config(), &[0]);
        w.on_ack(&Ack { newly_acked: Bytes::ZERO, rtt: None, ..at_ms(50) }, &path);
        assert_eq!(bwe(&w), 20_000.0);
        w.on_congestion(&Congestion { now: Time(50_000_000), ..dup_acks() }, &path);
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(5000.0), Bytes(5000.0)));
    }

    #[test]
    fn the_time_constant_and_the_number_of_zeros_are_parameters() {
        // tau 1 s: k = 20: (19 * 20 + 10 + 20)/21 = 19.5238 kB/s
        let mut slow = config();
        slow.set_number("ww_tau", 1.0).unwrap();
        assert!((bwe(&fed(&slow, &[0, 50, 150])) - 19_523.8).abs() < 0.1);
        // m = 5: a zero every 100 ms, weights 9/11 and 1/11: after 250 ms two: 9/11 * 20 + 1/11 * 20 = 18.1818, 9/11 of
        // it 14.8760
        let mut often = config();
        often.set_number("ww_m", 5.0).unwrap();
        let mut w = fed(&often, &[0, 50]);
        w.filter.pass(Time(300_000_000));
        assert!((bwe(&w) - 14_876.0).abs() < 0.1);
    }

    #[test]
    fn one_ack_may_be_capped_at_two_segments() {
        let mut cap = config();
        cap.set_number("ww_credit_cap", 2.0).unwrap();
        let mut w = fed(&cap, &[0]);
        w.on_ack(&Ack { newly_acked: Bytes(5000.0), ..at_ms(50) }, &test_path());
        assert_eq!(bwe(&w), 40_000.0); // 2000 B in 50 ms
    }

    #[test]
    fn the_early_version_divides_after_losses_in_slow_start() {
        let mut early = config();
        early.set_flag("ww_a", true).unwrap();
        let mut w = fed(&early, &[0]);
        w.filter.bwe = Some(Rate(60_000.0));
        let loss = Congestion { now: Time(0), ..dup_acks() };
        w.ssthresh = Bytes(64_000.0);
        w.on_congestion(&loss, &test_path());
        assert_eq!(w.ssthresh(), 4800.0); // 6000 / 1.25
        w.set_cwnd(Bytes(2000.0));
        w.on_congestion(&Congestion { now: Time(0), ..rto(1) }, &test_path());
        assert!((w.ssthresh().0 - 2666.7).abs() < 0.1); // 6000 / 2.25
        w.set_cwnd(Bytes(9000.0));
        w.on_congestion(&loss, &test_path());
        assert_eq!(w.ssthresh(), 6000.0); // congestion avoidance: 1
    }
}
