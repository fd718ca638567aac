//! Multi-scalar multiplication on a GPU.
//!
//! [`Bases`] own what is precomputed and the memory that multiplications work in. A
//! multiplication goes through `stages`, in the order in which that file names them, for
//! each group of bucket sets and each chunk of bases that the plan makes; `kernels` declares
//! what the stages dispatch, `tables` builds the bases' tables.

mod bases;
mod evaluate;
mod kernels;
mod stages;
mod tables;
mod workspace;

pub use bases::{Balance, Bases, DeviceScalars, Settings};
pub use evaluate::{EVALUATE, Evaluation, Form, Span, Task};
pub use kernels::{ACCUMULATE, ACCUMULATE_WHOLE, DIGITS, FOLD, GATHER, OFFSETS, REDUCE, Scalars};
pub use tables::{INVERSES, NORMALIZE, PRODUCTS};

use crate::gpu::Kernel;

/// The kernels of this module.
pub static KERNELS: &[&Kernel] = &[
    &DIGITS,
    &OFFSETS,
    &ACCUMULATE,
    &ACCUMULATE_WHOLE,
    &FOLD,
    &GATHER,
    &REDUCE,
    &EVALUATE,
    &PRODUCTS,
    &INVERSES,
    &NORMALIZE,
];

#[cfg(test)]
mod tests;
