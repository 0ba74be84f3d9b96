//! Nodes and what joins them.

use serde_json::{Map, Value, json};

use crate::Size;
use crate::draw::Draw;
use crate::links::{link, loss};
use crate::queues::queue;
use crate::radio::radio;

/// Every kind of topology.
pub(crate) const KINDS: &[&str] = &["dumbbell", "three-routers", "graph", "wlan", "chain", "cellular"];

/// A topology, and who can talk to whom.
pub(crate) struct Topology {
    pub(crate) table: Value,
    /// Nodes that flows may begin and end at.
    pub(crate) nodes: Vec<String>,
    /// Two patterns that match equally many nodes, all of them apart.
    pub(crate) patterns: Option<(&'static str, &'static str)>,
    /// Paths without a common link between any two of the nodes.
    pub(crate) paths: usize,
    /// Packets have classes.
    pub(crate) classes: bool,
}

/// Whether the rates are not ours to choose.
pub(crate) fn is_fast(kind: &str) -> bool {
    ["wlan", "chain", "cellular"].contains(&kind)
}

pub(crate) fn topology(draw: &mut Draw<'_>, kind: &str, size: Size, profile: &str) -> Topology {
    let mut topology = match kind {
        "dumbbell" | "three-routers" => row(draw, kind, size),
        "graph" => graph(draw, size, profile),
        "wlan" => wlan(draw, size, profile),
        "chain" => chain(draw, profile),
        _ => cellular(draw, size),
    };
    if draw.one_in(3) {
        topology.table["send_jitter"] = draw.value(&["auto", "0 s", "1 ms", "30 us"]);
    }
    topology
}

fn names(name: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{name}{number}")).collect()
}

/// Hosts on both sides of two or three routers.
fn row(draw: &mut Draw<'_>, kind: &str, size: Size) -> Topology {
    let pairs = draw.within(1, 4);
    let mut table = json!({ "kind": kind, "pairs": pairs, "access": link(draw, size, (1e6, 1e9)) });
    for side in ["left", "right"] {
        if draw.one_in(4) {
            table[side] = json!({ "delay": draw.time(0.0001, 0.05), "reorder": draw.one_in(2) });
        }
    }
    let shared: &[&str] = if kind == "dumbbell" { &["bottleneck"] } else { &["first", "second"] };
    for name in shared {
        table[*name] = link(draw, size, (2e4, size.rate)).into();
    }
    let nodes = [names("left/", pairs), names("right/", pairs)].concat();
    Topology { table, nodes, patterns: Some(("left/*", "right/*")), paths: 1, classes: false }
}

/// A ring of nodes, or a row of them, perhaps with links across, and perhaps with a cell at one of them.
fn graph(draw: &mut Draw<'_>, size: Size, profile: &str) -> Topology {
    let count = draw.within(3, 6);
    let mut nodes = names("n", count);
    let ring = draw.one_in(2);
    let mut links: Vec<Value> = Vec::new();
    let mut join = |draw: &mut Draw<'_>, name: String, from: &str, to: &str| {
        let mut one = link(draw, size, (1e5, size.rate));
        one.insert("name".to_owned(), name.into());
        one.insert("from".to_owned(), from.into());
        one.insert("to".to_owned(), to.into());
        links.push(one.into());
    };
    for at in 1..count {
        join(draw, format!("link/{at}"), &nodes[at - 1], &nodes[at]);
    }
    if ring {
        join(draw, "back".to_owned(), &nodes[count - 1], &nodes[0]);
    }
    if draw.one_in(4) {
        join(draw, "across".to_owned(), &nodes[0], &nodes[2]);
    }
    let mut table = json!({ "kind": "graph", "links": links });
    let (mut paths, mut classes) = (if ring { 2 } else { 1 }, false);
    if draw.one_in(4) {
        let stations = [names("s", draw.within(1, 3)), vec![nodes[0].clone()]].concat();
        let (mut medium, edca) = radio(draw, profile, &stations);
        classes = edca;
        medium.insert("name".to_owned(), "air".into());
        medium.insert("stations".to_owned(), json!(stations));
        if draw.one_in(2) {
            medium.insert("access_points".to_owned(), json!([nodes[0]]));
        }
        medium.insert("positions".to_owned(), positions(draw, stations.len(), 8.0));
        if draw.one_in(3) && !medium.contains_key("hears") {
            medium.insert("moves".to_owned(), json!({ &stations[0]: way(draw, size, 8.0) }));
        }
        table["media"] = json!([medium]);
        nodes.extend(stations[..stations.len() - 1].iter().cloned());
        paths = 1;
    }
    if draw.one_in(4) {
        table["nodes"] = json!(nodes);
    }
    Topology { table, nodes, patterns: None, paths, classes }
}

