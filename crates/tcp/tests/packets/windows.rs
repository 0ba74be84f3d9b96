//! Initial windows, growth, idle times, the receiver's window, and the ends of a transfer.

use tcp::{Config, InitialWindow, Profile};

use crate::host::Host;

/// RFC 6928 section 2: "min (10*MSS, max (2*MSS, 14600))"; RFC 5681 section 3.1 for the older rule; ns-2: two segments.
#[test]
fn initial_windows() {
    for (profile, rule, mss, segments) in [
        (Profile::Rfc, None, 1460, 10),
        (Profile::Rfc, None, 9000, 2),
        (Profile::Rfc, Some(InitialWindow::Rfc5681), 1460, 3),
        (Profile::Rfc, Some(InitialWindow::Rfc5681), 536, 4),
        (Profile::Ns2, None, 1000, 2),
    ] {
        let mut h = Host::open(Config::profile(profile), "newreno", |c| {
            c.mss = mss;
            c.initial_window = rule.unwrap_or(c.initial_window);
        });
        h.write(1_000_000);
        h.sent(0..segments);
    }
}

/// RFC 5681 section 3.1: slow start adds a segment per ACK, congestion avoidance about one per round trip.
#[test]
fn slow_start_then_congestion_avoidance() {
    let mut h = Host::rfc("newreno", 2, |c| c.initial_ssthresh = Some(4));
    h.write(90_000);
    h.at(100);
    h.ack(1);
    h.ack(2);
    h.windows(4.0, 4.0);
    h.sent(0..6);
    h.at(200);
    h.ack(3);
    h.windows(4.25, 4.0);
    h.sent([6]);
}

/// RFC 7661 and RFC 5681 ask that cwnd not grow while the sender does not use it; ns-2 does not care.
#[test]
fn an_unused_window_does_not_grow() {
    for (mut h, cwnd) in [
        (Host::rfc("newreno", 4, |c| c.initial_ssthresh = Some(100)), 4.0),
        (Host::ns2("newreno", 4, |c| c.initial_ssthresh = Some(100)), 6.0),
    ] {
        h.write(2000);
        h.sent(0..2);
        h.at(100);
        h.ack(1);
        h.ack(2);
        h.windows(cwnd, 100.0);
    }
}

/// RFC 5681 section 4.1: "a TCP SHOULD set cwnd to no more than RW before beginning transmission if the TCP has not
/// sent data in an interval exceeding the retransmission timeout."
#[test]
fn an_idle_time_takes_the_window_back_to_the_initial_one() {
    for (idle_ms, burst) in [(1000, 6), (1001, 3)] {
        let mut h = Host::rfc("newreno", 3, |c| c.initial_ssthresh = Some(100));
        h.write(3000);
        h.at(100);
        h.ack(1);
        h.ack(2);
        h.ack(3);
        h.write(1000);
        h.sent(0..4);
        h.at(200);
        h.ack(4);
        let grown = h.end.sender.cwnd();
        assert!(grown >= 4.0);
        h.at(100 + idle_ms);
        h.write(90_000);
        assert_eq!(h.taken().len(), burst.min(grown as usize));
    }
}

/// `max_burst` bounds what one ACK releases.
#[test]
fn one_ack_releases_a_bounded_burst() {
    let mut h = Host::rfc("newreno", 10, |c| c.max_burst = 2);
    h.write(90_000);
    h.sent([0, 1]);
    for ack in 1..=8 {
        h.ack(ack);
    }
    h.sent(2..18);
    h.at(100);
    h.ack(18); // ten may be outstanding
    h.sent([18, 19]);
}

/// The last segment of a transfer is as short as what is left.
#[test]
fn a_transfer_ends_with_a_short_segment() {
    let mut h = Host::rfc("newreno", 10, |_| {});
    h.write(2500);
    let sizes: Vec<u32> = h.taken().iter().map(|s| s.size).collect();
    assert_eq!(sizes, [1040, 1040, 540]);
    let bytes: Vec<u64> = (0..=3).map(|n| h.end.bytes_in(n)).collect();
    assert_eq!(bytes, [0, 1000, 2000, 2500]);
    assert!(!h.end.sender.is_done());
    h.at(100);
    h.ack(3);
    assert!(h.end.sender.is_done());
    h.at(90_000);
    h.silent();
}

