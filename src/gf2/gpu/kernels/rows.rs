//! One thread a row.

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
    variants: |_| vec![Variant::plain(64)],
};

params! {
    /// The parameters of [`REDUCE_ROWS`].
    pub struct ReduceRowsParams {
        /// Rows.
        rows,
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
