//! Tahoe: a loss found by duplicate ACKs is repaired by slow start from one segment.
//! Source: Jacobson, SIGCOMM 1988; Fall and Floyd, ACM CCR 26(3), 1996.

use units::Time;

use super::RecoveryCore;
use crate::sender::Tcb;

/// Nothing to remember: no recovery is ever on.
#[derive(Clone, Debug)]
pub(crate) struct Tahoe;

impl RecoveryCore for Tahoe {
    #[inline(never)]
    fn on_duplicate(&mut self, tcb: &mut Tcb, now: Time, _news: bool) {
        go_back(tcb, now, tcb.may_fast_retransmit());
    }
}

/// A duplicate ACK of Tahoe: limited transmit below the threshold; at it, if that is `allowed`, the window of one
/// segment sends the lost one, and what follows it again. Whether it did.
pub(super) fn go_back(tcb: &mut Tcb, now: Time, allowed: bool) -> bool {
    tcb.dupacks += 1;
    let found = tcb.dupacks == tcb.rules.dup_threshold && allowed;
    if found {
        tcb.enter_recovery(now, |tcb, _| tcb.snd_nxt = tcb.snd_una);
    } else {
        tcb.allow_limited_transmit();
    }
    found
}
