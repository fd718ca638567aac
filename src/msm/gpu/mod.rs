//! Multi-scalar multiplication on a GPU.
//!
//! [`Resident`] owns the tables precomputed for bases and the working memory of multiplications. A
//! multiplication runs the steps of `stages`, in the order of that file, for each group
//! of bucket sets and each chunk of bases of the [`Cut`](super::Cut):
//!
//! ```text
//! resident -> compiled -> kernels -> accumulation, digits, reduction -> formulas
//!    |           '-> pairs, tables -> evaluate, inverses
//!    |-> stages -> kernels, part, workspace
//!    |-> reduction -> workspace -> pairs -> part
//!    '-> scalars
//! ```

mod accumulation;
mod compiled;
mod digits;
mod dispatches;
mod evaluate;
mod formulas;
mod inverses;
mod kernels;
mod pairs;
mod part;
mod reduction;
mod resident;
mod scalars;
mod stages;
mod subgroup;
mod tables;
mod workspace;

use accumulation::{ACCUMULATE, ACCUMULATE_BUCKET, ACCUMULATE_TWO, ACCUMULATE_WHOLE, CLEAR, FOLD, GATHER};
pub(super) use compiled::Compiled;
use digits::{DIGITS, OFFSETS};
pub(super) use dispatches::dispatches;
use evaluate::EVALUATE;
use inverses::INVERSES;
use pairs::{HALVE, PAIR, PAIR_BACKWARD, PAIR_FORWARD};
use reduction::{EXCESS, REDUCE, REDUCE_DIGITS, SUFFIX_JOIN, SUFFIX_RUNS, SUFFIX_TOTAL};
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
    &ACCUMULATE_BUCKET,
    &ACCUMULATE_TWO,
    &CLEAR,
    &EXCESS,
    &FOLD,
    &GATHER,
    &REDUCE,
    &REDUCE_DIGITS,
    &SUFFIX_RUNS,
    &SUFFIX_JOIN,
    &SUFFIX_TOTAL,
    &EVALUATE,
    &PRODUCTS,
    &INVERSES,
    &NORMALIZE,
    &SUBGROUP,
];

#[cfg(all(test, feature = "default"))]
mod tests;
