//! Handover-aware Westwood+: Westwood+ that keeps its window while a handover loses segments.
//! Source: Rana 2013 after Kim, Chung, Yoon and Kim, CCNC 2008, restated in specs/papers/westwood-plus-ho.md. Only
//! "keep cwnd across the handover" is stated; the rest is our reading.
use units::{Bytes, Span, Time};

use crate::westwood_plus::WestwoodPlus;
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, RecoveryExit, Response, Signal, Thaw, Windows};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    those of Westwood+; losses while frozen count as judged random; marks are passed over while frozen; a run of \
    timeouts rolls back to the windows before its first one; bandwidth samples begin anew with the first ACK after \
    the guard time.";

/// State of handover-aware Westwood+.
#[derive(Clone, Debug, PartialEq)]
pub struct WestwoodPlusHo {
    plain: WestwoodPlus,
    guard_rtos: f64, // frozen for so many timeouts after the end
    resends: bool,
    relearns: bool, // the least RTT
    rolls_back: bool,
    limit: Span, // longest handover
    frozen: Option<Frozen>,
    before_timeout: Option<Before>,
    kept: Option<Bytes>, // window to return to after a recovery that began frozen
    least: Option<Least>,
}

/// The windows kept, and how long.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frozen {
    windows: Windows,
    since: Time,
    until: Option<Time>, // end of the guard time; none before the end of the handover
}

impl Frozen {
    fn is_over(&self, now: Time, limit: Span) -> bool {
        now >= self.until.unwrap_or(self.since + limit)
    }
}

/// The windows before the newest run of timeouts, and its newest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Before {
    windows: Windows,
    at: Time,
}

/// Least RTT since the last handover.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Least(Option<Span>);

impl WestwoodPlusHo {
    /// Parameters `ho_guard`, `ho_kick`, `ho_rttmin`, `ho_rollback`, `ho_limit` and those of Westwood+.
    pub fn new(config: &Config) -> WestwoodPlusHo {
        WestwoodPlusHo {
            plain: WestwoodPlus::new(config),
            guard_rtos: config.number("ho_guard"),
            resends: config.flag("ho_kick"),
            relearns: config.choice("ho_rttmin") == "relearn",
            rolls_back: config.flag("ho_rollback"),
            limit: Span::from_secs(config.number("ho_limit")),
            frozen: None,
            before_timeout: None,
            kept: None,
            least: None,
        }
    }

    /// The path with the least RTT that counts.
    fn view(&self, path: &Path) -> Path {
        let least = self.least.and_then(|least| least.0);
        Path { rtt_min: least.unwrap_or(path.rtt_min), ..*path }
    }

    /// End the freeze if its time is over.
    fn thaw(&mut self, now: Time, path: &Path) {
        let Some(frozen) = self.frozen.filter(|frozen| frozen.is_over(now, self.limit)) else { return };
        self.frozen = None;
        self.plain.reopen();
        if frozen.until.is_none() {
            //= specs/papers/westwood-plus-ho.md#freezing
            //# Without an end within 60 s (`ho_limit`) the sender acts as on a timeout.
            let timeout = Congestion {
                now,
                cause: Cause::Rto,
                cut_already: false,
                timeouts: 1,
                retransmitted: false,
                sent_at: None,
                hold_ssthresh: false,
                halving: path.halving(self.plain.cwnd()),
            };
            self.plain.on_congestion(&timeout, &self.view(path));
            self.kept = None;
        }
    }

    fn freeze(&mut self, now: Time, rto: Span, path: &Path) {
        self.thaw(now, path);
        if self.frozen.is_some_and(|frozen| frozen.until.is_none()) {
            return;
        }
        //= specs/papers/westwood-plus-ho.md#roll-back
        //# A timeout within one RTO before the warning is taken back: cwnd and ssthresh are what they were before it.
        if let Some(before) = self.before_timeout.take()
            && self.rolls_back
            && now.since(before.at) <= rto
        {
            self.plain.set_windows(before.windows);
        }
        self.frozen = Some(Frozen { windows: self.plain.windows(), since: now, until: None });
    }

