//! The speed of a device, measured by arithmetic of known length.

use std::time::Duration;

use web_time::Instant;

use super::clock::{CANARY, CanaryBuffers, CanaryParams};
use super::device::Gpu;
use super::kernel::Variant;
use super::{DeviceVec, Options};
use crate::Result;
use crate::timeline::Timeline;

/// Multiply-adds of a thread, and threads of a workgroup.
const ROUNDS: u32 = 4096;
const WORKGROUP: u32 = 256;
/// A measurement takes at least this long, so that the submission and the wait are a small part of it.
const LEAST: Duration = Duration::from_millis(10);
/// Maximum number of workgroups: about 2^36 multiply-adds.
const MOST_GROUPS: u32 = 1 << 16;

/// Returns the multiply-adds of 32-bit integers that a device does in a second. It measures arithmetic, not
/// memory.
///
/// ```text
/// groups = 16
/// loop: time `groups` workgroups, by the host's clock
///       until that takes 10 ms;  groups *= 2
/// ```
pub fn speed(gpu: &Gpu) -> Result<f64> {
    // The measurement is no part of the work that is recorded, or in which a test loses the device.
    let options = Options { timeline: Timeline::default(), lose_after: None, ..gpu.options().clone() };
    let gpu = gpu.with_options(options);
    let canary = gpu.pipeline(&CANARY, &Variant::plain(WORKGROUP))?;
    let sink: DeviceVec<u32> = gpu.zeros(1)?;
    let time = |groups: u32| -> Result<Duration> {
        let begin = Instant::now();
        let mut recorder = gpu.record();
        let params = CanaryParams { rounds: ROUNDS, never: u32::MAX };
        let buffers = CanaryBuffers { sink: sink.written()? };
        recorder.dispatch(&canary, "canary", &buffers, &params, groups)?;
        recorder.submit()?;
        sink.download()?;
        Ok(begin.elapsed())
    };
    // The first submission waits for the driver.
    let mut groups = 16;
    time(groups)?;
    loop {
        let elapsed = time(groups)?;
        if elapsed >= LEAST || groups >= MOST_GROUPS {
            let operations = f64::from(groups) * f64::from(WORKGROUP * ROUNDS);
            return Ok(operations / elapsed.as_secs_f64().max(1e-9));
        }
        groups *= 2;
    }
}
