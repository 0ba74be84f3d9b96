//! Worked values. The path: 1000-byte segments, 100 ms, 100 kB/s (10 segments); an initial window of 10 segments.

use super::*;
use crate::path::test_path;
use crate::testing::{ack, dup_acks, rto};
use units::Time;

/// The algorithm, and segments delivered and lost so far.
struct Lab {
    bbr: Bbr3,
    total: u32,
    now_ms: u64,
}

impl Lab {
    fn new() -> Lab {
        let mut bbr = Bbr3::new(&Config::named("bbr3").unwrap());
        bbr.on_init(Bytes(10_000.0), Bytes(1e9), &test_path());
        Lab { bbr, total: 0, now_ms: 1000 }
    }

    /// One segment delivered that was sent `back` segments ago; `rate` in segments per 100 ms.
    fn sample(&mut self, rate: f64, back: u32) -> DeliverySample {
        let total_at_send = self.total.saturating_sub(back);
        self.total += 1;
        DeliverySample {
            delivered: (10.0 * rate) as u32,
            interval: Span::from_millis(1000),
            rtt: Some(Span::from_millis(100)),
            newly_delivered: 1,
            total: self.total,
            total_at_send,
            in_flight_before: 11,
            in_flight: 10,
            ..DeliverySample::default()
        }
    }

    fn hear(&mut self, delivery: DeliverySample) {
        let now = Time(self.now_ms * 1_000_000);
        self.bbr.on_ack(&Ack { now, delivery: Some(delivery), ..ack(1000.0) }, &test_path());
    }

    /// A round of one ACK, 100 ms long.
    fn round(&mut self, rate: f64, change: impl Fn(&mut DeliverySample)) -> Phase {
        self.now_ms += 100;
        let mut sample = self.sample(rate, 0);
        change(&mut sample);
        self.hear(sample);
        self.bbr.phase
    }

    /// After a full pipe at ten segments per round.
    fn draining() -> Lab {
        let mut lab = Lab::new();
        for _ in 0..3 {
            assert_eq!(lab.round(10.0, |s| s.in_flight = 30), Phase::Startup);
        }
        assert!(matches!(lab.round(10.0, |s| s.in_flight = 30), Phase::Drain { .. }));
        lab
    }

    fn cruising() -> Lab {
        let mut lab = Lab::draining();
        // with the queue gone there is nothing for DOWN to do
        assert_eq!(lab.round(10.0, |_| {}), Phase::Cruise);
        lab
    }

    /// Rounds until another phase begins.
    fn until_next(&mut self, rate: f64) -> u32 {
        let before = self.bbr.phase;
        (1..100).find(|_| self.round(rate, |_| {}) != before).expect("no phase lasts for ever")
    }

    fn probing() -> Lab {
        let mut lab = Lab::cruising();
        lab.until_next(10.0);
        assert_eq!(lab.bbr.phase, Phase::Refill);
        assert_eq!(lab.round(10.0, |_| {}), Phase::Up);
        lab
    }
}

#[test]
fn the_first_rate_is_a_gained_initial_window_per_rtt() {
    // 2.77 * 10 000 bytes / 0.1 s
    assert!((Lab::new().bbr.pacing_rate().unwrap().0 - 277_000.0).abs() < 1e-6);
}

#[test]
fn startup_raises_rate_and_window_with_the_samples() {
    let mut lab = Lab::new();
    lab.round(20.0, |_| {});
    // 200 kB/s * 2.77 * 0.99; the window takes what was delivered
    assert!((lab.bbr.pacing_rate().unwrap().0 - 548_460.0).abs() < 1e-6);
    assert_eq!(lab.bbr.cwnd(), 11_000.0);
    // a slower sample lowers neither
    lab.round(5.0, |_| {});
    assert!((lab.bbr.pacing_rate().unwrap().0 - 548_460.0).abs() < 1e-6);
}

