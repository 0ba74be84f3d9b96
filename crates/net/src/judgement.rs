//! How senders judged their losses, held against what truly became of the segments.

use tcp::Judgement;
use units::Time;

use crate::cause::LossCause;

/// Losses that a sender acted on (fast retransmit, or the first timeout of a segment), by truth and judgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judgements {
    /// Congestion, judged congestion.
    pub congestion_as_congestion: u64,
    /// Congestion, judged random: a miss.
    pub congestion_as_random: u64,
    /// Random, judged congestion: a false alarm.
    pub random_as_congestion: u64,
    /// Random, judged random.
    pub random_as_random: u64,
    /// The segment was not lost at all.
    pub not_lost: u64,
}

impl Judgements {
    /// With those of another sender.
    #[must_use]
    pub fn plus(&self, other: &Judgements) -> Judgements {
        Judgements {
            congestion_as_congestion: self.congestion_as_congestion + other.congestion_as_congestion,
            congestion_as_random: self.congestion_as_random + other.congestion_as_random,
            random_as_congestion: self.random_as_congestion + other.random_as_congestion,
            random_as_random: self.random_as_random + other.random_as_random,
            not_lost: self.not_lost + other.not_lost,
        }
    }
}

/// The truth about one sender's segments, as far as it may still be asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Truth {
    /// Losses of data segments at or above the lowest that can be judged yet, in the order in which they became
    /// certain.
    losses: Vec<(u32, Time, LossCause)>,
    /// Judgements that losses which are not known yet may still matter to: endpoints are ahead of links.
    pending: Vec<(Time, Judgement)>,
    pub(crate) counts: Judgements,
}

impl Truth {
    /// A segment is lost at `at`, which may be later than `now`: links carry packets before their time.
    pub(crate) fn lost(&mut self, now: Time, segment: u32, at: Time, cause: LossCause) {
        self.settle(now);
        self.losses.push((segment, at, cause));
    }

    /// The sender judges a loss at `at`.
    pub(crate) fn judged(&mut self, at: Time, judgement: Judgement) {
        self.pending.push((at, judgement));
    }

    /// Whatever was lost before `now` is known: compare the judgements made up to then.
    pub(crate) fn settle(&mut self, now: Time) {
        let ripe = self.pending.iter().take_while(|(at, _)| *at <= now).count();
        for (at, judgement) in self.pending.drain(..ripe).collect::<Vec<_>>() {
            self.compare(at, judgement);
        }
    }

    /// A judgement against the truth. What counts is how its segment was lost last.
    fn compare(&mut self, now: Time, judgement: Judgement) {
        // copies of a segment may be on their way at once, and become lost in another order than that became certain
        let own = self.losses.iter().filter(|(segment, at, _)| *segment == judgement.segment && *at < now);
        let last = own.max_by_key(|(_, at, _)| *at);
        let counts = &mut self.counts;
        *match last.map(|(_, _, cause)| (cause.is_congestion(), judgement.random)) {
            Some((true, false)) => &mut counts.congestion_as_congestion,
            Some((true, true)) => &mut counts.congestion_as_random,
            Some((false, false)) => &mut counts.random_as_congestion,
            Some((false, true)) => &mut counts.random_as_random,
            None => &mut counts.not_lost,
        } += 1;
        // what is acknowledged is not judged any more, and a loss is judged once: if the retransmission arrives and the
        // timer expires even so, nothing was lost
        self.losses
            .retain(|&(segment, at, _)| segment > judgement.segment || (segment == judgement.segment && at >= now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_loss_of_a_segment_counts_once_it_has_happened() {
        let mut truth = Truth::default();
        truth.lost(Time(10), 7, Time(10), LossCause::Random);
        truth.lost(Time(11), 9, Time(11), LossCause::Queue);
        truth.judged(Time(20), Judgement { segment: 7, random: false });
        // sent again and lost again, in a queue this time; a third loss lies in the future
        truth.lost(Time(30), 7, Time(30), LossCause::Queue);
        truth.lost(Time(30), 7, Time(90), LossCause::Random);
        truth.judged(Time(40), Judgement { segment: 7, random: true });
        truth.judged(Time(50), Judgement { segment: 8, random: true });
        truth.judged(Time(60), Judgement { segment: 9, random: false });
        truth.settle(Time(60));
        let expected = Judgements {
            random_as_congestion: 1,
            congestion_as_random: 1,
            not_lost: 1,
            congestion_as_congestion: 1,
            random_as_random: 0,
        };
        assert_eq!(truth.counts, expected);
        assert_eq!(truth.losses, []);
    }

    #[test]
    fn a_loss_is_judged_once() {
        let mut truth = Truth::default();
        truth.lost(Time(10), 7, Time(10), LossCause::Random);
        truth.judged(Time(20), Judgement { segment: 7, random: false });
        // the retransmission arrived, but its ACKs are lost, and the timer expires
        truth.judged(Time(90), Judgement { segment: 7, random: false });
        truth.settle(Time(90));
        assert_eq!(truth.counts, Judgements { random_as_congestion: 1, not_lost: 1, ..Judgements::default() });
    }

    #[test]
    fn what_counts_is_when_copies_are_lost_not_when_that_became_certain() {
        let mut truth = Truth::default();
        truth.lost(Time(10), 7, Time(30), LossCause::Random); // on the wire, known as soon as it entered the link
        truth.lost(Time(20), 7, Time(20), LossCause::Queue); // its copy, in a full queue
        truth.judged(Time(40), Judgement { segment: 7, random: true });
        truth.settle(Time(40));
        assert_eq!(truth.counts, Judgements { random_as_random: 1, ..Judgements::default() });
    }

    #[test]
    fn a_judgement_waits_until_all_that_was_lost_before_is_known() {
        let mut truth = Truth::default();
        truth.lost(Time(10), 7, Time(10), LossCause::Random);
        truth.judged(Time(40), Judgement { segment: 7, random: false }); // by an endpoint that is ahead
        truth.lost(Time(30), 7, Time(30), LossCause::Queue);
        truth.lost(Time(40), 7, Time(40), LossCause::Random); // in that instant, not before it
        assert_eq!(truth.counts, Judgements { congestion_as_congestion: 1, ..Judgements::default() });
    }
}
