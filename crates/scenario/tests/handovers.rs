//! Handovers of a link at given times, as they are written in a scenario.

mod common;

use common::{effective_bottleneck, part, refused_text, with_bottleneck};
use scenario::{Column, RunOptions, RunResult, Scenario};

fn link(handovers: &str) -> String {
    with_bottleneck(&format!("rate = \"8 Mbps\", delay = \"20 ms\", handovers = {handovers}"))
}

#[track_caller]
fn read(text: &str) -> Scenario {
    Scenario::from_toml(text, "fig.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn run(text: &str, seed: u64) -> RunResult {
    read(text).points()[0].run(seed, &RunOptions::default()).unwrap()
}

fn times(result: &RunResult) -> Vec<f64> {
    let Some(Column::F64(times)) = result.losses.column("time_s") else { panic!() };
    let Some(Column::Str(causes)) = result.losses.column("cause") else { panic!() };
    times.iter().zip(causes).filter(|(_, cause)| *cause == "handover").map(|(time, _)| *time).collect()
}

#[test]
fn handovers_are_written_out_with_their_defaults() {
    let effective = |handovers: &str| {
        let link = effective_bottleneck(Scenario::from_toml(&link(handovers), "fig.toml", &[]));
        part(&link, "handovers").to_string()
    };
    assert_eq!(effective("[]"), "[]");
    assert_eq!(
        effective("[{ at = \"10 s\", gap = \"200 ms\" }]"),
        r#"[{"at":"10 s","gap":"200 ms","queue_at_old":"lost","warn":"50 ms"}]"#
    );
    assert_eq!(
        effective(
            "[{ at = \"1 s\", gap = \"0 s\", rate_factor = 0.5, delay_step = \"-5 ms\", queue_at_old = \"forwarded\" }, \
             { at = \"2 s\", gap = \"uniform(1 ms, 2 ms)\", delay = \"7 ms\", warn = \"0 s\", every = \"3 s\" }]"
        ),
        concat!(
            r#"[{"at":"1 s","gap":"0 s","rate_factor":0.5,"delay_step":"-5 ms","queue_at_old":"forwarded","forward_delay":"10 ms","warn":"50 ms"},"#,
            r#"{"at":"2 s","gap":"uniform(1 ms, 2 ms)","delay":"7 ms","queue_at_old":"lost","warn":"0 s","every":"3 s"}]"#
        )
    );
    assert_eq!(
        effective("\"leo\""),
        concat!(
            r#"[{"at":"12 s","gap":"uniform(0 s, 50 ms)","rate_factor":"uniform(0.7, 1.3)","delay":"uniform(15 ms, 40 ms)","#,
            r#""queue_at_old":"forwarded","forward_delay":"0 s","warn":"0 s","every":"15 s"}]"#
        )
    );
}

#[test]
fn handovers_that_make_no_sense_are_refused() {
    let refused = |handovers: &str, code: &str, words: &str| refused_text(&link(handovers), code, words);
    let one = |keys: &str| format!("[{{ at = \"10 s\", gap = \"1 s\", {keys} }}]");
    refused("\"geo\"", "unknown-word", "handovers = \"leo\"");
    refused("[{ at = \"10 s\" }]", "missing-key", "write `gap = \"200 ms\"`");
    refused(&one("queue_at_old = \"kept\""), "unknown-word", "`forwarded`");
    refused(&one("forward_delay = \"1 ms\""), "conflict", "write `queue_at_old = \"forwarded\"`");
    refused(&one("rate_factor = 0"), "out-of-range", "uniform(0.7, 1.3)");
    refused(&one("rate_factor = \"uniform(2, 1)\""), "out-of-range", "uniform(0.7, 1.3)");
    refused(&one("delay = \"5 ms\", delay_step = \"5 ms\""), "conflict", "write one of the two");
    refused(&one("delay = \"exponential(5 ms)\""), "out-of-range", "greatest value");
    refused(&one("every = \"1 s\""), "out-of-range", "make `every` longer");
    let two = "[{ at = \"10 s\", gap = \"1 s\" }, { at = \"10.5 s\", gap = \"1 s\" }]";
    refused(two, "out-of-range", "11 s at the latest");
    refused(two, "out-of-range", "write them in order of time");
    refused("[\"leo\"]", "wrong-type", "write `handovers = [{ at = \"20 s\"");
    refused("[{ at = \"10 s\", gap = \"2 h\" }]", "out-of-range", "3600 s at most");
    refused(&one("delay_step = \"-100 h\""), "out-of-range", "write \"30 ms\"");
    let endless = "[{ at = \"1 s\", gap = \"1 s\", every = \"5 s\" }, { at = \"20 s\", gap = \"1 s\" }]";
    refused(endless, "out-of-range", "write the one with `every` last");
    let stepped = "changes = [{ at = \"5 s\", delay = \"1 ms\" }], rate = \"8 Mbps\", delay = \"20 ms\"";
    let with = |handovers: &str| with_bottleneck(&format!("{stepped}, handovers = {handovers}"));
    refused_text(&with(&one("delay_step = \"1 ms\"")), "conflict", "would be undone by the `handovers`");
    read(&with(&one("rate_factor = 2")));
    let reverse = "[], reverse = { handovers = [] }";
    refused(reverse, "unknown-key", "`topology.bottleneck.reverse` has no key `handovers`");
}

#[test]
fn a_handover_loses_what_is_on_its_way_and_changes_rate_and_delay() {
    let events = "[output]\nevents = true\n";
    // of a sender that fills the queue by then
    let sender = "algorithm = \"newreno\"\ntcp = { recovery = \"algorithm\", prr = false }";
    let text = link("[{ at = \"10 s\", gap = \"500 ms\", rate_factor = 0.25, delay_step = \"30 ms\" }]") + events;
    let text = text.replace("algorithm = \"newreno\"", sender);
    let result = run(&text, 1);
    let lost = times(&result);
    // 20 ms of 8 Mbps, and what waited
    assert!(lost.len() > 14 && lost.iter().all(|at| *at == 10.0), "{lost:?}");
    let Some(Column::I64(bytes)) = result.links.column("transmitted_bytes") else { panic!() };
    let Some(Column::F64(shares)) = result.links.column("utilisation") else { panic!() };
    let Some(Column::Str(links)) = result.links.column("link") else { panic!() };
    let row = links.iter().position(|link| link == "bottleneck").unwrap();
    // 10 s of 8 Mbps and 9.5 s of 2 Mbps are 12.375 MB
    assert!((shares[row] * 12.375e6 - bytes[row] as f64).abs() < 1500.0, "{} of {}", shares[row], bytes[row]);
    // what waits is kept, so what is lost was on the air: 14 packets there and their ACKs back
    let kept = times(&run(&text.replace("gap =", "queue_at_old = \"forwarded\", gap ="), 1));
    assert!(lost.len() > 50 && (14..=28).contains(&kept.len()), "{} of {}", kept.len(), lost.len());
}

#[test]
fn what_handovers_leave_of_a_link_is_its_mean_over_the_run() {
    let rate = |handovers: &str| {
        let capacity = read(&link(handovers)).points()[0].capacity(&[]).unwrap();
        let capacity: serde_json::Value = serde_json::from_str(&capacity).unwrap();
        capacity["cuts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|cut| cut["links"][0]["rate_bps"].as_f64().unwrap())
            .fold(1e12, f64::min)
    };
    // 10 s of 8 Mbps and 9.5 s of 2 in 20 s
    assert!((rate("[{ at = \"10 s\", gap = \"500 ms\", rate_factor = 0.25 }]") - 4.95e6).abs() < 1.0);
    // drawn: the shortest gap and the highest rate; 10 s of 8, 9.9 s of 12
    let drawn = "[{ at = \"10 s\", gap = \"uniform(100 ms, 500 ms)\", rate_factor = \"uniform(0.5, 1.5)\" }]";
    assert!((rate(drawn) - 9.94e6).abs() < 1.0);
    // gaps alone, again and again: 5, 10, 15 s
    assert!((rate("[{ at = \"5 s\", every = \"5 s\", gap = \"1 s\" }]") - 8e6 * 17.0 / 20.0).abs() < 1.0);
}

#[test]
fn a_low_satellite_hands_over_every_15_s_each_time_in_another_way() {
    let text = link("\"leo\"").replace("20 s\"\n", "60 s\"\n") + "[output]\nevents = true\n";
    let breaks = |seed: u64| {
        let mut times = times(&run(&text, seed));
        times.dedup();
        times
    };
    assert_eq!(breaks(1), [12.0, 27.0, 42.0, 57.0]);
    let losses = |seed| times(&run(&text, seed)).len();
    assert!((2..9).any(|seed| losses(seed) != losses(1)), "delays are drawn by seed");
    assert_eq!(format!("{:?}", run(&text, 3).flows), format!("{:?}", run(&text, 3).flows));
}
