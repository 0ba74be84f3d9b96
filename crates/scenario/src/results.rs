//! What a run measured, as tables.

mod columns;
mod flows;
mod stations;

use std::collections::BTreeMap;

use net::{LaneStats, Network, Results, TracePoint, Variable};
use units::{Span, Time};

use crate::absence::{self, Absence};
use crate::decode::output;
use crate::decode::plan::Plan;
use crate::names::{NOT_LOST, window_event};
use crate::table::{Column, Table};
use columns::{by_cause, count, direction, number, ratio, words};
use flows::flows;
use stations::stations;

/// The tables of a run, and what it cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunResult {
    /// One row per flow and direction with data.
    pub flows: Table,
    /// One row per link and direction.
    pub links: Table,
    /// One row per station and radio medium.
    pub stations: Table,
    /// Values over time, if asked for.
    pub traces: Table,
    /// Window changes with the true cause behind them, if asked for.
    pub events: Table,
    /// Lost packets, if events are asked for.
    pub losses: Table,
    /// What each sender's algorithm was told and answered, if asked for: a tape (crate `tape`) for each flow and
    /// direction.
    pub tapes: Table,
    /// Events that the loop handled.
    pub loop_events: u64,
    /// Packets that crossed a link.
    pub packet_hops: u64,
}

/// Every table of a run.
/// `groups` has the number of each flow's group.
pub(crate) fn tables(plan: &Plan, network: &Network, groups: &[usize], mut results: Results) -> RunResult {
    let recorded = std::mem::take(&mut results.traces);
    let results = &mut results;
    RunResult {
        flows: flows(plan, network, groups, results),
        links: links(plan, network, results),
        stations: stations(plan, network, results),
        traces: traces(plan, network, recorded),
        events: events(network, std::mem::take(&mut results.events)),
        losses: losses(network, std::mem::take(&mut results.losses)),
        tapes: tapes(network, std::mem::take(&mut results.tapes)),
        loop_events: results.loop_events,
        packet_hops: results.packet_hops,
    }
}

fn links(plan: &Plan, network: &Network, results: &Results) -> Table {
    let rows = &results.links[..];
    let run = plan.general.duration.secs();
    let spec = |row: &net::LinkResult| {
        let link = &network.links[row.link];
        if row.reverse { &link.reverse } else { &link.forward }
    };
    let absences = mobile_absences(plan);
    let absence = |row: &net::LinkResult, value: fn(&Absence) -> f64| absences.get(&row.link).map_or(f64::NAN, value);
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
        ("l4s_packets", number(rows, |r| lane(r, 0, |lane| lane.packets as f64))),
        ("l4s_marked_packets", number(rows, |r| lane(r, 0, |lane| lane.marked as f64))),
        ("l4s_dropped_packets", number(rows, |r| lane(r, 0, |lane| lane.dropped as f64))),
        ("l4s_wait_mean_s", number(rows, |r| lane(r, 0, mean_wait))),
        ("l4s_wait_max_s", number(rows, |r| lane(r, 0, |lane| lane.longest.secs()))),
        ("classic_packets", number(rows, |r| lane(r, 1, |lane| lane.packets as f64))),
        ("classic_marked_packets", number(rows, |r| lane(r, 1, |lane| lane.marked as f64))),
        ("classic_dropped_packets", number(rows, |r| lane(r, 1, |lane| lane.dropped as f64))),
        ("classic_wait_mean_s", number(rows, |r| lane(r, 1, mean_wait))),
        ("classic_wait_max_s", number(rows, |r| lane(r, 1, |lane| lane.longest.secs()))),
        ("queue_mean_packets", number(rows, |r| ratio(r.stats.queue_integral, run))),
        ("queue_max_packets", count(rows, |r| u64::from(r.stats.queue_max))),
        ("utilisation", number(rows, |r| r.stats.utilisation)),
        ("bad_packets_share", number(rows, |r| r.stats.bad_time.map_or(f64::NAN, |bad| bad.packets_share))),
        ("bad_time_share", number(rows, |r| r.stats.bad_time.map_or(f64::NAN, |bad| bad.time_share))),
        ("rate_bps", number(rows, |r| spec(r).rate_bps as f64)),
        ("delay_s", number(rows, |r| spec(r).delay.secs())),
        ("out_of_coverage_s", number(rows, |r| absence(r, |absence| absence.secs))),
        ("out_of_coverage_since_s", number(rows, |r| absence(r, |absence| absence.since))),
    ]);
    Table(columns)
}

