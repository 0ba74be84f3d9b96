//! Short cuts: packets and endpoints ahead of the world.
//!
//! The loop of [`World::run`] is whole without this file: with [`World::without`] every packet waits for its
//! event before every link and before its endpoint, and results are the same. A property test compares the two.
//!
//! - **Links.** If a link's only feeder is another link, arrivals there come in the order of departures. So a packet
//!   enters it at once, with its future time: the link is eager.
//! - **Endpoints.** All that happens to a plain endpoint are arrivals, its own timers, and what the scenario plans. If
//!   what it sends first crosses a link of its own, its packets may enter that link early, with their true times. So an
//!   arrival is handed over as soon as its time is known, timers due by then before it, up to the next plan: its
//!   horizon.
//! - **Departures.** What pacing holds back needs no event as long as nobody can tell: its leeway.
//!
//! Short cuts are entered in two places. [`World::onward`] says how far a packet may go before its time. And whoever
//! touches an endpoint calls [`World::catch_up`] before, which does nothing to one that is not ahead.

use tcp::SackBlocks;
use tcp::fast::Fast;
use units::{Span, Time};

use super::World;
use super::build::empty_link_delay;
use crate::endpoint::Endpoint;
use crate::link::Link;
use crate::packet::Packet;
use crate::route::END;
use crate::sacks::NO_SACK;
use crate::spec::{Network, Transport};

/// A short cut, the one first that can be taken away alone.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShortCut {
    /// Endpoints ahead of the world.
    Ahead,
    /// Less is asked of plain endpoints.
    Plain,
    /// Packets enter eager links before their time.
    Eager,
    /// Departures are known on arrival, so that transmitters need no events.
    Departures,
}

/// How far a packet that will reach the end of a link may go before its time.
pub(super) enum Onward {
    /// No further: it waits for its arrival.
    Waits,
    /// It enters the next link.
    Link,
    /// It is handed over to this endpoint.
    Endpoint(u32),
}

impl World {
    /// Find out who may be ahead.
    pub(super) fn find_short_cuts(&mut self, network: &Network) {
        self.find_eager_links();
        self.find_private_starts(network);
    }

    /// Take away short cuts: this one and all that need it. Slower, with the same results; for tests and measurements.
    #[doc(hidden)]
    pub fn without(&mut self, short_cut: ShortCut) {
        self.keep_endpoints_in_step();
        if short_cut >= ShortCut::Plain {
            self.attachments.iter_mut().for_each(|attachment| (attachment.plain, attachment.in_step) = (false, false));
        }
        if short_cut >= ShortCut::Eager {
            self.links.iter_mut().for_each(|link| link.hot.eager = false);
        }
        if short_cut >= ShortCut::Departures {
            self.links.iter_mut().filter(|link| !link.is_served() && !link.is_air()).for_each(Link::serve);
        }
    }

    fn keep_endpoints_in_step(&mut self) {
        for number in 0..self.attachments.len() {
            let asked = self.is_asked_before(number);
            let attachment = &mut self.attachments[number];
            (attachment.runs_ahead, attachment.in_step) = (false, attachment.plain && !asked);
            attachment.leeway = Span::ZERO;
        }
    }

    /// What an endpoint sends is spaced in time: it is asked for what is due before it hears of an arrival.
    fn is_asked_before(&self, number: usize) -> bool {
        let sends = number.is_multiple_of(2) || self.two_way[number / 2];
        sends && matches!(&self.endpoints[number], Endpoint::Tcp(end) if end.sender.is_paced())
    }

    /// A link is eager if exactly one other link and no endpoint feeds it, and it needs no events of its own.
    fn find_eager_links(&mut self) {
        const NONE: u32 = u32::MAX;
        const MANY: u32 = u32::MAX - 1;
        let mut feeder = vec![NONE; self.links.len()];
        for attachment in &self.attachments {
            let mut before = MANY; // the endpoint itself
            for &hop in &self.routes[attachment.route as usize..] {
                if hop & END != 0 {
                    break;
                }
                let known = &mut feeder[hop as usize];
                *known = if *known == NONE || *known == before { before } else { MANY };
                // packets that pass each other come in no order that is known beforehand
                let link = &self.links[hop as usize];
                before = if link.reorders() || link.is_air() { MANY } else { hop };
            }
        }
        for (link, feeder) in self.links.iter_mut().zip(feeder) {
            link.hot.eager = feeder != NONE && feeder != MANY && !link.is_served() && !link.is_air();
        }
    }

