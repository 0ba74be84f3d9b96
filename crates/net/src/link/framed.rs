//! A served link whose capacity is granted in frames, which it may share with others (`crate::cells`): its queue is
//! asked when a frame begins, and what is granted leaves it then.
//!
//! Packets are cut into pieces where a grant ends. The call order is [`Link::wait_for_frame`] for what comes,
//! [`Link::in_frame`] and then [`Link::send_in_frame`] at the start of a frame, [`Link::break_frames`] when a break
//! begins.

use units::{Span, Time};

use super::{Fate, Link};
use crate::cellular::Granted;
use crate::changing::work;
use crate::packet::Packet;
use crate::pool::Pool;
use crate::queue::{Dropped, Server};

/// Units of one frame that a direction may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grant {
    /// When the frame begins.
    pub(crate) now: Time,
    /// When the first unit begins, and how long each lasts.
    pub(crate) start: Time,
    pub(crate) unit: Span,
    /// How many there are, and how many bytes so many of them hold.
    pub(crate) units: u32,
    pub(crate) of: u32,
    pub(crate) bytes: u32,
    /// Headers of each piece of a packet.
    pub(crate) piece_bytes: u32,
    /// When the run ends.
    pub(crate) end: Time,
}

impl Grant {
    /// Bytes that may be sent.
    fn room(&self) -> u64 {
        u64::from(self.bytes) * u64::from(self.units) / u64::from(self.of)
    }

    /// When the unit begins that carries the byte behind these.
    fn begins(&self, bytes: u64) -> Time {
        let before = bytes * u64::from(self.of) / u64::from(self.bytes);
        self.start + Span(self.unit.0 * before)
    }

    /// When the unit ends that carries the last of these.
    fn ends(&self, bytes: u64) -> Time {
        let units = (bytes * u64::from(self.of)).div_ceil(u64::from(self.bytes));
        self.start + Span(self.unit.0 * units)
    }
}

/// The owner of a queue that waits for frames: never idle, since nothing is sent as it comes.
struct InFrames {
    /// Since when nothing waits, if so.
    idle_since: Option<Time>,
    rate_bps: f64,
}

impl Server for InFrames {
    fn is_idle(&self, _now: Time) -> bool {
        false
    }

    fn idle_for(&mut self, now: Time) -> Span {
        self.idle_since.map_or(Span::ZERO, |since| now.since(since))
    }

    fn changing_rate(&self, _at: Time) -> Option<f64> {
        Some(self.rate_bps)
    }
}

impl Link {
    /// Share the frames of a cell from now on. Only before the first packet.
    pub(crate) fn join_cell(&mut self, cell: u32) {
        self.serve();
        if let Some(served) = &mut self.cold.served {
            served.cell = Some(cell);
        }
    }

    /// The cell whose frames it shares.
    pub(crate) fn cell(&self) -> Option<u32> {
        self.cold.served.as_ref().and_then(|served| served.cell)
    }

    fn in_frames(&self, now: Time) -> InFrames {
        let busy = self.cold.queue.held_bytes() > 0 || self.rest() > 0;
        let rate_bps = self.cold.variation.as_ref().map_or(0.0, |variation| variation.rate_bps(now));
        InFrames { idle_since: (!busy).then_some(self.hot.free_at), rate_bps }
    }

    /// Bytes of a packet that are still to be sent, of which others have been.
    fn rest(&self) -> u32 {
        self.cold.served.as_ref().map_or(0, |served| served.rest)
    }

    /// A packet that [`Link::enter`] let pass comes to the queue. Packets that are lost are added to `dropped`.
    pub(crate) fn wait_for_frame(
        &mut self,
        now: Time,
        packet: Packet,
        source: u32,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) {
        let before = dropped.len();
        let mut server = self.in_frames(now);
        self.cold.queue.offer(now, pool.keep(packet), source, &mut server, pool, dropped);
        self.note_dropped(now, &dropped[before..]);
    }

    /// Bytes that wait, with the headers of pieces.
    pub(crate) fn asks_for(&self, piece_bytes: u32) -> u64 {
        let rest = self.rest();
        let under_way = if rest > 0 { u64::from(rest + piece_bytes) } else { 0 };
        let headers = u64::from(self.cold.queue.held_packets()) * u64::from(piece_bytes);
        self.cold.queue.held_bytes() + headers + under_way
    }

