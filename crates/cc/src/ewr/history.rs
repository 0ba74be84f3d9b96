//! Which of the newest segments were lost for congestion.
//! Choice: a segment counts when it arrives, or when its loss is found.

/// Longest history, segments.
pub const LONGEST: u32 = 64 * WORDS as u32;
const WORDS: usize = 16;

/// One bit per segment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct History {
    bits: [u64; WORDS],
    length: u32, // segments that count, at most LONGEST
    known: u32,
    at: u32, // place of the next segment
    lost: u32,
}

impl History {
    pub(super) fn new(length: u32) -> History {
        History { bits: [0; WORDS], length: length.clamp(1, LONGEST), known: 0, at: 0, lost: 0 }
    }

    /// `segments` arrived.
    pub(super) fn on_arrivals(&mut self, segments: u32) {
        if self.lost == 0 {
            // nothing to forget, and the place does not matter
            self.known = self.known.saturating_add(segments).min(self.length);
            return;
        }
        for _ in 0..segments.min(self.length) {
            self.push(false);
        }
    }

    /// A segment was lost.
    pub(super) fn on_loss(&mut self, congestion: bool) {
        self.push(congestion);
    }

    fn push(&mut self, lost: bool) {
        let (word, bit) = ((self.at / 64) as usize, 1 << (self.at % 64));
        self.lost -= u32::from(self.bits[word] & bit != 0);
        self.bits[word] = if lost { self.bits[word] | bit } else { self.bits[word] & !bit };
        self.lost += u32::from(lost);
        self.at = if self.at + 1 == self.length { 0 } else { self.at + 1 };
        self.known = (self.known + 1).min(self.length);
    }

    #[cfg(test)]
    pub(super) fn lost(&self) -> u32 {
        self.lost
    }

    /// Share of the known segments that were lost for congestion.
    pub(super) fn share(&self) -> f64 {
        if self.lost == 0 { 0.0 } else { f64::from(self.lost) / f64::from(self.known) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_leave_with_the_oldest_segments() {
        let mut history = History::new(100);
        history.on_arrivals(48);
        history.on_loss(true);
        history.on_loss(false);
        assert_eq!(history.share(), 0.02); // 1 of 50
        history.on_arrivals(50);
        assert_eq!(history.share(), 0.01); // 1 of 100
        history.on_arrivals(47);
        history.on_loss(true); // the 148th; the first was the 49th, now the oldest of 100
        assert_eq!(history.share(), 0.02);
        history.on_arrivals(1);
        assert_eq!(history.share(), 0.01);
        history.on_arrivals(1000);
        assert_eq!(history.share(), 0.0);
    }

    #[test]
    fn nothing_known_is_no_loss() {
        assert_eq!(History::new(0).share(), 0.0);
        assert_eq!(History::new(LONGEST + 1).length, 1024);
    }
}
