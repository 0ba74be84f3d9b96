//! Sections `[tcp]` and `flows.tcp`: one row per engine rule, read and printed by the same row.

use cc::registry::Recovery;
use serde_json::{Value as Json, json};
use tcp::{Agent, Config, Count, DelackMode, HalfBase, InitialWindow, Pacing, RecoverRule};
use units::Span;

use crate::error::{Problem, code};
use crate::read::{HOUR, INSTANT, Item};
use crate::units::time_text;

/// Most segments of a window.
const SEGMENTS: u32 = 1 << 24;

/// An engine rule as a key of the scenario.
pub(crate) struct Rule {
    pub(crate) key: &'static str,
    pub(crate) meaning: &'static str,
    read: fn(&mut Config, &Item<'_>) -> Result<(), Problem>,
    pub(crate) write: fn(&Config) -> Json,
}

pub(crate) const RECOVERIES: &[(&str, Recovery)] = &[
    ("tahoe", Recovery::Tahoe),
    ("reno", Recovery::Reno),
    ("newreno", Recovery::NewReno),
    ("sack", Recovery::Sack),
    ("vegas", Recovery::Vegas),
];
const RECOVER_RULES: &[(&str, RecoverRule)] =
    &[("careful", RecoverRule::Careful), ("less-careful", RecoverRule::LessCareful), ("off", RecoverRule::Off)];
const COUNTS: &[(&str, Count)] = &[("bytes", Count::Bytes), ("acks", Count::Acks)];
const AGENTS: &[(&str, Agent)] = &[("one-way", Agent::OneWay), ("full", Agent::Full)];
const HALF_BASES: &[(&str, HalfBase)] = &[("flight", HalfBase::Flight), ("window", HalfBase::Window)];
const MODES: &[(&str, DelackMode)] = &[("per-segment", DelackMode::PerSegment), ("heartbeat", DelackMode::Heartbeat)];
const PACINGS: &[(&str, Pacing)] =
    &[("algorithm", Pacing::Algorithm), ("window", Pacing::Window), ("off", Pacing::Off)];
const DELACK_SAMPLES: &[(&str, bool)] = &[("skip", false), ("use", true)];
const ECHOES: &[(&str, bool)] = &[("latched", false), ("per-packet", true)];

/// The word of a value.
fn word<T: PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|(_, known)| *known == value).map_or("", |(word, _)| word)
}

/// Name of a recovery core.
pub(crate) fn recovery_word(recovery: Recovery) -> &'static str {
    word(RECOVERIES, recovery)
}

/// The recovery core of that name.
pub(crate) fn recovery_from(name: &str) -> Option<Recovery> {
    RECOVERIES.iter().find(|(word, _)| *word == name).map(|(_, core)| *core)
}

fn segments(n: u32) -> String {
    format!("{n} segments")
}

/// A row whose value goes straight into a field.
macro_rules! rule {
    ($key:ident, $meaning:literal, flag) => {
        rule!($key, $meaning, |item| item.flag(), |value| json!(value))
    };
    ($key:ident, $meaning:literal, span $least:expr) => {
        rule!($key, $meaning, |item| item.span($least..=HOUR), |value| json!(time_text(value)))
    };
    ($key:ident, $meaning:literal, word $words:ident) => {
        rule!($key, $meaning, |item| item.word($words), |value| json!(word($words, value)))
    };
    ($key:ident, $meaning:literal, |$item:ident| $read:expr, |$value:ident| $write:expr) => {
        Rule {
            key: stringify!($key),
            meaning: $meaning,
            read: |config, $item| {
                config.$key = $read?;
                Ok(())
            },
            write: |config| {
                let $value = config.$key;
                $write
            },
        }
    };
}

