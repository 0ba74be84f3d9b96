//! Congestion control algorithms as pure values: events in, window out.
//!
//! An algorithm has no clock, timer, I/O or global, knows nothing of packets and sequence numbers, and allocates
//! nothing. The engine (crate `tcp`) detects losses, runs recovery, samples the RTT and tells the algorithm what
//! happened; the algorithm answers with a window. Windows are in bytes; the engine sends whole segments.
//!
//! What the engine promises:
//!
//! 1. [`CongestionControl::on_ack`] is called once for every ACK of an open connection, duplicates included, before any
//!    other event that the same ACK causes. Only the exit from a recovery comes before it.
//! 2. [`CongestionControl::on_congestion`] is called at each entry into recovery, at each expiry of the retransmission
//!    timer, and once per window for marks. The event says whether this window of data was cut already. There are two
//!    exceptions. A loss in a window that a mark has cut is reported only to algorithms that hear every loss. Marks are
//!    not reported to algorithms that act on marks themselves (they see them in [`Ack::marked`] and [`Ack::ce`]),
//!    unless they need the number of marks and the receiver does not tell it.
//! 3. [`CongestionControl::on_recovery_exit`] is called exactly once for each recovery that was not ended by a timeout.
//! 4. The engine never uses a window below one segment: it clamps what it reads, not what the algorithm keeps. ns-2's
//!    Vegas may be left without a window.
//! 5. [`Path`] is up to date at every call, the newest RTT included, with the flight size that an ACK leaves. What is
//!    true only during an event is in the event: what a halving starts from ([`Congestion::keep`]), the timeout at a
//!    handover.
//! 6. [`CongestionControl::on_signal`] reports what concerns few algorithms. A handover's start and end come in pairs,
//!    for the connections that cross the link. An algorithm ignores the signals that it does not know.
//!
//! `examples/drive_by_hand.rs` makes all these calls itself. To write an engine, use [`bookkeeping`], which turns ACKs
//! and losses into these events.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

#[macro_use]
mod forward;
#[macro_use]
mod window;

mod aggregation;
mod algorithm;
pub mod bookkeeping;
mod credit;
mod delivery;
mod event;
pub mod foreign;
mod hystart;
#[cfg(test)]
mod invariants;
mod jersey;
mod linux;
mod path;
pub mod registry;
mod round_rtt;
#[cfg(test)]
mod testing;
mod tsw;

pub mod adaptive;
pub mod bbr;
pub mod bbr3;
pub mod bic;
pub mod bic_linux;
pub mod cerl;
pub mod cerl_plus;
pub mod cubic;
pub mod cubic_2008;
pub mod cubic_linux;
pub mod dctcp;
pub mod ewr;
pub mod fast;
pub mod highspeed;
pub mod htcp;
pub mod htcp_linux;
pub mod hybla;
pub mod hybla_linux;
pub mod illinois;
pub mod illinois_linux;
pub mod ledbat;
pub mod mveno;
pub mod new_jersey;
pub mod new_jersey_plus;
pub mod prague;
pub mod reno;
pub mod reno_linux;
pub mod scalable;
pub mod tcp_jersey;
pub mod tfrc;
pub mod vegas;
pub mod veno;
pub mod veno_linux;
pub mod westwood;
pub mod westwood_plus;
pub mod westwood_plus_ho;
pub mod wr;
pub mod yeah;
pub mod yeah_linux;
// `windlass new-cc` adds to the list above this line.

pub use algorithm::Algorithm;
pub use delivery::DeliverySample;
pub use event::{Ack, Cause, Congestion, RecoveryExit, Response, Round, Signal, Thaw};
pub use mveno::Subflow;
pub use path::Path;
pub use registry::Config;
use units::{Bytes, Rate, Time};
pub use window::{Halving, Windows};

/// A sender's rule for its window. Four methods make an algorithm; the others are for those that need more.
pub trait CongestionControl {
    /// An ACK arrived: update estimators, and the window where `ack.grows`.
    fn on_ack(&mut self, ack: &Ack, path: &Path);

    /// A loss or mark was found: decide about the window and say what was decided. For [`Cause::DupAcks`] the window
    /// set here is the one to recover with, before any inflation.
    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response;

    /// Congestion window and slow start threshold.
    fn windows(&self) -> Windows;

    /// Take these windows.
    fn set_windows(&mut self, windows: Windows);

    /// The connection opened, with its initial window and threshold.
    fn on_init(&mut self, cwnd: Bytes, ssthresh: Bytes, _path: &Path) {
        self.set_windows(Windows { cwnd, ssthresh });
    }

    /// Recovery is over: take the window to go on with.
    fn on_recovery_exit(&mut self, exit: &RecoveryExit, _path: &Path) {
        self.set_cwnd(exit.window);
    }

    /// Something that concerns few algorithms.
    fn on_signal(&mut self, _signal: &Signal, _path: &Path) {}

    /// The engine's own adjustments: deflation by partial ACKs, idle restart.
    fn set_cwnd(&mut self, cwnd: Bytes) {
        self.set_windows(Windows { cwnd, ..self.windows() });
    }

    /// The window is frozen because of a handover: the engine does not back off the retransmission timer.
    fn frozen(&self, _now: Time) -> Option<Thaw> {
        None
    }

    /// The algorithm itself holds the rate below what the path can do, so that delivery samples say little.
    fn limits_itself(&self) -> bool {
        false
    }

    /// The rate at which its segments should leave, payload bytes per second; `None`: at once, as the window allows.
    /// Asked only of algorithms whose row says that they pace.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// What the other subflows of a connection over several paths should know, once for each round that ends.
    fn take_round(&mut self) -> Option<Subflow> {
        None
    }

    /// Internal quantities worth drawing, each with its unit last in the name.
    fn observe(&self, _out: &mut dyn FnMut(&'static str, f64)) {}

    /// Congestion window.
    #[inline]
    fn cwnd(&self) -> Bytes {
        self.windows().cwnd
    }

    /// Slow start threshold.
    #[inline]
    fn ssthresh(&self) -> Bytes {
        self.windows().ssthresh
    }
}
