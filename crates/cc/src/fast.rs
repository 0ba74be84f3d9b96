//! FAST TCP: an equation moves the window to where alpha segments stand in queues.
//! Source: Jin, Wei and Low, INFOCOM 2004, restated in specs/papers/fast.md.
use units::{Bytes, Span, Time};

use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    the window when a segment was sent is known to a quarter of a round trip; the equation may shrink a window that \
    is not in use and may not grow it; growth at an empty queue does not look at ssthresh, which is kept for others \
    to read; nothing moves during a recovery; no pacing of increases; a mark is treated as a loss.";

/// Windows remembered: two round trips, a quarter apart.
const REMEMBERED: usize = 8;

/// State of FAST. Its windows are segments, as in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Fast {
    cwnd: Bytes,
    ssthresh: Bytes,
    limits: Limits,
    avg_s: f64, // mean RTT, zero before the first sample
    updated: Option<Time>,
    odd_round: bool,
    past: [(Time, f64); REMEMBERED], // windows in segments, a ring
    newest: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Limits {
    alpha: f64,
    beta: f64,
    gamma: f64,
    period: Span,
    every_other_round: bool,
    eta_max: f64,
    empty_s: f64,
}

impl Fast {
    /// Parameters `fast_alpha`, `fast_beta`, `fast_gamma`, `fast_period`, `fast_update`, `fast_mi_threshold`,
    /// `fast_average`.
    pub fn new(config: &Config) -> Fast {
        Fast {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            limits: Limits {
                alpha: config.number("fast_alpha"),
                beta: config.number("fast_beta"),
                gamma: config.number("fast_gamma"),
                period: Span::from_secs(config.number("fast_period")),
                every_other_round: config.choice("fast_update") == "other_round",
                eta_max: if config.choice("fast_average") == "ns2" { 1.0 / 256.0 } else { 0.25 },
                empty_s: config.number("fast_mi_threshold"),
            },
            avg_s: 0.0,
            updated: None,
            odd_round: false,
            past: [(Time::ZERO, 0.0); REMEMBERED],
            newest: 0,
        }
    }

    /// Remember the window, four times per round trip.
    #[inline]
    fn remember(&mut self, now: Time, w: f64, srtt: Span) {
        let (at, recorded) = self.past[self.newest];
        if recorded == 0.0 || now.since(at) * 4 >= srtt {
            self.newest = (self.newest + 1) % REMEMBERED;
            self.past[self.newest] = (now, w);
        }
    }

    /// The window in force at `sent`, or the oldest one known.
    fn window_at(&self, sent: Time) -> f64 {
        let newest_first = (0..REMEMBERED).map(|back| self.past[(self.newest + REMEMBERED - back) % REMEMBERED]);
        let mut known = 0.0;
        for (at, w) in newest_first.take_while(|&(_, w)| w > 0.0) {
            known = w;
            if at <= sent {
                break;
            }
        }
        known
    }

    /// Whether the equation is due, and if so it counts as done.
    fn is_due(&mut self, ack: &Ack) -> bool {
        if self.limits.every_other_round {
            self.odd_round ^= ack.round.is_some();
            return ack.round.is_some() && self.odd_round;
        }
        let last = *self.updated.get_or_insert(ack.now);
        let due = ack.now.since(last) >= self.limits.period;
        if due {
            self.updated = Some(ack.now);
        }
        due
    }

    /// The window that the equation asks for, from the present one and that of the acknowledged segment.
    fn next(&self, w: f64, old: f64, base_s: f64) -> f64 {
        let Limits { alpha, beta, gamma, .. } = self.limits;
        let queue = old * (self.avg_s - base_s) / self.avg_s;
        if (alpha..beta).contains(&queue) {
            return w;
        }
        //= specs/papers/fast.md#window
        //# w = min(2 * w, (1 - gamma) * w + gamma * (Wold * baseRTT / avgRTT + alpha)), at least 2
        ((1.0 - gamma) * w + gamma * (old * base_s / self.avg_s + alpha)).min(2.0 * w).max(2.0)
    }
}

