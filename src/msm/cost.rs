//! The cost of a multiplication: models of time and bounds on memory, on both engines.
//!
//! Times are for BLS12-381 and come from benches/notebook/msm.md: the GPU's from an H200, the CPU's from
//! 16 cores of its host. Other devices and curves scale nearly alike, so the fastest choice is nearly
//! the same.

use super::msm64::short_bytes;
use super::tiling::{Cut, FOLD, Limits};
use super::{ScalarBits, Settings, buckets};
use crate::curve::Curve;
use crate::field::BigField;
use crate::gpu::Gpu;
use crate::task::{GpuProfile, Traffic, UPLOAD_RATE};

/// Nanoseconds by which the first multiplication takes longer than later ones: compilation in
/// parallel with other work, 0.4 to 0.5 s without a cache on disk.
const COMPILE: f64 = 450e6;
/// Nanoseconds to upload a byte to the device.
const UPLOAD: f64 = 1e9 / UPLOAD_RATE;
/// Nanoseconds of a call in addition to the device's own time and the host's last step: recording, and the download.
const CALL: f64 = 0.6e6;
/// The factor by which kernels without 64-bit integers are slower: 19.12 against 10.38 ms for 2^20
/// points.
const PORTABLE: f64 = 1.85;

/// The number of points from which on a GPU checks them faster than the CPU: a core takes some 60 us
/// per point, a GPU the time to compile the kernel.
const WORTH_CHECKING: usize = 1 << 16;

/// True if a GPU checks `n` points faster than the CPU.
pub(super) fn is_worth_checking_on(gpu: &Gpu, n: usize) -> bool {
    n >= WORTH_CHECKING && !gpu.adapter().is_software()
}

/// Nanoseconds of `vectors` multiplications of `n` points on a GPU, `part` of them at a time.
pub(super) fn gpu_nanoseconds(
    gpu: &GpuProfile,
    (n, vectors): (usize, usize),
    (cut, part): (&Cut, usize),
    limits: &Limits,
) -> f64 {
    let (parts, vectors) = (n.div_ceil(part.max(1)) as f64, vectors as f64);
    let work = run_nanoseconds(cut, part, limits) * parts;
    let work = if gpu.arithmetic.int64 { work } else { PORTABLE * work };
    let calls = parts * CALL / cut.together as f64;
    let bytes = n as f64 * (4.0 * limits.point_words as f64 + 32.0 * vectors);
    COMPILE + UPLOAD * bytes + vectors * (work + calls)
}

/// The time of one multiplication of a vector: the device's, the host's last step and, if the vector is the only one, the
/// time in which the driver allocates and releases its working memory.
pub(super) fn run_nanoseconds(cut: &Cut, n: usize, limits: &Limits) -> f64 {
    /// Nanoseconds to allocate and to release a byte: 0.10 and 0.09 s for the 4.3 GB of 2^22 points.
    const ALLOCATION: f64 = 0.044;
    let allocation = if limits.once { ALLOCATION * cut.workspace_bytes(limits) as f64 } else { 0.0 };
    (device_nanoseconds(cut, n, limits) + allocation) / cut.together as f64 + finish_nanoseconds(cut, limits)
}

/// The time of the host's last step: for each bit of a set's weights a doubling, and a sum that is read and added.
fn finish_nanoseconds(cut: &Cut, limits: &Limits) -> f64 {
    /// Nanoseconds of a bit, and the same in a quadratic extension: 0.4 and 0.7 ms for all sets without a table, 0.1 and 0.17
    /// for one set.
    const BIT: [f64; 2] = [1_200.0, 2_200.0];
    BIT[usize::from(limits.extended)] * f64::from(cut.scheme.sets * cut.scheme.width)
}

/// The device time of multiplying the vectors of a cut together on an H200, in nanoseconds, from the times of the
/// steps at 2^20 to 2^24 points and of the whole at 2^18.
fn device_nanoseconds(cut: &Cut, n: usize, limits: &Limits) -> f64 {
    /// A mixed addition at full occupancy.
    const ADD: f64 = 0.51;
    /// An affine addition of a pair.
    const PAIR: f64 = 0.41;
    /// The reduction: two additions of sums per bucket.
    const REDUCE: f64 = 1.85;
    /// An addition of a partial sum.
    const GATHER: f64 = 1.1;
    /// Reading and writing a bucket's sum.
    const SUM: f64 = 0.25;
    /// Cutting a scalar into digits; each group of sets does this for all scalars.
    const DIGITS: f64 = 0.07;
    /// Sorting a key and a value by one digit of up to eight bits.
    const SORT: f64 = 0.018;
    /// An addition on the critical path.
    const STEP: f64 = 25_000.0;
    /// A dispatch, and the number of dispatches other than those of the reduction.
    const DISPATCH: f64 = 4_000.0;
    const DISPATCHES: f64 = 16.0;
    /// A round of pairs, with an inversion on the critical path and dispatches that the host records; and a later round,
    /// whose points are contiguous.
    const ROUNDS: [f64; 2] = [420_000.0, 80_000.0];
    /// The same in a quadratic extension.
    const ROUNDS_EXTENDED: [f64; 2] = [250_000.0, 400_000.0];
    /// The factors by which an addition, that of a pair, and those of the reduction, which have a thread for each element,
    /// take longer in a quadratic extension.
    const EXTENDED: [f64; 3] = [3.7, 2.65, 2.0];
    let ([addition, pair, reduction], [round, later_round]) =
        if limits.extended { (EXTENDED, ROUNDS_EXTENDED) } else { ([1.0; 3], ROUNDS) };
    let scheme = &cut.scheme;
    let scalars = n as f64 * cut.together as f64;
    // Sets of fewer windows than others have entries of digits 0 in their place.
    let entries = scalars * f64::from(scheme.sets * scheme.entries_per_set());
    let sums = cut.together as f64 * f64::from(scheme.sets) * f64::from(scheme.weights());
    let chunks = n.div_ceil(cut.chunk) as f64;
    let groups = f64::from(scheme.sets.div_ceil(cut.group));
    // The entries that a round leaves if they are spread over all buckets.
    let (mut accumulated, mut pairs) = (entries, 0.0);
    for _ in 0..cut.rounds {
        accumulated = (accumulated + accumulated.min(sums * chunks)) / 2.0;
        pairs += accumulated;
    }
    // Every slice ends in a bucket in which another begins.
    let partials = accumulated / cut.slice as f64;
    let digits = f64::from(scheme.key_bits().div_ceil(8));
    let layers = f64::from(scheme.weights().ilog2());
    let rounds = match cut.rounds {
        0 => 0.0,
        rounds => round + f64::from(rounds - 1) * later_round,
    };
    let overhead = DISPATCHES * DISPATCH + rounds;
    groups * scalars * DIGITS
        + addition * (accumulated * ADD + partials * GATHER)
        + pair * pairs * PAIR
        + reduction * sums * REDUCE
        + entries * SORT * digits
        + sums * chunks * SUM
        // In a layer a sum has a thread for each element, so that it takes no longer in an extension.
        + STEP * (groups * layers + addition * chunks * crowding(cut, limits.scalar_bits))
        + groups * chunks * overhead
}

