//! What the world keeps of an endpoint beside its own state: how it is attached to the network, and what it is to
//! transfer.

use units::{Span, Time};

use crate::cause::LossCounts;

/// How an endpoint is attached to the network: where its packets go, its timer event, how far ahead of the world it is.
/// Every event at the endpoint touches it: one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Attachment {
    /// Where its route begins in the table.
    pub(super) route: u32,
    /// The connection over several paths that it belongs to, or [`crate::multipath::ALONE`].
    pub(super) connection: u32,
    /// Time of its earliest pending timer event.
    pub(super) armed: Time,
    /// Time of the pending event that the earliest one has overtaken, if it is known.
    pub(super) overtaken: Time,
    /// What arrives before this is handed over as soon as the time of its arrival is known; zero: nothing is.
    pub(super) horizon: Time,
    /// How far it is: arrivals up to here were handed over.
    pub(super) clock: Time,
    /// How long after a departure that pacing holds back its event may come.
    pub(super) leeway: Span,
    /// Bytes of payload in segments it sent.
    pub(super) sent_bytes: u64,
    /// A TCP endpoint without anything special: [`super::World::find_plain_endpoints`].
    pub(super) plain: bool,
    /// It may be ahead of the world: [`super::World::find_private_starts`].
    pub(super) runs_ahead: bool,
    /// It is plain and never ahead.
    pub(super) in_step: bool,
    /// It has a transfer to complete.
    pub(super) has_end: bool,
}

const _: () = assert!(size_of::<Attachment>() == 64);

/// What an endpoint is to transfer, and what became of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Transfer {
    pub(super) started: Time,
    /// When its application stops.
    pub(super) stop: Time,
    pub(super) size: Option<u64>,
    /// When all of it was acknowledged.
    pub(super) known: Option<Time>,
    /// Data segments it lost, by cause.
    pub(super) lost: LossCounts,
    /// Pure ACKs it lost.
    pub(super) acks_lost: LossCounts,
    /// One-way delay of a full segment over empty links.
    pub(super) base_delay: Span,
    /// Of the flow's name and the direction, for queues that hash flows.
    pub(super) hash: u32,
    /// Sum over its data and their hops through the air of the time from the station's queue to the next station.
    pub(super) air_delay: Span,
    /// How many these hops are.
    pub(super) air_hops: u64,
}

impl Transfer {
    /// Data have crossed a hop through the air.
    #[inline]
    pub(super) fn cross_air(&mut self, took: Span) {
        self.air_delay += took;
        self.air_hops += 1;
    }
}
