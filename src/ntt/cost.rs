//! Models of the time and the memory of transforms and products on GPUs, from measured figures.
//!
//! Times are those of `benches/RESULTS.md`; memory is counted from what the engines allocate.

use std::time::Duration;

use super::cpu_cost::{level_seconds, shared_seconds};
use super::rates::{CALL_SECONDS, DOWNLOAD_SECONDS, Rates, SOFTWARE_FACTOR, UPLOAD_SECONDS};
use crate::gpu::staging_bytes;
use crate::task::{Cost, CpuProfile, CpuRecord, GpuProfile, Profile};
use crate::{Error, Result, Shortage, Side};

/// An H200 took 594.5 us for three passes over 2^26 words with 64-bit integers and 714.5 without; short transforms take about
/// 1.5 us per pass. Kernels take 85 ms on its host, with no compiled pipelines on disk. lavapipe (Mesa 22.3, LLVM 15) took
/// 28 MiB to compile those of a transform with no cache on disk; other drivers were not measured. The host holds a part's
/// result, before it is copied to its place among the vectors.
pub(super) const WORDS: Rates = Rates {
    pass: 1.5e-6,
    element: 2.95e-12,
    portable_element: 3.55e-12,
    compile: 85e-3,
    compiler_bytes: 28 << 20,
    host_copies: 1,
};

/// Kernels that pass over words, for plans of kernels that are not of this crate: dispatches, each over all words, which
/// come from the host and return to it.
#[derive(Clone, Copy, Debug)]
pub struct Passes {
    /// The words.
    pub words: usize,
    /// The dispatches.
    pub dispatches: usize,
    /// On software drivers, the dispatches take the time that so many levels of butterflies take there.
    pub levels: usize,
    /// Vectors of all words on the device.
    pub vectors: u64,
    /// Bytes of tables on the device.
    pub table_bytes: u64,
}

impl Passes {
    /// The cost on a GPU, by the rates of the passes of transforms. Refuses the CPU engine, more words than one
    /// binding holds, and more memory than the profile allows.
    pub fn cost(&self, profile: &Profile) -> Result<Cost> {
        let &Passes { words, dispatches, levels, vectors, table_bytes } = self;
        let Some(gpu) = profile.gpu() else {
            return Err(Error::Unsupported {
                device: "the CPU engine",
                what: "run passes of kernels".into(),
            });
        };
        let bytes = 4 * words as u64;
        if bytes > gpu.binding_bytes {
            let most = gpu.binding_bytes / 4;
            let message = format!("{words} words: one binding of this device holds {most}");
            return Err(Error::OutOfMemory(Shortage { side: Some(Side::Device), ..message.into() }));
        }
        let word = levels as f64 * level_seconds(CpuRecord::Shipped);
        let on_cpu = |cpu| shared_seconds(words, word, cpu);
        let seconds = gpu_seconds(gpu, on_cpu, dispatches, dispatches * words, [bytes; 2]);
        let cost = Cost {
            time: Duration::from_secs_f64(seconds + WORDS.compile),
            host_bytes: bytes + staging_bytes(bytes) + table_bytes + WORDS.compiler_bytes,
            device_bytes: vectors * bytes + table_bytes,
        };
        cost.check(&profile.of_one(), "this form")?;
        Ok(cost)
    }
}

/// The time of `passes` passes over `words` words in all, and of so many bytes there and back; a software driver takes as long
/// as the CPU engine on all threads, some times over.
pub(super) fn gpu_seconds(
    gpu: &GpuProfile,
    on_cpu: impl FnOnce(CpuProfile) -> f64,
    passes: usize,
    words: usize,
    [upload, download]: [u64; 2],
) -> f64 {
    if gpu.is_software {
        return SOFTWARE_FACTOR * on_cpu(CpuProfile::all_threads());
    }
    let word = if gpu.arithmetic.int64 { WORDS.element } else { WORDS.portable_element };
    passes as f64 * WORDS.pass
        + words as f64 * word
        + upload as f64 * UPLOAD_SECONDS
        + download as f64 * DOWNLOAD_SECONDS
        + CALL_SECONDS
}
