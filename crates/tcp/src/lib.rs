//! One sans-I/O TCP endpoint.

mod config;

pub use config::{Config, DelackMode, HalfBase, InitialWindow, Profile, RecoverRule};
