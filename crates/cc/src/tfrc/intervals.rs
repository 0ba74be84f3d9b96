//! The receiver's history of loss intervals.

use units::Span;

/// Complete intervals that count.
const KEPT: usize = 8;
//= specs/papers/tfrc.md#loss-event-rate
//# w = 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2
const WEIGHTS: [f64; KEPT] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// A loss interval: from the first lost packet of a loss event up to that of the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Packets sent in it.
    pub packets: f64,
    /// Of these, lost.
    pub lost: f64,
    /// How long it lasted.
    pub length: Span,
}

/// The complete intervals, the newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LossIntervals {
    kept: [f64; KEPT],
    known: usize,
    small_packets: bool,
}

impl LossIntervals {
    /// No losses yet. With `small_packets`, short intervals count each lost packet.
    pub fn new(small_packets: bool) -> LossIntervals {
        LossIntervals { small_packets, ..LossIntervals::default() }
    }

    /// An interval is complete: another loss event begins. `rtt` is the sender's.
    pub fn close(&mut self, interval: &Interval, rtt: Span) {
        self.push(self.counted(interval, rtt));
    }

    /// The first loss event: the interval before it is what the rate until now stands for, `1 / p`.
    pub fn begin(&mut self, p: f64) {
        self.push(1.0 / p);
    }

    fn push(&mut self, packets: f64) {
        self.kept.rotate_right(1);
        self.kept[0] = packets;
        self.known = (self.known + 1).min(KEPT);
    }

    fn counted(&self, interval: &Interval, rtt: Span) -> f64 {
        //= specs/papers/tfrc.md#small-packets
        //# An interval that lasts at most 2 R counts N / K packets
        if self.small_packets && interval.length <= rtt * 2 && interval.lost > 1.0 {
            interval.packets / interval.lost
        } else {
            interval.packets
        }
    }

    /// The loss event rate, with the interval that has not ended; zero before the first loss event.
    pub fn rate(&self, open: &Interval, rtt: Span) -> f64 {
        if self.known == 0 {
            return 0.0;
        }
        let kept = &self.kept[..self.known];
        let weights = &WEIGHTS[..self.known];
        //= specs/papers/tfrc.md#loss-event-rate
        //# I_mean = max(sum of w_i I_i, sum of w_i I_(i+1)) / sum of w_i, with i from 0 to k - 1
        let with_open = core::iter::once(self.counted(open, rtt)).chain(kept.iter().copied());
        let sum = |intervals: &mut dyn Iterator<Item = f64>| intervals.zip(weights).map(|(i, w)| i * w).sum::<f64>();
        let recent = sum(&mut with_open.into_iter());
        let closed = sum(&mut kept.iter().copied());
        let total: f64 = weights.iter().sum();
        (total / recent.max(closed)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(100);

    fn interval(packets: f64) -> Interval {
        Interval { packets, lost: 1.0, length: Span::from_millis(1000) }
    }

    fn history(newest_first: &[f64]) -> LossIntervals {
        let mut intervals = LossIntervals::new(false);
        newest_first.iter().rev().for_each(|n| intervals.close(&interval(*n), RTT));
        intervals
    }

    #[test]
    fn no_losses_no_rate() {
        assert_eq!(LossIntervals::new(false).rate(&interval(1000.0), RTT), 0.0);
    }

    #[test]
    fn a_short_open_interval_does_not_count() {
        // 50 + 100 * (1 + 1 + 1 + 0.8 + 0.6 + 0.4 + 0.2) = 550 and 100 * 6 = 600: 600 / 6 = 100
        let p = history(&[100.0; 8]).rate(&interval(50.0), RTT);
        assert!((p - 0.01).abs() < 1e-15, "{p}");
    }

    #[test]
    fn a_long_open_interval_counts() {
        // 700 + 500 = 1200, 1200 / 6 = 200
        let p = history(&[100.0; 8]).rate(&interval(700.0), RTT);
        assert!((p - 0.005).abs() < 1e-15, "{p}");
    }

    #[test]
    fn old_intervals_weigh_less_and_the_ninth_nothing() {
        // newest first 10 to 80: 10 + 20 + 30 + 40 + 40 + 36 + 28 + 16 = 220, 220 / 6 = 36.667
        let mut intervals = history(&[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 1e9]);
        let p = intervals.rate(&interval(1.0), RTT);
        assert!((p - 6.0 / 220.0).abs() < 1e-15, "{p}");
        // one more: 5 + 10 + 20 + 30 + 32 + 30 + 24 + 14 = 165
        intervals.close(&interval(5.0), RTT);
        let p = intervals.rate(&interval(1.0), RTT);
        assert!((p - 6.0 / 165.0).abs() < 1e-15, "{p}");
    }

    #[test]
    fn few_intervals_share_their_own_weights() {
        // two known, 30 and 60; open 40: max(40 + 30, 30 + 60) / 2 = 45
        let p = history(&[30.0, 60.0]).rate(&interval(40.0), RTT);
        assert!((p - 1.0 / 45.0).abs() < 1e-15, "{p}");
        // the first one stands for p = 0.02
        let mut first = LossIntervals::new(false);
        first.begin(0.02);
        assert!((first.rate(&interval(1.0), RTT) - 0.02).abs() < 1e-15);
    }

    #[test]
    fn short_intervals_of_small_packets_count_every_loss() {
        let short = Interval { packets: 12.0, lost: 4.0, length: Span::from_millis(200) };
        let longer = Interval { length: Span::from_millis(201), ..short };
        let rate = |small, closed: &Interval| {
            let mut intervals = LossIntervals::new(small);
            intervals.close(closed, RTT);
            intervals.rate(&interval(1.0), RTT)
        };
        // 12 / 4 = 3 packets an interval
        assert!((rate(true, &short) - 1.0 / 3.0).abs() < 1e-15);
        assert!((rate(true, &longer) - 1.0 / 12.0).abs() < 1e-15);
        assert!((rate(false, &short) - 1.0 / 12.0).abs() < 1e-15);
    }
}
