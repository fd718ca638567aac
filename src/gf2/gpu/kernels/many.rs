//! Many small matrices, a workgroup each.

use serde::Serialize;

use crate::gpu::{Kernel, Variant, buffers, params};

/// The maximum number of rows of a matrix: a workgroup holds one word of every row in its memory.
pub const MOST_ROWS: usize = 1024;

/// Brings matrices to reduced row echelon form.
pub static REDUCE_MANY: Kernel = Kernel {
    name: "gf2/reduce_many",
    source: "gf2/reduce_many.wgsl",
    bindings: ReduceManyBuffers::BINDINGS,
    params: ReduceManyParams::NAMES,
    variants: |_| vec![build()],
};

buffers! {
    /// The buffers of [`REDUCE_MANY`].
    pub struct ReduceManyBuffers {
        matrices: read_write array<u32>,
        outcomes: read_write array<u32>,
    }
}

/// The only variant: WebGPU's default limits allow for it.
pub fn build() -> Variant {
    #[derive(Serialize)]
    struct ManyContext {
        most_rows: usize,
    }
    Variant::new(256, ManyContext { most_rows: MOST_ROWS })
}

params! {
    /// The parameters of [`REDUCE_MANY`].
    pub struct ReduceManyParams {
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
