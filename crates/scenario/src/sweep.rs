//! Sweep axes: which values a point puts where, and what an override does to them.

use serde_json::Value as Json;

use crate::decode::plan::{self, Plan};
use crate::error::{Place, Problem, code, show};
use crate::files::Files;
use crate::limits::POINTS;
use crate::node::{Node, Table, Value, element_name};
use crate::overrides::set;

/// A swept key and its values.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) key: String,
    pub(crate) values: Vec<Node>,
    place: Place,
}

/// Keys that are no part of a run's description.
const FIXED: &[&str] = &["scenario.name", "scenario.seeds", "scenario.first_seed", "output", "sweep"];

/// Take the sweep out of the description and put the overrides into both. An override of a swept key, or of what holds
/// it, ends its sweep, also where the axis names one flow group or link and the override all of them; one of
/// `sweep.KEY` sets the axis.
pub(crate) fn axes(root: &mut Node, sets: &[(String, String)]) -> Result<Vec<Axis>, Problem> {
    let Value::Table(table) = &mut root.value else {
        return Err(Problem::new(
            code::WRONG_TYPE,
            root.place,
            format!("a scenario is a table, not {}", root.value.kind()),
        ));
    };
    let mut axes = table.remove("sweep").map_or(Ok(Vec::new()), |node| all(&node))?;
    for (at, (key, text)) in sets.iter().enumerate() {
        let (key, node) = (key.trim(), Node::from_set(text, Place::Set(at)));
        if key == "sweep" {
            axes = all(&node)?;
            continue;
        }
        let swept = key.strip_prefix("sweep.").map(unquoted);
        if let (None, Some(all)) = (swept, for_all(root, key))
            && let Some(axis) = axes.iter().find(|axis| all == axis.key || within(&all, &axis.key))
        {
            let what = format!("`{}` would have no effect: `{}` is swept", show(key), show(&axis.key));
            return Err(Problem::new(code::CONFLICT, node.place, what)
                .hint(format!("override `{0}` to end its sweep, or `sweep.{0}` to change it", show(&axis.key))));
        }
        if let (None, Some(axis)) = (swept, axes.iter().find(|axis| within(key, &axis.key))) {
            let what = format!("`{}` is part of `{}`, which is swept", show(key), show(&axis.key));
            return Err(Problem::new(code::CONFLICT, node.place, what)
                .hint(format!("override `sweep.{}` instead", show(&axis.key))));
        }
        // What is set is not swept any more, nor any part of it.
        axes.retain(|axis: &Axis| match swept {
            Some(swept) => axis.key != swept,
            None => {
                let all = for_all(root, &axis.key);
                ![Some(&axis.key), all.as_ref()].into_iter().flatten().any(|swept| swept == key || within(swept, key))
            }
        });
        match swept {
            Some(key) => axes.push(axis(key.to_owned(), &node)?),
            None => set(root, key, &node)?,
        }
    }
    refuse_overridden(root, &axes)?;
    let mut points: usize = 1;
    for axis in &axes {
        points = points.saturating_mul(axis.values.len());
        if points > POINTS {
            return Err(Problem::new(
                code::TOO_MANY_POINTS,
                axis.place,
                format!("the sweep has more than {POINTS} points"),
            ));
        }
    }
    Ok(axes)
}

/// A problem if an axis sets again what one before it has set: every point of the earlier one would be the same run,
/// under different labels.
fn refuse_overridden(root: &Node, axes: &[Axis]) -> Result<(), Problem> {
    for (at, axis) in axes.iter().enumerate() {
        let all = for_all(root, &axis.key);
        let hides = |later: &&Axis| {
            let covers = |key: &String| *key == later.key || within(key, &later.key);
            covers(&axis.key) || all.as_ref().is_some_and(covers)
        };
        if let Some(later) = axes[at + 1..].iter().find(hides) {
            let (one, other) = (show(&axis.key), show(&later.key));
            let what = format!("sweep axis `{one}` has no effect: `{other}` stands after it and sets it, too");
            return Err(Problem::new(code::CONFLICT, axis.place, what)
                .hint(format!("leave one of them out, or write `{other}` first")));
        }
    }
    Ok(())
}

/// The axes of a section `[sweep]`.
fn all(node: &Node) -> Result<Vec<Axis>, Problem> {
    let Value::Table(sweep) = &node.value else {
        let what = format!("`sweep` is {}, wanted is a table", node.value.show());
        return Err(Problem::new(code::WRONG_TYPE, node.place, what)
            .hint("write `[sweep]` and below it `\"flows.algorithm\" = [\"newreno\", \"reno\"]`"));
    };
    let mut axes = Vec::new();
    flatten(sweep, "", &mut axes)?;
    Ok(axes)
}

