//! SACK recovery of RFC 6675.
//!
//! All segments but the last of a transfer are one MSS long, so RFC 6675's two tests of IsLost are one: a segment is
//! lost when at least D segments above it are SACKed. The segments below the D-th highest SACKed one, `lost_edge`, that
//! are not SACKed themselves are therefore the lost ones, and the pipe is kept up to date as the edge moves.

use units::{Span, Time};

use super::blocks::Blocks;
use super::prr::{Delivered, Prr};
use super::{News, Progress, RecoveryCore, SackCore};
use crate::segment::{SackBlocks, Segment};
use crate::sender::Tcb;

/// State of SACK recovery beside the scoreboard.
#[derive(Clone, Debug)]
pub(crate) struct Sack {
    /// Segments believed to be in the network, up to date at all times.
    pipe: i64,
    blocks: Blocks,
    /// Every segment below it that is not SACKed is lost.
    lost_edge: u32,
    /// SACKed segments at or above the edge.
    sacked_above: u32,
    rescued: bool,
    /// Segments that the latest ACK showed to be lost.
    lost_now: u32,
    /// Segments that it SACKed, and with those that it acknowledged and had not SACKed before.
    sacked_now: u32,
    delivered_now: u32,
    prr: Prr,
}

impl Sack {
    pub(super) fn new(prr: bool) -> Sack {
        Sack {
            pipe: 0,
            blocks: Blocks::default(),
            lost_edge: 0,
            sacked_above: 0,
            rescued: false,
            lost_now: 0,
            sacked_now: 0,
            delivered_now: 0,
            prr: Prr::new(prr),
        }
    }

    /// What the cumulative ACK means for the pipe.
    #[inline(never)]
    fn acknowledge(&mut self, tcb: &Tcb, ack: u32) {
        (self.sacked_now, self.delivered_now) = (0, 0);
        for n in tcb.snd_una..ack {
            let record = tcb.board.get(n);
            if record.sacked {
                self.sacked_above -= u32::from(n >= self.lost_edge);
            } else {
                self.delivered_now += 1;
                self.pipe -= i64::from(n >= self.lost_edge) + i64::from(record.resent);
            }
        }
        self.lost_edge = self.lost_edge.max(ack);
    }

    /// The edge is the D-th highest SACKed segment; what it passes is lost.
    //= https://www.rfc-editor.org/rfc/rfc6675#section-4
    //# The routine returns true when either DupThresh discontiguous SACKed sequences have arrived above 'SeqNum' or
    //# more than (DupThresh - 1) * SMSS bytes with sequence numbers greater than 'SeqNum' have been SACKed.
    #[inline(never)]
    fn move_lost_edge(&mut self, tcb: &Tcb) {
        self.lost_now = 0;
        let threshold = tcb.rules.dup_threshold;
        while self.sacked_above > threshold
            || (self.sacked_above == threshold && self.sacked_above > 0 && !tcb.board.get(self.lost_edge).sacked)
        {
            if tcb.board.get(self.lost_edge).sacked {
                self.sacked_above -= 1;
            } else {
                self.pipe -= 1;
                self.lost_now += 1;
            }
            self.lost_edge += 1;
        }
    }

    /// Begin the recovery if the first outstanding segment is lost.
    #[inline]
    fn look_for_loss(&mut self, tcb: &mut Tcb, now: Time) {
        let found = tcb.dupacks >= tcb.rules.dup_threshold || self.lost_edge > tcb.snd_una;
        // Segments sent again in vain give no duplicates that count, so this is guard enough, whatever the rule:
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
        //# a new recovery phase (as described in Section 5) MUST NOT be initiated until HighACK is greater than or
        //# equal to the new value of RecoveryPoint
        if found && tcb.snd_una >= tcb.recover {
            tcb.enter_recovery(now, |tcb, _| tcb.repair_with(0));
            tcb.restart_timer(now); // RFC 6675 section 6 lets it; RFC 6298 (5.1) only starts it
            self.rescued = false;
            self.note_resend(tcb, tcb.snd_una);
        }
    }

    /// Account for a retransmission that is about to leave.
    fn note_resend(&mut self, tcb: &mut Tcb, number: u32) {
        tcb.board.get_mut(number).resent = true;
        self.pipe += 1;
        self.blocks.next_resend = number + 1;
    }

    /// Rule 1 of NextSeg(): the lowest lost segment not retransmitted yet, of those below `repairable`.
    //= https://www.rfc-editor.org/rfc/rfc6675#section-4
    //# (1) If there exists a smallest unSACKed sequence number 'S2' that meets the following three criteria for
    //# determining loss, the sequence range of one segment of up to SMSS octets starting with S2 MUST be
    //# returned.
    #[inline(always)]
    fn lost_hole(&mut self, tcb: &mut Tcb, repairable: u32) -> Option<u32> {
        let number = self.blocks.first_hole(tcb, self.lost_edge.min(repairable))?;
        self.note_resend(tcb, number);
        Some(number)
    }

    /// Rule 2: new data.
    //= https://www.rfc-editor.org/rfc/rfc6675#section-4
    //# (2) If no sequence number 'S2' per rule (1) exists but there exists available unsent data and the
    //# receiver's advertised window allows, the sequence range of one segment of up to SMSS octets of
    //# previously unsent data starting with sequence number HighData+1 MUST be returned.
    #[inline(always)]
    fn new_data(&mut self, tcb: &mut Tcb, repairing: bool) -> Option<u32> {
        if !repairing && tcb.snd_max - tcb.snd_una >= tcb.window {
            // only duplicates have made room: limited transmit
            if tcb.limited_sent >= tcb.rules.limited_transmit {
                return None;
            }
            tcb.limited_sent += 1;
        }
        self.pipe += 1;
        Some(tcb.snd_max)
    }

