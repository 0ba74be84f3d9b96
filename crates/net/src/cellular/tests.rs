use super::*;

fn s(seconds: f64) -> Time {
    Time::from_secs(seconds)
}

fn place(x: f64, y: f64) -> Position {
    Position { x, y }
}

/// Mobile WiMAX: frames of 125 symbols of 40 us, 65 of them down behind 5 of overhead, 45 up behind 85.
fn wimax() -> FrameSpec {
    let symbol = Span(40_000);
    FrameSpec {
        length: Span::from_millis(5),
        down: FramePart { start: Span(200_000), unit: symbol, units: 65 },
        up: FramePart { start: Span(3_200_000), unit: symbol, units: 45 },
        share: Share::Bytes,
        piece_bytes: 10,
        asked_before: true,
        repeats: None,
    }
}

/// Stations on a line, 500 m of radius; 10 m/s along it from its beginning.
fn cells(stations: &[f64], rules: HandoverRules) -> (CellularSpec, Way) {
    let spec = CellularSpec {
        stations: stations.iter().map(|x| BaseStation { place: place(*x, 0.0), delay: Span::ZERO }).collect(),
        mobiles: vec![],
        radius: 500.0,
        path_exponent: 3.5,
        snr_edge: 6.0,
        rules,
        frames: wimax(),
        modulation: Modulation::Fixed(48),
    };
    (spec, Way::Line { from: place(0.0, 0.0), velocity: place(10.0, 0.0) })
}

fn at_once() -> HandoverRules {
    HandoverRules {
        measure_every: Span::from_millis(100),
        threshold_db: None,
        hysteresis_db: 0.0,
        time_to_trigger: Span::ZERO,
        warn: Span::from_millis(100),
        gap: Span::from_millis(500),
        kept: None,
    }
}

#[test]
fn borders_are_passed_when_geometry_says() {
    // stations at 200, 1000 and 1800 m: borders at 600 and 1400 m, 60 and 140 s
    let (spec, way) = cells(&[200.0, 1000.0, 1800.0], at_once());
    let course = spec.course(&way, s(200.0));
    assert_eq!(course.decided, [s(60.0), s(140.0)]);
    let served = |t: f64| course.serving.iter().rev().find(|(at, _)| *at <= s(t)).map(|(_, station)| *station);
    let times = [0.0, 60.0, 60.09, 60.1, 60.599, 60.6, 140.6, 200.0];
    let stations = [Some(0), Some(0), Some(0), None, None, Some(1), Some(2), Some(2)];
    assert_eq!(times.map(|t| served(t).unwrap()), stations);
    let expected = [60.1, 140.1].map(|at| Break {
        at: s(at),
        length: Span::from_millis(500),
        known: s(at - 0.1),
        cause: LossCause::Handover,
        kept: None,
    });
    assert_eq!(course.breaks, expected);
}

#[test]
fn hysteresis_and_time_to_trigger_delay_the_decision() {
    // 3 dB are d1 / d2 = 10^(3/35) = 1.2182: 800 m apart, 439.3 m from the first, 39.3 m or 3.93 s behind the border
    let (mut spec, way) = cells(&[200.0, 1000.0], HandoverRules { hysteresis_db: 3.0, ..at_once() });
    assert_eq!(spec.course(&way, s(100.0)).decided, [s(64.0)]);
    spec.rules.time_to_trigger = Span::from_millis(160);
    assert_eq!(spec.course(&way, s(100.0)).decided, [s(64.2)]);
    // below 8 dB only: 500 m / 10^(2/35) = 438.3 m from the first station is before that, 7 dB are 468.2 m
    spec.rules.threshold_db = Some(8.0);
    assert_eq!(spec.course(&way, s(100.0)).decided, [s(64.2)]);
    spec.rules.threshold_db = Some(7.0);
    assert_eq!(spec.course(&way, s(100.0)).decided, [s(67.1)]);
}

