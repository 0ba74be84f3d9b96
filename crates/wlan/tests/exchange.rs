//! Single exchanges, frame by frame, with times worked out by hand.

use units::{Span, Time};
use wlan::params::Capture;
use wlan::{
    Class, EVERYONE, Frame, Kind, Layout, Loss, LossAt, LossFrames, LossModel, Medium, MediumSpec, NoSupply, Outcome,
    Params, Position, Rate, Reception, StationId,
};

const SECOND: Time = Time(1_000_000_000);

/// A frame on air: what, who, first and last bit in microseconds after the first second.
type OnAir = (Kind, StationId, f64, f64);

struct Log {
    medium: Medium,
    outcomes: Vec<Outcome>,
}

impl Log {
    fn new(spec: &MediumSpec) -> Log {
        let mut medium = Medium::new(spec, 1).unwrap();
        medium.trace_frames(true);
        Log { medium, outcomes: Vec::new() }
    }

    fn offer(&mut self, after_us: u64, from: StationId, to: StationId) {
        // what else happens at this instant happens after the offer
        self.before(SECOND + Span(after_us * 1000));
        let frame = Frame { to, bytes: 1500, handle: u64::from(from), rate: None, class: Class::BestEffort };
        self.medium.offer(SECOND + Span(after_us * 1000), from, frame);
    }

    fn until(&mut self, after_us: u64) {
        self.before(SECOND + Span(after_us * 1000 + 1));
    }

    fn before(&mut self, end: Time) {
        while self.medium.deadline() < end {
            let now = self.medium.deadline();
            self.medium.advance(now, &mut NoSupply, &mut self.outcomes);
        }
    }

    fn frames(&mut self, after_us: u64) -> Vec<OnAir> {
        self.until(after_us);
        let us = |at: Time| at.since(SECOND).0 as f64 / 1e3;
        let on_air = |outcome: &Outcome| match *outcome {
            Outcome::OnAir { kind, from, start, end, .. } => Some((kind, from, us(start), us(end))),
            _ => None,
        };
        self.outcomes.iter().filter_map(on_air).collect()
    }

    fn count(&self, wanted: impl Fn(&Outcome) -> bool) -> usize {
        self.outcomes.iter().filter(|outcome| wanted(outcome)).count()
    }

    fn delivered(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Delivered { .. }))
    }
}

fn everyone(params: Params, stations: usize) -> MediumSpec {
    MediumSpec::new("medium", params, Layout::Everyone { stations })
}

fn with_rts(name: &str) -> Params {
    Params { rts_threshold: 0, ..Params::named(name).unwrap() }
}

#[test]
fn a_frame_that_meets_an_idle_medium_leaves_at_once() {
    let mut log = Log::new(&everyone(Params::dot11b(), 2));
    log.offer(0, 0, 1);
    // 1310, SIFS 10, ACK 248
    let expected = [(Kind::Data, 0, 0.0, 1310.0), (Kind::Ack, 1, 1320.0, 1568.0)];
    assert_eq!(log.frames(10_000), expected);
    assert!(matches!(log.outcomes[1], Outcome::Delivered { at: 1, from: 0, handle: 0 }));
    assert!(log.outcomes.contains(&Outcome::Sent { station: 0, handle: 0 }));
}

#[test]
fn an_exchange_with_rts_has_its_times() {
    let mut log = Log::new(&everyone(with_rts("dot11b"), 3));
    log.offer(0, 0, 1);
    // RTS 272, CTS 248, data 1310, ACK 248, 10 between them
    let expected = [
        (Kind::Rts, 0, 0.0, 272.0),
        (Kind::Cts, 1, 282.0, 530.0),
        (Kind::Data, 0, 540.0, 1850.0),
        (Kind::Ack, 1, 1860.0, 2108.0),
    ];
    assert_eq!(log.frames(10_000), expected);
    // of dot11g: 34 + 10 + 34 + 10 + 254 + 10 + 34
    let mut log = Log::new(&everyone(with_rts("dot11g"), 2));
    log.offer(0, 0, 1);
    assert_eq!(log.frames(10_000)[3], (Kind::Ack, 1, 352.0, 386.0));
}

#[test]
fn frames_of_ns2_travel_at_the_speed_of_light() {
    let params = Params::named("ns2-default").unwrap();
    let mut log = Log::new(&MediumSpec::new("pair", params, Layout::line(2, 240.0)));
    log.offer(0, 0, 1);
    let frames = log.frames(50_000);
    // DIFS 50 and a whole number of slots; then 352 + 0.8 + 10 up to the CTS, 304 + 0.8 + 10 to the data, and so on
    let start = frames[0].2;
    assert_eq!((start - 50.0) % 20.0, 0.0);
    let after: Vec<f64> = frames.iter().map(|frame| ((frame.2 - start) * 1e3).round() / 1e3).collect();
    assert_eq!(after, [0.0, 362.8, 677.6, 13_152.4]);
}

