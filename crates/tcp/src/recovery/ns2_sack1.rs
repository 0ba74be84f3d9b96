//! ns-2's Sack1: a count of packets in the pipe decides what leaves in a recovery.
//! Source: Fall and Floyd, ACM CCR 26(3), 1996; runs of ns-2 2.35.

use units::Time;

use super::blocks::Blocks;
use super::{News, Progress, RecoveryCore, SackCore};
use crate::segment::{SackBlocks, Segment};
use crate::sender::Tcb;

/// State of Sack1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sack1 {
    /// Packets in the pipe, counted only during recovery.
    pipe: i64,
    blocks: Blocks,
    /// Duplicates do not count between a timeout and the next new ACK.
    deaf: bool,
}

impl Sack1 {
    /// Clear the scoreboard: after a timeout, at the end of a recovery, and on every new ACK outside one.
    fn forget(&mut self, tcb: &mut Tcb) {
        if self.blocks.high_sacked == 0 && !self.deaf {
            return; // nothing entered since the last time
        }
        tcb.board.forget_sacks(tcb.snd_una, tcb.snd_max);
        *self = Sack1::default();
    }
}

impl RecoveryCore for Sack1 {
    #[inline(always)]
    fn is_duplicate(&mut self, segment: &Segment, _pure: bool, _window_changed: bool) -> bool {
        !segment.sack.is_empty()
    }

    #[inline(always)]
    fn progress(&self, tcb: &Tcb, ack: u32) -> Progress {
        tcb.progress_to_recover(ack)
    }

    #[inline(always)]
    fn on_advance(&mut self, tcb: &mut Tcb, now: Time, progress: Progress, _newly: u32) -> bool {
        match progress {
            Progress::Open => tcb.dupacks = 0,
            Progress::Partial => self.pipe -= 2,
            Progress::Full => {
                tcb.leave_recovery(now, tcb.cwnd(), false);
                tcb.guard = None; // forgotten with the scoreboard
            }
        }
        true
    }

    /// Enter at the D-th duplicate that brought news; in recovery one packet has left the network.
    fn on_duplicate(&mut self, tcb: &mut Tcb, now: Time, news: bool) {
        if tcb.in_recovery {
            self.pipe -= 1;
            return;
        }
        if self.deaf || !news {
            return;
        }
        tcb.dupacks += 1;
        let threshold = tcb.rules.dup_threshold;
        if tcb.dupacks != threshold {
            tcb.allow_limited_transmit();
        } else if tcb.may_fast_retransmit() {
            tcb.enter_recovery(now, |tcb, _| tcb.repair_with(0));
            tcb.restart_timer(now);
            self.pipe = i64::from(tcb.snd_max - tcb.snd_una) - i64::from(threshold);
            self.blocks.next_resend = tcb.snd_una + 1;
        }
    }

    /// Duplicates say nothing until something new is acknowledged.
    fn presume_lost(&mut self, tcb: &mut Tcb, _now: Time) {
        self.forget(tcb);
        self.deaf = true;
        tcb.snd_nxt = tcb.snd_una;
    }

    #[inline]
    fn in_flight(&self, tcb: &Tcb) -> u32 {
        if tcb.in_recovery { self.pipe.max(0) as u32 } else { tcb.flight_size().saturating_sub(tcb.dupacks) }
    }
}

impl SackCore for Sack1 {
    #[inline(always)]
    fn note_ack(&mut self, tcb: &mut Tcb, now: Time, ack: u32, _echo: Time, blocks: &SackBlocks) -> News {
        let news = self.blocks.enter(tcb, now, ack, blocks, |_, _| {});
        if ack > tcb.snd_una && self.progress(tcb, ack) != Progress::Partial {
            self.forget(tcb);
        }
        news
    }

    /// While fewer packets than cwnd are in the pipe: the first hole below the highest SACKed packet, else new data.
    #[inline(always)]
    fn next(&mut self, tcb: &mut Tcb, _now: Time) -> Option<u32> {
        if !tcb.in_recovery {
            return tcb.next_in_window();
        }
        if self.pipe >= tcb.whole_cwnd() {
            return None;
        }
        let number = match self.blocks.first_hole(tcb, self.blocks.high_sacked) {
            Some(number) => {
                self.blocks.next_resend = number + 1;
                number
            }
            None => {
                // every hole below was sent again: new ones open above only
                self.blocks.next_resend = self.blocks.next_resend.max(self.blocks.high_sacked);
                if !tcb.has_new_data() {
                    return None;
                }
                tcb.snd_max
            }
        };
        self.pipe += 1;
        Some(number)
    }

    fn on_sent_again(&mut self, tcb: &mut Tcb, number: u32) {
        tcb.board.get_mut(number).resent = true;
    }
}
