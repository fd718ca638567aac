//! Number-theoretic transforms and the products that they make fast.

pub mod cpu;
mod product;
mod transform;

pub use product::{Product, multiply};
pub use transform::{Coset, Direction, MAX_LOG_N, Order, Reduction, Transform};
