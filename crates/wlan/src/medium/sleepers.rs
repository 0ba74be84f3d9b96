//! Stations that only listen cost nothing.
//!
//! Where all hear all, equally well and at once, those who neither send nor are sent to have one view of the medium. A
//! listener that never sends keeps it for all of them. A station whose view has become that one falls asleep: frames
//! pass it by. It wakes with the listener's view when a frame is for it, when it is offered one, or when its backoff
//! runs out. Slots pass for all alike, so what is left of a backoff is a difference to the slots that the listener has
//! counted. All else is as if nobody slept, which a property test compares.

use units::{Span, Time};

use super::earliest::{Due, Earliest, Order};
use super::hearing::Hearer;
use crate::dcf::{Mac, Station};
use crate::flight::{EVERYONE, Flight, StationId};
use crate::stats::StationStats;

#[derive(Debug)]
pub(crate) struct Sleepers {
    /// Those who are awake, by number; the listener is last.
    awake: Vec<Hearer>,
    asleep: Vec<Option<Asleep>>,
    /// Those asleep who have a frame to send: behind which slot, and who. The next is last.
    contending: Vec<(u64, StationId)>,
    /// Slots that the listener has counted.
    passed: u64,
}

#[derive(Clone, Copy, Debug)]
struct Asleep {
    /// How long the listener had been busy before.
    busy: Span,
    /// The slot at which the backoff is over, if there is one.
    last_slot: Option<u64>,
}

impl Sleepers {
    /// All are awake. The listener is the station after the last.
    pub(crate) fn new(stations: usize) -> Sleepers {
        let awake = (0..=stations).map(|station| Hearer::equal(station as StationId)).collect();
        Sleepers { awake, asleep: vec![None; stations], contending: Vec::new(), passed: 0 }
    }

    /// Those who hear the frames now in the air.
    pub(crate) fn awake(&self) -> &[Hearer] {
        &self.awake
    }

    /// When the first of those who sleep has to be woken to send.
    pub(crate) fn due(&self, listener: &Station, mac: &Mac) -> Time {
        let next = self.contending.last();
        next.map_or(Time::NEVER, |(slot, _)| listener.expiry_behind(slot - self.passed, mac))
    }

    /// Those are woken who have to send by `until`.
    pub(crate) fn wake_due(&mut self, until: Time, stations: &mut [Station], wakes: &mut Earliest, mac: &Mac) {
        while let (Some(listener), Some(&(_, station))) = (stations.last(), self.contending.last()) {
            if self.due(listener, mac) > until {
                return;
            }
            self.wake(station, stations, wakes, mac);
        }
    }

    /// A frame is about to start: those are woken whom it is for, and who would not notice it before they send.
    pub(crate) fn before(
        &mut self,
        now: Time,
        flight: &Flight,
        stations: &mut [Station],
        wakes: &mut Earliest,
        mac: &Mac,
    ) {
        if flight.to == EVERYONE {
            (0..self.asleep.len() as StationId).for_each(|station| self.wake(station, stations, wakes, mac));
        } else {
            self.wake(flight.to, stations, wakes, mac);
        }
        self.wake_due(now + mac.cca, stations, wakes, mac);
        if let Some(listener) = stations.last() {
            self.passed += u64::from(listener.slots_passed(now, mac));
        }
    }

    /// A frame has started: those fall asleep who only listen to it.
    pub(crate) fn after(&mut self, now: Time, flight: &Flight, stations: &mut [Station]) {
        let Some((listener, others)) = stations.split_last_mut() else { return };
        if flight.to == EVERYONE || !listener.only_listens(now) {
            return;
        }
        let Sleepers { awake, asleep, contending, passed } = self;
        awake.retain(|hearer| {
            let Some(station) = others.get_mut(hearer.station as usize) else { return true };
            if hearer.station == flight.to || !station.only_listens(now) {
                return true;
            }
            let (slots, contends) = station.fall_asleep();
            let last_slot = slots.map(|slots| *passed + u64::from(slots));
            asleep[hearer.station as usize] = Some(Asleep { busy: listener.stats.busy, last_slot });
            if let Some(slot) = last_slot.filter(|_| contends) {
                let entry = (slot, hearer.station);
                let place = contending.partition_point(|other| *other > entry);
                contending.insert(place, entry);
            }
            false
        });
    }

    /// Nothing happens if it is awake.
    pub(crate) fn wake(&mut self, station: StationId, stations: &mut [Station], wakes: &mut Earliest, mac: &Mac) {
        let Some(before) = self.asleep.get_mut(station as usize).and_then(Option::take) else { return };
        let Some((listener, others)) = stations.split_last_mut() else { return };
        let sleeper = &mut others[station as usize];
        if let Some(slot) = before.last_slot {
            let entry = (slot, station);
            let place = self.contending.partition_point(|other| *other > entry);
            if self.contending.get(place) == Some(&entry) {
                self.contending.remove(place);
            }
        }
        let slots = before.last_slot.and_then(|slot| slot.checked_sub(self.passed)).filter(|slots| *slots > 0);
        sleeper.wake_up(listener, slots.map(|slots| slots as u32), mac);
        sleeper.stats.busy += listener.stats.busy - before.busy;
        wakes.set(station as usize, sleeper.due());
        let place = self.awake.partition_point(|hearer| hearer.station < station);
        self.awake.insert(place, Hearer::equal(station));
    }

    /// The listener's deadline is that of those who sleep.
    pub(crate) fn note_due(&self, stations: &[Station], wakes: &mut Earliest, mac: &Mac) {
        let Some((listener, others)) = stations.split_last() else { return };
        let at = self.due(listener, mac);
        // before any backoff of that instant runs out
        wakes.set(others.len(), Due::new(at, Order::Timer));
    }

    /// What a station has done; the medium was busy while it slept, too.
    pub(crate) fn stats(&self, station: StationId, stations: &[Station], now: Time) -> StationStats {
        let mut stats = stations[station as usize].stats_at(now);
        if let (Some(before), Some(listener)) = (self.asleep[station as usize], stations.last()) {
            stats.busy += listener.stats_at(now).busy - before.busy;
        }
        stats
    }
}
