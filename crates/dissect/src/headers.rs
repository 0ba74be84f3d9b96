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
        links::NULL | links::LOOP => data.get(4..).and_then(|ip| LaxSlicedPacket::from_ip(ip).ok()),
        link if links::RAW.contains(&link) => LaxSlicedPacket::from_ip(data).ok(),
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
