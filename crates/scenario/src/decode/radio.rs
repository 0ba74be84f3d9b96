//! A radio medium: its stations, where they are, and which of them exchange packets.
//!
//! | file | what it reads |
//! |---|---|
//! | `table` | the table of a radio |
//! | `rows` | numbers and rules of 802.11, a key each |
//! | `edca` | classes of packets |
//! | `rates`, `errors`, `places` | rates; random errors of frames; where stations are |

pub(crate) mod edca;
pub(crate) mod errors;
pub(crate) mod places;
mod rates;
mod rows;
pub(crate) mod table;

use std::collections::BTreeSet;

use net::{DirectionSpec, LinkSpec, NodeId, QueueSpec, StationSpec};
use units::{Span, Time};
use wlan::{Layout, Position, Reception, Travel, Way};

use super::depth::Paths;
use super::queue;
use super::ways;
use crate::error::{Place, Problem, code, show};
use crate::files::Files;
use crate::limits::FLOWS;
use crate::read::Item;
use places::distance;
use table::Radio;

/// A medium with its stations.
#[derive(Clone, Debug)]
pub(crate) struct Medium {
    pub(crate) name: String,
    pub(crate) radio: Radio,
    /// The node of each station.
    pub(crate) nodes: Vec<NodeId>,
    /// Which of them are access points, by number of the station.
    pub(crate) access_points: Vec<usize>,
    /// The same, station by station.
    is_access_point: Vec<bool>,
    /// Where each station is; none: see `heard`, or all hear all.
    pub(crate) positions: Option<Vec<Position>>,
    /// Ways of stations that move; `positions` has where these are at the start.
    pub(crate) moves: Vec<(usize, Way)>,
    /// Least power at which packets of each station get through.
    least: Vec<f64>,
    /// Who hears whom, in both orders, if that is listed.
    heard: Option<BTreeSet<(usize, usize)>>,
    /// Pairs of stations that exchange packets.
    links: Vec<AirLink>,
}

/// Two stations that exchange packets.
#[derive(Clone, Debug)]
pub(crate) struct AirLink {
    name: String,
    a: usize,
    b: usize,
}

impl Medium {
    /// A medium without links yet. `place` is where a problem with the stations shows.
    pub(crate) fn new(
        name: String,
        radio: Radio,
        nodes: Vec<NodeId>,
        access_points: Vec<usize>,
        positions: Option<Vec<Position>>,
        place: Place,
    ) -> Result<Medium, Problem> {
        if nodes.len() > wlan::STATIONS_MAX {
            let most = wlan::STATIONS_MAX;
            let what = format!("{} stations on one medium, at most {most} can be simulated", nodes.len());
            return Err(Problem::new(code::TOO_MANY_STATIONS, place, what)
                .hint("split them over several channels, each a medium of its own, or simulate fewer"));
        }
        if let Some((place, key)) = radio.by_distance.filter(|_| positions.is_none() || radio.hears.is_some()) {
            let what = format!("`{key}`, as it is here, goes by distances, and those of the stations are not known");
            let hint = "say where stations are, by `placing` or `positions` and without `hears`";
            return Err(Problem::new(code::CONFLICT, place, what).hint(hint));
        }
        let mut is_access_point = vec![false; nodes.len()];
        access_points.iter().for_each(|station| is_access_point[*station] = true);
        let heard = radio.hears.as_ref().map(|pairs| pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect());
        Ok(Medium {
            name,
            nodes,
            access_points,
            is_access_point,
            positions,
            moves: Vec::new(),
            least: radio.least_powers(),
            radio,
            heard,
            links: Vec::new(),
        })
    }

    /// Some of its stations move.
    pub(crate) fn with_moves(mut self, item: Option<&Item<'_>>, files: &Files) -> Result<Medium, Problem> {
        let Some(item) = item else { return Ok(self) };
        let (what, hint) = match (&self.positions, &self.heard) {
            (_, Some(_)) => ("has no use with `hears`, which says who hears whom", "take one of the two away"),
            (None, None) => ("has no use while stations have no places", "say where the others are, by positions"),
            (Some(_), None) => ("", ""),
        };
        if !what.is_empty() {
            return Err(item.problem(code::CONFLICT, what).hint(hint));
        }
        self.moves = ways::of_nodes(item, &self.radio.names, files)?;
        for (station, way) in &self.moves {
            if let Some(positions) = &mut self.positions {
                positions[*station] = way.at(Time::ZERO);
            }
        }
        Ok(self)
    }

