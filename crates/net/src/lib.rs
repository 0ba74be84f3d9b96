//! Packets, queues, links, nodes: a network of TCP endpoints run by one event loop.

mod spec;

pub use spec::{
    Counting, DirectionSpec, FlowSpec, LinkSpec, LossAt, LossSpec, Network, NodeId, QueueLimit, QueueSpec, WarningSpec,
};
