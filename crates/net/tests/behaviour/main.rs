//! What makes an algorithm what it is, on a path where NewReno would do otherwise; the numbers are worked out in
//! comments.

#[path = "../common/mod.rs"]
mod common;
mod one_flow;

mod adaptive;
mod bbr;
mod bbr3;
mod cerl;
mod cerl_plus;
mod cerl_plus2;
mod cerl_plus_inverted;
mod dctcp;
mod ewr;
mod fast;
mod handover;
mod hystart;
mod jersey;
mod ledbat;
mod linux;
mod mveno;
mod new_jersey;
mod new_jersey_plus;
mod older;
mod queues;
mod rack;
mod reno;
mod sack;
mod tahoe;
mod veno;
mod wr;
