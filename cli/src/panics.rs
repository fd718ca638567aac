//! A panic, which only a defect of this program or of a library can cause, ends the process with one message.

use super::streams::complain;
use crate::prelude::*;
use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// The exit code of an internal error; EX_SOFTWARE of sysexits.h.
const INTERNAL: u8 = 70;

/// What libraries say where the system refuses a thread or memory that they take for granted: errors EAGAIN and ENOMEM.
const SHORTAGES: [&str; 4] =
    ["Resource temporarily unavailable", "Cannot allocate memory", "ThreadPoolBuildError", "OutOfMemory"];

/// Ends the process at the first panic, of whatever thread: others may wait for the one that panics.
pub fn catch() {
    std::panic::set_hook(Box::new(|panic| {
        static ENDS: AtomicBool = AtomicBool::new(false);
        while ENDS.swap(true, Ordering::SeqCst) {
            // Another thread ends the process.
            thread::sleep(Duration::from_secs(1));
        }
        let trace = Backtrace::capture();
        let code = complain_of(panic);
        if trace.status() == BacktraceStatus::Captured {
            let _ = writeln!(io::stderr(), "{trace}");
        }
        end(code);
    }));
}

/// Prints the message of a panic, and returns its exit code.
fn complain_of(panic: &PanicHookInfo<'_>) -> u8 {
    let message = text(panic.payload());
    let place = panic.location().map(|place| format!(" at {place}")).unwrap_or_default();
    match SHORTAGES.iter().any(|shortage| message.contains(shortage)) {
        true => {
            let error = Error::OutOfMemory("the system refuses a thread or its memory".to_owned().into());
            super::streams::complain_of(&error);
            error.exit_code()
        }
        false => {
            complain(&format!("an internal error: {message}{place}; please report it"));
            INTERNAL
        }
    }
}

fn text(payload: &dyn Any) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

/// Ends the process without unwinding any thread. Temporary files are removed by a thread of its own: the one that panics
/// may be in the middle of their list.
fn end(code: u8) -> ! {
    let (send, removed) = std::sync::mpsc::channel();
    let remove = move || {
        let removed = wgalois::files::remove_unfinished();
        // The list stays locked until the process ends.
        let _ = send.send(());
        std::mem::forget(removed);
    };
    if thread::Builder::new().spawn(remove).is_ok() {
        let _ = removed.recv_timeout(Duration::from_secs(1));
    }
    #[cfg(unix)]
    signal_hook::low_level::exit(code.into());
    #[cfg(not(unix))]
    std::process::exit(code.into());
}
