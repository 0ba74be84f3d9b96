//! Data rates and how their frames are modulated.

use std::fmt;

/// What the bits of a frame become on air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phy {
    /// DSSS and CCK of 802.11b: 1, 2, 5.5 and 11 Mbps.
    Dsss,
    /// OFDM of 802.11a and g: symbols of 4 us.
    Ofdm,
    /// Bits at the rate, without symbols, behind a preamble that is sent at a rate of its own: ns-2.
    Plain,
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
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Mbps", f64::from(self.kbps) / 1000.0)
    }
}
