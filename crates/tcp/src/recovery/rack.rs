//! RACK-TLP: a segment is lost when one that was sent later has arrived and time enough has passed since it was sent;
//! and a probe asks for news of the last segments when no ACK comes.
//! Source: RFC 8985; F-RTO, RFC 5682; taking back what was for nothing, RFC 3522 and RFC 3708; the window in recovery,
//! RFC 9937. Where the RFCs leave something open it is as in Linux (Cheng, Cardwell, Dukkipati and Jha wrote both).
//! Choices: SACK is always on. The least RTT is that of the connection. Whether an ACK is for the last copy of a
//! segment is told by its timestamp where it acknowledges that segment: a SACK's is that of what came in order. A
//! timeout leaves out of what it takes for lost those segments that were sent within the latest RTT and the window for
//! reordering (RFC 8985 section 6.3; Linux: the RTT). Tahoe has no recovery: its slow start repairs losses as it does
//! after a timeout, and only a retransmission that is lost cuts the window again meanwhile.
//!
//! This file has the events, and what they do to the window; `board` what is known of each segment, `detection` which
//! of them are lost, `probe` the timers, `undo` what is taken back.

mod board;
mod detection;
mod probe;

mod undo;

use units::{Span, Time};

use self::board::{Arrivals, Board};
use self::detection::Detection;
use self::probe::Probe;
use self::undo::Undo;
use super::prr::Reduction;
use super::{Known, News, Progress, RecoveryCore, SackCore};
use crate::Config;
use crate::segment::{SackBlocks, Segment};
use crate::sender::{Pending, Tcb};

/// How it is found that segments are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finds {
    /// By time (RFC 8985).
    Late,
    /// Linux without RACK: by how many above them are SACKed.
    Overtaken,
    /// Linux without SACK: by duplicate ACKs, and by ACKs that repair a part.
    Duplicates,
}

/// After a timeout, until all that was sent before it is acknowledged (RFC 5682, with SACK).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loss {
    /// There was none.
    No,
    /// Everything is taken for lost and sent again.
    Repairs,
    /// Only the oldest was sent again: the next ACKs decide.
    Doubts,
    /// The ACK at hand advanced: new data go out to see.
    Asks,
}

/// State of RACK-TLP.
#[derive(Clone, Debug)]
pub(crate) struct Rack {
    board: Board,
    finds: Finds,
    /// The ACK at hand is a duplicate, with or without news.
    duplicate: bool,
    /// Linux: it answers a copy that left before anything was sent again, while others are on their way again: only new
    /// data leave.
    waits: bool,
    /// What the ACK at hand reports.
    arrivals: Arrivals,
    detection: Detection,
    loss: Loss,
    /// Segments that the ACK at hand showed to be lost.
    lost_now: u32,
    /// Segments found lost since the algorithm was last told.
    lost_untold: u32,
    probe: Option<Probe>,
    undo: Undo,
    reduction: Option<Reduction>,
    /// Segments by which the ACK at hand advanced; and one past what was sent when a mark last cut the window.
    newly: u32,
    marked_until: u32,
    prr: bool,
    probes: bool,
    as_linux: bool,
    /// When the timer expired something was being repaired.
    repaired: bool,
}

impl Rack {
    pub(super) fn new(config: &Config, prr: bool, finds: Finds) -> Rack {
        Rack {
            board: Board::default(),
            finds,
            duplicate: false,
            waits: false,
            arrivals: Arrivals::default(),
            detection: Detection::new(config),
            loss: Loss::No,
            lost_now: 0,
            lost_untold: 0,
            probe: None,
            undo: Undo::new(config),
            reduction: None,
            newly: 0,
            marked_until: 0,
            prr,
            probes: config.tail_probes && finds == Finds::Late,
            as_linux: config.linux_recovery,
            repaired: false,
        }
    }

