//! Packets that go together, and what becomes of each.

#[path = "common/flows.rs"]
mod flows;

use flows::{Flow, Flows, run_for};
use proptest::prelude::*;
use units::{Span, Time};
use wlan::{
    AmpduLimits, Class, GivenUp, Guard, Kind, Layout, Loss, LossAt, LossFrames, LossModel, MediumSpec, Outcome, Params,
    Position, Rate, RateControl, Reception, Width, frame_error,
};

fn cell(params: Params, stations: usize) -> MediumSpec {
    MediumSpec::new("cell", params, Layout::Everyone { stations })
}

fn best_effort(from: u32, to: u32) -> Flow {
    Flow { from, to, class: Class::BestEffort, bytes: 1500 }
}

fn at_rate(index: u8, width: Width, guard: Guard) -> Params {
    Params { rate: Rate::ht(index, width, guard).unwrap(), ..Params::dot11n().with_channel(width, guard) }
}

#[test]
fn throughput_is_that_of_the_cycle() {
    // k x 12000 bits per AIFS 43 + 67.5 + data + SIFS 16 + BlockAck 32; the most that the limits allow comes last
    for (index, width, guard, row) in [
        (7, Width::Mhz20, Guard::Long, [(1, 31.37), (2, 41.49), (8, 55.86), (16, 59.29), (64, 60.89)]),
        (7, Width::Mhz20, Guard::Short, [(1, 32.74), (2, 44.24), (8, 61.28), (16, 65.43), (64, 67.65)]),
        (7, Width::Mhz40, Guard::Short, [(1, 43.72), (2, 66.21), (8, 111.82), (16, 126.77), (64, 137.91)]),
        (15, Width::Mhz40, Guard::Short, [(1, 50.31), (2, 84.96), (8, 180.96), (16, 223.65), (64, 261.07)]),
    ] {
        for (mpdus, mbps) in row {
            let mut params = at_rate(index, width, guard);
            params.ampdu.mpdus = mpdus;
            let mut run = Flows::saturated(&cell(params, 2), &[best_effort(1, 0)], 1).unwrap();
            run.until(Time::from_secs(20.0));
            let found = run.mbps()[0];
            assert!((found / mbps - 1.0).abs() < 0.005, "MCS {index}, {mpdus} together: {found}, not {mbps}");
            assert_eq!(run.stats(1).missing + run.stats(0).duplicates, 0);
        }
    }
}

/// Airtimes of data and of answers, in microseconds.
fn frames(run: &Flows) -> Vec<(Kind, u64)> {
    let frame = |outcome: &Outcome| match *outcome {
        Outcome::OnAir { kind, start, end, .. } => Some((kind, end.since(start).0 / 1000)),
        _ => None,
    };
    run.trace.iter().filter_map(frame).collect()
}

#[test]
fn what_is_there_goes_together_and_one_goes_alone() {
    let mut run = Flows::idle(&cell(Params::dot11n(), 2), &[best_effort(1, 0)], 1).unwrap();
    run.medium.trace_frames(true);
    for packets in [1, 2, 8] {
        run.arrive(0, packets);
        run_for(&mut run, Span::from_millis(10));
    }
    // 5 GHz, MCS 7: 228 and ACK 28, 420 and BlockAck 32, 1560 and BlockAck 32.
    let expected = [(Kind::Data, 228), (Kind::Ack, 28), (Kind::Data, 420), (Kind::BlockAck, 32)];
    assert_eq!(frames(&run)[..4], expected);
    assert_eq!(frames(&run)[4..], [(Kind::Data, 1560), (Kind::BlockAck, 32)]);
    assert_eq!(run.fates[0].delivered, (0..11).collect::<Vec<_>>());
    assert_eq!((run.stats(1).ampdus, run.stats(1).data_sent, run.stats(1).attempts), (2, 11, 3));
}

