//! Two endpoints and a pipe between them that loses packets and never reorders them, and is down during handovers: whatever is
//! lost, and by whatever rules they run, all data arrive in order, each once, the sender keeps within its windows and its
//! pace, and the counters agree with what an onlooker saw.

use std::collections::VecDeque;

use proptest::prelude::*;
use tcp::{
    Config, Count, DelackMode, Endpoint, Flags, HalfBase, InitialWindow, Pacing, Profile, RecoverRule, Role, Segment,
};
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
    /// A handover: all that enters is lost.
    down: bool,
    data_lost: u64,
    acks_lost: u64,
    /// Until when each lost data segment would have been on its way, and its number.
    ghosts: VecDeque<(Time, u32)>,
}

impl Wire {
    fn new(lost: Vec<usize>, marked: Vec<usize>) -> Wire {
        Wire {
            flying: VecDeque::new(),
            free_at: Time::ZERO,
            entered: 0,
            lost,
            marked,
            down: false,
            data_lost: 0,
            acks_lost: 0,
            ghosts: VecDeque::new(),
        }
    }

    fn enter(&mut self, now: Time, mut segment: Segment) {
        self.entered += 1;
        self.free_at = self.free_at.max(now) + SPACING;
        if self.down || self.lost.contains(&self.entered) {
            if segment.flags.has(Flags::DATA) {
                self.data_lost += 1;
                self.ghosts.push_back((self.free_at + DELAY, segment.seq));
            } else if segment.flags.has(Flags::ACK) {
                self.acks_lost += 1;
            }
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

    /// Data segments on the way, those that will not arrive included; several copies of one count once: a second recovery
    /// sends again what the first has just sent again (RFC 6675 starts HighRxt anew), and sees one of them.
    fn data_in_network(&mut self, now: Time) -> usize {
        while self.ghosts.front().is_some_and(|&(until, _)| until <= now) {
            self.ghosts.pop_front();
        }
        let flying = self.flying.iter().filter(|(_, s)| s.flags.has(Flags::DATA)).map(|(_, s)| s.seq);
        let mut numbers: Vec<u32> = self.ghosts.iter().map(|&(_, number)| number).chain(flying).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.len()
    }
}

/// A handover: when it is announced, for how long ahead, and how long the pipe is down, milliseconds.
#[derive(Clone, Copy, Debug)]
struct Handover {
    at: u64,
    lead: u64,
    length: u64,
}

/// What happens in a handover.
#[derive(Clone, Copy, Debug)]
enum Notice {
    Announced,
    Down,
    Up,
}

/// What an onlooker saw of one end's sending, to be compared with its counters.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    data: u64,
    again: u64,
    probes: u64,
    /// ACKs without data, probes and the answer to the SYN among them.
    acks: u64,
    data_arrived: u64,
    acks_arrived: u64,
}

/// Holds a paced sender to its rate. With a gap of MSS / rate after each segment, at the rate of that moment, segment `j` leaves
/// no earlier than any segment `i` before it plus the gaps from `i` on, less the spare segments that may follow at once:
/// `t(j) >= t(i) + gap(i) + ... + gap(j - 1) - spare gap(i)`.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    /// Sum of the gaps so far, seconds.
    gaps: f64,
    /// Greatest `t(i) - spare gap(i)` less the gaps before `i`.
    bound: Option<f64>,
    left: u32,
}

