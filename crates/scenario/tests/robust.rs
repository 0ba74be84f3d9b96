//! Whatever is written, reading it returns a scenario or an error; it never panics.

use proptest::prelude::*;
use scenario::Scenario;

const BIG: &str = r#"
[scenario]
name = "everything"
duration = "200 s"
warmup = "10 s"
profile = "ns2"
seeds = [1, 2, 3]

[topology]
kind = "dumbbell"
pairs = 3
access = { rate = "100 Mbps", delay = "1 ms" }
send_jitter = "1 ms"
left = { delay = "2 ms", reverse = { rate = "10 Mbps", loss = { model = "gilbert-elliott", rate = "1 %", burst = "5 packets", good_loss = "0.1 %" } } }
right = { policer = { rate = "90 Mbps", burst = "30 kB" }, queue = { discipline = "red", min = "auto", max = "auto", weight = 0.01, unit = "bytes" }, loss = { model = "replay", lost = [3, 8], repeat = true, length = 100 } }
bottleneck = { rate = "8 Mbps", delay = "50 ms", queue = "75 kB", loss = { model = "uniform", rate = "1 %", at = "queue", direction = "both" }, drops = { forward = [3, 1], reverse = [7] }, warning = { threshold = "25 packets", weight = 0.01 }, changes = [{ at = "5 s", rate = "2 Mbps", delay = "80 ms" }], outages = [{ at = "20 s", for = "2 s", every = "30 s", packets = "lost" }], jitter = { model = "pareto", mean = "5 ms", shape = 3.0, reorder = true }, reverse = { trace = [1, 4, 4], changes = [{ at = "9 s", delay = "1 ms" }] } }

[tcp]
window = "64 segments"
limited_transmit = "off"

[[flows]]
name = "a"
from = "left/*"
to = "right/*"
count = 2
algorithm = { name = "westwood-plus", wp_gain = 0.8 }
start = "uniform(0 s, 10 s)"
size = "10 MB"

[[flows]]
from = "right/0"
to = "left/0"
algorithm = "sack"
direction = "both"
reverse_start = "1 s"
tcp = { dup_threshold = 4, initial_window = "rfc5681", ecn = true, ecn_echo = "latched" }

[[flows]]
name = "voice"
from = "left/1"
to = "right/1"
transport = "udp"
traffic = { kind = "on-off", rate = "64 kbps", packet = "160 B", header = "40 B", on = "1 s", off = "1350 ms", distribution = "pareto", shape = 1.5 }
stop = "100 s"

[[flows]]
name = "web"
from = "left/*"
to = "right/*"
algorithm = "cubic"
arrivals = "poisson(0.2 per s)"
size = "pareto(12 kB, 1.2)"
stop = "100 s"

[[flows]]
name = "spread"
from = "left/*"
to = "right/*"
algorithm = "newreno"
start = "every(1 s)"
stop = "normal(150 s, 10 s)"
size = "lognormal(1 MB, 2 MB)"

[[flows]]
name = "stream"
from = "left/1"
to = "right/1"
algorithm = { name = "tfrc-sp", sp_gap = "20 ms" }
segment = "200 B"
header = "28 B"
start = "uniform(0 s, 1 s)"

[[flows]]
name = "video"
from = "left/1"
to = "right/1"
transport = "udp"
traffic = { kind = "cbr", rate = "1 Mbps", packet = "1000 B", random = true }

[output]
traces = ["cwnd", "queue"]
trace_step = "0.1 s"
events = true

[sweep]
"flows.a.algorithm" = ["newreno", { name = "westwood-plus", wp_gain = 0.5 }]
"topology.bottleneck.queue" = ["5 packets", "50 packets"]
"#;

/// Use everything that reading a scenario gives.
fn exercise(read: Result<Scenario, scenario::Error>) {
    match read {
        Err(error) => assert!(error.to_string().lines().count() <= 2, "{error}"),
        Ok(scenario) => {
            for point in scenario.points().iter().take(3) {
                let _ = (point.axes(), point.key(1));
                let effective = point.effective().unwrap();
                let again =
                    Scenario::from_json(&effective, "effective", &[]).unwrap_or_else(|e| panic!("{e}\n{effective}"));
                assert_eq!(again.points()[0].effective().unwrap(), effective);
                let _ = point.network(1).unwrap();
            }
        }
    }
}

