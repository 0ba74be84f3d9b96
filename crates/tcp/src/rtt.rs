//! RTT estimation and the retransmission timeout.
//! Source: RFC 6298; the clock-tick arithmetic is that of the one-way agents of ns-2; Linux's variance is described in
//! Sarolahti and Kuznetsov, Congestion Control in Linux TCP, USENIX 2002.

use units::{Span, Time};

use crate::{Config, RtoFloor, TimerWheel};

/// Smoothed RTT, its variation, and the timeout made from them.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    estimate: Estimate,
    backoff: u32,
    rto_init: Span,
    rto_min: Span,
    rto_max: Span,
    /// The timeout counts whole ones of these; zero: nanoseconds.
    step: Span,
}

/// Ways to keep the same quantities.
#[derive(Clone, Debug)]
enum Estimate {
    /// Nanoseconds.
    Exact { srtt: u64, rttvar: u64, sampled: bool },
    /// Linux.
    Variance(Variance),
    /// Ticks: srtt with 3 and rttvar with 2 binary places; the timeout in force, in ticks.
    Ticks { tick: u64, offset: u64, srtt: i64, rttvar: i64, rto_ticks: Option<u64> },
}

/// Linux's estimate, in nanoseconds. Its variance rises at once and falls slowly, and not because the RTT did.
#[derive(Clone, Copy, Debug, Default)]
struct Variance {
    srtt: u64,
    /// Four times the mean deviation.
    deviation: u64,
    /// The greatest deviation of this round, at least the floor.
    greatest: u64,
    /// What the timeout adds to srtt.
    margin: u64,
    floor: u64,
    /// The round ends when an ACK passes this.
    round_mark: u32,
}

impl Variance {
    /// A sample; `una` is acknowledged, `next` is the next to send.
    fn sample(&mut self, r: u64, una: u32, next: u32) {
        if self.srtt == 0 {
            self.srtt = r;
            self.deviation = 2 * r;
            self.margin = self.deviation.max(self.floor);
            (self.greatest, self.round_mark) = (self.margin, next);
            return;
        }
        let error = self.srtt.abs_diff(r);
        let mean = self.deviation / 4;
        // a sample below the mean by more than usual counts for little: a queue has drained, no more
        self.deviation = match error.checked_sub(mean) {
            Some(more) => self.deviation + if r < self.srtt { more / 8 } else { more },
            None => self.deviation - (mean - error),
        };
        self.srtt = (7 * self.srtt + r) / 8;
        self.greatest = self.greatest.max(self.deviation);
        self.margin = self.margin.max(self.greatest);
        if una > self.round_mark {
            self.margin -= (self.margin - self.greatest) / 4;
            (self.greatest, self.round_mark) = (self.floor, next);
        }
    }
}

/// ns-2 starts with a variation of 12 s, which shows only when the estimate is folded before a first sample.
const NS2_RTTVAR_INIT: Span = Span::from_millis(12_000);
/// Back-off above which ns-2 throws srtt away and learns it anew.
const NS2_FOLD_ABOVE: u32 = 8;

impl RttEstimator {
    /// No sample yet.
    pub fn new(config: &Config) -> RttEstimator {
        let tick = config.rtt_tick.0;
        let estimate = if config.rto_floor == RtoFloor::Variance {
            Estimate::Variance(Variance { floor: config.rto_min.0, ..Variance::default() })
        } else if config.rtt_tick == Span::ZERO {
            Estimate::Exact { srtt: 0, rttvar: 0, sampled: false }
        } else {
            let rttvar = ((NS2_RTTVAR_INIT.0 / tick) << 2) as i64;
            Estimate::Ticks {
                tick,
                offset: config.clock_offset.unwrap_or_default().0,
                srtt: 0,
                rttvar,
                rto_ticks: None,
            }
        };
        RttEstimator {
            estimate,
            backoff: 1,
            rto_init: config.rto_init,
            rto_min: config.rto_min,
            rto_max: config.rto_max,
            step: if config.timer_wheel == TimerWheel::Linux { Span::from_millis(1) } else { Span::ZERO },
        }
    }

    /// Take a sample that was measured exactly; `una` is acknowledged, and `next` the next to send.
    pub(crate) fn sample_round(&mut self, now: Time, r: Span, una: u32, next: u32) {
        match &mut self.estimate {
            Estimate::Variance(estimate) => estimate.sample(r.0, una, next),
            _ => self.sample(Time(now.0 - r.0), now, false),
        }
    }

