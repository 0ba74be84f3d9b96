//! What endpoints receive and send.

use tcp::{Departure, SackBlocks};
use units::{Span, Time};

use super::World;
use crate::endpoint::Endpoint;
use crate::multipath::ALONE;
use crate::packet::Packet;
use crate::sacks::NO_SACK;

impl World {
    /// A packet reached its endpoint.
    #[inline(always)]
    pub(super) fn arrive(&mut self, now: Time, number: u32, packet: &Packet) {
        let at = number as usize;
        match &mut self.endpoints[at] {
            Endpoint::Tcp(end) if self.seats[at].plain && packet.sack == NO_SACK => {
                end.handle_segment(now, &packet.to_segment(SackBlocks::NONE));
                if !end.only_waits(now) {
                    self.drive_plain(now, number);
                }
            }
            _ => self.arrive_specially(now, number, &{ *packet }),
        }
    }

    /// A packet with SACK blocks, or of an endpoint that is not plain, reached it.
    #[inline(never)]
    fn arrive_specially(&mut self, now: Time, number: u32, packet: &Packet) {
        let sack = self.sacks.take(packet.sack);
        if !self.delays.is_empty() && packet.is_data() {
            let sender = number as usize ^ 1;
            let queued = now.since(packet.ts_val).0.saturating_sub(self.seats[sender].base_delay.0);
            self.delays[sender].add(Span(queued));
        }
        if self.seats[number as usize].connection != ALONE {
            self.arrive_on_subflow(now, number, packet, sack);
            return;
        }
        match &mut self.endpoints[number as usize] {
            Endpoint::Tcp(end) => {
                end.handle_segment(now, &packet.to_segment(sack));
                if self.seats[number as usize].plain && end.only_waits(now) {
                    return;
                }
            }
            Endpoint::Datagram(end) => end.handle_datagram(now, &packet.to_datagram()),
        }
        self.drive(now, number);
    }

    /// The next packet that the endpoint must send now, if any.
    #[inline]
    fn next_packet(&mut self, now: Time, at: usize) -> Option<Packet> {
        if self.seats[at].connection != ALONE {
            return self.next_of_subflow(now, at);
        }
        let seat = &mut self.seats[at];
        match &mut self.endpoints[at] {
            Endpoint::Tcp(end) => {
                let segment = end.poll_transmit(now)?;
                seat.sent_bytes += end.payload_of(&segment);
                Some(Packet::from_segment(&segment, seat.route, &mut self.sacks))
            }
            Endpoint::Datagram(end) => {
                let datagram = end.poll_transmit(now)?;
                seat.sent_bytes += u64::from(end.payload(&datagram));
                Some(Packet::from_datagram(&datagram, seat.route))
            }
        }
    }

    /// Send what the endpoint has to send, and set its timer.
    #[inline(never)]
    pub(super) fn drive(&mut self, now: Time, number: u32) {
        let at = number as usize;
        if self.seats[at].plain {
            return self.drive_plain(now, number);
        }
        if let Endpoint::Tcp(end) = &mut self.endpoints[at]
            && let Some(judgement) = end.sender.take_judgement()
        {
            self.truth[at].judged(now, judgement);
        }
        while let Some(mut packet) = self.next_packet(now, at) {
            self.carry(now, &mut packet);
        }
        let deadline = self.endpoints[at].next_deadline();
        let is_done = self.endpoints[at].is_done();
        self.note_driven(now, number, deadline, is_done);
        if !self.seen.is_empty() {
            self.observe(now, at);
        }
    }

    /// The same for a plain endpoint.
    #[inline(always)]
    fn drive_plain(&mut self, now: Time, number: u32) {
        let at = number as usize;
        let (deadline, is_done) = loop {
            let Endpoint::Tcp(end) = &mut self.endpoints[at] else { return };
            if let Some(judgement) = end.sender.take_judgement() {
                self.truth[at].judged(now, judgement);
            }
            let Some(departure) = end.poll_departure(now) else { break (end.next_deadline(), end.sender.is_done()) };
            let seat = &mut self.seats[at];
            let mut packet = match departure {
                Departure::Data(number, again) => {
                    seat.sent_bytes += u64::from(end.payload(number));
                    Packet::from_segment(&end.data(now, number, again), seat.route, &mut self.sacks)
                }
                Departure::Ack => Packet::from_segment(&end.pure_ack(now), seat.route, &mut self.sacks),
                Departure::Special => {
                    let segment = end.special(now);
                    seat.sent_bytes += end.payload_of(&segment);
                    Packet::from_segment(&segment, seat.route, &mut self.sacks)
                }
            };
            self.carry(now, &mut packet);
        };
        self.note_driven(now, number, deadline, is_done);
    }

    /// An endpoint has sent what it had to: set its timer, and see whether its transfer is complete.
    #[inline(always)]
    fn note_driven(&mut self, now: Time, number: u32, deadline: Time, is_done: bool) {
        let id = self.timer_base() as u32 + number;
        let seat = &mut self.seats[number as usize];
        if deadline < seat.armed {
            seat.overtaken = std::mem::replace(&mut seat.armed, deadline);
            self.queue.push(deadline, id);
        }
        if is_done && seat.size.is_some() && seat.completed.is_none() {
            seat.completed = Some(now);
        }
    }
}
