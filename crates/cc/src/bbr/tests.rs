//! Worked values. The path: 1000-byte segments, 100 ms, 100 kB/s (10 segments); an initial window of 10 segments.

use super::*;
use crate::path::test_path;
use crate::testing::{ack, dup_acks, rto};

fn bbr() -> Bbr {
    let mut bbr = Bbr::new(&Config::named("bbr").unwrap());
    bbr.on_init(Bytes(10_000.0), Bytes(1e9), &test_path());
    bbr
}

/// One segment of 1000 bytes delivered, the last of a round of ten; `rate` in segments per 100 ms.
fn sample(bbr: &Bbr, rate: f64) -> DeliverySample {
    let total = bbr.model.total() + Bytes(1000.0);
    DeliverySample {
        delivered: Bytes(rate * 1000.0),
        interval: Span::from_millis(100),
        rtt: Some(Span::from_millis(100)),
        newly_delivered: Bytes(1000.0),
        total,
        total_at_send: bbr.model.total(),
        in_flight_before: Bytes(11_000.0),
        in_flight: Bytes(10_000.0),
        ..DeliverySample::default()
    }
}

fn hear(bbr: &mut Bbr, ms: u64, delivery: DeliverySample) {
    let now = Time(ms * 1_000_000);
    bbr.on_ack(&Ack { now, delivery: Some(delivery), ..ack(1000.0) }, &test_path());
}

/// After a full pipe at ten segments per round, in ProbeBW at `ms`.
fn cruising(ms: u64) -> Bbr {
    let mut bbr = bbr();
    for round in 0..4 {
        let s = sample(&bbr, 10.0);
        hear(&mut bbr, ms - 40 + 10 * round, DeliverySample { in_flight: Bytes(30_000.0), ..s });
    }
    assert_eq!(bbr.phase, Phase::Drain);
    let s = sample(&bbr, 10.0);
    hear(&mut bbr, ms, s);
    assert!(bbr.phase.is_probe_bw());
    bbr
}

#[test]
fn the_first_rate_is_a_gained_initial_window_per_rtt() {
    // 2.885 * 10 000 bytes / 0.1 s
    assert!((bbr().pacing_rate().unwrap().0 - 288_500.0).abs() < 1e-6);
    // without a sample of the handshake, per millisecond
    let mut blind = Bbr::new(&Config::named("bbr").unwrap());
    blind.on_init(Bytes(10_000.0), Bytes(1e9), &Path { srtt: Span::ZERO, ..test_path() });
    assert!((blind.pacing_rate().unwrap().0 - 28_850_000.0).abs() < 1e-3);
}

#[test]
fn startup_raises_rate_and_window_with_the_samples() {
    let mut bbr = bbr();
    let s = sample(&bbr, 20.0);
    hear(&mut bbr, 1000, s);
    // 200 kB/s * 2.885; the window takes what was delivered
    assert!((bbr.pacing_rate().unwrap().0 - 577_000.0).abs() < 1e-6);
    assert_eq!(bbr.cwnd(), 11_000.0);
    // a slower sample lowers neither
    let s = sample(&bbr, 5.0);
    hear(&mut bbr, 1010, s);
    assert!((bbr.pacing_rate().unwrap().0 - 577_000.0).abs() < 1e-6);
}

#[test]
fn startup_ends_after_three_rounds_of_little_growth() {
    let mut bbr = bbr();
    // each at least 25 % more than the one it is held against: 8, 10, 12.5
    for (round, rate) in [8.0, 10.0, 12.5, 15.0, 15.5].into_iter().enumerate() {
        let s = DeliverySample { in_flight: Bytes(1e6), ..sample(&bbr, rate) };
        hear(&mut bbr, 1000 + 100 * round as u64, s);
        assert_eq!(bbr.phase, Phase::Startup, "round {round}");
    }
    // 15, 15.5 and now 15.6 are less than 1.25 * 12.5 = 15.625
    let s = DeliverySample { in_flight: Bytes(1e6), ..sample(&bbr, 15.6) };
    hear(&mut bbr, 1500, s);
    assert_eq!(bbr.phase, Phase::Drain);
    // 156 kB/s * 0.3466
    assert!((bbr.pacing_rate().unwrap().0 - 54_069.6).abs() < 1e-6);
}

