//! Rate-controlled flows over networks: against the throughput equation, beside TCP, and the family's members beside
//! each other. Numbers in the comments are worked from the formulas.

mod common;

use common::*;
use net::*;
use tcp::Profile;
use units::{Span, Time};

/// A flow of the family, with parameters changed.
fn rated(name: &str, from: usize, to: usize, algorithm: &str, change: impl Fn(&mut cc::Config)) -> FlowSpec {
    let mut algorithm = cc::Config::named(algorithm).expect("in the registry");
    change(&mut algorithm);
    let rules = algorithm.rate().expect("rate-controlled");
    FlowSpec {
        class: wlan::Class::BestEffort,
        transport: Transport::Tfrc(datagram::TfrcConfig { rules, payload: 1000, header: 40 }),
        ..flow(name, from, to, "newreno", Profile::Rfc)
    }
}

/// One flow over a wide link that loses packets at random with probability `p`.
fn lossy(p: f64, algorithm: &str, change: impl Fn(&mut cc::Config)) -> Network {
    let mut core = direction(1_000_000_000, 49, 10_000);
    core.loss = LossSpec::uniform(p, LossAt::Wire);
    let mut network = dumbbell(1, core, &direction(1_000_000_000, 0, 10_000), "newreno", Profile::Rfc);
    network.links[0].reverse.loss = LossSpec::NONE;
    network.flows = vec![rated("f/0", 2, 3, algorithm, change)];
    network
}

/// Goodput in bytes per second from 50 s to 650 s, mean RTT, and loss events per packet, over six seeds.
fn measured(network: &Network) -> (f64, f64, f64) {
    const SEEDS: u64 = 6;
    let (mut rate, mut rtt, mut events) = (0.0, 0.0, 0.0);
    for seed in 1..=SEEDS {
        let results = run(network, seed, &RunOptions { warmup: Span::from_secs(50.0), ..options(650.0) });
        let f = &results.flows[0];
        rate += f.measured_bytes as f64 / 600.0 / SEEDS as f64;
        rtt += f.sender.rtt_sum / f.sender.rtt_samples as f64 / SEEDS as f64;
        events += f.loss_events as f64 / f.sender.sent_segments as f64 / SEEDS as f64;
    }
    (rate, rtt, events)
}

/// The equation with b = 1 and t_RTO = 4 R.
fn equation(s: f64, r: f64, p: f64) -> f64 {
    s / (r * (2.0 * p / 3.0).sqrt() + 4.0 * r * 3.0 * (3.0 * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p))
}

#[test]
fn with_random_losses_the_rate_is_the_equations() {
    // At p 0.01 and R 0.098 s: 114 600 B/s of packets that may be sent, 113 500 that arrive.
    //
    // Losses that fall into the RTT after the first one of an event are not events, so the rate of loss events is lower
    // than p: with N packets in an RTT, each interval is 1 + N + (1/p - 1) packets less what is not lost, so p_e = p /
    // (1 + N p), and N = X R / s. The equation is taken at that rate of loss events.
    for p in [0.003, 0.01, 0.03] {
        let (rate, rtt, events) = measured(&lossy(p, "tfrc", |_| {}));
        let sent = rate / (1.0 - p) / 1000.0;
        let expected_events = p / (1.0 + sent * rtt * p);
        assert!((events / expected_events - 1.0).abs() < 0.05, "p {p}: {events} events per packet, {expected_events}");
        // The history averages eight intervals of random length, with weights whose squares make them count as about
        // seven: the average varies by 1 / sqrt(7), and the mean of its square root, as X goes, is 1 / 56 lower than
        // the root of its mean. Timeouts in the equation, which weigh more at large p, add to that
        let expected = equation(1000.0, rtt, events);
        let ratio = rate / (1.0 - p) / expected;
        assert!((0.93..1.03).contains(&ratio), "p {p}: {rate:.0} B/s, the equation {expected:.0}, ratio {ratio:.3}");
    }
}

