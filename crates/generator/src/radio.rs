//! Radio media: a set of 802.11 and changes to it.

use serde_json::{Map, Value, json};
use wlan::{Params, Phy, Rate};

use crate::draw::Draw;
use crate::queues::queue;

const FLAGS: &[&str] = &["true", "false"];

/// Keys that go with every set, and values.
const ANY: &[(&str, &[&str])] = &[
    ("slot", &["20 us", "9 us", "50 us"]),
    ("cca", &["0 s", "4 us"]),
    ("cw_min", &["7", "15", "31", "1"]),
    ("cw_min_dsss", &["31", "63"]),
    ("cw_max", &["1023", "127", "63"]),
    ("short_retry_limit", &["7", "1", "3"]),
    ("long_retry_limit", &["4", "1"]),
    ("dsss_long_preamble", &["192 us"]),
    ("preamble", &["long", "short"]),
    ("round_us", FLAGS),
    ("ofdm_preamble", &["20 us"]),
    ("signal_extension", &["6 us", "0 s"]),
    ("rts_rate", &["auto"]),
    ("mac_bytes", &["28 B", "58 B"]),
    ("extra_mac_bytes", &["16 B"]),
    ("rts_threshold", &["500 B", "always", "off"]),
    ("draw", &["to-cw", "below-cw"]),
    ("immediate_access", FLAGS),
    ("backoff_after_drop", FLAGS),
    ("after_timeout", &["difs", "none"]),
    ("timeouts", &["preamble", "whole-answer"]),
    ("eifs", &["space", "nav"]),
    ("eifs_below_rx", FLAGS),
    ("nav_round", &["up", "nearest"]),
    ("nav_reset", FLAGS),
    ("capture", &["none", "first", "any"]),
    ("counters", &["frame", "station"]),
    ("ampdu_max_mpdus", &["1", "4", "64"]),
    ("ampdu_max_bytes", &["65535 B", "8000 B"]),
    ("ampdu_max_us", &["5484 us", "700 us"]),
    ("ampdu_min", &["2", "1"]),
    ("mpdu_retry_limit", &["10", "2"]),
    ("bar", &["free", "frame"]),
    ("reorder_timeout", &["100 ms", "3 ms"]),
    ("propagation", &["free-space", "two-ray", "log-distance"]),
    ("frequency", &["2.437 GHz", "5.2 GHz"]),
    ("tx_power", &["16 dBm", "100 mW"]),
    ("antenna_height", &["1.5 m"]),
    ("least_distance", &["1 m", "0.1 m"]),
    ("light", &["299792458 m/s"]),
    ("capture_ratio", &["10 dB", "2"]),
    ("noise", &["-93 dBm"]),
    ("travel", &["none", "exact"]),
    ("shadowing", &["0 dB", "3 dB"]),
    ("shadowing_coherence", &["10 m", "0.5 m"]),
    ("fading", &["off", "50 ms", "auto", "3 ms"]),
    ("move_step", &["10 ms", "100 ms"]),
    ("arf_start", &["low", "high"]),
    ("queue_counting", &["waiting", "ns2"]),
    ("ap_queues", &["one", "per-station"]),
    ("link_layer", &["0 s", "25 us"]),
    ("arp", FLAGS),
    ("routing_bytes", &["0 B", "20 B"]),
];

/// The keys of a radio with stations of these names, and whether it has classes.
pub(crate) fn radio(draw: &mut Draw<'_>, profile: &str, stations: &[String]) -> (Map<String, Value>, bool) {
    let mut radio = Map::new();
    let mut set = if profile == "ns2" { "ns2-default" } else { "dot11g" };
    if draw.one_in(2) {
        set = draw.pick(&Params::NAMES);
        radio.insert("set".to_owned(), set.into());
    }
    let params = Params::named(set).expect("it is one of the names");
    let rate = draw.pick(&params.rates);
    if draw.one_in(2) {
        radio.insert("rate".to_owned(), text(rate));
    }
    if draw.one_in(4) {
        let one = &stations[draw.below(stations.len())];
        radio.insert("rates".to_owned(), json!({ one: text(draw.pick(&params.rates)) }));
    }
    if matches!(rate.phy, Phy::Ht(_)) && draw.one_in(4) {
        radio.insert("channel_width".to_owned(), draw.value(&["20 MHz", "40 MHz"]));
        radio.insert("guard_interval".to_owned(), draw.value(&["long", "short"]));
    }
    if draw.one_in(2) {
        for (key, values) in ANY {
            if draw.one_in(9) {
                radio.insert((*key).to_owned(), draw.value(values));
            }
        }
    }
    spaces(draw, &params, &mut radio);
    let classes = of_sets(draw, &params, stations, &mut radio);
    if draw.one_in(3) {
        radio.insert("loss".to_owned(), errors(draw));
    }
    for key in ["queue", "ap_queue"] {
        if draw.one_in(3) {
            radio.insert(key.to_owned(), queue(draw));
        }
    }
    if radio.get("propagation").is_some_and(|word| word == "log-distance") && draw.one_in(2) {
        radio.insert("path_exponent".to_owned(), json!(3.3));
    }
    (radio, classes)
}

