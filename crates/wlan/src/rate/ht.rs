//! Modulation and coding schemes of 802.11n (HT): one or two streams, 20 or 40 MHz, long or short guard interval.

use super::{Phy, Rate};

/// Width of the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 20 MHz.
    Mhz20,
    /// 40 MHz.
    Mhz40,
}

/// Silence between symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// 800 ns: symbols of 4 us.
    Long,
    /// 400 ns: symbols of 3.6 us.
    Short,
}

/// A modulation and coding scheme of HT, on a channel of some width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mcs {
    index: u8,
    width: Width,
    guard: Guard,
}

/// Data bits per symbol of one stream in 20 MHz and in 40 MHz, and the rate of OFDM in kbit/s with the same modulation
/// and code, by which the rate of answers is chosen.
const SCHEMES: [(u64, u64, u32); 8] = [
    (26, 54, 6000),
    (52, 108, 12_000),
    (78, 162, 18_000),
    (104, 216, 24_000),
    (156, 324, 36_000),
    (208, 432, 48_000),
    (234, 486, 54_000),
    (260, 540, 54_000),
];

/// How many schemes there are: eight with one stream, the same with two.
pub(crate) const SCHEMES_MAX: u8 = 16;

impl Rate {
    /// A rate of HT: scheme 0 to 7 with one stream, 8 to 15 with two. `None` if there is no such scheme.
    pub fn ht(index: u8, width: Width, guard: Guard) -> Option<Rate> {
        (index < SCHEMES_MAX).then(|| {
            let mcs = Mcs { index, width, guard };
            let bits = mcs.bits_per_symbol() as u32;
            let kbps = match guard {
                Guard::Long => bits * 250,
                Guard::Short => (bits * 10_000 + 18) / 36,
            };
            Rate { phy: Phy::Ht(mcs), kbps }
        })
    }
}

impl Mcs {
    /// 0 to 15.
    pub fn index(self) -> u8 {
        self.index
    }

    /// Width of its channel.
    pub fn width(self) -> Width {
        self.width
    }

    /// Silence between its symbols.
    pub fn guard(self) -> Guard {
        self.guard
    }

    /// 1 or 2.
    pub fn streams(self) -> u8 {
        1 + self.index / 8
    }

    /// Data bits per symbol, of all streams.
    pub(crate) fn bits_per_symbol(self) -> u64 {
        let (narrow, wide, _) = self.scheme();
        let bits = match self.width {
            Width::Mhz20 => narrow,
            Width::Mhz40 => wide,
        };
        bits * u64::from(self.streams())
    }

    /// The rate of OFDM that stands for this one where the rate of a control frame is chosen.
    pub(crate) fn reference(self) -> Rate {
        Rate::ofdm(self.scheme().2)
    }

    fn scheme(self) -> (u64, u64, u32) {
        SCHEMES[usize::from(self.index % 8)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_the_table() {
        let mbps = |index, width, guard| f64::from(Rate::ht(index, width, guard).unwrap().kbps) / 1000.0;
        // 26 / 4; 260 / 4; 260 / 3.6; 540 / 4, 540 / 3.6; the same with two streams
        for (index, width, guard, expected) in [
            (0, Width::Mhz20, Guard::Long, 6.5),
            (7, Width::Mhz20, Guard::Long, 65.0),
            (7, Width::Mhz20, Guard::Short, 72.222),
            (7, Width::Mhz40, Guard::Long, 135.0),
            (7, Width::Mhz40, Guard::Short, 150.0),
            (15, Width::Mhz20, Guard::Long, 130.0),
            (15, Width::Mhz20, Guard::Short, 144.444),
            (15, Width::Mhz40, Guard::Long, 270.0),
            (15, Width::Mhz40, Guard::Short, 300.0),
        ] {
            assert_eq!(mbps(index, width, guard), expected, "MCS {index}, {width:?}, {guard:?}");
        }
        assert_eq!(Rate::ht(16, Width::Mhz20, Guard::Long), None);
    }

    #[test]
    fn a_rate_says_what_it_is() {
        let rate = Rate::ht(9, Width::Mhz40, Guard::Short).unwrap();
        assert_eq!(rate.to_string(), "60 Mbps (MCS 9, 40 MHz, short guard interval)");
    }
}
