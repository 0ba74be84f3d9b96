//! What a link has to tell at the end of the run.

use units::Time;

use super::{Link, LinkStats};
use crate::packet::Packet;
use crate::pool::Pool;

impl Link {
    /// So many packets more wait from then on.
    #[cold]
    pub(super) fn trace_change(&mut self, at: Time, change: i32) {
        if let Some(trace) = self.cold.extras.as_mut().and_then(|e| e.trace.as_mut()) {
            trace.push((at, change));
        }
    }

    /// The queue's length at every change up to `end`, in packets, if it was traced.
    pub(crate) fn queue_trace(&mut self, end: Time) -> Vec<(Time, u32)> {
        let Some(mut changes) = self.cold.extras.as_mut().and_then(|e| e.trace.take()) else { return Vec::new() };
        changes.sort_by_key(|c| c.0);
        let mut length = 0i32;
        let mut trace: Vec<(Time, u32)> = Vec::new();
        for (at, change) in changes.into_iter().filter(|c| c.0 <= end) {
            length += change;
            match trace.last_mut() {
                Some(last) if last.0 == at => last.1 = length as u32,
                _ => trace.push((at, length as u32)),
            }
        }
        trace
    }

    /// Packets on the wire.
    pub(crate) fn on_wire<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        pool.iter(&self.hot.wire).chain(self.cold.course.iter().flat_map(|course| course.on_wire()))
    }

    /// The counters at the end of the run. A transmission that was under way counts for nothing.
    pub(crate) fn stats(&self, pool: &Pool, end: Time) -> LinkStats {
        let (h, c) = (&self.hot, &self.cold);
        let (mut in_flight, mut in_flight_bytes, mut untransmitted, mut untransmitted_bytes) = (0, 0, 0, 0);
        // where the delay is not always the same, packets that come too late were counted as they came
        let steady = !self.is_served() && c.course.is_none();
        let on_wire = self.on_wire(pool).map(|p| (p, steady && p.at.0.saturating_sub(h.delay.0) > end.0));
        for (packet, waits) in on_wire.chain(self.held(pool).map(|p| (p, true))) {
            let size = u64::from(packet.size);
            in_flight += 1;
            in_flight_bytes += size;
            if waits {
                untransmitted += 1;
                untransmitted_bytes += size;
            }
        }
        if let Some(course) = &c.course {
            untransmitted += course.late_packets;
            untransmitted_bytes += course.late_bytes;
        }
        let accepted_bytes = h.offered_bytes - c.refused_bytes;
        let transmitted_bytes = accepted_bytes - untransmitted_bytes;
        LinkStats {
            offered_packets: h.offered_packets,
            offered_bytes: h.offered_bytes,
            transmitted_packets: h.offered_packets - c.refused.total() - untransmitted,
            transmitted_bytes,
            delivered_packets: h.delivered_packets,
            delivered_bytes: accepted_bytes - c.lost_bytes - in_flight_bytes,
            losses: c.losses.plus(&c.refused),
            in_flight_packets: in_flight,
            marked_packets: c.marked_packets,
            queue_integral: c.queue_time.secs(),
            queue_max: c.queue_max,
            busy_s: match &c.course {
                None => transmitted_bytes as f64 * 8.0 / c.rate_bps as f64,
                Some(_) if transmitted_bytes == 0 => 0.0,
                Some(course) => transmitted_bytes as f64 / course.capacity_bytes(end) * end.secs(),
            },
        }
    }
}
