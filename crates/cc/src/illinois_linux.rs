//! Illinois as Linux computes it: in whole numbers, with a count that begins anew when the window grows, and rounds of
//! low delay that need not follow each other.
//! Source: Linux 6.1, restated in specs/papers/linux.md; Liu, Basar and Srikant, VALUETOOLS 2006, has the ideas.
use units::{Bytes, Span};

use crate::round_rtt::RoundRtt;
use crate::{Ack, Cause, Congestion, CongestionControl, Path, Response, linux};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    samples of a recovery count; a cut starts from the window whatever the profile halves.";

/// alpha in 1/128 segments, beta in 1/64.
const ALPHA: u64 = 128;
const ALPHA_MIN: u64 = 3 * ALPHA / 10;
const ALPHA_MAX: u64 = 10 * ALPHA;
const BETA_MIN: u64 = 8;
const BETA_MAX: u64 = 32;
const SMALL: u32 = 15;
const THETA: u32 = 5;

/// State of Linux's Illinois.
#[derive(Clone, Debug, PartialEq)]
pub struct IllinoisLinux {
    cwnd: Bytes,
    ssthresh: Bytes,
    judged: Judged,
    rtt_min: Span,
    rtt_max: Span,
    /// Segments counted since the window grew, and what the next ACK that may grow it counts for.
    count: u64,
    acked: u64,
    /// Segments acknowledged since the connection opened.
    total: u64,
}

/// What a round changes.
#[derive(Clone, Debug, PartialEq)]
struct Judged {
    alpha: u64,
    beta: u64,
    round: RoundRtt,
    /// The round is over when more segments than these are acknowledged.
    end: u64,
    was_high: bool,
    low_rounds: u32,
}

impl Default for IllinoisLinux {
    fn default() -> IllinoisLinux {
        IllinoisLinux {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            judged: Judged {
                alpha: ALPHA_MAX,
                beta: BETA_MAX,
                round: RoundRtt::default(),
                end: 0,
                was_high: false,
                low_rounds: 0,
            },
            rtt_min: Span::ZERO,
            rtt_max: Span::ZERO,
            count: 0,
            acked: 0,
            total: 0,
        }
    }
}

impl IllinoisLinux {
    fn learn(&mut self, sample: Option<Span>) {
        self.judged.round.add(sample);
        let Some(rtt) = sample else { return };
        self.rtt_min = if self.rtt_min == Span::ZERO { rtt } else { self.rtt_min.min(rtt) };
        self.rtt_max = self.rtt_max.max(rtt);
    }

    fn begin_round(&mut self, path: &Path) {
        self.judged.round = RoundRtt::default();
        self.judged.end = self.total + u64::from(linux::count(path.flight_size, path.mss));
    }

    fn end_round(&mut self, cwnd: u32, path: &Path) {
        let us = |span: Span| span.0 / 1000;
        if cwnd < SMALL {
            //= specs/papers/linux.md#illinois
            //# below 15 segments alpha = 1 and beta = 1/2
            (self.judged.alpha, self.judged.beta) = (ALPHA, BETA_MAX);
        } else if let Some(mean) = self.judged.round.mean() {
            let (da, dm) = (us(mean) - us(self.rtt_min), us(self.rtt_max) - us(self.rtt_min));
            self.judged.alpha = self.judged.alpha(da, dm);
            self.judged.beta = beta(da, dm);
        }
        self.begin_round(path);
    }
}

impl Judged {
    /// Of a round with a mean delay of `da`, where `dm` is the largest.
    fn alpha(&mut self, da: u64, dm: u64) -> u64 {
        let d1 = dm / 100;
        if da > d1 {
            self.was_high = true;
            let (da, dm) = (da - d1, dm - d1);
            //= specs/papers/linux.md#illinois
            //# alpha = dm * 1280 / (dm + da * (1280 - 38) / 38) in 1/128
            return dm * ALPHA_MAX / (dm + da * (ALPHA_MAX - ALPHA_MIN) / ALPHA_MIN);
        }
        if self.was_high {
            self.low_rounds += 1;
            //= specs/papers/linux.md#illinois
            //# five rounds of low delay, in a row or not, bring the largest alpha back
            if self.low_rounds < THETA {
                return self.alpha;
            }
            (self.was_high, self.low_rounds) = (false, 0);
        }
        ALPHA_MAX
    }
}

/// Of such a round.
fn beta(da: u64, dm: u64) -> u64 {
    let (d2, d3) = (dm / 10, 8 * dm / 10);
    if da <= d2 {
        BETA_MIN
    } else if da >= d3 || d3 <= d2 {
        BETA_MAX
    } else {
        //= specs/papers/linux.md#illinois
        //# beta = (8 d3 - 32 d2 + 24 da) / (d3 - d2) in 1/64
        (BETA_MIN * d3 + (BETA_MAX - BETA_MIN) * da - BETA_MAX * d2) / (d3 - d2)
    }
}

