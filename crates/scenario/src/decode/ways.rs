//! Positions over time: where mobiles are when.

use serde_json::{Value as Json, json};
use units::{Span, Time};
use wlan::{Position, Way};

use crate::error::{Problem, choose, code, show};
use crate::files::{Files, bad_line};
use crate::limits::DURATION;
use crate::node::Value;
use crate::read::{Fields, Item, matches_glob};
use crate::units::{Kind, length_text, speed_text, time_text};

/// Greatest distance from the origin, metres.
const FAR: f64 = 1e7;
/// Greatest speed, metres per second.
const FAST: f64 = 1e5;
const KINDS: &[&str] = &["fixed", "line", "waypoints", "trace", "node", "from", "to", "speed"];
const MOVES: &str = "write `moves = { \"station/0\" = { from = \"0 m\", to = \"100 m\", speed = \"1 m/s\" } }`";
const EXAMPLE: &str = "write `mobile = { from = \"0 m\", to = \"2 km\", speed = \"10 m/s\" }`";

/// The ways that keys `mobile` or `mobiles` describe, at most so many.
pub(crate) fn read(fields: &Fields<'_>, files: &Files, most: usize) -> Result<Vec<Way>, Problem> {
    let items = match (fields.get("mobile"), fields.get("mobiles")) {
        (Some(_), Some(item)) => {
            return Err(item.problem(code::CONFLICT, "stands beside `mobile`").hint("write one of the two"));
        }
        (Some(item), None) => return Ok(vec![way(&item, files, EXAMPLE)?]),
        (None, Some(item)) => {
            let items = item.list()?;
            if items.is_empty() || items.len() > most {
                let what = format!("has {} mobiles, allowed are 1 to {most}", items.len());
                return Err(item.problem(code::OUT_OF_RANGE, what).hint(EXAMPLE));
            }
            items
        }
        (None, None) => return Err(fields.problem(code::MISSING_KEY, "has no mobile").hint(EXAMPLE)),
    };
    items.iter().map(|item| way(item, files, EXAMPLE)).collect()
}

fn way(item: &Item<'_>, files: &Files, example: &str) -> Result<Way, Problem> {
    if !matches!(item.node.value, Value::Table(_)) {
        return Err(item.table(KINDS).err().expect("it is no table").hint(example));
    }
    let table = item.table(KINDS)?;
    let given = ["fixed", "line", "waypoints", "trace", "from"].iter().filter_map(|key| table.get(key));
    let [one] = &given.collect::<Vec<_>>()[..] else {
        let what = "says not in exactly one way where it is";
        return Err(item.problem(code::CONFLICT, what).hint(example));
    };
    let beside = |keys: &[&str], what: &str| match keys.iter().find_map(|key| table.get(key)) {
        Some(item) => Err(item.problem(code::CONFLICT, format!("belongs to {what}")).hint("take it away")),
        None => Ok(()),
    };
    if table.get("trace").is_none() {
        beside(&["node"], "`trace`")?;
    }
    if table.get("from").is_none() {
        beside(&["to", "speed"], "`from`")?;
    }
    if table.get("fixed").is_some() {
        Ok(Way::Fixed(place(one)?))
    } else if table.get("line").is_some() {
        let line = one.table(&["from", "velocity"])?;
        let from = place(&line.need("from", "\"0 m\"")?)?;
        let velocity = pair(&line.need("velocity", "\"10 m/s\"")?, |item| speed(item, -FAST))?;
        Ok(Way::Line { from, velocity })
    } else if table.get("waypoints").is_some() {
        waypoints(one)
    } else if table.get("trace").is_some() {
        trace(one, &table.need("node", "\"0\"")?, files)
    } else {
        let (from, to) = (place(one)?, place(&table.need("to", "\"2 km\"")?)?);
        let speed = speed(&table.need("speed", "\"10 m/s\"")?, 1e-3)?;
        let arrives = Time::from_secs(from.distance(to) / speed);
        Ok(Way::Waypoints([(Time::ZERO, from), (arrives, to)].into()))
    }
}

/// Ways of nodes: a table of patterns, each with a way. Every number in the order of `names` with its way, once.
pub(crate) fn of_nodes(item: &Item<'_>, names: &[String], files: &Files) -> Result<Vec<(usize, Way)>, Problem> {
    let mut all: Vec<(usize, Way)> = Vec::new();
    for (pattern, item) in item.open_table()?.entries() {
        let way = way(&item, files, MOVES)?;
        let before = all.len();
        for at in (0..names.len()).filter(|at| matches_glob(pattern, &names[*at])) {
            if all[..before].iter().any(|other| other.0 == at) {
                let what = format!("gives `{}` a second way", show(&names[at]));
                return Err(item.problem(code::CONFLICT, what).hint("name each station once"));
            }
            all.push((at, way.clone()));
        }
        if all.len() == before {
            let hint = choose(pattern, names.iter().take(12).map(String::as_str));
            return Err(item.problem(code::UNKNOWN_NODE, "names no station of this radio").hint(hint));
        }
    }
    all.sort_by_key(|one| one.0);
    Ok(all)
}

