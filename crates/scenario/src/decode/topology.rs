//! Section `[topology]`: ready topologies and free graphs.

use net::{Counting, DirectionSpec, LinkSpec, LossAt, LossSpec, NodeId, QueueLimit, QueueSpec, WarningSpec};
use serde_json::{Map, Value as Json, json};
use tcp::Profile;
use units::Span;

use crate::effective::percent_text;
use crate::error::{Problem, choose, code, show};
use crate::limits::FLOWS;
use crate::node::{Node, Table, Value, element_name};
use crate::read::{Fields, HOUR, Item};
use crate::units::{Kind, parse, rate_text, size_text, time_text};

/// Most bytes a queue may hold.
const PETABYTE: u64 = 1_000_000_000_000_000;
/// Most packets a queue may hold.
const PACKETS: u32 = 1_000_000_000;

/// A topology whose every link is complete.
#[derive(Clone, Debug)]
pub(crate) enum Topology {
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

/// A link in both directions.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    forward: Direction,
    reverse: Direction,
}

#[derive(Clone, Debug)]
struct Direction {
    rate_bps: u64,
    delay: Span,
    queue: QueueSpec,
    loss: Loss,
    drops: Vec<u64>,
    warning: Option<WarningSpec>,
}

#[derive(Clone, Copy, Debug)]
struct Loss {
    percent: f64,
    at: LossAt,
}

const NO_LOSS: Loss = Loss { percent: 0.0, at: LossAt::Wire };

const LINK_KEYS: &[&str] = &["rate", "delay", "queue", "queue_counting", "loss", "drops", "warning", "reverse"];
const REVERSE_KEYS: &[&str] = &["rate", "delay", "queue", "queue_counting", "loss", "warning"];
const COUNTINGS: &[(&str, Counting)] = &[("waiting", Counting::Waiting), ("ns2", Counting::Ns2)];
const PLACES: &[(&str, LossAt)] = &[("wire", LossAt::Wire), ("queue", LossAt::Queue)];

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
        name: "graph",
        summary: "Any nodes and links; packets take the shortest path",
        middle: &[],
        keys: &[
            ("nodes", "names of the nodes; default: those that links name"),
            ("links", "tables with `from`, `to`, perhaps a `name` (default \"FROM-TO\"), and the keys of a link"),
        ],
    },
];

/// Keys of a link and what they mean.
pub(crate) static LINK_MEANINGS: &[(&str, &str)] = &[
    ("rate", "bits per second, such as \"8 Mbps\""),
    ("delay", "propagation delay, such as \"50 ms\""),
    ("queue", "DropTail limit, \"50 packets\" (default) or \"75 kB\""),
    ("queue_counting", "\"waiting\": the limit counts packets that wait; \"ns2\": one less; default by profile"),
    ("loss", "random loss: \"1 %\" or a table with model, rate, at (wire, queue), direction (forward, reverse, both)"),
    ("drops", "arrival numbers, from 0, lost before the queue: a table with forward, reverse"),
    ("warning", "congestion warning marks: true or a table with threshold (default half the queue), weight (0.002)"),
    ("reverse", "changes for the reverse direction, which otherwise equals the forward one but has no loss"),
];

/// Read the section.
pub(crate) fn read(item: &Item<'_>, profile: Profile) -> Result<Topology, Problem> {
    let kinds: Vec<_> = READY.iter().map(|ready| (ready.name, ready)).collect();
    let ready = item.open_table()?.need("kind", "\"dumbbell\"")?.word(&kinds)?;
    let keys: Vec<&str> = std::iter::once("kind").chain(ready.keys.iter().map(|(key, _)| *key)).collect();
    let fields = item.table(&keys)?;
    if ready.middle.is_empty() { graph(&fields, profile) } else { row(&fields, ready, profile) }
}