#[test]
fn startup_ends_after_three_rounds_of_little_growth() {
    let mut lab = Lab::new();
    // each at least 25 % more than the one it is held against: 8, 10, 12.5
    for rate in [8.0, 10.0, 12.5, 15.0, 15.5] {
        assert_eq!(lab.round(rate, |s| s.in_flight = 1000), Phase::Startup, "{rate}");
    }
    // 15, 15.5 and now 15.6 are less than 1.25 * 12.5 = 15.625
    assert!(matches!(lab.round(15.6, |s| s.in_flight = 1000), Phase::Drain { .. }));
    // 156 kB/s * 0.5 * 0.99
    assert!((lab.bbr.pacing_rate().unwrap().0 - 77_220.0).abs() < 1e-6);
    // limited rounds say nothing
    let mut lab = Lab::new();
    for _ in 0..6 {
        assert_eq!(lab.round(10.0, |s| s.app_limited = true), Phase::Startup);
    }
}

/// Rounds of ten ACKs in a recovery, `losses` of which show a loss each, while the rate doubles. Gives the phase then.
fn lossy_startup(losses: u32, rounds: u32) -> (Phase, Bytes) {
    let mut lab = Lab::new();
    lab.round(10.0, |_| {});
    lab.bbr.on_congestion(&dup_acks(), &test_path());
    let mut rate = 10.0;
    for _ in 0..rounds {
        rate *= 2.0;
        for n in 0..10 {
            lab.now_ms += 10;
            let s = lab.sample(rate, 10);
            lab.hear(DeliverySample { lost: u32::from(n < losses), in_flight: 1000, repairing: true, ..s });
        }
    }
    (lab.bbr.phase, lab.bbr.model.inflight_long)
}

#[test]
fn losses_end_startup() {
    // six of ten ACKs of a round show losses; the most delivered in the round, 100 kB at 20 segments per 100 ms and
    // twice as much in the next
    let (phase, long) = lossy_startup(6, 2);
    assert!(matches!(phase, Phase::Drain { .. }), "{phase:?}");
    assert!(long >= 200_000.0 && long.0.is_finite(), "{long:?}");
    // three, and the first two of the next round, are too few
    assert_eq!(lossy_startup(3, 3), (Phase::Startup, UNBOUNDED));
}

#[test]
fn drain_ends_with_the_queue_or_after_three_rounds() {
    let mut lab = Lab::draining();
    // the path holds 10 segments
    assert!(matches!(lab.round(10.0, |s| s.in_flight = 11), Phase::Drain { .. }));
    assert_eq!(lab.round(10.0, |s| s.in_flight = 10), Phase::Cruise);
    let mut lab = Lab::draining();
    for _ in 0..3 {
        assert!(matches!(lab.round(10.0, |s| s.in_flight = 30), Phase::Drain { .. }));
    }
    assert_eq!(lab.round(10.0, |s| s.in_flight = 30), Phase::Down);
}

#[test]
fn the_cycle_leaves_room_cruises_refills_and_probes() {
    let mut lab = Lab::cruising();
    assert_eq!((lab.bbr.pacing_gain(), lab.bbr.cwnd_gain()), (1.0, 2.0));
    // 10 rounds since the cycle began, or one less by the draw
    assert!((9..=10).contains(&lab.until_next(10.0)));
    assert_eq!((lab.bbr.phase, lab.bbr.pacing_gain()), (Phase::Refill, 1.0));
    assert_eq!(lab.round(10.0, |_| {}), Phase::Up);
    assert_eq!((lab.bbr.pacing_gain(), lab.bbr.cwnd_gain()), (1.25, 2.25));
    // no more is delivered: three rounds, then down
    assert_eq!(lab.until_next(10.0), 3);
    assert_eq!((lab.bbr.phase, lab.bbr.pacing_gain(), lab.bbr.cwnd_gain()), (Phase::Down, 0.9, 2.0));
    // more than 10 segments are in flight
    assert_eq!(lab.round(10.0, |s| s.in_flight = 11), Phase::Down);
    assert_eq!(lab.round(10.0, |s| s.in_flight = 10), Phase::Cruise);
    // a path that delivers more keeps it up
    let mut lab = Lab::probing();
    for rate in [12.5, 15.7, 20.0, 25.0, 32.0] {
        assert_eq!(lab.round(rate, |_| {}), Phase::Up);
    }
}

