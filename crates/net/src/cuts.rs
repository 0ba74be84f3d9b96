//! What a network can carry of some of its flows: each of them crosses every cut.

use std::collections::BTreeMap;

use units::Time;

use crate::route;
use crate::spec::{FlowSpec, LinkSpec, Network};

/// Directed links of which each flow crosses one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cut {
    /// The links, in order.
    pub links: Vec<CutLink>,
    /// Whether several of the flows share one of them.
    pub shared: bool,
}

/// A directed link of a cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutLink {
    /// Index of the link.
    pub link: usize,
    /// Whether it is the direction from `b` to `a`.
    pub reverse: bool,
    /// Mean capacity over the run, bits per second.
    pub rate_bps: f64,
    /// How many of the flows cross it.
    pub flows: usize,
}

impl Network {
    /// Cuts of the data of the flows that are `wanted`, in a run until `end`: the first links of their ways, the second
    /// ones, and so on; a flow whose way is shorter crosses its last link again. Together they get no more than the
    /// links of any cut carry. A connection with data both ways counts as two flows. Ways are counted from the end
    /// whose node has the smaller number, so that data there and back cross the same links of a row.
    pub fn cuts(&self, wanted: impl Fn(&FlowSpec) -> bool, end: Time) -> Vec<Cut> {
        let ways = self.ways(wanted);
        let longest = ways.iter().map(Vec::len).max().unwrap_or(0);
        (0..longest)
            .map(|hop| {
                let mut users = BTreeMap::new();
                for way in &ways {
                    *users.entry(way[hop.min(way.len() - 1)]).or_insert(0) += 1;
                }
                let links: Vec<CutLink> = users.into_iter().map(|(at, flows)| self.cut_link(at, flows, end)).collect();
                Cut { shared: links.iter().any(|link| link.flows > 1), links }
            })
            .collect()
    }

    /// The directed links that each of the wanted flows' data cross.
    fn ways(&self, wanted: impl Fn(&FlowSpec) -> bool) -> Vec<route::Path> {
        let neighbours = route::neighbours(self.nodes.len(), &self.links);
        let mut ways = Vec::new();
        for flow in self.flows.iter().filter(|flow| wanted(flow)) {
            let mut way = route::of(flow, &neighbours, &self.links).unwrap_or_default();
            if way.is_empty() {
                continue;
            }
            if flow.from > flow.to {
                way.reverse();
            }
            if flow.two_way() {
                ways.push(way.iter().map(|link| link ^ 1).collect());
            }
            ways.push(way);
        }
        ways
    }

    fn cut_link(&self, at: u32, flows: usize, end: Time) -> CutLink {
        let (link, reverse) = (at as usize / 2, at % 2 == 1);
        let spec: &LinkSpec = &self.links[link];
        let direction = if reverse { &spec.reverse } else { &spec.forward };
        // handovers are drawn when a run begins: none leaves more than this
        let handovers = spec.forward.changing.iter().flat_map(|changing| &changing.handovers);
        let most = handovers.filter_map(|rule| rule.rate_factor).fold(1.0, |most: f64, factor| most.max(factor.1));
        let rate_bps = most * direction.capacity(Time::ZERO, end) as f64 / end.0 as f64;
        CutLink { link, reverse, rate_bps, flows }
    }
}
