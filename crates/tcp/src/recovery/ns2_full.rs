//! ns-2's FullTcp without SACK: what its Tahoe, Reno and NewReno do otherwise than the one-way agents.
//! Source: traces of ns-2 2.35; `tests/differential/ns2-full` has its runs.

use cc::{CongestionControl, Response};
use units::Time;

use super::ns2::{Agent, RECOVERY_BURST};
use super::{Progress, RecoveryCore};
use crate::segment::SackBlocks;
use crate::sender::Tcb;

/// State of a FullTcp.
#[derive(Clone, Debug)]
pub(crate) struct Full {
    agent: Agent,
    /// NewReno: first partial ACK of this recovery seen.
    first_partial: bool,
}

/// FullTcp repairs from the first ACK on that duplicates beyond the threshold preceded, even if they could not begin a
/// recovery.
pub(super) fn progress(tcb: &Tcb, ack: u32) -> Progress {
    match (tcb.dupacks >= tcb.rules.dup_threshold, ack >= tcb.recover) {
        (true, false) => Progress::Partial,
        _ if tcb.in_recovery => Progress::Full,
        _ => Progress::Open,
    }
}

impl Full {
    pub(super) fn new(agent: Agent) -> Full {
        Full { agent, first_partial: false }
    }

    /// NewReno sends no more than two new segments at a time from the first partial ACK of a recovery on, while
    /// duplicates beyond the threshold count.
    fn burst(&self, tcb: &Tcb) -> u32 {
        let slow = self.first_partial && tcb.dupacks >= tcb.rules.dup_threshold;
        if self.agent == Agent::NewReno && slow { RECOVERY_BURST } else { tcb.rules.max_burst }
    }

    /// A fast retransmit: the lost segment and nothing else.
    fn enter(&mut self, tcb: &mut Tcb, now: Time) {
        self.first_partial = false;
        let tahoe = self.agent == Agent::Tahoe;
        let threshold = tcb.rules.dup_threshold;
        tcb.enter_recovery(now, |tcb, response| {
            if tahoe {
                tcb.snd_nxt = tcb.snd_una;
                return;
            }
            if response == Response::Reduced {
                tcb.floor_window();
            }
            tcb.repair_with(threshold);
        });
        tcb.restart_timer(now);
        tcb.burst = u32::from(tahoe);
    }

    /// Something new is acknowledged outside a recovery. If duplicates reached the threshold before, the window with
    /// what they added to it comes down to ssthresh.
    fn settle(&mut self, tcb: &mut Tcb) {
        if tcb.dupacks >= tcb.rules.dup_threshold && self.agent != Agent::Tahoe {
            let inflated = tcb.cwnd() + f64::from(tcb.inflation);
            tcb.set_cwnd(inflated.min(tcb.ssthresh_segments()));
            tcb.inflation = 0;
        }
        tcb.dupacks = 0;
    }

    /// A partial ACK: repair, and go on until all that was sent so far is acknowledged.
    fn on_partial(&mut self, tcb: &mut Tcb) {
        if !tcb.in_recovery {
            tcb.in_recovery = true;
            tcb.cc.set_cwnd(tcb.cc.ssthresh());
        }
        tcb.inflation = 0;
        tcb.recover = tcb.snd_max;
        tcb.guard = Some(tcb.snd_max);
        tcb.resend = Some(tcb.snd_una);
        self.first_partial = true;
        tcb.burst = RECOVERY_BURST;
    }

    /// The recovery is over. NewReno allows the next fast retransmit from now on.
    fn leave(&mut self, tcb: &mut Tcb, now: Time) {
        tcb.leave_recovery(now, tcb.cwnd(), false);
        if self.agent == Agent::NewReno {
            tcb.last_cut_by_dupacks = false;
            tcb.guard = None;
        }
    }
}

impl RecoveryCore for Full {
    fn progress(&self, tcb: &Tcb, ack: u32) -> Progress {
        match self.agent {
            Agent::NewReno => progress(tcb, ack),
            Agent::Tahoe | Agent::Reno if tcb.in_recovery => Progress::Full,
            Agent::Tahoe | Agent::Reno => Progress::Open,
        }
    }

    #[inline(never)]
    fn on_advance(&mut self, tcb: &mut Tcb, now: Time, progress: Progress, _newly: u32) -> bool {
        match progress {
            Progress::Open => self.settle(tcb),
            Progress::Full => self.leave(tcb, now),
            Progress::Partial => self.on_partial(tcb),
        }
        true
    }

    /// Beyond the threshold a duplicate inflates, whether or not a recovery is on.
    #[cold]
    fn on_duplicate(&mut self, tcb: &mut Tcb, now: Time, _news: bool) {
        tcb.dupacks += 1;
        let threshold = tcb.rules.dup_threshold;
        if tcb.dupacks == threshold {
            let again = self.agent == Agent::Reno && tcb.last_cut_by_dupacks;
            if tcb.may_fast_retransmit() || again {
                self.enter(tcb, now);
            }
        } else if tcb.dupacks > threshold && self.agent != Agent::Tahoe {
            tcb.inflation += 1;
            tcb.burst = self.burst(tcb);
        }
    }

    fn on_other_ack(&mut self, tcb: &mut Tcb, _now: Time, _ack: u32, _blocks: &SackBlocks) {
        tcb.burst = self.burst(tcb);
    }

    fn on_timeout(&mut self, tcb: &mut Tcb, _now: Time) {
        if self.agent != Agent::Tahoe {
            tcb.dupacks = 0; // Tahoe goes on counting
        }
    }
}
