//! Which segments carry PSH: the last of what the application has written, and on the way those at which more than half
//! of the largest window that the receiver has offered was written since the last one.
//! Source: Linux, whose receivers acknowledge such a segment at once. RFC 9293 section 3.9.1.2 leaves it to the sender.
//!
//! The application writes ahead of what is sent: so many segments at first, and then a quarter of them whenever less
//! than half is left, as one with `TCP_NOTSENT_LOWAT` does. When a segment was written decides how large the window was
//! that it is held against, for it grows.

use std::collections::VecDeque;

use super::Tcb;
use crate::Config;
use crate::offered::OfferedWindow;

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
    /// The largest window that the receiver has offered, and how many segments had arrived then.
    window: OfferedWindow,
    arrived: u32,
    mss: u64,
}

impl Push {
    pub(super) fn new(config: &Config) -> Push {
        Push {
            ahead: config.push,
            written: 0,
            pushed: 0,
            marks: VecDeque::new(),
            window: OfferedWindow::new(config),
            arrived: 0,
            mss: u64::from(config.mss),
        }
    }

    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.ahead > 0
    }

    /// As many segments have arrived, some of them `held` for want of others.
    fn note_arrived(&mut self, arrived: u32, held: u32) {
        while self.arrived < arrived {
            self.arrived += 1;
            self.window.on_new(held);
        }
    }

    fn write(&mut self, to: u32, offered: u32) {
        let to = to.min(offered);
        while self.written < to {
            self.written += 1;
            let since = u64::from(self.written - self.pushed) * self.mss;
            if since > self.window.bytes() / 2 || self.written == offered {
                self.pushed = self.written;
                self.marks.push_back(self.written - 1);
            }
        }
    }
}

impl Tcb {
    /// The application writes, if too little is left to be sent. `sacked`: segments that have arrived out of order.
    #[inline]
    pub(super) fn write_ahead(&mut self, sacked: impl Fn() -> u32) {
        if self.push.window.grows() {
            let held = sacked();
            self.push.note_arrived(self.snd_una + held, held);
        }
        let Push { ahead, written, .. } = self.push;
        let left = written.saturating_sub(self.snd_max);
        let first = written == 0 && self.snd_max == 0;
        if (first || left < ahead.div_ceil(2)) && written < self.offered {
            self.write_some(first);
        }
    }

    #[inline(never)]
    fn write_some(&mut self, first: bool) {
        let Push { ahead, written, .. } = self.push;
        let half = self.snd_max.saturating_add(ahead.div_ceil(2));
        let chunk = (ahead / 4).max(1);
        let more = if first { ahead } else { half.saturating_sub(written).div_ceil(chunk).saturating_mul(chunk) };
        while self.push.marks.front().is_some_and(|&mark| mark < self.snd_una) {
            self.push.marks.pop_front();
        }
        self.push.write(written.saturating_add(more), self.offered);
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
    use crate::Profile;

    fn marks(push: &Push) -> Vec<u32> {
        push.marks.iter().map(|mark| mark + 1).collect()
    }

    fn push() -> Push {
        Push::new(&Config { window: 723, ..Config::profile(Profile::Linux) })
    }

    #[test]
    fn half_a_window_is_between_two() {
        let mut push = push();
        // 65535 / 2 = 32767 bytes: 22 * 1448 = 31856 are less, 23 * 1448 = 33304 more
        push.write(256, u32::MAX);
        assert_eq!(marks(&push), (1..=11).map(|n| 23 * n).collect::<Vec<_>>());
        // 92 have arrived: 65 535 + 92 * 2896 = 331 967, half of it is 165 983, and 114 * 1448 = 165 072 are less
        push.note_arrived(92, 0);
        push.write(384, u32::MAX);
        assert_eq!(marks(&push)[11..], [253 + 115]);
    }

    #[test]
    fn the_last_of_what_is_written_carries_one() {
        let mut push = push();
        push.write(256, 30);
        assert_eq!(marks(&push), [23, 30]);
        push.write(256, 31);
        assert_eq!(marks(&push), [23, 30, 31]);
    }
}
