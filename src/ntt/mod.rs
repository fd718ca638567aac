//! Number-theoretic transforms, and the products that they make fast.
//!
//! ```text
//! Transform      ->  TransformPlan  ->  PreparedTransform
//! ColumnTransform -> ColumnTransformPlan -> PreparedColumnTransform    of the columns of a row-major matrix
//! Product        ->  ProductPlan    ->  PreparedProduct       modulo a prime
//! ExactProduct   ->  ExactPlan      ->  PreparedExact         over the integers: three products
//! integer        ->                                           big integers: an exact product
//! scalar::Transform, scalar::Product                           over the scalar fields of curves
//! ```
//!
//! [`transform()`], [`multiply()`], [`exact::multiply`] and [`integer::multiply`] plan, prepare and run in
//! one call. A group of GPUs shares the vectors of a batch, and the products of one; a single vector is
//! transformed by one GPU, since its halves would have to be exchanged through the host. [`cpu`] is the CPU
//! engine; [`arithmetic`] and [`Passes`] are for kernels of one's own.

pub mod arithmetic;
mod check;
mod columns;
mod cost;
pub mod cpu;
pub mod exact;
pub(crate) mod gpu;
pub mod integer;
mod product;
mod rates;
mod residues;
mod ring;
pub mod scalar;
mod transform;
mod transposed;
pub mod verify;
mod ways;
mod word_transform;
mod words;

pub use columns::{ColumnTransform, ColumnTransformPlan, PreparedColumnTransform};
pub use cost::Passes;
pub use product::{
    PreparedProduct, Product, ProductPlan, multiply, multiply_async, multiply_many, multiply_many_async,
};
pub use residues::upload_checked;
pub use ring::Ring;
pub use transform::{CosetOf, Direction, Elements, Order, TransformOf, transform, transform_async};
pub use transposed::transposed;
pub use word_transform::{PreparedTransform, TransformPlan};
pub use words::{Coset, MAX_LOG_N, Reduction, Transform, WordSettings};
