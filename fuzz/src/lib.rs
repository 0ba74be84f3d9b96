//! What must hold of any text that is read as a scenario. The targets in `fuzz_targets/` feed it;
//! `docs/guide/testing.md` says how to run them.

use scenario::{Error, Point, Scenario};

/// Points of a sweep that are looked at.
const POINTS: usize = 4;
/// Flows, nodes or links beyond which a description is only read: time is better spent on others.
const LARGE: usize = 2_000;

/// Whatever was read: a refusal is well formed, and what is accepted reads back to the same.
pub fn check(read: Result<Scenario, Error>) {
    match read {
        Err(error) => refused(&error),
        Ok(scenario) => scenario.points().iter().take(POINTS).for_each(accepted),
    }
}

/// A known code, one line for the message and at most one for the hint.
pub fn refused(error: &Error) {
    assert!(scenario::errors().iter().any(|(code, _)| *code == error.code), "unknown code `{}`", error.code);
    assert!(!error.message.is_empty(), "an error without a message");
    let lines = 1 + usize::from(error.hint.is_some());
    assert_eq!(error.to_string().lines().count(), lines, "more than a message and a hint:\n{error}");
}

/// A point of an accepted scenario: its effective description is accepted, gives the same description, the same key and
/// the same network.
pub fn accepted(point: &Point) {
    // a point of a large sweep may be refused when it is used
    let effective = match point.effective() {
        Ok(text) => text,
        Err(error) => return refused(&error),
    };
    let again = Scenario::from_json(&effective, "effective", &[]).unwrap_or_else(|error| panic!("{error}\n{effective}"));
    let points = again.points();
    assert_eq!(points.len(), 1, "an effective description has no sweep");
    assert_eq!(points[0].effective().expect("it was read"), effective, "does not read back to itself");
    assert!(!point.key(1).expect("it was read").is_empty());
    let network = point.network(1).expect("it was read");
    if network.flows.len() + network.links.len() + network.nodes.len() <= LARGE {
        let back = points[0].network(1).expect("it was read");
        assert_eq!(format!("{:?}", network.flows), format!("{:?}", back.flows), "other flows");
        assert_eq!(network.nodes, back.nodes, "other nodes");
    }
}
