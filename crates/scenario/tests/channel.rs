//! What a link's channel can do, as it is written in a scenario.

use std::fs;
use std::path::PathBuf;

use scenario::{Column, RunOptions, Scenario};

/// A scenario with this loss on its bottleneck.
fn with_loss(loss: &str) -> String {
    format!(
        "[scenario]\nduration = \"20 s\"\n[topology]\nkind = \"dumbbell\"\n\
         access = {{ rate = \"100 Mbps\", delay = \"1 ms\" }}\n\
         bottleneck = {{ rate = \"8 Mbps\", delay = \"20 ms\", loss = {loss} }}\n\
         [[flows]]\nfrom = \"left/0\"\nto = \"right/0\"\nalgorithm = \"newreno\"\n[output]\nevents = true\n"
    )
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

/// Read, check that the complete description reads back to itself, and return its part on the bottleneck's loss.
#[track_caller]
fn effective(loss: &str) -> String {
    let read = |scenario: Result<Scenario, scenario::Error>| scenario.unwrap_or_else(|error| panic!("{error}"));
    let scenario = read(Scenario::from_toml(&with_loss(loss), "fig.toml", &[]));
    let text = scenario.points()[0].effective().unwrap();
    let again = read(Scenario::from_json(&text, "effective", &[]));
    assert_eq!(again.points()[0].effective().unwrap(), text);
    let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    whole["topology"]["bottleneck"]["loss"].to_string()
}

#[track_caller]
fn refused(loss: &str, code: &str, words: &str) {
    let shown = Scenario::from_toml(&with_loss(loss), "fig.toml", &[]).expect_err("it is wrong").to_string();
    assert!(shown.starts_with(&format!("error[scenario.{code}]: fig.toml, line 6: ")), "{shown}");
    assert!(shown.contains(words) && shown.lines().count() <= 2, "{shown}\nwanted: {words}");
}

#[test]
fn every_model_is_written_out_with_its_defaults() {
    assert_eq!(effective("\"1 %\""), r#"{"model":"uniform","rate":"1 %","at":"wire"}"#);
    assert_eq!(
        effective("{ model = \"gilbert-elliott\", rate = \"1 %\", burst = \"5 packets\", direction = \"both\" }"),
        r#"{"model":"gilbert-elliott","rate":"1 %","burst":"5 packets","good_loss":"0 %","bad_loss":"100 %","at":"wire"}"#
    );
    assert_eq!(
        effective("{ model = \"gilbert-elliott\", rate = \"1 %\" }"),
        r#"{"model":"gilbert-elliott","rate":"1 %","burst":"independent","good_loss":"0 %","bad_loss":"100 %","at":"wire"}"#
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
    refused(&mean("burst = \"5 packets\""), "out-of-range", "is 90 %, bursts of 5 packets allow 83.333333 % at most");
    refused(&mean("burst = \"0.5 packets\""), "out-of-range", "`topology.bottleneck.loss.burst`");
    refused(&mean("bad_loss = \"50 %\""), "out-of-range", "`bad_loss` allows 50.000000 % at most");
    refused(&mean("good_loss = \"95 %\""), "out-of-range", "but the good state alone loses 95 %");
    refused(&mean("good_loss = \"50 %\", bad_loss = \"40 %\""), "out-of-range", "more than `bad_loss`, 40 %");
    refused(&mean("p = \"1 %\""), "conflict", "stands beside `p`");
    refused("{ model = \"gilbert-elliott\", rate = \"1 %\", r = \"1 %\" }", "conflict", "goes with `p`");
    refused("{ model = \"gilbert-elliott\" }", "missing-key", "write `rate = \"1 %\"`");
    refused("{ model = \"gilbert\", rate = \"1 %\" }", "unknown-word", "did you mean `gilbert-elliott`?");
    refused("{ rate = \"1 %\", burst = \"5 packets\" }", "unknown-key", "has no key `burst`");
    refused("{ model = \"bit\", rate = \"1 %\" }", "unknown-key", "`error_rate`");
    refused("{ model = \"bit\", error_rate = 1.5 }", "out-of-range", "allowed is 0 to 1");
    refused("{ model = \"two-state\", good = \"2 s\", bad = \"1 us\" }", "out-of-range", "100 us at least");
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
    assert!(error.contains("is not a file"), "{error}");
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
