//! Packets in flight: one pool for the whole network, and first-in-first-out lists through it.
//!
//! A pool needs memory for as many packets as are in flight at once, in all; a ring for each link would need each
//! link's own peak. The place freed last is used first, so that a small network stays in the cache. Nothing is
//! allocated once the pool has seen its peak.

use units::Time;

use crate::packet::Packet;

const NONE: u32 = u32::MAX;

/// All packets in flight.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    slots: Vec<Slot>,
    free: u32,
}

/// A packet, with the place of the one behind it and the time of that one's arrival, so that the next event of a link
/// is known without a look at the next packet: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Slot {
    packet: Packet,
    next_at: Time,
    next: u32,
}

/// A list of packets in the pool, first in, first out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fifo {
    head: u32,
    tail: u32,
}

impl Fifo {
    pub(crate) const EMPTY: Fifo = Fifo { head: NONE, tail: NONE };

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.head == NONE
    }
}

impl Pool {
    pub(crate) const fn new() -> Pool {
        Pool { slots: Vec::new(), free: NONE }
    }

    /// Find a place for a packet that is on no list.
    #[inline]
    pub(crate) fn keep(&mut self, packet: Packet) -> u32 {
        let slot = Slot { packet, next_at: Time::NEVER, next: NONE };
        if self.free == NONE {
            self.slots.push(slot);
            (self.slots.len() - 1) as u32
        } else {
            let place = self.free;
            self.free = self.slots[place as usize].next;
            self.slots[place as usize] = slot;
            place
        }
    }

    /// The packet at a place.
    #[inline]
    pub(crate) fn get(&self, place: u32) -> &Packet {
        &self.slots[place as usize].packet
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, place: u32) -> &mut Packet {
        &mut self.slots[place as usize].packet
    }

    /// The packet at a place, which is on no list, is gone from there.
    #[inline]
    pub(crate) fn free(&mut self, place: u32) {
        self.slots[place as usize].next = self.free;
        self.free = place;
    }

    /// The packet at a place, which is on no list: from now on it is elsewhere.
    #[inline]
    pub(crate) fn remove(&mut self, place: u32) -> Packet {
        self.free(place);
        *self.get(place)
    }

    #[inline]
    pub(crate) fn push(&mut self, list: &mut Fifo, packet: Packet) {
        let place = self.keep(packet);
        self.append(list, place, packet.at);
    }

    /// The packet at a place, which is on no list, comes to the end of one.
    #[inline]
    pub(crate) fn put(&mut self, list: &mut Fifo, place: u32) {
        let slot = &mut self.slots[place as usize];
        (slot.next_at, slot.next) = (Time::NEVER, NONE);
        let at = slot.packet.at;
        self.append(list, place, at);
    }

    #[inline]
    fn append(&mut self, list: &mut Fifo, place: u32, at: Time) {
        if list.head == NONE {
            list.head = place;
        } else {
            let last = &mut self.slots[list.tail as usize];
            last.next = place;
            last.next_at = at;
        }
        list.tail = place;
    }

    /// The first packet of a list, and when the one behind it arrives, if there is one.
    #[inline]
    pub(crate) fn pop(&mut self, list: &mut Fifo) -> Option<(Packet, Option<Time>)> {
        let place = list.head;
        let slot = self.slots.get_mut(place as usize)?;
        let packet = slot.packet;
        let next_at = (slot.next != NONE).then_some(slot.next_at);
        list.head = slot.next;
        slot.next = self.free;
        self.free = place;
        Some((packet, next_at))
    }

    /// Take the first packet off a list and leave it at its place; when the one behind it arrives, if there is one.
    #[inline]
    pub(crate) fn take(&mut self, list: &mut Fifo) -> Option<(u32, Option<Time>)> {
        let place = list.head;
        let slot = self.slots.get(place as usize)?;
        list.head = slot.next;
        Some((place, (slot.next != NONE).then_some(slot.next_at)))
    }

    /// Ask for the first packet of a list to be brought into the cache.
    #[inline]
    pub(crate) fn prefetch(&self, list: &Fifo) {
        if let Some(slot) = self.slots.get(list.head as usize) {
            crate::prefetch::prefetch(slot);
        }
    }

    pub(crate) fn iter(&self, list: &Fifo) -> impl Iterator<Item = &Packet> {
        let mut at = list.head;
        std::iter::from_fn(move || {
            let slot = self.slots.get(at as usize)?;
            at = slot.next;
            Some(&slot.packet)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(seq: u32) -> Packet {
        Packet { seq, ..Packet::default() }
    }

    fn seqs(pool: &Pool, list: &Fifo) -> Vec<u32> {
        pool.iter(list).map(|p| p.seq).collect()
    }

    #[test]
    fn two_lists_share_the_pool_and_keep_their_order() {
        let mut pool = Pool::new();
        let (mut odd, mut even) = (Fifo::EMPTY, Fifo::EMPTY);
        for n in 0..10 {
            pool.push(if n % 2 == 1 { &mut odd } else { &mut even }, numbered(n));
        }
        assert_eq!(seqs(&pool, &odd), [1, 3, 5, 7, 9]);
        assert_eq!(pool.pop(&mut odd).map(|(p, _)| p.seq), Some(1));
        pool.push(&mut even, numbered(11));
        assert_eq!(pool.slots.len(), 10); // the place of number 1 was used again
        assert_eq!(seqs(&pool, &even), [0, 2, 4, 6, 8, 11]);
        while pool.pop(&mut odd).is_some() {}
        assert!(odd.is_empty());
    }

    #[test]
    fn a_packet_taken_off_its_list_keeps_its_place_until_it_is_freed() {
        let (mut pool, mut list) = (Pool::new(), Fifo::EMPTY);
        (0..2).for_each(|n| pool.push(&mut list, numbered(n)));
        let (place, _) = pool.take(&mut list).unwrap();
        pool.push(&mut list, numbered(2));
        assert_eq!((pool.get(place).seq, seqs(&pool, &list)), (0, vec![1, 2]));
        pool.put(&mut list, place);
        assert_eq!(seqs(&pool, &list), [1, 2, 0]);
        let (place, _) = pool.take(&mut list).unwrap();
        assert_eq!((pool.remove(place).seq, pool.keep(numbered(3))), (1, place));
        (0..2).for_each(|_| assert!(pool.take(&mut list).is_some()));
        assert!(pool.take(&mut list).is_none());
    }

    #[test]
    fn a_packet_with_its_link_is_one_cache_line() {
        assert_eq!(size_of::<Slot>(), 64);
    }
}
