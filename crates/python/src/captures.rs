//! Captures of networks as Python dictionaries.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// Read a pcap or pcapng file, given as its bytes. None if it is neither.
#[pyfunction]
pub(crate) fn read_capture<'py>(py: Python<'py>, file: &[u8]) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Ok(capture) = py.detach(|| dissect::read(file)) else { return Ok(None) };
    let found = PyDict::new(py);
    let text = |(address, port): dissect::End| (address.to_string(), port);
    let ends = capture.connections.iter().map(|one| (text(one.first), text(one.second)));
    found.set_item("connections", ends.collect::<Vec<_>>())?;
    for (name, count) in [
        ("packets", capture.packets),
        ("others", capture.others),
        ("short", capture.short),
        ("fragments", capture.fragments),
        ("untimed", capture.untimed),
        ("truncated", capture.truncated),
        ("missed", capture.missed),
        ("interfaces", capture.interfaces),
    ] {
        found.set_item(name, count)?;
    }
    found.set_item("unknown_links", capture.unknown_links)?;
    found.set_item("cut", capture.cut)?;
    found.set_item("broken", capture.broken)?;
    let segments = PyDict::new(py);
    for (name, column) in capture.segments.columns() {
        segments.set_item(name, bytes(py, column))?;
    }
    found.set_item("segments", segments)?;
    found.set_item("sack", capture.segments.sack.each_ref().map(|column| bytes(py, column)))?;
    Ok(Some(found))
}

/// Whole numbers as their little-endian bytes.
fn bytes<'py>(py: Python<'py>, values: &[i64]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    PyBytes::new(py, &bytes)
}
