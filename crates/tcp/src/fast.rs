//! Fast ways in and out of an endpoint, for a caller that has many of them. They are no part of the documented
//! interface, and each does the same as a documented call; `crates/net/tests/world.rs` compares the two.
//!
//! | fast | the same as |
//! | --- | --- |
//! | [`Fast::handle_segment_here`], [`Fast::handle_ack`] | [`Endpoint::handle_segment`] |
//! | [`Fast::poll_departure`], then the call that [`Departure`] names | [`Endpoint::poll_transmit`] |
//! | [`Fast::only_waits`] is true | [`Endpoint::poll_transmit`] would give nothing |

use units::Time;

use crate::endpoint::{Endpoint, Role};
use crate::segment::{Flags, Segment};

/// What leaves next, of [`Fast::poll_departure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// This data segment of its own, for [`Fast::data`]; whether it was sent before.
    Data(u32, bool),
    /// An ACK of an end that only receives, for [`Fast::pure_ack`].
    Ack,
    /// Anything else, for [`Fast::special`].
    Special,
}

/// The fast calls.
pub trait Fast {
    /// A segment arrived; the usual way is made a part of the caller. For one who makes most segments on the spot, to
    /// look at their fields only.
    fn handle_segment_here(&mut self, now: Time, segment: &Segment);

    /// A pure ACK arrived, with SACK blocks: most often it is nothing else.
    fn handle_ack(&mut self, now: Time, segment: &Segment);

    /// The next segment that must leave now, not made yet: what it is. The call that [`Departure`] names follows at
    /// once. For whoever makes each kind of segment in the place where it goes to, instead of having it put together
    /// and copied.
    fn poll_departure(&mut self, now: Time) -> Option<Departure>;

    /// The data segment that `poll_departure` named.
    fn data(&mut self, now: Time, number: u32, again: bool) -> Segment;

    /// The ACK that it named.
    fn pure_ack(&mut self, now: Time) -> Segment;

    /// Anything else that it named.
    fn special(&mut self, now: Time) -> Segment;

    /// After an arrival: pacing holds back whatever may leave, so that `poll_departure` would say nothing and need not
    /// be asked. Notes, as that does, what limits the sender.
    fn only_waits(&mut self, now: Time) -> bool;
}

impl Fast for Endpoint {
    #[inline(always)]
    fn handle_segment_here(&mut self, now: Time, segment: &Segment) {
        self.take_in::<true>(now, segment);
    }

    #[inline(always)]
    fn handle_ack(&mut self, now: Time, segment: &Segment) {
        if segment.flags != Flags::ACK || self.role == Role::Passive || self.full {
            return self.handle_segment(now, segment);
        }
        self.acks_received += 1;
        self.note_timestamp(segment);
        self.sender.on_ack::<false>(now, segment, true);
    }

    #[inline(always)]
    fn poll_departure(&mut self, now: Time) -> Option<Departure> {
        self.next_departure(now)
    }

    #[inline(always)]
    fn data(&mut self, now: Time, number: u32, again: bool) -> Segment {
        self.make_data(now, number, again)
    }

    #[inline(always)]
    fn pure_ack(&mut self, now: Time) -> Segment {
        self.make_ack(now)
    }

    #[inline(always)]
    fn special(&mut self, now: Time) -> Segment {
        self.make_special(now)
    }

    #[inline(always)]
    fn only_waits(&mut self, now: Time) -> bool {
        let waits = self.sender.tcb.is_held(now)
            && !(self.receiver.ack_due() || self.sender.is_done() || self.repair.is_some());
        if waits {
            self.sender.note_pacing(now);
        }
        waits
    }
}
