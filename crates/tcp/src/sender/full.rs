//! What ns-2's FullTcp does otherwise than the one-way agents.
//! Source: traces of ns-2 2.35; `tests/differential/ns2-full` has its runs.

use cc::CongestionControl;
use units::Time;

use super::{Core, NS2_RECOVERY_BURST, Progress, Sender};

impl Sender {
    /// A duplicate for Tahoe, Reno or NewReno: beyond the threshold it inflates, whether or not a recovery is on.
    #[cold]
    pub(super) fn full_on_duplicate(&mut self, now: Time) {
        self.dupacks += 1;
        let threshold = self.rules.dup_threshold;
        if self.dupacks == threshold {
            if self.may_fast_retransmit() {
                self.enter_recovery(now);
                self.burst = u32::from(self.core == Core::Tahoe); // the lost segment and nothing else
            }
        } else if self.dupacks > threshold && self.core != Core::Tahoe {
            self.inflation += 1;
            self.burst = self.full_burst();
        }
    }

    /// Its NewReno repairs from the first ACK on that duplicates beyond the threshold preceded, even if they could not
    /// begin a recovery.
    #[cold]
    pub(super) fn full_progress(&self, ack: u32) -> Progress {
        match (self.dupacks >= self.rules.dup_threshold, ack >= self.recover) {
            (true, false) => Progress::Partial,
            _ if self.in_recovery => Progress::Full,
            _ => Progress::Open,
        }
    }

    /// A partial ACK: repair, and go on until all that was sent so far is acknowledged.
    #[cold]
    pub(super) fn full_on_partial(&mut self) {
        if !self.in_recovery {
            self.in_recovery = true;
            self.cc.set_cwnd(self.cc.ssthresh());
        }
        self.inflation = 0;
        self.recover = self.snd_max;
        self.guard = Some(self.snd_max);
        self.resend = Some(self.snd_una);
        self.first_partial = true;
        self.burst = NS2_RECOVERY_BURST;
    }

    /// The window of a recovery counts whole segments, at least two.
    pub(super) fn full_floor_window(&mut self) {
        let whole = f64::from(self.cwnd() as u32).max(2.0);
        self.cc.set_cwnd(whole * self.path.mss);
    }

    /// Something new is acknowledged outside a recovery. If duplicates reached the threshold before, the window with what
    /// they added to it comes down to ssthresh.
    #[cold]
    pub(super) fn full_settle(&mut self) {
        if self.dupacks >= self.rules.dup_threshold && matches!(self.core, Core::Reno | Core::NewReno) {
            let inflated = self.cwnd() + f64::from(self.inflation);
            self.cc.set_cwnd(inflated.min(self.ssthresh_segments()) * self.path.mss);
            self.inflation = 0;
        }
        self.burst = self.rules.max_burst;
    }

    /// Its NewReno allows the next fast retransmit once a recovery is over.
    #[cold]
    pub(super) fn full_forget_guard(&mut self) {
        if self.core == Core::NewReno {
            self.guard = None;
        }
    }

    /// Its NewReno sends no more than two new segments at a time from the first partial ACK of a recovery on, while duplicates
    /// beyond the threshold count.
    #[cold]
    pub(super) fn full_burst(&self) -> u32 {
        let slow = self.first_partial && self.dupacks >= self.rules.dup_threshold;
        if self.core == Core::NewReno && slow { NS2_RECOVERY_BURST } else { self.rules.max_burst }
    }
}
