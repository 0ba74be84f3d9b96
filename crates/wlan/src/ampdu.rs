//! Lengths and airtimes of A-MPDUs (802.11n): several frames behind one preamble, answered by one BlockAck.
//!
//! The values; `dcf/aggregate.rs` has the rules.

use units::Span;

use crate::{Exchange, Params, Rate};

/// Bytes of a compressed BlockAck, which answers for 64 frames.
pub const BLOCK_ACK_BYTES: u32 = 32;

/// Bytes of the BlockAckReq that asks for one.
pub const BLOCK_ACK_REQ_BYTES: u32 = 24;

/// Before each frame in an A-MPDU.
const DELIMITER_BYTES: u32 = 4;

/// So many numbers after the first that is not acknowledged may be under way.
pub(crate) const WINDOW: u64 = 64;

/// How a receiver learns that its sender has given up a packet for which it waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GivenUp {
    /// From the first number of the sender's next frame.
    #[default]
    Free,
    /// From a BlockAckReq at the head of the sender's next access, which is answered before the data follow.
    Frame,
}

/// How large an A-MPDU may be. All hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmpduLimits {
    /// Frames.
    pub mpdus: u32,
    /// Bytes of the whole.
    pub bytes: u32,
    /// Airtime of the whole, preamble included.
    pub airtime: Span,
}

impl Default for AmpduLimits {
    fn default() -> AmpduLimits {
        AmpduLimits { mpdus: 64, bytes: 65_535, airtime: Span(5_484_000) }
    }
}

/// Bytes of an A-MPDU of frames of these lengths: each has a delimiter, and all but the last fill up to a multiple of
/// four.
pub fn ampdu_bytes(mpdus: impl IntoIterator<Item = u32>) -> u32 {
    mpdus.into_iter().fold(0, joined)
}

/// Bytes of an A-MPDU of so many bytes with one more frame.
pub(crate) fn joined(bytes: u32, mpdu: u32) -> u32 {
    bytes.next_multiple_of(4) + DELIMITER_BYTES + mpdu
}

impl AmpduLimits {
    /// How many frames of `mpdu` bytes, headers and FCS included, may go together at `rate`; none if not even one may.
    pub fn largest(&self, params: &Params, rate: Rate, mpdu: u32) -> u32 {
        let fits = |count: &u32| {
            let bytes = same(mpdu, *count);
            bytes <= self.bytes && params.airtime(rate, bytes) <= self.airtime
        };
        (1..=self.mpdus).take_while(fits).last().unwrap_or(0)
    }
}

impl Params {
    /// The exchange of an A-MPDU of `count` packets of `bytes` each: RTS and CTS if they go before it, the A-MPDU, its
    /// BlockAck. One packet alone is a plain frame with an ACK.
    pub fn ampdu_exchange(&self, rate: Rate, bytes: u32, count: u32) -> Span {
        let mpdu = self.mpdu(bytes);
        let exchange = match count {
            ..=1 => Exchange::new(self, rate, bytes, false),
            _ => Exchange::of_ampdu(self, rate, same(mpdu, count), mpdu),
        };
        exchange.airtime(self.sifs)
    }

    /// Stations with this rate send packets together: at a rate of HT, if more than one may go.
    pub(crate) fn aggregates(&self, rate: Rate) -> bool {
        self.ampdu.mpdus > 1 && matches!(rate.phy, crate::Phy::Ht(_))
    }

    /// Bytes of the frame that carries a packet of `bytes`.
    pub fn mpdu(&self, bytes: u32) -> u32 {
        bytes + self.mac_bytes + self.extra_mac_bytes
    }
}

