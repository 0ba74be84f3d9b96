//! Key `algorithm` of a flow: a name, or a name and parameters.

use cc::registry::{self, ALGORITHMS, BadParameter, Kind as ParameterKind, Parameter};
use serde_json::{Map, Value as Json, json};

use crate::error::{Problem, choose, closest, code, listed, show};
use crate::foreign;
use crate::node::Value;
use crate::read::{Fields, Item};
use crate::units::{Unreadable, parse};

/// The row of an algorithm of the registry, or of one from outside.
pub(crate) fn find(name: &str) -> Option<&'static registry::Row> {
    registry::find(name).or_else(|| foreign::find(name))
}

/// An algorithm by name, or a table of its name and parameters.
pub(crate) fn read(item: &Item<'_>) -> Result<cc::Config, Problem> {
    let (name, table) = match &item.node.value {
        Value::Table(_) => {
            let table = item.open_table()?;
            (table.need("name", "\"newreno\"")?, Some(table))
        }
        _ => (Item { node: item.node, path: item.path.clone() }, None),
    };
    let text = name.text()?;
    let row = find(text).ok_or_else(|| {
        let names = ALGORITHMS.iter().flat_map(|row| std::iter::once(row.name).chain(row.aliases.iter().copied()));
        let names = names.chain(foreign::names());
        let meant = closest(text, names).map_or(String::new(), |meant| format!("did you mean `{meant}`? "));
        let several: Vec<&str> = text.split([',', ' ']).filter(|part| !part.is_empty()).collect();
        let hint = if several.len() > 1 && several.iter().all(|part| find(part).is_some()) {
            let listed: Vec<String> = several.iter().map(|part| format!("\"{part}\"")).collect();
            format!(
                "to run with each of them, sweep the key: `--set 'sweep.{}=[{}]'`",
                show(&name.path),
                listed.join(", ")
            )
        } else {
            format!("{meant}`windlass list algorithms` shows all; one of your own comes with `--python FILE`")
        };
        Problem::new(code::UNKNOWN_ALGORITHM, name.node.place, format!("no algorithm `{}`", show(text))).hint(hint)
    })?;
    let mut config = cc::Config::new(row);
    for (key, item) in table.iter().flat_map(Fields::entries).filter(|(key, _)| *key != "name") {
        if let Some(source) = foreign::source(row).filter(|_| key == foreign::SOURCE) {
            same_source(row.name, source, &item)?;
            continue;
        }
        let parameter = row.parameters.iter().find(|parameter| parameter.name == key).ok_or_else(|| {
            let names = row.parameters.iter().map(|parameter| parameter.name);
            let hint = if row.parameters.is_empty() { "it has none".to_owned() } else { choose(key, names) };
            Problem::new(
                code::UNKNOWN_PARAMETER,
                item.node.place,
                format!("`{}` has no parameter `{}`", row.name, show(key)),
            )
            .hint(hint)
        })?;
        set_parameter(&mut config, parameter, &item)?;
    }
    Ok(config)
}

/// A description of an earlier run names the source that it ran with.
fn same_source(name: &str, source: &str, item: &Item<'_>) -> Result<(), Problem> {
    if item.text()? == source {
        return Ok(());
    }
    Err(item
        .problem(code::BAD_PARAMETER, format!("is of another version of `{name}` than the one loaded"))
        .hint("leave it out to run the version loaded"))
}

fn set_parameter(config: &mut cc::Config, parameter: &Parameter, item: &Item<'_>) -> Result<(), Problem> {
    let set = match (&item.node.value, &parameter.kind) {
        (Value::Text(word), ParameterKind::Choice(_)) => config.set_choice(parameter.name, word),
        (Value::Flag(on), _) => config.set_flag(parameter.name, *on),
        (_, ParameterKind::Number { .. }) => config.set_number(parameter.name, number(parameter, item)?),
        (_, ParameterKind::Choice(words)) => Err(BadParameter::NotListed(words)),
        (_, ParameterKind::Flag(_)) => Err(BadParameter::WrongKind("true or false")),
    };
    set.map_err(|bad| {
        let wanted = match bad {
            BadParameter::Unknown => "it is not a parameter".to_owned(),
            BadParameter::WrongKind(kind) => format!("wanted is {kind}"),
            BadParameter::OutOfRange { min, max } => {
                format!("allowed is {} to {}", amount(parameter, min), amount(parameter, max))
            }
            BadParameter::NotListed(words) => format!("wanted is one of {}", listed(words.iter().copied())),
        };
        item.problem(code::BAD_PARAMETER, format!("is {}, {wanted}", item.node.value.show()))
            .hint(format!("`{}` is the {}", parameter.name, parameter.meaning))
    })
}

/// A parameter's number; with its unit, unless it has none.
fn number(parameter: &Parameter, item: &Item<'_>) -> Result<f64, Problem> {
    let Ok((_, own)) = parse(&format!("1 {}", parameter.unit)) else { return item.number() };
    let text = match &item.node.value {
        Value::Text(text) => text.as_str(),
        _ => "",
    };
    match parse(text) {
        Ok((value, unit)) if unit.word == own.word => Ok(value),
        Ok((value, unit)) if unit.kind == own.kind => Ok(unit.to_base(value) / own.to_base(1.0)),
        Err(Unreadable::NoNumber) if !text.is_empty() => item.quantity(own.kind),
        _ => item.quantity(own.kind).map_err(|problem| {
            let default = match parameter.kind {
                ParameterKind::Number { default, .. } => default,
                _ => 1.0,
            };
            problem.hint(format!("write it as in `{} = \"{default} {}\"`", parameter.name, parameter.unit))
        }),
    }
}

/// A parameter's number as it is written.
fn amount(parameter: &Parameter, number: f64) -> String {
    match parse(&format!("1 {}", parameter.unit)) {
        Ok(_) => format!("{number} {}", parameter.unit),
        Err(_) => number.to_string(),
    }
}

/// Name and every parameter.
pub(crate) fn effective(config: &cc::Config) -> Json {
    let mut map = Map::new();
    map.insert("name".into(), config.row().name.into());
    for parameter in config.row().parameters {
        let value = match parameter.kind {
            ParameterKind::Choice(_) => json!(config.choice(parameter.name)),
            ParameterKind::Flag(_) => json!(config.flag(parameter.name)),
            ParameterKind::Number { .. } => match parse(&format!("1 {}", parameter.unit)) {
                Ok(_) => json!(amount(parameter, config.number(parameter.name))),
                Err(_) => json!(config.number(parameter.name)),
            },
        };
        map.insert(parameter.name.to_owned(), value);
    }
    if let Some(source) = foreign::source(config.row()) {
        map.insert(foreign::SOURCE.to_owned(), source.into());
    }
    Json::Object(map)
}