fn metres(draw: &mut Draw<'_>, most: f64) -> String {
    let metres = draw.scaled(most / 100.0, most);
    if draw.one_in(2) { format!("-{metres} m") } else { format!("{metres} m") }
}

fn positions(draw: &mut Draw<'_>, count: usize, most: f64) -> Value {
    (0..count).map(|_| json!([metres(draw, most), metres(draw, most)])).collect()
}

/// A way that begins within so many metres and leads further at times.
fn way(draw: &mut Draw<'_>, size: Size, near: f64) -> Value {
    let far = format!("{} m", draw.scaled(near, 100.0 * near));
    let from = metres(draw, near);
    let speed = format!("{} m/s", draw.scaled(0.1, 10.0 * near / size.seconds));
    match draw.below(4) {
        0 => json!({ "from": from, "to": far, "speed": speed }),
        1 => json!({ "line": { "from": [from, "0 m"], "velocity": speed } }),
        2 => json!({ "fixed": [from, "1 m"] }),
        _ => {
            let middle = draw.time(size.seconds / 20.0, size.seconds / 2.0);
            let end = format!("{} s", size.seconds);
            json!({ "waypoints": [["0 s", from, "0 m"], [middle, far, "0 m"], [end, from, from]] })
        }
    }
}

/// Metres at which each set decodes its fastest rate.
const NEAR: f64 = 8.0;

/// Stations and access points.
fn wlan(draw: &mut Draw<'_>, size: Size, profile: &str) -> Topology {
    let (stations, aps, hosts) = (draw.within(1, 5), draw.pick(&[1, 1, 1, 2]), draw.within(0, 2));
    let all = [names("station/", stations), names("ap/", aps)].concat();
    let (radio, classes) = radio(draw, profile, &all);
    let placed = radio.get("hears").is_none();
    let mut table = json!({ "kind": "wlan", "stations": stations, "access_points": aps, "hosts": hosts });
    let near = NEAR;
    match draw.below(4) {
        0 if placed => table["positions"] = positions(draw, stations, near),
        _ if placed => {
            table["placing"] = match draw.below(3) {
                0 => json!({ "kind": "circle", "radius": format!("{} m", draw.scaled(1.0, near)) }),
                1 => {
                    let radius = format!("{} m", draw.scaled(1.0, near));
                    json!({ "kind": "disc", "radius": radius, "seed": draw.below(100) })
                }
                _ => json!({ "kind": "line", "spacing": format!("{} m", draw.scaled(0.1, near / 5.0)) }),
            }
        }
        _ => {}
    }
    if placed && (aps > 1 || draw.one_in(4)) {
        table["ap_positions"] = positions(draw, aps, 1.0);
    }
    if placed && draw.one_in(3) {
        table["moves"] = json!({ "station/0": way(draw, size, near) });
    }
    table["radio"] = radio.into();
    if hosts > 0 || aps > 1 {
        table["backbone"] = link(draw, size, (1e7, 1e9)).into();
        if hosts > 1 || (hosts > 0 && aps > 1) {
            table["access"] = link(draw, size, (1e7, 1e9)).into();
        }
    }
    let nodes = [names("station/", stations), names("wired/", hosts)].concat();
    if nodes.len() == 1 {
        // nobody else to talk to
        return Topology {
            table,
            nodes: vec!["station/0".to_owned(), "ap/0".to_owned()],
            patterns: None,
            paths: 1,
            classes,
        };
    }
    let patterns = (stations == hosts).then_some(("station/*", "wired/*"));
    Topology { table, nodes, patterns, paths: 1, classes }
}

/// Stations on a line.
fn chain(draw: &mut Draw<'_>, profile: &str) -> Topology {
    let count = draw.within(2, 6);
    let names = names("n", count);
    let (mut radio, classes) = radio(draw, profile, &names);
    radio.remove("hears");
    let by_chance = radio.get("reception").is_some_and(|word| word == "snr");
    let spacing = draw.scaled(1.0, if by_chance { NEAR } else { 300.0 });
    if by_chance && draw.one_in(2) {
        radio.insert("rx_threshold".to_owned(), "-100 dBm".into());
        radio.insert("cs_threshold".to_owned(), "-95 dBm".into());
    } else if by_chance {
        radio.insert("receive_range".to_owned(), "400 m".into());
    } else {
        // each decodes the next one or two, and senses a few more
        let decoded = spacing * draw.scaled(1.1, 2.5);
        radio.insert("receive_range".to_owned(), format!("{decoded} m").into());
        radio.insert("sense_range".to_owned(), format!("{} m", decoded * draw.scaled(1.01, 3.0)).into());
    }
    let mut table = json!({ "kind": "chain", "nodes": count, "spacing": format!("{spacing} m"), "radio": radio });
    if draw.one_in(4) {
        let from = format!("{} m", spacing * (count - 1) as f64);
        table["moves"] = json!({ &names[count - 1]: { "from": from, "to": "1 km", "speed": "30 m/s" } });
    }
    Topology { table, nodes: names, patterns: None, paths: 1, classes }
}

