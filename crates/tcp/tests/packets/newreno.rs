//! NewReno: RFC 6582.

use tcp::RecoverRule;

use crate::host::Host;

/// RFC 5681 section 3.2, step 2: "When the third duplicate ACK is received, a TCP MUST set ssthresh to no more than the
/// value given in equation (4)." Step 3: "The lost segment starting at SND.UNA MUST be retransmitted and cwnd set to
/// ssthresh plus 3*SMSS." Step 4: "For each additional duplicate ACK received (after the third), cwnd MUST be
/// incremented by SMSS."
#[test]
fn third_duplicate_halves_the_flight_and_each_further_one_inflates() {
    let mut h = Host::rfc("newreno", 10, |c| c.limited_transmit = 2);
    h.write(40_000);
    h.sent(0..10);
    h.at(100); // segment 0 is lost
    h.acks(0, 2);
    h.sent([10, 11]); // limited transmit
    h.ack(0);
    h.sent([0]);
    h.windows(5.0, 5.0); // half of 10: the two of limited transmit are left out
    h.acks(0, 4);
    h.silent(); // window 5 + 3 + 4 = 12, as much as is outstanding
    h.acks(0, 2);
    h.sent([12, 13]);
    h.at(199);
    h.acks(0, 2); // segments 10 and 11
    h.sent([14, 15]);
    // RFC 6582 section 3.2, step 3: "Set cwnd to either (1) min (ssthresh, max(FlightSize, SMSS) + SMSS)"
    h.at(200);
    h.ack(12); // four outstanding: min(5, 4 + 1)
    h.windows(5.0, 5.0);
    h.sent([16]);
    h.at(300);
    h.ack(13); // congestion avoidance again: 5 + 1/5
    h.windows(5.2, 5.0);
    h.sent([17]);
}

/// Same step, option 1 when little is outstanding: it prevents a burst when the application writes again.
#[test]
fn a_full_ack_with_nothing_outstanding_leaves_two_segments() {
    let mut h = Host::rfc("newreno", 10, |_| {});
    h.write(10_000);
    h.sent(0..10);
    h.at(100);
    h.acks(0, 9);
    h.sent([0]);
    h.at(200);
    h.ack(10); // nothing is outstanding: min(5, 1 + 1)
    h.windows(2.0, 5.0);
    h.write(10_000);
    h.sent([10, 11]);
}

/// ns-2 takes the inflation away and grows on that ACK.
#[test]
fn a_full_ack_in_ns2_removes_the_inflation_and_grows() {
    let mut h = Host::ns2("newreno", 10, |_| {});
    h.write(10_000);
    h.sent(0..10);
    h.at(100);
    h.acks(0, 9);
    h.sent([0]);
    h.at(200);
    h.ack(10); // 5 + 1/5
    h.windows(5.2, 5.0);
}

/// RFC 6582 section 3.2, step 3: "If this ACK does *not* acknowledge all of the data up to and including recover, then
/// this is a partial ACK. In this case, retransmit the first unacknowledged segment. Deflate the congestion window by
/// the amount of new data acknowledged by the Cumulative Acknowledgment field. If the partial ACK acknowledges at least
/// one SMSS of new data, then add back SMSS bytes to the congestion window."
#[test]
fn a_partial_ack_retransmits_and_deflates() {
    let mut h = Host::rfc("newreno", 10, |_| {});
    h.write(40_000);
    h.sent(0..10);
    h.at(100); // 0 and 5 are lost
    h.acks(0, 8);
    h.sent([0, 10, 11, 12]); // window 5 + 8 = 13
    h.at(200);
    h.ack(5); // window 13 - 5 + 1 = 9, outstanding 8
    h.sent([5, 13]);
    h.windows(5.0, 5.0);
    h.acks(5, 3); // segments 10 to 12
    h.sent([14, 15, 16]);
    h.at(300);
    h.ack(13); // all: four outstanding
    h.windows(5.0, 5.0);
    h.sent([17]);
}

/// RFC 6582 section 3.2, step 3: "For the first partial ACK that arrives during fast recovery, also reset the
/// retransmit timer."
#[test]
fn only_the_first_partial_ack_restarts_the_timer() {
    let mut h = Host::rfc("newreno", 10, |_| {});
    h.write(10_000);
    h.at(100); // 0, 3 and 6 are lost
    h.acks(0, 7);
    h.at(200);
    h.ack(3);
    assert_eq!(h.deadline_ms(), 1200.0);
    h.at(300);
    h.ack(6);
    assert_eq!(h.deadline_ms(), 1200.0);
}

/// RFC 6582 section 3.2, step 4: "After a retransmit timeout, record the highest sequence number transmitted in the
/// variable recover, and exit the fast recovery procedure if applicable." Section 3.2, step 2 lets the next fast
/// retransmit wait until the ACK covers more than recover.
#[test]
fn duplicates_after_a_timeout_begin_nothing_until_more_than_recover_is_covered() {
    for (rule, repaired) in [(RecoverRule::Careful, false), (RecoverRule::LessCareful, true), (RecoverRule::Off, true)]
    {
        let mut h = Host::rfc("newreno", 4, |c| c.recover_rule = rule);
        h.write(20_000);
        h.sent(0..4);
        h.at(1000);
        h.sent([0]);
        h.at(1100);
        h.ack(4); // exactly what was outstanding at the timeout
        h.sent([4, 5]);
        h.acks(4, 3);
        if repaired {
            h.sent([4, 6, 7, 8]); // window 2 + 3
            continue;
        }
        h.silent();
        h.at(1200);
        h.ack(6); // slow start up to the threshold, two segments; then the window's worth, 2 + 1
        h.sent([6, 7, 8]);
        h.acks(6, 3);
        h.sent([6, 9, 10]); // window 2 + 3
    }
}

/// A timeout during recovery: what is outstanding beyond cwnd was sent for segments that had left the network, so half
/// of cwnd remains, as in ns-2. RFC 5681 section 3.1 asks for "no more than" half of FlightSize.
#[test]
fn a_timeout_in_recovery_halves_no_more_than_cwnd() {
    for (written, outstanding) in [(100_000, 29), (20_000, 20)] {
        for mut h in [Host::rfc("newreno", 20, |_| {}), Host::ns2("newreno", 20, |_| {})] {
            h.write(written);
            h.at(100); // 0 is lost, and lost again
            h.acks(0, 19);
            h.windows(10.0, 10.0); // inflated to 29
            assert_eq!(h.end.sender.snd_max(), outstanding);
            h.timeout();
            h.windows(1.0, 5.0);
        }
    }
}

/// What limited transmit sent is not counted by a timeout either, and only once in a recovery.
#[test]
fn a_timeout_leaves_limited_transmit_out() {
    let mut h = Host::rfc("newreno", 10, |c| c.limited_transmit = 2);
    h.write(40_000);
    h.at(100);
    h.acks(0, 2);
    h.sent(0..12);
    h.at(1000);
    h.windows(1.0, 5.0); // half of 10, not of 12
    let mut h = Host::rfc("newreno", 10, |c| c.limited_transmit = 2);
    h.write(40_000);
    h.at(100);
    h.acks(0, 3);
    h.windows(5.0, 5.0);
    h.timeout();
    h.windows(1.0, 2.5); // half of the recovery's cwnd
}
