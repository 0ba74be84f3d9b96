//! What makes an algorithm what it is, on a path where NewReno would do otherwise; the numbers are worked out in comments.

#[path = "../common/mod.rs"]
mod common;

mod dctcp;
mod fast;
mod ledbat;
