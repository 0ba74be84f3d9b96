//! What Jersey, New Jersey and New Jersey+ share: the window sized to the estimated rate, and the routers' congestion
//! warnings.
//! Source: Xu, Tian and Ansari, IEEE JSAC 22(4), 2004 and Computer Networks 47, 2005; Kim, Koo and Choo, LNCS 4479,
//! 2007; restated in specs/papers/jersey.md and specs/papers/new-jersey.md.
//! Choices: a warning applies to a loss if a mark came within one smoothed RTT before the newest ACK (`cw_scope`); a
//! warned loss takes the optimal window in slow start, too, and however recent the last control of the rate; before any
//! estimate the window is halved; repeated timeouts count as warned; a duplicate's segment is counted once.
use units::{Bytes, Rate, Span, Time};

use crate::credit::Credit;
use crate::{Ack, Cause, Config, Congestion, Path, RecoveryExit, Response, reno};

/// Window, optimal window and warnings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Core {
    pub(crate) cwnd: Bytes,
    pub(crate) ssthresh: Bytes,
    least_rtt: bool,                // ownd from the least instead of the smoothed RTT
    scope_ack: bool,                // only a mark on the newest ACK warns
    prev_of_round: bool,            // the previous ownd is that of the last round
    restarts: bool,                 // every timeout starts over with one segment
    mix_cwnd: bool,                 // a timeout without warning mixes with cwnd
    window_rtts: f64,               // K, length of the estimator's memory
    pub(crate) ownd: Option<Bytes>, // the window that fits the estimated rate
    prev: Option<Bytes>,            // the one before
    newest: Option<Time>,           // newest ACK
    newest_marked: bool,            // it carries a mark
    marked: Option<Time>,           // newest mark
    controlled: Option<Time>,
    kept: Option<Bytes>, // window to return to after a recovery without a cut
    credit: Credit,
}

impl Core {
    /// Of the New Jerseys. Parameters `nj_rto_mix`, `nj_prev` and those of [`Core::jersey`].
    pub(crate) fn new(config: &Config) -> Core {
        Core {
            prev_of_round: config.choice("nj_prev") == "round",
            restarts: false,
            mix_cwnd: config.choice("nj_rto_mix") == "cwnd",
            ..Core::jersey(config)
        }
    }

    /// Of Jersey. Parameters `jersey_k`, `jersey_rtt`, `cw_scope`.
    pub(crate) fn jersey(config: &Config) -> Core {
        Core {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            least_rtt: config.choice("jersey_rtt") == "min",
            scope_ack: config.choice("cw_scope") == "ack",
            prev_of_round: false,
            restarts: true,
            mix_cwnd: false,
            window_rtts: config.number("jersey_k"),
            ownd: None,
            prev: None,
            newest: None,
            newest_marked: false,
            marked: None,
            controlled: None,
            kept: None,
            credit: Credit::default(),
        }
    }

    /// Bytes that an ACK stands for, and the time to average the rate over; none before the first RTT sample.
    pub(crate) fn arrival(&mut self, ack: &Ack, path: &Path) -> Option<(Bytes, Span)> {
        let credit = self.credit.on_ack(ack.newly_acked, path.mss);
        let window = Span::from_secs(self.window_rtts * path.srtt.secs());
        (window > Span::ZERO).then_some((credit, window))
    }

    /// The rest of an ACK's work, once the rate is estimated.
    pub(crate) fn on_ack(&mut self, ack: &Ack, rate: Rate, path: &Path) {
        self.size(ack, rate, path);
        self.newest = Some(ack.now);
        self.newest_marked = ack.marked;
        if ack.marked {
            self.marked = Some(ack.now);
            self.control(ack.now, path);
        }
        if ack.grows {
            self.cwnd += reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
        }
    }

