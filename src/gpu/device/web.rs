//! Waiting and error handling in a browser: no thread can block on the device, and errors are
//! reported later.

use web_time::Instant;

use super::Gpu;
use crate::timeline::Phase;
use crate::{Error, Result};

impl Gpu {
    /// Returns the first error that the browser reported since the last call, without waiting: a browser
    /// cannot block. [`wait_async`](Self::wait_async) waits.
    pub fn wait(&self) -> Result<()> {
        self.check()
    }

    /// [`wait`](Self::wait): a browser cannot block.
    pub(in crate::gpu) fn wait_for(&self, _: wgpu::SubmissionIndex) -> Result<()> {
        self.check()
    }

    /// Waits until all submitted work is done. The error is the first that the browser reported since the last call.
    pub async fn wait_async(&self) -> Result<()> {
        let start = Instant::now();
        self.flush()?;
        let (sender, done) = futures_channel::oneshot::channel();
        self.opened.queue.on_submitted_work_done(move || {
            // The send fails only if the receiver was dropped and no longer waits.
            let _ = sender.send(());
        });
        let answer = done.await;
        self.timeline().push(Phase::Waiting, "wait", start, start.elapsed());
        self.check()?;
        answer.map_err(|_| Error::DeviceLost("the browser dropped the device's work".into()))?;
        self.watchdog().finished();
        Ok(())
    }

    /// Runs `calls` to the driver. A browser reports errors later, to the handler of uncaptured
    /// errors, which stores the first one. The next call returns it, at the latest the call
    /// that awaits the work's result, since errors are reported in the order of the calls.
    pub(in crate::gpu) fn guarded<T>(&self, calls: impl FnOnce(&wgpu::Device) -> T) -> Result<T> {
        self.check()?;
        Ok(calls(&self.opened.device))
    }
}
