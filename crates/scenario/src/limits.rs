//! What is too much.

use units::Span;

/// Most flows, pairs of hosts, nodes or links.
pub(crate) const FLOWS: usize = 100_000;
/// Most points of a sweep.
pub(crate) const POINTS: usize = 1_000_000;
/// Keys that are no part of a run's description, and so no axis.
pub(crate) const FIXED: &[&str] =
    &["scenario.name", "scenario.seeds", "scenario.first_seed", "output", "sweep", "measured"];
/// Most seeds.
pub(crate) const SEEDS: u64 = 1_000_000;
/// Longest text, bytes.
pub(crate) const TEXT: usize = 16 << 20;
/// Longest run: thirty days. Nanoseconds of it are exact in `f64`.
pub(crate) const DURATION: Span = Span(30 * 24 * 3_600_000_000_000);
/// Most values of traces on an even grid.
pub(crate) const SAMPLES: u64 = 10_000_000;
