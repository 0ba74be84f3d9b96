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
    let total = bbr.model.total() + 1;
    DeliverySample {
        delivered: (10.0 * rate) as u32,
        interval: Span::from_millis(1000),
        rtt: Some(Span::from_millis(100)),
        newly_delivered: 1,
        total,
        total_at_send: bbr.model.total(),
        in_flight_before: 11,
        in_flight: 10,
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
        hear(&mut bbr, ms - 40 + 10 * round, DeliverySample { in_flight: 30, ..s });
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
        let s = DeliverySample { in_flight: 1000, ..sample(&bbr, rate) };
        hear(&mut bbr, 1000 + 100 * round as u64, s);
        assert_eq!(bbr.phase, Phase::Startup, "round {round}");
    }
    // 15, 15.5 and now 15.6 are less than 1.25 * 12.5 = 15.625
    let s = DeliverySample { in_flight: 1000, ..sample(&bbr, 15.6) };
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
        let s = DeliverySample { total_at_send: 0, ..sample(&bbr, 10.0) };
        hear(&mut bbr, 1001, s);
    }
    // 2 * 100 kB/s * 0.1 s + 3 * quantum. The rate is between 75 and 125 kB/s, below 150 kB/s (1.2 Mbit/s): 1 MSS
    assert_eq!(bbr.cwnd(), 23_000.0);
}

#[test]
fn the_cycle_probes_drains_and_cruises() {
    let mut bbr = cruising(1000);
    bbr.set_phase(Phase::ProbeBw { step: 7, since: Time(1_000_000_000) });
    let at = |bbr: &mut Bbr, ms, in_flight_before| {
        let s = DeliverySample { in_flight_before, ..sample(bbr, 10.0) };
        hear(bbr, ms, s);
        bbr.pacing_gain
    };
    assert_eq!(at(&mut bbr, 1100, 10), 1.0); // 100 ms: not more than RTprop
    assert_eq!(at(&mut bbr, 1101, 10), 1.25);
    // probing goes on until 1.25 * 10 000 + 3000 are in flight
    assert_eq!(at(&mut bbr, 1300, 15), 1.25);
    assert_eq!(at(&mut bbr, 1310, 16), 0.75);
    // draining until 10 000 + 3000 are
    assert_eq!(at(&mut bbr, 1320, 14), 0.75);
    assert_eq!(at(&mut bbr, 1330, 13), 1.0);
    assert_eq!(bbr.phase, Phase::ProbeBw { step: 2, since: Time(1_330_000_000) });
}

#[test]
fn a_loss_ends_probing() {
    let mut bbr = cruising(1000);
    bbr.set_phase(Phase::ProbeBw { step: 0, since: Time(1_000_000_000) });
    let s = DeliverySample { lost: 1, ..sample(&bbr, 10.0) };
    hear(&mut bbr, 1101, s);
    assert_eq!(bbr.pacing_gain, 0.75);
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
    let at = |bbr: &mut Bbr, ms, in_flight| {
        let rtt = Some(Span::from_millis(110));
        let s = DeliverySample { rtt, in_flight, ..sample(bbr, 10.0) };
        hear(bbr, ms, s);
    };
    at(&mut bbr, 11_000, 10);
    assert!(!bbr.phase.is_probe_rtt());
    at(&mut bbr, 11_001, 10);
    assert!(bbr.phase.is_probe_rtt() && bbr.limits_itself());
    assert_eq!((bbr.cwnd(), bbr.pacing_gain), (Bytes(4000.0), 1.0));
    at(&mut bbr, 11_050, 4); // little enough: 200 ms from here
    at(&mut bbr, 11_250, 4);
    assert!(bbr.phase.is_probe_rtt());
    at(&mut bbr, 11_251, 4);
    assert!(bbr.phase.is_probe_bw());
    // at least the window of before, and RTprop is the newer one
    assert!(bbr.cwnd() >= cwnd, "{:?}", bbr.cwnd());
    assert_eq!(bbr.model.rtprop(), Some(Span::from_millis(110)));
}

