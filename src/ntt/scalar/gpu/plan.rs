//! The passes of a transform on one GPU, in numbers.
//!
//! A vector of 2^k scalars is cut into rows and columns (Bailey, "FFTs in external or hierarchical memory", 1990):
//!
//! ```text
//! index     | digits above | digits of the pass's rows | digits below |
//!
//! frequency   passes from the highest digits down
//! time        passes from the lowest digits up
//! ```
//!
//! A pass does the radix-2 stages on the digits of its rows, with the twiddles that the whole transform has there, so that
//! nothing is multiplied between passes. Decimation in frequency takes natural order to
//! bit-reversed order, decimation in time the reverse. The last pass of a transform from natural to natural order
//! writes to the places with reversed digits of another vector. If its tile has room for several rows, they are from
//! distant places, so that what it writes is contiguous too.
//!
//! Short vectors are transformed by sums of products instead of stages: see [`sums`]. Vectors that no binding holds are transformed in
//! [pieces](super::pieces).

use serde::Serialize;

use super::multiples::{FACTOR_BYTES, LONGEST_BYTES};
use super::pieces::Pieces;
use super::sums::{self, Step};
use super::two_levels::two_level_len;
use crate::ntt::scalar::problem::Transform;
use crate::ntt::{Direction, Order};
use crate::scalars::{SCALAR_BYTES, Scalar};
use crate::task::GpuProfile;
use crate::{Error, Result};

/// log2 of the scalars of a workgroup: with 2^9 an H200 takes 7% longer for 2^20 scalars, and for 2^25 5% longer although it
/// spares a pass.
const LOG_TILE: u32 = 8;
/// log2 of the scalars of a workgroup where that makes one pass of two, or two of three: 2^17 takes 8% less time so, 2^18 3%.
const LOG_LARGE_TILE: u32 = 9;
/// log2 of the workgroups that a device should have at least.
const LOG_GROUPS: u32 = 7;
/// log2 of the columns of a tile, at most: 128 bytes.
const LOG_COLUMNS: u32 = 2;
/// Bytes of workgroup memory for each scalar of a tile: nine limbs of every second one.
const TILE_BYTES: u64 = 18;

/// A factor of every scalar at one end of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Factor {
    /// None.
    One,
    /// The same for all: 1/n.
    Scale,
    /// Weights of coefficients, as products of two.
    Weights,
}

/// How a pass transforms its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Way {
    /// By radix-2 stages.
    Stages,
    /// By sums of products, in two steps.
    Sums,
}

/// The choices that are compiled into a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Shape {
    #[serde(skip)]
    pub way: Way,
    pub log_rows: u32,
    pub log_columns: u32,
    /// True if the digits of a row are the lowest, otherwise those of a column are.
    pub rows_low: bool,
    /// True for decimation in time.
    pub time: bool,
    pub load: Factor,
    pub store: Factor,
    /// True if results go to the places with reversed digits.
    pub reversed: bool,
    pub out_of_place: bool,
    /// True in the first pass, whose first twiddles are 1.
    pub first: bool,
    /// True in the last pass, whose results are below r.
    pub last: bool,
    /// True if every tile lies within the vectors.
    pub whole: bool,
}

impl Shape {
    /// A pass by stages, without anything at its ends.
    const PLAIN: Shape = Shape {
        way: Way::Stages,
        log_rows: 8,
        log_columns: 0,
        rows_low: false,
        time: false,
        load: Factor::One,
        store: Factor::One,
        reversed: false,
        out_of_place: false,
        first: false,
        last: false,
        whole: true,
    };

    /// Invocations of a workgroup: one for two scalars, or for every product.
    pub fn threads(&self) -> u32 {
        match self.way {
            Way::Stages => 1 << (self.log_outputs() - 1),
            Way::Sums => 1 << (self.log_outputs() - 1 + sums::log_radices(self.log_rows)[0]),
        }
    }

