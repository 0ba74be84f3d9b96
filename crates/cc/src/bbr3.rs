//! BBR, version 3: send at the rate at which the path delivers, probe for more now and then, and learn from losses how
//! much in flight is too much.
//! Source: draft-ietf-ccwg-bbr (Cardwell, Swett, Beshay), restated in specs/papers/bbr3.md.
use units::{Bytes, Rate, Span};

mod history;
mod losses;
mod model;
mod phases;
mod plateau;

use self::losses::Losses;
use self::model::Model;
use self::phases::{Phase, Probe};
use self::plateau::Plateau;
use crate::aggregation::Aggregation;
use crate::{Ack, Cause, Config, Congestion, CongestionControl, DeliverySample, Path, RecoveryExit, Response, Signal};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    what is lost counts at the ACK that shows it, with the flight at the sending of the segment that this ACK reports, \
    which is known to a sixteenth of a round; ACKs that show losses count as lost ranges in Startup; amounts count \
    payload in whole segments; quanta of two segments; ssthresh means nothing and stays what it was at the start; \
    marks are not heard (the draft has no ECN); what is random comes from the engine's number and a count.";

/// No bound.
const UNBOUNDED: Bytes = Bytes(f64::INFINITY);

/// Constants, each a parameter of the row.
#[derive(Clone, Debug, PartialEq)]
struct Constants {
    startup_gain: f64,
    drain_gain: f64,
    up_gain: f64,
    down_gain: f64,
    cwnd_gain: f64,
    up_cwnd_gain: f64,
    probe_rtt_gain: f64,
    margin: f64,
    loss_thresh: f64,
    beta: f64,
    headroom: f64,
    min_cwnd: f64,
    full_losses: u32,
    rtt_window: Span,
    probe_rtt_interval: Span,
    probe_rtt: Span,
}

/// State of BBR version 3.
#[derive(Clone, Debug, PartialEq)]
pub struct Bbr3 {
    constants: Constants,
    cwnd: Bytes,
    ssthresh: Bytes,
    initial_cwnd: Bytes,
    /// Best window known when a recovery or ProbeRTT began.
    prior_cwnd: Bytes,
    pacing_rate: Rate,
    phase: Phase,
    /// The bottleneck's rate was found once.
    filled_pipe: bool,
    /// A loss is being repaired.
    repairing: bool,
    /// Data were sent after a pause, and none was acknowledged since.
    idle_restart: bool,
    model: Model,
    plateau: Plateau,
    losses: Losses,
    probe: Probe,
    aggregation: Aggregation,
    /// Times a random number was drawn.
    draws: u64,
}

impl Bbr3 {
    /// With the parameters of `config`.
    pub fn new(config: &Config) -> Bbr3 {
        let constants = Constants {
            startup_gain: config.number("bbr3_startup_gain"),
            drain_gain: config.number("bbr3_drain_gain"),
            up_gain: config.number("bbr3_up_gain"),
            down_gain: config.number("bbr3_down_gain"),
            cwnd_gain: config.number("bbr3_cwnd_gain"),
            up_cwnd_gain: config.number("bbr3_up_cwnd_gain"),
            probe_rtt_gain: config.number("bbr3_probe_rtt_gain"),
            margin: config.number("bbr3_margin"),
            loss_thresh: config.number("bbr3_loss_thresh"),
            beta: config.number("bbr3_beta"),
            headroom: config.number("bbr3_headroom"),
            min_cwnd: config.number("bbr3_min_cwnd"),
            full_losses: config.number("bbr3_full_losses") as u32,
            rtt_window: Span::from_secs(config.number("bbr3_rtt_window")),
            probe_rtt_interval: Span::from_secs(config.number("bbr3_probe_rtt_interval")),
            probe_rtt: Span::from_secs(config.number("bbr3_probe_rtt")),
        };
        Bbr3 {
            constants,
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            initial_cwnd: Bytes::ZERO,
            prior_cwnd: Bytes::ZERO,
            pacing_rate: Rate(0.0),
            phase: Phase::Startup,
            filled_pipe: false,
            repairing: false,
            idle_restart: false,
            model: Model::default(),
            plateau: Plateau::default(),
            losses: Losses::default(),
            probe: Probe::default(),
            aggregation: Aggregation::default(),
            draws: 0,
        }
    }

    fn floor(&self, path: &Path) -> Bytes {
        self.constants.min_cwnd * path.mss
    }

    /// `gain` times what the path holds at the rate `bw`.
    fn multiple(&self, bw: Rate, gain: f64) -> Bytes {
        self.model.min_rtt().map_or(self.initial_cwnd, |rtt| gain * (bw * rtt))
    }

    /// With room for what hosts send or acknowledge at once.
    fn budget(&self, inflight: Bytes, path: &Path) -> Bytes {
        //= specs/papers/bbr3.md#windows-and-rates
        //# inflight(gain) = max(gain * bw * min_rtt, quantum, 4 MSS), and 2 MSS more in UP
        let quantum = (self.pacing_rate * Span::from_millis(1)).min(Bytes(65_536.0)).max(2.0 * path.mss);
        let budget = inflight.max(quantum).max(self.floor(path));
        if self.phase.is_up() { budget + 2.0 * path.mss } else { budget }
    }

