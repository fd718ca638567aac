//! The kernels of transforms of a row-major matrix's columns: their texts and shapes.

use serde::Serialize;

use super::kernels::{ColumnsBuffers, ColumnsToBuffers};
use super::reduction::Modulus;
use super::specs::Edge;
use super::split::Room;
use super::steps::{self, Ends, Outer, StepContext, TileContext};
use super::tile::{Decimation, Layout, Shape};
use super::variants;
use crate::gpu::{Kernel, Variant, params};

params! {
    /// The parameters of a pass over a matrix.
    pub(super) struct MatrixParams {
        /// Words of a row.
        width,
        /// log2 of the rows between the rows of a tile.
        log_stride,
        /// log2 of the blocks of the result, in a pass to all of them.
        log_blocks,
        /// Columns of tiles: of one block in a pass to all of them, else of all.
        columns,
        /// 32 less log2 of the rows of the source.
        shift_in,
        /// 32 less log2 of the rows of the result.
        shift_out,
        /// log2 of the length of the low table of the twiddles between passes.
        log_low_powers,
        /// log2 of the length of the low table of the weights of results.
        log_low_weights,
        /// The factor of every result, as a pair of [`Modulus::constant`].
        scale,
        /// The second word of that pair.
        scale_quotient,
    }
}

/// A pass over a matrix, in place.
pub static MATRIX: Kernel =
    Kernel::of::<ColumnsBuffers, MatrixParams>("ntt/matrix", "ntt/matrix.wgsl", |arithmetic| {
        variants::matrix_variants(arithmetic, false)
    });

/// A pass over a matrix from one buffer to another.
pub static MATRIX_TO: Kernel =
    Kernel::of::<ColumnsToBuffers, MatrixParams>("ntt/matrix_to", "ntt/matrix.wgsl", |arithmetic| {
        variants::matrix_variants(arithmetic, true)
    });

/// The middle of an extension, where the first block of the result lies in the place of the coefficients.
pub static EXTEND: Kernel =
    Kernel::of::<ColumnsBuffers, MatrixParams>("ntt/matrix_extend", "ntt/matrix_extend.wgsl", |arithmetic| {
        variants::extension_variants(arithmetic, false)
    });

/// The middle of an extension, from one buffer to another.
pub static EXTEND_TO: Kernel = Kernel::of::<ColumnsToBuffers, MatrixParams>(
    "ntt/matrix_extend_to",
    "ntt/matrix_extend.wgsl",
    |arithmetic| variants::extension_variants(arithmetic, true),
);

/// Everything that determines the text of a pass, of which the template takes some as it is.
#[derive(Clone, Debug, Serialize)]
pub(super) struct MatrixSpec {
    #[serde(skip)]
    pub shape: Shape,
    #[serde(skip)]
    pub modulus: Modulus,
    #[serde(skip)]
    pub kind: MatrixKind,
    /// The primitive 2^b-th root of unity of the pass; of an extension's forward pass.
    #[serde(skip)]
    pub root: u32,
    #[serde(skip)]
    pub ends: Ends,
    #[serde(flatten)]
    pub edge: Edge,
    /// True if it reads the source, or writes the result.
    #[serde(skip)]
    pub first: bool,
    pub last: bool,
    /// The first pass reads rows in bit-reversed order.
    pub reversed_in: bool,
    /// The last pass brings the rows from bit-reversed to natural order.
    pub reversed_out: bool,
}

/// The kinds of passes over a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatrixKind {
    /// One pass of a transform.
    Pass(Decimation),
    /// The last pass of an inverse transform with this root, whose values come in below so many p, and the first of a
    /// forward one.
    Extension { root_back: u32, bound_back: u32 },
}

#[derive(Serialize)]
struct MatrixContext<'a> {
    #[serde(flatten)]
    tile: TileContext,
    #[serde(flatten)]
    spec: &'a MatrixSpec,
    scale_reductions: Vec<u32>,
    source: &'static str,
    target: &'static str,
    outer: Outer,
    steps: Vec<StepContext>,
    /// True if every block of the result comes from the whole source.
    spread: bool,
    late: usize,
    /// The step that takes the twiddles of the pass; -1 for none.
    outer_step: i32,
    /// The steps of an extension's inverse pass, and the place of the weights of its rows among the twiddles.
    steps_back: Vec<StepContext>,
    outer_step_back: i32,
    row_weights: usize,
}

impl MatrixSpec {
    /// True if the pass writes to another buffer than it reads.
    pub fn out_of_place(&self) -> bool {
        self.first || self.reversed_out
    }

    /// True if every block of the result comes from the whole source.
    pub fn spreads(&self) -> bool {
        match self.kind {
            MatrixKind::Pass(decimation) => self.first && decimation == Decimation::Frequency,
            MatrixKind::Extension { .. } => true,
        }
    }

