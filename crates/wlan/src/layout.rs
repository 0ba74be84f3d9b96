//! Who hears whom, as it is described.

use crate::{Position, StationId};

/// Stations and who hears whom.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// All hear all, equally well and at once.
    Everyone {
        /// How many.
        stations: usize,
    },
    /// As listed, equally well and at once.
    List {
        /// How many.
        stations: usize,
        /// Transmitter and who hears it.
        heard: Vec<(StationId, StationId)>,
    },
    /// By distance.
    Positions(Vec<Position>),
}

impl Layout {
    /// Pairs that hear each other.
    pub fn mutual(stations: usize, pairs: &[(StationId, StationId)]) -> Layout {
        let heard = pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        Layout::List { stations, heard }
    }

    /// `count` nodes on a line, `spacing` metres apart.
    pub fn line(count: usize, spacing: f64) -> Layout {
        Layout::Positions((0..count).map(|i| Position { x: i as f64 * spacing, y: 0.0 }).collect())
    }

    /// Station 0 in the middle, the others evenly on a circle round it.
    pub fn circle(others: usize, radius: f64) -> Layout {
        let mut positions = vec![Position::default()];
        positions.extend((0..others).map(|i| {
            let (x, y) = unit_circle(i as f64 / others as f64);
            Position { x: radius * x, y: radius * y }
        }));
        Layout::Positions(positions)
    }

    /// How many stations.
    pub fn stations(&self) -> usize {
        match self {
            Layout::Everyone { stations } | Layout::List { stations, .. } => *stations,
            Layout::Positions(positions) => positions.len(),
        }
    }
}

/// The point at this share of the way round the unit circle.
fn unit_circle(share: f64) -> (f64, f64) {
    (units::num::cos(share * std::f64::consts::TAU), units::num::sin(share * std::f64::consts::TAU))
}
