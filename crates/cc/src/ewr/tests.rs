use super::*;
use crate::path::test_path;
use crate::testing::{ack, dup_acks, rto};
use crate::wr::tests::arrival;
use units::Time;

fn config() -> Config {
    Config::named("ewr").unwrap()
}

fn with(parameter: &str, word: &str) -> Config {
    let mut config = config();
    config.set_choice(parameter, word).unwrap();
    config
}

/// Least RTT 100 ms, newest `rtt_ms`.
fn path(rtt_ms: u64) -> Path {
    Path { rtt: Span::from_millis(rtt_ms), ..test_path() }
}

fn near(bytes: Bytes, expected: f64) -> bool {
    (bytes.0 - expected).abs() < 0.1
}

/// At 20 segments in congestion avoidance, with a sample of 1000 B / 8 ms = 125 kB/s: oC = 12.5 segments.
fn fed(config: &Config) -> Ewr {
    let mut ewr = Ewr::new(config);
    ewr.on_init(Bytes(20_000.0), Bytes(2000.0), &path(100));
    ewr.on_ack(&arrival(40_000, 1000.0), &path(100));
    ewr.on_ack(&arrival(40_008, 1000.0), &path(100));
    assert!(near(ewr.arrivals.optimal(&dup_acks(), &path(100)), 12_500.0));
    ewr
}

/// RTT of 100 ms: x = 0. 110 ms: x = 20 * 10/110 = 1.8. 200 ms: x = 20 * 100/200 = 10.
const EMPTY: u64 = 100;
const SOME: u64 = 110;
const FULL: u64 = 200;

/// 98 arrivals at an instant and one loss, of 99 + 1 segments: l = 0.01.
fn one_in_a_hundred(config: &Config) -> Ewr {
    let mut ewr = Ewr::new(config);
    ewr.on_init(Bytes(20_000.0), Bytes(2000.0), &path(100));
    ewr.on_ack(&arrival(40_000, 99_000.0), &path(100));
    ewr.on_congestion(&dup_acks(), &path(FULL));
    assert!((ewr.history.share() - 0.01).abs() < 1e-12);
    ewr
}

#[test]
fn the_sample_is_bounded_by_the_square_root_law() {
    // P = sqrt(3 / 0.02) / 0.1 = 122.47 segments/s with l = 0.01 and an RTT of 100 ms; the next arrival comes after 4
    // ms: 1000 / 0.004 = 250 kB/s
    for (word, expected) in [
        ("capped", 122_474.5),
        ("model", 122_474.5),
        ("wr", 250_000.0),
        ("literal", 30_618_621.8), // 122.47 * 1000 / 0.004
    ] {
        let mut ewr = one_in_a_hundred(&with("ewr_sample", word));
        ewr.on_ack(&arrival(40_004, 1000.0), &path(100));
        let rate = ewr.arrivals.fitting(&path(100)).unwrap().0 / 0.1;
        assert!((rate / expected - 1.0).abs() < 1e-6, "{word}: {rate}");
    }
    // an arrival after 10 ms is slower than the law: 1000 / 0.01 = 100 kB/s
    for (word, expected) in [("capped", 100_000.0), ("model", 122_474.5)] {
        let mut ewr = one_in_a_hundred(&with("ewr_sample", word));
        ewr.on_ack(&arrival(40_010, 1000.0), &path(100));
        let rate = ewr.arrivals.fitting(&path(100)).unwrap().0 / 0.1;
        assert!((rate / expected - 1.0).abs() < 1e-6, "{word}: {rate}");
    }
}

#[test]
fn without_congestive_losses_every_form_is_wr() {
    for word in ["capped", "model", "wr", "literal"] {
        let mut ewr = fed(&with("ewr_sample", word));
        ewr.on_congestion(&dup_acks(), &path(EMPTY)); // wireless: does not count
        assert_eq!(ewr.history.share(), 0.0);
    }
}

