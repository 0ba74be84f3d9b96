//! PIE: drop arriving packets at random with a probability that a controller moves towards a target delay.
//!
//! Source: Pan, Natarajan, Baker and White, RFC 8033, restated in specs/papers/pie.md.
//! Choices: the delay is the waiting bytes over the link's present rate, which is known here and need not be estimated;
//! the cap on increments (section 5.5) is in, derandomization (section 5.4) is a parameter; a mean packet, whose size
//! the RFC leaves open, is 1500 bytes.

use sim::Stream;
use units::{Span, Time};

use super::Backlog;
use super::admission::{Arrival, Verdict};
use crate::spec::PieSpec;

/// Bytes of a mean packet, for the rule that two of them never make a queue.
const MEAN_PACKET: u64 = 1500;

#[derive(Debug)]
pub(crate) struct Pie {
    spec: PieSpec,
    bytes_per_s: f64,
    probability: f64,
    /// Delay at the last update, seconds.
    delay: f64,
    burst_left: Span,
    /// Sum of the probabilities since the last drop or mark, or since there was none.
    accumulated: f64,
    next_update: Time,
    stream: Stream,
}

impl Pie {
    pub(super) fn new(spec: &PieSpec, rate_bps: u64, stream: Stream) -> Pie {
        Pie {
            spec: *spec,
            bytes_per_s: rate_bps as f64 / 8.0,
            probability: 0.0,
            delay: 0.0,
            burst_left: spec.max_burst,
            accumulated: 0.0,
            next_update: Time::ZERO + spec.update,
            stream,
        }
    }

    pub(super) fn judge(&mut self, arrival: &Arrival) -> Verdict {
        if !arrival.fits {
            self.accumulated = 0.0; // it is about to be lost
            return Verdict::Pass;
        }
        let calm = self.delay < self.spec.target.secs() / 2.0 && self.probability < 0.2;
        //= specs/papers/pie.md#arrival
        //# no drop if the delay was below half the target and p < 0.2, or if at most two mean packets wait
        if self.burst_left > Span::ZERO || calm || arrival.backlog.bytes <= 2 * MEAN_PACKET {
            return Verdict::Pass;
        }
        if !self.happens() {
            return Verdict::Pass;
        }
        self.accumulated = 0.0;
        //= https://www.rfc-editor.org/rfc/rfc8033#section-5.1
        //# if the calculated drop probability exceeds mark_ecnth, PIE reverts to packet-dropping for
        //# ECN-capable packets.
        Verdict::signal(arrival.markable && self.probability < self.spec.mark_p)
    }

    fn happens(&mut self) -> bool {
        if self.spec.derandomize {
            //= specs/papers/pie.md#derandomization
            //# the sum begins anew when p = 0
            if self.probability == 0.0 {
                self.accumulated = 0.0;
            }
            self.accumulated += self.probability;
            //= specs/papers/pie.md#derandomization
            //# no drop while the sum is below 0.85, a certain one from 8.5 on
            if self.accumulated < 0.85 {
                return false;
            }
            if self.accumulated >= 8.5 {
                return true;
            }
        }
        self.stream.uniform() < self.probability
    }

    pub(super) fn next_update(&self) -> Time {
        self.next_update
    }

    /// The link's rate has changed.
    pub(super) fn set_rate(&mut self, rate_bps: f64) {
        self.bytes_per_s = rate_bps / 8.0;
    }

    /// The update that is due, and all up to `same_until` that would change nothing any more.
    pub(super) fn update(&mut self, backlog: Backlog, same_until: Time) {
        let before = (self.probability, self.delay, self.burst_left);
        self.control(backlog.bytes as f64 / self.bytes_per_s);
        //= https://www.rfc-editor.org/rfc/rfc8033#section-4.2
        //# The update interval, T_UPDATE, is defaulted to be 15 milliseconds.
        self.next_update += self.spec.update;
        if before == (self.probability, self.delay, self.burst_left) && self.next_update < same_until {
            let skipped = same_until.since(self.next_update).0 / self.spec.update.0;
            self.next_update += Span(skipped * self.spec.update.0);
        }
    }

