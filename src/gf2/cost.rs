//! The time and memory of every method over GF(2) on both engines, which plans compare.
//!
//! Times are models of the dominant work: lines of 512 bits added on the CPU, vectors of 128 bits moved
//! or looked up on the GPU. Only the ratios between methods need to be right; absolute times are good to
//! a factor of two on the machines named below. Bytes of host memory are upper bounds.

use std::time::Duration;

use super::bit_matrix::{LINE_BITS, words_of_a_row};
use super::gpu::{BLOCK, TILE};
use super::{Method, SystemShape, cpu};
use crate::task::{GpuProfile, Profile, Traffic};

/// Nanoseconds that one thread of a Zen 5 with AVX-512 takes to add a line in a sweep or to gather one
/// from a table of columns.
const SPARSE_LINE: f64 = 1.2;
/// Nanoseconds that the thread takes to update a line by 64 pivots through tables.
const TABLE_LINE: f64 = 3.0;
/// Nanoseconds that it takes to process a row in the panel step for 64 columns.
const PANEL_WORD: f64 = 10.0;
/// Nanoseconds that it takes to add a 64-bit word to another, with data outside the caches.
const WORD: f64 = 0.25;
/// Nanoseconds that it takes to transpose 64 by 64 bits, reading and writing memory.
const TRANSPOSED_BLOCK: f64 = 150.0;

/// Vectors that an H200 moves or looks up per second.
const VECTORS_A_SECOND: f64 = 1.5e12;
/// The rough factor by which a software driver is slower.
const SOFTWARE: f64 = 500.0;
/// The time of a block's sequential steps on an H200, in addition to the work on the rows: 60 us.
const BLOCK_LATENCY: f64 = 60e-6;
/// The time of the sequential steps for a block of eliminators in the first of two stages: 20 us.
const SUBSTITUTION_LATENCY: f64 = 20e-6;
/// The time to create the pipelines: 12 ms from a warm cache, 300 ms from a cold one (H200).
const PIPELINES: f64 = 0.05;
/// Bytes per second to an H200 and back (5.8 and 2.3 GB/s), measured with host matrices of
/// 32768 x 32768.
const UPLOAD: f64 = 5.8e9;
const DOWNLOAD: f64 = 2.3e9;

/// Bytes that every run takes, however small its data. The stacks of worker threads and their tables
/// of sums, 26 KiB each, belong to the open device and are not counted.
const FIXED: u64 = 64 << 10;

/// Bytes of the driver's compilation of the kernels of an elimination and of a product: lavapipe (Mesa 22.3,
/// LLVM 15) took 60 and 24 MiB with no cache on disk. Other drivers were not measured.
const ELIMINATION_COMPILER: u64 = 60 << 20;
const PRODUCT_COMPILER: u64 = 24 << 20;

/// Bytes of a [`BitMatrix`](super::BitMatrix).
pub(super) fn matrix_bytes(rows: usize, columns: usize) -> u64 {
    (8 * words_of_a_row(columns) as u64).saturating_mul(rows as u64).saturating_add(64)
}

/// Bytes of a matrix in tiles of 512 columns.
fn tiles_bytes(rows: usize, columns: usize) -> u64 {
    (64 * columns.div_ceil(LINE_BITS) as u64).saturating_mul(rows as u64)
}

fn sum(bytes: impl IntoIterator<Item = u64>) -> u64 {
    bytes.into_iter().fold(0, u64::saturating_add)
}

// --- The CPU engine: nanoseconds of one thread, bytes.

fn nanoseconds(count: f64, threads: usize) -> Duration {
    Duration::from_secs_f64(count * 1e-9 / threads.max(1) as f64)
}

/// Nanoseconds of a blocked elimination: every row takes part in all panels, and in half of the
/// updates, since a block updates only the tiles after it.
fn blocked_lines(rows: usize, columns: usize) -> f64 {
    let words = columns.div_ceil(64);
    let tiles = columns.div_ceil(LINE_BITS) as f64;
    rows as f64 * words as f64 * (PANEL_WORD + TABLE_LINE * tiles / 2.0)
}

/// The time of an echelon form, reduced if `full`, on the CPU engine.
pub(super) fn cpu_echelon_time(rows: usize, columns: usize, full: bool, threads: usize) -> Duration {
    let share = rows.min(columns) as f64 / columns.max(1) as f64;
    nanoseconds(blocked_lines(rows, columns) * share * if full { 2.0 } else { 1.0 }, threads)
}

