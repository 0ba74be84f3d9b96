//! For the tests of algorithms: events with legal defaults, to be changed field by field, and a small model of the
//! engine.

use units::{Bytes, Span, Time, num};

use crate::path::test_path;
use crate::{Ack, Cause, Congestion, CongestionControl, DeliverySample, Path, RecoveryExit, Round, Signal};

/// An ACK of `newly_acked` bytes at t = 1 s that may grow the window, with an RTT of 100 ms.
pub(crate) fn ack(newly_acked: f64) -> Ack {
    Ack {
        now: Time::from_secs(1.0),
        newly_acked: Bytes(newly_acked),
        grows: newly_acked > 0.0,
        slow_start: Bytes(newly_acked),
        avoidance: Bytes(newly_acked),
        in_recovery: false,
        gap: newly_acked == 0.0,
        rtt: Some(Span::from_millis(100)),
        receiver_time: None,
        one_way_delay: None,
        marked: false,
        ce: Bytes::ZERO,
        round: None,
        delivery: None,
    }
}

/// The threshold of duplicate ACKs, reached at t = 1 s.
pub(crate) fn dup_acks() -> Congestion {
    Congestion {
        now: Time::from_secs(1.0),
        cause: Cause::DupAcks,
        cut_already: false,
        timeouts: 0,
        retransmitted: false,
        sent_at: Some(Time::from_secs(0.9)),
        hold_ssthresh: false,
        halving: test_path().halving(Bytes(10_000.0)),
    }
}

impl Congestion {
    /// The same with a halving that starts from `base`, bytes.
    pub(crate) fn of(self, base: f64) -> Congestion {
        Congestion { halving: test_path().halving(Bytes(base)), ..self }
    }

    /// The same with a halving that starts from the flight size.
    pub(crate) fn of_flight(self, path: &Path) -> Congestion {
        Congestion { halving: path.halving(path.flight_size), ..self }
    }
}

/// The `timeouts`-th expiry in a row, at t = 2 s.
pub(crate) fn rto(timeouts: u32) -> Congestion {
    Congestion { now: Time::from_secs(2.0), cause: Cause::Rto, timeouts, ..dup_acks() }
}

/// An ACK that ends a round of 100 ms in which 10 segments were sent.
pub(crate) fn last_of_round(newly_acked: f64) -> Ack {
    Ack { round: Some(Round { length: Span::from_millis(100), sent: Bytes(10_000.0) }), ..ack(newly_acked) }
}

/// The algorithm in congestion avoidance at a full window of `segments`, on a path with an RTT of 100 ms.
pub(crate) fn full<A: CongestionControl>(mut algorithm: A, segments: f64) -> (A, Path) {
    let window = Bytes(segments * 1000.0);
    let path = Path { flight_size: window, ..test_path() };
    algorithm.on_init(window, Bytes(2000.0), &path);
    (algorithm, path)
}

/// A sender that always has data, on a path with a queue of wandering length and random losses, marks and timeouts. It
/// calls an algorithm in the order the engine promises; it sends and receives nothing.
#[derive(Clone)]
pub(crate) struct Model {
    random: u64,
    now: Time,
    path: Path,
    queue_ms: u64,
    to_round_end: f64, // segments
    round_began: Time,
    sent: f64, // segments, in this round
    cut_at: Option<Time>,
    in_handover: bool,
    /// Marks are counted, and the algorithm hears of them in ACKs alone.
    pub(crate) counts_marks: bool,
    delivered: u32,
    /// A step is an ACK unless one in so many of a hundred kinds is drawn.
    kinds: u64,
    /// How often each kind of step was made.
    pub(crate) counts: [u32; Model::KINDS],
    /// Losses that the algorithm judged random.
    pub(crate) judged_random: u32,
}

impl Model {
    pub(crate) const MSS: Bytes = Bytes(1000.0);
    pub(crate) const KINDS: usize = 6;
    const RTT_MIN_MS: u64 = 40;
    const ACK: usize = 0;
    const LOSS: usize = 1;
    const TIMEOUT: usize = 2;
    const MARK: usize = 3;
    const UNUSED: usize = 4;
    const HANDOVER: usize = 5;

