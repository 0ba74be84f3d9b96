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