impl CongestionControl for IllinoisLinux {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.acked = u64::from(linux::newly(ack, path.mss));
        self.total += self.acked;
        self.learn(ack.rtt);
        if ack.in_recovery || self.acked == 0 {
            return;
        }
        let (mut cwnd, ssthresh) = (linux::segments(self.cwnd, path.mss), linux::segments(self.ssthresh, path.mss));
        //= specs/papers/linux.md#illinois
        //# A round ends with the first ACK outside recovery beyond what had been sent when the round before ended
        if self.total > self.judged.end {
            self.end_round(cwnd, path);
        }
        if !ack.grows {
            return;
        }
        if cwnd < ssthresh {
            (cwnd, _) = linux::slow_start(cwnd, ssthresh, linux::acked(ack, true, path.mss));
        } else {
            self.count += self.acked;
            self.acked = 1;
            //= specs/papers/linux.md#illinois
            //# What was acknowledged since the window grew, times alpha: once that is a window, it adds so many
            //# segments as it is windows, and the count begins anew.
            let grown = self.count * self.judged.alpha / ALPHA;
            if grown >= u64::from(cwnd) {
                cwnd += (grown / u64::from(cwnd)) as u32;
                self.count = 0;
            }
        }
        self.cwnd = f64::from(cwnd) * path.mss;
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let cwnd = linux::segments(self.cwnd, path.mss);
        //= specs/papers/linux.md#illinois
        //# A cut takes beta of the window, rounded down, whatever the window is.
        let kept = cwnd - (u64::from(cwnd) * self.judged.beta / 64) as u32;
        self.set_windows(linux::cut(event, kept, self.windows(), path.mss));
        self.count = 0;
        if event.cause == Cause::Rto {
            (self.judged.alpha, self.judged.beta) = (ALPHA, BETA_MAX);
            (self.judged.was_high, self.judged.low_rounds) = (false, 0);
            self.begin_round(path);
        }
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("alpha_segments_per_rtt", self.judged.alpha as f64 / ALPHA as f64);
        out("beta_ratio", self.judged.beta as f64 / 64.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};

    fn at(segments: f64) -> IllinoisLinux {
        let mut illinois = IllinoisLinux::default();
        illinois.on_init(Bytes(segments * 1000.0), Bytes(2000.0), &test_path());
        illinois
    }

    #[test]
    fn alpha_by_delay() {
        // dm 100 ms, d1 1: at 50 ms 99000 * 1280 / (99000 + 49000 * 1242 / 38) = 99000 * 1280 / 1700526 = 74.5
        let mut illinois = at(20.0);
        assert_eq!(illinois.judged.alpha(50_000, 100_000), 74);
        assert_eq!(illinois.judged.alpha(100_000, 100_000), 38);
        illinois.judged.alpha = 74;
        // four low rounds with a high one between them, and the fifth
        assert_eq!([1000, 0].map(|da| illinois.judged.alpha(da, 100_000)), [74, 74]);
        illinois.judged.alpha(50_000, 100_000);
        assert_eq!([0, 0, 0].map(|da| illinois.judged.alpha(da, 100_000)), [74, 74, 1280]);
        assert_eq!(illinois.judged.alpha(0, 100_000), 1280);
    }

    #[test]
    fn beta_by_delay() {
        // (8 * 80 - 32 * 10 + 24 * 45) / 70 = 20
        assert_eq!([10_000, 45_000, 80_000].map(|da| beta(da, 100_000)), [8, 20, 32]);
        assert_eq!((beta(0, 0), beta(1, 1)), (8, 32));
    }

    #[test]
    fn the_count_begins_anew() {
        // 10 per round: 20 segments need two acknowledged ones, three make 30 of 20: one, and nothing is left
        let mut illinois = at(20.0);
        illinois.on_ack(&ack(1000.0), &test_path());
        assert_eq!(illinois.cwnd(), 20_000.0);
        illinois.on_ack(&ack(2000.0), &test_path());
        assert_eq!((illinois.cwnd(), illinois.count), (Bytes(21_000.0), 0));
        // six at once: 60 of 21, two
        illinois.on_ack(&ack(6000.0), &test_path());
        assert_eq!(illinois.cwnd(), 23_000.0);
    }

    #[test]
    fn a_round_decides_and_a_cut_takes_beta() {
        let mut illinois = at(40.0);
        // nothing is in flight, so that each ACK ends a round
        let empty = Path { flight_size: Bytes::ZERO, ..test_path() };
        let round = |ms: u64| Ack { rtt: Some(Span::from_millis(ms)), grows: false, ..ack(1000.0) };
        illinois.on_ack(&round(200), &empty);
        illinois.on_ack(&round(100), &empty);
        // no delay, of 100 ms: an eighth of 40
        assert_eq!(illinois.judged.beta, 8);
        illinois.on_congestion(&dup_acks(), &test_path());
        assert_eq!(illinois.cwnd(), 35_000.0);
        illinois.on_congestion(&rto(1), &test_path());
        assert_eq!((illinois.cwnd(), illinois.judged.alpha, illinois.judged.beta), (Bytes(1000.0), 128, 32));
        // small windows are Reno's after the next round
        let mut small = at(14.0);
        small.on_ack(&round(100), &test_path());
        assert_eq!((small.judged.alpha, small.judged.beta), (128, 32));
    }

    #[test]
    fn rounds_end_outside_recovery() {
        let flight = Path { flight_size: Bytes(10_000.0), ..test_path() };
        let heard = |ms: u64, in_recovery: bool| Ack {
            rtt: Some(Span::from_millis(ms)),
            grows: false,
            in_recovery,
            ..ack(10_000.0)
        };
        let mut illinois = at(40.0);
        illinois.on_ack(&heard(100, false), &flight); // ends a round, the next one ends beyond 20 segments
        illinois.on_ack(&heard(200, true), &flight);
        illinois.on_ack(&heard(300, true), &flight);
        assert_eq!((illinois.judged.beta, illinois.total), (BETA_MIN, 30));
        // (200 + 300 + 250) / 3 = 250, 150 ms of 200: (8 * 160 - 32 * 20 + 24 * 150) / 140 = 30
        illinois.on_ack(&heard(250, false), &flight);
        assert_eq!((illinois.judged.beta, illinois.judged.end), (30, 50));
        illinois.on_congestion(&dup_acks(), &flight);
        assert_eq!((illinois.judged.end, illinois.cwnd()), (50, Bytes(22_000.0))); // 40 * 30 / 64 = 18.75
    }
}
