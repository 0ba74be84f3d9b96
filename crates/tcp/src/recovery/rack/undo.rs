//! Taking back a reduction that was for nothing: all that was sent again arrived twice (RFC 3708), or the ACK answers a
//! copy that left before anything was sent again (RFC 3522). What F-RTO adds is with the events of the core.

use units::Time;

use super::board::Arrivals;
use crate::Config;
use crate::sender::{Before, Tcb};

/// The reduction that may be taken back, and what speaks for it.
#[derive(Clone, Debug)]
pub(super) struct Undo {
    on: bool,
    timestamps: bool,
    as_linux: bool,
    /// The oldest segment when it was made.
    marker: Option<u32>,
    /// Segments sent again since, less those that came twice; none yet if nothing was.
    unneeded: Option<u32>,
    /// When the first of them left; zero: none has.
    first_at: Time,
    before: Option<Box<Before>>,
}

impl Undo {
    pub(super) fn new(config: &Config) -> Undo {
        Undo {
            on: config.undo,
            timestamps: config.timestamps,
            as_linux: config.linux_recovery,
            marker: None,
            unneeded: None,
            first_at: Time::ZERO,
            before: None,
        }
    }

    pub(super) fn is_on(&self) -> bool {
        self.on
    }

    /// The window is about to be reduced, with so many segments on their way that were sent again. `anew`: nothing else
    /// was being repaired; in Linux a repair that is on its way still counts from the time before.
    pub(super) fn begin(&mut self, tcb: &mut Tcb, resent: u32, anew: bool) {
        if !self.on {
            return;
        }
        self.marker = Some(tcb.snd_una);
        self.unneeded = (resent > 0).then_some(resent);
        let repairs = resent > 0 || (tcb.snd_una < tcb.snd_max && tcb.board.get(tcb.snd_una).times > 1);
        if anew && !(repairs && self.as_linux) {
            self.first_at = Time::ZERO;
        }
        tcb.remember(&mut self.before);
    }

    /// A segment left again.
    pub(super) fn note_resent(&mut self, at: Time) {
        if self.first_at == Time::ZERO {
            self.first_at = at;
        }
        if self.marker.is_some() {
            self.unneeded = Some(self.unneeded.unwrap_or(0) + 1);
        }
    }

    /// The segment below `end` arrived twice.
    pub(super) fn came_twice(&mut self, end: u32) {
        let counts = self.marker.is_some_and(|marker| end > marker);
        if let (true, Some(unneeded)) = (counts, &mut self.unneeded) {
            *unneeded = unneeded.saturating_sub(1);
        }
    }

    /// All that was sent again has arrived twice.
    #[inline]
    pub(super) fn all_came_twice(&self) -> bool {
        self.unneeded == Some(0) && self.marker.is_some()
    }

    /// The ACK at hand answers a copy that left before anything was sent again. In Linux, with clocks of milliseconds;
    /// and all do while nothing was.
    pub(super) fn was_early(&self, tcb: &Tcb, ack: &Arrivals) -> bool {
        if self.marker.is_none() || self.first_at == Time::ZERO {
            return self.marker.is_some() && self.as_linux;
        }
        let clock = |at| if self.as_linux { tcb.rules.wheel.clock(at) } else { at.0 };
        self.timestamps && ack.echo != Time::ZERO && clock(ack.echo) < clock(self.first_at)
    }

    /// One or the other.
    pub(super) fn may(&self, tcb: &Tcb, ack: &Arrivals) -> bool {
        self.all_came_twice() || self.was_early(tcb, ack)
    }

    /// The windows and the algorithm are again as they were before.
    pub(super) fn take_back(&mut self, tcb: &mut Tcb, now: Time) {
        self.marker = None;
        self.unneeded = None;
        tcb.restore(now, &self.before);
    }
}
