//! What a run measured, as tables.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Deref;

use net::{CauseRow, Delays, FlowResult, FlowSpec, LOSS_CAUSES, LossCounts, Network, Results, TracePoint, Variable};
use units::{Span, Time};

use crate::decode::output;
use crate::decode::plan::Plan;
use crate::names::{MULTIPATH, NOT_LOST, SUBFLOW, window_event};
use crate::table::{Column, Table};

/// The tables of a run, and what it cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunResult {
    /// One row per flow and direction with data.
    pub flows: Table,
    /// One row per link and direction.
    pub links: Table,
    /// Values over time, if asked for.
    pub traces: Table,
    /// Window changes with the true cause behind them, if asked for.
    pub events: Table,
    /// Lost packets, if events are asked for.
    pub losses: Table,
    /// What each sender's algorithm was told and answered, if asked for: a tape (crate `tape`) for each flow and direction.
    pub tapes: Table,
    /// Events that the loop handled.
    pub loop_events: u64,
    /// Packets that crossed a link.
    pub packet_hops: u64,
}

/// A column of measured values; NaN where there is none.
fn number<R>(rows: &[R], value: impl Fn(&R) -> f64) -> Column {
    Column::F64(rows.iter().map(value).collect())
}

/// A column of counts.
fn count<R>(rows: &[R], value: impl Fn(&R) -> u64) -> Column {
    Column::I64(rows.iter().map(|row| i64::try_from(value(row)).unwrap_or(i64::MAX)).collect())
}

/// A column of words.
fn words<R, S: Into<String>>(rows: &[R], value: impl Fn(&R) -> S) -> Column {
    Column::Str(rows.iter().map(|row| value(row).into()).collect())
}

fn direction(reverse: bool) -> &'static str {
    if reverse { "reverse" } else { "forward" }
}

/// A column for each cause of loss, under the name that `name` takes from its row.
fn by_cause<'a, R>(
    rows: &'a [R],
    name: impl Fn(&'static CauseRow) -> &'static str + 'a,
    losses: impl Fn(&R) -> &LossCounts + 'a,
) -> impl Iterator<Item = (&'static str, Column)> + 'a {
    LOSS_CAUSES.iter().map(move |row| (name(row), count(rows, |r| losses(r)[row.cause])))
}

/// `part / whole`, or NaN where there is nothing to divide by.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { f64::NAN }
}

/// Seconds, or NaN for a span that was never set.
fn seconds(span: Span) -> f64 {
    if span == Span::ZERO { f64::NAN } else { span.secs() }
}

/// A quantile of a flow's queueing delays, or NaN where they were not recorded.
fn quantile(row: &net::FlowResult, share: f64) -> f64 {
    row.delays.as_ref().and_then(|delays| delays.quantile(share)).map_or(f64::NAN, Span::secs)
}

/// Every table of a run.
/// `groups` has the number of each flow's group.
pub(crate) fn tables(plan: &Plan, network: &Network, groups: &[usize], results: &Results) -> RunResult {
    RunResult {
        flows: flows(plan, network, groups, results),
        links: links(plan, network, results),
        traces: traces(plan, network, results),
        events: events(network, results),
        losses: losses(network, results),
        tapes: tapes(network, results),
        loop_events: results.loop_events,
        packet_hops: results.packet_hops,
    }
}

/// Data segments that arrived for the first time.
fn new_segments(row: &net::FlowResult) -> f64 {
    (row.receiver.received_segments - row.receiver.duplicate_segments) as f64
}

/// Seconds from the opening of the connection to the end of the run; 0 if it never opened.
fn open_time(row: &net::FlowResult, end: Time) -> f64 {
    row.sender.opened.map_or(0.0, |opened| end.since(opened).secs())
}

/// Seconds that a transfer of given size took, if it ended.
fn completion(row: &net::FlowResult) -> Option<f64> {
    row.completed.map(|at| at.since(row.start).secs())
}

