//! Frames on air: a frame starts and ends at each distance once, nearest first.
//!
//! Most of that concerns stations alone: those above need not be asked to come by for it. Nothing comes out of a medium
//! but where a frame ends at the station that it is for, or where a station acts by itself, and what a station does
//! about the end of a frame, its own included, it does SIFS later. [`Air::quiet_until`] is made of this.

use units::{Span, Time};

use super::earliest::{Due, Order};
use super::hearing::{Hearer, Hearing};
use crate::dcf::Mac;
use crate::flight::{EVERYONE, Flight, Kind};
use crate::params::Responder;

#[derive(Debug)]
pub(crate) struct Air {
    flights: Vec<OnAir>,
    /// Where the end of a frame is an event when it goes on air.
    ends: Ends,
    free: Vec<u32>,
    /// Flights without a start or end to come that are still on their way. The one that is over first is last.
    fading_out: Vec<(Time, u32)>,
    /// Of each flight on air its next start or end, and its number; the earliest is last. They are few.
    edges: Vec<(Due, u32)>,
    /// The earliest of them.
    first: Due,
    sifs: Span,
    space: Span,
    /// No exchange so far has begun with a shorter frame.
    shortest: Span,
    /// Something may come of every end at once: a station gives up what it waits for.
    every_end: bool,
}

/// A frame, how far its start and its end have come in its sender's row of hearers, and when they reach the next.
#[derive(Clone, Debug)]
struct OnAir {
    flight: Flight,
    started: usize,
    ended: usize,
    start: Due,
    end: Due,
    ends: Ends,
}

/// Places of a row at which the end of a frame is an event: a bit for each, the last one for all from there on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends(u64);

impl Ends {
    /// All places.
    const ALL: Ends = Ends(u64::MAX);
    /// At its sender, which is first, and where there are no bits.
    const SENDER: Ends = Ends(1 | 1 << Ends::FAR);
    /// The first place without a bit of its own.
    pub(crate) const FAR: usize = 63;

    /// It is one at this place.
    #[inline]
    pub(crate) fn note(&mut self, place: usize) {
        self.0 |= 1 << place.min(Ends::FAR);
    }

    /// The first of them that is not before this place.
    #[inline]
    pub(crate) fn next(self, place: usize) -> usize {
        if place < Ends::FAR { place + (self.0 >> place).trailing_zeros() as usize } else { place }
    }
}

/// Part of a frame's way: the places in the row from `place` on that it reaches before `until`, when others are next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    pub(crate) flight: u32,
    pub(crate) place: usize,
    pub(crate) until: Due,
}

impl Air {
    /// `space`: the least inter-frame space before a backoff; `passing`: ends are events only where that is noted.
    pub(crate) fn new(mac: &Mac, space: Span, passing: bool) -> Air {
        Air {
            flights: Vec::new(),
            ends: if passing { Ends::SENDER } else { Ends::ALL },
            free: Vec::new(),
            fading_out: Vec::new(),
            edges: Vec::new(),
            first: Due::NEVER,
            sifs: mac.sifs,
            space,
            shortest: Span(u64::MAX),
            every_end: mac.rules.responder == Responder::Standard,
        }
    }

    /// Ends are events at all places.
    pub(crate) fn end_everywhere(&mut self) {
        self.ends = Ends::ALL;
    }

    /// Before this nothing comes of the frames on air, neither for those above nor for what stations do by themselves.
    pub(crate) fn quiet_until(&self, hearing: &Hearing) -> Time {
        self.edges.iter().fold(Time::NEVER, |quiet, &(_, id)| quiet.min(self.quiet_of(id, hearing)))
    }

    /// A station may begin with a frame of this airtime from now on.
    pub(crate) fn expect(&mut self, airtime: Span) {
        self.shortest = self.shortest.min(airtime);
    }

    /// No exchange so far has begun with a shorter frame.
    pub(crate) fn shortest(&self) -> Span {
        self.shortest
    }

