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
    refused(&with("radius = \"0 m\""), "out-of-range", "`topology.radius`");
    refused(&with("preset = \"gsm\""), "unknown-word", "`wimax`");
    refused(&with("preset = \"lte-like\"\nmodulation = \"16qam12\""), "conflict", "take it away");
    refused(&with("bandwidth = \"5 MHz\""), "conflict", "lte-like");
    refused(&with("frame = { down = 80 }"), "out-of-range", "140 symbols with overhead, 5600 us, in 5 ms");
    refused(&with("handover = { gap = \"1 s\" }"), "unknown-key", "`break`");
    refused(&with("handover = { forward_delay = \"1 ms\" }"), "conflict", "write `queue_at_old = \"forwarded\"`");
    refused(&with("radio = { delay = \"1 ms\" }"), "unknown-key", "`topology.radio` has no key `delay`");
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
