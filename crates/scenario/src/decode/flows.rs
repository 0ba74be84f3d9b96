//! Section `[[flows]]`: who sends to whom, when, with which algorithm and rules.

mod connections;
mod effective;
mod ends;
mod group;
mod members;
mod protocol;
mod rate_controlled;
mod times;

pub(crate) use connections::Tcp;
pub(crate) use group::{Group, Transport};
pub(crate) use members::Member;
pub(crate) use protocol::takes;

use std::collections::BTreeSet;

use net::Class;

use super::drawn::Drawn;
use super::general::General;
use super::radio::edca::CLASSES;
use super::tcp as rules;
use super::topology::Topology;
use super::traffic;
use crate::error::{Problem, code, show};
use crate::limits::FLOWS;
use crate::node::element_name;
use crate::read::{Fields, Item};
use connections::connections;
use ends::{Places, ends};
use protocol::{COMMON, PROTOCOLS, Protocol, TCP_KEYS, TFRC_KEYS, UDP_KEYS, check_keys};
use rate_controlled::rate_controlled;

/// Keys of a group of flows, by what carries its data.
pub(crate) const ALL_KEYS: &[&[&str]] = &[COMMON, TCP_KEYS, UDP_KEYS, TFRC_KEYS];

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
    let places = Places::of(topology);
    let mut groups: Vec<Group> = Vec::new();
    let mut names = BTreeSet::new();
    let mut flows = 0;
    for (at, item) in items.iter().enumerate() {
        let name = element_name("flows", at, item.node);
        let path = if items.len() == 1 { "flows".to_owned() } else { format!("flows.{name}") };
        let item = Item { node: item.node, path };
        let group = group(&item, name, shared, &places, general)?;
        if !names.insert(group.name.clone()) {
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
    let keys = ALL_KEYS.concat();
    let table = item.table(&keys)?;
    if let Some(item) = table.get("name") {
        item.name(&keys, " ")?;
    }
    let protocol = match table.get("transport") {
        Some(item) => item.word(PROTOCOLS)?,
        None => Protocol::of(table.own()).unwrap_or(Protocol::Tcp),
    };
    check_keys(&table, protocol)?;
    let ends = ends(&table, places)?;
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
        class: table.get("class").map_or(Ok(Class::BestEffort), |item| item.word(CLASSES))?,
        transport,
    })
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
