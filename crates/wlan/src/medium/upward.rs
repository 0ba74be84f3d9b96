//! What a receiver makes of a frame at its end: bad, repeated, or a packet that goes up.

use units::{Span, Time};

use super::Outcome;
use super::hearing::Hearer;
use super::noise::Noise;
use super::reorder::{Arrived, Reorder, Verdict};
use crate::ampdu::joined;
use crate::dcf::{Heard, Mpdu, Station};
use crate::flight::{EVERYONE, Flight, Kind, StationId};
use crate::loss::{Errors, LossAt};
use crate::{Cause, Params};

#[derive(Debug)]
pub(crate) struct Upward {
    /// Frames may be bad at the MAC without another's doing.
    by_chance: bool,
    /// All that is in the air is noise for what it overlaps.
    pub(crate) adds_up: bool,
    /// Random errors at each station; empty without.
    errors: Vec<Errors>,
    at: LossAt,
    /// Where frames are read by chance.
    noise: Option<Noise>,
    /// Of each station and class, the last packet that was accepted from it. A packet has one receiver, so this is what
    /// that one's filter of repeated frames has to know.
    accepted: Vec<[u32; 4]>,
    /// Packets with numbers; which of the A-MPDU that ends are good where it ends; what comes of them.
    reorder: Reorder,
    good: u64,
    told: Vec<Verdict>,
    pub(crate) traced: bool,
}

impl Upward {
    pub(crate) fn new(
        stations: usize,
        errors: Vec<Errors>,
        at: LossAt,
        noise: Option<Noise>,
        params: &Params,
    ) -> Upward {
        let by_chance = noise.is_some() || (at == LossAt::Mac && !errors.is_empty());
        let (accepted, reorder) = (vec![[0; 4]; stations], Reorder::new(params.reorder_timeout));
        let adds_up = noise.as_ref().is_some_and(Noise::adds_up);
        Upward { by_chance, adds_up, errors, at, noise, accepted, reorder, good: 0, told: Vec::new(), traced: false }
    }

    /// Whether frames may be bad at the MAC without another's doing.
    pub(crate) fn by_chance(&self) -> bool {
        self.by_chance
    }