fn row(fields: &Fields<'_>, ready: &Ready, profile: Profile) -> Result<Topology, Problem> {
    let pairs = match fields.get("pairs") {
        None => 1,
        Some(item) => {
            let pairs = item.whole(1..=u64::MAX)?;
            let many =
                || item.problem(code::TOO_MANY_FLOWS, format!("is {pairs}, at most {FLOWS} pairs can be simulated"));
            usize::try_from(pairs).ok().filter(|pairs| *pairs <= FLOWS).ok_or_else(many)?
        }
    };
    let side = |key: &str| {
        let (own, shared) = (fields.get(key), fields.get("access"));
        let merged = match (&own, &shared) {
            (Some(own), Some(shared)) => {
                // Both must be right by themselves in their keys, so that a message names the right one.
                let (own, shared) = (own.table(LINK_KEYS)?, shared.table(LINK_KEYS)?);
                Node::new(fields.place(), Value::Table(own.own().over(shared.own())))
            }
            _ => {
                return link(
                    &own.or(shared).map_or_else(|| fields.need("access", ACCESS_EXAMPLE), Ok)?,
                    LINK_KEYS,
                    profile,
                );
            }
        };
        link(&Item { node: &merged, path: own.map(|item| item.path).unwrap_or_default() }, LINK_KEYS, profile)
    };
    let middle = |key: &&'static str| Ok((*key, link(&fields.need(key, LINK_EXAMPLE)?, LINK_KEYS, profile)?));
    Ok(Topology::Row {
        kind: ready.name,
        pairs,
        left: Box::new(side("left")?),
        right: Box::new(side("right")?),
        middle: ready.middle.iter().map(middle).collect::<Result<_, _>>()?,
    })
}

const ACCESS_EXAMPLE: &str = "{ rate = \"100 Mbps\", delay = \"1 ms\" }";
const LINK_EXAMPLE: &str = "{ rate = \"8 Mbps\", delay = \"50 ms\", queue = \"50 packets\" }";

fn graph(fields: &Fields<'_>, profile: Profile) -> Result<Topology, Problem> {
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
    let keys: Vec<&str> = ["name", "from", "to"].iter().chain(LINK_KEYS).copied().collect();
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
            name.name(LINK_KEYS, "/ ")?;
        }
        if !names.add(&name) {
            return Err(item.problem(code::DUPLICATE_NAME, "stands twice").hint("give each link a `name` of its own"));
        }
        links.push(GraphLink { name, from, to, link: link(&item, &keys, profile)? });
    }
    Ok(Topology::Graph { nodes: nodes.list, links })
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

/// Read a link; `keys` are those of the table it stands in.
fn link(item: &Item<'_>, keys: &[&str], profile: Profile) -> Result<Link, Problem> {
    let table = item.table(keys)?;
    let counting = match profile {
        Profile::Rfc => Counting::Waiting,
        Profile::Ns2 => Counting::Ns2,
    };
    let base = Direction {
        rate_bps: table.need("rate", "\"8 Mbps\"")?.rate()?,
        delay: table.need("delay", "\"50 ms\"")?.span(Span::ZERO..=HOUR)?,
        queue: QueueSpec { limit: QueueLimit::Packets(50), counting },
        loss: NO_LOSS,
        drops: Vec::new(),
        warning: None,
    };
    let mut forward = changed(&table, base, table.get("warning"))?;
    let mut reverse = forward.clone();
    if let Some(item) = table.get("loss") {
        let (loss, on_forward, on_reverse) = directed_loss(&item)?;
        forward.loss = if on_forward { loss } else { NO_LOSS };
        reverse.loss = if on_reverse { loss } else { NO_LOSS };
    }
    if let Some(item) = table.get("reverse") {
        let own = item.table(REVERSE_KEYS)?;
        // A threshold of half the queue is half of this direction's queue.
        reverse = changed(&own, reverse, own.get("warning").or(table.get("warning")))?;
        if let Some(item) = own.get("loss") {
            reverse.loss = loss(&item, &["model", "rate", "at"])?;
        }
    }
    if let Some(item) = table.get("drops") {
        let table = item.table(&["forward", "reverse"])?;
        forward.drops = arrivals(table.get("forward"))?;
        reverse.drops = arrivals(table.get("reverse"))?;
    }
    Ok(Link { forward, reverse })
}

