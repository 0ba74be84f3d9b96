//! Congestion control written in Python: the engine's events become calls of an object's methods.
//!
//! The object keeps its window in the attributes `cwnd` and `ssthresh`, bytes, which are read after each call. An
//! exception ends the object's part in the run: its window stays at one segment, and [`take_failure`] gives the
//! exception when the run is over.

use std::cell::{Cell, RefCell};

use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use scenario::outside::{
    Ack, Bytes, Cause, Config, Congestion, CongestionControl, Halving, Kind, Maker, Outside, Path, Rate, RecoveryExit,
    Response, Span, Time, Windows,
};
use scenario::{ForeignAlgorithm, ForeignDefault};

thread_local! {
    /// What went wrong first in the run on this thread.
    static FAILURE: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    /// What the segments take that the windows of the run on this thread let out, bytes.
    static OUT: Cell<f64> = const { Cell::new(0.0) };
    /// What they may take.
    static ALLOWED: Cell<f64> = const { Cell::new(f64::INFINITY) };
    /// Memory of the process at the first large window, bytes, and how many were read since.
    static BEGAN: Cell<(f64, u32)> = const { Cell::new((0.0, 0)) };
}

/// Memory of a segment that is out, bytes, as the [estimate](scenario::Point::estimate) has it.
const SEGMENT_BYTES: f64 = 200.0;

/// What segments that are out take before the memory of the process is looked at, bytes: what is lost and sent again
/// takes more than what is out.
const LARGE: f64 = 10e6;
/// Every so many large windows.
const LOOK: u32 = 8;

/// A run begins on this thread whose memory is limited. The estimate before a run cannot know the windows of a class.
pub(crate) fn allow(memory_bytes: Option<f64>) {
    OUT.set(0.0);
    ALLOWED.set(memory_bytes.unwrap_or(f64::INFINITY));
    BEGAN.set((0.0, 0));
}

/// Memory of the process, bytes; 0 where the system does not tell.
fn resident_bytes(py: Python<'_>) -> PyResult<f64> {
    py.import("windlass.control")?.call_method0("resident_bytes")?.extract()
}

/// How much the memory of the process has grown, if it is looked at now.
fn grown_bytes(py: Python<'_>) -> PyResult<f64> {
    let (began, looks) = BEGAN.get();
    let now = if looks % LOOK == 0 { resident_bytes(py)? } else { 0.0 };
    BEGAN.set((if looks == 0 { now } else { began }, looks + 1));
    Ok(if looks == 0 { 0.0 } else { now - began })
}

/// The exception that stopped an object in the run that has just ended on this thread.
pub(crate) fn take_failure() -> Option<PyErr> {
    FAILURE.with_borrow_mut(Option::take)
}

/// Keep an exception, with the class and the method in which it arose: the traceback alone does not name them where it
/// is what a method answered or left in the object that is wrong.
fn fail(py: Python<'_>, error: PyErr, class: &Bound<'_, PyAny>, method: &str) {
    // An exception that takes no attributes keeps its traceback.
    let _ = error.value(py).setattr(intern!(py, "windlass_place"), (class, method));
    FAILURE.with_borrow_mut(|failure| {
        failure.get_or_insert(error);
    });
}

/// One arriving ACK. Times in seconds, amounts in bytes.
#[pyclass(frozen, get_all, name = "Ack", module = "windlass._core")]
pub(crate) struct AckView {
    now: f64,
    newly_acked: f64,
    grows: bool,
    slow_start: f64,
    avoidance: f64,
    in_recovery: bool,
    gap: bool,
    rtt: Option<f64>,
    receiver_time: Option<f64>,
    one_way_delay: Option<f64>,
    marked: bool,
    ce: f64,
    round_ended: bool,
    round_sent: f64,
}

/// A loss or mark.
#[pyclass(frozen, name = "Congestion", module = "windlass._core")]
pub(crate) struct CongestionView {
    #[pyo3(get)]
    now: f64,
    #[pyo3(get)]
    cause: &'static str,
    #[pyo3(get)]
    cut_already: bool,
    #[pyo3(get)]
    timeouts: u32,
    #[pyo3(get)]
    retransmitted: bool,
    #[pyo3(get)]
    sent_at: Option<f64>,
    #[pyo3(get)]
    hold_ssthresh: bool,
    halving: Halving,
}

