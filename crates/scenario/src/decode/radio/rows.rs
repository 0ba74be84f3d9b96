//! The numbers and rules of a medium as keys of its table: one row serves reading, printing and the reference.

use serde_json::{Value as Json, json};
use units::{Span, num};
use wlan::params::{AfterTimeout, Capture, Counters, Draw, Eifs, NavRound, Protection, Responder, Timeouts};
use wlan::{Coherence, GivenUp, Params, Propagation, Rate, Reception, Travel};

use super::{edca, rates};
use crate::error::Problem;
use crate::node::Value;
use crate::read::{HOUR, INSTANT, Item};
use crate::units::{
    Kind, frequency_text, length_text, level_text, parse, power_text, rate_text, size_text, speed_text, time_text,
};

/// A key of a radio.
pub(crate) struct Row {
    pub(crate) key: &'static str,
    pub(crate) meaning: &'static str,
    pub(super) read: fn(&mut Params, &Item<'_>) -> Result<(), Problem>,
    /// Null: the key is a short form of others.
    pub(super) write: fn(&Params) -> Json,
}

/// A row whose value is a field.
macro_rules! row {
    ($key:literal, $meaning:literal, $($field:ident).+, $read:expr, $write:expr) => {
        Row {
            key: $key,
            meaning: $meaning,
            read: |params, item| {
                params.$($field).+ = ($read)(item)?;
                Ok(())
            },
            write: |params| ($write)(&params.$($field).+),
        }
    };
}

/// A row whose value is one of some words.
macro_rules! words {
    ($key:literal, $meaning:literal, $($field:ident).+, $words:expr) => {
        row!($key, $meaning, $($field).+, |item: &Item<'_>| item.word($words), |value: &_| word($words, value))
    };
}

/// Longest space, slot or preamble that may be written.
const SECOND: Span = Span(1_000_000_000);
/// Longest distance, metres.
pub(super) const FAR: f64 = 1e7;
/// Most bytes that a MAC adds to a packet.
const ADDED: u64 = 1000;
/// RTS goes before frames of this length, and before none.
const NEVER: u32 = u32::MAX;
const ALWAYS: &str = "always";
pub(super) const OFF: &str = "off";
const AUTO: &str = "auto";

/// Every row, in the order of reading: a later one may need what an earlier one says.
pub(crate) static ROWS: &[Row] = &[
    row!("slot", "slot of the backoff", slot, positive, span_text),
    row!("sifs", "short inter-frame space, before an answer", sifs, positive, span_text),
    row!("difs", "DCF inter-frame space, before a backoff", difs, positive, span_text),
    row!("cca", "who would start so soon after another's frame has reached it starts as well", cca, any, span_text),
    row!("cw_min", "contention window at first: a power of two, less one", cw_min, window, number),
    row!("cw_min_dsss", "the same for stations of 802.11b among others", cw_min_dsss, window, number),
    row!("cw_max", "contention window at most", cw_max, window, number),
    row!("short_retry_limit", "attempts of an RTS, or of data without RTS", short_retry_limit, limit, number),
    row!("long_retry_limit", "attempts of data behind a CTS", long_retry_limit, limit, number),
    row!("dsss_long_preamble", "preamble and header of DSSS frames at 1 Mbps", dsss_long_preamble, any, span_text),
    row!("dsss_preamble", "preamble and header of other DSSS frames", dsss_preamble, any, span_text),
    Row {
        key: "preamble",
        meaning: "\"long\" or \"short\": `dsss_preamble` is 192 us or 96 us",
        read: |params, item| {
            let short = item.word(&[("long", false), ("short", true)])?;
            params.dsss_preamble = if short { Span(96_000) } else { params.dsss_long_preamble };
            Ok(())
        },
        write: |_| Json::Null,
    },
    row!("round_us", "airtimes of DSSS frames are whole microseconds, rounded up", round_us, flag, truth),
    row!("ofdm_preamble", "preamble and header of OFDM frames", ofdm_preamble, any, span_text),
    row!("signal_extension", "silence at the end of an OFDM frame", signal_extension, any, span_text),
    row!(
        "plcp_bits",
        "bits of preamble and header of ns-2's frames",
        plcp.bits,
        |item: &Item<'_>| item.whole(0..=100_000).map(|bits| bits as u32),
        number
    ),
    row!(
        "plcp_rate",
        "rate of these bits",
        plcp.bps,
        |item: &Item<'_>| item.rate().map(|bps| bps as f64),
        |bps: &f64| json!(rate_text(*bps as u64))
    ),
    Row {
        key: "data_rates",
        meaning: "rates that data may have: in ns-2's sets any, in others those of their PHY",
        read: |params, item| {
            params.rates = rates::list(item, &params.rates)?;
            if !params.rates.contains(&params.rate) {
                params.rate = rates::fastest_like(params, params.rates[0]);
            }
            Ok(())
        },
        write: |params| rates_text(&params.rates),
    },
    Row {
        key: "rate",
        meaning: "rate of data, such as \"11 Mbps\" or \"MCS 7\"",
        read: |params, item| {
            params.rate = rates::one_of(item, &params.rates)?;
            Ok(())
        },
        write: |params| json!(rates::text(params.rate)),
    },
    Row {
        key: "basic_rates",
        meaning: "rates of control frames and broadcasts",
        read: |params, item| {
            params.basic_rates = rates::list(item, &params.basic_rates)?;
            Ok(())
        },
        write: |params| rates_text(&params.basic_rates),
    },
    Row {
        key: "rts_rate",
        meaning: "rate of RTS; \"auto\": the highest basic rate not above that of the data",
        read: |params, item| {
            params.rts_rate = if item.is(AUTO) { None } else { Some(rates::one_of(item, &params.basic_rates)?) };
            Ok(())
        },
        write: |params| json!(params.rts_rate.map_or(AUTO.to_owned(), rates::text)),
    },
    Row {
        key: "protection",
        meaning: "what goes before OFDM frames where stations of 802.11b listen: \"off\", \"cts-to-self\", \"rts-cts\"",
        read: |params, item| {
            let slowest = params.basic_rates.iter().copied().min_by_key(|rate| rate.kbps).unwrap_or(params.rate);
            let rate = params.protection.rate().unwrap_or(slowest);
            params.protection = item.word(&[
                (OFF, Protection::Off),
                (CTS_TO_SELF, Protection::CtsToSelf(rate)),
                (RTS_CTS, Protection::RtsCts(rate)),
            ])?;
            Ok(())
        },
        write: |params| {
            json!(match params.protection {
                Protection::Off => OFF,
                Protection::CtsToSelf(_) => CTS_TO_SELF,
                Protection::RtsCts(_) => RTS_CTS,
            })
        },
    },
    Row {
        key: "protection_rate",
        meaning: "rate of what goes before; by default that of the set, or the lowest basic rate",
        read: |params, item| {
            let rate = rates::one_of(item, &params.basic_rates)?;
            params.protection = match params.protection {
                Protection::Off => Protection::Off,
                Protection::CtsToSelf(_) => Protection::CtsToSelf(rate),
                Protection::RtsCts(_) => Protection::RtsCts(rate),
            };
            Ok(())
        },
        write: |params| params.protection.rate().map_or(Json::Null, |rate| json!(rates::text(rate))),
    },
    row!("mac_bytes", "bytes that the MAC adds to a packet, FCS included", mac_bytes, added, size),
    row!("extra_mac_bytes", "more such bytes, for example \"16 B\" of CCMP", extra_mac_bytes, added, size),
    Row {
        key: "rts_threshold",
        meaning: "RTS and CTS go before frames of so many bytes: \"500 B\", \"always\", \"off\"",
        read: |params, item| {
            params.rts_threshold = match () {
                () if item.is(ALWAYS) => 0,
                () if item.is(OFF) => NEVER,
                () => item.bytes(0..=1_000_000)? as u32,
            };
            Ok(())
        },
        write: |params| match params.rts_threshold {
            0 => json!(ALWAYS),
            NEVER => json!(OFF),
            bytes => json!(size_text(u64::from(bytes))),
        },
    },
    words!("draw", "backoff slots are drawn from 0 to cw, \"to-cw\", or to cw - 1, \"below-cw\"", rules.draw, DRAWS),
    row!("immediate_access", "a frame that meets an idle medium needs no backoff", rules.immediate_access, flag, truth),
    row!("backoff_after_drop", "slots are drawn after a frame was given up", rules.backoff_after_drop, flag, truth),
    words!(
        "after_timeout",
        "what the own timeout is followed by: \"difs\", or \"none\": slots at once",
        rules.after_timeout,
        AFTER
    ),
    words!(
        "timeouts",
        "an answer is awaited until its \"preamble\" must have come, or for the \"whole-answer\" and 4 us",
        rules.timeouts,
        TIMEOUTS
    ),
    words!("eifs", "EIFS is a \"space\" in place of DIFS, or a \"nav\" with DIFS behind it", rules.eifs, EIFS),
    row!("eifs_below_rx", "a frame too weak to decode costs EIFS as well", rules.eifs_below_rx, flag, truth),
    words!("nav_round", "how Durations become whole microseconds: \"up\", \"nearest\"", rules.nav_round, ROUNDS),
    row!("nav_reset", "a NAV set by an RTS ends early if nothing follows", rules.nav_reset, flag, truth),
    words!(
        "capture",
        "of frames that overlap, \"none\" is received, or the \"first\" if it is strong beside the others, or \"any\" such; \
         \"sinr\": all that overlaps is noise, and `reception = \"snr\"` decides",
        rules.capture,
        CAPTURES
    ),
    words!("counters", "retry counters belong to the \"frame\" or the \"station\"", rules.counters, COUNTERS),
    words!("responder", "who answers what: as the \"standard\" says, or as \"ns2\" does", rules.responder, RESPONDERS),
    Row {
        key: "edca",
        meaning: "classes of packets have queues and windows of their own: false (default), true, or a table by class \
                  (voice, video, best-effort, background) with aifsn, cw_min, cw_max, txop",
        read: edca::read,
        write: |params| if params.edca { edca::text(params, &params.edca_station) } else { json!(false) },
    },
    Row {
        key: "ap_edca",
        meaning: "classes of access points: \"same\" (default), \"usual\", as their software usually has them, or a table",
        read: edca::read_access_point,
        write: |params| edca::text(params, &params.edca_access_point),
    },
    row!("ampdu_max_mpdus", "packets that go together at most, at rates of HT", ampdu.mpdus, together, number),
    row!(
        "ampdu_max_bytes",
        "bytes that they have at most",
        ampdu.bytes,
        |item: &Item<'_>| item.bytes(1..=65_535).map(|bytes| bytes as u32),
        size
    ),
    row!("ampdu_max_us", "airtime that they take at most", ampdu.airtime, positive, span_text),
    row!("ampdu_min", "fewer packets than this go one by one", ampdu_min, together, number),
    row!("mpdu_retry_limit", "attempts of a packet that went together with others", mpdu_retry_limit, limit, number),
    words!(
        "bar",
        "how a receiver learns that a packet it waits for was given up: \"free\", from the next frame, or by a \"frame\" \
         of its own, a BlockAckReq",
        given_up,
        GIVEN_UP
    ),
    row!(
        "reorder_timeout",
        "how long a receiver waits for a packet missing before others",
        reorder_timeout,
        positive,
        span_text
    ),
    words!(
        "propagation",
        "how power falls: \"free-space\", \"two-ray\", \"log-distance\"",
        radio.propagation,
        PROPAGATIONS
    ),
    Row {
        key: "path_exponent",
        meaning: "exponent of log-distance: 2 in the open, 3 to 4 indoors",
        read: |params, item| {
            let exponent = item.number()?;
            if let Propagation::LogDistance { .. } = params.radio.propagation {
                params.radio.propagation = Propagation::LogDistance { exponent };
            }
            Ok(())
        },
        write: |params| match params.radio.propagation {
            Propagation::LogDistance { exponent } => json!(exponent),
            Propagation::FreeSpace | Propagation::TwoRay => Json::Null,
        },
    },
    row!("frequency", "carrier", radio.frequency, |item: &Item<'_>| item.hertz(), |hz: &f64| json!(frequency_text(
        *hz
    ))),
    row!("tx_power", "transmitted power, antenna gains included", radio.tx_power, power, watts),
    row!("antenna_height", "height of the antennas, for two rays", radio.antenna_height, metres, length),
    row!("least_distance", "shorter distances count as this", radio.least_distance, metres, length),
    row!("light", "speed of light", radio.light, |item: &Item<'_>| item.speed(), |speed: &f64| json!(speed_text(
        *speed
    ))),
    row!("rx_threshold", "least power at which a frame is decoded", radio.rx_threshold, power, watts),
    Row {
        key: "receive_range",
        meaning: "instead of `rx_threshold`: how far frames are decoded, \"250 m\"",
        read: |params, item| {
            params.radio.rx_threshold = params.radio.power_at(metres(item)?);
            Ok(())
        },
        write: |_| Json::Null,
    },
    row!(
        "cs_threshold",
        "least power that is sensed; with `reception = \"snr\"` a frame whose preamble is understood is sensed below it, too",
        radio.cs_threshold,
        power,
        watts
    ),
    Row {
        key: "sense_range",
        meaning: "instead of `cs_threshold`: how far frames are sensed, \"550 m\"",
        read: |params, item| {
            let (power, decoded) = (params.radio.power_at(metres(item)?), params.radio.rx_threshold);
            // ns-2's thresholds have four digits, so 250 m is not to the last one what decodes at 250 m
            let same = (power / decoded - 1.0).abs() < 1e-3;
            params.radio.cs_threshold = if same { decoded } else { power };
            Ok(())
        },
        write: |_| Json::Null,
    },
    row!(
        "capture_ratio",
        "how many times as strong as another a frame must be that the other does it no harm: \"10 dB\", or a number",
        radio.capture_ratio,
        ratio,
        ratio_text
    ),
    words!(
        "reception",
        "what decides whether a frame is read: its power, \"threshold\", or \"snr\"",
        radio.reception,
        RECEPTIONS
    ),
    row!("noise", "noise, that of the receiver included", radio.noise, power, watts),
    words!(
        "travel",
        "frames arrive when they are sent, \"none\", or as light travels, \"exact\"",
        radio.travel,
        TRAVELS
    ),
    row!(
        "shadowing",
        "standard deviation of a log-normal factor for each pair of stations",
        radio.shadowing_db,
        |item: &Item<'_>| item.decibels(0.0..=100.0),
        |db: &f64| json!(level_text(*db))
    ),
    row!(
        "shadowing_coherence",
        "metres of way of a station that moves after which that factor is to 1/e what it was",
        radio.shadowing_coherence,
        |item: &Item<'_>| item.metres(1e-3..=FAR),
        length
    ),
    row!(
        "fading",
        "\"off\", or how often an exponential factor is drawn anew for each pair (Rayleigh): \"50 ms\", or \"auto\": by the \
         speed of the two, from 1 ms to 1 s",
        radio.rayleigh_block,
        fading,
        |block: &Option<Coherence>| json!(match block {
            None => OFF.to_owned(),
            Some(Coherence::Time(block)) => time_text(*block),
            Some(Coherence::Speed) => AUTO.to_owned(),
        })
    ),
    row!(
        "move_step",
        "powers follow stations that move at most so often",
        radio.move_step,
        |item: &Item<'_>| item.span(Span(1_000_000)..=HOUR),
        span_text
    ),
];

