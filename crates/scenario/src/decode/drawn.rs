//! Quantities that are given, or drawn for each flow: starts, stops, sizes; and flows that arrive at random.

use sim::{Distribution, Stream};
use units::Span;

use super::traffic::shape;
use crate::error::{Problem, choose, code};
use crate::limits::{DURATION, FLOWS};
use crate::node::{Node, Value};
use crate::read::{HOUR, INSTANT, Item};
use crate::units::{Unreadable, parse, size_text, time_text};

/// A quantity in nanoseconds or bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Drawn {
    /// Always this.
    Fixed(u64),
    /// Evenly between two values.
    Uniform(u64, u64),
    /// Exponential, by its mean.
    Exponential(u64),
    /// Normal, by mean and standard deviation; zero where it would be negative.
    Normal(u64, u64),
    /// Pareto, by mean and shape.
    Pareto(u64, f64),
    /// Lognormal, by mean and standard deviation.
    Lognormal(u64, u64),
    /// The flow's number in its group times this.
    Every(u64),
}

/// What a quantity measures: how it is read and printed.
#[derive(Clone, Copy)]
pub(crate) enum Measure {
    Time,
    /// Bytes up to this many, at least one.
    Size(u64),
}

impl Measure {
    fn least(self) -> u64 {
        match self {
            Measure::Time => 0,
            Measure::Size(_) => 1,
        }
    }

    fn read(self, item: &Item<'_>, least: u64) -> Result<u64, Problem> {
        match self {
            Measure::Time => item.span(Span(least)..=DURATION).map(|span| span.0),
            Measure::Size(most) => item.bytes(least..=most),
        }
    }

    fn text(self, value: u64) -> String {
        match self {
            Measure::Time => time_text(Span(value)),
            Measure::Size(_) => size_text(value),
        }
    }

    fn examples(self) -> &'static str {
        match self {
            Measure::Time => {
                "\"5 s\", \"uniform(0 s, 10 s)\", \"exponential(5 s)\", \"normal(5 s, 1 s)\", \"pareto(5 s, 1.5)\""
            }
            Measure::Size(_) => {
                "\"20 kB\", \"uniform(1 kB, 50 kB)\", \"exponential(20 kB)\", \"pareto(12 kB, 1.2)\", \"lognormal(20 kB, 50 kB)\""
            }
        }
    }
}

const NAMES: &[&str] = &["uniform", "exponential", "normal", "pareto", "lognormal", "every"];

/// A value, or `name(a, b)`. `numbered` allows `every(step)`.
pub(crate) fn read(item: &Item<'_>, measure: Measure, numbered: bool) -> Result<Drawn, Problem> {
    let call = match &item.node.value {
        Value::Text(text) => text.trim().split_once('('),
        _ => None,
    };
    let Some((name, rest)) = call else { return measure.read(item, measure.least()).map(Drawn::Fixed) };
    let bad = |what: &str| {
        item.problem(code::OUT_OF_RANGE, format!("is {}{what}", item.node.value.show()))
            .hint(format!("write {}", measure.examples()))
    };
    let arguments: Vec<Node> = rest
        .trim_end()
        .trim_end_matches(')')
        .split(',')
        .take(3)
        .map(|text| Node::new(item.node.place, Value::Text(text.trim().to_owned())))
        .collect();
    let argument = |at: usize| Item { node: &arguments[at], path: item.path.clone() };
    let value = |at: usize, least: u64| measure.read(&argument(at), least);
    let (name, count) = (name.trim(), arguments.len());
    let wanted = match name {
        "exponential" | "every" => 1,
        _ => 2,
    };
    if !NAMES.contains(&name) || (name == "every" && !numbered) {
        let known = NAMES.iter().copied().filter(|name| numbered || *name != "every");
        return Err(item
            .problem(code::UNKNOWN_WORD, format!("is {}: no distribution of that name", item.node.value.show()))
            .hint(choose(name, known.collect::<Vec<_>>())));
    }
    if count != wanted || !rest.trim_end().ends_with(')') {
        return Err(bad(&format!(": `{name}` takes {wanted} in parentheses")));
    }
    let positive = measure.least().max(1);
    Ok(match name {
        "uniform" => match (value(0, measure.least())?, value(1, measure.least())?) {
            (low, high) if low <= high => Drawn::Uniform(low, high),
            _ => return Err(bad(": the smaller comes first")),
        },
        "exponential" => Drawn::Exponential(value(0, positive)?),
        "normal" => Drawn::Normal(value(0, measure.least())?, value(1, 0)?),
        "pareto" => {
            let text = argument(1).text()?;
            let node =
                Node::new(item.node.place, text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Number));
            Drawn::Pareto(value(0, positive)?, shape(&Item { node: &node, path: item.path.clone() })?)
        }
        "lognormal" => Drawn::Lognormal(value(0, positive)?, value(1, 0)?),
        _ => Drawn::Every(value(0, measure.least())?),
    })
}

