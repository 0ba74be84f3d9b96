//! Vegas as Linux has it: a decision by the least RTT of the round, on the window itself.
use super::Vegas;
use crate::round_rtt::{RoundRtt, backlog_segments};
use crate::{Ack, CongestionControl};

/// Samples that a round needs to tell anything, for Linux.
const LINUX_MIN_SAMPLES: u64 = 3;

impl Vegas {
    pub(super) fn decide_linux(&mut self, ended: &RoundRtt) {
        let (Some(rtt), Some(base), true) = (ended.least(), self.base, ended.count() >= LINUX_MIN_SAMPLES) else {
            self.step = self.reno_step();
            return;
        };
        //= specs/papers/vegas.md#linux
        //# diff = cwnd * (RTT - baseRTT) / RTT, or cwnd * (RTT - baseRTT) / baseRTT in later versions
        let queued = backlog_segments(self.cwnd(), self.mss, base, rtt);
        let diff = if self.over_base { queued * rtt.secs() / base.secs() } else { queued };
        if !self.slow_start() {
            self.avoid(diff);
        } else if diff > self.gamma {
            //= specs/papers/vegas.md#linux
            //# In slow start with diff > gamma, cwnd = min(cwnd, cwnd * baseRTT / RTT + 1) and ssthresh =
            //# min(ssthresh, cwnd).
            self.cwnd = self.cwnd.min(self.cwnd - queued + 1.0).max(2.0);
            self.ssthresh = self.ssthresh.min(self.cwnd);
            self.step = 0.0;
        }
    }

    /// What an ACK that may grow the window adds.
    pub(super) fn growth_linux(&self, ack: &Ack) -> f64 {
        let step = if self.slow_start() { 1.0 } else { self.step };
        step * self.counted(ack)
    }
}
