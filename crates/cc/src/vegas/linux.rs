//! Vegas as Linux has it: a decision by the least RTT of the round, on the window itself.
use core::mem::replace;

use units::num;

use super::Vegas;
use crate::round_rtt::{RoundRtt, backlog_segments};
use crate::{Ack, CongestionControl};

/// Samples that a round needs to tell anything, for Linux.
const LINUX_MIN_SAMPLES: u64 = 3;

impl Vegas {
    /// An ACK, in Linux: it decides if it ends a round, and otherwise adds to the window in slow start only.
    pub(super) fn on_ack_linux(&mut self, ack: &Ack) {
        self.learn(ack.rtt);
        if ack.round.is_some() {
            let (ended, begun) = (self.round.take(), replace(&mut self.begun, true));
            if begun && !ack.in_recovery {
                return self.decide_linux(&ended, ack);
            }
        }
        if self.slow_start() {
            self.slow_start_linux(ack);
        }
    }

    fn slow_start_linux(&mut self, ack: &Ack) {
        if ack.grows {
            self.cwnd = (self.cwnd + self.counted(ack)).min(self.ssthresh);
        }
    }

    fn decide_linux(&mut self, ended: &RoundRtt, ack: &Ack) {
        let (Some(rtt), Some(base), true) = (ended.least(), self.base, ended.count() >= LINUX_MIN_SAMPLES) else {
            return self.grow_as_reno(ack);
        };
        //= specs/papers/vegas.md#linux
        //# diff = cwnd * (RTT - baseRTT) / RTT, or cwnd * (RTT - baseRTT) / baseRTT in later versions
        let queued = backlog_segments(self.cwnd(), self.mss, base, rtt);
        let diff = if self.over_base { num::floor(queued * rtt.secs() / base.secs() + 1e-9) } else { queued };
        if !self.slow_start() {
            //= specs/papers/vegas.md#linux
            //# it adds or takes one segment at once
            if diff > self.beta {
                self.cwnd = (self.cwnd - 1.0).max(2.0);
                self.ssthresh = self.ssthresh.min(self.cwnd);
            } else if diff < self.alpha {
                self.cwnd += 1.0;
            }
        } else if diff > self.gamma {
            //= specs/papers/vegas.md#linux
            //# In slow start with diff > gamma, cwnd = min(cwnd, cwnd * baseRTT / RTT + 1), rounded down, and ssthresh
            //# = min(ssthresh, cwnd).
            self.cwnd = self.cwnd.min(num::floor(self.cwnd - queued + 1e-9) + 1.0).max(2.0);
            self.ssthresh = self.ssthresh.min(self.cwnd);
        } else {
            self.slow_start_linux(ack);
        }
        self.cwnd = self.cwnd.max(2.0);
        //= specs/papers/vegas.md#linux
        //# After each decision ssthresh is at least half and a quarter of the window, each rounded down.
        let least = num::floor(self.cwnd / 2.0) + num::floor(self.cwnd / 4.0);
        self.ssthresh = self.ssthresh.max(least);
    }

    /// What the ACK at hand adds as Reno's.
    fn grow_as_reno(&mut self, ack: &Ack) {
        if self.slow_start() {
            self.slow_start_linux(ack);
        } else if ack.grows {
            self.acked += self.counted(ack);
            if self.acked >= self.cwnd {
                self.acked -= self.cwnd;
                self.cwnd += 1.0;
            }
        }
    }
}
