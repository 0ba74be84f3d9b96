//! Packets of a run as a capture file: the format pcapng, which Wireshark and its relatives open.
//!
//! The network keeps what its packets say in its own terms: whole segments by number, time in nanoseconds
//! ([`net::Captured`]). Here each becomes bytes: an IPv4 packet with a TCP or UDP header and all that belongs there,
//! written where and when it passed a point of the network.
//!
//! ```text
//! end       what the two ends of a flow are to a capture: addresses, first sequence numbers, what options they have
//! packet    the bytes of a packet
//! pcapng    the blocks of the file
//! ```
//!
//! What the network does not have, and a capture must: addresses (10.0.0.0/8 by the number of the node), ports (by the
//! number of the flow), initial sequence numbers (from the flow's name), options of a SYN (from the rules of the ends),
//! payload (zeros). A connection that opens without a handshake, as ns-2's one-way agents do, has no SYN here either.
#![forbid(unsafe_code)]

mod end;
mod packet;
mod pcapng;
#[cfg(test)]
mod tests;

use net::{CaptureSpec, Captured, Network, TapPoint};

use end::End;

/// How much of each packet is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Headers; the length of the rest is noted.
    Headers,
    /// Everything.
    All,
}

/// How large pieces become before they are handed out, bytes.
const PIECE: usize = 1 << 20;

/// The name of a point: `sender`, `receiver`, `before:LINK`, `after:LINK`.
pub fn point_name(network: &Network, point: TapPoint) -> String {
    match point {
        TapPoint::Senders => "sender".to_owned(),
        TapPoint::Receivers => "receiver".to_owned(),
        TapPoint::Link { link, far } => {
            format!("{}:{}", if far { "after" } else { "before" }, network.links[link].name)
        }
    }
}

fn about_point(network: &Network, point: TapPoint) -> String {
    match point {
        TapPoint::Senders => "at the hosts that open the flows".to_owned(),
        TapPoint::Receivers => "at the hosts that the flows go to".to_owned(),
        TapPoint::Link { link, far } => {
            let link = &network.links[link];
            let node = &network.nodes[if far { link.b } else { link.a }];
            format!(
                "at node {node}, on link {}: before what it sends is queued, after what it gets has come",
                link.name
            )
        }
    }
}

/// The capture as a file, piece by piece. `spec` is what was asked for, `about` stands at the head of the file.
pub fn pieces<'a>(
    network: &'a Network,
    spec: &CaptureSpec,
    captured: &'a Captured,
    keep: Keep,
    about: &str,
) -> impl Iterator<Item = Vec<u8>> + 'a {
    let ends = End::of(network);
    let mut piece = pcapng::section(about);
    for &point in &spec.points {
        pcapng::interface(&mut piece, &point_name(network, point), &about_point(network, point), keep);
    }
    let mut left = captured.passed.iter();
    let mut first = Some(piece);
    std::iter::from_fn(move || {
        let mut piece = first.take().unwrap_or_default();
        for passed in left.by_ref() {
            let sent = &captured.packets[passed.packet as usize];
            let bytes = packet::bytes(&ends, sent, passed, keep);
            let comment = sent.lost.map(|lost| pcapng::epitaph(network, &lost));
            pcapng::packet(&mut piece, passed, &bytes, comment.as_deref());
            if piece.len() >= PIECE {
                break;
            }
        }
        (!piece.is_empty()).then_some(piece)
    })
}