    /// log2 of the scalars that a workgroup computes.
    pub fn log_outputs(&self) -> u32 {
        match self.way {
            Way::Stages => self.log_rows + self.log_columns,
            Way::Sums => self.log_rows.min(sums::LOG_OUTPUTS),
        }
    }

    /// Shapes with every choice.
    pub fn examples() -> Vec<Shape> {
        let plain = Shape { first: true, ..Shape::PLAIN };
        let rows = Shape { rows_low: true, first: false, last: true, ..plain };
        let sums = Shape { way: Way::Sums, log_rows: 6, out_of_place: true, ..plain };
        vec![
            plain,
            Shape { load: Factor::Weights, ..plain },
            rows,
            Shape { log_rows: 5, log_columns: 2, load: Factor::Weights, first: true, whole: false, ..rows },
            Shape { log_rows: 1, store: Factor::Scale, first: true, whole: false, ..rows },
            Shape { time: true, log_rows: 6, log_columns: 2, first: true, last: false, ..rows },
            Shape { time: true, log_rows: 7, store: Factor::Weights, first: false, last: true, ..plain },
            Shape { time: true, store: Factor::Scale, first: false, last: true, ..plain },
            Shape { log_rows: 9, reversed: true, out_of_place: true, ..rows },
            Shape { reversed: true, out_of_place: true, store: Factor::Weights, ..rows },
            sums,
            Shape { log_rows: 5, load: Factor::Weights, ..sums },
            Shape { log_rows: 4, reversed: true, last: true, ..sums },
            Shape { time: true, store: Factor::Scale, last: true, ..sums },
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

impl Pass {
    /// The two steps of a pass by sums over vectors of 2^`log_n`.
    pub fn steps(&self, log_n: u32) -> [Step; 2] {
        let Shape { log_rows, time, .. } = self.shape;
        let [first, second] = sums::log_radices(log_rows);
        let [first_digit, second_digit] = if time { [0, first] } else { [second, 0] };
        let step = |digit, log_radix| Step { log_n, digit: self.row_digit + digit, log_radix, time };
        [step(first_digit, first), step(second_digit, second)]
    }
}

/// The passes of a transform.
#[derive(Clone, Debug)]
pub struct TransformPlan<F: Scalar> {
    /// The transform of all vectors, or of all pieces of vectors that no binding holds.
    pub(super) spec: Transform<F>,
    /// What combines these pieces.
    pub(super) pieces: Option<Pieces<F>>,
    pub(super) passes: Vec<Pass>,
    /// True if the vectors are first brought into the other order.
    pub(super) reverses: bool,
    /// log2 of the entries of the twiddles.
    pub(super) log_twiddles: u32,
    /// Scalars of one buffer of the data.
    chunk: usize,
}

impl<F: Scalar> TransformPlan<F> {
    /// The passes of `spec`.
    pub fn new(spec: &Transform<F>, gpu: &GpuProfile) -> Result<Self> {
        let chunk = chunk_len(gpu);
        match chunk.checked_ilog2() {
            Some(log_piece) if spec.n() > chunk => {
                let (pieces, of_pieces) = Pieces::new(spec, log_piece)?;
                let mut plan = Self::within_bindings(&of_pieces, gpu, chunk)?;
                plan.reverses = pieces.interleaves_first;
                let longest = pieces.longest_table_bytes().max(plan.table_len() * LONGEST_BYTES);
                if pieces.log_count > log_piece || longest > gpu.binding_bytes {
                    return Err(too_long(spec.log_n, gpu.binding_bytes));
                }
                Ok(TransformPlan { pieces: Some(pieces), ..plan })
            }
            Some(_) => Self::within_bindings(spec, gpu, chunk),
            None => Err(too_long(spec.log_n, gpu.binding_bytes)),
        }
    }

    /// The passes of a transform whose vectors are no longer than `chunk` scalars, which a binding holds.
    fn within_bindings(spec: &Transform<F>, gpu: &GpuProfile, chunk: usize) -> Result<Self> {
        let reverses = (spec.input, spec.output) == (Order::BitReversed, Order::BitReversed);
        let to_natural = (spec.input, spec.output) == (Order::Natural, Order::Natural);
        let time = (spec.input, spec.output) == (Order::BitReversed, Order::Natural);
        let log_tile = log_tile(spec.log_n, gpu);
        let mut passes = match spec.log_n {
            0 => Vec::new(),
            log_n if sums::are_faster(log_n, spec.batch, gpu) => by_sums(log_n),
            log_n if log_n <= log_tile => vec![alone(log_n, spec.batch, log_tile)],
            log_n => several(log_n, log_tile, to_natural),
        };
        if time {
            passes.reverse();
        }
        for pass in &mut passes {
            let tile = 1 << pass.shape.log_outputs();
            pass.shape.time = time;
            pass.shape.whole = spec.len().is_multiple_of(tile) && chunk.is_multiple_of(tile);
        }
        if let Some(first) = passes.first_mut() {
            first.shape.first = true;
        }
        if let Some(last) = passes.last_mut() {
            last.shape.last = true;
            last.shape.reversed = to_natural;
            last.shape.out_of_place |= to_natural && spec.log_n > log_tile;
        }
        if let Some(weights) = spec.weights()? {
            let factor = if weights.ratio.is_one() { Factor::Scale } else { Factor::Weights };
            match (spec.direction, passes.as_mut_slice()) {
                (Direction::Forward, [first, ..]) => first.shape.load = factor,
                (Direction::Inverse, [.., last]) => last.shape.store = factor,
                (_, []) => (),
            }
        }
        let log_twiddles = spec.log_n.saturating_sub(1);
        Ok(TransformPlan { spec: *spec, pieces: None, passes, reverses, log_twiddles, chunk })
    }

    /// Passes over the data: each reads and writes every scalar once.
    pub fn passes(&self) -> usize {
        self.passes_of_buffers() + self.pieces.as_ref().map_or(0, Pieces::passes)
    }

    /// Those that stay within each buffer.
    pub fn passes_of_buffers(&self) -> usize {
        self.passes.len() + usize::from(self.reverses && self.spec.log_n > 0)
    }

    /// Dispatches of a run: one for each buffer of a pass, and those across pieces.
    pub fn dispatches(&self) -> usize {
        self.passes_of_buffers() * self.spec.len().div_ceil(self.chunk.max(1))
            + self.pieces.as_ref().map_or(0, Pieces::dispatches)
    }

    /// Seconds of the passes that do not stay within each buffer, over `scalars` scalars.
    pub fn seconds_across(&self, scalars: f64, gpu: &GpuProfile) -> f64 {
        self.pieces.as_ref().map_or(0.0, |pieces| pieces.seconds(scalars, gpu))
    }

    /// log2 of the pieces of a vector and of their scalars, if no binding holds a vector.
    pub fn log_pieces(&self) -> Option<[u32; 2]> {
        self.pieces.as_ref().map(|pieces| [pieces.log_count, pieces.log_piece])
    }

    /// True if a run takes a second vector.
    pub fn has_scratch(&self) -> bool {
        self.reverses && self.spec.log_n > 0
            || self.passes.iter().any(|pass| pass.shape.out_of_place)
            || self.pieces.as_ref().is_some_and(|pieces| pieces.interleaves_last)
    }

    /// Bytes of the tables.
    pub fn table_bytes(&self) -> u64 {
        self.table_len() * FACTOR_BYTES + self.pieces.as_ref().map_or(0, Pieces::table_bytes)
    }

    /// Entries of the table: twiddles and factors.
    pub(super) fn table_len(&self) -> u64 {
        let factors = self.passes.iter().flat_map(|pass| [pass.shape.load, pass.shape.store]);
        let lens = factors.map(|factor| match factor {
            Factor::One => 0,
            Factor::Scale => 1,
            Factor::Weights => two_level_len(self.spec.log_n),
        });
        let twiddles = match self.steps().map(|step| step.factors()).sum() {
            0 => 1 << self.log_twiddles,
            factors => factors,
        };
        twiddles + lens.sum::<u64>()
    }

    /// The steps of all passes by sums, each with its own factors instead of twiddles.
    pub(super) fn steps(&self) -> impl Iterator<Item = Step> {
        let log_n = self.spec.log_n();
        self.passes.iter().filter(|pass| pass.shape.way == Way::Sums).flat_map(move |pass| pass.steps(log_n))
    }
}

/// Scalars of one buffer of a vector; 0 where a binding holds none.
pub fn chunk_len(gpu: &GpuProfile) -> usize {
    (gpu.binding_bytes / SCALAR_BYTES).checked_ilog2().map_or(0, |log| 1 << log)
}

/// The error of a transform of 2^`log_n` scalars, for which bindings of so many bytes are too short.
fn too_long(log_n: u32, binding_bytes: u64) -> Error {
    let log_scalars = (binding_bytes / SCALAR_BYTES).max(1).ilog2();
    Error::OutOfMemory(
        format!(
            "a transform of 2^{log_n} scalars, or its tables: one binding of this device holds {binding_bytes} bytes, \
             2^{log_scalars} scalars; the CPU engine has no such limit"
        )
        .into(),
    )
}

/// log2 of the scalars of a tile, at most, for vectors of 2^`log_n`.
fn log_tile(log_n: u32, gpu: &GpuProfile) -> u32 {
    let by_memory = (u64::from(gpu.workgroup_bytes) / TILE_BYTES).max(4).ilog2();
    let by_threads = gpu.workgroup_invocations.max(1).ilog2() + 1;
    let passes = log_n.div_ceil(LOG_LARGE_TILE);
    let spares_a_pass = passes < log_n.div_ceil(LOG_TILE);
    let wanted = if spares_a_pass && passes <= 2 { LOG_LARGE_TILE } else { LOG_TILE };
    wanted.min(by_memory).min(by_threads)
}

/// The pass that transforms whole vectors, several of a batch as columns.
fn alone(log_n: u32, batch: usize, log_tile: u32) -> Pass {
    let wanted = batch.max(1).next_power_of_two().ilog2().min(log_tile - log_n);
    let shape = Shape {
        log_rows: log_n,
        // Scalars past the end are not written.
        log_columns: wanted,
        rows_low: true,
        first: true,
        last: true,
        ..Shape::PLAIN
    };
    Pass { shape, row_digit: 0, upper_digit: log_n }
}

/// The passes of decimation in frequency of a vector longer than a tile.
fn several(log_n: u32, log_tile: u32, to_natural: bool) -> Vec<Pass> {
    let count = log_n.div_ceil(log_tile);
    // Few scalars are shared among as many workgroups as the device has use for.
    let log_tile = log_tile.min(log_n.saturating_sub(LOG_GROUPS)).max(log_n.div_ceil(count));
    let mut passes = Vec::new();
    let mut above = log_n;
    for i in 0..count {
        // Equal numbers of rows, the shorter passes first: their rows are apart, so that more columns help.
        let log_rows = above / (count - i);
        let row_digit = above - log_rows;
        let log_columns = (log_tile - log_rows).min(LOG_COLUMNS);
        let rows_low = row_digit == 0;
        let upper_digit = match (rows_low, to_natural) {
            (false, _) => row_digit,
            (true, false) => log_rows,
            // Columns that are neighbours once their digits are reversed.
            (true, true) => log_n - log_columns,
        };
        let shape = Shape { log_rows, log_columns, rows_low, ..Shape::PLAIN };
        passes.push(Pass { shape, row_digit, upper_digit });
        above = row_digit;
    }
    passes
}

/// The passes of decimation in frequency by sums.
fn by_sums(log_n: u32) -> Vec<Pass> {
    // Several workgroups read a row.
    let shape = Shape { way: Way::Sums, out_of_place: true, ..Shape::PLAIN };
    let pass =
        |log_rows, row_digit| Pass { shape: Shape { log_rows, ..shape }, row_digit, upper_digit: row_digit };
    let upper = log_n / 2;
    vec![pass(upper, log_n - upper), pass(log_n - upper, 0)]
}
