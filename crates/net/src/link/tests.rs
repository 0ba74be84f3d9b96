use sim::Stream;
use tcp::Flags;

use super::*;
use crate::loss::LossSpec;
use crate::pool::Pool;
use crate::queue::Server;
use crate::spec::*;

const END: Time = Time(1_000_000_000_000);

fn spec(limit: QueueLimit, counting: Counting) -> DirectionSpec {
    // a byte takes a microsecond
    DirectionSpec::plain(8_000_000, Span::from_millis(10), QueueSpec::drop_tail(limit, counting))
}

fn enter(link: &mut Link, at_us: u64, size: u32) -> Fate {
    let mut packet = Packet { size: size as u16, ..Packet::default() };
    fate_of(link.enter(Time(at_us * 1000), &mut packet, END))
}

fn fate_of(entered: Result<Time, Fate>) -> Fate {
    entered.map_or_else(|fate| fate, Fate::Arrives)
}

fn arrives(us: u64) -> Fate {
    Fate::Arrives(Time(us * 1000))
}

#[test]
fn what_every_packet_touches_is_one_cache_line() {
    assert_eq!(size_of::<Hot>(), 64);
}

#[test]
fn packets_leave_one_after_the_other() {
    let mut link = Link::new(&spec(QueueLimit::Packets(10), Counting::Waiting), 1, "l");
    // 1000 bytes take 1 ms, then 10 ms on the wire
    assert_eq!(enter(&mut link, 0, 1000), arrives(11_000));
    assert_eq!(enter(&mut link, 0, 1000), arrives(12_000));
    assert_eq!(enter(&mut link, 5000, 1000), arrives(16_000));
}

#[test]
fn send_jitter_delays_packets_by_less_than_its_bound_and_keeps_their_order() {
    let mut link = Link::new(&spec(QueueLimit::Packets(1000), Counting::Waiting), 1, "l");
    link.add_send_jitter(Span::from_millis(3), Stream::new(1, "l/send-jitter"));
    let mut last = 0;
    let mut held = Vec::new();
    for n in 0..1000 {
        // transmissions of a millisecond without a pause, but for one of 10 ms in twenty
        let sent = n * 1000 + n / 20 * 9000;
        let Fate::Arrives(Time(at)) = enter(&mut link, sent, 1000) else { panic!("the queue has room") };
        let plain = (sent + 11_000) * 1000;
        assert!(at >= plain.max(last) && at < plain + 3_000_000, "{at}");
        (held, last) = ([held, vec![at - plain]].concat(), at);
    }
    // evenly drawn: after a pause nobody is held up by the one before
    let free: Vec<u64> = held.iter().step_by(20).copied().collect();
    let mean = free.iter().sum::<u64>() as f64 / free.len() as f64;
    // 50 draws: 1.5 ms with a standard error of 3/sqrt(12)/sqrt(50) = 0.12 ms, four of them
    assert!((mean - 1.5e6).abs() < 0.49e6, "{mean}");
}

#[test]
fn a_link_with_jitter_of_its_own_gets_no_other() {
    let mut spec = spec(QueueLimit::Packets(10), Counting::Waiting);
    let model = crate::JitterModel::Exponential { mean: Span::from_millis(1) };
    let jitter = Some(crate::Jitter { model, reorder: false });
    spec.changing = Some(crate::Changing { jitter, ..crate::Changing::default() }.into());
    let arrivals = |add: bool| {
        let mut link = Link::new(&spec, 1, "l");
        if add {
            link.add_send_jitter(Span::from_millis(3), Stream::new(1, "l/send-jitter"));
        }
        (0..20).map(|n| enter(&mut link, n * 5000, 1000)).collect::<Vec<_>>()
    };
    assert_eq!(arrivals(true), arrivals(false));
}

