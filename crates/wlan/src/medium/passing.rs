//! Legs of frames where what passes a station by is settled at once (`dcf/bystander.rs`): where nobody moves, power is
//! steady, and chance hits no frame at the MAC. What happens is the same as in the plain legs of [`Medium`].

use units::{Span, Time};

use super::Medium;
use super::air::{Air, Leg};
use super::earliest::{Due, Order};
use super::hearing::Hearing;
use super::legs::note_missing;
use crate::Outcome;
use crate::dcf::{Arrival, Heard, Station};
use crate::flight::EVERYONE;

impl Medium {
    /// A frame reaches one station after the other, as long as nothing else comes before.
    pub(super) fn frame_starts_or_passes(&mut self, until: Due) {
        let Medium { air, hearing, stations, wakes, mac, interrupted, .. } = self;
        let stations = &mut stations[..];
        let Leg { flight: id, mut place, until } = air.leg(until);
        let mut limit = until.limit(Order::Start);
        let flight = air.flight(id);
        let row = hearing.row(flight.from);
        // nobody is merely passed by what is for all
        let (start, airtime, phy) = (flight.start, flight.airtime, flight.rate.phy);
        let (to, to_all) = (flight.to, flight.to == EVERYONE);
        while let Some(hearer) = row.get(place) {
            let now = start + hearer.delay;
            if now >= limit {
                break;
            }
            let arrival =
                Arrival { flight: id, power: hearer.power, ends: now + airtime, decodable: hearer.decodes(phy) };
            let at = hearer.station as usize;
            let station = &mut stations[at];
            if station.is_passed_after(now) {
                let (other, other_place, ends) = interrupt(station, air, hearing);
                wakes.set(at, station.due());
                interrupted.push((other, other_place));
                limit = limit.min(ends);
            } else if hearer.station != to
                && !to_all
                && let Some(sends_at) = station.let_pass(now, &arrival, place, flight, mac)
            {
                place += 1;
                if sends_at != Time::NEVER {
                    wakes.set(at, Due::new(sends_at, Order::Backoff));
                }
                continue;
            }
            place += 1;
            if station.on_frame_start(now, arrival, flight, mac) {
                wakes.set(at, station.due());
            }
        }
        air.started(id, place, row);
        for (other, place) in interrupted.drain(..) {
            air.revive(other, place, hearing.row(air.flight(other).from));
        }
    }

    /// A frame ends at its sender and at one station after the other, as long as nothing else comes before. The time of
    /// the last of these ends that is an event.
    pub(super) fn frame_ends_or_has_passed(&mut self, until: Due, outcomes: &mut Vec<Outcome>) -> Time {
        let Medium { air, hearing, stations, wakes, mac, upward, reorders, .. } = self;
        let stations = &mut stations[..];
        let Leg { flight: id, mut place, until } = air.leg(until);
        let mut limit = until.limit(Order::End);
        let flight = air.flight(id);
        let row = hearing.row(flight.from);
        let end = flight.end();
        let mut last = end;
        while let Some(hearer) = row.get(place) {
            let now = end + hearer.delay;
            let at = hearer.station as usize;
            let station = &mut stations[at];
            if station.is_passed_by(id, now) {
                place += 1;
                continue;
            }
            if now >= limit {
                break;
            }
            place += 1;
            last = now;
            let mut heard = Heard::Nothing;
            if hearer.station == flight.from {
                station.on_own_end(now, flight.kind, flight.data, mac, outcomes);
            } else {
                heard = station.on_frame_end(now, id, flight, false, mac, outcomes);
            }
            let due = station.due();
            wakes.set(at, due);
            limit = limit.min(due.limit(Order::End));
            if heard != Heard::Nothing {
                if flight.mpdus == 0 {
                    upward.on_heard(now, stations, hearer.station, flight, heard, outcomes);
                } else {
                    upward.all_are_good();
                    upward.on_numbered(now, stations, hearer.station, flight, heard, outcomes);
                    limit = limit.min(note_missing(wakes, upward, *reorders).limit(Order::End));
                }
            }
            if !outcomes.is_empty() {
                limit = limit.min(now + Span(1));
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
