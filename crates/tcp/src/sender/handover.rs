//! The link layer tells of handovers. What an algorithm that knows of them does with its window is its own business; the
//! engine does not back off the timer while the window is frozen, and starts again when the link is up.
//! Source: `specs/papers/westwood-plus-ho.md`.
//! Choices: a timeout during the handover sends the oldest segment again, nothing else; if there was one, all that is
//! outstanding at the end counts as lost, and leaves again within the frozen window at once.

use cc::{CongestionControl, Signal, Thaw};
use units::Time;

use super::{Core, Sender, State};

impl Sender {
    /// A handover begins, or ends. Nothing happens before the connection is open.
    pub fn on_handover(&mut self, now: Time, start: bool) {
        if self.state != State::Open || self.in_handover == start {
            return;
        }
        self.in_handover = start;
        self.burst = self.rules.max_burst;
        let rto = self.rtt.base_rto();
        if start {
            self.cc.on_signal(&Signal::HandoverStart { now, rto }, &self.path);
        } else {
            let frozen = self.cc.frozen(now);
            self.cc.on_signal(&Signal::HandoverEnd { now, rto }, &self.path);
            if let Some(thaw) = frozen
                && self.snd_una < self.snd_max
            {
                self.start_again(now, thaw);
            }
        }
        self.update_window(now);
    }

    //= specs/papers/westwood-plus-ho.md#end-of-a-handover
    //# The retransmission timer is restarted, and the oldest segment is sent again at once
    fn start_again(&mut self, now: Time, thaw: Thaw) {
        match (thaw, self.timeouts_in_row) {
            (Thaw::Wait, _) => {}
            (Thaw::Resend, 0) => self.resend = Some(self.snd_una),
            (Thaw::Resend, _) => {
                // what was sent since the timeout as well, so that it leaves again before new data
                self.recover = self.snd_max;
                self.guard = Some(self.snd_max);
                self.presume_lost();
            }
        }
        self.rto_at = now + self.rtt.rto();
    }

    /// Whether a timeout now falls into a handover that the algorithm sits out.
    pub(super) fn sits_out(&self, now: Time) -> bool {
        self.in_handover && self.cc.frozen(now).is_some()
    }

    /// Nothing that is outstanding will arrive: begin again with the oldest segment.
    pub(super) fn presume_lost(&mut self) {
        match self.core {
            Core::Sack => self.sack_on_rto(),
            Core::Sack1 => self.sack1_on_rto(),
            _ => {}
        }
        if self.core != Core::Sack {
            self.snd_nxt = self.snd_una; // go-back-N
        }
    }
}