#[test]
fn the_two_ways_to_count_a_limit() {
    let accepted = |counting| {
        let mut link = Link::new(&spec(QueueLimit::Packets(5), counting), 1, "l");
        (0..20).filter(|_| matches!(enter(&mut link, 0, 1000), Fate::Arrives(_))).count()
    };
    assert_eq!(accepted(Counting::Waiting), 6); // five wait, one is in transmission
    assert_eq!(accepted(Counting::Ns2), 5); // four wait
}

#[test]
fn a_limit_in_bytes() {
    let mut link = Link::new(&spec(QueueLimit::Bytes(1500), Counting::Waiting), 1, "l");
    let fates: Vec<_> = [1000, 1000, 1000, 500, 1].iter().map(|&s| enter(&mut link, 0, s)).collect();
    let lost = Fate::Lost(Time::ZERO, LossCause::Queue);
    // the first is in transmission; 1000 + 500 bytes wait
    assert_eq!(fates, [arrives(11_000), arrives(12_000), lost, arrives(12_500), lost]);
}

#[test]
fn room_returns_when_a_transmission_begins() {
    let mut link = Link::new(&spec(QueueLimit::Packets(1), Counting::Waiting), 1, "l");
    enter(&mut link, 0, 1000);
    enter(&mut link, 0, 1000);
    assert_eq!(enter(&mut link, 999, 1000), Fate::Lost(Time(999_000), LossCause::Queue));
    assert_eq!(enter(&mut link, 1000, 1000), arrives(13_000));
}

#[test]
fn listed_packets_are_lost_before_the_queue() {
    let mut s = spec(QueueLimit::Packets(10), Counting::Waiting);
    s.drops = vec![1];
    let mut link = Link::new(&s, 1, "l");
    assert_eq!(enter(&mut link, 0, 1000), arrives(11_000));
    assert_eq!(enter(&mut link, 0, 1000), Fate::Lost(Time::ZERO, LossCause::List));
    assert_eq!(enter(&mut link, 0, 1000), arrives(12_000));
}

#[test]
fn a_list_may_count_packets_with_data_only() {
    let mut s = spec(QueueLimit::Packets(10), Counting::Waiting);
    (s.drops, s.drops_count_data) = (vec![1], true);
    let mut link = Link::new(&s, 1, "l");
    let packet = |flags| Packet { size: 100, flags, ..Packet::default() };
    let mut fate = |flags: Flags| fate_of(link.enter(Time::ZERO, &mut packet(flags), END));
    // the data packets are 0, 1 and 2, in places 1, 3 and 4 of the arrivals
    let fates = [Flags::SYN, Flags::DATA, Flags::ACK, Flags::DATA, Flags::DATA].map(&mut fate);
    let lost = fates.map(|fate| fate == Fate::Lost(Time::ZERO, LossCause::List));
    assert_eq!(lost, [false, false, false, true, false]);
}

#[test]
fn loss_on_the_wire_has_used_the_link_and_loss_before_it_has_not() {
    let at = |at| {
        let mut s = spec(QueueLimit::Packets(10), Counting::Waiting);
        s.loss = LossSpec::uniform(1.0, at);
        let mut link = Link::new(&s, 1, "l");
        enter(&mut link, 0, 1000);
        let stats = link.stats(&Pool::new(), END);
        (stats.transmitted_packets, stats.losses[LossCause::Random])
    };
    assert_eq!(at(LossAt::Wire), (1, 1));
    assert_eq!(at(LossAt::Queue), (0, 1));
}

#[test]
fn the_queue_trace_shows_every_change() {
    let mut s = spec(QueueLimit::Packets(10), Counting::Waiting);
    s.queue.trace = Some(QueueTracing::ALL);
    let mut link = Link::new(&s, 1, "l");
    for _ in 0..3 {
        enter(&mut link, 0, 1000);
    }
    let ms = |n: u64| Time(n * 1_000_000);
    assert_eq!(link.queue_trace(END).0, [(ms(0), 2), (ms(1), 1), (ms(2), 0)]);
    // two packets wait 1 and 2 ms
    let stats = link.stats(&Pool::new(), END);
    assert!((stats.queue_integral - 0.003).abs() < 1e-12);
    assert_eq!(stats.queue_max, 2);
}