    /// What is known of the segments that are outstanding.
    pub(super) fn known(&self) -> Known {
        Known {
            sacked: self.board.sacked(),
            lost: self.board.lost(),
            resent: self.board.resent(),
            reordering: self.detection.reordering(),
            reordered: self.detection.reordered(),
            after_timeout: self.loss != Loss::No,
        }
    }

    /// Segments in the network.
    #[inline]
    fn pipe(&self, tcb: &Tcb) -> u32 {
        self.board.pipe(tcb.snd_max - tcb.snd_una)
    }

    /// An ACK was entered, and the algorithm has heard of it: look for losses, and size the window. `newly`: segments
    /// by which it advanced.
    #[inline(always)]
    fn react(&mut self, tcb: &mut Tcb, now: Time, newly: u32) {
        self.newly = newly;
        if self.probe.is_some() {
            self.end_probe(tcb, now, newly > 0);
        }
        let wait = match self.finds {
            Finds::Late if self.detection.has_news() => self.look_for_losses(tcb, now),
            Finds::Late => Span::ZERO,
            Finds::Overtaken | Finds::Duplicates => {
                self.count_losses(tcb, now, newly > 0);
                Span::ZERO
            }
        };
        if tcb.in_recovery | tcb.comes_down {
            self.reduce(tcb, newly);
        }
        self.set_timer(tcb, now, newly > 0, wait);
    }

    /// What is lost by now. How long until the rest of what was overtaken is, if anything is.
    #[inline(always)]
    fn look_for_losses(&mut self, tcb: &mut Tcb, now: Time) -> Span {
        if self.waits {
            return Span::ZERO;
        }
        if self.board.is_clean() && (self.detection.nothing_overtaken(tcb) || self.is_at_rest(tcb)) {
            self.detection.forget_news();
            return Span::ZERO;
        }
        self.mark_losses(tcb, now)
    }

    /// Linux looks for losses only while something is amiss, or was until the ACK at hand.
    #[inline(never)]
    fn is_at_rest(&self, tcb: &Tcb) -> bool {
        let ends = tcb.snd_una >= tcb.recover && tcb.snd_una - self.newly < tcb.recover;
        self.as_linux && !(tcb.in_recovery | tcb.comes_down | ends) && self.loss == Loss::No
    }

    #[inline(never)]
    fn mark_losses(&mut self, tcb: &mut Tcb, now: Time) -> Span {
        let found = self.detection.detect(&mut self.board, tcb, now, tcb.in_recovery || self.loss != Loss::No);
        self.lost_now = found.lost;
        self.lost_untold += found.lost;
        let decided = self.loss == Loss::No || found.again;
        if self.board.lost() > 0 && !tcb.in_recovery && decided && self.loss != Loss::Asks {
            self.enter(tcb, now);
        }
        found.wait
    }

    /// What is lost by the number of SACKs or duplicates.
    #[inline(never)]
    fn count_losses(&mut self, tcb: &mut Tcb, now: Time, advanced: bool) {
        let duplicate = std::mem::take(&mut self.duplicate) && !advanced;
        if self.waits || self.loss != Loss::No || self.is_held(tcb) {
            return;
        }
        let (begins, least) = (!tcb.in_recovery, self.detection.reordering());
        if self.finds == Finds::Duplicates {
            let found = if begins { self.board.sacked() >= least } else { advanced };
            if found {
                self.note_lost(|board| board.lose_oldest(tcb));
            }
            if begins && self.board.lost() > 0 {
                self.enter(tcb, now);
            }
            return;
        }
        let spread = self.board.sacked() > 0 && self.board.high_sacked() > tcb.snd_una + least;
        let marks = duplicate || (spread && (self.arrivals.sacked > 0 || (advanced && !begins)));
        if begins {
            if self.board.lost() == 0 && self.board.sacked() < least {
                return;
            }
            self.enter(tcb, now);
        }
        if marks {
            self.note_lost(|board| match board.sacked().checked_sub(least) {
                Some(below) => board.lose_overtaken(tcb, below),
                None if begins => board.lose_oldest(tcb),
                None => 0,
            });
        }
    }

