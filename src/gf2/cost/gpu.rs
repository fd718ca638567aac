//! Times and host memory of GPUs: seconds, bytes. The bounds on device memory are in `gf2::gpu`.

use std::time::Duration;

use super::{FIXED, answer_bytes, matrix_bytes, sum};
use crate::Error;
use crate::gf2::tiles::{BLOCK, TILE};
use crate::gf2::{F4Method, F4Shape, RowReduction};
use crate::task::{GpuProfile, Profile, Traffic};

/// Look-ups in workgroup memory that take as long as a vector that an elimination moves or looks up: an H200 does 1.9e12 vectors a
/// second in eliminations of 65536 to 262144 rows. The kernels do little else than look-ups on any device.
const LOOKUPS: f64 = 0.55;
/// What a block's sequential steps take in addition to the work on the rows: exchanges in a workgroup, one for each of its
/// columns in a panel and again in its inverse, and dispatches. An H200 takes 60 us.
const BLOCK_EXCHANGES: f64 = 3.1 * BLOCK as f64;
const BLOCK_DISPATCHES: f64 = 12.0;
/// The same of a block of reducers in the first of two stages: 20 us on an H200.
const SUBSTITUTION_DISPATCHES: f64 = 13.0;
/// Exchanges that take as long as a column of a small matrix that a workgroup reduces (0.3 us on an H200); look-ups of a whole
/// device that take as long as one of such a workgroup, of which an H200 runs 1000 at a time.
const COLUMN_EXCHANGES: f64 = 5.7;
const WORD_LOOKUPS: f64 = 0.52;
const WORKGROUPS_AT_A_TIME: f64 = 1000.0;
/// Reference kernels that take as long to compile as those of an elimination, the first time and later: 300 and 9 ms on the host of an
/// H200; and as those of a product, or of many matrices.
const COMPILE: [f64; 2] = [5.0, 1.6];
const COMPILE_FEW: [f64; 2] = [2.0, 0.5];

/// Bytes of the driver's compilation of the kernels of an elimination and of a product: lavapipe (Mesa 22.3,
/// LLVM 15) took 60 and 24 MiB with no cache on disk. Other drivers were not measured.
const ELIMINATION_COMPILER: u64 = 60 << 20;
const PRODUCT_COMPILER: u64 = 24 << 20;
/// The same of the kernels that recursion adds to a product: 10 MiB.
pub const RECURSION_COMPILER: u64 = 16 << 20;

/// The time of a run that moves or looks up `vectors` vectors, waits `latency` seconds for sequential
/// steps, and transfers `upload` and `download` bytes.
fn time_of(gpu: &GpuProfile, vectors: f64, latency: f64, upload: u64, download: u64) -> Duration {
    Duration::from_secs_f64(pipelines(gpu) + seconds_of(gpu, vectors, latency, upload, download))
}

/// The same without the time to make the pipelines.
fn seconds_of(gpu: &GpuProfile, vectors: f64, latency: f64, upload: u64, download: u64) -> f64 {
    let work = vectors * LOOKUPS / gpu.record.lookups + latency;
    let transfers = gpu.upload_seconds(upload as f64) + gpu.download_seconds(download as f64);
    work + transfers
}

/// The time to make the pipelines of an elimination.
fn pipelines(gpu: &GpuProfile) -> f64 {
    gpu.compile_seconds("gf2", None, COMPILE)
}

/// The time to make those of a product, or of many matrices.
fn few_pipelines(gpu: &GpuProfile) -> f64 {
    gpu.compile_seconds("gf2", None, COMPILE_FEW)
}

/// The part of the time of an elimination in which its kernels are compiled.
pub fn compiling(gpu: &GpuProfile) -> Duration {
    Duration::from_secs_f64(pipelines(gpu))
}

/// The same of a product, or of many matrices.
pub fn compiling_few(gpu: &GpuProfile) -> Duration {
    Duration::from_secs_f64(few_pipelines(gpu))
}

/// The time of a message from one device to the host and on to another.
fn message_seconds(gpu: &GpuProfile, bytes: u64) -> f64 {
    gpu.download_seconds(bytes as f64) + gpu.upload_seconds(bytes as f64)
}

fn tiles(columns: usize) -> f64 {
    columns.div_ceil(TILE) as f64
}

/// Vectors of the blocked method: every row takes 32 look-ups per block in all tiles after the block.
fn blocked_vectors(rows: usize, columns: usize) -> f64 {
    8.0 * rows as f64 * tiles(columns) * tiles(columns)
}

fn block_latency(gpu: &GpuProfile, columns: usize) -> f64 {
    let block = BLOCK_EXCHANGES * gpu.record.exchange + BLOCK_DISPATCHES * gpu.record.dispatch;
    block * columns.div_ceil(BLOCK) as f64
}

