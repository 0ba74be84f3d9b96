//! RED: drop or mark at random, the more often the longer the averaged queue.
//!
//! Source: Floyd and Jacobson, IEEE/ACM ToN 1(4), 1993; gentle: Floyd 2000; adaptive: Floyd, Gummadi and Shenker 2001;
//! restated in specs/papers/red.md.
//! Choices: a packet that finds at most one waiting (at most none, if the average is over bytes) is not dropped early,
//! and the first packet over the lower threshold only starts the count (ns-2). A full queue drops whatever RED says.
//! `max_p` is adapted at the first arrival after each half second.

use sim::Stream;
use units::{Span, Time, num};

use super::admission::{Arrival, Verdict};
use crate::spec::RedSpec;

/// Between two changes of `max_p` by adaptive RED.
const ADAPT_EVERY: Span = Span::from_millis(500);
const MOST_MAX_P: f64 = 0.5;
const LEAST_MAX_P: f64 = 0.01;
/// Queueing delay that automatic thresholds aim at, seconds.
const TARGET_S: f64 = 0.005;
/// Least RTT that the automatic weight assumes, seconds.
const LEAST_RTT_S: f64 = 0.1;

#[derive(Debug)]
pub(crate) struct Red {
    spec: RedSpec,
    min: f64,
    max: f64,
    weight: f64,
    max_p: f64,
    average: f64,
    /// Packets, and bytes of them, since the last drop or mark; none while the average is below `min`.
    count: Option<(u32, u64)>,
    /// Mean packets that fit the link per second: the unit in which idle time ages the average.
    packets_per_s: f64,
    adapted: Time,
    stream: Stream,
}

impl Red {
    pub(super) fn new(spec: &RedSpec, rate_bps: u64, delay: Span, stream: Stream) -> Red {
        let packets_per_s = rate_bps as f64 / (8.0 * f64::from(spec.mean_packet));
        //= specs/papers/red.md#automatic-parameters
        //# min = max(5, target * C / 2), max = 3 * min
        let min = spec.min.unwrap_or_else(|| (TARGET_S * packets_per_s / 2.0).max(5.0));
        let max = spec.max.unwrap_or(3.0 * min);
        let weight = spec.weight.unwrap_or_else(|| {
            //= specs/papers/red.md#automatic-parameters
            //# w = 1 - exp(-1 / (10 * R * C)), R = max(0.1 s, 3 * (delay + 1 / C))
            let rtt = LEAST_RTT_S.max(3.0 * (delay.secs() + 1.0 / packets_per_s));
            1.0 - num::exp(-1.0 / (10.0 * rtt * packets_per_s))
        });
        Red {
            spec: *spec,
            min,
            max,
            weight,
            max_p: spec.max_p,
            average: 0.0,
            count: None,
            packets_per_s,
            adapted: Time::ZERO,
            stream,
        }
    }

    pub(super) fn judge(&mut self, arrival: &Arrival) -> Verdict {
        let verdict = self.decide(arrival);
        //= specs/papers/red.md#spreading
        //# a packet that a full buffer drops is a drop as well
        if !arrival.fits && self.count.is_some() {
            self.count = Some((0, 0));
        }
        verdict
    }

    fn decide(&mut self, arrival: &Arrival) -> Verdict {
        self.measure(arrival);
        if self.spec.adaptive {
            self.adapt(arrival.now);
        }
        let short = if self.spec.in_bytes { 0 } else { 1 };
        if self.average < self.min || arrival.backlog.packets <= short {
            self.count = None;
            return Verdict::Pass;
        }
        let p_b = self.base_probability();
        if p_b < 1.0 {
            let (packets, bytes) = match self.count {
                None => {
                    self.count = Some((1, u64::from(arrival.size)));
                    return Verdict::Pass;
                }
                Some((packets, bytes)) => (packets.saturating_add(1), bytes + u64::from(arrival.size)),
            };
            self.count = Some((packets, bytes));
            let p_a = self.probability(p_b, arrival.size, packets, bytes);
            if self.stream.uniform() >= p_a {
                return Verdict::Pass;
            }
        }
        self.count = Some((0, 0));
        Verdict::signal(arrival.markable && p_b <= self.spec.mark_p)
    }

