//! Multi-scalar multiplication on a GPU.
//!
//! [`Resident`] owns the tables precomputed for bases and the working memory of multiplications. A
//! multiplication runs the steps of `stages`, in the order of that file, for each group
//! of bucket sets and each chunk of bases of the [`Cut`](super::Cut):
//!
//! ```text
//! resident -> compiled -> kernels -> accumulation, digits, reduction -> formulas
//!    |           |-> tables -> evaluate, normalize -> inverses
//!    |           '-> pair_kernels -> formulas, inverses
//!    |-> stages -> kernels, part, workspace
//!    |-> reduction -> workspace -> pairs -> pair_kernels, part
//!    '-> crate::scalars
//!
//! multiples -> digits, tables, normalize, evaluate
//! apart -> resident, stages, reduction, workspace
//! ```
//!
//! Every thread gets an equal slice of the sorted entries, whatever the sizes of the buckets. The topmost window has few bits for most
//! widths; its entries are spread over all buckets of its set by the numbers of their scalars, and the host ignores the bits of a
//! bucket's number that only tell these copies apart.
//!
//! G2 has the same texts: a line of a formula over the extension is compiled to lines over the prime field ([`crate::field::quadratic`]).
//! A point in an extension hardly fits a thread's registers, and two sums do not. So accumulation gives a point to two threads, each with one
//! element of every coordinate (`shaders/split.wgsl`); the other kernels that add two sums give a point to eight threads, or keep the accumulator in
//! workgroup memory.
//!
//! Where the curve has an endomorphism that multiplies by M, M P is stored beside P, and a scalar k0 + k1 M is two of half the length: half of
//! the bucket sets are left to reduce, and half of the host's doublings.

mod accumulation;
mod apart;
mod by_element;
mod compiled;
mod digits;
mod dispatches;
mod evaluate;
mod formulas;
mod inverses;
mod kernels;
mod multiples;
mod normalize;
mod pair_kernels;
mod pairs;
mod part;
mod reduction;
mod resident;
mod stages;
mod subgroup;
mod tables;
mod workspace;

pub(super) use apart::{Apart, PendingApart};
pub(super) use compiled::Compiled;
pub(super) use dispatches::dispatches;
pub(super) use multiples::{DeviceMultiples, bytes_a_scalar, compile as compile_multiples, windows};
pub(super) use resident::Resident;
pub use resident::Sums;
pub(super) use subgroup::{compile_check, first_outside_async};

/// The kernels of this module.
pub(crate) static KERNELS: &[&crate::gpu::Kernel] = &[
    &digits::DIGITS,
    &digits::OFFSETS,
    &pair_kernels::HALVE,
    &pair_kernels::PAIR,
    &pair_kernels::PAIR_FORWARD,
    &pair_kernels::PAIR_BACKWARD,
    &pair_kernels::PAIR_SLOPES,
    &pair_kernels::PAIR_SUMS,
    &accumulation::ACCUMULATE,
    &accumulation::ACCUMULATE_SPLIT,
    &accumulation::ACCUMULATE_WHOLE,
    &accumulation::ACCUMULATE_BUCKET,
    &accumulation::ACCUMULATE_TWO,
    &accumulation::CLEAR,
    &reduction::EXCESS,
    &accumulation::FOLD,
    &accumulation::GATHER,
    &reduction::REDUCE,
    &by_element::FOLD_BY_ELEMENT,
    &by_element::GATHER_BY_ELEMENT,
    &by_element::REDUCE_BY_ELEMENT,
    &reduction::REDUCE_DIGITS,
    &reduction::SUFFIX_RUNS,
    &reduction::SUFFIX_JOIN,
    &reduction::SUFFIX_TOTAL,
    &evaluate::EVALUATE,
    &normalize::PRODUCTS,
    &inverses::INVERSES,
    &normalize::NORMALIZE,
    &apart::SELECT,
    &multiples::MULTIPLES,
    &subgroup::SUBGROUP,
    &subgroup::SUBGROUP_SPLIT,
];

#[cfg(all(test, feature = "default"))]
mod tests;
