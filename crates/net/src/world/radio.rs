//! Packets through the air: to the queues of stations, through media, up to where they go on.

use units::{Span, Time};
use wlan::{Outcome, StationId};

use super::World;
use crate::cause::LossCause;
use crate::event::Event;
use crate::link::Fate;
use crate::packet::Packet;
use crate::radio::{AirHop, Layer, Unknown, is_arp};
use crate::results::{TracePoint, Variable};
use crate::route::END;

/// Events of a medium, one after the other, until the loop of the world looks whether the run was cancelled.
const MOST_AT_ONCE: u64 = 1 << 12;

impl World {
    /// A packet enters a hop through the air.
    pub(super) fn take_to_air(&mut self, now: Time, packet: Packet) {
        let hop = &self.air[packet.hop as usize];
        let (medium, channel) = (hop.medium, &self.channels[hop.medium as usize]);
        if channel.knows(hop) {
            self.take_below_ip(now, medium, packet);
        } else {
            self.ask(now, packet);
        }
        self.arm(medium);
    }

    /// A packet whose receiver is known, or that asks for it.
    #[inline]
    fn take_below_ip(&mut self, now: Time, medium: u32, packet: Packet) {
        let layers = &mut self.channels[medium as usize].layers;
        if layers.are_instant() {
            let place = self.pool.keep(packet);
            self.take_to_queue(now, medium, place);
        } else {
            layers.push(now, Layer::Down, packet, &mut self.pool);
        }
    }

    /// A packet has to wait until its receiver is known.
    #[cold]
    fn ask(&mut self, now: Time, packet: Packet) {
        let AirHop { medium, from, to, .. } = self.air[packet.hop as usize];
        let Some(arp) = &mut self.channels[medium as usize].arp else { return };
        match arp.ask(from, to, packet) {
            Unknown::Ask { request, lost } => {
                self.give_up(now, lost);
                self.take_below_ip(now, medium, request);
            }
            Unknown::GiveUp(packets) => packets.into_iter().for_each(|packet| self.give_up(now, packet)),
        }
    }

    /// A packet is lost because its receiver did not answer a request, so it was never on air itself.
    #[cold]
    fn give_up(&mut self, now: Time, packet: Option<Packet>) {
        let Some(packet) = packet else { return };
        let link = self.routes[packet.hop as usize];
        self.links[link as usize].refuse_to_air(now, packet.size.into(), LossCause::MacRetry);
        self.lose(now, link, &packet, LossCause::MacRetry);
    }

    /// A station has heard a request or a reply.
    #[cold]
    fn hear(&mut self, now: Time, number: u32, at: StationId, from: StationId, handle: u64) {
        let Some(arp) = &mut self.channels[number as usize].arp else { return };
        let learnt = arp.hear(at, from, handle);
        for packet in [learnt.reply, learnt.packet].into_iter().flatten() {
            self.take_below_ip(now, number, packet);
        }
    }

    /// The packet at this place of the pool comes to the queue of its station.
    #[inline]
    fn take_to_queue(&mut self, now: Time, medium: u32, place: u32) {
        let channel = &mut self.channels[medium as usize];
        channel.take(now, place, &self.air, &mut self.pool, &mut self.dropped);
        self.lose_dropped_before_air();
    }

    /// A station's MAC takes the next packet, if it has room for one: it has done with one of hop `hop`.
    #[inline]
    fn feed(&mut self, now: Time, medium: u32, hop: u32) {
        let AirHop { from, class, .. } = self.air[hop as usize];
        let channel = &mut self.channels[medium as usize];
        channel.feed(now, from, class, &self.air, &mut self.pool, &mut self.dropped);
        self.lose_dropped_before_air();
    }

    /// Queues of stations may have dropped packets, each before its hop, at the time that stands in it.
    #[inline]
    fn lose_dropped_before_air(&mut self) {
        if !self.dropped.is_empty() {
            self.lose_in_queue();
        }
    }

