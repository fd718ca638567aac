//! Work on a thread of its own beside other work.

use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};
use wgalois::{Device, Result};

/// Does `work` while `compile` runs on a thread of its own, if it can be started and the device takes calls of several
/// threads, which OpenGL's does not.
pub fn while_compiling<T>(
    device: &Device,
    compile: impl FnOnce() -> Result<()> + Send,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    if matches!(device, Device::Gpu(gpu) if gpu.adapter().backend.eq_ignore_ascii_case("gl")) {
        compile()?;
        return work();
    }
    thread::scope(|scope| {
        let compiling = thread::Builder::new().spawn_scoped(scope, compile);
        let result = work()?;
        compiling.map_or(Ok(()), joined)?;
        Ok(result)
    })
}

/// Returns a thread's result, or resumes its panic in this thread.
pub fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
