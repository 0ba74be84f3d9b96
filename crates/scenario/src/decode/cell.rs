//! Topology `wlan`: stations and access points on one medium, and a wired part behind them.

use net::{LinkSpec, NodeId};
use serde_json::{Map, Value as Json, json};
use tcp::Profile;
use wlan::{Position, Travel};

use super::depth::Paths;
use super::link::{self, ForRun, Link};
use super::radio::Medium;
use super::radio::places::{self, Placing};
use super::radio::table::Radio;
use super::ways;
use crate::error::{Problem, code};
use crate::files::Files;
use crate::limits::FLOWS;
use crate::read::{Fields, Item};

/// Cells on one channel.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    stations: usize,
    hosts: usize,
    places: Option<Places>,
    ap_positions: Option<Vec<Position>>,
    wired: Wired,
    medium: Medium,
}

/// Where stations are.
#[derive(Clone, Debug)]
enum Places {
    Placed(Placing),
    Listed(Vec<Position>),
}

/// What is behind the access points.
#[derive(Clone, Debug)]
enum Wired {
    Nothing,
    /// One host at the one access point.
    Host(Box<Link>),
    /// A node between the access points' links and those of the hosts, if there are any.
    Gateway {
        backbone: Box<Link>,
        access: Option<Box<Link>>,
    },
}

/// What `moves` means.
pub(crate) const MOVES: &str = "ways of stations that move, a table by name: { \"station/0\" = { line = { from = \"5 m\", velocity = \
                                \"1 m/s\" } } }, or `waypoints`, `trace`, or { from, to, speed }, as of `mobiles`";

/// Keys and what they mean.
pub(crate) static KEYS: &[(&str, &str)] = &[
    ("stations", "stations, default 1"),
    ("access_points", "access points on the same channel, default 1"),
    (
        "placing",
        "where stations are: { kind = \"circle\", radius = \"5 m\" }, \"disc\" (drawn, with radius and perhaps `seed`), \
         \"line\" with `spacing`; by default all hear all alike",
    ),
    ("positions", "instead: where each station is, [[\"3 m\", \"0 m\"], ...]"),
    ("ap_positions", "where each access point is; default the origin, if there is one"),
    ("moves", MOVES),
    ("hosts", "wired hosts, default 1 with a `backbone`, else none"),
    ("backbone", "link from an access point to the wired host, or to node `gateway` if there are more of either"),
    ("access", "link from `gateway` to each wired host"),
    ("radio", "the medium: a parameter set of 802.11 and changes to it"),
];

const LINK: &str = "{ rate = \"100 Mbps\", delay = \"10 ms\" }";

/// Read the table.
pub(crate) fn read(fields: &Fields<'_>, profile: Profile, files: &Files) -> Result<Cell, Problem> {
    let stations = count(fields, "stations", 1, 1)?;
    let access_points = count(fields, "access_points", 1, 0)?;
    if access_points == 0 {
        let place = fields.get("access_points").map_or(fields.place(), |item| item.node.place);
        return Err(Problem::new(code::NO_ACCESS_POINT, place, "`topology.access_points` is 0: a cell has one")
            .hint("write `access_points = 1`, or take `kind = \"chain\"` for stations among themselves"));
    }
    let hosts = count(fields, "hosts", usize::from(fields.get("backbone").is_some()), 0)?;
    let names = (0..stations).map(|i| format!("station/{i}")).chain((0..access_points).map(|i| format!("ap/{i}")));
    let radio = fields.get("radio");
    let radio = Radio::read(radio.as_ref(), &[], names.collect(), profile, Travel::None)?;
    let (places, ap_positions) = positions(fields, stations, access_points)?;
    let nodes: Vec<NodeId> = (0..stations + access_points).collect();
    let all = places.as_ref().map(|places| {
        let own = match places {
            Places::Placed(placing) => placing.positions(stations),
            Places::Listed(list) => list.clone(),
        };
        let aps = ap_positions.clone().unwrap_or_else(|| vec![Position::default()]);
        own.into_iter().chain(aps).collect()
    });
    let aps = (stations..stations + access_points).collect();
    let place = ["positions", "placing", "stations"].iter().find_map(|key| fields.get(key));
    let place = place.map_or(fields.place(), |item| item.node.place);
    let medium = Medium::new("air".to_owned(), radio, nodes, aps, all, place)?;
    let mut medium = medium.with_moves(fields.get("moves").as_ref(), files)?;
    medium.join_cells(place, |_, station, _| format!("air/{station}"))?;
    let wired = wired(fields, access_points, hosts, profile, files)?;
    Ok(Cell { stations, hosts, places, ap_positions, wired, medium })
}

fn count(fields: &Fields<'_>, key: &str, default: usize, least: u64) -> Result<usize, Problem> {
    let Some(item) = fields.get(key) else { return Ok(default) };
    let many = item.whole(least..=u64::MAX)?;
    usize::try_from(many).ok().filter(|count| *count <= FLOWS).ok_or_else(|| {
        let most = wlan::STATIONS_MAX;
        item.problem(code::TOO_MANY_STATIONS, format!("is {many}, at most {most} stations can be on one medium"))
            .hint("simulate fewer, or several channels in a `graph` with `media`")
    })
}

type Where = (Option<Places>, Option<Vec<Position>>);

