//! The short way of plain endpoints: TCP's, alone on their path, with nothing about them traced. They are asked for
//! less.

use tcp::SackBlocks;
use tcp::fast::{Departure, Fast};
use units::Time;

use super::{Attachment, Traces, World};
use crate::endpoint::Endpoint;
use crate::multipath::ALONE;
use crate::packet::Packet;
use crate::sacks::NO_SACK;

impl Attachment {
    /// When a plain endpoint needs its timer: what pacing holds back may wait for something else to happen, for a
    /// while.
    #[inline(always)]
    pub(super) fn deadline(&self, end: &tcp::Endpoint) -> Time {
        end.sender.deadline().min(end.receiver.deadline()).min(end.sender.send_at() + self.leeway)
    }

    /// After an arrival: the plain endpoint has nothing to send now, and its timer is set already.
    #[inline(always)]
    pub(super) fn only_waits(&self, now: Time, end: &mut tcp::Endpoint) -> bool {
        end.only_waits(now) && self.armed <= self.deadline(end)
    }
}

impl World {
    /// An endpoint is plain if it is TCP's, alone on its path, and nothing about it is traced: what reaches it, and
    /// what it sends, takes a short way.
    pub(super) fn find_plain_endpoints(&mut self) {
        let watched = self.options.delays || self.options.traces != Traces::default();
        for (attachment, endpoint) in self.attachments.iter_mut().zip(&self.endpoints) {
            attachment.plain = !watched && attachment.connection == ALONE && matches!(endpoint, Endpoint::Tcp(_));
        }
    }

    /// A packet reached its endpoint: one that is plain and never ahead takes it at once, if it has no SACK blocks.
    #[inline(always)]
    pub(super) fn arrive_shortly(&mut self, now: Time, number: u32, packet: &Packet) {
        let at = number as usize;
        match &mut self.endpoints[at] {
            Endpoint::Tcp(end) if self.attachments[at].in_step && packet.sack == NO_SACK => {
                end.handle_segment_here(now, &packet.to_segment(SackBlocks::NONE));
                if !self.attachments[at].only_waits(now, end) {
                    self.drive_plain(now, number);
                }
            }
            _ => self.arrive(now, number, &{ *packet }),
        }
    }

    /// Send what a plain endpoint has to send, set its timer, and see whether its transfer is complete.
    #[inline(always)]
    pub(super) fn drive_plain(&mut self, now: Time, number: u32) {
        let (deadline, is_done) = self.send_plain(now, number);
        self.note_driven(now, number, deadline, is_done);
    }

    /// Send what a plain endpoint has to send: the same as a call.
    #[inline(never)]
    pub(super) fn send_far(&mut self, now: Time, number: u32) -> (Time, bool) {
        self.send_plain(now, number)
    }

    /// Send what a plain endpoint has to send. When it needs its timer, and whether its transfer is complete.
    #[inline(always)]
    pub(super) fn send_plain(&mut self, now: Time, number: u32) -> (Time, bool) {
        let at = number as usize;
        loop {
            let Endpoint::Tcp(end) = &mut self.endpoints[at] else { return (Time::NEVER, false) };
            if let Some(judgement) = end.sender.take_judgement() {
                self.truth[at].judged(now, judgement);
            }
            let attachment = &mut self.attachments[at];
            let Some(departure) = end.poll_departure(now) else {
                return (attachment.deadline(end), end.sender.is_done());
            };
            let mut packet = match departure {
                Departure::Data(number, again) => {
                    attachment.sent_bytes += u64::from(end.payload(number));
                    Packet::from_segment(&end.data(now, number, again), attachment.route, &mut self.sacks)
                }
                Departure::Ack => Packet::from_segment(&end.pure_ack(now), attachment.route, &mut self.sacks),
                Departure::Special => {
                    let segment = end.special(now);
                    attachment.sent_bytes += end.payload_of(&segment);
                    Packet::from_segment(&segment, attachment.route, &mut self.sacks)
                }
            };
            self.carry::<false>(now, &mut packet);
            if let Endpoint::Tcp(end) = &mut self.endpoints[at]
                && end.only_waits(now)
            {
                return (self.attachments[at].deadline(end), false);
            }
        }
    }
}
