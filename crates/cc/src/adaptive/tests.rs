use super::*;
use crate::path::test_path;
use crate::testing::{ack, dup_acks, rto};

fn config() -> Config {
    Config::named("adaptive").unwrap()
}

fn with(parameter: &str, word: &str) -> Config {
    let mut config = config();
    config.set_choice(parameter, word).unwrap();
    config
}

/// Window 20 segments, half of which is 10; smoothed RTTs of 100, 200 and `srtt_ms`.
fn sampled(config: &Config, srtt_ms: u64) -> (Adaptive, Path) {
    let mut adaptive = Adaptive::new(config);
    let mut path = Path { flight_size: Bytes(20_000.0), ..test_path() };
    adaptive.on_init(Bytes(20_000.0), Bytes(64_000.0), &path);
    for ms in [100, 200, srtt_ms] {
        path.srtt = Span::from_millis(ms);
        adaptive.on_ack(&Ack { grows: false, ..ack(1000.0) }, &path);
    }
    (adaptive, path)
}

fn near(bytes: Bytes, expected: f64) -> bool {
    (bytes.0 - expected).abs() < 1e-6
}

#[test]
fn sixteen_of_twenty_are_kept_with_an_estimator_of_three_fifths() {
    // alpha = (200 - 140) / (200 - 100) = 0.6: 10 + 0.6 * (20 - 10) = 16
    let (mut adaptive, path) = sampled(&config(), 140);
    assert_eq!(adaptive.on_congestion(&dup_acks().of_flight(&path), &path), Response::ReducedAsRandom);
    assert!(near(adaptive.cwnd(), 16_000.0) && near(adaptive.ssthresh(), 16_000.0));
    adaptive.set_cwnd(Bytes(12_000.0));
    adaptive.on_recovery_exit(&RecoveryExit { now: dup_acks().now, window: Bytes(2000.0), inflated: false }, &path);
    assert!(near(adaptive.cwnd(), 16_000.0));
}

#[test]
fn the_smoothed_rtt_counts_on_every_ack() {
    // an ACK at the end of a recovery moves it without a delay of its own: alpha = 0, so half of 20 is left
    let (mut adaptive, mut path) = sampled(&config(), 140);
    path.srtt = Span::from_millis(220);
    adaptive.on_ack(&Ack { rtt: None, grows: false, ..ack(1000.0) }, &path);
    assert_eq!(adaptive.on_congestion(&dup_acks().of_flight(&path), &path), Response::Reduced);
    assert!(near(adaptive.cwnd(), 10_000.0));
}

#[test]
fn a_timeout_leaves_more_than_one_segment() {
    // 1 + 0.6 * (20 - 1) = 12.4; ssthresh native: 10
    let (mut adaptive, path) = sampled(&config(), 140);
    assert_eq!(adaptive.on_congestion(&rto(1).of_flight(&path), &path), Response::ReducedAsRandom);
    assert!(near(adaptive.cwnd(), 12_400.0) && near(adaptive.ssthresh(), 10_000.0));
    // the other reading: the larger of both
    let (mut adaptive, path) = sampled(&with("adapt_rto_ss", "max_wla"), 140);
    adaptive.on_congestion(&rto(1).of_flight(&path), &path);
    assert!(near(adaptive.cwnd(), 12_400.0) && near(adaptive.ssthresh(), 12_400.0));
}

#[test]
fn serial_timeouts_are_native() {
    for word in ["native", "max_wla"] {
        let (mut adaptive, path) = sampled(&with("adapt_rto_ss", word), 140);
        adaptive.on_congestion(&rto(1).of_flight(&path), &path);
        assert_eq!(adaptive.on_congestion(&rto(2).of_flight(&path), &path), Response::Reduced);
        assert_eq!((adaptive.cwnd(), adaptive.ssthresh()), (Bytes(1000.0), Bytes(10_000.0)));
        adaptive.ssthresh = Bytes(9000.0);
        adaptive.on_congestion(&Congestion { hold_ssthresh: true, ..rto(3) }.of_flight(&path), &path);
        assert_eq!(adaptive.ssthresh(), 9000.0);
    }
}

#[test]
fn the_ends_of_the_range_are_native_and_keeping_everything() {
    // alpha 0 at the largest RTT, 1 at the least
    let (mut adaptive, path) = sampled(&config(), 200);
    assert_eq!(adaptive.on_congestion(&dup_acks().of_flight(&path), &path), Response::Reduced);
    assert!(near(adaptive.cwnd(), 10_000.0));
    let (mut adaptive, path) = sampled(&config(), 100);
    assert_eq!(adaptive.on_congestion(&dup_acks().of_flight(&path), &path), Response::Random);
    assert!(near(adaptive.cwnd(), 20_000.0) && near(adaptive.ssthresh(), 20_000.0));
    // one half is not more than one half
    let (mut adaptive, path) = sampled(&config(), 150);
    assert_eq!(adaptive.on_congestion(&dup_acks().of_flight(&path), &path), Response::Reduced);
    assert!(near(adaptive.cwnd(), 15_000.0));
}

