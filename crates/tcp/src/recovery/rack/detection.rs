//! Which segments are lost: those that left before one that has arrived, and long enough ago (RFC 8985 section 6.2).
//!
//! Segments leave in the order of their numbers but for those that leave again, and these are kept in a queue. So the
//! list of RFC 8985, ordered by time, is two: an edge that moves up the numbers, and that queue. Each segment is passed
//! by the edge once, and leaves the queue once for each time that it entered.

use std::collections::VecDeque;

use units::{Span, Time};

use super::board::Board;
use crate::Config;
use crate::scoreboard::Sent;
use crate::sender::Tcb;

/// A wider window for reordering lasts for so many recoveries (RFC 8985 section 6.2, step 4).
const PERSISTS: u32 = 16;
/// Most segments that an overtaken one may be behind.
const MOST_REORDERING: u32 = 300;

/// What is known of the order of arrivals.
#[derive(Clone, Debug)]
pub(super) struct Detection {
    /// Of the segments that have arrived, the one that left last, and its RTT.
    newest_at: Time,
    newest_end: u32,
    /// It had left before, so that segments above it may have left earlier.
    newest_again: bool,
    as_linux: bool,
    /// Timestamp of the ACK at hand, if it tells which copy of a segment arrived; zero: it does not.
    echo: Time,
    rtt: Span,
    /// The RTT of the handshake, which counts for the least one.
    opening: Span,
    /// A segment has arrived since losses were looked for.
    news: bool,
    /// Segments below it that were sent once are lost or have arrived.
    edge: u32,
    /// Segments sent again, in the order in which they left, and when; those that have arrived or left once more since
    /// are passed over.
    again: VecDeque<(u32, Time)>,
    /// Segments by which one was overtaken at most, at least the threshold of duplicates.
    reordering: u32,
    /// How often that was seen.
    reordered: u32,
    /// The window for reordering, in quarters of the least RTT, and how many recoveries it lasts.
    steps: u32,
    persists: u32,
    /// A segment came twice, so that the window may be too short. Not heard of until this is acknowledged: a change is
    /// given a round to show.
    dsack: bool,
    widened_until: u32,
}

/// What was found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// Segments newly lost.
    pub(super) lost: u32,
    /// One of them had been sent again.
    pub(super) again: bool,
    /// How long until all that were overtaken are lost, if they do not arrive; zero: none is left.
    pub(super) wait: Span,
}

impl Detection {
    /// ACKs that showed one to have been overtaken.
    pub(super) fn reordered(&self) -> u32 {
        self.reordered
    }

    /// Segments by which one was overtaken at most.
    pub(super) fn reordering(&self) -> u32 {
        self.reordering
    }

    pub(super) fn new(config: &Config) -> Detection {
        Detection {
            newest_at: Time::ZERO,
            newest_end: 0,
            newest_again: false,
            as_linux: config.linux_recovery,
            echo: Time::ZERO,
            rtt: Span::ZERO,
            opening: Span(u64::MAX),
            news: false,
            edge: 0,
            again: VecDeque::new(),
            reordering: config.dup_threshold,
            reordered: 0,
            steps: 1,
            persists: 0,
            dsack: false,
            widened_until: 0,
        }
    }

    /// The least RTT may be that of the handshake, whose segments are small.
    pub(super) fn note_opening(&mut self, rtt: Span) {
        self.opening = rtt;
    }

    /// What made the receiver acknowledge the segments that follow left at this time; zero: it is not known. Linux does
    /// not ask.
    #[inline(never)]
    pub(super) fn hear(&mut self, echo: Time) {
        self.echo = if self.as_linux { Time::ZERO } else { echo };
    }

    /// A segment has arrived (RFC 8985 section 6.2, step 2).
    #[inline(always)]
    pub(super) fn arrived(&mut self, number: u32, record: &Sent, now: Time, rtt_min: Span) {
        let rtt = now.since(record.at);
        if record.times > 1 && self.is_first_copy(rtt, rtt_min, record.at) {
            return;
        }
        self.news = true;
        self.rtt = rtt;
        if (record.at, number + 1) > (self.newest_at, self.newest_end) {
            (self.newest_at, self.newest_end) = (record.at, number + 1);
            self.newest_again = record.times > 1;
        }
    }

    /// Not the last copy arrived, which left at `at`: its timestamp tells, or else that this is too soon.
    #[inline(never)]
    fn is_first_copy(&self, rtt: Span, rtt_min: Span, at: Time) -> bool {
        if self.echo == Time::ZERO { rtt < rtt_min.min(self.opening) } else { self.echo < at }
    }

    #[inline]
    pub(super) fn has_news(&self) -> bool {
        self.news
    }

    /// With nothing known of any segment outstanding: none of them left before the newest that has arrived.
    #[inline]
    pub(super) fn nothing_overtaken(&self, tcb: &Tcb) -> bool {
        (tcb.snd_una >= self.newest_end && !self.newest_again) || tcb.snd_una >= tcb.snd_max
    }

    #[inline]
    pub(super) fn forget_news(&mut self) {
        self.news = false;
    }

    /// A segment left again.
    pub(super) fn note_resent(&mut self, number: u32, at: Time) {
        self.again.push_back((number, at));
    }

