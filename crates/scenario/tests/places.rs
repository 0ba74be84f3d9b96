//! Stations that move, several cells on one channel, and how distance tells on rates.

#[path = "common/radio.rs"]
mod common;

use common::{CELL, CHAIN, GRAPH, effective, network, numbers, read, refused, result};
use serde_json::json;
use units::Span;

const WALK: &str = r#"[scenario]
duration = "20 s"
[topology]
kind = "wlan"
stations = 2
positions = [["5 m", "0 m"], ["0 m", "5 m"]]
backbone = { rate = "100 Mbps", delay = "5 ms" }
moves = { "station/0" = { from = "5 m", to = "105 m", speed = "10 m/s" } }
radio = { set = "dot11a", rate = "6 Mbps" }
[[flows]]
from = "station/*"
to = "wired/0"
transport = "udp"
traffic = { kind = "cbr", rate = "1 Mbps", packet = "1500 B" }
"#;

#[test]
fn stations_move() {
    let complete = effective(WALK, &[]);
    let way = json!({ "waypoints": [["0 s", "5 m", "0 m"], ["10 s", "105 m", "0 m"]] });
    assert_eq!(complete["topology"]["moves"], json!({ "station/0": way }));
    assert_eq!(complete["topology"]["radio"]["move_step"], "100 ms");
    let medium = network(WALK, &[]).media.remove(0).channel;
    assert_eq!((medium.moves.len(), medium.moves[0].0), (1, 0));
    // written out complete it reads back as it was, whatever its kind
    let line = r#"{ "station/1" = { line = { from = ["0 m", "5 m"], velocity = ["1 m/s", "-2 m/s"] } } }"#;
    for moves in [line, r#"{ "station/*" = { fixed = ["3 m", "4 m"] } }"#] {
        effective(WALK, &[("topology.moves", moves)]);
    }
    let keys = [("shadowing_coherence", "30 m"), ("move_step", "50 ms"), ("fading", "auto"), ("shadowing", "4 dB")];
    let keys: Vec<(String, &str)> = keys.iter().map(|(key, value)| (format!("topology.radio.{key}"), *value)).collect();
    let sets: Vec<(&str, &str)> = keys.iter().map(|(key, value)| (key.as_str(), *value)).collect();
    let radio = network(WALK, &sets).media.remove(0).channel.params.radio;
    assert_eq!((radio.shadowing_coherence, radio.move_step), (30.0, Span::from_millis(50)));
    assert_eq!(radio.rayleigh_block, Some(wlan::Coherence::Speed));
    assert_eq!(effective(WALK, &sets)["topology"]["radio"]["fading"], "auto");
}

#[test]
fn a_graph_has_stations_that_move() {
    let moves = "set = \"dot11b\"\nmoves = { tablet = { from = \"4 m\", to = \"40 m\", speed = \"1 m/s\" } }";
    let text = GRAPH.replace("set = \"dot11b\"", moves);
    assert_eq!(network(&text, &[]).media[0].channel.moves[0].0, 1);
    assert_eq!(effective(&text, &[])["topology"]["media"][0]["moves"]["tablet"]["waypoints"][0][0], "0 s");
}

