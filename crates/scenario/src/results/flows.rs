//! The table of flows.

use std::borrow::Cow;
use std::ops::Deref;

use net::{Delays, FlowResult, FlowSpec, Network, Results};
use tcp::Limits;
use units::{Span, Time};

use super::columns::{by_cause, count, direction, number, ratio, seconds, words};
use crate::decode::plan::Plan;
use crate::names::{MULTIPATH, SUBFLOW};
use crate::table::{Column, Table};

/// A quantile of a flow's queueing delays, or NaN where they were not recorded.
fn quantile(row: &net::FlowResult, share: f64) -> f64 {
    row.delays.as_ref().and_then(|delays| delays.quantile(share)).map_or(f64::NAN, Span::secs)
}

/// Data segments that arrived for the first time.
fn new_segments(row: &net::FlowResult) -> f64 {
    (row.receiver.received_segments - row.receiver.duplicate_segments) as f64
}

/// Seconds that a transfer of given size took until this, if it came to that.
fn took(row: &net::FlowResult, at: Option<Time>) -> Option<f64> {
    at.map(|at| at.since(row.start).secs())
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
            let place = results.flows.partition_point(|r| r.flow < first);
            let parts = results.flows[place..].iter().take_while(|r| r.flow <= last);
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

/// The part of a run that is measured.
struct Window {
    warm: Time,
    end: Time,
}

impl Window {
    /// Seconds that count: from the start or the end of the warm-up to the end of the run, or of one that stopped after
    /// the warm-up to the arrival of the last that it had to send. A transfer that ended has a time of its own, in
    /// which it sent everything: what it got in the rest of the run says nothing.
    fn active(&self, row: &FlowRow<'_>) -> f64 {
        let stop = row.spec.stop.filter(|stop| *stop > self.warm);
        let end = stop.map_or(self.end, |stop| stop.max(row.last_arrival).min(self.end));
        took(row, row.completed).unwrap_or_else(|| end.since(row.start.max(self.warm)).secs())
    }

    /// Bits per second of its own time, of `all` bytes if it ended, else of those that were `measured`.
    fn rate(&self, row: &FlowRow<'_>, all: u64, measured: u64) -> f64 {
        let bytes = if row.completed.is_some() { all } else { measured };
        ratio(bits(bytes), self.active(row))
    }

    fn goodput(&self, row: &FlowRow<'_>) -> f64 {
        self.rate(row, row.delivered_bytes, row.measured_bytes)
    }

    fn throughput(&self, row: &FlowRow<'_>) -> f64 {
        self.rate(row, row.arrived_bytes, row.measured_arrived_bytes)
    }

    /// Goodput over the whole time that is measured.
    fn goodput_run(&self, row: &FlowRow<'_>) -> f64 {
        match row.completed {
            Some(at) if at <= self.warm => f64::NAN, // it has no part in what is measured
            _ => ratio(bits(row.measured_bytes), self.end.secs() - self.warm.secs()),
        }
    }

    /// The mean window from the opening of the connection or the end of the warm-up to the end of the run.
    fn cwnd_mean(&self, row: &FlowRow<'_>) -> f64 {
        match (&row.spec.transport, row.sender.opened) {
            (net::Transport::Tcp(_), Some(opened)) => {
                let measured = row.sender.cwnd_integral - row.cwnd_integral_before;
                ratio(measured, self.end.since(opened.max(self.warm)).secs())
            }
            _ => f64::NAN, // a transport without a window has none, nor has a connection that never opened
        }
    }

    /// For how long each limit of a connection held; none if it never opened, or if its subflows have limits of their
    /// own. One that has ended waits for no application.
    fn limits(&self, row: &FlowRow<'_>) -> Option<Limits> {
        let is_one = matches!(row.spec.transport, net::Transport::Tcp(_)) && row.transport != MULTIPATH;
        row.sender.opened.filter(|_| is_one)?;
        let ended = row.known.or(row.spec.stop.filter(|at| *at < self.end)).unwrap_or(self.end);
        let limits = row.sender.limits;
        Some(Limits { application: limits.application - self.end.since(ended), ..limits })
    }

    /// 1 if a connection ended in the slow start that it began with, else 0.
    fn never_left_slow_start(&self, row: &FlowRow<'_>) -> f64 {
        self.limits(row).map_or(f64::NAN, |_| f64::from(u8::from(row.sender.never_left_slow_start)))
    }

    /// Seconds of one of them.
    fn limited(&self, row: &FlowRow<'_>, of: fn(&Limits) -> Span) -> f64 {
        self.limits(row).map_or(f64::NAN, |limits| of(&limits).secs())
    }
}

fn bits(bytes: u64) -> f64 {
    bytes as f64 * 8.0
}

/// Names of the nodes from which data leave, and at which they arrive.
fn ends<'a>(row: &FlowRow<'_>, network: &'a Network) -> (&'a str, &'a str) {
    let (from, to) = (&network.nodes[row.spec.from], &network.nodes[row.spec.to]);
    if row.reverse { (to, from) } else { (from, to) }
}

