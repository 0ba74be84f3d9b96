//! Frames on air.

use units::{Span, Time};

use crate::Rate;
use crate::airtime::ACK_BYTES;

/// Number of a station of a medium, from 0.
pub type StationId = u32;

/// The address of a broadcast.
pub const EVERYONE: StationId = u32::MAX;

/// Access category of EDCA: which packets go first. Without EDCA all are alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Voice, which has the best chances.
    Voice,
    /// Video.
    Video,
    /// Everything else.
    #[default]
    BestEffort,
    /// What has time.
    Background,
}

impl Class {
    /// Best chances first.
    pub const ALL: [Class; 4] = [Class::Voice, Class::Video, Class::BestEffort, Class::Background];
}

/// A packet as the MAC sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The station that it is for, or [`EVERYONE`].
    pub to: StationId,
    /// Length of the packet, IP header included.
    pub bytes: u32,
    /// Whatever the caller knows it by.
    pub handle: u64,
    /// Rate of the data; by default that of the sender.
    pub rate: Option<Rate>,
    /// Its class, where there is EDCA.
    pub class: Class,
}

/// What is on air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// A CTS to oneself, which protects what follows.
    CtsToSelf,
    /// Data.
    Data,
    /// Acknowledgement.
    Ack,
    /// Acknowledgement of an A-MPDU.
    BlockAck,
    /// Says from which packet on the sender has some under way, and asks for a BlockAck.
    BlockAckReq,
}

/// A frame on air, with all that its receivers need to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    pub(crate) kind: Kind,
    pub(crate) rate: Rate,
    /// FCS included.
    pub(crate) bytes: u32,
    pub(crate) from: StationId,
    pub(crate) to: StationId,
    /// The row of those who hear it: that of its sender when it left.
    pub(crate) row: u32,
    pub(crate) start: Time,
    pub(crate) airtime: Span,
    /// Duration field.
    pub(crate) nav: Span,
    /// Rate, airtime and Duration field of the answer.
    pub(crate) answer_rate: Rate,
    pub(crate) answer: Span,
    pub(crate) answer_nav: Span,
    /// Airtime of the data frame of the exchange.
    pub(crate) data: Span,
    /// After how much silence the NAV that this RTS sets ends.
    pub(crate) nav_reset: Span,
    /// The exchange has RTS and CTS.
    pub(crate) behind_rts: bool,
    /// Class of data.
    pub(crate) class: Class,
    /// Packets in it, where they are numbered for the receiver; else none.
    pub(crate) mpdus: u32,
    /// What a BlockAck acknowledges, from the first packet of the A-MPDU on.
    pub(crate) bits: u64,
    /// Which of its sender's packets it is, or exchanges.
    pub(crate) serial: u32,
    pub(crate) handle: u64,
    /// When the packet became its sender's current one.
    pub(crate) offered: Time,
}

impl Flight {
    /// A frame without an exchange of its own: an answer.
    pub(crate) fn at(start: Time, airtime: Span) -> Flight {
        Flight {
            kind: Kind::Ack,
            rate: Rate::plain(1000),
            bytes: ACK_BYTES,
            answer_rate: Rate::plain(1000),
            from: 0,
            to: 0,
            row: 0,
            start,
            airtime,
            nav: Span::ZERO,
            answer: Span::ZERO,
            answer_nav: Span::ZERO,
            data: Span::ZERO,
            nav_reset: Span::ZERO,
            behind_rts: false,
            class: Class::BestEffort,
            mpdus: 0,
            bits: 0,
            serial: 0,
            handle: 0,
            offered: start,
        }
    }

    pub(crate) fn end(&self) -> Time {
        self.start.then(self.airtime)
    }
}