    /// A plain endpoint whose packets first cross a link that carries nobody else's may be ahead of the world: what it
    /// sends enters that link with its true time, in order. All that happens to it are arrivals, which come in the
    /// order in which their times become known, its own timers, and what the scenario plans.
    ///
    /// And a departure that pacing has put off needs no event of its own as long as nobody can tell: until the packet
    /// has crossed the links that are the endpoint's alone. Nor must the retransmission timer that it may start be
    /// late.
    fn find_private_starts(&mut self, network: &Network) {
        let users = self.users();
        for number in 0..self.attachments.len() {
            // what comes from the peer is on its way without an event from the last link on that others feed as well
            let way_in =
                self.routes[self.attachments[number ^ 1].route as usize..].iter().take_while(|&&hop| hop & END == 0);
            let shared = way_in.skip(1).any(|&hop| !self.links[hop as usize].hot.eager);
            let asked = self.is_asked_before(number);
            let attachment = &mut self.attachments[number];
            let first = self.routes[attachment.route as usize] as usize;
            let link = &self.links[first];
            let private = users[first] == 1 && !link.is_served() && !link.reorders() && !link.is_air();
            attachment.runs_ahead &= attachment.plain && private && shared;
            attachment.in_step = attachment.plain && !attachment.runs_ahead && !asked;
            let Transport::Tcp(tcp) = &network.flows[number / 2].transport else { continue };
            let tail = tcp.size.map_or(0, |bytes| (bytes % u64::from(tcp.rules.mss)) as u32);
            let least = if tail > 0 { tail } else { tcp.rules.mss };
            let own = self.routes[attachment.route as usize..].iter().take_while(|&&hop| {
                hop & END == 0 && users[hop as usize] == 1 && !self.links[hop as usize].is_special()
            });
            let across = own.fold(Span::ZERO, |sum, &link| sum + empty_link_delay(network, link, least));
            if attachment.runs_ahead {
                attachment.leeway = Span(across.0.saturating_sub(1)).min(tcp.rules.rto_min);
            }
        }
    }

    /// How far a packet may go that will reach the end of link `id`, its hop number `hop`, at `at`. An endpoint may
    /// have it if nothing that arrives before is still on the wire, and nothing but timers happens to the endpoint
    /// before.
    #[inline(always)]
    pub(super) fn onward<const AHEAD: bool>(&self, at: Time, id: u32, hop: u32) -> Onward {
        let next = self.routes[hop as usize + 1];
        if at > self.end {
            return Onward::Waits;
        }
        if next & END == 0 {
            return if self.links[next as usize].hot.eager { Onward::Link } else { Onward::Waits };
        }
        let number = next & !END;
        let before_all_else =
            AHEAD && at < self.attachments[number as usize].horizon && self.links[id as usize].hot.wire.is_empty();
        if before_all_else { Onward::Endpoint(number) } else { Onward::Waits }
    }

    /// A packet will reach its endpoint, which is ahead of the world.
    #[inline(never)]
    pub(super) fn arrive_ahead(&mut self, now: Time, number: u32, packet: &Packet) {
        let at = number as usize;
        let Endpoint::Tcp(end) = &self.endpoints[at] else { return };
        self.attachments[at].clock = now;
        if end.next_deadline() <= now {
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

    /// Carry out what timers have put down for times before `until` and what has not been done yet: departures whose
    /// event may come later, and all timers of an endpoint that is ahead of the world. A packet reaches it next: what
    /// is due to leave at that moment leaves before.
    #[inline(never)]
    pub(super) fn catch_up(&mut self, until: Time, number: u32) {
        while let Endpoint::Tcp(end) = &mut self.endpoints[number as usize] {
            let (departure, timer) = (end.sender.send_at(), end.sender.deadline().min(end.receiver.deadline()));
            if timer < departure && timer < until {
                debug_assert!(self.attachments[number as usize].runs_ahead);
                end.handle_timeout(timer);
                self.send_plain(timer, number);
            } else if departure <= until {
                end.sender.on_send_time(departure);
                match self.attachments[number as usize].plain {
                    true => _ = self.send_plain(departure, number),
                    false => self.drive(departure, number),
                }
            } else {
                return;
            }
        }
    }

    /// Carry out what timers have put down for times up to `now`, as [`catch_up`](World::catch_up) does.
    pub(super) fn catch_up_with(&mut self, now: Time, number: u32) {
        if !self.attachments[number as usize].runs_ahead {
            return;
        }
        self.catch_up(now, number);
        while let Endpoint::Tcp(end) = &mut self.endpoints[number as usize]
            && end.next_deadline() <= now
        {
            end.handle_timeout(now);
            self.send_plain(now, number);
        }
    }

    /// The same for all endpoints.
    pub(super) fn catch_up_all(&mut self, now: Time) {
        (0..self.endpoints.len() as u32).for_each(|number| self.catch_up_with(now, number));
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
}
