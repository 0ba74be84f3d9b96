//! LEDBAT: fill what others leave of the path, and no more than a target of queueing delay.
//! Source: RFC 6817, restated in specs/papers/ledbat.md.
use units::{Bytes, Span, Time};

use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    no slow start, as in the RFC's listing, unless `ledbat_slow_start` has it, which then ends at the target, too; \
    the filter is a minimum, and an RTT the smoothed one; the initial window is the engine's, which may be more than \
    the RFC's `INIT_CWND` of 2; a minute begins with the first sample after the last one ended; before any sample \
    the queue is taken for empty; nothing moves during a recovery; a window that is not in use does not grow; a mark \
    is treated as a loss; losses halve the profile's halving base (flight size), and never raise the window.";

/// Most minutes of base delays, and most current delays.
const MINUTES: usize = 10;
const CURRENT: usize = 8;
const MINUTE: Span = Span::from_millis(60_000);
const NONE: Span = Span(u64::MAX);

/// State of LEDBAT.
#[derive(Clone, Debug, PartialEq)]
pub struct Ledbat {
    cwnd: Bytes,
    ssthresh: Bytes,
    target_s: f64,
    gain: f64,
    allowed_increase: f64, // segments
    min_window: f64,       // segments
    slow_start: bool,
    base: Least,
    current: Recent,
    minute: Option<Time>, // when it began
}

/// The least values of the newest minutes, as many as wanted, and their least.
#[derive(Clone, Debug, PartialEq)]
struct Least {
    values: [Span; MINUTES],
    kept: usize,
    newest: usize,
    least: Span,
}

impl Least {
    fn of(kept: f64) -> Least {
        Least { values: [NONE; MINUTES], kept: kept as usize, newest: 0, least: NONE }
    }

    /// A new value takes the place of the oldest.
    #[inline]
    fn push(&mut self, value: Span) {
        self.newest = if self.newest + 1 < self.kept { self.newest + 1 } else { 0 };
        self.values[self.newest] = value;
        self.least = self.values[..self.kept].iter().copied().fold(NONE, Span::min);
    }

    /// The newest value is this one if this is less.
    #[inline]
    fn lower(&mut self, value: Span) {
        self.values[self.newest] = self.values[self.newest].min(value);
        self.least = self.least.min(value);
    }
}

/// The newest delays, as many as wanted, and the least of those that are not older than an RTT.
#[derive(Clone, Debug, PartialEq)]
struct Recent {
    samples: [(Time, Span); CURRENT],
    kept: usize,
    newest: usize,
    least: Span,
}

impl Recent {
    fn of(kept: f64) -> Recent {
        Recent { samples: [(Time::ZERO, NONE); CURRENT], kept: kept as usize, newest: 0, least: NONE }
    }

    /// A new sample takes the place of the oldest. No RTT is known if it is zero.
    #[inline]
    fn push(&mut self, now: Time, delay: Span, rtt: Span) {
        self.newest = if self.newest + 1 < self.kept { self.newest + 1 } else { 0 };
        self.samples[self.newest] = (now, delay);
        //= https://www.rfc-editor.org/rfc/rfc6817#section-2.5
        //# CURRENT_FILTER MUST be limited such that samples in the list are not older than an RTT in the past.
        let fresh = |&&(at, _): &&(Time, Span)| rtt == Span::ZERO || now.since(at) <= rtt;
        self.least = self.samples[..self.kept].iter().filter(fresh).fold(NONE, |least, &(_, delay)| least.min(delay));
    }
}

impl Ledbat {
    /// Parameters `ledbat_target`, `ledbat_gain`, `ledbat_allowed_increase`, `ledbat_min_window`,
    /// `ledbat_base_history`, `ledbat_filter`, `ledbat_slow_start`.
    pub fn new(config: &Config) -> Ledbat {
        Ledbat {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            target_s: config.number("ledbat_target"),
            gain: config.number("ledbat_gain"),
            allowed_increase: config.number("ledbat_allowed_increase"),
            min_window: config.number("ledbat_min_window"),
            slow_start: config.flag("ledbat_slow_start"),
            base: Least::of(config.number("ledbat_base_history")),
            current: Recent::of(config.number("ledbat_filter")),
            minute: None,
        }
    }

    #[inline]
    fn learn(&mut self, now: Time, delay: Span, rtt: Span) {
        self.current.push(now, delay, rtt);
        if self.minute.is_none_or(|began| now.since(began) >= MINUTE) {
            self.minute = Some(now);
            self.base.push(delay);
        } else {
            self.base.lower(delay);
        }
    }

