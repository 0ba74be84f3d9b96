//! A medium that runs, with the queues of its stations and the packets that their MACs have.

use units::{Span, Time};
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

    /// Before this nothing happens, be it without an outcome.
    #[inline]
    pub(crate) fn next_step(&mut self) -> Time {
        self.medium.next_step().min(self.layers.due())
    }

    /// Neighbours need not be asked for, or this one is known.
    #[inline]
    pub(crate) fn knows(&self, hop: &AirHop) -> bool {
        self.arp.as_ref().is_none_or(|arp| arp.is_known(hop.from, hop.to))
    }

    /// Let the medium go on before `end` until something comes out of it, or a packet leaves a link layer: when that
    /// was. All that is due then on the medium is done.
    #[inline(always)]
    pub(crate) fn run(
        &mut self,
        end: Time,
        hops: &[AirHop],
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
        outcomes: &mut Vec<Outcome>,
    ) -> Option<Time> {
        let layers = self.layers.due();
        let Channel { medium, ports, frames, .. } = self;
        let out = medium.run(end.min(layers), &mut Queues { ports, frames, hops, pool, dropped }, outcomes);
        if out.is_some() || layers >= end {
            return out;
        }
        self.advance(layers, hops, pool, dropped, outcomes);
        Some(layers)
    }

    /// Let the medium do what is due before `end`, of which nothing comes out, so that its counters are up to date.
    pub(crate) fn settle(
        &mut self,
        end: Time,
        hops: &[AirHop],
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
        outcomes: &mut Vec<Outcome>,
    ) {
        let Channel { medium, ports, frames, .. } = self;
        let out = medium.run(end, &mut Queues { ports, frames, hops, pool, dropped }, outcomes);
        debug_assert!(out.is_none(), "a deadline was passed");
    }

    /// Let the medium do what is due now, if something may come out.
    #[inline]
    pub(crate) fn advance(
        &mut self,
        now: Time,
        hops: &[AirHop],
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
        outcomes: &mut Vec<Outcome>,
    ) {
        let Channel { medium, ports, frames, .. } = self;
        if medium.deadline_by(now + Span(1)) <= now {
            medium.advance(now, &mut Queues { ports, frames, hops, pool, dropped }, outcomes);
        }
    }

    /// The packet at this place of the pool comes to the queue of its station, and to its MAC if that is idle.
    #[inline]
    pub(crate) fn take(&mut self, now: Time, place: u32, hops: &[AirHop], pool: &mut Pool, dropped: &mut Vec<Dropped>) {
        let before = dropped.len();
        let hop = &hops[pool.get(place).hop as usize];
        let idle = self.medium.wants_frame_of(hop.from, hop.class);
        self.ports[hop.from as usize].offer(now, hop, place, idle, pool, dropped);
        if idle {
            self.feed(now, hop.from, hop.class, hops, pool, dropped);
        }
        note_time(now, &mut dropped[before..]);
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
        let before = dropped.len();
        let group = self.ports[station as usize].group(class);
        let next = group.next(now, pool, dropped);
        note_time(now, &mut dropped[before..]);
        match next {
            Some(place) => {
                let frame = self.frames.frame(place, hops, pool);
                self.medium.offer(now, station, frame);
            }
            None => group.idle_since = now,
        }
    }

    /// A packet has arrived: a copy of it. Its sender may yet have to learn that.
    #[inline]
    pub(crate) fn delivered(&mut self, now: Time, from: StationId, handle: u64, pool: &mut Pool) -> Packet {
        let packet = self.frames.deliver(handle, pool);
        let port = &mut self.ports[from as usize];
        port.sojourn += now.since(packet.at);
        port.delivered += 1;
        packet
    }

    /// The receiver's MAC keeps a packet until those before it come.
    pub(crate) fn kept(&mut self, handle: u64) {
        self.frames.hold(handle);
    }

    /// A MAC has done with a packet: its hop, and the packet if it has not arrived.
    #[inline]
    pub(crate) fn done(&mut self, handle: u64, pool: &mut Pool) -> (u32, Option<Packet>) {
        if arp::is_arp(handle) { (arp::hop(handle), None) } else { self.frames.release(handle, pool) }
    }

    /// Packets on their way to the far end of their hop: in link layers, in queues, in MACs; requests and replies too.
    pub(crate) fn on_air<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        let passing = self.layers.iter(pool);
        let waiting = self.ports.iter().flat_map(|port| port.held(pool));
        let asked_for = self.arp.iter().flat_map(Arp::held);
        passing.chain(waiting).chain(self.frames.under_way(pool)).chain(asked_for)
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
        for packet in self.frames.under_way(pool) {
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
        let before = self.dropped.len();
        let place = group.next_for(now, to, self.pool, self.dropped, fits);
        note_time(now, &mut self.dropped[before..]);
        Some(self.frames.frame(place?, hops, self.pool))
    }
}

