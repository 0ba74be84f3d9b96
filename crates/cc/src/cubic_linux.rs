//! CUBIC as Linux computes it: in whole segments and milliseconds, with the growth as so many acknowledged segments per
//! segment of window.
//! Source: Linux 6.1, restated in specs/papers/linux.md; RFC 9438 has the ideas.
use units::{Bytes, Span, Time, num};

use crate::hystart::HyStart;
use crate::linux::{self, Count};
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    a clock of 1 ms; the cube root begins by rule, Linux's by a table; a pause is over when the first segment after it is \
    acknowledged; a cut starts from the window whatever the profile halves.";

const BETA: u32 = 717; // 1/1024
const C: u64 = 410; // segments/s^3, 1/1024
const RENO: u32 = 15; // segments acknowledged per segment of Reno's window, 1/8 of the window
const UNCHANGED_MS: u64 = 31;
const FIRST_PER: u32 = 20;
const LEAST_PER: u32 = 2;

/// State of Linux's CUBIC.
#[derive(Clone, Debug, PartialEq)]
pub struct CubicLinux {
    cwnd: Bytes,
    ssthresh: Bytes,
    fast_convergence: bool,
    friendly: bool,
    /// Window at the last loss, perhaps lowered; zero if there was none.
    w_max: u32,
    epoch: Option<Epoch>,
    count: Count,
    /// Least RTT since the start or the last timeout; zero if there is none.
    least: Span,
    /// When the last segment left before a pause, if there is one.
    pause: Option<Time>,
    hystart: HyStart,
}

/// Congestion avoidance since the last cut.
#[derive(Clone, Debug, PartialEq)]
struct Epoch {
    start: u64,  // ms
    k: u64,      // 1/1024 s
    origin: u32, // the window at `k`
    per: u32,
    /// When that was computed, ms, and for which window.
    computed: u64,
    window: u32,
    /// What Reno would have reached, and segments acknowledged since it last grew.
    reno: u32,
    acked: u32,
}

impl Epoch {
    fn new(now: u64, cwnd: u32, w_max: u32) -> Epoch {
        //= specs/papers/linux.md#cubic
        //# K = cbrt((Wmax - cwnd) * floor(2^40 / 410)) in 1/1024 s, and 0 with Wmax = cwnd if the window is not below
        //# Wmax
        let k = cube_root(((1 << 40) / C) * u64::from(w_max.saturating_sub(cwnd)));
        let origin = w_max.max(cwnd);
        Epoch { start: now, k, origin, per: 0, computed: now, window: cwnd, reno: cwnd, acked: 0 }
    }

    /// The window that the curve gives at `t` milliseconds.
    fn target(&self, t: u64) -> u32 {
        let t = t * 1024 / 1000;
        let away = u128::from(t.abs_diff(self.k));
        //= specs/papers/linux.md#cubic
        //# target = Wmax -+ (410 * |t - K|^3) / 2^40, rounded down, with t in 1/1024 s
        let cube = u32::try_from((u128::from(C) * away * away * away) >> 40).unwrap_or(u32::MAX);
        if t < self.k { self.origin.saturating_sub(cube) } else { self.origin.saturating_add(cube) }
    }

    /// Acknowledged segments per segment of the window, by the curve.
    fn by_curve(&self, cwnd: u32, t: u64, first: bool) -> u32 {
        //= specs/papers/linux.md#cubic
        //# per = cwnd / (target - cwnd), and 100 * cwnd if the target is not above the window
        let target = self.target(t);
        let per = if target > cwnd { cwnd / (target - cwnd) } else { cwnd.saturating_mul(100) };
        //= specs/papers/linux.md#cubic
        //# before any loss, at most 20
        if first { per.min(FIRST_PER) } else { per }
    }

    /// The same, no slower than Reno.
    fn by_reno(&mut self, cwnd: u32, per: u32) -> u32 {
        //= specs/papers/linux.md#cubic
        //# Reno's window grows by one for each 15/8 * cwnd acknowledged segments
        let needed = scaled(cwnd, RENO, 8);
        let grown = self.acked.saturating_sub(1) / needed;
        self.acked -= grown * needed;
        self.reno += grown;
        match self.reno.checked_sub(cwnd) {
            None | Some(0) => per,
            Some(ahead) => per.min(cwnd / ahead),
        }
    }
}

fn ms(now: Time) -> u64 {
    now.0 / 1_000_000
}

impl CubicLinux {
    /// Parameters `cubic_fast_convergence`, `cubic_friendly`, `hystart`.
    pub fn new(config: &Config) -> CubicLinux {
        CubicLinux {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            fast_convergence: config.flag("cubic_fast_convergence"),
            friendly: config.flag("cubic_friendly"),
            w_max: 0,
            epoch: None,
            count: Count::default(),
            least: Span::ZERO,
            pause: None,
            hystart: HyStart::new(config.choice("hystart")),
        }
    }

