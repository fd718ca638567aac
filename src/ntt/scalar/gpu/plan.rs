//! The passes of a transform on one GPU, in numbers.
//!
//! A vector of 2^k scalars is cut into rows and columns (Bailey, "FFTs in external or hierarchical memory", 1990):
//!
//! ```text
//! index     | digits above | digits of the pass's rows | digits below |
//!
//! frequency   passes from the highest digits down: transform the rows, multiply by w^(below rev(row))
//! time        passes from the lowest digits up: multiply by w^(below rev(row)), transform the rows
//! ```
//!
//! with w a root of the order of rows times digits below. Decimation in frequency takes natural order to
//! bit-reversed order, decimation in time the reverse. The last pass of a transform from natural to natural order
//! writes to the places with reversed digits of another vector. Its tile has rows from two or more distant
//! places, so that what it writes is contiguous too.

use serde::Serialize;

use crate::ntt::scalar::problem::Transform;
use crate::ntt::{Direction, Order};
use crate::scalars::{SCALAR_BYTES, Scalar};
use crate::task::GpuProfile;
use crate::{Error, Result};

/// log2 of the scalars of a workgroup, at most: with 2^10 an H200 took 20% longer for 2^20 scalars, though in two passes
/// instead of three, and 10% longer for 2^22.
const LOG_TILE: u32 = 9;
/// log2 of the workgroups that a device should have at least.
const LOG_GROUPS: u32 = 7;
/// log2 of the columns of a tile, at most: 128 bytes.
const LOG_COLUMNS: u32 = 2;
/// log2 of the twiddles between passes that are stored as they are, at most; more are products of two.
const LOG_DIRECT: u32 = 20;

/// A factor of every scalar at one end of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Factor {
    /// None.
    One,
    /// Twiddles between passes, stored as they are.
    Direct,
    /// Twiddles between passes, as products of two.
    Outer,
    /// Weights of coefficients, as products of two.
    Weights,
}

/// The choices that are compiled into a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub log_rows: u32,
    pub log_columns: u32,
    /// True if the digits of a row are the lowest, otherwise those of a column are.
    pub rows_low: bool,
    pub time: bool,
    pub load: Factor,
    pub store: Factor,
    pub reversed: bool,
    pub out_of_place: bool,
    pub last: bool,
}

impl Shape {
    /// Invocations of a workgroup: four scalars each.
    pub fn threads(&self) -> u32 {
        1 << (self.log_rows + self.log_columns - 2)
    }

    /// Shapes with every choice.
    pub fn examples() -> Vec<Shape> {
        let plain = Shape {
            log_rows: 8,
            log_columns: 1,
            rows_low: false,
            time: false,
            load: Factor::One,
            store: Factor::Direct,
            reversed: false,
            out_of_place: false,
            last: false,
        };
        let rows = Shape { rows_low: true, store: Factor::One, last: true, ..plain };
        vec![
            plain,
            Shape { load: Factor::Weights, store: Factor::Outer, ..plain },
            rows,
            Shape { log_rows: 5, log_columns: 2, load: Factor::Weights, ..rows },
            Shape { log_rows: 1, store: Factor::Weights, reversed: true, ..rows },
            Shape { time: true, last: false, ..rows },
            Shape { time: true, load: Factor::Direct, store: Factor::Weights, last: true, ..plain },
            Shape { time: true, log_rows: 7, load: Factor::Outer, store: Factor::One, last: true, ..plain },
            Shape { reversed: true, out_of_place: true, ..rows },
            Shape { reversed: true, out_of_place: true, store: Factor::Weights, ..rows },
        ]
    }
}

/// A pass with its place among the digits of an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    pub shape: Shape,
    /// The lowest digit of a row.
    pub row_digit: u32,
    /// The lowest digit of the upper one of row and column.
    pub upper_digit: u32,
}

