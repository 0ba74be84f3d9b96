//! A network that runs: one event loop over links and endpoints.
//!
//! A packet is carried forward as far as its future is certain. Entering a link gives its arrival at the far end; if the
//! next link is fed by this one alone, arrivals there come in this order and the packet enters it at once, with its
//! future time. It waits in the link's list, with one pending event for its head, only before a link that others feed as
//! well and before an endpoint. A served link keeps its packets until an event at the end of each transmission.

use std::sync::atomic::{AtomicBool, Ordering};

use sim::EventQueue;
use tcp::{Flags, SackBlocks};
use units::{Span, Time};

use crate::delays::Delays;
use crate::endpoint::Endpoint;
use crate::handover::{self, Notice};
use crate::judgement::Truth;
use crate::link::{Dropped, Fate, Link, LossCause, LossCounts};
use crate::multipath::{ALONE, Connection};
use crate::packet::{NO_SACK, Packet};
use crate::pool::Pool;
use crate::prefetch::prefetch;
use crate::results::{FlowEvent, FlowResult, LinkResult, Loss, Results, TracePoint, Variable};
use crate::route::{self, END};
use crate::spec::{Network, Transport};

/// What to run and what to record.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// Simulated time.
    pub duration: Span,
    /// Part of it that the measured rates leave out.
    pub warmup: Span,
    /// Flow variables to trace.
    pub traces: Traces,
    /// Log window changes and losses.
    pub events: bool,
    /// Record the distribution of each flow's queueing delay.
    pub delays: bool,
}

/// Which flow variables are traced. Queues are traced per link, see [`crate::DirectionSpec::trace_queue`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// Congestion window.
    pub cwnd: bool,
    /// Slow start threshold.
    pub ssthresh: bool,
    /// Flight size.
    pub flight: bool,
    /// Smoothed RTT.
    pub srtt: bool,
    /// Allowed rate.
    pub rate: bool,
    /// Loss event rate of rate-controlled flows.
    pub loss_event_rate: bool,
}

/// The run was stopped from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// Why a network cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadNetwork {
    /// No path between the ends of this flow.
    NoRoute {
        /// Name of the flow.
        flow: String,
    },
    /// More links and flows than event numbers.
    TooLarge,
}

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

const MAX_EVENT_IDS: usize = 1 << 24;
/// How often the loop looks whether it was cancelled, events.
const CANCEL_CHECK: u64 = 1 << 16;

/// From so many flows on it pays to look ahead, by measurement (`make bench`, case W4).
const LARGE_FLOWS: usize = 1000;

/// What the world keeps of an endpoint beside its own state.
#[derive(Clone, Copy, Debug, Default)]
struct Seat {
    /// Where its route begins in the table.
    route: u32,
    /// Time of its earliest pending timer event.
    armed: Time,
    /// Time of the pending event that the earliest one has overtaken, if it is known.
    overtaken: Time,
    /// Bytes of payload in segments it sent.
    sent_bytes: u64,
    /// What it had delivered and sent when the warm-up ended.
    delivered_at_warm: u64,
    sent_at_warm: u64,
    /// Data segments it lost, by cause.
    lost: LossCounts,
    /// Pure ACKs it lost.
    acks_lost: LossCounts,
    started: Time,
    size: Option<u64>,
    completed: Option<Time>,
    /// One-way delay of a full segment over empty links.
    base_delay: Span,
    /// Of the flow's name and the direction, for queues that hash flows.
    hash: u32,
    /// The connection over several paths that it belongs to, or [`ALONE`].
    connection: u32,
    /// A TCP endpoint without anything special: [`World::find_plain_endpoints`].
    plain: bool,
}

/// Last values of the traced variables of one endpoint.
#[derive(Clone, Copy, Debug)]
struct Seen {
    cwnd: f64,
    ssthresh: f64,
    flight: u32,
    srtt: Span,
    rate_bps: f64,
    loss_event_rate: f64,
}

