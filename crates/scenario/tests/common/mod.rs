//! A scenario of one bottleneck, and what the tests ask of it.

use scenario::{Error, Scenario};

/// A scenario whose bottleneck has these keys.
pub fn with_bottleneck(keys: &str) -> String {
    format!(
        "[scenario]\nduration = \"20 s\"\n[topology]\nkind = \"dumbbell\"\n\
         access = {{ rate = \"100 Mbps\", delay = \"1 ms\" }}\n\
         bottleneck = {{ {keys} }}\n\
         [[flows]]\nfrom = \"left/0\"\nto = \"right/0\"\nalgorithm = \"newreno\"\n"
    )
}

/// Check that the complete description reads back to itself, and return its bottleneck.
#[track_caller]
pub fn effective_bottleneck(scenario: Result<Scenario, Error>) -> serde_json::Value {
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    let text = scenario.points()[0].effective().unwrap();
    let again = Scenario::from_json(&text, "effective", &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.points()[0].effective().unwrap(), text);
    let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    whole["topology"]["bottleneck"].clone()
}

/// One key of a table, or of a table in it: `reverse.queue`.
pub fn part<'a>(table: &'a serde_json::Value, key: &str) -> &'a serde_json::Value {
    key.split('.').fold(table, |part, key| &part[key])
}

/// The description is refused at the bottleneck's line with this code and these words.
#[track_caller]
pub fn refused_text(text: &str, code: &str, words: &str) {
    let shown = Scenario::from_toml(text, "fig.toml", &[]).expect_err("it is wrong").to_string();
    assert!(shown.starts_with(&format!("error[scenario.{code}]: fig.toml, line 6: ")), "{shown}");
    assert!(shown.contains(words) && shown.lines().count() <= 2, "{shown}\nwanted: {words}");
}
