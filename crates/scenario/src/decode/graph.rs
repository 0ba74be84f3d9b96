//! Topology `graph`: any nodes, links between them, and radio media that some of them are stations of.

use net::{LinkSpec, NodeId};
use serde_json::{Map, Value as Json, json};
use tcp::Profile;
use wlan::Travel;

use super::cell;
use super::depth::Paths;
use super::link::{self, ForRun, Link};
use super::radio::Medium;
use super::radio::places;
use super::radio::table::{self, Radio};
use super::ways;
use crate::error::{Problem, choose, code, show};
use crate::files::Files;
use crate::limits::FLOWS;
use crate::node::element_name;
use crate::read::{Fields, Item};

/// Nodes, links, media.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    nodes: Vec<String>,
    links: Vec<GraphLink>,
    media: Vec<Medium>,
}

/// A link of a graph.
#[derive(Clone, Debug)]
struct GraphLink {
    name: String,
    from: NodeId,
    to: NodeId,
    link: Link,
}

const LINKS: &str = "[{ from = \"a\", to = \"b\", rate = \"8 Mbps\", delay = \"50 ms\" }]";

/// Keys of a medium beside those of its radio.
pub(crate) static MEDIUM_KEYS: &[(&str, &str)] = &[
    ("name", "of the medium; default \"air\", \"air2\", ..."),
    ("stations", "names of the nodes on it"),
    ("access_points", "which of these are access points; by default any two that decode each other are neighbours"),
    ("positions", "where each station is, [[\"3 m\", \"0 m\"], ...]; by default all hear all"),
    ("moves", cell::MOVES),
];

/// Read the table.
pub(crate) fn read(fields: &Fields<'_>, profile: Profile, files: &Files) -> Result<Graph, Problem> {
    let media = fields.get("media");
    let items = match (fields.get("links"), &media) {
        (None, Some(_)) => vec![],
        _ => fields.need("links", LINKS)?.list()?,
    };
    if items.len() > FLOWS {
        return Err(
            fields.problem(code::TOO_MANY_FLOWS, format!("has {} links, at most {FLOWS} are possible", items.len()))
        );
    }
    let given = fields.get("nodes");
    let mut nodes = Nodes { names: Names::default(), open: given.is_none() };
    for item in given.as_ref().map_or(Ok(Vec::new()), Item::list)? {
        let name = item.name(&[], "/ ")?;
        if !nodes.names.add(name) {
            return Err(item.problem(code::DUPLICATE_NAME, format!("has \"{}\" twice", show(name))));
        }
    }
    let mut names = Names::default();
    let mut links = Vec::new();
    for (at, item) in items.iter().enumerate() {
        links.push(link(item, at, &mut nodes, &mut names, profile, files)?);
    }
    let mut found = Vec::new();
    let tables = media.as_ref().map_or(Ok(Vec::new()), Item::list);
    let tables = tables.map_err(|problem| problem.hint("write `[[topology.media]]`"))?;
    for (at, item) in tables.iter().enumerate() {
        let medium = medium(item, at, &mut nodes, &mut names, profile, files)?;
        if found.iter().any(|other: &Medium| other.name == medium.name) {
            let what = format!("stands twice: two media are named \"{}\"", show(&medium.name));
            return Err(item.problem(code::DUPLICATE_NAME, what).hint("give each medium a `name` of its own"));
        }
        found.push(medium);
    }
    let pairs: usize = found.iter().map(|medium: &Medium| medium.link_names().count()).sum();
    if links.len() + pairs > FLOWS {
        let what = format!("has {} links and neighbours on the air, at most {FLOWS}", links.len() + pairs);
        return Err(fields.problem(code::TOO_MANY_FLOWS, what));
    }
    Ok(Graph { nodes: nodes.names.list, links, media: found })
}

