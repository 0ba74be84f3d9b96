//! Worked values: 1000-byte segments, an RTT of 100 ms.

use std::vec;
use std::vec::Vec;

use super::*;
use crate::path::test_path;
use crate::testing::{ack, dup_acks, last_of_round, rto};

fn config() -> Config {
    Config::named("cubic-linux").unwrap()
}

fn with(change: impl Fn(&mut Config), cwnd: f64, ssthresh: f64) -> CubicLinux {
    let mut config = config();
    change(&mut config);
    let mut cubic = CubicLinux::new(&config);
    cubic.on_init(Bytes(cwnd), Bytes(ssthresh), &test_path());
    cubic
}

fn at(cwnd: f64, ssthresh: f64) -> CubicLinux {
    with(|_| {}, cwnd, ssthresh)
}

fn hear(cubic: &mut CubicLinux, ms: u64, segments: f64) -> f64 {
    cubic.on_ack(&Ack { now: Time(ms * 1_000_000), ..ack(segments * 1000.0) }, &test_path());
    cubic.cwnd().0 / 1000.0
}

/// Cut at 100 segments, so that 70 are left.
fn after_cut() -> CubicLinux {
    let mut cubic = at(100_000.0, 2000.0);
    cubic.on_congestion(&dup_acks(), &test_path());
    cubic
}

#[test]
fn a_cut_keeps_717_of_1024_rounded_down() {
    let cubic = after_cut();
    // 100 * 717 / 1024 = 70.02
    assert_eq!((cubic.cwnd(), cubic.ssthresh(), cubic.w_max), (Bytes(70_000.0), Bytes(70_000.0), 100));
    // 3 * 717 / 1024 = 2.1; 2 gives 1.4, but 2 is the least
    for cwnd in [3000.0, 2000.0] {
        let mut cubic = at(cwnd, 2000.0);
        cubic.on_congestion(&dup_acks(), &test_path());
        assert_eq!(cubic.ssthresh(), 2000.0);
    }
}

#[test]
fn before_any_loss_20_segments_add_one() {
    let mut cubic = at(74_000.0, 74_000.0);
    let grown: Vec<u64> =
        (1..=60).filter(|n| hear(&mut cubic, 1000 + n * 3 / 2, 1.0) > 73.0 + (*n / 20) as f64).collect();
    // 75, 76 and 77 after 20, 40 and 60
    assert_eq!(cubic.cwnd(), 77_000.0);
    assert!([20, 40, 60].iter().all(|n| grown.contains(n)), "{grown:?}");
}

#[test]
fn the_curve_is_in_whole_segments() {
    let mut cubic = after_cut();
    hear(&mut cubic, 10_000, 1.0);
    let epoch = cubic.epoch.as_ref().unwrap();
    // cbrt(30 * 1024 / 410) = 4.21579 s, 4316.97 of 1/1024 s. Linux's root of 80 452 070 310, 37 bits: the leading four
    // are 9, floor(66.8 * 2.08008 + 0.25) = 139 and 139 / 64 * 2^11 = 4448, and (8896 + floor(80 452 070 310 / (4448 *
    // 4447))) * 341 / 1024 = 4316
    assert_eq!((epoch.k, epoch.origin), (4316, 100));
    // at 0 s 410 * 4316^3 / 2^40 = 29.98: 71; at 2 s 410 * 2268^3 / 2^40 = 4.35: 96; at 6.216 s, which is 6365,
    // 410 * 2049^3 / 2^40 = 3.2: 103
    assert_eq!([0, 2000, 6216].map(|t| epoch.target(t)), [71, 96, 103]);
    // 0.1 s ahead: 4214 away, 410 * 4214^3 / 2^40 = 27.9, so 73 from 70: 70 / 3 = 23
    assert_eq!(epoch.per, 23);
    // far ahead nothing overflows
    assert_eq!(epoch.target(1 << 36), u32::MAX);
}

