//! Token-bucket policer: what exceeds a rate and a burst is dropped before the queue.
//!
//! Source: the token bucket of RFC 2697 with one bucket and one rate, restated in specs/papers/policer.md.

use units::Time;

use crate::spec::PolicerSpec;

/// One bit in the unit in which tokens are counted exactly: bits times nanoseconds per second.
const BIT: u128 = 1_000_000_000;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Policer {
    rate_bps: u64,
    /// What the bucket holds and has now.
    most: u128,
    tokens: u128,
    filled: Time,
}

impl Policer {
    pub(crate) fn new(spec: &PolicerSpec) -> Policer {
        let most = u128::from(spec.burst_bytes) * 8 * BIT;
        Policer { rate_bps: spec.rate_bps, most, tokens: most, filled: Time::ZERO }
    }

    /// Whether a packet may pass; it takes its tokens.
    pub(crate) fn passes(&mut self, now: Time, size: u32) -> bool {
        //= specs/papers/policer.md#bucket
        //# tokens = min(burst, tokens + rate * elapsed)
        let more = u128::from(now.since(self.filled).0) * u128::from(self.rate_bps);
        self.tokens = (self.tokens + more).min(self.most);
        self.filled = now;
        let cost = u128::from(size) * 8 * BIT;
        let passes = cost <= self.tokens;
        if passes {
            self.tokens -= cost;
        }
        passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_then_the_rate() {
        // 8 Mbit/s is a byte per microsecond
        let mut policer = Policer::new(&PolicerSpec { rate_bps: 8_000_000, burst_bytes: 3000 });
        let mut passes = |us: u64, size| policer.passes(Time(us * 1000), size);
        assert!(passes(0, 1500) && passes(0, 1500) && !passes(0, 1));
        assert!(!passes(999, 1000)); // takes nothing
        assert!(passes(1000, 1000));
        assert!(!passes(1000, 1));
        // never more than the burst, however long it waited
        assert!(!passes(1_000_000, 3001));
        assert!(passes(1_000_000, 3000));
        assert!(!passes(1_000_001, 2));
        assert!(passes(1_000_002, 2));
    }
}
