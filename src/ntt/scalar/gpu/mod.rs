//! Transforms over scalar fields, and operations on vectors, on a GPU.
//!
//! ```text
//! plan        the passes in numbers; sums: those of short vectors
//! transform   the passes as pipelines with their tables, and their dispatches
//! passes      the kernels of passes; kernels: the other ones
//! tables      powers in the form that the kernels multiply by
//! form        limbs within a pass; multiples: factors of a table as passes take them
//! vectors     operations between transforms
//! sparse      products of sparse matrices and vectors
//! ```

mod form;
mod kernels;
mod multiples;
mod passes;
mod plan;
mod sparse;
mod sums;
mod tables;
mod transform;
mod vectors;

pub(super) use kernels::Operation;
pub(super) use plan::TransformPlan;
pub(super) use sparse::DeviceMatrix;
pub(super) use transform::{PreparedTransform, compile};
pub(super) use vectors::VectorKernels;

/// The kernels of this module.
pub(crate) static KERNELS: &[&crate::gpu::Kernel] = &[
    &passes::PASS,
    &passes::PASS_TO,
    &passes::SUMS,
    &kernels::REVERSE,
    &kernels::COMBINE,
    &kernels::SCALE,
    &kernels::INVERT,
    &kernels::SPARSE,
];
