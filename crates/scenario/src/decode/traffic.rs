//! Key `traffic` of a UDP flow: what its source sends.

use datagram::{Config, Periods, Traffic};
use serde_json::{Map, Value as Json, json};
use tcp::Profile;

use crate::error::{Problem, code};
use crate::read::{Fields, HOUR, INSTANT, Item};
use crate::units::{rate_text, size_text, time_text};

/// Bytes that IPv4 and UDP headers take.
const UDP_HEADER: u32 = 28;

/// Keys of the traffic and what they mean.
pub(crate) static MEANINGS: &[(&str, &str)] = &[
    ("kind", "\"cbr\": constant bit rate; \"on-off\": bursts of it; \"poisson\": independent packets"),
    ("rate", "payload bits per second, on average; within bursts, for on-off traffic"),
    ("packet", "payload of a packet, such as \"1000 B\""),
    ("header", "header bytes of a packet; 28 B (IPv4 and UDP), in the profile ns2 none"),
    ("random", "cbr: draw each gap evenly between half and one and a half times the usual one; false"),
    ("on", "on-off: mean length of a burst"),
    ("off", "on-off: mean silence between bursts; the flow begins with one"),
    ("distribution", "on-off: lengths of bursts and silences, \"exponential\" (default) or \"pareto\""),
    ("shape", "on-off, pareto: shape, 1.01 to 100; 1.5"),
];

const COMMON: &[&str] = &["kind", "rate", "packet", "header"];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Cbr,
    OnOff,
    Poisson,
}

/// A kind of traffic: its name, what it is.
pub(crate) struct Ready {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    kind: Kind,
}

/// Every kind of traffic.
pub(crate) static READY: &[Ready] = &[
    Ready { name: "cbr", summary: "Packets at a constant rate", kind: Kind::Cbr },
    Ready { name: "on-off", summary: "Bursts at a constant rate, silences between them", kind: Kind::OnOff },
    Ready { name: "poisson", summary: "Packets independent of each other", kind: Kind::Poisson },
];

/// Name of the kind of traffic.
pub(crate) fn word(traffic: &Traffic) -> &'static str {
    let kind = match traffic {
        Traffic::Cbr { .. } => Kind::Cbr,
        Traffic::OnOff(_) => Kind::OnOff,
        Traffic::Poisson => Kind::Poisson,
    };
    READY.iter().find(|ready| ready.kind == kind).expect("every kind is in the table").name
}

pub(crate) fn read(item: &Item<'_>, profile: Profile) -> Result<Config, Problem> {
    let all: Vec<&str> = MEANINGS.iter().map(|(key, _)| *key).collect();
    let table = item.table(&all)?;
    let kinds: Vec<_> = READY.iter().map(|ready| (ready.name, ready.kind)).collect();
    let kind = table.need("kind", "\"cbr\"")?.word(&kinds)?;
    let own: &[&str] = match kind {
        Kind::Cbr => &["random"],
        Kind::OnOff => &["on", "off", "distribution", "shape"],
        Kind::Poisson => &[],
    };
    if let Some((key, item)) = table.entries().find(|(key, _)| !COMMON.contains(key) && !own.contains(key)) {
        let word = table.need("kind", "\"cbr\"")?.text()?;
        return Err(item.problem(code::CONFLICT, format!("has no use with `kind = \"{word}\"`")).hint(format!(
            "take `{key}` away, or write `kind = \"{}\"`",
            if key == "random" { "cbr" } else { "on-off" }
        )));
    }
    let traffic = match kind {
        Kind::Cbr => Traffic::Cbr { jittered: table.get("random").map_or(Ok(false), |item| item.flag())? },
        Kind::OnOff => Traffic::OnOff(periods(&table)?),
        Kind::Poisson => Traffic::Poisson,
    };
    let header = match profile {
        Profile::Rfc | Profile::Linux => UDP_HEADER,
        Profile::Ns2 => 0,
    };
    Ok(Config {
        traffic,
        rate_bps: table.need("rate", "\"1 Mbps\"")?.rate()?,
        payload: table.need("packet", "\"1000 B\"")?.bytes(1..=64_000)? as u32,
        header: table.get("header").map_or(Ok(header), |item| item.bytes(0..=1000).map(|bytes| bytes as u32))?,
    })
}

fn periods(table: &Fields<'_>) -> Result<Periods, Problem> {
    let pareto =
        table.get("distribution").map_or(Ok(false), |item| item.word(&[("exponential", false), ("pareto", true)]))?;
    let shape = match table.get("shape") {
        None => 1.5,
        Some(item) if !pareto => {
            return Err(item
                .problem(code::CONFLICT, "has no use with an exponential distribution")
                .hint("write `distribution = \"pareto\"`"));
        }
        Some(item) => shape(&item)?,
    };
    Ok(Periods {
        on: table.need("on", "\"500 ms\"")?.span(INSTANT..=HOUR)?,
        off: table.need("off", "\"500 ms\"")?.span(INSTANT..=HOUR)?,
        shape: pareto.then_some(shape),
    })
}

/// Shape of a Pareto distribution: above 1, where it has a mean.
pub(crate) fn shape(item: &Item<'_>) -> Result<f64, Problem> {
    let shape = item.number()?;
    if (1.01..=100.0).contains(&shape) {
        return Ok(shape);
    }
    Err(item
        .problem(code::OUT_OF_RANGE, format!("is {shape}, allowed is 1.01 to 100"))
        .hint("a Pareto distribution has no mean at a shape of 1 or less"))
}

pub(crate) fn effective(config: &Config) -> Json {
    let mut map = Map::new();
    let mut put = |key: &str, value: Json| map.insert(key.to_owned(), value);
    put("kind", json!(word(&config.traffic)));
    put("rate", json!(rate_text(config.rate_bps)));
    put("packet", json!(size_text(u64::from(config.payload))));
    put("header", json!(format!("{} B", config.header)));
    match config.traffic {
        Traffic::Cbr { jittered } => {
            put("random", json!(jittered));
        }
        Traffic::OnOff(periods) => {
            put("on", json!(time_text(periods.on)));
            put("off", json!(time_text(periods.off)));
            put("distribution", json!(if periods.shape.is_some() { "pareto" } else { "exponential" }));
            put("shape", json!(periods.shape));
        }
        Traffic::Poisson => {}
    }
    Json::Object(map)
}
