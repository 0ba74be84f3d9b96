use super::*;

const PACKETS: usize = 2_000_000;

/// Fates of many packets of 1000 bytes, one every 100 us.
fn fates(model: LossModel, seed: u64) -> Vec<bool> {
    let mut channel = Channel::new(&LossSpec { model, at: LossAt::Wire }, seed, "l");
    (0..PACKETS as u64).map(|n| channel.loses(LossAt::Wire, Time(n * 100_000), 1000)).collect()
}

fn mean(fates: &[bool]) -> f64 {
    fates.iter().filter(|lost| **lost).count() as f64 / fates.len() as f64
}

/// Correlation of neighbours.
fn correlation(fates: &[bool]) -> f64 {
    let m = mean(fates);
    let both = fates.windows(2).filter(|pair| pair[0] && pair[1]).count() as f64 / (fates.len() - 1) as f64;
    (both - m * m) / (m * (1.0 - m))
}

/// Mean length of a run of losses.
fn burst(fates: &[bool]) -> f64 {
    let begins = fates.windows(2).filter(|pair| !pair[0] && pair[1]).count() + usize::from(fates[0]);
    fates.iter().filter(|lost| **lost).count() as f64 / begins as f64
}

fn simple(rate: f64, burst: Option<f64>) -> GilbertElliott {
    GilbertElliott::with_mean(rate, burst, 0.0, 1.0).unwrap()
}

#[test]
fn mean_and_burst_give_the_two_transitions() {
    // r = 1/5; p = 0.01 / (5 * 0.99) = 0.0020202; 1 - p - r = 0.79798
    let g = simple(0.01, Some(5.0));
    assert!((g.p - 0.002_020_2).abs() < 1e-8 && g.r == 0.2, "{g:?}");
    assert!((g.correlation() - 0.797_979_8).abs() < 1e-7);
    assert!((g.mean_loss() - 0.01).abs() < 1e-15);
    // no burst given: independent, r = 1 - 0.25 and p = 0.25
    let g = simple(0.25, None);
    assert_eq!((g.p, g.r, g.correlation()), (0.25, 0.75, 0.0));
    // with losses in both states: 0.05 = 0.9 * 0.01 + 0.1 * 0.41; r = 1/4, p = 0.1 / (4 * 0.9) = 1/36
    let g = GilbertElliott::with_mean(0.05, Some(4.0), 0.01, 0.41).unwrap();
    assert!((g.p - 1.0 / 36.0).abs() < 1e-12 && (g.bad_share() - 0.1).abs() < 1e-12, "{g:?}");
}

#[test]
fn a_mean_that_no_channel_has_is_refused_with_the_most_there_is() {
    // bursts of 4 with one good packet between them: 4/5
    assert_eq!(GilbertElliott::with_mean(0.81, Some(4.0), 0.0, 1.0), Err(NoSuchChannel::Rate { most: 0.8 }));
    assert_eq!(simple(0.8, Some(4.0)).p, 1.0);
    assert!(matches!(GilbertElliott::with_mean(0.01, Some(4.0), 0.02, 1.0), Err(NoSuchChannel::Rate { .. })));
    assert_eq!(GilbertElliott::with_mean(0.01, Some(0.5), 0.0, 1.0), Err(NoSuchChannel::Burst));
    assert_eq!(simple(0.0, Some(4.0)).p, 0.0);
    assert_eq!(simple(1.0, None).mean_loss(), 1.0);
}

#[test]
fn gilbert_elliott_has_its_mean_burst_and_correlation() {
    // Two million packets hold about 4000 bursts: standard error of the mean loss 0.01 sqrt((1 + c)/(1 - c)/n/0.01) =
    // 0.00021, of the mean burst sqrt(20/4000) = 0.07. Four of each.
    for seed in 1..=3 {
        let f = fates(LossModel::GilbertElliott(simple(0.01, Some(5.0))), seed);
        assert!((mean(&f) - 0.01).abs() < 0.000_85, "mean {}", mean(&f));
        assert!((burst(&f) - 5.0).abs() < 0.28, "burst {}", burst(&f));
        assert!((correlation(&f) - 0.797_98).abs() < 0.012, "correlation {}", correlation(&f));
    }
}

#[test]
fn losses_in_both_states_mix() {
    // states 0.9 and 0.1, losses 0.01 and 0.41: mean 0.05. Of neighbours: covariance 0.9 * 0.1 * (0.4)^2 * c with
    // c = 1 - 1/36 - 1/4 = 0.72222, 0.0104; variance 0.0475; correlation 0.21895
    let f = fates(LossModel::GilbertElliott(GilbertElliott::with_mean(0.05, Some(4.0), 0.01, 0.41).unwrap()), 1);
    assert!((mean(&f) - 0.05).abs() < 0.001, "mean {}", mean(&f));
    assert!((correlation(&f) - 0.218_95).abs() < 0.006, "correlation {}", correlation(&f));
}

