//! What a run may have measured at most: no rate, share or time can exceed what the links of its network carry.
//!
//! Everything is reckoned from the description again, not from the state of the run. Bytes are held against capacity in
//! whole numbers, bits times nanoseconds per second.
//!
//! - What a link transmitted is no more than it could, over the whole run and over the measured part of it. The packet
//!   in transmission when the warm-up ended counts to neither side.
//! - What arrived of a flow went over each link of its path, after the flow had started and, if it is complete, before
//!   that. So each link could carry it in that time.
//! - What arrived of all flows together is no more than each link delivered. In the measured part there may come on top
//!   what the links behind it held when the warm-up ended.

use std::collections::BTreeSet;
use std::fmt::Display;

use units::{Span, Time};

use crate::changing::work;
use crate::link::{MeasuredLink, transmission};
use crate::results::{FlowResult, LinkResult, Results, Variable};
use crate::route;
use crate::spec::{DirectionSpec, FlowSpec, Network, QueueLimit, Transport};
use crate::world::RunOptions;

/// Whose numbers are looked at.
struct Of(String);

impl Of {
    fn at_most<T: PartialOrd + Display>(&self, what: &str, is: T, most: T) -> Result<(), String> {
        if is <= most { Ok(()) } else { Err(format!("{}: {what}: {is} is more than {most}", self.0)) }
    }

    /// A sum of so many rounded numbers lies between so many times the least and the greatest of them.
    fn mean_within(&self, what: &str, sum: f64, count: u64, least: Span, greatest: Span) -> Result<(), String> {
        // each addition is off by half a unit in the last place at most
        let (n, rounding) = (count as f64, count as f64 * f64::EPSILON);
        self.at_most(&format!("least {what}"), n * least.secs() * (1.0 - rounding), sum)?;
        self.at_most(&format!("mean {what}"), sum, n * greatest.secs() * (1.0 + rounding))
    }
}

impl DirectionSpec {
    /// What it can carry after `from` and until `to`, in bits times nanoseconds per second.
    pub(crate) fn capacity(&self, from: Time, to: Time) -> u128 {
        match &self.changing {
            None => u128::from(self.rate_bps) * u128::from(to.since(from).0),
            Some(changing) => changing.capacity(self.rate_bps, from, to),
        }
    }

    /// How many packets of [`OPPORTUNITY`](crate::OPPORTUNITY) bytes it can carry until `to`.
    pub fn opportunity_count(&self, to: Time) -> f64 {
        self.capacity(Time::ZERO, to) as f64 / 8e9 / f64::from(crate::OPPORTUNITY)
    }

    /// Least time from the beginning of a packet's transmission to its arrival.
    fn least_delay(&self, size: u32) -> Span {
        match &self.changing {
            None => self.delay + Span(transmission(size, self.rate_bps)),
            Some(changing) => changing.least_delay_with_jitter(self.rate_bps, self.delay, size),
        }
    }

    /// Most packets that may wait.
    fn most_waiting(&self) -> u64 {
        match self.queue.places() {
            QueueLimit::Packets(most) => u64::from(most),
            QueueLimit::Bytes(most) => most,
        }
    }
}

impl FlowSpec {
    /// Header bytes of its data, and bytes of its smallest packet without data.
    pub fn headers(&self) -> (u32, u32) {
        match &self.transport {
            Transport::Tcp(tcp) => (tcp.data_header(), tcp.rules.wire_header()),
            Transport::Udp(udp) => (udp.header, 0),
            Transport::Tfrc(tfrc) => (tfrc.header, 0),
        }
    }

    /// Least bytes on the wire of packets with so much payload.
    fn on_wire(&self, payload: u64) -> u64 {
        payload + payload.div_ceil(u64::from(self.payload())) * u64::from(self.headers().0)
    }

    /// Payload of its smallest packet.
    fn least_payload(&self) -> u32 {
        let Transport::Tcp(tcp) = &self.transport else { return self.payload() };
        let tail = tcp.size.map_or(0, |bytes| (bytes % u64::from(tcp.rules.mss)) as u32);
        if tail > 0 { tail } else { tcp.rules.mss }
    }
}

