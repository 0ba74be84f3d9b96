//! What a network can carry of some of its flows: each of them crosses every cut.

use std::collections::BTreeMap;

use units::{Span, Time};
use wlan::{Phy, Rate, RateControl};

use crate::route;
use crate::settle::Handover;
use crate::spec::{LinkSpec, MediumSpec, Network, NodeId};

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
    /// Mean capacity over the run, bits per second; through the air what one exchange after the other carries at most.
    pub rate_bps: f64,
    /// How many of the flows cross it.
    pub flows: usize,
}

/// The flows that cross a link, one way or the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Bytes of their largest packet.
    pub packet: u32,
    /// Their shortest and longest round trip: propagation there and back, nothing in the way.
    pub round_trips: (Span, Span),
}

impl Crossing {
    /// The flows of both.
    #[must_use]
    pub fn and(self, other: Crossing) -> Crossing {
        let ((least, most), (other_least, other_most)) = (self.round_trips, other.round_trips);
        Crossing { packet: self.packet.max(other.packet), round_trips: (least.min(other_least), most.max(other_most)) }
    }
}

/// What crosses a directed link.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    flows: usize,
    /// Bytes of the largest packet.
    packet: u32,
}

impl Network {
    /// Cuts of the data of the flows whose numbers are `wanted`, in a run until `end`: the first links of their ways,
    /// the second ones, and so on; a flow whose way is shorter crosses its last link again. Together they get no more
    /// than the links of any cut carry. A connection with data both ways counts as two flows. Ways are counted from the
    /// end whose node has the smaller number, so that data there and back cross the same links of a row.
    ///
    /// All links at one access point count as one, the first of them: its radio takes part in every exchange.
    pub fn cuts(&self, wanted: impl Fn(usize) -> bool, end: Time) -> Vec<Cut> {
        let ways = self.ways(wanted);
        let longest = ways.iter().map(|(way, _)| way.len()).max().unwrap_or(0);
        (0..longest)
            .map(|hop| {
                let mut users: BTreeMap<u32, Load> = BTreeMap::new();
                for (way, packet) in &ways {
                    let load = users.entry(way[hop.min(way.len() - 1)]).or_default();
                    load.flows += 1;
                    load.packet = load.packet.max(*packet);
                }
                let links = self.cut_links(&users, end);
                Cut { shared: links.iter().any(|link| link.flows > 1), links }
            })
            .collect()
    }

    /// Who crosses each link; `None` where no flow goes.
    pub fn crossings(&self) -> Vec<Option<Crossing>> {
        let mut found = vec![None; self.links.len()];
        for (way, packet) in self.ways(|_| true) {
            let links = || way.iter().map(|directed| *directed as usize / 2);
            let delay = |link: usize| self.links[link].forward.delay + self.links[link].reverse.delay;
            let trip = links().fold(Span::ZERO, |sum, link| sum + delay(link));
            let one = Crossing { packet, round_trips: (trip, trip) };
            links().for_each(|link| found[link] = Some(found[link].map_or(one, |known: Crossing| known.and(one))));
        }
        found
    }

    /// Rate of a direction of a link at the start, bits per second; through the air what one exchange after the other
    /// carries at most in packets of this size.
    pub fn rate_at_start(&self, link: usize, reverse: bool, packet: u32) -> f64 {
        let spec = &self.links[link];
        match spec.medium {
            Some(medium) => self.media[medium].carries_bps(if reverse { spec.b } else { spec.a }, packet),
            None => (if reverse { &spec.reverse } else { &spec.forward }).rate_bps as f64,
        }
    }

    /// The directed links that each of the wanted flows' data cross, and the bytes of its full packet.
    fn ways(&self, wanted: impl Fn(usize) -> bool) -> Vec<(route::Path, u32)> {
        let mut routes = route::Routes::new(self.nodes.len(), &self.links);
        let mut ways = Vec::new();
        for (_, flow) in self.flows.iter().enumerate().filter(|(number, _)| wanted(*number)) {
            let mut way = routes.of(flow).unwrap_or_default();
            if way.is_empty() {
                continue;
            }
            if flow.from > flow.to {
                way.reverse();
            }
            if flow.two_way() {
                ways.push((way.iter().map(|link| link ^ 1).collect(), flow.full_size()));
            }
            ways.push((way, flow.full_size()));
        }
        ways
    }