#[test]
fn each_limit_holds() {
    let most = |params: Params, class: Class| {
        let flow = Flow { class, ..best_effort(1, 0) };
        let mut run = Flows::saturated(&cell(params, 2), &[flow], 1).unwrap();
        run.medium.trace_frames(true);
        run.until(Time::from_secs(0.1));
        frames(&run).iter().filter(|frame| frame.0 == Kind::Data).map(|frame| frame.1).max().unwrap()
    };
    let fast = at_rate(15, Width::Mhz40, Guard::Short);
    let limited = |limits: AmpduLimits| Params { ampdu: limits, ..fast.clone() };
    // 42 by the bytes, 1772 us; 8 by the number, 372; 16 by the time, 700
    assert_eq!(most(fast.clone(), Class::BestEffort), 1772);
    assert_eq!(most(limited(AmpduLimits { mpdus: 8, ..AmpduLimits::default() }), Class::BestEffort), 372);
    assert_eq!(most(limited(AmpduLimits { airtime: Span(700_000), ..AmpduLimits::default() }), Class::BestEffort), 700);
    assert!(most(limited(AmpduLimits { airtime: Span(699_999), ..AmpduLimits::default() }), Class::BestEffort) < 700);
    // 28 at MCS 7 by the time
    assert_eq!(most(Params::dot11n(), Class::BestEffort), 5360);
    // video has 3008 us, answer included: 15 take (23158 x 8 + 22) / 260 symbols, 36 + 2852
    assert_eq!(most(Params::dot11n(), Class::Video), 2888);
    // alone where the least is more than there is
    assert_eq!(most(Params { ampdu_min: 30, ..Params::dot11n() }, Class::BestEffort), 228);
}

#[test]
fn a_missing_packet_comes_first_in_the_next_and_the_receiver_holds_what_is_behind_it() {
    let model = LossModel::Independent { rate: 0.3 };
    let mut spec = cell(Params::dot11n(), 2);
    spec.loss = Some(Loss { model, frames: LossFrames::Data, at: LossAt::Mac });
    // a seed whose errors hit the second of the first three, and nothing else
    let run = (0..200).find_map(|seed| {
        let mut run = Flows::idle(&spec, &[best_effort(1, 0)], seed).unwrap();
        run.medium.trace_frames(true);
        run.arrive(0, 3);
        run_for(&mut run, Span::from_millis(20));
        (run.fates[0].held == [2] && run.stats(1).errored == 1).then_some(run)
    });
    let run = run.unwrap();
    let fate = run.fates[0].clone();
    assert_eq!((fate.delivered, fate.sent), (vec![0, 1, 2], vec![0, 2, 1]));
    // (4630 x 8 + 22) / 260 are 143 symbols: 36 + 572
    let found = frames(&run);
    assert_eq!(found, [(Kind::Data, 608), (Kind::BlockAck, 32), (Kind::Data, 228), (Kind::Ack, 28)]);
    assert_eq!((run.stats(1).retries, run.stats(1).missing), (1, 1));
}

#[test]
fn each_packet_of_an_ampdu_is_lost_by_itself() {
    // independent errors at the receiver of the data; and noise: 65 Mbps at a distance where one in some packets is bad
    let mut by_loss = cell(Params::dot11n(), 2);
    let model = LossModel::Independent { rate: 0.1 };
    by_loss.loss = Some(Loss { model, frames: LossFrames::Data, at: LossAt::Mac });
    let mut by_noise = cell(Params::dot11n(), 2);
    by_noise.params.radio.reception = Reception::Snr;
    let metres = 20.6;
    by_noise.layout = Layout::Positions([0.0, metres].map(|x| Position { x, y: 0.0 }).to_vec());
    let radio = &by_noise.params.radio;
    let error = frame_error(by_noise.params.rate, radio.power_at(metres) / radio.noise, 1538);
    assert!((0.02..0.3).contains(&error), "{error}");
    for (spec, error) in [(by_loss, 0.1), (by_noise, error)] {
        let mut run = Flows::saturated(&spec, &[best_effort(1, 0)], 1).unwrap();
        run.until(Time::from_secs(10.0));
        let stats = run.stats(1);
        let share = stats.errored as f64 / stats.data_sent as f64;
        // some 50 000 packets: three standard deviations are 4 % of 0.1
        assert!((share / error - 1.0).abs() < 0.05, "{share}, not {error}");
        // the whole is hardly ever lost: nobody waits for an answer in vain
        assert!(stats.failures * 100 < stats.attempts && stats.ampdus * 10 > stats.attempts * 9);
        assert_eq!(stats.dropped * 1000 / stats.acked, 0);
    }
}

#[test]
fn a_lost_block_ack_costs_airtime_and_no_packet() {
    // errors at all frames, so also at answers, which only the sender of data receives
    let mut spec = cell(Params { mpdu_retry_limit: 50, ..Params::dot11n() }, 2);
    let model = LossModel::Independent { rate: 0.2 };
    spec.loss = Some(Loss { model, frames: LossFrames::All, at: LossAt::Mac });
    let mut run = Flows::saturated(&spec, &[best_effort(1, 0)], 1).unwrap();
    run.until(Time::from_secs(10.0));
    let (sender, receiver) = (run.stats(1), run.stats(0));
    // one answer in five is lost, and all that it said has arrived is sent again
    let share = sender.failures as f64 / sender.attempts as f64;
    assert!((share - 0.2).abs() < 0.02, "{share}");
    assert!(receiver.duplicates > receiver.received / 10);
    assert_eq!((sender.dropped, receiver.late), (0, 0));
    let fate = &run.fates[0];
    assert_eq!(fate.delivered, (0..fate.delivered.len() as u32).collect::<Vec<_>>());
}

