//! Work on a thread of its own beside other work.

use wgalois::parallel::ahead;
use wgalois::{Device, One, Result};

/// Does `work` while `compile` runs on a thread of its own, or else after `work`. If the device does not take calls of several
/// threads, as OpenGL's, `compile` runs before it.
pub fn while_compiling<T>(
    device: &Device,
    compile: impl FnOnce() -> Result<()> + Send,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    if matches!(device.one(), One::Gpu(gpu) if gpu.adapter().backend.eq_ignore_ascii_case("gl")) {
        compile()?;
        return work();
    }
    ahead(true, compile, |compiling| {
        let result = work()?;
        compiling.wait()?;
        Ok(result)
    })
}
