//! A network as data: nodes, links, flows. [`crate::World`] is built from it.

use units::{Span, Time};

use crate::loss::LossSpec;
use crate::multipath::MultipathSpec;

/// Number of a node in [`Network::nodes`].
pub type NodeId = usize;

/// A network with its traffic.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// Names of the nodes.
    pub nodes: Vec<String>,
    /// Full-duplex links.
    pub links: Vec<LinkSpec>,
    /// Flows, the subflows of connections over several paths among them.
    pub flows: Vec<FlowSpec>,
    /// Connections over several paths.
    pub multipath: Vec<MultipathSpec>,
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
}

/// One direction of a link: a queue, a transmitter, a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectionSpec {
    /// Rate, bits per second, positive.
    pub rate_bps: u64,
    /// Propagation delay.
    pub delay: Span,
    /// DropTail queue.
    pub queue: QueueSpec,
    /// Random loss.
    pub loss: LossSpec,
    /// Arrival numbers (from 0, every packet that arrives at this direction counts) that are lost before the queue.
    pub drops: Vec<u64>,
    /// Congestion warning for the Jersey family.
    pub warning: Option<WarningSpec>,
    /// Record the queue length on every change.
    pub trace_queue: bool,
}

/// A DropTail queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueSpec {
    /// How much fits.
    pub limit: QueueLimit,
    /// How the limit counts.
    pub counting: Counting,
}

/// How much a queue holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueLimit {
    /// Packets, at least 1.
    Packets(u32),
    /// Bytes, at least 1.
    Bytes(u64),
}

/// What a queue limit of q means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// q may wait beside the one in transmission.
    Waiting,
    /// ns-2: an arrival is dropped if waiting + 1 >= q, so q - 1 may wait.
    Ns2,
}

/// Router's congestion warning: every ECN-capable packet is marked while the averaged queue is at or over the threshold.
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
}

/// A transport protocol with its settings. Most flows are connections, so these are not worth a pointer.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Transport {
    /// A connection.
    Tcp(TcpSpec),
    /// Datagrams, sent as a source makes them.
    Udp(datagram::Config),
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
}

impl FlowSpec {
    /// Bytes on the wire of a full packet of data.
    pub fn full_size(&self) -> u32 {
        match &self.transport {
            Transport::Tcp(tcp) => tcp.rules.mss + tcp.rules.wire_header(),
            Transport::Udp(udp) => udp.payload + udp.header,
        }
    }

    /// Payload bytes of a full packet of data.
    pub fn payload(&self) -> u32 {
        match &self.transport {
            Transport::Tcp(tcp) => tcp.rules.mss,
            Transport::Udp(udp) => udp.payload,
        }
    }

    /// Whether data flow in both directions.
    pub fn two_way(&self) -> bool {
        match &self.transport {
            Transport::Tcp(tcp) => tcp.two_way,
            Transport::Udp(_) => false,
        }
    }
}