impl Pace {
    fn segment(&mut self, now: Time, gap: f64, spare: f64) {
        let at = now.since(Time::ZERO).secs();
        // each gap is rounded to nanoseconds
        let tolerance = 1e-9 * f64::from(self.left + 1) + 1e-7;
        if let Some(bound) = self.bound {
            assert!(at - self.gaps >= bound - tolerance, "faster than its pace by {} s", bound - (at - self.gaps));
        }
        if gap > 0.0 {
            let mine = at - spare * gap - self.gaps;
            self.bound = Some(self.bound.map_or(mine, |bound| bound.max(mine)));
        }
        self.gaps += gap;
        self.left += 1;
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
    handovers: Vec<Handover>,
}

/// Handovers one after the other.
fn handovers() -> impl Strategy<Value = Vec<Handover>> {
    proptest::collection::vec((0u64..1500, 0u64..200, 1u64..1500), 0..4).prop_map(|list| {
        let mut free = 0;
        list.into_iter()
            .map(|(pause, lead, length)| {
                let at = free + pause + 1;
                free = at + lead + length;
                Handover { at, lead, length }
            })
            .collect()
    })
}

fn case() -> impl Strategy<Value = Case> {
    let rules = (
        prop_oneof![Just(Profile::Rfc), Just(Profile::Ns2)],
        proptest::sample::select(cc::registry::windowed().map(|row| row.name).collect::<Vec<_>>()),
        (1u32..=10, 0u32..=4, 1u32..=12, 1u32..=3),
        proptest::array::uniform12(any::<bool>()),
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
    (rules, 1u64..150_000, any::<bool>(), list(40), list(20), list(20), (handovers(), 1u32..5)).prop_map(
        |(rules, bytes, two_way, lost, acks_lost, marked, (handovers, pacing_burst))| {
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
            config.pacing_burst = pacing_burst;
            config.freeze = flags[7];
            config.freeze_kick = flags[8];
            config.delayed_ack_mode = if flags[9] { DelackMode::Heartbeat } else { DelackMode::PerSegment };
            let count = if flags[10] { Count::Bytes } else { Count::Acks };
            (config.ss_count, config.ca_count) = (count, count);
            config.ss_limit = if flags[11] { 2 } else { u32::MAX };
            config.recover_rule = recover_rule;
            config.max_burst = max_burst;
            config.recovery = recovery;
            Case { config, algorithm, bytes, two_way, lost, acks_lost, marked, handovers }
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
    is_tahoe: bool,
    is_sack: bool,
    handovers_over: u32,
    notices: VecDeque<(Time, Notice)>,
    seen: [Seen; 2],
    pace: [Pace; 2],
    /// Greatest window that each sender had.
    widest: [f64; 2],
}

impl Lab {
    fn new(case: &Case) -> Lab {
        let algorithm = cc::Config::named(case.algorithm).unwrap();
        let core = case.config.recovery.unwrap_or(algorithm.row().recovery);
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
            is_vegas: core == cc::registry::Recovery::Vegas,
            is_tahoe: core == cc::registry::Recovery::Tahoe,
            is_sack: core == cc::registry::Recovery::Sack,
            handovers_over: 0,
            notices: case
                .handovers
                .iter()
                .flat_map(|h| {
                    let at = |ms| Time::ZERO + Span::from_millis(ms);
                    let (down, up) = (h.at + h.lead, h.at + h.lead + h.length);
                    [(at(h.at), Notice::Announced), (at(down), Notice::Down), (at(up), Notice::Up)]
                })
                .collect(),
            seen: [Seen::default(); 2],
            pace: [Pace::default(); 2],
            widest: [1.0; 2],
        }
    }

    /// Send what must leave. New data stay within cwnd, where no duplicates add to it, and the receiver's window.
    fn drive(&mut self, side: usize) {
        let before = self.ends[side].sender.snd_max();
        let window = self.ends[side].sender.cwnd() + f64::from(self.ends[side].sender.inflation().max(0));
        self.widest[side] = self.widest[side].max(window);
        while let Some(segment) = self.ends[side].poll_transmit(self.now) {
            self.wires[side].enter(self.now, segment);
            self.look_at(side, &segment);
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

    /// Count what leaves. Data keep the pace, and none leave into a closed window.
    fn look_at(&mut self, side: usize, segment: &Segment) {
        let seen = &mut self.seen[side];
        let sender = &self.ends[side].sender;
        if !segment.flags.has(Flags::DATA) {
            seen.acks += u64::from(segment.flags.has(Flags::ACK));
            seen.probes += u64::from(segment.flags.has(Flags::PROBE));
            return;
        }
        seen.data += 1;
        seen.again += u64::from(segment.flags.has(Flags::RETRANSMITTED));
        assert!(sender.path().rwnd.0 > 0.0, "data into a closed window");
        let gap = sender.pacing_rate().map_or(0.0, |rate| if rate.0 > 0.0 { 1000.0 / rate.0 } else { 0.0 });
        self.pace[side].segment(self.now, gap, f64::from(self.config.pacing_burst - 1));
        // Tahoe goes back at every fast retransmit, whatever is on its way; ns-2's estimates go wrong at times, and so do ours
        if self.config.ns2_recovery || self.is_vegas || self.is_tahoe {
            return;
        }
        let in_network = self.wires[side].data_in_network(self.now);
        // the end of a handover sends the oldest segment again, needed or not, and the receiver's ACKs that give the window
        // back pass for duplicates; as do the answers to what was sent again in vain: they announce arrivals that were none
        let beyond = self.config.dup_threshold + self.handovers_over * (1 + self.config.freeze_copies);
        let beyond = u64::from(beyond) + self.ends[1 - side].receiver.stats.duplicate_segments;
        // without SACK a partial ACK sends the hole again and adds a segment back (RFC 6582 section 3.2, step 3)
        let beyond = beyond + if self.is_sack { 0 } else { sender.stats().retransmitted_segments };
        let most = self.widest[side].min(f64::from(self.config.window)) + beyond as f64;
        // what a timer gave up too early may still be on its way
        let most = if sender.stats().timeouts > 0 { 2.0 * most } else { most };
        assert!(in_network as f64 <= most, "{in_network} segments in the network, the window was {most} at most");
    }

    /// The counters at the end are what was seen.
    fn check_counters(&mut self) {
        for side in 0..2 {
            let (own, other) = (self.seen[side], self.seen[1 - side]);
            let stats = *self.ends[side].sender.stats();
            assert_eq!((stats.sent_segments, stats.retransmitted_segments), (own.data, own.again), "data sent");
            assert_eq!(stats.window_probes, own.probes, "probes");
            assert_eq!(self.ends[side].acks_sent, own.acks, "ACKs sent");
            assert_eq!(self.ends[side].receiver.stats.received_segments, own.data_arrived, "data received");
            assert_eq!(self.ends[side].acks_received, own.acks_arrived, "ACKs received");
            let wire = &mut self.wires[side];
            let flying = |data: bool| wire.flying.iter().filter(move |(_, s)| s.flags.has(Flags::DATA) == data);
            assert_eq!(own.data, other.data_arrived + wire.data_lost + flying(true).count() as u64, "data");
            let acks = flying(false).filter(|(_, s)| s.flags.has(Flags::ACK)).count() as u64;
            assert_eq!(own.acks, other.acks_arrived + wire.acks_lost + acks, "ACKs");
        }
    }

    fn notice(&mut self, at: Time, notice: Notice) {
        self.now = at;
        match notice {
            Notice::Announced if self.config.freeze => self.ends[1].freeze(),
            Notice::Announced => {}
            Notice::Down => {
                self.wires.iter_mut().for_each(|wire| wire.down = true);
                self.ends.iter_mut().for_each(|end| end.sender.on_handover(at, true));
            }
            Notice::Up => {
                self.handovers_over += 1;
                self.wires.iter_mut().for_each(|wire| wire.down = false);
                self.ends.iter_mut().for_each(|end| end.sender.on_handover(at, false));
                self.ends[1].thaw();
            }
        }
        self.drive(0);
        self.drive(1);
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
        let data = segment.flags.has(Flags::DATA);
        self.seen[to].data_arrived += u64::from(data);
        self.seen[to].acks_arrived += u64::from(!data && segment.flags.has(Flags::ACK));
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
            let notice = self.notices.front().map_or(Time::NEVER, |n| n.0);
            let next = arrivals.iter().chain(&timers).min().copied().unwrap();
            assert!(next < Time::NEVER || notice < Time::NEVER, "nothing will ever happen again");
            if notice <= next {
                let (at, notice) = self.notices.pop_front().expect("looked before");
                self.notice(at, notice);
            } else if let Some(wire) = arrivals.iter().position(|&at| at == next) {
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
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(3000), // more with PROPTEST_CASES
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn all_data_arrive_in_order_and_once(case in case()) {
        let mut lab = Lab::new(&case);
        lab.run(case.bytes, case.two_way);
        lab.check_counters();
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

/// A case of its own: nothing lost, nothing marked, one way.
fn plain(profile: Profile, algorithm: &'static str, bytes: u64, handovers: &[Handover]) -> Case {
    let mut config = Config::profile(profile);
    config.mss = 1000;
    config.window = 4;
    Case {
        config,
        algorithm,
        bytes,
        two_way: false,
        lost: vec![],
        acks_lost: vec![],
        marked: vec![],
        handovers: handovers.to_vec(),
    }
}

fn ends(case: &Case) {
    let mut lab = Lab::new(case);
    lab.run(case.bytes, case.two_way);
    lab.check_counters();
}

/// A timeout within the first handover, new data at its end, and a second handover before any of them is acknowledged: at its
/// end the new data count as lost, too, and leave again before more new data do.
#[test]
fn a_second_handover_loses_what_was_sent_after_the_first() {
    let handovers = [Handover { at: 23, lead: 19, length: 1041 }, Handover { at: 1084, lead: 0, length: 1 }];
    let mut case = plain(Profile::Rfc, "westwood-plus-ho", 4001, &handovers);
    case.config.recovery = Some(cc::registry::Recovery::Sack);
    case.config.dup_threshold = 1;
    case.config.limited_transmit = 0;
    case.config.initial_window = InitialWindow::Segments(3);
    case.config.cwnd_limited = false;
    case.config.half_base = HalfBase::Window;
    case.config.delayed_ack = 1;
    case.config.max_burst = 2;
    case.config.freeze_kick = false;
    ends(&case);
}

/// ns-2's Vegas may be left without a window and nothing outstanding, when only the timer goes on; a receiver that closes its
/// window meanwhile and opens it again leaves the timer running.
#[test]
fn a_closed_window_does_not_stop_the_timer_of_a_vegas_without_one() {
    let handovers = [Handover { at: 1483, lead: 21, length: 41 }, Handover { at: 1630, lead: 170, length: 1 }];
    let mut case = plain(Profile::Ns2, "vegas", 52_001, &handovers);
    case.two_way = true;
    case.lost = vec![12, 14, 59];
    case.acks_lost = vec![35, 9, 7];
    case.config.dup_threshold = 1;
    case.config.limited_transmit = 0;
    case.config.initial_window = InitialWindow::Segments(4);
    case.config.recover_rule = RecoverRule::Off;
    case.config.delayed_ack = 3;
    case.config.delayed_ack_mode = DelackMode::Heartbeat;
    case.config.max_burst = 5;
    case.config.freeze = true;
    case.config.freeze_kick = false;
    ends(&case);
}
