//! Power that varies from pair to pair and from block to block.

mod common;

use common::{Run, senders_to_0};
use units::{Span, Time};
use wlan::{
    Class, EVERYONE, Frame, Layout, Medium, MediumSpec, NoSupply, Outcome, Params, RateControl, Reception, watts,
};

/// Of broadcasts of station 0, one every 10 ms, the share that each other station receives.
fn received(params: Params, layout: Layout, frames: u64, seed: u64) -> Vec<f64> {
    let stations = layout.stations();
    let mut medium = Medium::new(&MediumSpec::new("cell", params, layout), seed).unwrap();
    let mut delivered = vec![0u64; stations];
    let mut outcomes = Vec::new();
    for number in 1..=frames {
        let start = Time::ZERO + Span::from_millis(10) * number;
        medium.offer(start, 0, Frame { to: EVERYONE, bytes: 100, handle: 0, rate: None, class: Class::BestEffort });
        while !medium.wants_frame(0) {
            let now = medium.deadline();
            medium.advance(now, &mut NoSupply, &mut outcomes);
        }
        for outcome in outcomes.drain(..) {
            if let Outcome::Delivered { at, .. } = outcome {
                delivered[at as usize] += 1;
            }
        }
    }
    delivered.into_iter().map(|count| count as f64 / frames as f64).collect()
}

#[test]
fn as_many_frames_arrive_as_blocks_are_strong_enough() {
    let mut params = Params::dot11a();
    params.radio.rayleigh_block = Some(wlan::Coherence::Time(Span::from_millis(1)));
    let steady = |metres: f64| params.radio.power_at(metres) / params.radio.rx_threshold;
    // power falls to a thousandth per tenfold distance; -82 dBm is the mean 52 m away
    for metres in [20.0, 40.0, 52.0, 80.0] {
        let found = received(params.clone(), Layout::line(2, metres), 4000, 1)[1];
        // an exponential of mean 1 is at least this with this probability
        let expected = (-1.0 / steady(metres)).exp();
        assert!((found - expected).abs() < 0.03, "{metres} m: {found}, not {expected}");
    }
}

#[test]
fn a_block_is_good_or_bad_as_a_whole() {
    let mut params = Params::dot11a();
    params.radio.rayleigh_block = Some(wlan::Coherence::Time(Span::from_millis(2000)));
    // at this distance half of the blocks are strong enough
    let power = params.radio.rx_threshold / std::f64::consts::LN_2;
    let metres = (params.radio.power_at(1.0) / power).cbrt();
    let shares: Vec<f64> =
        (0..20).map(|seed| received(params.clone(), Layout::line(2, metres), 100, seed)[1]).collect();
    // one second lies in one block or two
    assert!(shares.iter().filter(|&&share| share == 0.0 || share == 1.0).count() >= 8, "{shares:?}");
    assert!(shares.contains(&0.0) && shares.contains(&1.0), "{shares:?}");
}

#[test]
fn shadowing_settles_who_hears_whom_once_and_for_all() {
    let mut params = Params::dot11a();
    params.radio.shadowing_db = 8.0;
    // 400 stations at the distance at which the mean power is the threshold: half of them are shadowed
    let metres = (params.radio.power_at(1.0) / params.radio.rx_threshold).cbrt();
    let shares = received(params.clone(), Layout::circle(400, metres), 3, 1);
    let heard = shares[1..].iter().filter(|&&share| share == 1.0).count();
    assert_eq!(shares[1..].iter().filter(|&&share| share == 0.0).count(), 400 - heard);
    // standard deviation 10
    assert!(heard.abs_diff(200) < 40, "{heard}");
    // the same in both directions
    let medium = Medium::new(&MediumSpec::new("cell", params, Layout::circle(400, metres)), 1).unwrap();
    for station in 1..=400 {
        assert_eq!(medium.reaches(0, station), medium.reaches(station, 0));
        assert_eq!(medium.reaches(0, station), shares[station as usize] == 1.0);
    }
}

/// Minstrel follows blocks of 500 ms; one rate for all blocks loses more.
#[test]
fn sampling_follows_slow_fading() {
    let mut params = Params::dot11a();
    params.radio.reception = Reception::Snr;
    params.radio.cs_threshold = watts(-95.0);
    params.radio.rayleigh_block = Some(wlan::Coherence::Time(Span::from_millis(500)));
    let goodput = |spec: &MediumSpec| {
        let mut run = Run::new(spec, &senders_to_0(1, 1500), 3).unwrap();
        run.until(Time::from_secs(60.0));
        run.delivered[1] as f64 * 12_000.0 / 60e6
    };
    let mut spec = MediumSpec::new("cell", params.clone(), Layout::line(2, 35.0));
    let fixed = params.rates.iter().map(|&rate| {
        spec.params.rate = rate;
        goodput(&spec)
    });
    let best = fixed.fold(0.0, f64::max);
    spec.rate_controls = vec![RateControl::Minstrel; 2];
    let found = goodput(&spec);
    assert!(found > best, "{found:.2} Mbps, fixed {best:.2}");
}