#[test]
fn the_history_may_be_shorter() {
    let mut short = config();
    short.set_number("ewr_window", 50.0).unwrap();
    let mut ewr = Ewr::new(&short);
    ewr.on_init(Bytes(20_000.0), Bytes(2000.0), &path(100));
    ewr.on_ack(&arrival(40_000, 99_000.0), &path(100));
    ewr.on_congestion(&dup_acks(), &path(FULL));
    assert!((ewr.history.share() - 0.02).abs() < 1e-12);
}

#[test]
fn duplicate_acks_size_the_window_to_the_estimate_whatever_the_queue() {
    for rtt_ms in [EMPTY, SOME, FULL] {
        let mut ewr = fed(&config());
        assert_eq!(ewr.on_congestion(&dup_acks(), &path(rtt_ms)), Response::Reduced);
        assert!(near(ewr.cwnd(), 12_500.0) && near(ewr.ssthresh(), 12_500.0));
    }
    // upwards, too
    let mut ewr = fed(&config());
    ewr.set_cwnd(Bytes(5000.0));
    ewr.on_congestion(&dup_acks(), &path(EMPTY));
    assert!(near(ewr.cwnd(), 12_500.0));
}

#[test]
fn a_timeout_is_answered_three_ways() {
    // wireless: goes on at oC
    let mut ewr = fed(&config());
    assert_eq!(ewr.on_congestion(&rto(1), &path(EMPTY)), Response::ReducedAsRandom);
    assert!(near(ewr.cwnd(), 12_500.0) && near(ewr.ssthresh(), 12_500.0));
    // between: nothing changes
    let mut ewr = fed(&config());
    assert_eq!(ewr.on_congestion(&rto(1), &path(SOME)), Response::Undecided);
    assert_eq!((ewr.cwnd(), ewr.ssthresh()), (Bytes(20_000.0), Bytes(2000.0)));
    // congestion: starts over
    let mut ewr = fed(&config());
    assert_eq!(ewr.on_congestion(&rto(1), &path(FULL)), Response::Reduced);
    assert!(ewr.cwnd() == 1000.0 && near(ewr.ssthresh(), 12_500.0));
}

#[test]
fn the_thresholds_are_parameters() {
    let mut moved = config();
    moved.set_number("ewr_alpha", 2.0).unwrap();
    // x = 1.8 < 2: wireless
    assert_eq!(fed(&moved).on_congestion(&rto(1), &path(SOME)), Response::ReducedAsRandom);
    let mut moved = config();
    moved.set_number("ewr_beta", 1.5).unwrap();
    // x = 1.8 > 1.5: congestion
    assert_eq!(fed(&moved).on_congestion(&rto(1), &path(SOME)), Response::Reduced);
}

#[test]
fn the_printed_labels_are_the_other_way_round() {
    let literal = with("ewr_label", "literal");
    let mut ewr = fed(&literal);
    assert_eq!(ewr.on_congestion(&rto(1), &path(EMPTY)), Response::Reduced);
    assert_eq!(ewr.cwnd(), 1000.0);
    assert_eq!(fed(&literal).on_congestion(&rto(1), &path(FULL)), Response::ReducedAsRandom);
}

#[test]
fn a_congestion_timeout_may_keep_the_optimal_window() {
    let ocwnd = with("ewr_rto_cong", "ocwnd");
    let mut ewr = fed(&ocwnd);
    assert_eq!(ewr.on_congestion(&rto(1), &path(FULL)), Response::Reduced);
    assert!(near(ewr.cwnd(), 12_500.0) && near(ewr.ssthresh(), 12_500.0));
    // never upwards: 10 segments, x = 10 * 1/2 = 5 would be between, so the RTT is 2 s: x = 9.5
    let mut ewr = fed(&ocwnd);
    ewr.set_cwnd(Bytes(10_000.0));
    ewr.on_congestion(&rto(1), &path(2000));
    assert_eq!(ewr.cwnd(), 10_000.0);
}