    /// Take a sample of the segment sent at `sent` and acknowledged now. `stamped`: measured by timestamps.
    pub fn sample(&mut self, sent: Time, now: Time, stamped: bool) {
        match &mut self.estimate {
            Estimate::Exact { srtt, rttvar, sampled } => {
                let r = now.since(sent).0;
                if *sampled {
                    //= https://www.rfc-editor.org/rfc/rfc6298#section-2
                    //# RTTVAR <- (1 - beta) * RTTVAR + beta * |SRTT - R'|
                    *rttvar = (3 * *rttvar + srtt.abs_diff(r)) / 4;
                    *srtt = (7 * *srtt + r) / 8;
                } else {
                    //= https://www.rfc-editor.org/rfc/rfc6298#section-2
                    //# SRTT <- R
                    //# RTTVAR <- R/2
                    *srtt = r;
                    *rttvar = r / 2;
                    *sampled = true;
                }
            }
            Estimate::Variance(estimate) => estimate.sample(now.since(sent).0, 0, 0),
            Estimate::Ticks { tick, offset, srtt, rttvar, rto_ticks } => {
                // the number of ticks crossed; by timestamps, the nearest number of ticks
                let r = if stamped {
                    (now.since(sent).0 + *tick / 2) / *tick
                } else {
                    (now.0 + *offset) / *tick - (sent.0 + *offset) / *tick
                };
                let r = r.max(1) as i64;
                if *srtt != 0 {
                    let error = r - (*srtt >> 3);
                    *srtt = (*srtt + error).max(1);
                    *rttvar = (*rttvar + error.abs() - (*rttvar >> 2)).max(1);
                } else {
                    *srtt = r << 3;
                    *rttvar = r << 1;
                }
                *rto_ticks = Some((((*rttvar << 3) + *srtt) >> 3) as u64);
            }
        }
    }

    /// The timeout in force, back-off included.
    #[inline(always)]
    pub fn rto(&self) -> Span {
        self.backed_off(u64::from(self.backoff))
    }

    /// The greatest timeout.
    pub fn rto_max(&self) -> Span {
        self.rto_max
    }

    /// The timeout without the back-off.
    pub fn base_rto(&self) -> Span {
        self.backed_off(1)
    }

    #[inline(always)]
    fn backed_off(&self, factor: u64) -> Span {
        match self.estimate {
            //= https://www.rfc-editor.org/rfc/rfc6298#section-2
            //# the sender SHOULD
            //# set RTO <- 1 second
            Estimate::Exact { sampled: false, .. } => (self.rto_init * factor).min(self.rto_max),
            Estimate::Exact { srtt, rttvar, .. } => {
                // the clock's granularity is a nanosecond
                //= https://www.rfc-editor.org/rfc/rfc6298#section-2
                //# RTO <- SRTT + max (G, K*RTTVAR)
                let rto = Span(srtt + (4 * rttvar).max(1));
                //= https://www.rfc-editor.org/rfc/rfc6298#section-2
                //# Whenever RTO is computed, if it is less than 1 second, then the RTO SHOULD be rounded up to 1
                //# second.
                (rto.max(self.rto_min) * factor).min(self.rto_max)
            }
            Estimate::Variance(Variance { srtt: 0, .. }) => (self.rto_init * factor).min(self.rto_max),
            Estimate::Variance(Variance { srtt, margin, .. }) => {
                let step = self.step.0.max(1);
                (Span((srtt + margin).div_ceil(step) * step) * factor).min(self.rto_max)
            }
            Estimate::Ticks { tick, rto_ticks, .. } => {
                let rto = rto_ticks.map_or(self.rto_init, |ticks| Span(ticks * tick));
                // the minimum is applied before the back-off, and two ticks are the least
                (rto.max(self.rto_min) * factor).min(self.rto_max).max(Span(2 * tick))
            }
        }
    }

    /// The timer expired: double the timeout.
    pub fn back_off(&mut self) {
        if self.backoff < 64 || self.rto() < self.rto_max {
            self.backoff = self.backoff.saturating_mul(2);
        }
        if let Estimate::Ticks { srtt, rttvar, .. } = &mut self.estimate
            && self.backoff > NS2_FOLD_ABOVE
        {
            *rttvar += *srtt >> 3;
            *srtt = 0;
        }
    }

    /// New data were acknowledged by a valid sample: the back-off ends (Karn).
    #[inline]
    pub fn end_back_off(&mut self) {
        self.backoff = 1;
    }

    /// A lost SYN leaves a timeout of 3 s, no longer backed off, until there is a sample.
    //= https://www.rfc-editor.org/rfc/rfc6298#section-5
    //# the RTO MUST be re-initialized to 3 seconds when data transmission begins
    pub fn after_lost_syn(&mut self) {
        self.rto_init = self.rto_init.max(Span::from_millis(3000));
        self.backoff = 1;
    }

