//! The bytes of a packet: an IPv4 header, one of TCP or UDP, and zeros. Checksums are those of the whole packet, also
//! where only headers are kept.

use etherparse::{IpEcn, IpNumber, Ipv4Header, TcpHeader, TcpOptionElement, TcpOptions, UdpHeader};
use net::{Passed, SentPacket};
use tcp::{Flags, Segment};

use crate::Keep;
use crate::end::{End, Tcp};

/// Options of a header, at most, bytes.
const MOST_OPTIONS: usize = 40;
/// The option of accurate ECN, in two orders of its counters (RFC 9768 section 3.2.3), and its length with two of them.
const ACCECN_0: u8 = 172;
const ACCECN_1: u8 = 174;
const ACCECN_LENGTH: u8 = 8;
/// What counters of accurate ECN begin with: in the network that of marked segments, in the option those of bytes.
const FIRST_COUNT: u32 = 5;
const FIRST_BYTES: u32 = 1;

/// A packet as it is written.
#[derive(Debug)]
pub(crate) struct Bytes {
    pub(crate) kept: Vec<u8>,
    /// Its length on the wire.
    pub(crate) length: u32,
}

/// What a packet was where it passed.
pub(crate) fn bytes(ends: &[End], sent: &SentPacket, passed: &Passed, keep: Keep) -> Bytes {
    let (from, to) = (&ends[sent.end as usize], &ends[sent.end as usize ^ 1]);
    let ecn = field(sent.segment.flags, passed.marked);
    // the same at each point, so that a packet can be found again
    let number = passed.packet as u16;
    match (&from.tcp, &to.tcp) {
        (Some(own), Some(peer)) => {
            let mut tcp = header(own, peer, sent);
            (tcp.source_port, tcp.destination_port) = (from.port, to.port);
            let payload = vec![0; sent.payload as usize];
            let ip = ip(from, to, IpNumber::TCP, tcp.header_len() + payload.len(), ecn, number);
            tcp.checksum = tcp.calc_checksum_ipv4(&ip, &payload).unwrap_or_default();
            join(&ip, &tcp.to_bytes(), payload, keep)
        }
        _ => {
            let size = (sent.segment.size as usize).saturating_sub(Ipv4Header::MIN_LEN + UdpHeader::LEN);
            let payload = vec![0; size];
            let ip = ip(from, to, IpNumber::UDP, UdpHeader::LEN + size, ecn, number);
            let (source_port, destination_port, length) = (from.port, to.port, (UdpHeader::LEN + size) as u16);
            let mut udp = UdpHeader { source_port, destination_port, length, checksum: 0 };
            udp.checksum = udp.calc_checksum_ipv4(&ip, &payload).unwrap_or_default();
            join(&ip, &udp.to_bytes(), payload, keep)
        }
    }
}

/// The ECN field of the IP header.
fn field(flags: Flags, marked: bool) -> IpEcn {
    let of = |bits: u8| IpEcn::try_new(bits).unwrap_or_default();
    match () {
        () if marked => of(0b11),
        () if flags.has(Flags::ECT1) => of(0b01),
        () if flags.has(Flags::ECT) => of(0b10),
        () => of(0b00),
    }
}

fn ip(from: &End, to: &End, protocol: IpNumber, length: usize, ecn: IpEcn, number: u16) -> Ipv4Header {
    let mut ip = Ipv4Header {
        ecn,
        total_len: (Ipv4Header::MIN_LEN + length) as u16,
        identification: number,
        dont_fragment: true,
        time_to_live: 64,
        protocol,
        source: from.address,
        destination: to.address,
        ..Ipv4Header::default()
    };
    ip.header_checksum = ip.calc_header_checksum();
    ip
}

fn join(ip: &Ipv4Header, transport: &[u8], payload: Vec<u8>, keep: Keep) -> Bytes {
    let length = u32::from(ip.total_len);
    let mut kept = ip.to_bytes().to_vec();
    kept.extend_from_slice(transport);
    if keep == Keep::All {
        kept.extend(payload);
    }
    Bytes { kept, length }
}

