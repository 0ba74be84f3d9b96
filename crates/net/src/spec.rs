//! A network as data: nodes, links, flows. [`crate::World`] is built from it.

use std::sync::Arc;

use units::{Span, Time};

use crate::cellular::CellularSpec;
use crate::changing::Changing;
use crate::loss::LossSpec;
use crate::multipath::MultipathSpec;
use crate::queue::Backlog;
pub use crate::radio::{MediumSpec, StationSpec};

/// Number of a node in [`Network::nodes`].
pub type NodeId = usize;

/// A network with its traffic.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// Names of the nodes.
    pub nodes: Vec<String>,
    /// Full-duplex links, pairs of stations on a medium among them.
    pub links: Vec<LinkSpec>,
    /// Radio channels that stations share.
    pub media: Vec<MediumSpec>,
    /// Base stations with their mobiles.
    pub cellular: Vec<CellularSpec>,
    /// Flows, the subflows of connections over several paths among them.
    pub flows: Vec<FlowSpec>,
    /// Connections over several paths.
    pub multipath: Vec<MultipathSpec>,
    /// Random delay with which packets leave their hosts.
    pub send_jitter: SendJitter,
}

/// Random delay of every packet that leaves a host, drawn evenly between nothing and a longest one. It breaks the
/// lock-step of queues and senders (Floyd and Jacobson, "On traffic phase effects in packet-switched gateways", 1992).
///
/// It is part of the delay of the link by which a flow's packets leave the host they start from, so what waits for that
/// link is delayed like the rest. Packets stay in order. A link that has jitter of its own gets no other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SendJitter {
    /// None.
    #[default]
    Off,
    /// Of each end: up to the time that its largest packet takes on the narrowest link that it shares with another
    /// flow; none for one that shares no link.
    Auto,
    /// Up to this.
    UpTo(Span),
}

/// A full-duplex link between two nodes.
#[derive(Clone, Debug)]
pub struct LinkSpec {
    /// Name, unique; random streams and results are named after it.
    pub name: String,
    /// One end.
    pub a: NodeId,
    /// The other end.
    pub b: NodeId,
    /// From `a` to `b`.
    pub forward: DirectionSpec,
    /// From `b` to `a`.
    pub reverse: DirectionSpec,
    /// Its ends are stations of this medium: a number in [`Network::media`]. Their queues and the medium do all that a
    /// link does otherwise; of its directions only the rate, that of data, and the drop list count.
    pub medium: Option<usize>,
}

/// One direction of a link: a queue, a transmitter, a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectionSpec {
    /// Rate, bits per second, positive; that at the start if it changes, the mean of a trace.
    pub rate_bps: u64,
    /// Propagation delay; that at the start if it changes.
    pub delay: Span,
    /// Queue.
    pub queue: QueueSpec,
    /// Random loss.
    pub loss: LossSpec,
    /// What changes while the run goes on; `None`: nothing.
    pub changing: Option<Arc<Changing>>,
    /// Numbers of arrivals, from 0, that are lost before the queue.
    pub drops: Vec<u64>,
    /// Those numbers count packets with data only, not every packet that arrives at this direction.
    pub drops_count_data: bool,
}

impl DirectionSpec {
    /// Without loss and changes.
    pub fn plain(rate_bps: u64, delay: Span, queue: QueueSpec) -> DirectionSpec {
        DirectionSpec {
            rate_bps,
            delay,
            queue,
            loss: LossSpec::NONE,
            changing: None,
            drops: vec![],
            drops_count_data: false,
        }
    }
}

/// A queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueSpec {
    /// How much fits.
    pub limit: QueueLimit,
    /// How the limit counts.
    pub counting: Counting,
    /// What is dropped before it is full, and who is served next.
    pub discipline: Discipline,
    /// Mark packets that can be marked, where the discipline would drop them.
    pub ecn: bool,
    /// Policer before it.
    pub policer: Option<PolicerSpec>,
    /// Congestion warning for the Jersey family.
    pub warning: Option<WarningSpec>,
    /// Record its length.
    pub trace: Option<QueueTracing>,
}