/// Where stations and access points are, if that is said.
fn positions(fields: &Fields<'_>, stations: usize, access_points: usize) -> Result<Where, Problem> {
    let (listed, placed, aps) = (fields.get("positions"), fields.get("placing"), fields.get("ap_positions"));
    let places = match (&listed, &placed) {
        (Some(_), Some(placed)) => {
            return Err(placed.problem(code::CONFLICT, "has no use beside `positions`").hint("write one of the two"));
        }
        (Some(item), None) => Some(Places::Listed(places::list(item, stations, "stations")?)),
        (None, Some(item)) => Some(Places::Placed(Placing::read(item)?)),
        (None, None) => None,
    };
    let ap_positions = match (&aps, &places) {
        (Some(item), None) => {
            return Err(item
                .problem(code::CONFLICT, "has no use while stations have no places")
                .hint("say where stations are, by `placing` or `positions`"));
        }
        (Some(item), Some(_)) => Some(places::list(item, access_points, "access points")?),
        (None, Some(_)) if access_points > 1 => {
            return Err(fields
                .need("ap_positions", "[[\"0 m\", \"0 m\"], [\"50 m\", \"0 m\"]]")
                .err()
                .expect("missing"));
        }
        (None, _) => None,
    };
    Ok((places, ap_positions))
}

fn wired(
    fields: &Fields<'_>,
    access_points: usize,
    hosts: usize,
    profile: Profile,
    files: &Files,
) -> Result<Wired, Problem> {
    let link = |item: &Item<'_>| link::read(item, link::KEYS, profile, files).map(Box::new);
    let (backbone, access) = (fields.get("backbone"), fields.get("access"));
    let unused = |item: &Option<Item<'_>>, why: &str| match item {
        Some(item) => Err(item.problem(code::CONFLICT, format!("has no use: {why}")).hint("take it away")),
        None => Ok(()),
    };
    if hosts == 0 && access_points == 1 {
        unused(&backbone, "there is no wired host")?;
        unused(&access, "there is no wired host")?;
        return Ok(Wired::Nothing);
    }
    let backbone = link(&fields.need("backbone", LINK)?)?;
    if hosts == 1 && access_points == 1 {
        unused(&access, "the one host is at the end of `backbone`")?;
        return Ok(Wired::Host(backbone));
    }
    if hosts == 0 {
        unused(&access, "there is no wired host")?;
        return Ok(Wired::Gateway { backbone, access: None });
    }
    Ok(Wired::Gateway { backbone, access: Some(link(&fields.need("access", LINK)?)?) })
}

impl Cell {
    /// The medium.
    pub(crate) fn medium(&self) -> &Medium {
        &self.medium
    }

    /// Whether a limit of a wire's queue depends on the path.
    pub(crate) fn is_relative(&self) -> bool {
        match &self.wired {
            Wired::Nothing => false,
            Wired::Host(link) => link.is_relative(),
            Wired::Gateway { backbone, access } => {
                backbone.is_relative() || access.as_ref().is_some_and(|access| access.is_relative())
            }
        }
    }

    /// Size the queues whose limits depend on the path.
    pub(crate) fn settle(&mut self, paths: &Paths<'_>) -> Result<(), Problem> {
        if let Wired::Host(backbone) | Wired::Gateway { backbone, .. } = &mut self.wired {
            backbone.settle(paths, &paths.named("backbone"))?;
        }
        if let Wired::Gateway { access: Some(access), .. } = &mut self.wired {
            access.settle(paths, &paths.named("access"))?;
        }
        self.medium.settle(paths, 0)
    }

    fn access_points(&self) -> usize {
        self.medium.access_points.len()
    }

    /// Names of the nodes: stations, access points, wired hosts, and perhaps `gateway`.
    pub(crate) fn nodes(&self) -> Vec<String> {
        let wired = (0..self.hosts).map(|i| format!("wired/{i}"));
        let gateway = matches!(self.wired, Wired::Gateway { .. }).then(|| "gateway".to_owned());
        self.medium.radio.names.iter().cloned().chain(wired).chain(gateway).collect()
    }

    /// Links of the wired part.
    pub(crate) fn wires(&self, run: ForRun) -> Vec<LinkSpec> {
        let (first_ap, first_host) = (self.stations, self.stations + self.access_points());
        match &self.wired {
            Wired::Nothing => vec![],
            Wired::Host(link) => vec![link.spec("backbone".to_owned(), first_ap, first_host, run)],
            Wired::Gateway { backbone, access } => {
                let gateway = first_host + self.hosts;
                let up = (0..self.access_points())
                    .map(|j| backbone.spec(format!("backbone/{j}"), first_ap + j, gateway, run));
                let down = access.iter().flat_map(|access| {
                    (0..self.hosts).map(|i| access.spec(format!("access/{i}"), gateway, first_host + i, run))
                });
                up.chain(down).collect()
            }
        }
    }

    /// The table, complete.
    pub(crate) fn effective(&self) -> Map<String, Json> {
        let mut map = Map::new();
        map.insert("kind".into(), "wlan".into());
        map.insert("stations".into(), self.stations.into());
        map.insert("access_points".into(), self.access_points().into());
        match &self.places {
            Some(Places::Placed(placing)) => {
                map.insert("placing".into(), placing.effective());
            }
            Some(Places::Listed(list)) => {
                map.insert("positions".into(), places::list_text(list));
            }
            None => {}
        }
        if let Some(list) = &self.ap_positions {
            map.insert("ap_positions".into(), places::list_text(list));
        }
        if !self.medium.moves.is_empty() {
            map.insert("moves".into(), ways::of_nodes_text(&self.medium.moves, &self.medium.radio.names));
        }
        map.insert("hosts".into(), json!(self.hosts));
        if let Wired::Host(backbone) | Wired::Gateway { backbone, .. } = &self.wired {
            map.insert("backbone".into(), Json::Object(backbone.effective()));
        }
        if let Wired::Gateway { access: Some(access), .. } = &self.wired {
            map.insert("access".into(), Json::Object(access.effective()));
        }
        map.insert("radio".into(), Json::Object(self.medium.radio.effective()));
        map
    }
}
