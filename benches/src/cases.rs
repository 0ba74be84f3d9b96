//! The cases: NewReno senders (or those of another algorithm), an ACK per packet, DropTail, ns-2's rules. W1 to W4 are
//! dumbbells, W5 is 802.11 (`radio`).

use cc::registry::Recovery;
use net::{
    Counting, DirectionSpec, FlowSpec, LinkSpec, LossAt, LossSpec, Network, NodeId, QueueLimit, QueueSpec, RunOptions,
    TcpSpec, Transport,
};
use tcp::{Config, Profile};
use units::{Span, Time};

use crate::radio::Radio;

/// What is run, here and in ns-2.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name, as in the table of results.
    pub name: String,
    /// Simulated seconds.
    pub seconds: f64,
    path: Path,
    /// Script of ns-2.
    pub ns2_script: &'static str,
    /// The same case for that script.
    pub ns2_arguments: String,
}

#[derive(Clone, Debug)]
enum Path {
    Dumbbell(Dumbbell),
    Radio(Radio),
}

/// A dumbbell with one or two hops between the gateways.
#[derive(Clone, Debug)]
struct Dumbbell {
    /// Pairs of hosts.
    pairs: u32,
    access_bps: u64,
    access_delay: Span,
    bottleneck_bps: u64,
    bottleneck_delay: Span,
    hops: usize,
    loss: f64,
    loss_back: f64,
    two_way: bool,
    mss: u32,
    queue: u32,
    access_queue: u32,
    window: u32,
    sender: Sender,
}

/// Whose rules the senders follow.
#[derive(Clone, Copy, Debug)]
enum Sender {
    /// ns-2's.
    Ns2,
    /// RFC 6675, an ACK per packet.
    Sack,
    /// The same with RACK-TLP, PRR, timestamps, and all that takes a reduction back.
    Rack,
}

const KBPS: u64 = 1000;
const MBPS: u64 = 1000 * KBPS;
const GBPS: u64 = 1000 * MBPS;

/// Ten flows, 8 Mbps, 1 % loss: the path of the thesis.
pub fn w1() -> Case {
    let arguments = "n 10 dur 2000 accbw 1Mb accd 10ms bbw 8Mb bd 50ms q 0.01 qlen 100";
    dumbbell("W1", 2000.0, thesis(), arguments.into())
}

fn dumbbell(name: &str, seconds: f64, path: Dumbbell, ns2_arguments: String) -> Case {
    Case { name: name.into(), seconds, path: Path::Dumbbell(path), ns2_script: "dumbbell.tcl", ns2_arguments }
}

fn thesis() -> Dumbbell {
    Dumbbell {
        pairs: 10,
        access_bps: MBPS,
        access_delay: Span::from_millis(10),
        bottleneck_bps: 8 * MBPS,
        bottleneck_delay: Span::from_millis(50),
        hops: 1,
        loss: 0.01,
        loss_back: 0.0,
        two_way: false,
        mss: 1000,
        queue: 100,
        access_queue: 1000,
        window: 1000,
        sender: Sender::Ns2,
    }
}

/// The path of the thesis with senders of the RFCs: `sack`, or `rack`.
pub fn w6(sender: &str) -> Option<Case> {
    let sender = match sender {
        "sack" => Sender::Sack,
        "rack" => Sender::Rack,
        _ => return None,
    };
    // ns-2 has no such senders: its own run there
    let arguments = w1().ns2_arguments;
    Some(dumbbell(&format!("W6 {sender:?}").to_lowercase(), 2000.0, Dumbbell { sender, ..thesis() }, arguments))
}

/// A hundred pairs of hosts with a flow each way over two lossy hops.
pub fn w2() -> Case {
    let path = Dumbbell {
        pairs: 100,
        access_delay: Span::from_millis(20),
        bottleneck_bps: 85 * MBPS,
        bottleneck_delay: Span::from_millis(60),
        hops: 2,
        loss_back: 0.01,
        two_way: true,
        queue: 500,
        ..thesis()
    };
    let arguments = "n 100 dur 200 accbw 1Mb accd 20ms bbw 85Mb bd 60ms hops 2 q 0.01 qrev 0.01 twoway 1 qlen 500";
    dumbbell("W2", 200.0, path, arguments.into())
}

/// One flow at line rate through 1 Gbps.
pub fn w3() -> Case {
    let path = Dumbbell {
        pairs: 1,
        access_bps: 10 * GBPS,
        access_delay: Span(10_000),
        bottleneck_bps: GBPS,
        bottleneck_delay: Span::from_millis(10),
        loss: 0.0,
        mss: 1460,
        queue: 1667,
        access_queue: 5000,
        window: 2500,
        ..thesis()
    };
    let arguments = "n 1 dur 20 accbw 10Gb accd 0.01ms bbw 1Gb bd 10ms q 0 pkt 1460 qlen 1667 accq 5000 wnd 2500";
    dumbbell("W3", 20.0, path, arguments.into())
}

