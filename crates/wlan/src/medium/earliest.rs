//! The earliest of many deadlines, without an event for each: an array by place, in blocks that know their least.

use std::hint::select_unpredictable;

use units::Time;

/// What happens first at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    /// Frames end.
    End,
    /// Timers: answers that are due, and timeouts.
    Timer,
    /// Backoffs run out, all of them before any of the frames reaches anybody.
    Backoff,
    /// Frames start at their receivers.
    Start,
}

/// A time and what happens then, in one number that sorts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Due(u64);

impl Due {
    pub(crate) const NEVER: Due = Due(Time::NEVER.0 << 2);

    /// A time that never comes stays one: the bits that are cut off are ones.
    #[inline]
    pub(crate) fn new(at: Time, order: Order) -> Due {
        Due(at.0 << 2 | order as u64)
    }

    #[inline]
    pub(crate) fn at(self) -> Time {
        if self >= Due::NEVER { Time::NEVER } else { Time(self.0 >> 2) }
    }

    /// The least that is later.
    #[inline]
    pub(crate) fn next(self) -> Due {
        Due(self.0 + 1)
    }

    /// What is of this order is earlier if and only if its time is earlier than this.
    #[inline]
    pub(crate) fn limit(self, order: Order) -> Time {
        Time((self.0 >> 2) + u64::from(self.0 & 3 > order as u64))
    }

    #[inline]
    pub(crate) fn order(self) -> Order {
        match self.0 & 3 {
            0 => Order::End,
            1 => Order::Timer,
            2 => Order::Backoff,
            _ => Order::Start,
        }
    }
}

/// Up to so many places are all read at each search.
const FEW: usize = 16;

/// Places of a block: few enough to be read at once.
const BLOCK: usize = 8;

/// Deadlines by place.
#[derive(Debug)]
pub(crate) enum Earliest {
    Few([Due; FEW]),
    Many(Blocks),
}

impl Earliest {
    pub(crate) fn new(places: usize) -> Earliest {
        if places <= FEW { Earliest::Few([Due::NEVER; FEW]) } else { Earliest::Many(Blocks::new(places)) }
    }

    /// Something is due at a place, or no longer.
    #[inline(always)]
    pub(crate) fn set(&mut self, place: usize, due: Due) {
        match self {
            Earliest::Few(dues) => dues[place % FEW] = due,
            Earliest::Many(blocks) => blocks.set(place, due),
        }
    }

    /// The earliest.
    #[inline]
    pub(crate) fn first(&mut self) -> Due {
        match self {
            Earliest::Few(dues) => least(dues),
            Earliest::Many(blocks) => blocks.first(),
        }
    }

    /// The same, found anew.
    pub(crate) fn earliest(&self) -> Due {
        match self {
            Earliest::Few(dues) => least(dues),
            Earliest::Many(blocks) => blocks.earliest(),
        }
    }

    /// Before this nothing comes of what is due at any place, nor later than `most`. `quiet` says when something comes
    /// of one, never before it is due.
    #[inline]
    pub(crate) fn quiet_until(&self, most: Time, quiet: impl Fn(usize) -> Time) -> Time {
        let mut until = Due::new(most, Order::End);
        let mut read = |first: usize, dues: &[Due]| {
            for (place, due) in dues.iter().enumerate() {
                if *due < until {
                    until = until.min(Due::new(quiet(first + place), Order::End));
                }
            }
            until
        };
        match self {
            Earliest::Few(dues) => read(0, dues).at(),
            Earliest::Many(blocks) => blocks.read_before(read),
        }
    }

    /// The place of a deadline that is there; of equal ones, the lowest.
    pub(crate) fn place(&self, due: Due) -> usize {
        match self {
            Earliest::Few(dues) => {
                let found = |place: usize| u32::from(dues[place] == due) << place;
                (0..FEW).fold(0, |all, place| all | found(place)).trailing_zeros() as usize % FEW
            }
            Earliest::Many(blocks) => blocks.place(due),
        }
    }
}

/// The least of a few, the same way whatever they are: the processor would have to guess, and be wrong, often.
#[inline(always)]
fn least(dues: &[Due; FEW]) -> Due {
    let less = |a: Due, b: Due| select_unpredictable(b < a, b, a);
    let of_four = |n: usize| less(less(dues[n], dues[n + 1]), less(dues[n + 2], dues[n + 3]));
    less(less(of_four(0), of_four(4)), less(of_four(8), of_four(12)))
}

/// Many deadlines: setting one is a store and two comparisons; the earliest is found by reading one number of each
/// block, and whole those blocks whose least has moved on.
#[derive(Debug)]
pub(crate) struct Blocks {
    blocks: Vec<Block>,
    any_stale: bool,
    /// The least of all, unless a block is stale.
    first: Due,
}

