//! The cost of a multiplication: models of time and bounds on memory, on both engines.
//!
//! Times of a GPU are sums of products in the field of the coordinates, of bytes, of dispatches and of waiting for one product
//! after the other. How many of each is what an H200 took for multiplications over BLS12-381 (benches/notebook/msm.md), divided
//! by what its own record says of one: formulas and passes over memory are the same on every device.

use super::msm64::short_bytes;
use super::speeds::Speeds;
use super::tiling::{Cut, FOLD, Limits};
use super::{ScalarBits, Settings, buckets};
use crate::curve::Curve;
use crate::field::BigField;
use crate::gpu::Gpu;
use crate::task::{GpuProfile, Traffic};

/// Reference kernels that take as long to compile as all of a multiplication, in parallel with other work, the first time and
/// later: 0.4 to 0.5 s and 15 ms on the host of an H200, over fields of up to 256 bits. Longer numbers, and extensions, have longer texts.
const COMPILE: [f64; 2] = [7.5, 3.0];
const COMPILE_LONG: f64 = 1.5;
const COMPILE_EXTENDED: f64 = 1.3;
/// Short calls that take as long as the recording, and the download of the sums: 0.6 ms on an H200.
pub(super) const CALLS: f64 = 6.8;

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
    let calls = parts * CALLS * 1e9 * gpu.record.call / cut.together as f64;
    let scalars = gpu.upload_seconds(n as f64 * 32.0 * vectors);
    1e9 * (preparing_seconds(gpu, n, limits) + scalars) + vectors * (work + calls)
}

/// Seconds to compile the kernels and to upload `n` points.
pub(super) fn preparing_seconds(gpu: &GpuProfile, n: usize, limits: &Limits) -> f64 {
    compile_seconds(gpu, limits) + gpu.upload_seconds(n as f64 * 4.0 * limits.point_words as f64)
}

/// Seconds to compile the kernels.
pub(super) fn compile_seconds(gpu: &GpuProfile, limits: &Limits) -> f64 {
    let (bits, degree) = limits.field.unwrap_or_default();
    let long = if bits > 256 { COMPILE_LONG } else { 1.0 };
    let extended = if degree > 1 { COMPILE_EXTENDED } else { 1.0 };
    let [new, known] = COMPILE;
    gpu.compile_seconds("msm", limits.field, [new, known * long * extended])
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

/// Nanoseconds of an addition of an affine point at full occupancy: of those of [`device_nanoseconds`].
pub(super) fn addition_nanoseconds(limits: &Limits) -> f64 {
    const OF_H200: f64 = 0.51 / 0.0418;
    let extended = if limits.extended { 3.7 } else { 1.0 };
    OF_H200 * extended * limits.speeds.product
}

/// The device time of multiplying the vectors of a cut together, in nanoseconds: by the times of the steps at 2^20 to 2^24 points
/// and of the whole at 2^18 on an H200.
fn device_nanoseconds(cut: &Cut, n: usize, limits: &Limits) -> f64 {
    /// What an H200 takes for a product of 381 bits, and for one that waits, for a byte and a dispatch.
    const OF_H200: Speeds = Speeds { product: 0.0418, latency: 1443.0, byte: 2.6e-4, dispatch: 1800.0 };
    let Speeds { product, latency, byte, dispatch } = limits.speeds;
    let products = |nanoseconds: f64| nanoseconds / OF_H200.product * product;
    let waiting = |nanoseconds: f64| nanoseconds / OF_H200.latency * latency;
    let bytes = |nanoseconds: f64| nanoseconds / OF_H200.byte * byte;
    let dispatches = |nanoseconds: f64| nanoseconds / OF_H200.dispatch * dispatch;
    // A mixed addition at full occupancy, and an affine addition of a pair.
    let (add_point, add_pair) = (products(0.51), products(0.41));
    // The reduction: two additions of sums per bucket.
    let reduce = products(1.85);
    // An addition of a partial sum.
    let gather = products(1.1);
    // Reading and writing a bucket's sum.
    let sum = bytes(0.25);
    // Cutting a scalar into digits; each group of sets does this for all scalars.
    let digits_of_scalar = bytes(0.07);
    // Sorting a key and a value by one digit of up to eight bits.
    let sort = bytes(0.018);
    // An addition on the critical path.
    let step = waiting(25_000.0);
    // A dispatch, and the number of dispatches other than those of the reduction.
    let one_dispatch = dispatches(4_000.0);
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
        rounds => waiting(round + f64::from(rounds - 1) * later_round),
    };
    let overhead = DISPATCHES * one_dispatch + rounds;
    groups * scalars * digits_of_scalar
        + addition * (accumulated * add_point + partials * gather)
        + pair * pairs * add_pair
        + reduction * sums * reduce
        + entries * sort * digits
        + sums * chunks * sum
        // In a layer a sum has a thread for each element, so that it takes no longer in an extension.
        + step * (groups * layers + addition * chunks * crowding(cut, limits.scalar_bits))
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
/// most `chunk` and `part`, with multiples of the points if they are `stored`: the scalars of two vectors as words, the mapped
/// buffers of transfers (four of 32 MiB in either direction), and the compilation.
pub(super) fn gpu_host_bytes(chunk: u64, part: u64, limits: &Limits, stored: bool) -> u64 {
    let points = 4 * limits.point_words * chunk;
    let scalars = INTEGER.saturating_mul(part);
    let compiler = if stored { COMPILER + TABLES_COMPILER } else { COMPILER };
    let mapped = |bytes: u64| bytes.next_power_of_two().clamp(64 << 10, 128 << 20);
    (limits.vectors + 1).saturating_mul(scalars).saturating_add(2 * mapped(points.max(scalars)) + compiler)
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