/// What no endpoint has: each value that an endpoint has differs from it, and what it lacks stays like it.
const UNSEEN: Seen =
    Seen { cwnd: -1.0, ssthresh: -1.0, flight: u32::MAX, srtt: Span(u64::MAX), rate_bps: -1.0, loss_event_rate: -1.0 };

impl Seen {
    /// The values of a sender; `None` before it may send, and of an end that never may.
    fn of(endpoint: &Endpoint) -> Option<Seen> {
        match endpoint {
            Endpoint::Tcp(tcp::Endpoint { sender, .. }) => sender.is_open().then(|| {
                let path = sender.path();
                let window = sender.cwnd() * path.mss.0;
                Seen {
                    cwnd: sender.cwnd(),
                    ssthresh: sender.ssthresh_segments(),
                    flight: sender.flight_size(),
                    srtt: path.srtt,
                    rate_bps: if path.srtt > Span::ZERO { window * 8.0 / path.srtt.secs() } else { UNSEEN.rate_bps },
                    ..UNSEEN
                }
            }),
            Endpoint::Datagram(end) => end.rate_control().map(|rate| Seen {
                srtt: rate.rtt().unwrap_or(UNSEEN.srtt),
                rate_bps: rate.rate().bytes_per_sec() * 8.0,
                loss_event_rate: rate.loss_event_rate(),
                ..UNSEEN
            }),
        }
    }
}

/// A network with its state. Build it, run it once, read the results.
#[derive(Debug)]
pub struct World {
    queue: EventQueue,
    links: Vec<Link>,
    pool: Pool,
    endpoints: Vec<Endpoint>,
    seats: Vec<Seat>,
    /// Connections over several paths.
    connections: Vec<Connection>,
    /// Routes of all endpoints, each a row of directed links and then `END | endpoint`.
    routes: Vec<u32>,
    sacks: Vec<SackBlocks>,
    free_sacks: Vec<u32>,
    controls: Vec<Control>,
    /// Packets that a served link lost in the present event.
    dropped: Vec<Dropped>,
    two_way: Vec<bool>,
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
    loop_events: u64,
}

/// 32-bit FNV-1a of a flow's name, other for the data that flow back.
fn name_hash(name: &str, reverse: bool) -> u32 {
    let byte = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    byte(name.bytes().fold(0x811c_9dc5, byte), u8::from(reverse))
}

/// Transmission and propagation of `size` bytes over one direction of a link, at its best if it changes.
fn empty_link_delay(network: &Network, link: u32, size: u32) -> Span {
    let spec = &network.links[link as usize / 2];
    let direction = if link % 2 == 1 { &spec.reverse } else { &spec.forward };
    match &direction.changing {
        Some(changing) => changing.least_delay(direction.rate_bps, direction.delay, size),
        None => direction.delay + Span((u64::from(size) * 8 * 1_000_000_000).div_ceil(direction.rate_bps)),
    }
}