#[test]
fn a_pause_does_not_call_for_probe_rtt() {
    let mut bbr = cruising(1000);
    bbr.set_phase(Phase::ProbeBw { step: 0, since: Time(1_000_000_000) });
    bbr.set_pacing_rate(1.25);
    bbr.on_signal(&Signal::IdleRestart { now: Time::from_secs(20.0) }, &test_path());
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
    assert_eq!(bbr.on_congestion(&dup_acks(), &test_path()), Response::Undecided);
    let within = |bbr: &Bbr| DeliverySample { total_at_send: 0, repairing: true, ..sample(bbr, 10.0) };
    // the sample of the ACK that showed the loss: 8 segments in flight and one delivered
    let s = DeliverySample { lost: 1, in_flight: 8, ..within(&bbr) };
    hear(&mut bbr, 1010, s);
    assert_eq!(bbr.cwnd(), 9000.0);
    // the next ACK, of the same round: one more lost, so 8; but 8 in flight and one delivered
    let s = DeliverySample { lost: 1, in_flight: 8, ..within(&bbr) };
    hear(&mut bbr, 1020, s);
    assert_eq!(bbr.cwnd(), 9000.0);
    // the round is over: the window grows by what is delivered
    let s = DeliverySample { repairing: true, ..sample(&bbr, 10.0) };
    hear(&mut bbr, 1120, s);
    assert_eq!(bbr.cwnd(), 10_000.0);
    // repaired
    let s = DeliverySample { newly_delivered: 0, ..sample(&bbr, 10.0) };
    hear(&mut bbr, 1130, s);
    assert_eq!(bbr.cwnd(), before);
}

#[test]
fn a_recovery_that_follows_another_goes_on_with_it() {
    let mut bbr = cruising(1000);
    let before = bbr.cwnd();
    bbr.on_congestion(&dup_acks(), &test_path());
    let s = DeliverySample { lost: 1, in_flight: 8, total_at_send: 0, repairing: true, ..sample(&bbr, 10.0) };
    hear(&mut bbr, 1010, s);
    let s = DeliverySample { repairing: true, ..sample(&bbr, 10.0) };
    hear(&mut bbr, 1110, s);
    assert_eq!(bbr.cwnd(), 10_000.0);
    // the ACK that ends it shows another loss: no second round of what leaves may enter
    let exit = RecoveryExit { now: Time::from_secs(1.12), window: Bytes(5000.0), inflated: false };
    bbr.on_recovery_exit(&exit, &test_path());
    bbr.on_congestion(&dup_acks(), &test_path());
    let s = DeliverySample { lost: 1, in_flight: 4, repairing: true, ..sample(&bbr, 10.0) };
    hear(&mut bbr, 1120, s);
    assert_eq!(bbr.cwnd(), 10_000.0); // one lost, one delivered
    let s = DeliverySample { newly_delivered: 0, ..sample(&bbr, 10.0) };
    hear(&mut bbr, 1130, s);
    assert_eq!(bbr.cwnd(), before);
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
    let s = DeliverySample { newly_delivered: 0, ..sample(&bbr, 10.0) };
    hear(&mut bbr, 4100, s);
    assert_eq!(bbr.cwnd(), before);
    assert_eq!(bbr.model.btlbw(), Rate(100_000.0));
}

#[test]
fn a_quantum_follows_the_pacing_rate() {
    let mut bbr = cruising(1000);
    // 10 000 bytes of path and three quanta: 1.2 and 24 Mbit/s are 150 and 3000 kB/s; then a millisecond's worth, up to
    // 64 KiB
    for (rate, inflight) in [
        (149_999.0, 13_000.0),
        (150_000.0, 16_000.0),
        (2_999_999.0, 16_000.0),
        (3_000_000.0, 19_000.0),
        (20_000_000.0, 70_000.0),
        (100_000_000.0, 206_608.0),
    ] {
        bbr.pacing_rate = Rate(rate);
        assert_eq!(bbr.inflight(1.0, &test_path()), inflight, "{rate}");
    }
}