    /// Opens the connection at `start`, with the rounding of ns-2 or not.
    pub(crate) fn new(algorithm: &mut impl CongestionControl, seed: u64, start: Time, ns2: bool) -> Model {
        let none = Span::ZERO;
        let path = Path { srtt: none, rtt: none, rtt_min: none, whole_ssthresh: ns2, ..test_path() };
        let path = Path { rwnd: Bytes(200_000.0), ..path };
        algorithm.on_init(Bytes(3000.0), path.rwnd, &path);
        let (random, round_began) = (seed.wrapping_mul(2) + 1, start);
        let (to_round_end, sent, delivered) = (0.0, 3.0, 0);
        let counts = [0; Model::KINDS];
        let (cut_at, in_handover) = (None, false);
        Model {
            random,
            now: start,
            path,
            queue_ms: 0,
            to_round_end,
            round_began,
            sent,
            cut_at,
            in_handover,
            counts_marks: false,
            delivered,
            kinds: 100,
            counts,
            judged_random: 0,
        }
    }

    /// A sender that can fill a large window, and finds a queue: one step in 40 is something else than an ACK.
    pub(crate) fn calm(algorithm: &mut impl CongestionControl, seed: u64) -> Model {
        let mut model = Model::new(algorithm, seed, Time::ZERO, true);
        model.path.rwnd = Bytes(2_000_000.0);
        (model.kinds, model.queue_ms) = (800, 60);
        model
    }

    /// A number below `limit`, from a linear congruential generator.
    fn below(&mut self, limit: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % limit
    }

    /// One event of the network, with all calls that it causes.
    pub(crate) fn step(&mut self, algorithm: &mut impl CongestionControl) {
        let (what, wait) = (self.below(self.kinds), self.below(8_000_000));
        // some ACKs come at the same instant
        self.now += Span(if wait < 1_000_000 { 0 } else { wait });
        let kind = match what {
            0..80 => Model::ACK,
            80..86 => Model::LOSS,
            86..90 => Model::TIMEOUT,
            90..95 => Model::MARK,
            95..98 => Model::UNUSED,
            98..100 => Model::HANDOVER,
            _ => Model::ACK,
        };
        self.counts[kind] += 1;
        match kind {
            Model::LOSS => self.loss(algorithm),
            Model::TIMEOUT => self.timeouts(algorithm),
            Model::HANDOVER => self.handover(algorithm),
            _ => {
                let segments = 1.0 + self.below(2) as f64;
                let event = self.ack(algorithm, segments, false);
                let marked = kind == Model::MARK;
                let grows = kind != Model::UNUSED;
                let ce = if marked && self.counts_marks { event.newly_acked } else { Bytes::ZERO };
                algorithm.on_ack(&Ack { grows, marked, ce, ..event }, &self.path);
                if marked && !self.counts_marks {
                    self.congestion(algorithm, Cause::EcnMark, 0);
                }
            }
        }
    }

    /// Window in use: whole segments, at least one.
    fn outstanding(&self, algorithm: &impl CongestionControl) -> Bytes {
        let whole = num::floor(algorithm.cwnd().min(self.path.rwnd).over(Model::MSS));
        whole.max(1.0) * Model::MSS
    }

    fn ack(&mut self, algorithm: &impl CongestionControl, segments: f64, in_recovery: bool) -> Ack {
        self.path.flight_size = self.outstanding(algorithm);
        let rtt = (segments > 0.0).then(|| self.sample());
        let newly_acked = (segments * Model::MSS).min(self.path.flight_size);
        let receiver_time = Some(Time(self.now.0 + 5_000_000_000 - Model::RTT_MIN_MS * 500_000));
        let one_way_delay = rtt.map(|rtt| rtt - Span::from_millis(Model::RTT_MIN_MS / 2));
        let round = self.round(newly_acked.over(Model::MSS));
        let delivery = Some(self.delivery(newly_acked, rtt, in_recovery));
        Ack {
            now: self.now,
            newly_acked,
            grows: !in_recovery,
            slow_start: newly_acked,
            avoidance: newly_acked,
            in_recovery,
            gap: newly_acked == Bytes::ZERO,
            rtt,
            receiver_time,
            one_way_delay,
            marked: false,
            ce: Bytes::ZERO,
            round,
            delivery,
        }
    }

    /// A window per RTT; a duplicate reports one segment. Some samples are limited, some ACKs show a loss.
    fn delivery(&mut self, newly_acked: Bytes, rtt: Option<Span>, repairing: bool) -> DeliverySample {
        let segments = |amount: Bytes| amount.over(Model::MSS) as u32;
        let newly_delivered = segments(newly_acked).max(1);
        let window = segments(self.path.flight_size);
        self.delivered += newly_delivered;
        DeliverySample {
            delivered: window,
            interval: self.path.rtt,
            rtt,
            app_limited: self.below(8) == 0,
            newly_delivered,
            total: self.delivered,
            total_at_send: self.delivered.saturating_sub(window),
            in_flight_before: window + newly_delivered,
            in_flight: window,
            lost: u32::from(self.below(16) == 0),
            repairing,
        }
    }