/// A table of ways as it is written.
pub(crate) fn of_nodes_text(moves: &[(usize, Way)], names: &[String]) -> Json {
    Json::Object(moves.iter().map(|(at, way)| (names[*at].clone(), effective(way))).collect())
}

/// A place: `["3 m", "0 m"]`, or `"3 m"` on the line of all y = 0.
pub(crate) fn place(item: &Item<'_>) -> Result<Position, Problem> {
    pair(item, |item| item.metres(-FAR..=FAR))
}

fn pair(item: &Item<'_>, read: impl Fn(&Item<'_>) -> Result<f64, Problem>) -> Result<Position, Problem> {
    if matches!(item.node.value, Value::Text(_)) {
        return Ok(Position { x: read(item)?, y: 0.0 });
    }
    let parts = item.list().map_err(|problem| problem.hint("write [\"3 m\", \"0 m\"]: east, north"))?;
    match &parts[..] {
        [x, y] => Ok(Position { x: read(x)?, y: read(y)? }),
        other => {
            let what = format!("has {} parts, wanted are two", other.len());
            Err(item.problem(code::WRONG_TYPE, what).hint("write [\"3 m\", \"0 m\"]: east, north"))
        }
    }
}

fn speed(item: &Item<'_>, least: f64) -> Result<f64, Problem> {
    let speed = item.quantity(Kind::Speed)?;
    if (least..=FAST).contains(&speed) {
        return Ok(speed);
    }
    let what = format!("is {}, allowed is {} to {}", item.node.value.show(), speed_text(least), speed_text(FAST));
    let hint = format!("write a speed from {} to {}", speed_text(least), speed_text(FAST));
    Err(item.problem(code::OUT_OF_RANGE, what).hint(hint))
}

fn waypoints(item: &Item<'_>) -> Result<Way, Problem> {
    let mut points: Vec<(Time, Position)> = Vec::new();
    for item in item.list()? {
        let parts = item.list()?;
        let [when, x, y] = &parts[..] else {
            let what = format!("has a point of {} parts, wanted are three", parts.len());
            return Err(item.problem(code::WRONG_TYPE, what).hint("a point is [\"10 s\", \"100 m\", \"0 m\"]"));
        };
        let at = Time(when.span(Span::ZERO..=DURATION)?.0);
        if points.last().is_some_and(|last| last.0 > at) {
            let what = "has a point before the one that stands before it";
            return Err(when.problem(code::OUT_OF_RANGE, what).hint("write the points in order of time"));
        }
        points.push((at, Position { x: x.metres(-FAR..=FAR)?, y: y.metres(-FAR..=FAR)? }));
    }
    if points.is_empty() {
        return Err(item.problem(code::OUT_OF_RANGE, "has no point").hint("write [[\"0 s\", \"0 m\", \"0 m\"], ...]"));
    }
    Ok(Way::Waypoints(points.into()))
}

const LINES: &str = "lines are time in seconds, node, and metres east and north: `12.5 bus 100 0`";

/// A file with lines of time in seconds, node, x and y in metres, in order of time; `#` begins a comment.
fn trace(item: &Item<'_>, node: &Item<'_>, files: &Files) -> Result<Way, Problem> {
    let (text, name) = (files.text(item)?, node.text()?);
    let bad_line = |line: usize, what: &str| bad_line(item, line, what).hint(LINES);
    let mut points: Vec<(Time, Position)> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let words: Vec<&str> = text.split('#').next().unwrap_or_default().split_whitespace().collect();
        let number = |word: &str| word.parse::<f64>().ok().filter(|x| x.abs() <= FAR);
        match words[..] {
            [] => {}
            [when, who, x, y] => {
                let (Some(seconds), Some(x), Some(y)) = (number(when).filter(|t| *t >= 0.0), number(x), number(y))
                else {
                    return Err(bad_line(line, "is not a time, a node and two numbers"));
                };
                if who != name {
                    continue;
                }
                let at = Time::from_secs(seconds);
                if points.last().is_some_and(|last| last.0 > at) {
                    return Err(bad_line(line, "time goes back"));
                }
                points.push((at, Position { x, y }));
            }
            _ => return Err(bad_line(line, &format!("are {} words, wanted are time, node, x, y", words.len()))),
        }
    }
    if points.is_empty() {
        let what = format!("is \"{}\", of which the file has no line", show(name));
        return Err(node.problem(code::FILE_CONTENT, what).hint(LINES));
    }
    Ok(Way::Waypoints(points.into()))
}

/// A place as it is written.
pub(crate) fn place_text(at: Position) -> Json {
    json!([length_text(at.x), length_text(at.y)])
}

/// A way as it is written; what came from a file is written out.
pub(crate) fn effective(way: &Way) -> Json {
    match way {
        Way::Fixed(at) => json!({ "fixed": place_text(*at) }),
        Way::Line { from, velocity } => {
            let velocity = [speed_text(velocity.x), speed_text(velocity.y)];
            json!({ "line": { "from": place_text(*from), "velocity": velocity } })
        }
        Way::Waypoints(points) => {
            let point = |(at, p): &(Time, Position)| json!([time_text(Span(at.0)), length_text(p.x), length_text(p.y)]);
            json!({ "waypoints": points.iter().map(point).collect::<Vec<_>>() })
        }
    }
}