#[test]
fn small_packets_get_the_bandwidth_of_large_ones() {
    // 1000 B packets over 1460 B nominal, 40 B of header: X(1460) 1000 / 1040, that is 1.404 X(1000)
    let (plain, ..) = measured(&lossy(0.01, "tfrc", |_| {}));
    let (small, _, _) = measured(&lossy(0.01, "tfrc-sp", |c| c.set_number("sp_gap", 0.0).unwrap()));
    // more packets in an RTT make fewer loss events of the same losses, so a little more
    assert!((1.38..1.50).contains(&(small / plain)), "{small} {plain}");
    // at least 10 ms between packets: 100 packets a second at most
    let (spaced, ..) = measured(&lossy(0.001, "tfrc-sp", |_| {}));
    assert!(spaced <= 100_000.0 && spaced > 98_000.0, "{spaced}");
}

#[test]
fn etfcc_without_its_floor_is_tfrc() {
    let text = |algorithm: &str| format!("{:?}", run(&lossy(0.01, algorithm, |_| {}), 3, &options(60.0)));
    assert_eq!(text("etfcc"), text("tfrc"));
    let floor = lossy(0.01, "etfcc", |c| c.set_flag("etfcc_floor", true).unwrap());
    assert_ne!(format!("{:?}", run(&floor, 3, &options(60.0))), text("tfrc"));
}

#[test]
fn the_floor_slows_the_falls_and_never_lifts_the_rate_itself() {
    // BWE averages what arrives, at most X (1 - p): under the floor the rate decays by 1 % of itself with every tenth
    // report, until the equation holds it up again. So it lies above TFRC's, by the size of the equation's own swings
    // (the average of eight random intervals varies by some 30 %, X by half of that), and far below the link.
    let (with_floor, ..) = measured(&lossy(0.01, "etfcc", |c| c.set_flag("etfcc_floor", true).unwrap()));
    let (without, ..) = measured(&lossy(0.01, "etfcc", |_| {}));
    assert!((1.05..1.30).contains(&(with_floor / without)), "{with_floor} {without}");
}

#[test]
fn marks_are_losses_that_lose_nothing() {
    let mut core = direction(2_000_000, 49, 100);
    core.queue.warning = Some(WarningSpec { threshold_packets: 10.0, weight: 0.05 });
    let mut network = dumbbell(1, core, &direction(1_000_000_000, 0, 1000), "newreno", Profile::Rfc);
    network.flows = vec![rated("f/0", 2, 3, "tfrc", |c| c.set_flag("tfrc_ecn", true).unwrap())];
    // the queue of slow start, which overshoots, is over by then
    let late = run(&network, 1, &options(300.0));
    let f = &late.flows[0];
    assert!(f.sender.marks > 100 && f.loss_events > 20, "{} marks, {} events", f.sender.marks, f.loss_events);
    assert!(f.lost.total() < 200, "{:?}", f.lost);
    assert!(f.delivered_bytes as f64 * 8.0 / 300.0 > 0.75 * 2e6 * 1000.0 / 1040.0, "{}", f.delivered_bytes);
    // without ECN nothing is marked
    network.flows = vec![rated("f/0", 2, 3, "tfrc", |_| {})];
    assert_eq!(run(&network, 1, &options(60.0)).flows[0].sender.marks, 0);
}

#[test]
fn beside_newreno_it_takes_a_fair_share() {
    // Both see the same queue. The equation is TCP's throughput at the loss event rate that TCP meets; TFRC meets
    // fewer, since it sends evenly where TCP's bursts fill the queue, and its average over eight intervals is slow: RFC
    // 5348 calls a flow fair within a factor of two of TCP's in the same conditions.
    const SEEDS: u64 = 5;
    let mut shares = [0.0; 2];
    for seed in 1..=SEEDS {
        let core = direction(8_000_000, 40, 60);
        let mut network = dumbbell(4, core, &direction(100_000_000, 5, 1000), "newreno", Profile::Rfc);
        for (at, spec) in network.flows.iter_mut().enumerate() {
            let start = Time(at as u64 * 700_000_000 + seed * 31_000_000);
            if at % 2 == 1 {
                *spec = tfrc(&spec.name, spec.from, spec.to);
            } else {
                tcp(spec).rules.mss = 1000;
            }
            spec.start = start;
        }
        let results = run(&network, seed, &RunOptions { warmup: Span::from_secs(60.0), ..options(360.0) });
        for f in &results.flows {
            shares[f.flow % 2] += f.measured_bytes as f64 / 300.0 / SEEDS as f64;
        }
    }
    let ratio = shares[1] / shares[0];
    assert!((0.5..2.0).contains(&ratio), "TFRC {:.0} B/s, NewReno {:.0} B/s: {ratio:.2}", shares[1], shares[0]);
    // and together they use the link: 8 Mbit/s less headers
    let used = (shares[0] + shares[1]) * 8.0 * 1040.0 / 1000.0 / 8e6;
    assert!((0.85..=1.0).contains(&used), "{used}");
}

