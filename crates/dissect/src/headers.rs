//! A frame as what its TCP header says.

use core::net::IpAddr;

use etherparse::{EtherType, IpNumber, LaxNetSlice, LaxSlicedPacket, TcpHeaderSlice, TcpOptionElement};

use crate::End;
use crate::frames::Frame;

/// Kinds of links, as tcpdump numbers them.
mod links {
    pub const NULL: i32 = 0;
    pub const ETHERNET: i32 = 1;
    pub const RAW: [i32; 5] = [12, 14, 101, 228, 229];
    pub const LOOP: i32 = 108;
    pub const LINUX_SLL: i32 = 113;
    pub const LINUX_SLL2: i32 = 276;
    /// PPP: as ns-3 and BSD write it, in HDLC-like frames, behind pppd, with a byte of direction.
    pub const PPP: [i32; 4] = [9, 50, 166, 204];
    pub const PPPOE: i32 = 51;
    pub const C_HDLC: i32 = 104;
    pub const FRAME_RELAY: i32 = 107;
    pub const FDDI: i32 = 10;
    pub const ATM: i32 = 100;
    pub const NFLOG: i32 = 239;
}

/// A segment's header, and what IP says of the packet.
pub(crate) struct Header {
    pub from: End,
    pub to: End,
    pub seq: u32,
    pub ack: u32,
    pub payload: u32,
    pub packet: u32,
    pub flags: u8,
    pub window: u16,
    pub ip_id: Option<u16>,
    pub ecn: u8,
    pub timestamps: Option<(u32, u32)>,
    pub mss: u16,
    pub sack: [Option<(u32, u32)>; 4],
}

/// What a frame turned out to be.
pub(crate) enum Decoded {
    Tcp(Header),
    /// No TCP over IP.
    Other,
    /// Too little was captured.
    Short,
    /// Not the first part of its packet.
    Fragment,
    /// A kind of link that is not known here.
    UnknownLink,
}

/// What IP says: the ends' addresses, where TCP begins and ends in the packet.
struct Ip<'a> {
    from: IpAddr,
    to: IpAddr,
    id: Option<u16>,
    ecn: u8,
    /// Bytes of the packet, as its header has it: 0 where the host left it to the network card.
    length: u32,
    /// The header's first byte and the payload.
    header: &'a [u8],
    payload: &'a [u8],
}

pub(crate) fn decode(frame: &Frame<'_>) -> Decoded {
    let data = frame.data;
    let sliced = match frame.link {
        links::ETHERNET => LaxSlicedPacket::from_ethernet(data).ok(),
        links::LINUX_SLL => typed(data, 14, 16),
        links::LINUX_SLL2 => typed(data, 0, 20),
        links::NULL | links::LOOP => ip(data.get(4..)),
        links::PPPOE => data.get(6..).and_then(ppp),
        links::C_HDLC => typed(data, 2, 4),
        links::FRAME_RELAY => frame_relay(data),
        links::FDDI => data.get(13..).and_then(snap),
        links::ATM => snap(data),
        links::NFLOG => ip(nflog(data)),
        link if links::PPP.contains(&link) => ppp(data),
        link if links::RAW.contains(&link) => ip(Some(data)),
        _ => return Decoded::UnknownLink,
    };
    let Some(net) = sliced.and_then(|sliced| sliced.net) else { return Decoded::Other };
    let (number, fragmented, ip) = match &net {
        LaxNetSlice::Ipv4(packet) => {
            let header = packet.header();
            let ip = Ip {
                from: header.source_addr().into(),
                to: header.destination_addr().into(),
                id: Some(header.identification()),
                ecn: header.ecn().value(),
                length: header.total_len().into(),
                header: header.slice(),
                payload: packet.payload().payload,
            };
            (packet.payload().ip_number, header.fragments_offset().value() > 0, ip)
        }
        LaxNetSlice::Ipv6(packet) => {
            let header = packet.header();
            let payload = u32::from(header.payload_length());
            let ip = Ip {
                from: header.source_addr().into(),
                to: header.destination_addr().into(),
                id: None,
                ecn: header.traffic_class() & 3,
                length: if payload == 0 { 0 } else { payload + 40 },
                header: header.slice(),
                payload: packet.payload().payload,
            };
            (packet.payload().ip_number, packet.payload().fragmented, ip)
        }
        LaxNetSlice::Arp(_) => return Decoded::Other,
    };
    if number != IpNumber::TCP {
        return Decoded::Other;
    }
    if fragmented { Decoded::Fragment } else { tcp(frame, &ip) }
}

fn ip(data: Option<&[u8]>) -> Option<LaxSlicedPacket<'_>> {
    LaxSlicedPacket::from_ip(data?).ok()
}

