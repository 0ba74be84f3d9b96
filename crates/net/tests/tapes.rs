//! Tapes of what algorithms are told: an algorithm answers alone as it answered in the run.
//!
//! `tests/tapes/NAME.tape` are kept for a few algorithms: four seconds of a small path with listed losses, marks and a
//! timeout. `WINDLASS_TAPES=write cargo test -p windlass-net --test tapes` writes them anew; a change of them is a
//! commit of its own that says why.

mod common;

use std::path::PathBuf;
use std::sync::Arc;

use cc::registry::{find, windowed};
use common::*;
use net::*;
use tape::{Replay, Tape, replay};
use tcp::Profile;
use units::{Span, Time};

/// Those whose tapes are kept.
const KEPT: [&str; 6] = ["newreno", "cerl", "westwood-plus", "cubic", "vegas", "bbr"];

fn recorded(network: &Network, seconds: f64) -> Results {
    run(network, 1, &RunOptions { tapes: true, ..options(seconds) })
}

/// Base RTT 60 ms; a link of 20 Mbit/s that marks beyond five waiting packets, as at the start; behind it 1 Mbit/s with
/// ten packets of queue, which loses the 70th and the 120th packet, and everything from 2 s to 3.3 s.
fn small_path(algorithm: &str) -> Network {
    let mut marking = direction(20_000_000, 5, 1000);
    marking.queue.discipline = Discipline::Threshold(QueueLimit::Packets(5));
    marking.queue.ecn = true;
    let mut core = direction(1_000_000, 25, 10);
    core.drops = vec![70, 120];
    let (at, length) = (Time(2_000_000_000), Span::from_millis(1300));
    let outage = Outage { at, length, every: None, lost: true, handover: false };
    core.changing = Some(Arc::new(Changing { outages: vec![outage], ..Changing::default() }));
    let mut links = [("marking", 0, marking), ("bottleneck", 1, core)].map(|(name, a, forward)| {
        let back = direction(20_000_000, if a == 0 { 5 } else { 25 }, 1000);
        LinkSpec { forward, ..link(name, a, a + 1, back) }
    });
    links.iter_mut().for_each(|link| link.reverse.queue.ecn = false);
    let mut only = flow("f", 0, 2, algorithm, Profile::Rfc);
    tcp(&mut only).rules.ecn = true;
    let nodes = ["s", "g", "r"].map(String::from).to_vec();
    Network { nodes, links: links.to_vec(), flows: vec![only], ..Network::default() }
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/tapes").join(format!("{name}.tape"))
}

#[track_caller]
fn equal(name: &str, text: &str) -> Replay {
    let replay = replay(text).unwrap_or_else(|problem| panic!("{name}: {problem}"));
    assert_eq!(replay.differences, [], "{name}: of {} events", replay.events);
    replay
}

#[test]
fn what_is_kept_is_what_the_engine_tells_and_the_algorithms_answer() {
    for name in KEPT {
        let results = recorded(&small_path(name), 4.0);
        let now = &results.tapes[0].text;
        assert!(results.flows[0].sender.timeouts > 0 && results.flows[0].sender.fast_retransmits > 0, "{name}");
        if std::env::var("WINDLASS_TAPES").is_ok_and(|word| word == "write") {
            std::fs::create_dir_all(file(name).parent().unwrap()).unwrap();
            std::fs::write(file(name), now).unwrap();
        }
        let then = std::fs::read_to_string(file(name)).expect("WINDLASS_TAPES=write writes it");
        let moved = then.lines().zip(now.lines()).enumerate().find(|(_, (was, is))| was != is);
        assert!(then == *now, "{name}: the first line that is another one: {moved:?}");
        assert_eq!(equal(name, &then).events, then.lines().count() - 3);
    }
}

#[test]
fn nothing_is_kept_that_is_not_looked_at() {
    let mut names: Vec<String> = std::fs::read_dir(file("x").parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap().replace(".tape", ""))
        .collect();
    let mut kept = KEPT.map(String::from);
    names.sort_unstable();
    kept.sort_unstable();
    assert_eq!(names, kept);
}

