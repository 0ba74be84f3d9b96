//! Blocks of a pcapng file, little-endian (draft-ietf-opsawg-pcapng). Of the format three kinds of block are needed,
//! and they fit on a screen; the crates that write it bring a framework for asynchronous input, or other versions of
//! crates that we have already.

use net::{LostPacket, Network, Passed};

use crate::Keep;
use crate::packet::Bytes;

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// Packets begin with the IP header.
const LINKTYPE_RAW: u16 = 101;
/// Largest IPv4 and TCP headers, and largest packet, bytes.
const HEADERS: u32 = 80;
const PACKETS: u32 = 65_535;

const END_OF_OPTIONS: u16 = 0;
const COMMENT: u16 = 1;
const NAME: u16 = 2;
const DESCRIPTION: u16 = 3;
const APPLICATION: u16 = 4;
const PACKET_ID: u16 = 5;
const TIME_RESOLUTION: u16 = 9;
/// A power of ten, negated.
const NANOSECONDS: u8 = 9;

/// A block is framed by its length.
fn block(file: &mut Vec<u8>, kind: u32, body: impl FnOnce(&mut Vec<u8>)) {
    let start = file.len();
    file.extend(kind.to_le_bytes());
    file.extend([0; 4]);
    body(file);
    let length = (file.len() - start + 4) as u32;
    file[start + 4..start + 8].copy_from_slice(&length.to_le_bytes());
    file.extend(length.to_le_bytes());
}

/// Up to the next 32 bits.
fn pad(file: &mut Vec<u8>, length: usize) {
    file.extend(&[0; 3][..length.wrapping_neg() % 4]);
}

fn option(file: &mut Vec<u8>, code: u16, value: &[u8]) {
    let value = &value[..value.len().min(usize::from(u16::MAX))];
    file.extend(code.to_le_bytes());
    file.extend((value.len() as u16).to_le_bytes());
    file.extend(value);
    pad(file, value.len());
}

/// The head of a file, which says what it is of.
pub(crate) fn section(about: &str) -> Vec<u8> {
    let mut file = Vec::new();
    block(&mut file, SECTION, |file| {
        file.extend(BYTE_ORDER.to_le_bytes());
        file.extend(1u16.to_le_bytes());
        file.extend(0u16.to_le_bytes());
        file.extend((-1i64).to_le_bytes()); // its length is not said
        option(file, COMMENT, about.as_bytes());
        option(file, APPLICATION, concat!("Windlass ", env!("CARGO_PKG_VERSION")).as_bytes());
        option(file, END_OF_OPTIONS, &[]);
    });
    file
}

/// A point.
pub(crate) fn interface(file: &mut Vec<u8>, name: &str, about: &str, keep: Keep) {
    block(file, INTERFACE, |file| {
        file.extend(LINKTYPE_RAW.to_le_bytes());
        file.extend(0u16.to_le_bytes());
        file.extend(if keep == Keep::Headers { HEADERS } else { PACKETS }.to_le_bytes());
        option(file, NAME, name.as_bytes());
        option(file, DESCRIPTION, about.as_bytes());
        option(file, TIME_RESOLUTION, &[NANOSECONDS]);
        option(file, END_OF_OPTIONS, &[]);
    });
}

/// A packet at a point, with the same number at each.
pub(crate) fn packet(file: &mut Vec<u8>, passed: &Passed, bytes: &Bytes, comment: Option<&str>) {
    block(file, PACKET, |file| {
        file.extend(u32::from(passed.point).to_le_bytes());
        file.extend(((passed.at.0 >> 32) as u32).to_le_bytes());
        file.extend((passed.at.0 as u32).to_le_bytes());
        file.extend((bytes.kept.len() as u32).to_le_bytes());
        file.extend(bytes.length.to_le_bytes());
        file.extend(&bytes.kept);
        pad(file, bytes.kept.len());
        if let Some(comment) = comment {
            option(file, COMMENT, comment.as_bytes());
        }
        option(file, PACKET_ID, &u64::from(passed.packet).to_le_bytes());
        option(file, END_OF_OPTIONS, &[]);
    });
}

/// What is said of a packet that was lost.
pub(crate) fn epitaph(network: &Network, lost: &LostPacket) -> String {
    let (whole, part) = (lost.at.0 / 1_000_000_000, lost.at.0 % 1_000_000_000);
    let direction = if lost.reverse { ", reverse" } else { "" };
    let (link, cause) = (&network.links[lost.link].name, lost.cause.about());
    format!("dropped at {whole}.{part:09} s on link {link}{direction}: {} ({})", cause.name, cause.label)
}