/// A queue has dropped these packets now. They are counted when the medium has had its turn, which may be later.
#[inline]
fn note_time(now: Time, dropped: &mut [Dropped]) {
    dropped.iter_mut().for_each(|(packet, _)| packet.at = now);
}

/// What MACs have of each packet, by its place in the pool: its handle.
#[derive(Debug, Default)]
struct Frames {
    stages: Vec<Stage>,
}

/// Who has a packet, and how far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// No MAC.
    Elsewhere,
    /// The sender; it has not arrived.
    Sending,
    /// The sender, and the receiver's MAC, which keeps it as one before it is missing.
    Kept,
    /// Only the receiver's MAC.
    KeptAlone,
    /// The sender, which has yet to learn that it is beyond the receiver's MAC, or was lost there.
    Arrived,
}

impl Frames {
    /// A packet for a MAC.
    #[inline(always)]
    fn frame(&mut self, place: u32, hops: &[AirHop], pool: &mut Pool) -> Frame {
        let packet = pool.get(place);
        let hop = &hops[packet.hop as usize];
        let (bytes, AirHop { to, class, .. }) = (hop.size_of(packet), *hop);
        let handle = if hop.is_arp() {
            let handle = arp::handle(packet);
            pool.free(place);
            handle
        } else {
            self.set(place, Stage::Sending);
            place.into()
        };
        Frame { to, bytes, handle, rate: None, class }
    }

    #[inline]
    fn set(&mut self, place: u32, stage: Stage) {
        let place = place as usize;
        if place >= self.stages.len() {
            self.stages.resize(place + 1, Stage::Elsewhere);
        }
        self.stages[place] = stage;
    }

    /// The receiver's MAC keeps it.
    fn hold(&mut self, handle: u64) {
        let stage = &mut self.stages[handle as usize];
        debug_assert_eq!(*stage, Stage::Sending);
        *stage = Stage::Kept;
    }

    /// It goes up from the receiver's MAC.
    #[inline]
    fn deliver(&mut self, handle: u64, pool: &mut Pool) -> Packet {
        let stage = &mut self.stages[handle as usize];
        debug_assert!(!matches!(stage, Stage::Elsewhere | Stage::Arrived));
        let packet = *pool.get(handle as u32);
        if *stage == Stage::KeptAlone {
            *stage = Stage::Elsewhere;
            pool.free(handle as u32);
        } else {
            *stage = Stage::Arrived;
        }
        packet
    }

    /// The sender has done with it: its hop, and the packet if it has not arrived.
    #[inline]
    fn release(&mut self, handle: u64, pool: &mut Pool) -> (u32, Option<Packet>) {
        let stage = &mut self.stages[handle as usize];
        debug_assert!(!matches!(stage, Stage::Elsewhere | Stage::KeptAlone));
        let packet = pool.get(handle as u32);
        let (hop, lost) = (packet.hop, (*stage == Stage::Sending).then_some(*packet));
        if *stage == Stage::Kept {
            *stage = Stage::KeptAlone;
        } else {
            *stage = Stage::Elsewhere;
            pool.free(handle as u32);
        }
        (hop, lost)
    }

    /// Packets that are not beyond the receiver's MAC.
    fn under_way<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        let stages = (0..).zip(&self.stages);
        let held = stages.filter(|(_, stage)| !matches!(stage, Stage::Elsewhere | Stage::Arrived));
        held.map(|(place, _)| pool.get(place))
    }
}