/// RFC 5681 section 3.1: "The minimum of cwnd and rwnd governs data transmission."
#[test]
fn the_receivers_window_limits_what_is_outstanding() {
    for algorithm in ["newreno", "sack"] {
        let mut h = Host::rfc(algorithm, 10, |c| c.window = 4);
        h.write(90_000);
        h.sent(0..4);
        h.at(100);
        h.ack(2);
        h.sent([4, 5]);
    }
}

/// RFC 9293 section 3.10.7.4: the window of each acceptable ACK is the sender's new one. RFC 5681 section 2: an ACK is
/// a duplicate only if "the advertised window in the incoming acknowledgment equals the advertised window in the last
/// incoming acknowledgment".
#[test]
fn an_ack_may_change_the_receivers_window() {
    let mut h = Host::rfc("newreno", 10, |c| c.window = 4);
    h.write(90_000);
    h.sent(0..4);
    h.at(100);
    h.peer_window = 2;
    h.ack(1); // the window shrinks below what is outstanding
    h.silent();
    h.ack(3);
    h.sent([4]);
    h.peer_window = 5;
    h.ack(3); // no duplicate
    h.sent([5, 6, 7]);
    for window in [6, 7, 8] {
        h.peer_window = window;
        h.ack(3);
    }
    h.sent([8, 9, 10]);
    h.acks(3, 2);
    h.silent();
    h.ack(3);
    h.sent([3]);
}

/// A closed window stops new data until an ACK opens it.
#[test]
fn a_closed_window_opens_again() {
    let mut h = Host::rfc("newreno", 2, |_| {});
    h.write(90_000);
    h.sent([0, 1]);
    h.at(100);
    h.peer_window = 0;
    h.ack(2);
    h.silent();
    h.peer_window = 9;
    h.ack(2);
    assert!(!h.taken().is_empty());
}

/// The window of the handshake counts from the first segment on.
#[test]
fn the_answer_to_the_syn_brings_the_first_window() {
    let mut h = Host::closed(Config::classic(), "newreno", tcp::Role::Active { peer_sends: false }, |_| {});
    h.peer_window = 3;
    h.write(90_000);
    h.handshake(units::Span::from_millis(100));
    h.sent(0..3);
    assert_eq!(h.end.sender.ssthresh_segments(), 3.0);
}

/// The application may write in pieces, or stop.
#[test]
fn writing_in_pieces_and_stopping() {
    let mut h = Host::rfc("newreno", 4, |_| {});
    h.write(1000);
    h.sent([0]);
    h.write(2000);
    h.sent([1, 2]);
    h.end.offer(None);
    h.at(100);
    h.ack(3);
    h.sent(3..7);
    h.stop();
    h.at(200);
    h.ack(5);
    h.silent();
    h.timeout();
    h.sent([5]); // what was sent is still repaired
    h.ack(7);
    assert!(h.end.sender.is_done());
}

/// RFC 9293 section 3.10.7.4: "If the ACK acks something not yet sent (SEG.ACK > SND.NXT), then send an ACK, drop the
/// segment, and return." We send none: there is nobody to tell. "If the ACK is a duplicate (SEG.ACK =< SND.UNA), it can
/// be ignored."
#[test]
fn acks_beyond_and_below_are_ignored() {
    for algorithm in ["newreno", "sack"] {
        let mut h = Host::rfc(algorithm, 4, |_| {});
        h.write(90_000);
        h.sent(0..4);
        h.at(100);
        h.acks(5, 4);
        h.silent();
        assert_eq!(h.end.sender.snd_una(), 0);
        h.ack(2);
        h.sent([4, 5]);
        let deadline = h.deadline_ms();
        h.acks(1, 4);
        h.silent();
        assert_eq!((h.end.sender.snd_una(), h.deadline_ms()), (2, deadline));
    }
}
