//! Connections over several paths.

mod common;

use common::{direction, flow, link, options, run};
use net::*;
use tcp::Profile;
use units::{Span, Time};

const MSS: f64 = 1448.0;

/// Nodes a, b and two links between them with these rates (Mbit/s) and delays (ms); a subflow on each.
fn two_links(paths: [(u64, u64); 2], algorithm: &str, buffer: u32, coupled: bool) -> Network {
    let mut network = Network { nodes: vec!["a".into(), "b".into()], ..Network::default() };
    for (i, (mbps, ms)) in paths.into_iter().enumerate() {
        network.links.push(link(&format!("path{i}"), 0, 1, direction(mbps * 1_000_000, ms, 50)));
        let mut subflow = flow(&format!("c.{i}"), 0, 1, algorithm, Profile::Rfc);
        subflow.route = Some(vec![i]);
        network.flows.push(subflow);
    }
    network.multipath.push(MultipathSpec { name: "c".into(), subflows: vec![0, 1], buffer, size: None, coupled });
    network
}

fn mbps(result: &MultipathResult, seconds: f64) -> f64 {
    result.delivered_bytes as f64 * 8.0 / seconds / 1e6
}

#[test]
fn two_paths_carry_the_sum_of_both() {
    let network = two_links([(4, 10), (8, 30)], "newreno", 10_000, false);
    let results = run(&network, 1, &options(60.0));
    let found = mbps(&results.multipath[0], 60.0);
    let most = 12.0 * MSS / (MSS + 52.0);
    assert!(found <= most && found > 0.95 * most, "{found} of {most}");
    // the stream is what the subflows delivered, less what waits for its turn
    let subflows: u64 = results.flows.iter().map(|f| f.delivered_bytes).sum();
    assert!(results.multipath[0].delivered_bytes <= subflows);
    assert!(results.multipath[0].reorder_max > 0);
    assert_eq!(results.check_conservation(), Ok(()));
}

#[test]
fn one_path_is_the_connection_itself() {
    let mut network = two_links([(4, 10), (8, 30)], "newreno", 1_000_000, false);
    network.flows.truncate(1);
    network.multipath[0].subflows.truncate(1);
    let joined = run(&network, 1, &options(20.0));
    network.multipath.clear();
    let alone = run(&network, 1, &options(20.0));
    assert_eq!(joined.multipath[0].delivered_bytes, alone.flows[0].delivered_bytes);
    assert_eq!(joined.flows[0].sender.sent_segments, alone.flows[0].sender.sent_segments);
}

#[test]
fn a_small_buffer_holds_the_fast_path_up() {
    // 4 and 4 Mbit/s, but the second path's delay is 200 ms longer: what it carries is missing that long, while the
    // first path delivers 4e6 * 0.2 / 12000 = 67 segments. A buffer of 20 cannot hold them: both paths together then
    // carry about what one could. With room for 2000 both fill, less Reno's halvings on a path with a third of its pipe
    // as buffer.
    let goodput = |buffer| {
        let results = run(&two_links([(4, 10), (4, 210)], "sack", buffer, false), 1, &options(120.0));
        assert!(results.multipath[0].reorder_max < buffer);
        mbps(&results.multipath[0], 120.0)
    };
    let (small, large) = (goodput(20), goodput(2000));
    assert!(small < 4.2 && large > 6.5, "{small} and {large}");
}

#[test]
fn a_transfer_completes_once_every_byte_is_there() {
    let mut network = two_links([(4, 10), (8, 30)], "newreno", 1000, false);
    network.multipath[0].size = Some(1_000_001);
    for link in &mut network.links {
        link.forward.loss = LossSpec::uniform(0.02, LossAt::Wire);
    }
    let results = run(&network, 5, &options(60.0));
    assert_eq!(results.multipath[0].delivered_bytes, 1_000_001);
    let completed = results.multipath[0].completed.expect("a minute is enough");
    assert!(completed > Time::from_secs(0.5) && completed < Time::from_secs(30.0), "{completed:?}");
    // and it stops there: 691 segments of 1448 bytes are just enough
    let sent: u32 = results.flows.iter().map(|f| f.acknowledged).sum();
    assert_eq!(sent, 691);
}

