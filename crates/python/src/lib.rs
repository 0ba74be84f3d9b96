//! The extension module `windlass._core`: conversion between Python and the crates `scenario`, `script` and `dissect`,
//! no decisions.

mod captures;
mod control;
mod driver;
mod memory;
mod raise;
mod signals;
mod tables;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use scenario::{Limits, RunOptions, Source};

use raise::raise;
use signals::interruptible;

type Sets = Vec<(String, String)>;

/// Stops runs from another thread.
#[pyclass(frozen, module = "windlass._core")]
#[derive(Default)]
struct Cancel(Arc<AtomicBool>);

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Cancel {
        Cancel::default()
    }

    /// Stop the runs that were given this token, and those that will be.
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether `set` was called.
    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A checked description of one run or a sweep.
#[pyclass(frozen, module = "windlass._core")]
struct Scenario(scenario::Scenario);

#[pymethods]
impl Scenario {
    /// Read TOML text. Files that it names are looked for in `folder`, or else in that of `filename`.
    #[staticmethod]
    #[pyo3(signature = (text, filename, sets = Sets::new(), folder = None))]
    fn from_toml(
        py: Python<'_>,
        text: &str,
        filename: &str,
        sets: Sets,
        folder: Option<PathBuf>,
    ) -> PyResult<Scenario> {
        let folder = folder.as_deref();
        let read = interruptible(py, |cancel| {
            Source { text, file: filename, folder, sets: &sets, cancel: Some(cancel) }.toml()
        });
        read?.map(Scenario).map_err(|error| raise(py, error))
    }

    /// Read JSON text of the same form.
    #[staticmethod]
    #[pyo3(signature = (text, filename = "<dict>", sets = Sets::new()))]
    fn from_json(py: Python<'_>, text: &str, filename: &str, sets: Sets) -> PyResult<Scenario> {
        let read = interruptible(py, |cancel| {
            Source { text, file: filename, folder: None, sets: &sets, cancel: Some(cancel) }.json()
        });
        read?.map(Scenario).map_err(|error| raise(py, error))
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.0.seeds().to_vec()
    }

    #[getter]
    fn duration_s(&self) -> f64 {
        self.0.duration_s()
    }

    /// The description with the overrides laid over it, without defaults, as JSON.
    fn document(&self) -> String {
        self.0.document()
    }

    /// The points of the sweep, the last axis fastest.
    fn points(&self) -> Vec<Point> {
        self.0.points().into_iter().map(Point).collect()
    }
}

/// One point of a sweep: everything chosen but the seed.
#[pyclass(frozen, module = "windlass._core")]
struct Point(scenario::Point);

