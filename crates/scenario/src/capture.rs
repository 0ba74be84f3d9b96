//! A run whose packets are kept as they pass points of the network.

use ::capture::{Keep, pieces, point_name};
use net::{CaptureSpec, Captured, Network, TapPoint};
use serde_json::{Value as Json, json};

use crate::decode::plan::Plan;
use crate::error::{Error, Place, Problem, choose, code, show};
use crate::results::{self, RunResult};
use crate::run::{self, RunError, RunOptions};

/// What of a run's packets is wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Points: `sender`, `receiver`, `before:LINK`, `after:LINK`.
    pub points: Vec<String>,
    /// Flows, `*` for any letters; none: all.
    pub flows: Vec<String>,
    /// Most records.
    pub limit: usize,
}

/// A run with its packets.
#[derive(Debug)]
pub struct Capture {
    network: Network,
    spec: CaptureSpec,
    captured: Captured,
    about: String,
    /// The tables of the run.
    pub tables: RunResult,
}

/// Whether a text is like a pattern, in which `*` stands for any letters.
fn is_like(text: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => text == pattern,
        Some((head, rest)) => text.strip_prefix(head).is_some_and(|left| {
            left.char_indices().map(|(at, _)| at).chain([left.len()]).any(|at| is_like(&left[at..], rest))
        }),
    }
}

/// The point of this name.
fn point(network: &Network, name: &str) -> Result<TapPoint, Problem> {
    let hosts = [("sender", TapPoint::Senders), ("receiver", TapPoint::Receivers)];
    if let Some((_, point)) = hosts.iter().find(|(word, _)| *word == name) {
        return Ok(*point);
    }
    let unknown = |what: String, hint: String| Problem::new(code::UNKNOWN_POINT, Place::Nowhere, what).hint(hint);
    let (far, link) = match name.split_once(':') {
        Some(("before", link)) => (false, link),
        Some(("after", link)) => (true, link),
        _ => {
            let hint = "write `sender`, `receiver`, `before:LINK` or `after:LINK`".to_owned();
            return Err(unknown(format!("no point `{}`", show(name)), hint));
        }
    };
    let names = network.links.iter().map(|link| link.name.as_str());
    match network.links.iter().position(|known| known.name == link) {
        Some(link) => Ok(TapPoint::Link { link, far }),
        None => Err(unknown(format!("no link `{}`", show(link)), choose(link, names))),
    }
}

/// For each flow whether its packets are wanted.
fn chosen(network: &Network, patterns: &[String]) -> Result<Vec<bool>, Problem> {
    let names = || network.flows.iter().map(|flow| flow.name.as_str());
    if let Some(pattern) = patterns.iter().find(|pattern| !names().any(|name| is_like(name, pattern))) {
        let what = format!("no flow `{}`", show(pattern));
        return Err(Problem::new(code::NO_PACKETS, Place::Nowhere, what).hint(choose(pattern, names())));
    }
    let wanted = |name: &str| patterns.is_empty() || patterns.iter().any(|pattern| is_like(name, pattern));
    Ok(names().map(wanted).collect())
}

impl Capture {
    pub(crate) fn make(
        plan: &Plan,
        seed: u64,
        name: &str,
        file: &str,
        wanted: &Wanted,
        options: &RunOptions<'_>,
    ) -> Result<Capture, RunError> {
        let (network, groups) = plan.build(seed);
        let refused = |problem: Problem| -> Error { problem.locate(file, &[]) };
        let mut points = Vec::new();
        for name in &wanted.points {
            let point = point(&network, name).map_err(refused)?;
            if !points.contains(&point) {
                points.push(point);
            }
        }
        let flows = chosen(&network, &wanted.flows).map_err(refused)?;
        let spec = CaptureSpec { points, flows, limit: wanted.limit };
        let mut world = run::world(plan, &network, seed, file, options)?;
        world.capture(&spec);
        let mut results = world.run(options.cancel).map_err(|_| RunError::Cancelled)?;
        let captured = std::mem::take(&mut results.captured);
        let tables = results::tables(plan, &network, &groups, results);
        let about = format!("scenario {name}, seed {seed}");
        Ok(Capture { network, spec, captured, about, tables })
    }

    /// The file, of the format pcapng, piece by piece; `all`: with the payload.
    pub fn pieces(&self, all: bool) -> impl Iterator<Item = Vec<u8>> + '_ {
        let keep = if all { Keep::All } else { Keep::Headers };
        pieces(&self.network, &self.spec, &self.captured, keep, &self.about)
    }

    /// What there is, as JSON: `points` with the number of `records`, how many of the recorded packets were `lost`, and
    /// when the limit was reached (`stopped_s`, null: it was not).
    pub fn summary(&self) -> Json {
        let captured = &self.captured;
        let mut records = vec![0u64; self.spec.points.len()];
        captured.passed.iter().for_each(|passed| records[usize::from(passed.point)] += 1);
        let points = self.spec.points.iter().zip(records);
        json!({
            "points": points.map(|(&point, records)| json!({
                "point": point_name(&self.network, point), "records": records,
            })).collect::<Vec<_>>(),
            "packets": captured.packets.len(),
            "lost": captured.packets.iter().filter(|packet| packet.lost.is_some()).count(),
            "stopped_s": captured.stopped.map(|at| at.secs()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_letters() {
        for (text, pattern, like) in [
            ("flow/0", "flow/0", true),
            ("flow/0", "flow", false),
            ("flow/0", "flow*", true),
            ("flow/0", "*0", true),
            ("flow/10", "f*/*0", true),
            ("flow/1", "f*/*0", false),
            ("", "*", true),
        ] {
            assert_eq!(is_like(text, pattern), like, "{text} {pattern}");
        }
    }
}
