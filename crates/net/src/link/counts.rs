//! What a link counts.

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// The queue was full.
    Queue,
    /// Random loss on the channel.
    Random,
    /// On a drop list.
    List,
    /// The queue's discipline dropped it before the queue was full.
    Early,
    /// Above the rate and burst of a policer.
    Policer,
}

impl LossCause {
    /// The network had too much to carry, as a sender's congestion control ought to believe. A drop list stands for the
    /// channel.
    pub fn is_congestion(self) -> bool {
        match self {
            LossCause::Queue | LossCause::Early | LossCause::Policer => true,
            LossCause::Random | LossCause::List => false,
        }
    }
}

/// Losses by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossCounts {
    /// The queue was full.
    pub queue: u64,
    /// Random loss on the channel.
    pub random: u64,
    /// On a drop list.
    pub list: u64,
    /// The queue's discipline dropped it before the queue was full.
    pub early: u64,
    /// Above the rate and burst of a policer.
    pub policer: u64,
}

impl LossCounts {
    /// Count one loss.
    #[inline]
    pub fn add(&mut self, cause: LossCause) {
        match cause {
            LossCause::Queue => self.queue += 1,
            LossCause::Random => self.random += 1,
            LossCause::List => self.list += 1,
            LossCause::Early => self.early += 1,
            LossCause::Policer => self.policer += 1,
        }
    }

    /// With those of another place.
    #[must_use]
    pub fn plus(&self, other: &LossCounts) -> LossCounts {
        LossCounts {
            queue: self.queue + other.queue,
            random: self.random + other.random,
            list: self.list + other.list,
            early: self.early + other.early,
            policer: self.policer + other.policer,
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.queue + self.random + self.list + self.early + self.policer
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
    /// Time that the finished transmissions took, seconds; on a link that changes, the same share of the run as they are
    /// of what it could carry.
    pub busy_s: f64,
}
