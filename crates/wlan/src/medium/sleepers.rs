//! Stations that have nothing to do cost nothing.
//!
//! Where all hear all, equally well and at once, those who only listen have one view of the medium. A listener that
//! never sends keeps it for all of them: a station at rest falls asleep, frames pass it by, and it wakes with the
//! listener's view when a frame is for it, or it has one to send. All else is as if nobody slept, which a property test
//! compares.

use units::{Span, Time};

use super::hearing::Hearer;
use crate::dcf::{Mac, Station};
use crate::flight::{EVERYONE, Flight, StationId};
use crate::stats::StationStats;

#[derive(Debug)]
pub(crate) struct Sleepers {
    /// Those who are awake, by number; the listener is last.
    awake: Vec<Hearer>,
    /// Of each station that sleeps, how long the listener had been busy when it fell asleep.
    asleep: Vec<Option<Span>>,
}

impl Sleepers {
    /// All are awake. The listener is the station after the last.
    pub(crate) fn new(stations: usize) -> Sleepers {
        let awake = (0..=stations).map(|station| Hearer::equal(station as StationId)).collect();
        Sleepers { awake, asleep: vec![None; stations] }
    }

    /// Those who hear the frames now in the air.
    pub(crate) fn awake(&self) -> &[Hearer] {
        &self.awake
    }

    /// A frame is about to start: those at rest fall asleep, but for those whom it is for.
    pub(crate) fn before(&mut self, now: Time, flight: &Flight, stations: &mut [Station], mac: &Mac) {
        if flight.to == EVERYONE {
            (0..self.asleep.len()).for_each(|station| self.wake(station as StationId, stations));
            return;
        }
        self.wake(flight.to, stations);
        let Some((listener, others)) = stations.split_last() else { return };
        if !listener.is_at_rest(now, mac) {
            return;
        }
        let asleep = &mut self.asleep;
        self.awake.retain(|hearer| {
            let Some(station) = others.get(hearer.station as usize) else { return true };
            let stays = hearer.station == flight.to || !station.is_at_rest(now, mac);
            if !stays {
                asleep[hearer.station as usize] = Some(listener.stats.busy);
            }
            stays
        });
    }

    /// Nothing happens if it is awake.
    pub(crate) fn wake(&mut self, station: StationId, stations: &mut [Station]) {
        let Some(before) = self.asleep.get_mut(station as usize).and_then(Option::take) else { return };
        let Some((listener, others)) = stations.split_last_mut() else { return };
        let sleeper = &mut others[station as usize];
        sleeper.take_view_of(listener);
        sleeper.stats.busy += listener.stats.busy - before;
        let place = self.awake.partition_point(|hearer| hearer.station < station);
        self.awake.insert(place, Hearer::equal(station));
    }

    /// What a station has done; the medium was busy while it slept, too.
    pub(crate) fn stats(&self, station: StationId, stations: &[Station], now: Time) -> StationStats {
        let mut stats = stations[station as usize].stats_at(now);
        if let (Some(before), Some(listener)) = (self.asleep[station as usize], stations.last()) {
            stats.busy += listener.stats_at(now).busy - before;
        }
        stats
    }
}