/// The passes of a transform.
#[derive(Clone, Debug)]
pub(in crate::ntt::scalar) struct TransformPlan<F: Scalar> {
    pub(super) spec: Transform<F>,
    pub(super) passes: Vec<Pass>,
    /// True if the vectors are first brought into the other order.
    pub(super) reverses: bool,
    /// True if the factor 1/n is that of twiddles between passes, not of weights.
    pub(super) scales_outer: bool,
    /// Scalars of one buffer of the data.
    chunk: usize,
}

impl<F: Scalar> TransformPlan<F> {
    /// The passes of `spec`.
    ///
    /// # Errors
    /// [`Error::Input`] if the transform does not exist; [`Error::OutOfMemory`] for a vector longer than a binding.
    pub fn new(spec: &Transform<F>, gpu: &GpuProfile) -> Result<Self> {
        let room = gpu.binding_bytes / SCALAR_BYTES;
        let chunk = room.checked_ilog2().map_or(0, |log| 1u64 << log) as usize;
        if spec.n() > chunk {
            return Err(Error::OutOfMemory(
                format!(
                    "a transform of 2^{} scalars: one binding of this device holds {} bytes, 2^{} scalars; the CPU \
                     engine has no such limit",
                    spec.log_n,
                    gpu.binding_bytes,
                    chunk.max(1).ilog2()
                )
                .into(),
            ));
        }
        let weights = spec.weights()?;
        let time = (spec.input, spec.output) == (Order::BitReversed, Order::Natural);
        let reverses = (spec.input, spec.output) == (Order::BitReversed, Order::BitReversed);
        let to_natural = (spec.input, spec.output) == (Order::Natural, Order::Natural);
        let log_tile = log_tile(gpu);
        let mut passes = match spec.log_n {
            0 => Vec::new(),
            log_n if log_n <= log_tile => vec![alone(log_n, spec.batch, log_tile)],
            log_n => several(log_n, log_tile, to_natural, room),
        };
        // The factor 1/n alone needs no pass over the data: twiddles between passes have it.
        let scales_outer = passes.len() > 1 && weights.is_some_and(|weights| weights.ratio.is_one());
        if time {
            passes.reverse();
        }
        for pass in &mut passes {
            pass.shape.time = time;
            if time {
                std::mem::swap(&mut pass.shape.load, &mut pass.shape.store);
            }
        }
        if let Some(last) = passes.last_mut() {
            last.shape.last = true;
            last.shape.reversed = to_natural;
            last.shape.out_of_place = to_natural && spec.log_n > log_tile;
        }
        if weights.is_some() && !scales_outer {
            match (spec.direction, passes.as_mut_slice()) {
                (Direction::Forward, [first, ..]) => first.shape.load = Factor::Weights,
                (Direction::Inverse, [.., last]) => last.shape.store = Factor::Weights,
                (_, []) => (),
            }
        }
        Ok(TransformPlan { spec: *spec, passes, reverses, scales_outer, chunk })
    }

    /// Passes over the data: each reads and writes every scalar once.
    pub fn passes(&self) -> usize {
        self.passes.len() + usize::from(self.reverses && self.spec.log_n > 0)
    }

    /// Dispatches of a run: one for each buffer of a pass.
    pub fn dispatches(&self) -> usize {
        self.passes() * self.spec.len().div_ceil(self.chunk.max(1))
    }

    /// True if a run takes a second vector.
    pub fn has_scratch(&self) -> bool {
        self.reverses && self.spec.log_n > 0 || self.passes.iter().any(|pass| pass.shape.out_of_place)
    }

    /// Bytes of the tables.
    pub fn table_bytes(&self) -> u64 {
        self.passes.iter().map(|pass| SCALAR_BYTES * pass.table_len(self.spec.log_n)).sum()
    }
}

impl Pass {
    /// log2 of the order of the root of the twiddles between this pass and the one on the digits below.
    pub fn log_block(&self) -> u32 {
        self.row_digit + self.shape.log_rows
    }

