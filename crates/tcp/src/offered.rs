//! The window that Linux's receivers offer: it starts small, and grows by two segments with each that arrives, as far
//! as the buffer has room.
//! Source: Linux 6.1, restated in specs/papers/linux.md.

use crate::Config;

/// Bytes of the window at the start.
const FIRST: i64 = 65_535;
/// What the buffer has beyond the window: room for the segment that is about to be read, and less than another one
/// (in the kernel's traces the window is 723 segments of 1448 bytes, and half of the memory 1 MiB).
const SPARE: i64 = 1672;
/// What a packet takes beside its data, in bytes of the window, of which there is one for two of memory.
const HEAD: i64 = 700;
/// Segments in a row that are kept as one packet.
const SHARE: u32 = 12;
/// Payload of a packet of 1500 bytes without options, and what timestamps take of it.
const FULL: u32 = 1460;
const TIMESTAMPS: u32 = 12;
/// The least payload that takes up no more of the window than it is.
const LARGE: u32 = 1152;

/// Where a new segment has its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It comes next, and is read at once.
    InOrder,
    /// It is held for want of others, as a packet by itself.
    Alone,
    /// It is held in one packet with those before it.
    Beside,
}

/// Such a window, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfferedWindow {
    bytes: i64,
    most: i64,
    step: i64,
    mss: i64,
}

impl OfferedWindow {
    /// One that grows to the window of `config`.
    pub(crate) fn new(config: &Config) -> OfferedWindow {
        let mss = i64::from(config.mss);
        let most = i64::from(config.window) * mss;
        let first = FIRST.min(most);
        //= specs/papers/linux.md#delayed-acks
        //# two segments larger, of the size that fills a packet if they are not much smaller
        let full = i64::from(FULL - if config.timestamps { TIMESTAMPS } else { 0 });
        let step = 2 * if config.mss < LARGE { mss } else { mss.max(full) };
        OfferedWindow { bytes: first, most, step, mss }
    }

    /// The same with nothing left to grow.
    pub(crate) fn full(self) -> OfferedWindow {
        OfferedWindow { bytes: self.most, ..self }
    }

    #[inline]
    pub(crate) fn segments(&self) -> u32 {
        (self.bytes / self.mss) as u32
    }

    #[inline]
    pub(crate) fn grows(&self) -> bool {
        self.bytes < self.most
    }

    /// Where segment `number` has its place if it comes behind these ranges that are held.
    pub(crate) fn place(ranges: &[(u32, u32)], next: u32, number: u32) -> Place {
        let left = ranges.iter().find(|range| range.1 == number);
        match left {
            _ if number == next => Place::InOrder,
            Some((start, end)) if (end - start) % SHARE != 0 => Place::Beside,
            _ => Place::Alone,
        }
    }

    /// A new segment arrived, while these ranges were held for want of others. Whether the window grew, and how many
    /// segments of it are left.
    //= specs/papers/linux.md#delayed-acks
    //# It grows by what is left before a segment takes its place, or after that if it joins others, and what is left
    //# after that is offered; but the end of what was offered never moves back.
    pub(crate) fn on_new(&mut self, ranges: &[(u32, u32)], place: Place) -> (bool, u32) {
        let size = |segments: u32| i64::from(segments) * self.mss / 2 + i64::from(segments.div_ceil(SHARE)) * HEAD;
        let held: i64 = ranges.iter().map(|range| size(range.1 - range.0)).sum();
        let (before, after) = match place {
            Place::InOrder => (held, held),
            Place::Alone => (held - SPARE, held + size(1) - SPARE),
            Place::Beside => (held + self.mss / 2 - SPARE, held + self.mss / 2 - SPARE),
        };
        let room = (self.most - before.max(0) - self.bytes).max(0);
        self.bytes += room.min(self.step);
        let left = (self.most - after.max(0)).clamp(0, self.bytes);
        (room > 0, (left / self.mss) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    /// How many segments a window of 723 segments of 1448 bytes grows with, if all from the `from`th on are held, in
    /// ranges of so many.
    fn growths(from: u32, length: u32) -> u32 {
        let mut window = OfferedWindow::new(&Config { window: 723, ..Config::profile(Profile::Linux) });
        let mut ranges: Vec<(u32, u32)> = vec![];
        let mut grow = |n: &u32| {
            let number = if *n < from { *n } else { n + 1 + (n - from) / length };
            let place = OfferedWindow::place(&ranges, n.min(&from).to_owned(), number);
            let (grows, _) = window.on_new(&ranges, place);
            match ranges.last_mut().filter(|range| range.1 == number) {
                _ if *n < from => {}
                Some(range) => range.1 += 1,
                None => ranges.push((number, number + 1)),
            }
            grows
        };
        (0..1000).take_while(&mut grow).count() as u32
    }

    #[test]
    fn it_grows_by_two_segments_with_each() {
        // (723 * 1448 - 65 535) / 2896 = 338.9
        assert_eq!(growths(1000, 1), 339);
    }

    #[test]
    fn what_is_held_leaves_less_room() {
        // in packets of twelve segments each takes 724 + 700 / 12 = 782:
        // 65 535 + 2896 k reaches 1 048 576 - 782 (k - 200) at 309.8
        assert_eq!(growths(200, 1000), 310);
        // one by one, 1424: at 293.5
        assert_eq!(growths(200, 1), 294);
    }

    #[test]
    fn without_timestamps_a_full_packet_has_more() {
        let config = Config { timestamps: false, ..Config::profile(Profile::Linux) };
        let mut window = OfferedWindow::new(&config);
        window.on_new(&[], Place::InOrder);
        assert_eq!(window.bytes, 65_535 + 2 * 1460);
    }
}
