//! Frames that are bad at one receiver: random errors beside overlap and distance.
//!
//! Sources: Gilbert, BSTJ 39, 1960; the two-state model of ns-2 2.35 by its behaviour. Every receiver has a chain and a
//! stream of its own. Choices: a chain starts in its stationary state (ns-2's starts good); a frame meets the state
//! that it finds, then the chain moves on.

use sim::{Chance, Distribution, Stream};
use units::{Span, Time};

use crate::Error;

/// Random errors at every receiver of a medium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// Which frames are bad.
    pub model: LossModel,
    /// To which frames it applies.
    pub frames: LossFrames,
    /// Who notices.
    pub at: LossAt,
}

/// Which frames are bad. Every frame that a receiver senses counts, also those for others and those lost already.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LossModel {
    /// Each by itself.
    Independent {
        /// Share of frames.
        rate: f64,
    },
    /// In runs of a geometric number of frames.
    Gilbert {
        /// Share of frames.
        rate: f64,
        /// Mean length of a run, frames.
        burst: f64,
    },
    /// In bad times of exponential length: a frame is bad if it meets one.
    GilbertInTime {
        /// Share of the time.
        rate: f64,
        /// Mean length of a bad time.
        burst: Span,
    },
    /// ns-2's: runs of exponential length, and a frame that touches one is bad. The share is `rate (1 + 1 / burst)`.
    Ns2TwoState {
        /// Share of the length that is bad.
        rate: f64,
        /// Mean length of a bad run, frames.
        burst: f64,
    },
}

/// To which frames a model applies. The others do not move its chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossFrames {
    /// All: RTS, CTS, data, ACK.
    All,
    /// Data frames.
    Data,
}

/// Who notices a bad frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossAt {
    /// The MAC, which repeats it.
    Mac,
    /// Nobody below IP: packets that the MAC has delivered are lost behind it.
    Above,
}

impl Loss {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let (rate, burst, positive) = match self.model {
            LossModel::Independent { rate } => (rate, 1.0, true),
            LossModel::Gilbert { rate, burst } => (rate, burst, burst >= 1.0),
            LossModel::Ns2TwoState { rate, burst } => (rate, burst, burst > 0.0),
            LossModel::GilbertInTime { rate, burst } => (rate, burst.secs(), burst > Span::ZERO),
        };
        let all = matches!(self.model, LossModel::Independent { .. });
        if !(0.0..=1.0).contains(&rate) || (rate == 1.0 && !all) {
            let must = if all { "between 0 and 1" } else { "at least 0 and below 1" };
            return Err(Error::Range { key: "loss.rate", value: rate, must });
        }
        if !positive || !burst.is_finite() {
            let must = if matches!(self.model, LossModel::Gilbert { .. }) { "at least 1 frame" } else { "positive" };
            return Err(Error::Range { key: "loss.burst", value: burst, must });
        }
        // a run of bad frames is followed by one good frame at least
        if let LossModel::Gilbert { rate, burst } = self.model
            && rate > burst / (burst + 1.0)
        {
            return Err(Error::Range { key: "loss.rate", value: rate, must: "at most burst / (burst + 1)" });
        }
        Ok(())
    }
}

/// The state of a model at one receiver.
#[derive(Debug)]
pub(crate) struct Errors {
    loss: Loss,
    stream: Stream,
    bad: bool,
    /// What is left of the present run, in frames (ns-2).
    left: f64,
    /// When the present time ends, and when the last bad one did.
    until: Time,
    last_bad: Option<Time>,
    /// Independent: bad. Gilbert: good to bad.
    enter: Chance,
    /// Gilbert: bad to good.
    leave: Chance,
}

impl Errors {
    pub(crate) fn new(loss: Loss, stream: Stream) -> Errors {
        let chance = |probability: f64| Chance::new(probability.clamp(0.0, 1.0));
        let (enter, leave) = match loss.model {
            LossModel::Independent { rate } => (rate, 1.0),
            // good runs are burst (1 - rate) / rate frames
            LossModel::Gilbert { rate, burst } => (rate / (burst * (1.0 - rate)), 1.0 / burst),
            LossModel::GilbertInTime { .. } | LossModel::Ns2TwoState { .. } => (0.0, 0.0),
        };
        let mut errors = Errors {
            loss,
            stream,
            bad: false,
            left: 0.0,
            until: Time::ZERO,
            last_bad: None,
            enter: chance(enter),
            leave: chance(leave),
        };
        match loss.model {
            LossModel::Gilbert { rate, .. } | LossModel::GilbertInTime { rate, .. } => {
                errors.bad = errors.stream.happens(chance(rate));
                errors.until = Time::ZERO + Span::from_secs(errors.length());
            }
            LossModel::Ns2TwoState { .. } => errors.left = errors.length(),
            LossModel::Independent { .. } => {}
        }
        errors
    }

    /// Length of the run that begins, in frames or seconds.
    fn length(&mut self) -> f64 {
        let (rate, bad) = match self.loss.model {
            LossModel::Ns2TwoState { rate, burst } => (rate, burst),
            LossModel::GilbertInTime { rate, burst } => (rate, burst.secs()),
            LossModel::Independent { .. } | LossModel::Gilbert { .. } => return 0.0,
        };
        if rate == 0.0 {
            return if self.bad { 0.0 } else { f64::INFINITY };
        }
        let mean = if self.bad { bad } else { bad * (1.0 - rate) / rate };
        Distribution::Exponential { mean }.draw(&mut self.stream)
    }

