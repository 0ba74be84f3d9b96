//! What Linux's sender does beyond the RFCs: old ACKs, marks, duplicates without SACK, and PSH.

use cc::registry::Recovery;
use tcp::{Config, CwndLimited, Flags, HalfBase, IdleRestart, Profile, Role};
use units::Span;

use crate::host::Host;

/// A sender with RACK-TLP and PRR whose details are Linux's, or not.
fn rack(cwnd: u32, as_linux: bool, change: impl FnOnce(&mut Config)) -> Host {
    Host::rfc("newreno", cwnd, |c| {
        (c.recovery, c.prr, c.linux_recovery) = (Some(Recovery::RackTlp), true, as_linux);
        c.half_base = HalfBase::Cwnd;
        change(c);
    })
}

/// 5 and 6 are SACKed by an ACK of 3 that arrives behind that of 4.
#[test]
fn sack_blocks_count_on_an_ack_that_was_overtaken() {
    for (as_linux, sacked) in [(true, 2), (false, 0)] {
        let mut h = rack(12, as_linux, |_| {});
        h.write(40_000);
        h.taken();
        h.at(100);
        h.ack(4);
        h.taken();
        h.sack(3, &[(5, 7)]);
        assert_eq!(h.end.sender.known().unwrap().sacked, sacked);
        assert_eq!(h.end.sender.snd_una(), 4);
        // what it acknowledges, or SACKs below that, says nothing
        h.sack(2, &[(2, 4)]);
        assert_eq!(h.end.sender.known().unwrap().sacked, sacked);
    }
}

/// Ten segments, the ACK of the first with a mark: 5 is the new window, and of ten that arrive five leave:
/// ceil(k * 5 / 10) after k. The ACK of what left after the mark ends it.
#[test]
fn after_a_mark_the_flight_comes_down_in_proportion() {
    let mut h = rack(10, true, |c| c.ecn = true);
    h.write(40_000);
    h.sent(0..10);
    h.at(100);
    h.ece(1);
    h.windows(5.0, 5.0);
    h.sent([10]); // ceil(0.5)
    assert!(h.end.sender.comes_down());
    h.ack(2);
    h.silent(); // ceil(1.0) = 1, sent already
    h.ack(3);
    h.sent([11]); // ceil(1.5) = 2
    h.ack(10);
    h.sent([12, 13, 14]); // ceil(5.0) = 5
    h.windows(5.0, 5.0);
    h.at(200);
    h.ack(11);
    assert!(!h.end.sender.comes_down());
    h.sent([15]);
}

/// A loss meanwhile is paid for already, and the share goes on from where it is.
#[test]
fn a_recovery_takes_over_what_a_mark_has_begun() {
    let mut h = rack(10, true, |c| c.ecn = true);
    h.write(40_000);
    h.taken();
    h.at(100);
    h.ece(1);
    h.sent([10]);
    h.sack(1, &[(2, 5)]); // 1 is lost; four have arrived, ceil(2.0) = 2
    h.sent([1]);
    h.windows(5.0, 5.0);
    assert!(!h.end.sender.comes_down() && h.end.sender.in_recovery());
}

/// Two duplicates and the ACK of three segments: one is new, so that slow start adds one; otherwise as many as L lets
/// it.
#[test]
fn without_sack_a_duplicate_is_a_segment_that_has_arrived() {
    for (as_linux, window) in [(true, 11.0), (false, 12.0)] {
        let mut h = Host::rfc("newreno", 10, |c| (c.linux_recovery, c.initial_ssthresh) = (as_linux, Some(100)));
        h.write(40_000);
        h.at(100);
        h.acks(0, 2);
        h.ack(3);
        h.windows(window, 100.0);
    }
}

/// The fourth segment comes after the tenth, seven above it: what that SACK delivers lets the window grow, as the eight
/// that the ACK delivers.
#[test]
fn beyond_the_threshold_of_reordering_a_sack_is_as_good_as_an_ack() {
    for (as_linux, window) in [(true, 19.0), (false, 18.0)] {
        let mut h = rack(10, as_linux, |c| (c.initial_ssthresh, c.ss_limit) = (Some(100), u32::MAX));
        h.write(40_000);
        h.at(100);
        h.sack(0, &[(9, 10)]);
        h.sack(0, &[(3, 4), (9, 10)]);
        h.ack(10);
        h.windows(window, 100.0);
    }
}

