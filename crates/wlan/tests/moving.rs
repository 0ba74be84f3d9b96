//! Stations that move.

mod common;

use common::{Run, Source};
use units::{Span, Time};
use wlan::{
    Class, Coherence, EVERYONE, Frame, Layout, Medium, MediumSpec, NoSupply, Outcome, Params, Position, Way, dbm,
};

fn at(x: f64) -> Position {
    Position { x, y: 0.0 }
}

fn s(seconds: f64) -> Time {
    Time::from_secs(seconds)
}

/// Station 0 stands at the origin, station 1 goes this way.
fn two(params: Params, way: Way) -> MediumSpec {
    let layout = Layout::Positions(vec![Position::default(); 2]);
    MediumSpec { moves: vec![(1, way)], ..MediumSpec::new("air", params, layout) }
}

fn away(from: f64, speed: f64) -> Way {
    Way::Line { from: at(from), velocity: at(speed) }
}

/// When broadcasts of station 1, one every `gap`, arrive at station 0.
fn heard(spec: &MediumSpec, gap: Span, seconds: f64, seed: u64) -> Vec<(f64, bool)> {
    let mut medium = Medium::new(spec, seed).unwrap();
    let (mut outcomes, mut all) = (Vec::new(), Vec::new());
    let mut now = Time::ZERO + gap;
    while now < s(seconds) {
        medium.offer(now, 1, Frame { to: EVERYONE, bytes: 100, handle: 0, rate: None, class: Class::BestEffort });
        while medium.deadline() < now + gap {
            let next = medium.deadline();
            medium.advance(next, &mut NoSupply, &mut outcomes);
        }
        all.push((now.secs(), outcomes.drain(..).any(|outcome| matches!(outcome, Outcome::Delivered { at: 0, .. }))));
        now += gap;
    }
    all
}

#[test]
fn a_station_is_heard_as_long_as_it_is_near() {
    let params = Params::ns2_default();
    // 250 m after 15 s at 10 m/s from 100 m; positions are at most 0.1 s old
    let spec = two(params.clone(), away(100.0, 10.0));
    for (when, arrived) in heard(&spec, Span::from_millis(7), 30.0, 1) {
        assert!(arrived == (when < 15.0) || (15.0..15.15).contains(&when), "{when}");
    }
    // there and back: it reaches 300 m at 20 s and is within 250 m again at 25 s
    let points = [(s(0.0), at(100.0)), (s(20.0), at(300.0)), (s(40.0), at(100.0))];
    let spec = two(params, Way::Waypoints(points.to_vec().into()));
    for (when, arrived) in heard(&spec, Span::from_millis(7), 40.0, 1) {
        let near = !(15.0..25.0).contains(&when);
        let edge = (15.0..15.15).contains(&when) || (25.0..25.15).contains(&when);
        assert!(arrived == near || edge, "{when}");
    }
}

#[test]
fn a_way_that_stands_is_a_position() {
    let spec = |moves: Vec<(u32, Way)>, x: f64| {
        let layout = Layout::Positions(vec![at(0.0), at(x), at(400.0)]);
        MediumSpec { moves, ..MediumSpec::new("air", Params::ns2_default(), layout) }
    };
    let run = |spec: &MediumSpec| {
        let to = |to| Source::Saturated { to, bytes: 700 };
        let mut run = Run::new(spec, &[to(1), to(2), to(1)], 5).unwrap();
        run.until(s(20.0));
        [0, 1, 2].map(|station| run.stats(station))
    };
    let standing = run(&spec(vec![], 210.0));
    assert!(standing[0].acked > 100);
    assert_eq!(run(&spec(vec![(1, Way::Fixed(at(210.0)))], 0.0)), standing);
    // less than a metre in all
    let crawl = Way::Line { from: at(210.0), velocity: at(0.04) };
    assert_eq!(run(&spec(vec![(1, crawl)], 0.0)), standing);
}

#[test]
fn delays_follow_the_distance() {
    // one frame on the air at a time: it leaves with the positions of that time
    let params = Params { rts_threshold: u32::MAX, ..Params::ns2_default() };
    let mut medium = Medium::new(&two(params, away(30.0, 20.0)), 1).unwrap();
    let mut outcomes = Vec::new();
    for (seconds, metres) in [(1.0, 50.0), (5.0, 130.0), (9.95, 228.0)] {
        let frame = Frame { to: EVERYONE, bytes: 100, handle: 0, rate: None, class: Class::BestEffort };
        medium.offer(s(seconds), 1, frame);
        let (mut sent, mut came) = (Time::ZERO, Time::ZERO);
        while sent == Time::ZERO || came == Time::ZERO {
            let now = medium.deadline();
            medium.advance(now, &mut NoSupply, &mut outcomes);
            for outcome in outcomes.drain(..) {
                match outcome {
                    Outcome::Sent { .. } => sent = now,
                    Outcome::Delivered { .. } => came = now,
                    _ => {}
                }
            }
        }
        let expected = (metres / 3e8 * 1e9f64).round() as u64;
        assert_eq!(came.since(sent), Span(expected), "{metres} m");
    }
}

