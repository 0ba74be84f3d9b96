//! What changes on a link while a run goes on: steps, outages, delivery traces, jitter.

use std::sync::Arc;

use net::{Changing, Chosen, Jitter, JitterModel, OPPORTUNITY, Outage, Reordering, Shift, Step, Which};
use serde_json::{Map, Value as Json, json};
use units::{Span, Time};

use super::handovers;
use crate::error::{Problem, code};
use crate::files::{Files, bad_line};
use crate::limits::DURATION;
use crate::node::Value;
use crate::read::{Fields, HOUR, INSTANT, Item};
use crate::units::{percent_text, rate_text, time_text};

/// Shortest distance of periodic outages.
const SHORTEST_PERIOD: Span = Span::from_millis(1);
/// Heaviest and lightest tail of a Pareto distribution: a mean exists, and is not all there is.
const SHAPES: (f64, f64) = (1.01, 100.0);

/// The keys of a link that this file reads, and what they mean.
pub(crate) static MEANINGS: &[(&str, &str)] = &[
    ("changes", "list of tables with at and rate, delay or both: steps of the link, in order of time"),
    (
        "outages",
        "list of tables with at, for, perhaps every, and packets (\"held\": they wait, \"lost\": what is sent is lost)",
    ),
    ("trace", "in place of rate: mahimahi delivery trace, the name of a file or a list of milliseconds"),
    ("jitter", "random part of the delay: a table with model and its keys, reorder (false); false: none"),
    (
        "reorder",
        "packets pass those before them: when the delay becomes shorter (true; default false), or chosen ones, a table \
         with hold (how much later they arrive) or early (how much earlier), and every, rate, correlation, or packets",
    ),
    (
        "handovers",
        "\"leo\" (a new satellite every 15 s), or a list of tables with at, gap, perhaps rate_factor, delay_step or delay, \
         queue_at_old (\"lost\", \"forwarded\"), forward_delay (10 ms), warn (50 ms), every: nothing passes for a while",
    ),
];

/// A model of jitter: its name, what it is, its keys and what they mean.
pub(crate) struct Ready {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) keys: &'static [(&'static str, &'static str)],
    read: fn(&Fields<'_>) -> Result<JitterModel, Problem>,
}

/// Every model of jitter.
pub(crate) static JITTERS: &[Ready] = &[
    Ready {
        name: "normal",
        summary: "Normal around the delay, cut at a delay of zero",
        keys: &[("deviation", "standard deviation, such as \"5 ms\"")],
        read: |table| Ok(JitterModel::Normal { deviation: length(table, "deviation")? }),
    },
    Ready {
        name: "uniform",
        summary: "Evenly spread around the delay, cut at a delay of zero",
        keys: &[("spread", "most deviation to either side, such as \"5 ms\"")],
        read: |table| Ok(JitterModel::Uniform { spread: length(table, "spread")? }),
    },
    Ready {
        name: "exponential",
        summary: "Added to the delay, exponentially distributed",
        keys: &[("mean", "mean, such as \"5 ms\"")],
        read: |table| Ok(JitterModel::Exponential { mean: length(table, "mean")? }),
    },
    Ready {
        name: "pareto",
        summary: "Added to the delay, with a heavy tail (Pareto of the second kind, which begins at zero)",
        keys: &[
            ("mean", "mean, such as \"5 ms\""),
            ("shape", "exponent of the tail, default 2.5; at 2 and below the variance is infinite"),
        ],
        read: pareto,
    },
];

