//! The threads of the CPU engine.

use rayon::ThreadPoolBuilder;
use wgalois::{Error, Result};

/// Starts a thread a core, or as many as RAYON_NUM_THREADS says, for everything that does not ask for
/// threads of its own. Where the system gives fewer, as under a limit of processes, there are fewer;
/// where it gives none, this thread does the work.
///
/// # Errors
/// [`Error::OutOfMemory`] where not even that can be set up.
pub fn start() -> Result<()> {
    let Err(first) = ThreadPoolBuilder::new().build_global() else { return Ok(()) };
    let mut count = std::thread::available_parallelism().map_or(1, usize::from) / 2;
    while count > 1 {
        if ThreadPoolBuilder::new().num_threads(count).build_global().is_ok() {
            log::warn!("only {count} threads can be started: {first}");
            return Ok(());
        }
        count /= 2;
    }
    let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
    alone.map_err(|error| Error::OutOfMemory(format!("no worker thread: {error}").into()))?;
    log::warn!("no thread can be started beside the first: {first}");
    Ok(())
}
