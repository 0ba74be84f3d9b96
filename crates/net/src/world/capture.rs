//! Packets at points of the network: where the world tells the recorder of them.
//!
//! A world that captures does without short cuts, so that every packet is where it is at its true time; results stay
//! the same. One that does not pays nothing: its links have no taps, and its endpoints send the short way.

use tcp::SackBlocks;
use units::Time;

use super::{ShortCut, World, traces::UNSEEN};
use crate::capture::{Capture, CaptureSpec, SentPacket};
use crate::endpoint::Endpoint;
use crate::link::Fate;
use crate::packet::Packet;
use crate::route::END;
use crate::sacks::NO_SACK;

impl World {
    /// Record packets at points of the network. Only before the run.
    pub fn capture(&mut self, spec: &CaptureSpec) {
        let mut capture = Capture::new(spec, self.links.len());
        self.without(ShortCut::Eager);
        if self.seen.is_empty() {
            self.seen = vec![UNSEEN; self.endpoints.len()];
        }
        self.notes_arrivals = true;
        // what has crossed a link is looked at where it goes on
        for place in 0..self.routes.len() {
            let link = self.routes[place];
            let behind = self.link_before(place).is_some_and(|before| capture.looks_at(before).1);
            if link & END == 0 && (behind || capture.looks_at(link).0) {
                self.links[link as usize].tap();
            }
        }
        for end in (0..self.attachments.len()).step_by(2) {
            let passes = |link: u32| capture.looks_at(link).0 || capture.looks_at(link).1;
            if !capture.at_hosts() && !self.route(end).any(|&link| passes(link)) {
                capture.leave_out(end / 2);
            }
        }
        self.capture = Some(Box::new(capture));
    }

    /// The directed link that a packet comes from whose place in the table of routes this is.
    fn link_before(&self, place: usize) -> Option<u32> {
        let before = self.routes[place.checked_sub(1)?];
        (before & END == 0).then_some(before)
    }

    /// An endpoint sends a packet, which gets a number of its own.
    pub(super) fn capture_sent(&mut self, now: Time, at: usize, packet: &mut Packet) {
        let Some(capture) = &mut self.capture else { return };
        if !capture.wants(at / 2) {
            if packet.sack != NO_SACK {
                capture.name(packet.sack, None);
            }
            return;
        }
        if packet.sack == NO_SACK {
            packet.sack = self.sacks.put(&SackBlocks::NONE);
        }
        let segment = packet.to_segment(*self.sacks.get(packet.sack));
        let mut sent =
            SentPacket { end: at as u32, segment, payload: 0, snd_max: 0, snd_una: 0, unmarked: 0, lost: None };
        match &self.endpoints[at] {
            Endpoint::Tcp(end) => {
                let stats = end.receiver.stats;
                sent.payload = end.payload_of(&segment) as u32;
                (sent.snd_max, sent.snd_una) = (end.sender.snd_max(), end.sender.snd_una());
                sent.unmarked = stats.received_segments - stats.marked_segments;
            }
            Endpoint::Datagram(end) => sent.payload = end.payload(&packet.to_datagram()),
        }
        capture.name(packet.sack, Some(sent));
        capture.at_host(now, at, packet);
    }

    /// A packet has reached its endpoint.
    pub(super) fn capture_arrival(&mut self, now: Time, number: u32, packet: &Packet) {
        let from = self.link_before(packet.hop as usize);
        if let Some(capture) = &mut self.capture {
            capture.cross(now, from, None, packet);
            capture.at_host(now, number as usize, packet);
        }
    }

    /// A packet stands before its next link.
    #[cold]
    pub(super) fn note_crossing(&mut self, now: Time, packet: &Packet) {
        let (from, to) = (self.link_before(packet.hop as usize), self.routes[packet.hop as usize]);
        if let Some(capture) = &mut self.capture {
            capture.cross(now, from, Some(to), packet);
        }
    }

    /// A packet enters a link with a tap.
    #[cold]
    #[inline(never)]
    pub(super) fn pass_tap(&mut self, now: Time, id: u32, mut packet: Packet) {
        self.note_crossing(now, &packet);
        match self.links[id as usize].enter_tapped(now, &mut packet, self.end) {
            Fate::Held => self.hold_behind_tap(now, id, packet),
            fate => self.settle(now, id, &mut packet, fate),
        }
    }
}
