//! What a packet-hop costs with each algorithm: one case with every row of the registry, in one process, each run of an
//! algorithm beside one of NewReno, so that a machine that slows down for a while slows both. Only the ratios mean
//! anything.

use cc::registry::{Config, windowed};
use cpu_time::ProcessTime;
use net::World;

use crate::cases::Case;

/// The measurements of one algorithm.
struct Measured {
    algorithm: Config,
    packet_hops: u64,
    loop_events: u64,
    goodput_mbps: f64,
    hash: u64,
    ns_per_hop: Vec<f64>, // one per repetition
    ratios: Vec<f64>,
}

/// Prints a table in CSV: nanoseconds of CPU time per packet-hop and the ratio to those of the NewReno run beside it,
/// medians of the repetitions. Of the algorithms named and NewReno, or of all.
pub fn compare(case: &Case, repetitions: usize, only: &[String]) {
    let mut all: Vec<Measured> = windowed()
        .filter(|row| only.is_empty() || row.name == "newreno" || only.iter().any(|name| name == row.name))
        .map(|row| Measured {
            algorithm: Config::new(row),
            packet_hops: 0,
            loop_events: 0,
            goodput_mbps: 0.0,
            hash: 0,
            ns_per_hop: Vec::new(),
            ratios: Vec::new(),
        })
        .collect();
    let newreno = all.iter().position(|m| m.algorithm.row().name == "newreno").expect("in the registry");
    for repetition in 0..repetitions {
        for at in 0..all.len() {
            // by turns before and after it, so that a trend favours neither
            let [base, own] = if at == newreno {
                let ns = all[at].run(case);
                [ns, ns]
            } else if repetition % 2 == 0 {
                [newreno, at].map(|which| all[which].run(case))
            } else {
                let [own, base] = [at, newreno].map(|which| all[which].run(case));
                [base, own]
            };
            all[at].ratios.push(own / base);
        }
    }
    println!("algorithm,packet_hops,ns_per_hop,ratio_to_newreno,events_per_hop,goodput_mbps,hash");
    for m in all {
        println!(
            "{},{},{:.1},{:.2},{:.3},{:.3},{:016x}",
            m.algorithm.row().name,
            m.packet_hops,
            median(m.ns_per_hop),
            median(m.ratios),
            m.loop_events as f64 / m.packet_hops as f64,
            m.goodput_mbps,
            m.hash,
        );
    }
}

impl Measured {
    /// One run more: its nanoseconds per packet-hop.
    fn run(&mut self, case: &Case) -> f64 {
        let network = case.network_of(&self.algorithm, 1);
        let world = World::new(&network, 1, &case.options()).expect("the cases are sound");
        let running = ProcessTime::now();
        let results = world.run(None).expect("nobody cancels");
        let ns = running.elapsed().as_nanos() as f64 / results.packet_hops as f64;
        (self.packet_hops, self.loop_events) = (results.packet_hops, results.loop_events);
        self.goodput_mbps = crate::goodput_mbps(case, &results);
        self.hash = crate::hash(&results);
        self.ns_per_hop.push(ns);
        ns
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_between_the_two() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), 2.5);
    }

    #[test]
    fn every_algorithm_runs_the_case() {
        let mut case = crate::cases::w1();
        case.seconds = 2.0;
        compare(&case, 1, &[]);
    }
}
