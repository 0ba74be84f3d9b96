//! Sweep axes: which values a point puts where, and what an override does to them.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::decode::plan::{self, Plan};
use crate::error::{Place, Problem, code, show};
use crate::files::Files;
use crate::limits::{FIXED, POINTS};
use crate::node::{Node, Table, Value, element_name};
use crate::overrides::set;

/// A swept key and its values, or keys that go together.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    keys: Vec<String>,
    /// A value for each key.
    pub(crate) steps: Vec<Vec<Node>>,
    place: Place,
}

/// What stands between keys that go together, as in `"topology.bottleneck.rate, topology.bottleneck.delay"`.
const AND: char = ',';

impl Axis {
    /// The entry of `[sweep]` that it is.
    pub(crate) fn entry(&self) -> (String, Json) {
        let together = |step: &Vec<Node>| match &step[..] {
            [one] => one.value.to_json(),
            several => several.iter().map(|node| node.value.to_json()).collect(),
        };
        (self.keys.join(", "), self.steps.iter().map(together).collect())
    }

    /// Sweep these keys no more. Steps that differed in nothing else become one.
    fn end(&mut self, ends: impl Fn(&String) -> bool) {
        if !self.keys.iter().any(&ends) {
            return;
        }
        let kept: Vec<bool> = self.keys.iter().map(|key| !ends(key)).collect();
        let mut known = BTreeSet::new();
        self.keys = left(&self.keys, &kept);
        self.steps = self.steps.iter().map(|step| left(step, &kept)).filter(|step| known.insert(text(step))).collect();
    }
}

fn left<T: Clone>(items: &[T], kept: &[bool]) -> Vec<T> {
    items.iter().zip(kept).filter(|(_, kept)| **kept).map(|(item, _)| item.clone()).collect()
}

/// A step as text: equal for equal values.
fn text(step: &[Node]) -> String {
    step.iter().map(|node| node.value.to_json()).collect::<Json>().to_string()
}

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
            && let Some(over) = keys(&axes).find(|over| all == **over || within(&all, over))
        {
            let what = format!("`{}` would have no effect: `{}` is swept", show(key), show(over));
            return Err(Problem::new(code::CONFLICT, node.place, what)
                .hint(format!("override `{0}` to end its sweep, or `sweep.{0}` to change it", show(over))));
        }
        if let (None, Some(over)) = (swept, keys(&axes).find(|over| within(key, over))) {
            let what = format!("`{}` is part of `{}`, which is swept", show(key), show(over));
            return Err(
                Problem::new(code::CONFLICT, node.place, what).hint(format!("override `sweep.{}` instead", show(over)))
            );
        }
        // What is set is not swept any more, nor any part of it.
        axes.iter_mut().for_each(|axis: &mut Axis| {
            axis.end(|own| match swept {
                Some(swept) => parts(swept).any(|part| part == own),
                None => {
                    let all = for_all(root, own);
                    [Some(own), all.as_ref()].into_iter().flatten().any(|swept| swept == key || within(swept, key))
                }
            });
        });
        axes.retain(|axis| !axis.keys.is_empty());
        match swept {
            Some(key) => axes.push(axis(key.to_owned(), &node)?),
            None => set(root, key, &node)?,
        }
    }
    refuse_overridden(root, &axes)?;
    let mut points: usize = 1;
    for axis in &axes {
        points = points.saturating_mul(axis.steps.len());
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
    let swept: Vec<(&String, Place)> =
        axes.iter().flat_map(|axis| axis.keys.iter().map(|key| (key, axis.place))).collect();
    for (at, &(key, place)) in swept.iter().enumerate() {
        let all = for_all(root, key);
        let hides = |later: &String| {
            let covers = |key: &String| key == later || within(key, later);
            covers(key) || all.as_ref().is_some_and(covers)
        };
        if let Some((later, _)) = swept[at + 1..].iter().find(|(later, _)| hides(later)) {
            let (one, other) = (show(key), show(later));
            let what = format!("sweep axis `{one}` has no effect: `{other}` stands after it and sets it, too");
            return Err(Problem::new(code::CONFLICT, place, what)
                .hint(format!("leave one of them out, or write `{other}` first")));
        }
    }
    Ok(())
}

/// All swept keys in order.
fn keys(axes: &[Axis]) -> impl Iterator<Item = &String> {
    axes.iter().flat_map(|axis| &axis.keys)
}

/// The keys that an entry of `[sweep]` names.
fn parts(entry: &str) -> impl Iterator<Item = &str> {
    entry.split(AND).map(str::trim)
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
        let below = |part: &str| if path.is_empty() { part.to_owned() } else { format!("{path}.{part}") };
        let key = parts(key).map(below).collect::<Vec<_>>().join(", ");
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

fn axis(entry: String, node: &Node) -> Result<Axis, Problem> {
    let keys: Vec<String> = parts(&entry).map(str::to_owned).collect();
    let problem = |code, what: &str| Problem::new(code, node.place, format!("sweep axis `{}` {what}", show(&entry)));
    if keys.iter().any(|key| FIXED.iter().any(|fixed| key == fixed || within(key, fixed))) {
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
    let steps: Vec<Vec<Node>> = match keys.len() {
        1 => values.iter().map(|value| vec![value.clone()]).collect(),
        count => values
            .iter()
            .enumerate()
            .map(|(at, value)| together(value, at, count, problem))
            .collect::<Result<_, _>>()?,
    };
    let mut labels: Vec<String> = steps.iter().map(|step| text(step)).collect();
    labels.sort_unstable();
    if let Some(twice) = labels.windows(2).find(|pair| pair[0] == pair[1]) {
        let one = if keys.len() == 1 { &twice[0][1..twice[0].len() - 1] } else { &twice[0] };
        return Err(problem(code::DUPLICATE_VALUE, &format!("has {} twice", show(one))));
    }
    Ok(Axis { keys, steps, place: node.place })
}

/// One of the lists of an axis of several keys, a value for each.
fn together(
    node: &Node,
    at: usize,
    count: usize,
    problem: impl Fn(&'static str, &str) -> Problem,
) -> Result<Vec<Node>, Problem> {
    match &node.value {
        Value::List(values) if values.len() == count => Ok(values.clone()),
        other => {
            let what = format!("has {count} keys, and number {} of its list is {}", at + 1, other.show());
            Err(problem(code::WRONG_TYPE, &what)
                .hint("write a list with a value for each key: `[[\"1 Mbps\", \"300 ms\"], [\"9 Mbps\", \"40 ms\"]]`"))
        }
    }
}

/// How many points there are.
pub(crate) fn size(axes: &[Axis]) -> usize {
    axes.iter().map(|axis| axis.steps.len()).product()
}

/// Each swept key with the value it has at a point.
pub(crate) fn choice(axes: &[Axis], index: usize) -> impl Iterator<Item = (&String, &Node)> {
    let mut stride = size(axes);
    axes.iter().flat_map(move |axis| {
        stride /= axis.steps.len();
        axis.keys.iter().zip(&axis.steps[index / stride % axis.steps.len()])
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
    for (key, node) in choice(axes, index) {
        set(&mut root, key, node)?;
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
