//! What keeps the sender from sending more, and for how long.
//! Source: RFC 4898 (its counters `SndLimTimeSnd`, `SndLimTimeCwin` and `SndLimTimeRwin`); Linux's `struct tcp_info`
//! since 4.10 (`tcpi_rwnd_limited`).
//! Choices: the receiver's window limits where cwnd would let a segment leave, as in Linux; pacing limits where both
//! windows would, which Linux does not count. A sender that has sent everything it was offered waits for its
//! application, also while the last ACKs are still to come, which Linux counts as busy.

use units::{Span, Time};

use super::{Sender, Tcb};

/// What keeps a segment from leaving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Cwnd,
    Rwnd,
    Application,
    Pacing,
}

/// How long each of them kept segments from leaving, since the connection opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The congestion window, and whatever recovery makes of it.
    pub cwnd: Span,
    /// The receiver's window, closed or full.
    pub rwnd: Span,
    /// Everything offered was sent.
    pub application: Span,
    /// Pacing, with room in both windows.
    pub pacing: Span,
}

impl Limits {
    /// Those of another sender as well.
    pub(super) fn add(&mut self, other: &Limits) {
        self.cwnd += other.cwnd;
        self.rwnd += other.rwnd;
        self.application += other.application;
        self.pacing += other.pacing;
    }

    fn of(&mut self, limit: Limit) -> &mut Span {
        match limit {
            Limit::Cwnd => &mut self.cwnd,
            Limit::Rwnd => &mut self.rwnd,
            Limit::Application => &mut self.application,
            Limit::Pacing => &mut self.pacing,
        }
    }
}

impl Sender {
    /// Nothing more leaves now: the windows or the application do not let it.
    #[inline(always)]
    pub(super) fn note_limit(&mut self, now: Time) {
        let tcb = &self.tcb;
        let limit = if tcb.wants_data() {
            Limit::Application
        } else if tcb.fills_rwnd() {
            self.full_window()
        } else {
            Limit::Cwnd
        };
        self.tcb.note_limit(now, limit);
    }

    /// Nothing more leaves now: it is too soon for a segment. That is what limits only if one could leave otherwise.
    #[inline(never)]
    pub(crate) fn note_pacing(&mut self, now: Time) {
        let tcb = &self.tcb;
        let limit = if tcb.resend.is_some() {
            Limit::Pacing
        } else if tcb.wants_data() {
            Limit::Application
        } else if tcb.fills_rwnd() {
            self.full_window()
        } else if self.used() >= tcb.window {
            Limit::Cwnd
        } else {
            Limit::Pacing
        };
        self.tcb.note_limit(now, limit);
    }

    /// The receiver's window is full; cwnd may be, too, and then it is cwnd that counts.
    #[inline(always)]
    fn full_window(&self) -> Limit {
        // no more is in the network than is outstanding: seldom need the core be asked
        if i64::from(self.tcb.flight_size()) < self.tcb.window_by_cwnd() { Limit::Rwnd } else { self.fuller_window() }
    }

    #[inline(never)]
    fn fuller_window(&self) -> Limit {
        let is_open = i64::from(self.used()) < self.tcb.window_by_cwnd();
        if self.tcb.rwnd == 0 || is_open { Limit::Rwnd } else { Limit::Cwnd }
    }

    /// Segments that count against the window: where SACK tells of them, those in the network; without it, all that
    /// are outstanding, and duplicates inflate the window.
    fn used(&self) -> u32 {
        if self.core.has_sack() { self.core.in_flight(&self.tcb) } else { self.tcb.flight_size() }
    }
}

impl Tcb {
    /// cwnd and what a recovery adds to it, whole segments.
    #[inline(always)]
    fn window_by_cwnd(&self) -> i64 {
        self.whole_cwnd() + i64::from(self.inflation)
    }

    /// As much as the receiver's window takes is outstanding.
    #[inline(always)]
    fn fills_rwnd(&self) -> bool {
        self.snd_max - self.snd_una >= self.rwnd
    }

    #[inline(always)]
    fn note_limit(&mut self, now: Time, limit: Limit) {
        if limit != self.limit {
            self.change_limit(now, limit);
        }
    }

    /// Something else limits from now on.
    #[inline(never)]
    fn change_limit(&mut self, now: Time, limit: Limit) {
        self.account_limit(now);
        self.limit = limit;
    }

    /// Bring the times up to now.
    pub(super) fn account_limit(&mut self, now: Time) {
        *self.stats.limits.of(self.limit) += now.since(self.limit_since);
        self.limit_since = now;
    }

    /// The connection opens.
    pub(super) fn begin_limits(&mut self, now: Time) {
        self.limit = if self.offered == 0 { Limit::Application } else { Limit::Cwnd };
        self.limit_since = now;
    }
}
