//! Who of those that move is out of reach of those it exchanges packets with, since when and for how long.

use net::{CellularSpec, LossCause};
use serde_json::{Value as Json, json};
use units::{Span, Time};

use crate::decode::plan::Plan;
use crate::decode::radio::Medium;

/// Times out of reach, all together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Absence {
    /// When the first of them begins, seconds; NaN: there is none.
    pub(crate) since: f64,
    /// Their length, seconds.
    pub(crate) secs: f64,
}

impl Absence {
    const NONE: Absence = Absence { since: f64::NAN, secs: 0.0 };

    fn add(&mut self, since: Time, length: Span) {
        if self.secs == 0.0 {
            self.since = since.secs();
        }
        self.secs += length.secs();
    }
}

impl Plan {
    /// One object for each station or mobile that is out of reach at some time: its `medium`, `node`, whether it is one
    /// of base stations (`cellular`), `since_s` when at first, and for how long in all, `seconds`.
    pub(crate) fn absences(&self) -> Json {
        let (nodes, length) = (self.topology.nodes(), self.general.duration);
        let mut found = Vec::new();
        let mut add = |medium: &str, node: &str, cellular: bool, absence: &Absence| {
            if absence.secs > 0.0 {
                found.push(json!({
                    "medium": medium, "node": node, "cellular": cellular, "since_s": absence.since,
                    "seconds": absence.secs,
                }));
            }
        };
        for medium in self.topology.media() {
            let stations = medium.nodes.iter().zip(of_stations(medium, length));
            stations.for_each(|(&node, absence)| add(&medium.name, &nodes[node], false, &absence));
        }
        for spec in self.topology.cellular() {
            // server, router and base come before the mobiles
            let mobiles = nodes.iter().skip(3).zip(of_mobiles(&spec, length));
            mobiles.for_each(|(node, absence)| add("air", node, true, &absence));
        }
        Json::from(found)
    }
}

/// Of each mobile, the time without coverage in a run of this length.
pub(crate) fn of_mobiles(spec: &CellularSpec, length: Span) -> Vec<Absence> {
    let end = Time::ZERO + length;
    let of = |mobile: &net::MobileSpec| {
        let mut absence = Absence::NONE;
        let course = spec.course(&mobile.way, end);
        for hole in course.breaks.iter().filter(|hole| hole.cause == LossCause::Coverage && hole.at < end) {
            absence.add(hole.at, (hole.at + hole.length).min(end).since(hole.at));
        }
        absence
    };
    spec.mobiles.iter().map(of).collect()
}

/// Most looks at the places of moving stations: in very long runs they are further apart than `move_step`.
const LOOKS: u64 = 10_000_000;

/// Of each station that moves or exchanges packets with one that does, the time in a run of this length during which
/// the two are too far from each other to exchange packets, the luck of places and moments aside; looked at every
/// `move_step`. Of an access point nothing: it is its stations that are away.
pub(crate) fn of_stations(medium: &Medium, length: Span) -> Vec<Absence> {
    let mut absences = vec![Absence::NONE; medium.nodes.len()];
    let pairs = medium.moving_pairs().count() as u64;
    let step = medium.params().radio.move_step.max(Span(length.0 / LOOKS * pairs));
    for (a, b) in medium.moving_pairs() {
        let mut absence = Absence::NONE;
        for at in (0..length.0).step_by(step.0 as usize) {
            if !medium.reach_at(a, b, Time(at)) {
                absence.add(Time(at), Span(step.0.min(length.0 - at)));
            }
        }
        for station in [a, b].into_iter().filter(|station| !medium.access_points.contains(station)) {
            if absence.secs > absences[station].secs {
                absences[station] = absence;
            }
        }
    }
    absences
}
