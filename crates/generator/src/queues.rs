//! What waits before a link, and who is dropped there.

use serde_json::{Map, Value, json};

use crate::draw::Draw;

/// A queue of any discipline.
pub(crate) fn queue(draw: &mut Draw<'_>) -> Value {
    let packets = draw.count(2, 300);
    let limit = match draw.below(4) {
        0 => format!("{} B", packets * 1500),
        1 => format!("{} KiB", packets + 2),
        _ => format!("{packets} packets"),
    };
    if draw.below(2) == 0 {
        return limit.into();
    }
    let discipline = draw.pick(&["drop-tail", "threshold", "red", "codel", "pie", "fq-codel", "dualpi2"]);
    let mut table = Map::new();
    table.insert("discipline".to_owned(), discipline.into());
    match discipline {
        "threshold" => threshold(draw, packets, &mut table),
        "red" => red(draw, packets, &mut table),
        _ => {
            table.insert("limit".to_owned(), limit.into());
            for (key, values) in parameters(discipline) {
                if draw.one_in(4) {
                    table.insert((*key).to_owned(), draw.value(values));
                }
            }
        }
    }
    table.into()
}

fn parameters(discipline: &str) -> &'static [(&'static str, &'static [&'static str])] {
    match discipline {
        "codel" => &[("ecn", FLAGS), ("target", TARGETS), ("interval", INTERVALS)],
        "pie" => &[
            ("ecn", FLAGS),
            ("target", TARGETS),
            ("update", INTERVALS),
            ("alpha", &["0.125", "0", "3.7"]),
            ("beta", &["1.25", "0", "11"]),
            ("max_burst", INTERVALS),
            ("mark_p", SHARES),
            ("derandomize", FLAGS),
        ],
        "fq-codel" => &[
            ("ecn", FLAGS),
            ("target", TARGETS),
            ("interval", INTERVALS),
            ("quantum", &["1514 B", "300 B", "9000 B"]),
            ("flows", &["1", "2", "1024"]),
            ("drop_batch", &["1 packet", "64 packets", "3 packets"]),
        ],
        "dualpi2" => &[
            ("target", TARGETS),
            ("update", INTERVALS),
            ("alpha", &["0.15", "0", "2"]),
            ("beta", &["3", "0", "17"]),
            ("coupling", &["2", "0.5", "4"]),
            ("ramp_from", &["800 us", "0 s", "5 ms"]),
            ("ramp_range", &["400 us", "0 s", "3 ms"]),
            ("min_packets", &["1 packet", "0 packets", "4 packets"]),
            ("scheduler", &["wrr", "tsfifo"]),
            ("classic_share", &["0.0625", "0.5", "0.001"]),
            ("time_shift", &["50 ms", "0 s", "1 s"]),
            ("random", FLAGS),
        ],
        _ => &[],
    }
}

const FLAGS: &[&str] = &["true", "false"];
const TARGETS: &[&str] = &["5 ms", "1 ms", "15 ms", "100 ms"];
const INTERVALS: &[&str] = &["100 ms", "16 ms", "1 ms", "300 ms"];
const SHARES: &[&str] = &["0.1", "1", "0.37"];

fn threshold(draw: &mut Draw<'_>, packets: u64, table: &mut Map<String, Value>) {
    let limit = packets + 21;
    table.insert("limit".to_owned(), format!("{limit} packets").into());
    if draw.one_in(2) {
        table.insert("mark_above".to_owned(), format!("{} packets", draw.count(1, limit - 1)).into());
    }
}

fn red(draw: &mut Draw<'_>, packets: u64, table: &mut Map<String, Value>) {
    let limit = packets + 20;
    table.insert("limit".to_owned(), format!("{limit} packets").into());
    if draw.one_in(2) {
        let min = draw.count(1, limit / 2);
        table.insert("min".to_owned(), format!("{min} packets").into());
        let max = if draw.one_in(4) { json!("auto") } else { format!("{} packets", min + draw.count(1, limit)).into() };
        table.insert("max".to_owned(), max);
    }
    let choices: &[(&str, &[&str])] = &[
        ("ecn", FLAGS),
        ("weight", &["0.002", "0.05", "1", "auto"]),
        ("max_p", SHARES),
        ("gentle", FLAGS),
        ("wait", FLAGS),
        ("unit", &["packets", "bytes"]),
        ("byte_mode", FLAGS),
        ("mean_packet", &["500 B", "1500 B", "40 B"]),
        ("mark_p", SHARES),
        ("adaptive", FLAGS),
    ];
    for (key, values) in choices {
        if draw.one_in(4) {
            table.insert((*key).to_owned(), draw.value(values));
        }
    }
}
