//! Who hears whom, how strongly, and how much later.

use units::{Span, Time, num};

use super::fading::Fading;
use crate::flight::{EVERYONE, StationId};
use crate::propagation::{Least, Radio, Travel};
use crate::{Error, Layout, Phy};

/// Where a station is, in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Position {
    /// East.
    pub x: f64,
    /// North.
    pub y: f64,
}

impl Position {
    /// Metres between the two.
    pub fn distance(self, other: Position) -> f64 {
        num::sqrt((self.x - other.x) * (self.x - other.x) + (self.y - other.y) * (self.y - other.y))
    }
}

/// One station that senses another's frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hearer {
    pub(crate) station: StationId,
    /// Whether it senses them, and can decode them: OFDM (and frames without symbols), DSSS.
    senses: [bool; 2],
    decodes: [bool; 2],
    pub(crate) power: f64,
    pub(crate) delay: Span,
}

/// For each transmitter a row of those that sense it, nearest first, itself among them at no distance.
#[derive(Debug)]
pub(crate) struct Hearing {
    pub(crate) rows: Vec<Vec<Hearer>>,
    /// All hear all: one row serves all.
    alike: bool,
    /// Of each transmitter the delay of the nearest other; empty where it is none.
    nearest: Vec<Span>,
}

impl Hearing {
    pub(crate) fn new(layout: &Layout, radio: &Radio, fading: &Fading) -> Result<Hearing, Error> {
        let count = layout.stations();
        let station_at = |station: StationId| {
            let exists = (station as usize) < count;
            if exists { Ok(station) } else { Err(Error::NoStation { station, count }) }
        };
        match layout {
            Layout::Everyone { .. } => {
                let all = (0..count).map(|to| Hearer::equal(to as StationId)).collect();
                Ok(Hearing { rows: vec![all], alike: true, nearest: Vec::new() })
            }
            Layout::List { heard, .. } => {
                let mut rows: Vec<Vec<Hearer>> = (0..count).map(|own| vec![Hearer::equal(own as StationId)]).collect();
                for &(from, to) in heard {
                    let row = &mut rows[station_at(from)? as usize];
                    if row.iter().all(|hearer| hearer.station != to) {
                        row.push(Hearer::equal(station_at(to)?));
                    }
                }
                Ok(Hearing::from_rows(rows))
            }
            Layout::Positions(positions) => {
                for position in positions {
                    for (key, value) in [("position.x", position.x), ("position.y", position.y)] {
                        if !value.is_finite() {
                            return Err(Error::Range { key, value, must: "a number of metres" });
                        }
                    }
                }
                Ok(Hearing::from_rows((0..count).map(|from| heard_from(from, positions, radio, fading)).collect()))
            }
        }
    }

    fn from_rows(mut rows: Vec<Vec<Hearer>>) -> Hearing {
        let mut nearest = Vec::new();
        for (own, row) in rows.iter_mut().enumerate() {
            row.sort_by_key(|hearer| hearer.order(own as StationId));
            nearest.push(row.get(1).map_or(Span::ZERO, |nearest| nearest.delay));
        }
        Hearing { rows, alike: false, nearest }
    }

    /// Rows may change from now on, and no station is known to be any distance from another.
    pub(crate) fn may_change(&mut self) {
        self.nearest.clear();
    }

    /// How far the station nearest to this one is, of those that sense it.
    #[inline]
    pub(crate) fn nearest(&self, from: usize) -> Span {
        self.nearest.get(from).copied().unwrap_or(Span::ZERO)
    }

    /// A frame of this row is not sensed where it should arrive. Where all are in the row nobody has to be looked for.
    #[inline]
    pub(crate) fn misses(&self, row: u32, to: StationId) -> bool {
        if self.alike || to == EVERYONE {
            return false;
        }
        self.row(row).iter().all(|hearer| hearer.station != to)
    }

    #[inline(always)]
    pub(crate) fn row(&self, row: u32) -> &[Hearer] {
        &self.rows[if self.alike { 0 } else { row as usize }]
    }
}