    fn moves(&self, station: usize) -> bool {
        self.moves.iter().any(|one| one.0 == station)
    }

    /// Numbers of stations that exchange packets, of which at least one moves.
    pub(crate) fn moving_pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.links.iter().filter(|link| self.moves(link.a) || self.moves(link.b)).map(|link| (link.a, link.b))
    }

    /// Whether packets of two stations get through to each other at a time, the luck of the place aside.
    pub(crate) fn reach_at(&self, a: usize, b: usize, at: Time) -> bool {
        let Some(positions) = &self.positions else { return self.reach_each_other(a, b) };
        let place = |station: usize| {
            let way = self.moves.iter().find(|one| one.0 == station);
            way.map_or(positions[station], |(_, way)| way.at(at))
        };
        let power = self.radio.params.radio.power_at(distance(place(a), place(b)));
        self.get_through(a, b, power)
    }

    /// Power in W that one station receives of another at the start, the luck of the place aside; 1 W where distance
    /// does not count.
    fn power(&self, from: usize, to: usize) -> f64 {
        match (&self.heard, &self.positions) {
            (Some(heard), _) => f64::from(u8::from(heard.contains(&(from, to)))),
            (None, Some(at)) => self.radio.params.radio.power_at(distance(at[from], at[to])),
            (None, None) => 1.0,
        }
    }

    /// Whether packets of two stations get through to each other. All transmit with the same power.
    fn reach_each_other(&self, a: usize, b: usize) -> bool {
        self.get_through(a, b, self.power(a, b))
    }

    fn get_through(&self, a: usize, b: usize, power: f64) -> bool {
        power > 0.0 && power >= self.least[a].max(self.least[b])
    }

    /// Each station with its access point, the one that it receives best; where it receives all alike, they take
    /// turns. `name` gives the link of a station its name.
    pub(crate) fn join_cells(
        &mut self,
        place: Place,
        name: impl Fn(&Medium, usize, usize) -> String,
    ) -> Result<(), Problem> {
        let stations = (0..self.nodes.len()).filter(|station| !self.is_access_point[*station]);
        let alike = self.positions.is_none() && self.heard.is_none();
        let mut links = Vec::new();
        for (turn, station) in stations.enumerate() {
            let best = match alike {
                true => Some(self.access_points[turn % self.access_points.len()]),
                false => self.best_access_point(station),
            };
            // who moves may come nearer
            let may_join = |ap: usize| self.reach_each_other(station, ap) || self.moves(station) || self.moves(ap);
            let Some(ap) = best.filter(|ap| may_join(*ap)) else {
                return Err(self.out_of_reach(station, best, place));
            };
            links.push(AirLink { name: name(self, station, ap), a: station, b: ap });
        }
        self.links = links;
        Ok(())
    }

    /// The access point with the strongest signal, the first among equals.
    fn best_access_point(&self, station: usize) -> Option<usize> {
        let all = self.access_points.iter().copied();
        all.rev().max_by(|a, b| self.power(*a, station).total_cmp(&self.power(*b, station)))
    }

    fn out_of_reach(&self, station: usize, ap: Option<usize>, place: Place) -> Problem {
        let name = show(&self.radio.names[station]);
        let (far, hint) = match (ap, &self.positions, &self.radio.hears) {
            (Some(ap), Some(at), None) => {
                let near = show(&self.radio.names[ap]);
                let far = format!(", the nearest, `{near}`, is {:.1} m away", distance(at[station], at[ap]));
                (far, self.reach_hint(station, ap))
            }
            _ => (String::new(), "name a pair of it and an access point in `hears`".to_owned()),
        };
        Problem::new(code::OUT_OF_REACH, place, format!("`{name}` is in range of no access point{far}")).hint(hint)
    }

    /// What to do about two stations that are too far apart.
    pub(crate) fn reach_hint(&self, a: usize, b: usize) -> String {
        let params = &self.radio.params;
        let near = |power: f64| self.farthest(|found| found >= power);
        if params.radio.reception == Reception::Threshold {
            let near = near(params.radio.rx_threshold);
            return format!(
                "frames are decoded up to {near:.1} m: move stations nearer, raise `tx_power`, or set `receive_range`"
            );
        }
        let (here, best) = (
            self.least[a].max(self.least[b]),
            table::least_power(params, &rates::choice(params, self.radio.rate_of(a))),
        );
        let slower = match here > best {
            true => format!(
                ", or, for up to {:.1} m, choose a slower `rate`, or let `rate_control = \"minstrel\"` choose",
                near(best)
            ),
            false => String::new(),
        };
        format!("packets get through up to {:.1} m: move stations nearer, raise `tx_power`{slower}", near(here))
    }

    fn farthest(&self, enough: impl Fn(f64) -> bool) -> f64 {
        table::farthest(&self.radio.params.radio, enough)
    }

    /// Where its stations are, if that decides who hears whom.
    pub(crate) fn places(&self) -> Option<&[Position]> {
        self.positions.as_deref().filter(|_| self.heard.is_none())
    }

    /// How many metres away its frames are decoded; none where that is a matter of chance.
    pub(crate) fn receive_range(&self) -> Option<f64> {
        let radio = &self.radio.params.radio;
        (radio.reception == Reception::Threshold).then(|| self.farthest(|power| power >= radio.rx_threshold))
    }

    /// How many metres away its frames are sensed.
    pub(crate) fn sense_range(&self) -> f64 {
        let sensed = self.radio.params.radio.sensed_power(self.radio.params.rate.phy);
        self.farthest(|power| power >= sensed)
    }

    /// Every two stations that reach each other, the farthest first, so that routes take long hops. On a line the
    /// first station out of reach is followed by others out of reach.
    pub(crate) fn join_neighbours(&mut self, place: Place, on_a_line: bool) -> Result<(), Problem> {
        let mut links: Vec<AirLink> = Vec::new();
        for a in 0..self.nodes.len() {
            let behind = a + 1..self.nodes.len();
            let reached: Vec<usize> = if on_a_line {
                behind.take_while(|b| self.reach_each_other(a, *b)).collect()
            } else {
                behind.filter(|b| self.reach_each_other(a, *b)).collect()
            };
            let name = |b: usize| format!("{}/{}-{}", self.name, self.radio.names[a], self.radio.names[b]);
            links.extend(reached.into_iter().rev().map(|b| AirLink { name: name(b), a, b }));
            if links.len() > FLOWS {
                let what = format!("more than {FLOWS} pairs of stations of `{}` decode each other", show(&self.name));
                return Err(Problem::new(code::TOO_MANY_STATIONS, place, what).hint(
                    "name access points, so that stations exchange packets with these only, or simulate fewer stations",
                ));
            }
        }
        self.links = links;
        Ok(())
    }

    /// The first station of a line that does not reach the next.
    pub(crate) fn gap(&self) -> Option<usize> {
        (1..self.nodes.len()).find(|b| !self.reach_each_other(b - 1, *b)).map(|b| b - 1)
    }

    /// Numbers and rules.
    pub(crate) fn params(&self) -> &wlan::Params {
        &self.radio.params
    }

    /// Data rates of its stations, each once, in their order; of those that choose, the highest.
    pub(crate) fn rates(&self) -> Vec<wlan::Rate> {
        let mut rates = Vec::new();
        for rate in (0..self.nodes.len()).map(|station| self.radio.rate_of(station)) {
            if !rates.contains(&rate) {
                rates.push(rate);
            }
        }
        rates
    }

    /// Metres between two stations.
    pub(crate) fn metres(&self, a: usize, b: usize) -> Option<f64> {
        self.positions.as_ref().map(|at| distance(at[a], at[b]))
    }

    /// Names of the links.
    pub(crate) fn link_names(&self) -> impl Iterator<Item = &str> {
        self.links.iter().map(|link| link.name.as_str())
    }

    /// Ends of the links.
    pub(crate) fn joined(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        self.links.iter().map(|link| (self.nodes[link.a], self.nodes[link.b]))
    }

    fn queue(&self, station: usize, trace: Option<net::QueueTracing>) -> QueueSpec {
        let queue = if self.is_access_point[station] { self.radio.ap_queue } else { self.radio.queue };
        QueueSpec { trace, ..queue }
    }

    /// Size the queues whose limits depend on the path; `number` is that of the medium.
    pub(crate) fn settle(&mut self, paths: &Paths<'_>, number: usize) -> Result<(), Problem> {
        let has = |node: NodeId, access_points: bool| {
            let mut stations = self.nodes.iter().zip(&self.is_access_point);
            stations.any(|(own, is_access_point)| *own == node && *is_access_point == access_points)
        };
        let (own, of_access_points) =
            (paths.leaving(number, |node| has(node, false)), paths.leaving(number, |node| has(node, true)));
        if let Some(depth) = self.radio.depths.0.take() {
            queue::settle(&mut self.radio.queue, &depth, paths, &own)?;
        }
        if let Some(depth) = self.radio.depths.1.take() {
            if of_access_points.is_empty() {
                self.radio.ap_queue = self.radio.queue; // nobody has it
            } else {
                queue::settle(&mut self.radio.ap_queue, &depth, paths, &of_access_points)?;
            }
        }
        Ok(())
    }

    /// The links as the network wants them; `number` is that of the medium.
    pub(crate) fn link_specs(
        &self,
        number: usize,
        trace_queue: Option<net::QueueTracing>,
    ) -> impl Iterator<Item = LinkSpec> {
        self.links.iter().map(move |link| {
            let direction = |from| {
                let rate_bps = u64::from(self.radio.rate_of(from).kbps) * 1000;
                DirectionSpec::plain(rate_bps, self.travel(link), self.queue(from, trace_queue))
            };
            LinkSpec {
                name: link.name.clone(),
                a: self.nodes[link.a],
                b: self.nodes[link.b],
                forward: direction(link.a),
                reverse: direction(link.b),
                medium: Some(number),
            }
        })
    }

    fn travel(&self, link: &AirLink) -> Span {
        let radio = &self.radio.params.radio;
        match (radio.travel, self.metres(link.a, link.b), &self.radio.hears) {
            // a bound for what moves
            _ if !self.moves.is_empty() => Span::ZERO,
            (Travel::Exact, Some(metres), None) => Time::from_secs(metres / radio.light).since(Time::ZERO),
            _ => Span::ZERO,
        }
    }

    /// The medium as the network wants it.
    pub(crate) fn spec(&self, trace_queue: Option<net::QueueTracing>) -> net::MediumSpec {
        let count = self.nodes.len();
        let layout = match (&self.radio.hears, &self.positions) {
            (Some(pairs), _) => {
                let pairs: Vec<(u32, u32)> = pairs.iter().map(|&(a, b)| (a as u32, b as u32)).collect();
                Layout::mutual(count, &pairs)
            }
            (None, Some(positions)) => Layout::Positions(positions.clone()),
            (None, None) => Layout::Everyone { stations: count },
        };
        let station = |(number, &node): (usize, &NodeId)| StationSpec {
            node,
            queue: self.queue(number, trace_queue),
            per_receiver: self.radio.per_station && self.is_access_point[number],
            routing_bytes: self.radio.routing_bytes,
        };
        net::MediumSpec {
            channel: wlan::MediumSpec {
                access_points: self.access_points.iter().map(|station| *station as u32).collect(),
                moves: self.moves.iter().map(|(station, way)| (*station as u32, way.clone())).collect(),
                ..self.radio.spec(&self.name, layout)
            },
            stations: self.nodes.iter().enumerate().map(station).collect(),
            link_layer: self.radio.link_layer,
            arp: self.radio.arp,
        }
    }
}
