//! What the ends of flows are to a capture.

use cc::registry::Recovery;
use net::{FlowSpec, Network, TcpSpec, Transport};
use tcp::EcnEcho;

/// Largest scale of a window (RFC 7323 section 2.3).
const MOST_SCALE: u8 = 14;

/// A timestamp of an exact clock counts microseconds, as Linux can have it.
const MICROSECOND: u64 = 1_000;

/// One end of a flow.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub(crate) address: [u8; 4],
    pub(crate) port: u16,
    /// What is TCP's; `None`: the flow has datagrams.
    pub(crate) tcp: Option<Tcp>,
}

/// What a connection's end numbers and says.
#[derive(Clone, Debug)]
pub(crate) struct Tcp {
    /// Initial sequence number.
    pub(crate) isn: u32,
    pub(crate) mss: u32,
    /// Bytes that it transfers, if that is limited.
    size: Option<u64>,
    /// Nanoseconds of a tick of its timestamps, if it has them.
    pub(crate) tick: Option<u64>,
    pub(crate) sack: bool,
    /// Its window is divided by two to this power.
    pub(crate) scale: u8,
    /// What it advertises whatever its ACKs say, segments: those of a subflow say something else.
    pub(crate) window: Option<u32>,
    /// ECN by RFC 3168, which the network does not negotiate.
    pub(crate) classic_ecn: bool,
    pub(crate) ect1: bool,
}

impl Tcp {
    fn new(spec: &TcpSpec, isn: u32, subflow: bool) -> Tcp {
        let rules = &spec.rules;
        let window = u64::from(rules.window) * u64::from(rules.mss);
        let recovery = rules.recovery.unwrap_or(spec.algorithm.row().recovery);
        Tcp {
            isn,
            mss: rules.mss,
            size: spec.size,
            tick: rules.timestamps.then_some(if rules.rtt_tick.0 > 0 { rules.rtt_tick.0 } else { MICROSECOND }),
            sack: matches!(recovery, Recovery::Sack | Recovery::RackTlp),
            scale: (0..MOST_SCALE).find(|scale| window >> scale <= u64::from(u16::MAX)).unwrap_or(MOST_SCALE),
            window: subflow.then_some(rules.window),
            classic_ecn: rules.ecn && rules.ecn_echo != EcnEcho::Accurate,
            ect1: rules.ect1,
        }
    }

    /// Payload bytes before segment `number` of its data.
    fn bytes_before(&self, number: u32) -> u64 {
        let bytes = u64::from(number) * u64::from(self.mss);
        self.size.map_or(bytes, |size| bytes.min(size))
    }

    /// Sequence number of the first byte of segment `number` of its data. The SYN has one of its own.
    pub(crate) fn sequence(&self, number: u32) -> u32 {
        self.isn.wrapping_add(1).wrapping_add(self.bytes_before(number) as u32)
    }
}

/// A number from a text that is the same everywhere: 32-bit FNV-1a.
fn number_of(text: &str, salt: u8) -> u32 {
    let byte = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    byte(text.bytes().fold(0x811c_9dc5, byte), salt)
}

/// 10.0.0.1 for the first node.
fn address(node: usize) -> [u8; 4] {
    let [_, b, c, d] = (node as u32 + 1).to_be_bytes();
    [10, b, c, d]
}

impl End {
    /// Both ends of each flow, the active one first.
    pub(crate) fn of(network: &Network) -> Vec<End> {
        let mut ends = Vec::with_capacity(network.flows.len() * 2);
        for (number, flow) in network.flows.iter().enumerate() {
            let subflow = network.multipath.iter().any(|connection| connection.subflows.contains(&number));
            ends.extend([false, true].map(|passive| End::new(flow, number, passive, subflow)));
        }
        ends
    }

    fn new(flow: &FlowSpec, number: usize, passive: bool, subflow: bool) -> End {
        const FIRST_PORT: usize = 10_000;
        const PORTS: usize = 50_000;
        const SERVER: usize = 5_001;
        let (node, port) = match passive {
            false => (flow.from, FIRST_PORT + number % PORTS),
            true => (flow.to, SERVER + number / PORTS),
        };
        let tcp = match &flow.transport {
            Transport::Tcp(spec) => Some(Tcp::new(spec, number_of(&flow.name, passive.into()), subflow)),
            Transport::Udp(_) | Transport::Tfrc(_) => None,
        };
        End { address: address(node), port: port as u16, tcp }
    }
}
