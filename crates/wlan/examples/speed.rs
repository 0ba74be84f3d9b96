//! CPU time of a saturated cell and of a chain: `cargo run --release -p windlass-wlan --example speed`. Behind it names
//! of media, and by what their time is multiplied.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Run, Source, senders_to_0};
use units::{Span, Time};
use wlan::{Layout, MediumSpec, Params};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<f64> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let share = numbers.last().copied().unwrap_or(1.0);
    let wanted = |name: &str| arguments.len() == numbers.len() || arguments.iter().any(|argument| argument == name);
    let cell = |n: usize, silent: usize, layout: Layout| {
        let params = Params { rts_threshold: u32::MAX, ..Params::dot11g() };
        let mut sources = senders_to_0(n, 1500);
        sources.resize(n + silent + 1, Source::Silent);
        (MediumSpec::new("cell", params, layout), sources)
    };
    let chain = |rts: u32| {
        let mut sources = vec![Source::Silent; 9];
        sources[0] = Source::Saturated { to: 1, bytes: 572 };
        let params = Params { rts_threshold: rts, ..Params::named("ns2-g54").unwrap() };
        (MediumSpec::new("chain", params, Layout::line(9, 200.0)), sources)
    };
    for (name, (spec, sources), seconds) in [
        ("cell-10", cell(10, 0, Layout::Everyone { stations: 11 }), 100.0),
        ("cell-10-of-200", cell(10, 190, Layout::Everyone { stations: 201 }), 20.0),
        ("cell-200", cell(200, 0, Layout::Everyone { stations: 201 }), 20.0),
        ("chain-9", chain(u32::MAX), 100.0),
        ("chain-9-rts", chain(0), 100.0),
    ] {
        if wanted(name) {
            measure(name, &spec, &sources, seconds * share);
        }
    }
}

fn measure(name: &str, spec: &MediumSpec, sources: &[Source], seconds: f64) {
    let before = cpu_seconds();
    let mut run = Run::new(spec, sources, 1).unwrap();
    if name.starts_with("chain") {
        run = run.relaying(Span(50_000));
    }
    run.until(Time::from_secs(seconds));
    let used = cpu_seconds() - before;
    let mut frames = 0;
    let mut arrived = 0;
    for station in 0..sources.len() as u32 {
        let stats = run.stats(station);
        frames += stats.data_sent;
        arrived += stats.arrived;
    }
    println!(
        "{name}: {:.3} ms of CPU per simulated second; {:.2} million data frames, {:.2} million packet-hops per CPU second",
        used / seconds * 1e3,
        frames as f64 / used / 1e6,
        arrived as f64 / used / 1e6
    );
}

/// CPU time of this process, user and system.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    stat.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).map_or(f64::NAN, |ns| ns / 1e9)
}