#[test]
fn idle_time_counts_what_could_have_been_sent() {
    use crate::changing::{Changing, Outage, Step};
    let ms = |n: u64| Time(n * 1_000_000);
    let idle = |changing: Changing, at: u64| {
        let mut s = spec(QueueLimit::Packets(10), Counting::Waiting);
        s.changing = Some(changing.into());
        let mut link = Link::new(&s, 1, "l");
        enter(&mut link, 0, 1000);
        (link.parts().1.idle_for(ms(at)), link.parts().1.idle_for(ms(at))) // a warning and a discipline may both ask
    };
    let both = |millis: u64| (Span::from_millis(millis), Span::from_millis(millis));
    let step = |at, rate_bps| Step { at: ms(at), rate_bps: Some(rate_bps), delay: None };
    // 1000 bytes at 8 Mbps: idle from 1 ms on. A quarter of the rate from 5 ms on: 4 + 8 / 4 ms
    let steps = vec![step(5, 2_000_000)];
    assert_eq!(idle(Changing { steps: steps.clone(), ..Changing::default() }, 13), both(6));
    // nothing can be sent from 3 to 4 ms
    let outage = |lost| Outage { at: ms(3), length: Span::from_millis(1), every: None, lost, handover: false };
    assert_eq!(idle(Changing { steps, outages: vec![outage(false)], ..Changing::default() }, 13), both(5));
    assert_eq!(idle(Changing { outages: vec![outage(true)], ..Changing::default() }, 13), both(12));
    // sent at 2 ms; the opportunities at 4, 6 and 8 ms could have carried 1504 bytes each: 4.512 ms
    let trace = Changing { trace: Some([2].into()), ..Changing::default() };
    assert_eq!(idle(trace.clone(), 9).0, Span(4_512_000));
    // but that at 4 ms falls into an outage
    let outage = Outage { at: ms(4), ..outage(false) };
    assert_eq!(idle(Changing { outages: vec![outage], ..trace }, 9).0, Span(3_008_000));
}

#[test]
fn idle_periods_of_a_changing_link_are_counted_one_by_one() {
    use crate::changing::{Changing, Step};
    let mut s = spec(QueueLimit::Packets(10), Counting::Waiting);
    let step = Step { at: Time(1), rate_bps: Some(4_000_000), delay: None };
    s.changing = Some(Changing { steps: vec![step], ..Changing::default() }.into());
    s.queue.discipline = Discipline::Red(crate::spec::RedSpec::default());
    let mut link = Link::new(&s, 1, "l");
    for n in 0..5 {
        // 1000 bytes take 2 ms, then 8 ms are half as long at the first rate
        let at = 10_000 * n;
        assert!(n < 2 || link.parts().1.idle_for(Time(at * 1000)) == Span::from_millis(4));
        enter(&mut link, at, 1000);
    }
}

#[test]
fn the_warning_marks_while_the_average_is_over_the_threshold() {
    let mut s = spec(QueueLimit::Packets(100), Counting::Waiting);
    s.queue.warning = Some(crate::WarningSpec { threshold_packets: 0.5, weight: 0.5 });
    let mut link = Link::new(&s, 1, "l");
    let mut marked = vec![];
    for _ in 0..4 {
        let mut packet = Packet { size: 1000, flags: Flags::ECT, ..Packet::default() };
        assert!(link.enter(Time::ZERO, &mut packet, END).is_ok());
        marked.push(packet.flags.has(Flags::CE));
    }
    // waiting 0, 0, 1, 2 on arrival: averages 0, 0, 0.5, 1.25
    assert_eq!(marked, [false, false, true, true]);
}
