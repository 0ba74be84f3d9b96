//! Which of many lanes holds most bytes, without a look at all of them.
//!
//! A tournament: the lanes are the leaves of a tree, and each place above them names the fatter one of the two below.
//! A lane that has changed plays its matches again when the winner is next asked for. Nothing is kept before it is
//! asked for the first time, so a queue that never overflows pays nothing.

/// The tournament of so many lanes.
#[derive(Debug)]
pub(super) struct Fattest {
    lanes: u32,
    /// The root at 1, below place n the places 2 n and 2 n + 1; the upper half are the lanes in order.
    winners: Vec<u32>,
    /// Lanes that changed since the winner was asked for last, each once.
    changed: Vec<u32>,
    is_noted: Vec<bool>,
}

impl Fattest {
    pub(super) fn new(lanes: u32) -> Fattest {
        Fattest { lanes, winners: Vec::new(), changed: Vec::new(), is_noted: Vec::new() }
    }

    /// The bytes of a lane have changed.
    #[inline]
    pub(super) fn note(&mut self, lane: u32) {
        if let Some(is_noted) = self.is_noted.get_mut(lane as usize)
            && !std::mem::replace(is_noted, true)
        {
            self.changed.push(lane);
        }
    }

    /// The lane with most bytes, the first one among equals.
    pub(super) fn find(&mut self, bytes: impl Fn(u32) -> u64) -> u32 {
        let leaves = (self.lanes as usize).next_power_of_two();
        if self.winners.is_empty() {
            // what is missing to a power of two is the last lane once more
            self.winners =
                (0..2 * leaves).map(|place| (place.saturating_sub(leaves) as u32).min(self.lanes - 1)).collect();
            self.changed.reserve(self.lanes as usize);
            self.is_noted = vec![false; self.lanes as usize];
            (1..leaves).rev().for_each(|place| self.play(place, &bytes));
        }
        while let Some(lane) = self.changed.pop() {
            self.is_noted[lane as usize] = false;
            let mut place = leaves + lane as usize;
            while place > 1 {
                place /= 2;
                self.play(place, &bytes);
            }
        }
        self.winners[1]
    }

    fn play(&mut self, place: usize, bytes: impl Fn(u32) -> u64) {
        let [left, right] = [self.winners[2 * place], self.winners[2 * place + 1]];
        self.winners[place] = if bytes(right) > bytes(left) { right } else { left };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_first_of_the_fattest(
            lanes in 1usize..40,
            changes in proptest::collection::vec((0usize..40, 0u64..6, any::<bool>()), 0..200),
        ) {
            let (mut bytes, mut fattest) = (vec![0; lanes], Fattest::new(lanes as u32));
            for (lane, size, asks) in changes {
                bytes[lane % lanes] = size;
                fattest.note((lane % lanes) as u32);
                if asks {
                    let plain = (0..lanes).rev().max_by_key(|lane| bytes[*lane]).unwrap();
                    prop_assert_eq!(fattest.find(|lane| bytes[lane as usize]) as usize, plain);
                }
            }
        }
    }

    #[test]
    fn a_change_costs_as_many_matches_as_the_tree_is_high() {
        let count = std::cell::Cell::new(0);
        let bytes = |_| {
            count.set(count.get() + 1);
            0
        };
        let mut fattest = Fattest::new(65_536);
        fattest.find(bytes);
        count.set(0);
        (0..100).for_each(|_| fattest.note(7));
        fattest.find(bytes);
        assert_eq!(count.get(), 2 * 16); // 2^16 lanes
    }
}
