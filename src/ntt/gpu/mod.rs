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
//! specs                   the text of a kernel: tile is the work of a workgroup, steps its text, butterfly
//!                         and twiddles its arithmetic, reduction the modular product
//! ```

mod build;
mod butterfly;
mod compile;
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
    &TRANSPOSE,
];