    /// Rule 3: a hole that is not known to be lost; rule 4: once, the last segment outstanding.
    #[inline(never)]
    fn doubtful_hole(&mut self, tcb: &mut Tcb) -> Option<u32> {
        //= https://www.rfc-editor.org/rfc/rfc6675#section-4
        //# then one segment of up to SMSS octets starting with S3 SHOULD be returned.
        if let Some(number) = self.blocks.first_hole(tcb, self.blocks.high_sacked) {
            self.note_resend(tcb, number);
            return Some(number);
        }
        if self.rescued {
            return None;
        }
        //= https://www.rfc-editor.org/rfc/rfc6675#section-4
        //# HighRxt MUST NOT be updated.
        // SetPipe() does not see it either
        self.rescued = true;
        (tcb.snd_una..tcb.snd_max).rev().find(|&n| !tcb.board.get(n).sacked)
    }

    /// Recovery is over: retransmissions of it no longer count apart.
    fn leave(&mut self, tcb: &mut Tcb, now: Time) {
        self.prr.end();
        tcb.leave_recovery(now, tcb.cwnd(), false);
        for n in tcb.snd_una..self.blocks.next_resend {
            let record = tcb.board.get_mut(n);
            if record.resent {
                record.resent = false;
                if !record.sacked {
                    self.pipe -= 1;
                }
            }
        }
        self.blocks.next_resend = tcb.snd_una;
    }

    /// The window of the recovery after an ACK of `newly` segments.
    #[inline(never)]
    fn reduce(&mut self, tcb: &mut Tcb, newly: u32) {
        let delivered = Delivered { newly, all: self.delivered_now, sacked: self.sacked_now };
        //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
        //# SafeACK = (SND.UNA advances and no further loss indicated)
        let safe = newly > 0 && self.lost_now == 0;
        self.prr.on_ack_with_sack(tcb, delivered, self.pipe.max(0) as u32, safe);
    }
}

impl RecoveryCore for Sack {
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
            Progress::Full => self.leave(tcb, now),
            Progress::Partial => {}
        }
        true
    }

    /// An ACK advanced outside recovery, or ended one. News beyond it make it the first duplicate as well:
    //= https://www.rfc-editor.org/rfc/rfc6675#section-5
    //# If the incoming ACK is a duplicate acknowledgment per the definition in Section 2 (regardless of its status as a
    //# cumulative acknowledgment), and the TCP is not currently in loss recovery, the TCP MUST increase DupAcks by one
    #[inline(always)]
    fn after_advance(&mut self, tcb: &mut Tcb, now: Time, newly: u32, news: bool, _delay: Option<Span>) {
        if !tcb.in_recovery {
            tcb.dupacks = u32::from(news);
            self.look_for_loss(tcb, now);
        }
        if self.prr.is_on() {
            self.reduce(tcb, newly);
        }
    }

    /// Begin the recovery, or let the pipe decide what may leave.
    #[inline(never)]
    fn on_duplicate(&mut self, tcb: &mut Tcb, now: Time, news: bool) {
        //= https://www.rfc-editor.org/rfc/rfc3042#section-2
        //# the data sender MUST NOT send new segments in response to duplicate ACKs that contain no new SACK
        //# information
        if news {
            tcb.dupacks += 1;
            if !tcb.in_recovery {
                self.look_for_loss(tcb, now);
            }
        }
        if self.prr.is_on() {
            self.reduce(tcb, 0);
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb, _now: Time) {
        self.prr.end();
        tcb.dupacks = 0;
    }

    /// Everything not SACKed is lost, nothing is in the network.
    fn presume_lost(&mut self, tcb: &mut Tcb, _now: Time) {
        for n in tcb.snd_una..tcb.snd_max {
            tcb.board.get_mut(n).resent = false;
        }
        self.pipe = 0;
        self.lost_edge = tcb.snd_max;
        self.sacked_above = 0;
        self.blocks.next_resend = tcb.snd_una;
    }

    #[inline]
    fn in_flight(&self, _tcb: &Tcb) -> u32 {
        self.pipe.max(0) as u32
    }

    #[inline]
    fn newly_lost(&mut self, _progress: Progress) -> u32 {
        self.lost_now
    }
}

impl SackCore for Sack {
    #[inline(always)]
    fn note_ack(&mut self, tcb: &mut Tcb, now: Time, ack: u32, _echo: Time, blocks: &SackBlocks) -> News {
        self.acknowledge(tcb, ack);
        let edge = self.lost_edge;
        let news = self.blocks.enter(tcb, now, ack, blocks, |n, record| {
            self.sacked_now += 1;
            self.delivered_now += 1;
            self.pipe -= i64::from(n >= edge) + i64::from(record.resent);
            self.sacked_above += u32::from(n >= edge);
        });
        self.move_lost_edge(tcb);
        news
    }

    /// NextSeg() of RFC 6675 section 4, while the pipe has room.
    #[inline(always)]
    fn next(&mut self, tcb: &mut Tcb, _now: Time) -> Option<u32> {
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5
        //# If cwnd - pipe >= 1 SMSS, the sender SHOULD transmit one or more segments as follows:
        if self.pipe >= i64::from(tcb.window) {
            return None;
        }
        // after a timeout only what was outstanding then: a loss of newer data begins a recovery, which cuts the window
        let repairable = if tcb.in_recovery { tcb.snd_max } else { tcb.recover };
        let repairing = tcb.snd_una < repairable;
        if repairing && let Some(number) = self.lost_hole(tcb, repairable) {
            return Some(number);
        }
        if tcb.has_new_data() {
            return self.new_data(tcb, repairing);
        }
        if tcb.in_recovery { self.doubtful_hole(tcb) } else { None }
    }
}

#[cfg(test)]
mod tests;