    fn control(&mut self, delay: f64) {
        let target = self.spec.target.secs();
        //= specs/papers/pie.md#probability
        //# d = alpha * (delay - target) + beta * (delay - old delay)
        let mut step = self.spec.alpha * (delay - target) + self.spec.beta * (delay - self.delay);
        //= specs/papers/pie.md#probability
        //# d / 2048 below p = 0.000001, / 512 below 0.00001, / 128 below 0.0001, / 32 below 0.001, / 8 below 0.01, /
        //# 2 below 0.1
        step /= match self.probability {
            p if p < 0.000_001 => 2048.0,
            p if p < 0.000_01 => 512.0,
            p if p < 0.000_1 => 128.0,
            p if p < 0.001 => 32.0,
            p if p < 0.01 => 8.0,
            p if p < 0.1 => 2.0,
            _ => 1.0,
        };
        //= specs/papers/pie.md#probability
        //# d is at most 0.02 from p = 0.1 on
        if self.probability >= 0.1 {
            step = step.min(0.02);
        }
        self.probability += step;
        if delay == 0.0 && self.delay == 0.0 {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        //= specs/papers/pie.md#bursts
        //# the allowance falls by the update's length, and is whole again when p = 0 and both delays are below half
        //# the target
        if self.probability == 0.0 && delay < target / 2.0 && self.delay < target / 2.0 {
            self.burst_left = self.spec.max_burst;
        } else {
            self.burst_left = Span(self.burst_left.0.saturating_sub(self.spec.update.0));
        }
        self.delay = delay;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 12 Mbit/s: 15 ms are 22 500 bytes.
    fn pie(change: impl Fn(&mut PieSpec)) -> Pie {
        let mut spec = PieSpec::default();
        change(&mut spec);
        Pie::new(&spec, 12_000_000, Stream::new(1, "l/queue"))
    }

    fn update(pie: &mut Pie, bytes: u64) {
        pie.update(Backlog { packets: (bytes / 1500) as u32, bytes }, Time::ZERO);
    }

    fn near(is: f64, wanted: f64) {
        assert!((is - wanted).abs() < 1e-12, "{is} is not {wanted}");
    }

    #[test]
    fn the_probability_follows_delay_and_trend() {
        let mut pie = pie(|_| {});
        // 45 000 bytes are 30 ms: 0.125 * 0.015 + 1.25 * 0.030 = 0.039375, / 2048 at p = 0
        update(&mut pie, 45_000);
        near(pie.probability, 0.000_019_226_074_218_75);
        // again 30 ms: 0.001875 / 128 = 0.0000146484375
        update(&mut pie, 45_000);
        near(pie.probability, 0.000_033_874_511_718_75);
        pie.probability = 0.05;
        update(&mut pie, 67_500); // 45 ms: (0.125 * 0.03 + 1.25 * 0.015) / 2 = 0.01125
        near(pie.probability, 0.06125);
        pie.probability = 0.2;
        update(&mut pie, 112_500); // 75 ms: 0.0075 + 0.0375 = 0.045, capped
        near(pie.probability, 0.22);
        update(&mut pie, 0); // - 0.001875 - 0.09375 = -0.095625
        near(pie.probability, 0.124_375);
        update(&mut pie, 0); // - 0.001875, then 0.98 of it
        near(pie.probability, 0.120_05);
        pie.probability = 0.0001;
        update(&mut pie, 0); // (0.0001 - 0.001875 / 32) * 0.98 = 0.000040578125
        update(&mut pie, 0); // (0.000040578125 - 0.001875 / 128) * 0.98
        near(pie.probability, 0.000_025_411_093_75);
        (0..10).for_each(|_| update(&mut pie, 0)); // never below zero
        assert_eq!(pie.probability, 0.0);
    }

    #[test]
    fn the_burst_allowance_runs_out_and_returns() {
        let mut pie = pie(|_| {});
        for n in 1..=10 {
            assert_eq!(pie.burst_left, Span::from_millis(165 - 15 * n));
            update(&mut pie, 90_000);
        }
        assert_eq!(pie.burst_left, Span::ZERO);
        pie.probability = 0.0;
        update(&mut pie, 3000); // the old delay was above half the target
        assert_eq!(pie.burst_left, Span::ZERO);
        update(&mut pie, 3000);
        assert_eq!(pie.burst_left, Span::from_millis(150));
    }

    #[test]
    fn drops_at_the_given_rate_once_the_burst_is_over() {
        let arrival = |bytes, markable| Arrival {
            now: Time::ZERO,
            size: 1500,
            markable,
            backlog: Backlog { packets: 0, bytes },
            idle: Span::ZERO,
            fits: true,
        };
        let mut pie = pie(|_| {});
        (pie.probability, pie.delay) = (0.25, 0.02);
        let drops = |pie: &mut Pie, a| (0..10_000).filter(|_| pie.judge(&a) == Verdict::Drop).count();
        assert_eq!(drops(&mut pie, arrival(30_000, false)), 0); // the burst is let through
        pie.burst_left = Span::ZERO;
        let many = drops(&mut pie, arrival(30_000, false));
        assert!((2370..2630).contains(&many), "{many}"); // 2500 with a standard deviation of 43
        assert_eq!(drops(&mut pie, arrival(3000, false)), 0); // two packets are no queue
        pie.probability = 0.09;
        let marks = (0..10_000).filter(|_| pie.judge(&arrival(30_000, true)) == Verdict::Mark).count();
        assert!((810..990).contains(&marks), "{marks}"); // 900 with 29
        pie.probability = 0.1;
        assert!(drops(&mut pie, arrival(30_000, true)) > 0); // too much for marks
        (pie.probability, pie.delay) = (0.19, 0.007);
        assert_eq!(drops(&mut pie, arrival(30_000, false)), 0); // calm
    }

    #[test]
    fn derandomized_drops_are_never_close_together() {
        let mut pie = pie(|p| p.derandomize = true);
        (pie.probability, pie.delay, pie.burst_left) = (0.05, 0.02, Span::ZERO);
        let packet = Arrival {
            now: Time::ZERO,
            size: 1500,
            markable: false,
            backlog: Backlog { packets: 20, bytes: 30_000 },
            idle: Span::ZERO,
            fits: true,
        };
        let drops: Vec<usize> = (0..20_000).filter(|_| pie.judge(&packet) == Verdict::Drop).collect();
        let least = drops.windows(2).map(|w| w[1] - w[0]).min().unwrap();
        // 0.05 adds up to 0.85 with the 17th packet
        assert!(drops.len() > 300 && least >= 17, "{} drops, {least} apart", drops.len());
    }

    #[test]
    fn a_probability_of_zero_forgets_the_sum() {
        let mut pie = pie(|p| p.derandomize = true);
        (pie.probability, pie.delay, pie.burst_left) = (0.2, 0.02, Span::ZERO);
        let packet = Arrival {
            now: Time::ZERO,
            size: 1500,
            markable: false,
            backlog: Backlog { packets: 20, bytes: 30_000 },
            idle: Span::ZERO,
            fits: true,
        };
        // 0.2 four times is 0.8
        (0..4).for_each(|_| assert_eq!(pie.judge(&packet), Verdict::Pass));
        pie.probability = 0.0;
        pie.judge(&packet);
        pie.probability = 0.5;
        assert_eq!(pie.judge(&packet), Verdict::Pass);
        near(pie.accumulated, 0.5);
    }

    #[test]
    fn a_full_buffer_forgets_the_sum() {
        let mut pie = pie(|p| p.derandomize = true);
        (pie.probability, pie.delay, pie.burst_left) = (0.4, 0.02, Span::ZERO);
        let packet = Arrival {
            now: Time::ZERO,
            size: 1500,
            markable: false,
            backlog: Backlog { packets: 20, bytes: 30_000 },
            idle: Span::ZERO,
            fits: true,
        };
        let full = Arrival { fits: false, ..packet };
        // 0.8 after two packets: no drop before the third
        for _ in 0..100 {
            assert_eq!([packet, packet, full].map(|a| pie.judge(&a)), [Verdict::Pass; 3]);
        }
    }

    #[test]
    fn the_delay_follows_the_rate() {
        let mut pie = pie(|_| {});
        pie.probability = 0.2;
        pie.set_rate(3_000_000.0);
        update(&mut pie, 11_250); // 30 ms at 3 Mbps: 0.125 * 0.015 + 1.25 * 0.030 = 0.039, capped at 0.02
        near(pie.delay, 0.03);
        near(pie.probability, 0.22);
    }

    #[test]
    fn updates_of_an_idle_queue_are_skipped_once_they_change_nothing() {
        let mut pie = pie(|_| {});
        let empty = Backlog::default();
        pie.update(empty, Time::from_secs(1000.0));
        // 15 ms apart: the last at 999.99 s, and one more to come by 1000 s
        assert!(pie.next_update() > Time::from_secs(999.97) && pie.next_update() <= Time::from_secs(1000.0));
        assert_eq!(pie.next_update().0 % 15_000_000, 0);
    }
}
