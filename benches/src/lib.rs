//! Measurements on a device: each checks its result, then times it. [`compared`] has what the library is compared with.
//!
//! # Errors
//! - [`Error::Check`](wgalois::Error::Check): a result is wrong, or a published figure has no row.
//! - [`Error::Input`](wgalois::Error::Input): a file of published figures, or a file of matrices, does not have the
//!   expected content.
//! - [`Error::Setting`](wgalois::Error::Setting): no case of the course has this number.
//! - [`Error::Usage`](wgalois::Error::Usage): the device or the plan cannot do this work.
//! - [`Error::DeviceLost`](wgalois::Error::DeviceLost): after this no row can run. In [`published`] all other
//!   faults of a measurement are the outcome of their row.

#[cfg(not(target_arch = "wasm32"))]
pub mod calls;
pub mod compared;
pub mod counters;
#[cfg(not(target_arch = "wasm32"))]
pub mod course;
pub mod device_report;
mod figure;
pub mod gf2;
#[cfg(not(target_arch = "wasm32"))]
pub mod group;
pub mod msm;
pub mod ntt;
pub mod plans;
#[cfg(not(target_arch = "wasm32"))]
pub mod published;
mod row;
pub mod scalar;
pub mod transfers;

pub use device_report::DeviceReport;
pub use figure::Figure;
pub use row::{Fields, Outcome, Row, Timing, judge, set_speedups};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use web_time::Instant;

use wgalois::Result;
use wgalois::field::Prime;
use wgalois::gpu::{Clock, DeviceVec, Gpu, Kernel, Recorder, Samples, Variant, Written, buffers, params};

/// The system of rows that the CPU engine computed.
pub const CPU_ENGINE: &str = "CPU engine";

/// A copy of a vector: the lower bound on the time of any pass over memory.
pub static COPY: Kernel =
    Kernel::of::<CopyBuffers, CopyParams>("copy", "copy.wgsl", |_| vec![Variant::plain(256)]);

buffers! {
    /// The buffers of [`COPY`].
    struct CopyBuffers {
        source_words: read array<vec4<u32>>,
        target_words: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`COPY`].
    struct CopyParams {
        /// Vectors of four words.
        len,
    }
}

/// The target device time of one sample, in seconds: much longer than the clock's tick, much shorter than
/// the watchdog's timeout.
const SAMPLE: f64 = 2e-3;
/// The maximum number of repetitions in a sample: their dispatches fit one submission.
const MOST: usize = 200;

/// Random residues modulo a prime.
fn random(prime: Prime, len: usize, seed: u64) -> Vec<u32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..len).map(|_| rng.random_range(0..prime.value())).collect()
}

/// Times one repetition of the work that `record` records. A sample is many repetitions back to back in one
/// pass, on a steady clock. The work runs twice before, to compile it and to estimate its time. The device needs
/// timestamps.
pub fn time(
    gpu: &Gpu,
    clock: &mut Clock,
    samples: usize,
    mut record: impl FnMut(&mut Recorder) -> Result<()>,
) -> Result<Samples> {
    for _ in 0..3 {
        let mut recorder = gpu.record();
        record(&mut recorder)?;
        recorder.submit()?;
        gpu.wait()?;
    }
    let once = clock.samples(1, &mut record)?.median().as_secs_f64();
    let repetitions = ((SAMPLE / once.max(1e-7)) as usize).clamp(1, MOST);
    let mut many = clock.samples(samples, |recorder| (0..repetitions).try_for_each(|_| record(recorder)))?;
    for sample in &mut many.sorted {
        *sample /= repetitions as u32;
    }
    Ok(many)
}

/// Times one copy of `words` words.
pub fn time_copy(gpu: &Gpu, clock: &mut Clock, samples: usize, words: usize) -> Result<Samples> {
    let pipeline = gpu.pipeline(&COPY, &Variant::plain(256))?;
    let (source, target): (DeviceVec<u32>, DeviceVec<u32>) = (gpu.zeros(words)?, gpu.zeros(words)?);
    time(gpu, clock, samples, |recorder| {
        for (from, to) in source.chunks().iter().zip(target.chunks()) {
            let len = (from.size() / 16) as u32;
            let buffers = CopyBuffers { source_words: from, target_words: Written(to) };
            recorder.dispatch(&pipeline, "copy", &buffers, &CopyParams { len }, len.div_ceil(256))?;
        }
        Ok(())
    })
}

/// Times `work` on the host: one run to warm up, then `samples` runs. Returns the median in seconds.
pub fn time_host(samples: usize, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    work()?;
    let times = time_calls(samples, work)?;
    Ok(times[times.len() / 2])
}

/// Times `samples` calls of `work` on the host, at least one. Returns their seconds in ascending order.
fn time_calls(samples: usize, mut work: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
    let call = |_| {
        let start = Instant::now();
        work().map(|()| start.elapsed().as_secs_f64())
    };
    Ok(sorted((0..samples.max(1)).map(call).collect::<Result<_>>()?))
}

/// Times in ascending order.
fn sorted(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    times
}

/// Times one copy of `words` words by one thread of the host, in seconds. The first copy writes to new pages.
fn time_host_copy(samples: usize, words: usize) -> Result<f64> {
    let (source, mut target) = (vec![1u32; words], vec![0u32; words]);
    time_host(samples, || {
        target.copy_from_slice(std::hint::black_box(&source));
        std::hint::black_box(&mut target);
        Ok(())
    })
}

/// Returns all kernels of this crate.
pub fn kernels() -> impl Iterator<Item = &'static Kernel> {
    std::iter::once(&COPY).chain(compared::kernels())
}

#[cfg(test)]
#[path = "../../tests/gpu_common/devices.rs"]
mod test_devices;
