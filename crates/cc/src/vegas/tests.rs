mod linux;

use super::*;
use crate::Round;
use crate::path::test_path;
use crate::testing::{ack, dup_acks, rto};

fn config() -> Config {
    Config::named("vegas").unwrap()
}

fn with(choices: &[(&str, &str)]) -> Config {
    let mut config = config();
    for (name, word) in choices {
        config.set_choice(name, word).unwrap();
    }
    config
}

/// `cwnd` segments, all in flight before each ACK of one of them; threshold in segments.
fn at(config: &Config, cwnd: f64, ssthresh: f64) -> (Vegas, Path) {
    let mut vegas = Vegas::new(config);
    let path = Path { flight_size: Bytes((cwnd - 1.0) * 1000.0), ..test_path() };
    vegas.on_init(Bytes(cwnd * 1000.0), Bytes(ssthresh * 1000.0), &path);
    vegas.base = Some(Span::from_millis(100));
    (vegas, path)
}

/// The ACK that ends a round in which `sent` segments went out; two more samples came before it.
fn end_round(vegas: &mut Vegas, path: &Path, rtt_ms: u64, sent: f64) {
    let rtt = Some(Span::from_millis(rtt_ms));
    let plain = Ack { rtt, grows: false, ..ack(1000.0) };
    vegas.on_ack(&plain, path);
    vegas.on_ack(&plain, path);
    let round = Some(Round { length: Span::from_millis(rtt_ms), sent: Bytes(sent * 1000.0) });
    vegas.on_ack(&Ack { round, ..plain }, path);
}

#[test]
fn a_queue_between_alpha_and_beta_holds_the_window() {
    // W = S = 20, base 100, RTT 120: 20 - 20 * 100/120 = 3.333, rounded 3: neither below 1 nor above 3
    let (mut vegas, path) = at(&config(), 20.0, 2.0);
    end_round(&mut vegas, &path, 120, 20.0);
    vegas.on_ack(&ack(1000.0), &path);
    assert_eq!(vegas.cwnd(), 20_000.0);
}

#[test]
fn the_difference_is_rounded_to_the_nearest() {
    // RTT 121.3: 20 - 16.488 = 3.512, rounded 4: above beta, one segment less
    let (mut vegas, path) = at(&config(), 20.0, 2.0);
    let ended = RoundRtt::default();
    let round = Round { length: Span(121_300_000), sent: Bytes(20_000.0) };
    assert_eq!(vegas.difference(&ended, &round, &path), 4.0);
    vegas.decide(4.0);
    assert_eq!(vegas.cwnd(), 19_000.0);
}

#[test]
fn an_empty_queue_adds_a_segment_in_the_next_round() {
    // RTT 102: 20 - 19.6 = 0.39, rounded 0 < alpha: 1/20 per ACK, fixed for the round
    let (mut vegas, path) = at(&config(), 20.0, 2.0);
    end_round(&mut vegas, &path, 102, 20.0);
    vegas.on_ack(&ack(1000.0), &path);
    vegas.on_ack(&ack(1000.0), &path);
    assert_eq!(vegas.cwnd(), 20_100.0);
    // a window that is not used does not grow: 20.1 - (17 + 1) segments; two are not too many
    let unused = Path { flight_size: Bytes(17_000.0), ..path };
    vegas.on_ack(&ack(1000.0), &unused);
    assert_eq!(vegas.cwnd(), 20_100.0);
    vegas.set_cwnd(Bytes(20_000.0));
    vegas.on_ack(&ack(1000.0), &unused);
    assert_eq!(vegas.cwnd(), 20_050.0);
}

#[test]
fn alpha_beta_and_gamma_are_parameters() {
    // RTT 120: 3.333, rounded 3
    for (name, value, expected) in [
        ("vegas_alpha", 3.0, 20_000.0), // not below it
        ("vegas_alpha", 4.0, 20_050.0),
        ("vegas_beta", 2.0, 19_000.0),
    ] {
        let mut config = config();
        config.set_number(name, value).unwrap();
        let (mut vegas, path) = at(&config, 20.0, 2.0);
        end_round(&mut vegas, &path, 120, 20.0);
        vegas.on_ack(&ack(1000.0), &path);
        assert_eq!(vegas.cwnd(), expected, "{name} {value}");
    }
    // slow start goes on with as many as gamma
    let mut three = config();
    three.set_number("vegas_gamma", 3.0).unwrap();
    let (mut vegas, path) = at(&three, 20.0, 64.0);
    end_round(&mut vegas, &path, 120, 20.0);
    vegas.on_ack(&ack(1000.0), &path);
    assert_eq!(vegas.cwnd(), 21_000.0);
}

