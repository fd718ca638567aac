//! Models of the time and the memory of transforms and products on GPUs, from measured figures.
//!
//! Times are those of `benches/RESULTS.md`; memory is counted from what the engines allocate.

use std::time::Duration;

use super::rates::Rates;
use crate::gpu::staging_bytes;
use crate::task::{Cost, GpuProfile, Profile};
use crate::{Error, Result, Shortage, Side};

/// An H200 took 594.5 us for three passes over 2^26 words with 64-bit integers and 714.5 without; short transforms take about
/// 1.5 us per pass. Kernels take 85 ms on its host, with no compiled pipelines on disk. lavapipe (Mesa 22.3, LLVM 15) took
/// 28 MiB to compile those of a transform with no cache on disk; other drivers were not measured. The host holds a part's
/// result, before it is copied to its place among the vectors.
pub(super) const WORDS: Rates = Rates {
    bits: None,
    bytes: 11.4,
    products: 6.1,
    dispatches: 1.0,
    compile: [1.4, 1.4],
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
    /// Vectors of all words on the device.
    pub vectors: u64,
    /// Bytes of tables on the device.
    pub table_bytes: u64,
}

impl Passes {
    /// The cost on a GPU, by the rates of the passes of transforms. Refuses the CPU engine, more words than one
    /// binding holds, and more memory than the profile allows.
    pub fn cost(&self, profile: &Profile) -> Result<Cost> {
        let &Passes { words, dispatches, vectors, table_bytes } = self;
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
        let seconds = gpu_seconds(gpu, dispatches, dispatches * words, [bytes; 2]);
        let compiling = Duration::from_secs_f64(WORDS.compile_seconds(gpu));
        let cost = Cost {
            time: Duration::from_secs_f64(seconds) + compiling,
            compiling,
            host_bytes: bytes + staging_bytes(bytes) + table_bytes + WORDS.compiler_bytes,
            device_bytes: vectors * bytes + table_bytes,
            ..Cost::default()
        };
        cost.check(&profile.of_one(), "this form")?;
        Ok(cost)
    }
}

/// The time of `passes` passes over `words` words in all, and of so many bytes there and back.
pub(super) fn gpu_seconds(
    gpu: &GpuProfile,
    passes: usize,
    words: usize,
    [upload, download]: [u64; 2],
) -> f64 {
    WORDS.seconds(gpu, passes as f64, words as f64)
        + gpu.upload_seconds(upload as f64)
        + gpu.download_seconds(download as f64)
        + gpu.record.call
}
