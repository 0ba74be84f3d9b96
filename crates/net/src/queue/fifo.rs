//! Packets that wait in the order of their arrival, with their count.

use super::Backlog;
use crate::packet::Packet;
use crate::pool::{Fifo, Pool};

/// First in, first out.
#[derive(Debug)]
pub(crate) struct CountedFifo {
    list: Fifo,
    pub(crate) backlog: Backlog,
}

impl CountedFifo {
    pub(crate) fn new() -> CountedFifo {
        CountedFifo { list: Fifo::EMPTY, backlog: Backlog::default() }
    }

    #[inline]
    pub(crate) fn push(&mut self, place: u32, pool: &mut Pool) {
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(pool.get(place).size);
        pool.put(&mut self.list, place);
    }

    #[inline]
    pub(crate) fn pop(&mut self, pool: &mut Pool) -> Option<Packet> {
        let (packet, _) = pool.pop(&mut self.list)?;
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(packet.size);
        Some(packet)
    }

    /// The same, left at its place in the pool.
    #[inline]
    pub(crate) fn take(&mut self, pool: &mut Pool) -> Option<u32> {
        let (place, _) = pool.take(&mut self.list)?;
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(pool.get(place).size);
        Some(place)
    }

    pub(crate) fn iter<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        pool.iter(&self.list)
    }
}