#[pymethods]
impl CongestionView {
    #[getter]
    fn half_base(&self) -> f64 {
        self.halving.base().0
    }

    /// Window and threshold after keeping a share of what is halved.
    fn keep(&self, share: f64) -> PyResult<(f64, f64)> {
        if !(share.is_finite() && share >= 0.0) {
            return Err(PyValueError::new_err(format!("keep({share}): a share is a number from 0")));
        }
        let kept = self.halving.keep(share);
        Ok((kept.cwnd.0, kept.ssthresh.0))
    }
}

/// What the engine knows of the connection.
#[pyclass(frozen, name = "Path", module = "windlass._core")]
pub(crate) struct PathView(Path);

#[pymethods]
impl PathView {
    #[getter]
    fn mss(&self) -> f64 {
        self.0.mss.0
    }

    #[getter]
    fn srtt(&self) -> f64 {
        self.0.srtt.secs()
    }

    #[getter]
    fn rtt(&self) -> f64 {
        self.0.rtt.secs()
    }

    #[getter]
    fn rtt_min(&self) -> f64 {
        self.0.rtt_min.secs()
    }

    #[getter]
    fn flight_size(&self) -> f64 {
        self.0.flight_size.0
    }

    #[getter]
    fn rwnd(&self) -> f64 {
        self.0.rwnd.0
    }

    #[getter]
    fn dup_threshold(&self) -> u32 {
        self.0.dup_threshold
    }

    /// What is halved is known only while it is.
    fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
        let instead = match name {
            "keep" => "`path.keep(share)` is `event.keep(share)`, in on_congestion",
            "half_base" => "`path.half_base` is `event.half_base`, in on_congestion",
            _ => return Err(PyAttributeError::new_err(format!("a Path has no attribute `{name}`"))),
        };
        Err(PyAttributeError::new_err(instead))
    }
}

/// What `on_congestion` may answer.
pub(crate) const RESPONSES: &[(&str, Response)] = &[
    ("reduced", Response::Reduced),
    ("same-window", Response::SameWindow),
    ("random", Response::Random),
    ("reduced-as-random", Response::ReducedAsRandom),
    ("undecided", Response::Undecided),
];

/// What `on_congestion` is told.
pub(crate) const CAUSES: &[(&str, Cause)] =
    &[("dup-acks", Cause::DupAcks), ("rto", Cause::Rto), ("ecn-mark", Cause::EcnMark)];

/// An object with its window as last read.
#[derive(Debug)]
struct Control {
    object: Option<Py<PyAny>>,
    windows: Windows,
    pacing: Option<Rate>,
    paces: bool,
    /// Its part of [`OUT`].
    out: f64,
}

impl Control {
    /// Call a method, if the object still takes part, and read the window. The answer is what `read` makes of the
    /// result.
    fn call<R>(&mut self, path: &Path, method: &str, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<R>) -> Option<R> {
        let object = self.object.as_ref()?;
        let (paces, mut out) = (self.paces, self.out);
        let made = Python::attach(|py| {
            let object = object.bind(py);
            let read = || -> PyResult<(R, f64, f64)> {
                let result = call(object)?;
                let cwnd = window(object, intern!(py, "cwnd"), true)?;
                out = claim(py, cwnd, path, paces, out)?;
                Ok((result, cwnd, window(object, intern!(py, "ssthresh"), false)?))
            };
            let paced = || -> PyResult<Option<f64>> {
                if paces { rate(&object.call_method0(intern!(py, "pacing_rate"))?) } else { Ok(None) }
            };
            let (result, cwnd, ssthresh) = read().map_err(|error| fail(py, error, &object.get_type(), method)).ok()?;
            let pacing = paced().map_err(|error| fail(py, error, &object.get_type(), "pacing_rate")).ok()?;
            Some((result, cwnd, ssthresh, pacing))
        });
        self.out = out;
        if let Some((result, cwnd, ssthresh, pacing)) = made {
            self.windows = Windows { cwnd: Bytes(cwnd), ssthresh: Bytes(ssthresh) };
            self.pacing = pacing.map(Rate);
            Some(result)
        } else {
            self.object = None;
            self.windows = Windows { cwnd: path.mss, ssthresh: path.mss };
            None
        }
    }

