//! Long work without the interpreter's lock, which Ctrl-C ends.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use wgalois::{Error, Result};

use crate::errors::raised;

/// The time between two checks for signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `work` on `data` on a thread of its own, without the interpreter's lock, and returns both.
///
/// ```text
/// thread: work
/// caller: until the work is done: wait 50 ms; run Python's signal handlers
///         if one raises (Ctrl-C): raise at once, without waiting for the thread
/// ```
///
/// No computation can be cancelled from outside. After Ctrl-C it goes on in the background to its end; its buffers
/// stay alive until then, and its result is dropped.
///
/// # Errors
/// Those of `work`, as exceptions; what a signal handler raises.
pub fn run<D: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    mut data: D,
    work: impl FnOnce(&mut D) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let (send, mut receive) = channel();
    let body = move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut data)));
        // The data go back with the outcome: to release a buffer takes the interpreter's lock.
        let _ = send.send((outcome, data));
    };
    let thread = thread::Builder::new().name("wgalois".into()).spawn(body);
    raised(py, thread.map(drop).map_err(|e| Error::OutOfMemory(format!("a thread: {e}").into())))?;
    loop {
        let receive = &mut receive;
        match py.detach(move || receive.recv_timeout(PATIENCE)) {
            Ok((Ok(result), data)) => {
                drop(data);
                return raised(py, result);
            }
            Ok((Err(panic), _)) => resume_unwind(panic),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return raised(
                    py,
                    Err(Error::Device("the thread of the work ended without a result".into())),
                );
            }
        }
    }
}