/// Bytes of all flows that went over a link, and what was behind it.
#[derive(Clone, Default)]
struct Load {
    arrived: u64,
    measured: u64,
    behind: BTreeSet<u32>,
}

/// A run's description.
struct Run<'a> {
    network: &'a Network,
    warm: Time,
    end: Time,
}

impl Results {
    /// Nothing exceeds what the links of `network`, [settled](Network::settled), carry over the time that it is said
    /// of; the run was made with these options. Bytes are bounded by capacity, times by what a packet needs at least,
    /// queues by their limits, shares by one. The error says what is more than what.
    pub fn check_bounds(&self, network: &Network, options: &RunOptions) -> Result<(), String> {
        let run = Run { network, warm: Time::ZERO + options.warmup, end: Time::ZERO + options.duration };
        self.links.iter().try_for_each(|link| run.check_link(link))?;

        let mut routes = route::Routes::new(network.nodes.len(), &network.links);
        let path = |flow| routes.of(flow).unwrap_or_default();
        let paths: Vec<route::Path> = network.flows.iter().map(path).collect();
        let mut loads = vec![Load::default(); self.links.len()];
        for flow in &self.flows {
            let back: route::Path = paths[flow.flow].iter().rev().map(|link| link ^ 1).collect();
            let (there, back) = if flow.reverse { (&back, &paths[flow.flow]) } else { (&paths[flow.flow], &back) };
            run.check_flow(flow, there, back)?;
            let spec = &network.flows[flow.flow];
            for (at, link) in there.iter().enumerate() {
                let load = &mut loads[*link as usize];
                load.arrived += spec.on_wire(flow.arrived_bytes);
                load.measured += spec.on_wire(flow.measured_arrived_bytes);
                load.behind.extend(&there[at + 1..]);
            }
        }
        for (link, load) in self.links.iter().zip(&loads) {
            let of = run.link(link);
            of.at_most("bytes of all flows that arrived", load.arrived, link.stats.delivered_bytes)?;
            let behind: u64 =
                load.behind.iter().map(|&other| self.links[other as usize].stats.measured.held_bytes).sum();
            let most = link.stats.measured.delivered_bytes + behind;
            of.at_most("bytes of all flows that arrived after the warm-up", load.measured, most)?;
        }
        self.check_marks()?;
        self.check_joined(&run)?;
        self.check_records(&run)
    }

    /// What arrives marked was marked by a queue.
    fn check_marks(&self) -> Result<(), String> {
        let by_links: u64 = self.links.iter().map(|link| link.stats.marked_packets).sum();
        let by_stations: u64 = self.stations.iter().map(|station| station.marked_packets).sum();
        let arrived = self.flows.iter().map(|flow| flow.receiver.marked_segments).sum();
        Of("marks".into()).at_most("of data that arrived", arrived, by_links + by_stations)
    }

    /// Connections over several paths.
    fn check_joined(&self, run: &Run<'_>) -> Result<(), String> {
        for joint in &self.multipath {
            let spec = &run.network.multipath[joint.connection];
            let of = Of(format!("connection `{}`", spec.name));
            let parts = || self.flows.iter().filter(|flow| spec.subflows.contains(&flow.flow));
            let delivered = parts().map(|flow| flow.delivered_bytes).sum();
            of.at_most("delivered bytes", joint.delivered_bytes, delivered)?;
            let measured = parts().map(|flow| flow.measured_bytes).sum();
            of.at_most("measured bytes", joint.measured_bytes, measured)?;
            of.at_most("measured bytes of those delivered", joint.measured_bytes, joint.delivered_bytes)?;
            of.at_most("size", joint.delivered_bytes, spec.size.unwrap_or(u64::MAX))?;
            of.at_most("segments out of order", joint.reorder_max, spec.buffer)?;
            let known = joint.known.unwrap_or(run.end);
            of.at_most("completion", known, run.end)?;
            of.at_most("completion, which comes before its ACK", joint.completed.unwrap_or_default(), known)?;
        }
        Ok(())
    }

