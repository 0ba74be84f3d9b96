//! What holds in every cell and chain, whatever its numbers.

mod common;

use common::{Run, Source};
use proptest::prelude::*;
use units::{Span, Time};
use wlan::params::{AfterTimeout, Capture, Protection};
use wlan::{
    ArfStart, Class, Frame, Layout, Loss, LossAt, LossFrames, LossModel, Medium, MediumSpec, NoSupply, Outcome, Params,
    Position, Rate, RateControl, Way,
};

fn params() -> impl Strategy<Value = Params> {
    let names = prop::sample::select(Params::NAMES.to_vec());
    let captures = prop::sample::select(vec![Capture::Off, Capture::First, Capture::Any]);
    let limits = (1u32..9, 1u32..9);
    (names, any::<prop::sample::Index>(), captures, limits, 0u32..3000, any::<(bool, bool, bool)>()).prop_map(
        |(name, rate, capture, (short, long), rts_threshold, (slots, reset, edca))| {
            let mut params = Params::named(name).unwrap();
            params.rate = *rate.get(&params.rates);
            params.short_retry_limit = short;
            params.long_retry_limit = long;
            params.rts_threshold = rts_threshold;
            params.rules.capture = capture;
            params.rules.nav_reset = reset;
            if long % 2 == 0 && !name.starts_with("ns2") {
                params.radio.reception = wlan::Reception::Snr;
            }
            if short % 3 == 0 {
                params.radio.rayleigh_block = Some(wlan::Coherence::Time(Span::from_millis(5)));
                params.radio.shadowing_db = 4.0;
            }
            params.edca |= edca && !name.starts_with("ns2");
            if slots {
                params.rules.after_timeout = AfterTimeout::Slots;
            }
            if params.rate.phy == wlan::Phy::Dsss {
                params.protection = Protection::Off;
            }
            params
        },
    )
}

fn control() -> impl Strategy<Value = RateControl> {
    let arf = [ArfStart::Low, ArfStart::High].map(RateControl::Arf);
    prop::sample::select(vec![RateControl::Fixed, arf[0], arf[1], RateControl::Minstrel])
}

fn layout() -> impl Strategy<Value = Layout> {
    let place = (-400.0..400.0f64, -400.0..400.0f64);
    prop_oneof![
        (2usize..12).prop_map(|stations| Layout::Everyone { stations }),
        (2usize..9, 100.0..260.0f64).prop_map(|(nodes, spacing)| Layout::line(nodes, spacing)),
        prop::collection::vec(place, 2..10)
            .prop_map(|places| Layout::Positions(places.into_iter().map(|(x, y)| Position { x, y }).collect())),
        (3usize..8, prop::collection::vec((0u32..8, 0u32..8), 1..20)).prop_map(|(stations, pairs)| {
            let within = |(a, b): (u32, u32)| (a % stations as u32, b % stations as u32);
            Layout::List { stations, heard: pairs.into_iter().map(within).filter(|(a, b)| a != b).collect() }
        }),
    ]
}

fn loss() -> impl Strategy<Value = Option<Loss>> {
    let models = prop_oneof![
        (0.0..0.5f64).prop_map(|rate| LossModel::Independent { rate }),
        (0.0..0.5f64).prop_map(|rate| LossModel::Gilbert { rate, burst: 4.0 }),
        (0.0..0.5f64).prop_map(|rate| LossModel::GilbertInTime { rate, burst: Span::from_millis(5) }),
        (0.0..0.5f64).prop_map(|rate| LossModel::Ns2TwoState { rate, burst: 4.0 }),
    ];
    let place = prop::sample::select(vec![LossAt::Mac, LossAt::Above]);
    prop::option::of((models, place).prop_map(|(model, at)| Loss { model, frames: LossFrames::All, at }))
}

/// Two seconds of frames at random, to one station or to all: what happened, and the counters.
fn traffic(
    medium: &mut Medium,
    stations: u32,
    rate: f64,
    kinds: &[u8],
    seed: u64,
) -> (Vec<(Time, Outcome)>, Vec<wlan::StationStats>) {
    traffic_of(medium, stations, rate, kinds, seed, false)
}