/// n2 goes away sideways at 20 m/s, 200 m from n1 along the line. It is out of reach, 250 m, after 150 m: 7.5 s.
#[test]
fn a_node_of_a_chain_moves() {
    let way = "moves = { n2 = { line = { from = \"400 m\", velocity = [\"0 m/s\", \"20 m/s\"] } } }\nspacing";
    let text = CHAIN.replace("spacing", way).replace("nodes = 5", "nodes = 3").replace("n4", "n2");
    let sets = [("scenario.duration", "20 s")];
    assert_eq!(effective(&text, &sets)["topology"]["moves"]["n2"]["line"]["velocity"], json!(["0 m/s", "20 m/s"]));
    let run = result(&text, &sets);
    let (secs, since) = (numbers(&run.stations, "out_of_reach_s"), numbers(&run.stations, "out_of_reach_since_s"));
    assert_eq!(secs[0], 0.0);
    assert!((12.3..=12.5).contains(&secs[1]) && secs[1] == secs[2], "{secs:?}");
    assert!((7.5..=7.7).contains(&since[2]), "{since:?}");
    let dropped = numbers(&run.stations, "mac_dropped_packets");
    assert!(dropped[0] == 0.0 && dropped[1] > 0.0, "{dropped:?}");
    // who stands where it would anyway changes nothing
    let fixed = text.replace("velocity = [\"0 m/s\", \"20 m/s\"]", "velocity = \"0 m/s\"");
    let still = CHAIN.replace("nodes = 5", "nodes = 3").replace("n4", "n2");
    let sent = |text: &str| numbers(&result(text, &[]).stations, "acked_packets");
    assert_eq!(sent(&fixed), sent(&still));
    let spacing = "spacing = \"200 m\"";
    let moves = |way: &str| format!("{spacing}\nmoves = {{ {way} }}");
    refused(CHAIN, spacing, &moves("n9 = { fixed = \"0 m\" }"), "unknown-node", &["topology.moves.n9", "n0"]);
    let away = moves("n1 = { fixed = \"2 km\" }");
    refused(CHAIN, spacing, &away, "out-of-reach", &["n0 and n1", "`moves` say where nodes are at the start"]);
}

#[test]
fn ways_that_cannot_be_are_refused() {
    let moves = "moves = { \"station/0\" = { from = \"5 m\", to = \"105 m\", speed = \"10 m/s\" } }";
    let spoiled = |new: &str, code: &str, words: &[&str]| refused(WALK, moves, new, code, words);
    spoiled(
        "moves = { \"station/7\" = { fixed = \"5 m\" } }",
        "unknown-node",
        &["topology.moves.station/7", "station/0"],
    );
    spoiled("moves = { \"station/0\" = { } }", "conflict", &["exactly one way", "speed"]);
    let twice = "moves = { \"station/0\" = { fixed = \"5 m\" }, \"station/*\" = { fixed = \"6 m\" } }";
    spoiled(twice, "conflict", &["second way", "station/0"]);
    let back = "moves = { \"station/0\" = { waypoints = [[\"5 s\", \"0 m\", \"0 m\"], [\"1 s\", \"0 m\", \"0 m\"]] } }";
    spoiled(back, "out-of-range", &["before the one"]);
    spoiled("moves = { \"station/0\" = { trace = \"no.txt\", node = \"a\" } }", "file", &["no.txt"]);
    let places = "positions = [[\"5 m\", \"0 m\"], [\"0 m\", \"5 m\"]]\n";
    refused(WALK, places, "", "conflict", &["topology.moves", "no places", "positions"]);
    let radio = "radio = { set = \"dot11a\", rate = \"6 Mbps\" }";
    let listed = "radio = { hears = [[\"station/0\", \"ap/0\"], [\"station/1\", \"ap/0\"]] }";
    refused(WALK, radio, listed, "conflict", &["topology.moves", "hears"]);
    let added = |what: &str| format!("radio = {{ set = \"dot11a\", {what} }}");
    refused(WALK, radio, &added("capture = \"sinr\""), "out-of-range", &["`capture`", "reception = \"snr\""]);
    refused(WALK, radio, &added("move_step = \"0 s\""), "out-of-range", &["move_step"]);
    let late = "write the points in order of time";
    spoiled(back, "out-of-range", &[late]);
    let fast = "moves = { \"station/0\" = { line = { from = \"5 m\", velocity = \"1e9 m/s\" } } }";
    spoiled(fast, "out-of-range", &["allowed is -100000 m/s to 100000 m/s", "write a speed from"]);
}

