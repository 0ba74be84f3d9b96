//! Instants and lengths of time in integer nanoseconds.

use core::fmt;
use core::ops::{Add, AddAssign, Div, Mul, Sub};

/// An instant: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

const NS_PER_SEC: f64 = 1e9;

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// An instant that never comes.
    pub const NEVER: Time = Time(u64::MAX);

    /// Seconds since the start of the run.
    #[inline]
    pub fn secs(self) -> f64 {
        self.0 as f64 / NS_PER_SEC
    }

    /// The instant `secs` seconds after the start, to the nearest nanosecond. Negative values give zero.
    #[inline]
    pub fn from_secs(secs: f64) -> Time {
        Time(Span::from_secs(secs).0)
    }

    /// The instant `span` later, of an instant that comes: a plain sum, where `+` leaves [`Time::NEVER`] what it is.
    #[inline(always)]
    pub fn then(self, span: Span) -> Time {
        Time(self.0 + span.0)
    }

    /// Time passed since `earlier`; zero if `earlier` is later.
    #[inline]
    pub fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// A span of whole milliseconds.
    pub const fn from_millis(ms: u64) -> Span {
        Span(ms * 1_000_000)
    }

    /// A span of `secs` seconds to the nearest nanosecond. Negative values give zero.
    #[inline]
    pub fn from_secs(secs: f64) -> Span {
        Span((secs * NS_PER_SEC + 0.5) as u64)
    }

    /// Length in seconds.
    #[inline]
    pub fn secs(self) -> f64 {
        self.0 as f64 / NS_PER_SEC
    }
}

impl Add<Span> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Add for Span {
    type Output = Span;
    #[inline]
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    #[inline]
    fn add_assign(&mut self, other: Span) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Span;
    #[inline]
    fn sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    #[inline]
    fn mul(self, factor: u64) -> Span {
        Span(self.0.saturating_mul(factor))
    }
}

impl Div<u64> for Span {
    type Output = Span;
    #[inline]
    fn div(self, divisor: u64) -> Span {
        Span(self.0 / divisor)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.9} s", self.secs())
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.9} s", self.secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_nanosecond() {
        assert_eq!(Span::from_secs(0.1), Span(100_000_000));
        assert_eq!(Time::from_secs(1e-9 * 1.6), Time(2));
        assert_eq!(Span::from_secs(-1.0), Span::ZERO);
    }

    #[test]
    fn never_stays_never() {
        assert_eq!(Time::NEVER + Span(5), Time::NEVER);
    }
}
