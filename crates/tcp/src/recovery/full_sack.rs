//! What ns-2's FullTcp with SACK does otherwise than Sack1: from a fast retransmit on, the pipe decides until all that was
//! sent before is acknowledged, timeouts or not; and meanwhile an ACK of data rides on the next segment, room or not.
//! Source: traces of ns-2 2.35; `tests/differential/ns2-full` has its runs.

use units::Time;

use crate::sender::{Core, Sender};

impl Sender {
    /// A duplicate counts, and takes one packet out of the pipe. At the threshold the pipe is taken anew, also after a
    /// timeout.
    #[cold]
    pub(super) fn full_sack_on_duplicate(&mut self, now: Time) {
        self.dupacks += 1;
        let at_threshold = self.dupacks == self.rules.dup_threshold;
        if !self.sack.piping && at_threshold && self.may_fast_retransmit() {
            self.enter_recovery(now);
            self.sack.next_resend = self.snd_una + 1;
            self.sack.piping = true;
        } else {
            self.sack.sack1_pipe -= 1;
        }
        if self.sack.piping && at_threshold {
            let missing = (self.snd_una..self.snd_max).filter(|&n| !self.board.get(n).sacked);
            self.sack.sack1_pipe = missing.count() as i64;
        }
    }

    /// Data that came before say again what they acknowledge: that takes one packet out of the pipe, but is no duplicate.
    #[cold]
    pub(crate) fn full_sack_on_old_data(&mut self, ack: u32) {
        if self.sack.piping && ack == self.snd_una {
            self.sack.sack1_pipe -= 1;
        }
    }

    /// The timer expired, and what is SACKed is forgotten. While the pipe decides it goes on doing so: the lost segment
    /// leaves by itself, and the hole that was next is next. Otherwise holes count from the lost segment on.
    pub(super) fn full_sack_on_rto(&mut self) {
        let (piping, pipe) = (self.sack.piping, self.sack.sack1_pipe);
        let next_hole = if piping { self.full_sack_hole() } else { Some(self.snd_una) };
        self.sack1_forget();
        self.sack.next_resend = next_hole.unwrap_or(self.sack.next_resend);
        if piping {
            (self.sack.piping, self.sack.sack1_pipe) = (true, pipe);
            self.resend = Some(self.snd_una);
        }
    }

    /// A segment leaves: holes are looked for beyond it, but new data sent by the pipe leave those below them open.
    #[cold]
    pub(crate) fn full_note_sent(&mut self, number: u32, again: bool) {
        if self.core == Core::Sack1 && (again || !self.sack.piping) {
            self.sack.next_resend = self.sack.next_resend.max(number + 1);
        }
    }

    /// The segment that may leave now, by the pipe or else by the window.
    #[cold]
    pub(crate) fn full_sack_next(&mut self) -> Option<u32> {
        let number = self.full_sack_choose()?;
        if !self.sack.piping {
            return (number - self.snd_una < self.window).then_some(number);
        }
        if self.sack.sack1_pipe >= self.cwnd() as i64 {
            return None;
        }
        self.sack.sack1_pipe += 1;
        Some(number)
    }

    /// The segment that an ACK of data rides on though the pipe is full.
    pub(crate) fn full_sack_forced(&mut self) -> Option<u32> {
        if !self.sack.piping {
            return None;
        }
        let number = self.full_sack_choose()?;
        self.sack.sack1_pipe += 1;
        Some(number)
    }

    /// The next hole, else the next in turn, SACKed or not.
    fn full_sack_choose(&self) -> Option<u32> {
        let number = self.full_sack_hole().unwrap_or(self.snd_nxt);
        (number < self.offered && number - self.snd_una < self.rwnd).then_some(number)
    }

    /// The first segment below the highest SACKed one that is not SACKed, beyond the last that was sent again; while the
    /// window decides, not below where the sender stands.
    fn full_sack_hole(&self) -> Option<u32> {
        let stands = if self.sack.piping { self.snd_una } else { self.snd_nxt };
        let from = self.sack.next_resend.max(stands);
        (from..self.sack.high_sacked.min(self.snd_max)).find(|&n| !self.board.get(n).sacked)
    }
}
