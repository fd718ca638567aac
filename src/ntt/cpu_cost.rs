//! The time of transforms and products on the CPU engine: numbers of words times rates.

use super::cpu::{Instructions, Plan};
use super::{Order, Transform};
use crate::device::{COPIED, FRESH, SHARED};
use crate::field::BABY_BEAR;
use crate::task::{CpuProfile, CpuRecord, Rate, typical};

/// A word in one of the log2 n levels of a transform. Transforms of 2^20 words modulo BabyBear on an AMD EPYC (Zen 5) took 1.151
/// ms with AVX-512, 2.220 ms with AVX2 and 5.292 ms without either. NEON was not measured and counts as none.
static LEVELS: [Rate; 3] = [
    Rate::of_thread("butterfly word, avx512", 55e-12, level),
    Rate::of_thread("butterfly word, avx2", 106e-12, level),
    Rate::of_thread("butterfly word", 252e-12, level),
];

/// A word that is brought into the other order: one call for 2^24 words on a Xeon with AVX-512 took 1.5 ns a word longer to
/// natural order.
static REORDERED: Rate = Rate::of_thread("reordered word", 1.5e-9, reordered);

/// Fresh bytes of a word of a transform: the vector, and its tables, which are made on one thread.
const FRESH_BYTES: f64 = 6.0;
/// Bytes that all threads copy for a word of a transform: its levels pass over the vector a few times. One call for 2^24 words
/// modulo BabyBear, to bit-reversed order, took 81.2, 47.3, 32.0, 22.8 and 18.4 ms on 1, 2, 4, 8 and 16 threads of a
/// Xeon with AVX-512, of which 0.85 ns a word do not become less with more threads. The passes are those of the algorithm.
const COPIED_BYTES: f64 = 8.5;
/// Levels whose time the products of values and the padding of a product take: 2^20 words took 4.058 ms on the EPYC, where three
/// transforms take 3.495. They are instructions of the same kind as a level's.
const POINTWISE_LEVELS: f64 = 10.0;
/// Loops of a transform that is shared: a product of 131072 terms took 0.73 ms on 16 cores, of which each core's share of the
/// work is about 0.06. Their number is the algorithm's.
const LOOPS: f64 = 11.0;
/// Work on fewer words is not shared among threads.
const SHARED_WORDS: usize = 1 << 15;

/// A word in a level.
pub(super) fn level_seconds(record: CpuRecord) -> f64 {
    record.seconds(match Instructions::widest() {
        Instructions::Avx512 => &LEVELS[0],
        Instructions::Avx2 => &LEVELS[1],
        Instructions::Scalar | Instructions::Neon => &LEVELS[2],
    })
}

/// A word that is brought into the other order.
pub(super) fn reorder_seconds(record: CpuRecord) -> f64 {
    record.seconds(&REORDERED)
}

/// The time of `batch` products by transforms of 2^`log_n` words, several of them at a time where they are short. A word takes
/// as long as so many levels more than in a product alone.
pub(super) fn rows_seconds(log_n: u32, batch: usize, more_levels: f64, cpu: CpuProfile) -> f64 {
    let levels = f64::from(log_n) + (POINTWISE_LEVELS + more_levels) / 3.0;
    let n = 1usize << log_n;
    let (rows, times) = if n < SHARED_WORDS { (batch.max(1), 1) } else { (1, batch.max(1)) };
    let words = rows.saturating_mul(n);
    let seconds = shared_seconds(words, levels * level_seconds(cpu.record), cpu) + touch_seconds(words, cpu);
    // Two padded factors, and the tables of both directions.
    3.0 * times as f64 * seconds
}

/// The time of a call for `words` words beside the levels.
pub(super) fn touch_seconds(words: usize, cpu: CpuProfile) -> f64 {
    let threads = if words >= SHARED_WORDS { cpu.threads.max(1) } else { 1 };
    let fresh = FRESH_BYTES * cpu.record.seconds(&FRESH) / threads as f64;
    words as f64 * (COPIED_BYTES * cpu.record.seconds(&COPIED) + fresh)
}

/// The time of `words` words that take `word` seconds each on one thread, when they are shared.
pub(super) fn shared_seconds(words: usize, word: f64, cpu: CpuProfile) -> f64 {
    let alone = words as f64 * word;
    match cpu.threads > 1 && words >= SHARED_WORDS {
        true => alone / cpu.parallel() + LOOPS * cpu.record.seconds(&SHARED),
        false => alone / cpu.one_thread().parallel(),
    }
}

fn level() -> f64 {
    const LOG_N: u32 = 13;
    let seconds = transform(LOG_N, Order::BitReversed);
    seconds / f64::from(LOG_N << LOG_N)
}

fn reordered() -> f64 {
    /// The second-level caches hold two such vectors, and the first ones do not.
    const LOG_N: u32 = 17;
    let orders = [Order::Natural, Order::BitReversed];
    let [natural, reversed] = orders.map(|order| transform(LOG_N, order));
    (natural - reversed) / f64::from(1 << LOG_N)
}

/// The time of a transform of 2^`log_n` words from natural order to `output` on one thread.
fn transform(log_n: u32, output: Order) -> f64 {
    let transform = Transform::new(BABY_BEAR, 1 << log_n).map(|transform| transform.with_output(output));
    let Ok(plan) = transform.and_then(|transform| Plan::new(&transform, 1)) else { return f64::NAN };
    let mut words: Vec<u32> = (0..1 << log_n).collect();
    typical(1.0, || drop(plan.run(&mut words)))
}
