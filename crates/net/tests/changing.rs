//! Connections over links that change while they run. Numbers in the comments are worked from the link.

mod common;

use common::*;
use datagram::Traffic;
use net::*;
use tcp::{Config, Profile};
use units::{Span, Time};

fn ms(n: u64) -> Time {
    Time(n * 1_000_000)
}

/// One flow over a bottleneck of 8 Mbps and 20 ms with these changes.
fn over(changing: Changing, algorithm: &str, rules: impl Rules) -> Network {
    let mut core = direction(8_000_000, 20, 60);
    core.queue.trace = Some(net::QueueTracing::ALL);
    core.changing = Some(changing.into());
    dumbbell(1, core, &direction(1_000_000_000, 1, 1000), algorithm, rules)
}

fn traced(seconds: f64) -> RunOptions {
    RunOptions { events: true, ..options(seconds) }
}

fn forward(results: &Results) -> &LinkStats {
    &results.links[0].stats
}

#[test]
fn a_slower_half_carries_less() {
    let step = Step { at: ms(30_000), rate_bps: Some(2_000_000), delay: Some(Span::from_millis(100)) };
    let network = over(Changing { steps: vec![step], ..Changing::default() }, "sack", Config::classic());
    let warm = RunOptions { warmup: Span::from_secs(35.0), ..traced(60.0) };
    let results = run(&network, 1, &warm);
    // 25 s at 2 Mbps, 1460 of 1500 bytes are payload: 6.083 MB, and the segment that was on the link when the warm-up
    // ended
    let measured = results.flows[0].measured_bytes as f64;
    let most = 25.0 * 2e6 / 8.0 * 1460.0 / 1500.0 + 1460.0;
    assert!((0.85 * most..=most).contains(&measured), "{measured} bytes after the step");
    // 25 s at 2 Mbps: 6.25 MB; but for some of the packets in transmission at both ends
    let used = forward(&results).utilisation * 6.25e6 - forward(&results).measured.transmitted_bytes as f64;
    assert!(forward(&results).utilisation <= 1.0 && used.abs() < 1500.0, "{used} bytes more");
    // 100 and 1 ms each way after the step, 20 and 1 before it
    assert!(results.flows[0].rtt_min < Span::from_millis(50));
}

#[test]
fn a_held_outage_loses_nothing_by_itself_and_a_lost_one_what_is_sent_in_it() {
    let outage = |lost| Changing {
        outages: vec![Outage { at: ms(10_000), length: Span::from_millis(500), every: None, lost, handover: false }],
        ..Changing::default()
    };
    // a window of 20 segments never fills the buffer of 60
    let with = |lost| {
        let mut network = over(outage(lost), "newreno", Config::classic());
        tcp(&mut network.flows[0]).rules.window = 20;
        run(&network, 1, &traced(20.0))
    };
    let held = with(false);
    assert_eq!(forward(&held).losses.total(), 0);
    // 500 ms without an ACK are less than the least RTO, so nothing is sent twice
    assert_eq!((held.flows[0].sender.retransmitted_segments, held.flows[0].sender.timeouts), (0, 0));
    let lost = with(true);
    assert!(forward(&lost).losses[LossCause::Random] > 0 && forward(&lost).losses[LossCause::Queue] == 0);
    assert!(lost.losses.iter().all(|l| (ms(10_000)..ms(10_502)).contains(&l.at)), "{:?}", lost.losses);
    assert!(lost.flows[0].delivered_bytes < held.flows[0].delivered_bytes);
}

#[test]
fn nothing_arrives_out_of_a_held_outage() {
    let outage = Outage { at: ms(5_000), length: Span::from_millis(2_000), every: None, lost: false, handover: false };
    let network = over(Changing { outages: vec![outage], ..Changing::default() }, "sack", Profile::Rfc);
    let results = run(&network, 1, &traced(12.0));
    // the queue stands still from 5 to 7 s: it grows until the window is used up, and nothing leaves
    let during = |t: &&TracePoint| t.variable == Variable::Queue && !t.reverse && t.at > ms(5_002) && t.at < ms(7_000);
    let lengths: Vec<f64> = results.traces.iter().filter(during).map(|t| t.value).collect();
    assert!(lengths.is_sorted(), "{lengths:?}");
    assert!(results.flows[0].sender.timeouts >= 1, "two seconds of silence are more than the RTO");
    assert!(results.flows[0].delivered_bytes > 7_000_000, "it goes on: {}", results.flows[0].delivered_bytes);
}

#[test]
fn reordering_looks_like_loss_and_jitter_in_order_does_not() {
    let jitter = |reorder| Changing {
        jitter: Some(Jitter { model: JitterModel::Uniform { spread: Span::from_millis(8) }, reorder }),
        ..Changing::default()
    };
    // 20 segments never fill the queue: nothing is lost, but up to 16 ms are ten packets of 1.5 ms
    let with = |reorder, rules| {
        let mut network = over(jitter(reorder), "newreno", rules);
        tcp(&mut network.flows[0]).rules.window = 20;
        run(&network, 1, &traced(20.0))
    };
    let (ordered, passing) = (with(false, Config::classic()), with(true, Config::classic()));
    for results in [&ordered, &passing] {
        assert_eq!(forward(results).losses.total(), 0);
    }
    assert_eq!(ordered.flows[0].sender.fast_retransmits, 0);
    assert!(passing.flows[0].sender.fast_retransmits > 10, "{:?}", passing.flows[0].sender);
    assert!(passing.flows[0].delivered_bytes < ordered.flows[0].delivered_bytes);
    // RACK gives what was overtaken time once it has seen that, and takes back what it did before
    let given_time = &with(true, Config::profile(Profile::Rfc)).flows[0].sender;
    assert!(given_time.fast_retransmits < 10 && given_time.undone == given_time.fast_retransmits, "{given_time:?}");
}