fn link(
    item: &Item<'_>,
    at: usize,
    nodes: &mut Nodes,
    names: &mut Names,
    profile: Profile,
    files: &Files,
) -> Result<GraphLink, Problem> {
    let keys: Vec<&str> = ["name", "from", "to"].iter().chain(link::KEYS).copied().collect();
    let name = element_name("links", at, item.node);
    let item = Item { node: item.node, path: format!("{}.{name}", item.path) };
    let table = item.table(&keys)?;
    let (from, to) = (nodes.number(&table.need("from", "\"a\"")?)?, nodes.number(&table.need("to", "\"a\"")?)?);
    if from == to {
        return Err(item.problem(code::SAME_NODE, "joins a node to itself"));
    }
    if let Some(name) = table.get("name") {
        name.name(link::KEYS, "/ ")?;
    }
    if !names.add(&name) {
        return Err(item.problem(code::DUPLICATE_NAME, "stands twice").hint("give each link a `name` of its own"));
    }
    Ok(GraphLink { name, from, to, link: link::read(&item, &keys, profile, files)? })
}

fn medium(
    item: &Item<'_>,
    at: usize,
    nodes: &mut Nodes,
    names: &mut Names,
    profile: Profile,
    files: &Files,
) -> Result<Medium, Problem> {
    let own: Vec<&str> = MEDIUM_KEYS.iter().map(|(key, _)| *key).collect();
    let name = element_name("media", at, item.node);
    let item = Item { node: item.node, path: format!("{}.{name}", item.path) };
    let table = item.open_table()?;
    if let Some(name) = table.get("name") {
        let keys: Vec<&str> = table::meanings().map(|(key, _)| key).collect();
        name.name(&keys, "/ ")?;
    }
    let stations = table.need("stations", "[\"phone\", \"ap\"]")?;
    let mut on_it = Names::default();
    let mut numbers = Vec::new();
    for one in stations.list()? {
        numbers.push(nodes.number(&one)?);
        if !on_it.add(one.text()?) {
            let what = format!("has \"{}\" twice: a node is one station of a medium", show(one.text()?));
            return Err(one.problem(code::DUPLICATE_NAME, what).hint("give the second a name of its own"));
        }
    }
    let place = stations.node.place;
    if numbers.len() < 2 {
        return Err(stations
            .problem(code::OUT_OF_RANGE, "has fewer than two stations: nobody to talk to")
            .hint("write `stations = [\"phone\", \"ap\"]`"));
    }
    let access_points = access_points(&table, &on_it)?;
    let radio = Radio::read(Some(&item), &own, on_it.list, profile, Travel::None)?;
    let positions = table.get("positions").map(|item| places::list(&item, numbers.len(), "stations")).transpose()?;
    let medium = Medium::new(name, radio, numbers, access_points, positions, place)?;
    let mut medium = medium.with_moves(table.get("moves").as_ref(), files)?;
    if medium.access_points.is_empty() {
        medium.join_neighbours(place, false)?;
    } else {
        let pair = |medium: &Medium, a: usize, b: usize| {
            format!("{}/{}-{}", medium.name, medium.radio.names[a], medium.radio.names[b])
        };
        medium.join_cells(place, pair)?;
    }
    for link in medium.link_names() {
        if !names.add(link) {
            let what = format!("would have a link `{}`, which stands twice", show(link));
            return Err(item.problem(code::DUPLICATE_NAME, what).hint("give each medium a `name` of its own"));
        }
    }
    Ok(medium)
}

/// Numbers of the stations that are access points.
fn access_points(table: &Fields<'_>, stations: &Names) -> Result<Vec<usize>, Problem> {
    let Some(item) = table.get("access_points") else { return Ok(vec![]) };
    let mut numbers = Vec::new();
    for one in item.list()? {
        let name = one.text()?;
        let number = stations.find(name).ok_or_else(|| {
            let hint = choose(name, stations.list.iter().map(String::as_str));
            one.problem(code::UNKNOWN_NODE, format!("is \"{}\", which is not among `stations`", show(name))).hint(hint)
        })?;
        if numbers.contains(&number) {
            return Err(one.problem(code::DUPLICATE_NAME, format!("has \"{}\" twice", show(name))));
        }
        numbers.push(number);
    }
    if numbers.is_empty() {
        return Err(item
            .problem(code::NO_ACCESS_POINT, "is empty: a cell has one")
            .hint("name one, or leave `access_points` out: then any two that decode each other are neighbours"));
    }
    if numbers.len() == stations.list.len() {
        return Err(item
            .problem(code::NO_ACCESS_POINT, "names all stations: nobody is left to join them")
            .hint("leave `access_points` out: then any two that decode each other are neighbours"));
    }
    Ok(numbers)
}