    fn set_pacing_rate(&mut self, gain: f64) {
        //= specs/papers/bbr3.md#windows-and-rates
        //# pacing rate = pacing gain * bw * 0.99
        let rate = gain * (1.0 - self.constants.margin) * self.model.bw();
        //= specs/papers/bbr3.md#windows-and-rates
        //# Before the pipe is known to be full, the pacing rate only rises.
        if rate > Rate(0.0) && (self.filled_pipe || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    fn set_window(&mut self, sample: &DeliverySample, path: &Path) {
        let (floor, delivered) = (self.floor(path), f64::from(sample.newly_delivered) * path.mss);
        let wanted = self.multiple(self.model.bw(), self.cwnd_gain()) + self.aggregation.extra() * path.mss;
        let most = self.budget(wanted, path);
        //= specs/papers/bbr3.md#windows-and-rates
        //# with the pipe full cwnd = min(cwnd + newly delivered, target)
        if self.filled_pipe {
            self.cwnd = (self.cwnd + delivered).min(most);
        } else if self.cwnd < most || f64::from(sample.total) * path.mss < self.initial_cwnd {
            self.cwnd += delivered;
        }
        self.cwnd = self.cwnd.max(floor);
        if self.phase.is_probe_rtt() {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd(path));
        }
        self.cwnd = self.cwnd.min(self.cap(path).max(floor));
    }

    /// What losses leave of the window in this phase.
    fn cap(&self, path: &Path) -> Bytes {
        let long = match self.phase {
            //= specs/papers/bbr3.md#windows-and-rates
            //# The window is at most inflight_long in DOWN, REFILL and UP, and what headroom leaves of it in CRUISE and
            //# ProbeRTT; and always at most inflight_short.
            Phase::Down | Phase::Refill | Phase::Up => self.model.inflight_long,
            Phase::Cruise | Phase::ProbeRtt { .. } => self.with_headroom(path),
            Phase::Startup | Phase::Drain { .. } => UNBOUNDED,
        };
        long.min(self.model.inflight_short)
    }

    /// What leaves room for others.
    fn with_headroom(&self, path: &Path) -> Bytes {
        let long = self.model.inflight_long;
        if long == UNBOUNDED {
            return long;
        }
        //= specs/papers/bbr3.md#windows-and-rates
        //# Headroom is 0.15 of inflight_long, at least 1 MSS.
        (long - (self.constants.headroom * long).max(path.mss)).max(self.floor(path))
    }

    fn probe_rtt_cwnd(&self, path: &Path) -> Bytes {
        self.multiple(self.model.bw(), self.constants.probe_rtt_gain).max(self.floor(path))
    }

    /// What it wants in flight: what the path holds, unless congestion cut the window.
    fn target_inflight(&self) -> Bytes {
        self.multiple(self.model.bw(), 1.0).min(self.cwnd)
    }

    /// Remember the window to come back to.
    fn save_window(&mut self) {
        let counts = !self.repairing && !self.phase.is_probe_rtt();
        self.prior_cwnd = if counts { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    fn restore_window(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    fn end_repair(&mut self) {
        if self.repairing {
            self.repairing = false;
            self.restore_window();
        }
    }
}

impl CongestionControl for Bbr3 {
    window_methods!();

    fn on_init(&mut self, window: Bytes, ssthresh: Bytes, path: &Path) {
        (self.cwnd, self.initial_cwnd, self.ssthresh) = (window, window, ssthresh);
        //= specs/papers/bbr3.md#windows-and-rates
        //# the first rate is the gain of Startup times the initial window per RTT of the handshake, or per 1 ms without
        //# one
        let rtt = if path.srtt == Span::ZERO { Span::from_millis(1) } else { path.srtt };
        self.pacing_rate = self.constants.startup_gain * window.per(rtt);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        let Some(sample) = &ack.delivery else { return };
        let sent = self.losses.on_ack(sample);
        if sample.lost > 0 {
            self.note_loss(ack.now, sample, sent, path);
        }
        self.model.latest_delivery(sample, path.mss);
        self.model.on_sample(sample, path.mss);
        if self.model.round_started() {
            self.losses.note_round();
        }
        self.adapt_lower_bounds();
        self.losses.note_window_use(sample, self.cwnd, path.mss);
        self.aggregate(ack.now, sample, path);
        self.advance(ack.now, sample, sent, path);
        self.check_rtt(ack.now, sample, path);
        self.model.end_delivery(sample, path.mss);
        if !sample.repairing {
            self.end_repair();
        }
        self.set_pacing_rate(self.pacing_gain());
        self.set_window(sample, path);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        if event.cause == Cause::EcnMark {
            return Response::Undecided;
        }
        //= specs/papers/bbr3.md#loss
        //# When a recovery begins the window is remembered, and left to the bounds; after a timeout cwnd = 1 MSS.
        self.save_window();
        self.repairing = true;
        if event.cause == Cause::Rto {
            self.cwnd = path.mss;
            return Response::Reduced;
        }
        Response::Undecided
    }

    fn on_recovery_exit(&mut self, _exit: &RecoveryExit, _path: &Path) {
        self.end_repair();
    }

    fn on_signal(&mut self, signal: &Signal, path: &Path) {
        if let Signal::IdleRestart { now } = *signal {
            self.idle_restart = true;
            self.aggregation.restart(now);
            if self.phase.is_probe_bw() {
                self.set_pacing_rate(1.0);
            } else {
                self.check_probe_rtt_done(now, path);
            }
        }
    }

    fn limits_itself(&self) -> bool {
        self.phase.is_probe_rtt()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.pacing_rate)
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        let finite = |bytes: Bytes| if bytes == UNBOUNDED { 0.0 } else { bytes.0 };
        out("max_bw_bytes_per_s", self.model.max_bw().bytes_per_sec());
        out("min_rtt_s", self.model.min_rtt().unwrap_or_default().secs());
        out("pacing_bytes_per_s", self.pacing_rate.bytes_per_sec());
        out("pacing_gain", self.pacing_gain());
        out("inflight_long_bytes", finite(self.model.inflight_long));
        out("inflight_short_bytes", finite(self.model.inflight_short));
    }
}

#[cfg(test)]
mod tests;
