//! Endpoints of connections over several paths.

use tcp::{Flags, SackBlocks};
use units::{Span, Time};

use super::World;
use crate::endpoint::Endpoint;
use crate::packet::Packet;

impl World {
    /// A packet reached an endpoint of a connection over several paths. The window field of a subflow's ACKs says how
    /// far the stream may go, so the subflow itself sees the same window always.
    #[inline(never)]
    pub(super) fn arrive_on_subflow(&mut self, now: Time, number: u32, packet: &Packet, sack: SackBlocks) {
        let connection = &mut self.connections[self.attachments[number as usize].connection as usize];
        let Endpoint::Tcp(end) = &mut self.endpoints[number as usize] else { return };
        let mut segment = packet.to_segment(sack);
        if number % 2 == 1 {
            end.handle_segment(now, &segment);
            if packet.is_data() && end.receiver.has(packet.seq) {
                connection.arrived(now, number ^ 1, packet.seq, end.receiver.rcv_nxt());
            }
            self.drive(now, number);
            return;
        }
        let stood = !packet.flags.has(Flags::SYN) && connection.heard(segment.window);
        segment.window = end.window();
        end.handle_segment(now, &segment);
        if connection.coupled
            && let Some(round) = end.sender.take_round()
        {
            let (rounds, which) = connection.tell(number, round);
            end.sender.couple(rounds, which);
        }
        if stood {
            self.drive_subflows(now, number);
        } else {
            self.drive(now, number);
        }
        self.note_completion(now, number);
    }

    /// The stream goes on after it stood still: the subflows with the smaller RTT first.
    fn drive_subflows(&mut self, now: Time, number: u32) {
        let connection = &self.connections[self.attachments[number as usize].connection as usize];
        let srtt = |endpoint: u32| match &self.endpoints[endpoint as usize] {
            Endpoint::Tcp(end) => end.sender.path().srtt,
            Endpoint::Datagram(_) => Span::ZERO,
        };
        let mut order: Vec<u32> = connection.subflows.iter().map(|subflow| subflow.endpoint).collect();
        order.sort_by_key(|endpoint| srtt(*endpoint));
        for endpoint in order {
            self.drive(now, endpoint);
        }
    }

    /// The sender of a connection over several paths knows it to be complete when the last byte of its last subflow is
    /// acknowledged.
    fn note_completion(&mut self, now: Time, number: u32) {
        let at = self.attachments[number as usize].connection as usize;
        let connection = &self.connections[at];
        if connection.known.is_some() || !connection.all_sent() {
            return;
        }
        let done = |endpoint: u32| match &self.endpoints[endpoint as usize] {
            Endpoint::Tcp(end) => end.sender.snd_una() == end.sender.snd_max(),
            Endpoint::Datagram(_) => true,
        };
        if connection.subflows.iter().all(|subflow| done(subflow.endpoint)) {
            self.connections[at].known = Some(now);
        }
    }

    /// The next packet of a connection over several paths that the endpoint must send now, if any.
    #[inline(never)]
    pub(super) fn next_of_subflow(&mut self, now: Time, at: usize) -> Option<Packet> {
        let attachment = &mut self.attachments[at];
        let connection = &mut self.connections[attachment.connection as usize];
        let Endpoint::Tcp(end) = &mut self.endpoints[at] else { return None };
        let sends = at.is_multiple_of(2);
        let fresh = end.sender.snd_max();
        if sends {
            end.sender.offer(fresh + u32::from(connection.may_send()));
        }
        let segment = end.poll_transmit(now)?;
        attachment.sent_bytes += end.payload_of(&segment);
        let mut packet = Packet::from_segment(&segment, attachment.route, &mut self.sacks);
        if packet.is_data() && segment.seq == fresh {
            connection.sent(at as u32, fresh);
        }
        if !sends {
            packet.window = connection.right_edge();
        }
        Some(packet)
    }
}
