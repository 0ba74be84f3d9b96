use super::*;

fn ms(n: u64) -> Time {
    Time(n * 1_000_000)
}

fn span(n: u64) -> Span {
    Span::from_millis(n)
}

fn variation(spec: &Changing) -> Variation {
    // 8 Mbps: 1000 bytes take a millisecond
    Variation::new(spec, 8_000_000, span(10), 1, "l")
}

fn rate(at: u64, rate_bps: u64) -> Step {
    Step { at: ms(at), rate_bps: Some(rate_bps), delay: None }
}

fn outage(at: u64, length: u64, every: Option<u64>, lost: bool) -> Outage {
    Outage { at: ms(at), length: span(length), every: every.map(span), lost, handover: false }
}

/// Ends of transmissions of 1000 bytes one after the other, milliseconds.
fn ends(spec: &Changing, count: usize) -> Vec<f64> {
    let mut c = variation(spec);
    let mut t = Time::ZERO;
    (0..count)
        .map(|n| {
            t = c.transmit(t, n > 0, 1000).at;
            t.0 as f64 / 1e6
        })
        .collect()
}

#[test]
fn a_transmission_spans_a_change_of_rate() {
    // from 2.5 ms on at a quarter: the third packet has half of its bits left, which take 2 ms; then 4 ms each. From
    // 10.5 ms on twice the first rate: half a millisecond each.
    let mut spec = Changing { steps: vec![rate(2, 8_000_000), rate(10, 16_000_000)], ..Changing::default() };
    spec.steps[0] = Step { at: Time(2_500_000), rate_bps: Some(2_000_000), delay: None };
    // 1, 2, 2.5 + 2 = 4.5, 8.5, then 1.5 of 4 ms are done at 10: 5/8 are left at 0.5 ms for the whole: 10.3125
    assert_eq!(ends(&spec, 6), [1.0, 2.0, 4.5, 8.5, 10.3125, 10.8125]);
    // 1000 bytes a ms for 2.5 ms, 250 for 7.5 ms, 2000 for 5 ms
    assert_eq!(spec.capacity_bytes(8_000_000, ms(15)), 2500.0 + 1875.0 + 10_000.0);
}

#[test]
fn an_outage_holds_a_packet_in_the_middle() {
    let spec = Changing { outages: vec![outage(1, 5, Some(20), false)], ..Changing::default() };
    // 1; then nothing until 6; 7, ..., 21; nothing until 26
    let all = ends(&spec, 18);
    assert_eq!(all[..3], [1.0, 7.0, 8.0]);
    assert_eq!(all[15..], [21.0, 27.0, 28.0]);
    assert_eq!(spec.capacity_bytes(8_000_000, ms(40)), 30_000.0);
    // after a long silence it stands in the right period: 1001 to 1006 is out
    let mut c = variation(&spec);
    assert_eq!(c.transmit(Time(1_000_500_000), false, 1000).at, Time(1_006_500_000));
}

#[test]
fn an_outage_that_loses_takes_what_is_sent_in_it() {
    let spec = Changing { outages: vec![outage(2, 1, None, true)], ..Changing::default() };
    let mut c = variation(&spec);
    let mut sent = |from: u64| c.transmit(Time(from * 1000), false, 1000);
    // up to 2 ms; from 2 to 3; from 3 on; and each that touches it
    assert_eq!(sent(1000), Sent { at: ms(2), in_outage: false, left: 0 });
    assert_eq!(sent(2000), Sent { at: ms(3), in_outage: true, left: 0 });
    assert_eq!(sent(3000), Sent { at: ms(4), in_outage: false, left: 0 });
    let mut c = variation(&spec);
    assert!(c.transmit(Time(1_500_000), false, 1000).in_outage);
    let mut c = variation(&spec);
    assert!(c.transmit(Time(2_900_000), false, 1000).in_outage);
}

