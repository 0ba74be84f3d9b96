//! When a timer expires.
//! Source: the timer wheel that Linux has since 4.8 (T. Gleixner, 2016), for a kernel that counts milliseconds: the
//! further away a timer is, the longer are the steps in which it is kept. The RFCs know exact timers only.

use units::{Span, Time};

use crate::{Config, TimerWheel};

/// Nanoseconds of a millisecond.
const MS: u64 = 1_000_000;

/// Whether timers expire in steps, and where those begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wheel {
    stepped: bool,
    phase: Span,
}

impl Wheel {
    pub(crate) fn new(config: &Config) -> Wheel {
        Wheel { stepped: config.timer_wheel == TimerWheel::Linux, phase: config.timer_phase }
    }

    /// What a clock of whole milliseconds shows.
    pub(crate) fn clock(&self, now: Time) -> u64 {
        (now + self.phase).0 / MS
    }

    /// What is added to short timers, so that they do not fire on a clock's rounding.
    pub(crate) fn slack(&self) -> Span {
        if self.stepped { Span::from_millis(2) } else { Span::ZERO }
    }

    /// When a timer expires that is set now, for so long.
    #[inline]
    pub(crate) fn expiry(&self, now: Time, span: Span) -> Time {
        if self.stepped { self.next_step(now, span) } else { now + span }
    }

    /// The first step after so many whole milliseconds: of one millisecond up to 63 of them, of eight up to 504, and so
    /// on.
    #[cold]
    fn next_step(&self, now: Time, span: Span) -> Time {
        let whole = span.0.div_ceil(MS);
        let (mut step, mut most) = (1, 63);
        while whole >= most {
            (step, most) = (step * 8, most * 8);
        }
        let due = self.clock(now) + whole;
        Time(((due / step + 1) * step * MS).saturating_sub(self.phase.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wheel(phase_us: u64) -> Wheel {
        Wheel { stepped: true, phase: Span(phase_us * 1000) }
    }

    #[test]
    fn the_longer_the_time_the_longer_the_steps() {
        let at = |ms: u64, span: u64| wheel(0).expiry(Time(ms * MS), Span(span * MS)).0 / MS;
        // 40 ms: in steps of one, and the step that has begun does not count
        assert_eq!(at(100, 40), 141);
        // 100 + 353 = 453: the next step of 8 after 448 is 456
        assert_eq!(at(100, 353), 456);
        // 100 + 1000 = 1100: 64 * 17 = 1088, so 1152
        assert_eq!(at(100, 1000), 1152);
    }

    #[test]
    fn the_phase_moves_the_steps_and_parts_of_a_millisecond_count_as_one() {
        // the clock reads 9.014 + 100 = 109.014 ms; 39.2 ms are 40: it expires at 150, which is 140.986 ms from the
        // start
        let at = wheel(9014).expiry(Time(100 * MS), Span(39_200_000));
        assert_eq!(at, Time(140_986_000));
    }

    #[test]
    fn an_exact_timer_has_no_steps() {
        let exact = Wheel { stepped: false, phase: Span(5) };
        assert_eq!(exact.expiry(Time(7), Span(11)), Time(18));
    }
}