#[test]
fn a_protected_frame_follows_a_cts_to_oneself_at_an_old_rate() {
    let mut log = Log::new(&everyone(Params::dot11g_protected(), 2));
    log.offer(0, 0, 1);
    let expected = [(Kind::CtsToSelf, 0, 0.0, 248.0), (Kind::Data, 0, 258.0, 512.0), (Kind::Ack, 1, 522.0, 556.0)];
    assert_eq!(log.frames(10_000), expected);
}

#[test]
fn an_old_station_goes_by_the_cts_to_oneself() {
    // station 2 cannot read OFDM: it senses it, and has the NAV from the CTS
    let mut spec = everyone(Params::dot11g_protected(), 3);
    spec.rates = vec![None, None, Some(Rate::dsss(11_000))];
    let mut log = Log::new(&spec);
    log.offer(0, 0, 1);
    log.offer(100, 2, 1);
    let frames = log.frames(10_000);
    // not before 556 and DIFS 50, in whole slots of 20
    let (kind, from, start, _) = frames[3];
    assert_eq!((kind, from), (Kind::Data, 2));
    assert!(start >= 606.0 && (start - 606.0) % 20.0 == 0.0, "{start}");
    assert_eq!(log.delivered(), 2);
    // its ACK comes at an old rate: 192 + 56
    assert_eq!(frames[4].3 - frames[4].2, 248.0);
}

#[test]
fn a_busy_medium_costs_a_backoff() {
    let mut log = Log::new(&everyone(Params::dot11b(), 3));
    log.offer(0, 0, 1);
    log.offer(500, 2, 1);
    let (_, from, start, _) = log.frames(10_000)[2];
    // 1568, DIFS 50, up to 31 slots of 20
    assert_eq!(from, 2);
    assert!((1618.0..=2238.0).contains(&start) && (start - 1618.0) % 20.0 == 0.0, "{start}");
}

#[test]
fn a_broadcast_is_sent_once_and_not_answered() {
    let mut log = Log::new(&everyone(with_rts("dot11b"), 4));
    log.offer(0, 0, EVERYONE);
    // 1536 bytes at 1 Mbps: 192 + 12288
    assert_eq!(log.frames(50_000), [(Kind::Data, 0, 0.0, 12_480.0)]);
    assert_eq!(log.delivered(), 3);
    assert!(log.outcomes.contains(&Outcome::Sent { station: 0, handle: 0 }));
}

#[test]
fn a_frame_to_nobody_is_given_up_after_seven_attempts() {
    let params = Params::dot11b();
    let spec = MediumSpec::new("apart", params, Layout::mutual(3, &[(0, 2)]));
    for (rts_threshold, sent) in [(u32::MAX, Kind::Data), (0, Kind::Rts)] {
        let mut spec = spec.clone();
        spec.params.rts_threshold = rts_threshold;
        let mut log = Log::new(&spec);
        log.offer(0, 0, 1);
        let frames = log.frames(1_000_000);
        assert_eq!(frames.len(), 7);
        assert!(frames.iter().all(|frame| frame.0 == sent));
        assert_eq!(log.outcomes.last(), Some(&Outcome::Dropped { station: 0, handle: 0, aired: sent == Kind::Data }));
        // after the first: timeout 222, DIFS 50, up to 63 slots
        let gap = frames[1].2 - frames[0].3;
        assert!((272.0..=272.0 + 1260.0).contains(&gap) && (gap - 272.0) % 20.0 == 0.0, "{gap}");
        let stats = log.medium.stats(0, SECOND + Span(1_000_000_000));
        assert_eq!((stats.attempts, stats.retries, stats.failures, stats.dropped), (7, 6, 7, 1));
        assert_eq!((stats.weak, stats.collided), (7, 0)); // whoever does not sense it is too far away
    }
}

#[test]
fn two_that_start_at_once_collide_and_bystanders_wait_eifs() {
    // all hear all; both frames come in the same slot, and station 3 has one to send, too
    let mut log = Log::new(&everyone(Params::dot11b(), 4));
    log.offer(0, 0, 2);
    log.offer(0, 1, 2);
    log.offer(100, 3, 2);
    log.until(100_000);
    let lost = log.count(|outcome| matches!(outcome, Outcome::Lost { cause: wlan::Cause::Collision, to: 2, .. }));
    assert!(lost >= 2);
    let frames = log.frames(100_000);
    assert_eq!((frames[0].2, frames[1].2), (0.0, 0.0));
    let of = |station| frames.iter().filter(move |frame| frame.0 == Kind::Data && frame.1 == station);
    // colliders: 1310 + 222 + 50 at the earliest; bystanders: 1310 + 364
    for (station, since) in [(0, 1582.0), (1, 1582.0), (3, 1674.0)] {
        let later = of(station).find(|frame| frame.2 > 1.0).unwrap().2;
        assert!(later >= since, "{station}: {later}");
    }
    assert_eq!(log.delivered(), 3);
}

