//! RTT samples of one round, and the backlog they show: shared by the delay-based algorithms.
//! Choice: the sample of the ACK that ends a round belongs to the round it ends.
use units::{Bytes, Span};

/// Sum, count and least of the RTT samples since the round began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoundRtt {
    sum: Span,
    count: u64,
    least: Span,
}

impl RoundRtt {
    /// Take the sample of an ACK, if it has one.
    #[inline]
    pub fn add(&mut self, sample: Option<Span>) {
        let Some(rtt) = sample else { return };
        self.least = if self.count == 0 { rtt } else { self.least.min(rtt) };
        self.sum += rtt;
        self.count += 1;
    }

    /// What the round has collected; the next one starts from nothing.
    pub fn take(&mut self) -> RoundRtt {
        core::mem::take(self)
    }

    /// Samples taken.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Arithmetic mean, if there is a sample.
    pub fn mean(&self) -> Option<Span> {
        (self.count > 0).then(|| self.sum / self.count)
    }

    /// Least sample, if there is one.
    pub fn least(&self) -> Option<Span> {
        (self.count > 0).then_some(self.least)
    }
}

/// Segments of `window` that stand in queues when the RTT is `rtt` and would be `base` without queues.
pub fn backlog_segments(window: Bytes, mss: Bytes, base: Span, rtt: Span) -> f64 {
    if rtt == Span::ZERO { 0.0 } else { window.over(mss) * (rtt - base).secs() / rtt.secs() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_least_of_a_round() {
        let mut round = RoundRtt::default();
        for ms in [120, 100, 140] {
            round.add(Some(Span::from_millis(ms)));
        }
        round.add(None);
        let ended = round.take();
        assert_eq!((ended.count(), ended.mean()), (3, Some(Span::from_millis(120))));
        assert_eq!(ended.least(), Some(Span::from_millis(100)));
        assert_eq!((round.mean(), round.least()), (None, None));
    }

    #[test]
    fn a_sixth_of_twenty_segments_queues() {
        // 20 * (120 - 100) / 120 = 3.333
        let n = backlog_segments(Bytes(20_000.0), Bytes(1000.0), Span::from_millis(100), Span::from_millis(120));
        assert!((n - 3.333).abs() < 1e-3);
    }
}
