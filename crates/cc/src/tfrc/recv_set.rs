//! The receive rates reported in the last two RTTs.

use units::{Span, Time};

/// Most rates that are told apart.
const PLACES: usize = 8;

/// A set of reported rates of which only the greatest is asked for: rates that a later and larger one outlives are
/// dropped, so they stand in falling order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RecvSet {
    rates: [(Time, f64); PLACES],
    len: usize,
}

impl RecvSet {
    /// One rate, as of `now`.
    pub(super) fn of(now: Time, rate: f64) -> RecvSet {
        RecvSet { rates: [(now, rate); PLACES], len: 1 }
    }

    /// Add a rate and forget those older than `age`.
    pub(super) fn update(&mut self, now: Time, rate: f64, age: Span) {
        let mut kept = 0;
        for at in 0..self.len {
            let (when, old) = self.rates[at];
            if now.since(when) <= age && old > rate {
                self.rates[kept] = (when, old);
                kept += 1;
            }
        }
        // when all places are taken, the smallest of the old ones goes: the others outlast it only in size
        self.len = kept.min(PLACES - 1);
        self.rates[self.len] = (now, rate);
        self.len += 1;
    }

    /// The greatest.
    pub(super) fn max(&self) -> f64 {
        self.rates[0].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_rate_counts_for_its_time() {
        let age = Span(10);
        let mut set = RecvSet::of(Time(0), f64::INFINITY);
        set.update(Time(5), 3.0, age);
        assert_eq!(set.max(), f64::INFINITY);
        set.update(Time(11), 2.0, age);
        assert_eq!(set.max(), 3.0);
        set.update(Time(14), 1.0, age);
        set.update(Time(16), 1.5, age);
        assert_eq!(set.max(), 2.0);
        set.update(Time(17), 9.0, age);
        assert_eq!(set.max(), 9.0);
        set.update(Time(28), 0.0, age);
        assert_eq!(set.max(), 0.0);
    }

    #[test]
    fn more_rates_than_places() {
        let mut set = RecvSet::of(Time(0), 100.0);
        (1..40).for_each(|n| set.update(Time(n), 100.0 - n as f64, Span(1000)));
        assert_eq!((set.max(), set.len), (100.0, PLACES));
    }
}