/// The nodes: those that are declared, or those that links and media name.
struct Nodes {
    names: Names,
    open: bool,
}

impl Nodes {
    fn number(&mut self, item: &Item<'_>) -> Result<NodeId, Problem> {
        let name = item.name(&[], "/ ")?;
        if self.open {
            self.names.add(name);
        }
        self.names.find(name).ok_or_else(|| {
            let hint = choose(name, self.names.list.iter().map(String::as_str));
            item.problem(code::UNKNOWN_NODE, format!("is \"{}\", which is not among `nodes`", show(name))).hint(hint)
        })
    }
}

/// Names in order, with a fast way back to their numbers.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    numbers: std::collections::BTreeMap<String, usize>,
}

impl Names {
    /// Add a name; false if it is there already.
    fn add(&mut self, name: &str) -> bool {
        let new = !self.numbers.contains_key(name);
        if new {
            self.numbers.insert(name.to_owned(), self.list.len());
            self.list.push(name.to_owned());
        }
        new
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }
}

impl Graph {
    /// Names of the nodes.
    pub(crate) fn nodes(&self) -> &[String] {
        &self.nodes
    }

    /// Whether a limit of a wire's queue depends on the path.
    pub(crate) fn is_relative(&self) -> bool {
        self.links.iter().any(|link| link.link.is_relative())
    }

    /// Size the queues whose limits depend on the path.
    pub(crate) fn settle(&mut self, paths: &Paths<'_>) -> Result<(), Problem> {
        for one in &mut self.links {
            one.link.settle(paths, &paths.links(|link| link.name == one.name))?;
        }
        self.media.iter_mut().enumerate().try_for_each(|(number, medium)| medium.settle(paths, number))
    }

    /// The media.
    pub(crate) fn media(&self) -> &[Medium] {
        &self.media
    }

    /// The wires.
    pub(crate) fn wires(&self, run: ForRun) -> Vec<LinkSpec> {
        self.links.iter().map(|l| l.link.spec(l.name.clone(), l.from, l.to, run)).collect()
    }

    /// The table, complete.
    pub(crate) fn effective(&self) -> Map<String, Json> {
        let name = |node: NodeId| json!(self.nodes[node]);
        let link = |link: &GraphLink| {
            let mut map = Map::new();
            map.insert("name".into(), link.name.clone().into());
            map.insert("from".into(), name(link.from));
            map.insert("to".into(), name(link.to));
            map.extend(link.link.effective());
            Json::Object(map)
        };
        let medium = |medium: &Medium| {
            let mut map = Map::new();
            map.insert("name".into(), medium.name.clone().into());
            map.insert("stations".into(), json!(medium.radio.names));
            if !medium.access_points.is_empty() {
                let aps = medium.access_points.iter().map(|station| json!(medium.radio.names[*station]));
                map.insert("access_points".into(), aps.collect());
            }
            if let Some(positions) = &medium.positions {
                map.insert("positions".into(), places::list_text(positions));
            }
            if !medium.moves.is_empty() {
                map.insert("moves".into(), ways::of_nodes_text(&medium.moves, &medium.radio.names));
            }
            map.extend(medium.radio.effective());
            Json::Object(map)
        };
        let mut map = Map::from_iter([
            ("kind".into(), "graph".into()),
            ("nodes".into(), json!(self.nodes)),
            ("links".into(), self.links.iter().map(link).collect()),
        ]);
        if !self.media.is_empty() {
            map.insert("media".into(), self.media.iter().map(medium).collect());
        }
        map
    }
}