/// A time of an hour at most, or an even distribution of such times.
pub(crate) fn times(item: &Item<'_>) -> Result<(Span, Span), Problem> {
    let wrong = |what: &str| {
        let problem = item.problem(code::OUT_OF_RANGE, format!("is {}: {what}", item.node.value.show()));
        Err(problem.hint("write \"200 ms\" or \"uniform(0 s, 50 ms)\""))
    };
    match read(item, Measure::Time, false)? {
        Drawn::Fixed(_) => item.span(Span::ZERO..=HOUR).map(|value| (value, value)),
        Drawn::Uniform(least, most) if most <= HOUR.0 => Ok((Span(least), Span(most))),
        Drawn::Uniform(..) => wrong("an hour at most"),
        _ => wrong("it must have a greatest value"),
    }
}

/// Both ends as they are written.
pub(crate) fn times_text((least, most): (Span, Span)) -> String {
    if least == most { time_text(least) } else { Drawn::Uniform(least.0, most.0).text(Measure::Time) }
}

impl Drawn {
    /// What the flow of this number has, as it would be written for that flow alone.
    pub(crate) fn of(self, number: usize) -> Drawn {
        match self {
            Drawn::Every(step) => Drawn::Fixed(step.saturating_mul(number as u64)),
            other => other,
        }
    }

    /// The value of the flow called `flow`, number `number` of its group: a draw from the stream `flow/what`.
    pub(crate) fn draw(self, seed: u64, flow: &str, what: &str, number: usize) -> u64 {
        let distribution = match self {
            Drawn::Fixed(value) => return value,
            Drawn::Every(step) => return step.saturating_mul(number as u64),
            Drawn::Uniform(low, high) => {
                let share = Stream::new(seed, &format!("{flow}/{what}")).uniform();
                return low + (share * (high - low) as f64) as u64;
            }
            Drawn::Exponential(mean) => Distribution::Exponential { mean: mean as f64 },
            Drawn::Normal(mean, sd) => Distribution::Normal { mean: mean as f64, sd: sd as f64 },
            Drawn::Pareto(mean, shape) => Distribution::Pareto { mean: mean as f64, shape },
            Drawn::Lognormal(mean, sd) => Distribution::Lognormal { mean: mean as f64, sd: sd as f64 },
        };
        // a negative draw becomes zero
        distribution.draw(&mut Stream::new(seed, &format!("{flow}/{what}"))) as u64
    }

    /// The least value that can be drawn, nearly.
    pub(crate) fn least(self) -> u64 {
        match self {
            Drawn::Fixed(value) | Drawn::Uniform(value, _) => value,
            Drawn::Pareto(mean, shape) => (mean as f64 * (shape - 1.0) / shape) as u64,
            _ => 0,
        }
    }

    /// The greatest value that `flows` flows can draw; `None`: there is no bound.
    pub(crate) fn most(self, flows: usize) -> Option<u64> {
        match self {
            Drawn::Fixed(value) | Drawn::Uniform(_, value) => Some(value),
            Drawn::Every(step) => Some(step.saturating_mul(flows.saturating_sub(1) as u64)),
            _ => None,
        }
    }

    pub(crate) fn text(self, measure: Measure) -> String {
        let print = |value| measure.text(value);
        match self {
            Drawn::Fixed(value) => print(value),
            Drawn::Uniform(low, high) => format!("uniform({}, {})", print(low), print(high)),
            Drawn::Exponential(mean) => format!("exponential({})", print(mean)),
            Drawn::Normal(mean, sd) => format!("normal({}, {})", print(mean), print(sd)),
            Drawn::Pareto(mean, shape) => format!("pareto({}, {shape})", print(mean)),
            Drawn::Lognormal(mean, sd) => format!("lognormal({}, {})", print(mean), print(sd)),
            Drawn::Every(step) => format!("every({})", print(step)),
        }
    }
}

/// Flows that arrive as a Poisson process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Arrivals {
    /// Flows per second.
    per_second: f64,
    /// Most that are let in: more than ever arrive.
    pub(crate) bound: usize,
}

