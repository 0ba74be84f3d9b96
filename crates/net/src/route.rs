//! Shortest paths, and the flat table of routes that packets follow.
//!
//! A host with one link is never on the way between two others, so the search goes over the rest: a network of 100 000
//! hosts at two routers has two nodes to look at, whoever sends.

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
fn neighbours(nodes: usize, links: &[LinkSpec]) -> Vec<Vec<(NodeId, u32)>> {
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

/// The paths of a network's flows, found one after the other: what [`shortest`] finds, sooner.
pub(crate) struct Routes<'a> {
    links: &'a [LinkSpec],
    /// Without hosts that have one link.
    neighbours: Vec<Vec<(NodeId, u32)>>,
    /// Of those hosts: whom they are next to, and the directed link from there.
    way_in: Vec<Option<(NodeId, u32)>>,
    /// How each node was come to: in which search, from where, over which link.
    came: Vec<(u32, NodeId, u32)>,
    search: u32,
    queue: VecDeque<NodeId>,
    /// Steps of all searches, from a node to a neighbour.
    #[cfg(test)]
    steps: usize,
}

impl<'a> Routes<'a> {
    /// Of a network with so many nodes.
    pub(crate) fn new(nodes: usize, links: &'a [LinkSpec]) -> Routes<'a> {
        let mut neighbours = neighbours(nodes, links);
        let way_in: Vec<_> = neighbours.iter().map(|of| (of.len() == 1).then(|| (of[0].0, of[0].1 ^ 1))).collect();
        neighbours.iter_mut().for_each(|of| of.retain(|(next, _)| way_in[*next].is_none()));
        let came = vec![(0, 0, 0); nodes];
        Routes {
            links,
            neighbours,
            way_in,
            came,
            search: 0,
            queue: VecDeque::new(),
            #[cfg(test)]
            steps: 0,
        }
    }

    /// The path of a flow from its active end; `None` if there is none.
    pub(crate) fn of(&mut self, flow: &FlowSpec) -> Option<Path> {
        match &flow.route {
            None => self.shortest(flow.from, flow.to).filter(|path| !path.is_empty()),
            Some(numbers) => along(self.links, numbers, flow.from, flow.to),
        }
    }

    fn shortest(&mut self, from: NodeId, to: NodeId) -> Option<Path> {
        match self.way_in[to] {
            Some((before, link)) if from != to => {
                let mut path = self.search(from, before)?;
                path.push(link);
                Some(path)
            }
            _ => self.search(from, to),
        }
    }

    fn search(&mut self, from: NodeId, to: NodeId) -> Option<Path> {
        self.search += 1;
        self.came[from].0 = self.search;
        self.queue.clear();
        self.queue.push_back(from);
        while let Some(node) = self.queue.pop_front().filter(|node| *node != to) {
            #[cfg(test)]
            {
                self.steps += self.neighbours[node].len();
            }
            for &(next, link) in &self.neighbours[node] {
                if self.came[next].0 != self.search {
                    self.came[next] = (self.search, node, link);
                    self.queue.push_back(next);
                }
            }
        }
        if self.came[to].0 != self.search {
            return None;
        }
        let mut path = Vec::new();
        let mut node = to;
        while node != from {
            let (_, before, link) = self.came[node];
            path.push(link);
            node = before;
        }
        path.reverse();
        Some(path)
    }
}

/// The path over links of these numbers; `None` if they do not lead from one node to the other.
fn along(links: &[LinkSpec], numbers: &[usize], from: NodeId, to: NodeId) -> Option<Path> {
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
fn shortest(neighbours: &[Vec<(NodeId, u32)>], from: NodeId, to: NodeId) -> Option<Path> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Counting, DirectionSpec, QueueLimit, QueueSpec};
    use proptest::prelude::*;
    use units::Span;

    fn links(ends: &[(NodeId, NodeId)]) -> Vec<LinkSpec> {
        let queue = QueueSpec::drop_tail(QueueLimit::Packets(1), Counting::Waiting);
        let direction = DirectionSpec::plain(1, Span::ZERO, queue);
        let one = |(a, b)| LinkSpec {
            name: String::new(),
            a,
            b,
            forward: direction.clone(),
            reverse: direction.clone(),
            medium: None,
        };
        ends.iter().copied().map(one).collect()
    }

    /// Steps that it takes to find the ways of so many pairs over two routers.
    fn steps_of(pairs: usize) -> usize {
        let (first, last) = (2 * pairs, 2 * pairs + 1);
        let hosts = (0..pairs).map(|i| (i, first)).chain((0..pairs).map(|i| (last, pairs + i)));
        let links = links(&hosts.chain([(first, last)]).collect::<Vec<_>>());
        let mut routes = Routes::new(2 * pairs + 2, &links);
        for i in 0..pairs {
            let path = routes.shortest(i, pairs + i).unwrap();
            assert_eq!(path, [directed(i, false), directed(2 * pairs, false), directed(pairs + i, false)]);
        }
        routes.steps
    }

    #[test]
    fn each_pair_of_a_dumbbell_takes_as_many_steps_however_many_there_are() {
        // to its router, and on to the other one
        assert_eq!([steps_of(2000), steps_of(16_000)], [2 * 2000, 2 * 16_000]);
    }

    proptest! {
        #[test]
        fn hosts_with_one_link_are_left_out_and_nothing_changes(
            ends in proptest::collection::vec((0usize..9, 0usize..9), 1..14),
        ) {
            let ends: Vec<_> = ends.into_iter().filter(|(a, b)| a != b).collect();
            let links = links(&ends);
            let (all, mut routes) = (neighbours(9, &links), Routes::new(9, &links));
            for (from, to) in (0..81).map(|n| (n / 9, n % 9)) {
                prop_assert_eq!(routes.shortest(from, to), shortest(&all, from, to), "{} to {}", from, to);
            }
        }
    }
}
