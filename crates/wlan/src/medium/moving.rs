//! Stations that move: who hears whom follows their positions, as often as it matters.
//!
//! Nothing happens because a station moves. When a frame goes on air, and a step of time (`move_step`) has begun since
//! positions were taken last, those are taken anew who have gone a metre or more, as they were when that step began.
//! Powers and delays from and to them follow. A frame on air keeps the row of hearers with which it left.

use std::f64::consts::LN_10;

use units::{Span, Time, num};

use super::fading::Fading;
use super::hearing::{Hearer, Hearing, heard_at};
use crate::flight::StationId;
use crate::{Position, Radio, Way};

/// Who has gone less far is where it was, in metres.
const LEAST: f64 = 1.0;

#[derive(Debug)]
pub(crate) struct Moving {
    radio: Radio,
    fading: Fading,
    /// Where stations are, as far as powers are concerned.
    positions: Vec<Position>,
    movers: Vec<Mover>,
    /// Number of the step at which positions were taken last.
    step: u64,
    /// Of each mover and station what the places do to the power between them, in dB; empty without shadowing. Two
    /// movers have the entry of the first.
    shadows: Vec<f64>,
    /// How often a place was taken anew.
    taken: u64,
    /// Which row each station's frames leave with, and of each row how many of those on air have it.
    current: Vec<u32>,
    on_air: Vec<u32>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Mover {
    station: StationId,
    way: Way,
    /// When its position was taken.
    since: Time,
}

impl Moving {
    /// `hearing` is that of the positions at the start, where all movers are where their ways begin.
    pub(crate) fn new(radio: &Radio, fading: &Fading, positions: Vec<Position>, moves: &[(StationId, Way)]) -> Moving {
        let count = positions.len();
        let mover =
            |(station, way): &(StationId, Way)| Mover { station: *station, way: way.clone(), since: Time::ZERO };
        let movers: Vec<Mover> = moves.iter().map(mover).collect();
        let mut shadows = Vec::new();
        if radio.shadowing_db > 0.0 {
            let to_all = |mover: &Mover| {
                let own = mover.station;
                (0..count as StationId).map(|other| fading.shadow_db(own, other)).collect::<Vec<_>>()
            };
            shadows = movers.iter().flat_map(to_all).collect();
        }
        Moving {
            radio: radio.clone(),
            fading: fading.clone(),
            positions,
            movers,
            step: 0,
            shadows,
            taken: 0,
            current: (0..count as u32).collect(),
            on_air: vec![0; count],
            free: Vec::new(),
        }
    }

    /// The row with which a station's frames leave.
    pub(crate) fn row(&self, from: StationId) -> u32 {
        self.current[from as usize]
    }

    /// A frame goes on air: the row of those who hear it.
    pub(crate) fn leaves(&mut self, now: Time, from: StationId, hearing: &mut Hearing) -> u32 {
        let step = now.0 / self.radio.move_step.0;
        if step > self.step {
            self.step = step;
            self.go_on(Time(step * self.radio.move_step.0), &mut hearing.rows);
        }
        let row = self.current[from as usize];
        self.on_air[row as usize] += 1;
        row
    }

    /// A frame that left with this row has ended everywhere.
    pub(crate) fn is_over(&mut self, from: StationId, row: u32) {
        self.on_air[row as usize] -= 1;
        if self.on_air[row as usize] == 0 && self.current[from as usize] != row {
            self.free.push(row);
        }
    }

    fn go_on(&mut self, at: Time, rows: &mut Vec<Vec<Hearer>>) {
        for place in 0..self.movers.len() {
            let Mover { station, ref way, since } = self.movers[place];
            let walked = way.walked(since, at);
            if walked < LEAST {
                continue;
            }
            self.positions[station as usize] = way.at(at);
            self.movers[place].since = at;
            self.taken += 1;
            self.shade(place, walked);
            self.renew_row(station, rows);
            (0..self.positions.len() as StationId).filter(|other| *other != station).for_each(|other| {
                self.renew_entry(other, station, rows);
            });
        }
    }

    /// What places do to power is forgotten with the way: a Gauss-Markov process.
    fn shade(&mut self, place: usize, walked: f64) {
        if self.shadows.is_empty() {
            return;
        }
        let own = self.movers[place].station;
        let kept = num::exp(-walked / self.radio.shadowing_coherence);
        let new = self.radio.shadowing_db * num::sqrt(1.0 - kept * kept);
        for other in 0..self.positions.len() as StationId {
            let drawn = new * self.fading.step_db(own, other, self.taken);
            let entry = self.pair(own, other);
            self.shadows[entry] = kept * self.shadows[entry] + drawn;
        }
    }

