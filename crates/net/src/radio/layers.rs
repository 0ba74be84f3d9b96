//! Link layers of the stations of a medium: packets on their way between IP and a queue, or between a MAC and IP.

use units::{Span, Time};

use crate::packet::Packet;
use crate::pool::{Fifo, Pool};

/// A way through link layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Layer {
    /// From IP to the queue.
    Down,
    /// Up and down again, at a station that passes it on over the same medium.
    Across,
    /// From the MAC to IP.
    #[default]
    Up,
}

/// Packets in link layers: a list for each way, as each takes all packets equally long.
#[derive(Debug)]
pub(crate) struct Layers {
    /// How long each way takes.
    takes: [Span; 3],
    lists: [Fifo; 3],
    /// When the first packet of each list leaves it.
    first: [Time; 3],
    /// The earliest of these.
    due: Time,
}

impl Layers {
    /// Each layer takes so long up, and down.
    pub(crate) fn new(delay: Span) -> Layers {
        Layers {
            takes: [delay, delay + delay, delay],
            lists: [Fifo::EMPTY; 3],
            first: [Time::NEVER; 3],
            due: Time::NEVER,
        }
    }

    /// Packets pass them at once, and are never in them.
    #[inline]
    pub(crate) fn are_instant(&self) -> bool {
        self.takes[0] == Span::ZERO
    }

    /// A packet begins its way.
    #[inline]
    pub(crate) fn push(&mut self, now: Time, way: Layer, mut packet: Packet, pool: &mut Pool) {
        packet.at = now + self.takes[way as usize];
        let first = &mut self.first[way as usize];
        *first = packet.at.min(*first);
        self.due = packet.at.min(self.due);
        pool.push(&mut self.lists[way as usize], packet);
    }

    /// When the next packet leaves.
    #[inline]
    pub(crate) fn due(&self) -> Time {
        self.due
    }

    /// The next packet whose way is over, and which way that was: first those that went down, then across, then up. It
    /// is at this place of the pool, on no list.
    #[inline]
    pub(crate) fn pop(&mut self, now: Time, pool: &mut Pool) -> Option<(Layer, u32)> {
        if self.due > now {
            return None;
        }
        let over = [Layer::Down, Layer::Across, Layer::Up].into_iter().find(|way| self.first[*way as usize] <= now);
        let way = over?;
        let (place, next_at) = pool.take(&mut self.lists[way as usize])?;
        self.first[way as usize] = next_at.unwrap_or(Time::NEVER);
        let [down, across, up] = self.first;
        self.due = down.min(across).min(up);
        Some((way, place))
    }

    pub(crate) fn iter<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        self.lists.iter().flat_map(|list| pool.iter(list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_leave_in_order_each_way_when_their_time_has_come() {
        let (mut layers, mut pool) = (Layers::new(Span(25)), Pool::new());
        assert_eq!(layers.due(), Time::NEVER);
        for (now, way) in [(0, Layer::Across), (10, Layer::Up), (20, Layer::Up), (30, Layer::Down)] {
            layers.push(Time(now), way, Packet { seq: now as u32, ..Packet::default() }, &mut pool);
        }
        assert!(layers.pop(Time(34), &mut pool).is_none());
        let mut left = Vec::new();
        for now in [45, 55] {
            while let Some((way, place)) = layers.pop(Time(now), &mut pool) {
                left.push((now, way, pool.remove(place).seq));
            }
        }
        let late = [(55, Layer::Down, 30), (55, Layer::Across, 0)];
        assert_eq!(left, [[(45, Layer::Up, 10), (45, Layer::Up, 20)], late].concat());
        assert_eq!(layers.due(), Time::NEVER);
        assert!(layers.iter(&pool).next().is_none());
    }
}
