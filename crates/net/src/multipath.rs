//! A connection over several paths: one stream of data, a subflow on each path, put in order again at the receiver.
//!
//! Each subflow is a flow of its own with its own windows and losses. Whenever a subflow may send something new, it
//! takes the next segment of the stream. The receiver keeps what arrived out of order in a buffer that all subflows
//! share; how far the sender may go travels in the window field of the subflows' ACKs. If the stream cannot serve all
//! subflows at once (its end or the buffer is near), those with a smaller smoothed RTT come first.
//! Source: RFC 8684 (one data sequence space, a shared receive window), without reinjection.

use std::collections::VecDeque;

use cc::Subflow;
use units::Time;

/// A connection over several paths.
#[derive(Clone, Debug, PartialEq)]
pub struct MultipathSpec {
    /// Name, unique among flows and connections.
    pub name: String,
    /// Numbers of its subflows in [`crate::Network::flows`], at least one; all TCP, one way, without size.
    pub subflows: Vec<usize>,
    /// Segments that the receiver keeps out of order, at least 1.
    pub buffer: u32,
    /// Payload bytes to send; `None`: unlimited.
    pub size: Option<u64>,
    /// The algorithms of the subflows hear of each other.
    pub coupled: bool,
}

/// What a connection over several paths did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MultipathResult {
    /// Number of the connection in the network.
    pub connection: usize,
    /// When its first subflow could send.
    pub start: Time,
    /// Payload bytes delivered in order by the end of the run.
    pub delivered_bytes: u64,
    /// Of these, those that arrived after the warm-up.
    pub measured_bytes: u64,
    /// Most segments that waited out of order at the receiver.
    pub reorder_max: u32,
    /// When the last byte had arrived, and all before it, for a transfer of given size.
    pub completed: Option<Time>,
    /// When the sender knew it: all was acknowledged.
    pub known: Option<Time>,
}

/// The number of an endpoint's connection, if it has none.
pub(crate) const ALONE: u32 = u32::MAX;

/// A connection's state at both ends.
#[derive(Debug)]
pub(crate) struct Connection {
    mss: u32,
    size: Option<u64>,
    /// Segments of the stream in all; and whether the application stopped before it had sent them.
    offered: u32,
    cut: bool,
    /// Next segment of the stream to send.
    next: u32,
    /// The sender may send segments below this.
    limit: u32,
    /// Sending endpoints of the subflows, and what each sent.
    pub(crate) subflows: Vec<SubflowState>,
    /// Next segment that the receiver expects, and what of those behind it arrived.
    expected: u32,
    arrived: VecDeque<bool>,
    waiting: u32,
    buffer: u32,
    pub(crate) coupled: bool,
    /// Room for what the algorithms tell each other.
    told: Vec<Subflow>,
    /// Ranges of the stream that had arrived when the warm-up ended.
    before: Vec<(u32, u32)>,
    pub(crate) start: Time,
    reorder_max: u32,
    /// When `expected` became what it is.
    advanced_at: Time,
    pub(crate) known: Option<Time>,
}

/// One subflow.
#[derive(Debug)]
pub(crate) struct SubflowState {
    /// Its sending endpoint.
    pub(crate) endpoint: u32,
    /// Places in the stream of its segments from `first` on.
    places: VecDeque<u32>,
    first: u32,
    /// Its last round.
    round: Option<Subflow>,
}

impl Connection {
    pub(crate) fn new(spec: &MultipathSpec, mss: u32, endpoints: impl Iterator<Item = u32>, start: Time) -> Connection {
        let subflow = |endpoint| SubflowState { endpoint, places: VecDeque::new(), first: 0, round: None };
        let segments = |bytes: u64| bytes.div_ceil(u64::from(mss)).min(u64::from(u32::MAX) - 1) as u32;
        let subflows: Vec<SubflowState> = endpoints.map(subflow).collect();
        Connection {
            mss,
            size: spec.size,
            offered: spec.size.map_or(u32::MAX, segments),
            cut: false,
            next: 0,
            limit: spec.buffer,
            told: Vec::with_capacity(subflows.len()),
            subflows,
            expected: 0,
            arrived: VecDeque::new(),
            waiting: 0,
            buffer: spec.buffer,
            coupled: spec.coupled,
            before: Vec::new(),
            start,
            reorder_max: 0,
            advanced_at: start,
            known: None,
        }
    }

    /// There is something to send, and the receiver has room for it.
    #[inline]
    pub(crate) fn may_send(&self) -> bool {
        self.next < self.offered.min(self.limit)
    }