/// The time of the blocked elimination of a system's rows on the CPU engine, every column with a pivot.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn cpu_system_on_files_time(rows: usize, columns: usize, threads: usize) -> Duration {
    nanoseconds(blocked_lines(rows, columns), threads)
}

/// The time of a product on the CPU engine.
pub(super) fn cpu_product_time(rows: usize, inner: usize, columns: usize, threads: usize) -> Duration {
    let lines = rows as f64 * inner.div_ceil(64) as f64 * columns.div_ceil(LINE_BITS) as f64;
    nanoseconds(TABLE_LINE * lines, threads)
}

/// The time of a transposition on the host.
pub(super) fn transposition_time(rows: usize, columns: usize) -> Duration {
    nanoseconds(TRANSPOSED_BLOCK * rows.div_ceil(64) as f64 * columns.div_ceil(64) as f64, 1)
}

/// Bytes of a transposition, the transpose included.
pub(super) fn transposition_bytes(rows: usize, columns: usize) -> u64 {
    matrix_bytes(columns, rows).saturating_add(FIXED)
}

/// Bytes of a blocked elimination's state in addition to its tiles: the multipliers of a block, the pivots of
/// a group of tiles (given and acting), and lists of rows.
fn blocked_state(rows: usize, columns: usize, given: bool) -> u64 {
    let group = 64 * (LINE_BITS * columns.div_ceil(LINE_BITS).min(cpu::GROUP)) as u64;
    sum([(64 + 32) * rows as u64, if given { 2 * group } else { group }, 128 << 10])
}

/// Bytes of the pivots of a matrix on the CPU engine.
pub(super) fn cpu_pivots_bytes(rows: usize, columns: usize) -> u64 {
    sum([tiles_bytes(rows, columns), blocked_state(rows, columns, false), FIXED])
}

/// Bytes of an echelon form on the CPU engine, the form included.
pub(super) fn cpu_echelon_bytes(rows: usize, columns: usize) -> u64 {
    let answer = matrix_bytes(rows, columns) + 16 * rows as u64;
    let beside = blocked_state(rows, columns, false).max(answer);
    sum([tiles_bytes(rows, columns), beside, FIXED])
}

/// Bytes of a product on the CPU engine, the product included.
pub(super) fn cpu_product_bytes(rows: usize, inner: usize, columns: usize) -> u64 {
    let factors = tiles_bytes(rows, inner).saturating_add(tiles_bytes(inner, columns));
    let beside = factors.max(matrix_bytes(rows, columns));
    sum([tiles_bytes(rows, columns), beside, 4 * rows as u64, FIXED])
}

/// The time of a method on the CPU engine.
pub(super) fn cpu_system_time(shape: &SystemShape, method: Method, threads: usize) -> Duration {
    let &SystemShape { columns, rows, .. } = shape;
    // On average half of a row's words are added for each column that has or gets a pivot.
    let additions = rows as f64 * columns as f64 / 2.0 * columns.div_ceil(64) as f64 / 2.0;
    match method {
        Method::TwoStage => {
            let widening = shape.most_promoted().div_ceil(LINE_BITS) * (shape.eliminator_ones + columns);
            let lines = swept_lines(shape).min(gathered_lines(shape)) + widening;
            nanoseconds(SPARSE_LINE * lines as f64 + blocked_lines(rows, shape.missing()), threads)
        }
        Method::Blocked | Method::Auto => nanoseconds(blocked_lines(rows, columns), threads),
        Method::Bands | Method::XorThreads => nanoseconds(WORD * additions, 1),
        Method::Rounds => nanoseconds(WORD * additions, threads),
    }
}

/// Lines added in stage 1 of the two-stage method by columns: a table for 512 missing columns at a
/// time, from which each row gathers.
pub(super) fn gathered_lines(shape: &SystemShape) -> usize {
    let ones = shape.eliminator_ones + shape.row_ones;
    shape.missing().div_ceil(LINE_BITS) * (ones + shape.columns)
}

/// Lines added in stage 1 of the two-stage method by rows: a sweep for 512 rows at a time. A sweep
/// scatters, which reads and writes; hence the factor 3 / 2.
pub(super) fn swept_lines(shape: &SystemShape) -> usize {
    let sweep = shape.eliminator_ones * 3 / 2 + shape.columns;
    shape.rows.div_ceil(LINE_BITS) * sweep + shape.row_ones
}