/// The number of sequential additions that the topmost window causes: if it has few bits and its entries are not spread, all
/// those of a chunk fall into few buckets.
fn crowding(cut: &Cut, scalar_bits: ScalarBits) -> f64 {
    let fold = f64::from(FOLD);
    let scheme = &cut.scheme;
    let top_bits = scheme.filled(scalar_bits);
    let is_spread = scheme.top_bits < scheme.width - 1;
    let buckets = if is_spread { scheme.weights() } else { scheme.weights().min(1 << top_bits) };
    let entries = cut.chunk as f64 / f64::from(1 << cut.rounds);
    let partials = (entries / f64::from(buckets) / cut.slice as f64).max(1.0);
    let levels = (partials.ln() / fold.ln()).floor();
    levels * (fold - 1.0) + partials.min(fold)
}

/// Bytes of a scalar as an integer.
const INTEGER: u64 = 32;

/// The maximum number of bytes of host memory of a multiplication of `n` points on the CPU engine.
pub(super) fn cpu_host_bytes<C: Curve>(n: u64, threads: u64) -> u64 {
    let sums = match C::HOST_MSM {
        Some(library) => (library.bytes)(n, threads).saturating_add(INTEGER.saturating_mul(n)),
        None => buckets::bytes::<C>(n, threads),
    };
    sums.saturating_add(LEAST)
}

/// The maximum number of bytes of host memory of multiplications of `n` points on a GPU, in chunks and parts of at
/// most `chunk` and `part`, with multiples of the points if they are `stored`: a chunk's points as words, the
/// scalars of two vectors as words, the mapped buffers of transfers (four of 32 MiB in either direction), and
/// the compilation.
pub(super) fn gpu_host_bytes(chunk: u64, part: u64, limits: &Limits, stored: bool) -> u64 {
    let points = 4 * limits.point_words * chunk;
    let scalars = INTEGER.saturating_mul(part);
    let compiler = if stored { COMPILER + TABLES_COMPILER } else { COMPILER };
    let mapped = |bytes: u64| bytes.next_power_of_two().clamp(64 << 10, 128 << 20);
    points
        .saturating_add((limits.vectors + 1).saturating_mul(scalars))
        .saturating_add(2 * mapped(points.max(scalars)) + compiler)
}

/// The most bytes of host memory of a check of `n` points beside its multiplications by an engine: a factor
/// of 64 bits and a masked scalar for each point, and the buckets of one block on each thread.
pub(super) fn check_host_bytes<C: Curve>(n: u64) -> u64 {
    let buckets = short_bytes::<C>(usize::try_from(n).unwrap_or(usize::MAX));
    n.saturating_mul(8 + INTEGER).saturating_add(buckets)
}

/// Bytes of threads' stacks and lists that do not grow with the points.
const LEAST: u64 = 4 << 20;
/// Bytes of shader texts and of the driver's compilation, some of which stay allocated: lavapipe (Mesa 22.3,
/// LLVM 15) took 144 to 150 MiB with no cache on disk, and 54 more for the kernels that store multiples. Other
/// drivers were not measured.
const COMPILER: u64 = 160 << 20;
const TABLES_COMPILER: u64 = 64 << 20;

/// The data and the dispatches of multiplying `vectors` vectors of `n` points together, in parts of at most `part`. With several
/// parts the points go to the device each time.
pub(super) fn gpu_traffic<C: Curve>(
    (n, vectors): (usize, usize),
    part: usize,
    cut: &Cut,
    settings: &Settings,
) -> Traffic {
    let field = BigField::of::<C::BaseField>();
    let parts = n.div_ceil(part.max(1)) as u64;
    let points = if parts > 1 { 4 * field.affine_words() as u64 * n as u64 } else { 0 };
    let sums = settings.reduction.digits(cut.scheme.weights()).len() as u64 + 1;
    let sum = 4 * settings.coordinates.words(&field) as u64;
    Traffic {
        upload: points + INTEGER * (n * vectors) as u64,
        download: vectors as u64 * parts * u64::from(cut.scheme.sets) * sums * sum,
        dispatches: super::gpu::dispatches((n, vectors), part, cut, settings, field.degree > 1),
    }
}