    /// What the frame that begins now holds for it.
    pub(crate) fn in_frame(&self, now: Time) -> Granted {
        let ready = self.cold.served.as_ref().is_some_and(|served| served.ready <= now);
        let granted = self.cold.variation.as_ref().filter(|_| ready).map(|variation| variation.granted(now));
        granted.unwrap_or(Granted { since: now, bytes: 0, station: 0 })
    }

    /// Send in the units of a frame that are granted; each packet whose last piece is sent is added to `sent` with what
    /// becomes of it.
    pub(crate) fn send_in_frame(
        &mut self,
        grant: &Grant,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
        sent: &mut Vec<(Packet, Fate)>,
    ) {
        let broken = self.cold.variation.as_ref().and_then(|variation| variation.break_after(grant.now)).copied();
        let break_at = broken.map_or(Time::NEVER, |broken| broken.at);
        let (room, head) = (grant.room(), u64::from(grant.piece_bytes));
        let warm = self.warming(grant.now).map_or(Time::NEVER, |counts| counts.until);
        let (mut used, mut beyond) = (0, 0);
        while used + head < room && grant.begins(used) < break_at {
            let Some(packet) = self.next_piece(grant.now, pool, dropped) else { break };
            let piece = u64::from(self.rest()).min(room - used - head);
            used += head + piece;
            let ends = grant.ends(used);
            self.hot.free_at = ends;
            let rest = self.rest() - piece as u32;
            if let Some(served) = &mut self.cold.served {
                (served.rest, served.left) = (rest, work(rest.into()) as u64);
                served.sending = Some(packet).filter(|_| rest > 0 || ends > break_at);
            }
            if ends > break_at {
                break; // on the air when the break begins, which takes it
            }
            if rest == 0 {
                beyond += if ends > warm { u64::from(packet.size) } else { 0 };
                sent.push((packet, self.sent_in_frame(&packet, ends, grant.end)));
            }
        }
        let begun = self.cold.served.as_ref().and_then(|served| served.sending);
        // of the frame in which the warm-up ends: what it carries may all be there when it ends
        let under_way = beyond + begun.map_or(0, |packet| packet.size.into());
        if let Some(counts) = self.warming(grant.now) {
            (counts.under_way_bytes, counts.under_way_work) = (under_way, work(under_way));
        }
    }

    /// The packet of which a piece is to be sent: the one under way, or the first that waits.
    fn next_piece(&mut self, now: Time, pool: &mut Pool, dropped: &mut Vec<Dropped>) -> Option<Packet> {
        if let Some(packet) = self.cold.served.as_ref().and_then(|served| served.sending) {
            return Some(packet);
        }
        let before = dropped.len();
        let server = self.in_frames(now);
        let next = self.cold.queue.next(now, &server, pool, dropped);
        self.note_dropped(now, &dropped[before..]);
        if let (Some(packet), Some(served)) = (&next, &mut self.cold.served) {
            served.rest = packet.size.into();
        }
        next
    }

    /// What becomes of a packet whose last piece has been sent at `ends`.
    fn sent_in_frame(&mut self, packet: &Packet, ends: Time, end: Time) -> Fate {
        let size = u32::from(packet.size);
        if ends > end {
            self.note_late(size, work(size.into()));
            return if self.reorders() { Fate::Passes(Time::NEVER) } else { Fate::LostAfterEnd };
        }
        match self.dispatch(ends, false, size) {
            Fate::Lost(at, cause) => self.lose(at, size, cause),
            fate => fate,
        }
    }

    /// A break begins: the packet on the air is lost, and what waits, or that goes on afterwards. Answers when the next
    /// break begins.
    pub(crate) fn break_frames(
        &mut self,
        now: Time,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
        sent: &mut Vec<(Packet, Fate)>,
    ) -> Option<Time> {
        let variation = self.cold.variation.as_ref();
        let cause = variation.and_then(|variation| variation.break_at(now)).map(|broken| broken.cause);
        let next = variation.and_then(|variation| variation.break_after(now)).map(|broken| broken.at);
        let on_air = self.cold.served.as_mut().and_then(|served| {
            (served.rest, served.left) = (0, 0);
            served.sending.take()
        });
        if let (Some(packet), Some(cause)) = (on_air, cause) {
            sent.push((packet, self.refuse(now, packet.size.into(), cause)));
        }
        self.break_off(now, pool, dropped);
        next
    }

    /// When its first break begins.
    pub(crate) fn first_break(&self) -> Option<Time> {
        self.cold.variation.as_ref().and_then(|variation| variation.break_from_start())
    }
}
