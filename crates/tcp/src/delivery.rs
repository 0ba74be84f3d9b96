//! Delivery rate samples: how fast the network delivered what an ACK reports.
//! Source: draft-cheng-iccrg-delivery-rate-estimation-00 (Cheng, Cardwell, Hassas Yeganeh, Jacobson, 2017).
//! Choices: amounts count whole segments; without SACK a duplicate ACK delivers nothing and the ACK that ends the hole
//! delivers all of it; only the application, and an algorithm that limits itself, make a sample "limited", the receiver's
//! window does not.
//!
//! Kept only for algorithms whose row asks for it.

use cc::{CongestionControl, DeliverySample};
use units::{Span, Time};

use crate::sender::{Core, Sender};

/// What is remembered of a segment when it is sent.
#[derive(Clone, Copy, Debug, Default)]
struct Snapshot {
    sent_at: Time,
    /// Segments delivered until then, and when the last of them was.
    delivered: u32,
    delivered_at: Time,
    /// When the segment was sent that the newest delivery until then reported.
    first_sent_at: Time,
    app_limited: bool,
    /// Sent more than once.
    again: bool,
    /// Reported by an ACK.
    reported: bool,
}

/// The sampler's state, and the ACK at hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeliveryRate {
    /// Segments in flight by number; a power of two.
    ring: Vec<Snapshot>,
    /// Segments delivered since the connection opened.
    delivered: u32,
    delivered_at: Time,
    first_sent_at: Time,
    /// Samples are limited until more than this is delivered; zero: they are not.
    limited_until: u32,
    // the ACK at hand
    newest: Option<u32>,
    newly_delivered: u32,
    in_flight_before: u32,
}

impl DeliveryRate {
    #[inline]
    fn slot(&mut self, number: u32) -> &mut Snapshot {
        let mask = self.ring.len() - 1;
        &mut self.ring[number as usize & mask]
    }

    /// Make room for segments `[from, to]`.
    fn reserve(&mut self, from: u32, to: u32) {
        while to - from >= self.ring.len() as u32 {
            let mut ring = vec![Snapshot::default(); (self.ring.len() * 2).max(8)];
            let mask = ring.len() - 1;
            for number in from..to.min(from + self.ring.len() as u32) {
                ring[number as usize & mask] = *self.slot(number);
            }
            self.ring = ring;
        }
    }

    /// Segment `number` leaves. `idle`: nothing was outstanding; `again`: it was sent before.
    fn on_sent(&mut self, number: u32, snd_una: u32, now: Time, idle: bool, again: bool) {
        self.reserve(snd_una, number);
        if idle {
            self.first_sent_at = now;
            self.delivered_at = now;
        }
        let snapshot = Snapshot {
            sent_at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            app_limited: self.limited_until != 0,
            again,
            reported: again && self.slot(number).reported,
        };
        *self.slot(number) = snapshot;
    }

    fn begin_ack(&mut self, in_flight: u32) {
        self.newest = None;
        self.newly_delivered = 0;
        self.in_flight_before = in_flight;
    }

    /// An ACK reports the segment for the first time.
    #[inline]
    pub(crate) fn on_delivered(&mut self, number: u32, now: Time) {
        let segment = self.slot(number);
        if segment.reported {
            return;
        }
        segment.reported = true;
        let age = |s: &Snapshot| (s.delivered, s.sent_at);
        let (this, sent_at) = (age(segment), segment.sent_at);
        self.delivered += 1;
        self.delivered_at = now;
        self.newly_delivered += 1;
        if self.newest().is_none_or(|newest| this >= age(newest)) {
            self.newest = Some(number);
            self.first_sent_at = sent_at;
        }
    }

    /// Of the segments that the ACK at hand reports, the one that was sent last.
    #[inline]
    fn newest(&self) -> Option<&Snapshot> {
        let mask = self.ring.len().wrapping_sub(1);
        self.newest.map(|number| &self.ring[number as usize & mask])
    }

