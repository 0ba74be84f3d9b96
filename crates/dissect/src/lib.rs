//! Captures of real networks, pcap and pcapng, as columns: one row for each TCP segment.
//!
//! ```text
//! bytes of a file -> frames (what was on the wire, when) -> headers (what TCP says) -> columns
//! ```
//!
//! Nothing here judges what a sequence of segments means. A broken or hostile file ends early or is refused; it never
//! panics.

mod frames;
mod headers;

use core::net::IpAddr;
use std::collections::BTreeMap;

use frames::Frame;
use headers::{Decoded, Header};

/// Flags of a segment, as in the header.
pub mod flags {
    /// No more data from the sender.
    pub const FIN: u8 = 0x01;
    /// First segment of a direction.
    pub const SYN: u8 = 0x02;
    /// The connection is reset.
    pub const RST: u8 = 0x04;
    /// The acknowledgment number counts.
    pub const ACK: u8 = 0x10;
}

/// Why a file is no capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotACapture;

/// One end of a connection.
pub type End = (IpAddr, u16);

/// A TCP connection: two ends, in the order of their first segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Who sent the first segment seen.
    pub first: End,
    /// The other end.
    pub second: End,
}

/// TCP segments in the order of the file, a column each.
#[derive(Clone, Debug, Default)]
pub struct Segments {
    /// When it was captured, ns since 1970.
    pub time_ns: Vec<i64>,
    /// Number of its connection.
    pub connection: Vec<i64>,
    /// 0 if it is from the connection's first end, 1 from the second.
    pub direction: Vec<i64>,
    /// Sequence number.
    pub seq: Vec<i64>,
    /// Acknowledgment number, 0 without the flag.
    pub ack: Vec<i64>,
    /// Bytes of data, those that were not captured included.
    pub payload: Vec<i64>,
    /// Bytes of the IP packet.
    pub packet: Vec<i64>,
    /// Flags, see [`flags`].
    pub flags: Vec<i64>,
    /// Window field, not scaled.
    pub window: Vec<i64>,
    /// Identification of IPv4, -1 of IPv6.
    pub ip_id: Vec<i64>,
    /// ECN bits of IP: 3 is a mark.
    pub ecn: Vec<i64>,
    /// The sender's timestamp, -1 if there is none.
    pub timestamp: Vec<i64>,
    /// The timestamp that it echoes, -1 if there is none.
    pub echo: Vec<i64>,
    /// Maximum segment size of a SYN, 0 if it says none.
    pub mss: Vec<i64>,
    /// SACK blocks: row of the segment, left and right edge.
    pub sack: [Vec<i64>; 3],
}

/// What was read of a file.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    /// The TCP segments.
    pub segments: Segments,
    /// Their connections.
    pub connections: Vec<Connection>,
    /// Packets of any kind.
    pub packets: u64,
    /// Packets that are no TCP.
    pub others: u64,
    /// Packets of which too little was captured to read the TCP header.
    pub short: u64,
    /// Parts of packets after the first, which have no TCP header.
    pub fragments: u64,
    /// Packets without a time.
    pub untimed: u64,
    /// Packets of a kind of link that is not known here, and the number of that kind.
    pub unknown_links: BTreeMap<i32, u64>,
    /// Packets that were not captured whole.
    pub truncated: u64,
    /// Packets that the capturing machine says it lost.
    pub missed: u64,
    /// Number of interfaces.
    pub interfaces: u64,
    /// The file ends in the middle of a packet.
    pub cut: bool,
    /// Something after the last packet that was read is no packet.
    pub broken: bool,
}

/// Read a file, given as its bytes.
///
/// # Errors
///
/// If it begins like no capture.
pub fn read(file: &[u8]) -> Result<Capture, NotACapture> {
    let mut capture = Capture::default();
    let mut known = BTreeMap::new();
    let end = frames::each(file, |frame| capture.add(&mut known, &frame))?;
    (capture.cut, capture.broken) = (end.cut, end.broken);
    (capture.missed, capture.untimed, capture.interfaces) = (end.missed, end.untimed, end.interfaces);
    Ok(capture)
}

impl Capture {
    fn add(&mut self, known: &mut BTreeMap<(End, End), usize>, frame: &Frame<'_>) {
        self.packets += 1;
        self.truncated += u64::from(frame.data.len() < frame.length as usize);
        match headers::decode(frame) {
            Decoded::Tcp(header) => {
                let ends = (header.from, header.to);
                let number = known.get(&ends).copied().unwrap_or_else(|| {
                    let number = self.connections.len();
                    known.extend([(ends, 2 * number), ((ends.1, ends.0), 2 * number + 1)]);
                    self.connections.push(Connection { first: ends.0, second: ends.1 });
                    2 * number
                });
                self.segments.push(frame.time_ns, number, &header);
            }
            Decoded::Other => self.others += 1,
            Decoded::Short => self.short += 1,
            Decoded::Fragment => self.fragments += 1,
            Decoded::UnknownLink => *self.unknown_links.entry(frame.link).or_default() += 1,
        }
    }
}

impl Segments {
    fn push(&mut self, time_ns: i64, number: usize, header: &Header) {
        let row = self.time_ns.len() as i64;
        for (left, right) in header.sack.iter().flatten() {
            self.sack[0].push(row);
            self.sack[1].push(i64::from(*left));
            self.sack[2].push(i64::from(*right));
        }
        self.time_ns.push(time_ns);
        self.connection.push((number / 2) as i64);
        self.direction.push((number % 2) as i64);
        self.seq.push(header.seq.into());
        self.ack.push(header.ack.into());
        self.payload.push(header.payload.into());
        self.packet.push(header.packet.into());
        self.flags.push(header.flags.into());
        self.window.push(header.window.into());
        self.ip_id.push(header.ip_id.map_or(-1, i64::from));
        self.ecn.push(header.ecn.into());
        self.timestamp.push(header.timestamps.map_or(-1, |(own, _)| own.into()));
        self.echo.push(header.timestamps.map_or(-1, |(_, echo)| echo.into()));
        self.mss.push(header.mss.into());
    }

    /// The columns that have a row for each segment, with their names: all but `sack`.
    pub fn columns(&self) -> [(&'static str, &[i64]); 14] {
        [
            ("time_ns", &self.time_ns),
            ("connection", &self.connection),
            ("direction", &self.direction),
            ("seq", &self.seq),
            ("ack", &self.ack),
            ("payload", &self.payload),
            ("packet", &self.packet),
            ("flags", &self.flags),
            ("window", &self.window),
            ("ip_id", &self.ip_id),
            ("ecn", &self.ecn),
            ("timestamp", &self.timestamp),
            ("echo", &self.echo),
            ("mss", &self.mss),
        ]
    }
}

#[cfg(test)]
mod tests;
