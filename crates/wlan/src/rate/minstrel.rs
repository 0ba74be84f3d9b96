//! Rate control by sampling: measure how often each rate succeeds, use the one with the highest throughput, try the
//! others now and then.
//!
//! The idea is that of Linux's minstrel; rules and numbers are our own. Choices: what a frame tries is settled when it
//! becomes current. A round over all rates, fastest first, comes before anything is known; statistics are made at its
//! end, then every 100 ms, with the first frame after that.

use sim::Stream;
use units::{Span, Time};

/// Statistics are renewed so often.
const INTERVAL: Span = Span(100_000_000);
/// Weight of what was known before.
const KEEP: f64 = 0.75;
/// Share of frames that try a rate at random.
const SAMPLED: f64 = 0.1;
/// Below this probability of success a rate counts as useless, from the other on as certain.
const USELESS: f64 = 0.1;
const CERTAIN: f64 = 0.95;
/// More than this share of frames never arrives, as far as throughput goes.
const BELIEVED: f64 = 0.9;
/// A stage has as many tries as fit into this, within limits.
const STAGE: Span = Span(6_000_000);
const TRIES: (u64, u64) = (2, 7);

/// What is known about one rate.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    /// An exchange of 1200 bytes and a mean backoff.
    exchange: Span,
    attempts: u32,
    successes: u32,
    /// Moving average of the share that succeeds; none before the first attempt.
    probability: Option<f64>,
    tried: bool,
}

/// One rate of a chain and how often it is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stage {
    place: usize,
    tries: u32,
}

/// Minstrel of one link; rates are places in the list of rates, slowest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Minstrel {
    rates: Vec<Known>,
    /// What the current frame tries, stage by stage, and how many attempts it has had.
    chain: [Stage; 4],
    tried: u32,
    /// Highest throughput, second highest, and the safest.
    best: usize,
    second: usize,
    safest: usize,
    /// The first round is over; statistics are due again.
    update_at: Option<Time>,
    frames: u64,
    sampled: u64,
}

impl Minstrel {
    /// A link; for each rate, slowest first, how long an exchange of 1200 bytes and a mean backoff take.
    pub fn new(exchanges: &[Span]) -> Minstrel {
        let known = |&exchange: &Span| Known { exchange, attempts: 0, successes: 0, probability: None, tried: false };
        Minstrel {
            rates: exchanges.iter().map(known).collect(),
            chain: [Stage { place: 0, tries: 1 }; 4],
            tried: 0,
            best: 0,
            second: 0,
            safest: 0,
            update_at: None,
            frames: 0,
            sampled: 0,
        }
    }

    /// A new frame: settles what it tries.
    pub fn on_frame(&mut self, now: Time, chance: &mut Stream) {
        self.tried = 0;
        if self.update_at.is_none() {
            // the first round
            if let Some(place) = self.rates.iter().rposition(|rate| !rate.tried) {
                self.chain = self.stages([place, 0, 0, 0], Some(0));
                return;
            }
        }
        if self.update_at.is_none_or(|at| now >= at) {
            self.update();
            self.update_at = Some(now + INTERVAL);
        }
        self.frames += 1;
        let sample = self.rates.len() > 1 && (self.sampled as f64) < SAMPLED * self.frames as f64;
        self.chain = if sample { self.sample(chance) } else { self.plain() };
    }

    /// Place of the rate of the next attempt.
    pub fn place(&self) -> usize {
        let mut left = self.tried;
        for stage in self.chain {
            if left < stage.tries {
                return stage.place;
            }
            left -= stage.tries;
        }
        self.chain[3].place
    }

    /// An attempt was acknowledged, or not.
    pub fn on_attempt(&mut self, success: bool) {
        self.on_ampdu(1, u32::from(success));
    }

    /// An attempt of several packets, of which some were acknowledged. In the chain it is one.
    pub fn on_ampdu(&mut self, packets: u32, acked: u32) {
        let place = self.place();
        let rate = &mut self.rates[place];
        rate.attempts += packets;
        rate.successes += acked;
        rate.tried = true;
        self.tried += 1;
    }

    fn plain(&self) -> [Stage; 4] {
        self.stages([self.best, self.second, self.safest, 0], None)
    }

    /// One rate other than the best: a faster one comes first, a slower one when the best has failed.
    fn sample(&mut self, chance: &mut Stream) -> [Stage; 4] {
        self.sampled += 1;
        let among = self.rates.len() - 1;
        let drawn = ((chance.uniform() * among as f64) as usize).min(among - 1);
        let other = drawn + usize::from(drawn >= self.best);
        if self.rates[other].exchange < self.rates[self.best].exchange {
            self.stages([other, self.best, self.safest, 0], Some(0))
        } else {
            self.stages([self.best, other, self.safest, 0], Some(1))
        }
    }

