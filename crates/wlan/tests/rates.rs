//! Rate control on the air: two stations, and more, whose frames are read by chance.

mod common;

use common::{Run, senders_to_0};
use units::{Span, Time};
use wlan::{
    ArfStart, Class, Frame, Kind, Layout, Medium, MediumSpec, NoSupply, Outcome, Params, Rate, RateControl, Reception,
    watts,
};

/// Frames are read by their ratio to the noise, and sensed far beyond where that is enough.
fn by_chance(mut params: Params) -> Params {
    params.radio.reception = Reception::Snr;
    params.radio.cs_threshold = watts(-95.0);
    params
}

fn cell(params: Params, control: RateControl, metres: f64, senders: usize) -> MediumSpec {
    let mut spec = MediumSpec::new("cell", params, Layout::circle(senders, metres));
    spec.rate_controls = vec![control; senders + 1];
    spec
}

/// Goodput in Mbps of saturated stations, from 1 s on.
fn goodput(spec: &MediumSpec, seconds: f64, seed: u64) -> f64 {
    let mut run = Run::new(spec, &senders_to_0(spec.layout.stations() - 1, 1500), seed).unwrap();
    run.until(Time::from_secs(1.0));
    let before: u64 = run.delivered.iter().sum();
    run.until(Time::from_secs(1.0 + seconds));
    (run.delivered.iter().sum::<u64>() - before) as f64 * 12_000.0 / seconds / 1e6
}

/// The best that a fixed rate gives there.
fn best_fixed(params: &Params, metres: f64, seconds: f64) -> (Rate, f64) {
    let each = params.rates.iter().map(|&rate| {
        let params = Params { rate, ..params.clone() };
        (rate, goodput(&cell(params, RateControl::Fixed, metres, 1), seconds, 1))
    });
    each.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
}

#[test]
fn both_come_near_the_best_fixed_rate_and_not_beyond() {
    let params = by_chance(Params::dot11a());
    let mut best_rates = Vec::new();
    // 63 dB at 1 m, 30 dB less per tenfold distance: 33, 23, 19, 15, 11, 8 dB
    for metres in [10.0, 22.0, 30.0, 40.0, 55.0, 70.0] {
        let (rate, best) = best_fixed(&params, metres, 4.0);
        best_rates.push(rate);
        let arf = goodput(&cell(params.clone(), RateControl::Arf(ArfStart::Low), metres, 1), 10.0, 2);
        let minstrel = goodput(&cell(params.clone(), RateControl::Minstrel, metres, 1), 10.0, 2);
        for (name, found) in [("ARF", arf), ("Minstrel", minstrel)] {
            assert!(found > 0.8 * best, "{name} at {metres} m: {found:.2}, fixed {rate} {best:.2}");
            assert!(found < 1.02 * best, "{name} at {metres} m: {found:.2}, fixed {rate} {best:.2}");
        }
    }
    best_rates.dedup();
    assert!(best_rates.len() >= 5, "{best_rates:?}");
}