/// How the length of a queue is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueTracing {
    /// At multiples of this; `None`: at every change.
    pub step: Option<Span>,
    /// Most changes that are kept.
    pub most: usize,
}

impl QueueTracing {
    /// Every change, as far as anything is kept.
    pub const ALL: QueueTracing = QueueTracing { step: None, most: crate::MOST_RECORDS };
}

impl QueueSpec {
    /// A DropTail queue, without a policer, marks or a trace.
    pub fn drop_tail(limit: QueueLimit, counting: Counting) -> QueueSpec {
        let discipline = Discipline::DropTail;
        QueueSpec { limit, counting, discipline, ecn: false, policer: None, warning: None, trace: None }
    }

    /// It counts as ns-2's DropTail does; ns-2's RED lets as many wait as its limit says.
    fn is_ns2(&self) -> bool {
        let plain = matches!(self.discipline, Discipline::DropTail | Discipline::Threshold(_));
        plain && self.counting == Counting::Ns2
    }

    /// What may wait: ns-2 drops an arrival that would make the queue as long as the limit.
    pub(crate) fn places(&self) -> QueueLimit {
        match self.limit {
            QueueLimit::Packets(most) if self.is_ns2() => QueueLimit::Packets(most - 1),
            QueueLimit::Bytes(most) if self.is_ns2() => QueueLimit::Bytes(most - 1),
            limit => limit,
        }
    }

    /// ns-2's counting with a limit of one packet takes nothing at all, not even where nobody waits.
    pub(crate) fn takes_nothing(&self) -> bool {
        self.is_ns2() && self.limit == QueueLimit::Packets(1)
    }
}

/// What a queue drops or marks, and who is served next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Discipline {
    /// First in, first out; drop what finds no place.
    DropTail,
    /// DropTail that marks a packet which finds more than this waiting.
    Threshold(QueueLimit),
    /// Random early detection.
    Red(RedSpec),
    /// Controlled delay.
    Codel(CodelSpec),
    /// Proportional integral controller enhanced.
    Pie(PieSpec),
    /// Fair queueing by flow, with CoDel for each.
    FqCodel(FqCodelSpec),
    /// A queue for L4S and one for the rest, coupled.
    DualPi2(DualPi2Spec),
}

/// Parameters of RED. Thresholds count packets of `mean_packet` bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedSpec {
    /// Averaged queue from which packets are dropped, packets; `None`: automatic.
    pub min: Option<f64>,
    /// Averaged queue at which the probability is `max_p`, packets; `None`: three times `min`.
    pub max: Option<f64>,
    /// Weight of a new queue sample in the average; `None`: automatic.
    pub weight: Option<f64>,
    /// Probability at `max`.
    pub max_p: f64,
    /// Above `max` the probability rises to 1 at twice `max`; otherwise it is 1 there.
    pub gentle: bool,
    /// Space drops at least 1 / probability packets apart.
    pub wait: bool,
    /// Large packets are dropped more often than small ones.
    pub byte_mode: bool,
    /// The average is over bytes, in packets of `mean_packet`, instead of packets.
    pub in_bytes: bool,
    /// Bytes of a mean packet.
    pub mean_packet: u32,
    /// Highest probability at which packets are marked; above it they are dropped.
    pub mark_p: f64,
    /// Adapt `max_p` to keep the average between the thresholds.
    pub adaptive: bool,
}

impl Default for RedSpec {
    fn default() -> RedSpec {
        RedSpec {
            min: Some(5.0),
            max: Some(15.0),
            weight: Some(0.002),
            max_p: 0.1,
            gentle: true,
            wait: false,
            byte_mode: false,
            in_bytes: false,
            mean_packet: 500,
            mark_p: 0.1,
            adaptive: false,
        }
    }
}

/// Parameters of CoDel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodelSpec {
    /// Standing delay that is tolerated.
    pub target: Span,
    /// How long the delay must stay above the target; about the largest RTT.
    pub interval: Span,
}

impl Default for CodelSpec {
    fn default() -> CodelSpec {
        CodelSpec { target: Span::from_millis(5), interval: Span::from_millis(100) }
    }
}