/// The key that does to all flow groups, or all links of a graph, what `key` does to one of them; `None` if it names
/// none.
fn for_all(root: &Node, key: &str) -> Option<String> {
    [&["flows"][..], &["topology", "links"]].iter().find_map(|path| {
        let (mut node, mut rest) = (root, key);
        for part in *path {
            let Value::Table(table) = &node.value else { return None };
            node = table.get(part)?;
            rest = rest.strip_prefix(part)?.strip_prefix('.')?;
        }
        let (name, rest) = rest.split_once('.')?;
        let Value::List(list) = &node.value else { return None };
        let named = |(index, node)| element_name(path[path.len() - 1], index, node) == name;
        list.iter().enumerate().any(named).then(|| format!("{}.{rest}", path.join(".")))
    })
}

/// Whether dotted key `inner` lies below `outer`.
fn within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))
}

fn unquoted(key: &str) -> &str {
    key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(key)
}

/// The axes of a sweep. Dotted keys without quotation marks stand as tables in tables.
fn flatten(table: &Table, path: &str, axes: &mut Vec<Axis>) -> Result<(), Problem> {
    for (key, node) in &table.0 {
        let key = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match &node.value {
            Value::Table(inner) => flatten(inner, &key, axes)?,
            _ => axes.push(axis(key, node)?),
        }
    }
    // The stable sort leaves axes of one line, or of no line, as they are.
    axes.sort_by_key(|axis| match axis.place {
        Place::Line(line) => line,
        _ => 0,
    });
    Ok(())
}

fn axis(key: String, node: &Node) -> Result<Axis, Problem> {
    let problem = |code, what: &str| Problem::new(code, node.place, format!("sweep axis `{}` {what}", show(&key)));
    if FIXED.iter().any(|fixed| key == *fixed || within(&key, fixed)) {
        return Err(problem(code::NOT_SWEEPABLE, "cannot be swept").hint("an axis is a key that describes the run"));
    }
    let Value::List(values) = &node.value else {
        return Err(
            problem(code::WRONG_TYPE, "is not a list").hint("write the values in brackets, as in `[\"0 %\", \"1 %\"]`")
        );
    };
    if values.is_empty() {
        return Err(problem(code::EMPTY_AXIS, "has no values"));
    }
    if values.len() > POINTS {
        return Err(problem(code::TOO_MANY_POINTS, &format!("has more than {POINTS} values")));
    }
    let mut labels: Vec<String> = values.iter().map(|node| node.value.to_json().to_string()).collect();
    labels.sort_unstable();
    if let Some(twice) = labels.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(problem(code::DUPLICATE_VALUE, &format!("has {} twice", show(&twice[0]))));
    }
    Ok(Axis { key, values: values.clone(), place: node.place })
}

/// How many points there are.
pub(crate) fn size(axes: &[Axis]) -> usize {
    axes.iter().map(|axis| axis.values.len()).product()
}

/// Each axis with the value it has at a point.
pub(crate) fn choice(axes: &[Axis], index: usize) -> impl Iterator<Item = (&Axis, &Node)> {
    let mut stride = size(axes);
    axes.iter().map(move |axis| {
        stride /= axis.values.len();
        (axis, &axis.values[index / stride % axis.values.len()])
    })
}

/// A swept value as a label: scalars as they are, `cerl(cerl_cmp=gt)` for a table with a name, other things as JSON.
pub(crate) fn label(value: &Value) -> Json {
    match value {
        Value::Table(Table(entries)) => match entries.iter().find(|(key, _)| key == "name") {
            Some((_, Node { value: Value::Text(name), .. })) => {
                let rest = entries.iter().filter(|(key, _)| key != "name");
                let rest: Vec<String> = rest.map(|(key, node)| format!("{key}={}", plain(&node.value))).collect();
                Json::String(format!("{name}({})", rest.join(", ")))
            }
            _ => Json::String(plain(value)),
        },
        Value::List(_) => Json::String(plain(value)),
        scalar => scalar.to_json(),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        other => other.to_json().to_string(),
    }
}

/// The description of one point.
pub(crate) fn chosen(root: &Node, axes: &[Axis], index: usize) -> Result<Node, Problem> {
    let mut root = root.clone();
    for (axis, node) in choice(axes, index) {
        set(&mut root, &axis.key, node)?;
    }
    Ok(root)
}

/// The plan of one point.
pub(crate) fn plan(root: &Node, axes: &[Axis], files: &Files, index: usize) -> Result<Plan, Problem> {
    if axes.is_empty() {
        return plan::plan(root, files);
    }
    plan::plan(&chosen(root, axes, index)?, files)
}
