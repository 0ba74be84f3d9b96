//! How much more is acknowledged at once than the rate explains.
use units::{Bytes, Rate, Time};

const ROUNDS: usize = 10;

/// The excess, in segments.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Aggregation {
    since: Time,
    delivered: u32,
    /// The most of each of the last rounds.
    most: [f32; ROUNDS],
    slot: u8,
}

impl Aggregation {
    /// Count from now on.
    pub(super) fn restart(&mut self, now: Time) {
        self.since = now;
    }

    /// A round begins; `only` it counts.
    pub(super) fn on_round(&mut self, only: bool) {
        if only {
            self.most = [0.0; ROUNDS];
        }
        self.slot = (self.slot + 1) % ROUNDS as u8;
        self.most[usize::from(self.slot)] = 0.0;
    }

    /// So many segments of `mss` are delivered at once, at a rate of `bw`.
    pub(super) fn on_ack(&mut self, now: Time, newly: u32, bw: Rate, mss: Bytes, cwnd: Bytes) {
        let mut expected = (bw * now.since(self.since)).over(mss);
        //= specs/papers/bbr3.md#windows-and-rates
        //# the interval begins anew when no more was delivered in it than bw explains
        if f64::from(self.delivered) <= expected {
            (self.delivered, self.since, expected) = (0, now, 0.0);
        }
        self.delivered += newly;
        let extra = (f64::from(self.delivered) - expected).min(cwnd.over(mss));
        let most = &mut self.most[usize::from(self.slot)];
        *most = most.max(extra as f32);
    }

    /// The most of the last rounds, segments.
    pub(super) fn extra(&self) -> f64 {
        f64::from(self.most.iter().fold(0.0, |most: f32, &extra| most.max(extra)))
    }
}
