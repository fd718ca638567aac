//! Number-theoretic transforms, and the products that they make fast.
//!
//! ```text
//! Transform      ->  TransformPlan  ->  PreparedTransform
//! ColumnTransform -> ColumnTransformPlan -> PreparedColumnTransform    of the columns of a row-major matrix
//! DiscreteTransform -> DiscretePlan ->  PreparedDiscrete      of any length, with any root
//! ml_kem         ->                                           the incomplete transform of ML-KEM (Kyber)
//! Product        ->  ProductPlan    ->  PreparedProduct       modulo any number below 2^31
//! ExactProduct   ->  ExactPlan      ->  PreparedExact         over the integers: three products
//! integer        ->                                           big integers: an exact product
//! scalar::Transform, scalar::Product                           over the scalar fields of curves
//! ```
//!
//! [`transform()`], [`multiply()`], [`exact::multiply`] and [`integer::multiply`] plan, prepare and run in
//! one call. A group of GPUs shares the vectors of a batch, and the products of one; a single vector is
//! transformed by one GPU, since its halves would have to be exchanged through the host. [`cpu`] is the CPU
//! engine; [`arithmetic`] and [`Passes`] are for kernels of one's own.
//!
//! # Errors
//! - [`Error::NotAPowerOfTwo`](crate::Error::NotAPowerOfTwo): the length of a transform is not a power of two from 2
//!   to 2^27.
//! - [`Error::NoRootOfUnity`](crate::Error::NoRootOfUnity): the prime has no root of unity of that order, or of twice
//!   that order for the negacyclic transform.
//! - [`Error::OutOfRange`](crate::Error::OutOfRange): the shift of a coset, or a root, is 0 or not below p.
//! - [`Error::Unsuited`](crate::Error::Unsuited): a length does not divide p - 1, or a root has another order.
//! - [`Error::WrongLength`](crate::Error::WrongLength): data do not have the length of the problem.
//! - [`Error::NotReduced`](crate::Error::NotReduced): a word is not below p. Words that are on a device are not
//!   checked.
//! - [`Error::TooMany`](crate::Error::TooMany): a product has more than 2^27 coefficients, or a factor is longer than
//!   the transforms.
//! - [`Error::NoProduct`](crate::Error::NoProduct): a product takes longer transforms than there are. Exact ones have
//!   at most 2^26 points.
//! - [`Error::CoefficientsTooLarge`](crate::Error::CoefficientsTooLarge): an exact product could have a coefficient
//!   that is too large ([`exact::check_bound`]).
//! - [`Error::NotADigit`](crate::Error::NotADigit): a text is not an integer.
//! - [`Error::Input`](crate::Error::Input): an integer has no digits, or a matrix no columns.
//! - [`Error::Usage`](crate::Error::Usage): a product is to be computed modulo x^0 - 1 or x^0 + 1, or a matrix does
//!   not have its number of words.
//! - [`Error::Unsupported`](crate::Error::Unsupported): data on a device are given to the CPU engine, to a group, or
//!   to a plan of several parts.
//! - [`Error::DifferentDevices`](crate::Error::DifferentDevices): data are on another device.
//! - [`Error::Check`](crate::Error::Check): a check found a wrong result, whatever its length and values.

pub mod arithmetic;
mod check;
mod columns;
mod conversion;
mod cost;
pub mod cpu;
mod cpu_cost;
mod discrete;
pub mod exact;
pub(crate) mod gpu;
pub mod integer;
mod lift;
pub mod ml_kem;
mod product;
mod rates;
mod residues;
mod ring;
pub mod scalar;
mod three_primes;
mod transform;
mod transposed;
pub mod verify;
mod ways;
mod word_transform;
mod words;

pub use columns::{ColumnTransform, ColumnTransformPlan, PreparedColumnTransform};
pub use cost::Passes;
pub use discrete::{
    DiscretePlan, DiscreteTransform, PreparedDiscrete, discrete_transform, discrete_transform_async,
};
pub use product::{
    PreparedProduct, Product, ProductPlan, multiply, multiply_async, multiply_many, multiply_many_async,
};
pub use residues::upload_checked;
pub use ring::Ring;
pub use transform::{CosetOf, Direction, Elements, Order, TransformOf, transform, transform_async};
pub use transposed::transposed;
pub use word_transform::{PreparedTransform, TransformPlan};
pub use words::{Coset, MAX_LOG_N, Reduction, Transform, WordSettings};
