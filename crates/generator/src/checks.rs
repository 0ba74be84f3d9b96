//! What must hold of every run. With debug assertions the engine itself checks, at the end of each, that packets are
//! conserved and that no number exceeds what the links carry.

use net::{RunOptions as NetOptions, ShortCut, World};
use scenario::{Column, Error, Point, RunError, RunOptions, RunResult, Scenario, Table};
use serde_json::Value;
use units::Span;

use crate::{bytes, describe, order, salted, toml};

/// Points of a sweep that are run.
const POINTS: usize = 2;
/// How often rates and times are changed before another order may not give another result.
const SALTS: u64 = 8;

/// A description that the engine accepts.
pub fn read(description: &Value) -> Result<Scenario, String> {
    let refused = |error: Error| format!("a legal description is refused: {error}");
    Scenario::from_json(&description.to_string(), "drawn", &[]).map_err(refused)
}

/// The points that are run, each with a seed.
fn runs(scenario: &Scenario) -> Vec<(Point, u64)> {
    let seed = scenario.seeds()[scenario.seeds().len() - 1];
    scenario.points().into_iter().take(POINTS).map(|point| (point, seed)).collect()
}

fn run(point: &Point, seed: u64) -> Result<RunResult, String> {
    point.run(seed, &RunOptions::default()).map_err(|error| match error {
        RunError::Cancelled => "was cancelled by nobody".to_owned(),
        RunError::Input(error) => format!("a legal description does not run: {error}"),
    })
}

fn same(what: &str, one: &str, other: &str) -> Result<(), String> {
    if one == other {
        return Ok(());
    }
    let at = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let part = |text: &str| {
        let bytes = text.as_bytes();
        String::from_utf8_lossy(&bytes[at.saturating_sub(200).min(bytes.len())..(at + 120).min(bytes.len())])
            .into_owned()
    };
    Err(format!("{what}:\n{}\nand\n{}", part(one), part(other)))
}

/// What is cheap enough for a fuzzer: the description is legal, reads back to itself, and runs twice alike.
pub fn quick(bytes: &[u8]) -> Result<(), String> {
    let scenario = read(&describe(bytes))?;
    for (point, seed) in runs(&scenario) {
        let again = reread(&point)?;
        let (one, other) = (run(&point, seed)?, run(&again, seed)?);
        same("two runs differ", &text(&one), &text(&other))?;
        sane(&one)?;
    }
    Ok(())
}

