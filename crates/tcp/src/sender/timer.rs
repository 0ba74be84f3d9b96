//! The retransmission timer expires.
//! Source: RFC 6298 section 5, RFC 5681 section 3.1.

use cc::{Cause, Congestion, CongestionControl};
use units::Time;

use super::{Core, Sender, State, Why};

impl Sender {
    /// Double the timeout and start the timer anew, as Vegas does with every retransmission.
    pub(crate) fn back_off(&mut self, now: Time) {
        self.rtt.back_off();
        self.rto_at = now + self.rtt.rto();
    }

    /// The retransmission timer expired.
    pub fn on_rto(&mut self, now: Time) {
        if self.persists() {
            self.on_persist_timer(now);
            return;
        }
        if self.state == State::Open && self.snd_una == self.snd_max && !self.is_shut() {
            // nothing is lost: a mark at a window of one segment made the sender wait
            self.rto_at = Time::NEVER;
            self.burst = self.rules.max_burst;
            return;
        }
        self.stats.timeouts += 1;
        self.timeouts_in_row += 1;
        self.timed = None;
        //= https://www.rfc-editor.org/rfc/rfc6298#section-5
        //# (5.5) The host MUST set RTO <- RTO * 2 ("back off the timer").
        if self.cc.frozen(now).is_none() {
            self.rtt.back_off();
        }
        self.rto_at = now + self.rtt.rto();
        if self.state == State::SynSent || self.state == State::SynReceived {
            self.syn_due = self.state == State::SynSent;
            return; // the answer to a SYN is the endpoint's to send
        }
        let lost = *self.board.get(self.snd_una);
        let before = self.cwnd();
        if self.rules.ns2 && !self.rules.full && self.core != Core::Vegas {
            self.inflation = 0;
        }
        let event = Congestion {
            now,
            cause: Cause::Rto,
            cut_already: self.last_cut.is_some_and(|cut| self.snd_una <= cut),
            timeouts: self.timeouts_in_row,
            retransmitted: lost.times > 1,
            sent_at: Some(lost.at),
            //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
            //# the given segment has already been retransmitted by way of the retransmission timer at least once, the
            //# value of ssthresh is held constant.
            hold_ssthresh: self.rules.rto_ssthresh_hold && self.timeouts_in_row > 1,
            halving: self.halving(),
        };
        let response = self.ask(&event);
        self.inflation = 0;
        self.in_recovery = false;
        self.fine.has_target = false;
        self.prr = None;
        if !(self.rules.ns2 && self.core == Core::Tahoe) {
            self.dupacks = 0; // ns-2's Tahoe goes on counting, so that no limited transmit follows
        }
        self.resend = None;
        self.limited_sent = 0;
        self.guard = Some(self.snd_max);
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# After a retransmit timeout, record the highest sequence number transmitted in the variable recover, and exit
        //# the fast recovery procedure if applicable.
        self.recover = self.snd_max;
        self.last_cut = Some(self.snd_max);
        self.last_cut_by_dupacks = false;
        if self.sits_out(now) {
            self.resend = Some(self.snd_una);
            self.burst = 0; // and nothing else
        } else {
            self.presume_lost();
            self.burst = self.rules.max_burst;
        }
        self.update_window(now);
        self.log(now, before, if response.is_random() { Why::JudgedRandom } else { Why::Timeout });
    }
}
