//! HyStart as Linux has it: slow start ends when its ACKs come in a train as long as half the path, or when the RTT
//! rises.
//! Source: Ha and Rhee, Computer Networks 55(9), 2011, with the constants and the order of Linux 6.1, restated in
//! specs/papers/hystart.md.
use units::{Bytes, Rate, Span, Time};

use crate::{Ack, Cause, Path};

const LOW_WINDOW: f64 = 16.0; // segments
const TRAIN_GAP: Span = Span::from_millis(2);
const ACK_DELAY: Span = Span::from_millis(1);
const ACK_DELAY_BYTES: Bytes = Bytes(262_144.0);
const MIN_RISE: Span = Span::from_millis(4);
const MAX_RISE: Span = Span::from_millis(16);
const SAMPLES: u32 = 8;

/// The round that is on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Classic {
    /// Slow start was ended by this, and no timeout came since.
    found: bool,
    /// Of what was outstanding when the round began, what is not acknowledged yet.
    left: Bytes,
    began: Time,
    /// The last ACK of the train that began with the round.
    train: Time,
    least: Option<Span>,
    samples: u32,
}

impl Classic {
    /// A timeout forgets everything; any other congestion leaves a window that is not in slow start.
    pub(super) fn on_congestion(&mut self, cause: Cause) {
        if cause == Cause::Rto {
            *self = Classic::default();
        }
    }

    /// An ACK in slow start, before the window grows. True if slow start ends here.
    pub(super) fn on_ack(&mut self, ack: &Ack, cwnd: Bytes, least: Span, path: &Path) -> bool {
        self.left -= ack.newly_acked;
        let Some(rtt) = ack.rtt.filter(|_| !self.found) else { return self.found };
        //= specs/papers/hystart.md#classic-hystart
        //# A round begins with the first ACK that has a sample, and then with the first such ACK beyond what was
        //# outstanding when the last one began. Its sample counts for the round that it begins.
        if self.left < Bytes::ZERO {
            *self = Classic { left: path.flight_size, began: ack.now, train: ack.now, ..Classic::default() };
        }
        if cwnd.over(path.mss) >= LOW_WINDOW {
            let train = self.is_long_train(ack.now, cwnd, least, path);
            self.found = self.has_risen(rtt, least) || train;
        }
        self.found
    }

    //= specs/papers/hystart.md#classic-hystart
    //# a train of ACKs at most 2 apart, from the round's first on, lasts for more than (RTTmin + ack_delay) / 2, or the
    //# whole where segments are paced
    fn is_long_train(&mut self, now: Time, cwnd: Bytes, least: Span, path: &Path) -> bool {
        if now.since(self.train) > TRAIN_GAP {
            return false;
        }
        self.train = now;
        let whole = least + ack_delay(cwnd, path);
        now.since(self.began) > if path.paced { whole } else { whole / 2 }
    }

    //= specs/papers/hystart.md#classic-hystart
    //# from the ninth sample of a round on, the least RTT of the round exceeds RTTmin by more than
    //# max(4, min(16, RTTmin / 8))
    fn has_risen(&mut self, rtt: Span, least: Span) -> bool {
        let lowest = self.least.map_or(rtt, |lowest| lowest.min(rtt));
        self.least = Some(lowest);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        lowest > least + (least / 8).min(MAX_RISE).max(MIN_RISE)
    }
}