/// One row per flow and direction with data.
pub(super) fn flows(plan: &Plan, network: &Network, groups: &[usize], results: &Results) -> Table {
    let rows = &flow_rows(plan, network, groups, results)[..];
    let window = Window { warm: Time(plan.general.warmup.0), end: Time(plan.general.duration.0) };
    let mut columns = about(rows, network, &window);
    columns.extend(data(rows, &window));
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
        ("marked_segments", count(rows, |r| r.receiver.marked_segments)),
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
        ("air_delay_mean_s", number(rows, |r| ratio(r.air_delay.secs(), r.air_hops as f64))),
        ("cwnd_mean_segments", number(rows, |r| window.cwnd_mean(r))),
        ("cwnd_limited_s", number(rows, |r| window.limited(r, |limits| limits.cwnd))),
        ("rwnd_limited_s", number(rows, |r| window.limited(r, |limits| limits.rwnd))),
        ("application_limited_s", number(rows, |r| window.limited(r, |limits| limits.application))),
        ("pacing_limited_s", number(rows, |r| window.limited(r, |limits| limits.pacing))),
        ("never_left_slow_start", number(rows, |r| window.never_left_slow_start(r))),
        ("reorder_max_segments", number(rows, |r| r.reorder_max.map_or(f64::NAN, f64::from))),
        ("completion_s", number(rows, |r| took(r, r.completed).unwrap_or(f64::NAN))),
        ("completion_acked_s", number(rows, |r| took(r, r.known).unwrap_or(f64::NAN))),
        ("recorded_until_s", number(rows, |_| results.recorded_until.map_or(f64::NAN, Time::secs))),
    ]);
    Table(columns)
}

type Named = (&'static str, Column);

/// What the flow is.
fn about(rows: &[FlowRow<'_>], network: &Network, window: &Window) -> Vec<Named> {
    vec![
        ("flow", words(rows, |r| r.name)),
        ("group", words(rows, |r| &*r.group)),
        ("direction", words(rows, |r| direction(r.reverse))),
        ("transport", words(rows, |r| r.transport)),
        ("algorithm", words(rows, |r| r.algorithm)),
        ("from", words(rows, |r| ends(r, network).0)),
        ("to", words(rows, |r| ends(r, network).1)),
        ("start_s", number(rows, |r| r.start.secs())),
        ("stop_s", number(rows, |r| r.spec.stop.filter(|at| *at < window.end).map_or(f64::NAN, Time::secs))),
        ("opened_s", number(rows, |r| r.sender.opened.map_or(f64::NAN, Time::secs))),
        ("active_s", number(rows, |r| window.active(r))),
        ("size_bytes", number(rows, |r| r.size.map_or(f64::NAN, |bytes| bytes as f64))),
    ]
}

/// What became of its data, and how the sender judged losses.
fn data(rows: &[FlowRow<'_>], window: &Window) -> Vec<Named> {
    vec![
        ("goodput_bps", number(rows, |r| window.goodput(r))),
        ("goodput_run_bps", number(rows, |r| window.goodput_run(r))),
        ("throughput_bps", number(rows, |r| window.throughput(r))),
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
        ("tail_probes", count(rows, |r| r.sender.tail_probes)),
        ("undone_cuts", count(rows, |r| r.sender.undone)),
        ("judged_random", count(rows, |r| r.sender.judged_random)),
        ("congestion_judged_congestion", count(rows, |r| r.judgements.congestion_as_congestion)),
        ("congestion_judged_random", count(rows, |r| r.judgements.congestion_as_random)),
        ("random_judged_congestion", count(rows, |r| r.judgements.random_as_congestion)),
        ("random_judged_random", count(rows, |r| r.judgements.random_as_random)),
        ("judged_not_lost", count(rows, |r| r.judgements.not_lost)),
    ]
}
