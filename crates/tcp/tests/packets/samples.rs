//! What an ACK tells of the delay: never the wait for a repair, nor that of the receiver for another segment.

use tcp::Config;
use units::Span;

use crate::host::Host;

/// Newest, least and greatest delay sample, milliseconds, and how many there were.
fn samples(h: &Host) -> (f64, f64, f64, u64) {
    let (path, stats) = (h.end.sender.path(), h.end.sender.stats());
    let [newest, least, greatest] = [path.rtt, path.rtt_min, stats.rtt_max].map(|r| r.secs() * 1000.0);
    (newest, least, greatest, stats.rtt_samples)
}

fn srtt_ms(h: &Host) -> f64 {
    h.end.sender.path().srtt.secs() * 1000.0
}

/// RFC 6298 section 3: "RTT samples MUST NOT be made using segments that were retransmitted". An ACK that covers one of
/// them and others behind it measures how long the hole was open.
#[test]
fn an_ack_that_fills_a_hole_gives_no_delay() {
    let mut h = Host::rfc("newreno", 10, |_| {});
    h.write(40_000);
    h.at(100); // 0 is lost
    h.acks(0, 9);
    h.at(200);
    h.ack(10); // 1 to 9 arrived at 100 ms
    assert_eq!(samples(&h), (0.0, 0.0, 0.0, 0));
    // what is sent then is measured again: 10 to 13 left with the later duplicates
    h.at(205);
    h.ack(11);
    assert_eq!(samples(&h), (105.0, 105.0, 105.0, 1));
}

/// The same after a timeout, where everything is sent again.
#[test]
fn what_goes_back_gives_no_delay() {
    let mut h = Host::rfc("newreno", 4, |_| {});
    h.write(4000);
    h.timeout();
    h.at(1100);
    h.ack(1);
    h.at(1200);
    h.ack(4);
    assert_eq!(samples(&h).3, 0);
}

/// A SACKed segment has arrived: it tells the delay when it is SACKed, and never again.
#[test]
fn sacked_segments_give_delays() {
    let mut h = Host::rfc("sack", 10, |_| {});
    h.write(40_000);
    h.at(100); // 0 is lost
    h.sack(0, &[(1, 2)]);
    assert_eq!(samples(&h), (100.0, 100.0, 100.0, 1));
    h.at(110);
    h.sack(0, &[(1, 4)]);
    assert_eq!(samples(&h), (110.0, 100.0, 110.0, 2));
    h.at(120);
    h.sack(0, &[(1, 4)]); // nothing new
    h.at(200);
    h.ack(10); // covers what was sent again
    assert_eq!(samples(&h), (110.0, 100.0, 110.0, 2));
}

/// A segment that was late, not lost: its arrival fills the gap below what was SACKed before.
#[test]
fn an_overtaken_segment_gives_its_own_delay() {
    let mut h = Host::rfc("sack", 3, |_| {});
    h.write(40_000);
    h.at(100);
    h.sack(0, &[(1, 3)]);
    h.at(130);
    h.ack(3);
    assert_eq!(samples(&h), (130.0, 100.0, 130.0, 2));
}

/// The wait of the receiver for another segment is no delay of the path. The least RTT may take it, for it is too long
/// at worst; the retransmission timeout has to.
#[test]
fn an_ack_that_was_held_back_gives_no_delay() {
    for (use_all, expected) in [(false, (120.0, 120.0, 120.0, 1)), (true, (120.0, 120.0, 200.0, 2))] {
        let mut h = Host::rfc("newreno", 2, |c| c.delack_samples = use_all);
        h.write(40_000);
        h.at(200);
        h.held_ack(1);
        assert_eq!(samples(&h).1, 200.0);
        assert_eq!(srtt_ms(&h), 0.875 * 100.0 + 0.125 * 200.0); // the handshake took 100 ms
        h.at(320);
        h.ack(3);
        assert_eq!(samples(&h), expected);
    }
}

/// RFC 6298 section 5: "once a new RTT measurement is obtained", the back-off ends; a segment that was SACKed is one.
#[test]
fn a_sample_by_sack_ends_the_back_off() {
    let mut h = Host::rfc("sack", 2, |_| {});
    h.write(40_000);
    for _ in 0..4 {
        h.timeout(); // at 1, 3, 7 and 15 s
    }
    assert_eq!(h.deadline_ms(), 31_000.0);
    h.at(15_100);
    h.ack(1); // which copy it answers is open; 1 leaves again, and 2 for the first time
    h.sent([0, 1, 0, 0, 0, 0, 1, 2]);
    assert_eq!(h.deadline_ms(), 15_100.0 + 16_000.0);
    h.at(15_200);
    h.sack(1, &[(2, 3)]);
    assert_eq!(h.deadline_ms(), 15_200.0 + 1000.0);
}

/// RFC 7323 section 4.1: every ACK that advances the left edge gives a sample, for the echo tells the copies apart;
/// partial ACKs do so too. ns-2's agents take none from those.
#[test]
fn timestamps_measure_partial_acks() {
    let rules = |c: &mut Config| {
        c.timestamps = true;
        c.rtt_tick = Span::ZERO;
    };
    let srtts = [Host::rfc("newreno", 10, rules), Host::ns2("newreno", 10, rules)].map(|mut h| {
        h.write(40_000);
        h.at(100); // 0 and 5 are lost
        h.acks(0, 8);
        h.at(180);
        h.ack_of_stamp(5, 100); // the retransmission of 0 took 80 ms
        srtt_ms(&h)
    });
    assert_eq!(srtts, [0.875 * 100.0 + 0.125 * 80.0, 100.0]);
}

/// The timed segment arrived long before the hole below it was filled.
#[test]
fn the_timeout_does_not_learn_the_wait_for_a_repair() {
    let mut h = Host::rfc("newreno", 10, |_| {});
    h.write(60_000);
    h.at(100); // 0 and 5 are lost
    h.acks(0, 8);
    h.at(200);
    h.ack(5); // new data leave with the duplicates, and one of them is timed
    h.acks(5, 6);
    h.at(300);
    let behind_the_hole = h.end.sender.snd_max();
    h.ack(behind_the_hole);
    assert_eq!(srtt_ms(&h), 100.0);
}
