//! A discipline and its parameters, as rows of a table.

use net::{Discipline, QueueSpec};
use serde_json::Value as Json;
use tcp::Profile;
use units::Span;

use crate::error::{Problem, code};
use crate::read::Item;

/// Most packets a queue may hold.
pub(crate) use crate::decode::depth::MOST as PACKETS;
pub(super) const MILLISECOND: Span = Span::from_millis(1);

/// A discipline: its name, what it is, where it comes from, its parameters.
pub(crate) struct Ready {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) source: &'static str,
    pub(super) limit: u32,
    /// It drops early, so that it can mark instead.
    pub(super) early: bool,
    pub(super) discipline: fn(Profile) -> Discipline,
    pub(super) parameters: &'static [Parameter],
}

/// A parameter as a key of the table `queue`.
pub(crate) struct Parameter {
    pub(crate) key: &'static str,
    pub(crate) allowed: &'static str,
    pub(crate) meaning: &'static str,
    pub(super) read: fn(&mut QueueSpec, &Item<'_>) -> Result<(), Problem>,
    pub(crate) write: fn(&QueueSpec) -> Json,
}

/// A row whose value goes straight into a field of the discipline that `$of` finds.
macro_rules! parameter {
    ($of:ident, $key:literal, $allowed:literal, $meaning:literal, $($field:ident).+, |$item:ident| $read:expr, |$value:ident| $write:expr) => {
        Parameter {
            key: $key,
            allowed: $allowed,
            meaning: $meaning,
            read: |queue, $item| {
                $of(queue).$($field).+ = $read?;
                Ok(())
            },
            write: |queue| {
                let $value = $of(&mut { *queue }).$($field).+;
                $write
            },
        }
    };
    ($of:ident, $key:literal, $meaning:literal, $($field:ident).+, flag) => {
        parameter!($of, $key, "true, false", $meaning, $($field).+, |item| item.flag(), |on| json!(on))
    };
    ($of:ident, $key:literal, $meaning:literal, $($field:ident).+, span) => {
        parameter!(
            $of, $key, "1 ms to 1 h", $meaning, $($field).+, |item| item.span(MILLISECOND..=HOUR), |span| json!(time_text(span))
        )
    };
    ($of:ident, $key:literal, $meaning:literal, $($field:ident).+, share) => {
        parameter!($of, $key, "above 0, up to 1", $meaning, $($field).+, |item| share(item), |x| json!(x))
    };
}

pub(super) fn share(item: &Item<'_>) -> Result<f64, Problem> {
    let share = item.number()?;
    if share > 0.0 && share <= 1.0 {
        return Ok(share);
    }
    Err(item
        .problem(code::OUT_OF_RANGE, format!("is {share}, allowed is above 0, up to 1"))
        .hint("write a share without a unit: 0.1 for 10 %"))
}

pub(super) fn gain(item: &Item<'_>) -> Result<f64, Problem> {
    let gain = item.number()?;
    if (0.0..=1000.0).contains(&gain) {
        return Ok(gain);
    }
    Err(item.problem(code::OUT_OF_RANGE, format!("is {gain}, allowed is 0 to 1000")))
}
