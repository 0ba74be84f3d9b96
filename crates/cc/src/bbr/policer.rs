//! A policer lets through what its tokens allow, and drops the rest: then the greatest delivery rate is no rate to send
//! at. Two intervals of many losses and of the same throughput tell of one.
//! Source: Linux 6.1, restated in specs/papers/bbr.md.
use units::{Bytes, Rate, Time};

use crate::DeliverySample;

/// Rounds of an interval, at the least; four times as many are too many.
const ROUNDS: u32 = 4;
/// Rounds for which the rate found is sent at.
const LASTS: u32 = 48;
/// Losses per segment delivered that make an interval count.
const LOSSES: f64 = 50.0 / 256.0;
/// Two rates are the same if they differ by an eighth, or by 4 kbit/s.
const SHARE: f64 = 1.0 / 8.0;
const NOTHING: Rate = Rate(500.0);

/// What an ACK changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    Nothing,
    /// A policer was found: no probing, no more than its rate.
    Found,
    /// Time is over: probe again.
    Over,
}

/// Where a sample finds BBR.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// A round began.
    pub(super) round: bool,
    pub(super) probe_bw: bool,
}

/// The search for a policer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Policer {
    /// An interval is on.
    searches: bool,
    found: bool,
    rounds: u32,
    /// Of the interval before, or of the policer; zero: there is none.
    rate: Rate,
    /// When the interval began, and what was delivered and lost by then.
    since: Time,
    delivered: u32,
    lost_before: u32,
    /// Segments lost since the connection opened.
    lost: u32,
}

impl Policer {
    /// The policer's rate, if there is one.
    pub(super) fn rate(&self) -> Option<Rate> {
        self.found.then_some(self.rate)
    }

    /// A sample of segments of `mss`.
    pub(super) fn on_sample(&mut self, now: Time, sample: &DeliverySample, mss: Bytes, place: Place) -> News {
        let Place { round, probe_bw } = place;
        self.lost += sample.lost;
        self.rounds += u32::from(round && (probe_bw || !self.found));
        if self.found {
            let over = round && probe_bw && self.rounds >= LASTS;
            if over {
                self.forget();
            }
            return if over { News::Over } else { News::Nothing };
        }
        //= specs/papers/bbr.md#policers
        //# The first loss begins an interval
        if !self.searches && sample.lost == 0 {
            return News::Nothing;
        }
        if !self.searches {
            self.begin(now, sample);
            self.rounds = u32::from(round);
        }
        //= specs/papers/bbr.md#policers
        //# A limited sample, or 16 rounds without such a loss, end the search until the next loss.
        if sample.app_limited || self.rounds > 4 * ROUNDS {
            self.forget();
            return News::Nothing;
        }
        if self.rounds < ROUNDS || sample.lost == 0 {
            return News::Nothing;
        }
        self.end(now, sample, mss)
    }

    fn begin(&mut self, now: Time, sample: &DeliverySample) {
        self.searches = true;
        (self.since, self.delivered, self.lost_before) = (now, sample.total, self.lost);
        self.rounds = 0;
    }

    /// A loss ends the interval if it had losses enough.
    fn end(&mut self, now: Time, sample: &DeliverySample, mss: Bytes) -> News {
        let (delivered, lost) = (sample.total - self.delivered, self.lost - self.lost_before);
        let time = now.since(self.since);
        //= specs/papers/bbr.md#policers
        //# if at least 50 segments were lost for 256 delivered
        if delivered == 0 || f64::from(lost) < LOSSES * f64::from(delivered) || time.secs() < 1e-3 {
            return News::Nothing;
        }
        let rate = (f64::from(delivered) * mss).per(time);
        let apart = Rate((rate.0 - self.rate.0).abs());
        //= specs/papers/bbr.md#policers
        //# Two in a row whose rates differ by an eighth of the first at most, or by 4 kbit/s, are a policer, of the
        //# rate in the middle
        if self.rate > Rate(0.0) && (apart <= SHARE * self.rate || apart <= NOTHING) {
            self.rate = Rate(0.5 * (rate.0 + self.rate.0));
            self.found = true;
            self.rounds = 0;
            return News::Found;
        }
        self.rate = rate;
        self.begin(now, sample);
        News::Nothing
    }

    fn forget(&mut self) {
        *self = Policer { lost: self.lost, ..Policer::default() };
    }
}
