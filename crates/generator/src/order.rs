//! The same description in another order.

use scenario::{Column, RunResult, Table};
use serde_json::{Map, Value};

/// With the keys of every table turned round. The order of a sweep's axes is that of its points.
pub(crate) fn keys_turned(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(keys_turned).collect(),
        Value::Object(table) => {
            let turn = |(key, value): (&String, &Value)| (key.clone(), keys_turned(value));
            table.iter().rev().map(turn).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// With its groups of flows turned round, and its links where no two paths are alike. None where the order matters:
/// frames of base stations, heartbeats of FullTcp, the ticks of the timer wheel and the ends of handovers that flows
/// wait for are the same instants for all flows, whatever rates and delays are, and what several flows do in one
/// instant is done in their order.
pub(crate) fn declared_otherwise(description: &Value) -> Option<Value> {
    let text = description.to_string();
    let together = ["heartbeat", "\"timer_wheel\":\"linux", "\"freeze\":true"];
    if together.iter().any(|word| text.contains(word)) || description["topology"]["kind"] == "cellular" {
        return None;
    }
    let mut moved = description.clone();
    turn(&mut moved["flows"]);
    let topology = &mut moved["topology"];
    let named =
        |name: &str| topology["links"].as_array().is_some_and(|links| links.iter().any(|link| link["name"] == name));
    if topology["links"].is_array() && !named("back") && !named("across") {
        turn(&mut topology["links"]);
    }
    // the order of a list that is swept stays, so which point comes first stays
    Some(moved)
}

fn turn(list: &mut Value) {
    list.as_array_mut().expect("it is a list").reverse();
}

/// Every row of every table, in an order of its own.
pub(crate) fn rows(result: &RunResult) -> String {
    let tables =
        [&result.flows, &result.links, &result.stations, &result.traces, &result.events, &result.losses, &result.tapes];
    let mut all: Vec<String> = tables.iter().flat_map(|table| (0..table.rows()).map(|row| line(table, row))).collect();
    all.sort_unstable();
    all.join("\n")
}

fn line(Table(columns): &Table, row: usize) -> String {
    let value = |column: &Column| match column {
        Column::F64(values) => format!("{:?}", values[row]),
        Column::I64(values) => values[row].to_string(),
        Column::Str(values) => values[row].to_string(),
    };
    columns.iter().map(|(key, column)| format!("{key}={} ", value(column))).collect()
}