/// Parameters of PIE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieSpec {
    /// Delay that is aimed at.
    pub target: Span,
    /// Between two updates of the probability.
    pub update: Span,
    /// Weight of the distance from the target, per second.
    pub alpha: f64,
    /// Weight of the change of the delay, per second.
    pub beta: f64,
    /// Length of a burst that is let through.
    pub max_burst: Span,
    /// Probability from which packets are dropped, not marked.
    pub mark_p: f64,
    /// Space drops more evenly than chance alone would.
    pub derandomize: bool,
}

impl Default for PieSpec {
    fn default() -> PieSpec {
        PieSpec {
            target: Span::from_millis(15),
            update: Span::from_millis(15),
            alpha: 0.125,
            beta: 1.25,
            max_burst: Span::from_millis(150),
            mark_p: 0.1,
            derandomize: false,
        }
    }
}

/// Parameters of FQ-CoDel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FqCodelSpec {
    /// CoDel of each lane.
    pub codel: CodelSpec,
    /// Bytes that a lane may send in a turn.
    pub quantum: u32,
    /// Number of lanes.
    pub flows: u32,
    /// Most packets dropped at once when the queue is full.
    pub drop_batch: u32,
}

impl Default for FqCodelSpec {
    fn default() -> FqCodelSpec {
        FqCodelSpec { codel: CodelSpec::default(), quantum: 1514, flows: 1024, drop_batch: 64 }
    }
}

/// Parameters of DualPI2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualPi2Spec {
    /// Delay that the base probability aims at.
    pub target: Span,
    /// Between two updates of it.
    pub update: Span,
    /// Weight of the distance from the target, per second.
    pub alpha: f64,
    /// Weight of the change of the delay, per second.
    pub beta: f64,
    /// Coupling factor: L4S packets are marked with so many times the base probability.
    pub coupling: f64,
    /// Wait of an L4S packet from which it may be marked for that alone.
    pub ramp_from: Span,
    /// So much longer, it is marked for certain.
    pub ramp_range: Span,
    /// Packets in the L4S queue up to which none is marked for its wait.
    pub min_packets: u32,
    /// Who is served next.
    pub scheduler: DualScheduler,
    /// [`DualScheduler::RoundRobin`]: what the classic queue gets of the link at least while both wait.
    pub classic_share: f64,
    /// [`DualScheduler::TimeShifted`]: by how much L4S packets come before others.
    pub time_shift: Span,
    /// Packets are chosen at random, not evenly spaced.
    pub random: bool,
}

/// How DualPI2 chooses between its queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DualScheduler {
    /// Weighted round robin.
    RoundRobin,
    /// First in, first out, with L4S packets counted as older than they are.
    TimeShifted,
}

impl Default for DualPi2Spec {
    fn default() -> DualPi2Spec {
        DualPi2Spec {
            target: Span::from_millis(15),
            update: Span::from_millis(15),
            alpha: 0.15,
            beta: 3.0,
            coupling: 2.0,
            ramp_from: Span(800_000),
            ramp_range: Span(400_000),
            min_packets: 1,
            scheduler: DualScheduler::RoundRobin,
            classic_share: 0.0625,
            time_shift: Span::from_millis(50),
            random: false,
        }
    }
}

/// A token bucket that packets must pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicerSpec {
    /// Rate at which it fills, bits per second.
    pub rate_bps: u64,
    /// What it holds, bytes; full at the start.
    pub burst_bytes: u64,
}

/// How much a queue holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueLimit {
    /// Packets, at least 1.
    Packets(u32),
    /// Bytes, at least 1.
    Bytes(u64),
}

/// A function of its own, so that whoever counts packets need not look at bytes as well.
#[inline(never)]
fn exceeds(bytes: u64, size: u32, most: u64) -> bool {
    bytes + u64::from(size) > most
}

impl QueueLimit {
    /// Whether a packet of this size finds no place.
    #[inline]
    pub(crate) fn is_full(self, backlog: Backlog, size: u32) -> bool {
        match self {
            QueueLimit::Packets(most) => backlog.packets >= most,
            QueueLimit::Bytes(most) => exceeds(backlog.bytes, size, most),
        }
    }