#[test]
fn a_request_tells_of_a_packet_that_was_given_up() {
    let model = LossModel::Independent { rate: 0.3 };
    let after = |given_up: GivenUp, rts_threshold: u32| {
        let mut spec = cell(Params { mpdu_retry_limit: 1, given_up, rts_threshold, ..Params::dot11n() }, 2);
        spec.loss = Some(Loss { model, frames: LossFrames::Data, at: LossAt::Mac });
        // a seed whose errors hit the second of the first three, and nothing else
        let run = (0..400).find_map(|seed| {
            let mut run = Flows::idle(&spec, &[best_effort(1, 0)], seed).unwrap();
            run.medium.trace_frames(true);
            run.arrive(0, 3);
            run_for(&mut run, Span::from_millis(20));
            run.trace.clear();
            run.arrive(0, 2);
            run_for(&mut run, Span::from_millis(20));
            (run.fates[0].held == [2] && run.stats(1).errored == 1).then_some(run)
        });
        let run = run.unwrap();
        assert_eq!((&run.fates[0].delivered[..], &run.fates[0].dropped[..]), (&[0, 2, 3, 4][..], &[1][..]));
        assert_eq!((run.stats(1).attempts, run.stats(1).failures, run.stats(0).duplicates), (2, 0, 0));
        frames(&run)
    };
    let data = [(Kind::Data, 420), (Kind::BlockAck, 32)];
    // 24 bytes and 32 at 24 Mbps: 3 symbols each, behind 20
    let request = [(Kind::BlockAckReq, 32), (Kind::BlockAck, 32)];
    let guard = [(Kind::Rts, 28), (Kind::Cts, 28)];
    assert_eq!(after(GivenUp::Free, u32::MAX), data);
    assert_eq!(after(GivenUp::Free, 0), [guard, data].concat());
    assert_eq!(after(GivenUp::Frame, u32::MAX), [request, data].concat());
    // it takes the place of RTS and CTS
    assert_eq!(after(GivenUp::Frame, 0), [request, data].concat());
}

#[test]
fn a_request_is_repeated_until_it_is_answered() {
    // errors at all frames: one request or answer in two is lost
    let mut spec = cell(Params { mpdu_retry_limit: 2, given_up: GivenUp::Frame, ..Params::dot11n() }, 2);
    let model = LossModel::Independent { rate: 0.3 };
    spec.loss = Some(Loss { model, frames: LossFrames::All, at: LossAt::Mac });
    let mut run = Flows::saturated(&spec, &[best_effort(1, 0)], 1).unwrap();
    run.medium.trace_frames(true);
    run.until(Time::from_secs(5.0));
    let kinds: Vec<Kind> = frames(&run).iter().map(|frame| frame.0).collect();
    let requests = kinds.iter().filter(|&&kind| kind == Kind::BlockAckReq).count();
    let answered = kinds.windows(3).filter(|three| matches!(three, [Kind::BlockAckReq, Kind::BlockAck, Kind::Data]));
    let share = answered.count() as f64 / requests as f64;
    assert!(requests > 500 && (share - 0.49).abs() < 0.08, "{share} of {requests}");
    // data never go out behind a request without an answer
    assert!(!kinds.windows(2).any(|two| two == [Kind::BlockAckReq, Kind::Data]));
}

/// Parameters under which packets go together, in all ways.
fn params() -> impl Strategy<Value = Params> {
    let limits = (1u32..65, 2000u32..65_536, 300u64..5485, 1u32..6);
    let retries = (1u32..9, 1u32..9, prop::sample::select(vec![0u32, 1000, u32::MAX]));
    let names = prop::sample::select(vec!["dot11n", "dot11n-2.4"]);
    (names, 0usize..16, limits, retries, any::<[bool; 2]>(), 1u64..120).prop_map(
        |(name, rate, (mpdus, bytes, us, least), (short, mpdu, rts_threshold), [edca, asks], timeout)| {
            let mut params = Params::named(name).unwrap();
            params.rate = params.rates[rate];
            params.ampdu = AmpduLimits { mpdus, bytes, airtime: Span(us * 1000) };
            params.ampdu_min = least;
            params.short_retry_limit = short;
            params.mpdu_retry_limit = mpdu;
            params.rts_threshold = rts_threshold;
            params.edca = edca;
            params.given_up = if asks { GivenUp::Frame } else { GivenUp::Free };
            params.reorder_timeout = Span::from_millis(timeout);
            params
        },
    )
}

