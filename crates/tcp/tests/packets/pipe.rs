//! Two endpoints and a pipe between them that loses packets and never reorders them: whatever is lost, and by whatever
//! rules they run, all data arrive in order, each once, and the sender keeps within its windows.

use std::collections::VecDeque;

use proptest::prelude::*;
use tcp::{Config, Endpoint, Flags, HalfBase, InitialWindow, Pacing, Profile, RecoverRule, Role, Segment};
use units::{Span, Time};

const DELAY: Span = Span::from_millis(40);
/// Time between two packets on the pipe.
const SPACING: Span = Span::from_millis(1);

/// One direction: what is in flight, and which packets it will lose by their order of entry.
struct Wire {
    flying: VecDeque<(Time, Segment)>,
    free_at: Time,
    entered: usize,
    lost: Vec<usize>,
    marked: Vec<usize>,
}

impl Wire {
    fn new(lost: Vec<usize>, marked: Vec<usize>) -> Wire {
        Wire { flying: VecDeque::new(), free_at: Time::ZERO, entered: 0, lost, marked }
    }

    fn enter(&mut self, now: Time, mut segment: Segment) {
        self.entered += 1;
        self.free_at = self.free_at.max(now) + SPACING;
        if self.lost.contains(&self.entered) {
            return;
        }
        if self.marked.contains(&self.entered) && segment.flags.has(Flags::ECT) {
            segment.flags.set(Flags::CE);
        }
        self.flying.push_back((self.free_at + DELAY, segment));
    }

    fn next_at(&self) -> Time {
        self.flying.front().map_or(Time::NEVER, |f| f.0)
    }
}

#[derive(Clone, Debug)]
struct Case {
    config: Config,
    algorithm: &'static str,
    bytes: u64,
    two_way: bool,
    lost: Vec<usize>,
    acks_lost: Vec<usize>,
    marked: Vec<usize>,
}

fn case() -> impl Strategy<Value = Case> {
    let rules = (
        prop_oneof![Just(Profile::Rfc), Just(Profile::Ns2)],
        proptest::sample::select(cc::registry::windowed().map(|row| row.name).collect::<Vec<_>>()),
        (1u32..=10, 0u32..=4, 1u32..=12, 1u32..=3),
        proptest::array::uniform7(any::<bool>()),
        prop_oneof![Just(4u32), Just(16), Just(1000)],
        prop_oneof![Just(RecoverRule::Careful), Just(RecoverRule::LessCareful), Just(RecoverRule::Off)],
        prop_oneof![Just(0u32), Just(2), Just(5)],
        proptest::option::of(proptest::sample::select(vec![
            cc::registry::Recovery::Tahoe,
            cc::registry::Recovery::Reno,
            cc::registry::Recovery::NewReno,
            cc::registry::Recovery::Sack,
        ])),
    );
    let list = |most: usize| proptest::collection::vec(1usize..200, 0..most);
    (rules, 1u64..150_000, any::<bool>(), list(40), list(20), list(20)).prop_map(
        |(rules, bytes, two_way, lost, acks_lost, marked)| {
            let (profile, algorithm, counts, flags, window, recover_rule, max_burst, recovery) = rules;
            let mut config = Config::profile(profile);
            config.mss = 1000;
            config.window = window;
            config.dup_threshold = counts.0;
            config.limited_transmit = counts.1;
            config.initial_window = InitialWindow::Segments(counts.2);
            config.delayed_ack = counts.3;
            config.timestamps = flags[0];
            config.ecn = flags[1];
            config.ecn_per_packet = flags[1] && flags[2];
            config.cwnd_limited = flags[3];
            config.half_base = if flags[4] { HalfBase::Flight } else { HalfBase::Window };
            config.pacing = if flags[5] { Pacing::Window } else { Pacing::Algorithm };
            config.prr = flags[6];
            config.recover_rule = recover_rule;
            config.max_burst = max_burst;
            config.recovery = recovery;
            Case { config, algorithm, bytes, two_way, lost, acks_lost, marked }
        },
    )
}

/// Both ends with their wires, and what an onlooker checks.
struct Lab {
    ends: [Endpoint; 2],
    wires: [Wire; 2],
    config: Config,
    now: Time,
    arrived_new: [u64; 2],
    /// ACKs that did not advance, or reported segments beyond, came since everything sent was last acknowledged: duplicates may widen the window.
    duplicates: [bool; 2],
    /// ns-2's Vegas keeps the inflation of a recovery in its window.
    is_vegas: bool,
}

impl Lab {
    fn new(case: &Case) -> Lab {
        let algorithm = cc::Config::named(case.algorithm).unwrap();
        let end = |role| Endpoint::new(&case.config, &algorithm, role);
        Lab {
            ends: [end(Role::Active { peer_sends: case.two_way }), end(Role::Passive)],
            wires: [
                Wire::new(case.lost.clone(), case.marked.clone()),
                Wire::new(case.acks_lost.clone(), case.marked.clone()),
            ],
            config: case.config,
            now: Time::ZERO,
            arrived_new: [0; 2],
            duplicates: [false; 2],
            is_vegas: case.config.recovery.unwrap_or(algorithm.row().recovery) == cc::registry::Recovery::Vegas,
        }
    }

