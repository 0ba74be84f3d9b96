//! Columns from rows.

use net::{CauseRow, LOSS_CAUSES, LossCounts};
use units::Span;

use crate::table::{Column, Word};

/// A column of measured values; NaN where there is none.
pub(super) fn number<R>(rows: &[R], value: impl Fn(&R) -> f64) -> Column {
    Column::F64(rows.iter().map(value).collect())
}

/// A column of counts.
pub(super) fn count<R>(rows: &[R], value: impl Fn(&R) -> u64) -> Column {
    Column::I64(rows.iter().map(|row| i64::try_from(value(row)).unwrap_or(i64::MAX)).collect())
}

/// A column of words.
///
/// Neighbours are mostly equal: one text serves all of them.
pub(super) fn words<'a, R, S: AsRef<str> + 'a>(rows: &'a [R], value: impl Fn(&'a R) -> S) -> Column {
    let mut last = Word::from("");
    let mut word = |row| {
        let text = value(row);
        if last != *text.as_ref() {
            last = text.as_ref().into();
        }
        last.clone()
    };
    Column::Str(rows.iter().map(&mut word).collect())
}

pub(super) fn direction(reverse: bool) -> &'static str {
    if reverse { "reverse" } else { "forward" }
}

/// A column for each cause of loss, under the name that `name` takes from its row.
pub(super) fn by_cause<'a, R>(
    rows: &'a [R],
    name: impl Fn(&'static CauseRow) -> &'static str + 'a,
    losses: impl Fn(&R) -> &LossCounts + 'a,
) -> impl Iterator<Item = (&'static str, Column)> + 'a {
    LOSS_CAUSES.iter().map(move |row| (name(row), count(rows, |r| losses(r)[row.cause])))
}

/// `part / whole`, or NaN where there is nothing to divide by.
pub(super) fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { f64::NAN }
}

/// Seconds, or NaN for a span that was never set.
pub(super) fn seconds(span: Span) -> f64 {
    if span == Span::ZERO { f64::NAN } else { span.secs() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_divided_by_nothing_is_missing() {
        assert!(ratio(0.0, 0.0).is_nan());
        assert_eq!(ratio(1.0, 2.0), 0.5);
    }
}
