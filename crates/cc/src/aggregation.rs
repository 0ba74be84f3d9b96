//! How much more is acknowledged at once than the rate explains, of which BBR takes note.
use units::{Bytes, Rate, Time};

const ROUNDS: usize = 10;

/// The excess, in segments.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Aggregation {
    since: Time,
    delivered: u32,
    /// The most of each of the last rounds.
    most: [f32; ROUNDS],
    slot: u8,
}

impl Aggregation {
    /// Count from now on.
    pub(crate) fn restart(&mut self, now: Time) {
        self.since = now;
    }

    /// A round begins; `only` it counts.
    pub(crate) fn on_round(&mut self, only: bool) {
        if only {
            self.most = [0.0; ROUNDS];
        }
        self.slot = (self.slot + 1) % ROUNDS as u8;
        self.most[usize::from(self.slot)] = 0.0;
    }

    /// So many segments of `mss` are delivered at once, at a rate of `bw`.
    pub(crate) fn on_ack(&mut self, now: Time, newly: u32, bw: Rate, mss: Bytes, cwnd: Bytes) {
        let mut expected = (bw * now.since(self.since)).over(mss);
        //= specs/papers/bbr3.md#windows-and-rates
        //# the interval begins anew when no more was delivered in it than bw explains
        if f64::from(self.delivered) <= expected {
            (self.delivered, self.since, expected) = (0, now, 0.0);
        }
        self.delivered += newly;
        let extra = (f64::from(self.delivered) - expected).min(cwnd.over(mss));
        let most = &mut self.most[usize::from(self.slot)];
        *most = most.max(extra as f32);
    }

    /// The most of the last rounds, segments.
    pub(crate) fn extra(&self) -> f64 {
        f64::from(self.most.iter().fold(0.0, |most: f32, &extra| most.max(extra)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_at_once_beyond_the_rate_is_remembered_for_ten_rounds() {
        let mut aggregation = Aggregation::default();
        let mut hear = |ms: u64, newly| {
            let now = Time(ms * 1_000_000);
            // 100 kB/s: a segment of 1000 bytes in 10 ms
            aggregation.on_ack(now, newly, Rate(100_000.0), Bytes(1000.0), Bytes(20_000.0));
            aggregation.extra()
        };
        // a segment each 10 ms is one more than nothing
        assert_eq!((1..10).map(|n| hear(1000 + 10 * n, 1)).fold(0.0, f64::max), 1.0);
        // eight at once, then as many after 20 ms, where two were expected: 16 - 2
        assert_eq!((hear(1200, 8), hear(1220, 8)), (8.0, 14.0));
        // never more than the window
        assert_eq!(hear(1221, 50), 20.0);
        for _ in 0..9 {
            aggregation.on_round(false);
        }
        assert_eq!(aggregation.extra(), 20.0);
        aggregation.on_round(false);
        assert_eq!(aggregation.extra(), 0.0);
    }
}
