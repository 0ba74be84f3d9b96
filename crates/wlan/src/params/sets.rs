//! The parameter sets.

use units::Span;

use super::{Edca, Params, Plcp, Protection, Rules};
use crate::rate::SCHEMES_MAX;
use crate::{AmpduLimits, Error, GivenUp, Guard, Phy, Radio, Rate, Width};

const fn us(us: u64) -> Span {
    Span(us * 1000)
}

/// More bytes than any frame has: RTS is off.
const RTS_OFF: u32 = 2347;
const DSSS: [u32; 4] = [1000, 2000, 5500, 11_000];
const OFDM: [u32; 8] = [6000, 9000, 12_000, 18_000, 24_000, 36_000, 48_000, 54_000];

impl Params {
    /// Names of the sets.
    pub const NAMES: [&'static str; 11] = [
        "dot11b",
        "dot11b-short",
        "dot11a",
        "dot11g",
        "dot11g-prot",
        "dot11n",
        "dot11n-2.4",
        "ns2-default",
        "ns2-b11",
        "ns2-g54",
        "ns2-dalal",
    ];

    /// The set of this name.
    pub fn named(name: &str) -> Result<Params, Error> {
        Ok(match name {
            "dot11b" => Params::dot11b(),
            "dot11b-short" => Params { dsss_preamble: us(96), ..Params::dot11b() },
            "dot11a" => Params::dot11a(),
            "dot11g" => Params::dot11g(),
            "dot11g-prot" => Params::dot11g_protected(),
            "dot11n" => Params::dot11n(),
            "dot11n-2.4" => Params::dot11n_2_4(),
            "ns2-default" => Params::ns2_default(),
            "ns2-b11" => {
                Params { rates: DSSS.map(Rate::plain).to_vec(), rate: Rate::plain(11_000), ..Params::ns2_default() }
            }
            "ns2-g54" => Params::ns2_g54(),
            "ns2-dalal" => Params {
                rates: DSSS.map(Rate::plain).to_vec(),
                rate: Rate::plain(11_000),
                basic_rates: vec![Rate::plain(2000)],
                rts_threshold: 3000,
                ..Params::ns2_g54()
            },
            _ => return Err(Error::Set { name: name.into() }),
        })
    }

    /// 802.11b with the long preamble.
    pub fn dot11b() -> Params {
        Params {
            slot: us(20),
            sifs: us(10),
            difs: us(50),
            cca: us(15),
            cw_min: 31,
            cw_min_dsss: 31,
            cw_max: 1023,
            short_retry_limit: 7,
            long_retry_limit: 4,
            dsss_long_preamble: us(192),
            dsss_preamble: us(192),
            round_us: true,
            ofdm_preamble: us(20),
            signal_extension: Span::ZERO,
            plcp: Plcp { bits: 192, bps: 1e6 },
            rates: DSSS.map(Rate::dsss).to_vec(),
            rate: Rate::dsss(11_000),
            basic_rates: [1000, 2000].map(Rate::dsss).to_vec(),
            rts_rate: None,
            protection: Protection::Off,
            // MAC header 24, FCS 4, LLC and SNAP 8
            mac_bytes: 36,
            extra_mac_bytes: 0,
            rts_threshold: RTS_OFF,
            edca: false,
            edca_station: Edca::standard(31, 1023, Phy::Dsss),
            edca_access_point: Edca::standard(31, 1023, Phy::Dsss),
            ampdu: AmpduLimits::default(),
            given_up: GivenUp::default(),
            ampdu_min: 2,
            mpdu_retry_limit: 7,
            reorder_timeout: Span::from_millis(100),
            rules: Rules::STANDARD,
            radio: Radio::standard(2.437e9, 22e6),
        }
    }

