//! Number-theoretic transforms and the products that they make fast.

pub mod gpu;
mod transform;

pub use gpu::{Plan, ProductPlan};
pub use transform::{Coset, Direction, MAX_LOG_N, Order, Reduction, Transform};
