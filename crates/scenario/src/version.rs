//! Which results a run has: numbers that are raised by hand when results change, in `RESULTS.toml`.

use std::sync::LazyLock;

use crate::node::Node;
use serde_json::Value;

/// Release and number of the newest change of results. Which numbers a single run depends on, [`Point::results`] says.
///
/// [`Point::results`]: crate::Point::results
pub static ENGINE_VERSION: LazyLock<String> = LazyLock::new(|| {
    format!("{}+results.{}", env!("CARGO_PKG_VERSION"), RESULTS.changes.last().map_or(0, |c| c.number))
});

/// What `RESULTS.toml` says.
static RESULTS: LazyLock<Results> = LazyLock::new(|| Results::read(include_str!("../RESULTS.toml")));

/// A change of results, and the runs that it concerns.
struct Change {
    number: u32,
    profiles: Option<Vec<String>>,
    has: Vec<String>,
    lacks: Vec<String>,
}

impl Change {
    fn concerns(&self, profile: &str, description: &str) -> bool {
        self.profiles.as_ref().is_none_or(|profiles| profiles.iter().any(|one| one == profile))
            && self.has.iter().all(|text| description.contains(text.as_str()))
            && !self.lacks.iter().any(|text| description.contains(text.as_str()))
    }
}

struct Results {
    columns: u32,
    changes: Vec<Change>,
}

impl Results {
    /// The file is compiled in, and a test reads it: a mistake in it is a bug.
    fn read(text: &str) -> Results {
        let read = Node::from_toml(text).map(|root| root.value.to_json());
        let file = read.unwrap_or_else(|_| panic!("RESULTS.toml is not TOML"));
        let changes = file["change"].as_array().expect("changes are a list").iter().enumerate().map(|(at, row)| {
            let texts = |key: &str| {
                let list = row.get(key)?.as_array().expect("a list of texts");
                Some(list.iter().map(|text| text.as_str().expect("a text").to_owned()).collect())
            };
            let number = at as u32 + 1;
            assert_eq!(row["number"].as_u64(), Some(number.into()), "changes are numbered from 1, in order");
            let [has, lacks] = ["has", "lacks"].map(|key| texts(key).unwrap_or_default());
            Change { number, profiles: texts("profiles"), has, lacks }
        });
        let columns = file["columns"].as_u64().and_then(|number| u32::try_from(number).ok());
        Results { columns: columns.expect("`columns` is a number"), changes: changes.collect() }
    }

    fn number(&self, description: &Value, text: &str) -> u32 {
        let profile = description["scenario"]["profile"].as_str().unwrap_or_default();
        self.changes.iter().rfind(|change| change.concerns(profile, text)).map_or(0, |change| change.number)
    }
}

/// Number of the last change that concerns runs of an effective description; `text` is its canonical text.
pub(crate) fn results(description: &Value, text: &str) -> u32 {
    RESULTS.number(description, text)
}

/// Number of the last change that concerns runs of an effective description, given as its canonical text. 0 if it is
/// none.
pub fn results_of(text: &str) -> u32 {
    serde_json::from_str(text).map_or(0, |description| results(&description, text))
}

/// Number of the set of columns that tables of runs have.
pub fn columns() -> u32 {
    RESULTS.columns
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        columns = 3
        [[change]]
        number = 1
        [[change]]
        number = 2
        profiles = ["linux", "rfc"]
        [[change]]
        number = 3
        has = ['"reception":"snr"', '"speed"']
        [[change]]
        number = 4
        profiles = ["ns2"]
        lacks = ['"speed"', '"snr"']
    "#;

    fn number(description: &str) -> u32 {
        Results::read(TEXT).number(&serde_json::from_str(description).unwrap(), description)
    }

    #[test]
    fn the_last_change_that_concerns_a_run_counts() {
        assert_eq!(number(r#"{"scenario":{"profile":"ns2"}}"#), 4);
        assert_eq!(number(r#"{"scenario":{"profile":"ns2"},"topology":{"speed":1}}"#), 1);
        assert_eq!(number(r#"{"scenario":{"profile":"rfc"}}"#), 2);
        assert_eq!(number(r#"{"scenario":{"profile":"rfc"},"topology":{"reception":"snr"}}"#), 2);
        assert_eq!(number(r#"{"scenario":{"profile":"ns2"},"topology":{"reception":"snr","speed":1}}"#), 3);
    }

    #[test]
    fn our_own_file_can_be_read() {
        assert!(RESULTS.columns >= 1);
        assert!(ENGINE_VERSION.contains("+results."));
    }
}
