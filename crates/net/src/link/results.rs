//! What a link has to tell at the end of the run.

use units::Time;

use super::counts::Warmup;
use super::{Link, LinkStats, transmission};
use crate::changing::work;
use crate::packet::Packet;
use crate::pool::Pool;
use crate::queue::Lengths;

impl Link {
    /// The queue's length up to `end`, if it was traced.
    pub(crate) fn queue_trace(&mut self, end: Time) -> Lengths {
        self.cold.queue.take_trace(end)
    }

    /// Packets on the wire.
    pub(crate) fn on_wire<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        pool.iter(&self.hot.wire).chain(self.cold.variation.iter().flat_map(|variation| variation.on_wire()))
    }

    /// Whether a packet on the wire has still to be transmitted at the end of the run. Where the delay is not always
    /// the same, such packets were counted as they came.
    fn is_late(&self, packet: &Packet, end: Time) -> bool {
        !self.is_served() && self.tells_late() && packet.at.0.saturating_sub(self.hot.delay.0) > end.0
    }

    /// What of the packets that were accepted had not been transmitted when the run ended, in bits times nanoseconds
    /// per second.
    fn left(&self, pool: &Pool, end: Time) -> u128 {
        match (&self.cold.served, &self.cold.variation) {
            (Some(served), variation) => {
                let sending = served.sending.as_ref().map_or(0, |packet| match variation {
                    Some(_) => u128::from(served.left),
                    None => self.left_of(std::iter::once(packet), end),
                });
                work(self.cold.queue.held_bytes()) + sending + self.cold.late.work
            }
            (None, _) if !self.tells_late() => self.cold.late.work,
            (None, _) => self.left_of(self.on_wire(pool).filter(|packet| self.is_late(packet, end)), end),
        }
    }

    /// The same of packets whose transmissions follow each other at the link's rate, until it is free.
    fn left_of<'a>(&self, packets: impl Iterator<Item = &'a Packet>, end: Time) -> u128 {
        let (mut all, mut begun) = (0, self.hot.free_at);
        for packet in packets {
            all += work(packet.size.into());
            begun.0 -= transmission(packet.size.into(), self.cold.rate_bps);
        }
        if all == 0 { 0 } else { all - u128::from(self.cold.rate_bps) * u128::from(end.since(begun).0) }
    }

    /// The counters at the end of the run. A transmission that was under way counts for nothing but utilisation.
    pub(crate) fn stats(&mut self, pool: &Pool, end: Time) -> LinkStats {
        let bad_time = self.cold.extras.as_mut().and_then(|extras| extras.channel.bad_time());
        let (h, c) = (&self.hot, &self.cold);
        let (mut in_flight, mut in_flight_bytes) = c.held_for_air;
        let (mut untransmitted, mut untransmitted_bytes) = (in_flight + c.late.packets, in_flight_bytes + c.late.bytes);
        let on_wire = self.on_wire(pool).map(|p| (p, self.is_late(p, end)));
        for (packet, waits) in on_wire.chain(self.held(pool).map(|p| (p, true))) {
            let size = u64::from(packet.size);
            in_flight += 1;
            in_flight_bytes += size;
            if waits {
                untransmitted += 1;
                untransmitted_bytes += size;
            }
        }
        let (queue, refused) = (&c.queue, c.refused.plus(c.queue.drops()));
        let accepted_bytes = h.offered_bytes - c.refused_bytes - queue.dropped_bytes();
        let transmitted_bytes = accepted_bytes - untransmitted_bytes;
        let delivered_bytes = accepted_bytes - c.lost_bytes - in_flight_bytes;
        let warmup = c.warmup.as_ref().map_or_else(Warmup::default, |warming| warming.counts);
        // What frames hold is known frame by frame, and what was sent in the one in which the warm-up ends is not.
        let in_frames = c.variation.as_ref().is_some_and(|variation| variation.is_in_frames());
        let (from, before) = match in_frames {
            true => (Time::ZERO, 0),
            false => (warmup.until, work(warmup.transmitted_bytes) + warmup.under_way_work),
        };
        // (a break may have taken the packet that was under way)
        let used = (work(accepted_bytes - c.held_for_air.1) - self.left(pool, end)).saturating_sub(before);
        let capacity = self.could_carry(from, end);
        LinkStats {
            offered_packets: h.offered_packets,
            offered_bytes: h.offered_bytes,
            transmitted_packets: h.offered_packets - refused.total() - untransmitted,
            transmitted_bytes,
            delivered_packets: h.delivered_packets,
            delivered_bytes,
            losses: c.losses.plus(&refused),
            in_flight_packets: in_flight,
            marked_packets: queue.marked(),
            lanes: queue.lanes(),
            queue_integral: queue.time().secs(),
            queue_max: queue.longest(),
            utilisation: if used == 0 { 0.0 } else { used as f64 / capacity as f64 },
            measured: warmup.measured(transmitted_bytes, delivered_bytes),
            bad_time,
        }
    }
}
