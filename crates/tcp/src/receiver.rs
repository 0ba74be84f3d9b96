//! The receiving half: reassembly, acknowledgements, SACK blocks, echoes.
//! Source: RFC 9293, RFC 5681 section 4.2, RFC 2018, RFC 2883, RFC 7323, RFC 3168, RFC 8257 section 3.2.

mod delay;
mod echo;
mod held;
mod quick;

use std::cmp::Ordering;

use units::{Span, Time};

use self::delay::Delay;
use self::echo::Echo;
use self::held::Held;
use self::quick::Quick;
use crate::segment::{Flags, MAX_SACK, SackBlocks, Segment};
use crate::sender::Wheel;
use crate::{Config, DelackMode};

/// Receiver's counters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReceiverStats {
    /// Data segments that arrived, duplicates included.
    pub received_segments: u64,
    /// Data segments that had arrived before, or are refused.
    pub duplicate_segments: u64,
    /// Data segments that arrived marked.
    pub marked_segments: u64,
    /// Sum of the one-way delays of the segments that were new, seconds.
    pub delay_sum: f64,
}

impl ReceiverStats {
    /// Add those of another receiver.
    pub fn add(&mut self, other: &ReceiverStats) {
        self.received_segments += other.received_segments;
        self.duplicate_segments += other.duplicate_segments;
        self.marked_segments += other.marked_segments;
        self.delay_sum += other.delay_sum;
    }
}

/// State of the receiving half.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// Next segment expected.
    rcv_nxt: u32,
    /// Out-of-order ranges `[start, end)` above rcv_nxt, sorted, disjoint, not adjacent.
    ranges: Vec<(u32, u32)>,
    /// Starts of the most recently changed ranges, newest first.
    recent: Vec<u32>,
    /// What the next ACK reports of them, unless that has to be chosen anew.
    report: SackBlocks,
    choose: bool,
    sack: bool,
    /// The rules are those of ns-2's FullTcp.
    full: bool,
    /// In-order segments not acknowledged yet.
    unacked: u32,
    every: u32,
    delay: Delay,
    /// The interval of a heartbeat; zero: there is none.
    heartbeat: Span,
    ns2: bool,
    delack_at: Time,
    ack_now: bool,
    /// When the newest segment in order arrived whose ACK waits, or waited, for another one.
    waits_since: Time,
    /// The next acknowledgement says more than usual: of marks, or that it was held back.
    speaks: bool,
    last_ack_sent: u32,
    ts_recent: Time,
    last_arrival: Time,
    /// When the next segment expected became what it is.
    advanced_at: Time,
    echo: Echo,
    /// The highest segment that came again, and how often it did.
    highest_again: (u32, u64),
    wheel: Wheel,
    /// Segments are refused that are older by their timestamps than what is echoed.
    paws: bool,
    quick: Quick,
    /// One past the last segment that ACKs have offered to take, of a window that grows; it never moves back.
    offered_end: u32,
    /// Segments per ACK otherwise.
    usual: u32,
    dsack: bool,
    /// A segment that came twice, to be reported.
    twice: Option<u32>,
    /// What an ACK that waited had to report before the latest segment made it leave.
    crowded_out: Option<Box<SackBlocks>>, // (rare, and the endpoint is no larger for it)
    held: Held,
    /// Counters.
    pub stats: ReceiverStats,
}

impl Receiver {
    /// Nothing received.
    pub fn new(config: &Config, sack: bool) -> Receiver {
        let delay = Delay::new(config);
        let paws = config.timestamps && config.linux_recovery && !config.ns2_recovery;
        let quick = Quick::new(config, delay.adapts || paws);
        let beats = config.delayed_ack_mode == DelackMode::Heartbeat;
        Receiver {
            rcv_nxt: 0,
            ranges: Vec::new(),
            recent: Vec::new(),
            report: SackBlocks::NONE,
            choose: true,
            sack,
            full: config.is_full(),
            unacked: 0,
            every: if quick.left > 0 { 1 } else { config.delayed_ack.max(1) },
            delay,
            heartbeat: if beats { config.delayed_ack_timer } else { Span::ZERO },
            ns2: config.ns2_recovery,
            delack_at: Time::NEVER,
            ack_now: false,
            waits_since: Time::ZERO,
            speaks: false,
            last_ack_sent: 0,
            ts_recent: Time::ZERO,
            last_arrival: Time::ZERO,
            advanced_at: Time::ZERO,
            echo: Echo::new(config),
            highest_again: (0, 0),
            wheel: Wheel::new(config),
            paws,
            offered_end: if quick.offers { quick.window() } else { u32::MAX },
            quick,
            usual: config.delayed_ack.max(1),
            dsack: config.dsack && sack,
            twice: None,
            crowded_out: None,
            held: Held::new(config.sack_compression && sack),
            stats: ReceiverStats::default(),
        }
    }

