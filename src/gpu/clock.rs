//! Timings that can be trusted: by the device's clock, and only while that clock stands.
//!
//! After some seconds of idleness a GPU lowers its clock, by a factor of six on an H200,
//! and takes a fifth of a second of load to raise it again. A canary kernel of known length
//! runs before and after each sample; a sample between canaries that were slower than on the
//! warm device is thrown away.

use std::time::Duration;

use web_time::Instant;

use super::device::Gpu;
use super::kernel::{Binding, Kernel, Pipeline, Variant};
use super::params::params;
use super::record::Recorder;
use super::{DeviceVec, buffer};
use crate::{Error, Result};

/// The kernel of known length.
pub static CANARY: Kernel = Kernel {
    name: "canary",
    source: "canary.wgsl",
    bindings: &[Binding::read_write("sink", "array<u32>")],
    params: CanaryParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

params! {
    /// The parameters of [`CANARY`].
    struct CanaryParams {
        /// Multiply-adds a thread.
        rounds,
        /// A sum that is never reached, so that no compiler drops the work.
        never,
    }
}

const GROUPS: u32 = 1024;
/// Multiply-adds a thread: about a quarter of a millisecond on an H200.
const ROUNDS: u32 = 16_384;
/// Canaries in a submission: enough to keep the device busy while the host makes the next,
/// since a device that mostly waits stays at its low clock.
const CHORUS: u32 = 16;
/// How long the device is warmed up before the canary's time is believed.
const WARM_UP: Duration = Duration::from_millis(700);
/// How much slower than usual on a warm device the canary may be beside a good sample.
const TOLERANCE: f64 = 1.03;
/// How long to wait for a steady clock before warming up again, and how often.
const PATIENCE: Duration = Duration::from_secs(1);
const TRIES: u32 = 5;

/// A device whose clock is watched.
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
    /// Samples thrown away because the clock had moved.
    pub rejected: u32,
}

impl Samples {
    /// The middle sample.
    pub fn median(&self) -> Duration {
        self.sorted.get(self.sorted.len() / 2).copied().unwrap_or_default()
    }

    /// The distance of the outermost samples as a share of the median.
    pub fn spread(&self) -> f64 {
        match (self.sorted.first(), self.sorted.last()) {
            (Some(first), Some(last)) => (*last - *first).as_secs_f64() / self.median().as_secs_f64(),
            _ => 0.0,
        }
    }
}

impl Clock {
    /// Warms the device up and learns how fast its canary is then.
    ///
    /// # Errors
    /// [`Error::Device`] where the device has no timestamps.
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let canary = gpu.pipeline(&CANARY, &Variant::plain(256))?;
        let sink: DeviceVec<u32> = gpu.zeros(1)?;
        let mut clock = Clock { gpu: gpu.clone(), canary, sink, usual: Duration::MAX };
        clock.learn()?;
        Ok(clock)
    }

    /// Warms up, and takes the median of the second half: single canaries may be off.
    fn learn(&mut self) -> Result<()> {
        let (begin, mut times) = (Instant::now(), Vec::new());
        while !self.gpu.adapter().is_software() && begin.elapsed() < WARM_UP {
            times.push(self.sing()?);
        }
        let warm = &mut times[..];
        let warm = warm.split_at_mut(warm.len() / 2).1;
        warm.sort();
        // Where the clock has fallen for good, its fall must not become the measure.
        self.usual = self.usual.min(warm.get(warm.len() / 2).copied().unwrap_or(Duration::MAX));
        Ok(())
    }

    /// Times `count` samples of the work that `record` records, on a steady clock.
    ///
    /// # Errors
    /// [`Error::Device`] where the clock does not become steady.
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

    /// Takes `count` samples of a time that `sample` measures, on a steady clock.
    ///
    /// # Errors
    /// Those of `sample`; [`Error::Device`] where the clock does not become steady.
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
        Err(unsteady())
    }

    /// On a software driver the clock is the host's, which no canary watches.
    fn is_steady(&self) -> Result<bool> {
        if self.gpu.adapter().is_software() {
            return Ok(true);
        }
        Ok(self.sing()?.as_secs_f64() <= TOLERANCE * self.usual.as_secs_f64())
    }

    fn sing(&self) -> Result<Duration> {
        let mut recorder = self.gpu.record_whole();
        let params = CanaryParams { rounds: ROUNDS, never: u32::MAX };
        for _ in 0..CHORUS {
            recorder.dispatch(&self.canary, "canary", &[self.sink.whole()?], &params, GROUPS)?;
        }
        recorder.submit_timed()
    }
}

fn unsteady() -> Error {
    Error::Device("the device's clock did not become steady: is it shared or throttled?".into())
}
