//! Queue disciplines on real paths: what a bulk transfer finds, and what it leaves to others.

use datagram::Traffic;
use net::*;
use tcp::Config;
use units::{Span, Time};

use crate::common::*;

const RATE: u64 = 10_000_000;
/// Payload share of a full packet.
const PAYLOAD: f64 = 1460.0 / 1500.0;

/// What a run gave: the flows, and the queue of the bottleneck in packets, mean over time.
struct Found {
    flows: Vec<FlowResult>,
    queue: f64,
    link: LinkStats,
}

/// Flows across a bottleneck of 10 Mbps and 20 ms, each way, that buffers 200 packets (240 ms).
fn across(discipline: Discipline, flows: usize, change: impl Fn(&mut Network)) -> Found {
    let mut core = direction(RATE, 20, 200);
    (core.queue.discipline, core.queue.ecn) = (discipline, true);
    let mut network = dumbbell(flows, core, &direction(100_000_000, 1, 1000), "newreno", Config::classic());
    network.links[0].reverse = direction(RATE, 20, 200);
    for (i, flow) in network.flows.iter_mut().enumerate() {
        flow.start = Time(i as u64 * 730_000_007);
    }
    change(&mut network);
    let options = RunOptions { warmup: Span::from_secs(20.0), delays: true, ..options(120.0) };
    let results = run(&network, 1, &options);
    let link = results.links[0].stats;
    Found { flows: results.flows, queue: link.queue_integral / 120.0, link }
}

impl Found {
    fn share(&self) -> f64 {
        self.flows.iter().map(|f| f.measured_bytes as f64).sum::<f64>() * 8.0 / 100.0 / (RATE as f64 * PAYLOAD)
    }

    /// Mean delay of what waits, by Little's law.
    fn delay_ms(&self) -> f64 {
        self.queue * 1.2
    }
}

fn red() -> Discipline {
    Discipline::Red(RedSpec { mean_packet: 1500, ..RedSpec::default() })
}

fn codel() -> Discipline {
    Discipline::Codel(CodelSpec::default())
}

fn pie() -> Discipline {
    Discipline::Pie(PieSpec::default())
}

fn fq_codel() -> Discipline {
    Discipline::FqCodel(FqCodelSpec::default())
}

/// What a queue does to one, four and ten flows: its share of the link and its mean delay, ms.
fn bulk(discipline: Discipline, flows: usize) -> (f64, f64) {
    let found = across(discipline, flows, |_| {});
    (found.share(), found.delay_ms())
}

#[test]
fn drop_tail_fills_what_there_is_and_the_others_do_not() {
    // The pipe is 44 ms * 10 Mbit/s = 37 packets, the buffer 200 of 1.2 ms. DropTail: NewReno swings between 237 and
    // 118 packets, so between 81 and 200 wait: 140 on average, 169 ms, a little less for the time that slow start
    // takes.
    let (share, delay) = bulk(Discipline::DropTail, 1);
    assert!(share > 0.995 && (150.0..185.0).contains(&delay), "{share} {delay}");
    for flows in [1, 4, 10] {
        for discipline in [red(), codel(), pie(), fq_codel()] {
            let (share, delay) = bulk(discipline, flows);
            // one flow that halves at such a short queue leaves the link idle; several do not
            let least = if flows == 1 { 0.8 } else { 0.93 };
            // of ten flows each has a tenth of the link, where two segments take 24 ms
            assert!(share > least && delay < 25.0, "{discipline:?}, {flows} flows: {share} {delay}");
        }
    }
}

#[test]
fn codel_keeps_the_standing_queue_near_its_target() {
    // four flows never leave the link idle: what waits is the standing queue, tolerated up to 5 ms, and the waves on
    // it: a segment per flow and RTT of 50 ms are 9.6 ms more in the interval of 100 ms before a drop, half of that on
    // average
    let (share, delay) = bulk(codel(), 4);
    assert!(share > 0.98 && (8.0..11.5).contains(&delay), "{share} {delay}");
    let wide = Discipline::Codel(CodelSpec { target: Span::from_millis(40), ..CodelSpec::default() });
    let (_, slack) = bulk(wide, 4);
    assert!((32.0..60.0).contains(&slack), "{slack}");
}

