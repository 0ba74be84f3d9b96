use super::*;
use crate::path::test_path;
use crate::testing::{ack, dup_acks, rto};

fn config() -> Config {
    Config::named("westwood-plus-ho").unwrap()
}

fn ms(ms: u64) -> Time {
    Time(ms * 1_000_000)
}

/// Window 10 segments, ssthresh 4. ACKs of one segment every 20 ms until 100 ms: six in 100 ms, 60 kB/s, with the least
/// RTT of 100 ms a window of 6 segments.
fn fed(config: &Config) -> WestwoodPlusHo {
    let mut w = WestwoodPlusHo::new(config);
    w.on_init(Bytes(10_000.0), Bytes(4000.0), &test_path());
    for k in 0..6 {
        w.on_ack(&Ack { now: ms(k * 20), grows: false, ..ack(1000.0) }, &test_path());
    }
    assert_eq!(w.plain.fitting(&test_path()), Some(Bytes(6000.0)));
    w
}

fn at(now: Time, event: Congestion) -> Congestion {
    Congestion { now, ..event }
}

const RTO: Span = Span::from_millis(300);

fn begin(w: &mut WestwoodPlusHo, now: Time, path: &Path) {
    w.on_signal(&Signal::HandoverStart { now, rto: RTO }, path);
}

fn end(w: &mut WestwoodPlusHo, now: Time, path: &Path) {
    w.on_signal(&Signal::HandoverEnd { now, rto: RTO }, path);
}

fn windows(w: &WestwoodPlusHo) -> (f64, f64) {
    (w.cwnd().0, w.ssthresh().0)
}

#[test]
fn without_a_handover_it_is_westwood_plus() {
    let mut w = fed(&config());
    assert_eq!(w.on_congestion(&dup_acks(), &test_path()), Response::Reduced);
    assert_eq!(windows(&w), (6000.0, 6000.0));
    w.on_recovery_exit(&RecoveryExit { now: ms(1100), window: Bytes(5000.0), inflated: false }, &test_path());
    assert_eq!(w.cwnd(), 5000.0);
    assert_eq!(w.on_congestion(&rto(1), &test_path()), Response::Reduced);
    assert_eq!(windows(&w), (1000.0, 6000.0));
    // an end without a start means nothing
    end(&mut w, ms(2500), &test_path());
    assert!(windows(&w) == (1000.0, 6000.0) && w.frozen(ms(2500)).is_none());
}

#[test]
fn losses_during_a_handover_leave_the_window_alone() {
    let mut w = fed(&config());
    begin(&mut w, ms(200), &test_path());
    assert!(w.frozen(ms(200)).is_some());
    assert_eq!(w.on_congestion(&at(ms(300), dup_acks()), &test_path()), Response::Random);
    assert_eq!(w.on_congestion(&at(ms(600), rto(1)), &test_path()), Response::Random);
    assert_eq!(w.on_congestion(&at(ms(900), rto(2)), &test_path()), Response::Random);
    let mark = Congestion { cause: Cause::EcnMark, ..dup_acks() };
    assert_eq!(w.on_congestion(&at(ms(900), mark), &test_path()), Response::Undecided);
    // no growth, no idle restart, no samples: a jump of ten segments would be one
    w.on_ack(&Ack { now: ms(950), ..ack(10_000.0) }, &test_path());
    w.set_cwnd(Bytes(2000.0));
    assert_eq!(windows(&w), (10_000.0, 4000.0));
    assert_eq!(w.plain.fitting(&test_path()), Some(Bytes(6000.0)));
}

#[test]
fn the_end_restores_the_window_and_lifts_the_threshold_to_the_estimate() {
    let mut w = fed(&config());
    begin(&mut w, ms(200), &test_path());
    end(&mut w, ms(700), &test_path());
    // max(4, 60 kB/s * 100 ms)
    assert_eq!(windows(&w), (10_000.0, 6000.0));
    // a larger threshold stands
    let mut w = fed(&config());
    w.plain.set_windows(Windows { cwnd: Bytes(10_000.0), ssthresh: Bytes(50_000.0) });
    begin(&mut w, ms(200), &test_path());
    end(&mut w, ms(700), &test_path());
    assert_eq!(windows(&w), (10_000.0, 50_000.0));
}

