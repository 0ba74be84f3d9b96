//! The quantities every other crate speaks in: time, bytes, rates, ratios, and portable mathematics.
//!
//! Time is integer nanoseconds, so that it adds exactly. Windows and amounts are [`Bytes`] over `f64`, so that
//! the small increases of congestion avoidance add up. Rates are bytes per second.
#![no_std]
#![forbid(unsafe_code)]

mod amount;
pub mod num;
mod time;

pub use amount::{Bytes, Rate, Ratio};
pub use time::{Span, Time};
