//! A link of a topology: rate, delay, queue, loss and marks in both directions.

use std::sync::Arc;

use net::{Counting, DirectionSpec, LinkSpec, NodeId, QueueLimit, QueueSpec, WarningSpec};
use serde_json::{Map, Value as Json, json};
use sim::Stream;
use tcp::Profile;
use units::Span;

use super::depth::{Depth, Paths};
use super::drawn::{times, times_text};
use super::loss::Loss;
use super::queue::{self, PACKETS};
use super::{changing, handovers};
use crate::error::{Problem, code};
use crate::files::Files;
use crate::node::{Node, Table, Value};
use crate::read::{Fields, Item};

/// For which run a link is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ForRun {
    /// The queue is recorded over time.
    pub(crate) trace_queue: Option<net::QueueTracing>,
    /// Seed of the run; none for no run, where what is drawn has its mean.
    pub(crate) seed: Option<u64>,
}

impl ForRun {
    /// No run: for whoever asks what links there are.
    pub(crate) const NONE: ForRun = ForRun { trace_queue: None, seed: None };
}

/// A link in both directions.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    forward: Direction,
    reverse: Direction,
}

/// A direction as it was described: [`Direction::spec`] is what the network makes of it.
#[derive(Clone, Debug)]
struct Direction {
    rate_bps: u64,
    /// Least and most, between which each link draws its own.
    delay: (Span, Span),
    queue: QueueSpec,
    /// Limit of the queue, where it depends on the path.
    depth: Option<Depth>,
    /// The warning's threshold is half the limit.
    warned_at_half: bool,
    loss: Loss,
    drops: Vec<u64>,
    drops_count_data: bool,
    changing: net::Changing,
}

/// Keys of a link.
pub(crate) const KEYS: &[&str] = &[
    "rate",
    "delay",
    "queue",
    "queue_counting",
    "policer",
    "loss",
    "drops",
    "warning",
    "changes",
    "outages",
    "trace",
    "jitter",
    "reorder",
    "handovers",
    "reverse",
];
/// What numbers in a drop list count, and whether that is data only.
const DROP_COUNTS: &[(&str, bool)] = &[("packets", false), ("data", true)];
pub(crate) const COUNTINGS: &[(&str, Counting)] = &[("waiting", Counting::Waiting), ("ns2", Counting::Ns2)];

/// Keys of a link and what they mean.
pub(crate) static MEANINGS: &[(&str, &str)] = &[
    ("rate", "bits per second, such as \"8 Mbps\""),
    (
        "delay",
        "propagation delay, such as \"50 ms\", or \"uniform(1 ms, 15 ms)\", drawn for each link and run; one draw for both directions",
    ),
    (
        "queue",
        "limit of a drop-tail queue, \"50 packets\" (default), \"75 kB\", \"100 ms\" or \"1 bdp\"; or the name of a \
         discipline, or a table with discipline and its parameters",
    ),
    (
        "queue_counting",
        "\"waiting\": the limit counts packets that wait; \"ns2\": one less, in drop-tail queues; default by profile",
    ),
    ("policer", "token bucket before the queue that drops the excess: false or a table with rate, burst"),
    (
        "loss",
        "random loss: \"1 %\" or a table with model and its keys, at (wire, queue), direction (forward, reverse, both)",
    ),
    (
        "drops",
        "arrival numbers, from 0, lost before the queue: a table with forward, reverse, and count, which is \"packets\" \
         (default) or \"data\": packets with data only",
    ),
    ("warning", "congestion warning marks: true or a table with threshold (default half the queue), weight (0.002)"),
    ("reverse", "changes for the reverse direction, which otherwise equals the forward one but has no loss"),
];

