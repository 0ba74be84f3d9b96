//! Frames that pass a station by: it has nothing to do with them, and no other frame is there.
//!
//! What such a frame does to the station is known when it begins, so its end is settled then: the NAV, the
//! inter-frame space, the instant from which slots count. If something happens before that end after all, the station
//! goes back to where it is in the middle of the frame, and the end is an event as of any other.

use units::{Span, Time};

use super::reception::Arrival;
use super::{Mac, Station};
use crate::Phy;
use crate::flight::Flight;
use crate::medium::Hearer;
use crate::params::Eifs;

/// The last frame that has passed a station.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passing {
    /// Its end here; zero if it is settled otherwise.
    until: Time,
    /// The NAV before its end.
    nav: Time,
    flight: u32,
    /// The station's place in its sender's row.
    place: u32,
}

impl Station {
    /// The station only counts slots: a frame that begins before the instant that this gives merely passes.
    pub(super) fn rests_until(&self) -> Time {
        let rests = self.access.is_counting() && self.timer.at == Time::NEVER && self.is_free() && self.edca.is_none();
        if rests { self.access.expiry } else { Time::ZERO }
    }

    /// A frame for another station begins. None if it does not merely pass; else when this station sends, which is
    /// never unless it has a frame.
    #[inline(always)]
    pub(crate) fn let_pass(
        &mut self,
        now: Time,
        hearer: &Hearer,
        place: usize,
        id: u32,
        flight: &Flight,
        mac: &Mac,
    ) -> Option<Time> {
        if self.rests_until <= now.then(mac.cca) {
            return None;
        }
        let ends = now.then(flight.airtime);
        let phy = flight.rate.phy;
        self.nav.on_air(now);
        self.passing = Passing { until: ends, nav: self.nav.until(), flight: id, place: place as u32 };
        self.busy_since = now;
        self.stats.busy.0 += flight.airtime.0;
        self.disturbed = false;
        let wanted = self.contends();
        if hearer.decodes(phy) && self.understands(phy) {
            self.respect(ends, flight, mac);
        } else {
            match mac.rules.eifs {
                Eifs::Space => self.disturbed = mac.rules.eifs_below_rx,
                Eifs::Nav => self.nav.extend(ends.then(mac.eifs)),
            }
        }
        self.access.let_pass(now, self.nav.until().max(ends), self.disturbed, wanted, mac);
        self.rests_until = self.access.expiry;
        Some(self.access.expiry)
    }

    /// A frame is passing that ends later.
    #[inline(always)]
    pub(crate) fn is_passed_after(&self, now: Time) -> bool {
        self.passing.until > now
    }

    /// The frame that passes: its flight, and the place in the row of its sender.
    pub(crate) fn passing(&self) -> (u32, usize) {
        (self.passing.flight, self.passing.place as usize)
    }

    /// Its end will be an event of its own.
    pub(crate) fn take_back(&mut self, new: Arrival, phy: Phy) {
        let Passing { until, nav, .. } = std::mem::take(&mut self.passing);
        self.sensed = 1;
        self.rests_until = Time::ZERO;
        self.nav.set(nav);
        self.disturbed = false;
        self.stats.busy = self.stats.busy - until.since(self.busy_since);
        self.access.suspend();
        let decodable = new.decodable && self.understands(phy);
        self.reception.follow_whole(Arrival { decodable, ..new });
    }

    /// Busy time of the passing frame that is still to come.
    pub(super) fn busy_ahead(&self, now: Time) -> Span {
        self.passing.until.since(now)
    }
}