    /// Set an attribute of the object, if it still takes part.
    fn assign(&mut self, name: &str, value: Bytes) -> bool {
        let Some(object) = self.object.as_ref() else { return false };
        let set = Python::attach(|py| {
            let object = object.bind(py);
            object.setattr(name, value.0).map_err(|error| fail(py, error, &object.get_type(), name)).is_ok()
        });
        if !set {
            self.object = None;
        }
        set
    }
}

/// A window of the object: bytes. The threshold may be infinite; a window without end would never stop sending.
fn window(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>, finite: bool) -> PyResult<f64> {
    let found = object.getattr(name)?;
    match found.extract::<f64>() {
        Ok(value) if value >= 0.0 && (value.is_finite() || !finite) => Ok(value),
        _ => {
            let what = if finite { "a finite number of bytes from 0" } else { "bytes from 0" };
            Err(PyValueError::new_err(format!("`{name}` is {}, must be {what}", found.repr()?)))
        }
    }
}

/// Memory of what a window lets out, where `out` was that of the window before. What is paced leaves step by step:
/// there it is what has left.
fn claim(py: Python<'_>, cwnd: f64, path: &Path, paces: bool, out: f64) -> PyResult<f64> {
    let bytes = if paces { path.flight_size.0 } else { cwnd.min(path.rwnd.0) };
    let now = bytes / path.mss.0 * SEGMENT_BYTES;
    let (all, allowed) = (OUT.get() - out + now, ALLOWED.get());
    let all = if now > LARGE { all.max(grown_bytes(py)?) } else { all };
    if all > allowed {
        return Err(PyValueError::new_err(format!(
            "`cwnd` is {cwnd:.4e}: the segments that it and other flows let out take up to {:.0} MB, and {:.0} MB are \
             allowed; keep it near the path's bandwidth-delay product, or allow more with `--max-memory`",
            all / 1e6,
            allowed / 1e6
        )));
    }
    OUT.set(OUT.get() - out + now);
    Ok(now)
}

/// A method whose answer means nothing has run, unless it answered a generator or a coroutine, of which nothing has.
fn ran(answer: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = answer.py();
    if !answer.is_none() && (answer.hasattr(intern!(py, "send"))? || answer.hasattr(intern!(py, "asend"))?) {
        let found = answer.get_type().name()?;
        return Err(PyValueError::new_err(format!("it answered a {found}, of which nothing was run")));
    }
    Ok(())
}

/// What `pacing_rate` answered.
fn rate(answer: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    match answer.extract::<Option<f64>>() {
        Ok(None) => Ok(None),
        Ok(Some(rate)) if rate.is_finite() && rate > 0.0 => Ok(Some(rate)),
        _ => Err(PyValueError::new_err(format!(
            "pacing_rate answered {}, must be payload bytes per second above 0, or None",
            answer.repr()?
        ))),
    }
}

fn response(answer: &Bound<'_, PyAny>) -> PyResult<Response> {
    if answer.is_none() {
        return Ok(Response::Reduced);
    }
    let word = answer.extract::<String>().ok();
    match RESPONSES.iter().find(|(known, _)| Some(*known) == word.as_deref()) {
        Some((_, response)) => Ok(*response),
        None => Err(PyValueError::new_err(format!(
            "on_congestion answered {}, must be a windlass.Response or None",
            answer.repr()?
        ))),
    }
}

impl CongestionControl for Control {
    fn on_init(&mut self, cwnd: Bytes, ssthresh: Bytes, path: &Path) {
        self.call(path, "on_init", |object| {
            ran(&object.call_method1(intern!(object.py(), "on_init"), (cwnd.0, ssthresh.0, PathView(*path)))?)?;
            if object.getattr(intern!(object.py(), "cwnd"))?.eq(0.0)? {
                return Err(PyValueError::new_err(
                    "`cwnd` is 0 after on_init: set it, or call super().on_init(cwnd, ssthresh, path)",
                ));
            }
            Ok(())
        });
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        let view = AckView {
            now: ack.now.secs(),
            newly_acked: ack.newly_acked.0,
            grows: ack.grows,
            slow_start: ack.slow_start.0,
            avoidance: ack.avoidance.0,
            in_recovery: ack.in_recovery,
            gap: ack.gap,
            rtt: ack.rtt.map(Span::secs),
            receiver_time: ack.receiver_time.map(Time::secs),
            one_way_delay: ack.one_way_delay.map(Span::secs),
            marked: ack.marked,
            ce: ack.ce.0,
            round_ended: ack.round.is_some(),
            round_sent: ack.round.map_or(0.0, |round| round.sent.0),
        };
        self.call(path, "on_ack", |object| {
            ran(&object.call_method1(intern!(object.py(), "on_ack"), (view, PathView(*path)))?)
        });
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let view = CongestionView {
            now: event.now.secs(),
            cause: CAUSES.iter().find(|(_, cause)| *cause == event.cause).expect("every cause is in the table").0,
            cut_already: event.cut_already,
            timeouts: event.timeouts,
            retransmitted: event.retransmitted,
            sent_at: event.sent_at.map(Time::secs),
            hold_ssthresh: event.hold_ssthresh,
            halving: event.halving,
        };
        self.call(path, "on_congestion", |object| {
            response(&object.call_method1(intern!(object.py(), "on_congestion"), (view, PathView(*path)))?)
        })
        .unwrap_or(Response::Reduced)
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit, path: &Path) {
        let (now, proposed) = (exit.now.secs(), exit.window.0);
        self.call(path, "on_recovery_exit", |object| {
            ran(&object.call_method1(intern!(object.py(), "on_recovery_exit"), (now, proposed, PathView(*path)))?)
        });
    }

