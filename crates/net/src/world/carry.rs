//! The way of a packet over links, and its losses.

use tcp::Flags;
use units::Time;

use super::World;
use crate::cause::LossCause;
use crate::endpoint::Endpoint;
use crate::event::Event;
use crate::link::Fate;
use crate::packet::Packet;
use crate::results::Loss;
use crate::route::END;

impl World {
    /// Carry a packet over the link it is about to enter, and on as far as its future is certain. With `AHEAD` that may be
    /// as far as its endpoint: when it arrives there, which is for the caller to see to.
    #[inline]
    pub(super) fn carry<const AHEAD: bool>(&mut self, mut now: Time, packet: &mut Packet) -> Option<(Time, u32)> {
        loop {
            let id = self.routes[packet.hop as usize];
            let link = &mut self.links[id as usize];
            match link.enter(now, packet, self.end) {
                Fate::Arrives(at) => {
                    if self.is_certain(at, packet.hop) {
                        self.links[id as usize].deliver();
                        packet.hop += 1;
                        now = at;
                        continue;
                    }
                    if AHEAD && let Some(number) = self.may_arrive(at, packet.hop) {
                        self.links[id as usize].deliver();
                        return Some((at, number));
                    }
                    packet.at = at;
                    self.put_on_wire(id, *packet);
                }
                Fate::Passes(at) => self.put_among_others(id, *packet, at),
                Fate::Held => self.hold(now, id, *packet),
                Fate::Lost(at, cause) => self.lose(at, id, packet, cause),
                Fate::LostAfterEnd => {
                    packet.at = Time::NEVER;
                    self.pool.push(&mut link.hot.wire, *packet);
                }
            }
            return None;
        }
    }

    /// The endpoint at the end of a link, if what arrives there then can be handed over at once: nothing that arrives before
    /// is still on the wire, and nothing but timers happens to the endpoint before.
    #[inline(always)]
    fn may_arrive(&self, at: Time, hop: u32) -> Option<u32> {
        let (link, next) = (self.routes[hop as usize], self.routes[hop as usize + 1]);
        let is_end = at <= self.end && next & END != 0;
        let number = next & !END;
        (is_end && at < self.attachments[number as usize].horizon && self.links[link as usize].hot.wire.is_empty())
            .then_some(number)
    }

    /// Whether a packet that reaches the end of a link then can enter the next one at once.
    #[inline(always)]
    fn is_certain(&self, at: Time, hop: u32) -> bool {
        let next = self.routes[hop as usize + 1];
        at <= self.end && next & END == 0 && self.links[next as usize].hot.eager
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

    /// A served link takes a packet.
    #[inline(never)]
    fn hold(&mut self, now: Time, id: u32, packet: Packet) {
        let source = self.transfers[(self.destination(packet.hop) ^ 1) as usize].hash;
        let link = &mut self.links[id as usize];
        if let Some(end) = link.take(now, packet, source, &mut self.pool, &mut self.dropped) {
            self.queue.push(end, Event::ServiceEnds(id).encode());
        }
        self.lose_dropped(now, id);
    }

    /// A served link has sent a packet.
    #[inline(never)]
    pub(super) fn on_service(&mut self, now: Time, id: u32) {
        self.queue.pop();
        let service = self.links[id as usize].on_service(now, &mut self.pool, &mut self.dropped);
        if let Some(end) = service.next {
            self.queue.push(end, Event::ServiceEnds(id).encode());
        }
        self.lose_dropped(now, id);
        let (mut packet, fate) = service.sent;
        match fate {
            Fate::Arrives(at) if self.is_certain(at, packet.hop) => {
                self.links[id as usize].deliver();
                packet.hop += 1;
                self.carry::<false>(at, &mut packet);
            }
            Fate::Arrives(at) => {
                packet.at = at;
                self.put_on_wire(id, packet);
            }
            Fate::Passes(at) => self.put_among_others(id, packet, at),
            Fate::Lost(at, cause) => self.lose(at, id, &packet, cause),
            Fate::LostAfterEnd | Fate::Held => unreachable!("a transmission ended before the run did"),
        }
    }

    fn lose_dropped(&mut self, now: Time, id: u32) {
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
    fn lose(&mut self, at: Time, link: u32, packet: &Packet, cause: LossCause) {
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
        self.sacks.take(packet.sack);
        if let Some(losses) = &mut self.losses {
            losses.push(Loss {
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
