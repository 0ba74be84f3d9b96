//! A hop through the air, as a link: it counts, and decides nothing but its drop list. Packets wait in the queue of a
//! station, and the medium says when they arrive.

use units::Time;

use super::{Entry, Fate, Link};
use crate::cause::LossCause;
use crate::packet::Packet;
use crate::spec::{Counting, DirectionSpec, QueueLimit, QueueSpec};

impl Link {
    /// A hop; of its direction the rate and the drop list count.
    pub(crate) fn through_air(spec: &DirectionSpec, seed: u64, name: &str) -> Link {
        let queue = QueueSpec::drop_tail(QueueLimit::Packets(1), Counting::Waiting);
        let (drops, drops_count_data) = (spec.drops.clone(), spec.drops_count_data);
        let plain = DirectionSpec { drops, drops_count_data, ..DirectionSpec::plain(spec.rate_bps, spec.delay, queue) };
        let mut link = Link::new(&plain, seed, name);
        link.hot.entry = Entry::Special;
        link.cold.air = true;
        link
    }

    /// It is a hop through the air.
    pub(crate) fn is_air(&self) -> bool {
        self.cold.air
    }

    /// A packet enters, from another hop through the air: the same as [`Link::enter`], in less time.
    #[inline]
    pub(crate) fn enter_from_air(&mut self, now: Time, packet: &mut Packet, end: Time) -> Fate {
        let arrival = self.hot.offered_packets;
        self.hot.offered_packets += 1;
        self.hot.offered_bytes += u64::from(packet.size);
        if self.cold.extras.is_some() || self.warming(now).is_some() {
            return self.enter_behind_tap(now, packet, arrival, end);
        }
        Fate::Held
    }

    /// A packet has arrived.
    #[inline]
    pub(crate) fn deliver_from_air(&mut self, now: Time, size: u32) {
        self.deliver();
        if let Some(counts) = self.warming(now) {
            counts.transmitted_bytes += u64::from(size);
            counts.delivered_bytes += u64::from(size);
        }
    }

    /// A packet was sent, and is lost.
    pub(crate) fn lose_from_air(&mut self, now: Time, size: u32, cause: LossCause) {
        if let Some(counts) = self.warming(now) {
            counts.transmitted_bytes += u64::from(size);
        }
        self.lose(now, size, cause);
    }

    /// The station's queue has dropped a packet.
    pub(crate) fn refuse_to_air(&mut self, now: Time, size: u32, cause: LossCause) {
        self.refuse(now, size, cause);
    }

    /// A packet is under way when the run ends.
    pub(crate) fn hold_for_air(&mut self, size: u32) {
        let (packets, bytes) = &mut self.cold.held_for_air;
        *packets += 1;
        *bytes += u64::from(size);
    }
}