impl CongestionControl for Fast {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        let w = self.cwnd.over(path.mss);
        self.remember(ack.now, w, path.srtt);
        let Some(rtt) = ack.rtt else { return };
        if self.avg_s == 0.0 {
            self.avg_s = rtt.secs();
        } else {
            //= specs/papers/fast.md#delay
            //# avgRTT = (1 - eta) * avgRTT + eta * r, eta = min(3 / w, 1/4)
            let eta = (3.0 / w).min(self.limits.eta_max);
            self.avg_s += eta * (rtt.secs() - self.avg_s);
        }
        let due = self.is_due(ack);
        let base_s = path.rtt_min.secs();
        if ack.in_recovery {
            return;
        }
        if self.avg_s - base_s < self.limits.empty_s {
            //= specs/papers/fast.md#empty-queue
            //# While avgRTT - baseRTT is less than 0.75 ms each ACK adds what it counts for in slow start instead, one
            //# segment for each.
            if ack.grows {
                self.cwnd += ack.slow_start;
            }
        } else if due {
            let sent = Time(ack.now.0.saturating_sub(rtt.0));
            let next = self.next(w, self.window_at(sent), base_s);
            self.cwnd = if ack.grows { next } else { next.min(w) } * path.mss;
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let after = reno::cut(event, path, 0.5, self.ssthresh);
        self.ssthresh = after.ssthresh;
        //= specs/papers/fast.md#loss
        //# A timeout leaves `w` = 2 and `ssthresh` = half.
        self.cwnd = if event.cause == Cause::Rto { 2.0 * path.mss } else { after.cwnd };
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("avg_rtt_s", self.avg_s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, dup_acks, full, last_of_round, rto};

    fn config() -> Config {
        let mut config = Config::named("fast").unwrap();
        config.set_number("fast_alpha", 8.0).unwrap();
        config.set_number("fast_beta", 8.0).unwrap();
        config
    }

    fn at(segments: f64, config: &Config) -> (Fast, Path) {
        full(Fast::new(config), segments)
    }

    fn ack_at(ms: u64, rtt_ms: u64) -> Ack {
        Ack { now: Time(ms * 1_000_000), rtt: Some(Span::from_millis(rtt_ms)), ..ack(1000.0) }
    }

    fn near(bytes: Bytes, expected: f64) -> bool {
        (bytes.0 - expected).abs() < 1e-6
    }

    #[test]
    fn the_equation_moves_half_the_way_to_alpha_segments_queued() {
        let (mut fast, path) = at(60.0, &config());
        fast.on_ack(&ack_at(1000, 120), &path);
        assert_eq!(fast.cwnd(), 60_000.0); // 10 ms have not passed
        // 0.5 * 60 + 0.5 * (60 * 100/120 + 8) = 30 + 29 = 59
        fast.on_ack(&ack_at(1010, 120), &path);
        assert!(near(fast.cwnd(), 59_000.0));
    }

    #[test]
    fn at_rest_alpha_segments_are_queued() {
        // 48 segments at 120 ms: 48 * 20/120 = 8 queued
        let (mut fast, path) = at(48.0, &config());
        for ms in 0..100 {
            fast.on_ack(&ack_at(1000 + 10 * ms, 120), &path);
        }
        assert!(near(fast.cwnd(), 48_000.0));
    }

    #[test]
    fn the_window_of_the_acknowledged_segment_counts() {
        let (mut fast, path) = at(60.0, &config());
        fast.on_ack(&ack_at(1000, 120), &path);
        fast.set_cwnd(Bytes(40_000.0));
        // sent at 990 ms, when the window was 60: 0.5 * 40 + 0.5 * (60 * 100/120 + 8) = 49
        fast.on_ack(&ack_at(1110, 120), &path);
        assert!(near(fast.cwnd(), 49_000.0));
        // sent at 1120 ms, when it was 40 (recorded at 1110): 0.5 * 49 + 0.5 * (40 * 100/120 + 8) = 45.16667
        fast.on_ack(&ack_at(1240, 120), &path);
        assert!(near(fast.cwnd(), 45_166.666_666_667), "{:?}", fast.cwnd());
    }

    #[test]
    fn windows_are_remembered_for_two_round_trips_however_many_acks_come() {
        // 60 segments at 1000 ms, then 40, with an ACK every 5 ms: 17 of them. The segment that the last one
        // acknowledges left at 990 ms, under the 60: 0.5 * 40 + 0.5 * (60 * 100/120 + 8) = 49
        let (mut fast, path) = at(60.0, &with("fast_period", 0.11));
        fast.on_ack(&ack_at(1000, 120), &path);
        fast.set_cwnd(Bytes(40_000.0));
        for ms in (1030..=1110).step_by(5) {
            fast.on_ack(&ack_at(ms, 120), &path);
        }
        assert!(near(fast.cwnd(), 49_000.0), "{:?}", fast.cwnd());
    }

    #[test]
    fn no_more_than_twice_the_window_and_no_less_than_two_segments() {
        let mut large = Config::named("fast").unwrap();
        let (mut fast, path) = at(10.0, &large);
        fast.on_ack(&ack_at(1000, 120), &path);
        fast.on_ack(&ack_at(1010, 120), &path);
        // 0.5 * 10 + 0.5 * (8.333 + 100) = 59.2
        assert_eq!(fast.cwnd(), 20_000.0);
        large.set_number("fast_alpha", 0.0).unwrap();
        large.set_number("fast_beta", 0.0).unwrap();
        let (mut fast, path) = at(2.0, &large);
        fast.on_ack(&ack_at(1000, 1000), &path);
        fast.on_ack(&ack_at(1010, 1000), &path);
        // 0.5 * 2 + 0.5 * 0.2 = 1.1
        assert_eq!(fast.cwnd(), 2000.0);
    }

    #[test]
    fn between_alpha_and_beta_it_rests() {
        let mut wide = config();
        wide.set_number("fast_beta", 11.0).unwrap();
        let (mut fast, path) = at(60.0, &wide);
        // 60 * 20/120 = 10 queued
        fast.on_ack(&ack_at(1000, 120), &path);
        fast.on_ack(&ack_at(1010, 120), &path);
        assert_eq!(fast.cwnd(), 60_000.0);
    }

    #[test]
    fn an_empty_queue_gives_a_segment_per_ack() {
        let (mut fast, path) = at(60.0, &config());
        fast.on_ack(&ack_at(1000, 100), &path);
        assert_eq!(fast.cwnd(), 61_000.0);
        // eta = 3/61: the mean rises by 0.05 ms for 1 ms more, still below 0.75 ms
        fast.on_ack(&ack_at(1001, 101), &path);
        assert_eq!(fast.cwnd(), 62_000.0);
        fast.on_ack(&Ack { grows: false, ..ack_at(1002, 100) }, &path);
        assert_eq!(fast.cwnd(), 62_000.0);
    }

    #[test]
    fn the_mean_follows_three_samples_in_a_window() {
        let (mut fast, path) = at(60.0, &config());
        fast.on_ack(&ack_at(1000, 120), &path);
        fast.on_ack(&ack_at(1001, 140), &path);
        // 120 + 3/60 * 20 = 121 ms
        assert!((fast.avg_s - 0.121).abs() < 1e-12);
        // ns-2: no more than 1/256, at 6 segments as well; the paper a quarter
        let mut ns2 = config();
        ns2.set_choice("fast_average", "ns2").unwrap();
        for (config, avg) in [(ns2, 0.120_078_125), (self::config(), 0.125)] {
            let (mut fast, path) = at(6.0, &config);
            fast.on_ack(&ack_at(1000, 120), &path);
            fast.on_ack(&ack_at(1001, 140), &path);
            assert!((fast.avg_s - avg).abs() < 1e-12);
        }
    }

    #[test]
    fn a_large_window_averages_the_same_in_both_forms() {
        // 3/1024 is less than 1/256: 120 + 20 * 3/1024 = 120.05859375 ms
        let mut ns2 = config();
        ns2.set_choice("fast_average", "ns2").unwrap();
        for config in [ns2, config()] {
            let (mut fast, path) = at(1024.0, &config);
            fast.on_ack(&ack_at(1000, 120), &path);
            fast.on_ack(&ack_at(1001, 140), &path);
            assert!((fast.avg_s - 0.120_058_593_75).abs() < 1e-12);
        }
    }

    #[test]
    fn the_paper_moves_every_other_round() {
        let mut rounds = config();
        rounds.set_choice("fast_update", "other_round").unwrap();
        let (mut fast, path) = at(60.0, &rounds);
        let windows = [1000, 1100, 1200, 1300].map(|ms| {
            let end = Ack { now: Time(ms * 1_000_000), rtt: Some(Span::from_millis(120)), ..last_of_round(1000.0) };
            fast.on_ack(&end, &path);
            fast.on_ack(&ack_at(ms + 50, 120), &path);
            fast.cwnd().0
        });
        // 59, then at 1200 ms, of a segment sent at 1080 with a window of 59: 29.5 + 0.5 * (59 * 100/120 + 8) = 58.083
        assert_eq!(windows[0..2], [59_000.0; 2]);
        assert!((windows[2] - 58_083.333).abs() < 0.001 && windows[3] == windows[2], "{windows:?}");
    }

    fn with(name: &str, value: f64) -> Config {
        let mut config = config();
        config.set_number(name, value).unwrap();
        config
    }

    #[test]
    fn part_period_and_empty_queue_are_parameters() {
        // a quarter of the way: 0.75 * 60 + 0.25 * (60 * 100/120 + 8) = 45 + 14.5
        let (mut fast, path) = at(60.0, &with("fast_gamma", 0.25));
        fast.on_ack(&ack_at(1000, 120), &path);
        fast.on_ack(&ack_at(1010, 120), &path);
        assert!(near(fast.cwnd(), 59_500.0));
        // 20 ms between updates
        let (mut fast, path) = at(60.0, &with("fast_period", 0.02));
        for (ms, expected) in [(1000, 60_000.0), (1019, 60_000.0), (1020, 59_000.0), (1039, 59_000.0)] {
            fast.on_ack(&ack_at(ms, 120), &path);
            assert!(near(fast.cwnd(), expected), "{ms}");
        }
        // 20 ms of queueing count as none below 25 ms, and not at 20 ms
        let (mut fast, path) = at(60.0, &with("fast_mi_threshold", 0.025));
        fast.on_ack(&ack_at(1000, 120), &path);
        assert_eq!(fast.cwnd(), 61_000.0);
        let (mut fast, path) = at(60.0, &with("fast_mi_threshold", 0.015));
        fast.on_ack(&ack_at(1000, 120), &path);
        assert_eq!(fast.cwnd(), 60_000.0);
        // none is not less than none: 0.5 * 60 + 0.5 * (60 + 8)
        let (mut fast, path) = at(60.0, &with("fast_mi_threshold", 0.0));
        fast.on_ack(&ack_at(1000, 100), &path);
        fast.on_ack(&ack_at(1010, 100), &path);
        assert!(near(fast.cwnd(), 64_000.0));
    }

    #[test]
    fn losses_halve_and_a_timeout_leaves_two() {
        let (mut fast, path) = at(60.0, &config());
        fast.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!((fast.cwnd(), fast.ssthresh()), (Bytes(30_000.0), Bytes(30_000.0)));
        fast.on_congestion(&rto(1).of_flight(&path), &path);
        assert_eq!((fast.cwnd(), fast.ssthresh()), (Bytes(2000.0), Bytes(30_000.0)));
    }

    #[test]
    fn nothing_moves_in_a_recovery_and_an_unused_window_only_shrinks() {
        let (mut fast, path) = at(40.0, &config());
        fast.on_ack(&ack_at(1000, 120), &path);
        fast.on_ack(&Ack { in_recovery: true, grows: false, ..ack_at(1010, 120) }, &path);
        assert_eq!(fast.cwnd(), 40_000.0);
        // 20 + 0.5 * (33.33 + 8) = 40.67 is more
        fast.on_ack(&Ack { grows: false, ..ack_at(1020, 120) }, &path);
        assert_eq!(fast.cwnd(), 40_000.0);
    }
}
