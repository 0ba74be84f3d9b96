//! What must hold of any network: packets are conserved, nothing exceeds capacity, equal runs are equal, and the short
//! cuts of the event loop change nothing.

mod common;

use common::*;
use datagram::{Periods, Traffic};
use net::*;
use proptest::prelude::*;
use sim::Stream;
use tcp::{Config, Flags, Pacing, Profile};
use units::{Span, Time};

/// A network with flows across two, one or no shared links, everything else drawn.
#[derive(Clone, Debug)]
struct Drawn {
    seed: u64,
    rules: Config,
    pairs: usize,
    algorithms: Vec<usize>,
    rate_kbps: u64,
    delay_ms: u64,
    queue: u32,
    bytes: bool,
    loss: f64,
    loss_model: usize,
    at_queue: bool,
    /// How many paths the first connection has between its ends, beside that over the shared link; 0: only that one.
    detours: usize,
    drops: Vec<u64>,
    two_way: bool,
    /// Pace every sender, not only those whose algorithm does.
    paced: bool,
    /// Receivers close their windows before an outage that is a handover.
    freeze: bool,
    /// Stop every other flow when so many milliseconds have passed.
    stop_ms: Option<u64>,
    timestamps: bool,
    size: Option<u64>,
    delayed_ack: u32,
    warning: bool,
    datagrams: Option<Traffic>,
    discipline: usize,
    ecn: bool,
    policer: bool,
    changing: Option<Changing>,
    /// Share of the run that is not measured.
    warmup: f64,
    send_jitter: SendJitter,
}

/// Every discipline, RED in several modes.
fn disciplines() -> [Discipline; 11] {
    let red = RedSpec { max_p: 0.3, weight: Some(0.05), ..RedSpec::default() };
    [
        Discipline::DropTail,
        Discipline::Threshold(QueueLimit::Packets(4)),
        Discipline::Threshold(QueueLimit::Bytes(5000)),
        Discipline::Red(red),
        Discipline::Red(RedSpec { gentle: false, wait: true, byte_mode: true, in_bytes: true, ..red }),
        Discipline::Red(RedSpec { min: None, max: None, weight: None, adaptive: true, ..red }),
        Discipline::Pie(PieSpec::default()),
        Discipline::Codel(CodelSpec::default()),
        Discipline::FqCodel(FqCodelSpec { flows: 4, drop_batch: 3, ..FqCodelSpec::default() }),
        Discipline::DualPi2(DualPi2Spec::default()),
        Discipline::DualPi2(DualPi2Spec {
            scheduler: DualScheduler::TimeShifted,
            random: true,
            ..DualPi2Spec::default()
        }),
    ]
}

/// Every model of loss, about so lossy.
fn loss_models(loss: f64) -> [LossModel; 8] {
    let ms = Span::from_millis;
    let ge = |burst, good, bad| {
        LossModel::GilbertElliott(GilbertElliott::with_mean(loss, burst, good, bad).expect("below 80 %"))
    };
    [
        LossModel::Uniform { probability: loss },
        ge(Some(4.0), 0.0, 1.0),
        ge(None, loss / 2.0, 0.9),
        LossModel::Bits { probability: loss / 12_000.0 },
        LossModel::Bytes { probability: loss / 1500.0 },
        LossModel::TwoState { good: ms(400), bad: ms(40), good_loss: loss / 4.0, bad_loss: 0.9 },
        LossModel::Burst { probability: loss / 4.0, hold: ms(20) },
        LossModel::Replay { lost: (0..40).map(|n| n * n / 3).collect(), period: (loss > 0.05).then_some(600) },
    ]
}

const TRAFFIC: [Traffic; 4] = [
    Traffic::Cbr { jittered: false },
    Traffic::Cbr { jittered: true },
    Traffic::OnOff(Periods { on: Span::from_millis(300), off: Span::from_millis(200), shape: Some(1.5) }),
    Traffic::Poisson,
];

/// From less than a transmission to more than an RTT.
const SEND_JITTERS: [SendJitter; 4] =
    [SendJitter::Off, SendJitter::Auto, SendJitter::UpTo(Span(2_000)), SendJitter::UpTo(Span::from_millis(150))];

