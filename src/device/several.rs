//! Whether a program can have several devices.

use crate::Result;

/// A field of what stands for several devices. In a program without GPUs (the feature cpu-only) and in browsers, which give one GPU
/// and no processes, nothing has this type, so that the compiler leaves out what uses it.
#[cfg(any(feature = "cpu-only", target_arch = "wasm32"))]
pub type Several = std::convert::Infallible;
/// A field of what stands for several devices.
#[cfg(not(any(feature = "cpu-only", target_arch = "wasm32")))]
pub type Several = ();

/// Refuses several devices where there are none.
#[cfg(any(feature = "cpu-only", target_arch = "wasm32"))]
pub fn several() -> Result<Several> {
    let what =
        "use several devices: browsers give one, and the feature cpu-only leaves the CPU engine".into();
    Err(crate::Error::Unsupported { device: "this program", what })
}

/// Refuses several devices where there are none.
#[cfg(not(any(feature = "cpu-only", target_arch = "wasm32")))]
pub fn several() -> Result<Several> {
    Ok(())
}
