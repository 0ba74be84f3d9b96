//! Mobiles and base stations: frames, shares, handovers and gaps in coverage. Times in the comments are worked from the
//! frame: 125 symbols of 40 us, 65 down from 0.2 ms on, 45 up from 3.2 ms on, 48 bytes each.

mod common;

use common::*;
use datagram::Traffic;
use net::*;
use proptest::prelude::*;
use sim::Stream;
use tcp::{Config, Profile};
use units::{Span, Time};
use wlan::{Position, Way};

fn ms(n: u64) -> Time {
    Time(n * 1_000_000)
}

fn place(x: f64) -> Position {
    Position { x, y: 0.0 }
}

fn wimax() -> FrameSpec {
    let symbol = Span(40_000);
    FrameSpec {
        length: Span::from_millis(5),
        down: FramePart { start: Span(200_000), unit: symbol, units: 65 },
        up: FramePart { start: Span(3_200_000), unit: symbol, units: 45 },
        share: Share::Bytes,
        piece_bytes: 10,
        asked_before: true,
        repeats: None,
    }
}

fn lte() -> FrameSpec {
    let part = FramePart { start: Span::from_millis(1), unit: Span::ZERO, units: 50 };
    FrameSpec {
        length: Span::from_millis(1),
        down: part,
        up: part,
        share: Share::Units,
        piece_bytes: 0,
        asked_before: false,
        repeats: None,
    }
}

/// Mobiles on these ways between stations of 500 m at these places; nodes: base, then the mobiles.
fn cells(stations: &[f64], ways: Vec<Way>) -> Network {
    let mut network = Network { nodes: vec!["base".into()], ..Network::default() };
    let mut mobiles = Vec::new();
    for (number, way) in ways.into_iter().enumerate() {
        network.nodes.push(format!("mobile/{number}"));
        let mut air = direction(4_992_000, 0, 50);
        air.queue.trace = Some(net::QueueTracing::ALL);
        mobiles.push(MobileSpec { link: network.links.len(), way });
        network.links.push(link(&format!("air/{number}"), 0, number + 1, air));
    }
    network.cellular.push(CellularSpec {
        stations: stations.iter().map(|x| BaseStation { place: place(*x), delay: Span::ZERO }).collect(),
        mobiles,
        radius: 500.0,
        path_exponent: 3.5,
        snr_edge: 6.0,
        rules: HandoverRules {
            measure_every: Span::from_millis(100),
            threshold_db: None,
            hysteresis_db: 0.0,
            time_to_trigger: Span::ZERO,
            warn: Span::from_millis(100),
            gap: Span::from_millis(500),
            kept: None,
        },
        frames: wimax(),
        modulation: Modulation::Fixed(48),
    });
    network
}

fn standing(n: usize) -> Vec<Way> {
    vec![Way::Fixed(place(0.0)); n]
}

/// Over the border between stations at 200 and 1000 m after 2 s, at 10 m/s.
fn crossing() -> Vec<Way> {
    vec![Way::Line { from: place(580.0), velocity: place(10.0) }]
}

/// Datagrams of these bytes from node to node.
fn datagrams(network: &mut Network, from: usize, to: usize, rate_bps: u64, payload: u32) {
    let mut flow = udp(&format!("{from}-{to}"), from, to, Traffic::Cbr { jittered: false }, rate_bps);
    if let Transport::Udp(config) = &mut flow.transport {
        config.payload = payload;
    }
    network.flows.push(flow);
}

fn longest(results: &Results, flow: usize) -> Span {
    results.flows[flow].delay_max.expect("something arrives")
}

#[test]
fn a_packet_arrives_at_the_end_of_the_symbol_of_its_last_byte() {
    // One of 1500 bytes at 0 ms waits for the frame of 5 ms; with its header it has 1510 bytes, 32 symbols: 5 + 0.2 +
    // 1.28 ms. Up it is asked for at 5 ms and granted at 10 ms: 10 + 3.2 + 1.28 ms.
    for (from, to, delay) in [(0, 1, 6_480_000), (1, 0, 14_480_000)] {
        let mut network = cells(&[0.0], standing(1));
        datagrams(&mut network, from, to, 12_000, 1500); // one each second
        let results = run(&network, 1, &options(0.5));
        assert_eq!(longest(&results, 0), Span(delay), "{from} to {to}");
    }
}

