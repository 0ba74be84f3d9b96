//! What frames of base stations hold at which distance, what that allows at most, and who serves a mobile when.

use net::{CellularSpec, LossCause, MobileSpec, Modulation};
use serde_json::{Value as Json, json};
use units::{Time, num};

use crate::decode::cellular::mode_name;
use crate::decode::plan::Plan;

/// A distance from a base station, and what counts there.
struct Distance {
    metres: f64,
    snr_db: f64,
    /// Bytes of a symbol up to here; none: capacity falls with every metre.
    symbol_bytes: Option<u32>,
}

/// Shares of the radius at which a capacity is shown that falls with every metre.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// Frames in which the largest throughput is counted: pieces of packets repeat themselves within fewer, nearly.
const FRAMES: u32 = 100;

impl Plan {
    /// One object for the cells of mobiles: their `name`, how far they reach (`radius`, metres), `frame_ms`, and how
    /// many `base_stations` there are; `rates`, a row for each distance and size of full packets of data; `mobiles`,
    /// each with its `name` and how it is `served`, one after the other.
    ///
    /// A rate has `metres` and `snr_db`, the `modulation` that is had up to there (null: capacity falls with every
    /// metre), the `packet` (bytes with IP header), `down_bytes` and `up_bytes` of a whole frame, `down_mbps` and
    /// `up_mbps` of such packets for a mobile that is alone. A part of a mobile's way has `from_s`, `until_s`,
    /// the `station` or null, and then `why`.
    pub(crate) fn cells(&self) -> Json {
        let names = self.topology.nodes();
        let end = Time::ZERO + self.general.duration;
        let mut sizes: Vec<u32> = Vec::new();
        for packet in self.packets().iter().filter(|packet| packet.what == "data") {
            if !sizes.contains(&packet.bytes) {
                sizes.push(packet.bytes);
            }
        }
        let cells = |spec: CellularSpec| {
            let rates: Vec<Json> = distances(&spec)
                .iter()
                .flat_map(|distance| sizes.iter().map(|bytes| rate(&spec, distance, *bytes)))
                .collect();
            // server, router and base come before the mobiles
            let mobiles = spec.mobiles.iter().zip(names.iter().skip(3));
            let mobiles: Vec<Json> =
                mobiles.map(|(one, name)| json!({ "name": name, "served": served(&spec, one, end) })).collect();
            json!({
                "name": "air", "radius": spec.radius, "frame_ms": spec.frames.length.secs() * 1e3,
                "base_stations": spec.stations.len(), "rates": rates, "mobiles": mobiles,
            })
        };
        self.topology.cellular().into_iter().map(cells).collect()
    }
}

/// Distances at which capacity changes, or a few of them, within the radius and in rising order.
fn distances(spec: &CellularSpec) -> Vec<Distance> {
    let at_share = |share: f64| {
        let snr_db = spec.snr_edge - 10.0 * spec.path_exponent * num::ln(share) / std::f64::consts::LN_10;
        Distance { metres: share * spec.radius, snr_db, symbol_bytes: None }
    };
    let edge = |bytes: u32| Distance { symbol_bytes: Some(bytes), ..at_share(1.0) };
    let modes = match &spec.modulation {
        Modulation::Fixed(bytes) => return vec![edge(*bytes)],
        Modulation::Shannon { .. } => return SHARES.map(at_share).into(),
        Modulation::BySnr(modes) => modes,
    };
    let mut all: Vec<Distance> = Vec::new();
    for &(least, bytes) in modes.iter().rev() {
        let share = num::pow(10.0, (spec.snr_edge - least) / (10.0 * spec.path_exponent));
        if share >= 1.0 {
            all.push(edge(bytes));
            return all;
        }
        // nobody is nearer than 1 m
        if share * spec.radius >= 1.0 {
            all.push(Distance { metres: share * spec.radius, snr_db: least, symbol_bytes: Some(bytes) });
        }
    }
    all
}

fn rate(spec: &CellularSpec, distance: &Distance, packet: u32) -> Json {
    let (down, up) = (spec.frame_bytes(distance.snr_db, false), spec.frame_bytes(distance.snr_db, true));
    let mbps = |room: u32| {
        let bytes = carried(room, packet, spec.frames.piece_bytes);
        bytes as f64 * 8.0 / (f64::from(FRAMES) * spec.frames.length.secs()) / 1e6
    };
    json!({
        "metres": distance.metres, "snr_db": distance.snr_db,
        "modulation": distance.symbol_bytes.and_then(mode_name), "packet": packet,
        "down_bytes": down, "up_bytes": up, "down_mbps": mbps(down), "up_mbps": mbps(up),
    })
}

/// Bytes of packets in [`FRAMES`] full frames one after the other, each piece of a packet behind a header.
fn carried(room: u32, packet: u32, header: u32) -> u64 {
    let (mut sum, mut rest) = (0, packet);
    for _ in 0..FRAMES {
        let mut left = room;
        while left > header {
            let piece = rest.min(left - header);
            left -= header + piece;
            sum += u64::from(piece);
            rest = if piece == rest { packet } else { rest - piece };
        }
    }
    sum
}

/// The parts of a mobile's way until the end of the run.
fn served(spec: &CellularSpec, mobile: &MobileSpec, end: Time) -> Vec<Json> {
    let course = spec.course(&mobile.way, end);
    let until = course.serving.iter().skip(1).map(|next| next.0).chain([end]);
    let parts = course.serving.iter().zip(until).filter(|((since, _), _)| *since < end);
    parts
        .map(|(&(since, station), until)| {
            let hole = course.breaks.iter().find(|hole| hole.at == since && station.is_none());
            let why = hole.map(|hole| if hole.cause == LossCause::Coverage { "coverage" } else { "handover" });
            json!({
                "from_s": since.secs(), "until_s": until.min(end).secs(),
                "station": station.map(|number| format!("base/{number}")), "why": why,
            })
        })
        .collect()
}
