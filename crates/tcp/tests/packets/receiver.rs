//! The receiving half as in today's hosts: what came twice is reported, the first segments are acknowledged one by one,
//! and duplicates wait for each other.

use tcp::{Config, DelackMode, Flags, Profile, Receiver, SackBlocks, Segment};
use units::{Span, Time};

/// A receiver of Linux, and what it has to say.
struct Lab {
    receiver: Receiver,
    now: Time,
}

fn blank(seq: u32, flags: Flags) -> Segment {
    let (ts_val, ts_ecr) = (Time::ZERO, Time::ZERO);
    Segment { seq, ack: 0, window: 0, size: 1500, flags, ts_val, ts_ecr, sack: SackBlocks::NONE }
}

impl Lab {
    /// The SYN came at 0 ms, and the first data will at 100 ms.
    fn new(change: impl FnOnce(&mut Config)) -> Lab {
        let mut config = Config::profile(Profile::Linux);
        change(&mut config);
        let mut receiver = Receiver::new(&config, true);
        receiver.on_syn(Time::ZERO, &blank(0, Flags::SYN));
        receiver.acknowledge(Time::ZERO, &mut blank(0, Flags::default()));
        Lab { receiver, now: Time::ZERO + Span::from_millis(100) }
    }

    /// A segment arrives: the number and the blocks of the ACK that leaves at once, if one does.
    fn data(&mut self, seq: u32) -> Option<(u32, Vec<(u32, u32)>)> {
        self.receiver.on_data(self.now, &blank(seq, Flags::DATA));
        self.answer()
    }

    fn answer(&mut self) -> Option<(u32, Vec<(u32, u32)>)> {
        self.receiver.ack_due().then(|| {
            let mut ack = blank(0, Flags::default());
            self.receiver.acknowledge(self.now, &mut ack);
            (ack.ack, ack.sack.as_slice().to_vec())
        })
    }

    /// How long until its timer expires, microseconds.
    fn waits_us(&self) -> u64 {
        self.receiver.deadline().since(self.now).0 / 1000
    }
}

/// RFC 2883 section 4.1: the first block is the segment that came twice, below the ACK number or within the next block.
#[test]
fn a_segment_that_came_twice_is_the_first_block() {
    let mut lab = Lab::new(|_| {});
    (0..4).for_each(|n| drop(lab.data(n)));
    assert_eq!(lab.data(2), Some((4, vec![(2, 3)])));
    assert_eq!(lab.data(6), Some((4, vec![(6, 7)])));
    assert_eq!(lab.data(7), Some((4, vec![(6, 8)])));
    assert_eq!(lab.data(6), Some((4, vec![(6, 7), (6, 8)])));
    assert_eq!(lab.data(8), Some((4, vec![(6, 9)]))); // said once
    let mut silent = Lab::new(|c| c.dsack = false);
    (0..4).for_each(|n| drop(silent.data(n)));
    assert_eq!(silent.data(2), Some((4, vec![])));
}

/// While the window grows each segment is acknowledged, then every second one, and sixteen again after one that came
/// twice.
#[test]
fn the_first_segments_are_acknowledged_one_by_one() {
    let mut lab = Lab::new(|c| c.quick_acks = 5);
    let acked: Vec<bool> = (0..10).map(|n| lab.data(n).is_some()).collect();
    assert_eq!(acked, [true, true, true, true, true, false, true, false, true, false]);
    lab.data(3);
    let acked = (10..30).filter(|&n| lab.data(n).is_some()).count();
    assert_eq!(acked, 16 + 2);
}

/// 65 535 bytes at first, two segments more with each: (1024 * 1000 - 65 535) / 2000 = 479.2. And 16 more.
#[test]
fn as_many_as_the_window_needs_to_grow() {
    let mut lab = Lab::new(|c| (c.mss, c.window) = (1000, 1024));
    let quick = (0..1000).take_while(|&n| lab.data(n).is_some()).count();
    assert_eq!(quick, 480 + 16);
}

/// The first segment is lost: the ACKs that say so are out of turn, and nothing is left of the 16 when it has come. The
/// window grows by each segment as before, 480 times.
#[test]
fn none_more_where_the_first_segment_comes_late() {
    let mut lab = Lab::new(|c| (c.mss, c.window) = (1000, 1024));
    assert_eq!(lab.data(1), Some((0, vec![(1, 2)])));
    let quick = [0].into_iter().chain(2..1000).take_while(|&n| lab.data(n).is_some()).count();
    assert_eq!(1 + quick, 480);
}

/// A lone segment is acknowledged after 40 ms.
#[test]
fn a_lone_segment_waits_40_ms() {
    let mut lab = Lab::new(|c| c.quick_acks = 0);
    assert_eq!(lab.data(0), None);
    assert_eq!(lab.waits_us(), 40_000);
}

/// A segment with PSH is read at once, and acknowledged. Behind a gap that is so in any case, and it does not count for
/// the next.
#[test]
fn a_pushed_segment_is_acknowledged_at_once() {
    let mut lab = Lab::new(|c| c.quick_acks = 0);
    let mut push = |seq: u32, flags: Flags| {
        lab.receiver.on_data(lab.now, &blank(seq, flags));
        lab.answer().map(|(ack, _)| ack)
    };
    let pushed = Flags(Flags::DATA.0 | Flags::PSH.0);
    assert_eq!((push(0, pushed), push(1, Flags::DATA), push(2, pushed)), (Some(1), None, Some(3)));
    assert_eq!((push(3, Flags::DATA), push(4, Flags::DATA)), (None, Some(5)));
}

