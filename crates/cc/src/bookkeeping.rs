//! The books that an engine keeps to turn ACKs and losses into an algorithm's events: where rounds end, what an ACK
//! counts for, and whether a window of data has paid for a loss or a mark already.
//!
//! They know neither TCP nor a clock. Packets have numbers in the order in which they are sent: TCP's segments, the
//! packet numbers of QUIC, whatever a kernel counts. `sent` is one past the highest sent, `acked` one past those
//! acknowledged.
//!
//! # Example
//!
//! A sender whose packets have new numbers when their data are sent again, as QUIC's do:
//!
//! ```
//! use cc::bookkeeping::{Books, Growth};
//! use cc::{Ack, Cause, Config, Congestion, CongestionControl, Path};
//! use units::{Bytes, Span, Time};
//!
//! let config = Config::named("newreno").unwrap();
//! let mut newreno = config.build();
//! let packet = Bytes(1200.0);
//! let mut path = Path { mss: packet, ..Path::default() };
//! let at = |ms: u64| Time::ZERO + Span::from_millis(ms);
//!
//! // packets 100 to 109 leave: the first window
//! let growth = Growth { slow_start: u32::MAX, repairing: 1, avoidance: u32::MAX, only_in_use: true };
//! let mut books = Books::new(growth, config.row());
//! books.open(at(0), 100);
//! newreno.on_init(10.0 * packet, 1000.0 * packet, &path);
//! let mut sent = 110;
//!
//! // an ACK of 100 to 103: slow start, and the first round is over
//! let window = newreno.cwnd().over(packet);
//! let in_use = books.may_grow(10, window);
//! path.flight_size = 6.0 * packet;
//! let (slow_start, avoidance) = books.counts(4, window, packet);
//! let round = books.end_of_round(at(50), 104, sent, packet);
//! assert_eq!(round.unwrap().sent, 10.0 * packet);
//! let ack = Ack { now: at(50), newly_acked: 4.0 * packet, grows: in_use, slow_start, avoidance, round, ..Ack::default() };
//! newreno.on_ack(&ack, &path);
//! assert_eq!(newreno.cwnd(), 14.0 * packet);
//! sent = 118; // eight more leave: 14 are in flight
//!
//! // 104 and 105 are lost; the window is halved once
//! for lost in [104, 105] {
//!     if books.cut_already(lost) {
//!         continue;
//!     }
//!     let loss = Congestion {
//!         now: at(60),
//!         cause: Cause::DupAcks,
//!         cut_already: false,
//!         timeouts: 0,
//!         retransmitted: false,
//!         sent_at: Some(at(0)),
//!         hold_ssthresh: false,
//!         halving: path.halving(14.0 * packet),
//!     };
//!     let response = newreno.on_congestion(&loss, &path);
//!     books.note_congestion(loss.cause, response, sent);
//! }
//! assert_eq!(newreno.cwnd(), 7.0 * packet);
//! assert!(!books.cut_already(sent + 1)); // a loss of what leaves from now on counts again
//! ```

use units::{Bytes, Time};

use crate::registry::Row;
use crate::{Cause, Response, Round};

/// What lets a window grow. Amounts are packets; `u32::MAX` is no limit, and 1 counts ACKs instead of what they
/// acknowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Most that an ACK counts for in slow start: L of RFC 3465.
    pub slow_start: u32,
    /// The same in a slow start that repairs losses.
    pub repairing: u32,
    /// The same in congestion avoidance.
    pub avoidance: u32,
    /// Only while the window is in use (RFC 7661).
    pub only_in_use: bool,
}

/// Rounds, growth and cuts of one connection.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Books {
    /// A round ends at the first ACK beyond this packet.
    round_mark: u64,
    round_began: Time,
    growth: Growth,
    /// Most packets that an ACK counts for in this slow start.
    limit: u32,
    /// From the algorithm's row.
    slow_starts: bool,
    hears_every_loss: bool,
    acts_on_marks: bool,
    timeout_pays_for_marks: bool,
    /// One past the highest packet sent at the last reduction.
    last_cut: Option<u64>,
    /// No cut for marks until an ACK passes this: the window of data was cut already. `None`: nothing was cut so far.
    marks_paid: Option<u64>,
    /// One past the highest packet sent when a mark last cut the window.
    mark_cut: u64,
}

impl Books {
    /// For an algorithm with this row.
    pub fn new(growth: Growth, row: &Row) -> Books {
        Books {
            round_mark: 0,
            round_began: Time::ZERO,
            growth,
            limit: growth.slow_start,
            slow_starts: false,
            hears_every_loss: row.hears_every_loss,
            acts_on_marks: row.uses_marks,
            timeout_pays_for_marks: true,
            last_cut: None,
            marks_paid: None,
            mark_cut: 0,
        }
    }