impl Hearer {
    #[inline]
    pub(crate) fn decodes(&self, phy: Phy) -> bool {
        self.decodes[usize::from(matches!(phy, Phy::Dsss))]
    }

    #[inline]
    pub(crate) fn senses(&self, phy: Phy) -> bool {
        self.senses[usize::from(matches!(phy, Phy::Dsss))]
    }

    /// The same station with another power, where frames need so much.
    pub(crate) fn with_power(self, power: f64, Least { sensed, decoded }: &Least) -> Hearer {
        Hearer {
            power,
            senses: sensed.map(|least| power >= least),
            decodes: decoded.map(|least| power >= least),
            ..self
        }
    }

    /// Nearest first, the sender itself before all others.
    pub(crate) fn order(&self, from: StationId) -> (Span, bool, StationId) {
        (self.delay, self.station != from, self.station)
    }

    /// The sender at no distance from itself.
    pub(crate) fn itself(station: StationId, radio: &Radio) -> Hearer {
        Hearer { power: radio.power_at(0.0), ..Hearer::equal(station) }
    }

    /// One of those who all hear each other equally well.
    pub(crate) fn equal(station: StationId) -> Hearer {
        Hearer { station, senses: [true; 2], decodes: [true; 2], power: 1.0, delay: Span::ZERO }
    }
}

fn heard_from(from: usize, positions: &[Position], radio: &Radio, fading: &Fading) -> Vec<Hearer> {
    let own = from as StationId;
    let all = (0..).zip(positions);
    let others = all.filter_map(|(to, position)| match to == own {
        true => Some(Hearer::itself(own, radio)),
        false => heard_at(own, to, positions[from].distance(*position), fading.shadow(own, to), radio, fading),
    });
    others.collect()
}

/// How a station hears another at this distance, if it can; `shadow` multiplies the power.
pub(crate) fn heard_at(
    from: StationId,
    to: StationId,
    distance: f64,
    shadow: f64,
    radio: &Radio,
    fading: &Fading,
) -> Option<Hearer> {
    let power = radio.power_at(distance) * shadow;
    if to != from && !fading.may_be_heard(power) {
        return None;
    }
    let delay = match radio.travel {
        Travel::None => Span::ZERO,
        Travel::Exact => Time::from_secs(distance / radio.light).since(Time::ZERO),
    };
    Some(Hearer { delay, ..Hearer::equal(to) }.with_power(power, &fading.least))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(layout: &Layout) -> Result<Hearing, Error> {
        let params = crate::Params::ns2_default();
        Hearing::new(layout, &params.radio, &Fading::new(&params, sim::Stream::new(1, "fading"), None))
    }

    #[test]
    fn a_chain_in_ns2_senses_two_hops() {
        let positions = (0..6).map(|i| Position { x: 200.0 * f64::from(i), y: 0.0 }).collect();
        let hearing = new(&Layout::Positions(positions)).unwrap();
        let row: Vec<(u32, bool, u64)> =
            hearing.row(2).iter().map(|hearer| (hearer.station, hearer.decodes(Phy::Plain), hearer.delay.0)).collect();
        // 200 m / 3e8 m/s = 666.67 ns
        let expected = [(2, true, 0), (1, true, 667), (3, true, 667), (0, false, 1333), (4, false, 1333)];
        assert_eq!(row, expected);
    }

    #[test]
    fn a_list_is_as_it_says() {
        let layout = Layout::mutual(3, &[(0, 1), (1, 2)]);
        let hearing = new(&layout).unwrap();
        let heard = |from| hearing.row(from).iter().map(|hearer| hearer.station).collect::<Vec<_>>();
        assert_eq!((heard(0), heard(1), heard(2)), (vec![0, 1], vec![1, 0, 2], vec![2, 1]));
        let error = new(&Layout::mutual(3, &[(0, 3)])).unwrap_err();
        assert_eq!(error.to_string(), "no station 3: there are 3, numbered from 0");
    }
}
