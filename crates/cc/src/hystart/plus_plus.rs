//! HyStart++: the first slow start slows down when the RTT rises, and ends if it stays up, before there is a loss.
//! Source: RFC 9406, restated in specs/papers/hystart.md.
//! Choices: the bound L on what an ACK counts for is that of every slow start (`ss_limit`); the sample of the ACK that
//! ends a round belongs to the round it ends.
use units::Span;

use crate::Ack;
use crate::linux::Count;

const MIN_RTT_THRESH: Span = Span::from_millis(4);
const MAX_RTT_THRESH: Span = Span::from_millis(16);
const MIN_RTT_DIVISOR: u64 = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: u32 = 4;
const CSS_ROUNDS: u32 = 5;

/// Where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    SlowStart,
    /// Slow growth, to see whether the delay stays.
    Conservative {
        baseline: Span,
        rounds: u32,
    },
    /// Over.
    Done,
}

/// Least RTTs of this round and the one before, and what follows from them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlusPlus {
    phase: Phase,
    last: Option<Span>,
    current: Option<Span>,
    samples: u32, // in this round
    /// Segments acknowledged in slow growth that have not added to a window of whole segments yet.
    count: Count,
}

impl PlusPlus {
    pub(super) fn new() -> PlusPlus {
        PlusPlus { phase: Phase::SlowStart, last: None, current: None, samples: 0, count: Count::default() }
    }

    /// Congestion: slow starts are ordinary from now on.
    pub(super) fn stop(&mut self) {
        self.phase = Phase::Done;
    }

    /// Share of what an ACK counts for that it adds in slow start.
    pub(super) fn growth(&self) -> f64 {
        match self.phase {
            //= specs/papers/hystart.md#conservative-slow-start
            //# cwnd = cwnd + n / CSS_GROWTH_DIVISOR
            Phase::Conservative { .. } => 1.0 / f64::from(CSS_GROWTH_DIVISOR),
            Phase::SlowStart | Phase::Done => 1.0,
        }
    }

    /// The same of an ACK for so many segments, in whole ones; the rest is kept for the next.
    pub(super) fn whole(&mut self, acked: u32) -> u32 {
        match self.phase {
            //= specs/papers/hystart.md#conservative-slow-start
            //# A window of whole segments grows by one for each CSS_GROWTH_DIVISOR acknowledged, and the rest is kept.
            Phase::Conservative { .. } => self.count.grow(0, CSS_GROWTH_DIVISOR, acked),
            Phase::SlowStart | Phase::Done => acked,
        }
    }

    /// An ACK in slow start, after the window has grown. True if slow start ends here.
    pub(super) fn on_ack(&mut self, ack: &Ack) -> bool {
        if self.phase == Phase::Done {
            return false;
        }
        if let Some(rtt) = ack.rtt {
            self.current = Some(self.current.map_or(rtt, |least| least.min(rtt)));
            self.samples += 1;
        }
        if let (Some(current), true) = (self.current, self.samples >= N_RTT_SAMPLE) {
            self.judge(current);
        }
        if ack.round.is_some() {
            (self.last, self.current, self.samples) = (self.current, None, 0);
            if let Phase::Conservative { rounds, .. } = &mut self.phase {
                *rounds += 1;
                if *rounds >= CSS_ROUNDS {
                    self.stop();
                    return true;
                }
            }
        }
        false
    }

    /// The least RTT of this round is known well enough.
    fn judge(&mut self, current: Span) {
        match (self.phase, self.last) {
            //= specs/papers/hystart.md#delay
            //# currentRoundMinRTT >= lastRoundMinRTT + RttThresh
            (Phase::SlowStart, Some(last)) if current >= last + threshold(last) => {
                self.phase = Phase::Conservative { baseline: current, rounds: 0 };
            }
            //= specs/papers/hystart.md#conservative-slow-start
            //# Slow start goes on when currentRoundMinRTT < cssBaselineMinRtt
            (Phase::Conservative { baseline, .. }, _) if current < baseline => self.phase = Phase::SlowStart,
            _ => {}
        }
    }
}

