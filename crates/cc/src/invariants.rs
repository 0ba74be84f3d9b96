//! What holds for every algorithm of the registry, whatever the parameters: over legal sequences of events made by a small
//! model of the engine.
use std::vec::Vec;

use units::{Bytes, Time};

use crate::registry::{ALGORITHMS, Config, Kind, windowed};
use crate::testing::Model;
use crate::{Algorithm, CongestionControl};

const STEPS: usize = 400;
const SEEDS: u64 = 20;

/// The row with its defaults, and with each word, flag and end of a range that a parameter may take.
fn configs() -> Vec<Config> {
    let mut all = Vec::new();
    for row in windowed() {
        let plain = Config::new(row);
        all.push(plain);
        for p in row.parameters {
            let mut change = |set: &dyn Fn(&mut Config)| {
                let mut config = plain;
                set(&mut config);
                all.push(config);
            };
            match p.kind {
                Kind::Choice(words) => {
                    words.iter().for_each(|word| change(&|c| c.set_choice(p.name, word).unwrap()));
                }
                Kind::Flag(on) => change(&|c| c.set_flag(p.name, !on).unwrap()),
                Kind::Number { min, max, .. } => {
                    [min, max].iter().for_each(|&end| change(&|c| c.set_number(p.name, end).unwrap()));
                }
            }
        }
    }
    all
}

/// Runs one sequence and returns both windows after each step.
fn run(config: &Config, seed: u64, start: Time, ns2: bool) -> Vec<(Bytes, Bytes)> {
    let mut algorithm = config.build();
    let mut model = Model::new(&mut algorithm, seed, start, ns2);
    (0..STEPS)
        .map(|_| {
            model.step(&mut algorithm);
            (algorithm.cwnd(), algorithm.ssthresh())
        })
        .collect()
}

#[test]
fn windows_stay_finite_and_positive() {
    for config in configs() {
        for seed in 0..SEEDS {
            for ns2 in [false, true] {
                for (step, (cwnd, ssthresh)) in run(&config, seed, Time::ZERO, ns2).into_iter().enumerate() {
                    let finite = cwnd.0.is_finite() && ssthresh.0.is_finite();
                    let legal = cwnd > 0.0 && ssthresh >= 2.0 * Model::MSS;
                    assert!(finite && legal, "{cwnd:?} {ssthresh:?} at {step}: seed {seed} ns2 {ns2} {config:?}");
                }
            }
        }
    }
}

#[test]
fn shifting_the_start_changes_nothing() {
    for config in configs() {
        let at_zero = run(&config, 7, Time::ZERO, false);
        assert_eq!(at_zero, run(&config, 7, Time::from_secs(1000.0), false), "{}", config.row().name);
    }
}

#[test]
fn a_clone_goes_on_as_the_original() {
    for config in configs() {
        let mut original = config.build();
        let mut model = Model::new(&mut original, 3, Time::ZERO, true);
        (0..STEPS / 2).for_each(|_| model.step(&mut original));
        let (mut copy, mut other) = (original.clone(), model.clone());
        assert_eq!(copy, original);
        for _ in 0..STEPS / 2 {
            model.step(&mut original);
            other.step(&mut copy);
        }
        assert_eq!(copy, original, "{}", config.row().name);
    }
}

#[test]
fn the_model_reaches_every_kind_of_event() {
    let mut reached = [0; Model::KINDS];
    for seed in 0..SEEDS {
        let mut algorithm: Algorithm = Config::new(&ALGORITHMS[0]).build();
        let mut model = Model::new(&mut algorithm, seed, Time::ZERO, false);
        (0..STEPS).for_each(|_| model.step(&mut algorithm));
        reached.iter_mut().zip(model.counts).for_each(|(sum, count)| *sum += count);
    }
    assert!(reached.iter().all(|&n| n > 20), "{reached:?}");
}

#[test]
fn rows_say_which_algorithms_judge_losses() {
    for row in windowed() {
        let random = |seed| {
            let mut algorithm = Config::new(row).build();
            let mut model = Model::new(&mut algorithm, seed, Time::ZERO, false);
            (0..STEPS).for_each(|_| model.step(&mut algorithm));
            model.judged_random
        };
        assert_eq!((0..SEEDS).map(random).sum::<u32>() > 0, row.judges_losses, "{}", row.name);
    }
}