    /// The same where slow start repairs every loss, as with Tahoe.
    pub fn with_slow_start_after_loss(self, slow_starts: bool) -> Books {
        Books { slow_starts, ..self }
    }

    /// The same with the books of ns-2 on marks: none counts before the first data are acknowledged, and a timeout pays
    /// for none.
    pub fn with_marks_as_ns2(self) -> Books {
        Books { timeout_pays_for_marks: false, marks_paid: Some(0), ..self }
    }

    /// The connection opened; `first` is the number of the first packet.
    pub fn open(&mut self, now: Time, first: u64) {
        (self.round_mark, self.round_began) = (first, now);
    }

    /// An ACK advanced to `acked`. The round that ends with it, if one does. `next`: the number of the next packet in
    /// turn.
    #[inline(always)]
    pub fn end_of_round(&mut self, now: Time, acked: u64, next: u64, packet: Bytes) -> Option<Round> {
        if acked <= self.round_mark {
            return None;
        }
        let sent = f64::from((next - self.round_mark) as u32) * packet;
        let round = Round { length: now.since(self.round_began), sent };
        (self.round_mark, self.round_began) = (next, now);
        Some(round)
    }

    /// The window may grow: as many whole packets as it holds are in flight, before the ACK at hand, or need not be.
    #[inline(always)]
    pub fn may_grow(&self, in_flight: u32, window: f64) -> bool {
        !self.growth.only_in_use || f64::from(in_flight) + 1.0 > window
    }

    /// What an ACK of `newly` packets counts for in slow start, and in congestion avoidance with a window of so many.
    #[inline(always)]
    pub fn counts(&self, newly: u32, window: f64, packet: Bytes) -> (Bytes, Bytes) {
        let slow_start = f64::from(newly.min(self.limit)) * packet;
        //= https://www.rfc-editor.org/rfc/rfc3465#section-2.1
        //# When bytes_acked becomes greater than or equal to the value of the congestion window, bytes_acked is
        //# reduced by the value of cwnd. Next, cwnd is incremented by a full-sized segment (SMSS).
        let avoidance = f64::from(newly.min(self.growth.avoidance)).min(window) * packet;
        (slow_start, avoidance)
    }

    /// Nothing is left to repair: the next slow start is none that repairs losses.
    pub fn restart(&mut self) {
        self.limit = self.growth.slow_start;
    }

    /// The reduction was for nothing that was made since the books stood so: it pays for nothing. Rounds go on.
    pub fn take_back(&mut self, before: &Books) {
        let Books { round_mark, round_began, .. } = *self;
        *self = Books { round_mark, round_began, ..before.clone() };
    }

    /// A loss of the oldest packet that is not acknowledged: its window of data was cut already. So was that of the
    /// first packet after a cut.
    pub fn cut_already(&self, oldest: u64) -> bool {
        self.last_cut.is_some_and(|cut| oldest <= cut)
    }

    /// A mark has paid for the loss of this packet, and the algorithm need not hear of it. Not if it was `sent_again`
    /// since.
    //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2
    //# the TCP sender's congestion window should be reduced only once in response to a series of dropped and/or CE
    //# packets from a single window of data
    pub fn paid_by_mark(&self, lost: u64, sent_again: bool) -> bool {
        !self.hears_every_loss && lost < self.mark_cut && !sent_again
    }

    /// A mark on an ACK that leaves everything below `acked` acknowledged is news to the algorithm.
    pub fn heeds_mark(&self, acked: u64) -> bool {
        !self.acts_on_marks && self.marks_paid.is_none_or(|paid| acked > paid)
    }

    /// Marks are not told as the algorithm needs it to act on them itself: it hears of them as others do.
    pub fn hear_of_marks(&mut self) {
        self.acts_on_marks = false;
    }

    /// The algorithm hears of marks on each ACK, and no rule beside it looks at them.
    pub fn leaves_marks_to_algorithm(&self) -> bool {
        self.acts_on_marks
    }

    /// The algorithm hears of every loss, whatever guards there are.
    pub fn hears_every_loss(&self) -> bool {
        self.hears_every_loss
    }