    /// Average the queue.
    fn measure(&mut self, arrival: &Arrival) {
        let queue = if self.spec.in_bytes {
            arrival.backlog.bytes as f64 / f64::from(self.spec.mean_packet)
        } else {
            f64::from(arrival.backlog.packets)
        };
        //= specs/papers/red.md#average
        //# m = floor(idle * C), avg = avg * (1 - w)^m
        if arrival.idle > Span::ZERO {
            let missed = num::floor(arrival.idle.secs() * self.packets_per_s);
            self.average *= num::pow(1.0 - self.weight, missed);
        }
        //= specs/papers/red.md#average
        //# avg = (1 - w) * avg + w * q
        self.average = (1.0 - self.weight) * self.average + self.weight * queue;
    }

    /// Probability that follows from the average alone.
    fn base_probability(&self) -> f64 {
        if self.average < self.max {
            //= specs/papers/red.md#probability
            //# p_b = max_p * (avg - min) / (max - min)
            self.max_p * (self.average - self.min) / (self.max - self.min)
        } else if self.spec.gentle && self.average < 2.0 * self.max {
            //= specs/papers/red.md#probability
            //# p_b = max_p + (1 - max_p) * (avg - max) / max
            self.max_p + (1.0 - self.max_p) * (self.average - self.max) / self.max
        } else {
            1.0
        }
    }

    /// Probability for this packet, given those that have passed since the last drop or mark, itself included. Each may
    /// be the next in turn, so the chance of one is 1 over those left: up to 1 / p_b, or with `wait` from there to 2 /
    /// p_b.
    fn probability(&self, p_b: f64, size: u32, packets: u32, bytes: u64) -> f64 {
        let mean = self.spec.byte_mode.then_some(f64::from(self.spec.mean_packet));
        let done = p_b * mean.map_or(f64::from(packets), |mean| bytes as f64 / mean);
        //= specs/papers/red.md#spreading
        //# p_a = 0 if count * p_b < 1, p_b / (2 - count * p_b) if count * p_b < 2, else 1
        if self.spec.wait && done < 1.0 {
            return 0.0;
        }
        //= specs/papers/red.md#spreading
        //# p_a = p_b / (1 - count * p_b)
        let left = if self.spec.wait { 2.0 - done } else { 1.0 - done };
        let p_a = if left > 0.0 { p_b / left } else { 1.0 };
        mean.map_or(p_a, |mean| p_a * f64::from(size) / mean).min(1.0)
    }

