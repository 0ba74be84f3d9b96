//! The description as a tree of values that remember where they were written.

use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Place, Problem, code, show};

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) value: Value,
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Flag(bool),
    Whole(i64),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Table(Table),
}

/// Entries in the order written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table(pub(crate) Vec<(String, Node)>);

/// Equal in value, wherever written.
impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        self.value == other.value
    }
}

impl Table {
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, node)| node)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.0.iter_mut().find(|(k, _)| k == key).map(|(_, node)| node)
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Node> {
        let at = self.0.iter().position(|(k, _)| k == key)?;
        Some(self.0.remove(at).1)
    }

    /// Put a value under a key; null takes the key away.
    pub(crate) fn put(&mut self, key: &str, node: Node) {
        self.remove(key);
        if node.value != Value::Null {
            self.0.push((key.to_owned(), node));
        }
    }

    /// These entries, and those of `base` that are not among them.
    pub(crate) fn over(&self, base: &Table) -> Table {
        let mut merged = base.clone();
        for (key, node) in &self.0 {
            merged.put(key, node.clone());
        }
        merged
    }
}

impl Value {
    /// The kind of value, with its article, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Null => "nothing",
            Value::Flag(_) => "a flag",
            Value::Whole(_) | Value::Number(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The value as JSON. Numbers that JSON cannot hold become text.
    pub(crate) fn to_json(&self) -> Json {
        match self {
            Value::Null => Json::Null,
            Value::Flag(on) => Json::Bool(*on),
            Value::Whole(n) => Json::from(*n),
            Value::Number(x) if x.is_finite() => Json::from(*x),
            Value::Number(x) => Json::String(x.to_string()),
            Value::Text(text) => Json::String(text.clone()),
            Value::List(list) => list.iter().map(|node| node.value.to_json()).collect(),
            Value::Table(table) => Json::Object(table.0.iter().map(|(k, n)| (k.clone(), n.value.to_json())).collect()),
        }
    }

    /// The value in a few words, for messages.
    pub(crate) fn show(&self) -> String {
        match self {
            Value::Text(text) => format!("\"{}\"", show(text)),
            Value::Flag(on) => on.to_string(),
            Value::Whole(n) => n.to_string(),
            Value::Number(x) => x.to_string(),
            other => other.kind().to_owned(),
        }
    }
}

impl Node {
    pub(crate) fn new(place: Place, value: Value) -> Node {
        Node { place, value }
    }

    /// The same value, written elsewhere.
    pub(crate) fn moved(&self, place: Place) -> Node {
        let value = match &self.value {
            Value::List(list) => Value::List(list.iter().map(|node| node.moved(place)).collect()),
            Value::Table(table) => {
                Value::Table(Table(table.0.iter().map(|(k, n)| (k.clone(), n.moved(place))).collect()))
            }
            plain => plain.clone(),
        };
        Node { place, value }
    }

    /// Read TOML. The parser refuses deep nesting, so recursion over the tree is safe.
    pub(crate) fn from_toml(text: &str) -> Result<Node, Problem> {
        let lines = Lines::new(text);
        match DeTable::parse(text) {
            Ok(table) => Ok(Node::new(Place::Line(1), Value::Table(from_table(table.get_ref(), &lines)))),
            Err(error) => {
                let place = error.span().map_or(Place::Nowhere, |span| lines.place(span.start));
                let at = error.span().and_then(|span| text.get(span)).unwrap_or_default();
                if error.message().starts_with("duplicate key") && !at.is_empty() {
                    let what = format!("the key `{}` stands here for the second time in its table", show(at));
                    return Err(Problem::new(code::SYNTAX, place, what).hint("keep one of the two lines"));
                }
                let hint = match text.trim_start().starts_with('{') {
                    true => "a scenario file is TOML, not JSON: `windlass.from_dict` takes what is in a JSON file",
                    false => "values with units stand in quotes, as in `rate = \"8 Mbps\"`",
                };
                Err(Problem::new(code::SYNTAX, place, format!("not TOML: {}", one_line(error.message()))).hint(hint))
            }
        }
    }

    /// Read JSON. The parser refuses deep nesting, so recursion over the tree is safe.
    pub(crate) fn from_json(text: &str) -> Result<Node, Problem> {
        match serde_json::from_str::<Json>(text) {
            Ok(value) => Ok(from_json(&value)),
            Err(error) => Err(Problem::new(
                code::SYNTAX,
                Place::Line(error.line()),
                format!("not JSON: {}", one_line(&error.to_string())),
            )
            .hint("give a description as `Scenario.document` and `windlass explain --json` have it")),
        }
    }

