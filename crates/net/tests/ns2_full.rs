//! ns-2's FullTcp packet for packet: one connection with data one way or both, lists of lost packets, nothing random.
//! Data: `tests/differential/ns2-full`, recorded with ns-2.35; its README gives the path and the columns.

use net::*;
use tcp::{Agent, Config, Profile};
use units::{Span, Time};

const SUMMARY: &str = include_str!("../../../tests/differential/ns2-full/summary.csv");

/// A packet more or less: what leaves at the very end.
const CLOSE_PACKETS: u64 = 1;

struct Case {
    name: String,
    variant: String,
    two_way: bool,
    drops: [Vec<u64>; 2],
    duration_s: f64,
    /// For each end: data segments and pure ACKs sent, segments acknowledged, timeouts.
    expected: [[u64; 4]; 2],
}

fn cases() -> Vec<Case> {
    let rows = SUMMARY.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    rows.map(|f| {
        let numbers = |list: &str| list.split_whitespace().filter_map(|n| n.parse().ok()).collect();
        let end = |from: usize| [0, 1, 2, 3].map(|i| f[from + i].parse().unwrap());
        Case {
            name: f[0].into(),
            variant: f[1].into(),
            two_way: f[2] == "1",
            drops: [numbers(f[3]), numbers(f[4])],
            duration_s: f[5].parse().unwrap(),
            expected: [end(6), end(10)],
        }
    })
    .collect()
}

fn direction(rate_bps: u64, delay_ms: u64, queue: u32, drops: &[u64]) -> DirectionSpec {
    DirectionSpec {
        drops: drops.to_vec(),
        ..DirectionSpec::plain(
            rate_bps,
            Span::from_millis(delay_ms),
            QueueSpec::drop_tail(QueueLimit::Packets(queue), Counting::Ns2),
        )
    }
}

fn access(name: &str, host: usize, router: usize) -> LinkSpec {
    LinkSpec {
        name: name.into(),
        a: host,
        b: router,
        forward: direction(8_000_000, 1, 50, &[]),
        reverse: direction(8_000_000, 1, 1000, &[]),
        medium: None,
    }
}

fn network(case: &Case) -> Network {
    let mut rules = Config::profile(Profile::Ns2).with_agent(Agent::Full);
    rules.mss = 1000;
    // the two ends of ns-2 have clocks of their own: a fine tick makes their places of no account
    rules.rtt_tick = Span(100_000);
    Network {
        nodes: ["s", "g", "r", "h"].map(String::from).to_vec(),
        links: vec![
            access("left", 0, 1),
            LinkSpec {
                name: "bottleneck".into(),
                a: 1,
                b: 2,
                forward: direction(800_000, 100, 100, &case.drops[0]),
                reverse: direction(800_000, 100, 100, &case.drops[1]),
                medium: None,
            },
            access("right", 3, 2),
        ],
        flows: vec![FlowSpec {
            name: "f".into(),
            from: 0,
            to: 3,
            start: Time::ZERO,
            route: None,
            stop: None,
            class: wlan::Class::BestEffort,
            transport: Transport::Tcp(TcpSpec {
                algorithm: cc::Config::named(&case.variant).unwrap(),
                rules,
                size: None,
                two_way: case.two_way,
                reverse_start: Time(1_000_000_000),
                handovers: vec![],
            }),
        }],
        ..Network::default()
    }
}

fn run(case: &Case) -> Results {
    let options = RunOptions::new(Span::from_secs(case.duration_s));
    World::new(&network(case), 1, &options).unwrap().run(None).unwrap()
}

/// What each end did. The row of a direction counts the pure ACKs that came back to it.
fn measured(results: &Results) -> [[u64; 4]; 2] {
    let flows = &results.flows;
    let end = |own: &FlowResult, other: Option<&FlowResult>| {
        let acks = other.map_or(0, |row| row.acks_sent);
        [own.sender.sent_segments, acks, u64::from(own.acknowledged), own.sender.timeouts]
    };
    match &flows[..] {
        [forward, reverse] => [end(forward, Some(reverse)), end(reverse, Some(forward))],
        [forward] => [end(forward, None), [0, forward.acks_sent, 0, 0]],
        _ => unreachable!("one connection"),
    }
}

#[test]
fn both_ends_send_what_those_of_ns2_send() {
    let mut wrong = Vec::new();
    let cases = cases();
    for case in &cases {
        let is = measured(&run(case));
        let mut expected = case.expected;
        if !case.two_way {
            expected[0][1] = 0; // the ACK that ends the handshake has no row of its own
        }
        let close = is.iter().flatten().zip(expected.iter().flatten()).all(|(a, b)| a.abs_diff(*b) <= CLOSE_PACKETS);
        if !close {
            wrong.push(format!("{:25} ns-2 {expected:?}, here {is:?}", case.name));
        }
    }
    assert!(cases.len() > 80, "the cases are there");
    assert!(wrong.is_empty(), "{} of {} cases differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