    fn size(&mut self, ack: &Ack, rate: Rate, path: &Path) {
        if !self.prev_of_round || ack.round.is_some() {
            self.prev = self.ownd;
        }
        let rtt = if self.least_rtt { path.rtt_min } else { path.srtt };
        if rate > 0.0 && rtt > Span::ZERO {
            //= specs/papers/new-jersey.md#optimal-window
            //# ownd = max(2, R * RTT / MSS)
            self.ownd = Some(path.pipe(rate, rtt));
        }
    }

    /// The optimal window; half of today's before any estimate.
    pub(crate) fn target(&self, event: &Congestion) -> Bytes {
        self.ownd.unwrap_or(event.keep(0.5).ssthresh)
    }

    /// Fit the window to the rate, at most once per RTT, as soon as there is an estimate.
    fn control(&mut self, now: Time, path: &Path) {
        if self.controlled.is_some_and(|then| now.since(then) < path.srtt) {
            return;
        }
        let Some(target) = self.ownd else { return };
        //= specs/papers/new-jersey.md#rate-control
        //# ssthresh = ownd; cwnd = ownd in congestion avoidance and min(cwnd, ownd) in slow start
        self.cwnd = if self.cwnd < self.ssthresh { self.cwnd.min(target) } else { target };
        self.ssthresh = target;
        self.kept = None;
        self.controlled = Some(now);
    }

    /// A mark on the newest ACK, or within one RTT before it.
    fn warned(&self, path: &Path) -> bool {
        if self.scope_ack {
            return self.newest_marked;
        }
        match (self.newest, self.marked) {
            (Some(newest), Some(marked)) => newest.since(marked) <= path.srtt,
            _ => false,
        }
    }

    /// Everything but duplicate ACKs without a warning, which is `unwarned`'s to decide: it may change the window and
    /// the threshold, and the window it leaves is what recovery returns to.
    pub(crate) fn on_congestion(
        &mut self,
        event: &Congestion,
        path: &Path,
        unwarned: impl FnOnce(&mut Core),
    ) -> Response {
        let warned = self.warned(path);
        match event.cause {
            Cause::EcnMark => {
                self.control(event.now, path);
                let now = self.controlled == Some(event.now);
                if now { Response::Reduced } else { Response::SameWindow }
            }
            Cause::DupAcks if warned => {
                //= specs/papers/new-jersey.md#three-duplicate-acks
                //# With a warning ssthresh = cwnd = ownd.
                self.ssthresh = self.target(event);
                self.cwnd = self.ssthresh;
                self.controlled = Some(event.now);
                self.kept = None;
                Response::Reduced
            }
            Cause::DupAcks => {
                unwarned(self);
                self.kept = Some(self.cwnd);
                Response::Random
            }
            Cause::Rto => self.timeout(event, warned, path),
        }
    }

    fn timeout(&mut self, event: &Congestion, warned: bool, path: &Path) -> Response {
        let target = self.target(event);
        let before = self.cwnd;
        self.kept = None;
        if !event.hold_ssthresh {
            self.ssthresh = target;
        }
        if self.restarts || warned || event.timeouts > 1 || self.ownd.is_none() {
            //= specs/papers/new-jersey.md#timeout
            //# With a warning ssthresh = ownd and cwnd = 1.
            self.cwnd = path.mss;
            return Response::Reduced;
        }
        //= specs/papers/new-jersey.md#timeout
        //# Without a warning ssthresh = ownd and cwnd = (ownd + ownd_prev) / 2.
        let other = if self.mix_cwnd { self.cwnd } else { self.prev.unwrap_or(target) };
        self.cwnd = ((target + other) / 2.0).max(path.mss);
        if self.cwnd < before { Response::ReducedAsRandom } else { Response::Random }
    }

    pub(crate) fn on_recovery_exit(&mut self, exit: &RecoveryExit) {
        self.cwnd = self.kept.take().unwrap_or(exit.window);
    }

    pub(crate) fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("ownd_bytes", self.ownd.unwrap_or_default().0);
    }
}