    /// Traces and logs.
    fn check_records(&self, run: &Run<'_>) -> Result<(), String> {
        let of = Of("records".into());
        for point in &self.traces {
            of.at_most("time of a trace", point.at, run.end)?;
            if point.variable == Variable::Airtime {
                of.at_most("traced airtime", point.value, 1.0)?;
            } else if point.variable == Variable::Queue && point.subject >= run.network.links.len() {
                let station = &self.stations[point.subject - run.network.links.len()];
                of.at_most("traced queue of a station", point.value, station.queue_max.into())?;
            } else if point.variable == Variable::Queue {
                let link = &self.links[route::directed(point.subject, point.reverse) as usize];
                run.link(link).at_most("traced queue", point.value, link.stats.queue_max.into())?;
            }
        }
        self.losses.iter().try_for_each(|loss| of.at_most("time of a loss", loss.at, run.end))?;
        self.events.iter().try_for_each(|event| of.at_most("time of an event", event.event.at, run.end))
    }
}

impl Run<'_> {
    fn direction(&self, link: u32) -> &DirectionSpec {
        let spec = &self.network.links[link as usize / 2];
        if link % 2 == 1 { &spec.reverse } else { &spec.forward }
    }

    fn link(&self, link: &LinkResult) -> Of {
        let back = if link.reverse { ":reverse" } else { "" };
        Of(format!("link `{}{back}`", self.network.links[link.link].name))
    }

    fn least_delay(&self, path: &[u32], size: u32) -> Span {
        path.iter().fold(Span::ZERO, |sum, &link| {
            let on_air = self.network.least_delay_on_air(link, size);
            sum + on_air.unwrap_or_else(|| self.direction(link).least_delay(size))
        })
    }

    fn check_link(&self, link: &LinkResult) -> Result<(), String> {
        let (of, s) = (self.link(link), &link.stats);
        let spec = self.direction(route::directed(link.link, link.reverse));
        of.at_most("transmitted bytes of those offered", s.transmitted_bytes, s.offered_bytes)?;
        of.at_most("delivered bytes of those transmitted", s.delivered_bytes, s.transmitted_bytes)?;
        of.at_most("transmission", work(s.transmitted_bytes), spec.capacity(Time::ZERO, self.end))?;
        if let Some(policer) = spec.queue.policer {
            let most = work(policer.burst_bytes) + u128::from(policer.rate_bps) * u128::from(self.end.0);
            of.at_most("what the policer let pass", work(s.transmitted_bytes), most)?;
        }
        of.at_most("utilisation", s.utilisation, 1.0)?;
        of.at_most("no utilisation", 0.0, s.utilisation)?;
        of.at_most("longest queue", u64::from(s.queue_max), spec.most_waiting())?;
        for lane in s.lanes.iter().flatten() {
            of.at_most("marks of packets served", lane.marked, lane.packets)?;
            let most = Span(lane.longest.0.saturating_mul(lane.packets));
            of.at_most("wait in one of two queues", lane.waited.secs(), most.secs())?;
            of.at_most("longest wait in one of two queues", lane.longest, self.end.since(Time::ZERO))?;
        }
        if let Some([l, c]) = s.lanes {
            of.at_most("packets of two queues", l.packets + l.dropped + c.packets + c.dropped, s.offered_packets)?;
            of.at_most("marks of two queues", l.marked + c.marked, s.marked_packets)?;
        }
        // the same rounding on both sides
        let most = Span(self.end.0.saturating_mul(s.queue_max.into())).secs();
        of.at_most("mean queue, times the duration", s.queue_integral, most)?;

        let MeasuredLink { transmitted_bytes, delivered_bytes, under_way_bytes, held_bytes } = s.measured;
        let most = spec.capacity(self.warm, self.end);
        of.at_most("measured transmission", work(transmitted_bytes.saturating_sub(under_way_bytes)), most)?;
        of.at_most("measured transmission of all", transmitted_bytes, s.transmitted_bytes)?;
        of.at_most("measured delivery of all", delivered_bytes, s.delivered_bytes)?;
        of.at_most("measured delivery", delivered_bytes, transmitted_bytes + held_bytes)
    }

    /// One direction of data, over the links `there`; answers come `back`.
    fn check_flow(&self, flow: &FlowResult, there: &[u32], back: &[u32]) -> Result<(), String> {
        let spec = &self.network.flows[flow.flow];
        let of = Of(format!("flow `{}`{}", spec.name, if flow.reverse { ", back" } else { "" }));
        of.at_most("arrived bytes of those sent", flow.arrived_bytes, flow.sent_bytes)?;
        of.at_most("delivered bytes of those that arrived", flow.delivered_bytes, flow.arrived_bytes)?;
        of.at_most("measured bytes of those delivered", flow.measured_bytes, flow.delivered_bytes)?;
        of.at_most("measured bytes of those that arrived then", flow.measured_bytes, flow.measured_arrived_bytes)?;
        of.at_most("bytes that arrived after the warm-up", flow.measured_arrived_bytes, flow.arrived_bytes)?;
        let new = flow.receiver.received_segments.saturating_sub(flow.receiver.duplicate_segments);
        of.at_most("marked segments", flow.receiver.marked_segments, flow.receiver.received_segments)?;
        of.at_most("duplicates", flow.receiver.duplicate_segments, flow.receiver.received_segments)?;
        of.at_most("acknowledged segments", u64::from(flow.acknowledged), new)?;

        for &link in there {
            let (name, link) = (&self.network.links[link as usize / 2].name, self.direction(link));
            let arrived = work(spec.on_wire(flow.arrived_bytes));
            of.at_most(&format!("arrivals over `{name}`"), arrived, link.capacity(flow.start, self.end))?;
            if let Some(at) = flow.completed {
                let transfer = work(spec.on_wire(flow.delivered_bytes));
                of.at_most(&format!("transfer over `{name}`"), transfer, link.capacity(flow.start, at))?;
            }
        }

        let (data, bare) = spec.headers();
        let one_way = self.least_delay(there, data + spec.least_payload());
        // of a SYN and its answer, too; data without a header, on which an ACK rides, may be smaller than either
        let smallest = bare.min(data + spec.least_payload());
        let both_ways = self.least_delay(there, smallest) + self.least_delay(back, smallest);
        let lasted = self.end.since(flow.start);
        let longest = flow.delay_max.unwrap_or(lasted);
        of.at_most("longest delay", longest, lasted)?;
        of.mean_within("one-way delay", flow.receiver.delay_sum, new, one_way, longest)?;
        of.at_most("difference of delays", flow.jitter_s.unwrap_or(0.0), longest.secs())?;
        if flow.sender.rtt_samples > 0 {
            of.at_most("path that an RTT is shorter than", both_ways, flow.rtt_min)?;
            of.at_most("longest RTT", flow.sender.rtt_max, lasted)?;
            let (sum, count) = (flow.sender.rtt_sum, flow.sender.rtt_samples);
            of.mean_within("RTT", sum, count, flow.rtt_min, flow.sender.rtt_max)?;
        }
        if let Some(mean) = flow.delays.as_ref().and_then(|delays| delays.mean_s()) {
            of.at_most("mean queueing delay", mean, lasted.secs())?;
        }
        let times = [flow.sender.opened, flow.completed, flow.known];
        times.into_iter().flatten().try_for_each(|at| of.at_most("time of an event", at, self.end))?;
        if let Some(at) = flow.completed.filter(|_| flow.delivered_bytes > 0) {
            of.at_most("delay in which nothing completes", flow.start + one_way, at)?;
        }
        if let Some(at) = flow.known.filter(|_| flow.delivered_bytes > 0) {
            of.at_most("RTT in which no sender knows", flow.start + both_ways, at)?;
            of.at_most("completion, which comes before its ACK", flow.completed.unwrap_or(self.end), at)?;
        }
        Ok(())
    }
}
