//! What a receiver of datagrams counts.

use units::{Span, Time};

use crate::Data;

/// Counters of a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReceiverStats {
    /// Datagrams that arrived.
    pub received: u64,
    /// Payload bytes of them.
    pub bytes: u64,
    /// Sum of their one-way delays, seconds.
    pub delay_sum: f64,
    /// Longest one-way delay.
    pub delay_max: Span,
    /// Sum over neighbouring arrivals of how much their one-way delays differ, seconds.
    pub jitter_sum: f64,
    /// When the last of them arrived; zero if none did.
    pub last_arrival: Time,
}

impl ReceiverStats {
    /// Mean difference between the one-way delays of neighbouring arrivals, seconds; `None` before the second.
    pub fn jitter_s(&self) -> Option<f64> {
        (self.received > 1).then(|| self.jitter_sum / (self.received - 1) as f64)
    }
}

/// State of a receiver.
#[derive(Clone, Debug)]
pub struct Receiver {
    pub(crate) header: u32,
    last_delay: Span,
    /// Counters.
    pub stats: ReceiverStats,
}

impl Receiver {
    /// Nothing received; `header` bytes of each datagram are no payload.
    pub fn new(header: u32) -> Receiver {
        Receiver { header, last_delay: Span::ZERO, stats: ReceiverStats::default() }
    }

    #[inline]
    pub(crate) fn on_data(&mut self, now: Time, datagram: &Data) {
        let delay = now.since(datagram.sent);
        let s = &mut self.stats;
        if s.received > 0 {
            s.jitter_sum += Span(delay.0.abs_diff(self.last_delay.0)).secs();
        }
        self.last_delay = delay;
        s.last_arrival = now;
        s.received += 1;
        s.bytes += u64::from(datagram.size - self.header);
        s.delay_sum += delay.secs();
        s.delay_max = s.delay_max.max(delay);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_and_their_differences_are_summed() {
        let mut receiver = Receiver::new(28);
        assert_eq!(receiver.stats.jitter_s(), None);
        let ms = |n: u64| Time(n * 1_000_000);
        for (number, sent, arrived) in [(0, 0, 50), (1, 10, 80), (3, 30, 90)] {
            let (sent, rtt) = (ms(sent), Span::ZERO);
            let data = Data { number, size: 1028, sent, rtt, ecn_capable: false, marked: false };
            receiver.on_data(ms(arrived), &data);
        }
        // delays 50, 70, 60 ms; differences 20 and 10 ms
        let s = receiver.stats;
        assert_eq!((s.received, s.bytes, s.delay_max, s.last_arrival), (3, 3000, Span::from_millis(70), ms(90)));
        assert!((s.delay_sum - 0.180).abs() < 1e-12 && (s.jitter_s().unwrap() - 0.015).abs() < 1e-12);
    }
}
