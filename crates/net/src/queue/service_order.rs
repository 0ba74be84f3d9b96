//! Packets that are held, in the order of their service.

use sim::Stream;
use units::Time;

use super::codel::Codel;
use super::dual_pi2::{DualPi2, LaneStats};
use super::fifo::CountedFifo;
use super::fq_codel::FqCodel;
use super::{Backlog, Dropped};
use crate::packet::Packet;
use crate::pool::Pool;
use crate::spec::Discipline;

/// Who is next. What waits in the order of arrival stands at the same place, whoever decides (`repr`).
#[derive(Debug)]
#[repr(u8)]
pub(super) enum ServiceOrder {
    Fifo(CountedFifo),
    Codel(CountedFifo, Codel),
    FqCodel(Box<FqCodel>),
    DualPi2(Box<DualPi2>),
}

impl ServiceOrder {
    /// That of a discipline that decides when a packet is about to be served.
    pub(super) fn new(discipline: &Discipline, stream: impl FnOnce() -> Stream) -> Option<ServiceOrder> {
        match discipline {
            Discipline::Codel(codel) => Some(ServiceOrder::Codel(CountedFifo::new(), Codel::new(codel))),
            Discipline::FqCodel(fq) => Some(ServiceOrder::FqCodel(Box::new(FqCodel::new(fq, &mut stream())))),
            Discipline::DualPi2(dual) => Some(ServiceOrder::DualPi2(Box::new(DualPi2::new(dual, stream())))),
            Discipline::DropTail | Discipline::Threshold(_) | Discipline::Red(_) | Discipline::Pie(_) => None,
        }
    }

    /// First in, first out.
    pub(super) fn fifo() -> ServiceOrder {
        ServiceOrder::Fifo(CountedFifo::new())
    }

    pub(super) fn backlog(&self) -> Backlog {
        match self {
            ServiceOrder::Fifo(fifo) | ServiceOrder::Codel(fifo, _) => fifo.backlog,
            ServiceOrder::FqCodel(fq) => fq.backlog(),
            ServiceOrder::DualPi2(dual) => dual.backlog(),
        }
    }

    /// It makes room by itself when it is over its limit.
    pub(super) fn makes_room(&self) -> bool {
        matches!(self, ServiceOrder::FqCodel(_))
    }

    /// The packet at this place of the pool; `source` is a hash of its flow.
    #[inline(always)]
    pub(super) fn push(&mut self, place: u32, source: u32, pool: &mut Pool) {
        match self {
            ServiceOrder::Fifo(fifo) | ServiceOrder::Codel(fifo, _) => fifo.push(place, pool),
            ServiceOrder::FqCodel(fq) => fq.push(place, source, pool),
            ServiceOrder::DualPi2(dual) => dual.push(place, pool),
        }
    }

    /// The packet to be served now, and whether it is to be marked. Those dropped before it are added to `dropped`;
    /// `ecn`: mark instead, where a packet can be.
    pub(super) fn pop(
        &mut self,
        now: Time,
        ecn: bool,
        pool: &mut Pool,
        dropped: &mut Vec<Dropped>,
    ) -> Option<(Packet, bool)> {
        match self {
            ServiceOrder::Fifo(fifo) => fifo.pop(pool).map(|packet| (packet, false)),
            ServiceOrder::Codel(fifo, codel) => codel.pop(now, fifo, ecn, pool, dropped),
            ServiceOrder::FqCodel(fq) => fq.pop(now, ecn, pool, dropped),
            ServiceOrder::DualPi2(dual) => dual.pop(now, pool, dropped),
        }
    }

    /// Drop packets because it is over its limit.
    pub(super) fn make_room(&mut self, pool: &mut Pool, dropped: &mut Vec<Dropped>) {
        if let ServiceOrder::FqCodel(fq) = self {
            fq.make_room(pool, dropped);
        }
    }

    /// Take out a packet that is to be dropped, whichever.
    pub(super) fn drop_one(&mut self, pool: &mut Pool) -> Option<Packet> {
        match self {
            ServiceOrder::Fifo(fifo) | ServiceOrder::Codel(fifo, _) => fifo.pop(pool),
            ServiceOrder::FqCodel(fq) => fq.drop_one(pool),
            ServiceOrder::DualPi2(dual) => dual.drop_one(pool),
        }
    }

    /// All packets, list by list.
    pub(super) fn iter<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        let (some, many) = match self {
            ServiceOrder::Fifo(fifo) | ServiceOrder::Codel(fifo, _) => ([Some(fifo), None], None),
            ServiceOrder::DualPi2(dual) => (dual.lanes().map(Some), None),
            ServiceOrder::FqCodel(fq) => ([None; 2], Some(fq.lanes())),
        };
        some.into_iter().flatten().chain(many.into_iter().flatten()).flat_map(|fifo| fifo.iter(pool))
    }

    /// What each of two coupled queues has counted.
    pub(super) fn lanes(&self) -> Option<[LaneStats; 2]> {
        if let ServiceOrder::DualPi2(dual) = self { Some(dual.stats()) } else { None }
    }
}
