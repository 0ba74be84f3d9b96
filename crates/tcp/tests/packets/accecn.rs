//! Accurate ECN between two endpoints: RFC 9768.

use tcp::{Config, EcnEcho, Endpoint, Flags, Profile, Role, Segment};
use units::{Span, Time};

const OFFER: Flags = Flags(Flags::AE.0 | Flags::CWR.0 | Flags::ECE.0);

fn end(role: Role, algorithm: &str, change: impl Fn(&mut Config)) -> Endpoint {
    let mut config = Config::profile(Profile::Rfc);
    config.mss = 1000;
    (config.ecn, config.ecn_echo, config.ect1) = (true, EcnEcho::Accurate, true);
    change(&mut config);
    Endpoint::new(&config, &cc::Config::named(algorithm).unwrap(), role)
}

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

fn sent(end: &mut Endpoint, ms: u64) -> Vec<Segment> {
    std::iter::from_fn(|| end.poll_transmit(at(ms))).collect()
}

/// Both ends after the handshake; the answer to the SYN is as `changed` on the way.
fn pair(
    algorithm: &str,
    active: impl Fn(&mut Config),
    passive: impl Fn(&mut Config),
    syn: impl Fn(&mut Flags),
) -> (Endpoint, Endpoint) {
    let mut a = end(Role::Active { peer_sends: false }, algorithm, active);
    let mut b = end(Role::Passive, algorithm, passive);
    a.offer(None);
    a.open();
    let mut offer = sent(&mut a, 0)[0];
    syn(&mut offer.flags);
    b.handle_segment(at(10), &offer);
    let answer = sent(&mut b, 10)[0];
    a.handle_segment(at(20), &answer);
    (a, b)
}

/// The count of marks that a segment tells, modulo 8.
fn ace(segment: &Segment) -> u8 {
    let bit = |flag: Flags, value| if segment.flags.has(flag) { value } else { 0 };
    bit(Flags::AE, 4) + bit(Flags::CWR, 2) + bit(Flags::ECE, 1)
}

fn marked(segment: &Segment) -> Segment {
    Segment { flags: Flags(segment.flags.0 | Flags::CE.0), ..*segment }
}

const NOTHING: fn(&mut Config) = |_| {};

#[test]
fn the_handshake_agrees_on_it_and_packets_are_ect1() {
    let mut a = end(Role::Active { peer_sends: false }, "prague", NOTHING);
    a.open();
    assert!(sent(&mut a, 0)[0].flags.has(OFFER));
    let (mut a, mut b) = pair("prague", NOTHING, NOTHING, |_| {});
    let data = sent(&mut a, 20);
    assert!(data.len() == 10 && data.iter().all(|s| s.flags.has(Flags(Flags::ECT.0 | Flags::ECT1.0))));
    b.handle_segment(at(30), &data[0]);
    b.handle_segment(at(30), &data[1]);
    let ack = sent(&mut b, 30);
    // both begin with 5
    assert_eq!((ack.len(), ace(&ack[0]), ack[0].seq), (1, 5, 5));
    assert!(ack[0].flags.has(Flags::COUNTS_MARKS) && !ack[0].flags.has(Flags::ECT));
    assert_eq!(ack[0].size, 40 + 12 + 8); // with timestamps
    a.handle_segment(at(40), &ack[0]);
    assert_eq!(a.sender.stats().marks, 0);
}

#[test]
fn what_the_other_end_lacks_is_not_used() {
    // an end that knows nothing of it, and one whose SYN was changed on the way
    let (mut a, _) = pair("prague", NOTHING, |c| (c.ecn, c.ecn_echo) = (false, EcnEcho::Latched), |_| {});
    assert!(sent(&mut a, 20).iter().all(|s| !s.flags.has(Flags::ECT)));
    let (mut a, _) = pair("prague", NOTHING, NOTHING, |flags| *flags = Flags::SYN);
    assert!(sent(&mut a, 20).iter().all(|s| !s.flags.has(Flags::ECT)));
    // one with the ECN of RFC 3168: ECT(0), and a mark halves once, and is answered with CWR
    let (mut a, mut b) = pair("prague", NOTHING, NOTHING, |flags| {
        flags.0 &= !Flags::AE.0;
    });
    let data = sent(&mut a, 20);
    assert!(data.iter().all(|s| s.flags.has(Flags::ECT) && !s.flags.has(Flags::ECT1)));
    b.handle_segment(at(30), &marked(&data[0]));
    b.handle_segment(at(30), &data[1]);
    let ack = sent(&mut b, 30)[0];
    assert!(ack.flags.has(Flags::ECE) && !ack.flags.has(Flags::CWR) && !ack.flags.has(Flags::COUNTS_MARKS));
    a.handle_segment(at(40), &ack);
    assert_eq!(a.sender.cwnd(), 4.0); // half of the eight outstanding
}

#[test]
fn marks_are_told_at_once_and_counted_one_by_one() {
    let (mut a, mut b) = pair("prague", NOTHING, NOTHING, |_| {});
    let data = sent(&mut a, 20);
    // the first marked one after others, then two more: 5 + 1, 5 + 3
    let mut told = vec![];
    for (n, segment) in data.iter().take(7).enumerate() {
        let arrives = if (1..5).contains(&n) { marked(segment) } else { *segment };
        b.handle_segment(at(30), &arrives);
        told.extend(sent(&mut b, 30).iter().map(|ack| (ack.ack, ace(ack))));
    }
    assert_eq!(told, [(2, 6), (4, 0), (6, 1)]);
    assert_eq!(b.receiver.stats.marked_segments, 4);
}

/// 12 segments and 11 marks in one ACK, since others were lost: with the option the count is right, without it the
/// safe guess of those that differ by 8 is.
#[test]
fn the_count_goes_round() {
    for (option, marks, counted) in [(true, 11, 11), (false, 11, 11), (true, 3, 3), (false, 3, 11)] {
        let (mut a, mut b) = pair(
            "prague",
            |c| c.initial_window = tcp::InitialWindow::Segments(12),
            |c| c.accecn_option = option,
            |_| {},
        );
        for (n, segment) in sent(&mut a, 20).iter().enumerate() {
            b.handle_segment(at(30), &if n < marks { marked(segment) } else { *segment });
            sent(&mut b, 30);
        }
        b.receiver.force_ack();
        let last = sent(&mut b, 30)[0];
        assert_eq!((last.ack, last.flags.has(Flags::COUNTS_MARKS)), (12, option));
        a.handle_segment(at(40), &last);
        assert_eq!(a.sender.stats().marks, counted, "{option} {marks}");
    }
}

/// A classic algorithm hears of marks once per window, and says nothing of its cut.
#[test]
fn without_l4s_a_window_is_cut_once_and_no_cwr_is_sent() {
    let (mut a, mut b) = pair("newreno", |c| c.ect1 = false, NOTHING, |_| {});
    let data = sent(&mut a, 20);
    assert!(data.iter().all(|s| s.flags.has(Flags::ECT) && !s.flags.has(Flags::ECT1)));
    let mut acks = vec![];
    for segment in &data {
        b.handle_segment(at(30), &marked(segment));
        acks.extend(sent(&mut b, 30));
    }
    let mut new = vec![];
    for ack in &acks {
        a.handle_segment(at(40), ack);
        new.extend(sent(&mut a, 40));
    }
    assert_eq!((a.sender.stats().marks, a.sender.stats().window_cuts), (9, 1)); // the tenth waits for another
    // what the sender itself counted is 5, in every header: AE and ECE
    assert!(!new.is_empty() && new.iter().all(|s| ace(s) == 5));
}
