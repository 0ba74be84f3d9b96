//! Recovery cores: what a sender does about lost segments. Each is a value with its state in a file of its own, and
//! answers the same few calls, those of [`RecoveryCore`]; the sender does the rest. This file alone asks which core is
//! in force.

mod blocks;
mod newreno;
mod ns2;
mod ns2_full;
mod ns2_full_sack;
mod ns2_sack1;
mod prr;
mod rack;
mod reno;
mod sack;
mod tahoe;
mod vegas;

use cc::registry::{Recovery, Row};
use units::{Span, Time};

use self::newreno::NewReno;
use self::ns2::{Agent, OneWay};
use self::ns2_full::Full;
use self::ns2_full_sack::FullSack;
use self::ns2_sack1::Sack1;
use self::rack::{Finds, Rack};
use self::reno::Reno;
use self::sack::Sack;
use self::tahoe::Tahoe;
use self::vegas::Vegas;
use crate::Config;
use crate::segment::{SackBlocks, Segment};
use crate::sender::Tcb;

/// What an advancing ACK means for the recovery that is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// None is on.
    Open,
    /// It goes on: something sent before it is still missing.
    Partial,
    /// It is over.
    Full,
}

/// What the SACK blocks of an ACK say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct News {
    /// A segment was SACKed that was not before.
    pub(crate) any: bool,
    /// When the newest of those left, if they were sent once; else zero.
    pub(crate) newest: Time,
}

/// The recovery core in force, with its state. (A tag of its own is read faster than one in a gap of some core's
/// state.)
#[derive(Clone, Debug)]
#[repr(u8)]
pub(crate) enum Core {
    Sack(Sack),
    Sack1(Sack1),
    FullSack(FullSack),
    Rack(Rack),
    Tahoe(Tahoe),
    Reno(Reno),
    NewReno(NewReno),
    OneWay(OneWay),
    Full(Full),
    Vegas(Vegas),
}

/// A call on the core in force.
macro_rules! each {
    ($core:expr, $one:ident => $call:expr) => {
        match $core {
            Core::Sack($one) => $call,
            Core::Sack1($one) => $call,
            Core::FullSack($one) => $call,
            Core::Rack($one) => $call,
            Core::Tahoe($one) => $call,
            Core::Reno($one) => $call,
            Core::NewReno($one) => $call,
            Core::OneWay($one) => $call,
            Core::Full($one) => $call,
            Core::Vegas($one) => $call,
        }
    };
}

/// A call on the core in force if it has SACK; `$otherwise` if not, which most often is asked with one comparison.
macro_rules! with_sack {
    ($core:expr, $one:ident => $call:expr, $otherwise:expr) => {
        match $core {
            core if !core.has_sack() => $otherwise,
            Core::Sack($one) => $call,
            Core::Sack1($one) => $call,
            Core::FullSack($one) => $call,
            Core::Rack($one) => $call,
            _ => $otherwise,
        }
    };
}

/// What a core knows of the segments that are outstanding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// That arrived, by SACK.
    pub sacked: u32,
    /// Taken for lost.
    pub lost: u32,
    /// Sent again, and neither acknowledged nor lost once more.
    pub resent: u32,
    /// Segments by which one was overtaken at most, at least the threshold of duplicates.
    pub reordering: u32,
    /// ACKs that showed one to have been overtaken.
    pub reordered: u32,
    /// What was lost when the timer expired is being repaired.
    pub after_timeout: bool,
}

impl Core {
    /// What is known of each outstanding segment, if the core keeps that.
    pub(crate) fn known(&self) -> Option<Known> {
        match self {
            Core::Rack(rack) => Some(rack.known()),
            _ => None,
        }
    }

    /// Segments that arrived out of order, as far as the core keeps count.
    pub(crate) fn sacked(&self) -> u32 {
        self.known().map_or(0, |known| known.sacked)
    }

    /// The core that `config` asks for, or else the algorithm of this row.
    pub(crate) fn new(config: &Config, row: &Row) -> Core {
        let (recovery, full) = (config.recovery.unwrap_or(row.recovery), config.is_full());
        let prr = config.prr && config.can_prr(row);
        let ns2 = |agent| if full { Core::Full(Full::new(agent)) } else { Core::OneWay(OneWay::new(agent)) };
        let rack = |finds| Core::Rack(Rack::new(config, prr, finds));
        match (recovery, config.ns2_recovery) {
            (Recovery::RackTlp, _) => rack(Finds::Late),
            (Recovery::Sack, false) if config.linux_recovery => rack(Finds::Overtaken),
            (Recovery::NewReno, false) if config.linux_recovery => rack(Finds::Duplicates),
            (Recovery::Vegas, ns2) => Core::Vegas(Vegas::new(ns2, full)),
            (Recovery::Tahoe, false) => Core::Tahoe(Tahoe),
            (Recovery::Reno, false) => Core::Reno(Reno),
            (Recovery::NewReno, false) => Core::NewReno(NewReno::new(prr)),
            (Recovery::Sack, false) => Core::Sack(Sack::new(prr)),
            (Recovery::Tahoe, true) => ns2(Agent::Tahoe),
            (Recovery::Reno, true) => ns2(Agent::Reno),
            (Recovery::NewReno, true) => ns2(Agent::NewReno),
            (Recovery::Sack, true) if full => Core::FullSack(FullSack::default()),
            (Recovery::Sack, true) => Core::Sack1(Sack1::default()),
        }
    }

