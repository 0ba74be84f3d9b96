//! Random loss on a channel: the models, and the state of one of them on one direction of a link.
//!
//! Sources: Gilbert, BSTJ 39, 1960; Elliott, BSTJ 42, 1963; Padhye, Firoiu, Towsley and Kurose, ToN 8(2), 2000, for
//! bursts within a round. Every model draws from the stream of its own direction only.
//! Choices: a chain starts in its stationary state; a frame is lost by the state it finds, then the chain moves on.
//!
//! A Gilbert-Elliott channel has two forms: in time ([`LossModel::TwoState`]) and with a step for each packet
//! ([`LossModel::GilbertElliott`]). The second stands still while nobody sends: a sender that backs off in the bad
//! state stays in it until its own retransmissions have moved the chain on. [`GilbertElliott::in_time`] leads from the
//! second to the first.

use std::sync::Arc;

use sim::{Chance, Stream};
use units::{Span, Time, num};

/// Random loss of packets.
#[derive(Clone, Debug, PartialEq)]
pub struct LossSpec {
    /// Which packets are lost.
    pub model: LossModel,
    /// Where a packet is lost.
    pub at: LossAt,
}

/// Where a packet is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossAt {
    /// Before the queue: a lost packet takes neither queue space nor link time.
    Queue,
    /// After transmission: a lost packet has used the link.
    Wire,
}

/// Which packets are lost. All probabilities lie in [0, 1].
#[derive(Clone, Debug, PartialEq)]
pub enum LossModel {
    /// Each packet by itself.
    Uniform {
        /// Probability for each packet.
        probability: f64,
    },
    /// Two states, one step for each packet.
    GilbertElliott(GilbertElliott),
    /// Each bit by itself; a packet with a wrong bit is lost.
    Bits {
        /// Probability for each bit on the wire.
        probability: f64,
    },
    /// Each byte by itself; a packet with a wrong byte is lost.
    Bytes {
        /// Probability for each byte on the wire.
        probability: f64,
    },
    /// Two states that last for exponentially distributed times, whether packets come or not.
    TwoState {
        /// Mean time of a good period, positive.
        good: Span,
        /// Mean time of a bad period, positive.
        bad: Span,
        /// Loss probability in a good period.
        good_loss: f64,
        /// Loss probability in a bad period.
        bad_loss: f64,
    },
    /// A packet is lost at random and so is whatever follows within a time.
    Burst {
        /// Probability that a packet outside a burst begins one.
        probability: f64,
        /// How long a burst lasts after the packet that began it.
        hold: Span,
    },
    /// As recorded.
    Replay {
        /// Numbers, from 0, of the packets lost, in order. Packets count where they are lost: at [`LossAt::Queue`] all
        /// that arrive (but those on the drop list), at [`LossAt::Wire`] those transmitted.
        lost: Arc<[u64]>,
        /// After so many packets it begins again; `None`: nothing is lost after the last number.
        period: Option<u64>,
    },
}

/// The Gilbert-Elliott channel: good and bad, with a loss probability in each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GilbertElliott {
    /// Probability to go from good to bad, per packet.
    pub p: f64,
    /// Probability to go from bad to good, per packet.
    pub r: f64,
    /// Loss probability in the good state; netem's 1-k.
    pub good_loss: f64,
    /// Loss probability in the bad state; netem's 1-h.
    pub bad_loss: f64,
}

/// Why no Gilbert-Elliott channel has the wanted mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoSuchChannel {
    /// The mean loss is below the loss of the good state or above this, the most that such bursts allow.
    Rate {
        /// Most that is possible.
        most: f64,
    },
    /// The mean burst is shorter than one packet.
    Burst,
}

impl GilbertElliott {
    /// The channel with mean loss `rate` whose bad state lasts `burst` packets on average; `None`: so many that
    /// successive packets are independent.
    ///
    /// In the simple form (`good_loss` 0, `bad_loss` 1) a burst is a run of lost packets.
    pub fn with_mean(
        rate: f64,
        burst: Option<f64>,
        good_loss: f64,
        bad_loss: f64,
    ) -> Result<GilbertElliott, NoSuchChannel> {
        if burst.is_some_and(|b| b < 1.0) {
            return Err(NoSuchChannel::Burst);
        }
        // Share of packets that find the bad state: rate = (1 - share) good_loss + share bad_loss. From good to bad at
        // most once in each packet: share <= burst / (1 + burst).
        let most_share = burst.map_or(1.0, |b| b / (1.0 + b));
        let most = good_loss + most_share * (bad_loss - good_loss);
        if rate == good_loss {
            let r = burst.map_or(1.0, |b| 1.0 / b);
            return Ok(GilbertElliott { p: 0.0, r, good_loss, bad_loss });
        }
        if rate < good_loss || rate > most {
            return Err(NoSuchChannel::Rate { most });
        }
        let share = (rate - good_loss) / (bad_loss - good_loss);
        let (p, r) = match burst {
            Some(b) => (share / (b * (1.0 - share)), 1.0 / b),
            None => (share, 1.0 - share),
        };
        Ok(GilbertElliott { p: p.min(1.0), r, good_loss, bad_loss })
    }

