//! One TCP endpoint, driven event by event.

use crate::raise::Cannot;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use script::{Arrived, Sent, flags_of, words_of};

/// A segment as a tuple: time in ns, words, first byte, one past the last, ACK, SACK blocks, echoed clock in ns.
type Departed = (u64, Vec<&'static str>, u64, u64, Option<u64>, Vec<(u64, u64)>, u64);

/// One TCP endpoint without a network: what arrives and when is said from outside.
#[pyclass(unsendable, module = "windlass._core")]
pub(crate) struct Driver(script::Driver);

fn wrong(message: String) -> PyErr {
    Cannot::new_err(message)
}

#[pymethods]
impl Driver {
    /// An endpoint with these options, names and values; segments that arrive have no more than the `largest` payload.
    #[new]
    #[pyo3(signature = (options, largest = 1460))]
    fn new(options: Vec<(String, String)>, largest: u64) -> PyResult<Driver> {
        script::Driver::new(&options, largest.max(1)).map(Driver).map_err(wrong)
    }

    /// The clock, ns.
    #[getter]
    fn now_ns(&self) -> u64 {
        self.0.now().0
    }

    /// The SYN leaves.
    fn open(&mut self) {
        self.0.open();
    }

    /// The application writes that many more bytes.
    fn write(&mut self, bytes: u64) -> PyResult<()> {
        self.0.write(bytes).map_err(wrong)
    }

    /// The clock goes on; timers expire on the way.
    fn advance(&mut self, to_ns: u64, until_sent: bool) -> PyResult<()> {
        self.0.advance(to_ns, until_sent).map_err(wrong)
    }

    /// The device's queue takes nothing from now on.
    fn refuse(&mut self) {
        self.0.refuse();
    }

    /// A segment arrives now.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (words, start = 0, end = 0, ack = 0, sack = Vec::new(), window = 0, stamps_ns = None))]
    fn receive(
        &mut self,
        words: Vec<String>,
        start: u64,
        end: u64,
        ack: u64,
        sack: Vec<(u64, u64)>,
        window: u64,
        stamps_ns: Option<(u64, u64)>,
    ) -> PyResult<()> {
        let flags = flags_of(&words).map_err(wrong)?;
        let arrived = Arrived { flags, data: (start, end), ack, sack, window, stamps_ns };
        self.0.receive(&arrived).map_err(wrong)
    }

    /// What has left since the last call.
    fn take_sent(&mut self) -> Vec<Departed> {
        self.0.take_sent().into_iter().map(departed).collect()
    }

    /// What a sender tells of itself.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        self.0.info().into_iter().try_for_each(|(name, value)| info.set_item(name, value))?;
        Ok(info)
    }
}

fn departed(sent: Sent) -> Departed {
    (sent.at.0, words_of(sent.flags), sent.start, sent.end, sent.ack, sent.sack, sent.echo.0)
}
