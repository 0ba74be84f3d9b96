//! BBR's model of the path: the most it delivered lately, the least it took, and the rounds in which time is counted.
use units::{Bytes, Rate, Span, Time};

use crate::DeliverySample;

/// Most rounds that the maximum may look back.
pub(crate) const MAX_ROUNDS: usize = 16;

/// Bottleneck bandwidth and round-trip propagation time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model {
    /// Greatest delivery rate of each of the last rounds, in a ring of the window's length.
    rates: [Rate; MAX_ROUNDS],
    window: usize,
    /// Place of the round that is on.
    slot: usize,
    btlbw: Rate,
    /// What the path holds: the two multiplied.
    bdp: Bytes,
    /// A round is over when a segment is acknowledged that was sent after so much had been delivered.
    round_ends: Bytes,
    started: bool,
    total: Bytes,
    rtprop: Option<Span>,
    rtprop_at: Time,
}

impl Model {
    pub(super) fn new(window: usize) -> Model {
        Model {
            rates: [Rate(0.0); MAX_ROUNDS],
            window: window.clamp(1, MAX_ROUNDS),
            slot: 0,
            btlbw: Rate(0.0),
            bdp: Bytes::ZERO,
            round_ends: Bytes::ZERO,
            started: false,
            total: Bytes::ZERO,
            rtprop: None,
            rtprop_at: Time::ZERO,
        }
    }

    /// Greatest delivery rate of the last rounds.
    pub(super) fn btlbw(&self) -> Rate {
        self.btlbw
    }

    /// Least RTT of the last seconds, if there is one.
    pub(super) fn rtprop(&self) -> Option<Span> {
        self.rtprop
    }

    /// Bandwidth-delay product; zero before there is an RTT.
    pub(super) fn bdp(&self) -> Bytes {
        self.bdp
    }

    fn set_btlbw(&mut self, btlbw: Rate) {
        if btlbw != self.btlbw {
            self.btlbw = btlbw;
            self.bdp = btlbw * self.rtprop.unwrap_or_default();
        }
    }

    /// Delivered since the connection opened.
    #[cfg(test)]
    pub(super) fn total(&self) -> Bytes {
        self.total
    }

    /// The latest ACK began a round.
    pub(super) fn round_started(&self) -> bool {
        self.started
    }

    /// Let a round begin now.
    pub(super) fn begin_round(&mut self) {
        self.round_ends = self.total;
    }

    /// Rounds and bandwidth.
    pub(super) fn on_sample(&mut self, sample: &DeliverySample) {
        self.total = sample.total;
        self.started = sample.newly_delivered > 0.0 && sample.total_at_send >= self.round_ends;
        if self.started {
            self.begin_round();
            self.slot = if self.slot + 1 < self.window { self.slot + 1 } else { 0 };
            self.rates[self.slot] = Rate(0.0);
            self.set_btlbw(self.rates[..self.window].iter().fold(Rate(0.0), |most, &rate| most.max(rate)));
        }
        let Some(rate) = sample.rate() else { return };
        //= specs/papers/bbr.md#model
        //# BtlBw = the greatest delivery rate of the last 10 rounds; a limited sample counts only if it is greater
        if !sample.app_limited || rate >= self.btlbw {
            let most = &mut self.rates[self.slot];
            *most = most.max(rate);
            self.set_btlbw(self.btlbw.max(rate));
        }
    }

    /// Take an RTT. True if the old least one is out of date.
    pub(super) fn on_rtt(&mut self, now: Time, rtt: Option<Span>, window: Span) -> bool {
        //= specs/papers/bbr.md#model
        //# RTprop = the least RTT of the last 10 s
        let expired = self.rtprop.is_some() && now > self.rtprop_at + window;
        if let Some(rtt) = rtt
            && (expired || self.rtprop.is_none_or(|least| rtt <= least))
        {
            self.rtprop = Some(rtt);
            self.bdp = self.btlbw * rtt;
            self.rtprop_at = now;
        }
        expired
    }

    /// RTprop was measured with an empty queue just now.
    pub(super) fn confirm_rtprop(&mut self, now: Time) {
        self.rtprop_at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten segments of 1000 bytes delivered in `ms`; a round each.
    fn sample(number: u64, ms: u64) -> DeliverySample {
        let total = Bytes(10_000.0 * number as f64);
        DeliverySample {
            delivered: Bytes(10_000.0),
            interval: Span::from_millis(ms),
            newly_delivered: Bytes(10_000.0),
            total,
            total_at_send: total - Bytes(10_000.0),
            ..DeliverySample::default()
        }
    }

    #[test]
    fn the_greatest_rate_is_forgotten_after_so_many_rounds() {
        let mut model = Model::new(3);
        model.on_sample(&sample(1, 100));
        assert_eq!(model.btlbw(), Rate(100_000.0));
        // 10 kB in 200 ms; the first round counts for two more
        for number in 2..4 {
            model.on_sample(&sample(number, 200));
            assert_eq!(model.btlbw(), Rate(100_000.0), "round {number}");
        }
        model.on_sample(&sample(4, 200));
        assert_eq!(model.btlbw(), Rate(50_000.0));
    }

    #[test]
    fn a_limited_sample_counts_only_if_it_is_greater() {
        let mut model = Model::new(1);
        model.on_sample(&sample(1, 100));
        let slow = DeliverySample { app_limited: true, total_at_send: Bytes::ZERO, ..sample(1, 400) };
        model.on_sample(&slow);
        assert_eq!(model.btlbw(), Rate(100_000.0));
        model.on_sample(&DeliverySample { interval: Span::from_millis(50), ..slow });
        assert_eq!(model.btlbw(), Rate(200_000.0));
    }

    #[test]
    fn a_round_takes_what_was_in_flight() {
        let mut model = Model::new(10);
        model.on_sample(&sample(1, 100));
        assert!(model.round_started());
        // sent when 9000 were delivered, before the round began at 10 000
        model.on_sample(&DeliverySample { total_at_send: Bytes(9000.0), ..sample(2, 100) });
        assert!(!model.round_started());
        model.on_sample(&DeliverySample { total_at_send: Bytes(10_000.0), ..sample(3, 100) });
        assert!(model.round_started());
    }

    #[test]
    fn the_least_rtt_is_kept_for_its_window() {
        let mut model = Model::new(10);
        let (ms, window) = (|ms| Some(Span::from_millis(ms)), Span::from_secs(10.0));
        assert!(!model.on_rtt(Time::from_secs(1.0), ms(50), window));
        assert!(!model.on_rtt(Time::from_secs(5.0), ms(70), window));
        assert!(!model.on_rtt(Time::from_secs(11.0), ms(70), window)); // 10 s later: not more
        assert_eq!(model.rtprop(), ms(50));
        assert!(model.on_rtt(Time::from_secs(11.1), ms(70), window));
        assert_eq!(model.rtprop(), ms(70));
        assert!(!model.on_rtt(Time::from_secs(11.2), ms(90), window));
    }
}
