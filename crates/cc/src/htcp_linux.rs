//! H-TCP as Linux has it: in whole segments and milliseconds, counting time from the end of a recovery.
//! Source: Linux 6.1, restated in specs/papers/linux.md; Leith and Shorten, PFLDnet 2004, has the ideas.
use core::mem::replace;

use units::{Bytes, Time};

use crate::linux::{self, State};
use crate::{Ack, Cause, Congestion, CongestionControl, Path, Response};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    time begins with the first ACK; a duplicate ACK begins disorder, the next ACK that advances ends it; a cut starts \
    from the window whatever the profile halves.";

/// Beta and alpha are in 1/128.
const ONE: u64 = 128;
const BETA_MIN: u64 = 64;
const BETA_MAX: u64 = 102;
/// Most that one sample adds to the greatest RTT, ms.
const RTT_STEP: u64 = 20;
/// Least RTT from which a cut looks at the queue, ms.
const RTT_MIN: u64 = 10;

/// State of Linux's H-TCP. Times in milliseconds, throughput in segments per second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HTcpLinux {
    cwnd: Bytes,
    ssthresh: Bytes,
    state: State,
    /// Segments counted since the window grew.
    count: u64,
    /// What the next ACK that may grow the window counts for.
    acked: u64,
    alpha: u64,
    beta: u64,
    rtt_min: u64,
    rtt_max: u64,
    /// Start or end of the last recovery, or the first ACK.
    since: Option<u64>,
    in_cut: bool,
    /// Measuring throughput: segments since, and from when.
    segments: u64,
    from: Option<u64>,
    rate: u64,
    rate_max: u64,
    rate_max_before: u64,
    adapts: bool,
}

fn ms(time: Time) -> u64 {
    time.0 / 1_000_000
}

impl HTcpLinux {
    /// Of a new connection.
    pub fn new() -> HTcpLinux {
        HTcpLinux { alpha: ONE, beta: BETA_MIN, acked: 1, ..HTcpLinux::default() }
    }

    fn learn(&mut self, ack: &Ack, cwnd: u64, mss: Bytes) {
        let acked = u64::from(linux::newly(ack, mss));
        let now = ms(ack.now);
        let since = *self.since.get_or_insert(now);
        if self.state == State::Open {
            self.acked = acked;
        }
        if let Some(rtt) = ack.rtt {
            let rtt = rtt.0.div_ceil(1_000_000).max(1);
            self.rtt_min = if self.rtt_min == 0 { rtt } else { self.rtt_min.min(rtt) };
            //= specs/papers/linux.md#h-tcp
            //# RTTmax learns outside recovery and gaps only, and passes over samples more than 20 ms above it
            if self.state == State::Open {
                self.rtt_max = self.rtt_max.max(self.rtt_min);
                if rtt <= self.rtt_max + RTT_STEP {
                    self.rtt_max = self.rtt_max.max(rtt);
                }
            }
        }
        if self.state == State::Recovery {
            (self.segments, self.from) = (0, Some(now));
            return;
        }
        self.segments += acked;
        //= specs/papers/linux.md#h-tcp
        //# A sample of throughput ends once a window less alpha is acknowledged, and RTTmin is over.
        let enough = self.segments >= cwnd.saturating_sub((self.alpha / ONE).max(1));
        //= specs/papers/linux.md#h-tcp
        //# The first one began long ago.
        let lasted = self.from.map_or(u64::MAX, |from| now.saturating_sub(from));
        if enough && self.rtt_min > 0 && lasted >= self.rtt_min {
            let rate = self.segments * 1000 / lasted;
            if (now.saturating_sub(since)) / self.rtt_min <= 3 {
                (self.rate, self.rate_max) = (rate, rate);
            } else {
                self.rate = (3 * self.rate + rate) / 4;
                self.rate_max = self.rate_max.max(self.rate);
            }
            (self.segments, self.from) = (0, Some(now));
        }
    }

    /// Beta of a cut.
    fn back_off(&mut self) {
        let before = replace(&mut self.rate_max_before, self.rate_max);
        //= specs/papers/linux.md#h-tcp
        //# Half is kept where the largest throughput differs by more than a fifth from that at the cut before, and at
        //# the cut after such a one
        let differs = 5 * self.rate_max < 4 * before || 5 * self.rate_max > 6 * before;
        if differs {
            (self.beta, self.adapts) = (BETA_MIN, false);
        } else if self.adapts && self.rtt_min > RTT_MIN && self.rtt_max > 0 {
            self.beta = (self.rtt_min * ONE / self.rtt_max).clamp(BETA_MIN, BETA_MAX);
        } else {
            (self.beta, self.adapts) = (BETA_MIN, true);
        }
    }