/// It walks away at 10 m/s and is out of reach, 58 m, after 5.3 s: what it sends then is given up by its MAC.
#[test]
fn who_walks_away_loses_what_it_sends() {
    let run = result(WALK, &[]);
    let apart = numbers(&run.stations, "out_of_reach_s");
    let radio = network(WALK, &[]).media[0].channel.params.radio.clone();
    let edge = (radio.power_at(1.0) / radio.rx_threshold).cbrt();
    assert!((apart[0] - (20.0 - (edge - 5.0) / 10.0)).abs() < 0.1 && apart[1] == 0.0, "{apart:?}, {edge} m");
    let since = numbers(&run.stations, "out_of_reach_since_s");
    assert!((since[0] - (20.0 - apart[0])).abs() < 1e-9 && since[1].is_nan(), "{since:?}");
    let told = read(WALK, &[]).unwrap().points()[0].absences().unwrap();
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((told.as_array().unwrap().len(), &told[0]["node"]), (1, &json!("station/0")));
    assert_eq!((&told[0]["seconds"], &told[0]["since_s"]), (&json!(apart[0]), &json!(since[0])));
    let dropped = numbers(&run.stations, "mac_dropped_packets");
    let acked = numbers(&run.stations, "acked_packets");
    // as many arrive as were sent on the way; each lost one takes seven attempts, so some wait at the end
    let share = (edge - 5.0) / 10.0 / 20.0;
    assert!((acked[0] / acked[1] - share).abs() < 0.03, "{acked:?}");
    assert!(dropped[0] > 100.0 && dropped[1] == 0.0, "{dropped:?}");
    // back again: nothing is lost after that
    let back =
        r#"{ "station/0" = { waypoints = [["0 s", "5 m", "0 m"], ["5 s", "105 m", "0 m"], ["10 s", "5 m", "0 m"]] } }"#;
    let acked = numbers(&result(WALK, &[("topology.moves", back)]).stations, "acked_packets");
    let share = 1.0 - 2.0 * (105.0 - edge) / 20.0 / 20.0;
    assert!((acked[0] / acked[1] - share).abs() < 0.04, "{acked:?} {share}");
}

const CELLS: &str = r#"[scenario]
duration = "6 s"
warmup = "1 s"
[topology]
kind = "wlan"
stations = 2
access_points = 2
positions = [["5 m", "0 m"], ["15 m", "0 m"]]
ap_positions = [["0 m", "0 m"], ["20 m", "0 m"]]
hosts = 1
backbone = { rate = "1 Gbps", delay = "1 ms" }
access = { rate = "1 Gbps", delay = "1 ms" }
radio = { set = "dot11a" }
[[flows]]
from = "station/*"
to = "wired/0"
transport = "udp"
traffic = { kind = "cbr", rate = "40 Mbps", packet = "1500 B" }
"#;

