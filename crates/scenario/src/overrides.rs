//! Overrides: a value is laid at a dotted key of a description, as `--set` and a sweep's axes do.

use crate::decode::flows::takes;
use crate::decode::queue;
use crate::error::{Place, Problem, choose, code, show};
use crate::node::{Node, Table, Value, element_name};

/// Most parts a dotted key may have; deeper than any key that exists.
const DEEPEST_KEY: usize = 12;

/// Put `value` at a dotted key. Tables on the way are made; in a list of tables the next part of the key is the name
/// of one element, or the rest applies to all.
pub(crate) fn set(root: &mut Node, key: &str, value: &Node) -> Result<(), Problem> {
    let parts: Vec<&str> = key.split('.').map(str::trim).collect();
    if parts.len() > DEEPEST_KEY || parts.iter().any(|part| part.is_empty()) {
        return Err(Problem::new(code::BAD_KEY, value.place, format!("`{}` is not a key", show(key)))
            .hint("keys are words joined by dots, such as `topology.bottleneck.rate`"));
    }
    put(root, &parts, 0, value)?;
    if let (["scenario", "seeds"], Value::List(_), Value::Table(all)) = (&parts[..], &value.value, &mut root.value)
        && let Some(Node { value: Value::Table(general), .. }) = all.get_mut("scenario")
    {
        general.remove("first_seed"); // seeds by name begin nowhere
    }
    Ok(())
}

/// Put `value` at `parts[at..]` below `node`, which stands at `parts[..at]`.
fn put(node: &mut Node, parts: &[&str], at: usize, value: &Node) -> Result<(), Problem> {
    let here = if at == 0 { "" } else { parts[at - 1] };
    if let Some(table) = opened(here, &node.value) {
        node.value = Value::Table(table);
    }
    match &mut node.value {
        Value::Table(table) if at + 1 == parts.len() => {
            table.put(parts[at], value.clone());
            Ok(())
        }
        Value::Table(table) => {
            if table.get(parts[at]).is_none() {
                table.put(parts[at], Node::new(value.place, Value::Table(Table::default())));
            }
            put(table.get_mut(parts[at]).expect("the key was just put"), parts, at + 1, value)
        }
        Value::List(list) if matches!(here, "flows" | "links" | "media") => put_in_list(list, parts, at, value),
        other => Err(Problem::new(
            code::UNKNOWN_KEY,
            value.place,
            format!("`{}` is {}, it has no key `{}`", show(&parts[..at].join(".")), other.kind(), show(parts[at])),
        )),
    }
}

/// A short form written out as the table it stands for, so that a dotted key can go into it.
fn opened(key: &str, value: &Value) -> Option<Table> {
    let inner = match (key, value) {
        ("loss", Value::Text(_)) => "rate",
        ("algorithm", Value::Text(_)) => "name",
        ("queue", value @ Value::Text(_)) if queue::is_name(value) => "discipline",
        ("queue", Value::Text(_)) => {
            let drop_tail = ("discipline", Value::Text("drop-tail".to_owned()));
            let entries = [drop_tail, ("limit", value.clone())];
            return Some(Table(entries.map(|(key, value)| (key.to_owned(), Node::new(Place::Nowhere, value))).into()));
        }
        ("warning", Value::Flag(_)) => return Some(Table::default()),
        _ => return None,
    };
    Some(Table(vec![(inner.to_owned(), Node::new(Place::Nowhere, value.clone()))]))
}

/// [`put`] for a list of tables with names.
fn put_in_list(list: &mut [Node], parts: &[&str], at: usize, value: &Node) -> Result<(), Problem> {
    let (tables, code, what): (&[&str], _, _) = match parts[at - 1] {
        "flows" => (&["algorithm", "tcp", "traffic"], code::UNKNOWN_FLOW, "flow group"),
        "media" => (&["loss", "rates", "rate_control", "queue"], code::UNKNOWN_LINK, "medium"),
        _ => (&["loss", "drops", "warning", "jitter", "reverse"], code::UNKNOWN_LINK, "link"),
    };
    let names: Vec<String> = list.iter().enumerate().map(|(i, node)| element_name(parts[at - 1], i, node)).collect();
    if at + 1 < parts.len() {
        if let Some(one) = names.iter().position(|name| name == parts[at]) {
            return put(&mut list[one], parts, at + 1, value);
        }
        if !tables.contains(&parts[at]) {
            let hint = choose(parts[at], names.iter().map(String::as_str));
            return Err(Problem::new(code, value.place, format!("no {what} `{}`", show(parts[at]))).hint(hint));
        }
    }
    // In a mixed list a key goes to the elements that have a use for it; to all, if none has, so that reading says why.
    let fits = |node: &Node| parts[at - 1] != "flows" || takes(&node.value, parts[at]);
    let none = !list.iter().any(fits);
    list.iter_mut().filter(|node| none || fits(node)).try_for_each(|node| put(node, parts, at, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dotted_keys_reach_into_lists_and_short_forms() {
        let mut node =
            Node::from_toml("loss = \"1 %\"\n[[flows]]\nname = \"a\"\n[[flows]]\nalgorithm = \"cerl\"\n").unwrap();
        let two = Node::new(Place::Set(0), Value::Text("2 %".into()));
        set(&mut node, "loss.rate", &two).unwrap();
        assert_eq!(node.value.to_json()["loss"]["rate"], "2 %");
        set(&mut node, "flows.count", &two).unwrap();
        let flows = node.value.to_json()["flows"].clone();
        assert_eq!((&flows[0]["count"], &flows[1]["count"]), (&"2 %".into(), &"2 %".into()));
        set(&mut node, "flows.flow2.algorithm.x", &two).unwrap();
        let algorithm = &node.value.to_json()["flows"][1]["algorithm"];
        assert_eq!((&algorithm["name"], &algorithm["x"]), (&"cerl".into(), &"2 %".into()));
        let seeds = |text| Node::from_set(text, Place::Set(0));
        set(&mut node, "scenario.first_seed", &seeds("7")).unwrap();
        set(&mut node, "scenario.seeds", &seeds("3")).unwrap();
        assert_eq!(node.value.to_json()["scenario"], serde_json::json!({ "first_seed": 7, "seeds": 3 }));
        set(&mut node, "scenario.seeds", &seeds("[3, 5]")).unwrap();
        assert_eq!(node.value.to_json()["scenario"], serde_json::json!({ "seeds": [3, 5] }));
        assert!(set(&mut node, "flows.b.count", &two).is_err());
        assert!(set(&mut node, "loss.rate.x", &two).is_err());
        assert!(set(&mut node, "a..b", &two).is_err());
        assert!(set(&mut node, &vec!["a"; 100_000].join("."), &two).is_err());
    }
}
