//! Receivers by themselves, most with the rules of ns-2.

use super::*;
use crate::{EcnEcho, Profile};

fn data(seq: u32) -> Segment {
    Segment {
        seq,
        ack: 0,
        window: 0,
        size: 1040,
        flags: Flags::DATA,
        ts_val: Time(u64::from(seq)),
        ts_ecr: Time::ZERO,
        sack: SackBlocks::NONE,
    }
}

fn receiver(change: impl Fn(&mut Config)) -> Receiver {
    let mut config = Config::profile(Profile::Ns2);
    change(&mut config);
    Receiver::new(&config, true)
}

fn ack(r: &mut Receiver) -> Segment {
    ack_at(r, 9)
}

fn ack_at(r: &mut Receiver, now: u64) -> Segment {
    let mut out = Segment { flags: Flags::default(), ..data(0) };
    r.acknowledge(Time(now), &mut out);
    out
}

#[test]
fn blocks_are_reported_newest_first_and_joined() {
    let mut r = receiver(|_| {});
    for n in [0, 2, 4, 6] {
        r.on_data(Time(1), &data(n));
    }
    assert_eq!(ack(&mut r).sack.as_slice(), [(6, 7), (4, 5), (2, 3)]);
    r.on_data(Time(2), &data(3)); // joins 2 and 4
    assert_eq!(ack(&mut r).sack.as_slice(), [(2, 5), (6, 7)]);
    r.on_data(Time(3), &data(1)); // fills the first gap
    let a = ack(&mut r);
    assert_eq!((a.ack, a.sack.as_slice()), (5, &[(6, 7)][..]));
    r.on_data(Time(4), &data(5));
    let a = ack(&mut r);
    assert_eq!((a.ack, a.sack.is_empty()), (7, true));
}

/// 2 and 4 are ranges of their own, then 6 and 8; 3 joins the first two. RFC 2018 section 4 has the range with the
/// segment that came last first; ns-2's FullTcp has it where 2 was, behind 6 and 8.
#[test]
fn a_range_joined_from_two_is_the_newest_but_not_in_ns2s_fulltcp() {
    let blocks = |mut r: Receiver| {
        for n in [0, 2, 4, 6, 8, 3] {
            r.on_data(Time(1), &data(n));
        }
        ack(&mut r).sack.as_slice().to_vec()
    };
    assert_eq!(blocks(receiver(|_| {})), [(2, 5), (8, 9), (6, 7)]);
    let full = Config::profile(Profile::Ns2).with_agent(crate::Agent::Full);
    assert_eq!(blocks(Receiver::new(&full, true)), [(8, 9), (6, 7), (2, 5)]);
}

#[test]
fn every_second_segment_is_acknowledged_or_the_timer_fires() {
    let mut r = receiver(|c| c.delayed_ack = 2);
    r.on_data(Time(1_000_000), &data(0));
    assert!(!r.ack_due());
    assert_eq!(r.deadline(), Time(101_000_000));
    r.on_data(Time(2_000_000), &data(1));
    assert!(r.ack_due());
    ack(&mut r);
    assert_eq!(r.deadline(), Time::NEVER);
    r.on_data(Time(3_000_000), &data(2));
    r.on_timer();
    assert!(r.ack_due());
}

#[test]
fn the_heartbeat_fires_at_multiples() {
    let mut r = receiver(|c| {
        c.delayed_ack = 2;
        c.delayed_ack_mode = DelackMode::Heartbeat;
    });
    r.on_data(Time(130_000_000), &data(0));
    assert_eq!(r.deadline(), Time(200_000_000));
}

#[test]
fn out_of_order_and_old_segments_are_acknowledged_at_once() {
    let mut r = receiver(|c| c.delayed_ack = 2);
    r.on_data(Time(1), &data(1));
    assert!(r.ack_due());
    ack(&mut r);
    r.on_data(Time(2), &data(1));
    assert!(r.ack_due());
    assert_eq!(r.stats.duplicate_segments, 1);
    ack(&mut r);
    r.on_data(Time(3), &data(0)); // fills the gap
    assert!(r.ack_due());
    assert_eq!(ack(&mut r).ack, 2);
}

#[test]
fn the_echo_does_not_advance_during_a_hole() {
    let mut r = receiver(|_| {});
    r.on_data(Time(1), &data(0)); // stamped 0
    ack(&mut r);
    r.on_data(Time(2), &data(1)); // stamped 1
    assert_eq!(ack(&mut r).ts_ecr, Time(1));
    r.on_data(Time(3), &data(3)); // above the hole
    assert_eq!(ack(&mut r).ts_ecr, Time(1));
    r.on_data(Time(4), &data(2)); // the hole
    assert_eq!(ack(&mut r).ts_ecr, Time(2));
}

