//! BBR's phases: find the rate (Startup), empty the queue (Drain), stay there and probe (ProbeBW), look at the empty path
//! (ProbeRTT).
use units::{Rate, Span, Time};

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

    pub(super) fn is_probe_rtt(self) -> bool {
        matches!(self, Phase::ProbeRtt { .. })
    }
}

impl Bbr {
    pub(super) fn pacing_gain(&self) -> f64 {
        let c = &self.constants;
        match self.phase {
            Phase::Startup => c.high_gain,
            Phase::Drain => c.drain_gain,
            //= specs/papers/bbr.md#phases
            //# ProbeBW: a cycle of eight steps of one RTprop each, with gains 1.25, 0.75 and six times 1
            Phase::ProbeBw { step: 0, .. } => c.up_gain,
            Phase::ProbeBw { step: 1, .. } => c.down_gain,
            Phase::ProbeBw { .. } | Phase::ProbeRtt { .. } => 1.0,
        }
    }

    pub(super) fn cwnd_gain(&self) -> f64 {
        match self.phase {
            Phase::Startup | Phase::Drain => self.constants.high_gain,
            Phase::ProbeBw { .. } => self.constants.cwnd_gain,
            Phase::ProbeRtt { .. } => 1.0,
        }
    }

    /// What this ACK means for all phases but ProbeRTT.
    pub(super) fn advance_phase(&mut self, now: Time, sample: &DeliverySample, path: &Path) {
        if let Phase::ProbeBw { step, since } = self.phase
            && self.step_is_over(step, now.since(since), sample, path)
        {
            self.phase = Phase::ProbeBw { step: (step + 1) % self.constants.cycle, since: now };
        }
        self.check_full_pipe(sample);
        if matches!(self.phase, Phase::Startup) && self.filled_pipe {
            self.phase = Phase::Drain;
        }
        if matches!(self.phase, Phase::Drain) && sample.in_flight <= self.inflight(1.0, path) {
            self.enter_probe_bw(now, path);
        }
    }

    fn step_is_over(&self, step: u32, lasted: Span, sample: &DeliverySample, path: &Path) -> bool {
        let full = self.model.rtprop().is_some_and(|rtprop| lasted > rtprop);
        let before = sample.in_flight_before;
        match step {
            //= specs/papers/bbr.md#phases
            //# the probing step lasts until there is a loss or 1.25 BDP in flight, the draining step only until 1 BDP is
            0 => full && (sample.lost > 0.0 || before >= self.inflight(self.constants.up_gain, path)),
            1 => full || before <= self.inflight(1.0, path),
            _ => full,
        }
    }

    pub(super) fn enter_probe_bw(&mut self, now: Time, path: &Path) {
        //= specs/papers/bbr.md#phases
        //# the cycle begins at a random step other than the draining one
        let steps = self.constants.cycle;
        self.draws += 1;
        let drawn = (mix(path.seed.wrapping_add(self.draws)) % u64::from(steps - 1)) as u32;
        self.phase = Phase::ProbeBw { step: if drawn == 0 { 0 } else { drawn + 1 }, since: now };
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
    pub(super) fn check_rtprop(&mut self, now: Time, sample: &DeliverySample, path: &Path) {
        let expired = self.model.on_rtt(now, sample.rtt, self.constants.rtt_window);
        if expired && !self.phase.is_probe_rtt() && !self.idle_restart {
            self.save_window();
            self.phase = Phase::ProbeRtt { until: None, round_done: false };
        }
        if let Phase::ProbeRtt { until, round_done } = self.phase {
            self.probe_rtt(now, until, round_done, sample, path);
        }
        if sample.newly_delivered > 0.0 {
            self.idle_restart = false;
        }
    }

    fn probe_rtt(&mut self, now: Time, until: Option<Time>, round_done: bool, sample: &DeliverySample, path: &Path) {
        //= specs/papers/bbr.md#phases
        //# ProbeRTT: cwnd of 4 segments until at most so much is in flight, then for 200 ms and at least a round
        match until {
            None if sample.in_flight <= self.constants.min_cwnd * path.mss => {
                self.model.begin_round();
                self.phase = Phase::ProbeRtt { until: Some(now + self.constants.probe_rtt), round_done: false };
            }
            None => {}
            Some(end) => {
                let round_done = round_done || self.model.round_started();
                self.phase = Phase::ProbeRtt { until, round_done };
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
            self.phase = Phase::Startup;
        }
    }
}

/// Spreads a number over all bits: consecutive numbers give unrelated ones (the finaliser of SplitMix64; Steele, Lea and
/// Flood, OOPSLA 2014).
fn mix(number: u64) -> u64 {
    let z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
