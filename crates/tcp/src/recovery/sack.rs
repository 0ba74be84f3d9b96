//! SACK recovery: RFC 6675, and ns-2's Sack1 after Fall and Floyd 1996.
//!
//! All segments but the last of a transfer are one MSS long, so RFC 6675's two tests of IsLost are one: a segment is lost
//! when at least D segments above it are SACKed. The segments below the D-th highest SACKed one, `lost_edge`, that are not
//! SACKed themselves are therefore the lost ones, and the pipe is kept up to date as the edge moves.

use units::Time;

use crate::segment::{MAX_SACK, SackBlocks};
use crate::sender::Sender;

/// What the SACK cores keep beside the scoreboard.
#[derive(Clone, Debug, Default)]
pub(crate) struct SackState {
    /// Segments believed to be in the network (RFC 6675).
    pipe: i64,
    /// Sack1's own count of packets in the pipe, kept only during recovery.
    pub(crate) sack1_pipe: i64,
    /// One past the highest SACKed segment.
    pub(super) high_sacked: u32,
    /// Every segment below it that is not SACKed is lost.
    lost_edge: u32,
    /// SACKed segments at or above the edge.
    sacked_above: u32,
    /// One past the last segment retransmitted in this recovery (HighRxt + 1).
    pub(crate) next_resend: u32,
    rescued: bool,
    /// Segments that the latest ACK showed to be lost.
    pub(crate) lost_now: u32,
    /// Segments that it SACKed, and with those that it acknowledged and had not SACKed before.
    pub(crate) sacked_now: u32,
    pub(crate) delivered_now: u32,
    /// When the newest of those that it SACKed left, if they were sent once; else zero.
    pub(crate) newest_now: Time,
    /// Sack1: duplicates do not count between a timeout and the next new ACK.
    deaf: bool,
    /// FullTcp: the pipe decides what may leave, see [`super::full_sack`].
    pub(crate) piping: bool,
    /// The blocks of the ACK before, to look only at what is new in them.
    seen: [(u32, u32); MAX_SACK],
}

impl SackState {
    /// Segments believed to be in the network; RFC 6675's core keeps it up to date at all times.
    pub(crate) fn pipe(&self) -> i64 {
        self.pipe
    }
}

impl Sender {
    /// Enter what a cumulative ACK and its SACK blocks say. True if a segment was SACKed that was not before.
    #[inline(always)]
    pub(crate) fn sack_on_ack(&mut self, ack: u32, blocks: &SackBlocks, now: Time) -> bool {
        self.sack.next_resend = self.sack.next_resend.max(ack);
        self.sack.newest_now = Time::ZERO;
        if !self.rules.keeps_pipe {
            return !blocks.is_empty() && self.enter_blocks::<false>(ack, blocks, now);
        }
        self.acknowledge_in_pipe(ack);
        let news = !blocks.is_empty() && self.enter_blocks::<true>(ack, blocks, now);
        self.move_lost_edge();
        news
    }

    /// What the cumulative ACK means for the pipe.
    #[inline(never)]
    fn acknowledge_in_pipe(&mut self, ack: u32) {
        let s = &mut self.sack;
        (s.sacked_now, s.delivered_now) = (0, 0);
        for n in self.snd_una..ack {
            let record = self.board.get(n);
            if record.sacked {
                s.sacked_above -= u32::from(n >= s.lost_edge);
            } else {
                s.delivered_now += 1;
                s.pipe -= i64::from(n >= s.lost_edge) + i64::from(record.resent);
            }
        }
        s.lost_edge = s.lost_edge.max(ack);
    }

    /// Mark what the blocks of an ACK report; with `PIPE`, take it out of the pipe as well.
    #[inline(never)]
    fn enter_blocks<const PIPE: bool>(&mut self, ack: u32, blocks: &SackBlocks, now: Time) -> bool {
        let (all, seen) = (blocks.all(), self.sack.seen);
        // most often the ACK before says the same, but for one segment at the end of the first block
        let next = seen[0].1;
        let news = if all[0] == (seen[0].0, next + 1) && all[1..] == seen[1..] {
            (ack..self.snd_max).contains(&next) && self.enter_segment::<PIPE>(next, now)
        } else {
            self.enter_other_blocks::<PIPE>(ack, blocks, now)
        };
        self.sack.seen = *all;
        news
    }

    #[inline(never)]
    fn enter_other_blocks<const PIPE: bool>(&mut self, ack: u32, blocks: &SackBlocks, now: Time) -> bool {
        let mut news = false;
        for &(start, end) in blocks.as_slice() {
            let known = self.sack.seen.iter().find(|b| b.0 == start).map_or(start, |b| b.1.min(end));
            for n in known.max(ack)..end.min(self.snd_max) {
                news |= self.enter_segment::<PIPE>(n, now);
            }
        }
        news
    }

