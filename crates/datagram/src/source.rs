//! When the packets of an unreliable flow leave.

use sim::{Distribution, Stream};
use units::{Span, Time};

/// A pattern of packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Traffic {
    /// Constant bit rate.
    Cbr {
        /// Each gap is drawn evenly between half and one and a half times the usual one (ns-2's `random_`).
        jittered: bool,
    },
    /// Constant bit rate in bursts, silence between them, both drawn. It begins with a silence.
    OnOff(Periods),
    /// Independent packets: exponential gaps.
    Poisson,
}

/// How long the bursts of on-off traffic and the silences between them last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Periods {
    /// Mean burst.
    pub on: Span,
    /// Mean silence.
    pub off: Span,
    /// Shape of a Pareto distribution, above 1; `None`: exponential.
    pub shape: Option<f64>,
}

const NS_PER_SEC: u128 = 1_000_000_000;

/// A source that runs: the times at which packets leave, one after the other.
#[derive(Debug)]
pub struct Source {
    traffic: Traffic,
    stream: Stream,
    /// The usual gap: whole nanoseconds, and a rest in units of `1 / rate` nanoseconds, so that no time is lost.
    gap: u64,
    rest: u64,
    rate_bps: u64,
    carried: u64,
    /// Packets left in the burst.
    burst: u64,
}

impl Source {
    /// A source of packets of `bytes` at `rate_bps`, positive; within bursts, for on-off traffic.
    pub fn new(traffic: Traffic, rate_bps: u64, bytes: u32, stream: Stream) -> Source {
        let scaled = u128::from(bytes) * 8 * NS_PER_SEC;
        Source {
            traffic,
            stream,
            gap: (scaled / u128::from(rate_bps)) as u64,
            rest: (scaled % u128::from(rate_bps)) as u64,
            rate_bps,
            carried: 0,
            burst: 0,
        }
    }

    /// When the first packet leaves, if the source starts at `now`.
    pub fn first(&mut self, now: Time) -> Time {
        match self.traffic {
            Traffic::Cbr { .. } => now,
            Traffic::Poisson => now + self.exponential_gap(),
            Traffic::OnOff(periods) => now + self.silence(&periods),
        }
    }

    /// When the packet after the one that left at `last` leaves.
    #[inline]
    pub fn next(&mut self, last: Time) -> Time {
        match self.traffic {
            Traffic::Cbr { jittered: false } => last + self.gap(),
            Traffic::Cbr { jittered: true } => {
                let factor = 0.5 + self.stream.uniform();
                last + Span((self.gap().0 as f64 * factor) as u64)
            }
            Traffic::Poisson => last + self.exponential_gap(),
            Traffic::OnOff(periods) => {
                self.burst -= 1;
                let next = last + self.gap();
                if self.burst == 0 { next + self.silence(&periods) } else { next }
            }
        }
    }

    /// The usual gap, now and then a nanosecond longer, so that the long-term rate is exact.
    #[inline]
    fn gap(&mut self) -> Span {
        self.carried += self.rest;
        let more = self.carried >= self.rate_bps;
        if more {
            self.carried -= self.rate_bps;
        }
        Span(self.gap + u64::from(more))
    }

    fn mean_gap_ns(&self) -> f64 {
        self.gap as f64 + self.rest as f64 / self.rate_bps as f64
    }

    fn exponential_gap(&mut self) -> Span {
        Span(Distribution::Exponential { mean: self.mean_gap_ns() }.draw(&mut self.stream) as u64)
    }

