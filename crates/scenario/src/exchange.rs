//! How long one frame takes on each radio medium of a point, part by part, and what that allows at most.

use serde_json::{Value as Json, json};
use units::Span;
use wlan::{Class, Exchange, Params, Phy, Rate, Terms};

use crate::decode::flows::Transport;
use crate::decode::plan::Plan;
use crate::decode::radio::Medium;
use crate::decode::radio::edca::CLASSES;

/// A kind of packet: what it is, its bytes, IP header included, and the class of its flow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packet {
    pub(crate) what: &'static str,
    pub(crate) bytes: u32,
    class: Class,
}

/// Who sends it, where that makes a difference, and what such a sender waits for.
struct Sender {
    role: Option<&'static str>,
    terms: Terms,
}

impl Plan {
    /// One object for each medium, data rate and kind of full packet: `medium`, `rate` (Mbps), `packet` ("data", "ACK")
    /// and its `bytes`; with EDCA its `class`, and its `sender` where access points wait otherwise than stations. Times
    /// in microseconds: `ifs` (DIFS, or AIFS of the class), mean `backoff`, `rts`, `cts`, `data`, `sifs` (there are so
    /// many `spaces`), `ack`, the `exchange`, `txop` of the class (0: one exchange), and the `cycle` from one access to
    /// the next, with so many `packets` in it; `mbps` of packets that a lone station sends so.
    /// At rates of HT also as many packets together as may go: `together` in an access, in so many `ampdus`,
    /// `together_cycle`, `together_mbps`.
    pub(crate) fn exchanges(&self) -> Json {
        let all = self.packets();
        let mut found = Vec::new();
        for medium in self.topology.media() {
            let params = medium.params();
            let mut packets: Vec<Packet> = Vec::new();
            for packet in &all {
                let class = if params.edca { packet.class } else { Class::BestEffort };
                let packet = Packet { class, ..*packet };
                if !packets.contains(&packet) {
                    packets.push(packet);
                }
            }
            for rate in medium.rates() {
                for packet in &packets {
                    found.extend(senders(medium, rate, packet.class).map(|sender| one(medium, rate, packet, &sender)));
                }
            }
        }
        Json::from(found)
    }

    /// Full packets of data of each size and class, and ACKs.
    pub(crate) fn packets(&self) -> Vec<Packet> {
        let mut packets: Vec<Packet> = Vec::new();
        let mut add = |what, bytes, class| {
            let is_known = |packet: &Packet| (packet.bytes, packet.class) == (bytes, class);
            if bytes > 0 && !packets.iter().any(is_known) {
                packets.push(Packet { what, bytes, class });
            }
        };
        let (network, _) = self.typical();
        for flow in &network.flows {
            add("data", flow.full_size(), flow.class);
        }
        if self.flows.iter().any(|group| matches!(group.transport, Transport::Tcp(_))) {
            let acks = network.flows.iter().filter_map(|flow| match &flow.transport {
                net::Transport::Tcp(tcp) => Some((tcp.rules.wire_header(), flow.class)),
                net::Transport::Udp(_) | net::Transport::Tfrc(_) => None,
            });
            acks.for_each(|(bytes, class)| add("ACK", bytes, class));
        }
        packets
    }
}

/// Stations with this rate of their own; access points by themselves, where they wait otherwise.
fn senders(medium: &Medium, rate: Rate, class: Class) -> impl Iterator<Item = Sender> + use<> {
    let of = |access_point| medium.params().terms(rate, class, access_point);
    let (station, access_point) = (of(false), of(true));
    let differ = station != access_point && !medium.access_points.is_empty();
    let role = |role| if differ { Some(role) } else { None };
    let first = Sender { role: role("station"), terms: station };
    [first].into_iter().chain(role("access-point").map(|name| Sender { role: Some(name), terms: access_point }))
}

fn one(medium: &Medium, rate: Rate, packet: &Packet, sender: &Sender) -> Json {
    let us = |span: Span| span.0 as f64 / 1000.0;
    let (params, bytes, terms): (&Params, _, _) = (medium.params(), packet.bytes, &sender.terms);
    let exchange = Exchange::new(params, rate, bytes, false);
    let mbps = |cycle: wlan::Cycle| f64::from(cycle.packets * 8 * bytes) / us(cycle.span);
    let cycle = params.cycle(terms, rate, bytes);
    let spaces = 1 + 2 * u8::from(exchange.rts_first) + u8::from(exchange.protected);
    let class = CLASSES.iter().find(|(_, class)| params.edca && *class == packet.class).map(|(word, _)| *word);
    let mut row = json!({
        "medium": medium.name, "rate": f64::from(rate.kbps) / 1000.0, "packet": packet.what, "bytes": bytes,
        "class": class, "sender": sender.role,
        "ifs": us(terms.ifs), "backoff": us(params.mean_backoff(terms.cw_min)), "rts": us(exchange.rts),
        "cts": us(exchange.cts), "data": us(exchange.data), "sifs": us(params.sifs), "spaces": spaces,
        "ack": us(exchange.ack), "exchange": us(exchange.airtime(params.sifs)), "txop": us(terms.txop),
        "packets": cycle.packets, "cycle": us(cycle.span), "mbps": mbps(cycle),
    });
    let together = params.ampdu_cycle(terms, rate, bytes);
    if matches!(rate.phy, Phy::Ht(_)) && together.packets > together.exchanges {
        row["together"] = json!(together.packets);
        row["ampdus"] = json!(together.exchanges);
        row["together_cycle"] = json!(us(together.span));
        row["together_mbps"] = json!(mbps(together));
    }
    row
}
