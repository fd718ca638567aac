//! Whole rows, each reduced by one thread.

use crate::gpu::{Kernel, Variant, buffers, params};

/// Reduces packed rows by packed pivots.
pub static REDUCE_ROWS: Kernel = Kernel {
    name: "gf2/reduce_rows",
    source: "gf2/reduce_rows.wgsl",
    bindings: ReduceRowsBuffers::BINDINGS,
    params: ReduceRowsParams::NAMES,
    // The default, and the grids of a published program.
    variants: |_| [64, 256, 10].map(Variant::plain).to_vec(),
};

buffers! {
    /// The buffers of [`REDUCE_ROWS`].
    pub struct ReduceRowsBuffers {
        rows: read_write array<u32>,
        pivots: read array<u32>,
        pivot_of: read array<u32>,
        leads: read_write array<u32>,
        progress: read_write array<u32>,
        waiting: read_write atomic<u32>,
    }
}

params! {
    /// The parameters of [`REDUCE_ROWS`].
    pub struct ReduceRowsParams {
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