/// Half of the window is 32 segments: 33 are the first beyond it. The last one carries
/// PSH as well, and a segment that is sent again carries what it did.
#[test]
fn psh_is_set_at_half_a_window_and_at_the_end() {
    let mut h = Host::rfc("newreno", 50, |c| (c.push, c.window) = (256, 65));
    h.write(40_000);
    let pushed = |h: &mut Host| {
        let sent = h.taken();
        sent.iter().filter(|s| s.flags.has(Flags::PSH)).map(|s| s.seq).collect::<Vec<_>>()
    };
    assert_eq!(pushed(&mut h), [32, 39]);
    h.at(100);
    h.ack(32);
    h.acks(32, 3);
    assert_eq!(pushed(&mut h), [32]);
}

/// The receiver offers 10 segments: slow start goes on to twice what is outstanding, avoidance no further than to the
/// end of the round in which cwnd was the smaller one.
#[test]
fn a_window_that_the_receiver_limits_does_not_grow() {
    for (ssthresh, least, most) in [(1000, 20.0, 20.0), (4, 10.0, 12.0)] {
        let mut h = rack(4, true, |c| {
            (c.cwnd_limited, c.window, c.initial_ssthresh) = (CwndLimited::Linux, 10, Some(ssthresh));
        });
        h.write(1_000_000);
        for ack in 1..500 {
            h.at(u64::from(ack) * 10);
            h.taken();
            h.ack(ack);
        }
        let cwnd = h.end.sender.cwnd();
        assert!((least..=most).contains(&cwnd), "{ssthresh}: {cwnd}");
    }
}

/// The window grows from 2 to 12 segments, each RTT of 100 ms as far as it is used, with 8 as threshold. Then nothing
/// leaves for so long, with a timeout of 1 s: the windows with which the next segment does.
fn after_a_pause(ms: u64, rule: IdleRestart) -> (f64, f64) {
    let mut h = rack(2, true, |c| (c.slow_start_restart, c.initial_ssthresh) = (rule, Some(8)));
    let (mut now, mut sent) = (0, 0);
    while h.end.sender.cwnd() < 12.0 {
        let window = h.end.sender.cwnd() as u32;
        h.write(u64::from(window) * 1000);
        (now, sent) = (now + 100, sent + window);
        h.at(now);
        h.ack(sent);
    }
    h.at(now - 100 + ms);
    h.write(1000);
    (h.end.sender.cwnd().floor(), h.end.sender.ssthresh_segments())
}

/// ssthresh remembers 12 / 2 + 12 / 4 = 9.
#[test]
fn a_pause_halves_the_window_for_each_timeout() {
    for (ms, rule, windows) in [
        (1000, IdleRestart::Linux, (12.0, 8.0)), // no longer than the timeout
        (1001, IdleRestart::Linux, (6.0, 9.0)),
        (2000, IdleRestart::Linux, (6.0, 9.0)),
        (2001, IdleRestart::Linux, (3.0, 9.0)),
        (3001, IdleRestart::Linux, (2.0, 9.0)), // the initial window
        (9001, IdleRestart::Linux, (2.0, 9.0)),
        (1001, IdleRestart::On, (2.0, 8.0)), // RFC 5681
        (9001, IdleRestart::Off, (12.0, 8.0)),
    ] {
        assert_eq!(after_a_pause(ms, rule), windows, "{ms} ms, {rule:?}");
    }
}

/// 0 is lost, and left again at 100 ms. Its arrival at 200 ms tells that 9, which left at 0 ms and is above all that is
/// SACKed, is lost, too (RFC 8985 section 6.2, step 5); what left at 100 ms is not late.
#[test]
fn a_repair_that_arrives_overtook_what_left_before_it() {
    for as_linux in [true, false] {
        let mut h = rack(10, as_linux, |_| {});
        h.write(40_000);
        h.sent(0..10);
        h.at(100);
        h.sack(0, &[(1, 9)]);
        assert_eq!(h.taken()[0].seq, 0);
        h.at(200);
        h.ack(9);
        assert_eq!(h.taken().iter().filter(|segment| segment.seq == 9).count(), 1);
    }
}

