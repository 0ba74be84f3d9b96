//! Results at the end of a run.

use units::{Span, Time};

use tcp::Flags;

use super::{Losses, World};
use crate::endpoint::Endpoint;
use crate::packet::Packet;
use crate::results::{FlowEvent, FlowResult, LinkResult, Loss, Results};

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

impl Results {
    /// Something that was to be recorded is missing from then on.
    pub(super) fn missing_from(&mut self, at: Option<Time>) {
        self.recorded_until = [self.recorded_until, at].into_iter().flatten().min();
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
        let mut results = Results { loop_events: self.loop_events, ..Results::default() };
        let (losses, cut) = self.losses.take().map(Losses::take).unwrap_or_default();
        results.missing_from(cut);
        self.explain_events(&losses, &mut results);
        results.losses = losses;
        self.take_tapes(&mut results);
        results.captured = self.capture.take().map(|capture| capture.captured).unwrap_or_default();

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
        self.finish_media(&mut results);
        for (i, link) in self.links.iter_mut().enumerate() {
            let (number, reverse) = (i / 2, i % 2 == 1);
            link.finish(&self.pool, end);
            let stats = link.stats(&self.pool, end);
            results.packet_hops += stats.delivered_packets;
            results.links.push(LinkResult { link: number, reverse, stats });
            let lengths = link.queue_trace(end);
            self.traces.note_lengths(number, reverse, lengths);
        }
        let (traces, cut) = self.traces.take();
        results.missing_from(cut);
        results.traces = traces;
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
                self.traces.note_lengths(self.links.len() / 2 + first + at, false, port.take_trace(self.end));
            }
        }
    }

    fn flow_result(&self, flow: usize, reverse: bool, in_flight: &[(u64, u64)]) -> FlowResult {
        let at = flow * 2 + usize::from(reverse);
        let peer = at ^ 1;
        let (attachment, transfer) = (&self.attachments[at], &self.transfers[at]);
        let (end, receiver) = (&self.endpoints[at], &self.endpoints[peer]);
        let before = self.warm.get(at).cloned().unwrap_or_default();
        let arrived_bytes = end.arrived(self.end, receiver).bytes;
        let mut result = FlowResult {
            flow,
            reverse,
            start: transfer.started,
            delivered_bytes: end.delivered_bytes(receiver),
            measured_bytes: end.delivered_since(receiver, &before),
            arrived_bytes,
            measured_arrived_bytes: arrived_bytes - before.bytes,
            sent_bytes: attachment.sent_bytes,
            cwnd_integral_before: before.cwnd_integral,
            lost: transfer.lost,
            in_flight: in_flight[at].0,
            acks_lost: self.transfers[peer].acks_lost,
            acks_in_flight: in_flight[peer].1,
            judgements: self.truth[at].counts,
            delays: self.delays.get(at).cloned(),
            completed: if attachment.has_end { end.completed_at(receiver) } else { None },
            known: transfer.known,
            air_delay: transfer.air_delay,
            air_hops: transfer.air_hops,
            ..FlowResult::default()
        };
        end.report(receiver, &mut result);
        result
    }

    /// Window changes of all senders, each with the true fate of the segment in question.
    fn explain_events(&mut self, losses: &[Loss], results: &mut Results) {
        let mut by_flow: Vec<&Loss> = losses.iter().collect();
        by_flow.sort_by_key(|loss| (loss.flow, loss.flow_reverse));
        let known_until = results.recorded_until.unwrap_or(Time::NEVER);
        for at in 0..self.endpoints.len() {
            let Endpoint::Tcp(end) = &mut self.endpoints[at] else { continue };
            results.missing_from(end.sender.events_missing_from());
            let mut events = end.sender.take_events();
            // what lost a segment is not known when the list of losses has ended
            events.retain(|event| event.at < known_until);
            if events.is_empty() {
                continue;
            }
            let (flow, reverse) = (at / 2, at % 2 == 1);
            // Last cause of loss of each segment, brought forward as time goes on. A copy that the event itself sent
            // may be lost at its very time: what the event is about was lost before.
            let first = by_flow.partition_point(|loss| (loss.flow, loss.flow_reverse) < (flow, reverse));
            let own = by_flow[first..].iter().take_while(|loss| (loss.flow, loss.flow_reverse) == (flow, reverse));
            let mut own = own.peekable();
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
                results.events.push(FlowEvent { flow, reverse, event, true_cause });
            }
        }
    }
}