#[test]
fn without_a_range_of_rtts_it_is_newreno() {
    let path = Path { flight_size: Bytes(20_000.0), ..test_path() };
    for samples in [0, 1, 5] {
        let mut adaptive = Adaptive::new(&config());
        adaptive.on_init(Bytes(20_000.0), Bytes(64_000.0), &path);
        (0..samples).for_each(|_| adaptive.on_ack(&Ack { grows: false, ..ack(1000.0) }, &path));
        assert_eq!(adaptive.on_congestion(&dup_acks().of_flight(&path), &path), Response::Reduced);
        assert_eq!((adaptive.cwnd(), adaptive.ssthresh()), (Bytes(10_000.0), Bytes(10_000.0)));
    }
}

#[test]
fn before_there_is_a_smoothed_rtt_nothing_is_known() {
    // a delay sample without an SRTT, then SRTTs of 100, 200 and 140: alpha is still 0.6, not 60/200
    let mut adaptive = Adaptive::new(&config());
    let mut path = Path { flight_size: Bytes(20_000.0), srtt: Span::ZERO, ..test_path() };
    adaptive.on_init(Bytes(20_000.0), Bytes(64_000.0), &path);
    for ms in [0, 100, 200, 140] {
        path.srtt = Span::from_millis(ms);
        adaptive.on_ack(&Ack { grows: false, ..ack(1000.0) }, &path);
    }
    adaptive.on_congestion(&dup_acks().of_flight(&path), &path);
    assert!(near(adaptive.cwnd(), 16_000.0));
}

#[test]
fn the_rtt_may_be_the_newest_sample() {
    // smoothed 100, 200, 140; samples all 100: no range
    let (mut adaptive, path) = sampled(&with("adapt_rtt", "sample"), 140);
    adaptive.on_congestion(&dup_acks().of_flight(&path), &path);
    assert!(near(adaptive.cwnd(), 10_000.0));
    // samples 100, 200, 120: alpha 0.8: 18
    let (mut adaptive, path) = sampled(&with("adapt_rtt", "sample"), 140);
    for ms in [200, 120] {
        adaptive.on_ack(&Ack { rtt: Some(Span::from_millis(ms)), grows: false, ..ack(1000.0) }, &path);
    }
    adaptive.on_congestion(&dup_acks().of_flight(&path), &path);
    assert!(near(adaptive.cwnd(), 18_000.0));
}

/// Three losses, at 1, 3 and 5 s, alpha 0. After the first WLA = 10; the window grows to 12: K = 2/2 = 1 segment/s;
/// half of 12 is WLA = 6; it grows to `third`: K = (third - 6) / 2. Base of the extension: ssthresh 6 + 1 * 2 s = 8.
fn three_losses(config: &Config, third: f64, flight: f64) -> (Adaptive, Path) {
    let (mut adaptive, mut path) = sampled(config, 200);
    let at = |secs: f64| Congestion { now: Time::from_secs(secs), ..dup_acks() };
    adaptive.on_congestion(&at(1.0).of_flight(&path), &path);
    adaptive.set_cwnd(Bytes(12_000.0));
    path.flight_size = Bytes(12_000.0);
    adaptive.on_congestion(&at(3.0).of_flight(&path), &path);
    assert_eq!(adaptive.ssthresh(), 6000.0); // one factor alone extends nothing
    adaptive.set_cwnd(Bytes(third));
    path.flight_size = Bytes(flight);
    adaptive.on_congestion(&at(5.0).of_flight(&path), &path);
    (adaptive, path)
}

#[test]
fn a_slot_that_grew_faster_extends_the_threshold() {
    // 6 to 10 segments: K = 2 > 1: max(10/2, floor(8)) = 8; slow start from 5 to 8 follows
    let (mut adaptive, path) = three_losses(&config(), 10_000.0, 10_000.0);
    assert_eq!((adaptive.cwnd(), adaptive.ssthresh()), (Bytes(5000.0), Bytes(8000.0)));
    adaptive
        .on_recovery_exit(&RecoveryExit { now: Time::from_secs(5.1), window: Bytes(2000.0), inflated: false }, &path);
    adaptive.on_ack(&ack(1000.0), &path);
    assert_eq!(adaptive.cwnd(), 6000.0);
    // 6 to 8: K = 1, not more
    let (adaptive, _) = three_losses(&config(), 8000.0, 8000.0);
    assert_eq!(adaptive.ssthresh(), 4000.0);
    // 6 to 20: the loss window is larger than the extension
    let (adaptive, _) = three_losses(&config(), 20_000.0, 20_000.0);
    assert_eq!(adaptive.ssthresh(), 10_000.0);
}

#[test]
fn the_extension_is_truncated_to_whole_segments_and_within_the_receivers_window() {
    let advance = Advance { from: Bytes(6000.0), since: Time::from_secs(1.0), factor: Rate(2000.0) };
    // the paper's example: 12.79 becomes 12: 6 + 2 * 3.395 = 12.79
    assert_eq!(advance.at(Time::from_secs(4.395), &test_path()), 12_000.0);
    let (mut adaptive, path) = sampled(&config(), 200);
    adaptive.ssthresh = Bytes(5000.0);
    adaptive.extend(advance, Time::from_secs(4.395), &Path { rwnd: Bytes(7000.0), ..path });
    assert_eq!(adaptive.ssthresh(), 7000.0);
}