    /// Read the value of an override: a TOML value if it is one, otherwise the text itself.
    pub(crate) fn from_set(text: &str, place: Place) -> Node {
        let text = text.trim();
        let value = match DeValue::parse(text) {
            Ok(value) => from_value(&value, &Lines::new("")).value,
            Err(_) => Value::Text(text.to_owned()),
        };
        Node::new(place, value).moved(place)
    }
}

/// Name of an element of `flows`, `links` or `media`, given or by default.
pub(crate) fn element_name(list: &str, index: usize, node: &Node) -> String {
    let text = |key| match &node.value {
        Value::Table(table) => match table.get(key) {
            Some(Node { value: Value::Text(text), .. }) => Some(text.as_str()),
            _ => None,
        },
        _ => None,
    };
    match (text("name"), list, index) {
        (Some(name), _, _) => name.to_owned(),
        (None, "flows", 0) => "flow".to_owned(),
        (None, "flows", _) => format!("flow{}", index + 1),
        (None, "media", 0) => "air".to_owned(),
        (None, "media", _) => format!("air{}", index + 1),
        _ => format!("{}-{}", text("from").unwrap_or(""), text("to").unwrap_or("")),
    }
}

/// Where lines begin.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Lines {
        Lines(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    fn place(&self, offset: usize) -> Place {
        Place::Line(self.0.partition_point(|start| *start <= offset))
    }
}

fn from_table(table: &DeTable<'_>, lines: &Lines) -> Table {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let key: &Spanned<std::borrow::Cow<'_, str>> = key;
        let node = Node { place: lines.place(key.span().start), ..from_value(value, lines) };
        (key.get_ref().to_string(), node)
    };
    Table(entries.into_iter().map(entry).collect())
}

fn from_value(value: &Spanned<DeValue<'_>>, lines: &Lines) -> Node {
    let read = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(on) => Value::Flag(*on),
        DeValue::Datetime(date) => Value::Text(date.to_string()),
        DeValue::Integer(n) => match i64::from_str_radix(n.as_str(), n.radix()) {
            Ok(whole) => Value::Whole(whole),
            // Beyond 64 bits: every range check refuses it as the number it is.
            Err(_) => Value::Number(n.as_str().parse().unwrap_or(f64::INFINITY)),
        },
        DeValue::Float(x) => Value::Number(x.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Array(list) => Value::List(list.iter().map(|item| from_value(item, lines)).collect()),
        DeValue::Table(table) => Value::Table(from_table(table, lines)),
    };
    Node::new(lines.place(value.span().start), read)
}

fn from_json(json: &Json) -> Node {
    let value = match json {
        Json::Null => Value::Null,
        Json::Bool(on) => Value::Flag(*on),
        Json::Number(n) => match n.as_i64() {
            Some(whole) => Value::Whole(whole),
            None => Value::Number(n.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(list) => Value::List(list.iter().map(from_json).collect()),
        Json::Object(map) => {
            let given = map.iter().filter(|(_, value)| !value.is_null());
            Value::Table(Table(given.map(|(key, value)| (key.clone(), from_json(value))).collect()))
        }
    };
    Node::new(Place::Nowhere, value)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at<'a>(node: &'a Node, path: &[&str]) -> &'a Node {
        path.iter().fold(node, |node, key| match &node.value {
            Value::Table(table) => table.get(key).unwrap(),
            Value::List(list) => &list[key.parse::<usize>().unwrap()],
            _ => panic!("no `{key}` in {node:?}"),
        })
    }

    #[test]
    fn entries_keep_their_order_and_lines() {
        let node = Node::from_toml("z = 1\n[b]\nq = [1,\n 2]\n[[a]]\nx = true\n[[a]]\n").unwrap();
        let Value::Table(table) = &node.value else { panic!() };
        assert_eq!(table.0.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["z", "b", "a"]);
        assert_eq!(at(&node, &["b", "q"]).place, Place::Line(3));
        assert_eq!(at(&node, &["b", "q", "1"]).place, Place::Line(4));
        assert_eq!(at(&node, &["a", "0", "x"]).place, Place::Line(6));
        assert_eq!(at(&node, &["a", "1"]).place, Place::Line(7));
    }

    #[test]
    fn a_number_of_json_is_the_one_that_was_written() {
        // a fast reader takes it for the one above, 9.199114943597196e-8
        let node = Node::from_json("9.199114943597195e-8").unwrap();
        assert_eq!(node.value, Value::Number("9.199114943597195e-8".parse().unwrap()));
        assert_eq!(node.value.to_json().to_string(), "9.199114943597195e-8");
    }

    #[test]
    fn a_set_value_is_toml_or_text() {
        let read = |text| Node::from_set(text, Place::Set(0)).value;
        assert_eq!(read("8 Mbps"), Value::Text("8 Mbps".into()));
        assert_eq!(read("\"8 Mbps\""), Value::Text("8 Mbps".into()));
        assert_eq!(read("3"), Value::Whole(3));
        assert_eq!(read("true"), Value::Flag(true));
        assert_eq!(read("cerl"), Value::Text("cerl".into()));
        assert_eq!(read("1 %"), Value::Text("1 %".into()));
        assert!(matches!(read("[1, 2]"), Value::List(list) if list.len() == 2));
    }

    #[test]
    fn deep_nesting_is_refused_not_a_crash() {
        assert!(Node::from_toml(&format!("a = {}", "[".repeat(200_000))).is_err());
        assert!(Node::from_toml(&format!("{} = 1", vec!["a"; 100_000].join("."))).is_err());
        assert!(Node::from_json(&"[".repeat(200_000)).is_err());
    }
}