fn text(rate: Rate) -> Value {
    match rate.phy {
        Phy::Ht(scheme) => format!("MCS {}", scheme.index()).into(),
        _ => format!("{} kbps", rate.kbps).into(),
    }
}

fn spaces(draw: &mut Draw<'_>, params: &Params, radio: &mut Map<String, Value>) {
    if draw.one_in(8) {
        radio.insert("sifs".to_owned(), "10 us".into());
        radio.insert("difs".to_owned(), draw.value(&["50 us", "28 us", "11 us"]));
    }
    if params.plcp.bits > 0 && draw.one_in(8) {
        radio.insert("plcp_bits".to_owned(), draw.value(&["192", "0"]));
        radio.insert("plcp_rate".to_owned(), "1 Mbps".into());
    }
    if draw.one_in(8) {
        radio.insert("dsss_preamble".to_owned(), "96 us".into());
        radio.remove("preamble");
    }
    if draw.one_in(8) {
        radio.insert("protection".to_owned(), draw.value(&["cts-to-self", "rts-cts", "off"]));
        if radio["protection"] != "off" {
            radio.insert("protection_rate".to_owned(), text(params.basic_rates[0]));
        }
    }
    if draw.one_in(8) {
        radio.insert("basic_rates".to_owned(), params.basic_rates.iter().map(|rate| text(*rate)).collect());
        radio.insert("data_rates".to_owned(), params.rates.iter().map(|rate| text(*rate)).collect());
    }
}

/// What some sets do not have. True with classes.
fn of_sets(draw: &mut Draw<'_>, params: &Params, stations: &[String], radio: &mut Map<String, Value>) -> bool {
    let ns2 = params.rules.responder == wlan::params::Responder::Ns2;
    if !ns2 && draw.one_in(4) {
        radio.insert("reception".to_owned(), "snr".into());
        if draw.one_in(3) {
            radio.insert("capture".to_owned(), "sinr".into());
        }
    }
    if draw.one_in(3) {
        let word = draw.value(&["fixed", "arf", "minstrel"]);
        let one = &stations[draw.below(stations.len())];
        radio.insert("rate_control".to_owned(), if draw.one_in(3) { json!({ one: word }) } else { word });
    }
    if stations.len() > 2 && draw.one_in(8) && !draw.one_in(4) {
        // all hear the last one, an access point, and each its neighbour
        let last = &stations[stations.len() - 1];
        let near = stations.windows(2).map(|two| json!([two[0], two[1]]));
        let far = stations[..stations.len() - 2].iter().map(|one| json!([one, last]));
        radio.insert("hears".to_owned(), near.chain(far).collect());
        for key in ["fading", "shadowing", "capture", "reception", "travel"] {
            radio.remove(key);
        }
    }
    let edca = !ns2 && draw.one_in(4);
    if edca {
        let voice = json!({ "aifsn": 2, "cw_min": 3, "cw_max": 7, "txop": "1504 us" });
        let table = json!({ "voice": voice, "background": { "aifsn": 9 } });
        radio.insert("edca".to_owned(), if draw.one_in(2) { table } else { json!(true) });
        if draw.one_in(2) {
            radio.insert("ap_edca".to_owned(), draw.value(&["same", "usual"]));
        }
    }
    if draw.one_in(16) {
        radio.insert("responder".to_owned(), if ns2 { "ns2" } else { "standard" }.into());
    }
    edca
}

fn errors(draw: &mut Draw<'_>) -> Value {
    let mut table = match draw.below(5) {
        0 => return draw.percent(10.0).into(),
        1 => json!({ "rate": draw.percent(10.0), "model": "independent" }),
        2 => json!({ "rate": draw.percent(10.0), "model": "gilbert", "burst": draw.value(&["10 frames", "5 ms"]) }),
        3 => json!({ "rate": draw.percent(10.0), "burst": format!("{} frames", draw.count(1, 40)) }),
        _ => json!({ "rate": draw.percent(10.0), "model": "ns2-two-state", "burst": "8 frames" }),
    };
    if draw.one_in(2) {
        table["at"] = draw.value(&["mac", "above"]);
        table["frames"] = draw.value(&["all", "data"]);
    }
    table
}
