//! The sending half, packet by packet. Each scenario is a timeline: what arrives, what must leave, what the windows
//! are.
//!
//! Segments are 1000 bytes and numbered from 0; times are milliseconds after the connection opened; the handshake took
//! 100 ms, so SRTT starts at 100 ms and the timeout at its minimum (1 s in the `rfc` profile).

mod accecn;
mod host;
mod lab;

mod ecn;
mod limited_transmit;
mod linux;
mod newreno;
mod pipe;
mod rack;
mod receiver;
mod reno_tahoe;
mod rfc8985;
mod sack;
mod samples;
mod timer;
mod two_way;
mod vegas;
mod windows;