#[test]
fn what_is_left_at_the_end_is_what_the_capacity_lacked() {
    // 8 Mbps, a quarter of it from 10 ms on, nothing from 4 to 6 ms; the run ends after 5, 12 or 20 ms
    let spec =
        Changing { steps: vec![rate(10, 2_000_000)], outages: vec![outage(4, 2, None, false)], ..Changing::default() };
    let left = |end: u64, from: u64, bytes: u32| {
        let mut c = variation(&spec);
        c.set_end(ms(end));
        let sent = c.transmit(ms(from), false, bytes);
        (sent.at > ms(end), u128::from(sent.left))
    };
    // ends in the outage with 1000 bytes sent, or in the slow part with 1000 + 4000 + 500
    assert_eq!(left(5, 3, 9000), (true, work(8000)));
    assert_eq!(left(12, 3, 9000), (true, work(3500)));
    // just at the end, or one bit short of it
    assert_eq!(left(20, 3, 7500), (false, 0));
    assert_eq!(left(20, 3, 7501), (true, work(1)));
    // not begun yet
    assert_eq!(left(5, 8, 100), (true, work(100)));
    // opportunities of 1504 bytes at 3, 5, 5 and 10 ms
    let mut c = variation(&trace(&[3, 5, 5, 10]));
    c.set_end(ms(5));
    assert_eq!(c.transmit(ms(0), false, 5000).left, (work(5000) - 3 * work(1504)) as u64);
    assert_eq!(c.transmit(ms(10), true, 1000).left, work(1000) as u64);
}

fn trace(ms: &[u32]) -> Changing {
    Changing { trace: Some(ms.into()), ..Changing::default() }
}

#[test]
fn opportunities_carry_1504_bytes_and_begin_again() {
    // 3, 5, 5, 10; 13, 15, 15, 20. Packets of 1504 bytes that wait for each other take one each.
    let spec = trace(&[3, 5, 5, 10]);
    let mut c = variation(&spec);
    let all: Vec<Time> = (0..9)
        .scan(Time::ZERO, |t, n| {
            *t = c.transmit(*t, n > 0, 1504).at;
            Some(*t)
        })
        .collect();
    assert_eq!(all, [3, 5, 5, 10, 13, 15, 15, 20, 23].map(ms));
    // 752 bytes: two in each; 1000 bytes: the second ends with 496 bytes of the second opportunity, the third fits into
    // it, the fourth ends with the third opportunity, and 512 bytes of that begin the fifth
    let mut c = variation(&spec);
    assert_eq!([c.transmit(ms(0), false, 752).at, c.transmit(ms(3), true, 752).at], [3, 3].map(ms));
    let mut c = variation(&spec);
    let mut next = |start, waited| c.transmit(ms(start), waited, 1000).at;
    assert_eq!([next(0, false), next(3, true), next(5, true), next(5, true), next(5, true)], [3, 5, 5, 5, 10].map(ms));
    assert_eq!(spec.capacity_bytes(1, ms(14)), 5.0 * 1504.0);
}

#[test]
fn what_an_opportunity_does_not_use_is_lost() {
    let spec = trace(&[3, 5, 5, 10]);
    let mut c = variation(&spec);
    assert_eq!(c.transmit(ms(0), false, 500).at, ms(3));
    // comes in the instant of the first opportunity, or after it, with nobody before: waits for the next
    assert_eq!(c.transmit(ms(3), false, 500).at, ms(5));
    assert_eq!(c.transmit(ms(5), false, 500).at, ms(10));
    assert_eq!(c.transmit(ms(1000), false, 500).at, ms(1003));
    assert_eq!(c.transmit(ms(1010), false, 500).at, ms(1013));
    // an outage takes opportunities away
    let spec = Changing { outages: vec![outage(4, 2, None, false)], ..spec };
    assert_eq!(variation(&spec).transmit(ms(3), false, 500).at, ms(10));
    assert_eq!(spec.capacity_bytes(1, ms(14)), 3.0 * 1504.0);
}

