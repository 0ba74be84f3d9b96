//! Which packets are lost, which losses make a loss event, and how often that happens.

use std::collections::VecDeque;

use cc::tfrc::{Interval, LossIntervals, Settings};
use units::{Span, Time};

/// Packets that have not arrived though later ones have.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// Numbers `first..end` are missing.
    first: u32,
    end: u32,
    /// Number and arrival of the packet before, and of the one after.
    before: (u32, Time),
    after: (u32, Time),
    /// Arrivals since, that of the packet after included.
    later: u32,
}

impl Gap {
    //= specs/papers/tfrc.md#loss-event-rate
    //# its time is interpolated between the arrivals around it
    fn time(&self, number: u32) -> Time {
        let share = f64::from(number - self.before.0) / f64::from(self.after.0 - self.before.0);
        self.before.1 + Span((self.after.1.since(self.before.1).0 as f64 * share) as u64)
    }
}

/// The loss event under way, or the last one.
#[derive(Clone, Copy, Debug)]
struct Event {
    /// Its first lost packet, and when that was lost.
    first: u32,
    at: Time,
    /// Packets lost since, the first included.
    lost: u32,
}

/// What a receiver knows of its losses.
#[derive(Debug)]
pub(super) struct History {
    reorder: u32,
    intervals: LossIntervals,
    gaps: VecDeque<Gap>,
    /// Highest number that has arrived, and when.
    newest: Option<(u32, Time)>,
    event: Option<Event>,
    /// Loss events.
    pub(super) events: u64,
}

impl History {
    pub(super) fn new(rules: &Settings) -> History {
        History {
            reorder: rules.reorder,
            intervals: LossIntervals::new(rules.small.is_some()),
            gaps: VecDeque::new(),
            newest: None,
            event: None,
            events: 0,
        }
    }

    /// A packet arrived. `rtt` is the sender's; `first_p` gives the loss event rate that the rate so far stands for. Is
    /// this a new loss event?
    pub(super) fn on_arrival(
        &mut self,
        now: Time,
        number: u32,
        marked: bool,
        rtt: Span,
        first_p: impl Fn() -> f64,
    ) -> bool {
        let events = self.events;
        match self.newest {
            Some((newest, at)) if number > newest => {
                if number > newest + 1 {
                    let (before, after) = ((newest, at), (number, now));
                    self.gaps.push_back(Gap { first: newest + 1, end: number, before, after, later: 0 });
                }
                self.newest = Some((number, now));
            }
            Some(_) => self.fill(number),
            None => self.newest = Some((number, now)),
        }
        for gap in self.gaps.iter_mut().filter(|gap| number >= gap.end) {
            gap.later += 1;
        }
        //= https://www.rfc-editor.org/rfc/rfc5348#section-5.1
        //# The loss of a packet is detected by the arrival of at least NDUPACK packets with a higher sequence number
        //# than the lost packet
        while let Some(gap) = self.gaps.front().copied().filter(|gap| gap.later >= self.reorder) {
            self.gaps.pop_front();
            for lost in gap.first..gap.end {
                self.lose(lost, gap.time(lost), rtt, &first_p);
            }
        }
        if marked {
            self.lose(number, now, rtt, &first_p);
        }
        self.events > events
    }

    /// A packet came late: it is not missing any more.
    fn fill(&mut self, number: u32) {
        let Some(at) = self.gaps.iter().position(|gap| (gap.first..gap.end).contains(&number)) else { return };
        let gap = self.gaps[at];
        let parts = [Gap { end: number, ..gap }, Gap { first: number + 1, ..gap }];
        self.gaps.remove(at);
        for part in parts.into_iter().rev().filter(|part| part.first < part.end) {
            self.gaps.insert(at, part);
        }
    }

    fn lose(&mut self, number: u32, at: Time, rtt: Span, first_p: &impl Fn() -> f64) {
        match &mut self.event {
            //= specs/papers/tfrc.md#loss-event-rate
            //# Losses up to one RTT (the sender's, told in each packet) after the first one of a loss event belong
            //# to it.
            Some(event) if at <= event.at + rtt || number <= event.first => {
                event.lost += 1;
                return;
            }
            Some(event) => {
                let packets = f64::from(number - event.first);
                let interval = Interval { packets, lost: f64::from(event.lost), length: at.since(event.at) };
                self.intervals.close(&interval, rtt);
            }
            None => self.intervals.begin(first_p()),
        }
        self.event = Some(Event { first: number, at, lost: 1 });
        self.events += 1;
    }