#[test]
fn the_latched_echo_lasts_until_cwr() {
    let mut r = receiver(|c| c.ecn = true);
    let marked = |n, flags: u16| Segment { flags: Flags(Flags::DATA.0 | flags), ..data(n) };
    r.on_data(Time(1), &marked(0, Flags::CE.0));
    assert!(ack(&mut r).flags.has(Flags::ECE));
    r.on_data(Time(2), &marked(1, 0));
    assert!(ack(&mut r).flags.has(Flags::ECE));
    r.on_data(Time(3), &marked(2, Flags::CWR.0));
    assert!(!ack(&mut r).flags.has(Flags::ECE));
}

#[test]
fn the_per_packet_echo_follows_each_segment() {
    let mut r = receiver(|c| c.ecn_echo = EcnEcho::PerPacket);
    r.on_data(Time(1), &Segment { flags: Flags(Flags::DATA.0 | Flags::CE.0), ..data(0) });
    assert!(ack(&mut r).flags.has(Flags::ECE));
    r.on_data(Time(2), &data(1));
    assert!(!ack(&mut r).flags.has(Flags::ECE));
}

proptest::proptest! {
    #[test]
    fn the_signs_of_delayed_acks_cover_the_marked_segments_and_no_others(
        marks in proptest::collection::vec(proptest::bool::ANY, 1..60),
        every in 1u32..6,
    ) {
        let mut r = receiver(|c| (c.ecn_echo, c.delayed_ack) = (EcnEcho::PerPacket, every));
        let mut covered = 0;
        let mut take = |r: &mut Receiver, now| {
            let mut acks = 0;
            while r.ack_due() {
                let a = ack(r);
                for n in covered..a.ack {
                    assert_eq!(a.flags.has(Flags::ECE), marks[n as usize], "segment {n}, at {now}");
                }
                assert!(a.ack > covered, "an ACK that acknowledges nothing");
                covered = a.ack;
                acks += 1;
            }
            assert!(acks <= 2);
        };
        for (n, &mark) in marks.iter().enumerate() {
            let flags = if mark { Flags::DATA.0 | Flags::CE.0 } else { Flags::DATA.0 };
            r.on_data(Time(n as u64), &Segment { flags: Flags(flags), ..data(n as u32) });
            take(&mut r, n);
        }
        r.on_timer();
        take(&mut r, marks.len());
        assert_eq!(covered as usize, marks.len());
    }
}

#[test]
fn an_ack_says_that_it_was_held_back() {
    let mut r = receiver(|c| {
        c.delayed_ack = 2;
        c.delayed_ack_timer = Span(100);
    });
    let held = |segment: Segment| segment.flags.has(Flags::DELAYED);
    // two in order: the second is acknowledged as it comes
    r.on_data(Time(10), &data(0));
    r.on_data(Time(20), &data(1));
    assert!(!held(ack_at(&mut r, 20)));
    // one, and the timer
    r.on_data(Time(30), &data(2));
    r.on_timer();
    assert!(held(ack_at(&mut r, 130)));
    // one, and then one above a gap: the ACK of the first waited for the second
    r.on_data(Time(140), &data(3));
    r.on_data(Time(150), &data(5));
    assert!(held(ack_at(&mut r, 150)));
    r.on_data(Time(160), &data(6));
    assert!(!held(ack_at(&mut r, 160)));
    // the gap is filled by the segment at hand
    r.on_data(Time(170), &data(4));
    assert!(!held(ack_at(&mut r, 170)));
    // an ACK that rides on data of the same instant did not wait, one that does so later did
    r.on_data(Time(180), &data(7));
    assert!(!held(ack_at(&mut r, 180)));
    r.on_data(Time(190), &data(8));
    assert!(held(ack_at(&mut r, 195)));
}

/// 45 segments of 1448 bytes are 65 160 bytes; each that arrives makes room for two more, a held one as well as one in
/// order, but not one that came before. Others offer all from the start.
#[test]
fn the_window_of_linux_is_offered_as_far_as_it_has_grown() {
    let mut config = Config { mss: 1448, window: 60, ..Config::profile(Profile::Linux) };
    let mut r = Receiver::new(&config, true);
    assert_eq!(r.offered(), 45);
    for (number, offered) in [(0, 47), (2, 49), (2, 49), (1, 51), (3, 53), (4, 55), (5, 57), (6, 59)] {
        r.on_data(Time(1), &data(number));
        assert_eq!(r.offered(), offered, "after {number}");
    }
    r.on_data(Time(1), &data(7));
    assert_eq!(r.offered(), 60); // nothing left to grow
    config = Config { mss: 1448, window: 60, ..Config::profile(Profile::Rfc) };
    assert_eq!(Receiver::new(&config, true).offered(), u32::MAX);
}

/// Without SACK only what comes in order makes the window larger, also what fills a gap, so that ACKs above a gap are
/// duplicates: 45 segments, and two more with each.
#[test]
fn without_sack_the_window_does_not_grow_above_a_gap() {
    let config = Config { mss: 1448, window: 200, ..Config::profile(Profile::Linux) };
    let mut r = Receiver::new(&config, false);
    for (number, offered) in [(0, 47), (2, 47), (3, 47), (1, 49), (4, 51)] {
        r.on_data(Time(1), &data(number));
        assert_eq!(r.offered(), offered, "after {number}");
    }
}

