//! Reno and Tahoe: RFC 5681 section 3.2, and its ancestors.

use crate::host::Host;

/// RFC 5681 section 3.2, step 6: "When the next ACK arrives that acknowledges previously unacknowledged data, a TCP
/// MUST set cwnd to ssthresh (the value set in step 2)." A second loss in the window needs its own three duplicates,
/// and halves again.
#[test]
fn reno_leaves_recovery_at_the_first_new_ack_and_may_halve_again() {
    let mut h = Host::rfc("reno", 10, |_| {});
    h.write(40_000);
    h.sent(0..10);
    h.at(100); // 0 and 5 are lost
    h.acks(0, 8);
    h.sent([0, 10, 11, 12]);
    h.at(200);
    h.ack(5);
    h.windows(5.0, 5.0); // no growth on this ACK
    h.silent(); // eight outstanding
    h.acks(5, 3);
    h.sent([5]);
    h.windows(4.0, 4.0);
    h.at(300);
    h.ack(13);
    h.windows(4.0, 4.0);
    h.sent(13..17);
}

/// ns-2 grows on the ACK that ends the recovery, and its guard stops the second fast retransmit.
#[test]
fn reno_in_ns2_grows_at_the_exit_and_repairs_the_second_loss_by_timeout() {
    let mut h = Host::ns2("reno", 10, |_| {});
    h.write(40_000);
    h.at(100);
    h.acks(0, 8);
    h.sent((0..10).chain([0, 10, 11, 12]));
    h.at(200);
    h.ack(5);
    h.windows(5.2, 5.0);
    h.acks(5, 3);
    h.silent();
    h.timeout();
    h.sent([5]);
    assert_eq!(h.timeouts(), 1);
}

/// Jacobson 1988: fast retransmit, then slow start from one segment; duplicates beyond the threshold do nothing.
#[test]
fn tahoe_starts_over_after_three_duplicates() {
    for mut h in [Host::rfc("tahoe", 10, |_| {}), Host::ns2("tahoe", 10, |_| {})] {
        h.write(40_000);
        h.sent(0..10);
        h.at(100); // 0 is lost
        h.acks(0, 3);
        h.sent([0]);
        h.windows(1.0, 5.0);
        h.acks(0, 6);
        h.silent();
        h.at(200);
        h.ack(10); // slow start: two segments
        h.windows(2.0, 5.0);
        h.sent([10, 11]);
    }
}

/// Go-back-N: what follows the hole is sent again, unless an ACK jumps over it.
#[test]
fn tahoe_goes_back() {
    let mut h = Host::rfc("tahoe", 10, |_| {});
    h.write(40_000);
    h.at(100); // 0 and 2 are lost
    h.acks(0, 8);
    h.at(200);
    h.ack(2);
    h.sent((0..10).chain([0, 2, 3]));
    h.at(300);
    h.ack(10);
    h.windows(3.0, 5.0);
    h.sent([10, 11, 12]);
}
