//! Two endpoints and a pipe between them that loses packets and never reorders them, and is down during handovers; and
//! an onlooker, who holds senders to their windows and their pace, and counts.

use std::collections::{BTreeSet, VecDeque};

use tcp::fast::{Departure, Fast};
use tcp::{Config, EcnEcho, Endpoint, Flags, Role, Segment, TimerWheel};
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

    /// Data segments on the way, those that will not arrive included; several copies of one count once: a second
    /// recovery sends again what the first has just sent again (RFC 6675 starts HighRxt anew), and sees one of them.
    /// Copies of what is acknowledged, below `una`, are on their way in vain, and no sender counts them.
    fn data_in_network(&mut self, now: Time, una: u32) -> usize {
        while self.ghosts.front().is_some_and(|&(until, _)| until <= now) {
            self.ghosts.pop_front();
        }
        let flying = self.flying.iter().filter(|(_, s)| s.flags.has(Flags::DATA)).map(|(_, s)| s.seq);
        let mut numbers: Vec<u32> =
            self.ghosts.iter().map(|&(_, number)| number).chain(flying).filter(|&seq| seq >= una).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.len()
    }
}

/// A handover: when it is announced, for how long ahead, and how long the pipe is down, milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Handover {
    pub at: u64,
    pub lead: u64,
    pub length: u64,
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
    marked_arrived: u64,
    acks_arrived: u64,
}

/// Holds a paced sender to its rate. With a gap of MSS / rate after each segment, at the rate of that moment, segment
/// `j` leaves no earlier than any segment `i` before it plus the gaps from `i` on, less the spare segments that may
/// follow at once: `t(j) >= t(i) + gap(i) + ... + gap(j - 1) - spare gap(i)`.
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
pub struct Case {
    pub config: Config,
    pub algorithm: &'static str,
    pub bytes: u64,
    pub two_way: bool,
    pub lost: Vec<usize>,
    pub acks_lost: Vec<usize>,
    pub marked: Vec<usize>,
    pub handovers: Vec<Handover>,
}

/// Both ends with their wires, and what an onlooker checks.
pub struct Lab {
    pub ends: [Endpoint; 2],
    wires: [Wire; 2],
    config: Config,
    now: Time,
    pub arrived_new: [u64; 2],
    /// ACKs that did not advance, or reported segments beyond, came since everything sent was last acknowledged:
    /// duplicates may widen the window.
    duplicates: [bool; 2],
    /// ns-2's Vegas keeps the inflation of a recovery in its window.
    is_vegas: bool,
    is_tahoe: bool,
    is_sack: bool,
    keeps_board: bool,
    /// What each sender was told by SACK.
    sacked: [BTreeSet<u32>; 2],
    handovers_over: u32,
    notices: VecDeque<(Time, Notice)>,
    seen: [Seen; 2],
    pace: [Pace; 2],
    /// Greatest window that each sender had.
    widest: [f64; 2],
    /// The fast ways in and out are taken.
    pub fast: bool,
    /// Every segment that left, when, and from which end.
    pub left: Vec<(Time, usize, Segment)>,
}

