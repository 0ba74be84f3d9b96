//! A loss was found: entering and leaving a recovery, and the books on what the algorithm decides. Which losses there
//! are, and what is sent for them, the recovery cores know.
//! Source: RFC 5681 section 3.2, RFC 6582.

use cc::{Cause, Congestion, CongestionControl, Halving, RecoveryExit, Response};
use units::{Bytes, Time};

use super::{Judgement, Tcb, Why};
use crate::recovery::Progress;
use crate::{HalfBase, RecoverRule};

impl Tcb {
    /// What an ACK that advances to `ack` means for a recovery that lasts until `recover`.
    #[inline(always)]
    pub(crate) fn progress_to_recover(&self, ack: u32) -> Progress {
        match self.in_recovery {
            false => Progress::Open,
            true if ack >= self.recover => Progress::Full,
            true => Progress::Partial,
        }
    }

    pub(crate) fn allow_limited_transmit(&mut self) {
        self.limited = self.dupacks <= self.rules.limited_transmit;
    }

    pub(crate) fn may_fast_retransmit(&self) -> bool {
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# the TCP sender first checks the value of recover to see if the Cumulative Acknowledgment field covers more
        //# than recover.
        match (self.guard, self.rules.recover_rule) {
            (None, _) | (_, RecoverRule::Off) => true,
            (Some(recover), RecoverRule::Careful) => self.snd_una > recover,
            (Some(recover), RecoverRule::LessCareful) => self.snd_una >= recover,
        }
    }

    /// A loss was found by duplicates or SACK: ask the algorithm, and `begin` the recovery.
    pub(crate) fn enter_recovery(&mut self, now: Time, begin: impl FnOnce(&mut Tcb, Response)) -> Response {
        let before = self.cwnd();
        self.stats.fast_retransmits += 1;
        let response = self.tell_of_loss(now);
        self.limited_sent = 0;
        self.recover = self.snd_max;
        if !self.books.hears_every_loss() {
            self.guard = Some(self.snd_max);
        }
        self.last_cut_by_dupacks = true;
        self.timed = None;
        begin(self, response);
        let why = match response {
            Response::Reduced => Why::DupAcks,
            Response::SameWindow | Response::Undecided => Why::SameWindow,
            Response::Random | Response::ReducedAsRandom => Why::JudgedRandom,
        };
        self.log(now, before, why);
        response
    }

    /// A probe has repaired a loss: the window pays for it as for any other, but there is nothing left to recover.
    pub(crate) fn pay_for_repaired_loss(&mut self, now: Time) {
        self.enter_recovery(now, |tcb, _| tcb.in_recovery = true);
        self.leave_recovery(now, self.cwnd(), false);
    }

    fn tell_of_loss(&mut self, now: Time) -> Response {
        let lost = *self.board.get(self.snd_una);
        let paid = self.books.paid_by_mark(u64::from(self.snd_una), lost.times > 1);
        if paid && !self.rules.goes_back {
            return Response::SameWindow; // with Tahoe it starts over with one segment even so
        }
        self.ask(&Congestion {
            now,
            cause: Cause::DupAcks,
            cut_already: self.books.cut_already(u64::from(self.snd_una)),
            timeouts: 0,
            retransmitted: lost.times > 1,
            sent_at: Some(lost.at),
            hold_ssthresh: paid,
            halving: self.halving(Cause::DupAcks),
        })
    }

    /// Repair the oldest segment in a recovery whose window is inflated by `inflation` segments.
    pub(crate) fn repair_with(&mut self, inflation: u32) {
        self.in_recovery = true;
        self.inflation = inflation as i32;
        self.resend = Some(self.snd_una);
    }

    /// Tell the algorithm of congestion and keep the books on what it answers.
    pub(super) fn ask(&mut self, event: &Congestion) -> Response {
        self.path.flight_size = self.bytes(self.flight_size());
        let response = self.with_inflation(event.cause, |tcb| tcb.cc.on_congestion(event, &tcb.path));
        self.books.note_congestion(event.cause, response, u64::from(self.snd_max));
        let acted = event.cause == Cause::DupAcks || (event.cause == Cause::Rto && event.timeouts == 1);
        if acted && self.snd_una < self.snd_max && response != Response::Undecided {
            self.judgement = Some(Judgement { segment: self.snd_una, random: response.is_random() });
        }
        if response.is_random() {
            self.stats.judged_random += 1;
        }
        if response.is_cut() {
            self.stats.window_cuts += 1;
            //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2
            //# the TCP sender sets the CWR flag in the TCP header of the first new data packet sent after the
            //# window reduction.
            self.cwr_due = true; // for whatever reason the window was reduced, RFC 3168 section 6.1.2
        }
        response
    }

    /// Some cut the window as duplicates have inflated it, so that a second cut in one recovery costs less.
    fn with_inflation(&mut self, cause: Cause, ask: impl FnOnce(&mut Tcb) -> Response) -> Response {
        if cause != Cause::DupAcks || self.inflation == 0 || !self.rules.cuts_inflated {
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

    /// A halving that starts now. What is outstanding may exceed cwnd where a recovery begins with the ACK that ends
    /// another one: even so, what keeps a large share of it is a cut. A timeout leaves one segment in any case.
    pub(super) fn halving(&self, cause: Cause) -> Halving {
        let halving = self.path.halving(match self.rules.half_base {
            HalfBase::Flight => self.flight_to_halve(),
            HalfBase::Cwnd => self.cwnd() * self.path.mss,
            HalfBase::Window => (self.inflated() * self.path.mss).min(self.path.rwnd),
        });
        let cuts = self.rules.cuts_cut && cause != Cause::Rto;
        if cuts { halving.to_at_most(self.cwnd() * self.path.mss) } else { halving }
    }

    /// The flight size that a halving starts from: without what limited transmit sent (RFC 5681 section 3.2), and
    /// within a recovery, or with RACK-TLP, no more than cwnd. Beyond that, what is outstanding was sent for
    /// duplicates, that is for segments that have left the network, and would hand the inflation of the recovery to
    /// ssthresh.
    //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
    //# When [RFC3042] is in use, additional data sent in limited transmit MUST NOT be included in this calculation.
    fn flight_to_halve(&self) -> Bytes {
        let flight = self.bytes(self.flight_size().saturating_sub(self.limited_sent));
        if self.in_recovery || self.rules.caps_flight { flight.min(self.cwnd() * self.path.mss) } else { flight }
    }

    /// The recovery is over: go on with a window of so many segments. `inflated`: it keeps the inflation for good.
    #[inline(never)]
    pub(crate) fn leave_recovery(&mut self, now: Time, window: f64, inflated: bool) {
        let cwnd = self.cwnd();
        self.in_recovery = false;
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
        //# When the next ACK arrives that acknowledges previously unacknowledged data, a TCP MUST set cwnd to ssthresh
        self.inflation = 0;
        self.dupacks = 0;
        self.cc.on_recovery_exit(&RecoveryExit { now, window: window * self.path.mss, inflated }, &self.path);
        self.log(now, cwnd, Why::RecoveryExit);
    }

    /// Set cwnd, in segments.
    pub(crate) fn set_cwnd(&mut self, segments: f64) {
        self.cc.set_cwnd(segments * self.path.mss);
    }

    /// The window counts whole segments, at least two.
    pub(crate) fn floor_window(&mut self) {
        self.set_cwnd(f64::from(self.cwnd() as u32).max(2.0));
    }
}