/// Every rule.
pub(crate) static RULES: &[Rule] = &[
    rule!(window, "receiver's window", |item| item.segments(1..=SEGMENTS), |n| json!(segments(n))),
    rule!(
        header,
        "header bytes of every segment on the wire, ACKs included",
        |item| item.bytes(1..=1000).map(|bytes| bytes as u32),
        |bytes| json!(format!("{bytes} B"))
    ),
    rule!(
        initial_window,
        "initial window: segments, \"rfc6928\" or \"rfc5681\"",
        |item| initial_window(item),
        |window| match window {
            InitialWindow::Segments(n) => json!(segments(n)),
            InitialWindow::Rfc5681 => json!("rfc5681"),
            InitialWindow::Rfc6928 => json!("rfc6928"),
        }
    ),
    rule!(
        initial_ssthresh,
        "initial slow start threshold; the receiver's window if not given",
        |item| item.segments(1..=SEGMENTS).map(Some),
        |n| n.map_or(Json::Null, |n| json!(segments(n)))
    ),
    rule!(
        recovery,
        "recovery core; the one that the algorithm names if not given",
        |item| item.word(RECOVERIES).map(Some),
        |core| core.map_or(Json::Null, |core| json!(recovery_word(core)))
    ),
    rule!(prr, "bring the flight down in proportion during a recovery (RFC 9937); needs `newreno` or `sack`", flag),
    rule!(
        dup_threshold,
        "duplicate ACKs that mean a loss, 1 to 10",
        |item| item.whole(1..=10).map(|n| n as u32),
        |n| json!(n)
    ),
    rule!(
        limited_transmit,
        "segments that duplicate ACKs below the threshold may release: a number, \"off\", or \"all\"",
        |item| limited_transmit(item),
        |most| match most {
            0 => json!("off"),
            u32::MAX => json!("all"),
            n => json!(segments(n)),
        }
    ),
    rule!(recover_rule, "guard against repeated fast retransmits (RFC 6582)", word RECOVER_RULES),
    rule!(ns2_recovery, "recover as ns-2's agents do instead of RFC 6582 and RFC 6675", flag),
    rule!(
        agent,
        "which of ns-2's agents that is: \"one-way\", or \"full\" (FullTcp), the default with data both ways",
        word AGENTS
    ),
    rule!(half_base, "what a halving starts from: the flight size or the window", word HALF_BASES),
    rule!(whole_ssthresh, "ssthresh counts whole segments", flag),
    rule!(rto_ssthresh_hold, "keep ssthresh when the timer expires again for the same segment", flag),
    rule!(ss_count, "what an ACK counts for in slow start: what it acknowledges (RFC 3465), or a segment", word COUNTS),
    rule!(
        ss_limit,
        "most segments that an ACK counts for in slow start, L of RFC 3465: a number or \"off\"",
        |item| limit(item),
        |most| limit_text(most)
    ),
    rule!(
        ss_limit_rto,
        "the same in a slow start that repairs losses, as after a timeout",
        |item| limit(item),
        |most| limit_text(most)
    ),
    rule!(
        ca_count,
        "what an ACK counts for in congestion avoidance: likewise, and no more than the window",
        word COUNTS
    ),
    rule!(cwnd_limited, "grow the window only while it is in use", flag),
    rule!(rto_init, "retransmission timeout before any sample", span INSTANT),
    rule!(rto_min, "least retransmission timeout (RFC 6298); Linux bounds its variance term instead", span INSTANT),
    rule!(rto_max, "greatest retransmission timeout", span INSTANT),
    rule!(rtt_tick, "clock tick of RTT measurement; zero for an exact clock", span Span::ZERO),
    rule!(
        clock_offset,
        "where the sender's clock stands at the start, within a tick; drawn for each flow if not given, but zero for Vegas with `ns2_recovery`",
        |item| item.span(Span::ZERO..=HOUR).map(Some),
        |at| at.map_or(Json::Null, |at| json!(time_text(at)))
    ),
    rule!(timestamps, "RTT samples from timestamps on every ACK (RFC 7323); default by algorithm", flag),
    rule!(
        delack_samples,
        "delay samples of ACKs that the receiver held back for another segment: \"use\" or \"skip\" for the algorithm",
        word DELACK_SAMPLES
    ),
    rule!(slow_start_restart, "restart from the initial window after an idle time of one RTO", flag),
    rule!(delayed_ack, "segments per ACK, 1 to 16", |item| item.whole(1..=16).map(|n| n as u32), |n| json!(n)),
    rule!(delayed_ack_timer, "longest time an ACK waits", span Span::from_millis(1)),
    rule!(delayed_ack_mode, "that timer runs per segment, or as a heartbeat", word MODES),
    rule!(dupack_from_data, "count duplicate ACKs that ride on data", flag),
    rule!(
        max_burst,
        "most segments released by one ACK: a number or \"off\"",
        |item| if item.is("off") { Ok(0) } else { item.segments(1..=SEGMENTS) },
        |most| if most == 0 { json!("off") } else { json!(segments(most)) }
    ),
    rule!(
        pacing,
        "space segments in time: at the rate of an algorithm that gives one, by the window per RTT, or not",
        word PACINGS
    ),
    rule!(pacing_slow_start, "pacing by the window: factor in slow start, 1 to 10", |item| factor(item), |x| json!(x)),
    rule!(pacing_factor, "pacing by the window: factor after slow start, 1 to 10", |item| factor(item), |x| json!(x)),
    rule!(
        pacing_burst,
        "segments that a paced sender may send at once after a pause",
        |item| item.segments(1..=SEGMENTS),
        |n| json!(segments(n))
    ),
    rule!(freeze, "Freeze-TCP: the receiver, warned of a handover, closes its window until it is over", flag),
    rule!(
        freeze_lead,
        "how long before the break it closes; one smoothed RTT of the sender if not given",
        |item| item.span(Span::ZERO..=HOUR).map(Some),
        |lead| lead.map_or(Json::Null, |lead| json!(time_text(lead)))
    ),
    rule!(
        freeze_copies,
        "ACKs with the old window that it sends at the end, 1 to 16",
        |item| item.whole(1..=16).map(|n| n as u32),
        |n| json!(n)
    ),
    rule!(freeze_kick, "the sender retransmits the oldest segment when the window opens again", flag),
    rule!(ecn, "packets are ECN-capable; default by algorithm", flag),
    Rule {
        key: "ecn_echo",
        meaning: "echo marks until the sender answers, or per packet, where a change ends a delayed ACK (RFC 8257); default by algorithm",
        read: |config, item| {
            config.ecn_per_packet = item.word(ECHOES)?;
            Ok(())
        },
        write: |config| json!(word(ECHOES, config.ecn_per_packet)),
    },
];

