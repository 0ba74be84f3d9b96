//! A network that runs: one event loop over links and endpoints.
//!
//! A packet is carried forward as far as its future is certain. Entering a link gives its arrival at the far end; if the
//! next link is fed by this one alone, arrivals there come in this order and the packet enters it at once, with its
//! future time. It waits in the link's list, with one pending event for its head, only before a link that others feed as
//! well and before an endpoint. A served link keeps its packets until an event at the end of each transmission.

mod build;
mod carry;
mod ends;
mod finish;
mod options;
mod seat;
mod subflows;
mod traces;

use std::sync::atomic::{AtomicBool, Ordering};

use sim::EventQueue;
use units::{Span, Time};

use crate::delays::Delays;
use crate::endpoint::{Arrived, Endpoint};
use crate::handover::{self, Notice};
use crate::judgement::Truth;
use crate::link::{Dropped, Link};
use crate::multipath::Connection;
use crate::pool::Pool;
use crate::prefetch::prefetch;
use crate::results::{Loss, Results, TracePoint};
use crate::route::END;
use crate::sacks::Sacks;
use crate::spec::Network;
use seat::{Account, Seat};
use traces::Seen;

pub use options::{BadNetwork, Cancelled, RunOptions, Traces};

/// Event numbers: service on directed links first, then arrivals at the end of directed links, endpoints' timers, then
/// these. Events of the same time run in this order: ends of transmission, which make room, before arrivals, before
/// timers, before the scenario's own events, so a packet that arrives in the instant of a timeout counts.
#[derive(Clone, Copy, Debug)]
enum Control {
    /// The active end opens its connection.
    Open(u32),
    /// The passive end may send from now on.
    Offer(u32),
    /// The endpoint's application stops.
    Stop(u32),
    /// The endpoint hears of a handover.
    Handover(u32, Notice),
    /// The warm-up is over.
    Warm,
}

impl Control {
    /// The endpoint that it is about.
    fn endpoint(self) -> Option<u32> {
        match self {
            Control::Open(number) | Control::Offer(number) | Control::Stop(number) | Control::Handover(number, _) => {
                Some(number)
            }
            Control::Warm => None,
        }
    }
}

/// How often the loop looks whether it was cancelled, events.
const CANCEL_CHECK: u64 = 1 << 16;

/// A network with its state. Build it, run it once, read the results.
#[derive(Debug)]
pub struct World {
    queue: EventQueue,
    links: Vec<Link>,
    pool: Pool,
    endpoints: Vec<Endpoint>,
    seats: Vec<Seat>,
    accounts: Vec<Account>,
    /// Connections over several paths.
    connections: Vec<Connection>,
    /// Routes of all endpoints, each a row of directed links and then `END | endpoint`.
    routes: Vec<u32>,
    sacks: Sacks,
    controls: Vec<Control>,
    /// Packets that a served link lost in the present event.
    dropped: Vec<Dropped>,
    two_way: Vec<bool>,
    /// Time of the event at hand.
    now: Time,
    /// Too large for the processor's nearer caches.
    large: bool,
    options: RunOptions,
    end: Time,
    traces: Vec<TracePoint>,
    seen: Vec<Seen>,
    losses: Option<Vec<Loss>>,
    /// What became of each endpoint's segments.
    truth: Vec<Truth>,
    /// Queueing delays of the data of each endpoint, if they are recorded.
    delays: Vec<Delays>,
    /// What of each endpoint's data had arrived when the warm-up ended; nothing without one.
    warm: Vec<Arrived>,
    /// What it was built from, in debug builds: the results are held against it.
    description: Option<Box<Network>>,
    loop_events: u64,
}

impl World {
    /// Take away the short cuts of eager links and plain endpoints, so that every packet waits for its event before every
    /// link, and every endpoint is asked for everything. Slower, with the same results; for tests.
    #[doc(hidden)]
    pub fn without_short_cuts(&mut self) {
        self.links.iter_mut().for_each(|link| link.hot.eager = false);
        self.seats.iter_mut().for_each(|seat| seat.plain = false);
        self.keep_endpoints_in_step();
    }

    /// Have every link served by events, needed or not. Slower, with the same results; for tests.
    #[doc(hidden)]
    pub fn serve_all_links(&mut self) {
        self.links.iter_mut().filter(|link| !link.is_served()).for_each(Link::serve_plainly);
        self.keep_endpoints_in_step();
    }

    fn keep_endpoints_in_step(&mut self) {
        for seat in &mut self.seats {
            (seat.runs_ahead, seat.in_step, seat.leeway) = (false, seat.plain, Span::ZERO);
        }
    }

    fn schedule(&mut self, at: Time, control: Control) {
        let number = self.control_base() + self.controls.len();
        self.controls.push(control);
        self.queue.push(at, number as u32);
    }

    fn seats_total(&self) -> usize {
        self.two_way.len() * 2
    }

    /// First event number of the timers; those of services and arrivals stand before it.
    fn timer_base(&self) -> usize {
        self.links.len() * 2
    }

    /// First event number of the controls.
    fn control_base(&self) -> usize {
        self.timer_base() + self.seats_total()
    }

    /// Event number of arrivals at the end of a link.
    #[inline]
    fn arrival(&self, link: u32) -> u32 {
        self.links.len() as u32 + link
    }