/// The same; the medium may run to what comes out instead of being asked for deadlines.
fn traffic_of(
    medium: &mut Medium,
    stations: u32,
    rate: f64,
    kinds: &[u8],
    seed: u64,
    runs: bool,
) -> (Vec<(Time, Outcome)>, Vec<wlan::StationStats>) {
    let mut stream = sim::Stream::new(seed, "traffic");
    let (mut all, mut outcomes) = (Vec::new(), Vec::new());
    let mut now;
    let mut arrival = Time::ZERO;
    let end = Time(2_000_000_000);
    loop {
        if runs {
            while let Some(now) = medium.run(arrival.min(end + Span(1)), &mut NoSupply, &mut outcomes) {
                all.extend(outcomes.drain(..).map(|outcome| (now, outcome)));
            }
        }
        now = arrival.min(if runs { Time::NEVER } else { medium.deadline() });
        if now > end {
            break;
        }
        if now < arrival {
            medium.advance(now, &mut NoSupply, &mut outcomes);
            all.extend(outcomes.drain(..).map(|outcome| (now, outcome)));
            continue;
        }
        let gap = sim::Distribution::Exponential { mean: 1.0 / rate }.draw(&mut stream);
        arrival += Span::from_secs(gap);
        let from = (stream.uniform() * f64::from(stations)) as u32;
        let to = match kinds[from as usize % kinds.len()] {
            0 => wlan::EVERYONE,
            _ => (from + 1) % stations,
        };
        let class = Class::ALL[(stream.uniform() * 4.0) as usize];
        if medium.wants_frame_of(from, class) {
            medium.offer(now, from, Frame { to, bytes: 700, handle: u64::from(from), rate: None, class });
        }
    }
    medium.advance(end, &mut NoSupply, &mut outcomes);
    let stats = (0..stations).map(|station| medium.stats(station, end)).collect();
    (all, stats)
}

/// Each station sends to the next one, in one of three ways.
fn sources(count: usize, kinds: &[u8]) -> Vec<Source> {
    let source = |station: usize| {
        let to = ((station + 1) % count) as u32;
        match kinds[station % kinds.len()] {
            0 => Source::Silent,
            1 => Source::Saturated { to, bytes: 600 },
            _ => Source::Poisson { to, bytes: 1200, rate: 40.0 },
        }
    };
    (0..count).map(source).collect()
}

/// In some media with positions interference adds up, in some one or two stations move.
fn vary(spec: &mut MediumSpec, seed: u64) {
    let Layout::Positions(places) = &spec.layout else { return };
    if seed.is_multiple_of(3) && spec.params.radio.reception == wlan::Reception::Snr {
        spec.params.rules.capture = Capture::Sinr;
    }
    let velocity = Position { x: 40.0, y: seed as f64 };
    let moves = places.iter().zip(0..).take(seed as usize % 4).map(|(&from, id)| (id, Way::Line { from, velocity }));
    spec.moves = moves.collect();
}

