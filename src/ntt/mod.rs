//! Number-theoretic transforms and the products that they make fast.

mod transform;

pub use transform::{Coset, Direction, MAX_LOG_N, Order, Reduction, Transform};
