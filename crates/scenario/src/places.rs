//! Any TOML document with the lines of its values, for readers of other files than scenarios.

use serde_json::{Value as Json, json};

use crate::error::{Error, Place};
use crate::node::{Node, Value};

/// The document as JSON: each value as a list of its line and itself.
pub fn toml_with_lines(text: &str, file: &str) -> Result<String, Error> {
    match Node::from_toml(text) {
        Ok(node) => Ok(placed(&node).to_string()),
        Err(problem) => Err(problem.locate(file, &[])),
    }
}

fn placed(node: &Node) -> Json {
    let line = match node.place {
        Place::Line(line) => json!(line),
        _ => Json::Null,
    };
    let value = match &node.value {
        Value::List(list) => list.iter().map(placed).collect(),
        Value::Table(table) => Json::Object(table.0.iter().map(|(key, node)| (key.clone(), placed(node))).collect()),
        plain => plain.to_json(),
    };
    json!([line, value])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_with_their_lines() {
        let text = toml_with_lines("a = 1\n[b]\nc = [\n  true,\n]\n", "p.toml").unwrap();
        assert_eq!(text, r#"[1,{"a":[1,1],"b":[2,{"c":[3,[[4,true]]]}]}]"#);
        let error = toml_with_lines("a = 1\nb = \n", "p.toml").unwrap_err();
        assert_eq!((error.line, error.file.as_deref()), (Some(2), Some("p.toml")));
    }
}
