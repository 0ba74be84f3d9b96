//! Keys of `[tcp]`, out of the engine's own table of rules.

use cc::registry::{Recovery, Row};
use serde_json::{Map, Value, json};
use tcp::rules::{RULES, Rule, Takes, Unit};

use crate::draw::Draw;

/// Rules that go only with certain others.
const TOGETHER: &[&str] = &["recovery", "ns2_recovery", "prr", "ect", "agent", "rto_init", "rto_min", "rto_max"];

/// Some rules, each as likely as the others.
pub(crate) fn rules(draw: &mut Draw<'_>) -> Map<String, Value> {
    let mut table = Map::new();
    for rule in RULES.iter().filter(|rule| !TOGETHER.contains(&rule.key)) {
        if draw.one_in(12) {
            table.insert(rule.key.to_owned(), value(draw, rule));
        }
    }
    for (key, least, most) in [("rto_min", 0.001, 1.0), ("rto_init", 0.05, 3.0), ("rto_max", 5.0, 60.0)] {
        if draw.one_in(12) {
            table.insert(key.to_owned(), draw.time(least, most).into());
        }
    }
    table
}

/// Rules of one group with an algorithm of this row.
pub(crate) fn of_group(draw: &mut Draw<'_>, row: &Row) -> Map<String, Value> {
    let mut table = rules(draw);
    let mut put = |key: &str, value: Value| table.insert(key.to_owned(), value);
    let mut vegas = row.recovery == Recovery::Vegas;
    match draw.below(4) {
        0 => {
            // ns-2's agents have no RACK-TLP
            let core = draw.pick(&["algorithm", "tahoe", "reno", "newreno", "sack", "vegas"]);
            vegas |= core == "vegas";
            put("recovery", core.into());
            put("ns2_recovery", json!(true));
        }
        1 => {
            let core = draw.pick(&["rack-tlp", "newreno", "sack"]);
            put("recovery", core.into());
            put("ns2_recovery", json!(false));
            let starts_over = core == "rack-tlp" && row.recovery == Recovery::Tahoe;
            put("prr", json!(!row.samples_delivery && !starts_over && draw.one_in(2)));
        }
        _ => {}
    }
    if draw.one_in(8) {
        put("ecn", json!(true));
        put("ecn_echo", "accecn".into());
        put("ect", draw.value(&["ect1", "ect0"]));
    }
    if draw.one_in(8) {
        // FullTcp has no Vegas
        put("agent", draw.value(if vegas { &["one-way"] } else { &["one-way", "full"] }));
    }
    table
}

fn value(draw: &mut Draw<'_>, rule: &'static Rule) -> Value {
    let words = rule.words.len();
    let word = match rule.takes {
        Takes::Words => true,
        _ => words > 0 && draw.one_in(2),
    };
    if word {
        return draw.pick(rule.words).into();
    }
    match rule.takes {
        Takes::Words => unreachable!("it takes words only"),
        Takes::Flag => json!(draw.one_in(2)),
        Takes::Whole(unit, least, most) => {
            let number = draw.count(least.into(), most.min(3000).into());
            match unit {
                Unit::Plain => json!(number),
                Unit::Segments => format!("{number} segments").into(),
                Unit::Bytes => format!("{number} B").into(),
            }
        }
        Takes::Number(least, most) => json!(least + (most - least) * draw.below(9) as f64 / 8.0),
        Takes::Span(least, _) => draw.time(least.secs().max(1e-3), 0.5).into(),
    }
}
