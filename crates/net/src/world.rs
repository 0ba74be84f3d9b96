//! A network that runs: one event loop over links and endpoints.
//!
//! A packet is carried forward as far as its future is certain. Entering a link gives its arrival at the far end; if the
//! next link is fed by this one alone, arrivals there come in this order and the packet enters it at once, with its
//! future time. It waits in the link's list, with one pending event for its head, only before a link that others feed as
//! well and before an endpoint. A served link keeps its packets until an event at the end of each transmission.

mod attachment;
mod build;
mod carry;
mod ends;
mod finish;
mod options;
mod plans;
mod subflows;
mod traces;

use std::sync::atomic::{AtomicBool, Ordering};

use sim::EventQueue;
use units::{Span, Time};

use crate::delays::Delays;
use crate::endpoint::{Arrived, Endpoint};
use crate::event::Event;
use crate::judgement::Truth;
use crate::link::Link;
use crate::multipath::Connection;
use crate::pool::Pool;
use crate::prefetch::prefetch;
use crate::queue::Dropped;
use crate::results::{Loss, Results, TracePoint};
use crate::route::END;
use crate::sacks::Sacks;
use crate::spec::Network;
use attachment::{Attachment, Transfer};
use plans::Plan;
use traces::Seen;

pub use options::{BadNetwork, Cancelled, RunOptions, Traces};

/// How often the loop looks whether it was cancelled, events.
const CANCEL_CHECK: u64 = 1 << 16;

/// A network with its state. Build it, run it once, read the results.
#[derive(Debug)]
pub struct World {
    queue: EventQueue,
    links: Vec<Link>,
    pool: Pool,
    endpoints: Vec<Endpoint>,
    attachments: Vec<Attachment>,
    transfers: Vec<Transfer>,
    /// Connections over several paths.
    connections: Vec<Connection>,
    /// Routes of all endpoints, each a row of directed links and then `END | endpoint`.
    routes: Vec<u32>,
    sacks: Sacks,
    plans: Vec<Plan>,
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
        self.attachments.iter_mut().for_each(|attachment| attachment.plain = false);
        self.keep_endpoints_in_step();
    }

    /// Have every link served by events, needed or not. Slower, with the same results; for tests.
    #[doc(hidden)]
    pub fn serve_all_links(&mut self) {
        self.links.iter_mut().filter(|link| !link.is_served()).for_each(Link::serve);
        self.keep_endpoints_in_step();
    }

    fn keep_endpoints_in_step(&mut self) {
        for attachment in &mut self.attachments {
            (attachment.runs_ahead, attachment.in_step, attachment.leeway) = (false, attachment.plain, Span::ZERO);
        }
    }

    /// Run to the end. `cancel` is looked at now and then.
    pub fn run(mut self, cancel: Option<&AtomicBool>) -> Result<Results, Cancelled> {
        while let Some((now, number)) = self.queue.peek() {
            if now > self.end {
                break;
            }
            self.now = now;
            self.loop_events += 1;
            if self.loop_events.is_multiple_of(CANCEL_CHECK) && cancel.is_some_and(|c| c.load(Ordering::Relaxed)) {
                return Err(Cancelled);
            }
            match Event::decode(number) {
                Event::Arrives(link) => self.on_arrival(link),
                Event::ServiceEnds(link) => self.on_service(now, link),
                Event::Timer(endpoint) => self.on_timer(now, endpoint),
                Event::Plan(place) => self.on_plan(now, place),
            }
        }
        self.catch_up_all(self.end);
        Ok(self.finish())
    }

    /// The packet at the head of a link's wire has arrived.
    #[inline(always)]
    fn on_arrival(&mut self, id: u32) {
        let (now, _) = self.queue.advance().expect("peeked before");
        let link = &mut self.links[id as usize];
        let Some((mut packet, next_at)) = self.pool.pop(&mut link.hot.wire) else { return self.bring_up(id) };
        debug_assert_eq!(packet.at, now);
        self.pool.prefetch(&link.hot.wire);
        link.deliver();
        match next_at {
            Some(next_at) => self.queue.replace_first(next_at, Event::Arrives(id).encode()),
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
        let packet = link.variation().next_arrival().expect("a link with an event has a packet");
        self.pool.push(&mut link.hot.wire, packet);
        self.loop_events -= 1;
    }

    /// Bring what the next events need into the cache: with thousands of flows most of the time goes into waiting for it.
    #[inline]
    fn look_ahead(&self) {
        let link = |number: u32| match Event::decode(number) {
            Event::Arrives(link) => Some(&self.links[link as usize]),
            _ => None,
        };
        let mut soon = self.queue.soon();
        if let Some(link) = soon.next().and_then(link) {
            self.pool.prefetch(&link.hot.wire);
        }
        for number in soon {
            if let Some(link) = link(number) {
                prefetch(&link.hot);
            }
        }
    }

    /// A timer event. Timers are set back by moving the deadline only; the event that comes too early is set anew.
    fn on_timer(&mut self, now: Time, number: u32) {
        self.queue.pop();
        let at = number as usize;
        if self.attachments[at].armed != now {
            return; // an earlier event took its place
        }
        // the one it overtook is still pending, and good for a later deadline
        let attachment = &mut self.attachments[at];
        attachment.armed = std::mem::replace(&mut attachment.overtaken, Time::NEVER);
        if now < attachment.clock {
            return self.set_timer(number); // it has been carried ahead of this
        }
        self.catch_up(now, number);
        if self.endpoints[at].next_deadline() <= now {
            self.endpoints[at].handle_timeout(now);
        }
        self.drive(now, number);
    }

    /// Let the application of a TCP endpoint offer so many bytes; `None`: without end.
    fn offer(&mut self, number: u32, bytes: Option<u64>) {
        if let Endpoint::Tcp(end) = &mut self.endpoints[number as usize] {
            end.offer(bytes);
        }
    }
}