    fn note_lost(&mut self, find: impl FnOnce(&mut Board) -> u32) {
        self.lost_now = find(&mut self.board);
        self.lost_untold += self.lost_now;
    }

    /// Without SACK, what is outstanding when all is acknowledged that was sent before a loss may be acknowledged by
    /// duplicates of what was sent again for nothing: the recovery is over with the next ACK only (RFC 6582 section
    /// 3.2).
    fn is_held(&self, tcb: &Tcb) -> bool {
        self.finds == Finds::Duplicates && tcb.snd_una == tcb.recover && (tcb.in_recovery || self.loss != Loss::No)
    }

    /// A recovery begins.
    #[inline(never)]
    fn enter(&mut self, tcb: &mut Tcb, now: Time) {
        let (cwnd, outstanding) = (tcb.cwnd() as u32, tcb.snd_max - tcb.snd_una);
        self.undo.begin(tcb, self.board.resent(), self.loss == Loss::No);
        self.loss = Loss::No;
        self.probe = None;
        // slow start from one segment repairs losses, as after a timeout
        let starts_over = tcb.rules.goes_back;
        tcb.enter_recovery(now, |tcb, _| tcb.in_recovery = !starts_over);
        let goes_on = std::mem::take(&mut tcb.comes_down);
        if starts_over {
            self.loss = Loss::Repairs;
            // (another one may be SACKed before pacing lets it leave)
            tcb.resend = self.board.next_due(tcb).filter(|&number| number == tcb.snd_una);
            return;
        }
        if goes_on {
            return; // the reduction goes on
        }
        let flight = outstanding - self.board.sacked() + self.arrivals.delivered;
        self.reduction = self.prr.then(|| Reduction::new(tcb, if self.as_linux { cwnd } else { flight }, 0));
    }

    /// The window of the recovery after an ACK of `newly` segments.
    #[inline(never)]
    fn reduce(&mut self, tcb: &mut Tcb, newly: u32) {
        if self.arrivals.delivered > 0 {
            self.allow(tcb, newly);
        }
    }

    /// The same after an ACK that may have delivered nothing, or a timer: the first retransmission may leave.
    #[inline(never)]
    fn allow(&mut self, tcb: &mut Tcb, newly: u32) {
        let pipe = self.pipe(tcb);
        let Some(reduction) = &mut self.reduction else { return };
        let safe = newly > 0 && self.lost_now == 0;
        let count = reduction.send_count(reduction.out(tcb), self.arrivals.delivered, pipe, safe);
        tcb.inflation = (pipe + count) as i32 - tcb.cwnd() as i32;
    }

    /// The flight has come down after a mark, and more than was sent before it is acknowledged.
    #[inline(never)]
    fn end_descent(&mut self, tcb: &mut Tcb) {
        if tcb.snd_una > self.marked_until {
            tcb.comes_down = false;
            tcb.inflation = 0;
            self.reduction = None;
        }
    }

    /// The recovery is over.
    #[inline(never)]
    fn leave(&mut self, tcb: &mut Tcb, now: Time) {
        // what was taken back before the end counts from what the flight came to meanwhile
        let undone = self.reduction.take().is_some_and(|reduction| reduction.is_taken_back());
        let window = if undone { tcb.cwnd() + f64::from(tcb.inflation) } else { tcb.cwnd() };
        tcb.leave_recovery(now, window, undone);
    }

    /// Everything that was sent when the recovery began is acknowledged.
    fn leave_at_end(&mut self, tcb: &mut Tcb, now: Time) {
        let undo = self.undo.may(tcb, &self.arrivals);
        if self.is_held(tcb) {
            self.board.forget_duplicates();
            if undo {
                self.take_back(tcb, now, false);
                let ssthresh = tcb.ssthresh_segments() as u32;
                self.reduction.iter_mut().for_each(|reduction| reduction.take_back(ssthresh));
            }
            return;
        }
        if tcb.in_recovery {
            self.leave(tcb, now);
        }
        self.loss = Loss::No;
        if undo {
            self.take_back(tcb, now, false);
        } else {
            self.detection.end_recovery();
        }
    }