/// Base stations and mobiles.
fn cellular(draw: &mut Draw<'_>, size: Size) -> Topology {
    let preset = draw.pick(&["wimax", "rana", "lte-like"]);
    let (stations, mobiles) = (draw.within(1, 3), draw.within(1, 3));
    let far = 400.0;
    let places: Vec<Value> = (0..stations)
        .map(|at| {
            let place = format!("{} m", far * at as f64);
            match draw.below(3) {
                0 => json!(place),
                1 => json!([place, "20 m"]),
                _ => json!({ "at": place, "delay": draw.time(0.0001, 0.01) }),
            }
        })
        .collect();
    let mut table = json!({ "kind": "cellular", "preset": preset, "stations": places });
    if mobiles == 1 && draw.one_in(2) {
        let speed = format!("{} m/s", draw.scaled(1.0, 3.0 * far / size.seconds));
        table["mobile"] = json!({ "from": "10 m", "to": "1500 m", "speed": speed });
    } else {
        table["mobiles"] = (0..mobiles).map(|_| way(draw, size, 200.0)).collect();
    }
    table["backbone"] = link(draw, size, (1e6, 1e8)).into();
    if draw.one_in(3) {
        table["router"] = link(draw, size, (1e6, 1e8)).into();
    }
    cells(draw, preset, &mut table);
    let mut nodes = names("mobile/", mobiles);
    nodes.push("server".to_owned());
    Topology { table, nodes, patterns: None, paths: 1, classes: false }
}

/// What base stations can have beside their places.
fn cells(draw: &mut Draw<'_>, preset: &str, table: &mut Value) {
    if draw.one_in(2) {
        let mut handover = Map::new();
        let choices: &[(&str, &[&str])] = &[
            ("measure_every", &["100 ms", "7 ms"]),
            ("ho_threshold", &["off", "20 dB"]),
            ("hysteresis", &["3 dB", "0 dB"]),
            ("time_to_trigger", &["160 ms", "0 s"]),
            ("warn", &["50 ms", "0 s"]),
            ("break", &["50 ms", "300 ms", "0 s"]),
        ];
        for (key, values) in choices {
            if draw.one_in(2) {
                handover.insert((*key).to_owned(), draw.value(values));
            }
        }
        let kept = draw.one_in(2);
        handover.insert("queue_at_old".to_owned(), if kept { "forwarded" } else { "lost" }.into());
        if kept && draw.one_in(2) {
            handover.insert("forward_delay".to_owned(), draw.time(0.001, 0.05).into());
        }
        table["handover"] = handover.into();
    }
    if draw.one_in(4) {
        table["radius"] = draw.value(&["500 m", "150 m", "2 km"]);
        table["path_exponent"] = draw.value(&["3.5", "2"]);
        table["snr_edge"] = draw.value(&["6 dB", "0 dB"]);
    }
    let lte = preset == "lte-like";
    match (lte, draw.below(4)) {
        (true, 0) => table["bandwidth"] = draw.value(&["10 MHz", "1.4 MHz"]),
        (true, 1) => {
            table["frame"] =
                json!({ "length": draw.value(&["1 ms", "10 ms"]), "share": draw.value(&["bytes", "time"]) })
        }
        (false, 0) => {
            table["modulation"] =
                draw.value(&["by-snr", "bpsk12", "qpsk12", "qpsk34", "16qam12", "16qam34", "64qam23", "64qam34"])
        }
        (false, 1) => {
            table["frame"] =
                json!({ "length": "10 ms", "share": "time", "symbol": "40 us", "down": draw.within(20, 120), "up": 45 })
        }
        _ => {}
    }
    if draw.one_in(2) {
        let mut radio = json!({ "queue": queue(draw) });
        if draw.one_in(2) {
            radio["loss"] = loss(draw, true);
        }
        table["radio"] = radio;
    }
}