#[test]
fn the_guard_lasts_one_timeout_after_the_end() {
    let mut short = config();
    short.set_number("ho_guard", 0.5).unwrap();
    // end at 700 ms: until 700 + 300, or 700 + 150
    for (config, last, first) in [(config(), 999, 1000), (short, 849, 850)] {
        let mut w = fed(&config);
        begin(&mut w, ms(200), &test_path());
        end(&mut w, ms(700), &test_path());
        assert!(w.frozen(ms(last)).is_some() && w.frozen(ms(first)).is_none());
        assert_eq!(w.on_congestion(&at(ms(last), dup_acks()), &test_path()), Response::Random);
        assert_eq!(w.cwnd(), 10_000.0);
        assert_eq!(w.on_congestion(&at(ms(first), dup_acks()), &test_path()), Response::Reduced);
        assert_eq!(w.cwnd(), 6000.0);
    }
}

#[test]
fn a_recovery_that_began_frozen_ends_with_the_window_kept() {
    let mut w = fed(&config());
    begin(&mut w, ms(200), &test_path());
    end(&mut w, ms(700), &test_path());
    w.on_congestion(&at(ms(900), dup_acks()), &test_path());
    // after the guard: deflation, then the end
    w.on_ack(&Ack { now: ms(1100), grows: false, in_recovery: true, ..ack(1000.0) }, &test_path());
    w.set_cwnd(Bytes(3000.0));
    w.on_recovery_exit(&RecoveryExit { now: ms(1200), window: Bytes(2000.0), inflated: false }, &test_path());
    assert_eq!(w.cwnd(), 10_000.0);
    // one that began before the handover and ends in it
    let mut w = fed(&config());
    w.on_congestion(&at(ms(150), dup_acks()), &test_path());
    begin(&mut w, ms(200), &test_path());
    w.on_recovery_exit(&RecoveryExit { now: ms(300), window: Bytes(2000.0), inflated: false }, &test_path());
    assert_eq!(w.cwnd(), 6000.0);
}

#[test]
fn samples_begin_anew_after_the_guard() {
    let mut w = fed(&config());
    begin(&mut w, ms(200), &test_path());
    end(&mut w, ms(700), &test_path());
    // two segments at 1000 and 1100 ms: 2000 B in 100 ms: 0.9 * 60 + 0.1 * 20 = 56 kB/s, as if nothing had come since
    // 100 ms
    for now in [950, 1000, 1100] {
        w.on_ack(&Ack { now: ms(now), grows: false, ..ack(1000.0) }, &test_path());
    }
    assert!((w.plain.fitting(&test_path()).unwrap().0 - 5600.0).abs() < 1e-6);
}

#[test]
fn segments_announced_while_frozen_are_not_counted_after_it() {
    let mut w = fed(&config());
    begin(&mut w, ms(200), &test_path());
    for _ in 0..3 {
        w.on_ack(&Ack { now: ms(300), ..ack(0.0) }, &test_path());
    }
    end(&mut w, ms(700), &test_path());
    // at 1000 ms an ACK that jumps over 4, three of them announced: 1 segment; then 1 more: 20 kB/s as above
    w.on_ack(&Ack { now: ms(1000), grows: false, ..ack(4000.0) }, &test_path());
    w.on_ack(&Ack { now: ms(1100), grows: false, ..ack(1000.0) }, &test_path());
    assert!((w.plain.fitting(&test_path()).unwrap().0 - 5600.0).abs() < 1e-6);
}

#[test]
fn a_timeout_shortly_before_the_warning_is_taken_back() {
    let mut keeps = config();
    keeps.set_flag("ho_rollback", false).unwrap();
    // timeouts at 200 and (again) 500 ms; the RTO is 300 ms: warned in time at 800 ms, too late at 801
    for (config, warned, expected) in
        [(config(), 800, (10_000.0, 4000.0)), (config(), 801, (1000.0, 6000.0)), (keeps, 800, (1000.0, 6000.0))]
    {
        let mut w = fed(&config);
        w.on_congestion(&at(ms(200), rto(1)), &test_path());
        w.on_congestion(&at(ms(500), Congestion { hold_ssthresh: true, ..rto(2) }), &test_path());
        begin(&mut w, ms(warned), &test_path());
        assert_eq!(windows(&w), expected);
    }
}

#[test]
fn a_second_warning_changes_nothing() {
    let mut w = fed(&config());
    begin(&mut w, ms(200), &test_path());
    let once = w.clone();
    begin(&mut w, ms(300), &test_path());
    assert_eq!(w, once);
    // but one within the guard time freezes again
    end(&mut w, ms(700), &test_path());
    begin(&mut w, ms(800), &test_path());
    assert!(w.frozen(ms(5000)).is_some());
    assert_eq!(w.cwnd(), 10_000.0);
}