    fn sample(&mut self) -> Span {
        self.queue_ms = (self.queue_ms + self.below(9)).saturating_sub(4).min(200);
        let rtt = Span::from_millis(Model::RTT_MIN_MS + self.queue_ms);
        let path = &mut self.path;
        path.rtt = rtt;
        path.rtt_min = if path.rtt_min == Span::ZERO { rtt } else { path.rtt_min.min(rtt) };
        path.srtt = if path.srtt == Span::ZERO { rtt } else { (path.srtt * 7 + rtt) / 8 };
        rtt
    }

    fn round(&mut self, acked: f64) -> Option<Round> {
        self.to_round_end -= acked;
        self.sent += acked;
        if acked == 0.0 || self.to_round_end > 0.0 {
            return None;
        }
        let round = Round { length: self.now.since(self.round_began), sent: self.sent * Model::MSS };
        self.to_round_end = self.path.flight_size.over(Model::MSS);
        (self.round_began, self.sent) = (self.now, 0.0);
        Some(round)
    }

    fn congestion(&mut self, algorithm: &mut impl CongestionControl, cause: Cause, timeouts: u32) {
        let sent_at = Time(self.now.0.saturating_sub(self.path.rtt.0));
        let event = Congestion {
            now: self.now,
            cause,
            cut_already: self.cut_at.is_some_and(|cut_at| sent_at <= cut_at),
            timeouts,
            retransmitted: timeouts > 1 || self.below(8) == 0,
            sent_at: Some(sent_at.max(self.round_began)),
            hold_ssthresh: timeouts > 1 && !self.path.whole_ssthresh,
            halving: self.path.halving(self.path.flight_size),
        };
        let response = algorithm.on_congestion(&event, &self.path);
        self.judged_random += u32::from(response.is_random());
        if response.is_cut() || cause == Cause::Rto {
            self.cut_at = Some(self.now);
        }
    }

    /// Duplicates up to the threshold, a recovery with a partial ACK or without, and its end. A timeout may end it.
    fn loss(&mut self, algorithm: &mut impl CongestionControl) {
        for _ in 0..self.path.dup_threshold {
            let event = self.ack(algorithm, 0.0, false);
            algorithm.on_ack(&Ack { grows: false, ..event }, &self.path);
        }
        self.congestion(algorithm, Cause::DupAcks, 0);
        for segments in [0.0, 0.0, self.below(3) as f64] {
            self.now += Span::from_millis(2);
            let event = self.ack(algorithm, segments, true);
            algorithm.on_ack(&event, &self.path);
        }
        if self.below(4) == 0 {
            algorithm.set_cwnd((algorithm.cwnd() - Model::MSS).max(Model::MSS)); // deflation
        }
        if self.below(6) == 0 {
            return self.timeouts(algorithm);
        }
        self.now += Span::from_millis(Model::RTT_MIN_MS);
        let event = self.ack(algorithm, 3.0, false);
        let window = algorithm.ssthresh().min(event.newly_acked + Model::MSS);
        algorithm.on_recovery_exit(&RecoveryExit { now: self.now, window, inflated: false }, &self.path);
        algorithm.on_ack(&Ack { grows: false, ..event }, &self.path);
    }

    /// Begins or ends one.
    fn handover(&mut self, algorithm: &mut impl CongestionControl) {
        let rto = Span::from_millis(300);
        if self.in_handover {
            algorithm.on_signal(&Signal::HandoverEnd { now: self.now, rto }, &self.path);
        } else {
            algorithm.on_signal(&Signal::HandoverStart { now: self.now, rto }, &self.path);
        }
        self.in_handover = !self.in_handover;
    }

    fn timeouts(&mut self, algorithm: &mut impl CongestionControl) {
        for timeouts in 1..=1 + self.below(3) as u32 {
            self.now += Span::from_millis(1000 << timeouts);
            self.path.flight_size = self.outstanding(algorithm);
            self.congestion(algorithm, Cause::Rto, timeouts);
        }
        self.to_round_end = 0.0;
    }
}
