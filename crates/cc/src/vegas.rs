//! TCP Vegas: hold between alpha and beta segments in the queue.
//! Source: Brakmo and Peterson, IEEE JSAC 13(8), 1995, restated in specs/papers/vegas.md.
mod linux;
mod ns2;
/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    the window's side only, its fine-grained timeouts are the recovery core's; slow start grows in every second \
    round (`vegas_ss`); windows are summed in segments, as in ns-2: whether the steps of a round reach the next \
    whole segment, or miss it by a rounding error, decides when it leaves; what a decision adds per ACK goes on \
    after a cut or timeout until the next one, as in ns-2, but a step of slow start does not outlive it; a mark \
    halves. `vegas_impl = linux` decides by the least RTT of the round, at once and by a whole segment, doubles in \
    every round and halves at a loss; after a recovery it waits for a whole round; it is meant for the SACK or NewReno core.";

#[cfg(test)]
mod tests;

use units::{Bytes, Span, Time, num};

use crate::round_rtt::RoundRtt;
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, RecoveryExit, Response, Windows};

/// State of Vegas.
#[derive(Clone, Debug, PartialEq)]
pub struct Vegas {
    mss: Bytes,
    cwnd: f64, // segments, as everything below but times
    ssthresh: f64,
    alpha: f64,
    beta: f64,
    gamma: f64,
    linux: bool,
    over_base: bool, // later Linux: the backlog is measured against the base RTT
    every_second_ack: bool,
    base: Option<Span>, // baseRTT
    round: RoundRtt,
    grow: bool, // slow start: the round, or the ACK, is one that grows
    step: f64,  // added per ACK, or segment that it counts for, until the next decision
    /// Linux: segments that Reno has counted, and whether a whole round has begun since the last recovery.
    acked: f64,
    begun: bool,
    cut_at: Option<Time>,
    after: Option<f64>, // W of the last cut, to go on with after a recovery
}

impl Vegas {
    /// Parameters `vegas_alpha`, `vegas_beta`, `vegas_gamma`, `vegas_impl`, `vegas_ss`, `vegas_diff`.
    pub fn new(config: &Config) -> Vegas {
        Vegas {
            linux: config.choice("vegas_impl") == "linux",
            over_base: config.choice("vegas_diff") == "over_base",
            every_second_ack: config.choice("vegas_ss") == "alt_ack",
            ..Vegas::linux(config)
        }
    }

    /// As Linux since 5.x has it: parameters `vegas_alpha`, `vegas_beta`, `vegas_gamma`.
    pub fn linux(config: &Config) -> Vegas {
        Vegas {
            mss: Bytes::ZERO,
            cwnd: 0.0,
            ssthresh: 0.0,
            alpha: config.number("vegas_alpha"),
            beta: config.number("vegas_beta"),
            gamma: config.number("vegas_gamma"),
            linux: true,
            over_base: true,
            every_second_ack: false,
            base: None,
            round: RoundRtt::default(),
            grow: false,
            step: 0.0,
            acked: 0.0,
            begun: true,
            cut_at: None,
            after: None,
        }
    }

    /// A delay sample: it counts for the round that goes on, and perhaps for the base.
    fn learn(&mut self, sample: Option<Span>) {
        self.round.add(sample);
        if let Some(rtt) = sample {
            self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        }
    }

    fn slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// One segment per round in congestion avoidance, from today's window.
    fn reno_step(&self) -> f64 {
        1.0 / self.cwnd
    }

    /// Segments that an ACK counts for.
    fn counted(&self, ack: &Ack) -> f64 {
        (if self.slow_start() { ack.slow_start } else { ack.avoidance }).over(self.mss)
    }

    fn avoid(&mut self, diff: f64) {
        self.step = 0.0;
        //= specs/papers/vegas.md#congestion-avoidance
        //# If diff < alpha then inc = 1 / cwnd; if diff > beta then cwnd = max(cwnd - 1, 2).
        if diff < self.alpha {
            self.step = self.reno_step();
        } else if diff > self.beta {
            self.cwnd = (self.cwnd - 1.0).max(2.0);
        }
    }

    fn halve(&mut self, event: &Congestion, path: &Path) -> Response {
        let half = event.keep(0.5);
        if !event.hold_ssthresh {
            self.ssthresh = half.ssthresh.over(path.mss);
        }
        self.cwnd = half.cwnd.over(path.mss);
        if self.linux {
            //= specs/papers/vegas.md#linux
            //# Windows are whole segments: half of one is rounded down.
            (self.cwnd, self.ssthresh) = (num::floor(self.cwnd + 1e-9), num::floor(self.ssthresh + 1e-9));
        }
        self.acked = 0.0;
        Response::Reduced
    }

    fn on_timeout(&mut self, event: &Congestion, path: &Path) -> Response {
        self.halve(event, path);
        //= specs/papers/vegas.md#timeout
        //# ssthresh = W / 2, cwnd = 2
        self.cwnd = if self.linux { 1.0 } else { 2.0 };
        self.cut_at = Some(event.now);
        self.after = None;
        Response::Reduced
    }
}

impl CongestionControl for Vegas {
    fn on_init(&mut self, cwnd: Bytes, ssthresh: Bytes, path: &Path) {
        self.mss = path.mss;
        self.set_windows(Windows { cwnd, ssthresh });
    }

    fn set_cwnd(&mut self, cwnd: Bytes) {
        self.cwnd = cwnd.over(self.mss);
    }

    #[inline]
    fn windows(&self) -> Windows {
        Windows { cwnd: self.cwnd * self.mss, ssthresh: self.ssthresh * self.mss }
    }

    fn set_windows(&mut self, windows: Windows) {
        self.cwnd = windows.cwnd.over(self.mss);
        self.ssthresh = windows.ssthresh.over(self.mss);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        if self.linux {
            return self.on_ack_linux(ack);
        }
        if let Some(round) = &ack.round {
            let ended = self.round.take();
            let diff = self.difference(&ended, round, path);
            if !ack.in_recovery {
                self.decide(diff);
            }
        }
        self.learn(ack.rtt); // ns-2 counts the sample of the ACK that ends a round for the next one
        if ack.grows {
            self.cwnd += self.growth(ack, path);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        match event.cause {
            Cause::Rto => self.on_timeout(event, path),
            Cause::DupAcks if !self.linux => self.on_dup_acks(event, path),
            Cause::DupAcks | Cause::EcnMark => self.halve(event, path),
        }
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit, path: &Path) {
        let left = exit.window.over(path.mss);
        if exit.inflated {
            self.cwnd = left;
        } else if left == 0.0 {
            (self.cwnd, self.ssthresh) = (0.0, 2.0); // ns-2 after a timeout: the next one opens it again
        } else if let Some(window) = self.after {
            //= specs/papers/vegas.md#cut
            //# Recovery ends with cwnd = W and ssthresh = 2.
            (self.cwnd, self.ssthresh) = (window, 2.0);
        } else {
            self.cwnd = left;
        }
        if self.linux {
            (self.round, self.begun) = (RoundRtt::default(), false);
        }
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("base_rtt_s", self.base.unwrap_or_default().secs());
        out("step_bytes", self.step * self.mss.0);
    }
}
