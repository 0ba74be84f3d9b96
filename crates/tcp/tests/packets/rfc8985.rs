//! Where Linux has rules of its own and the RFCs have others: RFC 8985, RFC 5682, RFC 9937.

use tcp::{Config, InitialWindow, Profile};

use crate::host::Host;

/// A sender by the profile `rfc`, and the same with Linux's recovery.
fn both(change: impl Fn(&mut Config)) -> [(bool, Host); 2] {
    [false, true].map(|as_linux| {
        let host = Host::open(Config::profile(Profile::Rfc), "newreno", |c| {
            c.linux_recovery = as_linux;
            change(c);
        });
        (as_linux, host)
    })
}

/// Of ten segments 0 and 4 to 9 are lost, and there are no more data. The repair of 0 left at 100 ms, so when it is
/// acknowledged what left at 0 ms is lost (RFC 8985 section 6.2, step 5), whatever its number.
#[test]
fn a_repair_shows_that_what_left_before_it_is_lost() {
    for (_, mut h) in both(|_| {}) {
        h.write(10_000);
        h.sent(0..10);
        h.at(100);
        h.sack_of_stamp(0, &[(1, 4)], 0);
        h.sent([0]);
        h.at(200);
        h.ack_of_stamp(4, 100);
        assert!(h.taken().iter().map(|segment| segment.seq).eq(4..4 + h.end.sender.known().unwrap().resent));
        assert_eq!((h.end.sender.known().unwrap().lost, h.timeouts()), (6, 0));
    }
}

/// 0 to 4 leave at 0 ms, 5 to 9 at 90 ms. 0 was late, not lost: its ACK comes with the first copy's timestamp, after
/// more than the least RTT. So the second copy has not arrived, and what left at 90 ms was not overtaken (RFC 8985
/// section 6.2, step 2). Linux goes by the least RTT and sends 5 to 9 again.
#[test]
fn an_echo_of_the_first_copy_is_no_news_of_the_second() {
    for (as_linux, mut h) in both(|_| {}) {
        h.write(5000);
        h.at(90);
        h.write(5000);
        h.at(100);
        h.sack_of_stamp(0, &[(1, 2), (3, 5)], 0);
        h.taken();
        h.at(201);
        h.ack_of_stamp(2, 0);
        h.at(260);
        let again = h.taken().iter().filter(|segment| (5..10).contains(&segment.seq)).count();
        assert_eq!(again, if as_linux { 5 } else { 0 });
    }
}

/// 0 and 3 are lost, and so are the ACKs of 1 and 2 and the probe, so that the timer expires. The ACK of the repair
/// covers 1 and 2, which were sent once. That does not tell a late ACK from a repaired loss: new data go out to see
/// (RFC 5682 section 3.1, step 2), and the next ACK decides.
#[test]
fn the_first_ack_after_a_timeout_does_not_undo_it() {
    for (as_linux, mut h) in both(|_| {}) {
        h.write(4000);
        h.timeout(); // the probe
        let repaired_ms = h.deadline_ms() as u64;
        h.at(repaired_ms);
        assert_eq!(h.timeouts(), 1);
        h.write(10_000);
        h.taken();
        h.at(repaired_ms + 100);
        h.ack_of_stamp(3, repaired_ms);
        assert_eq!(h.end.sender.stats().undone, u64::from(as_linux));
        if !as_linux {
            h.sent([4, 5]);
            h.at(repaired_ms + 200);
            h.sack_of_stamp(3, &[(4, 5)], repaired_ms);
            assert_eq!((h.taken()[0].seq, h.end.sender.stats().undone), (3, 0));
        }
    }
}