/// Three duplicates leave at once; from the fourth on they wait for a millisecond, and the timer is 0.1 ms late. The
/// segment that fills the gap is acknowledged at once.
#[test]
fn duplicates_wait_for_each_other() {
    let mut lab = Lab::new(|c| c.quick_acks = 1);
    lab.data(0);
    assert!((2..5).all(|n| lab.data(n).is_some()));
    assert_eq!(lab.data(5), None);
    assert_eq!(lab.waits_us(), 1100);
    assert_eq!(lab.data(6), None);
    lab.now = lab.receiver.deadline();
    lab.receiver.on_timer();
    assert_eq!(lab.answer(), Some((1, vec![(2, 7)])));
    assert_eq!(lab.data(7), None);
    assert_eq!(lab.data(1), Some((8, vec![])));
    let mut plain = Lab::new(|c| (c.quick_acks, c.sack_compression) = (1, false));
    plain.data(0);
    assert!((2..20).all(|n| plain.data(n).is_some()));
}

/// The waits in ms that the timers of ACKs were set for, when segments come at these times after the first, in ms.
fn waits(lab: &mut Lab, first: u32, at: &[u64]) -> Vec<Option<u64>> {
    let start = lab.now;
    let mut wait = |(n, at): (u32, &u64)| {
        let due = start + Span::from_millis(*at);
        while lab.receiver.deadline() <= due {
            lab.now = lab.receiver.deadline();
            lab.receiver.on_timer();
            lab.answer().expect("the timer asks for an ACK");
        }
        lab.now = due;
        lab.data(first + n).is_none().then(|| lab.waits_us() / 1000)
    };
    (0..).zip(at).map(&mut wait).collect()
}

/// The RTT is 100 ms. Segments that are 70 ms apart are acknowledged one by one until an ACK has been in vain: after 40
/// ms, so 80 the next time, when the second segment is in time. They are then 40 + 70 ms, which the RTT bounds, and so
/// on.
#[test]
fn an_ack_waits_for_longer_where_segments_are_far_apart() {
    let mut lab = Lab::new(|c| c.quick_acks = 1);
    assert_eq!(lab.data(0), Some((1, vec![])));
    let waited = waits(&mut lab, 1, &[70, 140, 210, 280, 350]);
    assert_eq!(waited, [Some(40), Some(100), None, Some(100), None]);
    let mut fixed = Lab::new(|c| (c.quick_acks, c.delayed_ack_mode) = (1, DelackMode::PerSegment));
    fixed.data(0);
    assert_eq!(waits(&mut fixed, 1, &[70, 140, 210, 280]), [Some(40); 4]);
}

/// After an RTT of 100 ms the timeout is 300 ms. Behind a pause of more than that the next sixteen are acknowledged at
/// once, with a window of 20 segments ten, and with one of 3 two.
#[test]
fn after_a_pause_segments_are_acknowledged_one_by_one() {
    for (pause_ms, window, quick) in [(301, 100, 16), (300, 100, 0), (400, 20, 10), (400, 3, 2)] {
        let mut lab = Lab::new(|c| (c.quick_acks, c.window) = (1, window));
        (0..3).for_each(|n| drop(lab.data(n)));
        lab.now += Span::from_millis(pause_ms);
        assert_eq!((3..60).take_while(|&n| lab.data(n).is_some()).count(), quick, "{pause_ms} ms, {window}");
    }
}

/// It sends data itself, right after what it got: that carries ACKs. After one that had to leave alone it is as before.
#[test]
fn an_end_that_answers_acknowledges_nothing_at_once() {
    let mut lab = Lab::new(|_| {});
    assert_eq!(lab.data(0), Some((1, vec![])));
    lab.receiver.acknowledge(lab.now, &mut blank(0, Flags::DATA));
    assert_eq!((lab.data(1), lab.data(2)), (None, Some((3, vec![]))));
    let mut pushed = blank(3, Flags::DATA);
    pushed.flags.set(Flags::PSH);
    lab.receiver.on_data(lab.now, &pushed);
    assert_eq!(lab.answer(), None);
    lab.receiver.on_timer();
    assert_eq!(lab.answer(), Some((4, vec![])));
    assert_eq!(lab.data(4), Some((5, vec![])));
}

/// The first mark, and none more until the sender says that it has reduced its window, which is acknowledged at once,
/// too.
#[test]
fn marks_are_told_at_once() {
    let mut lab = Lab::new(|c| c.quick_acks = 1);
    let mut get = |seq: u32, flag: Flags| {
        lab.receiver.on_data(lab.now, &blank(seq, Flags(Flags::DATA.0 | flag.0)));
        lab.answer().is_some()
    };
    let none = Flags::default();
    let got = [none, none, none, Flags::CE, Flags::CE, Flags::CE, none, Flags::CWR, none, Flags::CE, none, none];
    let at_once: Vec<bool> = (0..).zip(got).map(|(n, flag)| get(n, flag)).collect();
    //               0     1      2     CE    CE    CE     6     CWR   8      CE    10    11
    assert_eq!(at_once, [true, false, true, true, true, false, true, true, false, true, true, false]);
}
