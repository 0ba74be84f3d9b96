//! Section `[[flows]]`: who sends to whom, when, with which algorithm and rules.

use cc::registry::Recovery;
use net::{LinkSpec, NodeId};
use serde_json::{Map, Value as Json, json};
use tcp::{Agent, Profile};
use units::{Span, Time};

use super::General;
use super::algorithm;
use super::drawn::{self, Arrivals, Drawn, Measure};
use super::multipath::{self, Multipath};
use super::tcp as rules;
use super::topology::Topology;
use super::traffic;
use crate::error::{Problem, choose, closest, code, listed, show};
use crate::limits::FLOWS;
use crate::node::{Node, Table, Value, element_name};
use crate::read::{Fields, Item};
use crate::units::time_text;

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

/// Rate-controlled flows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tfrc {
    algorithm: cc::Config,
    pub(crate) config: datagram::TfrcConfig,
}

/// Connections.
#[derive(Clone, Debug)]
pub(crate) struct Tcp {
    pub(crate) algorithm: cc::Config,
    pub(crate) rules: tcp::Config,
    pub(crate) size: Option<Drawn>,
    pub(crate) two_way: bool,
    pub(crate) reverse_start: Option<Drawn>,
    pub(crate) multipath: Option<Multipath>,
}

/// Keys of every group.
const COMMON: &[&str] = &["name", "from", "to", "count", "transport", "start", "stop"];
/// Keys of a group of connections.
const TCP_KEYS: &[&str] =
    &["algorithm", "segment", "size", "arrivals", "direction", "reverse_start", "multipath", "tcp"];
/// Keys of a group of UDP flows.
const UDP_KEYS: &[&str] = &["traffic"];
/// Keys of a group of rate-controlled flows.
const TFRC_KEYS: &[&str] = &["algorithm", "segment", "header"];

#[derive(Clone, Copy, PartialEq)]
enum Protocol {
    Tcp,
    Udp,
    Tfrc,
}

const PROTOCOLS: &[(&str, Protocol)] = &[("tcp", Protocol::Tcp), ("udp", Protocol::Udp), ("tfrc", Protocol::Tfrc)];

impl Protocol {
    fn word(self) -> &'static str {
        PROTOCOLS.iter().find(|(_, known)| *known == self).expect("every protocol has a word").0
    }

    fn keys(self) -> &'static [&'static str] {
        match self {
            Protocol::Tcp => TCP_KEYS,
            Protocol::Udp => UDP_KEYS,
            Protocol::Tfrc => TFRC_KEYS,
        }
    }

    /// Of a group, not read yet: the transport it names, or the one that its algorithm needs. `None` if no such word is
    /// known.
    fn of(group: &Table) -> Option<Protocol> {
        let text = |node: Option<&Node>| match node.map(|node| &node.value) {
            Some(Value::Text(text)) => Some(text.clone()),
            _ => None,
        };
        if let Some(word) = text(group.get("transport")) {
            return PROTOCOLS.iter().find(|(known, _)| *known == word).map(|(_, protocol)| *protocol);
        }
        let name = match group.get("algorithm").map(|node| &node.value) {
            Some(Value::Table(table)) => text(table.get("name")),
            _ => text(group.get("algorithm")),
        };
        let row = name.and_then(|name| cc::registry::find(&name));
        Some(if row.is_some_and(|row| row.rate.is_some()) { Protocol::Tfrc } else { Protocol::Tcp })
    }
}

/// What a topology has.
struct Places {
    nodes: Vec<String>,
    islands: Vec<usize>,
    links: Vec<LinkSpec>,
}

/// How many bytes a flow may be told to send.
pub(crate) const SIZE: Measure = Measure::Size(1_000_000_000_000_000);

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
    let ends = ends(&table, &places.nodes, &places.islands)?;
    let count = count(&table, ends.len())?;
    let flows = count * ends.len();
    let start = table.get("start").map_or(Ok(Drawn::Fixed(0)), |item| when(&item, flows, general))?;
    let stop = table.get("stop").map(|item| stopping(&item, start, flows)).transpose()?;
    let arrivals = arrivals(&table, start, stop, general)?;
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

