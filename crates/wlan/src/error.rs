//! What is refused before a run, and why.

use std::fmt;

use crate::Rate;

/// A medium that cannot be, with the key whose value is at fault.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// A span that must be positive is zero.
    Zero {
        /// Key.
        key: &'static str,
    },
    /// The set has no such rate.
    Rate {
        /// Key.
        key: &'static str,
        /// What was asked for.
        rate: Rate,
        /// What there is.
        rates: Vec<Rate>,
    },
    /// A list of rates is empty.
    NoRates {
        /// Key.
        key: &'static str,
    },
    /// CWmin is above CWmax.
    WindowOrder {
        /// CWmin.
        cw_min: u32,
        /// CWmax.
        cw_max: u32,
    },
    /// A contention window plus one is no power of two, or more than 15 bits.
    Window {
        /// Key.
        key: &'static str,
        /// Value.
        value: u32,
    },
    /// No such parameter set.
    Set {
        /// What was asked for.
        name: String,
    },
    /// More stations than a medium takes.
    Stations {
        /// How many.
        count: usize,
    },
    /// A number outside its range.
    Range {
        /// Key.
        key: &'static str,
        /// Value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// A list of who hears whom names a station that does not exist.
    NoStation {
        /// Its number.
        station: u32,
        /// How many there are.
        count: usize,
    },
    /// Reception by SNR has no error table for this rate.
    NoErrorTable {
        /// The rate.
        rate: Rate,
    },
    /// ns-2's profile has no such thing.
    NotInNs2 {
        /// Key.
        key: &'static str,
    },
    /// What adds up interference needs error tables.
    NeedsSnr {
        /// Key.
        key: &'static str,
    },
    /// Only what is by distance can depend on where stations are.
    NeedsPositions {
        /// Key.
        key: &'static str,
    },
    /// Two stations that must exchange frames cannot decode each other.
    OutOfRange {
        /// One.
        from: u32,
        /// The other.
        to: u32,
    },
}

/// Stations on one medium, at most.
pub const STATIONS_MAX: usize = 10_000;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Zero { key } => write!(f, "`{key}` is zero, must be positive"),
            Error::Rate { key, rate, .. } => write!(f, "`{key}`: the set has no rate of {rate}"),
            Error::NoRates { key } => write!(f, "`{key}` is empty"),
            Error::WindowOrder { cw_min, cw_max } => write!(f, "`cw_min` {cw_min} is above `cw_max` {cw_max}"),
            Error::Window { key, value } => write!(f, "`{key}` {value}: must be a power of two, less one"),
            Error::Set { name } => write!(f, "no parameter set `{name}`"),
            Error::Stations { count } => write!(f, "{count} stations on one medium, at most {STATIONS_MAX}"),
            Error::Range { key, value, must } => write!(f, "`{key}` is {value}, must be {must}"),
            Error::NoStation { station, count } => {
                write!(f, "no station {station}: there are {count}, numbered from 0")
            }
            Error::NoErrorTable { rate } => {
                write!(f, "`reception` by SNR has no error table for {rate} of ns-2's sets")
            }
            Error::NotInNs2 { key } => write!(f, "`{key}` is not in the profile of ns-2"),
            Error::NeedsSnr { key } => {
                write!(f, "`{key}` by SINR needs `reception` by SNR, whose error tables it uses")
            }
            Error::NeedsPositions { key } => write!(f, "`{key}` needs stations with positions"),
            Error::OutOfRange { from, to } => write!(f, "stations {from} and {to} cannot decode each other's frames"),
        }
    }
}

impl Error {
    /// What to write instead, where that can be said.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Rate { rates, .. } => {
                let list: Vec<String> = rates.iter().map(Rate::to_string).collect();
                Some(format!("it has {}", list.join(", ")))
            }
            Error::Window { value, .. } => {
                let above = (u64::from(*value) + 1).next_power_of_two() - 1;
                Some(format!("for example {}", above.min(32_767)))
            }
            Error::WindowOrder { .. } => Some("the window grows from `cw_min` to `cw_max`".into()),
            Error::Set { .. } => Some(format!("there are {}", crate::Params::NAMES.join(", "))),
            Error::Stations { .. } => Some("split them over several channels, each a medium of its own".into()),
            Error::NotInNs2 { .. } => Some("take a set of the standard".into()),
            Error::NoErrorTable { .. } => Some("take a set of the standard, or reception by threshold".into()),
            Error::NeedsSnr { .. } => Some("write `reception = \"snr\"`".into()),
            Error::NeedsPositions { .. } => Some("say where stations are".into()),
            Error::OutOfRange { .. } => Some("bring them nearer, or raise `tx_power`".into()),
            Error::Zero { .. } | Error::NoRates { .. } | Error::Range { .. } | Error::NoStation { .. } => None,
        }
    }
}

impl std::error::Error for Error {}
