//! Recovery with SACK: RFC 6675, and where ns-2's Sack1 differs.

use cc::registry::Recovery;

use crate::host::Host;

/// RFC 6675 section 5, steps 4.1 to 4.5 and C: the pipe decides; section 4, NextSeg(): lost segments first, then new
/// data. Step A: cwnd stays at ssthresh.
#[test]
fn the_pipe_decides_what_leaves() {
    let mut h = Host::rfc("sack", 10, |_| {});
    h.write(40_000);
    h.sent(0..10);
    h.at(100); // 0 and 3 are lost
    h.sack(0, &[(1, 2)]);
    h.sack(0, &[(1, 3)]);
    h.silent();
    h.sack(0, &[(4, 5), (1, 3)]);
    h.sent([0]); // pipe: 3, 5 to 9, and 0 again: 7
    h.windows(5.0, 5.0);
    h.sack(0, &[(4, 6), (1, 3)]);
    h.silent();
    h.sack(0, &[(4, 7), (1, 3)]); // three above 3: lost. Pipe: 7 to 9, and 0
    h.sent([3]);
    h.sack(0, &[(4, 8), (1, 3)]);
    h.sack(0, &[(4, 9), (1, 3)]);
    h.sack(0, &[(4, 10), (1, 3)]);
    h.sent([10, 11, 12]);
    h.at(200);
    h.sack(3, &[(4, 10)]);
    h.sent([13]); // pipe: 3, 10 to 12
    h.ack(10);
    h.sent([14]);
    h.windows(5.0, 5.0);
    h.at(300);
    h.ack(11);
    h.windows(5.2, 5.0);
}

/// RFC 6675 section 5, step 2: "If DupAcks < DupThresh but IsLost (HighACK + 1) returns true -- indicating at least
/// three segments have arrived above the current cumulative acknowledgment point, which is taken to indicate loss -- go
/// to step (4)."
#[test]
fn one_duplicate_that_reports_three_segments_is_enough() {
    let mut h = Host::rfc("sack", 10, |_| {});
    h.write(40_000);
    h.sent(0..10);
    h.at(100);
    h.sack(0, &[(1, 3)]);
    h.silent();
    h.sack(0, &[(1, 5)]);
    h.sent([0]);
}

/// RFC 6675 section 2: a duplicate is "a segment that arrives carrying a SACK block that identifies previously
/// unacknowledged and un-SACKed octets".
#[test]
fn blocks_known_already_are_no_duplicates() {
    let mut h = Host::rfc("sack", 10, |_| {});
    h.write(40_000);
    h.sent(0..10);
    h.at(100);
    (0..9).for_each(|_| h.sack(0, &[(1, 2)]));
    h.acks(0, 9);
    h.silent();
}

/// RFC 6675 section 5: "If the incoming ACK is a duplicate acknowledgment per the definition in Section 2 (regardless
/// of its status as a cumulative acknowledgment), and the TCP is not currently in loss recovery, the TCP MUST increase
/// DupAcks by one".
#[test]
fn an_ack_that_advances_can_be_a_duplicate_too() {
    let mut h = Host::rfc("sack", 10, |_| {});
    h.write(40_000);
    h.sent(0..10);
    h.at(100); // 3 is lost, and the ACKs before this one
    h.sack(3, &[(4, 7)]);
    h.sent([3]); // half of 7 outstanding, pipe: 7 to 9, and 3
    h.windows(3.5, 3.5);
    let mut h = Host::rfc("sack", 10, |_| {});
    h.write(40_000);
    h.at(100);
    h.sack(3, &[(4, 5)]); // the first, with 10 to 12 new data in the window
    h.sack(3, &[(4, 6)]);
    h.sent(0..13);
    h.sack(3, &[(4, 7)]);
    h.sent([3]);
}

/// NextSeg() rule 3: an unSACKed segment below the highest SACKed one, though not known to be lost; rule 4: once, "one
/// segment of up to SMSS octets that MUST include the highest outstanding unSACKed sequence number".
#[test]
fn without_new_data_come_holes_and_one_rescue() {
    let mut h = Host::rfc("sack", 10, |_| {});
    h.write(10_000);
    h.sent(0..10);
    h.at(100); // 0 and 7 are lost
    (2..5).for_each(|end| h.sack(0, &[(1, end)]));
    h.sent([0]);
    h.sack(0, &[(1, 5)]);
    h.sack(0, &[(1, 6)]);
    h.silent(); // pipe 5: 6 to 9, and 0
    h.sack(0, &[(1, 7)]);
    h.sent([9]); // rule 4
    h.sack(0, &[(8, 9), (1, 7)]);
    h.sent([7]); // rule 3
    h.sack(0, &[(8, 10), (1, 7)]);
    h.silent();
    h.at(200);
    h.sack(7, &[(8, 10)]);
    h.silent();
    h.ack(10);
    h.windows(5.0, 5.0);
    // the pipe is empty again: five may leave
    h.write(10_000);
    h.sent(10..15);
}

