//! Groups of flows of every transport.

use cc::registry::{Kind, Row, find};
use serde_json::{Map, Value, json};

use crate::Size;
use crate::draw::Draw;
use crate::rules;
use crate::topology::Topology;

/// Whether what stands under `algorithm` is of a connection.
pub(crate) fn has_window(algorithm: &Value) -> bool {
    row(algorithm).rate.is_none()
}

fn row(algorithm: &Value) -> &'static Row {
    let name = algorithm.get("name").unwrap_or(algorithm).as_str().expect("an algorithm has a name");
    find(name).expect("the name is out of the registry")
}

/// Groups of flows, and the rules that they share.
pub(crate) fn flows(
    draw: &mut Draw<'_>,
    topology: &Topology,
    size: Size,
    profile: &str,
) -> (Vec<Map<String, Value>>, Map<String, Value>) {
    let count = draw.within(1, 4);
    let groups = (0..count).map(|number| group(draw, number, topology, size, profile)).collect();
    let shared = if draw.one_in(4) { rules::rules(draw) } else { Map::new() };
    (groups, shared)
}

fn group(draw: &mut Draw<'_>, number: usize, topology: &Topology, size: Size, profile: &str) -> Map<String, Value> {
    let mut flow = Map::new();
    flow.insert("name".to_owned(), format!("g{number}").into());
    ends(draw, topology, &mut flow);
    times(draw, size, &mut flow);
    match draw.below(8) {
        0 | 1 => udp(draw, size, profile, &mut flow),
        2 => tfrc(draw, &mut flow),
        _ => tcp(draw, topology, size, &mut flow),
    }
    if draw.is_salted() && flow.get("start").and_then(Value::as_str).is_none_or(|start| start.starts_with("every")) {
        let odd = draw.odd() + 1_234_567 * number as u64;
        flow.insert("start".to_owned(), format!("{odd} ns").into());
    }
    if topology.classes && draw.one_in(2) {
        flow.insert("class".to_owned(), draw.value(&["voice", "video", "best-effort", "background"]));
    }
    flow
}

fn ends(draw: &mut Draw<'_>, topology: &Topology, flow: &mut Map<String, Value>) {
    let (from, to) = match topology.patterns {
        Some((from, to)) if draw.one_in(3) => (from.to_owned(), to.to_owned()),
        _ => {
            // the last one is behind what the topology is about, as seen from the first
            let nodes = &topology.nodes;
            let from = draw.below(nodes.len());
            let to = (from + nodes.len() - 1 - draw.below(nodes.len() - 1)) % nodes.len();
            (nodes[from].clone(), nodes[to].clone())
        }
    };
    let (from, to) = if draw.one_in(2) { (to, from) } else { (from, to) };
    flow.insert("from".to_owned(), from.into());
    flow.insert("to".to_owned(), to.into());
}

/// When a group starts and stops; several flows of it, or flows that arrive at random.
fn times(draw: &mut Draw<'_>, size: Size, flow: &mut Map<String, Value>) {
    let mut put = |key: &str, value: Value| flow.insert(key.to_owned(), value);
    let part = size.seconds / 10.0;
    match draw.below(6) {
        0 => {}
        1 => {
            put("start", draw.time(part / 10.0, 4.0 * part).into());
        }
        2 => {
            let (from, to) = (draw.time(part / 10.0, part), draw.time(1.5 * part, 4.0 * part));
            put("start", format!("uniform({from}, {to})").into());
        }
        3 => {
            put(
                "start",
                draw.value(&[
                    "exponential(50 ms)",
                    "normal(60 ms, 20 ms)",
                    "lognormal(40 ms, 90 ms)",
                    "pareto(30 ms, 1.4)",
                ]),
            );
        }
        4 => {
            put("start", format!("every({})", draw.time(0.0005, part / 9.0)).into());
        }
        _ => {}
    }
    if draw.one_in(3) {
        put("count", json!(draw.within(1, 3)));
    }
    if draw.one_in(5) {
        put("stop", draw.time(6.0 * part, 9.0 * part).into());
    }
}

