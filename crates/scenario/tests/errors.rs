//! Every mistake a user can make gives one or two lines: the code, the place, what to write.

use scenario::{Error, Point, Scenario};

/// A scenario in which each test spoils one thing.
const GOOD: &str = r#"[scenario]
duration = "20 s"
warmup = "1 s"

[topology]
kind = "dumbbell"
pairs = 2
access = { rate = "100 Mbps", delay = "1 ms" }
bottleneck = { rate = "8 Mbps", delay = "50 ms", queue = "50 packets", loss = "1 %" }

[[flows]]
from = "left/*"
to = "right/*"
algorithm = "newreno"

[sweep]
"topology.access.loss.rate" = ["0 %", "1 %"]
"#;

const GRAPH: &str = r#"[scenario]
duration = "20 s"

[topology]
kind = "graph"
nodes = ["a", "b", "c", "d"]

[[topology.links]]
from = "a"
to = "b"
rate = "8 Mbps"
delay = "1 ms"

[[topology.links]]
from = "c"
to = "d"
rate = "8 Mbps"
delay = "1 ms"

[[flows]]
from = "a"
to = "b"
algorithm = "newreno"
"#;

fn refused(text: &str) -> Error {
    let error = Scenario::from_toml(text, "fig.toml", &[]).expect_err("the scenario is wrong");
    let shown = error.to_string();
    assert!(shown.lines().count() <= 2, "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() < 500), "{shown}");
    assert!(scenario::errors().iter().any(|(code, _)| *code == error.code), "{shown}");
    error
}

/// The error after replacing `old` by `new` in the good scenario: "code, line, words of the message or hint".
#[track_caller]
fn spoiled(old: &str, new: &str, code: &str, line: usize, words: &str) {
    spoiled_in(GOOD, old, new, code, line, words);
}

#[track_caller]
fn spoiled_in(text: &str, old: &str, new: &str, code: &str, line: usize, words: &str) {
    assert!(text.contains(old), "`{old}` is not in the scenario");
    let shown = refused(&text.replacen(old, new, 1)).to_string();
    assert!(shown.starts_with(&format!("error[scenario.{code}]: fig.toml, line {line}: ")), "{shown}");
    assert!(shown.contains(words), "{shown}\nwanted: {words}");
}

#[test]
fn the_good_ones_are_good() {
    assert_eq!(Scenario::from_toml(GOOD, "fig.toml", &[]).unwrap().points().len(), 2);
    assert_eq!(Scenario::from_toml(GRAPH, "fig.toml", &[]).unwrap().points().len(), 1);
}

#[test]
fn algorithms() {
    spoiled(
        "\"newreno\"",
        "\"newrneo\"",
        "unknown-algorithm",
        14,
        "no algorithm `newrneo`\nhint: did you mean `newreno`?",
    );
    spoiled("\"newreno\"", "\"bogus\"", "unknown-algorithm", 14, "`windlass list algorithms` shows all");
    spoiled("\"newreno\"", "3", "wrong-type", 14, "text");
    let with = |parameter: &str| format!("{{ name = \"westwood-plus\", {parameter} }}");
    spoiled("\"newreno\"", &with("wp_gian = 0.5"), "unknown-parameter", 14, "did you mean `wp_gain`?");
    spoiled("\"newreno\"", &with("wp_gain = 1.5"), "bad-parameter", 14, "allowed is 0 to 1");
    spoiled("\"newreno\"", &with("wp_gain = nan"), "bad-number", 14, "finite");
    spoiled("\"newreno\"", &with("wp_gain = true"), "bad-parameter", 14, "number");
    spoiled("\"newreno\"", &with("wp_raise = 1"), "bad-parameter", 14, "true or false");
    spoiled("\"newreno\"", &with("wp_min_interval = 0.05"), "unit-missing", 14, "wp_min_interval");
    spoiled("\"newreno\"", &with("wp_min_interval = \"8 Mbps\""), "wrong-unit", 14, "a time");
    spoiled("\"newreno\"", "{ wp_gain = 0.5 }", "missing-key", 14, "`flows.algorithm.name` is not given");
}

#[test]
fn units_and_numbers() {
    spoiled("\"8 Mbps\"", "8", "unit-missing", 9, "write `rate = \"8 Mbps\"`");
    spoiled("\"8 Mbps\"", "\"8\"", "unit-missing", 9, "without a unit");
    spoiled(
        "\"8 Mbps\"",
        "\"8 ms\"",
        "wrong-unit",
        9,
        "wanted is a rate: `ms` is a unit of a time\nhint: write a rate such as \"8 Mbps\"",
    );
    spoiled("\"8 Mbps\"", "\"8 mbps\"", "wrong-unit", 9, "did you mean `Mbps`?");
    spoiled("\"8 Mbps\"", "\"8 Mb\"", "wrong-unit", 9, "for bits per second write \"8 Mbps\"");
    spoiled("\"8 Mbps\"", "\"8 MBps\"", "wrong-unit", 9, "\"64 Mbps\" if bytes are meant, \"8 Mbps\" if bits are");
    spoiled("\"8 Mbps\"", "\"8 furlongs\"", "wrong-unit", 9, "as in \"8 Mbps\"");
    spoiled("\"8 Mbps\"", "\"fast\"", "bad-number", 9, "a number and its unit");
    spoiled("\"8 Mbps\"", "\"inf Mbps\"", "bad-number", 9, "wanted is a rate");
    spoiled("\"8 Mbps\"", "\"1e400 Mbps\"", "bad-number", 9, "wanted is a rate");
    spoiled("\"8 Mbps\"", "nan", "bad-number", 9, "finite");
    spoiled("\"8 Mbps\"", "[]", "wrong-type", 9, "a rate");
    spoiled("\"8 Mbps\"", "\"-8 Mbps\"", "out-of-range", 9, "must be positive");
    spoiled("\"8 Mbps\"", "\"0 Mbps\"", "out-of-range", 9, "must be positive");
    spoiled("\"8 Mbps\"", "\"0.1 bps\"", "out-of-range", 9, "must be positive");
    spoiled("\"8 Mbps\"", "\"11 Tbps\"", "out-of-range", 9, "10000 Gbps at most");
    spoiled("\"50 ms\"", "\"-1 ms\"", "out-of-range", 9, "must not be negative");
    spoiled("\"50 ms\"", "\"2 h\"", "out-of-range", 9, "3600 s at most");
    spoiled("\"1 %\"", "\"101 %\"", "out-of-range", 9, "100 % at most");
    spoiled("\"1 %\"", "\"-1 %\"", "out-of-range", 9, "must not be negative");
    spoiled("\"1 %\"", "0.01", "unit-missing", 9, "%");
    spoiled("\"50 packets\"", "\"0 packets\"", "out-of-range", 9, "1 packets at least");
    spoiled("\"50 packets\"", "\"0 B\"", "out-of-range", 9, "1 B at least");
    spoiled("\"50 packets\"", "\"2 PB\"", "wrong-unit", 9, "packets");
    spoiled("\"50 packets\"", "\"2000 TB\"", "out-of-range", 9, "at most");
    spoiled("\"50 packets\"", "\"2.5 packets\"", "bad-number", 9, "whole packets");
    spoiled("\"50 packets\"", "99999999999999999999999", "unit-missing", 9, "packets");
    spoiled("pairs = 2", "pairs = 99999999999999999999999", "out-of-range", 7, "pairs");
    spoiled("pairs = 2", "pairs = 0", "out-of-range", 7, "is 0");
    spoiled(
        "algorithm = \"newreno\"",
        "algorithm = \"newreno\"\ncount = 0",
        "out-of-range",
        15,
        "allowed is 1 to 100000",
    );
    spoiled("pairs = 2", "pairs = -3", "out-of-range", 7, "is -3");
    spoiled("pairs = 2", "pairs = 2.5", "bad-number", 7, "whole number");
}

#[test]
fn times() {
    spoiled(
        "duration = \"20 s\"\n",
        "",
        "missing-key",
        1,
        "`scenario.duration` is not given\nhint: write `duration = \"100 s\"`",
    );
    spoiled("\"20 s\"", "\"0 s\"", "out-of-range", 2, "must be positive");
    spoiled("\"20 s\"", "\"1e9 s\"", "out-of-range", 2, "at most");
    spoiled("\"20 s\"", "\"1e300 s\"", "out-of-range", 2, "at most");
    spoiled("warmup = \"1 s\"", "warmup = \"20 s\"", "warmup", 3, "the run lasts only 20 s");
    let start = |time: &str| format!("algorithm = \"newreno\"\nstart = \"{time}\"");
    spoiled("algorithm = \"newreno\"", &start("20 s"), "never-active", 15, "over");
    spoiled("algorithm = \"newreno\"", &start("uniform(3 s, 1 s)"), "out-of-range", 15, "the smaller comes first");
    spoiled("algorithm = \"newreno\"", &start("uniform(3 s)"), "out-of-range", 15, "uniform(0 s, 10 s)");
    spoiled("algorithm = \"newreno\"", &start("uniform(3, 4)"), "unit-missing", 15, "without a unit");
    spoiled("algorithm = \"newreno\"", &start("gamma(3 s, 1 s)"), "unknown-word", 15, "no distribution of that name");
    spoiled(
        "algorithm = \"newreno\"",
        &start("2 s\"\nstop = \"1 s"),
        "never-active",
        16,
        "before the flow has started",
    );
}

#[test]
fn keys_and_words() {
    spoiled("pairs", "piars", "unknown-key", 7, "`topology` has no key `piars`\nhint: did you mean `pairs`?");
    spoiled("{ rate = \"8", "{ bandwidth = \"8", "unknown-key", 9, "there is `rate`");
    spoiled(
        "[[flows]]",
        "[tpc]\nwindow = \"3 segments\"\n[[flows]]",
        "unknown-key",
        11,
        "no section `tpc`\nhint: did you mean `tcp`?",
    );
    spoiled("\"dumbbell\"", "\"dumbell\"", "unknown-word", 6, "did you mean `dumbbell`?");
    spoiled("kind = \"dumbbell\"\n", "", "missing-key", 5, "`topology.kind`");
    spoiled("rate = \"8 Mbps\", ", "", "missing-key", 9, "`topology.bottleneck.rate` is not given");
    let unswept = GOOD.split("[sweep]").next().unwrap();
    let access = "access = { rate = \"100 Mbps\", delay = \"1 ms\" }\n";
    spoiled_in(unswept, access, "", "missing-key", 5, "`topology.access` is not given");
    spoiled("[[flows]]", "[flows]", "wrong-type", 11, "[[flows]]");
    spoiled("pairs = 2", "pairs = \"2 pairs\"", "wrong-type", 7, "a number without unit");
    spoiled("loss = \"1 %\"", "loss = { rate = \"1 %\", at = \"air\" }", "unknown-word", 9, "`wire`");
    spoiled("loss = \"1 %\"", "loss = { rate = \"1 %\", model = \"fading\" }", "unknown-word", 9, "`uniform`");
    spoiled("loss = \"1 %\"", "warning = { weight = 2.0 }", "out-of-range", 9, "up to 1");
    spoiled("loss = \"1 %\"", "drops = { forward = [-1] }", "out-of-range", 9, "is -1");
}

const VOICE: &str = r#"[scenario]
duration = "20 s"

[topology]
kind = "dumbbell"
access = { rate = "100 Mbps", delay = "1 ms" }
bottleneck = { rate = "8 Mbps", delay = "50 ms" }

[[flows]]
from = "left/*"
to = "right/*"
transport = "udp"

[flows.traffic]
kind = "on-off"
rate = "1 Mbps"
packet = "1000 B"
on = "500 ms"
off = "500 ms"
distribution = "pareto"
shape = 1.5
"#;

#[test]
fn datagrams() {
    Scenario::from_toml(VOICE, "fig.toml", &[]).unwrap();
    let spoiled = |old, new, code, line, words| spoiled_in(VOICE, old, new, code, line, words);
    spoiled("\"udp\"", "\"upd\"", "unknown-word", 12, "did you mean `udp`?");
    spoiled(
        "\"udp\"",
        "\"udp\"\nalgorithm = \"reno\"",
        "conflict",
        13,
        "`flows.algorithm` has no use with `transport = \"udp\"`",
    );
    spoiled("\"udp\"", "\"udp\"\nsize = \"1 MB\"", "conflict", 13, "write `transport = \"tcp\"`");
    spoiled(
        "\"udp\"",
        "\"tcp\"\nalgorithm = \"reno\"",
        "conflict",
        15,
        "`flows.traffic` has no use with `transport = \"tcp\"`",
    );
    spoiled("[flows.traffic]\nkind = \"on-off\"", "[[flows]]", "missing-key", 9, "`flows.flow.traffic` is not given");
    spoiled("\"on-off\"", "\"onoff\"", "unknown-word", 15, "did you mean `on-off`?");
    spoiled("\"on-off\"", "\"poisson\"", "conflict", 18, "`flows.traffic.on` has no use with `kind = \"poisson\"`");
    spoiled("kind = \"on-off\"", "kind = \"on-off\"\nrandom = true", "conflict", 16, "write `kind = \"cbr\"`");
    spoiled("on = \"500 ms\"\n", "", "missing-key", 14, "`flows.traffic.on` is not given");
    spoiled("\"1 Mbps\"", "\"0 bps\"", "out-of-range", 16, "it must be positive");
    spoiled("\"1000 B\"", "\"70 kB\"", "out-of-range", 17, "allowed is 64 kB at most");
    spoiled("\"pareto\"", "\"exponential\"", "conflict", 21, "write `distribution = \"pareto\"`");
    spoiled("1.5", "1", "out-of-range", 21, "no mean at a shape of 1");
}

#[test]
fn distributions_and_arrivals() {
    let spoiled = |more: &str, code, line, words| {
        spoiled("algorithm = \"newreno\"", &format!("algorithm = \"newreno\"\n{more}"), code, line, words);
    };
    spoiled("start = \"exponental(1 s)\"", "unknown-word", 15, "did you mean `exponential`?");
    spoiled("start = \"exponential(1 s, 2 s)\"", "out-of-range", 15, "`exponential` takes 1 in parentheses");
    spoiled("start = \"normal(1 s)\"", "out-of-range", 15, "`normal` takes 2 in parentheses");
    spoiled("start = \"normal(1 s, 1 s\"", "out-of-range", 15, "`normal` takes 2 in parentheses");
    spoiled("start = \"uniform(9 s, 1 s)\"", "out-of-range", 15, "the smaller comes first");
    spoiled("start = \"pareto(1 s, 1)\"", "out-of-range", 15, "no mean at a shape of 1");
    spoiled("start = \"pareto(1 s, x)\"", "wrong-type", 15, "wanted is a number");
    spoiled("start = \"exponential(1 MB)\"", "wrong-unit", 15, "wanted is a time");
    spoiled("start = \"exponential(0 s)\"", "out-of-range", 15, "it must be positive");
    spoiled("start = \"every(20 s)\"", "never-active", 15, "when the run of 20 s is over");
    spoiled("stop = \"every(20 s)\"", "unknown-word", 15, "no distribution of that name");
    spoiled("size = \"exponential(1 s)\"", "wrong-unit", 15, "wanted is a size");
    spoiled("arrivals = \"5 /s\"", "missing-key", 15, "write `size = \"exponential(20 kB)\"`");
    spoiled("arrivals = \"5\"\nsize = \"1 MB\"", "bad-number", 15, "write a number per second");
    spoiled("arrivals = \"poisson(5 per min)\"\nsize = \"1 MB\"", "bad-number", 15, "\"poisson(5 per s)\"");
    spoiled("arrivals = \"-1 /s\"\nsize = \"1 MB\"", "out-of-range", 15, "allowed is 0.000001 to");
    spoiled("arrivals = \"10000 /s\"\nsize = \"1 MB\"", "too-many-flows", 15, "brings about 200000 flows");
    spoiled("arrivals = \"5 /s\"\nsize = \"1 MB\"\ncount = 3", "conflict", 17, "where flows arrive at random");
    spoiled("arrivals = \"5 /s\"\nsize = \"1 MB\"\nstart = \"uniform(0 s, 1 s)\"", "conflict", 15, "not drawn");
}

#[test]
fn rate_controlled_flows() {
    let spoiled = |new, code, line, words| spoiled("algorithm = \"newreno\"", new, code, line, words);
    spoiled(
        "algorithm = \"tfrc\"\nsize = \"1 MB\"",
        "conflict",
        15,
        "`flows.size` has no use with `transport = \"tfrc\"`",
    );
    spoiled("algorithm = \"tfrc\"\ntcp = {}", "conflict", 15, "write `transport = \"tcp\"`");
    spoiled(
        "algorithm = \"tfrc\"\ntransport = \"tcp\"",
        "conflict",
        14,
        "is `tfrc`, which is not for `transport = \"tcp\"`",
    );
    spoiled("algorithm = \"reno\"\ntransport = \"tfrc\"", "conflict", 14, "take `transport` away");
    spoiled("transport = \"tfrc\"", "missing-key", 11, "write `algorithm = \"tfrc\"`");
    spoiled("algorithm = \"newreno\"\nheader = \"8 B\"", "conflict", 15, "write `transport = \"tfrc\"`");
    spoiled("algorithm = { name = \"tfrc\", tfrc_b = 3 }", "bad-parameter", 14, "allowed is 1 to 2");
}

#[test]
fn engine_rules() {
    let rule = |rule: &str| format!("algorithm = \"newreno\"\ntcp = {{ {rule} }}");
    spoiled("algorithm = \"newreno\"", &rule("dup_threshold = 0"), "out-of-range", 15, "allowed is 1 to 10");
    spoiled("algorithm = \"newreno\"", &rule("dup_threshold = 11"), "out-of-range", 15, "allowed is 1 to 10");
    spoiled("algorithm = \"newreno\"", &rule("dupthreshold = 3"), "unknown-key", 15, "did you mean `dup_threshold`?");
    spoiled("algorithm = \"newreno\"", &rule("initial_window = 2"), "unit-missing", 15, "2 segments");
    spoiled(
        "algorithm = \"newreno\"",
        &rule("rto_min = \"2 s\", rto_max = \"1 s\""),
        "out-of-range",
        15,
        "`rto_min` above its `rto_max`",
    );
    spoiled("algorithm = \"newreno\"", &rule("recovery = \"newton\""), "unknown-word", 15, "there is");
    spoiled("algorithm = \"newreno\"", &rule("ca_count = \"ack\""), "unknown-word", 15, "acks");
    spoiled("algorithm = \"newreno\"", &rule("ss_limit = 2"), "unit-missing", 15, "2 segments");
    spoiled(
        "algorithm = \"newreno\"",
        &rule("ss_limit_rto = \"0 segments\""),
        "out-of-range",
        15,
        "1 segments at least",
    );
    spoiled("[[flows]]", "[tcp]\necn = 1\n[[flows]]", "wrong-type", 12, "true or false");
    spoiled("[[flows]]", "[tcp]\nect = \"ect1\"\n[[flows]]", "conflict", 13, "accecn");
    spoiled("[[flows]]", "[tcp]\necn_echo = \"counted\"\n[[flows]]", "unknown-word", 12, "latched");
}

#[test]
fn nodes_and_routes() {
    spoiled("\"left/*\"", "\"lfet/*\"", "unknown-node", 12, "matches no node");
    spoiled("\"right/*\"", "\"right/7\"", "unknown-node", 13, "did you mean `right/0`?");
    spoiled("\"right/*\"", "\"*/*\"", "counts-differ", 12, "matches 2 nodes and `to` matches 4 nodes");
    spoiled("\"right/*\"", "\"left/*\"", "same-node", 13, "pairs `left/0` with itself");
    spoiled_in(GRAPH, "to = \"b\"\nalgorithm", "to = \"d\"\nalgorithm", "no-route", 22, "no route from `a` to `d`");
    spoiled_in(GRAPH, "to = \"b\"\nrate", "to = \"x\"\nrate", "unknown-node", 10, "not among `nodes`");
    spoiled_in(GRAPH, "to = \"b\"\nrate", "to = \"a\"\nrate", "same-node", 8, "a node to itself");
    spoiled_in(
        GRAPH,
        "from = \"c\"\nto = \"d\"\n",
        "from = \"a\"\nto = \"b\"\n",
        "duplicate-name",
        14,
        "`name` of its own",
    );
    spoiled_in(GRAPH, "\"c\", \"d\"", "\"c\", \"c\"", "duplicate-name", 6, "has \"c\" twice");
    spoiled_in(GRAPH, "\"c\", \"d\"", "\"c*\", \"d\"", "bad-name", 6, "names have no `*`");
    let two = "algorithm = \"newreno\"\n[[flows]]\nname = \"flow\"\nfrom = \"a\"\nto = \"b\"\nalgorithm = \"reno\"\n";
    spoiled_in(GRAPH, "algorithm = \"newreno\"", two, "duplicate-name", 24, "two groups are named \"flow\"");
    spoiled_in(
        GRAPH,
        "algorithm = \"newreno\"",
        "algorithm = \"newreno\"\nname = \"tcp\"",
        "bad-name",
        24,
        "a key of this table",
    );
}

#[test]
fn too_much() {
    spoiled("pairs = 2", "pairs = 10_000_000", "too-many-flows", 7, "at most 100000");
    spoiled("algorithm", "count = 5_000_000\nalgorithm", "too-many-flows", 14, "at most 100000 flows");
    spoiled("algorithm", "count = 9223372036854775807\nalgorithm", "too-many-flows", 14, "at most 100000 flows");
    let values: Vec<String> = (0..1001).map(|n| format!("{n}")).collect();
    let axis = format!("[sweep]\n\"scenario.warmup\" = [{0}]\n\"flows.count\" = [{0}]\n", values.join(","));
    spoiled("[sweep]\n", &axis, "too-many-points", 18, "more than 1000000 points");
    assert_eq!(refused(&format!("# {}", "x".repeat(17 << 20))).code, "scenario.too-long");
}

#[test]
fn sweeps() {
    spoiled("[\"0 %\", \"1 %\"]", "[]", "empty-axis", 17, "has no values");
    spoiled("[\"0 %\", \"1 %\"]", "[\"1 %\", \"1 %\"]", "duplicate-value", 17, "twice");
    spoiled("[\"0 %\", \"1 %\"]", "\"1 %\"", "wrong-type", 17, "is not a list");
    spoiled("[\"0 %\", \"1 %\"]", "[\"1 %\", \"101 %\"]", "out-of-range", 17, "100 % at most");
    spoiled("access.loss", "acess.loss", "unknown-key", 17, "did you mean `access`?");
    spoiled("\"topology.access.loss.rate\"", "\"flows.algoritm\"", "unknown-key", 17, "did you mean `algorithm`?");
    spoiled("\"topology.access.loss.rate\"", "\"flows.folw.count\"", "unknown-flow", 17, "did you mean `flow`?");
    spoiled("\"topology.access.loss.rate\"", "\"topology.pairs.x\"", "unknown-key", 17, "it has no key `x`");
    spoiled("\"topology.access.loss.rate\"", "\"scenario.seeds\"", "not-sweepable", 17, "cannot be swept");
    spoiled("\"topology.access.loss.rate\"", "\"a..b\"", "bad-key", 17, "joined by dots");
}

#[test]
fn axes_that_go_together_need_a_value_for_each_key() {
    let rate = "\"topology.access.loss.rate\" = [\"0 %\", \"1 %\"]";
    let both = |values: &str| format!("\"topology.access.loss.rate, topology.access.delay\" = {values}");
    let wrong = |values: &str, code: &str, says: &str| spoiled(rate, &both(values), code, 17, says);
    wrong("[\"1 %\", \"2 %\"]", "wrong-type", "has 2 keys, and number 1 of its list is \"1 %\"");
    wrong("[[\"0 %\", \"1 ms\"], [\"1 %\"]]", "wrong-type", "number 2 of its list is a list");
    wrong("[[\"0 %\", \"1 ms\"], [\"0 %\", \"1 ms\"]]", "duplicate-value", "has [\"0 %\",\"1 ms\"] twice");
    wrong("[[\"0 %\", \"1 ms\"], [\"0 %\", \"1 m\"]]", "wrong-unit", "`topology.access.delay`");
    wrong("[]", "empty-axis", "has no values");
    let twice = "\"flows.count, flows.count\" = [[1, 2]]";
    spoiled(rate, twice, "conflict", 17, "`flows.count` has no effect");
    spoiled(rate, "\"flows.count, scenario.seeds\" = [[1, 2]]", "not-sweepable", 17, "cannot be swept");
    spoiled(rate, "\"flows.count,\" = [[1, 2]]", "bad-key", 17, "`` is not a key");
}

#[test]
fn keys_that_go_together_are_one_axis() {
    let text = GOOD.replace(
        "\"topology.access.loss.rate\" = [\"0 %\", \"1 %\"]",
        "\"flows.count\" = [1, 2]\n\
         \"topology.access.loss.rate, topology.access.delay\" = [[\"0 %\", \"1 ms\"], [\"0 %\", \"2 ms\"], [\"1 %\", \"5 ms\"]]",
    );
    let with = |sets: &[(&str, &str)]| {
        let sets: Vec<_> = sets.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        Scenario::from_toml(&text, "fig.toml", &sets).unwrap()
    };
    let labels = |scenario: &Scenario| -> Vec<String> {
        let point =
            |point: &Point| point.axes().iter().map(|(_, value)| value.to_string()).collect::<Vec<_>>().join(" ");
        scenario.points().iter().map(point).collect()
    };
    let all = with(&[]);
    assert_eq!(
        labels(&all),
        [
            "1 \"0 %\" \"1 ms\"",
            "1 \"0 %\" \"2 ms\"",
            "1 \"1 %\" \"5 ms\"",
            "2 \"0 %\" \"1 ms\"",
            "2 \"0 %\" \"2 ms\"",
            "2 \"1 %\" \"5 ms\""
        ]
    );
    let names: Vec<String> = all.points()[0].axes().into_iter().map(|(key, _)| key).collect();
    assert_eq!(names, ["flows.count", "topology.access.loss.rate", "topology.access.delay"]);
    // what is written out reads back to the same points
    let again = Scenario::from_json(&all.document(), "<dict>", &[]).unwrap();
    let effective = |scenario: &Scenario| -> Vec<String> {
        scenario.points().iter().map(|point| point.effective().unwrap()).collect()
    };
    assert_eq!(effective(&again), effective(&all));
    assert_eq!(again.document(), all.document());
    // what one key is set to is not swept; the other goes on, each value once
    assert_eq!(labels(&with(&[("topology.access.delay", "9 ms"), ("flows.count", "1")])), ["\"0 %\"", "\"1 %\""]);
    assert_eq!(with(&[("topology.access.delay", "9 ms"), ("topology.access.loss", "1 %")]).points().len(), 2);
    // an axis of the command line
    let set = ("sweep.flows.count, topology.access.delay", "[[1, \"1 ms\"], [4, \"2 ms\"]]");
    assert_eq!(labels(&with(&[set, ("topology.access.loss", "1 %")])), ["1 \"1 ms\"", "4 \"2 ms\""]);
    let alone = ("sweep.topology.access.delay", "[\"3 ms\"]");
    assert_eq!(labels(&with(&[alone, ("flows.count", "1")])), ["\"0 %\" \"3 ms\"", "\"1 %\" \"3 ms\""]);
}

#[test]
fn seeds() {
    let seeds = |seeds: &str| format!("[scenario]\nseeds = {seeds}");
    spoiled("[scenario]", &seeds("0"), "out-of-range", 2, "a list of seeds");
    spoiled(
        "[scenario]",
        &seeds("1e6"),
        "bad-number",
        2,
        "an exponent; wanted is a whole number\nhint: write `seeds = 1000000`",
    );
    spoiled("[scenario]", &seeds("2.5"), "bad-number", 2, "write `seeds = 3`");
    spoiled("[scenario]", &seeds("[]"), "empty-axis", 2, "empty");
    spoiled("[scenario]", &seeds("[1, 1]"), "duplicate-value", 2, "has 1 twice");
    spoiled("[scenario]", &seeds("[-1]"), "out-of-range", 2, "is -1");
    spoiled("[scenario]", &seeds("[1]\nfirst_seed = 2"), "conflict", 3, "beside a list");
}

#[test]
fn files_that_are_no_scenarios() {
    let error = refused("this is not\nTOML");
    assert_eq!((error.code, error.line), ("scenario.syntax", Some(1)));
    let error = refused("[topology]\nrate = 8 Mbps\n");
    assert_eq!((error.code, error.line), ("scenario.syntax", Some(2)));
    assert_eq!(refused("").code, "scenario.missing-key");
    assert_eq!(refused("\u{0}\u{1}").code, "scenario.syntax");
    let twice = refused("[b]\na = 1\na = 2");
    assert_eq!((twice.code, twice.line), ("scenario.syntax", Some(3)));
    assert!(twice.to_string().contains("the key `a` stands here for the second time"), "{twice}");
    assert!(twice.to_string().contains("hint: keep one"), "{twice}");
    assert!(refused("{\"scenario\": {}}").to_string().contains("`windlass.from_dict` takes"));
    assert_eq!(refused("scenario = 3").code, "scenario.wrong-type");
    let json = |text| Scenario::from_json(text, "<dict>", &[]).unwrap_err();
    assert_eq!(json("[]").code, "scenario.wrong-type");
    assert_eq!(json("{").code, "scenario.syntax");
    assert_eq!(json("{\"scenario\": null}").code, "scenario.missing-key");
}

#[test]
fn overrides() {
    let with = |sets: &[(&str, &str)]| {
        let sets: Vec<_> = sets.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Scenario::from_toml(GOOD, "fig.toml", &sets)
    };
    let shown = with(&[("flows.algorithm", "newrneo")]).unwrap_err().to_string();
    assert_eq!(
        shown,
        "error[scenario.unknown-algorithm]: --set flows.algorithm: no algorithm `newrneo`\n\
         hint: did you mean `newreno`? `windlass list algorithms` shows all; one of your own comes with `--python FILE`"
    );
    assert_eq!(with(&[("topology.botleneck.rate", "1 Mbps")]).unwrap_err().code, "scenario.unknown-key");
    assert_eq!(with(&[("", "1")]).unwrap_err().code, "scenario.bad-key");
    assert_eq!(with(&[("topology.access.loss.rate", "2 %")]).unwrap().points().len(), 1);
    assert_eq!(with(&[("sweep.flows.algorithm", "[\"reno\", \"sack\", \"tahoe\"]")]).unwrap().points().len(), 6);
    assert_eq!(with(&[("scenario.seeds", "3")]).unwrap().seeds(), [1, 2, 3]);
    // Setting what holds a swept key ends its sweep; setting a part of it has no clear meaning.
    assert_eq!(with(&[("topology.access.loss", "2 %")]).unwrap().points().len(), 1);
    let algorithms = ("sweep.flows.algorithm", "[\"reno\", \"westwood-plus\"]");
    assert_eq!(with(&[algorithms, ("flows.algorithm.wp_gain", "0.5")]).unwrap_err().code, "scenario.conflict");
    assert_eq!(with(&[("sweep", "{}")]).unwrap().points().len(), 1);
    assert_eq!(with(&[("sweep", "none")]).unwrap_err().code, "scenario.wrong-type");
    assert_eq!(with(&[("flows", "[]")]).unwrap_err().code, "scenario.missing-key");
}

#[test]
fn traces() {
    let output = "[output]\ntraces = [\"cwnd\"]\ntrace_step = \"1 us\"\n[[flows]]";
    spoiled("[[flows]]", output, "too-many-samples", 11, "`trace_step` longer");
    spoiled("[[flows]]", &output.replace("cwnd", "cwdn"), "unknown-word", 12, "did you mean `cwnd`?");
    spoiled("[[flows]]", &output.replace("1 us", "0 s"), "out-of-range", 13, "must be positive");
}

#[test]
fn a_negative_seed_is_refused() {
    assert_eq!(scenario::seed(7), Ok(7));
    let shown = scenario::seed(-1).unwrap_err().to_string();
    assert_eq!(shown, "error[scenario.out-of-range]: a seed of -1: it must not be negative");
}

#[test]
fn an_override_for_one_group_or_link_meets_the_sweep_of_all() {
    let groups = GOOD.replace(
        "\n[sweep]",
        "\n[[flows]]\nname = \"b\"\nfrom = \"right/0\"\nto = \"left/0\"\nalgorithm = \"reno\"\n\n[sweep]",
    );
    let groups = groups
        .replace("\"topology.access.loss.rate\" = [\"0 %\", \"1 %\"]", "\"flows.algorithm\" = [\"sack\", \"cubic\"]");
    let with =
        |text: &str, key: &str, value: &str| Scenario::from_toml(text, "fig.toml", &[(key.into(), value.into())]);
    let algorithms = |scenario: &Scenario| -> Vec<Vec<String>> {
        let of = |flow: &net::FlowSpec| match &flow.transport {
            net::Transport::Tcp(tcp) => tcp.algorithm.row().name.to_owned(),
            other => format!("{other:?}"),
        };
        scenario.points().iter().map(|point| point.network(1).unwrap().flows.iter().map(of).collect()).collect()
    };
    // Each point puts the swept value into every group, so the override would be lost.
    let error = with(&groups, "flows.b.algorithm", "vegas").unwrap_err();
    assert_eq!(error.code, "scenario.conflict");
    let hint = "override `flows.algorithm` to end its sweep, or `sweep.flows.algorithm` to change it";
    assert_eq!(error.hint.as_deref(), Some(hint));
    assert!(error.message.contains("`flows.b.algorithm` would have no effect"), "{error}");
    // Another key of the group, and an axis of its own, which comes later, do have an effect.
    assert_eq!(with(&groups, "flows.b.count", "2").unwrap().points().len(), 2);
    let two = with(&groups, "sweep.flows.b.algorithm", "[\"vegas\", \"reno\"]").unwrap();
    assert_eq!(algorithms(&two)[0], ["sack", "sack", "vegas"]);
    // The other way round: what is set for all is not swept for one.
    let one = groups.replace("\"flows.algorithm\"", "\"flows.b.algorithm\"");
    assert_eq!(Scenario::from_toml(&one, "fig.toml", &[]).unwrap().points().len(), 2);
    assert_eq!(algorithms(&with(&one, "flows.algorithm", "vegas").unwrap()), [["vegas", "vegas", "vegas"]]);
    // Links of a graph have names, too.
    let graph = format!("{GRAPH}\n[sweep]\n\"topology.links.rate\" = [\"1 Mbps\", \"2 Mbps\"]\n");
    assert_eq!(with(&graph, "topology.links.a-b.rate", "4 Mbps").unwrap_err().code, "scenario.conflict");
    assert_eq!(with(&graph, "topology.links.a-b.delay", "4 ms").unwrap().points().len(), 2);
}

#[test]
fn an_axis_that_a_later_one_undoes_is_refused() {
    let groups = GOOD.replace(
        "\n[sweep]",
        "\n[[flows]]\nname = \"b\"\nfrom = \"right/0\"\nto = \"left/0\"\nalgorithm = \"reno\"\n\n[sweep]",
    );
    let (all, one) = ("\"flows.algorithm\" = [\"sack\", \"cubic\"]", "\"flows.b.algorithm\" = [\"vegas\", \"reno\"]");
    let swept = |lines: &[&str], sets: &[(&str, &str)]| {
        let text = groups.replace("\"topology.access.loss.rate\" = [\"0 %\", \"1 %\"]", &lines.join("\n"));
        let sets: Vec<_> = sets.iter().map(|&(key, value)| (key.into(), value.into())).collect();
        Scenario::from_toml(&text, "fig.toml", &sets)
    };
    // the axis of one group after that of all says something; before it, all of its points would be one run
    assert_eq!(swept(&[all, one], &[]).unwrap().points().len(), 4);
    let error = swept(&[one, all], &[]).unwrap_err();
    assert_eq!(error.code, "scenario.conflict");
    assert!(error.line.is_some());
    assert!(error.message.contains("`flows.b.algorithm` has no effect: `flows.algorithm` stands after it"), "{error}");
    assert_eq!(error.hint.as_deref(), Some("leave one of them out, or write `flows.algorithm` first"));
    // so would they beside an axis for all that `--set` adds
    let added = [("sweep.flows.algorithm", "[\"sack\", \"cubic\"]")];
    assert_eq!(swept(&[one], &added).unwrap_err().code, "scenario.conflict");
    // what holds a key undoes it as well
    let (table, part) = (
        "\"topology.access\" = [{ rate = \"1 Mbps\", delay = \"1 ms\" }, { rate = \"2 Mbps\", delay = \"1 ms\" }]",
        "\"topology.access.delay\" = [\"1 ms\", \"2 ms\"]",
    );
    assert_eq!(swept(&[table, part], &[]).unwrap().points().len(), 4);
    assert_eq!(swept(&[part, table], &[]).unwrap_err().code, "scenario.conflict");
}

#[test]
fn proportional_rate_reduction_needs_a_recovery_that_it_can_steer() {
    let with = |algorithm: &str, tcp: &str| {
        let flow = format!("algorithm = \"{algorithm}\"\ntcp = {{ prr = true{tcp} }}");
        Scenario::from_toml(&GOOD.replace("algorithm = \"newreno\"", &flow), "fig.toml", &[])
    };
    assert!(with("newreno", "").is_ok());
    assert!(with("tahoe", ", recovery = \"sack\"").is_ok());
    let own = ", recovery = \"algorithm\"";
    let as_ns2 = format!("{own}, ns2_recovery = true");
    for (algorithm, tcp) in [("tahoe", ""), ("tahoe", own), ("bbr", ""), ("sack", as_ns2.as_str())] {
        let error = with(algorithm, tcp).unwrap_err();
        assert_eq!(error.code, "scenario.conflict", "{algorithm}");
        assert!(error.to_string().contains("tcp.prr"), "{error}");
    }
}

/// FullTcp has no rules of Vegas: asked for together they are a conflict, and with data both ways it is not the
/// default.
#[test]
fn full_tcp_has_no_recovery_of_vegas() {
    let with = |algorithm: &str, rest: &str| {
        let flow = format!("algorithm = \"{algorithm}\"\n{rest}");
        let text = GOOD.replace("algorithm = \"newreno\"", &flow).replace("duration", "profile = \"ns2\"\nduration");
        Scenario::from_toml(&text, "fig.toml", &[])
    };
    for (algorithm, tcp) in [("vegas", ""), ("newreno", ", recovery = \"vegas\"")] {
        assert!(with(algorithm, &format!("direction = \"both\"\ntcp = {{ header = \"40 B\"{tcp} }}")).is_ok());
        let error = with(algorithm, &format!("direction = \"both\"\ntcp = {{ agent = \"full\"{tcp} }}")).unwrap_err();
        assert_eq!(error.code, "scenario.conflict", "{algorithm}");
        assert!(error.to_string().contains("FullTcp") && error.to_string().contains("one-way"), "{error}");
    }
    assert!(with("vegas", "tcp = { agent = \"full\", recovery = \"sack\" }").is_ok());
}

/// The hint of an override of the good scenario.
#[track_caller]
fn hint_of(key: &str, value: &str) -> String {
    let set = (key.to_owned(), value.to_owned());
    let error = Scenario::from_toml(GOOD, "fig.toml", &[set]).expect_err("the scenario is wrong");
    error.hint.unwrap_or_else(|| panic!("no hint: {}", error.message))
}

#[test]
fn a_bare_share_is_asked_about() {
    for key in ["topology.bottleneck.loss", "topology.bottleneck.loss.rate"] {
        let hint = hint_of(key, "0.01");
        let name = key.rsplit('.').next().unwrap();
        let wanted = format!(
            "\"1 %\" or \"0.01 %\"? write `{name} = \"1 %\"` if 0.01 is a share, `{name} = \"0.01 %\"` if it is a percentage"
        );
        assert_eq!(hint, wanted);
    }
    assert!(hint_of("topology.bottleneck.loss", "0.07").starts_with("\"7 %\" or \"0.07 %\"?"));
    assert!(hint_of("topology.bottleneck.loss", "1").starts_with("\"100 %\" or \"1 %\"?"));
    assert!(hint_of("topology.bottleneck.loss", "5").starts_with("write `loss = \"5 %\"`"));
    assert_eq!(hint_of("topology.bottleneck.loss", "1 percent"), "write \"1 %\"");
}

#[test]
fn a_bare_time_and_words_for_its_units_are_asked_about() {
    let both = "seconds or milliseconds? write `duration = \"5 s\"` or `duration = \"5 ms\"`";
    assert!(hint_of("scenario.duration", "5").starts_with(both));
    assert!(hint_of("scenario.duration", "\"5\"").starts_with(both));
    assert_eq!(hint_of("scenario.duration", "5m"), "minutes? write \"5 min\"");
    assert_eq!(hint_of("scenario.duration", "30 sec"), "write \"30 s\"");
    assert_eq!(hint_of("scenario.warmup", "2 Seconds"), "write \"2 s\"");
    assert_eq!(hint_of("scenario.duration", "1d"), "write \"24 h\"");
}

#[test]
fn several_values_of_one_key_are_a_sweep() {
    let sweep = "to run with each of them, sweep the key: `--set 'sweep.flows.algorithm=[";
    assert_eq!(hint_of("flows.algorithm", "[\"cubic\", \"reno\"]"), format!("{sweep}...]'`"));
    assert_eq!(hint_of("flows.algorithm", "cubic,reno"), format!("{sweep}\"cubic\", \"reno\"]'`"));
    for key in ["scenario.duration", "topology.bottleneck.loss", "topology.bottleneck.queue", "scenario.profile"] {
        let hint = hint_of(key, "[\"1 s\", \"2 s\"]");
        assert!(hint.contains(&format!("--set 'sweep.{key}=[...]'")), "{hint}");
    }
    let set = [("sweep.flows.algorithm".to_owned(), "[\"cubic\", \"reno\"]".to_owned())];
    assert_eq!(Scenario::from_toml(GOOD, "fig.toml", &set).unwrap().points().len(), 4);
    let text = GOOD.replace("algorithm = \"newreno\"", "algorithm = [\"cubic\", \"reno\"]");
    assert!(refused(&text).hint.unwrap().ends_with("`\"flows.algorithm\" = [...]` below `[sweep]`"));
    let name = [("scenario.name".to_owned(), "[\"a\"]".to_owned())];
    assert_eq!(Scenario::from_toml(GOOD, "fig.toml", &name).unwrap_err().hint, None);
}

#[test]
fn an_algorithm_of_ones_own_comes_with_its_file() {
    assert!(hint_of("flows.algorithm", "gentle").ends_with("one of your own comes with `--python FILE`"));
}
