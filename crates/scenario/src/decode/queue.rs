//! The queue of a link: a limit, or a discipline with its parameters; and the policer before it.
//!
//! One table of disciplines serves reading, printing, `windlass list queues` and the reference.

#[macro_use]
mod row;
mod dual_pi2;

use net::{CodelSpec, Counting, Discipline, FqCodelSpec, PieSpec, PolicerSpec, QueueLimit, QueueSpec, RedSpec};
use serde_json::{Map, Value as Json, json};
use tcp::Profile;

use self::row::{MILLISECOND, gain, share};
pub(crate) use self::row::{PACKETS, Parameter, Ready};
use super::depth::{Depth, Paths};
use crate::error::{Problem, code};
use crate::node::Value;
use crate::read::{Fields, HOUR, Item};
use crate::units::{Kind, parse, rate_text, size_text, time_text};

/// Most bytes a queue may hold.
const PETABYTE: u64 = 1_000_000_000_000_000;
/// Longest packet, bytes.
const LONGEST: u64 = 65_535;
const AUTO: &str = "auto";

const LIMIT: Parameter = Parameter {
    key: "limit",
    allowed: "at least \"1 packets\", a size, a time, or \"1 bdp\"",
    meaning: "what may wait: a time of the link's rate, or bandwidth-delay products, as packets, rounded up",
    read: |queue, item| {
        // what depends on the path is put in when that is known
        queue.limit = if Depth::read(item)?.is_some() { QueueLimit::Packets(PACKETS) } else { limit(item)? };
        Ok(())
    },
    write: |queue| json!(limit_text(queue.limit)),
};

const ECN: Parameter = Parameter {
    key: "ecn",
    allowed: "true, false",
    meaning: "mark packets of ECN-capable transports instead of dropping them early",
    read: |queue, item| {
        queue.ecn = item.flag()?;
        Ok(())
    },
    write: |queue| json!(queue.ecn),
};

const TARGET: Parameter = parameter!(codel, "target", "standing delay that is tolerated", target, span);
const INTERVAL: Parameter =
    parameter!(codel, "interval", "time above the target before the first drop; about the largest RTT", interval, span);