    fn quiet_of(&self, id: u32, hearing: &Hearing) -> Time {
        let OnAir { flight, end, .. } = &self.flights[id as usize];
        let next = end.at();
        let heard_at = self.heard_at(flight, hearing.row(flight.row));
        if flight.to == EVERYONE || (self.every_end && heard_at < next) {
            return next;
        }
        if heard_at < next {
            return next + self.space + self.shortest; // those for whom it is not do nothing else before they contend
        }
        (next + self.sifs).min(heard_at)
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

    /// What follows the next start or end without anything in between, if stations do nothing before `until`.
    #[inline]
    pub(crate) fn leg(&self, until: Due) -> Leg {
        let (second, (first, flight)) = match self.edges[..] {
            [.., second, first] => (second.0, first),
            [first] => (Due::NEVER, first),
            [] => (Due::NEVER, (Due::NEVER, 0)),
        };
        let OnAir { started, ended, start, end, .. } = self.flights[flight as usize];
        let (place, other) = if start < end { (started, end) } else { (ended, start) };
        Leg { flight, place, until: until.min(second).min(other).max(first.next()) }
    }

    /// Where the next flight is described before it is launched.
    #[inline]
    pub(crate) fn draft(&mut self, now: Time) -> &mut Flight {
        self.free_until(now);
        if self.free.is_empty() {
            self.another();
        }
        let id = self.free[self.free.len() - 1];
        &mut self.flights[id as usize].flight
    }

    /// The next flight, as it was described.
    #[inline]
    pub(crate) fn drafted(&mut self) -> &mut Flight {
        let id = self.free[self.free.len() - 1];
        &mut self.flights[id as usize].flight
    }

    /// What was drafted goes on air. Before it is one of those that start and end ([`Air::enter`]) this leg of it is to
    /// be gone, if stations do nothing before `until`.
    #[inline(always)]
    pub(crate) fn launch(&mut self, hearing: &Hearing, until: Due) -> Leg {
        let id = self.free.pop().unwrap_or_default();
        let OnAir { flight, ended, ends, .. } = &mut self.flights[id as usize];
        let row = hearing.row(flight.row);
        (*ended, *ends) = (0, self.ends);
        // the sender itself is first, at no distance, where positions are known
        let place = usize::from(row[0].station == flight.from);
        Leg { flight: id, place, until: until.min(end_at(flight, row, 0)).min(self.first) }
    }

    /// Room for one more flight.
    #[cold]
    fn another(&mut self) {
        let flight = Flight::at(Time::ZERO, Span::ZERO);
        self.flights.push(OnAir { flight, started: 0, ended: 0, start: Due::NEVER, end: Due::NEVER, ends: self.ends });
        self.free.push(self.flights.len() as u32 - 1);
    }

    /// When its end first reaches a station of which something may come: of data and ACKs at the station that they are
    /// for, or of any end at any other station.
    fn heard_at(&self, flight: &Flight, row: &[Hearer]) -> Time {
        let others = |hearer: &&Hearer| hearer.station != flight.from;
        let hearer = match flight.kind {
            _ if self.every_end => row.iter().find(others),
            Kind::Data | Kind::Ack | Kind::BlockAck | Kind::BlockAckReq => {
                row.iter().find(|hearer| hearer.station == flight.to)
            }
            Kind::Rts | Kind::Cts | Kind::CtsToSelf => None,
        };
        hearer.map_or(Time::NEVER, |hearer| flight.end() + hearer.delay)
    }

    /// A flight on its way, and where its end is an event.
    #[inline]
    pub(crate) fn on_way(&self, id: u32) -> (&Flight, Ends) {
        let entry = &self.flights[id as usize];
        (&entry.flight, entry.ends)
    }

    /// A flight starts and ends among the others from now on. Its start has reached all before this place of the row.
    /// Its end is an event at `ends`.
    #[inline(always)]
    pub(crate) fn enter(&mut self, id: u32, place: usize, ends: Ends, row: &[Hearer]) {
        let next = self.flights[id as usize].started(place, ends, row);
        self.edges.push((next, id));
        self.sort(next, id);
    }

    /// The same of the first flight, which is among them.
    #[inline]
    pub(crate) fn started(&mut self, id: u32, place: usize, ends: Ends, row: &[Hearer]) {
        let next = self.flights[id as usize].started(place, ends, row);
        self.sort(next, id);
    }

    /// The first flight's end has reached all before this place of the row; beyond the last it is over.
    #[inline(always)]
    pub(crate) fn ended(&mut self, id: u32, place: usize, row: &[Hearer]) {
        let entry = &mut self.flights[id as usize];
        entry.ended = place;
        entry.end = entry.next_end(row);
        let next = entry.next();
        if next != Due::NEVER {
            return self.sort(next, id);
        }
        let over = entry.flight.end().then(row.last().map_or(Span::ZERO, |hearer| hearer.delay));
        self.edges.pop();
        self.first = self.edges.last().map_or(Due::NEVER, |edge| edge.0);
        self.fading_out.push((over, id));
        set_last(&mut self.fading_out, (over, id));
    }

    /// The end of a flight is over at this place of the row.
    pub(crate) fn has_ended(&self, id: u32, place: usize) -> bool {
        self.flights.get(id as usize).is_some_and(|entry| place < entry.ends.next(entry.ended))
    }

    /// The end of a flight will be an event at this place of the row after all.
    pub(crate) fn revive(&mut self, id: u32, place: usize, row: &[Hearer]) {
        let entry = &mut self.flights[id as usize];
        debug_assert!(place >= entry.ended, "it is over there");
        let before = entry.next();
        entry.ends.note(place);
        entry.end = entry.next_end(row);
        let next = entry.next();
        if next == before {
            return; // it ends elsewhere before
        }
        if before == Due::NEVER {
            self.fading_out.retain(|other| other.1 != id);
        } else {
            self.edges.retain(|edge| edge.1 != id);
        }
        self.edges.push((next, id));
        self.sort(next, id);
    }

    /// Flights that are over by now make room for others.
    fn free_until(&mut self, now: Time) {
        while let Some((_, id)) = self.fading_out.pop_if(|(over, _)| *over <= now) {
            self.free.push(id);
        }
    }

    /// When the flight that was first, or is new, starts or ends next. Of equal ones the lowest number is first.
    #[inline(always)]
    fn sort(&mut self, next: Due, id: u32) {
        self.first = set_last(&mut self.edges, (next, id));
    }
}

/// The last of a list that has its least last gets another value: the least then.
#[inline(always)]
fn set_last<T: Copy + Ord>(list: &mut [(T, u32)], new: (T, u32)) -> T {
    match list {
        [.., second, _] if *second < new => sink(list, new),
        [.., last] => {
            *last = new;
            new.0
        }
        [] => new.0,
    }
}

/// The same where it is not the least any more.
fn sink<T: Copy + Ord>(list: &mut [(T, u32)], new: (T, u32)) -> T {
    let mut place = list.len() - 1;
    while place > 0 && list[place - 1] < new {
        list[place] = list[place - 1];
        place -= 1;
    }
    list[place] = new;
    list[list.len() - 1].0
}

impl OnAir {
    /// Its start has reached all before this place of the row, and its end is an event at `ends`: what comes next.
    #[inline(always)]
    fn started(&mut self, place: usize, ends: Ends, row: &[Hearer]) -> Due {
        (self.started, self.ends) = (place, ends);
        self.start = start_at(&self.flight, row, place);
        self.end = self.next_end(row);
        self.next()
    }

