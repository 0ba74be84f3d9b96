//! Section `[topology]`: ready topologies and free graphs.

use net::{CellularSpec, LinkSpec, SendJitter};
use serde_json::{Map, Value as Json};
use tcp::Profile;
use units::Span;

use super::cell::{self, Cell};
use super::cellular::{self, Cellular};
use super::chain::{self, Chain};
use super::depth::Paths;
use super::graph::{self, Graph};
use super::link::{self, ForRun, Link};
use super::radio::Medium;
use crate::error::{Problem, code};
use crate::files::Files;
use crate::limits::FLOWS;
use crate::node::{Node, Value};
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
    Graph(Graph),
    /// Stations round access points.
    Cell(Box<Cell>),
    /// Stations on a line.
    Chain(Box<Chain>),
    /// Base stations and mobiles.
    Cellular(Box<Cellular>),
}

/// A ready topology: its name, what it is, its middle links, its keys and what they mean.
pub(crate) struct Ready {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    middle: &'static [&'static str],
    keys: &'static [(&'static str, &'static str)],
}

impl Ready {
    /// Whether some of its nodes may be stations of a radio medium.
    pub(crate) fn has_radio(&self) -> bool {
        [GRAPH, WLAN, CHAIN].contains(&self.name)
    }

    /// Its keys but `kind`, and what they mean.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.keys.iter().copied().chain([SEND_JITTER])
    }
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

const GRAPH: &str = "graph";
const WLAN: &str = "wlan";
const CHAIN: &str = "chain";
const CELLULAR: &str = "cellular";

/// Every topology.
pub(crate) static READY: &[Ready] = &[
    Ready {
        name: "dumbbell",
        summary: "Hosts left/0, left/1, ... and right/0, right/1, ... with one bottleneck between routers g1 and g2",
        middle: &["bottleneck"],
        keys: &[PAIRS, ACCESS, LEFT, RIGHT, ("bottleneck", "link from g1 to g2")],
    },
    Ready {
        name: "three-routers",
        summary: "Hosts left/0, ... and right/0, ... with routers g1, g2, g3 in a row between them",
        middle: &["first", "second"],
        keys: &[PAIRS, ACCESS, LEFT, RIGHT, ("first", "link from g1 to g2"), ("second", "link from g2 to g3")],
    },
    Ready {
        name: GRAPH,
        summary: "Any nodes, links and radio media; packets take the shortest path",
        middle: &[],
        keys: &[
            ("nodes", "names of the nodes; default: those that links and media name"),
            ("links", "tables with `from`, `to`, perhaps a `name` (default \"FROM-TO\"), and the keys of a link"),
            (
                "media",
                "radio channels: tables with `stations`, perhaps `access_points`, `positions`, and the keys of a radio",
            ),
        ],
    },
    Ready {
        name: WLAN,
        summary: "Stations station/0, ... and access points ap/0, ... on one radio channel, hosts wired/0, ... behind them",
        middle: &[],
        keys: cell::KEYS,
    },
    Ready {
        name: CHAIN,
        summary: "Nodes n0, n1, ... on a line, on one radio channel; packets go from node to node",
        middle: &[],
        keys: chain::KEYS,
    },
    Ready {
        name: CELLULAR,
        summary: "Mobiles mobile/0, ... that move between base stations (node base), behind them nodes router and server",
        middle: &[],
        keys: cellular::KEYS,
    },
];