/// A direction with what the table says about rate, delay and queue, and its warning.
fn changed(table: &Fields<'_>, mut direction: Direction, warned: Option<Item<'_>>) -> Result<Direction, Problem> {
    if let Some(item) = table.get("rate") {
        direction.rate_bps = item.rate()?;
    }
    if let Some(item) = table.get("delay") {
        direction.delay = item.span(Span::ZERO..=HOUR)?;
    }
    if let Some(item) = table.get("queue") {
        direction.queue.limit = queue_limit(&item)?;
    }
    if let Some(item) = table.get("queue_counting") {
        direction.queue.counting = item.word(COUNTINGS)?;
    }
    if let Some(item) = warned {
        direction.warning = warning(&item, direction.queue.limit)?;
    }
    Ok(direction)
}

fn queue_limit(item: &Item<'_>) -> Result<QueueLimit, Problem> {
    let in_bytes = item.text().is_ok_and(|text| matches!(parse(text), Ok((_, unit)) if unit.kind == Kind::Size));
    if in_bytes {
        item.bytes(1..=PETABYTE).map(QueueLimit::Bytes)
    } else {
        item.whole_packets(1..=PACKETS).map(QueueLimit::Packets)
    }
}

fn warning(item: &Item<'_>, limit: QueueLimit) -> Result<Option<WarningSpec>, Problem> {
    if item.flag().is_ok_and(|on| !on) {
        return Ok(None);
    }
    let whole = Node::new(item.node.place, Value::Table(Table::default()));
    let table = match item.node.value {
        Value::Flag(_) => Item { node: &whole, path: item.path.clone() }.table(&["threshold", "weight"])?,
        Value::Table(_) => item.table(&["threshold", "weight"])?,
        _ => return Err(item.problem(code::WRONG_TYPE, "is neither true, false nor a table")),
    };
    let threshold_packets = match (table.get("threshold"), limit) {
        (Some(item), _) => item.packets(0..=PACKETS)?,
        (None, QueueLimit::Packets(packets)) => f64::from(packets) / 2.0,
        (None, QueueLimit::Bytes(_)) => {
            return Err(table.need("threshold", "\"25 packets\"").err().expect("it is not there"));
        }
    };
    let weight = match table.get("weight") {
        None => 0.002,
        Some(item) => {
            let weight = item.number()?;
            if !(weight > 0.0 && weight <= 1.0) {
                return Err(item.problem(code::OUT_OF_RANGE, format!("is {weight}, allowed is above 0, up to 1")));
            }
            weight
        }
    };
    Ok(Some(WarningSpec { threshold_packets, weight }))
}

/// A loss, and whether it is on the forward and on the reverse direction.
fn directed_loss(item: &Item<'_>) -> Result<(Loss, bool, bool), Problem> {
    let found = loss(item, &["model", "rate", "at", "direction"])?;
    let direction = match item.node.value {
        Value::Table(_) => item.open_table()?.get("direction"),
        _ => None,
    };
    let words = [("forward", (true, false)), ("reverse", (false, true)), ("both", (true, true))];
    let (forward, reverse) = direction.map_or(Ok((true, false)), |item| item.word(&words))?;
    Ok((found, forward, reverse))
}

fn loss(item: &Item<'_>, keys: &[&str]) -> Result<Loss, Problem> {
    if !matches!(item.node.value, Value::Table(_)) {
        return Ok(Loss { percent: item.percent()?, ..NO_LOSS });
    }
    let table = item.table(keys)?;
    table.get("model").map_or(Ok(()), |item| item.word(&[("uniform", ())]))?;
    Ok(Loss {
        percent: table.need("rate", "\"1 %\"")?.percent()?,
        at: table.get("at").map_or(Ok(LossAt::Wire), |item| item.word(PLACES))?,
    })
}

fn arrivals(item: Option<Item<'_>>) -> Result<Vec<u64>, Problem> {
    let items = item.as_ref().map_or(Ok(Vec::new()), Item::list)?;
    let mut arrivals = items.iter().map(|item| item.whole(0..=i64::MAX as u64)).collect::<Result<Vec<_>, _>>()?;
    arrivals.sort_unstable();
    arrivals.dedup();
    Ok(arrivals)
}

impl Direction {
    fn spec(&self, trace_queue: bool) -> DirectionSpec {
        DirectionSpec {
            rate_bps: self.rate_bps,
            delay: self.delay,
            queue: self.queue,
            loss: LossSpec { probability: self.loss.percent / 100.0, at: self.loss.at },
            drops: self.drops.clone(),
            warning: self.warning,
            trace_queue,
        }
    }

