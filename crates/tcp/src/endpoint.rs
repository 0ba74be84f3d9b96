//! Both halves of one end of a connection.

mod ns2_full;

use cc::registry::Recovery;
use units::Time;

use crate::accecn::{self, Agreed};
use crate::fast::Departure;
use crate::{Config, EcnEcho, Flags, Receiver, SackBlocks, Segment, Sender, State};

/// What the options of Linux's SYN take beyond timestamps: 4 bytes for the segment size and 4 for the window's scale.
/// That of SACK stands in the padding of the timestamps, and takes 4 where there are none.
const SYN_OPTIONS: u32 = 8;

/// Which end of the connection an endpoint is, and whether its peer sends data as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Opens the connection and sends.
    Active {
        /// Data come back on the same connection.
        peer_sends: bool,
    },
    /// Waits for the SYN; sends if it is offered data.
    Passive,
}

/// Both halves of one end of a connection. Like those of [`Sender`], the fields stand in the order of their use.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Endpoint {
    pub(crate) role: Role,
    syn_ack_due: bool,
    syn_seen: bool,
    /// The rules are those of ns-2's FullTcp.
    pub(crate) full: bool,
    /// The answer to our SYN came; the ACK of it leaves before any data.
    opening: bool,
    /// It does so in any case: the application can write only then.
    opens_first: bool,
    mss: u32,
    /// Header bytes of a pure ACK and of the SYN.
    header: u32,
    /// Header bytes of a data segment.
    data_header: u32,
    /// Bytes of a SACK option beside its blocks.
    sack_header: u32,
    /// Payload bytes of the last segment of the transfer, if it is shorter than one MSS, and its number.
    tail: Option<(u32, u32)>,
    /// Receiver's window, segments; and what is advertised: none of it while frozen.
    window: u32,
    advertised: u32,
    /// What a SYN of this end says about ECN.
    syn_flags: Flags,
    /// It has accurate ECN, adds the option to pure ACKs if the other end has it as well, and sends ECT(1).
    accurate: bool,
    accecn_option: bool,
    ect1: bool,
    /// Both ends have it: pure ACKs have the option.
    tells_marks: bool,
    /// ACKs with the old window to send after a freeze.
    freeze_copies: u32,
    copies_due: u32,
    /// Pure ACKs sent, the answer to the SYN included.
    pub acks_sent: u64,
    /// Pure ACKs received, the answer to the SYN included.
    pub acks_received: u64,
    /// A repair that leaves before the data that came with the ACK are looked at.
    pub(crate) repair: Option<Box<Segment>>,
    /// The receiving half.
    pub receiver: Receiver,
    /// The sending half.
    pub sender: Sender,
}

fn has_accurate_ecn(config: &Config) -> bool {
    config.ecn && config.ecn_echo == EcnEcho::Accurate
}

impl Endpoint {
    /// An endpoint that follows `config`, with the congestion control `algorithm`.
    pub fn new(config: &Config, algorithm: &cc::Config, role: Role) -> Endpoint {
        let recovery = config.recovery.unwrap_or(algorithm.row().recovery);
        let sack = matches!(recovery, Recovery::Sack | Recovery::RackTlp);
        Endpoint {
            sender: Sender::new(config, algorithm),
            receiver: Receiver::new(config, sack),
            role,
            syn_ack_due: false,
            syn_seen: false,
            full: config.is_full(),
            opening: false,
            opens_first: config.push > 0,
            repair: None,
            mss: config.mss,
            header: config.wire_header(),
            data_header: config.data_header(algorithm),
            sack_header: match (config.ns2_recovery, config.is_full()) {
                (false, _) => 4,
                (true, false) => 0,
                (true, true) => 2,
            },
            window: config.window,
            advertised: config.window,
            syn_flags: if has_accurate_ecn(config) { accecn::OFFER } else { Flags::default() },
            accurate: has_accurate_ecn(config),
            accecn_option: config.accecn_option,
            tells_marks: false,
            ect1: config.ect1,
            freeze_copies: config.freeze_copies,
            copies_due: 0,
            tail: None,
            acks_sent: 0,
            acks_received: 0,
        }
    }

    /// Open the connection: a SYN leaves at the next `poll_transmit`.
    pub fn open(&mut self) {
        self.sender.open();
    }