#[test]
fn a_trace_can_be_written_of_any_link() {
    assert_eq!(trace(&[0, 3, 5, 5, 10]).opportunities(1, ms(14)), [3, 5, 5, 10, 10, 13]);
    // 12.032 Mbps is one opportunity a millisecond; half of it after 3 ms; none from 7 to 9
    let step = Step { at: ms(3), rate_bps: Some(6_016_000), delay: None };
    let spec = Changing { steps: vec![step], outages: vec![outage(7, 2, None, false)], ..Changing::default() };
    assert_eq!(spec.opportunities(12_032_000, ms(13)), [1, 2, 3, 5, 7, 11, 13]);
}

#[test]
fn the_delay_is_that_of_the_departure_and_order_stays() {
    let spec =
        Changing { steps: vec![Step { at: ms(100), rate_bps: None, delay: Some(span(3)) }], ..Changing::default() };
    let mut c = variation(&spec);
    let arrivals: Vec<Time> = [98, 99, 100, 104, 110].map(|at| c.arrival(ms(at))).into();
    // 10 ms, then 3 ms: 103 and 107 would overtake the one that arrives at 109
    assert_eq!(arrivals, [108, 109, 109, 109, 113].map(ms));
}

fn jitter(model: JitterModel, reorder: bool) -> Changing {
    Changing { jitter: Some(Jitter { model, reorder }), ..Changing::default() }
}

/// Mean and standard deviation of many delays, seconds.
fn moments(model: JitterModel) -> (f64, f64) {
    const N: usize = 200_000;
    let mut c = variation(&jitter(model, true));
    let all: Vec<f64> = (0..N as u64).map(|n| c.arrival(ms(n)).since(ms(n)).secs()).collect();
    let mean = all.iter().sum::<f64>() / N as f64;
    let var = all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / N as f64;
    (mean, var.sqrt())
}

#[test]
fn jitter_has_its_distribution() {
    let close = |got: (f64, f64), mean: f64, deviation: f64| {
        // standard errors: of the mean d / 447, of the deviation d / 632 for a normal; four of each
        assert!((got.0 - mean).abs() < deviation / 100.0, "mean {} s", got.0);
        assert!((got.1 - deviation).abs() < deviation / 60.0, "deviation {} s", got.1);
    };
    // 3 ms / sqrt(3)
    close(moments(JitterModel::Uniform { spread: span(3) }), 0.010, 0.001_732);
    close(moments(JitterModel::Normal { deviation: span(2) }), 0.010, 0.002);
    close(moments(JitterModel::Exponential { mean: span(4) }), 0.014, 0.004);
    // shape 6: variance s^2 6 / (25 * 4) with s = 5 * 4 ms = 20 ms: 24 ms^2
    close(moments(JitterModel::Pareto { mean: span(4), shape: 6.0 }), 0.014, 0.004_899);
    // cut at zero: of a normal with deviation 100 ms a part sigma(-0.1) lies below
    let mut c = variation(&jitter(JitterModel::Normal { deviation: span(100) }, true));
    let at_once = (0..10_000).filter(|n| c.arrival(ms(*n)) == ms(*n)).count();
    assert!((4600.0 - at_once as f64).abs() < 200.0, "{at_once} of 10000 without delay, 46.02 % expected");
}

#[test]
fn without_reordering_arrivals_stay_in_order() {
    let arrivals = |reorder| {
        let mut c = variation(&jitter(JitterModel::Normal { deviation: span(2) }, reorder));
        (0..1000).map(|n| c.arrival(ms(n))).collect::<Vec<_>>()
    };
    let (free, ordered) = (arrivals(true), arrivals(false));
    assert!(!free.is_sorted() && ordered.is_sorted());
    // the same draws: each arrives when the latest of those up to it would
    let latest = free.iter().scan(Time::ZERO, |latest, at| {
        *latest = (*latest).max(*at);
        Some(*latest)
    });
    assert!(latest.eq(ordered));
}