/// Bytes of the result of a system: promoted rows with their numbers and places, and the columns' labels.
pub(super) fn answer_bytes(shape: &SystemShape) -> u64 {
    let (promoted, columns) = (shape.most_promoted(), shape.columns);
    sum([matrix_bytes(promoted, columns), 16 * promoted as u64, 4 * columns as u64])
}

/// Bytes of a method on the CPU engine for a system with `lists` eliminators (empty ones included);
/// the promoted rows are included.
pub(super) fn cpu_system_bytes(shape: &SystemShape, lists: usize, method: Method, threads: usize) -> u64 {
    let &SystemShape { columns, rows, .. } = shape;
    let (missing, promoted) = (shape.missing(), shape.most_promoted());
    let answer = answer_bytes(shape);
    let lines = 64 * columns as u64;
    let at_once = match method {
        Method::TwoStage => {
            let narrow = tiles_bytes(rows, missing);
            let combined = tiles_bytes(promoted, promoted);
            let coefficients = 8 * missing.next_multiple_of(LINE_BITS) as u64;
            let record = sum([narrow, 8 * rows as u64, coefficients]);
            let tables = threads.min(missing.div_ceil(LINE_BITS)).max(1) as u64;
            let sweeps = threads.min(promoted.div_ceil(LINE_BITS)) as u64;
            let stages = [
                sum([narrow, tables.saturating_mul(lines), 64 << 10]),
                sum([narrow, record, blocked_state(rows, missing, false)]),
                sum([record, combined, combined, 4 * rows as u64]),
                sum([combined, answer, sweeps.saturating_mul(lines + (64 << 10))]),
            ];
            stages.into_iter().max().unwrap_or(0) + 4 * missing as u64 + 16 * rows as u64
        }
        Method::Blocked | Method::Auto => {
            sum([tiles_bytes(rows, columns), blocked_state(rows, columns, true).max(answer)])
        }
        Method::Bands | Method::XorThreads | Method::Rounds => sum([
            matrix_bytes(lists + rows, columns),
            matrix_bytes(rows, columns),
            4 * columns as u64 + 64 * rows as u64,
            answer,
        ]),
    };
    at_once.saturating_add(FIXED)
}

/// Bytes of a check of all rows in file order, the result included: for each thread a line for every column;
/// the pivots, and a random vector, by column.
pub(super) fn check_system_bytes(shape: &SystemShape, threads: usize) -> u64 {
    let &SystemShape { columns, rows, .. } = shape;
    let groups = threads.min(rows.div_ceil(LINE_BITS)).max(1) as u64;
    let lines = (64 * columns as u64).saturating_mul(groups);
    sum([answer_bytes(shape), lines, 24 * columns as u64, 4 * rows as u64, FIXED])
}

// --- GPUs: seconds, bytes of host memory. The bounds on device memory are in `gpu`.

/// The time of a run that moves or looks up `vectors` vectors, waits `latency` seconds for sequential
/// steps, and transfers `upload` and `download` bytes.
fn gpu_time(gpu: &GpuProfile, vectors: f64, latency: f64, upload: u64, download: u64) -> Duration {
    let work = match gpu.is_software {
        // A software driver has no idle units, so latency adds nothing.
        true => vectors * SOFTWARE / VECTORS_A_SECOND,
        false => vectors / VECTORS_A_SECOND + latency,
    };
    let transfers = upload as f64 / UPLOAD + download as f64 / DOWNLOAD;
    gpu.startup + Duration::from_secs_f64(PIPELINES + work + transfers)
}

fn tiles(columns: usize) -> f64 {
    columns.div_ceil(TILE) as f64
}

/// Vectors of the blocked method: every row takes 32 look-ups per block in all tiles after the block.
fn blocked_vectors(rows: usize, columns: usize) -> f64 {
    8.0 * rows as f64 * tiles(columns) * tiles(columns)
}

fn block_latency(columns: usize) -> f64 {
    BLOCK_LATENCY * columns.div_ceil(BLOCK) as f64
}

/// The time of an echelon form, reduced if `full`, on a GPU.
pub(super) fn gpu_echelon_time(gpu: &GpuProfile, rows: usize, columns: usize, full: bool) -> Duration {
    let bytes = matrix_bytes(rows, columns);
    let share = rows.min(columns) as f64 / columns.max(1) as f64 * if full { 2.0 } else { 1.0 };
    gpu_time(gpu, blocked_vectors(rows, columns) * share, block_latency(rows.min(columns)), bytes, bytes)
}