/// The time of an echelon form on a GPU.
pub fn echelon_time(gpu: &GpuProfile, reduction: &RowReduction) -> Duration {
    let (rows, columns) = reduction.shape();
    let bytes = matrix_bytes(rows, columns);
    let back = if reduction.has_no_form() { 4 * rows.min(columns) as u64 } else { bytes };
    let share =
        rows.min(columns) as f64 / columns.max(1) as f64 * if reduction.is_reduced() { 2.0 } else { 1.0 };
    time_of(gpu, blocked_vectors(rows, columns) * share, block_latency(gpu, rows.min(columns)), bytes, back)
}

/// The time of an echelon form that several GPUs share, of which `largest` does the most for its speed: the
/// fraction of the work that it has. Every block's message goes to the host and then to the other devices, while
/// these update.
pub fn across_time(gpu: &GpuProfile, reduction: &RowReduction, largest: f64, messages: u64) -> Duration {
    let alone = echelon_time(gpu, reduction).as_secs_f64();
    let latency = block_latency(gpu, reduction.rows.min(reduction.columns));
    let shared = (alone - pipelines(gpu) - latency).max(0.0) * largest;
    let messages = message_seconds(gpu, messages);
    Duration::from_secs_f64(pipelines(gpu) + latency + shared.max(messages))
}

/// Bytes of host memory of an echelon form that GPUs share, which have `own` columns each; a block's message has
/// `message` bytes. A message is under way to every device while the next is made.
pub fn across_bytes(rows: usize, columns: usize, own: &[usize], message: u64) -> u64 {
    let members = own.iter().map(|&own| echelon_bytes(rows, own, rows).saturating_add(4 * message));
    sum(members.chain([matrix_bytes(rows, columns), 32 * rows as u64]))
}

/// The time of a product on a GPU, of so many rows, inner columns and columns. By recursion its kernels are `gain` times as fast.
pub fn product_time(gpu: &GpuProfile, (rows, inner, columns): (usize, usize, usize), gain: f64) -> Duration {
    let vectors = 16.0 * rows as f64 * tiles(inner) * tiles(columns) / gain;
    let upload = matrix_bytes(rows, inner).saturating_add(matrix_bytes(inner, columns));
    let work = seconds_of(gpu, vectors, 0.0, upload, matrix_bytes(rows, columns));
    Duration::from_secs_f64(few_pipelines(gpu) + work)
}

/// The time of many reduced echelon forms, a workgroup each: a barrier a column, and nine look-ups a word of a row for
/// each 32 columns.
pub fn many_time(gpu: &GpuProfile, matrices: usize, rows: usize, columns: usize) -> Duration {
    let words = columns.div_ceil(32) as f64;
    let lookups = 9.0 * rows as f64 * words * words / 2.0;
    let one = COLUMN_EXCHANGES * gpu.record.exchange * columns as f64
        + WORD_LOOKUPS * lookups * WORKGROUPS_AT_A_TIME / gpu.record.lookups;
    let waves = (matrices as f64 / WORKGROUPS_AT_A_TIME).max(1.0);
    let bytes = matrix_bytes(rows, columns).saturating_mul(matrices as u64);
    Duration::from_secs_f64(few_pipelines(gpu) + one * waves + message_seconds(gpu, bytes))
}

/// Bytes of host memory of forms of `answers` bytes, of which `part` bytes are on the device at a time.
pub fn many_bytes(answers: u64, part: u64) -> u64 {
    sum([answers, part, staging_bytes(part), FIXED, PRODUCT_COMPILER])
}

/// The vectors that the stages of the two-stage method move or look up on a GPU: narrow, choose and widen.
pub fn stages(shape: &F4Shape) -> [f64; 3] {
    let ones = shape.row_ones + shape.reducer_ones;
    [
        ones as f64 * tiles(shape.missing()),
        blocked_vectors(shape.rows, shape.missing()),
        blocked_vectors(shape.most_new_pivots(), shape.columns),
    ]
}

/// The vectors that a method moves or looks up on a GPU, and the seconds of its sequential steps.
fn f4_work(gpu: &GpuProfile, shape: &F4Shape, method: F4Method) -> (f64, f64) {
    let &F4Shape { columns, rows, .. } = shape;
    match method {
        F4Method::TwoStage => (
            stages(shape).into_iter().sum(),
            SUBSTITUTION_DISPATCHES * gpu.record.dispatch * columns.div_ceil(BLOCK) as f64
                + block_latency(gpu, shape.missing())
                + block_latency(gpu, columns),
        ),
        // Every round adds half of a row for half of the columns, and transfers all rows both ways.
        F4Method::Rounds => (rows as f64 * columns as f64 * tiles(columns), 0.0),
        _ => (blocked_vectors(rows, columns), block_latency(gpu, columns)),
    }
}

/// The time of a method on a GPU.
pub fn f4_time(gpu: &GpuProfile, shape: &F4Shape, method: F4Method) -> Duration {
    let (vectors, latency) = f4_work(gpu, shape, method);
    let answer = matrix_bytes(shape.most_new_pivots(), shape.columns);
    time_of(gpu, vectors, latency, ones_bytes(shape), answer)
}