    /// Draw the length of the silence, and of the burst that follows: whole packets, at least one.
    fn silence(&mut self, periods: &Periods) -> Span {
        let lasting = |mean: Span| match periods.shape {
            None => Distribution::Exponential { mean: mean.0 as f64 },
            Some(shape) => Distribution::Pareto { mean: mean.0 as f64, shape },
        };
        let silence = lasting(periods.off).draw(&mut self.stream);
        let burst = lasting(periods.on).draw(&mut self.stream);
        self.burst = ((burst / self.mean_gap_ns() + 0.5) as u64).max(1);
        Span(silence as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(traffic: Traffic, rate_bps: u64, bytes: u32) -> Source {
        Source::new(traffic, rate_bps, bytes, Stream::new(2, "f/traffic"))
    }

    fn times(mut source: Source, n: usize) -> Vec<Time> {
        let first = source.first(Time::ZERO);
        std::iter::successors(Some(first), |last| Some(source.next(*last))).take(n).collect()
    }

    #[test]
    fn cbr_starts_at_once_and_keeps_its_rate_to_the_nanosecond() {
        // 1000 bytes at 1 Mbit/s: every 8 ms
        let even = times(source(Traffic::Cbr { jittered: false }, 1_000_000, 1000), 4);
        assert_eq!(even, [0, 8, 16, 24].map(|ms| Time(ms * 1_000_000)));
        // 1 byte at 3 bit/s: 8/3 s = 2 666 666 666.67 ns; three gaps are 8 s
        let odd = times(source(Traffic::Cbr { jittered: false }, 3, 1), 4);
        assert_eq!(odd, [0, 2_666_666_666, 5_333_333_333, 8_000_000_000].map(Time));
    }

    #[test]
    fn jittered_gaps_lie_around_the_usual_one() {
        const N: usize = 20_000;
        let all = times(source(Traffic::Cbr { jittered: true }, 1_000_000, 1000), N + 1);
        let gaps: Vec<u64> = all.windows(2).map(|pair| pair[1].since(pair[0]).0).collect();
        assert!(gaps.iter().all(|gap| (4_000_000..12_000_000).contains(gap)));
        // mean 8 ms; standard error 8 ms / sqrt(12) / sqrt(20 000) = 16.3 us; five of them
        let mean = all[N].secs() / N as f64;
        assert!((mean - 0.008).abs() < 82e-6, "{mean}");
        assert!(gaps.iter().any(|gap| *gap < 4_500_000) && gaps.iter().any(|gap| *gap > 11_500_000));
    }

    #[test]
    fn poisson_packets_have_exponential_gaps() {
        const N: usize = 20_000;
        let all = times(source(Traffic::Poisson, 1_000_000, 1000), N);
        // mean gap 8 ms, standard error 8 / sqrt(20 000) = 57 us; five of them
        let mean = all[N - 1].secs() / N as f64;
        assert!((mean - 0.008).abs() < 283e-6, "{mean}");
        // exp(-2) = 13.5 % of the gaps are longer than twice the mean: 2707 with a standard deviation of 48
        let long = all.windows(2).filter(|pair| pair[1].since(pair[0]).secs() > 0.016).count() as f64;
        assert!((long - 2707.0).abs() < 242.0, "{long}");
    }

    fn on_off(shape: Option<f64>) -> (f64, f64, f64) {
        let periods = Periods { on: Span::from_millis(500), off: Span::from_millis(1500), shape };
        const N: usize = 400_000;
        let all = times(source(Traffic::OnOff(periods), 1_000_000, 1000), N);
        // inside a burst packets follow each other by 8 ms
        let silences: Vec<f64> =
            all.windows(2).map(|pair| pair[1].since(pair[0]).secs() - 0.008).filter(|gap| *gap > 1e-9).collect();
        let bursts = silences.len() as f64;
        (N as f64 / bursts, silences.iter().sum::<f64>() / bursts, all[0].secs())
    }

    #[test]
    fn bursts_and_silences_have_their_means() {
        // 500 ms are 62.5 packets. Some 6400 bursts: the mean has a standard error of 1/80, 1.25 %; five of them
        let (burst, silence, first) = on_off(None);
        assert!((burst / 62.5 - 1.0).abs() < 0.0625, "{burst}");
        assert!((silence / 1.5 - 1.0).abs() < 0.0625, "{silence}");
        assert!(first > 0.0);
        // Pareto of shape 3: standard deviation is the mean / sqrt(3)
        let (burst, silence, _) = on_off(Some(3.0));
        assert!((burst / 62.5 - 1.0).abs() < 0.0625, "{burst}");
        assert!((silence / 1.5 - 1.0).abs() < 0.0625, "{silence}");
    }

    #[test]
    fn a_burst_has_at_least_one_packet() {
        let periods = Periods { on: Span(1), off: Span::from_millis(1), shape: None };
        let all = times(source(Traffic::OnOff(periods), 1_000_000, 1000), 100);
        assert!(all.windows(2).all(|pair| pair[1].since(pair[0]).0 >= 8_000_000));
    }
}