/// A row of the table of flows: a flow, a subflow, or a connection over several paths.
struct FlowRow<'a> {
    name: &'a str,
    group: Cow<'a, str>,
    transport: &'static str,
    algorithm: &'static str,
    /// The flow, or the first subflow.
    spec: &'a FlowSpec,
    /// Payload bytes to send; none: as much as it can, or as its source makes.
    size: Option<u64>,
    result: Cow<'a, FlowResult>,
    /// Of connections over several paths.
    reorder_max: Option<u32>,
}

impl Deref for FlowRow<'_> {
    type Target = FlowResult;

    fn deref(&self) -> &FlowResult {
        &self.result
    }
}

/// The rows in the order of the groups, a connection before its subflows.
fn flow_rows<'a>(plan: &'a Plan, network: &'a Network, groups: &[usize], results: &'a Results) -> Vec<FlowRow<'a>> {
    let mut connections = network.multipath.iter().zip(&results.multipath).peekable();
    let mut rows = Vec::with_capacity(results.flows.len() + network.multipath.len());
    for result in &results.flows {
        let (group, spec) = (&plan.flows[groups[result.flow]], &network.flows[result.flow]);
        if let Some((several, joint)) = connections.next_if(|(c, _)| c.subflows[0] == result.flow) {
            let (first, last) = (several.subflows[0], several.subflows[several.subflows.len() - 1]);
            let parts = results.flows.iter().filter(|r| (first..=last).contains(&r.flow));
            rows.push(FlowRow {
                name: &several.name,
                group: group.name.as_str().into(),
                transport: MULTIPATH,
                algorithm: group.transport.algorithm(),
                spec,
                size: several.size,
                result: Cow::Owned(FlowResult::joined(parts, joint)),
                reorder_max: Some(joint.reorder_max),
            });
        }
        let subflow = group.multipath().is_some();
        rows.push(FlowRow {
            name: &spec.name,
            group: if subflow { format!("{}.subflows", group.name).into() } else { group.name.as_str().into() },
            transport: if subflow { SUBFLOW } else { group.transport.word() },
            algorithm: group.transport.algorithm(),
            spec,
            size: match &spec.transport {
                net::Transport::Tcp(tcp) => tcp.size,
                net::Transport::Udp(_) | net::Transport::Tfrc(_) => None,
            },
            result: Cow::Borrowed(result),
            reorder_max: None,
        });
    }
    rows
}