    /// A subflow sends its segment `number` for the first time: it carries the next one of the stream.
    pub(crate) fn sent(&mut self, endpoint: u32, number: u32) {
        let next = self.next;
        self.next += 1;
        let subflow = self.subflow(endpoint);
        debug_assert_eq!(number, subflow.first + subflow.places.len() as u32);
        subflow.places.push_back(next);
    }

    fn subflow(&mut self, endpoint: u32) -> &mut SubflowState {
        self.subflows.iter_mut().find(|subflow| subflow.endpoint == endpoint).expect("an endpoint of this connection")
    }

    /// Segment `number` of a subflow arrived; below `in_order` the subflow has everything.
    pub(crate) fn arrived(&mut self, now: Time, endpoint: u32, number: u32, in_order: u32) {
        let subflow = self.subflow(endpoint);
        let place = number.checked_sub(subflow.first).map(|at| subflow.places[at as usize]);
        // what the subflow has in order is asked for no more
        while subflow.first < in_order {
            subflow.places.pop_front();
            subflow.first += 1;
        }
        if let Some(place) = place {
            self.put(now, place);
        }
    }

    /// A segment of the stream arrived.
    fn put(&mut self, now: Time, place: u32) {
        let Some(ahead) = place.checked_sub(self.expected) else { return };
        let ahead = ahead as usize;
        if ahead >= self.arrived.len() {
            self.arrived.resize(ahead + 1, false);
        }
        if std::mem::replace(&mut self.arrived[ahead], true) {
            return;
        }
        self.waiting += 1;
        while self.arrived.front() == Some(&true) {
            self.arrived.pop_front();
            self.expected += 1;
            self.advanced_at = now;
            self.waiting -= 1;
        }
        self.reorder_max = self.reorder_max.max(self.waiting);
    }

    /// What the receiver says in its ACKs: the sender may send segments below this.
    #[inline]
    pub(crate) fn right_edge(&self) -> u32 {
        self.expected.saturating_add(self.buffer)
    }

    /// The sender heard how far it may go. True if it stood still for that until now.
    pub(crate) fn heard(&mut self, right_edge: u32) -> bool {
        let stood = self.next >= self.limit && self.next < self.offered;
        self.limit = self.limit.max(right_edge);
        stood && self.may_send()
    }

    /// The application stops: nothing beyond what was sent already.
    pub(crate) fn stop(&mut self) {
        self.cut |= self.next < self.offered;
        self.offered = self.offered.min(self.next);
    }

    /// Everything was sent that there was.
    pub(crate) fn all_sent(&self) -> bool {
        self.next >= self.offered && !self.cut
    }

    /// A round of a subflow ended. The rounds of all subflows that had one, and the place of this one among them.
    pub(crate) fn tell(&mut self, endpoint: u32, round: Subflow) -> (&[Subflow], usize) {
        self.subflow(endpoint).round = Some(round);
        self.told.clear();
        let mut which = 0;
        for subflow in &self.subflows {
            if subflow.endpoint == endpoint {
                which = self.told.len();
            }
            self.told.extend(subflow.round);
        }
        (&self.told, which)
    }

    /// Payload bytes in the first `segments` segments of the stream.
    fn bytes_in(&self, segments: u32) -> u64 {
        let whole = u64::from(segments) * u64::from(self.mss);
        self.size.map_or(whole, |size| whole.min(size))
    }

    pub(crate) fn delivered_bytes(&self) -> u64 {
        self.bytes_in(self.expected)
    }

    /// The warm-up ends.
    pub(crate) fn warm(&mut self) {
        let waiting = (self.expected..).zip(&self.arrived).filter(|(_, arrived)| **arrived);
        self.before = std::iter::once((0, self.expected)).chain(waiting.map(|(at, _)| (at, at + 1))).collect();
    }

    /// Payload bytes delivered by now that had not arrived when the warm-up ended.
    fn measured_bytes(&self) -> u64 {
        let in_order = |segment: u32| self.bytes_in(segment.min(self.expected));
        let early = self.before.iter().map(|&(first, end)| in_order(end) - in_order(first));
        self.delivered_bytes() - early.sum::<u64>()
    }

