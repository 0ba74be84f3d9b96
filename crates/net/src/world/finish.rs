//! Results at the end of a run.

use units::Span;

use tcp::Flags;

use super::World;
use crate::endpoint::Endpoint;
use crate::packet::Packet;
use crate::results::{FlowEvent, FlowResult, LinkResult, Loss, Results, TracePoint, Variable};

impl Results {
    /// Every packet is accounted for: on each link, offered = delivered + lost + in flight; for each flow, sent =
    /// received + lost + in flight, for data and for pure ACKs.
    pub fn check_conservation(&self) -> Result<(), String> {
        for l in &self.links {
            let s = &l.stats;
            let accounted = s.delivered_packets + s.losses.total() + s.in_flight_packets;
            if s.offered_packets != accounted {
                return Err(format!(
                    "link {}: {} packets offered, {accounted} accounted for",
                    l.link, s.offered_packets
                ));
            }
        }
        for f in &self.flows {
            let data = f.receiver.received_segments + f.lost.total() + f.in_flight;
            if f.sender.sent_segments != data {
                return Err(format!("flow {}: {} segments sent, {data} accounted for", f.flow, f.sender.sent_segments));
            }
            let acks = f.acks_received + f.acks_lost.total() + f.acks_in_flight;
            if f.acks_sent != acks {
                return Err(format!("flow {}: {} ACKs sent, {acks} accounted for", f.flow, f.acks_sent));
            }
        }
        Ok(())
    }
}

impl World {
    pub(super) fn finish(mut self) -> Results {
        let end = self.end;
        self.settle_media(end + Span(1));
        for endpoint in &mut self.endpoints {
            endpoint.finish(end);
        }
        self.truth.iter_mut().for_each(|truth| truth.settle(end));
        let mut losses = self.losses.take().unwrap_or_default();
        losses.sort_by_key(|loss| (loss.at, loss.link, loss.link_reverse));
        let mut results = Results { loop_events: self.loop_events, ..Results::default() };
        results.events = self.explain_events(&losses);
        results.losses = losses;
        results.tapes = self.tapes();

        let mut in_flight = vec![(0u64, 0u64); self.endpoints.len()];
        for link in &self.links {
            for packet in link.on_wire(&self.pool).chain(link.held(&self.pool)) {
                let count = &mut in_flight[(self.destination(packet.hop) ^ 1) as usize];
                count.0 += u64::from(packet.is_data());
                count.1 += u64::from(!packet.is_data() && packet.flags.has(Flags::ACK));
            }
        }
        for channel in &self.channels {
            let of_flows = |packet: &&Packet| !self.air[packet.hop as usize].is_arp();
            for packet in channel.on_air(&self.pool).filter(of_flows) {
                self.links[self.routes[packet.hop as usize] as usize].hold_for_air(packet.size.into());
                let count = &mut in_flight[self.air[packet.hop as usize].end as usize];
                count.0 += u64::from(packet.is_data());
                count.1 += u64::from(!packet.is_data() && packet.flags.has(Flags::ACK));
            }
        }
        for (flow, &two_way) in self.two_way.iter().enumerate() {
            for reverse in [false, true].into_iter().take(1 + usize::from(two_way)) {
                results.flows.push(self.flow_result(flow, reverse, &in_flight));
            }
        }
        results.multipath = self.connections.iter().enumerate().map(|(at, c)| c.result(at)).collect();
        results.traces = std::mem::take(&mut self.traces);
        self.finish_media(&mut results);
        for (i, link) in self.links.iter_mut().enumerate() {
            let (number, reverse) = (i / 2, i % 2 == 1);
            link.finish(&self.pool, end);
            let stats = link.stats(&self.pool, end);
            results.packet_hops += stats.delivered_packets;
            results.links.push(LinkResult { link: number, reverse, stats });
            results.traces.extend(link.queue_trace(end).into_iter().map(|(at, length)| TracePoint {
                at,
                subject: number,
                reverse,
                variable: Variable::Queue,
                value: f64::from(length),
            }));
        }
        if cfg!(debug_assertions) {
            results.check_conservation().expect("packets are conserved");
        }
        if let Some(network) = &self.description {
            results.check_bounds(network, &self.options).expect("nothing exceeds what the links carry");
        }
        results
    }

    /// Stations and their queues. In traces a station stands behind the links.
    fn finish_media(&mut self, results: &mut Results) {
        for (number, channel) in self.channels.iter_mut().enumerate() {
            let first = results.stations.len();
            results.stations.extend(channel.finish(number, &self.air, &self.pool, self.end));
            for (at, port) in channel.ports.iter_mut().enumerate() {
                let lengths = port.take_trace(self.end).into_iter();
                results.traces.extend(lengths.map(|(at_time, length)| TracePoint {
                    at: at_time,
                    subject: self.links.len() / 2 + first + at,
                    reverse: false,
                    variable: Variable::Queue,
                    value: f64::from(length),
                }));
            }
        }
    }

    fn flow_result(&self, flow: usize, reverse: bool, in_flight: &[(u64, u64)]) -> FlowResult {
        let at = flow * 2 + usize::from(reverse);
        let peer = at ^ 1;
        let (attachment, transfer) = (&self.attachments[at], &self.transfers[at]);
        let (end, receiver) = (&self.endpoints[at], &self.endpoints[peer]);
        let before = self.warm.get(at).cloned().unwrap_or_default();
        let arrived_bytes = end.arrived(receiver).bytes;
        let mut result = FlowResult {
            flow,
            reverse,
            start: transfer.started,
            delivered_bytes: end.delivered_bytes(receiver),
            measured_bytes: end.delivered_since(receiver, &before),
            arrived_bytes,
            measured_arrived_bytes: arrived_bytes - before.bytes,
            sent_bytes: attachment.sent_bytes,
            lost: transfer.lost,
            in_flight: in_flight[at].0,
            acks_lost: self.transfers[peer].acks_lost,
            acks_in_flight: in_flight[peer].1,
            judgements: self.truth[at].counts,
            delays: self.delays.get(at).cloned(),
            completed: transfer.completed,
            air_delay: transfer.air_delay,
            air_hops: transfer.air_hops,
            ..FlowResult::default()
        };
        end.report(receiver, &mut result);
        result
    }

    /// Window changes of all senders, each with the true fate of the segment in question.
    fn explain_events(&mut self, losses: &[Loss]) -> Vec<FlowEvent> {
        let mut all = Vec::new();
        for at in 0..self.endpoints.len() {
            let Endpoint::Tcp(end) = &mut self.endpoints[at] else { continue };
            let events = end.sender.take_events();
            if events.is_empty() {
                continue;
            }
            let (flow, reverse) = (at / 2, at % 2 == 1);
            // Last cause of loss of each segment, brought forward as time goes on. A copy that the event itself sent
            // may be lost at its very time: what the event is about was lost before.
            let mut own = losses.iter().filter(|l| l.flow == flow && l.flow_reverse == reverse).peekable();
            let mut causes = std::collections::BTreeMap::new();
            for event in events {
                while let Some(loss) = own.next_if(|l| l.at < event.at) {
                    if let Some(segment) = loss.segment {
                        causes.insert(segment, loss.cause);
                    }
                }
                causes = causes.split_off(&event.segment);
                // a loss is found once: if the timer expires after the retransmission has arrived, nothing was lost
                let true_cause = if event.why.finds_loss() { causes.remove(&event.segment) } else { None };
                all.push(FlowEvent { flow, reverse, event, true_cause });
            }
        }
        all
    }
}