    /// Next segment expected: everything below it was received in order.
    #[inline]
    pub fn rcv_nxt(&self) -> u32 {
        self.rcv_nxt
    }

    /// The timestamp that the next ACK echoes.
    pub fn ts_recent(&self) -> Time {
        self.ts_recent
    }

    /// ACKs tell what arrived out of order.
    pub(crate) fn has_sack(&self) -> bool {
        self.sack
    }

    /// What arrived above the next segment expected: ranges `[start, end)`, sorted and apart from each other.
    pub fn held(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// The highest segment that came again, and how often it did.
    pub(crate) fn highest_again(&self) -> (u32, u64) {
        self.highest_again
    }

    /// An ACK must leave now.
    #[inline]
    pub fn ack_due(&self) -> bool {
        self.ack_now
    }

    /// When the delayed-ACK timer fires.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.delack_at
    }

    /// Acknowledge at once, whatever the delay rules say.
    pub fn force_ack(&mut self) {
        self.ack_now = true;
    }

    /// The SYN arrived.
    pub fn on_syn(&mut self, now: Time, segment: &Segment) {
        self.ts_recent = segment.ts_val;
        self.last_arrival = now;
        self.held.syn_at = now;
        self.ack_now = true;
    }

    /// The answer to the SYN was acknowledged.
    #[cold]
    pub(crate) fn on_open(&mut self, now: Time) {
        if self.held.syn_at < now {
            self.held.on_open(now.since(self.held.syn_at));
        }
    }

    /// An ACK without data arrived, of a side that sends none: its number is always what was acknowledged last.
    #[inline(always)]
    pub fn on_pure_ack(&mut self, segment: &Segment) {
        //= https://www.rfc-editor.org/rfc/rfc7323#section-4.3
        //# SEG.SEQ <= Last.ACK.sent
        self.ts_recent = self.ts_recent.max(segment.ts_val);
    }

    /// A data segment arrived.
    #[inline(always)]
    pub fn on_data(&mut self, now: Time, segment: &Segment) {
        let number = segment.seq;
        self.stats.received_segments += 1;
        self.on_ecn(segment.flags);
        let mut stamp = segment.ts_val;
        if self.quick.on {
            if self.paws && stamp < self.ts_recent {
                if self.is_outdated(stamp) {
                    return self.refuse(now, number);
                }
                stamp = self.ts_recent; // which does not go back
            }
            self.note_quick(now, number);
        }
        self.last_arrival = now;
        //= https://www.rfc-editor.org/rfc/rfc7323#section-4.3
        //# SEG.SEQ <= Last.ACK.sent
        if number <= self.last_ack_sent {
            self.ts_recent = stamp;
        }
        if number == self.rcv_nxt && self.ranges.is_empty() {
            self.stats.delay_sum += now.since(segment.ts_val).secs();
            self.rcv_nxt += 1;
            self.advanced_at = now;
            self.on_in_order(now);
            if segment.flags.has(Flags::PSH) {
                self.ack_now |= !self.delay.replies; // read at once, and the sender may wait for the ACK
            }
        } else if number < self.rcv_nxt || self.holds(number) {
            self.stats.duplicate_segments += 1;
            self.on_duplicate(now, number);
        } else {
            self.stats.delay_sum += now.since(segment.ts_val).secs();
            let crowds_out = self.held.waiting > 0 && self.crowds_out(number);
            if !self.extend(number) {
                self.insert(number);
            }
            if number < self.rcv_nxt {
                self.advanced_at = now;
            }
            //= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
            //# the receiver SHOULD send an immediate duplicate ACK when it receives a data segment above a gap in the
            //# sequence space.
            // out of order, or part of a gap filled
            self.ack_now = crowds_out || !self.held.on || !self.waits_for_more(now);
            self.speaks |= self.is_held();
        }
    }