fn initial_window(item: &Item<'_>) -> Result<InitialWindow, Problem> {
    match () {
        () if item.is("rfc6928") => Ok(InitialWindow::Rfc6928),
        () if item.is("rfc5681") => Ok(InitialWindow::Rfc5681),
        () => item.segments(1..=SEGMENTS).map(InitialWindow::Segments),
    }
}

/// A factor of pacing: less than 1 would keep the window from filling.
fn factor(item: &Item<'_>) -> Result<f64, Problem> {
    let factor = item.number()?;
    if (1.0..=10.0).contains(&factor) {
        return Ok(factor);
    }
    Err(item.problem(code::OUT_OF_RANGE, format!("is {factor}, allowed is 1 to 10")))
}

/// Segments up to which an ACK counts.
fn limit(item: &Item<'_>) -> Result<u32, Problem> {
    if item.is("off") { Ok(u32::MAX) } else { item.segments(1..=SEGMENTS) }
}

fn limit_text(most: u32) -> Json {
    if most == u32::MAX { json!("off") } else { json!(segments(most)) }
}

fn limited_transmit(item: &Item<'_>) -> Result<u32, Problem> {
    match () {
        () if item.is("off") => Ok(0),
        () if item.is("all") => Ok(u32::MAX),
        () => item.segments(0..=SEGMENTS),
    }
}

/// The agent that the table names, if it does.
pub(crate) fn agent(item: &Item<'_>) -> Result<Option<Agent>, Problem> {
    let keys: Vec<&str> = RULES.iter().map(|rule| rule.key).collect();
    item.table(&keys)?.get("agent").map(|item| item.word(AGENTS)).transpose()
}

/// Change the rules that the table names.
pub(crate) fn read(item: &Item<'_>, config: &mut Config) -> Result<(), Problem> {
    let keys: Vec<&str> = RULES.iter().map(|rule| rule.key).collect();
    let table = item.table(&keys)?;
    for rule in RULES {
        if let Some(item) = table.get(rule.key) {
            (rule.read)(config, &item)?;
        }
    }
    let ordered = [("rto_min", config.rto_min), ("rto_init", config.rto_init)];
    match ordered.iter().find(|(_, span)| *span > config.rto_max) {
        Some((key, _)) => Err(item.problem(code::OUT_OF_RANGE, format!("has a `{key}` above its `rto_max`"))),
        None => Ok(()),
    }
}

/// Every rule with its value.
pub(crate) fn effective(config: &Config) -> Json {
    RULES.iter().map(|rule| (rule.key.to_owned(), (rule.write)(config))).collect::<serde_json::Map<_, _>>().into()
}