/// Half of the networks change: with steps, outages, a trace or jitter, by the bits of `kind`.
fn changing(kind: u64, rate_kbps: u64) -> Option<Changing> {
    let is = |bit: u64| kind >> bit & 1 == 1;
    let ms = |n: u64| Time(n * 1_000_000);
    let step = |at, rate: u64, delay: u64| Step {
        at: ms(at),
        rate_bps: Some(rate * 1000),
        delay: Some(Span::from_millis(delay)),
    };
    let outage = |at, length, every: Option<u64>, lost| Outage {
        at: ms(at),
        length: Span::from_millis(length),
        every: every.map(Span::from_millis),
        lost,
        handover: lost,
    };
    let model = match kind >> 6 & 3 {
        0 => JitterModel::Uniform { spread: Span::from_millis(3) },
        1 => JitterModel::Normal { deviation: Span::from_millis(20) },
        2 => JitterModel::Exponential { mean: Span::from_millis(5) },
        _ => JitterModel::Pareto { mean: Span::from_millis(5), shape: 1.5 },
    };
    let broken = |at, length, cause, kept: Option<u64>| Break {
        at: ms(at),
        length: Span::from_millis(length),
        known: ms(at - 50),
        cause,
        kept: kept.map(Span::from_millis),
    };
    // rises by 1 ms or more between opportunities, now and then by nothing
    let spacing = 1 + 8000 / rate_kbps as u32;
    is(0).then(|| Changing {
        steps: if is(1) { vec![step(800, rate_kbps * 3, 60), step(3001, rate_kbps / 2, 1)] } else { vec![] },
        outages: match kind >> 2 & 3 {
            0 => vec![],
            1 => vec![outage(500, 400, None, is(8))],
            2 => vec![outage(0, 10, Some(33), is(8))],
            _ => vec![outage(1000, 300, Some(1700), is(8)), outage(1200, 200, None, !is(8))],
        },
        trace: is(4).then(|| (1..400u32).map(|n| n * 9 / 10 * spacing + 1).collect()),
        frames: None,
        breaks: match kind >> 10 & 3 {
            0 | 1 => vec![],
            2 => vec![
                broken(700, 350, LossCause::Handover, is(12).then_some(20)),
                broken(2100, 60, LossCause::Coverage, Some(0)),
            ],
            _ => vec![broken(1500, 1000, LossCause::Coverage, Some(0)), broken(2500, 1, LossCause::Handover, None)],
        },
        handovers: match kind >> 10 & 3 {
            0 if !is(1) => vec![Handover {
                at: ms(900),
                every: Some(Span::from_millis(700)),
                gap: (Span::ZERO, Span::from_millis(100)),
                rate_factor: (!is(4)).then_some((0.5, 2.0)),
                delay: Some(DelayAfter::Drawn(Span::from_millis(1), Span::from_millis(60))),
                kept: is(12).then_some(Span::from_millis(20)),
                warn: Span::from_millis(50),
            }],
            _ => vec![],
        },
        jitter: is(5).then_some(Jitter { model, reorder: is(9) }),
        reordering: match kind >> 13 & 3 {
            0 => Reordering::Never,
            1 => Reordering::Shorter,
            2 => Reordering::Chosen(Chosen {
                which: Which::Numbers([0, 3, 4, 60, 300].into()),
                shift: Shift::Later(Span::from_millis(30)),
            }),
            _ => Reordering::Chosen(Chosen {
                which: Which::Drawn { every: 3, rate_percent: 50.0, correlation_percent: 25.0 },
                shift: Shift::Earlier(Span::from_millis(5)),
            }),
        },
    })
}