const CTS_TO_SELF: &str = "cts-to-self";
const RTS_CTS: &str = "rts-cts";
const DRAWS: &[(&str, Draw)] = &[("to-cw", Draw::ToCw), ("below-cw", Draw::BelowCw)];
const AFTER: &[(&str, AfterTimeout)] = &[("difs", AfterTimeout::Difs), ("none", AfterTimeout::Slots)];
const TIMEOUTS: &[(&str, Timeouts)] = &[("preamble", Timeouts::Preamble), ("whole-answer", Timeouts::WholeAnswer)];
const EIFS: &[(&str, Eifs)] = &[("space", Eifs::Space), ("nav", Eifs::Nav)];
const ROUNDS: &[(&str, NavRound)] = &[("up", NavRound::Up), ("nearest", NavRound::Nearest)];
const CAPTURES: &[(&str, Capture)] =
    &[("none", Capture::Off), ("first", Capture::First), ("any", Capture::Any), ("sinr", Capture::Sinr)];
const GIVEN_UP: &[(&str, GivenUp)] = &[("free", GivenUp::Free), ("frame", GivenUp::Frame)];
const COUNTERS: &[(&str, Counters)] = &[("frame", Counters::Frame), ("station", Counters::Station)];
const RESPONDERS: &[(&str, Responder)] = &[("standard", Responder::Standard), ("ns2", Responder::Ns2)];
const RECEPTIONS: &[(&str, Reception)] = &[("threshold", Reception::Threshold), ("snr", Reception::Snr)];
const TRAVELS: &[(&str, Travel)] = &[("none", Travel::None), ("exact", Travel::Exact)];
/// Log-distance with its usual exponent indoors.
const PROPAGATIONS: &[(&str, Propagation)] = &[
    ("free-space", Propagation::FreeSpace),
    ("two-ray", Propagation::TwoRay),
    ("log-distance", Propagation::LogDistance { exponent: 3.0 }),
];

