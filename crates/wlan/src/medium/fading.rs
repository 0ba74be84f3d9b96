//! Power that varies by place and by time.
//!
//! Shadowing: one draw per pair of stations, in dB normal, for as long as they stand. Rayleigh blocks: one draw per
//! pair and block of time, exponential. Both are the same in both directions. No draw is kept: each is a number mixed
//! from the medium's key, the pair and the block, so that the end of a frame meets what its start met, however many
//! blocks lie between.

use std::f64::consts::{LN_10, TAU};

use sim::Stream;
use units::{Span, Time, num};

use super::hearing::Hearer;
use super::moving::Speeds;
use super::noise::NEGLIGIBLE;
use crate::flight::{Flight, StationId};
use crate::params::Capture;
use crate::propagation::Least;
use crate::{Coherence, Params};

/// No block has more than this times the mean power: the least number drawn is 2^-53, and 53 ln 2 = 36.7.
const MOST: f64 = 37.0;
/// Block of stations that stand, where speeds say how long it is.
const STANDING: Span = Span::from_millis(1000);

#[derive(Clone, Debug)]
pub(crate) struct Fading {
    key: u64,
    shadowing_db: f64,
    /// Length of a block, unless power is steady.
    block: Option<Coherence>,
    wavelength: f64,
    /// Where blocks are as long as speeds make them.
    speeds: Option<Speeds>,
    /// Least power that counts, and what that is there for.
    heard: f64,
    pub(crate) least: Least,
}

impl Fading {
    pub(crate) fn new(params: &Params, mut chance: Stream, speeds: Option<Speeds>) -> Fading {
        let (radio, least) = (&params.radio, params.radio.least());
        let adds_up = params.rules.capture == Capture::Sinr;
        Fading {
            key: (chance.uniform() * (1u64 << 53) as f64) as u64,
            shadowing_db: radio.shadowing_db,
            block: radio.rayleigh_block,
            wavelength: radio.wavelength(),
            speeds,
            heard: if adds_up { least.any().min(NEGLIGIBLE * radio.noise) } else { least.any() },
            least,
        }
    }

    /// By what the place alone multiplies the power between two stations.
    pub(crate) fn shadow(&self, a: StationId, b: StationId) -> f64 {
        if self.shadowing_db == 0.0 {
            return 1.0;
        }
        num::exp(self.shadow_db(a, b) * LN_10 / 10.0)
    }

    /// The same in dB.
    pub(crate) fn shadow_db(&self, a: StationId, b: StationId) -> f64 {
        let pair = self.pair(a, b);
        self.shadowing_db * normal(mix(pair ^ 1), mix(pair ^ 2))
    }

    /// A number for the two and each step of a way, normal with a deviation of 1.
    pub(crate) fn step_db(&self, a: StationId, b: StationId, number: u64) -> f64 {
        let pair = self.pair(a, b);
        let drawn = |salt: u64| mix(mix(pair ^ salt).wrapping_add(number));
        normal(drawn(5), drawn(6))
    }

    /// Whether a station's frames may count at another at times, given the mean power.
    pub(crate) fn may_be_heard(&self, power: f64) -> bool {
        power * if self.block.is_some() { MOST } else { 1.0 } >= self.heard
    }

    /// A hearer with the power that the frame has there, if it counts; the sender as it is.
    #[cold]
    pub(crate) fn at(&self, hearer: &Hearer, flight: &Flight) -> Option<Hearer> {
        let Some(coherence) = self.block else { return Some(*hearer) };
        if hearer.station == flight.from {
            return Some(*hearer);
        }
        let block = match (coherence, &self.speeds) {
            (Coherence::Time(block), _) => block,
            (Coherence::Speed, Some(speeds)) => {
                speeds.block(flight.from, hearer.station, flight.start, self.wavelength)
            }
            (Coherence::Speed, None) => STANDING,
        };
        let power = hearer.power * self.gain(flight.from, hearer.station, flight.start, block);
        (power >= self.heard).then(|| hearer.with_power(power, &self.least))
    }