    /// Mark a segment as SACKed. True if it was not.
    #[inline(always)]
    fn enter_segment<const PIPE: bool>(&mut self, n: u32, now: Time) -> bool {
        let (s, record) = (&mut self.sack, self.board.get_mut(n));
        if record.sacked {
            return false;
        }
        record.sacked = true;
        s.high_sacked = s.high_sacked.max(n + 1);
        if record.times == 1 && !record.notes.was_sacked() {
            s.newest_now = s.newest_now.max(record.at);
            record.notes.sack();
        }
        if PIPE {
            s.sacked_now += 1;
            s.delivered_now += 1;
            s.pipe -= i64::from(n >= s.lost_edge) + i64::from(record.resent);
            s.sacked_above += u32::from(n >= s.lost_edge);
        }
        if let Some(delivery) = &mut self.delivery {
            delivery.on_delivered(self.board.sampled(n), now);
        }
        if self.timed.is_some_and(|(timed, _)| timed == n) {
            self.sample_rto_by_sack(now);
        }
        true
    }

    /// The edge stands on the D-th highest SACKed segment; what it passes is lost.
    //= https://www.rfc-editor.org/rfc/rfc6675#section-4
    //# The routine returns true when either DupThresh discontiguous SACKed sequences have arrived above 'SeqNum' or
    //# more than (DupThresh - 1) * SMSS bytes with sequence numbers greater than 'SeqNum' have been SACKed.
    #[inline(never)]
    fn move_lost_edge(&mut self) {
        let s = &mut self.sack;
        s.lost_now = 0;
        let threshold = self.rules.dup_threshold;
        while s.sacked_above > threshold
            || (s.sacked_above == threshold && s.sacked_above > 0 && !self.board.get(s.lost_edge).sacked)
        {
            if self.board.get(s.lost_edge).sacked {
                s.sacked_above -= 1;
            } else {
                s.pipe -= 1;
                s.lost_now += 1;
            }
            s.lost_edge += 1;
        }
    }

    // ---- RFC 6675 ----

    /// A duplicate ACK: begin the recovery, or let the pipe decide what may leave.
    pub(crate) fn sack_on_duplicate(&mut self, now: Time, news: bool) {
        //= https://www.rfc-editor.org/rfc/rfc3042#section-2
        //# the data sender MUST NOT send new segments in response to duplicate ACKs that contain no new SACK
        //# information
        if !news {
            return;
        }
        self.dupacks += 1;
        if !self.in_recovery {
            self.sack_look_for_loss(now);
        }
    }

    /// An ACK advanced outside recovery, or ended one. News beyond it make it the first duplicate as well:
    //= https://www.rfc-editor.org/rfc/rfc6675#section-5
    //# If the incoming ACK is a duplicate acknowledgment per the definition in Section 2 (regardless of its status as a
    //# cumulative acknowledgment), and the TCP is not currently in loss recovery, the TCP MUST increase DupAcks by one
    #[inline]
    pub(crate) fn sack_after_new_ack(&mut self, now: Time, news: bool) {
        self.dupacks = u32::from(news);
        self.sack_look_for_loss(now);
    }

    /// Begin the recovery if the first outstanding segment is lost.
    #[inline]
    fn sack_look_for_loss(&mut self, now: Time) {
        let found = self.dupacks >= self.rules.dup_threshold || self.sack.lost_edge > self.snd_una;
        // Segments sent again in vain give no duplicates that count, so this is guard enough, whatever the rule:
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
        //# a new recovery phase (as described in Section 5) MUST NOT be initiated until HighACK is greater than or
        //# equal to the new value of RecoveryPoint
        if found && self.snd_una >= self.recover {
            self.enter_recovery(now);
            self.sack.next_resend = self.snd_una;
            self.sack.rescued = false;
            self.note_resend(self.snd_una);
        }
    }

    /// Account for a retransmission that is about to leave.
    fn note_resend(&mut self, number: u32) {
        self.board.get_mut(number).resent = true;
        self.sack.pipe += 1;
        self.sack.next_resend = number + 1;
    }

