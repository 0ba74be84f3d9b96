//! Choices out of a string of bytes: whoever changes a byte, such as a fuzzer, changes a choice.

use serde_json::Value;
use units::num;

/// Where the choices come from. Behind the end of the bytes every choice is the first one, the simplest.
#[derive(Clone, Debug)]
pub(crate) struct Draw<'a> {
    bytes: &'a [u8],
    salt: u64,
    odd: u64,
}

impl<'a> Draw<'a> {
    /// `salt` makes rates and times a little different; with 0 they are what is drawn.
    pub(crate) fn new(bytes: &'a [u8], salt: u64) -> Draw<'a> {
        Draw { bytes, salt, odd: 0 }
    }

    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        *first
    }

    /// A number below `n`, which is at least 1.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let wide = if n > 256 { usize::from(self.byte()) << 8 } else { 0 };
        (wide | usize::from(self.byte())) % n
    }

    /// From `least` to `most`.
    pub(crate) fn within(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// True once in `n` times; not behind the end.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of them.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// One of them, as JSON where it is that, otherwise as text.
    pub(crate) fn value(&mut self, from: &[&str]) -> Value {
        let text = self.pick(from);
        serde_json::from_str(text).unwrap_or_else(|_| text.into())
    }

    /// Between two positive numbers, small ones as often as great ones.
    pub(crate) fn scaled(&mut self, least: f64, most: f64) -> f64 {
        let share = self.below(1 << 16) as f64 / f64::from(1 << 16);
        least * num::pow(most / least, share)
    }

    /// A whole number, likewise.
    pub(crate) fn count(&mut self, least: u64, most: u64) -> u64 {
        let least = least.max(1);
        (self.scaled(least as f64, most as f64 + 0.999) as u64).clamp(least, most)
    }

    /// A share of up to so many per cent; often none.
    pub(crate) fn percent(&mut self, most: f64) -> String {
        if self.one_in(4) { "0 %".to_owned() } else { format!("{} %", self.scaled(most / 1000.0, most)) }
    }

    /// Whether rates and times are a little different.
    pub(crate) fn is_salted(&self) -> bool {
        self.salt > 0
    }

    /// A small number that is another one each time, and nothing without salt.
    pub(crate) fn odd(&mut self) -> u64 {
        self.odd += 1;
        self.salt * self.odd * 7_919 % 99_991
    }

    /// A time between these numbers of seconds.
    pub(crate) fn time(&mut self, least: f64, most: f64) -> String {
        // a round number, at which much happens, or any
        let ns = match self.below(3) {
            0 => (self.scaled(least, most) * 1000.0).round().max(least * 1000.0) * 1e6,
            _ => self.scaled(least, most) * 1e9,
        };
        let ns = (ns as u64).clamp((least * 1e9) as u64, (most * 1e9) as u64) + self.odd();
        match self.below(3) {
            0 => format!("{ns} ns"),
            1 => format!("{} us", ns as f64 / 1e3),
            _ => format!("{} ms", ns as f64 / 1e6),
        }
    }

    /// A rate between these, in bits per second.
    pub(crate) fn rate(&mut self, least: f64, most: f64) -> String {
        let bps = match self.below(3) {
            0 => self.pick(&[1e6_f64, 2e6, 4e6, 1e7]).clamp(least, most) as u64,
            _ => self.scaled(least, most) as u64,
        };
        let bps = bps + self.odd() % 9_973;
        if self.one_in(2) { format!("{bps} bps") } else { format!("{} kbps", bps as f64 / 1e3) }
    }
}

/// Bytes for a seed: a scenario of its own for each number.
pub fn bytes(seed: u64) -> Vec<u8> {
    // SplitMix64
    let mut state = seed;
    let word = |_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31).to_le_bytes()
    };
    (0..BYTES / 8).flat_map(word).collect()
}

/// More than any scenario asks for.
pub const BYTES: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_the_end_every_choice_is_the_first() {
        let mut draw = Draw::new(&[200, 7], 0);
        assert_eq!((draw.below(256), draw.below(5)), (200, 2));
        assert_eq!((draw.below(9), draw.pick(&["a", "b"]), draw.one_in(3)), (0, "a", false));
        assert_eq!(draw.time(0.001, 1.0), "1000000 ns");
    }

    #[test]
    fn salt_moves_rates_and_times_and_nothing_else() {
        let bytes = bytes(3);
        let drawn = |salt| {
            let mut draw = Draw::new(&bytes, salt);
            (draw.below(1000), draw.rate(1e3, 1e9), draw.percent(5.0), draw.time(0.1, 2.0), draw.below(1000))
        };
        let (plain, moved) = (drawn(0), drawn(1));
        assert_eq!((plain.0, &plain.2, plain.4), (moved.0, &moved.2, moved.4));
        assert!(plain.1 != moved.1 && plain.3 != moved.3);
    }
}