/// Every discipline.
pub(crate) static READY: &[Ready] = &[
    Ready {
        name: "drop-tail",
        summary: "First in, first out; what finds no place is dropped",
        source: "-",
        limit: 50,
        early: false,
        discipline: |_| Discipline::DropTail,
        parameters: &[],
    },
    Ready {
        name: "threshold",
        summary: "Drop-tail that marks a packet which finds more than a threshold waiting, as DCTCP wants it",
        source: "RFC 8257 section 3.1; default of Alizadeh et al. 2010",
        limit: 50,
        early: false,
        discipline: |_| Discipline::Threshold(QueueLimit::Packets(20)),
        parameters: &[Parameter {
            key: "mark_above",
            allowed: "at least \"1 packets\", or a size",
            meaning: "threshold K on what waits at the moment",
            read: |queue, item| {
                queue.discipline = Discipline::Threshold(limit(item)?);
                Ok(())
            },
            write: |queue| match queue.discipline {
                Discipline::Threshold(most) => json!(limit_text(most)),
                _ => Json::Null,
            },
        }],
    },
    Ready {
        name: "red",
        summary: "Random early detection: drops at random, the more often the longer the averaged queue",
        source: "Floyd and Jacobson 1993; gentle: Floyd 2000; adaptive: Floyd, Gummadi and Shenker 2001; ns-2",
        limit: 50,
        early: true,
        discipline: |profile| Discipline::Red(RedSpec { wait: profile == Profile::Ns2, ..RedSpec::default() }),
        parameters: &[
            parameter!(
                red,
                "min",
                "\"0 packets\" and more, \"auto\"",
                "averaged queue from which packets are dropped; \"auto\": 2.5 ms of the rate, at least 5 packets",
                min,
                |item| auto(item, |item| item.packets(0..=PACKETS)),
                |min| packets_text(min)
            ),
            parameter!(
                red,
                "max",
                "above min, \"auto\"",
                "averaged queue at which the probability is max_p; \"auto\": three times min",
                max,
                |item| auto(item, |item| item.packets(0..=PACKETS)),
                |max| packets_text(max)
            ),
            parameter!(
                red,
                "weight",
                "above 0, up to 1, \"auto\"",
                "of a new sample in the average; \"auto\": ten RTTs, see specs/papers/red.md",
                weight,
                |item| auto(item, share),
                |weight| weight.map_or(json!(AUTO), |weight| json!(weight))
            ),
            parameter!(red, "max_p", "probability at max", max_p, share),
            parameter!(
                red,
                "gentle",
                "the probability rises from max_p at max to 1 at twice max; false: it is 1 from max on",
                gentle,
                flag
            ),
            parameter!(
                red,
                "wait",
                "drops are at least 1/probability packets apart (ns-2), not spread evenly; default true in profile ns2",
                wait,
                flag
            ),
            parameter!(
                red,
                "unit",
                "\"packets\", \"bytes\"",
                "what the average counts; bytes are divided by mean_packet",
                in_bytes,
                |item| item.word(UNITS),
                |bytes| json!(if bytes { "bytes" } else { "packets" })
            ),
            parameter!(red, "byte_mode", "large packets are dropped more often than small ones", byte_mode, flag),
            parameter!(
                red,
                "mean_packet",
                "1 B to 65535 B",
                "size of a mean packet, for idle time and bytes",
                mean_packet,
                |item| item.bytes(1..=LONGEST).map(|bytes| bytes as u32),
                |bytes| json!(size_text(u64::from(bytes)))
            ),
            parameter!(red, "mark_p", "highest probability at which packets are marked, not dropped", mark_p, share),
            parameter!(red, "adaptive", "adapt max_p to keep the average midway between min and max", adaptive, flag),
        ],
    },
    Ready {
        name: "codel",
        summary: "Controlled delay: drops from the head once packets have waited above a target for an interval",
        source: "RFC 8289",
        limit: 1000,
        early: true,
        discipline: |_| Discipline::Codel(CodelSpec::default()),
        parameters: &[TARGET, INTERVAL],
    },
    Ready {
        name: "pie",
        summary: "Drops arriving packets with a probability that a controller moves towards a target delay",
        source: "RFC 8033",
        limit: 1000,
        early: true,
        discipline: |_| Discipline::Pie(PieSpec::default()),
        parameters: &[
            parameter!(pie, "target", "delay that is aimed at", target, span),
            parameter!(pie, "update", "time between two updates of the probability", update, span),
            parameter!(
                pie,
                "alpha",
                "0 to 1000",
                "weight of the distance from the target, per second",
                alpha,
                |item| gain(item),
                |x| json!(x)
            ),
            parameter!(
                pie,
                "beta",
                "0 to 1000",
                "weight of the change of the delay, per second",
                beta,
                |item| gain(item),
                |x| json!(x)
            ),
            parameter!(pie, "max_burst", "length of a burst that is let through", max_burst, span),
            parameter!(pie, "mark_p", "probability from which packets are dropped, not marked", mark_p, share),
            parameter!(pie, "derandomize", "space drops more evenly than chance alone would", derandomize, flag),
        ],
    },
    Ready {
        name: "fq-codel",
        summary: "A lane for every flow, served in turns, each watched by CoDel",
        source: "RFC 8290",
        limit: 10_240,
        early: true,
        discipline: |_| Discipline::FqCodel(FqCodelSpec::default()),
        parameters: &[
            TARGET,
            INTERVAL,
            parameter!(
                fq_codel,
                "quantum",
                "1 B to 65535 B",
                "what a lane may send in a turn",
                quantum,
                |item| item.bytes(1..=LONGEST).map(|bytes| bytes as u32),
                |bytes| json!(size_text(u64::from(bytes)))
            ),
            parameter!(
                fq_codel,
                "flows",
                "1 to 65536",
                "number of lanes, into which flows are hashed",
                flows,
                |item| item.whole(1..=65_536).map(|n| n as u32),
                |n| json!(n)
            ),
            parameter!(
                fq_codel,
                "drop_batch",
                "1 packets and more",
                "most packets dropped at once from the longest lane when the limit is exceeded",
                drop_batch,
                |item| item.whole_packets(1..=PACKETS),
                |n| json!(format!("{n} packets"))
            ),
        ],
    },
    dual_pi2::DUAL_PI2,
];

const UNITS: &[(&str, bool)] = &[("packets", false), ("bytes", true)];

fn red(queue: &mut QueueSpec) -> &mut RedSpec {
    match &mut queue.discipline {
        Discipline::Red(red) => red,
        _ => unreachable!("a row of RED"),
    }
}

fn codel(queue: &mut QueueSpec) -> &mut CodelSpec {
    match &mut queue.discipline {
        Discipline::Codel(codel) => codel,
        Discipline::FqCodel(fq) => &mut fq.codel,
        _ => unreachable!("a row of CoDel"),
    }
}

