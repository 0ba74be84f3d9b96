//! What a run may have measured at most, and what of it is counted after the warm-up.

mod common;

use common::*;
use datagram::Traffic;
use net::*;
use tcp::{Config, Profile};
use units::{Span, Time};

/// Two connections and datagrams over a lossy link of 2 Mbps, in 10 s of which 3 are warm-up.
fn busy() -> (Network, RunOptions) {
    let mut core = direction(2_000_000, 20, 30);
    core.loss = LossSpec::uniform(0.01, LossAt::Wire);
    let mut network = dumbbell(2, core, &direction(10_000_000, 5, 100), "newreno", Profile::Rfc);
    tcp(&mut network.flows[1]).size = Some(100_001);
    network.flows.push(udp("datagrams", 2, 3, Traffic::Cbr { jittered: false }, 300_000));
    (network, RunOptions { warmup: Span::from_secs(3.0), delays: true, ..options(10.0) })
}

#[test]
fn every_bound_is_looked_at() {
    let (network, options) = busy();
    let fair = run(&network, 1, &options);
    assert_eq!(fair.check_bounds(&network, &options), Ok(()));
    type Lie = (&'static str, fn(&mut Results));
    let lies: [Lie; 26] = [
        ("those offered", |r| r.links[0].stats.transmitted_bytes = r.links[0].stats.offered_bytes + 1),
        ("link `bottleneck`: transmission", |r| {
            // 10 s at 2 Mbps are 2.5 MB
            (r.links[0].stats.offered_bytes, r.links[0].stats.transmitted_bytes) = (3_000_000, 2_500_001);
        }),
        ("those transmitted", |r| r.links[0].stats.delivered_bytes = r.links[0].stats.transmitted_bytes + 1),
        ("measured transmission", |r| {
            // 7 s are 1.75 MB, and one packet more
            let m = &mut r.links[0].stats.measured;
            m.transmitted_bytes = 1_750_001 + m.under_way_bytes;
        }),
        ("measured delivery", |r| {
            let s = &mut r.links[0].stats;
            s.measured.delivered_bytes = s.measured.transmitted_bytes + s.measured.held_bytes + 1;
        }),
        ("utilisation", |r| r.links[0].stats.utilisation = 1.0 + f64::EPSILON),
        ("utilisation", |r| r.links[0].stats.utilisation = f64::NAN),
        ("no utilisation", |r| r.links[0].stats.utilisation = -f64::EPSILON),
        ("longest queue", |r| r.links[0].stats.queue_max = 31),
        ("mean queue", |r| r.links[0].stats.queue_integral = 300.1),
        ("of all flows that arrived", |r| r.links[4].stats.delivered_bytes -= 3000),
        ("of all flows that arrived after", |r| {
            let m = &mut r.links[0].stats.measured;
            m.delivered_bytes = m.delivered_bytes.saturating_sub(20_000);
        }),
        ("those sent", |r| r.flows[0].sent_bytes = r.flows[0].arrived_bytes - 1),
        ("delivered bytes of those that arrived", |r| r.flows[0].delivered_bytes = r.flows[0].arrived_bytes + 1),
        ("those delivered", |r| r.flows[0].measured_bytes = r.flows[0].delivered_bytes + 1),
        ("those that arrived then", |r| r.flows[0].measured_bytes = r.flows[0].measured_arrived_bytes + 1),
        ("acknowledged", |r| r.flows[0].acknowledged = r.flows[0].receiver.received_segments as u32 + 1),
        // the later it starts, and the sooner it ends, the less could be carried
        ("arrivals over", |r| r.flows[0].start = Time::from_secs(9.99)),
        ("transfer over", |r| r.flows[1].completed = Some(Time::from_secs(0.1))),
        ("least one-way delay", |r| r.flows[2].receiver.delay_sum *= 0.2),
        ("mean one-way delay", |r| r.flows[2].receiver.delay_sum *= 100.0),
        ("longest delay", |r| r.flows[2].delay_max = Some(Span::from_secs(11.0))),
        ("difference of delays", |r| r.flows[2].jitter_s = Some(10.0)),
        ("RTT is shorter", |r| r.flows[0].rtt_min = Span::from_millis(59)),
        ("longest RTT", |r| r.flows[0].sender.rtt_max = Span::from_secs(10.1)),
        ("mean RTT", |r| r.flows[0].sender.rtt_sum = 1e6),
    ];
    for (number, (name, lie)) in lies.iter().enumerate() {
        let mut results = fair.clone();
        lie(&mut results);
        let found = results.check_bounds(&network, &options).expect_err(&format!("lie {number}, {name}"));
        assert!(found.contains(name), "lie {number}, {name}: {found}");
    }
    // times are those of the run
    let shorter = RunOptions { duration: Span::from_secs(5.0), ..options };
    assert!(fair.check_bounds(&network, &shorter).is_err());
}

#[test]
fn several_paths_carry_a_stream_and_no_more() {
    let mut network = Network { nodes: vec!["a".into(), "b".into()], ..Network::default() };
    for at in 0..2 {
        network.links.push(link(&format!("l{at}"), 0, 1, direction(2_000_000, 10 + 40 * at, 50)));
        let own = FlowSpec { route: Some(vec![at as usize]), ..flow(&format!("c.{at}"), 0, 1, "cubic", Profile::Rfc) };
        network.flows.push(own);
    }
    let spec = MultipathSpec { name: "c".into(), subflows: vec![0, 1], buffer: 100, size: None, coupled: false };
    network.multipath.push(spec);
    let options = RunOptions { warmup: Span::from_secs(3.0), ..options(10.0) };
    let fair = run(&network, 1, &options);
    assert_eq!(fair.check_bounds(&network, &options), Ok(()));
    let lies: [fn(&mut Results); 4] = [
        |r| r.multipath[0].delivered_bytes = r.flows[0].delivered_bytes + r.flows[1].delivered_bytes + 1,
        |r| r.multipath[0].measured_bytes = r.flows[0].measured_bytes + r.flows[1].measured_bytes + 1,
        |r| r.multipath[0].reorder_max = 101,
        |r| r.multipath[0].completed = Some(Time::from_secs(11.0)),
    ];
    for lie in lies {
        let mut results = fair.clone();
        lie(&mut results);
        assert!(results.check_bounds(&network, &options).is_err());
    }
}

#[test]
fn the_measured_part_of_a_run_and_the_rest_are_the_whole() {
    // what a link counted up to the end of the warm-up is what it counts in a run that ends there
    let (network, options) = busy();
    let long = run(&network, 1, &options);
    let early = RunOptions { duration: options.warmup, warmup: Span::ZERO, ..options };
    let short = run(&network, 1, &early);
    for (whole, before) in long.links.iter().zip(&short.links) {
        let (whole, before) = (&whole.stats, &before.stats);
        assert_eq!(whole.transmitted_bytes, before.transmitted_bytes + whole.measured.transmitted_bytes);
        assert_eq!(whole.delivered_bytes, before.delivered_bytes + whole.measured.delivered_bytes);
        // without a warm-up all of it is measured
        let all = MeasuredLink {
            transmitted_bytes: before.transmitted_bytes,
            delivered_bytes: before.delivered_bytes,
            ..MeasuredLink::default()
        };
        assert_eq!(before.measured, all);
    }
    // something is on its way at 3 s: of packets of 1500 and 1000 bytes, and ACKs of 40 and 52
    let at = |n: usize| long.links[n].stats.measured;
    assert!(at(0).held_bytes > 10_000 && [1500, 1000].contains(&at(0).under_way_bytes), "{:?}", at(0));
    for (whole, before) in long.flows.iter().zip(&short.flows) {
        assert_eq!(whole.arrived_bytes, before.arrived_bytes + whole.measured_arrived_bytes);
        assert_eq!(before.measured_bytes, before.delivered_bytes);
        assert!(whole.delivered_bytes - whole.measured_bytes >= before.delivered_bytes);
    }
}

#[test]
fn copies_of_a_short_last_segment_count_what_they_carry() {
    // no ACK comes back for a while, so what has arrived is sent again: a short segment alone, or a full one before it
    for size in [600, 1461] {
        let mut network =
            dumbbell(1, direction(2_000_000, 20, 30), &direction(10_000_000, 5, 100), "newreno", Config::classic());
        network.links[0].reverse.drops = (1..6).collect();
        tcp(&mut network.flows[0]).size = Some(size);
        let results = run(&network, 1, &options(60.0));
        let f = &results.flows[0];
        assert_eq!((f.delivered_bytes, f.lost.total(), f.in_flight), (size, 0, 0));
        assert!(f.receiver.duplicate_segments >= 2);
        // nothing was lost, so what arrived is what was sent
        assert_eq!(f.arrived_bytes, f.sent_bytes);
        assert_eq!(f.arrived_bytes, size + f.receiver.duplicate_segments * size.min(1460));
    }
}

#[test]
fn ns2s_vegas_has_no_headers() {
    let sizes = |algorithm, profile| {
        let flow = flow("f", 0, 1, algorithm, profile);
        flow.full_size() - flow.payload()
    };
    assert_eq!(sizes("vegas", Profile::Ns2), 0);
    assert_eq!(sizes("newreno", Profile::Ns2), 40);
    assert_eq!(sizes("vegas", Profile::Rfc), 52); // 12 of them for timestamps
}
