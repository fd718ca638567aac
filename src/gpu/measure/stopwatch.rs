//! Times of dispatches: by the device's timestamps, or by the host's clock where there are none.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use web_time::Instant;

use super::kernels::{RoundsParams, SinkBuffers};
use super::{CANARY, CanaryBuffers, CanaryParams, MOST_ROUNDS, WORKGROUP};
use crate::Result;
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder, Variant, Written};

/// Work takes at least this long by the device's timestamps, and by the host's clock, which a submission disturbs.
const LEAST: [Duration; 2] = [Duration::from_millis(2), Duration::from_millis(10)];
/// The most workgroups of a dispatch.
const MOST_GROUPS: u32 = 1 << 16;
/// A GPU that was idle raises its clock within this time.
const WARM_UP: Duration = Duration::from_millis(150);
/// Dispatches of which one is timed.
const DISPATCHES: u32 = 64;

/// A device with a buffer that no kernel writes.
pub struct Stopwatch<'g> {
    gpu: &'g Gpu,
    sink: DeviceVec<u32>,
    begin: Instant,
}

/// Says at its end that work is done, after a panic too.
struct AtEnd<'a>(&'a AtomicBool);

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl<'g> Stopwatch<'g> {
    pub fn new(gpu: &'g Gpu) -> Result<Self> {
        Ok(Stopwatch { gpu, sink: gpu.zeros(1)?, begin: Instant::now() })
    }

    /// Does work of the host, and keeps the device busy until it is done.
    pub fn busy_while<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        let is_done = AtomicBool::new(false);
        let work = || {
            let _at_end = AtEnd(&is_done);
            work()
        };
        let (result, ()) = self.gpu.beside(work, || self.busy_until(|| is_done.load(Ordering::Acquire)))?;
        Ok(result)
    }

    /// Brings the device to its full clock.
    pub fn warm_up(&self) -> Result<()> {
        self.busy_until(|| self.begin.elapsed() >= WARM_UP)
    }

    /// Keeps the device busy. A software driver has no clock to raise.
    fn busy_until(&self, is_done: impl Fn() -> bool) -> Result<()> {
        let canary = self.gpu.pipeline(&CANARY, &Variant::plain(WORKGROUP))?;
        while !self.gpu.adapter().is_software() && !is_done() {
            self.time(|recorder| {
                let buffers = CanaryBuffers { sink: self.sink()? };
                let params = CanaryParams { rounds: MOST_ROUNDS, never: u32::MAX };
                recorder.dispatch(&canary, "canary", &buffers, &params, 256)
            })?;
        }
        Ok(())
    }

    /// The sink, as a dispatch takes it.
    pub fn sink(&self) -> Result<Written<'_>> {
        self.sink.written()
    }

    /// True if the device's timestamps tell times. Those of software drivers do not resolve short dispatches.
    fn has_clock(&self) -> bool {
        self.gpu.has_timestamps() && !self.gpu.adapter().is_software()
    }

    /// The time of what `record` records.
    pub fn time(&self, record: impl FnOnce(&mut Recorder<'_>) -> Result<()>) -> Result<Duration> {
        let mut recorder = self.gpu.record_whole();
        record(&mut recorder)?;
        match self.has_clock() {
            true => recorder.submit_timed(),
            false => {
                let begin = Instant::now();
                recorder.submit()?;
                self.sink.download()?;
                Ok(begin.elapsed())
            }
        }
        .map(|time| time.max(Duration::from_nanos(1)))
    }

    /// Threads per second of a dispatch of so many workgroups: as many as take long enough.
    pub fn threads_of(&self, dispatch: impl Fn(&mut Recorder<'_>, u32) -> Result<()>) -> Result<f64> {
        let least = LEAST[usize::from(!self.has_clock())];
        // The first dispatch of a kernel waits for the driver.
        let mut groups = 4;
        self.time(|recorder| dispatch(recorder, groups))?;
        loop {
            let time = self.time(|recorder| dispatch(recorder, groups))?;
            if time >= least || groups >= MOST_GROUPS {
                return Ok(f64::from(groups) * f64::from(WORKGROUP) / time.as_secs_f64());
            }
            // Half of what is missing, since the device may not be full yet.
            let missing = least.as_secs_f64() / time.as_secs_f64();
            groups = (groups * (missing / 2.0).clamp(2.0, 64.0) as u32).min(MOST_GROUPS);
        }
    }

    /// Threads per second of a kernel whose threads do so many rounds.
    pub fn threads_per_second(&self, pipeline: &Pipeline, rounds: u32) -> Result<f64> {
        self.threads_of(|recorder, groups| self.rounds(recorder, pipeline, rounds, groups))
    }

    /// Seconds of a round in one workgroup that has the device for itself.
    pub fn alone(&self, pipeline: &Pipeline, rounds: u32) -> Result<f64> {
        let least = |rounds| -> Result<f64> {
            let time = |_| self.time(|recorder| self.rounds(recorder, pipeline, rounds, 1));
            let times = (0..3).map(time).collect::<Result<Vec<Duration>>>()?;
            Ok(times.into_iter().min().unwrap_or_default().as_secs_f64())
        };
        // The difference leaves out what a dispatch takes whatever it does.
        let (few, many) = (least(rounds / 8)?, least(rounds)?);
        Ok(((many - few) / f64::from(rounds - rounds / 8)).max(many / f64::from(rounds) / 8.0))
    }

    /// Records a dispatch of so many workgroups of a kernel whose threads do so many rounds.
    pub fn rounds(
        &self,
        recorder: &mut Recorder<'_>,
        pipeline: &Pipeline,
        rounds: u32,
        groups: u32,
    ) -> Result<()> {
        let params = RoundsParams { rounds, mask: 0, never: u32::MAX };
        recorder.dispatch(pipeline, "rounds", &SinkBuffers { sink: self.sink()? }, &params, groups)
    }

    /// Seconds of a short dispatch behind another one.
    pub fn dispatch(&self) -> Result<f64> {
        let mut least = f64::INFINITY;
        for _ in 0..4 {
            let [one, many] = [1, DISPATCHES].map(|count| self.time(|recorder| self.short(recorder, count)));
            let rest = many?.saturating_sub(one?).as_secs_f64();
            least = least.min((rest / f64::from(DISPATCHES - 1)).max(1e-8));
        }
        Ok(least)
    }

    /// Seconds of a call with one short dispatch.
    pub fn call(&self) -> Result<f64> {
        let mut least = f64::INFINITY;
        for _ in 0..4 {
            let begin = Instant::now();
            let mut recorder = self.gpu.record_whole();
            self.short(&mut recorder, 1)?;
            recorder.submit()?;
            self.sink.download()?;
            least = least.min(begin.elapsed().as_secs_f64());
        }
        Ok(least)
    }

    /// Records so many short dispatches.
    fn short(&self, recorder: &mut Recorder<'_>, count: u32) -> Result<()> {
        let canary = self.gpu.pipeline(&CANARY, &Variant::plain(WORKGROUP))?;
        for _ in 0..count {
            let buffers = CanaryBuffers { sink: self.sink()? };
            let params = CanaryParams { rounds: 1, never: u32::MAX };
            recorder.dispatch(&canary, "canary", &buffers, &params, 1)?;
        }
        Ok(())
    }
}
