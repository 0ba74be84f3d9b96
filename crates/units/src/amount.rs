//! Amounts of data, rates and gains.

use core::cmp::Ordering;
use core::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

use crate::time::Span;

/// An amount of data in bytes. Backed by `f64`, so a window may stand between two segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Bytes(pub f64);

/// A rate in bytes per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Rate(pub f64);

/// A gain or share, usually between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Ratio(pub f64);

impl Bytes {
    /// Nothing.
    pub const ZERO: Bytes = Bytes(0.0);
    /// More than anything.
    pub const MAX: Bytes = Bytes(f64::INFINITY);

    /// The larger of two amounts.
    #[inline]
    pub fn max(self, other: Bytes) -> Bytes {
        if other.0 > self.0 { other } else { self }
    }

    /// The smaller of two amounts.
    #[inline]
    pub fn min(self, other: Bytes) -> Bytes {
        if other.0 < self.0 { other } else { self }
    }

    /// This amount per `span`. A span of zero gives a rate of zero.
    #[inline]
    pub fn per(self, span: Span) -> Rate {
        if span == Span::ZERO { Rate(0.0) } else { Rate(self.0 / span.secs()) }
    }

    /// How many units of `other` this is, e.g. bytes over MSS gives segments.
    #[inline]
    pub fn over(self, other: Bytes) -> f64 {
        self.0 / other.0
    }
}

impl Rate {
    /// Bytes per second as a number.
    #[inline]
    pub fn bytes_per_sec(self) -> f64 {
        self.0
    }

    /// The larger of two rates.
    #[inline]
    pub fn max(self, other: Rate) -> Rate {
        if other.0 > self.0 { other } else { self }
    }
}

impl Ratio {
    /// `self` of the old value and the rest of the new one.
    #[inline]
    pub fn blend(self, old: Rate, new: Rate) -> Rate {
        Rate(self.0 * old.0 + (1.0 - self.0) * new.0)
    }
}

macro_rules! linear {
    ($t:ident) => {
        impl Add for $t {
            type Output = $t;
            #[inline]
            fn add(self, other: $t) -> $t {
                $t(self.0 + other.0)
            }
        }
        impl Sub for $t {
            type Output = $t;
            #[inline]
            fn sub(self, other: $t) -> $t {
                $t(self.0 - other.0)
            }
        }
        impl AddAssign for $t {
            #[inline]
            fn add_assign(&mut self, other: $t) {
                self.0 += other.0;
            }
        }
        impl SubAssign for $t {
            #[inline]
            fn sub_assign(&mut self, other: $t) {
                self.0 -= other.0;
            }
        }
        impl Mul<f64> for $t {
            type Output = $t;
            #[inline]
            fn mul(self, factor: f64) -> $t {
                $t(self.0 * factor)
            }
        }
        impl Mul<$t> for f64 {
            type Output = $t;
            #[inline]
            fn mul(self, amount: $t) -> $t {
                $t(self * amount.0)
            }
        }
        impl Div<f64> for $t {
            type Output = $t;
            #[inline]
            fn div(self, divisor: f64) -> $t {
                $t(self.0 / divisor)
            }
        }
        impl PartialEq<f64> for $t {
            fn eq(&self, other: &f64) -> bool {
                self.0 == *other
            }
        }
        impl PartialOrd<f64> for $t {
            fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
                self.0.partial_cmp(other)
            }
        }
    };
}

linear!(Bytes);
linear!(Rate);

impl Mul<Span> for Rate {
    type Output = Bytes;
    #[inline]
    fn mul(self, span: Span) -> Bytes {
        Bytes(self.0 * span.secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_times_span_is_an_amount() {
        // 1 MB/s for 50 ms is 50 kB
        assert_eq!(Rate(1e6) * Span::from_millis(50), Bytes(50_000.0));
        assert_eq!(Bytes(50_000.0).per(Span::from_millis(50)), Rate(1e6));
    }

    #[test]
    fn blend_weighs_the_old_value() {
        // 0.9 * 100 + 0.1 * 200 = 110
        assert_eq!(Ratio(0.9).blend(Rate(100.0), Rate(200.0)), Rate(110.0));
    }

    #[test]
    fn a_span_of_zero_gives_no_rate() {
        assert_eq!(Bytes(1.0).per(Span::ZERO), Rate(0.0));
    }
}
