//! Entering and leaving a recovery, and the cores without SACK: Tahoe, Reno, NewReno.
//! Source: RFC 5681 section 3.2, RFC 6582; the `ns2` rules are those of ns-2's one-way agents.

use cc::{Cause, Congestion, CongestionControl, Halving, RecoveryExit, Response};
use units::{Bytes, Time};

use super::{Core, Judgement, NS2_RECOVERY_BURST, Sender, Why};
use crate::{HalfBase, RecoverRule};

impl Sender {
    /// Duplicates of the cores without SACK: limited transmit, entry at the threshold, inflation beyond it.
    #[inline(never)]
    pub(super) fn reno_on_duplicate(&mut self, now: Time) {
        if self.rules.full {
            return self.full_on_duplicate(now);
        }
        self.dupacks += 1;
        let threshold = self.rules.dup_threshold;
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
        //# For each additional duplicate ACK received (after the third), cwnd MUST be incremented by SMSS.
        if self.in_recovery {
            self.inflation += 1;
            if self.rules.ns2 && self.core == Core::NewReno {
                self.burst = NS2_RECOVERY_BURST;
            }
        } else if self.dupacks == threshold && self.may_fast_retransmit() {
            //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
            //# The fast retransmit algorithm uses the arrival of 3 duplicate ACKs (as defined in section 2, without any
            //# intervening ACKs which move SND.UNA) as an indication that a segment has been lost.
            self.enter_recovery(now);
            if self.rules.ns2 && self.core == Core::NewReno {
                self.burst = NS2_RECOVERY_BURST;
            }
        } else {
            self.allow_limited_transmit();
        }
    }

    /// A partial ACK: repair the next hole. True if the retransmission timer restarts.
    #[inline(never)]
    pub(super) fn on_partial(&mut self, newly: u32) -> bool {
        match self.core {
            Core::NewReno if self.rules.full => {
                self.full_on_partial();
                true
            }
            Core::NewReno => {
                //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
                //# In this case, retransmit the first unacknowledged segment. Deflate the congestion window by the
                //# amount of new data acknowledged by the Cumulative Acknowledgment field.
                self.deflate(newly);
                self.resend = Some(self.snd_una);
                if self.rules.ns2 {
                    self.burst = NS2_RECOVERY_BURST;
                }
                //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
                //# For the first partial ACK that arrives during fast recovery, also reset the retransmit timer.
                // restarted only by the first partial ACK ("impatient"), RFC 6582 section 4
                !std::mem::replace(&mut self.first_partial, true)
            }
            Core::Sack1 => {
                self.sack.sack1_pipe -= 2;
                true
            }
            _ => true,
        }
    }

    /// Take the acknowledged segments out of the inflated window, and add one back.
    pub(super) fn deflate(&mut self, newly: u32) {
        let newly = newly as i32;
        if self.rules.ns2 && self.inflation <= newly {
            let cwnd = self.cwnd() - f64::from(newly - self.inflation);
            self.cc.set_cwnd(cwnd.max(1.0) * self.path.mss);
            self.inflation = 1;
        } else {
            //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
            //# If the partial ACK acknowledges at least one SMSS of new data, then add back SMSS bytes to
            //# the congestion window.
            self.inflation -= newly - 1;
        }
    }

    pub(crate) fn allow_limited_transmit(&mut self) {
        self.limited = self.dupacks <= self.rules.limited_transmit;
    }

    pub(crate) fn may_fast_retransmit(&self) -> bool {
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# the TCP sender first checks the value of recover to see if the Cumulative Acknowledgment field covers more
        //# than recover.
        let passed = match (self.guard, self.rules.recover_rule) {
            (None, _) | (_, RecoverRule::Off) => true,
            (Some(recover), RecoverRule::Careful) => self.snd_una > recover,
            (Some(recover), RecoverRule::LessCareful) => self.snd_una >= recover,
        };
        passed || (self.last_cut_by_dupacks && self.core == Core::Reno && (!self.rules.ns2 || self.rules.full))
    }

    /// A loss was found: ask the algorithm, retransmit, and begin the recovery.
    pub(crate) fn enter_recovery(&mut self, now: Time) -> Response {
        let lost = *self.board.get(self.snd_una);
        let before = self.cwnd();
        self.stats.fast_retransmits += 1;
        //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2
        //# the TCP sender's congestion window should be reduced only once in response to a series of dropped and/or CE
        //# packets from a single window of data
        let paid = !self.hears_every_loss && self.snd_una < self.mark_cut && lost.times == 1;
        let event = Congestion {
            now,
            cause: Cause::DupAcks,
            cut_already: self.last_cut.is_some_and(|cut| self.snd_una <= cut),
            timeouts: 0,
            retransmitted: lost.times > 1,
            sent_at: Some(lost.at),
            hold_ssthresh: paid,
            halving: self.halving(),
        };
        // Tahoe starts over with one segment even so
        let response = if paid && self.core != Core::Tahoe { Response::SameWindow } else { self.ask(&event) };
        self.limited_sent = 0;
        self.recover = self.snd_max;
        if !self.hears_every_loss {
            self.guard = Some(self.snd_max);
        }
        self.last_cut_by_dupacks = true;
        self.first_partial = false;
        self.timed = None;
        if self.rules.ns2 || self.core == Core::Sack {
            // RFC 6675 section 6 lets SACK restart the timer here, and ns-2 always does; RFC 6298 (5.1) only starts it
            self.rto_at = now + self.rtt.rto();
        }
        if self.core == Core::Tahoe {
            self.snd_nxt = self.snd_una; // go back: the window of one sends the lost segment
        } else {
            self.in_recovery = true;
            if self.rules.full && response == Response::Reduced && self.core != Core::Sack1 {
                self.full_floor_window();
            }
            //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
            //# The lost segment starting at SND.UNA MUST be retransmitted and cwnd set to ssthresh plus 3*SMSS.
            self.inflation = match self.core {
                Core::Reno | Core::NewReno => self.rules.dup_threshold as i32,
                _ => 0,
            };
            self.resend = Some(self.snd_una);
        }
        self.log(
            now,
            before,
            match response {
                Response::Reduced => Why::DupAcks,
                Response::SameWindow | Response::Undecided => Why::SameWindow,
                Response::Random | Response::ReducedAsRandom => Why::JudgedRandom,
            },
        );
        response
    }

