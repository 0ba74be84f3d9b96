//! Queue disciplines and policers, as they are written in a scenario.

mod common;

use common::{effective_bottleneck, part, refused_text, with_bottleneck};
use scenario::{Column, RunOptions, Scenario};

/// A scenario with these keys on its bottleneck.
fn with(keys: &str) -> String {
    with_bottleneck(&format!("rate = \"8 Mbps\", delay = \"20 ms\", {keys}"))
}

/// One key of the bottleneck, or of its reverse direction, in the complete description.
#[track_caller]
fn effective(keys: &str, key: &str, sets: &[(&str, &str)]) -> String {
    let sets: Vec<_> = sets.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    part(&effective_bottleneck(Scenario::from_toml(&with(keys), "fig.toml", &sets)), key).to_string()
}

#[track_caller]
fn refused(keys: &str, code: &str, words: &str) {
    refused_text(&with(keys), code, words);
}

#[test]
fn every_discipline_is_written_out_with_its_defaults() {
    let queue = |text: &str| effective(&format!("queue = {text}"), "queue", &[]);
    assert_eq!(queue("\"75 kB\""), "\"75 kB\"");
    assert_eq!(queue("{ discipline = \"drop-tail\" }"), "\"50 packets\"");
    assert_eq!(
        queue("{ discipline = \"threshold\", mark_above = \"30 kB\" }"),
        r#"{"discipline":"threshold","limit":"50 packets","mark_above":"30 kB"}"#
    );
    assert_eq!(
        queue("{ discipline = \"red\", max = \"20.5 packets\", weight = \"auto\" }"),
        r#"{"discipline":"red","limit":"50 packets","ecn":true,"min":"5 packets","max":"20.5 packets","weight":"auto","max_p":0.1,"gentle":true,"wait":false,"unit":"packets","byte_mode":false,"mean_packet":"500 B","mark_p":0.1,"adaptive":false}"#
    );
    assert_eq!(
        queue("{ discipline = \"codel\", ecn = false, target = \"10 ms\" }"),
        r#"{"discipline":"codel","limit":"1000 packets","ecn":false,"target":"10 ms","interval":"100 ms"}"#
    );
    assert_eq!(
        queue("{ discipline = \"pie\", limit = \"1 MB\" }"),
        r#"{"discipline":"pie","limit":"1 MB","ecn":true,"target":"15 ms","update":"15 ms","alpha":0.125,"beta":1.25,"max_burst":"150 ms","mark_p":0.1,"derandomize":false}"#
    );
    assert_eq!(
        queue("{ discipline = \"fq-codel\", flows = 64 }"),
        r#"{"discipline":"fq-codel","limit":"10240 packets","ecn":true,"target":"5 ms","interval":"100 ms","quantum":"1514 B","flows":64,"drop_batch":"64 packets"}"#
    );
    assert_eq!(
        queue("{ discipline = \"dualpi2\", scheduler = \"tsfifo\", min_packets = \"0 packets\" }"),
        r#"{"discipline":"dualpi2","limit":"10000 packets","target":"15 ms","update":"15 ms","alpha":0.15,"beta":3.0,"coupling":2.0,"ramp_from":"800 us","ramp_range":"400 us","min_packets":"0 packets","scheduler":"tsfifo","classic_share":0.0625,"time_shift":"50 ms","random":false}"#
    );
}

#[test]
fn red_waits_in_the_ns2_profile() {
    let wait = |profile| effective("queue = { discipline = \"red\" }", "queue.wait", &[("scenario.profile", profile)]);
    assert_eq!((wait("\"rfc\"").as_str(), wait("\"ns2\"").as_str()), ("false", "true"));
}

