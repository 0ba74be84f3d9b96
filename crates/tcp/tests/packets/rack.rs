//! RACK-TLP (RFC 8985) with PRR (RFC 9937), F-RTO (RFC 5682), and what takes a reduction back.

use cc::registry::Recovery;
use tcp::{Config, Profile, Role, TimerWheel};
use units::{Span, Time};

use crate::host::Host;

/// A sender with RACK-TLP and the rest by the RFCs, a cwnd of `cwnd` and a threshold equal to it.
fn rack(cwnd: u32, change: impl FnOnce(&mut Config)) -> Host {
    Host::rfc("newreno", cwnd, |c| {
        (c.recovery, c.prr) = (Some(Recovery::RackTlp), true);
        change(c);
    })
}

/// Tail probes, entries into recovery, and reductions taken back.
fn counts(h: &Host) -> (u64, u64, u64) {
    let stats = h.end.sender.stats();
    (stats.tail_probes, stats.fast_retransmits, stats.undone)
}

/// Ten segments leave at 0 ms, the first is lost. The third SACK allows no reordering (RFC 8985 section 6.2, step 4),
/// so that it is lost one RTT after it left. PRR sends half a segment for each that arrives: ceil(k * 5 / 10) after k.
#[test]
fn three_sacked_segments_begin_a_recovery_that_prr_paces() {
    let mut h = rack(10, |_| {});
    h.write(40_000);
    h.sent(0..10);
    h.at(100);
    h.sack(0, &[(1, 2)]);
    h.sack(0, &[(1, 3)]);
    h.sent([10, 11]); // what has arrived leaves room in the network
    h.sack(0, &[(1, 4)]);
    h.sent([0]); // 1 = ceil(0.5)
    h.windows(5.0, 5.0); // half of the ten; 10 and 11 left on account of SACKs
    h.sack(0, &[(1, 5)]);
    h.silent(); // ceil(1.0) = 1, sent already
    h.sack(0, &[(1, 6)]);
    h.sent([12]); // ceil(1.5) = 2
    h.sack(0, &[(1, 7)]);
    h.silent();
    h.at(200);
    h.ack(13);
    h.windows(5.0, 5.0);
    h.sent(13..18);
    assert_eq!((h.timeouts(), counts(&h)), (0, (0, 1, 0)));
}

/// RFC 8985 section 3.2: a lost retransmission is found by what was sent after it, where RFC 6675 waits for the timer.
#[test]
fn a_lost_retransmission_is_sent_again() {
    let mut h = rack(10, |_| {});
    h.write(40_000);
    h.at(100);
    h.sack(0, &[(1, 4)]); // 0 is lost: it leaves again
    h.at(110);
    h.sack(0, &[(1, 10)]);
    h.taken();
    assert!(h.end.sender.snd_max() > 10, "new data follow it");
    h.at(210);
    h.sack(0, &[(1, 11)]); // 10 left at 110 ms, after the second copy of 0
    assert_eq!(h.taken()[0].seq, 0);
    h.windows(5.0, 5.0); // the recovery is the same
    assert_eq!((h.timeouts(), counts(&h).1), (0, 1));
}

/// Two segments that arrive before another one may have overtaken it: it is given a quarter of the least RTT.
#[test]
fn an_overtaken_segment_has_a_quarter_of_the_least_rtt() {
    let mut h = rack(3, |_| {});
    h.write(3000);
    h.at(100);
    h.sack(0, &[(1, 3)]);
    assert_eq!(h.deadline_ms(), 125.0);
    h.taken();
    h.at(124);
    h.silent();
    h.at(125);
    h.sent([0]);
    assert_eq!((h.timeouts(), counts(&h)), (0, (0, 1, 0)));
}

