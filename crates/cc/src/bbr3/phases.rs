//! BBR's phases: find the rate (Startup), empty the queue (Drain), then cycle through DOWN, CRUISE, REFILL and UP, and
//! look at the empty path now and then (ProbeRTT).
use units::{Bytes, Rate, Span, Time};

use super::Bbr3;
use super::history::Sent;
use crate::bbr::mix;
use crate::{DeliverySample, Path};

/// Where BBR stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    /// Double the rate each round until it brings nothing, or losses.
    Startup,
    /// Empty the queue that this made. Since which round.
    Drain { since: u32 },
    /// Send somewhat less than the path delivers, to leave room.
    Down,
    /// Send what it delivers.
    Cruise,
    /// Fill the pipe for a round, without the short-term bounds.
    Refill,
    /// Send more, to see whether there is more.
    Up,
    /// Half of what the path holds in flight, to see its own RTT.
    ProbeRtt {
        /// When it may end, once little enough is in flight.
        until: Option<Time>,
        /// A round has passed since then.
        round_done: bool,
    },
}

impl Phase {
    pub(super) fn is_probe_bw(self) -> bool {
        matches!(self, Phase::Down | Phase::Cruise | Phase::Refill | Phase::Up)
    }

    pub(super) fn is_probe_rtt(self) -> bool {
        matches!(self, Phase::ProbeRtt { .. })
    }

    pub(super) fn is_up(self) -> bool {
        self == Phase::Up
    }

    /// It sends faster, or fills the pipe: losses are its own doing.
    pub(super) fn is_probing(self) -> bool {
        matches!(self, Phase::Startup | Phase::Refill | Phase::Up)
    }
}

/// What the ACKs that come in say about a probe.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Feedback {
    #[default]
    None,
    Refilling,
    Starting,
    Coming,
    Ending,
}

/// The probing for more bandwidth.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Probe {
    feedback: Feedback,
    /// What was sent while it probed is being acknowledged.
    pub(super) sampling: bool,
    /// The last one lost too much.
    pub(super) too_high: bool,
    /// The last one ended at the bound that the one before had shown.
    cautious: bool,
    cycle_began: Time,
    pub(super) wait: Span,
    pub(super) rounds: u32,
    /// Rounds of growth of the long-term bound, what it takes to grow by one, and what was delivered to that end.
    grown: u32,
    per_segment: f64,
    delivered: f64,
}

impl Probe {
    /// Segments by which the long-term bound grows when so many are delivered.
    pub(super) fn growth(&mut self, newly: u32) -> f64 {
        self.delivered += f64::from(newly);
        let growth = units::num::floor(self.delivered / self.per_segment);
        self.delivered -= growth * self.per_segment;
        growth
    }

    /// The bound grows twice as fast from now on.
    pub(super) fn raise_slope(&mut self, cwnd: Bytes, mss: Bytes) {
        let growth = f64::from(1u32 << self.grown);
        self.grown = (self.grown + 1).min(30);
        self.per_segment = (cwnd.over(mss) / growth).max(1.0);
    }
}

impl Bbr3 {
    pub(super) fn pacing_gain(&self) -> f64 {
        let c = &self.constants;
        //= specs/papers/bbr3.md#gains
        //# pacing: Startup 2.77, Drain 0.5, DOWN 0.9, UP 1.25, else 1
        match self.phase {
            Phase::Startup => c.startup_gain,
            Phase::Drain { .. } => c.drain_gain,
            Phase::Down => c.down_gain,
            Phase::Up => c.up_gain,
            Phase::Cruise | Phase::Refill | Phase::ProbeRtt { .. } => 1.0,
        }
    }

    pub(super) fn cwnd_gain(&self) -> f64 {
        let c = &self.constants;
        //= specs/papers/bbr3.md#gains
        //# window: UP 2.25, ProbeRTT 0.5, else 2
        match self.phase {
            Phase::Up => c.up_cwnd_gain,
            Phase::ProbeRtt { .. } => c.probe_rtt_gain,
            _ => c.cwnd_gain,
        }
    }

    pub(super) fn aggregate(&mut self, now: Time, sample: &DeliverySample, path: &Path) {
        if self.model.round_started() {
            self.aggregation.on_round(!self.filled_pipe);
        }
        self.aggregation.on_ack(now, sample.newly_delivered, self.model.bw(), path.mss, self.cwnd);
    }

