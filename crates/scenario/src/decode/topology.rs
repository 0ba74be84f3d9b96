//! Section `[topology]`: ready topologies and free graphs.

use net::{LinkSpec, NodeId, SendJitter};
use serde_json::{Map, Value as Json, json};
use tcp::Profile;
use units::Span;

use super::link::{self, Link};
use crate::error::{Problem, choose, code, show};
use crate::files::Files;
use crate::limits::FLOWS;
use crate::node::{Node, Value, element_name};
use crate::read::{Fields, Item};
use crate::units::time_text;

/// A topology whose every link is complete.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    shape: Shape,
    pub(crate) send_jitter: SendJitter,
}

#[derive(Clone, Debug)]
enum Shape {
    /// Pairs of hosts either side of a row of routers: one bottleneck, or two in a row.
    Row { kind: &'static str, pairs: usize, left: Box<Link>, right: Box<Link>, middle: Vec<(&'static str, Link)> },
    /// Any nodes and links.
    Graph { nodes: Vec<String>, links: Vec<GraphLink> },
}

/// A link of a graph.
#[derive(Clone, Debug)]
pub(crate) struct GraphLink {
    name: String,
    from: NodeId,
    to: NodeId,
    link: Link,
}

/// A ready topology: its name, what it is, its middle links, its keys and what they mean.
pub(crate) struct Ready {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    middle: &'static [&'static str],
    pub(crate) keys: &'static [(&'static str, &'static str)],
}

const PAIRS: (&str, &str) = ("pairs", "pairs of hosts, default 1");
const ACCESS: (&str, &str) = ("access", "link of every host to its router");
const LEFT: (&str, &str) = ("left", "changes to `access` on the left, host to router");
const RIGHT: (&str, &str) = ("right", "changes to `access` on the right, router to host");
const SEND_JITTER: (&str, &str) = (
    "send_jitter",
    "longest random delay of a packet that leaves a host: \"auto\" (a packet's time on the narrowest shared link), \
     \"1 ms\", or \"0 s\" (none); default by profile",
);

/// Every topology.
pub(crate) static READY: &[Ready] = &[
    Ready {
        name: "dumbbell",
        summary: "Hosts left/0, left/1, ... and right/0, right/1, ... with one bottleneck between routers g1 and g2",
        middle: &["bottleneck"],
        keys: &[PAIRS, ACCESS, LEFT, RIGHT, ("bottleneck", "link from g1 to g2"), SEND_JITTER],
    },
    Ready {
        name: "three-routers",
        summary: "Hosts left/0, ... and right/0, ... with routers g1, g2, g3 in a row between them",
        middle: &["first", "second"],
        keys: &[
            PAIRS,
            ACCESS,
            LEFT,
            RIGHT,
            ("first", "link from g1 to g2"),
            ("second", "link from g2 to g3"),
            SEND_JITTER,
        ],
    },
    Ready {
        name: "graph",
        summary: "Any nodes and links; packets take the shortest path",
        middle: &[],
        keys: &[
            ("nodes", "names of the nodes; default: those that links name"),
            ("links", "tables with `from`, `to`, perhaps a `name` (default \"FROM-TO\"), and the keys of a link"),
            SEND_JITTER,
        ],
    },
];

/// Read the section.
pub(crate) fn read(item: &Item<'_>, profile: Profile, files: &Files) -> Result<Topology, Problem> {
    let kinds: Vec<_> = READY.iter().map(|ready| (ready.name, ready)).collect();
    let ready = item.open_table()?.need("kind", "\"dumbbell\"")?.word(&kinds)?;
    let keys: Vec<&str> = std::iter::once("kind").chain(ready.keys.iter().map(|(key, _)| *key)).collect();
    let fields = item.table(&keys)?;
    let shape =
        if ready.middle.is_empty() { graph(&fields, profile, files)? } else { row(&fields, ready, profile, files)? };
    let send_jitter = match (fields.get("send_jitter"), profile) {
        (Some(item), _) => send_jitter(&item)?,
        (None, Profile::Rfc) => SendJitter::Auto,
        (None, Profile::Ns2) => SendJitter::Off,
    };
    Ok(Topology { shape, send_jitter })
}

const AUTO: &str = "auto";
/// Longest random delay of a host that can be asked for.
const LONGEST_SEND_JITTER: Span = Span::from_millis(10_000);