/// It arrives within that time: nothing leaves again, and the order of arrivals is known not to be kept.
#[test]
fn what_arrives_late_is_not_sent_again() {
    let mut h = rack(6, |_| {});
    h.write(30_000);
    h.sent(0..6);
    h.at(100);
    h.sack(0, &[(1, 3)]);
    h.at(120);
    h.ack(3);
    h.windows(6.0 + 1.0 / 6.0, 6.0); // two of the three counted when they were SACKed
    let again = h.taken().iter().filter(|s| s.flags.has(tcp::Flags::RETRANSMITTED)).count();
    // from now on three SACKed segments are no reason to hurry
    h.at(220);
    h.sack(6, &[(7, 10)]);
    let later = h.taken().iter().filter(|s| s.flags.has(tcp::Flags::RETRANSMITTED)).count();
    assert_eq!((again, later, counts(&h).1), (0, 0, 0));
}

/// RFC 8985 section 7.2: two RTTs without an ACK, and the longest wait of a receiver if one segment is outstanding.
#[test]
fn a_probe_leaves_after_two_rtts() {
    for (segments, ms) in [(4, 200.0), (1, 400.0)] {
        let mut h = rack(4, |_| {});
        h.write(1000 * segments);
        assert_eq!(h.deadline_ms(), ms);
        h.taken();
        h.timeout();
        h.sent([segments as u32 - 1]); // the last one again
        assert_eq!(h.deadline_ms(), ms + 1000.0);
        assert_eq!((h.timeouts(), counts(&h)), (0, (1, 0, 0)));
    }
}

/// RFC 8985 section 7.3: new data if there are any, whatever cwnd is.
#[test]
fn a_probe_is_new_data_where_there_are_any() {
    let mut h = rack(4, |_| {});
    h.write(20_000);
    h.sent(0..4);
    h.timeout();
    h.sent([4]);
    h.windows(4.0, 4.0);
    // one probe for a tail: the next is the timer's
    h.timeout();
    h.sent([0]);
    assert_eq!((h.timeouts(), counts(&h).0), (1, 1));
}

/// Without probes it is the retransmission timer.
#[test]
fn probes_can_be_left_out() {
    let mut h = rack(4, |c| c.tail_probes = false);
    h.write(4000);
    assert_eq!(h.deadline_ms(), 1000.0);
}

/// RFC 8985 section 7.4: a probe that repairs a loss hides it, so that the window must pay for it, unless both copies
/// have arrived.
#[test]
fn a_loss_that_a_probe_repaired_costs_a_reduction() {
    for (twice, cuts) in [(false, 1), (true, 0)] {
        let mut h = rack(4, |_| {});
        h.write(4000);
        h.timeout(); // 3 again, at 200 ms
        h.write(4000);
        h.at(290);
        h.ack(2);
        h.at(400);
        if twice {
            h.sack(6, &[(3, 4)]);
        } else {
            h.ack(6);
        }
        assert_eq!(h.end.sender.stats().window_cuts, cuts, "came twice: {twice}");
    }
    // an ACK of the probe alone is no more than that
    let mut h = rack(4, |_| {});
    h.write(4000);
    h.timeout();
    h.at(300);
    h.ack(4);
    assert_eq!(h.end.sender.stats().window_cuts, 0);
}

/// A segment that was 130 ms on its way is sent again at 125 ms, in vain. Both copies arrive, and the receiver says so
/// (RFC 2883): the windows are as before (RFC 3708).
#[test]
fn a_dsack_takes_the_reduction_back() {
    let mut h = rack(8, |_| {});
    h.write(8000);
    h.at(100);
    h.sack(0, &[(1, 3)]);
    h.at(125);
    h.at(130);
    h.ack(8);
    h.windows(4.0, 4.0);
    h.at(225);
    h.sack(8, &[(0, 1)]);
    h.windows(8.0, 8.0);
    assert_eq!(counts(&h), (0, 1, 1));
}