    /// Linux: a segment with this timestamp was overtaken by a newer one that came in order.
    //= specs/papers/linux.md#delayed-acks
    //# A segment whose timestamp is older than the one to be echoed by more than a millisecond is refused
    #[cold]
    fn is_outdated(&self, stamp: Time) -> bool {
        self.wheel.clock(self.ts_recent) - self.wheel.clock(stamp) > 1
    }

    /// Nothing is taken of a segment, and that is said at once.
    #[cold]
    fn refuse(&mut self, now: Time, number: u32) {
        self.last_arrival = now;
        self.stats.duplicate_segments += 1;
        if self.has(number) {
            return self.on_duplicate(now, number);
        }
        self.count_again(number);
        self.ack_now = true;
        self.speaks |= self.is_held();
    }

    /// A segment came that does not count, or not again.
    fn count_again(&mut self, number: u32) {
        match number.cmp(&self.highest_again.0) {
            Ordering::Greater => self.highest_again = (number, 1),
            Ordering::Equal => self.highest_again.1 += 1,
            Ordering::Less => {}
        }
    }

    /// A segment that is here already: acknowledge at once. ns-2's delaying sink takes a second copy of the last
    /// segment in order for the segment itself, and delays.
    //= https://www.rfc-editor.org/rfc/rfc9293#section-3.10.7.4
    //# If an incoming segment is not acceptable, an acknowledgment should be sent in reply
    fn on_duplicate(&mut self, now: Time, number: u32) {
        self.count_again(number);
        if self.ns2 && self.every > 1 && number + 1 == self.rcv_nxt && self.ranges.is_empty() {
            self.on_in_order(now);
        } else {
            self.ack_now = true;
            self.speaks |= self.is_held();
            self.quick.on_duplicate();
            self.wait_no_more();
            if self.dsack {
                (self.twice, self.speaks) = (Some(number), true);
            }
        }
    }

    /// Segments beyond the acknowledged ones that may be sent, as far as the window has grown.
    #[inline]
    pub(crate) fn offered(&self) -> u32 {
        self.offered_end.saturating_sub(self.rcv_nxt)
    }

    /// A segment arrives while some are acknowledged one by one. The first tells the RTT.
    #[cold]
    fn note_quick(&mut self, now: Time, number: u32) {
        if self.stats.received_segments == 1 && self.held.syn_at < now {
            self.delay.on_first_data(now.since(self.held.syn_at));
        }
        if number == self.rcv_nxt {
            self.quick.on_in_order();
            if self.delay.on_in_order(self.wheel.clock(now)) {
                self.quick.on_pause();
            }
        }
        //= specs/papers/linux.md#delayed-acks
        //# Without SACK a segment out of order leaves the window as it is, so that its ACK is a duplicate.
        let grows = number == self.rcv_nxt || (self.sack && number > self.rcv_nxt && !self.holds(number));
        if grows && self.quick.offers {
            let next = match self.ranges.first() {
                _ if number > self.rcv_nxt => self.rcv_nxt,
                Some(&(start, end)) if start == number + 1 => end,
                _ => number + 1,
            };
            let left = self.quick.on_new(&self.ranges, self.rcv_nxt, number);
            self.offered_end = self.offered_end.max(next.saturating_add(left));
            self.quick.settle();
        }
        self.every = self.segments_per_ack();
    }

    /// An ACK leaves, alone or with data.
    #[cold]
    fn count_quick(&mut self, now: Time, flags: Flags) {
        let counts = self.stats.received_segments > 0 && (self.ack_now || self.unacked > 0);
        if counts && self.quick.take() {
            self.delay.reset();
        }
        if flags.has(Flags::DATA) {
            self.delay.on_data_sent(self.wheel.clock(now));
        }
        self.quick.settle();
        self.every = self.segments_per_ack();
    }

    /// ACKs are wanted at once for a while.
    fn wait_no_more(&mut self) {
        self.delay.replies = false;
        self.delay.reset();
        self.every = self.segments_per_ack();
    }

    /// Segments in order that are acknowledged together.
    fn segments_per_ack(&self) -> u32 {
        if self.quick.left > 0 && !self.delay.replies { 1 } else { self.usual }
    }