/// A segment of the handshake takes 20 ms, one with data 100 ms: what is overtaken by one that left 6 ms later is late
/// by more than 20 / 4 ms, but not by 100 / 4. The least RTT is that of all that were measured (RFC 8985 section 6.2,
/// step 1).
#[test]
fn the_handshake_counts_for_the_least_rtt() {
    for as_linux in [true, false] {
        let config = Config { linux_recovery: as_linux, ..Config::profile(Profile::Linux) };
        let mut h = Host::closed(config, "newreno", Role::Active { peer_sends: false }, |_| {});
        h.handshake(Span::from_millis(20));
        h.taken();
        h.write(2000);
        h.sent([0, 1]);
        h.at(6);
        h.write(1000);
        h.sent([2]);
        h.at(100);
        h.ack(1);
        h.at(106);
        h.sack(1, &[(2, 3)]);
        assert_eq!(h.end.sender.known().unwrap().lost, 1);
    }
}

/// A sender of the profile with another core, ten segments wide and in congestion avoidance.
fn with_core(core: Recovery, change: impl FnOnce(&mut Config)) -> Host {
    let rules = Config { recovery: Some(core), ..Config::profile(Profile::Linux) };
    let mut h = Host::open(rules, "newreno", |c| {
        c.initial_ssthresh = Some(10);
        (c.push, c.window) = (0, 200);
        change(c);
    });
    h.write(90_000);
    h.sent(0..10);
    h.at(100);
    h
}

/// Segments 0 and 4 of ten are lost. Two duplicates release a segment each, for one has left the network with each; the
/// third repairs. Of the window of ten five are left: ceil(k * 5 / 10) segments may have left after k duplicates. The
/// ACK of 4 shows that to be lost, which is repaired once that is due.
#[test]
fn without_sack_duplicates_and_partial_acks_repair() {
    let mut h = with_core(Recovery::NewReno, |_| {});
    h.ack(0);
    h.sent([10]);
    h.ack(0);
    h.sent([11]);
    h.ack(0);
    h.sent([0]); // of 12 three have arrived and one is lost: ceil(1 * 5 / 10)
    h.acks(0, 2);
    h.sent([12]); // ceil(3 * 5 / 10) = 2
    h.at(200);
    h.ack_of_stamp(4, 100); // it repairs one and eats three of five duplicates
    assert_eq!(h.end.sender.known().unwrap().lost, 1);
    h.silent(); // in flight are 9 - 2 - 1: ceil(4 * 5 / 10) = 2
    h.ack(4);
    h.silent(); // in flight are 5
    h.ack(4);
    h.sent([4]);
    assert_eq!(h.end.sender.stats().fast_retransmits, 1);
    assert!(h.end.sender.in_recovery());
}

/// All that was sent before the loss is acknowledged, and no more: duplicates of what was sent again in vain must not
/// begin another recovery (RFC 6582 section 3.2). The next ACK ends it.
#[test]
fn without_sack_the_recovery_lasts_until_more_is_acknowledged() {
    let mut h = with_core(Recovery::NewReno, |_| {});
    h.acks(0, 3);
    h.taken();
    h.at(200);
    h.ack_of_stamp(12, 100);
    assert!(h.end.sender.in_recovery());
    let sent = h.end.sender.snd_max();
    h.acks(12, 4);
    assert_eq!(h.end.sender.stats().fast_retransmits, 1);
    assert!(h.taken().iter().all(|segment| segment.seq >= 12), "nothing is sent again");
    h.at(300);
    h.ack_of_stamp(sent, 200);
    assert!(!h.end.sender.in_recovery());
    h.windows(6.0, 5.0); // that ACK of a whole window lets it grow
}