    /// Whether more waits than may.
    pub(crate) fn is_exceeded(self, backlog: Backlog) -> bool {
        match self {
            QueueLimit::Packets(most) => backlog.packets > most,
            QueueLimit::Bytes(most) => backlog.bytes > most,
        }
    }
}

/// What a queue limit of q means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// q may wait beside the one in transmission.
    Waiting,
    /// ns-2's drop-tail: an arrival is dropped if waiting + 1 >= q, so q - 1 may wait. Other disciplines count as
    /// [`Counting::Waiting`] says, as RED does in ns-2.
    Ns2,
}

/// Router's congestion warning: every ECN-capable packet is marked while the averaged queue is at or over the
/// threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarningSpec {
    /// Threshold on the averaged queue, packets.
    pub threshold_packets: f64,
    /// Weight of a new queue sample in the average.
    pub weight: f64,
}

/// A flow: traffic between two nodes under one transport protocol.
#[derive(Clone, Debug)]
pub struct FlowSpec {
    /// Name, unique; random streams and results are named after it.
    pub name: String,
    /// Active end, which starts and sends data.
    pub from: NodeId,
    /// Passive end.
    pub to: NodeId,
    /// Numbers of the links to take, in order from `from`; `None`: the fewest links. The way back is the same.
    pub route: Option<Vec<usize>>,
    /// When the active end starts.
    pub start: Time,
    /// When it stops offering new data; `None`: never.
    pub stop: Option<Time>,
    /// What carries the data.
    pub transport: Transport,
    /// Its class on radio media that tell classes apart.
    pub class: wlan::Class,
}

/// A transport protocol with its settings. Most flows are connections, so these are not worth a pointer.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Transport {
    /// A connection.
    Tcp(TcpSpec),
    /// Datagrams, sent as a source makes them.
    Udp(datagram::Config),
    /// Datagrams, sent at the rate that the receiver's reports allow.
    Tfrc(datagram::TfrcConfig),
}

/// One connection.
#[derive(Clone, Debug)]
pub struct TcpSpec {
    /// Congestion control of every sender of this connection.
    pub algorithm: cc::Config,
    /// Engine rules of both ends.
    pub rules: tcp::Config,
    /// Payload bytes to send in each direction; `None`: unlimited.
    pub size: Option<u64>,
    /// Data flow from `to` to `from` on the same connection as well, from `reverse_start` on.
    pub two_way: bool,
    /// When the passive end may send data.
    pub reverse_start: Time,
    /// Handovers of which both ends are told: when each begins and ends, in order, apart from each other.
    pub handovers: Vec<(Time, Time)>,
}

impl TcpSpec {
    /// Header bytes of a data segment on the wire, SACK blocks aside.
    pub fn data_header(&self) -> u32 {
        self.rules.data_header(&self.algorithm)
    }
}

impl FlowSpec {
    /// Bytes on the wire of a full packet of data.
    pub fn full_size(&self) -> u32 {
        match &self.transport {
            Transport::Tcp(tcp) => tcp.rules.mss + tcp.data_header(),
            Transport::Udp(udp) => udp.payload + udp.header,
            Transport::Tfrc(tfrc) => tfrc.payload + tfrc.header,
        }
    }

    /// Bytes on the wire of the largest packet that an end sends: data, or an ACK or report where it has no data.
    pub fn largest_packet(&self, passive: bool) -> u32 {
        match &self.transport {
            _ if !passive || self.two_way() => self.full_size(),
            Transport::Tcp(tcp) => tcp.rules.wire_header(),
            Transport::Udp(_) => 0,
            Transport::Tfrc(tfrc) => tfrc.header,
        }
    }

    /// Payload bytes of a full packet of data.
    pub fn payload(&self) -> u32 {
        match &self.transport {
            Transport::Tcp(tcp) => tcp.rules.mss,
            Transport::Udp(udp) => udp.payload,
            Transport::Tfrc(tfrc) => tfrc.payload,
        }
    }

    /// Whether data flow in both directions.
    pub fn two_way(&self) -> bool {
        match &self.transport {
            Transport::Tcp(tcp) => tcp.two_way,
            Transport::Udp(_) | Transport::Tfrc(_) => false,
        }
    }
}