/// Rate and changes of a direction, with what the table says of them laid over.
pub(crate) fn read(
    table: &Fields<'_>,
    rate_bps: &mut u64,
    changing: &mut Changing,
    files: &Files,
) -> Result<(), Problem> {
    match (table.get("rate"), table.get("trace")) {
        (Some(_), Some(item)) => {
            return Err(item
                .problem(code::CONFLICT, "stands beside `rate`: a link has one or the other")
                .hint("leave `rate` out"));
        }
        (Some(item), None) => (*rate_bps, changing.trace) = (item.rate()?, None),
        (None, Some(item)) => {
            let trace = opportunities(&item, files)?;
            *rate_bps = mean_rate(&trace);
            changing.trace = Some(trace);
        }
        (None, None) => {}
    }
    match table.get("changes") {
        Some(item) => changing.steps = steps(&item)?,
        None => keeps_its_steps(table, &changing.steps)?,
    }
    if let Some(item) = table.get("outages") {
        changing.outages = outages(&item)?;
    }
    if let Some(item) = table.get("jitter") {
        changing.jitter = jitter(&item)?;
    }
    if let Some(item) = table.get("handovers") {
        changing.handovers = handovers::read(&item, table, changing)?;
    }
    if let Some(item) = table.get("reorder") {
        changing.reordering = reordering(&item)?;
    }
    if changing.trace.is_some() && changing.steps.iter().any(|step| step.rate_bps.is_some()) {
        let item = table.get("changes").or_else(|| table.get("trace")).or_else(|| table.get("rate"));
        let what = "leads to a step of rate on a link whose rate comes from a `trace`";
        return Err(item.map_or_else(|| table.problem(code::CONFLICT, what), |item| item.problem(code::CONFLICT, what)));
    }
    Ok(())
}

/// A problem if a direction gets another rate or delay, but steps that it takes over would soon undo that.
fn keeps_its_steps(table: &Fields<'_>, steps: &[Step]) -> Result<(), Problem> {
    let stepped = [
        ("rate", steps.iter().any(|step| step.rate_bps.is_some())),
        ("delay", steps.iter().any(|step| step.delay.is_some())),
    ];
    for (key, stepped) in stepped {
        if let (Some(item), true) = (table.get(key), stepped) {
            let what = "would be changed by the `changes` of the forward direction";
            let hint = "give the reverse direction `changes` of its own, or `changes = []`";
            return Err(item.problem(code::CONFLICT, what).hint(hint));
        }
    }
    Ok(())
}

fn steps(item: &Item<'_>) -> Result<Vec<Step>, Problem> {
    let mut steps: Vec<Step> = Vec::new();
    for item in item.list()? {
        let table = item.table(&["at", "rate", "delay"])?;
        let when = table.need("at", "\"10 s\"")?;
        let at = Time(when.span(Span::ZERO..=DURATION)?.0);
        if steps.last().is_some_and(|last| last.at >= at) {
            return Err(when.problem(code::OUT_OF_RANGE, "is not after the change before it"));
        }
        let rate_bps = table.get("rate").map(|item| item.rate()).transpose()?;
        let delay = table.get("delay").map(|item| item.span(Span::ZERO..=HOUR)).transpose()?;
        if rate_bps.is_none() && delay.is_none() {
            return Err(item.problem(code::MISSING_KEY, "changes nothing").hint("write a `rate`, a `delay` or both"));
        }
        steps.push(Step { at, rate_bps, delay });
    }
    Ok(steps)
}

const FATES: &[(&str, bool)] = &[("held", false), ("lost", true)];

fn outages(item: &Item<'_>) -> Result<Vec<Outage>, Problem> {
    let mut outages = Vec::new();
    for item in item.list()? {
        let table = item.table(&["at", "for", "every", "packets", "handover"])?;
        let at = Time(table.need("at", "\"20 s\"")?.span(Span::ZERO..=DURATION)?.0);
        let length = table.need("for", "\"2 s\"")?.span(INSTANT..=HOUR)?;
        let every = match table.get("every") {
            None => None,
            Some(item) => {
                let every = item.span(SHORTEST_PERIOD..=DURATION)?;
                if every <= length {
                    let what = format!("is {}, but an outage lasts {}", time_text(every), time_text(length));
                    return Err(item.problem(code::OUT_OF_RANGE, what).hint("make `every` longer than `for`"));
                }
                Some(every)
            }
        };
        let lost = table.get("packets").map_or(Ok(false), |item| item.word(FATES))?;
        let handover = table.get("handover").map_or(Ok(false), |item| item.flag())?;
        outages.push(Outage { at, length, every, lost, handover });
    }
    let out: f64 = outages.iter().filter_map(|o| o.every.map(|every| o.length.secs() / every.secs())).sum();
    if out >= 1.0 {
        let what = "may leave no time free: `for` over `every`, summed over the periodic outages, is 1 or more";
        return Err(item.problem(code::OUT_OF_RANGE, what));
    }
    Ok(outages)
}