    /// An ACK while a recovery is on: what it repaired may not have been lost.
    fn on_ack_in_recovery(&mut self, tcb: &mut Tcb, now: Time, newly: u32) {
        let early = newly > 0 && self.undo.was_early(tcb, &self.arrivals);
        if early && self.as_linux {
            self.note_late_arrival(tcb, tcb.snd_una - newly);
            self.waits = self.board.resent() > 0;
        }
        if early && self.board.resent() == 0 {
            self.leave(tcb, now);
            self.take_back(tcb, now, true);
        } else if self.waits {
            // and nothing else of it counts
        } else if self.undo.all_came_twice() {
            self.detection.keep_window();
            self.leave(tcb, now);
            self.take_back(tcb, now, false);
        }
    }

    /// Linux: the oldest segment was, which others have overtaken.
    fn note_late_arrival(&mut self, tcb: &Tcb, oldest: u32) {
        let top = match (self.board.sacked(), self.finds) {
            (0, _) => tcb.snd_una,
            (_, Finds::Duplicates) => tcb.snd_max,
            _ => self.board.high_sacked(),
        };
        if oldest < top {
            self.detection.note_reordering(top - oldest);
        }
    }

    /// Without SACK, a duplicate says that a segment has arrived, as long as some may have.
    fn announce(&mut self, tcb: &Tcb) {
        if self.duplicate {
            let announced = self.board.announce();
            self.arrivals.delivered = announced.saturating_sub(self.correct_announced(tcb, 0));
        }
    }

    /// No more can have arrived than is outstanding beside the oldest. What was announced beyond that: segments were
    /// overtaken by others. `newly`: segments that the ACK at hand acknowledges.
    fn correct_announced(&mut self, tcb: &Tcb, newly: u32) -> u32 {
        let outstanding = tcb.snd_max - tcb.snd_una - newly;
        let excess = self.board.limit_announced(outstanding);
        if excess > 0 {
            self.detection.note_reordering(outstanding + newly);
        }
        excess
    }

    /// An ACK after a timeout (RFC 5682 section 3.1, with SACK).
    fn on_ack_after_timeout(&mut self, tcb: &mut Tcb, now: Time, advanced: bool) {
        let ended = tcb.snd_una >= tcb.recover;
        if self.loss == Loss::Asks {
            self.loss = Loss::Doubts;
        }
        let without_sack = self.finds == Finds::Duplicates;
        let early = advanced && self.undo.may(tcb, &self.arrivals);
        if early || self.is_spurious(tcb) {
            // without SACK, Linux repairs nothing more even so until all is acknowledged
            if !(early && without_sack) {
                self.loss = Loss::No;
            }
            self.take_back(tcb, now, true);
            return;
        }
        let duplicate = self.as_linux && self.duplicate && !advanced;
        if self.loss == Loss::Doubts {
            if tcb.snd_max > tcb.recover {
                // nothing of the old data arrived but what was sent again
                self.loss = if duplicate || self.arrivals.sacked > 0 { Loss::Repairs } else { Loss::Doubts };
            } else if advanced && !ended {
                self.loss = if tcb.has_new_data() { Loss::Asks } else { Loss::Repairs };
            }
        }
        if ended {
            self.leave_at_end(tcb, now);
        } else if without_sack && advanced {
            self.board.forget_duplicates();
        } else if without_sack && tcb.snd_max > tcb.recover {
            self.announce(tcb);
        }
    }

