//! One TCP endpoint without I/O: it takes the time and segments, and returns segments and its next deadline.
//!
//! Call order, on every event:
//!
//! 1. one of [`Endpoint::open`], [`Endpoint::offer`], [`Endpoint::handle_segment`], [`Endpoint::handle_timeout`];
//! 2. [`Endpoint::poll_transmit`] until it gives nothing, each segment sent at once;
//! 3. [`Endpoint::next_deadline`], to know when to call `handle_timeout`.
//!
//! Time must not go back between calls.
//!
//! `examples/back_to_back.rs` does this with two endpoints and a wire that loses a segment.
#![forbid(unsafe_code)]

mod accecn;
mod config;
mod delivery;
mod endpoint;
#[doc(hidden)]
pub mod fast;
mod offered;
mod receiver;
mod recovery;
mod rtt;
pub mod rules;
mod scoreboard;
mod segment;
mod sender;

pub use config::{
    Agent, Config, Count, CwndLimited, DelackMode, EcnEcho, HalfBase, IdleRestart, InitialWindow, Pacing, Profile,
    RecoverRule, RtoFloor, TimerWheel,
};
pub use endpoint::{Endpoint, Role};
pub use receiver::{Receiver, ReceiverStats};
pub use recovery::Known;
pub use rtt::RttEstimator;
pub use segment::{Flags, MAX_SACK, SackBlocks, Segment};
pub use sender::{Judgement, Limits, Sender, SenderStats, State, Why, WindowEvent};
