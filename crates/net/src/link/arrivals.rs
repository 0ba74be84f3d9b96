//! What happens to an arrival before it finds its place in the queue, on the few links that have something special.

use tcp::Flags;
use units::{Span, Time, num};

use super::{Backlog, Fate, Link};
use crate::cause::LossCause;
use crate::loss::LossAt;
use crate::packet::Packet;
use crate::queue::{Arrival, OnArrival, Verdict};

/// The averaged queue behind a congestion warning.
#[derive(Debug)]
pub(super) struct Warning {
    pub(super) threshold: f64,
    pub(super) weight: f64,
    pub(super) average: f64,
    /// Packets of 500 bytes per second: the unit in which idle time ages the average.
    pub(super) aging_pps: f64,
}

pub(super) const AGING_PACKET_BITS: f64 = 500.0 * 8.0;

impl Link {
    /// Drop list, loss before the queue, policer, congestion warning, discipline; and the way to a served link's queue.
    pub(super) fn before_queue(&mut self, now: Time, packet: &mut Packet, arrival: u64) -> Option<Fate> {
        let size = u32::from(packet.size);
        if let Some(extras) = self.cold.extras.as_mut() {
            if extras.drops.get(extras.next_drop) == Some(&arrival) {
                while extras.drops.get(extras.next_drop) == Some(&arrival) {
                    extras.next_drop += 1;
                }
                return Some(self.refuse(now, size, LossCause::List));
            }
            if self.channel_loses(LossAt::Queue, now, size) {
                return Some(self.refuse(now, size, LossCause::Random));
            }
            if self.cold.extras.as_ref().is_some_and(|e| e.looks)
                && let Some(cause) = self.look_at(now, packet)
            {
                return Some(self.refuse(now, size, cause));
            }
        }
        self.cold.served.is_some().then_some(Fate::Held)
    }

    /// Policer, congestion warning, discipline: why is a packet dropped, if it is?
    fn look_at(&mut self, now: Time, packet: &mut Packet) -> Option<LossCause> {
        if self.polices(now, u32::from(packet.size)) {
            return Some(LossCause::Policer);
        }
        self.watch(now);
        self.warn(now, packet);
        self.judge(now, packet)
    }

    /// What waits now.
    pub(super) fn backlog(&mut self, now: Time) -> Backlog {
        if let Some(served) = &self.cold.served {
            return served.backlog();
        }
        self.retire(now);
        Backlog { packets: self.cold.waiting.len() as u32, bytes: self.cold.waiting_bytes }
    }

    /// How long the transmitter has been idle, see [`Arrival::idle`].
    pub(super) fn idle(&mut self, now: Time) -> Span {
        let idle = now.since(self.hot.free_at);
        match &mut self.cold.variation {
            Some(variation) if idle > Span::ZERO => {
                let bytes = variation.idle_bytes(self.hot.free_at, now);
                Span::from_secs(bytes * 8.0 / self.cold.rate_bps as f64)
            }
            _ => idle,
        }
    }

    pub(super) fn polices(&mut self, now: Time, size: u32) -> bool {
        let policer = self.cold.extras.as_mut().and_then(|e| e.policer.as_mut());
        policer.is_some_and(|policer| !policer.passes(now, size))
    }

    /// Ask the queue's discipline about a packet; is it dropped?
    pub(super) fn judge(&mut self, now: Time, packet: &mut Packet) -> Option<LossCause> {
        self.cold.extras.as_ref()?.on_arrival.as_ref()?;
        let size = u32::from(packet.size);
        let backlog = self.backlog(now);
        let fits = self.hot.free_at <= now || !self.cold.limit.is_full(backlog, size);
        let arrival = Arrival {
            now,
            size,
            markable: self.cold.ecn && packet.flags.has(Flags::ECT),
            backlog,
            idle: self.idle(now),
            fits,
        };
        let extras = self.cold.extras.as_mut()?;
        match extras.on_arrival.as_mut()?.judge(&arrival) {
            Verdict::Pass => {}
            Verdict::Mark if fits => {
                self.cold.marked_packets += u64::from(!packet.flags.has(Flags::CE));
                packet.flags.set(Flags::CE);
            }
            Verdict::Mark => {} // it is about to be lost
            Verdict::Drop => return Some(LossCause::Early),
        }
        None
    }

    /// Show the queue to a discipline that looks at it at times of its own, up to `until`. Nothing has come since.
    pub(super) fn watch(&mut self, until: Time) {
        loop {
            let looks = self.cold.extras.as_ref().and_then(|e| e.on_arrival.as_ref());
            let at = looks.map_or(Time::NEVER, OnArrival::next_look);
            if at > until {
                return;
            }
            let backlog = self.backlog(at);
            let rate_bps = self.cold.variation.as_ref().map(|variation| variation.rate_bps(at));
            let steady = backlog.packets == 0 || (self.is_served() && rate_bps.is_none());
            if let Some(looks) = self.cold.extras.as_mut().and_then(|e| e.on_arrival.as_mut()) {
                looks.look(backlog, rate_bps, if steady { until } else { at });
            }
        }
    }

    /// Average the queue as RED does and mark every ECN-capable packet while it is at or over the threshold.
    pub(super) fn warn(&mut self, now: Time, packet: &mut Packet) {
        if self.cold.extras.as_ref().is_none_or(|e| e.warning.is_none()) {
            return;
        }
        let (queue, idle) = (f64::from(self.backlog(now).packets), self.idle(now).secs());
        let Some(extras) = self.cold.extras.as_mut() else { return };
        let Some(w) = extras.warning.as_mut() else { return };
        if idle > 0.0 {
            w.average *= num::pow(1.0 - w.weight, num::floor(idle * w.aging_pps));
        }
        w.average = (1.0 - w.weight) * w.average + w.weight * queue;
        if w.average >= w.threshold && packet.flags.has(Flags::ECT) {
            packet.flags.set(Flags::CE);
            self.cold.marked_packets += 1;
        }
    }
}