/// A mahimahi trace: in each line a millisecond in which a packet can be delivered.
fn opportunities(item: &Item<'_>, files: &Files) -> Result<Arc<[u32]>, Problem> {
    let mut all: Vec<u32> = Vec::new();
    let fits = |ms: u64, before: u32| {
        let ms = u32::try_from(ms).map_err(|_| format!("{ms} ms is more than {} ms", u32::MAX))?;
        if ms < before { Err(format!("{ms} ms stands after {before} ms")) } else { Ok(ms) }
    };
    let before = |all: &[u32]| all.last().copied().unwrap_or(0);
    if matches!(item.node.value, Value::Text(_)) {
        for (ms, line) in files.numbers(item)? {
            all.push(fits(ms, before(&all)).map_err(|what| bad_line(item, line, what))?);
        }
    } else {
        for item in item.list()? {
            let ms = item.whole(0..=u64::from(u32::MAX))?;
            let wrong = |what: String| item.problem(code::OUT_OF_RANGE, format!("is not in order: {what}"));
            all.push(fits(ms, before(&all)).map_err(wrong)?);
        }
    }
    if before(&all) == 0 {
        return Err(item
            .problem(code::OUT_OF_RANGE, "has no delivery opportunity after 0 ms")
            .hint("a trace begins again after its last line, so that must be above 0"));
    }
    Ok(all.into())
}

/// Bits per second that a trace can carry on average.
fn mean_rate(trace: &[u32]) -> u64 {
    let period_ms = u64::from(trace.last().copied().unwrap_or(1));
    (trace.len() as u64 * u64::from(OPPORTUNITY) * 8 * 1000 / period_ms).max(1)
}

fn jitter(item: &Item<'_>) -> Result<Option<Jitter>, Problem> {
    if item.flag().is_ok_and(|on| !on) {
        return Ok(None);
    }
    if !matches!(item.node.value, Value::Table(_)) {
        return Err(item
            .problem(code::WRONG_TYPE, "is neither a table nor false")
            .hint("write `jitter = { model = \"normal\", deviation = \"5 ms\" }`"));
    }
    let models: Vec<_> = JITTERS.iter().map(|ready| (ready.name, ready)).collect();
    let ready = item.open_table()?.need("model", "\"normal\"")?.word(&models)?;
    let own = ready.keys.iter().map(|(key, _)| *key);
    let keys: Vec<&str> = ["model", "reorder"].into_iter().chain(own).collect();
    let table = item.table(&keys)?;
    let reorder = table.get("reorder").map_or(Ok(false), |item| item.flag())?;
    Ok(Some(Jitter { model: (ready.read)(&table)?, reorder }))
}

fn reordering(item: &Item<'_>) -> Result<Reordering, Problem> {
    if let Value::Flag(on) = item.node.value {
        return Ok(if on { Reordering::Shorter } else { Reordering::Never });
    }
    if !matches!(item.node.value, Value::Table(_)) {
        return Err(item
            .problem(code::WRONG_TYPE, "is neither true, false nor a table")
            .hint("write `reorder = { every = 50, hold = \"10 ms\" }`"));
    }
    let table = item.table(&["hold", "early", "every", "rate", "correlation", "packets"])?;
    let shift = match (table.get("hold"), table.get("early")) {
        (Some(_), Some(item)) => {
            return Err(item.problem(code::CONFLICT, "stands beside `hold`: it is one or the other"));
        }
        (None, Some(_)) => Shift::Earlier(length(&table, "early")?),
        _ => Shift::Later(length(&table, "hold")?),
    };
    let drawn = ["every", "rate", "correlation"].map(|key| table.get(key));
    if let Some(packets) = table.get("packets") {
        if let Some(item) = drawn.into_iter().flatten().next() {
            return Err(item.problem(code::CONFLICT, "has no use beside `packets`, which names them"));
        }
        return Ok(Reordering::Chosen(Chosen { which: Which::Numbers(packets.numbers()?.into()), shift }));
    }
    let [every, rate, correlation] = drawn;
    if every.is_none() && rate.is_none() {
        return table
            .need("every", "50` or `rate = \"1 %\"` or `packets = [60]")
            .map(|_| unreachable!("it is not there"));
    }
    if let (Some(item), None) = (&correlation, &rate) {
        return Err(item.problem(code::CONFLICT, "goes with `rate`, which is not given"));
    }
    let every = every.map_or(Ok(1), |item| item.whole(1..=i64::MAX as u64))?;
    let rate_percent = rate.map_or(Ok(100.0), |item| item.percent())?;
    let correlation_percent = correlation.map_or(Ok(0.0), |item| item.percent())?;
    Ok(Reordering::Chosen(Chosen { which: Which::Drawn { every, rate_percent, correlation_percent }, shift }))
}