fn flows(plan: &Plan, network: &Network, groups: &[usize], results: &Results) -> Table {
    let rows = &flow_rows(plan, network, groups, results)[..];
    let end = Time(plan.general.duration.0);
    let warm = Time(plan.general.warmup.0);
    let bits = |bytes: u64| bytes as f64 * 8.0;
    let ends = |row: &FlowRow<'_>| {
        let flow = row.spec;
        if row.reverse { (flow.to, flow.from) } else { (flow.from, flow.to) }
    };
    // Seconds that count: from the start or the end of the warm-up to the end of the run. A transfer that ended has a time of
    // its own, in which it sent everything: what it got in the rest of the run says nothing.
    let active = |row: &FlowRow<'_>| completion(row).unwrap_or_else(|| end.since(row.start.max(warm)).secs());
    let goodput = |row: &FlowRow<'_>| match row.completed {
        Some(_) => ratio(bits(row.delivered_bytes), active(row)),
        None => ratio(bits(row.measured_bytes), active(row)),
    };
    let throughput = |row: &FlowRow<'_>| match row.completed {
        Some(_) => ratio(bits(row.arrived_bytes), active(row)),
        None => ratio(bits(row.measured_arrived_bytes), active(row)),
    };
    // a transport without a window has none
    let cwnd_mean = |row: &FlowRow<'_>| match row.spec.transport {
        net::Transport::Tcp(_) => ratio(row.sender.cwnd_integral, open_time(row, end)),
        _ => f64::NAN,
    };
    let run = plan.general.duration.secs() - plan.general.warmup.secs();
    let goodput_run = |row: &FlowRow<'_>| match row.completed {
        Some(at) if at <= warm => f64::NAN, // it has no part in what is measured
        _ => ratio(bits(row.measured_bytes), run),
    };
    let mut columns = vec![
        ("flow", words(rows, |r| r.name)),
        ("group", words(rows, |r| r.group.to_string())),
        ("direction", words(rows, |r| direction(r.reverse))),
        ("transport", words(rows, |r| r.transport)),
        ("algorithm", words(rows, |r| r.algorithm)),
        ("from", words(rows, |r| network.nodes[ends(r).0].as_str())),
        ("to", words(rows, |r| network.nodes[ends(r).1].as_str())),
        ("start_s", number(rows, |r| r.start.secs())),
        ("stop_s", number(rows, |r| r.spec.stop.filter(|at| *at < end).map_or(f64::NAN, Time::secs))),
        ("opened_s", number(rows, |r| r.sender.opened.map_or(f64::NAN, Time::secs))),
        ("active_s", number(rows, active)),
        ("size_bytes", number(rows, |r| r.size.map_or(f64::NAN, |bytes| bytes as f64))),
        ("goodput_bps", number(rows, goodput)),
        ("goodput_run_bps", number(rows, goodput_run)),
        ("throughput_bps", number(rows, throughput)),
        ("delivered_bytes", count(rows, |r| r.delivered_bytes)),
        ("sent_segments", count(rows, |r| r.sender.sent_segments)),
        ("sent_bytes", count(rows, |r| r.sent_bytes)),
        ("acknowledged_segments", count(rows, |r| u64::from(r.acknowledged))),
        ("received_segments", count(rows, |r| r.receiver.received_segments)),
        ("duplicate_segments", count(rows, |r| r.receiver.duplicate_segments)),
        ("retransmitted_segments", count(rows, |r| r.sender.retransmitted_segments)),
        ("timeouts", count(rows, |r| r.sender.timeouts)),
        ("fast_retransmits", count(rows, |r| r.sender.fast_retransmits)),
        ("window_cuts", count(rows, |r| r.sender.window_cuts)),
        ("window_probes", count(rows, |r| r.sender.window_probes)),
        ("judged_random", count(rows, |r| r.sender.judged_random)),
        ("congestion_judged_congestion", count(rows, |r| r.judgements.congestion_as_congestion)),
        ("congestion_judged_random", count(rows, |r| r.judgements.congestion_as_random)),
        ("random_judged_congestion", count(rows, |r| r.judgements.random_as_congestion)),
        ("random_judged_random", count(rows, |r| r.judgements.random_as_random)),
        ("judged_not_lost", count(rows, |r| r.judgements.not_lost)),
    ];
    columns.extend(by_cause(rows, |cause| cause.column, |r| &r.lost));
    columns.extend([
        ("in_flight_segments", count(rows, |r| r.in_flight)),
        ("acks_sent", count(rows, |r| r.acks_sent)),
        ("acks_received", count(rows, |r| r.acks_received)),
    ]);
    columns.extend(by_cause(rows, |cause| cause.ack_column, |r| &r.acks_lost));
    columns.extend([
        ("acks_in_flight", count(rows, |r| r.acks_in_flight)),
        ("marks", count(rows, |r| r.sender.marks)),
        ("loss_events", count(rows, |r| r.loss_events)),
        ("srtt_mean_s", number(rows, |r| ratio(r.sender.rtt_sum, r.sender.rtt_samples as f64))),
        ("rtt_min_s", number(rows, |r| seconds(r.rtt_min))),
        ("rtt_max_s", number(rows, |r| seconds(r.sender.rtt_max))),
        ("rtt_samples", count(rows, |r| r.sender.rtt_samples)),
        ("owd_mean_s", number(rows, |r| ratio(r.receiver.delay_sum, new_segments(r)))),
        ("owd_max_s", number(rows, |r| r.delay_max.map_or(f64::NAN, Span::secs))),
        ("jitter_s", number(rows, |r| r.jitter_s.unwrap_or(f64::NAN))),
        ("queue_delay_mean_s", number(rows, |r| r.delays.as_ref().and_then(Delays::mean_s).unwrap_or(f64::NAN))),
        ("queue_delay_p50_s", number(rows, |r| quantile(r, 0.5))),
        ("queue_delay_p95_s", number(rows, |r| quantile(r, 0.95))),
        ("queue_delay_p99_s", number(rows, |r| quantile(r, 0.99))),
        ("cwnd_mean_segments", number(rows, cwnd_mean)),
        ("reorder_max_segments", number(rows, |r| r.reorder_max.map_or(f64::NAN, f64::from))),
        ("completion_s", number(rows, |r| completion(r).unwrap_or(f64::NAN))),
    ]);
    Table(columns)
}

