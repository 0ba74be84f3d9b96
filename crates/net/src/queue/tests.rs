use std::mem::offset_of;

use super::*;
use crate::spec::{CodelSpec, Counting, Discipline, PolicerSpec, QueueTracing};

/// A station that is told when it is busy.
struct Station {
    busy: bool,
}

impl Server for Station {
    fn is_idle(&self, _now: Time) -> bool {
        !self.busy
    }

    fn idle_for(&mut self, _now: Time) -> Span {
        Span::ZERO
    }

    fn changing_rate(&self, _at: Time) -> Option<f64> {
        None
    }
}

/// A queue that holds packets for a station, without a link.
struct Owner {
    queue: Queue,
    station: Station,
    pool: Pool,
    dropped: Vec<Dropped>,
}

const fn ms(n: u64) -> Time {
    Time(n * 1_000_000)
}

impl Owner {
    fn new(spec: QueueSpec) -> Owner {
        let mut queue = Queue::new(&spec, 8_000_000, Span::ZERO, 1, "station");
        if !queue.holds() {
            queue.hold();
        }
        Owner { queue, station: Station { busy: false }, pool: Pool::new(), dropped: Vec::new() }
    }

    fn offer(&mut self, at: Time, seq: u32) -> bool {
        let packet = Packet { seq, size: 1000, flags: Flags::ECT, ..Packet::default() };
        let place = self.pool.keep(packet);
        let taken = self.queue.offer(at, place, 7, &mut self.station, &mut self.pool, &mut self.dropped);
        self.station.busy |= taken;
        taken
    }

    /// The number of the packet that is served next, and whether it is marked.
    fn next(&mut self, at: Time) -> Option<(u32, bool)> {
        let next = self.queue.next(at, &self.station, &mut self.pool, &mut self.dropped);
        self.station.busy = next.is_some();
        next.map(|packet| (packet.seq, packet.flags.has(Flags::CE)))
    }

    fn gone(&self) -> Vec<(u32, LossCause)> {
        self.dropped.iter().map(|(packet, cause)| (packet.seq, *cause)).collect()
    }
}

fn two_packets() -> QueueSpec {
    QueueSpec::drop_tail(QueueLimit::Packets(2), Counting::Waiting)
}

#[test]
fn what_packets_that_wait_touch_is_one_cache_line() {
    assert_eq!(offset_of!(Queue, admission), 64);
}

#[test]
fn a_queue_needs_no_link() {
    let mut owner = Owner::new(QueueSpec { trace: Some(QueueTracing::ALL), ..two_packets() });
    assert!(owner.offer(ms(0), 0));
    assert_eq!(owner.next(ms(0)), Some((0, false))); // nobody was served: it never waited
    assert!(owner.offer(ms(1), 1) && owner.offer(ms(2), 2));
    assert!(!owner.offer(ms(3), 3)); // two wait
    assert_eq!(owner.next(ms(5)), Some((1, false)));
    assert!(owner.offer(ms(6), 4));
    assert_eq!((owner.next(ms(7)), owner.next(ms(9)), owner.next(ms(10))), (Some((2, false)), Some((4, false)), None));
    assert_eq!(owner.gone(), [(3, LossCause::Queue)]);
    let mut drops = LossCounts::default();
    drops.add(LossCause::Queue);
    assert_eq!((*owner.queue.drops(), owner.queue.dropped_bytes(), owner.queue.longest()), (drops, 1000, 2));
    // they waited 4, 5 and 3 ms
    assert_eq!(owner.queue.time(), Span::from_millis(12));
    let lengths = [(0, 0), (1, 1), (2, 2), (5, 1), (6, 2), (7, 1), (9, 0)].map(|(at, length)| (ms(at), length));
    assert_eq!(owner.queue.take_trace(ms(10)).0, lengths[1..]);
}

