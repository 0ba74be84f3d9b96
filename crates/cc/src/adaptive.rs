//! Adaptive TCP: keeps the more of the window at a loss the nearer the RTT is to its minimum, and extends ssthresh
//! while the window grows ever faster.
//! Source: Dalal, Sarkar, Dasgupta and Kothari, IJCNS 8(5), 2015, restated in specs/papers/adaptive.md. Its equations 1
//! to 6 are missing from the text; all are reconstructed from the prose.
use units::{Bytes, Rate, Span, Time, num};

use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, RecoveryExit, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    serial timeouts are native and do not extend ssthresh; the factor of the slot before the first loss is not \
    known; a mark halves and is no loss; a loss counts as judged random if the estimator is over one half.";

/// State of Adaptive TCP.
#[derive(Clone, Debug, PartialEq)]
pub struct Adaptive {
    cwnd: Bytes,
    ssthresh: Bytes,
    newest_sample: bool, // RTT by sample, not smoothed
    extend_at_exit: bool,
    max_wla: bool,
    rtt: Option<Rtt>,
    slot: Option<Slot>,       // since the last loss
    factor: Option<Rate>,     // K of the slot before
    kept: Option<Bytes>,      // WLA, the window to go on with after this recovery
    pending: Option<Advance>, // point E is to be taken at the end of this recovery
}

/// Estimated RTT: newest, least and most since the start.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rtt {
    newest: Span,
    least: Span,
    most: Span,
}

/// What the last loss left behind.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Slot {
    began: Time,
    window: Bytes,   // WLA
    ssthresh: Bytes, // extended, if it was
}

/// The threshold of the slot before, growing on with the factor of that slot.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Advance {
    from: Bytes,
    since: Time,
    factor: Rate,
}

impl Advance {
    fn at(&self, now: Time, path: &Path) -> Bytes {
        //= specs/papers/adaptive.md#threshold
        //# A = floor(ssthresh[n-1] + K[n-1] * (T[n] - T[n-1]))
        let reached = self.from + self.factor * now.since(self.since);
        num::floor(reached.over(path.mss)) * path.mss
    }
}

impl Rtt {
    /// `alpha`: 1 at the least RTT, 0 at the most.
    fn estimator(&self) -> f64 {
        //= specs/papers/adaptive.md#congestion-estimator
        //# alpha = (RTTmax - RTT) / (RTTmax - RTTmin), and 0 if RTTmax = RTTmin
        let range = self.most - self.least;
        if range == Span::ZERO { 0.0 } else { (self.most - self.newest).secs() / range.secs() }
    }
}

impl Adaptive {
    /// Parameters `adapt_rtt`, `adapt_rto_ss`, `adapt_E`.
    pub fn new(config: &Config) -> Adaptive {
        Adaptive {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            newest_sample: config.choice("adapt_rtt") == "sample",
            extend_at_exit: config.choice("adapt_E") == "exit",
            max_wla: config.choice("adapt_rto_ss") == "max_wla",
            rtt: None,
            slot: None,
            factor: None,
            kept: None,
            pending: None,
        }
    }

    fn on_rtt(&mut self, newest: Span) {
        if newest > Span::ZERO {
            let before = self.rtt.unwrap_or(Rtt { newest, least: newest, most: newest });
            self.rtt = Some(Rtt { newest, least: before.least.min(newest), most: before.most.max(newest) });
        }
    }

    /// `WLA`: the window that a loss leaves.
    fn loss_window(&self, native: Bytes, alpha: f64) -> Bytes {
        //= specs/papers/adaptive.md#loss-window
        //# WLA = WLN + alpha * (cwnd - WLN), never more than cwnd
        let native = native.min(self.cwnd);
        native + (self.cwnd - native) * alpha
    }

    /// Close the slot that ends with this loss. Returns how ssthresh may be extended.
    fn next_slot(&mut self, now: Time, window: Bytes) -> Option<Advance> {
        let ended = self.slot.replace(Slot { began: now, window, ssthresh: self.ssthresh });
        let before = self.factor;
        let ended = ended.filter(|slot| now > slot.began)?;
        //= specs/papers/adaptive.md#utilisation-factor
        //# K[n] = (cwnd[n] - WLA[n-1]) / (T[n] - T[n-1])
        let grown = self.cwnd - ended.window;
        let factor = Rate(grown.0 / now.since(ended.began).secs());
        self.factor = Some(factor);
        //= specs/papers/adaptive.md#threshold
        //# If K[n] > K[n-1], both known, ssthresh[n] = max(ssthresh', A), else ssthresh[n] = ssthresh'.
        let factor = before.filter(|&before| factor > before)?;
        Some(Advance { from: ended.ssthresh, since: ended.began, factor })
    }

    fn extend(&mut self, advance: Advance, now: Time, path: &Path) {
        self.ssthresh = self.ssthresh.max(advance.at(now, path).min(path.rwnd));
        if let Some(slot) = &mut self.slot {
            slot.ssthresh = self.ssthresh;
        }
    }
}

impl CongestionControl for Adaptive {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        // the smoothed RTT also moves with ACKs that give no delay of their own
        if let Some(rtt) = if self.newest_sample { ack.rtt } else { Some(path.srtt) } {
            self.on_rtt(rtt);
        }
        if ack.grows {
            self.cwnd += reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let half = event.keep(0.5);
        (self.kept, self.pending) = (None, None);
        if event.cause == Cause::EcnMark {
            (self.cwnd, self.ssthresh) = (half.cwnd, half.ssthresh);
            return Response::Reduced;
        }
        let serial = event.timeouts > 1;
        let alpha = if serial { 0.0 } else { self.rtt.map_or(0.0, |rtt| rtt.estimator()) };
        let lost_by_timer = event.cause == Cause::Rto;
        let window = self.loss_window(if lost_by_timer { path.mss } else { half.ssthresh }, alpha);
        if !event.hold_ssthresh {
            //= specs/papers/adaptive.md#threshold
            //# ssthresh' = WLA after duplicate ACKs, and half the window after a timeout
            let wanted = match lost_by_timer {
                false => window,
                true if self.max_wla && !serial => half.ssthresh.max(window),
                true => half.ssthresh,
            };
            //= specs/papers/adaptive.md#threshold
            //# Never more than the receiver's window.
            self.ssthresh = wanted.min(path.rwnd).max(2.0 * path.mss);
        }
        let advance = self.next_slot(event.now, window).filter(|_| !serial);
        match advance {
            Some(advance) if self.extend_at_exit && !lost_by_timer => self.pending = Some(advance),
            Some(advance) => self.extend(advance, event.now, path),
            None => {}
        }
        let before = core::mem::replace(&mut self.cwnd, window);
        if !lost_by_timer {
            self.kept = Some(window);
        }
        match alpha {
            a if a <= 0.5 => Response::Reduced,
            _ if window < before => Response::ReducedAsRandom,
            _ => Response::Random,
        }
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit, path: &Path) {
        //= specs/papers/adaptive.md#end-of-recovery
        //# cwnd = WLA, so that slow start may follow fast recovery
        self.cwnd = self.kept.take().unwrap_or(exit.window);
        if let Some(advance) = self.pending.take() {
            self.extend(advance, exit.now, path);
        }
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("alpha_ratio", self.rtt.map_or(0.0, |rtt| rtt.estimator()));
        out("factor_bytes_per_s", self.factor.map_or(0.0, Rate::bytes_per_sec));
    }
}

#[cfg(test)]
mod tests;
