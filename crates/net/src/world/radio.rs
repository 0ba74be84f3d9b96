//! Packets through the air: to the queues of stations, through media, up to where they go on.

use units::{Span, Time};
use wlan::Outcome;

use super::World;
use crate::cause::LossCause;
use crate::event::Event;
use crate::link::Fate;
use crate::packet::Packet;
use crate::radio::{AirHop, Layer, Resolved, is_arp};
use crate::results::{TracePoint, Variable};
use crate::route::END;

/// Events of a medium, one after the other, until the loop of the world looks whether the run was cancelled.
const MOST_AT_ONCE: u32 = 1 << 12;

impl World {
    /// A packet enters a hop through the air.
    pub(super) fn take_to_air(&mut self, now: Time, packet: Packet) {
        let hop = self.air[packet.hop as usize];
        if let Some(packet) = self.resolve(now, &hop, packet) {
            self.take_below_ip(now, &hop, packet);
        }
        self.arm(hop.medium);
    }

    /// A packet whose receiver is known.
    fn take_below_ip(&mut self, now: Time, hop: &AirHop, packet: Packet) {
        let channel = &mut self.channels[hop.medium as usize];
        if channel.link_layer > Span::ZERO {
            channel.pass(now, Layer::Down, packet, &mut self.pool);
        } else {
            self.take_to_queue(now, hop, packet);
        }
    }

    /// A packet may have to wait until its receiver is known: the packet, if it need not.
    #[inline]
    fn resolve(&mut self, now: Time, hop: &AirHop, packet: Packet) -> Option<Packet> {
        match &mut self.channels[hop.medium as usize].arp {
            Some(arp) => match arp.resolve(hop.from, hop.to, packet) {
                Resolved::Go(packet) => Some(packet),
                Resolved::Ask { request, lost } => {
                    self.give_up(now, lost);
                    let hop = self.air[request.hop as usize];
                    self.take_below_ip(now, &hop, request);
                    None
                }
                Resolved::GiveUp(packets) => {
                    packets.into_iter().for_each(|packet| self.give_up(now, packet));
                    None
                }
            },
            None => Some(packet),
        }
    }

    /// A packet is lost because its receiver did not answer.
    #[cold]
    fn give_up(&mut self, now: Time, packet: Option<Packet>) {
        let Some(packet) = packet else { return };
        let link = self.routes[packet.hop as usize];
        self.links[link as usize].refuse_to_air(now, packet.size.into(), LossCause::MacRetry);
        self.lose(now, link, &packet, LossCause::MacRetry);
    }

    /// A station has heard a request or a reply.
    #[cold]
    fn hear(&mut self, now: Time, number: u32, at: wlan::StationId, from: wlan::StationId, handle: u64) {
        let Some(arp) = &mut self.channels[number as usize].arp else { return };
        let learnt = arp.hear(at, from, handle);
        for packet in [learnt.reply, learnt.packet].into_iter().flatten() {
            let hop = self.air[packet.hop as usize];
            self.take_below_ip(now, &hop, packet);
        }
    }

    /// A packet comes to the queue of its station.
    fn take_to_queue(&mut self, now: Time, hop: &AirHop, packet: Packet) {
        let channel = &mut self.channels[hop.medium as usize];
        channel.take(now, hop, packet, &mut self.pool, &mut self.dropped);
        self.feed(now, hop.medium, hop.from);
    }

    /// A station's MAC takes the next packet, if it has none.
    fn feed(&mut self, now: Time, medium: u32, station: wlan::StationId) {
        self.channels[medium as usize].feed(now, station, &self.air, &mut self.pool, &mut self.dropped);
        if !self.dropped.is_empty() {
            self.lose_in_queue(now);
        }
    }

    /// Queues of stations have dropped packets, each before its hop.
    #[cold]
    fn lose_in_queue(&mut self, now: Time) {
        let mut dropped = std::mem::take(&mut self.dropped);
        for (packet, cause) in dropped.drain(..) {
            if self.air[packet.hop as usize].is_arp() {
                continue;
            }
            let link = self.routes[packet.hop as usize];
            self.links[link as usize].refuse_to_air(now, packet.size.into(), cause);
            self.lose(now, link, &packet, cause);
        }
        self.dropped = dropped;
    }