    /// Where the shadow between a mover and another station is kept.
    fn pair(&self, a: StationId, b: StationId) -> usize {
        let first = self.movers.iter().position(|mover| mover.station == a || mover.station == b).unwrap_or(0);
        let other = if self.movers[first].station == a { b } else { a };
        first * self.positions.len() + other as usize
    }

    /// How one station hears another, one of which moves.
    fn between(&self, from: StationId, to: StationId) -> Option<Hearer> {
        let shadow = match self.shadows.is_empty() {
            true => 1.0,
            false => num::exp(self.shadows[self.pair(from, to)] * LN_10 / 10.0),
        };
        let distance = self.positions[from as usize].distance(self.positions[to as usize]);
        heard_at(from, to, distance, shadow, &self.radio, &self.fading)
    }

    /// A row that no frame on air has, with what stands in the present one.
    fn own_row(&mut self, station: StationId, rows: &mut Vec<Vec<Hearer>>) -> usize {
        let present = self.current[station as usize] as usize;
        if self.on_air[present] == 0 {
            return present;
        }
        let row = self.free.pop().unwrap_or(rows.len() as u32) as usize;
        if row == rows.len() {
            rows.push(Vec::new());
            self.on_air.push(0);
        }
        let mut copy = std::mem::take(&mut rows[row]);
        copy.clone_from(&rows[present]);
        rows[row] = copy;
        self.current[station as usize] = row as u32;
        row
    }

    fn renew_row(&mut self, station: StationId, rows: &mut Vec<Vec<Hearer>>) {
        let row = self.own_row(station, rows);
        rows[row].clear();
        rows[row].extend((0..self.positions.len() as StationId).filter_map(|to| match to == station {
            true => Some(Hearer::itself(station, &self.radio)),
            false => self.between(station, to),
        }));
        rows[row].sort_by_key(|hearer| hearer.order(station));
    }

    /// `from` may hear `to` otherwise than before.
    fn renew_entry(&mut self, from: StationId, to: StationId, rows: &mut Vec<Vec<Hearer>>) {
        let row = self.own_row(from, rows);
        rows[row].retain(|hearer| hearer.station != to);
        if let Some(hearer) = self.between(from, to) {
            let place = rows[row].partition_point(|other| other.order(from) < hearer.order(from));
            rows[row].insert(place, hearer);
        }
    }
}

/// Metres per second of two stations relative to each other, by the ways of those that move.
#[derive(Clone, Debug)]
pub(crate) struct Speeds(Vec<Option<Way>>);

impl Speeds {
    pub(crate) fn new(count: usize, moves: &[(StationId, Way)]) -> Speeds {
        let mut ways = vec![None; count];
        moves.iter().for_each(|(station, way)| ways[*station as usize] = Some(way.clone()));
        Speeds(ways)
    }

    fn of(&self, station: StationId, at: Time) -> Position {
        self.0[station as usize].as_ref().map_or(Position::default(), |way| way.velocity(at))
    }

    /// How long a block of fading lasts: 0.423 wavelengths of way, from 1 ms to 1 s.
    pub(crate) fn block(&self, a: StationId, b: StationId, at: Time, wavelength: f64) -> Span {
        let speed = self.of(a, at).distance(self.of(b, at));
        let seconds = if speed > 0.0 { (0.423 * wavelength / speed).clamp(1e-3, 1.0) } else { 1.0 };
        Span::from_secs(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_last_as_long_as_the_way_through_half_a_wave() {
        let walk = Way::Line { from: Position::default(), velocity: Position { x: 1.5, y: 0.0 } };
        let ride = Way::Line { from: Position::default(), velocity: Position { x: -300.0, y: 0.0 } };
        let speeds = Speeds::new(4, &[(1, walk), (2, ride)]);
        let ms = |a, b| (speeds.block(a, b, Time::ZERO, 0.125).0 as f64 / 1e4).round() / 100.0;
        // 0.423 x 0.125 m = 52.9 mm, at 1.5 m/s: 35.25 ms; at 300 m/s: 0.18 ms, which is less than 1 ms
        assert_eq!((ms(0, 1), ms(1, 0), ms(0, 2), ms(0, 3)), (35.25, 35.25, 1.0, 1000.0));
    }
}