/// The process by which the flows of a group arrive, if they do.
fn arrivals(
    table: &Fields<'_>,
    start: Drawn,
    stop: Option<Drawn>,
    general: &General,
) -> Result<Option<Arrivals>, Problem> {
    let Some(item) = table.get("arrivals") else { return Ok(None) };
    let several = table.get("count").filter(|item| item.node.value != Value::Whole(1));
    if let Some(other) = several.or(table.get("multipath")) {
        return Err(other.problem(code::CONFLICT, "has no use where flows arrive at random").hint("take it away"));
    }
    let fixed = |drawn| match drawn {
        Drawn::Fixed(at) => Some(Span(at)),
        _ => None,
    };
    let (Some(from), Some(to)) = (fixed(start), stop.map_or(Some(general.duration), fixed)) else {
        return Err(item
            .problem(code::CONFLICT, "needs a `start` and `stop` that are not drawn")
            .hint("flows arrive at random from `start` to `stop`"));
    };
    if table.get("size").is_none() {
        return Err(item
            .problem(code::MISSING_KEY, "needs flows that end: `size` is not given")
            .hint("write `size = \"exponential(20 kB)\"`"));
    }
    Arrivals::read(&item, to.min(general.duration) - from).map(Some)
}

/// Whether a group, not read yet, has a use for the key.
pub(crate) fn takes(group: &Value, key: &str) -> bool {
    let Value::Table(table) = group else { return true };
    // an algorithm may bring another transport with it
    if key == "algorithm" && table.get("transport").is_none() {
        return true;
    }
    let keys = [TCP_KEYS, UDP_KEYS, TFRC_KEYS].concat();
    !keys.contains(&key) || Protocol::of(table).is_none_or(|protocol| protocol.keys().contains(&key))
}

/// A problem if a key is of use to another transport only.
fn check_keys(table: &Fields<'_>, protocol: Protocol) -> Result<(), Problem> {
    let foreign = |key: &str| !COMMON.contains(&key) && !protocol.keys().contains(&key);
    let Some((key, item)) = table.entries().find(|(key, _)| foreign(key)) else { return Ok(()) };
    let own = protocol.word();
    let (other, _) =
        PROTOCOLS.iter().find(|(_, known)| known.keys().contains(&key)).expect("every key is of some protocol");
    Err(item
        .problem(code::CONFLICT, format!("has no use with `transport = \"{own}\"`"))
        .hint(format!("take it away, or write `transport = \"{other}\"`")))
}

/// The algorithm of a group, which must be one for its transport.
fn algorithm_for(table: &Fields<'_>, protocol: Protocol) -> Result<cc::Config, Problem> {
    let (example, rated) = match protocol {
        Protocol::Tfrc => ("\"tfrc\"", true),
        _ => ("\"newreno\"", false),
    };
    let item = table.need("algorithm", example)?;
    let algorithm = algorithm::read(&item)?;
    if algorithm.rate().is_some() == rated {
        return Ok(algorithm);
    }
    let what = format!("is `{}`, which is not for `transport = \"{}\"`", algorithm.row().name, protocol.word());
    Err(item.problem(code::CONFLICT, what).hint("take `transport` away: the algorithm says which it needs"))
}

/// Header bytes of a packet of a rate-controlled flow: IPv4 and UDP headers, and number, timestamp and RTT.
const TFRC_HEADER: u32 = 40;

fn rate_controlled(table: &Fields<'_>, profile: Profile) -> Result<Tfrc, Problem> {
    let algorithm = algorithm_for(table, Protocol::Tfrc)?;
    let header = match profile {
        Profile::Rfc => TFRC_HEADER,
        Profile::Ns2 => 0,
    };
    let config = datagram::TfrcConfig {
        rules: algorithm.rate().expect("checked by `algorithm_for`"),
        payload: table.get("segment").map_or(Ok(tcp::Config::profile(profile).mss), |item| segment(&item))?,
        header: table.get("header").map_or(Ok(header), |item| item.bytes(0..=1000).map(|bytes| bytes as u32))?,
    };
    Ok(Tfrc { algorithm, config })
}

