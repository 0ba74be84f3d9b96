//! How the mobiles of base stations share frames, while a run goes on.
//!
//! At the start of each frame every station hands out the units of both parts: one after the other to the mobile that
//! has least so far, of those that still have something to send. Equals are served in turn, and each frame begins with
//! another. A mobile's units lie side by side.

use units::{Span, Time};

use crate::cellular::{CellularSpec, FramePart, FrameSpec, Share};
use crate::link::{Grant, Link};

/// The mobiles of some base stations.
#[derive(Debug)]
pub(crate) struct Cells {
    spec: FrameSpec,
    /// Numbers of the links to the mobiles; each has two directions.
    links: Vec<u32>,
    /// What each mobile asked for when the last frame began, bytes.
    asked: Vec<u64>,
    /// When that was.
    last: Option<Time>,
    /// Who is first in this frame.
    first: usize,
    /// When the next frame begins that anybody waits for.
    pub(crate) armed: Time,
    /// Mobiles of one part of a frame.
    active: Vec<Active>,
}

/// A mobile that has something to send.
#[derive(Clone, Copy, Debug)]
struct Active {
    /// Number of the directed link.
    link: u32,
    station: u32,
    /// What the whole part holds for it, bytes.
    bytes: u32,
    /// Units that hold all it has, and units that it gets.
    wants: u32,
    units: u32,
}

impl Cells {
    pub(crate) fn new(spec: &CellularSpec) -> Cells {
        Cells {
            spec: spec.frames,
            links: spec.mobiles.iter().map(|mobile| mobile.link as u32).collect(),
            asked: vec![0; spec.mobiles.len()],
            last: None,
            first: 0,
            armed: Time::NEVER,
            active: Vec::with_capacity(spec.mobiles.len()),
        }
    }

    /// When the first frame after `now` begins.
    pub(crate) fn next_frame(&self, now: Time) -> Time {
        let length = self.spec.length.0;
        Time((now.0 / length + 1) * length)
    }

    /// Whether anybody waits.
    pub(crate) fn is_wanted(&self, links: &[Link]) -> bool {
        let waits = |link: u32| links[link as usize].asks_for(0) > 0;
        self.links.iter().any(|&link| waits(2 * link) || waits(2 * link + 1))
    }

    /// Grant the units of the frame that begins now; `grants` has each mobile's directed link with them.
    pub(crate) fn grant(&mut self, now: Time, end: Time, links: &[Link], grants: &mut Vec<(u32, Grant)>) {
        let before = self.last.is_some_and(|last| last + self.spec.length == now);
        for up in [false, true] {
            self.find_active(now, up, before, links);
            self.share(self.part(up).units);
            self.lay_out(now, end, up, grants);
        }
        for (asked, &link) in self.asked.iter_mut().zip(&self.links) {
            *asked = links[2 * link as usize + 1].asks_for(self.spec.piece_bytes);
        }
        self.last = Some(now);
        self.first = (self.first + 1) % self.links.len().max(1);
    }

    fn part(&self, up: bool) -> FramePart {
        if up { self.spec.up } else { self.spec.down }
    }

    /// The mobiles that have something to send, from the first one on. `before`: there was a frame just before this.
    fn find_active(&mut self, now: Time, up: bool, before: bool, links: &[Link]) {
        self.active.clear();
        let units = u64::from(self.part(up).units);
        for turn in 0..self.links.len() {
            let mobile = (self.first + turn) % self.links.len();
            let number = 2 * self.links[mobile] + u32::from(up);
            let link = &links[number as usize];
            let mut asks = link.asks_for(self.spec.piece_bytes);
            if up && self.spec.asked_before {
                asks = asks.min(if before { self.asked[mobile] } else { 0 });
            }
            if asks == 0 {
                continue;
            }
            let granted = link.in_frame(now);
            if granted.bytes == 0 {
                continue;
            }
            // one more header: the first packet may end in a piece
            let asks = asks + u64::from(self.spec.piece_bytes);
            let wants = (asks * units).div_ceil(u64::from(granted.bytes)).min(units) as u32;
            let (station, bytes) = (granted.station, granted.bytes);
            self.active.push(Active { link: number, station, bytes, wants, units: 0 });
        }
        self.active.sort_by_key(|one| one.station);
    }

    /// Hand out the units of each station, one by one.
    fn share(&mut self, units: u32) {
        let share = self.spec.share;
        for mobiles in self.active.chunk_by_mut(|a, b| a.station == b.station) {
            let mut left = units;
            if let [only] = mobiles {
                only.units = only.wants;
                continue;
            }
            let has = |one: &Active| match share {
                Share::Bytes => u64::from(one.units) * u64::from(one.bytes),
                Share::Units => u64::from(one.units),
            };
            while left > 0 {
                let open = mobiles.iter_mut().filter(|one| one.units < one.wants);
                let Some(next) = open.min_by_key(|one| has(one)) else { break };
                next.units += 1;
                left -= 1;
            }
        }
    }

    /// Put the units of the mobiles of each station side by side.
    fn lay_out(&mut self, now: Time, end: Time, up: bool, grants: &mut Vec<(u32, Grant)>) {
        let part = self.part(up);
        let (mut station, mut before) = (None, 0);
        for one in &self.active {
            if station != Some(one.station) {
                (station, before) = (Some(one.station), 0);
            }
            let start = now + part.start + Span(part.unit.0 * before);
            before += u64::from(one.units);
            if one.units > 0 {
                let (units, of, bytes, piece_bytes) = (one.units, part.units, one.bytes, self.spec.piece_bytes);
                grants.push((one.link, Grant { now, start, unit: part.unit, units, of, bytes, piece_bytes, end }));
            }
        }
    }
}
