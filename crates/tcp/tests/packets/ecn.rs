//! Explicit congestion notification: RFC 3168.

use tcp::Flags;

use crate::host::Host;

fn ecn(algorithm: &str, cwnd: u32) -> Host {
    Host::rfc(algorithm, cwnd, |c| c.ecn = true)
}

/// RFC 3168 section 6.1.2: "the TCP source halves the congestion window "cwnd" and reduces the slow start threshold
/// "ssthresh". The sending TCP SHOULD NOT increase the congestion window in response to the receipt of an ECN-Echo ACK
/// packet. TCP should not react to congestion indications more than once every window of data". "the TCP sender sets
/// the CWR flag in the TCP header of the first new data packet sent after the window reduction."
#[test]
fn a_mark_halves_once_per_window() {
    for algorithm in ["newreno", "sack", "reno", "tahoe"] {
        let mut h = ecn(algorithm, 10);
        h.write(90_000);
        assert!(h.taken().iter().all(|s| s.flags.has(Flags::ECT) && !s.flags.has(Flags::CWR)));
        h.at(100);
        h.ece(1); // nine outstanding
        h.windows(4.5, 4.5);
        (2..7).for_each(|n| h.ece(n));
        h.silent();
        h.ece(7);
        h.ece(8);
        h.windows(4.5, 4.5);
        let new = h.taken();
        assert_eq!(new.iter().map(|s| s.seq).collect::<Vec<_>>(), [10, 11]);
        assert!(new[0].flags.has(Flags::CWR) && !new[1].flags.has(Flags::CWR));
        h.ece(10);
        h.sent([12, 13]);
        h.windows(4.5, 4.5);
        h.at(200);
        h.ack(11); // the echo has stopped
        h.windows(4.5 + 1.0 / 4.5, 4.5);
        h.ece(12); // a mark of the next window: three outstanding, and 14 on the ACK before
        assert!(h.end.sender.cwnd() < 4.5);
    }
}

/// RFC 3168 section 6.1.2: "the TCP sender's congestion window should be reduced only once in response to a series of
/// dropped and/or CE packets from a single window of data." The loss is repaired without a second cut.
#[test]
fn a_loss_in_a_window_cut_by_a_mark_does_not_cut_again() {
    for algorithm in ["newreno", "reno", "sack", "cubic"] {
        let mut h = ecn(algorithm, 10);
        h.write(90_000);
        h.at(100);
        h.ece(1);
        let windows = (h.end.sender.cwnd(), h.end.sender.ssthresh_segments());
        h.taken();
        (3..6).for_each(|end| h.sack(1, &[(2, end)])); // 1 is lost
        h.sent([1]);
        h.windows(windows.0, windows.1);
        assert_eq!((h.end.sender.stats().fast_retransmits, h.end.sender.stats().window_cuts), (1, 1));
    }
}

/// The same for Tahoe: it starts over with one segment, but holds the threshold.
#[test]
fn tahoe_holds_the_threshold_in_a_window_cut_by_a_mark() {
    let mut h = ecn("tahoe", 10);
    h.write(90_000);
    h.at(100);
    (1..6).for_each(|n| h.ece(n));
    h.acks(5, 3); // five outstanding
    h.windows(1.0, 4.5);
}

/// And the other way round: marks of a window that a loss has cut change nothing. RFC 3168 section 6.1.5: no ECT on
/// retransmissions; section 6.1.2: CWR after a reduction "for any reason", on new data.
#[test]
fn a_mark_in_a_window_cut_by_a_loss_does_not_cut_again() {
    let mut h = ecn("newreno", 10);
    h.write(90_000);
    h.taken();
    h.at(100);
    h.acks(0, 3);
    let again = h.taken();
    assert_eq!((again.len(), again[0].seq), (1, 0));
    assert!(!again[0].flags.has(Flags::ECT) && !again[0].flags.has(Flags::CWR));
    h.ece(0);
    h.windows(5.0, 5.0);
    h.acks(0, 5);
    let new = h.taken();
    assert!(new[0].flags.has(Flags::CWR) && !new[1].flags.has(Flags::CWR));
    h.at(200);
    h.ece(10);
    h.windows(5.0, 5.0); // the end of the recovery: four outstanding
}

/// RFC 3168 section 6.1.2: "However, if any retransmitted packets are dropped, then this is interpreted by the source
/// TCP as a new instance of congestion." A timeout always cuts; the echo that lasts until CWR can travel does not hold
/// back the slow start after it.
#[test]
fn a_timeout_in_a_marked_window_cuts_and_slow_start_goes_on() {
    let mut h = ecn("newreno", 10);
    h.write(90_000);
    h.at(100);
    h.ece(1);
    h.windows(4.5, 4.5);
    h.taken();
    h.at(1100);
    h.sent([1]);
    h.windows(1.0, 4.5); // half of the nine outstanding
    h.at(1200);
    h.ece(2);
    h.windows(2.0, 4.5);
    h.sent([2, 3]);
}

/// RFC 3168 section 6.1.2: "the sending TCP MUST reset the retransmit timer on receiving the ECN-Echo packet when the
/// congestion window is one. The sending TCP will then be able to send a new packet only when the retransmit timer
/// expires."
#[test]
fn a_mark_at_one_segment_waits_for_the_timer() {
    let mut h = ecn("newreno", 1);
    h.write(90_000);
    h.sent([0]);
    h.at(100);
    h.ece(1);
    h.windows(1.0, 2.0);
    h.silent();
    h.write(1000); // nor for new data
    h.silent();
    assert_eq!(h.deadline_ms(), 1100.0);
    h.at(1100);
    let new = h.taken();
    assert_eq!((new.len(), new[0].seq), (1, 1));
    assert!(new[0].flags.has(Flags::CWR));
    assert_eq!(h.timeouts(), 0);
    h.at(1200);
    h.ack(2);
    h.windows(2.0, 2.0);
    h.sent([2, 3]);
}

/// Without ECN the echo means nothing.
#[test]
fn without_ecn_marks_are_ignored() {
    let mut h = Host::rfc("newreno", 4, |_| {});
    h.write(90_000);
    assert!(h.taken().iter().all(|s| !s.flags.has(Flags::ECT)));
    h.at(100);
    h.ece(1);
    h.windows(4.25, 4.0);
}
