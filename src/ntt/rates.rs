//! What every estimate of a GPU's time is made of.

use crate::task::{DOWNLOAD_RATE, UPLOAD_RATE};

/// Seconds per byte to the device.
pub const UPLOAD_SECONDS: f64 = 1.0 / UPLOAD_RATE;
/// Seconds per byte back.
pub const DOWNLOAD_SECONDS: f64 = 1.0 / DOWNLOAD_RATE;

/// Seconds that the host waits for a short call.
pub const CALL_SECONDS: f64 = 0.5e-3;

/// The time of a software driver divided by that of the CPU engine on all cores.
pub const SOFTWARE_FACTOR: f64 = 10.0;

/// What a GPU takes for elements of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Seconds of a pass.
    pub pass: f64,
    /// Seconds per element of a pass, with 64-bit integers.
    pub element: f64,
    /// The same without 64-bit integers.
    pub portable_element: f64,
    /// Seconds to compile the kernels, with no compiled pipelines on disk.
    pub compile: f64,
    /// Bytes of host memory of the driver's compilation.
    pub compiler_bytes: u64,
    /// What the host holds at once of a part and of the tables, in addition to what it stages.
    pub host_copies: u64,
}
