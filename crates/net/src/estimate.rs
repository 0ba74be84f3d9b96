//! What a run needs at most: packets, memory and time, before anything is run.
//!
//! It is reckoned as if the narrowest links of the way were always full, shared by those who want them. Flows that lose
//! packets leave links empty for a while, so that runs take less, down to a tenth; seldom more than twice as much.

use units::{Span, Time};

use crate::queue::lane_bytes;
use crate::route::{Path, Routes};
use crate::spec::{Discipline, FlowSpec, Network, QueueLimit, Transport};
use crate::world::{RunOptions, Traces};

/// Time of a packet on a wired link, seconds: `windlass-bench W4:10` takes 0.11 to 0.12 s for 2.88 million of them.
const HOP_S: f64 = 40e-9;
/// The same with so many flows that they do not fit the processor's caches: `windlass-bench W4:5000`.
const FAR_HOP_S: f64 = 100e-9;
const FAR_FROM: usize = 1000;
/// Of a packet on a hop through the air: `windlass-bench W5:chain:9 100` takes 0.45 s for 0.75 million of them.
const AIR_HOP_S: f64 = 600e-9;
/// Of an ACK that a class in Python is told of (docs/guide/python-algorithms.md).
const OUTSIDE_ACK_S: f64 = 1.2e-6;
/// Of a frame of base stations.
const FRAME_S: f64 = 100e-9;
/// Time of each run beside its packets: to read its description, to make and to store its tables.
const RUN_S: f64 = 0.01;
/// Time and memory of a flow and of a link: `windlass run` with `pairs` and `count` of 10 and of 10 000.
const FLOW_S: f64 = 20e-6;
const FLOW_BYTES: f64 = 8_000.0;
const LINK_S: f64 = 10e-6;
const LINK_BYTES: f64 = 2_500.0;
/// Memory of a packet under way: its place in the pool, its departure from the queue, what its sender knows of it.
/// Tables that grow are up to twice as large as what is in them.
const PACKET_BYTES: f64 = 200.0;
/// Memory of a value over time, a loss or a window change, as it is recorded and in the tables; and the time for it.
const RECORD_BYTES: f64 = 150.0;
const RECORD_S: f64 = 0.5e-6;
/// Memory of what a tape says of an ACK.
const TAPE_BYTES: f64 = 400.0;
/// Memory of the delays of one direction of a flow.
const DELAYS_BYTES: f64 = 7_000.0;
/// Memory that two stations of a medium know of each other.
const HEARING_BYTES: f64 = 4.0;
/// Memory of what a mobile measures at a time.
const MEASURED_BYTES: f64 = 32.0;
/// Memory of a handover that is drawn before the run, both ways.
const BREAK_BYTES: f64 = 256.0;
/// Share of the packets of TCP that are lost, and of those that change a window.
const LOST: f64 = 0.1;

/// What a run needs at most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Packets that leave their hosts, ACKs among them.
    pub packets: f64,
    /// Packets that cross a link, each link counted.
    pub packet_hops: f64,
    /// Values over time, losses, window changes, and what tapes say, as far as they are asked for.
    pub records: f64,
    /// Memory of flows, links, stations, bytes.
    pub network_bytes: f64,
    /// Memory of packets that wait or travel, bytes.
    pub packet_bytes: f64,
    /// Memory of what is recorded, bytes.
    pub record_bytes: f64,
    /// Processor time, seconds.
    pub seconds: f64,
}

impl Estimate {
    /// All memory, bytes.
    pub fn memory_bytes(&self) -> f64 {
        self.network_bytes + self.packet_bytes + self.record_bytes
    }
}

/// One direction of data of a flow.
struct Way {
    flow: usize,
    path: Path,
    /// Bytes of a packet on the wire.
    packet: f64,
    /// What it wants and could get, bits per second.
    wants_bps: f64,
    /// What it sends whether or not it arrives, bits per second; TCP sends what it gets.
    sends_bps: Option<f64>,
    /// What its first link carries, bits per second.
    first_bps: f64,
    /// How long it sends, seconds.
    active_s: f64,
    /// Most packets that it has under way.
    window: f64,
}

/// The ways of a network's data, and what is wanted of each directed link and medium as a multiple of what it carries.
struct Ways<'a> {
    network: &'a Network,
    all: Vec<Way>,
    links: Vec<f64>,
    media: Vec<f64>,
}

