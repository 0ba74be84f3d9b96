//! A file as frames: what was captured, how long it was, when, and on what kind of link.

use pcap_parser::nom::Err as Stop;
use pcap_parser::pcapng::Block;
use pcap_parser::traits::PcapNGPacketBlock;
use pcap_parser::{LegacyPcapBlock, PcapHeader, PcapNGSlice};
use pcap_parser::{parse_pcap_frame, parse_pcap_frame_be, parse_pcap_frame_modified, parse_pcap_header};

use crate::NotACapture;

/// A captured packet.
pub(crate) struct Frame<'a> {
    /// ns since 1970.
    pub time_ns: i64,
    /// Kind of the link, as tcpdump numbers them.
    pub link: i32,
    /// Bytes that it had on the wire.
    pub length: u32,
    /// What was captured of it.
    pub data: &'a [u8],
}

/// How a file ended, and what it says beside the packets.
#[derive(Default)]
pub(crate) struct End {
    pub cut: bool,
    pub broken: bool,
    pub missed: u64,
    pub untimed: u64,
    pub interfaces: u64,
}

impl End {
    /// Note why nothing more could be read.
    fn stopped<E>(&mut self, stop: &Stop<E>) {
        if let Stop::Incomplete(_) = stop { self.cut = true } else { self.broken = true }
    }
}

/// First bytes of a section header of pcapng, the same in both byte orders.
const PCAPNG: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// Call `take` with each frame of a file.
pub(crate) fn each<'a>(file: &'a [u8], take: impl FnMut(Frame<'a>)) -> Result<End, NotACapture> {
    if file.starts_with(&PCAPNG) { pcapng(file, take) } else { pcap(file, take) }
}

fn pcap<'a>(file: &'a [u8], mut take: impl FnMut(Frame<'a>)) -> Result<End, NotACapture> {
    let (mut rest, header) = parse_pcap_header(file).map_err(|_| NotACapture)?;
    let parse = if header.is_modified_format() {
        parse_pcap_frame_modified
    } else if header.is_bigendian() {
        parse_pcap_frame_be
    } else {
        parse_pcap_frame
    };
    let mut end = End { interfaces: 1, ..End::default() };
    while !rest.is_empty() {
        match parse(rest) {
            Ok((after, block)) => {
                rest = after;
                take(legacy(&header, &block));
            }
            Err(stop) => {
                end.stopped(&stop);
                break;
            }
        }
    }
    Ok(end)
}

fn legacy<'a>(header: &PcapHeader, block: &LegacyPcapBlock<'a>) -> Frame<'a> {
    let unit = if header.is_nanosecond_precision() { 1 } else { 1000 };
    Frame {
        time_ns: i64::from(block.ts_sec) * 1_000_000_000 + i64::from(block.ts_usec) * unit,
        // The upper bits say whether frames end with a checksum.
        link: header.network.0 & 0xffff,
        length: block.origlen.max(block.caplen),
        data: block.data,
    }
}

/// An interface of a section: kind of its link, units of its clock per second, and seconds that count as zero.
struct Interface {
    link: i32,
    units: u64,
    offset: i64,
}

fn pcapng<'a>(file: &'a [u8], mut take: impl FnMut(Frame<'a>)) -> Result<End, NotACapture> {
    let blocks = PcapNGSlice::from_slice(file).map_err(|_| NotACapture)?;
    let mut interfaces: Vec<Interface> = Vec::new();
    let mut end = End::default();
    for block in blocks {
        match block {
            Ok(pcap_parser::PcapBlockOwned::NG(block)) => match block {
                Block::SectionHeader(_) => interfaces.clear(),
                Block::InterfaceDescription(one) => {
                    end.interfaces += 1;
                    let units = one.ts_resolution().filter(|units| *units > 0).unwrap_or(1_000_000);
                    interfaces.push(Interface { link: one.linktype.0, units, offset: one.if_tsoffset });
                }
                Block::EnhancedPacket(packet) => {
                    let Some(interface) = interfaces.get(packet.if_id as usize) else {
                        end.broken = true;
                        break;
                    };
                    let ticks = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
                    let captured = (packet.caplen as usize).min(packet.data.len());
                    take(Frame {
                        time_ns: nanoseconds(ticks, interface),
                        link: interface.link,
                        length: packet.origlen.max(captured as u32),
                        data: &packet.data[..captured],
                    });
                }
                Block::SimplePacket(packet) => end.untimed += u64::from(packet.orig_len() > 0),
                Block::InterfaceStatistics(one) => {
                    end.missed = end.missed.saturating_add(one.isb_ifdrop().and_then(Result::ok).unwrap_or(0));
                }
                _ => {}
            },
            Ok(_) => {}
            Err(stop) => {
                end.stopped(&stop);
                break;
            }
        }
    }
    Ok(end)
}

fn nanoseconds(ticks: u64, interface: &Interface) -> i64 {
    let seconds = i128::from(ticks / interface.units) + i128::from(interface.offset);
    let part = u128::from(ticks % interface.units) * 1_000_000_000 / u128::from(interface.units);
    i64::try_from(seconds * 1_000_000_000 + part as i128).unwrap_or(i64::MAX)
}
