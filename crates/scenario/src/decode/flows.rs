//! Section `[[flows]]`: who sends to whom, when, with which algorithm and rules.

mod connections;
mod effective;
mod ends;
mod members;
mod protocol;
mod rate_controlled;
mod times;

pub(crate) use connections::{SIZE, Tcp};
pub(crate) use members::Member;
pub(crate) use protocol::takes;
pub(crate) use rate_controlled::Tfrc;

use net::{LinkSpec, NodeId};

use super::General;
use super::drawn::{Arrivals, Drawn};
use super::multipath::Multipath;
use super::tcp as rules;
use super::topology::Topology;
use super::traffic;
use crate::error::{Problem, code, show};
use crate::limits::FLOWS;
use crate::node::element_name;
use crate::read::{Fields, Item};
use connections::connections;
use protocol::{COMMON, PROTOCOLS, Protocol, TCP_KEYS, TFRC_KEYS, UDP_KEYS, check_keys};
use rate_controlled::rate_controlled;

/// Flows that differ only in their ends.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    from: String,
    to: String,
    count: usize,
    /// Ends of the pairs; each has `count` connections.
    ends: Vec<(NodeId, NodeId)>,
    pub(crate) start: Drawn,
    pub(crate) stop: Option<Drawn>,
    pub(crate) arrivals: Option<Arrivals>,
    pub(crate) transport: Transport,
}

/// What carries the data of a group.
#[derive(Clone, Debug)]
pub(crate) enum Transport {
    Tcp(Box<Tcp>),
    Udp(datagram::Config),
    Tfrc(Tfrc),
}

impl Group {
    /// How many connections the group has; where they arrive at random, more than ever come.
    pub(crate) fn size(&self) -> usize {
        self.arrivals.map_or(self.ends.len() * self.count, |arrivals| arrivals.bound)
    }

    /// The several paths of its connections, if they have them.
    pub(crate) fn multipath(&self) -> Option<&Multipath> {
        match &self.transport {
            Transport::Tcp(tcp) => tcp.multipath.as_ref(),
            Transport::Udp(_) | Transport::Tfrc(_) => None,
        }
    }

    /// How many flows of the network the group makes.
    pub(crate) fn flows(&self) -> usize {
        self.size() * self.multipath().map_or(1, Multipath::paths)
    }

    /// Routes of the paths of the connection of this number.
    pub(crate) fn routes(&self, connection: usize) -> Option<&[Vec<usize>]> {
        self.multipath().map(|multipath| multipath.routes(connection / self.count))
    }

    /// Whether data flow in both directions.
    pub(crate) fn two_way(&self) -> bool {
        matches!(&self.transport, Transport::Tcp(tcp) if tcp.two_way)
    }
}

/// What a topology has.
struct Places {
    nodes: Vec<String>,
    islands: Vec<usize>,
    links: Vec<LinkSpec>,
}

/// Read the section; `shared` is the section `[tcp]`.
pub(crate) fn read(
    item: &Item<'_>,
    shared: Option<&Item<'_>>,
    topology: &Topology,
    general: &General,
) -> Result<Vec<Group>, Problem> {
    let hint = "each group of flows is a table `[[flows]]`";
    let items = item.list().map_err(|problem| problem.hint(hint))?;
    if items.is_empty() {
        return Err(item.problem(code::MISSING_KEY, "is empty").hint(hint));
    }
    if let Some(shared) = shared {
        // Checked also by itself, so that a mistake is found whichever profile and algorithm it meets.
        rules::read(shared, &mut tcp::Config::profile(general.profile))?;
    }
    let places = Places { nodes: topology.nodes(), islands: topology.islands(), links: topology.links(false) };
    let mut groups: Vec<Group> = Vec::new();
    let mut flows = 0;
    for (at, item) in items.iter().enumerate() {
        let name = element_name("flows", at, item.node);
        let path = if items.len() == 1 { "flows".to_owned() } else { format!("flows.{name}") };
        let item = Item { node: item.node, path };
        let group = group(&item, name, shared, &places, general)?;
        if groups.iter().any(|other| other.name == group.name) {
            let twice = format!("stands twice: two groups are named \"{}\"", show(&group.name));
            return Err(item.problem(code::DUPLICATE_NAME, twice).hint("give each group a `name` of its own"));
        }
        flows += group.flows();
        if flows > FLOWS {
            return Err(item
                .problem(
                    code::TOO_MANY_FLOWS,
                    format!("brings the number of flows to {flows}, at most {FLOWS} can be simulated"),
                )
                .hint(FEWER));
        }
        groups.push(group);
    }
    Ok(groups)
}

fn group(
    item: &Item<'_>,
    name: String,
    shared: Option<&Item<'_>>,
    places: &Places,
    general: &General,
) -> Result<Group, Problem> {
    let keys = [COMMON, TCP_KEYS, UDP_KEYS, TFRC_KEYS].concat();
    let table = item.table(&keys)?;
    if let Some(item) = table.get("name") {
        item.name(&keys, " ")?;
    }
    let protocol = match table.get("transport") {
        Some(item) => item.word(PROTOCOLS)?,
        None => Protocol::of(table.own()).unwrap_or(Protocol::Tcp),
    };
    check_keys(&table, protocol)?;
    let ends = ends::ends(&table, &places.nodes, &places.islands)?;
    let count = count(&table, ends.len())?;
    let flows = count * ends.len();
    let start = table.get("start").map_or(Ok(Drawn::Fixed(0)), |item| times::when(&item, flows, general))?;
    let stop = table.get("stop").map(|item| times::stopping(&item, start, flows)).transpose()?;
    let arrivals = times::arrivals(&table, start, stop, general)?;
    let transport = match protocol {
        Protocol::Tcp => Transport::Tcp(Box::new(connections(&table, shared, &ends, count, places, general)?)),
        Protocol::Udp => {
            let example = "{ kind = \"cbr\", rate = \"1 Mbps\", packet = \"1000 B\" }";
            Transport::Udp(traffic::read(&table.need("traffic", example)?, general.profile)?)
        }
        Protocol::Tfrc => Transport::Tfrc(rate_controlled(&table, general.profile)?),
    };
    Ok(Group {
        name,
        from: table.need("from", "\"left/*\"")?.text()?.to_owned(),
        to: table.need("to", "\"right/*\"")?.text()?.to_owned(),
        count,
        ends,
        start,
        stop,
        arrivals,
        transport,
    })
}

/// Payload of a full segment or packet.
fn segment(item: &Item<'_>) -> Result<u32, Problem> {
    item.bytes(1..=64_000).map(|bytes| bytes as u32)
}

/// What to do with too many flows.
const FEWER: &str = "simulate a share of the flows on the same share of the rate";

/// Connections per pair.
fn count(table: &Fields<'_>, pairs: usize) -> Result<usize, Problem> {
    let Some(item) = table.get("count") else { return Ok(1) };
    let count = item.whole(1..=u64::MAX).or_else(|_| item.whole(1..=FLOWS as u64))?;
    match usize::try_from(count).ok().and_then(|count| count.checked_mul(pairs)) {
        Some(flows) if flows <= FLOWS => Ok(count as usize),
        _ => Err(item
            .problem(
                code::TOO_MANY_FLOWS,
                format!("is {count} for each of {pairs} pairs, at most {FLOWS} flows can be simulated"),
            )
            .hint(FEWER)),
    }
}
