//! 802.11 without input or output: stations on one radio channel, and what becomes of the frames that they are offered.
//!
//! A [`Medium`] joins stations. Each is one distributed coordination function, or four of EDCA; what waits for them,
//! queues and packets, is the caller's. Call order:
//!
//! 1. [`Medium::offer`] gives a station that [wants](Medium::wants_frame) a frame the head of its queue;
//! 2. [`Medium::deadline`] says before when nothing comes out;
//! 3. [`Medium::advance`] lets happen what is due, at that time and not later, and appends [`Outcome`]s: packets that
//!    arrived, were acknowledged or given up. A station whose packet is [`Outcome::Sent`] or [`Outcome::Dropped`] wants
//!    the next, offered at the same time.
//!
//! Instead of 2 and 3, [`Medium::run`] goes on up to a given time, or to the first outcomes before that.
//!
//! Both 1 and 3 change the deadline. Time never goes back between calls. Nothing is allocated per frame once as many
//! frames have been on air at once as ever are.
//!
//! ```
//! use wlan::{Class, Frame, Layout, Medium, MediumSpec, NoSupply, Outcome, Params};
//!
//! // a cell in which all hear all; station 1 sends a packet of 1500 bytes to station 0
//! let spec = MediumSpec::new("cell", Params::dot11b(), Layout::Everyone { stations: 2 });
//! let mut medium = Medium::new(&spec, 1)?;
//! let mut outcomes = Vec::new();
//! let frame = Frame { to: 0, bytes: 1500, handle: 7, rate: None, class: Class::BestEffort };
//! medium.offer(units::Time::from_secs(1.0), 1, frame);
//! while outcomes.is_empty() {
//!     let now = medium.deadline();
//!     medium.advance(now, &mut NoSupply, &mut outcomes);
//! }
//! assert_eq!(outcomes[0], Outcome::Delivered { at: 0, from: 1, handle: 7 });
//! # Ok::<(), wlan::Error>(())
//! ```
//!
//! At rates of HT a station sends several packets together, which `advance` takes from a [`Supply`]; a packet may then
//! be [`Outcome::Held`] by its receiver, and have arrived before it is delivered.
//!
//! A station's rate is fixed, or [`RateControl`] chooses that of each attempt.
//!
//! [`Params`] has the numbers and rules, [`Layout`] says who hears whom, [`Loss`] which frames are bad at random;
//! [`Exchange`] and [`Cycle`] how long everything takes, [`AmpduLimits`] how much goes together. The rules are restated
//! in `specs/wlan.md`.
#![forbid(unsafe_code)]

mod airtime;
mod ampdu;
mod cycle;
mod dcf;
mod error;
mod flight;
mod layout;
mod loss;
mod medium;
pub mod params;
mod propagation;
mod rate;
mod reach;
mod snr;
mod stats;
mod supply;
mod way;

pub use airtime::{ACK_BYTES, CTS_BYTES, Exchange, RTS_BYTES};
pub use ampdu::{AmpduLimits, BLOCK_ACK_BYTES, BLOCK_ACK_REQ_BYTES, GivenUp, ampdu_bytes};
pub use cycle::Cycle;
pub use dcf::{Cause, Terms};
pub use error::{Error, STATIONS_MAX};
pub use flight::{Class, EVERYONE, Frame, Kind, StationId};
pub use layout::Layout;
pub use loss::{Loss, LossAt, LossFrames, LossModel};
pub use medium::{Medium, MediumSpec, Outcome, Position};
pub use params::Params;
pub use propagation::{Coherence, Propagation, Radio, Reception, Travel, dbm, watts};
pub use rate::{Arf, ArfStart, Guard, Mcs, Minstrel, Phy, Rate, RateControl, Width};
pub use snr::frame_error;
pub use stats::{Airtime, StationStats};
pub use supply::{NoSupply, Supply};
pub use way::Way;