    /// Something happens on a medium. It goes on as long as nothing else comes before: a medium has many events, and
    /// few of them need the queue.
    #[inline(never)]
    pub(super) fn on_medium(&mut self, mut now: Time, number: u32) {
        if let Some(cell) = number.checked_sub(self.channels.len() as u32) {
            return self.on_frame(now, cell);
        }
        self.queue.pop();
        if self.channels[number as usize].armed != now {
            return; // an earlier event took its place
        }
        for _ in 0..MOST_AT_ONCE {
            // nobody arms what goes on by itself
            self.channels[number as usize].armed = Time::ZERO;
            self.step_medium(now, number);
            self.run_medium(number);
            let at = self.channels[number as usize].deadline(&self.pool);
            let others = self.queue.peek().unwrap_or((Time::NEVER, 0));
            if at > self.end || others < (at, Event::Medium(number).encode()) {
                break;
            }
            now = at;
            self.now = now;
            self.loop_events += 1;
        }
        self.channels[number as usize].armed = Time::NEVER;
        self.arm(number);
    }

    /// A medium goes on until something else is due.
    fn run_medium(&mut self, number: u32) {
        let mut outcomes = std::mem::take(&mut self.outcomes);
        for _ in 0..MOST_AT_ONCE {
            let others = self.queue.peek().map_or(Time::NEVER, |(at, _)| at);
            let channel = &mut self.channels[number as usize];
            let end = channel.layers_deadline(&self.pool).min(others).min(self.end + Span(1));
            let Some(now) = channel.run(end, &self.air, &mut self.pool, &mut self.dropped, &mut outcomes) else {
                break;
            };
            self.now = now;
            self.loop_events += 1;
            self.hand_out(now, number, &mut outcomes);
        }
        self.outcomes = outcomes;
    }

    /// Media do what is due before `end`, of which nothing comes out, so that their counters are up to date.
    pub(super) fn settle_media(&mut self, end: Time) {
        for channel in &mut self.channels {
            let out = channel.run(end, &self.air, &mut self.pool, &mut self.dropped, &mut self.outcomes);
            debug_assert!(out.is_none(), "a deadline was passed");
        }
        if !self.dropped.is_empty() {
            self.lose_in_queue(end);
        }
    }

    /// What has come out of a medium.
    #[inline]
    fn hand_out(&mut self, now: Time, number: u32, outcomes: &mut Vec<Outcome>) {
        if !self.dropped.is_empty() {
            self.lose_in_queue(now);
        }
        for outcome in outcomes.drain(..) {
            self.on_outcome(now, number, outcome);
        }
    }

    /// What is due now on a medium, and in the link layers of its stations.
    fn step_medium(&mut self, now: Time, number: u32) {
        let channel = &mut self.channels[number as usize];
        if channel.medium.deadline_by(now + Span(1)) <= now {
            let mut outcomes = std::mem::take(&mut self.outcomes);
            channel.advance(now, &self.air, &mut self.pool, &mut self.dropped, &mut outcomes);
            self.hand_out(now, number, &mut outcomes);
            self.outcomes = outcomes;
        }
        if self.channels[number as usize].link_layer > Span::ZERO {
            self.leave_link_layers(now, number);
        }
    }

    fn leave_link_layers(&mut self, now: Time, number: u32) {
        while let Some(packet) = self.channels[number as usize].passed(now, Layer::Down, &mut self.pool) {
            let hop = self.air[packet.hop as usize];
            self.take_to_queue(now, &hop, packet);
        }
        while let Some(mut packet) = self.channels[number as usize].passed(now, Layer::Across, &mut self.pool) {
            self.end_hop(now, &mut packet);
            packet.hop += 1;
            let link = self.routes[packet.hop as usize];
            match self.links[link as usize].enter(now, &mut packet, self.end) {
                Fate::Held => {
                    let hop = self.air[packet.hop as usize];
                    if let Some(packet) = self.resolve(now, &hop, packet) {
                        self.take_to_queue(now, &hop, packet);
                    }
                }
                fate => self.settle(now, link, &mut packet, fate),
            }
        }
        while let Some(packet) = self.channels[number as usize].passed(now, Layer::Up, &mut self.pool) {
            self.leave_air(now, packet);
        }
    }

    /// A packet is at the end of its hop.
    fn leave_air(&mut self, now: Time, mut packet: Packet) {
        self.end_hop(now, &mut packet);
        self.go_on(now, &mut packet);
    }