    /// Segments were overtaken by more than the threshold of duplicates.
    pub(super) fn is_beyond(&self, threshold: u32) -> bool {
        self.reordering > threshold
    }

    /// A segment was overtaken by one so far above it (RFC 8985 section 6.2, step 3).
    pub(super) fn note_reordering(&mut self, distance: u32) {
        self.reordered += 1;
        self.reordering = self.reordering.max(distance.min(MOST_REORDERING));
    }

    /// A segment came twice that was no probe. Linux heeds it once segments were seen to overtake others.
    pub(super) fn note_dsack(&mut self) {
        self.dsack |= !self.as_linux || self.reordered > 0;
    }

    /// The wider window lasts for one recovery less.
    pub(super) fn end_recovery(&mut self) {
        self.persists = self.persists.saturating_sub(1);
    }

    /// A recovery was for nothing: the wider window lasts longer.
    pub(super) fn keep_window(&mut self) {
        self.persists = (self.persists + 1).min(PERSISTS);
    }

    /// What counts as lost no longer does: begin from the oldest segment.
    pub(super) fn look_again(&mut self, una: u32) {
        self.edge = una;
        self.news = true;
    }

    /// The timer expired though many had arrived: reordering is not what it was thought to be.
    pub(super) fn after_timeout(&mut self, board: &Board, threshold: u32) {
        if board.sacked() >= threshold {
            self.reordering = self.reordering.min(threshold);
        }
    }

    /// A segment that left at `at` may still arrive within the latest RTT and this window for reordering.
    pub(super) fn is_young(&self, at: Time, now: Time, window: Span) -> bool {
        at + self.rtt + window > now
    }

    /// How much later than an RTT a segment may arrive (RFC 8985 section 6.2, step 4).
    #[inline(never)]
    pub(super) fn window(&self, board: &Board, tcb: &Tcb, recovering: bool) -> Span {
        if self.reordered == 0 && (recovering || board.sacked() >= self.reordering) {
            return Span::ZERO;
        }
        let least = tcb.path.rtt_min.min(self.opening);
        Span(u64::from(self.steps) * (least.0 / 4)).min(tcb.path.srtt)
    }

    /// Widen the window if segments came twice, and make it narrow again when that has not been for long.
    fn adapt(&mut self, tcb: &Tcb) {
        if tcb.snd_una < self.widened_until {
            self.dsack = false;
        }
        if self.dsack {
            self.dsack = false;
            self.steps = (self.steps + 1).min(255);
            self.persists = PERSISTS;
            self.widened_until = tcb.snd_max;
        } else if self.persists == 0 {
            self.steps = 1;
        }
    }

    /// Mark what is lost (RFC 8985 section 6.2, step 5). `recovering`: something was found to be lost before.
    pub(super) fn detect(&mut self, board: &mut Board, tcb: &mut Tcb, now: Time, recovering: bool) -> Found {
        self.news = false;
        self.adapt(tcb);
        let patience = self.rtt + self.window(board, tcb, recovering);
        let mut found = Found::default();
        self.pass_first_copies(board, tcb, now, patience, &mut found);
        self.pass_later_copies(board, tcb, now, patience, &mut found);
        found
    }

    /// The newest arrival left later.
    fn overtook(&self, number: u32, at: Time) -> bool {
        (at, number + 1) < (self.newest_at, self.newest_end)
    }

    /// Segments that were sent once, and those that left again as probes or count as not lost any more.
    fn pass_first_copies(&mut self, board: &mut Board, tcb: &mut Tcb, now: Time, patience: Span, found: &mut Found) {
        let mut passed = true;
        for n in self.edge.max(tcb.snd_una)..tcb.snd_max {
            let record = *tcb.board.get(n);
            let (once, settled) = (record.times == 1, record.sacked || record.resent || record.notes.is_lost());
            if !settled && self.overtook(n, record.at) {
                if record.at + patience <= now {
                    board.lose(tcb, n);
                    found.lost += 1;
                } else {
                    found.wait = found.wait.max((record.at + patience).since(now));
                    passed = false;
                }
            } else if !settled && once {
                break; // and those above it left later
            } else {
                passed &= settled;
            }
            if passed {
                self.edge = n + 1;
            }
        }
    }

    /// Segments that left again.
    fn pass_later_copies(&mut self, board: &mut Board, tcb: &mut Tcb, now: Time, patience: Span, found: &mut Found) {
        let mut at = 0;
        while let Some(&(n, sent)) = self.again.get(at) {
            let outstanding = (tcb.snd_una..tcb.snd_max).contains(&n);
            let waits = outstanding && {
                let record = tcb.board.get(n);
                record.resent && !record.sacked && record.at == sent
            };
            if waits && !self.overtook(n, sent) {
                break;
            }
            if waits && sent + patience > now {
                found.wait = found.wait.max((sent + patience).since(now));
                at += 1;
                continue;
            }
            if waits {
                board.lose(tcb, n);
                found.lost += 1;
                found.again = true;
            }
            if at == 0 {
                self.again.pop_front();
            } else {
                at += 1;
            }
        }
    }
}
