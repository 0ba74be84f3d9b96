//! The link layer tells of handovers. What an algorithm that knows of them does with its window is its own business;
//! the engine does not back off the timer while the window is frozen, and starts again when the link is up.
//! Source: `specs/papers/westwood-plus-ho.md`.
//! Choices: a timeout during the handover sends the oldest segment again, nothing else; if there was one, all that is
//! outstanding at the end counts as lost, and leaves again within the frozen window at once.

use cc::{CongestionControl, Signal, Thaw};
use units::Time;

use super::{Sender, State, Tcb};

impl Sender {
    /// A handover begins, or ends. Nothing happens before the connection is open.
    pub fn on_handover(&mut self, now: Time, start: bool) {
        let Sender { tcb, .. } = self;
        if tcb.state != State::Open || tcb.in_handover == start {
            return;
        }
        tcb.in_handover = start;
        let (frozen, window) = (tcb.cc.frozen(now), tcb.cc.cwnd());
        let rto = tcb.rtt.base_rto();
        let signal = if start { Signal::HandoverStart { now, rto } } else { Signal::HandoverEnd { now, rto } };
        tcb.cc.on_signal(&signal, &tcb.path);
        if frozen.is_some() || tcb.cc.cwnd() != window {
            tcb.burst = tcb.rules.max_burst; // others do not learn of it, and send nothing now
        }
        if let (false, Some(thaw)) = (start, frozen)
            && tcb.snd_una < tcb.snd_max
        {
            self.start_again(now, thaw);
        }
        self.tcb.update_window(now);
    }

    //= specs/papers/westwood-plus-ho.md#end-of-a-handover
    //# The retransmission timer is restarted, and the oldest segment is sent again at once
    fn start_again(&mut self, now: Time, thaw: Thaw) {
        let Sender { tcb, core } = self;
        match (thaw, tcb.timeouts_in_row) {
            (Thaw::Wait, _) => {}
            (Thaw::Resend, 0) => tcb.resend = Some(tcb.snd_una),
            (Thaw::Resend, _) => {
                // what was sent since the timeout as well, so that it leaves again before new data
                tcb.recover = tcb.snd_max;
                tcb.guard = Some(tcb.snd_max);
                core.presume_lost(tcb, now);
            }
        }
        tcb.restart_timer(now);
    }
}

impl Tcb {
    /// Whether a timeout now falls into a handover that the algorithm sits out.
    pub(super) fn sits_out(&self, now: Time) -> bool {
        self.in_handover && self.cc.frozen(now).is_some()
    }
}
