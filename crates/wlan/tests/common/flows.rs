//! Flows of packets between stations, several classes to a station, packets together where the medium allows it.
#![allow(dead_code)]

use std::collections::VecDeque;

use units::{Span, Time};
use wlan::{Class, Error, Frame, Medium, MediumSpec, Outcome, StationId, StationStats, Supply};

/// Packets of one class from one station to another.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    pub from: StationId,
    pub to: StationId,
    pub class: Class,
    pub bytes: u32,
}

/// What became of a flow's packets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fate {
    /// Numbers of packets in the order in which they came out.
    pub delivered: Vec<u32>,
    pub late: Vec<u32>,
    pub held: Vec<u32>,
    pub sent: Vec<u32>,
    pub dropped: Vec<u32>,
}

/// The queues in front of the stations: a flow's packets are numbered from 0.
struct Queues {
    flows: Vec<Flow>,
    next: Vec<u32>,
    /// Packets that wait; without, there is always another.
    waiting: Option<Vec<u32>>,
}

impl Queues {
    fn take(&mut self, flow: usize) -> Option<Frame> {
        if let Some(waiting) = &mut self.waiting {
            waiting[flow] = waiting[flow].checked_sub(1)?;
        }
        let number = self.next[flow];
        self.next[flow] += 1;
        let Flow { to, class, bytes, .. } = self.flows[flow];
        Some(Frame { to, bytes, handle: (flow as u64) << 32 | u64::from(number), rate: None, class })
    }
}

impl Supply for Queues {
    fn next(&mut self, _: Time, from: StationId, class: Class, to: StationId, at_most: u32) -> Option<Frame> {
        let fits = |flow: &Flow| (flow.from, flow.class, flow.to) == (from, class, to) && flow.bytes <= at_most;
        let flow = self.flows.iter().position(fits)?;
        self.take(flow)
    }
}

/// A medium with flows on it.
pub struct Flows {
    pub medium: Medium,
    pub now: Time,
    queues: Queues,
    pub fates: Vec<Fate>,
    /// Frames on air and their ends, where they are asked for.
    pub trace: VecDeque<Outcome>,
}

impl Flows {
    /// Every flow always has a packet.
    pub fn saturated(spec: &MediumSpec, flows: &[Flow], seed: u64) -> Result<Flows, Error> {
        Flows::new(spec, flows, None, seed)
    }

    /// Flows have the packets that [`Flows::arrive`] gives them.
    pub fn idle(spec: &MediumSpec, flows: &[Flow], seed: u64) -> Result<Flows, Error> {
        Flows::new(spec, flows, Some(vec![0; flows.len()]), seed)
    }

    fn new(spec: &MediumSpec, flows: &[Flow], waiting: Option<Vec<u32>>, seed: u64) -> Result<Flows, Error> {
        let queues = Queues { flows: flows.to_vec(), next: vec![0; flows.len()], waiting };
        let fates = vec![Fate::default(); flows.len()];
        let medium = Medium::new(spec, seed)?;
        let mut run = Flows { medium, now: Time::ZERO, queues, fates, trace: VecDeque::new() };
        run.serve();
        Ok(run)
    }

    /// So many packets come to a flow's queue now.
    pub fn arrive(&mut self, flow: usize, packets: u32) {
        if let Some(waiting) = &mut self.queues.waiting {
            waiting[flow] += packets;
        }
        self.serve();
    }

    /// Offer what waits to all that want it.
    fn serve(&mut self) {
        for flow in 0..self.queues.flows.len() {
            let Flow { from, class, .. } = self.queues.flows[flow];
            if self.medium.wants_frame_of(from, class)
                && let Some(frame) = self.queues.take(flow)
            {
                self.medium.offer(self.now, from, frame);
            }
        }
    }

    /// Run up to `end`.
    pub fn until(&mut self, end: Time) {
        let mut outcomes = Vec::new();
        while self.now < end {
            self.now = self.medium.deadline().min(end);
            self.medium.advance(self.now, &mut self.queues, &mut outcomes);
            outcomes.drain(..).for_each(|outcome| self.note(outcome));
            self.serve();
        }
    }

    fn note(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Delivered { handle, .. } | Outcome::LostAbove { handle, .. } => {
                let (fate, number) = self.fate(handle);
                fate.delivered.push(number);
            }
            Outcome::Held { handle, .. } => {
                let (fate, number) = self.fate(handle);
                fate.held.push(number);
            }
            Outcome::Late { handle, .. } => {
                let (fate, number) = self.fate(handle);
                fate.late.push(number);
            }
            Outcome::Sent { handle, .. } => {
                let (fate, number) = self.fate(handle);
                fate.sent.push(number);
            }
            Outcome::Dropped { handle, .. } => {
                let (fate, number) = self.fate(handle);
                fate.dropped.push(number);
            }
            Outcome::OnAir { .. } | Outcome::Lost { .. } => self.trace.push_back(outcome),
        }
    }

    fn fate(&mut self, handle: u64) -> (&mut Fate, u32) {
        (&mut self.fates[(handle >> 32) as usize], handle as u32)
    }

    /// Packets of a flow that left its queue so far.
    pub fn taken(&self, flow: usize) -> u32 {
        self.queues.next[flow]
    }

    /// Throughput of each flow in Mbps since the start, in bits of packets.
    pub fn mbps(&self) -> Vec<f64> {
        let rate = |(flow, fate): (&Flow, &Fate)| {
            fate.delivered.len() as f64 * f64::from(flow.bytes) * 8e3 / self.now.since(Time::ZERO).0 as f64
        };
        self.queues.flows.iter().zip(&self.fates).map(rate).collect()
    }

    pub fn stats(&self, station: StationId) -> StationStats {
        self.medium.stats(station, self.now)
    }
}

/// Run for so long.
pub fn run_for(run: &mut Flows, span: Span) {
    let end = run.now + span;
    run.until(end);
}