#[test]
fn a_lost_ack_makes_a_repeated_frame_that_is_not_delivered_twice() {
    // 1 hears 0, 0 does not hear 1
    let layout = Layout::List { stations: 2, heard: vec![(0, 1)] };
    let mut log = Log::new(&MediumSpec::new("one way", Params::dot11b(), layout));
    log.offer(0, 0, 1);
    log.until(1_000_000);
    assert_eq!(log.delivered(), 1);
    assert_eq!(log.outcomes.last(), Some(&Outcome::Dropped { station: 0, handle: 0, aired: true }));
    assert_eq!(log.medium.stats(1, SECOND).duplicates, 6);
}

#[test]
fn an_rts_that_is_not_answered_holds_nobody_up() {
    // 0 and 2 hear each other; 1, whom 0 calls, is away
    let layout = Layout::mutual(4, &[(0, 2), (2, 3)]);
    let held_up = |nav_reset| {
        let mut params = with_rts("dot11b");
        params.rules.nav_reset = nav_reset;
        params.short_retry_limit = 1;
        let mut log = Log::new(&MediumSpec::new("away", params, layout.clone()));
        log.offer(0, 0, 1);
        log.offer(100, 2, 3);
        log.frames(20_000)[1].2
    };
    // RTS 272; then 2 x 10 + 248 + 192 + 2 x 20 = 500, DIFS 50, up to 31 slots
    let reset = held_up(true);
    assert!((822.0..=822.0 + 620.0).contains(&reset), "{reset}");
    // Duration 3 x 10 + 248 + 1310 + 248 = 1836
    let kept = held_up(false);
    assert!((2158.0..=2158.0 + 620.0).contains(&kept), "{kept}");
}

#[test]
fn no_cts_while_others_have_the_medium() {
    // 0 - 1 - 2 - 3 in a row: 2 hears the CTS of 1 and must not answer 3 meanwhile
    let layout = Layout::mutual(4, &[(0, 1), (1, 2), (2, 3)]);
    let mut log = Log::new(&MediumSpec::new("row", with_rts("dot11b"), layout));
    log.offer(0, 0, 1);
    log.offer(600, 3, 2);
    let frames = log.frames(2108);
    assert!(frames.iter().any(|frame| (frame.0, frame.1) == (Kind::Rts, 3)));
    assert!(frames.iter().all(|frame| (frame.0, frame.1) != (Kind::Cts, 2)));
    assert_eq!(log.delivered(), 1);
    log.until(100_000);
    assert_eq!(log.delivered(), 2);
}

#[test]
fn eifs_of_ns2_is_a_nav() {
    // 0 sends to 1; 2 is 400 m from 0 and senses its frames without reading them, and has one to send to 3
    let params = Params { rts_threshold: u32::MAX, ..Params::ns2_default() };
    let mut log = Log::new(&MediumSpec::new("chain", params, Layout::line(4, 200.0)));
    log.offer(0, 0, EVERYONE);
    log.offer(5000, 2, EVERYONE);
    let frames = log.frames(50_000);
    // 400 m are 1.333 us; EIFS 364 and DIFS 50, then whole slots of 20
    let wait = frames[1].2 - frames[0].3 - 1.333 - 414.0;
    assert!((-0.001..=600.001).contains(&wait), "{wait}");
    assert!((wait + 0.01) % 20.0 < 0.02, "{wait}");
}

#[test]
fn a_strong_frame_survives_a_weak_one_that_overlaps() {
    // 1 is 10 m from 0, 2 is 100 m away on the other side: 30 dB weaker. 1 and 2 do not sense each other
    let at = |x: f64| Position { x, y: 0.0 };
    let lost = |capture, first: StationId| {
        let mut params = Params::dot11b();
        params.rules.capture = capture;
        params.radio.cs_threshold = params.radio.power_at(105.0);
        params.radio.rx_threshold = params.radio.cs_threshold;
        let layout = Layout::Positions(vec![at(0.0), at(10.0), at(-100.0)]);
        let mut log = Log::new(&MediumSpec::new("capture", params, layout));
        log.offer(0, first, 0);
        log.offer(500, 3 - first, 0);
        log.until(1500);
        log.until(2000);
        let near = Outcome::Delivered { at: 0, from: 1, handle: 1 };
        !log.outcomes.contains(&near)
    };
    assert!(!lost(Capture::Any, 1) && !lost(Capture::Any, 2));
    assert!(!lost(Capture::First, 1) && lost(Capture::First, 2));
    assert!(lost(Capture::Off, 1) && lost(Capture::Off, 2));
}