#[test]
fn schemes_of_ht_are_chosen_as_well() {
    let params = by_chance(Params::dot11n());
    for metres in [10.0, 40.0] {
        let (rate, best) = best_fixed(&params, metres, 2.0);
        let found = goodput(&cell(params.clone(), RateControl::Minstrel, metres, 1), 10.0, 2);
        assert!(found > 0.8 * best && found < 1.02 * best, "{metres} m: {found:.2}, fixed {rate} {best:.2}");
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for control in [RateControl::Arf(ArfStart::High), RateControl::Minstrel] {
        let run = |seed| {
            let spec = cell(by_chance(Params::dot11g()), control, 35.0, 3);
            let mut run = Run::new(&spec, &senders_to_0(3, 1500), seed).unwrap();
            run.until(Time::from_secs(3.0));
            (run.delivered.clone(), (1..=3).map(|station| run.stats(station)).collect::<Vec<_>>())
        };
        assert_eq!(run(5), run(5), "{control:?}");
        assert_ne!(run(5), run(6), "{control:?}");
    }
}

/// Offers station 0 packets, in turn for each of `to`, until `packets` of them are done with. Gives back what it put on
/// air, first frame first, in frames of `kind`.
fn airtimes(medium: &mut Medium, to: &[u32], packets: usize, kind: Kind) -> Vec<Span> {
    medium.trace_frames(true);
    let (mut now, mut done, mut airtimes, mut outcomes) = (Time::ZERO, 0, Vec::new(), Vec::new());
    let mut left = to.iter().cycle();
    while done < packets {
        if medium.wants_frame(0) {
            let to = *left.next().unwrap();
            medium.offer(now, 0, Frame { to, bytes: 1500, handle: 0, rate: None, class: Class::BestEffort });
        }
        now = medium.deadline();
        medium.advance(now, &mut NoSupply, &mut outcomes);
        for outcome in outcomes.drain(..) {
            match outcome {
                Outcome::OnAir { kind: found, from: 0, start, end, .. } if found == kind => {
                    airtimes.push(end.since(start));
                }
                Outcome::Sent { .. } | Outcome::Dropped { .. } => done += 1,
                _ => {}
            }
        }
    }
    airtimes
}

/// Station 0 is heard by nobody.
fn unheard(params: Params, control: RateControl) -> MediumSpec {
    let mut spec = MediumSpec::new("cell", params, Layout::mutual(2, &[]));
    spec.rate_controls = vec![control; 2];
    spec
}

#[test]
fn each_attempt_has_its_own_rate() {
    let params = Params::dot11a();
    let at = |mbps: u32| params.airtime(Rate::ofdm(mbps * 1000), 1536);
    let spec = unheard(params.clone(), RateControl::Arf(ArfStart::High));
    let found = airtimes(&mut Medium::new(&spec, 1).unwrap(), &[1], 2, Kind::Data);
    // seven attempts each; the failures of the first packet count on in the second
    let expected = [54, 54, 48, 48, 36, 36, 24, 24, 18, 18, 12, 12, 9, 9].map(at);
    assert_eq!(found, expected);
    // Minstrel: the highest once, then the lowest; then the next, and so on
    let spec = unheard(params.clone(), RateControl::Minstrel);
    let found = airtimes(&mut Medium::new(&spec, 1).unwrap(), &[1], 2, Kind::Data);
    assert_eq!(found, [54, 6, 6, 6, 6, 6, 6, 48, 6, 6, 6, 6, 6, 6].map(at));
}

#[test]
fn an_rts_without_cts_says_nothing_about_the_rate() {
    let params = Params { rts_threshold: 0, ..Params::dot11a() };
    let top = params.rate;
    let mut medium = Medium::new(&unheard(params, RateControl::Arf(ArfStart::High)), 1).unwrap();
    assert_eq!(airtimes(&mut medium, &[1], 5, Kind::Rts).len(), 35);
    assert_eq!(medium.data_rate(0, 1), top);
}

#[test]
fn each_receiver_has_its_own_rate() {
    // 1 is heard, 2 is not
    for (control, unheard) in
        [(RateControl::Arf(ArfStart::High), Rate::ofdm(6000)), (RateControl::Fixed, Rate::ofdm(54_000))]
    {
        let mut spec = MediumSpec::new("cell", Params::dot11a(), Layout::mutual(3, &[(0, 1)]));
        spec.rate_controls = vec![control];
        let mut medium = Medium::new(&spec, 1).unwrap();
        airtimes(&mut medium, &[1, 2], 20, Kind::Data);
        assert_eq!(medium.data_rate(0, 1), Rate::ofdm(54_000));
        assert_eq!(medium.data_rate(0, 2), unheard);
    }
}

#[test]
fn a_frame_with_a_rate_of_its_own_keeps_it() {
    let params = Params::dot11a();
    let mut medium = Medium::new(&unheard(params.clone(), RateControl::Arf(ArfStart::High)), 1).unwrap();
    medium.trace_frames(true);
    let rate = Rate::ofdm(24_000);
    medium.offer(Time::ZERO, 0, Frame { to: 1, bytes: 1500, handle: 0, rate: Some(rate), class: Class::BestEffort });
    let mut outcomes = Vec::new();
    while !outcomes.contains(&Outcome::Dropped { station: 0, handle: 0, aired: true }) {
        let now = medium.deadline();
        medium.advance(now, &mut NoSupply, &mut outcomes);
    }
    let found: Vec<Span> = outcomes
        .iter()
        .filter_map(|outcome| match outcome {
            Outcome::OnAir { start, end, .. } => Some(end.since(*start)),
            _ => None,
        })
        .collect();
    assert_eq!(found, [params.airtime(rate, 1536); 7]);
    // nothing was learnt from it
    assert_eq!(medium.data_rate(0, 1), params.rate);
}
