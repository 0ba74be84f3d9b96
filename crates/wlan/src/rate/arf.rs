//! ARF, automatic rate fallback: up after ten successes, down after two failures.
//!
//! Source: A. Kamerman and L. Monteban, "WaveLAN-II: a high-performance wireless LAN for the unlicensed band", Bell
//! Labs Technical Journal 2(3), 1997. Choices: where failures go on, every second one takes a step down; a first
//! failure at a rate that was just tried takes it back at once.

/// Successes in a row after which the next rate is tried.
const SUCCESSES: u32 = 10;
/// Attempts after which it is tried without that.
const TIMER: u32 = 15;

/// ARF of one link: a place in the list of rates, slowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arf {
    place: usize,
    highest: usize,
    /// Successes and failures in a row.
    successes: u32,
    failures: u32,
    /// Attempts since the last change.
    timer: u32,
    /// The rate is on trial.
    recovery: bool,
}

impl Arf {
    /// A link with so many rates, which begins with the lowest.
    pub fn new(rates: usize) -> Arf {
        Arf { place: 0, highest: rates.saturating_sub(1), successes: 0, failures: 0, timer: 0, recovery: false }
    }

    /// A link that begins with the highest rate.
    pub fn from_highest(rates: usize) -> Arf {
        Arf { place: rates.saturating_sub(1), ..Arf::new(rates) }
    }

    /// Place of the rate of the next attempt.
    pub fn place(&self) -> usize {
        self.place
    }

    /// An ACK came.
    pub fn on_success(&mut self) {
        self.successes = self.successes.saturating_add(1);
        self.timer = self.timer.saturating_add(1);
        self.failures = 0;
        self.recovery = false;
        if (self.successes == SUCCESSES || self.timer == TIMER) && self.place < self.highest {
            self.place += 1;
            self.successes = 0;
            self.timer = 0;
            self.recovery = true;
        }
    }

    /// No ACK came.
    pub fn on_failure(&mut self) {
        self.failures = self.failures.saturating_add(1);
        self.timer = self.timer.saturating_add(1);
        self.successes = 0;
        let down = if self.recovery { self.failures == 1 } else { self.failures.is_multiple_of(2) };
        if down {
            self.place = self.place.saturating_sub(1);
        }
        if self.recovery || self.failures >= 2 {
            self.timer = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(mut arf: Arf, outcomes: &str) -> Arf {
        for outcome in outcomes.chars() {
            if outcome == '+' { arf.on_success() } else { arf.on_failure() }
        }
        arf
    }

    fn place(arf: Arf, outcomes: &str) -> usize {
        after(arf, outcomes).place()
    }

    #[test]
    fn up_after_ten_successes() {
        assert_eq!(place(Arf::new(4), "+++++++++"), 0);
        assert_eq!(place(Arf::new(4), "++++++++++"), 1);
        assert_eq!(place(Arf::new(4), &"+".repeat(19)), 1);
        assert_eq!(place(Arf::new(4), &"+".repeat(20)), 2);
        assert_eq!(place(Arf::new(4), &"+".repeat(100)), 3);
    }

    #[test]
    fn up_after_fifteen_attempts_with_single_failures() {
        // 5 + 1 + 9: the successes in a row are 9, the attempts 15
        assert_eq!(place(Arf::new(4), "+++++-++++++++"), 0);
        assert_eq!(place(Arf::new(4), "+++++-+++++++++"), 1);
    }

    #[test]
    fn a_rate_on_trial_falls_at_the_first_failure() {
        assert_eq!(place(Arf::new(4), "++++++++++-"), 0);
        // one success ends the trial: then two failures are needed
        assert_eq!(place(Arf::new(4), "+++++++++++-"), 1);
        assert_eq!(place(Arf::new(4), "+++++++++++--"), 0);
    }

    #[test]
    fn a_trial_that_goes_on_failing_takes_no_further_step() {
        let top = after(Arf::new(4), &"+".repeat(30));
        assert_eq!((top.place(), top.recovery), (3, true));
        assert_eq!(place(top, "-----"), 2);
    }

    #[test]
    fn every_second_failure_is_a_step_down() {
        let top = Arf::from_highest(4);
        assert_eq!((1..=8).map(|n| place(top.clone(), &"-".repeat(n))).collect::<Vec<_>>(), [3, 2, 2, 1, 1, 0, 0, 0]);
        // a success between begins anew
        assert_eq!(place(top, "-+-+-+"), 3);
    }

    #[test]
    fn two_failures_begin_the_fifteen_anew() {
        // 12 attempts, then a step down, then 9 successes: neither ten in a row nor fifteen attempts
        let low = after(Arf::from_highest(4), "++++++++++--");
        assert_eq!((low.place(), low.timer), (2, 0));
        assert_eq!(place(low.clone(), "+++++++++"), 2);
        assert_eq!(place(low, "++++++++++"), 3);
    }

    #[test]
    fn one_rate_is_all_there_is() {
        assert_eq!(place(Arf::new(1), "++++++++++++++++--"), 0);
    }
}