/// Everything: also two threads, TOML, tapes, other orders of declaration, and the event loop without short cuts.
pub fn thorough(bytes: &[u8]) -> Result<(), String> {
    let description = describe(bytes);
    let scenario = read(&description)?;
    for (point, seed) in runs(&scenario) {
        let again = reread(&point)?;
        let one = run(&point, seed)?;
        // one after the other, and two at once
        let both = std::thread::scope(|scope| {
            let threads = [&point, &again].map(|point| scope.spawn(move || run(point, seed)));
            threads.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        for other in both {
            same("two runs differ", &text(&one), &text(&other?))?;
        }
        sane(&one)?;
        tapes(&one)?;
        short_cuts(&scenario, &point, seed)?;
    }
    written_otherwise(&scenario, &description)?;
    declared_otherwise(bytes)
}

/// A result as text, in which not-a-number equals itself.
fn text(result: &RunResult) -> String {
    format!("{result:?}")
}

/// The point read from its own effective description: the same text, key and network.
fn reread(point: &Point) -> Result<Point, String> {
    let refused = |error: Error| format!("an effective description is refused: {error}");
    let effective = point.effective().map_err(refused)?;
    let again = Scenario::from_json(&effective, "effective", &[]).map_err(refused)?.points().remove(0);
    same("does not read back to itself", &effective, &again.effective().map_err(refused)?)?;
    // what is recorded belongs to a run, but not to its effective description
    let output =
        serde_json::from_str::<Value>(&point.document().map_err(refused)?).expect("it is JSON")["output"].take();
    let recorded: Vec<(String, String)> = match &output {
        Value::Object(table) => table.iter().map(|(key, value)| (format!("output.{key}"), value.to_string())).collect(),
        _ => vec![],
    };
    let again = again.with(&recorded).map_err(refused)?;
    let network = |point: &Point| Ok::<_, String>(format!("{:?}", point.network(7).map_err(refused)?));
    same("another network", &network(point)?, &network(&again)?)?;
    same("another key", &point.key(7).map_err(refused)?, &again.key(7).map_err(refused)?)?;
    Ok(again)
}

/// Numbers are finite and not negative, shares are no more than the whole.
fn sane(result: &RunResult) -> Result<(), String> {
    let tables = [("flows", &result.flows), ("links", &result.links), ("stations", &result.stations)];
    for (name, Table(columns)) in tables {
        let rows = columns.first().map_or(0, |(_, column)| column.len());
        for (key, column) in columns {
            let most = if key.ends_with("_share") || *key == "utilisation" { 1.0 } else { f64::INFINITY };
            let wrong = match column {
                Column::F64(values) => {
                    values.iter().find(|x| **x < 0.0 || **x > most || x.is_infinite()).map(f64::to_string)
                }
                Column::I64(values) => values.iter().find(|n| **n < 0).map(i64::to_string),
                Column::Str(_) => None,
            };
            if let Some(wrong) = wrong {
                return Err(format!("`{key}` of {name} is {wrong}"));
            }
            if column.len() != rows {
                return Err(format!("`{key}` of {name} has {} rows instead of {rows}", column.len()));
            }
        }
    }
    Ok(())
}

/// An algorithm without a sender gives the answers that are on its tape.
fn tapes(result: &RunResult) -> Result<(), String> {
    let Some(Column::Str(tapes)) = result.tapes.column("tape") else { return Ok(()) };
    for tape in tapes {
        let found =
            scenario::replay(tape, "drawn.tape", None).map_err(|error| format!("a tape is refused: {error}"))?;
        let found: Value = serde_json::from_str(&found).expect("it is JSON");
        if found["differences"] != serde_json::json!([]) {
            return Err(format!("a replay differs: {}", found["differences"][0]));
        }
    }
    Ok(())
}

/// The event loop gives the same results without its short cuts.
fn short_cuts(scenario: &Scenario, point: &Point, seed: u64) -> Result<(), String> {
    let network = point.network(seed).map_err(|error| error.to_string())?;
    let duration = Span::from_secs(scenario.duration_s());
    let options = NetOptions { events: true, ..NetOptions::new(duration) };
    let results = |short_cut: Option<ShortCut>| {
        let mut world = World::new(&network, seed, &options).map_err(|bad| format!("{bad:?}"))?;
        if let Some(short_cut) = short_cut {
            world.without(short_cut);
        }
        let found = world.run(None).map_err(|_| "was cancelled by nobody")?;
        Ok::<_, String>(format!("{:?} {:?} {:?} {:?}", found.flows, found.links, found.losses, found.events))
    };
    let quick = results(None)?;
    same("endpoints ahead of the world change something", &quick, &results(Some(ShortCut::Ahead))?)?;
    same("departures known on arrival change something", &quick, &results(Some(ShortCut::Departures))?)
}

/// As TOML, and with the keys of every table in another order: the same runs.
fn written_otherwise(scenario: &Scenario, description: &Value) -> Result<(), String> {
    let refused = |error: Error| format!("a description written otherwise is refused: {error}");
    let key = |scenario: &Scenario| {
        let keys = scenario.points().iter().map(|point| point.key(1)).collect::<Result<Vec<_>, _>>();
        keys.map(|keys| keys.join(" ")).map_err(refused)
    };
    let as_toml = Scenario::from_toml(&toml(description), "drawn.toml", &[]).map_err(refused)?;
    same("TOML and JSON of one description have different keys", &key(scenario)?, &key(&as_toml)?)?;
    let turned = read(&order::keys_turned(description))?;
    same("another order of keys, another run", &key(scenario)?, &key(&turned)?)
}

/// Flows and links declared in another order give the same rows. Two packets that come to a queue in the same
/// nanosecond are served in the order of their links, so not each of several descriptions may differ.
fn declared_otherwise(bytes: &[u8]) -> Result<(), String> {
    let mut first = Ok(());
    for salt in 1..=SALTS {
        let description = salted(bytes, salt);
        let Some(moved) = order::declared_otherwise(&description) else { return Ok(()) };
        let rows = |description: &Value| {
            let scenario = read(description)?;
            let (point, seed) = runs(&scenario).remove(0);
            Ok::<_, String>(order::rows(&run(&point, seed)?))
        };
        let found = same("another order of declaration, another result", &rows(&description)?, &rows(&moved)?);
        match (&first, found) {
            (_, Ok(())) => return Ok(()),
            (Ok(()), found) => first = found,
            _ => {}
        }
    }
    first
}

/// Check the scenario of this number, and say what it is if something is wrong.
pub fn seed(seed: u64, check: fn(&[u8]) -> Result<(), String>) -> Result<(), String> {
    let bytes = bytes(seed);
    let found = std::panic::catch_unwind(|| check(&bytes));
    let found = found.unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(format!("panicked: {}", said.unwrap_or("no text")))
    });
    found.map_err(|what| format!("seed {seed}: {what}\n{}", toml(&describe(&bytes))))
}
