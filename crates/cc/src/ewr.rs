//! TCP EWR: WR with samples bounded by the square-root law, Vegas' backlog as predictor, and a recovery of its own for
//! wireless timeouts.
//! Source: Huq 2024, restated in specs/papers/ewr.md, which tells what is corrected.
use units::{Bytes, Rate, Span, num};

use crate::round_rtt::backlog_segments;
use crate::wr::Arrivals;
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response, reno};

mod history;

use history::History;
pub use history::LONGEST;

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    those of WR; growth is Westwood+'s, which is Reno's (`ewr_growth`); growth by the backlog begins after slow \
    start, is Reno's before any RTT, and no slow start follows a decrease; RTT in the predictor and in the \
    square-root law is the newest delay sample; before any a timeout is congestion; a repeated timeout is judged as \
    the first of its run; a loss counts for `l` if the predictor calls it congestion, however it was found.";

/// State of EWR.
#[derive(Clone, Debug, PartialEq)]
pub struct Ewr {
    cwnd: Bytes,
    ssthresh: Bytes,
    arrivals: Arrivals,
    history: History, // of losses for congestion
    sample: Sample,
    growth: Growth,
    fixed_base: Option<Span>,
    alpha: f64, // segments
    beta: f64,  // segments
    swapped: bool,
    restart: bool,             // one segment after a congestion timeout
    add: Option<f64>,          // EER adds, up to so many optimal windows
    judged: Option<Predicted>, // at the first timeout of a run
}

/// Equation 5's form.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sample {
    Capped,
    Literal,
    Model,
    Wr,
}

/// Rule of growth.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Growth {
    Vegas,
    Reno,
    PlusOne,
}

/// What the predictor takes a loss for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Predicted {
    Wireless,
    Between,
    Congestion,
}

impl Ewr {
    /// Parameters: those of the row.
    pub fn new(config: &Config) -> Ewr {
        Ewr {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            arrivals: Arrivals::new(config),
            history: History::new(config.number("ewr_window") as u32),
            sample: match config.choice("ewr_sample") {
                "literal" => Sample::Literal,
                "model" => Sample::Model,
                "wr" => Sample::Wr,
                _ => Sample::Capped,
            },
            growth: match config.choice("ewr_growth") {
                "vegas" => Growth::Vegas,
                "plus_one" => Growth::PlusOne,
                _ => Growth::Reno,
            },
            fixed_base: (config.choice("ewr_base") == "fixed").then(|| Span::from_secs(config.number("ewr_min_rtt"))),
            alpha: config.number("ewr_alpha"),
            beta: config.number("ewr_beta"),
            swapped: config.choice("ewr_label") == "literal",
            restart: config.choice("ewr_rto_cong") == "restart",
            add: (config.choice("eer") == "add").then(|| config.number("eer_cap")),
            judged: None,
        }
    }

    /// `x`, if an RTT is known: segments in queues.
    fn backlog(&self, path: &Path) -> Option<f64> {
        //= specs/papers/ewr.md#predictor
        //# x = cwnd * (1 - baseRTT / RTT)
        let base = self.fixed_base.unwrap_or(path.rtt_min);
        (path.rtt > Span::ZERO).then(|| backlog_segments(self.cwnd, path.mss, base, path.rtt))
    }

    fn predict(&self, path: &Path) -> Option<Predicted> {
        //= specs/papers/ewr.md#predictor
        //# A loss with x < alpha is wireless, with x > beta congestion, between them neither.
        let (short, long) = match self.swapped {
            false => (Predicted::Wireless, Predicted::Congestion),
            true => (Predicted::Congestion, Predicted::Wireless),
        };
        Some(match self.backlog(path)? {
            x if x < self.alpha => short,
            x if x > self.beta => long,
            _ => Predicted::Between,
        })
    }