fn send_jitter(item: &Item<'_>) -> Result<SendJitter, Problem> {
    if item.is(AUTO) {
        return Ok(SendJitter::Auto);
    }
    match item.span(Span::ZERO..=LONGEST_SEND_JITTER)? {
        Span::ZERO => Ok(SendJitter::Off),
        most => Ok(SendJitter::UpTo(most)),
    }
}

fn send_jitter_text(send_jitter: SendJitter) -> String {
    match send_jitter {
        SendJitter::Auto => AUTO.to_owned(),
        SendJitter::Off => time_text(Span::ZERO),
        SendJitter::UpTo(most) => time_text(most),
    }
}

fn row(fields: &Fields<'_>, ready: &Ready, profile: Profile, files: &Files) -> Result<Shape, Problem> {
    let pairs = match fields.get("pairs") {
        None => 1,
        Some(item) => {
            let pairs = item.whole(1..=u64::MAX)?;
            let many = || {
                item.problem(code::TOO_MANY_FLOWS, format!("is {pairs}, at most {FLOWS} pairs can be simulated"))
                    .hint("simulate a share of the pairs on the same share of the rate")
            };
            usize::try_from(pairs).ok().filter(|pairs| *pairs <= FLOWS).ok_or_else(many)?
        }
    };
    let side = |key: &str| {
        let (own, shared) = (fields.get(key), fields.get("access"));
        let merged = match (&own, &shared) {
            (Some(own), Some(shared)) => {
                // Both must be right by themselves in their keys, so that a message names the right one.
                let (own, shared) = (own.table(link::KEYS)?, shared.table(link::KEYS)?);
                Node::new(fields.place(), Value::Table(own.own().over(shared.own())))
            }
            _ => {
                return link::read(
                    &own.or(shared).map_or_else(|| fields.need("access", ACCESS_EXAMPLE), Ok)?,
                    link::KEYS,
                    profile,
                    files,
                );
            }
        };
        link::read(
            &Item { node: &merged, path: own.map(|item| item.path).unwrap_or_default() },
            link::KEYS,
            profile,
            files,
        )
    };
    let middle =
        |key: &&'static str| Ok((*key, link::read(&fields.need(key, LINK_EXAMPLE)?, link::KEYS, profile, files)?));
    Ok(Shape::Row {
        kind: ready.name,
        pairs,
        left: Box::new(side("left")?),
        right: Box::new(side("right")?),
        middle: ready.middle.iter().map(middle).collect::<Result<_, _>>()?,
    })
}

const ACCESS_EXAMPLE: &str = "{ rate = \"100 Mbps\", delay = \"1 ms\" }";
const LINK_EXAMPLE: &str = "{ rate = \"8 Mbps\", delay = \"50 ms\", queue = \"50 packets\" }";

fn graph(fields: &Fields<'_>, profile: Profile, files: &Files) -> Result<Shape, Problem> {
    let items = fields.need("links", "[{ from = \"a\", to = \"b\", rate = \"8 Mbps\", delay = \"50 ms\" }]")?.list()?;
    if items.len() > FLOWS {
        return Err(
            fields.problem(code::TOO_MANY_FLOWS, format!("has {} links, at most {FLOWS} are possible", items.len()))
        );
    }
    let given = fields.get("nodes");
    let mut nodes = Names::default();
    for item in given.as_ref().map_or(Ok(Vec::new()), Item::list)? {
        let name = item.name(&[], "/ ")?;
        if !nodes.add(name) {
            return Err(item.problem(code::DUPLICATE_NAME, format!("has \"{}\" twice", show(name))));
        }
    }
    let keys: Vec<&str> = ["name", "from", "to"].iter().chain(link::KEYS).copied().collect();
    let mut names = Names::default();
    let mut links = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let name = element_name("links", at, item.node);
        let item = Item { node: item.node, path: format!("{}.{name}", item.path) };
        let table = item.table(&keys)?;
        let mut end = |key: &str| {
            let end = table.need(key, "\"a\"")?;
            let name = end.name(&[], "/ ")?;
            if given.is_none() {
                nodes.add(name);
            }
            nodes.find(name).ok_or_else(|| {
                let hint = choose(name, nodes.list.iter().map(String::as_str));
                end.problem(code::UNKNOWN_NODE, format!("is \"{}\", which is not among `nodes`", show(name))).hint(hint)
            })
        };
        let (from, to) = (end("from")?, end("to")?);
        if from == to {
            return Err(item.problem(code::SAME_NODE, "joins a node to itself"));
        }
        if let Some(name) = table.get("name") {
            name.name(link::KEYS, "/ ")?;
        }
        if !names.add(&name) {
            return Err(item.problem(code::DUPLICATE_NAME, "stands twice").hint("give each link a `name` of its own"));
        }
        links.push(GraphLink { name, from, to, link: link::read(&item, &keys, profile, files)? });
    }
    Ok(Shape::Graph { nodes: nodes.list, links })
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

