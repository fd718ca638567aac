//! Multi-scalar multiplication on a GPU.
//!
//! [`Resident`] owns the tables precomputed for bases and the working memory of multiplications. A
//! multiplication runs the steps of `stages`, in the order of that file, for each group
//! of bucket sets and each chunk of bases of the [`Cut`](super::Cut):
//!
//! ```text
//! resident -> compiled -> kernels, pairs, tables -> evaluate, inverses
//!    |-> stages -> kernels, workspace
//!    |-> workspace -> pairs
//!    '-> scalars
//! ```

mod compiled;
mod evaluate;
mod inverses;
mod kernels;
mod pairs;
mod part;
mod resident;
mod scalars;
mod stages;
mod subgroup;
mod tables;
mod workspace;

pub(super) use compiled::Compiled;
use evaluate::EVALUATE;
use inverses::INVERSES;
use kernels::{ACCUMULATE, ACCUMULATE_WHOLE, CLEAR, DIGITS, EXCESS, FOLD, GATHER, OFFSETS, REDUCE};
use pairs::{HALVE, PAIR, PAIR_BACKWARD, PAIR_FORWARD};
pub(super) use resident::Resident;
pub use resident::Sums;
pub use scalars::DeviceScalars;
use subgroup::SUBGROUP;
pub(super) use subgroup::{compile_check, first_outside_async};
use tables::{NORMALIZE, PRODUCTS};

use crate::gpu::Kernel;

/// The kernels of this module.
#[cfg(feature = "cli")]
pub(crate) static KERNELS: &[&Kernel] = &[
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

#[cfg(all(test, feature = "default"))]
mod tests;