    /// How many acknowledged segments add one to the window now.
    fn per(&mut self, now: u64, cwnd: u32, acked: u32) -> u32 {
        let least = self.least.0.div_ceil(1_000_000);
        let (begins, first) = (self.epoch.is_none(), self.w_max == 0);
        let epoch = self.epoch.get_or_insert_with(|| Epoch::new(now, cwnd, self.w_max));
        epoch.acked += acked;
        //= specs/papers/linux.md#cubic
        //# It is computed at most once per millisecond, and while the window is the same every 32nd of a second.
        if !begins && epoch.window == cwnd && now.saturating_sub(epoch.computed) <= UNCHANGED_MS {
            return epoch.per;
        }
        let mut per = epoch.per;
        if begins || epoch.computed != now {
            (epoch.computed, epoch.window) = (now, cwnd);
            per = epoch.by_curve(cwnd, now.saturating_sub(epoch.start) + least, first);
        }
        if self.friendly {
            per = epoch.by_reno(cwnd, per);
        }
        epoch.per = per.max(LEAST_PER);
        epoch.per
    }

    /// A pause does not count: the epoch begins later by so much.
    fn skip_pause(&mut self, ack: &Ack, path: &Path) {
        let sent = Time(ack.now.0.saturating_sub(path.rtt.0));
        if let (Some(last), true) = (self.pause, ack.newly_acked > 0.0) {
            self.pause = None;
            if let Some(epoch) = &mut self.epoch {
                //= specs/papers/linux.md#cubic
                //# when nothing was in flight, the epoch's start moves by the time from the last segment to the next
                epoch.start = (epoch.start + sent.0.saturating_sub(last.0) / 1_000_000).min(ms(ack.now));
            }
        }
        if path.flight_size <= 0.0 {
            self.pause.get_or_insert(sent);
        }
    }

    fn note_delay(&mut self, ack: &Ack) {
        //= specs/papers/linux.md#cubic
        //# delays of the first second of an epoch do not count
        let young = self.epoch.as_ref().is_some_and(|epoch| ms(ack.now) < epoch.start + 1000);
        if let (Some(rtt), false) = (ack.rtt, young) {
            self.least = if self.least == Span::ZERO { rtt } else { self.least.min(rtt) };
        }
    }
}

impl CongestionControl for CubicLinux {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.skip_pause(ack, path);
        self.note_delay(ack);
        if self.cwnd < self.ssthresh && self.hystart.ends_before(ack, self.cwnd, self.least, path) {
            self.ssthresh = self.cwnd;
        }
        let (mut cwnd, ssthresh) = (linux::segments(self.cwnd, path.mss), linux::segments(self.ssthresh, path.mss));
        let slow = cwnd < ssthresh;
        if ack.grows {
            let acked = linux::acked(ack, slow, path.mss);
            let acked = if slow { self.hystart.whole(acked) } else { acked };
            let (grown, rest) = linux::slow_start(cwnd, ssthresh, acked);
            cwnd = grown;
            if rest > 0 {
                let per = self.per(ms(ack.now), cwnd, rest);
                cwnd = self.count.grow(cwnd, per, rest);
            }
            self.cwnd = f64::from(cwnd) * path.mss;
        }
        if slow && self.hystart.ends_after(ack) {
            self.ssthresh = self.cwnd;
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let cwnd = linux::segments(self.cwnd, path.mss);
        //= specs/papers/linux.md#cubic
        //# Wmax = cwnd * (1024 + 717) / 2048 if the window is below Wmax (fast convergence), else cwnd
        let lowered = self.fast_convergence && cwnd < self.w_max;
        self.w_max = if lowered { scaled(cwnd, 1024 + BETA, 2048) } else { cwnd };
        (self.epoch, self.count) = (None, Count::default());
        self.hystart.on_congestion(event.cause);
        if event.cause == Cause::Rto {
            //= specs/papers/linux.md#cubic
            //# A timeout forgets Wmax and the least RTT
            (self.w_max, self.least) = (0, Span::ZERO);
        }
        //= specs/papers/linux.md#cuts
        //# CUBIC keeps 717/1024, rounded down
        let kept = scaled(cwnd, BETA, 1024);
        self.set_windows(linux::cut(event, kept, self.windows(), path.mss));
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        let epoch = self.epoch.as_ref();
        out("w_max_segments", f64::from(self.w_max));
        out("k_s", epoch.map_or(0.0, |epoch| epoch.k as f64 / 1024.0));
        out("w_est_segments", epoch.map_or(0.0, |epoch| f64::from(epoch.reno)));
    }
}

/// A cube root, with the small error of Linux's: it decides by milliseconds when the window grows.
fn cube_root(a: u64) -> u64 {
    if a < 64 {
        return num::floor(num::cbrt(a as f64)) as u64;
    }
    let bits = 64 - a.leading_zeros();
    let third = ((bits * 84) >> 8) - 1;
    //= specs/papers/linux.md#cubic
    //# one step of Newton's method, x' = (2 x + a / (x (x - 1))) * 341 / 1024 in whole numbers, from an x of 66.8 *
    //# cbrt(m) in 1/64, where m is the leading four to six bits of `a`; 0.25 more where m has four bits, 0.75 less
    //# where it has five, 1.5 less where it has six, and 2 more where it is 15; rounded down
    let m = a >> (3 * third);
    let more = match m {
        15 => 2.25,
        ..16 => 0.25,
        16..32 => -0.75,
        _ => -1.5,
    };
    let x = ((num::floor(66.8 * num::cbrt(m as f64) + more) as u64) << third) >> 6;
    ((2 * x + a / (x * (x - 1))) * 341) >> 10
}

fn scaled(cwnd: u32, by: u32, over: u32) -> u32 {
    (u64::from(cwnd) * u64::from(by) / u64::from(over)) as u32
}

#[cfg(test)]
mod tests;
