//! The network allocation vector: until when other stations have said that they use the medium.

use units::Time;

/// One station's NAV. That it ends is no event: whoever asks compares.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nav {
    until: Time,
    /// What an RTS asked for, if nothing may be heard of it up to `until`.
    rest: Option<Time>,
}

impl Nav {
    /// The end, as far as is known.
    pub(crate) fn until(&self) -> Time {
        self.until
    }

    pub(crate) fn is_over(&self, now: Time) -> bool {
        now >= self.until
    }

    /// It is over, and nothing can bring it back.
    pub(crate) fn is_past(&self, now: Time) -> bool {
        now > self.until || (now == self.until && self.rest.is_none())
    }

    /// A frame asked for the medium up to `end`.
    pub(crate) fn extend(&mut self, end: Time) {
        self.until = self.until.max(end);
    }

    /// An RTS asked for it up to `end`; if nothing is heard up to `reset`, it ends there.
    pub(crate) fn extend_by_rts(&mut self, end: Time, reset: Time) {
        if end <= reset || end <= self.until {
            return self.extend(end);
        }
        self.until = self.until.max(reset);
        self.rest = Some(end);
    }

    /// It ends then, whatever was asked for.
    pub(crate) fn set(&mut self, until: Time) {
        *self = Nav { until, rest: None };
    }

    /// A frame begins.
    #[inline(always)]
    pub(crate) fn on_air(&mut self, now: Time) {
        if self.rest.is_some() {
            self.keep_rest(now);
        }
    }

    fn keep_rest(&mut self, now: Time) {
        if let Some(rest) = self.rest.take()
            && now <= self.until
        {
            self.extend(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_end_counts() {
        let mut nav = Nav::default();
        nav.extend(Time(100));
        nav.extend(Time(50));
        assert!(!nav.is_over(Time(99)) && nav.is_over(Time(100)));
    }

    #[test]
    fn an_rts_that_nothing_follows_is_forgotten() {
        let mut nav = Nav::default();
        nav.extend_by_rts(Time(1000), Time(200));
        assert!(nav.is_over(Time(200)));
        nav.on_air(Time(201));
        assert!(nav.is_over(Time(201)));
    }

    #[test]
    fn an_rts_that_something_follows_is_kept() {
        let mut nav = Nav::default();
        nav.extend_by_rts(Time(1000), Time(200));
        nav.on_air(Time(10));
        assert!(!nav.is_over(Time(999)) && nav.is_over(Time(1000)));
    }
}
