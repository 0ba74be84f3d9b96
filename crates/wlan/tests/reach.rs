//! How far packets get through where frames are read by chance: what `Params::least_power` says, and what the air does.

mod common;

use common::{Run, senders_to_0};
use sim::Stream;
use units::Time;
use wlan::params::Capture;
use wlan::{ArfStart, Guard, Layout, MediumSpec, Params, Rate, RateControl, Reception, Width, dbm, watts};

const SETS: [&str; 7] = ["dot11b", "dot11b-short", "dot11a", "dot11g", "dot11g-prot", "dot11n", "dot11n-2.4"];

fn by_chance(set: &str) -> Params {
    let mut params = Params::named(set).unwrap();
    params.radio.reception = Reception::Snr;
    params
}

/// A saturated station so many metres away, for some seconds: packets that arrived, and those it has done with.
fn packets(params: &Params, control: RateControl, metres: f64, seconds: f64, bytes: u32) -> (u64, u64) {
    let mut spec = MediumSpec::new("cell", params.clone(), Layout::line(2, metres));
    spec.rate_controls = vec![control; 2];
    let mut run = Run::new(&spec, &senders_to_0(1, bytes), 1).unwrap();
    run.until(Time::from_secs(seconds));
    let arrived = run.delivered.iter().sum();
    (arrived, run.sent.iter().chain(&run.given_up).sum())
}

/// Metres at which so much power arrives.
fn metres(params: &Params, power: f64) -> f64 {
    let (mut near, mut far) = (1.0, 1e5);
    while far - near > 1e-9 * far {
        let middle = (near + far) / 2.0;
        *(if params.radio.power_at(middle) >= power { &mut near } else { &mut far }) = middle;
    }
    near
}

/// Sets, rates, powers, widths, lengths, thresholds and rules as they come: just within reach packets arrive, and just
/// beyond none of a hundred does.
#[test]
fn packets_get_through_as_far_as_is_said() {
    let mut drawn = Stream::new(1, "reach");
    let mut below = |choices: usize| (drawn.uniform() * choices as f64) as usize;
    for number in 0..250 {
        let set = SETS[number % SETS.len()];
        let mut params = by_chance(set);
        if set.starts_with("dot11n") {
            params = params.with_channel([Width::Mhz20, Width::Mhz40][below(2)], [Guard::Long, Guard::Short][below(2)]);
        }
        params.rate = params.rates[below(params.rates.len())];
        params.rts_threshold = [0, 3000][below(2)];
        params.rules.capture = [Capture::Any, Capture::Sinr][below(2)];
        params.short_retry_limit = [1, 4, 7][below(3)];
        params.radio.tx_power = watts(below(31) as f64);
        params.radio.cs_threshold = watts([-120.0, -95.0, -82.0, -62.0, -20.0][below(5)]);
        let bytes = [40, 576, 1500][below(3)];
        let reach = metres(&params, params.least_power(params.rate, bytes));
        let what = format!("{number}: {set}, {}, {bytes} B, {reach:.1} m, {params:?}", params.rate);
        // a tenth of a dB is 0.8 % of the way
        let (arrived, _) = packets(&params, RateControl::Fixed, reach / 1.01, 10.0, bytes);
        assert!(arrived > 0, "nothing arrives: {what}");
        let (arrived, sent) = packets(&params, RateControl::Fixed, reach * 1.01, 10.0, bytes);
        assert!(arrived as f64 <= 0.02 * sent as f64, "{arrived} of {sent} arrive: {what}");
        let (arrived, _) = packets(&params, RateControl::Fixed, reach * 1.1, 2.0, bytes);
        assert_eq!(arrived, 0, "{what}");
    }
}

