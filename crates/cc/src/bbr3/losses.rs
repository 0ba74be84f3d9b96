//! What BBR makes of losses: bounds for what it puts into the network.
use units::{Bytes, Time};

use super::history::{History, Sent};
use super::{Bbr3, UNBOUNDED};
use crate::{DeliverySample, Path};

/// What was lost, and whether the window was in use.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Losses {
    /// Segments lost since the start.
    lost: u32,
    history: History,
    /// Something was lost in the round that is on, and ACKs of it that showed losses.
    pub(super) in_round: bool,
    pub(super) acks: u32,
    /// The window was in use in this round, and in the one before.
    used: bool,
    used_before: bool,
}

impl Losses {
    pub(super) fn on_ack(&mut self, sample: &DeliverySample) -> Sent {
        self.lost = self.lost.wrapping_add(sample.lost);
        self.history.on_ack(sample, self.lost)
    }

    /// A round begins.
    pub(super) fn note_round(&mut self) {
        (self.used_before, self.used) = (self.used, false);
    }

    pub(super) fn note_window_use(&mut self, sample: &DeliverySample, cwnd: Bytes, mss: Bytes) {
        self.used |= f64::from(sample.in_flight_before + 1) * mss > cwnd;
    }

    /// The window was in use at some time of the last round.
    pub(super) fn window_in_use(&self) -> bool {
        self.used || self.used_before
    }

    /// Forget the round.
    pub(super) fn clear_round(&mut self) {
        (self.in_round, self.acks) = (false, 0);
    }
}

impl Bbr3 {
    /// The losses since a segment was sent say that too much was in flight then.
    pub(super) fn is_too_high(&self, sent: Sent) -> bool {
        //= specs/papers/bbr3.md#loss
        //# Too much is in flight if what was lost since the segment was sent exceeds 2 % of the flight at that time.
        f64::from(sent.lost) > self.constants.loss_thresh * f64::from(sent.in_flight)
    }

    /// An ACK shows a loss.
    #[cold]
    pub(super) fn note_loss(&mut self, now: Time, sample: &DeliverySample, sent: Sent, path: &Path) {
        if !self.losses.in_round {
            self.model.begin_loss_round(sample.total);
        }
        self.losses.in_round = true;
        self.losses.acks += 1;
        if self.probe.sampling && self.is_too_high(sent) {
            self.lower_long_bound(now, sample, sent, path);
        }
    }

    /// A probe went too high.
    fn lower_long_bound(&mut self, now: Time, sample: &DeliverySample, sent: Sent, path: &Path) {
        self.probe.too_high = true;
        self.probe.sampling = false; // one answer to each probe
        if !sample.app_limited {
            //= specs/papers/bbr3.md#loss
            //# inflight_long = max(flight at that time, 0.7 * min(bw * min_rtt, cwnd))
            let then = f64::from(sent.in_flight) * path.mss;
            self.model.inflight_long = then.max(self.constants.beta * self.target_inflight());
        }
        if self.phase.is_up() {
            self.start_down(now, path);
        }
    }

    /// Once per round: losses outside of a probe lower the short-term bounds.
    pub(super) fn adapt_lower_bounds(&mut self) {
        if !self.model.loss_round_started() {
            return;
        }
        if self.losses.in_round && !self.phase.is_probing() {
            self.model.lower_short_bounds(self.cwnd, self.constants.beta);
        }
    }

    /// Losses end Startup.
    pub(super) fn check_startup_losses(&mut self, sent: Sent) {
        if !self.model.loss_round_started() {
            return;
        }
        //= specs/papers/bbr3.md#startup-and-drain
        //# Startup ends, too, when a recovery has lasted for a round, more than 2 % of it were lost, and at least 6
        //# ranges.
        let many = self.losses.acks >= self.constants.full_losses;
        if self.repairing && many && self.is_too_high(sent) && !self.filled_pipe {
            self.filled_pipe = true;
            self.plateau.found();
            //= specs/papers/bbr3.md#startup-and-drain
            //# Then inflight_long = max(bw * min_rtt, the most delivered in a round).
            self.model.inflight_long = self.multiple(self.model.max_bw(), 1.0).max(self.model.inflight_latest());
        }
    }

    /// A round without too many losses raises the long-term bound to what it had in flight.
    pub(super) fn raise_long_bound(&mut self, sent: Sent, sample: &DeliverySample, path: &Path) {
        if self.is_too_high(sent) || self.model.inflight_long == UNBOUNDED {
            return;
        }
        let then = f64::from(sent.in_flight) * path.mss;
        self.model.inflight_long = self.model.inflight_long.max(then);
        if self.phase.is_up() && self.losses.window_in_use() && self.cwnd >= self.model.inflight_long {
            //= specs/papers/bbr3.md#probing
            //# In UP inflight_long grows by 1, 2, 4, ... segments per round, as far as the window fills it.
            self.model.inflight_long += self.probe.growth(sample.newly_delivered) * path.mss;
            if self.model.round_started() {
                self.probe.raise_slope(self.cwnd, path.mss);
            }
        }
    }
}
