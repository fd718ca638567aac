//! Models of the time and the memory of transforms and products, from measured figures.
//!
//! Times are those of `benches/RESULTS.md`; memory is counted from what the engines allocate.

use std::time::Duration;

use super::columns::ColumnTransform;
use super::cpu::{self, Instructions};
use super::product::{Convolution, Product};
use super::transform::Order;
use super::words::{Coset, Transform};
use super::{Form, gpu};
use crate::gpu::staging_bytes;
use crate::task::{Cost, DOWNLOAD_RATE, GpuProfile, Profile, UPLOAD_RATE};
use crate::{Error, Result, Shortage, Side};

/// Seconds that one thread takes for one word in one of the log2 n levels of a transform. Transforms of 2^20
/// words modulo BabyBear on an AMD EPYC (Zen 5) took 1.151 ms with AVX-512, 2.220 ms with AVX2 and 5.292 ms
/// without either. NEON was not measured and counts as none.
fn level_seconds(instructions: Instructions) -> f64 {
    match instructions {
        Instructions::Avx512 => 55e-12,
        Instructions::Avx2 => 106e-12,
        Instructions::Scalar | Instructions::Neon => 252e-12,
    }
}

/// Seconds that one thread takes per word to bring a vector into the other order: one call for 2^24 words on a
/// Xeon with AVX-512 took 1.5 ns a word longer to natural order. Transforms of 2^20 words on the EPYC took 1.7 ns
/// longer without vector instructions.
fn reorder_seconds(instructions: Instructions) -> f64 {
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

/// Seconds of a pass of a GPU: a fixed part, and a part per word. An H200 took 594.5 us for three passes
/// over 2^26 words with 64-bit integers and 714.5 without; short transforms take about 1.5 us per pass.
const PASS_SECONDS: f64 = 1.5e-6;
const WORD_SECONDS: f64 = 2.95e-12;
const PORTABLE_WORD_SECONDS: f64 = 3.55e-12;

/// Seconds per byte to the device and back.
const UPLOAD_SECONDS: f64 = 1.0 / UPLOAD_RATE;
const DOWNLOAD_SECONDS: f64 = 1.0 / DOWNLOAD_RATE;

/// Seconds to compile the kernels of a transform and of a product, with no compiled pipelines on disk: 85 and
/// 215 ms on the host of an H200.
const TRANSFORM_COMPILE_SECONDS: f64 = 85e-3;
const PRODUCT_COMPILE_SECONDS: f64 = 215e-3;

/// Bytes of host memory of the driver's compilation: of a transform, of a product, and of each further prime of
/// an exact product. lavapipe (Mesa 22.3, LLVM 15) took 28, 44 and 20 MiB with no cache on disk. Other drivers
/// were not measured.
const TRANSFORM_COMPILER: u64 = 28 << 20;
const PRODUCT_COMPILER: u64 = 44 << 20;
pub(super) const NEXT_PRODUCT_COMPILER: u64 = 20 << 20;

/// Seconds that the host waits for a short call.
const CALL_SECONDS: f64 = 0.5e-3;

/// The time of a software driver divided by that of the CPU engine on all cores.
const SOFTWARE_FACTOR: f64 = 10.0;

pub(super) fn transform_on_cpu(transform: &Transform, threads: usize) -> Cost {
    Cost {
        time: Duration::from_secs_f64(cpu_transform_seconds(transform, threads)),
        host_bytes: cpu::Plan::table_bytes(transform)
            + threads as u64 * cpu::Plan::scratch_bytes(transform.log_n),
        device_bytes: 0,
    }
}

pub(super) fn transform_on_gpu(transform: &Transform, plan: &gpu::TransformPlan, gpu: &GpuProfile) -> Cost {
    let part = 4 * plan.words() as u64;
    let parts = transform.batch.div_ceil((plan.words() >> transform.log_n).max(1)) as f64;
    let bytes = 4.0 * transform.len() as f64;
    let seconds = match gpu.is_software {
        true => SOFTWARE_FACTOR * cpu_transform_seconds(transform, crate::parallel::threads()),
        false => {
            pass_seconds(gpu, plan.passes() as f64 * parts, plan.passes() as f64 * transform.len() as f64)
                + bytes * (UPLOAD_SECONDS + DOWNLOAD_SECONDS)
                + CALL_SECONDS * parts
        }
    };
    Cost {
        time: Duration::from_secs_f64(seconds + TRANSFORM_COMPILE_SECONDS),
        // The part's result, before it is copied to its place among the vectors.
        host_bytes: part + staging_bytes(part) + plan.table_bytes() + TRANSFORM_COMPILER,
        device_bytes: part + 4 * plan.scratch_len() as u64 + plan.table_bytes(),
    }
}

/// The CPU engine transposes before and after.
pub(super) fn columns_on_cpu(columns: &ColumnTransform, threads: usize) -> Cost {
    let cost = transform_on_cpu(columns.transform(), threads);
    let before = columns.inverse().map_or(Duration::ZERO, |inverse| transform_on_cpu(inverse, threads).time);
    let words = columns.len_after();
    Cost {
        time: before + cost.time + Duration::from_secs_f64(2.0 * touch_seconds(words, 1)),
        host_bytes: cost.host_bytes + 8 * words as u64,
        device_bytes: 0,
    }
}

pub(super) fn columns_on_gpu(columns: &ColumnTransform, plan: &gpu::MatrixPlan, gpu: &GpuProfile) -> Cost {
    let [before, after] = [plan.words_before(), plan.words_after()].map(|words| 4 * words as u64);
    let seconds = match gpu.is_software {
        true => SOFTWARE_FACTOR * cpu_transform_seconds(columns.transform(), crate::parallel::threads()),
        false => {
            pass_seconds(gpu, plan.passes() as f64, plan.words_written() as f64)
                + before as f64 * UPLOAD_SECONDS
                + after as f64 * DOWNLOAD_SECONDS
                + CALL_SECONDS
        }
    };
    Cost {
        time: Duration::from_secs_f64(seconds + TRANSFORM_COMPILE_SECONDS),
        host_bytes: after + staging_bytes(before.max(after)) + plan.table_bytes() + TRANSFORM_COMPILER,
        device_bytes: before + after + 4 * plan.scratch_len() as u64 + plan.table_bytes(),
    }
}

pub(super) fn product_on_cpu(
    product: &Product,
    convolution: Option<&Convolution>,
    threads: usize,
) -> Result<Cost> {
    let answer = 4 * product.length()? as u64;
    let Some(convolution) = convolution else {
        return Ok(Cost { host_bytes: answer, ..Cost::default() });
    };
    Ok(Cost {
        time: Duration::from_secs_f64(product.batch() as f64 * cpu_product_seconds(convolution, threads)),
        // The two padded factors, one of which becomes the product.
        host_bytes: folding_bytes(product, answer)
            + earlier_answers(product, answer)
            + 8 * convolution.n() as u64
            + convolution_tables(convolution)
            + threads as u64 * cpu::Plan::scratch_bytes(convolution.log_n),
        device_bytes: 0,
    })
}

pub(super) fn product_on_gpu(
    product: &Product,
    plan: Option<&gpu::ProductPlan>,
    gpu: &GpuProfile,
) -> Result<Cost> {
    let answer = 4 * product.length()? as u64;
    let (Some(plan), Some(convolution)) = (plan, product.convolution()?) else {
        return Ok(Cost { time: Duration::ZERO, host_bytes: answer, device_bytes: 0 });
    };
    let (n, factors) = (convolution.n() as u64, 4 * product.folded().iter().sum::<usize>() as u64);
    let seconds = match gpu.is_software {
        true => SOFTWARE_FACTOR * cpu_product_seconds(&convolution, crate::parallel::threads()),
        false => {
            pass_seconds(gpu, plan.dispatches() as f64, plan.words_passed() as f64)
                + factors as f64 * UPLOAD_SECONDS
                + 4.0 * n as f64 * DOWNLOAD_SECONDS
                + CALL_SECONDS
        }
    };
    Ok(Cost {
        time: Duration::from_secs_f64(product.batch() as f64 * seconds + PRODUCT_COMPILE_SECONDS),
        host_bytes: folding_bytes(product, answer)
            + earlier_answers(product, answer)
            + 4 * n
            + staging_bytes(4 * n)
            + plan.table_bytes()
            + PRODUCT_COMPILER,
        device_bytes: factors + 4 * (n + plan.scratch_len() as u64) + plan.table_bytes(),
    })
}

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
    /// The cost on a GPU, by the rates of the passes of transforms.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for the CPU engine; [`Error::OutOfMemory`] for more words than one binding holds, and for more
    /// memory than the profile allows.
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
        let seconds = match gpu.is_software {
            true => {
                let word = levels as f64 * level_seconds(Instructions::widest());
                SOFTWARE_FACTOR * shared_seconds(words, word, crate::parallel::threads())
            }
            false => {
                pass_seconds(gpu, dispatches as f64, dispatches as f64 * words as f64)
                    + bytes as f64 * (UPLOAD_SECONDS + DOWNLOAD_SECONDS)
                    + CALL_SECONDS
            }
        };
        let cost = Cost {
            time: Duration::from_secs_f64(seconds + TRANSFORM_COMPILE_SECONDS),
            host_bytes: bytes + staging_bytes(bytes) + table_bytes + TRANSFORM_COMPILER,
            device_bytes: vectors * bytes + table_bytes,
        };
        cost.check(&profile.of_one(), "this form")?;
        Ok(cost)
    }
}

