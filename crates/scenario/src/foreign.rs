//! Algorithms from outside the registry, known for as long as the process lives.
//!
//! A scenario names them as it does the others. Their effective description carries a hash of their source, so that
//! runs of another version are other runs.

use std::sync::RwLock;

use cc::foreign::{Foreign, Maker};
use cc::registry::{self, Kind, MAX_PARAMETERS, PLAIN, Parameter, Row};
use tcp::rules::{RECOVERIES, meant};

/// What stands under `source` in the effective description of such an algorithm.
pub(crate) const SOURCE: &str = "source";

#[derive(Clone, Copy)]
struct Known {
    row: &'static Row,
    source: &'static str,
}

static KNOWN: RwLock<Vec<Known>> = RwLock::new(Vec::new());

/// An algorithm from outside, to be made known.
#[derive(Debug)]
pub struct ForeignAlgorithm {
    /// Name in scenarios.
    pub name: String,
    /// One line: what it is.
    pub summary: String,
    /// Recovery core: tahoe, reno, newreno, sack or vegas.
    pub recovery: String,
    /// As in [`Row`].
    pub judges_losses: bool,
    /// As in [`Row`].
    pub hears_every_loss: bool,
    /// As in [`Row`].
    pub uses_marks: bool,
    /// As in [`Row`].
    pub needs_receiver_time: bool,
    /// As in [`Row`].
    pub paces: bool,
    /// Names and defaults of parameters.
    pub parameters: Vec<(String, ForeignDefault)>,
    /// Hash of its source.
    pub source: String,
    /// Makes a sender's state.
    pub maker: Maker,
}

/// Default of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum ForeignDefault {
    /// Any number.
    Number(f64),
    /// True or false.
    Flag(bool),
}

/// Make an algorithm known; scenarios read from now on mean it and not one of the same name before. Err: what is wrong
/// with it.
///
/// Rows live as long as the process, as those of the registry do.
pub fn register(algorithm: ForeignAlgorithm) -> Result<(), String> {
    let ForeignAlgorithm { name, parameters, .. } = &algorithm;
    let plain = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_+".contains(c));
    if !plain(name) {
        return Err(format!("the name `{name}` is not made of letters, digits, `-`, `_` and `+`"));
    }
    if registry::find(name).is_some() {
        return Err(format!("the registry has an algorithm `{name}` already"));
    }
    if parameters.len() > MAX_PARAMETERS {
        return Err(format!("it has {} parameters, at most {MAX_PARAMETERS} are possible", parameters.len()));
    }
    if let Some((bad, _)) = parameters.iter().find(|(key, _)| key == "name" || key == SOURCE || !plain(key)) {
        return Err(format!("a parameter cannot be called `{bad}`"));
    }
    let recovery = meant(&RECOVERIES, &algorithm.recovery)
        .ok_or_else(|| format!("there is no recovery core `{}`", algorithm.recovery))?;
    let parameters: Vec<Parameter> = algorithm
        .parameters
        .into_iter()
        .map(|(key, default)| Parameter {
            name: key.leak(),
            kind: match default {
                ForeignDefault::Number(default) => Kind::Number { default, min: f64::MIN, max: f64::MAX },
                ForeignDefault::Flag(on) => Kind::Flag(on),
            },
            unit: "-",
            meaning: "parameter of the class",
            source: "the class",
        })
        .collect();
    let row: &'static Row = Box::leak(Box::new(Row {
        name: algorithm.name.leak(),
        summary: algorithm.summary.leak(),
        source: "the user's own",
        choices: "",
        recovery,
        hears_every_loss: algorithm.hears_every_loss,
        uses_marks: algorithm.uses_marks,
        needs_receiver_time: algorithm.needs_receiver_time,
        paces: algorithm.paces,
        judges_losses: algorithm.judges_losses,
        parameters: parameters.leak(),
        build: Foreign::build,
        maker: Some(Box::leak(Box::new(algorithm.maker))),
        ..PLAIN
    }));
    let mut known = KNOWN.write().unwrap_or_else(std::sync::PoisonError::into_inner);
    known.push(Known { row, source: algorithm.source.leak() });
    Ok(())
}

fn known() -> Vec<Known> {
    KNOWN.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
}

/// The row of that name.
pub(crate) fn find(name: &str) -> Option<&'static Row> {
    known().iter().rev().find(|one| one.row.name == name).map(|one| one.row)
}

/// The row of each name, in the order of the first registrations.
pub(crate) fn rows() -> Vec<&'static Row> {
    let mut names = names();
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    names.into_iter().filter_map(find).collect()
}

/// Names of all.
pub(crate) fn names() -> Vec<&'static str> {
    known().iter().map(|one| one.row.name).collect()
}

/// Hash of the source of a row's algorithm; none for those of the registry.
pub(crate) fn source(row: &'static Row) -> Option<&'static str> {
    row.maker?;
    known().iter().find(|one| std::ptr::eq(one.row, row)).map(|one| one.source)
}
