//! Topology `chain`: nodes on a line, on one medium.

use serde_json::{Map, Value as Json, json};
use tcp::Profile;
use wlan::{Position, Travel};

use super::radio::Medium;
use super::radio::table::Radio;
use super::ways;
use crate::error::{Problem, code};
use crate::files::Files;
use crate::read::Fields;
use crate::units::length_text;

/// Nodes so many metres apart.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    spacing: f64,
    medium: Medium,
}

/// Keys and what they mean.
pub(crate) static KEYS: &[(&str, &str)] = &[
    ("nodes", "nodes on the line, at least 2"),
    ("spacing", "between two neighbours, such as \"200 m\""),
    ("moves", "ways of nodes that move, a table by name, as of `wlan`; routes stay as at the start"),
    ("radio", "the medium: a parameter set of 802.11 and changes to it"),
];

/// Farthest neighbours, metres.
const FAR: f64 = 1e6;

/// Read the table.
pub(crate) fn read(fields: &Fields<'_>, profile: Profile, files: &Files) -> Result<Chain, Problem> {
    let nodes = fields.need("nodes", "4")?;
    let count = match nodes.whole(2..=u64::MAX)? {
        count if count <= wlan::STATIONS_MAX as u64 => count as usize,
        count => {
            let most = wlan::STATIONS_MAX;
            return Err(nodes
                .problem(code::TOO_MANY_STATIONS, format!("is {count}, at most {most} stations can be on one medium"))
                .hint("simulate a shorter chain"));
        }
    };
    let spacing = fields.need("spacing", "\"200 m\"")?;
    let metres = spacing.metres(0.0..=FAR)?;
    let names = (0..count).map(|i| format!("n{i}")).collect();
    let radio = Radio::read(fields.get("radio").as_ref(), &[], names, profile, Travel::Exact)?;
    let positions = (0..count).map(|i| Position { x: i as f64 * metres, y: 0.0 }).collect();
    let place = spacing.node.place;
    let by_distance = radio.hears.is_none();
    let medium = Medium::new("air".to_owned(), radio, (0..count).collect(), vec![], Some(positions), place)?;
    let mut medium = medium.with_moves(fields.get("moves").as_ref(), files)?;
    if let Some(before) = medium.gap() {
        let what = format!("no packets get through between n{before} and n{} of the chain", before + 1);
        let hint = match by_distance {
            true if !medium.moves.is_empty() => {
                format!("{}; `moves` say where nodes are at the start", medium.reach_hint(before, before + 1))
            }
            true => medium.reach_hint(before, before + 1),
            false => format!("add [\"n{before}\", \"n{}\"] to `hears`", before + 1),
        };
        return Err(spacing.problem(code::OUT_OF_REACH, format!("is {}: {what}", length_text(metres))).hint(hint));
    }
    // who begins elsewhere is on no line
    medium.join_neighbours(place, by_distance && medium.moves.is_empty())?;
    Ok(Chain { spacing: metres, medium })
}

impl Chain {
    /// The medium.
    pub(crate) fn medium(&self) -> &Medium {
        &self.medium
    }

    /// The medium, to size its queues.
    pub(crate) fn medium_mut(&mut self) -> &mut Medium {
        &mut self.medium
    }

    /// Names of the nodes.
    pub(crate) fn nodes(&self) -> Vec<String> {
        self.medium.radio.names.clone()
    }

    /// How many nodes the longest hop of each node passes over.
    pub(crate) fn passed_over(&self) -> Vec<usize> {
        let mut over = vec![0; self.medium.nodes.len()];
        for (a, b) in self.medium.joined() {
            for node in [a, b] {
                over[node] = over[node].max(a.abs_diff(b) - 1);
            }
        }
        over
    }

    /// The table, complete.
    pub(crate) fn effective(&self) -> Map<String, Json> {
        let moves = &self.medium.moves;
        let ways = (!moves.is_empty()).then(|| ("moves".into(), ways::of_nodes_text(moves, &self.medium.radio.names)));
        let first = [
            ("kind".into(), "chain".into()),
            ("nodes".into(), json!(self.medium.nodes.len())),
            ("spacing".into(), length_text(self.spacing).into()),
        ];
        let radio = ("radio".into(), Json::Object(self.medium.radio.effective()));
        first.into_iter().chain(ways).chain([radio]).collect()
    }
}