    fn accelerate(&mut self, now: u64) {
        let over = now.saturating_sub(self.since.unwrap_or(now)).saturating_sub(1000);
        //= specs/papers/linux.md#h-tcp
        //# factor = 1 + (10 D + (D / 2)^2 / 1000) / 1000, with D in ms beyond the first second
        let mut factor = 1 + (10 * over + (over / 2) * (over / 2) / 1000) / 1000;
        if let Some(scale) = 800_u64.checked_div(self.rtt_min) {
            //= specs/papers/linux.md#h-tcp
            //# times 8 over 800 / RTTmin, which is at least 4 and at most 80; at least 1
            factor = (8 * factor / scale.clamp(4, 80)).max(1);
        }
        self.alpha = 2 * factor * (ONE - self.beta);
    }
}

impl CongestionControl for HTcpLinux {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        let mut cwnd = linux::segments(self.cwnd, path.mss);
        self.learn(ack, u64::from(cwnd), path.mss);
        self.state = State::after(ack);
        if self.state == State::Open && self.in_cut {
            //= specs/papers/linux.md#h-tcp
            //# Time counts from the end of the last recovery.
            (self.since, self.in_cut) = (Some(ms(ack.now)), false);
        }
        if !ack.grows {
            return;
        }
        let ssthresh = linux::segments(self.ssthresh, path.mss);
        if cwnd < ssthresh {
            (cwnd, _) = linux::slow_start(cwnd, ssthresh, linux::acked(ack, true, path.mss));
        } else {
            //= specs/papers/linux.md#h-tcp
            //# An ACK that finds count times alpha to be a window adds one segment to it, and begins the count anew.
            if self.count * self.alpha / ONE >= u64::from(cwnd) {
                cwnd += 1;
                self.count = 0;
                self.accelerate(ms(ack.now));
            } else {
                self.count += self.acked;
            }
            self.acked = 1;
        }
        self.cwnd = f64::from(cwnd) * path.mss;
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let cwnd = linux::segments(self.cwnd, path.mss);
        let now = ms(event.now);
        self.back_off();
        self.accelerate(now);
        if self.rtt_min > 0 && self.rtt_max > self.rtt_min {
            //= specs/papers/linux.md#h-tcp
            //# a cut takes 5 % of what RTTmax is above RTTmin
            self.rtt_max = self.rtt_min + (self.rtt_max - self.rtt_min) * 95 / 100;
        }
        let kept = (u64::from(cwnd) * self.beta / ONE) as u32;
        (self.since, self.in_cut, self.count) = (Some(now), true, 0);
        if event.cause != Cause::EcnMark {
            self.state = State::Recovery;
        }
        self.set_windows(linux::cut(event, kept, self.windows(), path.mss));
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("beta_ratio", self.beta as f64 / ONE as f64);
        out("rtt_max_s", self.rtt_max as f64 / 1e3);
        out("alpha_segments_per_rtt", self.alpha as f64 / ONE as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};
    use units::Span;

    fn at(segments: f64) -> HTcpLinux {
        let mut htcp = HTcpLinux::new();
        htcp.on_init(Bytes(segments * 1000.0), Bytes(2000.0), &test_path());
        htcp
    }

    /// An ACK of a segment at this time, with this RTT, both in ms.
    fn sample(at_ms: u64, rtt_ms: u64) -> Ack {
        Ack { now: Time(at_ms * 1_000_000), rtt: Some(Span::from_millis(rtt_ms)), ..ack(1000.0) }
    }

    /// Its beta after a cut at which throughput is what it was at the one before.
    fn steady(mut htcp: HTcpLinux) -> u64 {
        (htcp.rate_max, htcp.rate_max_before, htcp.adapts) = (100, 100, true);
        htcp.on_congestion(&dup_acks(), &test_path());
        htcp.beta
    }

    #[test]
    fn ten_acknowledged_segments_are_found_by_the_next_ack() {
        // alpha is 1 at first: ten are counted, the eleventh ACK finds them and counts for nothing
        let mut htcp = at(10.0);
        for n in 0..10 {
            htcp.on_ack(&sample(n, 100), &test_path());
        }
        assert_eq!((htcp.cwnd(), htcp.count), (Bytes(10_000.0), 10));
        htcp.on_ack(&sample(10, 100), &test_path());
        assert_eq!((htcp.cwnd(), htcp.count), (Bytes(11_000.0), 0));
    }