/// The time of an echelon form that several GPUs share, of which `largest` does the most for its speed: the
/// fraction of the work that it has. Every block's message goes to the host and then to the other devices, while
/// these update.
pub(super) fn gpu_across_time(
    gpu: &GpuProfile,
    (rows, columns, full): (usize, usize, bool),
    largest: f64,
    messages: u64,
) -> Duration {
    let alone = gpu_echelon_time(gpu, rows, columns, full).saturating_sub(gpu.startup).as_secs_f64();
    let latency = if gpu.is_software { 0.0 } else { block_latency(rows.min(columns)) };
    let shared = (alone - PIPELINES - latency).max(0.0) * largest;
    let messages = messages as f64 / DOWNLOAD + messages as f64 / UPLOAD;
    Duration::from_secs_f64(PIPELINES + latency + shared.max(messages))
}

/// Bytes of host memory of an echelon form that GPUs share, which have `own` columns each; a block's message has
/// `message` bytes. A message is under way to every device while the next is made.
pub(super) fn gpu_across_bytes(rows: usize, columns: usize, own: &[usize], message: u64) -> u64 {
    let members = own.iter().map(|&own| gpu_echelon_bytes(rows, own, rows).saturating_add(3 * message));
    sum(members.chain([matrix_bytes(rows, columns), 32 * rows as u64]))
}

/// The time of a product on a GPU.
pub(super) fn gpu_product_time(gpu: &GpuProfile, rows: usize, inner: usize, columns: usize) -> Duration {
    let vectors = 16.0 * rows as f64 * tiles(inner) * tiles(columns);
    let upload = matrix_bytes(rows, inner).saturating_add(matrix_bytes(inner, columns));
    gpu_time(gpu, vectors, 0.0, upload, matrix_bytes(rows, columns))
}

/// The vectors that a method moves or looks up on a GPU, and the seconds of its sequential steps.
fn gpu_system_work(shape: &SystemShape, method: Method) -> (f64, f64) {
    let &SystemShape { columns, rows, .. } = shape;
    let promoted = shape.most_promoted();
    let ones = shape.row_ones + shape.eliminator_ones;
    match method {
        Method::TwoStage => (
            ones as f64 * tiles(shape.missing())
                + blocked_vectors(rows, shape.missing())
                + blocked_vectors(promoted, columns),
            SUBSTITUTION_LATENCY * columns.div_ceil(BLOCK) as f64
                + block_latency(shape.missing())
                + block_latency(columns),
        ),
        // Every round adds half of a row for half of the columns, and transfers all rows both ways.
        Method::Rounds => (rows as f64 * columns as f64 * tiles(columns), 0.0),
        _ => (blocked_vectors(rows, columns), block_latency(columns)),
    }
}

/// The time of a method on a GPU.
pub(super) fn gpu_system_time(gpu: &GpuProfile, shape: &SystemShape, method: Method) -> Duration {
    let (vectors, latency) = gpu_system_work(shape, method);
    let answer = matrix_bytes(shape.most_promoted(), shape.columns);
    gpu_time(gpu, vectors, latency, ones_bytes(shape), answer)
}

/// Bytes of all lists.
fn ones_bytes(shape: &SystemShape) -> u64 {
    4 * (shape.row_ones + shape.eliminator_ones) as u64
}

/// The time of a method that `devices` GPUs share, of which the one that does the most for its speed does the fraction
/// `largest` of the work. Messages, of so many bytes, go to the host and then to the others, while these update. In
/// two stages every GPU gets all lists.
pub(super) fn gpu_system_across_time(
    gpu: &GpuProfile,
    shape: &SystemShape,
    method: Method,
    (largest, devices): (f64, usize),
    messages: u64,
) -> Duration {
    let alone = gpu_system_time(gpu, shape, method).saturating_sub(gpu.startup).as_secs_f64();
    let latency = if gpu.is_software { 0.0 } else { gpu_system_work(shape, method).1 };
    let (ones, devices) = (ones_bytes(shape), devices as u64);
    let copies = if method == Method::TwoStage { devices } else { 1 };
    let lists = if method == Method::TwoStage { ones as f64 / UPLOAD } else { 0.0 };
    let shared = (alone - PIPELINES - latency - lists).max(0.0) * largest;
    let sent = messages as f64 / DOWNLOAD + messages as f64 / UPLOAD;
    let through_host = Traffic {
        upload: sum([messages.saturating_mul(devices - 1), ones.saturating_mul(copies)]),
        download: sum([messages, matrix_bytes(shape.most_promoted(), shape.columns)]),
        dispatches: None,
    };
    let time = Duration::from_secs_f64(PIPELINES + latency + lists + shared.max(sent));
    time.max(through_host.time())
}

