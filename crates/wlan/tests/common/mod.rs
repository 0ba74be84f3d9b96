//! Traffic for tests: stations that always have a frame, Poisson arrivals, and relays along a chain.
#![allow(dead_code)]

use std::collections::{BinaryHeap, VecDeque};

use sim::{Distribution, Stream};
use units::{Span, Time};
use wlan::{Class, Error, Frame, Layout, Medium, MediumSpec, NoSupply, Outcome, Params, StationId, StationStats};

/// What a station has to send.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// Nothing of its own.
    Silent,
    /// Always another packet.
    Saturated { to: StationId, bytes: u32 },
    /// Packets at random, this many per second.
    Poisson { to: StationId, bytes: u32, rate: f64 },
}

/// A medium with traffic on it.
pub struct Run {
    pub medium: Medium,
    pub now: Time,
    sources: Vec<Source>,
    /// Packets that wait, by length: those relayed, and those of Poisson sources.
    queues: Vec<VecDeque<u32>>,
    limit: usize,
    /// A station hands what it receives to the one after it, after this time; the last keeps it.
    relay: Option<Span>,
    arrivals: BinaryHeap<std::cmp::Reverse<(Time, u32, StationId)>>,
    streams: Vec<Stream>,
    outcomes: Vec<Outcome>,
    /// Packets that arrived where they were to go, by where they were sent first.
    pub delivered: Vec<u64>,
    /// Packets offered to the queue of each station, and those that found it full.
    pub offered: Vec<u64>,
    pub overflow: Vec<u64>,
    pub sent: Vec<u64>,
    pub given_up: Vec<u64>,
}

/// Length of the queue in front of a station's MAC, as ns-2 counts: 49 wait.
const IFQ: usize = 50;

impl Run {
    pub fn new(spec: &MediumSpec, sources: &[Source], seed: u64) -> Result<Run, Error> {
        let count = spec.layout.stations();
        let mut run = Run {
            medium: Medium::new(spec, seed)?,
            now: Time::ZERO,
            sources: sources.to_vec(),
            queues: vec![VecDeque::new(); count],
            limit: IFQ - 1,
            relay: None,
            arrivals: BinaryHeap::new(),
            streams: (0..count).map(|id| Stream::new(seed, &format!("source/{id}"))).collect(),
            outcomes: Vec::new(),
            delivered: vec![0; count],
            offered: vec![0; count],
            overflow: vec![0; count],
            sent: vec![0; count],
            given_up: vec![0; count],
        };
        for station in 0..count as StationId {
            run.schedule_arrival(station);
            run.serve(station);
        }
        Ok(run)
    }

    /// Every station sends on what it receives to the one after it.
    pub fn relaying(mut self, link_layer: Span) -> Run {
        self.relay = Some(link_layer);
        self
    }

    fn schedule_arrival(&mut self, station: StationId) {
        if let Source::Poisson { bytes, rate, .. } = self.sources[station as usize] {
            let gap = Distribution::Exponential { mean: 1.0 / rate }.draw(&mut self.streams[station as usize]);
            self.arrivals.push(std::cmp::Reverse((self.now + Span::from_secs(gap), bytes, station)));
        }
    }

    /// Give the station a frame if it wants one and there is one.
    fn serve(&mut self, station: StationId) {
        let place = station as usize;
        if !self.medium.wants_frame(station) {
            return;
        }
        let (to, bytes) = match (self.sources[place], self.queues[place].pop_front()) {
            (Source::Saturated { to, bytes }, None) => {
                self.offered[place] += 1;
                (to, bytes)
            }
            (Source::Poisson { to, .. }, Some(bytes)) => (to, bytes),
            (_, Some(bytes)) => (station + 1, bytes),
            (_, None) => return,
        };
        self.medium.offer(
            self.now,
            station,
            Frame { to, bytes, handle: u64::from(bytes), rate: None, class: Class::BestEffort },
        );
    }

    fn enqueue(&mut self, station: StationId, bytes: u32) {
        let place = station as usize;
        self.offered[place] += 1;
        if self.queues[place].len() >= self.limit {
            self.overflow[place] += 1;
            return;
        }
        self.queues[place].push_back(bytes);
        self.serve(station);
    }

