//! Linux's estimate: whole bytes per millisecond, sampled by a clock of milliseconds.
//! Source: Linux 6.1, restated in specs/papers/linux.md.
//! Choice: the connection began one RTT before the first ACK.
use units::{Bytes, Rate, Span, num};

use crate::Ack;

/// Least length of a sample, ms.
const LEAST_SAMPLE: u64 = 50;

/// State of the estimate. Rates are bytes per millisecond.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Estimate {
    rate: u64,
    /// Output of the first filter.
    before: u64,
    /// Bytes credited since the sample opened, and when it did, ms.
    acked: u64,
    opened: Option<i64>,
    /// RTT of the newest sample and the least one, ms; zero if there is none.
    rtt: u64,
    least: u64,
}

fn ms(ns: i64) -> i64 {
    ns.div_euclid(1_000_000)
}

fn rounded_up(span: Span) -> u64 {
    span.0.div_ceil(1_000_000)
}

fn blend(old: u64, new: u64) -> u64 {
    (7 * old + new) / 8
}

impl Estimate {
    /// No ACK was noted yet.
    pub(super) fn begins(&self) -> bool {
        self.opened.is_none()
    }

    /// An ACK stands for `credit`.
    pub(super) fn note(&mut self, ack: &Ack, credit: Bytes) {
        let now = ack.now.0 as i64;
        self.rtt = ack.rtt.map_or(self.rtt, rounded_up);
        if let Some(opened) = self.opened {
            //= specs/papers/linux.md#westwood
            //# a sample ends with the first ACK that comes later than its own RTT and than 50 ms; that ACK counts for
            //# the next one
            let elapsed = (ms(now) - opened) as u64;
            if self.rtt > 0 && elapsed > self.rtt.max(LEAST_SAMPLE) {
                self.close(elapsed);
                self.opened = Some(ms(now));
            }
        } else {
            self.opened = Some(ms(now - ack.rtt.map_or(0, |rtt| rtt.0 as i64)));
        }
        self.acked += num::floor(credit.0 + 1e-6) as u64;
        if self.rtt > 0 {
            self.least = if self.least == 0 { self.rtt } else { self.least.min(self.rtt) };
        }
    }

    fn close(&mut self, elapsed: u64) {
        let sample = core::mem::take(&mut self.acked) / elapsed;
        if (self.before, self.rate) == (0, 0) {
            //= specs/papers/linux.md#westwood
            //# a sample is taken as it is where both filters are at zero
            (self.before, self.rate) = (sample, sample);
            return;
        }
        self.before = blend(self.before, sample);
        self.rate = blend(self.rate, self.before);
    }

    /// The window that it gives, segments.
    pub(super) fn segments(&self, mss: Bytes) -> u32 {
        let least = if self.least == 0 { self.rtt } else { self.least };
        //= specs/papers/linux.md#westwood
        //# cwnd = ssthresh = max(2, B * RTTmin / MSS) in whole segments
        (num::floor((self.rate * least) as f64 / mss.0) as u32).max(2)
    }

    pub(super) fn relearn(&mut self) {
        self.least = 0;
    }

    pub(super) fn rate(&self) -> Option<Rate> {
        (self.rate > 0).then_some(Rate(self.rate as f64 * 1000.0))
    }
}
