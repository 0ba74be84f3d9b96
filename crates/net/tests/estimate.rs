//! What a run needs at most, beside what it does; and records that end where there is no room for more.

mod common;

use common::{direction, flow, link, options, tcp};
use net::*;
use tcp::Profile;
use units::Span;

/// Memory of a packet under way and of a record, bytes.
const PACKET_BYTES: f64 = 200.0;
const RECORD_BYTES: f64 = 150.0;

/// `pairs` of hosts over a link of 8 Mbit/s with 40 ms there and back; hosts have 80 Mbit/s.
fn dumbbell(pairs: usize, queue: u32) -> Network {
    let (first, last) = (2 * pairs, 2 * pairs + 1);
    let mut links = vec![link("middle", first, last, direction(8_000_000, 10, queue))];
    for i in 0..pairs {
        links.push(link(&format!("left/{i}"), i, first, direction(80_000_000, 5, 1000)));
        links.push(link(&format!("right/{i}"), last, pairs + i, direction(80_000_000, 5, 1000)));
    }
    let one = |i: usize| flow(&format!("flow/{i}"), i, pairs + i, "newreno", Profile::Rfc);
    let nodes = (0..2 * pairs + 2).map(|i| i.to_string()).collect();
    Network { nodes, links, flows: (0..pairs).map(one).collect(), ..Network::default() }
}

/// What the run did, beside its estimate.
fn compared(network: &Network, options: &RunOptions) -> (Estimate, Results) {
    (network.estimate(options), World::new(network, 1, options).unwrap().run(None).unwrap())
}

#[test]
fn a_link_that_is_shared_is_full_once() {
    for pairs in [1, 50] {
        let estimate = dumbbell(pairs, 100).estimate(&options(60.0));
        // 60 s at 8 Mbit/s in packets of 1500 bytes are 40 000, with an ACK each, over three links
        assert!((estimate.packets - 80_000.0).abs() < 1.0, "{estimate:?}");
        assert!((estimate.packet_hops - 240_000.0).abs() < 1.0, "{estimate:?}");
    }
}

#[test]
fn a_run_takes_no_more_than_that_and_not_much_less() {
    for pairs in [1, 20] {
        let (estimate, results) = compared(&dumbbell(pairs, 100), &options(60.0));
        let hops = results.packet_hops as f64;
        // lost packets have used links; with an ACK for each second packet a quarter of them is missing
        assert!(hops < 1.05 * estimate.packet_hops && hops > 0.6 * estimate.packet_hops, "{hops} {estimate:?}");
    }
}

#[test]
fn a_window_a_size_and_a_source_bound_what_is_sent() {
    let mut network = dumbbell(1, 100);
    tcp(&mut network.flows[0]).rules.window = 10;
    // ten packets each 40 ms
    assert!((network.estimate(&options(60.0)).packets - 2.0 * 15_000.0).abs() < 1.0);
    let spec = tcp(&mut network.flows[0]);
    spec.size = Some(1000 * u64::from(spec.rules.mss));
    assert!((network.estimate(&options(60.0)).packets - 2.0 * 1000.0).abs() < 1.0);
    // a byte each microsecond is more than the first link takes: 80 Mbit/s of 29 bytes are 344 828 a second
    let traffic = datagram::Traffic::Cbr { jittered: false };
    let udp = datagram::Config { traffic, rate_bps: 8_000_000, payload: 1, header: 28 };
    network.flows[0].transport = Transport::Udp(udp);
    let estimate = network.estimate(&RunOptions { events: true, ..options(1.0) });
    assert!((estimate.packets - 1e6).abs() < 1.0, "{estimate:?}");
    assert!((estimate.packet_hops - 3.0 * 344_827.6).abs() < 1.0, "{estimate:?}");
    // a tenth of what the first link takes gets through the second; all others are lost, each a record
    assert!((estimate.records - (1e6 - 34_482.8)).abs() < 2.0, "{estimate:?}");
    assert!((estimate.record_bytes - estimate.records * RECORD_BYTES).abs() < 1.0, "{estimate:?}");
}