    /// The direction's own keys, complete.
    fn effective(&self) -> Map<String, Json> {
        let queue = match self.queue.limit {
            QueueLimit::Packets(packets) => format!("{packets} packets"),
            QueueLimit::Bytes(bytes) => size_text(bytes),
        };
        let warning = self.warning.map_or(json!(false), |warning| {
            json!({ "threshold": format!("{} packets", warning.threshold_packets), "weight": warning.weight })
        });
        let word =
            |words: &[(&'static str, Counting)]| words.iter().find(|(_, c)| *c == self.queue.counting).map(|(w, _)| *w);
        let at = PLACES.iter().find(|(_, at)| *at == self.loss.at).map(|(word, _)| *word);
        let mut map = Map::new();
        map.insert("rate".into(), rate_text(self.rate_bps).into());
        map.insert("delay".into(), time_text(self.delay).into());
        map.insert("queue".into(), queue.into());
        map.insert("queue_counting".into(), word(COUNTINGS).into());
        map.insert("loss".into(), json!({ "model": "uniform", "rate": percent_text(self.loss.percent), "at": at }));
        map.insert("warning".into(), warning);
        map
    }
}

impl Link {
    fn spec(&self, name: String, a: NodeId, b: NodeId, trace_queue: bool) -> LinkSpec {
        LinkSpec { name, a, b, forward: self.forward.spec(trace_queue), reverse: self.reverse.spec(trace_queue) }
    }

    fn effective(&self) -> Map<String, Json> {
        let mut map = self.forward.effective();
        map.insert("drops".into(), json!({ "forward": self.forward.drops, "reverse": self.reverse.drops }));
        map.insert("reverse".into(), Json::Object(self.reverse.effective()));
        map
    }
}

impl Topology {
    /// Names of the nodes, in the order of their numbers.
    pub(crate) fn nodes(&self) -> Vec<String> {
        match self {
            Topology::Graph { nodes, .. } => nodes.clone(),
            Topology::Row { pairs, middle, .. } => {
                let hosts = |side: &'static str| (0..*pairs).map(move |i| format!("{side}/{i}"));
                hosts("left").chain(hosts("right")).chain((0..=middle.len()).map(|i| format!("g{}", i + 1))).collect()
            }
        }
    }

    /// How many nodes there are.
    pub(crate) fn size(&self) -> usize {
        match self {
            Topology::Graph { nodes, .. } => nodes.len(),
            Topology::Row { pairs, middle, .. } => 2 * pairs + middle.len() + 1,
        }
    }

    /// How many links there are.
    pub(crate) fn link_count(&self) -> usize {
        match self {
            Topology::Graph { links, .. } => links.len(),
            Topology::Row { pairs, middle, .. } => 2 * pairs + middle.len(),
        }
    }

    /// For each node a number that it shares with those it can reach, and no others.
    pub(crate) fn islands(&self) -> Vec<usize> {
        let Topology::Graph { nodes, links } = self else { return vec![0; self.size()] };
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
        match self {
            Topology::Graph { links, .. } => {
                links.iter().map(|l| l.link.spec(l.name.clone(), l.from, l.to, trace_queue)).collect()
            }
            Topology::Row { pairs, left, right, middle, .. } => {
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
        match self {
            Topology::Graph { nodes, links } => {
                let links = links.iter().map(|link| {
                    let mut map = Map::new();
                    map.insert("name".into(), link.name.clone().into());
                    map.insert("from".into(), nodes[link.from].clone().into());
                    map.insert("to".into(), nodes[link.to].clone().into());
                    map.extend(link.link.effective());
                    Json::Object(map)
                });
                json!({ "kind": "graph", "nodes": nodes, "links": links.collect::<Vec<_>>() })
            }
            Topology::Row { kind, pairs, left, right, middle } => {
                let mut map = Map::new();
                map.insert("kind".into(), (*kind).into());
                map.insert("pairs".into(), (*pairs).into());
                map.insert("left".into(), Json::Object(left.effective()));
                map.insert("right".into(), Json::Object(right.effective()));
                map.extend(middle.iter().map(|(key, link)| ((*key).to_owned(), Json::Object(link.effective()))));
                Json::Object(map)
            }
        }
    }
}