/// The TCP header but for its ports and its checksum.
fn header(own: &Tcp, peer: &Tcp, sent: &SentPacket) -> TcpHeader {
    let segment = &sent.segment;
    let flags = segment.flags;
    let (syn, ack) = (flags.has(Flags::SYN), flags.has(Flags::ACK));
    // by RFC 3168 a SYN asks with both bits, its answer grants with one
    let asks = syn && own.classic_ecn;
    let mut tcp = TcpHeader {
        sequence_number: match () {
            () if syn => own.isn,
            () if flags.has(Flags::DATA) => own.sequence(segment.seq),
            // a byte that is acknowledged already, so that the other end answers
            () if flags.has(Flags::PROBE) => own.sequence(sent.snd_una).wrapping_sub(1),
            () => own.sequence(sent.snd_max),
        },
        acknowledgment_number: if ack { peer.sequence(segment.ack) } else { 0 },
        syn,
        ack,
        psh: flags.has(Flags::PSH),
        ece: flags.has(Flags::ECE) || asks,
        cwr: flags.has(Flags::CWR) || asks && !ack,
        ns: flags.has(Flags::AE),
        window_size: window(own, segment, syn),
        ..TcpHeader::default()
    };
    let options = if syn { syn_options(own, segment) } else { options(own, peer, sent) };
    tcp.options = options;
    tcp
}

/// The window field. It is rounded up, so that no sender seems to send more than it may; that of a SYN has no scale.
fn window(own: &Tcp, segment: &Segment, syn: bool) -> u16 {
    let bytes = u64::from(own.window.unwrap_or(segment.window)) * u64::from(own.mss);
    let scale = if syn { 0 } else { own.scale };
    bytes.div_ceil(1 << scale).min(u64::from(u16::MAX)) as u16
}

fn timestamp(own: &Tcp, segment: &Segment) -> Option<TcpOptionElement> {
    own.tick.map(|tick| TcpOptionElement::Timestamp((segment.ts_val.0 / tick) as u32, (segment.ts_ecr.0 / tick) as u32))
}

/// Options in the order in which Linux has them.
fn syn_options(own: &Tcp, segment: &Segment) -> TcpOptions {
    // RFC 6691: the MSS says nothing of options
    let room = own.mss + if own.tick.is_some() { 12 } else { 0 };
    let mut elements = vec![TcpOptionElement::MaximumSegmentSize(room.min(u32::from(u16::MAX)) as u16)];
    if own.sack {
        elements.push(TcpOptionElement::SelectiveAcknowledgementPermitted);
    }
    elements.extend(timestamp(own, segment));
    elements.extend([TcpOptionElement::Noop, TcpOptionElement::WindowScale(own.scale)]);
    TcpOptions::try_from_elements(&elements).expect("at most 20 bytes")
}

fn options(own: &Tcp, peer: &Tcp, sent: &SentPacket) -> TcpOptions {
    use TcpOptionElement::{Noop, SelectiveAcknowledgement};
    let segment = &sent.segment;
    let mut elements = Vec::new();
    if let Some(timestamp) = timestamp(own, segment) {
        elements.extend([Noop, Noop, timestamp]);
    }
    let mut blocks = segment.sack.as_slice().iter().map(|block| (peer.sequence(block.0), peer.sequence(block.1)));
    if let Some(first) = blocks.next() {
        elements.extend([Noop, Noop, SelectiveAcknowledgement(first, std::array::from_fn(|_| blocks.next()))]);
    }
    let options = TcpOptions::try_from_elements(&elements).expect("12 bytes and 28");
    let counts = segment.flags.has(Flags::COUNTS_MARKS);
    if !counts || options.len() + usize::from(ACCECN_LENGTH) > MOST_OPTIONS {
        return options;
    }
    let mut raw = options.as_slice().to_vec();
    raw.extend(accecn(own, peer, sent));
    TcpOptions::try_from_slice(&raw).expect("there is room for it")
}

/// The option of accurate ECN: bytes that came with ECT(0) or ECT(1), and marked ones, 24 bits each.
fn accecn(own: &Tcp, peer: &Tcp, sent: &SentPacket) -> [u8; ACCECN_LENGTH as usize] {
    let bytes = |segments: u32| segments.wrapping_mul(peer.mss);
    let unmarked = bytes(sent.unmarked as u32).wrapping_add(FIRST_BYTES);
    let marked = bytes(sent.segment.seq.wrapping_sub(FIRST_COUNT));
    let [[_, a, b, c], [_, d, e, f]] = [unmarked.to_be_bytes(), marked.to_be_bytes()];
    [if own.ect1 { ACCECN_1 } else { ACCECN_0 }, ACCECN_LENGTH, a, b, c, d, e, f]
}