fn reordering_effective(reordering: &Reordering) -> Json {
    let Reordering::Chosen(Chosen { which, shift }) = reordering else {
        return (*reordering == Reordering::Shorter).into();
    };
    let mut table = match which {
        Which::Numbers(packets) => json!({ "packets": **packets }),
        Which::Drawn { every, rate_percent, correlation_percent } => {
            let [rate, correlation] = [rate_percent, correlation_percent].map(|percent| percent_text(*percent));
            json!({ "every": every, "rate": rate, "correlation": correlation })
        }
    };
    match shift {
        Shift::Later(span) => table["hold"] = time_text(*span).into(),
        Shift::Earlier(span) => table["early"] = time_text(*span).into(),
    }
    table
}

fn length(table: &Fields<'_>, key: &str) -> Result<Span, Problem> {
    table.need(key, "\"5 ms\"")?.span(INSTANT..=HOUR)
}

fn pareto(table: &Fields<'_>) -> Result<JitterModel, Problem> {
    let shape = match table.get("shape") {
        None => 2.5,
        Some(item) => {
            let shape = item.number()?;
            if !(SHAPES.0..=SHAPES.1).contains(&shape) {
                let what = format!("is {shape}, allowed is {} to {}", SHAPES.0, SHAPES.1);
                return Err(item.problem(code::OUT_OF_RANGE, what));
            }
            shape
        }
    };
    Ok(JitterModel::Pareto { mean: length(table, "mean")?, shape })
}

/// The keys `rate` and those of this file, complete.
pub(crate) fn effective(rate_bps: u64, changing: &Changing) -> Map<String, Json> {
    let step = |step: &Step| {
        let mut map = Map::new();
        map.insert("at".into(), time_text(Span(step.at.0)).into());
        map.extend(step.rate_bps.map(|bps| ("rate".to_owned(), rate_text(bps).into())));
        map.extend(step.delay.map(|delay| ("delay".to_owned(), time_text(delay).into())));
        Json::Object(map)
    };
    let outage = |outage: &Outage| {
        let packets = FATES.iter().find(|(_, lost)| *lost == outage.lost).map(|(word, _)| *word);
        let mut map = Map::new();
        map.insert("at".into(), time_text(Span(outage.at.0)).into());
        map.insert("for".into(), time_text(outage.length).into());
        map.extend(outage.every.map(|every| ("every".to_owned(), time_text(every).into())));
        map.insert("packets".into(), packets.into());
        map.insert("handover".into(), outage.handover.into());
        Json::Object(map)
    };
    let jitter = |jitter: &Jitter| {
        let (model, mut table) = match jitter.model {
            JitterModel::Normal { deviation } => ("normal", json!({ "deviation": time_text(deviation) })),
            JitterModel::Uniform { spread } => ("uniform", json!({ "spread": time_text(spread) })),
            JitterModel::Exponential { mean } => ("exponential", json!({ "mean": time_text(mean) })),
            JitterModel::Pareto { mean, shape } => ("pareto", json!({ "mean": time_text(mean), "shape": shape })),
        };
        table["model"] = model.into();
        table["reorder"] = jitter.reorder.into();
        table
    };
    let mut map = Map::new();
    map.insert("rate".into(), changing.trace.is_none().then(|| rate_text(rate_bps)).into());
    map.insert("trace".into(), changing.trace.as_deref().into());
    map.insert("changes".into(), changing.steps.iter().map(step).collect());
    map.insert("outages".into(), changing.outages.iter().map(outage).collect());
    map.insert("jitter".into(), changing.jitter.as_ref().map_or(json!(false), jitter));
    map.insert("reorder".into(), reordering_effective(&changing.reordering));
    map
}