/// Read the section.
pub(crate) fn read(item: &Item<'_>, profile: Profile, files: &Files) -> Result<Topology, Problem> {
    let kinds: Vec<_> = READY.iter().map(|ready| (ready.name, ready)).collect();
    let ready = item.open_table()?.need("kind", "\"dumbbell\"")?.word(&kinds)?;
    let keys: Vec<&str> = std::iter::once("kind").chain(ready.keys().map(|(key, _)| key)).collect();
    let fields = item.table(&keys)?;
    let shape = match ready.name {
        GRAPH => Shape::Graph(graph::read(&fields, profile, files)?),
        WLAN => Shape::Cell(Box::new(cell::read(&fields, profile, files)?)),
        CHAIN => Shape::Chain(Box::new(chain::read(&fields, profile, files)?)),
        CELLULAR => Shape::Cellular(Box::new(cellular::read(&fields, profile, files)?)),
        _ => row(&fields, ready, profile, files)?,
    };
    let send_jitter = match (fields.get("send_jitter"), profile) {
        (Some(item), _) => send_jitter(&item)?,
        (None, Profile::Rfc | Profile::Linux) => SendJitter::Auto,
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

impl Topology {
    /// Names of the nodes, in the order of their numbers.
    pub(crate) fn nodes(&self) -> Vec<String> {
        match &self.shape {
            Shape::Graph(graph) => graph.nodes().to_vec(),
            Shape::Cell(cell) => cell.nodes(),
            Shape::Chain(chain) => chain.nodes(),
            Shape::Cellular(cellular) => cellular.nodes(),
            Shape::Row { pairs, middle, .. } => {
                let hosts = |side: &'static str| (0..*pairs).map(move |i| format!("{side}/{i}"));
                hosts("left").chain(hosts("right")).chain((0..=middle.len()).map(|i| format!("g{}", i + 1))).collect()
            }
        }
    }

    /// How many nodes there are.
    pub(crate) fn size(&self) -> usize {
        match &self.shape {
            Shape::Graph(graph) => graph.nodes().len(),
            Shape::Cell(cell) => cell.nodes().len(),
            Shape::Chain(chain) => chain.medium().nodes.len(),
            Shape::Cellular(cellular) => cellular.nodes().len(),
            Shape::Row { pairs, middle, .. } => 2 * pairs + middle.len() + 1,
        }
    }

    /// How many links there are.
    pub(crate) fn link_count(&self) -> usize {
        match &self.shape {
            Shape::Row { pairs, middle, .. } => 2 * pairs + middle.len(),
            _ => self.links(ForRun::NONE).len(),
        }
    }

    /// For each node a number that it shares with those it can reach, and no others.
    pub(crate) fn islands(&self) -> Vec<usize> {
        if let Shape::Row { .. } = self.shape {
            return vec![0; self.size()];
        }
        let mut neighbours = vec![Vec::new(); self.size()];
        for link in self.links(ForRun::NONE) {
            neighbours[link.a].push(link.b);
            neighbours[link.b].push(link.a);
        }
        let mut island = vec![usize::MAX; neighbours.len()];
        for start in 0..neighbours.len() {
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

    /// The links as the network wants them: wires, then pairs of stations, medium by medium.
    pub(crate) fn links(&self, run: ForRun) -> Vec<LinkSpec> {
        let mut links = match &self.shape {
            Shape::Graph(graph) => graph.wires(run),
            Shape::Cell(cell) => cell.wires(run),
            Shape::Chain(_) => vec![],
            Shape::Cellular(cellular) => cellular.links(run),
            Shape::Row { pairs, left, right, middle, .. } => {
                let (first, last) = (2 * pairs, 2 * pairs + middle.len());
                let lefts = (0..*pairs).map(|i| left.spec(format!("left/{i}"), i, first, run));
                let rights = (0..*pairs).map(|i| right.spec(format!("right/{i}"), last, pairs + i, run));
                let routers = middle.iter().enumerate();
                let middles =
                    routers.map(|(i, (name, link))| link.spec((*name).to_owned(), first + i, first + i + 1, run));
                lefts.chain(middles).chain(rights).collect()
            }
        };
        for (number, medium) in self.media().into_iter().enumerate() {
            links.extend(medium.link_specs(number, run.trace_queue));
        }
        links
    }

    /// Whether a limit of a queue depends on the path.
    pub(crate) fn is_relative(&self) -> bool {
        let wired = match &self.shape {
            Shape::Row { left, right, middle, .. } => {
                left.is_relative() || right.is_relative() || middle.iter().any(|(_, link)| link.is_relative())
            }
            Shape::Graph(graph) => graph.is_relative(),
            Shape::Cell(cell) => cell.is_relative(),
            Shape::Chain(_) => false,
            Shape::Cellular(cellular) => cellular.is_relative(),
        };
        wired || self.media().iter().any(|medium| medium.radio.is_relative())
    }

    /// Size the queues whose limits depend on the path.
    pub(crate) fn settle(&mut self, paths: &Paths<'_>) -> Result<(), Problem> {
        match &mut self.shape {
            Shape::Row { left, right, middle, .. } => {
                left.settle(paths, &paths.named("left"))?;
                right.settle(paths, &paths.named("right"))?;
                middle.iter_mut().try_for_each(|(name, link)| link.settle(paths, &paths.named(name)))
            }
            Shape::Graph(graph) => graph.settle(paths),
            Shape::Cell(cell) => cell.settle(paths),
            Shape::Chain(chain) => chain.medium_mut().settle(paths, 0),
            Shape::Cellular(cellular) => cellular.settle(paths),
        }
    }

    /// The radio media.
    pub(crate) fn media(&self) -> Vec<&Medium> {
        match &self.shape {
            Shape::Row { .. } | Shape::Cellular(_) => vec![],
            Shape::Graph(graph) => graph.media().iter().collect(),
            Shape::Cell(cell) => vec![cell.medium()],
            Shape::Chain(chain) => vec![chain.medium()],
        }
    }

    /// Base stations with their mobiles.
    pub(crate) fn cellular(&self) -> Vec<CellularSpec> {
        if let Shape::Cellular(cellular) = &self.shape { vec![cellular.spec()] } else { vec![] }
    }

    /// How many nodes of a chain the longest hop of each passes over; nothing for other topologies.
    pub(crate) fn passed_over(&self) -> Vec<usize> {
        if let Shape::Chain(chain) = &self.shape { chain.passed_over() } else { vec![] }
    }

    /// The section, complete.
    pub(crate) fn effective(&self) -> Json {
        let mut all = match &self.shape {
            Shape::Graph(graph) => graph.effective(),
            Shape::Cell(cell) => cell.effective(),
            Shape::Chain(chain) => chain.effective(),
            Shape::Cellular(cellular) => cellular.effective(),
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