/// So many cases, or as many as `PROPTEST_CASES` says.
fn config(cases: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(cases);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn frames_are_conserved_and_airtime_is_at_most_the_time(
        params in params(), layout in layout(), loss in loss(), control in control(), kinds in prop::collection::vec(0u8..3, 1..5), seed in 0u64..100,
    ) {
        let mut spec = MediumSpec::new("drawn", params, layout);
        vary(&mut spec, seed);
        spec.loss = loss;
        let count = spec.layout.stations();
        spec.rate_controls = vec![control; count];
        let mut run = Run::new(&spec, &sources(count, &kinds), seed).unwrap();
        let window = Span::from_millis(3000);
        run.until(Time::ZERO + window);
        let mut sent = 0;
        let mut acked = 0;
        for station in 0..count {
            let stats = run.stats(station as u32);
            // packets: all that were offered are sent, given up, refused by the queue, or still there
            prop_assert_eq!(run.offered[station], run.sent[station] + run.given_up[station] + run.overflow[station] + run.backlog(station as u32));
            prop_assert_eq!(run.given_up[station], stats.dropped);
            prop_assert_eq!(run.sent[station], stats.acked);
            // attempts: those answered, those not, and at most one under way
            let begun = stats.attempts - stats.acked - stats.failures - stats.broken_off;
            prop_assert!(begun <= 1, "{} under way", begun);
            // time: what is sensed or sent is not more than there was
            prop_assert!(stats.busy <= window, "busy {}", stats.busy);
            let longest = Span::from_millis(30);
            prop_assert!(stats.airtime.total() <= stats.busy + longest, "{} on air, busy {}", stats.airtime.total(), stats.busy);
            prop_assert!(stats.arrived <= stats.data_sent);
            prop_assert!(stats.acked <= stats.arrived);
            sent += stats.data_sent;
            acked += stats.received + stats.duplicates;
        }
        prop_assert!(acked <= sent);
        // what was acknowledged has arrived
        let delivered: u64 = run.delivered.iter().sum();
        let above: u64 = (0..count).map(|station| run.stats(station as u32).lost_above).sum();
        prop_assert!(run.sent.iter().sum::<u64>() <= delivered + above);
    }

    #[test]
    fn sleepers_change_nothing(
        params in params(), stations in 2usize..14, rate in prop_oneof![1.0..200.0f64, 200.0..5000.0f64], control in control(), kinds in prop::collection::vec(0u8..3, 1..5), seed in 0u64..100,
    ) {
        let mut spec = MediumSpec::new("cell", params, Layout::Everyone { stations });
        spec.rate_controls = vec![control; stations];
        let outcomes = |sleeping: bool| {
            let mut medium = Medium::new(&spec, seed).unwrap();
            if !sleeping {
                medium.nobody_sleeps();
            }
            medium.trace_frames(true);
            traffic(&mut medium, stations as u32, rate, &kinds, seed)
        };
        let (slept, awake) = (outcomes(true), outcomes(false));
        prop_assert_eq!(slept.0, awake.0);
        prop_assert_eq!(slept.1, awake.1);
    }

    #[test]
    fn frames_that_pass_change_nothing(
        params in params(), layout in layout(), rate in prop_oneof![1.0..200.0f64, 200.0..5000.0f64], control in control(), kinds in prop::collection::vec(0u8..6, 1..5), traced in any::<bool>(), seed in 0u64..100,
    ) {
        let mut params = params;
        params.radio.rayleigh_block = None;
        let mut spec = MediumSpec::new("cell", params, layout);
        let stations = spec.layout.stations();
        spec.rate_controls = vec![control; stations];
        let outcomes = |passing: bool| {
            let mut medium = Medium::new(&spec, seed).unwrap();
            if !passing {
                medium.nothing_passes();
            }
            medium.trace_frames(traced);
            traffic(&mut medium, stations as u32, rate, &kinds, seed)
        };
        let (fast, plain) = (outcomes(true), outcomes(false));
        prop_assert_eq!(fast.0, plain.0);
        prop_assert_eq!(fast.1, plain.1);
    }

    #[test]
    fn running_to_what_comes_out_is_asking_for_deadlines(
        params in params(), layout in layout(), loss in loss(), rate in 1.0..2000.0f64, kinds in prop::collection::vec(0u8..3, 1..5), seed in 0u64..100,
    ) {
        let mut spec = MediumSpec::new("cell", params, layout);
        spec.loss = loss;
        let stations = spec.layout.stations() as u32;
        let medium = || Medium::new(&spec, seed).unwrap();
        let asked = traffic(&mut medium(), stations, rate, &kinds, seed);
        let run = traffic_of(&mut medium(), stations, rate, &kinds, seed, true);
        prop_assert_eq!(asked.0, run.0);
        prop_assert_eq!(asked.1, run.1);
    }

    #[test]
    fn deadlines_that_skip_what_nobody_asks_for_change_nothing(
        params in params(), layout in layout(), loss in loss(), rate in 1.0..200.0f64, control in control(), kinds in prop::collection::vec(0u8..3, 1..5), seed in 0u64..100,
    ) {
        let mut spec = MediumSpec::new("cell", params, layout);
        spec.loss = loss;
        spec.rate_controls = vec![control; spec.layout.stations()];
        let stations = spec.layout.stations() as u32;
        let run = |traced: bool| {
            let mut medium = Medium::new(&spec, seed).unwrap();
            medium.trace_frames(traced);
            let (mut outcomes, stats) = traffic(&mut medium, stations, rate, &kinds, seed);
            outcomes.retain(|(_, outcome)| !matches!(outcome, Outcome::OnAir { .. } | Outcome::Lost { .. }));
            (outcomes, stats)
        };
        let (skipping, plain) = (run(false), run(true));
        prop_assert_eq!(skipping.0, plain.0);
        prop_assert_eq!(skipping.1, plain.1);
    }

    #[test]
    fn the_busy_time_is_that_of_the_frames_in_the_air(params in params(), stations in 2usize..9, seed in 0u64..100) {
        let spec = MediumSpec::new("cell", params, Layout::Everyone { stations });
        let mut medium = Medium::new(&spec, seed).unwrap();
        medium.trace_frames(true);
        let mut outcomes = Vec::new();
        let end = Time(500_000_000);
        let mut now = Time::ZERO;
        let offer = |medium: &mut Medium, now: Time| {
            for station in 1..stations as u32 {
                if medium.wants_frame(station) {
                    medium.offer(now, station, Frame { to: 0, bytes: 900, handle: 0, rate: None, class: Class::default() });
                }
            }
        };
        while now <= end {
            offer(&mut medium, now);
            now = medium.deadline();
            if now <= end {
                medium.advance(now, &mut NoSupply, &mut outcomes);
            }
        }
        let mut union = Span::ZERO;
        let mut until = Time::ZERO;
        for outcome in &outcomes {
            if let Outcome::OnAir { start, end: last, .. } = *outcome {
                union += last.min(end).since(start.max(until));
                until = until.max(last.min(end));
            }
        }
        for station in 0..stations as u32 {
            prop_assert_eq!(medium.stats(station, end).busy, union, "station {}", station);
        }
    }

}

