//! Whether sending faster still delivers more.
use units::Rate;

const GROWTH: f64 = 1.25;
const ROUNDS: u32 = 3;

/// The rate that is to be outdone, and rounds in which it was not.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Plateau {
    rate: Rate,
    rounds: u32,
    found: bool,
}

impl Plateau {
    /// Look for it anew, from `rate` on.
    pub(super) fn reset(&mut self, rate: Rate) {
        *self = Plateau { rate, ..Plateau::default() };
    }

    /// The pipe is full for another reason.
    pub(super) fn found(&mut self) {
        self.found = true;
    }

    pub(super) fn is_found(&self) -> bool {
        self.found
    }

    /// A round has begun, with a delivery rate that nothing but the path limited.
    pub(super) fn on_round(&mut self, rate: Rate) {
        if self.found {
            return;
        }
        //= specs/papers/bbr3.md#startup-and-drain
        //# the pipe is full when the delivery rate at the beginning of a round is less than 1.25 times the rate to be
        //# outdone, in three rounds
        if rate >= GROWTH * self.rate {
            return self.reset(rate);
        }
        self.rounds += 1;
        self.found = self.rounds >= ROUNDS;
    }
}
