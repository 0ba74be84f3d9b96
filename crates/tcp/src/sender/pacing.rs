//! Pacing: segments leave at a rate instead of as fast as the window opens.
//! Source: Aggarwal, Savage and Anderson, INFOCOM 2000, for the idea; the rate of a window per RTT times a factor is
//! what Linux does for every algorithm under a pacing queue (its sysctls `tcp_pacing_ss_ratio` and
//! `tcp_pacing_ca_ratio`), restated in specs/papers/linux.md.
//!
//! The rule: after a data segment, the next one leaves no sooner than `MSS / rate` later, with the rate of that moment.
//! Time in which nothing could be sent is not made up for, but for `burst - 1` segments: so many may follow the first
//! at once. Linux makes up for it by half of the next distance at most. A quantum of segments leaves together, with the
//! distance of all of them behind it. Retransmissions are paced like the rest; the SYN, pure ACKs and probes of a
//! closed window are not. Rates count payload, and a short last segment counts as a whole one.

use cc::CongestionControl;
use cc::registry::Row;
use units::{Bytes, Rate, Span, Time};

use super::{Sender, Tcb};
use crate::{Config, Pacing};

/// Segments of the start that Linux does not pace.
const UNPACED: u32 = 10;

/// When the next segment may leave.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Pacer {
    /// A segment may be waiting for `next`; else [`Time::NEVER`].
    wake: Time,
    /// No segment leaves before.
    next: Time,
    /// The latest rate, and the time between two segments at it: many rates last for a while.
    rate: Rate,
    gap: Span,
    /// Segments that may leave beyond the first after a pause.
    spare: u64,
    /// Segments that leave together, and those of them that have not left yet.
    quantum: u32,
    together: u32,
    /// Linux: time lost before them that is not made up for yet.
    lost: Span,
    linux: bool,
    rule: Pacing,
    slow_start: f64,
    factor: f64,
}

impl Pacer {
    pub(super) fn new(config: &Config, row: &Row) -> Pacer {
        Pacer {
            rule: match (config.pacing, row.paces) {
                (Pacing::Algorithm, false) => Pacing::Off,
                (Pacing::Linux, true) => Pacing::Algorithm,
                (rule, _) => rule,
            },
            slow_start: config.pacing_slow_start,
            factor: config.pacing_factor,
            spare: u64::from(config.pacing_burst.saturating_sub(1)),
            quantum: config.pacing_quantum.max(1),
            together: 0,
            lost: Span::ZERO,
            linux: config.linux_recovery || config.pacing == Pacing::Linux,
            rate: Rate(0.0),
            gap: Span::ZERO,
            next: Time::ZERO,
            wake: Time::NEVER,
        }
    }

    /// What the rate is of a window per RTT.
    fn factor(&self, cwnd: Bytes, ssthresh: Bytes) -> f64 {
        //= specs/papers/linux.md#pacing
        //# twice while the window is below half of `ssthresh`, 1.2 times after that
        let end = if self.rule == Pacing::Linux { 0.5 * ssthresh } else { ssthresh };
        if cwnd < end { self.slow_start } else { self.factor }
    }

    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.rule != Pacing::Off
    }

    #[inline(never)]
    fn set_rate(&mut self, rate: Rate, mss: Bytes) {
        (self.rate, self.gap) = (rate, Span::from_secs(mss.0 / rate.0));
    }

    /// Whether it is too soon for a segment. If so, remembers to ask again.
    #[inline]
    pub(super) fn holds(&mut self, now: Time) -> bool {
        let early = now < self.next && self.together == 0;
        self.wake = if early { self.next } else { Time::NEVER };
        early
    }

    /// A segment leaves now, and the next one `gap` later; lost time is made up for by the spare segments only.
    #[inline]
    fn on_sent(&mut self, now: Time, gap: Span) {
        if self.together == 0 || self.next <= now {
            self.together = self.quantum;
            self.lost = now.since(self.next);
        }
        self.together -= 1;
        if self.linux {
            //= specs/papers/linux.md#pacing
            //# What was lost of the time before is taken off the next distance, but no more than half of it.
            let made_up = (gap / 2).min(self.lost);
            self.lost = self.lost - made_up;
            self.next = self.next.max(now) + (gap - made_up);
            self.holds(now);
            return;
        }
        if self.next < now {
            let earliest = Time(now.0.saturating_sub((gap * self.spare).0));
            self.next = self.next.max(earliest);
        }
        self.next += gap;
        self.holds(now);
    }
}

impl Sender {
    /// When a segment that pacing holds back may leave; [`Time::NEVER`] if it holds none.
    #[inline]
    pub fn send_at(&self) -> Time {
        self.tcb.pacer.wake
    }

    /// Segments leave spaced in time.
    #[inline]
    pub fn is_paced(&self) -> bool {
        self.tcb.rules.paced
    }

    /// The time has come for a segment that waits: `poll_transmit` will ask for it.
    pub fn on_send_time(&mut self, now: Time) {
        if self.tcb.pacer.wake <= now {
            self.tcb.pacer.wake = Time::NEVER;
        }
    }

    /// The rate at which segments leave, payload; `None`: as the window allows, also before the first RTT sample.
    #[inline]
    pub fn pacing_rate(&self) -> Option<Rate> {
        self.tcb.pacing_rate()
    }
}

impl Tcb {
    /// A segment may be waiting, it is too soon for it, and there is nothing to tell.
    #[inline]
    pub(crate) fn is_held(&self, now: Time) -> bool {
        self.pacer.wake != Time::NEVER && now < self.pacer.wake && self.judgement.is_none()
    }

    /// Pacing, not the window, keeps new data back. The window is in use then: it will fill by itself.
    pub(super) fn pacing_keeps_window_open(&self) -> bool {
        self.pacer.wake != Time::NEVER && self.has_new_data()
    }