    fn windows(&self) -> Windows {
        self.windows
    }

    fn set_windows(&mut self, windows: Windows) {
        if self.assign("cwnd", windows.cwnd) && self.assign("ssthresh", windows.ssthresh) {
            self.windows = windows;
        }
    }

    fn set_cwnd(&mut self, cwnd: Bytes) {
        if self.assign("cwnd", cwnd) {
            self.windows.cwnd = cwnd;
        }
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.pacing
    }
}

impl Outside for Control {
    fn copy(&self) -> Box<dyn Outside> {
        let object = self.object.as_ref().and_then(|object| {
            Python::attach(|py| {
                let object = object.bind(py);
                let copied = py.import("copy").and_then(|copy| copy.call_method1("deepcopy", (object,)));
                copied.map(Bound::unbind).map_err(|error| fail(py, error, &object.get_type(), "__deepcopy__")).ok()
            })
        });
        Box::new(Control { object, out: 0.0, ..*self })
    }
}

/// Make an object of the class with these parameters.
fn make(class: &Py<PyAny>, config: &Config, paces: bool) -> Control {
    let object = Python::attach(|py| {
        let class = class.bind(py);
        let made = || -> PyResult<Py<PyAny>> {
            let given = PyDict::new(py);
            for parameter in config.row().parameters {
                match parameter.kind {
                    Kind::Flag(_) => given.set_item(parameter.name, config.flag(parameter.name))?,
                    _ => given.set_item(parameter.name, config.number(parameter.name))?,
                }
            }
            Ok(class.call((), Some(&given))?.unbind())
        };
        made().map_err(|error| fail(py, error, class, "__init__")).ok()
    });
    Control { object, windows: Windows::default(), pacing: None, paces, out: 0.0 }
}

/// Make a class known under a name. `parameters`: name and default, a number or a bool. `source`: hash of its source.
#[pyfunction]
#[pyo3(signature = (class, name, summary, recovery, parameters, source, *, judges_losses, hears_every_loss, uses_marks, needs_receiver_time, paces))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn register_algorithm(
    class: Py<PyAny>,
    name: String,
    summary: String,
    recovery: String,
    parameters: Vec<(String, Bound<'_, PyAny>)>,
    source: String,
    judges_losses: bool,
    hears_every_loss: bool,
    uses_marks: bool,
    needs_receiver_time: bool,
    paces: bool,
) -> PyResult<()> {
    let default = |value: &Bound<'_, PyAny>| -> PyResult<ForeignDefault> {
        match value.extract::<bool>() {
            Ok(on) => Ok(ForeignDefault::Flag(on)),
            Err(_) => value.extract().map(ForeignDefault::Number),
        }
    };
    let parameters =
        parameters.iter().map(|(key, value)| Ok((key.clone(), default(value)?))).collect::<PyResult<_>>()?;
    let maker = Maker(Box::new(move |config| Box::new(make(&class, config, paces))));
    scenario::register(ForeignAlgorithm {
        name,
        summary,
        recovery,
        judges_losses,
        hears_every_loss,
        uses_marks,
        needs_receiver_time,
        paces,
        parameters,
        source,
        maker,
    })
    .map_err(PyValueError::new_err)
}
