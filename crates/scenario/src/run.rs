//! A plan becomes a network and a run.

use std::sync::atomic::AtomicBool;

use net::{FlowSpec, Network};
use units::Time;

use crate::decode::Plan;
use crate::decode::flows::When;
use crate::{Error, Table};

/// How a run is watched.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions<'a> {
    /// The run stops soon after this becomes true.
    pub cancel: Option<&'a AtomicBool>,
}

/// The tables of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunResult {
    /// One row per flow and direction with data.
    pub flows: Table,
    /// One row per link and direction.
    pub links: Table,
    /// Values over time.
    pub traces: Table,
    /// What the senders decided, with the true cause.
    pub events: Table,
    /// Every packet lost.
    pub losses: Table,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq)]
pub enum RunError {
    /// It was cancelled.
    Cancelled,
    /// The description is wrong.
    Input(Error),
}

impl From<Error> for RunError {
    fn from(error: Error) -> RunError {
        RunError::Input(error)
    }
}

impl Plan {
    /// The network of the run with this seed. Random starts come from the stream named after the flow.
    pub(crate) fn network(&self, _seed: u64) -> Network {
        let draw = |when: When, _flow: &str, _what: &str| match when {
            When::At(at) | When::Uniform(at, _) => Time(at.0),
        };
        let flows = self.flows.iter().flat_map(|group| {
            group.members().map(move |(name, from, to)| {
                let start = draw(group.start, &name, "start");
                FlowSpec {
                    from,
                    to,
                    algorithm: group.algorithm,
                    tcp: group.tcp,
                    start,
                    stop: group.stop.map(|stop| Time(stop.0)),
                    size: group.size,
                    two_way: group.two_way,
                    reverse_start: group.reverse_start.map_or(start, |when| draw(when, &name, "reverse_start")),
                    name,
                }
            })
        });
        Network { nodes: self.topology.nodes(), links: self.topology.links(self.output.queue), flows: flows.collect() }
    }
}

/// Run a plan.
pub(crate) fn run(plan: &Plan, seed: u64, _options: &RunOptions<'_>) -> Result<RunResult, RunError> {
    let _ = plan.network(seed);
    Ok(RunResult::default())
}
