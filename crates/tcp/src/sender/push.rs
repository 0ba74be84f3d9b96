//! Which segments carry PSH: the last of what the application has written, and on the way those at which more than half
//! of the largest window that the receiver has offered was written since the last one.
//! Source: Linux, whose receivers acknowledge such a segment at once. RFC 9293 section 3.9.1.2 leaves it to the sender.
//!
//! The application writes ahead of what is sent: so many segments at first, and then a quarter of them whenever less
//! than half is left, as one with `TCP_NOTSENT_LOWAT` does. When a segment was written decides how large the window was
//! that it is held against, for it grows.

use std::collections::VecDeque;

use super::Tcb;

/// Bytes of the window that Linux's receivers begin with.
pub(crate) const FIRST_WINDOW: u64 = 65_535;

/// What the application has written, and where PSH goes.
#[derive(Clone, Debug)]
pub(crate) struct Push {
    /// Segments written before they can be sent; zero: nothing carries PSH.
    ahead: u32,
    written: u32,
    /// One past the last segment with PSH.
    pushed: u32,
    /// Segments with PSH that are not acknowledged.
    marks: VecDeque<u32>,
}

impl Push {
    pub(super) fn new(ahead: u32) -> Push {
        Push { ahead, written: 0, pushed: 0, marks: VecDeque::new() }
    }

    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.ahead > 0
    }

    fn write(&mut self, to: u32, offered: u32, window: u64, mss: u64) {
        let to = to.min(offered);
        while self.written < to {
            self.written += 1;
            let since = u64::from(self.written - self.pushed) * mss;
            if since > window / 2 || self.written == offered {
                self.pushed = self.written;
                self.marks.push_back(self.written - 1);
            }
        }
    }
}

impl Tcb {
    /// The application writes, if too little is left to be sent.
    pub(super) fn write_ahead(&mut self) {
        let Push { ahead, written, .. } = self.push;
        let left = written.saturating_sub(self.snd_max);
        let first = written == 0 && self.snd_max == 0;
        if !first && left >= ahead.div_ceil(2) || written >= self.offered {
            return;
        }
        let half = self.snd_max.saturating_add(ahead.div_ceil(2));
        let chunk = (ahead / 4).max(1);
        let more = if first { ahead } else { half.saturating_sub(written).div_ceil(chunk).saturating_mul(chunk) };
        let mss = self.path.mss.0 as u64;
        // two segments more with each that has arrived
        let window = (FIRST_WINDOW + 2 * mss * u64::from(self.snd_una)).min(u64::from(self.rwnd) * mss);
        while self.push.marks.front().is_some_and(|&mark| mark < self.snd_una) {
            self.push.marks.pop_front();
        }
        self.push.write(written.saturating_add(more), self.offered, window, mss);
    }

    /// This segment carries PSH.
    #[inline]
    pub(crate) fn is_pushed(&self, number: u32) -> bool {
        !self.push.marks.is_empty() && self.push.marks.binary_search(&number).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(push: &Push) -> Vec<u32> {
        push.marks.iter().map(|mark| mark + 1).collect()
    }

    #[test]
    fn half_a_window_is_between_two() {
        let mut push = Push::new(256);
        // 65535 / 2 = 32767 bytes: 22 * 1448 = 31856 are less, 23 * 1448 = 33304 more
        push.write(64, u32::MAX, FIRST_WINDOW, 1448);
        assert_eq!(marks(&push), [23, 46]);
        // a larger window from there on: 333042 / 2 = 166521, 115 * 1448 = 166520, so 116 behind the last
        push.write(170, u32::MAX, 333_042, 1448);
        assert_eq!(marks(&push), [23, 46, 46 + 116]);
    }

    #[test]
    fn the_last_of_what_is_written_carries_one() {
        let mut push = Push::new(256);
        push.write(256, 30, FIRST_WINDOW, 1448);
        assert_eq!(marks(&push), [23, 30]);
        push.write(256, 31, FIRST_WINDOW, 1448);
        assert_eq!(marks(&push), [23, 30, 31]);
    }
}