    #[test]
    fn growth_speeds_up_a_second_after_the_recovery() {
        // RTTmin 100 ms: 800/100 = 8, no scaling; 2 s are 1 s over: 1 + 10 + 0.25, in whole numbers 11
        for (secs, rtt, factor) in [(1, 100, 1), (2, 100, 11), (2, 200, 22), (2, 400, 22), (2, 50, 5), (1, 10, 1)] {
            let mut htcp = at(10.0);
            (htcp.since, htcp.rtt_min) = (Some(5000), rtt);
            htcp.accelerate(5000 + 1000 * secs);
            assert_eq!(htcp.alpha, factor * ONE, "{secs} s, {rtt} ms");
        }
        let mut htcp = at(10.0);
        htcp.on_ack(&sample(1000, 100), &test_path());
        htcp.on_congestion(&dup_acks(), &test_path());
        htcp.on_ack(&Ack { in_recovery: true, grows: false, ..sample(1100, 100) }, &test_path());
        htcp.on_ack(&sample(1300, 100), &test_path());
        assert_eq!(htcp.since, Some(1300));
    }

    #[test]
    fn a_cut_empties_the_queue_if_throughput_is_steady() {
        for (rtt_max, beta) in [(125, 102), (160, 80), (300, 64)] {
            let mut htcp = at(100.0);
            (htcp.rtt_min, htcp.rtt_max) = (100, rtt_max);
            assert_eq!(steady(htcp), beta, "{rtt_max} ms");
        }
        // a path of 10 ms or less halves
        let mut near = at(100.0);
        (near.rtt_min, near.rtt_max) = (10, 12);
        assert_eq!(steady(near), BETA_MIN);
    }

    #[test]
    fn a_change_of_throughput_halves_this_time_and_the_next() {
        let mut htcp = at(100.0);
        (htcp.rtt_min, htcp.rtt_max, htcp.adapts) = (100, 120, true);
        let mut betas = std::vec::Vec::new();
        // a fifth more is the same, more than that is not; what follows is learned anew
        for rate_max in [100, 120, 145, 145, 145, 115] {
            (htcp.rate_max, htcp.rtt_max) = (rate_max, 120);
            htcp.on_congestion(&dup_acks(), &test_path());
            betas.push(htcp.beta);
        }
        assert_eq!(betas, [64, 64, 64, 64, 102, 64]);
    }

    #[test]
    fn the_greatest_rtt_passes_over_jumps_and_fades() {
        let mut htcp = at(100.0);
        for (n, (rtt, greatest)) in [(100, 100), (115, 115), (140, 115), (130, 130), (90, 130)].into_iter().enumerate()
        {
            htcp.on_ack(&sample(n as u64, rtt), &test_path());
            assert_eq!(htcp.rtt_max, greatest, "after {rtt} ms");
        }
        // 90 + 40 * 0.95
        htcp.on_congestion(&dup_acks(), &test_path());
        assert_eq!(htcp.rtt_max, 128);
        // in a recovery nothing is learned but the least
        htcp.on_ack(&Ack { in_recovery: true, grows: false, ..sample(10, 140) }, &test_path());
        htcp.on_ack(&Ack { in_recovery: true, grows: false, ..sample(11, 80) }, &test_path());
        assert_eq!((htcp.rtt_min, htcp.rtt_max), (80, 128));
    }

    #[test]
    fn throughput_is_measured_over_a_window_and_a_round_trip() {
        let mut htcp = at(10.0);
        htcp.from = Some(1000);
        for n in 0..9 {
            htcp.on_ack(&Ack { grows: false, ..sample(1050 + n, 100) }, &test_path());
        }
        // nine segments are enough, 100 ms are not over
        assert_eq!((htcp.segments, htcp.rate), (9, 0));
        htcp.on_ack(&Ack { grows: false, ..sample(1100, 100) }, &test_path());
        assert_eq!((htcp.segments, htcp.rate, htcp.rate_max), (0, 100, 100));
    }

    #[test]
    fn a_timeout_leaves_one_segment_and_the_same_threshold() {
        let mut htcp = at(100.0);
        (htcp.rtt_min, htcp.rtt_max) = (100, 160);
        (htcp.rate_max, htcp.rate_max_before, htcp.adapts) = (100, 100, true);
        htcp.on_congestion(&rto(1), &test_path());
        assert_eq!((htcp.cwnd(), htcp.ssthresh()), (Bytes(1000.0), Bytes(62_000.0)));
    }
}