    /// How much was delivered since the newest segment left, and in which time; zero if that is not reliable.
    fn rate(&self, rtt_min: Span) -> (u32, Span) {
        let Some(newest) = self.newest() else { return (0, Span::ZERO) };
        // deliveries may come in bunches, and so may departures: the slower of the two counts
        let sending = newest.sent_at.since(newest.first_sent_at);
        let acknowledging = self.delivered_at.since(newest.delivered_at);
        let interval = sending.max(acknowledging);
        // shorter than any RTT: the first copy of a segment that was sent again for nothing
        if interval < rtt_min { (0, Span::ZERO) } else { (self.delivered - newest.delivered, interval) }
    }

    /// From here on samples are limited, until what is in flight now is delivered.
    fn limit(&mut self, in_flight: u32) {
        self.limited_until = (self.delivered + in_flight).max(1);
    }
}

impl Sender {
    /// Segments in the network, as the recovery core counts them.
    #[inline]
    pub(crate) fn in_flight(&self) -> u32 {
        match self.core {
            Core::Sack => self.sack.pipe().max(0) as u32,
            Core::Sack1 if self.in_recovery => self.sack.sack1_pipe.max(0) as u32,
            // each duplicate says that a segment has left the network
            _ if self.in_recovery => self.flight_size().saturating_sub(self.inflation.max(0) as u32),
            _ => self.flight_size().saturating_sub(self.dupacks),
        }
    }

    /// A segment leaves; before it is entered anywhere else.
    #[inline(never)]
    pub(crate) fn note_departure(&mut self, number: u32, now: Time) {
        let (una, max) = (self.snd_una, self.snd_max);
        let Some(d) = &mut self.delivery else { return };
        let idle = una == max;
        if idle && d.limited_until != 0 {
            self.cc.on_idle_restart(now, &self.path);
        }
        d.on_sent(number, una, now, idle, number < max);
    }

    /// Nothing more may leave. If that is for want of data, samples are limited from here on.
    #[cold]
    pub(crate) fn note_want_of_data(&mut self) {
        let in_flight = self.in_flight();
        let wanting = self.wants_data() && in_flight < self.window;
        if let Some(d) = &mut self.delivery
            && wanting
        {
            d.limit(in_flight);
        }
    }

    /// An ACK arrived that acknowledges everything below `ack`; its SACK blocks come after this.
    #[inline(always)]
    pub(crate) fn begin_delivery(&mut self, ack: u32, now: Time) {
        let in_flight = self.in_flight();
        let una = self.snd_una;
        if let Some(d) = &mut self.delivery {
            d.begin_ack(in_flight);
            (una..ack).for_each(|number| d.on_delivered(number, now));
        }
    }

    /// The sample of the ACK that `begin_delivery` began. `lost`: segments that it showed to be lost.
    #[inline(always)]
    pub(crate) fn delivery_sample(&mut self, now: Time, lost: u32) -> Option<DeliverySample> {
        let in_flight = self.in_flight();
        let repairing = self.in_recovery || self.snd_una < self.recover;
        let (mss, rtt_min) = (self.path.mss, self.path.rtt_min);
        let d = self.delivery.as_mut()?;
        if d.delivered > d.limited_until {
            d.limited_until = 0;
        }
        let (delivered, interval) = d.rate(rtt_min);
        let newest = d.newest();
        let bytes = |segments: u32| f64::from(segments) * mss;
        Some(DeliverySample {
            delivered: bytes(delivered),
            interval,
            rtt: newest.filter(|s| !s.again).map(|s| now.since(s.sent_at)),
            app_limited: newest.is_some_and(|s| s.app_limited),
            newly_delivered: bytes(d.newly_delivered),
            total: bytes(d.delivered),
            total_at_send: bytes(newest.map_or(0, |s| s.delivered)),
            in_flight_before: bytes(d.in_flight_before),
            in_flight: bytes(in_flight),
            lost: bytes(lost),
            repairing,
        })
    }

