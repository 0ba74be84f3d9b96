//! What the engine tells an algorithm, and what the algorithm answers. What is true only during an event travels in it.

use units::{Bytes, Span, Time};

use crate::{DeliverySample, Halving, Subflow, Windows};

/// One arriving ACK, as the engine understood it. The default tells nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ack {
    /// Time of arrival.
    pub now: Time,
    /// Bytes newly acknowledged cumulatively; zero for a duplicate.
    pub newly_acked: Bytes,
    /// The window may grow on this ACK: it advances, no recovery is on, and the window was in use.
    pub grows: bool,
    /// What it counts for in slow start: the bytes that it newly acknowledges, up to a limit (RFC 3465), or one segment
    /// if ACKs are counted. Not zero on an ACK that advances, whether the window may grow or not.
    pub slow_start: Bytes,
    /// What it counts for in congestion avoidance: likewise, and never more than the window.
    pub avoidance: Bytes,
    /// A recovery is on, after this ACK was taken into account.
    pub in_recovery: bool,
    /// Segments beyond what it acknowledges have arrived: SACK tells of a gap, or it is a duplicate.
    pub gap: bool,
    /// Delay sample, exact, no clock ticks: of the newest segment that this ACK newly acknowledges or SACKs. None if it
    /// covers a segment that was sent again, for that measures the wait for the repair; and none, unless
    /// `delack_samples` asks for it, if the receiver held the ACK back for another segment.
    pub rtt: Option<Span>,
    /// When the acknowledged segment reached the receiver, by the receiver's clock (the ACK's timestamp). Only
    /// differences of it mean anything.
    pub receiver_time: Option<Time>,
    /// From the sending of the segment that the ACK echoes to the arrival that it answers, by two clocks: only
    /// differences of it mean anything. Not on duplicates, which echo an older segment.
    pub one_way_delay: Option<Span>,
    /// The ACK carries a congestion mark (ECN echo, or the congestion warning of the Jersey family).
    pub marked: bool,
    /// Bytes of marked segments that it tells of, where the receiver counts them (AccECN); zero where it does not.
    pub ce: Bytes,
    /// Set on the first ACK beyond what had been sent when the round began, that is about once per RTT.
    pub round: Option<Round>,
    /// What it says about the delivery rate: for algorithms whose row asks, on every ACK that reports something.
    pub delivery: Option<DeliverySample>,
}

/// A round that has just ended: one window's worth of ACKs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// How long it lasted.
    pub length: Span,
    /// What was sent for the first time while it lasted, from the segment that opened it, in bytes.
    pub sent: Bytes,
}

/// Why the window may have to shrink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The threshold of duplicate ACKs was reached (or SACK found the loss).
    DupAcks,
    /// The retransmission timer expired.
    Rto,
    /// A congestion mark came back.
    EcnMark,
}

/// A sign of congestion, perhaps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Congestion {
    /// When it was noticed.
    pub now: Time,
    /// What it was.
    pub cause: Cause,
    /// Everything lost here was sent before the last reduction, so this window of data has paid already.
    pub cut_already: bool,
    /// Expiries of the retransmission timer in a row for this segment: 1 for the first, 0 for other causes.
    pub timeouts: u32,
    /// The lost segment had been retransmitted before.
    pub retransmitted: bool,
    /// When the lost segment was last sent, if the engine still knows.
    pub sent_at: Option<Time>,
    /// Keep ssthresh as it is (RFC 5681: the timer expired again for the same segment).
    pub hold_ssthresh: bool,
    /// What a halving starts from now.
    pub halving: Halving,
}

impl Congestion {
    /// The windows that keep `share` of what is halved; `0.5` is Reno's halving. See [`Halving::keep`].
    #[inline]
    pub fn keep(&self, share: f64) -> Windows {
        self.halving.keep(share)
    }
}

/// What the algorithm made of a [`Congestion`] event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// Congestion: the window was cut.
    Reduced,
    /// Congestion, but this window of data was cut already: nothing changed.
    SameWindow,
    /// Judged random: the window was kept for that reason.
    Random,
    /// Judged random: the window was cut even so, but by another measure than for congestion.
    ReducedAsRandom,
    /// No judgement, or none that the window follows: the window was kept.
    Undecided,
}

impl Response {
    /// The window was cut.
    pub fn is_cut(self) -> bool {
        matches!(self, Response::Reduced | Response::ReducedAsRandom)
    }

    /// The loss was judged random.
    pub fn is_random(self) -> bool {
        matches!(self, Response::Random | Response::ReducedAsRandom)
    }
}

/// The end of a recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecoveryExit {
    /// When it ended.
    pub now: Time,
    /// The window the recovery core proposes, in bytes: without inflation (unless `inflated`), at least one segment.
    pub window: Bytes,
    /// The window keeps the inflation, for good: too few duplicates came (ns-2's Vegas).
    pub inflated: bool,
}

/// What happens seldom, or concerns few algorithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Signal<'a> {
    /// The link layer warns of a handover: from now on segments are lost whatever the window.
    HandoverStart {
        /// When the warning came.
        now: Time,
        /// Retransmission timeout without back-off.
        rto: Span,
    },
    /// The link is up again.
    HandoverEnd {
        /// When it was up.
        now: Time,
        /// Retransmission timeout without back-off.
        rto: Span,
    },
    /// Nothing was outstanding for want of data, and now a segment leaves. Only for algorithms that get delivery
    /// samples.
    IdleRestart {
        /// When it leaves.
        now: Time,
    },
    /// A reduction comes that may turn out to be for nothing: an algorithm from outside notes what it needs to go back.
    /// Of the others the engine keeps a copy.
    Remember,
    /// It was for nothing: back to what was noted. The windows are set afterwards.
    Restore,
    /// A subflow of the same connection has ended a round. Only for algorithms whose row says that they couple.
    Subflows {
        /// The newest round of each.
        rounds: &'a [Subflow],
        /// Which of them is this one.
        which: usize,
    },
}

/// What the engine does at the end of a handover with a window that was frozen; it restarts the timer in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thaw {
    /// Wait for the timer.
    Wait,
    /// Retransmit the oldest segment at once.
    Resend,
}