    /// Chance has hit no packet of the A-MPDU that ends.
    pub(crate) fn all_are_good(&mut self) {
        self.good = u64::MAX;
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
            bad |= noise.hits(here, flight, flight.bytes, (Time(now.0 - flight.airtime.0), now));
        }
        bad
    }

    /// A frame begins where all that is in the air adds up. `None`: nobody senses it there; else whether its preamble
    /// is understood.
    #[cold]
    pub(crate) fn begins(&mut self, now: Time, here: &Hearer, id: u32, flight: &Flight) -> Option<bool> {
        self.noise.as_mut().and_then(|noise| noise.begins(now, here, id, flight.rate.phy))
    }

    /// The same at its end, after it was decided whether it is bad.
    #[cold]
    pub(crate) fn ends(&mut self, now: Time, here: &Hearer, id: u32) {
        if let Some(noise) = &mut self.noise {
            noise.ends(now, here, id);
        }
    }

    /// Why a frame was lost: where others are noise they are to blame for what noise alone would not have done.
    pub(crate) fn blamed(&self, heard: Heard, here: &Hearer, flight: &Flight) -> Heard {
        let by_others = match heard {
            Heard::Lost(Cause::Error) => self.noise.as_ref().is_some_and(Noise::was_by_others),
            Heard::Lost(Cause::Weak) => here.decodes(flight.rate.phy),
            _ => false,
        };
        if by_others { Heard::Lost(Cause::Collision) } else { heard }
    }

    /// The same for each packet of an A-MPDU, which has its share of the airtime; true if none is left.
    #[inline]
    pub(crate) fn are_all_bad(&mut self, now: Time, here: &Hearer, flight: &Flight, mpdus: &[Mpdu]) -> bool {
        self.good = u64::MAX;
        self.by_chance && self.are_all_hit(now, here, flight, mpdus)
    }

    fn are_all_hit(&mut self, now: Time, here: &Hearer, flight: &Flight, mpdus: &[Mpdu]) -> bool {
        let (place, airtime) = (here.station as usize, flight.airtime.0 as f64);
        let start = Time(now.0 - flight.airtime.0);
        let at = |bytes: u32| start + Span((airtime * f64::from(bytes) / f64::from(flight.bytes)) as u64);
        let (mut begun, mut good) = (0, 0);
        for (bit, mpdu) in mpdus.iter().enumerate() {
            let end = joined(begun, mpdu.bytes);
            let mut bad = false;
            if self.at == LossAt::Mac && !self.errors.is_empty() {
                bad = self.errors[place].hits(at(begun), at(end), true);
            }
            if let Some(noise) = &mut self.noise {
                bad |= noise.hits(here, flight, mpdu.bytes, (at(begun), at(end)));
            }
            good |= u64::from(!bad) << bit;
            begun = end;
        }
        self.good = good;
        good == 0
    }

    /// Packets with numbers came to the station that they are for, some of them at least, or were all lost.
    #[inline(never)]
    pub(crate) fn on_numbered(
        &mut self,
        now: Time,
        stations: &mut [Station],
        at: StationId,
        flight: &Flight,
        heard: Heard,
        outcomes: &mut Vec<Outcome>,
    ) {
        let Flight { from, to, class, mpdus, .. } = *flight;
        if matches!(heard, Heard::Lost(_)) {
            return self.on_heard(now, stations, at, flight, heard, outcomes);
        }
        if flight.kind == Kind::BlockAckReq {
            return self.on_request(now, stations, at, flight, outcomes);
        }
        let sent = stations[from as usize].under_way(flight.serial);
        let Some(first) = sent.first().map(|mpdu| mpdu.number) else { return };
        let good = if mpdus > 1 { self.good & u64::MAX >> (64 - mpdus.min(64)) } else { 1 };
        let arrived = |(bit, mpdu): (usize, &Mpdu)| {
            let Mpdu { number, handle, offered, .. } = *mpdu;
            (good >> bit & 1 == 1).then_some((number, Arrived { handle, offered }))
        };
        let packets = sent.iter().enumerate().filter_map(arrived);
        let mut told = std::mem::take(&mut self.told);
        let way = (from, class as u8, to);
        let bits = self.reorder.take(now, way, first, packets, |verdict| told.push(verdict));
        stations[at as usize].note_block_ack(bits);
        stations[from as usize].stats.errored += u64::from(mpdus - good.count_ones());
        self.tell(now, stations, (from, at), &mut told, outcomes);
        self.told = told;
    }

    /// A receiver learns that its sender has done with all packets before those that are under way.
    #[cold]
    fn on_request(
        &mut self,
        now: Time,
        stations: &mut [Station],
        at: StationId,
        flight: &Flight,
        outcomes: &mut Vec<Outcome>,
    ) {
        let Flight { from, to, class, .. } = *flight;
        let Some(first) = stations[from as usize].under_way(flight.serial).first().map(|mpdu| mpdu.number) else {
            return;
        };
        let mut told = std::mem::take(&mut self.told);
        let way = (from, class as u8, to);
        let bits = self.reorder.take(now, way, first, std::iter::empty(), |verdict| told.push(verdict));
        stations[at as usize].note_block_ack(bits);
        self.tell(now, stations, (from, at), &mut told, outcomes);
        self.told = told;
    }

    /// What has become of packets with numbers.
    fn tell(
        &mut self,
        now: Time,
        stations: &mut [Station],
        (from, at): (StationId, StationId),
        told: &mut Vec<Verdict>,
        outcomes: &mut Vec<Outcome>,
    ) {
        for verdict in told.drain(..) {
            match verdict {
                Verdict::Up(Arrived { handle, offered }) => {
                    let sender = &mut stations[from as usize].stats;
                    sender.delay += now.since(offered);
                    sender.arrived += 1;
                    self.go_up(now, now, stations, (from, at), handle, outcomes);
                }
                Verdict::Held(Arrived { handle, .. }) => outcomes.push(Outcome::Held { at, from, handle }),
                Verdict::Late(Arrived { handle, .. }) => {
                    stations[at as usize].stats.late += 1;
                    outcomes.push(Outcome::Late { at, from, handle });
                }
                Verdict::Repeated => stations[at as usize].stats.duplicates += 1,
            }
        }
    }

    /// When a receiver gives up missing packets next.
    pub(crate) fn missing_until(&self) -> Time {
        self.reorder.due()
    }

    /// Receivers give up missing packets: those behind them go up.
    #[cold]
    pub(crate) fn give_up_missing(&mut self, now: Time, stations: &mut [Station], outcomes: &mut Vec<Outcome>) {
        let mut told = std::mem::take(&mut self.told);
        while let Some((from, _, to)) = self.reorder.skip(now, |verdict| told.push(verdict)) {
            self.tell(now, stations, (from, to), &mut told, outcomes);
        }
        self.told = told;
    }

    /// A frame for this station was accepted, or lost.
    #[inline(always)]
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
        self.go_up(flight.start, now, stations, (from, at), handle, outcomes);
    }

    /// A packet is handed up. The time from `start` on counts for errors above the MAC.
    #[inline]
    fn go_up(
        &mut self,
        start: Time,
        now: Time,
        stations: &mut [Station],
        (from, at): (StationId, StationId),
        handle: u64,
        outcomes: &mut Vec<Outcome>,
    ) {
        let stats = &mut stations[at as usize].stats;
        stats.received += 1;
        let above = self.at == LossAt::Above && !self.errors.is_empty();
        if above && self.errors[at as usize].hits(start, now, true) {
            stats.lost_above += 1;
            outcomes.push(Outcome::LostAbove { at, from, handle });
        } else {
            outcomes.push(Outcome::Delivered { at, from, handle });
        }
    }
}
