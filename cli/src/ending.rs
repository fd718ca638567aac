//! The end of a process that has delivered everything.

use std::io::{self, Write};

/// Ends the process without closing its GPUs: the system takes back what they hold, while NVIDIA's driver takes 60 to 80 ms to close a
/// device (measured on an H200, 2026-11-28). Nothing may be left to be written.
pub fn end_now(code: u8) -> ! {
    // The output was flushed with its errors reported, so that this has nothing to do.
    let _ = io::stdout().flush();
    end(i32::from(code))
}

/// Ends without the handlers of the C library: those of a driver would find its threads at work.
#[cfg(unix)]
fn end(code: i32) -> ! {
    // SAFETY: the call takes any code and does not return.
    unsafe { libc::_exit(code) }
}

#[cfg(not(unix))]
fn end(code: i32) -> ! {
    std::process::exit(code)
}