/// Bytes of the tables of a product on the CPU engine: one set for each direction.
pub(super) fn convolution_tables(convolution: &Convolution) -> u64 {
    2 * cpu::Plan::tables_of(convolution.log_n, convolution.negacyclic)
}

/// Bytes of the factors that are folded on the host.
pub(super) fn folded_bytes(form: Form, lengths: [usize; 2]) -> u64 {
    let folded = lengths.into_iter().map(|length| {
        let left = form.folded(length);
        if left < length { 4 * left as u64 } else { 0 }
    });
    folded.sum()
}

/// Bytes of the answers of a batch that are kept while the last product is computed.
fn earlier_answers(product: &Product, answer: u64) -> u64 {
    answer.saturating_mul(product.batch().saturating_sub(1) as u64)
}

/// Bytes of the factors that are folded on the host, and of an answer that is longer than the transforms.
fn folding_bytes(product: &Product, answer: u64) -> u64 {
    // A linear product stays where the transforms leave it.
    folded_bytes(product.form(), product.lengths()) + if product.form() == Form::Linear { 0 } else { answer }
}

fn cpu_transform_seconds(transform: &Transform, threads: usize) -> f64 {
    let instructions = Instructions::widest();
    let reorders = match (transform.coset, transform.input, transform.output) {
        (Coset::Subgroup, Order::Natural, Order::BitReversed)
        | (Coset::Subgroup, Order::BitReversed, Order::Natural) => 0.0,
        _ => 1.0,
    };
    let word =
        f64::from(transform.log_n) * level_seconds(instructions) + reorders * reorder_seconds(instructions);
    shared_seconds(transform.len(), word, threads) + touch_seconds(transform.len(), threads)
}