#[test]
fn the_prose_of_the_recovery_adds_windows() {
    // sent at 0.9 s, expired at 2 s: T_loss = 1.1 s, W = 11, 20 + 11 * 12.5 = 157.5, bounded by 2 * 12.5 = 25
    let add = with("eer", "add");
    let mut ewr = fed(&add);
    assert_eq!(ewr.on_congestion(&rto(1), &path(EMPTY)), Response::Random);
    assert!(near(ewr.cwnd(), 25_000.0) && near(ewr.ssthresh(), 12_500.0));
    let mut wide = add;
    wide.set_number("eer_cap", 100.0).unwrap();
    let mut ewr = fed(&wide);
    ewr.on_congestion(&rto(1), &path(EMPTY));
    assert!(near(ewr.cwnd(), 157_500.0));
    // T_loss = 0.21 s: W = 2, 20 + 25 = 45; the receiver's window of 30 segments bounds it
    let late = Congestion { sent_at: Some(Time::from_secs(1.79)), ..rto(1) };
    let mut ewr = fed(&wide);
    ewr.on_congestion(&late, &path(EMPTY));
    assert!(near(ewr.cwnd(), 45_000.0));
    let mut ewr = fed(&wide);
    ewr.on_congestion(&late, &Path { rwnd: Bytes(30_000.0), ..path(EMPTY) });
    assert_eq!(ewr.cwnd(), 30_000.0);
}

#[test]
fn a_repeated_timeout_is_judged_as_the_first() {
    let mut ewr = fed(&config());
    ewr.on_congestion(&rto(1), &path(FULL));
    // one segment: x = 1 * 1/2 would be wireless
    assert_eq!(ewr.on_congestion(&rto(2), &path(FULL)), Response::Reduced);
    assert_eq!(ewr.cwnd(), 1000.0);
    assert_eq!(ewr.history.lost(), 1);
}

#[test]
fn before_an_rtt_a_timeout_is_congestion_and_the_window_is_halved() {
    let unknown = Path { rtt: Span::ZERO, rtt_min: Span::ZERO, ..test_path() };
    let mut ewr = Ewr::new(&config());
    ewr.on_init(Bytes(10_000.0), Bytes(64_000.0), &unknown);
    assert_eq!(ewr.on_congestion(&rto(1), &unknown), Response::Reduced);
    assert_eq!((ewr.cwnd(), ewr.ssthresh()), (Bytes(1000.0), Bytes(5000.0)));
}

#[test]
fn growth_follows_the_backlog_as_vegas_does() {
    // x = 0: 20 + 1/20; x = 1.8: held; x = 10: down to oC
    let vegas = with("ewr_growth", "vegas");
    for (rtt_ms, expected) in [(EMPTY, 20_050.0), (SOME, 20_000.0), (FULL, 12_500.0)] {
        let mut ewr = fed(&vegas);
        ewr.on_ack(&ack(1000.0), &path(rtt_ms));
        assert!(near(ewr.cwnd(), expected), "{:?} at {rtt_ms} ms", ewr.cwnd());
    }
    // no slow start after a decrease, even below ssthresh
    let mut ewr = fed(&vegas);
    ewr.ssthresh = Bytes(15_000.0);
    ewr.on_ack(&ack(1000.0), &path(FULL));
    assert!(near(ewr.cwnd(), 12_500.0) && near(ewr.ssthresh(), 12_500.0));
    // slow start does not ask
    let mut ewr = fed(&vegas);
    ewr.ssthresh = Bytes(64_000.0);
    ewr.on_ack(&ack(1000.0), &path(FULL));
    assert_eq!(ewr.cwnd(), 21_000.0);
}

#[test]
fn growth_is_renos_or_one_per_packet() {
    // 20 + 1/20, whatever the backlog
    for (config, expected) in [(config(), 20_050.0), (with("ewr_growth", "plus_one"), 21_000.0)] {
        let mut ewr = fed(&config);
        ewr.on_ack(&ack(1000.0), &path(FULL));
        assert_eq!(ewr.cwnd(), expected);
    }
}

