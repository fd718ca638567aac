//! The expected time and memory of transforms over scalar fields.

use std::time::Duration;

use super::cpu;
use super::gpu::TransformPlan;
use super::problem::Transform;
use crate::gpu::staging_bytes;
use crate::scalars::{SCALAR_BYTES, Scalar};
use crate::task::{Cost, DOWNLOAD_RATE, GpuProfile, UPLOAD_RATE};

/// Seconds of a butterfly on one thread of the CPU engine.
const BUTTERFLY_SECONDS: f64 = 25e-9;
/// Seconds per scalar of a pass of a GPU, and of a pass itself. An H200 took 0.85 ms for three passes over 2^22 scalars
/// with 64-bit integers, 2.16 without, and 13 us for two passes of stages over 2^12.
const SCALAR_SECONDS: f64 = 66e-12;
const PORTABLE_SCALAR_SECONDS: f64 = 170e-12;
const PASS_SECONDS: f64 = 6.2e-6;
/// Seconds to compile the kernels, with no compiled pipelines on disk.
const COMPILE_SECONDS: f64 = 300e-3;
/// Bytes of host memory of the driver's compilation.
const COMPILER: u64 = 64 << 20;
/// Seconds that the host waits for a short call.
const CALL_SECONDS: f64 = 0.5e-3;
/// The time of a software driver divided by that of the CPU engine on all cores.
const SOFTWARE_FACTOR: f64 = 10.0;

pub(super) fn transform_on_cpu<F: Scalar>(transform: &Transform<F>, threads: usize) -> Cost {
    let at_once = threads.min(transform.batch) as u64;
    Cost {
        time: Duration::from_secs_f64(cpu_seconds(transform, threads)),
        host_bytes: cpu::table_bytes::<F>(transform.log_n) + at_once * cpu::scratch_bytes(transform),
        device_bytes: 0,
    }
}

/// The cost on a GPU, of which the plan transforms `vectors` at once.
pub(super) fn transform_on_gpu<F: Scalar>(
    transform: &Transform<F>,
    vectors: usize,
    plan: &TransformPlan<F>,
    gpu: &GpuProfile,
) -> Cost {
    let part = SCALAR_BYTES.saturating_mul((vectors as u64) << transform.log_n);
    let (scalars, parts) = (transform.len() as f64, transform.batch.div_ceil(vectors.max(1)) as f64);
    let seconds = match gpu.is_software {
        true => SOFTWARE_FACTOR * cpu_seconds(transform, crate::parallel::threads()),
        false => {
            let scalar = if gpu.arithmetic.int64 { SCALAR_SECONDS } else { PORTABLE_SCALAR_SECONDS };
            plan.passes() as f64 * (parts * PASS_SECONDS + scalars * scalar)
                + scalars * SCALAR_BYTES as f64 * (1.0 / UPLOAD_RATE + 1.0 / DOWNLOAD_RATE)
                + CALL_SECONDS * parts
        }
    };
    Cost {
        time: Duration::from_secs_f64(seconds + COMPILE_SECONDS),
        // The part as words, the words that come back, and the scalars that they become; the table and its words.
        host_bytes: 2 * part + staging_bytes(part) + 2 * plan.table_bytes() + COMPILER,
        device_bytes: part * if plan.has_scratch() { 2 } else { 1 } + plan.table_bytes(),
    }
}

fn cpu_seconds<F: Scalar>(transform: &Transform<F>, threads: usize) -> f64 {
    let butterflies = transform.len() as f64 * (1.0 + f64::from(transform.log_n) / 2.0);
    butterflies * BUTTERFLY_SECONDS / threads.max(1) as f64
}