impl World {
    /// Build the network. Flow `i` has endpoints `2 i` (active) and `2 i + 1` (passive).
    pub fn new(network: &Network, seed: u64, options: &RunOptions) -> Result<World, BadNetwork> {
        if network.links.len() * 4 + network.flows.len() * 6 + 1 >= MAX_EVENT_IDS {
            return Err(BadNetwork::TooLarge);
        }
        let mut links = Vec::with_capacity(network.links.len() * 2);
        for spec in &network.links {
            links.push(Link::new(&spec.forward, seed, &spec.name));
            links.push(Link::new(&spec.reverse, seed, &format!("{}:reverse", spec.name)));
        }
        let mut world = World {
            queue: EventQueue::new(),
            links,
            pool: Pool::new(),
            endpoints: Vec::with_capacity(network.flows.len() * 2),
            seats: Vec::with_capacity(network.flows.len() * 2),
            connections: Vec::with_capacity(network.multipath.len()),
            routes: Vec::new(),
            sacks: Vec::new(),
            free_sacks: Vec::new(),
            controls: Vec::new(),
            dropped: Vec::new(),
            two_way: network.flows.iter().map(|f| f.two_way()).collect(),
            large: network.flows.len() >= LARGE_FLOWS,
            options: *options,
            end: Time::ZERO + options.duration,
            traces: Vec::new(),
            seen: Vec::new(),
            losses: options.events.then(Vec::new),
            truth: vec![Truth::default(); network.flows.len() * 2],
            delays: if options.delays { vec![Delays::default(); network.flows.len() * 2] } else { Vec::new() },
            loop_events: 0,
        };
        world.links.iter_mut().for_each(|link| link.set_end(world.end));
        world.add_flows(network, seed)?;
        world.add_connections(network);
        world.find_eager_links();
        world.find_plain_endpoints();
        if options.traces != Traces::default() {
            world.seen = vec![UNSEEN; world.endpoints.len()];
        }
        if options.warmup > Span::ZERO {
            world.schedule(Time::ZERO + options.warmup, Control::Warm);
        }
        Ok(world)
    }

    fn add_flows(&mut self, network: &Network, seed: u64) -> Result<(), BadNetwork> {
        let neighbours = route::neighbours(network.nodes.len(), &network.links);
        for flow in &network.flows {
            let there = match &flow.route {
                None => route::shortest(&neighbours, flow.from, flow.to),
                Some(numbers) => route::along(&network.links, numbers, flow.from, flow.to),
            };
            let path =
                there.filter(|p| !p.is_empty()).ok_or_else(|| BadNetwork::NoRoute { flow: flow.name.clone() })?;
            let active = self.endpoints.len() as u32;
            self.endpoints.extend(Endpoint::pair(flow, seed, self.options.events));
            let (mut size, mut reverse_start) = (None, flow.start);
            if let Transport::Tcp(tcp) = &flow.transport {
                (size, reverse_start) = (tcp.size, tcp.reverse_start);
            }
            let breaks = match &flow.transport {
                Transport::Tcp(tcp) => handover::breaks(&tcp.handovers, &network.links, &path, self.end),
                _ => Vec::new(),
            };
            // the way back is the same path, link by link
            let back: Vec<u32> = path.iter().rev().map(|link| link ^ 1).collect();
            let full = flow.full_size();
            for (route, far) in [(path, active + 1), (back, active)] {
                self.seats.push(Seat {
                    base_delay: route.iter().fold(Span::ZERO, |sum, &link| sum + empty_link_delay(network, link, full)),
                    route: self.routes.len() as u32,
                    armed: Time::NEVER,
                    overtaken: Time::NEVER,
                    started: if far == active { reverse_start } else { flow.start },
                    size,
                    connection: ALONE,
                    hash: name_hash(&flow.name, far == active),
                    ..Seat::default()
                });
                self.routes.extend(route);
                self.routes.push(END | far);
            }
            self.offer(active, size);
            self.schedule(flow.start, Control::Open(active));
            if flow.two_way() {
                self.schedule(reverse_start.max(flow.start), Control::Offer(active + 1));
            }
            if let Transport::Tcp(spec) = &flow.transport {
                for (at, number, notice) in handover::notices(spec, &breaks) {
                    self.schedule(at, Control::Handover(active + number as u32, notice));
                }
                // each notice may lead to one more
                if self.control_base() + self.controls.len() * 2 >= MAX_EVENT_IDS {
                    return Err(BadNetwork::TooLarge);
                }
            }
            if let Some(stop) = flow.stop {
                self.schedule(stop, Control::Stop(active));
                if flow.two_way() {
                    self.schedule(stop, Control::Stop(active + 1));
                }
            }
        }
        Ok(())
    }

