//! Where packets go through the air, beside the table of routes.

use wlan::StationId;

/// A hop through the air, of the packets of one end of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AirHop {
    /// Number of the medium.
    pub(crate) medium: u32,
    pub(crate) from: StationId,
    pub(crate) to: StationId,
    /// The end whose packets they are.
    pub(crate) end: u32,
    /// Hash of the flow and direction, for queues that tell flows apart.
    pub(crate) source: u32,
    /// Bytes that routing has added.
    pub(crate) bytes: u16,
    /// Whether it is a hop through the air at all.
    pub(crate) real: bool,
}

impl AirHop {
    /// It goes over this medium.
    #[inline]
    pub(crate) fn is_on(&self, medium: u32) -> bool {
        self.real && self.medium == medium
    }
}
