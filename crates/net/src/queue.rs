//! Queue disciplines: what is dropped or marked, and who is served next.
//!
//! DropTail, marking at a threshold, RED and PIE decide when a packet arrives ([`OnArrival`]) and need no event. CoDel and
//! FQ-CoDel decide when a packet is about to be transmitted ([`Line`]) and need a served link.

mod codel;
mod fifo;
mod fq_codel;
mod pie;
mod policer;
mod red;

use sim::Stream;
use units::{Span, Time};

use crate::link::{Backlog, Dropped};
use crate::packet::Packet;
use crate::pool::Pool;
use crate::spec::{DirectionSpec, Discipline, QueueLimit};

use codel::Codel;
use fifo::CountedFifo;
use fq_codel::FqCodel;
use pie::Pie;
pub(crate) use policer::Policer;
use red::Red;

/// A packet at the door of the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) now: Time,
    pub(crate) size: u32,
    /// It can be marked.
    pub(crate) markable: bool,
    /// What waits already.
    pub(crate) backlog: Backlog,
    /// How long the transmitter has been idle; on a link that changes, as long as its first rate would take to send what
    /// could have been sent meanwhile.
    pub(crate) idle: Span,
    /// There is a place for it.
    pub(crate) fits: bool,
}

/// What a discipline wants done with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    Mark,
    Drop,
}

impl Verdict {
    /// Signal congestion: by a mark if the packet can carry one.
    fn signal(markable: bool) -> Verdict {
        if markable { Verdict::Mark } else { Verdict::Drop }
    }
}

/// A discipline that decides when a packet arrives.
#[derive(Debug)]
pub(crate) enum OnArrival {
    /// Mark while more than this waits, as DCTCP wants it (RFC 8257 section 3.1); drop only when full.
    Threshold(QueueLimit),
    Red(Box<Red>),
    Pie(Box<Pie>),
}

impl OnArrival {
    /// That of a link, if it has one; `name` is the link's.
    pub(crate) fn new(spec: &DirectionSpec, seed: u64, name: &str) -> Option<OnArrival> {
        let stream = || stream(seed, name);
        match spec.queue.discipline {
            Discipline::DropTail | Discipline::Codel(_) | Discipline::FqCodel(_) => None,
            Discipline::Threshold(most) => Some(OnArrival::Threshold(most)),
            Discipline::Red(red) => Some(OnArrival::Red(Box::new(Red::new(&red, spec, stream())))),
            Discipline::Pie(pie) => Some(OnArrival::Pie(Box::new(Pie::new(&pie, spec.rate_bps, stream())))),
        }
    }

    pub(crate) fn judge(&mut self, arrival: &Arrival) -> Verdict {
        match self {
            //= https://www.rfc-editor.org/rfc/rfc8257#section-3.1
            //# When a packet arrives at a switch and its queue length is greater than the congestion threshold, the
            //# switch sets the CE codepoint in the packet.
            //= specs/papers/threshold-marking.md#marking
            //# a packet that finds more than K waiting is marked
            OnArrival::Threshold(most) => {
                let over = match *most {
                    QueueLimit::Packets(k) => arrival.backlog.packets > k,
                    QueueLimit::Bytes(k) => arrival.backlog.bytes > k,
                };
                if over && arrival.markable { Verdict::Mark } else { Verdict::Pass }
            }
            OnArrival::Red(red) => red.judge(arrival),
            OnArrival::Pie(pie) => pie.judge(arrival),
        }
    }

    /// When it wants to know the backlog next, without a packet.
    #[inline]
    pub(crate) fn next_look(&self) -> Time {
        match self {
            OnArrival::Pie(pie) => pie.next_update(),
            OnArrival::Threshold(_) | OnArrival::Red(_) => Time::NEVER,
        }
    }

    /// The backlog at the time of [`OnArrival::next_look`]. `same_until`: it stays so until then, that instant included.
    /// `rate_bps`: the present rate of a link that changes.
    pub(crate) fn look(&mut self, backlog: Backlog, rate_bps: Option<f64>, same_until: Time) {
        if let OnArrival::Pie(pie) = self {
            if let Some(rate_bps) = rate_bps {
                pie.set_rate(rate_bps);
            }
            pie.update(backlog, same_until);
        }
    }
}

/// The random stream of a queue.
fn stream(seed: u64, name: &str) -> Stream {
    Stream::new(seed, &format!("{name}/queue"))
}

/// The packets of a served link in the order of their service.
#[derive(Debug)]
pub(crate) enum Line {
    Fifo(CountedFifo),
    Codel(CountedFifo, Codel),
    FqCodel(Box<FqCodel>),
}

impl Line {
    pub(crate) fn new(spec: &DirectionSpec, seed: u64, name: &str) -> Line {
        match spec.queue.discipline {
            Discipline::Codel(codel) => Line::Codel(CountedFifo::new(), Codel::new(&codel)),
            Discipline::FqCodel(fq) => Line::FqCodel(Box::new(FqCodel::new(&fq, &mut stream(seed, name)))),
            Discipline::DropTail | Discipline::Threshold(_) | Discipline::Red(_) | Discipline::Pie(_) => Line::plain(),
        }
    }

    /// First in, first out.
    pub(crate) fn plain() -> Line {
        Line::Fifo(CountedFifo::new())
    }

    pub(crate) fn backlog(&self) -> Backlog {
        match self {
            Line::Fifo(lane) | Line::Codel(lane, _) => lane.backlog,
            Line::FqCodel(fq) => fq.backlog(),
        }
    }

    /// It makes room by itself when it is over its limit.
    pub(crate) fn makes_room(&self) -> bool {
        matches!(self, Line::FqCodel(_))
    }

    /// A packet; `source` is a hash of its flow.
    pub(crate) fn push(&mut self, packet: Packet, source: u32, pool: &mut Pool) {
        match self {
            Line::Fifo(lane) | Line::Codel(lane, _) => lane.push(packet, pool),
            Line::FqCodel(fq) => fq.push(packet, source, pool),
        }
    }

    /// The packet to be transmitted now, and whether it is to be marked. Those dropped before it are added to `dropped`;
    /// `ecn`: mark instead, where a packet can be.
    pub(crate) fn pop(
        &mut self,
        now: Time,
        ecn: bool,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) -> Option<(Packet, bool)> {
        match self {
            Line::Fifo(lane) => lane.pop(pool).map(|packet| (packet, false)),
            Line::Codel(lane, codel) => codel.pop(now, lane, ecn, pool, dropped),
            Line::FqCodel(fq) => fq.pop(now, ecn, pool, dropped),
        }
    }

    /// Drop packets because it is over its limit.
    pub(crate) fn make_room(&mut self, pool: &mut Pool, dropped: &mut Vec<Dropped>) {
        if let Line::FqCodel(fq) = self {
            fq.make_room(pool, dropped);
        }
    }

    /// All packets, lane by lane.
    pub(crate) fn iter<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        let (one, many) = match self {
            Line::Fifo(lane) | Line::Codel(lane, _) => (Some(lane), None),
            Line::FqCodel(fq) => (None, Some(fq.lanes())),
        };
        one.into_iter().chain(many.into_iter().flatten()).flat_map(|lane| lane.iter(pool))
    }
}
