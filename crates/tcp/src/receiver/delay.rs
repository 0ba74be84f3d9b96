//! How long an ACK waits for a second segment: always the same time, or, as in Linux, longer where segments are far
//! apart, but no longer than an RTT.
//! Source: Linux 6.1, restated in specs/papers/linux.md. RFC 1122 section 4.2.3.2 allows up to 500 ms.
//! Choices: the RTT is that from the SYN to the first data, and the timeout is the one that Linux has after that
//! sample.

use units::Span;

use crate::{Config, DelackMode};

/// The longest wait, and the least that Linux's timeout adds to the RTT, milliseconds.
const LONGEST: u64 = 200;

/// The wait in force. Times are whole milliseconds, as the clock of Linux counts them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delay {
    /// It adapts; otherwise it is `fixed`.
    pub(super) adapts: bool,
    fixed: Span,
    least: u64,
    time: u64,
    /// When the newest segment in order arrived.
    last: Option<u64>,
    rtt: u64,
    /// This end answers what it gets with data of its own, which will carry the ACK.
    pub(super) replies: bool,
}

/// Milliseconds that have begun.
fn ms(span: Span) -> u64 {
    span.0.div_ceil(1_000_000)
}

impl Delay {
    pub(super) fn new(config: &Config) -> Delay {
        let least = ms(config.delayed_ack_timer);
        Delay {
            adapts: config.delayed_ack_mode == DelackMode::Linux,
            fixed: config.delayed_ack_timer,
            least,
            time: least,
            last: None,
            rtt: 0,
            replies: false,
        }
    }

    /// The first data came, so long after the SYN.
    pub(super) fn on_first_data(&mut self, rtt: Span) {
        self.rtt = ms(rtt);
    }

    /// A segment arrives in order. True if the one before it came longer ago than a timeout: the sender may have to
    /// begin anew.
    pub(super) fn on_in_order(&mut self, now: u64) -> bool {
        let Some(last) = self.last.replace(now).filter(|_| self.adapts) else { return false };
        let gap = now - last;
        //= specs/papers/linux.md#delayed-acks
        //# With every segment in order it becomes half of what it was and the time since the one before, which counts
        //# for at least half of 40 ms, unless that is longer than the wait itself.
        if gap <= self.least / 2 {
            self.time = self.time / 2 + self.least / 2;
        } else if gap < self.time {
            self.time = (self.time / 2 + gap).min(self.timeout());
        } else {
            return gap > self.timeout();
        }
        false
    }

    /// The ACK of a segment waits from now on: for so long.
    #[inline]
    pub(super) fn wait(&self) -> Span {
        if !self.adapts {
            return self.fixed;
        }
        Span::from_millis(self.time.min(self.rtt.max(self.least)).min(LONGEST))
    }

    /// No second segment came in time.
    pub(super) fn missed(&mut self) {
        //= specs/papers/linux.md#delayed-acks
        //# Where no second segment came in time it doubles, up to the retransmission timeout
        self.time = if self.replies { self.least } else { (self.time * 2).min(self.timeout()) };
        self.replies = false;
    }

    /// ACKs wait for nothing any more, or again.
    pub(super) fn reset(&mut self) {
        self.time = self.least;
    }

    /// Data leave, and what arrived last may be what they answer.
    pub(super) fn on_data_sent(&mut self, now: u64) {
        self.replies |= self.adapts && self.last.is_some_and(|last| now - last < self.time);
    }

    /// The retransmission timeout of this end, which has one sample of the RTT.
    fn timeout(&self) -> u64 {
        self.rtt + (self.rtt * 2).max(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    /// After an RTT of 100 ms: the timeout is 300 ms. The first segment came after 1 s.
    fn delay() -> Delay {
        let mut delay = Delay::new(&Config::profile(Profile::Linux));
        delay.on_first_data(Span::from_millis(100));
        delay.on_in_order(1000);
        delay
    }

    /// The waits in ms when segments come at these times.
    fn waits(at: &[u64]) -> Vec<u64> {
        let mut delay = delay();
        let mut wait = |at: &u64| {
            delay.on_in_order(1000 + at);
            delay.wait().0 / 1_000_000
        };
        at.iter().map(&mut wait).collect()
    }

    #[test]
    fn it_follows_the_distance_of_segments() {
        // 40 / 2 + 20, again and again
        assert_eq!(waits(&[5, 10, 30]), [40, 40, 40]);
        // 40 / 2 + 30, 50 / 2 + 30, 55 / 2 + 30, on the way to 60
        assert_eq!(waits(&[30, 60, 90]), [50, 55, 57]);
        // further apart than it waits: no change; and back: 50 / 2 + 20, 45 / 2 + 20
        assert_eq!(waits(&[30, 90, 91, 92]), [50, 50, 45, 42]);
    }

    #[test]
    fn it_doubles_where_nothing_comes_but_is_never_longer_than_an_rtt() {
        let mut delay = delay();
        delay.missed();
        assert_eq!(delay.wait(), Span::from_millis(80));
        delay.missed();
        assert_eq!((delay.wait(), delay.time), (Span::from_millis(100), 160));
        (0..3).for_each(|_| delay.missed());
        assert_eq!(delay.time, 300);
        delay.reset();
        assert_eq!(delay.wait(), Span::from_millis(40));
        // 60 ms apart, it would wait for 80, or 300
        delay.rtt = 1000;
        (0..2).for_each(|_| delay.missed());
        assert_eq!((delay.wait(), delay.time), (Span::from_millis(160), 160));
        (0..2).for_each(|_| delay.missed());
        assert_eq!((delay.wait(), delay.time), (Span::from_millis(200), 640));
    }

    #[test]
    fn a_pause_of_more_than_a_timeout_is_told() {
        let mut delay = delay();
        assert!(!delay.on_in_order(1300));
        assert!(delay.on_in_order(1601));
        assert_eq!(delay.wait(), Span::from_millis(40));
    }

    #[test]
    fn an_end_that_answers_stops_doing_so_when_it_was_late_once() {
        let mut delay = delay();
        delay.on_data_sent(1040);
        assert!(!delay.replies);
        delay.on_data_sent(1039);
        assert!(delay.replies);
        delay.missed();
        assert_eq!((delay.replies, delay.wait()), (false, Span::from_millis(40)));
    }

    #[test]
    fn otherwise_it_is_always_the_same() {
        let mut delay = Delay::new(&Config::profile(Profile::Rfc));
        delay.on_in_order(1000);
        delay.missed();
        assert!(!delay.on_in_order(9000));
        delay.on_data_sent(9001);
        assert_eq!((delay.wait(), delay.replies), (Span::from_millis(100), false));
    }
}
