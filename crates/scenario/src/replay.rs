//! Tapes held against algorithms: those of the registry, and those from outside.

use serde_json::{Value as Json, json};
use tape::{Difference, Tape};

use crate::decode::algorithm;
use crate::error::{Error, Place, Problem, code};
use crate::node::Node;
use crate::read::Item;

/// Tell an algorithm all that is on a tape, and hold its answers against the tape's. `file` is named in errors; `other`
/// is another algorithm than the one recorded, as a scenario has it under `algorithm`, in JSON. Returns JSON:
/// `recorded` and `algorithm` (names), `events` (how many), and `differences`, for each event with another answer:
/// `line`, `event`, `time_s`, `field`, `tape`, `answer`.
pub fn replay(text: &str, file: &str, other: Option<&str>) -> Result<String, Error> {
    let wrong = |problem: tape::Problem| {
        Problem::new(code::TAPE, Place::Line(problem.line), problem.what).hint(problem.hint).locate(file, &[])
    };
    let tape = Tape::read(text).map_err(wrong)?;
    let config = match other {
        None => tape.config(algorithm::find).map_err(wrong)?,
        Some(other) => named(other).map_err(|problem| problem.locate("--algorithm", &[]))?,
    };
    let found = tape.replay(&mut config.build()).map_err(wrong)?;
    let differences: Vec<Json> = found.differences.iter().map(difference).collect();
    let (recorded, name) = (tape.algorithm(), config.row().name);
    Ok(json!({ "recorded": recorded, "algorithm": name, "events": found.events, "differences": differences })
        .to_string())
}

/// An algorithm with a window.
fn named(text: &str) -> Result<cc::Config, Problem> {
    let node = Node::from_json(text)?;
    let config = algorithm::read(&Item { node: &node, path: "algorithm".to_owned() })?;
    if config.rate().is_none() {
        return Ok(config);
    }
    let what = format!("`{}` has a rate instead of a window, and no tape", config.row().name);
    Err(Problem::new(code::NO_ALGORITHM, Place::Nowhere, what).hint("`windlass list algorithms` shows those of TCP"))
}

fn difference(found: &Difference) -> Json {
    let Difference { line, event, now, field, tape, answer } = found;
    let time_s = now.map(|now| now.secs());
    json!({ "line": line, "event": event, "time_s": time_s, "field": field, "tape": tape, "answer": answer })
}
