//! Vegas' recovery: a fine-grained timeout checked on duplicate ACKs and on the first ACKs after a retransmission.
//! Source: Brakmo and Peterson, JSAC 13(8), 1995; constants as in ns-2's agent; restated in specs/papers/vegas.md.

use cc::CongestionControl;
use units::{Span, Time};

use crate::sender::Sender;

/// The fine-grained timeout.
#[derive(Clone, Debug, Default)]
pub(crate) struct FineTimer {
    srtt: f64,
    mdev: f64,
    /// Timeout, seconds; zero before the first sample.
    timeout: f64,
    /// New ACKs that still check it.
    worried: u32,
    /// The window was cut since the timer last expired: there is one to go on with after a recovery.
    pub(crate) has_target: bool,
}

impl FineTimer {
    /// The RTT of the SYN starts the estimate.
    pub(crate) fn open(&mut self, r: f64) {
        self.srtt = r;
        self.mdev = r / 4.0;
        self.timeout = self.srtt + 2.0 * self.mdev;
    }

    fn sample(&mut self, r: f64) {
        if self.timeout == 0.0 {
            self.open(r); // the SYN was lost and gave none
            return;
        }
        let error = r - self.srtt;
        self.srtt += error / 8.0;
        self.mdev += (error.abs() - self.mdev) / 4.0;
        //= specs/papers/vegas.md#fine-grained-timeout
        //# v_to = 17/16 * (srtt + 2 * mdev)
        self.timeout = 17.0 / 16.0 * (self.srtt + 2.0 * self.mdev);
    }
}

impl Sender {
    /// Whether ns-2's agent deflates at the end of this recovery: only if duplicates came beyond the threshold.
    pub(crate) fn vegas_deflates(&self) -> bool {
        !self.rules.ns2 || self.dupacks > self.rules.dup_threshold
    }

    /// ns-2's Vegas without a window: nothing leaves until the timer expires, which runs even if nothing is outstanding.
    #[inline(always)]
    pub(crate) fn is_shut(&self) -> bool {
        self.rules.ns2_vegas && self.vegas_is_shut()
    }

    #[inline(never)]
    fn vegas_is_shut(&self) -> bool {
        self.inflation == 0 && self.cc.cwnd() < self.path.mss && self.has_new_data()
    }

    fn fine_timeout_passed(&self, now: Time) -> bool {
        self.snd_una < self.snd_max
            && self.fine.timeout > 0.0
            && now.since(self.board.get(self.snd_una).at).secs() >= self.fine.timeout
    }

    /// A new ACK: learn its delay, and look once more at the next segment if a retransmission was just made.
    #[inline(never)]
    pub(crate) fn vegas_on_new_ack(&mut self, now: Time, delay: Option<Span>) {
        if let Some(r) = delay {
            self.fine.sample(r.secs());
        }
        if self.fine.worried > 0 {
            //= specs/papers/vegas.md#fine-grained-timeout
            //# The first two new ACKs after that look at the oldest segment once more, and repair it without another cut if it is
            //# overdue; the first that finds it in time is the last that looks.
            self.fine.worried -= 1;
            // ns-2 takes a segment that was never sent for overdue; it leaves once more in its turn
            let unsent = self.rules.ns2 && self.snd_una == self.snd_max && self.has_new_data();
            if unsent || self.fine_timeout_passed(now) {
                // one more hole: repair it without asking for another cut; duplicates inflate from here on
                self.resend = Some(self.snd_una);
                self.dupacks = self.rules.dup_threshold;
                self.in_recovery = true;
            } else {
                self.fine.worried = 0;
            }
        }
    }

    /// A duplicate: retransmit if the fine timeout has passed or the threshold is reached, inflate beyond it.
    #[inline(never)]
    pub(crate) fn vegas_on_duplicate(&mut self, now: Time) {
        self.dupacks += 1;
        let threshold = self.rules.dup_threshold;
        if self.fine_timeout_passed(now) || self.dupacks == threshold {
            if !(self.may_fast_retransmit() || self.last_cut_by_dupacks) {
                return;
            }
            let times = self.board.get(self.snd_una).times;
            self.fine.worried = (self.snd_nxt - self.snd_una).min(2);
            //= specs/papers/vegas.md#fine-grained-timeout
            //# Each time v_to grows by an eighth, and doubles if the segment had been sent again before.
            self.fine.timeout *= if times > 1 { 2.0 } else { 9.0 / 8.0 };
            let inflation = self.inflation;
            let cut = self.enter_recovery(now).is_cut();
            self.inflation = if cut { self.dupacks as i32 } else { inflation };
            self.fine.has_target |= cut;
            self.dupacks = self.dupacks.max(threshold);
            self.back_off(now);
        } else if self.dupacks > threshold {
            self.inflation += 1;
        } else {
            self.burst = 0;
        }
    }
}