    /// Whether the frame that has been on air from `start` to `end` is bad here. Frames are asked for in the order of
    /// their ends.
    pub(crate) fn hits(&mut self, start: Time, end: Time, data: bool) -> bool {
        if self.loss.frames == LossFrames::Data && !data {
            return false;
        }
        match self.loss.model {
            LossModel::Independent { .. } => self.stream.happens(self.enter),
            LossModel::Gilbert { .. } => {
                let found = self.bad;
                let moves = if found { self.leave } else { self.enter };
                self.bad ^= self.stream.happens(moves);
                found
            }
            LossModel::GilbertInTime { .. } => self.bad_within(start, end),
            LossModel::Ns2TwoState { .. } => self.touches_a_run(),
        }
    }

    fn bad_within(&mut self, start: Time, end: Time) -> bool {
        while self.until <= end {
            if self.bad {
                self.last_bad = Some(self.until);
            }
            self.bad = !self.bad;
            let length = self.length();
            self.until = if length.is_finite() { self.until + Span::from_secs(length) } else { Time::NEVER };
        }
        self.bad || self.last_bad.is_some_and(|ended| ended > start)
    }

    fn touches_a_run(&mut self) -> bool {
        let mut touched = self.bad;
        self.left -= 1.0;
        while self.left <= 0.0 {
            self.bad = !self.bad;
            self.left += self.length();
            touched |= self.bad;
        }
        touched
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAMES: usize = 400_000;

    /// Share of bad frames and their mean run; frames of `airtime` follow each other without a gap.
    fn sample(model: LossModel, airtime: Span) -> (f64, f64) {
        let loss = Loss { model, frames: LossFrames::All, at: LossAt::Mac };
        let mut errors = Errors::new(loss, Stream::new(7, "errors"));
        let (mut bad, mut runs, mut before, mut now) = (0, 0, false, Time::ZERO);
        for _ in 0..FRAMES {
            let hit = errors.hits(now, now + airtime, true);
            now += airtime;
            bad += usize::from(hit);
            runs += usize::from(hit && !before);
            before = hit;
        }
        (bad as f64 / FRAMES as f64, bad as f64 / runs as f64)
    }

    #[test]
    fn shares_and_runs_are_as_stated() {
        let near = |(share, run): (f64, f64), expected: (f64, f64)| {
            assert!((share / expected.0 - 1.0).abs() < 0.05, "share {share}, not {}", expected.0);
            assert!((run / expected.1 - 1.0).abs() < 0.05, "runs of {run}, not {}", expected.1);
        };
        // alone, a run of bad frames is 1 / (1 - f) long
        near(sample(LossModel::Independent { rate: 0.2 }, Span(1000)), (0.2, 1.25));
        near(sample(LossModel::Gilbert { rate: 0.1, burst: 10.0 }, Span(1000)), (0.1, 10.0));
        // f (1 + 1 / burst) = 0.11; the run is burst and the frame at its edge: 11
        near(sample(LossModel::Ns2TwoState { rate: 0.1, burst: 10.0 }, Span(1000)), (0.11, 11.1));
        // 1 ms of every 10, frames of 10 us: 0.1 and at each bad time half a frame at either end, 0.1 (1 + 10 / 1000)
        let in_time = LossModel::GilbertInTime { rate: 0.1, burst: Span::from_millis(1) };
        near(sample(in_time, Span(10_000)), (0.101, 101.0));
    }

    #[test]
    fn the_good_runs_of_a_gilbert_channel() {
        // f = 0.1, burst 10: 10 x 0.9 / 0.1 = 90, so that a good frame is the last with probability 1 / 90
        let model = LossModel::Gilbert { rate: 0.1, burst: 10.0 };
        let loss = Loss { model, frames: LossFrames::All, at: LossAt::Mac };
        let errors = Errors::new(loss, Stream::new(1, "errors"));
        assert_eq!((errors.enter, errors.leave), (Chance::new(1.0 / 90.0), Chance::new(0.1)));
    }

    #[test]
    fn nothing_is_lost_at_no_rate_and_control_frames_not_by_a_model_of_data() {
        for model in [
            LossModel::Independent { rate: 0.0 },
            LossModel::Gilbert { rate: 0.0, burst: 5.0 },
            LossModel::GilbertInTime { rate: 0.0, burst: Span::from_millis(5) },
            LossModel::Ns2TwoState { rate: 0.0, burst: 5.0 },
        ] {
            assert_eq!(sample(model, Span(1000)).0, 0.0, "{model:?}");
        }
        let loss = Loss { model: LossModel::Independent { rate: 1.0 }, frames: LossFrames::Data, at: LossAt::Mac };
        let mut errors = Errors::new(loss, Stream::new(7, "errors"));
        assert!(!errors.hits(Time(0), Time(10), false));
        assert!(errors.hits(Time(0), Time(10), true));
    }

    #[test]
    fn a_model_that_cannot_be_is_refused() {
        let refused = |model| Loss { model, frames: LossFrames::All, at: LossAt::Mac }.check().unwrap_err().to_string();
        assert_eq!(refused(LossModel::Independent { rate: 1.5 }), "`loss.rate` is 1.5, must be between 0 and 1");
        assert_eq!(
            refused(LossModel::Gilbert { rate: 0.1, burst: 0.5 }),
            "`loss.burst` is 0.5, must be at least 1 frame"
        );
        assert!(refused(LossModel::Gilbert { rate: 0.8, burst: 2.0 }).contains("at most burst / (burst + 1)"));
        assert!(refused(LossModel::Ns2TwoState { rate: 1.0, burst: 2.0 }).contains("below 1"));
    }
}
