//! How much of the window is in use, by Linux's measure: what was outstanding at most in the last round, and whether
//! the window was full.
//! Source: Linux since 3.15; RFC 7661 asks for such a rule and leaves it open.

use super::Tcb;

/// The last round's use, and the present one's.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    full: bool,
    most: u32,
    round_mark: u32,
    /// New data left on account of the event at hand.
    pub(crate) sent: bool,
}

impl Usage {
    /// A window of so many segments may grow.
    #[inline]
    pub(super) fn lets_grow(&self, window: i64, slow_start: bool) -> bool {
        self.full || (slow_start && window < 2 * i64::from(self.most))
    }
}

impl Tcb {
    /// Nothing more may leave: the window is `full`, or data are wanting; `held`: only the window holds them back.
    #[inline]
    pub(crate) fn note_usage(&mut self, full: bool, held: bool) {
        if !std::mem::take(&mut self.usage.sent) && !held {
            return;
        }
        let outstanding = self.snd_max - self.snd_una;
        let usage = &mut self.usage;
        if full || self.snd_una >= usage.round_mark || (!usage.full && outstanding > usage.most) {
            *usage = Usage { full, most: outstanding, round_mark: self.snd_max, sent: false };
        }
    }
}