/// Bytes of host memory of a method that `devices` GPUs share; a block's message has at most `message` bytes. Every
/// device has its own lists; a message is under way to every device while the next is made.
pub(super) fn gpu_system_across_bytes(
    shape: &SystemShape,
    lists: usize,
    (method, devices): (Method, usize),
    message: u64,
) -> u64 {
    let own = gpu_system_bytes(shape, lists, method, shape.rows).saturating_add(3 * message);
    let offsets = 16 * (shape.rows + lists) as u64;
    sum([own, offsets]).saturating_mul(devices as u64)
}

/// Bytes of the staging buffers for transfers of `bytes` bytes each way, and the host copy of a download before
/// it is moved to its destination.
fn staging_bytes(bytes: u64) -> u64 {
    sum([crate::gpu::staging_bytes(bytes), bytes.min(64 << 20)])
}

/// Bytes of host memory of an echelon form on a GPU, `part` rows at a time.
pub(super) fn gpu_echelon_bytes(rows: usize, columns: usize, part: usize) -> u64 {
    let whole = matrix_bytes(rows, columns);
    let parts = match part >= rows {
        true => 0,
        // The reduced forms of all parts; and for one part the part, its selections, pivots and sum.
        false => sum([whole, 4 * matrix_bytes(part, columns), 2 * matrix_bytes(part, part)]),
    };
    sum([whole, parts, 32 * rows as u64, staging_bytes(whole), FIXED, ELIMINATION_COMPILER])
}

/// Bytes of host memory of a product on a GPU, `part` rows at a time.
pub(super) fn gpu_product_bytes(rows: usize, inner: usize, columns: usize, part: usize) -> u64 {
    let whole = matrix_bytes(rows, columns);
    let parts = match part >= rows.max(inner) {
        true => 0,
        false => sum([
            matrix_bytes(part, part.min(inner)),
            matrix_bytes(part.min(inner), columns),
            matrix_bytes(part, columns),
        ]),
    };
    let moved = [matrix_bytes(rows, inner), matrix_bytes(inner, columns), whole];
    let staging = staging_bytes(moved.into_iter().max().unwrap_or(0));
    sum([whole, parts, 16 * rows as u64, staging, FIXED, PRODUCT_COMPILER])
}

/// Bytes of host memory of a method on a GPU, `part` rows at a time, with `lists` eliminators.
pub(super) fn gpu_system_bytes(shape: &SystemShape, lists: usize, method: Method, part: usize) -> u64 {
    let &SystemShape { columns, rows, .. } = shape;
    let promoted = shape.most_promoted();
    let answer = answer_bytes(shape);
    if method == Method::Rounds {
        let packed = matrix_bytes(lists + rows, columns).saturating_add(3 * matrix_bytes(rows, columns));
        return sum([packed, 64 * rows as u64, answer, staging_bytes(packed), FIXED, PRODUCT_COMPILER]);
    }
    let ones = 4 * (shape.row_ones + shape.eliminator_ones) as u64;
    // The promoted rows as lists, which are eliminators of later parts.
    let parts = match part >= rows {
        true => 0,
        false => sum([answer, 4 * (promoted as u64).saturating_mul(columns as u64)]).saturating_mul(3),
    };
    let per_column = 64 * columns as u64;
    let moved = ones.max(matrix_bytes(promoted, columns));
    sum([
        answer,
        2 * ones,
        parts,
        per_column,
        32 * rows as u64,
        staging_bytes(moved),
        FIXED,
        ELIMINATION_COMPILER,
    ])
}

/// The rows of a part on a GPU: all, or the most whose `bytes` fit the profile's device memory, a
/// multiple of 64. Parts of fewer than 1024 rows are not tried: most of their memory would be padding.
pub(super) fn rows_at_a_time(
    profile: &Profile,
    rows: usize,
    most: u64,
    bytes: impl Fn(usize) -> u64,
) -> usize {
    const LEAST: usize = 1024;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut part = if rows <= most { rows.max(1) } else { (most / 64 * 64).max(64) };
    while part > LEAST && bytes(part) > profile.device_memory {
        part = part.div_ceil(2).next_multiple_of(64);
    }
    part
}