/// Many flows, 1 Mbps of the bottleneck for each.
pub fn w4(pairs: u32) -> Case {
    let seconds = if pairs == 10 { 400.0 } else { 20.0 };
    let path = Dumbbell {
        pairs,
        access_bps: 10 * MBPS,
        bottleneck_bps: u64::from(pairs) * MBPS,
        loss: 0.001,
        queue: 12 * pairs,
        ..thesis()
    };
    let arguments =
        format!("n {pairs} dur {seconds} accbw 10Mb accd 10ms bbw {pairs}Mb bd 50ms q 0.001 qlen {}", 12 * pairs);
    dumbbell(&format!("W4 N={pairs}"), seconds, path, arguments)
}

/// Radio: `chain` or `cell`, and how many nodes or stations.
pub fn w5(shape: &str, count: usize) -> Option<Case> {
    let seconds = if count > 100 { 20.0 } else { 150.0 };
    let (path, ns2_script, ns2_arguments) = match shape {
        "chain" => (Radio::Chain(count), "chain80211.tcl", format!("nodes {count} dur {seconds}")),
        "cell" => (Radio::Cell(count), "cell80211.tcl", format!("n {count} dur {seconds}")),
        _ => return None,
    };
    Some(Case { name: format!("W5 {shape}:{count}"), seconds, path: Path::Radio(path), ns2_script, ns2_arguments })
}

impl Case {
    /// The run of this case: counters only.
    pub fn options(&self) -> RunOptions {
        RunOptions::new(Span::from_secs(self.seconds))
    }

    /// The network of this case with NewReno senders.
    pub fn network(&self, seed: u64) -> Network {
        self.network_of(&cc::Config::named("newreno").expect("in the registry"), seed)
    }

    /// The network of this case with senders of another algorithm.
    pub fn network_of(&self, algorithm: &cc::Config, seed: u64) -> Network {
        match &self.path {
            Path::Dumbbell(dumbbell) => dumbbell.network(algorithm, seed),
            Path::Radio(radio) => radio.network(algorithm),
        }
    }
}

impl Sender {
    fn rules(self, algorithm: &cc::Config, mss: u32, window: u32) -> Config {
        let rfc = Config { mss, window, delayed_ack: 1, recovery: Some(Recovery::Sack), ..Config::classic() };
        match self {
            Sender::Ns2 => rules(algorithm, mss, window),
            Sender::Sack => rfc,
            Sender::Rack => {
                Config { recovery: Some(Recovery::RackTlp), prr: true, timestamps: true, dsack: true, ..rfc }
            }
        }
    }
}

/// The rules of ns-2 for senders of this algorithm.
pub fn rules(algorithm: &cc::Config, mss: u32, window: u32) -> Config {
    let mut tcp = Config::profile(Profile::Ns2).with_marks_for(algorithm.row());
    (tcp.mss, tcp.window) = (mss, window);
    tcp.timestamps = algorithm.row().needs_receiver_time;
    tcp
}

/// A transfer without end.
pub fn transfer(name: String, from: NodeId, to: NodeId, start: f64, algorithm: cc::Config, rules: Config) -> FlowSpec {
    let tcp = TcpSpec { algorithm, rules, size: None, two_way: false, reverse_start: Time::ZERO, handovers: vec![] };
    let (start, transport, class) = (Time::from_secs(start), Transport::Tcp(tcp), wlan::Class::BestEffort);
    FlowSpec { name, from, to, start, route: None, stop: None, transport, class }
}

impl Dumbbell {
    /// Loss is drawn before the queue, as ns-2's script does.
    fn network(&self, algorithm: &cc::Config, seed: u64) -> Network {
        let direction = |rate_bps, delay, queue, loss| DirectionSpec {
            loss: LossSpec::uniform(loss, LossAt::Queue),
            ..DirectionSpec::plain(rate_bps, delay, QueueSpec::drop_tail(QueueLimit::Packets(queue), Counting::Ns2))
        };
        let link = |name: String, a, b, there: DirectionSpec, back: DirectionSpec| LinkSpec {
            name,
            a,
            b,
            forward: there,
            reverse: back,
            medium: None,
        };
        let mut nodes: Vec<String> = (0..=self.hops).map(|i| format!("g{i}")).collect();
        let mut links: Vec<LinkSpec> = (0..self.hops)
            .map(|i| {
                let side = |loss| direction(self.bottleneck_bps, self.bottleneck_delay, self.queue, loss);
                link(format!("hop{i}"), i, i + 1, side(self.loss), side(self.loss_back))
            })
            .collect();
        let tcp = self.sender.rules(algorithm, self.mss, self.window);
        let mut flows = Vec::new();
        for i in 0..self.pairs {
            let (left, right) = (nodes.len(), nodes.len() + 1);
            nodes.push(format!("left/{i}"));
            nodes.push(format!("right/{i}"));
            let access = || direction(self.access_bps, self.access_delay, self.access_queue, 0.0);
            links.push(link(format!("left/{i}"), left, 0, access(), access()));
            links.push(link(format!("right/{i}"), self.hops, right, access(), access()));
            for (name, from, to) in [("there", left, right), ("back", right, left)] {
                if name == "back" && !self.two_way {
                    continue;
                }
                let name = format!("{name}/{i}");
                let start = sim::Stream::new(seed, &format!("{name}/start")).uniform();
                flows.push(transfer(name, from, to, start, *algorithm, tcp));
            }
        }
        Network { nodes, links, flows, ..Network::default() }
    }
}
