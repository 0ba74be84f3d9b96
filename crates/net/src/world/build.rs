//! A world from its description.

use std::sync::atomic::{AtomicBool, Ordering};

use sim::{EventQueue, Stream};
use units::{Span, Time};

use super::{Attachment, BadNetwork, Losses, Plan, RunOptions, Traces, Tracks, Transfer, World, traces::UNSEEN};
use crate::delays::Delays;
use crate::endpoint::Endpoint;
use crate::event::Event;
use crate::handover;
use crate::judgement::Truth;
use crate::link::{Link, transmission};
use crate::multipath::{ALONE, Connection};
use crate::pool::Pool;
use crate::radio::{AirHop, Channel, Layer};
use crate::route::{END, Routes};
use crate::sacks::Sacks;
use crate::spec::{DirectionSpec, FlowSpec, Network, SendJitter, Transport};

/// From so many flows on it pays to look ahead, by measurement (`make bench`, case W4).
const LARGE_FLOWS: usize = 1000;

/// 32-bit FNV-1a of a flow's name, other for the data that flow back.
fn name_hash(name: &str, reverse: bool) -> u32 {
    let byte = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    byte(name.bytes().fold(0x811c_9dc5, byte), u8::from(reverse))
}

/// The description of a directed link.
fn direction(network: &Network, link: u32) -> &DirectionSpec {
    let spec = &network.links[link as usize / 2];
    if link % 2 == 1 { &spec.reverse } else { &spec.forward }
}

/// Transmission and propagation of `size` bytes over one direction of a link, at its best if it changes.
pub(super) fn empty_link_delay(network: &Network, link: u32, size: u32) -> Span {
    if let Some(delay) = network.least_delay_on_air(link, size) {
        return delay;
    }
    let direction = direction(network, link);
    match &direction.changing {
        Some(changing) => changing.least_delay(direction.rate_bps, direction.delay, size),
        None => direction.delay + Span(transmission(size, direction.rate_bps)),
    }
}

/// Bytes to transfer in each direction, if that is limited, and when the passive end may send.
fn size_and_reverse_start(flow: &FlowSpec) -> (Option<u64>, Time) {
    match &flow.transport {
        Transport::Tcp(tcp) => (tcp.size, tcp.reverse_start.max(flow.start)),
        Transport::Udp(_) | Transport::Tfrc(_) => (None, flow.start),
    }
}

impl World {
    /// Build the network. Flow `i` has endpoints `2 i` (active) and `2 i + 1` (passive).
    pub fn new(network: &Network, seed: u64, options: &RunOptions) -> Result<World, BadNetwork> {
        World::new_unless(None, network, seed, options)
    }

    /// The same, unless `cancel` is set meanwhile.
    pub fn new_unless(
        cancel: Option<&AtomicBool>,
        network: &Network,
        seed: u64,
        options: &RunOptions,
    ) -> Result<World, BadNetwork> {
        if network.links.len().max(network.flows.len()).max(network.media.len()) * 2 > Event::SUBJECTS {
            return Err(BadNetwork::TooLarge);
        }
        let settled = network.settled(seed, Time::ZERO + options.duration);
        let network = settled.as_ref();
        let mut links = Vec::with_capacity(network.links.len() * 2);
        for spec in &network.links {
            let new = if spec.medium.is_some() { Link::through_air } else { Link::new };
            links.push(new(&spec.forward, seed, &spec.name));
            links.push(new(&spec.reverse, seed, &format!("{}:reverse", spec.name)));
        }
        let mut world = World {
            queue: EventQueue::new(),
            links,
            pool: Pool::new(),
            endpoints: Vec::with_capacity(network.flows.len() * 2),
            attachments: Vec::with_capacity(network.flows.len() * 2),
            transfers: Vec::with_capacity(network.flows.len() * 2),
            connections: Vec::with_capacity(network.multipath.len()),
            routes: Vec::new(),
            channels: Vec::with_capacity(network.media.len()),
            air: Vec::new(),
            outcomes: Vec::new(),
            cells: Vec::with_capacity(network.cellular.len()),
            grants: Vec::new(),
            sent: Vec::new(),
            sacks: Sacks::default(),
            plans: Vec::new(),
            dropped: Vec::new(),
            now: Time::ZERO,
            two_way: network.flows.iter().map(|f| f.two_way()).collect(),
            large: network.flows.len() >= LARGE_FLOWS,
            options: *options,
            end: Time::ZERO + options.duration,
            traces: Tracks::new(options.trace_step, options.most_records),
            seen: Vec::new(),
            reels: Vec::new(),
            losses: options.events.then(|| Losses::new(options.most_records)),
            truth: vec![Truth::default(); network.flows.len() * 2],
            notes_arrivals: options.delays || options.traces.delay,
            capture: None,
            delays: if options.delays { vec![Delays::default(); network.flows.len() * 2] } else { Vec::new() },
            warm: Vec::new(),
            description: cfg!(debug_assertions).then(|| Box::new(network.clone())),
            loop_events: 0,
        };
        world.links.iter_mut().for_each(|link| link.set_end(world.end));
        world.add_cells(network);
        world.add_flows(network, seed, cancel)?;
        world.add_media(network, seed)?;
        if options.tapes {
            world.record_tapes(network);
        }
        world.add_connections(network);
        world.add_send_jitter(network, seed);
        world.find_plain_endpoints();
        world.find_short_cuts(network);
        world.plan_records();
        Ok(world)
    }

