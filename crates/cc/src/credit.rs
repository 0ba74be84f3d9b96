//! How many segments an ACK stands for when bandwidth is measured from ACKs, duplicates included.
//! Source: the counting rule shared by Westwood and Westwood+, restated in specs/papers/westwood-plus.md.

use units::Bytes;

/// Counts segments that duplicates have announced already, so that the ACK which jumps over them does not count them
/// twice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Credit {
    /// Segments credited through duplicates and not yet covered by a cumulative ACK.
    accounted: f64,
}

impl Credit {
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
        credit * mss
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
    }
}
