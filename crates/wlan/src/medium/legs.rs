//! Frames reach one station after the other, and end there.

use units::{Span, Time};

use super::Medium;
use super::air::Leg;
use super::earliest::{Due, Earliest, Order};
use super::hearing::Hearer;
use super::upward::Upward;
use crate::Outcome;
use crate::dcf::{Arrival, Cause, Heard, Station};
use crate::flight::Flight;

impl Medium {
    /// A frame reaches one station after the other, as long as nothing else comes before.
    pub(super) fn frame_starts(&mut self, until: Due) {
        if self.passing {
            return self.frame_starts_or_passes(until);
        }
        let Medium { air, hearing, fading, stations, wakes, mac, sleepers, upward, .. } = self;
        let Leg { flight: id, mut place, until } = air.leg(until);
        let flight = air.flight(id);
        let mut row = hearing.row(flight.row);
        if let Some(sleepers) = sleepers {
            sleepers.before(flight.start, flight, stations, wakes, mac);
            (row, place) = (sleepers.awake(), 0);
        }
        let mut faded;
        while let Some(mut hearer) = row.get(place) {
            let now = flight.start + hearer.delay;
            if Due::new(now, Order::Start) >= until {
                break;
            }
            place += 1;
            if hearer.station == flight.from {
                continue;
            }
            if let Some(fading) = fading {
                let Some(there) = fading.at(hearer, flight) else { continue };
                faded = there;
                hearer = &faded;
            }
            let ends = now + flight.airtime;
            let mut decodable = hearer.decodes(flight.rate.phy);
            if upward.adds_up {
                let Some(understood) = upward.begins(now, hearer, id, flight) else { continue };
                decodable = understood;
            } else if !hearer.senses(flight.rate.phy) {
                continue;
            }
            let arrival = Arrival { flight: id, power: hearer.power, ends, decodable };
            let station = &mut stations[hearer.station as usize];
            if station.on_frame_start(now, arrival, flight, mac) {
                wakes.set(hearer.station as usize, station.due());
            }
        }
        let (_, ends) = air.on_way(id);
        air.started(id, place, ends, row);
        if let Some(sleepers) = sleepers {
            sleepers.after(air.flight(id).start, air.flight(id), stations);
            sleepers.note_due(stations, wakes, mac);
        }
    }

    /// A frame ends at its sender and at one station after the other, as long as nothing else comes before.
    /// The time of the last of these ends that is an event.
    pub(super) fn frame_ends(&mut self, until: Due, outcomes: &mut Vec<Outcome>) -> Time {
        if self.passing {
            return self.frame_ends_or_has_passed(until, outcomes);
        }
        let Medium { air, hearing, fading, moving, stations, wakes, mac, upward, sleepers, reorders, .. } = self;
        let Leg { flight: id, mut place, mut until } = air.leg(until);
        let flight = air.flight(id);
        let mut row = hearing.row(flight.row);
        if let Some(sleepers) = sleepers {
            (row, place) = (sleepers.awake(), 0);
        }
        let end = flight.end();
        let mut last = end;
        let mut faded;
        while let Some(mut hearer) = row.get(place) {
            let now = end + hearer.delay;
            if Due::new(now, Order::End) >= until {
                break;
            }
            place += 1;
            if let Some(fading) = fading {
                let Some(there) = fading.at(hearer, flight) else {
                    note_unsensed(stations, hearer, flight);
                    continue;
                };
                faded = there;
                hearer = &faded;
            }
            let senses = hearer.senses(flight.rate.phy);
            if !senses && !upward.adds_up {
                note_unsensed(stations, hearer, flight);
                continue;
            }
            last = now;
            let at = hearer.station as usize;
            let heard = if hearer.station == flight.from {
                stations[at].on_own_end(now, flight.kind, flight.data, mac, outcomes);
                Heard::Nothing
            } else {
                let bad = match flight.mpdus {
                    0 | 1 => upward.is_bad(now, hearer, flight),
                    _ => {
                        upward.are_all_bad(now, hearer, flight, stations[flight.from as usize].under_way(flight.serial))
                    }
                };
                if upward.adds_up {
                    upward.ends(now, hearer, id);
                }
                if !senses {
                    note_unsensed(stations, hearer, flight);
                    continue;
                }
                let heard = stations[at].on_frame_end(now, id, flight, bad, mac, outcomes);
                if upward.adds_up { upward.blamed(heard, hearer, flight) } else { heard }
            };
            let station = &stations[at];
            let due = station.due();
            wakes.set(at, due);
            until = until.min(due);
            if heard == Heard::Nothing && outcomes.is_empty() {
                continue;
            }
            until = until.min(Due::new(now + Span(1), Order::End));
            if heard == Heard::Nothing {
                continue;
            }
            if flight.mpdus == 0 {
                upward.on_heard(now, stations, hearer.station, flight, heard, outcomes);
            } else {
                upward.on_numbered(now, stations, hearer.station, flight, heard, outcomes);
                until = until.min(note_missing(wakes, upward, *reorders));
            }
        }
        let (from, flown, over) = (flight.from, flight.row, place >= row.len());
        air.ended(id, place, row);
        if let (Some(moving), true) = (moving, over) {
            moving.is_over(from, flown);
        }
        if let Some(sleepers) = sleepers {
            sleepers.note_due(stations, wakes, mac);
        }
        last
    }
}

/// A frame has ended at a station that did not sense it.
fn note_unsensed(stations: &mut [Station], there: &Hearer, flight: &Flight) {
    if there.station == flight.to {
        stations[flight.from as usize].stats.on_lost(Cause::Weak);
    }
}

/// When a receiver gives up missing packets next.
pub(super) fn note_missing(wakes: &mut Earliest, upward: &Upward, place: usize) -> Due {
    let at = upward.missing_until();
    let due = Due::new(at, Order::Timer);
    wakes.set(place, due);
    due
}
