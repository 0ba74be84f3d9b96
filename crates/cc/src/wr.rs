//! TCP WR: Westwood+ with the bandwidth measured from the arrivals of data at the receiver.
//! Source: Huq, COMM 2008, as told by Huq 2024, restated in specs/papers/wr.md.
use units::{Bytes, Rate, Ratio, Span, Time};

use crate::credit::Credit;
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    the first arrival only starts the clock, arrivals at the same instant are merged, and so are those that ACKs \
    tell of after a later one; a duplicate's segment is counted once; before any sample the window is halved; growth \
    as Reno; a mark is answered as duplicate ACKs are.";

/// Bandwidth from the times at which segments reached the receiver, for WR and EWR.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arrivals {
    gain: Ratio, // weight of the old estimate
    smoothed: bool,
    bw: Option<Rate>,
    last: Option<Time>, // the arrival before, by the receiver's clock
    merged: Bytes,      // arrived since then without time passing
    credit: Credit,
}

impl Arrivals {
    /// Parameters `ewr_b`, `ewr_rtt`.
    pub(crate) fn new(config: &Config) -> Arrivals {
        Arrivals {
            gain: Ratio(config.number("ewr_b")),
            smoothed: config.choice("ewr_rtt") == "srtt",
            bw: None,
            last: None,
            merged: Bytes::ZERO,
            credit: Credit::default(),
        }
    }

    /// Take an ACK; `sample` makes a bandwidth sample of bytes and the time since the arrival before. Returns the bytes
    /// that the ACK stands for.
    pub(crate) fn on_ack(&mut self, ack: &Ack, path: &Path, sample: impl FnOnce(Bytes, Span) -> Rate) -> Bytes {
        let amount = self.credit.on_ack(ack.newly_acked, path.mss);
        let Some(arrived) = ack.receiver_time else { return amount };
        let Some(last) = self.last else {
            self.last = Some(arrived);
            return amount;
        };
        self.merged += amount;
        let elapsed = arrived.since(last);
        if elapsed == Span::ZERO {
            return amount; // at the same instant, or overtaken
        }
        self.last = Some(arrived);
        let sample = sample(core::mem::take(&mut self.merged), elapsed);
        self.bw = Some(match self.bw {
            //= specs/papers/wr.md#bandwidth-estimate
            //# BW = b * BW + (1 - b) * s
            Some(old) => self.gain.blend(old, sample),
            None => sample,
        });
        amount
    }

    /// The window that fits the estimate, if there is one.
    pub(crate) fn fitting(&self, path: &Path) -> Option<Bytes> {
        let rtt = if self.smoothed { path.srtt } else { path.rtt_min };
        //= specs/papers/wr.md#optimal-window
        //# oC = max(2, RTTmin * BW / MSS)
        self.bw.filter(|_| rtt > Span::ZERO).map(|bw| path.pipe(bw, rtt))
    }

    /// The window that fits the estimate; half of today's before there is one.
    pub(crate) fn optimal(&self, event: &Congestion, path: &Path) -> Bytes {
        self.fitting(path).unwrap_or(event.keep(0.5).ssthresh)
    }

    pub(crate) fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("bw_bytes_per_s", self.bw.map_or(0.0, Rate::bytes_per_sec));
    }
}

/// State of WR.
#[derive(Clone, Debug, PartialEq)]
pub struct Wr {
    cwnd: Bytes,
    ssthresh: Bytes,
    arrivals: Arrivals,
}

impl Wr {
    /// Parameters `ewr_b`, `ewr_rtt`.
    pub fn new(config: &Config) -> Wr {
        Wr { cwnd: Bytes::ZERO, ssthresh: Bytes::ZERO, arrivals: Arrivals::new(config) }
    }
}

impl CongestionControl for Wr {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        //= specs/papers/wr.md#bandwidth-estimate
        //# s = L / dt
        self.arrivals.on_ack(ack, path, |amount, elapsed| amount.per(elapsed));
        if ack.grows {
            self.cwnd += reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        //= specs/papers/wr.md#window-after-congestion
        //# After duplicate ACKs ssthresh = cwnd = oC, after a timeout ssthresh = oC and cwnd = 1.
        let optimal = self.arrivals.optimal(event, path);
        if !event.hold_ssthresh {
            self.ssthresh = optimal;
        }
        self.cwnd = if event.cause == Cause::Rto { path.mss } else { optimal };
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        self.arrivals.observe(out);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};

    /// An ACK that arrives at 1 s, whose segment reached the receiver at `ms`.
    pub(crate) fn arrival(ms: u64, newly_acked: f64) -> Ack {
        Ack { receiver_time: Some(Time(ms * 1_000_000)), grows: false, ..ack(newly_acked) }
    }

    fn config() -> Config {
        Config::named("wr").unwrap()
    }