/// The word of a value; of log-distance with any exponent.
fn word<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> Json {
    let same = |other: &T| other == value || std::mem::discriminant(other) == std::mem::discriminant(value);
    words.iter().find(|(_, other)| same(other)).map_or(Json::Null, |(word, _)| json!(word))
}

fn fading(item: &Item<'_>) -> Result<Option<Coherence>, Problem> {
    match () {
        () if item.is(OFF) => Ok(None),
        () if item.is(AUTO) => Ok(Some(Coherence::Speed)),
        () => item.span(Span(1000)..=HOUR).map(|block| Some(Coherence::Time(block))),
    }
}

fn positive(item: &Item<'_>) -> Result<Span, Problem> {
    item.span(INSTANT..=SECOND)
}

fn any(item: &Item<'_>) -> Result<Span, Problem> {
    item.span(Span::ZERO..=SECOND)
}

fn span_text(span: &Span) -> Json {
    json!(time_text(*span))
}

fn window(item: &Item<'_>) -> Result<u32, Problem> {
    item.whole(1..=32_767).map(|window| window as u32)
}

fn limit(item: &Item<'_>) -> Result<u32, Problem> {
    item.whole(1..=1000).map(|attempts| attempts as u32)
}

fn together(item: &Item<'_>) -> Result<u32, Problem> {
    item.whole(1..=64).map(|packets| packets as u32)
}

