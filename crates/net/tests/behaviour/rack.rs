//! Algorithms on RACK-TLP: what a loss costs, and what they are told of it.

use ::tcp::{Config, Profile, Why};
use net::*;

use crate::common::*;

/// One flow over a link that is full soon, with one packet in a hundred lost on it.
fn narrow(algorithm: &str, prr: bool) -> Results {
    let mut core = direction(2_500_000, 20, 15);
    core.loss = LossSpec::uniform(0.01, LossAt::Wire);
    let rules = Config { prr, ..Config::profile(Profile::Rfc) };
    let network = dumbbell(1, core, &direction(100_000_000, 5, 1000), algorithm, rules);
    run(&network, 1, &RunOptions { events: true, ..options(30.0) })
}

/// What arrived above a hole makes room for new data, so more than cwnd may be outstanding when a recovery ends, and
/// the same ACK may begin the next one. That must not start from what is outstanding: Scalable TCP, which keeps 7/8 of
/// it, went from 58 to 959 segments.
#[test]
fn a_cut_leaves_no_more_than_there_was() {
    for algorithm in ["newreno", "cubic", "scalable"] {
        for prr in [false, true] {
            let results = narrow(algorithm, prr);
            let cuts: Vec<_> = results.events.iter().filter(|e| e.event.why == Why::DupAcks).collect();
            assert!(cuts.len() > 20, "{algorithm}: {} cuts", cuts.len());
            for cut in cuts {
                let event = cut.event;
                // a floor of two segments holds in any case
                assert!(event.cwnd_after <= event.cwnd_before.max(2.0), "{algorithm}, PRR {prr}: {event:?}");
            }
            // 1 % lost costs no algorithm half of the link, and sending again is rare
            let flow = &results.flows[0];
            assert!(flow.delivered_bytes as f64 * 8.0 > 0.5 * 2.5e6 * 30.0, "{algorithm}, PRR {prr}");
            assert!(flow.sender.retransmitted_segments * 20 < flow.sender.sent_segments, "{algorithm}, PRR {prr}");
        }
    }
}
