//! Segments that are acknowledged one by one: those at the start, those by which the receiver's window grows, and those
//! after one that came twice.
//! Source: Linux's quick ACKs, as seen in its traces. RFC 5681 section 4.2 allows any number.

use crate::Config;
use crate::sender::FIRST_WINDOW;

/// ACKs without delay at the start, after the window has grown for the last time, and after a segment that came twice.
const SOME: u32 = 16;

/// How many ACKs to come leave without delay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quick {
    pub(super) left: u32,
    /// After a segment that came twice.
    again: u32,
    /// The window that is offered, its limit, and by how much a segment widens it, bytes.
    window: u64,
    most: u64,
    step: u64,
}

impl Quick {
    pub(super) fn new(config: &Config) -> Quick {
        let grows = config.quick_acks == u32::MAX;
        let most = u64::from(config.window) * u64::from(config.mss);
        Quick {
            left: if grows { SOME } else { config.quick_acks },
            again: if config.quick_acks > 0 { SOME } else { 0 },
            window: if grows { FIRST_WINDOW.min(most) } else { most },
            most,
            step: 2 * u64::from(config.mss),
        }
    }

    /// There is something to count.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.left > 0 || self.window < self.most
    }

    /// A new segment arrived, with so many held before it for want of others: they take up room in the buffer, each 13/12
    /// of its bytes where half of the buffer is window, and the window grows into the rest. The ACK that says so waits
    /// for nothing.
    pub(super) fn on_new(&mut self, held: impl FnOnce() -> u32) {
        if self.window < self.most {
            let taken = u64::from(held()) * self.step * 13 / 48;
            let room = self.most.saturating_sub(taken).saturating_sub(self.window);
            if room > 0 {
                self.window += room.min(self.step);
                self.left |= 1;
            }
        }
    }

    /// A segment came twice. Its own ACK does not count.
    pub(super) fn on_duplicate(&mut self) {
        if self.again > 0 {
            self.left = self.left.max(self.again + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    /// ACKs until the first that may wait, of a window of 723 segments of 1448 bytes, with so many held from the
    /// `from`th on.
    fn quick(from: u32) -> u32 {
        let mut quick = Quick::new(&Config { window: 723, ..Config::profile(Profile::Linux) });
        for n in 0.. {
            quick.on_new(|| n.max(from) - from);
            if quick.left == 0 {
                return n;
            }
            quick.left -= 1;
        }
        0
    }

    #[test]
    fn sixteen_more_after_the_window_has_grown() {
        // (723 * 1448 - 65 535) / 2896 = 338.9, and 16
        assert_eq!(quick(u32::MAX), 339 + 16);
    }

    #[test]
    fn what_is_held_leaves_less_room() {
        // 65 535 + 2896 k reaches 1 046 904 - 784.3 (k - 200) at 309.3, and 16 more
        assert_eq!(quick(200), 310 + 16);
    }
}
