//! What a run may need of the machine, and what it needs at most.

use net::Estimate;
use serde_json::{Value as Json, json};

use crate::decode::plan::Plan;
use crate::error::{Place, Problem, code};

/// What a run may need.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Memory, bytes; `None`: any.
    pub memory_bytes: Option<f64>,
    /// Processor time, seconds; `None`: any.
    pub seconds: Option<f64>,
}

impl Limits {
    /// A problem if more is needed.
    pub(crate) fn check(&self, estimate: &Estimate) -> Result<(), Problem> {
        let (memory, seconds) = (estimate.memory_bytes(), estimate.seconds);
        if let Some(most) = self.memory_bytes.filter(|most| memory > *most) {
            let what = format!(
                "needs up to {} of memory ({}), and {} are allowed",
                bytes_text(memory),
                parts(estimate),
                bytes_text(most)
            );
            let hint = format!("{}, or allow it: `--max-memory {}`", instead(estimate), option_bytes(memory));
            return Err(Problem::new(code::TOO_LARGE, Place::Nowhere, format!("the run {what}")).hint(hint));
        }
        if let Some(most) = self.seconds.filter(|most| seconds > *most) {
            let what = format!(
                "the run would take up to {} ({:.2e} packets), and {} is allowed",
                time_text(seconds),
                estimate.packets,
                time_text(most)
            );
            let hint = format!("make it shorter, or links slower, or allow it: `--max-time {}`", option_time(seconds));
            return Err(Problem::new(code::TOO_LONG_RUN, Place::Nowhere, what).hint(hint));
        }
        Ok(())
    }
}

/// What the memory is for, the largest part first.
fn parts(estimate: &Estimate) -> String {
    let mut all = [
        (estimate.network_bytes, "flows and links"),
        (estimate.packet_bytes, "packets under way"),
        (estimate.record_bytes, "what is recorded"),
    ];
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let large = all.iter().filter(|(bytes, _)| *bytes >= 0.01 * estimate.memory_bytes());
    large.map(|(bytes, what)| format!("{what} {}", bytes_text(*bytes))).collect::<Vec<_>>().join(", ")
}

/// What to change about the largest part.
fn instead(estimate: &Estimate) -> &'static str {
    let Estimate { network_bytes, packet_bytes, record_bytes, .. } = *estimate;
    if record_bytes >= network_bytes.max(packet_bytes) {
        "record less, or give `output.trace_step`"
    } else if packet_bytes >= network_bytes {
        "make queues or windows smaller"
    } else {
        "simulate fewer flows on the same share of the rate"
    }
}

fn bytes_text(bytes: f64) -> String {
    match bytes {
        b if b >= 1e15 => format!("{:.2e} GB", b / 1e9),
        b if b >= 1e9 => format!("{:.3} GB", b / 1e9),
        b => format!("{:.1} MB", b / 1e6),
    }
}

fn option_bytes(bytes: f64) -> String {
    format!("{}GB", (bytes / 1e9).ceil().max(1.0))
}

fn time_text(seconds: f64) -> String {
    match seconds {
        s if s >= 2.0 * 86_400.0 => format!("{:.4} days", s / 86_400.0),
        s if s >= 7_200.0 => format!("{:.1} hours", s / 3600.0),
        s if s >= 120.0 => format!("{:.1} minutes", s / 60.0),
        s => format!("{s:.2} s"),
    }
}

fn option_time(seconds: f64) -> String {
    let hours = seconds / 3600.0;
    if hours > 48.0 { format!("{}d", (hours / 24.0).ceil()) } else { format!("{}h", hours.ceil().max(1.0)) }
}

impl Plan {
    /// `packets` that leave hosts, `packet_hops`, `records` (values over time, losses, window changes), `memory_bytes`
    /// with its parts, and `seconds` of the processor: all at most, for one run.
    pub(crate) fn estimate(&self) -> Json {
        let estimate = self.typical().0.estimate(&self.recorded());
        json!({
            "packets": estimate.packets,
            "packet_hops": estimate.packet_hops,
            "records": estimate.records,
            "memory_bytes": estimate.memory_bytes(),
            "network_bytes": estimate.network_bytes,
            "packet_bytes": estimate.packet_bytes,
            "record_bytes": estimate.record_bytes,
            "seconds": estimate.seconds,
        })
    }
}