fn udp(draw: &mut Draw<'_>, size: Size, profile: &str, flow: &mut Map<String, Value>) {
    flow.insert("transport".to_owned(), "udp".into());
    let kind = draw.pick(&["cbr", "on-off", "poisson"]);
    // not many more packets than a link of that rate takes
    let packet = draw.count(40, 3000);
    let rate = draw.rate(2e4, (size.rate * 2.0).min(4e7)).to_owned();
    let packet = if packet < 300 { packet + 260 } else { packet };
    let mut traffic = json!({ "kind": kind, "rate": rate, "packet": format!("{packet} B") });
    if draw.one_in(3) {
        traffic["header"] = draw.value(if profile == "ns2" { &["0 B", "28 B"] } else { &["28 B", "1 B"] });
    }
    match kind {
        "cbr" if draw.one_in(2) => traffic["random"] = json!(true),
        "on-off" => {
            traffic["on"] = draw.time(0.001, 0.5).into();
            traffic["off"] = draw.time(0.001, 0.5).into();
            match draw.below(3) {
                0 => {}
                1 => traffic["distribution"] = "exponential".into(),
                _ => {
                    traffic["distribution"] = "pareto".into();
                    traffic["shape"] = draw.value(&["1.5", "1.1", "3"]);
                }
            }
        }
        _ => {}
    }
    flow.insert("traffic".to_owned(), traffic);
}

fn tfrc(draw: &mut Draw<'_>, flow: &mut Map<String, Value>) {
    let rows: Vec<&Row> = cc::registry::ALGORITHMS.iter().filter(|row| row.rate.is_some()).collect();
    flow.insert("algorithm".to_owned(), algorithm(draw, &rows));
    if draw.one_in(3) {
        flow.insert("transport".to_owned(), "tfrc".into());
    }
    if draw.one_in(3) {
        flow.insert("segment".to_owned(), format!("{} B", draw.count(100, 2000)).into());
    }
    if draw.one_in(3) {
        flow.insert("header".to_owned(), draw.value(&["40 B", "0 B"]));
    }
}

fn tcp(draw: &mut Draw<'_>, topology: &Topology, size: Size, flow: &mut Map<String, Value>) {
    let rows: Vec<&Row> = cc::registry::windowed().collect();
    let chosen = algorithm(draw, &rows);
    let row = row(&chosen);
    flow.insert("algorithm".to_owned(), chosen);
    let mut put = |key: &str, value: Value| flow.insert(key.to_owned(), value);
    if draw.one_in(8) {
        put("transport", "tcp".into());
    }
    if draw.one_in(4) {
        put("segment", format!("{} B", draw.count(200, 3000)).into());
    }
    let ends = draw.one_in(3);
    if ends {
        put(
            "size",
            draw.value(&[
                "1 B",
                "20 kB",
                "1 MB",
                "exponential(20 kB)",
                "pareto(12 kB, 1.2)",
                "lognormal(20 kB, 50 kB)",
                "normal(9 kB, 5 kB)",
                "uniform(1 B, 40 kB)",
            ]),
        );
    }
    match draw.below(6) {
        0 => {
            put("direction", "both".into());
            if draw.one_in(2) {
                put("reverse_start", draw.time(size.seconds / 100.0, size.seconds / 2.0).into());
            }
        }
        1 => {
            let paths = json!(draw.within(1, topology.paths));
            let (buffer, coupled) = (format!("{} segments", draw.count(4, 400)), row.couples && draw.one_in(2));
            let table = json!({ "paths": paths, "buffer": buffer, "coupled": coupled });
            put("multipath", if draw.one_in(2) { table } else { paths });
        }
        2 if ends => arrivals(draw, size, flow),
        _ => {}
    }
    if draw.one_in(2) {
        let own = rules::of_group(draw, row);
        flow.insert("tcp".to_owned(), own.into());
    }
}

/// Flows that arrive: some ten of them, from a time that is known.
fn arrivals(draw: &mut Draw<'_>, size: Size, flow: &mut Map<String, Value>) {
    let rate = draw.scaled(1.0, 20.0) / size.seconds;
    let text = if draw.one_in(2) { format!("{rate} /s") } else { format!("poisson({rate} per s)") };
    flow.insert("arrivals".to_owned(), text.into());
    flow.remove("count");
    flow.remove("start");
}

/// One of these, perhaps with one of its parameters somewhere in its range.
fn algorithm(draw: &mut Draw<'_>, rows: &[&Row]) -> Value {
    let row = draw.pick(rows);
    let mut value = json!({ "name": row.name });
    if row.parameters.is_empty() || !draw.one_in(2) {
        return if draw.one_in(2) { value } else { row.name.into() };
    }
    let parameter = &row.parameters[draw.below(row.parameters.len())];
    value[parameter.name] = match parameter.kind {
        Kind::Flag(_) => json!(draw.one_in(2)),
        Kind::Choice(words) => draw.pick(words).into(),
        Kind::Number { min, max, .. } => {
            let number = match draw.below(6) {
                0 => min,
                1 => max,
                _ if max > 1000.0 * min.max(0.1) => draw.scaled(min.max(0.1), max),
                _ => min + (max - min) * (draw.below(257) as f64 / 256.0),
            };
            match parameter.unit {
                unit @ ("s" | "ms" | "segments" | "packets" | "B") => format!("{number} {unit}").into(),
                _ => json!(number),
            }
        }
    };
    value
}
