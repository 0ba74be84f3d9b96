//! The sending end: a packet at each turn that the rate gives.

use cc::tfrc::{Report, Sender};
use units::{Rate, Span, Time};

use super::TfrcConfig;
use crate::{Data, Datagram, Feedback};

/// Counters of a rate-controlled sender.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TfrcStats {
    /// Packets sent.
    pub sent: u64,
    /// Reports received.
    pub reports: u64,
    /// Expiries of the no-feedback timer.
    pub timeouts: u64,
    /// Sum of the RTT samples, seconds.
    pub rtt_sum: f64,
    /// Least RTT sample; zero before the first.
    pub rtt_min: Span,
    /// Greatest RTT sample.
    pub rtt_max: Span,
}

/// State of the sending end.
#[derive(Debug)]
pub struct TfrcSender {
    config: TfrcConfig,
    /// `None` before it starts.
    rate: Option<Sender>,
    /// When the last packet's turn was.
    last: Time,
    /// When the next packet's turn is.
    next: Time,
    /// When the no-feedback timer expires.
    patience: Time,
    /// Counters.
    pub stats: TfrcStats,
}

impl TfrcSender {
    /// A sender that has not started.
    pub fn new(config: &TfrcConfig) -> TfrcSender {
        TfrcSender {
            config: *config,
            rate: None,
            last: Time::ZERO,
            next: Time::NEVER,
            patience: Time::NEVER,
            stats: TfrcStats::default(),
        }
    }

    pub(crate) fn open(&mut self, now: Time) {
        let rate = Sender::new(&self.config.rules, self.config.payload, now);
        self.next = now;
        self.patience = now + rate.patience();
        self.rate = Some(rate);
    }

    pub(crate) fn stop(&mut self) {
        (self.next, self.patience) = (Time::NEVER, Time::NEVER);
    }

    pub(crate) fn on_feedback(&mut self, now: Time, feedback: &Feedback) {
        let Some(rate) = &mut self.rate else { return };
        let rtt = now.since(feedback.echo);
        let s = &mut self.stats;
        s.reports += 1;
        s.rtt_sum += rtt.secs();
        s.rtt_max = s.rtt_max.max(rtt);
        s.rtt_min = if s.reports == 1 { rtt } else { s.rtt_min.min(rtt) };
        if self.next == Time::NEVER {
            return; // it has stopped
        }
        rate.on_feedback(now, &Report { rtt, receive_rate: feedback.receive_rate, p: feedback.loss_event_rate });
        self.reschedule(now);
    }

    pub(crate) fn on_timer(&mut self, now: Time) {
        if self.patience > now {
            return;
        }
        let Some(rate) = &mut self.rate else { return };
        rate.on_no_feedback(now);
        self.stats.timeouts += 1;
        self.reschedule(now);
    }

    /// The rate has changed: the next turn is a gap after the last one, not before now.
    fn reschedule(&mut self, now: Time) {
        let Some(rate) = &self.rate else { return };
        self.patience = now + rate.patience();
        if self.stats.sent > 0 {
            self.next = (self.last + rate.gap()).max(now);
        }
    }

    #[inline]
    pub(crate) fn take_datagram(&mut self, now: Time) -> Option<Datagram> {
        if self.next > now {
            return None;
        }
        let rate = self.rate.as_ref()?;
        self.last = self.next;
        // no gap is shorter than a nanosecond, or the sender would never end
        self.next = self.last + rate.gap().max(Span(1));
        let number = self.stats.sent as u32;
        self.stats.sent += 1;
        Some(Datagram::Data(Data {
            number,
            size: self.config.payload + self.config.header,
            sent: now,
            rtt: rate.rtt().unwrap_or(Span::ZERO),
            ecn_capable: self.config.rules.ecn,
            marked: false,
        }))
    }

    #[inline]
    pub(crate) fn deadline(&self) -> Time {
        self.next.min(self.patience)
    }

    pub(crate) fn header(&self) -> u32 {
        self.config.header
    }

    /// What decides its rate; `None` before it starts.
    pub(crate) fn control(&self) -> Option<&Sender> {
        self.rate.as_ref()
    }

    /// The rate it may send at, payload; zero before it starts.
    pub fn rate(&self) -> Rate {
        self.rate.as_ref().map_or(Rate(0.0), Sender::rate)
    }
}
