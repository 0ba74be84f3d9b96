//! What there is to choose from, as JSON for help, documents and the Python package.

use cc::registry::{ALGORITHMS, Kind};
use serde_json::{Value as Json, json};
use tcp::rules::{PROFILES, RECOVERIES, RULES, Rule, word};
use tcp::{Config, Profile};

use crate::decode::tcp::written;
use crate::decode::topology::READY;
use crate::decode::{changing, link, loss, output, queue, radio, traffic};
use crate::error::errors;
use crate::{foreign, names};

/// Every algorithm of the registry: name, aliases, summary, source, caution, whether it
/// judges losses, transport, recovery, parameters.
pub fn algorithms() -> String {
    rows(ALGORITHMS.iter())
}

/// Every algorithm from outside, in the same form.
pub fn registered() -> String {
    rows(foreign::rows().into_iter())
}

fn rows<'a>(all: impl Iterator<Item = &'a cc::registry::Row>) -> String {
    let parameter = |p: &cc::registry::Parameter| {
        let (kind, default, min, max, choices) = match p.kind {
            Kind::Number { default, min, max } => ("number", json!(default), json!(min), json!(max), json!([])),
            Kind::Choice(words) => ("choice", json!(words.first()), Json::Null, Json::Null, json!(words)),
            Kind::Flag(on) => ("flag", json!(on), Json::Null, Json::Null, json!([])),
        };
        json!({
            "name": p.name, "kind": kind, "default": default, "min": min, "max": max, "choices": choices,
            "unit": p.unit, "meaning": p.meaning, "source": p.source,
        })
    };
    let row = |row: &cc::registry::Row| {
        json!({
            "name": row.name, "aliases": row.aliases, "summary": row.summary, "source": row.source,
            "choices": (!row.choices.is_empty()).then_some(row.choices), "caution": row.caution, "judges_losses": row.judges_losses,
            "transport": if row.rate.is_some() { "tfrc" } else { "tcp" },
            "recovery": row.rate.is_none().then(|| word(&RECOVERIES, row.recovery)),
            "parameters": row.parameters.iter().map(parameter).collect::<Vec<_>>(),
        })
    };
    Json::from(all.map(row).collect::<Vec<_>>()).to_string()
}

fn meanings(keys: &[(&str, &str)]) -> Json {
    keys.iter().map(|(name, meaning)| json!({ "name": name, "meaning": meaning })).collect()
}

/// Every model of loss on a link: name, summary, fields.
pub fn loss_models() -> String {
    let one =
        |ready: &loss::Ready| json!({ "name": ready.name, "summary": ready.summary, "fields": meanings(ready.keys) });
    Json::from(loss::READY.iter().map(one).collect::<Vec<_>>()).to_string()
}

/// Every queue discipline: name, summary, source, parameters with defaults in the profile `rfc`.
pub fn queues() -> String {
    let one = |ready: &queue::Ready| {
        let spec = ready.queue(Profile::Rfc, net::Counting::Waiting);
        let parameter = |p: &queue::Parameter| json!({ "name": p.key, "default": (p.write)(&spec), "allowed": p.allowed, "meaning": p.meaning });
        json!({
            "name": ready.name, "summary": ready.summary, "source": ready.source,
            "parameters": ready.parameters().map(parameter).collect::<Vec<_>>(),
        })
    };
    Json::from(queue::READY.iter().map(one).collect::<Vec<_>>()).to_string()
}

/// Every model of jitter on a link: name, summary, fields.
pub fn jitter_models() -> String {
    let one = |ready: &changing::Ready| json!({ "name": ready.name, "summary": ready.summary, "fields": meanings(ready.keys) });
    Json::from(changing::JITTERS.iter().map(one).collect::<Vec<_>>()).to_string()
}

/// Every topology: name, summary, its fields, those of its links, those of its radio (null: it has none).
pub fn topologies() -> String {
    let all: Vec<_> = link::MEANINGS.iter().chain(changing::MEANINGS).copied().collect();
    let link_fields = meanings(&all);
    let all: Vec<_> = radio::table::meanings().collect();
    let radio_fields = meanings(&all);
    let one = |ready: &crate::decode::topology::Ready| {
        json!({
            "name": ready.name, "summary": ready.summary, "fields": meanings(&ready.keys().collect::<Vec<_>>()),
            "link_fields": link_fields, "radio_fields": if ready.has_radio() { &radio_fields } else { &Json::Null },
        })
    };
    Json::from(READY.iter().map(one).collect::<Vec<_>>()).to_string()
}

/// Every kind of traffic that UDP carries: name, summary.
pub fn traffic_kinds() -> String {
    let one = |ready: &traffic::Ready| json!({ "name": ready.name, "summary": ready.summary });
    Json::from(traffic::READY.iter().map(one).collect::<Vec<_>>()).to_string()
}

/// Every transport of the table of flows: name, meaning, whether it takes what the path has left, whether another row
/// counts its payload already.
pub fn transports() -> String {
    let one = |row: &names::TransportRow| json!({ "name": row.name, "meaning": row.meaning, "adapts": row.adapts, "part": row.part });
    Json::from(names::TRANSPORTS.iter().map(one).collect::<Vec<_>>()).to_string()
}

/// Every cause of loss: name, columns that count it, label, meaning, whether it is congestion.
pub fn loss_causes() -> String {
    let one = |row: &net::CauseRow| {
        json!({
            "name": row.name, "column": row.column, "ack_column": row.ack_column, "label": row.label,
            "meaning": row.meaning, "congestion": row.congestion,
        })
    };
    Json::from(net::LOSS_CAUSES.iter().map(one).collect::<Vec<_>>()).to_string()
}

/// Every kind of window change: name, label (null: not drawn), meaning, what the sender took a loss for, whether a true
/// cause is told.
pub fn window_events() -> String {
    let one = |row: &names::EventRow| {
        json!({
            "name": row.name, "label": row.label, "meaning": row.meaning, "judged": row.judged, "of_segment": row.of_segment,
        })
    };
    Json::from(names::WINDOW_EVENTS.iter().map(one).collect::<Vec<_>>()).to_string()
}

/// Every series that can be recorded: name in `traces`, its word in the table of traces, meaning.
pub fn series() -> String {
    let one = |row: &output::Series| json!({ "name": row.key, "variable": row.column, "meaning": row.meaning });
    Json::from(output::SERIES.iter().map(one).collect::<Vec<_>>()).to_string()
}

/// Words of keys whose values Python names as well: profiles, recovery cores.
pub fn words() -> Json {
    let profiles: Vec<_> = PROFILES.iter().map(|(word, _)| *word).collect();
    let recovery: Vec<_> = RECOVERIES.iter().map(|(word, _)| *word).collect();
    json!({ "profiles": profiles, "recovery": recovery })
}

/// Every engine rule: name, meaning, its value in each profile.
pub fn rules() -> String {
    let [rfc, ns2, linux] = [Profile::Rfc, Profile::Ns2, Profile::Linux].map(Config::profile);
    let one = |rule: &Rule| {
        json!({
            "name": rule.key, "meaning": rule.meaning,
            "rfc": written(rule, &rfc), "ns2": written(rule, &ns2), "linux": written(rule, &linux),
        })
    };
    Json::from(RULES.iter().map(one).collect::<Vec<_>>()).to_string()
}

/// Every error: code and meaning.
pub fn errors_json() -> String {
    let all = errors().iter().map(|(code, meaning)| json!({ "code": code, "meaning": meaning }));
    Json::from(all.collect::<Vec<_>>()).to_string()
}
