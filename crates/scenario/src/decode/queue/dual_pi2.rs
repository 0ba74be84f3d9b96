//! The parameters of DualPI2.

use net::{Discipline, DualPi2Spec, DualScheduler, QueueSpec};
use serde_json::json;
use units::Span;

use super::row::{MILLISECOND, PACKETS, Parameter, Ready, gain};
use crate::error::{Problem, code};
use crate::read::{HOUR, Item};
use crate::units::time_text;

const SCHEDULERS: &[(&str, DualScheduler)] =
    &[("wrr", DualScheduler::RoundRobin), ("tsfifo", DualScheduler::TimeShifted)];

pub(super) const DUAL_PI2: Ready = Ready {
    name: "dualpi2",
    summary: "A queue for L4S with marks from a millisecond on, and one for the rest, coupled so that flows get equal rates",
    source: "RFC 9332, appendix A",
    limit: 10_000,
    early: false,
    discipline: |_| Discipline::DualPi2(DualPi2Spec::default()),
    parameters: &[
        parameter!(dual, "target", "delay that the base probability aims at", target, span),
        parameter!(dual, "update", "time between two updates of it", update, span),
        parameter!(
            dual,
            "alpha",
            "0 to 1000",
            "weight of the distance from the target, per second",
            alpha,
            |item| gain(item),
            |x| json!(x)
        ),
        parameter!(
            dual,
            "beta",
            "0 to 1000",
            "weight of the change of the delay, per second",
            beta,
            |item| gain(item),
            |x| json!(x)
        ),
        parameter!(
            dual,
            "coupling",
            "0 to 1000",
            "k: L4S packets are marked with k times the base probability, others with its square",
            coupling,
            |item| gain(item),
            |x| json!(x)
        ),
        parameter!(
            dual,
            "ramp_from",
            "0 s to 1 h",
            "wait of an L4S packet from which it may be marked for that alone",
            ramp_from,
            |item| item.span(Span::ZERO..=HOUR),
            |span| json!(time_text(span))
        ),
        parameter!(
            dual,
            "ramp_range",
            "0 s to 1 h",
            "after so much more it is marked for certain; 0 s: a step",
            ramp_range,
            |item| item.span(Span::ZERO..=HOUR),
            |span| json!(time_text(span))
        ),
        parameter!(
            dual,
            "min_packets",
            "\"0 packets\" and more",
            "packets in the L4S queue up to which none is marked for its wait",
            min_packets,
            |item| item.whole_packets(0..=PACKETS),
            |n| json!(format!("{n} packets"))
        ),
        parameter!(
            dual,
            "scheduler",
            "\"wrr\", \"tsfifo\"",
            "who is next: weighted round robin, or who came first, with L4S packets counted as older",
            scheduler,
            |item| item.word(SCHEDULERS),
            |scheduler| json!(if scheduler == DualScheduler::RoundRobin { "wrr" } else { "tsfifo" })
        ),
        parameter!(
            dual,
            "classic_share",
            "0.001 to 0.999",
            "wrr: what the classic queue gets of the link at least while both wait",
            classic_share,
            |item| classic_share(item),
            |x| json!(x)
        ),
        parameter!(
            dual,
            "time_shift",
            "0 s to 1 h",
            "tsfifo: by how much L4S packets come before others",
            time_shift,
            |item| item.span(Span::ZERO..=HOUR),
            |span| json!(time_text(span))
        ),
        parameter!(dual, "random", "packets are chosen at random instead of evenly spaced", random, flag),
    ],
};

fn dual(queue: &mut QueueSpec) -> &mut DualPi2Spec {
    match &mut queue.discipline {
        Discipline::DualPi2(dual) => dual,
        _ => unreachable!("a row of DualPI2"),
    }
}

fn classic_share(item: &Item<'_>) -> Result<f64, Problem> {
    let share = item.number()?;
    if (0.001..=0.999).contains(&share) {
        return Ok(share);
    }
    Err(item.problem(code::OUT_OF_RANGE, format!("is {share}, allowed is 0.001 to 0.999")))
}
