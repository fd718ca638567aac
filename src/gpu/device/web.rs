//! What is different about a device in a browser: nobody can wait for it, and it tells of
//! faults later.

use web_time::Instant;

use super::Gpu;
use crate::timeline::Phase;
use crate::{Error, Result};

impl Gpu {
    /// The first fault that the browser reported since the last call: nobody can wait here.
    /// [`wait_async`](Self::wait_async) does.
    pub fn wait(&self) -> Result<()> {
        self.check()
    }

    /// Waits until all submitted work is done.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], or the first fault that the browser reported since the last call.
    pub async fn wait_async(&self) -> Result<()> {
        let start = Instant::now();
        let (sender, done) = futures_channel::oneshot::channel();
        self.opened.queue.on_submitted_work_done(move || {
            // A receiver that is gone waits no longer.
            let _ = sender.send(());
        });
        let answer = done.await;
        self.timeline().push(Phase::Waiting, "wait", start, start.elapsed());
        self.check()?;
        answer.map_err(|_| Error::DeviceLost("the browser dropped the device's work".into()))?;
        self.pace().finished();
        Ok(())
    }

    /// Runs `calls` to the driver. A browser complains later, to the handler of uncaptured
    /// errors, which notes the first complaint; the next call tells it, and at the latest the
    /// one that awaits the work's result, since complaints come in the order of the calls.
    pub(in crate::gpu) fn guarded<T>(&self, calls: impl FnOnce(&wgpu::Device) -> T) -> Result<T> {
        self.check()?;
        Ok(calls(&self.opened.device))
    }
}