/// Bytes of an A-MPDU of `count` frames of `mpdu` bytes.
fn same(mpdu: u32, count: u32) -> u32 {
    ampdu_bytes((0..count).map(|_| mpdu))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Class, Cycle, Guard, Width};

    #[test]
    fn frames_have_a_delimiter_and_fill_up_but_for_the_last() {
        // 4 + 1538 and 2 to fill up: 1544 each
        for count in 1..=42 {
            assert_eq!(same(1538, count), 1544 * count - 2, "{count}");
        }
        assert_eq!(ampdu_bytes([1538, 1538, 1538]), 4630);
        // 4 + 78, 2 to fill up, 4 + 1538, 2, 4 + 100
        assert_eq!(ampdu_bytes([78, 1538, 100]), 84 + 1544 + 104);
        assert_eq!(ampdu_bytes([]), 0);
    }

    /// Scheme, width, guard; for 2, 8, 16 and the most frames of 1538 bytes: how many, airtime of the A-MPDU in
    /// microseconds, throughput in Mbps.
    type Row = (u8, Width, Guard, [(u32, u64, f64); 4]);

    /// The first in full: (1544 x 2 - 2) x 8 + 22 = 24710 bits, 96 symbols of 260, 36 + 384 = 420 us; AIFS 43 + backoff
    /// 67.5 + 420 + SIFS 16 + BlockAck 32 = 578.5; 24000 / 578.5 = 41.49.
    const ROWS: [Row; 4] = [
        (7, Width::Mhz20, Guard::Long, [(2, 420, 41.49), (8, 1560, 55.86), (16, 3080, 59.29), (28, 5360, 60.89)]),
        (7, Width::Mhz20, Guard::Short, [(2, 384, 44.24), (8, 1408, 61.28), (16, 2776, 65.43), (31, 5340, 67.65)]),
        (7, Width::Mhz40, Guard::Short, [(2, 204, 66.21), (8, 700, 111.82), (16, 1356, 126.77), (42, 3496, 137.91)]),
        (15, Width::Mhz40, Guard::Short, [(2, 124, 84.96), (8, 372, 180.96), (16, 700, 223.65), (42, 1772, 261.07)]),
    ];

    #[test]
    fn airtimes_and_throughputs_are_those_of_the_table() {
        for (index, width, guard, row) in ROWS {
            let five = Params::dot11n().with_channel(width, guard);
            let two = Params::dot11n_2_4().with_channel(width, guard);
            let rate = Rate::ht(index, width, guard).unwrap();
            for (count, us, mbps) in row {
                let what = format!("{count} at {rate}");
                assert_eq!(five.airtime(rate, same(1538, count)), Span(us * 1000), "{what}");
                let of = |params: &Params| {
                    let mut params = params.clone();
                    params.ampdu.mpdus = count;
                    params.ampdu_cycle(&params.terms(rate, Class::BestEffort, false), rate, 1500)
                };
                let cycle = of(&five);
                assert_eq!(cycle, Cycle { packets: count, exchanges: 1, ..cycle }, "{what}");
                let found = f64::from(count) * 12e6 / cycle.span.0 as f64;
                assert!((found - mbps).abs() < 0.005, "{what}: {found}");
                // 6 us more per frame, 6 less per SIFS and AIFS
                assert_eq!(of(&two), cycle, "{what}");
            }
            assert_eq!(AmpduLimits::default().largest(&five, rate, five.mpdu(1500)), row[3].0, "{rate}");
        }
    }

    #[test]
    fn each_limit_holds() {
        let params = Params::dot11n();
        let limits = AmpduLimits::default();
        let fast = Rate::ht(15, Width::Mhz40, Guard::Short).unwrap();
        // 64 of 100 bytes; 65535 bytes: 1544 x 43 - 2 = 66390 is too many
        assert_eq!(limits.largest(&params, fast, 100), 64);
        assert_eq!(limits.largest(&params, fast, 1538), 42);
        // MCS 0: 36 + 4 ceil((12352 k - 16 + 22) / 26) us: 3840 for two, 5740 for three
        assert_eq!(limits.largest(&params, params.rates[0], 1538), 2);
        let short = AmpduLimits { airtime: Span(1000), ..limits };
        assert_eq!(short.largest(&params, params.rates[0], 1538), 0);
    }
}