#[test]
fn the_base_rtt_may_be_the_papers_nine_milliseconds() {
    // 20 * (1 - 9/100) = 18.2 > 9: congestion even on an empty queue
    let mut ewr = fed(&with("ewr_base", "fixed"));
    assert!((ewr.backlog(&path(EMPTY)).unwrap() - 18.2).abs() < 1e-9);
    assert_eq!(ewr.on_congestion(&rto(1), &path(EMPTY)), Response::Reduced);
    // another one: 20 * (1 - 80/100) = 4: between; and an RTT below it is no backlog
    let mut fixed = with("ewr_base", "fixed");
    fixed.set_number("ewr_min_rtt", 0.080).unwrap();
    assert_eq!(fed(&fixed).on_congestion(&rto(1), &path(EMPTY)), Response::Undecided);
    assert_eq!(fed(&fixed).backlog(&path(70)), Some(0.0));
}

#[test]
fn a_held_threshold_stays() {
    let mut ewr = fed(&config());
    ewr.on_congestion(&rto(1), &path(EMPTY));
    ewr.ssthresh = Bytes(9000.0);
    ewr.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }, &path(EMPTY));
    assert!(ewr.ssthresh() == 9000.0 && near(ewr.cwnd(), 12_500.0));
}

#[test]
fn a_backlog_of_alpha_or_beta_is_between() {
    // 20 * (1 - 100/200) = 10 exactly
    let bounds = |alpha, beta| {
        let mut config = with("ewr_growth", "vegas");
        config.set_number("ewr_alpha", alpha).unwrap();
        config.set_number("ewr_beta", beta).unwrap();
        config
    };
    for (alpha, beta, judged, grown) in [
        (10.0, 20.0, Response::Undecided, 20_000.0),
        (10.001, 20.0, Response::ReducedAsRandom, 20_050.0),
        (1.0, 10.0, Response::Undecided, 20_000.0),
        (1.0, 9.999, Response::Reduced, 12_500.0),
    ] {
        assert_eq!(fed(&bounds(alpha, beta)).on_congestion(&rto(1), &path(FULL)), judged, "{alpha} {beta}");
        let mut ewr = fed(&bounds(alpha, beta));
        ewr.on_ack(&ack(1000.0), &path(FULL));
        assert!(near(ewr.cwnd(), grown), "{:?} with {alpha} {beta}", ewr.cwnd());
    }
}

#[test]
fn a_window_at_its_threshold_asks_the_backlog() {
    // slow start would add a segment
    let mut ewr = fed(&with("ewr_growth", "vegas"));
    ewr.ssthresh = Bytes(20_000.0);
    ewr.on_ack(&ack(1000.0), &path(EMPTY));
    assert!(near(ewr.cwnd(), 20_050.0));
}

#[test]
fn a_mark_is_no_loss_but_cuts_as_one() {
    let mut ewr = fed(&config());
    let mark = Congestion { cause: Cause::EcnMark, ..dup_acks() };
    assert_eq!(ewr.on_congestion(&mark, &path(FULL)), Response::Reduced);
    assert!(near(ewr.cwnd(), 12_500.0));
    assert_eq!(ewr.history.lost(), 0);
}

#[test]
fn a_recovery_to_the_very_window_it_had_cut_nothing() {
    let mut ewr = fed(&config());
    let optimal = ewr.arrivals.optimal(&dup_acks(), &path(EMPTY));
    ewr.set_cwnd(optimal);
    assert_eq!(ewr.on_congestion(&rto(1), &path(EMPTY)), Response::Random);
}

#[test]
fn eer_adds_nothing_where_no_least_rtt_or_sending_time_is_known() {
    // cwnd 20, cap 100 * 12.5: W = 0 leaves 20
    let mut add = with("eer", "add");
    add.set_number("eer_cap", 100.0).unwrap();
    let mut ewr = fed(&add);
    ewr.on_congestion(&Congestion { sent_at: None, ..rto(1) }, &path(EMPTY));
    assert_eq!(ewr.cwnd(), 20_000.0);
    // an RTT less than the least: none was lost for as long
    let mut ewr = fed(&add);
    ewr.on_congestion(&Congestion { sent_at: Some(Time::from_secs(1.901)), ..rto(1) }, &path(EMPTY));
    assert_eq!(ewr.cwnd(), 20_000.0);
}