    /// Count a packet at the end of its hop; from here on the bytes of routing are its own.
    #[inline]
    fn end_hop(&mut self, now: Time, packet: &mut Packet) {
        let link = self.routes[packet.hop as usize];
        self.links[link as usize].deliver_from_air(now, packet.size.into());
        packet.size += self.air[packet.hop as usize].bytes;
    }

    fn on_outcome(&mut self, now: Time, number: u32, outcome: Outcome) {
        let channel = &mut self.channels[number as usize];
        match outcome {
            Outcome::Delivered { at, from, handle } if is_arp(handle) => self.hear(now, number, at, from, handle),
            Outcome::LostAbove { handle, .. } | Outcome::Held { handle, .. } | Outcome::Late { handle, .. }
                if is_arp(handle) => {}
            Outcome::Sent { station, handle } | Outcome::Dropped { station, handle } if is_arp(handle) => {
                self.feed(now, number, station);
            }
            Outcome::Delivered { from, handle, .. } => {
                let packet = channel.delivered(now, from, handle);
                self.note_air(now, &packet);
                let channel = &mut self.channels[number as usize];
                if channel.link_layer > Span::ZERO {
                    let next = self.routes[packet.hop as usize + 1];
                    let relayed = next & END == 0 && self.air[packet.hop as usize + 1].is_on(number);
                    let way = if relayed { Layer::Across } else { Layer::Up };
                    channel.pass(now, way, packet, &mut self.pool);
                } else {
                    self.leave_air(now, packet);
                }
            }
            Outcome::LostAbove { from, handle, .. } | Outcome::Late { from, handle, .. } => {
                let packet = channel.delivered(now, from, handle);
                self.lose_on_air(now, &packet, LossCause::Radio);
            }
            Outcome::Sent { station, handle } => {
                let lost = channel.done(handle);
                debug_assert!(lost.is_none(), "an acknowledged packet has arrived");
                self.feed(now, number, station);
            }
            Outcome::Dropped { station, handle } => {
                // if only ACKs were lost, it has arrived
                if let Some(packet) = channel.done(handle) {
                    self.lose_on_air(now, &packet, LossCause::MacRetry);
                }
                self.feed(now, number, station);
            }
            Outcome::Held { handle, .. } => channel.kept(handle),
            Outcome::OnAir { .. } | Outcome::Lost { .. } => {}
        }
    }

    #[cold]
    fn lose_on_air(&mut self, now: Time, packet: &Packet, cause: LossCause) {
        let link = self.routes[packet.hop as usize];
        self.links[link as usize].lose_from_air(now, packet.size.into(), cause);
        self.lose(now, link, packet, cause);
    }

    /// A packet has crossed a hop: what its flow has spent there.
    fn note_air(&mut self, now: Time, packet: &Packet) {
        if packet.is_data() {
            let sender = self.air[packet.hop as usize].end as usize;
            let transfer = &mut self.transfers[sender];
            transfer.air_delay += now.since(packet.at);
            transfer.air_hops += 1;
        }
    }

    /// The airtime of every station since the last time.
    #[cold]
    pub(super) fn trace_airtime(&mut self, now: Time, place: u32) {
        let Some(step) = self.options.airtime else { return };
        let mut subject = self.links.len() / 2;
        for channel in &mut self.channels {
            // nothing comes out: the medium has been asked whenever something might
            channel.advance(now, &self.air, &mut self.pool, &mut self.dropped, &mut self.outcomes);
            debug_assert!(self.outcomes.is_empty());
            for (station, port) in channel.ports.iter_mut().enumerate() {
                let airtime = channel.medium.airtime(station as wlan::StationId, now);
                let before = std::mem::replace(&mut port.airtime, airtime);
                self.traces.push(TracePoint {
                    at: now,
                    subject,
                    reverse: false,
                    variable: Variable::Airtime,
                    value: (airtime - before).secs() / step.secs(),
                });
                subject += 1;
            }
        }
        if now + step <= self.end {
            self.queue.push(now + step, Event::Plan(place).encode());
        }
    }

    /// Have an event when something happens next on a medium.
    fn arm(&mut self, number: u32) {
        let channel = &mut self.channels[number as usize];
        let at = channel.deadline(&self.pool);
        if at < channel.armed {
            channel.armed = at;
            self.queue.push(at, Event::Medium(number).encode());
        }
    }
}