    /// What this ACK means for all phases but ProbeRTT.
    pub(super) fn advance(&mut self, now: Time, sample: &DeliverySample, sent: Sent, path: &Path) {
        if self.model.round_started() && !sample.app_limited {
            self.plateau.on_round(sample.rate(path.mss).unwrap_or(Rate(0.0)));
            self.filled_pipe |= self.plateau.is_found();
        }
        if self.phase == Phase::Startup {
            self.check_startup_losses(sent);
            if self.filled_pipe {
                self.phase = Phase::Drain { since: self.model.rounds };
            }
        }
        if let Phase::Drain { since } = self.phase {
            //= specs/papers/bbr3.md#startup-and-drain
            //# Drain ends when no more than inflight(1) is in flight, or after three rounds.
            let held = self.budget(self.multiple(self.model.bw(), 1.0), path);
            if f64::from(sample.in_flight) * path.mss <= held || self.model.rounds > since + 3 {
                self.start_down(now, path);
            }
        }
        if self.model.loss_round_started() {
            self.losses.clear_round();
        }
        if self.filled_pipe && !self.adapt_long_bound(sample, sent, path) {
            self.advance_cycle(now, sample, path);
        }
    }

    /// Follow the feedback of a probe. True if it decided what comes next.
    fn adapt_long_bound(&mut self, sample: &DeliverySample, sent: Sent, path: &Path) -> bool {
        let started = self.model.round_started();
        if self.probe.feedback == Feedback::Starting && started {
            self.probe.feedback = Feedback::Coming;
        }
        if self.probe.feedback == Feedback::Ending && started {
            self.probe.sampling = false;
            self.probe.feedback = Feedback::None;
            if self.phase.is_probe_bw() {
                if !sample.app_limited {
                    self.model.next_cycle();
                }
                //= specs/papers/bbr3.md#probing
                //# if a cautious probe lost little, the next one begins at once
                if self.probe.cautious && !self.probe.too_high {
                    self.start_refill();
                    return true;
                }
            }
        }
        self.raise_long_bound(sent, sample, path);
        false
    }

    /// DOWN, CRUISE, REFILL and UP.
    fn advance_cycle(&mut self, now: Time, sample: &DeliverySample, path: &Path) {
        if self.model.round_started() {
            self.probe.rounds += 1;
        }
        let phase = self.phase;
        match phase {
            Phase::Down | Phase::Cruise if self.is_time_to_probe(now, path) => self.start_refill(),
            Phase::Down if self.has_left_room(sample, path) => self.phase = Phase::Cruise,
            //= specs/papers/bbr3.md#probing
            //# REFILL lasts for a round.
            Phase::Refill if self.model.round_started() => self.start_up(sample, path),
            Phase::Up if self.is_time_to_go_down(sample, path) => {
                self.probe.too_high = false;
                self.start_down(now, path);
            }
            _ => {}
        }
    }

    fn is_time_to_probe(&self, now: Time, path: &Path) -> bool {
        //= specs/papers/bbr3.md#probing
        //# A probe begins 2 to 3 s after the cycle did, drawn at random, or after min(bw * min_rtt, cwnd, 63) rounds,
        //# in segments.
        let rounds = self.target_inflight().over(path.mss).min(63.0);
        now > self.probe.cycle_began + self.probe.wait || f64::from(self.probe.rounds) >= rounds
    }

    fn has_left_room(&self, sample: &DeliverySample, path: &Path) -> bool {
        //= specs/papers/bbr3.md#probing
        //# DOWN ends when no more is in flight than inflight(1) at max_bw, and than headroom leaves of inflight_long.
        let in_flight = f64::from(sample.in_flight) * path.mss;
        let held = self.budget(self.multiple(self.model.max_bw(), 1.0), path);
        in_flight <= self.with_headroom(path) && in_flight <= held
    }

