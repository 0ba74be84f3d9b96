//! Breaks of a link: what is on the air is lost, what waits is lost or goes on afterwards, nothing passes.

mod common;

use common::*;
use datagram::Traffic;
use net::*;
use tcp::Profile;
use units::{Span, Time};

fn ms(n: u64) -> Time {
    Time(n * 1_000_000)
}

/// A break from 1000 ms to 1100 ms.
fn broken(kept: Option<Span>) -> Break {
    Break { at: ms(1000), length: Span::from_millis(100), known: ms(1000), cause: LossCause::Handover, kept }
}

/// Datagrams of 1000 bytes from 0 s to 2 s, `rate_bps` of them, over a link of 8 Mbps (1 ms each) and 10 ms with this
/// break and a queue of 100 packets.
fn datagrams(rate_bps: u64, kept: Option<Span>, change: impl Fn(&mut Changing)) -> Results {
    let mut core = direction(8_000_000, 10, 100);
    core.queue.trace = Some(net::QueueTracing::ALL);
    let mut changing = Changing { breaks: vec![broken(kept)], ..Changing::default() };
    change(&mut changing);
    core.changing = Some(changing.into());
    let mut network = Network { nodes: vec!["a".into(), "b".into()], ..Network::default() };
    network.links.push(link("air", 0, 1, core));
    let only = udp("u", 0, 1, Traffic::Cbr { jittered: false }, rate_bps);
    network.flows.push(FlowSpec { stop: Some(ms(2000)), ..only });
    run(&network, 1, &RunOptions { events: true, ..options(4.0) })
}

fn lost(results: &Results) -> u64 {
    results.links[0].stats.losses[LossCause::Handover]
}

#[test]
fn what_is_on_the_air_is_lost_and_what_comes_in_the_break_waits() {
    // 400 packets per second, at 0, 2.5, 5, ... ms: each is sent in 1 ms and arrives 11 ms after it came. Those that
    // came from 990 to 997.5 ms were on the air at 1000 ms: four. That of 1000 ms comes as the break begins, and waits.
    for kept in [None, Some(Span::ZERO), Some(Span::from_millis(20))] {
        let results = datagrams(3_200_000, kept, |_| {});
        assert_eq!((lost(&results), results.links[0].stats.losses.total()), (4, 4));
        assert!(results.losses.iter().all(|loss| loss.at == ms(1000)));
        // of the 40 of the break the first has its place in the transmitter, and one more comes at 1100 ms
        assert_eq!(results.links[0].stats.queue_max, 40);
        // that one is sent from 1100 to 1101 ms, having waited for 100 ms. Nothing waited as the break began, so
        // nothing waits longer
        assert_eq!(results.flows[0].delay_max, Some(Span::from_millis(111)));
    }
}

#[test]
fn what_waits_is_lost_or_goes_on_after_the_break_in_order() {
    // 9.6 Mbps are 1200 packets per second: a fifth more than are sent, so about 167 wait after a second: 100 do, and
    // the rest was turned away. On the air are those of 10 ms and the one in transmission, which ends in that instant.
    let with = |kept| datagrams(9_600_000, kept, |_| {});
    let gone = with(None);
    let kept = with(Some(Span::from_millis(20)));
    assert_eq!((lost(&kept), lost(&gone)), (10, 110));
    assert_eq!(gone.links[0].stats.in_flight_packets + kept.links[0].stats.in_flight_packets, 0);
    // with an empty queue 100 of the break's 120 find a place, with a full one nobody does
    let turned_away = |results: &Results| results.links[0].stats.losses[LossCause::Queue];
    let delivered = |results: &Results| results.flows[0].receiver.received_segments;
    for results in [&gone, &kept] {
        assert_eq!(delivered(results) + turned_away(results) + lost(results), results.flows[0].sender.sent_segments);
    }
    // the link is busy until 1000 ms and again from 1100 or 1120 ms on, and after 2000 ms with its queue and one more
    assert_eq!((delivered(&gone), delivered(&kept)), (1000 - 10 + 900 + 101, 1000 - 10 + 880 + 101));
}

#[test]
fn nothing_arrives_in_a_break_nor_does_a_trace_deliver_in_it() {
    // an opportunity each millisecond but one in the break and one 60 ms after it
    let trace: Vec<u32> = (1..=1000).chain([1050, 1160]).chain(1161..=4000).collect();
    for with_trace in [false, true] {
        let results = datagrams(3_200_000, Some(Span::ZERO), |changing| {
            changing.trace = with_trace.then(|| trace.clone().into());
        });
        // arrivals free what the receiver counts: one that had arrived in the break would have had a delay below 100 ms
        let first = if with_trace { 1160 } else { 1101 };
        assert_eq!(results.flows[0].delay_max, Some(ms(first + 10).since(ms(1000))), "{with_trace}");
        assert_eq!(lost(&results), 4);
    }
}

#[test]
fn a_shorter_delay_keeps_the_order_or_not() {
    let shorter = |reorder| {
        datagrams(3_200_000, Some(Span::ZERO), move |changing| {
            changing.breaks.clear();
            changing.steps = vec![Step { at: ms(1000), rate_bps: None, delay: Some(Span::from_millis(2)) }];
            changing.reordering = if reorder { Reordering::Shorter } else { Reordering::Never };
        })
    };
    let (ordered, passing) = (shorter(false), shorter(true));
    // one is sent at 998.5 ms and arrives at 1008.5 ms; three are sent at 1001, 1003.5 and 1006 ms and could arrive at
    // 1003, 1005.5 and 1008 ms, 5.5 + 3 + 0.5 ms earlier in all than with that one
    let sum = |results: &Results| results.flows[0].receiver.delay_sum;
    assert!((sum(&ordered) - sum(&passing) - 0.009).abs() < 1e-9, "{} {}", sum(&ordered), sum(&passing));
}

#[test]
fn freeze_is_not_warned_before_the_link_layer_knows() {
    // the break is known 30 ms before; an RTT is about 24 ms, so the window is closed 24 ms before: nothing of the flow
    // is on the air. If it is known as it begins, a window full is lost.
    let with = |known| {
        let mut core = direction(8_000_000, 10, 100);
        core.changing = Some(Changing { breaks: vec![Break { known, ..broken(None) }], ..Changing::default() }.into());
        let mut network = Network { nodes: vec!["a".into(), "b".into()], ..Network::default() };
        network.links.push(link("air", 0, 1, core));
        network.flows.push(flow("f", 0, 1, "newreno", Profile::Rfc));
        let spec = tcp(&mut network.flows[0]);
        (spec.rules.window, spec.rules.freeze) = (10, true);
        lost(&run(&network, 1, &options(3.0)))
    };
    assert_eq!(with(ms(970)), 0);
    assert!(with(ms(1000)) > 4);
}