/// The same at once where the ACK echoes the timestamp of the first copy (RFC 3522).
#[test]
fn a_timestamp_takes_the_reduction_back() {
    for (stamp, undone) in [(0, 1), (125, 0)] {
        let mut h = rack(8, |c| c.timestamps = true);
        h.write(8000);
        h.at(100);
        h.sack_of_stamp(0, &[(1, 3)], 0);
        h.at(130);
        h.ack_of_stamp(8, stamp);
        assert_eq!(counts(&h), (0, 1, undone));
    }
}

/// Not where that is switched off.
#[test]
fn reductions_stay_without_undo() {
    let mut h = rack(8, |c| (c.timestamps, c.undo) = (true, false));
    h.write(8000);
    h.at(100);
    h.sack_of_stamp(0, &[(1, 3)], 0);
    h.at(130);
    h.ack_of_stamp(8, 0);
    h.sack(8, &[(0, 1)]);
    h.windows(4.0, 4.0);
    assert_eq!(counts(&h).2, 0);
}

/// RFC 5682 section 3.1: the oldest segment leaves again, its ACK releases new data instead of the next copy, and an
/// ACK of segments that were sent once shows that the timeout was for nothing.
#[test]
fn a_timeout_for_nothing_is_taken_back() {
    let mut h = rack(4, |c| c.tail_probes = false);
    h.write(20_000);
    h.sent(0..4);
    h.timeout(); // 1000 ms
    h.sent([0]);
    h.windows(1.0, 2.0);
    h.at(1050);
    h.ack(1);
    h.sent([4, 5]);
    h.at(1060);
    h.ack(2);
    h.windows(4.25, 4.0); // and the ACK counts
    h.sent([]);
    assert_eq!((h.timeouts(), counts(&h).2), (1, 1));
}

/// New data arrive and the old do not: they are lost.
#[test]
fn a_timeout_with_reason_repairs_the_rest() {
    let mut h = rack(4, |c| c.tail_probes = false);
    h.write(20_000);
    h.timeout();
    h.at(1100);
    h.ack(1);
    h.taken();
    h.at(1200);
    h.sack(1, &[(4, 5)]);
    h.sent([1]);
    h.sack(1, &[(4, 6)]);
    h.sent([2]);
    assert_eq!((h.timeouts(), counts(&h).2), (1, 0));
}

/// What was SACKed is not sent again after a timeout.
#[test]
fn a_timeout_keeps_what_sacks_told() {
    let mut h = rack(6, |c| (c.tail_probes, c.undo) = (false, false));
    h.write(40_000);
    h.sent(0..6);
    h.at(100);
    h.sack(0, &[(1, 2)]);
    h.sent([6]);
    h.at(125);
    h.sent([0]);
    h.timeout();
    h.sent([0]);
    h.ack(2);
    h.sent([2, 3]);
    h.ack(4);
    h.sent([4, 5, 6]); // one, two, three: slow start counts an ACK for one segment here
    assert_eq!((h.timeouts(), counts(&h).1), (1, 1));
}

/// RFC 6298 section 5: a timeout is backed off until there is a sample. With timestamps an ACK of what was sent again
/// is one, so that losses in a row do not leave a timeout of many seconds.
#[test]
fn a_timestamp_ends_the_back_off() {
    let mut h = rack(4, |c| (c.timestamps, c.tail_probes) = (true, false));
    h.write(40_000);
    h.timeout();
    h.timeout(); // at 3000 ms, and the next would be 4 s later
    h.at(3100);
    h.ack_of_stamp(1, 3000);
    assert!(h.deadline_ms() <= 4100.0, "{}", h.deadline_ms());
}

/// ssthresh is taken once: a timeout in a recovery leaves it.
#[test]
fn a_timeout_in_a_recovery_keeps_ssthresh() {
    let mut h = rack(10, |c| c.tail_probes = false);
    h.write(10_000);
    h.at(100);
    h.sack(0, &[(1, 4)]);
    h.windows(5.0, 5.0);
    h.timeout();
    assert_eq!((h.timeouts(), h.end.sender.ssthresh_segments()), (1, 5.0));
}