    /// Of what was sent once before the timeout some arrives. The RFC hears of it once new data are on their way, and
    /// only while none of these has arrived; Linux from the first ACK on.
    #[inline(never)]
    fn is_spurious(&self, tcb: &Tcb) -> bool {
        let asked = tcb.snd_max > tcb.recover && tcb.snd_una.max(self.board.high_sacked()) <= tcb.recover;
        self.loss == Loss::Doubts && self.arrivals.original && (self.as_linux || asked)
    }

    /// The reduction was for nothing. `found`: nor is anything lost that was taken for it.
    #[inline(never)]
    fn take_back(&mut self, tcb: &mut Tcb, now: Time, found: bool) {
        if found {
            self.board.nothing_is_lost(tcb);
            self.detection.look_again(tcb.snd_una);
        }
        self.undo.take_back(tcb, now);
    }
}

impl RecoveryCore for Rack {
    fn on_open(&mut self, rtt: Span) {
        //= specs/papers/linux.md#losses
        //# The least RTT, of which a quarter is the time that a segment may be late by, counts that of the
        //# handshake.
        self.detection.note_opening(rtt);
    }

    #[inline(always)]
    fn is_duplicate(&mut self, segment: &Segment, pure: bool, window_changed: bool) -> bool {
        self.duplicate = pure && !window_changed;
        if self.finds == Finds::Duplicates { self.duplicate } else { !segment.sack.is_empty() }
    }

    #[inline(always)]
    fn progress(&self, tcb: &Tcb, ack: u32) -> Progress {
        match tcb.progress_to_recover(ack) {
            Progress::Full if self.finds == Finds::Duplicates && ack == tcb.recover => Progress::Partial,
            progress => progress,
        }
    }

    #[inline(always)]
    fn on_advance(&mut self, tcb: &mut Tcb, now: Time, progress: Progress, newly: u32) -> bool {
        if tcb.comes_down {
            self.end_descent(tcb);
        }
        match progress {
            Progress::Full => self.leave_at_end(tcb, now),
            Progress::Partial if self.is_held(tcb) => self.leave_at_end(tcb, now),
            Progress::Partial => self.on_ack_in_recovery(tcb, now, newly),
            Progress::Open if self.loss != Loss::No => self.on_ack_after_timeout(tcb, now, true),
            Progress::Open if self.undo.all_came_twice() => self.take_back(tcb, now, false),
            Progress::Open => {}
        }
        if self.finds == Finds::Duplicates && !tcb.in_recovery && self.loss == Loss::No {
            self.board.forget_duplicates();
        }
        false
    }

    #[inline(always)]
    fn after_advance(&mut self, tcb: &mut Tcb, now: Time, newly: u32, _news: bool, _delay: Option<Span>) {
        self.react(tcb, now, newly);
    }

    #[inline(never)]
    fn on_duplicate(&mut self, tcb: &mut Tcb, now: Time, _news: bool) {
        let counts = self.finds == Finds::Duplicates && self.loss == Loss::No && !self.is_held(tcb);
        if counts {
            self.announce(tcb);
        }
        if self.is_held(tcb) {
            self.leave_at_end(tcb, now);
        } else if tcb.in_recovery {
            self.on_ack_in_recovery(tcb, now, 0);
        } else if self.loss != Loss::No {
            self.on_ack_after_timeout(tcb, now, false);
        } else if self.undo.all_came_twice() {
            self.take_back(tcb, now, false);
        }
        self.react(tcb, now, 0);
    }