    /// Account for a segment that leaves now.
    #[inline(always)]
    pub(super) fn pace(&mut self, now: Time) {
        let Some(rate) = self.pacing_rate().filter(|rate| rate.0 > 0.0) else {
            if self.pacer.linux {
                self.pacer.next = now;
            }
            return;
        };
        if rate != self.pacer.rate {
            self.pacer.set_rate(rate, self.path.mss);
        }
        self.pacer.on_sent(now, self.pacer.gap);
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        match self.pacer.rule {
            Pacing::Off => None,
            //= specs/papers/linux.md#pacing
            //# The first ten segments are not paced.
            _ if self.pacer.linux && self.snd_max < UNPACED => None,
            Pacing::Algorithm => self.cc.pacing_rate(),
            Pacing::Window | Pacing::Linux => self.window_rate(),
        }
    }

    /// A window per RTT, and somewhat more; `None` at the start.
    #[inline(never)]
    fn window_rate(&self) -> Option<Rate> {
        let linux = self.pacer.rule == Pacing::Linux;
        if self.path.srtt == Span::ZERO {
            return None;
        }
        let factor = self.pacer.factor(self.cc.cwnd(), self.cc.ssthresh());
        //= specs/papers/linux.md#pacing
        //# What counts is the window, or what is outstanding if that is more.
        let least = if linux { f64::from(self.flight_size()) } else { 0.0 };
        let window = self.cwnd().max(least);
        Some(factor * (window * self.path.mss).per(self.path.srtt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    const MS: u64 = 1_000_000;

    fn pacer(burst: u32) -> Pacer {
        let config = Config { pacing: Pacing::Window, pacing_burst: burst, ..Config::profile(Profile::Rfc) };
        Pacer::new(&config, cc::registry::find("newreno").unwrap())
    }

    /// Times in milliseconds at which segments leave that are asked for at `asked`, 10 ms apart by the rate.
    fn leaves(pacer: &mut Pacer, asked: &[u64]) -> Vec<u64> {
        let mut left = Vec::new();
        for &at in asked {
            if !pacer.holds(Time(at * MS)) {
                pacer.on_sent(Time(at * MS), Span::from_millis(10));
                left.push(at);
            }
        }
        left
    }

    #[test]
    fn for_linux_slow_start_is_over_at_half_of_ssthresh() {
        let mss = Bytes(1000.0);
        for (rule, cwnd, factor) in [
            (Pacing::Linux, 19.0, 2.0),
            (Pacing::Linux, 20.0, 1.2),
            (Pacing::Window, 39.0, 2.0),
            (Pacing::Window, 40.0, 1.2),
        ] {
            let pacer = Pacer { rule, ..pacer(1) };
            assert_eq!(pacer.factor(cwnd * mss, 40.0 * mss), factor, "{rule:?} {cwnd}");
        }
        let config = Config { pacing: Pacing::Linux, ..Config::profile(Profile::Rfc) };
        let rule = |name| Pacer::new(&config, cc::registry::find(name).unwrap()).rule;
        assert_eq!((rule("bbr"), rule("cubic")), (Pacing::Algorithm, Pacing::Linux));
    }

    #[test]
    fn segments_keep_their_distance_and_lost_time_is_lost() {
        // 0, then 10; the pause until 100 gives no second segment there, the next is due at 110
        let mut pacer = pacer(1);
        assert_eq!(leaves(&mut pacer, &[0, 0, 9, 10, 100, 100, 109, 110]), [0, 10, 100, 110]);
    }

    #[test]
    fn a_burst_of_three_may_follow_a_pause() {
        // nothing was sent for more than two gaps before 100: three at once, then every 10 ms
        let mut pacer = pacer(3);
        assert_eq!(leaves(&mut pacer, &[100, 100, 100, 100, 109, 110, 110]), [100, 100, 100, 110]);
        // the next was due at 120: by 150 the two spare ones are there again, and no more
        assert_eq!(leaves(&mut pacer, &[150, 150, 150, 150]), [150, 150, 150]);
    }

    #[test]
    fn two_leave_together_and_linux_makes_up_for_half_of_a_distance() {
        let config = Config { pacing: Pacing::Linux, pacing_quantum: 2, ..Config::profile(Profile::Rfc) };
        let mut pacer = Pacer::new(&config, cc::registry::find("newreno").unwrap());
        // 100 ms were lost: half of the 20 ms of the first two are made up for, and no more of the next
        assert_eq!(leaves(&mut pacer, &[100, 100, 100, 109, 110, 110, 110, 129, 130]), [100, 100, 110, 110, 130]);
        // 153 is 3 ms late: a pair is due at 150, so the next is at 170
        pacer.together = 0;
        pacer.next = Time(150 * MS);
        assert_eq!(leaves(&mut pacer, &[153, 153, 169, 170]), [153, 153, 170]);
    }

    #[test]
    fn the_wake_is_the_next_departure_while_it_is_to_come() {
        let mut one = pacer(1);
        assert_eq!(one.wake, Time::NEVER);
        leaves(&mut one, &[0]);
        assert_eq!(one.wake, Time(10 * MS));
        assert!(one.holds(Time(MS)));
        assert_eq!(one.wake, Time(10 * MS));
        assert!(!one.holds(Time(10 * MS)));
        assert_eq!(one.wake, Time::NEVER);
        // of a burst of two after a pause, the second leaves at once
        let mut two = pacer(2);
        leaves(&mut two, &[100]);
        assert_eq!(two.wake, Time::NEVER);
        leaves(&mut two, &[100]);
        assert_eq!(two.wake, Time(110 * MS));
    }
}
