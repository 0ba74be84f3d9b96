//! The simulation kernel: an event queue over integer nanoseconds and named random streams. Knows no networking.
#![forbid(unsafe_code)]

mod distribution;
mod queue;
mod stream;

pub use distribution::Distribution;
pub use queue::{EventId, EventQueue};
pub use stream::{Chance, Stream};
