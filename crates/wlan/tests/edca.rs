//! EDCA: four functions to a station, each with its own chances.

#[path = "common/flows.rs"]
mod flows;

use flows::{Flow, Flows};
use sim::Stream;
use units::{Span, Time};
use wlan::{Class, Exchange, Frame, Kind, Layout, Medium, MediumSpec, NoSupply, Outcome, Params};

const BYTES: u32 = 1500;

/// 802.11a at 54 Mbps with classes, one exchange to an access; equal instants alone collide.
fn params() -> Params {
    let mut params = Params { edca: true, cca: Span::ZERO, ..Params::dot11a() };
    params.edca_station.classes.iter_mut().for_each(|class| class.txop = Span::ZERO);
    params
}

fn cell(params: Params, stations: usize) -> MediumSpec {
    MediumSpec::new("cell", params, Layout::Everyone { stations })
}

fn flow(from: u32, class: Class) -> Flow {
    Flow { from, to: 0, class, bytes: BYTES }
}

/// A saturated function of the model below.
struct Function {
    station: u32,
    class: Class,
    aifs: u64,
    cw: [u64; 2],
    window: u64,
    slots: u64,
    failures: u32,
    /// When its slots begin.
    from: u64,
    done: u64,
}

impl Function {
    fn draw(&mut self, chance: &mut Stream) {
        self.slots = (chance.uniform() * (self.window + 1) as f64) as u64;
    }

    fn fail(&mut self, chance: &mut Stream) {
        self.failures += 1;
        self.window = (2 * self.window + 1).min(self.cw[1]);
        if self.failures == 7 {
            (self.failures, self.window) = (0, self.cw[0]);
        }
        self.draw(chance);
    }
}

/// Packets per second of saturated functions that all hear each other, by the rules alone: every function transmits at
/// the end of its slots; when somebody starts, the slot in which he does counts; the highest of one station goes first,
/// and the others of it fail; stations that start together fail. Then the space of the class follows: after the
/// exchange, for those who collided after their timeout, for the others after EIFS.
fn model(params: &Params, flows: &[Flow], accesses: u64, seed: u64) -> Vec<f64> {
    let slot = params.slot.0;
    let exchange = Exchange::new(params, params.rate, BYTES, false);
    let mut chance = Stream::new(seed, "model");
    let mut functions: Vec<Function> = flows
        .iter()
        .map(|flow| {
            let class = params.edca_station.of(flow.class);
            let cw = [class.cw_min.into(), class.cw_max.into()];
            let aifs = params.aifs(class).0;
            let Flow { from: station, class, .. } = *flow;
            Function { station, class, aifs, cw, window: cw[0], slots: 0, failures: 0, from: aifs, done: 0 }
        })
        .collect();
    functions.iter_mut().for_each(|function| function.draw(&mut chance));
    let mut now = 0;
    for _ in 0..accesses {
        let ends = |function: &Function| function.from + function.slots * slot;
        now = functions.iter().map(ends).min().unwrap();
        let mut senders: Vec<(u32, Class)> = Vec::new();
        for function in functions.iter().filter(|function| ends(function) == now) {
            match senders.iter_mut().find(|sender| sender.0 == function.station) {
                Some(sender) => sender.1 = sender.1.min(function.class),
                None => senders.push((function.station, function.class)),
            }
        }
        let collision = senders.len() > 1;
        let data_ends = now + exchange.data.0;
        for function in &mut functions {
            let class = senders.iter().find(|sender| sender.0 == function.station).map(|sender| sender.1);
            if function.from + function.slots * slot == now {
                if class == Some(function.class) && !collision {
                    function.done += 1;
                    (function.failures, function.window) = (0, function.cw[0]);
                    function.draw(&mut chance);
                } else {
                    function.fail(&mut chance);
                }
            } else if now >= function.from {
                function.slots -= ((now - function.from) / slot + 1).min(function.slots);
            }
            let idle = match (collision, class) {
                (false, _) => data_ends + params.sifs.0 + exchange.ack.0,
                (true, Some(_)) => data_ends + exchange.ack_timeout.0,
                (true, None) => data_ends + params.eifs().0 - params.difs.0,
            };
            function.from = idle + function.aifs;
        }
    }
    functions.iter().map(|function| function.done as f64 * 1e9 / now as f64).collect()
}

/// Mean of some numbers, and its variance.
fn mean(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean) * (number - mean)).sum();
    (mean, squares / (count - 1.0) / count)
}

fn assert_as_the_model(stations: usize, flows: &[Flow]) {
    let params = params();
    let found = |seed: u64| {
        let mut run = Flows::saturated(&cell(params.clone(), stations), flows, seed).unwrap();
        run.until(Time::from_secs(30.0));
        run.fates.iter().map(|fate| fate.delivered.len() as f64 / 30.0).collect()
    };
    let found: Vec<Vec<f64>> = (0..8).map(found).collect();
    let modelled: Vec<Vec<f64>> = (0..8).map(|seed| model(&params, flows, 100_000, seed)).collect();
    for class in Class::ALL {
        let of_class = |runs: &[Vec<f64>]| {
            let sum =
                |run: &Vec<f64>| run.iter().zip(flows).filter(|(_, flow)| flow.class == class).map(|pair| pair.0).sum();
            mean(&runs.iter().map(sum).collect::<Vec<f64>>())
        };
        let ((found, variance), (expected, other)) = (of_class(&found), of_class(&modelled));
        let allowed = 0.002 * expected + 4.0 * (variance + other).sqrt();
        assert!((found - expected).abs() <= allowed, "{class:?}: {found:.1} packets per second, model {expected:.1}");
        assert!(allowed <= 0.015 * expected || expected < 150.0, "{class:?}: too short a run");
    }
}

