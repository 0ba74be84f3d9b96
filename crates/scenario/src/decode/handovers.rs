//! Handovers of a link at given times: key `handovers`.

use net::{Changing, DelayAfter, Handover};
use serde_json::{Map, Value as Json};
use units::{Span, Time};

use super::drawn::{times, times_text};
use crate::error::{Problem, code, show};
use crate::limits::DURATION;
use crate::node::Value;
use crate::read::{Fields, HOUR, Item};
use crate::units::{Kind, time_text};

const KEYS: &[&str] =
    &["at", "every", "gap", "rate_factor", "delay_step", "delay", "queue_at_old", "forward_delay", "warn"];
/// What becomes of packets that wait at the old station.
pub(crate) const QUEUES: &[(&str, bool)] = &[("lost", false), ("forwarded", true)];
/// Smallest and greatest factor of a rate.
const FACTORS: (f64, f64) = (1e-3, 1e3);
const LEO: &str = "leo";
const EXAMPLE: &str = "write `handovers = [{ at = \"20 s\", gap = \"200 ms\" }]`, or `handovers = \"leo\"`";

/// Low satellites: the dish turns to a new one 12, 27, 42 and 57 s after each minute. That step is known; the other
/// values are of our choosing.
fn leo() -> Handover {
    let ms = Span::from_millis;
    Handover {
        at: Time(12_000_000_000),
        every: Some(ms(15_000)),
        gap: (Span::ZERO, ms(50)),
        rate_factor: Some((0.7, 1.3)),
        delay: Some(DelayAfter::Drawn(ms(15), ms(40))),
        kept: Some(Span::ZERO),
        warn: Span::ZERO,
    }
}

/// Read the key; `table` is the link's and `changing` what else changes on it.
pub(crate) fn read(item: &Item<'_>, table: &Fields<'_>, changing: &Changing) -> Result<Vec<Handover>, Problem> {
    let found = match &item.node.value {
        Value::Text(_) if item.is(LEO) => vec![leo()],
        Value::Text(text) => {
            let what = format!("cannot be \"{}\"", show(text));
            return Err(item.problem(code::UNKNOWN_WORD, what).hint(EXAMPLE));
        }
        _ => list(item)?,
    };
    let steps = |rule: &Handover| (rule.rate_factor.is_some(), rule.delay.is_some());
    let (of_rate, of_delay) = found.iter().map(steps).fold((false, false), |all, one| (all.0 | one.0, all.1 | one.1));
    let before = |step: &net::Step| (of_rate && step.rate_bps.is_some()) || (of_delay && step.delay.is_some());
    if of_rate && changing.trace.is_some() {
        let what = "has a `rate_factor` on a link whose rate comes from a `trace`";
        return Err(item.problem(code::CONFLICT, what).hint("leave `rate_factor` out"));
    }
    if changing.steps.iter().any(before) {
        let item = table.get("changes").unwrap_or(Item { node: item.node, path: item.path.clone() });
        let what = "would be undone by the `handovers` of the link, which change the same";
        return Err(item.problem(code::CONFLICT, what).hint("leave one of the two out"));
    }
    Ok(found)
}

fn list(item: &Item<'_>) -> Result<Vec<Handover>, Problem> {
    let items = item.list().map_err(|problem| problem.hint(EXAMPLE))?;
    let mut all: Vec<Handover> = Vec::new();
    for item in items {
        if !matches!(item.node.value, Value::Table(_)) {
            return Err(item.table(KEYS).err().expect("it is no table").hint(EXAMPLE));
        }
        let table = item.table(KEYS)?;
        let when = table.need("at", "\"20 s\"")?;
        let at = Time(when.span(Span::ZERO..=DURATION)?.0);
        if let Some(last) = all.last() {
            if last.every.is_some() {
                let what = "comes after a handover with `every`, which has no end";
                return Err(when.problem(code::OUT_OF_RANGE, what).hint("write the one with `every` last"));
            }
            if at < last.at + busy(last) {
                let free = time_text(Span((last.at + busy(last)).0));
                let what = format!("is before the end of the handover before it, {free} at the latest");
                return Err(when
                    .problem(code::OUT_OF_RANGE, what)
                    .hint("write them in order of time, apart from each other"));
            }
        }
        all.push(one(&table, at)?);
    }
    Ok(all)
}

/// How long a handover lasts at most, what it forwards included.
fn busy(rule: &Handover) -> Span {
    rule.gap.1.max(Span(1)) + rule.kept.unwrap_or_default()
}