    /// One segment at 40.000 s, 40.010 s and 40.030 s by the receiver's clock.
    fn fed(config: &Config, path: &Path) -> Wr {
        let mut wr = Wr::new(config);
        wr.on_init(Bytes(4000.0), Bytes(64_000.0), path);
        for ms in [40_000, 40_010, 40_030] {
            wr.on_ack(&arrival(ms, 1000.0), path);
        }
        wr
    }

    #[test]
    fn samples_are_filtered_with_seven_tenths_on_the_old_value() {
        // samples 1000 / 0.01 = 100 kB/s and 1000 / 0.02 = 50 kB/s: 0.7 * 100 + 0.3 * 50 = 85 kB/s
        assert!((fed(&config(), &test_path()).arrivals.bw.unwrap().0 - 85_000.0).abs() < 1e-6);
        let mut even = config();
        even.set_number("ewr_b", 0.5).unwrap();
        assert!((fed(&even, &test_path()).arrivals.bw.unwrap().0 - 75_000.0).abs() < 1e-6);
    }

    #[test]
    fn congestion_sizes_the_window_to_the_estimate_even_upwards() {
        let mut wr = fed(&config(), &test_path());
        assert_eq!(wr.on_congestion(&dup_acks(), &test_path()), Response::Reduced);
        // 85 kB/s * 100 ms = 8.5 segments, from 4
        assert!((wr.cwnd().0 - 8500.0).abs() < 1e-6 && wr.ssthresh() == wr.cwnd());
        wr.on_congestion(&rto(1), &test_path());
        assert!(wr.cwnd() == 1000.0 && (wr.ssthresh().0 - 8500.0).abs() < 1e-6);
        wr.ssthresh = Bytes(3000.0);
        wr.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }, &test_path());
        assert_eq!(wr.ssthresh(), 3000.0);
    }

    #[test]
    fn growth_is_renos() {
        // 4 segments below the threshold of 64: one more; 10 at it: a tenth
        let mut wr = fed(&config(), &test_path());
        wr.on_ack(&ack(1000.0), &test_path());
        assert_eq!(wr.cwnd(), 5000.0);
        (wr.cwnd, wr.ssthresh) = (Bytes(10_000.0), Bytes(10_000.0));
        wr.on_ack(&ack(1000.0), &test_path());
        assert_eq!(wr.cwnd(), 10_100.0);
    }

    #[test]
    fn the_rtt_is_the_least_unless_told_otherwise() {
        let path = Path { rtt_min: Span::from_millis(60), ..test_path() };
        let mut smoothed = config();
        smoothed.set_choice("ewr_rtt", "srtt").unwrap();
        // 85 kB/s * 60 ms = 5.1 segments; * 100 ms = 8.5
        for (config, expected) in [(config(), 5100.0), (smoothed, 8500.0)] {
            assert!((fed(&config, &path).arrivals.optimal(&dup_acks(), &path).0 - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn arrivals_at_the_same_instant_are_merged() {
        let mut wr = Wr::new(&config());
        for ms in [0, 0, 0, 20] {
            wr.on_ack(&arrival(ms, 1000.0), &test_path());
        }
        // three segments after the first, in 20 ms
        assert_eq!(wr.arrivals.bw, Some(Rate(150_000.0)));
    }

    #[test]
    fn an_ack_that_was_overtaken_takes_no_time_twice() {
        // a segment every 10 ms; the ACKs of those at 10 and 20 ms come the other way round: 1000 B in 20 ms, then 2000
        // B in 10 ms: 0.7 * 50 + 0.3 * 200 = 95 kB/s
        let mut wr = Wr::new(&config());
        for ms in [0, 20, 10, 30] {
            wr.on_ack(&arrival(ms, 1000.0), &test_path());
        }
        assert!((wr.arrivals.bw.unwrap().0 - 95_000.0).abs() < 1e-6, "{:?}", wr.arrivals.bw);
    }

    #[test]
    fn a_duplicates_segment_is_not_counted_again() {
        let mut wr = Wr::new(&config());
        for (ms, bytes) in [(0, 1000.0), (10, 0.0), (20, 0.0), (30, 3000.0)] {
            wr.on_ack(&arrival(ms, bytes), &test_path());
        }
        // one segment every 10 ms: the last ACK jumps over three, of which duplicates announced two
        assert!((wr.arrivals.bw.unwrap().0 - 100_000.0).abs() < 1e-6);
    }

    #[test]
    fn without_an_estimate_the_window_is_halved() {
        let mut wr = Wr::new(&config());
        wr.on_init(Bytes(12_000.0), Bytes(64_000.0), &test_path());
        wr.on_ack(&ack(1000.0), &test_path()); // no time by the receiver's clock
        wr.on_congestion(&dup_acks(), &test_path());
        assert_eq!(wr.cwnd(), 5000.0); // half of the flight of 10
        // an estimate, but no RTT
        let path = Path { rtt_min: Span::ZERO, ..test_path() };
        let mut wr = fed(&config(), &path);
        wr.on_congestion(&dup_acks(), &path);
        assert_eq!(wr.cwnd(), 5000.0);
    }
}
