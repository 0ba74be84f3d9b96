//! A network without a TOML file: nodes, links and flows as Rust values, run once.
//!
//!     cargo run --release -p windlass-net --example without_toml
//!
//! This is what crate `scenario` makes of a file. Build it yourself where a program makes networks that no file
//! describes.

use net::{
    Counting, DirectionSpec, FlowSpec, LinkSpec, LossAt, LossCause, LossSpec, Network, NodeId, QueueLimit, QueueSpec,
    Results, RunOptions, TcpSpec, Transport, World,
};
use units::{Span, Time};

const SECONDS: f64 = 30.0;

fn main() {
    let network = two_downloads();
    let results = run(&network, 1);
    for (spec, flow) in network.flows.iter().zip(&results.flows) {
        let goodput = flow.measured_bytes as f64 * 8.0 / SECONDS / 1e6;
        let (random, full) = (flow.lost[LossCause::Random], flow.lost[LossCause::Queue]);
        println!("{:<8} {goodput:.3} Mbit/s, lost: {random} at random, {full} in the full queue", spec.name);
    }
}

/// A server and two clients behind one radio link of 10 Mbit/s that loses 1 % of what it carries down.
fn two_downloads() -> Network {
    let (server, base, cubic, newreno) = (0, 1, 2, 3);
    let queue = |packets| QueueSpec::drop_tail(QueueLimit::Packets(packets), Counting::Waiting);
    let wire = |rate, ms, packets| DirectionSpec::plain(rate, Span::from_millis(ms), queue(packets));
    let radio = DirectionSpec { loss: LossSpec::uniform(0.01, LossAt::Wire), ..wire(10_000_000, 20, 60) };
    let link = |name: &str, a, b, forward: &DirectionSpec, reverse: &DirectionSpec| LinkSpec {
        name: name.into(),
        a,
        b,
        forward: forward.clone(),
        reverse: reverse.clone(),
        medium: None,
    };
    let (up, lan) = (wire(10_000_000, 20, 60), wire(100_000_000, 1, 1000));
    Network {
        nodes: ["server", "base", "cubic", "newreno"].map(String::from).into(),
        links: vec![
            link("radio", server, base, &radio, &up),
            link("lan/0", base, cubic, &lan, &lan),
            link("lan/1", base, newreno, &lan, &lan),
        ],
        flows: vec![download("cubic", server, cubic), download("newreno", server, newreno)],
        ..Network::default()
    }
}

/// A download without end with the algorithm of this name, by the rules of the RFCs.
fn download(algorithm: &str, from: NodeId, to: NodeId) -> FlowSpec {
    let connection = TcpSpec {
        algorithm: cc::Config::named(algorithm).expect("the registry has it"),
        rules: tcp::Config::profile(tcp::Profile::Rfc),
        size: None,
        two_way: false,
        reverse_start: Time::ZERO,
        handovers: vec![],
    };
    let transport = Transport::Tcp(connection);
    let (start, class) = (Time::ZERO, wlan::Class::BestEffort);
    FlowSpec { name: algorithm.into(), from, to, route: None, start, stop: None, transport, class }
}

/// The same network with the same seed gives the same results, on any machine.
fn run(network: &Network, seed: u64) -> Results {
    let options = RunOptions::new(Span::from_secs(SECONDS));
    World::new(network, seed, &options).expect("the network is sound").run(None).expect("nobody cancels")
}

#[test]
fn both_get_something_and_together_no_more_than_the_link_has() {
    let network = two_downloads();
    let results = run(&network, 1);
    let bits: Vec<f64> = results.flows.iter().map(|flow| flow.measured_bytes as f64 * 8.0).collect();
    assert!(bits.iter().all(|&bits| bits > 0.1 * 10e6 * SECONDS), "{bits:?}");
    assert!(bits.iter().sum::<f64>() < 10e6 * SECONDS, "{bits:?}");
    assert!(results.flows.iter().all(|flow| flow.lost[LossCause::Random] > 0));
    let bytes = |results: &Results| results.flows.iter().map(|flow| flow.measured_bytes).collect::<Vec<_>>();
    assert_eq!(bytes(&run(&network, 1)), bytes(&results));
    assert_ne!(bytes(&run(&network, 2)), bytes(&results));
}