/// The leading bits of the argument are four, five and six. What Linux's root gives for so many segments below the old
/// window: 59, 52, 9, 10, 13, 18, 28, 37 and 62 lead, and at last 15.
#[test]
fn the_cube_root_is_off_by_a_thousandth_at_most() {
    let of_linux = [
        (3, 2003),
        (21, 3832),
        (30, 4316),
        (35, 4541),
        (44, 4902),
        (60, 5436),
        (90, 6228),
        (120, 6852),
        (200, 8125),
        (51, 5151),
    ];
    for (below, k) in of_linux {
        let root = cube_root((1 << 40) / 410 * below);
        let exact = 1024.0 * num::cbrt(below as f64 * 1024.0 / 410.0);
        assert_eq!(root, k);
        assert!((root as f64 / exact - 1.0).abs() < 0.001, "{below}: {root} for {exact}");
    }
}

#[test]
fn an_acknowledged_segment_is_worth_half_a_segment_at_most() {
    let mut cubic = after_cut();
    hear(&mut cubic, 10_000, 1.0);
    // 10 s later the target is far above: 2 segments per one, and 24 were counted in all
    assert_eq!(hear(&mut cubic, 20_000, 23.0), 82.0);
}

#[test]
fn where_the_curve_is_flat_reno_decides() {
    // at the plateau of 70: 100 * 70 per segment by the curve. Reno needs 70 * 15 / 8 = 131 for one
    let mut cubic = after_cut();
    cubic.w_max = 70;
    for n in 0..131 {
        assert_eq!(hear(&mut cubic, 10_000, 1.0), 70.0, "{n}");
    }
    // 132 are more than 131, so Reno is one ahead: 70 / 1 per segment, and by now 132 were counted
    assert_eq!(hear(&mut cubic, 10_040, 1.0), 71.0);
    let mut alone = with(|c| c.set_flag("cubic_friendly", false).unwrap(), 70_000.0, 2000.0);
    alone.w_max = 70;
    for n in 0..1000 {
        assert_eq!(hear(&mut alone, 10_000 + n / 100, 1.0), 70.0);
    }
}

#[test]
fn the_growth_is_computed_anew_when_the_window_moved_or_after_31_ms() {
    let mut cubic = after_cut();
    hear(&mut cubic, 10_000, 1.0);
    for (ms, per) in [(10_031, 23), (10_032, 23)] {
        hear(&mut cubic, ms, 1.0);
        assert_eq!(cubic.epoch.as_ref().unwrap().per, per);
    }
    assert_eq!(cubic.epoch.as_ref().unwrap().computed, 10_032);
    // 0.4 s and 0.1 ahead: 512 of 1/1024 s, 3802 away, 20.5, so 80 from 70: 70 / 10
    hear(&mut cubic, 10_400, 1.0);
    assert_eq!(cubic.epoch.as_ref().unwrap().per, 7);
}

#[test]
fn fast_convergence_gives_way() {
    let mut cubic = after_cut();
    cubic.set_cwnd(Bytes(80_000.0));
    cubic.on_congestion(&dup_acks(), &test_path());
    // 80 * 1741 / 2048 = 68.007
    assert_eq!(cubic.w_max, 68);
    let mut greedy = with(|c| c.set_flag("cubic_fast_convergence", false).unwrap(), 80_000.0, 2000.0);
    greedy.w_max = 100;
    greedy.on_congestion(&dup_acks(), &test_path());
    assert_eq!(greedy.w_max, 80);
}

#[test]
fn a_timeout_forgets_the_old_window() {
    let mut cubic = after_cut();
    hear(&mut cubic, 10_000, 1.0);
    cubic.on_congestion(&rto(1), &test_path());
    // 70 * 717 / 1024 = 49.01
    assert_eq!((cubic.cwnd(), cubic.ssthresh(), cubic.w_max), (Bytes(1000.0), Bytes(49_000.0), 0));
    assert_eq!((cubic.least, cubic.epoch.clone()), (Span::ZERO, None));
    cubic.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }, &test_path());
    assert_eq!(cubic.ssthresh(), 49_000.0);
}