    /// Join subflows to connections. They offer what the connection gives them.
    fn add_connections(&mut self, network: &Network) {
        for (number, spec) in network.multipath.iter().enumerate() {
            let endpoints = spec.subflows.iter().map(|flow| *flow as u32 * 2);
            let start = spec.subflows.iter().map(|flow| network.flows[*flow].start).min().unwrap_or_default();
            let mss = spec.subflows.iter().map(|flow| network.flows[*flow].payload()).max().unwrap_or(1);
            for active in endpoints.clone() {
                self.seats[active as usize].connection = number as u32;
                self.seats[active as usize + 1].connection = number as u32;
                self.offer(active, Some(0));
            }
            self.connections.push(Connection::new(spec, mss, endpoints, start));
        }
    }

    /// A link is eager if exactly one other link and no endpoint feeds it, and it needs no events of its own.
    fn find_eager_links(&mut self) {
        const NONE: u32 = u32::MAX;
        const MANY: u32 = u32::MAX - 1;
        let mut feeder = vec![NONE; self.links.len()];
        for seat in &self.seats {
            let mut before = MANY; // the endpoint itself
            for &hop in &self.routes[seat.route as usize..] {
                if hop & END != 0 {
                    break;
                }
                let known = &mut feeder[hop as usize];
                *known = if *known == NONE || *known == before { before } else { MANY };
                // packets that pass each other come in no order that is known beforehand
                before = if self.links[hop as usize].reorders() { MANY } else { hop };
            }
        }
        for (link, feeder) in self.links.iter_mut().zip(feeder) {
            link.hot.eager = feeder != NONE && feeder != MANY && !link.is_served();
        }
    }

    /// An endpoint is plain if it is TCP's, alone on its path, and nothing about it is traced: what reaches it, and what it
    /// sends, takes a short way.
    fn find_plain_endpoints(&mut self) {
        let watched = self.options.delays || self.options.traces != Traces::default();
        for (seat, endpoint) in self.seats.iter_mut().zip(&self.endpoints) {
            seat.plain = !watched && seat.connection == ALONE && matches!(endpoint, Endpoint::Tcp(_));
        }
    }

    /// Take away the short cuts of eager links and plain endpoints, so that every packet waits for its event before every
    /// link, and every endpoint is asked for everything. Slower, with the same results; for tests.
    #[doc(hidden)]
    pub fn without_short_cuts(&mut self) {
        self.links.iter_mut().for_each(|link| link.hot.eager = false);
        self.seats.iter_mut().for_each(|seat| seat.plain = false);
    }

    /// Have every link served by events, needed or not. Slower, with the same results; for tests.
    #[doc(hidden)]
    pub fn serve_all_links(&mut self) {
        self.links.iter_mut().filter(|link| !link.is_served()).for_each(Link::serve_plainly);
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
        Ok(self.finish())
    }

