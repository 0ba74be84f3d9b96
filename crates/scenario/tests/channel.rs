//! What a link's channel can do, as it is written in a scenario.

mod common;

use std::fs;
use std::path::PathBuf;

use common::{effective_bottleneck, part, refused_text, with_bottleneck};
use scenario::{Column, RunOptions, Scenario};

/// A scenario with this loss on its bottleneck.
fn with_loss(loss: &str) -> String {
    with_events(&format!("rate = \"8 Mbps\", delay = \"20 ms\", loss = {loss}"))
}

/// A scenario with these keys on its bottleneck that records every loss.
fn with_events(keys: &str) -> String {
    with_bottleneck(keys) + "[output]\nevents = true\n"
}

/// A folder of its own with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("windlass-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        fs::write(folder.join(file), text).unwrap();
    }
    folder
}

/// The bottleneck's loss in the complete description.
#[track_caller]
fn effective(loss: &str) -> String {
    effective_bottleneck(Scenario::from_toml(&with_loss(loss), "fig.toml", &[]))["loss"].to_string()
}

#[track_caller]
fn refused(loss: &str, code: &str, words: &str) {
    refused_text(&with_loss(loss), code, words);
}

#[test]
fn every_model_is_written_out_with_its_defaults() {
    assert_eq!(effective("\"1 %\""), r#"{"model":"uniform","rate":"1 %","at":"wire"}"#);
    assert_eq!(
        effective("{ model = \"gilbert-elliott\", rate = \"1 %\", burst = \"5 packets\", direction = \"both\" }"),
        r#"{"model":"gilbert-elliott","rate":"1 %","burst":"5 packets","per":"time","good_loss":"0 %","bad_loss":"100 %","at":"wire"}"#
    );
    assert_eq!(
        effective("{ model = \"gilbert-elliott\", rate = \"1 %\" }"),
        r#"{"model":"gilbert-elliott","rate":"1 %","burst":"independent","per":"time","good_loss":"0 %","bad_loss":"100 %","at":"wire"}"#
    );
    // whoever names a burst means this model
    assert_eq!(
        effective("{ rate = \"1 %\", burst = \"50 ms\" }"),
        r#"{"model":"gilbert-elliott","rate":"1 %","burst":"50 ms","per":"time","good_loss":"0 %","bad_loss":"100 %","at":"wire"}"#
    );
    assert_eq!(
        effective("{ rate = \"1 %\", burst = \"5 packets\", per = \"packet\" }"),
        r#"{"model":"gilbert-elliott","rate":"1 %","burst":"5 packets","per":"packet","good_loss":"0 %","bad_loss":"100 %","at":"wire"}"#
    );
    assert_eq!(
        effective("{ model = \"gilbert-elliott\", p = \"1 %\", r = \"20 %\", 1-h = \"90 %\", 1-k = \"0.1 %\" }"),
        r#"{"model":"gilbert-elliott","p":"1 %","r":"20 %","1-h":"90 %","1-k":"0.1 %","at":"wire"}"#
    );
    assert_eq!(
        effective("{ model = \"gilbert-elliott\", p = \"1 %\" }"),
        r#"{"model":"gilbert-elliott","p":"1 %","r":"99 %","1-h":"100 %","1-k":"0 %","at":"wire"}"#
    );
    assert_eq!(
        effective("{ model = \"bit\", error_rate = 1e-6, at = \"queue\" }"),
        r#"{"model":"bit","error_rate":1e-6,"at":"queue"}"#
    );
    assert_eq!(effective("{ model = \"byte\", error_rate = 0 }"), r#"{"model":"byte","error_rate":0.0,"at":"wire"}"#);
    assert_eq!(
        effective("{ model = \"two-state\", good = \"2 s\", bad = \"100 ms\" }"),
        r#"{"model":"two-state","good":"2 s","bad":"100 ms","good_loss":"0 %","bad_loss":"100 %","at":"wire"}"#
    );
    assert_eq!(
        effective("{ model = \"burst\", rate = \"2 %\", hold = \"50 ms\" }"),
        r#"{"model":"burst","rate":"2 %","hold":"50 ms","at":"wire"}"#
    );
    assert_eq!(
        effective("{ model = \"replay\", pattern = [0, 1, 0, 1, 1, 0] }"),
        r#"{"model":"replay","lost":[1,3,4],"repeat":false,"length":null,"at":"wire"}"#
    );
    assert_eq!(
        effective("{ model = \"replay\", pattern = [0, 1, 0, 1, 1, 0], repeat = true }"),
        effective("{ model = \"replay\", lost = [4, 1, 3, 1], repeat = true, length = 6 }")
    );
}

#[test]
fn what_no_channel_can_do_is_refused() {
    let mean = |more: &str| format!("{{ model = \"gilbert-elliott\", rate = \"90 %\", {more} }}");
    let chain = "burst = \"5 packets\", per = \"packet\"";
    refused(&mean(chain), "out-of-range", "is 90 %, bursts of 5 packets allow at most 83.333333 %");
    refused(&mean("burst = \"5 packets\""), "out-of-range", "is 90 %, bursts of 5 packets allow less than 80.000000 %");
    // a share of 5/6 for bursts of 5 packets leaves single good packets between them: in time less than 1 - 1/5
    let more = "{ rate = \"82 %\", burst = \"5 packets\" }";
    refused(more, "out-of-range", "is 82 %, bursts of 5 packets allow less than 80.000000 %");
    assert!(effective("{ rate = \"82 %\", burst = \"5 packets\", per = \"packet\" }").contains("82 %"));
    refused("{ rate = \"1 %\", burst = \"1 packet\" }", "out-of-range", "less than 0.000000 %");
    refused("{ rate = \"1 %\", burst = \"50 ms\", per = \"packet\" }", "wrong-unit", "wanted is a number of packets");
    refused("{ rate = \"1 %\", burst = 5 }", "unit-missing", "`ns`");
    refused("{ rate = \"1 %\", burst = \"5 lorries\" }", "wrong-unit", "no unit `lorries`");
    refused("{ rate = \"99.9999 %\", burst = \"10 us\" }", "out-of-range", "too short to follow");
    refused("{ model = \"gilbert-elliott\", p = \"1 %\", per = \"packet\" }", "conflict", "stands beside `p`");
    refused(&mean("burst = \"0.5 packets\""), "out-of-range", "`topology.bottleneck.loss.burst`");
    refused(&mean("bad_loss = \"50 %\""), "out-of-range", "`bad_loss` allows at most 50.000000 %");
    refused(&mean("good_loss = \"95 %\""), "out-of-range", "but the good state alone loses 95 %");
    refused(&mean("good_loss = \"50 %\", bad_loss = \"40 %\""), "out-of-range", "more than `bad_loss`, 40 %");
    refused(&mean("p = \"1 %\""), "conflict", "stands beside `p`");
    refused("{ model = \"gilbert-elliott\", rate = \"1 %\", r = \"1 %\" }", "conflict", "goes with `p`");
    refused("{ model = \"gilbert-elliott\", p = \"1 %\", r = \"0 %\" }", "out-of-range", "never leave the bad state");
    // netem's default r is what p leaves
    assert!(effective("{ model = \"gilbert-elliott\", p = \"100 %\", 1-h = \"30 %\" }").contains("\"r\":\"0 %\""));
    refused("{ model = \"gilbert-elliott\" }", "missing-key", "write `rate = \"1 %\"`");
    refused("{ model = \"gilbert\", rate = \"1 %\" }", "unknown-word", "did you mean `gilbert-elliott`?");
    refused("{ model = \"uniform\", rate = \"1 %\", burst = \"5 packets\" }", "unknown-key", "has no key `burst`");
    refused("{ model = \"bit\", rate = \"1 %\" }", "unknown-key", "`error_rate`");
    refused("{ model = \"bit\", error_rate = 1.5 }", "out-of-range", "allowed is 0 to 1");
    refused("{ model = \"two-state\", good = \"2 s\", bad = \"100 ns\" }", "out-of-range", "1 us at least");
    refused("{ model = \"replay\", pattern = [0, 2] }", "out-of-range", "is 2, allowed is 0 to 1");
    refused("{ model = \"replay\", pattern = [] }", "out-of-range", "has no packets");
    refused("{ model = \"replay\", pattern = [1], lost = [0] }", "conflict", "beside `pattern`");
    refused("{ model = \"replay\", lost = [3], length = 4 }", "conflict", "without `repeat = true`");
    refused("{ model = \"replay\", lost = [3], repeat = true }", "missing-key", "write `length = 1000`");
    refused("{ model = \"replay\", lost = [3], repeat = true, length = 3 }", "out-of-range", "above every number");
    refused("{ model = \"replay\" }", "missing-key", "`lost = [3, 8]` or `pattern = \"losses.txt\"`");
}

#[test]
fn a_file_is_found_beside_the_scenario_and_its_content_is_part_of_the_run() {
    let files = [("losses.txt", "0010 1 # a comment\n0\n"), ("numbers.txt", "# lost\n4 2\n"), ("bad.txt", "0 1\nx\n")];
    let folder = folder("replay", &files);
    let named = folder.join("fig.toml").display().to_string();
    let read = |loss: &str| Scenario::from_toml(&with_loss(loss), &named, &[]);
    let key = |loss: &str| read(loss).unwrap_or_else(|e| panic!("{e}")).points()[0].key(1).unwrap();
    let inline = key("{ model = \"replay\", lost = [2, 4] }");
    assert_eq!(key("{ model = \"replay\", pattern = \"losses.txt\" }"), inline);
    assert_eq!(key("{ model = \"replay\", lost = \"numbers.txt\" }"), inline);
    // what was read is kept: a file that changes later changes other scenarios only
    let first = read("{ model = \"replay\", lost = \"numbers.txt\" }").unwrap();
    fs::write(folder.join("numbers.txt"), "2 5").unwrap();
    assert_eq!(first.points()[0].key(1).unwrap(), inline);
    assert_ne!(key("{ model = \"replay\", lost = \"numbers.txt\" }"), inline);

    let shown = |loss: &str| read(loss).expect_err("it is wrong").to_string();
    let error = shown("{ model = \"replay\", pattern = \"bad.txt\" }");
    assert!(error.starts_with("error[scenario.file-content]") && error.contains("in line 2 \"x\""), "{error}");
    let error = shown("{ model = \"replay\", lost = \"bad.txt\" }");
    assert!(error.contains("in line 2 \"x\" is not a whole number"), "{error}");
    let error = shown("{ model = \"replay\", lost = \"none.txt\" }");
    assert!(error.starts_with("error[scenario.file]") && error.contains("does not exist\nhint: "), "{error}");
    let error = shown("{ model = \"replay\", lost = \".\" }");
    assert!(error.contains("is not a file\nhint: name a file"), "{error}");
    fs::write(folder.join("long.txt"), "1\n".repeat((8 << 20) + 1)).unwrap();
    let error = shown("{ model = \"replay\", lost = \"long.txt\" }");
    assert!(error.contains("is longer than 16 MiB\nhint: cut it"), "{error}");
    fs::write(folder.join("binary.txt"), [0xff, 0xfe]).unwrap();
    let error = shown("{ model = \"replay\", lost = \"binary.txt\" }");
    assert!(error.contains("is not text\nhint: name a text file"), "{error}");
    let elsewhere = with_loss("{ model = \"replay\", lost = \"numbers.txt\" }");
    assert!(Scenario::from_toml(&elsewhere, "<dict>", &[]).is_err());
    assert!(Scenario::from_toml_in(&folder, &elsewhere, "ready", &[]).is_ok());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_file_can_be_swept() {
    let folder = folder("sweep", &[("a.txt", "1"), ("b.txt", "2 3")]);
    let text = with_loss("{ model = \"replay\", lost = [0] }")
        + "[sweep]\n\"topology.bottleneck.loss.lost\" = [\"a.txt\", \"b.txt\"]\n";
    let scenario = Scenario::from_toml_in(&folder, &text, "ready", &[]).unwrap_or_else(|error| panic!("{error}"));
    fs::remove_dir_all(folder).unwrap();
    let texts: Vec<String> = scenario.points().iter().map(|point| point.effective().unwrap()).collect();
    assert!(texts[0].contains("\"lost\":[1]") && texts[1].contains("\"lost\":[2,3]"), "{texts:?}");
}

#[test]
fn a_replay_loses_those_packets() {
    // transmitted packets: 0 is the SYN, then data: number 1 is segment 0
    let scenario = Scenario::from_toml(&with_loss("{ model = \"replay\", lost = [6, 7] }"), "fig.toml", &[]).unwrap();
    let run = scenario.points()[0].run(1, &RunOptions::default()).unwrap();
    let Some(Column::Str(causes)) = run.losses.column("cause") else { panic!("{:?}", run.losses) };
    let Some(Column::I64(segments)) = run.losses.column("segment") else { panic!("{:?}", run.losses) };
    let lost: Vec<i64> = segments.iter().zip(causes).filter(|(_, why)| *why == "random").map(|(n, _)| *n).collect();
    assert_eq!(lost, [5, 6], "{:?}", run.losses);
}

/// A scenario whose bottleneck has these keys beside its delay.
fn with_link(keys: &str) -> String {
    with_events(&format!("delay = \"20 ms\", {keys}"))
}

fn read_link(keys: &str) -> Scenario {
    Scenario::from_toml(&with_link(keys), "fig.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// The named keys of the bottleneck in the complete description, which reads back to itself.
#[track_caller]
fn effective_link(keys: &str, shown: &[&str]) -> String {
    let link = effective_bottleneck(Ok(read_link(keys)));
    let all: Vec<String> = shown.iter().map(|key| part(&link, key).to_string()).collect();
    all.join(" ")
}

#[track_caller]
fn refused_link(keys: &str, code: &str, words: &str) {
    refused_text(&with_link(keys), code, words);
}

const STEPS: &str =
    "changes = [{ at = \"10 s\", rate = \"2 Mbps\" }, { at = \"15 s\", rate = \"8 Mbps\", delay = \"80 ms\" }]";

#[test]
fn changes_of_a_link_are_written_out_and_hold_in_both_directions() {
    let rate = "rate = \"8 Mbps\"";
    let none = r#""8 Mbps" null [] [] false"#;
    assert_eq!(effective_link(rate, &["rate", "trace", "changes", "outages", "jitter"]), none);
    let steps = r#"[{"at":"10 s","rate":"2 Mbps"},{"at":"15 s","rate":"8 Mbps","delay":"80 ms"}]"#;
    let both = effective_link(&format!("{rate}, {STEPS}"), &["changes", "reverse.changes"]);
    assert_eq!(both, format!("{steps} {steps}"));
    let one = format!("{rate}, {STEPS}, reverse = {{ rate = \"1 Mbps\", changes = [] }}");
    assert_eq!(effective_link(&one, &["reverse.rate", "reverse.changes"]), r#""1 Mbps" []"#);
    let outages = "outages = [{ at = \"20 s\", for = \"2 s\", every = \"30 s\" }, { at = \"0 s\", for = \"5 ms\", packets = \"lost\", handover = true }]";
    assert_eq!(
        effective_link(&format!("{rate}, {outages}"), &["outages"]),
        concat!(
            r#"[{"at":"20 s","for":"2 s","every":"30 s","packets":"held","handover":false},"#,
            r#"{"at":"0 s","for":"5 ms","packets":"lost","handover":true}]"#
        )
    );
    for (jitter, shown) in [
        ("model = \"normal\", deviation = \"5 ms\"", r#"{"deviation":"5 ms","model":"normal","reorder":false}"#),
        (
            "model = \"uniform\", spread = \"1 s\", reorder = true",
            r#"{"spread":"1 s","model":"uniform","reorder":true}"#,
        ),
        ("model = \"exponential\", mean = \"5 ms\"", r#"{"mean":"5 ms","model":"exponential","reorder":false}"#),
        ("model = \"pareto\", mean = \"5 ms\"", r#"{"mean":"5 ms","shape":2.5,"model":"pareto","reorder":false}"#),
    ] {
        let keys = format!("{rate}, jitter = {{ {jitter} }}, reverse = {{ jitter = false }}");
        assert_eq!(effective_link(&keys, &["jitter", "reverse.jitter"]), format!("{shown} false"));
    }
}

#[test]
fn reordering_is_written_out() {
    for (reorder, shown) in [
        ("true", "true"),
        ("{ every = 50, hold = \"10 ms\" }", r#"{"every":50,"rate":"100 %","correlation":"0 %","hold":"10 ms"}"#),
        ("{ rate = \"29 %\", early = \"5 ms\" }", r#"{"every":1,"rate":"29 %","correlation":"0 %","early":"5 ms"}"#),
        (
            "{ every = 5, rate = \"25 %\", correlation = \"50 %\", early = \"1 s\" }",
            r#"{"every":5,"rate":"25 %","correlation":"50 %","early":"1 s"}"#,
        ),
        ("{ packets = [60, 3, 60], hold = \"10 ms\" }", r#"{"packets":[3,60],"hold":"10 ms"}"#),
    ] {
        let keys = format!("rate = \"8 Mbps\", reorder = {reorder}, reverse = {{ reorder = false }}");
        assert_eq!(effective_link(&keys, &["reorder", "reverse.reorder"]), format!("{shown} false"));
        assert_eq!(effective_link(&keys.replace(", reverse = { reorder = false }", ""), &["reverse.reorder"]), shown);
    }
}

#[test]
fn changes_that_make_no_sense_are_refused() {
    let with = |keys: &str| format!("rate = \"8 Mbps\", {keys}");
    let step = |steps: &str| with(&format!("changes = [{steps}]"));
    refused_link(&step("{ at = \"10 s\" }"), "missing-key", "a `rate`, a `delay` or both");
    refused_link(&step("{ rate = \"1 Mbps\" }"), "missing-key", "`topology.bottleneck.changes.at` is not given");
    refused_link(&step("{ at = \"10 s\", rate = \"0 Mbps\" }"), "out-of-range", "must be positive");
    let twice = "{ at = \"10 s\", rate = \"1 Mbps\" }, { at = \"10 s\", rate = \"2 Mbps\" }";
    refused_link(&step(twice), "out-of-range", "is not after the change before it");
    refused_link(&step("{ at = \"10 s\", loss = \"1 %\" }"), "unknown-key", "has no key `loss`");
    refused_link(
        &with(&format!("{STEPS}, reverse = {{ delay = \"1 ms\" }}")),
        "conflict",
        "`topology.bottleneck.reverse.delay` would be changed by the `changes` of the forward direction",
    );
    let out = |keys: &str| with(&format!("outages = [{{ at = \"1 s\", {keys} }}]"));
    refused_link(&out("every = \"2 s\""), "missing-key", "write `for = \"2 s\"`");
    refused_link(&out("for = \"2 s\", every = \"2 s\""), "out-of-range", "make `every` longer than `for`");
    refused_link(&out("for = \"0 s\""), "out-of-range", "must be positive");
    refused_link(&out("for = \"2 s\", packets = \"gone\""), "unknown-word", "there is `held`, `lost`");
    let two = "{ at = \"0 s\", for = \"1 s\", every = \"2 s\" }, { at = \"1 s\", for = \"1 s\", every = \"2 s\" }";
    refused_link(&with(&format!("outages = [{two}]")), "out-of-range", "may leave no time free");
    refused_link(&with("trace = [1, 2]"), "conflict", "leave `rate` out");
    refused_link("trace = [0]", "out-of-range", "no delivery opportunity after 0 ms");
    refused_link("trace = [3, 2]", "out-of-range", "2 ms stands after 3 ms");
    refused_link("trace = []", "out-of-range", "no delivery opportunity");
    refused_link(&format!("trace = [3], {STEPS}"), "conflict", "whose rate comes from a `trace`");
    refused_link("queue = \"5 packets\"", "missing-key", "`topology.bottleneck.rate` is not given");
    refused_link(&with("jitter = \"5 ms\""), "wrong-type", "write `jitter = { model");
    let reorder = |keys: &str| with(&format!("reorder = {{ {keys} }}"));
    refused_link(&with("reorder = \"10 ms\""), "wrong-type", "write `reorder = { every = 50, hold = \"10 ms\" }`");
    refused_link(&reorder("every = 50"), "missing-key", "write `hold = \"5 ms\"`");
    refused_link(&reorder("hold = \"5 ms\""), "missing-key", "`rate = \"1 %\"` or `packets = [60]`");
    refused_link(&reorder("every = 0, hold = \"5 ms\""), "out-of-range", "");
    refused_link(&reorder("every = 2, hold = \"0 s\""), "out-of-range", "must be positive");
    refused_link(&reorder("every = 2, hold = \"5 ms\", early = \"5 ms\""), "conflict", "stands beside `hold`");
    refused_link(&reorder("packets = [1], hold = \"5 ms\", rate = \"1 %\""), "conflict", "no use beside `packets`");
    refused_link(&reorder("every = 2, hold = \"5 ms\", correlation = \"50 %\""), "conflict", "goes with `rate`");
    refused_link(&reorder("rate = \"101 %\", hold = \"5 ms\""), "out-of-range", "101 %");
    refused_link(&reorder("every = 2, hold = \"5 ms\", count = \"data\""), "unknown-key", "has no key `count`");
    refused_link(&with("jitter = { model = \"normal\", mean = \"5 ms\" }"), "unknown-key", "`deviation`");
    refused_link(&with("jitter = { model = \"gauss\" }"), "unknown-word", "`normal`");
    refused_link(&with("jitter = { model = \"pareto\", mean = \"5 ms\", shape = 1.0 }"), "out-of-range", "1.01");
}

#[test]
fn a_mahimahi_trace_comes_in_goes_out_and_comes_in_again() {
    let trace = "1\n1\n4\n9 # of my own\n\n10\n";
    let folder = folder("mahimahi", &[("cell.mahi", trace), ("bad.mahi", "5\n3\n")]);
    let read = |keys: &str| Scenario::from_toml_in(&folder, &with_link(keys), "fig.toml", &[]);
    let scenario = read("trace = \"cell.mahi\"").unwrap_or_else(|error| panic!("{error}"));
    let point = &scenario.points()[0];
    assert!(point.effective().unwrap().contains(r#""rate":null,"trace":[1,1,4,9,10]"#));
    assert_eq!(point.key(1).unwrap(), read_link("trace = [1, 1, 4, 9, 10]").points()[0].key(1).unwrap());
    // five in 10 ms, for 20 s
    let out = point.opportunities("bottleneck", true, None).unwrap();
    assert_eq!((out.len(), &out[..7]), (10_000, &[1, 1, 4, 9, 10, 11, 11][..]));
    let lines: Vec<String> = out.iter().map(u32::to_string).collect();
    fs::write(folder.join("again.mahi"), lines.join("\n")).unwrap();
    let again = read("trace = \"again.mahi\"").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.points()[0].opportunities("bottleneck", false, None).unwrap(), out);
    // the rows of flows, links and losses are the same
    let run = |scenario: &Scenario| scenario.points()[0].run(1, &RunOptions::default()).unwrap();
    assert_eq!(format!("{:?}", run(&scenario).flows), format!("{:?}", run(&again).flows));
    let error = read("trace = \"bad.mahi\"").expect_err("it goes back").to_string();
    assert!(error.contains("where in line 2 3 ms stands after 5 ms"), "{error}");
    let error = point.opportunities("botleneck", false, None).expect_err("no such link").to_string();
    assert!(error.contains("no link `botleneck`\nhint: did you mean `bottleneck`?"), "{error}");
    fs::remove_dir_all(folder).unwrap();
    // a link with a rate: 12.032 Mbps is an opportunity each millisecond
    let rate = read_link("rate = \"12.032 Mbps\"");
    assert!(rate.points()[0].opportunities("bottleneck", false, None).unwrap().into_iter().eq(1..=20_000));
}

/// Utilisation of the bottleneck, and bytes it transmitted.
fn carried(scenario: &Scenario) -> (f64, i64) {
    let run = scenario.points()[0].run(1, &RunOptions::default()).unwrap();
    let Some(Column::Str(links)) = run.links.column("link") else { panic!() };
    let Some(Column::F64(shares)) = run.links.column("utilisation") else { panic!() };
    let Some(Column::I64(bytes)) = run.links.column("transmitted_bytes") else { panic!() };
    let row = links.iter().position(|link| link == "bottleneck").unwrap();
    (shares[row], bytes[row])
}

#[test]
fn utilisation_is_a_share_of_what_the_changing_link_could_carry() {
    // what was transmitted and a part of the packet in transmission at the end, of what could be: 10 s at 8 and 10 s at
    // 2 Mbps are 12.5 MB; 20 s at 8 Mbps less a tenth 18 MB; 500 opportunities a second 15.04 MB
    for (keys, most) in [
        ("rate = \"8 Mbps\", changes = [{ at = \"10 s\", rate = \"2 Mbps\" }]", 12.5e6),
        ("rate = \"8 Mbps\", outages = [{ at = \"0.5 s\", for = \"100 ms\", every = \"1 s\" }]", 18.0e6),
        ("trace = [1, 3, 7, 8, 10]", 15.04e6),
    ] {
        let (share, bytes) = carried(&read_link(keys));
        let part = share * most - bytes as f64;
        assert!((-1e-6..1500.0).contains(&part), "{keys}: {share} of {bytes}");
        assert!(share > 0.8 && share <= 1.0, "{keys}: {share}");
    }
}

/// Timeouts, and segments sent again, of a flow that meets a break of 2 s.
fn across_a_break(algorithm: &str, outage: &str, tcp: &str) -> (i64, i64) {
    let text = format!(
        "[scenario]\nduration = \"20 s\"\n[topology]\nkind = \"dumbbell\"\npairs = 1\n\
         access = {{ rate = \"100 Mbps\", delay = \"1 ms\" }}\n\
         bottleneck = {{ rate = \"8 Mbps\", delay = \"49 ms\", queue = \"100 packets\", \
         outages = [{{ at = \"10 s\", for = \"2 s\", packets = \"lost\"{outage} }}] }}\n\
         [[flows]]\nfrom = \"left/0\"\nto = \"right/0\"\nalgorithm = \"{algorithm}\"\n\
         tcp = {{ window = \"50 segments\"{tcp} }}\n"
    );
    let scenario = Scenario::from_toml(&text, "fig.toml", &[]).unwrap();
    let run = scenario.points()[0].run(1, &RunOptions::default()).unwrap();
    let count = |name: &str| match run.flows.column(name) {
        Some(Column::I64(values)) => values[0],
        other => panic!("{name}: {other:?}"),
    };
    (count("timeouts"), count("retransmitted_segments"))
}

#[test]
fn an_outage_marked_as_a_handover_is_told_to_the_connections_across_it() {
    let (told, freeze) = (", handover = true", ", freeze = true");
    // warned in time, Freeze-TCP loses nothing; without the mark nobody warns it, and the window of 50 is lost
    assert_eq!(across_a_break("newreno", told, freeze), (0, 0));
    let (timeouts, again) = across_a_break("newreno", "", freeze);
    assert!(timeouts >= 1 && again >= 25, "{timeouts} {again}");
    assert_eq!(across_a_break("newreno", told, ""), (timeouts, again));
    // the aware sender's timer is not backed off: one expiry in the break, and the window again at its end
    let (timeouts, again) = across_a_break("westwood-plus-ho", told, "");
    assert_eq!(timeouts, 1);
    assert!((26..=52).contains(&again), "{again}");
}

/// Goodput of the one flow, Mbps, and the share of time in which the channel of its ACKs was bad, if that steps with
/// packets.
fn on_bursty_radio(loss: &str, seed: u64) -> (f64, f64) {
    let keys = format!(
        "rate = \"10 Mbps\", delay = \"30 ms\", queue = \"60 packets\", loss = {{ {loss}, direction = \"both\" }}"
    );
    let text = with_bottleneck(&keys).replace("\"20 s\"", "\"120 s\"\nwarmup = \"10 s\"");
    let scenario = Scenario::from_toml(&text, "fig.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let result = scenario.points()[0].run(seed, &RunOptions::default()).unwrap();
    let numbers = |column: Option<&Column>| match column {
        Some(Column::F64(values)) => values.clone(),
        other => panic!("{other:?}"),
    };
    let bad = numbers(result.links.column("bad_time_share"));
    let stepping = bad.iter().copied().filter(|share| !share.is_nan()).fold(f64::NAN, f64::max);
    (numbers(result.flows.column("goodput_bps"))[0] / 1e6, stepping)
}

#[test]
fn a_sender_that_backs_off_does_not_hold_a_channel_in_its_bad_state() {
    // A step for each packet: while the sender waits for its timer, nobody moves the channel on.
    let per_packet = |seed| on_bursty_radio("rate = \"1 %\", burst = \"5 packets\", per = \"packet\"", seed);
    let stuck: Vec<(f64, f64)> = (1..=6).map(per_packet).collect();
    assert!(stuck.iter().any(|(goodput, bad)| *goodput < 0.5 && *bad > 0.5), "{stuck:?}");
    // In time it goes on, and who asks for bursts gets that. 30 ms are the time of 25 packets.
    for loss in [
        "burst = \"5 packets\"",
        "burst = \"6 ms\"",
        "burst = \"30 ms\"",
        "model = \"gilbert-elliott\", burst = \"6 ms\"",
    ] {
        for seed in 1..=6 {
            let (goodput, bad) = on_bursty_radio(&format!("rate = \"1 %\", {loss}"), seed);
            assert!(goodput > 1.0 && bad.is_nan(), "{loss}, seed {seed}: {goodput} Mbps, {bad}");
        }
    }
    let netem = on_bursty_radio("model = \"gilbert-elliott\", p = \"0.202 %\", r = \"20 %\"", 1);
    assert!(netem.1 >= 0.0, "netem's numbers are per packet");
}

#[test]
fn hosts_have_jitter_by_profile_unless_told_otherwise() {
    let shown = |profile: &str, key: &str| {
        let scenario = with_loss("\"0 %\"")
            .replace("duration", &format!("profile = \"{profile}\"\nduration"))
            .replace("kind =", &format!("{key}\nkind ="));
        let scenario = Scenario::from_toml(&scenario, "fig.toml", &[]).map_err(|error| error.to_string())?;
        let text = scenario.points()[0].effective().unwrap();
        let again = Scenario::from_json(&text, "effective", &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.points()[0].effective().unwrap(), text);
        let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
        Ok::<String, String>(whole["topology"]["send_jitter"].as_str().unwrap().to_owned())
    };
    assert_eq!(shown("rfc", ""), Ok("auto".into()));
    assert_eq!(shown("ns2", ""), Ok("0 s".into()));
    assert_eq!(shown("ns2", "send_jitter = \"auto\""), Ok("auto".into()));
    assert_eq!(shown("rfc", "send_jitter = \"0 ms\""), Ok("0 s".into()));
    assert_eq!(shown("rfc", "send_jitter = \"1500 us\""), Ok("1500 us".into()));
    for (wrong, words) in [
        ("\"-1 ms\"", "it must not be negative"),
        ("\"1 h\"", "allowed is 10 s at most"),
        ("1", "without a unit"),
        ("\"5 packets\"", "wanted is a time"),
    ] {
        let error = shown("rfc", &format!("send_jitter = {wrong}")).expect_err("it is wrong");
        assert!(error.contains("`topology.send_jitter`") && error.contains(words), "{error}");
    }
}