    #[cold]
    fn lose_in_queue(&mut self) {
        let mut dropped = std::mem::take(&mut self.dropped);
        for (packet, cause) in dropped.drain(..) {
            if self.air[packet.hop as usize].is_arp() {
                continue;
            }
            let link = self.routes[packet.hop as usize];
            self.links[link as usize].refuse_to_air(packet.at, packet.size.into(), cause);
            self.lose(packet.at, link, &packet, cause);
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
        let armed = &mut self.channels[number as usize].armed;
        if *armed != now {
            return; // an earlier event took its place
        }
        *armed = Time::ZERO; // nobody arms what goes on by itself
        let mut outcomes = std::mem::take(&mut self.outcomes);
        let pause = self.loop_events + MOST_AT_ONCE;
        // with nothing else in this instant it just goes on, and what comes out first is what this event was for
        let mut goes_on = self.queue.next_at() > now;
        if !goes_on {
            let channel = &mut self.channels[number as usize];
            channel.advance(now, &self.air, &mut self.pool, &mut self.dropped, &mut outcomes);
        }
        loop {
            if !goes_on {
                self.hand_out(now, number, &mut outcomes);
                self.leave_link_layers(now, number);
            }
            if self.loop_events >= pause {
                break;
            }
            let Some(next) = self.run_medium(number, &mut outcomes) else { break };
            self.loop_events += u64::from(!goes_on || next > now);
            goes_on = false;
            now = next;
            self.now = now;
        }
        // queues drop packets as the MAC takes others, also where nothing came out of it
        self.lose_dropped_before_air();
        self.outcomes = outcomes;
        self.channels[number as usize].armed = Time::NEVER;
        self.arm(number);
    }

    /// A medium goes on until something comes out of it, or a packet leaves a link layer: when that was. Nothing, if
    /// something else is due before.
    #[inline]
    fn run_medium(&mut self, number: u32, outcomes: &mut Vec<Outcome>) -> Option<Time> {
        let end = self.queue.next_at().min(self.end + Span(1));
        let channel = &mut self.channels[number as usize];
        let out = channel.run(end, &self.air, &mut self.pool, &mut self.dropped, outcomes);
        if out.is_some() { out } else { self.share_instant(number, outcomes) }
    }

    /// A medium's turn may come in the instant of another event, before that.
    #[cold]
    fn share_instant(&mut self, number: u32, outcomes: &mut Vec<Outcome>) -> Option<Time> {
        let channel = &mut self.channels[number as usize];
        let others = self.queue.peek().unwrap_or((Time::NEVER, 0));
        if channel.next_step() > others.0.min(self.end) {
            return None; // before all deadlines
        }
        let at = channel.deadline();
        if at > self.end || others < (at, Event::Medium(number).encode()) {
            return None;
        }
        channel.advance(at, &self.air, &mut self.pool, &mut self.dropped, outcomes);
        Some(at)
    }

    /// Media do what is due before `end`, of which nothing comes out, so that their counters are up to date.
    pub(super) fn settle_media(&mut self, end: Time) {
        for channel in &mut self.channels {
            channel.settle(end, &self.air, &mut self.pool, &mut self.dropped, &mut self.outcomes);
        }
        self.lose_dropped_before_air();
    }

    /// What has come out of a medium.
    #[inline]
    fn hand_out(&mut self, now: Time, number: u32, outcomes: &mut Vec<Outcome>) {
        self.lose_dropped_before_air();
        for outcome in outcomes.iter() {
            self.on_outcome(now, number, outcome);
        }
        outcomes.clear();
    }

    /// Packets whose way through link layers is over.
    #[inline]
    fn leave_link_layers(&mut self, now: Time, number: u32) {
        while let Some((way, place)) = self.channels[number as usize].layers.pop(now, &mut self.pool) {
            match way {
                Layer::Down => self.take_to_queue(now, number, place),
                Layer::Across => self.pass_on_air(now, number, place),
                Layer::Up => {
                    let packet = self.pool.remove(place);
                    self.leave_air(now, packet);
                }
            }
        }
    }

    /// A packet has been up at a station, and down again for its next hop.
    #[inline]
    fn pass_on_air(&mut self, now: Time, number: u32, place: u32) {
        let Packet { hop, size, .. } = *self.pool.get(place);
        let size = self.end_hop(now, hop, size);
        let packet = self.pool.get_mut(place);
        (packet.hop, packet.size) = (hop + 1, size);
        if self.capture.is_some() {
            let packet = *packet;
            self.note_crossing(now, &packet);
        }
        let packet = self.pool.get_mut(place);
        let link = self.routes[packet.hop as usize];
        match self.links[link as usize].enter_from_air(now, packet, self.end) {
            Fate::Held if self.channels[number as usize].knows(&self.air[packet.hop as usize]) => {
                self.take_to_queue(now, number, place);
            }
            fate => self.stop_on_the_way(now, link, place, fate),
        }
    }

    /// A packet that was to be passed on is not: it has to wait for an answer, or is lost.
    #[inline(never)]
    fn stop_on_the_way(&mut self, now: Time, link: u32, place: u32, fate: Fate) {
        let mut packet = self.pool.remove(place);
        match fate {
            Fate::Held => self.ask(now, packet),
            fate => self.settle(now, link, &mut packet, fate),
        }
    }

    /// A packet leaves the air at the end of its hop.
    fn leave_air(&mut self, now: Time, mut packet: Packet) {
        packet.size = self.end_hop(now, packet.hop, packet.size);
        packet.hop += 1;
        let hop = self.routes[packet.hop as usize];
        if hop & END != 0 {
            self.arrive_shortly(now, hop & !END, &packet);
        } else {
            self.carry::<false>(now, &mut packet);
        }
    }

    /// Count a packet of this size at the end of its hop; its size from here on, where the bytes of routing are its
    /// own.
    #[inline]
    fn end_hop(&mut self, now: Time, hop: u32, size: u16) -> u16 {
        let link = self.routes[hop as usize];
        self.links[link as usize].deliver_from_air(now, size.into());
        size + self.air[hop as usize].bytes
    }

    #[inline]
    fn on_outcome(&mut self, now: Time, number: u32, outcome: &Outcome) {
        let channel = &mut self.channels[number as usize];
        match *outcome {
            Outcome::Delivered { at, from, handle } if is_arp(handle) => self.hear(now, number, at, from, handle),
            Outcome::Delivered { from, handle, .. } => self.leave_mac(now, number, from, handle),
            Outcome::Sent { handle, .. } => {
                let (hop, lost) = channel.done(handle, &mut self.pool);
                debug_assert!(lost.is_none(), "an acknowledged packet has arrived");
                self.feed(now, number, hop);
            }
            Outcome::Dropped { handle, aired, .. } => {
                // if only ACKs were lost, it has arrived
                let (hop, lost) = channel.done(handle, &mut self.pool);
                match lost {
                    Some(packet) if aired => self.lose_on_air(now, &packet, LossCause::MacRetry),
                    lost => self.give_up(now, lost),
                }
                self.feed(now, number, hop);
            }
            Outcome::LostAbove { handle, .. } | Outcome::Held { handle, .. } | Outcome::Late { handle, .. }
                if is_arp(handle) => {}
            Outcome::LostAbove { from, handle, .. } | Outcome::Late { from, handle, .. } => {
                let packet = channel.delivered(now, from, handle, &mut self.pool);
                self.lose_on_air(now, &packet, LossCause::Radio);
            }
            Outcome::Held { handle, .. } => channel.kept(handle),
            Outcome::OnAir { .. } | Outcome::Lost { .. } => {}
        }
    }

    /// A packet has crossed a hop, and goes up from the MAC.
    #[inline]
    fn leave_mac(&mut self, now: Time, number: u32, from: StationId, handle: u64) {
        let channel = &mut self.channels[number as usize];
        let packet = channel.delivered(now, from, handle, &mut self.pool);
        let hop = &self.air[packet.hop as usize];
        if packet.is_data() {
            self.transfers[hop.end as usize].cross_air(now.since(packet.at));
        }
        if channel.layers.are_instant() {
            self.leave_air(now, packet);
        } else {
            channel.layers.push(now, hop.way, packet, &mut self.pool);
        }
    }

    #[cold]
    fn lose_on_air(&mut self, now: Time, packet: &Packet, cause: LossCause) {
        let link = self.routes[packet.hop as usize];
        self.links[link as usize].lose_from_air(now, packet.size.into(), cause);
        self.lose(now, link, packet, cause);
    }

    /// The airtime of every station since the last time.
    #[cold]
    pub(super) fn trace_airtime(&mut self, now: Time, place: u32) {
        let Some(step) = self.options.airtime else { return };
        let mut subject = self.links.len() / 2;
        for channel in &mut self.channels {
            // nothing comes out: the medium has been asked whenever something might
            channel.settle(now + Span(1), &self.air, &mut self.pool, &mut self.dropped, &mut self.outcomes);
            for (station, port) in channel.ports.iter_mut().enumerate() {
                let airtime = channel.medium.airtime(station as StationId, now);
                let before = std::mem::replace(&mut port.airtime, airtime);
                self.traces.note(TracePoint {
                    at: now,
                    subject,
                    reverse: false,
                    variable: Variable::Airtime,
                    value: (airtime - before).secs() / step.secs(),
                });
                subject += 1;
            }
        }
        self.lose_dropped_before_air();
        if now + step <= self.end {
            self.queue.push(now + step, Event::Plan(place).encode());
        }
    }

    /// Have an event when something happens next on a medium.
    fn arm(&mut self, number: u32) {
        let channel = &mut self.channels[number as usize];
        if channel.armed == Time::ZERO {
            return;
        }
        let at = channel.deadline();
        if at < channel.armed {
            channel.armed = at;
            self.queue.push(at, Event::Medium(number).encode());
        }
    }
}
