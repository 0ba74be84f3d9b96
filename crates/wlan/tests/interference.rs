//! Interference that adds up: which of frames that overlap are read, by their powers.

mod common;

use common::{Run, Source};
use units::{Span, Time};
use wlan::params::Capture;
use wlan::{
    Class, EVERYONE, Frame, Layout, Medium, MediumSpec, NoSupply, Outcome, Params, Position, Rate, Reception, dbm,
    frame_error,
};

/// Station 0 receives at the origin; what others send reaches it with these distances, from sides so different that
/// they do not sense each other.
fn params(capture: Capture, rate: Rate) -> Params {
    let mut params = Params { rate, ..Params::dot11a() };
    params.radio.reception = Reception::Snr;
    params.rules.capture = capture;
    params
}

fn around(metres: &[f64]) -> Layout {
    let place = |(turn, metres): (usize, &f64)| match turn {
        0 => Position { x: *metres, y: 0.0 },
        1 => Position { x: -metres, y: 0.0 },
        _ => Position { x: 0.0, y: *metres },
    };
    let others = metres.iter().enumerate().map(place);
    Layout::Positions([Position::default()].into_iter().chain(others).collect())
}

/// All others send a broadcast of `bytes` at the same time; of `times` times, the share in which that of station 1 is
/// read by station 0.
fn read(params: &Params, metres: &[f64], bytes: u32, times: u64) -> f64 {
    let mut medium = Medium::new(&MediumSpec::new("air", params.clone(), around(metres)), 1).unwrap();
    let (mut outcomes, mut count) = (Vec::new(), 0);
    for number in 1..=times {
        let start = Time::ZERO + Span::from_millis(20) * number;
        for from in 1..=metres.len() as u32 {
            let rate = Some(params.rate);
            medium.offer(start, from, Frame { to: EVERYONE, bytes, handle: 0, rate, class: Class::BestEffort });
        }
        medium.advance(start, &mut NoSupply, &mut outcomes);
        while (1..=metres.len() as u32).any(|from| !medium.wants_frame(from)) {
            let next = medium.deadline();
            medium.advance(next, &mut NoSupply, &mut outcomes);
        }
        count +=
            outcomes.drain(..).filter(|outcome| matches!(outcome, Outcome::Delivered { at: 0, from: 1, .. })).count();
    }
    count as f64 / times as f64
}

#[test]
fn the_ratio_to_all_others_decides() {
    let mbps = |mbps: u32| Rate::ofdm(1000 * mbps);
    let share = |capture, rate, metres: &[f64]| read(&params(capture, rate), metres, 1500, 400);
    // 6 Mbps need 3.4 dB, a preamble 4 dB. 20 m and 40 m: 9 dB apart, and pairs need 10
    assert_eq!(share(Capture::Any, mbps(6), &[20.0, 40.0]), 0.0);
    assert_eq!(share(Capture::Sinr, mbps(6), &[20.0, 40.0]), 1.0);
    assert_eq!(share(Capture::Sinr, mbps(6), &[30.0, 30.0]), 0.0);
    // 20 m against 30 m is 5.3 dB, against two of them 2.3 dB
    assert!(share(Capture::Sinr, mbps(6), &[20.0, 30.0]) > 0.98);
    assert!(share(Capture::Sinr, mbps(6), &[20.0, 30.0, 30.0]) < 0.02);
}

/// Frames of 24 Mbps against what nobody senses.
#[test]
fn what_is_too_weak_to_be_sensed_disturbs() {
    let mut params = params(Capture::Sinr, Rate::ofdm(24_000));
    params.basic_rates = vec![Rate::ofdm(24_000)];
    let sensed = |metres: f64| params.radio.power_at(metres) >= params.radio.sensed_power(params.rate.phy);
    assert!(sensed(90.0) && !sensed(96.0));
    // alone 33 m are 17.7 dB, more than the 14 that 24 Mbps need; with one at 96 m beside it 12.4, with two 10.1
    let noise = |others: f64| params.radio.noise + others * params.radio.power_at(96.0);
    for (others, db) in [(0.0, 17.70), (1.0, 12.40), (2.0, 10.08)] {
        let ratio = params.radio.power_at(33.0) / noise(others);
        assert!((dbm(ratio / 1000.0) - db).abs() < 0.02, "{others}: {}", dbm(ratio / 1000.0));
    }
    assert_eq!(read(&params, &[33.0], 1500, 200), 1.0);
    assert_eq!(read(&params, &[33.0, 96.0, 96.0], 1500, 200), 0.0);
    let pairs = Params { rules: wlan::params::Rules { capture: Capture::Any, ..params.rules }, ..params.clone() };
    assert_eq!(read(&pairs, &[33.0, 96.0, 96.0], 1500, 200), 1.0);
    // and where it is neither sure nor impossible, as often as the table says
    for (metres, bytes) in [(99.0, 1500), (104.0, 1500), (96.0, 300)] {
        let ratio = params.radio.power_at(33.0) / (params.radio.noise + params.radio.power_at(metres));
        let expected = 1.0 - frame_error(Rate::ofdm(24_000), ratio, bytes + 36);
        assert!((0.05..0.95).contains(&expected), "{expected}");
        let found = read(&params, &[33.0, metres], bytes, 4000);
        // standard deviation at most 0.008
        assert!((found - expected).abs() < 0.03, "{metres} m, {bytes} B: {found}, not {expected}");
    }
}

/// Two hidden senders whose frames are 12 dB apart at the receiver: in pairs the strong one is never harmed, whatever
/// its rate; added up, 36 Mbps fail where 6 Mbps pass.
#[test]
fn a_high_rate_needs_more_than_a_low_one() {
    let unanswered = |capture, mbps: u32| {
        let params = params(capture, Rate::ofdm(1000 * mbps));
        let rates = vec![None, None, Some(Rate::ofdm(6000))];
        let spec = MediumSpec { rates, ..MediumSpec::new("air", params, around(&[30.0, 75.0])) };
        let busy = Source::Saturated { to: 0, bytes: 1500 };
        let mut run = Run::new(&spec, &[Source::Silent, busy, busy], 1).unwrap();
        run.until(Time::from_secs(5.0));
        let stats = run.stats(1);
        stats.failures as f64 / stats.attempts as f64
    };
    let (low, high) = (unanswered(Capture::Sinr, 6), unanswered(Capture::Sinr, 36));
    assert!(low < 0.25 && high > 0.5, "{low} {high}");
    assert!(unanswered(Capture::Any, 36) < 0.25);
}

#[test]
fn what_cannot_be_added_up_is_refused() {
    let mut params = params(Capture::Sinr, Rate::ofdm(6000));
    let refused = |params: &Params, layout: Layout| {
        Medium::new(&MediumSpec::new("air", params.clone(), layout), 1).unwrap_err().to_string()
    };
    assert_eq!(refused(&params, Layout::Everyone { stations: 2 }), "`capture` needs stations with positions");
    params.radio.reception = Reception::Threshold;
    assert!(refused(&params, around(&[10.0])).contains("`reception` by SNR"));
}
