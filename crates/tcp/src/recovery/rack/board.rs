//! What is known of each segment, and how many of each kind there are.

use units::{Span, Time};

use super::detection::Detection;
use crate::recovery::News;
use crate::recovery::blocks::Blocks;
use crate::segment::SackBlocks;
use crate::sender::Tcb;

/// Segments outstanding, by what is known of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    blocks: Blocks,
    sacked: u32,
    /// Lost, whether or not they were sent again.
    lost: u32,
    /// Sent again and on their way.
    resent: u32,
    /// Lost and not sent again.
    due: u32,
    /// None below it is due.
    due_from: u32,
    /// Found by number: segments below it are SACKed or lost, and so many of them are SACKed.
    edge: u32,
    sacked_below: u32,
}

/// What an ACK reports.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrivals {
    /// Its timestamp echo.
    pub(super) echo: Time,
    /// Segments acknowledged or SACKed that were neither before; and those SACKed.
    pub(super) delivered: u32,
    pub(super) sacked: u32,
    /// The cumulative ACK covers one that was sent again.
    repaired: bool,
    /// One that was sent once, before the recovery that is on began.
    pub(super) original: bool,
    /// The lowest that was sent once and came later than one above it.
    pub(super) overtaken: u32,
    /// When the first left that was sent once, of those acknowledged and of those SACKed; zero: there is none.
    acknowledged_from: Time,
    sacked_from: Time,
}

impl Default for Arrivals {
    fn default() -> Arrivals {
        Arrivals {
            echo: Time::ZERO,
            delivered: 0,
            sacked: 0,
            repaired: false,
            original: false,
            overtaken: u32::MAX,
            acknowledged_from: Time::ZERO,
            sacked_from: Time::ZERO,
        }
    }
}

impl Arrivals {
    /// Nothing so far, of an ACK with this timestamp echo.
    pub(super) fn at(echo: Time) -> Arrivals {
        Arrivals { echo, ..Arrivals::default() }
    }

    /// No ACK, but a timer: Linux counts it as a segment for the window of a recovery.
    pub(super) fn of_nothing_but_time() -> Arrivals {
        Arrivals { delivered: 1, ..Arrivals::default() }
    }

    /// A sample for the retransmission timeout: of the oldest segment that was sent once, or by the timestamp if none
    /// was.
    #[inline(always)]
    pub(super) fn sample(&self, tcb: &mut Tcb, now: Time, ack: u32) {
        let stamped = tcb.rules.timestamps && ack > tcb.snd_una && self.echo != Time::ZERO;
        let rtt = if self.acknowledged_from != Time::ZERO && !self.repaired {
            now.since(self.acknowledged_from)
        } else if self.sacked_from != Time::ZERO {
            now.since(self.sacked_from)
        } else if stamped {
            tcb.stamped_rtt(now, self.echo)
        } else {
            return;
        };
        tcb.rtt.sample_round(now, rtt, ack, tcb.snd_max);
        tcb.path.srtt = tcb.rtt.srtt();
        tcb.rtt.end_back_off();
    }

    /// Without SACK it is open which copy arrived, of all that an ACK covers, where one of them was sent again.
    pub(super) fn forget_originals_of_repair(&mut self) {
        self.original &= !self.repaired;
    }

    /// It reports a segment by SACK that left before this time, and was sent once.
    pub(super) fn sacked_before(&self, at: Time) -> bool {
        self.sacked_from != Time::ZERO && self.sacked_from < at
    }
}

/// The block by which the receiver tells of a segment that came again: below what the ACK acknowledges, or within the
/// next block (RFC 2883 section 4).
pub(super) fn came_twice(ack: u32, blocks: &SackBlocks) -> Option<(u32, u32)> {
    let blocks = blocks.as_slice();
    let first = *blocks.first()?;
    let within = blocks.get(1).is_some_and(|next| next.0 <= first.0 && first.1 <= next.1);
    (first.1 <= ack || within).then_some(first)
}

impl Board {
    /// Segments in the network, of so many that are outstanding.
    #[inline]
    pub(super) fn pipe(&self, outstanding: u32) -> u32 {
        debug_assert!(outstanding + self.resent >= self.sacked + self.lost, "the pipe is never negative");
        (outstanding + self.resent).saturating_sub(self.sacked + self.lost)
    }

    /// Nothing is known of any but that it is outstanding.
    #[inline]
    pub(super) fn is_clean(&self) -> bool {
        self.sacked | self.lost | self.resent == 0
    }

    pub(super) fn sacked(&self) -> u32 {
        self.sacked
    }

    pub(super) fn lost(&self) -> u32 {
        self.lost
    }

    pub(super) fn resent(&self) -> u32 {
        self.resent
    }

    #[inline]
    pub(super) fn due(&self) -> u32 {
        self.due
    }

    /// One past the highest SACKed segment.
    #[inline]
    pub(super) fn high_sacked(&self) -> u32 {
        self.blocks.high_sacked
    }

    /// Enter SACK blocks.
    pub(super) fn enter(
        &mut self,
        tcb: &mut Tcb,
        now: Time,
        ack: u32,
        blocks: &SackBlocks,
        arrivals: &mut Arrivals,
        detection: &mut Detection,
    ) -> News {
        let (high, recover) = (self.blocks.high_sacked, tcb.recover);
        let rtt_min = tcb.path.rtt_min;
        let Board { sacked, lost, resent, due, edge, sacked_below, .. } = self;
        self.blocks.enter(tcb, now, ack, blocks, |n, record| {
            *sacked += 1;
            *sacked_below += u32::from(n < *edge);
            arrivals.sacked += 1;
            if record.times == 1 {
                if arrivals.sacked_from == Time::ZERO {
                    arrivals.sacked_from = record.at;
                }
                arrivals.original |= n < recover;
                if n < high {
                    arrivals.overtaken = arrivals.overtaken.min(n);
                }
            }
            *lost -= u32::from(record.notes.is_lost());
            *due -= u32::from(record.notes.is_lost() && !record.resent);
            *resent -= u32::from(record.resent);
            detection.arrived(n, record, now, rtt_min);
            arrivals.delivered += 1;
        })
    }