#[test]
fn what_was_sent_counts_against_what_is_outstanding() {
    // W = 20, S = 10, RTT = base: (20 - 10) segments: far above beta
    let (mut vegas, path) = at(&config(), 20.0, 2.0);
    end_round(&mut vegas, &path, 100, 10.0);
    assert_eq!(vegas.cwnd(), 19_000.0);
}

#[test]
fn a_round_of_one_segment_sets_the_base() {
    let (mut vegas, path) = at(&config(), 2.0, 2.0);
    end_round(&mut vegas, &path, 150, 1.0);
    assert_eq!(vegas.base, Some(Span::from_millis(150)));
}

#[test]
fn slow_start_grows_in_every_second_round() {
    let (mut vegas, path) = at(&config(), 4.0, 64.0);
    for expected in [1000.0, 0.0, 1000.0, 0.0] {
        end_round(&mut vegas, &path, 100, 4.0);
        let before = vegas.cwnd();
        vegas.on_ack(&ack(1000.0), &path);
        assert_eq!((vegas.cwnd() - before).0, expected);
        vegas.set_cwnd(before);
    }
}

#[test]
fn slow_start_may_grow_at_every_second_ack() {
    let (mut vegas, path) = at(&with(&[("vegas_ss", "alt_ack")]), 4.0, 64.0);
    for expected in [5000.0, 5000.0, 6000.0, 6000.0] {
        vegas.on_ack(&ack(1000.0), &path);
        assert_eq!(vegas.cwnd(), expected);
    }
}

#[test]
fn a_queue_ends_slow_start() {
    // W = S = 16, RTT 115: 16 - 13.91 = 2.09, rounded 2 > gamma: 16 - 2 = 14, in the round that may grow
    let (mut vegas, path) = at(&config(), 16.0, 64.0);
    end_round(&mut vegas, &path, 115, 16.0);
    assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(14_000.0), Bytes(2000.0)));
    let (mut vegas, path) = at(&config(), 16.0, 64.0);
    vegas.grow = true; // the next round may not: no decision
    end_round(&mut vegas, &path, 115, 16.0);
    assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(16_000.0), Bytes(64_000.0)));
}

#[test]
fn steps_that_miss_a_whole_segment_by_a_rounding_error_do_not_reach_it() {
    // 9 + 9 * (1/9) is 9.999999999999996 in doubles, 12 + 12 * (1/12) 13.000000000000005: ns-2 sends its tenth segment
    // one ACK later, its thirteenth at once
    for (cwnd, whole) in [(9.0, 9.0), (12.0, 13.0)] {
        let (mut vegas, path) = at(&config(), cwnd, 2.0);
        end_round(&mut vegas, &path, 100, cwnd);
        for _ in 0..cwnd as u32 {
            vegas.on_ack(&ack(1000.0), &path);
        }
        assert_eq!(vegas.cwnd().over(path.mss).floor(), whole);
    }
}

#[test]
fn a_step_of_slow_start_does_not_outlive_it() {
    let (mut vegas, path) = at(&config(), 4.0, 5.0);
    end_round(&mut vegas, &path, 100, 4.0);
    for _ in 0..3 {
        vegas.on_ack(&ack(1000.0), &path);
    }
    assert_eq!(vegas.cwnd(), 5000.0);
}

#[test]
fn the_sample_of_the_ack_that_ends_a_round_comes_after_its_decision() {
    // base 240 and RTT 240 from the round itself: 20 - 20 = 0 < alpha; with the last sample, 200, it would be 3.3
    let (mut vegas, path) = at(&config(), 20.0, 2.0);
    vegas.base = None;
    let sample = |ms| Ack { rtt: Some(Span::from_millis(ms)), grows: false, ..ack(1000.0) };
    vegas.on_ack(&sample(240), &path);
    let round = Some(Round { length: Span::from_millis(240), sent: Bytes(20_000.0) });
    vegas.on_ack(&Ack { round, ..sample(200) }, &path);
    assert_eq!(vegas.base, Some(Span::from_millis(200)));
    vegas.on_ack(&ack(1000.0), &path);
    assert_eq!(vegas.cwnd(), 20_050.0);
}