#[pymethods]
impl Point {
    /// The swept keys with this point's values.
    #[getter]
    fn axes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let axes = PyDict::new(py);
        for (key, value) in self.0.axes() {
            axes.set_item(key, tables::scalar(py, &value)?)?;
        }
        Ok(axes)
    }

    /// The description with overrides and this point's values laid over it, without defaults, as JSON.
    fn document(&self, py: Python<'_>) -> PyResult<String> {
        self.0.document().map_err(|error| raise(py, error))
    }

    /// The connections in order, as JSON.
    fn flows(&self, py: Python<'_>) -> PyResult<String> {
        self.0.flows().map_err(|error| raise(py, error))
    }

    /// The same point with other values.
    fn with_(&self, py: Python<'_>, sets: Sets) -> PyResult<Point> {
        py.detach(|| self.0.with(&sets)).map(Point).map_err(|error| raise(py, error))
    }

    /// The description with every default filled, as JSON.
    fn effective(&self, py: Python<'_>) -> PyResult<String> {
        self.0.effective().map_err(|error| raise(py, error))
    }

    /// Times in milliseconds at which a link can deliver 1504 bytes more, until the end of the run.
    #[pyo3(signature = (link, reverse = false, memory_bytes = None))]
    fn opportunities(
        &self,
        py: Python<'_>,
        link: &str,
        reverse: bool,
        memory_bytes: Option<f64>,
    ) -> PyResult<Vec<u32>> {
        py.detach(|| self.0.opportunities(link, reverse, memory_bytes)).map_err(|error| raise(py, error))
    }

    /// What the links can carry of the data of these groups, as JSON.
    fn capacity(&self, py: Python<'_>, groups: Vec<String>) -> PyResult<String> {
        py.detach(|| self.0.capacity(&groups)).map_err(|error| raise(py, error))
    }

    /// How the path of the data of these groups changes in the run with this seed, as JSON.
    fn course(&self, py: Python<'_>, groups: Vec<String>, seed: u64, bin_s: f64) -> PyResult<String> {
        py.detach(|| self.0.course(&groups, seed, bin_s)).map_err(|error| raise(py, error))
    }

    /// Between which values the path of the data of these groups can be, as JSON.
    fn range(&self, py: Python<'_>, groups: Vec<String>, bin_s: f64) -> PyResult<String> {
        py.detach(|| self.0.range(&groups, bin_s)).map_err(|error| raise(py, error))
    }

    /// What one run needs at most, as JSON.
    fn estimate(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.0.estimate()).map_err(|error| raise(py, error))
    }

    /// How long one frame of each kind takes on each radio medium, as JSON.
    fn exchanges(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.0.exchanges()).map_err(|error| raise(py, error))
    }

    /// What frames of base stations hold, and who serves each mobile when, as JSON.
    fn cells(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.0.cells()).map_err(|error| raise(py, error))
    }

    /// Stations and mobiles that are out of reach at some time, as JSON.
    fn absences(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.0.absences()).map_err(|error| raise(py, error))
    }

    /// Where stations, base stations and mobiles are, when, and how far each is heard, as JSON.
    fn map(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.0.map()).map_err(|error| raise(py, error))
    }

    /// Key of the run with this seed.
    fn key(&self, py: Python<'_>, seed: i64) -> PyResult<String> {
        scenario::seed(seed).and_then(|seed| self.0.key(seed)).map_err(|error| raise(py, error))
    }

    /// What this point's runs have alike, as a hash.
    fn setting(&self, py: Python<'_>) -> PyResult<String> {
        self.0.setting().map_err(|error| raise(py, error))
    }

    /// Number of the last change of results that concerns this point's runs.
    fn results(&self, py: Python<'_>) -> PyResult<u32> {
        self.0.results().map_err(|error| raise(py, error))
    }

    /// Run with this seed, if that takes no more than so many bytes and seconds. The interpreter is free meanwhile.
    #[pyo3(signature = (seed, cancel = None, memory_bytes = None, seconds = None))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        seed: i64,
        cancel: Option<&Cancel>,
        memory_bytes: Option<f64>,
        seconds: Option<f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let cancel = cancel.map(|cancel| &*cancel.0);
        let limits = Limits { memory_bytes, seconds };
        let seed = scenario::seed(seed).map_err(|error| raise(py, error))?;
        control::allow(memory_bytes);
        let result = py.detach(|| self.0.run(seed, &RunOptions { cancel, limits }));
        if let Some(failure) = control::take_failure() {
            return Err(failure);
        }
        tables::all(py, result.map_err(|error| raise(py, error))?)
    }

    /// Run with this seed, and write what passes points of the network as a pcapng file. Returns the tables of the run,
    /// and what was written as JSON.
    #[pyo3(signature = (seed, wanted, cancel = None, memory_bytes = None, seconds = None))]
    fn capture<'py>(
        &self,
        py: Python<'py>,
        seed: i64,
        wanted: Captured<'py>,
        cancel: Option<&Cancel>,
        memory_bytes: Option<f64>,
        seconds: Option<f64>,
    ) -> PyResult<(Bound<'py, PyDict>, String)> {
        let cancel = cancel.map(|cancel| &*cancel.0);
        let seed = scenario::seed(seed).map_err(|error| raise(py, error))?;
        let limits = Limits { memory_bytes, seconds };
        let Captured { points, flows, limit, payload, write } = wanted;
        let asked = scenario::Wanted { points, flows, limit };
        control::allow(memory_bytes);
        let result = py.detach(|| self.0.capture(seed, &asked, &RunOptions { cancel, limits }));
        if let Some(failure) = control::take_failure() {
            return Err(failure);
        }
        let capture = result.map_err(|error| raise(py, error))?;
        for piece in capture.pieces(payload) {
            write.call1((PyBytes::new(py, &piece),))?;
        }
        let summary = capture.summary().to_string();
        Ok((tables::all(py, capture.tables)?, summary))
    }
}