#[derive(Clone, Debug)]
struct Block {
    dues: [Due; BLOCK],
    /// The least. It may be earlier than that in a block that is stale.
    least: Due,
    stale: bool,
}

impl Blocks {
    fn new(places: usize) -> Blocks {
        let block = Block { dues: [Due::NEVER; BLOCK], least: Due::NEVER, stale: false };
        Blocks { blocks: vec![block; places.div_ceil(BLOCK)], any_stale: false, first: Due::NEVER }
    }

    #[inline(always)]
    fn set(&mut self, place: usize, due: Due) {
        let block = &mut self.blocks[place / BLOCK];
        let kept = &mut block.dues[place % BLOCK];
        if *kept == due {
            return;
        }
        let before = std::mem::replace(kept, due);
        if due <= block.least {
            block.least = due;
            self.first = self.first.min(due);
        } else if before == block.least {
            block.stale = true;
            // whatever else has moved on matters when the first is sought anew
            self.any_stale |= before == self.first;
        }
    }

    #[inline]
    fn first(&mut self) -> Due {
        if self.any_stale {
            self.refresh();
        }
        self.first
    }

    fn earliest(&self) -> Due {
        self.blocks.iter().flat_map(|block| block.dues).fold(Due::NEVER, Due::min)
    }

    fn refresh(&mut self) {
        self.any_stale = false;
        let mut first = Due::NEVER;
        for block in &mut self.blocks {
            if block.stale {
                block.stale = false;
                block.least = block.dues.iter().fold(Due::NEVER, |least, due| least.min(*due));
            }
            first = first.min(block.least);
        }
        self.first = first;
    }

    /// Read the blocks in which something is due before a time that each reading may bring forward; that time.
    #[inline]
    fn read_before(&self, mut read: impl FnMut(usize, &[Due]) -> Due) -> Time {
        let mut until = read(0, &[]);
        for (number, block) in self.blocks.iter().enumerate() {
            if block.least < until {
                until = read(number * BLOCK, &block.dues);
            }
        }
        until.at()
    }

    fn place(&self, due: Due) -> usize {
        let block = self.blocks.iter().position(|block| block.least == due).unwrap_or(0);
        let place = self.blocks[block].dues.iter().position(|other| *other == due);
        block * BLOCK + place.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use units::Span;

    use super::*;

    fn place(earliest: &mut Earliest) -> usize {
        let first = earliest.first();
        earliest.place(first)
    }

    #[test]
    fn times_then_order_then_places() {
        for places in [7, 16, 17, 40] {
            sorts(places);
        }
    }

    fn sorts(places: usize) {
        let last = places - 1;
        let mut earliest = Earliest::new(places);
        assert_eq!(earliest.first().at(), Time::NEVER);
        earliest.set(last, Due::new(Time(5), Order::Timer));
        earliest.set(3, Due::new(Time(5), Order::Backoff));
        earliest.set(2, Due::new(Time(5), Order::Backoff));
        assert_eq!(earliest.first(), Due::new(Time(5), Order::Timer));
        assert_eq!(place(&mut earliest), last);
        earliest.set(last, Due::new(Time(9), Order::End));
        assert_eq!(place(&mut earliest), 2);
        earliest.set(2, Due::NEVER);
        earliest.set(3, Due::new(Time(11), Order::Start));
        let first = earliest.first();
        assert_eq!((first.at(), first.order()), (Time(9), Order::End));
    }

    #[test]
    fn agrees_with_a_plain_search() {
        agrees::<10>();
        agrees::<50>();
    }

    fn agrees<const PLACES: usize>() {
        let mut state = 9u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        let mut earliest = Earliest::new(PLACES);
        let mut plain = [Due::NEVER; PLACES];
        for _ in 0..50_000 {
            let place = next(PLACES as u64) as usize;
            plain[place] = if next(3) == 0 { Due::NEVER } else { Due::new(Time(next(1000)), Order::Backoff) };
            earliest.set(place, plain[place]);
            if next(2) == 0 {
                let least = plain.iter().min().copied().unwrap();
                assert_eq!(earliest.first(), least);
                assert_eq!(earliest.earliest(), least);
                assert_eq!(
                    earliest.quiet_until(Time(900), |place| plain[place].at() + Span(7)),
                    (least.at() + Span(7)).min(Time(900))
                );
                if least != Due::NEVER {
                    assert_eq!(earliest.place(least), plain.iter().position(|due| *due == least).unwrap());
                }
            }
        }
    }
}
