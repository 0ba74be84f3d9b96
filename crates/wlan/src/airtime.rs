//! How long frames, answers and whole exchanges take.

use units::{Span, num};

use crate::ampdu::{BLOCK_ACK_BYTES, BLOCK_ACK_REQ_BYTES};
use crate::params::{Eifs, NavRound, Protection, Timeouts};
use crate::{Guard, Params, Phy, Rate};

/// Bytes of an RTS.
pub const RTS_BYTES: u32 = 20;
/// Bytes of a CTS, to another or to oneself.
pub const CTS_BYTES: u32 = 14;
/// Bytes of an ACK.
pub const ACK_BYTES: u32 = 14;

/// ns-2 allows 2 us of travel each way when it awaits an answer.
const NS2_TRAVEL: Span = Span(4000);

impl Params {
    /// Airtime of a frame of `bytes`, FCS included, at `rate`: preamble, PHY header, and the frame.
    pub fn airtime(&self, rate: Rate, bytes: u32) -> Span {
        let bits = 8 * u64::from(bytes);
        match rate.phy {
            Phy::Dsss if self.round_us => {
                self.preamble(rate) + Span((bits * 1000).div_ceil(u64::from(rate.kbps)) * 1000)
            }
            Phy::Dsss => self.preamble(rate) + nearest_ns(bits as f64 * 1e6 / f64::from(rate.kbps)),
            Phy::Ofdm => {
                // 16 bits of SERVICE before the frame, 6 tail bits behind it
                let symbols = (16 + bits + 6).div_ceil(rate.bits_per_symbol());
                self.ofdm_preamble + Span(4000) * symbols + self.signal_extension
            }
            Phy::Ht(mcs) => {
                let symbols = (16 + bits + 6).div_ceil(mcs.bits_per_symbol());
                let units = match mcs.guard() {
                    Guard::Long => symbols,
                    // of 3.6 us each, filled up to a multiple of 4 us
                    Guard::Short => (symbols * 36).div_ceil(40),
                };
                self.preamble(rate) + Span(4000) * units + self.signal_extension
            }
            Phy::Plain => {
                nearest_ns(f64::from(self.plcp.bits) * 1e9 / self.plcp.bps + bits as f64 * 1e6 / f64::from(rate.kbps))
            }
        }
    }

    /// Bytes of the longest frame of HT that takes no longer than this; none at a rate of another PHY.
    pub(crate) fn bytes_within(&self, rate: Rate, airtime: Span) -> u32 {
        let Phy::Ht(mcs) = rate.phy else { return 0 };
        let units = (airtime - (self.preamble(rate) + self.signal_extension)).0 / 4000;
        let symbols = match mcs.guard() {
            Guard::Long => units,
            Guard::Short => units * 40 / 36,
        };
        u32::try_from((symbols * mcs.bits_per_symbol()).saturating_sub(22) / 8).unwrap_or(u32::MAX)
    }

    /// Preamble and PHY header of a frame at `rate`.
    pub fn preamble(&self, rate: Rate) -> Span {
        match rate.phy {
            Phy::Dsss if rate.kbps <= 1000 => self.dsss_long_preamble,
            Phy::Dsss => self.dsss_preamble,
            Phy::Ofdm => self.ofdm_preamble,
            // the one of OFDM for those who know no other, HT-SIG 8, HT-STF 4, and 4 per stream
            Phy::Ht(mcs) => self.ofdm_preamble + Span(12_000) + Span(4000) * u64::from(mcs.streams()),
            Phy::Plain => nearest_ns(f64::from(self.plcp.bits) * 1e9 / self.plcp.bps),
        }
    }

    /// Rate of the answer to a frame, and of the RTS before it: the highest basic rate of the same PHY not above its
    /// own. For HT both are those of OFDM.
    pub fn control_rate(&self, rate: Rate) -> Rate {
        let rate = rate.reference();
        let basic = || self.basic_rates.iter().copied().filter(|basic| basic.phy == rate.phy);
        let below = basic().filter(|basic| basic.kbps <= rate.kbps).max_by_key(|basic| basic.kbps);
        below.or_else(|| basic().min_by_key(|basic| basic.kbps)).unwrap_or(rate)
    }

    /// Rate of broadcasts: the lowest basic rate of the station's PHY.
    pub fn broadcast_rate(&self, phy: Phy) -> Rate {
        let basic = self.basic_rates.iter().copied().filter(|basic| basic.phy == phy.of_control());
        basic.min_by_key(|basic| basic.kbps).unwrap_or(self.basic_rates[0])
    }