#[test]
fn half_a_segment_of_difference_counts_as_one() {
    // W = 4, S = 7, RTT twice the base: 4 - 3.5 = 0.5, rounded up to 1: not below alpha
    let (mut vegas, _) = at(&config(), 4.0, 2.0);
    vegas.base = Some(Span(213_440_000));
    let path = Path { flight_size: Bytes(3000.0), ..test_path() };
    let round = Round { length: Span(426_880_000), sent: Bytes(7000.0) };
    assert_eq!(vegas.difference(&RoundRtt::default(), &round, &path), 1.0);
}

#[test]
fn an_exit_without_a_window_leaves_none() {
    let (mut vegas, path) = at(&config(), 5.0, 11.0);
    vegas.on_recovery_exit(&RecoveryExit { now: Time::from_secs(3.0), window: Bytes::ZERO, inflated: false }, &path);
    assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes::ZERO, Bytes(2000.0)));
}

#[test]
fn duplicate_acks_keep_three_quarters_or_a_half() {
    // whole segments: 10.9 -> 10 - 2 = 8; sent twice: 10 / 2 = 5; 3.9 -> 2
    for (cwnd, retransmitted, expected) in
        [(10.9, false, 8000.0), (10.9, true, 5000.0), (3.9, false, 2000.0), (4.0, false, 3000.0), (5.0, true, 2000.0)]
    {
        let (mut vegas, path) = at(&config(), cwnd, 64.0);
        let event = Congestion { retransmitted, ..dup_acks() };
        assert_eq!(vegas.on_congestion(&event, &path), Response::Reduced);
        assert_eq!(vegas.cwnd(), expected);
        for later in [expected + 1000.0, expected - 1000.0] {
            vegas.set_cwnd(Bytes(later)); // a later recovery of the same cut goes back to W, too
            vegas.on_recovery_exit(&RecoveryExit { now: event.now, window: vegas.cwnd(), inflated: false }, &path);
            assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(expected), Bytes(2000.0)));
        }
    }
}

#[test]
fn a_window_that_the_core_leaves_inflated_stays() {
    let (mut vegas, path) = at(&config(), 3.0, 64.0);
    vegas.on_congestion(&dup_acks(), &path); // 2 segments
    vegas.on_recovery_exit(&RecoveryExit { now: Time::from_secs(1.1), window: Bytes(4000.0), inflated: true }, &path);
    assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(4000.0), Bytes(64_000.0)));
}

#[test]
fn a_segment_sent_before_the_last_cut_costs_nothing() {
    let (mut vegas, path) = at(&config(), 16.0, 64.0);
    vegas.on_congestion(&dup_acks(), &path); // at 1 s
    assert_eq!(vegas.cwnd(), 12_000.0);
    for (sent_s, expected, cwnd) in [
        (0.95, Response::SameWindow, 12_000.0),
        (1.0, Response::SameWindow, 12_000.0),
        (1.01, Response::Reduced, 9000.0),
    ] {
        let event = Congestion { sent_at: Some(Time::from_secs(sent_s)), now: Time::from_secs(1.1), ..dup_acks() };
        assert_eq!(vegas.on_congestion(&event, &path), expected);
        assert_eq!(vegas.cwnd(), cwnd);
    }
}

#[test]
fn a_recovery_without_a_cut_leaves_the_threshold() {
    let (mut vegas, path) = at(&config(), 10.0, 64.0);
    vegas.on_congestion(&rto(1), &path); // at 2 s: window 2, threshold 5 segments
    assert_eq!(vegas.on_congestion(&dup_acks(), &path), Response::SameWindow);
    vegas.on_recovery_exit(&RecoveryExit { now: Time::from_secs(3.0), window: Bytes(2000.0), inflated: false }, &path);
    assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(2000.0), Bytes(5000.0)));
}

#[test]
fn the_receivers_window_bounds_what_is_cut() {
    let (mut vegas, path) = at(&config(), 30.0, 64.0);
    vegas.on_congestion(&dup_acks(), &Path { rwnd: Bytes(20_000.0), ..path });
    assert_eq!(vegas.cwnd(), 15_000.0);
}

#[test]
fn a_timeout_leaves_two_segments() {
    let (mut vegas, path) = at(&config(), 10.0, 64.0);
    vegas.on_congestion(&rto(1), &path);
    assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(2000.0), Bytes(5000.0)));
    // sent before the timeout at 2 s: no second cut
    assert_eq!(vegas.on_congestion(&dup_acks(), &path), Response::SameWindow);
}

#[test]
fn a_mark_halves() {
    let (mut vegas, path) = at(&config(), 20.0, 64.0);
    vegas.on_congestion(&Congestion { cause: Cause::EcnMark, ..dup_acks() }.of(20_000.0), &path);
    assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(10_000.0), Bytes(10_000.0)));
}
