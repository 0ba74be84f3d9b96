//! Data rates and how their frames are modulated.
//!
//! | file | what it has |
//! |---|---|
//! | `ht` | schemes of 802.11n |
//! | `control` | which rate each attempt has, per transmitter and receiver |
//! | `arf` | ARF, one link |
//! | `minstrel` | sampling, one link |

mod arf;
mod control;
mod ht;
mod minstrel;

use std::fmt;

pub use arf::Arf;
pub(crate) use control::Adaptation;
pub use control::{ArfStart, RateControl};
pub(crate) use ht::SCHEMES_MAX;
pub use ht::{Guard, Mcs, Width};
pub use minstrel::Minstrel;

/// What the bits of a frame become on air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phy {
    /// DSSS and CCK of 802.11b: 1, 2, 5.5 and 11 Mbps.
    Dsss,
    /// OFDM of 802.11a and g: symbols of 4 us.
    Ofdm,
    /// HT of 802.11n, behind the mixed preamble. Its control frames and broadcasts are those of OFDM.
    Ht(Mcs),
    /// Bits at the rate, without symbols, behind a preamble that is sent at a rate of its own: ns-2.
    Plain,
}

impl Phy {
    /// The PHY of its control frames and broadcasts.
    pub(crate) fn of_control(self) -> Phy {
        if matches!(self, Phy::Ht(_)) { Phy::Ofdm } else { self }
    }

    /// Frames with symbols, which a station of 802.11b does not understand.
    pub(crate) fn has_symbols(self) -> bool {
        matches!(self, Phy::Ofdm | Phy::Ht(_))
    }

    /// Of the same kind, whatever the scheme.
    pub(crate) fn is_like(self, other: Phy) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// A rate of one PHY. Rates of one PHY are ordered by their speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// PHY.
    pub phy: Phy,
    /// Speed in kbit/s.
    pub kbps: u32,
}

impl Rate {
    /// A DSSS rate.
    pub const fn dsss(kbps: u32) -> Rate {
        Rate { phy: Phy::Dsss, kbps }
    }

    /// An OFDM rate.
    pub const fn ofdm(kbps: u32) -> Rate {
        Rate { phy: Phy::Ofdm, kbps }
    }

    /// A rate without symbols.
    pub const fn plain(kbps: u32) -> Rate {
        Rate { phy: Phy::Plain, kbps }
    }

    /// Data bits per OFDM symbol of 4 us: 216 at 54 Mbps.
    pub(crate) const fn bits_per_symbol(self) -> u64 {
        self.kbps as u64 / 250
    }

    /// By which the rate of a control frame is chosen: itself, or the rate of OFDM that stands for it.
    pub(crate) fn reference(self) -> Rate {
        if let Phy::Ht(mcs) = self.phy { mcs.reference() } else { self }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Mbps", f64::from(self.kbps) / 1000.0)?;
        let Phy::Ht(mcs) = self.phy else { return Ok(()) };
        let width = if mcs.width() == Width::Mhz20 { 20 } else { 40 };
        let guard = if mcs.guard() == Guard::Long { "long" } else { "short" };
        write!(f, " (MCS {}, {width} MHz, {guard} guard interval)", mcs.index())
    }
}
