//! Delivery rate samples: how fast the network delivered what an ACK reports.
//! Source: draft-cheng-iccrg-delivery-rate-estimation-00 (Cheng, Cardwell, Hassas Yeganeh, Jacobson, 2017). Choices:
//! amounts count whole segments; without SACK a duplicate ACK delivers nothing and the ACK that ends the hole delivers
//! all of it; only the application, and an algorithm that limits itself, make a sample "limited", the receiver's window
//! does not.
//!
//! Kept only for algorithms whose row asks for it.

use cc::{CongestionControl, DeliverySample, Signal};
use units::{Span, Time};

use crate::scoreboard::{Sampled, Snapshot};
use crate::sender::Tcb;

/// The sampler's state, and the ACK at hand: one cache line.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(crate) struct DeliveryRate {
    delivered_at: Time,
    /// When the segment was sent that the newest delivery reported.
    first_sent_at: Time,
    /// Segments delivered since the connection opened.
    delivered: u32,
    /// Samples are limited until more than this is delivered; zero: they are not.
    limited_until: u32,
    // the ACK at hand
    newly_delivered: u32,
    in_flight_before: u32,
    newest: Option<Newest>,
}

/// Of the segments that the ACK at hand reports, the one that was sent last.
#[derive(Clone, Copy, Debug)]
struct Newest {
    snapshot: Snapshot,
    again: bool,
}

const _: () = assert!(size_of::<DeliveryRate>() == 64);

impl DeliveryRate {
    /// A segment leaves. `idle`: nothing was outstanding.
    #[inline]
    fn on_sent(&mut self, now: Time, idle: bool) -> Snapshot {
        if idle {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        Snapshot {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            limited: self.limited_until != 0,
        }
    }

    fn begin_ack(&mut self, in_flight: u32) {
        self.newest = None;
        self.newly_delivered = 0;
        self.in_flight_before = in_flight;
    }

    /// An ACK reports the segment.
    #[inline]
    pub(crate) fn on_delivered(&mut self, segment: &mut Sampled, now: Time) {
        let sent = &mut segment.sent;
        if sent.notes.is_reported() {
            return;
        }
        sent.notes.report();
        self.delivered += 1;
        self.delivered_at = now;
        self.newly_delivered += 1;
        let (sent_at, again) = (sent.at, sent.times > 1);
        let age = (sent.delivered, sent_at);
        if self.newest.is_none_or(|newest| age >= (newest.snapshot.delivered, self.first_sent_at)) {
            self.newest = Some(Newest { snapshot: segment.snapshot(), again });
            self.first_sent_at = sent_at;
        }
    }

    /// How much was delivered since the newest segment left, and in which time; zero if that is not reliable.
    #[inline(always)]
    fn rate(&self, rtt_min: Span) -> (u32, Span) {
        let Some(Newest { snapshot, .. }) = self.newest else { return (0, Span::ZERO) };
        // deliveries may come in bunches, and so may departures: the slower of the two counts
        let sending = self.first_sent_at.since(snapshot.first_sent_at);
        let acknowledging = self.delivered_at.since(snapshot.delivered_at);
        let interval = sending.max(acknowledging);
        // shorter than any RTT: the first copy of a segment that was sent again for nothing
        if interval < rtt_min { (0, Span::ZERO) } else { (self.delivered - snapshot.delivered, interval) }
    }

    /// From here on samples are limited, until what is in flight now is delivered.
    fn limit(&mut self, in_flight: u32) {
        self.limited_until = (self.delivered + in_flight).max(1);
    }
}

impl Tcb {
    /// A segment leaves; before it is entered anywhere else.
    #[inline(always)]
    pub(crate) fn note_departure(&mut self, now: Time) -> Snapshot {
        let idle = self.snd_una == self.snd_max;
        if idle && self.delivery.as_ref().is_some_and(|d| d.limited_until != 0) {
            self.end_idleness(now);
        }
        let Some(d) = &mut self.delivery else { return Snapshot::default() };
        d.on_sent(now, idle)
    }

    /// Data leave again after a want of them. The algorithm may come back to a window that it had put aside.
    #[cold]
    fn end_idleness(&mut self, now: Time) {
        self.cc.on_signal(&Signal::IdleRestart { now }, &self.path);
        self.update_window(now);
    }

    /// Nothing more may leave, with so many segments in flight. If that is for want of data, samples are limited from
    /// here on.
    #[cold]
    pub(crate) fn note_want_of_data(&mut self, in_flight: u32) {
        let wanting = self.wants_data() && in_flight < self.window;
        if let Some(d) = &mut self.delivery
            && wanting
        {
            d.limit(in_flight);
        }
    }

    /// An ACK arrived that acknowledges everything below `ack`; its SACK blocks come after this, and what is in flight
    /// is from before it.
    #[inline(always)]
    pub(crate) fn begin_delivery(&mut self, in_flight: u32, ack: u32, now: Time) {
        let una = self.snd_una;
        if let Some(d) = &mut self.delivery {
            d.begin_ack(in_flight);
            for number in una..ack {
                d.on_delivered(self.board.sampled(number), now);
            }
        }
    }

