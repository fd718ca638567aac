//! Models of the time and the memory of transforms and products, from measured figures.
//!
//! Times are those of `benches/RESULTS.md`; memory is counted from what the engines allocate.

use std::time::Duration;

use super::cpu::Instructions;
use super::rates::Rates;
use crate::gpu::staging_bytes;
use crate::task::{Cost, GpuProfile, Profile};
use crate::{Error, Result, Shortage, Side};

/// Seconds that one thread takes for one word in one of the log2 n levels of a transform. Transforms of 2^20
/// words modulo BabyBear on an AMD EPYC (Zen 5) took 1.151 ms with AVX-512, 2.220 ms with AVX2 and 5.292 ms
/// without either. NEON was not measured and counts as none.
pub(super) fn level_seconds(instructions: Instructions) -> f64 {
    match instructions {
        Instructions::Avx512 => 55e-12,
        Instructions::Avx2 => 106e-12,
        Instructions::Scalar | Instructions::Neon => 252e-12,
    }
}

/// Seconds that one thread takes per word to bring a vector into the other order: one call for 2^24 words on a
/// Xeon with AVX-512 took 1.5 ns a word longer to natural order. Transforms of 2^20 words on the EPYC took 1.7 ns
/// longer without vector instructions.
pub(super) fn reorder_seconds(instructions: Instructions) -> f64 {
    match instructions {
        Instructions::Avx512 | Instructions::Avx2 => 1.5e-9,
        Instructions::Scalar | Instructions::Neon => 1.7e-9,
    }
}

/// Seconds per word of a call beside the levels: for one thread, to make the tables and to touch memory for the
/// first time; and for all threads together, which share the host's bandwidth. One call for 2^24 words modulo
/// BabyBear, to bit-reversed order, took 81.2, 47.3, 32.0, 22.8 and 18.4 ms on 1, 2, 4, 8 and 16 threads of a Xeon
/// with AVX-512 (the host of an H200, 16 cores), and one for 2^20 words 3.70, 2.78, 2.02, 1.67 and 1.39 ms. The
/// model says 81.7, 48.2, 31.3, 22.9 and 18.7, and 4.9 to 1.4.
const TOUCH_SECONDS: f64 = 2.7e-9;
const BANDWIDTH_SECONDS: f64 = 0.85e-9;

/// Seconds per word of a product in addition to its three transforms, on one thread: 2^20 words took 4.058
/// ms, where three transforms take 3.495.
const POINTWISE_SECONDS: f64 = 0.54e-9;

/// Seconds to share a transform among threads: a product of 131072 terms took 0.73 ms on 16 cores, of which
/// each core's share of the work is about 0.06.
const SHARING_SECONDS: f64 = 0.22e-3;

/// Work on fewer words is not shared among threads.
const SHARED_WORDS: usize = 1 << 15;

/// An H200 took 594.5 us for three passes over 2^26 words with 64-bit integers and 714.5 without; short transforms take about
/// 1.5 us per pass. Kernels take 85 ms on its host, with no compiled pipelines on disk. lavapipe (Mesa 22.3, LLVM 15) took
/// 28 MiB to compile those of a transform with no cache on disk; other drivers were not measured. The host holds a part's
/// result, before it is copied to its place among the vectors.
pub(super) const WORDS: Rates = Rates {
    bits: None,
    bytes: 11.4,
    products: 6.1,
    dispatches: 1.0,
    compile: [1.4, 1.5],
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
        let cost = Cost {
            time: Duration::from_secs_f64(seconds + WORDS.compile_seconds(gpu)),
            host_bytes: bytes + staging_bytes(bytes) + table_bytes + WORDS.compiler_bytes,
            device_bytes: vectors * bytes + table_bytes,
        };
        cost.check(&profile.of_one(), "this form")?;
        Ok(cost)
    }
}

/// The time of a product by transforms of 2^`log_n` words on the CPU engine.
pub(super) fn cpu_product_seconds(log_n: u32, threads: usize) -> f64 {
    let (n, word) = (1 << log_n, f64::from(log_n) * level_seconds(Instructions::widest()));
    3.0 * shared_seconds(n, word + POINTWISE_SECONDS / 3.0, threads) + touch_seconds(n, threads)
}

/// The time of a call for `words` words beside the levels.
pub(super) fn touch_seconds(words: usize, threads: usize) -> f64 {
    let threads = if words >= SHARED_WORDS { threads.max(1) } else { 1 };
    words as f64 * (BANDWIDTH_SECONDS + TOUCH_SECONDS / threads as f64)
}

/// The time of `words` words that take `word` seconds each on one thread, when shared among `threads`.
pub(super) fn shared_seconds(words: usize, word: f64, threads: usize) -> f64 {
    let alone = words as f64 * word;
    match threads > 1 && words >= SHARED_WORDS {
        true => alone / threads as f64 + SHARING_SECONDS,
        false => alone,
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