fn drawn() -> impl Strategy<Value = Drawn> {
    // a rate in step with the access links makes packets arrive in the instant of a departure
    let rate = prop_oneof![2 => 100u64..20_000, 1 => proptest::sample::select(vec![1000, 2000, 4000])];
    let loss = (0.0..0.15f64, 0usize..8, any::<bool>());
    let path = (rate, 0u64..80, 1u32..60, any::<bool>(), loss, prop_oneof![2 => Just(0usize), 1 => 1usize..3]);
    let flows = (1usize..5, proptest::collection::vec(0usize..64, 5), any::<bool>(), any::<bool>(), 1u32..4);
    let rest = (any::<u64>(), any::<bool>(), proptest::collection::vec(0u64..200, 0..6), 0u64..400_000, any::<bool>());
    let queue = (0..disciplines().len(), any::<bool>(), proptest::bool::weighted(0.2));
    // nothing, a whole number of milliseconds at which much else happens, or any time
    let warmup = prop_oneof![Just(0.0), Just(1.0 / 6.0), 0.0..0.95f64];
    (path, flows, rest, queue, warmup).prop_map(|(path, flows, rest, queue, warmup)| Drawn {
        seed: rest.0,
        rules: match (rest.1, rest.0 >> 21 & 3) {
            (true, _) => Config::profile(Profile::Ns2),
            (false, 0) => Config::classic(),
            (false, 1) => Config::profile(Profile::Rfc),
            (false, _) => Config::profile(Profile::Linux),
        },
        pairs: flows.0,
        algorithms: flows.1,
        rate_kbps: path.0,
        delay_ms: path.1,
        queue: path.2,
        bytes: path.3,
        loss: path.4.0,
        loss_model: path.4.1,
        at_queue: path.4.2,
        detours: path.5,
        drops: rest.2,
        two_way: flows.2,
        paced: rest.0 & 3 == 3,
        freeze: rest.0 >> 20 & 1 == 1,
        stop_ms: (rest.0 >> 2 & 1 == 1).then_some(rest.0 >> 3 & 0xfff),
        timestamps: flows.3,
        size: (rest.3 > 200_000).then_some(rest.3),
        delayed_ack: flows.4,
        warning: rest.4,
        datagrams: TRAFFIC.get(rest.0 as usize % 5).copied(),
        discipline: queue.0,
        ecn: queue.1,
        policer: queue.2,
        changing: changing(rest.0 / 5, path.0),
        warmup,
        send_jitter: SEND_JITTERS[rest.0 as usize >> 40 & 3],
    })
}

impl Drawn {
    fn network(&self) -> Network {
        let mut core = direction(self.rate_kbps * 1000, self.delay_ms, self.queue);
        core.loss = LossSpec {
            model: loss_models(self.loss)[self.loss_model].clone(),
            at: if self.at_queue { LossAt::Queue } else { LossAt::Wire },
        };
        core.drops = self.drops.clone();
        if self.bytes {
            core.queue.limit = QueueLimit::Bytes(u64::from(self.queue) * 1500 + 1500);
        }
        core.queue.trace = Some(net::QueueTracing::ALL);
        core.changing = self.changing.clone().map(Into::into);
        core.queue.discipline = disciplines()[self.discipline];
        core.queue.ecn = self.ecn;
        if self.policer {
            core.queue.policer = Some(PolicerSpec { rate_bps: core.rate_bps * 4 / 5, burst_bytes: 10_000 });
        }
        if self.warning {
            core.queue.warning = Some(WarningSpec { threshold_packets: 3.0, weight: 0.05 });
        }
        let access = direction(2_000_000, 3, 20);
        let mut network = dumbbell(self.pairs, core.clone(), &access, "newreno", self.rules);
        // a third router, so that some links are fed by one link alone and others by several
        network.nodes.push("g3".into());
        let (g3, last) = (network.nodes.len() - 1, network.flows.len() - 1);
        network.links.push(link("tail", 1, g3, core.clone()));
        network.flows[last].to = g3;
        for (i, flow) in network.flows.iter_mut().enumerate() {
            flow.start = Time(i as u64 * 37_000_003);
            let spec = tcp(flow);
            let rows: Vec<_> = cc::registry::windowed().collect();
            spec.algorithm = cc::Config::new(rows[self.algorithms[i] % rows.len()]);
            spec.rules.ecn = i % 2 == 0;
            (spec.rules.ecn_echo, spec.rules.ect1) = (tcp::EcnEcho::Latched, false);
            spec.rules = spec.rules.with_marks_for(spec.algorithm.row());
            spec.rules.timestamps = self.timestamps;
            spec.rules.freeze = self.freeze;
            if self.paced {
                spec.rules.pacing = Pacing::Window;
            }
            spec.rules.delayed_ack = self.delayed_ack;
            spec.two_way = self.two_way;
            spec.size = self.size;
            spec.reverse_start = Time(i as u64 * 101_000_007);
            let start = flow.start;
            flow.stop = self.stop_ms.filter(|_| i % 2 == 0).map(|ms| start + Span::from_millis(ms));
        }
        if let Some(traffic) = self.datagrams {
            network.flows.push(udp("datagrams", 2, 3, traffic, self.rate_kbps * 300));
            // not in the instant in which the other one starts
            network.flows.push(FlowSpec { start: Time(53_000_009), ..tfrc("rated", 2, 3) });
        }
        self.add_detours(&mut network, &core);
        network.send_jitter = self.send_jitter;
        network
    }