    /// Exponential of mean 1, drawn anew for each block. Blocks of different pairs begin at different times.
    fn gain(&self, a: StationId, b: StationId, at: Time, block: Span) -> f64 {
        let pair = self.pair(a, b);
        let offset = mix(pair ^ 3) % block.0;
        let number = (at.0 + offset) / block.0;
        -num::ln(share(mix(mix(pair ^ 4).wrapping_add(number))))
    }

    fn pair(&self, a: StationId, b: StationId) -> u64 {
        mix(self.key ^ (u64::from(a.min(b)) << 32 | u64::from(a.max(b))))
    }
}

/// Normal with a deviation of 1, from two numbers of which all bits are random (Box and Muller).
fn normal(a: u64, b: u64) -> f64 {
    num::sqrt(-2.0 * num::ln(share(a))) * num::cos(TAU * share(b))
}

/// The bits of a number scattered (the last steps of SplitMix64).
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// In (0, 1], 53 bits.
fn share(bits: u64) -> f64 {
    ((bits >> 11) + 1) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::Radio;

    fn fading(radio: Radio) -> Fading {
        let params = Params { radio, ..Params::dot11a() };
        Fading::new(&params, Stream::new(1, "cell/fading"), None)
    }

    #[test]
    fn shadowing_is_normal_in_db_and_the_same_in_both_directions() {
        let fading = fading(Radio { shadowing_db: 4.0, ..Radio::standard(5.18e9, 20e6) });
        let mut draws = Vec::new();
        for a in 0..100 {
            for b in 0..a {
                assert_eq!(fading.shadow(a, b), fading.shadow(b, a));
                draws.push(10.0 * fading.shadow(a, b).log10());
            }
        }
        let count = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / count;
        let deviation = (draws.iter().map(|db| (db - mean) * (db - mean)).sum::<f64>() / count).sqrt();
        // 4950 draws: the mean has a standard deviation of 0.057, the deviation one of 0.04
        assert!(mean.abs() < 0.2 && (deviation - 4.0).abs() < 0.15, "{mean} {deviation}");
        // 68.3 % within one deviation, 95.4 % within two
        let within = |db: f64| draws.iter().filter(|draw| draw.abs() < db).count() as f64 / count;
        assert!((within(4.0) - 0.683).abs() < 0.02 && (within(8.0) - 0.954).abs() < 0.01);
    }

    #[test]
    fn a_block_has_one_gain_the_next_another_and_the_mean_is_one() {
        let block = Span::from_millis(50);
        let fading = fading(Radio { rayleigh_block: Some(Coherence::Time(block)), ..Radio::standard(5.18e9, 20e6) });
        let gain = |us: u64| fading.gain(3, 8, Time(us * 1000), block);
        let changes: Vec<u64> = (1..1_000_000).filter(|&us| gain(us) != gain(us - 1)).collect();
        assert_eq!(changes.len(), 20);
        assert!(changes.windows(2).all(|pair| pair[1] - pair[0] == 50_000), "{changes:?}");
        assert_eq!(gain(70_000), fading.gain(8, 3, Time(70_000_000), block));
        // another pair's blocks begin elsewhere
        let other = |us: u64| fading.gain(3, 9, Time(us * 1000), block);
        assert_ne!(other(changes[0]), gain(changes[0]));
        assert_eq!(other(changes[0]), other(changes[0] - 1));
        let draws: Vec<f64> = (0..20_000).map(|number| gain(number * 50_000)).collect();
        let share = |least: f64| draws.iter().filter(|&&draw| draw > least).count() as f64 / 20_000.0;
        assert!((draws.iter().sum::<f64>() / 20_000.0 - 1.0).abs() < 0.03);
        // exp(-1), exp(-3)
        assert!((share(1.0) - 0.3679).abs() < 0.015 && (share(3.0) - 0.0498).abs() < 0.007);
    }
}