/// PPP of RFC 1661: the number of the protocol, before it perhaps a direction (0 or 1, in place of the address, or
/// before it) and the address and control field of RFC 1662.
fn ppp(data: &[u8]) -> Option<LaxSlicedPacket<'_>> {
    let data = match data {
        [0 | 1, 0xff, 0x03, rest @ ..] | [0xff | 0 | 1, 0x03, rest @ ..] => rest,
        [0 | 1, rest @ ..] if matches!(rest, [0, 0x21 | 0x57, ..]) => rest,
        data => data,
    };
    match data {
        [0, 0x21 | 0x57, rest @ ..] | [0x21 | 0x57, rest @ ..] => ip(Some(rest)),
        _ => None,
    }
}

/// Frame relay of RFC 2427: an address of two bytes, a control field, perhaps a pad, and what follows.
fn frame_relay(data: &[u8]) -> Option<LaxSlicedPacket<'_>> {
    match data.get(2..)? {
        [0x03, 0xcc | 0x8e, rest @ ..] | [0x03, 0, 0xcc | 0x8e, rest @ ..] => ip(Some(rest)),
        [0x03, 0, 0x80, _, _, _, rest @ ..] => typed(rest, 0, 2),
        _ => None,
    }
}

/// LLC and SNAP: the type of the payload stands behind six bytes.
fn snap(data: &[u8]) -> Option<LaxSlicedPacket<'_>> {
    if data.starts_with(&[0xaa, 0xaa, 0x03]) { typed(data, 6, 8) } else { None }
}

/// The packet in a message of Linux's netfilter: a head of four bytes, then fields with length and type, in the byte
/// order of the machine.
fn nflog(data: &[u8]) -> Option<&[u8]> {
    const PAYLOAD: u16 = 9;
    let mut rest = data.get(4..)?;
    while let [a, b, c, d, ..] = *rest {
        // Types are small: the byte that is not zero is the lower one.
        let read = if d == 0 { u16::from_le_bytes } else { u16::from_be_bytes };
        let (length, kind) = (usize::from(read([a, b])), read([c, d]));
        if length < 4 {
            return None;
        }
        if kind == PAYLOAD {
            return rest.get(4..length.min(rest.len()));
        }
        rest = rest.get(length.next_multiple_of(4)..)?;
    }
    None
}

/// What follows a head of `length` bytes that has the type of the payload at a place.
fn typed(data: &[u8], at: usize, length: usize) -> Option<LaxSlicedPacket<'_>> {
    let kind = data.get(at..at + 2)?;
    let kind = EtherType(u16::from_be_bytes([kind[0], kind[1]]));
    Some(LaxSlicedPacket::from_ether_type(kind, data.get(length..)?))
}

fn tcp(frame: &Frame<'_>, ip: &Ip<'_>) -> Decoded {
    // Options that were not captured whole are left out: the rest of the header is there.
    let Some(fixed) = ip.payload.get(..20) else { return Decoded::Short };
    let length = u32::from(fixed[12] >> 4) * 4;
    if length < 20 {
        return Decoded::Other;
    }
    let mut bare = [0; 20];
    bare.copy_from_slice(fixed);
    bare[12] = 5 << 4 | bare[12] & 0x0f;
    let whole = TcpHeaderSlice::from_slice(ip.payload).ok();
    let Some(header) = whole.clone().or_else(|| TcpHeaderSlice::from_slice(&bare).ok()) else {
        return Decoded::Other;
    };

    let start = ip.header.as_ptr() as usize;
    let before = (start - frame.data.as_ptr() as usize) as u32;
    let packet = if ip.length == 0 { frame.length.saturating_sub(before) } else { ip.length };
    let headers = (ip.payload.as_ptr() as usize - start) as u32 + length;
    let mut found = Header {
        from: (ip.from, header.source_port()),
        to: (ip.to, header.destination_port()),
        seq: header.sequence_number(),
        ack: if header.ack() { header.acknowledgment_number() } else { 0 },
        payload: packet.saturating_sub(headers),
        packet,
        flags: fixed[13],
        window: header.window_size(),
        ip_id: ip.id,
        ecn: ip.ecn,
        timestamps: None,
        mss: 0,
        sack: [None; 4],
    };
    for option in whole.iter().flat_map(TcpHeaderSlice::options_iterator) {
        match option {
            Ok(TcpOptionElement::Timestamp(own, echo)) => found.timestamps = Some((own, echo)),
            Ok(TcpOptionElement::MaximumSegmentSize(mss)) => found.mss = mss,
            Ok(TcpOptionElement::SelectiveAcknowledgement(first, more)) => {
                found.sack = [Some(first), more[0], more[1], more[2]];
            }
            _ => {}
        }
    }
    Decoded::Tcp(found)
}
