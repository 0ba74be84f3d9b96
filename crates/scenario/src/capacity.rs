//! What the links of a point can carry of the data of some of its groups, as JSON: nobody else has to know the way of a
//! packet to say that a number is impossible.

use net::{Cut, FlowSpec, Network};
use serde_json::{Value as Json, json};
use units::{Span, Time};

use crate::decode::drawn::Drawn;
use crate::decode::flows::{Group, Transport};
use crate::decode::plan::Plan;

impl Plan {
    /// `flows` of data (a connection with data both ways counts twice), full `packet` and its `payload` (bytes, of the
    /// group with the smallest share of headers), `active_s` (least time that such a flow sends; null: no bound is
    /// known), `round_trip_s` without queues, `bdp_packets` of the narrowest of the links that most of the flows take,
    /// and `cuts`: lists of links, each flow crossing one link of every list.
    pub(crate) fn capacity(&self, groups: &[String]) -> Json {
        let (network, group_of) = self.typical();
        let end = Time::ZERO + self.general.duration;
        let wanted = |at: usize| groups.is_empty() || groups.contains(&self.flows[at].name);
        let chosen: Vec<&FlowSpec> =
            network.flows.iter().zip(&group_of).filter(|(_, group)| wanted(**group)).map(|(flow, _)| flow).collect();
        let cuts = network.cuts(|number| wanted(group_of[number]), end);
        let packet = |flow: &FlowSpec| flow.payload() + flow.headers().0;
        let share = |flow: &&&FlowSpec| f64::from(flow.payload()) / f64::from(packet(flow));
        let Some(leanest) = chosen.iter().max_by(|a, b| share(a).total_cmp(&share(b))) else { return Json::Null };
        let active = (0..self.flows.len()).filter(|at| wanted(*at)).map(|at| self.active(&self.flows[at])).min();
        let round_trip = round_trip(&network, &cuts);
        let busiest = busiest_bps(&cuts);
        json!({
            "flows": cuts.first().map_or(0, |cut| cut.links.iter().map(|link| link.flows).sum::<usize>()),
            "payload": leanest.payload(),
            "packet": packet(leanest),
            "duration_s": self.general.duration.secs(),
            "active_s": active.flatten().map(Span::secs),
            "round_trip_s": round_trip.secs(),
            "bdp_packets": busiest * round_trip.secs() / 8.0 / f64::from(packet(leanest)),
            "cuts": cuts.iter().map(|cut| self.cut(cut, &network)).collect::<Vec<_>>(),
        })
    }

    /// How the path of the data of these groups changes in a run with this seed: a row for each time between one change
    /// and the next.
    pub(crate) fn course(&self, groups: &[String], seed: u64, bin: Span) -> Json {
        let (network, cuts, end) = self.path(groups);
        let mut found: Vec<(f64, [f64; 3])> = Vec::new();
        network.settled(seed, end).course(&cuts, end, bin, |now| {
            let values = [now.carried_bps, now.narrowest_bps, now.round_trip.secs()];
            if found.last().is_none_or(|last| last.1 != values) {
                found.push((now.from.secs(), values));
            }
        });
        let row = |(from, values): (f64, [f64; 3])| {
            let [carried, narrowest, round_trip] = values;
            json!({ "from_s": from, "carried_bps": carried, "narrowest_bps": narrowest, "round_trip_s": round_trip })
        };
        if cuts.is_empty() { json!([]) } else { found.into_iter().map(row).collect() }
    }

    /// Between which values the path of the data of these groups can be, whatever the seed: pairs of `round_trip_s`,
    /// `narrowest_bps` and `bdp_bits`, and of the rate of each link of `Plan::capacity`'s cuts.
    pub(crate) fn range(&self, groups: &[String], bin: Span) -> Json {
        let (network, cuts, end) = self.path(groups);
        if cuts.is_empty() {
            return Json::Null;
        }
        let (mut round_trip, mut narrowest, mut bdp) = (Range::NONE, Range::NONE, Range::NONE);
        let mut rates: Vec<Vec<Range>> = cuts.iter().map(|cut| vec![Range::NONE; cut.links.len()]).collect();
        for share in [0.0, 1.0] {
            network.settled_at(share, end).course(&cuts, end, bin, |now| {
                round_trip.add(now.round_trip.secs());
                narrowest.add(now.narrowest_bps);
                bdp.add(now.narrowest_bps * now.round_trip.secs());
                let of_links = rates.iter_mut().flatten().zip(now.rates_bps.iter().flatten());
                of_links.for_each(|(range, rate)| range.add(*rate));
            });
        }
        let rates = rates.iter().map(|cut| cut.iter().map(Range::json).collect::<Vec<_>>()).collect::<Vec<_>>();
        json!({ "round_trip_s": round_trip.json(), "narrowest_bps": narrowest.json(), "bdp_bits": bdp.json(), "rates_bps": rates })
    }

    /// The network, the cuts of the data of these groups, and when a run ends.
    fn path(&self, groups: &[String]) -> (Network, Vec<Cut>, Time) {
        let (network, group_of) = self.typical();
        let end = Time::ZERO + self.general.duration;
        let wanted = |at: usize| groups.is_empty() || groups.contains(&self.flows[at].name);
        let cuts = network.cuts(|number| wanted(group_of[number]), end);
        (network, cuts, end)
    }

    /// Least time that a flow of the group sends, if there is such a bound.
    fn active(&self, group: &Group) -> Option<Span> {
        let ends = match &group.transport {
            Transport::Tcp(tcp) => tcp.size.is_some(),
            Transport::Udp(_) | Transport::Tfrc(_) => false,
        };
        if ends || group.stop.is_some() || group.arrivals.is_some() {
            return None;
        }
        let back = match &group.transport {
            Transport::Tcp(tcp) => tcp.reverse_start,
            Transport::Udp(_) | Transport::Tfrc(_) => None,
        };
        let latest = |when: Drawn| when.most(group.size()).filter(|at| *at < self.general.duration.0);
        let last = latest(group.start)?.max(back.map_or(Some(0), latest)?);
        Some(Span(self.general.duration.0 - last))
    }

    fn cut(&self, cut: &Cut, network: &Network) -> Json {
        let link = |link: &net::CutLink| json!({ "link": network.links[link.link].name, "reverse": link.reverse, "rate_bps": link.rate_bps });
        json!({ "shared": cut.shared, "links": cut.links.iter().map(link).collect::<Vec<_>>() })
    }
}

/// The least and the greatest of some values.
#[derive(Clone, Copy)]
struct Range(f64, f64);

impl Range {
    const NONE: Range = Range(f64::INFINITY, f64::NEG_INFINITY);

    fn add(&mut self, value: f64) {
        *self = Range(self.0.min(value), self.1.max(value));
    }

    fn json(&self) -> Json {
        json!([self.0, self.1])
    }
}

/// Time there and back over the first link of each cut, nothing in the way.
fn round_trip(network: &Network, cuts: &[Cut]) -> Span {
    let delay = |cut: &Cut| {
        cut.links.first().map_or(Span::ZERO, |first| {
            let link = &network.links[first.link];
            link.forward.delay + link.reverse.delay
        })
    };
    cuts.iter().fold(Span::ZERO, |sum, cut| sum + delay(cut))
}

/// Rate of the narrowest of the links that most flows cross.
fn busiest_bps(cuts: &[Cut]) -> f64 {
    let all = || cuts.iter().flat_map(|cut| &cut.links);
    let most = all().map(|link| link.flows).max().unwrap_or(0);
    all().filter(|link| link.flows == most).map(|link| link.rate_bps).fold(f64::INFINITY, f64::min)
}