#[test]
fn on_a_long_path_time_calls_for_the_probe() {
    let mut lab = Lab::cruising();
    // a path of 100 segments: at most 63 rounds, but at 100 ms it is 2 to 3 s
    lab.bbr.model.inflight_long = UNBOUNDED;
    lab.bbr.cwnd = Bytes(100_000.0);
    let wait = lab.bbr.probe.wait;
    assert!(wait >= Span::from_secs(2.0) && wait < Span::from_secs(3.0));
    let mut rounds = 2;
    while lab.round(100.0, |_| {}) == Phase::Cruise {
        rounds += 1;
    }
    assert!((19..=30).contains(&rounds), "{rounds}");
}

#[test]
fn the_rate_of_two_cycles_counts() {
    let mut lab = Lab::cruising();
    assert_eq!(lab.bbr.model.max_bw(), Rate(100_000.0));
    let mut cycles = 0;
    while lab.bbr.model.max_bw() > Rate(80_000.0) {
        if lab.round(8.0, |_| {}) == Phase::Down && lab.bbr.probe.rounds <= 1 {
            cycles += 1;
        }
        assert!(cycles < 10);
    }
    assert!((1..=4).contains(&cycles), "{cycles}");
}

#[test]
fn a_probe_that_loses_too_much_sets_a_bound() {
    let mut lab = Lab::probing();
    // a segment sent with 14 in flight; one lost since is more than 2 % of them
    for _ in 0..20 {
        let s = lab.sample(10.0, 10);
        lab.hear(DeliverySample { in_flight_before: 14, in_flight: 13, ..s });
    }
    assert_eq!(lab.bbr.phase, Phase::Up);
    let s = lab.sample(10.0, 10);
    lab.hear(DeliverySample { in_flight_before: 14, in_flight: 12, lost: 1, ..s });
    assert_eq!((lab.bbr.phase, lab.bbr.model.inflight_long), (Phase::Down, Bytes(14_000.0)));
    assert!(lab.bbr.probe.too_high);
    // a second loss of the same probe changes nothing
    let s = lab.sample(10.0, 10);
    lab.hear(DeliverySample { in_flight_before: 12, in_flight: 11, lost: 1, ..s });
    assert_eq!(lab.bbr.model.inflight_long, 14_000.0);
    // 14 less 2.1 is more than the path holds
    assert_eq!(lab.round(10.0, |s| s.in_flight = 11), Phase::Down);
    assert_eq!(lab.round(10.0, |s| s.in_flight = 10), Phase::Cruise);
    assert!(lab.bbr.cwnd() <= 11_900.0, "{:?}", lab.bbr.cwnd());
}

#[test]
fn the_next_probe_is_cautious_and_the_one_after_it_comes_at_once() {
    let mut lab = Lab::probing();
    lab.bbr.model.inflight_long = Bytes(14_000.0);
    lab.bbr.probe.too_high = true;
    // as soon as 14 are in flight the probe is over
    assert_eq!(lab.round(10.0, |s| s.in_flight = 13), Phase::Up);
    assert_eq!(lab.round(10.0, |s| s.in_flight = 14), Phase::Down);
    assert!(!lab.bbr.probe.too_high);
    // a round of feedback without losses: again, without a cruise
    assert_eq!(lab.round(10.0, |s| s.in_flight = 12), Phase::Refill);
    assert_eq!(lab.round(10.0, |_| {}), Phase::Up);
    assert_eq!(lab.round(10.0, |s| s.in_flight = 14), Phase::Up);
}

#[test]
fn the_bound_grows_by_one_two_and_four_segments_per_round() {
    let mut probe = Probe::default();
    let mut grown = [0.0; 3];
    for round in &mut grown {
        probe.raise_slope(Bytes(16_000.0), Bytes(1000.0));
        *round = (0..16).map(|_| probe.growth(1)).sum();
    }
    assert_eq!(grown, [1.0, 2.0, 4.0]);
}

