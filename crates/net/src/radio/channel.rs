//! A medium that runs, with the queues of its stations and the packets that their MACs have.

use units::Time;
use wlan::{Class, Frame, Medium, Outcome, StationId, Supply};

use super::arp::{self, Arp};
use super::hops::AirHop;
use super::layers::Layers;
use super::port::Port;
use super::{MediumSpec, StationResult};
use crate::packet::Packet;
use crate::pool::Pool;
use crate::queue::Dropped;

/// A radio channel. A packet goes down through the link layer, waits in the queue of its station, is the MAC's for a
/// while, and goes up through the link layer of the next station.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) medium: Medium,
    pub(crate) ports: Vec<Port>,
    frames: Frames,
    /// What stations know of their neighbours, if they have to ask.
    pub(crate) arp: Option<Arp>,
    pub(crate) layers: Layers,
    /// Time of its earliest pending event.
    pub(crate) armed: Time,
}

impl Channel {
    pub(crate) fn new(spec: &MediumSpec, seed: u64) -> Result<Channel, wlan::Error> {
        let name = &spec.channel.name;
        let ports = spec.stations.iter().enumerate();
        Ok(Channel {
            medium: Medium::new(&spec.channel, seed)?,
            ports: ports
                .map(|(at, station)| Port::new(station, &spec.channel, seed, &format!("{name}/{at}")))
                .collect(),
            frames: Frames::default(),
            arp: spec.arp.then(Arp::default),
            layers: Layers::new(spec.link_layer),
            armed: Time::NEVER,
        })
    }

    /// When something happens next.
    #[inline]
    pub(crate) fn deadline(&mut self) -> Time {
        self.medium.deadline_by(self.layers.due())
    }

    /// Neighbours need not be asked for, or this one is known.
    #[inline]
    pub(crate) fn knows(&self, hop: &AirHop) -> bool {
        self.arp.as_ref().is_none_or(|arp| arp.is_known(hop.from, hop.to))
    }

    /// Let the medium go on before `end` until something comes out, and when that was.
    pub(crate) fn run(
        &mut self,
        end: Time,
        hops: &[AirHop],
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
        outcomes: &mut Vec<Outcome>,
    ) -> Option<Time> {
        let Channel { medium, ports, frames, .. } = self;
        medium.run(end, &mut Queues { ports, frames, hops, pool, dropped }, outcomes)
    }

    /// A packet comes to the queue of its station, and to its MAC if that has nothing to do.
    #[inline]
    pub(crate) fn take(
        &mut self,
        now: Time,
        packet: Packet,
        hops: &[AirHop],
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) {
        let hop = &hops[packet.hop as usize];
        let idle = self.medium.wants_frame_of(hop.from, hop.class);
        self.ports[hop.from as usize].offer(now, hop, packet, idle, pool, dropped);
        if idle {
            self.feed(now, hop.from, hop.class, hops, pool, dropped);
        }
    }

    /// A station's MAC takes the next packet of a class, if it has room and there is one.
    pub(crate) fn feed(
        &mut self,
        now: Time,
        station: StationId,
        class: Class,
        hops: &[AirHop],
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) {
        if !self.medium.wants_frame_of(station, class) {
            return;
        }
        let group = self.ports[station as usize].group(class);
        match group.next(now, pool, dropped) {
            Some(packet) => {
                let frame = self.frames.frame(packet, &hops[packet.hop as usize]);
                self.medium.offer(now, station, frame);
            }
            None => group.idle_since = now,
        }
    }

    /// Let the medium do what is due. Packets that go together are taken from the queues.
    pub(crate) fn advance(
        &mut self,
        now: Time,
        hops: &[AirHop],
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
        outcomes: &mut Vec<Outcome>,
    ) {
        let Channel { medium, ports, frames, .. } = self;
        medium.advance(now, &mut Queues { ports, frames, hops, pool, dropped }, outcomes);
    }

    /// A packet has arrived: a copy of it. Its sender may yet have to learn that.
    #[inline]
    pub(crate) fn delivered(&mut self, now: Time, from: StationId, handle: u64) -> Packet {
        let packet = self.frames.deliver(handle);
        let port = &mut self.ports[from as usize];
        port.sojourn += now.since(packet.at);
        port.delivered += 1;
        packet
    }

    /// The receiver's MAC keeps a packet until those before it come.
    pub(crate) fn kept(&mut self, handle: u64) {
        self.frames.arrive(handle);
    }

    /// A MAC has done with a packet: its hop, and the packet if it has not arrived.
    #[inline]
    pub(crate) fn done(&mut self, handle: u64) -> (u32, Option<Packet>) {
        if arp::is_arp(handle) { (arp::hop(handle), None) } else { self.frames.release(handle) }
    }

