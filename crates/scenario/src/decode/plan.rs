//! The sections put together: a checked plan of one run, and its description written out.

use serde_json::{Value as Json, json};
use tcp::rules::{PROFILES, word};

use super::depth::Paths;
use super::flows::{self, Group};
use super::general::{General, general};
use super::output::{self, Output};
use super::topology::{self, Topology};
use crate::error::{Problem, code};
use crate::files::Files;
use crate::limits::SAMPLES;
use crate::node::Node;
use crate::read::{Fields, Item};
use crate::units::time_text;

/// One run but for its seed: every value in range, every name resolved, every default filled.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) general: General,
    pub(crate) topology: Topology,
    pub(crate) flows: Vec<Group>,
    pub(crate) output: Output,
}

/// The sections; the sweep is taken out before the others are read, and what was measured (`measured`) changes no run.
const SECTIONS: &[&str] = &["scenario", "topology", "tcp", "flows", "output", "sweep", "measured"];

/// Read a description without its sweep; `files` are those it may name.
pub(crate) fn plan(root: &Node, files: &Files) -> Result<Plan, Problem> {
    let all = Fields::open(root, "", SECTIONS)?;
    let general = general(&all.need("scenario", "{ duration = \"100 s\" }")?)?;
    let topology = topology::read(&all.need("topology", "{ kind = \"dumbbell\", ... }")?, general.profile, files)?;
    let need = "[{ from = \"left/*\", to = \"right/*\", algorithm = \"newreno\" }]";
    let flows = flows::read(&all.need("flows", need)?, all.get("tcp").as_ref(), &topology, &general)?;
    let output = output::read(all.get("output").as_ref())?;
    let mut plan = Plan { general, topology, flows, output };
    if plan.topology.is_relative() {
        let (network, _) = plan.typical();
        plan.topology.settle(&Paths::of(&network))?;
    }
    check_samples(&plan, all.get("output").as_ref())?;
    check_measurements(&plan, all.get("topology").as_ref())?;
    check_tapes(&plan, all.get("output").as_ref())?;
    Ok(plan)
}

/// A problem if the traces on a grid are more than fit in memory.
fn check_samples(plan: &Plan, item: Option<&Item<'_>>) -> Result<(), Problem> {
    let (Some(step), Some(item)) = (plan.output.step, item) else { return Ok(()) };
    let flows: u64 = plan.flows.iter().map(|group| group.size() as u64 * (1 + u64::from(group.two_way()))).sum();
    let queues = if plan.output.queue { 2 * plan.topology.link_count() as u64 } else { 0 };
    let series = flows * plan.output.flow_variables() + queues;
    let samples = series.saturating_mul(plan.general.duration.0 / step.0 + 1);
    if samples <= SAMPLES {
        return Ok(());
    }
    let what = format!("asks for {series} series of {} each", time_text(step));
    Err(item
        .problem(code::TOO_MANY_SAMPLES, format!("{what}, {samples} values in all; at most {SAMPLES} are kept"))
        .hint("make `trace_step` longer, or trace less"))
}

/// A problem if mobiles would look at powers more often than fits in memory.
fn check_measurements(plan: &Plan, item: Option<&Item<'_>>) -> Result<(), Problem> {
    let most = plan.topology.cellular().iter().map(|spec| plan.general.duration.0 / spec.rules.measure_every.0).max();
    let (Some(most), Some(item)) = (most.filter(|most| *most > SAMPLES), item) else { return Ok(()) };
    let what = format!("has mobiles that measure {most} times in the run; at most {SAMPLES} are kept");
    Err(item.problem(code::TOO_MANY_SAMPLES, what).hint("make `handover.measure_every` longer, or the run shorter"))
}

/// A problem if tapes are wanted and nobody has one. Datagrams have no algorithm, and TFRC has a rate instead of a
/// window.
fn check_tapes(plan: &Plan, item: Option<&Item<'_>>) -> Result<(), Problem> {
    let has_one = |group: &Group| matches!(group.transport, flows::Transport::Tcp(_));
    let Some(item) = item.filter(|_| plan.output.tape && !plan.flows.iter().any(has_one)) else { return Ok(()) };
    let what = "asks for a `tape`, and no flow has a congestion control algorithm with a window";
    let hint = "leave `tape` out of `traces`, or add a flow with an `algorithm` of TCP";
    Err(item.problem(code::NO_ALGORITHM, what).hint(hint))
}

impl Plan {
    /// The description of this run but for its seed and what is recorded, as a scenario that reads back to itself.
    pub(crate) fn effective(&self) -> Json {
        json!({
            "scenario": {
                "duration": time_text(self.general.duration),
                "warmup": time_text(self.general.warmup),
                "profile": word(&PROFILES, self.general.profile),
            },
            "topology": self.topology.effective(),
            "flows": self.flows.iter().map(|group| group.effective()).collect::<Vec<_>>(),
        })
    }
}