    /// Queueing delay, seconds.
    #[inline]
    fn queueing_s(&self) -> f64 {
        //= specs/papers/ledbat.md#delays
        //# queueing delay = current delay - base delay
        (self.current.least - self.base.least).secs()
    }
}

impl CongestionControl for Ledbat {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        if let Some(delay) = ack.one_way_delay {
            self.learn(ack.now, delay, path.srtt);
        }
        if ack.in_recovery || ack.newly_acked == 0.0 {
            return;
        }
        //= specs/papers/ledbat.md#window
        //# off_target = (TARGET - queueing delay) / TARGET
        let off_target = (self.target_s - self.queueing_s()) / self.target_s;
        if off_target > 0.0 && !ack.grows {
            return;
        }
        if self.slow_start && self.cwnd < self.ssthresh && off_target > 0.0 {
            self.cwnd += ack.slow_start;
            return;
        }
        self.slow_start &= off_target > 0.0;
        //= specs/papers/ledbat.md#window
        //# cwnd = cwnd + GAIN * off_target * n * mss / cwnd
        let change = self.gain * off_target * ack.avoidance.over(self.cwnd) * path.mss;
        let allowed = path.flight_size + ack.newly_acked + self.allowed_increase * path.mss;
        self.cwnd = (self.cwnd + change).min(allowed).max(self.min_window * path.mss);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let least = self.min_window * path.mss;
        let half = event.keep(0.5);
        if !event.hold_ssthresh {
            self.ssthresh = half.ssthresh;
        }
        self.cwnd = match event.cause {
            Cause::Rto => path.mss,
            //= specs/papers/ledbat.md#loss
            //# cwnd = min(cwnd, max(cwnd / 2, MIN_CWND * mss))
            Cause::DupAcks | Cause::EcnMark => self.cwnd.min(half.cwnd.max(least)),
        };
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("queueing_delay_s", self.queueing_s());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, dup_acks, full, rto};

    fn at(segments: f64) -> (Ledbat, Path) {
        full(Ledbat::new(&Config::named("ledbat").unwrap()), segments)
    }

    /// An ACK of one segment whose one-way delay is this much, by clocks that differ by 40 s.
    fn delayed(secs: f64, ms: u64) -> Ack {
        let one_way_delay = Some(Span::from_millis(40_000 + ms));
        Ack { now: Time::from_secs(secs), one_way_delay, ..ack(1000.0) }
    }

    /// The queueing delay is this much: a base of 20 ms, then as many samples as the filter holds.
    fn queue(ledbat: &mut Ledbat, path: &Path, ms: u64) {
        for ms in [20, 20 + ms, 20 + ms, 20 + ms, 20 + ms] {
            ledbat.on_ack(&Ack { in_recovery: true, grows: false, ..delayed(1.0, ms) }, path);
        }
    }

    fn near(bytes: Bytes, expected: f64) -> bool {
        (bytes.0 - expected).abs() < 1e-6
    }

    #[test]
    fn the_change_is_in_proportion_to_the_distance_from_the_target() {
        // 50 segments; target 100 ms. Queues of 0, 40, 100, 150 and 300 ms: 1/50, 0.6/50, 0, -0.5/50, -2/50
        for (ms, change) in [(0, 20.0), (40, 12.0), (100, 0.0), (150, -10.0), (300, -40.0)] {
            let (mut ledbat, path) = at(50.0);
            queue(&mut ledbat, &path, ms);
            ledbat.on_ack(&delayed(1.1, 20 + ms), &path);
            assert!(near(ledbat.cwnd(), 50_000.0 + change), "at {ms} ms: {:?}", ledbat.cwnd());
        }
    }

    #[test]
    fn one_small_delay_among_four_is_the_current_one() {
        let (mut ledbat, path) = at(50.0);
        queue(&mut ledbat, &path, 100);
        // 60 ms: queue 40; it counts for four samples
        for (n, ms) in [60, 120, 120, 120].into_iter().enumerate() {
            ledbat.on_ack(&delayed(1.1, ms), &path);
            assert!((ledbat.queueing_s() - 0.040).abs() < 1e-9, "sample {n}");
        }
        ledbat.on_ack(&delayed(1.1, 120), &path);
        assert!((ledbat.queueing_s() - 0.100).abs() < 1e-9);
    }

    #[test]
    fn a_delay_of_more_than_an_rtt_ago_is_not_the_current_one() {
        let (mut ledbat, path) = at(50.0);
        let path = Path { srtt: Span::from_millis(100), ..path };
        ledbat.on_ack(&delayed(1.0, 20), &path);
        // 60 ms: a queue of 40 ms, for 100 ms
        for (at, queue_s) in [(2.0, 0.040), (2.1, 0.040), (2.101, 0.100)] {
            ledbat.on_ack(&delayed(at, if at == 2.0 { 60 } else { 120 }), &path);
            assert!((ledbat.queueing_s() - queue_s).abs() < 1e-9, "at {at}: {}", ledbat.queueing_s());
        }
    }

    #[test]
    fn the_base_delay_is_forgotten_after_ten_minutes() {
        let (mut ledbat, path) = at(50.0);
        // the route becomes 30 ms longer after the first minute; each sample opens a minute
        for minute in 0..10u32 {
            let ms = if minute == 0 { 20 } else { 50 };
            ledbat.on_ack(&delayed(60.0 * f64::from(minute), ms), &path);
        }
        ledbat.on_ack(&delayed(599.0, 50), &path);
        assert!((ledbat.queueing_s() - 0.030).abs() < 1e-9);
        ledbat.on_ack(&delayed(600.0, 50), &path);
        assert_eq!(ledbat.queueing_s(), 0.0);
    }

    #[test]
    fn the_least_delay_of_a_minute_may_come_late_in_it() {
        let (mut ledbat, path) = at(50.0);
        // 40 ms opens the minute, 20 ms comes in it; four samples later it is no longer the current delay, but the base
        for (n, ms) in [40, 20, 50, 50, 50, 50].into_iter().enumerate() {
            ledbat.on_ack(&delayed(1.0 + n as f64, ms), &path);
        }
        assert!((ledbat.queueing_s() - 0.030).abs() < 1e-9);
    }

    #[test]
    fn the_histories_may_be_shorter() {
        let mut config = Config::named("ledbat").unwrap();
        config.set_number("ledbat_base_history", 2.0).unwrap();
        config.set_number("ledbat_filter", 1.0).unwrap();
        let (mut ledbat, path) = full(Ledbat::new(&config), 50.0);
        // one sample is the current delay; the base of 20 ms is forgotten when the third minute begins
        for (secs, ms, queue_ms) in [(0.0, 20, 0.0), (1.0, 50, 30.0), (61.0, 45, 25.0), (121.0, 60, 15.0)] {
            ledbat.on_ack(&delayed(secs, ms), &path);
            assert!((ledbat.queueing_s() * 1000.0 - queue_ms).abs() < 1e-6, "at {secs} s: {}", ledbat.queueing_s());
        }
    }

    #[test]
    fn target_gain_and_bounds_are_parameters() {
        let with = |name: &str, value: f64| {
            let mut config = Config::named("ledbat").unwrap();
            config.set_number(name, value).unwrap();
            let (mut ledbat, path) = full(Ledbat::new(&config), 50.0);
            queue(&mut ledbat, &path, 20);
            (ledbat, path)
        };
        // queue 20 ms, 50 segments; (100 - 20) / 100 / 50 of a segment by default, 16 bytes
        for (name, value, change) in [("ledbat_target", 0.04, 10.0), ("ledbat_gain", 0.5, 8.0)] {
            let (mut ledbat, path) = with(name, value);
            ledbat.on_ack(&delayed(1.1, 40), &path);
            assert!(near(ledbat.cwnd(), 50_000.0 + change), "{name}: {:?}", ledbat.cwnd());
        }
        // 40 in flight, one acknowledged, and five more
        let (mut ledbat, path) = with("ledbat_allowed_increase", 5.0);
        ledbat.on_ack(&delayed(1.1, 40), &Path { flight_size: Bytes(40_000.0), ..path });
        assert_eq!(ledbat.cwnd(), 46_000.0);
        // half of 50 is more than three and half of five is less
        let (mut ledbat, path) = with("ledbat_min_window", 3.0);
        ledbat.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(ledbat.cwnd(), 25_000.0);
        ledbat.set_cwnd(Bytes(5000.0));
        ledbat.on_congestion(
            &dup_acks().of_flight(&Path { flight_size: Bytes(5000.0), ..path }),
            &Path { flight_size: Bytes(5000.0), ..path },
        );
        assert_eq!(ledbat.cwnd(), 3000.0);
    }

    #[test]
    fn a_repeated_timeout_holds_ssthresh() {
        let (mut ledbat, path) = at(50.0);
        ledbat.on_congestion(&rto(1).of_flight(&path), &path);
        ledbat.on_congestion(
            &Congestion { hold_ssthresh: true, ..rto(2) }.of_flight(&Path { flight_size: Bytes(1000.0), ..path }),
            &Path { flight_size: Bytes(1000.0), ..path },
        );
        assert_eq!(ledbat.ssthresh(), 25_000.0);
    }

    #[test]
    fn growth_is_bounded_by_what_was_in_flight() {
        let (mut ledbat, path) = at(50.0);
        // 47 segments left and 1 acknowledged: 48 + 1
        let idle = Path { flight_size: Bytes(47_000.0), ..path };
        ledbat.on_ack(&delayed(1.0, 20), &idle);
        assert_eq!(ledbat.cwnd(), 49_000.0);
        // a window that is not in use does not grow
        ledbat.on_ack(&Ack { grows: false, ..delayed(1.0, 20) }, &path);
        assert_eq!(ledbat.cwnd(), 49_000.0);
    }

    #[test]
    fn never_less_than_two_segments() {
        let (mut ledbat, path) = at(2.0);
        queue(&mut ledbat, &path, 400);
        ledbat.on_ack(&delayed(1.1, 420), &path);
        assert_eq!(ledbat.cwnd(), 2000.0);
        ledbat.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(ledbat.cwnd(), 2000.0);
    }

    #[test]
    fn losses_halve_and_a_timeout_leaves_one() {
        let (mut ledbat, path) = at(50.0);
        ledbat.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!((ledbat.cwnd(), ledbat.ssthresh()), (Bytes(25_000.0), Bytes(25_000.0)));
        ledbat.on_congestion(&rto(1).of_flight(&path), &path);
        assert_eq!(ledbat.cwnd(), 1000.0);
        // and at the next ACK at least two, without slow start
        ledbat.on_ack(&delayed(3.0, 20), &path);
        assert_eq!(ledbat.cwnd(), 2000.0);
    }

    #[test]
    fn slow_start_lasts_until_ssthresh_or_the_target() {
        let mut config = Config::named("ledbat").unwrap();
        config.set_flag("ledbat_slow_start", true).unwrap();
        for (queue_ms, second) in [(40, 4000.0), (100, 3000.0)] {
            let (_, path) = at(50.0);
            let mut ledbat = Ledbat::new(&config);
            ledbat.on_init(Bytes(2000.0), Bytes(5000.0), &path);
            ledbat.on_ack(&delayed(1.0, 20), &path);
            assert_eq!(ledbat.cwnd(), 3000.0);
            queue(&mut ledbat, &path, queue_ms);
            ledbat.on_ack(&delayed(1.1, 20 + queue_ms), &path);
            assert_eq!(ledbat.cwnd(), second);
            // the queue is gone: slow start goes on, or after the target was reached a third of a segment is added
            queue(&mut ledbat, &path, 0);
            ledbat.on_ack(&delayed(1.2, 20), &path);
            let third = if queue_ms == 40 { 5000.0 } else { 3333.333 };
            assert!((ledbat.cwnd().0 - third).abs() < 0.001);
        }
    }

    #[test]
    fn slow_start_comes_back_after_a_timeout_if_the_target_was_not_reached() {
        let mut config = Config::named("ledbat").unwrap();
        config.set_flag("ledbat_slow_start", true).unwrap();
        for queue_ms in [40, 100, 101] {
            let (_, path) = at(50.0);
            let mut ledbat = Ledbat::new(&config);
            ledbat.on_init(Bytes(5000.0), Bytes(5000.0), &path);
            queue(&mut ledbat, &path, queue_ms);
            // at ssthresh: (100 - 40) / 100 of a fifth of a segment, none at the target
            ledbat.on_ack(&delayed(1.1, 20 + queue_ms), &path);
            assert!(ledbat.cwnd() < 5121.0);
            ledbat.on_congestion(&rto(1).of_flight(&path), &path);
            queue(&mut ledbat, &path, 0);
            ledbat.on_ack(&delayed(1.2, 20), &path);
            assert_eq!(ledbat.cwnd(), 2000.0); // a segment, or the least window
            // slow start, or half a segment
            ledbat.on_ack(&delayed(1.3, 20), &path);
            assert_eq!(ledbat.cwnd(), if queue_ms == 40 { 3000.0 } else { 2500.0 });
        }
    }

    #[test]
    fn without_delays_it_grows_as_if_the_queue_were_empty() {
        let (mut ledbat, path) = at(50.0);
        ledbat.on_ack(&ack(1000.0), &path);
        assert_eq!(ledbat.cwnd(), 50_020.0);
    }
}