impl Network {
    /// What a run of this length needs at most, with what is recorded.
    pub fn estimate(&self, options: &RunOptions) -> Estimate {
        let ways = Ways::of(self, Time::ZERO + options.duration);
        let mut sum = self.estimate_of_parts(options);
        let (mut lost, mut changes, mut values, mut taped) = (0.0, 0.0, 0.0, 0.0);
        let mut crossing = vec![0.0; self.links.len() * 2];
        for way in &ways.all {
            let gets = ways.share(way);
            let packets = |bps: f64| bps * way.active_s / 8.0 / way.packet;
            let (sent, arrived) = (packets(way.sends_bps.unwrap_or(gets)), packets(gets));
            // what does not find room before the first link goes no further
            let crosses = sent.min(packets(way.first_bps));
            let acks = if way.sends_bps.is_some() { 0.0 } else { arrived };
            sum.packets += sent + acks;
            sum.packet_hops += (crosses + acks) * way.path.len() as f64;
            way.path.iter().for_each(|link| crossing[*link as usize] += crosses);
            way.path.iter().for_each(|link| crossing[(*link ^ 1) as usize] += acks);
            lost += (sent - arrived).max(LOST * arrived);
            changes += LOST * acks;
            sum.seconds += ways.seconds(way, crosses + acks) + (sent - crosses) * HOP_S;
            values += values_of(options, arrived);
            taped += if options.tapes { acks } else { 0.0 };
        }
        let most = options.most_records as f64;
        let logged = if options.events { lost.min(most) + changes.min(most) } else { 0.0 };
        let kept = (values + self.queue_values(&crossing, options)).min(most) + logged;
        sum.records = values + self.queue_values(&crossing, options) + taped;
        sum.records += if options.events { lost + changes } else { 0.0 };
        sum.record_bytes = kept * RECORD_BYTES + taped.min(most) * TAPE_BYTES;
        sum.seconds += sum.records * RECORD_S;
        sum.packet_bytes = ways.under_way() * PACKET_BYTES;
        sum
    }

    /// What there is before a packet is sent.
    fn estimate_of_parts(&self, options: &RunOptions) -> Estimate {
        let (flows, links) = (self.flows.len() as f64, self.links.len() as f64);
        let stations = self.media.iter().map(|medium| medium.stations.len() as f64);
        let directions = self.links.iter().flat_map(|link| [&link.forward, &link.reverse]);
        let breaks = self.links.iter().filter_map(|link| link.forward.changing.as_ref()).flat_map(|all| &all.handovers);
        let breaks = breaks.filter_map(|rule| rule.every).map(|every| options.duration.0 as f64 / every.0 as f64);
        let lanes = directions.map(|direction| match &direction.queue.discipline {
            Discipline::FqCodel(fq) => f64::from(fq.flows) * lane_bytes() as f64,
            _ => 0.0,
        });
        let frames = self.cellular.iter().map(|cells| options.duration.0 as f64 / cells.frames.length.0 as f64);
        let breaks: f64 = breaks.sum();
        let measured = self.cellular.iter().map(|cells| {
            let times = options.duration.0 as f64 / cells.rules.measure_every.0 as f64;
            times * cells.mobiles.len() as f64
        });
        let measured: f64 = measured.sum();
        Estimate {
            network_bytes: flows * (FLOW_BYTES + if options.delays { 2.0 * DELAYS_BYTES } else { 0.0 })
                + links * LINK_BYTES
                + stations.map(|count| count * count * HEARING_BYTES).sum::<f64>()
                + lanes.sum::<f64>()
                + breaks * BREAK_BYTES
                + measured * MEASURED_BYTES,
            seconds: RUN_S
                + flows * FLOW_S
                + links * LINK_S
                + frames.sum::<f64>() * FRAME_S
                + (breaks + measured) * RECORD_S,
            ..Estimate::default()
        }
    }

    /// Values of traced queues: two for each packet.
    fn queue_values(&self, crossing: &[f64], options: &RunOptions) -> f64 {
        let directions = self.links.iter().flat_map(|link| [&link.forward, &link.reverse]);
        let traced = directions.zip(crossing).filter(|(direction, _)| direction.queue.trace.is_some());
        let steps = options.trace_step.map_or(f64::INFINITY, |step| steps_of(options.duration, step));
        traced.map(|(_, packets)| (2.0 * packets).min(steps)).sum()
    }
}

fn steps_of(duration: Span, step: Span) -> f64 {
    duration.0 as f64 / step.0 as f64 + 1.0
}

/// Values over time of one direction of data with so many packets.
fn values_of(options: &RunOptions, packets: f64) -> f64 {
    let Traces { cwnd, ssthresh, flight, srtt, rate, loss_event_rate, window, sent, delivered, delay, .. } =
        options.traces;
    let each_packet = f64::from(u8::from(sent) + u8::from(delay));
    let series = [cwnd, ssthresh, flight, flight, srtt, rate, loss_event_rate, window, delivered];
    let steps = options.trace_step.map_or(f64::INFINITY, |step| steps_of(options.duration, step));
    series.iter().filter(|on| **on).count() as f64 * packets.min(steps) + each_packet * packets
}