    /// The algorithm answered.
    pub fn note_congestion(&mut self, cause: Cause, response: Response, sent: u64) {
        //= https://www.rfc-editor.org/rfc/rfc3465#section-3.2
        //# this document mandates that L MUST NOT be > 1*SMSS bytes in any slow start-based loss recovery.
        let repairs = cause == Cause::Rto || self.slow_starts;
        self.limit = if repairs { self.growth.repairing } else { self.growth.slow_start };
        let is_timeout = cause == Cause::Rto;
        if response.is_cut() || is_timeout {
            self.last_cut = Some(sent);
        }
        if (response.is_cut() && (!is_timeout || self.timeout_pays_for_marks)) || cause == Cause::EcnMark {
            self.marks_paid = Some(sent);
        }
        if cause == Cause::EcnMark {
            self.mark_cut = sent;
        }
    }
}

#[cfg(test)]
mod tests {
    use units::Span;

    use super::*;
    use crate::registry;

    const PACKET: Bytes = Bytes(1000.0);
    const GROWTH: Growth = Growth { slow_start: 2, repairing: 1, avoidance: u32::MAX, only_in_use: true };

    fn books(algorithm: &str) -> Books {
        let mut books = Books::new(GROWTH, registry::find(algorithm).unwrap());
        books.open(Time::ZERO, 0);
        books
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn a_round_lasts_until_what_followed_its_first_packet_is_acknowledged() {
        let mut b = books("newreno");
        // ten were sent when the first ACK comes: ten were sent in the first round
        let first = b.end_of_round(at(100), 1, 10, PACKET);
        assert_eq!(first, Some(Round { length: Span::from_millis(100), sent: 10.0 * PACKET }));
        // the next begins with packet 10, and ends when that is acknowledged
        assert_eq!(b.end_of_round(at(150), 10, 20, PACKET), None);
        let second = b.end_of_round(at(210), 11, 22, PACKET);
        assert_eq!(second, Some(Round { length: Span::from_millis(110), sent: 12.0 * PACKET }));
    }

    #[test]
    fn growth_is_limited_by_use_and_by_what_an_ack_counts_for() {
        let mut b = books("newreno");
        assert!(b.may_grow(10, 10.9));
        assert!(!b.may_grow(9, 10.0));
        // L is 2 in slow start; in congestion avoidance an ACK counts for no more than the window
        assert_eq!(b.counts(5, 4.0, PACKET), (2.0 * PACKET, 4.0 * PACKET));
        b.note_congestion(Cause::Rto, Response::Reduced, 10);
        assert_eq!(b.counts(5, 8.0, PACKET), (PACKET, 5.0 * PACKET));
        b.restart();
        assert_eq!(b.counts(5, 8.0, PACKET).0, 2.0 * PACKET);
        let mut tahoe = books("tahoe").with_slow_start_after_loss(true);
        tahoe.note_congestion(Cause::DupAcks, Response::Reduced, 10);
        assert_eq!(tahoe.counts(5, 8.0, PACKET).0, PACKET);
    }

    #[test]
    fn a_window_of_data_is_cut_once() {
        let mut b = books("newreno");
        assert!(!b.cut_already(3));
        b.note_congestion(Cause::DupAcks, Response::Random, 20);
        assert!(!b.cut_already(3)); // nothing was cut
        b.note_congestion(Cause::DupAcks, Response::Reduced, 20);
        assert!(b.cut_already(3) && b.cut_already(20) && !b.cut_already(21));
        // the cut has paid for marks up to 20 as well, but no mark has paid for a loss
        assert!(!b.heeds_mark(20) && b.heeds_mark(21));
        assert!(!b.paid_by_mark(3, false));
    }

    #[test]
    fn a_mark_pays_for_losses_of_its_window() {
        let mut b = books("newreno");
        assert!(b.heeds_mark(0));
        b.note_congestion(Cause::EcnMark, Response::SameWindow, 20);
        assert!(!b.heeds_mark(20) && b.heeds_mark(21));
        assert!(b.paid_by_mark(19, false) && !b.paid_by_mark(19, true) && !b.paid_by_mark(20, false));
        // CERL hears of every loss, DCTCP acts on marks itself
        let mut cerl = books("cerl");
        cerl.note_congestion(Cause::EcnMark, Response::Reduced, 20);
        assert!(!cerl.paid_by_mark(19, false));
        assert!(!books("dctcp").heeds_mark(0));
    }

    #[test]
    fn a_timeout_pays_for_marks_but_in_ns2() {
        let mut b = books("newreno");
        b.note_congestion(Cause::Rto, Response::Reduced, 20);
        assert!(!b.heeds_mark(20));
        let mut ns2 = books("newreno").with_marks_as_ns2();
        assert!(!ns2.heeds_mark(0) && ns2.heeds_mark(1));
        ns2.note_congestion(Cause::Rto, Response::Reduced, 20);
        assert!(ns2.heeds_mark(1) && ns2.cut_already(20));
    }
}