#[test]
fn packets_that_pass_each_other_arrive_by_their_times() {
    let mut c = variation(&jitter(JitterModel::Uniform { spread: span(1) }, true));
    for (seq, at) in [(0, 5), (1, 3), (2, 5), (3, 4)] {
        c.put(Packet { seq, at: ms(at), ..Packet::default() });
    }
    let order: Vec<u32> = std::iter::from_fn(|| c.next_arrival()).map(|p| p.seq).collect();
    assert_eq!(order, [1, 3, 0, 2]);
}

/// Delays of packets sent each millisecond over a wire of 10 ms, milliseconds.
fn delays(which: Which, shift: Shift, count: u64) -> Vec<u64> {
    let chosen = Reordering::Chosen(Chosen { which, shift });
    let mut c = variation(&Changing { reordering: chosen, ..Changing::default() });
    (0..count).map(|n| c.arrival(ms(n)).since(ms(n)).0 / 1_000_000).collect()
}

fn drawn(every: u64, rate_percent: f64, correlation_percent: f64) -> Which {
    Which::Drawn { every, rate_percent, correlation_percent }
}

#[test]
fn listed_packets_and_every_third_leave_their_place() {
    let (later, earlier) = (Shift::Later(span(5)), Shift::Earlier(span(4)));
    assert_eq!(delays(Which::Numbers([1, 4].into()), later, 6), [10, 15, 10, 10, 15, 10]);
    assert_eq!(delays(Which::Numbers([1, 4].into()), earlier, 6), [10, 6, 10, 10, 6, 10]);
    assert_eq!(delays(drawn(3, 100.0, 0.0), earlier, 7), [10, 10, 6, 10, 10, 6, 10]);
    assert_eq!(delays(drawn(1, 100.0, 0.0), later, 3), [15, 15, 15]);
    assert_eq!(delays(drawn(1, 0.0, 0.0), later, 3), [10, 10, 10]);
    // not before it was sent
    assert_eq!(delays(drawn(2, 100.0, 0.0), Shift::Earlier(span(40)), 4), [10, 0, 10, 0]);
}

#[test]
fn packets_are_chosen_as_often_as_the_rate_says() {
    const N: u64 = 100_000;
    let share = |which| delays(which, Shift::Later(span(5)), N).iter().filter(|&&d| d == 15).count() as f64 / N as f64;
    // standard error sqrt(0.25 * 0.75 / N) = 0.0014; four of them
    assert!((share(drawn(1, 25.0, 0.0)) - 0.25).abs() < 0.0055);
    // at the earliest the third, then 1 / 0.25 packets on average until one is: 1 of 2 + 4
    assert!((share(drawn(3, 25.0, 0.0)) - 1.0 / 6.0).abs() < 0.005);
    // half of the number is new, a quarter was drawn for the packet before, and so on: the sum of such uniform numbers
    // has the Fabius function as its distribution, which is 5/72 at 1/4
    let correlated = delays(drawn(1, 25.0, 50.0), Shift::Later(span(5)), N);
    let chosen = correlated.iter().filter(|&&d| d == 15).count() as f64 / N as f64;
    assert!((chosen - 5.0 / 72.0).abs() < 0.006, "{chosen}");
    // one that follows a chosen one is chosen more often
    let again = correlated.windows(2).filter(|pair| pair == &[15, 15]).count() as f64 / N as f64;
    assert!(again > 2.0 * chosen * chosen, "{again}");
    // it is drawn once and for all
    assert!([0.0, 1.0].contains(&share(drawn(1, 50.0, 100.0))));
}

#[test]
fn those_that_are_not_chosen_keep_their_order() {
    // the delay falls from 10 to 3 ms at 100 ms: only the second packet is held, and that for long
    let spec = Changing {
        steps: vec![Step { at: ms(100), rate_bps: None, delay: Some(span(3)) }],
        reordering: Reordering::Chosen(Chosen { which: Which::Numbers([1].into()), shift: Shift::Later(span(50)) }),
        ..Changing::default()
    };
    let mut c = variation(&spec);
    let arrivals: Vec<Time> = [98, 99, 100, 104, 110].map(|at| c.arrival(ms(at))).into();
    assert_eq!(arrivals, [108, 159, 108, 108, 113].map(ms));
}
