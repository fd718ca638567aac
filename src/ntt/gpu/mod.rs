//! Transforms and products on the GPU.
//!
//! A transform is a few passes over the vector, each a kernel of `shaders/ntt/`: along long
//! strides first (decimation in frequency), contiguous vectors last, or the other way round
//! (decimation in time).
//!
//! ```text
//! plan, product_plan      the passes in numbers: outline chooses their kinds, split their lengths,
//!                         build their shapes, roots and edges
//! matrix_plan, matrix     the same where the vectors are the columns of a row-major matrix
//! transform, product      pipelines and tables, made by compile; halving: the outer radix-2 stages
//! conversion              residues modulo any number to those modulo the primes, and back
//! specs                   the text of a kernel: tile is the work of a workgroup, steps its text, butterfly
//!                         and twiddles its arithmetic, reduction the modular product
//! ```
//!
//! A vector of 2^k words is a matrix of two or three dimensions. A pass transforms along one of them, and reads and writes all
//! data once; three passes suffice for 2^24 words. A vector that is longer than a binding is cut into chunks, and outer radix-2 stages
//! between the chunks come first or last.
//!
//! ```text
//! natural order                                               bit-reversed order
//!   x ----> columns (long stride) ----> columns ----> rows (contiguous) ----> X
//!             2^8 words a tile, in workgroup memory and registers:
//!             load -> radix-2^r butterflies -> exchange -> ... -> twiddles -> store
//! ```
//!
//! Vectors that are the columns of a row-major matrix are transformed where they lie. All passes go along a stride: the words of 2^s
//! neighbouring rows are contiguous, so a tile takes 2^c of them from each of 2^b rows that stand 2^s apart. Only the
//! twiddles depend on the row of a word.
//!
//! ```text
//! 2^20 rows of W words      passes: s = 14, b = 6; s = 7, b = 7; s = 0, b = 7      tile: 2^7 pieces of 2^5 words
//! coefficients of 2^20 rows to values at 2^(20 + a) points: 2^a cosets, a block of 2^20 rows for each
//! ```
//!
//! An extension goes from values to values. The last pass of its inverse transform (decimation in time) has the stride of the
//! first pass of its forward transforms (decimation in frequency), so that one kernel does both on the same tile, in registers:
//!
//! ```text
//! values --- s = 0 --- s = 7 --- s = 14 | weights of each block | s = 14 --- s = 7 --- s = 0 --- values of each block
//!            inverse passes      one kernel, one read, 2^a writes            forward passes
//! ```

mod build;
mod butterfly;
mod compile;
mod conversion;
mod halving;
mod kernels;
mod matrix;
mod matrix_plan;
mod matrix_spec;
mod outline;
mod pass;
mod plan;
mod product;
mod product_plan;
mod reduction;
mod scratch;
mod specs;
mod split;
mod steps;
mod tables;
mod tile;
mod transform;
mod twiddles;
mod variants;

pub use butterfly::Program;
pub(in crate::ntt) use conversion::Conversions;
pub(in crate::ntt) use matrix::PreparedMatrix;
pub(in crate::ntt) use matrix_plan::MatrixPlan;
pub(in crate::ntt) use plan::TransformPlan;
pub(in crate::ntt) use product::PreparedProduct;
pub(in crate::ntt) use product_plan::ProductPlan;
pub use reduction::{Modulus, ModulusContext};
pub(in crate::ntt) use scratch::Scratch;
pub use tables::Powers;
pub(in crate::ntt) use transform::PreparedTransform;

use super::transposed::TRANSPOSE;
use crate::gpu::Kernel;
use conversion::{CENTRE, COMBINE};
use kernels::{
    BIT_REVERSE, COLUMNS, COLUMNS_PAIR, COLUMNS_TO, OUTER_RADIX2, POINTWISE, ROWS, ROWS_PARTS, ROWS_PRODUCT,
    ROWS_PRODUCT_TO, ROWS_TRANSPOSED, ROWS_VECTORS,
};
use matrix_spec::{EXTEND, EXTEND_TO, MATRIX, MATRIX_TO};

/// The kernels of this module.
pub(crate) static KERNELS: &[&Kernel] = &[
    &COLUMNS,
    &COLUMNS_TO,
    &COLUMNS_PAIR,
    &MATRIX,
    &MATRIX_TO,
    &EXTEND,
    &EXTEND_TO,
    &ROWS,
    &ROWS_VECTORS,
    &ROWS_PARTS,
    &ROWS_TRANSPOSED,
    &ROWS_PRODUCT,
    &ROWS_PRODUCT_TO,
    &OUTER_RADIX2,
    &BIT_REVERSE,
    &POINTWISE,
    &CENTRE,
    &COMBINE,
    &TRANSPOSE,
];
