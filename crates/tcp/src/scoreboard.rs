//! What the sender remembers of each segment in flight.

use units::Time;

/// One segment that was sent and is not cumulatively acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// When it was last sent.
    pub at: Time,
    /// How often it was sent, at most 255.
    pub times: u8,
    /// The receiver has it (SACK).
    pub sacked: bool,
    /// It was sent again in the present recovery.
    pub resent: bool,
}

const BLANK: Sent = Sent { at: Time::ZERO, times: 0, sacked: false, resent: false };

/// Segments in flight by number, in a ring that grows with the window.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    ring: Vec<Sent>,
    mask: u32,
}

impl Scoreboard {
    /// No room yet: the first segment sent makes some.
    pub fn new() -> Scoreboard {
        Scoreboard { ring: Vec::new(), mask: 0 }
    }

    /// Make room so that segments `[from, to)` and `to` itself have places.
    #[inline]
    pub fn reserve(&mut self, from: u32, to: u32) {
        if to - from >= self.ring.len() as u32 {
            self.grow(from, to);
        }
    }

    #[cold]
    fn grow(&mut self, from: u32, to: u32) {
        let mut ring = vec![BLANK; (self.ring.len() * 2).max(8)];
        let mask = ring.len() as u32 - 1;
        for number in from..to {
            ring[(number & mask) as usize] = self.ring[(number & self.mask) as usize];
        }
        self.ring = ring;
        self.mask = mask;
    }

    /// A segment sent for the first time.
    #[inline]
    pub fn first_sent(&mut self, number: u32, at: Time) {
        self.ring[(number & self.mask) as usize] = Sent { at, times: 1, sacked: false, resent: false };
    }

    /// The record of a segment in flight.
    #[inline]
    pub fn get(&self, number: u32) -> &Sent {
        &self.ring[(number & self.mask) as usize]
    }

    /// The record of a segment in flight, to change.
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> &mut Sent {
        &mut self.ring[(number & self.mask) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_growth() {
        let mut board = Scoreboard::new();
        for number in 100..140 {
            board.reserve(100, number);
            board.first_sent(number, Time(u64::from(number)));
        }
        assert!((100..140).all(|n| board.get(n).at == Time(u64::from(n))));
    }
}
