//! Connections over several paths, from the text to the tables.

use scenario::{Column, RunOptions, Scenario, Table};

const TWO: &str = r#"
[scenario]
duration = "20 s"
profile = "rfc"

[topology]
kind = "graph"
links = [
    { name = "wifi", from = "a", to = "b", rate = "6 Mbps", delay = "10 ms" },
    { name = "up", from = "a", to = "tower", rate = "100 Mbps", delay = "5 ms" },
    { name = "down", from = "tower", to = "b", rate = "4 Mbps", delay = "20 ms" },
]

[[flows]]
name = "c"
from = "a"
to = "b"
algorithm = "mveno"
multipath = 2

[[flows]]
name = "other"
from = "a"
to = "tower"
algorithm = "newreno"
size = "100 kB"
"#;

fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn problem(key: &str) -> String {
    let text = TWO.replace("multipath = 2", &format!("multipath = {key}"));
    Scenario::from_toml(&text, "test.toml", &[]).expect_err(key).to_string()
}

fn words(table: &Table, name: &str) -> Vec<String> {
    match table.column(name) {
        Some(Column::Str(values)) => values.iter().map(|word| word.to_string()).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

fn counts(table: &Table, name: &str) -> Vec<i64> {
    match table.column(name) {
        Some(Column::I64(values)) => values.clone(),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_connection_stands_before_its_subflows() {
    let flows = scenario(TWO).points()[0].run(1, &RunOptions::default()).unwrap().flows;
    assert_eq!(words(&flows, "flow"), ["c", "c.0", "c.1", "other"]);
    assert_eq!(words(&flows, "group"), ["c", "c.subflows", "c.subflows", "other"]);
    assert_eq!(words(&flows, "transport"), ["multipath", "subflow", "subflow", "tcp"]);
    assert_eq!(words(&flows, "algorithm"), ["mveno", "mveno", "mveno", "newreno"]);
    let delivered = counts(&flows, "delivered_bytes");
    assert!(delivered[0] <= delivered[1] + delivered[2] && delivered[0] > 15_000_000, "{delivered:?}");
    assert_eq!(delivered[3], 100_000);
    for column in ["sent_segments", "retransmitted_segments", "loss_queue", "acks_sent"] {
        let values = counts(&flows, column);
        assert_eq!(values[0], values[1] + values[2], "{column}");
    }
}

#[test]
fn both_ways_to_write_the_paths_mean_the_same() {
    let written = TWO.replace("multipath = 2", r#"multipath = { paths = [["wifi"], ["up", "down"]], coupled = true }"#);
    let result = |text: &str| scenario(text).points()[0].run(3, &RunOptions::default()).unwrap();
    // by their text, because a number that does not exist is not equal to itself
    assert_eq!(format!("{:?}", result(TWO)), format!("{:?}", result(&written)));
    for text in [TWO, &written] {
        let effective = scenario(text).points()[0].effective().unwrap();
        let again = Scenario::from_json(&effective, "again.json", &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.points()[0].effective().unwrap(), effective);
    }
}

#[test]
fn a_group_of_pairs_finds_the_paths_of_each() {
    let text = TWO.replace("multipath = 2", "multipath = { paths = 1, buffer = \"50 segments\" }\ncount = 2");
    let flows = scenario(&text).points()[0].run(1, &RunOptions::default()).unwrap().flows;
    assert_eq!(words(&flows, "flow"), ["c/0", "c/0.0", "c/1", "c/1.0", "other"]);
}

#[test]
fn a_transfer_ends() {
    let text = TWO.replace("multipath = 2", "multipath = 2\nsize = \"1 MB\"");
    let flows = scenario(&text).points()[0].run(1, &RunOptions::default()).unwrap().flows;
    assert_eq!(counts(&flows, "delivered_bytes")[0], 1_000_000);
    match flows.column("completion_s") {
        Some(Column::F64(values)) => assert!(values[0] > 0.8 && values[0] < 5.0, "{values:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_wrong_is_said() {
    for (key, message) in [
        ("3", "asks for 3 paths without a common link, 2 were found"),
        ("0", "`flows.c.multipath` is 0"),
        (r#"[["wifi"]]"#, ""),
        (r#"{ paths = [["wify"]] }"#, "is \"wify\", which is no link"),
        (r#"{ paths = [["down"]] }"#, "does not lead from one end"),
        (r#"{ paths = [] }"#, "has 0 paths"),
        (r#"{ paths = 2, bufer = 3 }"#, "bufer"),
        (r#"{ paths = 2, buffer = "0 segments" }"#, "0 segments"),
        (r#"{ coupled = true }"#, "paths"),
    ] {
        if message.is_empty() {
            let text = TWO.replace("multipath = 2", &format!("multipath = {key}"));
            scenario(&text);
        } else {
            let found = problem(key);
            assert!(found.contains(message), "{key}: {found}");
        }
    }
    let other = TWO.replace("algorithm = \"mveno\"", "algorithm = \"newreno\"");
    scenario(&other); // uncoupled
    let coupled = other.replace("multipath = 2", "multipath = { paths = 2, coupled = true }");
    let found = Scenario::from_toml(&coupled, "test.toml", &[]).unwrap_err().to_string();
    assert!(found.contains("do not depend on each other"), "{found}");
    let both = TWO.replace("multipath = 2", "multipath = 2\ndirection = \"both\"");
    let found = Scenario::from_toml(&both, "test.toml", &[]).unwrap_err().to_string();
    assert!(found.contains("both directions"), "{found}");
}