    /// Offer `bytes` in all to be sent; `None`: without end.
    pub fn offer(&mut self, bytes: Option<u64>) {
        let Some(bytes) = bytes else {
            self.sender.offer(u32::MAX);
            return;
        };
        let mss = u64::from(self.mss);
        let segments = bytes.div_ceil(mss).min(u64::from(u32::MAX) - 1) as u32;
        let rest = (bytes % mss) as u32;
        self.tail = (rest > 0).then(|| (segments - 1, rest));
        self.sender.offer(segments);
    }

    /// The window that it advertises, segments.
    pub fn window(&self) -> u32 {
        self.window
    }

    /// A handover is coming and this end is about to lose its link: close the window (Freeze-TCP: Goff, Moronski,
    /// Phatak and Gupta, INFOCOM 2000). Nothing happens before the connection is open.
    pub fn freeze(&mut self) {
        if self.sender.is_open() || self.syn_seen {
            self.advertised = 0;
            self.receiver.force_ack();
        }
    }

    /// The link is up again: give back the old window, with several copies of the last ACK, for one may be lost.
    pub fn thaw(&mut self) {
        if self.advertised == 0 {
            self.advertised = self.window;
            self.copies_due = self.freeze_copies;
            self.receiver.force_ack();
        }
    }

    /// Header bytes of each of its data segments on the wire.
    #[inline]
    pub fn data_header(&self) -> u32 {
        self.data_header
    }

    /// Payload bytes of one of its own data segments.
    #[inline]
    pub fn payload(&self, number: u32) -> u32 {
        match self.tail {
            Some((last, rest)) if last == number => rest,
            _ => self.mss,
        }
    }

    /// Payload bytes of its own in a segment that it sends.
    pub fn payload_of(&self, segment: &Segment) -> u64 {
        if segment.flags.has(Flags::DATA) { u64::from(self.payload(segment.seq)) } else { 0 }
    }

    /// Payload bytes in the first `segments` segments of this endpoint's own data.
    pub fn bytes_in(&self, segments: u32) -> u64 {
        let whole = u64::from(segments) * u64::from(self.mss);
        match self.tail {
            Some((number, rest)) if segments > number => whole - u64::from(self.mss - rest),
            _ => whole,
        }
    }

    /// Payload bytes of this endpoint's own data that arrived at `peer`, in order or not, each counted once.
    pub fn bytes_once(&self, peer: &Receiver) -> u64 {
        let in_ranges = |&(start, end): &(u32, u32)| self.bytes_in(end) - self.bytes_in(start);
        self.bytes_in(peer.rcv_nxt()) + peer.held().iter().map(in_ranges).sum::<u64>()
    }

    /// Payload bytes of this endpoint's own data that arrived at `peer`, in order or not, copies included.
    pub fn bytes_arrived(&self, peer: &Receiver) -> u64 {
        let distinct = self.bytes_once(peer);
        let again = peer.stats.duplicate_segments * u64::from(self.mss);
        // a short last segment is the highest of all
        match (self.tail, peer.highest_again()) {
            (Some((last, rest)), (number, times)) if last == number => {
                distinct + again - times * u64::from(self.mss - rest)
            }
            _ => distinct + again,
        }
    }

    /// A segment arrived.
    #[inline(never)]
    pub fn handle_segment(&mut self, now: Time, segment: &Segment) {
        self.take_in::<false>(now, segment);
    }

    #[inline(always)]
    pub(crate) fn take_in<const HERE: bool>(&mut self, now: Time, segment: &Segment) {
        let flags = segment.flags;
        let data = flags.has(Flags::DATA);
        if flags.has(Flags::SYN) {
            self.handle_syn(now, segment);
            return;
        }
        if !data {
            self.acks_received += 1;
            if flags.has(Flags::PROBE) {
                self.receiver.force_ack();
            }
            self.note_timestamp(segment);
        }
        if flags.has(Flags::ACK) && !self.sender.tcb.learns_nothing_from(segment) {
            if self.full {
                self.acknowledge_to_full(now, segment);
            } else {
                if self.role == Role::Passive && !self.sender.tcb.is_open() {
                    self.sender.on_open(now); // our answer to the SYN arrived
                    self.receiver.on_open(now);
                }
                self.sender.on_ack::<HERE>(now, segment, !data);
            }
        }
        if data {
            self.receiver.on_data(now, segment);
        }
    }

