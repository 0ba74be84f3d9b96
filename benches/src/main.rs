//! Packet-hops per CPU second of one case: `windlass-bench CASE [seconds [without SHORT-CUT]]`, CASE one of W1, W2, W3,
//! W4:N, W5:chain:N, W5:cell:N, W6:sack, W6:rack; without a short cut of the world and those that need it: `ahead`,
//! `plain`, `eager`, `departures`. Or the cost of every algorithm:
//! `windlass-bench algorithms [CASE [seconds [repetitions [NAME...]]]]`.
//!
//! A packet that crosses a link counts one, data and ACKs alike. Prints one line of `key=value` words, with a hash of
//! the results so that a faster but different simulator is noticed.

mod algorithms;
mod cases;
mod radio;

use cases::Case;
use cpu_time::ProcessTime;
use net::{Results, ShortCut, World};

/// Simulated seconds and repetitions of each algorithm unless told.
const ALGORITHM_SECONDS: f64 = 100.0;
const REPETITIONS: f64 = 41.0;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    if name == "algorithms" {
        let name = arguments.next().unwrap_or_else(|| "W1".into());
        let mut number = |default: f64| arguments.next().map_or(default, |word| word.parse().expect("a number"));
        let Some(mut case) = find(&name) else { usage() };
        case.seconds = number(ALGORITHM_SECONDS);
        let repetitions = number(REPETITIONS).max(1.0) as usize;
        let only: Vec<String> = arguments.collect();
        return algorithms::compare(&case, repetitions, &only);
    }
    let Some(mut case) = find(&name) else { usage() };
    match arguments.next().as_deref() {
        Some("ns2") => {
            println!("{} {}", case.ns2_script, case.ns2_arguments);
            return;
        }
        Some(seconds) => case.seconds = seconds.parse().expect("seconds are a number"),
        None => {}
    }
    let without = match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => None,
        (Some("without"), Some(word)) => Some(short_cut(&word).unwrap_or_else(|| usage())),
        _ => usage(),
    };
    measure(&case, without);
}

fn short_cut(word: &str) -> Option<ShortCut> {
    Some(match word {
        "ahead" => ShortCut::Ahead,
        "plain" => ShortCut::Plain,
        "eager" => ShortCut::Eager,
        "departures" => ShortCut::Departures,
        _ => return None,
    })
}

fn usage() -> ! {
    eprintln!(
        "usage: windlass-bench W1|W2|W3|W4:N|W5:chain:N|W5:cell:N|W6:sack|W6:rack [seconds [without ahead|plain|eager|departures]], windlass-bench CASE ns2 for ns-2's script and arguments, or \
         windlass-bench algorithms [CASE [seconds [repetitions [NAME...]]]]"
    );
    std::process::exit(2)
}

fn find(name: &str) -> Option<Case> {
    match name.split_once(':') {
        None => match name {
            "W1" => Some(cases::w1()),
            "W2" => Some(cases::w2()),
            "W3" => Some(cases::w3()),
            _ => None,
        },
        Some(("W4", n)) => n.parse().ok().map(cases::w4),
        Some(("W6", sender)) => cases::w6(sender),
        Some(("W5", rest)) => rest.split_once(':').and_then(|(shape, n)| cases::w5(shape, n.parse().ok()?)),
        Some(_) => None,
    }
}

fn measure(case: &Case, without: Option<ShortCut>) {
    let setup = ProcessTime::now();
    let network = case.network(1);
    let mut world = World::new(&network, 1, &case.options()).expect("the cases are sound");
    if let Some(short_cut) = without {
        world.without(short_cut);
    }
    let setup_s = setup.elapsed().as_secs_f64();
    let running = ProcessTime::now();
    let results = world.run(None).expect("nobody cancels");
    let run_s = running.elapsed().as_secs_f64();
    let sent: u64 = results.flows.iter().map(|f| f.sender.sent_segments).sum();
    println!(
        "case={} hops={} events={} run_cpu_s={run_s:.3} setup_cpu_s={setup_s:.3} mhops_per_s={:.2} goodput_mbps={:.2} \
         sent={sent} rss_mb={:.1} hash={:016x}",
        case.name.replace(' ', ":"),
        results.packet_hops,
        results.loop_events,
        results.packet_hops as f64 / run_s / 1e6,
        goodput_mbps(case, &results),
        peak_rss_mb(),
        hash(&results),
    );
}

/// Payload delivered by all flows, in megabits per simulated second.
fn goodput_mbps(case: &Case, results: &Results) -> f64 {
    results.flows.iter().map(|f| f.delivered_bytes).sum::<u64>() as f64 * 8.0 / case.seconds / 1e6
}

/// A number that differs if what the flows delivered differs.
fn hash(results: &Results) -> u64 {
    results.flows.iter().fold(0u64, |h, f| h.wrapping_mul(31).wrapping_add(f.delivered_bytes))
}

/// Largest resident memory of this process so far, in megabytes; 0 where the system does not tell.
fn peak_rss_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few seconds of each case. A hash in `hashes.txt` changes with what flows deliver and with nothing else, so it
    /// is written anew only where results change: with `RECORD=1`, and with a new number in `RESULTS.toml`.
    #[test]
    fn hashes_are_as_recorded() {
        let short = [
            ("W1", 20.0),
            ("W2", 10.0),
            ("W3", 3.0),
            ("W4:10", 5.0),
            ("W4:100", 2.0),
            ("W5:chain:9", 2.0),
            ("W5:cell:10", 2.0),
            ("W6:sack", 5.0),
            ("W6:rack", 5.0),
        ];
        let mut found = String::new();
        for (name, seconds) in short {
            let mut case = find(name).expect("it is a case");
            case.seconds = seconds;
            let world = World::new(&case.network(1), 1, &case.options()).expect("the cases are sound");
            let results = world.run(None).expect("nobody cancels");
            found += &format!("{name} {seconds} s {:016x}\n", hash(&results));
        }
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("hashes.txt");
        if std::env::var_os("RECORD").is_some() {
            std::fs::write(&file, &found).expect("the file can be written");
        }
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), found);
    }
}
