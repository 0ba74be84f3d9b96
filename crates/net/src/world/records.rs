//! What is recorded while the world runs: so much and no more. What was left out is known by its time.

use std::collections::BTreeMap;

use units::{Span, Time};

use crate::queue::Lengths;
use crate::results::{Loss, TracePoint, Variable};

/// Values over time.
#[derive(Debug)]
pub(super) struct Tracks {
    points: Vec<TracePoint>,
    /// With a step: where the last value of each series is. A later one before the next multiple takes its place.
    last: BTreeMap<(u8, usize, bool), usize>,
    step: Option<Span>,
    most: usize,
    cut: Option<Time>,
}

impl Tracks {
    pub(super) fn new(step: Option<Span>, most: usize) -> Tracks {
        Tracks { points: Vec::new(), last: BTreeMap::new(), step, most, cut: None }
    }

    pub(super) fn note(&mut self, point: TracePoint) {
        let each_packet = matches!(point.variable, Variable::Sent | Variable::Delay);
        if let Some(step) = self.step.filter(|_| !each_packet) {
            let series = (point.variable as u8, point.subject, point.reverse);
            let before = self.last.get(&series).and_then(|&place| self.points.get_mut(place));
            match before.filter(|before| before.at.0.div_ceil(step.0) == point.at.0.div_ceil(step.0)) {
                Some(before) => return *before = point,
                None => self.last.insert(series, self.points.len()),
            };
        }
        if self.points.len() < self.most {
            self.points.push(point);
        } else {
            self.cut = Some(self.cut.unwrap_or(point.at).min(point.at));
        }
    }

    /// The length of a queue, and since when it is not known.
    pub(super) fn note_lengths(&mut self, subject: usize, reverse: bool, (lengths, cut): Lengths) {
        for (at, length) in lengths {
            self.note(TracePoint { at, subject, reverse, variable: Variable::Queue, value: f64::from(length) });
        }
        self.cut = [self.cut, cut].into_iter().flatten().min();
    }

    /// The values, and since when there would be more.
    pub(super) fn take(&mut self) -> (Vec<TracePoint>, Option<Time>) {
        (std::mem::take(&mut self.points), self.cut)
    }
}

/// Lost packets.
#[derive(Debug)]
pub(super) struct Losses {
    all: Vec<Loss>,
    most: usize,
    cut: Option<Time>,
}

impl Losses {
    pub(super) fn new(most: usize) -> Losses {
        Losses { all: Vec::new(), most, cut: None }
    }

    pub(super) fn note(&mut self, loss: Loss) {
        if self.all.len() < self.most {
            self.all.push(loss);
        } else {
            self.cut = Some(self.cut.unwrap_or(loss.at).min(loss.at));
        }
    }

    /// All of them in the order of time, up to when some are missing.
    pub(super) fn take(self) -> (Vec<Loss>, Option<Time>) {
        let mut all = self.all;
        all.retain(|loss| self.cut.is_none_or(|cut| loss.at < cut));
        all.sort_by_key(|loss| (loss.at, loss.link, loss.link_reverse));
        (all, self.cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(ms: u64, value: f64) -> TracePoint {
        TracePoint { at: Time(ms * 1_000_000), subject: 0, reverse: false, variable: Variable::Cwnd, value }
    }

    fn values(tracks: &mut Tracks) -> (Vec<f64>, Option<Time>) {
        let (points, cut) = tracks.take();
        (points.iter().map(|point| point.value).collect(), cut)
    }

    #[test]
    fn of_each_step_the_last_value_is_kept() {
        let mut tracks = Tracks::new(Some(Span::from_millis(10)), 100);
        for (ms, value) in [(0, 1.0), (3, 2.0), (10, 3.0), (11, 4.0), (12, 5.0), (40, 6.0)] {
            tracks.note(point(ms, value));
        }
        // 3 and 10 ms are both known at the multiple 10, 11 and 12 ms at 20
        assert_eq!(values(&mut tracks), (vec![1.0, 3.0, 5.0, 6.0], None));
        // every packet counts by itself
        (0..3).for_each(|ms| tracks.note(TracePoint { variable: Variable::Sent, ..point(ms, 0.0) }));
        assert_eq!(values(&mut tracks).0.len(), 3);
    }

    #[test]
    fn what_is_too_much_is_left_out_and_its_time_is_known() {
        let mut tracks = Tracks::new(None, 2);
        (1..5).for_each(|ms| tracks.note(point(ms, ms as f64)));
        assert_eq!(values(&mut tracks), (vec![1.0, 2.0], Some(point(3, 0.0).at)));
    }
}