    /// A pure ACK arrived: the data that follow it echo its timestamp, if the other side sends none.
    #[inline(always)]
    pub(crate) fn note_timestamp(&mut self, segment: &Segment) {
        if self.role == (Role::Active { peer_sends: false }) {
            self.receiver.on_pure_ack(segment);
        }
    }

    fn handle_syn(&mut self, now: Time, segment: &Segment) {
        self.sender.set_rwnd(segment.window);
        if self.accurate {
            self.agree_on_ecn(segment.flags);
        }
        if self.full {
            self.handle_syn_of_full(now, segment);
        } else if segment.flags.has(Flags::ACK) {
            self.acks_received += 1;
            if self.sender.tcb.acknowledges_syn_again() {
                self.receiver.force_ack();
                return;
            }
            self.receiver.on_syn(now, segment);
            self.sender.tcb.note_answered_syn(now, segment.ts_ecr);
            if self.opens_first {
                self.opening = true;
                return;
            }
            self.sender.on_open(now);
            if self.role == (Role::Active { peer_sends: true }) {
                self.receiver.force_ack();
            } else {
                // the first data segment will say it
                let mut none = *segment;
                self.receiver.acknowledge(now, &mut none);
            }
        } else {
            let mut syn = *segment;
            if std::mem::replace(&mut self.syn_seen, true) && self.sender.tcb.on_syn_again() {
                syn.ts_val = self.receiver.ts_recent();
            }
            self.receiver.on_syn(now, &syn);
            self.syn_ack_due = true;
        }
    }

    /// The other side's SYN, or its answer to ours, says what it has of ECN.
    #[cold]
    fn agree_on_ecn(&mut self, flags: Flags) {
        let answer = flags.has(Flags::ACK);
        let agreed = if answer { Agreed::by_answer(flags) } else { Agreed::by_syn(flags) };
        self.sender.tcb.agree_on_ecn(agreed, self.ect1);
        if agreed == Agreed::Accurate {
            self.receiver.count_marks();
            self.tells_marks = self.accecn_option;
        }
        if !answer {
            self.syn_flags = agreed.answer();
        }
    }

    /// The option of accurate ECN.
    #[cold]
    fn add_option(&self, ack: &mut Segment) {
        ack.seq = self.receiver.marks();
        ack.size += accecn::OPTION_SIZE;
        ack.flags.set(Flags::COUNTS_MARKS);
    }