    /// `once`: the stage that has one try.
    fn stages(&self, places: [usize; 4], once: Option<usize>) -> [Stage; 4] {
        let mut stages = places.map(|place| {
            let fit = STAGE.0 / self.rates[place].exchange.0.max(1);
            Stage { place, tries: fit.clamp(TRIES.0, TRIES.1) as u32 }
        });
        if let Some(stage) = once {
            stages[stage].tries = 1;
        }
        stages
    }

    /// New statistics, and the best rates by them. Of equals the slower one counts.
    fn update(&mut self) {
        for rate in &mut self.rates {
            if rate.attempts > 0 {
                let share = f64::from(rate.successes) / f64::from(rate.attempts);
                rate.probability = Some(rate.probability.map_or(share, |old| KEEP * old + (1.0 - KEEP) * share));
                (rate.attempts, rate.successes) = (0, 0);
            }
        }
        let places = 0..self.rates.len();
        self.best = first_max(places.clone(), |place| self.rates[place].throughput());
        let best = self.best;
        self.second = first_max(places.clone().filter(|&place| place != best), |place| self.rates[place].throughput());
        let certain = |place: &usize| self.rates[*place].probability.is_some_and(|p| p >= CERTAIN);
        self.safest = if places.clone().any(|place| certain(&place)) {
            first_max(places.filter(certain), |place| self.rates[place].throughput())
        } else {
            first_max(places, |place| self.rates[place].probability.unwrap_or(0.0))
        };
    }
}

impl Known {
    /// In bit/s.
    fn throughput(&self) -> f64 {
        match self.probability {
            Some(p) if p >= USELESS => p.min(BELIEVED) * 1200.0 * 8.0 / (self.exchange.0 as f64 / 1e9),
            _ => 0.0,
        }
    }
}