fn cpu_product_seconds(convolution: &Convolution, threads: usize) -> f64 {
    let word = f64::from(convolution.log_n) * level_seconds(Instructions::widest());
    3.0 * shared_seconds(convolution.n(), word + POINTWISE_SECONDS / 3.0, threads)
        + touch_seconds(convolution.n(), threads)
}

/// The time of a call for `words` words beside the levels.
fn touch_seconds(words: usize, threads: usize) -> f64 {
    let threads = if words >= SHARED_WORDS { threads.max(1) } else { 1 };
    words as f64 * (BANDWIDTH_SECONDS + TOUCH_SECONDS / threads as f64)
}

/// The time of `words` words that take `word` seconds each on one thread, when shared among `threads`.
fn shared_seconds(words: usize, word: f64, threads: usize) -> f64 {
    let alone = words as f64 * word;
    match threads > 1 && words >= SHARED_WORDS {
        true => alone / threads as f64 + SHARING_SECONDS,
        false => alone,
    }
}

/// The time of `passes` passes over `words` words in all.
fn pass_seconds(gpu: &GpuProfile, passes: f64, words: f64) -> f64 {
    let word = if gpu.arithmetic.int64 { WORD_SECONDS } else { PORTABLE_WORD_SECONDS };
    passes * PASS_SECONDS + words * word
}
