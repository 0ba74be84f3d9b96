//! The one place where Rust errors become Python exceptions.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use scenario::RunError;

pyo3::create_exception!(
    windlass._core,
    InputError,
    PyException,
    "The scenario is wrong. Attributes: code, message, file, line, hint."
);
pyo3::create_exception!(windlass._core, Cancelled, PyException, "The run was stopped by its `Cancel` token.");

pyo3::create_exception!(windlass._core, Cannot, PyException, "An endpoint was asked for something that it cannot do.");

/// The exception for an error.
pub(crate) fn raise(py: Python<'_>, error: impl Into<RunError>) -> PyErr {
    match error.into() {
        RunError::Cancelled => Cancelled::new_err("the run was cancelled"),
        RunError::Input(error) => {
            let raised = InputError::new_err(error.to_string());
            let value = raised.value(py);
            let set = || -> PyResult<()> {
                value.setattr("code", error.code)?;
                value.setattr("message", error.message)?;
                value.setattr("file", error.file)?;
                value.setattr("line", error.line)?;
                value.setattr("hint", error.hint)
            };
            // An exception that cannot carry its attributes is worth less than the reason why.
            set().err().unwrap_or(raised)
        }
    }
}
