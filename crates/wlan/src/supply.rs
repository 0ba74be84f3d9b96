//! Where a station that sends several packets together takes the further ones from.

use units::Time;

use crate::{Class, Frame, StationId};

/// The queues in front of the stations, asked when an exchange begins. What waits, waits in them and not in the MAC.
pub trait Supply {
    /// The next packet of a station, taken off its queue, if it is of this class, for `to`, and no longer than
    /// `at_most` bytes; else nothing.
    ///
    /// Who cannot look at a packet without taking it keeps one that does not fit, and offers it as the next.
    fn next(&mut self, now: Time, station: StationId, class: Class, to: StationId, at_most: u32) -> Option<Frame>;
}

/// Nothing to add: each packet goes by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSupply;

impl Supply for NoSupply {
    fn next(&mut self, _: Time, _: StationId, _: Class, _: StationId, _: u32) -> Option<Frame> {
        None
    }
}
