//! The length of a queue over time.

use std::collections::BTreeMap;

use units::Time;

use crate::spec::QueueTracing;

/// The length of a queue at its changes, in packets, and since when changes are missing.
pub(crate) type Lengths = (Vec<(Time, u32)>, Option<Time>);

/// Changes of a queue's length, in packets, in any order.
#[derive(Debug)]
pub(super) struct QueueTrace {
    changes: Vec<(Time, i32)>,
    /// With a step, sums of the changes up to each multiple of it.
    sums: BTreeMap<u64, i32>,
    tracing: QueueTracing,
    cut: Time,
}

impl QueueTrace {
    pub(super) fn new(tracing: QueueTracing) -> QueueTrace {
        QueueTrace { changes: Vec::new(), sums: BTreeMap::new(), tracing, cut: Time::NEVER }
    }

    /// So many packets more wait from then on.
    pub(super) fn note(&mut self, at: Time, change: i32) {
        match self.tracing.step {
            Some(step) => *self.sums.entry(at.0.div_ceil(step.0)).or_default() += change,
            None if self.changes.len() < self.tracing.most => self.changes.push((at, change)),
            None => self.cut = self.cut.min(at),
        }
    }

    /// The length up to `end`.
    pub(super) fn lengths(mut self, end: Time) -> Lengths {
        if let Some(step) = self.tracing.step {
            self.changes = self.sums.into_iter().map(|(tick, sum)| (Time(tick.saturating_mul(step.0)), sum)).collect();
        }
        self.changes.sort_by_key(|c| c.0);
        let mut length = 0i32;
        let mut lengths: Vec<(Time, u32)> = Vec::new();
        for (at, change) in self.changes.into_iter().filter(|c| c.0 <= end && c.0 < self.cut) {
            length += change;
            match lengths.last_mut() {
                Some(last) if last.0 == at => last.1 = length as u32,
                _ => lengths.push((at, length as u32)),
            }
        }
        (lengths, (self.cut <= end).then_some(self.cut))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Span;

    const CHANGES: [(u64, i32); 6] = [(3, 1), (5, 1), (25, -1), (12, 1), (30, -1), (39, -1)];

    fn lengths(step: Option<Span>, most: usize) -> (Vec<(u64, u32)>, Option<Time>) {
        let mut trace = QueueTrace::new(QueueTracing { step, most });
        CHANGES.iter().for_each(|(at, change)| trace.note(Time(*at), *change));
        let (lengths, cut) = trace.lengths(Time(35));
        (lengths.into_iter().map(|(at, length)| (at.0, length)).collect(), cut)
    }

    #[test]
    fn a_step_keeps_what_is_at_its_multiples() {
        assert_eq!(lengths(None, 9), (vec![(3, 1), (5, 2), (12, 3), (25, 2), (30, 1)], None));
        assert_eq!(lengths(Some(Span(10)), 9), (vec![(10, 2), (20, 3), (30, 1)], None));
    }

    #[test]
    fn what_is_too_much_ends_the_trace() {
        // the fourth change, at 12, is not kept: nothing is known from there on
        assert_eq!(lengths(None, 3), (vec![(3, 1), (5, 2)], Some(Time(12))));
    }
}