    fn estimate(&mut self, ack: &Ack, path: &Path) {
        let (form, l) = (self.sample, self.history.share());
        let amount = self.arrivals.on_ack(ack, path, |amount, elapsed| {
            let arrived = amount.per(elapsed);
            if form == Sample::Wr || l == 0.0 || path.rtt == Span::ZERO {
                return arrived;
            }
            //= specs/papers/ewr.md#bandwidth-sample
            //# P = (1 / RTT) * sqrt(3 / (2 * l))
            let law_per_s = num::sqrt(1.5 / l) / path.rtt.secs();
            match form {
                Sample::Literal => (law_per_s * path.mss).per(elapsed),
                Sample::Model => Rate(law_per_s * path.mss.0),
                _ => Rate(arrived.0.min(law_per_s * path.mss.0)),
            }
        });
        self.history.on_arrivals(num::round(amount.over(path.mss)) as u32);
    }

    fn grow(&mut self, ack: &Ack, path: &Path) {
        let reno = reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
        match self.growth {
            Growth::PlusOne => self.cwnd += ack.slow_start,
            Growth::Reno => self.cwnd += reno,
            Growth::Vegas if self.cwnd < self.ssthresh => self.cwnd += reno,
            //= specs/papers/ewr.md#growth
            //# x < alpha: cwnd + 1 per RTT; alpha to beta: held; x > beta: cwnd = min(cwnd, oC)
            Growth::Vegas => match self.backlog(path) {
                Some(x) if x > self.beta => {
                    self.cwnd = self.arrivals.fitting(path).map_or(self.cwnd, |fitting| self.cwnd.min(fitting));
                    self.ssthresh = self.ssthresh.min(self.cwnd); // no slow start back
                }
                Some(x) if x >= self.alpha => {}
                _ => self.cwnd += reno,
            },
        }
    }

    fn timeout(&mut self, event: &Congestion, path: &Path) -> Response {
        let predicted = if event.timeouts > 1 { self.judged } else { self.predict(path) };
        self.judged = predicted;
        if predicted == Some(Predicted::Between) {
            //= specs/papers/ewr.md#timeout
            //# Neither: cwnd and ssthresh stay as they are.
            return Response::Undecided;
        }
        let (optimal, before) = (self.arrivals.optimal(event, path), self.cwnd);
        if !event.hold_ssthresh {
            self.ssthresh = optimal;
        }
        if predicted == Some(Predicted::Wireless) {
            self.cwnd = self.enhanced_recovery(event, optimal, path);
            return if self.cwnd < before { Response::ReducedAsRandom } else { Response::Random };
        }
        //= specs/papers/ewr.md#timeout
        //# Congestion: ssthresh = oC and cwnd = 1 (`ewr_rto_cong = restart`) or min(cwnd, oC) (`ocwnd`).
        self.cwnd = if self.restart { path.mss } else { self.cwnd.min(optimal) };
        Response::Reduced
    }

    /// The window after a wireless timeout.
    fn enhanced_recovery(&self, event: &Congestion, optimal: Bytes, path: &Path) -> Bytes {
        //= specs/papers/ewr.md#enhanced-error-recovery
        //# ssthresh = oC; cwnd = oC (`eer = assign`)
        let Some(cap) = self.add else { return optimal };
        //= specs/papers/ewr.md#enhanced-error-recovery
        //# cwnd = min(rwnd, eer_cap * oC, cwnd + W * oC) with W = floor(T_loss / RTTmin) (`eer = add`)
        let lost_for = event.sent_at.map_or(Span::ZERO, |sent| event.now.since(sent));
        let steps = if path.rtt_min == Span::ZERO { 0 } else { lost_for.0 / path.rtt_min.0 };
        (self.cwnd + optimal * steps as f64).min(optimal * cap).min(path.rwnd).max(path.mss)
    }
}

impl CongestionControl for Ewr {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.estimate(ack, path);
        if ack.grows {
            self.grow(ack, path);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        if event.cause != Cause::EcnMark && event.timeouts <= 1 {
            self.history.on_loss(self.predict(path) == Some(Predicted::Congestion));
        }
        if event.cause == Cause::Rto {
            return self.timeout(event, path);
        }
        //= specs/papers/ewr.md#three-duplicate-acks
        //# ssthresh = oC and cwnd = ssthresh, also when that is larger than cwnd was
        self.cwnd = self.arrivals.optimal(event, path);
        if !event.hold_ssthresh {
            self.ssthresh = self.cwnd;
        }
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        self.arrivals.observe(out);
        out("congestion_loss_ratio", self.history.share());
    }
}

#[cfg(test)]
mod tests;
