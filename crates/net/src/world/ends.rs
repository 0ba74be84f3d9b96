//! What endpoints receive and send.

use tcp::SackBlocks;
use units::{Span, Time};

use super::World;
use crate::endpoint::Endpoint;
use crate::multipath::ALONE;
use crate::packet::{NO_SACK, Packet};

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
        let sack = if packet.sack == NO_SACK {
            SackBlocks::NONE
        } else {
            self.free_sacks.push(packet.sack);
            self.sacks[packet.sack as usize]
        };
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
                let mut packet = Packet::from_segment(&segment, seat.route);
                if packet.is_data() {
                    seat.sent_bytes += u64::from(end.payload(segment.seq));
                }
                if !segment.sack.is_empty() {
                    packet.sack = self.keep_sack(segment.sack);
                }
                Some(packet)
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
            let Some(segment) = end.poll_transmit(now) else { break (end.next_deadline(), end.sender.is_done()) };
            let seat = &mut self.seats[at];
            let mut packet = Packet::from_segment(&segment, seat.route);
            if packet.is_data() {
                seat.sent_bytes += u64::from(end.payload(segment.seq));
            }
            if !segment.sack.is_empty() {
                packet.sack = self.keep_sack(segment.sack);
            }
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

    pub(super) fn keep_sack(&mut self, blocks: SackBlocks) -> u32 {
        match self.free_sacks.pop() {
            Some(number) => {
                self.sacks[number as usize] = blocks;
                number
            }
            None => {
                self.sacks.push(blocks);
                self.sacks.len() as u32 - 1
            }
        }
    }
}
