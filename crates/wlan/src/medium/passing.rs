//! Legs of frames where what passes a station by is settled at once (`dcf/bystander.rs`): where nobody moves, power is
//! steady, and chance hits no frame at the MAC. What happens is the same as in the plain legs of [`Medium`].

use units::{Span, Time};

use super::Medium;
use super::air::{Air, Ends, Leg};
use super::earliest::{Due, Order};
use super::hearing::Hearing;
use super::legs::note_missing;
use crate::Outcome;
use crate::dcf::{Arrival, Heard, Station};
use crate::flight::EVERYONE;

impl Medium {
    /// A frame reaches one station after the other, as long as nothing else comes before.
    #[inline(never)]
    pub(super) fn frame_starts_or_passes(&mut self, until: Due) {
        let leg = self.air.leg(until);
        self.reach(leg, false);
    }

    /// The same right behind its sender.
    #[inline(never)]
    pub(super) fn launch_or_pass(&mut self, until: Due) {
        let until = until.min(self.wakes.first());
        let leg = self.air.launch(&self.hearing, until);
        self.reach(leg, true);
    }

    /// A frame starts at the stations of a leg; `new`: it has not been on air before.
    #[inline(always)]
    fn reach(&mut self, leg: Leg, new: bool) {
        let Medium { air, hearing, stations, wakes, mac, interrupted, .. } = self;
        let stations = &mut stations[..];
        let Leg { flight: id, mut place, until } = leg;
        let mut limit = until.limit(Order::Start);
        let (flight, mut ends) = air.on_way(id);
        let row = &hearing.rows[flight.from as usize][..];
        // nobody is merely passed by what is for all
        let near = if flight.to == EVERYONE { 0 } else { Ends::FAR };
        while let Some(hearer) = row.get(place) {
            let now = flight.start.then(hearer.delay);
            if now >= limit {
                break;
            }
            let at = hearer.station as usize;
            let station = &mut stations[at];
            if station.is_passed_after(now) {
                let (other, other_place, ends) = interrupt(station, air, hearing);
                wakes.set(at, station.due());
                interrupted.push((other, other_place));
                limit = limit.min(ends);
            } else if hearer.station != flight.to
                && place < near
                && let Some(sends_at) = station.let_pass(now, hearer, place, id, flight, mac)
            {
                place += 1;
                if sends_at != Time::NEVER {
                    wakes.set(at, Due::new(sends_at, Order::Backoff));
                }
                continue;
            }
            let (ends_here, decodable) = (now.then(flight.airtime), hearer.decodes(flight.rate.phy));
            let arrival = Arrival { flight: id, power: hearer.power, ends: ends_here, decodable };
            if station.on_frame_start(now, arrival, flight, mac) {
                wakes.set(at, station.due());
            }
            ends.note(place);
            place += 1;
        }
        if new {
            air.enter(id, place, ends, row);
        } else {
            air.started(id, place, ends, row);
        }
        if !interrupted.is_empty() {
            self.revive();
        }
    }

    /// Frames that have passed stations end there after all.
    fn revive(&mut self) {
        for (other, place) in self.interrupted.drain(..) {
            self.air.revive(other, place, self.hearing.row(self.air.flight(other).from));
        }
    }

    /// A frame ends at its sender and at one station after the other, as long as nothing else comes before. The time of
    /// the last of these ends that is an event.
    pub(super) fn frame_ends_or_has_passed(&mut self, until: Due, outcomes: &mut Vec<Outcome>) -> Time {
        let Medium { air, hearing, stations, wakes, mac, upward, reorders, .. } = self;
        let stations = &mut stations[..];
        let Leg { flight: id, mut place, mut until } = air.leg(until);
        let (flight, ends) = air.on_way(id);
        let row = &hearing.rows[flight.from as usize][..];
        let end = flight.end();
        let mut last = end;
        while let Some(hearer) = row.get(ends.next(place)) {
            let now = end.then(hearer.delay);
            if Due::new(now, Order::End) >= until {
                break;
            }
            place = ends.next(place) + 1;
            last = now;
            let at = hearer.station as usize;
            let station = &mut stations[at];
            let mut heard = Heard::Nothing;
            if hearer.station == flight.from {
                station.on_own_end(now, flight.kind, flight.data, mac, outcomes);
            } else {
                heard = station.on_frame_end(now, id, flight, false, mac, outcomes);
            }
            let due = station.settle();
            wakes.set(at, due);
            until = until.min(due);
            if heard != Heard::Nothing {
                if flight.mpdus == 0 {
                    upward.on_heard(now, stations, hearer.station, flight, heard, outcomes);
                } else {
                    upward.all_are_good();
                    upward.on_numbered(now, stations, hearer.station, flight, heard, outcomes);
                    until = until.min(note_missing(wakes, upward, *reorders));
                }
            }
            if !outcomes.is_empty() {
                until = until.min(Due::new(now.then(Span(1)), Order::End));
            }
        }
        air.ended(id, place, row);
        last
    }

    /// A packet is offered to a station that a frame may be passing.
    pub(super) fn disturb(&mut self, now: Time, station: usize) {
        let station = &mut self.stations[station];
        let (flight, place) = station.passing();
        // where all are as near, the end of this instant may have come and gone
        let before = Time(now.0.saturating_sub(1));
        let ends_now = || station.is_passed_after(before) && !self.air.has_ended(flight, place);
        if station.is_passed_after(now) || ends_now() {
            let (flight, place, _) = interrupt(station, &self.air, &self.hearing);
            self.air.revive(flight, place, self.hearing.row(self.air.flight(flight).from));
        }
    }
}

/// The frame that is passing a station does more: number of the flight, place in the row of its sender, end here.
#[cold]
fn interrupt(station: &mut Station, air: &Air, hearing: &Hearing) -> (u32, usize, Time) {
    let (id, place) = station.passing();
    let flight = air.flight(id);
    let hearer = &hearing.row(flight.from)[place];
    let ends = flight.end() + hearer.delay;
    let phy = flight.rate.phy;
    station.take_back(Arrival { flight: id, power: hearer.power, ends, decodable: hearer.decodes(phy) }, phy);
    (id, place, ends)
}