//= specs/papers/hystart.md#classic-hystart
//# ack_delay is the time of 256 KiB at twice a window per RTT, at most 1
fn ack_delay(cwnd: Bytes, path: &Path) -> Span {
    let rate = if path.srtt == Span::ZERO { Rate(0.0) } else { 2.0 * cwnd.per(path.srtt) };
    if rate * ACK_DELAY <= ACK_DELAY_BYTES { ACK_DELAY } else { Span::from_secs(ACK_DELAY_BYTES.0 / rate.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::ack;

    const LEAST: Span = Span::from_millis(100);

    fn at(us: u64, rtt_ms: u64) -> Ack {
        Ack { now: Time(us * 1000), rtt: Some(Span::from_millis(rtt_ms)), ..ack(1000.0) }
    }

    /// In a round that began at 1 s, and is long.
    fn begun() -> Classic {
        Classic { left: Bytes(1e9), began: Time::from_secs(1.0), train: Time::from_secs(1.0), ..Classic::default() }
    }

    /// ACKs every `gap` microseconds at an RTT of 100 ms: after which of them slow start ends, of at most 500.
    fn train(mut classic: Classic, gap: u64, cwnd: f64, path: &Path) -> Option<u64> {
        (1..=500).find(|n| classic.on_ack(&at(1_000_000 + n * gap, 100), Bytes(cwnd), LEAST, path))
    }

    #[test]
    fn a_train_of_half_the_path_ends_slow_start() {
        let path = test_path();
        // more than (100 + 1) / 2 = 50.5 ms: 33 * 1.514 is 49.962, 34 * 1.514 is 51.476
        assert_eq!(train(begun(), 1514, 20_000.0, &path), Some(34));
        // gaps of exactly 2 ms are still a train: 26 * 2 is the first above 50.5
        assert_eq!(train(begun(), 2000, 20_000.0, &path), Some(26));
        assert_eq!(train(begun(), 2001, 20_000.0, &path), None);
        // 16 segments are enough, 15 are not
        assert_eq!(train(begun(), 1514, 16_000.0, &path), Some(34));
        assert_eq!(train(begun(), 1514, 15_999.0, &path), None);
        // of a paced sender, ACKs are apart anyhow: more than 101 ms
        assert_eq!(train(begun(), 1000, 20_000.0, &Path { paced: true, ..path }), Some(102));
    }

    #[test]
    fn a_gap_breaks_the_train_for_the_rest_of_the_round() {
        let (mut classic, path) = (begun(), test_path());
        let mut hear = |n: u64| classic.on_ack(&at(1_002_100 + n * 1514, 100), Bytes(20_000.0), LEAST, &path);
        assert!((0..500).all(|n| !hear(n)));
        // and the next round is watched again
        classic.left = Bytes::ZERO;
        classic.on_ack(&at(1_000_000, 100), Bytes(20_000.0), LEAST, &Path { flight_size: Bytes(1e9), ..path });
        assert_eq!(train(classic, 1514, 20_000.0, &path), Some(34));
    }

    #[test]
    fn a_round_lasts_until_what_was_outstanding_is_acknowledged() {
        let (mut classic, path) = (Classic::default(), test_path());
        let mut hear = |n: u64, rtt: u64, cwnd: f64| {
            classic.on_ack(&at(1_000_000 + n * 3000, rtt), Bytes(cwnd), LEAST, &path);
            (classic.began, classic.samples)
        };
        let began = |n: u64| Time::from_secs(1.0) + Span::from_millis(3 * n);
        // below 16 segments samples do not count, but a round has begun, with 10 segments outstanding
        assert_eq!(hear(0, 100, 15_000.0), (began(0), 0));
        assert_eq!(hear(1, 100, 16_000.0), (began(0), 1));
        assert_eq!((2..=10).map(|n| hear(n, 100, 20_000.0)).last(), Some((began(0), 8)));
        // the first beyond them begins another, and its sample is of that one
        assert_eq!(hear(11, 110, 20_000.0), (began(11), 1));
        assert_eq!(classic.least, Some(Span::from_millis(110)));
    }

    #[test]
    fn at_high_rates_the_ack_delay_is_short() {
        // 65 536 segments of 1000 bytes per 100 ms, twice: 1.31 GB/s sends 256 KiB in 0.2 ms
        let delay = ack_delay(Bytes(65_536_000.0), &test_path());
        assert!((delay.secs() - 0.0002).abs() < 1e-9, "{delay:?}");
        assert_eq!(ack_delay(Bytes(20_000.0), &Path { srtt: Span::ZERO, ..test_path() }), ACK_DELAY);
    }

    #[test]
    fn the_ninth_sample_of_a_risen_rtt_ends_slow_start() {
        // an eighth of 100 ms is 12.5; ACKs 3 ms apart are no train
        for (ms, ends) in [(112, None), (113, Some(9))] {
            let mut classic = begun();
            let mut end = |n: &u64| classic.on_ack(&at(1_000_000 + n * 3000, ms), Bytes(20_000.0), LEAST, &test_path());
            assert_eq!((1..40).find(&mut end), ends, "{ms} ms");
        }
        // one quick segment: the least counts
        let mut classic = begun();
        classic.on_ack(&at(1_003_000, 101), Bytes(20_000.0), LEAST, &test_path());
        assert!((2..40).all(|n| !classic.on_ack(&at(1_000_000 + n * 3000, 200), Bytes(20_000.0), LEAST, &test_path())));
        // ACKs without a sample say nothing
        let mut classic = begun();
        let mute = Ack { rtt: None, ..at(1_003_000, 200) };
        assert!((1..40).all(|_| !classic.on_ack(&mute, Bytes(20_000.0), LEAST, &test_path())));
    }

    #[test]
    fn the_rise_is_between_4_and_16_ms() {
        for (least, rise) in [(20, 4), (40, 5), (128, 16), (400, 16)] {
            for (more, ends) in [(rise, false), (rise + 1, true)] {
                let mut classic = begun();
                let last = |n: u64| at(1_000_000 + n * 3000, least + more);
                let mut hear = |n| classic.on_ack(&last(n), Bytes(20_000.0), Span::from_millis(least), &test_path());
                assert!((1..9).all(|n| !hear(n)));
                assert_eq!(hear(9), ends, "{least} ms");
            }
        }
    }

    #[test]
    fn a_timeout_begins_anew() {
        let mut classic = Classic { found: true, ..begun() };
        classic.on_congestion(Cause::DupAcks);
        assert!(classic.found);
        classic.on_congestion(Cause::Rto);
        assert_eq!(classic, Classic::default());
    }
}
