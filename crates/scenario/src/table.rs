//! Result tables: columns of equal length with the unit in their names.

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
    Str(Vec<String>),
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