#[test]
fn the_scenario_with_everything_is_good() {
    let scenario = Scenario::from_toml(BIG, "big.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scenario.points().len(), 4);
    exercise(Ok(scenario));
}

/// Words that mean something to the reader, and some that hurt.
fn word() -> impl Strategy<Value = String> {
    let words: Vec<String> = BIG
        .split(|c: char| c.is_whitespace() || "[]{}=,\"".contains(c))
        .filter(|word| !word.is_empty())
        .chain([
            "-1",
            "0",
            "1e308",
            "nan",
            "inf",
            "99999999999999999999",
            "1e400 Mbps",
            "uniform(",
            "uniform(1 s,)",
            "*",
            "**",
        ])
        .chain([
            "graph",
            "three-routers",
            "0 %",
            "-0 %",
            "1e-320 %",
            "é",
            "\u{0}",
            "%",
            ".",
            "..",
            "10 Tbps",
            "1 h",
            "true",
        ])
        .chain([
            "left/*/*",
            "flows.a",
            "sweep.flows.algorithm",
            "sweep",
            "\"",
            "\\",
            "null",
            "31 TB",
            "1e-9 ns",
            "100000",
        ])
        .map(str::to_owned)
        .collect();
    proptest::sample::select(words)
}

/// JSON values that look like parts of scenarios.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (0_i64..12).prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        word().prop_map(Into::into),
        (any::<f64>(), word()).prop_map(|(number, unit)| format!("{number} {unit}").into()),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            proptest::collection::vec((word(), inner), 0..8)
                .prop_map(|entries| { serde_json::Value::Object(entries.into_iter().collect()) }),
        ]
    })
}

/// Descriptions of each kind.
const CASES: u32 = 5000;

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spoiled_text(cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0_usize..12, word()), 1..4)) {
        let mut text: Vec<char> = BIG.chars().collect();
        for (at, length, word) in cuts {
            let at = at.index(text.len());
            let end = (at + length).min(text.len());
            text.splice(at..end, word.chars());
        }
        exercise(Scenario::from_toml(&text.into_iter().collect::<String>(), "spoiled.toml", &[]));
    }

    #[test]
    fn swapped_words(at in any::<prop::sample::Index>(), with in word()) {
        let words: Vec<(usize, &str)> = BIG.match_indices('"').step_by(2)
            .filter_map(|(at, _)| BIG[at + 1..].find('"').map(|length| (at + 1, &BIG[at + 1..at + 1 + length])))
            .collect();
        let (start, old) = words[at.index(words.len())];
        let with = with.replace(['"', '\\'], "");
        let text = format!("{}{with}{}", &BIG[..start], &BIG[start + old.len()..]);
        exercise(Scenario::from_toml(&text, "swapped.toml", &[]));
    }

    #[test]
    fn any_text(text in any::<String>()) {
        exercise(Scenario::from_toml(&text, "any.toml", &[]));
        exercise(Scenario::from_json(&text, "<dict>", &[]));
    }

    #[test]
    fn overrides(key in proptest::collection::vec(word(), 1..5), value in prop_oneof![word(), any::<String>()]) {
        exercise(Scenario::from_toml(BIG, "big.toml", &[(key.join("."), value)]));
    }

    #[test]
    fn spoiled_dicts(path in proptest::collection::vec(any::<prop::sample::Index>(), 1..6), with in json()) {
        // Replace what a random walk down a good scenario ends at.
        let good = Scenario::from_toml(BIG, "big.toml", &[]).unwrap().points()[0].effective().unwrap();
        let mut whole: serde_json::Value = serde_json::from_str(&good).unwrap();
        let mut pointer = String::new();
        for step in path {
            match whole.pointer(&pointer) {
                Some(serde_json::Value::Object(map)) if !map.is_empty() => {
                    let key = map.keys().nth(step.index(map.len())).unwrap();
                    pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                }
                Some(serde_json::Value::Array(list)) if !list.is_empty() => {
                    pointer = format!("{pointer}/{}", step.index(list.len()));
                }
                _ => break,
            }
        }
        *whole.pointer_mut(&pointer).unwrap() = with;
        exercise(Scenario::from_json(&whole.to_string(), "<dict>", &[]));
    }

    #[test]
    fn any_dict(value in json()) {
        exercise(Scenario::from_json(&value.to_string(), "<dict>", &[]));
    }
}

/// Drawn scenarios, and then with one value put out of place. All of the former are good, some of the latter: both the
/// readers of good values and the refusals are gone through.
#[test]
fn generated() {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: CASES,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let spoiled = std::cell::Cell::new(0);
    let case = (any::<u64>(), any::<prop::sample::Index>(), any::<prop::sample::Index>(), json());
    let result = runner.run(&case, |(seed, section, entry, with)| {
        let mut value = generator::describe(&generator::bytes(seed));
        let read = Scenario::from_json(&value.to_string(), "<dict>", &[]);
        exercise(Ok(read.unwrap_or_else(|error| panic!("{error}\n{value}"))));
        let sections = value.as_object_mut().unwrap();
        let section = sections.values_mut().nth(section.index(3)).unwrap();
        let table = match section {
            serde_json::Value::Array(list) => list[0].as_object_mut(),
            other => other.as_object_mut(),
        };
        let table = table.expect("every section is a table, or a list of tables");
        let entry = entry.index(table.len());
        *table.values_mut().nth(entry).expect("a required key") = with;
        let read = Scenario::from_json(&value.to_string(), "<dict>", &[]);
        spoiled.set(spoiled.get() + u32::from(read.is_ok()));
        exercise(read);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let spoiled = spoiled.get();
    assert!((CASES / 500..CASES / 2).contains(&spoiled), "{spoiled} of {CASES} are good with a value out of place");
}