impl Arrivals {
    /// `poisson(5 per s)`, or `5 /s`, in a run of which they may take `length`.
    pub(crate) fn read(item: &Item<'_>, length: Span) -> Result<Arrivals, Problem> {
        let text = item.text()?.trim();
        let inner = text.strip_prefix("poisson(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(text).trim();
        let wrong = || {
            item.problem(code::BAD_NUMBER, format!("is {}, wanted are flows per time", item.node.value.show()))
                .hint("write a number per second, as in \"poisson(5 per s)\", or \"5 /s\"")
        };
        let number = inner.strip_suffix("per s").or_else(|| inner.strip_suffix("/s")).ok_or_else(wrong)?;
        let per_second = match parse(number) {
            Err(Unreadable::NoUnit(number)) => number,
            _ => return Err(wrong()),
        };
        if !(1e-6..=1e6).contains(&per_second) {
            return Err(item
                .problem(
                    code::OUT_OF_RANGE,
                    format!("is {}, allowed is 0.000001 to 1000000 per s", item.node.value.show()),
                )
                .hint("write how many flows arrive in a second"));
        }
        // a Poisson number lies beyond six standard deviations and ten once in a billion runs
        let mean = per_second * length.secs();
        let bound = (mean + 6.0 * mean.sqrt()).ceil() as usize + 10;
        if bound > FLOWS {
            return Err(item
                .problem(
                    code::TOO_MANY_FLOWS,
                    format!("brings about {mean:.0} flows, at most {FLOWS} can be simulated"),
                )
                .hint("let fewer arrive, or make `scenario.duration` shorter"));
        }
        Ok(Arrivals { per_second, bound })
    }

    /// When they arrive, from `start` until `end`: drawn from the stream `group/arrivals`.
    pub(crate) fn times(self, seed: u64, group: &str, start: Span, end: Span) -> Vec<Span> {
        let mut stream = Stream::new(seed, &format!("{group}/arrivals"));
        let gap = Distribution::Exponential { mean: 1e9 / self.per_second };
        let mut at = start;
        let mut next = || {
            at += Span(gap.draw(&mut stream) as u64).max(INSTANT);
            (at < end).then_some(at)
        };
        std::iter::from_fn(&mut next).take(self.bound).collect()
    }

    pub(crate) fn text(self) -> String {
        format!("poisson({} per s)", self.per_second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;

    fn parsed(text: &str, measure: Measure) -> Result<Drawn, Problem> {
        let node = Node::new(Place::Nowhere, Value::Text(text.to_owned()));
        read(&Item { node: &node, path: "flows.start".to_owned() }, measure, true)
    }

    #[test]
    fn each_form_reads_and_prints() {
        for text in [
            "5 s",
            "uniform(0 s, 10 s)",
            "exponential(5 s)",
            "normal(5 s, 100 ms)",
            "pareto(5 s, 1.5)",
            "lognormal(5 s, 20 s)",
            "every(250 ms)",
        ] {
            assert_eq!(parsed(text, Measure::Time).unwrap().text(Measure::Time), text);
        }
        let size = Measure::Size(1_000_000_000);
        assert_eq!(parsed("pareto(12 kB, 1.2)", size).unwrap(), Drawn::Pareto(12_000, 1.2));
    }

    #[test]
    fn draws_have_their_means() {
        // 20 000 flows; the widest of these has a standard deviation of its mean: a standard error of 1/141, five of
        // them
        const FLOWS: u64 = 20_000;
        for drawn in [
            Drawn::Uniform(0, 2_000_000),
            Drawn::Exponential(1_000_000),
            Drawn::Normal(1_000_000, 100_000),
            Drawn::Pareto(1_000_000, 3.0),
            Drawn::Lognormal(1_000_000, 1_000_000),
        ] {
            let sum: u64 = (0..FLOWS).map(|n| drawn.draw(1, &format!("f/{n}"), "size", 0)).sum();
            assert!((sum as f64 / FLOWS as f64 / 1e6 - 1.0).abs() < 0.036, "{drawn:?}: {sum}");
        }
        assert_eq!(Drawn::Every(250).draw(1, "f/3", "start", 3), 750);
        // half of the draws would be negative
        let clipped = (0..100).filter(|n| Drawn::Normal(0, 1000).draw(1, &format!("f/{n}"), "start", 0) == 0).count();
        assert!((30..70).contains(&clipped), "{clipped}");
    }

    #[test]
    fn arrivals_are_a_poisson_process() {
        let arrivals = Arrivals { per_second: 50.0, bound: 100_000 };
        let (start, end) = (Span::from_secs(10.0), Span::from_secs(410.0));
        let times = arrivals.times(1, "web", start, end);
        // 20 000 with a standard deviation of 141; in seconds, the variance of the number is its mean, 50
        assert!((times.len() as f64 - 20_000.0).abs() < 705.0, "{}", times.len());
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]) && times[0] >= start && times[times.len() - 1] < end);
        let seconds = |s: usize| times.iter().filter(|at| at.secs() as usize == s + 10).count() as f64;
        let variance = (0..400).map(|s| (seconds(s) - 50.0) * (seconds(s) - 50.0)).sum::<f64>() / 400.0;
        assert!((35.0..68.0).contains(&variance), "{variance}"); // standard error 50 sqrt(2 / 400), five of them
    }
}
