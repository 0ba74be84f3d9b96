//! The receiver has closed its window: nothing leaves but probes, until it opens again.
//! Source: RFC 9293 section 3.8.6.1.
//! Choices: a probe carries no data: it is a segment below the window, which the receiver must answer (RFC 9293 section
//! 3.10.7.4). Data that are outstanding when the window closes are frozen with the rest: their retransmission timer
//! stops, and starts anew when the window opens, without a back-off. A closed window is no idle time.

use units::{Span, Time};

use super::Tcb;
use super::timer::Pending;

/// The persist timer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Persist {
    at: Time,
    interval: Span,
}

impl Tcb {
    /// The window is closed: if data wait, outstanding or new, the persist timer runs instead of the retransmission
    /// timer.
    #[cold]
    pub(super) fn persist(&mut self, now: Time) {
        if self.snd_una >= self.offered {
            self.persist = None;
            self.rto_at = Time::NEVER;
            return;
        }
        //= https://www.rfc-editor.org/rfc/rfc9293#section-3.8.6.1
        //# The transmitting host SHOULD send the first zero-window probe when a zero window has existed for
        //# the retransmission timeout period (SHLD-29) (Section 3.8.1), and SHOULD increase exponentially the
        //# interval between successive probes (SHLD-30).
        let interval = self.rtt.rto();
        let timer = *self.persist.get_or_insert(Persist { at: now + interval, interval });
        self.timed = None;
        // what an ACK has set meanwhile does not count
        (self.rto_at, self.pending) = (timer.at, Pending::Retransmission);
    }

    /// Whether data are held back by a closed window.
    pub(super) fn persists(&self) -> bool {
        self.persist.is_some()
    }

    /// The persist timer expired: a probe leaves, and the next one later, up to the greatest timeout.
    pub(super) fn on_persist_timer(&mut self, now: Time) {
        let Some(timer) = &mut self.persist else { return };
        timer.interval = (timer.interval * 2).min(self.rtt.rto_max());
        timer.at = now + timer.interval;
        self.rto_at = timer.at;
        self.probe_due = true;
    }

    /// A probe must leave now. Counts it as sent.
    pub(crate) fn take_probe(&mut self) -> bool {
        self.stats.window_probes += u64::from(self.probe_due);
        std::mem::take(&mut self.probe_due)
    }

    /// The window is open again: go on as before.
    #[cold]
    pub(super) fn end_persist(&mut self, now: Time) {
        if self.rwnd == 0 || self.persist.take().is_none() {
            return;
        }
        self.probe_due = false;
        self.last_sent_at = now;
        self.rtt.end_back_off();
        let outstanding = self.snd_una < self.snd_max;
        if outstanding && self.rules.freeze_kick {
            self.resend = Some(self.snd_una);
        }
        // a sender without a window waits for the timer with nothing outstanding
        self.rto_at = if outstanding || self.is_shut() { now + self.rtt.rto() } else { Time::NEVER };
    }
}
