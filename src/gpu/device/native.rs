//! Waiting and error handling outside a browser: a thread can block on the device, and errors are
//! reported at once.

use std::time::{Duration, Instant};

use super::Gpu;
use super::faults::from_wgpu;
use crate::Result;
use crate::gpu::error_scopes;
use crate::timeline::Phase;

/// Maximum time that a failed call waits to find out if the device was lost.
const LOSS: Duration = Duration::from_secs(10);
/// The time for which a thread asks for the end of the device's work before it sleeps. A sleeping thread wakes up to
/// 0.3 ms late, as long as short work takes.
const AWAKE: Duration = Duration::from_millis(2);

impl Gpu {
    /// Waits until all submitted work is done. The error is the first that the driver reported since the last call.
    pub fn wait(&self) -> Result<()> {
        let start = Instant::now();
        self.flush()?;
        let polled = if self.is_done_soon() { Ok(()) } else { self.sleep_until(None) };
        self.timeline().push(Phase::Waiting, "wait", start, start.elapsed());
        self.check()?;
        polled.map_err(|e| self.lost(e.to_string()))?;
        self.watchdog().finished();
        self.read_timestamps()
    }

    /// Waits until a submission and those before it are done.
    pub(in crate::gpu) fn wait_for(&self, submission: wgpu::SubmissionIndex) -> Result<()> {
        let start = Instant::now();
        let polled = self.sleep_until(Some(submission));
        self.timeline().push(Phase::Waiting, "wait", start, start.elapsed());
        self.check()?;
        polled.map_err(|e| self.lost(e.to_string()))
    }

    /// Asks for a short time whether all submitted work is done, and returns the answer. It does not ask for one submission:
    /// wgpu panics if another thread finds that one done while this one asks.
    fn is_done_soon(&self) -> bool {
        // A software driver needs the core on which this thread would stay awake.
        if self.adapter().is_software() {
            return false;
        }
        let start = Instant::now();
        while start.elapsed() < AWAKE {
            let _driver = self.driver();
            match self.opened.device.poll(wgpu::PollType::Poll) {
                Ok(wgpu::PollStatus::QueueEmpty) => return true,
                Ok(_) => std::hint::spin_loop(),
                Err(_) => return false,
            }
        }
        false
    }

    /// Waits asleep for a submission, or for all.
    fn sleep_until(
        &self,
        submission: Option<wgpu::SubmissionIndex>,
    ) -> std::result::Result<(), wgpu::PollError> {
        let _driver = self.driver();
        let wait = wgpu::PollType::Wait { submission_index: submission, timeout: None };
        self.opened.device.poll(wait).map(drop)
    }

    /// The asynchronous form of [`Gpu::wait`], for code that also runs in browsers.
    pub async fn wait_async(&self) -> Result<()> {
        self.wait()
    }

    /// Runs `calls` to the driver and returns the first error that the driver reports.
    pub(in crate::gpu) fn guarded<T>(&self, calls: impl FnOnce(&wgpu::Device) -> T) -> Result<T> {
        self.check()?;
        let _driver = self.driver();
        let (result, fault) = error_scopes::within(&self.opened.device, || calls(&self.opened.device));
        if let Some(fault) = fault {
            // After a loss every call is invalid. A poll reports the loss once no work is pending; the timeout covers a device that
            // hangs.
            let wait = wgpu::PollType::Wait { submission_index: None, timeout: Some(LOSS) };
            let _ = self.opened.device.poll(wait);
            self.check()?;
            return Err(from_wgpu(fault));
        }
        self.check()?;
        Ok(result)
    }
}
