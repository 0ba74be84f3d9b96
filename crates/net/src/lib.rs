//! Packets, queues, links, nodes: a network of TCP and datagram endpoints run by one event loop.
//!
//! A [`Network`] is plain data; [`World::new`] checks and builds it, [`World::run`] runs it. `examples/without_toml.rs`
//! does this without the crate `scenario`, which reads networks from files.
#![deny(unsafe_code)]

mod bounds;
mod capture;
mod cause;
mod cells;
mod cellular;
mod changing;
mod course;
mod cuts;
mod delays;
mod endpoint;
mod estimate;
mod event;
mod handover;
mod judgement;
mod link;
mod loss;
mod multipath;
mod packet;
mod pool;
mod prefetch;
mod queue;
mod radio;
mod results;
mod ring;
mod route;
mod sacks;
mod settle;
mod spec;
mod world;

pub use capture::{CaptureSpec, Captured, LostPacket, Passed, SentPacket, TapPoint};
pub use cause::{CauseRow, LOSS_CAUSES, LossCause, LossCounts};
pub use cellular::{
    BaseStation, CellularSpec, Course, FramePart, FrameSpec, Frames, Granted, HandoverRules, MobileSpec, Modulation,
    Share,
};
pub use changing::{Break, Changing, Chosen, Jitter, JitterModel, OPPORTUNITY, Outage, Reordering, Shift, Step, Which};
pub use course::Stretch;
pub use cuts::{Crossing, Cut, CutLink};
pub use delays::Delays;
pub use estimate::Estimate;
pub use judgement::Judgements;
pub use link::{LinkStats, MeasuredLink};
pub use loss::{BadTime, GilbertElliott, LossAt, LossModel, LossSpec, NoSuchChannel};
pub use multipath::{MultipathResult, MultipathSpec};
pub use queue::LaneStats;
pub use radio::StationResult;
pub use results::{FlowEvent, FlowResult, FlowTape, LinkResult, Loss, Results, TracePoint, Variable};
pub use route::{disjoint_routes, leads};
pub use settle::{DelayAfter, Handover};
pub use spec::{
    CodelSpec, Counting, DirectionSpec, Discipline, DualPi2Spec, DualScheduler, FlowSpec, FqCodelSpec, LinkSpec,
    MediumSpec, Network, NodeId, PieSpec, PolicerSpec, QueueLimit, QueueSpec, QueueTracing, RedSpec, SendJitter,
    StationSpec, TcpSpec, Transport, WarningSpec,
};
pub use wlan::Class;
#[doc(hidden)]
pub use world::ShortCut;
pub use world::{BadNetwork, Cancelled, MOST_RECORDS, RunOptions, Traces, World};