#[test]
fn the_traced_rate_is_what_is_sent_and_what_the_equation_says() {
    let traces = Traces { srtt: true, rate: true, loss_event_rate: true, ..Traces::default() };
    let results = run(&lossy(0.01, "tfrc", |_| {}), 1, &RunOptions { traces, ..options(200.0) });
    let series = |variable| results.traces.iter().filter(move |t| t.variable == variable).collect::<Vec<_>>();
    let (rates, losses, rtts) = (series(Variable::Rate), series(Variable::LossEventRate), series(Variable::Srtt));
    let last = |series: &[&TracePoint], at: Time| series.iter().rev().find(|t| t.at <= at).map(|t| t.value);

    // before the first report 1000 B every second
    assert_eq!((rates[0].value, losses[0].value), (8000.0, 0.0));
    // then W_init / R with W_init = min(4000, max(2000, 4380)) = 4000 B
    let r = rtts[0].value;
    assert_eq!(rates[1].at, rtts[0].at);
    assert!((rates[1].value / (4000.0 * 8.0 / r) - 1.0).abs() < 1e-9, "{} {r}", rates[1].value);
    // and twice that an RTT later: twice what arrived in the meantime is no limit yet
    assert!((rates[2].value / rates[1].value - 2.0).abs() < 0.1, "{} {}", rates[1].value, rates[2].value);

    // with losses, the equation at the traced R and p, or twice what arrives where that is less
    let steady: Vec<_> = rates.iter().filter(|t| t.at > Time::from_secs(20.0)).collect();
    let equal = steady.iter().filter(|t| {
        let (r, p) = (last(&rtts, t.at).unwrap(), last(&losses, t.at).unwrap());
        let expected = 8.0 * equation(1000.0, r, p);
        assert!(t.value < expected * 1.000_001, "at {}: {} is above {expected}", t.at.secs(), t.value);
        (t.value / expected - 1.0).abs() < 1e-6
    });
    assert!(equal.count() * 10 > steady.len() * 9, "it is the equation that decides");

    // its integral is what was sent, but for the last packet's gap
    let ends = rates.iter().skip(1).map(|t| t.at).chain([Time::from_secs(200.0)]);
    let sent: f64 = rates.iter().zip(ends).map(|(t, end)| t.value * end.since(t.at).secs()).sum();
    let packets = sent / 8000.0;
    let counted = results.flows[0].sender.sent_segments as f64;
    assert!((packets / counted - 1.0).abs() < 0.01, "{packets} {counted}");
}

#[test]
fn the_traced_rate_of_a_connection_is_a_window_per_rtt() {
    let core = direction(10_000_000, 40, 50);
    let network = dumbbell(1, core, &direction(100_000_000, 1, 10_000), "newreno", Profile::Rfc);
    let traces = Traces { cwnd: true, srtt: true, rate: true, ..Traces::default() };
    let results = run(&network, 1, &RunOptions { traces, ..options(20.0) });
    let at_end = |variable| results.traces.iter().rev().find(|t| t.variable == variable).unwrap().value;
    let mss = match &network.flows[0].transport {
        Transport::Tcp(tcp) => f64::from(tcp.rules.mss),
        _ => unreachable!(),
    };
    let expected = at_end(Variable::Cwnd) * mss * 8.0 / at_end(Variable::Srtt);
    assert!((at_end(Variable::Rate) / expected - 1.0).abs() < 1e-9);
    assert!(results.traces.iter().all(|t| t.variable != Variable::LossEventRate));
}
