//! The retransmission timer, and what happens when it expires.
//! Source: RFC 6298 section 5, RFC 5681 section 3.1.

use cc::{Cause, Congestion, CongestionControl, Response};
use units::{Span, Time};

use super::{Sender, State, Tcb, Why};

/// What the timer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pending {
    /// A retransmission for want of ACKs, or whatever runs instead of it before data flow and behind a closed window.
    Retransmission,
    /// RACK-TLP: a probe for losses at the tail.
    Probe,
    /// RACK-TLP: segments that may have been overtaken on their way are lost.
    Reordering,
}

impl Sender {
    /// The timer expired: it is that of a closed window, of a SYN, or of the oldest segment.
    pub(crate) fn on_rto(&mut self, now: Time) {
        let Sender { tcb, core } = self;
        if tcb.persists() {
            tcb.on_persist_timer(now);
            return;
        }
        if tcb.state == State::Open && tcb.snd_una == tcb.snd_max && !tcb.is_shut() {
            // nothing is lost: a mark at a window of one segment made the sender wait
            tcb.rto_at = Time::NEVER;
            tcb.burst = tcb.rules.max_burst;
            return;
        }
        if tcb.pending != Pending::Retransmission {
            tcb.burst = tcb.rules.max_burst;
            core.on_deadline(tcb, now);
            tcb.update_window(now);
            return;
        }
        tcb.time_out(now);
        if tcb.state == State::SynSent || tcb.state == State::SynReceived {
            tcb.syn_due = tcb.state == State::SynSent;
            return; // the answer to a SYN is the endpoint's to send
        }
        core.on_timeout(tcb, now);
        let before = tcb.cwnd();
        let response = tcb.tell_of_timeout(now);
        tcb.forget_recovery();
        if tcb.sits_out(now) {
            tcb.resend = Some(tcb.snd_una);
            tcb.burst = 0; // and nothing else
        } else {
            core.presume_lost(tcb, now);
            tcb.burst = tcb.rules.max_burst;
        }
        tcb.update_window(now);
        tcb.log(now, before, if response.is_random() { Why::JudgedRandom } else { Why::Timeout });
    }
}

impl Tcb {
    /// Start the timer anew.
    #[inline]
    pub(crate) fn restart_timer(&mut self, now: Time) {
        self.rto_at = self.rules.wheel.expiry(now, self.rtt.rto());
        self.pending = Pending::Retransmission;
    }

    /// Let the one timer that a sender has expire after `span`, for this.
    #[inline]
    pub(crate) fn arm(&mut self, now: Time, span: Span, pending: Pending) {
        self.rto_at = self.rules.wheel.expiry(now, span);
        self.pending = pending;
    }

    /// Double the timeout and start the timer anew, as Vegas does with every retransmission.
    pub(crate) fn back_off(&mut self, now: Time) {
        self.rtt.back_off();
        self.restart_timer(now);
    }

    /// Something new was acknowledged: start the timer anew, if anything is left to wait for.
    //= https://www.rfc-editor.org/rfc/rfc6298#section-5
    //# When all outstanding data has been acknowledged, turn off the retransmission timer. (5.3) When an ACK is
    //# received that acknowledges new data, restart the retransmission timer so that it will expire after RTO
    //# seconds
    #[inline(always)]
    pub(super) fn restart_or_stop_timer(&mut self, now: Time, rto: Span) {
        self.rto_at = if self.snd_una < self.snd_max || self.is_shut() { now + rto } else { Time::NEVER };
    }

    /// The timer expired for want of an ACK.
    fn time_out(&mut self, now: Time) {
        self.stats.timeouts += 1;
        self.timeouts_in_row += 1;
        self.timed = None;
        //= https://www.rfc-editor.org/rfc/rfc6298#section-5
        //# (5.5) The host MUST set RTO <- RTO * 2 ("back off the timer").
        if self.cc.frozen(now).is_none() {
            self.rtt.back_off();
        }
        self.restart_timer(now);
    }

    /// Ask the algorithm what the timeout means.
    fn tell_of_timeout(&mut self, now: Time) -> Response {
        let lost = *self.board.get(self.snd_una);
        let event = Congestion {
            now,
            cause: Cause::Rto,
            cut_already: self.books.cut_already(u64::from(self.snd_una)),
            timeouts: self.timeouts_in_row,
            retransmitted: lost.times > 1,
            sent_at: Some(lost.at),
            //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
            //# the given segment has already been retransmitted by way of the retransmission timer at least once, the
            //# value of ssthresh is held constant.
            hold_ssthresh: self.rules.rto_ssthresh_hold && (self.timeouts_in_row > 1 || self.has_paid()),
            halving: self.halving(Cause::Rto),
        };
        self.ask(&event)
    }

    /// Expiries of the timer in a row.
    pub(crate) fn timeouts_in_row(&self) -> u32 {
        self.timeouts_in_row
    }

    /// RACK-TLP: the recovery that the timeout ends has cut the window for this window of data, and the timeout is no
    /// news of congestion.
    fn has_paid(&self) -> bool {
        self.never_calm && self.in_recovery && self.snd_una < self.recover
    }

    /// Whatever recovery is on, the timeout ends it.
    fn forget_recovery(&mut self) {
        self.inflation = 0;
        self.in_recovery = false;
        self.resend = None;
        self.limited_sent = 0;
        self.guard = Some(self.snd_max);
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# After a retransmit timeout, record the highest sequence number transmitted in the variable recover, and exit
        //# the fast recovery procedure if applicable.
        self.recover = self.snd_max;
        self.last_cut_by_dupacks = false;
    }
}