#[test]
fn directions_may_differ() {
    let keys = "queue = { discipline = \"pie\" }, policer = { rate = \"7 Mbps\", burst = \"30 kB\" }, \
                reverse = { queue = \"9 packets\", policer = false }";
    assert_eq!(effective(keys, "reverse.queue", &[]), "\"9 packets\"");
    assert_eq!(effective(keys, "reverse.policer", &[]), "false");
    assert_eq!(effective(keys, "policer", &[]), r#"{"rate":"7 Mbps","burst":"30 kB"}"#);
    let same = "queue = { discipline = \"pie\" }, reverse = { rate = \"1 Mbps\" }";
    assert_eq!(effective(same, "reverse.queue.discipline", &[]), "\"pie\"");
}

#[test]
fn a_parameter_can_be_set_and_swept() {
    let keys = "queue = { discipline = \"codel\" }";
    let target = effective(keys, "queue.target", &[("topology.bottleneck.queue.target", "\"20 ms\"")]);
    assert_eq!(target, "\"20 ms\"");
    let sweep = with(keys) + "[sweep]\n\"topology.bottleneck.queue.target\" = [\"5 ms\", \"20 ms\"]\n";
    assert_eq!(Scenario::from_toml(&sweep, "fig.toml", &[]).unwrap().points().len(), 2);
    let sweep =
        with("drops = {}") + "[sweep]\n\"topology.bottleneck.queue\" = [\"50 packets\", { discipline = \"pie\" }]\n";
    assert_eq!(Scenario::from_toml(&sweep, "fig.toml", &[]).unwrap().points().len(), 2);
}

#[test]
fn mistakes_are_named() {
    refused("queue = { limit = \"5 packets\" }", "missing-key", "`discipline = \"red\"`");
    refused("queue = { discipline = \"code\" }", "unknown-word", "did you mean `codel`?");
    refused("queue = { discipline = \"codel\", targt = \"5 ms\" }", "unknown-key", "did you mean `target`?");
    refused("queue = { discipline = \"codel\", target = 5 }", "unit-missing", "\"5 ms\"");
    refused("queue = { discipline = \"codel\", target = \"10 us\" }", "out-of-range", "1 ms");
    refused("queue = { discipline = \"drop-tail\", ecn = true }", "unknown-key", "ecn");
    refused("queue = { discipline = \"dualpi2\", ecn = true }", "unknown-key", "ecn");
    refused("queue = { discipline = \"dualpi2\", classic_share = 1 }", "out-of-range", "0.001 to 0.999");
    refused("queue = { discipline = \"dualpi2\", scheduler = \"fair\" }", "unknown-word", "wrr");
    refused("queue = { discipline = \"red\", max = \"5 packets\" }", "out-of-range", "but `min` is 5 packets");
    refused("queue = { discipline = \"red\", min = \"auto\" }", "out-of-range", "`min` is \"auto\"");
    refused("queue = { discipline = \"red\", max_p = 0 }", "out-of-range", "above 0, up to 1");
    refused("queue = { discipline = \"red\", max_p = \"10 %\" }", "wrong-type", "write `max_p = 0.1`");
    refused("queue = { discipline = \"red\", max_p = \"much\" }", "wrong-type", "number without unit");
    refused("queue = { discipline = \"red\", unit = \"kB\" }", "unknown-word", "`bytes`");
    refused("queue = { discipline = \"pie\", alpha = -1 }", "out-of-range", "0 to 1000");
    refused("queue = { discipline = \"fq-codel\", flows = 0 }", "out-of-range", "65536");
    refused("queue = { discipline = \"fq-codel\", limit = \"0 packets\" }", "out-of-range", "positive");
    refused(
        "queue = { discipline = \"threshold\", mark_above = \"50 packets\", limit = \"50 packets\" }",
        "out-of-range",
        "`topology.bottleneck.queue.mark_above` is \"50 packets\", but the queue holds 50 packets at most",
    );
    refused("queue = { discipline = \"threshold\", mark_above = \"9 kB\", limit = \"8 kB\" }", "out-of-range", "8 kB");
    for (discipline, limit, key) in [("threshold", 20, "`mark_above` is 20 packets"), ("red", 4, "`min` is 5 packets")]
    {
        let what = format!("is too small: {key} where it is not given, but the queue holds {limit} packets at most");
        refused(
            &format!("queue = {{ discipline = \"{discipline}\", limit = \"{limit} packets\" }}"),
            "out-of-range",
            &what,
        );
    }
    refused(
        "queue = { discipline = \"red\", min = \"60 packets\", max = \"80 packets\" }",
        "out-of-range",
        "lower `min` or raise `limit`",
    );
    refused("queue = { discipline = \"fq-codel\", drop_batch = 0 }", "unit-missing", "such as \"50 packets\"");
    refused("queue = -3", "unit-missing", "such as \"50 packets\"");
    refused("drops = [1, 2]", "wrong-type", "`drops = { forward = [3, 8] }`");
    refused("policer = true", "wrong-type", "rate = \"8 Mbps\"");
    refused("policer = { rate = \"8 Mbps\" }", "missing-key", "burst");
}

#[test]
fn what_disciplines_drop_has_a_column() {
    let lost = |keys: &str, column: &str| {
        let result = Scenario::from_toml(&with(keys), "fig.toml", &[]).unwrap().points()[0]
            .run(1, &RunOptions::default())
            .unwrap();
        match (result.flows.column(column), result.links.column(column)) {
            (Some(Column::I64(flows)), Some(Column::I64(links))) => (flows[0], links.iter().sum::<i64>()),
            other => panic!("{other:?}"),
        }
    };
    for discipline in ["red", "codel", "pie"] {
        let (flow, links) = lost(&format!("queue = {{ discipline = \"{discipline}\" }}"), "loss_early");
        assert!(flow > 0 && flow == links, "{discipline}: {flow} of {links}");
    }
    let (flow, links) =
        lost("policer = { rate = \"4 Mbps\", burst = \"15 kB\" }, reverse = { policer = false }", "loss_policer");
    assert!(flow > 0 && flow == links, "{flow} of {links}");
}

/// The queue of a part of the topology.
#[track_caller]
fn queue_of(text: &str, sets: &[(&str, &str)], at: &str) -> serde_json::Value {
    let sets: Vec<_> = sets.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(text, "fig.toml", &sets).unwrap_or_else(|error| panic!("{error}"));
    let whole = scenario.points()[0].effective().unwrap();
    let again = Scenario::from_json(&whole, "effective", &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.points()[0].effective().unwrap(), whole);
    let whole: serde_json::Value = serde_json::from_str(&whole).unwrap();
    at.split('.').fold(&whole["topology"], |part, key| match key.parse::<usize>() {
        Ok(number) => &part[number],
        Err(_) => &part[key],
    })["queue"]
        .clone()
}

#[test]
fn a_limit_in_time_is_what_the_link_carries_in_it_rounded_up() {
    // 8 Mbit/s carry 1000 bytes a millisecond: 100 kB are 66.7 packets of 1500 B, 15 kB exactly 10
    for (time, packets) in [("100 ms", 67), ("15 ms", 10), ("15000001 ns", 11), ("1 ms", 1), ("0.1 s", 67)] {
        let queue = |text: String| effective(&format!("queue = {text}"), "queue", &[]);
        assert_eq!(queue(format!("\"{time}\"")), format!("\"{packets} packets\""), "{time}");
        let codel = effective(&format!("queue = {{ discipline = \"codel\", limit = \"{time}\" }}"), "queue.limit", &[]);
        assert_eq!(codel, format!("\"{packets} packets\""), "{time}");
    }
    // the other direction has a rate of its own: 1 Mbit/s carries 12.5 kB, 8.3 packets; and may have a queue of its own
    let slow = "queue = \"100 ms\", reverse = { rate = \"1 Mbps\" }";
    assert_eq!(effective(slow, "reverse.queue", &[]), "\"9 packets\"");
    let own = "queue = \"100 ms\", reverse = { queue = \"9 kB\" }";
    assert_eq!(effective(own, "reverse.queue", &[]), "\"9 kB\"");
    // half of the limit
    let warned = effective("queue = \"100 ms\", warning = true", "warning.threshold", &[]);
    assert_eq!(warned, "\"33.5 packets\"");
    let packet = [("flows.segment", "948 B")]; // 1000 B with headers: 100 packets of them
    assert_eq!(effective("queue = \"100 ms\"", "queue", &packet), "\"100 packets\"");
}

#[test]
fn a_limit_in_products_goes_by_the_rate_and_the_base_round_trip() {
    // 8 Mbit/s times 2 (1 + 20 + 1) ms are 44 kB: 29.3 packets; three times that are exactly 88
    for (text, packets) in [("1 bdp", 30), ("3 bdp", 88), ("0.3 BDP", 9), ("0.01bdp", 1)] {
        let queue = effective(&format!("queue = \"{text}\""), "queue", &[]);
        assert_eq!(queue, format!("\"{packets} packets\""), "{text}");
    }
    let text = with("queue = \"1 bdp\"");
    assert_eq!(queue_of(&text, &[("topology.access.queue", "1 bdp")], "left"), "367 packets"); // 100 Mbit/s: 366.7
    let swept = text.clone() + "[sweep]\n\"topology.bottleneck.delay\" = [\"20 ms\", \"80 ms\"]\n";
    let points = Scenario::from_toml(&swept, "fig.toml", &[]).unwrap().points();
    let queues = points.iter().map(|point| {
        let whole: serde_json::Value = serde_json::from_str(&point.effective().unwrap()).unwrap();
        whole["topology"]["bottleneck"]["queue"].clone()
    });
    assert_eq!(queues.collect::<Vec<_>>(), ["30 packets", "110 packets"]); // 164 ms: 109.3
}

const PARKING_LOT: &str = r#"[scenario]
duration = "9 s"
[topology]
kind = "graph"
links = [
    { name = "one", from = "a", to = "b", rate = "12 Mbps", delay = "10 ms" },
    { name = "two", from = "b", to = "c", rate = "12 Mbps", delay = "30 ms" },
    { name = "spare", from = "c", to = "d", rate = "12 Mbps", delay = "30 ms" },
]
[[flows]]
from = "a"
to = "c"
algorithm = "newreno"
[[flows]]
from = "b"
to = "c"
algorithm = "newreno"
"#;

#[test]
fn a_product_is_refused_where_there_are_several_or_none() {
    // 12 Mbit/s are a packet a millisecond; only flows of 80 ms cross the first link
    let on = |link: &str| format!("topology.links.{link}.queue");
    assert_eq!(queue_of(PARKING_LOT, &[(&on("one"), "1 bdp")], "links.0"), "80 packets");
    let refused = |link: &str, limit: &str| {
        let set = (on(link), limit.to_owned());
        Scenario::from_toml(PARKING_LOT, "fig.toml", &[set]).expect_err("no product").to_string()
    };
    let several = refused("two", "1 bdp");
    let what = "`topology.links.two.queue` is \"1 bdp\", but there is not one product: the flows that cross it have \
                base round trips of 60 ms to 80 ms, at 12 Mbps\nhint: write the limit in packets";
    assert!(several.contains(what), "{several}");
    assert!(refused("spare", "1 bdp").contains("no flow crosses that link"));
    assert!(refused("one", "-1 bdp").contains("positive"));
    assert!(refused("one", "0 s").contains("positive"));
    // a time needs no flow
    assert_eq!(queue_of(PARKING_LOT, &[(&on("spare"), "20 ms")], "links.2"), "20 packets");
}

#[test]
fn a_threshold_is_held_against_a_limit_in_time() {
    refused(
        "queue = { discipline = \"threshold\", limit = \"15 ms\" }",
        "out-of-range",
        "`topology.bottleneck.queue.limit` is \"15 ms\", 10 packets here: `mark_above`, 20 packets, would have no effect",
    );
}

#[test]
fn a_discipline_is_named_alone() {
    assert_eq!(
        effective("queue = \"codel\"", "queue", &[]),
        r#"{"discipline":"codel","limit":"1000 packets","ecn":true,"target":"5 ms","interval":"100 ms"}"#
    );
    assert_eq!(effective("queue = \"drop-tail\"", "queue", &[]), "\"50 packets\"");
    let target = [("topology.bottleneck.queue.target", "\"20 ms\"")];
    assert_eq!(effective("queue = \"codel\"", "queue.target", &target), "\"20 ms\"");
    let limit = [("topology.bottleneck.queue.limit", "\"1 bdp\"")];
    assert_eq!(effective("queue = \"50 packets\"", "queue", &limit), "\"30 packets\"");
    refused("queue = \"codell\"", "unknown-word", "did you mean `codel`?");
    refused("queue = \"50\"", "unit-missing", "write `queue = \"50 packets\"`");
}