/// Bytes of all lists.
fn ones_bytes(shape: &F4Shape) -> u64 {
    4 * (shape.row_ones + shape.reducer_ones) as u64
}

/// The time of a method that `devices` GPUs share, of which the one that does the most for its speed does the fraction
/// `largest` of the work. Messages, of so many bytes, go to the host and then to the others, while these update. In
/// two stages every GPU gets all lists.
pub fn f4_across_time(
    gpu: &GpuProfile,
    shape: &F4Shape,
    method: F4Method,
    (largest, devices): (f64, usize),
    messages: u64,
) -> Duration {
    let alone = f4_time(gpu, shape, method).as_secs_f64();
    let latency = f4_work(gpu, shape, method).1;
    let (ones, devices) = (ones_bytes(shape), devices as u64);
    let copies = if method == F4Method::TwoStage { devices } else { 1 };
    let lists = if method == F4Method::TwoStage { gpu.upload_seconds(ones as f64) } else { 0.0 };
    let shared = (alone - pipelines(gpu) - latency - lists).max(0.0) * largest;
    let sent = message_seconds(gpu, messages);
    let through_host = Traffic {
        upload: sum([messages.saturating_mul(devices - 1), ones.saturating_mul(copies)]),
        download: sum([messages, matrix_bytes(shape.most_new_pivots(), shape.columns)]),
        dispatches: None,
    };
    let time = Duration::from_secs_f64(pipelines(gpu) + latency + lists + shared.max(sent));
    time.max(through_host.time())
}

/// Bytes of host memory of a method that `devices` GPUs share; a block's message has at most `message` bytes. Every
/// device has its own lists; a message is under way to every device while the next is made.
pub fn f4_across_bytes(
    shape: &F4Shape,
    lists: usize,
    (method, devices): (F4Method, usize),
    message: u64,
) -> u64 {
    let own = f4_bytes(shape, lists, method, shape.rows).saturating_add(4 * message);
    let offsets = 16 * (shape.rows + lists) as u64;
    sum([own, offsets]).saturating_mul(devices as u64)
}

/// Bytes of the staging buffers for transfers of `bytes` bytes each way, and the host copy of a download before
/// it is moved to its destination.
fn staging_bytes(bytes: u64) -> u64 {
    sum([crate::gpu::staging_bytes(bytes), bytes.min(64 << 20)])
}

/// Bytes of host memory of an echelon form on a GPU, `part` rows at a time.
pub fn echelon_bytes(rows: usize, columns: usize, part: usize) -> u64 {
    let whole = matrix_bytes(rows, columns);
    let parts = match part >= rows {
        true => 0,
        // The reduced forms of all parts; and for one part the part, its selections, pivots and sum.
        false => sum([whole, 4 * matrix_bytes(part, columns), 2 * matrix_bytes(part, part)]),
    };
    sum([whole, parts, 32 * rows as u64, staging_bytes(whole), FIXED, ELIMINATION_COMPILER])
}

/// Bytes of host memory of a product on a GPU, `part` rows at a time.
pub fn product_bytes(rows: usize, inner: usize, columns: usize, part: usize) -> u64 {
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

/// Bytes of host memory of a method on a GPU, `part` rows at a time, with `lists` reducers.
pub fn f4_bytes(shape: &F4Shape, lists: usize, method: F4Method, part: usize) -> u64 {
    let &F4Shape { columns, rows, .. } = shape;
    let new_pivots = shape.most_new_pivots();
    let answer = answer_bytes(shape);
    if method == F4Method::Rounds {
        let packed = matrix_bytes(lists + rows, columns).saturating_add(3 * matrix_bytes(rows, columns));
        return sum([packed, 64 * rows as u64, answer, staging_bytes(packed), FIXED, PRODUCT_COMPILER]);
    }
    let ones = 4 * (shape.row_ones + shape.reducer_ones) as u64;
    // The new pivots as lists, which are reducers of later parts.
    let parts = match part >= rows {
        true => 0,
        false => sum([answer, 4 * (new_pivots as u64).saturating_mul(columns as u64)]).saturating_mul(3),
    };
    let per_column = 64 * columns as u64;
    let moved = ones.max(matrix_bytes(new_pivots, columns));
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
pub fn rows_at_a_time(profile: &Profile, rows: usize, most: u64, bytes: impl Fn(usize) -> u64) -> usize {
    const LEAST: usize = 1024;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut part = if rows <= most { rows.max(1) } else { (most / 64 * 64).max(64) };
    while part > LEAST && bytes(part) > profile.device_memory {
        part = part.div_ceil(2).next_multiple_of(64);
    }
    part
}

/// The error of a plan in parts of which one has all rows.
pub fn no_less_memory() -> Error {
    Error::Usage("parts of the rows take no less memory".into())
}