/// Payload of a full segment or packet.
fn segment(item: &Item<'_>) -> Result<u32, Problem> {
    item.bytes(1..=64_000).map(|bytes| bytes as u32)
}

fn connections(
    table: &Fields<'_>,
    shared: Option<&Item<'_>>,
    ends: &[(NodeId, NodeId)],
    count: usize,
    places: &Places,
    general: &General,
) -> Result<Tcp, Problem> {
    let flows = ends.len() * count;
    let algorithm = algorithm_for(table, Protocol::Tcp)?;
    let two_way = table.get("direction").map_or(Ok(false), |item| item.word(&[("forward", false), ("both", true)]))?;
    let rules = engine(table, shared, &algorithm, general.profile, two_way)?;
    let size = table.get("size").map(|item| drawn::read(&item, SIZE, false)).transpose()?;
    if let (Some(item), Some(size)) = (table.get("size"), size.and_then(|size| size.most(1)))
        && size.div_ceil(u64::from(rules.mss)) >= u64::from(u32::MAX)
    {
        return Err(item.problem(code::OUT_OF_RANGE, format!("is more than 2^32 segments of {} B", rules.mss)));
    }
    let reverse_start = table.get("reverse_start").map(|item| when(&item, flows, general)).transpose()?;
    if let (Some(item), false) = (table.get("reverse_start"), two_way) {
        return Err(item
            .problem(code::CONFLICT, "has no use without data in the reverse direction")
            .hint("write `direction = \"both\"`"));
    }
    let multipath = table.get("multipath");
    if let (Some(item), true) = (&multipath, two_way) {
        return Err(item
            .problem(code::CONFLICT, "has no use with data in both directions")
            .hint("write a group for each direction"));
    }
    let multipath = multipath
        .map(|item| multipath::read(&item, ends, places.nodes.len(), &places.links, &algorithm))
        .transpose()?;
    Ok(Tcp { algorithm, rules, size, two_way, reverse_start, multipath })
}

/// The engine's rules: the profile, what the algorithm wants, the scenario's `[tcp]`, the flow's own.
fn engine(
    table: &Fields<'_>,
    shared: Option<&Item<'_>>,
    algorithm: &cc::Config,
    profile: Profile,
    two_way: bool,
) -> Result<tcp::Config, Problem> {
    let row = algorithm.row();
    let own = table.get("tcp");
    // ns-2 has no FullTcp with the rules of Vegas
    let full = two_way && profile == Profile::Ns2 && row.recovery != Recovery::Vegas;
    let mut agent = if full { Agent::Full } else { Agent::OneWay };
    for item in shared.into_iter().chain(&own) {
        agent = rules::agent(item)?.unwrap_or(agent);
    }
    let mut config = tcp::Config::profile(profile).with_agent(agent);
    config.recovery = Some(row.recovery);
    if row.uses_marks {
        config.ecn = true;
        config.ecn_per_packet = true;
    }
    // the receiver's clock travels in the timestamp option, which costs header bytes
    config.timestamps = row.needs_receiver_time;
    if let Some(item) = table.get("segment") {
        config.mss = segment(&item)?;
    }
    for item in shared.into_iter().chain(&own) {
        rules::read(item, &mut config)?;
    }
    if config.prr && !config.can_prr(row) {
        let what = format!("has `tcp.prr`, which has no meaning for `{}` with these rules", row.name);
        return Err(table.problem(code::CONFLICT, what).hint(
            "it needs `recovery` \"newreno\" or \"sack\" without `ns2_recovery`, and an algorithm that does not pace itself",
        ));
    }
    Ok(config)
}

/// What to do with too many flows.
const FEWER: &str = "simulate a share of the flows on the same share of the rate";

