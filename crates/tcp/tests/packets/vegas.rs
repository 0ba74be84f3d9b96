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

/// When a repair ends with everything acknowledged, the next segment has no time of departure: it counts as overdue, leaves
/// as a repair, and once more in its turn.
#[test]
fn a_segment_that_was_never_sent_is_repaired() {
    let mut h = four_out();
    h.acks(1, 3); // 4 - 4/4 = 3, inflated by 3
    h.sent([1, 5, 6]);
    h.at(300);
    h.ack(7);
    h.sent([7, 7, 8, 9, 10, 11, 12]); // three duplicates are not more than the threshold: the window stays at 3 + 3
}

/// After a timeout there is no window to go back to. A recovery that cuts nothing then leaves none, and only the timer, which
/// runs with nothing outstanding, opens it again.
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
