//! Ways to leave slow start before it loses something, one of which a sender of CUBIC may choose.
use units::{Bytes, Span};

mod classic;
mod plus_plus;

pub(crate) use self::classic::Classic;
use self::plus_plus::PlusPlus;
use crate::{Ack, Cause, Path};

/// The words of the parameter `hystart`, the default of CUBIC by the RFC first.
pub(crate) const WORDS: &[&str] = &["off", "rfc9406", "linux"];

/// The same with the default of Linux first.
pub(crate) const WORDS_OF_LINUX: &[&str] = &["linux", "off", "rfc9406"];

/// What watches a slow start.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum HyStart {
    /// Nothing.
    Off,
    /// HyStart++.
    PlusPlus(PlusPlus),
    /// HyStart as Linux has it.
    Classic(Classic),
}

impl HyStart {
    /// By one of [`WORDS`].
    pub(crate) fn new(word: &str) -> HyStart {
        match word {
            "rfc9406" => HyStart::PlusPlus(PlusPlus::new()),
            "linux" => HyStart::Classic(Classic::default()),
            _ => HyStart::Off,
        }
    }

    /// An ACK in slow start, before the window grows. True if slow start ends here. `least` is the least RTT.
    pub(crate) fn ends_before(&mut self, ack: &Ack, cwnd: Bytes, least: Span, path: &Path) -> bool {
        if let HyStart::Classic(classic) = self { classic.on_ack(ack, cwnd, least, path) } else { false }
    }

    /// Share of what an ACK counts for that it adds in slow start.
    pub(crate) fn growth(&self) -> f64 {
        if let HyStart::PlusPlus(plus_plus) = self { plus_plus.growth() } else { 1.0 }
    }

    /// The same of an ACK for so many segments, where the window grows by whole ones.
    pub(crate) fn whole(&mut self, acked: u32) -> u32 {
        if let HyStart::PlusPlus(plus_plus) = self { plus_plus.whole(acked) } else { acked }
    }

    /// An ACK in slow start, after the window has grown. True if slow start ends here.
    pub(crate) fn ends_after(&mut self, ack: &Ack) -> bool {
        if let HyStart::PlusPlus(plus_plus) = self { plus_plus.on_ack(ack) } else { false }
    }

    /// Congestion: what it means for later slow starts.
    pub(crate) fn on_congestion(&mut self, cause: Cause) {
        match self {
            HyStart::Off => {}
            HyStart::PlusPlus(plus_plus) => plus_plus.stop(),
            HyStart::Classic(classic) => classic.on_congestion(cause),
        }
    }
}