/// From one distance to the next goodput falls, down to the end of the reach of the lowest rate. A station that chooses
/// its rate gets no less than the best one further on gives, but for what it costs to try others.
#[test]
fn goodput_falls_with_distance_without_a_hole() {
    for set in SETS {
        for rts_threshold in [0, 3000] {
            let mut params = Params { rts_threshold, ..by_chance(set) };
            // of HT one stream; beside DSSS, OFDM
            let kind = std::mem::discriminant(&params.rate.phy);
            params.rates.retain(|rate| std::mem::discriminant(&rate.phy) == kind && rate.kbps <= 65_000);
            let lowest = params.rates.iter().map(|rate| params.least_power(*rate, 1500)).fold(f64::INFINITY, f64::min);
            let reach = metres(&params, lowest);
            let grid: Vec<f64> = (1..=14).map(|place| reach * f64::from(place) / 14.3).collect();
            let mbps = |params: &Params, control, metres| {
                packets(params, control, metres, 3.0, 1500).0 as f64 * 12_000.0 / 3e6
            };
            let mut best = vec![0.0_f64; grid.len()];
            for &rate in &params.rates {
                let fixed = Params { rate, ..params.clone() };
                let goodput: Vec<f64> = grid.iter().map(|&metres| mbps(&fixed, RateControl::Fixed, metres)).collect();
                for (place, pair) in goodput.windows(2).enumerate() {
                    assert!(pair[1] <= 1.03 * pair[0] + 0.01, "{set} {rate} {rts_threshold}: {place} of {goodput:.2?}");
                }
                best.iter_mut().zip(&goodput).for_each(|(best, &found)| *best = best.max(found));
            }
            assert!(best.iter().all(|&best| best > 0.2), "{set} {rts_threshold}: {best:.2?}");
            for control in [RateControl::Minstrel, RateControl::Arf(ArfStart::Low), RateControl::Arf(ArfStart::High)] {
                let goodput: Vec<f64> = grid.iter().map(|&metres| mbps(&params, control, metres)).collect();
                for (place, &found) in goodput.iter().enumerate() {
                    let further = best[place..].iter().copied().fold(0.0, f64::max);
                    let least = if control == RateControl::Minstrel { 0.7 } else { 0.5 };
                    assert!(
                        found > least * further,
                        "{set} {control:?} {rts_threshold}: {place} of {goodput:.2?}, {best:.2?}"
                    );
                }
            }
        }
    }
}

/// A frame whose preamble is understood is sensed, whatever energy counts from; by power alone nothing has changed.
#[test]
fn what_is_understood_is_sensed() {
    for (set, db) in [("dot11g", 4.0), ("dot11b", -4.0)] {
        let params = by_chance(set);
        let least = dbm(params.radio.noise) + db;
        assert!((dbm(params.radio.sensed_power(params.rate.phy)) - least).abs() < 1e-6);
        assert!(least < dbm(params.radio.cs_threshold));
        let mut sensitive = params.clone();
        sensitive.radio.cs_threshold = watts(-120.0);
        assert_eq!(sensitive.radio.sensed_power(params.rate.phy), watts(-120.0));
        let by_power = Params::named(set).unwrap();
        assert_eq!(by_power.radio.sensed_power(params.rate.phy), by_power.radio.cs_threshold);
        assert_eq!(by_power.least_power(by_power.rate, 1500), by_power.radio.rx_threshold);
    }
    // 95 m from each other, and -84.4 dBm at 66 m: two senders take turns, where energy alone would not tell them
    let params = Params { rate: Rate::ofdm(6000), ..by_chance("dot11a") };
    let spec = MediumSpec::new("cell", params.clone(), Layout::line(3, 45.0));
    let mut run = Run::new(&spec, &senders_to_0(2, 1500), 1).unwrap();
    run.until(Time::from_secs(5.0));
    let stats = [1, 2].map(|station| run.stats(station));
    assert!(params.radio.power_at(90.0) < params.radio.cs_threshold);
    assert!(stats.iter().all(|stats| stats.failures * 5 < stats.attempts), "{stats:?}");
}