/// The first place with the greatest value; 0 if there is none.
fn first_max(places: impl Iterator<Item = usize>, value: impl Fn(usize) -> f64) -> usize {
    let mut found = (0, f64::NEG_INFINITY);
    for place in places {
        if value(place) > found.1 {
            found = (place, value(place));
        }
    }
    found.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Exchanges of 4, 2, 1 and 0.5 ms.
    fn link() -> Minstrel {
        Minstrel::new(&[Span(4 * MS), Span(2 * MS), Span(MS), Span(MS / 2)])
    }

    fn chance() -> Stream {
        Stream::new(1, "minstrel")
    }

    /// One frame at a time; `works` says which rate succeeds. Gives back the places that were tried.
    fn frame(link: &mut Minstrel, now: u64, chance: &mut Stream, works: impl Fn(usize) -> bool) -> Vec<usize> {
        link.on_frame(Time(now * MS), chance);
        let mut tried = Vec::new();
        for _ in 0..20 {
            let place = link.place();
            tried.push(place);
            link.on_attempt(works(place));
            if works(place) {
                break;
            }
        }
        tried
    }

    #[test]
    fn several_packets_are_one_try_and_count_one_by_one() {
        let (mut link, mut chance) = (link(), chance());
        link.on_frame(Time(0), &mut chance);
        link.on_ampdu(10, 7);
        assert_eq!((link.rates[3].attempts, link.rates[3].successes, link.tried), (10, 7, 1));
        assert_eq!(link.place(), 0);
    }

    #[test]
    fn before_anything_is_known_each_rate_is_tried_once_from_the_highest_down() {
        let (mut link, mut chance) = (link(), chance());
        let tried: Vec<_> = (0..3).map(|_| frame(&mut link, 0, &mut chance, |place| place < 2)).collect();
        // the lowest follows where the one on trial fails, and is known by that
        assert_eq!(tried, [vec![3, 0], vec![2, 0], vec![1]]);
        frame(&mut link, 1, &mut chance, |_| true);
        assert_eq!(link.update_at, Some(Time(101 * MS)));
        assert_eq!((link.best, link.second, link.safest), (1, 0, 1));
    }

    /// A link that knows these probabilities.
    fn knowing(probabilities: [f64; 4]) -> Minstrel {
        let mut link = link();
        for (rate, probability) in link.rates.iter_mut().zip(probabilities) {
            (rate.probability, rate.tried) = (Some(probability), true);
        }
        link.update();
        link.update_at = Some(Time(100 * MS));
        link
    }

    #[test]
    fn the_average_keeps_three_quarters() {
        let mut link = link();
        (link.rates[2].attempts, link.rates[2].successes) = (10, 8);
        link.update();
        assert_eq!(link.rates[2].probability, Some(0.8));
        assert_eq!(link.rates[1].probability, None);
        (link.rates[2].attempts, link.rates[2].successes) = (4, 1);
        link.update();
        // 0.75 x 0.8 + 0.25 x 0.25
        assert!((link.rates[2].probability.unwrap() - 0.6625).abs() < 1e-12);
        // nothing new
        link.update();
        assert!((link.rates[2].probability.unwrap() - 0.6625).abs() < 1e-12);
    }

    #[test]
    fn statistics_are_renewed_every_100_ms() {
        let (mut link, mut chance) = (knowing([1.0, 1.0, 1.0, 1.0]), chance());
        link.sampled = 1000; // no samples
        frame(&mut link, 50, &mut chance, |_| true);
        assert_eq!(link.rates[3].attempts, 1);
        frame(&mut link, 99, &mut chance, |_| true);
        assert_eq!(link.rates[3].attempts, 2);
        link.on_frame(Time(100 * MS), &mut chance);
        assert_eq!((link.rates[3].attempts, link.update_at), (0, Some(Time(200 * MS))));
    }

    #[test]
    fn throughput_decides() {
        // per ms of exchange: 0.9 / 4, 0.9 / 2, 0.5 / 1, 0.3 / 0.5
        let link = knowing([1.0, 1.0, 0.5, 0.3]);
        assert_eq!((link.best, link.second, link.safest), (3, 2, 1));
        // 0.2 / 0.5 is less than 0.9 / 2 and 0.5 / 1
        let link = knowing([1.0, 1.0, 0.5, 0.2]);
        assert_eq!((link.best, link.second, link.safest), (2, 1, 1));
        // below a tenth it is nothing: 0.09 / 0.5 against 0.5 / 4
        let link = knowing([0.5, 0.0, 0.0, 0.09]);
        assert_eq!((link.best, link.second, link.safest), (0, 1, 0));
        // none is certain: the most probable
        assert_eq!(knowing([0.2, 0.8, 0.6, 0.9]).safest, 3);
        // 1200 bytes in 2 ms, nine tenths of them
        assert_eq!(knowing([0.0, 1.0, 0.0, 0.0]).rates[1].throughput(), 4_320_000.0);
    }

    #[test]
    fn a_frame_tries_best_second_safest_lowest() {
        let (mut link, mut chance) = (knowing([1.0, 0.97, 0.5, 0.3]), chance());
        link.sampled = 1000;
        // 6 ms have room for 12 exchanges of 0.5 ms, at most 7; for 6, for 3, and for one, at least 2
        let expected: Vec<usize> = [(3, 7), (2, 6), (1, 3), (0, 2)].iter().flat_map(|&(p, n)| vec![p; n]).collect();
        let tried = frame(&mut link, 1, &mut chance, |_| false);
        assert_eq!(tried[..18], expected);
        // beyond the chain: the lowest
        assert_eq!(tried[18..], [0, 0]);
        assert_eq!(frame(&mut link, 1, &mut chance, |_| true), [3]);
    }

    #[test]
    fn a_tenth_of_the_frames_are_samples() {
        let (mut link, mut chance) = (knowing([1.0, 1.0, 1.0, 0.0]), chance());
        let mut drawn = [0; 4];
        for n in 0..3000 {
            link.on_frame(Time(0), &mut chance);
            assert!(link.sampled.abs_diff((n + 10) / 10) <= 1, "{} of {n}", link.sampled);
            let first = link.chain[0];
            let second = link.chain[1];
            if first.tries == 1 {
                drawn[first.place] += 1;
            } else if second.tries == 1 {
                drawn[second.place] += 1;
            }
        }
        assert_eq!((link.sampled, drawn.iter().sum::<u64>()), (300, 300));
        // each of the others alike, 100 times, and never the best, 2
        assert!([0, 1, 3].iter().all(|&place| drawn[place] > 70) && drawn[2] == 0, "{drawn:?}");
    }

    #[test]
    fn a_faster_sample_comes_first_and_a_slower_one_after_the_best() {
        let mut link = knowing([1.0, 1.0, 1.0, 0.0]);
        let mut seen = [false; 4];
        let mut chance = chance();
        for _ in 0..50 {
            let stages = link.sample(&mut chance).map(|stage| stage.place);
            let tries = link.stages(stages, None).map(|stage| stage.tries);
            assert_eq!(tries[3], 2);
            match stages {
                [3, 2, 2, 0] => seen[3] = true,
                [2, 1, 2, 0] => seen[1] = true,
                [2, 0, 2, 0] => seen[0] = true,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(seen, [true, true, false, true]);
    }

    #[test]
    fn one_rate_is_never_sampled() {
        let (mut link, mut chance) = (Minstrel::new(&[Span(MS)]), chance());
        for now in 0..500 {
            assert_eq!(frame(&mut link, now, &mut chance, |_| true), [0]);
        }
        assert_eq!(link.sampled, 0);
    }
}