/// 100 segments behind a gap take up 100 * 724 bytes and 9 * 700 in nine packets, beyond 1672 that are there for them:
/// 77 028 bytes, more than 53 segments of 1448. The end of what is offered stays where it was when that is less than
/// before, so that each segment in order makes it shorter by one, and when nothing is held all is offered again.
#[test]
fn what_is_held_leaves_less_of_the_window() {
    let config = Config { mss: 1448, window: 200, ..Config::profile(Profile::Linux) };
    let mut r = Receiver::new(&config, true);
    (0..80).for_each(|number| r.on_data(Time(1), &data(number)));
    assert_eq!(r.offered(), 200);
    (82..182).for_each(|number| r.on_data(Time(1), &data(number)));
    assert_eq!(r.offered(), 200);
    r.on_data(Time(1), &data(80));
    assert_eq!(r.offered(), 199);
    r.on_data(Time(1), &data(81));
    assert_eq!(r.rcv_nxt(), 182);
    assert_eq!(r.offered(), 145); // 200 - 55: the 100 are still to be read, 78 700 bytes
    r.on_data(Time(1), &data(182));
    assert_eq!(r.offered(), 200);
}

/// A repair that left after it has come first: what left 2 ms before that is refused, and said to be missing at once;
/// after 1 ms it is taken. Otherwise it is always.
#[test]
fn linux_refuses_what_is_older_than_what_it_echoes() {
    for (profile, age_ms, taken) in
        [(Profile::Linux, 2, false), (Profile::Linux, 1, true), (Profile::Rfc, 2, true), (Profile::Ns2, 2, true)]
    {
        let mut r = Receiver::new(&Config { timestamps: true, ..Config::profile(profile) }, true);
        let stamped = |number, ms: u64| Segment { ts_val: Time(ms * 1_000_000), ..data(number) };
        r.on_data(Time(60_000_000), &stamped(0, 10));
        ack_at(&mut r, 60_000_000);
        r.on_data(Time(70_000_000), &stamped(2, 12));
        ack_at(&mut r, 70_000_000);
        r.on_data(Time(80_000_000), &stamped(1, 30));
        ack_at(&mut r, 80_000_000);
        r.on_data(Time(81_000_000), &stamped(3, 30 - age_ms));
        assert_eq!((r.rcv_nxt(), r.stats.duplicate_segments), if taken { (4, 0) } else { (3, 1) });
        let ack = ack_at(&mut r, 81_000_000);
        assert!(taken || ack.ack == 3);
        assert!(profile != Profile::Linux || ack.ts_ecr == Time(30_000_000), "TS.Recent does not go back");
    }
}

/// An ACK waits that tells of three blocks; a segment that is in neither of the two newest ones lets it leave as it is,
/// and has no ACK of its own. One that lengthens the newest block waits with it.
#[test]
fn an_ack_that_waits_leaves_before_a_block_is_pushed_out() {
    let mut config = Config::profile(Profile::Linux);
    config.quick_acks = 1;
    let mut r = Receiver::new(&config, true);
    r.on_data(Time(0), &data(0));
    ack_at(&mut r, 0);
    for number in [2, 4, 6] {
        r.on_data(Time(1), &data(number));
        assert!(r.ack_due());
        ack_at(&mut r, 1);
    }
    r.on_data(Time(2), &data(7));
    assert!(!r.ack_due());
    r.on_data(Time(3), &data(8));
    assert!(!r.ack_due());
    r.on_data(Time(4), &data(20));
    assert!(r.ack_due());
    assert_eq!(ack_at(&mut r, 4).sack.as_slice(), [(6, 9), (4, 5), (2, 3)]);
    assert!(!r.ack_due() && r.deadline() == Time::NEVER);
    r.on_data(Time(5), &data(9));
    assert!(!r.ack_due());
    r.on_timer();
    assert_eq!(ack_at(&mut r, 2_000_000).sack.as_slice(), [(6, 10), (20, 21), (4, 5)]);
}

/// The answer to the SYN was acknowledged after 10 ms, a 20th of which is 0.5 ms; the first data need not tell. Nothing
/// waits for longer than 1 ms, and the timer is 0.1 ms late.
#[test]
fn duplicates_wait_for_a_20th_of_the_handshake() {
    for (rtt_ms, waits_us) in [(10, 600), (15, 850), (20, 1100), (100, 1100)] {
        let mut config = Config::profile(Profile::Linux);
        config.quick_acks = 1;
        let mut r = Receiver::new(&config, true);
        r.on_syn(Time(0), &Segment { flags: Flags::SYN, ..data(0) });
        ack_at(&mut r, 0);
        r.on_open(Time(rtt_ms * 1_000_000));
        let late = Time(300_000_000);
        r.on_data(late, &data(0));
        ack_at(&mut r, late.0);
        for n in 2..5 {
            r.on_data(late, &data(n));
            assert!(r.ack_due());
            ack_at(&mut r, late.0);
        }
        r.on_data(late, &data(5));
        assert!(!r.ack_due());
        assert_eq!(r.deadline().since(late), Span(waits_us * 1000));
    }
}
