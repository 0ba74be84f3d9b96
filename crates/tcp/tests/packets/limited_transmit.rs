//! Limited transmit: RFC 3042, for every threshold that the papers use.

use tcp::Profile;

use crate::host::Host;

/// RFC 3042 section 2: "The amount of outstanding data would remain less than or equal to the congestion window plus 2
/// segments". With a threshold of D there are D - 1 duplicates to answer; D = 1 leaves no room.
#[test]
fn new_segments_leave_on_the_first_duplicates() {
    for threshold in 1..=10 {
        for (profile, most) in [(Profile::Rfc, 2), (Profile::Ns2, u32::MAX)] {
            let change = |c: &mut tcp::Config| {
                c.dup_threshold = threshold;
                c.limited_transmit = most;
            };
            let mut h = match profile {
                Profile::Rfc => Host::rfc("newreno", 20, change),
                _ => Host::ns2("newreno", 20, change),
            };
            h.write(90_000);
            h.sent(0..20);
            h.at(100);
            h.acks(0, threshold as usize - 1);
            let limited = most.min(threshold - 1);
            h.sent(20..20 + limited);
            h.windows(20.0, 20.0); // RFC 3042: "the congestion window (cwnd) MUST NOT be changed"
            h.ack(0);
            h.sent([0]);
            // RFC 5681 section 3.2, step 2: "additional data sent in limited transmit MUST NOT be included in this
            // calculation"
            h.windows(10.0, 10.0);
        }
    }
}

/// The same with SACK, where the pipe makes the room: RFC 6675 section 5, step 3, and step 4.2 about the halving.
#[test]
fn the_pipe_lets_new_segments_leave_on_the_first_duplicates() {
    for threshold in 1..=10 {
        let mut h = Host::rfc("sack", 20, |c| {
            c.dup_threshold = threshold;
            c.limited_transmit = 2;
        });
        h.write(90_000);
        h.sent(0..20);
        h.at(100);
        (1..threshold).for_each(|n| h.sack(0, &[(1, 1 + n)]));
        h.sent(20..20 + (threshold - 1).min(2));
        h.windows(20.0, 20.0);
        h.sack(0, &[(1, 1 + threshold)]);
        h.sent([0]);
        h.windows(10.0, 10.0);
    }
}

/// Switched off, with and without SACK.
#[test]
fn nothing_leaves_without_it() {
    for algorithm in ["newreno", "sack"] {
        let mut h = Host::rfc(algorithm, 10, |_| {});
        h.write(90_000);
        h.sent(0..10);
        h.at(100);
        h.sack(0, &[(1, 2)]);
        h.sack(0, &[(1, 3)]);
        h.silent();
    }
}

/// RFC 3042 section 2: "The receiver's advertised window allows the transmission of the segment."
#[test]
fn the_receivers_window_holds_it_back() {
    for algorithm in ["newreno", "sack"] {
        let mut h = Host::rfc(algorithm, 10, |c| {
            c.limited_transmit = 2;
            c.window = 11;
        });
        h.write(90_000);
        h.sent(0..10);
        h.at(100);
        h.sack(0, &[(1, 2)]);
        h.sack(0, &[(1, 3)]);
        h.sent([10]);
    }
}