#[test]
fn the_bound_grows_while_it_keeps_the_window_small() {
    let mut lab = Lab::probing();
    lab.bbr.model.inflight_long = Bytes(12_000.0);
    lab.bbr.cwnd = Bytes(12_000.0);
    for _ in 0..60 {
        let s = lab.sample(10.0, 12);
        let full = (lab.bbr.cwnd().0 / 1000.0) as u32;
        lab.hear(DeliverySample { in_flight_before: full, in_flight: full - 1, ..s });
    }
    // the window is in use, so the plateau is not looked at
    assert_eq!(lab.bbr.phase, Phase::Up);
    assert!(lab.bbr.model.inflight_long >= 15_000.0, "{:?}", lab.bbr.model.inflight_long);
}

#[test]
fn losses_while_cruising_lower_the_short_bounds_and_a_probe_forgets_them() {
    let mut lab = Lab::cruising();
    let slow = |s: &mut DeliverySample, segments| (s.delivered, s.interval) = (segments, Span::from_millis(100));
    for _ in 0..2 {
        lab.round(10.0, |s| slow(s, 10));
    }
    let cwnd = lab.bbr.cwnd();
    lab.bbr.probe.rounds = 0; // no probe yet
    // two rounds with a loss, of two ACKs each. The first has begun with 10 segments per 100 ms; the second delivers 6
    for lost in [1, 0, 1, 0] {
        lab.round(6.0, |s| {
            slow(s, 6);
            s.lost = lost;
        });
    }
    // 0.7 * 100 kB/s is more than 60; 0.7 of 0.7 of the window more than 6 segments
    assert!((lab.bbr.model.bw().0 - 70_000.0).abs() < 1e-6, "{:?}", lab.bbr.model.bw());
    let short = lab.bbr.model.inflight_short;
    assert!((0.48 * cwnd.0..=0.56 * cwnd.0).contains(&short.0), "{short:?} of {cwnd:?}");
    // 70 kB/s * 0.99
    assert!((lab.bbr.pacing_rate().unwrap().0 - 69_300.0).abs() < 1e-6);
    while lab.bbr.phase == Phase::Cruise {
        lab.round(6.0, |s| slow(s, 6));
    }
    assert_eq!((lab.bbr.phase, lab.bbr.model.bw()), (Phase::Refill, Rate(100_000.0)));
    assert_eq!(lab.bbr.model.inflight_short, UNBOUNDED);
}

#[test]
fn probe_rtt_after_five_seconds_halves_what_is_in_flight() {
    let mut lab = Lab::cruising();
    // 100 segments per 100 ms, so that half is more than four segments
    let fast = lab.sample(100.0, 5);
    lab.bbr.model.on_sample(&fast, Bytes(1000.0));
    let rtt = Some(Span::from_millis(110));
    lab.now_ms = 6000; // the least RTT was last seen lowered at 1.1 s
    lab.round(10.0, |s| s.rtt = rtt);
    assert!(!lab.bbr.phase.is_probe_rtt());
    lab.bbr.cwnd = Bytes(150_000.0);
    lab.now_ms = 6001;
    lab.round(10.0, |s| (s.rtt, s.in_flight) = (rtt, 100));
    assert!(lab.bbr.phase.is_probe_rtt() && lab.bbr.limits_itself());
    // half of 1 MB/s * 0.1 s; RTprop of 10 s is still the lower one
    assert_eq!((lab.bbr.cwnd(), lab.bbr.model.min_rtt()), (Bytes(50_000.0), Some(Span::from_millis(100))));
    assert!(lab.round(10.0, |s| s.in_flight = 51).is_probe_rtt());
    assert!(lab.round(10.0, |s| s.in_flight = 50).is_probe_rtt()); // 200 ms from here
    assert!(lab.round(10.0, |s| s.in_flight = 50).is_probe_rtt());
    assert!(lab.round(10.0, |s| s.in_flight = 50).is_probe_rtt());
    assert_eq!(lab.round(10.0, |s| s.in_flight = 50), Phase::Cruise);
    assert!(lab.bbr.cwnd() >= 150_000.0, "{:?}", lab.bbr.cwnd());
}

