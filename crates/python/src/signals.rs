//! Work that Ctrl-C stops.

use core::time::Duration;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use pyo3::prelude::*;

/// How often the interpreter is asked for signals: nobody notices so short a time.
const LOOK: Duration = Duration::from_millis(50);

/// Do some work in a thread of its own, and ask the interpreter for signals meanwhile. After Ctrl-C `cancel` is set,
/// and what the signal raised is the answer once the work has ended.
pub(crate) fn interruptible<T: Send>(py: Python<'_>, work: impl Fn(&AtomicBool) -> T + Send + Sync) -> PyResult<T> {
    let (cancel, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let (waiting, cancel, done) = (thread::current(), &cancel, &done);
    thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let found = work(cancel);
            done.store(true, Ordering::Release);
            waiting.unpark();
            found
        });
        let mut raised = None;
        while !done.load(Ordering::Acquire) && !worker.is_finished() {
            py.detach(|| thread::park_timeout(LOOK));
            if let Err(signal) = py.check_signals() {
                cancel.store(true, Ordering::Relaxed);
                raised.get_or_insert(signal);
            }
        }
        let found = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        raised.map_or(Ok(found), Err)
    })
}