/// Read a link; `keys` are those of the table it stands in.
pub(crate) fn read(item: &Item<'_>, keys: &[&str], profile: Profile, files: &Files) -> Result<Link, Problem> {
    let table = item.table(keys)?;
    let counting = match profile {
        Profile::Rfc | Profile::Linux => Counting::Waiting,
        Profile::Ns2 => Counting::Ns2,
    };
    let base = Direction {
        rate_bps: match table.get("trace") {
            Some(_) => 1, // that of the trace
            None => table.need("rate", "\"8 Mbps\"")?.rate()?,
        },
        delay: times(&table.need("delay", "\"50 ms\"")?)?,
        queue: QueueSpec::drop_tail(QueueLimit::Packets(50), counting),
        depth: None,
        warned_at_half: false,
        loss: Loss::NONE,
        drops: Vec::new(),
        drops_count_data: false,
        changing: net::Changing::default(),
    };
    let mut forward = changed(&table, base, table.get("warning"), profile, files)?;
    let mut reverse = forward.clone();
    reverse.changing.handovers = Vec::new(); // both ways, on the forward direction
    if let Some(item) = table.get("loss") {
        let (loss, on_forward, on_reverse) = directed_loss(&item, files)?;
        forward.loss = if on_forward { loss.clone() } else { Loss::NONE };
        reverse.loss = if on_reverse { loss } else { Loss::NONE };
    }
    if let Some(item) = table.get("reverse") {
        let keys: Vec<&str> =
            KEYS.iter().filter(|key| !matches!(**key, "drops" | "handovers" | "reverse")).copied().collect();
        let own = item.table(&keys)?;
        // A threshold of half the queue is half of this direction's queue.
        reverse = changed(&own, reverse, own.get("warning").or(table.get("warning")), profile, files)?;
        if let Some(item) = own.get("loss") {
            reverse.loss = Loss::read(&item, &[], files)?;
            reverse.loss.check(&item, reverse.rate_bps)?;
        }
    }
    if let Some(item) = table.get("loss") {
        forward.loss.check(&item, forward.rate_bps)?;
        reverse.loss.check(&item, reverse.rate_bps)?;
    }
    if let Some(item) = table.get("drops") {
        if matches!(item.node.value, Value::List(_)) {
            let what = "is a list, wanted is a table: each direction has its own";
            return Err(item.problem(code::WRONG_TYPE, what).hint("write `drops = { forward = [3, 8] }`"));
        }
        let table = item.table(&["forward", "reverse", "count"])?;
        let data_only = table.get("count").map_or(Ok(false), |item| item.word(DROP_COUNTS))?;
        (forward.drops_count_data, reverse.drops_count_data) = (data_only, data_only);
        forward.drops = arrivals(table.get("forward"))?;
        reverse.drops = arrivals(table.get("reverse"))?;
    }
    Ok(Link { forward, reverse })
}

/// A direction with what the table says about rate, delay, changes, queue and policer, and its warning.
fn changed(
    table: &Fields<'_>,
    mut direction: Direction,
    warned: Option<Item<'_>>,
    profile: Profile,
    files: &Files,
) -> Result<Direction, Problem> {
    changing::read(table, &mut direction.rate_bps, &mut direction.changing, files)?;
    if let Some(item) = table.get("delay") {
        direction.delay = times(&item)?;
    }
    if let Some(item) = table.get("queue") {
        let before = direction.queue;
        let queue;
        (queue, direction.depth) = queue::read(&item, profile, before.counting)?;
        direction.queue = QueueSpec { policer: before.policer, warning: before.warning, ..queue };
    }
    if let Some(item) = table.get("queue_counting") {
        direction.queue.counting = item.word(COUNTINGS)?;
    }
    if let Some(item) = table.get("policer") {
        direction.queue.policer = queue::policer(&item)?;
    }
    if let Some(item) = warned {
        direction.queue.warning = warning(&item, direction.queue.limit)?;
        direction.warned_at_half = item.open_table().map_or(true, |table| table.get("threshold").is_none());
    }
    Ok(direction)
}

fn warning(item: &Item<'_>, limit: QueueLimit) -> Result<Option<WarningSpec>, Problem> {
    if item.flag().is_ok_and(|on| !on) {
        return Ok(None);
    }
    let whole = Node::new(item.node.place, Value::Table(Table::default()));
    let table = match item.node.value {
        Value::Flag(_) => Item { node: &whole, path: item.path.clone() }.table(&["threshold", "weight"])?,
        Value::Table(_) => item.table(&["threshold", "weight"])?,
        _ => return Err(item.problem(code::WRONG_TYPE, "is neither true, false nor a table")),
    };
    let threshold_packets = match (table.get("threshold"), limit) {
        (Some(item), _) => item.packets(0..=PACKETS)?,
        (None, QueueLimit::Packets(packets)) => f64::from(packets) / 2.0,
        (None, QueueLimit::Bytes(_)) => {
            return Err(table.need("threshold", "\"25 packets\"").err().expect("it is not there"));
        }
    };
    let weight = match table.get("weight") {
        None => 0.002,
        Some(item) => {
            let weight = item.number()?;
            if !(weight > 0.0 && weight <= 1.0) {
                return Err(item.problem(code::OUT_OF_RANGE, format!("is {weight}, allowed is above 0, up to 1")));
            }
            weight
        }
    };
    Ok(Some(WarningSpec { threshold_packets, weight }))
}

/// Words for the directions that a loss is on: forward, reverse.
pub(crate) const DIRECTIONS: &[(&str, (bool, bool))] =
    &[("forward", (true, false)), ("reverse", (false, true)), ("both", (true, true))];

/// A loss, and whether it is on the forward and on the reverse direction.
fn directed_loss(item: &Item<'_>, files: &Files) -> Result<(Loss, bool, bool), Problem> {
    let found = Loss::read(item, &["direction"], files)?;
    let direction = match item.node.value {
        Value::Table(_) => item.open_table()?.get("direction"),
        _ => None,
    };
    let (forward, reverse) = direction.map_or(Ok((true, false)), |item| item.word(DIRECTIONS))?;
    Ok((found, forward, reverse))
}