    /// Make the first connection one of several paths: its own, and links from end to end, the second with half the
    /// rate.
    fn add_detours(&self, network: &mut Network, core: &DirectionSpec) {
        if self.detours == 0 {
            return;
        }
        let (from, to) = (network.flows[0].from, network.flows[0].to);
        let mut own = network.flows[0].clone();
        (tcp(&mut own).two_way, tcp(&mut own).size) = (false, None);
        network.flows[0] = own.clone();
        let mut subflows = vec![0];
        for detour in 0..self.detours {
            let mut both = core.clone();
            both.rate_bps /= 1 + detour as u64;
            network.links.push(link(&format!("detour/{detour}"), from, to, both));
            let start = Time(own.start.0 + 71_000_011 * (1 + detour as u64));
            let route = Some(vec![network.links.len() - 1]);
            subflows.push(network.flows.len());
            network.flows.push(FlowSpec { name: format!("f/0.{detour}"), start, route, ..own.clone() });
        }
        // over the shared link: the detours have fewer links
        let last = if self.pairs == 1 { "tail" } else { "right/0" };
        let last = network.links.iter().position(|l| l.name == last).expect("it is there");
        network.flows[0].route = Some(vec![1, 0, last]);
        // datagrams would take one detour or the other, by the order of declaration
        for flow in network.flows.iter_mut().filter(|f| !matches!(f.transport, Transport::Tcp(_))) {
            flow.route = Some(vec![1, 0, 2]);
        }
        let coupled = tcp(&mut own).algorithm.row().couples;
        network.multipath.push(MultipathSpec { name: "m".into(), subflows, buffer: 40, size: self.size, coupled });
    }

    fn options(&self) -> RunOptions {
        self.options_for(6.0)
    }

    fn options_for(&self, seconds: f64) -> RunOptions {
        RunOptions { warmup: Span::from_secs(self.warmup * seconds), events: true, ..options(seconds) }
    }
}

/// Each case runs a network for six simulated seconds. `PROPTEST_CASES` asks for more of them.
fn cases() -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let usual = ProptestConfig::default();
    ProptestConfig { cases: if asked { usual.cases } else { 150 }, ..usual }
}