#[test]
fn the_chain_starts_stationary() {
    // half of all channels begin in the bad state, however long it lasts: 4000 seeds, four standard deviations are
    // 0.032
    let g = simple(0.5, Some(10_000.0));
    let spec = LossSpec { model: LossModel::GilbertElliott(g), at: LossAt::Wire };
    let bad =
        (0..4000).filter(|seed| Channel::new(&spec, *seed, "l").loses(LossAt::Wire, Time::ZERO, 1000)).count() as f64;
    assert!((bad / 4000.0 - 0.5).abs() < 0.032, "{bad} of 4000 begin bad");
}

#[test]
fn without_a_burst_losses_are_independent() {
    let f = fates(LossModel::GilbertElliott(simple(0.1, None)), 1);
    // standard error of the correlation 1 / sqrt(2e6) = 0.0007
    assert!((mean(&f) - 0.1).abs() < 0.000_85 && correlation(&f).abs() < 0.0028, "{}", correlation(&f));
}

#[test]
fn bits_and_bytes_make_large_packets_lossier() {
    // 1 - (1 - 1e-5)^8000 = 1 - exp(-0.0800004) = 0.076884; with a byte in place of a bit 1 - exp(-0.01000005) =
    // 0.0099502
    let bits = fates(LossModel::Bits { probability: 1e-5 }, 1);
    assert!((mean(&bits) - 0.076_884).abs() < 0.000_76, "{}", mean(&bits));
    let bytes = fates(LossModel::Bytes { probability: 1e-5 }, 1);
    assert!((mean(&bytes) - 0.009_950_2).abs() < 0.000_28, "{}", mean(&bytes));
    let spec = LossSpec { model: LossModel::Bits { probability: 1e-5 }, at: LossAt::Wire };
    let mut channel = Channel::new(&spec, 1, "l");
    let mut lost = [0; 2];
    for n in 0..PACKETS {
        lost[n % 2] += u32::from(channel.loses(LossAt::Wire, Time::ZERO, [40, 1500][n % 2]));
    }
    // 40 bytes: 320 bits, 0.0031949 of a million; 1500: 12000 bits, 0.11308
    assert!((f64::from(lost[0]) - 3194.9).abs() < 226.0 && (f64::from(lost[1]) - 113_080.0).abs() < 1267.0, "{lost:?}");
}

#[test]
fn two_states_share_time_not_packets() {
    let model = |good, bad| LossModel::TwoState { good, bad, good_loss: 0.0, bad_loss: 1.0 };
    // 200 s with periods of 9 and 1 ms: one tenth. 20000 periods; standard error of the share sqrt(2 0.1^2 0.9^2
    // / 20000) = 0.0009. At 10 packets per ms a bad period is seen as about ten losses and one at the edge: 1 / (1 -
    // exp(-0.1)) = 10.508
    let f = fates(model(Span::from_millis(9), Span::from_millis(1)), 1);
    assert!((mean(&f) - 0.1).abs() < 0.0036, "{}", mean(&f));
    assert!((burst(&f) - 10.508).abs() < 0.32, "{}", burst(&f));
    // a packet every second sees independent states
    let spec = LossSpec { model: model(Span::from_millis(9), Span::from_millis(1)), at: LossAt::Wire };
    let mut channel = Channel::new(&spec, 1, "l");
    let f: Vec<bool> =
        (0..40_000).map(|n| channel.loses(LossAt::Wire, Time::ZERO + Span::from_millis(1000 * n), 1000)).collect();
    assert!((mean(&f) - 0.1).abs() < 0.006 && correlation(&f).abs() < 0.02, "{} {}", mean(&f), correlation(&f));
}

#[test]
fn a_chain_in_time_is_the_same_to_packets_that_follow_each_other() {
    // 1 % in bursts of 5 packets, 100 us apart: they correlate by 0.797980, so 1/good + 1/bad = -ln 0.797980 / 100 us
    // = 2256.7 /s; bad is 1/(0.99 * 2256.7) = 447.6 us and good 99 times that
    let (good, bad) = simple(0.01, Some(5.0)).in_time(100e-6).unwrap();
    assert!((bad - 447.6e-6).abs() < 0.1e-6 && (good / bad - 99.0).abs() < 1e-9, "{good} {bad}");
    let span = Span::from_secs;
    let model = LossModel::TwoState { good: span(good), bad: span(bad), good_loss: 0.0, bad_loss: 1.0 };
    // the bounds are those of the chain itself, four standard errors
    for seed in 1..5 {
        let f = fates(model.clone(), seed);
        assert!((mean(&f) - 0.01).abs() < 0.00085, "mean {}", mean(&f));
        assert!((burst(&f) - 5.0).abs() < 0.28, "burst {}", burst(&f));
        assert!((correlation(&f) - 0.798).abs() < 0.015, "correlation {}", correlation(&f));
    }
    // no time keeps a burst of one packet in twenty apart from what came before, nor one that never ends
    assert_eq!(simple(0.05, Some(1.0)).in_time(1.0), None);
    assert_eq!(simple(0.05, None).in_time(1.0), None);
    assert_eq!(simple(0.0, Some(5.0)).in_time(1.0), None);
}

