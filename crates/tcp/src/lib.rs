//! One TCP endpoint without I/O: it is given the time and segments, and answers with segments and its next deadline.
//!
//! Call order, on every event:
//!
//! 1. one of [`Endpoint::open`], [`Endpoint::offer`], [`Endpoint::handle_segment`], [`Endpoint::handle_timeout`];
//! 2. [`Endpoint::poll_transmit`] until it gives nothing, each segment sent at once;
//! 3. [`Endpoint::next_deadline`], to know when to call `handle_timeout`.
//!
//! Time never goes back between calls.
//!
//! `examples/back_to_back.rs` does so with two endpoints and a wire that loses a segment.
#![forbid(unsafe_code)]

mod config;
mod delivery;
mod receiver;
mod recovery;
mod rtt;
pub mod rules;
mod scoreboard;
mod segment;
mod sender;

pub use config::{Agent, Config, Count, DelackMode, HalfBase, InitialWindow, Pacing, Profile, RecoverRule};
pub use receiver::{Receiver, ReceiverStats};
pub use rtt::RttEstimator;
pub use segment::{Flags, MAX_SACK, SackBlocks, Segment};
pub use sender::{Judgement, Sender, SenderStats, State, Why, WindowEvent};

use cc::registry::Recovery;
use units::Time;

/// What leaves next, of [`Endpoint::poll_departure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// This data segment of its own, for [`Endpoint::data`]; whether it was sent before.
    Data(u32, bool),
    /// An ACK of an end that only receives, for [`Endpoint::pure_ack`].
    Ack,
    /// Anything else, for [`Endpoint::special`].
    Special,
}

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
    role: Role,
    syn_ack_due: bool,
    syn_seen: bool,
    /// The rules are those of ns-2's FullTcp.
    full: bool,
    /// The answer to our SYN came; the ACK of it leaves before any data.
    opening: bool,
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
    /// ACKs with the old window to send after a freeze.
    freeze_copies: u32,
    copies_due: u32,
    /// Pure ACKs sent, the answer to the SYN included.
    pub acks_sent: u64,
    /// Pure ACKs received, the answer to the SYN included.
    pub acks_received: u64,
    /// A repair that leaves before the data that came with the ACK are looked at.
    repair: Option<Box<Segment>>,
    /// The receiving half.
    pub receiver: Receiver,
    /// The sending half.
    pub sender: Sender,
}

impl Endpoint {
    /// An endpoint that follows `config`, with the congestion control `algorithm`.
    pub fn new(config: &Config, algorithm: &cc::Config, role: Role) -> Endpoint {
        let recovery = config.recovery.unwrap_or(algorithm.row().recovery);
        let sack = recovery == Recovery::Sack;
        Endpoint {
            sender: Sender::new(config, algorithm),
            receiver: Receiver::new(config, sack),
            role,
            syn_ack_due: false,
            syn_seen: false,
            full: config.is_full(),
            opening: false,
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

    /// The passive end has data to send from now on. In ns-2's FullTcp it opens the connection itself if no SYN has come.
    pub fn open_for_data(&mut self) {
        if self.full && self.sender.state() == State::Closed {
            self.sender.open();
        }
    }

    /// A handover is coming and this end is about to lose its link: close the window (Freeze-TCP: Goff, Moronski, Phatak and
    /// Gupta, INFOCOM 2000). Nothing happens before the connection is open.
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

    /// Payload bytes of this endpoint's own data that arrived at `peer`, in order or not, copies included.
    pub fn bytes_arrived(&self, peer: &Receiver) -> u64 {
        let in_ranges = |&(start, end): &(u32, u32)| self.bytes_in(end) - self.bytes_in(start);
        let distinct = self.bytes_in(peer.rcv_nxt()) + peer.held().iter().map(in_ranges).sum::<u64>();
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

    /// The same for a pure ACK with SACK blocks, which most often is nothing else.
    #[inline(always)]
    pub fn handle_ack(&mut self, now: Time, segment: &Segment) {
        if segment.flags != Flags::ACK || self.role == Role::Passive || self.full {
            return self.handle_segment(now, segment);
        }
        self.acks_received += 1;
        self.sender.on_ack::<false>(now, segment, true);
    }

    /// The same as a part of the caller, for one who makes most segments on the spot, to look at their fields only.
    #[inline(always)]
    pub fn handle_segment_here(&mut self, now: Time, segment: &Segment) {
        self.take_in::<true>(now, segment);
    }

    #[inline(always)]
    fn take_in<const HERE: bool>(&mut self, now: Time, segment: &Segment) {
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
        }
        if flags.has(Flags::ACK) && !self.sender.learns_nothing_from(segment) {
            if self.role == Role::Passive || self.full {
                self.sender.on_open(now); // our answer to the SYN arrived
            }
            if self.full && data && segment.seq < self.receiver.rcv_nxt() {
                self.sender.full_sack_on_old_data(segment.ack);
            }
            self.sender.on_ack::<HERE>(now, segment, !data);
            if self.full && data && self.sender.repairs() && segment.seq >= self.receiver.rcv_nxt() {
                self.repair(now);
            }
        }
        if data {
            self.receiver.on_data(now, segment);
        }
    }

    fn handle_syn(&mut self, now: Time, segment: &Segment) {
        self.sender.set_rwnd(segment.window);
        if self.full {
            self.handle_syn_of_full(now, segment);
        } else if segment.flags.has(Flags::ACK) {
            self.acks_received += 1;
            if self.sender.acknowledges_syn_again() {
                self.receiver.force_ack();
                return;
            }
            self.sender.on_open(now);
            self.receiver.on_syn(now, segment);
            if self.role == (Role::Active { peer_sends: true }) {
                self.receiver.force_ack();
            } else {
                // the first data segment will say it
                let mut none = *segment;
                self.receiver.acknowledge(now, &mut none);
            }
        } else {
            if std::mem::replace(&mut self.syn_seen, true) {
                self.sender.on_syn_again();
            }
            self.receiver.on_syn(now, segment);
            self.syn_ack_due = true;
        }
    }

    /// ns-2's FullTcp: the ACK of the answer leaves by itself, before any data; a SYN that comes again is left to the
    /// timer of the answer to it.
    fn handle_syn_of_full(&mut self, now: Time, segment: &Segment) {
        let first = !std::mem::replace(&mut self.syn_seen, true);
        if segment.flags.has(Flags::ACK) {
            self.acks_received += 1;
            self.receiver.on_syn(now, segment);
            self.opening = true;
        } else if first {
            self.receiver.on_syn(now, segment);
            self.syn_ack_due = true;
        }
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

    /// ns-2's FullTcp repairs before it looks at new data that came with the ACK, so that the repair does not acknowledge
    /// them.
    #[cold]
    fn repair(&mut self, now: Time) {
        let due = self.receiver.ack_due();
        if let Some((number, again)) = self.sender.take_segment(now) {
            self.repair = Some(Box::new(self.data(now, number, again)));
        }
        if due {
            self.receiver.force_ack();
        }
    }

    /// The next segment that must leave now, if any.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        Some(match self.poll_departure(now)? {
            Departure::Data(number, again) => self.data(now, number, again),
            Departure::Ack => self.pure_ack(now),
            Departure::Special => self.special(now),
        })
    }