    fn is_time_to_go_down(&mut self, sample: &DeliverySample, path: &Path) -> bool {
        let long = self.model.inflight_long;
        //= specs/papers/bbr3.md#probing
        //# After a probe that lost too much, the next one is cautious: it ends as soon as inflight_long is in flight.
        if self.probe.too_high && f64::from(sample.in_flight) * path.mss >= long {
            self.probe.cautious = true;
            return true;
        }
        //= specs/papers/bbr3.md#probing
        //# UP ends when the pipe is full; while inflight_long keeps the window small, that is looked for anew
        if self.losses.window_in_use() && self.cwnd >= long {
            self.plateau.reset(sample.rate(path.mss).unwrap_or(Rate(0.0)));
            return false;
        }
        self.plateau.is_found()
    }

    pub(super) fn start_down(&mut self, now: Time, path: &Path) {
        self.losses.clear_round();
        self.model.forget_round();
        self.probe.rounds = (self.draw(path) >> 63) as u32;
        let fraction = (self.draw(path) >> 11) as f64 / (1u64 << 53) as f64;
        self.probe.wait = Span::from_secs(2.0 + fraction);
        self.probe.cycle_began = now;
        self.probe.feedback = Feedback::Ending;
        self.model.begin_round();
        self.phase = Phase::Down;
    }

    fn start_refill(&mut self) {
        self.model.forget_short_bounds();
        (self.probe.grown, self.probe.delivered, self.probe.cautious) = (0, 0.0, false);
        self.probe.feedback = Feedback::Refilling;
        self.model.begin_round();
        self.phase = Phase::Refill;
    }

    fn start_up(&mut self, sample: &DeliverySample, path: &Path) {
        self.probe.sampling = true;
        self.probe.feedback = Feedback::Starting;
        self.model.begin_round();
        self.plateau.reset(sample.rate(path.mss).unwrap_or(Rate(0.0)));
        self.phase = Phase::Up;
        self.probe.raise_slope(self.cwnd, path.mss);
    }

    fn draw(&mut self, path: &Path) -> u64 {
        self.draws += 1;
        mix(path.seed.wrapping_add(self.draws))
    }

    /// The RTT sample, and the phase that is there for it.
    pub(super) fn check_rtt(&mut self, now: Time, sample: &DeliverySample, path: &Path) {
        let (window, interval) = (self.constants.rtt_window, self.constants.probe_rtt_interval);
        let expired = self.model.on_rtt(now, sample.rtt, window, interval);
        //= specs/papers/bbr3.md#probertt
        //# When no RTT was as low for 5 s, and the flow does not just come back from a pause, ProbeRTT begins
        if expired && !self.idle_restart && !self.phase.is_probe_rtt() {
            self.save_window();
            self.phase = Phase::ProbeRtt { until: None, round_done: false };
            self.probe.feedback = Feedback::Ending;
            self.model.begin_round();
        }
        if let Phase::ProbeRtt { until, round_done } = self.phase {
            self.continue_probe_rtt(now, until, round_done, sample, path);
        }
        if sample.newly_delivered > 0 {
            self.idle_restart = false;
        }
    }

    fn continue_probe_rtt(
        &mut self,
        now: Time,
        until: Option<Time>,
        round_done: bool,
        sample: &DeliverySample,
        path: &Path,
    ) {
        if until.is_none() {
            if f64::from(sample.in_flight) * path.mss <= self.probe_rtt_cwnd(path) {
                //= specs/papers/bbr3.md#probertt
                //# until half of bw * min_rtt is in flight, at least 4 MSS, then for 200 ms and at least a round
                let until = Some(now + self.constants.probe_rtt);
                self.phase = Phase::ProbeRtt { until, round_done: false };
                self.model.begin_round();
            }
            return;
        }
        let round_done = round_done || self.model.round_started();
        self.phase = Phase::ProbeRtt { until, round_done };
        if round_done {
            self.check_probe_rtt_done(now, path);
        }
    }

    /// Leave ProbeRTT if its time is over.
    pub(super) fn check_probe_rtt_done(&mut self, now: Time, path: &Path) {
        let Phase::ProbeRtt { until: Some(until), .. } = self.phase else { return };
        if now <= until {
            return;
        }
        self.model.confirm_rtt(now);
        self.restore_window();
        self.model.forget_short_bounds();
        if self.filled_pipe {
            self.start_down(now, path);
            self.phase = Phase::Cruise;
        } else {
            self.phase = Phase::Startup;
        }
    }
}
