//! Random delay of packets that leave a host.

use sim::Stream;
use units::{Span, Time};

use super::{Entry, Fate, Link};

/// Drawn evenly for each packet, between nothing and `most`. Packets stay in order.
#[derive(Debug)]
pub(super) struct SendJitter {
    most: Span,
    stream: Stream,
    last_arrival: Time,
}

impl SendJitter {
    /// When a packet that would reach the far end at `at` does so.
    fn arrival(&mut self, at: Time) -> Time {
        let held = Span((self.stream.uniform() * self.most.0 as f64) as u64);
        self.last_arrival = self.last_arrival.max(at + held);
        self.last_arrival
    }
}

impl Link {
    /// Delay every packet at random by up to `most`; `stream` is for that alone. A link with jitter of its own keeps
    /// that.
    pub(crate) fn add_send_jitter(&mut self, most: Span, stream: Stream) {
        if self.cold.variation.as_ref().is_some_and(|variation| variation.has_jitter()) {
            return;
        }
        self.cold.send_jitter = Some(Box::new(SendJitter { most, stream, last_arrival: Time::ZERO }));
        if self.hot.entry == Entry::Plain {
            self.hot.entry = Entry::Random;
        }
    }

    /// What becomes of a packet that would reach the far end at `at`.
    #[inline]
    pub(super) fn arrives(&mut self, at: Time) -> Fate {
        Fate::Arrives(match &mut self.cold.send_jitter {
            None => at,
            Some(jitter) => jitter.arrival(at),
        })
    }
}
