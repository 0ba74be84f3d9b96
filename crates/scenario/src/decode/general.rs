//! Section `[scenario]`: name, seeds, duration, warm-up, profile.

use tcp::Profile;
use tcp::rules::PROFILES;
use units::Span;

use crate::error::{Problem, code};
use crate::limits::{DURATION, SEEDS};
use crate::node::{Node, Value};
use crate::read::{INSTANT, Item};
use crate::units::time_text;

/// Keys of section `[scenario]`.
pub(crate) const GENERAL: &[&str] = &["name", "duration", "warmup", "profile", "seeds", "first_seed"];

/// Section `[scenario]` without name and seeds, which change no run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct General {
    pub(crate) duration: Span,
    pub(crate) warmup: Span,
    pub(crate) profile: Profile,
}

/// Read the section but for name and seeds.
pub(super) fn general(item: &Item<'_>) -> Result<General, Problem> {
    let table = item.table(GENERAL)?;
    let duration = table.need("duration", "\"100 s\"")?.span(INSTANT..=DURATION)?;
    let warmup = table.get("warmup").map_or(Ok(Span::ZERO), |item| {
        let warmup = item.span(Span::ZERO..=DURATION)?;
        if warmup < duration {
            return Ok(warmup);
        }
        let what = format!("is {}, but the run lasts only {}", time_text(warmup), time_text(duration));
        Err(item.problem(code::WARMUP, what).hint("make `scenario.warmup` shorter than `scenario.duration`"))
    })?;
    let profile = table.get("profile").map_or(Ok(Profile::Rfc), |item| item.word(&PROFILES))?;
    Ok(General { duration, warmup, profile })
}

/// Name and seeds of a description.
pub(crate) fn label(root: &Node) -> Result<(String, Vec<u64>), Problem> {
    let Value::Table(table) = &root.value else {
        return Err(Problem::new(
            code::WRONG_TYPE,
            root.place,
            format!("a scenario is a table, not {}", root.value.kind()),
        ));
    };
    let Some(node) = table.get("scenario") else { return Ok((default_name(), vec![1])) };
    let table = Item { node, path: "scenario".to_owned() }.open_table()?;
    let name = match table.get("name") {
        None => default_name(),
        Some(item) => item.name(&[], " /.()")?.to_owned(),
    };
    Ok((name, seeds(table.get("seeds"), table.get("first_seed"))?))
}

fn default_name() -> String {
    "scenario".to_owned()
}

fn seeds(seeds: Option<Item<'_>>, first: Option<Item<'_>>) -> Result<Vec<u64>, Problem> {
    let begin = first.as_ref().map_or(Ok(1), |item| item.whole(0..=u64::from(u32::MAX)))?;
    let Some(item) = seeds else { return Ok(vec![begin]) };
    if !matches!(item.node.value, Value::List(_)) {
        // a number that is written wrong has the hint for that
        let count = item.whole(1..=SEEDS).map_err(|problem| match item.number() {
            Ok(number) if (1.0..=SEEDS as f64).contains(&number) => problem,
            _ => problem.hint("`seeds` is a number of runs, `seeds = 5`, or a list of seeds, `seeds = [3, 4]`"),
        })?;
        return Ok((begin..begin + count).collect());
    }
    if let Some(first) = first {
        return Err(first.problem(code::CONFLICT, "has no use beside a list of seeds"));
    }
    let items = item.list()?;
    if items.is_empty() {
        return Err(item.problem(code::EMPTY_AXIS, "is an empty list"));
    }
    if items.len() as u64 > SEEDS {
        return Err(item.problem(code::OUT_OF_RANGE, format!("has {} seeds, allowed are {SEEDS}", items.len())));
    }
    let mut seen = std::collections::BTreeSet::new();
    for item in &items {
        let seed = item.whole(0..=i64::MAX as u64)?;
        if !seen.insert(seed) {
            return Err(item.problem(code::DUPLICATE_VALUE, format!("has {seed} twice")));
        }
    }
    items.iter().map(|item| item.whole(0..=i64::MAX as u64)).collect()
}