    pub(crate) fn result(&self, connection: usize) -> MultipathResult {
        MultipathResult {
            connection,
            start: self.start,
            delivered_bytes: self.delivered_bytes(),
            measured_bytes: self.measured_bytes(),
            reorder_max: self.reorder_max,
            completed: (self.all_sent() && self.expected >= self.offered).then_some(self.advanced_at),
            known: self.known,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(size: Option<u64>, buffer: u32) -> Connection {
        let spec = MultipathSpec { name: "c".into(), subflows: vec![0, 1], buffer, size, coupled: false };
        Connection::new(&spec, 1000, [0, 2].into_iter(), Time::ZERO)
    }

    #[test]
    fn the_stream_is_put_in_order() {
        let mut c = two(None, 100);
        c.sent(0, 0); // 0
        c.sent(2, 0); // 1
        c.sent(2, 1); // 2
        c.sent(0, 1); // 3
        c.arrived(Time::ZERO, 2, 0, 1);
        c.arrived(Time::ZERO, 2, 1, 2);
        assert_eq!((c.delivered_bytes(), c.waiting), (0, 2)); // 0 is missing
        c.arrived(Time::ZERO, 0, 1, 0);
        assert_eq!((c.delivered_bytes(), c.waiting), (0, 3));
        c.arrived(Time::ZERO, 0, 0, 2);
        assert_eq!((c.delivered_bytes(), c.waiting, c.reorder_max), (4000, 0, 3));
        // copies change nothing
        c.arrived(Time::ZERO, 0, 1, 2);
        c.arrived(Time::ZERO, 2, 1, 2);
        assert_eq!((c.delivered_bytes(), c.waiting), (4000, 0));
    }

    #[test]
    fn the_buffer_stops_the_sender() {
        let mut c = two(None, 3);
        for n in 0..3 {
            assert!(c.may_send());
            c.sent(0, n);
        }
        assert!(!c.may_send());
        c.arrived(Time::ZERO, 0, 1, 0);
        c.arrived(Time::ZERO, 0, 2, 0);
        assert_eq!(c.right_edge(), 3); // nothing is in order yet
        c.arrived(Time::ZERO, 0, 0, 3);
        assert_eq!(c.right_edge(), 6);
        assert!(c.heard(6));
        assert!(c.may_send() && !c.heard(6)); // it did not stand any more
    }

    #[test]
    fn a_transfer_ends_with_its_last_byte() {
        let mut c = two(Some(1500), 100);
        c.sent(0, 0);
        assert!(c.may_send() && !c.all_sent());
        c.sent(2, 0);
        assert!(!c.may_send() && c.all_sent());
        c.arrived(Time::ZERO, 0, 0, 1);
        c.arrived(Time::ZERO, 2, 0, 1);
        assert_eq!(c.delivered_bytes(), 1500);
    }

    #[test]
    fn a_transfer_that_is_cut_short_is_never_all_sent() {
        let mut c = two(Some(2500), 100);
        (0..2).for_each(|n| c.sent(0, n));
        c.stop();
        assert!(!c.may_send() && !c.all_sent());
        let mut c = two(Some(2500), 100);
        (0..3).for_each(|n| c.sent(0, n));
        c.stop();
        assert!(c.all_sent());
    }

    #[test]
    fn what_waits_when_the_warm_up_ends_does_not_count_after_it() {
        let mut c = two(Some(4500), 100);
        (0..5).for_each(|n| c.sent(0, n));
        c.arrived(Time::ZERO, 0, 0, 1);
        c.arrived(Time::ZERO, 0, 2, 1);
        c.arrived(Time::ZERO, 0, 4, 1);
        c.warm();
        assert_eq!((c.delivered_bytes(), c.measured_bytes()), (1000, 0));
        c.arrived(Time::ZERO, 0, 1, 3);
        // 0 and 2 had come before, 4 as well but is not in order yet
        assert_eq!((c.delivered_bytes(), c.measured_bytes()), (3000, 1000));
        c.arrived(Time::ZERO, 0, 3, 5);
        assert_eq!((c.delivered_bytes(), c.measured_bytes()), (4500, 2000));
    }

    #[test]
    fn rounds_are_told_with_the_place_of_the_newest() {
        let round = |window_segments| Subflow {
            window_segments,
            window_max_segments: window_segments,
            rtt_mean: units::Span::from_millis(100),
            samples: 10,
            rtt_min: units::Span::from_millis(90),
        };
        let mut c = two(None, 100);
        assert_eq!(c.tell(2, round(5.0)), (&[round(5.0)][..], 0));
        assert_eq!(c.tell(0, round(7.0)), (&[round(7.0), round(5.0)][..], 0));
        assert_eq!(c.tell(2, round(6.0)), (&[round(7.0), round(6.0)][..], 1));
    }
}