fn pie(queue: &mut QueueSpec) -> &mut PieSpec {
    match &mut queue.discipline {
        Discipline::Pie(pie) => pie,
        _ => unreachable!("a row of PIE"),
    }
}

fn fq_codel(queue: &mut QueueSpec) -> &mut FqCodelSpec {
    match &mut queue.discipline {
        Discipline::FqCodel(fq) => fq,
        _ => unreachable!("a row of FQ-CoDel"),
    }
}

fn auto(item: &Item<'_>, read: fn(&Item<'_>) -> Result<f64, Problem>) -> Result<Option<f64>, Problem> {
    if item.is(AUTO) { Ok(None) } else { read(item).map(Some) }
}

fn packets_text(packets: Option<f64>) -> Json {
    packets.map_or(json!(AUTO), |packets| json!(format!("{packets} packets")))
}

fn limit(item: &Item<'_>) -> Result<QueueLimit, Problem> {
    let in_bytes = item.text().is_ok_and(|text| matches!(parse(text), Ok((_, unit)) if unit.kind == Kind::Size));
    if in_bytes {
        item.bytes(1..=PETABYTE).map(QueueLimit::Bytes)
    } else {
        item.whole_packets(1..=PACKETS).map(QueueLimit::Packets)
    }
}

fn limit_text(limit: QueueLimit) -> String {
    match limit {
        QueueLimit::Packets(packets) => format!("{packets} packets"),
        QueueLimit::Bytes(bytes) => size_text(bytes),
    }
}

impl Ready {
    /// The queue with every default.
    pub(crate) fn queue(&self, profile: Profile, counting: Counting) -> QueueSpec {
        let marks =
            self.early || matches!((self.discipline)(profile), Discipline::Threshold(_) | Discipline::DualPi2(_));
        QueueSpec {
            discipline: (self.discipline)(profile),
            ecn: marks,
            ..QueueSpec::drop_tail(QueueLimit::Packets(self.limit), counting)
        }
    }

    pub(crate) fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        std::iter::once(&LIMIT).chain(self.early.then_some(&ECN)).chain(self.parameters)
    }
}

fn ready(queue: &QueueSpec) -> &'static Ready {
    let name = match queue.discipline {
        Discipline::DropTail => "drop-tail",
        Discipline::Threshold(_) => "threshold",
        Discipline::Red(_) => "red",
        Discipline::Codel(_) => "codel",
        Discipline::Pie(_) => "pie",
        Discipline::FqCodel(_) => "fq-codel",
        Discipline::DualPi2(_) => "dualpi2",
    };
    READY.iter().find(|ready| ready.name == name).expect("every discipline is in the table")
}

/// A queue, and its limit where that depends on the path.
pub(crate) type Found = (QueueSpec, Option<Depth>);

/// Read a queue: the limit of a DropTail queue, the name of a discipline, or a table.
pub(crate) fn read(item: &Item<'_>, profile: Profile, counting: Counting) -> Result<Found, Problem> {
    let words: Vec<_> = READY.iter().map(|ready| (ready.name, ready)).collect();
    if !matches!(item.node.value, Value::Table(_)) {
        if is_name(&item.node.value) {
            return Ok((item.word(&words)?.queue(profile, counting), None));
        }
        let mut queue = READY[0].queue(profile, counting);
        (LIMIT.read)(&mut queue, item)?;
        return Ok((queue, Depth::read(item)?));
    }
    let ready = item.open_table()?.need("discipline", "\"red\"")?.word(&words)?;
    let keys: Vec<&str> = std::iter::once("discipline").chain(ready.parameters().map(|p| p.key)).collect();
    let table = item.table(&keys)?;
    let mut queue = ready.queue(profile, counting);
    for parameter in ready.parameters() {
        if let Some(item) = table.get(parameter.key) {
            (parameter.read)(&mut queue, &item)?;
        }
    }
    let depth = table.get("limit").map_or(Ok(None), |item| Depth::read(&item))?;
    never_full_enough(&table, &queue)?;
    if let Discipline::Red(red) = queue.discipline {
        let problem = match (red.min, red.max) {
            (Some(min), Some(max)) if max <= min => format!("is {max} packets, but `min` is {min} packets"),
            (None, Some(max)) => format!("is {max} packets, but `min` is \"auto\""),
            _ => return Ok((queue, depth)),
        };
        let place = table.get("max").or(table.get("min")).map_or(item.node.place, |item| item.node.place);
        return Err(Problem::new(code::OUT_OF_RANGE, place, format!("`{}.max` {problem}", item.path))
            .hint("make `max` larger than `min`, or let it be \"auto\": three times `min`"));
    }
    Ok((queue, depth))
}