#[test]
fn a_frame_carries_its_symbols_and_packets_go_on_in_the_next() {
    // 3120 bytes each 5 ms: two packets of 1510 and 90 bytes of a third, 10 of them its header; its other 1420 come
    // with a header of their own in the next frame, and so on
    for (from, to, rate, frame) in [(0, 1, 4_992_000u64, 3120.0), (1, 0, 3_456_000, 2160.0)] {
        let mut network = cells(&[0.0], standing(1));
        datagrams(&mut network, from, to, 2 * rate, 1500);
        let results = run(&network, 1, &RunOptions { warmup: Span::from_secs(1.0), ..options(11.0) });
        let stats = &results.links[usize::from(from == 1)].stats;
        // a header for each packet and one more for each piece
        let most = 10.0 * 200.0 * frame;
        let bytes = stats.measured.delivered_bytes as f64;
        let headers = (bytes / 1500.0 + 10.0 * 200.0) * 10.0;
        assert!((bytes + headers - most).abs() < 0.001 * most, "{bytes} + {headers} of {most}");
        assert!(stats.utilisation < 1.0 && stats.utilisation > 0.97, "{}", stats.utilisation);
    }
}

#[test]
fn mobiles_of_a_station_share_its_frames_and_those_of_others_do_not() {
    let delivered = |stations: &[f64], ways: Vec<Way>| {
        let mut network = cells(stations, ways.clone());
        (0..ways.len()).for_each(|number| datagrams(&mut network, 0, number + 1, 8_000_000, 1000));
        let results = run(&network, 1, &options(10.0));
        results.flows.iter().map(|flow| flow.arrived_bytes as f64 * 8.0 / 10.0).collect::<Vec<_>>()
    };
    let alone = delivered(&[0.0], standing(1))[0];
    assert!(alone > 4.85e6, "{alone}");
    let three = delivered(&[0.0], standing(3));
    let sum: f64 = three.iter().sum();
    assert!(three.iter().all(|one| (one / sum - 1.0 / 3.0).abs() < 0.01), "{three:?}");
    assert!(sum > 0.97 * alone && sum < 4.992e6, "{sum}");
    let apart = delivered(&[0.0, 1000.0], vec![Way::Fixed(place(0.0)), Way::Fixed(place(1000.0))]);
    assert!(apart.iter().all(|one| (one - alone).abs() < 1e-3 * alone), "{apart:?}");
}

#[test]
fn equal_bytes_or_equal_time() {
    // 64-QAM 3/4 near the station and QPSK 1/2 at its edge: 108 and 24 bytes each symbol
    let with = |share| {
        let mut network = cells(&[0.0], vec![Way::Fixed(place(10.0)), Way::Fixed(place(499.0))]);
        network.cellular[0].frames.share = share;
        network.cellular[0].modulation = Modulation::BySnr(vec![(6.0, 24), (21.0, 108)]);
        (1..3).for_each(|number| datagrams(&mut network, 0, number, 20_000_000, 1000));
        let results = run(&network, 1, &options(10.0));
        results.flows.iter().map(|flow| flow.arrived_bytes as f64 * 8.0 / 10.0).collect::<Vec<_>>()
    };
    // equal bytes: 1 / 108 + 1 / 24 symbols each, so 65 / (1 / 108 + 1 / 24) = 1276 bytes in 5 ms, 2.04 Mbps with
    // headers
    let bytes = with(Share::Bytes);
    assert!(bytes.iter().all(|rate| (1.9e6..2.05e6).contains(rate)), "{bytes:?}");
    // equal time: 32.5 symbols each, 5.62 and 1.25 Mbps
    let units = with(Share::Units);
    assert!((5.4e6..5.62e6).contains(&units[0]) && (1.15e6..1.25e6).contains(&units[1]), "{units:?}");
}

#[test]
fn an_idle_mobile_leaves_its_share_to_the_others() {
    let mut network = cells(&[0.0], standing(2));
    datagrams(&mut network, 0, 1, 8_000_000, 1000);
    datagrams(&mut network, 0, 2, 400_000, 1000);
    let results = run(&network, 1, &options(10.0));
    let rate = |flow: usize| results.flows[flow].arrived_bytes as f64 * 8.0 / 10.0;
    assert!((rate(1) - 400e3).abs() < 2e3 && rate(0) > 4.4e6, "{} {}", rate(0), rate(1));
}

#[test]
fn a_handover_loses_the_old_stations_queue_or_forwards_it() {
    // decided at 2.0 s, the break from 2.1 to 2.6 s. 8 Mbps of datagrams keep 50 of them waiting.
    let with = |kept: Option<Span>| {
        let mut network = cells(&[200.0, 1000.0], crossing());
        network.cellular[0].rules.kept = kept;
        datagrams(&mut network, 0, 1, 8_000_000, 1000);
        run(&network, 1, &RunOptions { events: true, ..options(4.0) })
    };
    let handover = |results: &Results| results.links[0].stats.losses[LossCause::Handover];
    let (gone, kept) = (with(None), with(Some(Span::from_millis(10))));
    // what waits, and perhaps the one of which a piece was sent
    assert!((45..=51).contains(&handover(&gone)) && handover(&kept) <= 1, "{} {}", handover(&gone), handover(&kept));
    for results in [&gone, &kept] {
        let in_break = |at: Time| at > ms(2100) && at < ms(2600);
        let own = results.losses.iter().filter(|loss| loss.cause == LossCause::Handover);
        assert!(own.map(|loss| loss.at).all(|at| at == ms(2100)));
        let lengths = results.traces.iter().filter(|t| t.variable == Variable::Queue && !t.reverse && in_break(t.at));
        assert!(lengths.map(|t| t.value).is_sorted(), "nothing leaves in the break");
    }
    // forwarded packets go first: the oldest had waited for 50 x 1000 bytes, about 82 ms, and waits for 510 ms more
    assert!((Span::from_millis(560)..Span::from_millis(610)).contains(&longest(&kept, 0)), "{}", longest(&kept, 0));
}