    /// A plain duplicate answers the probe: the last segment had arrived. With blocks it comes while nothing is
    /// outstanding, and tells what came twice.
    fn on_other_ack(&mut self, tcb: &mut Tcb, now: Time, ack: u32, blocks: &SackBlocks) {
        if blocks.is_empty() {
            self.probe = self.probe.filter(|probe| ack < probe.end);
            return;
        }
        self.arrivals = Arrivals::default();
        self.note_blocks(tcb, now, ack, blocks);
        if self.undo.all_came_twice() {
            self.take_back(tcb, now, false);
            tcb.update_window(now);
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb, _now: Time) {
        self.repaired = tcb.in_recovery || self.loss != Loss::No;
        let ended = tcb.snd_una >= tcb.recover;
        let calm = self.loss == Loss::No && (!tcb.in_recovery || ended);
        let new = self.loss == Loss::No && !tcb.in_recovery;
        let again = tcb.timeouts_in_row() > 1;
        if calm || (self.loss != Loss::No && !again) {
            self.undo.begin(tcb, self.board.resent(), calm);
        }
        self.reduction = None;
        tcb.comes_down = false;
        self.probe = None;
        self.loss = if self.undo.is_on() && (new || again) { Loss::Doubts } else { Loss::Repairs };
    }

    /// All that is not SACKed is lost, but what was sent within the latest RTT: that may still arrive.
    fn presume_lost(&mut self, tcb: &mut Tcb, now: Time) {
        if self.loss == Loss::No {
            self.repaired = tcb.in_recovery;
            self.loss = Loss::Repairs; // the end of a handover
            if std::mem::take(&mut tcb.comes_down) {
                self.reduction = None;
            }
        }
        self.waits = false;
        if self.finds == Finds::Duplicates {
            self.board.forget_duplicates();
        }
        let window = if self.as_linux { Span::ZERO } else { self.detection.window(&self.board, tcb, self.repaired) };
        for n in tcb.snd_una..tcb.snd_max {
            let record = tcb.board.get(n);
            let young = self.finds == Finds::Late && n > tcb.snd_una && self.detection.is_young(record.at, now, window);
            if !record.sacked && !young {
                self.board.lose(tcb, n);
            }
        }
        if !self.repaired {
            self.detection.after_timeout(&self.board, tcb.rules.dup_threshold);
        }
        let window = self.pipe(tcb) + 1;
        if window > 1 && !tcb.rules.sampled && tcb.cwnd() < f64::from(window) {
            tcb.set_cwnd(f64::from(window));
        }
        tcb.resend = Some(tcb.snd_una);
    }

    fn on_deadline(&mut self, tcb: &mut Tcb, now: Time) {
        match tcb.pending {
            Pending::Probe => self.send_probe(tcb, now),
            Pending::Reordering => self.end_wait(tcb, now),
            Pending::Retransmission => {}
        }
    }

    /// Linux: once reordering was seen beyond the threshold, a SACK is as good as an ACK.
    fn sacks_grow(&self, tcb: &Tcb) -> bool {
        self.as_linux
            && !(tcb.in_recovery | tcb.comes_down)
            && self.loss == Loss::No
            && self.detection.is_beyond(tcb.rules.dup_threshold)
    }

    /// Linux brings the flight down in proportion after a mark as after a loss, with the ACK at hand for a start.
    fn on_marked(&mut self, tcb: &mut Tcb, before: u32) {
        if self.prr && self.as_linux && !tcb.in_recovery && self.loss == Loss::No {
            tcb.comes_down = true;
            self.marked_until = tcb.snd_max;
            self.probe = None;
            self.reduction = Some(Reduction::new(tcb, before, 0));
            self.reduce(tcb, self.newly);
        }
    }

    #[inline]
    fn in_flight(&self, tcb: &Tcb) -> u32 {
        self.pipe(tcb)
    }

    #[inline]
    fn delivered(&self, _newly: u32) -> u32 {
        self.arrivals.delivered
    }

    #[inline]
    fn newly_lost(&mut self, _progress: Progress) -> u32 {
        std::mem::take(&mut self.lost_untold)
    }
}

impl SackCore for Rack {
    #[inline(always)]
    fn note_ack(&mut self, tcb: &mut Tcb, now: Time, ack: u32, echo: Time, blocks: &SackBlocks) -> News {
        self.lost_now = 0;
        self.arrivals = Arrivals::at(echo);
        self.waits = false;
        let high = self.board.high_sacked();
        let news = if blocks.is_empty() { News::default() } else { self.note_blocks(tcb, now, ack, blocks) };
        self.detection.hear(echo);
        self.board.acknowledge(tcb, now, ack, &mut self.arrivals, &mut self.detection);
        if self.finds == Finds::Duplicates && ack > tcb.snd_una {
            self.acknowledge_announced(tcb, ack - tcb.snd_una);
        } else if self.arrivals.overtaken < high {
            // overtaken by what was SACKed before this ACK; by how much, what it SACKs itself counts as well
            let top = if self.board.sacked() > 0 { self.board.high_sacked() } else { ack };
            self.detection.note_reordering(top - self.arrivals.overtaken);
        }
        self.arrivals.sample(tcb, now, ack);
        news
    }

