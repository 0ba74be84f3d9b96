//! Vegas' recovery: a fine-grained timeout checked on duplicate ACKs and on the first ACKs after a retransmission.
//! Source: Brakmo and Peterson, JSAC 13(8), 1995; constants as in ns-2's agent; restated in specs/papers/vegas.md.

use cc::Response;
use units::{Span, Time};

use super::{Progress, RecoveryCore};
use crate::sender::Tcb;

/// State of Vegas' recovery.
#[derive(Clone, Debug)]
pub(crate) struct Vegas {
    fine: FineTimer,
    /// New ACKs that still check it.
    worried: u32,
    /// The window was cut since the timer last expired: there is one to go on with after a recovery.
    has_target: bool,
    /// As ns-2's agent does it.
    as_ns2: bool,
    /// The window of a recovery counts whole segments, as in ns-2's FullTcp.
    whole_window: bool,
}

/// The fine-grained timeout.
#[derive(Clone, Debug, Default)]
struct FineTimer {
    srtt: f64,
    mdev: f64,
    /// Timeout, seconds; zero before the first sample.
    timeout: f64,
}

impl FineTimer {
    /// The RTT of the SYN starts the estimate.
    fn open(&mut self, r: f64) {
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

impl Vegas {
    pub(super) fn new(as_ns2: bool, whole_window: bool) -> Vegas {
        Vegas { fine: FineTimer::default(), worried: 0, has_target: false, as_ns2, whole_window }
    }

    fn is_overdue(&self, tcb: &Tcb, now: Time) -> bool {
        tcb.snd_una < tcb.snd_max
            && self.fine.timeout > 0.0
            && now.since(tcb.board.get(tcb.snd_una).at).secs() >= self.fine.timeout
    }

    /// Look once more at the next segment after a retransmission.
    fn look_again(&mut self, tcb: &mut Tcb, now: Time) {
        //= specs/papers/vegas.md#fine-grained-timeout
        //# The first two new ACKs after that look at the oldest segment once more, and repair it without another cut
        //# if it is overdue; the first that finds it in time is the last that looks.
        self.worried -= 1;
        // ns-2 takes a segment that was never sent for overdue; it leaves once more in its turn
        let unsent = self.as_ns2 && tcb.snd_una == tcb.snd_max && tcb.has_new_data();
        if unsent || self.is_overdue(tcb, now) {
            // one more hole: repair it without asking for another cut; duplicates inflate from here on
            tcb.resend = Some(tcb.snd_una);
            tcb.dupacks = tcb.rules.dup_threshold;
            tcb.in_recovery = true;
        } else {
            self.worried = 0;
        }
    }

    /// Retransmit, and ask the algorithm for a cut.
    fn repair(&mut self, tcb: &mut Tcb, now: Time) {
        let times = tcb.board.get(tcb.snd_una).times;
        self.worried = (tcb.snd_nxt - tcb.snd_una).min(2);
        //= specs/papers/vegas.md#fine-grained-timeout
        //# Each time v_to grows by an eighth, and doubles if the segment had been sent again before.
        self.fine.timeout *= if times > 1 { 2.0 } else { 9.0 / 8.0 };
        let inflation = tcb.inflation;
        let response = tcb.enter_recovery(now, |tcb, response| {
            if self.whole_window && response == Response::Reduced {
                tcb.floor_window();
            }
            tcb.repair_with(0);
        });
        let cut = response.is_cut();
        tcb.inflation = if cut { tcb.dupacks as i32 } else { inflation };
        self.has_target |= cut;
        tcb.dupacks = tcb.dupacks.max(tcb.rules.dup_threshold);
        tcb.back_off(now);
    }

    /// The recovery is over.
    #[inline(never)]
    fn leave(&mut self, tcb: &mut Tcb, now: Time) {
        // ns-2's agent deflates only if duplicates came beyond the threshold
        let inflated = self.as_ns2 && tcb.dupacks <= tcb.rules.dup_threshold;
        let window = if inflated {
            tcb.cwnd() + f64::from(tcb.inflation)
        } else if tcb.rules.may_shut && !self.has_target {
            0.0 // no cut since the timer expired, so there is no window to go on with
        } else {
            tcb.cwnd()
        };
        tcb.leave_recovery(now, window, inflated);
    }
}

impl RecoveryCore for Vegas {
    /// The RTT of the SYN starts the estimate.
    fn on_open(&mut self, rtt: Span) {
        self.fine.open(rtt.secs());
    }

    #[inline(always)]
    fn on_advance(&mut self, tcb: &mut Tcb, now: Time, progress: Progress, _newly: u32) -> bool {
        if progress == Progress::Open {
            tcb.dupacks = 0;
        } else {
            self.leave(tcb, now);
        }
        true
    }

    /// Learn the delay, and look once more at the next segment if a retransmission was just made.
    #[inline(never)]
    fn after_advance(&mut self, tcb: &mut Tcb, now: Time, _newly: u32, _news: bool, delay: Option<Span>) {
        if let Some(r) = delay {
            self.fine.sample(r.secs());
        }
        if self.worried > 0 {
            self.look_again(tcb, now);
        }
    }

    /// Retransmit if the fine timeout has passed or the threshold is reached, inflate beyond it.
    #[inline(never)]
    fn on_duplicate(&mut self, tcb: &mut Tcb, now: Time, _news: bool) {
        tcb.dupacks += 1;
        let threshold = tcb.rules.dup_threshold;
        if self.is_overdue(tcb, now) || tcb.dupacks == threshold {
            if tcb.may_fast_retransmit() || tcb.last_cut_by_dupacks {
                self.repair(tcb, now);
            }
        } else if tcb.dupacks > threshold {
            tcb.inflation += 1;
        } else {
            tcb.burst = 0;
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb, _now: Time) {
        self.has_target = false;
        tcb.dupacks = 0;
    }
}