#[test]
fn every_algorithm_answers_alone_as_in_the_run_and_recording_changes_nothing() {
    for row in windowed() {
        for profile in [Profile::Rfc, Profile::Ns2, Profile::Linux] {
            let mut network = mixed_path(row);
            let spec = tcp(&mut network.flows[0]);
            if profile != Profile::Rfc {
                spec.rules = tcp(&mut flow("f", 0, 2, row.name, profile)).rules;
            }
            let results = recorded(&network, 22.0);
            let plain = run(&network, 1, &options(22.0));
            let counts = |results: &Results| {
                let flow = &results.flows[0];
                (flow.delivered_bytes, flow.sender, results.loop_events, results.packet_hops)
            };
            assert_eq!(format!("{:?}", counts(&results)), format!("{:?}", counts(&plain)), "{}", row.name);
            assert!(plain.tapes.is_empty());
            let replay = equal(row.name, &results.tapes[0].text);
            // an ACK for every second segment of 1460 bytes, and all that happens beside
            assert!(replay.events as u64 > results.flows[0].delivered_bytes / 2920, "{}", row.name);
        }
    }
}

#[test]
fn signals_are_on_tapes() {
    let has = |text: &str, kind: &str| text.lines().any(|line| line.starts_with(kind));
    // a link that goes down for 300 ms, of which the sender hears
    let mut network = small_path("westwood-plus-ho");
    let outage =
        Outage { at: Time(2_000_000_000), length: Span::from_millis(300), every: None, lost: true, handover: true };
    network.links[1].forward.changing = Some(Arc::new(Changing { outages: vec![outage], ..Changing::default() }));
    let results = recorded(&network, 4.0);
    let text = &results.tapes[0].text;
    assert!(has(text, "handover-start") && has(text, "handover-end") && text.contains("frozen=resend"));
    equal("westwood-plus-ho", text);
    // a link that holds everything back for a second: the timeout is for nothing, and is taken back
    let mut network = small_path("cubic");
    let held =
        Outage { at: Time(1_600_000_000), length: Span::from_millis(1000), every: None, lost: false, handover: false };
    network.links[1].forward.changing = Some(Arc::new(Changing { outages: vec![held], ..Changing::default() }));
    tcp(&mut network.flows[0]).rules = tcp(&mut flow("f", 0, 2, "cubic", Profile::Linux)).rules;
    let results = recorded(&network, 4.0);
    let text = &results.tapes[0].text;
    assert!(has(text, "remember") && has(text, "restore"), "{:?}", results.flows[0].sender);
    assert!(results.flows[0].sender.undone > 0);
    equal("cubic", text);
    // a connection over two paths
    let mut network = small_path("mveno");
    network.flows.push(FlowSpec { name: "g".into(), ..network.flows[0].clone() });
    let several = MultipathSpec { name: "c".into(), subflows: vec![0, 1], buffer: 100_000, size: None, coupled: true };
    network.multipath.push(several);
    let results = recorded(&network, 4.0);
    for tape in &results.tapes {
        assert!(has(&tape.text, "subflows") && has(&tape.text, "take-round"), "{}", tape.flow);
        equal("mveno", &tape.text);
    }
    // data in both directions: a tape of each sender
    let mut network = small_path("veno");
    tcp(&mut network.flows[0]).two_way = true;
    let results = recorded(&network, 4.0);
    assert_eq!(results.tapes.iter().map(|tape| tape.reverse).collect::<Vec<_>>(), [false, true]);
    results.tapes.iter().for_each(|tape| drop(equal("veno", &tape.text)));
}

#[test]
fn another_algorithm_or_parameter_answers_something_else() {
    let results = recorded(&small_path("veno"), 4.0);
    let tape = Tape::read(&results.tapes[0].text).unwrap();
    let mut config = tape.config(find).unwrap();
    assert_eq!((tape.algorithm(), config.row().name), ("veno", "veno"));
    config.set_number("veno_keep", 0.9).unwrap();
    let other = tape.replay(&mut config.build()).unwrap();
    let newreno = tape.replay(&mut cc::Config::named("newreno").unwrap().build()).unwrap();
    for (replay, first) in [(other, "cwnd"), (newreno, "cwnd")] {
        assert_eq!(replay.differences[0].field, first);
        assert!(replay.differences.len() < replay.events, "the start is alike");
    }
}