#[test]
fn without_an_rtt_the_target_is_the_initial_window() {
    let mut bbr = Bbr::new(&Config::named("bbr").unwrap());
    bbr.on_init(Bytes(10_000.0), Bytes(1e9), &Path { srtt: Span::ZERO, ..test_path() });
    assert_eq!(bbr.inflight(2.885, &test_path()), 10_000.0);
}

#[test]
fn the_rtt_of_the_handshake_counts_for_ten_seconds() {
    let mut bbr = bbr();
    assert_eq!(bbr.model.rtprop(), Some(Span::from_millis(100)));
    let longer = |bbr: &Bbr| DeliverySample { rtt: Some(Span::from_millis(120)), ..sample(bbr, 10.0) };
    let s = longer(&bbr);
    hear(&mut bbr, 1120, s); // the first segment left at 1 s
    assert_eq!(bbr.model.rtprop(), Some(Span::from_millis(100)));
    let s = longer(&bbr);
    hear(&mut bbr, 11_000, s);
    assert_eq!(bbr.model.rtprop(), Some(Span::from_millis(100)));
    let s = longer(&bbr);
    hear(&mut bbr, 11_001, s);
    assert_eq!(bbr.model.rtprop(), Some(Span::from_millis(120)));
}

#[test]
fn in_startup_the_window_grows_up_to_the_target() {
    let mut bbr = bbr();
    // 1 segment per 100 ms: the target is 2.885 * 1000 bytes and three quanta of 2000 (the first rate is 288.5
    // kB/s), 8885. The window of 10 000 grows even so until an initial window was delivered
    for n in 1..=12 {
        let s = DeliverySample { total_at_send: 0, ..sample(&bbr, 1.0) };
        hear(&mut bbr, 1000 + n, s);
        assert_eq!(bbr.cwnd(), 10_000.0 + 1000.0 * n.min(9) as f64, "after {n} segments");
    }
    bbr.set_cwnd(Bytes(8000.0));
    for expected in [9000.0, 9000.0] {
        let s = DeliverySample { total_at_send: 0, ..sample(&bbr, 1.0) };
        hear(&mut bbr, 1100, s);
        assert_eq!(bbr.cwnd(), expected);
    }
}

#[test]
fn probe_rtt_lasts_for_a_round_and_goes_back_to_startup_if_it_came_from_there() {
    let mut bbr = bbr();
    let s = DeliverySample { total_at_send: 0, ..sample(&bbr, 10.0) };
    hear(&mut bbr, 1000, s);
    let at = |bbr: &mut Bbr, ms, same_round: bool| {
        let mut s = DeliverySample { rtt: Some(Span::from_millis(110)), in_flight: 4, ..sample(bbr, 10.0) };
        if same_round {
            s.total_at_send = 0;
        }
        hear(bbr, ms, s);
        bbr.phase
    };
    // little enough is in flight at once
    assert!(at(&mut bbr, 11_001, true).is_probe_rtt());
    assert!(at(&mut bbr, 11_500, true).is_probe_rtt()); // 200 ms are over, but no round
    assert_eq!(at(&mut bbr, 11_510, false), Phase::Startup);
    assert!(!bbr.limits_itself());
}

#[test]
fn a_second_loss_remembers_the_larger_window() {
    let mut bbr = cruising(1000);
    bbr.set_cwnd(Bytes(20_000.0));
    bbr.on_congestion(&dup_acks(), &test_path());
    bbr.set_cwnd(Bytes(6000.0));
    bbr.on_congestion(&rto(1), &test_path());
    assert_eq!(bbr.cwnd(), 1000.0);
    let repaired = |bbr: &mut Bbr| {
        let s = DeliverySample { newly_delivered: 0, ..sample(bbr, 10.0) };
        hear(bbr, 2000, s);
    };
    repaired(&mut bbr);
    assert_eq!(bbr.cwnd(), 20_000.0);
    // the next one starts from what there is then
    bbr.set_cwnd(Bytes(12_000.0));
    bbr.on_congestion(&dup_acks(), &test_path());
    repaired(&mut bbr);
    assert_eq!(bbr.cwnd(), 12_000.0);
}

