//! Whole rows, each reduced by one thread.

use crate::gpu::{Variant, kernel};

kernel! {
    /// Reduces packed rows by packed pivots. The variants are the default, and the grids of a published program.
    static REDUCE_ROWS = "gf2/reduce_rows", |_| [64, 256, 10].map(Variant::plain).to_vec();
    ReduceRowsBuffers {
        rows: read_write array<u32>,
        pivots: read array<u32>,
        pivot_of: read array<u32>,
        leads: read_write array<u32>,
        progress: read_write array<u32>,
        waiting: read_write atomic<u32>,
    }
    ReduceRowsParams {
        /// The first row of this dispatch.
        first_row,
        /// The row after its last one.
        end_row,
        /// Threads of the whole grid.
        threads,
        /// Words of a row.
        width,
        /// The first of the pivots bound here.
        first_pivot,
        /// How many are bound here.
        pivots,
        /// Pivots that a row takes at most.
        steps,
    }
}