/// One connection with two subflows through a bottleneck that it shares with one flow; its share of what both get.
fn share_of_a_bottleneck(algorithm: &str, coupled: bool, seed: u64) -> f64 {
    let nodes = ["a", "g1", "g2", "b", "other", "sink"].map(String::from).to_vec();
    let mut network = Network { nodes, ..Network::default() };
    let fast = || direction(100_000_000, 5, 1000);
    network.links = vec![
        link("one", 0, 1, fast()),
        link("two", 0, 1, fast()),
        link("bottleneck", 1, 2, direction(9_000_000, 20, 60)),
        link("down", 2, 3, fast()),
        link("in", 4, 1, fast()),
        link("out", 2, 5, fast()),
    ];
    // a little random loss takes the phase effects of three synchronised senders away
    network.links[2].forward.loss = LossSpec::uniform(0.0005, LossAt::Wire);
    for (i, route) in [vec![0, 2, 3], vec![1, 2, 3]].into_iter().enumerate() {
        let mut subflow = flow(&format!("c.{i}"), 0, 3, algorithm, Profile::Rfc);
        subflow.route = Some(route);
        subflow.start = Time::from_secs(0.3 * i as f64);
        network.flows.push(subflow);
    }
    network.flows.push(flow("single", 4, 5, "veno", Profile::Rfc));
    network.multipath.push(MultipathSpec {
        name: "c".into(),
        subflows: vec![0, 1],
        buffer: 100_000,
        size: None,
        coupled,
    });
    let results = run(&network, seed, &RunOptions { warmup: Span::from_secs(50.0), ..options(350.0) });
    let (both, single) = (results.multipath[0].measured_bytes as f64, results.flows[2].measured_bytes as f64);
    both / (both + single)
}

#[test]
fn coupled_mveno_takes_one_senders_share_and_uncoupled_two() {
    let mean = |coupled| (1..=4).map(|seed| share_of_a_bottleneck("mveno", coupled, seed)).sum::<f64>() / 4.0;
    let (coupled, uncoupled) = (mean(true), mean(false));
    // three equal senders: the connection has two thirds without coupling. With delta = 1/4 each subflow grows at a
    // quarter of a sender's pace, so both together take about the share of one
    assert!((0.58..0.75).contains(&uncoupled), "uncoupled: {uncoupled}");
    assert!((0.40..0.57).contains(&coupled), "coupled: {coupled}");
}

#[test]
fn a_route_that_does_not_lead_there_is_refused() {
    let mut network = two_links([(4, 10), (8, 30)], "newreno", 100, false);
    network.flows[1].route = Some(vec![0, 1]); // there and back again
    assert!(matches!(World::new(&network, 1, &options(1.0)), Err(BadNetwork::NoRoute { flow }) if flow == "c.1"));
}

#[test]
fn disjoint_routes_come_shortest_first() {
    // 0-1 twice, and 0-2-1
    let links: Vec<LinkSpec> =
        [(0, 2), (1, 0), (2, 1), (0, 1)].map(|(a, b)| link("l", a, b, direction(1_000_000, 1, 50))).to_vec();
    assert_eq!(disjoint_routes(3, &links, 0, 1, 5), [vec![1], vec![3], vec![0, 2]]);
    assert_eq!(disjoint_routes(3, &links, 0, 1, 2).len(), 2);
    assert!(leads(&links, &[0, 2], 0, 1) && leads(&links, &[2, 0], 1, 0));
    assert!(!leads(&links, &[2, 0], 0, 1) && !leads(&links, &[], 0, 1) && !leads(&links, &[9], 0, 1));
}
