//! The flows of a group in one run.

use net::NodeId;
use serde_json::{Value as Json, json};
use units::{Span, Time};

use super::group::{Group, Transport};
use crate::decode::drawn::{Drawn, Measure};

/// One flow of a group in one run.
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) start: Time,
    pub(crate) stop: Option<Time>,
}

impl Group {
    /// The connections of the run with this seed and length, in order; random starts are drawn from the stream named
    /// after the flow, so they are the same for every algorithm.
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
        let member = |(number, (from, to)): (usize, (NodeId, NodeId))| {
            let name = self.member_name(number);
            let start = Time(self.start.draw(seed, &name, "start", number));
            // whoever would stop before it starts sends nothing
            let stop = self.stop.map(|stop| Time(stop.draw(seed, &name, "stop", number)).max(start));
            Member { name, from, to, start, stop }
        };
        self.pairs().enumerate().map(member).collect()
    }

    /// The connections as JSON, but those that arrive at random: `group`, `flow`, the nodes `from` and `to`, and when
    /// each starts, as it would be written for that flow alone.
    pub(crate) fn listed(&self, nodes: &[String]) -> Vec<Json> {
        if self.arrivals.is_some() {
            return vec![];
        }
        let reverse = match &self.transport {
            Transport::Tcp(tcp) => tcp.reverse_start,
            Transport::Udp(_) | Transport::Tfrc(_) => None,
        };
        let one = |(number, (from, to)): (usize, (NodeId, NodeId))| {
            let text = |when: Drawn| when.of(number).text(Measure::Time);
            json!({
                "group": self.name, "flow": self.member_name(number), "from": nodes[from], "to": nodes[to],
                "start": text(self.start), "reverse_start": reverse.map(text),
            })
        };
        self.pairs().enumerate().map(one).collect()
    }

    /// Name of the connection of this number.
    fn member_name(&self, number: usize) -> String {
        if self.size() == 1 { self.name.clone() } else { format!("{}/{number}", self.name) }
    }

    /// Ends of the connections.
    fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        self.ends.iter().flat_map(|ends| std::iter::repeat_n(*ends, self.count))
    }
}
