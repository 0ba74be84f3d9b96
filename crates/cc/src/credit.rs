//! How many segments an ACK stands for when bandwidth is measured from ACKs, duplicates included.
//! Source: the counting rule shared by Westwood and Westwood+, restated in specs/papers/westwood-plus.md.

use units::Bytes;

use crate::Config;

/// Counts segments that duplicates have announced already, so that the ACK which jumps over them does not count them
/// twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Credit {
    /// Segments credited through duplicates and not yet covered by a cumulative ACK.
    accounted: f64,
    /// Most segments that one ACK stands for.
    cap: f64,
}

impl Default for Credit {
    fn default() -> Credit {
        Credit { accounted: 0.0, cap: f64::INFINITY }
    }
}

impl Credit {
    /// Parameter `ww_credit_cap`.
    pub fn new(config: &Config) -> Credit {
        let cap = config.number("ww_credit_cap");
        if cap == 0.0 { Credit::default() } else { Credit { cap, ..Credit::default() } }
    }

    /// Bytes to credit for an ACK that advances by `newly_acked`.
    #[inline]
    pub fn on_ack(&mut self, newly_acked: Bytes, mss: Bytes) -> Bytes {
        let acked = newly_acked.over(mss);
        let credit = if acked == 0.0 {
            self.accounted += 1.0;
            1.0
        } else if acked > 1.0 && self.accounted >= acked {
            self.accounted -= acked;
            1.0
        } else if acked > 1.0 {
            let credit = acked - self.accounted;
            self.accounted = 0.0;
            credit
        } else {
            1.0
        };
        credit.min(self.cap) * mss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: Bytes = Bytes(1000.0);

    #[test]
    fn three_duplicates_and_the_ack_that_covers_them() {
        let mut credit = Credit::default();
        for _ in 0..3 {
            assert_eq!(credit.on_ack(Bytes::ZERO, MSS), MSS);
        }
        // the ACK advances by 4 segments, 3 of them announced already: one is new
        assert_eq!(credit.on_ack(Bytes(4000.0), MSS), MSS);
        // nothing is left over
        assert_eq!(credit.on_ack(Bytes(2000.0), MSS), Bytes(2000.0));
    }

    #[test]
    fn a_partial_ack_takes_from_what_is_accounted() {
        let mut credit = Credit::default();
        for _ in 0..5 {
            credit.on_ack(Bytes::ZERO, MSS);
        }
        // 3 of the 5 accounted are covered: credit one, two remain
        assert_eq!(credit.on_ack(Bytes(3000.0), MSS), MSS);
        assert_eq!(credit.on_ack(Bytes(3000.0), MSS), MSS);
        // the two were taken off: 4 are 4
        assert_eq!(credit.on_ack(Bytes(4000.0), MSS), Bytes(4000.0));
    }

    #[test]
    fn an_ack_of_one_segment_leaves_what_is_accounted() {
        let mut credit = Credit::default();
        for _ in 0..2 {
            credit.on_ack(Bytes::ZERO, MSS);
        }
        // the retransmission, which no duplicate announced; then an ACK over the two that were announced and two more
        assert_eq!(credit.on_ack(MSS, MSS), MSS);
        assert_eq!(credit.on_ack(Bytes(4000.0), MSS), Bytes(2000.0));
    }

    #[test]
    fn what_is_accounted_counts_down_to_the_last() {
        let mut credit = Credit::default();
        for _ in 0..5 {
            credit.on_ack(Bytes::ZERO, MSS);
        }
        // 5 - 2 - 2 = 1 is left: 3 - 1
        for expected in [1000.0, 1000.0, 2000.0] {
            let acked = if expected == 2000.0 { 3000.0 } else { 2000.0 };
            assert_eq!(credit.on_ack(Bytes(acked), MSS), Bytes(expected));
        }
    }

    #[test]
    fn a_cap_bounds_what_one_ack_stands_for() {
        let mut config = Config::named("westwood").unwrap();
        config.set_number("ww_credit_cap", 2.0).unwrap();
        let mut credit = Credit::new(&config);
        assert_eq!(credit.on_ack(Bytes(5000.0), MSS), Bytes(2000.0));
        config.set_number("ww_credit_cap", 0.0).unwrap();
        assert_eq!(Credit::new(&config).on_ack(Bytes(5000.0), MSS), Bytes(5000.0));
    }
}
