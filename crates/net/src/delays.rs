//! The distribution of a flow's queueing delays, in a few kilobytes.

use units::Span;

/// Parts of each power of two; a value is known to one part, 1.6 %.
const PARTS: u64 = 64;
const PART_BITS: u32 = PARTS.trailing_zeros();
/// Delays in units of 1.024 microseconds, up to 2^32 of them (an hour).
const UNIT_BITS: u32 = 10;
const PLACES: usize = (33 - PART_BITS as usize) * PARTS as usize;

/// Counts of delays in places that grow with the delay.
#[derive(Clone, Debug)]
pub struct Delays {
    counts: Box<[u32]>,
    total: u64,
    sum: f64,
    max: Span,
}

impl Default for Delays {
    fn default() -> Delays {
        Delays { counts: vec![0; PLACES].into(), total: 0, sum: 0.0, max: Span::ZERO }
    }
}

fn place(delay: Span) -> usize {
    let units = (delay.0 >> UNIT_BITS).min(u64::from(u32::MAX));
    if units < PARTS {
        return units as usize;
    }
    let power = 63 - units.leading_zeros() - PART_BITS;
    ((u64::from(power) + 1) * PARTS + ((units >> power) - PARTS)) as usize
}

/// The middle of a place.
fn middle(place: usize) -> Span {
    let place = place as u64;
    let (low, width) = match place / PARTS {
        0 => (place, 1),
        row => ((PARTS + place % PARTS) << (row - 1), 1 << (row - 1)),
    };
    Span((low << UNIT_BITS) + (width << (UNIT_BITS - 1)))
}

impl Delays {
    /// Count one.
    #[inline]
    pub fn add(&mut self, delay: Span) {
        self.counts[place(delay)] += 1;
        self.total += 1;
        self.sum += delay.secs();
        self.max = self.max.max(delay);
    }

    /// The delay that this share of the packets does not exceed, to 1.6 %; none if there were no packets.
    pub fn quantile(&self, share: f64) -> Option<Span> {
        let mut left = (share * self.total as f64).ceil().max(1.0) as u64;
        for (place, &count) in self.counts.iter().enumerate() {
            if u64::from(count) >= left {
                return Some(middle(place).min(self.max));
            }
            left -= u64::from(count);
        }
        None
    }

    /// Mean, seconds; none if there were no packets.
    pub fn mean_s(&self) -> Option<f64> {
        (self.total > 0).then(|| self.sum / self.total as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_thousand_milliseconds() {
        let mut delays = Delays::default();
        (1..=1000).for_each(|ms| delays.add(Span::from_millis(ms)));
        for (share, ms) in [(0.5, 500.0), (0.95, 950.0), (0.99, 990.0), (1.0, 1000.0)] {
            let found = delays.quantile(share).unwrap().secs() * 1e3;
            assert!((found / ms - 1.0).abs() < 0.016, "{share}: {found} ms");
        }
        assert!((delays.mean_s().unwrap() - 0.5005).abs() < 1e-9);
    }

    #[test]
    fn no_delay_is_nothing_and_the_largest_is_itself() {
        let mut delays = Delays::default();
        assert_eq!(delays.quantile(0.5), None);
        delays.add(Span::ZERO);
        assert_eq!(delays.quantile(0.95), Some(Span::ZERO));
        delays.add(Span(u64::MAX));
        assert!(delays.quantile(1.0).unwrap() > Span::from_secs(3600.0));
    }

    #[test]
    fn every_place_holds_its_own_middle() {
        for at in 0..PLACES {
            assert_eq!(place(middle(at)), at);
        }
    }
}