#[test]
fn what_still_waits_at_the_end_has_waited_until_then() {
    let mut owner = Owner::new(two_packets());
    (0..3).for_each(|n| assert!(owner.offer(ms(0), n) && (n > 0 || owner.next(ms(0)).is_some())));
    assert_eq!((owner.queue.held(&owner.pool).count(), owner.queue.held_bytes()), (2, 2000));
    owner.queue.finish(&owner.pool, ms(10));
    assert_eq!(owner.queue.time(), Span::from_millis(20));
}

#[test]
fn policer_and_marks_come_before_the_limit() {
    // a bucket of three packets that fills by one in 10 ms
    let policer = Some(PolicerSpec { rate_bps: 800_000, burst_bytes: 3000 });
    let discipline = Discipline::Threshold(QueueLimit::Packets(0));
    let mut owner = Owner::new(QueueSpec { policer, discipline, ecn: true, ..two_packets() });
    assert!(owner.offer(ms(0), 0) && owner.next(ms(0)) == Some((0, false)));
    assert!(owner.offer(ms(0), 1) && owner.offer(ms(0), 2));
    assert!(!owner.offer(ms(1), 3)); // no token
    assert!(!owner.offer(ms(10), 4)); // one, but the queue is full
    assert_eq!(owner.gone(), [(3, LossCause::Policer), (4, LossCause::Queue)]);
    assert_eq!((owner.next(ms(11)), owner.next(ms(12))), (Some((1, false)), Some((2, true))));
    // number 4 was not marked on its way out
    assert_eq!(owner.queue.marked(), 1);
}

#[test]
fn a_discipline_drops_before_the_packet_that_is_served() {
    let codel = CodelSpec { target: Span::from_millis(5), interval: Span::from_millis(100) };
    let limit = QueueLimit::Packets(100);
    let mut owner = Owner::new(QueueSpec { discipline: Discipline::Codel(codel), limit, ..two_packets() });
    (0..20).for_each(|n| assert!(owner.offer(ms(0), n) && (n > 0 || owner.next(ms(0)).is_some())));
    // above the target from 10 ms on, for an interval at 110 ms
    assert_eq!((owner.next(ms(10)), owner.next(ms(110))), (Some((1, false)), Some((3, false))));
    assert_eq!(owner.gone(), [(2, LossCause::Early)]);
    assert_eq!(owner.queue.drops()[LossCause::Early], 1);
    // numbers 1, 2 and 3 waited 10, 110 and 110 ms
    assert_eq!(owner.queue.time(), Span::from_millis(230));
}

#[test]
fn both_kinds_of_queue_take_and_count_the_same() {
    // a packet takes a millisecond; they come in bursts
    let arrivals = [0, 0, 0, 0, 1, 3, 3, 4, 4, 4, 20, 21].map(ms);
    let mut held = Owner::new(two_packets());
    let mut known = Queue::new(&two_packets(), 8_000_000, Span::ZERO, 1, "link");
    let (mut free_known, mut free_held) = (Time::ZERO, Time::ZERO);
    for (n, &now) in (0..).zip(&arrivals) {
        while held.station.busy && free_held <= now {
            let at = free_held;
            free_held = at + Span::from_millis(u64::from(held.next(at).is_some()));
        }
        let was_busy = held.station.busy;
        let taken = held.offer(now, n);
        if taken && !was_busy {
            held.next(now).expect("it has just come");
            free_held = now + Span::from_millis(1);
        }
        let start = free_known.max(now);
        let place = start == now || known.wait(now, start, 1000, ms(100));
        if place {
            free_known = start + Span::from_millis(1);
        }
        assert_eq!(taken, place, "packet {n}");
    }
    while held.next(free_held).is_some() {
        free_held += Span::from_millis(1);
    }
    let counts = |q: &Queue| (*q.drops(), q.dropped_bytes(), q.longest(), q.time(), q.marked());
    assert_eq!(counts(&held.queue), counts(&known));
    // the fourth at 0 ms, and the last two at 4 ms: one of the two that came at 3 ms still waits
    assert_eq!(known.drops()[LossCause::Queue], 3);
}
