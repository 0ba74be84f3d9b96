//! What a receiver makes of a frame at its end: bad, repeated, or a packet that goes up.

use sim::{Chance, Stream};
use units::Time;

use super::Outcome;
use super::hearing::Hearer;
use crate::dcf::{Heard, Station};
use crate::flight::{EVERYONE, Flight, Kind, StationId};
use crate::frame_error;
use crate::loss::{Errors, LossAt};

/// White noise of this power, and of each station a stream of chance.
#[derive(Debug)]
pub(crate) struct Noise {
    pub(crate) power: f64,
    pub(crate) streams: Vec<Stream>,
}

#[derive(Debug)]
pub(crate) struct Upward {
    /// Frames may be bad at the MAC without another's doing.
    by_chance: bool,
    /// Random errors at each station; empty without.
    errors: Vec<Errors>,
    at: LossAt,
    /// Where frames are read by chance.
    noise: Option<Noise>,
    /// Of each station and class, the last packet that was accepted from it. A packet has one receiver, so this is what that
    /// one's filter of repeated frames has to know.
    accepted: Vec<[u32; 4]>,
    pub(crate) traced: bool,
}

impl Upward {
    pub(crate) fn new(stations: usize, errors: Vec<Errors>, at: LossAt, noise: Option<Noise>) -> Upward {
        let by_chance = noise.is_some() || (at == LossAt::Mac && !errors.is_empty());
        Upward { by_chance, errors, at, noise, accepted: vec![[0; 4]; stations], traced: false }
    }

    /// A random error has hit the frame that ends here, or the noise has.
    #[inline]
    pub(crate) fn is_bad(&mut self, now: Time, here: &Hearer, flight: &Flight) -> bool {
        self.by_chance && self.is_hit(now, here, flight)
    }

    fn is_hit(&mut self, now: Time, here: &Hearer, flight: &Flight) -> bool {
        let place = here.station as usize;
        let mut bad = false;
        if self.at == LossAt::Mac && !self.errors.is_empty() {
            let start = Time(now.0 - flight.airtime.0);
            bad = self.errors[place].hits(start, now, flight.kind == Kind::Data);
        }
        if let Some(noise) = &mut self.noise {
            let error = frame_error(flight.rate, here.power / noise.power, flight.bytes);
            bad |= error > 0.0 && noise.streams[place].happens(Chance::new(error));
        }
        bad
    }

    /// A frame for this station was accepted, or lost.
    pub(crate) fn on_heard(
        &mut self,
        now: Time,
        stations: &mut [Station],
        at: StationId,
        flight: &Flight,
        heard: Heard,
        outcomes: &mut Vec<Outcome>,
    ) {
        let Flight { kind, from, to, handle, .. } = *flight;
        if let Heard::Lost(cause) = heard {
            stations[from as usize].stats.on_lost(cause);
            if self.traced {
                outcomes.push(Outcome::Lost { kind, from, to, cause });
            }
            return;
        }
        if at as usize >= self.accepted.len() {
            return; // the listener for those who sleep
        }
        if to != EVERYONE {
            let accepted = &mut self.accepted[from as usize][flight.class as usize];
            if std::mem::replace(accepted, flight.serial) == flight.serial {
                stations[at as usize].stats.duplicates += 1;
                return;
            }
            let sender = &mut stations[from as usize].stats;
            sender.delay += now.since(flight.offered);
            sender.arrived += 1;
        }
        let stats = &mut stations[at as usize].stats;
        stats.received += 1;
        if self.is_lost_above(now, at, flight) {
            stats.lost_above += 1;
            outcomes.push(Outcome::LostAbove { at, from, handle });
        } else {
            outcomes.push(Outcome::Delivered { at, from, handle });
        }
    }

    fn is_lost_above(&mut self, now: Time, at: StationId, flight: &Flight) -> bool {
        let above = self.at == LossAt::Above && !self.errors.is_empty();
        above && self.errors[at as usize].hits(flight.start, now, true)
    }
}