    /// Mean good and bad periods, seconds, of the channel in time in which packets that follow each other by `step_s`
    /// seconds find the states of this chain, in the same long run and with the same correlation. `None` if the bad
    /// state does not outlast the packet, that is, if successive packets correlate by nothing or less.
    pub fn in_time(&self, step_s: f64) -> Option<(f64, f64)> {
        // states of the channel in time correlate by exp(-t (1/good + 1/bad)) over a time t, and bad/(good + bad) of it
        // are bad
        let (share, correlation) = (self.bad_share(), self.correlation());
        if correlation <= 0.0 || share <= 0.0 || share >= 1.0 {
            return None;
        }
        let both = step_s / -num::ln(correlation);
        Some((both / share, both / (1.0 - share)))
    }

    /// Share of packets that find the bad state in the long run. 0 for a channel that never changes.
    pub fn bad_share(&self) -> f64 {
        if self.p == 0.0 { 0.0 } else { self.p / (self.p + self.r) }
    }

    /// Mean loss in the long run.
    pub fn mean_loss(&self) -> f64 {
        let share = self.bad_share();
        (1.0 - share) * self.good_loss + share * self.bad_loss
    }

    /// Correlation of the states that successive packets find.
    pub fn correlation(&self) -> f64 {
        1.0 - self.p - self.r
    }
}

impl LossSpec {
    /// No loss.
    pub const NONE: LossSpec = LossSpec::uniform(0.0, LossAt::Wire);

    /// Independent losses.
    pub const fn uniform(probability: f64, at: LossAt) -> LossSpec {
        LossSpec { model: LossModel::Uniform { probability }, at }
    }
}

/// The states of a Gilbert-Elliott channel with a step for each packet.
#[derive(Debug)]
struct Chain {
    bad: bool,
    to_bad: Chance,
    to_good: Chance,
    /// In the long run.
    bad_share: f64,
    last_step: Time,
    /// How long it was bad up to then.
    bad_time: Span,
}

/// How long a channel with a step for each packet was bad, and how long it would have been in step with time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadTime {
    /// Share of the packets that find the bad state in the long run.
    pub packets_share: f64,
    /// Share of the run's time in which the channel was in it.
    pub time_share: f64,
}

/// A loss model at work on one direction of a link.
#[derive(Debug)]
pub(crate) struct Channel {
    at: LossAt,
    kind: Kind,
    stream: Stream,
    /// When the run ends.
    end: Time,
}

#[derive(Debug)]
enum Kind {
    Never,
    Uniform(Chance),
    GilbertElliott {
        chain: Box<Chain>,
        loss: [Chance; 2],
    },
    /// Logarithm of the probability that a byte is right; the size seen last with its chance of loss.
    Sized {
        ln_right: f64,
        memo: (u32, Chance),
    },
    TwoState {
        bad: bool,
        until: Time,
        mean_s: [f64; 2],
        loss: [Chance; 2],
        /// The periods have a stream of their own: they are the same whatever packets come.
        periods: Box<Stream>,
    },
    Burst {
        chance: Chance,
        hold: Span,
        until: Time,
    },
    Replay {
        lost: Arc<[u64]>,
        period: Option<u64>,
        next: usize,
        number: u64,
    },
}

impl Chain {
    /// It stays as it is until then.
    fn wait(&mut self, until: Time) {
        if self.bad {
            self.bad_time += until.since(self.last_step);
        }
        self.last_step = until;
    }
}