/// Two cells on one channel share the air if they are in range of each other, and have all of it each if not.
#[test]
fn cells_on_one_channel_share_the_air() {
    let goodput = |apart: f64, sets: &[(&str, &str)]| {
        let (station, ap) = (format!("{} m", apart - 5.0), format!("{apart} m"));
        let positions = format!(r#"[["5 m", "0 m"], ["{station}", "0 m"]]"#);
        let ap_positions = format!(r#"[["0 m", "0 m"], ["{ap}", "0 m"]]"#);
        let places = [("topology.positions", positions.as_str()), ("topology.ap_positions", ap_positions.as_str())];
        let sets: Vec<_> = places.iter().chain(sets).copied().collect();
        let run = result(CELLS, &sets);
        for (name, most) in [("airtime_share", 1.0), ("busy_share", 1.0)] {
            assert!(numbers(&run.stations, name).iter().all(|share| *share <= most));
        }
        numbers(&run.flows, "goodput_bps")
    };
    // two saturated stations of one cell: 31 Mbps in all (Bianchi), 30.5 alone
    let (near, far) = (goodput(20.0, &[("topology.radio.capture", "none")]), goodput(400.0, &[]));
    let sum = near[0] + near[1];
    assert!((29.5e6..31.5e6).contains(&sum) && (near[0] / sum - 0.5).abs() < 0.03, "{near:?}");
    // each access point is 14 dB nearer to its own station: of frames that begin together both are read
    let captured = goodput(20.0, &[]);
    assert!(captured[0] > near[0] && captured[0] + captured[1] < 36e6, "{captured:?}");
    assert!(far.iter().all(|one| (29.5e6..31.0e6).contains(one)), "{far:?}");
    // interference that nobody senses counts where it adds up
    let apart = |capture: &str| {
        let places = r#"[["-20 m", "0 m"], ["120 m", "0 m"]]"#;
        let aps = r#"[["0 m", "0 m"], ["100 m", "0 m"]]"#;
        let radio = format!(r#"{{ set = "dot11a", reception = "snr", capture = "{capture}" }}"#);
        let sets = [("topology.positions", places), ("topology.ap_positions", aps), ("topology.radio", radio.as_str())];
        numbers(&result(CELLS, &sets).flows, "goodput_bps")
    };
    let (pairs, sums) = (apart("any"), apart("sinr"));
    assert!(sums[0] < 0.9 * pairs[0], "{pairs:?} {sums:?}");
}

const CHANNELS: &str = r#"[scenario]
duration = "6 s"
warmup = "1 s"
[topology]
kind = "graph"
[[topology.links]]
from = "ap1"
to = "ap2"
rate = "1 Gbps"
delay = "1 ms"
[[topology.media]]
name = "one"
stations = ["a", "ap1"]
access_points = ["ap1"]
set = "dot11a"
[[topology.media]]
name = "two"
stations = ["b", "ap2"]
access_points = ["ap2"]
set = "dot11a"
[[flows]]
from = "a"
to = "ap1"
transport = "udp"
traffic = { kind = "cbr", rate = "40 Mbps", packet = "1500 B" }
[[flows]]
from = "b"
to = "ap2"
transport = "udp"
traffic = { kind = "cbr", rate = "40 Mbps", packet = "1500 B" }
"#;

#[test]
fn cells_on_channels_of_their_own_do_not_share() {
    let goodput = numbers(&result(CHANNELS, &[]).flows, "goodput_bps");
    assert!(goodput.iter().all(|one| (29.5e6..31.0e6).contains(one)), "{goodput:?}");
}

/// A station at a distance where 54 Mbps do not get through: Minstrel gets what the best fixed rate does, nearly.
#[test]
fn distant_stations_get_slower_rates() {
    let text = CELL.replace("stations = 4", "stations = 1");
    let goodput = |metres: u32, radio: &str| {
        let radio = format!(r#"{{ set = "dot11a", reception = "snr", {radio} }}"#);
        let placing = format!(r#"{{ kind = "circle", radius = "{metres} m" }}"#);
        let flows = r#"[{ from = "station/0", to = "wired/0", transport = "udp", traffic = { kind = "cbr", rate = "40 Mbps", packet = "1500 B" } }]"#;
        let sets = [
            ("topology.radio", radio.as_str()),
            ("topology.placing", placing.as_str()),
            ("flows", flows),
            ("scenario.duration", "8 s"),
            ("scenario.warmup", "2 s"),
        ];
        // what is refused gets nothing
        let Ok(scenario) = read(&text, &sets) else { return (0.0, 0.0) };
        let run = scenario.points()[0].run(1, &scenario::RunOptions::default()).unwrap();
        (numbers(&run.flows, "goodput_bps")[0], numbers(&run.stations, "rate_mean_bps")[0])
    };
    let mut before = f64::INFINITY;
    for metres in [10, 30, 45, 60, 75] {
        let fixed = [6, 9, 12, 18, 24, 36, 48, 54].map(|mbps| goodput(metres, &format!("rate = \"{mbps} Mbps\"")).0);
        let best = fixed.into_iter().fold(0.0, f64::max);
        let (minstrel, rate) = goodput(metres, "rate_control = \"minstrel\"");
        let (arf, _) = goodput(metres, "rate_control = \"arf\"");
        println!("{metres} m: best {best:.3e}, minstrel {minstrel:.3e} at {rate:.3e}, ARF {arf:.3e}");
        assert!(minstrel > 0.8 * best, "{metres} m: {minstrel:.3e} of {best:.3e}");
        assert!(arf > 0.5 * best, "{metres} m: {arf:.3e} of {best:.3e}");
        assert!(rate < before, "{metres} m: {rate:.3e}");
        before = rate;
    }
}

/// Sets, rates, powers, thresholds, ways and distances as they come, where frames are read by chance: what is accepted
/// carries something both ways, and what is refused is told up to where it would.
#[test]
fn what_is_accepted_by_chance_gets_through() {
    const SETS: [(&str, &[&str]); 5] = [
        ("dot11b", &["1 Mbps", "2 Mbps", "5.5 Mbps", "11 Mbps"]),
        ("dot11a", &["6 Mbps", "9 Mbps", "12 Mbps", "18 Mbps", "24 Mbps", "36 Mbps", "48 Mbps", "54 Mbps"]),
        ("dot11g", &["6 Mbps", "12 Mbps", "24 Mbps", "54 Mbps"]),
        ("dot11g-prot", &["6 Mbps", "24 Mbps", "54 Mbps"]),
        ("dot11n-2.4", &["MCS 0", "MCS 1", "MCS 4", "MCS 7", "MCS 8", "MCS 15"]),
    ];
    let mut drawn = sim::Stream::new(1, "reach");
    let mut below = |choices: usize| (drawn.uniform() * choices as f64) as usize;
    let (mut accepted, mut refused) = (0, 0);
    for number in 0..120 {
        let (set, rates) = SETS[number % SETS.len()];
        let rate = match below(4) {
            0 => "rate_control = \"minstrel\"".to_owned(),
            1 => "rate_control = \"arf\"".to_owned(),
            _ => format!("rate = \"{}\"", rates[below(rates.len())]),
        };
        let power = [0, 8, 16, 24][below(4)];
        let sensed = ["", "cs_threshold = \"-95 dBm\", ", "cs_threshold = \"-62 dBm\", "][below(3)];
        let rts = ["", "rts_threshold = \"0 B\", "][below(2)];
        let capture = ["any", "sinr"][below(2)];
        let metres = 10 + below(290);
        let at = |metres: f64| {
            let radio = format!(
                "{{ set = \"{set}\", reception = \"snr\", tx_power = \"{power} dBm\", {sensed}{rts}capture = \"{capture}\", {rate} }}"
            );
            let positions = format!("[[\"{metres} m\", \"0 m\"]]");
            let sets = [
                ("topology.stations", "1"),
                ("topology.radio", radio.as_str()),
                ("topology.positions", positions.as_str()),
                ("flows", r#"[{ from = "station/0", to = "ap/0", algorithm = "cubic" }]"#),
                ("scenario.duration", "5 s"),
            ];
            let text = WALK.replace("moves =", "#");
            let what = format!("{number}: {radio} at {metres} m");
            (
                read(&text, &sets)
                    .map(|scenario| scenario.points()[0].run(1, &scenario::RunOptions::default()).unwrap()),
                what,
            )
        };
        let goodput = |run: &scenario::RunResult| numbers(&run.flows, "goodput_bps")[0];
        match at(metres as f64) {
            (Ok(run), what) => {
                accepted += 1;
                assert!(goodput(&run) > 0.0, "accepted, and nothing arrives: {what}");
            }
            (Err(error), what) => {
                refused += 1;
                assert_eq!(error.code, "scenario.out-of-reach", "{what}: {error:?}");
                let hint = error.hint.unwrap();
                let upto: f64 =
                    hint.split("get through up to ").nth(1).unwrap().split(" m").next().unwrap().parse().unwrap();
                assert!(upto < metres as f64, "{what}: {hint}");
                let (near, what) = at(0.97 * upto);
                assert!(goodput(&near.unwrap()) > 0.0, "{what}: {hint}");
                assert!(at(upto + 0.1).0.is_err(), "{what}: {hint}");
            }
        }
    }
    assert!(accepted > 30 && refused > 30, "{accepted} {refused}");
}

#[test]
fn one_node_is_the_other_end_of_all() {
    let flows = |from: &str, to: &str| {
        let text = WALK.replace("\"station/*\"", from).replace("\"wired/0\"", to);
        network(&text, &[]).flows.iter().map(|flow| (flow.from, flow.to)).collect::<Vec<_>>()
    };
    assert_eq!(flows("\"station/*\"", "\"ap/0\""), [(0, 2), (1, 2)]);
    assert_eq!(flows("\"ap/0\"", "\"station/*\""), [(2, 0), (2, 1)]);
}