#[test]
fn pie_holds_its_target() {
    for (target, range) in [(15, 11.0..19.0), (40, 32.0..48.0)] {
        let pie = Discipline::Pie(PieSpec { target: Span::from_millis(target), ..PieSpec::default() });
        let (share, delay) = bulk(pie, 4);
        assert!(share > 0.98 && range.contains(&delay), "{target} ms: {share} {delay}");
    }
}

#[test]
fn marks_replace_drops_for_senders_that_understand_them() {
    for discipline in [red(), codel(), pie(), fq_codel(), Discipline::Threshold(QueueLimit::Packets(10))] {
        let found = across(discipline, 4, |network| network.flows.iter_mut().for_each(|f| tcp(f).rules.ecn = true));
        let (marks, early) = (found.link.marked_packets, found.link.losses[LossCause::Early]);
        // RED and PIE drop where their probability is high, in slow start
        assert!(marks > 300 && early * 5 < marks, "{discipline:?}: {marks} marks, {early} drops");
        let heard: u64 = found.flows.iter().map(|f| f.sender.marks).sum();
        assert!(heard > 200, "{discipline:?}: {heard} of {marks} marks");
        let off = across(discipline, 4, |network| {
            network.links[0].forward.queue.ecn = false;
            network.flows.iter_mut().for_each(|f| tcp(f).rules.ecn = true);
        });
        assert_eq!(off.link.marked_packets, 0, "{discipline:?}");
    }
    let codel = across(codel(), 4, |network| network.flows.iter_mut().for_each(|f| tcp(f).rules.ecn = true));
    let resent: u64 = codel.flows.iter().map(|f| f.sender.retransmitted_segments).sum();
    assert_eq!((codel.link.losses.total(), resent), (0, 0));
}

#[test]
fn fq_codel_serves_a_thin_flow_at_once() {
    // 64 packets per second of 1000 bytes beside four transfers
    let thin = |discipline| {
        let found = across(discipline, 4, |network| {
            network.flows.push(udp("thin", 2, 3, Traffic::Cbr { jittered: false }, 512_000));
        });
        let delays = found.flows.last().and_then(|f| f.delays.clone()).expect("recorded");
        delays.quantile(0.95).expect("it sent").secs() * 1e3
    };
    let (fq, codel, tail) = (thin(fq_codel()), thin(codel()), thin(Discipline::DropTail));
    // what is left is one packet in transmission, 1.2 ms, and its own neighbours
    assert!(fq < 3.0, "{fq}");
    assert!(codel > 2.0 * fq && tail > 40.0 * fq, "{fq} {codel} {tail}");
}

#[test]
fn fq_codel_shares_evenly_between_near_and_far() {
    let shares = |discipline| {
        let found = across(discipline, 2, |network| {
            // the second pair is 60 ms away, each way
            network.links[3].forward.delay = Span::from_millis(60);
            network.links[3].reverse.delay = Span::from_millis(60);
        });
        let x: Vec<f64> = found.flows.iter().map(|f| f.measured_bytes as f64).collect();
        (x[0] + x[1]).powi(2) / (2.0 * (x[0] * x[0] + x[1] * x[1]))
    };
    let (fq, codel) = (shares(fq_codel()), shares(codel()));
    assert!(fq > 0.97 && codel < 0.9, "{fq} {codel}");
}

#[test]
fn a_policer_lets_its_rate_pass_and_delays_nobody() {
    let found = across(Discipline::DropTail, 1, |network| {
        network.links[0].forward.queue.policer = Some(PolicerSpec { rate_bps: 5_000_000, burst_bytes: 30_000 });
    });
    // headers count: half of the link at most
    assert!((0.3..=0.5).contains(&found.share()), "{}", found.share());
    assert!(found.link.losses[LossCause::Policer] > 50 && found.link.losses[LossCause::Queue] == 0);
    assert!(found.delay_ms() < 2.0, "{}", found.delay_ms());
    let plain = across(Discipline::DropTail, 1, |_| {});
    assert_eq!(plain.link.losses[LossCause::Policer], 0);
}