    /// NextSeg() of RFC 6675 section 4, while the pipe has room.
    pub(crate) fn sack_next(&mut self) -> Option<u32> {
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5
        //# If cwnd - pipe >= 1 SMSS, the sender SHOULD transmit one or more segments as follows:
        if self.sack.pipe >= i64::from(self.window) {
            return None;
        }
        // after a timeout only what was outstanding then: a loss of newer data begins a recovery, which cuts the window
        let repairable = if self.in_recovery { self.snd_max } else { self.recover };
        let repairing = self.snd_una < repairable;
        if repairing && let Some(number) = self.first_hole(self.sack.lost_edge.min(repairable)) {
            //= https://www.rfc-editor.org/rfc/rfc6675#section-4
            //# (1) If there exists a smallest unSACKed sequence number 'S2' that meets the following three criteria for
            //# determining loss, the sequence range of one segment of up to SMSS octets starting with S2 MUST be
            //# returned.
            // rule 1: the lowest lost segment not retransmitted yet
            self.note_resend(number);
            return Some(number);
        }
        if self.has_new_data() {
            //= https://www.rfc-editor.org/rfc/rfc6675#section-4
            //# (2) If no sequence number 'S2' per rule (1) exists but there exists available unsent data and the
            //# receiver's advertised window allows, the sequence range of one segment of up to SMSS octets of
            //# previously unsent data starting with sequence number HighData+1 MUST be returned.
            // rule 2: new data
            if !repairing && self.snd_max - self.snd_una >= self.window {
                // only duplicates have made room: limited transmit
                if self.limited_sent >= self.rules.limited_transmit {
                    return None;
                }
                self.limited_sent += 1;
            }
            self.sack.pipe += 1;
            return Some(self.snd_max);
        }
        if !self.in_recovery {
            return None;
        }
        if let Some(number) = self.first_hole(self.sack.high_sacked) {
            //= https://www.rfc-editor.org/rfc/rfc6675#section-4
            //# then one segment of up to SMSS octets starting with S3 SHOULD be returned.
            // rule 3: a hole that is not known to be lost
            self.note_resend(number);
            return Some(number);
        }
        if !self.sack.rescued {
            // rule 4: once, the last segment outstanding
            //= https://www.rfc-editor.org/rfc/rfc6675#section-4
            //# HighRxt MUST NOT be updated.
            // SetPipe() does not see it either
            self.sack.rescued = true;
            return (self.snd_una..self.snd_max).rev().find(|&n| !self.board.get(n).sacked);
        }
        None
    }

    /// The lowest segment below `below` that is neither SACKed nor retransmitted in this recovery.
    pub(super) fn first_hole(&mut self, below: u32) -> Option<u32> {
        let from = self.sack.next_resend.max(self.snd_una);
        (from..below.min(self.snd_max)).find(|&n| {
            let record = self.board.get(n);
            !record.sacked && !record.resent
        })
    }

    /// Recovery is over: retransmissions of it no longer count apart.
    pub(crate) fn sack_on_exit(&mut self) {
        for n in self.snd_una..self.sack.next_resend {
            let record = self.board.get_mut(n);
            if record.resent {
                record.resent = false;
                if !record.sacked {
                    self.sack.pipe -= 1;
                }
            }
        }
        self.sack.next_resend = self.snd_una;
    }

    /// The timer expired: everything not SACKed is lost, nothing is in the network.
    pub(crate) fn sack_on_rto(&mut self) {
        for n in self.snd_una..self.snd_max {
            self.board.get_mut(n).resent = false;
        }
        self.sack.pipe = 0;
        self.sack.lost_edge = self.snd_max;
        self.sack.sacked_above = 0;
        self.sack.next_resend = self.snd_una;
    }

    // ---- ns-2's Sack1 ----

    /// A duplicate ACK: enter at the D-th that brought news; in recovery one packet has left the network.
    pub(crate) fn sack1_on_duplicate(&mut self, now: Time, news: bool) {
        if self.rules.full {
            return self.full_sack_on_duplicate(now);
        }
        if self.in_recovery {
            self.sack.sack1_pipe -= 1;
            return;
        }
        if self.sack.deaf || !news {
            return;
        }
        self.dupacks += 1;
        if self.dupacks == self.rules.dup_threshold {
            if self.may_fast_retransmit() {
                self.enter_recovery(now);
                self.sack.sack1_pipe = i64::from(self.snd_max - self.snd_una) - i64::from(self.rules.dup_threshold);
                self.sack.next_resend = self.snd_una + 1;
            }
        } else {
            self.allow_limited_transmit();
        }
    }

    /// While fewer packets than cwnd are in the pipe: the first hole below the highest SACKed packet, else new data.
    pub(crate) fn sack1_next(&mut self) -> Option<u32> {
        if self.sack.sack1_pipe >= self.whole_cwnd() {
            return None;
        }
        let number = match self.first_hole(self.sack.high_sacked) {
            Some(number) => {
                self.sack.next_resend = number + 1;
                number
            }
            None => {
                if !self.rules.full {
                    // every hole below was sent again: new ones open above only
                    self.sack.next_resend = self.sack.next_resend.max(self.sack.high_sacked);
                }
                if !self.has_new_data() {
                    return None;
                }
                self.snd_max
            }
        };
        self.sack.sack1_pipe += 1;
        Some(number)
    }

    /// The timer expired: duplicates say nothing until something new is acknowledged.
    pub(crate) fn sack1_on_rto(&mut self) {
        if self.rules.full {
            return self.full_sack_on_rto();
        }
        self.sack1_forget();
        self.sack.deaf = true;
    }

    /// Clear the scoreboard: after a timeout, at the end of a recovery, and on every new ACK outside one.
    pub(crate) fn sack1_forget(&mut self) {
        self.sack.piping = false;
        if self.sack.high_sacked == 0 && !self.sack.deaf {
            return; // nothing entered since the last time
        }
        for n in self.snd_una..self.snd_max {
            let record = self.board.get_mut(n);
            record.sacked = false;
            record.resent = false;
        }
        let next_resend = if self.rules.full { self.sack.next_resend } else { 0 };
        self.sack = SackState { next_resend, ..SackState::default() };
    }
}

#[cfg(test)]
mod tests;