proptest! {
    #![proptest_config(config(20))]

    #[test]
    fn nobody_starves_in_a_symmetric_cell(params in params(), senders in 2usize..9, seed in 0u64..100) {
        let mut params = params;
        params.short_retry_limit = 7;
        params.long_retry_limit = 4;
        let fastest = params.rates[params.rates.len() - 1];
        params.rate = fastest;
        let terms = params.terms(fastest, Class::BestEffort, false);
        let cycle = params.cycle(&terms, fastest, 1500).span;
        // all powers are equal: capture or not
        let spec = MediumSpec::new("cell", params, Layout::Everyone { stations: senders + 1 });
        let mut run = Run::new(&spec, &common::senders_to_0(senders, 1500), seed).unwrap();
        // some 12 000 packets each: shares have a standard deviation of 3 %
        run.until(Time::ZERO + cycle * (senders as u64 * 12_000));
        let mean = run.delivered.iter().sum::<u64>() as f64 / senders as f64;
        for station in 1..=senders {
            let share = run.delivered[station] as f64 / mean;
            prop_assert!((0.75..1.25).contains(&share), "station {} has {} of its share", station, share);
        }
    }
}

/// Frames that end at one instant are told to stations one after the other; that must not make one of them the first.
#[test]
fn no_station_is_better_off_for_its_number() {
    for name in ["ns2-g54", "dot11g"] {
        let mut params = Params::named(name).unwrap();
        params.rate.kbps = 12_000;
        params.rts_threshold = u32::MAX;
        let spec = MediumSpec::new("cell", params, Layout::Everyone { stations: 9 });
        let mut sums = [0; 9];
        for seed in 0..40 {
            let mut run = Run::new(&spec, &common::senders_to_0(8, 1500), seed).unwrap();
            run.until(Time::from_secs(20.0));
            sums.iter_mut().zip(&run.delivered).for_each(|(sum, delivered)| *sum += delivered);
        }
        let mean = sums.iter().sum::<u64>() as f64 / 8.0;
        // one run's share has a standard deviation of 7 %, that of 40 runs 1.2 %
        for (station, sum) in sums.iter().enumerate().skip(1) {
            let share = *sum as f64 / mean;
            assert!((share - 1.0).abs() < 0.045, "{name}: station {station} has {share} of its share");
        }
    }
}

#[test]
fn a_list_of_rates_is_enough_for_a_station_of_its_own() {
    let mut spec = MediumSpec::new("cell", Params::dot11b(), Layout::Everyone { stations: 3 });
    spec.rates = vec![None, Some(Rate::dsss(2000))];
    assert!(Medium::new(&spec, 1).is_ok());
}

/// Of more than 63 that hear a frame, all the further ones hear its end as an event of its own.
#[test]
fn frames_that_pass_many_change_nothing() {
    let mut params = Params::ns2_default();
    params.radio.shadowing_db = 4.0;
    let places = (0..80).map(|i| Position { x: f64::from(i % 9) * 25.0, y: f64::from(i / 9) * 25.0 });
    let spec = MediumSpec::new("crowd", params, Layout::Positions(places.collect()));
    for rate in [50.0, 800.0] {
        let [fast, plain] = [true, false].map(|passing| {
            let mut medium = Medium::new(&spec, 3).unwrap();
            if !passing {
                medium.nothing_passes();
            }
            traffic(&mut medium, 80, rate, &[1, 2, 3], 3)
        });
        assert!(fast.0.len() > 50, "{}", fast.0.len());
        assert_eq!(fast, plain);
    }
}