    /// Send what must leave. New data stay within cwnd, where no duplicates add to it, and the receiver's window.
    fn drive(&mut self, side: usize) {
        let before = self.ends[side].sender.snd_max();
        while let Some(segment) = self.ends[side].poll_transmit(self.now) {
            self.wires[side].enter(self.now, segment);
        }
        let sender = &self.ends[side].sender;
        assert!(sender.cwnd() >= 1.0 && sender.cwnd().is_finite());
        let outstanding = sender.snd_max() - sender.snd_una();
        if sender.snd_max() > before {
            assert!(outstanding <= self.config.window, "{outstanding} beyond the receiver's window");
            let within = f64::from(outstanding) <= sender.cwnd();
            assert!(within || self.duplicates[side] || self.is_vegas, "{outstanding} beyond cwnd {}", sender.cwnd());
        }
        self.check_timer(side);
    }

    /// A deadline is never further away than the greatest timeout, nor in the past.
    fn check_timer(&self, side: usize) {
        let sender = &self.ends[side].sender;
        let deadline = sender.deadline();
        if deadline != Time::NEVER {
            assert!(deadline >= self.now, "a deadline in the past");
            let most = self.config.rto_max.max(Span(2 * self.config.rtt_tick.0));
            assert!(deadline.since(self.now) <= most, "a timeout beyond the maximum");
        }
        let open = sender.is_open() && sender.snd_una() < sender.snd_max();
        assert!(!open || deadline != Time::NEVER, "data outstanding and no timer");
    }

    fn deliver(&mut self, from: usize) {
        let to = 1 - from;
        let (at, segment) = self.wires[from].flying.pop_front().expect("looked before");
        self.now = at;
        let acknowledged = self.ends[to].sender.snd_una();
        let timer_before = self.ends[to].sender.deadline();
        let received = self.ends[to].receiver.rcv_nxt();
        let duplicates = self.ends[to].receiver.stats.duplicate_segments;
        self.ends[to].handle_segment(self.now, &segment);
        let receiver = &self.ends[to].receiver;
        assert!(receiver.rcv_nxt() >= received, "what was received in order stays received");
        assert!(receiver.rcv_nxt() <= self.ends[from].sender.snd_max(), "nothing arrives that was never sent");
        if segment.flags.has(Flags::DATA) && receiver.stats.duplicate_segments == duplicates {
            self.arrived_new[to] += 1;
        }
        assert!(self.ends[to].sender.snd_una() <= self.ends[from].receiver.rcv_nxt(), "acknowledged before it arrived");
        let sender = &self.ends[to].sender;
        self.duplicates[to] |= sender.snd_una() == acknowledged || !segment.sack.is_empty();
        self.duplicates[to] &= sender.snd_una() < sender.snd_max();
        let timer = sender.deadline();
        if timer != timer_before && timer != Time::NEVER && self.ends[to].sender.is_open() {
            let least = self.config.rto_min.min(self.config.rto_init);
            assert!(timer.since(self.now) >= least, "a timeout below the minimum");
        }
        self.drive(to);
    }

    fn run(&mut self, bytes: u64, two_way: bool) {
        self.ends[0].offer(Some(bytes));
        if two_way {
            self.ends[1].offer(Some(bytes));
        }
        self.ends[0].open();
        self.drive(0);
        for _ in 0..100_000 {
            let senders = if two_way { 2 } else { 1 };
            if self.ends[..senders].iter().all(|end| end.sender.is_done()) && self.ends[1].sender.is_open() {
                return;
            }
            let arrivals = [self.wires[0].next_at(), self.wires[1].next_at()];
            let timers = [self.ends[0].next_deadline(), self.ends[1].next_deadline()];
            let next = arrivals.iter().chain(&timers).min().copied().unwrap();
            assert!(next < Time::NEVER, "nothing will ever happen again");
            if let Some(wire) = arrivals.iter().position(|&at| at == next) {
                self.deliver(wire);
            } else {
                let side = timers.iter().position(|&at| at == next).unwrap();
                self.now = next;
                self.ends[side].handle_timeout(next);
                assert!(self.ends[side].next_deadline() > next, "a deadline in the past");
                self.drive(side);
            }
        }
        panic!("the transfer does not end");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_data_arrive_in_order_and_once(case in case()) {
        let mut lab = Lab::new(&case);
        lab.run(case.bytes, case.two_way);
        let segments = case.bytes.div_ceil(1000);
        prop_assert_eq!(u64::from(lab.ends[1].receiver.rcv_nxt()), segments);
        prop_assert_eq!(lab.arrived_new[1], segments);
        prop_assert_eq!(lab.ends[0].bytes_in(segments as u32), case.bytes);
        if case.two_way {
            prop_assert_eq!(u64::from(lab.ends[0].receiver.rcv_nxt()), segments);
            prop_assert_eq!(lab.arrived_new[0], segments);
        }
    }
}
