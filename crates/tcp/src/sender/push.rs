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
    /// The largest window that the receiver has offered, segments.
    largest: u32,
}

impl Push {
    pub(super) fn new(config: &Config) -> Push {
        Push { ahead: config.push, written: 0, pushed: 0, marks: VecDeque::new(), largest: 0 }
    }

    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.ahead > 0
    }

    /// The receiver offers so much.
    #[inline]
    pub(super) fn note_window(&mut self, segments: u32) {
        self.largest = self.largest.max(segments);
    }

    fn write(&mut self, to: u32, offered: u32) {
        let to = to.min(offered);
        while self.written < to {
            self.written += 1;
            let since = self.written - self.pushed;
            if since > self.largest / 2 || self.written == offered {
                self.pushed = self.written;
                self.marks.push_back(self.written - 1);
            }
        }
    }
}

impl Tcb {
    /// The application writes, if too little is left to be sent.
    #[inline]
    pub(super) fn write_ahead(&mut self) {
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

    /// Of a receiver that offers 65 535 bytes, 45 segments of 1448.
    fn push() -> Push {
        let mut push = Push::new(&Config::profile(Profile::Linux));
        push.note_window(45);
        push
    }

    #[test]
    fn half_a_window_is_between_two() {
        let mut push = push();
        // 23 are more than half of 45
        push.write(256, u32::MAX);
        assert_eq!(marks(&push), (1..=11).map(|n| 23 * n).collect::<Vec<_>>());
        // 92 have arrived, and the window is by 184 larger: 115 are more than half of 229. A smaller one changes
        // nothing
        push.note_window(229);
        push.note_window(100);
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
