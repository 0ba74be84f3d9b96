//! The retransmission timer: RFC 6298, and RFC 5681 section 3.1 about what an expiry does to the windows.

use tcp::{Config, InitialWindow, Profile, Role};
use units::Span;

use crate::host::Host;

/// RFC 6298 section 5, (5.5): "The host MUST set RTO <- RTO * 2 ("back off the timer")." Section 2, (2.5): "A maximum
/// value MAY be placed on RTO provided it is at least 60 seconds."
#[test]
fn the_timeout_doubles_up_to_its_maximum() {
    let mut h = Host::rfc("newreno", 1, |_| {});
    h.write(1000);
    h.sent([0]);
    let mut at = 0.0;
    for rto_s in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0] {
        at += rto_s * 1000.0;
        assert_eq!(h.deadline_ms(), at);
        h.timeout();
        h.sent([0]);
    }
}

/// RFC 6298 section 3: "RTT samples MUST NOT be made using segments that were retransmitted"; section 5: "Note that
/// after retransmitting, once a new RTT measurement is obtained (which can only happen when new data has been sent and
/// acknowledged), the computations outlined in Section 2 are performed".
#[test]
fn the_back_off_lasts_until_new_data_are_timed() {
    let mut h = Host::rfc("newreno", 1, |_| {});
    h.write(9000);
    h.sent([0]);
    h.at(1100);
    h.sent([0]);
    h.ack(1);
    h.sent([1, 2]);
    assert_eq!(h.deadline_ms(), 1100.0 + 2000.0);
    assert_eq!(h.end.sender.path().srtt, Span::from_millis(100));
    h.at(1200);
    h.ack(2);
    assert_eq!(h.deadline_ms(), 1200.0 + 1000.0);
}

/// The same for a segment that SACK's rescue sends again while its first copy is being timed.
#[test]
fn a_rescued_segment_gives_no_sample() {
    let mut h = Host::rfc("sack", 10, |_| {});
    h.write(11_000);
    h.at(100); // 0 is lost
    (2..8).for_each(|end| h.sack(0, &[(1, end)]));
    h.sent((0..10).chain([0, 10]));
    h.at(150);
    h.sack(0, &[(1, 9)]);
    h.sent([10]); // the rescue
    h.at(250);
    h.ack(11);
    assert_eq!(h.end.sender.path().srtt, Span::from_millis(100));
}

/// RFC 7323 section 4: the echo tells the copies apart, so that every ACK of new data gives a sample.
#[test]
fn timestamps_end_the_back_off_with_the_first_ack() {
    let mut h = Host::rfc("newreno", 1, |c| c.timestamps = true);
    h.write(9000);
    h.at(1100);
    h.ack_of_stamp(1, 1000); // the retransmission's
    h.sent([0, 0, 1, 2]);
    assert_eq!(h.deadline_ms(), 1100.0 + 1000.0);
}

/// The option takes 12 bytes (10 in ns-2).
#[test]
fn timestamps_lengthen_the_header() {
    for (mut h, size) in [
        (Host::rfc("newreno", 1, |c| c.timestamps = true), 1052),
        (Host::ns2("newreno", 1, |c| c.timestamps = true), 1050),
        (Host::rfc("newreno", 1, |_| {}), 1040),
    ] {
        h.write(1000);
        assert_eq!(h.taken()[0].size, size);
    }
}

/// RFC 6298 section 5, (5.3): "When an ACK is received that acknowledges new data, restart the retransmission timer so
/// that it will expire after RTO seconds"; (5.2): "When all outstanding data has been acknowledged, turn off the
/// retransmission timer."
#[test]
fn acks_of_new_data_restart_the_timer() {
    let mut h = Host::rfc("newreno", 2, |_| {});
    h.write(2000);
    assert_eq!(h.deadline_ms(), 1000.0);
    h.at(100);
    h.ack(1);
    assert_eq!(h.deadline_ms(), 1100.0);
    h.at(150);
    h.ack(1);
    assert_eq!(h.deadline_ms(), 1100.0); // a duplicate does not
    h.ack(2);
    assert_eq!(h.end.next_deadline(), units::Time::NEVER);
}

/// RFC 5681 section 3.1: "when a TCP sender detects segment loss using the retransmission timer and the given segment
/// has already been retransmitted by way of the retransmission timer at least once, the value of ssthresh is held
/// constant." ns-2 cuts again.
#[test]
fn the_threshold_is_held_when_the_timer_expires_again() {
    for (mut h, second) in [(Host::rfc("newreno", 16, |_| {}), 8.0), (Host::ns2("newreno", 16, |_| {}), 2.0)] {
        h.write(90_000);
        h.timeout();
        h.windows(1.0, 8.0);
        h.timeout();
        h.windows(1.0, second);
        assert_eq!(h.timeouts(), 2);
    }
}

/// After the expiry: go-back-N in slow start, and an ACK that jumps pulls the sender forward.
#[test]
fn after_a_timeout_segments_go_again_in_order() {
    let mut h = Host::rfc("newreno", 8, |_| {});
    h.write(90_000);
    h.sent(0..8);
    h.at(1000);
    h.sent([0]);
    h.at(1100);
    h.ack(1);
    h.sent([1, 2]);
    h.at(1200);
    h.ack(2);
    h.ack(6); // 3 to 5 had arrived the first time
    h.sent([3, 4, 6, 7, 8, 9]);
    h.windows(4.0, 4.0);
}

/// RFC 5681 section 3.1: "if the SYN or SYN/ACK is lost, the initial window used by a sender after a correctly
/// transmitted SYN MUST be one segment". RFC 6298 section 5, (5.7): "the RTO MUST be re-initialized to 3 seconds when
/// data transmission begins". The handshake gives no sample, for the SYN was sent twice.
#[test]
fn a_lost_syn_leaves_one_segment_and_three_seconds() {
    for lost in [1, 2] {
        let mut h = Host::closed(Config::classic(), "newreno", Role::Active { peer_sends: false }, |_| {});
        h.end.open();
        h.write(90_000);
        h.at(100);
        (0..lost).for_each(|_| h.timeout());
        assert_eq!(h.taken().len(), 1 + lost);
        h.syn_ack();
        h.sent([0]);
        assert_eq!(h.deadline_ms(), 3000.0);
        h.windows(1.0, f64::from(1 << 20));
    }
}

/// In ns-2 the loss of the SYN halves ssthresh as well, and the timeout stays backed off.
#[test]
fn a_lost_syn_in_ns2_leaves_a_threshold_of_two() {
    let mut h = Host::closed(Config::profile(Profile::Ns2), "newreno", Role::Active { peer_sends: false }, |_| {});
    h.end.open();
    h.write(90_000);
    h.timeout();
    h.taken();
    h.syn_ack();
    h.sent([0]);
    h.windows(1.0, 2.0);
    assert_eq!(h.deadline_ms(), 6000.0);
}

/// The other end learns from a second SYN that its answer was lost.
#[test]
fn a_lost_answer_to_the_syn_leaves_one_segment() {
    let mut h = Host::closed(Config::classic(), "newreno", Role::Passive, |c| {
        c.initial_window = InitialWindow::Segments(4);
    });
    h.write(9000);
    let syn = tcp::Segment {
        seq: 0,
        ack: 0,
        window: 100,
        size: 40,
        flags: tcp::Flags::SYN,
        ts_val: units::Time::ZERO,
        ts_ecr: units::Time::ZERO,
        sack: tcp::SackBlocks::NONE,
    };
    h.receive(syn);
    h.receive(syn);
    assert_eq!(h.taken().len(), 2);
    h.ack(0);
    h.sent([0]);
}