    /// The same in two steps, for whoever wants to make each kind of segment in the place where it goes to, instead of having
    /// it put together and copied: what leaves, and then the call that [`Departure`] names, at once.
    #[inline(always)]
    pub fn poll_departure(&mut self, now: Time) -> Option<Departure> {
        if self.sender.is_quiet() {
            return self.receiver.ack_due().then_some(Departure::Ack);
        }
        if self.repair.is_none()
            && let Some((number, again)) = self.sender.take_segment(now)
        {
            return Some(Departure::Data(number, again));
        }
        let special = self.receiver.ack_due() || self.sender.has_rare() || self.repair.is_some();
        special.then_some(Departure::Special)
    }

    /// What an end that sends as well has to send beside its data: repairs made already, ACKs, and what leaves seldom, probes
    /// of a closed window and the SYN.
    #[inline(never)]
    pub fn special(&mut self, now: Time) -> Segment {
        if let Some(segment) = self.repair.take() {
            return *segment;
        }
        if self.receiver.ack_due() {
            return self.ack_of_sender(now);
        }
        if self.sender.take_probe() {
            return self.probe(now);
        }
        self.sender.on_syn_sent(now);
        let mut syn = self.blank(Flags::SYN, now);
        // ns-2's Vegas has no headers, and a SYN as large as a segment
        syn.size = if self.data_header == 0 { self.mss } else { self.header };
        syn
    }

    /// After an arrival: pacing holds back whatever may leave, so that `poll_transmit` would say nothing and need not be
    /// asked.
    #[inline(always)]
    pub fn only_waits(&self, now: Time) -> bool {
        self.sender.is_held(now) && !(self.receiver.ack_due() || self.sender.is_done() || self.repair.is_some())
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
        if !segment.sack.is_empty() {
            segment.size += 8 * segment.sack.as_slice().len() as u32 + self.sack_header;
        }
    }

    /// A data segment that `poll_departure` named.
    #[inline(always)]
    pub fn data(&mut self, now: Time, number: u32, again: bool) -> Segment {
        let mut segment = self.blank(Flags::DATA, now);
        segment.seq = number;
        segment.size = self.data_header + self.payload(number);
        if again {
            segment.flags.set(Flags::RETRANSMITTED);
        }
        if self.sender.is_ecn_capable(again) {
            segment.flags.set(Flags::ECT);
            if self.sender.take_cwr() {
                segment.flags.set(Flags::CWR);
            }
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
            return self.data(now, number, again);
        }
        self.pure_ack(now)
    }

    /// The ACK that `poll_departure` named.
    #[inline(always)]
    pub fn pure_ack(&mut self, now: Time) -> Segment {
        self.acks_sent += 1;
        if std::mem::take(&mut self.opening) {
            self.sender.on_open(now);
        }
        let mut flags = Flags::default();
        if std::mem::take(&mut self.syn_ack_due) {
            flags = Flags::SYN;
            self.sender.on_syn_ack_sent(now);
        }
        let mut segment = self.blank(flags, self.receiver.last_arrival());
        self.acknowledge(now, &mut segment);
        if self.copies_due > 0 {
            self.copies_due -= 1;
            if self.copies_due > 0 {
                self.receiver.force_ack();
            }
        }
        segment
    }
}
