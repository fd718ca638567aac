//! Handling of signals that end the process: no temporary file is left behind.

use std::sync::{Mutex, PoisonError};

/// Lets an abort end the process with exit code 5, that of memory and devices: the standard library aborts where
/// an allocation fails that cannot be reported, after a message, and so do drivers.
#[cfg(unix)]
pub fn catch_aborts() {
    use signal_hook::low_level::{exit, register};
    // SAFETY: the handler only calls `exit`, which is the system's `_exit` and may be called there.
    let caught = unsafe { register(signal_hook::consts::SIGABRT, || exit(5)) };
    if let Err(error) = caught {
        log::debug!("no handler for aborts: {error}");
    }
}

/// Makes a write past the limit on the size of files (`ulimit -f`) fail with an error, as on a full disk: the
/// signal's default action would end the process without a message.
#[cfg(unix)]
pub fn allow_errors_of_size() {
    // SAFETY: a handler that does nothing may be called anywhere.
    let caught = unsafe { signal_hook::low_level::register(libc::SIGXFSZ, || ()) };
    if let Err(error) = caught {
        log::debug!("no handler for files that are too large: {error}");
    }
}

/// The signals whose default action ends the process, and which it can receive from others or from limits.
#[cfg(unix)]
const ENDING: [i32; 10] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGQUIT,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGXCPU,
];

/// What SIGINT and SIGTERM call in place of the end of the process, once.
static GRACEFUL: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// Lets the first SIGINT or SIGTERM call `end`, which asks the verb to end; the second ends the process at once. Systems without
/// these signals end it at once.
#[cfg_attr(not(feature = "serve"), allow(dead_code, reason = "only the server stays until a signal"))]
pub fn on_end(end: impl FnOnce() + Send + 'static) {
    *GRACEFUL.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(end));
}

/// True if the verb ends itself after this signal.
#[cfg(unix)]
fn ends_gracefully(signal: i32) -> bool {
    let asks = matches!(signal, libc::SIGINT | libc::SIGTERM);
    let mut graceful = GRACEFUL.lock().unwrap_or_else(PoisonError::into_inner);
    let end = graceful.take_if(|_| asks);
    drop(graceful);
    end.map(|end| end()).is_some()
}

/// Removes temporary files when a signal ends the process. The process then ends by that
/// signal as if it had no handler: a shell sees 128 plus the signal's number. A signal that the
/// process was told to ignore, for example by `nohup`, stays ignored, and one that a library handles, such as a
/// profiler, stays the library's.
#[cfg(unix)]
pub fn watch() {
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    let wait = || {
        // The thread is started before the handlers are installed: if it cannot start, signals keep
        // their default action.
        let heeded = ENDING.into_iter().filter(|&signal| has_default_action(signal));
        let Ok(mut signals) = Signals::new(heeded) else { return };
        for signal in signals.forever() {
            if ends_gracefully(signal) {
                continue;
            }
            super::solve::leave_checkpoint();
            let _removed = wgalois::files::remove_unfinished();
            let _ = emulate_default_handler(signal);
            std::process::exit(128 + signal);
        }
    };
    if let Err(error) = std::thread::Builder::new().name("signals".to_owned()).spawn(wait) {
        log::debug!("no thread for signals: {error}");
    }
}

#[cfg(unix)]
fn has_default_action(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with a null pointer for the new action, the call changes nothing and fills the struct
    // behind the other pointer. All zeros are a valid value of that struct.
    let action = unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        action.assume_init()
    };
    action.sa_sigaction == libc::SIG_DFL
}

/// Other systems have no such signals.
#[cfg(not(unix))]
pub fn watch() {}

/// Other systems have no such signals.
#[cfg(not(unix))]
pub fn catch_aborts() {}

/// Other systems have no such signals.
#[cfg(not(unix))]
pub fn allow_errors_of_size() {}
