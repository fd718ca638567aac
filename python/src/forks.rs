//! Processes that were forked from one that loaded this module, as `multiprocessing` starts them by the method "fork".
//!
//! The CPU engine works in them: its loops get threads of their own. A driver of a GPU works in the process only that loaded it,
//! so that its devices and what is on them are refused. If another thread worked at the time of the fork, locks that it held
//! stay locked, and all work is refused.

use crate::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

/// The process that works here; 0 before the first.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// True if threads of another process left their work here.
static BROKEN: AtomicBool = AtomicBool::new(false);

/// The process that loaded the drivers; 0 before.
static DRIVERS: AtomicU32 = AtomicU32::new(0);

/// Notes the process that loads this module.
pub fn begin() {
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    wgalois::parallel::is_forked();
}

/// True if this process was forked from the one that worked here last, and has not worked.
pub fn is_inherited() -> bool {
    PROCESS.load(Ordering::Relaxed) != std::process::id()
}

fn refused(why: &str) -> Error {
    let advice = "start processes by multiprocessing.get_context(\"spawn\")";
    Error::NoDevice(format!("this process was forked from one {why}: {advice}"))
}

/// Refuses work in a process that was forked while other threads were at work, whose number is `working`.
pub fn expect_idle(working: &AtomicUsize) -> Result<()> {
    if is_inherited() {
        // The interpreter's lock is held, and a forked process has one thread.
        PROCESS.store(std::process::id(), Ordering::Relaxed);
        BROKEN.fetch_or(working.swap(0, Ordering::Relaxed) > 0, Ordering::Relaxed);
    }
    match BROKEN.load(Ordering::Relaxed) {
        true => Err(refused("where another thread was computing")),
        false => Ok(()),
    }
}

/// Notes that this process loads drivers of GPUs. An error if it was forked from one that has loaded them.
pub fn load_drivers() -> Result<()> {
    let own = std::process::id();
    match DRIVERS.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
        Err(other) if other != own => Err(refused("that uses a GPU, which works there only")),
        _ => Ok(()),
    }
}

/// True if the drivers are those of the process that this one was forked from.
pub fn lacks_drivers() -> bool {
    !matches!(DRIVERS.load(Ordering::Relaxed), 0) && load_drivers().is_err()
}

/// Refuses a device that was opened before the fork.
pub fn expect_here(device: &Device) -> Result<()> {
    match device {
        Device::Cpu(_) | Device::Processes(_) => Ok(()),
        Device::Gpu(_) | Device::Group(_) => load_drivers(),
    }
}

/// Keeps what is on a device forever in a process that lacks the drivers, which would release it.
pub fn keep<T>(shared: impl FnOnce() -> T) {
    if lacks_drivers() {
        std::mem::forget(shared());
    }
}