    /// Run up to `end`.
    pub fn until(&mut self, end: Time) {
        loop {
            let arrival = self.arrivals.peek().map_or(Time::NEVER, |entry| entry.0.0);
            let deadline = self.medium.deadline();
            let next = arrival.min(deadline);
            if next > end {
                self.now = end;
                self.step();
                return;
            }
            assert!(next >= self.now, "time goes back");
            self.now = next;
            if deadline <= arrival {
                self.step();
            } else if let Some(std::cmp::Reverse((_, bytes, station))) = self.arrivals.pop() {
                let own = matches!(self.sources[station as usize], Source::Poisson { .. });
                self.enqueue(station, bytes);
                if own {
                    self.schedule_arrival(station);
                }
            }
        }
    }

    fn step(&mut self) {
        let mut outcomes = std::mem::take(&mut self.outcomes);
        self.medium.advance(self.now, &mut NoSupply, &mut outcomes);
        for outcome in outcomes.drain(..) {
            match outcome {
                Outcome::Delivered { at, from, handle } => self.arrived(at, from, handle as u32),
                Outcome::Sent { station, .. } => {
                    self.sent[station as usize] += 1;
                    self.serve(station);
                }
                Outcome::Dropped { station, .. } => {
                    self.given_up[station as usize] += 1;
                    self.serve(station);
                }
                Outcome::LostAbove { .. } | Outcome::Held { .. } | Outcome::Late { .. } => {}
                Outcome::OnAir { .. } | Outcome::Lost { .. } => {}
            }
        }
        self.outcomes = outcomes;
    }

    fn arrived(&mut self, at: StationId, from: StationId, bytes: u32) {
        match self.relay {
            Some(delay) if (at as usize) + 1 < self.queues.len() => {
                self.arrivals.push(std::cmp::Reverse((self.now + delay, bytes, at)));
            }
            Some(_) => self.delivered[0] += 1,
            None => self.delivered[from as usize] += 1,
        }
    }

    /// Packets waiting at a station, the one in its MAC included.
    pub fn backlog(&self, station: StationId) -> u64 {
        self.queues[station as usize].len() as u64 + u64::from(!self.medium.wants_frame(station))
    }

    pub fn stats(&self, station: StationId) -> StationStats {
        self.medium.stats(station, self.now)
    }
}

/// Throughput in Mbps, payload bits of `bytes` each, of `senders` saturated stations that send to station 0.
pub fn saturated(params: &Params, layout: &Layout, senders: usize, bytes: u32, seconds: f64, seed: u64) -> f64 {
    let spec = MediumSpec::new("cell", params.clone(), layout.clone());
    let mut run = Run::new(&spec, &senders_to_0(senders, bytes), seed).unwrap();
    run.until(Time::from_secs(seconds));
    run.delivered.iter().sum::<u64>() as f64 * 8.0 * f64::from(bytes) / seconds / 1e6
}

/// Station 0 listens, the others send to it.
pub fn senders_to_0(senders: usize, bytes: u32) -> Vec<Source> {
    let mut sources = vec![Source::Silent];
    sources.resize(senders + 1, Source::Saturated { to: 0, bytes });
    sources
}

/// Throughput in Mbps of a chain of `nodes` 200 m apart whose first node is saturated, from 5 s to `seconds` after
/// that.
pub fn chain(params: &Params, nodes: usize, bytes: u32, seconds: f64, seed: u64) -> f64 {
    let spec = MediumSpec::new("chain", params.clone(), Layout::line(nodes, 200.0));
    let mut sources = vec![Source::Silent; nodes];
    sources[0] = Source::Saturated { to: 1, bytes };
    // ns-2's link layer takes 25 us up and 25 us down
    let mut run = Run::new(&spec, &sources, seed).unwrap().relaying(Span(50_000));
    run.until(Time::from_secs(5.0));
    let before = run.delivered[0];
    run.until(Time::from_secs(5.0 + seconds));
    (run.delivered[0] - before) as f64 * 8.0 * f64::from(bytes) / seconds / 1e6
}
