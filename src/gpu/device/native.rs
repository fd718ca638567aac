//! What is different about a device outside a browser: it can be waited for, and tells of a fault at
//! once.

use std::time::{Duration, Instant};

use super::{Gpu, from_wgpu};
use crate::timeline::Phase;
use crate::{Error, Result};

/// How long a call that failed waits to learn whether the device was lost.
const LOSS: Duration = Duration::from_secs(10);

impl Gpu {
    /// Waits until all submitted work is done.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], or the first fault that the driver reported since the last call.
    pub fn wait(&self) -> Result<()> {
        let start = Instant::now();
        let polled = self.opened.device.poll(wgpu::PollType::wait_indefinitely());
        self.timeline().push(Phase::Waiting, "wait", start, start.elapsed());
        self.check()?;
        polled.map_err(|e| Error::DeviceLost(e.to_string()))?;
        self.pace().finished();
        Ok(())
    }

    /// [`Gpu::wait`], for code that a browser runs too.
    pub async fn wait_async(&self) -> Result<()> {
        self.wait()
    }

    /// Runs `calls` to the driver and returns its complaint, if any, as an error.
    pub(in crate::gpu) fn guarded<T>(&self, calls: impl FnOnce(&wgpu::Device) -> T) -> Result<T> {
        self.check()?;
        let device = &self.opened.device;
        let scopes =
            [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation]
                .map(|filter| device.push_error_scope(filter));
        let result = calls(device);
        // Outside the browser a scope's verdict is there at once. All are popped, innermost
        // first, before the first is told.
        let faults: Vec<_> = scopes.into_iter().rev().map(|scope| pollster::block_on(scope.pop())).collect();
        if let Some(fault) = faults.into_iter().flatten().next() {
            // After a loss every call is invalid. The loss itself is told by a poll, once nothing is
            // under way any more; a device that hangs is not waited for.
            let wait = wgpu::PollType::Wait { submission_index: None, timeout: Some(LOSS) };
            let _ = device.poll(wait);
            self.check()?;
            return Err(from_wgpu(fault));
        }
        self.check()?;
        Ok(result)
    }
}
