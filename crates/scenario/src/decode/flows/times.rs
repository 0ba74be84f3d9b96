//! When the flows of a group start, stop or arrive.

use units::Span;

use crate::decode::drawn::{self, Arrivals, Drawn, Measure};
use crate::decode::general::General;
use crate::error::{Problem, code};
use crate::node::Value;
use crate::read::{Fields, Item};
use crate::units::time_text;

/// When each of `flows` flows starts.
pub(super) fn when(item: &Item<'_>, flows: usize, general: &General) -> Result<Drawn, Problem> {
    let when = drawn::read(item, Measure::Time, true)?;
    let latest = match when {
        Drawn::Every(_) => when.most(flows).unwrap_or(0),
        _ => when.least(),
    };
    if latest >= general.duration.0 {
        let what = format!("is {}, when the run of {} is over", time_text(Span(latest)), time_text(general.duration));
        return Err(item.problem(code::NEVER_ACTIVE, what).hint("start earlier or make `scenario.duration` longer"));
    }
    Ok(when)
}

/// When each flow stops offering data, and that this is after it has started, as far as that is certain.
pub(super) fn stopping(item: &Item<'_>, start: Drawn, flows: usize) -> Result<Drawn, Problem> {
    let stop = drawn::read(item, Measure::Time, false)?;
    if let (Drawn::Fixed(at), Some(latest)) = (stop, start.most(flows))
        && at <= latest
    {
        return Err(
            item.problem(code::NEVER_ACTIVE, format!("is {}, before the flow has started", time_text(Span(at))))
        );
    }
    Ok(stop)
}

/// The process by which the flows of a group arrive, if they do.
pub(super) fn arrivals(
    table: &Fields<'_>,
    start: Drawn,
    stop: Option<Drawn>,
    general: &General,
) -> Result<Option<Arrivals>, Problem> {
    let Some(item) = table.get("arrivals") else { return Ok(None) };
    let several = table.get("count").filter(|item| item.node.value != Value::Whole(1));
    if let Some(other) = several.or(table.get("multipath")) {
        return Err(other.problem(code::CONFLICT, "has no use where flows arrive at random").hint("take it away"));
    }
    let fixed = |drawn| match drawn {
        Drawn::Fixed(at) => Some(Span(at)),
        _ => None,
    };
    let (Some(from), Some(to)) = (fixed(start), stop.map_or(Some(general.duration), fixed)) else {
        return Err(item
            .problem(code::CONFLICT, "needs a `start` and `stop` that are not drawn")
            .hint("flows arrive at random from `start` to `stop`"));
    };
    if table.get("size").is_none() {
        return Err(item
            .problem(code::MISSING_KEY, "needs flows that end: `size` is not given")
            .hint("write `size = \"exponential(20 kB)\"`"));
    }
    Arrivals::read(&item, to.min(general.duration) - from).map(Some)
}
