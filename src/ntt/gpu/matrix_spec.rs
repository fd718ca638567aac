//! The kernels of transforms of a row-major matrix's columns: their texts and shapes.

use serde::Serialize;

use super::reduction::Modulus;
use super::specs::{Edge, scale_reductions};
use super::split::Room;
use super::steps::{self, Ends, Outer, StepContext, TileContext};
use super::tile::{Decimation, Layout, Shape};
use super::variants;
use crate::gpu::{Binding, Kernel, Variant, params};

const WORDS: &str = "array<u32>";
const PAIRS: &str = "array<vec2<u32>>";

params! {
    /// The parameters of a pass over a matrix.
    pub(super) struct MatrixParams {
        /// Words of a row.
        width,
        /// log2 of the rows between the rows of a tile.
        log_stride,
        /// log2 of the blocks of the result, in the first pass.
        log_blocks,
        /// Columns of tiles: of one block in the first pass, else of all.
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
pub static MATRIX: Kernel = Kernel {
    name: "ntt/matrix",
    source: "ntt/matrix.wgsl",
    bindings: &[
        Binding::read_write("data", WORDS),
        Binding::read("twiddles", PAIRS),
        Binding::read("pairs", PAIRS),
        Binding::read("powers", WORDS),
        Binding::read("weights", WORDS),
    ],
    params: MatrixParams::NAMES,
    variants: |arithmetic| variants::matrix_variants(arithmetic, false),
};

/// A pass over a matrix from one buffer to another.
pub static MATRIX_TO: Kernel = Kernel {
    name: "ntt/matrix_to",
    source: "ntt/matrix.wgsl",
    bindings: &[
        Binding::read("source", WORDS),
        Binding::read_write("data", WORDS),
        Binding::read("twiddles", PAIRS),
        Binding::read("pairs", PAIRS),
        Binding::read("powers", WORDS),
        Binding::read("weights", WORDS),
    ],
    params: MatrixParams::NAMES,
    variants: |arithmetic| variants::matrix_variants(arithmetic, true),
};

/// Everything that determines the text of a pass.
#[derive(Clone, Debug)]
pub(super) struct MatrixSpec {
    pub shape: Shape,
    pub modulus: Modulus,
    /// The primitive 2^b-th root of unity of the pass.
    pub root: u32,
    pub ends: Ends,
    pub edge: Edge,
    /// True if it reads the source, or writes the result.
    pub first: bool,
    pub last: bool,
    /// The first pass reads rows in bit-reversed order.
    pub reversed_in: bool,
    /// The last pass brings the rows from bit-reversed to natural order.
    pub reversed_out: bool,
}

#[derive(Serialize)]
struct MatrixContext {
    #[serde(flatten)]
    tile: TileContext,
    #[serde(flatten)]
    edge: Edge,
    scale_reductions: Vec<u32>,
    source: &'static str,
    target: &'static str,
    outer: Outer,
    steps: Vec<StepContext>,
    first: bool,
    last: bool,
    reversed_in: bool,
    reversed_out: bool,
    late: usize,
    outer_step: i32,
}

impl MatrixSpec {
    /// True if the pass writes to another buffer than it reads.
    pub fn out_of_place(&self) -> bool {
        self.first || self.reversed_out
    }

    pub fn kernel(&self) -> &'static Kernel {
        if self.out_of_place() { &MATRIX_TO } else { &MATRIX }
    }

    pub fn variant(&self) -> Variant {
        let (shape, modulus) = (&self.shape, self.modulus);
        let context = MatrixContext {
            tile: steps::context(shape, modulus),
            edge: self.edge,
            scale_reductions: scale_reductions(modulus),
            source: if self.out_of_place() { "source" } else { "data" },
            target: "data",
            outer: self.ends.outer,
            steps: steps::steps(shape, modulus, Decimation::Frequency, self.root, &self.ends, 0),
            first: self.first,
            last: self.last,
            reversed_in: self.reversed_in,
            reversed_out: self.reversed_out,
            late: 0,
            outer_step: if self.ends.outer == Outer::None { -1 } else { shape.steps.len() as i32 - 1 },
        };
        Variant::new(shape.threads(), context)
    }
}

/// The bits of each pass over 2^`log_rows` rows, from the longest stride down: as few passes as tiles with pieces of 32
/// bytes allow, and equally long ones.
pub(super) fn matrix_bits(log_rows: u32, room: Room) -> Vec<u32> {
    let most =
        if room.words >= Room::LARGE.words && room.invocations >= Room::LARGE.invocations { 10 } else { 9 };
    let count = log_rows.div_ceil(most);
    (0..count).map(|i| (log_rows + count - 1 - i) / count).collect()
}

/// The tile of a pass of so many bits: pieces of 64 bytes if there is room, and of more where the workgroup would have
/// less than 128 threads.
pub(super) fn matrix_shape(bits: u32, room: Room) -> Shape {
    let shape = |columns| Shape::new(bits, columns, 4, Layout::Interleaved);
    let fits = |shape: &Shape| shape.words() <= room.words && shape.threads() <= room.invocations;
    let wanted = (4..=7).map(shape).find(|shape| shape.threads() >= 128).filter(fits);
    wanted.unwrap_or_else(|| shape(3))
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
                assert_eq!(bits.len() as u32, log_rows.div_ceil(most));
                for bits in bits {
                    let shape = matrix_shape(bits, room);
                    assert!(shape.words() <= room.words && shape.threads() <= room.invocations, "{shape:?}");
                    assert!(shape.columns >= 3 && shape.threads() >= 128, "{shape:?}");
                    assert_eq!(shape.conflicts(32), 1, "{shape:?}");
                }
            }
        }
    }
}
