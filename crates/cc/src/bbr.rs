//! BBR, version 1: send at the rate at which the path delivers, with little more in flight than the path holds.
//! Source: Cardwell, Cheng, Gunn, Hassas Yeganeh and Jacobson, ACM Queue 14(5), 2016;
//! draft-cardwell-iccrg-bbr-congestion-control-00, restated in specs/papers/bbr.md.
use units::{Bytes, Rate, Span, Time, num};

mod model;
mod phases;
mod policer;

pub(crate) use self::model::MAX_ROUNDS;
use self::model::Model;
use self::phases::Phase;
pub(crate) use self::phases::mix;
use self::policer::{News, Place, Policer};
use crate::aggregation::Aggregation;
use crate::{Ack, Cause, Config, Congestion, CongestionControl, DeliverySample, Path, RecoveryExit, Response, Signal};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    the windowed maximum is exact, one value per round; amounts count payload; ssthresh means nothing and stays what \
    it was at the start; marks are not heard; the random phase comes from the engine's number and a count.";

/// Constants, each a parameter of the row; those that every ACK needs are the last.
#[derive(Clone, Debug, PartialEq)]
#[repr(C)]
struct Constants {
    high_gain: f64,
    drain_gain: f64,
    cwnd_gain: f64,
    up_gain: f64,
    down_gain: f64,
    full_growth: f64,
    cycle: u32,
    full_rounds: u32,
    probe_rtt: Span,
    rtt_window: Span,
    min_cwnd: f64,
    quanta: f64,
    /// What the pacing rate is of the bandwidth times the gain.
    pace: f64,
    /// Windows are even numbers of segments, two more in the probing step.
    even: bool,
}

/// State of BBR. What every ACK needs stands together.
#[derive(Clone, Debug, PartialEq)]
#[repr(C)]
pub struct Bbr {
    constants: Constants,
    cwnd: Bytes,
    pacing_rate: Rate,
    pacing_gain: f64,
    cwnd_gain: f64,
    phase: Phase,
    /// The bottleneck's rate is found.
    filled_pipe: bool,
    /// A loss is being repaired.
    repairing: bool,
    /// A recovery has begun, and no ACK has reported anything since; the one that shows the loss may be the first.
    begins_repair: bool,
    /// First round of a recovery: send what leaves the network, no more.
    conserving: bool,
    /// Data were sent after a pause, and none was acknowledged since.
    idle_restart: bool,
    model: Model,
    initial_cwnd: Bytes,
    /// Best window known when a recovery or ProbeRTT began.
    prior_cwnd: Bytes,
    ssthresh: Bytes,
    full_bw: Rate,
    full_bw_count: u32,
    /// Times a random number was drawn.
    draws: u64,
    /// What is acknowledged at once, if that counts.
    aggregation: Option<Aggregation>,
    /// The search for a policer, if there is one.
    policer: Option<Policer>,
}

impl Bbr {
    /// With the parameters of `config`.
    pub fn new(config: &Config) -> Bbr {
        let constants = Constants {
            high_gain: config.number("bbr_high_gain"),
            drain_gain: config.number("bbr_drain_gain"),
            cwnd_gain: config.number("bbr_cwnd_gain"),
            up_gain: config.number("bbr_up_gain"),
            down_gain: config.number("bbr_down_gain"),
            cycle: config.number("bbr_cycle") as u32,
            full_growth: config.number("bbr_full_growth"),
            full_rounds: config.number("bbr_full_rounds") as u32,
            rtt_window: Span::from_secs(config.number("bbr_rtt_window")),
            probe_rtt: Span::from_secs(config.number("bbr_probe_rtt")),
            min_cwnd: config.number("bbr_min_cwnd"),
            quanta: config.number("bbr_quanta"),
            pace: 1.0 - config.number("bbr_margin"),
            even: config.flag("bbr_even"),
        };
        Bbr {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            initial_cwnd: Bytes::ZERO,
            prior_cwnd: Bytes::ZERO,
            pacing_rate: Rate(0.0),
            model: Model::new(config.number("bbr_bw_rounds") as usize),
            phase: Phase::Startup,
            pacing_gain: constants.high_gain,
            cwnd_gain: constants.high_gain,
            filled_pipe: false,
            full_bw: Rate(0.0),
            full_bw_count: 0,
            repairing: false,
            begins_repair: false,
            conserving: false,
            idle_restart: false,
            draws: 0,
            aggregation: config.flag("bbr_extra_acked").then(Aggregation::default),
            policer: config.flag("bbr_policers").then(Policer::default),
            constants,
        }
    }

