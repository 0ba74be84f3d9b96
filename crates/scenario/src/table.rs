//! Result tables: columns of equal length with the unit in their names.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A table: named columns, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table(pub Vec<(&'static str, Column)>);

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Measured values; NaN where there is none.
    F64(Vec<f64>),
    /// Counts.
    I64(Vec<i64>),
    /// Words.
    Str(Vec<Word>),
}

/// A word of a column, which rows share.
#[derive(Clone, PartialEq, Eq)]
pub struct Word(Arc<str>);

impl From<&str> for Word {
    fn from(text: &str) -> Word {
        Word(text.into())
    }
}

impl Deref for Word {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq<str> for Word {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other
    }
}

impl PartialEq<&str> for Word {
    fn eq(&self, other: &&str) -> bool {
        *self.0 == **other
    }
}

impl Column {
    /// How many rows it has.
    pub fn len(&self) -> usize {
        match self {
            Column::F64(values) => values.len(),
            Column::I64(values) => values.len(),
            Column::Str(values) => values.len(),
        }
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Table {
    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, column)| column)
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.0.first().map_or(0, |(_, column)| column.len())
    }
}
