//! ns-2's FullTcp with SACK: from a fast retransmit on, the pipe decides until all that was sent before is
//! acknowledged, timeouts or not; and meanwhile an ACK of data rides on the next segment, room or not.
//! Source: traces of ns-2 2.35; `tests/differential/ns2-full` has its runs.

use units::Time;

use super::blocks::Blocks;
use super::{News, Progress, RecoveryCore, SackCore, ns2_full};
use crate::segment::SackBlocks;
use crate::sender::Tcb;

/// State of FullTcp with SACK.
#[derive(Clone, Debug, Default)]
pub(crate) struct FullSack {
    /// Packets in the pipe.
    pipe: i64,
    blocks: Blocks,
    /// The pipe decides what may leave.
    piping: bool,
}

impl FullSack {
    /// Clear the scoreboard: after a timeout, at the end of a recovery, and on every new ACK outside one.
    fn forget(&mut self, tcb: &mut Tcb) {
        self.piping = false;
        if self.blocks.high_sacked == 0 {
            return; // nothing entered since the last time
        }
        tcb.board.forget_sacks(tcb.snd_una, tcb.snd_max);
        self.blocks = Blocks::starting_at(self.blocks.next_resend);
        self.pipe = 0;
    }

    /// Data that came before say again what they acknowledge: that takes one packet out of the pipe, but is no
    /// duplicate.
    pub(crate) fn on_old_data(&mut self, tcb: &Tcb, ack: u32) {
        if self.piping && ack == tcb.snd_una {
            self.pipe -= 1;
        }
    }

    /// The segment that an ACK of data rides on though the pipe is full.
    pub(crate) fn forced(&mut self, tcb: &Tcb) -> Option<u32> {
        if !self.piping {
            return None;
        }
        let number = self.choose(tcb)?;
        self.pipe += 1;
        Some(number)
    }

    /// The next hole, else the next in turn, SACKed or not.
    fn choose(&self, tcb: &Tcb) -> Option<u32> {
        let number = self.hole(tcb).unwrap_or(tcb.snd_nxt);
        (number < tcb.offered && number - tcb.snd_una < tcb.rwnd).then_some(number)
    }

    /// The first segment below the highest SACKed one that is not SACKed, beyond the last that was sent again; while
    /// the window decides, not below the next in turn.
    fn hole(&self, tcb: &Tcb) -> Option<u32> {
        let least = if self.piping { tcb.snd_una } else { tcb.snd_nxt };
        let from = self.blocks.next_resend.max(least);
        (from..self.blocks.high_sacked.min(tcb.snd_max)).find(|&n| !tcb.board.get(n).sacked)
    }
}

impl RecoveryCore for FullSack {
    fn progress(&self, tcb: &Tcb, ack: u32) -> Progress {
        ns2_full::progress(tcb, ack)
    }

    fn on_advance(&mut self, tcb: &mut Tcb, now: Time, progress: Progress, _newly: u32) -> bool {
        match progress {
            Progress::Open => tcb.dupacks = 0,
            Progress::Full => tcb.leave_recovery(now, tcb.cwnd(), false),
            Progress::Partial => self.pipe -= 2,
        }
        true
    }

    /// A duplicate counts, and takes one packet out of the pipe. At the threshold the pipe is taken anew, also after a
    /// timeout.
    #[cold]
    fn on_duplicate(&mut self, tcb: &mut Tcb, now: Time, _news: bool) {
        tcb.dupacks += 1;
        let at_threshold = tcb.dupacks == tcb.rules.dup_threshold;
        if !self.piping && at_threshold && tcb.may_fast_retransmit() {
            tcb.enter_recovery(now, |tcb, _| tcb.repair_with(0));
            tcb.restart_timer(now);
            self.blocks.next_resend = tcb.snd_una + 1;
            self.piping = true;
        } else {
            self.pipe -= 1;
        }
        if self.piping && at_threshold {
            let missing = (tcb.snd_una..tcb.snd_max).filter(|&n| !tcb.board.get(n).sacked);
            self.pipe = missing.count() as i64;
        }
    }

    fn on_other_ack(&mut self, tcb: &mut Tcb, now: Time, ack: u32, blocks: &SackBlocks) {
        self.blocks.enter(tcb, now, ack, blocks, |_, _| {});
    }

    /// What is SACKed is forgotten. While the pipe decides it goes on doing so: the lost segment leaves by itself, and
    /// the hole that was next is next. Otherwise holes count from the lost segment on.
    fn presume_lost(&mut self, tcb: &mut Tcb, _now: Time) {
        let (piping, pipe) = (self.piping, self.pipe);
        let next_hole = if piping { self.hole(tcb) } else { Some(tcb.snd_una) };
        self.forget(tcb);
        self.blocks.next_resend = next_hole.unwrap_or(self.blocks.next_resend);
        if piping {
            (self.piping, self.pipe) = (true, pipe);
            tcb.resend = Some(tcb.snd_una);
        }
        tcb.snd_nxt = tcb.snd_una;
    }

    #[inline]
    fn in_flight(&self, tcb: &Tcb) -> u32 {
        if tcb.in_recovery { self.pipe.max(0) as u32 } else { tcb.flight_size().saturating_sub(tcb.dupacks) }
    }
}

impl SackCore for FullSack {
    /// What this ACK says is kept when the rest is forgotten.
    fn note_ack(&mut self, tcb: &mut Tcb, now: Time, ack: u32, _echo: Time, blocks: &SackBlocks) -> News {
        if ack > tcb.snd_una && self.progress(tcb, ack) != Progress::Partial {
            self.forget(tcb);
        }
        self.blocks.enter(tcb, now, ack, blocks, |_, _| {})
    }

    /// The segment that may leave now, by the pipe or else by the window.
    #[cold]
    fn next(&mut self, tcb: &mut Tcb, _now: Time) -> Option<u32> {
        let number = self.choose(tcb)?;
        if !self.piping {
            if number - tcb.snd_una >= tcb.window {
                return None;
            }
            // holes are looked for beyond it; new data sent by the pipe leave those below them open
            self.blocks.next_resend = self.blocks.next_resend.max(number + 1);
            return Some(number);
        }
        if self.pipe >= tcb.cwnd() as i64 {
            return None;
        }
        self.pipe += 1;
        Some(number)
    }

    /// Holes are looked for beyond it.
    fn on_sent_again(&mut self, _tcb: &mut Tcb, number: u32) {
        self.blocks.next_resend = self.blocks.next_resend.max(number + 1);
    }
}
