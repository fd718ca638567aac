//! The engine of a module.

use std::time::Duration;

use wasm_bindgen::prelude::*;
use wgalois::Device;
use wgalois::timeline::{Phase, Stop, Timeline};

use crate::outcome::outcome;

/// An engine that is open.
#[wasm_bindgen]
pub struct Engine {
    device: Device,
    /// The same, which keeps the times of its work. With a GPU that makes the work longer.
    timed: Device,
}

/// Opens the engine of the module: the CPU engine, or the first adapter of WebGPU.
#[cfg(not(feature = "gpu"))]
#[wasm_bindgen]
pub fn open() -> Result<JsValue, JsValue> {
    use wgalois::Cpu;
    outcome(async {
        let of = |timeline| Device::Cpu(Cpu { timeline, ..Cpu::default() });
        let timeline = Timeline::default();
        Ok(Engine { timed: of(timeline.keeping_events()), device: of(timeline) })
    })
}

/// Opens the engine of the module: the CPU engine, or the first adapter of WebGPU.
#[cfg(feature = "gpu")]
#[wasm_bindgen]
pub fn open() -> Result<JsValue, JsValue> {
    use wgalois::gpu::{Adapter, Gpu, Options};
    outcome(async {
        let timeline = Timeline::default();
        let options = Options { timeline: timeline.clone(), ..Options::default() };
        let gpu = Gpu::open_async(&Adapter::First, options).await?;
        let timed = Options { timeline: timeline.keeping_events(), ..gpu.options().clone() };
        Ok(Engine { timed: Device::Gpu(gpu.with_options(timed)), device: Device::Gpu(gpu) })
    })
}

/// The kinds of work whose times a caller gets, in this order.
const TIMED: [Phase; 5] = [Phase::Upload, Phase::Device, Phase::Waiting, Phase::Download, Phase::Host];

#[wasm_bindgen]
impl Engine {
    /// Ends the work under way with the error `Stopped`, and all work until the result is freed. A GPU looks at it before
    /// each submission.
    pub fn stop(&self) -> Stopping {
        Stopping { _stop: self.device.timeline().stop() }
    }

    /// Returns the milliseconds of timed work since the call before, for each of the [`TIMED`] kinds.
    #[wasm_bindgen(js_name = takeTimes)]
    pub fn take_times(&self) -> Vec<f64> {
        let totals = self.timed.timeline().take_totals();
        let time = |phase| totals.get(phase).map_or(0.0, Duration::as_secs_f64);
        TIMED.iter().map(|phase| 1e3 * time(phase)).collect()
    }
}

impl Engine {
    /// The device for a call, whose work is timed or not.
    pub(crate) fn device(&self, is_timed: bool) -> Device {
        if is_timed { self.timed.clone() } else { self.device.clone() }
    }
}

/// While it lives, work ends.
#[wasm_bindgen]
pub struct Stopping {
    _stop: Stop,
}