/// What of a run's packets is kept, and who gets the file.
#[derive(FromPyObject)]
struct Captured<'py> {
    points: Vec<String>,
    flows: Vec<String>,
    limit: usize,
    payload: bool,
    /// Called with each piece of the file.
    write: Bound<'py, PyAny>,
}

/// Hold an algorithm against a tape: that of its head, or `other`, JSON. Returns JSON.
#[pyfunction]
#[pyo3(signature = (text, filename, other = None))]
fn replay(py: Python<'_>, text: &str, filename: &str, other: Option<&str>) -> PyResult<String> {
    control::allow(None);
    let found = scenario::replay(text, filename, other);
    if let Some(failure) = control::take_failure() {
        return Err(failure);
    }
    found.map_err(|error| raise(py, error))
}

/// Every algorithm, as JSON.
#[pyfunction]
fn algorithms() -> String {
    scenario::algorithms()
}

/// Every algorithm that was registered, as JSON.
#[pyfunction]
fn registered() -> String {
    scenario::registered()
}

/// Every topology, as JSON.
#[pyfunction]
fn topologies() -> String {
    scenario::topologies()
}

/// Every model of loss, as JSON.
#[pyfunction]
fn loss_models() -> String {
    scenario::loss_models()
}

/// Every queue discipline, as JSON.
#[pyfunction]
fn queues() -> String {
    scenario::queues()
}

/// Every model of jitter, as JSON.
#[pyfunction]
fn jitter_models() -> String {
    scenario::jitter_models()
}

/// Every kind of traffic that UDP carries, as JSON.
#[pyfunction]
fn traffic_kinds() -> String {
    scenario::traffic_kinds()
}

/// Every transport of the table of flows, as JSON.
#[pyfunction]
fn transports() -> String {
    scenario::transports()
}

/// Every cause of loss, as JSON.
#[pyfunction]
fn loss_causes() -> String {
    scenario::loss_causes()
}

/// Every kind of window change, as JSON.
#[pyfunction]
fn window_events() -> String {
    scenario::window_events()
}

/// Every series that can be recorded, as JSON.
#[pyfunction]
fn series() -> String {
    scenario::series()
}

/// Words that Python names as well, as JSON: those of some keys, answers of a class, causes that it is told.
#[pyfunction]
fn words() -> String {
    let mut words = scenario::words();
    words["responses"] = control::RESPONSES.iter().map(|(word, _)| *word).collect();
    words["congestion_causes"] = control::CAUSES.iter().map(|(word, _)| *word).collect();
    words.to_string()
}

/// Every engine rule, as JSON.
#[pyfunction]
fn rules() -> String {
    scenario::rules()
}

/// Every key that a description can have, as JSON.
#[pyfunction]
fn keys() -> String {
    scenario::keys()
}

/// A TOML document as JSON: each value as a list of its line and itself.
#[pyfunction]
fn toml_with_lines(py: Python<'_>, text: &str, filename: &str) -> PyResult<String> {
    scenario::toml_with_lines(text, filename).map_err(|error| raise(py, error))
}

/// Number of the last change of results that concerns runs of an effective description; 0 if it is none.
#[pyfunction]
fn results_of(description: &str) -> u32 {
    scenario::results_of(description)
}

/// Every error, as JSON.
#[pyfunction]
fn errors() -> String {
    scenario::errors_json()
}

/// Scenarios and runs, in Rust.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::captures::read_capture;
    #[pymodule_export]
    use super::control::{AckView, CongestionView, PathView, register_algorithm};
    #[pymodule_export]
    use super::driver::Driver;
    #[pymodule_export]
    use super::raise::{Cancelled, Cannot, InputError};
    #[pymodule_export]
    use super::{
        Cancel, Point, Scenario, algorithms, errors, jitter_models, keys, loss_causes, loss_models, queues, registered,
        replay, results_of, rules, series, toml_with_lines, topologies, traffic_kinds, transports, window_events,
        words,
    };
    #[pymodule_export]
    const NOT_LOST: &str = scenario::NOT_LOST;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("ENGINE_VERSION", scenario::ENGINE_VERSION.as_str())?;
        module.add("COLUMNS", scenario::columns())
    }
}
