//! Packets that leave the order: chosen ones arrive later or earlier than their delay says, all others keep theirs.
//!
//! Which packets a rule chooses, and what its correlation means, is as in netem (`delay D reorder P% R% gap N`,
//! tc-netem(8)): there the chosen ones are those that are not delayed.

use std::sync::Arc;

use sim::Stream;
use units::{Span, Time};

/// Which packets may pass those before them, beside what jitter does.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Reordering {
    /// None.
    #[default]
    Never,
    /// Those that find a shorter delay than the ones before them; otherwise they arrive together with those.
    Shorter,
    /// Those that are chosen.
    Chosen(Chosen),
}

/// Packets that are chosen out of those that the link neither drops nor loses, and when they arrive.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// Which.
    pub which: Which,
    /// How far from the time that they would have.
    pub shift: Shift,
}

/// Which packets are chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum Which {
    /// Those with these numbers, from 0, in order.
    Numbers(Arc<[u64]>),
    /// After `every` - 1 that are not, each with a probability until one is.
    Drawn {
        /// Least distance of two, positive.
        every: u64,
        /// That probability, percent. 100: exactly each `every`-th.
        rate_percent: f64,
        /// How much of the number that decides is that of the decision before, percent. Anything above 0 makes the
        /// number less spread out, so that another share of packets is chosen than `rate_percent`.
        correlation_percent: f64,
    },
}

/// How far a chosen packet is from its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shift {
    /// Held for so long: others pass it.
    Later(Span),
    /// Ahead by so much, but not before it was sent: it passes others.
    Earlier(Span),
}

impl Reordering {
    /// By how much a packet may be ahead of its delay.
    pub(super) fn most_ahead(&self) -> Span {
        match self {
            Reordering::Chosen(Chosen { shift: Shift::Earlier(span), .. }) => *span,
            _ => Span::ZERO,
        }
    }
}

/// Chosen packets of one direction of a link in a run.
#[derive(Debug)]
pub(super) struct Chooser {
    chosen: Chosen,
    /// Packets so far; of drawn ones, since the last that was chosen.
    count: u64,
    /// Numbers that have been.
    next: usize,
    last: f64,
    stream: Stream,
}

impl Chooser {
    /// `stream` is for that alone.
    pub(super) fn new(chosen: &Chosen, mut stream: Stream) -> Chooser {
        let last = stream.uniform();
        Chooser { chosen: chosen.clone(), count: 0, next: 0, last, stream }
    }

    /// When the next packet arrives, if it is chosen; it was sent at `departs`, and would arrive at `at`.
    pub(super) fn arrival(&mut self, departs: Time, at: Time) -> Option<Time> {
        self.is_chosen().then(|| match self.chosen.shift {
            Shift::Later(span) => at + span,
            Shift::Earlier(span) => Time(at.0.saturating_sub(span.0)).max(departs),
        })
    }

    fn is_chosen(&mut self) -> bool {
        let number = self.count;
        self.count += 1;
        match &self.chosen.which {
            Which::Numbers(numbers) => {
                let hit = numbers.get(self.next) == Some(&number);
                self.next += usize::from(hit);
                hit
            }
            &Which::Drawn { every, .. } if self.count < every => false,
            &Which::Drawn { rate_percent, correlation_percent, .. } => {
                let kept = correlation_percent / 100.0;
                self.last = self.stream.uniform() * (1.0 - kept) + self.last * kept;
                let hit = self.last < rate_percent / 100.0;
                self.count = if hit { 0 } else { self.count };
                hit
            }
        }
    }
}
