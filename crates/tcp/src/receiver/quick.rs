//! Segments that are acknowledged one by one: those at the start, those by which the receiver's window grows, and those
//! after one that came twice.
//! Source: Linux's quick ACKs, as seen in its traces. RFC 5681 section 4.2 allows any number.

use crate::Config;
use crate::offered::OfferedWindow;

/// ACKs without delay at the start, after the window has grown for the last time, and after a segment that came twice.
const SOME: u32 = 16;

/// How many ACKs to come leave without delay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quick {
    pub(super) left: u32,
    /// After a segment that came twice.
    again: u32,
    window: OfferedWindow,
}

impl Quick {
    pub(super) fn new(config: &Config) -> Quick {
        let (grows, window) = (config.quick_acks == u32::MAX, OfferedWindow::new(config));
        Quick {
            left: if grows { SOME } else { config.quick_acks },
            again: if config.quick_acks > 0 { SOME } else { 0 },
            window: if grows { window } else { window.full() },
        }
    }

    /// There is something to count.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.left > 0 || self.window.grows()
    }

    /// A new segment arrived, with so many held before it. The ACK that offers a larger window waits for nothing.
    pub(super) fn on_new(&mut self, held: impl FnOnce() -> u32) {
        if self.window.grows() && self.window.on_new(held()) {
            self.left |= 1;
        }
    }

    /// A segment came twice. Its own ACK does not count.
    pub(super) fn on_duplicate(&mut self) {
        if self.again > 0 {
            self.left = self.left.max(self.again + 1);
        }
    }
}
