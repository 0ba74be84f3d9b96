//! Congestion control algorithms as pure values: events in, window out.
//!
//! An algorithm has no clock, timer, I/O, global, or knowledge of packets and sequence numbers, and allocates nothing.
//! The engine (crate `tcp`) finds losses, runs recovery, samples the RTT and tells the algorithm what happened; the
//! algorithm answers with a window. Windows are bytes; the engine sends whole segments.
//!
//! What the engine promises:
//!
//! 1. [`CongestionControl::on_ack`] is called once for every ACK of an open connection, duplicates included, before any
//!    other event that the same ACK causes. Only the exit of a recovery comes before it.
//! 2. [`CongestionControl::on_congestion`] is called at each entry into recovery, at each expiry of the retransmission
//!    timer, and once per window for marks. The event says whether this window of data was cut already. Two exceptions:
//!    a loss in a window that a mark has cut is announced only to algorithms that hear every loss, and marks are not
//!    announced to algorithms that act on marks themselves (they see them in [`Ack::marked`]).
//! 3. [`CongestionControl::on_recovery_exit`] is called exactly once for each recovery that was not ended by a timeout.
//! 4. Windows are never read below one segment: the engine clamps what it reads, not what the algorithm keeps. ns-2's Vegas
//!    may be left without a window.
//! 5. [`Path`] is up to date at every call, the newest RTT included, with the flight size that an ACK leaves; the halving
//!    base only where there is something to halve, in `on_congestion`, and the timeout there and at handovers.
//! 6. A handover's start and end come in pairs, for the connections that cross the link, and to algorithms that do not
//!    handle them they mean nothing.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

#[macro_use]
mod forward;
#[macro_use]
mod window;

mod algorithm;
mod credit;
mod delivery;
mod hystart;
#[cfg(test)]
mod invariants;
mod jersey;
mod path;
pub mod registry;
mod round_rtt;
#[cfg(test)]
mod testing;
mod tsw;

pub mod adaptive;
pub mod bbr;
pub mod bic;
pub mod cerl;
pub mod cerl_plus;
pub mod cubic;
pub mod cubic_2008;
pub mod dctcp;
pub mod ewr;
pub mod fast;
pub mod foreign;

pub mod highspeed;
pub mod htcp;
pub mod hybla;
pub mod illinois;
pub mod ledbat;
pub mod mveno;
pub mod new_jersey;
pub mod new_jersey_plus;
pub mod reno;
pub mod scalable;
pub mod tcp_jersey;
pub mod tfrc;
pub mod vegas;
pub mod veno;
pub mod westwood;
pub mod westwood_plus;
pub mod westwood_plus_ho;
pub mod wr;
pub mod yeah;

pub use algorithm::Algorithm;
pub use delivery::DeliverySample;
pub use mveno::Subflow;
pub use path::{Halved, Path};
pub use registry::Config;
use units::{Bytes, Rate, Span, Time};

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
    /// Delay sample, exact, no clock ticks: of the newest segment that this ACK newly acknowledges or SACKs. None if it covers a
    /// segment that was sent again, for that measures the wait for the repair; and none, unless `delack_samples` asks for it,
    /// if the receiver held the ACK back for another segment.
    pub rtt: Option<Span>,
    /// When the acknowledged segment reached the receiver, by the receiver's clock (the ACK's timestamp). Only
    /// differences of it mean anything.
    pub receiver_time: Option<Time>,
    /// From the sending of the segment that the ACK echoes to the arrival that it answers, by two clocks: only differences
    /// of it mean anything. Not on duplicates, which echo an older segment.
    pub one_way_delay: Option<Span>,
    /// The ACK carries a congestion mark (ECN echo, or the congestion warning of the Jersey family).
    pub marked: bool,
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

/// A sender's rule for its window.
pub trait CongestionControl {
    /// The connection opened. `window` is the initial window, `ssthresh` the initial threshold.
    fn on_init(&mut self, window: Bytes, ssthresh: Bytes, path: &Path);

    /// An ACK arrived: update estimators, and the window where `ack.grows`.
    fn on_ack(&mut self, ack: &Ack, path: &Path);

    /// A loss or mark was found: decide about the window and say what was decided. For [`Cause::DupAcks`] the window
    /// set here is the one to recover with, before any inflation.
    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response;

    /// Recovery is over: take the window to go on with.
    fn on_recovery_exit(&mut self, exit: &RecoveryExit, _path: &Path) {
        self.set_cwnd(exit.window);
    }

    /// The link layer warns of a handover: from now on segments are lost whatever the window. [`Path::rto`] is up to date.
    fn on_handover_start(&mut self, _now: Time, _path: &Path) {}

    /// The link is up again. [`Path::rto`] is up to date.
    fn on_handover_end(&mut self, _now: Time, _path: &Path) {}

    /// The window is frozen because of a handover: the engine does not back off the retransmission timer.
    fn is_frozen(&self, _now: Time) -> bool {
        false
    }

    /// The engine retransmits the oldest segment at once at the end of a handover. (It restarts the timer in any case.)
    fn resends_after_handover(&self) -> bool {
        false
    }

    /// The engine's own adjustments: deflation by partial ACKs, idle restart.
    fn set_cwnd(&mut self, cwnd: Bytes);

    /// Congestion window.
    fn cwnd(&self) -> Bytes;

    /// Slow start threshold.
    fn ssthresh(&self) -> Bytes;

    /// Nothing was outstanding for want of data, and now a segment leaves. Only for algorithms that get delivery samples.
    fn on_idle_restart(&mut self, _now: Time, _path: &Path) {}

    /// The algorithm itself holds the rate below what the path can do, so that delivery samples say little.
    fn limits_itself(&self) -> bool {
        false
    }

    /// The rate at which its segments should leave, payload bytes per second; `None`: at once, as the window allows. Asked
    /// only of algorithms whose row says that they pace.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// What the other subflows of a connection over several paths should know, once for each round that ends.
    fn take_round(&mut self) -> Option<Subflow> {
        None
    }

    /// The newest rounds of all subflows; `which` is this one.
    fn couple(&mut self, _subflows: &[Subflow], _which: usize) {}

    /// Internal quantities worth drawing, each with its unit last in the name.
    fn observe(&self, _out: &mut dyn FnMut(&'static str, f64)) {}
}
