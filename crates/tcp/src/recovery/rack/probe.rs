//! The timers of RACK-TLP: the one that sender has waits for a probe, for the end of reordering, or for a
//! retransmission, whichever comes first (RFC 8985 sections 6.3, 7 and 8).

use units::{Span, Time};

use super::board::{Arrivals, age_of_oldest};
use super::{Loss, Rack};
use crate::sender::{Pending, Tcb};

/// The longest that a receiver may wait with an ACK.
const ACK_DELAY: Span = Span::from_millis(200);

/// A tail loss probe that is on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// One past the highest segment sent then.
    pub(super) end: u32,
    /// It was a segment sent before.
    pub(super) again: bool,
    /// That has arrived twice.
    pub(super) came_twice: bool,
    /// It has not left yet.
    pub(super) is_leaving: bool,
}

impl Rack {
    /// How long until a probe, with so many segments outstanding (RFC 8985 section 7.2).
    fn probe_timeout(&self, tcb: &Tcb, outstanding: u32) -> Span {
        let srtt = tcb.path.srtt;
        if srtt == Span::ZERO {
            return tcb.rtt.rto();
        }
        srtt + srtt + if outstanding == 1 { ACK_DELAY.max(tcb.rules.wheel.slack()) } else { tcb.rules.wheel.slack() }
    }

    /// No loss is known of, so that the last segments may be probed for. While a probe is on its way there is no
    /// second one: what an application goes on writing must not put the retransmission timer off. Linux asks again at
    /// the time.
    #[inline]
    fn may_probe(&self, tcb: &Tcb) -> bool {
        let calm = !tcb.in_recovery && self.loss == Loss::No && self.board.sacked() == 0;
        self.probes && calm && (self.as_linux || self.probe.is_none())
    }

    /// An ACK was taken into account: set the timer. `wait`: for reordering.
    #[inline(always)]
    pub(super) fn set_timer(&mut self, tcb: &mut Tcb, now: Time, advanced: bool, wait: Span) {
        let outstanding = tcb.snd_max - tcb.snd_una;
        if wait > Span::ZERO {
            let span = (wait + tcb.rules.wheel.slack()).min(tcb.rtt.rto());
            return tcb.arm(now, span, Pending::Reordering);
        }
        // what left after the oldest segment did and was SACKed tells that this one is late: the timer goes on
        let goes_on = !advanced && (outstanding == 0 || !self.arrivals.sacked_before(tcb.board.get(tcb.snd_una).at));
        if goes_on {
            return;
        }
        if outstanding == 0 {
            (tcb.rto_at, tcb.pending) = (Time::NEVER, Pending::Retransmission);
            if tcb.is_shut() {
                tcb.restart_timer(now);
            }
        } else if self.may_probe(tcb) {
            let span = self.probe_timeout(tcb, outstanding).min(tcb.rtt.rto());
            tcb.arm(now, span, Pending::Probe);
        } else {
            tcb.restart_timer(now);
        }
    }

    /// New data are about to leave.
    #[inline(always)]
    pub(super) fn set_timer_for_new_data(&mut self, tcb: &mut Tcb, now: Time) {
        let outstanding = tcb.snd_max - tcb.snd_una;
        if self.may_probe(tcb) {
            let rto = tcb.rtt.rto();
            let left = if outstanding == 0 { rto } else { Span(rto.0.saturating_sub(age_of_oldest(tcb, now).0)) };
            let timeout = self.probe_timeout(tcb, outstanding + 1);
            tcb.arm(now, if left > Span::ZERO { timeout.min(left) } else { timeout }, Pending::Probe);
        } else if tcb.pending == Pending::Probe {
            self.wait_for_oldest(tcb, now);
        }
    }

    /// The retransmission timer again: anew (RFC 8985 section 7.3), or, as in Linux, from when the oldest segment left.
    /// The latter may be over at once where an RTT is about as long as the timeout.
    fn wait_for_oldest(&self, tcb: &mut Tcb, now: Time) {
        if !self.as_linux {
            return tcb.restart_timer(now);
        }
        let rto = tcb.rtt.rto();
        let age = if tcb.snd_una < tcb.snd_max { age_of_oldest(tcb, now) } else { Span::ZERO };
        tcb.arm(now, Span(rto.0.saturating_sub(age.0).max(1)), Pending::Retransmission);
    }

    /// No ACK came: send new data if there are any, or else the last segment again (RFC 8985 section 7.3).
    pub(super) fn send_probe(&mut self, tcb: &mut Tcb, now: Time) {
        let last = (tcb.snd_una..tcb.snd_max).rev().find(|&n| !tcb.board.get(n).sacked);
        let number = if tcb.has_new_data() { Some(tcb.snd_max) } else { last };
        let Some(number) = number.filter(|_| self.probe.is_none() && tcb.rwnd > 0) else {
            return self.wait_for_oldest(tcb, now);
        };
        let again = number < tcb.snd_max;
        let end = tcb.snd_max + u32::from(!again);
        self.probe = Some(Probe { end, again, came_twice: false, is_leaving: again });
        tcb.resend = Some(number);
        tcb.stats.tail_probes += 1;
        tcb.restart_timer(now);
    }

    /// An ACK while a probe is on its way (RFC 8985 section 7.4). If the probe repaired a loss, the window pays for it.
    #[inline(never)]
    pub(super) fn end_probe(&mut self, tcb: &mut Tcb, now: Time, advanced: bool) {
        let Some(probe) = self.probe.filter(|probe| tcb.snd_una >= probe.end) else { return };
        if !probe.again || probe.came_twice {
            self.probe = None;
        } else if tcb.snd_una > probe.end {
            self.probe = None;
            if !tcb.in_recovery {
                tcb.pay_for_repaired_loss(now);
            }
        } else if !advanced && self.arrivals.delivered == 0 {
            self.probe = None;
        }
    }

    /// What was overtaken has had its time.
    pub(super) fn end_wait(&mut self, tcb: &mut Tcb, now: Time) {
        let found = self.detection.detect(&mut self.board, tcb, now, tcb.in_recovery || self.loss != Loss::No);
        self.lost_untold += found.lost;
        if found.lost > 0 && !tcb.in_recovery {
            self.arrivals = if self.as_linux { Arrivals::of_nothing_but_time() } else { Arrivals::default() };
            self.lost_now = found.lost;
            self.enter(tcb, now);
            self.allow(tcb, 0);
        }
        if found.wait > Span::ZERO {
            tcb.arm(now, found.wait + tcb.rules.wheel.slack(), Pending::Reordering);
        } else {
            self.wait_for_oldest(tcb, now);
        }
    }
}
