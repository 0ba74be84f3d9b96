//! A segment or datagram on its way: a small plain value, moved from link to link.

use datagram::Datagram;
use tcp::{Flags, SackBlocks, Segment};
use units::Time;

/// No SACK blocks.
pub(crate) const NO_SACK: u32 = u32::MAX;

/// A packet on a link. SACK blocks, which few packets have, stand elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Packet {
    /// When it reaches the far end of the link it is on.
    pub(crate) at: Time,
    pub(crate) ts_val: Time,
    pub(crate) ts_ecr: Time,
    /// Place in the table of routes: the link it is on, or about to enter.
    pub(crate) hop: u32,
    pub(crate) seq: u32,
    pub(crate) ack: u32,
    pub(crate) window: u32,
    /// Number of its SACK blocks, or [`NO_SACK`].
    pub(crate) sack: u32,
    /// Bytes on the wire.
    pub(crate) size: u16,
    pub(crate) flags: Flags,
}

impl Packet {
    #[inline]
    pub(crate) fn from_segment(segment: &Segment, hop: u32) -> Packet {
        Packet {
            at: Time::ZERO,
            ts_val: segment.ts_val,
            ts_ecr: segment.ts_ecr,
            hop,
            seq: segment.seq,
            ack: segment.ack,
            window: segment.window,
            sack: NO_SACK,
            size: segment.size as u16,
            flags: segment.flags,
        }
    }

    #[inline]
    pub(crate) fn from_datagram(datagram: &Datagram, hop: u32) -> Packet {
        Packet {
            ts_val: datagram.sent,
            hop,
            seq: datagram.number,
            sack: NO_SACK,
            size: datagram.size as u16,
            flags: Flags::DATA,
            ..Packet::default()
        }
    }

    #[inline]
    pub(crate) fn to_segment(self, sack: SackBlocks) -> Segment {
        Segment {
            seq: self.seq,
            ack: self.ack,
            window: self.window,
            size: u32::from(self.size),
            flags: self.flags,
            ts_val: self.ts_val,
            ts_ecr: self.ts_ecr,
            sack,
        }
    }

    #[inline]
    pub(crate) fn to_datagram(self) -> Datagram {
        Datagram { number: self.seq, size: u32::from(self.size), sent: self.ts_val }
    }

    #[inline]
    pub(crate) fn is_data(&self) -> bool {
        self.flags.has(Flags::DATA)
    }
}