#[test]
fn packets_under_way_are_those_that_find_room() {
    let held = |queue, window| {
        let mut network = dumbbell(1, queue);
        tcp(&mut network.flows[0]).rules.window = window;
        network.estimate(&options(600.0)).packet_bytes / PACKET_BYTES
    };
    assert_eq!(held(1_000_000_000, 1000), 1000.0);
    // two queues of 1000 packets, one of 100; on the wires 33.3, 6.7 and 33.3 more
    assert!((held(100, 1_000_000) - 2176.0).abs() < 2.0, "{}", held(100, 1_000_000));
    // never more than the first link lets out: 600 s at 80 Mbit/s
    assert_eq!(held(1_000_000_000, u32::MAX), 4_000_000.0);
}

#[test]
fn records_are_bounded_by_a_step_and_by_what_is_kept() {
    let mut network = dumbbell(1, 100);
    let all = RunOptions { traces: Traces { cwnd: true, ..Traces::default() }, ..options(6000.0) };
    let records = |network: &Network, options: &RunOptions| network.estimate(options).records;
    assert!((records(&network, &all) - 4_000_000.0).abs() < 1.0);
    let stepped = RunOptions { trace_step: Some(Span::from_millis(100)), ..all };
    assert_eq!(records(&network, &stepped), 60_001.0);
    network.links[0].forward.queue.trace = Some(QueueTracing::ALL);
    assert_eq!(records(&network, &RunOptions { traces: Traces::default(), ..all }), 8_000_000.0);
    let few = RunOptions { most_records: 10, ..all };
    assert!(network.estimate(&few).record_bytes <= 30.0 * RECORD_BYTES);
    assert_eq!(MOST_RECORDS, all.most_records);
}

#[test]
fn what_is_recorded_ends_where_the_room_ends_and_the_run_goes_on() {
    let mut network = dumbbell(2, 20);
    network.links[0].forward.queue.trace = Some(QueueTracing::ALL);
    let traces = Traces { cwnd: true, srtt: true, ..Traces::default() };
    let all = RunOptions { traces, events: true, ..options(20.0) };
    let (_, whole) = compared(&network, &all);
    assert_eq!(whole.recorded_until, None);
    for most in [10, 100, 1000] {
        let (_, part) = compared(&network, &RunOptions { most_records: most, ..all });
        let until = part.recorded_until.expect("there was more");
        assert!(part.traces.len() <= most && part.losses.len() <= most && part.events.len() <= most);
        assert_eq!(part.packet_hops, whole.packet_hops);
        // what is there is as it is in the whole, and nothing is missing before that time
        let (there, missing) = whole.losses.split_at(part.losses.len());
        assert_eq!(part.losses, there);
        assert!(missing.iter().all(|loss| loss.at >= until));
        assert!(part.events.iter().all(|event| whole.events.contains(event)));
        let before = |events: &[FlowEvent]| events.iter().filter(|event| event.event.at < until).count();
        assert_eq!(before(&part.events), before(&whole.events));
    }
}

#[test]
fn a_step_leaves_the_last_value_of_each() {
    let step = Span::from_millis(100);
    let mut network = dumbbell(1, 20);
    let traces = Traces { cwnd: true, flight: true, ..Traces::default() };
    let traced = |network: &Network, trace_step| {
        let (_, results) = compared(network, &RunOptions { traces, trace_step, ..options(20.0) });
        results.traces
    };
    network.links[0].forward.queue.trace = Some(QueueTracing::ALL);
    let all = traced(&network, None);
    network.links[0].forward.queue.trace = Some(QueueTracing { step: Some(step), ..QueueTracing::ALL });
    let stepped = traced(&network, Some(step));
    assert!(stepped.len() <= 3 * 201 && all.len() > 5 * stepped.len(), "{} of {}", stepped.len(), all.len());
    // at each multiple both say the same
    for variable in [Variable::Cwnd, Variable::Flight, Variable::Queue] {
        for tick in 1..=200u64 {
            let at = |points: &[TracePoint]| {
                let known = points.iter().filter(|point| point.variable == variable && point.at.0 <= tick * step.0);
                known.max_by_key(|point| point.at).map(|point| point.value)
            };
            assert_eq!(at(&all), at(&stepped), "{variable:?} at {tick}");
        }
    }
}
