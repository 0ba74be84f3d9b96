//! The event queue: the earliest event first, ties in the order of the ids, then in the order scheduled.

use std::hint::select_unpredictable;

use units::Time;

/// What an event is about: a number that the owner of the queue gave it, below 2^24. It also ranks events of the same
/// time, so that their order does not depend on which of them happened to be scheduled first.
pub type EventId = u32;

const ID_BITS: u32 = 24;
const SERIAL_BITS: u32 = 64 - ID_BITS;
const ARITY: usize = 4;

/// No event: later than all.
const NONE: u128 = u128::MAX;

/// Pending events, ordered by (time, id, serial number).
///
/// A four-way heap over one 128-bit key per event: time in the upper half, then the id, then a serial number of 40
/// bits. The four children of a node share a cache line, and places without an event hold `NONE`, so that the least
/// child is found without a look at the heap's size.
#[derive(Clone, Debug)]
pub struct EventQueue {
    root: u128,
    /// Children of node `n` are `children[n]`, nodes `4 n + 1` to `4 n + 4`.
    children: Vec<Four>,
    /// Nodes in use, the root of a hollow heap included.
    len: usize,
    /// The root was taken out and nothing has come to its place yet: the next event that is scheduled may, and spares
    /// the heap a way down and a way up.
    hollow: bool,
    serial: u64,
    now: Time,
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Four([u128; ARITY]);

impl Default for EventQueue {
    fn default() -> EventQueue {
        EventQueue { root: NONE, children: Vec::new(), len: 0, hollow: false, serial: 0, now: Time::ZERO }
    }
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
        self.len - usize::from(self.hollow)
    }

    /// No event is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Schedule an event. Panics if `at` is in the past or `id` needs more than 24 bits: bugs of the caller.
    #[inline]
    pub fn push(&mut self, at: Time, id: EventId) {
        let key = self.key(at, id);
        if std::mem::take(&mut self.hollow) {
            return self.sift_down(key);
        }
        let node = self.len;
        self.len += 1;
        if node > self.children.len() * ARITY {
            self.deepen();
        }
        self.sift_up(node, key);
    }

    /// Room for another level below the lowest.
    #[cold]
    fn deepen(&mut self) {
        let all = self.children.len() * ARITY + 1;
        self.children.resize(all, Four([NONE; ARITY]));
    }

    /// The earliest event, left in place.
    #[inline]
    pub fn peek(&mut self) -> Option<(Time, EventId)> {
        if self.hollow {
            self.fill();
        }
        (self.root != NONE).then(|| split(self.root))
    }

    /// Time of the earliest event; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn next_at(&mut self) -> Time {
        if self.hollow {
            self.fill();
        }
        Time((self.root >> 64) as u64)
    }

    /// Take the earliest event out.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, EventId)> {
        let (at, id) = self.peek()?;
        self.hollow = true;
        self.now = at;
        Some((at, id))
    }

    /// Bring the last event to the place of the one taken out.
    fn fill(&mut self) {
        self.hollow = false;
        self.len -= 1;
        let last = self.get(self.len);
        self.set(self.len, NONE);
        if self.len > 0 {
            self.sift_down(last);
        }
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

    /// The next event, then four of which one is the second: for those who want to prepare for them. Places without an
    /// event give the largest id there can be.
    #[inline]
    pub fn soon(&self) -> impl Iterator<Item = EventId> {
        let second = self.children.first().copied().unwrap_or(Four([NONE; ARITY]));
        let first = if self.hollow { second.least().1 } else { self.root };
        std::iter::once(first).chain(second.0).map(|key| split(key).1)
    }

    #[inline]
    fn key(&mut self, at: Time, id: EventId) -> u128 {
        assert!(at >= self.now, "an event cannot be scheduled in the past");
        debug_assert!(id < (1 << ID_BITS) - 1);
        self.serial += 1;
        (u128::from(at.0) << 64) | (u128::from(id) << SERIAL_BITS) | u128::from(self.serial)
    }

    #[inline]
    fn get(&self, node: usize) -> u128 {
        if node == 0 { self.root } else { self.children[(node - 1) / ARITY].0[(node - 1) % ARITY] }
    }

    #[inline]
    fn set(&mut self, node: usize, key: u128) {
        if node == 0 {
            self.root = key;
        } else {
            self.children[(node - 1) / ARITY].0[(node - 1) % ARITY] = key;
        }
    }

    #[inline]
    fn sift_up(&mut self, mut hole: usize, key: u128) {
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            let above = self.get(parent);
            if above <= key {
                break;
            }
            self.set(hole, above);
            hole = parent;
        }
        self.set(hole, key);
    }

    /// Put `key` where the first event was and let it sink.
    ///
    /// How far it sinks cannot be foretold, so no branch asks: below its place those that stand there are carried on
    /// down to the bottom, each to where it was.
    #[inline]
    fn sift_down(&mut self, key: u128) {
        let fours = self.children.as_mut_slice();
        let Some((mut place, least)) = fours.first().map(Four::least) else {
            self.root = key;
            return;
        };
        self.root = least.min(key);
        let mut carried = least.max(key);
        // the hole is a place among the four children of a node
        let mut node = 0;
        loop {
            let below = node * ARITY + 1 + place;
            let Some((next, least)) = fours.get(below).map(Four::least) else {
                fours[node].0[place % ARITY] = carried;
                return;
            };
            let sinks = least < carried;
            fours[node].0[place % ARITY] = select_unpredictable(sinks, least, carried);
            carried = select_unpredictable(sinks, carried, least);
            (node, place) = (below, next);
        }
    }
}

impl Four {
    /// The earliest of the four, and its place.
    #[inline]
    fn least(&self) -> (usize, u128) {
        // keys and places are chosen together: an index that waits for a comparison would make the next load wait, too
        let [a, b, c, d] = self.0;
        let (first, second) = (b < a, d < c);
        let left = select_unpredictable(first, b, a);
        let right = select_unpredictable(second, d, c);
        let third = right < left;
        let place = select_unpredictable(third, 2 + usize::from(second), usize::from(first));
        (place, select_unpredictable(third, right, left))
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
    fn an_event_that_comes_after_one_was_taken_out_need_not_be_the_first() {
        let mut q = EventQueue::new();
        for (at, id) in [(1, 1), (4, 4), (6, 6), (5, 5)] {
            q.push(Time(at), id);
        }
        q.pop();
        assert_eq!(q.len(), 3);
        assert_eq!(q.soon().next(), Some(4)); // known before the heap is in order again
        assert_eq!(q.clone().next_at(), Time(4));
        q.push(Time(7), 7);
        assert_eq!((q.len(), q.peek()), (4, Some((Time(4), 4))));
        let order: Vec<_> = std::iter::from_fn(|| q.pop()).map(|(t, _)| t.0).collect();
        assert_eq!(order, [4, 5, 6, 7]);
        assert!(q.is_empty());
        assert_eq!(q.next_at(), Time::NEVER);
        q.push(Time(8), 8); // into an empty heap whose last event was taken out
        assert_eq!((q.pop(), q.pop()), (Some((Time(8), 8)), None));
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