fn loss() -> impl Strategy<Value = Option<Loss>> {
    let models = prop_oneof![
        (0.0..0.6f64).prop_map(|rate| LossModel::Independent { rate }),
        (0.0..0.6f64).prop_map(|rate| LossModel::Gilbert { rate, burst: 4.0 }),
        (0.0..0.6f64).prop_map(|rate| LossModel::GilbertInTime { rate, burst: Span::from_millis(2) }),
    ];
    let frames = prop::sample::select(vec![LossFrames::All, LossFrames::Data]);
    prop::option::of((models, frames).prop_map(|(model, frames)| Loss { model, frames, at: LossAt::Mac }))
}

fn config(cases: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(cases);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn packets_come_out_in_order_once_and_none_is_forgotten(
        params in params(), loss in loss(), stations in 2u32..6, control in 0u8..3, hidden in any::<bool>(),
        bytes in 60u32..1501, packets in 1u32..200, seed in 0u64..1000,
    ) {
        let classes = if params.edca { &Class::ALL[..] } else { &[Class::BestEffort] };
        let mut flows = Vec::new();
        for from in 0..stations {
            for (place, &class) in classes.iter().enumerate() {
                // every class to another receiver, two of them to the same
                let to = (from + 1 + place as u32 / 2) % stations;
                if to != from {
                    flows.push(Flow { from, to, class, bytes });
                }
            }
        }
        let controls = [RateControl::Fixed, RateControl::Minstrel, RateControl::Arf(wlan::ArfStart::High)];
        let mut spec = cell(params, stations as usize);
        if hidden {
            // the first hears all, the others only their neighbours by number
            let mut pairs: Vec<_> = (1..stations).map(|other| (0, other)).collect();
            pairs.extend((1..stations).map(|other| (other, (other + 1) % stations)).filter(|pair| pair.1 != 0));
            spec.layout = Layout::mutual(stations as usize, &pairs);
        }
        spec.loss = loss;
        spec.rate_controls = vec![controls[usize::from(control)]; stations as usize];
        let run = |plain: bool| {
            let mut run = Flows::idle(&spec, &flows, seed).unwrap();
            if plain {
                run.medium.trace_frames(true);
                run.medium.nobody_sleeps();
            }
            for _ in 0..4 {
                (0..flows.len()).for_each(|flow| run.arrive(flow, packets / 4 + 1));
                run_for(&mut run, Span::from_millis(7));
            }
            run_for(&mut run, Span::from_secs(120.0));
            run
        };
        let (run, plain) = (run(false), run(true));
        // deadlines that are skipped and stations that sleep change nothing
        prop_assert!(run.fates == plain.fates);
        (0..stations).try_for_each(|station| {
            prop_assert_eq!(run.stats(station), plain.stats(station));
            Ok(())
        })?;
        for (flow, fate) in run.fates.iter().enumerate() {
            let all = 4 * (packets / 4 + 1);
            prop_assert_eq!(run.taken(flow), all, "packets of flow {} still wait", flow);
            prop_assert!(fate.delivered.is_sorted_by(|a, b| a < b), "{:?}", fate.delivered);
            // each is acknowledged or given up, and that once
            let mut done: Vec<u32> = fate.sent.iter().chain(&fate.dropped).copied().collect();
            done.sort_unstable();
            prop_assert_eq!(done, (0..all).collect::<Vec<_>>());
            // what was acknowledged has come out, or came too late; what was held has come out
            let mut out: Vec<u32> = fate.delivered.iter().chain(&fate.late).copied().collect();
            out.sort_unstable();
            prop_assert!(out.is_sorted_by(|a, b| a < b), "twice: {:?}", out);
            prop_assert!(fate.sent.iter().all(|number| out.binary_search(number).is_ok()));
            prop_assert!(fate.held.iter().all(|number| fate.delivered.binary_search(number).is_ok()));
        }
        for station in 0..stations {
            let stats = run.stats(station);
            let of = |list: fn(&flows::Fate) -> usize| -> usize {
                flows.iter().zip(&run.fates).filter(|(flow, _)| flow.from == station).map(|(_, fate)| list(fate)).sum()
            };
            prop_assert_eq!(stats.acked as usize, of(|fate| fate.sent.len()));
            prop_assert_eq!(stats.dropped as usize, of(|fate| fate.dropped.len()));
            prop_assert_eq!(stats.arrived as usize, of(|fate| fate.delivered.len()));
            prop_assert!(stats.arrived <= stats.data_sent && stats.ampdus <= stats.attempts);
            prop_assert!(stats.busy <= run.now.since(Time::ZERO));
        }
    }
}