#[test]
fn a_limited_round_does_not_count_against_growth() {
    let mut bbr = bbr();
    for round in 0..6 {
        let s = DeliverySample { app_limited: true, ..sample(&bbr, 10.0) };
        hear(&mut bbr, 1000 + 100 * round, s);
    }
    assert_eq!(bbr.phase, Phase::Startup);
}

#[test]
fn the_window_goes_to_twice_the_path_and_three_quanta() {
    let mut bbr = cruising(1000);
    for _ in 0..40 {
        let s = DeliverySample { total_at_send: Bytes::ZERO, ..sample(&bbr, 10.0) };
        hear(&mut bbr, 1001, s);
    }
    // 2 * 100 kB/s * 0.1 s + 3 * quantum. The rate is between 75 and 125 kB/s, below 150 kB/s (1.2 Mbit/s): 1 MSS
    assert_eq!(bbr.cwnd(), 23_000.0);
}

#[test]
fn the_cycle_probes_drains_and_cruises() {
    let mut bbr = cruising(1000);
    bbr.phase = Phase::ProbeBw { step: 7, since: Time(1_000_000_000) };
    let at = |bbr: &mut Bbr, ms, in_flight_before: f64| {
        let s = DeliverySample { in_flight_before: Bytes(in_flight_before), ..sample(bbr, 10.0) };
        hear(bbr, ms, s);
        bbr.pacing_gain()
    };
    assert_eq!(at(&mut bbr, 1100, 10_000.0), 1.0); // 100 ms: not more than RTprop
    assert_eq!(at(&mut bbr, 1101, 10_000.0), 1.25);
    // probing goes on until 1.25 * 10 000 + 3000 are in flight
    assert_eq!(at(&mut bbr, 1300, 15_000.0), 1.25);
    assert_eq!(at(&mut bbr, 1310, 15_500.0), 0.75);
    // draining until 10 000 + 3000 are
    assert_eq!(at(&mut bbr, 1320, 13_500.0), 0.75);
    assert_eq!(at(&mut bbr, 1330, 13_000.0), 1.0);
    assert_eq!(bbr.phase, Phase::ProbeBw { step: 2, since: Time(1_330_000_000) });
}

#[test]
fn a_loss_ends_probing() {
    let mut bbr = cruising(1000);
    bbr.phase = Phase::ProbeBw { step: 0, since: Time(1_000_000_000) };
    let s = DeliverySample { lost: Bytes(1000.0), ..sample(&bbr, 10.0) };
    hear(&mut bbr, 1101, s);
    assert_eq!(bbr.pacing_gain(), 0.75);
}

#[test]
fn the_first_step_of_the_cycle_is_drawn_and_never_drains() {
    let mut seen = [0; 8];
    for seed in 0..700 {
        let mut bbr = cruising(1000);
        bbr.enter_probe_bw(Time::from_secs(1.0), &Path { seed, ..test_path() });
        let Phase::ProbeBw { step, .. } = bbr.phase else { panic!("not in ProbeBW") };
        seen[step as usize] += 1;
    }
    // 100 expected of each; the standard deviation is 9.3
    assert_eq!(seen[1], 0);
    assert!(seen.iter().enumerate().all(|(step, &n)| step == 1 || (60..140).contains(&n)), "{seen:?}");
}