#[test]
fn errors_at_the_mac_are_repeated_and_above_it_are_not() {
    let loss = |at| Loss { model: LossModel::Independent { rate: 0.3 }, frames: LossFrames::All, at };
    let run = |at| {
        let mut spec = everyone(Params::dot11b(), 2);
        spec.loss = Some(loss(at));
        let mut log = Log::new(&spec);
        let mut now = 0;
        for _ in 0..2000 {
            log.offer(now, 0, 1);
            now += 100_000;
        }
        log.until(now);
        let above = log.count(|outcome| matches!(outcome, Outcome::LostAbove { .. }));
        (log.delivered(), above, log.medium.stats(0, SECOND))
    };
    // an attempt succeeds with 0.7 x 0.7 = 0.49: (1 - 0.51^7) / 0.49 = 2.02 attempts; data do not arrive with 0.3^7 =
    // 0.0002
    let (delivered, above, stats) = run(LossAt::Mac);
    assert!(delivered >= 1996 && above == 0, "{delivered}");
    assert!((stats.attempts as f64 / 2000.0 - 2.02).abs() < 0.1, "{}", stats.attempts);
    assert!((stats.dropped as f64 / 2000.0 - 0.009).abs() < 0.007, "{}", stats.dropped);
    let (delivered, above, stats) = run(LossAt::Above);
    assert_eq!((delivered + above, stats.attempts), (2000, 2000));
    assert!((above as f64 / 2000.0 - 0.3).abs() < 0.04, "{above}");
}

#[test]
fn a_distant_frame_is_read_by_chance() {
    // 11 Mbps: half of the frames of 1536 bytes are lost at 6.36 dB, 1 % at 8.03 dB; their ACKs at 2 Mbps hardly ever
    for (db, share) in [(6.36, 0.5), (8.03, 0.01)] {
        let mut params = Params { short_retry_limit: 1, ..Params::dot11b() };
        params.radio.reception = Reception::Snr;
        params.radio.cs_threshold = params.radio.noise;
        // power falls with the cube of the distance
        let power = params.radio.noise * 10f64.powf(db / 10.0);
        let distance = (params.radio.power_at(1.0) / power).cbrt();
        let mut log = Log::new(&MediumSpec::new("far", params, Layout::line(2, distance)));
        for frame in 0..4000 {
            log.offer(frame * 10_000, 0, 1);
        }
        log.until(4001 * 10_000);
        let lost = 1.0 - log.delivered() as f64 / 4000.0;
        // standard deviation 0.008 at one half
        assert!((lost - share).abs() < 0.03 * share + 0.02 * share.sqrt(), "{db} dB: {lost}");
    }
}

#[test]
fn equal_seeds_give_equal_runs_and_others_do_not() {
    let run = |seed| {
        let mut medium = Medium::new(&everyone(Params::dot11g(), 6), seed).unwrap();
        medium.trace_frames(true);
        let mut outcomes = Vec::new();
        for station in 1..6 {
            medium.offer(
                Time::ZERO,
                station,
                Frame { to: 0, bytes: 1500, handle: 0, rate: None, class: Class::BestEffort },
            );
        }
        loop {
            let now = medium.deadline();
            if now > Time(100_000_000) {
                break;
            }
            medium.advance(now, &mut NoSupply, &mut outcomes);
            for station in (1..6).filter(|station| medium.wants_frame(*station)).collect::<Vec<_>>() {
                medium.offer(
                    now,
                    station,
                    Frame { to: 0, bytes: 1500, handle: 0, rate: None, class: Class::BestEffort },
                );
            }
        }
        outcomes
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn media_that_cannot_be_are_refused() {
    let refused = |spec: MediumSpec| Medium::new(&spec, 1).unwrap_err().to_string();
    assert_eq!(refused(everyone(Params::dot11b(), 10_001)), "10001 stations on one medium, at most 10000");
    let spec = MediumSpec { rates: vec![Some(Rate::dsss(54_000))], ..everyone(Params::dot11b(), 2) };
    assert_eq!(refused(spec), "`rate`: the set has no rate of 54 Mbps");
    let spec = MediumSpec::new("far", Params::ns2_default(), Layout::line(3, 260.0));
    let medium = Medium::new(&spec, 1).unwrap();
    let error = medium.check_reach(0, 1).unwrap_err();
    assert_eq!(error.to_string(), "stations 0 and 1 cannot decode each other's frames");
    let nowhere = Layout::Positions(vec![Position { x: f64::NAN, y: 0.0 }]);
    assert!(refused(MediumSpec::new("nowhere", Params::dot11b(), nowhere)).contains("`position.x`"));
}