#[test]
fn the_threshold_stays_within_the_receivers_window_without_an_extension_too() {
    // alpha = 1: WLA = 20 segments, of which the receiver's window takes 15; in a timeout as well, where 1 + 19 are
    // kept
    for event in [dup_acks(), rto(1)] {
        let (mut adaptive, path) = sampled(&with("adapt_rto_ss", "max_wla"), 100);
        adaptive.on_congestion(
            &event.of_flight(&Path { rwnd: Bytes(15_000.0), flight_size: Bytes(15_000.0), ..path }),
            &Path { rwnd: Bytes(15_000.0), flight_size: Bytes(15_000.0), ..path },
        );
        assert_eq!((adaptive.cwnd(), adaptive.ssthresh()), (Bytes(20_000.0), Bytes(15_000.0)));
    }
}

#[test]
fn the_extension_may_reach_to_the_end_of_the_recovery() {
    let (mut adaptive, path) = three_losses(&with("adapt_E", "exit"), 10_000.0, 10_000.0);
    assert_eq!(adaptive.ssthresh(), 5000.0);
    // 6 + 1 * (6.5 - 3) = 9.5: 9
    adaptive
        .on_recovery_exit(&RecoveryExit { now: Time::from_secs(6.5), window: Bytes(2000.0), inflated: false }, &path);
    assert_eq!((adaptive.cwnd(), adaptive.ssthresh()), (Bytes(5000.0), Bytes(9000.0)));
    // a timeout drops it
    let (mut adaptive, path) = three_losses(&with("adapt_E", "exit"), 10_000.0, 10_000.0);
    adaptive.on_congestion(&rto(1).of_flight(&path), &path);
    adaptive
        .on_recovery_exit(&RecoveryExit { now: Time::from_secs(6.5), window: Bytes(2000.0), inflated: false }, &path);
    assert_eq!((adaptive.cwnd(), adaptive.ssthresh()), (Bytes(2000.0), Bytes(5000.0)));
}

#[test]
fn a_timeout_extends_the_threshold_at_once_unless_it_is_serial() {
    for (timeouts, expected) in [(1, 8000.0), (2, 5000.0)] {
        // as above until 3 s: K = 1, ssthresh 6; then from 6 to 10 segments by 5 s, alpha 0: half is 5, A = 6 + 1 * 2
        let (mut adaptive, mut path) = sampled(&with("adapt_E", "exit"), 200);
        let at = |secs: f64, timeouts| Congestion { now: Time::from_secs(secs), ..rto(timeouts) };
        adaptive.on_congestion(&Congestion { now: Time::from_secs(1.0), ..dup_acks() }.of_flight(&path), &path);
        adaptive.set_cwnd(Bytes(12_000.0));
        path.flight_size = Bytes(12_000.0);
        adaptive.on_congestion(&Congestion { now: Time::from_secs(3.0), ..dup_acks() }.of_flight(&path), &path);
        adaptive.set_cwnd(Bytes(10_000.0));
        path.flight_size = Bytes(10_000.0);
        adaptive.on_congestion(&at(5.0, timeouts).of_flight(&path), &path);
        assert_eq!((adaptive.cwnd(), adaptive.ssthresh()), (Bytes(1000.0), Bytes(expected)));
        // the slot advanced even so: K = (10 - 6) / 2
        assert_eq!(adaptive.factor, Some(Rate(2000.0)));
    }
}

#[test]
fn losses_at_one_instant_leave_the_factor_alone() {
    let (mut adaptive, path) = sampled(&config(), 200);
    adaptive.on_congestion(&dup_acks().of_flight(&path), &path);
    adaptive.on_congestion(&dup_acks().of_flight(&path), &path);
    assert_eq!(adaptive.factor, None);
}

#[test]
fn the_loss_window_never_exceeds_the_window() {
    // one segment, and a native window of two
    let (mut adaptive, path) = sampled(&config(), 140);
    adaptive.set_cwnd(Bytes(1000.0));
    adaptive.on_congestion(
        &dup_acks().of_flight(&Path { flight_size: Bytes(1000.0), ..path }),
        &Path { flight_size: Bytes(1000.0), ..path },
    );
    assert_eq!((adaptive.cwnd(), adaptive.ssthresh()), (Bytes(1000.0), Bytes(2000.0)));
}

#[test]
fn a_mark_halves_whatever_the_rtt() {
    let (mut adaptive, path) = sampled(&config(), 100);
    let mark = Congestion { cause: Cause::EcnMark, ..dup_acks() };
    assert_eq!(adaptive.on_congestion(&mark.of_flight(&path), &path), Response::Reduced);
    assert_eq!((adaptive.cwnd(), adaptive.ssthresh()), (Bytes(10_000.0), Bytes(10_000.0)));
}
