//! The way of a packet over links, and its losses.

use tcp::Flags;
use units::Time;

use super::World;
use super::ahead::Onward;
use crate::cause::LossCause;
use crate::endpoint::Endpoint;
use crate::event::Event;
use crate::link::Fate;
use crate::packet::Packet;
use crate::results::Loss;
use crate::route::END;

impl World {
    /// A packet enters the link that it stands before, and goes on as far as its future is certain. With `AHEAD` that
    /// may be as far as its endpoint: when it arrives at which, which is for the caller to see to
    /// ([`World::arrive_ahead`]).
    #[inline]
    pub(super) fn carry<const AHEAD: bool>(&mut self, mut now: Time, packet: &mut Packet) -> Option<(Time, u32)> {
        loop {
            let id = self.routes[packet.hop as usize];
            let at = match self.links[id as usize].enter(now, packet, self.end) {
                Ok(at) => at,
                Err(fate) => {
                    self.settle(now, id, packet, fate);
                    return None;
                }
            };
            match self.onward::<AHEAD>(at, id, packet.hop) {
                Onward::Waits => {
                    packet.at = at;
                    self.put_on_wire(id, *packet);
                    return None;
                }
                Onward::Link => {
                    self.pass_on(id, packet);
                    now = at;
                }
                Onward::Endpoint(number) => {
                    self.links[id as usize].deliver();
                    return Some((at, number));
                }
            }
        }
    }

    /// A packet leaves link `id` before its time and stands before the next one.
    #[inline(always)]
    fn pass_on(&mut self, id: u32, packet: &mut Packet) {
        self.links[id as usize].deliver();
        packet.hop += 1;
    }

    /// What becomes of a packet on link `id`, if it goes no further before its time.
    #[inline(always)]
    pub(super) fn settle(&mut self, now: Time, id: u32, packet: &mut Packet, fate: Fate) {
        match fate {
            Fate::Arrives(at) => {
                packet.at = at;
                self.put_on_wire(id, *packet);
            }
            Fate::Passes(at) => self.put_among_others(id, *packet, at),
            Fate::Held => self.hold(now, id, *packet),
            Fate::Lost(at, cause) => self.lose(at, id, packet, cause),
            Fate::LostAfterEnd => {
                packet.at = Time::NEVER;
                self.pool.push(&mut self.links[id as usize].hot.wire, *packet);
            }
        }
    }

    /// A served link has sent a packet.
    #[inline(never)]
    pub(super) fn on_service(&mut self, now: Time, id: u32) {
        if self.links[id as usize].cell().is_some() {
            return self.on_frame_break(now, id);
        }
        self.queue.pop();
        let service = self.links[id as usize].on_service(now, &mut self.pool, &mut self.dropped);
        if let Some(end) = service.next {
            self.queue.push(end, Event::ServiceEnds(id).encode());
        }
        self.lose_dropped(now, id);
        let (mut packet, fate) = service.sent;
        if let Fate::Arrives(at) = fate
            && let Onward::Link = self.onward::<false>(at, id, packet.hop)
        {
            self.pass_on(id, &mut packet);
            self.carry::<false>(at, &mut packet);
        } else {
            self.settle(now, id, &mut packet, fate);
        }
    }

    /// A packet waits for its arrival.
    #[inline(always)]
    fn put_on_wire(&mut self, id: u32, packet: Packet) {
        let wire = &mut self.links[id as usize].hot.wire;
        if wire.is_empty() {
            self.queue.push(packet.at, Event::Arrives(id).encode());
        }
        self.pool.push(wire, packet);
    }

    /// A packet waits for its arrival on a wire where packets pass each other. Each has its own event.
    #[cold]
    fn put_among_others(&mut self, id: u32, mut packet: Packet, at: Time) {
        packet.at = at;
        self.links[id as usize].variation().put(packet);
        if at <= self.end {
            self.queue.push(at, Event::Arrives(id).encode());
        }
    }

    /// A served link takes a packet, or a station, or a tap.
    #[inline(never)]
    fn hold(&mut self, now: Time, id: u32, packet: Packet) {
        if self.links[id as usize].is_tapped() {
            return self.pass_tap(now, id, packet);
        }
        self.hold_behind_tap(now, id, packet);
    }

    #[inline(always)]
    pub(super) fn hold_behind_tap(&mut self, now: Time, id: u32, packet: Packet) {
        if self.links[id as usize].is_air() {
            return self.take_to_air(now, packet);
        }
        let source = self.transfers[(self.destination(packet.hop) ^ 1) as usize].hash;
        let link = &mut self.links[id as usize];
        if let Some(cell) = link.cell() {
            link.wait_for_frame(now, packet, source, &mut self.pool, &mut self.dropped);
            self.lose_dropped(now, id);
            return self.await_frame(now, cell);
        }
        if let Some(end) = link.take(now, packet, source, &mut self.pool, &mut self.dropped) {
            self.queue.push(end, Event::ServiceEnds(id).encode());
        }
        self.lose_dropped(now, id);
    }

    pub(super) fn lose_dropped(&mut self, now: Time, id: u32) {
        let mut dropped = std::mem::take(&mut self.dropped);
        for (packet, cause) in dropped.drain(..) {
            self.lose(now, id, &packet, cause);
        }
        self.dropped = dropped;
    }

    /// Endpoint at the end of the route that `hop` is on.
    pub(super) fn destination(&self, hop: u32) -> u32 {
        let end = self.routes[hop as usize..].iter().find(|&&h| h & END != 0);
        end.expect("every route has an end") & !END
    }

    #[cold]
    pub(super) fn lose(&mut self, at: Time, link: u32, packet: &Packet, cause: LossCause) {
        let sender = self.destination(packet.hop) ^ 1;
        let transfer = &mut self.transfers[sender as usize];
        if packet.is_data() {
            transfer.lost.add(cause);
            if let Endpoint::Tcp(_) = self.endpoints[sender as usize] {
                self.truth[sender as usize].lost(self.now, packet.seq, at, cause);
            }
        } else if packet.flags.has(Flags::ACK) {
            transfer.acks_lost.add(cause);
        }
        if let Some(capture) = &mut self.capture {
            capture.lost(at, link, packet.sack, cause);
        }
        self.sacks.take(packet.sack);
        if let Some(losses) = &mut self.losses {
            losses.note(Loss {
                at,
                link: link as usize / 2,
                link_reverse: link % 2 == 1,
                flow: sender as usize / 2,
                flow_reverse: sender % 2 == 1,
                segment: packet.is_data().then_some(packet.seq),
                cause,
            });
        }
    }
}