/// Linux's window grows to twice what was outstanding in the last round, whether or not it was full.
#[test]
fn a_window_that_is_not_full_may_double_in_linux() {
    let mut h = Host::open(Config::profile(Profile::Linux), "newreno", |_| {});
    h.write(10_000);
    for n in 1..=10 {
        h.at(100 + u64::from(n));
        h.ack(n);
    }
    // ten were outstanding: from 10 to 20, though nothing more was to be sent
    assert_eq!(h.end.sender.cwnd(), 20.0);
    h.write(1000);
    h.at(300);
    h.ack(11);
    assert_eq!(h.end.sender.cwnd(), 20.0);
}

/// The timeout of Linux: srtt and a variance of 200 ms at least, in whole milliseconds, on a wheel with steps of 8 ms.
#[test]
fn the_timeout_of_linux() {
    let mut h = Host::open(Config::profile(Profile::Linux), "newreno", |c| {
        (c.timer_wheel, c.tail_probes) = (TimerWheel::Linux, false);
    });
    h.write(1000);
    // 100 ms after the start: due at 100 + 300 = 400, the next step is 408; 308 after the opening
    assert_eq!(h.deadline_ms(), 308.0);
}

/// A SYN that was lost costs Linux no initial window, and the timestamp of the answer tells the RTT; two do cost it.
/// The SYN may have left again because the RTT is longer than a second.
#[test]
fn a_lost_syn_in_linux() {
    for (lost, first, cwnd) in [(1, false, 10.0), (2, false, 1.0), (1, true, 10.0)] {
        let mut h =
            Host::closed(Config::profile(Profile::Linux), "newreno", Role::Active { peer_sends: false }, |_| {});
        h.end.open();
        h.write(0);
        (0..lost).for_each(|_| h.timeout());
        let sent = if first { Time::ZERO } else { h.now() };
        let answered = h.now() + Span::from_millis(100);
        h.set_now(answered);
        h.syn_ack_of(sent);
        assert_eq!((h.end.sender.cwnd(), h.end.sender.path().srtt), (cwnd, answered.since(sent)));
    }
}

/// Tahoe starts over with one segment, and its slow start repairs what is lost, and nothing else. Segments 0 and 5 of
/// ten are lost; the halved window of five ends the slow start.
#[test]
fn tahoe_repairs_in_slow_start() {
    let mut h = Host::rfc("tahoe", 10, |c| c.recovery = Some(Recovery::RackTlp));
    h.write(40_000);
    h.sent(0..10);
    h.at(100);
    h.sack(0, &[(1, 5), (6, 8)]);
    h.sent([0]); // at once, though 8 and 9 are on their way
    h.windows(1.0, 5.0);
    h.sack(0, &[(1, 5), (6, 10)]);
    h.silent();
    h.at(200);
    h.sack(5, &[(6, 10)]);
    h.windows(2.0, 5.0);
    h.sent([5, 10]); // what is lost, and new data
    h.at(300);
    h.ack(11);
    assert!(h.timeouts() == 0 && counts(&h).1 == 1);
}

/// Once a probe is on its way there is none: the timer goes on. Linux asks again at the time of a second one; its timer
/// runs from when the oldest segment left, which was at 400 ms.
#[test]
fn there_is_no_second_probe() {
    for (as_linux, wakes) in [(false, 1400.0), (true, 700.0)] {
        let mut h = rack(10, |c| c.linux_recovery = as_linux);
        h.write(1000);
        h.sent([0]);
        h.at(400); // two RTTs and 200 ms
        h.sent([0]);
        h.at(500);
        h.write(1000);
        h.sent([1]);
        assert_eq!(h.deadline_ms(), wakes);
        h.at(700);
        h.silent();
        assert_eq!((h.deadline_ms(), h.timeouts()), (1400.0, 0));
    }
}