fn number(number: &u32) -> Json {
    json!(number)
}

fn flag(item: &Item<'_>) -> Result<bool, Problem> {
    item.flag()
}

fn truth(on: &bool) -> Json {
    json!(on)
}

fn added(item: &Item<'_>) -> Result<u32, Problem> {
    item.bytes(0..=ADDED).map(|bytes| bytes as u32)
}

fn size(bytes: &u32) -> Json {
    json!(size_text(u64::from(*bytes)))
}

fn power(item: &Item<'_>) -> Result<f64, Problem> {
    item.watts()
}

fn watts(power: &f64) -> Json {
    json!(power_text(*power))
}

fn metres(item: &Item<'_>) -> Result<f64, Problem> {
    item.metres(0.0..=FAR)
}

fn length(metres: &f64) -> Json {
    json!(length_text(*metres))
}

fn rates_text(rates: &[Rate]) -> Json {
    rates.iter().map(|rate| rates::text(*rate)).collect()
}

/// How many times, from decibels.
fn times(db: f64) -> f64 {
    num::pow(10.0, db / 10.0)
}

/// A ratio: decibels, or how many times.
fn ratio(item: &Item<'_>) -> Result<f64, Problem> {
    match &item.node.value {
        Value::Text(text) if matches!(parse(text), Ok((_, unit)) if unit.kind == Kind::Level) => {
            item.decibels(0.0..=200.0).map(times)
        }
        Value::Text(_) => item.decibels(0.0..=200.0).map(times),
        _ => item.number(),
    }
}

fn ratio_text(ratio: &f64) -> Json {
    let db = (num::ln(*ratio) / std::f64::consts::LN_10 * 1000.0).round() / 100.0;
    if times(db) == *ratio { json!(level_text(db)) } else { json!(ratio) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_is_written_as_it_is_read() {
        use crate::node::Node;
        use crate::read::Fields;

        for name in Params::NAMES {
            let set = Params::named(name).unwrap();
            let mut read = set.clone();
            for row in ROWS {
                let written = (row.write)(&set);
                if written == Json::Null {
                    continue;
                }
                let table = Node::from_json(&json!({ "key": written }).to_string()).unwrap();
                let fields = Fields::open(&table, "", &["key"]).unwrap();
                let item = fields.get("key").unwrap();
                (row.read)(&mut read, &item).unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
                assert_eq!((row.write)(&read), written, "{name}: {}", row.key);
            }
            assert_eq!(read, set, "{name}");
        }
    }

    #[test]
    fn ten_decibels_are_ten_times() {
        assert_eq!((times(10.0), ratio_text(&10.0)), (10.0, json!("10 dB")));
        assert_eq!(ratio_text(&7.0), json!(7.0));
    }
}