/// How far apart in metres shadows are alike, by what is heard at a distance at which half of the shadows let it pass.
#[test]
fn shadows_change_over_the_way() {
    let mut params = Params::dot11a();
    params.radio.shadowing_db = 8.0;
    params.radio.shadowing_coherence = 20.0;
    let radius = (params.radio.power_at(1.0) / params.radio.rx_threshold).cbrt();
    // round a circle at 10 m/s, 36 corners; a frame every 0.1 s is one every metre
    let corner = |number: u32| {
        let turn = f64::from(number) * 10f64.to_radians();
        (s(f64::from(number) * 2.0 * radius * 5f64.to_radians().sin() / 10.0), {
            Position { x: radius * turn.cos(), y: radius * turn.sin() }
        })
    };
    let way = Way::Waypoints((0..36 * 80).map(corner).collect());
    let heard = heard(&two(params, way), Span::from_millis(100), 2000.0, 3);
    let good = |place: usize| if heard[place].1 { 1.0 } else { -1.0 };
    let alike = |metres: usize| {
        (0..heard.len() - metres).map(|place| good(place) * good(place + metres)).sum::<f64>()
            / (heard.len() - metres) as f64
    };
    // signs of two normal numbers with correlation r are alike by 2 / pi asin r; r = exp(-metres / 20)
    for metres in [5, 10, 20, 40] {
        let r = (-(metres as f64) / 20.0).exp();
        let expected = 2.0 / std::f64::consts::PI * r.asin();
        assert!((alike(metres) - expected).abs() < 0.08, "{metres}: {} {expected}", alike(metres));
    }
    let mean = heard.iter().filter(|one| one.1).count() as f64 / heard.len() as f64;
    assert!((mean - 0.5).abs() < 0.08, "{mean}");
}

/// Blocks of fading are as long as the way through 0.423 wavelengths takes.
#[test]
fn fading_is_faster_at_speed() {
    let mut params = Params::dot11a();
    params.radio.rayleigh_block = Some(Coherence::Speed);
    // at 28 m the mean power is 6.5 times what is needed: 14 % of the blocks are lost. It goes round and stays as far
    let changes = |speed: f64| {
        let radius = 28.0;
        let corner = |number: u32| {
            let turn = f64::from(number) * 5f64.to_radians();
            let seconds = f64::from(number) * 2.0 * radius * 2.5f64.to_radians().sin() / speed;
            (s(seconds), Position { x: radius * turn.cos(), y: radius * turn.sin() })
        };
        let way = Way::Waypoints((0..4000).map(corner).collect());
        let heard = heard(&two(params.clone(), way), Span::from_millis(1), 20.0, 1);
        heard.windows(2).filter(|pair| pair[0].1 != pair[1].1).count() as f64
    };
    // 0.423 x 57.9 mm = 24.5 mm: 24.5 ms at 1 m/s, 4.9 ms at 5 m/s
    let (slow, fast) = (changes(1.0), changes(5.0));
    let lost = 1.0 - (-(params.radio.rx_threshold / params.radio.power_at(28.0))).exp();
    let expected = 2.0 * lost * (1.0 - lost) * 20.0 / 0.0245;
    assert!((slow / expected - 1.0).abs() < 0.25, "{slow} {expected}");
    assert!((fast / slow - 5.0).abs() < 1.5, "{slow} {fast}");
}

#[test]
fn power_falls_as_it_goes() {
    // nothing but the distance: the farthest that is heard is where the power is the threshold
    let params = Params::dot11a();
    let heard = heard(&two(params.clone(), away(1.0, 1.0)), Span::from_millis(50), 80.0, 1);
    let last = heard.iter().rev().find(|one| one.1).unwrap().0 + 1.0;
    let edge = params.radio.power_at(last);
    assert!((dbm(edge) - dbm(params.radio.rx_threshold)).abs() < 0.3, "{last}");
}

#[test]
fn who_cannot_move_is_refused() {
    let refused = |spec: MediumSpec| Medium::new(&spec, 1).unwrap_err().to_string();
    let everyone = MediumSpec::new("air", Params::dot11a(), Layout::Everyone { stations: 2 });
    let moves = vec![(1, away(0.0, 1.0))];
    assert_eq!(refused(MediumSpec { moves, ..everyone }), "`moves` needs stations with positions");
    let far = MediumSpec { moves: vec![(7, away(0.0, 1.0))], ..two(Params::dot11a(), away(0.0, 1.0)) };
    assert_eq!(refused(far), "no station 7: there are 2, numbered from 0");
}
