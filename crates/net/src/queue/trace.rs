//! The length of a queue over time.

use units::Time;

/// Changes of a queue's length, in packets, in any order.
#[derive(Debug, Default)]
pub(super) struct QueueTrace {
    changes: Vec<(Time, i32)>,
}

impl QueueTrace {
    /// So many packets more wait from then on.
    pub(super) fn note(&mut self, at: Time, change: i32) {
        self.changes.push((at, change));
    }

    /// The length at every change up to `end`.
    pub(super) fn lengths(mut self, end: Time) -> Vec<(Time, u32)> {
        self.changes.sort_by_key(|c| c.0);
        let mut length = 0i32;
        let mut lengths: Vec<(Time, u32)> = Vec::new();
        for (at, change) in self.changes.into_iter().filter(|c| c.0 <= end) {
            length += change;
            match lengths.last_mut() {
                Some(last) if last.0 == at => last.1 = length as u32,
                _ => lengths.push((at, length as u32)),
            }
        }
        lengths
    }
}