    /// The deadline has come. Calls before it do nothing.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.sender.deadline() <= now {
            self.sender.on_rto(now);
            if self.sender.state() == State::SynReceived {
                self.syn_ack_due = true;
                self.receiver.force_ack();
            }
        }
        self.sender.on_send_time(now);
        if self.receiver.deadline() <= now {
            self.receiver.on_timer();
        }
    }

    /// The next segment that must leave now, if any.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        Some(match self.next_departure(now)? {
            Departure::Data(number, again) => self.make_data(now, number, again),
            Departure::Ack => self.make_ack(now),
            Departure::Special => self.make_special(now),
        })
    }

    /// What leaves next.
    #[inline(always)]
    pub(crate) fn next_departure(&mut self, now: Time) -> Option<Departure> {
        if self.sender.tcb.is_quiet() {
            return self.receiver.ack_due().then_some(Departure::Ack);
        }
        if self.repair.is_none()
            && let Some((number, again)) = self.sender.take_segment(now)
        {
            return Some(Departure::Data(number, again));
        }
        let special = self.receiver.ack_due() || self.sender.tcb.has_rare() || self.repair.is_some();
        special.then_some(Departure::Special)
    }

    /// What an end that sends as well has to send beside its data: repairs made already, ACKs, and what leaves seldom,
    /// probes of a closed window and the SYN.
    #[inline(never)]
    pub(crate) fn make_special(&mut self, now: Time) -> Segment {
        if let Some(segment) = self.repair.take() {
            return *segment;
        }
        if self.receiver.ack_due() {
            return self.ack_of_sender(now);
        }
        if self.sender.tcb.take_probe() {
            return self.probe(now);
        }
        self.sender.tcb.on_syn_sent(now);
        let mut syn = self.blank(Flags::SYN, now);
        syn.flags.set(self.syn_flags);
        // ns-2's Vegas has no headers, and a SYN as large as a segment
        syn.size = if self.data_header == 0 { self.mss } else { self.header };
        if self.opens_first {
            syn.size += SYN_OPTIONS + if self.receiver.has_sack() && !self.sender.tcb.rules.timestamps { 4 } else { 0 };
        }
        syn
    }

    /// When `handle_timeout` must be called; `Time::NEVER` if no timer runs.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.sender.deadline().min(self.sender.send_at()).min(self.receiver.deadline())
    }

    #[inline]
    fn blank(&self, flags: Flags, ts_val: Time) -> Segment {
        Segment {
            seq: 0,
            ack: 0,
            window: self.advertised,
            size: self.header,
            flags,
            ts_val,
            ts_ecr: Time::ZERO,
            sack: SackBlocks::NONE,
        }
    }

    /// Fill in the acknowledgement. SACK blocks take 8 bytes each; outside ns-2, kind, length and padding take 4 more.
    #[inline(always)]
    fn acknowledge(&mut self, now: Time, segment: &mut Segment) {
        self.receiver.acknowledge(now, segment);
        segment.window = segment.window.min(self.receiver.offered());
        if !segment.sack.is_empty() {
            segment.size += 8 * segment.sack.as_slice().len() as u32 + self.sack_header;
        }
    }

    /// A data segment.
    #[inline(always)]
    pub(crate) fn make_data(&mut self, now: Time, number: u32, again: bool) -> Segment {
        let mut segment = self.blank(Flags::DATA, now);
        segment.seq = number;
        segment.size = self.data_header + self.payload(number);
        if again {
            segment.flags.set(Flags::RETRANSMITTED);
        }
        if self.sender.tcb.is_ecn_capable(again) {
            segment.flags.set(Flags::ECT);
            if self.sender.tcb.rules.ect1 {
                segment.flags.set(Flags::ECT1);
            }
            if self.sender.tcb.take_cwr() {
                segment.flags.set(Flags::CWR);
            }
        }
        if self.sender.tcb.is_pushed(number) {
            segment.flags.set(Flags::PSH);
        }
        self.acknowledge(now, &mut segment);
        segment
    }

    #[cold]
    fn probe(&mut self, now: Time) -> Segment {
        self.acks_sent += 1;
        let mut probe = self.blank(Flags::PROBE, now);
        self.acknowledge(now, &mut probe);
        probe
    }

    /// The same of an end that sends as well.
    #[inline(never)]
    fn ack_of_sender(&mut self, now: Time) -> Segment {
        if self.full
            && let Some((number, again)) = self.sender.take_forced(now)
        {
            return self.make_data(now, number, again);
        }
        self.make_ack(now)
    }

    /// A pure ACK, or the answer to a SYN.
    #[inline(always)]
    pub(crate) fn make_ack(&mut self, now: Time) -> Segment {
        if self.opening | self.syn_ack_due | self.tells_marks | (self.copies_due > 0) {
            return self.make_rare_ack(now);
        }
        self.acks_sent += 1;
        let mut segment = self.blank(Flags::default(), self.receiver.last_arrival());
        self.acknowledge(now, &mut segment);
        segment
    }

    /// A pure ACK that is more than that.
    #[cold]
    #[inline(never)]
    fn make_rare_ack(&mut self, now: Time) -> Segment {
        self.acks_sent += 1;
        let opening = std::mem::take(&mut self.opening);
        if opening {
            self.sender.on_open(now);
        }
        let mut flags = Flags::default();
        if std::mem::take(&mut self.syn_ack_due) {
            flags = Flags(Flags::SYN.0 | self.syn_flags.0);
            self.sender.tcb.on_syn_ack_sent(now);
        }
        let mut segment = self.blank(flags, self.receiver.last_arrival());
        self.acknowledge(now, &mut segment);
        if opening && self.accurate {
            self.sender.tcb.answer_opening(&mut segment.flags);
        }
        if self.tells_marks && !flags.has(Flags::SYN) {
            self.add_option(&mut segment);
        }
        if self.copies_due > 0 {
            self.copies_due -= 1;
            if self.copies_due > 0 {
                self.receiver.force_ack();
            }
        }
        segment
    }
}