fn links(plan: &Plan, network: &Network, results: &Results) -> Table {
    let rows = &results.links[..];
    let run = plan.general.duration.secs();
    let spec = |row: &net::LinkResult| {
        let link = &network.links[row.link];
        if row.reverse { &link.reverse } else { &link.forward }
    };
    let mut columns = vec![
        ("link", words(rows, |r| network.links[r.link].name.as_str())),
        ("direction", words(rows, |r| direction(r.reverse))),
        ("offered_packets", count(rows, |r| r.stats.offered_packets)),
        ("offered_bytes", count(rows, |r| r.stats.offered_bytes)),
        ("transmitted_packets", count(rows, |r| r.stats.transmitted_packets)),
        ("transmitted_bytes", count(rows, |r| r.stats.transmitted_bytes)),
        ("delivered_packets", count(rows, |r| r.stats.delivered_packets)),
        ("delivered_bytes", count(rows, |r| r.stats.delivered_bytes)),
    ];
    columns.extend(by_cause(rows, |cause| cause.column, |r| &r.stats.losses));
    columns.extend([
        ("in_flight_packets", count(rows, |r| r.stats.in_flight_packets)),
        ("marked_packets", count(rows, |r| r.stats.marked_packets)),
        ("queue_mean_packets", number(rows, |r| ratio(r.stats.queue_integral, run))),
        ("queue_max_packets", count(rows, |r| u64::from(r.stats.queue_max))),
        ("utilisation", number(rows, |r| r.stats.utilisation)),
        ("bad_packets_share", number(rows, |r| r.stats.bad_time.map_or(f64::NAN, |bad| bad.packets_share))),
        ("bad_time_share", number(rows, |r| r.stats.bad_time.map_or(f64::NAN, |bad| bad.time_share))),
        ("rate_bps", number(rows, |r| spec(r).rate_bps as f64)),
        ("delay_s", number(rows, |r| spec(r).delay.secs())),
    ]);
    Table(columns)
}

/// Name in the tables of what a trace belongs to.
fn subject(network: &Network, point: &TracePoint) -> String {
    let name = match point.variable {
        Variable::Queue => &network.links[point.subject].name,
        _ => &network.flows[point.subject].name,
    };
    if point.reverse { format!("{name}:reverse") } else { name.clone() }
}

/// Traces one series after the other: by variable, then flow or link, then time.
fn traces(plan: &Plan, network: &Network, results: &Results) -> Table {
    let mut series: BTreeMap<(usize, usize, bool), Vec<TracePoint>> = BTreeMap::new();
    for point in &results.traces {
        series.entry((point.variable as usize, point.subject, point.reverse)).or_default().push(*point);
    }
    let rows: Vec<TracePoint> = match plan.output.step {
        None => series.into_values().flatten().collect(),
        Some(step) => series.values().flat_map(|points| on_grid(points, step, plan.general.duration)).collect(),
    };
    let rows = &rows[..];
    Table(vec![
        ("time_s", number(rows, |r| r.at.secs())),
        ("subject", words(rows, |r| subject(network, r))),
        ("variable", words(rows, |r| output::series(r.variable).column)),
        ("value", number(rows, |r| r.value)),
    ])
}