/// Losses in the log by cause.
fn counted(results: &Results, which: impl Fn(&Loss) -> bool) -> LossCounts {
    let mut counts = LossCounts::default();
    results.losses.iter().filter(|loss| which(loss)).for_each(|loss| counts.add(loss.cause));
    counts
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn packets_are_conserved_and_nothing_exceeds_what_the_links_carry(case in drawn()) {
        let network = case.network();
        let settled = network.settled(case.seed, Time::ZERO + case.options().duration);
        // the bounds hold at every moment, of which three will do
        for (seconds, delays) in [(1.5, false), (3.1, true)] {
            let options = RunOptions { delays, ..case.options_for(seconds) };
            let results = run(&network, case.seed, &options);
            prop_assert_eq!(results.check_bounds(&settled, &options), Ok(()));
        }
        let results = run(&network, case.seed, &case.options());
        prop_assert!(format!("{results:?}") == format!("{:?}", run(&network, case.seed, &case.options())), "not repeatable");
        prop_assert_eq!(results.check_conservation(), Ok(()));
        prop_assert_eq!(results.check_bounds(&settled, &case.options()), Ok(()));
        for l in &results.links {
            prop_assert!(l.stats.delivered_packets <= l.stats.transmitted_packets);
        }
        for f in &results.flows {
            prop_assert!(f.receiver.received_segments <= f.sender.sent_segments);
            if let (Some(size), Transport::Tcp(tcp)) = (case.size, &network.flows[f.flow].transport) {
                // a subflow sends whole segments, the last of the stream too
                let whole = if tcp.size.is_none() { u64::from(tcp.rules.mss) } else { 0 };
                prop_assert!(f.delivered_bytes < size + whole.max(1));
            }
        }
        // every loss in the log is counted on its link and, if it is of data, with its flow; and the other way round
        for l in &results.links {
            prop_assert_eq!(counted(&results, |loss| (loss.link, loss.link_reverse) == (l.link, l.reverse)), l.stats.losses);
        }
        for f in &results.flows {
            let own = |loss: &Loss| loss.segment.is_some() && (loss.flow, loss.flow_reverse) == (f.flow, f.reverse);
            prop_assert_eq!(counted(&results, own), f.lost);
        }
    }

    #[test]
    fn what_is_not_measured_is_a_run_that_ends_with_the_warm_up(case in drawn()) {
        // there is a warm-up, and nobody is warned of an outage that comes after the end
        let case = Drawn { freeze: false, warmup: case.warmup.max(0.01), ..case };
        let network = case.network();
        let options = case.options();
        let warm_up = RunOptions { duration: options.warmup, warmup: Span::ZERO, ..options };
        let (whole, early) = (run(&network, case.seed, &options), run(&network, case.seed, &warm_up));
        for (whole, early) in whole.links.iter().zip(&early.links) {
            let (whole, early) = (&whole.stats, &early.stats);
            prop_assert_eq!(whole.measured.transmitted_bytes, whole.transmitted_bytes - early.transmitted_bytes);
            prop_assert_eq!(whole.measured.delivered_bytes, whole.delivered_bytes - early.delivered_bytes);
            // packets have 40 to 1600 bytes
            let held = early.in_flight_packets * 40..=early.in_flight_packets * 1600;
            prop_assert!(held.contains(&whole.measured.held_bytes), "{}, not {held:?}", whole.measured.held_bytes);
        }
        for (whole, early) in whole.flows.iter().zip(&early.flows) {
            prop_assert_eq!(whole.measured_arrived_bytes, whole.arrived_bytes - early.arrived_bytes);
            // what was in order then is so at the end, and what was not may be
            let before = whole.delivered_bytes - whole.measured_bytes;
            prop_assert!((early.delivered_bytes..=early.arrived_bytes).contains(&before));
        }
    }

    #[test]
    fn short_cuts_change_nothing(
        case in drawn(),
        short_cut in prop::sample::select(vec![ShortCut::Ahead, ShortCut::Plain, ShortCut::Eager])
    ) {
        let network = case.network();
        let mut plain = World::new(&network, case.seed, &case.options()).unwrap();
        plain.without(short_cut);
        let (plain, quick) = (plain.run(None).unwrap(), run(&network, case.seed, &case.options()));
        prop_assert!(format!("{:?}", plain.flows) == format!("{:?}", quick.flows), "flows differ");
        prop_assert!(format!("{:?}", plain.links) == format!("{:?}", quick.links), "links differ");
        prop_assert!(plain.losses == quick.losses, "losses differ");
        prop_assert!(plain.events == quick.events, "window changes differ");
        // a timer that an endpoint ahead of the world has dealt with already may cost an event that does nothing
        prop_assert!(quick.loop_events <= plain.loop_events + 10, "{} events, not {}", quick.loop_events, plain.loop_events);
    }

    /// Nor does it to look at every packet at both ends of every link; and each one is seen where it goes.
    #[test]
    fn a_capture_changes_nothing(case in drawn()) {
        let network = case.network();
        let ends = (0..network.links.len()).flat_map(|link| [false, true].map(|far| TapPoint::Link { link, far }));
        let points = [TapPoint::Senders, TapPoint::Receivers].into_iter().chain(ends).collect();
        let spec = CaptureSpec { points, flows: vec![true; network.flows.len()], limit: usize::MAX };
        let mut watched = World::new(&network, case.seed, &case.options()).unwrap();
        watched.capture(&spec);
        let (watched, quick) = (watched.run(None).unwrap(), run(&network, case.seed, &case.options()));
        prop_assert!(format!("{:?}", watched.flows) == format!("{:?}", quick.flows), "flows differ");
        prop_assert!(format!("{:?}", watched.links) == format!("{:?}", quick.links), "links differ");
        prop_assert!(watched.losses == quick.losses, "losses differ");
        prop_assert!(watched.events == quick.events, "window changes differ");
        prop_assert!(watched.traces == quick.traces, "traces differ");
        check_capture(&network, &watched)?;
    }

    #[test]
    fn service_events_change_nothing(case in drawn()) {
        let network = case.network();
        let mut served = World::new(&network, case.seed, &case.options()).unwrap();
        served.without(ShortCut::Departures);
        let (served, quick) = (served.run(None).unwrap(), run(&network, case.seed, &case.options()));
        prop_assert!(format!("{:?}", served.flows) == format!("{:?}", quick.flows), "flows differ");
        prop_assert!(format!("{:?}", served.links) == format!("{:?}", quick.links), "links differ");
        prop_assert!(served.losses == quick.losses, "losses differ");
        prop_assert!(served.events == quick.events, "window changes differ");
        prop_assert!(served.traces == quick.traces, "traces differ");
        prop_assert!(quick.loop_events < served.loop_events);
    }
}

