//! BBR's model of the path: the most it delivered lately, the least it took, and the rounds in which time is counted.
use units::{Bytes, Rate, Span, Time};

use crate::DeliverySample;

/// Most rounds that the maximum may look back.
pub(crate) const MAX_ROUNDS: usize = 16;

/// Bottleneck bandwidth and round-trip propagation time.
#[derive(Clone, Debug, PartialEq)]
#[repr(C)]
pub(super) struct Model {
    btlbw: Rate,
    /// Least RTT; [`NONE`] before the first.
    rtprop: Span,
    rtprop_at: Time,
    /// What the path holds: bandwidth and RTT multiplied; zero before there is an RTT.
    bdp: Bytes,
    /// Segments delivered since the connection opened.
    total: u32,
    /// A round is over when a segment is acknowledged that was sent after so many had been delivered.
    round_ends: u32,
    started: bool,
    window: u8,
    /// Place of the round that is on.
    slot: u8,
    /// Greatest delivery rate of the round that is on: segments, and the time they took; zero and 1 ns at first.
    delivered: u32,
    interval: Span,
    /// Greatest delivery rate of each of the last rounds, in a ring of the window's length.
    rates: [Rate; MAX_ROUNDS],
}

/// No RTT so far.
const NONE: Span = Span(u64::MAX);

impl Model {
    pub(super) fn new(window: usize) -> Model {
        Model {
            btlbw: Rate(0.0),
            rtprop: NONE,
            rtprop_at: Time::NEVER,
            bdp: Bytes::ZERO,
            total: 0,
            round_ends: 0,
            started: false,
            delivered: 0,
            interval: Span(1),
            rates: [Rate(0.0); MAX_ROUNDS],
            window: window.clamp(1, MAX_ROUNDS) as u8,
            slot: 0,
        }
    }

    /// Greatest delivery rate of the last rounds.
    pub(super) fn btlbw(&self) -> Rate {
        self.btlbw
    }

    /// Least RTT of the last seconds, if there is one.
    pub(super) fn rtprop(&self) -> Option<Span> {
        (self.rtprop != NONE).then_some(self.rtprop)
    }

    /// So much time is more than RTprop. Nothing is before there is one.
    pub(super) fn is_longer(&self, time: Span) -> bool {
        time > self.rtprop
    }

    /// Bandwidth-delay product; zero before there is an RTT.
    pub(super) fn bdp(&self) -> Bytes {
        self.bdp
    }

    fn set_btlbw(&mut self, btlbw: Rate) {
        if btlbw != self.btlbw {
            self.btlbw = btlbw;
            self.bdp = btlbw * self.rtprop().unwrap_or_default();
        }
    }

    /// Segments delivered since the connection opened.
    #[cfg(test)]
    pub(super) fn total(&self) -> u32 {
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
    #[inline]
    pub(super) fn on_sample(&mut self, sample: &DeliverySample, mss: Bytes) {
        self.total = sample.total;
        self.started = sample.newly_delivered > 0 && sample.total_at_send >= self.round_ends;
        if self.started {
            self.on_round();
        }
        if sample.is_above(self.delivered, self.interval) {
            self.on_rate(sample, mss);
        }
    }

    #[inline(never)]
    fn on_round(&mut self) {
        self.begin_round();
        self.slot = if self.slot + 1 < self.window { self.slot + 1 } else { 0 };
        self.rates[usize::from(self.slot)] = Rate(0.0);
        (self.delivered, self.interval) = (0, Span(1));
        let rounds = &self.rates[..usize::from(self.window)];
        self.set_btlbw(rounds.iter().fold(Rate(0.0), |most, &rate| most.max(rate)));
    }

    /// The greatest rate of the round so far.
    #[inline(never)]
    fn on_rate(&mut self, sample: &DeliverySample, mss: Bytes) {
        let Some(rate) = sample.rate(mss) else { return };
        //= specs/papers/bbr.md#model
        //# BtlBw = the greatest delivery rate of the last 10 rounds; a limited sample counts only if it is greater
        if !sample.app_limited || rate >= self.btlbw {
            (self.delivered, self.interval) = (sample.delivered, sample.interval);
            self.rates[usize::from(self.slot)] = rate;
            self.set_btlbw(self.btlbw.max(rate));
        }
    }

    /// The RTT of the handshake.
    pub(super) fn begin(&mut self, rtt: Span) {
        self.rtprop = rtt;
    }

    /// Take an RTT. True if the old least one is out of date.
    #[inline]
    pub(super) fn on_rtt(&mut self, now: Time, rtt: Option<Span>, window: Span) -> bool {
        //= specs/papers/bbr.md#model
        //# RTprop = the least RTT of the last 10 s, that of the handshake included
        if self.rtprop_at == Time::NEVER && self.rtprop != NONE {
            self.rtprop_at = Time(now.0.saturating_sub(rtt.unwrap_or_default().0)); // when the first segment left
        }
        let expired = now > self.rtprop_at + window;
        if let Some(rtt) = rtt
            && (expired || rtt <= self.rtprop)
        {
            self.rtprop = rtt;
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

    const MSS: Bytes = Bytes(1000.0);

    /// Ten segments of 1000 bytes delivered in `ms`; a round each.
    fn sample(number: u32, ms: u64) -> DeliverySample {
        let total = 10 * number;
        DeliverySample {
            delivered: 10,
            interval: Span::from_millis(ms),
            newly_delivered: 10,
            total,
            total_at_send: total - 10,
            ..DeliverySample::default()
        }
    }

    #[test]
    fn the_greatest_rate_is_forgotten_after_so_many_rounds() {
        let mut model = Model::new(3);
        model.on_sample(&sample(1, 100), MSS);
        assert_eq!(model.btlbw(), Rate(100_000.0));
        // 10 kB in 200 ms; the first round counts for two more
        for number in 2..4 {
            model.on_sample(&sample(number, 200), MSS);
            assert_eq!(model.btlbw(), Rate(100_000.0), "round {number}");
        }
        model.on_sample(&sample(4, 200), MSS);
        assert_eq!(model.btlbw(), Rate(50_000.0));
    }

    #[test]
    fn a_limited_sample_counts_only_if_it_is_greater() {
        let mut model = Model::new(1);
        model.on_sample(&sample(1, 100), MSS);
        let slow = DeliverySample { app_limited: true, total_at_send: 0, ..sample(1, 400) };
        model.on_sample(&slow, MSS);
        assert_eq!(model.btlbw(), Rate(100_000.0));
        model.on_sample(&DeliverySample { interval: Span::from_millis(50), ..slow }, MSS);
        assert_eq!(model.btlbw(), Rate(200_000.0));
    }

    #[test]
    fn a_round_takes_what_was_in_flight() {
        let mut model = Model::new(10);
        model.on_sample(&sample(1, 100), MSS);
        assert!(model.round_started());
        // sent when nine were delivered, before the round began at ten
        model.on_sample(&DeliverySample { total_at_send: 9, ..sample(2, 100) }, MSS);
        assert!(!model.round_started());
        model.on_sample(&DeliverySample { total_at_send: 10, ..sample(3, 100) }, MSS);
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