#[test]
fn a_held_packet_looks_lost_and_one_ahead_does_not() {
    // each 50th is 20 ms late, so a dozen of 1.5 ms pass it; or 1 ms early, less than the time between two
    let with = |shift| {
        let which = Which::Drawn { every: 50, rate_percent: 100.0, correlation_percent: 0.0 };
        let reordering = Reordering::Chosen(Chosen { which, shift });
        let mut network = over(Changing { reordering, ..Changing::default() }, "newreno", Config::classic());
        tcp(&mut network.flows[0]).rules.window = 20;
        run(&network, 1, &options(20.0))
    };
    let held = with(Shift::Later(Span::from_millis(20)));
    let sender = &held.flows[0].sender;
    assert_eq!(forward(&held).losses.total(), 0);
    assert!(sender.fast_retransmits > 10 && sender.timeouts == 0, "{sender:?}");
    // what was sent again had arrived or was on its way
    assert!(held.flows[0].receiver.duplicate_segments + 1 >= sender.retransmitted_segments);
    let ahead = with(Shift::Earlier(Span::from_millis(1)));
    assert_eq!((ahead.flows[0].sender.retransmitted_segments, forward(&ahead).losses.total()), (0, 0));
    assert!(ahead.flows[0].delivered_bytes > held.flows[0].delivered_bytes);
}

/// Mean queueing delay over a bottleneck of `from_mbps` whose rate becomes `to_mbps` after 20 s, between 30 s and 80 s,
/// with PIE and four flows, milliseconds.
fn pie_delay_ms(from_mbps: u64, to_mbps: u64, trace: bool) -> f64 {
    let mut core = direction(from_mbps * 1_000_000, 20, 1000);
    let step = Step { at: ms(20_000), rate_bps: Some(to_mbps * 1_000_000), delay: None };
    let mut changing = Changing { steps: vec![step], ..Changing::default() };
    if trace {
        // the same in opportunities, without end
        changing =
            Changing { trace: Some(changing.opportunities(core.rate_bps, ms(80_000)).into()), ..Changing::default() };
    }
    core.queue.discipline = Discipline::Pie(PieSpec::default());
    core.changing = Some(changing.into());
    let network = dumbbell(4, core, &direction(1_000_000_000, 1, 1000), "newreno", Profile::Rfc);
    let waited = |seconds| {
        let stats = *forward(&run(&network, 1, &options(seconds)));
        (stats.queue_integral, stats.transmitted_packets as f64)
    };
    let (before, after) = (waited(30.0), waited(80.0));
    (after.0 - before.0) / (after.1 - before.1) * 1e3 // Little
}

#[test]
fn pie_keeps_its_target_when_the_rate_changes() {
    // The target is 15 ms. Reckoned with the old rate the queue would be held at 3 ms, or at 75 ms.
    for (from, to) in [(4, 20), (20, 4)] {
        for trace in [false, true] {
            let delay = pie_delay_ms(from, to, trace);
            assert!((8.0..25.0).contains(&delay), "{from} to {to} Mbps, trace {trace}: {delay} ms");
        }
    }
}

#[test]
fn an_overloaded_trace_uses_every_opportunity_and_no_more() {
    // 3 in 4 ms: 9.024 Mbps; 20 s are 15000 of 1504 bytes, 22.56 MB. 12 Mbps come, so something always waits but at the
    // very beginning, and no byte of an opportunity is lost: packets share them.
    let trace = Changing { trace: Some([1, 2, 4].into()), ..Changing::default() };
    let mut network = over(trace, "cubic", Profile::Rfc);
    network.flows = vec![udp("datagrams", 2, 3, Traffic::Cbr { jittered: false }, 12_000_000)];
    let results = run(&network, 1, &traced(20.0));
    let bytes = forward(&results).transmitted_bytes;
    assert!((22_550_000..=22_560_000).contains(&bytes), "{bytes} bytes");
    assert!(forward(&results).losses[LossCause::Queue] > 0);
}

#[test]
fn a_link_that_nothing_ever_leaves_does_not_hold_up_the_run() {
    // every opportunity, and all but a nanosecond of each millisecond, falls into an outage
    let outage =
        Outage { at: ms(0), length: Span(999_999), every: Some(Span(1_000_000)), lost: false, handover: false };
    for trace in [None, Some([1].into())] {
        let network = over(Changing { outages: vec![outage], trace, ..Changing::default() }, "sack", Profile::Rfc);
        let results = run(&network, 1, &traced(4.0));
        assert_eq!(results.flows[0].delivered_bytes, 0);
        assert_eq!(results.check_conservation(), Ok(()));
    }
}