/// Data and ACKs that were seen at the hosts are those that the ends counted, and each packet crosses its links in
/// order.
fn check_capture(network: &Network, results: &Results) -> Result<(), TestCaseError> {
    let captured = &results.captured;
    prop_assert!(captured.passed.windows(2).all(|two| two[0].at <= two[1].at), "not in order of time");
    for f in &results.flows {
        let own = 2 * f.flow as u32 + u32::from(f.reverse);
        let data = |packet: &SentPacket| packet.end == own && packet.segment.flags.has(Flags::DATA);
        let at_host = |point: u16, wanted: &dyn Fn(&SentPacket) -> bool| {
            let seen = captured.passed.iter().filter(|passed| passed.point == point);
            seen.filter(|passed| wanted(&captured.packets[passed.packet as usize])).count() as u64
        };
        let (here, there) = if f.reverse { (1, 0) } else { (0, 1) };
        prop_assert_eq!(at_host(here, &data), f.sender.sent_segments);
        prop_assert_eq!(at_host(there, &data), f.receiver.received_segments);
        let lost = captured.packets.iter().filter(|packet| data(packet) && packet.lost.is_some()).count();
        prop_assert_eq!(lost as u64, f.lost.total());
    }
    let mut seen = vec![0u64; captured.packets.len()];
    captured.passed.iter().for_each(|passed| seen[passed.packet as usize] += 1);
    // two hosts, and both ends of each link on the way
    let most = 2 + 2 * network.links.len() as u64;
    prop_assert!(seen.iter().all(|&times| (2..=most).contains(&times)), "some were seen too seldom or too often");
    Ok(())
}

/// No two links alike: every rate and delay is a little off, and every flow has its own start, so that hardly any two
/// packets reach a queue at the same time. Those that do are served in the order in which their links were declared.
fn unlike(mut network: Network, salt: u64) -> Network {
    for (i, link) in (1..).zip(&mut network.links) {
        for (direction, odd) in
            [(&mut link.forward, 7_919 + 1_009 * salt), (&mut link.reverse, 104_729 + 10_007 * salt)]
        {
            direction.delay += Span(odd * i);
            direction.rate_bps += odd * i % 9_973;
            if let Some(changing) = &direction.changing {
                let mut own = Changing::clone(changing);
                for delay in own.steps.iter_mut().filter_map(|step| step.delay.as_mut()) {
                    *delay += Span(odd * i);
                }
                own.breaks.iter_mut().for_each(|one| one.at += Span(odd * i));
                own.handovers.iter_mut().for_each(|rule| rule.at += Span(odd * i));
                own.trace = None; // whole milliseconds, the same instants for all links whatever else they are
                direction.changing = Some(own.into());
            }
        }
    }
    for (i, flow) in (1..).zip(&mut network.flows) {
        flow.start += Span(15_485_863 * i);
    }
    network
}

/// 0 to `n - 1` in an order that `stream` draws.
fn permutation(n: usize, stream: &mut Stream) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    (1..n).rev().for_each(|i| order.swap(i, (stream.uniform() * (i + 1) as f64) as usize));
    order
}

/// The same network declared in another order: nodes, links and flows change places and keep their names.
fn shuffled(network: &Network, seed: u64) -> Network {
    let mut stream = Stream::new(seed, "order");
    let nodes = permutation(network.nodes.len(), &mut stream);
    let place = |node: usize| nodes.iter().position(|&old| old == node).unwrap();
    let mut other = Network {
        nodes: nodes.iter().map(|&old| network.nodes[old].clone()).collect(),
        send_jitter: network.send_jitter,
        ..Network::default()
    };
    let links = permutation(network.links.len(), &mut stream);
    for &old in &links {
        let link = &network.links[old];
        other.links.push(LinkSpec { a: place(link.a), b: place(link.b), ..link.clone() });
    }
    let moved = |order: &[usize], old: usize| order.iter().position(|&o| o == old).unwrap();
    let mut flows = permutation(network.flows.len(), &mut stream);
    // subflows stay in their order: their timers may expire in the same instant, after an ACK that let all of them send
    for connection in &network.multipath {
        let mut left = connection.subflows.iter();
        for flow in flows.iter_mut().filter(|flow| connection.subflows.contains(flow)) {
            *flow = *left.next().expect("as many as there are");
        }
    }
    for &old in &flows {
        let flow = &network.flows[old];
        let route = flow.route.as_ref().map(|route| route.iter().map(|&l| moved(&links, l)).collect());
        other.flows.push(FlowSpec { from: place(flow.from), to: place(flow.to), route, ..flow.clone() });
    }
    for connection in &network.multipath {
        let subflows = connection.subflows.iter().map(|&f| moved(&flows, f)).collect();
        other.multipath.push(MultipathSpec { subflows, ..connection.clone() });
    }
    other
}

