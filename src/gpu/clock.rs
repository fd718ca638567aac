//! Timings by the device's own clock, accepted only while its frequency is steady.
//!
//! After some seconds of idleness a GPU lowers its clock frequency, by a factor of six on an H200,
//! and needs a fifth of a second of load to raise it again. A canary kernel of known length
//! runs before and after each sample. A sample is discarded if the canary after it is slower than on
//! the warm device; before a sample, canaries run until one is as fast as on the warm device.

use std::time::Duration;

use web_time::Instant;

use super::device::Gpu;
use super::kernel::{Kernel, Pipeline, Variant};
use super::params::{buffers, params};
use super::record::Recorder;
use super::{DeviceVec, buffer};
use crate::{Error, Result};

/// The canary, a kernel of known length.
pub static CANARY: Kernel =
    Kernel::of::<CanaryBuffers, CanaryParams>("canary", "canary.wgsl", |_| vec![Variant::plain(256)]);

buffers! {
    /// The buffers of [`CANARY`].
    pub struct CanaryBuffers {
        /// Words that are never written.
        sink: read_write array<u32>,
    }
}

params! {
    /// The parameters of [`CANARY`].
    pub struct CanaryParams {
        /// Multiply-adds per thread.
        rounds,
        /// A value that is never reached. The comparison with it keeps compilers from removing the work.
        never,
    }
}

const GROUPS: u32 = 1024;
/// Multiply-adds per thread: about a quarter of a millisecond on an H200.
const ROUNDS: u32 = 16_384;
/// Canaries per submission: enough to keep the device busy while the host prepares the next one,
/// since a device that mostly waits stays at its low frequency.
const CHORUS: u32 = 16;
/// Time for which the device is warmed up to measure the canary's usual time.
const WARM_UP: Duration = Duration::from_millis(700);
/// Maximum ratio of a canary's time before or after a good sample to its usual time.
const TOLERANCE: f64 = 1.03;
/// Time to wait for a steady clock before warming up again, and the number of such tries.
const PATIENCE: Duration = Duration::from_secs(1);
const TRIES: u32 = 5;

/// A device with a watch on its clock frequency.
pub struct Clock {
    gpu: Gpu,
    canary: std::sync::Arc<Pipeline>,
    sink: buffer::DeviceVec<u32>,
    /// The canary's usual time on a warm device.
    usual: Duration,
}

/// Repeated timings of the same work.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Samples {
    /// Device times, ascending.
    pub sorted: Vec<Duration>,
    /// Number of samples discarded because the clock frequency had changed.
    pub rejected: u32,
}

impl Samples {
    /// Returns the median sample.
    pub fn median(&self) -> Duration {
        self.sorted.get(self.sorted.len() / 2).copied().unwrap_or_default()
    }

    /// Returns the difference between the largest and the smallest sample, relative to the median.
    pub fn spread(&self) -> f64 {
        match (self.sorted.first(), self.sorted.last()) {
            (Some(first), Some(last)) => (*last - *first).as_secs_f64() / self.median().as_secs_f64(),
            _ => 0.0,
        }
    }
}

impl Clock {
    /// Warms the device up and measures the canary's usual time.
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let canary = gpu.pipeline(&CANARY, &Variant::plain(256))?;
        let sink: DeviceVec<u32> = gpu.zeros(1)?;
        let mut clock = Clock { gpu: gpu.clone(), canary, sink, usual: Duration::MAX };
        clock.learn()?;
        Ok(clock)
    }

    /// Warms the device up and takes the median of the later half of the canaries as the usual time.
    fn learn(&mut self) -> Result<()> {
        let (begin, mut times) = (Instant::now(), Vec::new());
        while !self.gpu.adapter().is_software() && begin.elapsed() < WARM_UP {
            times.push(self.sing()?);
        }
        let warm = &mut times[..];
        let warm = warm.split_at_mut(warm.len() / 2).1;
        warm.sort();
        // If the frequency has dropped for good, the slower canary must not become the usual time.
        self.usual = self.usual.min(warm.get(warm.len() / 2).copied().unwrap_or(Duration::MAX));
        Ok(())
    }

    /// Takes `count` samples of the device time of the work that `record` records, on a steady clock.
    pub fn samples(
        &mut self,
        count: usize,
        mut record: impl FnMut(&mut Recorder) -> Result<()>,
    ) -> Result<Samples> {
        let gpu = self.gpu.clone();
        self.gated(count, || {
            let mut recorder = gpu.record_whole();
            record(&mut recorder)?;
            recorder.submit_timed()
        })
    }

    /// Takes `count` samples of the time that `sample` returns, on a steady clock.
    pub fn gated(&mut self, count: usize, mut sample: impl FnMut() -> Result<Duration>) -> Result<Samples> {
        let (mut sorted, mut rejected) = (Vec::with_capacity(count), 0);
        while sorted.len() < count {
            self.become_steady()?;
            let time = sample()?;
            if self.is_steady()? {
                sorted.push(time);
            } else {
                rejected += 1;
            }
        }
        sorted.sort();
        Ok(Samples { sorted, rejected })
    }

    fn become_steady(&mut self) -> Result<()> {
        for _ in 0..TRIES {
            let begin = Instant::now();
            while begin.elapsed() < PATIENCE {
                if self.is_steady()? {
                    return Ok(());
                }
            }
            self.learn()?;
        }
        Err(Error::Device("the device's clock did not become steady: is it shared or throttled?".into()))
    }

    /// True if a submission of canaries takes its usual time. A software driver runs on the host's clock,
    /// which is not watched: the result is always true.
    fn is_steady(&self) -> Result<bool> {
        if self.gpu.adapter().is_software() {
            return Ok(true);
        }
        Ok(self.sing()?.as_secs_f64() <= TOLERANCE * self.usual.as_secs_f64())
    }

    fn sing(&self) -> Result<Duration> {
        let mut recorder = self.gpu.record_whole();
        let buffers = CanaryBuffers { sink: self.sink.written()? };
        let params = CanaryParams { rounds: ROUNDS, never: u32::MAX };
        for _ in 0..CHORUS {
            recorder.dispatch(&self.canary, "canary", &buffers, &params, GROUPS)?;
        }
        recorder.submit_timed()
    }
}
