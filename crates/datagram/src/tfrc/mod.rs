//! The ends of a rate-controlled flow: packets paced by the sender's rate, reports from the receiver.
//! Source: RFC 5348, restated in specs/papers/tfrc.md; the rate itself is `cc::tfrc`.

mod history;
mod receiver;
mod sender;

pub use receiver::TfrcReceiver;
pub use sender::{TfrcSender, TfrcStats};

/// A rate-controlled flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TfrcConfig {
    /// The rules of its rate.
    pub rules: cc::tfrc::Settings,
    /// Payload bytes of a packet, positive.
    pub payload: u32,
    /// Header bytes of a packet on the wire.
    pub header: u32,
}