/// Everything that a run left behind, under names instead of numbers, in an order of its own.
fn by_name(network: &Network, results: &Results) -> Vec<String> {
    let (flow, link) = (|n: usize| &network.flows[n].name, |n: usize| &network.links[n].name);
    let mut all = Vec::new();
    all.extend(results.flows.iter().map(|f| format!("{} {:?}", flow(f.flow), FlowResult { flow: 0, ..f.clone() })));
    all.extend(results.links.iter().map(|l| format!("{} {:?}", link(l.link), LinkResult { link: 0, ..l.clone() })));
    let joint = |m: &MultipathResult| format!("{} {m:?}", network.multipath[m.connection].name);
    all.extend(results.multipath.iter().map(joint));
    all.extend(results.events.iter().map(|e| format!("{} {:?}", flow(e.flow), FlowEvent { flow: 0, ..*e })));
    let loss = |l: &Loss| format!("{} {} {:?}", flow(l.flow), link(l.link), Loss { flow: 0, link: 0, ..*l });
    all.extend(results.losses.iter().map(loss));
    all.extend(results.traces.iter().map(|t| match t.variable {
        Variable::Queue => format!("{} {:?}", link(t.subject), TracePoint { subject: 0, ..*t }),
        _ => format!("{} {:?}", flow(t.subject), TracePoint { subject: 0, ..*t }),
    }));
    all.sort();
    all
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_order_of_declaration_changes_nothing(case in drawn(), order in any::<u64>()) {
        let case = Drawn { freeze: false, ..case }; // the end of a handover is one instant for all who wait for it
        let options = RunOptions { traces: Traces { cwnd: true, ..Traces::default() }, ..case.options() };
        // two packets at the same nanosecond are rare, and not there again with other delays: ten tries
        let differs = |salt| {
            let network = unlike(case.network(), salt);
            let other = shuffled(&network, order);
            let (plain, moved) = (run(&network, case.seed, &options), run(&other, case.seed, &options));
            by_name(&network, &plain) != by_name(&other, &moved)
        };
        prop_assert!(!(0..10).all(differs), "another order, another result");
    }
}

fn lossy(algorithm: &str, profile: Profile) -> Network {
    let mut core = direction(8_000_000, 50, 50);
    core.loss = LossSpec::uniform(0.01, LossAt::Wire);
    dumbbell(4, core, &direction(4_000_000, 10, 50), algorithm, profile)
}

#[test]
fn equal_runs_are_equal_and_other_seeds_differ() {
    let network = lossy("newreno", Profile::Ns2);
    let text = |seed| format!("{:?}", run(&network, seed, &options(20.0)));
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}

