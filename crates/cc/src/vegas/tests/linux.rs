//! Linux's Vegas.
use super::*;
use crate::Round;

#[test]
fn the_queue_of_a_later_linux_is_four_where_it_was_three_and_a_third() {
    // cwnd 20, base 100, RTT 120: 20 * 20/100 = 4 exactly, not above beta; above it is with 3.999
    for (beta, expected) in [(4.0, 20_000.0), (3.999, 19_000.0)] {
        let mut config = with(&[("vegas_impl", "linux"), ("vegas_diff", "over_base")]);
        config.set_number("vegas_beta", beta).unwrap();
        let (mut vegas, path) = at(&config, 20.0, 2.0);
        end_round(&mut vegas, &path, 120, 20.0);
        assert_eq!(vegas.cwnd(), expected);
    }
}

#[test]
fn linux_stays_in_slow_start_with_as_many_as_gamma() {
    // 4 queue: with gamma 4 it goes on, with 3.999 the window becomes 20 - 3.333 + 1, rounded down
    for (gamma, expected) in [(4.0, 20_000.0), (3.999, 17_000.0)] {
        let mut config = with(&[("vegas_impl", "linux"), ("vegas_diff", "over_base")]);
        config.set_number("vegas_gamma", gamma).unwrap();
        let (mut vegas, path) = at(&config, 20.0, 64.0);
        end_round(&mut vegas, &path, 120, 20.0);
        assert!((vegas.cwnd().0 - expected).abs() < 0.1);
    }
}

#[test]
fn linux_decides_nothing_in_a_recovery_and_begins_anew_after_it() {
    let (mut vegas, path) = at(&with(&[("vegas_impl", "linux")]), 20.0, 2.0);
    let sample = Ack { rtt: Some(Span::from_millis(200)), grows: false, ..ack(1000.0) };
    vegas.on_ack(&sample, &path);
    vegas.on_ack(&sample, &path);
    let round = Some(Round { length: Span::from_millis(200), sent: Bytes(20_000.0) });
    vegas.on_ack(&Ack { round, in_recovery: true, ..sample }, &path);
    assert_eq!(vegas.cwnd(), 20_000.0); // 10 queue
    vegas.on_ack(&sample, &path);
    vegas.on_ack(&sample, &path);
    let exit = RecoveryExit { now: Time::from_secs(1.1), window: Bytes(20_000.0), inflated: false };
    vegas.on_recovery_exit(&exit, &path);
    // the round that began before decides nothing, the next one does: 10 queue
    let growing = Ack { grows: true, ..sample };
    for expected in [20_000.0, 19_000.0] {
        vegas.on_ack(&growing, &path);
        vegas.on_ack(&growing, &path);
        vegas.on_ack(&Ack { round, ..growing }, &path);
        assert_eq!(vegas.cwnd(), expected);
    }
}

#[test]
fn linux_halves_at_a_loss_and_doubles_every_round() {
    let (mut vegas, path) = at(&with(&[("vegas_impl", "linux")]), 10.0, 64.0);
    vegas.on_ack(&ack(1000.0), &path);
    vegas.on_ack(&ack(1000.0), &path);
    assert_eq!(vegas.cwnd(), 12_000.0);
    vegas.on_congestion(&dup_acks(), &path);
    assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(5000.0), Bytes(5000.0)));
    vegas.on_recovery_exit(&RecoveryExit { now: Time::from_secs(1.1), window: Bytes(5000.0), inflated: false }, &path);
    assert_eq!(vegas.cwnd(), 5000.0);
    vegas.on_congestion(&rto(1), &path);
    assert_eq!(vegas.cwnd(), 1000.0);
}

#[test]
fn linux_decides_by_the_least_rtt_and_does_not_round() {
    // cwnd 20, base 100, RTT 120: 3.333 > 3; ns-2 rounds to 3 and holds
    let (mut vegas, path) = at(&with(&[("vegas_impl", "linux")]), 20.0, 2.0);
    end_round(&mut vegas, &path, 120, 20.0);
    assert_eq!(vegas.cwnd(), 19_000.0);
}

#[test]
fn later_linux_measures_against_the_base() {
    // 20 * 20/120 = 3.333 or 20 * 20/100 = 4: with beta 3.5 only the second is too much
    for (diff, expected) in [("over_rtt", 20_000.0), ("over_base", 19_000.0)] {
        let mut config = with(&[("vegas_impl", "linux"), ("vegas_diff", diff)]);
        config.set_number("vegas_beta", 3.5).unwrap();
        let (mut vegas, path) = at(&config, 20.0, 2.0);
        end_round(&mut vegas, &path, 120, 20.0);
        assert_eq!(vegas.cwnd(), expected);
    }
}

#[test]
fn linux_leaves_slow_start_at_the_target() {
    // 20 * 100/120 + 1 = 17.667, rounded down
    let (mut vegas, path) = at(&with(&[("vegas_impl", "linux")]), 20.0, 64.0);
    end_round(&mut vegas, &path, 120, 20.0);
    assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(17_000.0), Bytes(17_000.0)));
}

#[test]
fn with_two_samples_linux_counts_the_ack_that_ends_the_round_as_reno() {
    let (mut vegas, path) = at(&with(&[("vegas_impl", "linux")]), 2.0, 2.0);
    let round = Some(Round { length: Span::from_millis(200), sent: Bytes(20_000.0) });
    let ends = Ack { rtt: Some(Span::from_millis(200)), round, ..ack(1000.0) };
    // a window of two grows with the second such ACK, and with no other
    for (event, expected) in [(ends, 2000.0), (ack(1000.0), 2000.0), (ends, 3000.0), (ack(1000.0), 3000.0)] {
        vegas.on_ack(&event, &path);
        assert_eq!(vegas.cwnd(), expected);
    }
}

#[test]
fn a_decision_adds_one_segment_and_keeps_ssthresh_near() {
    // nothing queues: 20 becomes 21, and ssthresh 10 + 5
    let (mut vegas, path) = at(&with(&[("vegas_impl", "linux")]), 20.0, 2.0);
    end_round(&mut vegas, &path, 100, 20.0);
    assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(21_000.0), Bytes(15_000.0)));
}

#[test]
fn half_of_seven_segments_is_three() {
    for (name, value, halved) in [("vegas_impl", "linux", 3000.0), ("vegas_diff", "over_rtt", 3500.0)] {
        let (mut vegas, path) = at(&with(&[(name, value)]), 7.0, 2.0);
        let loss = Congestion { cause: Cause::EcnMark, halving: path.halving(Bytes(7000.0)), ..dup_acks() };
        vegas.on_congestion(&loss, &path);
        assert_eq!((vegas.cwnd(), vegas.ssthresh()), (Bytes(halved), Bytes(halved)));
    }
}
