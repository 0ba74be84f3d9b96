//! Reno: fast retransmit, and a fast recovery that ends with the first ACK that advances.
//! Source: RFC 5681 section 3.2.
//! Choices: after a cut by duplicates the next ones may cut again, whatever they follow: the guard of RFC 6582 is
//! NewReno's.

use units::Time;

use super::RecoveryCore;
use crate::sender::Tcb;

/// Nothing to remember: what a recovery adds to the window is in the sender's state.
#[derive(Clone, Debug)]
pub(crate) struct Reno;

impl RecoveryCore for Reno {
    #[inline(never)]
    fn on_duplicate(&mut self, tcb: &mut Tcb, now: Time, _news: bool) {
        fast_recovery(tcb, now, tcb.may_fast_retransmit() || tcb.last_cut_by_dupacks);
    }
}

/// A duplicate ACK of the Reno family: limited transmit below the threshold, fast retransmit at it if that is
/// `allowed`, inflation beyond it. Whether a recovery began.
#[inline(always)]
pub(super) fn fast_recovery(tcb: &mut Tcb, now: Time, allowed: bool) -> bool {
    tcb.dupacks += 1;
    let threshold = tcb.rules.dup_threshold;
    //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
    //# For each additional duplicate ACK received (after the third), cwnd MUST be incremented by SMSS.
    if tcb.in_recovery {
        tcb.inflation += 1;
    } else if tcb.dupacks == threshold && allowed {
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
        //# The fast retransmit algorithm uses the arrival of 3 duplicate ACKs (as defined in section 2, without any
        //# intervening ACKs which move SND.UNA) as an indication that a segment has been lost.
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
        //# The lost segment starting at SND.UNA MUST be retransmitted and cwnd set to ssthresh plus 3*SMSS.
        tcb.enter_recovery(now, |tcb, _| tcb.repair_with(threshold));
        return true;
    } else {
        tcb.allow_limited_transmit();
    }
    false
}