    /// Adaptive RED: keep the average between 40 and 60 % of the way from `min` to `max`.
    fn adapt(&mut self, now: Time) {
        if now < self.adapted + ADAPT_EVERY {
            return;
        }
        self.adapted = now;
        let way = (self.average - self.min) / (self.max - self.min);
        if way > 0.6 && self.max_p < MOST_MAX_P {
            //= specs/papers/red.md#adaptive
            //# max_p = max_p + min(0.01, max_p / 4) above min + 0.6 * (max - min)
            self.max_p = (self.max_p + (self.max_p / 4.0).min(0.01)).min(MOST_MAX_P);
        } else if way < 0.4 && self.max_p > LEAST_MAX_P {
            //= specs/papers/red.md#adaptive
            //# max_p = 0.9 * max_p below min + 0.4 * (max - min)
            self.max_p = (0.9 * self.max_p).max(LEAST_MAX_P);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Backlog;

    const DELAY: Span = Span::from_millis(20);

    fn red(change: impl Fn(&mut RedSpec)) -> Red {
        let mut spec = RedSpec::default();
        change(&mut spec);
        Red::new(&spec, 8_000_000, DELAY, Stream::new(1, "l/queue"))
    }

    fn arrival(packets: u32) -> Arrival {
        let backlog = Backlog { packets, bytes: u64::from(packets) * 1000 };
        Arrival { now: Time::ZERO, size: 1000, markable: false, backlog, idle: Span::ZERO, fits: true }
    }

    fn near(is: f64, wanted: f64) {
        assert!((is - wanted).abs() < 1e-9, "{is} is not {wanted}");
    }

    #[test]
    fn the_probability_follows_the_average() {
        let at = |average: f64, gentle: bool| {
            let mut red = red(|r| r.gentle = gentle);
            red.average = average;
            red.base_probability()
        };
        near(at(10.0, true), 0.05); // half way from 5 to 15
        near(at(15.0, true), 0.1);
        near(at(22.5, true), 0.55); // 0.1 + 0.9 / 2
        near(at(30.0, true), 1.0);
        near(at(14.999_999_999_9, false), 0.1);
        near(at(15.0, false), 1.0);
    }

    #[test]
    fn the_average_moves_by_its_weight_and_ages_when_idle() {
        let mut red = red(|r| r.weight = Some(0.5));
        red.judge(&arrival(8));
        near(red.average, 4.0);
        red.judge(&arrival(8));
        near(red.average, 6.0);
        // 8 Mbit/s are 2000 packets of 500 bytes per second: 1.2 ms are 2, 6 / 4 = 1.5, and an empty sample on top
        red.judge(&Arrival { idle: Span(1_200_000), ..arrival(0) });
        near(red.average, 0.75);
    }

    #[test]
    fn in_bytes_the_average_counts_mean_packets() {
        let mut red = red(|r| (r.in_bytes, r.weight) = (true, Some(1.0)));
        red.judge(&arrival(3)); // 3000 bytes, 500 each
        near(red.average, 6.0);
    }

    #[test]
    fn drops_spread_evenly_or_wait() {
        let even = red(|_| {});
        near(even.probability(0.1, 500, 0, 0), 0.1);
        near(even.probability(0.1, 500, 5, 0), 0.2); // 0.1 / 0.5
        near(even.probability(0.1, 500, 9, 0), 1.0); // 0.1 / 0.1
        near(even.probability(0.1, 500, 10, 0), 1.0);
        let wait = red(|r| r.wait = true);
        near(wait.probability(0.1, 500, 9, 0), 0.0);
        near(wait.probability(0.1, 500, 10, 0), 0.1); // 0.1 / (2 - 1)
        near(wait.probability(0.1, 500, 15, 0), 0.2);
        near(wait.probability(0.1, 500, 20, 0), 1.0);
    }

    #[test]
    fn byte_mode_weighs_packets_by_size() {
        let red = red(|r| r.byte_mode = true);
        // 2500 bytes are 5 mean packets: 0.1 / 0.5, for 1000 bytes twice that, for 40 bytes 0.08 of it
        near(red.probability(0.1, 1000, 1, 2500), 0.4);
        near(red.probability(0.1, 40, 1, 2500), 0.016);
    }

    #[test]
    fn the_first_packet_over_the_threshold_starts_the_count() {
        let mut red = red(|r| (r.weight, r.gentle) = (Some(1.0), false));
        assert_eq!(red.judge(&arrival(3)), Verdict::Pass);
        assert_eq!(red.count, None);
        assert_eq!(red.judge(&arrival(14)), Verdict::Pass);
        assert_eq!(red.count, Some((1, 1000)));
        // p_b 0.09: the twelfth packet since has p_a 1 at the latest
        let first = (2..20).find(|_| red.judge(&arrival(14)) == Verdict::Drop).expect("certain at last");
        assert!(first <= 12, "{first}");
        assert_eq!(red.count, Some((0, 0)));
        assert_eq!(red.judge(&arrival(15)), Verdict::Drop);
        // one waiting packet is no queue, whatever the average
        red.weight = 0.0;
        assert_eq!(red.judge(&arrival(1)), Verdict::Pass);
    }

    #[test]
    fn a_full_buffer_starts_the_count_anew() {
        let mut red = red(|r| (r.weight, r.max_p, r.wait) = (Some(1.0), 0.1, true));
        // p_b 0.05: no drop before the 20th packet, unless a full buffer has dropped one
        for n in 0..200 {
            let full = n % 15 == 14;
            assert_eq!(red.judge(&Arrival { fits: !full, ..arrival(10) }), Verdict::Pass, "{n}");
            assert_eq!(red.count.unwrap().0 == 0, full, "{n}");
        }
        // below the threshold there is no count to start
        red.judge(&Arrival { fits: false, ..arrival(3) });
        assert_eq!(red.count, None);
    }

    #[test]
    fn evenly_spread_drops_come_at_the_given_rate() {
        // p_b 0.05: with p_b / (1 - count p_b) and a count from 1, gaps are uniform over 1 to 19, mean 10
        let mut red = red(|r| (r.weight, r.max_p) = (Some(1.0), 0.1));
        red.judge(&arrival(10));
        let many = 200_000;
        let drops = (0..many).filter(|_| red.judge(&arrival(10)) == Verdict::Drop).count();
        let gap = f64::from(many) / drops as f64;
        // the gap's standard deviation is 5.5, that of the mean of 20000 gaps 0.04
        assert!((gap - 10.0).abs() < 0.2, "{gap}");
    }

    #[test]
    fn marks_take_the_place_of_drops_while_they_are_rare() {
        let verdict = |average: u32, mark_p| {
            let mut red = red(|r| (r.weight, r.mark_p, r.max_p) = (Some(1.0), mark_p, 0.9));
            let packet = Arrival { markable: true, ..arrival(average) };
            (0..100).map(|_| red.judge(&packet)).find(|v| *v != Verdict::Pass)
        };
        // (12 - 5) / 10 * 0.9 = 0.63
        assert_eq!(verdict(12, 0.64), Some(Verdict::Mark));
        assert_eq!(verdict(12, 0.62), Some(Verdict::Drop));
    }

    #[test]
    fn automatic_parameters() {
        let auto = |rate| {
            let spec = RedSpec { min: None, max: None, weight: None, mean_packet: 1000, ..RedSpec::default() };
            Red::new(&spec, rate, DELAY, Stream::new(1, "l/queue"))
        };
        // 8 Mbit/s: C 1000 packets/s, 5 ms * 1000 / 2 = 2.5, so min 5; R 0.1: w = 1 - exp(-1/1000)
        let slow = auto(8_000_000);
        near(slow.min, 5.0);
        near(slow.max, 15.0);
        near(slow.weight, 0.000_999_500_166_6);
        // 80 Mbit/s: 5 ms * 10000 / 2 = 25
        let fast = auto(80_000_000);
        near(fast.min, 25.0);
        near(fast.max, 75.0);
    }

    #[test]
    fn adaptive_red_moves_max_p_every_half_second() {
        let mut red = red(|r| (r.adaptive, r.weight) = (true, Some(1.0)));
        let at = |ms: u64, packets: u32| Arrival { now: Time(ms * 1_000_000), ..arrival(packets) };
        red.judge(&at(499, 14));
        near(red.max_p, 0.1);
        red.judge(&at(500, 14)); // above 5 + 0.6 * 10: + min(0.01, 0.025)
        near(red.max_p, 0.11);
        red.judge(&at(600, 14));
        near(red.max_p, 0.11);
        red.judge(&at(1000, 10)); // between 9 and 11
        near(red.max_p, 0.11);
        red.judge(&at(1500, 8));
        near(red.max_p, 0.099);
        red.max_p = 0.02;
        red.judge(&at(2000, 14)); // + min(0.01, 0.005)
        near(red.max_p, 0.025);
    }
}