#[test]
fn worlds_run_side_by_side_give_what_they_give_alone() {
    let network = lossy("cubic", Profile::Rfc);
    let text = |seed| format!("{:?}", run(&network, seed, &options(10.0)));
    let alone: Vec<String> = (0..4).map(text).collect();
    let together: Vec<String> = std::thread::scope(|s| {
        let threads: Vec<_> = (0..4).map(|seed| s.spawn(move || text(seed))).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert_eq!(alone, together);
}

#[test]
fn two_algorithms_meet_the_same_losses() {
    // the n-th packet that enters the lossy link is lost in both runs or in none
    let first_lost = |algorithm| {
        let mut network = lossy(algorithm, Profile::Ns2);
        network.flows.truncate(1);
        let results = run(&network, 3, &RunOptions { events: true, ..options(60.0) });
        let losses = results.losses.iter().filter(|l| l.cause == LossCause::Random && !l.link_reverse);
        losses.map(|l| l.segment).next().expect("one in a hundred is lost")
    };
    assert_eq!(first_lost("newreno"), first_lost("westwood-plus"));
}

#[test]
fn a_cancelled_run_stops() {
    let cancel = std::sync::atomic::AtomicBool::new(true);
    let world = World::new(&lossy("newreno", Profile::Ns2), 1, &options(1e6)).unwrap();
    assert!(matches!(world.run(Some(&cancel)), Err(Cancelled)));
}

#[test]
fn unconnected_ends_are_refused() {
    let mut network = lossy("newreno", Profile::Rfc);
    network.nodes.push("island".into());
    network.flows[2].to = network.nodes.len() - 1;
    let bad = World::new(&network, 1, &options(1.0)).err();
    assert_eq!(bad, Some(BadNetwork::NoRoute { flow: "f/2".into() }));
}

#[test]
fn routes_take_the_fewest_links() {
    // a ring of five: from 0 to 2 the short way has two links, the long one three
    let mut network = Network { nodes: (0..5).map(|i| i.to_string()).collect(), ..Network::default() };
    for i in 0..5 {
        network.links.push(link(&format!("l{i}"), i, (i + 1) % 5, direction(1_000_000, 1, 50)));
    }
    network.flows.push(flow("f", 0, 2, "newreno", Profile::Rfc));
    let results = run(&network, 1, &options(5.0));
    let used: Vec<usize> = results.links.iter().filter(|l| l.stats.offered_packets > 0).map(|l| l.link).collect();
    assert_eq!(used, [0, 0, 1, 1]);
}

#[test]
fn a_finite_transfer_completes_and_its_last_segment_is_short() {
    let mut network = lossy("sack", Profile::Rfc);
    network.flows.truncate(1);
    tcp(&mut network.flows[0]).size = Some(100_001); // 69 segments of 1448 bytes and one of 89
    let results = run(&network, 1, &options(60.0));
    let f = &results.flows[0];
    assert_eq!((f.delivered_bytes, f.acknowledged), (100_001, 70));
    let done = f.completed.expect("60 s are enough");
    assert!(done > Time::from_secs(0.4) && done < Time::from_secs(10.0), "{done}");
}

#[test]
fn both_directions_of_a_connection_carry_data() {
    let mut network = dumbbell(1, direction(8_000_000, 20, 100), &direction(20_000_000, 1, 200), "sack", Profile::Rfc);
    tcp(&mut network.flows[0]).two_way = true;
    // long enough for the segments behind a hole, each with its ACK, to weigh little: the first slow start overflows
    // the buffer
    let results = run(&network, 1, &options(60.0));
    assert_eq!(results.flows.len(), 2);
    for f in &results.flows {
        // 8 Mbps less headers and the start: well over 80 % each way
        assert!(f.delivered_bytes as f64 * 8.0 / 60.0 > 0.8 * 8e6, "{} bytes", f.delivered_bytes);
        // ACKs ride on data where the window lets data leave: without that, one for two segments
        assert!(f.acks_sent * 3 < f.receiver.received_segments, "{} pure ACKs", f.acks_sent);
    }
}

#[test]
fn a_long_flow_without_loss_fills_the_link() {
    // buffer of one bandwidth-delay product (8 Mbps * 104 ms = 104 kB = 70 packets): at least 99 % after slow start
    for (algorithm, profile) in [("newreno", Profile::Ns2), ("sack", Profile::Rfc), ("cubic", Profile::Rfc)] {
        let mut network =
            dumbbell(1, direction(8_000_000, 50, 70), &direction(100_000_000, 1, 1000), algorithm, profile);
        tcp(&mut network.flows[0]).rules.delayed_ack = 1;
        let results = run(&network, 1, &RunOptions { warmup: Span::from_secs(40.0), ..options(200.0) });
        let share = results.flows[0].measured_bytes as f64 * 8.0 / 160.0 / (8e6 * 1460.0 / 1500.0);
        // 160 s are 106 667 packets; one more may have been in transmission when the warm-up ended
        assert!((0.99..=1.00001).contains(&share), "{algorithm}: {share}");
    }
}

#[test]
fn the_event_log_tells_the_true_cause() {
    let mut network = lossy("cerl", Profile::Ns2);
    network.links[0].forward.loss = LossSpec::NONE;
    network.links[0].reverse.loss = LossSpec::NONE;
    network.links[0].forward.drops = vec![200];
    network.flows.truncate(1);
    tcp(&mut network.flows[0]).rules.window = 40; // the queue never fills: the listed packet is the only loss
    let results = run(&network, 1, &RunOptions { events: true, ..options(20.0) });
    assert_eq!(results.losses.len(), 1);
    let event = results.events.iter().find(|e| e.event.why != tcp::Why::RecoveryExit).expect("the loss is noticed");
    assert_eq!(event.true_cause, Some(LossCause::List));
    assert_eq!(Some(event.event.segment), results.losses[0].segment);
    assert!(event.event.at > results.losses[0].at);
}