/// A series on an even grid from its first value on; each point has the last value at or before it.
fn on_grid(points: &[TracePoint], step: Span, duration: Span) -> Vec<TracePoint> {
    let mut grid = Vec::new();
    let mut at = 0;
    for tick in 0..=duration.0 / step.0 {
        let now = Time(tick * step.0);
        while points.get(at + 1).is_some_and(|next| next.at <= now) {
            at += 1;
        }
        if let Some(last) = points.get(at).filter(|point| point.at <= now) {
            grid.push(TracePoint { at: now, ..*last });
        }
    }
    grid
}

fn events(network: &Network, results: &Results) -> Table {
    let rows = &results.events[..];
    let kind = |event: &net::FlowEvent| window_event(event.event.why);
    let truth = |event: &net::FlowEvent| match kind(event).of_segment {
        true => event.true_cause.map_or(NOT_LOST, |cause| cause.about().name),
        false => "",
    };
    Table(vec![
        ("time_s", number(rows, |r| r.event.at.secs())),
        ("flow", words(rows, |r| network.flows[r.flow].name.as_str())),
        ("direction", words(rows, |r| direction(r.reverse))),
        ("kind", words(rows, |r| kind(r).name)),
        ("cwnd_before_segments", number(rows, |r| r.event.cwnd_before)),
        ("cwnd_after_segments", number(rows, |r| r.event.cwnd_after)),
        ("ssthresh_after_segments", number(rows, |r| r.event.ssthresh_after)),
        ("segment", count(rows, |r| u64::from(r.event.segment))),
        ("true_cause", words(rows, truth)),
    ])
}

fn losses(network: &Network, results: &Results) -> Table {
    let rows = &results.losses[..];
    let segments = rows.iter().map(|r| r.segment.map_or(-1, i64::from)).collect();
    Table(vec![
        ("time_s", number(rows, |r| r.at.secs())),
        ("link", words(rows, |r| network.links[r.link].name.as_str())),
        ("direction", words(rows, |r| direction(r.link_reverse))),
        ("flow", words(rows, |r| network.flows[r.flow].name.as_str())),
        ("flow_direction", words(rows, |r| direction(r.flow_reverse))),
        ("segment", Column::I64(segments)),
        ("is_ack", count(rows, |r| u64::from(r.segment.is_none()))),
        ("cause", words(rows, |r| r.cause.about().name)),
    ])
}

fn tapes(network: &Network, results: &Results) -> Table {
    let rows = &results.tapes[..];
    Table(vec![
        ("flow", words(rows, |r| network.flows[r.flow].name.as_str())),
        ("direction", words(rows, |r| direction(r.reverse))),
        ("tape", words(rows, |r| r.text.clone())),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(at: f64, value: f64) -> TracePoint {
        TracePoint { at: Time::from_secs(at), subject: 0, reverse: false, variable: Variable::Cwnd, value }
    }

    #[test]
    fn a_grid_holds_the_last_value() {
        let points = [point(0.5, 1.0), point(1.0, 2.0), point(1.2, 3.0), point(9.0, 4.0)];
        let grid = on_grid(&points, Span::from_secs(1.0), Span::from_secs(3.5));
        assert_eq!(grid, [point(1.0, 2.0), point(2.0, 3.0), point(3.0, 3.0)]);
        assert_eq!(on_grid(&[], Span::from_secs(1.0), Span::from_secs(3.0)), []);
    }

    #[test]
    fn nothing_divided_by_nothing_is_missing() {
        assert!(ratio(0.0, 0.0).is_nan());
        assert_eq!(ratio(1.0, 2.0), 0.5);
    }
}