#[test]
fn nobody_goes_back_before_the_trigger_has_run_anew() {
    // to and fro over the border, 1 s each way
    let points = (0..40).map(|n| (s(f64::from(n)), place(if n % 2 == 0 { 590.0 } else { 610.0 }, 0.0)));
    let way = Way::Waypoints(points.collect::<Vec<_>>().into());
    let (mut spec, _) = cells(&[200.0, 1000.0], at_once());
    let gaps = |spec: &CellularSpec| {
        let decided = spec.course(&way, s(40.0)).decided;
        decided.windows(2).map(|pair| pair[1].since(pair[0])).min()
    };
    // a break and the warning before it
    assert!(gaps(&spec).unwrap() >= Span::from_millis(600));
    spec.rules.time_to_trigger = Span::from_millis(300);
    assert!(gaps(&spec).unwrap() >= Span::from_millis(900));
    spec.rules.time_to_trigger = Span::from_millis(1100);
    assert_eq!(gaps(&spec), None); // it is never better for as long
    spec.rules.time_to_trigger = Span::ZERO;
    spec.rules.hysteresis_db = 1.0;
    assert_eq!(spec.course(&way, s(40.0)).decided, []); // 610 / 390 m are 0.87 dB from the border
}

#[test]
fn out_of_every_radius_the_link_is_down_until_the_mobile_is_back() {
    // stations 1200 m apart leave 200 m between 700 and 900 m: 70 to 80 s; the last reach ends at 1900 m, 180 s
    let (spec, way) = cells(&[200.0, 1400.0], at_once());
    let course = spec.course(&way, s(200.0));
    // 70.0 s is still within; the edge of the second is reached at 90.0 s
    let holes: Vec<_> = course.breaks.iter().map(|hole| (hole.at, hole.end(), hole.cause)).collect();
    let coverage = LossCause::Coverage;
    assert_eq!(holes, [(s(70.1), s(90.0), coverage), (s(190.1), s(200.1), coverage)]);
    assert_eq!(course.serving, [(s(0.0), Some(0)), (s(70.1), None), (s(90.0), Some(1)), (s(190.1), None)]);
    assert_eq!(course.decided, []);
}

#[test]
fn the_modes_of_wimax_reach_as_far_as_their_signal() {
    let (mut spec, _) = cells(&[0.0], at_once());
    let modes = [(3.0, 12), (6.0, 24), (8.5, 36), (11.5, 48), (15.0, 72), (19.0, 96), (21.0, 108)];
    spec.modulation = Modulation::BySnr(modes.to_vec());
    // 500 m / 10^((snr - 6) / 35)
    for (metres, bytes) in
        [(500.0, 24), (425.0, 24), (424.0, 36), (349.0, 36), (348.0, 48), (276.0, 72), (212.0, 96), (186.0, 108)]
    {
        assert_eq!(spec.frame_bytes(spec.snr_db(0, place(metres, 0.0)), false), 65 * bytes, "{metres}");
    }
    assert_eq!(spec.frame_bytes(2.9, false), 0);
    // 16-QAM 1/2: 65 x 48 and 45 x 48 bytes in 5 ms are 4.992 and 3.456 Mbps
    spec.modulation = Modulation::Fixed(48);
    assert_eq!((spec.best_rate_bps(false), spec.best_rate_bps(true)), (4_992_000, 3_456_000));
}

#[test]
fn the_link_model_of_lte_follows_the_logarithm_up_to_its_most() {
    let (mut spec, _) = cells(&[0.0], at_once());
    spec.frames.length = Span::from_millis(1);
    spec.modulation = Modulation::Shannon { bandwidth: 10e6, least_db: -10.0, down: (0.6, 4.4), up: (0.4, 2.0) };
    // 10 dB: log2(11) = 3.4594; 0.6 of it 2.0757, 0.4 of it 1.3838 bits per second and hertz
    assert_eq!((spec.frame_bytes(10.0, false), spec.frame_bytes(10.0, true)), (2594, 1729));
    assert_eq!((spec.frame_bytes(40.0, false), spec.frame_bytes(40.0, true)), (5500, 2500));
    assert_eq!(spec.frame_bytes(-10.1, false), 0);
    assert!(spec.frame_bytes(-10.0, false) > 0);
}
