//! Sections `[tcp]` and `flows.tcp`: the rules of [`tcp::rules`] in the notation of a scenario.

use serde_json::{Map, Value as Json, json};
use tcp::rules::{AGENTS, RULES, Rule, Takes, Unit, Value};
use tcp::{Agent, Config};

use crate::error::{Problem, code};
use crate::read::{Fields, Item};
use crate::units::time_text;

/// The table, whose keys are rules.
fn table<'a>(item: &Item<'a>) -> Result<Fields<'a>, Problem> {
    let keys: Vec<&str> = RULES.iter().map(|rule| rule.key).collect();
    item.table(&keys)
}

/// The agent that the table names, if it does.
pub(crate) fn agent(item: &Item<'_>) -> Result<Option<Agent>, Problem> {
    table(item)?.get("agent").map(|item| item.word(&AGENTS)).transpose()
}

/// Whether the table asks for the recovery core of Vegas, or for another one, if it asks for one.
pub(crate) fn asks_for_vegas(item: &Item<'_>) -> Option<bool> {
    table(item).ok()?.get("recovery").map(|item| item.is("vegas"))
}

/// Whether the table says if there is PRR.
pub(crate) fn names_prr(item: &Item<'_>) -> bool {
    table(item).is_ok_and(|table| table.get("prr").is_some())
}

/// Change the rules that the table names.
pub(crate) fn read(item: &Item<'_>, config: &mut Config) -> Result<(), Problem> {
    let table = table(item)?;
    for rule in RULES {
        if let Some(item) = table.get(rule.key) {
            rule.set(config, value(rule, &item)?);
        }
    }
    let ordered = [("rto_min", config.rto_min), ("rto_init", config.rto_init)];
    match ordered.iter().find(|(_, span)| *span > config.rto_max) {
        Some((key, _)) => Err(item.problem(code::OUT_OF_RANGE, format!("has a `{key}` above its `rto_max`"))),
        None => Ok(()),
    }
}

fn value(rule: &Rule, item: &Item<'_>) -> Result<Value, Problem> {
    if let Some(word) = rule.words.iter().find(|word| item.is(word)) {
        return Ok(Value::Word(word));
    }
    match rule.takes {
        Takes::Words => {
            let words: Vec<_> = rule.words.iter().map(|word| (*word, *word)).collect();
            item.word(&words).map(Value::Word)
        }
        Takes::Flag => item.flag().map(Value::Flag),
        Takes::Whole(Unit::Segments, least, most) => item.segments(least..=most).map(Value::Whole),
        Takes::Whole(Unit::Bytes, least, most) => {
            item.bytes(least.into()..=most.into()).map(|bytes| Value::Whole(bytes as u32))
        }
        Takes::Whole(Unit::Plain, least, most) => {
            item.whole(least.into()..=most.into()).map(|n| Value::Whole(n as u32))
        }
        Takes::Number(least, most) => {
            let number = item.number()?;
            if (least..=most).contains(&number) {
                return Ok(Value::Number(number));
            }
            Err(item.problem(code::OUT_OF_RANGE, format!("is {number}, allowed is {least} to {most}")))
        }
        Takes::Span(least, most) => item.span(least..=most).map(Value::Span),
    }
}

/// The value of a rule as it is written.
pub(crate) fn written(rule: &Rule, config: &Config) -> Json {
    match (rule.get(config), rule.takes) {
        (None, _) => Json::Null,
        (Some(Value::Word(word)), _) => json!(word),
        (Some(Value::Flag(on)), _) => json!(on),
        (Some(Value::Whole(n)), Takes::Whole(Unit::Segments, ..)) => json!(format!("{n} segments")),
        (Some(Value::Whole(n)), Takes::Whole(Unit::Bytes, ..)) => json!(format!("{n} B")),
        (Some(Value::Whole(n)), _) => json!(n),
        (Some(Value::Number(x)), _) => json!(x),
        (Some(Value::Span(span)), _) => json!(time_text(span)),
    }
}

/// Every rule with its value.
pub(crate) fn effective(config: &Config) -> Json {
    RULES.iter().map(|rule| (rule.key.to_owned(), written(rule, config))).collect::<Map<_, _>>().into()
}
