//! Event tapes: everything that an algorithm was told in a run, and what it answered, as text.
//!
//! A recorder in front of the algorithm writes the tape ([`Reel::record`]). It needs no change to the sender and costs
//! nothing when it is off. [`replay`] feeds an algorithm the same events again, without a sender, a network or a clock,
//! and names the first answer that differs. So a port of an algorithm to a kernel or to QUIC can be compared with the
//! one here.
//!
//! ```text
//! windlass-tape 1
//! algorithm veno veno_beta=3 veno_keep=0.8
//! connection mss=1460 dup_threshold=3 seed=7 cwnd=14600 ssthresh=1460000
//! open path.srtt=50000000 path.rwnd=1460000 -> cwnd=14600 ssthresh=1460000
//! ack now=151168000 newly_acked=1460 grows slow_start=1460 avoidance=1460 rtt=50240000 path.rtt=50240000 -> cwnd=16060 ssthresh=1460000
//! congestion now=903712000 cause=dup-acks half_base=64240 -> cwnd=32120 ssthresh=32120 response=reduced
//! ```
//!
//! - The head names the version of the format, the algorithm with all its parameters, and what never changes on the
//!   connection.
//! - Each line is an event: its kind, its fields, ` -> `, the answer. Fields have the names of [`cc`]: those of
//!   [`cc::Ack`], [`cc::Congestion`] and so on, and those of [`cc::Path`] after `path.`. Empty lines and lines that
//!   begin with `#` are ignored.
//! - Times are in whole nanoseconds, windows in bytes, rates in bytes per second. Each number is the shortest text that
//!   reads back to the same bits. A flag that is set is written as its name alone.
//! - A missing field is zero, unset or none; a missing field of the path is the same as in the line before.
//! - A congestion's `half_base` is what [`cc::Congestion::keep`] takes its share of. `take-round` is the call that
//!   gives other subflows a round; it is written only if it gave one.

#![forbid(unsafe_code)]

mod event;
mod fields;
mod head;
mod recorder;
mod replay;

pub use head::Problem;
pub use recorder::Reel;
pub use replay::{Difference, Replay, Tape, replay};
