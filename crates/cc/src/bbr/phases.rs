//! BBR's phases: find the rate (Startup), empty the queue (Drain), stay there and probe (ProbeBW), look at the empty
//! path (ProbeRTT).
use units::{Rate, Time};

use super::Bbr;
use crate::{DeliverySample, Path};

/// Where BBR stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    /// Double the rate each round until it brings nothing.
    Startup,
    /// Empty the queue that this made.
    Drain,
    /// Cycle around the rate found.
    ProbeBw {
        /// Place in the cycle: 0 probes, 1 drains, the rest cruises.
        step: u32,
        /// When it began.
        since: Time,
    },
    /// Almost nothing in flight, to see the path's own RTT.
    ProbeRtt {
        /// When it may end, once little enough is in flight.
        until: Option<Time>,
        /// A round has passed since then.
        round_done: bool,
    },
}

impl Phase {
    pub(super) fn is_probe_bw(self) -> bool {
        matches!(self, Phase::ProbeBw { .. })
    }

    /// The probing step of the cycle.
    pub(super) fn probes(self) -> bool {
        matches!(self, Phase::ProbeBw { step: 0, .. })
    }

    pub(super) fn is_probe_rtt(self) -> bool {
        matches!(self, Phase::ProbeRtt { .. })
    }
}

impl Bbr {
    /// Enter a phase, or a step of the cycle, with its gains.
    pub(super) fn set_phase(&mut self, phase: Phase) {
        let policed = self.policed().is_some();
        let c = &self.constants;
        self.pacing_gain = match phase {
            //= specs/papers/bbr.md#policers
            //# ProbeBW does not probe
            Phase::ProbeBw { .. } if policed => 1.0,
            Phase::Startup => c.high_gain,
            Phase::Drain => c.drain_gain,
            //= specs/papers/bbr.md#phases
            //# ProbeBW: a cycle of eight steps of one RTprop each, with gains 1.25, 0.75 and six times 1
            Phase::ProbeBw { step: 0, .. } => c.up_gain,
            Phase::ProbeBw { step: 1, .. } => c.down_gain,
            Phase::ProbeBw { .. } | Phase::ProbeRtt { .. } => 1.0,
        };
        self.cwnd_gain = match phase {
            Phase::Startup | Phase::Drain => c.high_gain,
            Phase::ProbeBw { .. } => c.cwnd_gain,
            Phase::ProbeRtt { .. } => 1.0,
        };
        self.phase = phase;
    }

    /// What this ACK means for all phases but ProbeRTT.
    #[inline]
    pub(super) fn advance_phase(&mut self, now: Time, sample: &DeliverySample, path: &Path) {
        match self.phase {
            Phase::ProbeBw { step, since } => {
                let full = self.model.is_longer(now.since(since));
                if (full || step == 1) && self.step_is_over(step, full, sample, path) {
                    self.set_phase(Phase::ProbeBw { step: (step + 1) % self.constants.cycle, since: now });
                }
            }
            _ => self.advance_beginning(now, sample, path),
        }
    }

    /// A step of the cycle, which has lasted its full time or is the draining one.
    #[inline(never)]
    fn step_is_over(&self, step: u32, full: bool, sample: &DeliverySample, path: &Path) -> bool {
        let before = f64::from(sample.in_flight_before) * path.mss;
        match step {
            //= specs/papers/bbr.md#phases
            //# the probing step lasts until there is a loss or 1.25 BDP in flight, the draining step only until 1
            //# BDP is
            0 => sample.lost > 0 || before >= self.inflight(self.constants.up_gain, path),
            1 => full || before <= self.inflight(1.0, path),
            _ => true,
        }
    }

    /// Startup and Drain.
    #[inline(never)]
    fn advance_beginning(&mut self, now: Time, sample: &DeliverySample, path: &Path) {
        self.check_full_pipe(sample);
        if self.phase == Phase::Startup && self.filled_pipe {
            self.set_phase(Phase::Drain);
        }
        let in_flight = f64::from(sample.in_flight) * path.mss;
        if self.phase == Phase::Drain && in_flight <= self.inflight(1.0, path) {
            self.enter_probe_bw(now, path);
        }
    }

    pub(super) fn enter_probe_bw(&mut self, now: Time, path: &Path) {
        //= specs/papers/bbr.md#phases
        //# the cycle begins at a random step other than the draining one
        let steps = self.constants.cycle;
        self.draws += 1;
        let drawn = (mix(path.seed.wrapping_add(self.draws)) % u64::from(steps - 1)) as u32;
        self.set_phase(Phase::ProbeBw { step: if drawn == 0 { 0 } else { drawn + 1 }, since: now });
    }

    fn check_full_pipe(&mut self, sample: &DeliverySample) {
        if self.filled_pipe || !self.model.round_started() || sample.app_limited {
            return;
        }
        //= specs/papers/bbr.md#phases
        //# Startup ends when BtlBw grew by less than 25 % in three rounds
        let bw = self.model.btlbw();
        if bw >= self.constants.full_growth * self.full_bw && bw > Rate(0.0) {
            self.full_bw = bw;
            self.full_bw_count = 0;
            return;
        }
        self.full_bw_count += 1;
        self.filled_pipe = self.full_bw_count >= self.constants.full_rounds;
    }

    /// The RTT sample, and the phase that is there for it.
    #[inline]
    pub(super) fn check_rtprop(&mut self, now: Time, sample: &DeliverySample, path: &Path) {
        let expired = self.model.on_rtt(now, sample.rtt, self.constants.rtt_window);
        if expired || self.phase.is_probe_rtt() {
            self.probe_rtt(now, sample, path);
        }
        if sample.newly_delivered > 0 {
            self.idle_restart = false;
        }
    }

    #[inline(never)]
    fn probe_rtt(&mut self, now: Time, sample: &DeliverySample, path: &Path) {
        if !self.phase.is_probe_rtt() && !self.idle_restart {
            self.save_window();
            self.set_phase(Phase::ProbeRtt { until: None, round_done: false });
        }
        let Phase::ProbeRtt { until, round_done } = self.phase else { return };
        //= specs/papers/bbr.md#phases
        //# ProbeRTT: cwnd of 4 segments until at most so much is in flight, then for 200 ms and at least a round
        match until {
            None if f64::from(sample.in_flight) <= self.constants.min_cwnd => {
                self.model.begin_round();
                self.set_phase(Phase::ProbeRtt { until: Some(now + self.constants.probe_rtt), round_done: false });
            }
            None => {}
            Some(end) => {
                let round_done = round_done || self.model.round_started();
                self.set_phase(Phase::ProbeRtt { until, round_done });
                if round_done && now > end {
                    self.leave_probe_rtt(now, path);
                }
            }
        }
    }

    fn leave_probe_rtt(&mut self, now: Time, path: &Path) {
        self.model.confirm_rtprop(now);
        self.restore_window();
        if self.filled_pipe {
            self.enter_probe_bw(now, path);
        } else {
            self.set_phase(Phase::Startup);
        }
    }
}

/// Spreads a number over all bits: consecutive numbers give unrelated ones (the finaliser of SplitMix64; Steele, Lea
/// and Flood, OOPSLA 2014).
pub(crate) fn mix(number: u64) -> u64 {
    let z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