    fn end_handover(&mut self, now: Time, rto: Span, path: &Path) {
        self.thaw(now, path);
        let Some(frozen) = self.frozen.filter(|frozen| frozen.until.is_none()) else { return };
        //= specs/papers/westwood-plus-ho.md#end-of-a-handover
        //# cwnd = cwnd_h; ssthresh = max(ssthresh_h, BWE_h * RTTmin)
        let Windows { cwnd, ssthresh } = frozen.windows;
        let fitting = self.plain.fitting(&self.view(path)).unwrap_or(ssthresh);
        self.plain.set_windows(Windows { cwnd, ssthresh: ssthresh.max(fitting) });
        if self.relearns {
            self.least = Some(Least(None));
            self.plain.relearn();
        }
        let guard = Span::from_secs(self.guard_rtos * rto.secs());
        self.frozen = Some(Frozen { until: Some(now + guard), ..frozen });
    }
}

impl CongestionControl for WestwoodPlusHo {
    fn on_init(&mut self, window: Bytes, ssthresh: Bytes, path: &Path) {
        self.plain.on_init(window, ssthresh, path);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.thaw(ack.now, path);
        if let (Some(least), Some(rtt)) = (&mut self.least, ack.rtt) {
            least.0 = Some(least.0.map_or(rtt, |least| least.min(rtt)));
        }
        //= specs/papers/westwood-plus-ho.md#freezing
        //# While frozen the window does not grow and the bandwidth gets no samples.
        match (self.frozen, self.least) {
            (Some(_), _) => self.plain.pass_over(ack, path),
            (None, None) => self.plain.on_ack(ack, path),
            (None, Some(_)) => self.plain.on_ack(ack, &self.view(path)),
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        self.thaw(event.now, path);
        if self.frozen.is_some() {
            //= specs/papers/westwood-plus-ho.md#freezing
            //# Duplicate ACKs and timeouts retransmit and leave cwnd and ssthresh alone.
            self.kept = (event.cause == Cause::DupAcks).then(|| self.plain.cwnd());
            return if event.cause == Cause::EcnMark { Response::Undecided } else { Response::Random };
        }
        self.kept = None;
        if event.cause == Cause::Rto {
            let now = Before { windows: self.plain.windows(), at: event.now };
            let first = self.before_timeout.filter(|_| event.timeouts > 1).unwrap_or(now);
            self.before_timeout = Some(Before { at: event.now, ..first });
        }
        self.plain.on_congestion(event, &self.view(path))
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit, path: &Path) {
        self.thaw(exit.now, path);
        match (self.kept.take(), self.frozen) {
            (Some(kept), _) => self.plain.set_cwnd(kept),
            (None, Some(_)) => {}
            (None, None) => self.plain.on_recovery_exit(exit, &self.view(path)),
        }
    }

    fn on_signal(&mut self, signal: &Signal, path: &Path) {
        match *signal {
            Signal::HandoverStart { now, rto } => self.freeze(now, rto, path),
            Signal::HandoverEnd { now, rto } => self.end_handover(now, rto, path),
            _ => {}
        }
    }

    fn frozen(&self, now: Time) -> Option<Thaw> {
        let frozen = self.frozen.filter(|frozen| !frozen.is_over(now, self.limit));
        frozen.map(|_| if self.resends { Thaw::Resend } else { Thaw::Wait })
    }

    fn set_cwnd(&mut self, cwnd: Bytes) {
        if self.frozen.is_none() {
            self.plain.set_cwnd(cwnd);
        }
    }

    #[inline]
    fn windows(&self) -> Windows {
        self.plain.windows()
    }

    fn set_windows(&mut self, windows: Windows) {
        self.plain.set_windows(windows);
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        self.plain.observe(out);
        out("frozen_flag", f64::from(u8::from(self.frozen.is_some())));
    }
}

#[cfg(test)]
mod tests;
