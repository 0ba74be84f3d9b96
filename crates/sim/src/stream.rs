//! Random streams, one per component, the same on every machine.

use chacha20::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// A stream of random numbers that belongs to one component of one run.
///
/// The run's seed is the key of a ChaCha8 generator and the component's name picks the stream, so adding a component
/// changes no other component's draws, and two runs with equal seeds meet the same losses whatever else differs.
#[derive(Debug)]
pub struct Stream {
    rng: ChaCha8Rng,
}

impl Stream {
    /// The stream of component `name` in the run with this seed.
    pub fn new(seed: u64, name: &str) -> Stream {
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(b"windlass");
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(fnv1a(name));
        Stream { rng }
    }

    /// Uniform in [0, 1), 53 bits.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with probability `chance.probability()`. Draws 32 bits, and 32 more only when the first leave it open.
    #[inline]
    pub fn happens(&mut self, chance: Chance) -> bool {
        let draw = self.rng.next_u32();
        if draw != chance.high { draw < chance.high } else { chance.certain || self.rng.next_u32() < chance.low }
    }
}

/// A probability as a 64-bit fixed-point number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance {
    high: u32,
    low: u32,
    certain: bool,
}

impl Chance {
    /// Probability in [0, 1].
    pub fn new(probability: f64) -> Chance {
        assert!((0.0..=1.0).contains(&probability), "a probability lies between 0 and 1");
        let scaled = (probability * 18_446_744_073_709_551_616.0) as u64; // saturates at 1
        Chance { high: (scaled >> 32) as u32, low: scaled as u32, certain: probability >= 1.0 }
    }

    /// Nothing can happen.
    pub fn is_never(self) -> bool {
        self.high == 0 && self.low == 0
    }
}

/// 64-bit FNV-1a: a small, portable way from a name to a number.
fn fnv1a(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_draws_never_change() {
        // Golden values: if these move, every stored result is of another engine.
        let mut s = Stream::new(1, "uplink/loss");
        let first: Vec<u64> = (0..3).map(|_| (s.uniform() * 1e9) as u64).collect();
        assert_eq!(first, GOLDEN);
    }

    const GOLDEN: [u64; 3] = [381_516_079, 384_236_746, 339_199_786];

    #[test]
    fn names_and_seeds_give_other_streams() {
        let draw = |seed, name: &str| Stream::new(seed, name).uniform();
        assert_eq!(draw(1, "a"), draw(1, "a"));
        assert_ne!(draw(1, "a"), draw(1, "b"));
        assert_ne!(draw(1, "a"), draw(2, "a"));
    }

    #[test]
    fn chance_has_the_right_frequency() {
        let mut s = Stream::new(7, "coin");
        let chance = Chance::new(0.01);
        let n = 1_000_000;
        let hits = (0..n).filter(|_| s.happens(chance)).count() as f64;
        // binomial: 10000 with a standard deviation of 99.5; five of them
        assert!((hits - 10_000.0).abs() < 500.0, "{hits}");
    }

    #[test]
    fn the_ends_are_exact() {
        let mut s = Stream::new(7, "coin");
        assert!((0..10_000).all(|_| !s.happens(Chance::new(0.0)) && s.happens(Chance::new(1.0))));
    }
}
