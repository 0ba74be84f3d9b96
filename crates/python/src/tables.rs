//! Result tables as Python dictionaries.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use scenario::{Column, RunResult, Table};
use serde_json::Value;

/// A scalar JSON value as a Python one; anything else as its text.
pub(crate) fn scalar<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Bool(on) => on.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(n) => match n.as_i64() {
            Some(whole) => whole.into_pyobject(py)?.into_any(),
            None => n.as_f64().into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        other => other.to_string().into_pyobject(py)?.into_any(),
    })
}

/// Every table of a run by its name.
pub(crate) fn all(py: Python<'_>, result: RunResult) -> PyResult<Bound<'_, PyDict>> {
    let tables = PyDict::new(py);
    tables.set_item("flows", table(py, result.flows)?)?;
    tables.set_item("links", table(py, result.links)?)?;
    tables.set_item("stations", table(py, result.stations)?)?;
    tables.set_item("traces", table(py, result.traces)?)?;
    tables.set_item("events", table(py, result.events)?)?;
    tables.set_item("losses", table(py, result.losses)?)?;
    tables.set_item("tapes", table(py, result.tapes)?)?;
    Ok(tables)
}

fn table(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let columns = PyDict::new(py);
    for (name, column) in table.0 {
        columns.set_item(name, self::column(py, column)?)?;
    }
    Ok(columns)
}

/// Numbers as the type and the little-endian bytes; words as a list of those that differ from the one before, and the
/// number of each row's as the bytes of 32-bit integers.
fn column(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    match column {
        Column::F64(values) => {
            ("f8", bytes(py, &values, |value| value.to_le_bytes())?).into_pyobject(py).map(Bound::into_any)
        }
        Column::I64(values) => {
            ("i8", bytes(py, &values, |value| value.to_le_bytes())?).into_pyobject(py).map(Bound::into_any)
        }
        Column::Str(words) => {
            // neighbours are mostly equal
            let list = PyList::empty(py);
            let mut numbers = Vec::with_capacity(words.len());
            for (at, word) in words.iter().enumerate() {
                if at == 0 || *word != words[at - 1] {
                    list.append(&**word)?;
                }
                numbers.push(i32::try_from(list.len() - 1)?);
            }
            (list, bytes(py, &numbers, |number| number.to_le_bytes())?).into_pyobject(py).map(Bound::into_any)
        }
    }
}

fn bytes<'py, T, const N: usize>(
    py: Python<'py>,
    values: &[T],
    each: impl Fn(&T) -> [u8; N],
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, values.len() * N, |out| {
        out.chunks_exact_mut(N).zip(values).for_each(|(out, value)| out.copy_from_slice(&each(value)));
        Ok(())
    })
}
