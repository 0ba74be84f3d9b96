//! Where packets go through the air, beside the table of routes.

use wlan::{Class, StationId};

use super::layers::Layer;
use crate::packet::Packet;

/// A hop through the air, of the packets of one end of a flow. Two of them fill a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(crate) struct AirHop {
    /// Number of the medium.
    pub(crate) medium: u32,
    pub(crate) from: StationId,
    pub(crate) to: StationId,
    pub(crate) class: Class,
    /// The end whose packets they are.
    pub(crate) end: u32,
    /// Hash of the flow and direction, for queues that tell flows apart.
    pub(crate) source: u32,
    /// Bytes that routing adds to packets that begin their way here; behind this hop they are part of the packet.
    pub(crate) bytes: u16,
    /// Where packets go from its far end: up, or across to a next hop over the same medium.
    pub(crate) way: Layer,
    /// Whether it is a hop through the air at all.
    pub(crate) real: bool,
}

impl AirHop {
    /// Length of a packet as the MAC gets it.
    #[inline]
    pub(crate) fn size_of(&self, packet: &Packet) -> u32 {
        u32::from(packet.size) + u32::from(self.bytes)
    }

    /// It goes over this medium.
    #[inline]
    pub(crate) fn is_on(&self, medium: u32) -> bool {
        self.real && self.medium == medium
    }
}