    /// Tell the algorithm of congestion and keep the books on what it answers.
    pub(super) fn ask(&mut self, event: &Congestion) -> Response {
        self.path.flight_size = self.bytes(self.flight_size());
        //= https://www.rfc-editor.org/rfc/rfc3465#section-3.2
        //# this document mandates that L MUST NOT be > 1*SMSS bytes in any slow start-based loss recovery.
        let goes_back = event.cause == Cause::Rto || self.core == Core::Tahoe;
        self.ss_limit = if goes_back { self.rules.ss_limit_rto } else { self.rules.ss_limit };
        let response = self.with_inflation(event.cause, |sender| sender.cc.on_congestion(event, &sender.path));
        let acted = event.cause == Cause::DupAcks || (event.cause == Cause::Rto && event.timeouts == 1);
        if acted && self.snd_una < self.snd_max && response != Response::Undecided {
            self.judgement = Some(Judgement { segment: self.snd_una, random: response.is_random() });
        }
        if response.is_random() {
            self.stats.judged_random += 1;
        }
        if response.is_cut() {
            self.stats.window_cuts += 1;
            self.last_cut = Some(self.snd_max);
            //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2
            //# the TCP sender sets the CWR flag in the TCP header of the first new data packet sent after the
            //# window reduction.
            self.cwr_due = true; // for whatever reason the window was reduced, RFC 3168 section 6.1.2
            if event.cause != Cause::Rto || !self.rules.ns2 {
                self.ecn_recover = Some(self.snd_max);
            }
        }
        response
    }

    /// ns-2's Vegas cuts the window as duplicates have inflated it, so that a second cut in one recovery costs less.
    fn with_inflation(&mut self, cause: Cause, ask: impl FnOnce(&mut Sender) -> Response) -> Response {
        if cause != Cause::DupAcks || self.inflation == 0 || !self.rules.ns2_vegas {
            return ask(self);
        }
        let cwnd = self.cc.cwnd();
        self.cc.set_cwnd(cwnd + self.path.mss * f64::from(self.inflation));
        let response = ask(self);
        if !response.is_cut() {
            self.cc.set_cwnd(cwnd);
        }
        response
    }

    /// A halving that starts now.
    pub(super) fn halving(&self) -> Halving {
        self.path.halving(match self.rules.half_base {
            HalfBase::Flight => self.flight_to_halve(),
            HalfBase::Window => (self.inflated() * self.path.mss).min(self.path.rwnd),
        })
    }

    /// The flight size that a halving starts from: without what limited transmit sent (RFC 5681 section 3.2), and within a
    /// recovery no more than cwnd. Beyond that, what is outstanding was sent for duplicates, that is for segments that
    /// have left the network, and would hand the inflation of the recovery to ssthresh.
    //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
    //# When [RFC3042] is in use, additional data sent in limited transmit MUST NOT be included in this calculation.
    pub(super) fn flight_to_halve(&self) -> Bytes {
        let flight = self.bytes(self.flight_size().saturating_sub(self.limited_sent));
        if self.in_recovery { flight.min(self.cwnd() * self.path.mss) } else { flight }
    }

    #[inline(never)]
    pub(super) fn leave_recovery(&mut self, now: Time) {
        let cwnd = self.cwnd();
        let inflated = self.core == Core::Vegas && !self.vegas_deflates();
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# min (ssthresh, max(FlightSize, SMSS) + SMSS)
        let window = if self.core == Core::NewReno && !self.rules.ns2 && !self.rules.prr {
            cwnd.min(f64::from(self.flight_size().max(1) + 1))
        } else if inflated {
            cwnd + f64::from(self.inflation)
        } else if self.rules.ns2_vegas && !self.fine.has_target {
            0.0 // ns-2's Vegas: no cut since the timer expired, so there is no window to go on with
        } else {
            cwnd
        };
        self.in_recovery = false;
        self.prr = None;
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
        //# When the next ACK arrives that acknowledges previously unacknowledged data, a TCP MUST set cwnd to ssthresh
        self.inflation = 0;
        self.dupacks = 0;
        self.cc.on_recovery_exit(&RecoveryExit { now, window: window * self.path.mss, inflated }, &self.path);
        if self.core == Core::NewReno {
            self.last_cut_by_dupacks = false;
        }
        match self.core {
            Core::Sack => self.sack_on_exit(),
            Core::Sack1 if self.rules.full => {}
            Core::Sack1 => self.guard = None, // ns-2 forgets the recovery point with the scoreboard
            _ => {}
        }
        self.log(now, cwnd, Why::RecoveryExit);
    }
}
