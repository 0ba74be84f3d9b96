//! From a tree of values to a checked plan of one run.

pub(crate) mod algorithm;
pub(crate) mod cell;
pub(crate) mod cellular;
pub(crate) mod chain;
pub(crate) mod changing;
mod depth;
pub(crate) mod drawn;
pub(crate) mod flows;
pub(crate) mod general;
pub(crate) mod graph;
pub(crate) mod handovers;
pub(crate) mod link;
pub(crate) mod loss;
pub(crate) mod multipath;
pub(crate) mod output;
pub(crate) mod plan;
pub(crate) mod queue;
pub(crate) mod radio;
pub(crate) mod tcp;
pub(crate) mod topology;
pub(crate) mod traffic;
pub(crate) mod ways;