    /// log2 of the low part of a table of 2^`log_len` products of two.
    pub fn log_low(log_len: u32) -> u32 {
        log_len.div_ceil(2)
    }

    /// Entries of a table of products of two.
    fn two_level_len(log_len: u32) -> u64 {
        (1 << Self::log_low(log_len)) + (1 << (log_len - Self::log_low(log_len)))
    }

    /// Entries of the twiddles within the rows.
    pub fn roots_len(&self) -> u64 {
        1 << (self.shape.log_rows - 1)
    }

    /// Entries of the twiddles between passes.
    pub fn outer_len(&self) -> u64 {
        let factors = [self.shape.load, self.shape.store];
        match factors.into_iter().find(|factor| matches!(factor, Factor::Direct | Factor::Outer)) {
            Some(Factor::Direct) => 1 << self.log_block(),
            Some(_) => Self::two_level_len(self.log_block()),
            None => 0,
        }
    }

    pub fn table_len(&self, log_n: u32) -> u64 {
        let has_weights = [self.shape.load, self.shape.store].contains(&Factor::Weights);
        self.roots_len() + self.outer_len() + if has_weights { Self::two_level_len(log_n) } else { 0 }
    }
}

/// log2 of the scalars of a tile.
fn log_tile(gpu: &GpuProfile) -> u32 {
    let by_memory = (u64::from(gpu.workgroup_bytes) / SCALAR_BYTES).max(4).ilog2();
    let by_threads = gpu.workgroup_invocations.max(1).ilog2() + 2;
    by_memory.min(by_threads).min(LOG_TILE)
}

/// The pass that transforms whole vectors, several of a batch as columns.
fn alone(log_n: u32, batch: usize, log_tile: u32) -> Pass {
    let wanted = batch.max(1).next_power_of_two().ilog2().min(log_tile - log_n);
    let shape = Shape {
        log_rows: log_n,
        // A workgroup has at least four scalars; those past the end are not written.
        log_columns: wanted.max(2u32.saturating_sub(log_n)),
        rows_low: true,
        time: false,
        load: Factor::One,
        store: Factor::One,
        reversed: false,
        out_of_place: false,
        last: true,
    };
    Pass { shape, row_digit: 0, upper_digit: log_n }
}

/// The passes of decimation in frequency of a vector longer than a tile.
fn several(log_n: u32, log_tile: u32, to_natural: bool, room: u64) -> Vec<Pass> {
    let count = log_n.div_ceil(log_tile);
    // Few scalars are shared among as many workgroups as the device has use for.
    let log_tile = log_tile.min(log_n.saturating_sub(LOG_GROUPS)).max(log_n.div_ceil(count));
    let mut passes = Vec::new();
    let mut above = log_n;
    for i in 0..count {
        // Equal numbers of rows, the longer passes first.
        let log_rows = above.div_ceil(count - i);
        let row_digit = above - log_rows;
        let log_columns = (log_tile - log_rows).min(LOG_COLUMNS).max(2u32.saturating_sub(log_rows));
        let rows_low = row_digit == 0;
        let log_block = row_digit + log_rows;
        let store = match rows_low {
            true => Factor::One,
            false if log_block <= LOG_DIRECT && 1 << (log_block + 1) <= room => Factor::Direct,
            false => Factor::Outer,
        };
        let upper_digit = match (rows_low, to_natural) {
            (false, _) => row_digit,
            (true, false) => log_rows,
            // Columns that are neighbours once their digits are reversed.
            (true, true) => log_n - log_columns,
        };
        let shape = Shape {
            log_rows,
            log_columns,
            rows_low,
            time: false,
            load: Factor::One,
            store,
            reversed: false,
            out_of_place: false,
            last: false,
        };
        passes.push(Pass { shape, row_digit, upper_digit });
        above = row_digit;
    }
    passes
}