/// Rule 4 ends: "HighRxt MUST NOT be updated." SetPipe() counts a segment sent again once, so the rescue of one takes
/// no place in the pipe, now or later.
#[test]
fn a_rescue_takes_no_place_in_the_pipe() {
    let mut h = Host::rfc("sack", 10, |_| {});
    h.write(10_000);
    h.sent(0..10);
    h.at(100); // 0 and 1 are lost
    (3..6).for_each(|end| h.sack(0, &[(2, end)]));
    h.sent([0]);
    h.sack(0, &[(2, 10)]);
    h.sent([1, 1]); // rule 1, then rule 4
    h.at(200);
    h.ack(10);
    h.write(90_000);
    h.sent(10..15);
}

/// RFC 6675 section 5.1: a retransmission that is lost is repaired by the timer; the SACK information may be kept.
#[test]
fn a_lost_retransmission_waits_for_the_timer() {
    let mut h = Host::rfc("sack", 10, |_| {});
    h.write(60_000);
    h.sent(0..10);
    h.at(100); // 0 is lost twice, 4 once
    (2..5).for_each(|end| h.sack(0, &[(1, end)]));
    h.sent([0]);
    h.sack(0, &[(5, 6), (1, 4)]);
    h.sack(0, &[(5, 7), (1, 4)]);
    h.silent();
    h.sack(0, &[(5, 8), (1, 4)]); // pipe: 8, 9, and 0
    h.sent([4, 10]);
    h.sack(0, &[(5, 9), (1, 4)]);
    h.sack(0, &[(5, 10), (1, 4)]);
    h.sent([11, 12]);
    h.at(200);
    h.sack(0, &[(1, 10)]); // 4 came
    h.sack(0, &[(1, 11)]);
    h.sack(0, &[(1, 12)]);
    h.sent([13, 14, 15]);
    h.at(1100);
    h.sent([0]);
    h.windows(1.0, 2.5);
    h.at(1200);
    h.ack(12); // 12 to 15 count as lost, and cwnd is two
    h.sent([12, 13]);
}

/// RFC 6675 section 5.1: "a TCP sender SHOULD use this SACK information when determining what data should be sent in
/// each segment following an RTO"; ns-2's Sack1 forgets it and goes back.
#[test]
fn after_a_timeout_sacked_segments_are_skipped() {
    let skipped: [(Host, [u32; 2]); 2] = [
        (Host::rfc("sack", 10, |c| c.dup_threshold = 10), [4, 7]),
        (Host::ns2("sack", 10, |c| c.dup_threshold = 10), [4, 5]),
    ];
    for (mut h, then) in skipped {
        h.write(10_000);
        h.sent(0..10);
        h.at(100);
        h.sack(0, &[(8, 10), (5, 7), (1, 4)]); // 0, 4 and 7 are missing
        h.silent();
        h.timeout();
        h.sent([0]);
        h.sack(4, &[(8, 10), (5, 7)]);
        h.sent(then);
    }
}

/// RFC 6675 section 5.1: "a new recovery phase (as described in Section 5) MUST NOT be initiated until HighACK is
/// greater than or equal to the new value of RecoveryPoint."
#[test]
fn after_a_timeout_recovery_begins_at_the_recovery_point() {
    let mut h = Host::rfc("sack", 4, |c| c.limited_transmit = 2);
    h.write(60_000);
    h.sent(0..4);
    h.at(1000);
    h.sent([0]);
    h.at(1100);
    h.ack(2);
    h.sent([2, 3]);
    h.at(1200); // 2 is lost again
    (4..7).for_each(|end| h.sack(2, &[(3, end)]));
    h.sent([4, 5, 6]);
    assert_eq!(h.end.sender.stats().fast_retransmits, 0);
    h.at(3100); // the second expiry moves the point to 7
    h.sent([2]);
    h.at(3200);
    h.ack(7);
    h.sent([7, 8]);
    h.at(3300); // 7 is lost
    (9..12).for_each(|end| h.sack(7, &[(8, end)]));
    h.sent([9, 10, 7, 11]);
    assert_eq!(h.end.sender.stats().fast_retransmits, 1);
}