    #[inline(always)]
    pub(crate) fn has_sack(&self) -> bool {
        matches!(self, Core::Sack(_) | Core::Sack1(_) | Core::FullSack(_) | Core::Rack(_))
    }

    /// ns-2's FullTcp with SACK, if it is that: it has two calls more.
    pub(crate) fn full_sack(&mut self) -> Option<&mut FullSack> {
        if let Core::FullSack(core) = self { Some(core) } else { None }
    }
}

/// The calls that a core answers. Those that it leaves out do what a core without SACK and without a state of its own
/// does.
pub(crate) trait RecoveryCore {
    /// The connection opened; its handshake took `rtt`.
    fn on_open(&mut self, _rtt: Span) {}

    /// An ACK that does not advance is a duplicate. `pure`: it carries no data, or data make no difference.
    //= https://www.rfc-editor.org/rfc/rfc5681#section-2
    //# the advertised window in the incoming acknowledgment equals the advertised window in the last incoming
    //# acknowledgment
    #[inline(always)]
    fn is_duplicate(&mut self, _segment: &Segment, pure: bool, window_changed: bool) -> bool {
        pure && !window_changed
    }

    /// What an ACK that advances to `ack` means for the recovery that is on. Nothing is changed yet. Not asked while
    /// all is calm, see [`Tcb::is_calm`]: then there is none.
    #[inline(always)]
    fn progress(&self, tcb: &Tcb, _ack: u32) -> Progress {
        if tcb.in_recovery { Progress::Full } else { Progress::Open }
    }

    /// An ACK advanced by `newly` segments, before the algorithm hears of it: go on, or end the recovery. Whether the
    /// retransmission timer starts anew. Not called while all is calm, either.
    #[inline(always)]
    fn on_advance(&mut self, tcb: &mut Tcb, now: Time, progress: Progress, _newly: u32) -> bool {
        match progress {
            Progress::Open => tcb.dupacks = 0,
            Progress::Partial | Progress::Full => tcb.leave_recovery(now, tcb.cwnd(), false),
        }
        true
    }

    /// The same once the algorithm has heard of it. `delay`: the sample that it got.
    #[inline(always)]
    fn after_advance(&mut self, _tcb: &mut Tcb, _now: Time, _newly: u32, _news: bool, _delay: Option<Span>) {}

    /// A duplicate ACK, after the algorithm has heard of it. `news`: it told of something SACKed.
    fn on_duplicate(&mut self, tcb: &mut Tcb, now: Time, news: bool);

    /// An ACK that neither advances nor is a duplicate.
    fn on_other_ack(&mut self, _tcb: &mut Tcb, _now: Time, _ack: u32, _blocks: &SackBlocks) {}

    /// The retransmission timer expired, before the algorithm hears of it.
    fn on_timeout(&mut self, tcb: &mut Tcb, _now: Time) {
        tcb.dupacks = 0;
    }

    /// Nothing that is outstanding will arrive: begin again with the oldest segment.
    fn presume_lost(&mut self, tcb: &mut Tcb, _now: Time) {
        tcb.snd_nxt = tcb.snd_una; // go-back-N
    }

    /// The timer expired that the core has set for something else than a retransmission, see [`Tcb::arm`].
    fn on_deadline(&mut self, _tcb: &mut Tcb, _now: Time) {}

    /// What duplicates deliver lets the window grow.
    fn sacks_grow(&self, _tcb: &Tcb) -> bool {
        false
    }

    /// A mark has cut the window, which was so many segments.
    fn on_marked(&mut self, _tcb: &mut Tcb, _before: u32) {}

    /// Segments in the network.
    #[inline]
    fn in_flight(&self, tcb: &Tcb) -> u32 {
        // each duplicate says that a segment has left the network
        let left = if tcb.in_recovery { tcb.inflation.max(0) as u32 } else { tcb.dupacks };
        tcb.flight_size().saturating_sub(left)
    }