#[test]
fn probe_rtt_after_ten_seconds_without_a_lower_rtt() {
    let mut bbr = cruising(1000);
    let cwnd = bbr.cwnd();
    let at = |bbr: &mut Bbr, ms, in_flight: f64| {
        let rtt = Some(Span::from_millis(110));
        let s = DeliverySample { rtt, in_flight: Bytes(in_flight), ..sample(bbr, 10.0) };
        hear(bbr, ms, s);
    };
    at(&mut bbr, 11_000, 10_000.0);
    assert!(!bbr.phase.is_probe_rtt());
    at(&mut bbr, 11_001, 10_000.0);
    assert!(bbr.phase.is_probe_rtt() && bbr.limits_itself());
    assert_eq!((bbr.cwnd(), bbr.pacing_gain()), (Bytes(4000.0), 1.0));
    at(&mut bbr, 11_050, 4000.0); // little enough: 200 ms from here
    at(&mut bbr, 11_250, 4000.0);
    assert!(bbr.phase.is_probe_rtt());
    at(&mut bbr, 11_251, 4000.0);
    assert!(bbr.phase.is_probe_bw());
    // at least the window of before, and RTprop is the newer one
    assert!(bbr.cwnd() >= cwnd, "{:?}", bbr.cwnd());
    assert_eq!(bbr.model.rtprop(), Some(Span::from_millis(110)));
}

#[test]
fn a_pause_does_not_call_for_probe_rtt() {
    let mut bbr = cruising(1000);
    bbr.phase = Phase::ProbeBw { step: 0, since: Time(1_000_000_000) };
    bbr.set_pacing_rate(1.25);
    bbr.on_idle_restart(Time::from_secs(20.0), &test_path());
    assert!((bbr.pacing_rate().unwrap().0 - 100_000.0).abs() < 1e-6);
    let s = DeliverySample { rtt: Some(Span::from_millis(120)), ..sample(&bbr, 10.0) };
    hear(&mut bbr, 20_100, s);
    assert!(bbr.phase.is_probe_bw());
    assert_eq!(bbr.model.rtprop(), Some(Span::from_millis(120)));
}

#[test]
fn a_recovery_conserves_packets_for_a_round_and_gives_the_window_back() {
    let mut bbr = cruising(1000);
    let before = bbr.cwnd();
    let s = DeliverySample { lost: Bytes(1000.0), in_flight: Bytes(8000.0), ..sample(&bbr, 10.0) };
    hear(&mut bbr, 1010, s);
    assert_eq!(bbr.on_congestion(&dup_acks(), &test_path()), Response::Undecided);
    // 8 segments in flight and one delivered
    assert_eq!(bbr.cwnd(), 9000.0);
    // the next ACK, of the same round: one more lost, so 8; but 8 in flight and one delivered
    let within = |bbr: &Bbr| DeliverySample { total_at_send: Bytes::ZERO, repairing: true, ..sample(bbr, 10.0) };
    let s = DeliverySample { lost: Bytes(1000.0), in_flight: Bytes(8000.0), ..within(&bbr) };
    hear(&mut bbr, 1020, s);
    assert_eq!(bbr.cwnd(), 9000.0);
    // the round is over: the window grows by what is delivered
    let s = DeliverySample { repairing: true, ..sample(&bbr, 10.0) };
    hear(&mut bbr, 1120, s);
    assert_eq!(bbr.cwnd(), 10_000.0);
    // repaired
    let s = DeliverySample { newly_delivered: Bytes::ZERO, ..sample(&bbr, 10.0) };
    hear(&mut bbr, 1130, s);
    assert_eq!(bbr.cwnd(), before + Bytes(1000.0));
}

#[test]
fn a_timeout_starts_with_one_segment_and_gives_the_window_back() {
    let mut bbr = cruising(1000);
    let before = bbr.cwnd();
    assert_eq!(bbr.on_congestion(&rto(1), &test_path()), Response::Reduced);
    assert_eq!(bbr.cwnd(), 1000.0);
    bbr.on_congestion(&rto(2), &test_path());
    // while it is repaired: at least 4 segments
    let s = DeliverySample { repairing: true, ..sample(&bbr, 10.0) };
    hear(&mut bbr, 4000, s);
    assert_eq!(bbr.cwnd(), 4000.0);
    let s = DeliverySample { newly_delivered: Bytes::ZERO, ..sample(&bbr, 10.0) };
    hear(&mut bbr, 4100, s);
    assert_eq!(bbr.cwnd(), before);
    assert_eq!(bbr.model.btlbw(), Rate(100_000.0));
}
