//! Whole rows, each reduced by one thread.

use crate::gpu::{Binding, Kernel, Variant, params};

/// Reduces packed rows by packed pivots.
pub static REDUCE_ROWS: Kernel = Kernel {
    name: "gf2/reduce_rows",
    source: "gf2/reduce_rows.wgsl",
    bindings: &[
        Binding::read_write("rows", "array<u32>"),
        Binding::read("pivots", "array<u32>"),
        Binding::read("pivot_of", "array<u32>"),
        Binding::read_write("leads", "array<u32>"),
        Binding::read_write("progress", "array<u32>"),
        Binding::read_write("waiting", "atomic<u32>"),
    ],
    params: ReduceRowsParams::NAMES,
    // The default, and the grids of a published program.
    variants: |_| [64, 256, 10].map(Variant::plain).to_vec(),
};

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