#[test]
fn voice_against_best_effort() {
    let one = [flow(1, Class::Voice), flow(2, Class::BestEffort)];
    assert_as_the_model(3, &one);
    let more = [1, 2].map(|from| flow(from, Class::Voice)).into_iter();
    let more: Vec<Flow> = more.chain((3..8).map(|from| flow(from, Class::BestEffort))).collect();
    assert_as_the_model(8, &more);
}

#[test]
fn equal_classes_share_and_background_gets_what_is_left() {
    let flows: Vec<Flow> =
        (1..6).map(|from| flow(from, Class::BestEffort)).chain([flow(6, Class::Background)]).collect();
    assert_as_the_model(7, &flows);
}

#[test]
fn classes_of_one_station_collide_inside_it() {
    let flows = Class::ALL.map(|class| flow(1, class));
    assert_as_the_model(2, &flows);
    let mut both: Vec<Flow> = flows.to_vec();
    both.extend([flow(2, Class::Video), flow(2, Class::BestEffort), flow(3, Class::BestEffort)]);
    assert_as_the_model(4, &both);
    let mut run = Flows::saturated(&cell(params(), 2), &flows, 1).unwrap();
    run.until(Time::from_secs(1.0));
    let stats = run.stats(1);
    // no other station, so nothing else can fail
    assert!(stats.internal > 0 && stats.failures == 0 && stats.retries == 0);
}

/// What is on air: kind, sender, start in nanoseconds.
fn on_air(params: Params, offers: &[(u64, u32, Class)]) -> Vec<(Kind, u32, u64)> {
    let mut medium = Medium::new(&cell(params, 4), 1).unwrap();
    medium.trace_frames(true);
    let mut outcomes = Vec::new();
    let mut offers = offers.to_vec();
    let mut found = Vec::new();
    loop {
        let offered = offers.first().map_or(Time::NEVER, |offer| Time(offer.0));
        let now = medium.deadline().min(offered);
        if now == Time::NEVER {
            return found;
        }
        if offered == now {
            let (_, from, class) = offers.remove(0);
            medium.offer(now, from, Frame { to: 0, bytes: BYTES, handle: 0, rate: None, class });
            continue;
        }
        medium.advance(now, &mut NoSupply, &mut outcomes);
        for outcome in outcomes.drain(..) {
            if let Outcome::OnAir { kind, from, start, .. } = outcome {
                found.push((kind, from, start.0));
            }
        }
    }
}

#[test]
fn each_class_waits_its_own_space() {
    // 16 + 2, 2, 3, 7 slots of 9 after an idle start; a frame that comes later goes at once
    for (class, aifs) in Class::ALL.into_iter().zip([34, 34, 43, 79]) {
        assert_eq!(on_air(params(), &[(0, 1, class)])[0], (Kind::Data, 1, aifs * 1000));
        assert_eq!(on_air(params(), &[(100_000, 1, class)])[0], (Kind::Data, 1, 100_000));
    }
}

#[test]
fn the_higher_class_of_a_station_goes_first() {
    let frames = on_air(params(), &[(100_000, 1, Class::BestEffort), (100_000, 1, Class::Voice)]);
    assert_eq!(frames[0], (Kind::Data, 1, 100_000));
    // data 248, SIFS 16, ACK 28; then best effort waits 43 and up to 31 slots: its window has doubled
    let again = frames[2].2 - (100_000 + 248_000 + 16_000 + 28_000 + 43_000);
    assert!(again.is_multiple_of(9000) && again <= 31 * 9000, "{frames:?}");
}

#[test]
fn a_class_goes_on_as_long_as_its_limit_allows() {
    // 802.11a, 54 Mbps: 248 + 16 + 28 = 292, with SIFS 308; four end after 1216, five after 1524
    for (limit, packets) in [(1504, 4), (1523, 4), (1524, 5), (291, 1), (0, 1)] {
        let mut params = params();
        params.edca_station.classes[0].txop = Span(limit * 1000);
        let mut run = Flows::saturated(&cell(params, 2), &[flow(1, Class::Voice)], 1).unwrap();
        run.medium.trace_frames(true);
        run.until(Time::from_secs(0.02));
        let start = |outcome: &Outcome| match outcome {
            Outcome::OnAir { kind: Kind::Data, start, .. } => Some(start.0),
            _ => None,
        };
        let starts: Vec<u64> = run.trace.iter().filter_map(start).collect();
        let runs: Vec<usize> = starts.chunk_by(|a, b| b - a == 308_000).map(<[u64]>::len).collect();
        // the last may have been cut off
        assert!(runs[..runs.len() - 1].iter().all(|&run| run == packets), "{limit} us: {runs:?}");
    }
}

#[test]
fn an_access_point_has_numbers_of_its_own() {
    let mut params = params();
    params.edca_access_point = params.edca_station.usual_access_point();
    let mut spec = cell(params, 4);
    spec.access_points = vec![2];
    let mut medium = Medium::new(&spec, 1).unwrap();
    medium.trace_frames(true);
    let mut outcomes = Vec::new();
    for from in [1, 2] {
        medium.offer(Time::ZERO, from, Frame { to: 3, bytes: BYTES, handle: 0, rate: None, class: Class::Voice });
    }
    let now = medium.deadline();
    medium.advance(now, &mut NoSupply, &mut outcomes);
    // 16 + 9: a slot before stations
    assert!(
        matches!(outcomes[0], Outcome::OnAir { kind: Kind::Data, from: 2, start: Time(25_000), .. }),
        "{outcomes:?}"
    );
}