fn one(table: &Fields<'_>, at: Time) -> Result<Handover, Problem> {
    let gap = times(&table.need("gap", "\"200 ms\"")?)?;
    let forwarded = table.get("queue_at_old").map_or(Ok(false), |item| item.word(QUEUES))?;
    let extra = match table.get("forward_delay") {
        None => Span::from_millis(10),
        Some(item) if !forwarded => {
            let what = "is given, but packets at the old station are lost";
            return Err(item.problem(code::CONFLICT, what).hint("write `queue_at_old = \"forwarded\"`"));
        }
        Some(item) => item.span(Span::ZERO..=HOUR)?,
    };
    let rule = Handover {
        at,
        every: table.get("every").map(|item| item.span(Span::from_millis(1)..=DURATION)).transpose()?,
        gap,
        rate_factor: table.get("rate_factor").map(|item| factors(&item)).transpose()?,
        delay: delay(table)?,
        kept: forwarded.then_some(extra),
        warn: table.get("warn").map_or(Ok(Span::from_millis(50)), |item| item.span(Span::ZERO..=HOUR))?,
    };
    match (rule.every, table.get("every")) {
        (Some(every), Some(item)) if every <= busy(&rule) => {
            let what = format!("is {}, but a handover lasts up to {}", time_text(every), time_text(busy(&rule)));
            Err(item.problem(code::OUT_OF_RANGE, what).hint("make `every` longer than `gap` and `forward_delay`"))
        }
        _ => Ok(rule),
    }
}

fn delay(table: &Fields<'_>) -> Result<Option<DelayAfter>, Problem> {
    match (table.get("delay_step"), table.get("delay")) {
        (Some(item), Some(_)) => {
            Err(item.problem(code::CONFLICT, "stands beside `delay`").hint("write one of the two"))
        }
        (Some(item), None) => {
            let step = item.quantity(Kind::Time)?;
            if step.abs() > HOUR.0 as f64 {
                let what = format!("is {}: an hour at most", item.node.value.show());
                return Err(item.problem(code::OUT_OF_RANGE, what).hint("write \"30 ms\" or \"-30 ms\""));
            }
            Ok(Some(DelayAfter::Step(step as i64)))
        }
        (None, Some(item)) => times(&item).map(|(least, most)| Some(DelayAfter::Drawn(least, most))),
        (None, None) => Ok(None),
    }
}

/// A factor, or an even distribution of factors: `uniform(0.7, 1.3)`.
fn factors(item: &Item<'_>) -> Result<(f64, f64), Problem> {
    let pair = match &item.node.value {
        Value::Text(text) => {
            let inner = text.trim().strip_prefix("uniform(").and_then(|rest| rest.strip_suffix(')'));
            let pair = inner.and_then(|inner| inner.split_once(','));
            pair.and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)))
        }
        _ => item.number().ok().map(|factor| (factor, factor)),
    };
    let range = FACTORS.0..=FACTORS.1;
    match pair {
        Some((least, most)) if range.contains(&least) && range.contains(&most) && least <= most => Ok((least, most)),
        _ => Err(item
            .problem(
                code::OUT_OF_RANGE,
                format!("is {}, allowed is {} to {}", item.node.value.show(), FACTORS.0, FACTORS.1),
            )
            .hint("write `rate_factor = 0.5` or `rate_factor = \"uniform(0.7, 1.3)\"`")),
    }
}

/// The key, complete.
pub(crate) fn effective(all: &[Handover]) -> Json {
    let one = |rule: &Handover| {
        let mut map = Map::new();
        map.insert("at".into(), time_text(Span(rule.at.0)).into());
        map.insert("gap".into(), times_text(rule.gap).into());
        map.extend(rule.rate_factor.map(|(least, most)| {
            let text = || Json::from(format!("uniform({least}, {most})"));
            ("rate_factor".to_owned(), if least == most { least.into() } else { text() })
        }));
        map.extend(rule.delay.map(|delay| match delay {
            DelayAfter::Step(step) => {
                let sign = if step < 0 { "-" } else { "" };
                ("delay_step".to_owned(), format!("{sign}{}", time_text(Span(step.unsigned_abs()))).into())
            }
            DelayAfter::Drawn(least, most) => ("delay".to_owned(), times_text((least, most)).into()),
        }));
        map.insert("queue_at_old".into(), if rule.kept.is_some() { "forwarded" } else { "lost" }.into());
        map.extend(rule.kept.map(|extra| ("forward_delay".to_owned(), time_text(extra).into())));
        map.insert("warn".into(), time_text(rule.warn).into());
        map.extend(rule.every.map(|every| ("every".to_owned(), time_text(every).into())));
        Json::Object(map)
    };
    all.iter().map(one).collect()
}