impl Channel {
    /// The channel of the link direction `name` in the run with this seed.
    pub(crate) fn new(spec: &LossSpec, seed: u64, name: &str) -> Channel {
        let mut stream = Stream::new(seed, &format!("{name}/loss"));
        let pair = |good: f64, bad: f64| [Chance::new(good), Chance::new(bad)];
        let sized = |ln_right: f64| match ln_right {
            0.0 => Kind::Never,
            ln_right => Kind::Sized { ln_right, memo: (0, Chance::new(0.0)) },
        };
        let kind = match &spec.model {
            LossModel::Uniform { probability } => match Chance::new(*probability) {
                never if never.is_never() => Kind::Never,
                chance => Kind::Uniform(chance),
            },
            LossModel::GilbertElliott(g) if g.mean_loss() == 0.0 => Kind::Never,
            LossModel::GilbertElliott(g) => {
                let chain = Chain {
                    bad: stream.uniform() < g.bad_share(),
                    to_bad: Chance::new(g.p),
                    to_good: Chance::new(g.r),
                    bad_share: g.bad_share(),
                    last_step: Time::ZERO,
                    bad_time: Span::ZERO,
                };
                Kind::GilbertElliott { chain: Box::new(chain), loss: pair(g.good_loss, g.bad_loss) }
            }
            LossModel::Bits { probability } => sized(8.0 * num::ln_1p(-probability)),
            LossModel::Bytes { probability } => sized(num::ln_1p(-probability)),
            LossModel::TwoState { good, bad, good_loss, bad_loss } => {
                let mean_s = [good.secs(), bad.secs()];
                let mut periods = Stream::new(seed, &format!("{name}/loss-periods"));
                let bad = periods.uniform() < mean_s[1] / (mean_s[0] + mean_s[1]);
                // without memory: what is left of the first period is as long as a whole one
                let until = Time::ZERO + exponential(&mut periods, mean_s[usize::from(bad)]);
                Kind::TwoState { bad, until, mean_s, loss: pair(*good_loss, *bad_loss), periods: Box::new(periods) }
            }
            LossModel::Burst { probability, hold } => match Chance::new(*probability) {
                never if never.is_never() => Kind::Never,
                chance => Kind::Burst { chance, hold: *hold, until: Time::ZERO },
            },
            LossModel::Replay { lost, .. } if lost.is_empty() => Kind::Never,
            LossModel::Replay { lost, period } => {
                Kind::Replay { lost: Arc::clone(lost), period: *period, next: 0, number: 0 }
            }
        };
        Channel { at: spec.at, kind, stream, end: Time::NEVER }
    }

    /// The run ends then.
    pub(crate) fn set_end(&mut self, end: Time) {
        self.end = end;
    }

    /// How long it was bad in the run that is over; `None` if it does not step with packets.
    pub(crate) fn bad_time(&mut self) -> Option<BadTime> {
        let Kind::GilbertElliott { chain, .. } = &mut self.kind else { return None };
        chain.wait(self.end);
        let time_share = chain.bad_time.secs() / self.end.secs();
        Some(BadTime { packets_share: chain.bad_share, time_share })
    }

    /// It loses nothing, ever.
    pub(crate) fn is_never(&self) -> bool {
        matches!(self.kind, Kind::Never)
    }

    /// Whether a packet of `size` bytes that is at `at` at time `now` is lost. Calls for the place of the channel come
    /// in order of time.
    #[inline(always)]
    pub(crate) fn loses(&mut self, at: LossAt, now: Time, size: u32) -> bool {
        self.at == at
            && match self.kind {
                Kind::Uniform(chance) => self.stream.happens(chance),
                _ => self.decides(now, size),
            }
    }

    #[inline(never)]
    fn decides(&mut self, now: Time, size: u32) -> bool {
        let stream = &mut self.stream;
        match &mut self.kind {
            Kind::Never => false,
            Kind::Uniform(chance) => stream.happens(*chance),
            Kind::GilbertElliott { chain, loss } => {
                chain.wait(now.min(self.end));
                let lost = stream.happens(loss[usize::from(chain.bad)]);
                chain.bad ^= stream.happens(if chain.bad { chain.to_good } else { chain.to_bad });
                lost
            }
            Kind::Sized { ln_right, memo } => {
                if memo.0 != size {
                    *memo = (size, Chance::new(-num::exp_m1(*ln_right * f64::from(size))));
                }
                stream.happens(memo.1)
            }
            Kind::TwoState { bad, until, mean_s, loss, periods } => {
                while *until <= now {
                    *bad = !*bad;
                    *until += exponential(periods, mean_s[usize::from(*bad)]);
                }
                stream.happens(loss[usize::from(*bad)])
            }
            Kind::Burst { chance, hold, until } => {
                if now < *until {
                    return true;
                }
                let begins = stream.happens(*chance);
                if begins {
                    *until = now + *hold;
                }
                begins
            }
            Kind::Replay { lost, period, next, number } => {
                let hit = lost.get(*next) == Some(number);
                *next += usize::from(hit);
                *number += 1;
                if *period == Some(*number) {
                    (*next, *number) = (0, 0);
                }
                hit
            }
        }
    }
}

/// Exponentially distributed, at least a nanosecond.
fn exponential(stream: &mut Stream, mean_s: f64) -> Span {
    // 1 - u lies in (0, 1]
    Span::from_secs(-num::ln(1.0 - stream.uniform()) * mean_s).max(Span(1))
}

#[cfg(test)]
mod tests;