#[test]
fn a_handover_without_an_end_is_a_timeout() {
    let mut w = fed(&config());
    begin(&mut w, ms(200), &test_path());
    assert!(w.frozen(ms(60_199)).is_some() && w.frozen(ms(60_200)).is_none());
    w.on_ack(&Ack { now: ms(60_200), grows: false, ..ack(1000.0) }, &test_path());
    assert_eq!(windows(&w), (1000.0, 6000.0));
    // a shorter limit, and no estimate yet: half of 10
    let mut short = config();
    short.set_number("ho_limit", 1.0).unwrap();
    let mut w = WestwoodPlusHo::new(&short);
    w.on_init(Bytes(10_000.0), Bytes(64_000.0), &test_path());
    begin(&mut w, ms(200), &test_path());
    end(&mut w, ms(1200), &test_path());
    assert_eq!(windows(&w), (1000.0, 5000.0));
    // the forms of Westwood+ have timeouts of their own: under the ns-2 Linux agent Reno's half of 10
    short.set_choice("wp_impl", "ns2linux").unwrap();
    let mut w = fed(&short);
    begin(&mut w, ms(200), &test_path());
    end(&mut w, ms(1200), &test_path());
    assert_eq!(windows(&w), (1000.0, 5000.0));
}

#[test]
fn the_least_rtt_may_be_learned_anew() {
    let mut relearn = config();
    relearn.set_choice("ho_rttmin", "relearn").unwrap();
    let old = test_path(); // least RTT 100 ms
    for (config, expected) in [(config(), 6000.0), (relearn, 9000.0)] {
        let mut w = fed(&config);
        begin(&mut w, ms(200), &old);
        end(&mut w, ms(700), &old);
        assert_eq!(w.ssthresh(), 6000.0); // the old one, until there is a sample
        for rtt_ms in [180, 150] {
            let rtt = Some(Span::from_millis(rtt_ms));
            w.on_ack(&Ack { now: ms(800), rtt, grows: false, ..ack(1000.0) }, &old);
        }
        // 60 kB/s * 100 ms, or * 150 ms
        w.on_congestion(&at(ms(1000), dup_acks()), &old);
        assert_eq!(w.ssthresh(), expected);
    }
}

#[test]
fn the_oldest_segment_is_sent_again_unless_told_otherwise() {
    let mut silent = config();
    silent.set_flag("ho_kick", false).unwrap();
    for (config, thaw) in [(config(), Thaw::Resend), (silent, Thaw::Wait)] {
        let mut w = fed(&config);
        begin(&mut w, ms(200), &test_path());
        assert_eq!(w.frozen(ms(200)), Some(thaw));
    }
}

#[test]
fn the_least_rtt_of_linux_may_be_learned_anew_too() {
    for (word, expected) in [("keep", 6000.0), ("relearn", 9000.0)] {
        let mut linux = config();
        linux.set_choice("wp_impl", "linux").unwrap();
        linux.set_choice("ho_rttmin", word).unwrap();
        let mut w = fed(&linux);
        begin(&mut w, ms(200), &test_path());
        end(&mut w, ms(700), &test_path());
        // the guard is over at 1000 ms; the new path has an RTT of 150 ms: 60 kB/s * 100 ms, or * 150 ms
        let longer = Path { rtt: Span::from_millis(150), ..test_path() };
        w.on_ack(&Ack { now: ms(1001), grows: false, ..ack(1000.0) }, &longer);
        w.on_congestion(&at(ms(1010), rto(1)), &longer);
        assert_eq!(w.ssthresh(), expected);
    }
}

#[test]
fn each_run_of_timeouts_is_taken_back_to_its_own_beginning() {
    let mut w = fed(&config());
    w.on_congestion(&at(ms(200), rto(1)), &test_path());
    w.plain.set_windows(Windows { cwnd: Bytes(7000.0), ssthresh: Bytes(5000.0) });
    w.on_congestion(&at(ms(5000), rto(1)), &test_path());
    begin(&mut w, ms(5100), &test_path());
    assert_eq!(windows(&w), (7000.0, 5000.0));
}

#[test]
fn the_engine_sets_the_window_outside_of_handovers() {
    let mut w = fed(&config());
    w.set_cwnd(Bytes(2000.0));
    assert_eq!(w.cwnd(), 2000.0);
}

#[test]
fn a_handover_without_an_end_halves_todays_window() {
    let mut short = config();
    short.set_number("ho_limit", 1.0).unwrap();
    let mut w = WestwoodPlusHo::new(&short);
    w.on_init(Bytes(10_000.0), Bytes(64_000.0), &test_path());
    begin(&mut w, ms(200), &test_path());
    end(&mut w, ms(1200), &test_path());
    assert_eq!(windows(&w), (1000.0, 5000.0));
}
