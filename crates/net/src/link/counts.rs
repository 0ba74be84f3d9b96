//! What a link counts.

use std::ops::{Index, IndexMut};

use units::Time;

use crate::loss::BadTime;

/// Why a packet was lost. [`LOSS_CAUSES`] says what is to be known of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// Random loss on the channel.
    Random,
    /// The queue was full.
    Queue,
    /// On a drop list.
    List,
    /// The queue's discipline dropped it before the queue was full.
    Early,
    /// Above the rate and burst of a policer.
    Policer,
}

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

/// Every cause of loss, in the order of the enum and of the columns of results. Counters, tables, figures and documents
/// read what they show of a cause here.
pub static LOSS_CAUSES: [CauseRow; 5] = [
    CauseRow {
        cause: LossCause::Random,
        name: "random",
        column: "loss_random",
        ack_column: "acks_lost_random",
        label: "lost at random",
        meaning: "the channel lost it: a model of loss, or an outage",
        congestion: false,
    },
    CauseRow {
        cause: LossCause::Queue,
        name: "queue",
        column: "loss_queue",
        ack_column: "acks_lost_queue",
        label: "lost in full queues",
        meaning: "it found the queue full, or made room in a full one",
        congestion: true,
    },
    CauseRow {
        cause: LossCause::List,
        name: "list",
        column: "loss_list",
        ack_column: "acks_lost_list",
        label: "lost by list",
        meaning: "its number is on the link's list `drops`, which stands for the channel",
        congestion: false,
    },
    CauseRow {
        cause: LossCause::Early,
        name: "early",
        column: "loss_early",
        ack_column: "acks_lost_early",
        label: "dropped early",
        meaning: "the queue's discipline dropped it before the queue was full",
        congestion: true,
    },
    CauseRow {
        cause: LossCause::Policer,
        name: "policer",
        column: "loss_policer",
        ack_column: "acks_lost_policer",
        label: "policed",
        meaning: "it was above the rate and burst of a policer",
        congestion: true,
    },
];

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

/// Counters of one direction of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkStats {
    /// Packets that arrived at the queue or were lost before it.
    pub offered_packets: u64,
    /// Bytes of them.
    pub offered_bytes: u64,
    /// Packets whose transmission ended.
    pub transmitted_packets: u64,
    /// Bytes of them.
    pub transmitted_bytes: u64,
    /// Packets that reached the far end.
    pub delivered_packets: u64,
    /// Bytes of them.
    pub delivered_bytes: u64,
    /// Packets lost, by cause.
    pub losses: LossCounts,
    /// Packets in the queue, in transmission or on the wire at the end.
    pub in_flight_packets: u64,
    /// Packets marked by the queue's discipline or with a congestion warning.
    pub marked_packets: u64,
    /// Integral over time of the number of waiting packets, packet-seconds.
    pub queue_integral: f64,
    /// Most packets that ever waited.
    pub queue_max: u32,
    /// Share of what could be transmitted that was, a part of a packet included: at a fixed rate, the share of the time
    /// in which the transmitter was busy. Zero where nothing could be.
    pub utilisation: f64,
    /// What the measured part of the run had of it.
    pub measured: MeasuredLink,
    /// How long its channel was bad, if that steps with packets.
    pub bad_time: Option<BadTime>,
}

/// Counters of one direction of a link for the part of the run after the warm-up. What happens in the instant in which
/// the warm-up ends counts to the warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeasuredLink {
    /// Bytes of packets whose transmission ended.
    pub transmitted_bytes: u64,
    /// Bytes of packets that reached the far end.
    pub delivered_bytes: u64,
    /// Bytes of the packet that was in transmission when the warm-up ended: some of it was sent before.
    pub under_way_bytes: u64,
    /// Bytes in the queue, in transmission or on the wire when the warm-up ended.
    pub held_bytes: u64,
}

/// What a direction of a link counts up to the end of the warm-up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Warmup {
    pub(super) until: Time,
    pub(super) offered_bytes: u64,
    pub(super) refused_bytes: u64,
    pub(super) transmitted_bytes: u64,
    pub(super) lost_bytes: u64,
    pub(super) delivered_bytes: u64,
    pub(super) under_way_bytes: u64,
}

impl Warmup {
    /// What is left for the measured part of the run.
    pub(super) fn measured(&self, transmitted_bytes: u64, delivered_bytes: u64) -> MeasuredLink {
        MeasuredLink {
            transmitted_bytes: transmitted_bytes - self.transmitted_bytes,
            delivered_bytes: delivered_bytes - self.delivered_bytes,
            under_way_bytes: self.under_way_bytes,
            held_bytes: self.offered_bytes - self.refused_bytes - self.lost_bytes - self.delivered_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_stands_in_its_place_and_has_columns_of_its_name() {
        for (at, row) in LOSS_CAUSES.iter().enumerate() {
            assert_eq!(row.cause as usize, at, "{}", row.name);
            assert_eq!(row.column, format!("loss_{}", row.name));
            assert_eq!(row.ack_column, format!("acks_lost_{}", row.name));
            let mut counts = LossCounts::default();
            counts.add(row.cause);
            assert_eq!((counts[row.cause], counts.total(), counts.plus(&counts)[row.cause]), (1, 1, 2));
        }
    }
}