#[test]
fn packets_of_the_mobile_wait_and_go_on_in_order() {
    let mut network = cells(&[200.0, 1000.0], crossing());
    datagrams(&mut network, 1, 0, 400_000, 1000); // one each 20 ms: 25 in the break
    let results = run(&network, 1, &RunOptions { events: true, ..options(4.0) });
    let stats = &results.links[1].stats;
    assert!(stats.losses.total() <= 1 && stats.queue_max >= 24, "{stats:?}");
    // that of 2.1 s is asked for at 2.6 s, if not before, and granted at once or 5 ms later
    assert!(
        (Span::from_millis(495)..Span::from_millis(520)).contains(&longest(&results, 0)),
        "{}",
        longest(&results, 0)
    );
}

#[test]
fn both_ends_hear_of_a_handover_and_freeze_goes_through_it() {
    let with = |freeze: bool, algorithm: &str, rules: Config| {
        let mut network = cells(&[200.0, 1000.0], crossing());
        network.cellular[0].rules.gap = Span::from_millis(1500);
        network.flows.push(flow("f", 0, 1, algorithm, rules));
        tcp(&mut network.flows[0]).rules.freeze = freeze;
        tcp(&mut network.flows[0]).rules.window = 20;
        run(&network, 1, &options(6.0)).flows[0].clone()
    };
    let today = Config::profile(Profile::Rfc);
    let (plain, frozen) = (with(false, "newreno", today), with(true, "newreno", today));
    assert!(plain.sender.timeouts >= 1 && plain.lost[LossCause::Handover] > 0);
    assert_eq!((frozen.sender.timeouts, frozen.lost.total()), (0, 0));
    // the probe of the break waits at the base stations: its answer is the third duplicate behind the three ACKs that
    // open the window, but none of them has SACK blocks
    assert_eq!((frozen.sender.window_probes, frozen.sender.fast_retransmits, frozen.judgements.not_lost), (1, 0, 0));
    // who sits the break out goes on at once after it; with RACK, what the timeout sent again waits at the base
    // station, and its ACK tells just as soon what else is missing
    let delivered = |algorithm, rules| with(false, algorithm, rules).delivered_bytes;
    let classic = Config::classic();
    assert!(delivered("westwood-plus-ho", classic) > delivered("westwood-plus", classic));
    assert!(delivered("westwood-plus-ho", today) >= delivered("westwood-plus", today));
}

#[test]
fn out_of_coverage_what_is_on_the_air_is_lost_and_the_rest_waits() {
    // out of the only station's 500 m after 2 s, back after 6 s
    let points = [(ms(0), place(480.0)), (ms(4000), place(520.0)), (ms(8000), place(480.0))];
    let mut network = cells(&[0.0], vec![Way::Waypoints(points.to_vec().into())]);
    datagrams(&mut network, 0, 1, 4_000_000, 1000);
    let options =
        RunOptions { events: true, traces: Traces { serving: true, snr: true, ..Traces::default() }, ..options(8.0) };
    let results = run(&network, 1, &options);
    let stats = &results.links[0].stats;
    assert!(stats.losses[LossCause::Coverage] <= 1 && stats.losses[LossCause::Queue] > 1900, "{:?}", stats.losses);
    let traced = |variable| results.traces.iter().filter(move |t| t.variable == variable);
    let serving: Vec<_> = traced(Variable::Serving).map(|t| (t.at, t.value)).collect();
    assert_eq!(serving, [(ms(0), 0.0), (ms(2100), -1.0), (ms(6000), 0.0)]);
    assert_eq!(traced(Variable::Snr).count(), 81);
}