/// Segment 0 was late, not lost: the ACK echoes what left before it was sent again, so that the cut is taken back. It
/// was overtaken by four, and so many duplicates are no loss any more: by 0 to 12, once what waits for an ACK counts.
#[test]
fn without_sack_a_timestamp_takes_the_cut_back() {
    for (stamp, cwnd) in [(0, 10.0), (100, 5.0)] {
        let mut h = with_core(Recovery::NewReno, |_| {});
        h.acks(0, 3);
        h.at(110);
        h.ack_of_stamp(6, stamp);
        assert_eq!(h.end.sender.in_recovery(), cwnd == 5.0);
        assert_eq!(h.end.sender.cwnd(), cwnd);
    }
}

/// Without RACK three SACKs above it tell that segment 0 is lost, and a fourth above 1 that that is. What is lost again
/// only the timer finds, at Linux's RTO: of 100 ms and 200 ms after the repair.
#[test]
fn without_rack_losses_are_counted() {
    let mut h = with_core(Recovery::Sack, |_| {});
    h.sack(0, &[(2, 3)]);
    h.sack(0, &[(2, 4)]);
    h.sent([10, 11]);
    h.sack(0, &[(2, 5)]);
    assert_eq!(h.end.sender.known().unwrap().lost, 2);
    h.sent([0]);
    h.sack(0, &[(2, 6)]);
    h.silent();
    h.sack(0, &[(2, 7)]);
    h.sent([1]);
    h.at(190);
    h.sack(0, &[(1, 12)]); // 1 has arrived again, 0 has not
    assert_eq!(h.end.sender.known().unwrap().resent, 1);
    h.taken();
    assert_eq!(h.timeouts(), 0);
    h.timeout();
    assert_eq!(h.timeouts(), 1);
    assert_eq!(h.taken()[0].seq, 0);
}

/// A duplicate that offers a larger window is none: at the third SACK nothing is lost yet where it is the highest by
/// chance, but new data may leave in its place.
#[test]
fn a_duplicate_with_a_larger_window_does_not_count() {
    for (grows, lost) in [(true, 0), (false, 1)] {
        let mut h = with_core(Recovery::NewReno, |_| {});
        for _ in 0..3 {
            h.peer_window += u32::from(grows);
            h.ack(0);
        }
        assert_eq!(h.end.sender.known().unwrap().lost, lost);
    }
}

/// The timer expires, and the first ACK is of what was sent once before: it was for nothing (F-RTO, RFC 5682), without
/// SACK as well.
#[test]
fn without_sack_an_early_timeout_is_taken_back() {
    for (core, answers) in [(Recovery::NewReno, true), (Recovery::Sack, true), (Recovery::NewReno, false)] {
        let mut h = with_core(core, |c| c.timestamps = false);
        h.timeout();
        h.sent([0]);
        h.windows(1.0, 5.0);
        h.ack(1); // only that: it is open which copy it was, and new data ask
        h.sent([10, 11]);
        if answers {
            h.ack(3);
            h.windows(10.2, 10.0); // two segments of ten
        } else {
            h.ack(1); // a duplicate: the loss was real
            h.windows(2.0, 5.0);
        }
    }
}

/// A SYN that leaves again is answered with the timestamp of the first one, as long as none was answered before: the
/// RTT counts from there, 1100 ms, and the RTO is 1.1 s and twice that.
#[test]
fn the_answer_to_a_second_syn_echoes_the_first() {
    let config = Config { tail_probes: false, ..Config::profile(Profile::Linux) };
    let mut h = Host::closed(config, "newreno", Role::Active { peer_sends: false }, |_| {});
    let mut peer = Host::closed(config, "newreno", Role::Passive, |_| {});
    h.end.open();
    h.write(0);
    peer.set_now(h.now() + Span::from_millis(50));
    peer.receive(h.taken()[0]);
    assert_eq!(peer.taken().len(), 1); // and lost
    h.timeout();
    let second = h.taken()[0];
    peer.set_now(h.now() + Span::from_millis(50));
    peer.receive(second);
    let answer = peer.taken()[0];
    assert_eq!(answer.ts_ecr, units::Time::ZERO);
    h.set_now(units::Time(1_100_000_000));
    h.receive(answer);
    h.taken();
    h.write(1000);
    assert_eq!(h.end.next_deadline(), units::Time(1_100_000_000 + 3_300_000_000));
    h.windows(10.0, f64::from(1 << 24));
}