    /// The window for `gain` times the path's bandwidth-delay product, with room for what hosts send or acknowledge at
    /// once.
    fn inflight(&self, gain: f64, path: &Path) -> Bytes {
        if self.model.rtprop().is_none() {
            return self.initial_cwnd;
        }
        self.with_quanta(gain * self.model.bdp(), path)
    }

    /// `holds` and what hosts send at once.
    fn with_quanta(&self, holds: Bytes, path: &Path) -> Bytes {
        //= specs/papers/bbr.md#windows-and-rates
        //# inflight(gain) = gain * BtlBw * RTprop + 3 * quantum
        let window = holds + self.constants.quanta * self.quantum(path.mss);
        if !self.constants.even {
            return window;
        }
        //= specs/papers/bbr.md#linux
        //# Amounts are rounded up to whole segments, windows to even numbers of them; in the probing step they are two
        //# larger.
        let pairs = num::ceil(window.over(2.0 * path.mss) - 1e-9) + f64::from(u8::from(self.phase.probes()));
        2.0 * pairs * path.mss
    }

    /// What a sending host hands to its network card at once.
    fn quantum(&self, mss: Bytes) -> Bytes {
        //= specs/papers/bbr.md#windows-and-rates
        //# below 1.2 Mbit/s 1 MSS, below 24 Mbit/s 2 MSS, else what the pacing rate sends in 1 ms, at most 64 KiB
        const SMALL: Rate = Rate(1.2e6 / 8.0);
        const MIDDLE: Rate = Rate(24e6 / 8.0);
        match self.pacing_rate {
            rate if rate < SMALL => mss,
            rate if rate < MIDDLE => 2.0 * mss,
            rate => (rate * Span::from_millis(1)).min(Bytes(65_536.0)),
        }
    }

    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.constants.pace * self.bandwidth();
        //= specs/papers/bbr.md#windows-and-rates
        //# before the pipe is known to be full, the pacing rate only rises
        if rate > Rate(0.0) && (self.filled_pipe || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    fn set_window(&mut self, sample: &DeliverySample, path: &Path) {
        if sample.newly_delivered == 0 {
            return self.cap_window(path);
        }
        let floor = self.constants.min_cwnd * path.mss;
        let delivered = f64::from(sample.newly_delivered) * path.mss;
        let conserved = f64::from(sample.in_flight) * path.mss + delivered;
        if self.begins_repair {
            //= specs/papers/bbr.md#loss
            //# When a recovery begins the window is remembered, and cwnd = in flight + newly delivered
            self.begins_repair = false;
            self.conserving = true;
            self.model.begin_round();
            self.cwnd = conserved;
        } else if self.repairing {
            //= specs/papers/bbr.md#loss
            //# cwnd = max(cwnd - lost, 1 MSS)
            self.cwnd = (self.cwnd - f64::from(sample.lost) * path.mss).max(path.mss);
        }
        if self.conserving {
            //= specs/papers/bbr.md#loss
            //# in the first round cwnd = max(cwnd, in flight + newly delivered)
            self.cwnd = self.cwnd.max(conserved);
        } else {
            let target = self.target(path);
            //= specs/papers/bbr.md#windows-and-rates
            //# with the pipe full cwnd = min(cwnd + newly delivered, target)
            if self.filled_pipe {
                self.cwnd = (self.cwnd + delivered).min(target);
            } else if self.cwnd < target || f64::from(sample.total) * path.mss < self.initial_cwnd {
                self.cwnd += delivered;
            }
            self.cwnd = self.cwnd.max(floor);
        }
        self.cap_window(path);
    }

    fn cap_window(&mut self, path: &Path) {
        if self.phase.is_probe_rtt() {
            self.cwnd = self.cwnd.min(self.constants.min_cwnd * path.mss);
        }
    }

    /// The window that fits the model.
    fn target(&self, path: &Path) -> Bytes {
        match self.model.rtprop() {
            None => self.initial_cwnd,
            Some(rtprop) => {
                let holds = self.policed().map_or(self.model.bdp(), |rate| rate * rtprop);
                self.with_quanta(self.cwnd_gain * holds + self.extra(path), path)
            }
        }
    }

    /// What is acknowledged at once beyond the bandwidth, if that counts, and the pipe is full.
    fn extra(&self, path: &Path) -> Bytes {
        match &self.aggregation {
            //= specs/papers/bbr.md#linux
            //# with the pipe full the target is larger by it, but by no more than 0.1 s of BtlBw
            Some(some) if self.filled_pipe => (some.extra() * path.mss).min(self.bandwidth() * Span::from_millis(100)),
            _ => Bytes::ZERO,
        }
    }

    #[cold]
    fn aggregate(&mut self, now: Time, sample: &DeliverySample, path: &Path) {
        let bandwidth = self.bandwidth();
        let Some(aggregation) = &mut self.aggregation else { return };
        if self.model.round_started() {
            aggregation.on_round(false);
        }
        aggregation.on_ack(now, sample.newly_delivered, bandwidth, path.mss, self.cwnd);
    }

    /// The rate of a policer, if one was found.
    fn policed(&self) -> Option<Rate> {
        self.policer.as_ref().and_then(Policer::rate)
    }

    /// The rate to send at.
    fn bandwidth(&self) -> Rate {
        self.policed().unwrap_or(self.model.btlbw())
    }

    #[cold]
    fn look_for_policer(&mut self, now: Time, sample: &DeliverySample, path: &Path) {
        let place = Place { round: self.model.round_started(), probe_bw: self.phase.is_probe_bw() };
        let Some(policer) = &mut self.policer else { return };
        match policer.on_sample(now, sample, path.mss, place) {
            News::Nothing => {}
            News::Found => self.pacing_gain = 1.0,
            News::Over => self.enter_probe_bw(now, path),
        }
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
            self.begins_repair = false;
            self.conserving = false;
            self.restore_window();
        }
    }
}