    /// Segments that reached the receiver by the ACK at hand, which advances by `newly`.
    #[inline]
    fn delivered(&self, newly: u32) -> u32 {
        newly
    }

    /// Segments that the ACK at hand showed to be lost: the hole that a partial ACK uncovers.
    #[inline]
    fn newly_lost(&mut self, progress: Progress) -> u32 {
        u32::from(progress == Progress::Partial)
    }
}

/// What a core with SACK answers beside that.
pub(crate) trait SackCore: RecoveryCore {
    /// Enter what an ACK and its SACK blocks say, before the sender and the algorithm look at it. `echo`: its timestamp
    /// echo.
    fn note_ack(&mut self, tcb: &mut Tcb, now: Time, ack: u32, echo: Time, blocks: &SackBlocks) -> News;

    /// The next segment to send, if any may leave; it will, now.
    fn next(&mut self, tcb: &mut Tcb, now: Time) -> Option<u32>;

    /// A segment leaves once more.
    fn on_sent_again(&mut self, _tcb: &mut Tcb, _number: u32) {}
}

/// The calls of [`RecoveryCore`] and [`SackCore`], on the core in force. Without SACK there is no news, and the next
/// segment is the next in the window.
impl Core {
    #[inline(always)]
    pub(crate) fn note_ack(&mut self, tcb: &mut Tcb, now: Time, ack: u32, echo: Time, blocks: &SackBlocks) -> News {
        with_sack!(self, core => core.note_ack(tcb, now, ack, echo, blocks), News::default())
    }

    #[inline(always)]
    pub(crate) fn next(&mut self, tcb: &mut Tcb, now: Time) -> Option<u32> {
        with_sack!(self, core => core.next(tcb, now), tcb.next_in_window())
    }

    pub(crate) fn on_sent_again(&mut self, tcb: &mut Tcb, number: u32) {
        with_sack!(self, core => core.on_sent_again(tcb, number), ())
    }

    pub(crate) fn on_open(&mut self, rtt: Span) {
        each!(self, core => core.on_open(rtt))
    }

    #[inline(always)]
    pub(crate) fn is_duplicate(&mut self, segment: &Segment, pure: bool, window_changed: bool) -> bool {
        each!(self, core => core.is_duplicate(segment, pure, window_changed))
    }

    #[inline(always)]
    pub(crate) fn progress(&self, tcb: &Tcb, ack: u32) -> Progress {
        each!(self, core => core.progress(tcb, ack))
    }

    #[inline(always)]
    pub(crate) fn on_advance(&mut self, tcb: &mut Tcb, now: Time, progress: Progress, newly: u32) -> bool {
        each!(self, core => core.on_advance(tcb, now, progress, newly))
    }

    #[inline(always)]
    pub(crate) fn after_advance(&mut self, tcb: &mut Tcb, now: Time, newly: u32, news: bool, delay: Option<Span>) {
        each!(self, core => core.after_advance(tcb, now, newly, news, delay))
    }

    #[inline(always)]
    pub(crate) fn on_duplicate(&mut self, tcb: &mut Tcb, now: Time, news: bool) {
        each!(self, core => core.on_duplicate(tcb, now, news))
    }

    pub(crate) fn on_other_ack(&mut self, tcb: &mut Tcb, now: Time, ack: u32, blocks: &SackBlocks) {
        each!(self, core => core.on_other_ack(tcb, now, ack, blocks))
    }

    pub(crate) fn on_timeout(&mut self, tcb: &mut Tcb, now: Time) {
        each!(self, core => core.on_timeout(tcb, now))
    }

    pub(crate) fn presume_lost(&mut self, tcb: &mut Tcb, now: Time) {
        each!(self, core => core.presume_lost(tcb, now))
    }

    #[cold]
    pub(crate) fn on_deadline(&mut self, tcb: &mut Tcb, now: Time) {
        each!(self, core => core.on_deadline(tcb, now))
    }

    #[inline]
    pub(crate) fn sacks_grow(&self, tcb: &Tcb) -> bool {
        each!(self, core => core.sacks_grow(tcb))
    }

    #[cold]
    pub(crate) fn on_marked(&mut self, tcb: &mut Tcb, before: u32) {
        each!(self, core => core.on_marked(tcb, before))
    }

    #[inline]
    pub(crate) fn in_flight(&self, tcb: &Tcb) -> u32 {
        each!(self, core => core.in_flight(tcb))
    }

    #[inline]
    pub(crate) fn delivered(&self, newly: u32) -> u32 {
        each!(self, core => core.delivered(newly))
    }

    #[inline]
    pub(crate) fn newly_lost(&mut self, progress: Progress) -> u32 {
        each!(self, core => core.newly_lost(progress))
    }
}