    /// The packet at the head of a link's wire has arrived.
    #[inline]
    fn on_link(&mut self, id: u32) {
        let (now, _) = self.queue.advance().expect("peeked before");
        let link = &mut self.links[id as usize];
        let Some((mut packet, next_at)) = self.pool.pop(&mut link.hot.wire) else { return self.bring_up(id) };
        debug_assert_eq!(packet.at, now);
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
        } else {
            self.carry(now, &mut packet);
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

    /// Carry a packet over the link it is about to enter, and on as far as its future is certain.
    #[inline]
    fn carry(&mut self, mut now: Time, packet: &mut Packet) {
        loop {
            let id = self.routes[packet.hop as usize];
            let link = &mut self.links[id as usize];
            match link.enter(now, packet, self.end) {
                Fate::Arrives(at) => {
                    if self.is_certain(at, packet.hop) {
                        self.links[id as usize].deliver();
                        packet.hop += 1;
                        now = at;
                        continue;
                    }
                    packet.at = at;
                    self.put_on_wire(id, *packet);
                }
                Fate::Passes(at) => self.put_among_others(id, *packet, at),
                Fate::Held => self.hold(now, id, *packet),
                Fate::Lost(at, cause) => self.lose(at, id, packet, cause),
                Fate::LostAfterEnd => {
                    packet.at = Time::NEVER;
                    self.pool.push(&mut link.hot.wire, *packet);
                }
            }
            return;
        }
    }

    /// Whether a packet that reaches the end of a link then can enter the next one at once.
    #[inline]
    fn is_certain(&self, at: Time, hop: u32) -> bool {
        let next = self.routes[hop as usize + 1];
        at <= self.end && next & END == 0 && self.links[next as usize].hot.eager
    }

    /// A packet waits for its arrival.
    #[inline(always)]
    fn put_on_wire(&mut self, id: u32, packet: Packet) {
        let event = self.arrival(id);
        let wire = &mut self.links[id as usize].hot.wire;
        if wire.is_empty() {
            self.queue.push(packet.at, event);
        }
        self.pool.push(wire, packet);
    }

    /// A packet waits for its arrival on a wire where packets pass each other. Each has its own event.
    #[cold]
    fn put_among_others(&mut self, id: u32, mut packet: Packet, at: Time) {
        packet.at = at;
        self.links[id as usize].course().put(packet);
        if at <= self.end {
            self.queue.push(at, self.arrival(id));
        }
    }

    /// A served link takes a packet.
    #[inline(never)]
    fn hold(&mut self, now: Time, id: u32, packet: Packet) {
        let source = self.seats[(self.destination(packet.hop) ^ 1) as usize].hash;
        let link = &mut self.links[id as usize];
        if let Some(end) = link.take(now, packet, source, &mut self.pool, &mut self.dropped) {
            self.queue.push(end, id);
        }
        self.lose_dropped(now, id);
    }

    /// A served link has sent a packet.
    #[inline(never)]
    fn on_service(&mut self, now: Time, id: u32) {
        self.queue.pop();
        let service = self.links[id as usize].on_service(now, &mut self.pool, &mut self.dropped);
        if let Some(end) = service.next {
            self.queue.push(end, id);
        }
        self.lose_dropped(now, id);
        let (mut packet, fate) = service.sent;
        match fate {
            Fate::Arrives(at) if self.is_certain(at, packet.hop) => {
                self.links[id as usize].deliver();
                packet.hop += 1;
                self.carry(at, &mut packet);
            }
            Fate::Arrives(at) => {
                packet.at = at;
                self.put_on_wire(id, packet);
            }
            Fate::Passes(at) => self.put_among_others(id, packet, at),
            Fate::Lost(at, cause) => self.lose(at, id, &packet, cause),
            Fate::LostAfterEnd | Fate::Held => unreachable!("a transmission ended before the run did"),
        }
    }

    fn lose_dropped(&mut self, now: Time, id: u32) {
        let mut dropped = std::mem::take(&mut self.dropped);
        for (packet, cause) in dropped.drain(..) {
            self.lose(now, id, &packet, cause);
        }
        self.dropped = dropped;
    }

    /// Endpoint at the end of the route that `hop` is on.
    fn destination(&self, hop: u32) -> u32 {
        let end = self.routes[hop as usize..].iter().find(|&&h| h & END != 0);
        end.expect("every route has an end") & !END
    }

    #[cold]
    fn lose(&mut self, at: Time, link: u32, packet: &Packet, cause: LossCause) {
        let sender = self.destination(packet.hop) ^ 1;
        let seat = &mut self.seats[sender as usize];
        if packet.is_data() {
            seat.lost.add(cause);
            if let Endpoint::Tcp(_) = self.endpoints[sender as usize] {
                self.truth[sender as usize].lost(packet.seq, at, cause);
            }
        } else if packet.flags.has(Flags::ACK) {
            seat.acks_lost.add(cause);
        }
        if packet.sack != NO_SACK {
            self.free_sacks.push(packet.sack);
        }
        if let Some(losses) = &mut self.losses {
            losses.push(Loss {
                at,
                link: link as usize / 2,
                link_reverse: link % 2 == 1,
                flow: sender as usize / 2,
                flow_reverse: sender % 2 == 1,
                segment: packet.is_data().then_some(packet.seq),
                cause,
            });
        }
    }

    /// A packet reached its endpoint.
    #[inline(always)]
    fn arrive(&mut self, now: Time, number: u32, packet: &Packet) {
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

    /// A packet reached an endpoint of a connection over several paths. The window field of a subflow's ACKs says how far
    /// the stream may go, so the subflow itself sees the same window always.
    #[inline(never)]
    fn arrive_on_subflow(&mut self, now: Time, number: u32, packet: &Packet, sack: SackBlocks) {
        let connection = &mut self.connections[self.seats[number as usize].connection as usize];
        let Endpoint::Tcp(end) = &mut self.endpoints[number as usize] else { return };
        let mut segment = packet.to_segment(sack);
        if number % 2 == 1 {
            end.handle_segment(now, &segment);
            if packet.is_data() {
                connection.arrived(number ^ 1, packet.seq, end.receiver.rcv_nxt());
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
        let connection = &self.connections[self.seats[number as usize].connection as usize];
        let srtt = |endpoint: u32| match &self.endpoints[endpoint as usize] {
            Endpoint::Tcp(end) => end.sender.path().srtt,
            Endpoint::Datagram(_) => Span::ZERO,
        };
        let mut order: Vec<u32> = connection.subflows.iter().map(|lane| lane.endpoint).collect();
        order.sort_by_key(|endpoint| srtt(*endpoint));
        for endpoint in order {
            self.drive(now, endpoint);
        }
    }

    /// A connection over several paths is complete when the last byte of its last subflow is acknowledged.
    fn note_completion(&mut self, now: Time, number: u32) {
        let at = self.seats[number as usize].connection as usize;
        let connection = &self.connections[at];
        if connection.completed.is_some() || !connection.all_sent() {
            return;
        }
        let done = |endpoint: u32| match &self.endpoints[endpoint as usize] {
            Endpoint::Tcp(end) => end.sender.snd_una() == end.sender.snd_max(),
            Endpoint::Datagram(_) => true,
        };
        if connection.subflows.iter().all(|lane| done(lane.endpoint)) {
            self.connections[at].completed = Some(now);
        }
    }

    /// The next packet of a connection over several paths that the endpoint must send now, if any.
    #[inline(never)]
    fn next_of_subflow(&mut self, now: Time, at: usize) -> Option<Packet> {
        let seat = &mut self.seats[at];
        let connection = &mut self.connections[seat.connection as usize];
        let Endpoint::Tcp(end) = &mut self.endpoints[at] else { return None };
        let sends = at.is_multiple_of(2);
        let fresh = end.sender.snd_max();
        if sends {
            end.sender.offer(fresh + u32::from(connection.may_send()));
        }
        let segment = end.poll_transmit(now)?;
        let mut packet = Packet::from_segment(&segment, seat.route);
        if packet.is_data() {
            seat.sent_bytes += u64::from(end.payload(segment.seq));
            if segment.seq == fresh {
                connection.sent(at as u32, fresh);
            }
        }
        if !sends {
            packet.window = connection.right_edge();
        }
        if !segment.sack.is_empty() {
            packet.sack = self.keep_sack(segment.sack);
        }
        Some(packet)
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
    fn drive(&mut self, now: Time, number: u32) {
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

    fn keep_sack(&mut self, blocks: SackBlocks) -> u32 {
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

    /// A timer event. Timers are set back by moving the deadline only; the event that comes too early is set anew.
    fn on_timer(&mut self, now: Time, number: u32) {
        let at = number as usize;
        if self.seats[at].armed != now {
            return; // an earlier event took its place
        }
        // the one it overtook is still pending, and good for a later deadline
        let seat = &mut self.seats[at];
        seat.armed = std::mem::replace(&mut seat.overtaken, Time::NEVER);
        if self.endpoints[at].next_deadline() <= now {
            self.endpoints[at].handle_timeout(now);
        }
        self.drive(now, number);
    }

    fn on_control(&mut self, now: Time, control: Control) {
        match control {
            Control::Open(number) => {
                self.endpoints[number as usize].open(now);
                self.drive(now, number);
            }
            Control::Offer(number) => {
                let size = self.seats[number as usize].size;
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
                self.endpoints[number as usize].stop();
                if let Some(connection) = self.connections.get_mut(self.seats[number as usize].connection as usize) {
                    connection.stop();
                }
            }
            Control::Warm => {
                for at in 0..self.seats.len() {
                    self.seats[at].delivered_at_warm = self.delivered_bytes(at);
                    self.seats[at].sent_at_warm = self.seats[at].sent_bytes;
                }
                self.connections.iter_mut().for_each(Connection::warm);
            }
        }
    }

    /// Let the application of a TCP endpoint offer so many bytes; `None`: without end.
    fn offer(&mut self, number: u32, bytes: Option<u64>) {
        if let Endpoint::Tcp(end) = &mut self.endpoints[number as usize] {
            end.offer(bytes);
        }
    }

    /// Payload bytes of the data sent by endpoint `at` that its peer received.
    fn delivered_bytes(&self, at: usize) -> u64 {
        self.endpoints[at].delivered_bytes(&self.endpoints[at ^ 1])
    }

    /// Record what changed.
    #[cold]
    fn observe(&mut self, now: Time, at: usize) {
        if at % 2 == 1 && !self.two_way[at / 2] {
            return;
        }
        let Some(is) = Seen::of(&self.endpoints[at]) else { return };
        let was = std::mem::replace(&mut self.seen[at], is);
        let mut note = |on: bool, changed: bool, variable: Variable, value: f64| {
            if on && changed {
                self.traces.push(TracePoint { at: now, subject: at / 2, reverse: at % 2 == 1, variable, value });
            }
        };
        let traces = self.options.traces;
        note(traces.cwnd, is.cwnd != was.cwnd, Variable::Cwnd, is.cwnd);
        note(traces.ssthresh, is.ssthresh != was.ssthresh, Variable::Ssthresh, is.ssthresh);
        note(traces.flight, is.flight != was.flight, Variable::Flight, f64::from(is.flight));
        note(traces.srtt, is.srtt != was.srtt, Variable::Srtt, is.srtt.secs());
        note(traces.rate, is.rate_bps != was.rate_bps, Variable::Rate, is.rate_bps);
        let (p, before) = (is.loss_event_rate, was.loss_event_rate);
        note(traces.loss_event_rate, p != before, Variable::LossEventRate, p);
    }

    fn finish(mut self) -> Results {
        let end = self.end;
        for endpoint in &mut self.endpoints {
            endpoint.finish(end);
        }
        let mut losses = self.losses.take().unwrap_or_default();
        losses.sort_by_key(|loss| (loss.at, loss.link, loss.link_reverse));
        let mut results = Results { loop_events: self.loop_events, ..Results::default() };
        results.events = self.explain_events(&losses);
        results.losses = losses;

        let mut in_flight = vec![(0u64, 0u64); self.endpoints.len()];
        for link in &self.links {
            for packet in link.on_wire(&self.pool).chain(link.held(&self.pool)) {
                let count = &mut in_flight[(self.destination(packet.hop) ^ 1) as usize];
                count.0 += u64::from(packet.is_data());
                count.1 += u64::from(!packet.is_data() && packet.flags.has(Flags::ACK));
            }
        }
        for (flow, &two_way) in self.two_way.iter().enumerate() {
            for reverse in [false, true].into_iter().take(1 + usize::from(two_way)) {
                results.flows.push(self.flow_result(flow, reverse, &in_flight));
            }
        }
        results.multipath = self.connections.iter().enumerate().map(|(at, c)| c.result(at)).collect();
        results.traces = std::mem::take(&mut self.traces);
        for (i, link) in self.links.iter_mut().enumerate() {
            let (number, reverse) = (i / 2, i % 2 == 1);
            link.finish(&self.pool, end);
            let stats = link.stats(&self.pool, end);
            results.packet_hops += stats.delivered_packets;
            results.links.push(LinkResult { link: number, reverse, stats });
            results.traces.extend(link.queue_trace(end).into_iter().map(|(at, length)| TracePoint {
                at,
                subject: number,
                reverse,
                variable: Variable::Queue,
                value: f64::from(length),
            }));
        }
        if cfg!(debug_assertions) {
            results.check_conservation().expect("packets are conserved");
        }
        results
    }

    fn flow_result(&self, flow: usize, reverse: bool, in_flight: &[(u64, u64)]) -> FlowResult {
        let at = flow * 2 + usize::from(reverse);
        let peer = at ^ 1;
        let seat = &self.seats[at];
        let delivered = self.delivered_bytes(at);
        let mut result = FlowResult {
            flow,
            reverse,
            start: seat.started,
            delivered_bytes: delivered,
            measured_bytes: delivered - seat.delivered_at_warm,
            measured_sent_bytes: seat.sent_bytes - seat.sent_at_warm,
            sent_bytes: seat.sent_bytes,
            lost: seat.lost,
            in_flight: in_flight[at].0,
            acks_lost: self.seats[peer].acks_lost,
            acks_in_flight: in_flight[peer].1,
            judgements: self.truth[at].counts,
            delays: self.delays.get(at).cloned(),
            completed: seat.completed,
            ..FlowResult::default()
        };
        self.endpoints[at].report(&self.endpoints[peer], &mut result);
        result
    }

    /// Window changes of all senders, each with the true fate of the segment in question.
    fn explain_events(&mut self, losses: &[Loss]) -> Vec<FlowEvent> {
        let mut all = Vec::new();
        for at in 0..self.endpoints.len() {
            let Endpoint::Tcp(end) = &mut self.endpoints[at] else { continue };
            let events = end.sender.take_events();
            if events.is_empty() {
                continue;
            }
            let (flow, reverse) = (at / 2, at % 2 == 1);
            // Last cause of loss of each segment, brought forward as time goes on. A copy that the event itself sent may be
            // lost at its very time: what the event is about was lost before.
            let mut own = losses.iter().filter(|l| l.flow == flow && l.flow_reverse == reverse).peekable();
            let mut causes = std::collections::BTreeMap::new();
            for event in events {
                while let Some(loss) = own.next_if(|l| l.at < event.at) {
                    if let Some(segment) = loss.segment {
                        causes.insert(segment, loss.cause);
                    }
                }
                causes = causes.split_off(&event.segment);
                all.push(FlowEvent { flow, reverse, event, true_cause: causes.get(&event.segment).copied() });
            }
        }
        all
    }
}

impl Results {
    /// Every packet is accounted for: on each link, offered = delivered + lost + in flight; for each flow, sent =
    /// received + lost + in flight, for data and for pure ACKs.
    pub fn check_conservation(&self) -> Result<(), String> {
        for l in &self.links {
            let s = &l.stats;
            let accounted = s.delivered_packets + s.losses.total() + s.in_flight_packets;
            if s.offered_packets != accounted {
                return Err(format!(
                    "link {}: {} packets offered, {accounted} accounted for",
                    l.link, s.offered_packets
                ));
            }
        }
        for f in &self.flows {
            let data = f.receiver.received_segments + f.lost.total() + f.in_flight;
            if f.sender.sent_segments != data {
                return Err(format!("flow {}: {} segments sent, {data} accounted for", f.flow, f.sender.sent_segments));
            }
            let acks = f.acks_received + f.acks_lost.total() + f.acks_in_flight;
            if f.acks_sent != acks {
                return Err(format!("flow {}: {} ACKs sent, {acks} accounted for", f.flow, f.acks_sent));
            }
        }
        Ok(())
    }
}
