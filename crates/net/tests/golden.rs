//! What each algorithm of the registry does on one mixed path, a line for each round, in `tests/golden/NAME.txt`.
//!
//! `WINDLASS_GOLDEN=write cargo test -p windlass-net --test golden` writes the files anew; a change of them is a commit
//! of its own that says why. A bound stands beside them, so that nonsense cannot be written down: what is delivered.
//!
//! The path is `common::mixed_path`.

mod common;

use std::fmt::Write as _;
use std::path::PathBuf;

use common::*;
use net::*;
use tcp::Why;
use units::{Span, Time};

const SECONDS: f64 = 25.0;
const ROUND: Span = Span::from_millis(100);

fn why(why: Why) -> &'static str {
    match why {
        Why::DupAcks => "dup-acks",
        Why::SameWindow => "same-window",
        Why::JudgedRandom => "judged-random",
        Why::Timeout => "timeout",
        Why::Mark => "mark",
        Why::RecoveryExit => "recovery-exit",
        Why::Undo => "undo",
    }
}

/// The file of an algorithm.
fn golden(row: &cc::registry::Row) -> String {
    let traces = Traces { cwnd: true, ssthresh: true, rate: true, loss_event_rate: true, ..Traces::default() };
    let results = run(&mixed_path(row), 1, &RunOptions { traces, events: true, ..options(SECONDS) });
    let rated = cc::Config::named(row.name).is_some_and(|config| config.rate().is_some());
    let columns = if rated { [Variable::Rate, Variable::LossEventRate] } else { [Variable::Cwnd, Variable::Ssthresh] };
    let flow = &results.flows[0];
    // no more than the bottleneck carries, and, whatever the algorithm, a third of it; TFRC-SP's packets are 10 ms
    // apart
    let most = MIXED_BPS as f64 / 8.0 * SECONDS * 1460.0 / 1500.0;
    let share = flow.delivered_bytes as f64 / most;
    let least = if row.name == "tfrc-sp" { 0.3 * 1460.0 * 100.0 * SECONDS / most } else { 0.3 };
    assert!((least..=1.0).contains(&share), "{}: {share} of what the path carries", row.name);
    let mut text = format!(
        "# {}: {}, at the end of each round of 0.1 s; then what changed the window in it, and the true cause\n",
        row.name,
        if rated { "allowed rate in Mbit/s and loss event rate" } else { "cwnd and ssthresh in segments" },
    );
    let mut series = columns.map(|variable| results.traces.iter().filter(move |p| p.variable == variable).peekable());
    let mut events = results.events.iter().peekable();
    let mut values = [f64::NAN; 2];
    for round in 1..=(SECONDS / ROUND.secs()).round() as u64 {
        let end = Time(round * ROUND.0);
        for (points, value) in series.iter_mut().zip(&mut values) {
            while let Some(point) = points.next_if(|point| point.at <= end) {
                *value = point.value;
            }
        }
        let [first, second] = values;
        let scaled = if rated { first / 1e6 } else { first };
        write!(text, "{:6.1} {scaled:9.2} {second:9.2}", end.0 as f64 / 1e9).unwrap();
        while let Some(event) = events.next_if(|event| event.event.at <= end) {
            let cause = event.true_cause.map_or("", |cause| cause.about().name);
            write!(text, "  {}{}{cause}", why(event.event.why), if cause.is_empty() { "" } else { "/" }).unwrap();
        }
        text.push('\n');
    }
    writeln!(
        text,
        "# delivered {} bytes; sent again {}; timeouts {}; cuts {}; marks {}",
        flow.delivered_bytes,
        flow.sender.retransmitted_segments,
        flow.sender.timeouts,
        flow.sender.window_cuts,
        flow.sender.marks
    )
    .unwrap();
    text
}

#[test]
fn algorithms_do_what_is_written_down() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let write = std::env::var("WINDLASS_GOLDEN").is_ok_and(|word| word == "write");
    let mut moved = Vec::new();
    for row in cc::registry::ALGORITHMS {
        let file = folder.join(format!("{}.txt", row.name));
        let now = golden(row);
        if write {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &now).unwrap();
            continue;
        }
        let then = std::fs::read_to_string(&file).unwrap_or_default();
        if let Some((line, (was, is))) = then.lines().zip(now.lines()).enumerate().find(|(_, (was, is))| was != is) {
            moved.push(format!("{}, line {}:\n  was {was}\n  is  {is}", row.name, line + 1));
        } else if then != now {
            moved.push(format!("{}: {} lines, were {}", row.name, now.lines().count(), then.lines().count()));
        }
    }
    assert!(
        moved.is_empty(),
        "{} of {} algorithms do something else than `tests/golden` says; WINDLASS_GOLDEN=write writes it anew\n{}",
        moved.len(),
        cc::registry::ALGORITHMS.len(),
        moved.join("\n")
    );
}

#[test]
fn nothing_is_written_down_that_the_registry_does_not_have() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".txt").map(String::from))
        .collect();
    let mut known: Vec<&str> = cc::registry::ALGORITHMS.iter().map(|row| row.name).collect();
    names.sort_unstable();
    known.sort_unstable();
    assert_eq!(names, known);
}
