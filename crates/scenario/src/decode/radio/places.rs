//! Where stations are.

use serde_json::{Value as Json, json};
use sim::Stream;
use units::num;
use wlan::Position;

use super::rows::FAR;
use crate::error::{Problem, code};
use crate::read::Item;
use crate::units::length_text;

/// Where the stations of a cell are, its access points aside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Placing {
    /// Evenly on a circle round the origin.
    Circle { radius: f64 },
    /// Anywhere within a circle: drawn from this seed, the same in every run.
    Disc { radius: f64, seed: u64 },
    /// On a line from the origin, the first one step away.
    Line { spacing: f64 },
}

/// Kinds of placing with the keys of each.
const KINDS: &[(&str, &[&str])] =
    &[("circle", &["kind", "radius"]), ("disc", &["kind", "radius", "seed"]), ("line", &["kind", "spacing"])];

impl Placing {
    /// Read a table.
    pub(crate) fn read(item: &Item<'_>) -> Result<Placing, Problem> {
        let kind = item.open_table()?.need("kind", "\"circle\"")?;
        let words: Vec<_> = KINDS.iter().map(|(name, keys)| (*name, (*name, *keys))).collect();
        let (name, keys) = kind.word(&words)?;
        let table = item.table(keys)?;
        let radius = || table.need("radius", "\"5 m\"")?.metres(0.0..=FAR);
        Ok(match name {
            "circle" => Placing::Circle { radius: radius()? },
            "disc" => Placing::Disc {
                radius: radius()?,
                seed: table.get("seed").map_or(Ok(1), |item| item.whole(0..=u64::from(u32::MAX)))?,
            },
            _ => Placing::Line { spacing: table.need("spacing", "\"5 m\"")?.metres(0.0..=FAR)? },
        })
    }

    /// The table, complete.
    pub(crate) fn effective(&self) -> Json {
        match self {
            Placing::Circle { radius } => json!({ "kind": "circle", "radius": length_text(*radius) }),
            Placing::Disc { radius, seed } => json!({ "kind": "disc", "radius": length_text(*radius), "seed": seed }),
            Placing::Line { spacing } => json!({ "kind": "line", "spacing": length_text(*spacing) }),
        }
    }

    /// Where each of so many stations is.
    pub(crate) fn positions(&self, count: usize) -> Vec<Position> {
        match self {
            Placing::Circle { radius } => (0..count).map(|i| on_circle(*radius, i as f64 / count as f64)).collect(),
            Placing::Disc { radius, seed } => {
                let mut stream = Stream::new(*seed, "placing");
                // even over the area: the share of it within a distance is that distance squared
                let mut one = || (num::sqrt(stream.uniform()), stream.uniform());
                (0..count).map(|_| one()).map(|(share, turn)| on_circle(radius * share, turn)).collect()
            }
            Placing::Line { spacing } => (0..count).map(|i| Position { x: spacing * (i + 1) as f64, y: 0.0 }).collect(),
        }
    }
}

/// The point at this share of the way round a circle.
fn on_circle(radius: f64, turn: f64) -> Position {
    let angle = turn * std::f64::consts::TAU;
    Position { x: radius * num::cos(angle), y: radius * num::sin(angle) }
}

/// A list of so many positions, each two lengths: `["3 m", "0 m"]`.
pub(crate) fn list(item: &Item<'_>, count: usize, of_what: &str) -> Result<Vec<Position>, Problem> {
    let items = item.list()?;
    if items.len() != count {
        let what = format!("has {} positions for {count} {of_what}", items.len());
        return Err(item
            .problem(code::COUNTS_DIFFER, what)
            .hint("write one position for each, such as [\"3 m\", \"0 m\"]"));
    }
    items.iter().map(position).collect()
}

fn position(item: &Item<'_>) -> Result<Position, Problem> {
    let parts = item.list().map_err(|problem| problem.hint("a position is [\"3 m\", \"0 m\"]"))?;
    let [x, y] = &parts[..] else {
        return Err(item
            .problem(code::WRONG_TYPE, format!("has a position of {} numbers, wanted are two", parts.len()))
            .hint("a position is [\"3 m\", \"0 m\"]: east, north"));
    };
    Ok(Position { x: x.metres(-FAR..=FAR)?, y: y.metres(-FAR..=FAR)? })
}

/// Positions as they are written.
pub(crate) fn list_text(positions: &[Position]) -> Json {
    positions.iter().map(|at| json!([length_text(at.x), length_text(at.y)])).collect()
}

/// Metres between two places.
pub(crate) fn distance(a: Position, b: Position) -> f64 {
    let (x, y) = (a.x - b.x, a.y - b.y);
    num::sqrt(x * x + y * y)
}