fn threshold(last: Span) -> Span {
    //= specs/papers/hystart.md#delay
    //# RttThresh = max(MIN_RTT_THRESH, min(lastRoundMinRTT / MIN_RTT_DIVISOR, MAX_RTT_THRESH))
    (last / MIN_RTT_DIVISOR).min(MAX_RTT_THRESH).max(MIN_RTT_THRESH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, last_of_round};

    fn sample(ms: u64) -> Ack {
        Ack { rtt: Some(Span::from_millis(ms)), ..ack(1000.0) }
    }

    /// A round of so many samples. True if slow start ends with it.
    fn round(hystart: &mut PlusPlus, samples: u32, ms: u64) -> bool {
        (1..samples).for_each(|_| assert!(!hystart.on_ack(&sample(ms))));
        hystart.on_ack(&Ack { rtt: Some(Span::from_millis(ms)), ..last_of_round(1000.0) })
    }

    #[test]
    fn an_eighth_of_the_rtt_between_4_and_16_ms() {
        for (rtt_ms, thresh_us) in [(20, 4000), (32, 4000), (40, 5000), (100, 12_500), (128, 16_000), (400, 16_000)] {
            assert_eq!(threshold(Span::from_millis(rtt_ms)), Span(thresh_us * 1000), "{rtt_ms} ms");
        }
    }

    #[test]
    fn the_eighth_sample_above_the_threshold_slows_growth_down() {
        // 80 ms: an eighth is 10 ms
        for (ms, growth) in [(89, 1.0), (90, 0.25)] {
            let mut hystart = PlusPlus::new();
            round(&mut hystart, 1, 80);
            (0..7).for_each(|_| assert!(!hystart.on_ack(&sample(ms))));
            assert_eq!(hystart.growth(), 1.0);
            hystart.on_ack(&sample(ms));
            assert_eq!(hystart.growth(), growth, "{ms} ms");
        }
        // one of the eight was quick: the least counts
        let mut hystart = PlusPlus::new();
        round(&mut hystart, 8, 80);
        hystart.on_ack(&sample(81));
        (0..20).for_each(|_| assert!(!hystart.on_ack(&sample(200))));
        assert_eq!(hystart.growth(), 1.0);
        // and ACKs without a sample do not
        round(&mut hystart, 8, 80);
        (0..20).for_each(|_| assert!(!hystart.on_ack(&Ack { rtt: None, ..ack(1000.0) })));
        assert_eq!(hystart.growth(), 1.0);
    }

    #[test]
    fn the_first_round_has_nothing_to_be_held_against() {
        let mut hystart = PlusPlus::new();
        round(&mut hystart, 20, 500);
        assert_eq!(hystart.growth(), 1.0);
    }

    #[test]
    fn a_delay_that_goes_away_was_none() {
        let mut hystart = PlusPlus::new();
        round(&mut hystart, 8, 80);
        round(&mut hystart, 8, 100);
        // as high as the baseline is not lower
        round(&mut hystart, 8, 100);
        assert_eq!(hystart.growth(), 0.25);
        // seven samples are too few to tell
        round(&mut hystart, 7, 99);
        assert_eq!(hystart.growth(), 0.25);
        round(&mut hystart, 8, 99);
        assert_eq!(hystart.growth(), 1.0);
        // the next rise is held against the 99 ms: 12.375 more
        round(&mut hystart, 8, 111);
        assert_eq!(hystart.growth(), 1.0);
        round(&mut hystart, 8, 125);
        assert_eq!(hystart.growth(), 0.25);
    }

    #[test]
    fn five_rounds_of_it_end_slow_start() {
        let mut hystart = PlusPlus::new();
        round(&mut hystart, 8, 80);
        // the round in which the delay is noticed is the first of the five
        for _ in 1..5 {
            assert!(!round(&mut hystart, 8, 100));
        }
        assert!(round(&mut hystart, 8, 100));
        assert!(!round(&mut hystart, 8, 200));
        assert_eq!(hystart.growth(), 1.0);
    }

    #[test]
    fn a_quarter_of_whole_segments_keeps_the_rest() {
        let mut hystart = PlusPlus::new();
        assert_eq!([1, 2, 3].map(|acked| hystart.whole(acked)), [1, 2, 3]);
        round(&mut hystart, 8, 80);
        round(&mut hystart, 8, 100);
        // 1, 2, 4, 6, 9 and 17 acknowledged in all
        assert_eq!([1, 1, 2, 2, 3, 8].map(|acked| hystart.whole(acked)), [0, 0, 1, 0, 1, 2]);
        hystart.stop();
        assert_eq!(hystart.whole(2), 2);
    }

    #[test]
    fn stopped_it_notices_nothing() {
        let mut hystart = PlusPlus::new();
        hystart.stop();
        for ms in [80, 100, 100, 100, 100, 100, 100] {
            assert!(!round(&mut hystart, 8, ms));
            assert_eq!(hystart.growth(), 1.0);
        }
    }
}
