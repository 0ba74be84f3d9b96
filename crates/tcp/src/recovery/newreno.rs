//! NewReno: fast recovery lasts until everything is acknowledged that was sent before it; each partial ACK repairs one
//! hole.
//! Source: RFC 6582.

use units::{Span, Time};

use super::prr::Prr;
use super::{Progress, RecoveryCore, reno};
use crate::sender::Tcb;

/// State of NewReno.
#[derive(Clone, Debug)]
pub(crate) struct NewReno {
    /// First partial ACK of this recovery seen.
    first_partial: bool,
    prr: Prr,
}

impl NewReno {
    pub(super) fn new(prr: bool) -> NewReno {
        NewReno { first_partial: false, prr: Prr::new(prr) }
    }

    /// A partial ACK: repair the next hole. True if the retransmission timer restarts.
    #[inline(never)]
    fn on_partial(&mut self, tcb: &mut Tcb, newly: u32) -> bool {
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# In this case, retransmit the first unacknowledged segment. Deflate the congestion window by the
        //# amount of new data acknowledged by the Cumulative Acknowledgment field.
        tcb.resend = Some(tcb.snd_una);
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# If the partial ACK acknowledges at least one SMSS of new data, then add back SMSS bytes to
        //# the congestion window.
        tcb.inflation -= newly as i32 - 1;
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# For the first partial ACK that arrives during fast recovery, also reset the retransmit timer.
        // restarted only by the first partial ACK ("impatient"), RFC 6582 section 4
        !std::mem::replace(&mut self.first_partial, true)
    }

    /// The recovery is over.
    fn leave(&mut self, tcb: &mut Tcb, now: Time) {
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# min (ssthresh, max(FlightSize, SMSS) + SMSS)
        let most = if self.prr.is_on() { f64::INFINITY } else { f64::from(tcb.flight_size().max(1) + 1) };
        self.prr.end();
        tcb.leave_recovery(now, tcb.cwnd().min(most), false);
        tcb.last_cut_by_dupacks = false;
    }
}

impl RecoveryCore for NewReno {
    #[inline(always)]
    fn progress(&self, tcb: &Tcb, ack: u32) -> Progress {
        tcb.progress_to_recover(ack)
    }

    #[inline(always)]
    fn on_advance(&mut self, tcb: &mut Tcb, now: Time, progress: Progress, newly: u32) -> bool {
        match progress {
            Progress::Open => tcb.dupacks = 0,
            Progress::Full => self.leave(tcb, now),
            Progress::Partial => return self.on_partial(tcb, newly),
        }
        true
    }

    #[inline(always)]
    fn after_advance(&mut self, tcb: &mut Tcb, _now: Time, newly: u32, _news: bool, _delay: Option<Span>) {
        if self.prr.is_on() {
            self.prr.on_ack(tcb, newly);
        }
    }

    #[inline(never)]
    fn on_duplicate(&mut self, tcb: &mut Tcb, now: Time, _news: bool) {
        if reno::fast_recovery(tcb, now, tcb.may_fast_retransmit()) {
            self.first_partial = false;
        }
        if self.prr.is_on() {
            self.prr.on_ack(tcb, 0);
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb, _now: Time) {
        self.prr.end();
        tcb.dupacks = 0;
    }
}
