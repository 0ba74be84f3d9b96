//! From a tree of values to a checked plan of one run.

pub(crate) mod algorithm;
pub(crate) mod changing;
pub(crate) mod drawn;
pub(crate) mod flows;
pub(crate) mod link;
pub(crate) mod loss;
pub(crate) mod multipath;
pub(crate) mod output;
pub(crate) mod queue;
pub(crate) mod tcp;
pub(crate) mod topology;
pub(crate) mod traffic;

use ::tcp::Profile;
use units::Span;

use crate::error::{Problem, code};
use crate::files::Files;
use crate::limits::{DURATION, SAMPLES, SEEDS};
use crate::node::{Node, Value};
use crate::read::{Fields, INSTANT, Item};
use crate::units::time_text;
use flows::Group;
use output::Output;
use topology::Topology;

/// One run but for its seed: every value in range, every name resolved, every default filled.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) general: General,
    pub(crate) topology: Topology,
    pub(crate) flows: Vec<Group>,
    pub(crate) output: Output,
}

/// Section `[scenario]` without name and seeds, which change no run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct General {
    pub(crate) duration: Span,
    pub(crate) warmup: Span,
    pub(crate) profile: Profile,
}

/// Names of the profiles.
pub(crate) const PROFILES: &[(&str, Profile)] = &[("rfc", Profile::Rfc), ("ns2", Profile::Ns2)];

/// The sections; the sweep is taken out before the others are read.
const SECTIONS: &[&str] = &["scenario", "topology", "tcp", "flows", "output", "sweep"];

/// Read a description without its sweep; `files` are those it may name.
pub(crate) fn plan(root: &Node, files: &Files) -> Result<Plan, Problem> {
    let all = Fields::open(root, "", SECTIONS)?;
    let general = general(&all.need("scenario", "{ duration = \"100 s\" }")?)?;
    let topology = topology::read(&all.need("topology", "{ kind = \"dumbbell\", ... }")?, general.profile, files)?;
    let need = "[{ from = \"left/*\", to = \"right/*\", algorithm = \"newreno\" }]";
    let flows = flows::read(&all.need("flows", need)?, all.get("tcp").as_ref(), &topology, &general)?;
    let output = output::read(all.get("output").as_ref())?;
    let plan = Plan { general, topology, flows, output };
    check_samples(&plan, all.get("output").as_ref())?;
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

fn general(item: &Item<'_>) -> Result<General, Problem> {
    let table = item.table(&["name", "duration", "warmup", "profile", "seeds", "first_seed"])?;
    let duration = table.need("duration", "\"100 s\"")?.span(INSTANT..=DURATION)?;
    let warmup = table.get("warmup").map_or(Ok(Span::ZERO), |item| {
        let warmup = item.span(Span::ZERO..=DURATION)?;
        if warmup < duration {
            return Ok(warmup);
        }
        let what = format!("is {}, but the run lasts only {}", time_text(warmup), time_text(duration));
        Err(item.problem(code::WARMUP, what).hint("make `scenario.warmup` shorter than `scenario.duration`"))
    })?;
    let profile = table.get("profile").map_or(Ok(Profile::Rfc), |item| item.word(PROFILES))?;
    Ok(General { duration, warmup, profile })
}

/// Name and seeds of a description.
pub(crate) fn label(root: &Node) -> Result<(String, Vec<u64>), Problem> {
    let Value::Table(table) = &root.value else {
        return Err(Problem::new(
            code::WRONG_TYPE,
            root.place,
            format!("a scenario is a table, not {}", root.value.kind()),
        ));
    };
    let Some(node) = table.get("scenario") else { return Ok((default_name(), vec![1])) };
    let table = Item { node, path: "scenario".to_owned() }.open_table()?;
    let name = match table.get("name") {
        None => default_name(),
        Some(item) => item.name(&[], " /.()")?.to_owned(),
    };
    Ok((name, seeds(table.get("seeds"), table.get("first_seed"))?))
}

fn default_name() -> String {
    "scenario".to_owned()
}

fn seeds(seeds: Option<Item<'_>>, first: Option<Item<'_>>) -> Result<Vec<u64>, Problem> {
    let begin = first.as_ref().map_or(Ok(1), |item| item.whole(0..=u64::from(u32::MAX)))?;
    let Some(item) = seeds else { return Ok(vec![begin]) };
    if !matches!(item.node.value, Value::List(_)) {
        let count =
            item.whole(1..=SEEDS).map_err(|problem| problem.hint("`seeds` is a number of runs or a list of seeds"))?;
        return Ok((begin..begin + count).collect());
    }
    if let Some(first) = first {
        return Err(first.problem(code::CONFLICT, "has no use beside a list of seeds"));
    }
    let items = item.list()?;
    if items.is_empty() {
        return Err(item.problem(code::EMPTY_AXIS, "is an empty list"));
    }
    if items.len() as u64 > SEEDS {
        return Err(item.problem(code::OUT_OF_RANGE, format!("has {} seeds, allowed are {SEEDS}", items.len())));
    }
    let mut seen = std::collections::BTreeSet::new();
    for item in &items {
        let seed = item.whole(0..=i64::MAX as u64)?;
        if !seen.insert(seed) {
            return Err(item.problem(code::DUPLICATE_VALUE, format!("has {seed} twice")));
        }
    }
    items.iter().map(|item| item.whole(0..=i64::MAX as u64)).collect()
}
