//! Scenarios: text becomes a checked description, a description becomes runs, a run becomes tables.
//!
//! A [`Scenario`] is read from TOML or JSON. Units are part of the values and are checked, and every unknown key is
//! refused. An [`Error`] says where the mistake is and what to write instead. A scenario is one or more [`Point`]s, the
//! product of its sweep axes. A point and a seed are one run ([`Point::run`]), identified by its [`Point::key`].
//!
//! No input causes a panic.
//!
//! A module uses only modules on the lines above its own, and none uses this file; a test checks both.
//!
//! ```text
//! error, limits, names, table, units     refusals, bounds, words, columns, quantities with their units
//! foreign, node                          algorithms from outside; a tree of values that know their place
//! read, version                          typed readers of that tree; which changes of results concern a run
//! files                                  files that a description names
//! decode                                 one file for each section and key, then `plan`: a checked run, no seed yet
//! absence                                who of those that move is out of reach, since when and for how long
//! overrides                              a value at a dotted key
//! sweep                                  axes, and the plan of each point
//! results                                tables from what the network counted
//! demand                                 what a run needs at most, and may need
//! run                                    a plan becomes a network, and runs
//! capture                                what passes points of that network, as a file
//! capacity, exchange, map                what the links of that network carry; how long a frame takes on air; places
//! cells                                  what frames of base stations hold, and who serves a mobile when
//! scenario, catalog, replay              what others call: descriptions and points; lists of what there is; tapes
//! keys, places                           and: which keys there are; the lines of any TOML
//! ```
#![forbid(unsafe_code)]

mod absence;
mod capacity;
mod capture;
mod catalog;
mod cells;
mod decode;
mod demand;
mod error;
mod exchange;
mod files;
mod foreign;
mod keys;
mod limits;
mod map;
mod names;
mod node;
mod overrides;
mod places;
mod read;
mod replay;
mod results;
mod run;
mod scenario;
mod sweep;
mod table;
mod units;
mod version;

pub use capture::{Capture, Wanted};
pub use catalog::{
    algorithms, errors_json, jitter_models, loss_causes, loss_models, queues, registered, rules, series, topologies,
    traffic_kinds, transports, window_events, words,
};
pub use demand::Limits;
pub use error::{Error, errors};
/// What an algorithm from outside is made of.
pub mod outside {
    pub use cc::foreign::{Maker, Outside};
    pub use cc::registry::Kind;
    pub use cc::{Ack, Cause, Config, Congestion, CongestionControl, Halving, Path, RecoveryExit, Response, Windows};
    pub use units::{Bytes, Rate, Span, Time};
}

pub use foreign::{ForeignAlgorithm, ForeignDefault, register};
pub use keys::keys;
pub use names::NOT_LOST;
pub use places::toml_with_lines;
pub use replay::replay;
pub use results::RunResult;
pub use run::{RunError, RunOptions};
pub use scenario::{Point, Scenario, Source, seed};
pub use table::{Column, Table, Word};
pub use version::{ENGINE_VERSION, columns, results_of};
