//! Frames on air: a frame starts and ends at each distance once, nearest first.
//!
//! Most of that concerns stations alone: those above need not be asked to come by for it. Nothing comes out of a medium
//! but where a frame ends at the station that it is for, or where a station acts by itself, and what a station does
//! about the end of a frame it does SIFS later. [`Air::quiet_until`] is made of this.

use std::ops::Range;

use units::{Span, Time};

use super::earliest::{Due, Order};
use super::hearing::Hearer;
use crate::dcf::Mac;
use crate::flight::{EVERYONE, Flight, Kind};
use crate::params::Responder;

#[derive(Debug)]
pub(crate) struct Air {
    flights: Vec<OnAir>,
    free: Vec<u32>,
    /// Of each flight its next start or end. Few are on air at once, so the earliest is searched for.
    edges: Vec<Due>,
    first: Due,
    next: u32,
    /// Of each flight, and of all: when something may come of it.
    quiet: Vec<Time>,
    quiet_until: Time,
    sifs: Span,
    /// Something may come of every end at once: a station gives up what it waits for.
    every_end: bool,
}

/// A frame, and whom of its sender's row of hearers its start and its end reach next.
#[derive(Clone, Debug)]
struct OnAir {
    flight: Flight,
    starts_at: Range<u32>,
    ends_at: Range<u32>,
    start: Due,
    end: Due,
    /// When its end reaches the station that it is for, if something comes of that.
    heard_at: Time,
}

impl Air {
    pub(crate) fn new(mac: &Mac) -> Air {
        Air {
            flights: Vec::new(),
            free: Vec::new(),
            edges: Vec::new(),
            first: Due::NEVER,
            next: 0,
            quiet: Vec::new(),
            quiet_until: Time::NEVER,
            sifs: mac.sifs,
            every_end: mac.rules.responder == Responder::Standard,
        }
    }

    /// Before this nothing comes of the frames on air, neither for those above nor for what stations do by themselves.
    #[inline]
    pub(crate) fn quiet_until(&self) -> Time {
        self.quiet_until
    }

    fn quiet_of(&self, id: u32) -> Time {
        let OnAir { flight, end, heard_at, .. } = &self.flights[id as usize];
        if *end == Due::NEVER {
            return Time::NEVER;
        }
        let next = end.at();
        if self.every_end || flight.to == EVERYONE {
            return next;
        }
        if *heard_at >= next { (next + self.sifs).min(*heard_at) } else { next + self.sifs }
    }

    #[inline]
    pub(crate) fn flight(&self, id: u32) -> &Flight {
        &self.flights[id as usize].flight
    }

    /// The next start or end.
    #[inline]
    pub(crate) fn first(&self) -> Due {
        self.first
    }

    /// The flight that starts or ends next.
    #[inline]
    pub(crate) fn next_flight(&self) -> u32 {
        self.next
    }

    /// A flight starts or ends next at `due`.
    #[inline]
    fn set(&mut self, id: u32, due: Due) {
        self.edges[id as usize] = due;
        self.quiet[id as usize] = self.quiet_of(id);
        (self.first, self.next, self.quiet_until) = (Due::NEVER, 0, Time::NEVER);
        for (id, (edge, quiet)) in self.edges.iter().zip(&self.quiet).enumerate() {
            if *edge < self.first {
                (self.first, self.next) = (*edge, id as u32);
            }
            self.quiet_until = self.quiet_until.min(*quiet);
        }
    }

    /// A frame goes on air. `row`: who hears it, itself included, nearest first.
    pub(crate) fn launch(&mut self, flight: Flight, row: &[Hearer]) {
        // the sender itself is first, at no distance, where positions are known
        let first = u32::from(row[0].station == flight.from);
        let starts_at = alike(row, first);
        let start = start_at(&flight, row, &starts_at);
        let end = Due::new(flight.end(), Order::End);
        let entry = OnAir { flight, starts_at, ends_at: alike(row, 0), start, end, heard_at: heard_at(&flight, row) };
        let id = self.free.pop().unwrap_or(self.flights.len() as u32);
        if id as usize == self.flights.len() {
            self.flights.push(entry);
            self.edges.push(Due::NEVER);
            self.quiet.push(Time::NEVER);
        } else {
            self.flights[id as usize] = entry;
        }
        self.set(id, start.min(end));
    }

    /// Places in the row of those whom the start reaches now.
    #[inline]
    pub(crate) fn starting(&self, id: u32) -> Range<usize> {
        let places = &self.flights[id as usize].starts_at;
        places.start as usize..places.end as usize
    }

    /// Places in the row of those whom the end reaches now.
    #[inline]
    pub(crate) fn ending(&self, id: u32) -> Range<usize> {
        let places = &self.flights[id as usize].ends_at;
        places.start as usize..places.end as usize
    }

    /// The start has reached them: on to the next.
    #[inline]
    pub(crate) fn started(&mut self, id: u32, row: &[Hearer]) {
        let entry = &mut self.flights[id as usize];
        entry.starts_at = alike(row, entry.starts_at.end);
        entry.start = start_at(&entry.flight, row, &entry.starts_at);
        let next = entry.start.min(entry.end);
        self.set(id, next);
    }

    /// The end has reached them: on to the next, or the frame is over.
    #[inline]
    pub(crate) fn ended(&mut self, id: u32, row: &[Hearer]) {
        let entry = &mut self.flights[id as usize];
        entry.ends_at = alike(row, entry.ends_at.end);
        entry.end = match row.get(entry.ends_at.start as usize) {
            Some(hearer) => Due::new(entry.flight.end() + hearer.delay, Order::End),
            None => Due::NEVER,
        };
        let next = entry.start.min(entry.end);
        if next == Due::NEVER {
            self.free.push(id);
        }
        self.set(id, next);
    }
}

fn start_at(flight: &Flight, row: &[Hearer], places: &Range<u32>) -> Due {
    match row.get(places.start as usize) {
        Some(nearest) => Due::new(flight.start + nearest.delay, Order::Start),
        None => Due::NEVER,
    }
}

/// When data and ACKs have arrived.
fn heard_at(flight: &Flight, row: &[Hearer]) -> Time {
    let hearer = match flight.kind {
        Kind::Data | Kind::Ack | Kind::BlockAck => row.iter().find(|hearer| hearer.station == flight.to),
        Kind::Rts | Kind::Cts | Kind::CtsToSelf => None,
    };
    hearer.map_or(Time::NEVER, |hearer| flight.end() + hearer.delay)
}

/// The hearers from place `from` on at equal distance.
fn alike(row: &[Hearer], from: u32) -> Range<u32> {
    from..row.get(from as usize).map_or(from, |first| first.farther)
}
