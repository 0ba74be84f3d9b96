//! Why packets are lost: every cause once, with all that anybody asks about it.
//!
//! A new cause is one entry of the list below. Counters, tables, figures, metrics and documents go over
//! [`LOSS_CAUSES`].

use std::ops::{Index, IndexMut};

/// What is to be known of a cause of loss.
#[derive(Clone, Copy, Debug)]
pub struct CauseRow {
    /// The cause.
    pub cause: LossCause,
    /// Its name in tables of results.
    pub name: &'static str,
    /// The column that counts data segments, or packets of a link, lost so.
    pub column: &'static str,
    /// The column that counts pure ACKs lost so.
    pub ack_column: &'static str,
    /// What happened, as the head of a column or in the legend of a figure.
    pub label: &'static str,
    /// What happened, as a sentence.
    pub meaning: &'static str,
    /// The network had too much to carry, as a sender's congestion control ought to believe. A drop list stands for the
    /// channel.
    pub congestion: bool,
}

macro_rules! causes {
    ($($cause:ident { name: $name:literal, label: $label:literal, meaning: $meaning:literal, congestion: $congestion:literal })+) => {
        /// Why a packet was lost. [`LOSS_CAUSES`] says what is to be known of each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum LossCause {
            $(#[doc = $meaning] $cause,)+
        }

        /// Every cause of loss, in the order of the enum and of the columns of results.
        pub static LOSS_CAUSES: [CauseRow; [$(LossCause::$cause),+].len()] = [
            $(CauseRow {
                cause: LossCause::$cause,
                name: $name,
                column: concat!("loss_", $name),
                ack_column: concat!("acks_lost_", $name),
                label: $label,
                meaning: $meaning,
                congestion: $congestion,
            },)+
        ];
    };
}

causes! {
    Random {
        name: "random",
        label: "lost at random",
        meaning: "the channel lost it: a model of loss, or an outage",
        congestion: false
    }
    Queue {
        name: "queue",
        label: "lost in full queues",
        meaning: "it found the queue full, or made room in a full one",
        congestion: true
    }
    List {
        name: "list",
        label: "lost by list",
        meaning: "its number is on the link's list `drops`, which stands for the channel",
        congestion: false
    }
    Early {
        name: "early",
        label: "dropped early",
        meaning: "the queue's discipline dropped it before the queue was full",
        congestion: true
    }
    Policer {
        name: "policer",
        label: "policed",
        meaning: "it was above the rate and burst of a policer",
        congestion: true
    }
    MacRetry {
        name: "mac_retry",
        label: "given up by the MAC",
        meaning: "a station's MAC gave it up after its last attempt: bad frames, collisions, or a neighbour out of reach",
        congestion: false
    }
    Radio {
        name: "radio",
        label: "lost above the MAC",
        meaning: "the radio channel lost it where the MAC does not repeat it",
        congestion: false
    }
    Handover {
        name: "handover",
        label: "lost in handovers",
        meaning: "it was on the air when a handover broke the link, or waited at the station that was left",
        congestion: false
    }
    Coverage {
        name: "coverage",
        label: "lost out of coverage",
        meaning: "it was on the air when the mobile left the cells of all base stations",
        congestion: false
    }
}

impl LossCause {
    /// What is to be known of it.
    pub fn about(self) -> &'static CauseRow {
        &LOSS_CAUSES[self as usize]
    }

    /// The network had too much to carry: [`CauseRow::congestion`].
    pub fn is_congestion(self) -> bool {
        self.about().congestion
    }
}

/// Losses by cause: `losses[LossCause::Queue]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossCounts([u64; LOSS_CAUSES.len()]);

impl Index<LossCause> for LossCounts {
    type Output = u64;

    #[inline]
    fn index(&self, cause: LossCause) -> &u64 {
        &self.0[cause as usize]
    }
}

impl IndexMut<LossCause> for LossCounts {
    #[inline]
    fn index_mut(&mut self, cause: LossCause) -> &mut u64 {
        &mut self.0[cause as usize]
    }
}

impl LossCounts {
    /// Count one loss.
    #[inline]
    pub fn add(&mut self, cause: LossCause) {
        self[cause] += 1;
    }

    /// With those of another place.
    #[must_use]
    pub fn plus(&self, other: &LossCounts) -> LossCounts {
        LossCounts(std::array::from_fn(|at| self.0[at] + other.0[at]))
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_is_counted_in_a_place_of_its_own() {
        for (at, row) in LOSS_CAUSES.iter().enumerate() {
            let mut counts = LossCounts::default();
            counts.add(row.cause);
            assert_eq!((counts[row.cause], counts.total(), counts.plus(&counts)[row.cause]), (1, 1, 2));
            assert!(LOSS_CAUSES[..at].iter().all(|other| counts[other.cause] == 0 && other.name != row.name));
            assert_eq!(row.cause.about().name, row.name);
        }
    }
}