    /// When its start or end reaches somebody next.
    #[inline]
    fn next(&self) -> Due {
        self.start.min(self.end)
    }

    /// When its end does, where that is an event.
    #[inline]
    fn next_end(&self, row: &[Hearer]) -> Due {
        end_at(&self.flight, row, self.ends.next(self.ended))
    }
}

#[inline]
fn start_at(flight: &Flight, row: &[Hearer], place: usize) -> Due {
    row.get(place).map_or(Due::NEVER, |hearer| Due::new(flight.start.then(hearer.delay), Order::Start))
}

#[inline]
fn end_at(flight: &Flight, row: &[Hearer], place: usize) -> Due {
    row.get(place).map_or(Due::NEVER, |hearer| Due::new(flight.end().then(hearer.delay), Order::End))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_events_where_that_is_noted_and_far_away() {
        let mut ends = Ends::SENDER;
        [5, 62, 70].into_iter().for_each(|place| ends.note(place));
        let next = [0, 1, 5, 6, 62, 63, 64, 90].map(|place| ends.next(place));
        assert_eq!(next, [0, 5, 5, 62, 62, 63, 64, 90]);
        assert_eq!([0, 1, 62, 63, 64].map(|place| Ends::ALL.next(place)), [0, 1, 62, 63, 64]);
    }

    #[test]
    fn the_least_is_last_and_of_equal_ones_the_lowest_number() {
        let mut list = vec![(9, 0), (7, 3), (7, 2), (1, 1)];
        for (new, least, order) in [
            ((3, 1), 3, [(9, 0), (7, 3), (7, 2), (3, 1)]),
            ((7, 1), 7, [(9, 0), (7, 3), (7, 2), (7, 1)]),
            ((8, 1), 7, [(9, 0), (8, 1), (7, 3), (7, 2)]),
            ((7, 4), 7, [(9, 0), (8, 1), (7, 4), (7, 3)]),
        ] {
            assert_eq!(set_last(&mut list, new), least, "{new:?}");
            assert_eq!(list, order);
        }
    }
}
