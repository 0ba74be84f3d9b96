//! Segments that are acknowledged one by one: those at the start, those by which the receiver's window grows, and those
//! after one that came twice, after a pause, and after a mark.
//! Source: Linux 6.1, restated in specs/papers/linux.md. RFC 5681 section 4.2 allows any number.

use crate::Config;
use crate::offered::OfferedWindow;

/// ACKs without delay at the start, after the window has grown for the last time, after a segment that came twice, and
/// after a pause.
const SOME: u32 = 16;
/// The same after a mark.
const FEW: u32 = 2;

/// How many ACKs to come leave without delay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quick {
    pub(super) left: u32,
    /// Those of the start are still to come: with the first segment in order, if that is acknowledged before any other.
    starts: bool,
    /// Segments that arrive are to be looked at.
    pub(super) on: bool,
    /// There are some after the start, too.
    again: bool,
    /// Each segment that arrives is to be looked at: how long ACKs wait adapts to them, or outdated ones are refused.
    watches: bool,
    window: OfferedWindow,
    /// The window is one that grows.
    pub(super) offers: bool,
}

impl Quick {
    pub(super) fn new(config: &Config, watches: bool) -> Quick {
        let (grows, window) = (config.quick_acks == u32::MAX, OfferedWindow::new(config));
        let mut quick = Quick {
            left: if grows { 0 } else { config.quick_acks },
            starts: grows,
            on: false,
            again: config.quick_acks > 0,
            watches,
            window: if grows { window } else { window.full() },
            offers: grows && window.grows(),
        };
        quick.settle();
        quick
    }

    /// Segments of the window as far as it has grown.
    pub(super) fn window(&self) -> u32 {
        self.window.segments()
    }

    /// So many, or what half of the window is.
    fn most(&self, number: u32) -> u32 {
        //= specs/papers/linux.md#delayed-acks
        //# So are 16, or as many as half of the window has segments, at least two
        number.min((self.window() / 2).max(2))
    }

    /// A new segment arrived, the `next` one or above it, with these ranges held before. The ACK that offers a larger
    /// window waits for nothing. How many segments of it are left.
    pub(super) fn on_new(&mut self, ranges: &[(u32, u32)], next: u32, number: u32) -> u32 {
        let (grew, left) = self.window.on_new(ranges, OfferedWindow::place(ranges, next, number));
        self.left |= u32::from(grew);
        left
    }

    /// A segment came in order.
    pub(super) fn on_in_order(&mut self) {
        //= specs/papers/linux.md#delayed-acks
        //# but only if no other segment was acknowledged before the first one in order
        if std::mem::take(&mut self.starts) {
            self.give(self.most(SOME));
        }
    }

    /// A segment came after a pause.
    pub(super) fn on_pause(&mut self) {
        self.give(self.most(SOME));
    }

    /// A segment came twice. Its own ACK does not count.
    pub(super) fn on_duplicate(&mut self) {
        self.give(self.most(SOME) + 1);
    }

    /// The first mark came since the sender has reduced its window: that may be very small.
    pub(super) fn on_mark(&mut self) {
        self.give(FEW);
    }

    fn give(&mut self, number: u32) {
        if self.again {
            self.left = self.left.max(number);
            self.settle();
        }
    }

    /// One of them has left. True if it was the last.
    pub(super) fn take(&mut self) -> bool {
        let last = self.left == 1;
        self.starts &= self.left == 0;
        self.left = self.left.saturating_sub(1);
        last
    }

    /// Whether there is something to count.
    pub(super) fn settle(&mut self) {
        self.on = self.left > 0 || self.starts || self.offers || self.watches;
    }
}