#[test]
fn a_pause_does_not_call_for_probe_rtt() {
    let mut lab = Lab::cruising();
    lab.bbr.on_signal(&Signal::IdleRestart { now: Time::from_secs(20.0) }, &test_path());
    assert!((lab.bbr.pacing_rate().unwrap().0 - 99_000.0).abs() < 1e-6);
    lab.now_ms = 20_000;
    lab.round(10.0, |s| s.rtt = Some(Span::from_millis(120)));
    assert!(!lab.bbr.phase.is_probe_rtt());
}

#[test]
fn what_is_acknowledged_at_once_widens_the_window() {
    let mut lab = Lab::cruising();
    // eight segments at once: nine less what 100 kB/s explain since the last ACK, at most
    lab.now_ms += 1;
    lab.total += 8;
    let s = DeliverySample { newly_delivered: 8, ..lab.sample(10.0, 20) };
    lab.hear(s);
    let extra = lab.bbr.aggregation.extra();
    assert!((7.0..=9.0).contains(&extra), "{extra}");
    for _ in 0..40 {
        let s = lab.sample(10.0, 20);
        lab.hear(s);
    }
    assert!(lab.bbr.cwnd() >= 27_000.0, "{:?}", lab.bbr.cwnd());
}

#[test]
fn a_recovery_keeps_the_window_and_a_timeout_gives_it_back() {
    let mut lab = Lab::cruising();
    let before = lab.bbr.cwnd();
    assert_eq!(lab.bbr.on_congestion(&dup_acks(), &test_path()), Response::Undecided);
    assert_eq!(lab.bbr.cwnd(), before);
    assert_eq!(lab.bbr.on_congestion(&rto(1), &test_path()), Response::Reduced);
    assert_eq!(lab.bbr.cwnd(), 1000.0);
    lab.round(10.0, |s| s.repairing = true);
    assert_eq!(lab.bbr.cwnd(), 4000.0);
    lab.round(10.0, |_| {});
    assert!(lab.bbr.cwnd() >= before, "{:?}", lab.bbr.cwnd());
}

#[test]
fn a_mark_means_nothing() {
    let mut lab = Lab::cruising();
    let before = lab.bbr.clone();
    let mark = Congestion { cause: Cause::EcnMark, ..dup_acks() };
    assert_eq!(lab.bbr.on_congestion(&mark, &test_path()), Response::Undecided);
    assert_eq!(lab.bbr, before);
}

#[test]
fn gains_are_parameters() {
    let mut config = Config::named("bbr3").unwrap();
    for (name, value) in [
        ("bbr3_startup_gain", 3.0),
        ("bbr3_drain_gain", 0.25),
        ("bbr3_up_gain", 1.5),
        ("bbr3_down_gain", 0.8),
        ("bbr3_cwnd_gain", 3.0),
        ("bbr3_up_cwnd_gain", 4.0),
        ("bbr3_probe_rtt_gain", 0.25),
    ] {
        config.set_number(name, value).unwrap();
    }
    let mut bbr = Bbr3::new(&config);
    let phases = [
        Phase::Startup,
        Phase::Drain { since: 0 },
        Phase::Down,
        Phase::Cruise,
        Phase::Refill,
        Phase::Up,
        Phase::ProbeRtt { until: None, round_done: false },
    ];
    let gains = phases.map(|phase| {
        bbr.phase = phase;
        (bbr.pacing_gain(), bbr.cwnd_gain())
    });
    assert_eq!(gains, [(3.0, 3.0), (0.25, 3.0), (0.8, 3.0), (1.0, 3.0), (1.0, 3.0), (1.5, 4.0), (1.0, 0.25)]);
}