    /// How long an answer of this rate and airtime is waited for.
    fn awaited(&self, rate: Rate, answer: Span) -> Span {
        match self.rules.timeouts {
            Timeouts::Preamble => self.sifs + self.slot + self.preamble(rate),
            Timeouts::WholeAnswer => self.sifs + answer + NS2_TRAVEL,
        }
    }

    /// EIFS: what follows a frame that could not be read.
    pub fn eifs(&self) -> Span {
        match self.rules.eifs {
            Eifs::Space => self.eifs_exact(),
            Eifs::Nav => whole_us(self.eifs_exact(), self.rules.nav_round),
        }
    }

    /// EIFS before it becomes a NAV. ns-2 has the ACK in it at the rate of the preamble.
    pub(crate) fn eifs_exact(&self) -> Span {
        let ack = match self.rules.eifs {
            Eifs::Space => self.airtime_of_slowest_ack(),
            Eifs::Nav => nearest_ns(f64::from(self.plcp.bits + 8 * ACK_BYTES) * 1e9 / self.plcp.bps),
        };
        self.sifs + ack + self.difs
    }

    fn airtime_of_slowest_ack(&self) -> Span {
        let rate = self.broadcast_rate(self.rate.phy);
        let preamble = if rate.phy == Phy::Dsss { self.dsss_long_preamble } else { self.preamble(rate) };
        self.airtime(rate, ACK_BYTES) - self.preamble(rate) + preamble
    }
}

/// Times of one exchange: airtimes of its frames, what their Duration fields say, how long answers are awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Rate of the data.
    pub rate: Rate,
    /// Rate of the ACK.
    pub ack_rate: Rate,
    /// Rate of the RTS, or of the CTS to oneself.
    pub rts_rate: Rate,
    /// Rate of the CTS.
    pub cts_rate: Rate,
    /// Bytes of the data frame.
    pub mpdu: u32,
    /// RTS and CTS come first, or a BlockAckReq and its BlockAck in their place.
    pub rts_first: bool,
    /// What comes first is a BlockAckReq.
    pub requested: bool,
    /// A CTS to oneself comes first.
    pub protected: bool,
    /// Airtime of the RTS.
    pub rts: Span,
    /// Airtime of the CTS, or of the CTS to oneself.
    pub cts: Span,
    /// Airtime of the data frame.
    pub data: Span,
    /// Airtime of the ACK; zero for a broadcast.
    pub ack: Span,
    /// Duration field of the RTS.
    pub rts_nav: Span,
    /// Duration field of the CTS, or of the CTS to oneself.
    pub cts_nav: Span,
    /// Duration field of the data frame.
    pub data_nav: Span,
    /// How long a CTS is awaited after the end of the RTS.
    pub cts_timeout: Span,
    /// How long an ACK is awaited after the end of the data.
    pub ack_timeout: Span,
    /// How long after the end of an RTS nothing may be heard until the NAV that it set ends.
    pub nav_reset: Span,
}

impl Default for Exchange {
    fn default() -> Exchange {
        Exchange::bare(Rate::plain(1000), 0, Span::ZERO)
    }
}

impl Exchange {
    /// Data alone.
    fn bare(rate: Rate, mpdu: u32, data: Span) -> Exchange {
        Exchange {
            rate,
            ack_rate: rate,
            rts_rate: rate,
            cts_rate: rate,
            mpdu,
            rts_first: false,
            requested: false,
            protected: false,
            rts: Span::ZERO,
            cts: Span::ZERO,
            data,
            ack: Span::ZERO,
            rts_nav: Span::ZERO,
            cts_nav: Span::ZERO,
            data_nav: Span::ZERO,
            cts_timeout: Span::ZERO,
            ack_timeout: Span::ZERO,
            nav_reset: Span::ZERO,
        }
    }

    /// The exchange for a packet of `bytes`, IP header included, from a station whose data rate is `rate`.
    pub fn new(params: &Params, rate: Rate, bytes: u32, broadcast: bool) -> Exchange {
        let mpdu = params.mpdu(bytes);
        if broadcast {
            let rate = params.broadcast_rate(rate.phy);
            return Exchange::bare(rate, mpdu, params.airtime(rate, mpdu));
        }
        Exchange::answered(params, rate, mpdu, wants_rts(params, mpdu), ACK_BYTES)
    }

