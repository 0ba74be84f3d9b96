//! Two stations on opposite sides of their access point that do not sense each other.

#[path = "common/radio.rs"]
mod common;

use common::{numbers, read, result};

/// Each offers 50 packets a second at random times, one attempt for each.
const HIDDEN: &str = r#"[scenario]
duration = "800 s"
[topology]
kind = "wlan"
stations = 2
positions = [["-50 m", "0 m"], ["50 m", "0 m"]]
[topology.radio]
set = "dot11g"
rate = "12 Mbps"
receive_range = "60 m"
sense_range = "70 m"
rts_threshold = "off"
short_retry_limit = 1
long_retry_limit = 1
[[flows]]
from = "station/*"
to = "ap/0"
transport = "udp"
traffic = { kind = "poisson", rate = "0.6 Mbps", packet = "1500 B", header = "0 B" }
"#;

/// Share of the attempts of both stations that met another frame at the access point, and of their packets that
/// arrived.
fn shares(sets: &[(&str, &str)]) -> (f64, f64) {
    let stations = result(HIDDEN, sets).stations;
    let sum = |name: &str| numbers(&stations, name)[..2].iter().sum::<f64>();
    (
        sum("collided_frames") / sum("attempts"),
        sum("acked_packets") / (sum("acked_packets") + sum("mac_dropped_packets")),
    )
}

/// Times of one exchange of data, in seconds.
fn exchange(sets: &[(&str, &str)], part: &str) -> f64 {
    let rows = read(HIDDEN, sets).unwrap().points()[0].exchanges().unwrap();
    let rows: serde_json::Value = serde_json::from_str(&rows).unwrap();
    rows[0][part].as_f64().unwrap() * 1e-6
}

#[track_caller]
fn near(found: f64, expected: f64, percent: f64) {
    assert!((found / expected - 1.0).abs() < percent / 100.0, "{found:.5}, not {expected:.5}");
}

/// A frame of T survives if the other station begins none from T before its start until T behind it.
#[test]
fn hidden_frames_collide_as_the_vulnerable_period_says() {
    // a preamble of 20, 257 symbols of 4 for 22 + 8 x 1536 bits at 48 a symbol, an extension of 6 us
    let airtime = exchange(&[], "data");
    assert!((airtime - 1054e-6).abs() < 1e-12, "{airtime}");
    let (collided, arrived) = shares(&[]);
    let expected = 1.0 - (-2.0 * 50.0 * airtime).exp();
    near(collided, expected, 4.0);
    near(1.0 - arrived, expected, 4.0);
}

/// With RTS two frames meet if one begins while the other's RTS lasts, or before the CTS tells of it.
#[test]
fn rts_mends_what_hidden_stations_do_to_each_other() {
    let sets = [("topology.radio.rts_threshold", "always")];
    let (rts, sifs) = (exchange(&sets, "rts"), exchange(&sets, "sifs"));
    let (collided, arrived) = shares(&sets);
    let alone = 1.0 - (-50.0 * (2.0 * rts + sifs)).exp();
    // and after an exchange for whose end both have waited, which two attempts follow
    let waited = (50.0 * exchange(&sets, "exchange")).powi(2);
    assert!((0.9 * alone..alone + 2.0 * waited).contains(&collided), "{alone} {waited} {collided}");
    let (without, _) = shares(&[]);
    assert!(arrived > 0.99 && collided < 0.1 * without, "{collided} {arrived} {without}");
}

/// Stations that sense each other collide in the same slot only.
#[test]
fn stations_that_sense_each_other_hardly_collide() {
    let (collided, arrived) = shares(&[("topology.radio.sense_range", "120 m")]);
    assert!(collided < 0.01 && arrived > 0.99, "{collided} {arrived}");
}

/// Repeated attempts repair most of it, though more of them collide: both begin anew after the same frame.
#[test]
fn the_mac_repairs_most_collisions() {
    let sets = [("topology.radio.short_retry_limit", "7"), ("topology.radio.long_retry_limit", "4")];
    let (collided, arrived) = shares(&sets);
    let (once, before) = shares(&[]);
    assert!(collided > once && arrived > 0.98 && before < 0.92, "{collided} {arrived} {once} {before}");
}