/// Connections per pair.
fn count(table: &Fields<'_>, pairs: usize) -> Result<usize, Problem> {
    let Some(item) = table.get("count") else { return Ok(1) };
    let count = item.whole(1..=u64::MAX)?;
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

/// The pairs that `from` and `to` name.
fn ends(table: &Fields<'_>, nodes: &[String], islands: &[usize]) -> Result<Vec<(NodeId, NodeId)>, Problem> {
    let (from, to) = (table.need("from", "\"left/*\"")?, table.need("to", "\"right/*\"")?);
    let (senders, receivers) = (matching(&from, nodes)?, matching(&to, nodes)?);
    if senders.len() != receivers.len() {
        let what = format!(
            "matches {} and `to` matches {}, which cannot pair up",
            counted(senders.len()),
            counted(receivers.len())
        );
        return Err(from
            .problem(code::COUNTS_DIFFER, what)
            .hint("write one `[[flows]]` for each receiver, or patterns that match equal numbers"));
    }
    let pairs: Vec<_> = senders.into_iter().zip(receivers).collect();
    for &(a, b) in &pairs {
        if a == b {
            return Err(to.problem(code::SAME_NODE, format!("pairs `{}` with itself", show(&nodes[a]))));
        }
        if islands[a] != islands[b] {
            let what = format!("cannot be reached: no route from `{}` to `{}`", show(&nodes[a]), show(&nodes[b]));
            return Err(to
                .problem(code::NO_ROUTE, what)
                .hint("add a link between the two parts in `[[topology.links]]`"));
        }
    }
    Ok(pairs)
}

fn counted(nodes: usize) -> String {
    if nodes == 1 { "1 node".to_owned() } else { format!("{nodes} nodes") }
}

/// Nodes that a pattern matches, in order.
fn matching(item: &Item<'_>, nodes: &[String]) -> Result<Vec<NodeId>, Problem> {
    let pattern = item.text()?;
    let found: Vec<NodeId> = (0..nodes.len()).filter(|at| matches_glob(pattern, &nodes[*at])).collect();
    if found.is_empty() {
        // Few names are enough to see how nodes are called; a ready topology may have 200 000.
        let some = || nodes.iter().take(8).chain(nodes.iter().rev().take(4).rev()).map(String::as_str);
        let hint = match closest(pattern, nodes.iter().map(String::as_str)) {
            Some(meant) if nodes.len() <= 1000 => format!("did you mean `{}`?", show(meant)),
            _ if nodes.len() <= 12 => choose(pattern, nodes.iter().map(String::as_str)),
            _ => format!("there is {} and more", listed(some())),
        };
        return Err(item
            .problem(code::UNKNOWN_NODE, format!("is \"{}\", which matches no node", show(pattern)))
            .hint(hint));
    }
    Ok(found)
}

/// Whether `name` has the form of `pattern`, where `*` stands for any text.
fn matches_glob(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// When each of `flows` flows starts.
fn when(item: &Item<'_>, flows: usize, general: &General) -> Result<Drawn, Problem> {
    let when = drawn::read(item, Measure::Time, true)?;
    let latest = match when {
        Drawn::Every(_) => when.most(flows).unwrap_or(0),
        _ => when.least(),
    };
    if latest >= general.duration.0 {
        let what = format!("is {}, when the run of {} is over", time_text(Span(latest)), time_text(general.duration));
        return Err(item.problem(code::NEVER_ACTIVE, what).hint("start earlier or make `scenario.duration` longer"));
    }
    Ok(when)
}

/// When each flow stops offering data, and that this is after it has started, as far as that is certain.
fn stopping(item: &Item<'_>, start: Drawn, flows: usize) -> Result<Drawn, Problem> {
    let stop = drawn::read(item, Measure::Time, false)?;
    if let (Drawn::Fixed(at), Some(latest)) = (stop, start.most(flows))
        && at <= latest
    {
        return Err(
            item.problem(code::NEVER_ACTIVE, format!("is {}, before the flow has started", time_text(Span(at))))
        );
    }
    Ok(stop)
}

/// One flow of a group in one run.
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) start: Time,
    pub(crate) stop: Option<Time>,
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

    /// The connections of the run with this seed and length, in order; random starts are drawn from the stream named after
    /// the flow, so they are the same for every algorithm.
    pub(crate) fn members(&self, seed: u64, duration: Span) -> Vec<Member> {
        if let Some(arrivals) = self.arrivals {
            let end = self.stop.and_then(|stop| stop.most(1)).map_or(duration, |stop| Span(stop).min(duration));
            let start = Span(self.start.least());
            let times = arrivals.times(seed, &self.name, start, end).into_iter().enumerate();
            // each takes the next pair of nodes
            let member = |(number, start): (usize, Span)| {
                let (from, to) = self.ends[number % self.ends.len()];
                Member { name: format!("{}/{number}", self.name), from, to, start: Time(start.0), stop: None }
            };
            return times.map(member).collect();
        }
        let single = self.size() == 1;
        let all = self.ends.iter().flat_map(|ends| std::iter::repeat_n(*ends, self.count));
        let member = |(number, (from, to)): (usize, (NodeId, NodeId))| {
            let name = if single { self.name.clone() } else { format!("{}/{number}", self.name) };
            let start = Time(self.start.draw(seed, &name, "start", number));
            // whoever would stop before it starts sends nothing
            let stop = self.stop.map(|stop| Time(stop.draw(seed, &name, "stop", number)).max(start));
            Member { name, from, to, start, stop }
        };
        all.enumerate().map(member).collect()
    }

    /// Whether data flow in both directions.
    pub(crate) fn two_way(&self) -> bool {
        matches!(&self.transport, Transport::Tcp(tcp) if tcp.two_way)
    }

    /// The group, complete.
    pub(crate) fn effective(&self) -> Json {
        let mut map = Map::new();
        let mut put = |key: &str, value: Json| map.insert(key.to_owned(), value);
        put("name", json!(self.name));
        put("from", json!(self.from));
        put("to", json!(self.to));
        put("count", json!(self.count));
        put("transport", json!(self.transport.word()));
        put("start", json!(self.start.text(Measure::Time)));
        put("stop", json!(self.stop.map(|stop| stop.text(Measure::Time))));
        match &self.transport {
            Transport::Tcp(tcp) => {
                put("algorithm", algorithm::effective(&tcp.algorithm));
                put("segment", json!(format!("{} B", tcp.rules.mss)));
                put("size", json!(tcp.size.map(|size| size.text(SIZE))));
                put("arrivals", json!(self.arrivals.map(Arrivals::text)));
                put("direction", json!(if tcp.two_way { "both" } else { "forward" }));
                put("reverse_start", json!(tcp.reverse_start.map(|start| start.text(Measure::Time))));
                put("multipath", tcp.multipath.as_ref().map_or(Json::Null, Multipath::effective));
                put("tcp", rules::effective(&tcp.rules));
            }
            Transport::Udp(config) => {
                put("traffic", traffic::effective(config));
            }
            Transport::Tfrc(tfrc) => {
                put("algorithm", algorithm::effective(&tfrc.algorithm));
                put("segment", json!(format!("{} B", tfrc.config.payload)));
                put("header", json!(format!("{} B", tfrc.config.header)));
            }
        }
        Json::Object(map)
    }
}

impl Transport {
    /// Its word in a scenario and in the results.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Transport::Tcp(_) => "tcp",
            Transport::Udp(_) => "udp",
            Transport::Tfrc(_) => "tfrc",
        }
    }

    /// What stands under `algorithm` in the results: the congestion control, or the kind of traffic.
    pub(crate) fn algorithm(&self) -> &'static str {
        match self {
            Transport::Tcp(tcp) => tcp.algorithm.row().name,
            Transport::Udp(config) => traffic::word(&config.traffic),
            Transport::Tfrc(tfrc) => tfrc.algorithm.row().name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name, yes) in [
            ("left/*", "left/12", true),
            ("left/*", "right/1", false),
            ("*", "", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("node", "node", true),
            ("node", "node1", false),
            ("**x", "x", true),
        ] {
            assert_eq!(matches_glob(pattern, name), yes, "{pattern} {name}");
        }
    }
}
