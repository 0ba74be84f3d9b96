//! BBR's model of the path: what it delivers and holds, for long, and as losses have it of late.
use units::{Bytes, Rate, Span, Time};

use super::UNBOUNDED;
use crate::DeliverySample;

/// Rates, round-trip times, bounds and rounds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model {
    /// Greatest delivery rate of the cycle before and of this one.
    rates: [Rate; 2],
    bw_short: Rate,
    pub(super) inflight_long: Bytes,
    pub(super) inflight_short: Bytes,
    min_rtt: Option<Span>,
    min_rtt_at: Time,
    /// The least RTT since the last ProbeRTT or so.
    probe_rtt_min: Option<Span>,
    probe_rtt_min_at: Time,
    /// Segments delivered since the connection opened.
    total: u32,
    round_ends: u32,
    started: bool,
    pub(super) rounds: u32,
    /// Greatest rate and amount delivered in the round that is on.
    bw_latest: Rate,
    inflight_latest: Bytes,
    loss_round_ends: u32,
    loss_round_started: bool,
}

impl Default for Model {
    fn default() -> Model {
        Model {
            rates: [Rate(0.0); 2],
            bw_short: Rate(f64::INFINITY),
            inflight_long: UNBOUNDED,
            inflight_short: UNBOUNDED,
            min_rtt: None,
            min_rtt_at: Time::ZERO,
            probe_rtt_min: None,
            probe_rtt_min_at: Time::ZERO,
            total: 0,
            round_ends: 0,
            started: false,
            rounds: 0,
            bw_latest: Rate(0.0),
            inflight_latest: Bytes::ZERO,
            loss_round_ends: 0,
            loss_round_started: false,
        }
    }
}

impl Model {
    /// Greatest delivery rate of two cycles.
    pub(super) fn max_bw(&self) -> Rate {
        self.rates[0].max(self.rates[1])
    }

    /// The rate to send at.
    pub(super) fn bw(&self) -> Rate {
        //= specs/papers/bbr3.md#model
        //# bw = min(max_bw, bw_short)
        if self.bw_short < self.max_bw() { self.bw_short } else { self.max_bw() }
    }

    pub(super) fn min_rtt(&self) -> Option<Span> {
        self.min_rtt
    }

    pub(super) fn inflight_latest(&self) -> Bytes {
        self.inflight_latest
    }

    pub(super) fn round_started(&self) -> bool {
        self.started
    }

    /// A round ends that is counted from the first loss on.
    pub(super) fn loss_round_started(&self) -> bool {
        self.loss_round_started
    }

    /// Let a round begin now.
    pub(super) fn begin_round(&mut self) {
        self.round_ends = self.total;
    }

    pub(super) fn begin_loss_round(&mut self, total: u32) {
        self.loss_round_ends = total;
    }

    /// What the round delivers; before the rest of the ACK.
    pub(super) fn latest_delivery(&mut self, sample: &DeliverySample, mss: Bytes) {
        self.bw_latest = self.bw_latest.max(sample.rate(mss).unwrap_or(Rate(0.0)));
        self.inflight_latest = self.inflight_latest.max(f64::from(sample.delivered) * mss);
        self.loss_round_started = sample.newly_delivered > 0 && sample.total_at_send >= self.loss_round_ends;
        if self.loss_round_started {
            self.loss_round_ends = sample.total;
        }
    }

    /// The next round begins with this ACK's values; after the rest of the ACK.
    pub(super) fn end_delivery(&mut self, sample: &DeliverySample, mss: Bytes) {
        if self.loss_round_started {
            self.bw_latest = sample.rate(mss).unwrap_or(Rate(0.0));
            self.inflight_latest = f64::from(sample.delivered) * mss;
        }
    }

    /// Rounds and the greatest rate.
    pub(super) fn on_sample(&mut self, sample: &DeliverySample, mss: Bytes) {
        self.total = sample.total;
        self.started = sample.newly_delivered > 0 && sample.total_at_send >= self.round_ends;
        if self.started {
            self.begin_round();
            self.rounds += 1;
        }
        let Some(rate) = sample.rate(mss) else { return };
        //= specs/papers/bbr3.md#model
        //# max_bw = the greatest delivery rate of this cycle and the one before; a limited sample counts only if it is
        //# greater
        if !sample.app_limited || rate >= self.max_bw() {
            self.rates[1] = self.rates[1].max(rate);
        }
    }

    /// Another cycle begins: the one before the last is forgotten.
    pub(super) fn next_cycle(&mut self) {
        if self.rates[1] > Rate(0.0) {
            self.rates = [self.rates[1], Rate(0.0)];
        }
    }

    /// A round with losses.
    pub(super) fn lower_short_bounds(&mut self, cwnd: Bytes, beta: f64) {
        if self.bw_short == Rate(f64::INFINITY) {
            self.bw_short = self.max_bw();
        }
        if self.inflight_short == UNBOUNDED {
            self.inflight_short = cwnd;
        }
        //= specs/papers/bbr3.md#loss
        //# bw_short = max(rate of the round, 0.7 * bw_short)
        self.bw_short = self.bw_latest.max(beta * self.bw_short);
        //= specs/papers/bbr3.md#loss
        //# inflight_short = max(delivered in the round, 0.7 * inflight_short)
        self.inflight_short = self.inflight_latest.max(beta * self.inflight_short);
    }

    pub(super) fn forget_short_bounds(&mut self) {
        (self.bw_short, self.inflight_short) = (Rate(f64::INFINITY), UNBOUNDED);
    }

    pub(super) fn forget_round(&mut self) {
        (self.bw_latest, self.inflight_latest) = (Rate(0.0), Bytes::ZERO);
    }

    /// Take an RTT. True if no RTT was as low for as long as ProbeRTT waits.
    pub(super) fn on_rtt(&mut self, now: Time, rtt: Option<Span>, window: Span, interval: Span) -> bool {
        //= specs/papers/bbr3.md#model
        //# min_rtt = the least RTT of the last 10 s; ProbeRTT looks at the least of the last 5 s
        let expired = self.probe_rtt_min.is_some() && now > self.probe_rtt_min_at + interval;
        if let Some(rtt) = rtt
            && (expired || self.probe_rtt_min.is_none_or(|least| rtt < least))
        {
            (self.probe_rtt_min, self.probe_rtt_min_at) = (Some(rtt), now);
        }
        let Some(least) = self.probe_rtt_min else { return false };
        if self.min_rtt.is_none_or(|min_rtt| least < min_rtt) || now > self.min_rtt_at + window {
            (self.min_rtt, self.min_rtt_at) = (Some(least), self.probe_rtt_min_at);
        }
        expired
    }

    /// ProbeRTT is over: the next one has time.
    pub(super) fn confirm_rtt(&mut self, now: Time) {
        self.probe_rtt_min_at = now;
    }
}
