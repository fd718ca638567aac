//! Long work without the interpreter's lock, which Ctrl-C ends.

use crate::prelude::*;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use wgalois::parallel::{Threads, alone, is_forked};
use wgalois::timeline::{Stop, Timeline};

use crate::forks;

/// The time between two checks for signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// The number of calls that work. In a forked process, those of other threads at the time of the fork.
static WORKING: AtomicUsize = AtomicUsize::new(0);

/// What a call does, for the thread that waits for it.
#[derive(Default)]
struct Call {
    /// The records of the devices that it works on.
    timelines: Vec<Timeline>,
    /// Once it is to end, a stop of each of them. They are dropped with the call, when its thread ends.
    stops: Option<Vec<Stop>>,
}

thread_local! {
    /// The call of this thread.
    static CALL: RefCell<Arc<Mutex<Call>>> = RefCell::default();
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has Ctrl-C stop the work on this device, if the thread that calls does the work of [`run`]. An error if the device was
/// opened before a fork.
pub fn stops(device: &Device) -> Result<()> {
    forks::expect_here(device)?;
    let timeline = device.timeline().clone();
    CALL.with_borrow(|call| {
        let mut call = locked(call);
        if let Some(stops) = &mut call.stops {
            stops.push(timeline.stop());
        }
        call.timelines.push(timeline);
    });
    Ok(())
}

/// A check that is an error once the call of this thread is to end, for work in many parts.
pub fn asks() -> impl Fn() -> Result<()> {
    let call = CALL.with_borrow(Arc::clone);
    move || match locked(&call).stops {
        None => Ok(()),
        Some(_) => Err(Error::Stopped("the work was stopped before it was complete".into())),
    }
}

/// A call that works, until this is dropped.
struct Working;

impl Working {
    /// Begins to work. An error in a process that cannot.
    fn begin() -> Result<Self> {
        forks::expect_idle(&WORKING)?;
        WORKING.fetch_add(1, Ordering::Relaxed);
        Ok(Working)
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        WORKING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Calls `work` as the call of this thread, with the threads of this process.
fn called<T: Send>(call: Arc<Mutex<Call>>, work: impl FnOnce() -> T + Send) -> T {
    let (mut work, mut result) = (Some(work), None);
    call_as(call, &mut || result = work.take().map(|work| work()));
    result.unwrap_or_else(|| unreachable!("the work was called"))
}

/// [`called`] behind a pointer.
fn call_as(call: Arc<Mutex<Call>>, work: &mut (dyn FnMut() + Send)) {
    CALL.set(Arc::clone(&call));
    if is_forked() {
        // The thread that works may be another one.
        Threads::default().enter(|| {
            CALL.set(call);
            work();
            CALL.take();
        });
    } else {
        work();
    }
    CALL.take();
}

/// Runs `work` on `data` as [`run`] does, on this thread if it `is_short`: a millisecond at most. No signal interrupts it then.
pub fn run_short<D: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    is_short: bool,
    mut data: D,
    work: impl FnOnce(&mut D) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    if !is_short {
        return run(py, data, work);
    }
    let working = raised(py, Working::begin())?;
    let result = py.detach(|| {
        let work = || called(Arc::default(), || work(&mut data));
        // Libraries' loops do not know of a fork.
        if is_forked() { work() } else { alone(work) }
    });
    drop(working);
    raised(py, result)
}

/// Runs `work` on `data` on a thread of its own, without the interpreter's lock, and returns both. Errors of `work`
/// are returned as exceptions, and so is what a signal handler raises.
///
/// ```text
/// thread: work
/// caller: until the work is done: wait 50 ms; run Python's signal handlers
///         if one raises (Ctrl-C): stop the devices of the work; raise at once, without waiting for the thread
/// ```
///
/// The thread ends where the library next looks at the stop ([`Timeline::stop`]), or with the work. Its buffers stay
/// alive until then, and its result is dropped.
pub fn run<D: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    mut data: D,
    work: impl FnOnce(&mut D) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let working = raised(py, Working::begin())?;
    let (done, call) = (Arc::new(Mutex::new(None)), Arc::<Mutex<Call>>::default());
    let (place, own) = (Arc::clone(&done), Arc::clone(&call));
    let body = move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| called(own, || work(&mut data))));
        // The data go back with the outcome: to release a buffer takes the interpreter's lock. A fork after the call finds
        // no work.
        *locked(&place) = Some((outcome, data, working));
    };
    wait(py, &call, Box::new(body))?;
    let Some((outcome, data, working)) = locked(&done).take() else {
        return raised(py, Err(Error::Device("the thread of the work ended without a result".into())));
    };
    drop((data, working));
    match outcome {
        Ok(result) => raised(py, result),
        Err(panic) => resume_unwind(panic),
    }
}

/// Runs the body of a call on a thread of its own, and waits for its end. An error if a signal handler raises, which stops the
/// devices of the call.
fn wait(py: Python<'_>, call: &Mutex<Call>, body: Box<dyn FnOnce() + Send>) -> PyResult<()> {
    // The thread sends nothing: the channel closes when it ends.
    let (open, mut closed) = channel::<()>();
    let thread = thread::Builder::new().name("wgalois".into()).spawn(move || {
        body();
        drop(open);
    });
    raised(py, thread.map(drop).map_err(|e| Error::OutOfMemory(format!("a thread: {e}").into())))?;
    loop {
        let closed = &mut closed;
        let Err(RecvTimeoutError::Timeout) = py.detach(move || closed.recv_timeout(PATIENCE)) else {
            return Ok(());
        };
        if let Err(interrupt) = py.check_signals() {
            let mut call = locked(call);
            call.stops = Some(call.timelines.iter().map(Timeline::stop).collect());
            return Err(interrupt);
        }
    }
}

/// Waits until no thread works, at most so many seconds: the interpreter should not end beside work in a driver. False if
/// one still works.
#[pyfunction]
pub fn settle(py: Python<'_>, seconds: f64) -> PyResult<bool> {
    let is_idle = || forks::is_inherited() || WORKING.load(Ordering::Relaxed) == 0;
    let end = Instant::now() + Duration::try_from_secs_f64(seconds).unwrap_or_default();
    while !is_idle() && Instant::now() < end {
        py.detach(|| thread::sleep(Duration::from_millis(5)));
        py.check_signals()?;
    }
    Ok(is_idle())
}