    /// The exchange for an A-MPDU of `bytes`. Interpretation: RTS goes before it if it would before the longest frame
    /// in it.
    pub(crate) fn of_ampdu(params: &Params, rate: Rate, bytes: u32, longest: u32) -> Exchange {
        Exchange::answered(params, rate, bytes, wants_rts(params, longest), BLOCK_ACK_BYTES)
    }

    /// Data of `mpdu` bytes and an answer.
    fn answered(params: &Params, rate: Rate, mpdu: u32, wants_rts: bool, answer_bytes: u32) -> Exchange {
        let data = params.airtime(rate, mpdu);
        let sifs = params.sifs;
        let ack_rate = params.control_rate(rate);
        let ack = params.airtime(ack_rate, answer_bytes);
        let round = |span| whole_us(span, params.rules.nav_round);
        let plain = Exchange {
            ack_rate,
            ack,
            data_nav: round(sifs + ack),
            ack_timeout: params.awaited(ack_rate, ack),
            ..Exchange::bare(rate, mpdu, data)
        };
        let guarded = if rate.phy.has_symbols() { params.protection } else { Protection::Off };
        match guarded {
            Protection::CtsToSelf(rate) if !wants_rts => {
                let cts = params.airtime(rate, CTS_BYTES);
                return Exchange {
                    protected: true,
                    rts_rate: rate,
                    cts,
                    cts_nav: round(sifs + data + sifs + ack),
                    ..plain
                };
            }
            Protection::Off if !wants_rts => return plain,
            _ => {}
        }
        let rts_rate = params.rts_rate.or(guarded.rate()).unwrap_or(params.control_rate(rate));
        let cts_rate = params.control_rate(rts_rate);
        plain.behind(params, (rts_rate, RTS_BYTES), (cts_rate, CTS_BYTES))
    }

    /// The same behind a frame and its answer, of these rates and lengths, which reserve the medium for it.
    fn behind(self, params: &Params, first: (Rate, u32), answer: (Rate, u32)) -> Exchange {
        let sifs = params.sifs;
        let round = |span| whole_us(span, params.rules.nav_round);
        let (rts, cts) = (params.airtime(first.0, first.1), params.airtime(answer.0, answer.1));
        let rts_nav = round(sifs * 3 + cts + self.data + self.ack);
        Exchange {
            rts_first: true,
            protected: false,
            rts_rate: first.0,
            cts_rate: answer.0,
            rts,
            cts,
            rts_nav,
            cts_nav: round(rts_nav - sifs - cts),
            cts_timeout: params.awaited(answer.0, cts),
            nav_reset: sifs * 2 + cts + params.preamble(answer.0) + params.slot * 2,
            ..self
        }
    }

    /// The same behind a BlockAckReq and its BlockAck, which take the place of RTS and CTS, or of a CTS to oneself
    /// (interpretation), at the rates that those would have.
    pub(crate) fn behind_request(self, params: &Params) -> Exchange {
        let guarded = if self.rts_first || self.protected { Some(self.rts_rate) } else { None };
        let rate = guarded.unwrap_or(params.control_rate(self.rate));
        let answer = params.control_rate(rate);
        Exchange { requested: true, ..self.behind(params, (rate, BLOCK_ACK_REQ_BYTES), (answer, BLOCK_ACK_BYTES)) }
    }

    /// From the first frame to the end of the last if nothing goes wrong, light travel time left out.
    pub fn airtime(&self, sifs: Span) -> Span {
        let before = if self.rts_first {
            self.rts + sifs + self.cts + sifs
        } else if self.protected {
            self.cts + sifs
        } else {
            Span::ZERO
        };
        let answer = if self.ack == Span::ZERO { Span::ZERO } else { sifs + self.ack };
        before + self.data + answer
    }
}

/// RTS goes before frames of this length. ns-2 counts the preamble, too.
fn wants_rts(params: &Params, mpdu: u32) -> bool {
    let counted = match params.rate.phy {
        Phy::Plain => mpdu + params.plcp.bits / 8,
        Phy::Dsss | Phy::Ofdm | Phy::Ht(_) => mpdu,
    };
    counted >= params.rts_threshold
}

fn nearest_ns(ns: f64) -> Span {
    Span(num::round(ns) as u64)
}

/// A span in whole microseconds.
pub(crate) fn whole_us(span: Span, round: NavRound) -> Span {
    let us = match round {
        NavRound::Up => span.0.div_ceil(1000),
        NavRound::Nearest => (span.0 + 500) / 1000,
    };
    Span(us * 1000)
}

#[cfg(test)]
mod tests;
