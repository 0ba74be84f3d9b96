//! Base stations and mobiles, as they are written in a scenario.

use scenario::{Column, RunOptions, Scenario};

/// A mobile between stations with these further keys of the topology.
fn text(keys: &str) -> String {
    format!(
        "[scenario]\nduration = \"20 s\"\n[topology]\nkind = \"cellular\"\nbackbone = {{ rate = \"100 Mbps\", delay = \"30 ms\" }}\n\
         {keys}\n[[flows]]\nfrom = \"server\"\nto = \"mobile/*\"\nalgorithm = \"newreno\"\n\
         [output]\ntraces = [\"serving\", \"snr\"]\nevents = true\n"
    )
}

const TWO: &str = "stations = [\"200 m\", \"1 km\"]\nmobile = { from = \"550 m\", to = \"1 km\", speed = \"10 m/s\" }";

fn read(keys: &str) -> Scenario {
    Scenario::from_toml(&text(keys), "fig.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn topology(scenario: &Scenario) -> serde_json::Value {
    let text = scenario.points()[0].effective().unwrap();
    let again = Scenario::from_json(&text, "effective", &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.points()[0].effective().unwrap(), text);
    serde_json::from_str::<serde_json::Value>(&text).unwrap()["topology"].clone()
}

#[track_caller]
fn refused(keys: &str, code: &str, words: &str) {
    let shown = Scenario::from_toml(&text(keys), "fig.toml", &[]).expect_err("it is wrong").to_string();
    assert!(shown.starts_with(&format!("error[scenario.{code}]: fig.toml, line ")), "{shown}");
    assert!(shown.contains(words) && shown.lines().count() <= 2, "{shown}\nwanted: {words}");
}

/// Times and values of a traced variable of the mobile's link.
fn traced(scenario: &Scenario, variable: &str) -> Vec<(f64, f64)> {
    let run = scenario.points()[0].run(1, &RunOptions::default()).unwrap();
    let Some(Column::F64(times)) = run.traces.column("time_s") else { panic!() };
    let Some(Column::F64(values)) = run.traces.column("value") else { panic!() };
    let Some(Column::Str(variables)) = run.traces.column("variable") else { panic!() };
    let all = times.iter().zip(values).zip(variables);
    all.filter(|(_, name)| *name == variable).map(|((at, value), _)| (*at, *value)).collect()
}

#[test]
fn presets_are_written_out_and_read_back() {
    let shown = |keys: &str, part: &str| topology(&read(&format!("{TWO}\n{keys}")))[part].to_string();
    assert_eq!(
        shown("", "handover"),
        concat!(
            r#"{"measure_every":"100 ms","ho_threshold":"off","hysteresis":"3 dB","time_to_trigger":"160 ms","#,
            r#""warn":"50 ms","break":"50 ms","queue_at_old":"lost"}"#
        )
    );
    assert_eq!(
        shown("preset = \"lte-like\"\nhandover = { ho_threshold = \"10 dB\" }", "handover"),
        concat!(
            r#"{"measure_every":"40 ms","ho_threshold":"10 dB","hysteresis":"3 dB","time_to_trigger":"160 ms","#,
            r#""warn":"0 s","break":"50 ms","queue_at_old":"forwarded","forward_delay":"5 ms"}"#
        )
    );
    assert_eq!(
        shown("preset = \"rana\"", "handover"),
        concat!(
            r#"{"measure_every":"100 ms","ho_threshold":"off","hysteresis":"0 dB","time_to_trigger":"0 s","#,
            r#""warn":"100 ms","break":"500 ms","queue_at_old":"lost"}"#
        )
    );
    assert_eq!(shown("", "modulation") + &shown("preset = \"rana\"", "modulation"), r#""by-snr""16qam12""#);
    assert_eq!(shown("", "frame"), r#"{"length":"5 ms","share":"bytes","symbol":"40 us","down":65,"up":45}"#);
    assert_eq!(shown("preset = \"lte-like\"", "frame"), r#"{"length":"1 ms","share":"time"}"#);
    assert_eq!(shown("", "mobiles"), r#"[{"waypoints":[["0 s","550 m","0 m"],["45 s","1000 m","0 m"]]}]"#);
    assert_eq!(
        shown("", "stations"),
        r#"[{"at":["200 m","0 m"],"delay":"0 s"},{"at":["1000 m","0 m"],"delay":"0 s"}]"#
    );
    let radio = "radio = { loss = \"1 %\", queue = \"20 packets\", reverse = { queue = \"5 packets\" } }";
    let radio: serde_json::Value = serde_json::from_str(&shown(radio, "radio")).unwrap();
    assert!(radio["queue"].to_string().contains("20 packets"), "{radio}");
    assert!(radio["reverse"]["queue"].to_string().contains("5 packets"), "{radio}");
    assert_eq!(radio["loss"]["rate"], "1 %");
    assert_eq!(radio["rate"], serde_json::Value::Null);
}

#[test]
fn a_mobile_goes_by_line_waypoints_or_file() {
    let folder = std::env::temp_dir().join(format!("windlass-ways-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("bus.txt"), "0 bus 550 0 # at the stop\n0 tram 0 0\n45 bus 1000 0\n").unwrap();
    std::fs::write(folder.join("bad.txt"), "5 bus 0 0\n3 bus 0 0\n").unwrap();
    let serving = |ways: &str| {
        let keys = format!("preset = \"rana\"\nstations = [\"200 m\", \"1 km\"]\nmobiles = [{ways}]");
        let read = Scenario::from_toml_in(&folder, &text(&keys), "fig.toml", &[]);
        traced(&read.unwrap_or_else(|error| panic!("{error}")), "serving_station")
    };
    // the border is at 600 m, 5 s; 100 ms later the break of 500 ms
    let expected = [(0.0, 0.0), (5.1, -1.0), (5.6, 1.0)];
    assert_eq!(serving("{ line = { from = \"550 m\", velocity = \"10 m/s\" } }"), expected);
    assert_eq!(serving("{ waypoints = [[\"0 s\", \"550 m\", \"0 m\"], [\"45 s\", \"1000 m\", \"0 m\"]] }"), expected);
    assert_eq!(serving("{ trace = \"bus.txt\", node = \"bus\" }"), expected);
    assert_eq!(serving("{ fixed = [\"0 m\", \"100 m\"] }"), [(0.0, 0.0)]);
    let keys = "stations = [\"0 m\"]\nmobiles = [{ trace = \"bad.txt\", node = \"bus\" }]";
    let error = Scenario::from_toml_in(&folder, &text(keys), "fig.toml", &[]).expect_err("it goes back").to_string();
    assert!(error.contains("where in line 2 time goes back"), "{error}");
    assert!(error.contains("hint: lines are time in seconds, node, and metres"), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn cells_that_make_no_sense_are_refused() {
    let with = |keys: &str| format!("{TWO}\n{keys}");
    refused("stations = [\"0 m\"]", "missing-key", "has no mobile");
    refused("mobile = { fixed = \"0 m\" }", "missing-key", "`topology.stations` is not given");
    refused("stations = []\nmobile = { fixed = \"0 m\" }", "out-of-range", "has 0 base stations");
    refused(&with("mobiles = [{ fixed = \"0 m\" }]"), "conflict", "stands beside `mobile`");
    refused("stations = [\"0 m\"]\nmobile = { fixed = \"0 m\", speed = \"1 m/s\" }", "conflict", "belongs to `from`");
    refused(
        "stations = [\"0 m\"]\nmobile = { from = \"0 m\", to = \"9 m\", speed = \"0 m/s\" }",
        "out-of-range",
        "speed",
    );
    refused("stations = [\"0 m\"]\nmobile = { from = \"0 m\", to = \"9 m\" }", "missing-key", "speed");
    refused("stations = \"0 m\"\nmobile = { fixed = \"0 m\" }", "wrong-type", "write `stations = [VALUE, ...]`");
    refused(&with("radius = \"0 m\""), "out-of-range", "`topology.radius`");
    refused(&with("path_exponent = 0.5"), "out-of-range", "`topology.path_exponent`");
    refused("stations = [nan]\nmobile = { fixed = \"0 m\" }", "wrong-type", "write [\"3 m\", \"0 m\"]: east, north");
    refused("stations = [\"0 m\"]\nmobile = \"0 m\"", "wrong-type", "write `mobile = { from = \"0 m\"");
    refused(&with("preset = \"gsm\""), "unknown-word", "`wimax`");
    refused(&with("preset = \"lte-like\"\nmodulation = \"16qam12\""), "conflict", "take it away");
    refused(&with("bandwidth = \"5 MHz\""), "conflict", "lte-like");
    refused(&with("frame = { down = 80 }"), "out-of-range", "140 symbols with overhead, 5600 us, in 5 ms");
    refused(&with("handover = { gap = \"1 s\" }"), "unknown-key", "`break`");
    refused(&with("handover = { forward_delay = \"1 ms\" }"), "conflict", "write `queue_at_old = \"forwarded\"`");
    refused(&with("radio = { delay = \"1 ms\" }"), "unknown-key", "`topology.radio` has no key `delay`");
}

/// Ten million measurements are kept; 720 hours of one a millisecond are 2.6 billion.
#[test]
fn mobiles_that_measure_more_often_than_fits_are_refused() {
    let long = text(&format!("{TWO}\nhandover = {{ measure_every = \"1 ms\" }}")).replace("\"20 s\"", "\"720 h\"");
    let shown = Scenario::from_toml(&long, "fig.toml", &[]).expect_err("it does not fit").to_string();
    assert!(shown.starts_with("error[scenario.too-many-samples]: fig.toml, line 3"), "{shown}");
    assert!(shown.contains("measure 2592000000 times") && shown.contains("handover.measure_every"), "{shown}");
}

#[test]
fn several_mobiles_share_a_cell_and_losses_have_their_cause() {
    let keys = "preset = \"rana\"\nstations = [\"200 m\", \"1 km\"]\n\
                mobiles = [{ line = { from = \"550 m\", velocity = \"10 m/s\" } }, { fixed = [\"950 m\", \"0 m\"] }]";
    let two = text(keys).replace("to = \"mobile/*\"", "to = \"mobile/0\"");
    let second = "\n[[flows]]\nname = \"second\"\nfrom = \"server\"\nto = \"mobile/1\"\nalgorithm = \"newreno\"\n";
    let scenario = Scenario::from_toml(&(two + second), "fig.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let run = scenario.points()[0].run(1, &RunOptions::default()).unwrap();
    let Some(Column::Str(links)) = run.links.column("link") else { panic!() };
    assert!(["backbone", "router", "air/0", "air/1"].iter().all(|name| links.iter().any(|link| link == name)));
    let Some(Column::I64(lost)) = run.links.column("loss_handover") else { panic!() };
    let of = |name: &str| links.iter().zip(lost).filter(|(link, _)| *link == name).map(|(_, lost)| lost).sum::<i64>();
    assert!(of("air/0") > 0 && of("air/1") == 0);
    let Some(Column::I64(bytes)) = run.links.column("delivered_bytes") else { panic!() };
    let most = links.iter().zip(bytes).filter(|(link, _)| link.starts_with("air/")).map(|(_, bytes)| *bytes).max();
    // alone for 5 s, then with the other: below 20 s of 4.992 Mbps
    assert!((6_000_000..12_480_000).contains(&most.unwrap()), "{most:?}");
}

fn json(text: Result<String, scenario::Error>) -> serde_json::Value {
    serde_json::from_str(&text.unwrap()).unwrap()
}

/// Distance, signal to noise, modulation and bytes of a frame down and up, each row.
fn rates(scenario: &Scenario) -> Vec<(f64, f64, String, u64, u64)> {
    let cells = json(scenario.points()[0].cells());
    let rows = cells[0]["rates"].as_array().unwrap().clone();
    let row = |row: &serde_json::Value| {
        let number = |key: &str| row[key].as_f64().unwrap();
        let name = row["modulation"].as_str().unwrap_or("none").to_owned();
        (
            (number("metres") * 10.0).round() / 10.0,
            number("snr_db"),
            name,
            number("down_bytes") as u64,
            number("up_bytes") as u64,
        )
    };
    rows.iter().map(row).collect()
}

#[test]
fn cells_tell_what_a_frame_holds_where() {
    // 21 dB are 15 above the edge: 500 m / 10^(15 / 35) = 186.4 m; 65 symbols of 108 bytes down, 45 up
    let found = rates(&read(TWO));
    assert_eq!(found[0], (186.4, 21.0, "64qam34".to_owned(), 7020, 4860));
    // the edge is 6 dB, so there is no bpsk12, which needs 3
    assert_eq!(found.len(), 6);
    assert_eq!(found[5], (500.0, 6.0, "qpsk12".to_owned(), 1560, 1080));
    let found = rates(&read(&format!("{TWO}\npreset = \"rana\"")));
    assert_eq!(found, [(500.0, 6.0, "16qam12".to_owned(), 3120, 2160)]);
    // at 0 dB 0.6 and just below 0.4 bits per second and hertz of 10 MHz in 1 ms, in whole bytes; half way it is 10 x
    // 3.76 x 0.301 = 11.3 dB
    let found = rates(&read(&format!("{TWO}\npreset = \"lte-like\"")));
    assert_eq!(found[3], (500.0, 0.0, "none".to_owned(), 750, 499));
    assert!(found[1].0 == 250.0 && (found[1].1 - 11.3188).abs() < 1e-3, "{found:?}");
    // 1 m from a station with a radius of 2 m are 16.5 dB, and nobody is nearer: 64-QAM is to be had nowhere
    assert_eq!(rates(&read(&format!("{TWO}\nradius = \"2 m\"")))[0].2, "16qam34");
}

/// A mobile that stands 50 m away and is offered more than fits gets what `cells` says.
#[test]
fn a_lone_mobile_gets_the_largest_throughput() {
    for (preset, expected) in [("rana", 4.947), ("wimax", 11.145), ("lte-like", 44.0)] {
        let keys = format!("preset = \"{preset}\"\nstations = [\"0 m\"]\nmobile = {{ fixed = \"50 m\" }}");
        let cbr = "transport = \"udp\"\ntraffic = { kind = \"cbr\", rate = \"60 Mbps\", packet = \"1500 B\" }";
        let scenario = Scenario::from_toml(&text(&keys).replace("algorithm = \"newreno\"", cbr), "fig.toml", &[]);
        let point = &scenario.unwrap_or_else(|error| panic!("{error}")).points()[0];
        let most = json(point.cells())[0]["rates"][0]["down_mbps"].as_f64().unwrap();
        assert!((most / expected - 1.0).abs() < 1e-3, "{preset}: {most}");
        let run = point.run(1, &RunOptions::default()).unwrap();
        let Some(Column::I64(bytes)) = run.links.column("delivered_bytes") else { panic!() };
        let found = bytes[4] as f64 * 8.0 / 20.0 / 1e6;
        // the first packets come 45 ms after the start
        assert!((0.995..=1.0).contains(&(found / most)), "{preset}: {found} of {most}");
    }
}

#[test]
fn a_mobiles_way_is_told_and_so_is_where_it_is_not_covered() {
    // rana: the border is at 600 m, 5 s; the second station reaches to 1500 m, 95 s; beyond the run
    let served = |keys: &str| {
        let cells = json(read(keys).points()[0].cells());
        let parts = cells[0]["mobiles"][0]["served"].as_array().unwrap().clone();
        parts
            .iter()
            .map(|part| {
                (
                    part["from_s"].as_f64().unwrap(),
                    part["until_s"].as_f64().unwrap(),
                    format!("{}{}", part["station"], part["why"]),
                )
            })
            .collect::<Vec<_>>()
    };
    let two = format!("{TWO}\npreset = \"rana\"");
    let expected = [(0.0, 5.1, "\"base/0\"null"), (5.1, 5.6, "null\"handover\""), (5.6, 20.0, "\"base/1\"null")];
    assert_eq!(served(&two), expected.map(|(from, until, what)| (from, until, what.to_owned())));
    assert_eq!(json(read(&two).points()[0].absences()), serde_json::json!([]));
    // 300 m of radius end at 500 m and begin again at 700 m: from 0 to 15 s nobody serves it
    let apart = format!("{two}\nradius = \"300 m\"");
    let expected = [(0.0, 15.0, "null\"coverage\""), (15.0, 20.0, "\"base/1\"null")];
    assert_eq!(served(&apart), expected.map(|(from, until, what)| (from, until, what.to_owned())));
    let absence = serde_json::json!([{
        "medium": "air", "node": "mobile/0", "cellular": true, "since_s": 0.0, "seconds": 15.0,
    }]);
    assert_eq!(json(read(&apart).points()[0].absences()), absence);
    let run = read(&apart).points()[0].run(1, &RunOptions::default()).unwrap();
    let Some(Column::F64(secs)) = run.links.column("out_of_coverage_s") else { panic!() };
    let Some(Column::F64(since)) = run.links.column("out_of_coverage_since_s") else { panic!() };
    assert!(secs[0].is_nan() && since[0].is_nan(), "a wire has no coverage: {secs:?}");
    assert_eq!((&secs[4..], &since[4..]), (&[15.0, 15.0][..], &[0.0, 0.0][..]));
}

#[test]
fn a_queue_of_mobiles_in_time_goes_by_the_best_rate() {
    let radio = topology(&read(&format!("{TWO}\nradio = {{ queue = \"100 ms\" }}")))["radio"].clone();
    let rate = read(TWO).points()[0].network(1).unwrap().links[2].forward.rate_bps as f64;
    let back = read(TWO).points()[0].network(1).unwrap().links[2].reverse.rate_bps as f64;
    let packets = |rate: f64| format!("{} packets", (rate * 0.1 / 8.0 / 1500.0).ceil());
    assert_eq!((&radio["queue"], &radio["reverse"]["queue"]), (&packets(rate).into(), &packets(back).into()));
}
