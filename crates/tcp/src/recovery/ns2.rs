//! ns-2's one-way agents without SACK: Tahoe, Reno and Newreno.
//! Source: runs of ns-2 2.35; `tests/differential` has them.

use units::Time;

use super::{Progress, RecoveryCore, reno, tahoe};
use crate::sender::Tcb;

/// Which agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agent {
    Tahoe,
    Reno,
    NewReno,
}

/// Most segments that its Newreno releases on one ACK during a recovery.
pub(super) const RECOVERY_BURST: u32 = 2;

/// State of a one-way agent.
#[derive(Clone, Debug)]
pub(crate) struct OneWay {
    agent: Agent,
    /// Newreno: first partial ACK of this recovery seen.
    first_partial: bool,
}

impl OneWay {
    pub(super) fn new(agent: Agent) -> OneWay {
        OneWay { agent, first_partial: false }
    }

    /// A partial ACK repairs the next hole, and takes what it acknowledges out of the inflation first, then out of
    /// cwnd. True if the retransmission timer restarts.
    #[inline(never)]
    fn on_partial(&mut self, tcb: &mut Tcb, newly: u32) -> bool {
        let newly = newly as i32;
        if tcb.inflation <= newly {
            let cwnd = tcb.cwnd() - f64::from(newly - tcb.inflation);
            tcb.set_cwnd(cwnd.max(1.0));
            tcb.inflation = 1;
        } else {
            tcb.inflation -= newly - 1;
        }
        tcb.resend = Some(tcb.snd_una);
        tcb.burst = RECOVERY_BURST;
        !std::mem::replace(&mut self.first_partial, true)
    }

    /// The recovery is over: the inflation goes, and nothing else.
    #[inline(never)]
    fn leave(&mut self, tcb: &mut Tcb, now: Time) {
        tcb.leave_recovery(now, tcb.cwnd(), false);
        if self.agent == Agent::NewReno {
            tcb.last_cut_by_dupacks = false;
        }
    }
}

impl RecoveryCore for OneWay {
    #[inline(always)]
    fn progress(&self, tcb: &Tcb, ack: u32) -> Progress {
        match tcb.progress_to_recover(ack) {
            Progress::Partial if self.agent != Agent::NewReno => Progress::Full,
            progress => progress,
        }
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

    #[inline(never)]
    fn on_duplicate(&mut self, tcb: &mut Tcb, now: Time, _news: bool) {
        let allowed = tcb.may_fast_retransmit();
        let entered = match self.agent {
            Agent::Tahoe => tahoe::go_back(tcb, now, allowed),
            Agent::Reno | Agent::NewReno => reno::fast_recovery(tcb, now, allowed),
        };
        if entered {
            self.first_partial = false;
            tcb.restart_timer(now);
        }
        if self.agent == Agent::NewReno && tcb.in_recovery {
            tcb.burst = RECOVERY_BURST;
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb, _now: Time) {
        tcb.inflation = 0; // a halving starts from the window without it
        if self.agent != Agent::Tahoe {
            tcb.dupacks = 0; // Tahoe goes on counting, so that no limited transmit follows
        }
    }
}