    /// A segment came out of order, or filled a part of a gap: whether the ACK waits for another one.
    #[cold]
    fn waits_for_more(&mut self, now: Time) -> bool {
        if self.quick.left > 0 || self.ranges.is_empty() || self.echo.is_owed() {
            return false;
        }
        let until = self.held.hold(now, self.rcv_nxt);
        if let Some(until) = until {
            self.delack_at = self.delack_at.min(until);
        }
        until.is_some()
    }

    #[inline(always)]
    fn on_in_order(&mut self, now: Time) {
        self.unacked += 1;
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
        //# an ACK SHOULD be generated for at least every second full-sized segment, and MUST be generated within
        //# 500 ms of the arrival of the first unacknowledged packet.
        if self.unacked >= self.every {
            self.ack_now = true;
            return;
        }
        self.waits_since = now;
        self.speaks = true; // unless it leaves at once
        if self.delack_at == Time::NEVER {
            self.delack_at = if self.heartbeat > Span::ZERO {
                Time((now.0 / self.heartbeat.0 + 1) * self.heartbeat.0)
            } else {
                self.wheel.expiry(now, self.delay.wait())
            };
        }
    }

    /// Whether a segment has arrived and was not refused.
    pub fn has(&self, number: u32) -> bool {
        number < self.rcv_nxt || self.holds(number)
    }

    #[inline]
    fn holds(&self, number: u32) -> bool {
        if self.ranges.last().is_none_or(|highest| number >= highest.1) {
            return false;
        }
        let at = self.ranges.partition_point(|r| r.0 <= number);
        at > 0 && number < self.ranges[at - 1].1
    }

    /// Store a segment that comes next behind the highest one, if what came last did so, too.
    #[inline]
    fn extend(&mut self, number: u32) -> bool {
        let latest = self.recent.first();
        let highest = self.ranges.last_mut().filter(|r| r.1 == number && (!self.sack || latest == Some(&r.0)));
        let Some(range) = highest else { return false };
        range.1 += 1;
        if !self.choose {
            self.report.lengthen_first();
        }
        true
    }

    /// Store a segment that is not the next in order, or fills the first gap.
    fn insert(&mut self, number: u32) {
        if number == self.rcv_nxt {
            self.rcv_nxt += 1;
            if self.ranges[0].0 == self.rcv_nxt {
                self.rcv_nxt = self.ranges.remove(0).1;
                self.choose = true;
            }
            return;
        }
        self.choose = true;
        let at = self.ranges.partition_point(|r| r.0 <= number);
        let joins_left = at > 0 && self.ranges[at - 1].1 == number;
        let joins_right = at < self.ranges.len() && self.ranges[at].0 == number + 1;
        let start = match (joins_left, joins_right) {
            (true, true) => {
                let right = self.ranges.remove(at);
                self.ranges[at - 1].1 = right.1;
                self.ranges[at - 1].0
            }
            (true, false) => {
                self.ranges[at - 1].1 += 1;
                self.ranges[at - 1].0
            }
            (false, true) => {
                self.ranges[at].0 = number;
                number
            }
            (false, false) => {
                self.ranges.insert(at, (number, number + 1));
                number
            }
        };
        if self.sack {
            self.remember(start, number, joins_left && joins_right);
        }
    }

    /// Put the range that starts at `start` in front of the recent ones. `touched` is the segment just stored; `joins`:
    /// it closed the gap between two ranges. ns-2's FullTcp leaves such a range where the lower of the two stood, and
    /// forgets no range.
    fn remember(&mut self, start: u32, touched: u32, joins: bool) {
        let stays = self.full && joins;
        // a range that was joined to this one is this one
        self.recent.retain(|&old| old != touched + 1 && (old != start || stays));
        if !stays {
            //= https://www.rfc-editor.org/rfc/rfc2018#section-4
            //# MUST specify the contiguous block of data containing the segment which triggered this ACK
            self.recent.insert(0, start);
        }
        if !self.full {
            self.recent.truncate(MAX_SACK + 1);
        }
    }

    /// The timer fired.
    pub fn on_timer(&mut self) {
        self.delack_at = Time::NEVER;
        if self.unacked > 0 && self.held.waiting == 0 {
            self.delay.missed();
        }
        if self.unacked > 0 || self.held.waiting > 0 {
            self.ack_now = true;
        }
    }

