//! What comes out of a fixed list of media, number for number. Whoever makes the crate faster must not change it;
//! whoever changes a rule sees here which sets it reaches, and writes the new numbers down.

use sim::{Distribution, Stream};
use units::{Span, Time};
use wlan::params::{AfterTimeout, Capture, Protection};
use wlan::{
    ArfStart, Class, Frame, Layout, Loss, LossAt, LossFrames, LossModel, Medium, MediumSpec, NoSupply, Outcome, Params,
    Phy, Position, RateControl, Reception, StationStats,
};

/// Media of each set.
const CASES: u64 = 24;

/// Of each set, its media's outcomes in one number.
const EXPECTED: [(&str, u64); 11] = [
    ("dot11b", 0x7cb7_4aa9_1499_e9f4),
    ("dot11b-short", 0xb6c3_f53b_bd98_ddfb),
    ("dot11a", 0xa6f2_38e3_8304_568b),
    ("dot11g", 0x2f20_c4c1_716b_ce9a),
    ("dot11g-prot", 0x7d64_bb20_6e95_d8a2),
    ("dot11n", 0xdeb1_b3bb_251f_898a),
    ("dot11n-2.4", 0xafc7_8bdf_9409_1a74),
    ("ns2-default", 0xc3de_b886_289f_5ba2),
    ("ns2-b11", 0xf64d_7d58_5080_572c),
    ("ns2-g54", 0xcd95_662d_b199_cbd5),
    ("ns2-dalal", 0x68dc_b177_51fd_6e4d),
];

#[test]
fn outcomes_are_what_they_were() {
    let found: Vec<(&str, u64)> = EXPECTED.iter().map(|&(set, _)| (set, of_set(set))).collect();
    assert!(found == EXPECTED, "found {found:#?}");
}

fn of_set(set: &str) -> u64 {
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    for number in 0..CASES {
        let mut drawn = Drawn(Stream::new(number, set));
        let spec = drawn.spec(set);
        run(&mut drawn, &spec, number, &mut digest);
    }
    digest.0
}

/// Frames at random for half a second, to one station or to all.
fn run(drawn: &mut Drawn, spec: &MediumSpec, number: u64, digest: &mut Digest) {
    let stations = spec.layout.stations() as u32;
    let mut medium = Medium::new(spec, number).unwrap();
    medium.trace_frames(number.is_multiple_of(3));
    let rate = [10.0, 100.0, 1000.0, 20_000.0][drawn.below(4) as usize];
    let broadcasts = drawn.below(3) == 0;
    let end = Time(500_000_000);
    let mut arrival = Time::ZERO;
    let mut outcomes = Vec::new();
    loop {
        let now = arrival.min(medium.deadline());
        if now > end {
            break;
        }
        if now < arrival {
            medium.advance(now, &mut NoSupply, &mut outcomes);
            outcomes.drain(..).for_each(|outcome| digest.add_outcome(now, outcome));
            continue;
        }
        arrival += Span::from_secs(Distribution::Exponential { mean: 1.0 / rate }.draw(&mut drawn.0));
        let from = drawn.below(stations);
        let to = if broadcasts && drawn.below(8) == 0 { wlan::EVERYONE } else { (from + 1) % stations };
        let frame =
            Frame { to, bytes: 40 + 20 * drawn.below(74), handle: arrival.0, rate: None, class: Class::BestEffort };
        if medium.wants_frame(from) {
            medium.offer(now, from, frame);
        }
    }
    medium.advance(end, &mut NoSupply, &mut outcomes);
    outcomes.drain(..).for_each(|outcome| digest.add_outcome(end, outcome));
    (0..stations).for_each(|station| digest.add_stats(&medium.stats(station, end)));
}

struct Drawn(Stream);

impl Drawn {
    fn below(&mut self, choices: u32) -> u32 {
        (self.0.uniform() * f64::from(choices)) as u32
    }

    fn spec(&mut self, set: &str) -> MediumSpec {
        let mut params = Params::named(set).unwrap();
        params.rate = params.rates[self.below(params.rates.len() as u32) as usize];
        if params.rate.phy == Phy::Dsss {
            params.protection = Protection::Off;
        }
        params.rts_threshold = [0, 800, u32::MAX][self.below(3) as usize];
        if self.below(2) == 0 {
            self.change_rules(&mut params, set);
        }
        let layout = self.layout();
        let control = match self.below(4) {
            0 => RateControl::Arf(ArfStart::High),
            1 => RateControl::Minstrel,
            _ => RateControl::Fixed,
        };
        let mut spec = MediumSpec::new("drawn", params, layout);
        spec.rate_controls = vec![control; spec.layout.stations()];
        spec.loss = self.loss();
        spec
    }

