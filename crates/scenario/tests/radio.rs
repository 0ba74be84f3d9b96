//! Radio media: what a description says becomes a network, is written out complete, or is refused.

#[path = "common/radio.rs"]
mod common;

use common::{CELL, CHAIN, GRAPH, effective, links, network, read, refused};
use serde_json::{Value as Json, json};
use units::Span;

#[test]
fn a_cell_with_one_host_has_a_backbone_to_it() {
    let cell = network(CELL, &[]);
    let expected = [
        ("backbone", "ap/0", "wired/0"),
        ("air/0", "station/0", "ap/0"),
        ("air/1", "station/1", "ap/0"),
        ("air/2", "station/2", "ap/0"),
        ("air/3", "station/3", "ap/0"),
    ];
    assert_eq!(links(&cell), expected);
    assert_eq!(
        cell.links.iter().map(|link| link.medium).collect::<Vec<_>>(),
        [None, Some(0), Some(0), Some(0), Some(0)]
    );
    assert_eq!((cell.links[1].forward.rate_bps, cell.links[1].forward.delay), (54_000_000, Span::ZERO));
    let medium = &cell.media[0];
    assert_eq!(medium.channel.params, wlan::Params::dot11g());
    assert_eq!(medium.stations.iter().map(|station| station.node).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert_eq!((medium.link_layer, medium.arp, medium.stations[0].routing_bytes), (Span::ZERO, false, 0));
    let wlan::Layout::Positions(at) = &medium.channel.layout else { panic!("{:?}", medium.channel.layout) };
    // a quarter of the way round, and the access point in the middle
    assert!(at[1].x.abs() < 1e-9 && (at[1].y - 5.0).abs() < 1e-9, "{at:?}");
    assert_eq!((at[4].x, at[4].y), (0.0, 0.0));
}

#[test]
fn several_hosts_or_access_points_meet_at_a_gateway() {
    let access = ("topology.access", "{ rate = \"1 Gbps\", delay = \"1 ms\" }");
    let two = network(CELL, &[("topology.hosts", "2"), access, ("topology.stations", "1")]);
    let expected = [
        ("backbone/0", "ap/0", "gateway"),
        ("access/0", "gateway", "wired/0"),
        ("access/1", "gateway", "wired/1"),
        ("air/0", "station/0", "ap/0"),
    ];
    assert_eq!(links(&two), expected);
    // the nearer of two access points; the second pair of stations of four stands at x = -5, y = -5
    let aps = [("topology.access_points", "2"), ("topology.ap_positions", r#"[["20 m", "0 m"], ["-20 m", "0 m"]]"#)];
    let cells = network(CELL, &[aps[0], aps[1], access]);
    assert_eq!(
        links(&cells)[3..],
        [
            ("air/0", "station/0", "ap/0"),
            ("air/1", "station/1", "ap/0"),
            ("air/2", "station/2", "ap/1"),
            ("air/3", "station/3", "ap/0")
        ]
    );
    // where all hear all, stations take turns
    let alike = network(&CELL.replace("placing", "#"), &[aps[0], access]);
    assert_eq!(alike.media[0].channel.layout, wlan::Layout::Everyone { stations: 6 });
    assert_eq!(links(&alike)[3..5], [("air/0", "station/0", "ap/0"), ("air/1", "station/1", "ap/1")]);
    // no wired part
    let alone = CELL.replace("backbone", "#").replace("wired/0", "station/1");
    assert_eq!(network(&alone, &[]).nodes.len(), 5);
}

#[test]
fn a_chain_joins_neighbours_and_takes_the_longest_hop() {
    let chain = network(CHAIN, &[]);
    let expected =
        [("air/n0-n1", "n0", "n1"), ("air/n1-n2", "n1", "n2"), ("air/n2-n3", "n2", "n3"), ("air/n3-n4", "n3", "n4")];
    assert_eq!(links(&chain), expected);
    let medium = &chain.media[0];
    assert_eq!(medium.channel.params, wlan::Params::ns2_default());
    assert_eq!(medium.channel.layout, wlan::Layout::line(5, 200.0));
    assert_eq!((medium.link_layer, medium.stations[0].queue.counting), (Span(25_000), net::Counting::Ns2));
    // 200 m / 3e8 m/s = 666.67 ns
    assert_eq!((chain.links[0].forward.delay, chain.links[0].forward.rate_bps), (Span(667), 1_000_000));
    // within 250 m two hops of 100 m are one; the farthest comes first
    let dense = network(CHAIN, &[("topology.spacing", "100 m")]);
    assert_eq!(links(&dense)[..3], [("air/n0-n2", "n0", "n2"), ("air/n0-n1", "n0", "n1"), ("air/n1-n3", "n1", "n3")]);
}

#[test]
fn a_graph_has_media_beside_wires() {
    let graph = network(GRAPH, &[]);
    assert_eq!(graph.nodes, ["ap", "server", "phone", "tablet"]);
    let expected =
        [("ap-server", "ap", "server"), ("wifi/phone-ap", "phone", "ap"), ("wifi/tablet-ap", "tablet", "ap")];
    assert_eq!(links(&graph), expected);
    assert_eq!(graph.media[0].channel.name, "wifi");
    assert_eq!(graph.media[0].channel.params, wlan::Params::dot11b());
    // without an access point all who decode each other are neighbours
    let ad_hoc = network(&GRAPH.replace("access_points = [\"ap\"]\n", ""), &[]);
    assert_eq!(
        links(&ad_hoc)[1..],
        [
            ("wifi/phone-ap", "phone", "ap"),
            ("wifi/phone-tablet", "phone", "tablet"),
            ("wifi/tablet-ap", "tablet", "ap")
        ]
    );
    // keys reach into media as into links
    let slow = network(GRAPH, &[("topology.media.wifi.rate", "2 Mbps"), ("topology.media.loss.rate", "1 %")]);
    assert_eq!(slow.media[0].channel.params.rate, wlan::Rate::dsss(2000));
    assert!(slow.media[0].channel.loss.is_some());
}

#[test]
fn complete_descriptions_read_back() {
    for text in [CELL, CHAIN, GRAPH] {
        effective(text, &[]);
    }
    for set in wlan::Params::NAMES {
        let radio = format!("{{ set = \"{set}\" }}");
        let whole = effective(CELL, &[("topology.radio", &radio)]);
        assert_eq!(whole["topology"]["radio"]["set"], json!(set));
        assert_eq!(
            network(CELL, &[("topology.radio", &radio)]).media[0].channel.params,
            wlan::Params::named(set).unwrap()
        );
    }
    for placing in [r#"{ kind = "disc", radius = "5 m" }"#, r#"{ kind = "line", spacing = "5 m" }"#] {
        effective(CELL, &[("topology.placing", placing)]);
    }
    let radio = effective(CELL, &[])["topology"]["radio"].clone();
    for (key, value) in [
        ("slot", json!("9 us")),
        ("cw_min", json!(15)),
        ("tx_power", json!("16 dBm")),
        ("rx_threshold", json!("-82 dBm")),
        ("capture_ratio", json!("10 dB")),
        ("frequency", json!("2.437 GHz")),
        ("basic_rates", json!(["6 Mbps", "12 Mbps", "24 Mbps"])),
        ("rts_threshold", json!("2347 B")),
        ("rate_control", json!("fixed")),
        ("queue", json!("50 packets")),
    ] {
        assert_eq!(radio[key], value, "{key}");
    }
}

/// Every key with a value that is not its default, what the medium makes of it.
#[test]
fn each_key_does_what_it_says() {
    let with = |key: &str, value: &str| {
        let key = format!("topology.radio.{key}");
        effective(CELL, &[(&key, value)]);
        network(CELL, &[(&key, value)]).media.remove(0)
    };
    let params = |key: &str, value: &str| with(key, value).channel.params;
    assert_eq!(params("rts_threshold", "500 B").rts_threshold, 500);
    assert_eq!(params("rts_threshold", "always").rts_threshold, 0);
    assert!(params("rts_threshold", "off").rts_threshold > 100_000);
    assert_eq!(params("cw_max", "31").cw_max, 31);
    assert_eq!(params("capture", "none").rules.capture, wlan::params::Capture::Off);
    assert_eq!(params("capture_ratio", "20 dB").radio.capture_ratio, 100.0);
    assert_eq!(params("propagation", "two-ray").radio.propagation, wlan::Propagation::TwoRay);
    assert_eq!(params("path_exponent", "2.5").radio.propagation, wlan::Propagation::LogDistance { exponent: 2.5 });
    assert_eq!(params("shadowing", "4 dB").radio.shadowing_db, 4.0);
    assert_eq!(params("fading", "50 ms").radio.rayleigh_block, Some(wlan::Coherence::Time(Span::from_millis(50))));
    assert_eq!(params("reception", "snr").radio.reception, wlan::Reception::Snr);
    assert_eq!(params("tx_power", "100 mW").radio.tx_power, 0.1);
    let ranged = params("receive_range", "30 m").radio;
    assert_eq!(ranged.rx_threshold, ranged.power_at(30.0));
    let far = params("receive_range", "100 m").radio;
    assert_eq!(far.cs_threshold, far.rx_threshold, "what is decoded is sensed");
    assert_eq!(with("rates", r#"{ "station/1" = "6 Mbps" }"#).channel.rates[1], Some(wlan::Rate::ofdm(6000)));
    let senses = network(CHAIN, &[("topology.radio.sense_range", "250 m")]).media[0].channel.params.radio.clone();
    assert_eq!(senses.cs_threshold, senses.rx_threshold, "250 m is what ns-2's threshold stands for");
    let usual = effective(CELL, &[("topology.radio", r#"{ edca = { voice = { aifsn = 3 } }, ap_edca = "usual" }"#)]);
    let classes = |key: &str, class: &str| usual["topology"]["radio"][key][class]["aifsn"].clone();
    assert_eq!([classes("edca", "voice"), classes("ap_edca", "voice")], [json!(3), json!(1)]);
    assert_eq!(with("edca", "true").channel.access_points, [4]);
    assert_eq!(params("ampdu_max_us", "4 ms").ampdu.airtime, Span::from_millis(4));
    let minstrel = with("rate_control", r#"{ "station/*" = "minstrel" }"#).channel.rate_controls;
    assert_eq!(minstrel[3..], [wlan::RateControl::Minstrel, wlan::RateControl::Fixed]);
    let lossy = with("loss", r#"{ rate = "10 %", burst = "5 ms", at = "above" }"#).channel.loss.unwrap();
    let model = wlan::LossModel::GilbertInTime { rate: 0.1, burst: Span::from_millis(5) };
    assert_eq!((lossy.model, lossy.at, lossy.frames), (model, wlan::LossAt::Above, wlan::LossFrames::All));
    let bursts =
        with("loss", r#"{ rate = "10 %", model = "ns2-two-state", burst = "10 frames" }"#).channel.loss.unwrap();
    assert_eq!(bursts.model, wlan::LossModel::Ns2TwoState { rate: 0.1, burst: 10.0 });
    assert_eq!(with("loss", "0 %").channel.loss, None);
    let hears = r#"[["station/0", "ap/0"], ["station/1", "ap/0"], ["station/2", "ap/0"], ["station/3", "ap/0"]]"#;
    let hidden = with("hears", hears).channel.layout;
    assert_eq!(hidden, wlan::Layout::mutual(5, &[(0, 4), (1, 4), (2, 4), (3, 4)]));
    let queues = with("ap_queue", "200 packets");
    let limit = |station: usize| queues.stations[station].queue.limit;
    assert_eq!((limit(0), limit(4)), (net::QueueLimit::Packets(50), net::QueueLimit::Packets(200)));
    let turns = with("ap_queues", "per-station").stations;
    assert_eq!((turns[0].per_receiver, turns[4].per_receiver), (false, true));
    assert_eq!(with("link_layer", "25 us").link_layer, Span(25_000));
    assert!(with("arp", "true").arp);
    assert_eq!(with("routing_bytes", "20 B").stations[0].routing_bytes, 20);
    let wide =
        effective(CELL, &[("topology.radio", r#"{ set = "dot11n", channel_width = "40 MHz", rate = "MCS 15" }"#)]);
    assert_eq!(wide["topology"]["radio"]["rate"], json!("MCS 15"));
    let ns2 = effective(
        CHAIN,
        &[("topology.radio.data_rates", r#"["1 Mbps", "5.5 Mbps"]"#), ("topology.radio.rate", "5.5 Mbps")],
    );
    assert_eq!(ns2["topology"]["radio"]["data_rates"], json!(["1 Mbps", "5.5 Mbps"]));
}

#[test]
fn a_medium_that_cannot_be_is_refused() {
    let radio = "radio = { rate = \"54 Mbps\" }";
    let spoiled =
        |new: &str, code: &str, words: &[&str]| refused(CELL, radio, &format!("radio = {{ {new} }}"), code, words);
    spoiled("rate = \"11 Mbps\"", "no-such-rate", &["topology.radio.rate", "\"54 Mbps\""]);
    spoiled("rates = { \"station/0\" = \"11 Mbps\" }", "no-such-rate", &["rates.station/0"]);
    spoiled("rates = { \"station/9\" = \"6 Mbps\" }", "unknown-node", &["station/9", "station/0"]);
    spoiled("basic_rates = [\"1 Mbps\"]", "no-such-rate", &["basic_rates"]);
    spoiled("set = \"dot11ac\"", "unknown-word", &["dot11a"]);
    spoiled("slot = \"0 us\"", "out-of-range", &["topology.radio.slot", "positive"]);
    spoiled("cw_min = 30", "out-of-range", &["`cw_min` 30", "for example 31"]);
    spoiled("cw_min = 2047", "out-of-range", &["`cw_min` 2047 is above `cw_max` 1023"]);
    spoiled("delay = \"10 ms\"", "unknown-key", &["a key of wires", "light"]);
    spoiled("outages = []", "unknown-key", &["a key of wires"]);
    spoiled("raet = \"6 Mbps\"", "unknown-key", &["did you mean `rate`"]);
    spoiled("receive_range = \"1 m\"", "out-of-reach", &["`station/0` is in range of no access point", "5.0 m away"]);
    spoiled("hears = [[\"station/0\", \"ap/0\"]]", "out-of-reach", &["station/1", "hears"]);
    spoiled("receive_range = \"9 m\", rx_threshold = \"-80 dBm\"", "conflict", &["receive_range"]);
    spoiled("guard_interval = \"short\"", "conflict", &["dot11g"]);
    spoiled("protection_rate = \"6 Mbps\"", "conflict", &["protection"]);
    spoiled("propagation = \"two-ray\", path_exponent = 2", "conflict", &["path_exponent"]);
    spoiled("loss = { rate = \"90 %\", burst = \"2 frames\" }", "out-of-range", &["66.6"]);
    spoiled("loss = { rate = \"1 %\", model = \"independent\", burst = \"2 frames\" }", "conflict", &["burst"]);
    spoiled("set = \"ns2-default\", reception = \"snr\"", "out-of-range", &["no error table"]);
    spoiled("edca = { voice = { cw_min = 6 } }", "out-of-range", &["edca.voice.cw_min", "power of two"]);
    spoiled("ap_edca = \"usual\"", "conflict", &["edca = true"]);
    spoiled("tx_power = 16", "unit-missing", &["16 dBm"]);
    spoiled("data_rates = [\"6 Mbps\", \"6 Mbps\"]", "duplicate-value", &["twice", "each rate once"]);
    spoiled("rates = [\"6 Mbps\"]", "wrong-type", &["topology.radio.rates", "write `rates = { KEY = VALUE, ... }`"]);
    spoiled("hears = [[\"ap/0\", \"ap/0\"]]", "same-node", &["take the pair away"]);
    spoiled("antenna_height = \"0 m\", propagation = \"two-ray\"", "out-of-range", &["leave `antenna_height` out"]);
    spoiled("path_exponent = nan", "bad-number", &["not a finite number", "write a number"]);
    spoiled("noise = inf", "bad-number", &["not a finite number", "write `noise = \"16 dBm\"`"]);
    let sinr = CELL.replace("placing = { kind = \"circle\", radius = \"5 m\" }\n", "");
    let far = ["goes by distances", "`placing` or `positions`"];
    for keys in
        ["capture = \"sinr\", reception = \"snr\"", "reception = \"snr\"", "shadowing = \"4 dB\"", "fading = \"5 ms\""]
    {
        refused(&sinr, radio, &format!("radio = {{ {keys} }}"), "conflict", &far);
    }
    spoiled("short_retry_limit = 2.5", "bad-number", &["wanted is a whole number", "short_retry_limit = 3"]);
}

/// Numbers that contradict each other are named as they were written, in metres and not in W.
#[test]
fn numbers_that_contradict_each_other_are_refused() {
    let radio = "radio = { rate = \"54 Mbps\" }";
    let spoiled =
        |new: &str, words: &[&str]| refused(CELL, radio, &format!("radio = {{ {new} }}"), "out-of-range", words);
    let ranges = "sense_range = \"50 m\", receive_range = \"100 m\"";
    spoiled(
        ranges,
        &["topology.radio.sense_range", "sensed up to 50.0 m and decoded up to 100.0 m", "`sense_range` of"],
    );
    let powers = "cs_threshold = \"-60 dBm\", rx_threshold = \"-82 dBm\"";
    // 22 dB at the exponent 3: a factor of 10^(22 / 30) = 5.4 of 84.6 m
    spoiled(powers, &["topology.radio.cs_threshold", "sensed up to 15.6 m and decoded up to 84.6 m"]);
    spoiled("difs = \"5 us\"", &["topology.radio.difs", "DIFS 5 us and SIFS 10 us", "longer than `sifs`"]);
    spoiled("sifs = \"28 us\"", &["topology.radio.sifs", "DIFS 28 us and SIFS 28 us"]);
    spoiled("edca = { voice = { aifsn = 0 } }", &["edca.voice.aifsn", "is 0, allowed is 1 to 100"]);
    spoiled("edca = { voice = { cw_min = 15, cw_max = 7 } }", &["edca.voice", "`cw_min` of 15 above", "7"]);
}

#[test]
fn a_topology_that_cannot_be_is_refused() {
    refused(CELL, "stations = 4", "stations = 4\naccess_points = 0", "no-access-point", &["access_points"]);
    refused(CELL, "stations = 4", "stations = 20000", "too-many-stations", &["10000"]);
    refused(CELL, "stations = 4", "stations = 10000", "too-many-stations", &["10001"]);
    refused(CELL, "radius = \"5 m\"", "radius = \"500 m\"", "out-of-reach", &["500.0 m away", "decoded up to 84"]);
    refused(CELL, "placing", "access_points = 2\nplacing", "missing-key", &["ap_positions"]);
    refused(CELL, "backbone = ", "hosts = 1\naccess = ", "missing-key", &["backbone"]);
    refused(CELL, "backbone = ", "access = ", "conflict", &["no wired host"]);
    refused(CELL, "backbone = ", "hosts = 0\nbackbone = ", "conflict", &["no wired host"]);
    refused(CELL, "stations = 4", "stations = 4\npositions = [[\"1 m\", \"2 m\"]]", "conflict", &["placing"]);
    refused(
        CELL,
        "placing = { kind = \"circle\", radius = \"5 m\" }",
        "positions = [[\"1 m\", \"2 m\"]]",
        "counts-differ",
        &["1 positions for 4"],
    );
    refused(CHAIN, "200 m", "300 m", "out-of-reach", &["n0 and n1", "decoded up to 250"]);
    refused(CHAIN, "nodes = 5", "nodes = 1", "out-of-range", &["is 1, allowed is 2 at least"]);
    refused(CELL, "stations = 4", "stations = -4", "out-of-range", &["is -4, allowed is 1 at least"]);
    let places = |list: &str| format!("positions = {list}");
    let placing = "placing = { kind = \"circle\", radius = \"5 m\" }";
    refused(CELL, placing, &places("[]"), "counts-differ", &["has 0 positions for 4 stations"]);
    let nan = places("[[nan, \"0 m\"], [\"1 m\", \"0 m\"], [\"2 m\", \"0 m\"], [\"3 m\", \"0 m\"]]");
    refused(CELL, placing, &nan, "bad-number", &["topology.positions", "not a finite number"]);
    let five = places(&format!("[{}]", ["[\"1 m\", \"0 m\"]"; 5].join(", ")));
    refused(CELL, placing, &five, "counts-differ", &["has 5 positions for 4 stations"]);
    refused(GRAPH, "[\"phone\", \"tablet\", \"ap\"]", "[\"ap\"]", "out-of-range", &["fewer than two", "phone"]);
    let table = "[topology.media]";
    refused(GRAPH, "[[topology.media]]", table, "wrong-type", &["topology.media", "write `[[topology.media]]`"]);
    let far = GRAPH.replace("access_points = [\"ap\"]\n", "");
    refused(&far, "[\"3 m\", \"0 m\"]", "[\"5 km\", \"0 m\"]", "no-route", &["bring stations of a medium nearer"]);
    refused(CELL, "to = \"wired/0\"", "to = \"station/0\"", "same-node", &["with itself", "name another node"]);
    refused(CHAIN, "nodes = 5", "nodes = 10001", "too-many-stations", &["10000"]);
    refused(
        CHAIN,
        "nodes = 5\nspacing = \"200 m\"",
        "nodes = 5000\nspacing = \"0 m\"",
        "too-many-stations",
        &["decode each other"],
    );
    refused(GRAPH, "\"tablet\", \"ap\"]", "\"phone\", \"ap\"]", "duplicate-name", &["\"phone\" twice"]);
    refused(GRAPH, "access_points = [\"ap\"]", "access_points = []", "no-access-point", &["a cell has one"]);
    refused(GRAPH, "access_points = [\"ap\"]", "access_points = [\"lamp\"]", "unknown-node", &["lamp"]);
    refused(GRAPH, "name = \"wifi\"", "delay = \"1 ms\"", "unknown-key", &["a key of wires"]);
    refused(GRAPH, "to = \"server\"\nalgorithm", "to = \"nobody\"\nalgorithm", "unknown-node", &["nobody"]);
}

fn exchanges(text: &str, sets: &[(&str, &str)]) -> Vec<Json> {
    let text = read(text, sets).unwrap_or_else(|error| panic!("{error}")).points()[0].exchanges().unwrap();
    serde_json::from_str::<Vec<Json>>(&text).unwrap()
}

#[test]
fn an_exchange_is_told_part_by_part() {
    // 28 + 15 / 2 slots of 9 = 67.5, 20 + 57 symbols of 4 + 6 = 254 of 1536 bytes, 10, 34: 393.5 us for 12 000 bits
    let rows = exchanges(CELL, &[]);
    let parts = |row: &Json| {
        ["ifs", "backoff", "rts", "cts", "data", "sifs", "ack", "exchange", "cycle"]
            .map(|key| row[key].as_f64().unwrap())
    };
    assert_eq!(parts(&rows[0]), [28.0, 67.5, 0.0, 0.0, 254.0, 10.0, 34.0, 298.0, 393.5]);
    assert!((rows[0]["mbps"].as_f64().unwrap() - 30.496).abs() < 0.001, "{rows:?}");
    assert_eq!((&rows[0]["packet"], &rows[0]["bytes"]), (&json!("data"), &json!(1500)));
    assert_eq!((&rows[1]["packet"], rows.len()), (&json!("ACK"), 2));
    // ns-2 with RTS: 50 + 300 + 352 + 304 + 304 + 3 x 10, and 192 + 8 (1500 + 34) bits
    let rows = exchanges(CHAIN, &[("flows.segment", "1460 B")]);
    assert_eq!(parts(&rows[0]), [50.0, 300.0, 352.0, 304.0, 12_464.0, 10.0, 304.0, 13_454.0, 13_804.0]);
    // each rate by itself; 31 packets of MCS 7 with a short guard interval go together: 5340 us and what goes before
    assert_eq!(exchanges(CELL, &[("topology.radio.rates", r#"{ "station/0" = "6 Mbps" }"#)]).len(), 4);
    let radio = r#"{ set = "dot11n", guard_interval = "short" }"#;
    let rows = exchanges(CELL, &[("topology.radio", radio)]);
    assert_eq!(rows[0]["together"], json!(31));
    assert!((rows[0]["together_mbps"].as_f64().unwrap() - 67.66).abs() < 0.01, "{}", rows[0]);
    assert_eq!(
        (&rows[0]["class"], &rows[0]["sender"], &rows[0]["packets"]),
        (&json!("best-effort"), &json!(null), &json!(1))
    );
}

#[test]
fn an_exchange_is_told_for_each_class_and_for_who_sends_it() {
    let edca = r#"{ set = "dot11a", edca = true }"#;
    let sets = [("topology.radio", edca), ("flows.class", "video")];
    let rows = exchanges(CELL, &sets);
    // 34 + 3.5 slots of 9, and 9 exchanges of 292 us, SIFS 16 apart, within 3008 us
    let number = |row: &Json, key: &str| row[key].as_f64().unwrap();
    assert_eq!(
        ["ifs", "backoff", "txop", "packets", "cycle"].map(|key| number(&rows[0], key)),
        [34.0, 31.5, 3008.0, 9.0, 2821.5]
    );
    assert!((number(&rows[0], "mbps") - 38.277).abs() < 0.001, "{}", rows[0]);
    assert_eq!(
        (&rows[0]["class"], &rows[1]["packet"], &rows[1]["class"], rows.len()),
        (&json!("video"), &json!("ACK"), &json!("video"), 2)
    );
    // two flows of one size and two classes
    let call = "[[flows]]\nfrom = \"station/2\"\nto = \"ap/0\"\nalgorithm = \"newreno\"\n";
    let text = format!("{CELL}{call}");
    let classes = |sets: &[(&str, &str)]| {
        exchanges(&text, sets)
            .iter()
            .filter(|row| row["packet"] == "data")
            .map(|row| row["class"].clone())
            .collect::<Vec<_>>()
    };
    let set = [("topology.radio", edca), ("flows.flow.class", "voice")];
    assert_eq!(classes(&set), [json!("voice"), json!("best-effort")]);
    assert_eq!(classes(&[("flows.flow.class", "voice")]), [json!(null)]); // nobody tells them apart
    // the access point waits a slot less
    let usual = r#"{ set = "dot11a", edca = true, ap_edca = "usual" }"#;
    let rows = exchanges(CELL, &[("topology.radio", usual), ("flows.class", "video")]);
    let who: Vec<_> = rows.iter().map(|row| (row["sender"].as_str().unwrap(), number(row, "ifs"))).collect();
    assert_eq!(who, [("station", 34.0), ("access-point", 25.0), ("station", 34.0), ("access-point", 25.0)]);
}

#[test]
fn an_exchange_of_a_station_of_802_11b_has_its_window() {
    let sets = [("topology.radio", r#"{ set = "dot11g-prot", rates = { "station/0" = "11 Mbps" } }"#)];
    let rows = exchanges(CELL, &sets);
    let old = rows.iter().find(|row| row["rate"] == 11.0 && row["packet"] == "data").unwrap();
    assert_eq!((old["backoff"].as_f64(), old["cycle"].as_f64()), (Some(310.0), Some(1928.0)), "{old}");
}

#[test]
fn a_hop_through_the_air_carries_one_exchange_after_the_other() {
    let both = "[[flows]]\nname = \"down\"\nfrom = \"wired/0\"\nto = \"station/1\"\nalgorithm = \"cubic\"\n";
    let found: Json =
        serde_json::from_str(&read(&format!("{CELL}{both}"), &[]).unwrap().points()[0].capacity(&[]).unwrap()).unwrap();
    // 12 000 bits in 28 + 298 us; both flows share the radio of the access point
    let air = &found["cuts"][0]["links"];
    assert_eq!(air.as_array().unwrap().len(), 1, "{found}");
    assert!((air[0]["rate_bps"].as_f64().unwrap() / 1e6 - 12_000.0 / 326.0).abs() < 1e-9, "{found}");
    assert_eq!(found["cuts"][0]["shared"], json!(true));
    // a chain has no access point: each hop by itself
    let found: Json = serde_json::from_str(&read(CHAIN, &[]).unwrap().points()[0].capacity(&[]).unwrap()).unwrap();
    assert_eq!(found["cuts"].as_array().unwrap().len(), 4);
}

#[test]
fn a_run_fills_the_table_of_stations() {
    let result = |text: &str, sets: &[(&str, &str)]| {
        read(text, sets).unwrap().points()[0].run(1, &scenario::RunOptions::default()).unwrap()
    };
    let column = |table: &scenario::Table, name: &str| {
        table.0.iter().find(|(column, _)| *column == name).unwrap_or_else(|| panic!("{name}")).1.clone()
    };
    let sets = [("scenario.duration", "3 s"), ("scenario.warmup", "1 s")];
    let cell = result(CELL, &sets).stations;
    let scenario::Column::Str(names) = column(&cell, "station") else { panic!() };
    assert_eq!(names, ["station/0", "station/1", "station/2", "station/3", "ap/0"]);
    let scenario::Column::Str(roles) = column(&cell, "role") else { panic!() };
    assert_eq!((&*roles[0], &*roles[4]), ("station", "access-point"));
    let scenario::Column::F64(shares) = column(&cell, "airtime_share") else { panic!() };
    // one upload: most of the air is its data, and nobody else but the access point sends
    assert!(shares[0] > 0.4 && shares.iter().sum::<f64>() < 1.0 && shares[1] == 0.0, "{shares:?}");
    let scenario::Column::F64(rates) = column(&cell, "rate_mean_bps") else { panic!() };
    assert!(rates[0] == 54e6 && rates[1].is_nan(), "{rates:?}");
    let scenario::Column::I64(over) =
        column(&result(CHAIN, &[("topology.spacing", "100 m")]).stations, "passed_over_nodes")
    else {
        panic!()
    };
    assert_eq!(over, [1; 5]);
    assert!(column(&result(GRAPH, &sets).stations, "medium") != column(&cell, "medium"));
}

#[test]
fn no_bytes_are_bytes() {
    assert_eq!(effective(CELL, &[])["topology"]["radio"]["routing_bytes"], "0 B");
}

/// All are equally near, so a packet may come to a station in the instant in which a frame has passed it by. That the
/// frame's end is over then was not seen: the medium stood still from there on.
#[test]
fn a_packet_may_come_in_the_instant_in_which_a_frame_has_passed() {
    let text = include_str!("../../../python/windlass/scenarios/cafe.toml")
        .replace(
            "queue = \"100 packets\" }",
            "queue = \"100 packets\", ap_queue = { discipline = \"fq-codel\", limit = \"1000 packets\" } }",
        )
        .replace("\"30 s\"", "\"6 s\"");
    let scenario = scenario::Scenario::from_toml(&text, "cafe.toml", &[]).unwrap();
    let run = scenario.points()[0].run(2, &scenario::RunOptions::default()).unwrap();
    let (_, attempts) = run.stations.0.iter().find(|(column, _)| *column == "attempts").unwrap();
    let scenario::Column::I64(attempts) = attempts else { panic!() };
    assert!(attempts[8] > 300, "of the access point, in a second: {attempts:?}");
}

/// Packets of 1500 B that a queue holds.
fn packets(queue: &Json) -> f64 {
    queue.as_str().unwrap().strip_suffix(" packets").unwrap().parse().unwrap()
}

#[test]
fn a_queue_in_time_or_products_goes_by_what_one_exchange_after_the_other_carries() {
    let capacity: Json = serde_json::from_str(&read(CELL, &[]).unwrap().points()[0].capacity(&[]).unwrap()).unwrap();
    let air = capacity["cuts"].as_array().unwrap().iter().map(|cut| &cut["links"][0]);
    let rate = air.clone().find(|link| link["link"] == "air/0").unwrap()["rate_bps"].as_f64().unwrap();
    assert!((30e6..40e6).contains(&rate), "{rate}"); // 54 Mbit/s less preambles, spaces and ACKs
    let radio = |sets: &[(&str, &str)]| effective(CELL, sets)["topology"]["radio"].clone();
    let own = radio(&[("topology.radio.queue", "1 bdp")]); // the backbone's 10 ms there and back
    let held = |seconds: f64| (rate * seconds / 8.0 / 1500.0).ceil();
    assert_eq!((packets(&own["queue"]), packets(&own["ap_queue"])), (held(0.02), held(0.02)));
    let apart = radio(&[("topology.radio.queue", "9 packets"), ("topology.radio.ap_queue", "50 ms")]);
    assert_eq!((packets(&apart["queue"]), packets(&apart["ap_queue"])), (9.0, held(0.05)));
    assert_eq!(
        packets(&effective(CELL, &[("topology.backbone.queue", "1 bdp")])["topology"]["backbone"]["queue"]),
        167.0
    );
    let medium = |limit| effective(GRAPH, &[("topology.media.wifi.queue", limit)])["topology"]["media"][0].clone();
    assert!(packets(&medium("1 bdp")["ap_queue"]) >= 1.0);
    // nothing but light travels in a chain, and where stations have several rates one time is several numbers
    let small = read(CHAIN, &[("topology.radio.queue", "1 bdp")]).unwrap_err();
    assert!(small.message.contains("less than a packet"), "{small}");
    let flows = r#"[{ from = "station/*", to = "wired/0", algorithm = "cubic" }]"#;
    let slow = r#"{ "station/0" = "6 Mbps" }"#;
    let sets = [("topology.radio.queue", "100 ms"), ("topology.radio.rates", slow), ("flows", flows)];
    let several = read(CELL, &sets).unwrap_err();
    assert!(several.message.contains("but the links that have this queue carry"), "{several}");
}
