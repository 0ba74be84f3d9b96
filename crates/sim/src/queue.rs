//! The event queue: the earliest event first, ties in the order of the ids, then in the order scheduled.

use units::Time;

/// What an event is about: a number that the owner of the queue gave it, below 2^24. It also ranks events of the same time,
/// so that their order does not depend on which of them happened to be scheduled first.
pub type EventId = u32;

const ID_BITS: u32 = 24;
const SERIAL_BITS: u32 = 64 - ID_BITS;
const ARITY: usize = 4;

/// Pending events, ordered by (time, id, serial number).
///
/// A four-way heap over one 128-bit key per event: time in the upper half, then the id, then a serial number of 40 bits.
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    heap: Vec<u128>,
    serial: u64,
    now: Time,
}

impl EventQueue {
    /// An empty queue at time zero.
    pub fn new() -> EventQueue {
        EventQueue::default()
    }

    /// Time of the last event taken out.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Number of pending events.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// No event is pending.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Schedule an event. Panics if `at` is in the past or `id` needs more than 24 bits: bugs of the caller.
    #[inline]
    pub fn push(&mut self, at: Time, id: EventId) {
        let key = self.key(at, id);
        self.heap.push(key);
        self.sift_up(self.heap.len() - 1, key);
    }

    /// The earliest event, left in place.
    #[inline]
    pub fn peek(&self) -> Option<(Time, EventId)> {
        self.heap.first().map(|&key| split(key))
    }

    /// Take the earliest event out.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, EventId)> {
        let &first = self.heap.first()?;
        let last = self.heap.pop()?;
        if !self.heap.is_empty() {
            self.sift_down(last);
        }
        let (at, id) = split(first);
        self.now = at;
        Some((at, id))
    }

    /// Take the earliest event out and schedule another in one step.
    #[inline]
    pub fn replace_first(&mut self, at: Time, id: EventId) {
        let key = self.key(at, id);
        self.sift_down(key);
    }

    /// Move the clock to the earliest event without taking it out.
    #[inline]
    pub fn advance(&mut self) -> Option<(Time, EventId)> {
        let (at, id) = self.peek()?;
        self.now = at;
        Some((at, id))
    }

    /// The next event, then four of which one is the second: for those who want to prepare for them.
    #[inline]
    pub fn soon(&self) -> impl Iterator<Item = EventId> {
        self.heap.iter().take(1 + ARITY).map(|&key| split(key).1)
    }

    #[inline]
    fn key(&mut self, at: Time, id: EventId) -> u128 {
        assert!(at >= self.now, "an event cannot be scheduled in the past");
        debug_assert!(id < 1 << ID_BITS);
        self.serial += 1;
        (u128::from(at.0) << 64) | (u128::from(id) << SERIAL_BITS) | u128::from(self.serial)
    }

    #[inline]
    fn sift_up(&mut self, mut hole: usize, key: u128) {
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if self.heap[parent] <= key {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = key;
    }

    /// Put `key` where the first event was and let it sink.
    #[inline]
    fn sift_down(&mut self, key: u128) {
        let heap = &mut self.heap[..];
        let mut hole = 0;
        loop {
            let first = hole * ARITY + 1;
            let children = match heap.get(first..(first + ARITY).min(heap.len()).max(first)) {
                Some([]) | None => break,
                Some(children) => children,
            };
            let mut least = first;
            let mut least_key = children[0];
            for (i, &child) in children.iter().enumerate().skip(1) {
                if child < least_key {
                    least_key = child;
                    least = first + i;
                }
            }
            if least_key >= key {
                break;
            }
            heap[hole] = least_key;
            hole = least;
        }
        heap[hole] = key;
    }
}

#[inline]
fn split(key: u128) -> (Time, EventId) {
    (Time((key >> 64) as u64), (key as u64 >> SERIAL_BITS) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earliest_first_and_ties_in_the_order_of_ids() {
        let mut q = EventQueue::new();
        for (at, id) in [(5, 3), (3, 4), (5, 1), (3, 2), (1, 5)] {
            q.push(Time(at), id);
        }
        let order: Vec<_> = std::iter::from_fn(|| q.pop()).map(|(t, id)| (t.0, id)).collect();
        assert_eq!(order, [(1, 5), (3, 2), (3, 4), (5, 1), (5, 3)]);
    }

    #[test]
    fn agrees_with_a_sorted_list() {
        // A small linear congruential generator drives pushes and pops against a plain vector.
        let mut state = 12345u64;
        let mut next = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
        let mut q = EventQueue::new();
        let mut list: Vec<(u64, u32)> = Vec::new();
        for step in 0..20_000u32 {
            if next() % 3 != 0 || list.is_empty() {
                let at = q.now().0 + next() % 50;
                q.push(Time(at), step);
                list.push((at, step));
            } else if next() % 4 == 0 {
                let least = *list.iter().min().unwrap();
                list.retain(|e| *e != least);
                let (now, id) = q.advance().unwrap();
                assert_eq!((now.0, id), (least.0, least.1));
                let at = now.0 + next() % 50;
                q.replace_first(Time(at), step);
                list.push((at, step));
            } else {
                let least = *list.iter().min().unwrap();
                list.retain(|e| *e != least);
                assert_eq!(q.pop(), Some((Time(least.0), least.1)));
            }
        }
        assert_eq!(q.len(), list.len());
    }

    #[test]
    #[should_panic(expected = "past")]
    fn the_past_is_closed() {
        let mut q = EventQueue::new();
        q.push(Time(10), 1);
        q.pop();
        q.push(Time(9), 2);
    }
}
