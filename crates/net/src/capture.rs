//! Packets as they pass points of a network, for those who look at them with other tools.
//!
//! A packet is kept once, when its endpoint sends it, and a line each time it passes a point. On its way it is known by
//! the number of its SACK blocks: while packets are captured each one has such a number. What the network changes of a
//! packet is its mark; what becomes of it is added when it is lost.

use tcp::{Flags, Segment};
use units::Time;

use crate::cause::LossCause;
use crate::packet::Packet;

/// Where packets are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TapPoint {
    /// At the active ends of all flows: what leaves them and what reaches them.
    Senders,
    /// At the passive ends.
    Receivers,
    /// At one end of a link, in both directions: what is about to enter there, and what has crossed the link.
    Link {
        /// Number of the link.
        link: usize,
        /// At its end `b`.
        far: bool,
    },
}

/// What of packets is recorded.
#[derive(Clone, Debug, Default)]
pub struct CaptureSpec {
    /// Where.
    pub points: Vec<TapPoint>,
    /// Whether of the flow with this number; those beyond are not recorded.
    pub flows: Vec<bool>,
    /// Most records; what comes later is left out.
    pub limit: usize,
}

/// A packet that was sent.
#[derive(Clone, Debug)]
pub struct SentPacket {
    /// Which end sent it: twice the number of the flow, and one more for the passive end.
    pub end: u32,
    /// It, without marks of the network. Of a datagram its number, its size and its flags count.
    pub segment: Segment,
    /// Bytes of payload.
    pub payload: u32,
    /// One past the highest segment that this end had sent.
    pub snd_max: u32,
    /// Oldest segment of this end that was not acknowledged.
    pub snd_una: u32,
    /// Segments that had arrived at this end without a mark.
    pub unmarked: u64,
    /// How it was lost.
    pub lost: Option<LostPacket>,
}

/// How a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostPacket {
    /// When.
    pub at: Time,
    /// Number of the link.
    pub link: usize,
    /// From `b` to `a`.
    pub reverse: bool,
    /// Why.
    pub cause: LossCause,
}

/// A packet at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// When.
    pub at: Time,
    /// Place among the packets.
    pub packet: u32,
    /// Place among the points.
    pub point: u16,
    /// The network has marked it (CE) before.
    pub marked: bool,
}

/// What was recorded of packets.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    /// Packets in the order in which they were sent.
    pub packets: Vec<SentPacket>,
    /// What passed the points, in the order of time.
    pub passed: Vec<Passed>,
    /// When the limit was reached.
    pub stopped: Option<Time>,
}

/// Packets that may be kept beyond two for each record: they are on their way, or were lost before they passed a point.
const UNSEEN: usize = 1 << 16;
/// No packet of those that are recorded.
const NOBODY: u32 = u32::MAX;

/// The recorder.
#[derive(Debug)]
pub(crate) struct Capture {
    spec: CaptureSpec,
    /// The packet that has this number of SACK blocks.
    live: Vec<u32>,
    /// For each directed link the point that packets pass before they enter, and that behind it.
    before: Vec<Option<u16>>,
    behind: Vec<Option<u16>>,
    senders: Option<u16>,
    receivers: Option<u16>,
    pub(crate) captured: Captured,
}

impl Capture {
    pub(crate) fn new(spec: &CaptureSpec, directed_links: usize) -> Capture {
        let nowhere = vec![None; directed_links];
        let mut capture = Capture {
            spec: spec.clone(),
            live: Vec::new(),
            before: nowhere.clone(),
            behind: nowhere,
            senders: None,
            receivers: None,
            captured: Captured::default(),
        };
        for (number, point) in (0..).zip(&spec.points) {
            match *point {
                TapPoint::Senders => capture.senders = Some(number),
                TapPoint::Receivers => capture.receivers = Some(number),
                TapPoint::Link { link, far } => {
                    let (enters, leaves) = (2 * link + usize::from(far), 2 * link + usize::from(!far));
                    (capture.before[enters], capture.behind[leaves]) = (Some(number), Some(number));
                }
            }
        }
        capture
    }

    /// Packets are looked at before they enter this directed link, or behind it.
    pub(crate) fn looks_at(&self, link: u32) -> (bool, bool) {
        (self.before[link as usize].is_some(), self.behind[link as usize].is_some())
    }

    /// A flow passes no point.
    pub(crate) fn leave_out(&mut self, flow: usize) {
        if let Some(wanted) = self.spec.flows.get_mut(flow) {
            *wanted = false;
        }
    }

    /// Points are at hosts.
    pub(crate) fn at_hosts(&self) -> bool {
        self.senders.is_some() || self.receivers.is_some()
    }

    /// Whether packets of this flow are recorded.
    pub(crate) fn wants(&self, flow: usize) -> bool {
        let room = self.captured.packets.len() < self.spec.limit.saturating_mul(2).saturating_add(UNSEEN);
        self.captured.stopped.is_none() && room && self.spec.flows.get(flow) == Some(&true)
    }

    /// The packet with this number of SACK blocks is this one, or none that is recorded.
    pub(crate) fn name(&mut self, sack: u32, packet: Option<SentPacket>) {
        let place = sack as usize;
        if self.live.len() <= place {
            self.live.resize(place + 1, NOBODY);
        }
        self.live[place] = match packet {
            Some(packet) => {
                self.captured.packets.push(packet);
                self.captured.packets.len() as u32 - 1
            }
            None => NOBODY,
        };
    }

    fn known(&self, sack: u32) -> Option<u32> {
        self.live.get(sack as usize).copied().filter(|&packet| packet != NOBODY)
    }

    /// A packet is at the host of this end.
    pub(crate) fn at_host(&mut self, now: Time, end: usize, packet: &Packet) {
        let point = if end.is_multiple_of(2) { self.senders } else { self.receivers };
        self.pass(now, point, packet);
    }

    /// A packet has left directed link `from`, if it came over one, and enters `to`, if it goes on.
    pub(crate) fn cross(&mut self, now: Time, from: Option<u32>, to: Option<u32>, packet: &Packet) {
        let behind = from.and_then(|link| self.behind[link as usize]);
        let before = to.and_then(|link| self.before[link as usize]);
        self.pass(now, behind, packet);
        self.pass(now, before, packet);
    }

    fn pass(&mut self, at: Time, point: Option<u16>, packet: &Packet) {
        let (Some(point), Some(known)) = (point, self.known(packet.sack)) else { return };
        if self.captured.passed.len() >= self.spec.limit {
            self.captured.stopped.get_or_insert(at);
            return;
        }
        let marked = packet.flags.has(Flags::CE);
        self.captured.passed.push(Passed { at, packet: known, point, marked });
    }

    /// A packet is lost on a directed link.
    pub(crate) fn lost(&mut self, at: Time, link: u32, sack: u32, cause: LossCause) {
        if let Some(known) = self.known(sack) {
            let lost = LostPacket { at, link: link as usize / 2, reverse: link % 2 == 1, cause };
            self.captured.packets[known as usize].lost = Some(lost);
        }
    }
}