impl<'a> Ways<'a> {
    fn of(network: &'a Network, end: Time) -> Ways<'a> {
        let mut routes = Routes::new(network.nodes.len(), &network.links);
        let mut rates = vec![f64::NAN; network.links.len() * 2];
        let mut ways = Ways {
            network,
            all: Vec::with_capacity(network.flows.len()),
            links: vec![0.0; network.links.len() * 2],
            media: vec![0.0; network.media.len()],
        };
        for (number, flow) in network.flows.iter().enumerate() {
            let there = routes.of(flow).unwrap_or_default();
            let back = flow.two_way().then(|| there.iter().rev().map(|link| link ^ 1).collect());
            for path in [Some(there), back].into_iter().flatten().filter(|path: &Path| !path.is_empty()) {
                for &link in &path {
                    let rate = &mut rates[link as usize];
                    if rate.is_nan() {
                        *rate = network.carries_bps(link, flow.full_size(), end);
                    }
                }
                ways.add(number, flow, path, &rates, end);
            }
        }
        ways
    }

    fn add(&mut self, number: usize, flow: &FlowSpec, path: Path, rates: &[f64], end: Time) {
        let packet = f64::from(flow.full_size().max(1));
        let active_s = flow.stop.unwrap_or(end).min(end).since(flow.start.min(end)).secs();
        let first = rates[path[0] as usize];
        let narrowest = path.iter().map(|link| rates[*link as usize]).fold(f64::INFINITY, f64::min);
        let (wants_bps, sends_bps, window) = match &flow.transport {
            Transport::Udp(udp) => {
                let sends = udp.rate_bps as f64 * packet / f64::from(udp.payload.max(1));
                (sends.min(narrowest), Some(sends), f64::INFINITY)
            }
            Transport::Tfrc(_) => (narrowest, None, f64::INFINITY),
            Transport::Tcp(tcp) => {
                let window = f64::from(tcp.rules.window);
                let all = tcp.size.map_or(f64::INFINITY, |size| size as f64 * packet / f64::from(tcp.rules.mss));
                let by_size = if active_s > 0.0 { 8.0 * all / active_s } else { f64::INFINITY };
                let trip = self.round_trip(&path);
                let by_window = if trip > Span::ZERO { window * packet * 8.0 / trip.secs() } else { f64::INFINITY };
                (narrowest.min(by_size).min(by_window), None, window.min(all / packet))
            }
        };
        let window = window.min(sends_bps.unwrap_or(first).min(first) * active_s / 8.0 / packet).ceil();
        for &link in &path {
            let load = wants_bps / rates[link as usize];
            match self.network.links[link as usize / 2].medium {
                Some(medium) => self.media[medium] += load,
                None => self.links[link as usize] += load,
            }
        }
        self.all.push(Way { flow: number, path, packet, wants_bps, sends_bps, first_bps: first, active_s, window });
    }

    /// Least time there and back; none where a link changes.
    fn round_trip(&self, path: &[u32]) -> Span {
        let links = || path.iter().map(|link| &self.network.links[*link as usize / 2]);
        if links().any(|link| link.forward.changing.is_some() || link.reverse.changing.is_some()) {
            return Span::ZERO;
        }
        links().fold(Span::ZERO, |sum, link| sum + link.forward.delay + link.reverse.delay)
    }

    /// What a way gets, bits per second.
    fn share(&self, way: &Way) -> f64 {
        let load = |link: &u32| match self.network.links[*link as usize / 2].medium {
            Some(medium) => self.media[medium],
            None => self.links[*link as usize],
        };
        way.wants_bps / way.path.iter().map(load).fold(1.0, f64::max)
    }

    fn seconds(&self, way: &Way, packets: f64) -> f64 {
        let hop = if self.network.flows.len() < FAR_FROM { HOP_S } else { FAR_HOP_S };
        let air = way.path.iter().filter(|link| self.network.links[**link as usize / 2].medium.is_some()).count();
        let hops = (way.path.len() - air) as f64 * hop + air as f64 * AIR_HOP_S;
        let outside = match &self.network.flows[way.flow].transport {
            Transport::Tcp(tcp) if tcp.algorithm.is_outside() => OUTSIDE_ACK_S,
            _ => 0.0,
        };
        packets * (hops + outside)
    }

    /// Most packets under way at once: in queues and on wires, no more than the senders let out.
    fn under_way(&self) -> f64 {
        let mut coming = vec![(0.0, f64::INFINITY); self.network.links.len() * 2];
        for way in &self.all {
            for &link in &way.path {
                let (packets, least) = &mut coming[link as usize];
                *packets += way.window;
                *least = f64::min(*least, way.packet);
            }
        }
        let held = self.network.links.iter().flat_map(|link| [&link.forward, &link.reverse]).zip(&coming);
        let held = held.filter(|(_, (packets, _))| *packets > 0.0).map(|(direction, &(packets, least))| {
            let waits = match direction.queue.limit {
                QueueLimit::Packets(most) => f64::from(most),
                QueueLimit::Bytes(most) => most as f64 / least,
            };
            (waits + direction.rate_bps as f64 * direction.delay.secs() / 8.0 / least + 1.0).min(packets)
        });
        held.sum::<f64>().min(self.all.iter().map(|way| way.window).sum())
    }
}
