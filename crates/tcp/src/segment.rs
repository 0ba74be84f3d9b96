//! What one endpoint hands to the other.

use units::Time;

/// Header bits of a segment, with the two ECN bits of the IP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u16);

impl Flags {
    /// Opens a connection.
    pub const SYN: Flags = Flags(1);
    /// The acknowledgement number counts.
    pub const ACK: Flags = Flags(2);
    /// Carries one segment of payload.
    pub const DATA: Flags = Flags(4);
    /// Sent before (the network never looks at it; results count by it).
    pub const RETRANSMITTED: Flags = Flags(8);
    /// ECN-capable transport.
    pub const ECT: Flags = Flags(16);
    /// Congestion experienced: set by a router.
    pub const CE: Flags = Flags(32);
    /// Echo of CE.
    pub const ECE: Flags = Flags(64);
    /// Congestion window reduced.
    pub const CWR: Flags = Flags(128);
    /// Asks for an ACK: a probe of a closed window, which carries no data.
    pub const PROBE: Flags = Flags(256);
    /// This ACK left later than the newest segment in order arrived that it acknowledges: the receiver waited for
    /// another one, in vain or for one out of order. A delay measured by it contains the wait. Networks and the rules
    /// of TCP never look at it.
    pub const DELAYED: Flags = Flags(512);
    /// The sender has no more at hand, or not for long: the receiver hands over what it has.
    pub const PSH: Flags = Flags(1024);
    /// ECN-capable, of an L4S sender (RFC 9331): ECT(1). Always together with [`Flags::ECT`], which alone is ECT(0).
    pub const ECT1: Flags = Flags(2048);
    /// Accurate ECN (RFC 9768); with CWR and ECE the count of marked packets.
    pub const AE: Flags = Flags(4096);
    /// A pure ACK with the option of accurate ECN: its `seq` is the count of marked segments.
    pub const COUNTS_MARKS: Flags = Flags(8192);

    /// All bits of `other` are set.
    #[inline]
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Set the bits of `other`.
    #[inline]
    pub fn set(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

/// Most SACK blocks in one ACK.
pub const MAX_SACK: usize = 3;

/// Received ranges above the cumulative ACK, the most recent first; each `[start, end)` in segment numbers.
///
/// Aligned and without gaps, so that it is copied in two parts that do not overlap: processors wait to read what
/// overlapping writes have left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(16))]
pub struct SackBlocks {
    blocks: [(u32, u32); MAX_SACK],
    len: u64,
}

const _: () = assert!(size_of::<SackBlocks>() == 32);

impl SackBlocks {
    /// No blocks.
    pub const NONE: SackBlocks = SackBlocks { blocks: [(0, 0); MAX_SACK], len: 0 };

    /// The blocks.
    #[inline]
    pub fn as_slice(&self) -> &[(u32, u32)] {
        &self.blocks[..self.len as usize]
    }

    /// All places; those without a block hold `(0, 0)`.
    #[inline]
    pub(crate) fn all(&self) -> &[(u32, u32); MAX_SACK] {
        &self.blocks
    }

    /// Nothing to report.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first block has one segment more at its end.
    #[inline]
    pub fn lengthen_first(&mut self) {
        self.blocks[0].1 += 1;
    }

    /// Add a block unless all places are taken.
    pub fn push(&mut self, start: u32, end: u32) {
        if let Some(place) = self.blocks.get_mut(self.len as usize) {
            *place = (start, end);
            self.len += 1;
        }
    }
}

/// One TCP segment.
///
/// Sequence numbers count segments of one MSS, from 0 for the first data of the connection; the SYN has no number of
/// its own. Every segment of a transfer but the last is one MSS long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Number of the segment carried, where [`Flags::DATA`] is set; [`Flags::COUNTS_MARKS`] gives it another meaning.
    pub seq: u32,
    /// Next segment expected, where [`Flags::ACK`] is set.
    pub ack: u32,
    /// Advertised window, segments.
    pub window: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// Header bits.
    pub flags: Flags,
    /// Sender's clock: when a data segment was sent; for a pure ACK, when the segment that it answers arrived.
    pub ts_val: Time,
    /// The other side's `ts_val`, echoed by the rule of RFC 7323.
    pub ts_ecr: Time,
    /// SACK blocks.
    pub sack: SackBlocks,
}
