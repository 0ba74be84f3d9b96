//! A network that runs: one event loop over links and endpoints.
//!
//! The loop takes the earliest event, sees to it, and goes on until the run ends. A packet enters a link (`carry`) and
//! waits in its list for the arrival at the far end, with one pending event for the head of the list. There it enters
//! the next link, or its endpoint takes it, is asked for what it has to send, and for its next deadline (`ends`). A
//! served link keeps its packets until an event at the end of each transmission. What the scenario does has events of
//! its own (`plans`).
//!
//! Two short cuts spare events and questions, and change no result: `ahead` takes packets and endpoints before their
//! time, `plain` asks the usual endpoint for less.

mod ahead;
mod attachment;
mod build;
mod capture;
mod carry;
mod cells;
mod ends;
mod finish;
mod options;
mod plain;
mod plans;
mod radio;
mod records;
mod subflows;
mod tapes;
mod traces;

use std::sync::atomic::{AtomicBool, Ordering};

use sim::EventQueue;
use tape::Reel;
use units::Time;

use crate::capture::Capture;
use crate::cells::Cells;
use crate::delays::Delays;
use crate::endpoint::{Arrived, Endpoint};
use crate::event::Event;
use crate::judgement::Truth;
use crate::link::{Fate, Grant, Link};
use crate::multipath::Connection;
use crate::packet::Packet;
use crate::pool::Pool;
use crate::prefetch::prefetch;
use crate::queue::Dropped;
use crate::radio::{AirHop, Channel};
use crate::results::Results;
use crate::route::END;
use crate::sacks::Sacks;
use crate::spec::Network;
use attachment::{Attachment, Transfer};
use plans::Plan;
use records::{Losses, Tracks};
use traces::Seen;

#[doc(hidden)]
pub use ahead::ShortCut;
pub use options::{BadNetwork, Cancelled, MOST_RECORDS, RunOptions, Traces};

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
    /// Radio media.
    channels: Vec<Channel>,
    /// What is to be known of hops through the air, by their places in `routes`; empty without media.
    air: Vec<AirHop>,
    /// What a medium has told in the present event.
    outcomes: Vec<wlan::Outcome>,
    /// Base stations with their mobiles.
    cells: Vec<Cells>,
    /// Units of a frame that begins in the present event, and what was sent in it.
    grants: Vec<(u32, Grant)>,
    sent: Vec<(Packet, Fate)>,
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
    traces: Tracks,
    seen: Vec<Seen>,
    /// Tapes of the senders' algorithms, each with its endpoint, if they are recorded.
    reels: Vec<(usize, Reel)>,
    losses: Option<Losses>,
    /// What became of each endpoint's segments.
    truth: Vec<Truth>,
    /// Something about every data packet that arrives is recorded.
    notes_arrivals: bool,
    /// Packets at points of the network, if they are recorded.
    capture: Option<Box<Capture>>,
    /// Queueing delays of the data of each endpoint, if they are recorded.
    delays: Vec<Delays>,
    /// What of each endpoint's data had arrived when the warm-up ended; nothing without one.
    warm: Vec<Arrived>,
    /// What it was built from, in debug builds: the results are held against it.
    description: Option<Box<Network>>,
    loop_events: u64,
}

impl World {
    /// Run to the end. `cancel` is looked at now and then.
    pub fn run(mut self, cancel: Option<&AtomicBool>) -> Result<Results, Cancelled> {
        let mut next_look = CANCEL_CHECK;
        while let Some((now, number)) = self.queue.peek() {
            if now > self.end {
                break;
            }
            self.now = now;
            self.loop_events += 1;
            if self.loop_events >= next_look {
                // a medium may have had many in one go
                next_look = self.loop_events + CANCEL_CHECK;
                if cancel.is_some_and(|c| c.load(Ordering::Relaxed)) {
                    return Err(Cancelled);
                }
            }
            match Event::decode(number) {
                Event::Arrives(link) => self.on_arrival(link),
                Event::ServiceEnds(link) => self.on_service(now, link),
                Event::Medium(medium) => self.on_medium(now, medium),
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
            self.arrive_shortly(now, hop & !END, &packet);
        } else if let Some((at, number)) = self.carry::<true>(now, &mut packet) {
            // the short cut: it reaches its endpoint before its time
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

    /// Bring what the next events need into the cache: with thousands of flows most of the time goes into waiting for
    /// it.
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
            return self.set_timer(number); // it is ahead of this
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
