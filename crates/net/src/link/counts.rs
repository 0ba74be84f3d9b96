//! What a link counts.

use units::Time;

use crate::cause::LossCounts;
use crate::loss::BadTime;
use crate::queue::LaneStats;

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
    /// Of a queue that is two: what that for L4S, and that for the rest have counted.
    pub lanes: Option<[LaneStats; 2]>,
    /// Integral over time of the number of waiting packets, packet-seconds.
    pub queue_integral: f64,
    /// Most packets that ever waited.
    pub queue_max: u32,
    /// Share of what could be transmitted after the warm-up that was, a part of a packet included: at a fixed rate, the
    /// share of the time in which the transmitter was busy. In the frames of a cell, of the whole run. Zero where
    /// nothing could be.
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
    /// Bytes of the packet that was in transmission when the warm-up ended, or of those in the frame of a cell: some of
    /// it was sent before.
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
    /// What was sent of them before it ended, in bits times nanoseconds per second; of a frame all of them.
    pub(super) under_way_work: u128,
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