#[test]
fn a_pause_does_not_count() {
    let mut cubic = after_cut();
    hear(&mut cubic, 10_000, 1.0);
    let idle = Path { flight_size: Bytes::ZERO, ..test_path() };
    // everything is acknowledged at 10.5 s: the last segment left at 10.4 s. The next is acknowledged at 13.5 s
    cubic.on_ack(&Ack { now: Time(10_500_000_000), ..ack(1000.0) }, &idle);
    hear(&mut cubic, 13_500, 1.0);
    assert_eq!(cubic.epoch.as_ref().unwrap().start, 13_000);
    // and what comes after that is no pause
    hear(&mut cubic, 14_500, 1.0);
    assert_eq!(cubic.epoch.as_ref().unwrap().start, 13_000);
}

#[test]
fn delays_of_the_first_second_of_an_epoch_do_not_count() {
    let mut cubic = after_cut();
    let sample = |ms: u64, rtt| Ack { now: Time(ms * 1_000_000), rtt: Some(Span::from_millis(rtt)), ..ack(1000.0) };
    cubic.on_ack(&sample(10_000, 90), &test_path());
    cubic.on_ack(&sample(10_999, 50), &test_path());
    assert_eq!(cubic.least, Span::from_millis(90));
    cubic.on_ack(&sample(11_000, 60), &test_path());
    assert_eq!(cubic.least, Span::from_millis(60));
}

/// Doubles from 10 segments with the ACKs of the reference's trace: a segment per 1.514 ms, an RTT of 101.514 ms at
/// least. Gives the window at which slow start ends, and the time since the first ACK, in microseconds.
fn slow_start(word: &str) -> Option<(f64, u64)> {
    const GAP: u64 = 1514;
    const RTT: u64 = 101_514;
    let mut cubic = with(|c| c.set_choice("hystart", word).unwrap(), 10_000.0, 1e9);
    // when each segment was sent; the link is free again at `free`, both in microseconds
    let mut sent: Vec<u64> = vec![0; 10];
    let (mut free, mut round_end) = (0, 0);
    for n in 0..200 {
        free = (free + GAP).max(sent[n] + GAP);
        let now = free + RTT - GAP;
        let round = if n >= round_end { last_of_round(1000.0).round } else { None };
        round_end = if n >= round_end { sent.len() } else { round_end };
        let rtt = Some(Span((now - sent[n]) * 1000));
        let path = Path { flight_size: Bytes(1000.0 * (sent.len() - n - 1) as f64), ..test_path() };
        cubic.on_ack(&Ack { now: Time(now * 1000), rtt, round, ..ack(1000.0) }, &path);
        if cubic.ssthresh() < 1e9 {
            return Some((cubic.ssthresh().0 / 1000.0, now - RTT));
        }
        while ((sent.len() - n - 1) as f64) < cubic.cwnd().0 / 1000.0 {
            sent.push(now);
        }
    }
    None
}

#[test]
fn slow_start_ends_where_the_reference_ends_it() {
    // cubic-none of the reference: 0.254505 s after the first ACK, with 74 segments; the link takes what is sent
    // after the handshake 65 microseconds later there
    let (window, us) = slow_start("linux").unwrap();
    assert_eq!(window, 74.0);
    assert!((254_505 - 65..=254_505 + 65).contains(&us), "{us}");
    assert_eq!(slow_start("off"), None);
}

#[test]
fn hystart_plus_plus_may_take_its_place() {
    let mut cubic = with(|c| c.set_choice("hystart", "rfc9406").unwrap(), 20_000.0, 1e9);
    for rtt in [100, 120, 120, 120, 120, 120] {
        let rtt = Some(Span::from_millis(rtt));
        (0..9).for_each(|_| cubic.on_ack(&Ack { rtt, ..ack(1000.0) }, &test_path()));
        cubic.on_ack(&Ack { rtt, ..last_of_round(1000.0) }, &test_path());
    }
    assert!(cubic.ssthresh() < 1e9);
}
