//! The time sliding window rate estimator of the Jersey family.
//! Source: Clark and Fang 1998, as used by Xu, Tian and Ansari 2004, restated in specs/papers/new-jersey.md.
//! Choices: the first arrival only starts the clock; arrivals at the same instant are merged into the next one.
use units::{Bytes, Rate, Span, Time};

/// Rate of a stream of arrivals, averaged over about one window of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tsw {
    rate: Rate,
    last: Option<Time>, // the arrival before
    merged: Bytes,      // arrived since then without time passing
}

impl Tsw {
    /// `amount` arrived at `now`; `window` is the time to average over.
    #[inline]
    pub fn on_arrival(&mut self, now: Time, amount: Bytes, window: Span) {
        let Some(last) = self.last else {
            self.last = Some(now);
            return;
        };
        let elapsed = now.since(last);
        self.merged += amount;
        if elapsed == Span::ZERO {
            return;
        }
        //= specs/papers/new-jersey.md#rate-estimate
        //# R = (K * RTT * R + L) / (dt + K * RTT)
        self.rate = (self.rate * window + self.merged).per(elapsed + window);
        self.merged = Bytes::ZERO;
        self.last = Some(now);
    }

    /// The estimate, zero at first.
    pub fn rate(&self) -> Rate {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(100);

    fn at_ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    #[test]
    fn climbs_towards_the_rate() {
        // 1000 B every 10 ms, window 100 ms: (0.1 * 0 + 1000) / 0.11 = 9090.9, (909.09 + 1000) / 0.11 = 17355.4, ...
        let mut tsw = Tsw::default();
        tsw.on_arrival(at_ms(0), Bytes(1000.0), RTT);
        for (k, expected) in [9090.9, 17355.4, 24868.5, 31698.7, 37907.9].into_iter().enumerate() {
            tsw.on_arrival(at_ms(10 * (k as u64 + 1)), Bytes(1000.0), RTT);
            assert!((tsw.rate().0 - expected).abs() < 0.1, "{} at {k}", tsw.rate().0);
        }
        for k in 6..1000 {
            tsw.on_arrival(at_ms(10 * k), Bytes(1000.0), RTT);
        }
        // the limit is L / dt
        assert!((tsw.rate().0 - 100_000.0).abs() < 1e-3);
    }

    #[test]
    fn simultaneous_arrivals_count_as_one() {
        let mut merged = Tsw::default();
        let mut single = Tsw::default();
        for tsw in [&mut merged, &mut single] {
            tsw.on_arrival(at_ms(0), Bytes(1000.0), RTT);
        }
        merged.on_arrival(at_ms(0), Bytes(1000.0), RTT);
        merged.on_arrival(at_ms(10), Bytes(1000.0), RTT);
        single.on_arrival(at_ms(10), Bytes(2000.0), RTT);
        assert_eq!(merged.rate(), single.rate());
    }

    #[test]
    fn time_going_back_is_no_time() {
        let mut tsw = Tsw::default();
        tsw.on_arrival(at_ms(10), Bytes(1000.0), RTT);
        tsw.on_arrival(at_ms(5), Bytes(1000.0), RTT);
        assert_eq!(tsw.rate(), Rate(0.0));
    }
}