impl Topology {
    /// Names of the nodes, in the order of their numbers.
    pub(crate) fn nodes(&self) -> Vec<String> {
        match &self.shape {
            Shape::Graph { nodes, .. } => nodes.clone(),
            Shape::Row { pairs, middle, .. } => {
                let hosts = |side: &'static str| (0..*pairs).map(move |i| format!("{side}/{i}"));
                hosts("left").chain(hosts("right")).chain((0..=middle.len()).map(|i| format!("g{}", i + 1))).collect()
            }
        }
    }

    /// How many nodes there are.
    pub(crate) fn size(&self) -> usize {
        match &self.shape {
            Shape::Graph { nodes, .. } => nodes.len(),
            Shape::Row { pairs, middle, .. } => 2 * pairs + middle.len() + 1,
        }
    }

    /// How many links there are.
    pub(crate) fn link_count(&self) -> usize {
        match &self.shape {
            Shape::Graph { links, .. } => links.len(),
            Shape::Row { pairs, middle, .. } => 2 * pairs + middle.len(),
        }
    }

    /// For each node a number that it shares with those it can reach, and no others.
    pub(crate) fn islands(&self) -> Vec<usize> {
        let Shape::Graph { nodes, links } = &self.shape else { return vec![0; self.size()] };
        let mut neighbours = vec![Vec::new(); nodes.len()];
        for link in links {
            neighbours[link.from].push(link.to);
            neighbours[link.to].push(link.from);
        }
        let mut island = vec![usize::MAX; nodes.len()];
        for start in 0..nodes.len() {
            let mut reached = vec![start];
            while let Some(node) = reached.pop() {
                if island[node] == usize::MAX {
                    island[node] = start;
                    reached.extend(&neighbours[node]);
                }
            }
        }
        island
    }

    /// The links as the network wants them.
    pub(crate) fn links(&self, trace_queue: bool) -> Vec<LinkSpec> {
        match &self.shape {
            Shape::Graph { links, .. } => {
                links.iter().map(|l| l.link.spec(l.name.clone(), l.from, l.to, trace_queue)).collect()
            }
            Shape::Row { pairs, left, right, middle, .. } => {
                let (first, last) = (2 * pairs, 2 * pairs + middle.len());
                let lefts = (0..*pairs).map(|i| left.spec(format!("left/{i}"), i, first, trace_queue));
                let rights = (0..*pairs).map(|i| right.spec(format!("right/{i}"), last, pairs + i, trace_queue));
                let routers = middle.iter().enumerate();
                let middles = routers
                    .map(|(i, (name, link))| link.spec((*name).to_owned(), first + i, first + i + 1, trace_queue));
                lefts.chain(middles).chain(rights).collect()
            }
        }
    }

    /// The section, complete.
    pub(crate) fn effective(&self) -> Json {
        let mut all = match &self.shape {
            Shape::Graph { nodes, links } => {
                let links = links.iter().map(|link| {
                    let mut map = Map::new();
                    map.insert("name".into(), link.name.clone().into());
                    map.insert("from".into(), nodes[link.from].clone().into());
                    map.insert("to".into(), nodes[link.to].clone().into());
                    map.extend(link.link.effective());
                    Json::Object(map)
                });
                let links: Vec<_> = links.collect();
                Map::from_iter([
                    ("kind".into(), "graph".into()),
                    ("nodes".into(), json!(nodes)),
                    ("links".into(), json!(links)),
                ])
            }
            Shape::Row { kind, pairs, left, right, middle } => {
                let mut map = Map::new();
                map.insert("kind".into(), (*kind).into());
                map.insert("pairs".into(), (*pairs).into());
                map.insert("left".into(), Json::Object(left.effective()));
                map.insert("right".into(), Json::Object(right.effective()));
                map.extend(middle.iter().map(|(key, link)| ((*key).to_owned(), Json::Object(link.effective()))));
                map
            }
        };
        all.insert("send_jitter".into(), send_jitter_text(self.send_jitter).into());
        Json::Object(all)
    }
}