    /// The sample of the ACK that `begin_delivery` began. `lost`: segments that it showed to be lost; `delay`: its RTT;
    /// `repaired`: it covers a segment that was sent again, so that what it reports may have waited for that one.
    #[inline(always)]
    pub(crate) fn delivery_sample(
        &mut self,
        now: Time,
        in_flight: u32,
        lost: u32,
        delay: Option<Span>,
        repaired: bool,
    ) -> Option<DeliverySample> {
        let repairing = self.in_recovery || self.snd_una < self.recover;
        let (rtt_min, samples_repairs) = (self.path.rtt_min, self.rules.samples_repairs);
        let d = self.delivery.as_mut()?;
        if d.delivered > d.limited_until {
            d.limited_until = 0;
        }
        let (delivered, interval) = d.rate(rtt_min);
        let newest = d.newest;
        Some(DeliverySample {
            delivered,
            interval,
            rtt: match samples_repairs {
                true => delay,
                false => newest.filter(|s| !s.again && !repaired).map(|_| now.since(d.first_sent_at)),
            },
            app_limited: newest.is_some_and(|s| s.snapshot.limited),
            newly_delivered: d.newly_delivered,
            total: d.delivered,
            total_at_send: newest.map_or(0, |s| s.snapshot.delivered),
            in_flight_before: d.in_flight_before,
            in_flight,
            lost,
            repairing,
        })
    }

    /// The algorithm has heard the sample. What it holds back itself says nothing about the path.
    #[inline]
    pub(crate) fn end_delivery(&mut self, in_flight: u32) {
        if self.cc.limits_itself() {
            self.delivery.iter_mut().for_each(|d| d.limit(in_flight));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoreboard::Scoreboard;

    const MS: u64 = 1_000_000;

    fn at(ms: u64) -> Time {
        Time(ms * MS)
    }

    /// The sampler, and its notes of each segment.
    struct Lab {
        d: DeliveryRate,
        board: Scoreboard,
    }

    impl Lab {
        fn new() -> Lab {
            Lab { d: DeliveryRate::default(), board: Scoreboard::new(true) }
        }

        fn sent(&mut self, number: u32, ms: u64) {
            let snapshot = self.d.on_sent(at(ms), number == 0);
            self.board.reserve(0, number);
            self.board.first_sent(number, at(ms), Some(&snapshot));
        }

        fn sent_again(&mut self, number: u32, ms: u64) {
            let snapshot = self.d.on_sent(at(ms), false);
            self.board.sent_again(number, at(ms), &snapshot);
        }

        fn ack(&mut self, numbers: std::ops::Range<u32>, ms: u64) -> (u32, u64) {
            self.d.begin_ack(0);
            numbers.for_each(|n| self.d.on_delivered(self.board.sampled(n), at(ms)));
            let (delivered, interval) = self.d.rate(Span::from_millis(100));
            (delivered, interval.0 / MS)
        }
    }

    #[test]
    fn a_rate_is_what_was_delivered_since_the_segment_left() {
        let mut lab = Lab::new();
        // four segments at once, acknowledged 10 ms apart from 100 ms on; each ACK releases another segment
        (0..4).for_each(|n| lab.sent(n, 0));
        for n in 0..4u32 {
            let ms = 100 + 10 * u64::from(n);
            // segments of the first window saw nothing delivered before: n + 1 in all, in 100 ms and more
            assert_eq!(lab.ack(n..n + 1, ms), (n + 1, ms));
            lab.sent(4 + n, ms);
        }
        // segment 4 left at 100 ms with one delivered; at 200 ms there are five: four in 100 ms
        assert_eq!(lab.ack(4..5, 200), (4, 100));
        // segment 5 left at 110 ms with two delivered, the second at 110 ms; its ACK comes 50 ms late
        assert_eq!(lab.ack(5..6, 260), (4, 150));
    }

    #[test]
    fn acks_in_a_bunch_do_not_raise_the_rate() {
        let mut lab = Lab::new();
        // a segment every 50 ms, acknowledged 100 ms later up to segment 3
        for n in 0..=8u32 {
            lab.sent(n, 50 * u64::from(n));
            if (2..=5).contains(&n) {
                lab.ack(n - 2..n - 1, 50 * u64::from(n));
            }
        }
        // the ACKs of 4 to 8 come at once, at 450 ms. Segment 4 left at 200 ms with two delivered, at 150 ms: three in
        // 300
        assert_eq!(lab.ack(4..5, 450), (3, 300));
        // 5 left at 250 ms with three delivered, the last at 200 ms; 6 at 300 ms with four, the last at 250 ms
        assert_eq!(lab.ack(5..6, 450), (3, 250));
        assert_eq!(lab.ack(6..7, 450), (3, 200));
        // 8 left at 400 ms with the same four: five in 200 ms by the ACKs, but sent in 250 ms, since 3 left at 150 ms
        assert_eq!(lab.ack(7..9, 450), (5, 250));
    }

    #[test]
    fn a_segment_counts_once_and_short_intervals_give_no_rate() {
        let mut lab = Lab::new();
        lab.sent(0, 0);
        lab.sent(1, 0);
        assert_eq!(lab.ack(1..2, 100), (1, 100)); // SACKed
        assert_eq!(lab.ack(1..2, 110), (0, 0)); // reported again
        // segment 0 is sent again at 120 ms, 120 ms after segment 1 left, and the first copy's ACK comes at 125 ms
        lab.sent_again(0, 120);
        assert_eq!(lab.ack(0..2, 125), (1, 120));
        // were no RTT shorter than 121 ms, that could be no rate
        assert_eq!(lab.d.rate(Span::from_millis(121)), (0, Span::ZERO));
        assert_eq!(lab.d.delivered, 2);
    }

    #[test]
    fn samples_are_limited_until_what_was_in_flight_is_delivered() {
        let mut lab = Lab::new();
        lab.sent(0, 0);
        lab.d.limit(1);
        lab.sent(1, 10);
        assert!([0, 1].map(|n| lab.board.get(n).notes.is_limited()) == [false, true]);
        lab.ack(0..1, 100);
        assert!(lab.d.delivered <= lab.d.limited_until);
        lab.ack(1..2, 110);
        assert!(lab.d.delivered > lab.d.limited_until);
    }
}
