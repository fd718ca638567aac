//! Number-theoretic transforms and the products that they make fast.

pub mod cpu;
pub mod gpu;
mod product;
mod transform;

pub use gpu::{Plan, ProductPlan};
pub use product::{Product, multiply};
pub use transform::{Coset, Direction, MAX_LOG_N, Order, Reduction, Transform};