/// The timer expires though nothing is lost, but without timestamps only F-RTO can tell: the ACK of 0 and 1 lets two
/// new segments go, and that of 2, which was sent once, undoes the timeout.
#[test]
fn the_second_ack_after_a_timeout_does() {
    let mut h = Host::open(Config::profile(Profile::Rfc), "newreno", |c| {
        (c.timestamps, c.tail_probes) = (false, false);
    });
    h.write(4000);
    h.sent(0..4);
    h.timeout();
    h.sent([0]);
    h.write(10_000);
    h.at(1010);
    h.ack(2);
    h.sent([4, 5]);
    assert_eq!(h.end.sender.stats().undone, 0);
    h.at(1020);
    h.ack(3);
    assert_eq!(h.end.sender.stats().undone, 1);
    h.windows(11.0, 16_777_216.0); // no bound
}

/// The path is dead from 100 ms on, and the application writes a segment each 900 ms. While the probe is on its way
/// what is written does not put the retransmission timer off.
#[test]
fn new_data_do_not_put_the_timeout_off() {
    for (_, mut h) in both(|_| {}) {
        h.write(1000);
        h.at(100);
        h.ack_of_stamp(1, 0);
        for k in 0..4 {
            h.at(200 + 900 * k);
            h.write(1000);
        }
        assert!(h.timeouts() > 0);
    }
}

/// A segment that came twice widens the window for reordering, though none was seen to overtake another (RFC 8985
/// section 6.2, step 4).
#[test]
fn what_came_twice_widens_the_window_for_reordering() {
    for (as_linux, mut h) in both(|_| {}) {
        h.write(10_000);
        h.at(100);
        h.sack_of_stamp(0, &[(1, 2)], 0);
        h.at(131); // 0 was sent again at 125 ms
        h.ack(10);
        h.at(230);
        h.sack(10, &[(0, 1)]);
        h.write(10_000);
        h.at(330);
        h.sack(10, &[(11, 12)]);
        assert_eq!(h.deadline_ms(), if as_linux { 355.0 } else { 380.0 }); // a quarter and two of 100 ms
    }
}

/// At the timeout at 1200 ms, 2 and 3 have been on their way for 120 and 110 ms: less than the RTT and a quarter of the
/// least one (RFC 8985 section 6.3).
#[test]
fn a_timeout_leaves_out_what_may_be_late() {
    for (as_linux, mut h) in both(|c| c.tail_probes = false) {
        h.write(1000);
        h.at(100);
        h.ack_of_stamp(1, 0);
        h.at(200);
        h.write(1000);
        h.at(1080);
        h.write(1000);
        h.at(1090);
        h.write(1000);
        h.timeout();
        assert_eq!(h.timeouts(), 1);
        assert_eq!(h.end.sender.known().unwrap().lost, if as_linux { 3 } else { 1 });
    }
}

/// 22 segments are outstanding and two of them SACKed when the wait for reordering ends. RecoverFS is 20 (RFC 9937
/// section 6.2), so the first new segment leaves at the third that arrives: ceil(10 * 3 / 20) = 2, the repair included.
/// Linux counts the end of the wait as an arrival.
#[test]
fn the_end_of_a_wait_delivers_nothing() {
    for (as_linux, mut h) in both(|c| c.initial_window = InitialWindow::Segments(20)) {
        h.write(40_000);
        h.at(100);
        h.sack_of_stamp(0, &[(1, 3)], 0);
        h.taken();
        h.timeout();
        h.sent([0]);
        let mut arrivals = 0;
        while h.taken().is_empty() {
            arrivals += 1;
            h.at(130 + u64::from(arrivals));
            h.sack_of_stamp(0, &[(1, 3 + arrivals)], 0);
        }
        assert_eq!(arrivals, if as_linux { 2 } else { 3 });
    }
}

/// The ACK of the repair comes sooner than any before it, since the queue has run empty; its timestamp tells that it is
/// no ACK of the first copy. So 4, which left with that, is lost.
#[test]
fn a_repair_may_be_faster_than_what_came_before() {
    let [(_, mut h), (_, _)] = both(|_| {});
    h.write(5000);
    h.sent(0..5);
    h.at(110);
    h.sack_of_stamp(0, &[(1, 4)], 0);
    h.sent([0]);
    h.at(205);
    h.ack_of_stamp(4, 110);
    h.sent([4]);
    assert_eq!(h.timeouts(), 0);
}
