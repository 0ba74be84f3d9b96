//! What endpoints receive and send.

use units::Time;

use super::World;
use crate::endpoint::Endpoint;
use crate::event::Event;
use crate::multipath::ALONE;
use crate::packet::Packet;

impl World {
    /// A packet reached its endpoint.
    #[inline(never)]
    pub(super) fn arrive(&mut self, now: Time, number: u32, packet: &Packet) {
        self.catch_up(now, number); // before the packet's place for SACK blocks is free for another one
        let sack = self.sacks.take(packet.sack);
        self.attachments[number as usize].clock = now;
        if self.notes_arrivals {
            self.note_arrival(now, number, packet);
        }
        if self.attachments[number as usize].connection != ALONE {
            self.arrive_on_subflow(now, number, packet, sack);
            return;
        }
        match &mut self.endpoints[number as usize] {
            Endpoint::Tcp(end) => {
                end.handle_segment(now, &packet.to_segment(sack));
                if self.attachments[number as usize].plain && self.attachments[number as usize].only_waits(now, end) {
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
        if self.attachments[at].connection != ALONE {
            return self.next_of_subflow(now, at);
        }
        let attachment = &mut self.attachments[at];
        match &mut self.endpoints[at] {
            Endpoint::Tcp(end) => {
                let segment = end.poll_transmit(now)?;
                attachment.sent_bytes += end.payload_of(&segment);
                Some(Packet::from_segment(&segment, attachment.route, &mut self.sacks))
            }
            Endpoint::Datagram(end) => {
                let datagram = end.poll_transmit(now)?;
                attachment.sent_bytes += u64::from(end.payload(&datagram));
                Some(Packet::from_datagram(&datagram, attachment.route))
            }
        }
    }

    /// Send what the endpoint has to send, and set its timer.
    #[inline(never)]
    pub(super) fn drive(&mut self, now: Time, number: u32) {
        let at = number as usize;
        if self.attachments[at].plain {
            let (deadline, is_done) = self.send_far(now, number);
            return self.note_driven(now, number, deadline, is_done);
        }
        if let Endpoint::Tcp(end) = &mut self.endpoints[at]
            && let Some(judgement) = end.sender.take_judgement()
        {
            self.truth[at].judged(now, judgement);
        }
        let traced = !self.seen.is_empty();
        while let Some(mut packet) = self.next_packet(now, at) {
            if traced {
                self.note_sent(now, at, &mut packet);
            }
            self.carry::<false>(now, &mut packet);
        }
        let deadline = self.endpoints[at].next_deadline();
        let is_done = self.endpoints[at].is_done();
        self.note_driven(now, number, deadline, is_done);
        if traced {
            self.observe(now, at);
        }
    }

    /// An endpoint has sent what it had to: set its timer, and see whether it knows its transfer to be complete.
    #[inline(always)]
    pub(super) fn note_driven(&mut self, now: Time, number: u32, deadline: Time, is_done: bool) {
        let attachment = &mut self.attachments[number as usize];
        if deadline < attachment.armed {
            attachment.overtaken = std::mem::replace(&mut attachment.armed, deadline);
            self.queue.push(deadline, Event::Timer(number).encode());
        }
        if is_done && attachment.has_end {
            self.transfers[number as usize].known.get_or_insert(now);
        }
    }
}