    /// 802.11a, 20 MHz.
    pub fn dot11a() -> Params {
        Params {
            slot: us(9),
            sifs: us(16),
            difs: us(34),
            cca: us(4),
            cw_min: 15,
            edca_station: Edca::standard(15, 1023, Phy::Ofdm),
            edca_access_point: Edca::standard(15, 1023, Phy::Ofdm),
            rates: OFDM.map(Rate::ofdm).to_vec(),
            rate: Rate::ofdm(54_000),
            basic_rates: [6000, 12_000, 24_000].map(Rate::ofdm).to_vec(),
            radio: Radio::standard(5.18e9, 20e6),
            ..Params::dot11b()
        }
    }

    /// 802.11g without stations of 802.11b.
    pub fn dot11g() -> Params {
        Params {
            sifs: us(10),
            difs: us(28),
            signal_extension: us(6),
            radio: Radio::standard(2.437e9, 20e6),
            ..Params::dot11a()
        }
    }

    /// 802.11g beside stations of 802.11b: long slots, and a CTS to oneself before each frame.
    pub fn dot11g_protected() -> Params {
        let mut rates: Vec<Rate> = DSSS.map(Rate::dsss).to_vec();
        rates.extend(OFDM.map(Rate::ofdm));
        let mut basic_rates: Vec<Rate> = [6000, 12_000, 24_000].map(Rate::ofdm).to_vec();
        basic_rates.extend([1000, 2000].map(Rate::dsss));
        let protection = Protection::CtsToSelf(Rate::dsss(2000));
        Params { slot: us(20), difs: us(50), rates, basic_rates, protection, ..Params::dot11g() }
    }

    /// 802.11n in 5 GHz: 20 MHz, long guard interval, MCS 7.
    ///
    /// Stations have the four classes of EDCA. `difs` is the AIFS of best effort.
    pub fn dot11n() -> Params {
        // QoS header 26, FCS 4, LLC and SNAP 8
        let params = Params { difs: us(16 + 3 * 9), mac_bytes: 38, edca: true, ..Params::dot11a() };
        params.with_channel(Width::Mhz20, Guard::Long)
    }

    /// The same in 2.4 GHz.
    pub fn dot11n_2_4() -> Params {
        let params = Params { difs: us(10 + 3 * 9), mac_bytes: 38, edca: true, ..Params::dot11g() };
        params.with_channel(Width::Mhz20, Guard::Long)
    }

    /// All schemes of HT on a channel of this width, MCS 7 by default, and the noise of that width.
    pub fn with_channel(mut self, width: Width, guard: Guard) -> Params {
        let bandwidth = match width {
            Width::Mhz20 => 20e6,
            Width::Mhz40 => 40e6,
        };
        self.rates = (0..SCHEMES_MAX).filter_map(|index| Rate::ht(index, width, guard)).collect();
        self.rate = self.rates[7];
        self.radio.noise = Radio::standard(self.radio.frequency, bandwidth).noise;
        self
    }

    /// ns-2 as it comes: 1 Mbps, RTS before everything.
    pub fn ns2_default() -> Params {
        Params {
            cca: Span::ZERO,
            round_us: false,
            rates: vec![Rate::plain(1000)],
            rate: Rate::plain(1000),
            basic_rates: vec![Rate::plain(1000)],
            // four addresses always, 30, and FCS 4; no LLC
            mac_bytes: 34,
            rts_threshold: 0,
            rules: Rules::NS2,
            radio: Radio::ns2(),
            ..Params::dot11b()
        }
    }

    /// ns-2 with the numbers of 802.11g: 54 Mbps, control frames at 6.
    pub fn ns2_g54() -> Params {
        Params {
            slot: us(9),
            difs: us(28),
            cw_min: 15,
            plcp: Plcp { bits: 120, bps: 6e6 },
            rates: OFDM.map(Rate::plain).to_vec(),
            rate: Rate::plain(54_000),
            basic_rates: vec![Rate::plain(6000)],
            ..Params::ns2_default()
        }
    }
}
