//! Two endpoints and a pipe between them that loses packets and never reorders them, and is down during handovers:
//! whatever is lost, and by whatever rules they run, all data arrive in order, each once, the sender keeps within its
//! windows and its pace, and the counters agree with what an onlooker saw.

use cc::registry::Recovery;
use proptest::prelude::*;
use tcp::{
    Config, Count, CwndLimited, DelackMode, EcnEcho, HalfBase, InitialWindow, Pacing, Profile, RecoverRule, RtoFloor,
    TimerWheel,
};

use crate::lab::{Case, Handover, Lab};

/// Handovers one after the other.
fn handovers() -> impl Strategy<Value = Vec<Handover>> {
    proptest::collection::vec((0u64..1500, 0u64..200, 1u64..1500), 0..4).prop_map(|list| {
        let mut free = 0;
        list.into_iter()
            .map(|(pause, lead, length)| {
                let at = free + pause + 1;
                free = at + lead + length;
                Handover { at, lead, length }
            })
            .collect()
    })
}

fn case() -> impl Strategy<Value = Case> {
    let rules = (
        prop_oneof![Just(Profile::Rfc), Just(Profile::Ns2), Just(Profile::Linux)],
        proptest::sample::select(cc::registry::windowed().map(|row| row.name).collect::<Vec<_>>()),
        (1u32..=10, 0u32..=4, 1u32..=12, 1u32..=3),
        proptest::array::uniform20(any::<bool>()),
        prop_oneof![Just(4u32), Just(16), Just(1000)],
        prop_oneof![Just(RecoverRule::Careful), Just(RecoverRule::LessCareful), Just(RecoverRule::Off)],
        prop_oneof![Just(0u32), Just(2), Just(5)],
        proptest::option::of(proptest::sample::select(vec![
            Recovery::Tahoe,
            Recovery::Reno,
            Recovery::NewReno,
            Recovery::Sack,
            Recovery::RackTlp,
            Recovery::RackTlp,
        ])),
    );
    let list = |most: usize| proptest::collection::vec(1usize..200, 0..most);
    (rules, 1u64..150_000, any::<bool>(), list(40), list(20), list(20), (handovers(), 1u32..5)).prop_map(
        |(rules, bytes, two_way, lost, acks_lost, marked, (handovers, pacing_burst))| {
            let (profile, algorithm, counts, flags, window, recover_rule, max_burst, recovery) = rules;
            let mut config = Config::profile(profile);
            config.mss = 1000;
            config.window = window;
            config.dup_threshold = counts.0;
            config.limited_transmit = counts.1;
            config.initial_window = InitialWindow::Segments(counts.2);
            config.delayed_ack = counts.3;
            config.timestamps = flags[0];
            config.ecn = flags[1];
            config.ecn_echo = match (flags[1], flags[2], counts.2 % 2 == 0) {
                (true, true, true) => EcnEcho::Accurate,
                (true, true, false) => EcnEcho::PerPacket,
                _ => EcnEcho::Latched,
            };
            config.accecn_option = flags[4];
            config.ect1 = flags[3];
            config.cwnd_limited = if flags[3] { CwndLimited::On } else { CwndLimited::Off };
            config.half_base = if flags[4] { HalfBase::Flight } else { HalfBase::Window };
            config.pacing = if flags[5] { Pacing::Window } else { Pacing::Algorithm };
            config.prr = flags[6];
            config.pacing_burst = pacing_burst;
            config.freeze = flags[7];
            config.freeze_kick = flags[8];
            config.delayed_ack_mode = if flags[9] { DelackMode::Heartbeat } else { DelackMode::PerSegment };
            let count = if flags[10] { Count::Bytes } else { Count::Acks };
            (config.ss_count, config.ca_count) = (count, count);
            config.ss_limit = if flags[11] { 2 } else { u32::MAX };
            if matches!(recovery, Some(Recovery::NewReno | Recovery::Sack | Recovery::RackTlp)) {
                (config.tail_probes, config.undo, config.linux_recovery) = (flags[12], flags[13], flags[14]);
                config.dsack = flags[15];
            }
            config.sack_compression = flags[16];
            config.quick_acks = if flags[17] { counts.2 } else { 0 };
            config.push = if flags[17] { counts.2 } else { 0 };
            config.timer_wheel = if flags[18] { TimerWheel::Linux } else { TimerWheel::Exact };
            config.rto_floor = if flags[19] { RtoFloor::Variance } else { RtoFloor::Timeout };
            config.recover_rule = recover_rule;
            config.max_burst = max_burst;
            config.recovery = recovery;
            Case { config, algorithm, bytes, two_way, lost, acks_lost, marked, handovers }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(3000), // more with PROPTEST_CASES
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn all_data_arrive_in_order_and_once(case in case()) {
        let mut lab = Lab::new(&case);
        lab.run(case.bytes, case.two_way);
        lab.check_counters();
        let segments = case.bytes.div_ceil(1000);
        prop_assert_eq!(u64::from(lab.ends[1].receiver.rcv_nxt()), segments);
        prop_assert_eq!(lab.arrived_new[1], segments);
        prop_assert_eq!(lab.ends[0].bytes_in(segments as u32), case.bytes);
        if case.two_way {
            prop_assert_eq!(u64::from(lab.ends[0].receiver.rcv_nxt()), segments);
            prop_assert_eq!(lab.arrived_new[0], segments);
        }
    }

    /// The border guard of `tcp::fast`: with its calls the same segments leave at the same times.
    #[test]
    fn the_fast_ways_change_nothing(case in case()) {
        let (mut plain, mut fast) = (Lab::new(&case), Lab::new(&case));
        fast.fast = true;
        plain.run(case.bytes, case.two_way);
        fast.run(case.bytes, case.two_way);
        prop_assert_eq!(plain.left, fast.left);
    }
}

/// A case of its own: nothing lost, nothing marked, one way.
fn plain(profile: Profile, algorithm: &'static str, bytes: u64, handovers: &[Handover]) -> Case {
    let mut config = Config::profile(profile);
    config.mss = 1000;
    config.window = 4;
    Case {
        config,
        algorithm,
        bytes,
        two_way: false,
        lost: vec![],
        acks_lost: vec![],
        marked: vec![],
        handovers: handovers.to_vec(),
    }
}

fn ends(case: &Case) {
    let mut lab = Lab::new(case);
    lab.run(case.bytes, case.two_way);
    lab.check_counters();
}

/// A timeout within the first handover, new data at its end, and a second handover before any of them is acknowledged:
/// at its end the new data count as lost, too, and leave again before more new data do.
#[test]
fn a_second_handover_loses_what_was_sent_after_the_first() {
    let handovers = [Handover { at: 23, lead: 19, length: 1041 }, Handover { at: 1084, lead: 0, length: 1 }];
    let mut case = plain(Profile::Rfc, "westwood-plus-ho", 4001, &handovers);
    case.config.recovery = Some(Recovery::Sack);
    case.config.dup_threshold = 1;
    case.config.limited_transmit = 0;
    case.config.initial_window = InitialWindow::Segments(3);
    case.config.cwnd_limited = CwndLimited::Off;
    case.config.half_base = HalfBase::Window;
    case.config.delayed_ack = 1;
    case.config.max_burst = 2;
    case.config.freeze_kick = false;
    ends(&case);
}

/// ns-2's Vegas may be left without a window and nothing outstanding, when only the timer goes on; a receiver that
/// closes its window meanwhile and opens it again leaves the timer running.
#[test]
fn a_closed_window_does_not_stop_the_timer_of_a_vegas_without_one() {
    let handovers = [Handover { at: 1483, lead: 21, length: 41 }, Handover { at: 1630, lead: 170, length: 1 }];
    let mut case = plain(Profile::Ns2, "vegas", 52_001, &handovers);
    case.two_way = true;
    case.lost = vec![12, 14, 59];
    case.acks_lost = vec![35, 9, 7];
    case.config.dup_threshold = 1;
    case.config.limited_transmit = 0;
    case.config.initial_window = InitialWindow::Segments(4);
    case.config.recover_rule = RecoverRule::Off;
    case.config.delayed_ack = 3;
    case.config.delayed_ack_mode = DelackMode::Heartbeat;
    case.config.max_burst = 5;
    case.config.freeze = true;
    case.config.freeze_kick = false;
    ends(&case);
}