    /// Fill in the acknowledgement of a segment that leaves now, and count it as sent.
    #[inline(always)]
    pub fn acknowledge(&mut self, now: Time, segment: &mut Segment) {
        segment.flags.set(Flags::ACK);
        if self.speaks {
            let (flags, owed) = self.speak(now, segment.flags);
            segment.flags.set(flags);
            if let Some(owed) = owed {
                (segment.ack, segment.ts_ecr) = (owed.ack, owed.ts_recent);
                if !segment.flags.has(Flags::DATA) {
                    segment.ts_val = owed.last_arrival;
                }
                return; // in order, it has no SACK blocks
            }
            if self.crowded_out.is_some() || self.twice.is_some() {
                (segment.ack, segment.ts_ecr) = (self.rcv_nxt, self.ts_recent);
                segment.sack = self.special_report();
                self.count_acknowledged(now, segment.flags);
                return;
            }
        }
        segment.ack = self.rcv_nxt;
        //= https://www.rfc-editor.org/rfc/rfc7323#section-4.3
        //# When a TSopt is sent, its TSecr field is set to the current TS.Recent value.
        segment.ts_ecr = self.ts_recent;
        if self.sack && !self.ranges.is_empty() {
            //= https://www.rfc-editor.org/rfc/rfc2018#section-4
            //# SACK options SHOULD be included in all ACKs which do not ACK the highest sequence number in the data
            //# receiver's queue.
            if self.choose {
                self.choose_blocks();
            }
            segment.sack = self.report;
        }
        self.count_acknowledged(now, segment.flags);
    }

    /// An acknowledgement leaves that tells of all that arrived.
    #[inline(always)]
    fn count_acknowledged(&mut self, now: Time, flags: Flags) {
        if self.quick.on {
            self.count_quick(now, flags);
        }
        self.last_ack_sent = self.rcv_nxt;
        self.unacked = 0;
        self.held.waiting = 0;
        self.delack_at = Time::NEVER;
        self.ack_now = false;
    }

    /// An ACK waits that tells of blocks, and this segment would put more than two before the oldest that it tells of:
    /// it leaves first, as it is, and none for this segment.
    //= specs/papers/linux.md#delayed-acks
    //# It leaves as soon as 44 wait, and before a segment is entered that extends none of the two newest blocks.
    #[cold]
    fn crowds_out(&mut self, number: u32) -> bool {
        self.choose_blocks();
        let extends = |&start: &u32| {
            let at = self.ranges.binary_search_by_key(&start, |range| range.0);
            at.is_ok_and(|at| self.ranges[at].1 == number || start == number + 1)
        };
        let place = self.recent.iter().position(extends).unwrap_or(self.recent.len());
        if number == self.rcv_nxt || place < 2 {
            return false;
        }
        (self.crowded_out, self.speaks) = (Some(Box::new(self.report)), true);
        true
    }

    /// What to report before the latest segment, or with a first block for a segment that came twice.
    #[cold]
    #[inline(never)]
    fn special_report(&mut self) -> SackBlocks {
        if let Some(report) = self.crowded_out.take() {
            return *report;
        }
        let Some(number) = self.twice.take() else { return self.report };
        if self.choose {
            self.choose_blocks();
        }
        let mut report = SackBlocks::NONE;
        report.push(number, number + 1);
        let others = if self.ranges.is_empty() { SackBlocks::NONE } else { self.report };
        others.as_slice().iter().for_each(|&(start, end)| report.push(start, end));
        report
    }

    /// Segments in order wait for another one before they are acknowledged.
    #[inline]
    fn is_held(&self) -> bool {
        0 < self.unacked && self.unacked < self.every
    }

    /// When the segment that the next pure ACK answers arrived.
    #[inline]
    pub fn last_arrival(&self) -> Time {
        self.last_arrival
    }

    /// When the last of what was received in order became so: the application has it from then on.
    pub fn advanced_at(&self) -> Time {
        self.advanced_at
    }

    /// Choose what to report of the ranges.
    #[inline(never)]
    fn choose_blocks(&mut self) {
        self.report = SackBlocks::NONE;
        self.choose = false;
        let ranges = &self.ranges;
        self.recent.retain(|start| match ranges.binary_search_by_key(start, |range| range.0) {
            Ok(at) => {
                self.report.push(ranges[at].0, ranges[at].1);
                true
            }
            Err(_) => false,
        });
    }
}

#[cfg(test)]
mod tests;