/// A count of one of the two queues of DualPI2; no number where there are not two.
fn lane(row: &net::LinkResult, which: usize, value: fn(&LaneStats) -> f64) -> f64 {
    row.stats.lanes.map_or(f64::NAN, |lanes| value(&lanes[which]))
}

/// Of what was served, seconds.
fn mean_wait(lane: &LaneStats) -> f64 {
    if lane.packets == 0 { f64::NAN } else { lane.waited.secs() / lane.packets as f64 }
}

/// When mobiles are without coverage, by number of the link to each.
fn mobile_absences(plan: &Plan) -> BTreeMap<usize, Absence> {
    let of = |spec: net::CellularSpec| {
        let absences = absence::of_mobiles(&spec, plan.general.duration);
        spec.mobiles.into_iter().map(|mobile| mobile.link).zip(absences).collect::<Vec<_>>()
    };
    plan.topology.cellular().into_iter().flat_map(of).collect()
}

/// Name in the tables of what a trace belongs to.
fn subject(network: &Network, point: &TracePoint) -> String {
    let name = match point.variable {
        Variable::Queue | Variable::Airtime if point.subject >= network.links.len() => {
            return station_name(network, point.subject - network.links.len());
        }
        Variable::Queue | Variable::Serving | Variable::Snr => &network.links[point.subject].name,
        _ => &network.flows[point.subject].name,
    };
    if point.reverse { format!("{name}:reverse") } else { name.clone() }
}

/// Name in the tables of a station: its node's, with the medium's where the node has several.
fn station_name(network: &Network, number: usize) -> String {
    let mut stations = network.media.iter().flat_map(|medium| medium.stations.iter().map(move |s| (medium, s.node)));
    let all = stations.clone();
    let (medium, node) = stations.nth(number).expect("traced stations are of the network");
    match all.filter(|(_, other)| *other == node).count() {
        1 => network.nodes[node].clone(),
        _ => format!("{}/{}", medium.channel.name, network.nodes[node]),
    }
}

/// Traces one series after the other: by variable, then flow or link, then time.
fn traces(plan: &Plan, network: &Network, mut rows: Vec<TracePoint>) -> Table {
    let series = |point: &TracePoint| (point.variable as usize, point.subject, point.reverse);
    rows.sort_by_key(series); // stable: each stays in the order of time
    if let Some(step) = plan.output.step {
        let all = rows.chunk_by(|a, b| series(a) == series(b));
        rows = all.flat_map(|points| on_grid(points, step, plan.general.duration)).collect();
    }
    let rows = &rows[..];
    Table(vec![
        ("time_s", number(rows, |r| r.at.secs())),
        ("subject", words(rows, |r| subject(network, r))),
        ("variable", words(rows, |r| output::series(r.variable).column)),
        ("value", number(rows, |r| r.value)),
    ])
}

/// A series on an even grid from its first value on; each point has the last value at or before it. A value for each
/// packet is none that lasts, and stays as it is.
fn on_grid(points: &[TracePoint], step: Span, duration: Span) -> Vec<TracePoint> {
    if points.first().is_some_and(|point| output::series(point.variable).of_packets()) {
        return points.to_vec();
    }
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

fn events(network: &Network, rows: Vec<net::FlowEvent>) -> Table {
    let rows = &rows[..];
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

fn losses(network: &Network, rows: Vec<net::Loss>) -> Table {
    let rows = &rows[..];
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

fn tapes(network: &Network, rows: Vec<net::FlowTape>) -> Table {
    let rows = &rows[..];
    Table(vec![
        ("flow", words(rows, |r| network.flows[r.flow].name.as_str())),
        ("direction", words(rows, |r| direction(r.reverse))),
        ("tape", words(rows, |r| r.text.as_str())),
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
        let points = vec![point(0.5, 1.0), point(1.0, 2.0), point(1.2, 3.0), point(9.0, 4.0)];
        let grid = on_grid(&points, Span::from_secs(1.0), Span::from_secs(3.5));
        assert_eq!(grid, [point(1.0, 2.0), point(2.0, 3.0), point(3.0, 3.0)]);
        assert_eq!(on_grid(&[], Span::from_secs(1.0), Span::from_secs(3.0)), []);
    }
}