    /// Enter a cumulative ACK.
    #[inline(always)]
    pub(super) fn acknowledge(
        &mut self,
        tcb: &Tcb,
        now: Time,
        ack: u32,
        arrivals: &mut Arrivals,
        detection: &mut Detection,
    ) {
        for n in tcb.snd_una..ack {
            let record = tcb.board.get(n);
            arrivals.repaired |= record.times > 1;
            if record.sacked {
                self.sacked -= 1;
                self.sacked_below -= u32::from(n < self.edge);
                continue;
            }
            arrivals.delivered += 1;
            if record.times == 1 {
                if arrivals.acknowledged_from == Time::ZERO {
                    arrivals.acknowledged_from = record.at;
                }
                arrivals.original |= n < tcb.recover;
                arrivals.overtaken = arrivals.overtaken.min(n);
            }
            if record.notes.is_lost() || record.resent {
                self.lost -= u32::from(record.notes.is_lost());
                self.due -= u32::from(record.notes.is_lost() && !record.resent);
                self.resent -= u32::from(record.resent);
            }
            detection.arrived(n, record, now, tcb.path.rtt_min);
        }
    }

    /// A segment is lost, or once more.
    pub(super) fn lose(&mut self, tcb: &mut Tcb, number: u32) {
        let record = tcb.board.get_mut(number);
        let (was_lost, was_resent) = (record.notes.is_lost(), record.resent);
        record.notes.set_lost(true);
        record.resent = false;
        self.lost += u32::from(!was_lost);
        self.resent -= u32::from(was_resent);
        self.due += u32::from(!was_lost || was_resent);
        self.due_from = self.due_from.min(number);
    }

    /// The oldest segment is lost, unless it was found to be before. How many that are.
    pub(super) fn lose_oldest(&mut self, tcb: &mut Tcb) -> u32 {
        let found = tcb.snd_una < tcb.snd_max && !tcb.board.get(tcb.snd_una).notes.is_lost();
        if found {
            self.lose(tcb, tcb.snd_una);
        }
        u32::from(found)
    }

    /// Of the segments that are not SACKed those are lost that have no more than `most` SACKed ones below them. How
    /// many were not before.
    pub(super) fn lose_overtaken(&mut self, tcb: &mut Tcb, most: u32) -> u32 {
        let before = self.lost;
        self.edge = self.edge.max(tcb.snd_una);
        while self.edge < tcb.snd_max {
            let record = *tcb.board.get(self.edge);
            if self.sacked_below + u32::from(record.sacked) > most {
                break;
            }
            self.sacked_below += u32::from(record.sacked);
            if !record.sacked && !record.notes.is_lost() {
                self.lose(tcb, self.edge);
            }
            self.edge += 1;
        }
        self.lost - before
    }

    /// Without SACK: a duplicate announces that a segment has arrived. How many that are.
    pub(super) fn announce(&mut self) -> u32 {
        self.sacked += 1;
        1
    }

    /// Without SACK: no more can have arrived than the rest of so many, with the lost ones, or one of them, still
    /// missing. How many were announced beyond that.
    pub(super) fn limit_announced(&mut self, outstanding: u32) -> u32 {
        let most = outstanding - self.lost.max(1).min(outstanding);
        let excess = self.sacked.saturating_sub(most);
        self.sacked -= excess;
        excess
    }

    /// Without SACK: so many were acknowledged, one that was missing and others that duplicates may have announced. How
    /// many have arrived by it.
    pub(super) fn acknowledge_announced(&mut self, newly: u32) -> u32 {
        let arrived = newly.saturating_sub(self.sacked).max(1);
        self.sacked = self.sacked.saturating_sub(newly - 1);
        arrived
    }

    /// Without SACK: what duplicates announced tells nothing any more.
    pub(super) fn forget_duplicates(&mut self) {
        self.sacked = 0;
    }

    /// A segment leaves again.
    pub(super) fn resend(&mut self, tcb: &mut Tcb, number: u32) {
        let record = tcb.board.get_mut(number);
        self.due -= u32::from(record.notes.is_lost() && !record.resent);
        self.resent += u32::from(!record.resent);
        record.resent = true;
    }

    /// The lowest segment that is lost and was not sent again.
    pub(super) fn next_due(&mut self, tcb: &Tcb) -> Option<u32> {
        let is_due = |n: u32| {
            let record = tcb.board.get(n);
            record.notes.is_lost() && !record.resent && !record.sacked
        };
        let found = (self.due_from.max(tcb.snd_una)..tcb.snd_max).find(|&n| is_due(n))?;
        self.due_from = found;
        Some(found)
    }

    /// What was taken for lost is on its way.
    pub(super) fn nothing_is_lost(&mut self, tcb: &mut Tcb) {
        for n in tcb.snd_una..tcb.snd_max {
            tcb.board.get_mut(n).notes.set_lost(false);
        }
        (self.lost, self.due, self.due_from) = (0, 0, tcb.snd_max);
        self.count_anew(tcb.snd_una);
    }

    /// Losses are found from the oldest segment on.
    fn count_anew(&mut self, una: u32) {
        (self.edge, self.sacked_below) = (una, 0);
    }
}

/// Time since the last transmission of the oldest segment outstanding.
pub(super) fn age_of_oldest(tcb: &Tcb, now: Time) -> Span {
    now.since(tcb.board.get(tcb.snd_una).at)
}
