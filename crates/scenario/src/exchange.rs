//! How long one frame takes on each radio medium of a point, part by part, and what that allows at most.

use serde_json::{Value as Json, json};
use units::Span;
use wlan::{Exchange, Params, Phy, Rate};

use crate::decode::flows::Transport;
use crate::decode::plan::Plan;

/// A kind of packet: what it is and its bytes, IP header included.
pub(crate) struct Packet {
    pub(crate) what: &'static str,
    pub(crate) bytes: u32,
}

impl Plan {
    /// One object for each medium, data rate and kind of full packet: `medium`, `rate` (Mbps), `packet` ("data", "ACK")
    /// and its `bytes`, times in microseconds: `difs`, mean `backoff`, `rts`, `cts`, `data`, `sifs` (there are so many
    /// `spaces`), `ack`, the `exchange` and the `cycle` with what goes before it; `mbps` of packets that a lone
    /// station sends so.
    /// At rates of HT also as many packets together as may go: `together`, `together_cycle`, `together_mbps`.
    pub(crate) fn exchanges(&self) -> Json {
        let packets = self.packets();
        let mut found = Vec::new();
        for medium in self.topology.media() {
            for rate in medium.rates() {
                found.extend(packets.iter().map(|packet| one(&medium.name, medium.params(), rate, packet)));
            }
        }
        Json::from(found)
    }

    /// Full packets of data of each size, and ACKs.
    pub(crate) fn packets(&self) -> Vec<Packet> {
        let mut packets: Vec<Packet> = Vec::new();
        let mut add = |what, bytes| {
            if bytes > 0 && packets.iter().all(|packet| packet.bytes != bytes) {
                packets.push(Packet { what, bytes });
            }
        };
        let (network, _) = self.typical();
        for flow in &network.flows {
            add("data", flow.full_size());
        }
        if self.flows.iter().any(|group| matches!(group.transport, Transport::Tcp(_))) {
            let acks = network.flows.iter().filter_map(|flow| match &flow.transport {
                net::Transport::Tcp(tcp) => Some(tcp.rules.wire_header()),
                net::Transport::Udp(_) | net::Transport::Tfrc(_) => None,
            });
            acks.for_each(|bytes| add("ACK", bytes));
        }
        packets
    }
}

fn one(medium: &str, params: &Params, rate: Rate, packet: &Packet) -> Json {
    let us = |span: Span| span.0 as f64 / 1000.0;
    let bytes = packet.bytes;
    let exchange = Exchange::new(params, rate, bytes, false);
    let mbps = |packets: u32, cycle: Span| f64::from(packets * 8 * bytes) / us(cycle);
    let cycle = params.cycle(rate, bytes);
    let spaces = 1 + 2 * u8::from(exchange.rts_first) + u8::from(exchange.protected);
    let mut row = json!({
        "medium": medium, "rate": f64::from(rate.kbps) / 1000.0, "packet": packet.what, "bytes": bytes,
        "difs": us(params.difs), "backoff": us(params.mean_backoff()), "rts": us(exchange.rts), "cts": us(exchange.cts),
        "data": us(exchange.data), "sifs": us(params.sifs), "spaces": spaces, "ack": us(exchange.ack),
        "exchange": us(exchange.airtime(params.sifs)), "cycle": us(cycle), "mbps": mbps(1, cycle),
    });
    let most = params.ampdu.largest(params, rate, params.mpdu(bytes));
    if matches!(rate.phy, Phy::Ht(_)) && most > 1 {
        let cycle = params.ampdu_cycle(rate, bytes, most);
        row["together"] = json!(most);
        row["together_cycle"] = json!(us(cycle));
        row["together_mbps"] = json!(mbps(most, cycle));
    }
    row
}