impl Lab {
    pub fn new(case: &Case) -> Lab {
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
            is_sack: matches!(core, cc::registry::Recovery::Sack | cc::registry::Recovery::RackTlp),
            keeps_board: end(Role::Passive).sender.known().is_some(),
            sacked: [BTreeSet::new(), BTreeSet::new()],
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
            fast: false,
            left: Vec::new(),
        }
    }

    /// The next segment that an end must send.
    fn poll(&mut self, side: usize) -> Option<Segment> {
        let (end, now) = (&mut self.ends[side], self.now);
        if !self.fast {
            return end.poll_transmit(now);
        }
        Some(match end.poll_departure(now)? {
            Departure::Data(number, again) => end.data(now, number, again),
            Departure::Ack => end.pure_ack(now),
            Departure::Special => end.special(now),
        })
    }

    /// A segment arrives.
    fn hand_over(&mut self, to: usize, segment: &Segment) {
        let (end, now) = (&mut self.ends[to], self.now);
        match (self.fast, segment.sack.is_empty()) {
            (false, _) => return end.handle_segment(now, segment),
            (true, true) => end.handle_segment_here(now, segment),
            (true, false) => end.handle_ack(now, segment),
        }
        if end.only_waits(now) {
            let mut asked = end.clone();
            assert!(asked.poll_transmit(now).is_none(), "something leaves, though only waiting was left");
        }
    }

    /// Send what must leave. New data stay within cwnd, where no duplicates add to it, and the receiver's window.
    fn drive(&mut self, side: usize) {
        let before = self.ends[side].sender.snd_max();
        let window = self.ends[side].sender.cwnd() + f64::from(self.ends[side].sender.inflation().max(0));
        self.widest[side] = self.widest[side].max(window);
        while let Some(segment) = self.poll(side) {
            // the ACK that ends the handshake opens the window
            self.widest[side] = self.widest[side].max(self.ends[side].sender.cwnd());
            self.left.push((self.now, side, segment));
            self.wires[side].enter(self.now, segment);
            self.look_at(side, &segment);
        }
        let sender = &self.ends[side].sender;
        assert!(sender.cwnd() >= 1.0 && sender.cwnd().is_finite());
        let outstanding = sender.snd_max() - sender.snd_una();
        if sender.snd_max() > before {
            assert!(outstanding <= self.config.window, "{outstanding} beyond the receiver's window");
            // a probe of new data is one more, whatever cwnd is; what a timeout takes for lost is outstanding and not
            // in the network, and F-RTO sends new data before it is sent again
            let probe = sender.stats().tail_probes > 0 && sender.snd_max() == before + 1;
            let doubts = self.keeps_board && sender.stats().timeouts > 0;
            // a recovery whose cut is taken back before its end goes on with what PRR adds
            let more = if self.keeps_board && sender.in_recovery() { f64::from(sender.inflation()) } else { 0.0 };
            // after a mark the flight comes down in proportion
            let within =
                f64::from(outstanding) <= sender.cwnd() + more.max(0.0) || probe || doubts || sender.comes_down();
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
        let again = segment.flags.has(Flags::RETRANSMITTED);
        assert!(
            !(again && self.keeps_board && self.sacked[side].contains(&segment.seq)),
            "what was SACKed leaves again"
        );
        seen.data += 1;
        seen.again += u64::from(segment.flags.has(Flags::RETRANSMITTED));
        assert!(sender.path().rwnd.0 > 0.0, "data into a closed window");
        let gap = sender.pacing_rate().map_or(0.0, |rate| if rate.0 > 0.0 { 1000.0 / rate.0 } else { 0.0 });
        // Linux makes up for lost time by half of a gap at most
        let gap = if self.config.linux_recovery { 0.5 * gap } else { gap };
        self.pace[side].segment(self.now, gap, f64::from(self.config.pacing_burst - 1));
        // Tahoe goes back at every fast retransmit, whatever is on its way; ns-2's estimates go wrong at times, and so
        // do ours
        if self.config.ns2_recovery || self.is_vegas || self.is_tahoe {
            return;
        }
        let in_network = self.wires[side].data_in_network(self.now, sender.snd_una());
        // the end of a handover sends the oldest segment again, needed or not, and the receiver's ACKs that give the
        // window back pass for duplicates; as do the answers to what was sent again in vain: they announce arrivals
        // that were none
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
    pub fn check_counters(&mut self) {
        for side in 0..2 {
            let (own, other) = (self.seen[side], self.seen[1 - side]);
            let stats = *self.ends[side].sender.stats();
            assert_eq!((stats.sent_segments, stats.retransmitted_segments), (own.data, own.again), "data sent");
            assert_eq!(stats.window_probes, own.probes, "probes");
            assert_eq!(self.ends[side].acks_sent, own.acks, "ACKs sent");
            assert_eq!(self.ends[side].receiver.stats.received_segments, own.data_arrived, "data received");
            assert_eq!(self.ends[side].acks_received, own.acks_arrived, "ACKs received");
            let told = self.ends[1 - side].receiver.stats;
            assert_eq!(told.marked_segments, other.marked_arrived, "marked data received");
            // what came again after the last ACK that told of something new is told by none
            let counts = self.config.ecn_echo == EcnEcho::Accurate && self.config.accecn_option;
            if counts && self.left.iter().all(|(_, from, s)| *from == side || !s.flags.has(Flags::DATA)) {
                assert!(stats.marks <= told.marked_segments, "more marks were told than there were");
                let missed = told.marked_segments - stats.marks;
                assert!(missed <= told.duplicate_segments, "{missed} marks were not told");
            }
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
            // a step of the wheel is an eighth of the time at most, and a few milliseconds for short times
            let stepped = self.config.timer_wheel == TimerWheel::Linux;
            let most = if stepped { Span(most.0 + most.0 / 7 + 2_000_000) } else { most };
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
        for &(start, end) in segment.sack.as_slice() {
            self.sacked[to].extend(start..end);
        }
        self.hand_over(to, &segment);
        let data = segment.flags.has(Flags::DATA);
        self.seen[to].data_arrived += u64::from(data);
        self.seen[to].marked_arrived += u64::from(data && segment.flags.has(Flags::CE));
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
            // probes and reordering have shorter timers
            let least = if self.keeps_board { Span(1) } else { self.config.rto_min.min(self.config.rto_init) };
            assert!(timer.since(self.now) >= least, "a timeout below the minimum");
        }
        self.drive(to);
    }

    pub fn run(&mut self, bytes: u64, two_way: bool) {
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