    /// What is to be known of values over time and of the warm-up.
    fn plan_records(&mut self) {
        if self.options.traces != Traces::default() {
            self.seen = vec![UNSEEN; self.endpoints.len()];
        }
        if let Some(step) = self.options.airtime.filter(|_| !self.channels.is_empty()) {
            self.schedule(Time::ZERO + step, Plan::Airtime);
        }
        if self.options.warmup > Span::ZERO {
            let until = Time::ZERO + self.options.warmup;
            self.schedule(until, Plan::Warm);
            self.links.iter_mut().for_each(|link| link.warm_up(until));
        }
    }

    fn add_flows(&mut self, network: &Network, seed: u64, cancel: Option<&AtomicBool>) -> Result<(), BadNetwork> {
        let most = (self.options.most_records / network.flows.len().max(1)).max(1);
        let events = self.options.events.then_some(most);
        let mut routes = Routes::new(network.nodes.len(), &network.links);
        for flow in &network.flows {
            if cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
                return Err(BadNetwork::Cancelled);
            }
            let path = routes.of(flow).ok_or_else(|| BadNetwork::NoRoute { flow: flow.name.clone() })?;
            let active = self.endpoints.len() as u32;
            self.endpoints.extend(Endpoint::pair(flow, seed, events));
            let (size, reverse_start) = size_and_reverse_start(flow);
            let breaks = match &flow.transport {
                Transport::Tcp(tcp) => handover::gaps(&tcp.handovers, &network.links, &path, self.end),
                _ => Vec::new(),
            };
            // the way back is the same path, link by link
            let back: Vec<u32> = path.iter().rev().map(|link| link ^ 1).collect();
            let full = flow.full_size();
            for (route, far) in [(path, active + 1), (back, active)] {
                self.attachments.push(Attachment {
                    route: self.routes.len() as u32,
                    connection: ALONE,
                    armed: Time::NEVER,
                    overtaken: Time::NEVER,
                    runs_ahead: breaks.is_empty(),
                    has_end: size.is_some() && far != active, // the other end's begins when it may send
                    ..Attachment::default()
                });
                self.transfers.push(Transfer {
                    started: if far == active { reverse_start } else { flow.start },
                    stop: flow.stop.unwrap_or(Time::NEVER),
                    size,
                    base_delay: route.iter().fold(Span::ZERO, |sum, &link| sum + empty_link_delay(network, link, full)),
                    hash: name_hash(&flow.name, far == active),
                    ..Transfer::default()
                });
                self.routes.extend(route);
                self.routes.push(END | far);
            }
            self.offer(active, size);
            self.plan_flow(flow, active, &breaks)?;
        }
        Ok(())
    }

    /// What the scenario does to the ends of a flow, `active` and the next one; `breaks`: handovers that they hear of.
    fn plan_flow(&mut self, flow: &FlowSpec, active: u32, breaks: &[handover::Gap]) -> Result<(), BadNetwork> {
        self.schedule(flow.start, Plan::Open(active));
        if flow.two_way() {
            self.schedule(size_and_reverse_start(flow).1, Plan::Offer(active + 1));
        }
        if let Transport::Tcp(spec) = &flow.transport {
            for (at, number, notice) in handover::notices(spec, breaks) {
                self.schedule(at, Plan::Handover(active + number as u32, notice));
            }
            // each notice may lead to one more
            if self.plans.len() * 2 > Event::PLANS {
                return Err(BadNetwork::TooLarge);
            }
        }
        if let Some(stop) = flow.stop {
            self.schedule(stop, Plan::Stop(active));
            if flow.two_way() {
                self.schedule(stop, Plan::Stop(active + 1));
            }
        }
        Ok(())
    }

    /// Build media, and note which of the routes' hops go through the air.
    fn add_media(&mut self, network: &Network, seed: u64) -> Result<(), BadNetwork> {
        if network.media.is_empty() {
            return Ok(());
        }
        for spec in &network.media {
            let bad = |error| BadNetwork::Medium { name: spec.channel.name.clone(), error };
            self.channels.push(Channel::new(spec, seed).map_err(bad)?);
        }
        self.air = vec![AirHop::default(); self.routes.len()];
        for end in 0..self.attachments.len() {
            let first = self.attachments[end].route as usize;
            for place in (first..).take_while(|&place| self.routes[place] & END == 0) {
                let link = self.routes[place];
                let spec = &network.links[link as usize / 2];
                let Some(medium) = spec.medium else { continue };
                let (a, b) = if link % 2 == 1 { (spec.b, spec.a) } else { (spec.a, spec.b) };
                let channel = network.media.get(medium);
                let stations = channel.and_then(|medium| medium.station(a).zip(medium.station(b)));
                let Some((from, to)) = stations else {
                    return Err(BadNetwork::NoStation { link: spec.name.clone() });
                };
                let station = &network.media[medium].stations[from as usize];
                // routing adds bytes where a packet begins, and only if that is a station
                let bytes = if place == first { station.routing_bytes as u16 } else { 0 };
                if let Endpoint::Datagram(peer) = &mut self.endpoints[end ^ 1] {
                    peer.expect_more(bytes.into());
                }
                let (source, class) = (self.transfers[end].hash, network.flows[end / 2].class);
                let (medium, end, way) = (medium as u32, end as u32, Layer::Up);
                self.air[place] = AirHop { medium, from, to, class, end, source, bytes, way, real: true };
                self.channels[medium as usize].ports[from as usize].serve(class, to);
            }
        }
        for place in 0..self.routes.len() {
            let hop = self.air[place];
            if hop.real && self.air[place + 1].is_on(hop.medium) {
                self.air[place].way = Layer::Across;
            }
        }
        self.add_arp();
        Ok(())
    }

    /// Where neighbours have to be asked for: hops of requests and replies, behind those of the routes.
    fn add_arp(&mut self) {
        for place in 0..self.routes.len() {
            let hop = self.air[place];
            if let Some(arp) = self.channels.get_mut(hop.medium as usize).and_then(|channel| channel.arp.as_mut())
                && hop.real
            {
                arp.add(&hop, &mut self.air);
            }
        }
        for hop in &self.air[self.routes.len()..] {
            self.channels[hop.medium as usize].ports[hop.from as usize].serve(hop.class, hop.to);
        }
    }

    /// Join subflows to connections. They offer what the connection gives them.
    fn add_connections(&mut self, network: &Network) {
        for (number, spec) in network.multipath.iter().enumerate() {
            let endpoints = spec.subflows.iter().map(|flow| *flow as u32 * 2);
            let start = spec.subflows.iter().map(|flow| network.flows[*flow].start).min().unwrap_or_default();
            let mss = spec.subflows.iter().map(|flow| network.flows[*flow].payload()).max().unwrap_or(1);
            for active in endpoints.clone() {
                self.attachments[active as usize].connection = number as u32;
                self.attachments[active as usize + 1].connection = number as u32;
                self.offer(active, Some(0));
            }
            self.connections.push(Connection::new(spec, mss, endpoints, start));
        }
    }

    /// The links by which flows' packets leave their hosts delay them at random, as far as the network says so.
    fn add_send_jitter(&mut self, network: &Network, seed: u64) {
        if network.send_jitter == SendJitter::Off {
            return;
        }
        let users = self.users();
        let mut most = vec![Span::ZERO; self.links.len()];
        for end in 0..self.attachments.len() {
            let longest = match network.send_jitter {
                SendJitter::Off => Span::ZERO,
                SendJitter::UpTo(most) => most,
                SendJitter::Auto => {
                    let size = network.flows[end / 2].largest_packet(end % 2 == 1);
                    let shared = self.route(end).filter(|&&hop| users[hop as usize] > 1);
                    let times = shared.map(|&hop| Span(transmission(size, direction(network, hop).rate_bps)));
                    times.max().unwrap_or_default()
                }
            };
            let first = &mut most[self.routes[self.attachments[end].route as usize] as usize];
            *first = longest.max(*first);
        }
        // access to a medium is random by itself
        let wired = |number: usize| network.links[number / 2].medium.is_none();
        for (number, most) in most.into_iter().enumerate().filter(|(at, most)| *most > Span::ZERO && wired(*at)) {
            let (name, reverse) = (&network.links[number / 2].name, if number % 2 == 1 { ":reverse" } else { "" });
            self.links[number].add_send_jitter(most, Stream::new(seed, &format!("{name}{reverse}/send-jitter")));
        }
    }

    /// The directed links on the way of what end `at` sends.
    pub(super) fn route(&self, at: usize) -> impl Iterator<Item = &u32> {
        self.routes[self.attachments[at].route as usize..].iter().take_while(|&&hop| hop & END == 0)
    }

    /// How many ends send over each directed link.
    pub(super) fn users(&self) -> Vec<u32> {
        let mut users = vec![0u32; self.links.len()];
        for &hop in self.routes.iter().filter(|&&hop| hop & END == 0) {
            users[hop as usize] += 1;
        }
        users
    }
}