    /// Packets on their way to the far end of their hop: in link layers, in queues, in MACs; requests and replies too.
    pub(crate) fn on_air<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        let passing = self.layers.iter(pool);
        let waiting = self.ports.iter().flat_map(|port| port.held(pool));
        let asked_for = self.arp.iter().flat_map(Arp::held);
        passing.chain(waiting).chain(self.frames.under_way()).chain(asked_for)
    }

    /// The run is measured from now on.
    pub(crate) fn warm(&mut self, now: Time) {
        for (at, port) in self.ports.iter_mut().enumerate() {
            port.before = self.medium.stats(at as StationId, now);
        }
    }

    /// What each station has done.
    pub(crate) fn finish(&mut self, medium: usize, hops: &[AirHop], pool: &Pool, end: Time) -> Vec<StationResult> {
        let mut in_mac = vec![0; self.ports.len()];
        for packet in self.frames.under_way() {
            in_mac[hops[packet.hop as usize].from as usize] += 1;
        }
        let ports = self.ports.iter_mut().enumerate();
        ports
            .map(|(at, port)| port.result(medium, at, self.medium.stats(at as StationId, end), in_mac[at], pool, end))
            .collect()
    }
}

/// The queues in front of the stations, for packets that go together.
struct Queues<'a> {
    ports: &'a mut [Port],
    frames: &'a mut Frames,
    hops: &'a [AirHop],
    pool: &'a mut Pool,
    dropped: &'a mut Vec<Dropped>,
}

impl Supply for Queues<'_> {
    fn next(&mut self, now: Time, station: StationId, class: Class, to: StationId, at_most: u32) -> Option<Frame> {
        let (group, hops) = (self.ports[station as usize].group(class), self.hops);
        let fits = |packet: &Packet| {
            let hop = &hops[packet.hop as usize];
            hop.to == to && hop.size_of(packet) <= at_most
        };
        let packet = group.next_for(now, to, self.pool, self.dropped, fits)?;
        Some(self.frames.frame(packet, &hops[packet.hop as usize]))
    }
}

/// Packets that MACs have, of the sender or of the receiver, by handle; the handle freed last is used first.
#[derive(Debug, Default)]
struct Frames {
    held: Vec<Held>,
    free: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    packet: Packet,
    arrival: Arrival,
    /// The sender has done with it.
    done: bool,
}

/// How far a packet has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrival {
    /// Not to the receiver.
    No,
    /// The receiver's MAC keeps it, as one before it is missing.
    Kept,
    /// Beyond the MAC, or lost there.
    Over,
}

impl Frames {
    /// A packet for a MAC.
    fn frame(&mut self, packet: Packet, hop: &AirHop) -> Frame {
        let handle = if hop.is_arp() { arp::handle(&packet) } else { self.keep(packet) };
        Frame { to: hop.to, bytes: hop.size_of(&packet), handle, rate: None, class: hop.class }
    }

    fn keep(&mut self, packet: Packet) -> u64 {
        let held = Held { packet, arrival: Arrival::No, done: false };
        match self.free.pop() {
            Some(place) => {
                self.held[place as usize] = held;
                place.into()
            }
            None => {
                self.held.push(held);
                self.held.len() as u64 - 1
            }
        }
    }

    /// The receiver's MAC keeps it.
    fn arrive(&mut self, handle: u64) {
        self.held[handle as usize].arrival = Arrival::Kept;
    }

    /// It goes up from the receiver's MAC.
    #[inline]
    fn deliver(&mut self, handle: u64) -> Packet {
        let held = &mut self.held[handle as usize];
        debug_assert_ne!(held.arrival, Arrival::Over);
        held.arrival = Arrival::Over;
        if held.done {
            self.free.push(handle as u32);
        }
        held.packet
    }

    /// The sender has done with it: its hop, and the packet if it has not arrived.
    #[inline]
    fn release(&mut self, handle: u64) -> (u32, Option<Packet>) {
        let held = &mut self.held[handle as usize];
        debug_assert!(!held.done);
        held.done = true;
        let arrival = held.arrival;
        if arrival != Arrival::Kept {
            held.arrival = Arrival::Over;
            self.free.push(handle as u32);
        }
        (held.packet.hop, (arrival == Arrival::No).then_some(held.packet))
    }

    /// Packets that are not beyond the receiver's MAC.
    fn under_way(&self) -> impl Iterator<Item = &Packet> {
        self.held.iter().filter(|held| held.arrival != Arrival::Over).map(|held| &held.packet)
    }
}