    fn cut_links(&self, users: &BTreeMap<u32, Load>, end: Time) -> Vec<CutLink> {
        let mut links: Vec<CutLink> = Vec::new();
        let mut cells: BTreeMap<NodeId, usize> = BTreeMap::new();
        for (&at, load) in users {
            let found = self.cut_link(at, load, end);
            let place = self.access_point(&self.links[found.link]).map(|ap| *cells.entry(ap).or_insert(links.len()));
            match place.and_then(|place| links.get_mut(place)) {
                Some(cell) => {
                    cell.flows += found.flows;
                    cell.rate_bps = cell.rate_bps.max(found.rate_bps);
                }
                None => links.push(found),
            }
        }
        links
    }

    fn cut_link(&self, at: u32, load: &Load, end: Time) -> CutLink {
        let (link, reverse) = (at as usize / 2, at % 2 == 1);
        CutLink { link, reverse, rate_bps: self.carries_bps(at, load.packet, end), flows: load.flows }
    }

    /// Mean capacity of a directed link until `end`, bits per second; through the air what one exchange after the other
    /// carries at most in packets of this size.
    pub(crate) fn carries_bps(&self, at: u32, packet: u32, end: Time) -> f64 {
        let reverse = at % 2 == 1;
        let spec: &LinkSpec = &self.links[at as usize / 2];
        let direction = if reverse { &spec.reverse } else { &spec.forward };
        match spec.medium {
            Some(medium) => self.media[medium].carries_bps(if reverse { spec.b } else { spec.a }, packet),
            None => {
                // handovers are drawn when a run begins: none leaves more than this
                let handovers = spec.forward.changing.as_ref().map_or(&[][..], |changing| &changing.handovers);
                let capacity = direction.capacity(Time::ZERO, end);
                let is_steady = capacity == u128::from(direction.rate_bps) * u128::from(end.0);
                let most = handovers.iter().filter_map(|rule| rule.rate_factor);
                let most = most.fold(1.0, |most: f64, factor| most.max(factor.1));
                let left = if is_steady { left_by(handovers, end) } else { most };
                left * capacity as f64 / end.0 as f64
            }
        }
    }

    /// The access point at an end of a link through the air.
    fn access_point(&self, link: &LinkSpec) -> Option<NodeId> {
        let medium = &self.media[link.medium?];
        let nodes = medium.channel.access_points.iter().map(|station| medium.stations[*station as usize].node);
        nodes.into_iter().find(|node| [link.a, link.b].contains(node))
    }
}

/// Share of a steady capacity until `end` that handovers leave at most: the shortest gaps, the highest rates. It is
/// exact where nothing is drawn.
fn left_by(handovers: &[Handover], end: Time) -> f64 {
    let (mut left, mut factor, mut from) = (0.0, 1.0, Time::ZERO);
    for rule in handovers {
        let mut at = rule.at;
        while at < end {
            left += factor * at.since(from).secs();
            from = end.min(at + rule.gap.0);
            factor = rule.rate_factor.map_or(factor, |(_, most)| most);
            at = rule.every.map_or(Time::NEVER, |every| at + every);
        }
    }
    (left + factor * end.since(from).secs()) / end.secs()
}

impl MediumSpec {
    /// What a station can send at most in packets of this size, bits per second: one exchange after the other, without
    /// a backoff, at its best rate, as many packets together as may go.
    fn carries_bps(&self, node: NodeId, packet: u32) -> f64 {
        let params = &self.channel.params;
        let station = self.stations.iter().position(|station| station.node == node).unwrap_or(0);
        let own = self.channel.rates.get(station).copied().flatten().unwrap_or(params.rate);
        let fixed = self.channel.rate_controls.get(station).is_none_or(|control| *control == RateControl::Fixed);
        let rates: &[Rate] = if fixed { &[own] } else { &params.rates };
        // within a transmission opportunity exchanges are SIFS apart
        let space = if params.edca { params.sifs } else { params.difs };
        let best = |rate: &Rate| {
            let alone = wlan::Exchange::new(params, *rate, packet, false).airtime(params.sifs) + space;
            let count = match rate.phy {
                Phy::Ht(_) => params.ampdu.largest(params, *rate, params.mpdu(packet)).max(1),
                Phy::Dsss | Phy::Ofdm | Phy::Plain => 1,
            };
            let together = params.ampdu_exchange(*rate, packet, count) + space;
            let bits = 8.0 * f64::from(packet);
            (bits / alone.secs()).max(if count > 1 { f64::from(count) * bits / together.secs() } else { 0.0 })
        };
        rates.iter().map(best).fold(0.0, f64::max)
    }
}