#[test]
fn a_mark_means_nothing() {
    let mut bbr = cruising(1000);
    let before = bbr.clone();
    let mark = Congestion { cause: Cause::EcnMark, ..dup_acks() };
    assert_eq!(bbr.on_congestion(&mark, &test_path()), Response::Undecided);
    assert_eq!(bbr, before);
}

#[test]
fn gains_and_counts_are_parameters() {
    let mut config = Config::named("bbr").unwrap();
    for (name, value) in [
        ("bbr_high_gain", 3.0),
        ("bbr_drain_gain", 0.5),
        ("bbr_cwnd_gain", 1.5),
        ("bbr_up_gain", 1.5),
        ("bbr_down_gain", 0.25),
        ("bbr_cycle", 3.0),
        ("bbr_full_growth", 2.0),
        ("bbr_full_rounds", 1.0),
        ("bbr_quanta", 0.0),
    ] {
        config.set_number(name, value).unwrap();
    }
    let mut bbr = Bbr::new(&config);
    bbr.on_init(Bytes(10_000.0), Bytes(1e9), &test_path());
    // 3 * 10 000 / 0.1 s
    assert!((bbr.pacing_rate().unwrap().0 - 300_000.0).abs() < 1e-6);
    // 10, then 19 per round: not twice as much in one round, so the pipe is full; half of 190 kB/s in Drain
    for (ms, rate, phase) in [(1000, 10.0, Phase::Startup), (1100, 19.0, Phase::Drain)] {
        let s = DeliverySample { in_flight: 1000, ..sample(&bbr, rate) };
        hear(&mut bbr, ms, s);
        assert_eq!(bbr.phase, phase);
    }
    assert!((bbr.pacing_rate().unwrap().0 - 95_000.0).abs() < 1e-6);
    // Drain is over with 19 000 in flight; the window goes to 1.5 times that
    let s = DeliverySample { in_flight: 19, ..sample(&bbr, 19.0) };
    hear(&mut bbr, 1200, s);
    assert!(bbr.phase.is_probe_bw());
    bbr.set_cwnd(Bytes(28_000.0));
    for _ in 0..2 {
        let s = DeliverySample { total_at_send: 0, ..sample(&bbr, 19.0) };
        hear(&mut bbr, 1201, s);
    }
    assert!((bbr.cwnd().0 - 28_500.0).abs() < 1e-6, "{:?}", bbr.cwnd());
    let gains = [0, 1, 2].map(|step| {
        bbr.set_phase(Phase::ProbeBw { step, since: Time::ZERO });
        bbr.pacing_gain
    });
    assert_eq!(gains, [1.5, 0.25, 1.0]);
    // after the last of three steps the first
    bbr.set_phase(Phase::ProbeBw { step: 2, since: Time::from_secs(1.2) });
    let s = sample(&bbr, 19.0);
    hear(&mut bbr, 1301, s);
    assert_eq!(bbr.phase, Phase::ProbeBw { step: 0, since: Time(1_301_000_000) });
}