/// What is sent for the first time after a timeout and lost is a new sign of congestion: it is not sent again before a
/// recovery has cut the window.
#[test]
fn after_a_timeout_new_losses_wait_for_a_recovery() {
    let mut h = Host::rfc("sack", 8, |_| {});
    h.write(60_000);
    h.at(1000);
    h.at(1100);
    h.ack(1);
    h.ack(2);
    h.ack(3);
    h.sent((0..8).chain([0, 1, 2, 3, 4, 5, 6]));
    h.windows(4.0, 4.0);
    h.at(1200); // 3 is lost again, and 8
    (5..9).for_each(|end| h.sack(3, &[(4, end)]));
    h.sent([7, 8, 9, 10]);
    h.at(1300);
    h.sack(3, &[(9, 10), (4, 8)]);
    h.sack(3, &[(9, 11), (4, 8)]);
    h.sent([11, 12]);
    h.sack(3, &[(9, 12), (4, 8)]); // three above 8: it has left the pipe
    h.sent([13, 14]);
    h.at(3100);
    h.sent([3]);
    h.windows(1.0, 6.0); // half of the twelve outstanding
}

/// The same for the first segment after a recovery: its duplicates carry news, so nothing speaks for waiting.
#[test]
fn the_segment_at_the_recovery_point_can_be_repaired_at_once() {
    let mut h = Host::rfc("sack", 10, |_| {});
    h.write(60_000);
    h.at(100); // 0 and 10 are lost
    (2..11).for_each(|end| h.sack(0, &[(1, end)]));
    h.sent((0..10).chain([0, 10, 11, 12, 13]));
    h.at(200);
    h.ack(10); // the end of this recovery
    h.sent([14]);
    h.sack(10, &[(11, 12)]);
    h.sack(10, &[(11, 13)]);
    h.silent();
    h.sack(10, &[(11, 14)]);
    h.sent([10]);
    h.windows(2.5, 2.5);
}

/// ns-2's Sack1 (Fall and Floyd 1996): entry at the third duplicate, pipe = outstanding - 3, one less for each
/// further duplicate.
#[test]
fn sack1_counts_its_pipe_by_duplicates() {
    let mut h = Host::ns2("sack", 10, |_| {});
    h.write(40_000);
    h.sent(0..10);
    h.at(100); // 0 and 3 are lost
    h.sack(0, &[(1, 2)]);
    h.sack(0, &[(1, 3)]);
    h.sack(0, &[(4, 5), (1, 3)]);
    h.sent([0]); // pipe 7
    h.windows(5.0, 5.0);
    h.sack(0, &[(4, 6), (1, 3)]);
    h.sack(0, &[(4, 7), (1, 3)]);
    h.silent();
    h.sack(0, &[(4, 8), (1, 3)]); // pipe 4: the first hole, lost or not
    h.sent([3]);
    h.sack(0, &[(4, 9), (1, 3)]);
    h.sent([10]);
}

/// A segment that was SACKed has arrived: its RTT is taken then, and not again when a hole below it is filled at last.
#[test]
fn what_was_sacked_long_ago_says_nothing_of_the_rtt() {
    let mut h = Host::rfc("sack", 4, |_| {});
    h.write(40_000);
    h.sent(0..4);
    h.at(100); // 0 is lost
    h.sack(0, &[(1, 2)]);
    h.sack(0, &[(1, 3)]);
    h.sack(0, &[(1, 4)]);
    h.sent([0, 4]); // 4 is new, and its RTT is measured
    h.at(220); // 0 is lost again; 4 took 120 ms
    h.sack(0, &[(1, 5)]);
    let path = *h.end.sender.path();
    // 7/8 * 100 + 1/8 * 120 = 102.5 ms
    assert_eq!(path.srtt, units::Span(102_500_000));
    h.at(900); // repaired at last
    h.ack(5);
    assert_eq!(h.end.sender.path().srtt, path.srtt);
    assert!(h.end.sender.path().rtt < units::Span::from_millis(130), "{:?}", h.end.sender.path().rtt);
}

/// 0 and 10 are lost; 10 left in the recovery that repairs 0, as did others for what was SACKed above. The ACK that
/// ends it begins the next, with ten outstanding and a window of five. Half of ten are five; but what keeps 7/8 of the
/// flight keeps its window, and no more.
#[test]
fn a_recovery_that_follows_another_one_never_raises_the_window() {
    for algorithm in ["sack", "yeah"] {
        let mut h = Host::rfc(algorithm, 10, |c| c.recovery = Some(Recovery::Sack));
        h.write(90_000);
        h.at(100);
        h.sack(0, &[(1, 10)]);
        let window = h.end.sender.cwnd();
        for ms in [150, 200] {
            h.at(ms);
            h.sack(0, &[(11, h.end.sender.snd_max()), (1, 10)]);
        }
        let high = h.end.sender.snd_max();
        assert!(h.end.sender.in_recovery() && f64::from(high - 10) * 0.875 > window);
        assert_eq!(h.end.sender.cwnd(), window);
        h.sack(10, &[(11, high - 1)]);
        assert_eq!((h.end.sender.in_recovery(), h.end.sender.stats().window_cuts), (true, 2));
        assert!(h.end.sender.cwnd() <= window, "{algorithm}: {} of {window}", h.end.sender.cwnd());
    }
}
