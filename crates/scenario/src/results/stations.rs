//! The table of stations: what each did on its medium.

use net::{Network, Results, StationResult};
use units::Span;
use wlan::StationStats;

use super::columns::{by_cause, count, number, ratio, words};
use crate::absence::{self, Absence};
use crate::decode::plan::Plan;
use crate::table::Table;

/// A station and what its MAC did after the warm-up.
struct Row<'a> {
    all: &'a StationResult,
    mac: StationStats,
    /// When it was out of reach of those that it talks to.
    apart: Absence,
    /// How many nodes its longest hop passes over.
    passed_over: usize,
}

/// One row per station and medium. What the MAC counts is counted after the warm-up; queues and the delay of the
/// MAC over the whole run.
pub(super) fn stations(plan: &Plan, network: &Network, results: &Results) -> Table {
    let passed_over = plan.topology.passed_over();
    let node = |row: &StationResult| network.media[row.medium].stations[row.station].node;
    let media = plan.topology.media();
    let apart: Vec<_> = media.iter().map(|medium| absence::of_stations(medium, plan.general.duration)).collect();
    let rows: Vec<Row<'_>> = results
        .stations
        .iter()
        .map(|all| Row {
            all,
            mac: all.mac.since(&all.mac_before),
            apart: apart[all.medium][all.station],
            passed_over: passed_over.get(node(all)).copied().unwrap_or(0),
        })
        .collect();
    let rows = &rows[..];
    let run = plan.general.duration.secs();
    let measured = (plan.general.duration - plan.general.warmup).secs();
    let role = |r: &Row<'_>| match media[r.all.medium].access_points.contains(&r.all.station) {
        true => "access-point",
        false => "station",
    };
    let share = |of: fn(&StationStats) -> Span| number(rows, move |r| ratio(of(&r.mac).secs(), measured));
    let mut columns = vec![
        ("medium", words(rows, |r| network.media[r.all.medium].channel.name.as_str())),
        ("station", words(rows, |r| network.nodes[node(r.all)].as_str())),
        ("role", words(rows, role)),
        ("attempts", count(rows, |r| r.mac.attempts)),
        ("retries", count(rows, |r| r.mac.retries)),
        ("unanswered_frames", count(rows, |r| r.mac.failures)),
        ("acked_packets", count(rows, |r| r.mac.acked)),
        ("mac_dropped_packets", count(rows, |r| r.mac.dropped)),
        ("collided_frames", count(rows, |r| r.mac.collided)),
        ("deaf_frames", count(rows, |r| r.mac.deaf)),
        ("weak_frames", count(rows, |r| r.mac.weak)),
        ("errored_frames", count(rows, |r| r.mac.errored)),
        ("received_packets", count(rows, |r| r.mac.received)),
        ("duplicate_frames", count(rows, |r| r.mac.duplicates)),
        ("lost_above_packets", count(rows, |r| r.mac.lost_above)),
        ("data_frames", count(rows, |r| r.mac.data_sent)),
        ("rate_mean_bps", number(rows, |r| ratio(1e3 * r.mac.data_kbps as f64, r.mac.data_sent as f64))),
        ("airtime_share", share(|mac| mac.airtime.total())),
        ("airtime_rts_share", share(|mac| mac.airtime.rts)),
        ("airtime_cts_share", share(|mac| mac.airtime.cts)),
        ("airtime_data_share", share(|mac| mac.airtime.data)),
        ("airtime_ack_share", share(|mac| mac.airtime.ack)),
        ("busy_share", share(|mac| mac.busy)),
        ("mac_delay_mean_s", number(rows, |r| ratio(r.all.sojourn.secs(), r.all.delivered_packets as f64))),
        ("service_mean_s", number(rows, |r| ratio(r.mac.service.secs(), (r.mac.acked + r.mac.dropped) as f64))),
        ("offered_packets", count(rows, |r| r.all.offered_packets)),
    ];
    columns.extend(by_cause(rows, |cause| cause.column, |r| &r.all.queue_drops));
    columns.extend([
        ("in_flight_packets", count(rows, |r| r.all.in_flight_packets)),
        ("marked_packets", count(rows, |r| r.all.marked_packets)),
        ("queue_mean_packets", number(rows, |r| ratio(r.all.queue_integral, run))),
        ("queue_max_packets", count(rows, |r| u64::from(r.all.queue_max))),
        ("out_of_reach_s", number(rows, |r| r.apart.secs)),
        ("out_of_reach_since_s", number(rows, |r| r.apart.since)),
        ("passed_over_nodes", count(rows, |r| r.passed_over as u64)),
    ]);
    Table(columns)
}
