//! Multi-scalar multiplication: the sum of `k_i P_i` over a curve's subgroup of order r.
//!
//! [`multiply`] does it once, for points and scalars on the host, on either engine. To multiply
//! by the same points again, keep them as [`Bases`].
//!
//! ```text
//! Multiplication   how many points, how many vectors of scalars, Settings
//!   |  plan(&device)
//!   v
//! MultiplicationPlan   engine, windows, chunks, parts, time, memory
//!   |  prepare(&device, points)
//!   v
//! Bases   multiply(scalars)  run_many(vectors)  run_on_device(DeviceScalars)  record(recorder, ..)
//! ```
//!
//! On a GPU it follows Chen, Peng, Dai, Luo and He, "Load-Balanced Parallel Implementation on
//! GPUs for Multi-Scalar Multiplication" (TCHES 2024, 2). [`Scheme`] cuts scalars into signed
//! digits and sends digits to buckets; [`Cut`] cuts the work to fit the device; the host puts the
//! last few points together by Horner's rule. The CPU engine is blst for BLS12-381, both groups; on
//! the other curves it adds up affine points, with an inversion for many additions.
//!
//! [`FixedBase`] has the multiples of one base by many scalars.
//!
//! Sums over G2 are those over another curve: `multiply::<Bls12_381G2>` and so on.
//!
//! The time of a multiplication depends on the scalars: neither engine is suitable for secret ones.
//!
//! # Errors
//! - [`Error::NotOnCurve`](crate::Error::NotOnCurve): a point is not on the curve.
//! - [`Error::OutsideSubgroup`](crate::Error::OutsideSubgroup): a point outside the subgroup makes a check
//!   impossible.
//! - [`Error::WrongLength`](crate::Error::WrongLength): there are more or fewer points than planned.
//! - [`Error::TooMany`](crate::Error::TooMany): there are more scalars than points, or than points from the first one
//!   of a range on.
//! - [`Error::PastTheEnd`](crate::Error::PastTheEnd): a range reaches past the end of a vector of scalars.
//! - [`Error::Setting`](crate::Error::Setting): the width of a window or the number of rounds of pairs is out of its
//!   range.
//! - [`Error::Usage`](crate::Error::Usage), one of:
//!   - Settings exclude each other.
//!   - Bases that are not all on one GPU are to record a multiplication.
//!   - Bases are to end a multiplication that other bases, which are elsewhere, began.
//! - [`Error::Unsupported`](crate::Error::Unsupported): scalars on a GPU are given to bases that take them from the
//!   host.
//! - [`Error::DifferentDevices`](crate::Error::DifferentDevices): scalars are on another device than the bases.
//! - [`Error::Check`](crate::Error::Check): a sum is wrong.

mod affine_sums;
mod apart;
mod bases;
mod buckets;
mod check;
mod cost;
pub mod cpu;
mod cpu_cost;
mod finish;
mod fixed_base;
mod forms;
pub(crate) mod gpu;
mod in_parts;
mod instances;
pub mod membership;
mod msm64;
mod on_cpu;
mod on_gpu;
mod on_group;
mod on_processes;
mod once;
mod operands;
mod outside;
mod pending;
mod plan;
mod planned;
mod precompute;
mod problem;
mod progress;
mod run_apart;
mod search;
mod settings;
mod signed_digits;
mod speeds;
mod split_scalars;
mod test_points;
#[cfg(test)]
mod tests;
mod tiling;
mod verify;
mod ways;
mod windows;

pub use bases::Bases;
pub use fixed_base::{FixedBase, FixedBasePlan, Multiples};
pub use forms::{Accumulators, Addends, Balance, Reduction};
pub use gpu::Sums;
pub use instances::{first_outside, first_outside_async, sum_of_multiples};
pub(crate) use on_processes::serve;
pub use once::{multiply, multiply_async, multiply_unchecked, multiply_with};
pub use operands::{Points, Scalars};
pub use pending::{BitsApart, PendingMultiplication};
pub use plan::MultiplicationPlan;
pub use precompute::{MAX_WIDTH, MIN_WIDTH, Precompute};
pub use problem::Multiplication;
pub use settings::{MAX_PAIR_ROUNDS, Settings};
pub use split_scalars::share_of_bits;
pub use test_points::{Known, scalars as random_scalars};
pub use tiling::Cut;
pub use verify::verify;
pub use windows::{ScalarBits, Scheme};

pub use crate::scalars::DeviceScalars;
