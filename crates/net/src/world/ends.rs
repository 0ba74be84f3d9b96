//! What endpoints receive and send.

use tcp::{Departure, SackBlocks};
use units::{Span, Time};

use super::World;
use crate::endpoint::Endpoint;
use crate::event::Event;
use crate::multipath::ALONE;
use crate::packet::Packet;
use crate::sacks::NO_SACK;

impl World {
    /// A packet reached its endpoint.
    #[inline(always)]
    pub(super) fn arrive(&mut self, now: Time, number: u32, packet: &Packet) {
        let at = number as usize;
        match &mut self.endpoints[at] {
            Endpoint::Tcp(end) if self.attachments[at].in_step && packet.sack == NO_SACK => {
                end.handle_segment_here(now, &packet.to_segment(SackBlocks::NONE));
                if !self.attachments[at].only_waits(now, end) {
                    self.drive_plain(now, number);
                }
            }
            _ => self.arrive_specially(now, number, &{ *packet }),
        }
    }

    /// A packet will reach its endpoint, which is ahead of the world.
    #[inline(never)]
    pub(super) fn arrive_ahead(&mut self, now: Time, number: u32, packet: &Packet) {
        let at = number as usize;
        let Endpoint::Tcp(end) = &self.endpoints[at] else { return };
        self.attachments[at].clock = now;
        if end.next_deadline() < now {
            self.sacks.prefetch(packet.sack);
            self.catch_up(now, number);
        }
        if packet.sack != NO_SACK {
            return self.arrive_with_sack(now, number, packet);
        }
        let Endpoint::Tcp(end) = &mut self.endpoints[at] else { return };
        end.handle_segment_here(now, &packet.to_segment(SackBlocks::NONE));
        if !self.attachments[at].only_waits(now, end) {
            if end.sender.is_paced() && !end.receiver.ack_due() {
                self.drive(now, number); // seldom
            } else {
                self.drive_plain(now, number);
            }
        }
    }

    /// The same for a packet with SACK blocks, once the endpoint has caught up.
    #[inline(never)]
    fn arrive_with_sack(&mut self, now: Time, number: u32, packet: &Packet) {
        let segment = packet.to_segment(*self.sacks.release(packet.sack));
        let at = number as usize;
        let Endpoint::Tcp(end) = &mut self.endpoints[at] else { return };
        end.handle_ack(now, &segment);
        if !self.attachments[at].only_waits(now, end) {
            self.drive(now, number);
        }
    }

    /// Carry out what timers have put down for times before `until` and what has not been done yet: departures whose event
    /// may come later, and all timers of an endpoint that is ahead of the world.
    #[inline(never)]
    pub(super) fn catch_up(&mut self, until: Time, number: u32) {
        while let Endpoint::Tcp(end) = &mut self.endpoints[number as usize] {
            let (departure, timer) = (end.sender.send_at(), end.sender.deadline().min(end.receiver.deadline()));
            let at = departure.min(timer);
            if at >= until {
                return;
            }
            debug_assert!(self.attachments[number as usize].runs_ahead);
            if departure < timer {
                end.sender.on_send_time(at);
            } else {
                end.handle_timeout(at);
            }
            self.send_plain(at, number);
        }
    }

    /// Carry out the departures of all endpoints up to `now`.
    pub(super) fn catch_up_all(&mut self, now: Time) {
        (0..self.endpoints.len() as u32).for_each(|number| self.catch_up(now + Span(1), number));
    }

    /// A packet with SACK blocks, or of an endpoint that is not plain, reached it.
    #[inline(never)]
    fn arrive_specially(&mut self, now: Time, number: u32, packet: &Packet) {
        let sack = self.sacks.take(packet.sack);
        self.catch_up(now, number);
        self.attachments[number as usize].clock = now;
        if !self.delays.is_empty() && packet.is_data() {
            let sender = number as usize ^ 1;
            let queued = now.since(packet.ts_val).0.saturating_sub(self.transfers[sender].base_delay.0);
            self.delays[sender].add(Span(queued));
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
        while let Some(mut packet) = self.next_packet(now, at) {
            self.carry::<false>(now, &mut packet);
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
        let (deadline, is_done) = self.send_plain(now, number);
        self.note_driven(now, number, deadline, is_done);
    }

    /// Send what a plain endpoint has to send: the same as a call.
    #[inline(never)]
    fn send_far(&mut self, now: Time, number: u32) -> (Time, bool) {
        self.send_plain(now, number)
    }

    /// Send what a plain endpoint has to send. When it needs its timer, and whether its transfer is complete.
    #[inline(always)]
    fn send_plain(&mut self, now: Time, number: u32) -> (Time, bool) {
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
            if let Endpoint::Tcp(end) = &self.endpoints[at]
                && end.only_waits(now)
            {
                return (self.attachments[at].deadline(end), false);
            }
        }
    }

    /// Set the timer of a plain endpoint.
    #[cold]
    pub(super) fn set_timer(&mut self, number: u32) {
        let Endpoint::Tcp(end) = &self.endpoints[number as usize] else { return };
        let deadline = self.attachments[number as usize].deadline(end);
        self.note_driven(self.now, number, deadline, false);
    }

    /// How far ahead of the world the ends of a flow may be: up to the next thing that the scenario does to them.
    pub(super) fn set_horizon(&mut self, flow: usize) {
        let ends = flow * 2..flow * 2 + 2;
        let warm = Time::ZERO + self.options.warmup;
        let plans = self.transfers[ends.clone()].iter().flat_map(|transfer| [transfer.started, transfer.stop, warm]);
        let next = plans.filter(|&at| at > self.now).min().unwrap_or(Time::NEVER);
        for attachment in &mut self.attachments[ends] {
            attachment.horizon = if attachment.runs_ahead { next } else { Time::ZERO };
        }
    }

    /// An endpoint has sent what it had to: set its timer, and see whether its transfer is complete.
    #[inline(always)]
    fn note_driven(&mut self, now: Time, number: u32, deadline: Time, is_done: bool) {
        let attachment = &mut self.attachments[number as usize];
        if deadline < attachment.armed {
            attachment.overtaken = std::mem::replace(&mut attachment.armed, deadline);
            self.queue.push(deadline, Event::Timer(number).encode());
        }
        if is_done && attachment.has_end {
            attachment.has_end = false;
            self.transfers[number as usize].completed = Some(now);
        }
    }
}
