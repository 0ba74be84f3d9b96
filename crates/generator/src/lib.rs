//! Legal scenarios out of strings of bytes: what tests, the soak and the fuzzer run.
//!
//! Each byte is a choice: a topology of any kind, queues, losses, links that change, radio media, mobiles, flows of any
//! transport with any algorithm, rules of the engine, what is recorded, a sweep. Whatever the bytes are, the engine
//! accepts what [`describe`] makes of them; where they end, the simplest choice is taken. Runs are small: some thousand
//! packets. [`checks`] has what must hold of each.
//!
//! | file | what it draws |
//! |---|---|
//! | `draw` | choices out of bytes |
//! | `topology` | nodes and links, cells, chains, mobiles, graphs |
//! | `links`, `queues`, `radio` | what a link, a queue, a radio medium can have |
//! | `flows`, `rules` | groups of flows; keys of `[tcp]` |
#![forbid(unsafe_code)]

pub mod checks;
mod draw;
mod flows;
mod links;
mod order;
mod queues;
mod radio;
mod rules;
mod topology;

use serde_json::{Map, Value, json};

use draw::Draw;
pub use draw::{BYTES, bytes};

/// How large a run may become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Its length.
    pub(crate) seconds: f64,
    /// Rate of its slowest links at most, bit/s: so that some thousand packets cross them.
    pub(crate) rate: f64,
}

/// A legal description.
pub fn describe(bytes: &[u8]) -> Value {
    salted(bytes, 0)
}

/// The same with rates and times a little different, so that hardly any two packets come at the same nanosecond.
pub fn salted(bytes: &[u8], salt: u64) -> Value {
    let draw = &mut Draw::new(bytes, salt);
    let kind = draw.pick(topology::KINDS);
    // stations and base stations send as fast as they do
    let longest = if topology::is_fast(kind) { 1.2 } else { 8.0 };
    let seconds = draw.scaled(0.2, longest);
    let size = Size { seconds, rate: 2e7 / seconds };
    let profile = draw.pick(&["rfc", "linux", "ns2"]);
    let topology = topology::topology(draw, kind, size, profile);
    let (flows, shared) = flows::flows(draw, &topology, size, profile);
    let mut general =
        json!({ "name": "drawn", "duration": format!("{} ms", (seconds * 1e3).ceil()), "profile": profile });
    match draw.below(4) {
        0 => general["warmup"] = draw.time(seconds / 100.0, seconds * 0.9).into(),
        1 => general["first_seed"] = json!(draw.below(1000)),
        2 => general["seeds"] = json!([1, 7 + draw.below(1000)]),
        _ => {}
    }
    let mut all = Map::new();
    all.insert("scenario".to_owned(), general);
    all.insert("topology".to_owned(), topology.table);
    let connections = flows.iter().any(|flow| flow.get("algorithm").is_some_and(flows::has_window));
    let sweep = sweep(draw, &flows);
    all.insert("flows".to_owned(), flows.into_iter().map(Value::Object).collect());
    if !shared.is_empty() {
        all.insert("tcp".to_owned(), shared.into());
    }
    if draw.one_in(2) {
        all.insert("output".to_owned(), output(draw, seconds, connections));
    }
    if let Some((key, values)) = sweep {
        all.insert("sweep".to_owned(), json!({ key: values }));
    }
    all.into()
}

/// What is recorded. Tapes are of connections.
fn output(draw: &mut Draw<'_>, seconds: f64, connections: bool) -> Value {
    const SERIES: &[&str] = &[
        "cwnd",
        "ssthresh",
        "flight",
        "srtt",
        "rate",
        "loss-event-rate",
        "window",
        "sent",
        "delivered",
        "delay",
        "queue",
        "airtime",
        "serving",
        "snr",
    ];
    let mut traces: Vec<&str> = SERIES.iter().copied().filter(|_| draw.one_in(5)).collect();
    if connections && draw.one_in(3) {
        traces.push("tape");
    }
    let mut output = json!({ "traces": traces, "events": draw.one_in(2), "delays": draw.one_in(2) });
    if draw.one_in(2) {
        output["trace_step"] = draw.time(seconds / 50.0, seconds / 3.0).into();
    }
    output
}

/// One run in eight is a sweep, of two or three points.
fn sweep(draw: &mut Draw<'_>, flows: &[Map<String, Value>]) -> Option<(String, Value)> {
    if !draw.one_in(8) {
        return None;
    }
    let flow = &flows[draw.below(flows.len())];
    let name = flow["name"].as_str().expect("it has one");
    match draw.below(3) {
        0 => Some(("topology.send_jitter".to_owned(), json!(["auto", "1 ms", "0 s"]))),
        // only one algorithm couples its paths: there is no other for a flow that asks for it
        1 if flow.get("algorithm").is_some_and(flows::has_window)
            && flow.get("tcp").is_none()
            && flow.get("multipath").is_none_or(|paths| paths["coupled"] != true) =>
        {
            let values = if flow.contains_key("multipath") { json!(["cubic", "reno"]) } else { json!(["veno", "bbr"]) };
            Some((format!("flows.{name}.algorithm"), values))
        }
        _ => Some((format!("flows.{name}.start"), json!(["0 s", "1 ms"]))),
    }
}

/// A description as TOML: a section on each line.
pub fn toml(description: &Value) -> String {
    let sections = description.as_object().expect("a description is a table");
    sections.iter().map(|(key, value)| format!("{key} = {}\n", inline(value))).collect()
}

/// A value of JSON in TOML. Both write texts and numbers alike.
fn inline(value: &Value) -> String {
    let joined = |all: Vec<String>| all.join(", ");
    match value {
        Value::Array(list) => format!("[{}]", joined(list.iter().map(inline).collect())),
        Value::Object(table) => {
            let entry = |(key, value): (&String, &Value)| format!("{} = {}", json!(key), inline(value));
            format!("{{ {} }}", joined(table.iter().map(entry).collect()))
        }
        other => other.to_string(),
    }
}
