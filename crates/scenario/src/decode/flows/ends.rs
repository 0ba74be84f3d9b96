//! The nodes at the ends of a group's flows.

use net::{LinkSpec, NodeId};

use crate::decode::link::ForRun;
use crate::decode::topology::Topology;
use crate::error::{Problem, choose, closest, code, listed, show};
use crate::read::{Fields, Item, matches_glob};

/// What a topology has.
pub(super) struct Places {
    pub(super) nodes: Vec<String>,
    /// Numbers of the nodes in the order of their names.
    by_name: Vec<NodeId>,
    pub(super) islands: Vec<usize>,
    pub(super) links: Vec<LinkSpec>,
}

impl Places {
    pub(super) fn of(topology: &Topology) -> Places {
        let nodes = topology.nodes();
        let mut by_name: Vec<NodeId> = (0..nodes.len()).collect();
        by_name.sort_by_key(|node| &nodes[*node]);
        Places { nodes, by_name, islands: topology.islands(), links: topology.links(ForRun::NONE) }
    }

    /// Nodes that a pattern matches, in order.
    fn matched(&self, pattern: &str) -> Vec<NodeId> {
        if pattern.contains('*') {
            return (0..self.nodes.len()).filter(|at| matches_glob(pattern, &self.nodes[*at])).collect();
        }
        let place = self.by_name.binary_search_by_key(&pattern, |node| &self.nodes[*node]);
        place.map_or_else(|_| Vec::new(), |place| vec![self.by_name[place]])
    }
}

/// The pairs that `from` and `to` name.
pub(super) fn ends(table: &Fields<'_>, places: &Places) -> Result<Vec<(NodeId, NodeId)>, Problem> {
    let Places { nodes, islands, .. } = places;
    let (from, to) = (table.need("from", "\"left/*\"")?, table.need("to", "\"right/*\"")?);
    let (senders, receivers) = (matching(&from, places)?, matching(&to, places)?);
    // one node is the other end of all
    if senders.len() != receivers.len() && senders.len() != 1 && receivers.len() != 1 {
        let what = format!(
            "matches {} and `to` matches {}, which cannot pair up",
            counted(senders.len()),
            counted(receivers.len())
        );
        return Err(from
            .problem(code::COUNTS_DIFFER, what)
            .hint("write patterns that match equal numbers, or one node at one end for all at the other"));
    }
    let count = senders.len().max(receivers.len());
    let one_by_one = |nodes: Vec<NodeId>| nodes.into_iter().cycle().take(count);
    let pairs: Vec<_> = one_by_one(senders).zip(one_by_one(receivers)).collect();
    for &(a, b) in &pairs {
        if a == b {
            let what = format!("pairs `{}` with itself", show(&nodes[a]));
            return Err(to.problem(code::SAME_NODE, what).hint("name another node"));
        }
        if islands[a] != islands[b] {
            let what = format!("cannot be reached: no route from `{}` to `{}`", show(&nodes[a]), show(&nodes[b]));
            return Err(to.problem(code::NO_ROUTE, what).hint(
                "add a link between the two parts in `[[topology.links]]`, or bring stations of a medium nearer",
            ));
        }
    }
    Ok(pairs)
}

fn counted(nodes: usize) -> String {
    if nodes == 1 { "1 node".to_owned() } else { format!("{nodes} nodes") }
}

/// Nodes that a pattern matches, in order.
fn matching(item: &Item<'_>, places: &Places) -> Result<Vec<NodeId>, Problem> {
    let (pattern, nodes) = (item.text()?, &places.nodes);
    let found = places.matched(pattern);
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