    /// Run to the end. `cancel` is looked at now and then.
    pub fn run(mut self, cancel: Option<&AtomicBool>) -> Result<Results, Cancelled> {
        let links = self.links.len() as u32;
        let timers = self.timer_base() as u32;
        let controls = self.control_base() as u32;
        while let Some((now, id)) = self.queue.peek() {
            if now > self.end {
                break;
            }
            self.now = now;
            self.loop_events += 1;
            if self.loop_events.is_multiple_of(CANCEL_CHECK) && cancel.is_some_and(|c| c.load(Ordering::Relaxed)) {
                return Err(Cancelled);
            }
            let arrival = id.wrapping_sub(links);
            if arrival < links {
                self.on_link(arrival);
            } else if id < links {
                self.on_service(now, id);
            } else if id < controls {
                self.queue.pop();
                self.on_timer(now, id - timers);
            } else {
                self.queue.pop();
                self.on_control(now, self.controls[(id - controls) as usize]);
            }
        }
        self.catch_up_all(self.end);
        Ok(self.finish())
    }

    /// The packet at the head of a link's wire has arrived.
    #[inline(always)]
    fn on_link(&mut self, id: u32) {
        let (now, _) = self.queue.advance().expect("peeked before");
        let link = &mut self.links[id as usize];
        let Some((mut packet, next_at)) = self.pool.pop(&mut link.hot.wire) else { return self.bring_up(id) };
        debug_assert_eq!(packet.at, now);
        self.pool.prefetch(&link.hot.wire);
        link.deliver();
        match next_at {
            Some(next_at) => self.queue.replace_first(next_at, self.arrival(id)),
            None => {
                self.queue.pop();
            }
        }
        if self.large {
            self.look_ahead();
        }
        packet.hop += 1;
        let hop = self.routes[packet.hop as usize];
        if hop & END != 0 {
            self.arrive(now, hop & !END, &packet);
        } else if let Some((at, number)) = self.carry::<true>(now, &mut packet) {
            self.arrive_ahead(at, number, &packet);
        }
    }

    /// Where packets pass each other, the next one to arrive comes to the head of the wire; its event stays, and finds
    /// it there.
    #[cold]
    fn bring_up(&mut self, id: u32) {
        let link = &mut self.links[id as usize];
        let packet = link.course().next_arrival().expect("a link with an event has a packet");
        self.pool.push(&mut link.hot.wire, packet);
        self.loop_events -= 1;
    }

    /// Bring what the next events need into the cache: with thousands of flows most of the time goes into waiting for it.
    #[inline]
    fn look_ahead(&self) {
        let at = |id: u32| self.links.get(id.wrapping_sub(self.links.len() as u32) as usize);
        let mut soon = self.queue.soon();
        if let Some(link) = soon.next().and_then(at) {
            self.pool.prefetch(&link.hot.wire);
        }
        for id in soon {
            if let Some(link) = at(id) {
                prefetch(&link.hot);
            }
        }
    }

    /// A timer event. Timers are set back by moving the deadline only; the event that comes too early is set anew.
    fn on_timer(&mut self, now: Time, number: u32) {
        let at = number as usize;
        if self.seats[at].armed != now {
            return; // an earlier event took its place
        }
        // the one it overtook is still pending, and good for a later deadline
        let seat = &mut self.seats[at];
        seat.armed = std::mem::replace(&mut seat.overtaken, Time::NEVER);
        if now < seat.clock {
            return self.set_timer(number); // it has been carried ahead of this
        }
        self.catch_up(now, number);
        if self.endpoints[at].next_deadline() <= now {
            self.endpoints[at].handle_timeout(now);
        }
        self.drive(now, number);
    }

    #[inline(never)]
    fn on_control(&mut self, now: Time, control: Control) {
        // timers of this instant come first
        match control.endpoint() {
            Some(number) => [number, number ^ 1].into_iter().for_each(|end| self.catch_up(now + Span(1), end)),
            None => self.catch_up_all(now),
        }
        match control {
            Control::Open(number) => {
                self.endpoints[number as usize].open(now);
                self.drive(now, number);
            }
            Control::Offer(number) if self.accounts[number as usize].stop < now => {} // stopped before it could start
            Control::Offer(number) => {
                let size = self.accounts[number as usize].size;
                self.seats[number as usize].has_end = size.is_some();
                self.offer(number, size);
                if let Endpoint::Tcp(end) = &mut self.endpoints[number as usize] {
                    end.open_for_data();
                }
                self.drive(now, number);
            }
            Control::Handover(number, Notice::Foresee(start)) => {
                let at = handover::closing(now, start, &self.endpoints[number as usize ^ 1]);
                self.schedule(at, Control::Handover(number, Notice::Close));
            }
            Control::Handover(number, notice) => {
                self.endpoints[number as usize].hear(now, notice);
                self.drive(now, number);
            }
            Control::Stop(number) => {
                // what is cut short will never be complete
                let cut = self.endpoints[number as usize].stop();
                let seat = &mut self.seats[number as usize];
                seat.has_end &= !cut;
                if let Some(connection) = self.connections.get_mut(seat.connection as usize) {
                    connection.stop();
                }
            }
            Control::Warm => {
                let ends = self.endpoints.iter().enumerate();
                self.warm = ends.map(|(at, end)| end.arrived(&self.endpoints[at ^ 1])).collect();
                self.connections.iter_mut().for_each(Connection::warm);
                (0..self.two_way.len()).for_each(|flow| self.set_horizon(flow));
            }
        }
        if let Some(number) = control.endpoint() {
            self.set_horizon(number as usize / 2);
        }
    }

    /// Let the application of a TCP endpoint offer so many bytes; `None`: without end.
    fn offer(&mut self, number: u32, bytes: Option<u64>) {
        if let Endpoint::Tcp(end) = &mut self.endpoints[number as usize] {
            end.offer(bytes);
        }
    }
}