    /// The algorithm has heard the sample. What it holds back itself says nothing about the path.
    #[inline]
    pub(crate) fn end_delivery(&mut self) {
        if self.cc.limits_itself() {
            let in_flight = self.in_flight();
            self.delivery.iter_mut().for_each(|d| d.limit(in_flight));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn at(ms: u64) -> Time {
        Time(ms * MS)
    }

    fn sent(d: &mut DeliveryRate, number: u32, ms: u64, idle: bool) {
        d.on_sent(number, 0, at(ms), idle, false);
    }

    fn ack(d: &mut DeliveryRate, numbers: std::ops::Range<u32>, ms: u64) -> (u32, u64) {
        d.begin_ack(0);
        numbers.for_each(|n| d.on_delivered(n, at(ms)));
        let (delivered, interval) = d.rate(Span::from_millis(100));
        (delivered, interval.0 / MS)
    }

    #[test]
    fn a_rate_is_what_was_delivered_since_the_segment_left() {
        let mut d = DeliveryRate::default();
        // four segments at once, acknowledged 10 ms apart from 100 ms on; each ACK releases another segment
        (0..4).for_each(|n| sent(&mut d, n, 0, n == 0));
        for n in 0..4u32 {
            let ms = 100 + 10 * u64::from(n);
            // segments of the first window saw nothing delivered before: n + 1 in all, in 100 ms and more
            assert_eq!(ack(&mut d, n..n + 1, ms), (n + 1, ms));
            sent(&mut d, 4 + n, ms, false);
        }
        // segment 4 left at 100 ms with one delivered; at 200 ms there are five: four in 100 ms
        assert_eq!(ack(&mut d, 4..5, 200), (4, 100));
        // segment 5 left at 110 ms with two delivered, the second at 110 ms; its ACK comes 50 ms late
        assert_eq!(ack(&mut d, 5..6, 260), (4, 150));
    }

    #[test]
    fn acks_in_a_bunch_do_not_raise_the_rate() {
        let mut d = DeliveryRate::default();
        // a segment every 50 ms, acknowledged 100 ms later up to segment 3
        for n in 0..=8u32 {
            sent(&mut d, n, 50 * u64::from(n), n == 0);
            if (2..=5).contains(&n) {
                ack(&mut d, n - 2..n - 1, 50 * u64::from(n));
            }
        }
        // the ACKs of 4 to 8 come at once, at 450 ms. Segment 4 left at 200 ms with two delivered, at 150 ms: three in 300
        assert_eq!(ack(&mut d, 4..5, 450), (3, 300));
        // 5 left at 250 ms with three delivered, the last at 200 ms; 6 at 300 ms with four, the last at 250 ms
        assert_eq!(ack(&mut d, 5..6, 450), (3, 250));
        assert_eq!(ack(&mut d, 6..7, 450), (3, 200));
        // 8 left at 400 ms with the same four: five in 200 ms by the ACKs, but sent in 250 ms, since 3 left at 150 ms
        assert_eq!(ack(&mut d, 7..9, 450), (5, 250));
    }

    #[test]
    fn a_segment_counts_once_and_short_intervals_give_no_rate() {
        let mut d = DeliveryRate::default();
        sent(&mut d, 0, 0, true);
        sent(&mut d, 1, 0, false);
        assert_eq!(ack(&mut d, 1..2, 100), (1, 100)); // SACKed
        assert_eq!(ack(&mut d, 1..2, 110), (0, 0)); // reported again
        // segment 0 is sent again at 120 ms, 120 ms after segment 1 left, and the first copy's ACK comes at 125 ms
        d.on_sent(0, 0, at(120), false, true);
        assert_eq!(ack(&mut d, 0..2, 125), (1, 120));
        // were no RTT shorter than 121 ms, that could be no rate
        assert_eq!(d.rate(Span::from_millis(121)), (0, Span::ZERO));
        assert_eq!(d.delivered, 2);
    }

    #[test]
    fn samples_are_limited_until_what_was_in_flight_is_delivered() {
        let mut d = DeliveryRate::default();
        sent(&mut d, 0, 0, true);
        d.limit(1);
        sent(&mut d, 1, 10, false);
        assert!(!d.ring[0].app_limited && d.ring[1].app_limited);
        ack(&mut d, 0..1, 100);
        assert!(d.delivered <= d.limited_until);
        ack(&mut d, 1..2, 110);
        assert!(d.delivered > d.limited_until);
    }

    #[test]
    fn snapshots_survive_growth() {
        let mut d = DeliveryRate::default();
        for n in 100..140 {
            d.on_sent(n, 100, at(u64::from(n)), false, false);
        }
        assert!((100..140).all(|n| d.slot(n).sent_at == at(u64::from(n))));
    }
}
