//! Many small matrices, a workgroup each.

use serde_json::json;

use crate::gpu::{Variant, kernel};

/// The maximum number of rows of a matrix: a workgroup holds one word of every row in its memory.
pub const MOST_ROWS: usize = 1024;

kernel! {
    /// Brings matrices to reduced row echelon form.
    static REDUCE_MANY = "gf2/reduce_many", |_| vec![build()];
    ReduceManyBuffers { matrices: read_write array<u32>, outcomes: read_write array<u32> }
    ReduceManyParams {
        /// Matrices.
        matrices,
        /// Rows of a matrix.
        rows,
        /// Columns in which pivots are sought.
        limit,
        /// Words of all columns.
        words,
        /// Words from row to row.
        width,
        /// Words of the outcome of a matrix.
        outcome,
    }
}

/// The only variant: WebGPU's default limits allow for it.
pub fn build() -> Variant {
    Variant::new(256, json!({ "most_rows": MOST_ROWS }))
}