    fn change_rules(&mut self, params: &mut Params, set: &str) {
        params.rules.capture = [Capture::Off, Capture::First, Capture::Any][self.below(3) as usize];
        params.rules.nav_reset = self.below(2) == 0;
        params.rules.after_timeout = [AfterTimeout::Difs, AfterTimeout::Slots][self.below(2) as usize];
        params.short_retry_limit = 1 + self.below(8);
        params.long_retry_limit = 1 + self.below(8);
        if self.below(2) == 0 && !set.starts_with("ns2") {
            params.radio.reception = Reception::Snr;
        }
        if self.below(3) == 0 {
            params.radio.rayleigh_block = Some(wlan::Coherence::Time(Span::from_millis(5)));
            params.radio.shadowing_db = 4.0;
        }
    }

    fn layout(&mut self) -> Layout {
        let stations = 2 + self.below(9);
        match self.below(5) {
            0 | 1 => Layout::Everyone { stations: stations as usize },
            2 => Layout::line(stations as usize, 100.0 + 160.0 * self.0.uniform()),
            3 => {
                let mut metres = || 800.0 * self.0.uniform() - 400.0;
                Layout::Positions((0..stations).map(|_| Position { x: metres(), y: metres() }).collect())
            }
            _ => {
                let pair = |_| (self.below(stations), self.below(stations));
                let pairs: Vec<(u32, u32)> = (0..3 * stations).map(pair).filter(|(a, b)| a != b).collect();
                Layout::List { stations: stations as usize, heard: pairs }
            }
        }
    }

    fn loss(&mut self) -> Option<Loss> {
        let rate = 0.5 * self.0.uniform();
        let model = match self.below(8) {
            0 => LossModel::Independent { rate },
            1 => LossModel::Gilbert { rate, burst: 4.0 },
            2 => LossModel::GilbertInTime { rate, burst: Span::from_millis(5) },
            3 => LossModel::Ns2TwoState { rate, burst: 4.0 },
            _ => return None,
        };
        let at = [LossAt::Mac, LossAt::Above][self.below(2) as usize];
        let frames = [LossFrames::All, LossFrames::Data][self.below(2) as usize];
        Some(Loss { model, frames, at })
    }
}

/// FNV-1a.
struct Digest(u64);

impl Digest {
    fn add(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn add_outcome(&mut self, now: Time, outcome: Outcome) {
        self.add(now.0);
        let numbers = match outcome {
            Outcome::Delivered { at, from, handle } => [1, at.into(), from.into(), handle, 0],
            Outcome::LostAbove { at, from, handle } => [2, at.into(), from.into(), handle, 0],
            Outcome::Sent { station, handle } => [3, station.into(), handle, 0, 0],
            Outcome::Dropped { station, handle, .. } => [4, station.into(), handle, 0, 0],
            Outcome::OnAir { kind, from, to, start, end } => {
                [5 + 8 * kind as u64, from.into(), to.into(), start.0, end.0]
            }
            Outcome::Held { at, from, handle } => [61, at.into(), from.into(), handle, 0],
            Outcome::Late { at, from, handle } => [62, at.into(), from.into(), handle, 0],
            Outcome::Lost { kind, from, to, cause } => [6 + 8 * kind as u64, from.into(), to.into(), cause as u64, 0],
        };
        numbers.into_iter().for_each(|number| self.add(number));
    }

    fn add_stats(&mut self, stats: &StationStats) {
        let StationStats { attempts, retries, failures, broken_off, acked, dropped, data_sent, .. } = *stats;
        let StationStats { received, duplicates, lost_above, collided, deaf, weak, errored, arrived, .. } = *stats;
        let spans = [stats.airtime.total(), stats.busy, stats.service, stats.delay].map(|span| span.0);
        let counts = [attempts, retries, failures, broken_off, acked, dropped, data_sent];
        let others = [received, duplicates, lost_above, collided, deaf, weak, errored, arrived];
        counts.into_iter().chain(others).chain(spans).for_each(|number| self.add(number));
    }
}
