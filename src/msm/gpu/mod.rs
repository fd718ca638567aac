//! Multi-scalar multiplication on a GPU.
//!
//! [`Bases`] own what is precomputed and the memory that multiplications work in. A
//! multiplication goes through `stages`, in the order in which that file names them, for
//! each group of bucket sets and each chunk of bases that the plan makes; `kernels` declares
//! what the stages dispatch, `tables` builds the bases' tables.

mod bases;
mod compiled;
mod evaluate;
mod inverses;
mod kernels;
mod pairs;
mod part;
mod parts;
mod settings;
mod stages;
mod subgroup;
mod tables;
mod workspace;

pub use bases::{Bases, DeviceScalars};
pub(super) use compiled::prepare;
pub use evaluate::{EVALUATE, Evaluation, Form, Span, Task};
pub use inverses::INVERSES;
pub use kernels::{
    ACCUMULATE, ACCUMULATE_WHOLE, CLEAR, DIGITS, EXCESS, FOLD, GATHER, OFFSETS, REDUCE, Scalars,
};
pub use pairs::{HALVE, PAIR, PAIR_BACKWARD, PAIR_FORWARD};
pub(super) use parts::msm;
pub use settings::{Balance, Settings};
pub use subgroup::{SUBGROUP, first_outside, first_outside_async};
pub use tables::{NORMALIZE, PRODUCTS};

use crate::gpu::Kernel;

/// The kernels of this module.
pub static KERNELS: &[&Kernel] = &[
    &DIGITS,
    &OFFSETS,
    &HALVE,
    &PAIR,
    &PAIR_FORWARD,
    &PAIR_BACKWARD,
    &ACCUMULATE,
    &ACCUMULATE_WHOLE,
    &CLEAR,
    &EXCESS,
    &FOLD,
    &GATHER,
    &REDUCE,
    &EVALUATE,
    &PRODUCTS,
    &INVERSES,
    &NORMALIZE,
    &SUBGROUP,
];

#[cfg(test)]
mod tests;
