//! Shortest paths, and the flat table of routes that packets follow.

use std::collections::VecDeque;

use crate::spec::{FlowSpec, LinkSpec, NodeId};

/// Set in an entry of the table that names the endpoint at the end of a route instead of a link.
pub(crate) const END: u32 = 1 << 31;

/// A route through directed links, or none.
pub(crate) type Path = Vec<u32>;

/// Number of the directed link: even from `a` to `b`, odd back.
pub(crate) fn directed(link: usize, reverse: bool) -> u32 {
    (link * 2 + usize::from(reverse)) as u32
}

/// Neighbours of every node in the order of the links: (node, directed link).
pub(crate) fn neighbours(nodes: usize, links: &[LinkSpec]) -> Vec<Vec<(NodeId, u32)>> {
    let mut out = vec![Vec::new(); nodes];
    for (i, link) in links.iter().enumerate() {
        out[link.a].push((link.b, directed(i, false)));
        out[link.b].push((link.a, directed(i, true)));
    }
    out
}

/// Up to `count` routes from one node to another that share no link, shortest first, as numbers of links. Each is the
/// shortest one over the links that those before it left; so there may be fewer than the network has at best.
pub fn disjoint_routes(nodes: usize, links: &[LinkSpec], from: NodeId, to: NodeId, count: usize) -> Vec<Vec<usize>> {
    let mut neighbours = neighbours(nodes, links);
    let mut found = Vec::new();
    while found.len() < count {
        let Some(path) = shortest(&neighbours, from, to).filter(|path| !path.is_empty()) else { break };
        let route: Vec<usize> = path.iter().map(|link| *link as usize / 2).collect();
        for known in &mut neighbours {
            known.retain(|(_, link)| !route.contains(&(*link as usize / 2)));
        }
        found.push(route);
    }
    found
}

/// Whether links of these numbers, in this order, lead from one node to another.
pub fn leads(links: &[LinkSpec], numbers: &[usize], from: NodeId, to: NodeId) -> bool {
    along(links, numbers, from, to).is_some()
}

/// The path of a flow from its active end; `None` if there is none.
pub(crate) fn of(flow: &FlowSpec, neighbours: &[Vec<(NodeId, u32)>], links: &[LinkSpec]) -> Option<Path> {
    match &flow.route {
        None => shortest(neighbours, flow.from, flow.to).filter(|path| !path.is_empty()),
        Some(numbers) => along(links, numbers, flow.from, flow.to),
    }
}

/// The path over links of these numbers; `None` if they do not lead from one node to the other.
pub(crate) fn along(links: &[LinkSpec], numbers: &[usize], from: NodeId, to: NodeId) -> Option<Path> {
    let mut at = from;
    let mut path = Vec::new();
    for &number in numbers {
        let link = links.get(number)?;
        let (reverse, next) = match at {
            _ if at == link.a => (false, link.b),
            _ if at == link.b => (true, link.a),
            _ => return None,
        };
        path.push(directed(number, reverse));
        at = next;
    }
    (at == to && !path.is_empty()).then_some(path)
}

/// The path with the fewest links; among equals, the one whose links were declared first. `None` if there is none.
pub(crate) fn shortest(neighbours: &[Vec<(NodeId, u32)>], from: NodeId, to: NodeId) -> Option<Path> {
    let mut came: Vec<Option<(NodeId, u32)>> = vec![None; neighbours.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        if node == to {
            break;
        }
        for &(next, link) in &neighbours[node] {
            if next != from && came[next].is_none() {
                came[next] = Some((node, link));
                queue.push_back(next);
            }
        }
    }
    let mut path = Vec::new();
    let mut node = to;
    while node != from {
        let (before, link) = came[node]?;
        path.push(link);
        node = before;
    }
    path.reverse();
    Some(path)
}