    /// Lost segments first, then new data, while the network has room.
    #[inline(always)]
    fn next(&mut self, tcb: &mut Tcb, now: Time) -> Option<u32> {
        let full = self.pipe(tcb) >= tcb.window;
        if !full
            && self.board.due() > 0
            && !self.waits
            && let Some(number) = self.next_lost(tcb)
        {
            return Some(number);
        }
        let has_data = tcb.has_new_data();
        if full || !has_data {
            // held back by the receiver's window is not by cwnd
            let limited = full && !tcb.receiver_holds_back();
            tcb.note_usage(limited, limited && has_data);
            return None;
        }
        self.set_timer_for_new_data(tcb, now);
        tcb.usage.sent = true;
        // sent for what was SACKed above a hole: no part of what a halving starts from (RFC 5681 section 3.2)
        tcb.limited_sent += u32::from(self.board.sacked() > 0 && !tcb.in_recovery);
        Some(tcb.snd_max)
    }

    fn on_sent_again(&mut self, tcb: &mut Tcb, number: u32) {
        let at = tcb.board.get(number).at;
        if self.probe.is_some_and(|probe| probe.is_leaving) {
            self.probe.iter_mut().for_each(|probe| probe.is_leaving = false);
            return;
        }
        self.board.resend(tcb, number);
        if self.finds == Finds::Late {
            self.detection.note_resent(number, at);
        }
        self.undo.note_resent(at);
        if number == tcb.snd_una && tcb.pending != Pending::Reordering {
            tcb.restart_timer(at);
        }
    }
}

impl Rack {
    /// Without SACK, an ACK covers one segment that was missing; the others eat duplicates.
    #[inline(never)]
    fn acknowledge_announced(&mut self, tcb: &Tcb, newly: u32) {
        self.arrivals.delivered = self.board.acknowledge_announced(newly);
        self.correct_announced(tcb, newly);
        self.arrivals.forget_originals_of_repair();
    }

    #[inline(never)]
    fn note_blocks(&mut self, tcb: &mut Tcb, now: Time, ack: u32, blocks: &SackBlocks) -> News {
        if let Some((_, end)) = board::came_twice(ack, blocks) {
            let answers_probe = self.probe.is_some_and(|probe| probe.again && probe.end == end);
            self.probe.iter_mut().for_each(|probe| probe.came_twice |= answers_probe);
            self.undo.came_twice(end);
            self.duplicate = false;
            if !answers_probe {
                self.detection.note_dsack();
            }
        }
        self.detection.hear(Time::ZERO); // (an echo is of what came in order)
        self.board.enter(tcb, now, ack.max(tcb.snd_una), blocks, &mut self.arrivals, &mut self.detection)
    }

    /// The lowest lost segment that has not left again; none while F-RTO sends new data to see.
    #[inline(never)]
    fn next_lost(&mut self, tcb: &mut Tcb) -> Option<u32> {
        if self.loss == Loss::Asks {
            if tcb.has_new_data() {
                return None;
            }
            self.loss = Loss::Repairs;
        }
        self.board.next_due(tcb)
    }
}
