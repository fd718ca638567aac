//! Transforms over the scalar fields of curves, and what provers compute between them.
//!
//! ```text
//! Transform    ->  TransformPlan  ->  PreparedTransform     run(&mut scalars), run_on_device(&mut DeviceScalars)
//! Product      ->  ProductPlan    ->  PreparedProduct       two transforms, products, one back
//! Vector, Vectors                                           sums, products, ... on the engine that holds the vectors
//! SparseMatrix ->  PreparedMatrix                           products of a matrix and a vector
//! ```
//!
//! The statements are those of the word primes ([`ntt`](super)): orders, directions, cosets, batches. The
//! elements are arkworks' ([`Scalar`](crate::scalars::Scalar)): every field of a [`Curve`](crate::curve::Curve)'s scalars works, and the
//! roots of unity are arkworks' too, so that values agree with ark-poly's of the same order. On a GPU the
//! vectors are [`DeviceScalars`](crate::scalars::DeviceScalars), which multi-scalar multiplication takes as they are.
//!
//! A group of GPUs transforms on its fastest member. Any engine takes every length for which the field has a root of unity, up to 2^31,
//! as far as its memory holds the data and the tables. A GPU transforms vectors that are longer than one of its bindings (2^22 scalars with
//! WebGPU's default limits, 2^25 with wgpu's own) in pieces.
//!
//! No running time here depends on the values, except that inverses on the host skip zeros. Even so, neither engine is
//! built for secrets on shared hardware.
//!
//! # Errors
//! - [`Error::NotAPowerOfTwo`](crate::Error::NotAPowerOfTwo): there is no transform of this length, or the field has
//!   no root of unity of that order.
//! - [`Error::NoRootOfUnity`](crate::Error::NoRootOfUnity): the field has no 2n-th root of unity for the negacyclic
//!   transform.
//! - [`Error::ZeroShift`](crate::Error::ZeroShift): the shift of a coset is 0.
//! - [`Error::WrongLength`](crate::Error::WrongLength): data do not have the length of the problem, or of each other,
//!   or a vector lacks a column of a matrix.
//! - [`Error::PastTheEnd`](crate::Error::PastTheEnd): what is to be copied is longer than the vector.
//! - [`Error::NoSuch`](crate::Error::NoSuch): an entry of a matrix is in a row that does not exist.
//! - [`Error::TooMany`](crate::Error::TooMany): a matrix has 2^32 rows or entries or more, or a product more
//!   coefficients than the machine counts.
//! - [`Error::Input`](crate::Error::Input): values cannot be divided by those of x^m - 1
//!   ([`Vectors::divide_by_vanishing`]).
//! - [`Error::OtherDevice`](crate::Error::OtherDevice), [`Error::DifferentDevices`](crate::Error::DifferentDevices):
//!   another engine or device holds the vector.
//! - [`Error::OutOfMemory`](crate::Error::OutOfMemory): the memory is too small; or a row of a matrix is longer than a
//!   binding of the GPU, or a binding holds no table of a transform, as it does from 2^8 scalars on.
//! - [`Error::OtherPlan`](crate::Error::OtherPlan): the device has another binding limit than that for which a transform was planned.
//! - [`Error::Check`](crate::Error::Check): a check found a wrong result.

mod cpu;
pub(crate) mod gpu;
mod plan;
mod powers;
mod problem;
mod product;
mod sparse;
mod vector;
mod verify;

pub use super::transform::{transform, transform_async};
pub use plan::{PreparedTransform, TransformPlan};
pub use problem::{Coset, Scalars, Transform};
pub use product::{PreparedProduct, Product, ProductPlan, multiply, multiply_async};
pub use sparse::{PreparedMatrix, SparseMatrix};
pub use vector::{Vector, Vectors};
