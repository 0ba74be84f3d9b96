//! Vegas as ns-2 has it: a decision per round on whole segments, a cut per loss.
use units::{Span, num};

use super::Vegas;
use crate::round_rtt::RoundRtt;
use crate::{Ack, Congestion, Path, Response, Round};

/// What an ACK adds in a round of slow start that grows, for each segment that it counts for.
const SLOW_START_STEP: f64 = 1.0;

/// What ns-2's agent counts as outstanding: one segment more than the flight size that the ACK leaves, which is what
/// was outstanding before it where each segment is acknowledged.
fn outstanding(path: &Path) -> f64 {
    path.flight_size.over(path.mss) + 1.0
}

impl Vegas {
    /// The difference of expected and actual rate, in segments queued, for a round that ended.
    pub(super) fn difference(&mut self, ended: &RoundRtt, round: &Round, path: &Path) -> f64 {
        let rtt = ended.mean().unwrap_or(round.length);
        if round.sent <= path.mss || self.base.is_none() {
            self.base = Some(rtt);
        }
        let base_s = self.base.unwrap_or(rtt).secs();
        if base_s == 0.0 || rtt == Span::ZERO {
            return 0.0;
        }
        //= specs/papers/vegas.md#difference
        //# diff = (W / baseRTT - S / RTT) * baseRTT, rounded to the nearest integer
        // so that half a segment comes out as a half, which ns-2's noise in base_s, a minimum, makes a little more
        num::round(outstanding(path) - round.sent.over(path.mss) * (base_s / rtt.secs()))
    }

    pub(super) fn decide(&mut self, diff: f64) {
        if self.slow_start() {
            if !self.every_second_ack {
                self.grow = !self.grow;
            }
            if diff > self.gamma && (self.grow || self.every_second_ack) {
                //= specs/papers/vegas.md#slow-start
                //# If diff > gamma then cwnd = max(cwnd - cwnd / 8, 2) and ssthresh = 2.
                self.cwnd = (self.cwnd * 0.875).max(2.0);
                self.ssthresh = 2.0;
                self.step = 0.0;
            } else {
                //= specs/papers/vegas.md#slow-start
                //# The window grows by one segment per ACK in every second round, or rather by as many as the ACK
                //# counts for in slow start.
                self.step = if self.grow { SLOW_START_STEP } else { 0.0 };
            }
        } else {
            self.avoid(diff);
        }
    }

    /// What an ACK that may grow the window adds.
    pub(super) fn growth(&mut self, ack: &Ack, path: &Path) -> f64 {
        //= specs/papers/vegas.md#growth
        //# An ACK adds inc only if cwnd - flight <= 2.
        if self.cwnd - outstanding(path) > 2.0 {
            return 0.0;
        }
        if self.slow_start() && self.every_second_ack {
            self.grow = !self.grow;
            return if self.grow { ack.slow_start.over(self.mss) } else { 0.0 };
        }
        if self.step == SLOW_START_STEP && !self.slow_start() {
            return 0.0;
        }
        self.step * self.counted(ack)
    }

    /// The window after a cut, counted in whole segments.
    fn cut(&self, retransmitted: bool, path: &Path) -> f64 {
        let win = num::floor(self.cwnd.min(path.rwnd.over(path.mss)));
        //= specs/papers/vegas.md#cut
        //# W = 2 if win <= 3; win / 2 if the segment was sent more than once; else win - win / 4
        if win <= 3.0 {
            2.0
        } else if retransmitted {
            num::floor(win / 2.0)
        } else {
            win - num::floor(win / 4.0)
        }
    }

    pub(super) fn on_dup_acks(&mut self, event: &Congestion, path: &Path) -> Response {
        //= specs/papers/vegas.md#cut
        //# The window is cut only if the segment was sent after the last cut.
        let paid = match (event.sent_at, self.cut_at) {
            (Some(sent_at), Some(cut_at)) => sent_at <= cut_at,
            (None, Some(_)) => event.cut_already,
            (_, None) => false,
        };
        if paid {
            return Response::SameWindow;
        }
        self.cwnd = self.cut(event.retransmitted, path);
        self.after = Some(self.cwnd);
        self.cut_at = Some(event.now);
        Response::Reduced
    }
}
