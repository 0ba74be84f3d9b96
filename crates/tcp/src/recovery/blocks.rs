//! What SACK blocks have reported: which segments, and which holes below them are left to repair.

use units::Time;

use super::News;
use crate::scoreboard::Sent;
use crate::segment::{MAX_SACK, SackBlocks};
use crate::sender::Tcb;

/// What the cores with SACK keep beside the scoreboard.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    /// One past the highest SACKed segment.
    pub(super) high_sacked: u32,
    /// One past the last segment retransmitted in this recovery (HighRxt + 1).
    pub(super) next_resend: u32,
    /// The blocks of the ACK before, to look only at what is new in them.
    seen: [(u32, u32); MAX_SACK],
}

impl Blocks {
    /// Nothing was reported; holes count from `next_resend` on.
    pub(super) fn starting_at(next_resend: u32) -> Blocks {
        Blocks { next_resend, ..Blocks::default() }
    }

    /// Enter an ACK's blocks; `each` hears of every segment that was not SACKed before.
    #[inline(always)]
    pub(super) fn enter(
        &mut self,
        tcb: &mut Tcb,
        now: Time,
        ack: u32,
        blocks: &SackBlocks,
        each: impl FnMut(u32, &Sent),
    ) -> News {
        self.next_resend = self.next_resend.max(ack);
        if blocks.is_empty() { News::default() } else { self.enter_some(tcb, now, ack, blocks, each) }
    }

    #[inline(never)]
    fn enter_some(
        &mut self,
        tcb: &mut Tcb,
        now: Time,
        ack: u32,
        blocks: &SackBlocks,
        mut each: impl FnMut(u32, &Sent),
    ) -> News {
        let mut news = News::default();
        let (all, seen) = (blocks.all(), self.seen);
        // most often the ACK before says the same, but for one segment at the end of the first block
        let next = seen[0].1;
        if all[0] == (seen[0].0, next + 1) && all[1..] == seen[1..] {
            if (ack..tcb.snd_max).contains(&next) {
                self.enter_segment(tcb, now, next, &mut news, &mut each);
            }
        } else {
            self.enter_others(tcb, now, ack, blocks, &mut news, &mut each);
        }
        self.seen = *all;
        news
    }

    #[inline(never)]
    fn enter_others(
        &mut self,
        tcb: &mut Tcb,
        now: Time,
        ack: u32,
        blocks: &SackBlocks,
        news: &mut News,
        each: &mut impl FnMut(u32, &Sent),
    ) {
        for &(start, end) in blocks.as_slice() {
            let known = self.seen.iter().find(|b| b.0 == start).map_or(start, |b| b.1.min(end));
            for n in known.max(ack)..end.min(tcb.snd_max) {
                self.enter_segment(tcb, now, n, news, each);
            }
        }
    }

    /// Mark a segment as SACKed.
    #[inline(always)]
    fn enter_segment(&mut self, tcb: &mut Tcb, now: Time, n: u32, news: &mut News, each: &mut impl FnMut(u32, &Sent)) {
        let record = tcb.board.get_mut(n);
        if record.sacked {
            return;
        }
        record.sacked = true;
        news.any = true;
        self.high_sacked = self.high_sacked.max(n + 1);
        if record.times == 1 && !record.notes.was_sacked() {
            news.newest = news.newest.max(record.at);
            record.notes.sack();
        }
        each(n, record);
        tcb.note_sacked(now, n);
    }

    /// The lowest segment below `below` that is neither SACKed nor retransmitted in this recovery.
    pub(super) fn first_hole(&self, tcb: &Tcb, below: u32) -> Option<u32> {
        let from = self.next_resend.max(tcb.snd_una);
        (from..below.min(tcb.snd_max)).find(|&n| {
            let record = tcb.board.get(n);
            !record.sacked && !record.resent
        })
    }
}