impl CongestionControl for Bbr {
    window_methods!();

    fn on_init(&mut self, window: Bytes, ssthresh: Bytes, path: &Path) {
        (self.cwnd, self.initial_cwnd, self.ssthresh) = (window, window, ssthresh);
        //= specs/papers/bbr.md#windows-and-rates
        //# the first rate is the high gain times the initial window per RTT of the handshake, or per 1 ms without one
        let rtt = match path.srtt {
            Span::ZERO => Span::from_millis(1),
            srtt => {
                self.model.begin(srtt);
                srtt
            }
        };
        self.pacing_rate = self.constants.high_gain * self.constants.pace * window.per(rtt);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        let Some(sample) = &ack.delivery else { return };
        self.model.on_sample(sample, path.mss);
        if self.policer.is_some() {
            self.look_for_policer(ack.now, sample, path);
        }
        if self.aggregation.is_some() {
            self.aggregate(ack.now, sample, path);
        }
        self.advance_phase(ack.now, sample, path);
        self.check_rtprop(ack.now, sample, path);
        if self.conserving && self.model.round_started() {
            self.conserving = false;
        }
        if !sample.repairing {
            self.end_repair();
        }
        self.set_pacing_rate(self.pacing_gain);
        self.set_window(sample, path);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        match event.cause {
            Cause::EcnMark => return Response::Undecided,
            Cause::Rto => {
                self.save_window();
                self.repairing = true;
                self.begins_repair = false;
                self.conserving = false;
                if self.policer.is_some() {
                    self.full_bw = Rate(0.0);
                }
                self.cwnd = path.mss;
            }
            Cause::DupAcks => {
                self.save_window();
                // one that follows another at once goes on with it
                self.begins_repair |= !self.repairing;
                self.repairing = true;
            }
        }
        if event.cause == Cause::Rto { Response::Reduced } else { Response::Undecided }
    }

    /// The sample of the same ACK tells whether another recovery begins.
    fn on_recovery_exit(&mut self, _exit: &RecoveryExit, _path: &Path) {}

    fn on_signal(&mut self, signal: &Signal, _path: &Path) {
        if let Signal::IdleRestart { .. } = signal {
            self.idle_restart = true;
            if self.phase.is_probe_bw() {
                self.set_pacing_rate(1.0);
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
        out("btlbw_bytes_per_s", self.model.btlbw().bytes_per_sec());
        out("rtprop_s", self.model.rtprop().unwrap_or_default().secs());
        out("pacing_bytes_per_s", self.pacing_rate.bytes_per_sec());
        out("pacing_gain", self.pacing_gain);
    }
}

#[cfg(test)]
mod tests;