    pub fn kernel(&self) -> &'static Kernel {
        match (self.kind, self.out_of_place()) {
            (MatrixKind::Pass(_), false) => &MATRIX,
            (MatrixKind::Pass(_), true) => &MATRIX_TO,
            (MatrixKind::Extension { .. }, false) => &EXTEND,
            (MatrixKind::Extension { .. }, true) => &EXTEND_TO,
        }
    }

    /// The twiddles between steps: of an extension, there and back.
    pub fn twiddles(&self) -> Vec<[u32; 2]> {
        let there = match self.kind {
            MatrixKind::Pass(_) => Vec::new(),
            MatrixKind::Extension { root_back, .. } => self.shape.twiddles(self.modulus, root_back),
        };
        [there, self.shape.twiddles(self.modulus, self.root)].concat()
    }

    pub fn variant(&self) -> Variant {
        let (shape, modulus) = (&self.shape, self.modulus);
        let last_step = shape.steps.len() as i32 - 1;
        let (decimation, steps_back) = match self.kind {
            MatrixKind::Pass(decimation) => (decimation, Vec::new()),
            MatrixKind::Extension { root_back, bound_back } => {
                let ends = Ends {
                    bound_in: bound_back,
                    outer: self.ends.outer,
                    // The weights are constants.
                    bound_out: modulus.constant_factor_bound(),
                };
                let steps = steps::steps(shape, modulus, Decimation::Time, root_back, &ends, 0);
                (Decimation::Frequency, steps)
            }
        };
        let offset = if steps_back.is_empty() { 0 } else { self.twiddles().len() / 2 };
        let outer_step = |step: i32| if self.ends.outer == Outer::None { -1 } else { step };
        let context = MatrixContext {
            tile: steps::context(shape, modulus),
            spec: self,
            scale_reductions: modulus.scale_reductions(),
            source: if self.out_of_place() { "source" } else { "data" },
            target: "data",
            outer: self.ends.outer,
            steps: steps::steps(shape, modulus, decimation, self.root, &self.ends, offset as u32),
            spread: self.spreads(),
            late: 0,
            outer_step: outer_step(if decimation == Decimation::Frequency { last_step } else { 0 }),
            steps_back,
            outer_step_back: outer_step(0),
            row_weights: 2 * offset,
        };
        Variant::new(shape.threads(), context)
    }
}

/// The bits of each pass over 2^`log_rows` rows, from the longest stride down: one pass if a tile holds all rows, else
/// as few as tiles with pieces of 64 bytes allow, and equally long ones. An extension's first passes are in one kernel,
/// so that the first ones are the shorter ones.
///
/// An H100 took 677 us for a pass of 10 bits over 512 MiB, whose pieces are of 32 bytes, 550 for one of 8 bits and
/// 377 to 430 for those of 6 and 7 bits, of which copying 1 GiB is 330.
pub(super) fn matrix_bits(log_rows: u32, room: Room) -> Vec<u32> {
    let alone =
        if room.words >= Room::LARGE.words && room.invocations >= Room::LARGE.invocations { 10 } else { 9 };
    let count = if log_rows <= alone { 1 } else { log_rows.div_ceil(9) };
    (0..count).map(|i| (log_rows + i) / count).collect()
}

/// The tile of a pass of so many bits: pieces of 64 bytes and more, up to 16 KiB, if there is room.
pub(super) fn matrix_shape(bits: u32, room: Room) -> Shape {
    shape_of(bits, 12, room)
}

/// The tile of an extension whose passes have so many bits: up to 8 KiB. An H200 extends 2^20 rows of 64 words in 1.49 ms
/// with 8 KiB for 6 bits, in 1.61 with 16 KiB and in 1.64 with 4 KiB.
pub(super) fn extension_shape(bits: u32, room: Room) -> Shape {
    shape_of(bits, 11, room)
}

fn shape_of(bits: u32, log_words: u32, room: Room) -> Shape {
    let shape = |columns| Shape::new(bits, columns, 4, Layout::Interleaved);
    let wanted = shape(log_words.saturating_sub(bits).clamp(4, 7));
    match wanted.words() <= room.words && wanted.threads() <= room.invocations {
        true => wanted,
        false => shape(3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_over_a_matrix_fit_their_room_and_meet_in_no_bank() {
        for (room, most) in [(Room::LARGE, 10), (Room::DEFAULT, 9)] {
            for log_rows in 1..=27 {
                let bits = matrix_bits(log_rows, room);
                assert_eq!(bits.iter().sum::<u32>(), log_rows);
                assert_eq!(bits.len() as u32, if log_rows <= most { 1 } else { log_rows.div_ceil(9) });
                let shapes = |bits| [(matrix_shape(bits, room), 128), (extension_shape(bits, room), 64)];
                for (shape, threads) in bits.into_iter().flat_map(shapes) {
                    assert!(shape.words() <= room.words && shape.threads() <= room.invocations, "{shape:?}");
                    assert!(shape.columns >= 3 && shape.threads() >= threads, "{shape:?}");
                    assert_eq!(shape.conflicts(32), 1, "{shape:?}");
                }
            }
        }
    }
}
