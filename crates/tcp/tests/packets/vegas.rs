//! Vegas' recovery in the `ns2` profile, as real ns-2 shows it when a list of packets is lost.

use crate::host::Host;

/// Window 1 until the first ACK of data, then 4: segments 1 to 4 are out, 1 is lost.
fn four_out() -> Host {
    let mut h = Host::ns2("vegas", 4, |_| {});
    h.write(60_000);
    h.sent([0]);
    h.at(100);
    h.ack(1);
    h.sent(1..5);
    h.at(200);
    h
}

/// When a repair ends with everything acknowledged, the next segment has no time of departure: it counts as overdue,
/// leaves as a repair, and once more in its turn.
#[test]
fn a_segment_that_was_never_sent_is_repaired() {
    let mut h = four_out();
    h.acks(1, 3); // 4 - 4/4 = 3, inflated by 3
    h.sent([1, 5, 6]);
    h.at(300);
    h.ack(7);
    h.sent([7, 7, 8, 9, 10, 11, 12]); // three duplicates are not more than the threshold: the window stays at 3 + 3
}

/// After a timeout there is no window to go back to. A recovery that cuts nothing then leaves none, and only the timer,
/// which runs with nothing outstanding, opens it again.
#[test]
fn a_recovery_without_a_cut_after_a_timeout_shuts_the_window() {
    let mut h = four_out();
    h.acks(1, 3);
    h.sent([1, 5, 6]);
    h.timeout();
    h.sent([1, 2]);
    h.ack(7); // threshold 6/2, from the inflated window: slow start, 2 + 1
    h.sent([7, 7, 8, 9]);
    h.ack(7); // the fourth duplicate, as the repair counted for three
    h.sent([10]);
    h.ack(8);
    h.ack(11);
    h.silent();
    assert_eq!(h.timeouts(), 1);
    h.timeout();
    h.sent([11, 12]);
    assert_eq!(h.timeouts(), 2);
}

/// Outside of the profile: eight segments out at once, and nothing else to send. The SYN took 100 ms, so the
/// fine-grained timeout is 100 + 2 * 25 = 150 ms.
fn eight_out() -> Host {
    let mut h = Host::rfc("vegas", 8, |_| {});
    h.write(8000);
    h.sent(0..8);
    h
}

/// The first duplicate is enough if the segment is overdue; and so are the next two ACKs.
#[test]
fn an_overdue_segment_is_sent_again_at_the_first_duplicate() {
    let mut h = eight_out();
    h.at(149);
    h.ack(0);
    h.silent();
    h.at(151);
    h.ack(0);
    h.sent([0]);
    h.windows(6.0, 8.0); // 8 - 8/4
    h.ack(0); // the third: no second time
    h.silent();
    h.at(300);
    h.ack(1); // 1 has been out for 300 ms, and the timeout is 150 * 9/8 = 168.75 ms
    h.sent([1]);
    h.windows(6.0, 2.0); // no second cut
    h.ack(2);
    h.sent([2]);
    h.ack(3); // the third ACK does not look
    h.silent();
    h.windows(6.0, 2.0);
    assert_eq!(h.timeouts(), 0);
}

/// Repairs make the timeout longer: by an eighth, and twice as long where the segment had been sent again already.
#[test]
fn a_repair_lengthens_the_fine_timeout() {
    let mut h = eight_out();
    h.at(151);
    h.ack(0);
    h.sent([0]);
    // 168.75 ms later
    h.at(319);
    h.ack(0);
    h.silent();
    h.at(320);
    h.ack(0);
    h.sent([0]);
    h.windows(6.0, 8.0); // sent when the window was cut, so it is not cut again
    // 337.5 ms later
    h.at(657);
    h.ack(0);
    h.silent();
    h.at(658);
    h.ack(0);
    h.sent([0]);
    assert_eq!(h.timeouts(), 0);
}

/// A sample of 140 ms: srtt 105, mdev 25 + (40 - 25)/4 = 28.75, timeout 17/16 * (105 + 57.5) = 172.66 ms.
#[test]
fn the_fine_timeout_follows_the_samples() {
    let mut h = eight_out();
    h.at(140);
    h.ack(1);
    h.at(172);
    h.ack(1);
    h.silent();
    h.at(173);
    h.ack(1);
    h.sent([1]);
}

/// An ACK after a repair that finds the next segment in time ends the watch: the one after it does not look, whatever
/// it finds.
#[test]
fn a_segment_in_time_ends_the_watch() {
    let mut h = eight_out();
    h.at(100);
    h.acks(0, 2);
    h.silent();
    h.ack(0);
    h.sent([0]);
    h.at(160);
    h.ack(1); // 160 of 168.75 ms
    h.silent();
    h.at(400);
    h.ack(2); // a sample of 400 ms: 17/16 * (137.5 + 2 * 93.75) = 345.3 ms, and 3 has been out for 400
    h.silent();
    assert_eq!(h.timeouts(), 0);
}

/// A second loss in a segment that was sent after the first cut.
#[test]
fn a_segment_sent_after_the_last_cut_costs_a_quarter_again() {
    let mut h = Host::rfc("vegas", 8, |_| {});
    h.write(60_000);
    h.sent(0..8);
    h.at(100);
    h.acks(0, 3);
    // 6, inflated by 3
    h.sent([0, 8]);
    h.windows(6.0, 8.0);
    h.at(200);
    h.ack(9);
    h.sent(9..15);
    h.at(300);
    h.acks(9, 3); // sent after the first cut: 6 - 1 = 5
    h.windows(5.0, 2.0);
}
