//! The engine of a module.

use wasm_bindgen::prelude::*;
use wgalois::Device;
use wgalois::timeline::Stop;

use crate::outcome::outcome;

/// An engine that is open.
#[wasm_bindgen]
pub struct Engine(pub(crate) Device);

/// Opens the engine of the module: the CPU engine, or the first adapter of WebGPU.
#[cfg(not(feature = "gpu"))]
#[wasm_bindgen]
pub fn open() -> Result<JsValue, JsValue> {
    outcome(async { Ok(Engine(Device::Cpu(wgalois::Cpu::default()))) })
}

/// Opens the engine of the module: the CPU engine, or the first adapter of WebGPU.
#[cfg(feature = "gpu")]
#[wasm_bindgen]
pub fn open() -> Result<JsValue, JsValue> {
    use wgalois::gpu::{Adapter, Gpu, Options};
    outcome(async {
        let gpu = Gpu::open_async(&Adapter::First, Options::default()).await?;
        Ok(Engine(Device::Gpu(gpu)))
    })
}

#[wasm_bindgen]
impl Engine {
    /// Ends the work under way with the error `Stopped`, and all work until the result is freed. A GPU looks at it before
    /// each submission.
    pub fn stop(&self) -> Stopping {
        Stopping { _stop: self.0.timeline().stop() }
    }
}

/// While it lives, work ends.
#[wasm_bindgen]
pub struct Stopping {
    _stop: Stop,
}