/// Whether a value is text that begins with a letter: the name of a discipline, not a limit.
pub(crate) fn is_name(value: &Value) -> bool {
    matches!(value, Value::Text(text) if text.starts_with(char::is_alphabetic))
}

/// Put the packets that a limit is on these directions of links into its queue.
pub(crate) fn settle(
    queue: &mut QueueSpec,
    depth: &Depth,
    paths: &Paths<'_>,
    directions: &[(usize, bool)],
) -> Result<(), Problem> {
    queue.limit = QueueLimit::Packets(depth.packets(paths, directions)?);
    let Some((key, stands)) = without_effect(queue) else { return Ok(()) };
    let what = format!("{} here: `{key}`, {stands}, would have no effect", limit_text(queue.limit));
    Err(depth.problem(&what).hint(format!("lower `{key}` or raise the limit")))
}

/// The key and value of a threshold above what the queue can hold: nothing would ever be marked or dropped early.
fn without_effect(queue: &QueueSpec) -> Option<(&'static str, String)> {
    let (key, stands, above) = match (queue.discipline, queue.limit) {
        (Discipline::Threshold(mark), limit) => {
            let above = match (mark, limit) {
                (QueueLimit::Packets(mark), QueueLimit::Packets(limit)) => mark >= limit,
                (QueueLimit::Bytes(mark), QueueLimit::Bytes(limit)) => mark >= limit,
                _ => false,
            };
            ("mark_above", limit_text(mark), above)
        }
        (Discipline::Red(RedSpec { min: Some(min), in_bytes: false, .. }), QueueLimit::Packets(limit)) => {
            ("min", format!("{min} packets"), min > f64::from(limit))
        }
        _ => return None,
    };
    above.then_some((key, stands))
}

/// A problem if a threshold stands above what the queue can hold.
fn never_full_enough(table: &Fields<'_>, queue: &QueueSpec) -> Result<(), Problem> {
    let Some((key, stands)) = without_effect(queue) else { return Ok(()) };
    let limit = limit_text(queue.limit);
    let problem = |item: &Item<'_>, what: String| {
        let what = format!("{what}, but the queue holds {limit} at most: it would have no effect");
        Err(item.problem(code::OUT_OF_RANGE, what).hint(format!("lower `{key}` or raise `limit`")))
    };
    match (table.get(key), table.get("limit")) {
        (Some(item), _) => problem(&item, format!("is {}", item.node.value.show())),
        (None, Some(item)) => problem(&item, format!("is too small: `{key}` is {stands} where it is not given")),
        (None, None) => Ok(()),
    }
}

/// A DropTail queue is its limit, another a table of everything.
pub(crate) fn effective(queue: &QueueSpec) -> Json {
    if queue.discipline == Discipline::DropTail {
        return json!(limit_text(queue.limit));
    }
    let ready = ready(queue);
    let mut map = Map::new();
    map.insert("discipline".into(), ready.name.into());
    for parameter in ready.parameters() {
        map.insert(parameter.key.into(), (parameter.write)(queue));
    }
    Json::Object(map)
}

/// Read a policer: false or a table.
pub(crate) fn policer(item: &Item<'_>) -> Result<Option<PolicerSpec>, Problem> {
    match item.node.value {
        Value::Flag(false) => return Ok(None),
        Value::Table(_) => {}
        _ => {
            return Err(item
                .problem(code::WRONG_TYPE, "is neither false nor a table")
                .hint("write `policer = { rate = \"8 Mbps\", burst = \"30 kB\" }`"));
        }
    }
    let table = item.table(&["rate", "burst"])?;
    Ok(Some(PolicerSpec {
        rate_bps: table.need("rate", "\"8 Mbps\"")?.rate()?,
        burst_bytes: table.need("burst", "\"30 kB\"")?.bytes(1..=PETABYTE)?,
    }))
}

/// The keys of a policer.
pub(crate) fn policer_effective(policer: Option<&PolicerSpec>) -> Json {
    policer.map_or(
        json!(false),
        |policer| json!({ "rate": rate_text(policer.rate_bps), "burst": size_text(policer.burst_bytes) }),
    )
}
