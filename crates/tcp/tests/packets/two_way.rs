//! Data in both directions: piggybacked and delayed ACKs, and what counts as a duplicate.

use tcp::{Config, Flags, Role};
use units::Span;

use crate::host::Host;

fn both_ways(change: impl FnOnce(&mut tcp::Config)) -> Host {
    let mut h = Host::closed(Config::classic(), "newreno", Role::Active { peer_sends: true }, |c| {
        c.initial_window = tcp::InitialWindow::Segments(4);
        c.limited_transmit = 0;
        change(c);
    });
    h.handshake(Span::from_millis(100));
    let third = h.taken();
    assert_eq!(third.len(), 1); // the peer may begin only when its answer to the SYN is acknowledged
    assert!(!third[0].flags.has(Flags::DATA) && third[0].flags.has(Flags::ACK));
    h
}

/// RFC 9293 section 3.8.6.3 and RFC 5681 section 4.2: an ACK for at least every second segment, within 500 ms; here the
/// timer is 100 ms.
#[test]
fn a_second_segment_or_the_timer_brings_the_ack() {
    let mut h = both_ways(|_| {});
    h.peer_data(0, 0);
    h.silent();
    h.peer_data(1, 0);
    let acks = h.taken();
    assert_eq!((acks.len(), acks[0].ack), (1, 2));
    h.at(50);
    h.peer_data(2, 0);
    assert_eq!(h.deadline_ms(), 150.0);
    h.at(150);
    assert_eq!(h.taken()[0].ack, 3);
}

/// A data segment carries the ACK, so that no pure one is needed.
#[test]
fn data_carry_the_ack() {
    let mut h = both_ways(|_| {});
    h.peer_data(0, 0); // delayed
    h.write(1000);
    let sent = h.taken();
    assert_eq!((sent.len(), sent[0].seq, sent[0].ack), (1, 0, 1));
    assert!(sent[0].flags.has(Flags::DATA) && sent[0].flags.has(Flags::ACK));
    h.at(90);
    h.silent(); // the timer of the delayed ACK is off
    assert_eq!(h.deadline_ms(), 1000.0);
    // an arrival out of order asks for an ACK at once; the window is open, so it rides on data
    h.write(1000);
    h.taken();
    h.peer_data(3, 1);
    let acks = h.taken();
    assert_eq!((acks.len(), acks[0].flags.has(Flags::DATA), acks[0].ack), (1, false, 1));
}

/// RFC 5681 section 2: an ACK is a duplicate only if "the incoming acknowledgment carries no data".
#[test]
fn data_segments_are_no_duplicate_acks() {
    for (count_them, then) in [(false, None), (true, Some(0))] {
        let mut h = both_ways(|c| c.dupack_from_data = count_them);
        h.write(90_000);
        h.sent(0..4);
        h.at(100); // 0 is lost
        (0..3).for_each(|n| h.peer_data(n, 0));
        let again = h.taken().iter().find(|s| s.flags.has(Flags::DATA)).map(|s| s.seq);
        assert_eq!(again, then);
        h.acks(0, if count_them { 0 } else { 3 });
        let again = h.taken().iter().find(|s| s.flags.has(Flags::DATA)).map(|s| s.seq);
        assert_eq!(again, if count_them { None } else { Some(0) });
    }
}

/// RFC 6675 section 2: with SACK it does not matter whether data ride along.
#[test]
fn sack_blocks_count_on_data_too() {
    let mut h = both_ways(|c| c.recovery = Some(cc::registry::Recovery::Sack));
    h.write(90_000);
    h.sent(0..4);
    h.at(100);
    for n in 0..3 {
        let mut segment = tcp::Segment {
            seq: n,
            ack: 0,
            window: h.peer_window,
            size: 1040,
            flags: Flags(Flags::ACK.0 | Flags::DATA.0),
            ts_val: units::Time::ZERO,
            ts_ecr: units::Time::ZERO,
            sack: tcp::SackBlocks::NONE,
        };
        segment.sack.push(1, 2 + n);
        h.receive(segment);
    }
    assert!(h.taken().iter().any(|s| s.flags.has(Flags::DATA) && s.seq == 0));
}

/// The passive end sends as well, once its answer to the SYN is acknowledged.
#[test]
fn the_passive_end_sends() {
    let mut h = Host::closed(Config::classic(), "newreno", Role::Passive, |_| {});
    h.write(3000);
    h.silent();
    let mut syn = tcp::Segment {
        seq: 0,
        ack: 0,
        window: 100,
        size: 40,
        flags: Flags::SYN,
        ts_val: units::Time::ZERO,
        ts_ecr: units::Time::ZERO,
        sack: tcp::SackBlocks::NONE,
    };
    h.receive(syn);
    assert!(h.taken()[0].flags.has(Flags::SYN));
    syn.flags = Flags::ACK;
    h.receive(syn);
    h.sent(0..3);
}