#[test]
fn by_linux_it_paces_one_percent_slower_and_adds_what_comes_at_once() {
    let mut bbr = Bbr::new(&Config::named("bbr-linux").unwrap());
    bbr.on_init(Bytes(10_000.0), Bytes(1e9), &test_path());
    for round in 0..4 {
        let s = sample(&bbr, 10.0);
        hear(&mut bbr, 960 + 10 * round, DeliverySample { in_flight: 30, ..s });
    }
    let s = sample(&bbr, 10.0);
    hear(&mut bbr, 1000, s);
    bbr.set_phase(Phase::ProbeBw { step: 2, since: Time::from_secs(1.0) });
    // six segments at once, 100 ms after the last one: six beyond the rate
    let s = DeliverySample { newly_delivered: 6, total_at_send: 0, ..sample(&bbr, 10.0) };
    hear(&mut bbr, 1100, DeliverySample { total: s.total + 5, ..s });
    for _ in 0..40 {
        let s = DeliverySample { total_at_send: 0, newly_delivered: 0, ..sample(&bbr, 10.0) };
        hear(&mut bbr, 1101, DeliverySample { total: s.total - 1, ..s });
    }
    assert!((bbr.pacing_rate().unwrap().0 - 99_000.0).abs() < 1e-6, "{:?}", bbr.pacing_rate());
    // 2 * 100 kB/s * 0.1 s, three quanta of a segment, and at least the six
    assert!(bbr.inflight(2.0, &test_path()) + bbr.extra(&test_path()) >= Bytes(29_000.0));
    assert_eq!(bbr.extra(&test_path()).min(Bytes(10_000.0)), bbr.extra(&test_path()));
}

#[test]
fn by_linux_windows_are_even() {
    let mut bbr = Bbr::new(&Config::named("bbr-linux").unwrap());
    bbr.on_init(Bytes(10_000.0), Bytes(1e9), &test_path());
    let s = sample(&bbr, 10.0);
    hear(&mut bbr, 1000, s);
    bbr.pacing_rate = Rate(200_000.0);
    // ten segments, and three quanta of two: 16; of 10.1, rounded up, 17 and so 18
    let path = test_path();
    assert_eq!([1.0, 1.01].map(|gain| bbr.inflight(gain, &path)), [Bytes(16_000.0), Bytes(18_000.0)]);
    bbr.set_phase(Phase::ProbeBw { step: 0, since: Time::ZERO });
    assert_eq!(bbr.inflight(1.0, &path), 18_000.0);
    bbr.set_phase(Phase::ProbeBw { step: 2, since: Time::ZERO });
    assert_eq!(bbr.inflight(1.0, &path), 16_000.0);
}

/// Ten segments in each round of 100 ms from `ms` on, with so many lost at its end.
fn rounds(bbr: &mut Bbr, ms: u64, count: u64, lost: u32) {
    for round in 0..count {
        for part in 1..=10 {
            let ends = part == 10;
            let s = sample(bbr, 10.0);
            let at_send = if part == 1 { s.total_at_send } else { 0 };
            let s = DeliverySample { total_at_send: at_send, lost: if ends { lost } else { 0 }, ..s };
            hear(bbr, ms + 100 * round + 10 * part, s);
        }
    }
}

#[test]
fn by_linux_a_policer_is_sent_at_its_rate() {
    let mut bbr = Bbr::new(&Config::named("bbr-linux").unwrap());
    bbr.on_init(Bytes(10_000.0), Bytes(1e9), &test_path());
    rounds(&mut bbr, 1000, 6, 0);
    bbr.set_phase(Phase::ProbeBw { step: 0, since: Time::from_secs(1.6) });
    // 2 of 10 lost is more than 50 of 256: the first loss begins, four rounds on the first interval is over, four more
    // and the second one is
    rounds(&mut bbr, 1600, 9, 1);
    assert_eq!(bbr.policed(), None, "one of ten is too few");
    rounds(&mut bbr, 2500, 20, 2);
    let rate = bbr.policed().expect("a policer");
    // ten segments in 100 ms
    assert!((rate.0 - 100_000.0).abs() < 3000.0, "{rate:?}");
    assert_eq!(bbr.pacing_gain, 1.0);
    bbr.set_phase(Phase::ProbeBw { step: 0, since: Time::from_secs(4.5) });
    assert_eq!((bbr.pacing_gain, bbr.bandwidth()), (1.0, rate));
    // for 48 rounds
    rounds(&mut bbr, 4500, 60, 0);
    assert_eq!(bbr.policed(), None);
    // the draft knows none
    let mut draft = self::bbr();
    rounds(&mut draft, 1000, 40, 3);
    assert_eq!(draft.policed(), None);
}