    /// Loss event rate.
    pub(super) fn rate(&self, now: Time, rtt: Span) -> f64 {
        let (Some(event), Some((newest, _))) = (self.event, self.newest) else { return 0.0 };
        //= https://www.rfc-editor.org/rfc/rfc5348#section-5.3
        //# the size of I_0 is S_C - S_A + 1.
        let packets = f64::from(newest.saturating_sub(event.first)) + 1.0;
        let open = Interval { packets, lost: f64::from(event.lost), length: now.since(event.at) };
        self.intervals.rate(&open, rtt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::RULES;

    const RTT: Span = Span::from_millis(100);

    /// A packet every 10 ms, some missing, some marked. Returns the packets whose arrival told of a new loss event.
    fn arrivals(
        history: &mut History,
        numbers: impl Iterator<Item = u32>,
        missing: &[u32],
        marked: &[u32],
    ) -> Vec<u32> {
        let told = |n: &u32| {
            let at = Time(u64::from(*n) * 10_000_000);
            history.on_arrival(at, *n, marked.contains(n), RTT, || 0.02)
        };
        numbers.filter(|n| !missing.contains(n)).filter(told).collect()
    }

    fn rate(history: &History, number: u32) -> f64 {
        history.rate(Time(u64::from(number) * 10_000_000), RTT)
    }

    #[test]
    fn three_later_arrivals_make_a_loss() {
        let mut history = History::new(&RULES);
        assert_eq!(arrivals(&mut history, 0..20, &[7], &[]), [10]);
        // the history begins with 1 / 0.02 = 50 packets; the open interval of 13 does not count
        assert!((rate(&history, 19) - 0.02).abs() < 1e-15);
    }

    #[test]
    fn more_later_arrivals_may_be_asked_for() {
        let mut history = History::new(&Settings { reorder: 5, ..RULES });
        assert_eq!(arrivals(&mut history, 0..20, &[7], &[]), [12]);
    }

    #[test]
    fn losses_within_an_rtt_are_one_event() {
        let mut history = History::new(&RULES);
        // 100 ms after packet 7: up to packet 17
        assert_eq!(arrivals(&mut history, 0..200, &[7, 12, 17, 18, 107], &[]), [10, 21, 110]);
        // events at 7, 18, 107: intervals 50, 11, 89, newest first 89, 11, 50; open 200 - 107 = 93:
        // max(93 + 89 + 11, 89 + 11 + 50) / 3 = 193 / 3
        assert!((rate(&history, 199) - 3.0 / 193.0).abs() < 1e-15, "{}", rate(&history, 199));
    }

    #[test]
    fn a_lost_packet_is_dated_by_its_number() {
        // 21 numbers in 210 ms
        let ms = |n: u64| Time(n * 1_000_000);
        let gap = Gap { first: 8, end: 28, before: (7, ms(70)), after: (28, ms(280)), later: 0 };
        assert_eq!([8, 14, 21].map(|number| gap.time(number)), [ms(80), ms(140), ms(210)]);
    }

    #[test]
    fn an_event_lasts_exactly_one_rtt() {
        // a packet each 10 ms, marked ones are lost when they come: 40 is 100 ms after 30, 41 is 110
        let mut history = History::new(&RULES);
        assert_eq!(arrivals(&mut history, 0..60, &[], &[30, 40, 41]), [30, 41]);
        assert_eq!(history.events, 2);
    }

    #[test]
    fn a_short_interval_of_small_packets_counts_its_losses() {
        let small = cc::tfrc::Small { nominal: 1460.0, header: 40.0, gap: Span::from_millis(10) };
        let mut history = History::new(&Settings { small: Some(small), ..RULES });
        // three losses in the first event; the next one 150 ms later, within two RTTs: 15 / 3 packets
        assert_eq!(arrivals(&mut history, 0..100, &[], &[30, 32, 34, 45]), [30, 45]);
        // open 55: max(55 + 5, 5 + 50) / 2 = 30
        assert!((rate(&history, 99) - 1.0 / 30.0).abs() < 1e-15, "{}", rate(&history, 99));
    }

    #[test]
    fn a_burst_is_dated_packet_by_packet() {
        // packets 8 to 27 are missing; 7 arrives at 70 ms and 28 at 280 ms: 8 is lost at 80 ms, 19 at 190, 27 at 270 ms
        let mut history = History::new(&RULES);
        arrivals(&mut history, 0..40, &(8..28).collect::<Vec<_>>(), &[]);
        // 19 is lost 110 ms after 8, more than an RTT: a second event
        assert_eq!(history.events, 2);
    }

    #[test]
    fn a_mark_is_a_loss_at_once() {
        let mut history = History::new(&RULES);
        assert_eq!(arrivals(&mut history, 0..100, &[], &[30, 35, 60]), [30, 60]);
        // 30 packets from 30 to 60; open 40: max(40 + 30, 30 + 50) / 2 = 40
        assert!((rate(&history, 99) - 1.0 / 40.0).abs() < 1e-15);
    }

    #[test]
    fn packets_that_come_late_are_not_lost() {
        let mut history = History::new(&RULES);
        let order = [0, 1, 4, 5, 3, 2, 6, 7, 8, 9];
        let told = order
            .iter()
            .enumerate()
            .filter(|(at, n)| history.on_arrival(Time(*at as u64 * 10_000_000), **n, false, RTT, || 0.02));
        assert_eq!(told.count(), 1); // 2 is taken for lost when 3 arrives: 4, 5, 3 are later arrivals
        let mut history = History::new(&RULES);
        for (at, n) in [0, 2, 1, 3, 4, 5].into_iter().enumerate() {
            assert!(!history.on_arrival(Time(at as u64 * 10_000_000), n, false, RTT, || 0.02));
        }
        assert_eq!(history.rate(Time(60_000_000), RTT), 0.0);
    }
}