fn arrivals(item: Option<Item<'_>>) -> Result<Vec<u64>, Problem> {
    item.as_ref().map_or(Ok(Vec::new()), Item::numbers)
}

impl Direction {
    fn spec(&self, trace_queue: Option<net::QueueTracing>, delay: Span) -> DirectionSpec {
        DirectionSpec {
            rate_bps: self.rate_bps,
            delay,
            queue: QueueSpec { trace: trace_queue, ..self.queue },
            loss: self.loss.spec(self.rate_bps),
            changing: (self.changing != net::Changing::default()).then(|| Arc::new(self.changing.clone())),
            drops: self.drops.clone(),
            drops_count_data: self.drops_count_data,
        }
    }

    /// The direction's own keys, complete.
    fn effective(&self) -> Map<String, Json> {
        let warning = self.queue.warning.map_or(json!(false), |warning| {
            json!({ "threshold": format!("{} packets", warning.threshold_packets), "weight": warning.weight })
        });
        let word =
            |words: &[(&'static str, Counting)]| words.iter().find(|(_, c)| *c == self.queue.counting).map(|(w, _)| *w);
        let mut map = Map::new();
        map.extend(changing::effective(self.rate_bps, &self.changing));
        map.insert("delay".into(), times_text(self.delay).into());
        map.insert("queue".into(), queue::effective(&self.queue));
        map.insert("queue_counting".into(), word(COUNTINGS).into());
        map.insert("policer".into(), queue::policer_effective(self.queue.policer.as_ref()));
        map.insert("loss".into(), self.loss.effective());
        map.insert("warning".into(), warning);
        map
    }
}

impl Direction {
    /// Size the queue on these links.
    fn settle(&mut self, paths: &Paths<'_>, links: &[usize], reverse: bool) -> Result<(), Problem> {
        let Some(depth) = self.depth.take() else { return Ok(()) };
        let directions: Vec<(usize, bool)> = links.iter().map(|link| (*link, reverse)).collect();
        queue::settle(&mut self.queue, &depth, paths, &directions)?;
        if let (Some(warning), QueueLimit::Packets(packets), true) =
            (&mut self.queue.warning, self.queue.limit, self.warned_at_half)
        {
            warning.threshold_packets = f64::from(packets) / 2.0;
        }
        Ok(())
    }
}

impl Link {
    /// Whether a limit of a queue depends on the path.
    pub(crate) fn is_relative(&self) -> bool {
        self.forward.depth.is_some() || self.reverse.depth.is_some()
    }

    /// Size the queues whose limits depend on the path; `links` are the numbers of those that are so described.
    pub(crate) fn settle(&mut self, paths: &Paths<'_>, links: &[usize]) -> Result<(), Problem> {
        self.forward.settle(paths, links, false)?;
        self.reverse.settle(paths, links, true)
    }

    /// The link as the network wants it.
    pub(crate) fn spec(&self, name: String, a: NodeId, b: NodeId, run: ForRun) -> LinkSpec {
        let (there, back) = self.delays(&name, run.seed);
        let (forward, reverse) = (self.forward.spec(run.trace_queue, there), self.reverse.spec(run.trace_queue, back));
        LinkSpec { name, a, b, forward, reverse, medium: None }
    }

    /// The delay of each direction: one draw for both, unless the reverse direction has a delay of its own.
    fn delays(&self, name: &str, seed: Option<u64>) -> (Span, Span) {
        let share = |what: &str| seed.map_or(0.5, |seed| Stream::new(seed, &format!("{name}/{what}")).uniform());
        let drawn = |(least, most): (Span, Span), what: &str| {
            if least == most { least } else { least + Span((share(what) * (most - least).0 as f64) as u64) }
        };
        let there = drawn(self.forward.delay, "delay");
        let own = self.reverse.delay != self.forward.delay;
        (there, if own { drawn(self.reverse.delay, "reverse_delay") } else { there })
    }

    /// The keys of the link, complete.
    pub(crate) fn effective(&self) -> Map<String, Json> {
        let mut map = self.forward.effective();
        map.insert("handovers".into(), handovers::effective(&self.forward.changing.handovers));
        let count = DROP_COUNTS.iter().find(|(_, data_only)| *data_only == self.forward.drops_count_data);
        let (forward, reverse) = (&self.forward.drops, &self.reverse.drops);
        let drops = json!({ "forward": forward, "reverse": reverse, "count": count.map(|(word, _)| *word) });
        map.insert("drops".into(), drops);
        map.insert("reverse".into(), Json::Object(self.reverse.effective()));
        map
    }
}