#[test]
fn a_chain_per_packet_stands_still_without_packets_and_says_for_how_long_it_was_bad() {
    // from good to bad for certain and back for certain: bad from the first packet to the second, from the third to the
    // fourth, and so on
    let chain = GilbertElliott { p: 1.0, r: 1.0, good_loss: 0.0, bad_loss: 1.0 };
    let spec = LossSpec { model: LossModel::GilbertElliott(chain), at: LossAt::Wire };
    let mut channel = (1..).map(|seed| Channel::new(&spec, seed, "l"));
    let begins_good = |c: &Channel| matches!(&c.kind, Kind::GilbertElliott { chain, .. } if !chain.bad);
    let mut channel = channel.find(begins_good).unwrap();
    channel.set_end(Time::from_secs(10.0));
    let lost: Vec<bool> =
        [1.0, 3.0, 4.0, 12.0].map(|at| channel.loses(LossAt::Wire, Time::from_secs(at), 1000)).to_vec();
    assert_eq!(lost, [false, true, false, true]);
    // 1 to 3 s, and 4 s to the end at 10 s
    assert_eq!(channel.bad_time(), Some(BadTime { packets_share: 0.5, time_share: 0.8 }));
    let mut uniform = Channel::new(&LossSpec::uniform(0.5, LossAt::Wire), 1, "l");
    assert_eq!(uniform.bad_time(), None);
}

#[test]
fn the_periods_do_not_depend_on_the_packets() {
    let model = LossModel::TwoState { good: Span(9_000_000), bad: Span(1_000_000), good_loss: 0.0, bad_loss: 1.0 };
    let spec = LossSpec { model, at: LossAt::Wire };
    let seen = |every: u64| {
        let mut channel = Channel::new(&spec, 5, "l");
        let all = (0..1_000_000 / every).map(move |n| channel.loses(LossAt::Wire, Time(n * every * 1000), 1000));
        all.collect::<Vec<_>>()
    };
    let (often, seldom) = (seen(1), seen(50));
    assert!(often.iter().step_by(50).eq(&seldom) && often.contains(&true));
}

#[test]
fn a_burst_takes_what_follows_within_its_time() {
    let spec = LossSpec { model: LossModel::Burst { probability: 1.0, hold: Span::from_millis(2) }, at: LossAt::Queue };
    let mut channel = Channel::new(&spec, 1, "l");
    assert!(channel.loses(LossAt::Queue, Time::ZERO, 1000));
    // now nothing begins a burst any more, but this one lasts until 2 ms
    channel.kind = match channel.kind {
        Kind::Burst { hold, until, .. } => Kind::Burst { chance: Chance::new(0.0), hold, until },
        other => other,
    };
    assert!(channel.loses(LossAt::Queue, Time(1_999_999), 1000));
    assert!(!channel.loses(LossAt::Queue, Time(2_000_000), 1000));
    // one packet every 0.1 ms, bursts of 1 ms: ten losses after 1/0.01 good packets less the one that begins the burst
    let f = fates(LossModel::Burst { probability: 0.01, hold: Span::from_millis(1) }, 1);
    assert!((mean(&f) - 10.0 / 109.0).abs() < 0.003, "{}", mean(&f));
}

#[test]
fn a_replay_loses_what_it_says() {
    let replay = |lost: &[u64], period| {
        let spec = LossSpec { model: LossModel::Replay { lost: lost.into(), period }, at: LossAt::Wire };
        let mut channel = Channel::new(&spec, 1, "l");
        (0..10).map(|_| u8::from(channel.loses(LossAt::Wire, Time::ZERO, 1000))).collect::<Vec<_>>()
    };
    assert_eq!(replay(&[0, 3, 4], None), [1, 0, 0, 1, 1, 0, 0, 0, 0, 0]);
    assert_eq!(replay(&[0, 3], Some(4)), [1, 0, 0, 1, 1, 0, 0, 1, 1, 0]);
    assert_eq!(replay(&[1], Some(3)), [0, 1, 0, 0, 1, 0, 0, 1, 0, 0]);
}

#[test]
fn a_channel_is_asked_only_where_it_is() {
    let spec = LossSpec { model: LossModel::Replay { lost: [0].into(), period: None }, at: LossAt::Wire };
    let mut channel = Channel::new(&spec, 1, "l");
    assert!(!channel.loses(LossAt::Queue, Time::ZERO, 1000));
    assert!(channel.loses(LossAt::Wire, Time::ZERO, 1000));
}

#[test]
fn what_never_loses_says_so() {
    let never = |model| Channel::new(&LossSpec { model, at: LossAt::Wire }, 1, "l").is_never();
    assert!(never(LossModel::Uniform { probability: 0.0 }));
    assert!(never(LossModel::GilbertElliott(simple(0.0, Some(3.0)))));
    assert!(never(LossModel::Bits { probability: 0.0 }));
    assert!(never(LossModel::Replay { lost: [].into(), period: Some(3) }));
    assert!(!never(LossModel::Bits { probability: 1e-12 }));
}