#[test]
fn lte_sends_a_tenth_of_its_packets_later_and_all_in_order() {
    let mut network = cells(&[0.0], vec![Way::Fixed(place(50.0))]);
    let spec = &mut network.cellular[0];
    (spec.frames, spec.path_exponent, spec.snr_edge) = (lte(), 3.76, 0.0);
    spec.modulation = Modulation::Shannon { bandwidth: 10e6, least_db: -10.0, down: (0.6, 4.4), up: (0.4, 2.0) };
    datagrams(&mut network, 0, 1, 80_000_000, 1000);
    let rate = |network: &Network| run(network, 1, &options(5.0)).flows[0].arrived_bytes as f64 * 8.0 / 5.0;
    // 37.6 dB: 4.4 bits per second and hertz
    assert!((43.5e6..44e6).contains(&rate(&network)), "{}", rate(&network));
    network.cellular[0].frames.repeats = Some((0.1, Span::from_millis(8)));
    assert!((43.0e6..44e6).contains(&rate(&network)), "{}", rate(&network));
    // alone on the air: a packet each 20 ms takes 1 ms and up to 1 ms to the next frame, one in ten 8 ms more
    network.flows.clear();
    datagrams(&mut network, 0, 1, 400_000, 1000);
    let results = run(&network, 1, &options(100.0));
    let mean = results.flows[0].receiver.delay_sum / results.flows[0].receiver.received_segments as f64;
    assert!((mean - 0.0020 - 0.1 * 0.008).abs() < 0.0001, "{mean}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Packets are conserved and nothing exceeds what the frames carry, with any mobiles between any stations: debug
    /// builds assert both at the end of every run. Nothing depends on what came before.
    #[test]
    fn drawn_cells_conserve_packets(seed in any::<u64>(), mobiles in 1usize..4, kind in any::<u8>()) {
        let mut stream = Stream::new(seed, "cells");
        let mut draw = |most: f64| most * stream.uniform();
        let stations: Vec<f64> = (0..3).map(|n| f64::from(n) * 700.0 + draw(400.0)).collect();
        let ways = (0..mobiles).map(|_| {
            let points = (0..4).map(|n| (ms(n * 800), Position { x: draw(2000.0), y: draw(300.0) }));
            Way::Waypoints(points.collect::<Vec<_>>().into())
        }).collect();
        let mut network = cells(&stations, ways);
        let is = |bit: u8| kind >> bit & 1 == 1;
        let spec = &mut network.cellular[0];
        spec.rules = HandoverRules {
            measure_every: Span::from_millis(40),
            threshold_db: is(0).then_some(12.0),
            hysteresis_db: draw(3.0),
            time_to_trigger: Span::from_secs(draw(0.2)),
            warn: Span::from_secs(draw(0.1)),
            gap: Span::from_secs(draw(0.2)),
            kept: is(1).then_some(Span::from_millis(10)),
        };
        spec.stations[1].delay = Span::from_secs(draw(0.03));
        if is(2) {
            spec.frames = lte();
            spec.frames.repeats = Some((0.1, Span::from_millis(8)));
            spec.modulation = Modulation::Shannon { bandwidth: 2e6, least_db: -10.0, down: (0.6, 4.4), up: (0.4, 2.0) };
        } else if is(3) {
            spec.modulation = Modulation::BySnr(vec![(3.0, 12), (6.0, 24), (8.5, 36), (11.5, 48), (15.0, 72)]);
        }
        for number in 0..mobiles {
            let air = &mut network.links[number];
            air.forward.queue.discipline = match kind >> 4 & 3 {
                0 => Discipline::Codel(CodelSpec::default()),
                1 => Discipline::FqCodel(FqCodelSpec::default()),
                2 => Discipline::Red(RedSpec::default()),
                _ => Discipline::DropTail,
            };
            if is(6) {
                air.forward.loss = LossSpec { model: LossModel::Uniform { probability: 0.02 }, at: LossAt::Wire };
            }
            let mut own = flow(&format!("f/{number}"), 0, number + 1, "newreno", Profile::Rfc);
            own.start = Time(number as u64 * 37_000_003);
            tcp(&mut own).two_way = is(7);
            network.flows.push(own);
            datagrams(&mut network, number + 1, 0, 300_000, 700);
        }
        for (seconds, warmup) in [(1.7003, 0.0), (3.2, 0.9017)] {
            let options = RunOptions { warmup: Span::from_secs(warmup), events: true, ..options(seconds) };
            let results = run(&network, seed, &options);
            prop_assert!(format!("{results:?}") == format!("{:?}", run(&network, seed, &options)), "not repeatable");
            let settled = network.settled(seed, Time::ZERO + options.duration);
            prop_assert_eq!(results.check_conservation(), Ok(()));
            prop_assert_eq!(results.check_bounds(&settled, &options), Ok(()));
            // a break lets nothing pass, and is the time of all that it takes
            for loss in results.losses.iter().filter(|l| matches!(l.cause, LossCause::Handover | LossCause::Coverage)) {
                let changing = settled.links[loss.link].forward.changing.as_ref().expect("it changes");
                prop_assert!(changing.breaks.iter().any(|one| one.at == loss.at && one.cause == loss.cause));
            }
        }
    }
}