    /// Smoothed RTT, zero before the first sample.
    #[inline]
    pub fn srtt(&self) -> Span {
        match self.estimate {
            Estimate::Exact { srtt, .. } | Estimate::Variance(Variance { srtt, .. }) => Span(srtt),
            Estimate::Ticks { tick, srtt, .. } => Span((srtt as u64 * tick) >> 3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    fn after(profile: Profile, samples_ms: &[u64]) -> RttEstimator {
        let mut config = Config::profile(profile);
        config.rto_min = Span::from_millis(1);
        let mut rtt = RttEstimator::new(&config);
        for &ms in samples_ms {
            rtt.sample(Time(0), Time(ms * 1_000_000), false);
        }
        rtt
    }

    #[test]
    fn check_values_of_rfc_6298() {
        // r = 100 ms: SRTT 0.1, RTTVAR 0.05, RTO 0.1 + 4 * 0.05 = 0.3 s
        assert_eq!(after(Profile::Rfc, &[100]).rto(), Span::from_millis(300));
        // then r = 200 ms: RTTVAR 0.75 * 0.05 + 0.25 * 0.1 = 0.0625, SRTT 0.1125, RTO 0.3625
        let rtt = after(Profile::Rfc, &[100, 200]);
        assert_eq!((rtt.srtt(), rtt.rto()), (Span(112_500_000), Span(362_500_000)));
    }

    #[test]
    fn ticks_agree_with_the_exact_arithmetic_where_it_is_whole() {
        // 10 ticks: srtt 80/8, rttvar 20/4, RTO (160 + 80) / 8 = 30 ticks
        assert_eq!(after(Profile::Ns2, &[100]).rto(), Span::from_millis(300));
    }

    #[test]
    fn a_sample_counts_the_ticks_crossed() {
        let mut rtt = after(Profile::Ns2, &[]);
        // from 9 ms to 41 ms the clock of 10 ms ticks four times
        rtt.sample(Time(9_000_000), Time(41_000_000), false);
        assert_eq!(rtt.srtt(), Span::from_millis(40));
    }

    #[test]
    fn back_off_doubles_up_to_the_maximum() {
        let mut rtt = after(Profile::Rfc, &[100]);
        for _ in 0..3 {
            rtt.back_off();
        }
        assert_eq!(rtt.rto(), Span::from_millis(2400));
        for _ in 0..10 {
            rtt.back_off();
        }
        assert_eq!(rtt.rto(), Span::from_millis(60_000));
        rtt.end_back_off();
        assert_eq!(rtt.rto(), Span::from_millis(300));
    }

    /// The estimator of Linux, sample by sample, each in a round of its own.
    fn linux(samples_ms: &[u64]) -> RttEstimator {
        let mut rtt = RttEstimator::new(&Config::profile(Profile::Linux));
        for (n, &ms) in samples_ms.iter().enumerate() {
            rtt.sample_round(Time(1_000_000_000), Span::from_millis(ms), n as u32 + 1, n as u32 + 1);
        }
        rtt
    }

    #[test]
    fn in_linux_the_variance_term_is_bounded() {
        // r = 100 ms: the term is max(2 r, 200 ms)
        assert_eq!(linux(&[100]).rto(), Span::from_millis(300));
        assert_eq!(linux(&[10]).rto(), Span::from_millis(210));
        // r = 400 ms after 100: srtt 137.5; four deviations 200 + (300 - 50) = 450, at once
        assert_eq!(linux(&[100, 400]).rto(), Span(587_500_000));
    }

    #[test]
    fn in_linux_a_shorter_rtt_hardly_raises_the_variance() {
        // r = 100 ms after 400: srtt 362.5; error 300, mean deviation 200: 800 + 100 / 8 = 812.5
        assert_eq!(linux(&[400, 100]).rto(), Span(1_175_000_000));
        // and a steady RTT lowers it to the least in the end, by a quarter of the difference a round
        let rtt = linux(&[&[100][..], &[400; 60]].concat());
        assert!((Span::from_millis(599)..Span::from_millis(602)).contains(&rtt.rto()), "{:?}", rtt.rto());
    }

    #[test]
    fn the_minimum_comes_before_the_back_off() {
        let mut config = Config::profile(Profile::Ns2);
        config.rto_min = Span::from_millis(200);
        let mut rtt = RttEstimator::new(&config);
        rtt.sample(Time(0), Time(10_000_000), false);
        rtt.back_off();
        assert_eq!(rtt.rto(), Span::from_millis(400));
    }
}
